//! Reading a result, also during its run.

use std::path::{Path, PathBuf};

use carom_dynamics::{
    BodyState, Checkpoint, ContactEvent, ContactState, ErrorEstimate, LedgerRow, LedgerSummary,
    SurfacePressures, Values,
};
use rusqlite::{Connection, OpenFlags, OptionalExtension, Row, params};

use super::{
    ForceKind, FrameContent, KIND, NoteLevel, PACKED_VERSION, ResultBody, ResultError, ResultPair, RunHeader,
    RunNote, RunState, StaticForce, blob,
};
use crate::npz::Version;

mod rows;

use rows::{read_body, read_contact, read_event};

/// A stored frame.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredFrame {
    /// Number, from 0.
    pub index: usize,
    /// Time \[s\].
    pub time: f64,
    /// Steps accepted before it.
    pub steps: u64,
    /// State of each body.
    pub bodies: Vec<BodyState>,
    /// State of each contact pair.
    pub contacts: Vec<ContactState>,
}

/// An open result.
pub struct ResultReader {
    path: PathBuf,
    database: Connection,
    /// Content of the frames of these bodies.
    content: FrameContent,
    unreduced: Vec<usize>,
}

impl ResultReader {
    /// Opens a result and checks kind and version.
    ///
    /// # Errors
    ///
    /// [`ResultError`], as all methods below.
    pub fn open(path: &Path) -> Result<Self, ResultError> {
        if !path.is_file() {
            return Err(ResultError::NotThere { path: path.to_owned() });
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let database = Connection::open_with_flags(path, flags)
            .map_err(|source| ResultError::Database { path: path.to_owned(), source })?;
        let (content, unreduced) = (FrameContent::default(), Vec::new());
        let mut reader = Self { path: path.to_owned(), database, content, unreduced };
        let no_result = |found: String| ResultError::NotAResult { path: path.to_owned(), found };
        let kind = reader.meta("format").map_err(|error| match error {
            ResultError::Database { source, .. } if source.to_string().contains("no such table") => {
                no_result("another SQLite database".to_owned())
            }
            other => other,
        })?;
        if kind.as_deref() != Some(KIND) {
            return Err(no_result(kind.unwrap_or_else(|| "a database without a kind".to_owned())));
        }
        let found = reader.meta("version")?.unwrap_or_default();
        let version: Version = found.parse().map_err(|_| no_result(format!("version `{found}`")))?;
        if version.major > PACKED_VERSION.major {
            let program = reader.meta("program")?.unwrap_or_else(|| "unknown".to_owned());
            return Err(ResultError::Newer { path: path.to_owned(), found, program });
        }
        if version.major == PACKED_VERSION.major {
            let header = reader.header()?;
            (reader.content, reader.unreduced) = (header.frames, header.unreduced().collect());
        }
        Ok(reader)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn checked<T>(&self, result: rusqlite::Result<T>) -> Result<T, ResultError> {
        result.map_err(|source| ResultError::Database { path: self.path.clone(), source })
    }

    pub(super) fn damaged(&self, table: &'static str, why: impl Into<String>) -> ResultError {
        ResultError::Damaged { path: self.path.clone(), table, why: why.into() }
    }

    /// False for a table that came with a later version.
    pub(super) fn has_table(&self, table: &str) -> Result<bool, ResultError> {
        let there = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = ?1";
        let count = self.database.query_row(there, [table], |row| row.get::<_, i64>(0));
        Ok(self.checked(count)? > 0)
    }

    /// False for a column that came with a later version.
    pub(super) fn has_column(&self, table: &str, column: &str) -> Result<bool, ResultError> {
        let there = "SELECT count(*) FROM pragma_table_info(?1) WHERE name = ?2";
        let count = self.database.query_row(there, [table, column], |row| row.get::<_, i64>(0));
        Ok(self.checked(count)? > 0)
    }

    /// All rows of a query.
    pub(super) fn rows<T>(
        &self,
        sql: &str,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, ResultError> {
        let rows = self.database.prepare_cached(sql).and_then(|mut statement| {
            let rows = statement.query_map([], read)?;
            rows.collect::<rusqlite::Result<Vec<T>>>()
        });
        self.checked(rows)
    }

    /// An entry of the table `meta`.
    ///
    /// # Errors
    ///
    /// [`ResultError`]
    pub fn meta(&self, key: &str) -> Result<Option<String>, ResultError> {
        let sql = "SELECT value FROM meta WHERE key = ?1";
        self.checked(self.database.query_row(sql, [key], |row| row.get(0)).optional())
    }

    /// Scenario, bodies and pairs.
    ///
    /// # Errors
    ///
    /// [`ResultError`]
    pub fn header(&self) -> Result<RunHeader, ResultError> {
        let mut bodies = self.rows("SELECT * FROM body ORDER BY id", |row| {
            Ok(ResultBody {
                name: row.get(1)?,
                rigid: row.get(2)?,
                fixed: row.get(3)?,
                mass: row.get(4)?,
                frame_origin: [row.get(5)?, row.get(6)?, row.get(7)?],
                modes: [row.get::<_, i64>(8)? as usize, row.get::<_, i64>(9)? as usize],
                rom_path: row.get(10)?,
                rom_checksum: row.get(11)?,
                body_path: row.get(12)?,
                body_checksum: row.get(13)?,
                law: String::new(),
                elements: String::new(),
            })
        })?;
        if self.has_table("body_law")? {
            let laws = self.rows("SELECT body, law FROM body_law", |row| {
                Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?))
            })?;
            for (id, law) in laws {
                let body = usize::try_from(id).ok().and_then(|id| bodies.get_mut(id));
                body.ok_or_else(|| self.damaged("body_law", format!("there is no body {id}")))?.law = law;
            }
        }
        if self.has_table("body_elements")? {
            let elements = self.rows("SELECT body, elements FROM body_elements", |row| {
                Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?))
            })?;
            for (id, elements) in elements {
                let body = usize::try_from(id).ok().and_then(|id| bodies.get_mut(id));
                body.ok_or_else(|| self.damaged("body_elements", format!("there is no body {id}")))?
                    .elements = elements;
            }
        }
        let pairs = self.rows("SELECT name, first, second FROM contact_pair ORDER BY id", |row| {
            Ok(ResultPair { name: row.get(0)?, first: row.get(1)?, second: row.get(2)? })
        })?;
        Ok(RunHeader {
            scenario: self.meta("scenario")?.unwrap_or_default(),
            scenario_folder: self.meta("scenario_folder")?.unwrap_or_default(),
            bodies,
            pairs,
            joints: self.joints()?,
            probes: self.probes()?,
            frames: FrameContent::of_entries(|key| self.meta(key))?,
        })
    }

    /// The state of the run.
    ///
    /// # Errors
    ///
    /// [`ResultError`]
    pub fn state(&self) -> Result<RunState, ResultError> {
        let word = self.meta("state")?.unwrap_or_default();
        let state = RunState::ALL.iter().find(|(_, name)| *name == word).map(|(state, _)| *state);
        state.ok_or_else(|| self.damaged("meta", format!("the state `{word}` is unknown")))
    }

    /// Times of all frames \[s\], in their order.
    ///
    /// # Errors
    ///
    /// [`ResultError`]
    pub fn times(&self) -> Result<Vec<f64>, ResultError> {
        self.rows("SELECT time FROM frame ORDER BY id", |row| row.get(0))
    }

    /// Numbers of steps until all frames, in their order.
    ///
    /// # Errors
    ///
    /// [`ResultError`]
    pub fn frame_steps(&self) -> Result<Vec<i64>, ResultError> {
        self.rows("SELECT steps FROM frame ORDER BY id", |row| row.get(0))
    }

    /// A frame by its number.
    ///
    /// # Errors
    ///
    /// [`ResultError`]; [`ResultError::Damaged`] if there is none of this number.
    pub fn frame(&self, index: usize) -> Result<StoredFrame, ResultError> {
        let id = index as i64;
        let sql = "SELECT time, steps FROM frame WHERE id = ?1";
        let found =
            self.database.query_row(sql, [id], |row| Ok((row.get(0)?, row.get::<_, i64>(1)?))).optional();
        let (time, steps) =
            self.checked(found)?.ok_or_else(|| self.damaged("frame", format!("no frame {index}")))?;
        let read = |row: &Row<'_>| {
            let body: i64 = row.get(1)?;
            let is_packed = self.content.single && self.unreduced.contains(&(body as usize));
            read_body(row, is_packed)
        };
        let bodies = self.of_id("SELECT * FROM body_frame WHERE frame = ?1 ORDER BY body", id, read)?;
        let mut bodies = bodies
            .into_iter()
            .collect::<Option<Vec<_>>>()
            .ok_or_else(|| self.damaged("body_frame", "cut numbers"))?;
        self.read_stresses(id, &mut bodies)?;
        self.read_rotations(id, &mut bodies)?;
        self.read_balances(id, &mut bodies)?;
        let mut contacts = self.read_contacts(id)?;
        self.read_pressures(id, &mut contacts)?;
        self.read_grids(id, &mut contacts)?;
        Ok(StoredFrame { index, time, steps: steps as u64, bodies, contacts })
    }

    /// Contacts of a frame; those without a row are far apart.
    fn read_contacts(&self, frame: i64) -> Result<Vec<ContactState>, ResultError> {
        let pairs: i64 =
            self.checked(self.database.query_row("SELECT COUNT(*) FROM contact_pair", [], |row| row.get(0)))?;
        let mut contacts = vec![ContactState::far(); pairs.max(0) as usize];
        let sql = "SELECT * FROM contact_frame WHERE frame = ?1";
        for (pair, state) in self.of_id(sql, frame, |row| Ok((row.get::<_, i64>(1)?, read_contact(row)?)))? {
            let state = state.ok_or_else(|| self.damaged("contact_frame", "cut numbers"))?;
            let own = usize::try_from(pair).ok().and_then(|pair| contacts.get_mut(pair));
            *own.ok_or_else(|| self.no_pair())? = state;
        }
        Ok(contacts)
    }

    fn no_pair(&self) -> ResultError {
        self.damaged("contact_frame", "a pair that is not there")
    }

    /// Adds the stored stresses of bodies whose law has history.
    fn read_stresses(&self, frame: i64, bodies: &mut [BodyState]) -> Result<(), ResultError> {
        if !self.has_table("body_stress")? {
            return Ok(());
        }
        let sql = "SELECT body, stress, plastic_strain FROM body_stress WHERE frame = ?1";
        let rows = self.of_id(sql, frame, |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, Vec<u8>>(1)?, row.get::<_, Vec<u8>>(2)?))
        })?;
        for (body, stress, strain) in rows {
            let state = usize::try_from(body).ok().and_then(|body| bodies.get_mut(body));
            let numbers = blob::to_f64_of_f32(&stress).zip(blob::to_f64_of_f32(&strain));
            let (Some(state), Some((stress, strain))) = (state, numbers) else {
                return Err(self.damaged("body_stress", "cut numbers, or a body that is not there"));
            };
            (state.point_stress, state.plastic_strain) = (stress, strain);
        }
        Ok(())
    }

    /// Adds the pressures of contacts of all bodies.
    fn read_pressures(&self, frame: i64, contacts: &mut [ContactState]) -> Result<(), ResultError> {
        if !self.has_table("surface_pressure")? {
            return Ok(());
        }
        let sql = "SELECT pair, body, faces, pressures FROM surface_pressure WHERE frame = ?1 \
                   ORDER BY pair, body";
        let rows = self.of_id(sql, frame, |row| {
            let blobs = (row.get::<_, Vec<u8>>(2)?, row.get::<_, Vec<u8>>(3)?);
            Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, blobs))
        })?;
        for (pair, body, (faces, pressures)) in rows {
            let state = usize::try_from(pair).ok().and_then(|pair| contacts.get_mut(pair));
            let numbers = blob::to_u32(&faces).zip(blob::to_f64(&pressures));
            let numbers = numbers.filter(|(faces, pressures)| faces.len() == pressures.len());
            let (Some(state), Ok(body), Some((faces, pressures))) = (state, usize::try_from(body), numbers)
            else {
                return Err(self.damaged("surface_pressure", "cut numbers, or a pair that is not there"));
            };
            state.surfaces.push(SurfacePressures { body, faces, pressures });
        }
        Ok(())
    }

    /// Adds the stored rotations of the points of shells and beams.
    fn read_rotations(&self, frame: i64, bodies: &mut [BodyState]) -> Result<(), ResultError> {
        if !self.has_table("body_rotation")? {
            return Ok(());
        }
        let sql = "SELECT body, rotation FROM body_rotation WHERE frame = ?1";
        let rows = self.of_id(sql, frame, |row| Ok((row.get::<_, i64>(0)?, row.get::<_, Vec<u8>>(1)?)))?;
        for (body, rotation) in rows {
            let state = usize::try_from(body).ok().and_then(|body| bodies.get_mut(body));
            let (Some(state), Some(rotation)) = (state, blob::to_f64_of_f32(&rotation)) else {
                return Err(self.damaged("body_rotation", "cut numbers, or a body that is not there"));
            };
            state.point_rotations = rotation;
        }
        Ok(())
    }

    pub(super) fn of_id<T>(
        &self,
        sql: &str,
        id: i64,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, ResultError> {
        let rows = self.database.prepare_cached(sql).and_then(|mut statement| {
            let rows = statement.query_map(params![id], read)?;
            rows.collect::<rusqlite::Result<Vec<T>>>()
        });
        self.checked(rows)
    }

    /// Normal force of a pair in every frame \[N\].
    ///
    /// # Errors
    ///
    /// [`ResultError`]
    pub fn normal_forces(&self, pair: usize) -> Result<Vec<f64>, ResultError> {
        let sql = "SELECT frame, normal_force FROM contact_frame WHERE pair = ?1";
        let rows = self.of_id(sql, pair as i64, |row| Ok((row.get::<_, i64>(0)?, row.get::<_, f64>(1)?)))?;
        let mut forces = vec![0.0; self.times()?.len()];
        for (frame, force) in rows {
            *self.of_frame(&mut forces, frame)? = force;
        }
        Ok(forces)
    }

    /// The number of a frame in a list of all of them.
    fn of_frame<'a>(&self, all: &'a mut [f64], frame: i64) -> Result<&'a mut f64, ResultError> {
        let own = usize::try_from(frame).ok().and_then(|frame| all.get_mut(frame));
        own.ok_or_else(|| self.damaged("contact_frame", "a frame that is not there"))
    }

    /// Normal forces of all pairs in every frame, pair by pair \[N\]: one pass over the file.
    ///
    /// # Errors
    ///
    /// [`ResultError`]
    pub fn all_normal_forces(&self, pairs: usize) -> Result<Vec<Vec<f64>>, ResultError> {
        let sql = "SELECT frame, pair, normal_force FROM contact_frame";
        let rows =
            self.rows(sql, |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, row.get::<_, f64>(2)?)))?;
        let mut forces = vec![vec![0.0; self.times()?.len()]; pairs];
        for (frame, pair, force) in rows {
            let of_pair = usize::try_from(pair).ok().and_then(|pair| forces.get_mut(pair));
            *self.of_frame(of_pair.ok_or_else(|| self.no_pair())?, frame)? = force;
        }
        Ok(forces)
    }

    /// The ledger: the numbers of [`LedgerRow::COLUMNS`] of every frame; zero in columns that are newer than
    /// the result.
    ///
    /// # Errors
    ///
    /// [`ResultError`]
    pub fn ledger(&self) -> Result<Vec<[f64; LedgerRow::N_COLUMNS]>, ResultError> {
        self.rows("SELECT * FROM ledger ORDER BY frame", |row| {
            let mut values = [0.0; LedgerRow::COLUMNS.len()];
            let n_stored = row.as_ref().column_count() - 1;
            for (i, value) in values.iter_mut().enumerate().take(n_stored) {
                *value = row.get(i + 1)?;
            }
            Ok(values)
        })
    }

    /// Errors of the balances; none during the run.
    ///
    /// # Errors
    ///
    /// [`ResultError`]
    pub fn summary(&self) -> Result<Option<LedgerSummary>, ResultError> {
        let entries = self.rows("SELECT name, value FROM summary", |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, Option<f64>>(1)?))
        })?;
        let value = |name: &str| entries.iter().find(|(n, _)| n == name).map(|(_, value)| *value);
        let summary = || {
            let errors = [value("energy_error")?, value("momentum_error")?, value("ang_momentum_error")?];
            let [energy_error, momentum_error, ang_momentum_error] = errors.map(Option::unwrap_or_default);
            Some(LedgerSummary {
                energy_initial: value("energy_initial")?.unwrap_or(f64::NAN),
                energy_final: value("energy_final")?.unwrap_or(f64::NAN),
                energy_error,
                momentum_error,
                ang_momentum_error,
                no_reference: errors.map(|error| error.is_none()),
                // Results of earlier releases have no claim.
                energy_limit: value("energy_limit").flatten().filter(|limit| !limit.is_nan()),
            })
        };
        Ok(summary())
    }

    /// The errors that are to be expected of the largest impact of each pair; none where the run did not
    /// estimate them.
    ///
    /// # Errors
    ///
    /// [`ResultError`] if it cannot be read.
    pub fn error_estimates(&self) -> Result<Vec<Option<ErrorEstimate>>, ResultError> {
        let entries = self.rows("SELECT name, value FROM summary", |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, Option<f64>>(1)?))
        })?;
        let of_pair = |pair: usize| {
            let value = |name: &str| {
                let name = format!("{name}.{pair}");
                entries.iter().find(|(n, _)| *n == name).and_then(|(_, value)| *value)
            };
            ErrorEstimate::of_numbers(value)
        };
        Ok((0..self.header()?.pairs.len()).map(of_pair).collect())
    }

    /// All contact events, in the order in which they ended.
    ///
    /// # Errors
    ///
    /// [`ResultError`]
    pub fn contact_events(&self) -> Result<Vec<ContactEvent>, ResultError> {
        self.rows("SELECT * FROM contact_event ORDER BY id", read_event)
    }

    /// Forces on the bodies of a static run, frame by frame; empty for other runs and for results of version
    /// 1.0.
    ///
    /// # Errors
    ///
    /// [`ResultError`]
    pub fn static_forces(&self) -> Result<Vec<StaticForce>, ResultError> {
        if !self.has_table("static_force")? {
            return Ok(Vec::new());
        }
        let rows = self.rows("SELECT * FROM static_force ORDER BY rowid", |row| {
            let word: String = row.get(2)?;
            let kind = ForceKind::ALL.iter().find(|(_, name)| *name == word).map(|(kind, _)| *kind);
            let (frame, body) = (row.get::<_, i64>(0)? as usize, row.get::<_, i64>(1)? as usize);
            let force = [row.get(4)?, row.get(5)?, row.get(6)?];
            Ok(kind.map(|kind| (StaticForce { frame, body, kind, name: String::new(), force }, row.get(3))))
        })?;
        let known = rows.into_iter().map(|row| {
            let (force, name) =
                row.ok_or_else(|| self.damaged("static_force", "a kind of force is unknown"))?;
            Ok(StaticForce { name: self.checked(name)?, ..force })
        });
        known.collect()
    }

    /// The notes of the run.
    ///
    /// # Errors
    ///
    /// [`ResultError`]
    pub fn notes(&self) -> Result<Vec<RunNote>, ResultError> {
        self.rows("SELECT time, level, text FROM note ORDER BY id", |row| {
            let word: String = row.get(1)?;
            let level =
                NoteLevel::ALL.iter().find(|(_, name)| *name == word).map_or(NoteLevel::Warning, |(l, _)| *l);
            Ok(RunNote { time: row.get(0)?, level, text: row.get(2)? })
        })
    }

    /// Seconds of each phase.
    ///
    /// # Errors
    ///
    /// [`ResultError`]
    pub fn timings(&self) -> Result<Vec<(String, f64)>, ResultError> {
        self.rows("SELECT phase, seconds FROM timing ORDER BY phase", |row| Ok((row.get(0)?, row.get(1)?)))
    }

    /// Counters: steps, rejected steps, right-hand sides, …
    ///
    /// # Errors
    ///
    /// [`ResultError`]
    pub fn counters(&self) -> Result<Vec<(String, u64)>, ResultError> {
        self.rows("SELECT name, value FROM counter ORDER BY name", |row| {
            Ok((row.get(0)?, row.get::<_, i64>(1)? as u64))
        })
    }

    /// The latest checkpoint.
    ///
    /// # Errors
    ///
    /// [`ResultError`]
    pub fn checkpoint(&self) -> Result<Option<Checkpoint>, ResultError> {
        let sql = "SELECT scheme, version, time, steps FROM checkpoint";
        let found = self.database.query_row(sql, [], |row| {
            Ok(Checkpoint {
                scheme: row.get(0)?,
                version: row.get::<_, i64>(1)? as u64,
                time: row.get(2)?,
                steps: row.get::<_, i64>(3)? as u64,
                ..Checkpoint::default()
            })
        });
        let Some(mut checkpoint) = self.checked(found.optional())? else { return Ok(None) };
        let entries = self.rows("SELECT name, kind, data FROM checkpoint_entry", |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?, row.get::<_, Vec<u8>>(2)?))
        })?;
        for (name, kind, data) in entries {
            let values = match kind.as_str() {
                "reals" => blob::to_f64(&data).map(Values::Reals),
                _ => blob::to_u64(&data).map(Values::Integers),
            };
            let values =
                values.ok_or_else(|| self.damaged("checkpoint_entry", format!("`{name}` is cut")))?;
            checkpoint.entries.insert(name, values);
        }
        Ok(Some(checkpoint))
    }
}
