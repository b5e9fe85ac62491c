//! Results: the output of a run is stored, and a killed run continues from its last checkpoint.

use std::path::Path;

use carom_dynamics::{
    Balance, BodyBalance, BodyState, Checkpoint, ContactEvent, ContactState, Frame, GridCell, GridPressures,
    JointAction, JointState, Ledger, LedgerSummary, Observer, ProbeQuantity, ProbeSample, SurfacePressures,
};
use carom_format::result::{
    ForceKind, FrameContent, NoteLevel, ProbeCourse, ResultBody, ResultJoint, ResultPair, ResultProbe,
    RunHeader, RunOrigin, RunState, StaticForce, StoredMode, keep_origin,
};
use carom_format::{ResultError, ResultReader, ResultWriter};

mod earlier;
mod readers;

fn header() -> RunHeader {
    RunHeader {
        scenario: "[simulation]\nend_time = 1.0\n".to_owned(),
        scenario_folder: "/somewhere".to_owned(),
        bodies: vec![ResultBody {
            name: "ball".to_owned(),
            mass: 0.1,
            frame_origin: [0.0, 1.0, 2.0],
            modes: [3, 1],
            rom_path: "/somewhere/ball.rom".to_owned(),
            rom_checksum: "ab".repeat(32),
            law: "plastic".to_owned(),
            elements: "one-point".to_owned(),
            ..ResultBody::default()
        }],
        pairs: vec![ResultPair {
            name: "ball/rod".to_owned(),
            first: "ball:pole".to_owned(),
            second: "rod:end".to_owned(),
        }],
        joints: vec![ResultJoint {
            name: "hinge".to_owned(),
            kind: "revolute".to_owned(),
            first: "ground".to_owned(),
            second: "rod:start".to_owned(),
        }],
        probes: vec![ResultProbe {
            name: "tip".to_owned(),
            place: "ball/rod".to_owned(),
            axes: "inertial".to_owned(),
            every: 0.5,
            quantities: vec![ProbeQuantity::Force, ProbeQuantity::Gap],
        }],
        frames: FrameContent::default(),
    }
}

fn body(time: f64) -> BodyState {
    BodyState {
        position: [time, 1.0 / 3.0, -0.0],
        quaternion: [1.0, 0.0, 0.0, 0.0],
        velocity: [0.0, 0.0, 0.3],
        angular_velocity: [1e-300, 0.0, 0.0],
        modal: vec![1.0, 2.0, 3.0],
        modal_rate: vec![-1.0],
        // Numbers that single precision holds.
        point_stress: vec![1e6, 0.5, -2.0, 0.0, 3.0, time],
        plastic_strain: vec![0.25],
        point_rotations: vec![0.5, -0.25, 2.0],
        balance: Some(BodyBalance {
            e_kin: 0.5 * time,
            e_el: 1.0 / 7.0,
            e_pot: -2.0,
            momentum: [time, 2.0, 3.0],
            ang_momentum: [4.0, 5.0, 1.0 / 3.0],
        }),
    }
}

fn contact(time: f64) -> ContactState {
    ContactState {
        force: [0.0, 0.0, -1.0],
        normal_force: 1.0,
        free_gap: if time > 0.0 { -1e-6 } else { f64::INFINITY },
        pressure_faces: vec![4, 7],
        pressures: vec![1e9, 0.1],
        surfaces: vec![SurfacePressures { body: 0, faces: vec![2, 3], pressures: vec![0.25, time] }],
        grid: grid(time),
    }
}

/// Without pressure at the start; its numbers of cells are those that single precision holds.
fn grid(time: f64) -> GridPressures {
    if time == 0.0 {
        return GridPressures::default();
    }
    let cell = |i: i32| GridCell {
        index: [i, -2],
        height: -0.5 * f64::from(i),
        pressure: 0.25 + f64::from(i),
        traction: [0.125, -f64::from(i)],
    };
    GridPressures {
        body: 0,
        center: [1.0 / 3.0, 0.0, time],
        axes: [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]],
        sides: [1e-5, 3e-5],
        curvature: [100.0, 0.5, 70.0],
        modulus: 1.1e11,
        poisson: [Some(0.3), None],
        cells: (-1..3).map(cell).collect(),
    }
}

fn hinge(time: f64) -> JointState {
    let (drive, coupling) = (Some(0.5), Some(-0.25));
    let angle = JointAction { value: 7.0 * time, rate: 7.0, drive, coupling, ..JointAction::default() };
    JointState { force: [time, 0.0, 9.81], torque: [0.0, 1.0 / 3.0, 0.0], actions: [None, Some(angle)] }
}

/// Force and gap, which are not known at the start.
fn sample(time: f64) -> [[f64; 3]; 2] {
    if time == 0.0 {
        return [[f64::INFINITY; 3]; 2];
    }
    [[0.0, time, 1.0 / 3.0], [-1e-6 * time, 0.0, 0.0]]
}

/// The samples of frames at these times.
fn course(times: &[f64]) -> ProbeCourse {
    let times: Vec<f64> = times.iter().flat_map(|time| [*time, time + 0.5]).collect();
    ProbeCourse { values: times.iter().map(|time| sample(*time).to_vec()).collect(), times }
}

fn step(writer: &mut ResultWriter, ledger: &mut Ledger, time: f64, checkpointed: bool) {
    let row = ledger.record(Balance { time, e_kin: 1.0, ..Balance::default() });
    let frame = Frame {
        time,
        steps: 7,
        bodies: &[body(time)],
        contacts: &[contact(time)],
        joints: &[hinge(time)],
        ledger: &row,
    };
    writer.frame(&frame).unwrap();
    for time in [time, time + 0.5] {
        writer.probe(&ProbeSample { probe: 0, time, values: &sample(time) }).unwrap();
    }
    if checkpointed {
        let mut checkpoint =
            Checkpoint { scheme: "test".to_owned(), version: 3, time, steps: 7, ..Checkpoint::default() };
        checkpoint.put_reals("y", &[time, -0.0, 1.0 / 3.0]);
        checkpoint.put_integers("n", &[u64::MAX]);
        writer.checkpoint(&checkpoint).unwrap();
    }
}

fn event() -> ContactEvent {
    ContactEvent {
        pair: 0,
        start: 0.1,
        end: 0.2,
        peak_force: 475.0,
        impulse: [0.0, 0.0, 1.0],
        ..ContactEvent::default()
    }
}

#[test]
fn a_written_result_is_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("result.carom");
    let mut writer = ResultWriter::create(&path, &header(), 1, false).unwrap();
    let mut ledger = Ledger::default();
    for i in 0..3 {
        step(&mut writer, &mut ledger, f64::from(i), true);
    }
    writer.contact_event(&event()).unwrap();
    writer.note(1.5, NoteLevel::Warning, "the pressure reaches the rim").unwrap();
    let summary = LedgerSummary {
        energy_initial: 1.0,
        energy_error: 1e-7,
        energy_limit: Some(1e-6),
        ..LedgerSummary::default()
    };
    writer.finish(RunState::Done, &summary, &[("run", 2.5)], &[("steps", 7)]).unwrap();
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no log is left next to the result");

    let reader = ResultReader::open(&path).unwrap();
    assert_eq!(reader.header().unwrap(), header());
    assert_eq!(reader.state().unwrap(), RunState::Done);
    assert_eq!(reader.times().unwrap(), [0.0, 1.0, 2.0]);
    let frame = reader.frame(1).unwrap();
    assert_eq!(frame.bodies, [body(1.0)]);
    assert_eq!(frame.contacts, [contact(1.0)]);
    assert_eq!(reader.frame(0).unwrap().contacts, [contact(0.0)]);
    assert!(reader.frame(3).is_err());
    assert_eq!(reader.ledger().unwrap().len(), 3);
    assert_eq!(reader.contact_events().unwrap(), [event()]);
    assert_eq!(reader.notes().unwrap()[0].text, "the pressure reaches the rim");
    assert_eq!(reader.summary().unwrap(), Some(summary));
    assert_eq!(reader.timings().unwrap(), [("run".to_owned(), 2.5)]);
    assert_eq!(reader.counters().unwrap(), [("steps".to_owned(), 7)]);
    assert_eq!(reader.normal_forces(0).unwrap(), [1.0; 3]);
    assert_eq!(reader.grid_course(0).unwrap(), [(1, grid(1.0)), (2, grid(2.0))]);
    assert_eq!(reader.joint_course(0).unwrap(), [0.0, 1.0, 2.0].map(hinge));
    assert!(reader.joint_course(1).unwrap().is_empty());
    assert_eq!(reader.probe_courses().unwrap(), [course(&[0.0, 1.0, 2.0])]);
    let database = rusqlite::Connection::open(&path).unwrap();
    let unknown = "SELECT time FROM probe_value WHERE quantity = 'gap' AND x IS NULL";
    assert_eq!(database.query_row(unknown, [], |row| row.get::<_, f64>(0)).unwrap(), 0.0);
}

/// Pair 3 presses in the second frame, pair 50 is near in both; all others are far apart.
#[test]
fn of_many_contacts_those_far_apart_have_no_row() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("result.carom");
    let n = ContactState::FEW + 6;
    let pair = |k: usize| ResultPair { name: format!("pair {k}"), ..ResultPair::default() };
    let header = RunHeader { pairs: (0..n).map(pair).collect(), ..header() };
    let mut writer = ResultWriter::create(&path, &header, 1, false).unwrap();
    let mut ledger = Ledger::default();
    let states = [0.0, 1.0].map(|time| {
        let mut states = vec![ContactState::far(); n];
        states[50].free_gap = 1e-3;
        if time > 0.0 {
            states[3] = contact(time);
        }
        let row = ledger.record(Balance { time, ..Balance::default() });
        let (bodies, contacts, joints) = (&[body(time)], &states[..], &[hinge(time)]);
        writer.frame(&Frame { time, steps: 7, bodies, contacts, joints, ledger: &row }).unwrap();
        states
    });
    writer.finish(RunState::Done, &LedgerSummary::default(), &[], &[]).unwrap();
    let reader = ResultReader::open(&path).unwrap();
    for (frame, states) in states.iter().enumerate() {
        assert_eq!(&reader.frame(frame).unwrap().contacts, states);
    }
    let mut forces = vec![vec![0.0; 2]; n];
    forces[3][1] = 1.0;
    assert_eq!(reader.all_normal_forces(n).unwrap(), forces);
    assert_eq!(
        (reader.normal_forces(3).unwrap(), reader.normal_forces(4).unwrap()),
        (vec![0.0, 1.0], vec![0.0; 2])
    );
    let database = rusqlite::Connection::open(&path).unwrap();
    let rows = "SELECT COUNT(*) FROM contact_frame";
    assert_eq!(database.query_row(rows, [], |row| row.get::<_, i64>(0)).unwrap(), 3);
}

#[test]
fn cut_samples_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("result.carom");
    let mut writer = ResultWriter::create(&path, &header(), 1, false).unwrap();
    step(&mut writer, &mut Ledger::default(), 0.0, true);
    drop(writer);
    for (damage, says) in [
        ("DELETE FROM probe_value WHERE id = (SELECT max(id) FROM probe_value)", "the last sample is cut"),
        ("UPDATE probe_value SET quantity = 'speed' WHERE id = 1", "probe 0 has no `speed`"),
        ("UPDATE probe SET quantities = 'speed'", "the quantity `speed` is unknown"),
    ] {
        rusqlite::Connection::open(&path).unwrap().execute(damage, []).unwrap();
        let error = ResultReader::open(&path).unwrap().probe_courses().unwrap_err().to_string();
        assert!(error.contains(says), "{damage}: {error}");
    }
}

/// Frames of an unreduced body in single precision, without velocities: the displacement is kept to 6e-8 of
/// its deviation from the mean, the position to the last bit. Reduced bodies are kept as ever.
#[test]
fn packed_frames_keep_the_deformation_of_a_body_that_has_moved_far() {
    let folder = tempfile::tempdir().unwrap();
    let whole = ResultBody { name: "block".to_owned(), modes: [12, 0], ..ResultBody::default() };
    let bodies = vec![header().bodies.remove(0), whole];
    // A metre of deformation after a flight of 1e6 m.
    let modal: Vec<f64> = (0..12).map(|k| 1e6 + f64::from(k * k % 7) / 7.0).collect();
    let state = BodyState { modal: modal.clone(), modal_rate: modal.clone(), ..body(0.5) };
    let files = [(true, false), (true, true), (false, false), (false, true)].map(|(single, velocities)| {
        let content = FrameContent { single, velocities };
        let path = folder.path().join(format!("{single}-{velocities}.carom"));
        let header = RunHeader { bodies: bodies.clone(), frames: content, ..header() };
        let mut writer = ResultWriter::create(&path, &header, 1, false).unwrap();
        let row = Ledger::default().record(Balance::default());
        let frame = Frame {
            time: 0.5,
            steps: 7,
            bodies: &[body(0.5), state.clone()],
            contacts: &[],
            joints: &[],
            ledger: &row,
        };
        writer.frame(&frame).unwrap();
        writer.checkpoint(&Checkpoint::default()).unwrap();
        // A continued result packs its frames as before.
        drop(writer);
        let (mut writer, _) = ResultWriter::resume(&path, &header, 1).unwrap();
        writer.frame(&frame).unwrap();
        writer.finish(RunState::Done, &LedgerSummary::default(), &[], &[]).unwrap();
        let reader = ResultReader::open(&path).unwrap();
        assert_eq!(reader.header().unwrap(), header);
        let expected = if content == FrameContent::default() { "1." } else { "2." };
        assert!(reader.meta("version").unwrap().unwrap().starts_with(expected));
        for index in 0..2 {
            let read = reader.frame(index).unwrap();
            assert_eq!(read.bodies[0], body(0.5));
            let found = &read.bodies[1];
            assert_eq!(found.position, state.position);
            let limit = if single { 6e-8 } else { 0.0 };
            assert!(found.modal.iter().zip(&modal).all(|(a, b)| (a - b).abs() <= limit), "{:?}", found.modal);
            assert_eq!(found.modal_rate.len(), if velocities { 12 } else { 0 });
        }
        path
    });
    // A reader of versions 1.x refuses a file of version 2.0; this one refuses 3.0.
    let database = rusqlite::Connection::open(&files[0]).unwrap();
    database.execute("UPDATE meta SET value = '3.0' WHERE key = 'version'", []).unwrap();
    drop(database);
    let error = ResultReader::open(&files[0]).err().unwrap().to_string();
    assert!(error.contains("reads versions up to 2.x"), "{error}");
    assert_eq!(FrameContent { single: true, velocities: false }.bytes(12), 24 + 4 * 12);
    assert_eq!(FrameContent::default().bytes(12), 2 * 8 * 12);
}

/// All numbers of an impact are read back; an undefined peak force or restitution is NULL.
#[test]
fn figures_without_a_meaning_are_null() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("result.carom");
    let numbers: [f64; ContactEvent::NUMBERS] = std::array::from_fn(|i| match i {
        0 => 0.0,
        3 | 4 => 1.0,
        _ => 0.5 + i as f64,
    });
    let mut full = ContactEvent { sub_impacts: 3, ..ContactEvent::from_array(&numbers) };
    let mut writer = ResultWriter::create(&path, &header(), 1, false).unwrap();
    let mut ledger = Ledger::default();
    step(&mut writer, &mut ledger, 0.0, true);
    full.impulsive = false;
    writer.contact_event(&full).unwrap();
    let impulsive = ContactEvent { impulsive: true, peak_force: 0.0, peak_time: 0.0, ..full };
    writer.contact_event(&impulsive).unwrap();
    let summary = LedgerSummary {
        no_reference: [false, true, false],
        ang_momentum_error: 1e-9,
        ..LedgerSummary::default()
    };
    writer.finish(RunState::Done, &summary, &[], &[]).unwrap();
    let reader = ResultReader::open(&path).unwrap();
    assert_eq!(reader.contact_events().unwrap(), [full, impulsive]);
    assert_eq!(reader.summary().unwrap().unwrap().errors(), [Some(0.0), None, Some(1e-9)]);
    let database = rusqlite::Connection::open(&path).unwrap();
    let nulls = "SELECT count(*) FROM contact_event WHERE peak_force IS NULL AND peak_time IS NULL";
    assert_eq!(database.query_row(nulls, [], |row| row.get::<_, i64>(0)).unwrap(), 1);
}

#[test]
fn a_killed_run_continues_from_its_last_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("result.carom");
    let mut writer = ResultWriter::create(&path, &header(), 1, false).unwrap();
    let mut ledger = Ledger::default();
    step(&mut writer, &mut ledger, 0.0, true);
    step(&mut writer, &mut ledger, 1.0, true);
    step(&mut writer, &mut ledger, 2.0, false);
    // A copy has the state after the process is killed: nothing more is committed, and the log
    // remains.
    let left = folder.path().join("left");
    std::fs::create_dir(&left).unwrap();
    for name in ["result.carom", "result.carom-wal"] {
        std::fs::copy(folder.path().join(name), left.join(name)).unwrap();
    }
    drop(writer);
    let path = left.join("result.carom");
    assert_eq!(ResultReader::open(&path).unwrap().state().unwrap(), RunState::Running);
    let (mut writer, checkpoint) = ResultWriter::resume(&path, &header(), 1).unwrap();
    assert_eq!(writer.n_frames(), 2, "the frame after the checkpoint is gone");
    assert_eq!((checkpoint.time, checkpoint.version), (1.0, 3));
    let y = checkpoint.reals_of("y", 3).unwrap();
    assert_eq!(
        y.iter().map(|v| v.to_bits()).collect::<Vec<_>>(),
        [1.0_f64, -0.0, 1.0 / 3.0].map(f64::to_bits)
    );
    assert_eq!(checkpoint.integers("n").unwrap(), [u64::MAX]);
    step(&mut writer, &mut ledger, 2.0, true);
    writer.finish(RunState::Done, &LedgerSummary::default(), &[], &[]).unwrap();
    assert_eq!(ResultReader::open(&path).unwrap().times().unwrap(), [0.0, 1.0, 2.0]);
}

/// Rows written after the last checkpoint of a stopped run, and its summary, are not duplicated by the
/// continued run.
#[test]
fn rows_newer_than_the_checkpoint_are_removed_when_a_run_is_continued() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("result.carom");
    let mut writer = ResultWriter::create(&path, &header(), 1, false).unwrap();
    let mut ledger = Ledger::default();
    writer.note(0.0, NoteLevel::Note, "begun").unwrap();
    step(&mut writer, &mut ledger, 0.0, false);
    writer.contact_event(&event()).unwrap();
    step(&mut writer, &mut ledger, 1.0, true);
    step(&mut writer, &mut ledger, 2.0, false);
    writer.contact_event(&event()).unwrap();
    let force =
        StaticForce { frame: 2, body: 0, kind: ForceKind::Load, name: String::new(), force: [1.0; 3] };
    writer.static_forces(std::slice::from_ref(&force)).unwrap();
    writer.note(2.0, NoteLevel::Error, "interrupted").unwrap();
    writer.finish(RunState::Interrupted, &LedgerSummary::default(), &[], &[("steps", 9)]).unwrap();

    let longer = RunHeader { scenario: "[simulation]\nend_time = 2.0\n".to_owned(), ..header() };
    let (writer, checkpoint) = ResultWriter::resume(&path, &longer, 1).unwrap();
    assert_eq!((writer.n_frames(), checkpoint.time), (2, 1.0));
    // Killed before its next checkpoint, the file is unchanged.
    drop(writer);
    let reader = ResultReader::open(&path).unwrap();
    assert_eq!((reader.times().unwrap().len(), reader.state().unwrap()), (3, RunState::Interrupted));
    assert_eq!(reader.header().unwrap(), header());
    drop(reader);

    let (mut writer, _) = ResultWriter::resume(&path, &longer, 1).unwrap();
    step(&mut writer, &mut ledger, 2.5, true);
    writer.finish(RunState::Done, &LedgerSummary::default(), &[], &[]).unwrap();
    let reader = ResultReader::open(&path).unwrap();
    assert_eq!(reader.times().unwrap(), [0.0, 1.0, 2.5]);
    assert_eq!(reader.ledger().unwrap().len(), 3);
    assert_eq!(reader.normal_forces(0).unwrap().len(), 3);
    assert_eq!(reader.joint_course(0).unwrap().len(), 3);
    assert_eq!(reader.probe_courses().unwrap(), [course(&[0.0, 1.0, 2.5])]);
    assert_eq!(reader.contact_events().unwrap(), [event()]);
    assert!(reader.static_forces().unwrap().is_empty() && reader.counters().unwrap().is_empty());
    let notes = reader.notes().unwrap();
    assert_eq!(notes.iter().map(|note| note.text.as_str()).collect::<Vec<_>>(), ["begun"]);
    assert_eq!(reader.header().unwrap(), longer);
}

#[test]
fn the_origin_of_a_run_is_stored_with_its_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("result.carom");
    let mut writer = ResultWriter::create(&path, &header(), 1, false).unwrap();
    let mut ledger = Ledger::default();
    step(&mut writer, &mut ledger, 0.0, true);
    let origin = |command: &str| RunOrigin {
        command: command.to_owned(),
        date: "2026-11-23 18:00 UTC".to_owned(),
        scenario: "# mine: \"quoted\"\n[simulation]\n".to_owned(),
    };
    let busy = keep_origin(&path, &origin("too early")).unwrap_err();
    assert!(matches!(busy, ResultError::InUse { .. }), "{busy}");
    writer.finish(RunState::Interrupted, &LedgerSummary::default(), &[], &[]).unwrap();
    assert_eq!(ResultReader::open(&path).unwrap().origin().unwrap(), None);
    for command in ["carom-solve a.toml -o r", "carom-solve a.toml -o r --resume"] {
        keep_origin(&path, &origin(command)).unwrap();
        let reader = ResultReader::open(&path).unwrap();
        assert_eq!(reader.origin().unwrap(), Some(origin(command)));
    }
    assert_eq!(
        std::fs::read_dir(folder.path()).unwrap().count(),
        1,
        "another file is left next to the result"
    );
    // A continued run accepts this record and keeps it until another one is set.
    drop(ResultWriter::resume(&path, &header(), 1).unwrap());
    assert!(ResultReader::open(&path).unwrap().origin().unwrap().is_some());
    let junk = folder.path().join("junk");
    std::fs::write(&junk, "no database").unwrap();
    assert!(keep_origin(&junk, &origin("")).is_err());
    assert_eq!(std::fs::read_to_string(&junk).unwrap(), "no database");
}

/// Tables that grow during a run are cut at a checkpoint: numbered ones and those of frames. Any other table
/// is written at the start, replaced as a whole, or accumulated.
#[test]
fn every_table_is_cut_at_a_checkpoint_or_does_not_grow() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("result.carom");
    drop(ResultWriter::create(&path, &header(), 1, false).unwrap());
    let database = rusqlite::Connection::open(&path).unwrap();
    let others = "SELECT name FROM pragma_table_list AS list WHERE schema = 'main' AND type = 'table' AND wr \
        AND NOT EXISTS \
                  (SELECT 1 FROM pragma_table_info(list.name) AS field WHERE field.name = 'frame') ORDER BY \
                  name";
    let mut statement = database.prepare(others).unwrap();
    let names: Vec<String> = statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    let of_runs = ["checkpoint_entry", "checkpoint_mark", "counter", "meta"];
    // The tables of an equilibrium, its modes and responses, are written again at the end of each run.
    let of_ends = ["mode", "mode_body", "response", "summary", "timing"];
    assert_eq!(names, [&of_runs[..], &of_ends[..]].concat());
}

/// Results of version 1.2 do not contain the last row numbers at the checkpoint: later rows are removed.
#[test]
fn results_without_marks_are_cut_at_the_time_of_their_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("result.carom");
    let mut writer = ResultWriter::create(&path, &header(), 1, false).unwrap();
    let mut ledger = Ledger::default();
    step(&mut writer, &mut ledger, 0.0, false);
    writer.contact_event(&event()).unwrap();
    step(&mut writer, &mut ledger, 1.0, true);
    step(&mut writer, &mut ledger, 2.0, false);
    writer.contact_event(&ContactEvent { end: 1.5, ..event() }).unwrap();
    writer.finish(RunState::Interrupted, &LedgerSummary::default(), &[], &[]).unwrap();
    rusqlite::Connection::open(&path).unwrap().execute_batch("DROP TABLE checkpoint_mark").unwrap();
    let (mut writer, _) = ResultWriter::resume(&path, &header(), 1).unwrap();
    step(&mut writer, &mut ledger, 2.0, true);
    writer.finish(RunState::Done, &LedgerSummary::default(), &[], &[]).unwrap();
    let reader = ResultReader::open(&path).unwrap();
    assert_eq!(reader.times().unwrap(), [0.0, 1.0, 2.0]);
    assert_eq!(reader.ledger().unwrap().len(), 3);
    assert_eq!(reader.contact_events().unwrap(), [event()]);
}

#[test]
fn modes_about_an_equilibrium_are_written_and_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("result.carom");
    let mut writer = ResultWriter::create(&path, &header(), 1, false).unwrap();
    let mode = |frequency: f64, damping_ratio| StoredMode {
        frequency,
        damping_ratio,
        motion: "body `a` turns about [0.00, 1.00, 0.00]".to_owned(),
        effective_mass: [1.0 / 3.0, 0.0, 2.0],
        shares: vec![0.75],
    };
    let modes = [mode(-0.5, None), mode(7.0, Some(0.02))];
    writer.modes(&modes).unwrap();
    writer.finish(RunState::Done, &LedgerSummary::default(), &[], &[]).unwrap();
    assert_eq!(ResultReader::open(&path).unwrap().modes().unwrap(), modes);
    // A result of version 1.10 has none.
    rusqlite::Connection::open(&path)
        .unwrap()
        .execute_batch("DROP TABLE mode_body; DROP TABLE mode;")
        .unwrap();
    assert!(ResultReader::open(&path).unwrap().modes().unwrap().is_empty());
}

#[test]
fn an_existing_result_is_replaced_only_on_request() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("result.carom");
    drop(ResultWriter::create(&path, &header(), 1, false).unwrap());
    let refused = ResultWriter::create(&path, &header(), 1, false).err().unwrap();
    assert!(matches!(refused, ResultError::Exists { .. }) && refused.to_string().contains("--force"));
    drop(ResultWriter::create(&path, &header(), 1, true).unwrap());
    assert_eq!(ResultReader::open(&path).unwrap().times().unwrap(), [] as [f64; 0]);
}

#[test]
fn other_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    let printed = |path: &Path| {
        let error = ResultReader::open(path).err().unwrap();
        (error.is_io(), error.to_string())
    };
    assert!(printed(&path).0);
    std::fs::write(&path, vec![7; 10_000]).unwrap();
    assert!(!printed(&path).0 && printed(&path).1.contains("not a result file"), "{:?}", printed(&path));
    let path = folder.path().join("b");
    rusqlite::Connection::open(&path).unwrap().execute_batch("CREATE TABLE x (y)").unwrap();
    assert!(printed(&path).1.contains("not a result of carom"), "{:?}", printed(&path));
    let path = folder.path().join("c");
    drop(ResultWriter::create(&path, &header(), 1, false).unwrap());
    let database = rusqlite::Connection::open(&path).unwrap();
    database.execute_batch("UPDATE meta SET value = '3.0' WHERE key = 'version'").unwrap();
    let (io, text) = printed(&path);
    assert!(!io && text.contains("version 3.0") && text.contains("up to 2.x"), "{text}");
    let nowhere = ResultWriter::create(Path::new("/nowhere/at/all"), &header(), 1, false).err().unwrap();
    assert!(nowhere.is_io());
}
