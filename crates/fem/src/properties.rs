//! Volume, mass, centre of mass, inertia and surface area of a body.
//!
//! Mesh cells are integrated by the rule of their mass matrix. NURBS patches are integrated over their sides
//! by the divergence theorem, each face with more and more points until rounding:
//!
//! ```text
//! ∫ dV = ⅓ ∮ x·n dA,  ∫ x_a dV = ½ ∮ x_a² n_a dA,
//! ∫ x_a² dV = ⅓ ∮ x_a³ n_a dA,  ∫ x_a x_b dV = ½ ∮ x_a² x_b n_a dA
//! ```

use carom_mesh::{CellRef, FaceRef, Section};
use carom_nurbs::Side;
use rayon::prelude::*;

use crate::evaluator::{CellEvaluator, CellPoint, integrate_cells};
use crate::face::FaceMap;
use crate::quadrature::{Integrand, Quadrature, QuadratureRule};
use crate::{Block, Cells, Discretisation};

/// Relative change of a face's integrals at convergence: slightly above their rounding.
const FACE_TOLERANCE: f64 = 2e-15;

/// The same for rough figures.
const ROUGH: f64 = 1e-4;

/// Largest number of points per direction of a face; the integral of a face that needs more has their
/// accuracy.
const MAX_FACE_POINTS: usize = 32;

/// The mass properties of a body: the data of a rigid body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MassProperties {
    /// Volume \[m³\].
    pub volume: f64,
    /// Mass \[kg\].
    pub mass: f64,
    /// Centre of mass \[m\].
    pub center_of_mass: [f64; 3],
    /// Inertia about the centre of mass, ∫ ((r·r) E₃ − r rᵀ) dm \[kg m²\].
    pub inertia: [[f64; 3]; 3],
}

/// ∫ 1, x, y, z, xx, yy, zz, xy, yz, zx dV in coordinates from a reference point, divided by its powers of
/// the length.
type Moments = [f64; 10];

/// Mass properties of a body: of a NURBS body to about 1e-14 of each, of a mesh those of its mass matrix, of
/// shells and beams those of their middle surfaces and axes.
pub fn mass_properties(discretisation: &Discretisation) -> MassProperties {
    within(discretisation, FACE_TOLERANCE)
}

/// The same at a fraction of the time for NURBS bodies, to a thousandth of volume and mass: enough to tell
/// whether they are plausible.
pub fn rough_mass_properties(discretisation: &Discretisation) -> MassProperties {
    within(discretisation, ROUGH)
}

/// Mass properties with an error of this part of each, for NURBS bodies.
fn within(discretisation: &Discretisation, tolerance: f64) -> MassProperties {
    let frame = Frame::of(discretisation);
    let mut total = [0.0; 10];
    let mut volume = 0.0;
    for (i_block, block) in discretisation.blocks.iter().enumerate() {
        let moments = match &block.cells {
            Cells::Lagrange { .. } => cell_moments(discretisation, i_block, &frame),
            Cells::Spline(_) => side_moments(discretisation, i_block, &frame, tolerance),
        };
        let density = discretisation.materials[block.material].density;
        volume += moments[0];
        for (sum, moment) in total.iter_mut().zip(moments) {
            *sum += density * moment;
        }
    }
    frame.properties(volume, &total)
}

/// Area of faces, adaptively \[m²\].
///
/// # Panics
///
/// If a face does not exist.
pub fn surface_area(discretisation: &Discretisation, faces: &[FaceRef]) -> f64 {
    let areas: Vec<f64> = faces
        .par_iter()
        .map_init(
            || CellEvaluator::new(discretisation),
            |evaluator, face| {
                converged(discretisation, evaluator, *face, FACE_TOLERANCE, |_, area, sum: &mut [f64; 1]| {
                    sum[0] += (area[0] * area[0] + area[1] * area[1] + area[2] * area[2]).sqrt();
                })[0]
            },
        )
        .collect();
    areas.iter().sum()
}

/// Smallest scaled Jacobian of the knot spans of NURBS blocks and its cell, on a lattice of four points a
/// direction that includes the corners.
///
/// ```text
/// det J / (|x,₁| |x,₂| |x,₃|),   1 for boxes, ≤ 0 where the map folds or collapses
/// ```
pub fn min_scaled_jacobian_of_spans(discretisation: &Discretisation) -> Option<(f64, CellRef)> {
    let cells: Vec<CellRef> = discretisation
        .cells()
        .filter(|cell| matches!(discretisation.blocks[cell.block as usize].cells, Cells::Spline(_)))
        .collect();
    let least: Vec<f64> = cells
        .par_iter()
        .map_init(
            || CellEvaluator::new(discretisation),
            |evaluator, &cell| {
                evaluator.enter(cell);
                let points = (0..64).map(|k| [k % 4, k / 4 % 4, k / 16].map(|i| f64::from(i) / 3.0));
                points.map(|xi| scaled_jacobian(&evaluator.at(xi))).fold(f64::INFINITY, f64::min)
            },
        )
        .collect();
    least.into_iter().zip(cells).min_by(|a, b| a.0.total_cmp(&b.0))
}

fn scaled_jacobian(point: &CellPoint) -> f64 {
    let length = |d: usize| (0..3).map(|a| point.jacobian[a][d].powi(2)).sum::<f64>().sqrt();
    let product = length(0) * length(1) * length(2);
    // A collapsed edge has no length and no volume.
    if product > 0.0 { point.det / product } else { 0.0 }
}

/// Coordinates relative to the body, which avoids cancellation: (x − centre) / length.
struct Frame {
    center: [f64; 3],
    length: f64,
}

impl Frame {
    fn of(discretisation: &Discretisation) -> Self {
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for point in &discretisation.points {
            for d in 0..3 {
                low[d] = low[d].min(point[d]);
                high[d] = high[d].max(point[d]);
            }
        }
        let center = std::array::from_fn(|d| 0.5 * (low[d] + high[d]));
        let length = (0..3).map(|d| 0.5 * (high[d] - low[d])).fold(0.0, f64::max);
        Self { center, length: if length > 0.0 { length } else { 1.0 } }
    }

    fn local(&self, x: [f64; 3]) -> [f64; 3] {
        std::array::from_fn(|d| (x[d] - self.center[d]) / self.length)
    }

    fn properties(&self, volume: f64, total: &Moments) -> MassProperties {
        let cube = self.length.powi(3);
        let [mass, x, y, z, xx, yy, zz, xy, yz, zx] = *total;
        let mean = [x / mass, y / mass, z / mass];
        let scale = cube * self.length * self.length;
        let about = |second: f64, a: usize, b: usize| scale * (second - mass * mean[a] * mean[b]);
        let (xx, yy, zz) = (about(xx, 0, 0), about(yy, 1, 1), about(zz, 2, 2));
        let (xy, yz, zx) = (about(xy, 0, 1), about(yz, 1, 2), about(zx, 2, 0));
        MassProperties {
            volume: cube * volume,
            mass: cube * mass,
            center_of_mass: std::array::from_fn(|d| self.center[d] + self.length * mean[d]),
            inertia: [[yy + zz, -xy, -zx], [-xy, xx + zz, -yz], [-zx, -yz, xx + yy]],
        }
    }
}

/// The moments of a block of mesh cells, by the rule of the mass matrix: a rigid motion then has the same
/// energy in both. Volume and first moments are exact, second moments of curved or tapered cells to about
/// 1e-6.
fn cell_moments(discretisation: &Discretisation, i_block: usize, frame: &Frame) -> Moments {
    let mut sum = [0.0; 10];
    let volume = frame.length.powi(3);
    let section = discretisation.blocks[i_block].section;
    let rule = |block: &Block| match &block.cells {
        Cells::Lagrange { shape, .. } => {
            Quadrature::for_cell(*shape, Integrand::Mass, QuadratureRule::Default)
        }
        Cells::Spline(_) => unreachable!("patches are integrated over their sides"),
    };
    integrate_cells(discretisation, i_block..i_block + 1, &rule, |_, _, point, weight| {
        let [x, y, z] = frame.local(point.position);
        let dv = weight * density_of_volume(point, section) / volume;
        for (sum, value) in sum.iter_mut().zip([1.0, x, y, z, x * x, y * y, z * z, x * y, y * z, z * x]) {
            *sum += dv * value;
        }
    });
    sum
}

/// dV/dξ at a point: of a solid det J, of a shell its thickness times its area, of a beam the area of its
/// section times its length. The extent of shells and beams across themselves is left out of the inertia.
fn density_of_volume(point: &CellPoint, section: Option<Section>) -> f64 {
    let column = |d: usize| -> [f64; 3] { std::array::from_fn(|a| point.jacobian[a][d]) };
    let length = |v: [f64; 3]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
    match section {
        None => point.det,
        Some(Section::Beam(beam)) => beam.area * length(column(0)),
        Some(Section::Shell(shell)) => {
            let (a, b) = (column(0), column(1));
            let normal = std::array::from_fn(|i| {
                let (j, k) = ((i + 1) % 3, (i + 2) % 3);
                a[j] * b[k] - a[k] * b[j]
            });
            shell.thickness * length(normal)
        }
    }
}

/// The moments of a patch from its six sides; for a level of a local refinement, the contribution of its
/// faces.
fn side_moments(discretisation: &Discretisation, i_block: usize, frame: &Frame, tolerance: f64) -> Moments {
    let Cells::Spline(spline) = &discretisation.blocks[i_block].cells else { return [0.0; 10] };
    let faces: Vec<FaceRef> = (0..spline.n_cells())
        .flat_map(|cell| (0..6_u8).map(move |face| (cell, face)))
        .filter(|&(cell, face)| spline.is_on_side(cell, Side::ALL[face as usize]))
        .map(|(cell, face)| FaceRef { block: i_block as u32, cell: cell as u32, face })
        .collect();
    let area_scale = frame.length * frame.length;
    let moments: Vec<Moments> = faces
        .par_iter()
        .map_init(
            || CellEvaluator::new(discretisation),
            |evaluator, face| {
                converged(discretisation, evaluator, *face, tolerance, |position, area, sum: &mut Moments| {
                    let [x, y, z] = frame.local(position);
                    let [nx, ny, nz] = area.map(|a| a / area_scale);
                    let flux = [
                        (x * nx + y * ny + z * nz) / 3.0,
                        x * x * nx / 2.0,
                        y * y * ny / 2.0,
                        z * z * nz / 2.0,
                        x * x * x * nx / 3.0,
                        y * y * y * ny / 3.0,
                        z * z * z * nz / 3.0,
                        x * x * y * nx / 2.0,
                        y * y * z * ny / 2.0,
                        z * z * x * nz / 2.0,
                    ];
                    for (sum, value) in sum.iter_mut().zip(flux) {
                        *sum += value;
                    }
                })
            },
        )
        .collect();
    let mut total = [0.0; 10];
    for moment in moments {
        for (sum, value) in total.iter_mut().zip(moment) {
            *sum += value;
        }
    }
    total
}

/// Integrals over a face with more and more Gauss points until they no longer change.
///
/// * `tolerance` — change that counts as none, relative to the largest contribution of a point
/// * `add` — adds the integrand at (position, vector area times weight)
fn converged<const N: usize>(
    discretisation: &Discretisation,
    evaluator: &mut CellEvaluator<'_>,
    face: FaceRef,
    tolerance: f64,
    add: impl Fn([f64; 3], [f64; 3], &mut [f64; N]),
) -> [f64; N] {
    let block = &discretisation.blocks[face.block as usize];
    let map = FaceMap::new(block, face.face);
    evaluator.enter(CellRef { block: face.block, cell: face.cell });
    let degree = match &block.cells {
        Cells::Lagrange { shape, .. } => shape.order(),
        Cells::Spline(cells) => cells.degrees.into_iter().max().unwrap_or(1),
    };
    let mut n = degree + 1;
    let mut old: Option<[f64; N]> = None;
    loop {
        let rule = map.rule(n);
        let (mut sum, mut size) = ([0.0; N], 0.0_f64);
        for (eta, weight) in rule.points.iter().zip(&rule.weights) {
            let point = evaluator.at(map.at([eta[0], eta[1]]));
            let mut value = [0.0; N];
            add(point.position, map.area(&point).map(|x| weight * x), &mut value);
            for (sum, value) in sum.iter_mut().zip(value) {
                *sum += value;
                size = size.max(value.abs() * rule.points.len() as f64);
            }
        }
        let is_converged = old
            .is_some_and(|old| sum.iter().zip(old).all(|(new, old)| (new - old).abs() <= tolerance * size));
        if is_converged || n >= MAX_FACE_POINTS {
            return sum;
        }
        old = Some(sum);
        n += 2;
    }
}
