//! The compliance of a contact region of a body under pressure, mode by mode. A user chooses the mode split
//! by it.
//!
//! A pressure on the cells of a region, λ_s ≥ 0 \[N\] along the inward normal, moves them inwards by w_s,
//! averaged over each cell with the weights of the contact model. With the rows B of these averages and the
//! modes Φ at the points of the region,
//!
//! ```text
//! w = W λ,    W = B Φ Ω⁻² Φᵀ Bᵀ = Σ_k b_k b_kᵀ / ω_k²,    d(λ) = λᵀ W λ / (Σ λ)²
//! ```
//!
//! d is the mean indentation by a unit force, weighted by the pressure: the compliance under this pressure.

pub mod impact;
pub mod loads;
pub mod split;

use std::f64::consts::PI;

use carom_fem::Surface;
use carom_fem::surface::SurfaceError;
use faer::{Mat, MatRef};
use nalgebra::Vector3;

use crate::geometry::{Faces, Start};
use crate::pressure::PressureCells;

/// Mean of 1/r over all pairs of points of a unit square, over π: the compliance of a half-space under a
/// uniform pressure on a square of side h is this times (1 − ν²)/(E h), in the mean over the square.
///
/// ```text
/// (4/3 (1 − √2) + 4 ln(1 + √2)) / π
/// ```
const SQUARE: f64 = 0.946_402_008_818_677_1;

/// A contact region in its reference position.
#[derive(Debug, Clone)]
pub struct Region {
    /// Its pressure cells.
    pub cells: PressureCells,
    /// Middle of each cell, in the frame of the positions \[m\].
    pub centers: Vec<Vector3<f64>>,
    /// Outward unit normal of each cell.
    pub normals: Vec<Vector3<f64>>,
    faces: Faces,
    reference: Vec<Vector3<f64>>,
}

impl Region {
    /// A region of faces.
    ///
    /// * `positions` — reference positions of the points of the surface \[m\]
    ///
    /// # Errors
    ///
    /// [`SurfaceError`] if a face cannot be evaluated.
    pub fn new(surface: Surface, positions: &[[f64; 3]]) -> Result<Self, SurfaceError> {
        let reference: Vec<Vector3<f64>> = positions.iter().map(|&x| Vector3::from(x)).collect();
        let faces = Faces::new(surface, &reference)?;
        let cells = PressureCells::new(&faces, &reference);
        let centers = (0..cells.len()).map(|s| cells.center(s, |k| reference[k as usize])).collect();
        let normal = |s| cells.normal(s, &reference).try_normalize(0.0).unwrap_or_else(Vector3::zeros);
        let normals = (0..cells.len()).map(normal).collect();
        Ok(Self { centers, normals, cells, faces, reference })
    }

    /// Number of cells.
    pub fn n_cells(&self) -> usize {
        self.cells.len()
    }

    /// The cell nearest to a place.
    ///
    /// `None` for a region without cells that have an area.
    pub fn nearest(&self, place: &Vector3<f64>) -> Option<usize> {
        let distance = |s: &usize| (self.centers[*s] - place).norm_squared();
        (0..self.n_cells())
            .filter(|&s| self.cells.area[s] > 0.0)
            .min_by(|a, b| distance(a).total_cmp(&distance(b)))
    }

    /// The cell in the middle: nearest to the centroid of the region's area.
    pub fn middle(&self) -> Option<usize> {
        let total: f64 = self.cells.area.iter().sum();
        let centroid: Vector3<f64> =
            self.centers.iter().zip(&self.cells.area).map(|(x, a)| x * (*a / total)).sum();
        self.nearest(&centroid)
    }

    /// Side of a square of the area of a cell \[m\].
    pub fn cell_size(&self, cell: usize) -> f64 {
        self.cells.area[cell].sqrt()
    }

    /// Distance from the middle of a cell to the nearest rim of the region \[m\]; of a closed surface a
    /// quarter of the radius of a disc of its area.
    pub fn reach(&self, cell: usize) -> f64 {
        let mut now = self.faces.state_at(&self.reference);
        let mut least = f64::INFINITY;
        for face in 0..self.faces.n_faces() as u32 {
            let domain = self.faces.domain(face);
            for edge in (0..domain.n_corners()).filter(|&k| self.faces.topology.is_rim(face, k as u8)) {
                for part in [0.0, 0.25, 0.5, 0.75, 1.0] {
                    let x = self.faces.position(&mut now, face, domain.on_edge(edge, part));
                    least = least.min((x - self.centers[cell]).norm());
                }
            }
        }
        if least.is_finite() { least } else { 0.25 * (self.cells.area.iter().sum::<f64>() / PI).sqrt() }
    }

    /// Principal curvatures of the surface at a cell, ascending, positive where it bulges: 1/R twice for a
    /// ball \[1/m\].
    pub fn convex_curvatures(&self, cell: usize) -> [f64; 2] {
        let mut now = self.faces.state_at(&self.reference);
        let Some(foot) = self.faces.closest(&mut now, &self.centers[cell]) else { return [0.0; 2] };
        // A foot on an edge has the curvature of one of its faces; the middle of the face has it without
        // doubt.
        let xi = self.faces.domain(foot.face).center();
        let x = self.faces.position(&mut now, foot.face, xi);
        let foot = self.faces.project(&mut now, &x, Start { face: foot.face, xi });
        foot.principal_curvatures().map_or([0.0; 2], |[low, high]| [-high, -low])
    }

    /// Forces on the points of the surface by forces λ on the cells, along their inward normals: Bᵀ λ \[N\].
    ///
    /// # Panics
    ///
    /// If there are fewer forces than cells.
    pub fn point_forces(&self, cell_forces: &[f64]) -> Vec<[f64; 3]> {
        let mut force = vec![[0.0; 3]; self.reference.len()];
        for (s, &lambda) in cell_forces.iter().enumerate().filter(|(_, l)| **l != 0.0) {
            for (&k, mean) in self.cells.points(s).iter().zip(self.cells.means(s)) {
                (0..3).for_each(|d| force[k as usize][d] -= lambda * mean * self.normals[s][d]);
            }
        }
        force
    }

    /// Inward displacement of each cell, the average over it \[m\]: B u.
    ///
    /// * `displacement` — u of the points of the surface \[m\]
    pub fn indentation(&self, displacement: &[[f64; 3]]) -> Vec<f64> {
        let of_cell = |s: usize| -> f64 {
            let u: Vector3<f64> = (self.cells.points(s).iter().zip(self.cells.means(s)))
                .map(|(&k, mean)| Vector3::from(displacement[k as usize]) * *mean)
                .sum();
            -u.dot(&self.normals[s])
        };
        (0..self.n_cells()).map(of_cell).collect()
    }

    /// Unit force on one cell.
    pub fn point_load(&self, cell: usize) -> Vec<f64> {
        (0..self.n_cells()).map(|s| if s == cell { 1.0 } else { 0.0 }).collect()
    }

    /// Forces of Hertz' pressure p₀ √(1 − r²/a²) about the middle of a cell, integrated over each cell; their
    /// sum is 1.
    ///
    /// r is the distance in space. `None` if the radius is so small that no integration point lies within it.
    pub fn hertz_load(&self, cell: usize, radius: f64) -> Option<Vec<f64>> {
        let center = self.centers[cell];
        let of_cell = |s: usize| -> f64 {
            let points = self.cells.points(s);
            let mean: f64 =
                (self.cells.weights(s).iter().zip(self.cells.values(s).chunks_exact(points.len())))
                    .map(|(w, r)| {
                        let x: Vector3<f64> =
                            points.iter().zip(r).map(|(&k, r)| self.reference[k as usize] * *r).sum();
                        w * (1.0 - (x - center).norm_squared() / radius.powi(2)).max(0.0).sqrt()
                    })
                    .sum();
            mean * self.cells.area[s]
        };
        let forces: Vec<f64> = (0..self.n_cells()).map(of_cell).collect();
        let total: f64 = forces.iter().sum();
        (total > 0.0).then(|| forces.into_iter().map(|f| f / total).collect())
    }
}

/// The modes of a body restricted to a region.
#[derive(Debug, Clone)]
pub struct ModalCompliance {
    /// b_k: inward displacement of each cell by mode k, cells × modes \[1/√kg\].
    pub modal: Mat<f64>,
    /// Circular frequencies, ascending \[rad/s\].
    pub omega: Vec<f64>,
}

impl ModalCompliance {
    /// The modes at the cells of a region.
    ///
    /// * `modes` — values at the points of the region's surface, 3 points × modes, mass-normalised \[1/√kg\]
    /// * `omega` — circular frequencies, positive \[rad/s\]
    pub fn new(region: &Region, modes: MatRef<'_, f64>, omega: &[f64]) -> Self {
        let mut modal = Mat::zeros(region.n_cells(), omega.len());
        for k in 0..omega.len() {
            let u: Vec<[f64; 3]> =
                (0..modes.nrows() / 3).map(|i| [0, 1, 2].map(|a| modes[(3 * i + a, k)])).collect();
            for (s, w) in region.indentation(&u).into_iter().enumerate() {
                modal[(s, k)] = w;
            }
        }
        Self { modal, omega: omega.to_vec() }
    }

    /// W of some modes, cells × cells, symmetric and positive semi-definite \[m/N\].
    pub fn matrix(&self, modes: std::ops::Range<usize>) -> Mat<f64> {
        let scaled = Mat::from_fn(self.modal.nrows(), modes.len(), |s, k| {
            self.modal[(s, modes.start + k)] / self.omega[modes.start + k]
        });
        let w = &scaled * scaled.transpose();
        Mat::from_fn(w.nrows(), w.nrows(), |i, j| w[(i.max(j), i.min(j))])
    }

    /// Smallest eigenvalue of W of all modes over the largest, its diagonal scaled to 1; none if a pressure
    /// cell does not move in any mode, or if the eigenvalues do not converge.
    pub fn smallest_eigenvalue(&self) -> Option<f64> {
        let w = self.matrix(0..self.omega.len());
        let scale: Vec<f64> = (0..w.nrows()).map(|i| w[(i, i)].sqrt()).collect();
        if scale.iter().any(|&s| s <= 0.0) {
            return None;
        }
        let scaled = Mat::from_fn(w.nrows(), w.nrows(), |i, j| w[(i, j)] / (scale[i] * scale[j]));
        let pairs = carom_linalg::dense::symmetric_pairs(scaled.as_ref()).ok()?;
        Some(pairs.lambda.first()? / pairs.lambda.last()?)
    }

    /// Share of each mode in the compliance under a pressure: (b_kᵀ λ)²/ω_k² of forces with the sum 1
    /// \[m/N\].
    pub fn parts(&self, cell_forces: &[f64]) -> Vec<f64> {
        (0..self.omega.len())
            .map(|k| {
                let b: f64 = self.modal.col(k).iter().zip(cell_forces).map(|(b, f)| b * f).sum();
                (b / self.omega[k]).powi(2)
            })
            .collect()
    }
}

/// Relative error of a mode of frequency f that answers a pulse of duration T without inertia, 1/(2 f T)²:
/// the first dynamic correction of a half-sine (docs/theory/reduction.md, eq. (13)).
pub fn static_mode_error(frequency: f64, duration: f64) -> f64 {
    (2.0 * frequency * duration).powi(-2)
}

/// The frequency from which on static modes have at most this error \[Hz\], the inverse of
/// [`static_mode_error`].
pub fn split_for_error(error: f64, duration: f64) -> f64 {
    0.5 / (error.sqrt() * duration)
}

/// Compliance of a half-space under Hertz' pressure over a circle, in the mean weighted by the pressure
/// \[m/N\].
///
/// ```text
/// ∫ p u dA / F² = 3 (1 − ν²) / (5 E a),    u = π p₀ (2a² − r²)(1 − ν²) / (4 E a)
/// ```
///
/// * `modulus` — E/(1 − ν²) \[Pa\]
pub fn half_space_under_hertz(modulus: f64, radius: f64) -> f64 {
    0.6 / (modulus * radius)
}

/// Compliance of a half-space under a uniform pressure on a square, in the mean over it \[m/N\].
///
/// * `modulus` — E/(1 − ν²) \[Pa\]
/// * `side` — h \[m\]
pub fn half_space_under_square(modulus: f64, side: f64) -> f64 {
    SQUARE / (modulus * side)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_surfaces::{ball, plate};
    use carom_mesh::FaceShape;

    fn flat(n: usize) -> Region {
        let (surface, positions) = plate(FaceShape::Quad9, n, n, |x, y| [x, y, 0.0]);
        let positions: Vec<[f64; 3]> = positions.iter().map(|&x| x.into()).collect();
        Region::new(surface, &positions).unwrap()
    }

    #[test]
    fn the_middle_of_a_plate_is_half_its_width_from_the_rim() {
        let region = flat(5);
        let middle = region.middle().unwrap();
        assert!((region.centers[middle] - Vector3::new(0.5, 0.5, 0.0)).norm() < 1e-12);
        assert!((region.reach(middle) - 0.5).abs() < 1e-12 && (region.cell_size(middle) - 0.2).abs() < 1e-12);
        assert_eq!(region.convex_curvatures(middle), [0.0; 2]);
    }

    #[test]
    fn forces_on_points_carry_the_forces_on_cells_and_do_the_same_work() {
        let region = flat(4);
        let lambda = region.hertz_load(region.middle().unwrap(), 0.4).unwrap();
        assert!((lambda.iter().sum::<f64>() - 1.0).abs() < 1e-14);
        let force = region.point_forces(&lambda);
        let sum: [f64; 3] = [0, 1, 2].map(|a| force.iter().map(|f| f[a]).sum());
        // Pressure pushes into the body, which lies below.
        let along = region.normals[0] * -1.0;
        assert!((Vector3::from(sum) - along).norm() < 1e-13, "{sum:?}");
        let u: Vec<[f64; 3]> = (0..force.len()).map(|k| [0.3, -0.1, (k as f64 * 0.7).sin()]).collect();
        let work: f64 = force.iter().zip(&u).map(|(f, u)| (0..3).map(|a| f[a] * u[a]).sum::<f64>()).sum();
        let same: f64 = lambda.iter().zip(region.indentation(&u)).map(|(l, w)| l * w).sum();
        assert!((work - same).abs() < 1e-14);
    }

    #[test]
    fn the_curvatures_of_a_ball_are_those_of_its_radius() {
        let (surface, positions) = ball(0.015, 4);
        let positions: Vec<[f64; 3]> = positions.iter().map(|&x| x.into()).collect();
        let region = Region::new(surface, &positions).unwrap();
        for cell in [0, 17, 40] {
            let found = region.convex_curvatures(cell);
            assert!(found.iter().all(|k| (k * 0.015 - 1.0).abs() < 1e-7), "{found:?}");
        }
    }

    /// Mean flexibility of the half-space over the cells of a plate by their exact closed forms, summed as in
    /// the compliance W: both closed forms of this module follow from Boussinesq's 1/(π E* r).
    #[test]
    fn closed_forms_agree_with_quadrature_over_the_half_space() {
        // ∫∫ dA dA'/r over a unit square from the middles of n² squares, each against itself in closed form;
        // its error is of order 1/n.
        let mean = |n: i32| {
            let h = 1.0 / f64::from(n);
            let mut sum = 0.0;
            for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
                // The number of pairs of squares with this offset.
                let both = |i: i32| if i > 0 { 2.0 } else { 1.0 };
                let count = f64::from((n - i) * (n - j)) * both(i) * both(j);
                let r = f64::from(i).hypot(f64::from(j)) * h;
                sum += count * h.powi(4) * if i + j == 0 { SQUARE * PI / h } else { 1.0 / r };
            }
            sum / PI
        };
        let extrapolated = 2.0 * mean(120) - mean(60);
        assert!((extrapolated / SQUARE - 1.0).abs() < 1e-3, "{extrapolated}");
        // Hertz: F = 2/3 π a² p₀, and ∫ p u dA with u = π p₀ (2a² − r²)/(4 E* a), by the midpoint rule in r.
        let (a, modulus, n) = (0.7, 3.0, 20_000);
        let (mut force, mut work) = (0.0, 0.0);
        for k in 0..n {
            let r = a * (f64::from(k) + 0.5) / f64::from(n);
            let p = (1.0 - (r / a).powi(2)).sqrt();
            let da = 2.0 * PI * r * a / f64::from(n);
            force += p * da;
            work += p * da * PI * (2.0 * a * a - r * r) / (4.0 * modulus * a);
        }
        let expected = half_space_under_hertz(modulus, a);
        assert!((work / force.powi(2) / expected - 1.0).abs() < 1e-6);
    }

    #[test]
    fn the_smallest_eigenvalue_of_two_correlated_cells_is_known() {
        // W = [[1, c], [c, 1]] after scaling has the eigenvalues 1 ± c.
        let c = 0.6_f64;
        let rows = [[2.0, 0.0], [3.0 * c, 3.0 * (1.0 - c * c).sqrt()]];
        let modal = Mat::from_fn(2, 2, |i, k| rows[i][k]);
        let found = ModalCompliance { modal, omega: vec![1.0; 2] }.smallest_eigenvalue().unwrap();
        assert!((found - (1.0 - c) / (1.0 + c)).abs() < 1e-14, "{found}");
    }

    #[test]
    fn the_error_of_a_static_mode_follows_the_theory() {
        assert!((static_mode_error(5.0e4, 1e-4) - 0.01).abs() < 1e-15);
        assert!((static_mode_error(2.0e4, 1e-4) - 0.0625).abs() < 1e-15);
        assert!((static_mode_error(split_for_error(0.06, 2e-4), 2e-4) - 0.06).abs() < 1e-15);
    }
}
