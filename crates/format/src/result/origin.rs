//! The origin of a run, for reports: command, date, and text of the scenario. No number depends on it.

use std::path::Path;

use rusqlite::{Connection, params};

use super::{ResultError, ResultLock, ResultReader, schema};

/// The origin of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RunOrigin {
    /// The command in the form for a shell.
    pub command: String,
    /// End of the last command that wrote the result: date and time of day, UTC.
    pub date: String,
    /// The original text of the scenario file.
    pub scenario: String,
}

/// Stores the origin in a result that no run is writing to. The origin of a continued run replaces the
/// earlier one.
///
/// # Errors
///
/// [`ResultError::NotThere`] if there is no result; [`ResultError::InUse`] if a process writes to it; others
/// if the file cannot be written.
pub fn keep_origin(path: &Path, origin: &RunOrigin) -> Result<(), ResultError> {
    // A file of another kind is not changed.
    drop(ResultReader::open(path)?);
    let lock = ResultLock::take(path)?;
    let written = Connection::open(path).and_then(|mut database| {
        let transaction = database.transaction()?;
        transaction.execute_batch(schema::ORIGIN)?;
        for (key, value) in
            [("command", &origin.command), ("date", &origin.date), ("scenario", &origin.scenario)]
        {
            transaction.execute(&schema::insert("origin", 2), params![key, value])?;
        }
        transaction.commit()
    });
    drop(lock);
    written.map_err(|source| ResultError::Database { path: path.to_owned(), source })
}

impl ResultReader {
    /// The origin of the run; none in results of earlier releases.
    ///
    /// # Errors
    ///
    /// [`ResultError`]
    pub fn origin(&self) -> Result<Option<RunOrigin>, ResultError> {
        if !self.has_table("origin")? {
            return Ok(None);
        }
        let entries: Vec<(String, String)> =
            self.rows("SELECT key, value FROM origin", |row| Ok((row.get(0)?, row.get(1)?)))?;
        let value = |key: &str| entries.iter().find(|(k, _)| k == key).map(|(_, value)| value.clone());
        let [command, date, scenario] =
            ["command", "date", "scenario"].map(|key| value(key).unwrap_or_default());
        Ok(Some(RunOrigin { command, date, scenario }))
    }
}
