//! Damping of a body as data.

use carom_reduce::{Damping, DampingRatio};
use serde::Serialize;

/// The ratio to critical damping.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum RatioSpec {
    /// The same for all modes.
    Constant(f64),
    /// Pairs of frequency \[Hz\] and ratio.
    Table(Vec<[f64; 2]>),
}

impl Default for RatioSpec {
    fn default() -> Self {
        Self::Constant(0.0)
    }
}

impl RatioSpec {
    /// As the reduction takes it.
    pub fn ratio(&self) -> DampingRatio {
        match self {
            Self::Constant(ratio) => DampingRatio::Constant(*ratio),
            Self::Table(pairs) => DampingRatio::Table(pairs.clone()),
        }
    }
}

/// `damping = { ratio = …, mass = …, stiffness = … }`: the parts add up.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct DampingSpec {
    /// Ratio of each mode.
    pub ratio: RatioSpec,
    /// α of Rayleigh's α M + β K \[1/s\].
    pub mass: f64,
    /// β of it \[s\].
    pub stiffness: f64,
}

impl DampingSpec {
    /// As bodies take it.
    pub fn damping(&self) -> Damping {
        Damping { mass: self.mass, stiffness: self.stiffness, ratio: self.ratio.ratio() }
    }
}
