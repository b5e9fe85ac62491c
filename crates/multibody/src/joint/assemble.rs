//! Joints at the start: rows that repeat others are found and left out, bodies are moved until their joints
//! close.

use carom_dynamics::JointEquation;
use nalgebra::Vector3;

use super::Constraints;
use super::project::{DRIFT, ProjectError};
use super::reactions::SMALLEST_PIVOT;
use super::row::Row;
use super::row_now::RowNow;
use crate::bodies::Bodies;
use crate::layout::put;
use crate::system_error::RateError;

/// Violation of a row that was left out, above which it contradicts the others.
const CONTRADICTION: f64 = 1e-8;

/// Elastic displacement of the end of a joint, over the size of its body, above which the joints contradict
/// each other: no linear body is deformed that far.
const STRETCHED: f64 = 0.1;

/// Outcome of the assembly of a system's joints at its start.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Assembly {
    /// Joints with equations that the others already hold, and how many.
    pub redundant: Vec<(String, usize)>,
    /// How far bodies, or ends of joints on them, were moved until the joints closed \[m\].
    pub moved: f64,
    /// True if the ends of joints did not meet where the bodies were placed; false if motions alone moved
    /// them.
    pub apart: bool,
    /// Strain energy of the bodies where rigid motions do not close the joints \[J\].
    pub strain_energy: f64,
    /// Motions that begin elsewhere than where the bodies are placed.
    pub displaced: Vec<Displaced>,
    /// Size of the bodies that the joints connect \[m\]: figures of a scenario are rounded to some part of
    /// it.
    pub size: f64,
}

/// A motion that begins elsewhere than where the bodies are placed.
#[derive(Debug, Clone, PartialEq)]
pub struct Displaced {
    /// Name of the joint.
    pub joint: String,
    /// Its coordinate at the start less the value of the motion there \[m or rad\].
    pub offset: f64,
    /// True for an angle.
    pub is_angle: bool,
}

/// Called with bodies and state after a projection.
type Follow<'a> = dyn FnMut(&mut Bodies, &[f64]) -> Result<(), RateError> + 'a;

/// Joints that cannot be closed.
#[derive(Debug, thiserror::Error)]
pub enum AssemblyError {
    /// Positions or velocities cannot be brought to the joints.
    #[error(transparent)]
    Project(#[from] ProjectError),
    /// A motion drives a coordinate that joints hold already.
    #[error(
        "joint `{joint}`: its motion drives a coordinate that the joints, or other drives, hold already; \
         remove the motion, or a joint that holds it"
    )]
    Driven {
        /// Name of the joint.
        joint: String,
    },
    /// Joints close by a deformation beyond linear theory.
    #[error(
        "joint `{joint}`: the joints close only if body `{body}` is deformed by {displacement:.3e} m at this \
         joint, {:.0} % of its size ({size:.3e} m): they contradict each other; check their ends and axes \
         and the placement of the bodies",
        100.0 * displacement / size
    )]
    Stretched {
        /// Name of the joint.
        joint: String,
        /// Name of the body.
        body: String,
        /// Elastic displacement of its end \[m\].
        displacement: f64,
        /// Size of the body \[m\].
        size: f64,
    },
    /// A joint contradicts others.
    #[error(
        "joint `{joint}` contradicts the other joints: the motion that they leave free does not \
         close it ({violation:.3e} remains); check its ends and its axis"
    )]
    Contradiction {
        /// Name of the joint.
        joint: String,
        /// The remaining violation, in metres or as the cosine of an angle.
        violation: f64,
    },
}

impl Constraints {
    /// Projects the state y to the joints at t = 0, positions, then velocities: by rigid motions of the
    /// bodies, then by the least change in the metric of the masses. Equations that repeat others are left
    /// out from here on.
    ///
    /// * `follow` — called after each projection, for parts with a memory of earlier positions
    ///
    /// # Errors
    ///
    /// [`AssemblyError`]; the system is then unusable.
    pub(crate) fn assemble(
        &mut self,
        bodies: &mut Bodies,
        y: &mut [f64],
        follow: &mut Follow<'_>,
    ) -> Result<Assembly, AssemblyError> {
        let mut assembly = Assembly::default();
        let mut left_out: Vec<(usize, Row)> = Vec::new();
        bodies.set_state(y).map_err(ProjectError::from)?;
        self.set_state(bodies.at(0.0, y));
        (assembly.apart, assembly.displaced) = self.gaps_at_start();
        assembly.size = self.size();
        let placed = self.joined_points(bodies);
        self.close_rigidly(bodies, y).map_err(ProjectError::from)?;
        // Where bodies were moved, other rows may repeat each other.
        loop {
            let found = self.leave_out_dependent(bodies, y)?;
            let none = found.is_empty();
            left_out.extend(found);
            let projection = self.project(bodies, 0.0, y, DRIFT)?;
            bodies.set_state(y).map_err(ProjectError::from)?;
            self.remember(bodies.at(0.0, y));
            follow(bodies, y).map_err(ProjectError::from)?;
            if none && projection.moved == 0.0 {
                break;
            }
        }
        self.check_left_out(bodies, &left_out, y)?;
        self.check_shapes(bodies)?;
        bodies.set_state(y).map_err(ProjectError::from)?;
        self.set_state(bodies.at(0.0, y));
        self.choose_order(bodies);
        let moved = self.joined_points(bodies).into_iter().zip(placed).map(|(now, then)| (now - then).norm());
        assembly.moved = moved.fold(0.0, f64::max);
        assembly.strain_energy = (0..bodies.all().len()).map(|i| bodies.elastic_energy(i, y)).sum();
        reset_impulses(bodies, y);
        let rows = |k: usize| left_out.iter().filter(move |(joint, row)| *joint == k && !row.is_coupled());
        let of_joints =
            self.joints.iter().enumerate().map(|(k, joint)| (joint.name.clone(), rows(k).count()));
        let coupled = left_out.iter().filter(|(_, row)| row.is_coupled());
        let of_couplings = coupled.map(|&row| (self.name_of(row).to_owned(), 1));
        assembly.redundant = of_joints.filter(|(_, count)| *count > 0).chain(of_couplings).collect();
        Ok(assembly)
    }

    /// Origins of the bodies that joints are on, and ends of the joints, at the state that was set last
    /// \[m\].
    fn joined_points(&self, bodies: &Bodies) -> Vec<Vector3<f64>> {
        let ends = self.joints.iter().zip(&self.places);
        let points = ends.flat_map(|(joint, places)| joint.ends.iter().zip(places));
        points
            .flat_map(|(end, place)| [Some(place.position), end.body.map(|body| bodies.pose(body).position)])
            .flatten()
            .collect()
    }

    /// Leaves out rows that those before them determine at y.
    fn leave_out_dependent(
        &mut self,
        bodies: &mut Bodies,
        y: &[f64],
    ) -> Result<Vec<(usize, Row)>, AssemblyError> {
        let mut left_out = Vec::new();
        loop {
            if self.is_empty() {
                return Ok(left_out);
            }
            bodies.set_state(y).map_err(ProjectError::from)?;
            self.set_state(bodies.at(0.0, y));
            match self.factorise_above(SMALLEST_PIVOT, bodies) {
                Ok(()) => {
                    self.keep_pivots();
                    return Ok(left_out);
                }
                Err(dependent) => {
                    let mut rows = self.rows.clone();
                    if turn_with_first_end(&mut rows, dependent.row) {
                        self.set_rows(rows, bodies.all());
                        continue;
                    }
                    let row = rows.remove(dependent.row);
                    if let (joint, Row::Driven(..)) = row {
                        let joint = self.joints[joint].name.clone();
                        return Err(AssemblyError::Driven { joint });
                    }
                    left_out.push(row);
                    self.set_rows(rows, bodies.all());
                }
            }
        }
    }

    /// No body is deformed beyond linear theory by closing the joints, at the state that was set last.
    fn check_shapes(&self, bodies: &Bodies) -> Result<(), AssemblyError> {
        let Self { joints, places, .. } = self;
        for (joint, places) in joints.iter().zip(places) {
            for (end, place) in joint.ends.iter().zip(places) {
                let Some(body) = end.body else { continue };
                let displacement = (place.arm_b - Vector3::from(end.marker.position_b)).norm();
                let size = 2.0 * bodies.all()[body].frame.gyration_radius();
                if displacement > STRETCHED * size {
                    let (joint, body) = (joint.name.clone(), bodies.all()[body].name.clone());
                    return Err(AssemblyError::Stretched { joint, body, displacement, size });
                }
            }
        }
        Ok(())
    }

    /// Rows that were left out must hold all the same.
    fn check_left_out(
        &mut self,
        bodies: &mut Bodies,
        left_out: &[(usize, Row)],
        y: &[f64],
    ) -> Result<(), AssemblyError> {
        if left_out.is_empty() {
            return Ok(());
        }
        bodies.set_state(y).map_err(ProjectError::from)?;
        self.set_state(bodies.at(0.0, y));
        let size = self.size();
        for &(joint, row) in left_out {
            let [first, second] = &self.places[joint];
            let value = match row {
                Row::Kept(equation) => RowNow::of(equation, first, second).value,
                Row::Coupled { coupling, .. } => self.coupled_value(coupling, 0.0),
                // A drive that repeats others is an error.
                Row::Driven(..) => continue,
            };
            let scale = if row.is_length() { size } else { 1.0 };
            if value.abs() > CONTRADICTION * scale {
                let joint = self.name_of((joint, row)).to_owned();
                return Err(AssemblyError::Contradiction { joint, violation: value.abs() });
            }
        }
        Ok(())
    }

    /// Whether joints are open where bodies are placed, and motions that begin elsewhere, at the state that
    /// was set last.
    fn gaps_at_start(&self) -> (bool, Vec<Displaced>) {
        let size = self.size();
        let mut displaced = Vec::new();
        let mut apart = false;
        for (&(joint, row), now) in self.rows.iter().zip(&self.now) {
            let scale = if row.is_length() { size } else { 1.0 };
            if now.value.abs() <= DRIFT * scale {
                continue;
            }
            if let Row::Driven(_, coordinate) = row {
                let joint = self.joints[joint].name.clone();
                displaced.push(Displaced { joint, offset: now.value, is_angle: coordinate.is_angle() });
            } else {
                apart = true;
            }
        }
        (apart, displaced)
    }
}

/// Lets the equations that hold the ends of a joint together act along the axes of its first end, if `row` is
/// one of them along inertial axes; true if it is.
///
/// A plane linkage that turns in space repeats the equation across its plane in all positions. Along inertial
/// axes this would be another equation after a quarter of a turn.
fn turn_with_first_end(rows: &mut [(usize, Row)], row: usize) -> bool {
    let (joint, Row::Kept(JointEquation::Apart(_))) = rows[row] else { return false };
    for (_, row) in rows.iter_mut().filter(|(other, _)| *other == joint) {
        if let Row::Kept(JointEquation::Apart(axis)) = *row {
            *row = Row::Kept(JointEquation::Along(axis));
        }
    }
    true
}

/// Sets the impulses of joints to zero: those that brought momenta to the joints do not belong to the run.
pub(crate) fn reset_impulses(bodies: &Bodies, y: &mut [f64]) {
    let layout = bodies.layout();
    let zero = Vector3::zeros();
    let held = bodies.all().iter().enumerate().filter(|(_, body)| body.fixed);
    let of_held = held.flat_map(|(i, _)| [layout.momentum(i), layout.ang_momentum(i)]);
    let all = of_held.chain([layout.external_impulse(), layout.external_ang_impulse()]);
    all.for_each(|start| put(y, start, &zero));
}
