//! Description of the columns of a basis.

use std::f64::consts::TAU;

use crate::bodies::steel_box;
use carom_fem::{Body, QuadratureRule};
use carom_progress::Silent;
use carom_reduce::{
    Attachment, AttachmentKind, BodyFrame, BoundaryDof, Column, CraigBamptonOptions, FixedModes, Keep,
    ModalOptions, ModeKind, ModesWanted, Motion, ReducedBody, SolverChoice, Variant, craig_bampton, modes,
};

fn bar() -> Body {
    steel_box([0.1, 0.02, 0.03], [8, 2, 3])
}

fn reduced(options: CraigBamptonOptions) -> ReducedBody {
    craig_bampton(&bar(), &options, &Silent).unwrap().reduced
}

/// Options with the interfaces east and west and the given number of fixed-interface modes.
fn options(modes: usize, variant: Variant) -> CraigBamptonOptions {
    CraigBamptonOptions {
        interface_sets: vec!["west".to_owned(), "east".to_owned()],
        modes: FixedModes::Count(modes),
        variant,
        ..Default::default()
    }
}

fn frequencies(fix: &[&str], count: usize) -> Vec<f64> {
    let fix = fix.iter().map(|&set| set.to_owned()).collect();
    let wanted = ModalOptions {
        fix,
        wanted: ModesWanted::Count(count),
        rule: QuadratureRule::Default,
        solver: SolverChoice::default(),
    };
    modes(&bar(), &wanted, &Silent).unwrap().hz
}

fn shares_add_up(model: &ReducedBody) {
    let composition = &model.composition;
    assert_eq!(composition.strain_shares.nrows(), composition.columns.len());
    for k in 0..model.omega.len() {
        let sum: f64 = composition.group_shares(k).iter().sum();
        assert!((sum - 1.0).abs() < 1e-6, "mode {k}: {sum}");
    }
}

#[test]
fn a_reduced_set_has_interface_modes_in_place_of_constraint_modes() {
    let keep = vec![("east".to_owned(), Keep::Count(9))];
    let model = reduced(options(12, Variant { interface_modes: keep, ..Variant::default() }));
    let columns = &model.composition.columns;
    // All but the six rigid motions of the body are modes of the model.
    assert_eq!(columns.len(), model.omega.len() + 6);
    let of_east: Vec<&Column> = columns.iter().filter(|column| column.group() == "east").collect();
    assert_eq!(of_east.len(), 9);
    let hz: Vec<Option<f64>> = (0..)
        .zip(&of_east)
        .map(|(k, column)| match column {
            Column::Interface { number, hz, .. } if *number == k => *hz,
            other => panic!("{other}"),
        })
        .collect();
    assert!(hz[..6].iter().all(Option::is_none) && hz[6..].iter().all(Option::is_some), "{hz:?}");
    // A Ritz value of the part with the rest of the interface held: above the frequency of the bar that is
    // held at west alone. The rigid motions of the part are removed from its stretching and bending modes.
    let held = frequencies(&["west"], 1)[0];
    let elastic: Vec<f64> = hz.into_iter().flatten().collect();
    assert!(elastic[0] > held && elastic.is_sorted(), "{elastic:?} {held}");
    assert_eq!(columns.iter().filter(|column| matches!(column, Column::Constraint(_))).count(), 36);
    assert_eq!(columns.iter().filter(|column| matches!(column, Column::FixedMode { .. })).count(), 12);
    shares_add_up(&model);
}

#[test]
fn the_lowest_interface_modes_of_all_of_the_interface_are_those_of_the_condensed_body() {
    // With the whole interface in one part nothing else is held: its modes are the Ritz values of the free
    // body in its constraint modes, above its own frequencies and near the lowest.
    let body = bar();
    let discretisation = carom_fem::Discretisation::new(&body).unwrap();
    let mut points = body.points_of_set(&discretisation, "west").unwrap();
    points.extend(body.points_of_set(&discretisation, "east").unwrap());
    let variant = Variant { reduce_interface: Some(Keep::Count(12)), ..Variant::default() };
    let model = reduced(CraigBamptonOptions {
        interface_points: points,
        interface_sets: Vec::new(),
        ..options(12, variant)
    });
    let free = frequencies(&[], 12);
    let hz = model.composition.columns.iter().filter_map(|column| match column {
        Column::Interface { part, hz, .. } if part == "interface without faces" => *hz,
        _ => None,
    });
    let hz: Vec<f64> = hz.collect();
    assert_eq!(hz.len(), 6);
    for (found, exact) in hz.iter().zip(&free[6..]) {
        assert!(found > exact, "{hz:?} {free:?}");
    }
    assert!(hz[0] < 1.5 * free[6], "{hz:?} {free:?}");
    shares_add_up(&model);
}

#[test]
fn columns_that_a_reduced_part_keeps_are_unchanged() {
    let attachments = vec![Attachment { set: "east".to_owned(), kind: AttachmentKind::Mean, at: None }];
    let variant = Variant { reduce_interface: Some(Keep::Count(6)), ..Variant::default() };
    let model = reduced(CraigBamptonOptions {
        interface_sets: vec!["west".to_owned()],
        attachments,
        ..options(12, variant)
    });
    let markers = model.composition.columns.iter().filter_map(|column| match column {
        Column::Constraint(BoundaryDof::Marker { marker, motion }) if marker == "east" => Some(*motion),
        _ => None,
    });
    assert!(markers.eq(Motion::ALL), "a marker has only its rigid motions");
}

#[test]
fn free_modes_and_residual_attachment_modes_are_named_in_every_frame() {
    let exact = frequencies(&[], 6 + 8);
    for (kind, frame) in [
        (ModeKind::FreeInterface, BodyFrame::Buckens),
        (ModeKind::MasslessBoundary, BodyFrame::Buckens),
        (ModeKind::FreeInterface, BodyFrame::Marker("west".to_owned())),
    ] {
        let is_buckens = frame == BodyFrame::Buckens;
        let model = reduced(options(8, Variant { modes: kind, frame, ..Variant::default() }));
        let columns = &model.composition.columns;
        assert_eq!(columns.len(), model.omega.len(), "{kind:?}");
        let (residual, free) = columns.split_at(72);
        assert!(residual.iter().all(|column| matches!(column, Column::Residual(_))));
        for (k, column) in free.iter().enumerate() {
            let Column::FreeMode { number, hz } = column else { panic!("{column}") };
            assert_eq!(*number as usize, k);
            assert!((hz / exact[6 + k] - 1.0).abs() < 1e-9, "{hz} {}", exact[6 + k]);
            if is_buckens {
                let share = model.composition.strain_shares[(72 + k, k)];
                assert!((share - 1.0).abs() < 1e-6, "{kind:?} {k}: {share}");
            }
        }
        // In another frame the dynamic modes differ, but they consist of the free modes alone.
        for k in 0..8 {
            let shares = model.composition.strain_shares.col(k);
            let of_free: f64 = (72..80).map(|i| shares[i]).sum();
            assert!((of_free - 1.0).abs() < 1e-6, "{kind:?} {k}: {of_free}");
        }
        shares_add_up(&model);
    }
}

#[test]
fn inertia_relief_is_named_with_frequencies() {
    let relief = |model: &ReducedBody| {
        let found = model.composition.columns.iter().filter_map(|column| match column {
            Column::InertiaRelief { number, hz } => Some((*number, *hz)),
            _ => None,
        });
        found.collect::<Vec<_>>()
    };
    let model = reduced(options(12, Variant { inertia_relief: true, ..Variant::default() }));
    let found = relief(&model);
    assert!(
        found.iter().map(|(number, _)| *number).eq(0..6) && found.is_sorted_by(|a, b| a.1 <= b.1),
        "{found:?}"
    );
    // They lie above the twelve lowest modes of the held interior, from which they are uncoupled.
    assert!(found[0].1 > frequencies(&["west", "east"], 12)[11], "{found:?}");
    shares_add_up(&model);
    // Without fixed-interface modes the number of accurate modes is unknown.
    let alone = options(0, Variant { inertia_relief: true, ..Variant::default() });
    let notes = craig_bampton(&bar(), &alone, &Silent).unwrap().notes;
    assert!(notes.iter().any(|note| note.contains("no fixed-interface modes")), "{notes:?}");
    // A held body has free modes, residual attachment modes, and inertia-relief modes.
    let model = reduced(CraigBamptonOptions {
        interface_sets: vec!["east".to_owned()],
        held: vec!["west".to_owned()],
        ..options(8, Variant { modes: ModeKind::FreeInterface, ..Variant::default() })
    });
    assert_eq!(relief(&model).len(), 6);
    assert_eq!(model.composition.columns.len(), model.omega.len());
    let held = frequencies(&["west"], 1)[0];
    assert!((model.omega[0] / TAU / held - 1.0).abs() < 1e-9);
    shares_add_up(&model);
}
