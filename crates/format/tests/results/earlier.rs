//! Results of earlier versions of the format: they are read, and runs that they have are continued.

use std::path::PathBuf;

use tempfile::TempDir;

use super::*;

/// A result with one frame, as an earlier version has written it.
struct Earlier {
    path: PathBuf,
    ledger: Ledger,
    _folder: TempDir,
}

impl Earlier {
    /// * `time` — of the frame \[s\]
    /// * `old` — the changes of the database that make it one of an earlier version, in SQL
    fn new(time: f64, old: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("result.carom");
        let mut writer = ResultWriter::create(&path, &header(), 1, false).unwrap();
        let mut ledger = Ledger::default();
        step(&mut writer, &mut ledger, time, true);
        drop(writer);
        rusqlite::Connection::open(&path).unwrap().execute_batch(old).unwrap();
        Self { path, ledger, _folder: folder }
    }

    fn reader(&self) -> ResultReader {
        ResultReader::open(&self.path).unwrap()
    }

    /// Continues the run by one frame to its end.
    ///
    /// * `time` — of the frame \[s\]
    fn go_on(&mut self, time: f64) {
        let (mut writer, _) = ResultWriter::resume(&self.path, &header(), 1).unwrap();
        step(&mut writer, &mut self.ledger, time, true);
        writer.finish(RunState::Done, &LedgerSummary::default(), &[], &[]).unwrap();
    }
}

/// Results before version 1.10 have no probes; a continued one gets their tables.
#[test]
fn results_without_probes_are_read_and_continued() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("result.carom");
    let without = RunHeader { probes: Vec::new(), ..header() };
    let mut writer = ResultWriter::create(&path, &without, 1, false).unwrap();
    writer.checkpoint(&Checkpoint::default()).unwrap();
    drop(writer);
    let database = rusqlite::Connection::open(&path).unwrap();
    let older =
        "DROP TABLE probe_value; DROP TABLE probe; DELETE FROM checkpoint_mark WHERE name LIKE 'probe%';
        UPDATE meta SET value = '1.9' WHERE key = 'version';";
    database.execute_batch(older).unwrap();
    drop(database);
    let reader = ResultReader::open(&path).unwrap();
    assert_eq!(reader.header().unwrap(), without);
    assert!(reader.probe_courses().unwrap().is_empty());
    drop(reader);
    drop(ResultWriter::resume(&path, &without, 1).unwrap());
}

/// Impacts of versions before 1.3 have fewer columns.
#[test]
fn impacts_of_an_older_result_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("result.carom");
    let mut writer = ResultWriter::create(&path, &header(), 1, false).unwrap();
    step(&mut writer, &mut Ledger::default(), 0.0, true);
    writer.finish(RunState::Done, &LedgerSummary::default(), &[], &[]).unwrap();
    let database = rusqlite::Connection::open(&path).unwrap();
    let older = "DROP TABLE contact_event;
        CREATE TABLE contact_event (
            id INTEGER PRIMARY KEY, pair INTEGER NOT NULL, start REAL NOT NULL, \"end\" REAL NOT NULL, open \
            INTEGER NOT NULL,
            peak_force REAL NOT NULL, peak_time REAL NOT NULL,
            impulse_x REAL NOT NULL, impulse_y REAL NOT NULL, impulse_z REAL NOT NULL,
            velocity_before REAL NOT NULL, velocity_after REAL NOT NULL,
            max_approach REAL NOT NULL, vibration_energy REAL NOT NULL, sub_impacts INTEGER NOT NULL);
        INSERT INTO contact_event VALUES (1, 0, 0.1, 0.2, 0, 475.0, 0.15, 0.0, 0.0, 2.0, -0.5, 0.25, 1e-6, \
        1e-3, 1);
        UPDATE meta SET value = '1.2' WHERE key = 'version';";
    database.execute_batch(older).unwrap();
    drop(database);
    let event = ResultReader::open(&path).unwrap().contact_events().unwrap()[0];
    assert_eq!((event.peak(), event.restitution()), (Some((475.0, 0.15)), Some(0.5)));
    assert_eq!((event.normal, event.place), ([0.0, 0.0, 1.0], [0.0; 3]));
}

/// A result of version 1.1 has no tables for joints; it is read and continued without them.
#[test]
fn results_without_joints_are_read_and_continued() {
    let old = "DROP TABLE joint_action; DROP TABLE joint_frame; DROP TABLE joint;";
    let mut earlier = Earlier::new(0.0, old);
    earlier.go_on(1.0);
    let reader = earlier.reader();
    assert_eq!(reader.times().unwrap(), [0.0, 1.0]);
    assert!(reader.header().unwrap().joints.is_empty() && reader.joint_course(0).unwrap().is_empty());
}

/// Results before version 1.11 have no forces of couplings; a continued one gets their column.
#[test]
fn results_without_couplings_are_read_and_continued() {
    let old = "ALTER TABLE joint_action DROP COLUMN coupling;";
    let mut earlier = Earlier::new(0.0, old);
    let coupling = |state: &JointState| state.actions[1].unwrap().coupling;
    let course = earlier.reader().joint_course(0).unwrap();
    assert_eq!(course.iter().map(coupling).collect::<Vec<_>>(), [None]);
    earlier.go_on(1.0);
    let course = earlier.reader().joint_course(0).unwrap();
    assert_eq!(course.iter().map(coupling).collect::<Vec<_>>(), [None, Some(-0.25)]);
}

/// A result of version 1.4 has no stress of bodies and fewer columns of the ledger; it is read and continued.
#[test]
fn results_without_stresses_are_read_and_continued() {
    let old = "DROP TABLE body_stress; DROP TABLE body_rotation; DROP TABLE body_elements;
        ALTER TABLE ledger DROP COLUMN \"E_hg\";
        ALTER TABLE ledger DROP COLUMN \"D_pl\"; ALTER TABLE ledger DROP COLUMN \"D_visc\";
        ALTER TABLE ledger DROP COLUMN \"D_con\";
        UPDATE meta SET value = '1.4' WHERE key = 'version';";
    let mut earlier = Earlier::new(0.0, old);
    let reader = earlier.reader();
    assert_eq!(reader.header().unwrap().bodies[0].elements, "");
    assert_eq!(reader.frame(0).unwrap().bodies[0].point_stress, [0.0; 0]);
    assert_eq!(reader.frame(0).unwrap().bodies[0].point_rotations, [0.0; 0]);
    assert_eq!(reader.ledger().unwrap()[0][31..], [0.0; 4]);
    drop(reader);
    earlier.go_on(1.0);
    let reader = earlier.reader();
    assert_eq!(reader.times().unwrap(), [0.0, 1.0]);
    assert_eq!(reader.frame(1).unwrap().bodies[0].point_stress, body(1.0).point_stress);
    assert_eq!(reader.ledger().unwrap().len(), 2);
}

/// A result of version 1.6 has neither bodies of events nor pressures of contacts of all bodies; it is read
/// and continued.
#[test]
fn results_without_pressures_of_all_surfaces_are_read_and_continued() {
    let old = "DROP TABLE surface_pressure; ALTER TABLE contact_event DROP COLUMN first_body;
        ALTER TABLE contact_event DROP COLUMN second_body;
        UPDATE meta SET value = '1.6' WHERE key = 'version';";
    let mut earlier = Earlier::new(0.0, old);
    let reader = earlier.reader();
    assert!(reader.frame(0).unwrap().contacts[0].surfaces.is_empty());
    assert!(reader.contact_events().unwrap().iter().all(|event| event.bodies.is_none()));
    drop(reader);
    let (mut writer, _) = ResultWriter::resume(&earlier.path, &header(), 1).unwrap();
    step(&mut writer, &mut earlier.ledger, 1.0, true);
    let event = ContactEvent { bodies: Some([0, 1]), ..ContactEvent::default() };
    writer.contact_event(&event).unwrap();
    writer.finish(RunState::Done, &LedgerSummary::default(), &[], &[]).unwrap();
    let reader = earlier.reader();
    assert_eq!(reader.frame(1).unwrap().contacts[0], contact(1.0));
    assert_eq!(reader.contact_events().unwrap().last().unwrap().bodies, Some([0, 1]));
}

/// A result of version 1.7 has no pressures on grids; it is read and continued.
#[test]
fn results_without_pressures_on_grids_are_read_and_continued() {
    let old = "DROP TABLE grid_pressure; UPDATE meta SET value = '1.7' WHERE key = 'version';";
    let mut earlier = Earlier::new(1.0, old);
    let reader = earlier.reader();
    assert_eq!(reader.frame(0).unwrap().contacts[0].grid, GridPressures::default());
    assert_eq!(reader.grid_course(0).unwrap(), []);
    drop(reader);
    earlier.go_on(2.0);
    assert_eq!(earlier.reader().frame(1).unwrap().contacts[0], contact(2.0));
}

/// A result of version 1.5 has no column for the losses of penalties; it is read and continued.
#[test]
fn results_without_losses_of_penalties_are_read_and_continued() {
    let old = "ALTER TABLE ledger DROP COLUMN \"D_con\";
        UPDATE meta SET value = '1.5' WHERE key = 'version';";
    let mut earlier = Earlier::new(0.0, old);
    assert_eq!(earlier.reader().ledger().unwrap()[0][34], 0.0);
    let (mut writer, _) = ResultWriter::resume(&earlier.path, &header(), 1).unwrap();
    let balance = Balance { time: 1.0, d_con: 0.25, ..Balance::default() };
    let row = earlier.ledger.record(balance);
    writer
        .frame(&Frame { time: 1.0, steps: 1, bodies: &[body(1.0)], contacts: &[], joints: &[], ledger: &row })
        .unwrap();
    writer.finish(RunState::Done, &LedgerSummary::default(), &[], &[]).unwrap();
    let rows = earlier.reader().ledger().unwrap();
    assert_eq!((rows[0][34], rows[1][34]), (0.0, 0.25));
}
