//! Pressures of contacts on half-space grids, placed in space.

use std::collections::BTreeMap;

use carom_contact::closed_form::HertzEllipse;
use carom_contact::half_space::PressureGrid;
use carom_contact::patch::{PatchFace, PatchPlane, hertz_of_curvature};
use carom_dynamics::{GridCell, GridPressures, Pose};
use carom_format::result::StoredFrame;
use carom_vtk::{CellType, Field, Grid};
use nalgebra::{Matrix2, Matrix3, Vector3};

/// The loaded cells of a contact in a frame.
pub(crate) struct PlacedGrid<'a> {
    grid: &'a GridPressures,
    /// Of the body to which the plane is fixed.
    pose: Pose,
}

impl<'a> PlacedGrid<'a> {
    /// The grid of a pair; none if it has no pressure in this frame.
    pub(crate) fn of(frame: &'a StoredFrame, pair: usize) -> Option<Self> {
        let grid = &frame.contacts.get(pair)?.grid;
        if grid.cells.is_empty() {
            return None;
        }
        Some(Self { grid, pose: frame.bodies.get(grid.body)?.pose() })
    }

    /// Pose of that body.
    pub(crate) fn pose(&self) -> Pose {
        self.pose
    }

    /// Contact radius \[m\].
    pub(crate) fn radius(&self) -> f64 {
        self.grid.contact_radius()
    }

    /// Both tangents of the plane and the direction into the body of the plane (0) or the other one, in the
    /// axes of a body with a pose.
    pub(crate) fn axes_into(&self, k: usize, pose: &Pose) -> [[f64; 3]; 3] {
        let [t, s, n] = self.grid.axes.map(Vector3::from);
        let inwards = if k == 0 { -n } else { n };
        [t, s, inwards].map(|axis| (pose.rotation.transpose() * (self.pose.rotation * axis)).into())
    }

    /// Poisson's ratio of the body of the plane (0) or of the other one; none of a rigid body
    /// without a material.
    pub(crate) fn poisson(&self, body: usize) -> Option<f64> {
        self.grid.poisson[body]
    }

    /// The cells, with pressure and tractions on one of both bodies \[Pa\].
    pub(crate) fn loads_on(&self, body: usize) -> (PressureGrid, Vec<[f64; 3]>) {
        let plane = PatchPlane { center: Vector3::zeros(), axes: Matrix3::identity() };
        let cells = self.grid.cells.iter().map(|cell| cell.index).collect();
        let sign = if body == 0 { 1.0 } else { -1.0 };
        let load = |cell: &GridCell| [cell.pressure, sign * cell.traction[0], sign * cell.traction[1]];
        let loads = self.grid.cells.iter().map(load).collect();
        let [side, second] = self.grid.sides;
        (PressureGrid { plane, side, stretch: second / side, cells }, loads)
    }

    /// Number of the body to which the plane is fixed.
    pub(crate) fn body(&self) -> usize {
        self.grid.body
    }

    /// Mean place of the forces in coordinates of the plane \[m\].
    pub(crate) fn middle(&self) -> [f64; 2] {
        self.grid.middle()
    }

    /// Centre of the force in space \[m\].
    pub(crate) fn center(&self) -> [f64; 3] {
        self.pose.point(&self.grid.force_center_b().into()).into()
    }

    /// The cells in the plane, about the centre of the force.
    pub(crate) fn faces(&self) -> Vec<PatchFace> {
        let (sides, middle) = (self.grid.sides, self.middle());
        let face = |cell: &GridCell| {
            let [x, y] = [0, 1].map(|d| sides[d] * f64::from(cell.index[d]) - middle[d]);
            let [h, k] = sides.map(|side| 0.5 * side);
            PatchFace {
                outline: vec![[x - h, y - k], [x + h, y - k], [x + h, y + k], [x - h, y + k]],
                middle: [x, y],
                pressure: cell.pressure,
            }
        };
        self.grid.cells.iter().map(face).collect()
    }

    /// Hertz' ellipse for the curvature of the undeformed surfaces, and the angle of its first axis.
    pub(crate) fn hertz(&self, force: f64) -> Option<(HertzEllipse, f64)> {
        let [xx, xy, yy] = self.grid.curvature;
        hertz_of_curvature(Matrix2::new(xx, xy, xy, yy), self.grid.modulus, force)
    }

    /// Quadrilaterals with their pressure and traction, at the place that they have on the body in its first
    /// pose; the field `displacement` leads from there to their place in this frame. Corners lie at the mean
    /// height of the undeformed surface in the cells around them.
    pub(crate) fn quadrilaterals(&self, initial: &Pose) -> (Grid, Vec<Field>) {
        let mut corners = BTreeMap::<[i32; 2], (f64, f64)>::new();
        let around = |[i, j]: [i32; 2]| [[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]];
        for cell in &self.grid.cells {
            for corner in around(cell.index) {
                let (sum, n) = corners.entry(corner).or_default();
                (*sum, *n) = (*sum + cell.height, *n + 1.0);
            }
        }
        let (mut grid, mut displacement) = (Grid::default(), Vec::new());
        for ([i, j], (sum, n)) in &corners {
            let [x, y] = [(i, 0), (j, 1)].map(|(k, d)| self.grid.sides[d] * (f64::from(*k) - 0.5));
            let x_b = Vector3::from(self.grid.point_b([x, y, sum / n]));
            let (start, now) = (initial.point(&x_b), self.pose.point(&x_b));
            grid.points.push(start.into());
            displacement.push((now - start).into());
        }
        let numbers: BTreeMap<[i32; 2], u32> = corners.keys().copied().zip(0..).collect();
        for cell in &self.grid.cells {
            grid.push_cell(CellType::Quad, [0; 3], around(cell.index).map(|corner| numbers[&corner]));
        }
        (grid, vec![Field::tuples("displacement", &displacement).single()])
    }

    /// Fields of the cells: pressure, and with friction the traction on the body of the plane in space.
    pub(crate) fn cell_fields(&self) -> Vec<Field> {
        let pressure = self.grid.cells.iter().map(|cell| cell.pressure).collect();
        let mut fields = vec![Field::scalar("contact_pressure", pressure).single()];
        if self.grid.has_friction() {
            let axes: Matrix3<f64> = self.pose.rotation;
            let [t, s, _] = self.grid.axes.map(|axis| axes * Vector3::from(axis));
            let traction =
                |cell: &GridCell| -> [f64; 3] { (cell.traction[0] * t + cell.traction[1] * s).into() };
            let tractions: Vec<[f64; 3]> = self.grid.cells.iter().map(traction).collect();
            fields.push(Field::tuples("contact_traction", &tractions).single());
        }
        fields
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use carom_dynamics::rotation;

    /// Both bodies see the same axes in space; the third one points into each.
    #[test]
    fn the_axes_of_a_grid_point_into_both_bodies() {
        let turned = |x: f64, y: f64| Pose {
            position: Vector3::new(x, y, 1.0),
            rotation: rotation::matrix(&rotation::from_vector(&Vector3::new(x, y, 0.5))),
        };
        let (own, other) = (turned(0.3, -0.7), turned(-1.1, 0.2));
        let axes = rotation::matrix(&rotation::from_vector(&Vector3::new(0.1, 0.2, 0.3)));
        let axes = [0, 1, 2].map(|k| axes.column(k).into_owned().into());
        let pressures = GridPressures { axes, ..GridPressures::default() };
        let grid = PlacedGrid { grid: &pressures, pose: own };
        let normal = own.rotation * Vector3::from(axes[2]);
        for (k, pose, sign) in [(0, own, -1.0), (1, other, 1.0)] {
            let [t, s, inwards] = grid.axes_into(k, &pose).map(|axis| pose.rotation * Vector3::from(axis));
            assert!((inwards - sign * normal).norm() < 1e-14, "{k}: {inwards} {normal}");
            let along = [t, s].map(|axis| own.rotation.tr_mul(&axis));
            assert!((0..2).all(|d| (along[d] - Vector3::from(axes[d])).norm() < 1e-14), "{k}: {along:?}");
        }
    }
}
