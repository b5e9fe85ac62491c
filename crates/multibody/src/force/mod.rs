//! Springs, dampers, stops and bushings between two ends.
//!
//! An element acts on the places of two ends: along a [`Coordinate`] u with a generalised force Q, or in all
//! six directions of the axes of its first end. Forces are derivatives of energies by the same places, so
//! that energy and momenta are kept to round-off of the integrator:
//!
//! ```text
//! force and torque on the ends   Q ∂u̇/∂(ẋ_i, ω_i, ẋ_j, ω_j)
//! spring   Q = −k (u − u₀) − F₀ − c u̇         energy ½ k (u − u₀)² + F₀ (u − u₀)   loss c u̇²
//! stop     Q = ∓[k δ (1 + β δ̇)]₊, δ > 0 beyond it   energy ½ k δ²   loss Q_δ δ̇ − k δ δ̇ ≥ 0
//! ```
//!
//! * `law`: springs and stops of one coordinate
//! * `bushing`: six directions
//! * `apply`: elements of a system: forces, energy, losses
//! * `onset`: stops that are reached or left within a step
//! * `restart`: the memory of the elements in checkpoints
//! * `loads`: gravity, forces and torques that are given
//!
//! # Source
//!
//! The damping of stops, in proportion to the depth, is that of Hunt & Crossley (1975), J. Appl. Mech. 42,
//! 440–445.

mod apply;
mod bushing;
mod law;
mod loads;
mod onset;
mod restart;

pub(crate) use apply::ElementAction;
pub use bushing::Bushing;
pub use law::{Spring, Stops};
pub(crate) use loads::{check_loads, for_loads_on, set_loads};
pub(crate) use onset::Stop;

use crate::body::Body;
use crate::joint::{Coordinate, JointEnd, SpecError, check_ends};

/// The force law between two ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ForceLaw {
    /// Along a coordinate.
    Along {
        /// The coordinate.
        coordinate: Coordinate,
        /// Spring and damper; [`Spring::NONE`] for stops alone.
        spring: Spring,
        /// Limits of the coordinate.
        stops: Option<Stops>,
    },
    /// In all directions.
    Bushing(Bushing),
}

/// A spring, damper, stop or bushing.
#[derive(Debug, Clone, PartialEq)]
pub struct ForceElement {
    /// Name, as shown to the user.
    pub name: String,
    /// Its ends.
    pub ends: [JointEnd; 2],
    /// How it acts.
    pub law: ForceLaw,
    /// Index of the joint whose coordinate it acts on; none for a spring or bushing of its own.
    pub joint: Option<usize>,
}

/// Memory of an element from step to step.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Memory {
    /// Its angle with whole turns \[rad\]; 0 for lengths.
    pub(crate) angle: f64,
    /// Distances from its stops, [`Stops::gaps`].
    pub(crate) gaps: [f64; 2],
}

/// The force elements of a system with their memory.
#[derive(Debug, Clone, Default)]
pub(crate) struct ForceElements {
    all: Vec<ForceElement>,
    memory: Vec<Memory>,
    /// Distances from the stops of each element at the last evaluation of the rate.
    gaps: Vec<[f64; 2]>,
    /// True for the stops of each element that are passed, rounding excluded: see `onset`.
    passed: Vec<[bool; 2]>,
    /// Energy of all at the last accepted state \[J\].
    stored: f64,
}

impl ForceElements {
    /// Elements between bodies, at no state yet.
    ///
    /// # Errors
    ///
    /// [`SpecError`] names the element that does not fit.
    pub(crate) fn new(all: Vec<ForceElement>, bodies: &[Body]) -> Result<Self, SpecError> {
        for ForceElement { name, ends, law, .. } in &all {
            let what = if matches!(law, ForceLaw::Bushing(_)) { "bushing" } else { "spring" };
            check_ends(what, name, ends, bodies)?;
        }
        let n = all.len();
        let (memory, gaps) = (vec![Memory::default(); n], vec![[f64::INFINITY; 2]; n]);
        Ok(Self { all, memory, gaps, passed: vec![[false; 2]; n], stored: 0.0 })
    }

    /// True without elements.
    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The ends of all elements.
    pub(crate) fn ends(&self) -> impl Iterator<Item = &JointEnd> {
        self.all.iter().flat_map(|element| &element.ends)
    }

    /// Number of the springs and bushings that belong to no joint.
    pub(crate) fn n_of_no_joint(&self) -> usize {
        self.all.iter().filter(|element| element.joint.is_none()).count()
    }

    /// Energy of all elements at the last accepted state \[J\].
    pub(crate) fn stored_energy(&self) -> f64 {
        self.stored
    }
}
