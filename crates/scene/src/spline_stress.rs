//! Stress in the Bezier form of a NURBS body.

use std::collections::HashMap;
use std::sync::Arc;

use carom_fem::internal_force::PointStress;
use carom_fem::recovery::PointFit;
use carom_fem::stress::von_mises;
use carom_fem::{Body, Discretisation};
use carom_mesh::CellRef;
use carom_mesh::lagrange::line_values;
use carom_mesh::quadrature::gauss_legendre;
use carom_nurbs::Multipatch;
use carom_nurbs::basis::bernstein_derivatives_into;
use carom_nurbs::bezier::{BezierCell, BezierMesh};
use nalgebra::DMatrix;

use crate::Stress;
use crate::body_grid::{BodyGrid, Source};
use crate::stress::{PointLaw, StressTheory};

/// The volume cells that are evaluated, and the points of the grid that receive their stress.
#[derive(Debug, Clone)]
pub(crate) struct SplineRecovery {
    volume: Arc<BezierMesh>,
    cells: Vec<Evaluated>,
    /// One for each cell of the grid.
    targets: Vec<Target>,
    /// Tables for the degrees 1, 2, …
    tables: Vec<LineTables>,
}

/// A volume cell that is evaluated.
#[derive(Debug, Clone)]
struct Evaluated {
    /// Its number in the Bezier mesh.
    bezier: usize,
    /// Its number in the body.
    cell: CellRef,
    law: PointLaw,
}

/// The points of a grid cell, at which control values are fitted.
#[derive(Debug, Clone)]
struct Target {
    degrees: Vec<usize>,
    /// Points in the volume mesh, first direction fastest.
    volume_points: Vec<u32>,
    /// The same points in the grid.
    grid_points: Vec<u32>,
}

impl SplineRecovery {
    pub(crate) fn new(grid: &BodyGrid, multipatch: &Multipatch, body: &Body, theory: &StressTheory) -> Self {
        let Source::Bezier(shown) = &grid.source else { unreachable!("NURBS bodies have Bezier grids") };
        let is_volume = grid.faces.is_empty();
        let volume = if is_volume { Arc::clone(shown) } else { Arc::new(multipatch.bezier()) };
        // A surface cell belongs to the volume cell of the same patch, level and knot spans.
        let key = |cell: &BezierCell| (cell.patch, cell.level, cell.cell);
        let mut by_key: Vec<usize> = (0..volume.cells.len()).collect();
        by_key.sort_by_key(|&n| key(&volume.cells[n]));
        let owner = |cell: &BezierCell| {
            let place = by_key.binary_search_by_key(&key(cell), |&n| key(&volume.cells[n]));
            by_key[place.expect("a face belongs to a cell of the body")]
        };
        let mut owners: Vec<usize> = shown.cells.iter().map(&owner).collect();
        let targets = shown
            .cells
            .iter()
            .zip(&owners)
            .map(|(cell, &owner)| Target::new(cell, &volume.cells[owner]))
            .collect();
        owners.sort_unstable();
        owners.dedup();
        let numbers = multipatch.cell_numbers();
        let evaluated = |n: usize| {
            let bezier = &volume.cells[n];
            let (block, cell) = numbers.of(bezier.patch, bezier.level, bezier.cell);
            let law = theory.law_of(body, body.material_of_block[bezier.patch as usize]);
            Evaluated { bezier: n, cell: CellRef { block, cell }, law }
        };
        let cells = owners.into_iter().map(evaluated).collect();
        let highest = volume.cells.iter().flat_map(|cell| cell.degrees).max().unwrap_or(1);
        Self { cells, targets, tables: (1..=highest).map(LineTables::new).collect(), volume }
    }

    /// Stress at the `n_points` points of the grid.
    pub(crate) fn stress(&self, displacement: &[[f64; 3]], n_points: usize) -> Stress {
        let mut u = vec![[0.0; 3]; self.volume.points.len()];
        self.volume.field_into(displacement, &mut u);
        let mut averages = Averages::new(u.len());
        for evaluated in &self.cells {
            self.add_cell(&mut averages, &self.volume.cells[evaluated.bezier], &evaluated.law, &u);
        }
        self.to_control_values(&averages.finish(), n_points)
    }

    /// Stress at the `n_points` points of the grid from that at the quadrature points.
    pub(crate) fn stress_of_points(
        &self,
        discretisation: &Discretisation,
        points: &PointStress,
        n_points: usize,
    ) -> Stress {
        let mut averages = Averages::new(self.volume.points.len());
        let mut fits: HashMap<u32, Vec<Vec<f64>>> = HashMap::new();
        for evaluated in &self.cells {
            let bezier = &self.volume.cells[evaluated.bezier];
            let block = evaluated.cell.block;
            let rows = fits.entry(block).or_insert_with(|| {
                let fit = PointFit::new(&discretisation.blocks[block as usize].cells, points.rule);
                lattice(bezier.degrees).map(|xi| fit.row(xi)).collect()
            });
            let stresses = points.of_cell(evaluated.cell);
            for (&point, row) in bezier.points.iter().zip(rows.iter()) {
                averages.add(point, &PointFit::sum(row, stresses));
            }
        }
        self.to_control_values(&averages.finish(), n_points)
    }

    /// Stress at the lattice of one cell. With X = w x and U = w u polynomial,
    ///
    /// ```text
    /// ∂x = (∂X − x ∂w)/w,   ∂u = (∂U − u ∂w)/w
    /// ```
    fn add_cell(&self, averages: &mut Averages, cell: &BezierCell, law: &PointLaw, u: &[[f64; 3]]) {
        let gather = |&point: &u32| {
            let n = point as usize;
            let ([x, y, z], [a, b, c], w) = (self.volume.points[n], u[n], self.volume.weights[n]);
            [w * x, w * y, w * z, w * a, w * b, w * c, w]
        };
        let control: Vec<[f64; 7]> = cell.points.iter().map(gather).collect();
        let sizes = cell.degrees.map(|p| p + 1);
        // Each derivative uses the derivative table in its direction and the value table in the others.
        let evaluate = |derived: Option<usize>| {
            (0..3).fold(control.clone(), |block, d| {
                let table = &self.tables[cell.degrees[d] - 1];
                let matrix = if derived == Some(d) { &table.derivatives } else { &table.values };
                along(matrix, &block, &sizes, d)
            })
        };
        let values = evaluate(None);
        let derivatives = [0, 1, 2].map(|d| evaluate(Some(d)));
        for (n, value) in values.iter().enumerate() {
            let w = value[6];
            let (mut jacobian, mut du) = ([[0.0; 3]; 3], [[0.0; 3]; 3]);
            for (d, derivative) in derivatives.iter().enumerate() {
                for a in 0..3 {
                    jacobian[a][d] = (derivative[n][a] - value[a] / w * derivative[n][6]) / w;
                    du[a][d] = (derivative[n][3 + a] - value[3 + a] / w * derivative[n][6]) / w;
                }
            }
            averages.add(cell.points[n], &law.stress(&physical(&du, &jacobian)));
        }
    }

    /// Computes Bezier control values that interpolate values at the lattice, cell by cell.
    ///
    /// On a face the result depends only on the lattice of the face, so that neighbours agree. Control values
    /// of the von Mises stress are bounded below by 0: then the field is nowhere negative, as a rational
    /// Bezier cell stays between its control values. Where the stress falls from its peak to almost zero
    /// within one cell, it becomes slightly higher; the tensor is not changed.
    fn to_control_values(&self, at_lattice: &[[f64; 6]], n_points: usize) -> Stress {
        let mut out = Stress::zero(n_points);
        for target in &self.targets {
            let weights: Vec<f64> =
                target.volume_points.iter().map(|&n| self.volume.weights[n as usize]).collect();
            let values = target.volume_points.iter().map(|&n| {
                let stress = at_lattice[n as usize];
                let [a, b, c, d, e, f] = stress;
                [a, b, c, d, e, f, von_mises(&stress)]
            });
            let control = control_values(&self.tables, &target.degrees, &weights, values.collect());
            for (&point, [a, b, c, d, e, f, v]) in target.grid_points.iter().zip(control) {
                out.tensor[point as usize] = [a, b, c, d, e, f];
                out.von_mises[point as usize] = v.max(0.0);
            }
        }
        out
    }
}

/// Rational control values that interpolate the given values at the lattice of a cell or face.
pub(crate) fn control_values(
    tables: &[LineTables],
    degrees: &[usize],
    weights: &[f64],
    mut values: Vec<[f64; 7]>,
) -> Vec<[f64; 7]> {
    let sizes: Vec<usize> = degrees.iter().map(|p| p + 1).collect();
    let mut at_lattice: Vec<[f64; 1]> = weights.iter().map(|&w| [w]).collect();
    for (d, &p) in degrees.iter().enumerate() {
        at_lattice = along(&tables[p - 1].values, &at_lattice, &sizes, d);
    }
    for (value, [w]) in values.iter_mut().zip(&at_lattice) {
        *value = value.map(|v| v * w);
    }
    for (d, &p) in degrees.iter().enumerate() {
        values = along(&tables[p - 1].interpolation, &values, &sizes, d);
    }
    for (value, w) in values.iter_mut().zip(weights) {
        *value = value.map(|v| v / w);
    }
    values
}

impl Target {
    fn new(shown: &BezierCell, owner: &BezierCell) -> Self {
        let Some(side) = shown.side else {
            let points = shown.points.clone();
            return Self {
                degrees: shown.degrees.to_vec(),
                volume_points: points.clone(),
                grid_points: points,
            };
        };
        let [p, q, _] = owner.degrees;
        let strides = [1, p + 1, (p + 1) * (q + 1)];
        let [a, b] = side.tangents();
        let across = side.direction();
        let fixed = if side.is_end() { owner.degrees[across] * strides[across] } else { 0 };
        let degrees = [owner.degrees[a], owner.degrees[b]];
        let places = (0..=degrees[1])
            .flat_map(|j| (0..=degrees[0]).map(move |i| fixed + i * strides[a] + j * strides[b]));
        let volume_points = places.map(|n| owner.points[n]).collect();
        Self { degrees: degrees.to_vec(), volume_points, grid_points: shown.points.clone() }
    }
}

/// Sums of stresses at points.
pub(crate) struct Averages {
    sums: Vec<[f64; 6]>,
    counts: Vec<f64>,
}

impl Averages {
    pub(crate) fn new(n: usize) -> Self {
        Self { sums: vec![[0.0; 6]; n], counts: vec![0.0; n] }
    }

    /// Points of a degenerate cell, where the gradient does not exist, get the stress of neighbouring cells.
    pub(crate) fn add(&mut self, point: u32, stress: &[f64; 6]) {
        if stress.iter().any(|s| !s.is_finite()) {
            return;
        }
        for (sum, s) in self.sums[point as usize].iter_mut().zip(stress) {
            *sum += s;
        }
        self.counts[point as usize] += 1.0;
    }

    pub(crate) fn finish(self) -> Vec<[f64; 6]> {
        let mean = |(sum, &n): (&[f64; 6], &f64)| if n > 0.0 { sum.map(|s| s / n) } else { [0.0; 6] };
        self.sums.iter().zip(&self.counts).map(mean).collect()
    }
}

/// The points i/p of a cell, the first direction fastest.
fn lattice(degrees: [usize; 3]) -> impl Iterator<Item = [f64; 3]> {
    let [n_x, n_y, n_z] = degrees.map(|p| p + 1);
    (0..n_x * n_y * n_z).map(move |n| {
        let place = [n % n_x, n / n_x % n_y, n / (n_x * n_y)];
        std::array::from_fn(|d| place[d] as f64 / degrees[d] as f64)
    })
}

/// ∂u/∂x = ∂u/∂ξ J⁻¹; not finite where det J = 0.
fn physical(du: &[[f64; 3]; 3], jacobian: &[[f64; 3]; 3]) -> [[f64; 3]; 3] {
    let j = jacobian;
    let cofactor = |a: usize, d: usize| {
        let (b, c, e, f) = ((a + 1) % 3, (a + 2) % 3, (d + 1) % 3, (d + 2) % 3);
        j[b][e] * j[c][f] - j[b][f] * j[c][e]
    };
    let det: f64 = (0..3).map(|d| j[0][d] * cofactor(0, d)).sum();
    // (J⁻¹)_da = cofactor(a, d) / det
    std::array::from_fn(|c| {
        std::array::from_fn(|a| (0..3).map(|d| du[c][d] * cofactor(a, d)).sum::<f64>() / det)
    })
}

/// Bernstein polynomials of one degree at the parameters i/p, row i.
#[derive(Debug, Clone)]
pub(crate) struct LineTables {
    pub(crate) values: DMatrix<f64>,
    pub(crate) derivatives: DMatrix<f64>,
    /// Inverse of `values`: from values at i/p to coefficients.
    interpolation: DMatrix<f64>,
    /// From values at i/p to those of the polynomial of degree p − 1 that agrees with their interpolant at p
    /// Gauss points, where stress is most accurate.
    pub(crate) smoothing: DMatrix<f64>,
}

impl LineTables {
    pub(crate) fn new(p: usize) -> Self {
        let (mut values, mut derivatives) = (DMatrix::zeros(p + 1, p + 1), DMatrix::zeros(p + 1, p + 1));
        let (mut b, mut db, mut second) = (vec![0.0; p + 1], vec![0.0; p + 1], vec![0.0; p + 1]);
        for i in 0..=p {
            bernstein_derivatives_into(p, i as f64 / p as f64, &mut b, &mut db, &mut second);
            for j in 0..=p {
                values[(i, j)] = b[j];
                derivatives[(i, j)] = db[j];
            }
        }
        let interpolation =
            values.clone().try_inverse().expect("Bernstein polynomials are independent at p + 1 points");
        Self { values, derivatives, interpolation, smoothing: smoothing(p) }
    }
}

/// See [`LineTables::smoothing`].
fn smoothing(p: usize) -> DMatrix<f64> {
    let lattice: Vec<f64> = (0..=p).map(|i| i as f64 / p as f64).collect();
    let (gauss, _) = gauss_legendre(p);
    let between = |points: &[f64], at: &[f64]| {
        let rows: Vec<f64> = at.iter().flat_map(|&x| line_values(points, x)).collect();
        DMatrix::from_row_slice(at.len(), points.len(), &rows)
    };
    between(&gauss, &lattice) * between(&lattice, &gauss)
}

/// Applies a square matrix along one direction of a block of values.
pub(crate) fn along<const D: usize>(
    matrix: &DMatrix<f64>,
    values: &[[f64; D]],
    sizes: &[usize],
    direction: usize,
) -> Vec<[f64; D]> {
    let stride: usize = sizes[..direction].iter().product();
    let n = sizes[direction];
    let mut out = vec![[0.0; D]; values.len()];
    for (place, result) in out.iter_mut().enumerate() {
        let i = place / stride % n;
        let first = place - i * stride;
        for j in 0..n {
            let factor = matrix[(i, j)];
            for (r, v) in result.iter_mut().zip(&values[first + j * stride]) {
                *r += factor * v;
            }
        }
    }
    out
}
