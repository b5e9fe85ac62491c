//! Continuation of a result: rows newer than its checkpoint are removed, so that none is repeated.

use std::path::Path;

use carom_dynamics::Checkpoint;
use rusqlite::{Connection, params};

use super::super::lock::ResultLock;
use super::super::{ResultError, ResultReader, RunHeader, RunState, schema};
use super::ResultWriter;

/// Growing tables with numbered rows; rows beyond the mark of a checkpoint are newer than it. The checkpoint
/// itself has one row.
const NUMBERED: &str = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND NOT \
    wr \
                        AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name <> 'checkpoint'";

/// Other tables with a column `frame`; entries of all remaining tables are replaced.
const OF_FRAMES: &str = "SELECT list.name FROM pragma_table_list AS list JOIN pragma_table_info(list.name) \
    AS field \
                         WHERE list.schema = 'main' AND list.type = 'table' AND list.wr AND field.name = \
                         'frame'";

/// Tables that are written at the end of a run.
const CONCLUSIONS: [&str; 2] = ["summary", "counter"];

impl ResultWriter {
    /// Continues a result from its checkpoint. Newer frames, events, notes and final entries are removed. If
    /// the process is killed before the next checkpoint, the file is unchanged.
    ///
    /// * `header` — header of the continuing run; the end time in its scenario replaces that in the result
    /// * `checkpoint_every` — as for [`ResultWriter::create`]
    ///
    /// # Errors
    ///
    /// [`ResultError::NotResumable`] if it has no checkpoint, [`ResultError::InUse`] if another process
    /// writes to it, others if the file is not a result.
    pub fn resume(
        path: &Path,
        header: &RunHeader,
        checkpoint_every: u64,
    ) -> Result<(Self, Checkpoint), ResultError> {
        let lock = ResultLock::take(path)?;
        let reader = ResultReader::open(path)?;
        let Some(checkpoint) = reader.checkpoint()? else {
            let why = "it has no checkpoint; `--force` runs it again".to_owned();
            return Err(ResultError::NotResumable { path: path.to_owned(), why });
        };
        let has_joints = reader.has_table("joint")?;
        drop(reader);
        let mut writer = Self::open(path, checkpoint_every, lock)?;
        writer.has_joints = has_joints;
        writer.expect_frames(header);
        writer.begin()?;
        let begun = remove_newer(&writer.database, checkpoint.time).and_then(|()| {
            schema::update(&writer.database)?;
            let scenario = params!["scenario", header.scenario];
            writer.database.execute(&schema::insert("meta", 2), scenario)?;
            let last = "SELECT coalesce(max(id), -1) FROM frame";
            writer.database.query_row(last, [], |row| row.get::<_, i64>(0))
        });
        writer.n_frames = writer.checked(begun)? + 1;
        writer.set_state(RunState::Running)?;
        Ok((writer, checkpoint))
    }
}

/// Stores the last row numbers of all tables, with a checkpoint.
pub(super) fn mark(database: &Connection) -> rusqlite::Result<()> {
    for table in names(database, NUMBERED)? {
        let sql = format!(
            "INSERT OR REPLACE INTO checkpoint_mark SELECT ?1, coalesce(max(rowid), -1) FROM \"{table}\""
        );
        database.prepare_cached(&sql)?.execute([&table])?;
    }
    Ok(())
}

/// Removes rows beyond the marks.
///
/// * `time` — time of the checkpoint; in a result of an earlier version, without marks, later rows are newer
///   \[s\]
fn remove_newer(database: &Connection, time: f64) -> rusqlite::Result<()> {
    database.execute_batch(schema::MARKS)?;
    // Frames are removed before the rows that refer to them; references are consistent at the end of the
    // transaction.
    database.pragma_update(None, "defer_foreign_keys", true)?;
    let marked: i64 = database.query_row("SELECT count(*) FROM checkpoint_mark", [], |row| row.get(0))?;
    if marked == 0 {
        let last = "SELECT 'frame', coalesce(max(id), -1) FROM frame WHERE time <= ?1";
        let event = "SELECT 'contact_event', coalesce(max(id), -1) FROM contact_event WHERE \"end\" <= ?1";
        let note = "SELECT 'note', coalesce(max(id), -1) FROM note WHERE time <= ?1";
        for rows in [last, event, note] {
            database.execute(&format!("INSERT INTO checkpoint_mark {rows}"), [time])?;
        }
        let of_frames =
            "INSERT INTO checkpoint_mark SELECT 'ledger', rows FROM checkpoint_mark WHERE name = 'frame'";
        database.execute(of_frames, [])?;
    }
    for table in names(database, NUMBERED)? {
        let newer = "rowid > (SELECT rows FROM checkpoint_mark WHERE name = ?1)";
        database.execute(&format!("DELETE FROM \"{table}\" WHERE {newer}"), [&table])?;
    }
    for table in names(database, OF_FRAMES)? {
        let newer = "frame > (SELECT rows FROM checkpoint_mark WHERE name = 'frame')";
        database.execute(&format!("DELETE FROM \"{table}\" WHERE {newer}"), [])?;
    }
    for table in CONCLUSIONS {
        database.execute(&format!("DELETE FROM {table}"), [])?;
    }
    Ok(())
}

fn names(database: &Connection, sql: &str) -> rusqlite::Result<Vec<String>> {
    let mut statement = database.prepare_cached(sql)?;
    let rows = statement.query_map([], |row| row.get(0))?;
    rows.collect()
}
