//! The harmonic response about an equilibrium, as data.

use serde::Serialize;

use super::End;

/// The table `[response]`: frequencies at which probes on points respond to a harmonic excitation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ResponseSpec {
    /// The excitation.
    #[serde(flatten)]
    pub excitation: ExcitationSpec,
    /// Lowest frequency \[Hz\].
    pub from: f64,
    /// Highest frequency \[Hz\].
    pub to: f64,
    /// Number of frequencies, in equal ratios.
    pub count: usize,
}

/// A harmonic excitation with these amplitudes.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum ExcitationSpec {
    /// A force at a point of a body, inertial axes.
    Load {
        /// `BODY:MARKER` or `BODY:SET`.
        on: End,
        /// \[N\].
        force: [f64; 3],
        /// \[N m\].
        torque: [f64; 3],
    },
    /// The acceleration of the ground.
    Ground {
        /// \[m/s²\].
        ground: [f64; 3],
    },
}

impl ResponseSpec {
    /// The frequencies \[Hz\].
    pub fn frequencies(&self) -> Vec<f64> {
        let last = self.count.saturating_sub(1).max(1) as f64;
        let ratio = self.to / self.from;
        (0..self.count).map(|k| self.from * ratio.powf(k as f64 / last)).collect()
    }
}
