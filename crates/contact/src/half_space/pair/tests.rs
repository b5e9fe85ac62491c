//! Pairs of shapes against Hertz' theory, in any position.

use super::*;
use crate::closed_form::{HertzPair, hertz_ellipse};
use crate::geometry::{Faces, Sphere};
use crate::patch::PatchPlane;
use crate::test_surfaces::ball;

const STEEL: HalfSpace = HalfSpace { shear: 210e9 / 2.6, poisson: 0.3 };
const BRASS: HalfSpace = HalfSpace { shear: 100e9 / 2.7, poisson: 0.35 };

fn turned(axis: [f64; 3], angle: f64) -> Matrix3<f64> {
    let axis = nalgebra::Unit::new_normalize(Vector3::from(axis));
    nalgebra::Rotation3::from_axis_angle(&axis, angle).into_inner()
}

fn sphere(radius: f64) -> Shape {
    Shape::Sphere(Sphere { center: Vector3::zeros(), radius })
}

#[test]
fn two_balls_of_two_materials_have_hertz_contact_in_any_position() {
    let (radii, approach) = ([0.015, 0.02], 6e-6);
    let hertz = HertzPair::new(radii, [210e9, 100e9], [0.3, 0.35]).at_approach(approach);
    let faces = |radius| {
        let (surface, points) = ball(radius, 2);
        Shape::Faces(Box::new(Faces::new(surface, &points).unwrap()))
    };
    let shapes = [[sphere(radii[0]), sphere(radii[1])], [faces(radii[0]), faces(radii[1])]];
    for (direction, angle) in [([0.0, 0.0, 1.0], 0.0), ([0.4, -0.7, 0.3], 1.1)] {
        let normal = Vector3::from(direction).normalize();
        let mut found = Vec::new();
        for shapes in &shapes {
            let place = |k: usize| Pressed {
                shape: &shapes[k],
                below: Below::HalfSpace([STEEL, BRASS][k]),
                rotation: turned([0.3, 0.1, -0.8], angle),
                origin: [Vector3::zeros(), (radii[0] + radii[1] - approach) * normal][k],
            };
            // The start is off the contact and tilted.
            let off = Vector3::new(3e-4, -2e-4, 1e-4);
            let start = (radii[0] * normal + off, (normal + 20.0 * off).normalize(), 1e-3);
            let contact = press([place(0), place(1)], start, 4.0, Law::Hard).unwrap().unwrap();
            assert_eq!(contact.doubts, [Doubts::default(); 2]);
            assert!((contact.overlap.depth / approach - 1.0).abs() < 1e-7, "{}", contact.overlap.depth);
            assert!((contact.overlap.plane.axes.row(2).transpose() - normal).norm() < 1e-7);
            // Cells of a/4: −0.05 ± 0.24 % over places of the apex in a cell, so 0.5 % at the worst of them.
            let error = contact.force / hertz.force - 1.0;
            println!("{direction:?}: force {:+.3} %", 100.0 * error);
            assert!(error.abs() < 5e-3, "{error}");
            assert!((contact.peak_pressure / hertz.peak_pressure - 1.0).abs() < 0.03);
            let radius = (contact.area / std::f64::consts::PI).sqrt() / hertz.contact_radius;
            assert!((radius - 1.0).abs() < 0.1, "{radius}");
            let along = (contact.center - contact.center.dot(&normal) * normal).norm();
            assert!(along < 0.02 * hertz.contact_radius, "{along}");
            found.push(contact.force);
        }
        // Exact NURBS balls and spheres are the same surface.
        assert!((found[0] / found[1] - 1.0).abs() < 2e-3, "{found:?}");
    }
}

#[test]
fn a_rounded_surface_has_hertz_ellipse() {
    // A ball in a wider hollow of another curvature along y does not exist among the shapes; an ellipsoid by
    // stretching the exact ball does: its curvatures at the pole are c/a² and c/b².
    let (surface, points) = ball(1.0, 2);
    let axes = [0.01, 0.02, 0.012];
    let stretched: Vec<_> =
        points.iter().map(|x| Vector3::new(axes[0] * x.x, axes[1] * x.y, axes[2] * x.z)).collect();
    let shape = Shape::Faces(Box::new(Faces::new(surface, &stretched).unwrap()));
    let plate = Shape::plane(Vector3::zeros(), Vector3::z()).unwrap();
    let approach = 3e-6;
    let body = |shape, below, height| Pressed {
        shape,
        below,
        rotation: Matrix3::identity(),
        origin: height * Vector3::z(),
    };
    let bodies = [body(&plate, Below::HalfSpace(STEEL), 0.0), body(&shape, Below::Rigid, axes[2] - approach)];
    let contact = press(bodies, (Vector3::zeros(), Vector3::z(), 5e-4), 4.0, Law::Hard).unwrap().unwrap();
    let curvatures = [axes[2] / (axes[0] * axes[0]), axes[2] / (axes[1] * axes[1])];
    let exact = hertz_ellipse(STEEL.contact_modulus(), curvatures, contact.force).unwrap();
    println!("approach {:+.3} %", 100.0 * (approach / exact.approach - 1.0));
    assert!((approach / exact.approach - 1.0).abs() < 3e-3, "{}", exact.approach);
    // Side a/4 of the smaller circle √(d/κ): the mean over a cell is low by a hundredth at the peak.
    assert!((contact.peak_pressure / exact.peak_pressure - 1.0).abs() < 0.03);
}

#[test]
fn a_penalty_reduces_the_force_by_its_compliance() {
    let (radius, approach) = (0.015, 5e-6);
    let (shape, plate) = (sphere(radius), Shape::plane(Vector3::zeros(), Vector3::z()).unwrap());
    let body = |shape, below, height| Pressed {
        shape,
        below,
        rotation: Matrix3::identity(),
        origin: height * Vector3::z(),
    };
    let bodies = [body(&plate, Below::HalfSpace(STEEL), 0.0), body(&shape, Below::Rigid, radius - approach)];
    let force = |law| {
        let start = (Vector3::zeros(), Vector3::z(), 1e-3);
        press(bodies, start, 4.0, law).unwrap().unwrap().force
    };
    // Law: the force is low by 3/(2π) (h/a)/α with h/a = 1/4. Hertz' pressure on cells of this side has ∫ p²
    // to (h/a)²: 6 %.
    let loss = 1.0 - force(Law::of_materials(100.0, STEEL.contact_modulus())) / force(Law::Hard);
    assert!((loss / (3.0 / (2.0 * std::f64::consts::PI) * 0.25 / 100.0) - 1.0).abs() < 0.07, "{loss}");
}

#[test]
fn coupling_cancels_between_equal_materials_alone() {
    let plate = Shape::plane(Vector3::zeros(), Vector3::z()).unwrap();
    let body = |half_space| Pressed {
        shape: &plate,
        below: Below::HalfSpace(half_space),
        rotation: Matrix3::identity(),
        origin: Vector3::zeros(),
    };
    let plane = PatchPlane { center: Vector3::zeros(), axes: Matrix3::identity() };
    let grid = PressureGrid::disc(plane, 1e-4, 3e-4);
    let coupling = |second| {
        let bodies = [body(STEEL), body(second)];
        let matrix = pair_compliance(bodies, &grid, Directions::All).unwrap().unwrap().matrix;
        let n = matrix.nrows();
        let mixed = (0..n * n).filter(|m| (m / n).is_multiple_of(3) != (m % n).is_multiple_of(3));
        mixed.map(|m| matrix[(m / n, m % n)].abs()).fold(0.0, f64::max) / matrix[(0, 0)]
    };
    assert!(coupling(STEEL) < 1e-12);
    assert!(coupling(BRASS) > 1e-2);
}

#[test]
fn what_is_not_a_small_contact_is_an_error_by_name() {
    let plate = Shape::plane(Vector3::zeros(), Vector3::z()).unwrap();
    let ceiling = Shape::plane(Vector3::zeros(), -Vector3::z()).unwrap();
    let shape = sphere(0.01);
    let body = |shape, height| Pressed {
        shape,
        below: Below::Rigid,
        rotation: Matrix3::identity(),
        origin: height * Vector3::z(),
    };
    let start = (Vector3::zeros(), Vector3::z(), 1e-3);
    let message = |bodies, law| press(bodies, start, 4.0, law).unwrap_err().to_string();
    let hard = message([body(&plate, 0.0), body(&shape, 0.01 - 1e-6)], Law::Hard);
    assert!(hard.contains("give one of them an elastic material"), "{hard}");
    let flat = message([body(&plate, 0.0), body(&ceiling, -1e-6)], Law::Hard);
    assert!(flat.contains("flat or conforming"), "{flat}");
    let away = message([body(&plate, 0.0), body(&plate, 0.0)], Law::Hard);
    assert!(away.contains("faces each other"), "{away}");
    let law = message([body(&plate, 0.0), body(&shape, 0.01)], Law::penalty(100.0));
    assert!(law.contains("contact law"), "{law}");
    let apart = press([body(&plate, 0.0), body(&shape, 0.011)], start, 4.0, Law::Hard);
    assert!(apart.unwrap().is_none());
}
