//! A body of glued patches.

use std::collections::BTreeMap;

use crate::hierarchy::Hierarchy;
use crate::{Patch, Side};

/// A named part of the surface of a multipatch: sides, or the part of them near a point.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Region {
    /// Patch number and side.
    pub sides: Vec<(u32, Side)>,
    /// Only spans that touch each of the balls with these centres and radii \[m\]; none takes whole sides. A
    /// part of a part has the ball of the whole and then its own.
    pub near: Vec<([f64; 3], f64)>,
}

impl Region {
    /// Where the region is: the ball of its smallest part, the last; `None` for whole sides.
    pub fn spot(&self) -> Option<([f64; 3], f64)> {
        self.near.last().copied()
    }
}

/// Patches with the gluing of their control points.
#[derive(Debug, Clone, PartialEq)]
pub struct Multipatch {
    /// The patches, all right-handed (det J > 0): the exact map of the body.
    pub patches: Vec<Patch>,
    /// For each patch, the number of each of its control points in the glued body.
    pub point_ids: Vec<Vec<u32>>,
    /// Number of control points of the patches after gluing.
    pub n_points: usize,
    /// Named parts of the surface.
    pub regions: BTreeMap<String, Region>,
    /// Local refinement: then its points and cells are those of the body, and the patches say its shape and
    /// sides.
    pub hierarchy: Option<Hierarchy>,
}
