//! Variants of the reduction: inertia relief, free modes, massless boundary, interface reduction, frames,
//! damping.

use std::f64::consts::{PI, TAU};

use crate::bodies::steel_box;
use carom_fem::{Body, Discretisation, QuadratureRule, assemble};
use carom_progress::Silent;
use carom_reduce::damping::{Damping, DampingRatio};
use carom_reduce::free::{FreeShapes, free_vibrations};
use carom_reduce::{
    BodyFrame, ComparisonOptions, CraigBampton, CraigBamptonOptions, FixedModes, Flexibility,
    FrameChoiceError, Keep, ModalOptions, ModeKind, ModesWanted, ReduceError, ReducedBody, RigidMotions,
    SolverChoice, Variant, VariantError, compare, craig_bampton, modes,
};
use faer::Mat;

fn bar() -> Body {
    steel_box([0.1, 0.02, 0.03], [8, 2, 3])
}

fn options(sets: &[&str], n: usize, variant: Variant) -> CraigBamptonOptions {
    CraigBamptonOptions {
        interface_sets: sets.iter().map(|&s| s.to_owned()).collect(),
        modes: FixedModes::Count(n),
        variant,
        ..Default::default()
    }
}

fn reduced(sets: &[&str], n: usize, variant: Variant) -> CraigBampton {
    craig_bampton(&bar(), &options(sets, n, variant), &Silent).unwrap()
}

fn of_kind(modes: ModeKind) -> Variant {
    Variant { modes, ..Variant::default() }
}

fn with_relief() -> Variant {
    Variant { inertia_relief: true, ..Variant::default() }
}

/// Largest error of the static response to a force of 1 N on each of some interface dofs, relative to that
/// of the full body under inertia relief, over all points.
fn static_error(body: &Body, set: &str, model: &ReducedBody) -> f64 {
    let discretisation = Discretisation::new(body).unwrap();
    let system = assemble(&discretisation, QuadratureRule::Default, &Silent).unwrap();
    let points = discretisation.points.clone();
    let interface = body.points_of_set(&discretisation, set).unwrap();
    let loaded: Vec<usize> = interface.iter().flat_map(|&p| [3 * p as usize, 3 * p as usize + 2]).collect();
    let force = Mat::from_fn(3 * points.len(), loaded.len(), |i, k| if i == loaded[k] { 1.0 } else { 0.0 });
    let motions = RigidMotions::left_by(&points, &vec![[false; 3]; points.len()]);
    let full = Flexibility::new(
        system,
        &vec![[true; 3]; points.len()],
        &points,
        &motions,
        &SolverChoice::default(),
        &Silent,
    )
    .unwrap();
    let mut exact = force.clone();
    full.respond(exact.as_mut(), &Silent).unwrap();
    let phi = &model.fields.as_ref().unwrap().modes().unwrap().values;
    let weighted = Mat::from_fn(phi.nrows(), phi.ncols(), |i, k| phi[(i, k)] / model.omega[k].powi(2));
    (&weighted * (phi.transpose() * &force) - &exact).norm_max() / exact.norm_max()
}

#[test]
fn inertia_relief_makes_static_response_to_every_interface_load_exact() {
    let body = bar();
    let error = |n, variant| static_error(&body, "west", &reduced(&["west"], n, variant).reduced);
    let plain = [6, 20].map(|n| error(n, Variant::default()));
    let relief = [0, 6, 20].map(|n| error(n, with_relief()));
    println!("6, 20 fixed-interface modes: {plain:?}; 0, 6, 20 with inertia relief: {relief:?}");
    assert!(plain[0] > 1e-3 && plain[1] > 1e-5, "{plain:?}");
    assert!(relief.iter().all(|&error| error < 1e-9), "{relief:?}");
}

#[test]
fn free_modes_with_residual_modes_are_exact_in_statics_and_at_their_frequencies() {
    let body = bar();
    let wanted = ModalOptions {
        fix: vec![],
        wanted: ModesWanted::Count(16),
        rule: QuadratureRule::Default,
        solver: SolverChoice::default(),
    };
    let exact = modes(&body, &wanted, &Silent).unwrap().hz;
    for (kind, n) in
        [(ModeKind::FreeInterface, 10), (ModeKind::FreeInterface, 0), (ModeKind::MasslessBoundary, 10)]
    {
        let result = reduced(&["west"], n, of_kind(kind));
        let model = &result.reduced;
        assert_eq!(model.n_low, n, "{kind:?}");
        for k in 0..n {
            let hz = model.omega[k] / TAU;
            assert!((hz / exact[6 + k] - 1.0).abs() < 1e-9, "{kind:?} mode {k}: {hz} {}", exact[6 + k]);
        }
        let error = static_error(&body, "west", model);
        println!("{kind:?}, {n} free modes: {} modes in all, static error {error:.1e}", model.omega.len());
        assert!(error < 1e-9, "{error:e}");
        assert_eq!(model.omega.len(), model.n_interface_dofs + n, "free modes and one residual mode a dof");
    }
}

#[test]
fn a_massless_boundary_keeps_the_mass_of_the_body() {
    let plain = reduced(&["west"], 12, Variant::default()).reduced;
    let result = reduced(&["west"], 12, of_kind(ModeKind::MasslessBoundary));
    let (massless, n_low) = (&result.reduced.invariants, result.reduced.n_low);
    assert!((massless.mass / plain.invariants.mass - 1.0).abs() < 1e-14);
    for (a, b) in massless.inertia.as_flattened().iter().zip(plain.invariants.inertia.as_flattened()) {
        assert!((a - b).abs() < 1e-14 * plain.invariants.inertia[2][2]);
    }
    assert_eq!(result.reduced.invariants.n_massive(), n_low);
    assert_eq!(plain.invariants.n_massive(), plain.omega.len());
    assert!(
        (0..massless.mass_modal.nrows())
            .all(|k| massless.mass_modal[(k, k)] == f64::from(u8::from(k < n_low)))
    );
    assert!(massless.stiffness_modal[(n_low, n_low)] > massless.stiffness_modal[(n_low - 1, n_low - 1)]);
    let mut above = options(&["west"], 12, of_kind(ModeKind::MasslessBoundary));
    above.split = Some(1e9);
    let error = craig_bampton(&bar(), &above, &Silent).unwrap_err();
    assert!(
        matches!(error, ReduceError::MasslessSplit { .. }) && error.to_string().contains("lower the split")
    );
}

#[test]
fn dependent_inertia_relief_modes_are_left_out_with_a_note() {
    // All possible fixed-interface modes: no inertia-relief modes remain.
    let body = steel_box([0.1, 0.02, 0.03], [2, 1, 1]);
    let result = craig_bampton(&body, &options(&["west"], 24, with_relief()), &Silent).unwrap();
    assert_eq!(result.reduced.omega.len(), 12 + 24 - 6);
    assert!(result.notes.len() == 1 && result.notes[0].starts_with("6 of 6 further"), "{:?}", result.notes);
}

#[test]
fn frequencies_with_interface_modes_converge_to_those_of_the_whole_interface() {
    let full = reduced(&["west", "east"], 20, Variant::default());
    let n_part = 36;
    let keep =
        |n| Variant { interface_modes: vec![("east".to_owned(), Keep::Count(n))], ..Variant::default() };
    let mut above = [f64::INFINITY; 12];
    for n in [6, 9, 14, 25, n_part] {
        let result = reduced(&["west", "east"], 20, keep(n));
        let model = &result.reduced;
        assert_eq!(model.omega.len(), full.reduced.omega.len() - (n_part - n), "{n}");
        let mut worst = 0.0_f64;
        for k in 0..12 {
            let excess = model.omega[k] / full.reduced.omega[k] - 1.0;
            assert!(
                excess > -1e-9 && model.omega[k] <= above[k] * (1.0 + 1e-9),
                "{n} modes, frequency {k}: {excess:e}"
            );
            above[k] = model.omega[k];
            worst = worst.max(excess);
        }
        println!("east reduced to {n} of {n_part}: frequencies at most {worst:.1e} above");
        if n == n_part {
            assert!(worst < 1e-9, "{worst:e}");
        }
        // Rigid motions are exact: the modes have no momentum.
        let invariants = &model.invariants;
        assert!(invariants.coupling_t.norm_max() < 1e-10 * invariants.mass.sqrt());
        assert!(invariants.coupling_r0.norm_max() < 1e-10 * invariants.inertia[1][1].sqrt());
        // The surface of the reduced set is not a complete interface.
        let complete = |name: &str| {
            model.surfaces.iter().find(|s| s.name == name).unwrap().is_interface.iter().all(|&is| is)
        };
        assert!(complete("west") && !complete("east"));
        assert!(
            result.notes.iter().any(|note| note.contains("local compliance is lost")),
            "{:?}",
            result.notes
        );
    }
    let by_hz = Variant { interface_modes: vec![("east".to_owned(), Keep::UpTo(1.0))], ..Variant::default() };
    assert_eq!(
        reduced(&["west", "east"], 20, by_hz).reduced.omega.len(),
        full.reduced.omega.len() - n_part + 6
    );
}

#[test]
fn the_interface_without_faces_is_reduced_as_one_and_sets_with_faces_are_not() {
    let mut wanted = options(&["west"], 12, Variant::default());
    let discretisation = Discretisation::new(&bar()).unwrap();
    wanted.interface_points = bar().points_of_set(&discretisation, "east").unwrap();
    let full = craig_bampton(&bar(), &wanted, &Silent).unwrap().reduced;
    wanted.variant.reduce_interface = Some(Keep::Count(10));
    let result = craig_bampton(&bar(), &wanted, &Silent).unwrap();
    assert_eq!(result.reduced.omega.len(), full.omega.len() - 26);
    assert!(result.reduced.surfaces[0].is_interface.iter().all(|&is| is));
    assert!(result.notes[0].contains("36 interface dofs reduced to 10"), "{:?}", result.notes);
    let nothing = Variant { reduce_interface: Some(Keep::Count(10)), ..Variant::default() };
    let result = reduced(&["west"], 12, nothing);
    assert!(result.notes[0].contains("no part of the interface is reduced"), "{:?}", result.notes);
}

fn framed(frame: BodyFrame, damping: Option<Damping>) -> CraigBampton {
    reduced(&["west", "east"], 20, Variant { frame, damping, ..Variant::default() })
}

#[test]
fn dynamic_modes_in_a_frame_of_nodes_vanish_at_its_fixed_dofs() {
    let body = bar();
    let discretisation = Discretisation::new(&body).unwrap();
    let find = |place: [f64; 3]| {
        let near = |p: &[f64; 3]| (0..3).map(|a| (p[a] - place[a]).powi(2)).sum::<f64>();
        let points = &discretisation.points;
        (0..points.len()).min_by(|&a, &b| near(&points[a]).total_cmp(&near(&points[b]))).unwrap() as u32
    };
    let [low, high] = [0, 1].map(|end| {
        let corner = discretisation.points.iter().copied();
        corner.fold([[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]][end], |a, b| {
            [0, 1, 2].map(|i| if end == 0 { a[i].min(b[i]) } else { a[i].max(b[i]) })
        })
    });
    // J along x from I, K along y: the triad is that of the geometry.
    let nodes = [find(low), find([high[0], low[1], low[2]]), find([low[0], high[1], low[2]])];
    let buckens = framed(BodyFrame::Buckens, None);
    let result = framed(BodyFrame::Nodes(nodes), None);
    let model = &result.reduced;
    let n = model.n_low;
    assert!(n > 6 && n == buckens.reduced.n_low);
    let values = &model.fields.as_ref().unwrap().modes().unwrap().values;
    let at = |node: u32, a: usize, k: usize| values[(3 * node as usize + a, k)].abs();
    for k in 0..n {
        let largest = values.col(k).norm_max();
        let fixed = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)].map(|(node, a)| at(nodes[node], a, k));
        assert!(fixed.iter().all(|&value| value < 1e-12 * largest), "mode {k}: {fixed:?} of {largest}");
    }
    // Shapes are mass-normalised and uncoupled, and carry momentum.
    let invariants = &model.invariants;
    assert!(invariants.coupling_t.norm_max() > 0.1 * invariants.mass.sqrt());
    let discrete = assemble(&discretisation, QuadratureRule::Default, &Silent).unwrap();
    let mass = values.transpose() * discrete.mass.product(values.as_ref());
    let stiffness = values.transpose() * discrete.stiffness.product(values.as_ref());
    for i in 0..values.ncols() {
        for j in 0..values.ncols() {
            let unit = if i == j { 1.0 } else { 0.0 };
            assert!((mass[(i, j)] - unit).abs() < 1e-8, "M {i} {j}: {}", mass[(i, j)]);
            let scaled = stiffness[(i, j)] / (model.omega[i] * model.omega[j]);
            assert!((scaled - unit).abs() < 1e-8, "K {i} {j}: {scaled}");
        }
    }
    assert!(model.omega.is_sorted() && model.omega[0] < buckens.reduced.omega[0]);
    // The free vibrations of the body are the same.
    let free = free_vibrations(model, n).unwrap().omega;
    for k in 0..n {
        assert!((free[k] / buckens.reduced.omega[k] - 1.0).abs() < 1e-9, "{k}");
        assert!((result.free_omega[k] / buckens.reduced.omega[k] - 1.0).abs() < 1e-12);
    }
    // In the Buckens frame the shapes are the same except for their signs.
    let seen = FreeShapes::new(model).unwrap();
    let plain = &buckens.reduced.boundary.values;
    for k in 0..n {
        let [a, b] = [seen.boundary.values.col(k), plain.col(k)];
        let sign = if a.transpose() * b < 0.0 { -1.0 } else { 1.0 };
        let apart = (0..a.nrows()).map(|i| (a[i] - sign * b[i]).abs()).fold(0.0, f64::max);
        assert!(apart < 1e-8 * plain.norm_max(), "{k}: {apart:e}");
    }
    assert_eq!(model.omega[n..], buckens.reduced.omega[n..], "quasistatic modes are unchanged");
}

#[test]
fn in_the_frame_of_a_set_its_mean_motion_vanishes() {
    let model = framed(BodyFrame::Marker("west".to_owned()), None).reduced;
    let west = &model.surfaces.iter().find(|s| s.name == "west").unwrap().surface.points;
    let rows: Vec<usize> = west.iter().map(|p| model.boundary.points.binary_search(p).unwrap()).collect();
    for k in 0..model.n_low {
        let mut sums = [0.0; 6];
        for &row in &rows {
            let u = nalgebra::Vector3::from_fn(|a, _| model.boundary.values[(3 * row + a, k)]);
            let moment = nalgebra::Vector3::from(model.boundary.positions_b[row]).cross(&u);
            (0..3).for_each(|a| {
                sums[a] += u[a];
                sums[3 + a] += moment[a];
            });
        }
        let scale = model.boundary.values.col(k).norm_max();
        assert!(sums.iter().all(|sum| sum.abs() < 1e-11 * scale), "mode {k}: {sums:?}");
    }
}

#[test]
fn damping_of_free_vibrations_is_the_same_in_every_frame() {
    let damping =
        Damping { mass: 30.0, stiffness: 1e-7, ratio: DampingRatio::Table(vec![[1e3, 0.01], [1e5, 0.03]]) };
    let plain = framed(BodyFrame::Buckens, Some(damping.clone())).reduced;
    let matrix = plain.invariants.damping_modal.as_ref().unwrap();
    for k in 0..plain.omega.len() {
        let (omega, hz) = (plain.omega[k], plain.omega[k] / (2.0 * PI));
        let zeta = 0.01 + 0.02 * ((hz - 1e3) / 99e3).clamp(0.0, 1.0);
        let rate = 2.0 * zeta * omega + 30.0 + 1e-7 * omega * omega;
        assert!((matrix[(k, k)] / rate - 1.0).abs() < 1e-12, "{k}");
    }
    let other = framed(BodyFrame::Marker("west".to_owned()), Some(damping.clone())).reduced;
    let seen = other.invariants.damping_modal.as_ref().unwrap();
    // The scenario computes the same matrix from the invariants alone.
    let again = damping.matrix(&other, other.n_low).unwrap();
    let scale = again.norm_max();
    for i in 0..other.n_low {
        for j in 0..other.n_low {
            assert!((seen[(i, j)] - again[(i, j)]).abs() < 1e-8 * scale, "{i} {j}");
        }
    }
    let coupling = (0..other.n_low).flat_map(|i| (0..i).map(move |j| (i, j))).map(|at| seen[at].abs());
    assert!(coupling.fold(0.0, f64::max) > 1e-3 * seen[(0, 0)], "not diagonal in this frame");
    let massless = Variant { damping: Some(damping), ..of_kind(ModeKind::MasslessBoundary) };
    let model = reduced(&["west"], 8, massless).reduced;
    let d = model.invariants.damping_modal.unwrap();
    assert!(d[(7, 7)] > 0.0 && d[(8, 8)] == 0.0);
}

#[test]
fn impossible_choices_are_refused_with_a_remedy() {
    let fails =
        |variant: Variant| craig_bampton(&bar(), &options(&["west"], 12, variant), &Silent).unwrap_err();
    let frame = |frame| Variant { frame, ..Variant::default() };
    let refused = |variant: Variant, expected: VariantError, words: &str| match fails(variant) {
        ReduceError::Variant { source, .. } => {
            assert_eq!(source, expected);
            assert!(source.to_string().contains(words), "{source}");
        }
        other => panic!("{other}"),
    };
    let massless = of_kind(ModeKind::MasslessBoundary);
    refused(
        Variant { frame: BodyFrame::Nodes([0, 1, 2]), ..massless.clone() },
        VariantError::MasslessFrame,
        "Buckens",
    );
    refused(
        Variant { inertia_relief: true, ..massless.clone() },
        VariantError::ReliefTwice,
        "leave inertia relief out",
    );
    let part = vec![("west".to_owned(), Keep::Count(6))];
    refused(Variant { interface_modes: part, ..massless }, VariantError::ReducedResidual, "leave one");
    let bad = Damping::of_ratio(-1.0);
    assert!(matches!(
        fails(Variant { damping: Some(bad), ..Variant::default() }),
        ReduceError::Variant { .. }
    ));
    let unknown =
        Variant { interface_modes: vec![("wset".to_owned(), Keep::Count(6))], ..Variant::default() };
    let text = fails(unknown).to_string();
    assert!(text.contains("`wset`") && text.contains("`west`"), "{text}");
    let source = |error: ReduceError| match error {
        ReduceError::Frame { source, .. } => source,
        other => panic!("{other}"),
    };
    let line = source(fails(frame(BodyFrame::Nodes([0, 1, 2]))));
    assert!(matches!(line, FrameChoiceError::Line { nodes: [1, 2, 3] }), "{line}");
    let missing = source(fails(frame(BodyFrame::Nodes([0, 1, 4_000_000]))));
    assert!(matches!(missing, FrameChoiceError::NoSuchNode { node: 4_000_001, .. }));
    let unknown = source(fails(frame(BodyFrame::Marker("left".to_owned())))).to_string();
    assert!(unknown.contains("`left`") && unknown.contains("`west`"), "{unknown}");
    // Fewer than six fixed-interface modes need inertia relief.
    let few = craig_bampton(&bar(), &options(&["west"], 3, Variant::default()), &Silent).unwrap_err();
    assert!(few.to_string().contains("inertia relief"), "{few}");
    assert!(craig_bampton(&bar(), &options(&["west"], 3, with_relief()), &Silent).is_ok());
}

#[test]
fn a_model_compares_with_its_body_in_any_frame_and_with_a_massless_boundary() {
    let sets = ["west".to_owned(), "east".to_owned()];
    let compared = |variant: Variant| {
        let model = reduced(&["west", "east"], 20, variant).reduced;
        let wanted = ComparisonOptions {
            count: 12,
            rule: QuadratureRule::Default,
            fix: Vec::new(),
            sets: sets.to_vec(),
            solver: SolverChoice::default(),
        };
        compare(&model, &bar(), &wanted, &Silent).unwrap()
    };
    let plain = compared(Variant::default());
    let framed = compared(Variant { frame: BodyFrame::Marker("west".to_owned()), ..Variant::default() });
    for (a, b) in plain.modes.iter().zip(&framed.modes) {
        assert!(
            (a.model_hz / b.model_hz - 1.0).abs() < 1e-9 && (a.mac.unwrap() - b.mac.unwrap()).abs() < 1e-8
        );
    }
    for (a, b) in plain.loads.iter().zip(&framed.loads) {
        assert!((a.energy_error - b.energy_error).abs() < 1e-6, "{a:?} {b:?}");
    }
    let massless = compared(of_kind(ModeKind::MasslessBoundary));
    assert!(massless.modes.iter().all(|m| m.relative_error().abs() < 1e-9), "{:?}", massless.modes);
    assert!(massless.loads.iter().all(|load| load.displacement_error < 1e-9), "{:?}", massless.loads);
}
