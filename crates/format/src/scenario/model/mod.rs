//! A scenario as data, with every default filled in.
//!
//! Serialising it gives a scenario file that reads back as the same data.

mod body;
mod damping;
mod function;
mod joint;
mod output;
mod shape;
mod variant;

use std::collections::BTreeMap;

use carom_contact::{Law, Stiffness};
use serde::Serialize;

pub use body::{
    AttachSpec, BodySource, BodySpec, GradeSpec, ImportSpec, MakeSpec, MarkerSpec, NearSpec, ReduceSpec,
    RefineSpec, RotationSpec, Spot, ZoneSpec,
};

pub use damping::{DampingSpec, RatioSpec};
pub use function::{FunctionError, FunctionSpec, InterpolationSpec};
pub use joint::{ActionSpec, BushingSpec, JointKind, JointSpec, JointSpringSpec, SpringSpec, StopSpec};
pub use output::{OutputSpec, PictureCells, PictureCompression, PictureField, PictureFormat, PictureSpec};
pub use shape::{MassSpec, ShapeKind, ShapeSpec};
pub use variant::VariantSpec;

/// Everything a run is made from.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Scenario {
    /// Scheme, time, gravity, tolerances, output.
    pub simulation: Simulation,
    /// Frames and pictures.
    pub output: OutputSpec,
    /// Materials that the scenario defines.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub material: BTreeMap<String, MaterialSpec>,
    /// Bodies, at least one.
    pub body: Vec<BodySpec>,
    /// Joints between bodies.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub joint: Vec<JointSpec>,
    /// Springs and dampers between two points.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub spring: Vec<SpringSpec>,
    /// Bushings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub bushing: Vec<BushingSpec>,
    /// Pairs of surfaces that may touch.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub contact: Vec<ContactSpec>,
    /// Held parts of bodies.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub support: Vec<SupportSpec>,
    /// Forces and torques.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub force: Vec<ForceSpec>,
    /// Constant pressures.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pressure: Vec<PressureSpec>,
}

/// How bodies move and meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scheme {
    /// Floating frame; high modes answer contact quasistatically.
    Quasistatic,
    /// Floating frame; all modes dynamic.
    Dynamic,
    /// Floating frame; high modes critically damped.
    Damped,
    /// Equilibrium of supports, loads and contact.
    Static,
    /// Energy-momentum rigid bodies.
    Rigid,
    /// Unreduced bodies, explicit central differences.
    Explicit,
    /// Unreduced bodies, energy-momentum.
    EnergyMomentum,
    /// Unreduced bodies, midpoint rule.
    Midpoint,
    /// Unreduced linear bodies, implicit midpoint with complementarity.
    Complementarity,
}

impl Scheme {
    /// Names in scenarios.
    pub const NAMES: [(&str, Self); 9] = [
        ("quasistatic", Self::Quasistatic),
        ("dynamic", Self::Dynamic),
        ("damped", Self::Damped),
        ("static", Self::Static),
        ("rigid", Self::Rigid),
        ("explicit", Self::Explicit),
        ("energy-momentum", Self::EnergyMomentum),
        ("midpoint", Self::Midpoint),
        ("complementarity", Self::Complementarity),
    ];

    /// Names of those that this release runs, for messages.
    pub const AVAILABLE: &str = "`quasistatic`, `dynamic`, `damped`, `static` and `rigid`";

    /// True if this release runs it.
    pub fn is_available(self) -> bool {
        matches!(self, Self::Quasistatic | Self::Dynamic | Self::Damped | Self::Static | Self::Rigid)
    }

    /// Those that this release runs, with their names.
    pub fn available() -> Vec<(&'static str, Self)> {
        Self::NAMES.into_iter().filter(|(_, scheme)| scheme.is_available()).collect()
    }

    /// Name in scenarios.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, scheme)| *scheme == self).map_or("", |(name, _)| name)
    }
}

/// Time integrator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Integrator {
    /// Explicit Runge-Kutta of order 8 with error control.
    Dop853,
    /// Explicit Runge-Kutta of order 5(4) with error control.
    DormandPrince5,
    /// Implicit Runge-Kutta of order 5.
    Radau5,
    /// Backward differences of order 2.
    Bdf2,
    /// Implicit midpoint rule.
    Midpoint,
    /// Generalised-alpha.
    GeneralisedAlpha,
    /// Fixed steps of Simo and Wong that keep energy and momenta: that of the scheme `rigid`.
    EnergyMomentum,
}

/// How joints enter the equations of generalised-alpha.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum JointForm {
    /// Positions keep to joints.
    Index3,
    /// Positions and velocities keep to joints.
    Stabilised,
}

/// The table `[simulation]`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Simulation {
    /// How bodies move and meet.
    pub scheme: Scheme,
    /// Time integrator.
    pub integrator: Integrator,
    /// What generalised-alpha leaves in a step of what is infinitely fast, 0 to 1; none for other
    /// integrators.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spectral_radius: Option<f64>,
    /// Form of the joints' equations in generalised-alpha; none for other integrators.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub constraints: Option<JointForm>,
    /// End of the run \[s\]; in statics a pseudo-time, at which loads have their full values.
    pub end_time: f64,
    /// Acceleration of gravity \[m/s²\].
    pub gravity: [f64; 3],
    /// Relative tolerance of the error control; none with a fixed step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relative_tolerance: Option<f64>,
    /// Fixed step instead of error control \[s\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_step: Option<f64>,
    /// Largest step of the error control \[s\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub maximum_step: Option<f64>,
    /// Time between frames of the result \[s\].
    pub output_every: f64,
    /// Accepted steps between points from which the run can be resumed, besides those by wall time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkpoint_every: Option<usize>,
    /// Equal parts in which a static scheme applies loads and prescribed displacements; none in other
    /// schemes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<usize>,
}

impl Simulation {
    /// Frames of a result if the scenario does not say how often.
    pub const FRAMES: f64 = 200.0;

    /// True if the time between frames is what it would be if the scenario did not give it.
    pub fn has_default_frames(&self) -> bool {
        self.output_every == self.end_time / Self::FRAMES
    }
}

/// A linear elastic isotropic material.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MaterialSpec {
    /// ρ \[kg/m³\].
    pub density: f64,
    /// E \[Pa\].
    pub young: f64,
    /// ν.
    pub poisson: f64,
}

/// One end of a joint or contact: a body and a marker or set of it, or the ground.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct End {
    /// Name of the body; `ground` is what is fixed in space.
    pub body: String,
    /// Marker or set; empty for the ground or a whole body.
    pub part: String,
}

impl std::fmt::Display for End {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.part.is_empty() { f.write_str(&self.body) } else { write!(f, "{}:{}", self.body, self.part) }
    }
}

impl Serialize for End {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The table `law` of a contact, as it is written.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
enum WrittenLaw {
    Penalty {
        #[serde(skip_serializing_if = "Option::is_none")]
        stiffness: Option<f64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        point_stiffness: Option<f64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        factor: Option<f64>,
    },
    Lagrange,
}

fn write_law<S: serde::Serializer>(law: &Law, serializer: S) -> Result<S::Ok, S::Error> {
    let penalty =
        |stiffness, point_stiffness, factor| WrittenLaw::Penalty { stiffness, point_stiffness, factor };
    let written = match *law {
        Law::Hard => WrittenLaw::Lagrange,
        Law::Penalty(Stiffness::OfMaterials { alpha, .. }) => penalty(None, None, Some(alpha)),
        Law::Penalty(Stiffness::PerArea(stiffness)) => penalty(Some(stiffness), None, None),
        Law::Penalty(Stiffness::PerPoint(stiffness)) => penalty(None, Some(stiffness), None),
    };
    written.serialize(serializer)
}

/// The table `[[contact]]`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ContactSpec {
    /// `BODY:SET`; the first carries the pressure points.
    pub between: [End; 2],
    /// Coefficient of friction.
    pub friction: f64,
    /// Law.
    #[serde(serialize_with = "write_law")]
    pub law: Law,
    /// Normal velocity after an impact of rigid bodies over that before; none in other schemes and with
    /// penalties.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restitution: Option<f64>,
    /// What pressure at the rim of a contact zone does to the run.
    pub rim: Rim,
}

/// What pressure at the rim of a contact zone, where the force is too low, does to the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rim {
    /// It ends the run.
    #[default]
    Error,
    /// It is said when the run has ended.
    Warning,
}

/// The table `[[support]]`: directions in which a part of a body is held.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SupportSpec {
    /// `BODY:SET`.
    pub on: End,
    /// `x`, `y`, `z`, inertial axes.
    pub directions: Vec<String>,
    /// Displacement that the part is given in these directions, inertial axes \[m\].
    pub displacement: [f64; 3],
}

/// The table `[[force]]`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ForceSpec {
    /// `BODY:MARKER` or `BODY:SET` (spread over the set).
    pub on: End,
    /// Force \[N\].
    pub force: [f64; 3],
    /// Torque \[N m\].
    pub torque: [f64; 3],
    /// Axes of both: `inertial` or `body`.
    pub axes: String,
    /// Function of time that both are multiplied by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale: Option<FunctionSpec>,
}

/// The table `[[pressure]]`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PressureSpec {
    /// `BODY:SET`.
    pub on: End,
    /// Pressure, positive in compression \[Pa\].
    pub value: f64,
}
