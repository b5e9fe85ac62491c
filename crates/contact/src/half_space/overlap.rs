//! Where two bodies overlap: the plane through the deepest point, and the cells around it.

use nalgebra::{Matrix3, Vector2, Vector3};

use super::PressureGrid;
use super::footprint::tangents_of;
use super::heights::Heights;
use super::pair::{PairError, Pressed};
use crate::patch::PatchPlane;

/// Rounds in which the plane follows the deepest point.
const ROUNDS: usize = 12;

/// Cells have gaps below this part of the overlap; loaded cells reach to 0.25 of it at most.
const MARGIN: f64 = 0.35;

/// Largest ratio of the principal relative curvatures. Beyond it the contact is a line for all lengths of a
/// body, and its approach depends on the whole bodies.
pub const MOST_SLENDER: f64 = 1000.0;

/// Least distance of the values that the gap is fitted to, in lengths within which it is like a paraboloid:
/// the overlap of bodies that touch in a point is round-off.
const LEAST_STEP: f64 = 1e-3;

/// Most cells of a contact that is solved once.
const MOST_PRESSED: usize = 3000;

/// Where the bodies overlap.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Overlap {
    /// The plane through the deepest point, halfway between the surfaces; its normal leads out of the first
    /// body.
    pub plane: PatchPlane,
    /// Depth of the overlap of the undeformed bodies \[m\]; negative if they are apart.
    pub depth: f64,
    /// Principal relative curvatures of the gap, ascending \[1/m\].
    pub curvatures: [f64; 2],
    /// Second derivatives of the gap over the tangents of the plane, xx, xy, yy \[1/m\].
    pub second: [f64; 3],
    /// Largest curvature by which one of the surfaces is hollow \[1/m\]; 0 if both bulge.
    pub hollow: f64,
}

/// Rounding of a difference of four heights, relative to the coordinates of the place.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// Finds the overlap of two bodies near a place.
///
/// * `place`, `normal` — near the contact, out of the first body
/// * `size` — length within which the gap is like a paraboloid, such as a tenth of the smaller radius \[m\]
///
/// # Errors
///
/// [`PairError::NotFacing`], [`PairError::Flat`].
pub fn overlap(
    bodies: [Pressed<'_>; 2],
    place: Vector3<f64>,
    normal: Vector3<f64>,
    size: f64,
) -> Result<Overlap, PairError> {
    let mut surfaces = bodies.map(|b| Heights::new(b.shape, b.rotation, b.origin));
    let (mut center, mut n, mut step) = (place, normal, size);
    let mut found = None;
    for _ in 0..ROUNDS {
        let fit = Paraboloid::new(&mut surfaces, center, n, step)
            .ok_or(PairError::NotFacing { place: center.into() })?;
        let [low, high] = fit.curvatures;
        // Second differences of flat surfaces are those of rounding.
        let rounding = ROUNDING * center.amax().max(step) / (step * step);
        if !(low > rounding && high.is_finite() && high <= MOST_SLENDER * low) {
            return Err(PairError::Flat { curvatures: fit.curvatures });
        }
        let moved = fit.to_minimum(size);
        let tilt = (fit.normal - n).norm();
        let depth = -fit.gap;
        found = Some(Overlap {
            plane: fit.plane,
            depth,
            curvatures: fit.curvatures,
            second: fit.second,
            hollow: fit.hollow,
        });
        let is_settled = moved.norm() <= 1e-9 * size && tilt <= 1e-9;
        center = fit.plane.center + moved.x * fit.along[0] + moved.y * fit.along[1];
        n = fit.normal;
        if depth > 0.0 {
            step = (0.5 * (2.0 * depth / high).sqrt()).clamp(LEAST_STEP * size, size);
        }
        if is_settled {
            break;
        }
    }
    found.ok_or(PairError::NotFacing { place: place.into() })
}

/// The gap around a point, fitted to nine values.
struct Paraboloid {
    plane: PatchPlane,
    along: [Vector3<f64>; 2],
    gap: f64,
    gradient: [f64; 2],
    /// g,xx, g,xy, g,yy.
    second: [f64; 3],
    curvatures: [f64; 2],
    /// See [`Overlap::hollow`].
    hollow: f64,
    /// Mean normal of both surfaces, out of the first.
    normal: Vector3<f64>,
}

impl Paraboloid {
    fn new(
        surfaces: &mut [Heights<'_>; 2],
        center: Vector3<f64>,
        n: Vector3<f64>,
        step: f64,
    ) -> Option<Self> {
        let along = tangents_of(&n);
        let mut normals = [Vector3::zeros(); 2];
        let mut height = 0.0;
        let mut heights = [[[0.0; 3]; 3]; 2];
        let mut at = |i: f64, j: f64| -> Option<f64> {
            let x = center + step * (i * along[0] + j * along[1]);
            let [(low, first), (high, second)] =
                [surfaces[0].at(&x, &n, step)?, surfaces[1].at(&x, &n, step)?];
            let [column, row] = [i, j].map(|k: f64| (k + 1.0) as usize);
            (heights[0][row][column], heights[1][row][column]) = (low, high);
            if i == 0.0 && j == 0.0 {
                (normals, height) = ([first, second], 0.5 * (low + high));
            }
            // The first body looks along n, the second one against it.
            (first.dot(&n) > 0.0 && second.dot(&n) < 0.0).then_some(high - low)
        };
        let gap = at(0.0, 0.0)?;
        let [east, west, north, south] = [at(1.0, 0.0)?, at(-1.0, 0.0)?, at(0.0, 1.0)?, at(0.0, -1.0)?];
        let corners = at(1.0, 1.0)? - at(-1.0, 1.0)? - at(1.0, -1.0)? + at(-1.0, -1.0)?;
        let square = step * step;
        let second = [
            (east - 2.0 * gap + west) / square,
            corners / (4.0 * square),
            (north - 2.0 * gap + south) / square,
        ];
        let [low, high] = principal(second);
        // The first surface is hollow where its height grows away from the middle, the second where it falls.
        let hollow = [0, 1].map(|k| principal(second_differences(&heights[k], square)));
        let hollow = hollow[0][1].max(-hollow[1][0]).max(0.0);
        Some(Self {
            plane: PatchPlane {
                center: center + height * n,
                axes: Matrix3::from_rows(&[along[0].transpose(), along[1].transpose(), n.transpose()]),
            },
            along,
            gap,
            gradient: [(east - west) / (2.0 * step), (north - south) / (2.0 * step)],
            second,
            curvatures: [low, high],
            hollow,
            normal: (normals[0] - normals[1]).normalize(),
        })
    }

    /// From the middle to the minimum, not farther than `longest`.
    fn to_minimum(&self, longest: f64) -> Vector2<f64> {
        let [xx, xy, yy] = self.second;
        let det = xx * yy - xy * xy;
        let [x, y] = self.gradient;
        let step = Vector2::new(xy * y - yy * x, xy * x - xx * y) / det;
        step * (longest / step.norm()).min(1.0)
    }
}

/// Second derivatives xx, xy, yy of nine values with rows along y, at the square of their distance.
fn second_differences(f: &[[f64; 3]; 3], square: f64) -> [f64; 3] {
    let corners = f[2][2] - f[2][0] - f[0][2] + f[0][0];
    let along = |a: f64, b: f64| (a - 2.0 * f[1][1] + b) / square;
    [along(f[1][0], f[1][2]), corners / (4.0 * square), along(f[0][1], f[2][1])]
}

/// Eigenvalues of a symmetric matrix xx, xy, yy, ascending: principal curvatures of second derivatives.
pub fn principal([xx, xy, yy]: [f64; 3]) -> [f64; 2] {
    let (mean, half) = (0.5 * (xx + yy), 0.5 * (xx - yy));
    let root = half.hypot(xy);
    [mean - root, mean + root]
}

impl Overlap {
    /// The axes of the plane turned about its normal until the first one lies along a direction, and the
    /// second derivatives of the gap in them.
    pub fn along(&self, direction: &Vector3<f64>) -> (Matrix3<f64>, [f64; 3]) {
        let [x, y, n] = [0, 1, 2].map(|d| self.plane.axes.row(d).transpose());
        let first = (direction - direction.dot(&n) * n).try_normalize(0.0).unwrap_or(x);
        let (c, s) = (first.dot(&x), first.dot(&y));
        let [xx, xy, yy] = self.second;
        let turned = [
            c * c * xx + 2.0 * c * s * xy + s * s * yy,
            c * s * (yy - xx) + (c * c - s * s) * xy,
            s * s * xx - 2.0 * c * s * xy + c * c * yy,
        ];
        (Matrix3::from_rows(&[first.transpose(), n.cross(&first).transpose(), n.transpose()]), turned)
    }

    /// The direction of the larger curvature.
    pub fn steepest(&self) -> Vector3<f64> {
        let [xx, xy, yy] = self.second;
        let angle = 0.5 * (2.0 * xy).atan2(xx - yy);
        (angle.cos() * self.plane.axes.row(0) + angle.sin() * self.plane.axes.row(1)).transpose()
    }

    /// Cells with a part of the smaller contact radius √(depth/κ) as side, where the gap is below a margin.
    ///
    /// Returns the grid and the gap of each cell \[m\].
    ///
    /// # Errors
    ///
    /// [`PairError::Cells`].
    pub fn grid(&self, bodies: [Pressed<'_>; 2], parts: f64) -> Result<(PressureGrid, Vec<f64>), PairError> {
        let [low, high] = self.curvatures;
        let side = (self.depth / high).sqrt() / parts;
        let reach = 1.1 * (2.0 * (1.0 + MARGIN) * self.depth / low).sqrt();
        let found = (std::f64::consts::PI * 2.0 * self.depth / (low * high).sqrt() / (side * side)) as usize;
        if found > MOST_PRESSED {
            return Err(PairError::Cells { found, most: MOST_PRESSED });
        }
        let whole = PressureGrid::disc(self.plane, side, reach);
        let mut surfaces = bodies.map(|b| Heights::new(b.shape, b.rotation, b.origin));
        let n = self.plane.axes.row(2).transpose();
        let (first, second) = (self.plane.axes.row(0).transpose(), self.plane.axes.row(1).transpose());
        let mut gap = |x: [f64; 2]| {
            let x = self.plane.center + x[0] * first + x[1] * second;
            let [low, high] = [surfaces[0].at(&x, &n, side), surfaces[1].at(&x, &n, side)];
            low.zip(high).map_or(f64::INFINITY, |(low, high)| high.0 - low.0)
        };
        let gaps: Vec<f64> = (0..whole.len()).map(|cell| whole.averaged(cell, &mut gap)).collect();
        let kept = |cell: &usize| gaps[*cell] < MARGIN * self.depth;
        let cells = (0..whole.len()).filter(kept).map(|cell| whole.cells[cell]).collect();
        let gaps = (0..whole.len()).filter(kept).map(|cell| gaps[cell]).collect();
        Ok((PressureGrid { cells, ..whole }, gaps))
    }
}
