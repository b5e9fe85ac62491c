//! A rigid sphere on an elastic plate beside Hertz' impact.

use std::sync::Arc;

use carom_contact::geometry::Sphere;
use carom_contact::{Law, Shape};
use carom_continuum::explicit::{BodyKind, BodySpec, Problem, Settings, SideSpec, Support};
use carom_fem::{Body, Geometry};
use carom_rigid::RigidBody;
use nalgebra::{Matrix3, Vector3};

use crate::setup::{at, block, deformable, pair, residuals, run, settings};

/// Density, Young's modulus and Poisson's ratio of the plate.
const PLATE: [f64; 3] = [1000.0, 1e7, 0.3];
/// Radius of the sphere, radius of the contact at the peak, and duration of the contact \[m\], \[s\].
const RADIUS: f64 = 0.01;
const CONTACT: f64 = 1e-3;
const DURATION: f64 = 3e-3;

/// Cells on a contact radius, cells from the middle to each side, and ratio of their sizes.
const CELLS: f64 = 3.0;
const N: usize = 11;
const GROWTH: f64 = 1.4;

/// Distance of the k-th point from the middle of the contact \[m\].
fn distance(k: f64) -> f64 {
    CONTACT / CELLS * (GROWTH.powf(k) - 1.0) / (GROWTH - 1.0)
}

/// A plate whose top is z = 0, with cells that grow from the middle of its top.
fn plate() -> Body {
    let n = N as f64;
    let mut plate = block("plate", [2.0 * n, 2.0 * n, n], [2 * N, 2 * N, N], PLATE);
    let Geometry::Mesh(mesh) = &mut plate.geometry else { unreachable!() };
    for x in &mut mesh.points {
        let across = |s: f64| distance((s - n).abs()).copysign(s - n);
        *x = [across(x[0]), across(x[1]), -distance(n - x[2])];
    }
    plate
}

/// ```text
/// F = 4/3 E* √R δ^(3/2),   a² = R δ,   m v² = 4/5 F δ,   T = 2.9432 δ/v
/// ```
///
/// The bottom of the plate rests at h = 33 a. It keeps (1+ν)(3−2ν)/(2π E h) F of the approach away, the
/// displacement of a half-space in that depth, 2.2 %: the force is higher by 0.6 of that part, and the
/// contact shorter. Cells of a/3 have an error of second order, some (1/3)²/4 = 3 %.
#[test]
fn a_sphere_on_a_plate_has_the_force_and_the_duration_of_hertz() {
    let [_, young, poisson] = PLATE;
    let stiffness = 4.0 / 3.0 * young / (1.0 - poisson * poisson) * RADIUS.sqrt();
    let approach = CONTACT * CONTACT / RADIUS;
    let force = stiffness * approach.powf(1.5);
    let speed = 2.9432 * approach / DURATION;
    let mass = 0.8 * force * approach / (speed * speed);
    let inertia = 0.4 * mass * RADIUS * RADIUS * Matrix3::identity();
    let ball = RigidBody::new("ball", mass, inertia, Vector3::zeros()).unwrap();
    let form = Arc::new(block("form", [RADIUS; 3], [1; 3], PLATE));
    let start = at([0.0, 0.0, RADIUS + 1e-6], [0.0, 0.0, -speed]);
    let mut contact = pair(0, [0, 1], ["top", ""], Law::Hard, 0.0);
    contact.sides[1] = SideSpec::Shape(Shape::Sphere(Sphere { center: Vector3::zeros(), radius: RADIUS }));
    let problem = Problem {
        bodies: vec![
            deformable(plate(), "small-strain", at([0.0; 3], [0.0; 3])),
            BodySpec { geometry: form, kind: BodyKind::Rigid(ball), placement: start },
        ],
        supports: vec![Support {
            body: 0,
            set: "bottom".to_owned(),
            directions: [true; 3],
            rotations: [false; 3],
            displacement: [0.0; 3],
        }],
        contacts: vec![contact],
        ..Problem::default()
    };
    let settings = Settings { output_every: 1e-5, ..settings(1.3 * DURATION, None) };
    let (simulation, kept) = run(&problem, settings);
    let forces: Vec<f64> = kept.forces.iter().map(|forces| forces[0][2].abs()).collect();
    // Points that join the contact shake it: means over a twentieth of the duration.
    let peak = forces.windows(15).map(|window| window.iter().sum::<f64>() / 15.0).fold(0.0, f64::max);
    let [event] = simulation.events() else { panic!("{:?}", simulation.events()) };
    let duration = event.end - event.start;
    println!("peak {:.4}, duration {:.4} of those of Hertz", peak / force, duration / DURATION);
    assert!((peak / force - 1.0).abs() < 0.045, "{peak} {force}");
    assert!((duration / DURATION - 1.0).abs() < 0.045, "{duration} {DURATION}");
    let [energy, ..] = residuals(&kept);
    assert!(energy < 1e-12 * kept.rows[0].balance.e_kin, "{energy}");
}
