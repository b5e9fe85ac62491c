//! Frequencies of the reference meshes: they verify the element matrices for each quadrature
//! rule.

use std::f64::consts::TAU;

use carom_fem::{Body, Discretisation, QuadratureRule, assemble};
use carom_linalg::eigen::{Wanted, lowest_pairs};
use carom_linalg::{Cholesky, DofSet};
use carom_progress::Silent;
use carom_testing::{json_file, shared_data};

use crate::bodies::{digits, mesh_body, nurbs_body};

/// The lowest frequencies \[Hz\] of a body without the nodes of a set; six rigid ones of a free body are left
/// out.
fn frequencies(body: &Body, clamped: Option<&str>, rule: QuadratureRule, count: usize) -> Vec<f64> {
    let discretisation = Discretisation::new(body).unwrap();
    let system = assemble(&discretisation, rule, &Silent).unwrap();
    let mut free: Vec<[bool; 3]> = discretisation.point_is_used().into_iter().map(|used| [used; 3]).collect();
    let n_rigid = if clamped.is_some() { 0 } else { 6 };
    // Shifts of the order of the first elastic eigenvalue keep the free problem well conditioned.
    let mut shift = 0.0;
    if let Some(set) = clamped {
        for node in body.points_of_set(&discretisation, set).unwrap() {
            free[node as usize] = [false; 3];
        }
    } else {
        shift =
            1e-3 * system.stiffness.trace() / (3.0 * system.mass.trace()) / discretisation.n_points() as f64;
    }
    let mass = (shift > 0.0).then_some((&system.mass, shift));
    let factor = Cholesky::new(&system.stiffness, mass, DofSet::from_flags(free), &Silent).unwrap();
    let wanted = Wanted::Count(count + n_rigid);
    let (pairs, _) = lowest_pairs(&system.stiffness, &system.mass, factor, shift, wanted, &Silent).unwrap();
    pairs.lambda[n_rigid..].iter().map(|lambda| lambda.max(0.0).sqrt() / TAU).collect()
}

fn largest_difference(found: &[f64], expected: &[f64]) -> f64 {
    found.iter().zip(expected).map(|(a, b)| (a / b - 1.0).abs()).fold(0.0, f64::max)
}

#[test]
fn small_reference_meshes_have_the_published_frequencies() {
    let Some(path) = shared_data("meshes/reference.json") else { return };
    let reference = json_file(&path);
    for name in [
        "beam_hex20.msh",
        "sphere_tet10.msh",
        "hollow_sphere_tet10.msh",
        "hollow_sphere_hex8.msh",
        "conrod_tet4.msh",
        "component8_tet10.msh",
    ] {
        let body = mesh_body(carom_mesh::msh::read(&path.with_file_name(name)).unwrap().0);
        for case in ["free_free", "clamped"] {
            let expected = &reference[name][case];
            let Some(clamped) = expected.get("clamped_group").map(|group| group.as_str()) else { continue };
            for (key, rule) in [("hz", QuadratureRule::Default), ("hz_high_quadrature", QuadratureRule::High)]
            {
                let Some(hz) = expected[key].as_array() else { continue };
                let hz: Vec<f64> = hz.iter().map(|x| x.as_f64().unwrap()).collect();
                let found = frequencies(&body, clamped, rule, hz.len());
                let error = largest_difference(&found, &hz);
                eprintln!("{name} {case} {key}: {error:.1e}");
                assert!(error < 1e-6, "{name} {case} {key}: {error:.1e}: {found:?}, not {hz:?}");
            }
        }
    }
}

/// Lamb's dimensionless roots η = ω R √(ρ/μ) of a free sphere with ν = 0.3: T2 (×5), S2 (×5), S1 (×3).
const LAMB: [(f64, usize); 3] = [(2.501132620409397, 5), (2.646217034871664, 5), (3.5299873006398093, 3)];

/// Relative frequency errors of the first 13 elastic modes of the exact sphere, R = 1 m.
fn lamb_errors(p: usize, n: usize) -> Vec<f64> {
    let ball = carom_nurbs::solids::ball(1.0, None).unwrap().with_degree(p).unwrap().subdivide(n).unwrap();
    let body = nurbs_body(ball);
    let shear_speed = (body.materials[0].lame().1 / body.materials[0].density).sqrt();
    let lamb = LAMB.iter().flat_map(|&(eta, copies)| std::iter::repeat_n(eta * shear_speed / TAU, copies));
    let found = frequencies(&body, None, QuadratureRule::Default, 13);
    let errors: Vec<f64> = found.iter().zip(lamb).map(|(a, b)| a / b - 1.0).collect();
    eprintln!("p = {p}, {n}³ spans a patch: {}", digits(&errors));
    errors
}

fn largest(errors: &[f64]) -> f64 {
    errors.iter().fold(0.0, |m, e| m.max(e.abs()))
}

#[test]
fn exact_sphere_has_lambs_frequencies() {
    // The bounds are those of other codes at the same number of dofs: 1551, 2928, 4953.
    assert!(largest(&lamb_errors(4, 1)) < 5e-4);
    assert!(largest(&lamb_errors(4, 2)[5..10]) < 2.5e-5);
    assert!(largest(&lamb_errors(5, 2)[..5]) < 5.15e-7);
}

#[test]
#[ignore = "half a minute: 16 000 dof"]
fn frequency_errors_of_the_sphere_fall_like_h_to_the_2p() {
    let errors = [3, 6].map(|n| largest(&lamb_errors(4, n)[..5]));
    let order = (errors[0] / errors[1]).log2();
    assert!(order > 7.5, "order {order:.2}, not 8; errors {}", digits(&errors));
}
