//! Rows of contact: a node, the face near it, and the forces between them.

use std::ops::Range;

use carom_contact::geometry::across;
use nalgebra::Vector3;

/// A point of a row: the gap changes by c n·dx.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::complementarity) struct Entry {
    pub(in crate::complementarity) body: usize,
    pub(in crate::complementarity) point: u32,
    pub(in crate::complementarity) c: f64,
}

/// A node near a surface.
#[derive(Debug, Clone)]
pub(in crate::complementarity) struct Row {
    /// Number of the pair among all contacts.
    pub(super) pair: usize,
    pub(super) node: u32,
    /// Face, or sheet of a shape.
    pub(super) face: u32,
    /// Gap at the start of the step \[m\].
    pub(super) gap: f64,
    pub(super) normal: Vector3<f64>,
    pub(super) place: Vector3<f64>,
    pub(super) entries: Range<usize>,
    /// Coefficient of friction.
    pub(super) friction: f64,
    /// Force on the node at the end of the step.
    pub(super) force: RowForce,
    pub(super) is_candidate: bool,
}

/// Force between a node and a face.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(in crate::complementarity) struct RowForce {
    /// Multiplier, ≥ 0 \[N\].
    pub(in crate::complementarity) lambda: f64,
    /// Friction, along the face \[N\].
    pub(in crate::complementarity) friction: Vector3<f64>,
}

impl Row {
    /// The directions of the components of the force: the normal, and with friction two tangents.
    ///
    /// * `dim` — number of components, 1 or 3
    pub(super) fn axes(&self, dim: usize) -> impl Iterator<Item = Vector3<f64>> {
        let tangents = if dim > 1 { across(&self.normal) } else { [Vector3::zeros(); 2] };
        [self.normal, tangents[0], tangents[1]].into_iter().take(dim)
    }

    /// The force on the node at the end of the step \[N\].
    pub(super) fn total(&self) -> Vector3<f64> {
        self.force.lambda * self.normal + self.force.friction
    }

    /// True if the row has a force.
    pub(in crate::complementarity) fn is_pressed(&self) -> bool {
        self.force.lambda > 0.0
    }
}
