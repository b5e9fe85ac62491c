//! Deformed bodies of every kind of cell, and vectors over their dofs, for the tests of large deformation.

use carom_fem::constitutive::{ElasticLaw, ElasticModuli};
use carom_fem::internal_force::{InternalForce, PointRule};
use carom_fem::{Body, Discretisation};
use carom_mesh::CellShape;
use carom_nurbs::{Multipatch, Near, solids};

use crate::bodies::{block, distort, nurbs_body, quarter_ring, spline_block};

/// A body of each kind of mesh cell, B-splines, NURBS, several patches, and a locally refined patch.
pub(crate) fn every_kind() -> Vec<(String, Body)> {
    let mut bodies: Vec<(String, Body)> = CellShape::SOLIDS
        .iter()
        .map(|&shape| (shape.name().to_owned(), block(shape, 2, |x| distort(x, 0.02))))
        .collect();
    bodies.push(("spline p = 2".to_owned(), spline_block(2, 3, |x| distort(x, 0.02))));
    bodies.push(("quarter ring p = 2".to_owned(), quarter_ring(2, 2)));
    bodies.push(("quarter ring p = 3".to_owned(), quarter_ring(3, 1)));
    bodies.push(("ball".to_owned(), nurbs_body(solids::ball(1.0, None).unwrap())));
    bodies.push(("locally refined".to_owned(), locally_refined()));
    bodies
}

/// A cube of degree 2 with a refined corner, so that it has hanging points.
fn locally_refined() -> Body {
    let carom_fem::Geometry::Nurbs(whole) = spline_block(2, 2, |x| x).geometry else { unreachable!() };
    let whole = Multipatch::glue(whole.patches).unwrap();
    nurbs_body(whole.refine_near(&[Near::point([0.1, 0.2, 0.0], 0.05, 1)]).unwrap())
}

/// A law of each kind with moduli of the order of 1.
pub(crate) fn every_law() -> Vec<ElasticLaw> {
    let moduli = soft();
    ElasticLaw::NAMES.iter().map(|name| ElasticLaw::named(name, moduli).unwrap()).collect()
}

pub(crate) fn soft() -> ElasticModuli {
    ElasticModuli::from_young_poisson(2.5, 0.3).unwrap()
}

/// The laws of a body: the same for all blocks.
pub(crate) fn laws<L: Copy>(discretisation: &Discretisation, law: L) -> Vec<L> {
    vec![law; discretisation.blocks.len()]
}

pub(crate) fn internal(body: &Body) -> (Discretisation, InternalForce) {
    let discretisation = Discretisation::new(body).unwrap();
    let internal = InternalForce::new(&discretisation, PointRule::default()).unwrap();
    (discretisation, internal)
}

/// A displacement of each point.
pub(crate) fn displacement(d: &Discretisation, u: impl Fn([f64; 3]) -> [f64; 3]) -> Vec<f64> {
    d.points.iter().flat_map(|&x| u(x)).collect()
}

/// A smooth displacement with gradients up to about 0.3 that is neither affine nor small.
pub(crate) fn waves(d: &Discretisation) -> Vec<f64> {
    displacement(d, |[x, y, z]| {
        [
            0.10 * (1.3 * y + 0.4).sin() + 0.06 * x * z,
            0.12 * (1.1 * z - 0.7 * x).sin() - 0.05 * y * y,
            0.09 * (1.7 * x).cos() + 0.08 * y * z,
        ]
    })
}

/// A vector of pseudo-random entries.
pub(crate) fn noise(n: usize, size: f64) -> Vec<f64> {
    (0..n).map(|k| size * (1.7 * k as f64 + 0.3).sin()).collect()
}

pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

pub(crate) fn largest(a: &[f64]) -> f64 {
    a.iter().fold(0.0, |m, x| if x.abs() <= m { m } else { x.abs() })
}

/// a + s b.
pub(crate) fn sum(a: &[f64], s: f64, b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(x, y)| x + s * y).collect()
}

pub(crate) fn difference(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    largest(&sum(a, -1.0, b))
}

/// The rotation by an angle about an axis of length 1.
pub(crate) fn rotation(axis: [f64; 3], angle: f64) -> [[f64; 3]; 3] {
    let (s, c) = angle.sin_cos();
    let cross = [[0.0, -axis[2], axis[1]], [axis[2], 0.0, -axis[0]], [-axis[1], axis[0], 0.0]];
    std::array::from_fn(|a| {
        std::array::from_fn(|b| {
            let unit = if a == b { c } else { 0.0 };
            unit + s * cross[a][b] + (1.0 - c) * axis[a] * axis[b]
        })
    })
}

pub(crate) fn times(m: &[[f64; 3]; 3], x: [f64; 3]) -> [f64; 3] {
    m.map(|row| row[0] * x[0] + row[1] * x[1] + row[2] * x[2])
}

/// The displacement of x ↦ F x + b.
pub(crate) fn affine(d: &Discretisation, f: &[[f64; 3]; 3], b: [f64; 3]) -> Vec<f64> {
    displacement(d, |x| {
        let y = times(f, x);
        [0, 1, 2].map(|a| y[a] - x[a] + b[a])
    })
}
