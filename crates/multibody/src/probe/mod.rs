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
//! Displacement and position contain the response of quasistatic modes, velocity and acceleration those of
//! the dynamic modes alone.

mod sampling;

use carom_dynamics::{Axes, Marker, ProbeQuantity};

use crate::system::System;
pub(crate) use sampling::{Need, Probes};

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
    /// A joint, or a spring or bushing that belongs to no joint, by its number among the joint states.
    Joint(usize),
    /// A contact pair.
    Contact(usize),
}

/// Errors of a probe.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
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
    /// The interval is not positive.
    #[error("probe {probe}: the time between samples is {every} s; it must be positive and finite")]
    Interval {
        /// Number of the probe from 0.
        probe: usize,
        /// The interval \[s\].
        every: f64,
    },
}

impl ProbePlace {
    /// Its quantities, and its kind with an article.
    fn quantities(&self) -> (&'static [ProbeQuantity], &'static str) {
        match self {
            Self::Body(_) => (&ProbeQuantity::OF_BODIES, "a body"),
            Self::Point { .. } => (&ProbeQuantity::OF_POINTS, "a point"),
            Self::Joint(_) => (&ProbeQuantity::OF_JOINTS, "a joint"),
            Self::Contact(_) => (&ProbeQuantity::OF_CONTACTS, "a contact"),
        }
    }
}

impl Probe {
    /// Checks that a system has the place, and the place the quantities.
    ///
    /// * `probe` — its number
    fn check(&self, probe: usize, system: &System) -> Result<(), ProbeError> {
        let (kind, index, count) = match &self.place {
            ProbePlace::Body(body) | ProbePlace::Point { body, .. } => {
                ("bodies", *body, system.bodies().len())
            }
            ProbePlace::Joint(joint) => ("joints", *joint, system.n_transmitting()),
            ProbePlace::Contact(pair) => ("contact pairs", *pair, system.pairs()),
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
