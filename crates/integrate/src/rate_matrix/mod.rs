//! ∂f/∂y of a rate for implicit formulas, and factors of σ E − ∂f/∂y.
//!
//! The rate of a mechanism contains the reactions of its joints, which depend on all bodies: as a matrix over
//! y alone the derivative is dense. With the multipliers λ as unknowns it has blocks of bodies and joints
//! (`parts`), and so have its factors (`factors`). Systems without such parts, or with few of them, keep the
//! dense matrix.

mod factors;
mod memory;
mod parts;

pub(crate) use factors::Factors;
pub(crate) use parts::PartsMatrix;

use crate::control::Tolerances;
use crate::jacobian::Jacobian;
use crate::ode::Ode;

/// The derivative of a rate: dense, or by parts.
#[derive(Debug, Clone, Default)]
pub(crate) enum RateMatrix {
    /// Nothing is known of the system yet.
    #[default]
    Unknown,
    /// All components depend on each other.
    Whole(Jacobian),
    /// Blocks of bodies and joints.
    Parts(Box<PartsMatrix>),
}

impl RateMatrix {
    /// Makes room for the derivative of this system, unless there is some. By parts, if that halves the
    /// evaluations at least.
    pub(crate) fn choose<O: Ode>(&mut self, ode: &mut O) {
        if !matches!(self, Self::Unknown) {
            return;
        }
        let (dim, coupled) = (ode.dim(), ode.coupled());
        let structure = ode.second_order().and_then(|system| system.state_structure());
        let parts = structure.map(|structure| PartsMatrix::new(dim, structure));
        *self = match parts.filter(|parts| 2 * parts.evaluations() <= coupled) {
            Some(parts) => Self::Parts(Box::new(parts)),
            None => Self::Whole(Jacobian::new(dim)),
        };
    }

    /// Evaluations of the rate for a derivative.
    pub(crate) fn evaluations<O: Ode>(&self, ode: &O) -> usize {
        match self {
            Self::Parts(parts) => parts.evaluations(),
            Self::Unknown | Self::Whole(_) => ode.coupled(),
        }
    }

    /// Evaluates it at y with rate f; returns the number of evaluations.
    pub(crate) fn evaluate<O: Ode>(
        &mut self,
        ode: &mut O,
        time: f64,
        (y, f): (&[f64], &[f64]),
        tolerances: &Tolerances,
    ) -> Result<u64, O::Error> {
        match self {
            Self::Unknown => Ok(0),
            Self::Whole(jacobian) => jacobian.evaluate(ode, time, (y, f), tolerances),
            Self::Parts(parts) => match ode.second_order() {
                Some(system) => parts.evaluate(system, time, y, tolerances),
                None => Ok(0),
            },
        }
    }
}
