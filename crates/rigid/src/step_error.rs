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
#[error("at t = {time:.9e} s: {}{source}: shorten the step (`simulation.time_step`)", whose(bodies))]
pub struct StepError {
    /// Start of the step \[s\].
    pub time: f64,
    /// Names of the bodies that turn too fast or touch.
    pub bodies: Vec<String>,
    /// The reason.
    pub source: Unsolved,
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
