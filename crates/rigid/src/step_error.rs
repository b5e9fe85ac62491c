//! Errors of a step.

use carom_contact::solver::{FrictionError, LcpError};
use thiserror::Error;

use crate::turn::TooFast;

/// Why the contacts of a step have no solution.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum Unsolved {
    /// Multipliers and springs.
    #[error(
        "the impulses of {contacts} contacts do not converge: the error of their laws is {missed:.1e} of the \
         largest velocity or impulse"
    )]
    Impulses {
        /// Number of contacts.
        contacts: usize,
        /// Error of the laws, relative to the largest velocity or impulse.
        missed: f64,
    },
    /// Friction.
    #[error(
        "the friction of {contacts} contacts does not converge: the error of their laws is {missed:.1e} of \
         the largest velocity or impulse"
    )]
    Friction {
        /// Number of contacts.
        contacts: usize,
        /// Error of the laws, relative to the largest velocity or impulse.
        missed: f64,
    },
    /// Joints.
    #[error(
        "the impulses of {joints} joints do not converge: an equation is off by {missed:.1e} of the motion \
         in the step"
    )]
    Joints {
        /// Number of joints.
        joints: usize,
        /// Error of an equation, relative to the motion in the step.
        missed: f64,
    },
    /// The motion of a joint passes a hard stop of its coordinate.
    #[error(
        "joint `{joint}`: its motion passes its stop at {limit:.6e} {unit} with {rate:.3e} {unit}/s, and \
         neither can give way: keep `motion` between the stops until the end of the run, or give the stops a \
         `stiffness`, against which the motion works",
        unit = if *is_length { "m" } else { "rad" }
    )]
    MotionBeyondStop {
        /// Name of the joint.
        joint: String,
        /// When it does \[s\].
        time: f64,
        /// The stop \[m or rad\].
        limit: f64,
        /// Rate of the motion \[m/s or rad/s\].
        rate: f64,
        /// True for a length, false for an angle.
        is_length: bool,
    },
    /// A hard stop of a coordinate that joints and motions decide.
    #[error(
        "joint `{joint}`: other joints and motions hold its coordinate, which passes its stop at \
         {limit:.6e} {unit} with {rate:.3e} {unit}/s, and nothing can give way: keep the motion that moves \
         it between the stops until the end of the run, or give the stops a `stiffness`, against which the \
         motion works",
        unit = if *is_length { "m" } else { "rad" }
    )]
    HeldStop {
        /// Name of the joint.
        joint: String,
        /// The stop \[m or rad\].
        limit: f64,
        /// Rate at which the coordinate passes it \[m/s or rad/s\].
        rate: f64,
        /// True for a length, false for an angle.
        is_length: bool,
    },
    /// A hard contact of bodies that joints and motions hold.
    #[error(
        "joints and motions hold the bodies of a contact, which closes with {speed:.3e} m/s, and nothing can \
         give way: change the motion, or give the contact a stiffness, `law = {{ kind = \"penalty\", \
         point_stiffness = .. }}`"
    )]
    HeldContact {
        /// Numbers of the bodies.
        bodies: [Option<usize>; 2],
        /// Speed at which the bodies approach each other \[m/s\].
        speed: f64,
    },
    /// Hard contacts that motions close together, through the bodies between them.
    #[error(
        "motions of joints press these bodies together: their contacts close with {speed:.3e} m/s, and no \
         impulse can part them, as nothing can give way: change the motion, or give the contacts a \
         stiffness, `law = {{ kind = \"penalty\", point_stiffness = .. }}`"
    )]
    Squeezed {
        /// Numbers of the bodies.
        bodies: Vec<usize>,
        /// Speed at which the contacts close, by the largest impulse \[m/s\].
        speed: f64,
    },
    /// A body turns too far.
    #[error(
        "the body turns by {:.0} degrees or more within a step",
        angle.to_degrees()
    )]
    Turn {
        /// Number of the body.
        body: usize,
        /// Angle reached \[rad\].
        angle: f64,
    },
    /// The complementarity problem.
    #[error(transparent)]
    Lcp(#[from] LcpError),
    /// The problem with friction.
    #[error(transparent)]
    Cone(#[from] FrictionError),
}

impl From<(usize, TooFast)> for Unsolved {
    fn from((body, TooFast { angle }): (usize, TooFast)) -> Self {
        Self::Turn { body, angle }
    }
}

/// A step without a solution: its time, its bodies and the reason.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("at t = {time:.9e} s: {}{source}{}", whose(bodies), self.remedy())]
pub struct StepError {
    /// Start of the step, or when a motion passes a stop \[s\].
    pub time: f64,
    /// Names of the bodies that turn too fast or touch.
    pub bodies: Vec<String>,
    /// The reason.
    pub source: Unsolved,
}

impl StepError {
    /// True if the scenario contradicts itself, whatever the steps are.
    pub fn is_contradiction(&self) -> bool {
        self.source.is_contradiction()
    }

    /// The end of the message.
    fn remedy(&self) -> &'static str {
        if self.is_contradiction() { "" } else { ": shorten the step (`simulation.time_step`)" }
    }
}

impl Unsolved {
    /// True if no step has a solution, however short it is.
    pub(crate) fn is_contradiction(&self) -> bool {
        matches!(
            self,
            Self::MotionBeyondStop { .. }
                | Self::HeldStop { .. }
                | Self::HeldContact { .. }
                | Self::Squeezed { .. }
        )
    }
}

/// Largest number of bodies that a message names.
const NAMED: usize = 6;

fn whose(bodies: &[String]) -> String {
    let names: Vec<String> = bodies.iter().take(NAMED).map(|name| format!("`{name}`")).collect();
    match (bodies.len(), bodies.len().saturating_sub(NAMED)) {
        (0, _) => String::new(),
        (_, 0) => format!("{}: ", names.join(", ")),
        (_, more) => format!("{} and {more} others: ", names.join(", ")),
    }
}
