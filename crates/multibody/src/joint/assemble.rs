//! Joints at the start: rows that repeat others are found and left out, bodies are moved until their joints close.

use super::project::{DRIFT, ProjectError};
use super::row::Row;
use super::{Constraints, Joint, SpecError};
use crate::system::System;

/// Violation of a row that was left out, above which it contradicts the others.
const CONTRADICTION: f64 = 1e-8;

/// What the joints of a system came to at its start.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Assembly {
    /// Joints with equations that the others already hold, and how many.
    pub redundant: Vec<(String, usize)>,
    /// How far bodies were moved until the joints closed \[m\].
    pub moved: f64,
}

/// Joints that cannot be closed.
#[derive(Debug, thiserror::Error)]
pub enum AssemblyError {
    /// Positions or velocities cannot be brought to the joints.
    #[error(transparent)]
    Project(#[from] ProjectError),
    /// A motion drives what joints hold already.
    #[error(
        "joint `{joint}`: its motion drives what the joints, or other drives, hold already; take the motion away, or a joint that holds it"
    )]
    Driven {
        /// Name of the joint.
        joint: String,
    },
    /// A joint contradicts others.
    #[error(
        "joint `{joint}` contradicts the other joints: what they leave free does not close it ({violation:.3e} are left over); look at its ends and \
         its axis"
    )]
    Contradiction {
        /// Name of the joint.
        joint: String,
        /// What is left over, metres or the cosine of an angle.
        violation: f64,
    },
}

impl System {
    /// The same system with joints between its bodies.
    ///
    /// # Errors
    ///
    /// [`SpecError`] names the joint that does not fit.
    pub fn with_joints(mut self, joints: Vec<Joint>) -> Result<Self, SpecError> {
        self.constraints = Constraints::new(joints, &self.bodies)?;
        Ok(self)
    }

    /// Brings the state y to the joints at t = 0: positions, then velocities, by the least change in the metric of the masses. Equations that
    /// repeat others are left out from here on.
    ///
    /// # Errors
    ///
    /// [`AssemblyError`]; the system is then unusable.
    pub fn assemble(&mut self, y: &mut [f64]) -> Result<Assembly, AssemblyError> {
        let mut assembly = Assembly::default();
        let mut left_out: Vec<(usize, Row)> = Vec::new();
        // Where bodies were moved, other rows may repeat each other.
        loop {
            let found = self.leave_out_dependent(y)?;
            let none = found.is_empty();
            left_out.extend(found);
            let projection = self.project(0.0, y, DRIFT)?;
            assembly.moved += projection.moved;
            if none && projection.moved == 0.0 {
                break;
            }
        }
        self.check_left_out(&left_out, y)?;
        for (k, joint) in self.constraints.joints.iter().enumerate() {
            let count = left_out.iter().filter(|(joint, _)| *joint == k).count();
            if count > 0 {
                assembly.redundant.push((joint.name.clone(), count));
            }
        }
        Ok(assembly)
    }

    /// Leaves out rows that those before them determine at y.
    fn leave_out_dependent(&mut self, y: &[f64]) -> Result<Vec<(usize, Row)>, AssemblyError> {
        let mut left_out = Vec::new();
        loop {
            if self.constraints.is_empty() {
                return Ok(left_out);
            }
            self.set_state(y).map_err(ProjectError::from)?;
            self.set_joints(0.0, y);
            match self.constraints.factorise() {
                Ok(()) => return Ok(left_out),
                Err(dependent) => {
                    let mut rows = self.constraints.rows.clone();
                    let row = rows.remove(dependent.row);
                    if let (joint, Row::Driven(..)) = row {
                        let joint = self.constraints.joints[joint].name.clone();
                        return Err(AssemblyError::Driven { joint });
                    }
                    left_out.push(row);
                    self.constraints.set_rows(rows, &self.bodies);
                }
            }
        }
    }

    /// Rows that were left out must hold all the same.
    fn check_left_out(&mut self, left_out: &[(usize, Row)], y: &[f64]) -> Result<(), AssemblyError> {
        if left_out.is_empty() {
            return Ok(());
        }
        self.set_state(y).map_err(ProjectError::from)?;
        self.set_joints(0.0, y);
        let size = self.constraints.size();
        for &(joint, row) in left_out {
            let [first, second] = &self.constraints.places[joint];
            let now = row.at(first, second);
            let scale = if row.is_length() { size } else { 1.0 };
            if now.value.abs() > CONTRADICTION * scale {
                let joint = self.constraints.joints[joint].name.clone();
                return Err(AssemblyError::Contradiction { joint, violation: now.value.abs() });
            }
        }
        Ok(())
    }
}
