//! Functions of all kinds of cells, for a batch of cells at a time.

use super::maps::{Local, PointMaps};
use super::one_point::CellAxes;
use crate::constitutive::{LANES, Lanes};

/// Value and slope of a function of one direction in each lane.
pub(super) type Line = [Lanes; 2];

/// Functions and quadrature points of a cell in each direction.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sizes {
    pub(super) n: [usize; 3],
    pub(super) q: [usize; 3],
}

/// Memory for sums direction by direction.
#[derive(Debug, Clone, Default)]
pub(super) struct Stages {
    /// Functions of the batch in each direction: Gauss point after Gauss point.
    pub(super) lines: [Vec<Line>; 3],
    /// Value and slope in ξ.
    pub(super) after_x: Vec<[[Lanes; 3]; 2]>,
    /// Value, slope in ξ and slope in η.
    pub(super) after_y: Vec<[[Lanes; 3]; 3]>,
}

/// The map of the cells at a batch of points, with det J.
pub(super) struct Mapped<const A: usize> {
    pub(super) maps: PointMaps<A>,
    pub(super) det: Lanes,
}

/// The functions of cells of one kind, for a batch of cells at a time.
pub(super) trait Shape<const A: usize>: Sync {
    /// Points of a cell.
    fn n_nodes(&self) -> usize;
    /// Quadrature points of a cell.
    fn n_points(&self) -> usize;
    /// Parameters of a quadrature point.
    fn xi(&self, point: usize) -> [f64; 3];
    /// Memory for a batch.
    fn stages(&self) -> Stages;
    /// The sizes of each direction, if the tangent is summed direction by direction.
    fn sizes(&self) -> Option<Sizes> {
        None
    }
    /// Selects the cells of the batch for the following calls.
    fn enter(&self, cells: &[u32; LANES], stages: &mut Stages);
    /// Derivatives at all points of fields given at the points of the cells, times their weights.
    fn gradients(&self, nodal: &[[Lanes; 3]], local: &mut [Local<A>], stages: &mut Stages);
    /// Forces without the weights, from stresses at all points: the transpose of `gradients`.
    fn forces(&self, local: &[Local<A>], nodal: &mut [[Lanes; 3]], stages: &mut Stages);
    /// ∂R_i/∂X of all functions at a point, without the weights.
    fn functions(&self, point: usize, maps: &PointMaps<A>, stages: &Stages, out: &mut [[Lanes; 3]]);
    /// The axes of a batch of cells with one point, from the derivatives of the coordinates; none for others.
    fn axes(&self, _coordinates: &Local<A>) -> Option<CellAxes> {
        None
    }
    /// The map at a point from the derivatives of the coordinates and of the constant 1.
    fn map(&self, point: usize, coordinates: &Local<A>, ones: &Local<A>) -> Mapped<A>;
}
