//! Small oscillations about the equilibrium in which a run starts, as rows of the database.

use rusqlite::{Row, params};

use super::{ResultError, ResultReader, schema};

/// A small oscillation about an equilibrium.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredMode {
    /// Without damping; −|ω|/2π of a motion that grows as exp(|ω| t) \[Hz\].
    pub frequency: f64,
    /// Damping ratio, where modes have one each.
    pub damping_ratio: Option<f64>,
    /// The body that moves most, and how.
    pub motion: String,
    /// Effective mass along the inertial axes \[kg\].
    pub effective_mass: [f64; 3],
    /// Share of each body in the kinetic energy.
    pub shares: Vec<f64>,
}

/// Writes all modes.
pub(super) fn write(database: &rusqlite::Connection, modes: &[StoredMode]) -> rusqlite::Result<()> {
    for (id, mode) in modes.iter().enumerate() {
        let [x, y, z] = mode.effective_mass;
        let row = params![id as i64, mode.frequency, mode.damping_ratio, mode.motion, x, y, z];
        database.execute(&schema::insert("mode", 7), row)?;
        for (body, share) in mode.shares.iter().enumerate() {
            let row = params![id as i64, body as i64, share];
            database.execute(&schema::insert("mode_body", 3), row)?;
        }
    }
    Ok(())
}

impl ResultReader {
    /// Small oscillations about the equilibrium in which the run starts, in ascending order of their
    /// frequencies; none in results before version 1.11 and of other starts.
    ///
    /// # Errors
    ///
    /// [`ResultError`]
    pub fn modes(&self) -> Result<Vec<StoredMode>, ResultError> {
        if !self.has_table("mode")? {
            return Ok(Vec::new());
        }
        let mut modes = self.rows("SELECT * FROM mode ORDER BY id", read)?;
        let sql = "SELECT mode, share FROM mode_body ORDER BY mode, body";
        for (mode, share) in self.rows(sql, |row| Ok((row.get::<_, i64>(0)?, row.get(1)?)))? {
            let of = usize::try_from(mode).ok().and_then(|mode| modes.get_mut(mode));
            of.ok_or_else(|| self.damaged("mode_body", format!("no mode {mode}")))?.shares.push(share);
        }
        Ok(modes)
    }
}

fn read(row: &Row<'_>) -> rusqlite::Result<StoredMode> {
    Ok(StoredMode {
        frequency: row.get(1)?,
        damping_ratio: row.get(2)?,
        motion: row.get(3)?,
        effective_mass: [row.get(4)?, row.get(5)?, row.get(6)?],
        shares: Vec::new(),
    })
}
