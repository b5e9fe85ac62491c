//! Harmonic response about the equilibrium in which a run starts, as rows of the database.

use rusqlite::params;

use super::{ResultError, ResultReader, schema};

/// Displacement of the point of a probe at one frequency.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StoredResponse {
    /// Number of the probe.
    pub probe: usize,
    /// \[Hz\].
    pub frequency: f64,
    /// Real part along the inertial axes, in phase with the excitation \[m\].
    pub real: [f64; 3],
    /// Imaginary part \[m\].
    pub imaginary: [f64; 3],
}

/// Writes all responses.
pub(super) fn write(database: &rusqlite::Connection, all: &[StoredResponse]) -> rusqlite::Result<()> {
    let mut statement = database.prepare_cached(&schema::insert("response", 9))?;
    for (id, StoredResponse { probe, frequency, real: [x, y, z], imaginary: [u, v, w] }) in
        all.iter().enumerate()
    {
        statement.execute(params![id as i64, *probe as i64, frequency, x, u, y, v, z, w])?;
    }
    Ok(())
}

impl ResultReader {
    /// Harmonic response, probe by probe, in ascending order of the frequencies; none in results before
    /// version 1.11 and of scenarios without `[response]`.
    ///
    /// # Errors
    ///
    /// [`ResultError`]
    pub fn responses(&self) -> Result<Vec<StoredResponse>, ResultError> {
        if !self.has_table("response")? {
            return Ok(Vec::new());
        }
        self.rows("SELECT * FROM response ORDER BY id", |row| {
            Ok(StoredResponse {
                probe: row.get::<_, i64>(1)? as usize,
                frequency: row.get(2)?,
                real: [row.get(3)?, row.get(5)?, row.get(7)?],
                imaginary: [row.get(4)?, row.get(6)?, row.get(8)?],
            })
        })
    }
}
