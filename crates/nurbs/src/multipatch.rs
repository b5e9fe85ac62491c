//! A body of glued patches.

use std::collections::BTreeMap;

use crate::hierarchy::{Cells, Hierarchy};
use crate::topology::{Interface, Topology};
use crate::{Gluing, Patch, Side};

/// A named part of the surface of a multipatch: sides, or the part of them near a point.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Region {
    /// Patch number and side.
    pub sides: Vec<(u32, Side)>,
    /// Only knot spans that touch each of the balls with these centres and radii \[m\]; empty for whole
    /// sides. A part of a part has the ball of the whole and its own.
    pub near: Vec<([f64; 3], f64)>,
}

impl Region {
    /// The ball of the smallest part, the last one; `None` for whole sides.
    pub fn spot(&self) -> Option<([f64; 3], f64)> {
        self.near.last().copied()
    }
}

/// A glued body: the map of its patches, the numbers of their control points, named parts of its surface and
/// a local refinement.
///
/// Each part has its own interface and is independent of the others: [`Patch`] is the map, [`Gluing`] has
/// the equal points, sides and edges, [`Region`] named sides, [`Hierarchy`] the refined cells.
#[derive(Debug, Clone, PartialEq)]
pub struct Multipatch {
    /// The patches, all right-handed (det J > 0): the exact map of the body.
    pub patches: Vec<Patch>,
    /// The numbers of the control points of the patches.
    pub gluing: Gluing,
    /// Named parts of the surface.
    pub regions: BTreeMap<String, Region>,
    /// Local refinement. It has the points and cells of the body; the patches keep the shape and the sides.
    pub hierarchy: Option<Hierarchy>,
}

impl Multipatch {
    /// Number of control points of the patches after gluing.
    pub fn n_points(&self) -> usize {
        self.gluing.n_points()
    }

    /// For each patch, the number of each of its control points in the glued body.
    pub fn point_ids(&self) -> &[Vec<u32>] {
        self.gluing.ids()
    }

    /// The glued pairs of sides.
    pub fn interfaces(&self) -> Vec<Interface> {
        self.gluing.interfaces()
    }

    /// The sides that make up the surface of the body, ascending; collapsed sides are not among them.
    pub fn outer_sides(&self) -> Vec<(u32, Side)> {
        self.gluing.outer_sides()
    }

    /// Numbers of all control points of a side of the patches, ascending.
    pub fn side_ids(&self, side: (u32, Side)) -> Vec<u32> {
        self.gluing.side_ids(side)
    }

    pub(crate) fn topology(&self) -> Topology {
        self.gluing.topology()
    }

    /// The cells of the body.
    pub(crate) fn cells(&self) -> Cells<'_> {
        Cells::new(&self.patches, self.hierarchy.as_ref())
    }
}
