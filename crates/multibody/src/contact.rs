//! Contact as the rate and the time loop see it: a pair turns the motion of two bodies into one force.

use carom_dynamics::{ContactState, Pose};
use nalgebra::Vector3;

/// Motion of a body as contact needs it.
#[derive(Debug, Clone, Copy)]
pub struct BodyMotion<'a> {
    /// Pose of the body frame.
    pub pose: &'a Pose,
    /// Coordinates of the dynamic modes.
    pub modal: &'a [f64],
}

/// What two surfaces do to each other. Forces are on the first body; the second takes their opposites *at the same
/// spatial points*, so that one force and one moment serve both and angular momentum is kept to round-off.
#[derive(Debug, Clone, PartialEq)]
pub struct Reaction {
    /// Σ f on the first body, inertial axes \[N\].
    pub force: Vector3<f64>,
    /// Σ x × f about the inertial origin \[N m\].
    pub moment: Vector3<f64>,
    /// Σ φᵀ Aᵀ (±f): forces on the dynamic modes of each body.
    pub modal: [Vec<f64>; 2],
    /// Smallest gap without quasistatic response \[m\]: negative in contact and there alone. A lower bound if far apart.
    pub free_gap: f64,
    /// Where that gap is, or where the force acts \[m\].
    pub point: Vector3<f64>,
    /// Unit normal there, towards the first body.
    pub normal: Vector3<f64>,
    /// Sum of the pressures \[N\], ≥ 0.
    pub normal_force: f64,
    /// Elastic energy of the quasistatic response of both bodies \[J\].
    pub elastic_energy: f64,
    /// Potential of the penalty \[J\].
    pub contact_energy: f64,
    /// Deepest penetration that is left \[m\], ≥ 0.
    pub penetration: f64,
    /// Residual of the quasistatic problem, relative to its forces.
    pub residual: f64,
}

impl Reaction {
    /// No force, for bodies with these numbers of dynamic modes.
    pub fn none(modes: [usize; 2]) -> Self {
        Self {
            force: Vector3::zeros(),
            moment: Vector3::zeros(),
            modal: modes.map(|n| vec![0.0; n]),
            free_gap: f64::INFINITY,
            point: Vector3::zeros(),
            normal: Vector3::z(),
            normal_force: 0.0,
            elastic_energy: 0.0,
            contact_energy: 0.0,
            penetration: 0.0,
            residual: 0.0,
        }
    }

    /// Sets all forces and energies to zero; the gap to infinity.
    pub fn clear(&mut self) {
        self.force = Vector3::zeros();
        self.moment = Vector3::zeros();
        self.modal.iter_mut().for_each(|modal| modal.fill(0.0));
        self.free_gap = f64::INFINITY;
        self.normal_force = 0.0;
        self.elastic_energy = 0.0;
        self.contact_energy = 0.0;
        self.penetration = 0.0;
        self.residual = 0.0;
    }

    /// Adds a force on the first body at a spatial point.
    pub fn add_force(&mut self, point: &Vector3<f64>, force: &Vector3<f64>) {
        self.force += force;
        self.moment += point.cross(force);
    }
}

/// What the step size needs to know of a pair before any contact: Hertz' numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HertzNumbers {
    /// E* \[Pa\].
    pub modulus: f64,
    /// Effective radius R_e of the surfaces where they are most curved \[m\].
    pub radius: f64,
}

impl HertzNumbers {
    /// T_c = 2.868 (m*²/(R_e E*² v))^(1/5), THEORY (4.14) \[s\].
    pub fn duration(&self, mass: f64, speed: f64) -> f64 {
        2.868_265_7 * (mass * mass / (self.radius * self.modulus * self.modulus * speed)).powf(0.2)
    }
}

/// Why a pair could not be evaluated: the reason of its own solver.
pub type ContactFailure = Box<dyn std::error::Error + Send + Sync>;

/// Two surfaces that may touch.
pub trait ContactPair: std::fmt::Debug + Send {
    /// Indices of the two bodies.
    fn bodies(&self) -> [usize; 2];

    /// Radius of a ball about the origin of each body frame that holds its surface \[m\].
    fn reach(&self) -> [f64; 2];

    /// For the step size.
    fn hertz(&self) -> HertzNumbers;

    /// Computes the reaction for a motion. Allocates nothing.
    ///
    /// # Errors
    ///
    /// The solver's reason, such as no convergence, or pressure at the rim of the contact zone.
    fn evaluate(
        &mut self,
        motion: [BodyMotion<'_>; 2],
        reaction: &mut Reaction,
    ) -> Result<(), ContactFailure>;

    /// Adds what the last evaluation says of pressures.
    fn report(&self, state: &mut ContactState) {
        let _ = state;
    }

    /// Adds the quasistatic modal coordinates of body 0 or 1 of the pair at the last evaluation; `modal` holds one number
    /// for each quasistatic mode.
    fn add_quasistatic(&self, side: usize, modal: &mut [f64]) {
        let _ = (side, modal);
    }

    /// Starting values of inner iterations, for a restart bit for bit.
    fn memory(&self) -> Vec<f64> {
        Vec::new()
    }

    /// Takes back what [`ContactPair::memory`] gave. False if it does not fit.
    fn restore(&mut self, memory: &[f64]) -> bool {
        memory.is_empty()
    }
}
