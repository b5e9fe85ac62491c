//! Results that are read, or written by another program, while a run writes them.

use super::*;

#[test]
fn one_writer_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("result.carom");
    let mut writer = ResultWriter::create(&path, &header(), 1, false).unwrap();
    step(&mut writer, &mut Ledger::default(), 0.0, true);
    let refused = [
        ResultWriter::create(&path, &header(), 1, false).unwrap_err(),
        ResultWriter::create(&path, &header(), 1, true).unwrap_err(),
        ResultWriter::resume(&path, &header(), 1).unwrap_err(),
    ];
    let own = format!("process {}", std::process::id());
    for error in refused {
        assert!(
            error.is_io() && error.to_string().contains("in use") && error.to_string().contains(&own),
            "{error}"
        );
    }
    assert_eq!(ResultReader::open(&path).unwrap().times().unwrap(), [0.0], "readers may open the result");
    drop(writer);
    drop(ResultWriter::resume(&path, &header(), 1).unwrap());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "the lock is gone");
}

/// A reader that is open at the end of a run does not make the run fail.
#[test]
fn a_run_ends_while_a_reader_is_open() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("result.carom");
    let mut writer = ResultWriter::create(&path, &header(), 1, false).unwrap();
    step(&mut writer, &mut Ledger::default(), 0.0, true);
    let mut reading = rusqlite::Connection::open(&path).unwrap();
    let snapshot = reading.transaction().unwrap();
    snapshot.query_row("SELECT count(*) FROM frame", [], |row| row.get::<_, i64>(0)).unwrap();
    writer.finish(RunState::Done, &LedgerSummary::default(), &[], &[]).unwrap();
    drop(snapshot);
    drop(reading);
    assert_eq!(ResultReader::open(&path).unwrap().state().unwrap(), RunState::Done);
}

/// A finished result with a reader that opened it before its end, so that its data are still in the log.
fn finished_while_read(path: &Path) -> ResultReader {
    let mut writer = ResultWriter::create(path, &header(), 1, false).unwrap();
    step(&mut writer, &mut Ledger::default(), 0.0, true);
    let reader = ResultReader::open(path).unwrap();
    writer.finish(RunState::Done, &LedgerSummary::default(), &[], &[]).unwrap();
    reader
}

/// Checks that the folder contains only the result, also after reading.
fn assert_one_file(path: &Path) {
    for _ in 0..2 {
        let names = std::fs::read_dir(path.parent().unwrap()).unwrap();
        let names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["result.carom"]);
        assert_eq!(ResultReader::open(path).unwrap().state().unwrap(), RunState::Done);
    }
}

#[test]
fn a_log_kept_by_a_reader_is_merged_later() {
    for leaves_before_the_writer in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("result.carom");
        let reader = finished_while_read(&path);
        assert!(folder.path().join("result.carom-wal").exists());
        drop(reader);
        if leaves_before_the_writer {
            // The last reader to close a result removes the log, although the result still expects one.
            drop(rusqlite::Connection::open(&path).map(|last| last.execute_batch("SELECT * FROM meta")));
            assert!(!folder.path().join("result.carom-wal").exists());
        }
        ResultWriter::fold_log(&path).unwrap();
        assert_one_file(&path);
    }
}

#[test]
fn the_end_of_a_run_waits_for_a_short_reader() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("result.carom");
    let mut writer = ResultWriter::create(&path, &header(), 1, false).unwrap();
    step(&mut writer, &mut Ledger::default(), 0.0, true);
    let (opened, is_open) = std::sync::mpsc::channel();
    let read = path.clone();
    let reading = std::thread::spawn(move || {
        let reader = ResultReader::open(&read).unwrap();
        opened.send(()).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(200));
        drop(reader);
    });
    is_open.recv().unwrap();
    writer.finish(RunState::Done, &LedgerSummary::default(), &[], &[]).unwrap();
    reading.join().unwrap();
    assert_one_file(&path);
}
