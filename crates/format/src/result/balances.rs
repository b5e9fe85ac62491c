//! Energies and momenta of the bodies, frame by frame, as rows of the database.

use carom_dynamics::{BodyBalance, BodyState};
use rusqlite::{Row, params};

use super::{ResultError, ResultReader, schema};

/// Energies and momenta of a body in a frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StoredBalance {
    /// Number of the frame.
    pub frame: usize,
    /// Number of the body.
    pub body: usize,
    /// Its energies and momenta.
    pub balance: BodyBalance,
}

/// Writes the balances of the bodies in a frame that have one.
pub(super) fn write_frame(
    database: &rusqlite::Connection,
    frame: i64,
    bodies: &[BodyState],
) -> rusqlite::Result<()> {
    for (body, state) in bodies.iter().enumerate() {
        let Some(BodyBalance { e_kin, e_el, e_pot, momentum, ang_momentum }) = state.balance else {
            continue;
        };
        let ([px, py, pz], [lx, ly, lz]) = (momentum, ang_momentum);
        let mut statement = database.prepare_cached(&schema::insert("body_balance", 11))?;
        statement.execute(params![frame, body as i64, e_kin, e_el, e_pot, px, py, pz, lx, ly, lz])?;
    }
    Ok(())
}

impl ResultReader {
    /// Energies and momenta of the bodies in the order of the frames, then of the bodies; none in results
    /// before version 1.11 and of schemes that balance all bodies together.
    ///
    /// # Errors
    ///
    /// [`ResultError`]
    pub fn body_balances(&self) -> Result<Vec<StoredBalance>, ResultError> {
        if !self.has_table("body_balance")? {
            return Ok(Vec::new());
        }
        self.rows("SELECT * FROM body_balance ORDER BY frame, body", read)
    }

    /// Adds the energies and momenta of the bodies in a frame.
    pub(super) fn read_balances(&self, frame: i64, bodies: &mut [BodyState]) -> Result<(), ResultError> {
        if !self.has_table("body_balance")? {
            return Ok(());
        }
        let sql = "SELECT * FROM body_balance WHERE frame = ?1";
        for StoredBalance { body, balance, .. } in self.of_id(sql, frame, read)? {
            let state = bodies.get_mut(body);
            let state = state.ok_or_else(|| self.damaged("body_balance", format!("no body {body}")))?;
            state.balance = Some(balance);
        }
        Ok(())
    }
}

fn read(row: &Row<'_>) -> rusqlite::Result<StoredBalance> {
    Ok(StoredBalance {
        frame: row.get::<_, i64>(0)? as usize,
        body: row.get::<_, i64>(1)? as usize,
        balance: BodyBalance {
            e_kin: row.get(2)?,
            e_el: row.get(3)?,
            e_pot: row.get(4)?,
            momentum: [row.get(5)?, row.get(6)?, row.get(7)?],
            ang_momentum: [row.get(8)?, row.get(9)?, row.get(10)?],
        },
    })
}
