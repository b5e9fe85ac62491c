//! Bounds of the frequencies of structural elements.
//!
//! The stiffness of an element is a sum of products b bᵀ, b the forces of a unit resultant times the root of
//! its stiffness. With the element's own masses the largest frequency of any element bounds those of the
//! body. Stiffnesses are those of the undeformed law, in the present configuration; the geometric stiffness,
//! smaller by stress over modulus, is left out.

use faer::Mat;
use nalgebra::Vector3;

use super::beam::{BeamCell, BeamState};
use super::shell::{ShellCell, ShellState};
use crate::Material;
use crate::constitutive::LANES;
use crate::internal_force::frequencies::largest_eigenvalue;

/// Memory for the matrices of one element.
pub(super) struct Room {
    /// Vectors b, six numbers a node.
    vectors: Vec<[f64; 24]>,
    matrix: Mat<f64>,
    square: Mat<f64>,
}

impl Room {
    pub(super) fn new(n_nodes: usize) -> Self {
        let n = 6 * n_nodes;
        Self { vectors: Vec::with_capacity(8 * LANES), matrix: Mat::zeros(n, n), square: Mat::zeros(n, n) }
    }

    fn push(&mut self, factor: f64, forces: &[[Vector3<f64>; 2]], masses: &[[f64; 2]]) {
        let mut b = [0.0; 24];
        for (a, (forces, masses)) in forces.iter().zip(masses).enumerate() {
            for (k, (force, mass)) in forces.iter().zip(masses).enumerate() {
                (0..3).for_each(|d| b[6 * a + 3 * k + d] = factor * force[d] / mass.sqrt());
            }
        }
        self.vectors.push(b);
    }

    /// The bound of ω of the sum of all vectors \[rad/s\].
    fn bound(&mut self) -> f64 {
        let n = self.matrix.nrows();
        for j in 0..n {
            for i in j..n {
                let sum: f64 = self.vectors.iter().map(|b| b[i] * b[j]).sum();
                self.matrix[(i, j)] = sum;
                self.matrix[(j, i)] = sum;
            }
        }
        self.vectors.clear();
        largest_eigenvalue(&mut self.matrix, &mut self.square).sqrt()
    }
}

/// The bound of a shell element \[rad/s\].
///
/// * `masses` — mass and rotary inertia of each of its nodes \[kg, kg m²\]
pub(super) fn of_shell(
    room: &mut Room,
    cell: &ShellCell,
    state: &ShellState,
    (thickness, shear_factor): (f64, f64),
    material: &Material,
    masses: &[[f64; 2]],
) -> f64 {
    let (_, shear) = material.lame();
    let (young, poisson) = (material.young, material.poisson);
    // Plane stress by its principal states: equal stretch both ways, opposite stretch, shear.
    let root = std::f64::consts::FRAC_1_SQRT_2;
    let plane = [
        ([root, root, 0.0], young / (1.0 - poisson)),
        ([root, -root, 0.0], young / (1.0 + poisson)),
        ([0.0, 0.0, 1.0], shear),
    ];
    for l in 0..LANES {
        let area = cell.weights[l];
        if area == 0.0 {
            continue;
        }
        let mut add = |first: usize, direction: &[f64], stiffness: f64| {
            let mut resultants = [[0.0; 8]; LANES];
            resultants[l][first..first + direction.len()].copy_from_slice(direction);
            let forces = cell.forces(state, &resultants);
            room.push((stiffness * area).sqrt(), &forces[..cell.n], masses);
        };
        for (direction, modulus) in &plane {
            add(0, direction, modulus * thickness);
            add(3, direction, modulus * thickness.powi(3) / 12.0);
        }
        for k in 6..8 {
            add(k, &[1.0], shear_factor * shear * thickness);
        }
    }
    room.bound()
}

/// The bound of a beam \[rad/s\].
pub(super) fn of_beam(room: &mut Room, cell: &BeamCell, state: &BeamState, masses: &[[f64; 2]]) -> f64 {
    for (k, stiffness) in cell.stiffness().iter().enumerate() {
        for d in 0..3 {
            let mut resultants = [Vector3::zeros(); 2];
            resultants[k][d] = 1.0;
            // Forces of unit resultants belong to strains times the length.
            room.push((stiffness[d] / cell.length).sqrt(), &state.forces(resultants), masses);
        }
    }
    room.bound()
}
