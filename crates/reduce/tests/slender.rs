//! Slender bodies, whose stiffness is singular almost to rounding where their interface holds them: against the beam of Euler and Bernoulli.

use std::f64::consts::TAU;

use crate::bodies::nurbs;
use carom_fem::Body;
use carom_nurbs::solids::Solid;
use carom_progress::Silent;
use carom_reduce::{
    Attachment, AttachmentKind, CraigBampton, CraigBamptonOptions, FixedModes, craig_bampton,
};

/// Roots of cos β cosh β = 1 (free at both ends, or clamped at both) and of cos β cosh β = −1 (cantilever).
const FREE: [f64; 2] = [4.730_040_744_862_704, 7.853_204_624_095_838];
const CANTILEVER: f64 = 1.875_104_068_711_961;

/// β² √(E I/(ρ A))/(2 π L²) of a section with this radius of gyration \[Hz\]; steel of the shared bodies.
fn beam_hz(beta: f64, gyration: f64, length: f64) -> f64 {
    (beta / length).powi(2) * gyration * (210e9_f64 / 7800.0).sqrt() / TAU
}

fn made(name: &str, solid: Solid, elements: [usize; 3]) -> Body {
    let quadratic = solid.make(None).unwrap().with_degree(2).unwrap();
    nurbs(name, solid.with_elements(&quadratic, &elements).unwrap())
}

fn means(sets: &[&str]) -> CraigBamptonOptions {
    let attachment = |set: &&str| Attachment { set: (*set).to_owned(), kind: AttachmentKind::Mean, at: None };
    CraigBamptonOptions {
        attachments: sets.iter().map(attachment).collect(),
        modes: FixedModes::Count(12),
        ..CraigBamptonOptions::default()
    }
}

fn check(found: f64, exact: f64, tolerance: f64, what: &str) {
    let error = found / exact - 1.0;
    assert!(error.abs() < tolerance, "{what}: {found} Hz, by the beam {exact} Hz, {error:.1e}");
}

fn free_hz(reduction: &CraigBampton, mode: usize) -> f64 {
    reduction.free_omega[mode] / TAU
}

/// Held by the means of its ends, the factor of a rod loses one figure with each doubling of its length; the corrections of its modes do not.
#[test]
fn rods_held_by_means_are_beams_whatever_their_length() {
    let radius = 0.005;
    for ratio in [60, 200] {
        let length = 2.0 * radius * f64::from(ratio);
        let rod = made("rod", Solid::Rod { radius, length }, [ratio as usize / 2, 1, 1]);
        let reduction = craig_bampton(&rod, &means(&["start", "end"]), &Silent).unwrap();
        // Shear and the inertia of turns lower the second bending mode of L/d = 60 by up to 0.5 %.
        let gyration = radius / 2.0;
        for (k, beta) in FREE.into_iter().enumerate() {
            let exact = beam_hz(beta, gyration, length);
            let what = format!("L/d {ratio}, bending {}", k + 1);
            check(free_hz(&reduction, 2 * k), exact, 1e-2, &format!("{what}, free"));
            check(reduction.reduced.fixed_interface_hz[2 * k], exact, 1e-2, &format!("{what}, clamped"));
        }
    }
}

/// Held at one end, a strip of 4 000 times its thickness turns by the rounding of its stiffness: 1e-2 of a turn. The entries of the
/// stiffness are themselves rounded: for its lowest frequencies that is up to a part of 1e-2, which no solution takes out.
#[test]
fn a_strip_of_steel_is_a_beam_on_a_marker_at_its_end() {
    let (length, thickness) = (8.0, 0.002);
    let solid = Solid::Box { size: [length, 0.037, thickness] };
    let strip = made("strip", solid, [200, 2, 1]);
    let gyration = thickness / 12.0_f64.sqrt();
    let rigid = Attachment { set: "west".to_owned(), kind: AttachmentKind::Rigid, at: None };
    let cases = [
        ("rigid", CraigBamptonOptions { attachments: vec![rigid], ..means(&[]) }),
        ("mean", means(&["west"])),
    ];
    for (case, options) in cases {
        let reduction = craig_bampton(&strip, &options, &Silent).unwrap();
        assert!(reduction.rigid_error < 1e-5, "{case}: {:e}", reduction.rigid_error);
        let clamped = reduction.reduced.fixed_interface_hz[0];
        check(clamped, beam_hz(CANTILEVER, gyration, length), 2e-2, &format!("{case}, cantilever"));
        check(free_hz(&reduction, 0), beam_hz(FREE[0], gyration, length), 2e-2, &format!("{case}, free"));
    }
}
