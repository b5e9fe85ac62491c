//! Stress in pictures of bodies in large deformation: from a law, and from the stress of the scheme.

use std::f64::consts::FRAC_PI_2;

use carom_fem::constitutive::{ElasticLaw, ElasticModuli};
use carom_fem::internal_force::{InternalForce, PointRule, PointStress};
use carom_fem::stress::{of_gradient, von_mises};
use carom_fem::{Body, Discretisation, Geometry, Material, QuadratureRule};
use carom_mesh::CellShape;
use carom_mesh::make::{HexOptions, Solid, hexahedra};
use carom_nurbs::{Near, solids};
use carom_scene::{BodyGrid, Stress, StressRecovery, StressTheory};
use nalgebra::{Matrix3, Rotation3, Vector3};

const SIZE: [f64; 3] = [3.0, 2.0, 1.0];

fn steel() -> Material {
    Material { name: "steel".to_owned(), density: 7800.0, young: 210e9, poisson: 0.3 }
}

fn body(geometry: Geometry) -> Body {
    Body {
        name: "brick".to_owned(),
        geometry,
        materials: vec![steel()],
        material_of_block: vec![0],
        sections: Vec::new(),
    }
}

/// A brick of mesh cells of two orders, of a NURBS patch, and of a locally refined one.
fn bricks() -> Vec<(&'static str, Body)> {
    let mesh = |shape| {
        let options = HexOptions { shape, elements: vec![3, 2, 2], gradings: Vec::new(), pole_radius: None };
        body(Geometry::Mesh(hexahedra(Solid::Box { size: SIZE }, &options).unwrap()))
    };
    let patch = solids::block(SIZE).unwrap().elevate(2).unwrap().elements([2, 1, 1]).unwrap();
    let refined = patch.refine_near(&[Near::point([0.0; 3], 0.2, 1)]).unwrap();
    vec![
        ("hex8", mesh(CellShape::Hex8)),
        ("hex20", mesh(CellShape::Hex20)),
        ("NURBS", body(Geometry::Nurbs(patch))),
        ("locally refined", body(Geometry::Nurbs(refined))),
    ]
}

/// The displacement of x ↦ F x + b at the body's points.
fn affine(body: &Body, f: &Matrix3<f64>) -> Vec<[f64; 3]> {
    let moved = |x: &[f64; 3]| {
        let x = Vector3::from(*x);
        (f * x - x + Vector3::new(0.4, -7.0, 1.5)).into()
    };
    Discretisation::new(body).unwrap().points.iter().map(moved).collect()
}

fn turn(angle: f64) -> Matrix3<f64> {
    Rotation3::new(angle * Vector3::new(0.48, 0.6, 0.64)).into_inner()
}

fn grids(body: &Body) -> [BodyGrid; 2] {
    [BodyGrid::volume(body), BodyGrid::surface(body)]
}

fn shown(grid: &BodyGrid, body: &Body, law: &str, displacement: &[[f64; 3]]) -> Stress {
    let theory = StressTheory::named(law, body).unwrap();
    StressRecovery::with_theory(grid, body, &theory).unwrap().stress(displacement)
}

#[test]
fn a_rotated_brick_has_zero_stress() {
    let young = steel().young;
    for (name, body) in bricks() {
        for angle in [FRAC_PI_2, 1.0] {
            let displacement = affine(&body, &turn(angle));
            for grid in grids(&body) {
                for law in ["saint-venant-kirchhoff", "neo-hookean"] {
                    let stress = shown(&grid, &body, law, &displacement);
                    let largest = stress.von_mises.iter().fold(0.0_f64, |a, x| a.max(*x));
                    assert!(largest < 1e-12 * young, "{name}, {law}, {angle}: {largest:e}");
                }
                // In linear elasticity the rotation causes strain.
                let linear = shown(&grid, &body, "", &displacement);
                assert!(linear.von_mises.iter().all(|s| *s > 0.1 * young), "{name}");
            }
        }
    }
}

/// σ of F in the axes of space: neo-Hookean J⁻¹ (μ (F Fᵀ − E₃) + ½ λ (J² − 1) E₃), St. Venant-Kirchhoff
/// J⁻¹ F (λ tr E E₃ + 2 μ E) Fᵀ.
fn cauchy(law: &str, f: &Matrix3<f64>) -> [f64; 6] {
    let ((lambda, mu), one) = (steel().lame(), Matrix3::identity());
    let j = f.determinant();
    let s = if law == "neo-hookean" {
        (mu * (f * f.transpose() - one) + 0.5 * lambda * (j * j - 1.0) * one) / j
    } else {
        let e = 0.5 * (f.transpose() * f - one);
        f * (lambda * e.trace() * one + 2.0 * mu * e) * f.transpose() / j
    };
    [s[(0, 0)], s[(1, 1)], s[(2, 2)], s[(0, 1)], s[(1, 2)], s[(0, 2)]]
}

fn assert_constant(found: &Stress, expected: &[f64; 6], what: &str) {
    let scale = von_mises(expected);
    for (tensor, mises) in found.tensor.iter().zip(&found.von_mises) {
        for (f, e) in tensor.iter().zip(expected) {
            assert!((f - e).abs() < 1e-11 * scale, "{what}: {tensor:?} and {expected:?}");
        }
        assert!((mises / scale - 1.0).abs() < 1e-11, "{what}: {mises} and {scale}");
    }
}

#[test]
fn a_stretched_and_rotated_brick_has_the_rotated_stress() {
    let f = turn(1.0) * Matrix3::from_diagonal(&Vector3::new(1.4, 0.9, 0.85));
    for (name, body) in bricks() {
        let displacement = affine(&body, &f);
        for grid in grids(&body) {
            for law in ["saint-venant-kirchhoff", "neo-hookean"] {
                let found = shown(&grid, &body, law, &displacement);
                assert_constant(&found, &cauchy(law, &f), &format!("{name}, {law}"));
            }
        }
    }
}

/// The stress of a law at the quadrature points of a body.
fn stored(body: &Body, law: &str, rule: PointRule, displacement: &[[f64; 3]]) -> PointStress {
    let law = ElasticLaw::named(law, ElasticModuli::of(&body.materials[0])).unwrap();
    let discretisation = Discretisation::new(body).unwrap();
    let laws = vec![law; discretisation.blocks.len()];
    let mut internal = InternalForce::new(&discretisation, rule).unwrap();
    let history = internal.history(&laws);
    let points = internal.cauchy_stress(&laws, displacement.as_flattened(), &history).unwrap();
    PointStress::new(&discretisation, rule, points.values).unwrap()
}

const RULES: [PointRule; 3] =
    [PointRule::Centre, PointRule::Cell(QuadratureRule::Default), PointRule::Cell(QuadratureRule::High)];

#[test]
fn a_constant_stress_of_the_scheme_is_shown_exactly() {
    let f = turn(1.0) * Matrix3::from_diagonal(&Vector3::new(1.4, 0.9, 0.85));
    for (name, body) in bricks() {
        let displacement = affine(&body, &f);
        for rule in RULES {
            let points = stored(&body, "neo-hookean", rule, &displacement);
            for grid in grids(&body) {
                let found = StressRecovery::new(&grid, &body).unwrap().stress_of_points(&points);
                assert_constant(&found, &cauchy("neo-hookean", &f), &format!("{name}, {rule:?}"));
            }
        }
    }
}

/// A linear stress is extrapolated to the nodes of meshes and to the lattice of NURBS.
#[test]
fn a_linear_stress_of_the_scheme_is_extrapolated() {
    let c = 1e-4;
    for (name, body) in bricks().into_iter().filter(|(name, _)| ["hex20", "NURBS"].contains(name)) {
        // The products of coordinates of control points are coefficients of the product: the axes of the
        // patch are those of space.
        let displacement: Vec<[f64; 3]> = Discretisation::new(&body)
            .unwrap()
            .points
            .iter()
            .map(|[x, y, z]| [c * x * z, c * y * z, 0.0])
            .collect();
        let grid = BodyGrid::volume(&body);
        for rule in &RULES[1..] {
            let points = stored(&body, ElasticLaw::NAMES[0], *rule, &displacement);
            let found = StressRecovery::new(&grid, &body).unwrap().stress_of_points(&points);
            let exact = |[x, y, z]: [f64; 3]| {
                of_gradient(&steel(), &[[c * z, 0.0, c * x], [0.0, c * z, c * y], [0.0; 3]])
            };
            let scale = von_mises(&exact(SIZE));
            // Control values of linear functions are their values at the control points.
            for (x, tensor) in grid.grid.points.iter().zip(&found.tensor) {
                for (f, e) in tensor.iter().zip(exact(*x)) {
                    assert!((f - e).abs() < 1e-11 * scale, "{name}, {rule:?}: {tensor:?} at {x:?}");
                }
            }
        }
    }
}

#[test]
fn an_unknown_law_and_the_stress_of_another_body_are_refused() {
    let (_, body) = bricks().remove(0);
    let error = StressTheory::named("rubber", &body).unwrap_err().to_string();
    assert!(error.contains("no constitutive law `rubber`"), "{error}");
    let discretisation = Discretisation::new(&body).unwrap();
    let error = PointStress::new(&discretisation, PointRule::Centre, vec![[0.0; 6]; 7]).unwrap_err();
    assert_eq!((error.found, error.expected), (7, 12));
}

/// The pressure of cells with mean dilatation, and the stress of cells with one point, is constant in a cell:
/// the stress from the displacement is then that of the scheme's points, for the law and for linear
/// elasticity.
#[test]
fn elements_with_coupled_points_have_the_stress_of_the_scheme() {
    let (_, body) = bricks().remove(0);
    let grid = BodyGrid::volume(&body);
    // Not linear in the place, so that the points of a cell have different volume ratios.
    let points = Discretisation::new(&body).unwrap().points;
    let displacement: Vec<[f64; 3]> =
        points.iter().map(|[x, y, z]| [0.01 * x * x * y, 0.02 * x * z, -0.01 * y * z * z]).collect();
    let pressures =
        |stress: &Stress| -> Vec<f64> { stress.tensor.iter().map(|s| (s[0] + s[1] + s[2]) / 3.0).collect() };
    for rule in [PointRule::MeanDilatation, PointRule::OnePoint] {
        for law in ["neo-hookean", ""] {
            let theory = StressTheory::named(law, &body).unwrap();
            let recovery = StressRecovery::with_theory(&grid, &body, &theory).unwrap();
            let plain = recovery.stress(&displacement);
            let recovery = recovery.with_elements(rule);
            let found = recovery.stress(&displacement);
            let scheme = if law.is_empty() { "small-strain" } else { law };
            let expected = recovery.stress_of_points(&stored(&body, scheme, rule, &displacement));
            let scale = pressures(&expected).iter().fold(0.0_f64, |most, p| most.max(p.abs()));
            let error = |stress: &Stress| {
                let pairs = pressures(stress).into_iter().zip(pressures(&expected));
                pairs.fold(0.0_f64, |most, (a, b)| most.max((a - b).abs())) / scale
            };
            assert!(error(&found) < 1e-12, "{rule:?}, `{law}`: {:e}", error(&found));
            assert!(error(&plain) > 1e-3, "{rule:?}, `{law}`: the plain stress differs, {:e}", error(&plain));
            if rule == PointRule::OnePoint {
                for (a, b) in found.tensor.iter().flatten().zip(expected.tensor.iter().flatten()) {
                    assert!((a - b).abs() < 1e-12 * scale, "`{law}`: {a} {b}");
                }
            }
        }
    }
}
