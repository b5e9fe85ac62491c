//! Probes: quantities at a point of a body, of a joint or of a contact pair, at times of their own.

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
}

impl ProbeQuantity {
    /// Quantities of a whole body.
    pub const OF_BODIES: [Self; 5] = [
        Self::KineticEnergy,
        Self::ElasticEnergy,
        Self::PotentialEnergy,
        Self::Momentum,
        Self::AngularMomentum,
    ];
    /// Quantities of a point of a body.
    pub const OF_POINTS: [Self; 6] = [
        Self::Displacement,
        Self::Position,
        Self::Velocity,
        Self::Acceleration,
        Self::AngularVelocity,
        Self::AngularAcceleration,
    ];
    /// Quantities of a joint, spring or bushing.
    pub const OF_JOINTS: [Self; 2] = [Self::Force, Self::Torque];
    /// Quantities of a contact pair.
    pub const OF_CONTACTS: [Self; 3] = [Self::Force, Self::NormalForce, Self::Gap];

    /// All of them, in the order of tables.
    pub const ALL: [Self; 15] = [
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
            Self::Force | Self::NormalForce => "N",
            Self::Torque => "N m",
            Self::KineticEnergy | Self::ElasticEnergy | Self::PotentialEnergy => "J",
            Self::Momentum => "N s",
            Self::AngularMomentum => "N m s",
        }
    }

    /// True for three components, false for one number.
    pub fn is_vector(self) -> bool {
        !matches!(
            self,
            Self::NormalForce | Self::Gap | Self::KineticEnergy | Self::ElasticEnergy | Self::PotentialEnergy
        )
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
    /// which is one number.
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
