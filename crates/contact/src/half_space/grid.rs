//! The fine grid of pressure cells in the plane of a contact.

use std::sync::OnceLock;

use faer::Mat;
use nalgebra::{Matrix3, Vector3};

use super::cells::{rectangle_log_mean, rectangle_means};
use super::{HalfSpace, SurfaceMeans};
use crate::patch::PatchPlane;

/// Equal rectangular cells in the plane of a contact, each with constant pressure and traction; squares but
/// for slender contacts.
#[derive(Debug, Clone, PartialEq)]
pub struct PressureGrid {
    /// The plane: tangents and normal out of the first body.
    pub plane: PatchPlane,
    /// Side h of a cell \[m\]; a quarter of the contact radius gives the force at a given approach to 0.3 %.
    pub side: f64,
    /// Side along the second tangent over that along the first one, h; 1 for squares.
    pub stretch: f64,
    /// Column and row of each cell; the middle of cell (0, 0) is the centre of the plane.
    pub cells: Vec<[i32; 2]>,
}

impl PressureGrid {
    /// The grid in the axes of a body, with the normal out of it.
    ///
    /// * `rotation`, `origin` — from the axes of the body to those of the grid
    /// * `outward` — 1 if the normal of the grid leads out of the body, −1 if it leads into it
    pub fn in_axes_of(&self, rotation: &Matrix3<f64>, origin: &Vector3<f64>, outward: f64) -> Self {
        let mut axes = self.plane.axes * rotation;
        (0..3).for_each(|d| axes[(2, d)] *= outward);
        let center = rotation.transpose() * (self.plane.center - origin);
        Self { plane: PatchPlane { center, axes }, ..self.clone() }
    }

    /// The cells whose middles are within a radius of the centre of the plane, row by row.
    pub fn disc(plane: PatchPlane, side: f64, radius: f64) -> Self {
        Self::within(plane, side, radius, |_| true)
    }

    /// As [`Self::disc`], without the cells whose middles are left out.
    ///
    /// * `is_inside` — whether a middle, in coordinates of the plane \[m\], belongs to the grid
    pub fn within(plane: PatchPlane, side: f64, radius: f64, is_inside: impl Fn([f64; 2]) -> bool) -> Self {
        let n = (radius / side).ceil() as i32;
        let all = (-n..=n).flat_map(|j| (-n..=n).map(move |i| [i, j]));
        let middle = |cell: &[i32; 2]| cell.map(|k| side * f64::from(k));
        let kept = |cell: &[i32; 2]| {
            let x = middle(cell);
            x[0].hypot(x[1]) <= radius && is_inside(x)
        };
        Self { plane, side, stretch: 1.0, cells: all.filter(kept).collect() }
    }

    /// The plane of the grid, moved to the middle of each cell.
    pub fn planes(&self) -> Vec<PatchPlane> {
        let axes = self.plane.axes;
        let at = |cell: usize| {
            let [x, y] = self.middle(cell);
            let center = self.plane.center + (x * axes.row(0) + y * axes.row(1)).transpose();
            PatchPlane { center, axes }
        };
        (0..self.len()).map(at).collect()
    }

    /// Number of cells.
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// True for a grid without cells.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// Area of a cell \[m²\].
    pub fn area(&self) -> f64 {
        self.side * self.side * self.stretch
    }

    /// Sides of a cell along both tangents \[m\].
    pub fn sides(&self) -> [f64; 2] {
        [self.side, self.side * self.stretch]
    }

    /// Contact radius of forces on the cells \[m\], of an ellipse √(a b); 0 without forces.
    ///
    /// ```text
    /// ∫ p dA = ⅔ π a² p₀ ,   ∫ p² dA = ½ π a² p₀²   →   a² = 9/(8π) (∫ p dA)²/∫ p² dA
    /// ```
    pub fn contact_radius(&self, forces: &[f64]) -> f64 {
        let (sum, squares) = forces.iter().fold((0.0, 0.0), |(sum, squares), f| (sum + f, squares + f * f));
        if squares == 0.0 {
            return 0.0;
        }
        (9.0 / (8.0 * std::f64::consts::PI) * sum * sum * self.area() / squares).sqrt()
    }

    /// Middle of a cell in coordinates of the plane \[m\].
    pub fn middle(&self, cell: usize) -> [f64; 2] {
        let ([i, j], [x, y]) = (self.cells[cell].map(f64::from), self.sides());
        [x * i, y * j]
    }

    /// Mean of a function over a cell by four Gauss points, exact for cubics.
    pub fn averaged(&self, cell: usize, mut f: impl FnMut([f64; 2]) -> f64) -> f64 {
        let [x, y] = self.middle(cell);
        let [s, t] = self.sides().map(|side| side / 12f64.sqrt());
        let points = [[x - s, y - t], [x + s, y - t], [x - s, y + t], [x + s, y + t]];
        0.25 * points.map(&mut f).iter().sum::<f64>()
    }

    /// The compliance of a half-space between the cells: mean normal displacement of cell i by a unit force
    /// on cell k, symmetric \[m/N\].
    pub fn normal_compliance(&self, half_space: &HalfSpace) -> Mat<f64> {
        self.normal_compliance_by(|means| half_space.normal(means))
    }

    /// The same with tangential displacements and forces: rows 3i (inward normal), 3i + 1 and 3i + 2
    /// (tangents of the plane), symmetric \[m/N\].
    pub fn compliance(&self, half_space: &HalfSpace) -> Mat<f64> {
        self.compliance_by(|means| half_space.block(means))
    }

    /// [`Self::normal_compliance`] with the displacement that belongs to the means over an offset.
    pub(super) fn normal_compliance_by(&self, value: impl Fn(&SurfaceMeans) -> f64) -> Mat<f64> {
        let of_offset = self.of_offset(value);
        let mut compliance = Mat::zeros(self.len(), self.len());
        for k in 0..self.len() {
            for (i, value) in compliance.col_as_slice_mut(k).iter_mut().enumerate() {
                *value = *of_offset.at(self.offset(i, k));
            }
        }
        compliance
    }

    /// [`Self::compliance`] with the displacements that belong to the means over an offset.
    pub(super) fn compliance_by(&self, block: impl Fn(&SurfaceMeans) -> Matrix3<f64>) -> Mat<f64> {
        let of_offset = self.of_offset(block);
        let mut compliance = Mat::zeros(3 * self.len(), 3 * self.len());
        let mut blocks: Vec<&Matrix3<f64>> = Vec::with_capacity(self.len());
        for k in 0..self.len() {
            blocks.clear();
            blocks.extend((0..self.len()).map(|i| of_offset.at(self.offset(i, k))));
            for b in 0..3 {
                let column = compliance.col_as_slice_mut(3 * k + b).as_chunks_mut::<3>().0;
                for (rows, block) in column.iter_mut().zip(&blocks) {
                    *rows = block.column(b).into();
                }
            }
        }
        compliance
    }

    /// A value for the means over each offset of two cells.
    fn of_offset<T>(&self, value: impl Fn(&SurfaceMeans) -> T) -> OfOffset<T> {
        let means = self.means();
        OfOffset::new(self.extent(), |offset| value(&means.between(offset)))
    }

    /// ⟨ln r⟩ between the cells, r in m.
    pub fn log_means(&self) -> Mat<f64> {
        let sides = self.sides();
        let [columns, rows] = self.extent();
        let of_offset = Mat::from_fn(columns, rows, |i, j| {
            rectangle_log_mean([sides[0] * i as f64, sides[1] * j as f64], [sides; 2])
        });
        Mat::from_fn(self.len(), self.len(), |i, k| {
            let [x, y] = self.offset(i, k).map(|d| d.unsigned_abs() as usize);
            of_offset[(x, y)]
        })
    }

    /// Columns and rows from cell k to cell i.
    fn offset(&self, i: usize, k: usize) -> [i32; 2] {
        let ([x, y], [u, v]) = (self.cells[i], self.cells[k]);
        [x - u, y - v]
    }

    /// One more than the largest offset in both directions.
    fn extent(&self) -> [usize; 2] {
        [0, 1].map(|d| {
            let values = self.cells.iter().map(|cell| cell[d]);
            let (low, high) = (values.clone().min(), values.max());
            high.zip(low).map_or(1, |(high, low)| (high - low) as usize + 1)
        })
    }

    fn means(&self) -> OffsetMeans {
        let [columns, rows] = self.extent();
        let unit = unit_means();
        let at = |m: usize| {
            let [x, y] = [m % columns, m / columns];
            if self.stretch == 1.0 && x.max(y) < UNIT_EXTENT {
                unit[y * UNIT_EXTENT + x]
            } else {
                let sides = [1.0, self.stretch];
                rectangle_means([x as f64, self.stretch * y as f64], [sides; 2])
            }
        };
        OffsetMeans { columns, scale: 1.0 / self.side, means: (0..columns * rows).map(at).collect() }
    }
}

/// Columns and rows of [`unit_means`]: beyond them the means are those of the rule of moments, which costs
/// little.
const UNIT_EXTENT: usize = 13;

/// Means of two squares of side 1 over the columns and rows between them, computed once in a process: those
/// of squares of side h are 1/h of them.
fn unit_means() -> &'static [SurfaceMeans] {
    static MEANS: OnceLock<Vec<SurfaceMeans>> = OnceLock::new();
    MEANS.get_or_init(|| {
        let at = |m: usize| [m % UNIT_EXTENT, m / UNIT_EXTENT].map(|k| k as f64);
        (0..UNIT_EXTENT * UNIT_EXTENT).map(|m| rectangle_means(at(m), [[1.0; 2]; 2])).collect()
    })
}

/// Means over the offset of two cells.
struct OffsetMeans {
    columns: usize,
    /// 1/h: the means are those of cells of side 1.
    scale: f64,
    means: Vec<SurfaceMeans>,
}

impl OffsetMeans {
    /// The means change sign with the offset along an axis in which they are odd.
    fn between(&self, [x, y]: [i32; 2]) -> SurfaceMeans {
        let mut means = self.means[y.unsigned_abs() as usize * self.columns + x.unsigned_abs() as usize];
        let [sx, sy] = [x, y].map(|d| f64::from(d.signum()));
        means.second[1] *= sx * sy;
        means.first[0] *= sx;
        means.first[1] *= sy;
        means.second.iter_mut().chain(&mut means.first).for_each(|mean| *mean *= self.scale);
        means
    }
}

/// A value for each offset of two cells: there are many times more pairs of cells.
struct OfOffset<T> {
    /// One more than the largest offset in both directions.
    extent: [usize; 2],
    values: Vec<T>,
}

impl<T> OfOffset<T> {
    fn new(extent: [usize; 2], value: impl Fn([i32; 2]) -> T) -> Self {
        let [x, y] = extent.map(|n| n as i32 - 1);
        let offsets = (-y..=y).flat_map(|j| (-x..=x).map(move |i| [i, j]));
        Self { extent, values: offsets.map(value).collect() }
    }

    fn at(&self, [x, y]: [i32; 2]) -> &T {
        let [columns, rows] = self.extent;
        let (x, y) = (x + columns as i32 - 1, y + rows as i32 - 1);
        &self.values[y as usize * (2 * columns - 1) + x as usize]
    }
}

#[cfg(test)]
mod tests;
