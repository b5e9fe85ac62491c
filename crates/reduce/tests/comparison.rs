//! Comparison of a model with its body: exact and inexact figures.

use crate::bodies::steel_box;
use carom_fem::{Discretisation, Geometry, QuadratureRule};
use carom_mesh::Set;
use carom_progress::Silent;
use carom_reduce::attachment::Attached;
use carom_reduce::comparison::{Limits, whole_body};
use carom_reduce::frame::BodyFrame;
use carom_reduce::variant::Variant;
use carom_reduce::{
    Attachment, AttachmentKind, Comparison, ComparisonOptions, CraigBamptonOptions, Fields, FixedModes,
    Flexibility, RigidMotions, SolverChoice, compare, craig_bampton,
};
use faer::Mat;

const LIMITS: Limits = Limits { frequency: 0.01, mac: 0.95 };

fn compared(sets: &[&str], n: usize, fields: Fields) -> Comparison {
    // A square section: bending modes come in pairs.
    let body = steel_box([0.1, 0.02, 0.02], [8, 2, 2]);
    let sets: Vec<String> = sets.iter().map(|&s| s.to_owned()).collect();
    let reduction = CraigBamptonOptions {
        interface_sets: sets.clone(),
        modes: FixedModes::Count(n),
        fields,
        ..Default::default()
    };
    let model = craig_bampton(&body, &reduction, &Silent).unwrap().reduced;
    let options = ComparisonOptions {
        count: 12,
        rule: QuadratureRule::Default,
        fix: Vec::new(),
        sets,
        solver: SolverChoice::default(),
    };
    compare(&model, &body, &options, &Silent).unwrap()
}

#[test]
fn a_rich_model_has_all_modes_of_its_body_and_a_poor_one_the_first() {
    let rich = compared(&["west", "east"], 60, Fields::Full);
    assert_eq!((rich.modes.len(), rich.n_rigid, rich.by_mass), (12, 6, true));
    for m in &rich.modes {
        assert!(m.is_good(&LIMITS) && m.mac.unwrap() > 0.999, "{m:?}");
        // Ritz values are not below those of the body.
        assert!(m.relative_error() > -1e-9, "{m:?}");
    }
    assert_eq!(rich.trusted_hz(&LIMITS), (rich.modes[11].body_hz, true));
    let poor = compared(&["west"], 6, Fields::Full);
    let limits = Limits { frequency: 0.02, ..LIMITS };
    assert!(poor.modes[0].is_good(&limits), "{:?}", poor.modes[0]);
    let (hz, all) = poor.trusted_hz(&limits);
    assert!(!all && hz >= poor.modes[0].body_hz && hz < poor.modes[11].body_hz, "{hz}");
    assert!(poor.modes.iter().filter(|m| m.is_good(&LIMITS)).count() < rich.modes.len());
}

#[test]
fn modes_of_one_frequency_are_compared_as_a_space() {
    let found = compared(&["west"], 60, Fields::Full);
    let pairs: Vec<_> = found.modes.iter().filter(|m| m.multiplicity == 2).collect();
    assert!(pairs.len() >= 4, "{:?}", found.modes);
    // Each vector of a pair is an arbitrary combination of both; their spaces agree.
    assert!(pairs.iter().all(|m| m.mac.unwrap() > 0.999), "{pairs:?}");
    let surface = compared(&["west"], 60, Fields::Surface);
    assert!(!surface.by_mass);
    assert!(surface.modes.iter().all(|m| m.mac.unwrap() > 0.998), "{:?}", surface.modes);
}

#[test]
fn static_responses_improve_with_modes_and_are_never_too_soft() {
    let mut last = f64::INFINITY;
    for n in [6, 20, 60] {
        let found = compared(&["west", "east"], n, Fields::Surface);
        assert_eq!(found.loads.len(), 12);
        let worst = found.loads.iter().map(|l| l.energy_error).fold(0.0, f64::max);
        let at_set = found.loads.iter().map(|l| l.displacement_error).fold(0.0, f64::max);
        println!("{n} modes: energy {worst:.2e}, displacement {at_set:.2e}");
        assert!(worst < 0.5 * last, "{n}: {worst:e} after {last:e}");
        last = worst;
    }
    assert!(last < 1e-2, "{last:e}");
}

#[test]
fn the_frame_of_a_model_does_not_change_the_comparison() {
    let body = steel_box([0.1, 0.02, 0.03], [8, 2, 2]);
    let sets = vec!["west".to_owned()];
    let compared = |frame: BodyFrame| {
        let reduction = CraigBamptonOptions {
            interface_sets: sets.clone(),
            modes: FixedModes::Count(24),
            variant: Variant { frame, ..Default::default() },
            ..Default::default()
        };
        let model = craig_bampton(&body, &reduction, &Silent).unwrap().reduced;
        let options = ComparisonOptions {
            count: 8,
            rule: QuadratureRule::Default,
            fix: Vec::new(),
            sets: sets.clone(),
            solver: SolverChoice::default(),
        };
        (model.omega[0], compare(&model, &body, &options, &Silent).unwrap())
    };
    let (own, buckens) = compared(BodyFrame::Buckens);
    let (other, nodes) = compared(BodyFrame::Nodes([0, 8, 17]));
    // In its own frame the model has different frequencies.
    assert!((own / other - 1.0).abs() > 1e-2, "{own} {other}");
    for (a, b) in buckens.modes.iter().zip(&nodes.modes) {
        assert!((a.model_hz / b.model_hz - 1.0).abs() < 1e-9, "{a:?} {b:?}");
        assert!((a.mac.unwrap() - b.mac.unwrap()).abs() < 1e-9, "{a:?} {b:?}");
    }
    for (a, b) in buckens.loads.iter().zip(&nodes.loads) {
        assert!((a.displacement_error - b.displacement_error).abs() < 1e-8, "{a:?} {b:?}");
    }
}

#[test]
fn averaged_sets_are_compared_at_their_markers_and_held_bodies_as_held() {
    let body = steel_box([0.1, 0.02, 0.03], [8, 2, 2]);
    for held in [Vec::new(), vec!["west".to_owned()]] {
        let reduction = CraigBamptonOptions {
            attachments: vec![Attachment { set: "east".to_owned(), kind: AttachmentKind::Mean, at: None }],
            interface_sets: if held.is_empty() { vec!["west".to_owned()] } else { Vec::new() },
            held: held.clone(),
            modes: FixedModes::Count(40),
            ..Default::default()
        };
        let model = craig_bampton(&body, &reduction, &Silent).unwrap().reduced;
        let options = ComparisonOptions {
            count: 6,
            rule: QuadratureRule::Default,
            fix: held.clone(),
            sets: reduction.interface_sets.clone(),
            solver: SolverChoice::default(),
        };
        let found = compare(&model, &body, &options, &Silent).unwrap();
        assert_eq!(found.n_rigid, if held.is_empty() { 6 } else { 0 });
        assert!(
            found.modes.iter().all(|m| m.is_good(&LIMITS) && m.mac.unwrap() > 0.999),
            "{:?}",
            found.modes
        );
        let at_marker: Vec<_> = found.loads.iter().filter(|l| l.set == "east").collect();
        assert_eq!(at_marker.len(), 6);
        // The static response of a held body to loads on its interface is exact.
        let tolerance = if held.is_empty() { 1e-2 } else { 1e-8 };
        assert!(at_marker.iter().all(|l| l.displacement_error < tolerance), "{at_marker:?}");
    }
}

/// Two bars end to end without a common node: a rigid set of both facing ends joins them, and their
/// response to loads. Without the set they separate, and their modes are not those of the model.
#[test]
fn parts_that_a_rigid_set_ties_are_compared_in_statics_alone() {
    let mut body = steel_box([0.1, 0.02, 0.03], [4, 2, 2]);
    let Geometry::Mesh(mesh) = &mut body.geometry else { panic!("the box is a mesh") };
    let n = mesh.points.len() as u32;
    mesh.points.extend(mesh.points.clone().iter().map(|x| [x[0] + 0.1, x[1], x[2]]));
    let more: Vec<u32> = mesh.blocks[0].connectivity.iter().map(|p| p + n).collect();
    mesh.blocks[0].connectivity.extend(more);
    let at = |x: f64| {
        let points = 0..mesh.points.len() as u32;
        Set::Nodes(points.filter(|&p| (mesh.points[p as usize][0] - x).abs() < 1e-9).collect())
    };
    mesh.sets = [("joint".to_owned(), at(0.1)), ("end".to_owned(), at(0.2))].into();
    let reduction = CraigBamptonOptions {
        attachments: vec![Attachment { set: "joint".to_owned(), kind: AttachmentKind::Rigid, at: None }],
        interface_sets: vec!["end".to_owned()],
        modes: FixedModes::Count(20),
        ..Default::default()
    };
    let model = craig_bampton(&body, &reduction, &Silent).unwrap().reduced;
    let options = ComparisonOptions {
        count: 6,
        rule: QuadratureRule::Default,
        fix: Vec::new(),
        sets: reduction.interface_sets.clone(),
        solver: SolverChoice::default(),
    };
    let found = compare(&model, &body, &options, &Silent).unwrap();
    assert!(found.modes.is_empty() && found.modes_untested.is_some(), "{:?}", found.modes);
    assert!(found.loads.len() > 6, "{}", found.loads.len());
    for load in &found.loads {
        assert!(load.displacement_error < 1e-2, "{load:?}");
    }
}

#[test]
fn inertia_relief_does_not_depend_on_the_held_dofs() {
    let body = steel_box([0.1, 0.02, 0.03], [4, 2, 2]);
    let discretisation = Discretisation::new(&body).unwrap();
    let points = &discretisation.points;
    let (first, motions) = whole_body(
        &body,
        &discretisation,
        &[],
        &[],
        QuadratureRule::Default,
        &SolverChoice::default(),
        &Silent,
    )
    .unwrap();
    // Points in another order hold other dofs: the weights of the choice are changed to forbid the dofs of
    // the first choice.
    let free = vec![[true; 3]; points.len()];
    let stretched: Vec<[f64; 3]> = points.iter().map(|p| [p[0], 40.0 * p[1], -60.0 * p[2]]).collect();
    let chosen = |places: &[[f64; 3]]| {
        RigidMotions::left_by(places, &vec![[false; 3]; places.len()]).holding_dofs(places, |_, _| true)
    };
    assert_ne!(chosen(points), chosen(&stretched));
    let second = {
        let system = first.system.clone();
        let held = chosen(&stretched);
        let only = |i: usize, d: usize| held.contains(&(3 * i + d));
        let mut flags = free.clone();
        for (i, flag) in flags.iter_mut().enumerate() {
            (0..3).for_each(|d| flag[d] = !only(i, d));
        }
        // Held by these dofs alone, then balanced and freed of rigid motion step by step.
        (
            carom_linalg::Cholesky::new(
                &system.stiffness,
                None,
                carom_linalg::DofSet::from_flags(flags),
                &Silent,
            )
            .unwrap(),
            system,
        )
    };
    let force = Mat::from_fn(discretisation.n_dofs(), 1, |i, _| ((i * i) as f64 * 0.37).sin());
    let mut u = force.clone();
    first.respond(u.as_mut(), &Silent).unwrap();
    let r = Mat::from_fn(discretisation.n_dofs(), 6, |dof, k| motions.at(k, &points[dof / 3])[dof % 3]);
    let mr = second.1.mass.product(r.as_ref());
    let gram = r.transpose() * &mr;
    let gram = nalgebra::Matrix6::from_fn(|i, j| gram[(i, j)]).try_inverse().unwrap();
    let inverse = Mat::from_fn(6, 6, |i, j| gram[(i, j)]);
    let mut v = &force - &mr * (&inverse * (r.transpose() * &force));
    second.0.solve_in_place(v.as_mut());
    v -= &r * (&inverse * (mr.transpose() * &v));
    assert!((&u - &v).norm_max() < 1e-9 * u.norm_max(), "{:e}", (&u - &v).norm_max() / u.norm_max());
    let _: &Flexibility = &first;
}

#[test]
fn relief_of_a_body_with_rigid_sets_is_in_equilibrium_and_moves_them_rigidly() {
    let size = [0.1, 0.02, 0.03];
    let body = steel_box(size, [8, 2, 3]);
    let discretisation = Discretisation::new(&body).unwrap();
    let rigid = ["west".to_owned(), "east".to_owned()];
    let rule = QuadratureRule::Default;
    let (tied, motions) =
        whole_body(&body, &discretisation, &[], &rigid, rule, &SolverChoice::default(), &Silent).unwrap();
    assert_eq!(motions.len(), 6);
    let attached = |set: &String| {
        let attachment = Attachment { set: set.clone(), kind: AttachmentKind::Rigid, at: None };
        Attached::new(&body, &discretisation, &attachment).unwrap()
    };
    let ends = [attached(&rigid[0]), attached(&rigid[1])];
    // A force of 1 N along x on each end, away from the other, in any distribution.
    let mut pull = vec![[0.0; 3]; discretisation.n_points()];
    pull[ends[0].points[0] as usize][0] = -1.0;
    pull[ends[1].points[0] as usize][0] = 1.0;
    let u = tied.displacement(&pull, &Silent).unwrap();
    for end in &ends {
        let own: Vec<[f64; 3]> = end.points.iter().map(|&p| u[p as usize]).collect();
        let field = Mat::from_fn(3 * own.len(), 1, |i, _| own[i / 3][i % 3]);
        let mean = end.mean.transpose() * &field;
        let rest = (&field - &end.rigid * &mean).norm_max();
        assert!(rest < 1e-12 * field.norm_max(), "the ends are rigid: {rest:e}");
    }
    // Internal equilibrium: K u is zero but at the ends, where its resultants are the loads'.
    let forces = tied.forces(&u);
    let inside = (0..u.len() as u32).filter(|p| ends.iter().all(|end| !end.points.contains(p)));
    let worst = inside.flat_map(|p| forces[p as usize]).fold(0.0_f64, |a, f| a.max(f.abs()));
    assert!(worst < 1e-9, "{worst:e}");
    for (end, sign) in ends.iter().zip([-1.0, 1.0]) {
        let sum: f64 = end.points.iter().map(|&p| forces[p as usize][0]).sum();
        assert!((sum - sign).abs() < 1e-9, "{sum}");
    }
    // Work of the loads is twice the strain energy, and less than without the ties.
    let work =
        |u: &[[f64; 3]]| -> f64 { pull.iter().flatten().zip(u.iter().flatten()).map(|(f, u)| f * u).sum() };
    let energy: f64 = forces.iter().flatten().zip(u.iter().flatten()).map(|(f, u)| f * u).sum();
    assert!((work(&u) / energy - 1.0).abs() < 1e-9);
    let (free, _) =
        whole_body(&body, &discretisation, &[], &[], rule, &SolverChoice::default(), &Silent).unwrap();
    assert!(work(&u) < work(&free.displacement(&pull, &Silent).unwrap()));
}
