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
use carom_nurbs::bezier::{BezierCell, BezierMesh};

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
        let pressure = |cell: usize| pressures.get(cell).copied().unwrap_or(0.0);
        let mut averages = Averages::new(n);
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
                        averages.add(grid_points[point as usize], &stress);
                    }
                }
                let tensor = averages.finish();
                let von_mises = tensor.iter().map(von_mises).collect();
                Stress { tensor, von_mises }
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
                        .for_each(|(&point, stress)| averages.add(point, stress));
                }
                to_control_values(mesh, tables, &averages.finish())
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
