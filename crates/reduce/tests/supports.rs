//! Bodies that are held in some directions, and bodies of several parts.

use crate::bodies::steel_box;
use carom_fem::{Body, Discretisation, Geometry, QuadratureRule};
use carom_mesh::Set;
use carom_progress::Silent;
use carom_reduce::{
    Attachment, AttachmentKind, ComparisonOptions, CraigBamptonOptions, FixedModes, InterfaceError,
    ModalAnalysis, ModalOptions, ModesWanted, ReduceError, SolverChoice, compare, craig_bampton, modes,
};

fn texts(list: &[&str]) -> Vec<String> {
    list.iter().map(|&text| text.to_owned()).collect()
}

fn modes_of(body: &Body, fix: &[&str], count: usize) -> ModalAnalysis {
    let rule = QuadratureRule::Default;
    modes(
        body,
        &ModalOptions {
            fix: texts(fix),
            wanted: ModesWanted::Count(count),
            rule,
            solver: SolverChoice::default(),
        },
        &Silent,
    )
    .unwrap()
}

/// Nodes of the body that satisfy a condition.
fn add_set(body: &mut Body, name: &str, is_in: impl Fn(&[f64; 3]) -> bool) {
    let Geometry::Mesh(mesh) = &mut body.geometry else { panic!("a box is a mesh") };
    let nodes = (0..mesh.points.len() as u32).filter(|&p| is_in(&mesh.points[p as usize])).collect();
    mesh.sets.insert(name.to_owned(), Set::Nodes(nodes));
}

/// Two boxes of 0.1 m with a gap between them, as one body, with the sets `one` and `two` of all their nodes.
fn two_boxes() -> Body {
    let mut body = steel_box([0.1; 3], [2; 3]);
    let Geometry::Mesh(mesh) = &mut body.geometry else { panic!("a box is a mesh") };
    let n = mesh.points.len() as u32;
    mesh.sets.clear();
    mesh.points.extend(mesh.points.clone().iter().map(|x| [x[0] + 0.15, x[1], x[2]]));
    let more: Vec<u32> = mesh.blocks[0].connectivity.iter().map(|p| p + n).collect();
    mesh.blocks[0].connectivity.extend(more);
    let middle = mesh.points[..n as usize].iter().map(|x| x[0]).fold(f64::MIN, f64::max) + 0.02;
    let first = mesh.points[0][0];
    add_set(&mut body, "one", |x| x[0] < middle);
    add_set(&mut body, "two", |x| x[0] > middle);
    add_set(&mut body, "end", |x| (x[0] - first).abs() < 1e-9);
    add_set(&mut body, "facing", |x| (x[0] - middle).abs() < 0.04);
    add_set(&mut body, "far", |x| x[0] > middle + 0.1);
    body
}

#[test]
fn the_modes_of_half_a_body_on_a_symmetry_plane_are_modes_of_the_whole() {
    let whole = modes_of(&steel_box([0.2, 0.02, 0.03], [12, 2, 2]), &[], 40);
    let half = steel_box([0.1, 0.02, 0.03], [6, 2, 2]);
    let found = modes_of(&half, &["west=x"], 12);
    assert_eq!((found.n_rigid, found.n_parts), (3, 1), "shifts along y and z and a turn about x are left");
    for hz in &found.hz[3..] {
        let nearest = whole.hz.iter().map(|w| (w / hz - 1.0).abs()).fold(f64::INFINITY, f64::min);
        assert!(nearest < 1e-9, "{hz}: {nearest:e}");
    }
    assert_eq!(modes_of(&half, &["west"], 4).n_rigid, 0);
}

#[test]
fn a_reduced_body_on_three_symmetry_planes_has_its_static_response() {
    let mut body = steel_box([0.1, 0.04, 0.04], [4, 4, 4]);
    let Geometry::Mesh(mesh) = &body.geometry else { panic!("a box is a mesh") };
    let high = [0, 1, 2].map(|a| mesh.points.iter().map(|x| x[a]).fold(f64::MIN, f64::max));
    let low = [0, 1, 2].map(|a| mesh.points.iter().map(|x| x[a]).fold(f64::MAX, f64::min));
    add_set(&mut body, "spot", |x| {
        x[0] > high[0] - 1e-9 && (1..3).all(|a| x[a] > low[a] + 1e-9 && x[a] < high[a] - 1e-9)
    });
    let planes = ["west=x", "south=y", "bottom=z"];
    let options = CraigBamptonOptions {
        interface_sets: texts(&["spot"]),
        held: texts(&planes),
        modes: FixedModes::Count(40),
        ..Default::default()
    };
    let model = craig_bampton(&body, &options, &Silent).unwrap().reduced;
    let exact = modes_of(&body, &planes, 6).hz;
    for (omega, hz) in model.omega.iter().zip(&exact) {
        let error = omega / std::f64::consts::TAU / hz - 1.0;
        assert!((-1e-9..1e-2).contains(&error), "{hz}: {error:e}");
    }
    let wanted = ComparisonOptions {
        count: 6,
        rule: QuadratureRule::Default,
        fix: model.held.clone(),
        sets: texts(&["spot"]),
        solver: SolverChoice::default(),
    };
    let found = compare(&model, &body, &wanted, &Silent).unwrap();
    assert_eq!((found.n_rigid, found.loads.len()), (0, 6));
    assert!(found.loads.iter().all(|load| load.displacement_error < 1e-8), "{:?}", found.loads);
    // Points of the planes move only within them.
    let fields = model.fields.as_ref().unwrap().modes().unwrap();
    let discretisation = Discretisation::new(&body).unwrap();
    let west = body.points_of_set(&discretisation, "west").unwrap();
    let largest = |axis: usize| {
        let rows = west.iter().map(|&p| 3 * fields.points.binary_search(&p).unwrap() + axis);
        rows.map(|row| fields.values.row(row).norm_max()).fold(0.0, f64::max)
    };
    assert_eq!(largest(0), 0.0);
    assert!(largest(1) > 0.0 && largest(2) > 0.0);
}

#[test]
fn supports_that_leave_motions_are_refused_with_these_motions() {
    let mut body = steel_box([0.1, 0.02, 0.03], [4, 2, 2]);
    let Geometry::Mesh(mesh) = &body.geometry else { panic!("a box is a mesh") };
    let corner = mesh.points[0];
    add_set(&mut body, "node", |x| *x == corner);
    add_set(&mut body, "line", |x| x[0] == corner[0] && x[1] == corner[1]);
    let refused = |held: &[&str]| {
        let options =
            CraigBamptonOptions { interface_sets: texts(&["east"]), held: texts(held), ..Default::default() };
        craig_bampton(&body, &options, &Silent).unwrap_err().to_string()
    };
    let hinge = refused(&["line"]);
    assert!(hinge.contains("leaves 1 of 6") && hinge.contains("rotation about (0.000, 0.000, "), "{hinge}");
    assert!(hinge.contains("revolute joint"), "{hinge}");
    assert!(refused(&["node"]).contains("leaves 3 of 6"));
    assert!(refused(&["west=x"]).contains("leaves 3 of 6"));
    assert!(refused(&["west=xw"]).contains("SET=xz"));
    assert!(refused(&["nothing=x"]).contains("`nothing`"));
    // A line and one direction of the end of the bar hold it.
    let options = CraigBamptonOptions {
        interface_sets: texts(&["east"]),
        held: texts(&["line", "west=y"]),
        ..Default::default()
    };
    let text = craig_bampton(&body, &options, &Silent).unwrap_err().to_string();
    assert!(text.contains("leaves 1 of 6"), "all of west is above the line: {text}");
    let options = CraigBamptonOptions { held: texts(&["line", "west=x"]), ..options };
    assert!(craig_bampton(&body, &options, &Silent).is_ok());
}

#[test]
fn a_free_body_of_two_parts_is_refused_before_any_work_and_has_twelve_rigid_modes() {
    let body = two_boxes();
    let found = modes_of(&body, &[], 14);
    assert_eq!((found.n_rigid, found.n_parts), (12, 2));
    assert!(found.hz[11] < 1e-3 * found.hz[12], "{:?}", found.hz);
    let with = |options: CraigBamptonOptions| craig_bampton(&body, &options, &Silent);
    let interface = CraigBamptonOptions { interface_sets: texts(&["end"]), ..Default::default() };
    let both = CraigBamptonOptions { interface_sets: texts(&["end", "far"]), ..Default::default() };
    for options in [interface.clone(), both] {
        let error = with(options).unwrap_err();
        assert!(matches!(error, ReduceError::Interface(InterfaceError::Parts { n: 2, .. })), "{error}");
        let text = error.to_string();
        assert!(
            text.contains("part 1: 27 nodes with `end`") && text.contains("part 2: 27 nodes with"),
            "{text}"
        );
    }
    // An unheld part is found although the other one is held.
    let far =
        CraigBamptonOptions { interface_sets: texts(&["far"]), held: texts(&["end"]), ..Default::default() };
    let text = with(far).unwrap_err().to_string();
    assert!(text.contains("leaves 6 of 6 rigid motions to part 2 of 2"), "{text}");
    assert_eq!(modes_of(&body, &["end"], 8).n_rigid, 6);
    // Held parts, and parts tied by a rigid set, make one model.
    let held = CraigBamptonOptions {
        interface_sets: texts(&["facing"]),
        held: texts(&["end", "far"]),
        modes: FixedModes::Count(6),
        ..Default::default()
    };
    assert!(with(held).is_ok());
    let tie = |kind| CraigBamptonOptions {
        attachments: vec![Attachment { set: "facing".to_owned(), kind, at: None }],
        ..interface.clone()
    };
    let tied = with(tie(AttachmentKind::Rigid)).unwrap().reduced;
    assert!(tied.invariants.coupling_t.norm_max() < 1e-9 * tied.invariants.mass.sqrt());
    let text = with(tie(AttachmentKind::Mean)).unwrap_err().to_string();
    assert!(text.contains("2 parts"), "the mean of a set does not tie: {text}");
}
