//! The volume that a surface encloses.

use carom_fem::Surface;
use carom_fem::surface::MAX_FACE_POINTS;
use carom_mesh::quadrature::Quadrature;
use nalgebra::{Matrix3, Vector3};

use crate::silhouette::bounds;

/// Change of the integral of a face at convergence, over the largest contribution of a point times their
/// number.
const TOLERANCE: f64 = 1e-4;

/// Points per direction of a face: the first number, and the last one, after which the integral is taken as
/// it is.
const POINTS: [usize; 2] = [2, 32];

/// Volume of a body to a thousandth, from its closed surface of quadrilateral faces \[m³\].
///
/// ```text
/// ∫ dV = ⅓ ∮ x·n dA,   n dA = ± y,₁ × y,₂ dξ₁ dξ₂
/// ```
///
/// Each face is integrated with more and more Gauss points until its part no longer changes.
///
/// * `surface` — valid, see [`Surface::validate`]
/// * `positions` — of its points \[m\]
pub(crate) fn rough_volume(surface: &Surface, positions: &[Vector3<f64>]) -> f64 {
    let mut flux = Flux::new(surface, positions);
    let mut rules = Vec::new();
    (0..surface.faces.len()).map(|face| part_of_face(&mut flux, face, &mut rules)).sum()
}

/// Volume of a body, right but for a factor of two, from four points on each face \[m³\]; none if parts of
/// its surface cancel each other, as those of thin shells do: their errors may be larger than the volume.
///
/// * `surface`, `positions` — as for [`rough_volume`]
pub(crate) fn coarse_volume(surface: &Surface, positions: &[Vector3<f64>]) -> Option<f64> {
    let mut flux = Flux::new(surface, positions);
    let rule = Quadrature::square(POINTS[0]);
    let (mut volume, mut size) = (0.0, 0.0);
    for face in 0..surface.faces.len() {
        let part = integral(&mut flux, face, &rule).0;
        volume += part;
        size += part.abs();
    }
    (volume > 0.0 && size <= 1.5 * volume).then_some(volume)
}

/// Integral over a face by a quadrature rule, and the largest contribution of a point times their number.
fn integral(flux: &mut Flux<'_>, face: usize, rule: &Quadrature) -> (f64, f64) {
    let (mut sum, mut size) = (0.0, 0.0_f64);
    for (xi, weight) in rule.points.iter().zip(&rule.weights) {
        let value = weight * flux.at(face, [xi[0], xi[1]]);
        sum += value;
        size = size.max(value.abs() * rule.points.len() as f64);
    }
    (sum, size)
}

/// The part of a face in the volume.
///
/// * `rules` — quadrature rules from the first number of points on, completed as needed
fn part_of_face(flux: &mut Flux<'_>, face: usize, rules: &mut Vec<Quadrature>) -> f64 {
    let [first, last] = POINTS;
    let mut old: Option<f64> = None;
    for n in first..=last {
        if rules.len() <= n - first {
            rules.push(Quadrature::square(n));
        }
        let (sum, size) = integral(flux, face, &rules[n - first]);
        if n == last || old.is_some_and(|old| (sum - old).abs() <= TOLERANCE * size) {
            return sum;
        }
        old = Some(sum);
    }
    unreachable!("the loop returns at its last number of points")
}

/// The integrand on the faces of a surface, with the work space for shape functions and their derivatives.
struct Flux<'a> {
    surface: &'a Surface,
    positions: Vec<Vector3<f64>>,
    values: [f64; MAX_FACE_POINTS],
    first: [[f64; 2]; MAX_FACE_POINTS],
    second: [[f64; 3]; MAX_FACE_POINTS],
}

impl<'a> Flux<'a> {
    fn new(surface: &'a Surface, positions: &[Vector3<f64>]) -> Self {
        let [low, high] = bounds(positions);
        // Coordinates relative to the middle of the body avoid cancellation.
        let center = 0.5 * (low + high);
        Self {
            surface,
            positions: positions.iter().map(|x| x - center).collect(),
            values: [0.0; MAX_FACE_POINTS],
            first: [[0.0; 2]; MAX_FACE_POINTS],
            second: [[0.0; 3]; MAX_FACE_POINTS],
        }
    }

    /// ⅓ x·n dA/(dξ₁ dξ₂) at a point of a face.
    fn at(&mut self, face: usize, xi: [f64; 2]) -> f64 {
        self.surface.shape_into(face, xi, &mut self.values, &mut self.first, &mut self.second);
        let face = &self.surface.faces[face];
        let (mut x, mut tangents) = (Vector3::zeros(), [Vector3::zeros(); 2]);
        for ((value, slopes), &point) in self.values.iter().zip(&self.first).zip(&face.points) {
            let position = self.positions[point as usize];
            x += *value * position;
            tangents[0] += slopes[0] * position;
            tangents[1] += slopes[1] * position;
        }
        face.orientation / 3.0 * Matrix3::from_columns(&[x, tangents[0], tangents[1]]).determinant()
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use carom_fem::{Discretisation, Material};
    use carom_make::shape::Grade;
    use carom_make::{Place, Shape, ShapeOptions, make};
    use carom_progress::Silent;

    use super::*;

    /// Volume of a body by its surface, to a thousandth and coarsely.
    fn volumes(options: &ShapeOptions) -> (f64, Option<f64>) {
        let body = make(options, "b", Material::named("steel").unwrap(), &Silent).unwrap();
        let discretisation = Discretisation::new(&body).unwrap();
        let surface = discretisation.surface(&body.boundary_faces());
        let position = |&point: &u32| Vector3::from(discretisation.points[point as usize]);
        let positions: Vec<Vector3<f64>> = surface.points.iter().map(position).collect();
        (rough_volume(&surface, &positions), coarse_volume(&surface, &positions))
    }

    /// Coarse bodies with whole quarters of circles on a face, focused and graded ones.
    #[test]
    fn surfaces_enclose_the_volume_of_their_body_to_a_thousandth() {
        let (r, l) = (0.015, 0.4);
        let of = |shape: Shape| ShapeOptions { radius: Some(r), ..ShapeOptions::of(shape) };
        let ball = 4.0 / 3.0 * PI * r * r * r;
        let graded = |at: &str| vec![Grade { at: Place::Set(at.to_owned()), finest: 1e-3, radius: None }];
        let rod = ShapeOptions { length: Some(l), ..of(Shape::Rod) };
        let cases = [
            ("ball", of(Shape::Ball), ball),
            (
                "focused ball",
                ShapeOptions { focus: Some(2.5), grade: graded("pole"), ..of(Shape::Ball) },
                ball,
            ),
            ("rod", rod.clone(), PI * r * r * l),
            (
                "graded rod",
                ShapeOptions { elements: vec![16, 1, 1], grade: graded("end_pole"), ..rod },
                PI * r * r * l,
            ),
            (
                "tube",
                ShapeOptions { length: Some(l), inner_radius: Some(0.5 * r), ..of(Shape::Tube) },
                0.75 * PI * r * r * l,
            ),
            ("box", ShapeOptions { size: Some([0.1, 0.2, 0.3]), ..ShapeOptions::of(Shape::Box) }, 0.006),
        ];
        for (name, options, expected) in cases {
            let (volume, coarse) = volumes(&options);
            let error = volume / expected - 1.0;
            assert!(error.abs() < 1e-3, "{name}: {error:.1e}");
            // Inner sides of the tube cancel a quarter of the volume; other parts of a surface cancel none.
            match coarse {
                Some(coarse) => assert!((0.7..1.4).contains(&(coarse / expected)), "{name}: {coarse:e}"),
                None => assert_eq!(name, "tube"),
            }
        }
    }

    /// The wall is a hundredth of the radius: errors of its two sides may exceed its volume.
    #[test]
    fn thin_walls_have_no_coarse_volume() {
        let (r, l) = (0.015, 0.4);
        let options = ShapeOptions {
            radius: Some(r),
            inner_radius: Some(0.99 * r),
            length: Some(l),
            ..ShapeOptions::of(Shape::Tube)
        };
        let (volume, coarse) = volumes(&options);
        let expected = PI * r * r * l * (1.0 - 0.99_f64.powi(2));
        assert!((volume / expected - 1.0).abs() < 0.1, "{volume:e} {expected:e}");
        assert_eq!(coarse, None);
    }
}
