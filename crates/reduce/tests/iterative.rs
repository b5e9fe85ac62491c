//! Reductions by iteration compared with reductions by a factor.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::bodies::{box_of, reference_mesh, steel_box, tetrahedra};
use carom_fem::{Body, Discretisation, QuadratureRule, assemble};
use carom_linalg::{DofSet, FactorError, Iterative};
use carom_mesh::CellShape;
use carom_progress::{Progress, Silent};
use carom_reduce::{
    Attachment, AttachmentKind, Comparison, ComparisonError, ComparisonOptions, CraigBampton,
    CraigBamptonOptions, FixedModes, Flexibility, ModeKind, ReduceError, RigidMotions, Solver, SolverChoice,
    Variant, compare as compare_with_body, craig_bampton,
};
use carom_testing::{json_file, numbers, shared_data};
use faer::Mat;

fn by(solver: Solver) -> SolverChoice {
    SolverChoice { solver, memory: None }
}

fn reduced(body: &Body, options: &CraigBamptonOptions, solver: Solver) -> CraigBampton {
    craig_bampton(body, &CraigBamptonOptions { solver: by(solver), ..options.clone() }, &Silent).unwrap()
}

/// Largest difference of two matrices, each entry relative to the square root of its diagonal ones.
///
/// The stiffness of a motion without strain is rounding: it is replaced by 1e-9 of the largest diagonal
/// entry.
fn apart(a: &Mat<f64>, b: &Mat<f64>) -> f64 {
    assert_eq!((a.nrows(), a.ncols()), (b.nrows(), b.ncols()));
    let n = a.nrows();
    let least = 1e-9 * (0..n).map(|i| a[(i, i)]).fold(0.0, f64::max);
    let scale = |i: usize| a[(i, i)].max(least).sqrt();
    let part = |i: usize, j: usize| (a[(i, j)] - b[(i, j)]).abs() / (scale(i) * scale(j));
    let parts = (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).map(|(i, j)| part(i, j));
    parts.fold(0.0, |worst, part| if part > worst || part.is_nan() { part } else { worst })
}

/// Checks that both solvers give the same model.
fn compare(case: &str, body: &Body, options: &CraigBamptonOptions) -> CraigBampton {
    let (direct, iterative) =
        (reduced(body, options, Solver::Direct), reduced(body, options, Solver::Iterative));
    assert!(iterative.is_iterative && !direct.is_iterative);
    let frequencies = |result: &CraigBampton| result.reduced.fixed_interface_hz.clone();
    for (a, b) in frequencies(&direct).iter().zip(&frequencies(&iterative)) {
        assert!((a / b - 1.0).abs() < 1e-8, "{case}, fixed-interface mode: {a} {b} Hz");
    }
    for (a, b) in direct.free_omega.iter().zip(&iterative.free_omega) {
        assert!((a / b - 1.0).abs() < 1e-8, "{case}, free mode: {a} {b}");
    }
    assert_eq!(direct.free_omega.len(), iterative.free_omega.len());
    let stiffness = apart(&direct.condensed_stiffness, &iterative.condensed_stiffness);
    assert!(stiffness < 1e-8, "{case}, condensed stiffness: {stiffness:.1e}");
    // Masses of normal modes may be rotated within a multiple root, those of the boundary may not.
    let n = direct.reduced.n_interface_dofs;
    let boundary = |result: &CraigBampton| result.condensed_mass.submatrix(0, 0, n, n).to_owned();
    let mass = apart(&boundary(&direct), &boundary(&iterative));
    assert!(mass < 1e-8, "{case}, condensed mass: {mass:.1e}");
    iterative
}

#[test]
fn both_solvers_agree_for_a_box_with_a_contact_set_and_both_kinds_of_attachments() {
    let body = box_of(CellShape::Hex20, [0.12, 0.05, 0.04], [9, 4, 4]);
    let tie = |set: &str, kind| Attachment { set: set.to_owned(), kind, at: None };
    let (rigid, mean) = (AttachmentKind::Rigid, AttachmentKind::Mean);
    let cases = [
        ("contact set", vec!["west"], vec![]),
        ("rigid and mean", vec![], vec![tie("west", rigid), tie("east", mean)]),
        ("mean alone", vec![], vec![tie("east", mean)]),
    ];
    for (case, sets, attachments) in cases {
        let options = CraigBamptonOptions {
            interface_sets: sets.into_iter().map(str::to_owned).collect(),
            attachments,
            modes: FixedModes::Count(14),
            ..Default::default()
        };
        let result = compare(case, &body, &options);
        let notes = result.notes.join("\n");
        assert!(notes.contains("without a factor (as chosen)"), "{notes}");
        assert!(notes.contains("second search"), "{notes}");
    }
}

#[test]
fn both_solvers_give_the_same_inertia_relief_and_free_modes() {
    let body = steel_box([0.1, 0.05, 0.04], [10, 5, 5]);
    let options = |variant: Variant| CraigBamptonOptions {
        interface_sets: vec!["west".to_owned()],
        modes: FixedModes::Count(8),
        variant,
        ..Default::default()
    };
    compare("inertia relief", &body, &options(Variant { inertia_relief: true, ..Default::default() }));
    let free = options(Variant { modes: ModeKind::FreeInterface, ..Default::default() });
    let (direct, iterative) =
        (reduced(&body, &free, Solver::Direct), reduced(&body, &free, Solver::Iterative));
    for (a, b) in direct.free_omega.iter().zip(&iterative.free_omega).take(8) {
        assert!((a / b - 1.0).abs() < 1e-8, "{a} {b}");
    }
}

/// A comparison of a model with its body by this solver.
fn compared(
    body: &Body,
    options: &CraigBamptonOptions,
    solver: SolverChoice,
) -> Result<Comparison, ComparisonError> {
    let model = reduced(body, options, Solver::Direct).reduced;
    let wanted = ComparisonOptions {
        count: 8,
        rule: QuadratureRule::Default,
        fix: options.held.clone(),
        sets: options.interface_sets.clone(),
        solver,
    };
    compare_with_body(&model, body, &wanted, &Silent)
}

#[test]
fn both_solvers_give_the_same_comparison_with_the_whole_body() {
    let body = box_of(CellShape::Hex20, [0.12, 0.05, 0.04], [9, 4, 4]);
    let tie = |set: &str, kind| Attachment { set: set.to_owned(), kind, at: None };
    let (rigid, mean) = (AttachmentKind::Rigid, AttachmentKind::Mean);
    let cases = [
        ("free", vec!["west"], vec![], vec![]),
        ("rigid and mean", vec![], vec![tie("west", rigid), tie("east", mean)], vec![]),
        ("two rigid sets", vec![], vec![tie("west", rigid), tie("east", rigid)], vec![]),
        ("held", vec!["east"], vec![], vec!["west".to_owned()]),
    ];
    for (case, sets, attachments, held) in cases {
        let options = CraigBamptonOptions {
            interface_sets: sets.into_iter().map(str::to_owned).collect(),
            attachments,
            held,
            modes: FixedModes::Count(10),
            ..Default::default()
        };
        let [direct, iterative] =
            [Solver::Direct, Solver::Iterative].map(|way| compared(&body, &options, by(way)).unwrap());
        assert!(iterative.is_iterative && !direct.is_iterative && direct.notes.is_empty(), "{case}");
        let notes = iterative.notes.join("\n");
        assert!(
            notes.contains("static response of the body without a factor (as chosen)"),
            "{case}: {notes}"
        );
        assert!(notes.contains("modes of the body: solved without a factor"), "{case}: {notes}");
        assert!(notes.contains("second search"), "{case}: {notes}");
        assert_eq!((direct.modes.len(), direct.loads.len()), (iterative.modes.len(), iterative.loads.len()));
        for (a, b) in direct.modes.iter().zip(&iterative.modes) {
            assert!((a.body_hz / b.body_hz - 1.0).abs() < 1e-8, "{case}: {} {} Hz", a.body_hz, b.body_hz);
            assert!((a.mac.unwrap() - b.mac.unwrap()).abs() < 1e-8, "{case}: {:?} {:?}", a.mac, b.mac);
        }
        assert!(!direct.loads.is_empty());
        for (a, b) in direct.loads.iter().zip(&iterative.loads) {
            let displacement = (a.displacement_error - b.displacement_error).abs();
            assert!(displacement < 1e-8, "{case}, {} on {}: {displacement:.1e}", a.direction, a.set);
            // The error is the root of a part of the energy; the computed quantity is that part.
            let energy = (a.energy_error.powi(2) - b.energy_error.powi(2)).abs();
            assert!(energy < 1e-8, "{case}, {} on {}: {energy:.1e}", a.direction, a.set);
        }
    }
}

#[test]
fn both_solvers_give_the_same_flexibility_among_points() {
    // As in a static scenario: a free body under inertia relief, and one on supports.
    let body = box_of(CellShape::Hex20, [0.12, 0.05, 0.04], [9, 4, 4]);
    let discretisation = Discretisation::new(&body).unwrap();
    let points = &discretisation.points;
    let system = assemble(&discretisation, QuadratureRule::Default, &Silent).unwrap();
    let zone: Vec<u32> = (0..points.len() as u32).filter(|&p| points[p as usize][0] > 0.12 - 1e-9).collect();
    for is_held in [false, true] {
        let held: Vec<[bool; 3]> = points.iter().map(|x| [is_held && x[0] < 1e-9; 3]).collect();
        let free: Vec<[bool; 3]> = held.iter().map(|held| held.map(|held| !held)).collect();
        let motions = RigidMotions::left_by(points, &held);
        let [direct, iterative] = [Solver::Direct, Solver::Iterative].map(|way| {
            let flexibility =
                Flexibility::new(system.clone(), &free, points, &motions, &by(way), &Silent).unwrap();
            assert_eq!(flexibility.note(&by(way)).is_some(), way == Solver::Iterative);
            let force: Vec<[f64; 3]> = points.iter().map(|x| [1.0 + x[1], x[0], -1.0]).collect();
            (
                flexibility.compliance(&zone, &Silent).unwrap(),
                flexibility.displacement(&force, &Silent).unwrap(),
            )
        });
        let error = apart(&direct.0, &iterative.0);
        assert!(error < 1e-8, "held {is_held}: {error:.1e}");
        let largest = direct.1.iter().flatten().fold(0.0_f64, |a, u| a.max(u.abs()));
        let differences =
            direct.1.iter().flatten().zip(iterative.1.iter().flatten()).map(|(a, b)| (a - b).abs());
        let error = differences.fold(0.0, f64::max) / largest;
        assert!(error < 1e-8, "held {is_held}: {error:.1e}");
    }
}

#[test]
fn a_comparison_without_memory_for_a_factor_iterates_and_reports_it() {
    let body = steel_box([0.1, 0.05, 0.04], [10, 5, 5]);
    let options = CraigBamptonOptions {
        interface_sets: vec!["west".to_owned()],
        modes: FixedModes::Count(8),
        ..Default::default()
    };
    let within = |solver| SolverChoice { solver, memory: Some(100_000) };
    let found = compared(&body, &options, within(Solver::Auto)).unwrap();
    let notes = found.notes.join("\n");
    assert!(found.is_iterative, "{notes}");
    assert!(notes.contains("the factor of its stiffness does not fit into the free memory"), "{notes}");
    let refused = compared(&body, &options, within(Solver::Direct)).unwrap_err().to_string();
    assert!(
        refused.contains("GB more than this machine has free") && refused.contains("`auto`"),
        "{refused}"
    );
}

#[test]
fn both_solvers_agree_for_the_connecting_rod_of_the_reference_data() {
    let (Some(body), Some(list)) =
        (reference_mesh("conrod_30k.msh"), shared_data("meshes/conrod_30k.msh.cb.json"))
    else {
        return;
    };
    let interface_points =
        numbers(&json_file(&list)["interface_nodes"]).iter().map(|&node| node as u32 - 1).collect();
    let options =
        CraigBamptonOptions { interface_points, modes: FixedModes::Count(50), ..Default::default() };
    compare("conrod", &body, &options);
}

#[test]
fn iterations_hardly_grow_as_the_mesh_becomes_finer() {
    let iterations = |body: &Body| {
        let discretisation = Discretisation::new(body).unwrap();
        let system = assemble(&discretisation, QuadratureRule::Default, &Silent).unwrap();
        let points = &discretisation.points;
        let held: Vec<u32> =
            (0..points.len() as u32).filter(|&point| points[point as usize][0] < 1e-9).collect();
        let used = discretisation.point_is_used();
        let free = DofSet::from_flags(used.iter().map(|&used| [used; 3]).collect()).without_nodes(&held);
        let inverse = Iterative::new(&system.stiffness, None, free.clone(), points, &Silent).unwrap();
        let mut x = Mat::from_fn(system.stiffness.n_dofs(), 3, |i, j| ((i * (2 * j + 1)) as f64).sin());
        inverse.solve_in_place(x.as_mut(), &Silent).unwrap();
        println!(
            "{} dofs: {} iterations, levels {:?}",
            free.len(),
            inverse.most_iterations(),
            inverse.level_dofs()
        );
        inverse.most_iterations()
    };
    let of_hex20: Vec<usize> =
        [4, 8, 16].map(|n| iterations(&box_of(CellShape::Hex20, [1.0; 3], [n; 3]))).to_vec();
    let of_tet10: Vec<usize> = [4, 8, 16].map(|n| iterations(&tetrahedra(n))).to_vec();
    for counts in [of_hex20, of_tet10] {
        // From 1 600 to 110 000 dofs; the first has a coarsest level of a few aggregates.
        assert!(counts[2] < 50 && counts[2] <= counts[1] + 8, "{counts:?}");
    }
}

#[test]
fn a_cube_keeps_every_copy_of_its_triple_modes() {
    // Held at its eight corners a cube has the symmetry of the octahedron, with modes of multiplicity 1, 2
    // and 3.
    let body = box_of(CellShape::Hex20, [1.0; 3], [6; 3]);
    let discretisation = Discretisation::new(&body).unwrap();
    let ends = [0, 1, 2].map(|axis| {
        let of = |pick: fn(f64, f64) -> f64| {
            discretisation.points.iter().map(|p| p[axis]).reduce(pick).expect("the box has points")
        };
        [of(f64::min), of(f64::max)]
    });
    let is_corner =
        |p: &[f64; 3]| (0..3).all(|axis| ends[axis].iter().any(|end| (p[axis] - end).abs() < 1e-9));
    let interface_points: Vec<u32> = (0..discretisation.points.len() as u32)
        .filter(|&point| is_corner(&discretisation.points[point as usize]))
        .collect();
    assert_eq!(interface_points.len(), 8);
    for n in [7, 11, 18] {
        let options = CraigBamptonOptions {
            interface_points: interface_points.clone(),
            modes: FixedModes::Count(n),
            ..Default::default()
        };
        let result = compare("cube", &body, &options);
        let hz = &result.reduced.fixed_interface_hz;
        assert!(hz.windows(3).any(|w| w[2] / w[0] - 1.0 < 1e-8), "no triple root: {hz:?}");
    }
}

#[test]
fn the_free_memory_determines_the_solver() {
    let body = steel_box([0.1, 0.05, 0.04], [8, 4, 4]);
    let with = |solver: Solver, memory: u64| {
        let options = CraigBamptonOptions {
            interface_sets: vec!["west".to_owned()],
            modes: FixedModes::Count(8),
            solver: SolverChoice { solver, memory: Some(memory) },
            ..Default::default()
        };
        craig_bampton(&body, &options, &Silent)
    };
    let roomy = with(Solver::Auto, 1 << 40).unwrap();
    assert!(!roomy.is_iterative && roomy.notes.iter().all(|note| !note.contains("without a factor")));
    let narrow = with(Solver::Auto, 1 << 20).unwrap();
    assert!(narrow.is_iterative);
    let notes = narrow.notes.join("\n");
    assert!(notes.contains("do not fit into the free memory"), "{notes}");
    for (a, b) in roomy.free_omega.iter().zip(&narrow.free_omega) {
        assert!((a / b - 1.0).abs() < 1e-8, "{a} {b}");
    }
    let error = with(Solver::Direct, 1 << 10).unwrap_err();
    assert!(matches!(error, ReduceError::Factor { source: FactorError::OutOfMemory { .. }, .. }), "{error}");
    assert!(error.to_string().contains("leave the solver at `auto`"), "{error}");
    let chosen = with(Solver::Iterative, 1 << 40).unwrap();
    assert!(chosen.is_iterative);
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let body = steel_box([0.1, 0.05, 0.04], [16, 8, 8]);
    let options = CraigBamptonOptions {
        interface_sets: vec!["west".to_owned()],
        modes: FixedModes::Count(10),
        solver: by(Solver::Iterative),
        ..Default::default()
    };
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let result = pool.install(|| craig_bampton(&body, &options, &Silent).unwrap());
        (
            result.reduced.fixed_interface_hz,
            result.condensed_stiffness,
            result.condensed_mass,
            result.reduced.omega,
        )
    };
    let (one, four) = (run(1), run(4));
    assert!(one.1 == four.1, "stiffness");
    assert!(one.2 == four.2, "mass");
    assert!(one.0 == four.0, "frequencies");
    assert!(one.3 == four.3, "frequencies of the free body");
}

/// Requests a stop after some queries.
struct Impatient {
    asked: AtomicUsize,
    patience: usize,
}

impl Progress for Impatient {
    fn begin(&self, _name: &str, _total: u64) {}
    fn set(&self, _done: u64) {}
    fn note(&self, _text: &str) {}
    fn end(&self) {}
    fn interrupted(&self) -> bool {
        self.asked.fetch_add(1, Ordering::Relaxed) >= self.patience
    }
}

#[test]
fn a_reduction_stops_in_every_phase_on_request() {
    let body = steel_box([0.1, 0.05, 0.04], [8, 4, 4]);
    let options = CraigBamptonOptions {
        interface_sets: vec!["west".to_owned()],
        modes: FixedModes::Count(8),
        solver: by(Solver::Iterative),
        ..Default::default()
    };
    for patience in [0, 1, 3, 10, 40, 150, 300] {
        let impatient = Impatient { asked: AtomicUsize::new(0), patience };
        let stopped = craig_bampton(&body, &options, &impatient).is_err();
        assert!(stopped || impatient.asked.load(Ordering::Relaxed) <= patience, "after {patience}");
    }
}
