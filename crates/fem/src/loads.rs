//! Consistent point forces of loads: f_i is the work of the load on the function R_i.

use carom_linalg::NodeMatrix;
use carom_mesh::FaceRef;
use faer::Mat;

use crate::Discretisation;
use crate::face::{integrate_faces, load_points};

/// Forces of a pressure on faces, one vector a body point \[N\].
///
/// ```text
/// f_i = −∫ p R_i n dA,    n out of the body
/// ```
///
/// * `pressure` — p \[Pa\], positive in compression
///
/// # Panics
///
/// If a face does not exist.
pub fn pressure_force(discretisation: &Discretisation, faces: &[FaceRef], pressure: f64) -> Vec<[f64; 3]> {
    let mut force = vec![[0.0; 3]; discretisation.n_cell_point_ids()];
    integrate_faces(discretisation, faces, load_points, |evaluator, area, _| {
        for (&id, value) in evaluator.ids().iter().zip(evaluator.values()) {
            for a in 0..3 {
                force[id as usize][a] -= pressure * value * area[a];
            }
        }
    });
    discretisation.gathered(force)
}

/// Forces of a uniform traction on faces, one vector a body point \[N\]: f_i = ∫ R_i t dA.
///
/// * `traction` — t \[Pa\]
///
/// # Panics
///
/// If a face does not exist.
pub fn traction_force(
    discretisation: &Discretisation,
    faces: &[FaceRef],
    traction: [f64; 3],
) -> Vec<[f64; 3]> {
    varying_traction_force(discretisation, faces, |_| traction)
}

/// Forces of a traction field on faces, one vector a body point \[N\]: f_i = ∫ R_i t dA.
///
/// * `traction` — t at a position \[m\] of the undeformed body \[Pa\]
///
/// # Panics
///
/// If a face does not exist.
pub fn varying_traction_force(
    discretisation: &Discretisation,
    faces: &[FaceRef],
    traction: impl Fn([f64; 3]) -> [f64; 3],
) -> Vec<[f64; 3]> {
    let mut force = vec![[0.0; 3]; discretisation.n_cell_point_ids()];
    integrate_faces(discretisation, faces, load_points, |evaluator, area, position| {
        let (area, traction) = (norm(area), traction(position));
        for (&id, value) in evaluator.ids().iter().zip(evaluator.values()) {
            for a in 0..3 {
                force[id as usize][a] += value * area * traction[a];
            }
        }
    });
    discretisation.gathered(force)
}

/// Forces of a total force spread evenly over faces, one vector a body point \[N\].
///
/// * `total` — its sum \[N\]
///
/// Faces without area carry no force.
///
/// # Panics
///
/// If a face does not exist.
pub fn total_force(discretisation: &Discretisation, faces: &[FaceRef], total: [f64; 3]) -> Vec<[f64; 3]> {
    let area = area(discretisation, faces);
    let traction = if area > 0.0 { total.map(|f| f / area) } else { [0.0; 3] };
    traction_force(discretisation, faces, traction)
}

/// Area of faces by the rule of the loads \[m²\].
///
/// # Panics
///
/// If a face does not exist.
pub fn area(discretisation: &Discretisation, faces: &[FaceRef]) -> f64 {
    let mut sum = 0.0;
    integrate_faces(discretisation, faces, load_points, |_, area, _| sum += norm(area));
    sum
}

/// Forces of a uniform acceleration field such as gravity, one vector a body point \[N\]: f = M g.
///
/// By the mass matrix itself, so that a free body falls without straining.
///
/// * `mass` — M_s \[kg\]
/// * `acceleration` — g \[m/s²\]
pub fn gravity_force(mass: &NodeMatrix, acceleration: [f64; 3]) -> Vec<[f64; 3]> {
    let ones = Mat::from_fn(mass.n_nodes(), 1, |_, _| 1.0);
    let sums = mass.node_product(ones.as_ref());
    (0..mass.n_nodes()).map(|k| acceleration.map(|g| sums[(k, 0)] * g)).collect()
}

fn norm(v: [f64; 3]) -> f64 {
    (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt()
}
