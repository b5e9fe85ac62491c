//! Models from given constraint modes and fixed-interface modes, against those of this program alone, and
//! given solutions with errors.

use carom_fem::{Body, Discretisation, QuadratureRule, assemble};
use carom_linalg::{DofSet, Wanted};
use carom_progress::Silent;
use carom_reduce::boundary::Boundary;
use carom_reduce::condensation::{Condensation, constraint_modes};
use carom_reduce::interface::Interface;
use carom_reduce::solver::{Interior, Operator};
use carom_reduce::{
    CraigBampton, CraigBamptonOptions, FixedModes, GivenError, InteriorSolutions, ReduceError, Solver,
    SolverChoice, Variant, craig_bampton, craig_bampton_of_solutions, interface_spec,
};
use faer::Mat;

use crate::bodies::steel_box;

/// Number of requested modes.
const MODES: usize = 10;

/// The interior of a body, solved as another program would solve it: complete modes, six more than requested.
fn solved(body: &Body, options: &CraigBamptonOptions) -> (InteriorSolutions, Boundary) {
    let discretisation = Discretisation::new(body).unwrap();
    let boundary = Interface::new(body, &discretisation, interface_spec(options)).unwrap().boundary;
    let system = assemble(&discretisation, QuadratureRule::Default, &Silent).unwrap();
    let used = discretisation.point_is_used();
    let dofs = DofSet::from_flags(used.iter().map(|&used| [used; 3]).collect());
    let operator = Operator { k: &system.stiffness, shifted_mass: None, points: &discretisation.points };
    let choice = SolverChoice::default();
    let interior = Interior::new(operator, boundary.space(&dofs), &choice, 0, &Silent).unwrap();
    let points = &discretisation.points;
    let constraint = constraint_modes(&system, &interior, &boundary, points, &used, &Silent).unwrap();
    let wanted = Wanted::Count(MODES + 6);
    let basis = Condensation::new(&system, interior, constraint, wanted, &Silent).unwrap().basis;
    let n = boundary.n_dofs();
    let solutions = InteriorSolutions {
        constraint_modes: basis.subcols(0, n).to_owned(),
        fixed_modes: basis.subcols(n, MODES + 6).to_owned(),
        count: None,
        origin: "test".to_owned(),
    };
    (solutions, boundary)
}

fn options(attachments: &[&str], interfaces: &[&str], held: &[&str]) -> CraigBamptonOptions {
    let texts = |list: &[&str]| list.iter().map(|&text| text.to_owned()).collect();
    CraigBamptonOptions {
        interface_sets: texts(interfaces),
        attachments: attachments.iter().map(|text| text.parse().unwrap()).collect(),
        held: texts(held),
        modes: FixedModes::Count(MODES),
        rule: Some(QuadratureRule::Default),
        ..CraigBamptonOptions::default()
    }
}

fn from(
    solutions: InteriorSolutions,
    body: &Body,
    options: &CraigBamptonOptions,
) -> Result<CraigBampton, ReduceError> {
    craig_bampton_of_solutions(body, options, solutions, &Silent)
}

fn refused(solutions: InteriorSolutions, body: &Body, options: &CraigBamptonOptions) -> GivenError {
    match from(solutions, body, options) {
        Err(ReduceError::Given { source, .. }) => source,
        outcome => panic!("{:?}", outcome.map(|model| model.notes)),
    }
}

/// Points, a rigid marker, means alone (which need pins), a mean next to supports.
#[test]
fn models_from_given_solutions_are_those_of_one_program() {
    let body = steel_box([0.12, 0.02, 0.03], [6, 2, 2]);
    for (attachments, interfaces, held) in [
        (&[][..], &["west", "east"][..], &[][..]),
        (&["west=rigid"], &["east"], &[]),
        (&["west=mean", "east=mean"], &[], &[]),
        (&["west=mean@0.0,0.01,0.015", "east=rigid"], &[], &[]),
        (&["east=mean"], &[], &["west"]),
    ] {
        let options = options(attachments, interfaces, held);
        let own = craig_bampton(&body, &options, &Silent).unwrap();
        let (solutions, _) = solved(&body, &options);
        let model = from(solutions, &body, &options).unwrap();
        assert!(model.notes[0].contains("an inertia count finds"), "{:?}", model.notes);
        assert_eq!(model.reduced.n_low, own.reduced.n_low);
        for (given, omega) in model.reduced.omega.iter().zip(&own.reduced.omega) {
            assert!((given / omega - 1.0).abs() < 1e-9, "{attachments:?}: {given} {omega}");
        }
        let near = |a: &Mat<f64>, b: &Mat<f64>| (a - b).norm_max() <= 1e-9 * b.norm_max();
        assert!(near(&model.condensed_stiffness, &own.condensed_stiffness), "{attachments:?}");
        let n = own.reduced.n_interface_dofs;
        let block = |m: &Mat<f64>| m.submatrix(0, 0, n, n).to_owned();
        assert!(near(&block(&model.condensed_mass), &block(&own.condensed_mass)), "{attachments:?}");
    }
}

/// Without room for a factor the count of the other program is compared; without one, a search by iteration
/// looks for missing modes.
#[test]
fn modes_are_proven_without_a_factor() {
    let body = steel_box([0.12, 0.02, 0.03], [6, 2, 2]);
    let options = options(&[], &["west", "east"], &[]);
    let (solutions, _) = solved(&body, &options);
    let own = from(solutions.clone(), &body, &options).unwrap();
    let iterative = CraigBamptonOptions {
        solver: SolverChoice { solver: Solver::Iterative, memory: None },
        ..options.clone()
    };
    let searched = from(solutions.clone(), &body, &iterative).unwrap();
    assert!(searched.is_iterative && searched.notes[1].contains("second search"), "{:?}", searched.notes);
    let hz = |model: &CraigBampton| model.reduced.fixed_interface_hz.clone();
    assert_eq!(hz(&searched), hz(&own));
    // A shift in the middle of the gap behind the last requested mode.
    let above = from(
        solutions.clone(),
        &body,
        &CraigBamptonOptions { modes: FixedModes::Count(MODES + 1), ..options.clone() },
    );
    let above = *hz(&above.unwrap()).last().unwrap();
    let middle = 0.5 * (hz(&own)[MODES - 1] + above);
    let shift = (std::f64::consts::TAU * middle).powi(2);
    let counted = InteriorSolutions { count: Some((MODES, shift)), ..solutions.clone() };
    let model = from(counted, &body, &iterative).unwrap();
    assert!(!model.is_iterative && model.notes[0].contains("inertia count"), "{:?}", model.notes);
    let wrong = InteriorSolutions { count: Some((MODES + 1, shift)), ..solutions };
    let error = refused(wrong, &body, &iterative);
    assert!(matches!(error, GivenError::Missing { found: MODES, counted, .. } if counted == MODES + 1));
}

#[test]
fn solutions_with_errors_are_refused_with_the_figure() {
    let body = steel_box([0.12, 0.02, 0.03], [6, 2, 2]);
    let options = options(&["west=mean"], &["east"], &[]);
    let (solutions, boundary) = solved(&body, &options);
    let n_points = solutions.constraint_modes.nrows() / 3;
    let inside = (0..n_points as u32)
        .find(|point| {
            let in_marker = boundary.markers[0].points.contains(point);
            !in_marker && !boundary.points.contains(point)
        })
        .unwrap() as usize;
    let changed = |change: &dyn Fn(&mut InteriorSolutions)| {
        let mut solutions = solutions.clone();
        change(&mut solutions);
        refused(solutions, &body, &options)
    };
    // One value inside of the body.
    let error = changed(&|s| s.constraint_modes[(3 * inside, 2)] += 1e-6);
    assert!(matches!(error, GivenError::Residual { mode: 3, residual, .. } if residual > 1e-8), "{error}");
    // A field that needs little force.
    let error = changed(&|s| {
        let size = 1e-6 * s.constraint_modes.col(4).norm_max() / s.fixed_modes.col(0).norm_max();
        for i in 0..3 * n_points {
            let part = size * s.fixed_modes[(i, 0)];
            s.constraint_modes[(i, 4)] += part;
        }
    });
    assert!(
        matches!(error, GivenError::AlongMode { mode: 5, .. } | GivenError::Residual { mode: 5, .. }),
        "{error}"
    );
    let error = changed(&|s| s.constraint_modes[(3 * boundary.points[0] as usize, 0)] = 0.5);
    assert!(matches!(error, GivenError::Prescribed { mode: 1, deviation } if deviation > 0.4), "{error}");
    let error = changed(&|s| s.constraint_modes.truncate(3 * n_points, 5));
    assert!(matches!(error, GivenError::Size { columns: 5, .. }), "{error}");
    let error = changed(&|s| s.fixed_modes[(3 * inside, 3)] *= 1.01);
    assert!(error.to_string().contains("orthonormal"), "{error}");
    let error = changed(&|s| s.fixed_modes[(3 * boundary.points[0] as usize, 3)] = 1.0);
    assert!(matches!(error, GivenError::Moves { moved } if moved > 1e-8), "{error}");
    // The lowest mode is missing.
    let error = changed(&|s| s.fixed_modes = s.fixed_modes.subcols(1, MODES + 5).to_owned());
    assert!(matches!(error, GivenError::Missing { found, counted, .. } if counted == found + 1), "{error}");
    let error = changed(&|s| s.fixed_modes.truncate(3 * n_points, MODES));
    assert!(matches!(error, GivenError::TooFew { given: MODES, wanted: MODES }), "{error}");
}

#[test]
fn variants_that_need_further_solutions_are_refused() {
    let body = steel_box([0.12, 0.02, 0.03], [6, 2, 2]);
    let options = options(&[], &["west", "east"], &[]);
    let (solutions, _) = solved(&body, &options);
    let relief =
        CraigBamptonOptions { variant: Variant { inertia_relief: true, ..Variant::default() }, ..options };
    let error = from(solutions, &body, &relief).unwrap_err().to_string();
    assert!(error.contains("inertia relief needs further solutions"), "{error}");
}
