//! Stress at the surface of a body whose displacement is known only there.
//!
//! The strain in the surface follows from the displacement of the surface; the normal stress is the contact
//! pressure, or zero:
//!
//! ```text
//! ε = P sym(Σ u,_α ⊗ g^α) P,   P = E₃ − n ⊗ n
//! ε_n = −(p + λ tr ε)/(λ + 2μ)
//! σ = 2μ ε + λ (tr ε + ε_n) P − p n ⊗ n
//! ```
//!
//! with tangents g_α = x,_α, their duals g^α in the surface, the outward normal n and the pressure p. This is
//! the stress of the body where its surface has no shear stress and no other load: it is not valid on faces
//! that are held or tied to a joint.

use std::sync::Arc;

use carom_fem::stress::von_mises;
use carom_fem::surface::FaceBasis;
use carom_fem::{Body, Discretisation, DiscretisationError, Material, Surface};
use carom_mesh::FaceShape;
use carom_mesh::lagrange::line_values;
use carom_mesh::quadrature::gauss_legendre;
use carom_nurbs::bezier::{BezierCell, BezierMesh};

mod places;

pub use places::{PlaceStressRecovery, nearest_place};

use crate::body_grid::{BodyGrid, Source};
use crate::spline_stress::{Averages, LineTables, along, control_values};
use crate::stress::Stress;

/// Stress recovery at the points of a surface grid, frame by frame.
#[derive(Debug, Clone)]
pub struct SurfaceStressRecovery {
    /// Material of each cell of the grid.
    materials: Vec<Material>,
    shape: Shape,
    n_points: usize,
}

#[derive(Debug, Clone)]
enum Shape {
    /// Faces of mesh cells, the positions of their nodes, and the grid point of each node of the surface.
    Mesh { surface: Surface, positions: Vec<[f64; 3]>, grid_points: Vec<u32> },
    /// Bezier faces and tables for the degrees 1, 2, …
    Bezier { mesh: Arc<BezierMesh>, tables: Vec<LineTables> },
}

/// Stress at places where cells meet.
#[derive(Debug, Clone, PartialEq)]
pub struct SampledStress {
    /// Recovered: extrapolated in each cell from the points at which stress is most accurate, averaged over
    /// the cells that meet; xx, yy, zz, xy, yz, xz, axes of the body \[Pa\].
    pub tensor: Vec<[f64; 6]>,
    /// Largest von Mises stress of the difference between the raw stress of a cell that meets there and the
    /// recovered one, over all places of this cell \[Pa\].
    pub error: Vec<f64>,
}

impl SurfaceStressRecovery {
    /// Prepares the recovery for a surface grid and the body that it was made from.
    ///
    /// # Errors
    ///
    /// [`DiscretisationError`] if the body cannot be discretised.
    pub fn new(grid: &BodyGrid, body: &Body) -> Result<Self, DiscretisationError> {
        let of_block = |block: u32| body.materials[body.material_of_block[block as usize]].clone();
        // The cells of each level of local refinement are a separate block; the material is that of their
        // patch.
        let materials = match &grid.source {
            Source::Bezier(mesh) => mesh.cells.iter().map(|cell| of_block(cell.patch)).collect(),
            Source::Nodes(_) => grid.cells.iter().map(|cell| of_block(cell.block)).collect(),
        };
        let shape = match &grid.source {
            Source::Bezier(mesh) => {
                let highest = mesh.cells.iter().flat_map(|cell| cell.degrees).max().unwrap_or(1);
                Shape::Bezier { mesh: Arc::clone(mesh), tables: (1..=highest).map(LineTables::new).collect() }
            }
            Source::Nodes(nodes) => {
                let discretisation = Discretisation::new(body)?;
                let surface = discretisation.surface(&grid.faces);
                let positions = surface.points.iter().map(|&p| discretisation.points[p as usize]).collect();
                let mut of_node = vec![u32::MAX; discretisation.n_points()];
                nodes.iter().zip(0..).for_each(|(&node, point)| of_node[node as usize] = point);
                let grid_points = surface.points.iter().map(|&node| of_node[node as usize]).collect();
                Shape::Mesh { surface, positions, grid_points }
            }
        };
        Ok(Self { materials, shape, n_points: grid.grid.points.len() })
    }

    /// Stress under a small displacement of the body's points (nodes, control points), in the body's axes.
    /// Only points of the surface are used.
    ///
    /// * `displacement` — one vector per body point \[m\]
    /// * `pressures` — pressure on each cell of the grid \[Pa\]; empty if there is none
    ///
    /// # Panics
    ///
    /// If `displacement` is shorter than the body has points.
    pub fn stress(&self, displacement: &[[f64; 3]], pressures: &[f64]) -> Stress {
        let n = self.n_points;
        if displacement.iter().flatten().all(|&u| u == 0.0) && pressures.iter().all(|&p| p == 0.0) {
            return Stress::zero(n);
        }
        let mut averages = Averages::new(n);
        self.contributions(displacement, pressures, |_, point, stress| averages.add(point, stress));
        match &self.shape {
            Shape::Mesh { .. } => Stress::of_tensor(averages.finish()),
            Shape::Bezier { mesh, tables } => to_control_values(mesh, tables, &averages.finish()),
        }
    }

    /// Stress at the places of the surface where cells meet, with its error by comparison with the cells:
    /// the nodes of a mesh, the lattice i/p of each Bezier face. Arguments as [`Self::stress`].
    ///
    /// # Panics
    ///
    /// As [`Self::stress`].
    pub fn sampled(&self, displacement: &[[f64; 3]], pressures: &[f64]) -> SampledStress {
        let mut raw = Vec::new();
        self.contributions(displacement, pressures, |cell, point, stress| raw.push((cell, point, *stress)));
        let smooth = self.smoothed(displacement, pressures, &raw);
        let mut averages = Averages::new(self.n_points);
        raw.iter().zip(&smooth).for_each(|((_, point, _), stress)| averages.add(*point, stress));
        let tensor = averages.finish();
        // Raw stress may agree with the recovered one at a place by chance: the largest difference of a cell
        // counts at all of its places.
        let mut of_cell = vec![0.0_f64; self.materials.len()];
        for (cell, point, stress) in raw.iter().filter(|(.., stress)| stress.iter().all(|s| s.is_finite())) {
            let difference = std::array::from_fn(|c| stress[c] - tensor[*point as usize][c]);
            of_cell[*cell] = of_cell[*cell].max(von_mises(&difference));
        }
        let mut error = vec![0.0_f64; self.n_points];
        for (cell, point, _) in &raw {
            error[*point as usize] = error[*point as usize].max(of_cell[*cell]);
        }
        SampledStress { tensor, error }
    }

    /// The places of [`Self::sampled`], axes of the source geometry \[m\].
    pub fn sample_places(&self) -> Vec<[f64; 3]> {
        let mut places = vec![[0.0; 3]; self.n_points];
        match &self.shape {
            Shape::Mesh { positions, grid_points, .. } => {
                grid_points.iter().zip(positions).for_each(|(&point, x)| places[point as usize] = *x);
            }
            Shape::Bezier { mesh, tables } => {
                for cell in &mesh.cells {
                    let gather = |&point: &u32| {
                        let ([x, y, z], w) = (mesh.points[point as usize], mesh.weights[point as usize]);
                        [w * x, w * y, w * z, w]
                    };
                    let mut values: Vec<[f64; 4]> = cell.points.iter().map(gather).collect();
                    let sizes = [cell.degrees[0] + 1, cell.degrees[1] + 1];
                    for d in 0..2 {
                        values = along(&tables[cell.degrees[d] - 1].values, &values, &sizes, d);
                    }
                    for (&point, [x, y, z, w]) in cell.points.iter().zip(values) {
                        places[point as usize] = [x / w, y / w, z / w];
                    }
                }
            }
        }
        places
    }

    /// Values at the points of the grid from those at [`Self::sample_places`]: control values of Bezier faces
    /// interpolate them, nodes of a mesh have them.
    pub fn at_grid_points(&self, values: &[f64]) -> Vec<f64> {
        let Shape::Bezier { mesh, tables } = &self.shape else { return values.to_vec() };
        let mut out = vec![0.0; self.n_points];
        for cell in &mesh.cells {
            let weights: Vec<f64> = cell.points.iter().map(|&n| mesh.weights[n as usize]).collect();
            let at_lattice = cell.points.iter().map(|&n| [values[n as usize], 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
            let control = control_values(tables, &cell.degrees[..2], &weights, at_lattice.collect());
            for (&point, [value, ..]) in cell.points.iter().zip(control) {
                out[point as usize] = value;
            }
        }
        out
    }

    /// The stress of each cell at its places, extrapolated from the points of the cell at which it is most
    /// accurate; as it is in cells with a degenerate place.
    ///
    /// * `raw` — cell, place and stress of all contributions, in their order
    fn smoothed(
        &self,
        displacement: &[[f64; 3]],
        pressures: &[f64],
        raw: &[(usize, u32, [f64; 6])],
    ) -> Vec<[f64; 6]> {
        let pressure = |cell: usize| pressures.get(cell).copied().unwrap_or(0.0);
        let mut out = Vec::with_capacity(raw.len());
        match &self.shape {
            Shape::Mesh { surface, positions, .. } => {
                let u: Vec<[f64; 3]> = surface.points.iter().map(|&p| displacement[p as usize]).collect();
                for (number, face) in surface.faces.iter().enumerate() {
                    let FaceBasis::Lagrange(shape) = &face.basis else {
                        unreachable!("faces of a mesh are Lagrange faces")
                    };
                    let rows = extrapolation(*shape);
                    let at = |&xi: &[f64; 2]| {
                        let (_, tangents) = surface.tangents(number, xi, positions);
                        let (_, slopes) = surface.tangents(number, xi, &u);
                        in_surface(&self.materials[number], &tangents, &slopes, pressure(number))
                    };
                    let samples: Vec<[f64; 6]> = rows.points.iter().map(at).collect();
                    let sum = |row: &Vec<f64>| {
                        let terms = row.iter().zip(&samples);
                        terms.fold([0.0; 6], |sum, (f, s)| std::array::from_fn(|c| sum[c] + f * s[c]))
                    };
                    out.extend(rows.factors.iter().map(sum));
                }
            }
            Shape::Bezier { mesh, tables } => {
                let mut rest = raw;
                for cell in &mesh.cells {
                    let (own, others) = rest.split_at(cell.points.len());
                    rest = others;
                    let mut values: Vec<[f64; 6]> = own.iter().map(|(.., stress)| *stress).collect();
                    if values.as_flattened().iter().all(|s| s.is_finite()) {
                        let sizes = [cell.degrees[0] + 1, cell.degrees[1] + 1];
                        for d in 0..2 {
                            values = along(&tables[cell.degrees[d] - 1].smoothing, &values, &sizes, d);
                        }
                    }
                    out.extend(values);
                }
            }
        }
        out
    }

    /// The stress of each cell at each of its places: number of the cell, place, stress.
    fn contributions(
        &self,
        displacement: &[[f64; 3]],
        pressures: &[f64],
        mut each: impl FnMut(usize, u32, &[f64; 6]),
    ) {
        let pressure = |cell: usize| pressures.get(cell).copied().unwrap_or(0.0);
        match &self.shape {
            Shape::Mesh { surface, positions, grid_points } => {
                let u: Vec<[f64; 3]> = surface.points.iter().map(|&p| displacement[p as usize]).collect();
                for (number, face) in surface.faces.iter().enumerate() {
                    let FaceBasis::Lagrange(shape) = &face.basis else {
                        unreachable!("faces of a mesh are Lagrange faces")
                    };
                    for (&xi, &point) in shape.reference_nodes().iter().zip(&face.points) {
                        let (_, tangents) = surface.tangents(number, xi, positions);
                        let (_, slopes) = surface.tangents(number, xi, &u);
                        let stress =
                            in_surface(&self.materials[number], &tangents, &slopes, pressure(number));
                        each(number, grid_points[point as usize], &stress);
                    }
                }
            }
            Shape::Bezier { mesh, tables } => {
                let mut u = vec![[0.0; 3]; mesh.points.len()];
                mesh.field_into(displacement, &mut u);
                for (number, cell) in mesh.cells.iter().enumerate() {
                    let at_lattice =
                        stress_of_cell(mesh, cell, tables, &self.materials[number], &u, pressure(number));
                    cell.points
                        .iter()
                        .zip(&at_lattice)
                        .for_each(|(&point, stress)| each(number, point, stress));
                }
            }
        }
    }
}

/// Points of a face at which stress is most accurate, and factors of their values at its nodes.
struct Extrapolation {
    points: Vec<[f64; 2]>,
    factors: Vec<Vec<f64>>,
}

/// One point of faces of the first degree; three points, or 2 × 2, of those of the second one.
fn extrapolation(shape: FaceShape) -> Extrapolation {
    let nodes = shape.reference_nodes();
    let constant = |point| Extrapolation { points: vec![point], factors: vec![vec![1.0]; nodes.len()] };
    match shape {
        FaceShape::Tri3 => constant([1.0 / 3.0; 2]),
        FaceShape::Quad4 => constant([0.5; 2]),
        FaceShape::Tri6 => {
            let (near, far) = (1.0 / 6.0, 2.0 / 3.0);
            let factors = |&[x, y]: &[f64; 2]| {
                vec![5.0 / 3.0 - 2.0 * (x + y), 2.0 * x - 1.0 / 3.0, 2.0 * y - 1.0 / 3.0]
            };
            Extrapolation {
                points: vec![[near, near], [far, near], [near, far]],
                factors: nodes.iter().map(factors).collect(),
            }
        }
        FaceShape::Quad8 | FaceShape::Quad9 => {
            let (line, _) = gauss_legendre(2);
            let factors = |&[x, y]: &[f64; 2]| {
                let (x, y) = (line_values(&line, x), line_values(&line, y));
                y.iter().flat_map(|b| x.iter().map(move |a| a * b)).collect()
            };
            Extrapolation {
                points: line.iter().flat_map(|&y| line.iter().map(move |&x| [x, y])).collect(),
                factors: nodes.iter().map(factors).collect(),
            }
        }
    }
}

/// Stress at the lattice i/p, j/q of a Bezier face. With X = w x and U = w u polynomial, ∂x = (∂X − x ∂w)/w
/// and ∂u alike.
fn stress_of_cell(
    mesh: &BezierMesh,
    cell: &BezierCell,
    tables: &[LineTables],
    material: &Material,
    u: &[[f64; 3]],
    pressure: f64,
) -> Vec<[f64; 6]> {
    let gather = |&point: &u32| {
        let n = point as usize;
        let ([x, y, z], [a, b, c], w) = (mesh.points[n], u[n], mesh.weights[n]);
        [w * x, w * y, w * z, w * a, w * b, w * c, w]
    };
    let control: Vec<[f64; 7]> = cell.points.iter().map(gather).collect();
    let sizes = [cell.degrees[0] + 1, cell.degrees[1] + 1];
    let evaluate = |derived: Option<usize>| {
        (0..2).fold(control.clone(), |block, d| {
            let table = &tables[cell.degrees[d] - 1];
            let matrix = if derived == Some(d) { &table.derivatives } else { &table.values };
            along(matrix, &block, &sizes, d)
        })
    };
    let (values, derivatives) = (evaluate(None), [0, 1].map(|d| evaluate(Some(d))));
    let at = |n: usize| {
        let (value, w) = (&values[n], values[n][6]);
        let slope = |d: usize, first: usize| {
            let derivative = &derivatives[d][n];
            [0, 1, 2].map(|a| (derivative[first + a] - value[first + a] / w * derivative[6]) / w)
        };
        in_surface(material, &[slope(0, 0), slope(1, 0)], &[slope(0, 3), slope(1, 3)], pressure)
    };
    (0..values.len()).map(at).collect()
}

/// As `SplineRecovery` does it for volumes.
fn to_control_values(mesh: &BezierMesh, tables: &[LineTables], at_lattice: &[[f64; 6]]) -> Stress {
    let n = mesh.points.len();
    let mut out = Stress::zero(n);
    for cell in &mesh.cells {
        let weights: Vec<f64> = cell.points.iter().map(|&n| mesh.weights[n as usize]).collect();
        let values = cell.points.iter().map(|&n| {
            let stress = at_lattice[n as usize];
            let [a, b, c, d, e, f] = stress;
            [a, b, c, d, e, f, von_mises(&stress)]
        });
        let control = control_values(tables, &cell.degrees[..2], &weights, values.collect());
        for (&point, [a, b, c, d, e, f, v]) in cell.points.iter().zip(control) {
            out.tensor[point as usize] = [a, b, c, d, e, f];
            out.von_mises[point as usize] = v.max(0.0);
        }
    }
    out
}

/// Stress at a point of the surface from its tangents and the derivatives of the displacement along the same
/// parameters; not finite where the surface is degenerate.
fn in_surface(
    material: &Material,
    tangents: &[[f64; 3]; 2],
    slopes: &[[f64; 3]; 2],
    pressure: f64,
) -> [f64; 6] {
    let [g1, g2] = tangents.map(nalgebra::Vector3::from);
    let area = g1.cross(&g2);
    let square = area.norm_squared();
    let normal = area / square.sqrt();
    let duals = [g2.cross(&area) / square, area.cross(&g1) / square];
    let gradient: nalgebra::Matrix3<f64> = slopes
        .iter()
        .zip(&duals)
        .map(|(slope, dual)| nalgebra::Vector3::from(*slope) * dual.transpose())
        .sum();
    let plane = nalgebra::Matrix3::identity() - normal * normal.transpose();
    let strain = plane * (0.5 * (gradient + gradient.transpose())) * plane;
    let ((lambda, mu), trace) = (material.lame(), strain.trace());
    let across = -(pressure + lambda * trace) / (lambda + 2.0 * mu);
    let stress =
        2.0 * mu * strain + lambda * (trace + across) * plane - pressure * normal * normal.transpose();
    [stress[(0, 0)], stress[(1, 1)], stress[(2, 2)], stress[(0, 1)], stress[(1, 2)], stress[(0, 2)]]
}
