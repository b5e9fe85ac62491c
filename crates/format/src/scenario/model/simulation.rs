//! The table `[simulation]` as data.

use serde::{Serialize, Serializer};

use super::scheme::{ContactGradient, ContactSolution, Integrator, JointForm, MassForm, Scheme};

/// The table `[simulation]`.
#[derive(Debug, Clone, PartialEq)]
pub struct Simulation {
    /// How bodies move and meet, with the settings of the scheme.
    pub scheme: Scheme,
    /// End of the run \[s\]; in statics a pseudo-time, at which loads have their full values.
    pub end_time: f64,
    /// Acceleration of gravity \[m/s²\].
    pub gravity: [f64; 3],
    /// Time between frames of the result \[s\].
    pub output_every: f64,
    /// Accepted steps between points from which the run can be resumed, in addition to those by wall time.
    pub checkpoint_every: Option<usize>,
    /// Wanted relative error of peak force and impulse, for which the values are chosen that a scenario
    /// leaves open.
    pub accuracy: Option<f64>,
    /// True if bodies begin at rest in their static equilibrium.
    pub in_equilibrium: bool,
    /// True if the scenario has no `end_time`: it is chosen with the contact.
    pub has_open_end: bool,
}

impl Simulation {
    /// Accuracy where none is given.
    pub const ACCURACY: f64 = 0.02;

    /// The wanted accuracy.
    pub fn wanted(&self) -> f64 {
        self.accuracy.unwrap_or(Self::ACCURACY)
    }

    /// Gives the run its end \[s\], and the frames with it where they have their default number.
    pub fn end_at(&mut self, end_time: f64) {
        if self.has_default_frames() {
            self.output_every = end_time / Self::FRAMES;
        }
        (self.end_time, self.has_open_end) = (end_time, false);
    }

    /// Number of frames of a result by default.
    pub const FRAMES: f64 = 200.0;

    /// True if the time between frames has its default value.
    pub fn has_default_frames(&self) -> bool {
        self.output_every == self.end_time / Self::FRAMES
    }
}

/// The table as it is written: the keys of the scheme among those of all schemes. Their order is that of
/// every earlier version, as the text of a result is compared with that of the run that continues it.
#[derive(Serialize)]
struct Written {
    scheme: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    integrator: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    spectral_radius: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    constraints: Option<JointForm>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_time: Option<f64>,
    gravity: [f64; 3],
    #[serde(skip_serializing_if = "Option::is_none")]
    relative_tolerance: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    time_step: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    maximum_step: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_every: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    checkpoint_every: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    steps: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    courant: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mass_scaling: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    contact_tolerance: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    contact_steps: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    persistency: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    contact_gradient: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mass: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    contact_method: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    accuracy: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<&'static str>,
}

impl Serialize for Simulation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let integration = self.scheme.integration();
        let contact =
            self.scheme.contact_solution().filter(|contact| **contact != ContactSolution::default());
        let alpha = match integration.map(|settings| settings.integrator) {
            Some(Integrator::GeneralisedAlpha { spectral_radius, constraints }) => {
                Some((spectral_radius, constraints))
            }
            _ => None,
        };
        let written = Written {
            scheme: self.scheme.row().name,
            integrator: self.scheme.integrator_name(),
            spectral_radius: alpha.map(|(radius, _)| radius).or(self.scheme.spectral_radius()),
            constraints: alpha.map(|(_, form)| form),
            end_time: Some(self.end_time).filter(|_| !self.has_open_end),
            gravity: self.gravity,
            relative_tolerance: integration.and_then(|settings| settings.relative_tolerance),
            time_step: self.scheme.time_step(),
            maximum_step: integration.and_then(|settings| settings.maximum_step),
            output_every: Some(self.output_every)
                .filter(|_| !(self.has_open_end && self.has_default_frames())),
            checkpoint_every: self.checkpoint_every,
            steps: self.scheme.load_steps(),
            // A given step stands in place of it.
            courant: self.scheme.courant().filter(|_| self.scheme.time_step().is_none()),
            mass_scaling: self.scheme.mass_scaling(),
            contact_tolerance: contact.map(|contact| contact.tolerance),
            contact_steps: contact.and_then(ContactSolution::rule_name),
            persistency: self.scheme.persistency(),
            // Results of earlier versions have the default without the key.
            contact_gradient: self
                .scheme
                .contact_gradient()
                .filter(|gradient| *gradient != ContactGradient::default())
                .map(ContactGradient::name),
            mass: self.scheme.mass_form().map(MassForm::name),
            contact_method: self.scheme.contact_method(),
            accuracy: self.accuracy,
            start: self.in_equilibrium.then_some("equilibrium"),
        };
        written.serialize(serializer)
    }
}
