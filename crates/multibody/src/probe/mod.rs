//! Probes: quantities at points of bodies, of joints and of contact pairs, each at times of its own.
//!
//! A probe has a sample at the start, and then either at the end of each accepted step or at multiples of its
//! interval, from the dense output of the step. Steps do not depend on probes.
//!
//! The acceleration of a point follows from those of its body under all forces, joints included
//! (docs/theory/floating-frame.md, eq. (31)):
//!
//! ```text
//! ẍ = A (a₀ + ω̇ × c + Σ φ_k q̈_k + ω × (ω × c) + 2 ω × ċ)
//! ```
//!
//! Displacement, position and stress contain the response of quasistatic modes, velocity and acceleration
//! those of the dynamic modes alone. The stress at a place is a sum over the modes, [`PlaceStress`].

mod sampling;
mod stress;

pub use carom_dynamics::{Probe, ProbeError, ProbePlace};
pub use stress::{CellPressures, PlaceStress};

pub(crate) use sampling::{Need, Probes};
