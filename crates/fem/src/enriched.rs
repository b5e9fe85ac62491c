//! The same body in a richer space, for errors by the mesh.

use carom_mesh::CellBlock;
use carom_mesh::refine::subdivide;

use crate::{Body, Geometry};

/// A body in a space that contains the displacements of another one.
#[derive(Debug, Clone)]
pub struct Enriched {
    /// The body: its knot spans with a degree more, or its cells halved in each direction.
    pub body: Body,
    /// The share of the error in the square of a frequency that the richer space removes: 1 − 2⁻²ᵖ with
    /// halved cells of the order p. A degree more removes nearly all of it where the mode is smooth, and half
    /// of it where its stress is singular, as at a clamped end; 0.8 is taken.
    pub removed: f64,
}

impl Body {
    /// The body in a richer space; none of cells that cannot be divided, or of locally refined knot spans.
    ///
    /// Raised degrees keep the continuity at the knots, so that the old functions are among the new ones:
    /// 2 n + p in place of n + p along a direction of n knot spans.
    pub fn enriched(&self) -> Option<Enriched> {
        let (geometry, removed) = match &self.geometry {
            Geometry::Nurbs(patches) => (Geometry::Nurbs(patches.elevate(1).ok()?), 0.8),
            Geometry::Mesh(mesh) => {
                let order = |block: &CellBlock| block.shape.order() as i32;
                let p = mesh.blocks.iter().map(order).min()?;
                (Geometry::Mesh(subdivide(mesh, 2).ok()?), 1.0 - 0.25_f64.powi(p))
            }
        };
        Some(Enriched { body: Self { geometry, ..self.clone() }, removed })
    }
}
