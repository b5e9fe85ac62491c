//! Variants of the Craig-Bampton reduction, and which of them exclude each other.

use std::fmt;
use std::str::FromStr;

use crate::damping::{Damping, DampingError};
use crate::frame::BodyFrame;

/// Number of coordinates to which a part of the interface is reduced.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Keep {
    /// A number, the rigid motions of the part included.
    Count(usize),
    /// Its rigid motions, and the characteristic modes up to this frequency \[Hz\].
    UpTo(f64),
}

/// The kind of modes that describe the dynamics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ModeKind {
    /// Fixed-interface normal modes (Craig & Bampton).
    #[default]
    FixedInterface,
    /// Modes of the body without supports, completed by residual attachment modes (Rubin): the kept modes are
    /// exact, and so is static response to any load on the interface.
    FreeInterface,
    /// The same, the residual attachment modes without mass (MacNeal): the compliance of the boundary is
    /// purely static.
    MasslessBoundary,
}

/// A variant of the reduction.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Variant {
    /// The kind of modes that describe the dynamics.
    pub modes: ModeKind,
    /// Adds inertia-relief modes to the fixed-interface modes: the static response to all loads on the
    /// interface is exact.
    pub inertia_relief: bool,
    /// Characteristic constraint modes instead of the dofs of named interface sets.
    pub interface_modes: Vec<(String, Keep)>,
    /// The same for the part of the interface that cannot be in contact: listed nodes and sets without faces.
    pub reduce_interface: Option<Keep>,
    /// Body frame.
    pub frame: BodyFrame,
    /// Damping of the vibration.
    pub damping: Option<Damping>,
    /// Geometric stiffness by centrifugal forces and by forces on markers.
    pub stiffening: bool,
}

/// Errors of a variant.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum VariantError {
    /// A massless boundary and a frame fixed to points.
    #[error(
        "a massless boundary requires the Buckens frame: a frame that follows nodes or a marker would move \
         with points without mass; leave one of the two out"
    )]
    MasslessFrame,
    /// Inertia relief is included already.
    #[error(
        "free modes with residual attachment modes (residual, massless boundary) include inertia relief; \
         leave inertia relief out"
    )]
    ReliefTwice,
    /// Geometric stiffness in a frame that follows points.
    #[error(
        "the geometric stiffness (stiffening) requires the Buckens frame, in which a uniform acceleration \
         loads no mode; the frame follows nodes or a marker: leave one of the two out"
    )]
    StiffeningFrame,
    /// Interface reduction and residual attachment modes.
    #[error(
        "the static response of residual attachment modes (residual, massless boundary) to loads on the \
         interface is exact, and that of a reduced interface is not; leave one of the two out"
    )]
    ReducedResidual,
    /// The frequency limit of interface modes is invalid.
    #[error(
        "interface modes of {what} up to {hz} Hz are requested; the frequency must be above 0 and finite"
    )]
    Frequency {
        /// The part of the interface.
        what: String,
        /// The frequency given \[Hz\].
        hz: f64,
    },
    /// The damping is impossible.
    #[error(transparent)]
    Damping(#[from] DampingError),
}

/// Errors from parsing a choice.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChoiceTextError {
    /// Invalid number of interface modes.
    #[error(
        "`{text}` is not a number of interface modes: give a whole number, rigid motions included, or a \
         frequency such as `2e4Hz`"
    )]
    Keep {
        /// The text.
        text: String,
    },
    /// Invalid body frame.
    #[error(
        "`{text}` is not a body frame: give `buckens`, `nodes=I,J,K` with three node numbers from 1, or \
         `marker=NAME`"
    )]
    Frame {
        /// The text.
        text: String,
    },
}

impl FromStr for Keep {
    type Err = ChoiceTextError;

    /// `12`, or `2e4Hz`.
    fn from_str(text: &str) -> Result<Self, ChoiceTextError> {
        let trimmed = text.trim();
        let hz = trimmed.strip_suffix("Hz").or_else(|| trimmed.strip_suffix("hz"));
        let found = match hz {
            Some(hz) => hz.trim().parse().ok().filter(|hz: &f64| *hz > 0.0 && hz.is_finite()).map(Self::UpTo),
            None => trimmed.parse().ok().map(Self::Count),
        };
        found.ok_or_else(|| ChoiceTextError::Keep { text: text.to_owned() })
    }
}

impl fmt::Display for Keep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count(n) => write!(f, "{n}"),
            Self::UpTo(hz) => write!(f, "{hz}Hz"),
        }
    }
}

impl FromStr for BodyFrame {
    type Err = ChoiceTextError;

    /// `buckens`, `nodes=I,J,K` with numbers from 1, or `marker=NAME`.
    fn from_str(text: &str) -> Result<Self, ChoiceTextError> {
        let refused = || ChoiceTextError::Frame { text: text.to_owned() };
        match text.trim().split_once('=') {
            None if text.trim() == "buckens" => Ok(Self::Buckens),
            Some(("marker", name)) if !name.trim().is_empty() => Ok(Self::Marker(name.trim().to_owned())),
            Some(("nodes", list)) => {
                let numbers: Option<Vec<u32>> =
                    list.split(',').map(|n| n.trim().parse::<u32>().ok()?.checked_sub(1)).collect();
                numbers.and_then(|n| <[u32; 3]>::try_from(n).ok()).map(Self::Nodes).ok_or_else(refused)
            }
            _ => Err(refused()),
        }
    }
}

impl fmt::Display for BodyFrame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Buckens => write!(f, "buckens"),
            Self::Nodes([i, j, k]) => {
                let [i, j, k] = [i, j, k].map(|&node| u64::from(node) + 1);
                write!(f, "nodes={i},{j},{k}")
            }
            Self::Marker(name) => write!(f, "marker={name}"),
        }
    }
}

impl Variant {
    /// The words by which a model file records the variant: names of flags with `_` and without leading
    /// dashes; empty for the plain reduction.
    pub fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        match self.modes {
            ModeKind::FixedInterface => {}
            ModeKind::FreeInterface => words.push("residual".to_owned()),
            ModeKind::MasslessBoundary => words.push("massless_boundary".to_owned()),
        }
        if self.inertia_relief {
            words.push("inertia_relief".to_owned());
        }
        if self.stiffening {
            words.push("stiffening".to_owned());
        }
        words.extend(self.interface_modes.iter().map(|(set, keep)| format!("interface_modes {set}={keep}")));
        words.extend(self.reduce_interface.iter().map(|keep| format!("reduce_interface {keep}")));
        if self.frame != BodyFrame::Buckens {
            words.push(format!("frame {}", self.frame));
        }
        if let Some(damping) = self.damping.as_ref().filter(|damping| !damping.is_none()) {
            words.push(format!("damping {damping}"));
        }
        words
    }

    /// Checks the combination of choices.
    ///
    /// # Errors
    ///
    /// [`VariantError`].
    pub fn check(&self) -> Result<(), VariantError> {
        let is_residual = self.modes != ModeKind::FixedInterface;
        let is_reduced = !self.interface_modes.is_empty() || self.reduce_interface.is_some();
        if self.modes == ModeKind::MasslessBoundary && self.frame != BodyFrame::Buckens {
            return Err(VariantError::MasslessFrame);
        }
        if self.stiffening && self.frame != BodyFrame::Buckens {
            return Err(VariantError::StiffeningFrame);
        }
        if is_residual && self.inertia_relief {
            return Err(VariantError::ReliefTwice);
        }
        if is_residual && is_reduced {
            return Err(VariantError::ReducedResidual);
        }
        let named = self.interface_modes.iter().map(|(set, keep)| (format!("set `{set}`"), keep));
        let all = self.reduce_interface.iter().map(|keep| ("the interface".to_owned(), keep));
        for (what, keep) in named.chain(all) {
            if let Keep::UpTo(hz) = *keep
                && !(hz > 0.0 && hz.is_finite())
            {
                return Err(VariantError::Frequency { what, hz });
            }
        }
        if let Some(damping) = &self.damping {
            damping.check()?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_choices_are_read_back() {
        for keep in [Keep::Count(12), Keep::UpTo(2.5e4)] {
            assert_eq!(keep.to_string().parse(), Ok(keep));
        }
        for frame in [BodyFrame::Buckens, BodyFrame::Nodes([0, 7, 3]), BodyFrame::Marker("left".to_owned())] {
            assert_eq!(frame.to_string().parse(), Ok(frame));
        }
        for text in ["", "-1", "1.5", "-3Hz", "Hz"] {
            assert!(text.parse::<Keep>().unwrap_err().to_string().contains("2e4Hz"), "{text}");
        }
        for text in ["", "nodes=1,2", "nodes=0,1,2", "nodes=1,2,3,4", "marker=", "chord"] {
            assert!(text.parse::<BodyFrame>().unwrap_err().to_string().contains("nodes=I,J,K"), "{text}");
        }
    }
}
