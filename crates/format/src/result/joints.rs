//! Forces and torques of joints, frame by frame, as rows of the database.

use carom_dynamics::{JointAction, JointState};
use rusqlite::{Row, params};

use super::{ResultError, ResultJoint, ResultReader, schema};

/// Words of the two coordinates of a [`JointState`].
const COORDINATES: [&str; 2] = ["length", "angle"];

/// Force and torque of a joint in every frame.
pub type JointCourse = Vec<JointState>;

/// Writes the joints of a run, at its start.
pub(super) fn write_joints(database: &rusqlite::Connection, joints: &[ResultJoint]) -> rusqlite::Result<()> {
    for (id, joint) in joints.iter().enumerate() {
        let row = params![id as i64, joint.name, joint.kind, joint.first, joint.second];
        database.execute(&schema::insert("joint", 5), row)?;
    }
    Ok(())
}

/// Writes forces and torques of the joints in a frame.
pub(super) fn write_frame(
    database: &rusqlite::Connection,
    frame: i64,
    joints: &[JointState],
) -> rusqlite::Result<()> {
    if joints.is_empty() {
        return Ok(());
    }
    let mut wrench = database.prepare_cached(&schema::insert("joint_frame", 8))?;
    let mut acting = database.prepare_cached(&schema::insert("joint_action", 10))?;
    for (joint, state) in joints.iter().enumerate() {
        let joint = joint as i64;
        let ([fx, fy, fz], [tx, ty, tz]) = (state.force, state.torque);
        wrench.execute(params![frame, joint, fx, fy, fz, tx, ty, tz])?;
        for (coordinate, action) in COORDINATES.into_iter().zip(&state.actions) {
            let Some(action) = action else { continue };
            let JointAction { value, rate, spring, stop, drive, coupling } = *action;
            let power = action.power();
            let row = params![frame, joint, coordinate, value, rate, spring, stop, drive, power, coupling];
            acting.execute(row)?;
        }
    }
    Ok(())
}

impl ResultReader {
    /// Reads the joints of the run; none in results before version 1.2.
    pub(super) fn joints(&self) -> Result<Vec<ResultJoint>, ResultError> {
        if !self.has_table("joint")? {
            return Ok(Vec::new());
        }
        self.rows("SELECT name, kind, first, second FROM joint ORDER BY id", |row| {
            Ok(ResultJoint { name: row.get(0)?, kind: row.get(1)?, first: row.get(2)?, second: row.get(3)? })
        })
    }

    /// Force and torque of a joint in every frame, in the order of the frames; empty if there is no such
    /// joint.
    ///
    /// # Errors
    ///
    /// [`ResultError`]
    pub fn joint_course(&self, joint: usize) -> Result<JointCourse, ResultError> {
        if !self.has_table("joint")? {
            return Ok(Vec::new());
        }
        let sql = "SELECT frame, fx, fy, fz, tx, ty, tz FROM joint_frame WHERE joint = ?1 ORDER BY frame";
        let mut frames: Vec<(i64, JointState)> = self.of_id(sql, joint as i64, |row| {
            let force = [row.get(1)?, row.get(2)?, row.get(3)?];
            let torque = [row.get(4)?, row.get(5)?, row.get(6)?];
            Ok((row.get(0)?, JointState { force, torque, actions: [None; 2] }))
        })?;
        let coupling = if self.has_column("joint_action", "coupling")? { "coupling" } else { "NULL" };
        let sql = &format!(
            "SELECT frame, coordinate, value, rate, spring, stop, drive, {coupling} FROM joint_action WHERE \
             joint = ?1"
        );
        for (frame, coordinate, action) in self.of_id(sql, joint as i64, read_action)? {
            let at = frames.binary_search_by_key(&frame, |(id, _)| *id);
            let slot = COORDINATES.iter().position(|word| *word == coordinate);
            let (Ok(at), Some(slot)) = (at, slot) else {
                return Err(self.damaged("joint_action", format!("frame {frame}, `{coordinate}`")));
            };
            frames[at].1.actions[slot] = Some(action);
        }
        Ok(frames.into_iter().map(|(_, state)| state).collect())
    }
}

fn read_action(row: &Row<'_>) -> rusqlite::Result<(i64, String, JointAction)> {
    let action = JointAction {
        value: row.get(2)?,
        rate: row.get(3)?,
        spring: row.get(4)?,
        stop: row.get(5)?,
        drive: row.get(6)?,
        coupling: row.get(7)?,
    };
    Ok((row.get(0)?, row.get(1)?, action))
}
