//! Springs, dampers, stops and bushings between two ends.
//!
//! An element acts on the places of two ends: along a [`Coordinate`] u with a generalised force Q, or in all
//! six directions of the axes of its first end. Forces are derivatives of energies by the same places, so
//! that energy and momenta are kept to round-off of the integrator:
//!
//! ```text
//! force and torque on the ends   Q ∂u̇/∂(ẋ_i, ω_i, ẋ_j, ω_j)
//! spring    Q = −k (u − u₀) − F₀ − c u̇            energy ½ k (u − u₀)² + F₀ (u − u₀)     loss c u̇²
//! stop      Q = ∓[k δ (1 + β δ̇)]₊, δ > 0 beyond it  energy ½ k δ²                          loss Q_δ δ̇ − k δ δ̇ ≥ 0
//! ```
//!
//! * `law`: springs and stops of one coordinate
//! * `bushing`: six directions
//! * `apply`: elements of a system: forces, energy, losses
//! * `onset`: steps that end where a stop is reached or left
//! * `point_load`: forces and torques that are given
//!
//! # Source
//!
//! The damping of stops, in proportion to the depth, is that of Hunt & Crossley (1975), J. Appl. Mech. 42,
//! 440–445.

mod apply;
mod bushing;
mod law;
mod onset;
mod point_load;

pub(crate) use apply::ElementAction;
pub use bushing::Bushing;
pub use law::{Spring, Stops};
pub(crate) use point_load::apply_point_load;

use crate::joint::{Coordinate, JointEnd, SpecError, check_ends};
use crate::system::System;

/// What acts between two ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ForceLaw {
    /// Along a coordinate.
    Along {
        /// Which.
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

/// What is remembered of an element from step to step.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Memory {
    /// Its angle with whole turns \[rad\]; 0 for what is no angle.
    pub(crate) angle: f64,
    /// What is left to its stops, [`Stops::gaps`].
    pub(crate) gaps: [f64; 2],
}

/// The elements of a system.
#[derive(Debug, Clone, Default)]
pub(crate) struct Elements {
    pub(crate) all: Vec<ForceElement>,
    pub(crate) memory: Vec<Memory>,
    /// What was left to the stops of each element at the last evaluation of the rate.
    pub(crate) gaps: Vec<[f64; 2]>,
    /// Which stops of each element are passed, rounding apart: see `onset`.
    pub(crate) passed: Vec<[bool; 2]>,
    /// Energy of all at the last accepted state \[J\].
    pub(crate) stored: f64,
}

impl Elements {
    /// True without elements.
    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// True if one of them has stops.
    pub(crate) fn have_stops(&self) -> bool {
        self.all.iter().any(|element| matches!(element.law, ForceLaw::Along { stops: Some(_), .. }))
    }

    /// True if one of them counts turns.
    pub(crate) fn count_turns(&self) -> bool {
        self.all
            .iter()
            .any(|element| matches!(element.law, ForceLaw::Along { coordinate, .. } if coordinate.is_angle()))
    }
}

impl System {
    /// The same system with springs, dampers, stops and bushings.
    ///
    /// # Errors
    ///
    /// [`SpecError`] names the element that does not fit.
    pub fn with_forces(mut self, elements: Vec<ForceElement>) -> Result<Self, SpecError> {
        for ForceElement { name, ends, law, .. } in &elements {
            let what = if matches!(law, ForceLaw::Bushing(_)) { "bushing" } else { "spring" };
            check_ends(what, name, ends, &self.bodies)?;
        }
        let n = elements.len();
        let (memory, gaps) = (vec![Memory::default(); n], vec![[f64::INFINITY; 2]; n]);
        self.elements = Elements { all: elements, memory, gaps, passed: vec![[false; 2]; n], stored: 0.0 };
        Ok(self)
    }
}
