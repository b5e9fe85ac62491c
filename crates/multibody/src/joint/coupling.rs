//! Couplings: linear relations between coordinates of joints, as of gears, racks and screws.
//!
//! ```text
//! g = Σ c_k u_k = 0 ,     ġ = Σ c_k u̇_k ,     Q_k = −λ c_k
//! ```
//!
//! u_k is a [`Coordinate`] of a joint, from its zero; angles are counted through whole turns. Q_k acts
//! between the ends of joint k along u_k, so that a coupling does no work and keeps the momenta of the
//! bodies.
//!
//! An angle is known up to whole turns. They follow from the last accepted state at t_0, of angle u_0 and
//! rate u̇_0: u is the value next to u_0 + ½ (u̇_0 + u̇)(t − t_0). A step may thus go through several turns
//! at a steady rate; only a change of the rate within the step of more than about 2π/(t − t_0) would lose a
//! turn.

use super::row::Row;
use super::{Constraints, Coordinate, JointKind, Place};
use crate::bodies::BodiesAt;
use crate::body::Body;
use carom_dynamics::{Checkpoint, CheckpointError};

/// Name of the entry of angles in checkpoints.
const ANGLES: &str = "coupled_angles";

/// A linear relation between coordinates of joints: Σ c_k u_k = 0.
#[derive(Debug, Clone, PartialEq)]
pub struct Coupling {
    /// Name, as shown to the user.
    pub name: String,
    /// The coordinates, one or more.
    pub terms: Vec<CouplingTerm>,
}

/// A coordinate with its factor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CouplingTerm {
    /// Index of the joint.
    pub joint: usize,
    /// A coordinate that the joint leaves free.
    pub coordinate: Coordinate,
    /// c ≠ 0. Factors of lengths and angles may have different units; only their ratios matter.
    pub factor: f64,
}

/// A coupling that makes no sense.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CouplingError {
    /// It names a joint that does not exist, or none.
    #[error("coupling `{coupling}`: term {term} names joint {joint}, but there are {joints}")]
    NoSuchJoint {
        /// Its name.
        coupling: String,
        /// Number of the term, from 0.
        term: usize,
        /// Index it names.
        joint: usize,
        /// Number of joints.
        joints: usize,
    },
    /// A joint does not leave the coordinate free.
    #[error(
        "coupling `{coupling}`: joint `{joint}` is {kind} and leaves {} free; an angle belongs to a revolute \
         or cylindrical joint, a shift to a prismatic or cylindrical one",
        if *is_angle { "no angle" } else { "no shift" }
    )]
    Held {
        /// Its name.
        coupling: String,
        /// Name of the joint.
        joint: String,
        /// Kind of the joint.
        kind: &'static str,
        /// True for an angle.
        is_angle: bool,
    },
    /// A factor that is zero or not finite, or no term at all.
    #[error("coupling `{coupling}`: it needs terms with factors that are finite and not zero")]
    Factors {
        /// Its name.
        coupling: String,
    },
    /// Two terms have the same coordinate.
    #[error("coupling `{coupling}`: it names the same coordinate of joint `{joint}` twice; add its factors")]
    Twice {
        /// Its name.
        coupling: String,
        /// Name of the joint.
        joint: String,
    },
}

/// The coordinate of a term at the last accepted state.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Counted {
    /// With whole turns of angles \[m or rad\].
    value: f64,
    /// \[m/s or rad/s\].
    rate: f64,
}

/// Coordinates of all terms at the last accepted state.
#[derive(Debug, Clone, Default)]
pub(super) struct CoupledAngles {
    /// One list for each coupling.
    terms: Vec<Vec<Counted>>,
    /// Time of the state \[s\].
    time: f64,
}

impl CoupledAngles {
    /// The value of a coordinate with whole turns at a time, from its value within a turn and its rate.
    pub(super) fn value(
        &self,
        [coupling, term]: [usize; 2],
        coordinate: Coordinate,
        [value, rate]: [f64; 2],
        time: f64,
    ) -> f64 {
        let last = self.terms[coupling][term];
        coordinate.counted(value, last.value + 0.5 * (last.rate + rate) * (time - self.time))
    }
}

impl Constraints {
    /// Couples coordinates of joints.
    ///
    /// # Errors
    ///
    /// [`CouplingError`] names the coupling that does not fit.
    pub(crate) fn set_couplings(
        &mut self,
        mut couplings: Vec<Coupling>,
        bodies: &[Body],
    ) -> Result<(), CouplingError> {
        for coupling in &mut couplings {
            self.check_coupling(coupling)?;
            normalise(coupling);
        }
        let of = |(k, coupling): (usize, &Coupling)| {
            let is_length = coupling.terms.iter().any(|term| !term.coordinate.is_angle());
            (coupling.terms[0].joint, Row::Coupled { coupling: k, is_length })
        };
        // Before the drives, so that an equation that a drive repeats is found at the drive.
        let mut rows = self.rows.clone();
        let driven = rows.iter().position(|(_, row)| matches!(row, Row::Driven(..)));
        let at = driven.unwrap_or(rows.len());
        rows.splice(at..at, couplings.iter().enumerate().map(of));
        let terms = couplings.iter().map(|coupling| vec![Counted::default(); coupling.terms.len()]);
        self.coupled = CoupledAngles { terms: terms.collect(), time: 0.0 };
        self.couplings = couplings;
        self.set_rows(rows, bodies);
        Ok(())
    }

    fn check_coupling(&self, coupling: &Coupling) -> Result<(), CouplingError> {
        let name = || coupling.name.clone();
        let is_finite = coupling.terms.iter().all(|term| term.factor != 0.0 && term.factor.is_finite());
        if coupling.terms.is_empty() || !is_finite {
            return Err(CouplingError::Factors { coupling: name() });
        }
        for (number, term) in coupling.terms.iter().enumerate() {
            let Some(joint) = self.joints.get(term.joint) else {
                let (joint, joints) = (term.joint, self.joints.len());
                return Err(CouplingError::NoSuchJoint { coupling: name(), term: number, joint, joints });
            };
            let is_free = match term.coordinate {
                Coordinate::Angle => matches!(joint.kind, JointKind::Revolute | JointKind::Cylindrical),
                Coordinate::Shift { .. } => {
                    matches!(joint.kind, JointKind::Prismatic | JointKind::Cylindrical)
                }
                Coordinate::Length => false,
            };
            let (kind, is_angle) = (joint.kind.name(), term.coordinate.is_angle());
            let joint = || joint.name.clone();
            if !is_free {
                return Err(CouplingError::Held { coupling: name(), joint: joint(), kind, is_angle });
            }
            let same =
                |other: &CouplingTerm| other.joint == term.joint && other.coordinate.is_angle() == is_angle;
            if coupling.terms[..number].iter().any(same) {
                return Err(CouplingError::Twice { coupling: name(), joint: joint() });
            }
        }
        Ok(())
    }

    /// The value Σ c_k u_k of a coupling at the places that were set last.
    pub(super) fn coupled_value(&self, coupling: usize, time: f64) -> f64 {
        let terms = self.couplings[coupling].terms.iter().enumerate();
        terms.map(|(k, term)| term.factor * self.coupled_at(coupling, k, time).0).sum()
    }

    /// Value and rate of the coordinate of a term at the places that were set last.
    pub(super) fn coupled_at(&self, coupling: usize, k: usize, time: f64) -> (f64, f64) {
        let term = &self.couplings[coupling].terms[k];
        let [first, second] = &self.places[term.joint];
        let now = term.coordinate.at(first, second);
        let rate = now.rate(first, second);
        (self.coupled.value([coupling, k], term.coordinate, [now.value, rate], time), rate)
    }

    /// True if angles are coupled, whose turns are counted.
    pub(crate) fn counts_turns(&self) -> bool {
        !self.couplings.is_empty()
    }

    /// Takes the coordinates of an accepted state as those from which the next step starts.
    pub(crate) fn remember(&mut self, at: BodiesAt<'_>) {
        let Self { joints, couplings, coupled, .. } = self;
        for (coupling, all) in couplings.iter().enumerate() {
            for (k, term) in all.terms.iter().enumerate() {
                let [first, second] = joints[term.joint].ends.each_ref().map(|end| Place::of(end, at));
                let now = term.coordinate.at(&first, &second);
                let rate = now.rate(&first, &second);
                let value = coupled.value([coupling, k], term.coordinate, [now.value, rate], at.time());
                coupled.terms[coupling][k] = Counted { value, rate };
            }
        }
        coupled.time = at.time();
    }

    /// Adds the coupled angles to a checkpoint.
    pub(crate) fn save(&self, checkpoint: &mut Checkpoint) {
        if self.counts_turns() {
            let values: Vec<f64> = self.coupled.terms.iter().flatten().map(|term| term.value).collect();
            checkpoint.put_reals(ANGLES, &values);
        }
    }

    /// Restores the coupled angles from a checkpoint at its time, before [`Constraints::remember`].
    ///
    /// # Errors
    ///
    /// [`CheckpointError`] if they are not those of these couplings.
    pub(crate) fn restore(&mut self, checkpoint: &Checkpoint) -> Result<(), CheckpointError> {
        if self.counts_turns() {
            let terms = self.coupled.terms.iter_mut().flatten();
            let n = self.couplings.iter().map(|coupling| coupling.terms.len()).sum();
            let values = checkpoint.reals_of(ANGLES, n)?;
            terms.zip(values).for_each(|(term, value)| *term = Counted { value: *value, rate: 0.0 });
            self.coupled.time = checkpoint.time;
        }
        Ok(())
    }
}

/// Scales the factors so that the largest of the lengths, or of the angles without lengths, is 1: the value
/// of the row is then a length or an angle.
fn normalise(coupling: &mut Coupling) {
    let largest = |is_angle: bool| {
        let terms = coupling.terms.iter().filter(move |term| term.coordinate.is_angle() == is_angle);
        terms.map(|term| term.factor.abs()).fold(0.0, f64::max)
    };
    let scale = [largest(false), largest(true)].into_iter().find(|scale| *scale > 0.0).unwrap_or(1.0);
    coupling.terms.iter_mut().for_each(|term| term.factor /= scale);
}
