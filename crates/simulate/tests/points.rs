//! Markers at points of reduced bodies where nothing is attached.

use crate::fixtures::{Chain, REPLACE, parse, solve};

const HEAD: &str = "[simulation]\nend_time = 0.02\ngravity = [0.0, 0.0, -9.81]\nintegrator = \"dop853\"\n";

/// A flexible rod of 0.4 m along x from `x` with both end faces attached, and a marker at a point.
fn rod(name: &str, x: f64, make: &str, point: &str) -> String {
    format!(
        "[[body]]\nname = \"{name}\"\nmaterial = \"steel\"\nposition = [{x:?}, 0.0, 0.0]\n\
         make = {{ shape = \"rod\", radius = 0.01, length = 0.4, {make} }}\n\
         reduce = {{ attach = {{ start = \"rigid\", end = \"rigid\" }}, modes = 8, split = 4.0e3 }}\n\
         [[body.marker]]\nname = \"p\"\nat = {point}\n"
    )
}

const NURBS: &str = "degree = 2, elements = [1, 1, 4]";

fn revolute(ends: &str) -> String {
    format!("[[joint]]\nkind = \"revolute\"\nbetween = {ends}\naxis = [0.0, 1.0, 0.0]\n")
}

/// An attached face moves as a rigid one: its middle has the displacement and the rotation of the attachment.
#[test]
fn a_point_of_an_attached_face_moves_with_the_attachment() {
    let hinged = |end: &str| {
        let text = [HEAD, &rod("rod", 0.0, NURBS, "[0.0, 0.0, 0.0]"), &revolute(end)].concat();
        solve(&text).unwrap()
    };
    let [point, attached] = ["[\"ground\", \"rod:p\"]", "[\"ground\", \"rod:start\"]"].map(hinged);
    let apart = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    let (a, b) = (&point.bodies[0], &attached.bodies[0]);
    assert!(apart(&a.position, &b.position) < 1e-12, "{:?} {:?}", a.position, b.position);
    let size = b.modal.iter().fold(0.0_f64, |most, q| most.max(q.abs()));
    assert!(size > 1e-7 && apart(&a.modal, &b.modal) < 1e-6 * size, "{:?} {:?}", a.modal, b.modal);
}

/// Rods joined at points of their sides, one of them under a force: the joints do no work, and the bodies
/// receive the work of the force.
#[test]
fn joints_and_forces_at_points_keep_the_balance() {
    for make in [NURBS, "hex = true, order = 2, elements = [2, 2, 6]"] {
        let text = [
            HEAD,
            &rod("upper", 0.0, make, "[0.23, 0.0, -0.01]"),
            &rod("lower", 0.1, make, "[0.13, 0.0, 0.01]").replace(", 0.0, 0.0]\nmake", ", 0.0, -0.02]\nmake"),
            &revolute("[\"ground\", \"upper:start\"]"),
            &revolute("[\"upper:p\", \"lower:p\"]"),
            "[[force]]\non = \"lower:p\"\nforce = [0.0, 3.0, 20.0]\nscale = \"smoothstep(t/0.005)\"\n",
        ]
        .concat();
        let outcome = solve(&text).unwrap();
        let ledger = &outcome.summary.ledger;
        assert!(ledger.energy_error < 1e-6 && ledger.momentum_error < 1e-9, "{make}: {ledger:?}");
        assert!(ledger.ang_momentum_error < 1e-9, "{make}: {ledger:?}");
        let bent = |i: usize| outcome.bodies[i].modal.iter().fold(0.0_f64, |most, q| most.max(q.abs()));
        assert!(bent(0).min(bent(1)) > 1e-7, "{make}: {} {}", bent(0), bent(1));
        // No body is moved to close the joints: the points coincide.
        assert!(!outcome.warnings.iter().any(|text| text.contains("moved")), "{:?}", outcome.warnings);
    }
}

#[test]
fn a_point_within_a_reduced_body_is_refused_with_the_nearest_on_its_surface() {
    let text =
        [HEAD, &rod("rod", 0.0, NURBS, "[0.2, 0.0, 0.008]"), &revolute("[\"ground\", \"rod:p\"]")].concat();
    let error = solve(&text).unwrap_err();
    let printed = error.to_string();
    assert!(
        printed.contains("2.000e-3 m from the surface") && printed.contains("[0.200000, 0.000000, 0.010000]"),
        "{printed}"
    );
    assert!(printed.contains("`reduce.attach`") && error.key() == Some("joint.0.between"), "{printed}");
}

/// A scenario that names a model uses the geometry of the body file next to the model.
#[test]
fn a_named_model_has_markers_at_points_of_the_body_beside_it() {
    let made =
        [HEAD, &rod("rod", 0.0, NURBS, "[0.1, 0.0, 0.01]"), &revolute("[\"ground\", \"rod:p\"]")].concat();
    let chain = Chain::new();
    let solve = |text: &str| chain.solve_with(&parse(text, &[]), REPLACE);
    let expected = solve(&made).unwrap();
    let named = [
        HEAD,
        "[[body]]\nname = \"other\"\nrom = \"bodies/rod.rom\"\n[[body.marker]]\nname = \"p\"\nat = [0.1, \
         0.0, 0.01]\n",
        &revolute("[\"ground\", \"other:p\"]"),
    ]
    .concat();
    let found = solve(&named).unwrap();
    assert_eq!(found.bodies[0].position, expected.bodies[0].position);
    // A different body of that name does not belong to the model.
    let path = chain.bodies().join("rod.npz");
    let mut changed = carom_format::read_body(&path).unwrap().body;
    changed.name = "changed".to_owned();
    carom_format::write_body(&path, &changed).unwrap();
    let printed = solve(&named).unwrap_err().to_string();
    assert!(printed.contains("put it there as") && printed.contains("rod.npz"), "{printed}");
}
