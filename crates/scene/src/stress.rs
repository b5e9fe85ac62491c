//! Stress of a displaced body at the points of its grid.
//!
//! Strains are evaluated in every cell at its nodes (mesh) or at the lattice of its Bezier form (NURBS, parameters i/p),
//! and averaged over the cells that meet there, within one material. The result is a continuous field; its jump between
//! cells before averaging is of the order of the discretisation error.

use carom_fem::{Body, Geometry, Material};
use carom_mesh::{CellRef, CellShape, Mesh, lagrange};
use carom_nurbs::Side;
use carom_nurbs::basis::bernstein_derivatives_into;
use nalgebra::DMatrix;

use crate::body_grid::{BodyGrid, LatticeSource, Source};
use crate::lattice::PatchLattice;
use crate::surface::face_places;

/// Cauchy stress at the points of a grid, in the axes of the source geometry. For Bezier cells these are control
/// values of the field, like the points themselves.
#[derive(Debug, Clone, PartialEq)]
pub struct Stress {
    /// xx, yy, zz, xy, yz, xz \[Pa\], VTK's order.
    pub tensor: Vec<[f64; 6]>,
    /// Von Mises stress \[Pa\].
    pub von_mises: Vec<f64>,
}

/// Isotropic linear stress of a displacement gradient `[a][b]` = ∂u_a/∂x_b.
///
/// ```text
/// σ = λ tr(ε) E + 2 μ ε,   ε = (∇u + ∇uᵀ)/2
/// ```
fn hooke(material: &Material, gradient: &[[f64; 3]; 3]) -> [f64; 6] {
    let (e, nu) = (material.young, material.poisson);
    let mu = e / (2.0 * (1.0 + nu));
    let lambda = e * nu / ((1.0 + nu) * (1.0 - 2.0 * nu));
    let pressure = lambda * (gradient[0][0] + gradient[1][1] + gradient[2][2]);
    let normal = |a: usize| pressure + 2.0 * mu * gradient[a][a];
    let shear = |a: usize, b: usize| mu * (gradient[a][b] + gradient[b][a]);
    [normal(0), normal(1), normal(2), shear(0, 1), shear(1, 2), shear(0, 2)]
}

/// √(3/2 s:s), s the stress deviator.
pub fn von_mises([xx, yy, zz, xy, yz, xz]: &[f64; 6]) -> f64 {
    let differences = (xx - yy).powi(2) + (yy - zz).powi(2) + (zz - xx).powi(2);
    (0.5 * differences + 3.0 * (xy * xy + yz * yz + xz * xz)).sqrt()
}

/// Turns a stress into other axes: R σ Rᵀ, `rotation[a][b]` taking components in the old axes to the new ones.
pub fn rotated(stress: &[f64; 6], rotation: &[[f64; 3]; 3]) -> [f64; 6] {
    let [xx, yy, zz, xy, yz, xz] = *stress;
    let full = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
    let entry = |a: usize, b: usize| -> f64 {
        (0..3).map(|c| (0..3).map(|d| rotation[a][c] * full[c][d] * rotation[b][d]).sum::<f64>()).sum()
    };
    [entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(1, 2), entry(0, 2)]
}

impl BodyGrid {
    /// Stress of the body under a small displacement of its points (nodes, control points), in the body's axes.
    ///
    /// * `body` — the body that the grid was made from
    /// * `displacement` — one vector a body point \[m\]
    ///
    /// # Panics
    ///
    /// If `displacement` is shorter than the body has points, or `body` is another body.
    pub fn stress(&self, body: &Body, displacement: &[[f64; 3]]) -> Stress {
        let material = |block: u32| &body.materials[body.material_of_block[block as usize]];
        let mut sums = Averages::new(self.grid.points.len());
        match (&self.source, &body.geometry) {
            (Source::Nodes(nodes), Geometry::Mesh(mesh)) => {
                let mut grid_point = vec![u32::MAX; mesh.points.len()];
                for (number, &node) in nodes.iter().enumerate() {
                    grid_point[node as usize] = number as u32;
                }
                for cell in self.touched_cells() {
                    add_mesh_cell(&mut sums, mesh, cell, material(cell.block), displacement, &grid_point);
                }
                sums.finish()
            }
            (Source::Lattice(source), Geometry::Nurbs(multipatch)) => {
                let tables: Vec<PatchTables> = source.patches.iter().map(PatchTables::new).collect();
                for patch in 0..source.patches.len() {
                    let lattice = &source.patches[patch];
                    let x = lattice.homogeneous(&multipatch.patches[patch].points);
                    let u = lattice.homogeneous(&source.at_patch(patch, displacement));
                    let values =
                        HomogeneousPatch { lattice, x: &x, u: &u, grid_points: &source.grid_points[patch] };
                    for cell in self.touched_cells().filter(|cell| cell.block as usize == patch) {
                        add_patch_cell(
                            &mut sums,
                            &values,
                            &tables[patch],
                            cell.cell as usize,
                            material(cell.block),
                        );
                    }
                }
                self.to_control_values(source, &tables, sums.finish())
            }
            _ => panic!("the grid was made from a body of another kind"),
        }
    }

    /// The cells of the grid, each once (a surface grid has a cell with two outer faces twice).
    fn touched_cells(&self) -> impl Iterator<Item = CellRef> + '_ {
        let mut cells = self.cells.clone();
        cells.sort_unstable();
        cells.dedup();
        cells.into_iter()
    }

    /// Values at the lattice to Bezier control values that interpolate them, cell by cell.
    ///
    /// On a face the result depends on the face's lattice alone, so neighbours agree.
    fn to_control_values(
        &self,
        source: &LatticeSource,
        tables: &[PatchTables],
        at_lattice: Stress,
    ) -> Stress {
        let mut out = at_lattice.clone();
        for (n, cell) in self.cells.iter().enumerate() {
            let patch = cell.block as usize;
            let (lattice, table) = (&source.patches[patch], &tables[patch]);
            let all: Vec<usize> = lattice.cell_points(cell.cell as usize).collect();
            let (places, directions): (Vec<usize>, Vec<usize>) = match self.faces.get(n) {
                None => ((0..all.len()).collect(), vec![0, 1, 2]),
                Some(face) => {
                    let side = Side::ALL[face.face as usize];
                    (face_places(lattice.degrees, side), crate::surface::outward_tangents(side).to_vec())
                }
            };
            let points: Vec<usize> =
                places.iter().map(|&k| source.grid_points[patch][all[k]] as usize).collect();
            let weights: Vec<f64> = places.iter().map(|&k| lattice.weights[all[k]]).collect();
            let values = points.iter().map(|&point| {
                let [a, b, c, d, e, f] = at_lattice.tensor[point];
                [a, b, c, d, e, f, at_lattice.von_mises[point]]
            });
            let control = table.control_values(&directions, &weights, values.collect());
            for (&point, [a, b, c, d, e, f, v]) in points.iter().zip(control) {
                out.tensor[point] = [a, b, c, d, e, f];
                out.von_mises[point] = v;
            }
        }
        out
    }
}

/// Sums of stresses at grid points.
struct Averages {
    sums: Vec<[f64; 6]>,
    counts: Vec<f64>,
}

impl Averages {
    fn new(n: usize) -> Self {
        Self { sums: vec![[0.0; 6]; n], counts: vec![0.0; n] }
    }

    /// A point of a degenerate cell, where the gradient does not exist, is left to its neighbours.
    fn add(&mut self, point: u32, stress: &[f64; 6]) {
        if point == u32::MAX || stress.iter().any(|s| !s.is_finite()) {
            return;
        }
        for (sum, s) in self.sums[point as usize].iter_mut().zip(stress) {
            *sum += s;
        }
        self.counts[point as usize] += 1.0;
    }

    fn finish(self) -> Stress {
        let tensor: Vec<[f64; 6]> = self
            .sums
            .iter()
            .zip(&self.counts)
            .map(|(sum, &n)| sum.map(|s| if n > 0.0 { s / n } else { 0.0 }))
            .collect();
        let von_mises = tensor.iter().map(von_mises).collect();
        Stress { tensor, von_mises }
    }
}

fn add_mesh_cell(
    sums: &mut Averages,
    mesh: &Mesh,
    cell: CellRef,
    material: &Material,
    displacement: &[[f64; 3]],
    grid_point: &[u32],
) {
    let (shape, nodes) = mesh.cell(cell);
    let mut gradients = [[0.0; 3]; CellShape::MAX_NODES];
    for (&node, &xi) in nodes.iter().zip(shape.reference_nodes()) {
        lagrange::gradients_into(shape, xi, &mut gradients);
        let (mut jacobian, mut du) = ([[0.0; 3]; 3], [[0.0; 3]; 3]);
        for (&n, g) in nodes.iter().zip(&gradients) {
            for a in 0..3 {
                for d in 0..3 {
                    jacobian[a][d] += mesh.points[n as usize][a] * g[d];
                    du[a][d] += displacement[n as usize][a] * g[d];
                }
            }
        }
        sums.add(grid_point[node as usize], &hooke(material, &physical(&du, &jacobian)));
    }
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
struct LineTables {
    values: DMatrix<f64>,
    derivatives: DMatrix<f64>,
    /// Inverse of `values`: from values at i/p to coefficients.
    interpolation: DMatrix<f64>,
}

/// The tables of the three directions of a patch.
struct PatchTables {
    lines: [LineTables; 3],
}

impl LineTables {
    fn new(p: usize) -> Self {
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
        Self { values, derivatives, interpolation }
    }
}

impl PatchTables {
    fn new(lattice: &PatchLattice) -> Self {
        Self { lines: lattice.degrees.map(LineTables::new) }
    }

    /// Rational control values that take the given values at the lattice of a cell or face.
    ///
    /// * `directions` — of the patch, the first fastest; `weights` — control weights
    fn control_values(
        &self,
        directions: &[usize],
        weights: &[f64],
        mut values: Vec<[f64; 7]>,
    ) -> Vec<[f64; 7]> {
        let sizes: Vec<usize> = directions.iter().map(|&d| self.lines[d].values.nrows()).collect();
        let mut at_lattice: Vec<[f64; 1]> = weights.iter().map(|&w| [w]).collect();
        for (n, &d) in directions.iter().enumerate() {
            at_lattice = along(&self.lines[d].values, &at_lattice, &sizes, n);
        }
        for (value, [w]) in values.iter_mut().zip(&at_lattice) {
            *value = value.map(|v| v * w);
        }
        for (n, &d) in directions.iter().enumerate() {
            values = along(&self.lines[d].interpolation, &values, &sizes, n);
        }
        for (value, w) in values.iter_mut().zip(weights) {
            *value = value.map(|v| v / w);
        }
        values
    }
}

/// Applies a square matrix along one direction of a block of values.
fn along<const D: usize>(
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

/// A patch in homogeneous Bezier form: w x and w u.
struct HomogeneousPatch<'a> {
    lattice: &'a PatchLattice,
    x: &'a [[f64; 3]],
    u: &'a [[f64; 3]],
    grid_points: &'a [u32],
}

/// Stress at the lattice of one cell. With X = w x and U = w u polynomial,
///
/// ```text
/// ∂x = (∂X − x ∂w)/w,   ∂u = (∂U − u ∂w)/w
/// ```
fn add_patch_cell(
    sums: &mut Averages,
    patch: &HomogeneousPatch<'_>,
    tables: &PatchTables,
    cell: usize,
    material: &Material,
) {
    let lattice = patch.lattice;
    let points: Vec<usize> = lattice.cell_points(cell).collect();
    let gathered: Vec<[f64; 7]> = points
        .iter()
        .map(|&n| {
            let ([x, y, z], [u, v, w]) = (patch.x[n], patch.u[n]);
            [x, y, z, u, v, w, lattice.weights[n]]
        })
        .collect();
    let sizes = lattice.degrees.map(|p| p + 1);
    // Each derivative takes the derivative table in its direction and the value table in the others.
    let evaluate = |derived: Option<usize>| {
        (0..3).fold(gathered.clone(), |block, d| {
            let table =
                if derived == Some(d) { &tables.lines[d].derivatives } else { &tables.lines[d].values };
            along(table, &block, &sizes, d)
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
        sums.add(patch.grid_points[points[n]], &hooke(material, &physical(&du, &jacobian)));
    }
}
