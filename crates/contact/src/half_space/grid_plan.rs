//! Where the grid of a contact lies: plain numbers, all that a run has to remember of it.

use nalgebra::{Matrix3, Vector3};

use crate::patch::PatchPlane;

/// Most cells of a grid: its matrix has their square.
pub(super) const MOST_ON_GRID: usize = 1500;

/// Where a grid lies: plain numbers that determine a [`super::FixedGrid`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GridPlan {
    /// The plane that touches the first body in the middle of a cell of the base row, in its axes, the normal
    /// out of it.
    pub plane: PatchPlane,
    /// Side of a cell along the first tangent \[m\].
    pub side: f64,
    /// Side along the second tangent over that along the first one; 1 but for slender contacts.
    pub stretch: f64,
    /// Second derivatives of the gap over the plane, xx, xy, yy \[1/m\].
    pub curvature: [f64; 3],
    /// Second derivatives of the bowl that outlines the grid; those of the gap but for slender contacts
    /// \[1/m\].
    pub outline: [f64; 3],
    /// Cells lie where this bowl is below this height \[m\].
    pub height: f64,
    /// Cell in the middle of the grid: its column, which is that of the cell in the plane, and its row from
    /// the base row.
    pub middle: [i32; 2],
    /// Rotation and origin of the second body in the axes of the first one, at which its weights are taken.
    pub partner: (Matrix3<f64>, Vector3<f64>),
    /// Curvature by which one of the surfaces is hollow \[1/m\]; 0 if both bulge.
    pub hollow: f64,
    /// Way of the middle of the grid over the first body since its lattice was laid \[m\].
    pub way: f64,
}

impl GridPlan {
    /// Numbers in [`GridPlan::to_array`].
    pub const NUMBERS: usize = 37;

    /// All numbers in one array.
    pub fn to_array(&self) -> [f64; Self::NUMBERS] {
        let mut array = [0.0; Self::NUMBERS];
        let numbers = self.plane.center.iter().chain(self.plane.axes.iter()).copied();
        let [i, j] = self.middle.map(f64::from);
        let own = [self.side, self.curvature[0], self.curvature[1], self.curvature[2], self.height, i, j];
        let partner = self.partner.0.iter().chain(self.partner.1.iter()).copied();
        array.iter_mut().zip(numbers.chain(own).chain(partner)).for_each(|(a, x)| *a = x);
        let [xx, xy, yy] = self.outline;
        array[31..].copy_from_slice(&[self.hollow, self.stretch, xx, xy, yy, self.way]);
        array
    }

    /// The inverse of [`GridPlan::to_array`].
    pub fn from_array(array: &[f64; Self::NUMBERS]) -> Self {
        Self {
            plane: PatchPlane {
                center: Vector3::from_column_slice(&array[..3]),
                axes: Matrix3::from_column_slice(&array[3..12]),
            },
            side: array[12],
            curvature: [array[13], array[14], array[15]],
            height: array[16],
            middle: [array[17] as i32, array[18] as i32],
            partner: (Matrix3::from_column_slice(&array[19..28]), Vector3::from_column_slice(&array[28..31])),
            hollow: array[31],
            stretch: array[32],
            outline: [array[33], array[34], array[35]],
            way: array[36],
        }
    }

    /// The cells of the grid, row by row; (0, 0) is the cell in the plane.
    pub(super) fn cells(&self) -> Vec<[i32; 2]> {
        let [xx, xy, yy] = self.outline;
        let [side, other_side] = [self.side, self.side * self.stretch];
        // Along x the paraboloid is lowest at y = −(xy/yy) x.
        let reach = |own: f64, other: f64, side: f64| {
            let least = own - xy * xy / other;
            ((2.0 * self.height / least).sqrt() / side).ceil() as i32
        };
        let (n, m) = (reach(xx, yy, side), reach(yy, xx, other_side));
        let is_inside = |[i, j]: &[i32; 2]| {
            let (x, y) = (side * f64::from(*i), other_side * f64::from(*j));
            0.5 * (xx * x * x + yy * y * y) + xy * x * y <= self.height
        };
        let all = (-m..=m).flat_map(|j| (-n..=n).map(move |i| [i, j]));
        let moved = |[i, j]: [i32; 2]| [i, j + self.middle[1]];
        all.filter(is_inside).map(moved).collect()
    }

    /// A cell from the plane, as it is called on the whole lattice.
    pub(super) fn on_lattice(&self, [i, j]: [i32; 2]) -> [i32; 2] {
        [i + self.middle[0], j]
    }

    /// The inverse of [`Self::on_lattice`].
    pub(super) fn local(&self, [i, j]: [i32; 2]) -> [i32; 2] {
        [i - self.middle[0], j]
    }

    /// Number of cells by the area of the ellipse.
    pub(super) fn n_cells(&self) -> f64 {
        let [xx, xy, yy] = self.outline;
        let area = 2.0 * std::f64::consts::PI * self.height / (xx * yy - xy * xy).sqrt();
        area / (self.side * self.side * self.stretch)
    }
}
