//! Slender bodies, whose stiffness is nearly singular to rounding when their interface is held, against the
//! beam of Euler and Bernoulli.

use std::f64::consts::TAU;

use crate::bodies::nurbs;
use carom_fem::{Body, Discretisation, QuadratureRule, assemble};
use carom_nurbs::solids::Solid;
use carom_progress::Silent;
use carom_reduce::attachment::Attached;
use carom_reduce::{
    Attachment, AttachmentKind, CraigBampton, CraigBamptonOptions, FixedModes, Flexibility, RigidMotions,
    SolverChoice, Variant, craig_bampton,
};
use faer::Mat;

/// Roots of cos β cosh β = 1 (free at both ends, or clamped at both) and of cos β cosh β = −1 (cantilever).
pub(crate) const FREE: [f64; 2] = [4.730_040_744_862_704, 7.853_204_624_095_838];
pub(crate) const CANTILEVER: f64 = 1.875_104_068_711_961;

/// β² √(E I/(ρ A))/(2 π L²) of a section with this radius of gyration \[Hz\]; steel of the shared bodies.
pub(crate) fn beam_hz(beta: f64, gyration: f64, length: f64) -> f64 {
    (beta / length).powi(2) * gyration * (210e9_f64 / 7800.0).sqrt() / TAU
}

pub(crate) fn made(name: &str, solid: Solid, elements: [usize; 3]) -> Body {
    let quadratic = solid.make(None).unwrap().with_degree(2).unwrap();
    nurbs(name, solid.with_elements(&quadratic, &elements).unwrap())
}

pub(crate) fn means(sets: &[&str]) -> CraigBamptonOptions {
    let attachment = |set: &&str| Attachment { set: (*set).to_owned(), kind: AttachmentKind::Mean, at: None };
    CraigBamptonOptions {
        attachments: sets.iter().map(attachment).collect(),
        modes: FixedModes::Count(12),
        ..CraigBamptonOptions::default()
    }
}

fn check(found: f64, exact: f64, tolerance: f64, what: &str) {
    let error = found / exact - 1.0;
    println!("{what}: {found:e}, by the beam {exact:e}, {error:.1e}");
    assert!(error.abs() < tolerance, "{what}: {found:e}, by the beam {exact:e}, {error:.1e}");
}

fn free_hz(reduction: &CraigBampton, mode: usize) -> f64 {
    reduction.free_omega[mode] / TAU
}

/// Held by the means of its ends, the factor of a rod loses one digit with each doubling of its length; the
/// corrections of its modes do not.
#[test]
fn rods_held_by_means_agree_with_beams_at_every_length() {
    let radius = 0.005;
    for ratio in [60, 200] {
        let length = 2.0 * radius * f64::from(ratio);
        let rod = made("rod", Solid::Rod { radius, length }, [ratio as usize / 2, 1, 1]);
        let reduction = craig_bampton(&rod, &means(&["start", "end"]), &Silent).unwrap();
        // Shear and rotary inertia lower the second bending mode of L/d = 60 by up to 0.5 %.
        let gyration = radius / 2.0;
        for (k, beta) in FREE.into_iter().enumerate() {
            let exact = beam_hz(beta, gyration, length);
            let what = format!("L/d {ratio}, bending {}", k + 1);
            check(free_hz(&reduction, 2 * k), exact, 1e-2, &format!("{what}, free"));
            check(reduction.reduced.fixed_interface_hz[2 * k], exact, 1e-2, &format!("{what}, clamped"));
        }
    }
}

/// A strip of 4 000 times its thickness.
const LENGTH: f64 = 8.0;
const WIDTH: f64 = 0.037;
const THICKNESS: f64 = 0.002;

fn strip() -> Body {
    made("strip", Solid::Box { size: [LENGTH, WIDTH, THICKNESS] }, [200, 2, 1])
}

fn attached(set: &str, kind: AttachmentKind) -> Attachment {
    Attachment { set: set.to_owned(), kind, at: None }
}

/// Held at one end, the strip rotates by the rounding of its stiffness: 1e-2 of a rotation. With every
/// interface it is the same beam.
///
/// * `missed` — error of the rigid motions by constraint modes, before they are restored
fn check_strip(case: &str, options: &CraigBamptonOptions, missed: f64) {
    let gyration = THICKNESS / 12.0_f64.sqrt();
    let reduction = craig_bampton(&strip(), options, &Silent).unwrap();
    println!("{case}: rigid motions are missed by {:.1e}", reduction.rigid_error);
    assert!(reduction.rigid_error < missed, "{case}: {:e}", reduction.rigid_error);
    let clamped = reduction.reduced.fixed_interface_hz[0];
    check(clamped, beam_hz(CANTILEVER, gyration, LENGTH), 2e-3, &format!("{case}, cantilever"));
    check(free_hz(&reduction, 0), beam_hz(FREE[0], gyration, LENGTH), 2e-3, &format!("{case}, free"));
}

#[test]
fn a_strip_with_a_marker_at_its_end_agrees_with_a_beam() {
    let rigid =
        CraigBamptonOptions { attachments: vec![attached("west", AttachmentKind::Rigid)], ..means(&[]) };
    check_strip("rigid", &rigid, 1e-5);
    check_strip("mean", &means(&["west"]), 1e-5);
}

/// The points of an end as interface: a unit of one of them rotates the strip by 500 and moves its tip by 4
/// 000. The rounding error, relative to a rigid motion, is therefore larger.
fn nodes() -> CraigBamptonOptions {
    CraigBamptonOptions { interface_sets: vec!["west".to_owned()], ..means(&[]) }
}

#[test]
fn a_strip_with_the_points_of_its_end_as_interface_agrees_with_a_beam() {
    check_strip("points", &nodes(), 2e-4);
}

#[test]
fn a_strip_with_inertia_relief_agrees_with_a_beam() {
    let variant = Variant { inertia_relief: true, ..Variant::default() };
    check_strip("inertia relief", &CraigBamptonOptions { variant, ..nodes() }, 2e-4);
}

/// The strip as a cantilever under a load on its end: P L³/(3 E I), held at the points of an end or by a
/// rigid end.
#[test]
fn a_strip_bends_like_a_cantilever() {
    let (body, load) = (strip(), 1e-4);
    let discretisation = Discretisation::new(&body).unwrap();
    let system = assemble(&discretisation, QuadratureRule::Default, &Silent).unwrap();
    let points = &discretisation.points;
    let at_end = |x: f64| (0..points.len()).filter(move |&i| (points[i][0] - x).abs() < 1e-9);
    let tip: Vec<usize> = at_end(LENGTH).collect();
    let mut force = Mat::zeros(3 * points.len(), 1);
    tip.iter().for_each(|&i| force[(3 * i + 2, 0)] = load / tip.len() as f64);
    let mut held = vec![[false; 3]; points.len()];
    at_end(0.0).for_each(|i| held[i] = [true; 3]);
    let free: Vec<[bool; 3]> = held.iter().map(|held| held.map(|held| !held)).collect();
    let rigid = Attached::new(&body, &discretisation, &attached("east", AttachmentKind::Rigid)).unwrap();
    for (case, ties) in [("points", vec![]), ("a rigid end", vec![rigid])] {
        let motions = RigidMotions::left_by(points, &held);
        let (choice, system) = (SolverChoice::default(), system.clone());
        let flexibility =
            Flexibility::with_ties(system, &free, points, &motions, &ties, &choice, &Silent).unwrap();
        let mut answer = force.clone();
        flexibility.respond(answer.as_mut(), &Silent).unwrap();
        let deflection = tip.iter().map(|&i| answer[(3 * i + 2, 0)]).sum::<f64>() / tip.len() as f64;
        let inertia = WIDTH * THICKNESS.powi(3) / 12.0;
        check(deflection, load * LENGTH.powi(3) / (3.0 * 210e9 * inertia), 2e-3, &format!("{case}, tip"));
    }
}
