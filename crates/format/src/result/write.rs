//! Writing a result during a run.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use carom_dynamics::{
    Checkpoint, ContactEvent, ErrorEstimate, Frame, LedgerSummary, Observer, ObserverError, ProbeQuantity,
    ProbeSample,
};
use carom_files::write_atomically;
use rusqlite::{Connection, MAIN_DB, params};

use super::lock::{ResultLock, beside};
use super::{
    FrameContent, KIND, NoteLevel, ResultError, RunHeader, RunState, StaticForce, StoredMode, StoredResponse,
    joints, modes, probes, responses, schema,
};
use crate::PROGRAM;

mod continued;
mod due;
mod rows;

use due::Due;

/// Time that the end of a run waits for readers, so that one file is left.
const READERS: Duration = Duration::from_secs(1);

/// Stores the output of a run; see the module's documentation.
#[derive(Debug)]
pub struct ResultWriter {
    path: PathBuf,
    database: Connection,
    due: Due,
    n_frames: i64,
    bytes: [Vec<u8>; 2],
    in_transaction: bool,
    /// False for a continued result of an earlier version, which has no tables for joints.
    has_joints: bool,
    /// Content of the frames of these bodies.
    content: FrameContent,
    unreduced: Vec<usize>,
    /// Quantities of each probe.
    probes: Vec<Vec<ProbeQuantity>>,
    /// Released after the database is closed.
    _lock: ResultLock,
}

impl ResultWriter {
    /// Creates a result. It appears under its name once it can be read; until then a replaced result is
    /// unchanged.
    ///
    /// * `replace` — true to replace an existing file
    /// * `checkpoint_every` — accepted steps between checkpoints, in addition to those due by wall time; 0
    ///   for none
    ///
    /// # Errors
    ///
    /// [`ResultError`]; [`ResultError::Exists`] if the file exists and must not be replaced,
    /// [`ResultError::InUse`] if another process writes to it.
    pub fn create(
        path: &Path,
        header: &RunHeader,
        checkpoint_every: u64,
        replace: bool,
    ) -> Result<Self, ResultError> {
        // A link is kept and points to the new result.
        let path = &path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let lock = ResultLock::take(path)?;
        if path.exists() && !replace {
            return Err(ResultError::Exists { path: path.to_owned() });
        }
        let failed = |source| ResultError::Database { path: path.to_owned(), source };
        let mut database = Connection::open_in_memory().map_err(failed)?;
        write_header(&database, header).map_err(failed)?;
        let image = database.serialize(MAIN_DB).map_err(failed)?;
        // A write-ahead log belongs only to its own file.
        for suffix in ["-wal", "-shm", "-journal"] {
            let _ = std::fs::remove_file(beside(path, suffix));
        }
        write_atomically(path, |out| out.write_all(&image))?;
        let mut writer = Self::open(path, checkpoint_every, lock)?;
        writer.expect_frames(header);
        writer.begin()?;
        Ok(writer)
    }

    fn open(path: &Path, checkpoint_every: u64, lock: ResultLock) -> Result<Self, ResultError> {
        let failed = |source| ResultError::Database { path: path.to_owned(), source };
        let database = Connection::open(path).map_err(failed)?;
        // With a write-ahead log a transaction survives the end of the process without a flush of its own.
        database.pragma_update(None, "journal_mode", "WAL").map_err(failed)?;
        database.pragma_update(None, "synchronous", "NORMAL").map_err(failed)?;
        Ok(Self {
            path: path.to_owned(),
            database,
            due: Due::new(checkpoint_every),
            n_frames: 0,
            bytes: [Vec::new(), Vec::new()],
            in_transaction: false,
            has_joints: true,
            content: FrameContent::default(),
            unreduced: Vec::new(),
            probes: Vec::new(),
            _lock: lock,
        })
    }

    /// Prepares for the frames of a run.
    fn expect_frames(&mut self, header: &RunHeader) {
        self.content = header.frames;
        self.unreduced = header.unreduced().collect();
        self.probes = header.probes.iter().map(|probe| probe.quantities.clone()).collect();
    }

    /// Stores a note of the run.
    ///
    /// # Errors
    ///
    /// [`ResultError`] if it cannot be stored.
    pub fn note(&mut self, time: f64, level: NoteLevel, text: &str) -> Result<(), ResultError> {
        let sql = "INSERT INTO note (time, level, text) VALUES (?1, ?2, ?3)";
        let written = self.database.execute(sql, params![time, level.word(), text]);
        self.checked(written).map(|_| ())
    }

    /// Stores the errors that are to be expected of the largest impact of a pair.
    ///
    /// # Errors
    ///
    /// [`ResultError`] if they cannot be stored.
    pub fn error_estimate(&mut self, pair: usize, estimate: &ErrorEstimate) -> Result<(), ResultError> {
        for (name, value) in estimate.numbers() {
            let row = params![format!("{name}.{pair}"), value];
            let written = self.database.execute(&schema::insert("summary", 2), row);
            self.checked(written)?;
        }
        Ok(())
    }

    /// Stores forces on the bodies in equilibrium, for a stored frame.
    ///
    /// # Errors
    ///
    /// [`ResultError`] if they cannot be stored.
    pub fn static_forces(&mut self, forces: &[StaticForce]) -> Result<(), ResultError> {
        let sql = "INSERT INTO static_force VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        for StaticForce { frame, body, kind, name, force: [x, y, z] } in forces {
            let row = params![*frame as i64, *body as i64, kind.word(), name, x, y, z];
            let written = self.database.execute(sql, row);
            self.checked(written)?;
        }
        Ok(())
    }

    /// Stores the small oscillations about the equilibrium in which the run starts.
    ///
    /// # Errors
    ///
    /// [`ResultError`] if they cannot be stored.
    pub fn modes(&mut self, modes: &[StoredMode]) -> Result<(), ResultError> {
        let written = modes::write(&self.database, modes);
        self.checked(written)
    }

    /// Stores the harmonic response about the equilibrium in which the run starts.
    ///
    /// # Errors
    ///
    /// [`ResultError`] if it cannot be stored.
    pub fn responses(&mut self, responses: &[StoredResponse]) -> Result<(), ResultError> {
        let written = responses::write(&self.database, responses);
        self.checked(written)
    }

    /// Ends the run: stores its state, errors, times of phases and counters. One file is left.
    ///
    /// # Errors
    ///
    /// [`ResultError`] if it cannot be stored.
    pub fn finish(
        mut self,
        state: RunState,
        summary: &LedgerSummary,
        seconds: &[(&str, f64)],
        counters: &[(&str, u64)],
    ) -> Result<(), ResultError> {
        let [energy, momentum, ang_momentum] = summary.errors();
        for (name, value) in [
            ("energy_initial", Some(summary.energy_initial)),
            ("energy_final", Some(summary.energy_final)),
            ("energy_error", energy),
            ("energy_limit", summary.energy_limit),
            ("momentum_error", momentum),
            ("ang_momentum_error", ang_momentum),
        ] {
            let written = self.database.execute(&schema::insert("summary", 2), params![name, value]);
            self.checked(written)?;
        }
        // A resumed run adds its times to the earlier ones.
        for (phase, value) in seconds {
            let sql = "INSERT INTO timing VALUES (?1, ?2) ON CONFLICT DO UPDATE SET seconds = seconds + \
                excluded.seconds";
            let written = self.database.execute(sql, params![phase, value]);
            self.checked(written)?;
        }
        for (name, value) in counters {
            let written = self.database.execute(&schema::insert("counter", 2), params![name, *value as i64]);
            self.checked(written)?;
        }
        self.set_state(state)?;
        self.commit()?;
        self.fold()
    }

    /// Merges a remaining write-ahead log into a result: the run was killed just after its end, or the result
    /// was being read then.
    ///
    /// # Errors
    ///
    /// [`ResultError`] if it cannot be written.
    pub fn fold_log(path: &Path) -> Result<(), ResultError> {
        if !beside(path, "-wal").exists() && !expects_log(path) {
            return Ok(());
        }
        let lock = ResultLock::take(path)?;
        Self::open(path, 0, lock)?.fold()
    }

    /// Merges the log into the file, after a short wait for readers. If a reader stays, [`Self::fold_log`]
    /// does it later; the result is complete in either case.
    fn fold(&self) -> Result<(), ResultError> {
        let begun = Instant::now();
        loop {
            match self.database.pragma_update(None, "journal_mode", "DELETE") {
                Err(error) if error.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseBusy) => {}
                folded => return self.checked(folded),
            }
            if begun.elapsed() > READERS {
                return Ok(());
            }
            std::thread::sleep(READERS / 100);
        }
    }

    /// Number of frames so far.
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

/// True if a file is in the mode of a write-ahead log, in which a reader leaves an empty log: byte 18 of an
/// SQLite database is then 2.
fn expects_log(path: &Path) -> bool {
    let mut head = [0_u8; 19];
    let read = std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut head));
    read.is_ok() && head[18] == 2
}

/// Creates the tables, with the content known at the start of a run.
fn write_header(database: &Connection, header: &RunHeader) -> rusqlite::Result<()> {
    database.execute_batch(&schema::statements())?;
    for (key, value) in [
        ("format", KIND),
        ("version", &header.frames.version().to_string()),
        ("program", PROGRAM),
        ("state", RunState::Running.word()),
        ("scenario", &header.scenario),
        ("scenario_folder", &header.scenario_folder),
    ] {
        database.execute(&schema::insert("meta", 2), params![key, value])?;
    }
    for (key, value) in header.frames.entries() {
        database.execute(&schema::insert("meta", 2), params![key, value])?;
    }
    for (id, body) in header.bodies.iter().enumerate() {
        let [x, y, z] = body.frame_origin;
        database.execute(
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
        if !body.law.is_empty() {
            database.execute(&schema::insert("body_law", 2), params![id as i64, body.law])?;
        }
        if !body.elements.is_empty() {
            database.execute(&schema::insert("body_elements", 2), params![id as i64, body.elements])?;
        }
    }
    for (id, pair) in header.pairs.iter().enumerate() {
        let row = params![id as i64, pair.name, pair.first, pair.second];
        database.execute(&schema::insert("contact_pair", 4), row)?;
    }
    joints::write_joints(database, &header.joints)?;
    probes::write_probes(database, &header.probes)
}

fn observer_error(error: ResultError) -> ObserverError {
    ObserverError(Box::new(error))
}

impl Observer for ResultWriter {
    fn frame(&mut self, frame: &Frame<'_>) -> Result<(), ObserverError> {
        let written = self.write_frame(frame);
        self.checked(written).map_err(observer_error)
    }

    fn contact_event(&mut self, event: &ContactEvent) -> Result<(), ObserverError> {
        let written = self.write_event(event);
        self.checked(written).map_err(observer_error)
    }

    fn probe(&mut self, sample: &ProbeSample<'_>) -> Result<(), ObserverError> {
        let quantities = self.probes.get(sample.probe).map_or(&[][..], Vec::as_slice);
        let written = probes::write_sample(&self.database, quantities, sample);
        self.checked(written).map_err(observer_error)
    }

    fn wants_checkpoint(&mut self, steps: u64) -> bool {
        self.due.after(steps)
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint) -> Result<(), ObserverError> {
        let begun = Instant::now();
        let written = self.write_checkpoint(checkpoint).and_then(|()| continued::mark(&self.database));
        self.checked(written).map_err(observer_error)?;
        self.commit().map_err(observer_error)?;
        self.due.written_since(begun);
        self.begin().map_err(observer_error)
    }
}
