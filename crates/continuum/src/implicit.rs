//! Implicit elastodynamics in large deformation: energy-momentum scheme, midpoint rule, generalised-α.
//!
//! ```text
//! M (v₁ − v₀)/h + f(u₀, u₁) = f_ext,   (u₁ − u₀)/h = (v₀ + v₁)/2,   f_i = ∫ P̄ ∂R_i/∂X dV
//! ```
//!
//! The methods differ in the average stress P̄ over a step ([`Method`]). M is the consistent mass. Each step
//! is solved by Newton's method with the exact tangent ∂f/∂u₁, which is not symmetric for the energy-momentum
//! scheme; its sparsity pattern is analysed once.
//!
//! | method | linear momentum | angular momentum | energy |
//! |---|---|---|---|
//! | energy-momentum | kept | kept | kept for elastic laws |
//! | midpoint | kept | kept | kept for the linear law alone |
//! | generalised-α | kept | of order h² | of order h², damped for ρ < 1 |
//!
//! *Kept* means up to the tolerance of Newton's method, which iterates to round-off. The linear law
//! (`small-strain`) has no angular momentum to keep, as it takes rotations for strains.
//!
//! Surfaces of the bodies touch by multipliers ([`ContactSpec`]); generalised-α takes no contact.
//!
//! # Source
//!
//! Franke, Hesch & Betsch (2012), section 2; the average stress: Simo & Tarnow (1992), Gonzalez (2000);
//! generalised-α: Chung & Hulbert (1993). docs/theory/whole-bodies.md, eqs. (80) and (81).

mod average_stress;
mod body;
mod condensed;
mod contact;
mod coupled;
mod error;
mod march;
mod matrices;
mod probed;
mod restart;
mod simulation;
mod steps;
mod system;

pub use body::{ElasticBody, Energies};
pub use contact::ContactSpec;
pub use error::{RunError, SetupError, StepError};
pub use simulation::{Settings, Simulation};
pub use steps::{Steps, StepsError};
pub use system::{Counts, Elastodynamics, Phases, Solver, Step};

/// The method of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Method {
    /// P̄ = F̄ S̄ with the discrete gradient of the stored energy: S̄·(E₁ − E₀) = ψ₁ − ψ₀.
    EnergyMomentum,
    /// P̄ = P(½ (F₀ + F₁)).
    Midpoint,
    /// Generalised-α with this spectral radius at high frequencies, from 0 to 1.
    GeneralisedAlpha(f64),
}

impl Method {
    /// True for generalised-α, which has accelerations in its state and damps.
    fn is_alpha(self) -> bool {
        matches!(self, Self::GeneralisedAlpha(_))
    }

    /// The part of a step after which its forces act.
    fn moment_of_forces(self) -> f64 {
        match self {
            Self::EnergyMomentum | Self::Midpoint => 0.5,
            Self::GeneralisedAlpha(radius) => 1.0 - Self::alpha(radius)[1],
        }
    }

    /// α_m, α_f, β and γ of generalised-α. The midpoint methods do not have them.
    fn alpha(radius: f64) -> [f64; 4] {
        let (alpha_m, alpha_f) = ((2.0 * radius - 1.0) / (radius + 1.0), radius / (radius + 1.0));
        let gamma = 0.5 + alpha_f - alpha_m;
        [alpha_m, alpha_f, 0.25 * (gamma + 0.5) * (gamma + 0.5), gamma]
    }
}
