//! The summary of a run in text.

use std::path::Path;

use carom_dynamics::{
    Balance, BodyState, ContactEvent, ContactState, Frame, Ledger, LedgerSummary, Observer,
};
use carom_format::result::{ResultBody, ResultPair, RunHeader, RunState};
use carom_format::{ResultReader, ResultWriter};
use carom_solve::Solved;

/// A result of a rod and a cube with the given impacts and end time.
fn solved(folder: &Path, pair: &str, end: f64, events: &[ContactEvent]) -> Solved {
    let body = |name: &str| ResultBody { name: name.to_owned(), mass: 1.0, ..ResultBody::default() };
    let header = RunHeader {
        bodies: vec![body("rod"), body("cube")],
        pairs: vec![ResultPair { name: pair.to_owned(), ..ResultPair::default() }],
        ..RunHeader::default()
    };
    let path = folder.join("result.carom");
    let mut writer = ResultWriter::create(&path, &header, 1, true).unwrap();
    let row = Ledger::default().record(Balance { time: end, e_kin: 1.0, ..Balance::default() });
    let moves = BodyState { velocity: [0.5, 3e-17, -0.25], ..BodyState::default() };
    let frame = Frame {
        time: end,
        steps: 7,
        bodies: &[moves, BodyState::default()],
        contacts: &[ContactState::default()],
        joints: &[],
        ledger: &row,
    };
    writer.frame(&frame).unwrap();
    events.iter().for_each(|event| writer.contact_event(event).unwrap());
    let ledger = LedgerSummary {
        energy_initial: 252.954,
        energy_final: 22.955_4,
        energy_error: 3.2e-8,
        momentum_error: 4e-16,
        ..LedgerSummary::default()
    };
    writer.finish(RunState::Done, &ledger, &[("time loop", 2.5)], &[("steps", 7)]).unwrap();
    Solved::read(&ResultReader::open(&path).unwrap()).unwrap().unwrap()
}

fn impact(start: f64, duration: f64, peak_force: f64) -> ContactEvent {
    ContactEvent {
        start,
        end: start + duration,
        peak_force,
        impulse: [0.0, 0.0, 0.02],
        normal: [0.0, 0.0, 1.0],
        velocity_before: -0.5,
        velocity_after: 0.4,
        ..ContactEvent::default()
    }
}

fn assert_fits(text: &str) {
    let widest = text.lines().map(|line| line.chars().count()).max();
    assert!(widest <= Some(100), "{widest:?}\n{text}");
}

#[test]
fn of_469_impacts_a_summary_lists_three() {
    let folder = tempfile::tempdir().unwrap();
    let size = |n: u32| if n == 200 { 900.0 } else { 100.0 + f64::from(n) };
    let events: Vec<ContactEvent> = (0..469).map(|n| impact(0.02 * f64::from(n), 1e-3, size(n))).collect();
    let solved = solved(folder.path(), "rod/cube", 10.0, &events);
    let text = solved.text();
    assert_fits(&text);
    for (role, force) in [("first", "100.0"), ("largest", "900.0"), ("last", "568.0")] {
        let line = text.lines().find(|line| line.starts_with(&format!("rod/cube  {role} ")));
        assert!(line.is_some_and(|line| line.contains(force)), "{role}:\n{text}");
    }
    assert!(text.contains("rod/cube: 469 impacts, 3 of them listed") && text.lines().count() < 25, "{text}");
    let object = serde_json::to_value(&solved).unwrap();
    // The result counts only steps, as in schemes without rejected steps and right-hand sides.
    assert_eq!(object["steps"], 7);
    assert!(object["rejected_steps"].is_null() && object["right_hand_sides"].is_null(), "{object}");
    assert!(text.contains("in 7 steps; it took"), "{text}");
    assert_eq!(object["contacts"].as_array().unwrap().len(), 469, "programs get all");
    assert!(object.get("shown").is_none());
}

/// The summary contains no "1516000.000 µs", "4e-16" or velocities of 3e-17 m/s.
#[test]
fn figures_of_a_summary_have_suitable_units() {
    let folder = tempfile::tempdir().unwrap();
    let lasting = ContactEvent { open: true, ..impact(0.484, 1.516, 0.0) };
    let text = solved(folder.path(), "block/floor", 2.0, &[lasting]).text();
    assert_fits(&text);
    assert!(text.contains("1.516") && !text.contains("1516"), "{text}");
    assert!(text.contains("energy 253.0 J at the start, 22.96 J at the end"), "{text}");
    assert!(text.contains("energy 3.2e-8, momentum 0 (round-off)"), "{text}");
    let body = text.lines().find(|line| line.starts_with("rod ")).unwrap();
    assert_eq!(body.split_whitespace().collect::<Vec<_>>(), ["rod", "500.0", "0", "-250.0"], "{text}");
    assert!(text.contains("lasting") && !text.contains("e-17") && !text.contains("µs"), "{text}");
}

#[test]
fn long_names_are_wrapped() {
    let folder = tempfile::tempdir().unwrap();
    let name = format!("{}/{}", "rod".repeat(30), "cube".repeat(20));
    let sliding =
        ContactEvent { slip_before: [0.1, 0.0, 0.0], other_impulse: 0.5, ..impact(1e-5, 1.3432e-4, 1234.4) };
    let text = solved(folder.path(), &name, 2.4e-4, &[sliding]).text();
    assert_fits(&text);
    assert!(text.contains("[µs]") && text.contains("134.3") && text.contains("1.234"), "{text}");
    assert!(text.replace('\n', " ").contains("no restitution, as joints, drives, loads"), "{text}");
}
