//! Who asked for a run, when and how: what a report says of it, and no number depends on.

use std::path::Path;

use rusqlite::{Connection, params};

use super::{ResultError, ResultLock, ResultReader, schema};

/// How a run was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RunOrigin {
    /// The command, as it could be typed again.
    pub command: String,
    /// When the command ended that wrote the result last: date and time of day, UTC.
    pub date: String,
    /// The text of the scenario file, as its author wrote it.
    pub scenario: String,
}

/// Keeps the origin in a result that no run is writing to. That of a run that is continued takes the place of
/// the earlier one.
///
/// # Errors
///
/// [`ResultError::NotThere`] if there is no result; [`ResultError::InUse`] if a process writes to it; others
/// if the file cannot be written.
pub fn keep_origin(path: &Path, origin: &RunOrigin) -> Result<(), ResultError> {
    // Whoever has another kind of file there gets it back as it was.
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
    /// How the run was asked for; none where nobody kept it, as in results of earlier releases.
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
