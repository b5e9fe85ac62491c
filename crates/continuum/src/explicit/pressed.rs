//! Pressure on the deformed surface of a body, without memory from the heap in a step.

use carom_fem::surface::MAX_FACE_POINTS;
use carom_fem::{FaceBasis, Surface};
use carom_mesh::quadrature::Quadrature;
use nalgebra::{Matrix3, Vector3};

/// A pressure on faces, with their shape functions at all quadrature points.
pub(crate) struct Pressed {
    /// Positive in compression \[Pa\].
    value: f64,
    faces: Vec<PressedFace>,
}

/// One face.
struct PressedFace {
    /// Points of the body.
    points: Vec<u32>,
    /// +1 if y,₁ × y,₂ points out of the body.
    orientation: f64,
    /// w, then R_i, R_i,1 and R_i,2 of all points, at each quadrature point.
    places: Vec<(f64, Vec<[f64; 3]>)>,
}

impl Pressed {
    /// A pressure on a surface of a body.
    pub(crate) fn new(surface: &Surface, value: f64) -> Self {
        let faces = (0..surface.faces.len()).map(|face| PressedFace::new(surface, face)).collect();
        Self { value, faces }
    }

    /// Adds the forces on the points of the body \[N\].
    ///
    /// ```text
    /// f_i = −∫ p R_i y,₁ × y,₂ dξ,    y = Σ R_i x_i
    /// ```
    ///
    /// * `at` — position of a point of the body \[m\]
    pub(crate) fn add_forces(&self, at: impl Fn(u32) -> Vector3<f64>, forces: &mut [f64]) {
        for face in &self.faces {
            for (weight, shape) in &face.places {
                let tangent = |a: usize| -> Vector3<f64> {
                    face.points.iter().zip(shape).map(|(&point, r)| r[a] * at(point)).sum()
                };
                let pressure = -self.value * weight * face.orientation * tangent(1).cross(&tangent(2));
                for (&point, [r, ..]) in face.points.iter().zip(shape) {
                    let force = &mut forces[3 * point as usize..3 * point as usize + 3];
                    (0..3).for_each(|d| force[d] += r * pressure[d]);
                }
            }
        }
    }
}

impl Pressed {
    /// Calls `add` with two points and the derivative of the force on the first by the place of the second
    /// \[N/m\].
    ///
    /// ```text
    /// ∂f_i/∂x_j = ∫ p R_i (R_j,₁ [y,₂]× − R_j,₂ [y,₁]×) dξ
    /// ```
    pub(crate) fn for_slopes(
        &self,
        at: impl Fn(u32) -> Vector3<f64>,
        mut add: impl FnMut(u32, u32, Matrix3<f64>),
    ) {
        for face in &self.faces {
            for (weight, shape) in &face.places {
                let tangent = |a: usize| -> Vector3<f64> {
                    face.points.iter().zip(shape).map(|(&point, r)| r[a] * at(point)).sum()
                };
                let [along, across] = [tangent(1), tangent(2)].map(|y| y.cross_matrix());
                let pressure = self.value * weight * face.orientation;
                for (&first, [r, ..]) in face.points.iter().zip(shape) {
                    for (&second, [_, r_1, r_2]) in face.points.iter().zip(shape) {
                        add(first, second, pressure * *r * (*r_1 * across - *r_2 * along));
                    }
                }
            }
        }
    }
}

impl PressedFace {
    fn new(surface: &Surface, face: usize) -> Self {
        let of = &surface.faces[face];
        let n = of.points.len();
        let rule = rule(&of.basis);
        let place = |(xi, &weight): (&[f64; 3], &f64)| {
            let (mut r, mut r_a, mut r_ab) =
                ([0.0; MAX_FACE_POINTS], [[0.0; 2]; MAX_FACE_POINTS], [[0.0; 3]; MAX_FACE_POINTS]);
            surface.shape_into(face, [xi[0], xi[1]], &mut r, &mut r_a, &mut r_ab);
            (weight, (0..n).map(|i| [r[i], r_a[i][0], r_a[i][1]]).collect())
        };
        Self {
            points: of.points.iter().map(|&k| surface.points[k as usize]).collect(),
            orientation: of.orientation,
            places: rule.points.iter().zip(&rule.weights).map(place).collect(),
        }
    }
}

/// The rule that integrates a uniform pressure on polynomial faces exactly.
fn rule(basis: &FaceBasis) -> Quadrature {
    match basis {
        FaceBasis::Lagrange(shape) => {
            let n = if shape.n_corners() == shape.n_nodes() { 2 } else { 4 };
            if shape.is_triangle() { Quadrature::triangle(n) } else { Quadrature::square(n) }
        }
        FaceBasis::Spline { degrees, .. } | FaceBasis::Combined { degrees, .. } => {
            Quadrature::square(degrees[0].max(degrees[1]) + 2)
        }
    }
}
