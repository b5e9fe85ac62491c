//! Maps of all quadrature points of a batch of cells: point by point, or with strains that depend on all
//! points of a cell.

use super::MAX_FIELDS;
use super::chunk::lower;
use super::maps::{Local, PointMaps};
use super::one_point::CellAxes;
use super::point_map::PointMap;
use crate::constitutive::{LANES, Lanes, Tensor, ZERO, each, volume_change};

/// The quadrature points of a batch of cells.
pub(super) struct CellPoints<'a, const A: usize> {
    pub(super) maps: &'a [PointMaps<A>],
    /// Axes of the cells with one point; none for other cells.
    pub(super) axes: Option<&'a CellAxes>,
    /// Derivatives of each field at each point; the first receives the stresses.
    pub(super) local: &'a mut [Vec<Local<A>>; MAX_FIELDS],
    pub(super) memory: &'a mut [PointMemory],
    /// History variables, point after point.
    pub(super) old: &'a [Lanes],
    pub(super) new: &'a mut [Lanes],
    pub(super) n_history: usize,
    /// Receives the smallest det F of each cell, if it is checked.
    pub(super) least: &'a mut Lanes,
    pub(super) has_force: bool,
}

impl<const A: usize> CellPoints<'_, A> {
    /// ∂u/∂X of a field at a point.
    #[inline(always)]
    pub(super) fn gradient(&self, field: usize, point: usize) -> Tensor {
        self.maps[point].gradient(&self.local[field][point])
    }

    /// History variables of a point.
    #[inline(always)]
    pub(super) fn history(&mut self, point: usize) -> (&[Lanes], &mut [Lanes]) {
        let range = self.n_history * point..self.n_history * (point + 1);
        (&self.old[range.clone()], &mut self.new[range])
    }
}

/// Numbers at a point between two passes over the points of a cell.
#[derive(Debug, Clone, Copy)]
pub(super) struct PointMemory {
    /// Gradient of the displacement, and stress.
    pub(super) gradient: Tensor,
    pub(super) stress: Tensor,
    /// Gradient of a direction, and change of the stress.
    pub(super) d_gradient: Tensor,
    pub(super) d_stress: Tensor,
    /// Change of the volume and its derivative, scale of the gradient, mean stress and its derivative.
    pub(super) change: Lanes,
    pub(super) d_change: Lanes,
    pub(super) scale: Lanes,
    pub(super) mean: Lanes,
    pub(super) d_mean: Lanes,
}

impl PointMemory {
    pub(super) const ZERO: Self = Self {
        gradient: [ZERO; 9],
        stress: [ZERO; 9],
        d_gradient: [ZERO; 9],
        d_stress: [ZERO; 9],
        change: ZERO,
        d_change: ZERO,
        scale: ZERO,
        mean: ZERO,
        d_mean: ZERO,
    };
}

/// A map from the derivatives of N fields at the points of a batch of cells to stresses and a density.
pub(super) trait CellMap<const A: usize, const N: usize>: Sync {
    /// The field whose deformation gradient must have det F > 0, if any.
    fn checked_field(&self) -> Option<usize>;

    /// Replaces the derivatives of the first field by stresses, if there are forces, and returns the integral
    /// of the density over each cell.
    fn apply(&self, points: CellPoints<'_, A>) -> Lanes;
}

/// A map of points, applied to each of them.
pub(super) struct PointByPoint<M>(pub(super) M);

impl<const A: usize, const N: usize, M: PointMap<N>> CellMap<A, N> for PointByPoint<M> {
    fn checked_field(&self) -> Option<usize> {
        self.0.checked_field()
    }

    #[inline(always)]
    fn apply(&self, mut points: CellPoints<'_, A>) -> Lanes {
        let mut integral = ZERO;
        for point in 0..points.maps.len() {
            let gradients: [Tensor; N] = each(|field| points.gradient(field, point));
            let mut pk1 = [ZERO; 9];
            let (old, new) = points.history(point);
            let density = self.0.apply(&gradients, old, new, &mut pk1);
            if let Some(field) = self.0.checked_field() {
                lower(points.least, &volume_change(&gradients[field]));
            }
            let maps = &points.maps[point];
            for l in 0..LANES {
                integral[l] += density[l] * maps.volume[l];
            }
            if points.has_force {
                points.local[0][point] = maps.stress(&pk1);
            }
        }
        integral
    }
}
