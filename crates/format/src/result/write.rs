//! Writing a result while a run goes on.

use std::path::{Path, PathBuf};

use carom_dynamics::{Checkpoint, ContactEvent, Frame, LedgerSummary, Observer, ObserverError};
use rusqlite::{Connection, OptionalExtension, params};

use super::{KIND, NoteLevel, ResultError, RunHeader, RunState, StaticForce, VERSION, joints, schema};
use crate::PROGRAM;

mod rows;

/// Keeps what a run hands over; see the module's documentation.
pub struct ResultWriter {
    path: PathBuf,
    database: Connection,
    checkpoint_every: u64,
    n_frames: i64,
    bytes: [Vec<u8>; 2],
    in_transaction: bool,
    /// False where a result of an earlier version, which has no tables for joints, is continued.
    has_joints: bool,
}

impl ResultWriter {
    /// Begins a result.
    ///
    /// * `replace` — take the place of a file that exists
    /// * `checkpoint_every` — accepted steps between checkpoints
    ///
    /// # Errors
    ///
    /// [`ResultError`]; [`ResultError::Exists`] if the file exists and is not to be replaced.
    pub fn create(
        path: &Path,
        header: &RunHeader,
        checkpoint_every: u64,
        replace: bool,
    ) -> Result<Self, ResultError> {
        if path.exists() {
            if !replace {
                return Err(ResultError::Exists { path: path.to_owned() });
            }
            remove(path)?;
        }
        let mut writer = Self::open(path, checkpoint_every)?;
        let written = writer.write_header(header);
        if written.is_err() {
            // Nothing was computed yet: leave nothing.
            let (path, database) = (writer.path, writer.database);
            drop(database);
            let _ = remove(&path);
            return Err(written.expect_err("it was just checked"));
        }
        writer.begin()?;
        Ok(writer)
    }

    fn open(path: &Path, checkpoint_every: u64) -> Result<Self, ResultError> {
        let failed = |source| ResultError::Database { path: path.to_owned(), source };
        let database = Connection::open(path).map_err(failed)?;
        // With a write-ahead log a transaction survives the end of the process without a flush of its own.
        database.pragma_update(None, "journal_mode", "WAL").map_err(failed)?;
        database.pragma_update(None, "synchronous", "NORMAL").map_err(failed)?;
        Ok(Self {
            path: path.to_owned(),
            database,
            checkpoint_every,
            n_frames: 0,
            bytes: [Vec::new(), Vec::new()],
            in_transaction: false,
            has_joints: true,
        })
    }

    fn write_header(&mut self, header: &RunHeader) -> Result<(), ResultError> {
        self.begin()?;
        let written = self.database.execute_batch(&schema::statements()).and_then(|()| {
            for (key, value) in [
                ("format", KIND),
                ("version", &VERSION.to_string()),
                ("program", PROGRAM),
                ("state", RunState::Running.word()),
                ("scenario", &header.scenario),
                ("scenario_folder", &header.scenario_folder),
            ] {
                self.database.execute(&schema::insert("meta", 2), params![key, value])?;
            }
            for (id, body) in header.bodies.iter().enumerate() {
                let [x, y, z] = body.frame_origin;
                self.database.execute(
                    &schema::insert("body", 14),
                    params![
                        id as i64,
                        body.name,
                        body.rigid,
                        body.fixed,
                        body.mass,
                        x,
                        y,
                        z,
                        body.modes[0] as i64,
                        body.modes[1] as i64,
                        body.rom_path,
                        body.rom_checksum,
                        body.body_path,
                        body.body_checksum
                    ],
                )?;
            }
            for (id, pair) in header.pairs.iter().enumerate() {
                let row = params![id as i64, pair.name, pair.first, pair.second];
                self.database.execute(&schema::insert("contact_pair", 4), row)?;
            }
            joints::write_joints(&self.database, &header.joints)
        });
        self.checked(written)?;
        self.commit()
    }

    /// Opens the result of a run that did not reach its end, and gives the checkpoint from which it continues.
    ///
    /// # Errors
    ///
    /// [`ResultError::NotResumable`] if the run is complete or has no checkpoint, others if the file is none of ours.
    pub fn resume(path: &Path, checkpoint_every: u64) -> Result<(Self, Checkpoint), ResultError> {
        let reader = super::ResultReader::open(path)?;
        let refuse = |why: &str| ResultError::NotResumable { path: path.to_owned(), why: why.to_owned() };
        if reader.state()? == RunState::Done {
            return Err(refuse("the run is complete; `--force` runs it again"));
        }
        let checkpoint =
            reader.checkpoint()?.ok_or_else(|| refuse("it has no checkpoint; `--force` runs it again"))?;
        let has_joints = reader.has_table("joint")?;
        drop(reader);
        let mut writer = Self::open(path, checkpoint_every)?;
        writer.has_joints = has_joints;
        let last: Result<Option<i64>, _> = writer
            .database
            .query_row("SELECT max(id) FROM frame", [], |row| row.get(0))
            .optional()
            .map(Option::flatten);
        writer.n_frames = writer.checked(last)?.map_or(0, |last| last + 1);
        writer.begin()?;
        writer.set_state(RunState::Running)?;
        Ok((writer, checkpoint))
    }

    /// Something that the run has to say.
    ///
    /// # Errors
    ///
    /// [`ResultError`] if it cannot be kept.
    pub fn note(&mut self, time: f64, level: NoteLevel, text: &str) -> Result<(), ResultError> {
        let sql = "INSERT INTO note (time, level, text) VALUES (?1, ?2, ?3)";
        let written = self.database.execute(sql, params![time, level.word(), text]);
        self.checked(written).map(|_| ())
    }

    /// Forces on the bodies in equilibrium, of a frame that was kept.
    ///
    /// # Errors
    ///
    /// [`ResultError`] if they cannot be kept.
    pub fn static_forces(&mut self, forces: &[StaticForce]) -> Result<(), ResultError> {
        let sql = "INSERT INTO static_force VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        for StaticForce { frame, body, kind, name, force: [x, y, z] } in forces {
            let row = params![*frame as i64, *body as i64, kind.word(), name, x, y, z];
            let written = self.database.execute(sql, row);
            self.checked(written)?;
        }
        Ok(())
    }

    /// Ends the run: how it ended, its errors, seconds of its phases, its counters. One file is left.
    ///
    /// # Errors
    ///
    /// [`ResultError`] if it cannot be kept.
    pub fn finish(
        mut self,
        state: RunState,
        summary: &LedgerSummary,
        seconds: &[(&str, f64)],
        counters: &[(&str, u64)],
    ) -> Result<(), ResultError> {
        for (name, value) in [
            ("energy_initial", summary.energy_initial),
            ("energy_final", summary.energy_final),
            ("energy_error", summary.energy_error),
            ("momentum_error", summary.momentum_error),
            ("ang_momentum_error", summary.ang_momentum_error),
        ] {
            let written = self.database.execute(&schema::insert("summary", 2), params![name, value]);
            self.checked(written)?;
        }
        // A resumed run adds to what it had before.
        for (phase, value) in seconds {
            let sql = "INSERT INTO timing VALUES (?1, ?2) ON CONFLICT DO UPDATE SET seconds = seconds + excluded.seconds";
            let written = self.database.execute(sql, params![phase, value]);
            self.checked(written)?;
        }
        for (name, value) in counters {
            let written = self.database.execute(&schema::insert("counter", 2), params![name, *value as i64]);
            self.checked(written)?;
        }
        self.set_state(state)?;
        self.commit()?;
        // Folds the log into the file.
        let folded = self.database.pragma_update(None, "journal_mode", "DELETE");
        self.checked(folded)
    }

    /// Frames kept so far.
    pub fn n_frames(&self) -> u64 {
        self.n_frames as u64
    }

    fn set_state(&mut self, state: RunState) -> Result<(), ResultError> {
        let written = self.database.execute(&schema::insert("meta", 2), params!["state", state.word()]);
        self.checked(written).map(|_| ())
    }

    fn begin(&mut self) -> Result<(), ResultError> {
        let begun = self.database.execute_batch("BEGIN IMMEDIATE");
        self.checked(begun)?;
        self.in_transaction = true;
        Ok(())
    }

    fn commit(&mut self) -> Result<(), ResultError> {
        if self.in_transaction {
            self.in_transaction = false;
            let committed = self.database.execute_batch("COMMIT");
            self.checked(committed)?;
        }
        Ok(())
    }

    fn checked<T>(&self, result: rusqlite::Result<T>) -> Result<T, ResultError> {
        result.map_err(|source| ResultError::Database { path: self.path.clone(), source })
    }
}

fn remove(path: &Path) -> Result<(), ResultError> {
    for suffix in ["-wal", "-shm", "-journal"] {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        let _ = std::fs::remove_file(name);
    }
    match std::fs::remove_file(path) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
            Err(ResultError::Io { path: path.to_owned(), source })
        }
        _ => Ok(()),
    }
}

fn told(error: ResultError) -> ObserverError {
    ObserverError(Box::new(error))
}

impl Observer for ResultWriter {
    fn frame(&mut self, frame: &Frame<'_>) -> Result<(), ObserverError> {
        let written = self.write_frame(frame);
        self.checked(written).map_err(told)
    }

    fn contact_event(&mut self, event: &ContactEvent) -> Result<(), ObserverError> {
        let written = self.write_event(event);
        self.checked(written).map_err(told)
    }

    fn checkpoint_every(&self) -> u64 {
        self.checkpoint_every
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint) -> Result<(), ObserverError> {
        let written = self.write_checkpoint(checkpoint);
        self.checked(written).map_err(told)?;
        self.commit().map_err(told)?;
        self.begin().map_err(told)
    }
}
