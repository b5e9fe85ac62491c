//! Probes: quantities of a body, at a point of one, of a joint or of a contact pair, at times of their own.
//!
//! The loops of schemes with probes take [`Probe`], and hand [`ProbeSample`] to their observer.

use thiserror::Error;

use crate::load::{Axes, Marker};

/// A quantity of a probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProbeQuantity {
    /// Displacement of a point since the start of the run \[m\].
    Displacement,
    /// Position of a point \[m\].
    Position,
    /// Velocity of a point \[m/s\].
    Velocity,
    /// Acceleration of a point \[m/s²\].
    Acceleration,
    /// Angular velocity of the body at a point \[rad/s\].
    AngularVelocity,
    /// Angular acceleration of the body at a point \[rad/s²\].
    AngularAcceleration,
    /// Force of a joint on its second body, of a contact on the first body of the pair \[N\].
    Force,
    /// Torque of a joint on its second body, about its first end \[N m\].
    Torque,
    /// Magnitude of the force of a contact \[N\].
    NormalForce,
    /// Smallest gap of a contact, negative where the surfaces overlap without their quasistatic response
    /// \[m\]; infinite while it is not known.
    Gap,
    /// Kinetic energy of a body \[J\].
    KineticEnergy,
    /// Elastic energy of the modes of a body that move \[J\].
    ElasticEnergy,
    /// Potential of gravity of a body \[J\].
    PotentialEnergy,
    /// Linear momentum of a body \[N s\].
    Momentum,
    /// Angular momentum of a body about the inertial origin \[N m s\].
    AngularMomentum,
    /// Sum of the forces of all contacts on a body \[N\].
    ContactForce,
    /// Normal components xx, yy, zz of the stress at a point \[Pa\].
    NormalStress,
    /// Shear components xy, yz, xz of the stress at a point \[Pa\].
    ShearStress,
    /// Von Mises stress at a point \[Pa\].
    VonMises,
    /// Normal force and shear forces in a section of a beam, axes of the section \[N\].
    SectionForce,
    /// Torque and bending moments in a section of a beam, axes of the section \[N m\].
    SectionMoment,
}

impl ProbeQuantity {
    /// Quantities of a whole body.
    pub const OF_BODIES: [Self; 6] = [
        Self::KineticEnergy,
        Self::ElasticEnergy,
        Self::PotentialEnergy,
        Self::Momentum,
        Self::AngularMomentum,
        Self::ContactForce,
    ];
    /// Quantities of the motion of a point of a body.
    pub const OF_POINTS: [Self; 6] = [
        Self::Displacement,
        Self::Position,
        Self::Velocity,
        Self::Acceleration,
        Self::AngularVelocity,
        Self::AngularAcceleration,
    ];
    /// Quantities of a point of a deformable body: its motion and its stress.
    pub const OF_DEFORMABLE_POINTS: [Self; 11] = [
        Self::Displacement,
        Self::Position,
        Self::Velocity,
        Self::Acceleration,
        Self::AngularVelocity,
        Self::AngularAcceleration,
        Self::NormalStress,
        Self::ShearStress,
        Self::VonMises,
        Self::SectionForce,
        Self::SectionMoment,
    ];
    /// Quantities of a section of a beam.
    pub const OF_SECTIONS: [Self; 2] = [Self::SectionForce, Self::SectionMoment];
    /// The quantities that `stress` stands for.
    pub const OF_STRESS: [Self; 3] = [Self::NormalStress, Self::ShearStress, Self::VonMises];
    /// Quantities of a point of an unreduced body, which has no angular velocity.
    pub const OF_UNREDUCED: [Self; 9] = [
        Self::Displacement,
        Self::Position,
        Self::Velocity,
        Self::Acceleration,
        Self::NormalStress,
        Self::ShearStress,
        Self::VonMises,
        Self::SectionForce,
        Self::SectionMoment,
    ];
    /// Quantities of an equilibrium, in which nothing moves.
    pub const AT_REST: [Self; 9] = [
        Self::Displacement,
        Self::Position,
        Self::NormalStress,
        Self::ShearStress,
        Self::VonMises,
        Self::ContactForce,
        Self::Force,
        Self::NormalForce,
        Self::Gap,
    ];
    /// Quantities of a joint, spring or bushing.
    pub const OF_JOINTS: [Self; 2] = [Self::Force, Self::Torque];
    /// Quantities of a contact pair.
    pub const OF_CONTACTS: [Self; 3] = [Self::Force, Self::NormalForce, Self::Gap];

    /// All of them, in the order of tables.
    pub const ALL: [Self; 21] = [
        Self::Displacement,
        Self::Position,
        Self::Velocity,
        Self::Acceleration,
        Self::AngularVelocity,
        Self::AngularAcceleration,
        Self::Force,
        Self::Torque,
        Self::NormalForce,
        Self::Gap,
        Self::KineticEnergy,
        Self::ElasticEnergy,
        Self::PotentialEnergy,
        Self::Momentum,
        Self::AngularMomentum,
        Self::ContactForce,
        Self::NormalStress,
        Self::ShearStress,
        Self::VonMises,
        Self::SectionForce,
        Self::SectionMoment,
    ];

    /// Its word in scenarios and results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Displacement => "displacement",
            Self::Position => "position",
            Self::Velocity => "velocity",
            Self::Acceleration => "acceleration",
            Self::AngularVelocity => "angular_velocity",
            Self::AngularAcceleration => "angular_acceleration",
            Self::Force => "force",
            Self::Torque => "torque",
            Self::NormalForce => "normal_force",
            Self::Gap => "gap",
            Self::KineticEnergy => "kinetic_energy",
            Self::ElasticEnergy => "elastic_energy",
            Self::PotentialEnergy => "potential_energy",
            Self::Momentum => "momentum",
            Self::AngularMomentum => "angular_momentum",
            Self::ContactForce => "contact_force",
            Self::NormalStress => "normal_stress",
            Self::ShearStress => "shear_stress",
            Self::VonMises => "von_mises",
            Self::SectionForce => "section_force",
            Self::SectionMoment => "section_moment",
        }
    }

    /// The quantity of a word.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|quantity| quantity.name() == name)
    }

    /// Its unit.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Displacement | Self::Position | Self::Gap => "m",
            Self::Velocity => "m/s",
            Self::Acceleration => "m/s²",
            Self::AngularVelocity => "rad/s",
            Self::AngularAcceleration => "rad/s²",
            Self::Force | Self::NormalForce | Self::ContactForce | Self::SectionForce => "N",
            Self::Torque | Self::SectionMoment => "N m",
            Self::KineticEnergy | Self::ElasticEnergy | Self::PotentialEnergy => "J",
            Self::Momentum => "N s",
            Self::AngularMomentum => "N m s",
            Self::NormalStress | Self::ShearStress | Self::VonMises => "Pa",
        }
    }

    /// True for three components, false for one number.
    pub fn is_vector(self) -> bool {
        self.components().len() == 3
    }

    /// Names of its components in the order of samples; one empty name of a quantity that is one number.
    pub fn components(self) -> &'static [&'static str] {
        match self {
            Self::NormalForce
            | Self::Gap
            | Self::KineticEnergy
            | Self::ElasticEnergy
            | Self::PotentialEnergy
            | Self::VonMises => &[""],
            Self::NormalStress => &["xx", "yy", "zz"],
            Self::ShearStress => &["xy", "yz", "xz"],
            Self::SectionForce | Self::SectionMoment => &["1", "2", "3"],
            _ => &["x", "y", "z"],
        }
    }
}

/// Quantities at a place, at times of their own.
#[derive(Debug, Clone, PartialEq)]
pub struct Probe {
    /// Where.
    pub place: ProbePlace,
    /// What, in the order of the samples.
    pub quantities: Vec<ProbeQuantity>,
    /// Time between samples, from the start \[s\]; none for one at the end of each step.
    pub every: Option<f64>,
}

/// The place of a probe.
#[derive(Debug, Clone, PartialEq)]
pub enum ProbePlace {
    /// A whole body, by its index.
    Body(usize),
    /// A point of a body.
    Point {
        /// Index of the body.
        body: usize,
        /// The point, over all modes of the file of the body.
        marker: Marker,
        /// Axes of its vectors.
        axes: Axes,
    },
    /// A point of an unreduced body, or the mean of several: the weighted mean of points of its mesh.
    Points {
        /// Index of the body.
        body: usize,
        /// Points of the body, and weights whose sum is 1.
        weights: Vec<(u32, f64)>,
    },
    /// A joint, or a spring or bushing that belongs to no joint, by its number among the joint states.
    Joint(usize),
    /// A contact pair.
    Contact(usize),
    /// Two bodies that touch in a contact of all bodies.
    ContactOfAll {
        /// The contact.
        contact: usize,
        /// Indices of the bodies; the force is that on the first one.
        bodies: [usize; 2],
    },
}

/// Numbers of the places of a system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProbePlaces {
    /// Bodies.
    pub bodies: usize,
    /// Joints, then springs and bushings that belong to no joint.
    pub joints: usize,
    /// Contact pairs.
    pub contacts: usize,
}

/// Errors of a probe.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum ProbeError {
    /// The place does not exist.
    #[error("probe {probe}: the system has {count} {kind}, but the probe is on number {index} from 0")]
    NoPlace {
        /// Number of the probe from 0.
        probe: usize,
        /// `bodies`, `joints` or `contact pairs`.
        kind: &'static str,
        /// Number of the place from 0.
        index: usize,
        /// Number of places of this kind.
        count: usize,
    },
    /// A place does not have a quantity.
    #[error("probe {probe}: {place} has no `{}`", quantity.name())]
    Quantity {
        /// Number of the probe from 0.
        probe: usize,
        /// `a body`, `a point`, `a joint` or `a contact`.
        place: &'static str,
        /// The quantity.
        quantity: ProbeQuantity,
    },
    /// The stress at the place is not known.
    #[error(
        "probe {probe}: no stress is known at its place: rigid bodies have none, and that of a body that \
         deforms follows from its mesh; leave out `stress`, or give a point of a body that deforms"
    )]
    NoStress {
        /// Number of the probe from 0.
        probe: usize,
    },
    /// The place is not on a beam.
    #[error(
        "probe {probe}: its place is not on a beam, and forces and moments of sections are those of beams: \
         leave out `section_force` and `section_moment`"
    )]
    NoSection {
        /// Number of the probe from 0.
        probe: usize,
    },
    /// A contact of all bodies has no first body, on which its force would be.
    #[error(
        "probe {probe}: a contact of all bodies has no first body, and so no `force`: name two of its \
         bodies, `contact = \"BODY/BODY\"`; or give `on = \"BODY\"` with `what = [\"contact_force\"]`, the \
         force of all contacts on a body; or give the probe `what = [\"normal_force\", \"gap\"]`"
    )]
    ForceOfAll {
        /// Number of the probe from 0.
        probe: usize,
    },
    /// A point of another kind than those of its body.
    #[error(
        "probe {probe}: its place does not fit body number {body} from 0: `Points` are those of the mesh of \
         an unreduced body, a `Point` is on a rigid or reduced one"
    )]
    WrongPoint {
        /// Number of the probe from 0.
        probe: usize,
        /// Index of the body.
        body: usize,
    },
    /// The interval is not positive.
    #[error("probe {probe}: the time between samples is {every} s; it must be positive and finite")]
    Interval {
        /// Number of the probe from 0.
        probe: usize,
        /// The interval \[s\].
        every: f64,
    },
    /// The interval is shorter than the steps of a scheme that has samples at the ends of steps.
    #[error(
        "probe {probe}: the time between samples, {every} s, is shorter than the steps of {dt} s: leave out \
         `every` for a sample at the end of each step, or shorten `simulation.time_step`"
    )]
    ShorterThanSteps {
        /// Number of the probe from 0.
        probe: usize,
        /// The interval \[s\].
        every: f64,
        /// Length of a step \[s\].
        dt: f64,
    },
}

impl ProbeError {
    /// Number of the probe from 0.
    pub fn probe(&self) -> usize {
        match *self {
            Self::NoPlace { probe, .. }
            | Self::Quantity { probe, .. }
            | Self::NoStress { probe }
            | Self::NoSection { probe }
            | Self::ForceOfAll { probe }
            | Self::WrongPoint { probe, .. }
            | Self::Interval { probe, .. }
            | Self::ShorterThanSteps { probe, .. } => probe,
        }
    }
}

impl ProbePlace {
    /// Its quantities, and its kind with an article.
    fn quantities(&self) -> (&'static [ProbeQuantity], &'static str) {
        match self {
            Self::Body(_) => (&ProbeQuantity::OF_BODIES, "a body"),
            Self::Point { .. } => (&ProbeQuantity::OF_DEFORMABLE_POINTS, "a point"),
            Self::Points { .. } => (&ProbeQuantity::OF_UNREDUCED, "a point of an unreduced body"),
            Self::Joint(_) => (&ProbeQuantity::OF_JOINTS, "a joint"),
            Self::Contact(_) | Self::ContactOfAll { .. } => (&ProbeQuantity::OF_CONTACTS, "a contact"),
        }
    }
}

impl Probe {
    /// True if it has a quantity of the stress.
    pub fn has_stress(&self) -> bool {
        self.quantities.iter().any(|quantity| ProbeQuantity::OF_STRESS.contains(quantity))
    }

    /// True if it has a quantity of a section of a beam.
    pub fn has_section(&self) -> bool {
        self.quantities.iter().any(|quantity| ProbeQuantity::OF_SECTIONS.contains(quantity))
    }

    /// Checks that a system has the place, and the place the quantities.
    ///
    /// * `probe` — its number
    /// * `places` — those of the system
    ///
    /// # Errors
    ///
    /// [`ProbeError`] for a place or a quantity that does not exist, and an interval that is not positive.
    pub fn check(&self, probe: usize, places: ProbePlaces) -> Result<(), ProbeError> {
        let (kind, index, count) = match &self.place {
            ProbePlace::Body(body) | ProbePlace::Point { body, .. } | ProbePlace::Points { body, .. } => {
                ("bodies", *body, places.bodies)
            }
            ProbePlace::Joint(joint) => ("joints", *joint, places.joints),
            ProbePlace::Contact(contact) | ProbePlace::ContactOfAll { contact, .. } => {
                ("contact pairs", *contact, places.contacts)
            }
        };
        if index >= count {
            return Err(ProbeError::NoPlace { probe, kind, index, count });
        }
        let (known, place) = self.place.quantities();
        if let Some(&quantity) = self.quantities.iter().find(|quantity| !known.contains(quantity)) {
            return Err(ProbeError::Quantity { probe, place, quantity });
        }
        match self.every {
            Some(every) if !(every > 0.0 && every.is_finite()) => Err(ProbeError::Interval { probe, every }),
            _ => Ok(()),
        }
    }
}

/// The stress at a point \[Pa\].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ProbedStress {
    /// xx, yy, zz.
    pub normal: [f64; 3],
    /// xy, yz, xz.
    pub shear: [f64; 3],
    /// Von Mises.
    pub von_mises: f64,
}

impl ProbedStress {
    /// A quantity of a stress; infinite if the stress is not known.
    pub fn value(stress: Option<&Self>, quantity: ProbeQuantity) -> [f64; 3] {
        match (stress, quantity) {
            (None, _) => [f64::INFINITY; 3],
            (Some(stress), ProbeQuantity::NormalStress) => stress.normal,
            (Some(stress), ProbeQuantity::ShearStress) => stress.shear,
            (Some(stress), _) => [stress.von_mises, 0.0, 0.0],
        }
    }
}

/// The values of a probe at one time, borrowed from the loop.
#[derive(Debug, Clone, Copy)]
pub struct ProbeSample<'a> {
    /// Number of the probe, in the order of the scenario.
    pub probe: usize,
    /// Time \[s\].
    pub time: f64,
    /// One entry for each quantity of the probe, in their order. The first component is that of a quantity
    /// which is one number. A quantity that is not known, such as a mean over time at the start, is infinite.
    pub values: &'a [[f64; 3]],
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_quantity_is_found_by_its_word() {
        for quantity in ProbeQuantity::ALL {
            assert_eq!(ProbeQuantity::of_name(quantity.name()), Some(quantity));
        }
        assert_eq!(ProbeQuantity::of_name("speed"), None);
    }
}
