//! Markers of attached sets: their motion, their possible places, and sets that cannot be attached.

use crate::bodies::nurbs;
use crate::condensed::{Spec, box_body, condensed, mean};
use carom_fem::{Discretisation, Geometry};
use carom_mesh::Set;
use carom_nurbs::solids;
use carom_progress::Silent;
use carom_reduce::AttachmentKind::{Mean, Rigid};
use carom_reduce::attachment::Attached;
use carom_reduce::{Attachment, FixedModes, craig_bampton};
use faer::Mat;

#[test]
fn motions_of_markers_agree_with_the_mode_shapes() {
    let spec = Spec::attached(&[("west", Rigid), ("east", Mean)]);
    let options = spec.options(FixedModes::Count(10));
    let reduced = craig_bampton(&box_body(), &options, &Silent).unwrap().reduced;
    let it = condensed(&box_body(), &spec, 6);
    let shapes = &reduced.fields.as_ref().unwrap().modes().unwrap().values;
    for marker in &reduced.markers {
        let (_, attached) = it.marker(&marker.name);
        for a in 0..3 {
            assert!((marker.position_b[a] + reduced.com[a] - attached.center[a]).abs() < 1e-15);
        }
        let of_mean = mean(attached, shapes.as_ref());
        let error = (&marker.translation - of_mean.subrows(0, 3)).norm_max();
        assert!(error < 1e-10 * marker.translation.norm_max(), "{}: {error:e}", marker.name);
        let error = (&marker.rotation - of_mean.subrows(3, 3)).norm_max();
        assert!(error < 1e-10 * marker.rotation.norm_max(), "{}: {error:e}", marker.name);
    }
    assert_eq!(reduced.markers[0].position_b.map(|x| (1e6 * x).round()), [-50e3, 0.0, 0.0]);
    let composition = &reduced.composition;
    assert_eq!(composition.groups(), ["west", "east", "fixed-interface modes"]);
    for k in 0..reduced.omega.len() {
        let sum: f64 = composition.group_shares(k).iter().sum();
        assert!((sum - 1.0).abs() < 1e-9, "mode {k}: {sum}");
    }
}

#[test]
fn overlapping_attachments_are_refused_with_both_names() {
    let mut body = box_body();
    let Geometry::Mesh(mesh) = &mut body.geometry else { unreachable!("it is a mesh") };
    mesh.sets.insert("pin".to_owned(), Set::Nodes(vec![40]));
    mesh.sets.insert("pair".to_owned(), Set::Nodes(vec![40, 50]));
    let fails = |spec: &Spec| {
        craig_bampton(&body, &spec.options(FixedModes::Default), &Silent).unwrap_err().to_string()
    };
    let text = fails(&Spec::attached(&[("west", Rigid), ("south", Mean)]));
    assert!(
        text.contains("`west`") && text.contains("`south`") && text.contains("without common nodes"),
        "{text}"
    );
    let both = Spec { sets: vec!["south".to_owned()], ..Spec::attached(&[("west", Mean)]) };
    let text = fails(&both);
    assert!(text.contains("interface set `south`") && text.contains("attached set `west`"), "{text}");
    let text = fails(&Spec { sets: vec!["east".to_owned()], ..Spec::default() }.holding("top"));
    assert!(text.contains("interface set `east`") && text.contains("held set `top`"), "{text}");
    for set in ["pin", "pair"] {
        for kind in [Rigid, Mean] {
            let text = fails(&Spec::attached(&[(set, kind)]));
            assert!(text.contains(set) && text.contains("interface instead"), "{text}");
        }
    }
    let text = fails(&Spec::attached(&[("wset", Rigid)]));
    assert!(text.contains("wset") && text.contains("west"), "{text}");
    let text = fails(&Spec::attached(&[("east", Rigid)]).holding("pair"));
    assert!(text.contains("leaves 1 of 6 rigid motions") && text.contains("`pair`"), "{text}");
    let text = fails(&Spec::attached(&[("east", Rigid)]).holding("pin"));
    assert!(text.contains("leaves 3 of 6 rigid motions"), "{text}");
}

/// On a NURBS face, whose control points do not lie on it, a linear field u = a + G X has the mean a + G c.
/// The mean rotation of a disc about its axis is half the curl; about its diameters it is the slope of the
/// disc.
#[test]
fn the_mean_of_a_linear_field_on_a_disc_is_exact() {
    let rod = solids::rod(0.01, 0.05, None).unwrap().elements([2; 3]).unwrap();
    let body = nurbs("rod", rod);
    let discretisation = Discretisation::new(&body).unwrap();
    let attachment = Attachment { set: "end".to_owned(), kind: Mean, at: None };
    let marker = Attached::new(&body, &discretisation, &attachment).unwrap();
    for (a, exact) in [0.05, 0.0, 0.0].into_iter().enumerate() {
        assert!((marker.center[a] - exact).abs() < 1e-13, "{:?}", marker.center);
    }
    let (shift, slope) = ([0.3, -0.1, 0.2], [[0.5, 1.5, -0.7], [0.4, 2.0, 0.9], [-1.1, 0.6, 3.0]]);
    let at = |x: &[f64; 3], a: usize| shift[a] + (0..3).map(|b| slope[a][b] * x[b]).sum::<f64>();
    let field = Mat::from_fn(discretisation.n_dofs(), 1, |i, _| at(&discretisation.points[i / 3], i % 3));
    let found = mean(&marker, field.as_ref());
    let turn = [0.5 * (slope[2][1] - slope[1][2]), slope[0][2], -slope[0][1]];
    for a in 0..3 {
        assert!((found[(a, 0)] - at(&[0.05, 0.0, 0.0], a)).abs() < 1e-12);
        assert!((found[(3 + a, 0)] - turn[a]).abs() < 1e-9, "{} instead of {}", found[(3 + a, 0)], turn[a]);
    }
}

/// A marker away from the centroid of its set follows the same rigid motion, y' = (t + θ × (p − c), θ), and
/// the body is the same.
#[test]
fn a_placed_marker_follows_the_rigid_motion_of_its_set() {
    let body = box_body();
    let place = [0.12, 0.004, -0.003];
    for kind in [Rigid, Mean] {
        let reduced = |at| {
            let east = Attachment { set: "east".to_owned(), kind, at };
            let spec = Spec { attachments: vec![east], ..Spec::default() };
            craig_bampton(&body, &spec.options(FixedModes::Count(10)), &Silent).unwrap().reduced
        };
        let (central, placed) = (reduced(None), reduced(Some(place)));
        let (own, moved) = (&central.markers[0], &placed.markers[0]);
        for a in 0..3 {
            assert!((moved.position_b[a] + placed.com[a] - place[a]).abs() < 1e-15, "{:?}", moved.position_b);
        }
        let arm: [f64; 3] = std::array::from_fn(|a| moved.position_b[a] - own.position_b[a]);
        let (shift, turn) = (&own.translation, &own.rotation);
        let (largest_shift, largest_turn) = (shift.norm_max(), turn.norm_max());
        for k in 0..central.omega.len() {
            assert!((placed.omega[k] / central.omega[k] - 1.0).abs() < 1e-9, "{kind:?}, mode {k}");
            let carried: [f64; 3] = std::array::from_fn(|a| {
                let (b, c) = ((a + 1) % 3, (a + 2) % 3);
                shift[(a, k)] + turn[(b, k)] * arm[c] - turn[(c, k)] * arm[b]
            });
            // The sign of a mode is free.
            let along: f64 = (0..3)
                .map(|a| {
                    carried[a] * moved.translation[(a, k)] / largest_shift.powi(2)
                        + turn[(a, k)] * moved.rotation[(a, k)] / largest_turn.powi(2)
                })
                .sum();
            let sign = along.signum();
            for a in 0..3 {
                let error = (sign * moved.translation[(a, k)] - carried[a]).abs();
                assert!(error < 1e-6 * largest_shift, "{kind:?}, mode {k}: {error:e} of {largest_shift}");
                let error = (sign * moved.rotation[(a, k)] - turn[(a, k)]).abs();
                assert!(error < 1e-6 * largest_turn, "{kind:?}, mode {k}: {error:e} of {largest_turn}");
            }
        }
    }
}

#[test]
fn attachments_are_read_and_written_alike() {
    for text in ["bore=rigid", "a=b=mean", "bore=rigid@0,-0.001,0.5", "bore=mean@1,2,3"] {
        assert_eq!(text.parse::<Attachment>().unwrap().to_string(), text);
    }
    for (text, printed) in [
        ("bore", "SET=rigid or SET=mean"),
        ("=rigid", "SET=rigid or SET=mean"),
        ("bore=glue", "SET=rigid or SET=mean"),
        ("bore=rigid@1,2", "`1,2`"),
        ("bore=rigid@1,2,x", "`1,2,x`"),
        ("bore=rigid@1,2,inf", "`1,2,inf`"),
    ] {
        let error = text.parse::<Attachment>().unwrap_err().to_string();
        assert!(error.contains(printed), "{text}: {error}");
    }
}
