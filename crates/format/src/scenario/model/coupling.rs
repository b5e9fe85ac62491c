//! Joints that couple others, as data.

use serde::Serialize;

use super::{JointKind, JointSpec, Scenario};

/// Kind of a coupling.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CouplingKind {
    /// The angle of the second joint is that of the first times a ratio.
    Gear,
    /// The shift of the second joint is the angle of the first times a radius.
    Rack,
    /// A sum of coordinates with factors is zero.
    Coupler,
}

/// A coordinate that a joint leaves free.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum JointCoordinate {
    /// The angle of the second end about the axis \[rad\].
    Angle,
    /// The shift of the second end along the axis \[m\].
    Shift,
}

/// The table `[[joint]]` of a kind that couples other joints: Σ factor · coordinate = 0, from the start.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CouplingSpec {
    /// Name by which messages know it; its kind and joints if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its kind.
    pub kind: CouplingKind,
    /// Names of the joints, or their numbers from 1.
    pub joints: Vec<String>,
    /// The relation.
    #[serde(flatten)]
    pub relation: Relation,
}

/// The relation of a coupling.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Relation {
    /// Of a gear: angle of the second joint over that of the first.
    Ratio {
        /// ≠ 0.
        ratio: f64,
    },
    /// Of a rack: shift of the second joint over the angle of the first.
    Radius {
        /// ≠ 0 \[m/rad\].
        radius: f64,
    },
    /// Of a coupler.
    Sum {
        /// Factor of each coordinate, ≠ 0.
        factors: Vec<f64>,
        /// Coordinate of each joint.
        coordinates: Vec<JointCoordinate>,
    },
}

/// A table `[[joint]]`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum JointTable {
    /// A joint between two ends.
    Joint(Box<JointSpec>),
    /// A coupling of other joints.
    Coupling(CouplingSpec),
}

impl CouplingKind {
    /// Names in scenarios.
    pub const NAMES: [(&'static str, Self); 3] =
        [("gear", Self::Gear), ("rack", Self::Rack), ("coupler", Self::Coupler)];

    /// Its name in scenarios.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize].0
    }
}

impl JointCoordinate {
    /// Names in scenarios.
    pub const NAMES: [(&'static str, Self); 2] = [("angle", Self::Angle), ("shift", Self::Shift)];

    /// Its name in scenarios.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize].0
    }
}

impl JointKind {
    /// The coordinates that a joint leaves free and that couplings can name.
    pub fn coordinates(self) -> &'static [JointCoordinate] {
        match self {
            Self::Revolute => &[JointCoordinate::Angle],
            Self::Prismatic => &[JointCoordinate::Shift],
            Self::Cylindrical | Self::Screw => &[JointCoordinate::Shift, JointCoordinate::Angle],
            Self::Fixed | Self::Spherical | Self::Universal | Self::Planar | Self::Distance => &[],
        }
    }
}

impl CouplingSpec {
    /// Its name, or kind and joints.
    pub fn title(&self) -> String {
        self.name.clone().unwrap_or_else(|| format!("{} {}", self.kind.name(), self.joints.join(" ")))
    }

    /// Coordinate and factor of each joint: Σ factor · coordinate = 0.
    pub fn terms(&self) -> Vec<(JointCoordinate, f64)> {
        match &self.relation {
            Relation::Ratio { ratio } => {
                vec![(JointCoordinate::Angle, *ratio), (JointCoordinate::Angle, -1.0)]
            }
            Relation::Radius { radius } => {
                vec![(JointCoordinate::Angle, *radius), (JointCoordinate::Shift, -1.0)]
            }
            Relation::Sum { factors, coordinates } => {
                coordinates.iter().copied().zip(factors.iter().copied()).collect()
            }
        }
    }
}

impl JointTable {
    /// Its name, or its kind and what it connects.
    pub fn title(&self) -> String {
        match self {
            Self::Joint(joint) => joint.title(),
            Self::Coupling(coupling) => coupling.title(),
        }
    }
}

impl Scenario {
    /// Joints between two ends, each with the number of its table among all `[[joint]]`.
    pub fn joints(&self) -> impl Iterator<Item = (usize, &JointSpec)> + Clone {
        self.joint.iter().enumerate().filter_map(|(i, table)| match table {
            JointTable::Joint(joint) => Some((i, &**joint)),
            JointTable::Coupling(_) => None,
        })
    }

    /// Couplings of joints, each with the number of its table among all `[[joint]]`.
    pub fn couplings(&self) -> impl Iterator<Item = (usize, &CouplingSpec)> {
        self.joint.iter().enumerate().filter_map(|(i, table)| match table {
            JointTable::Joint(_) => None,
            JointTable::Coupling(coupling) => Some((i, coupling)),
        })
    }

    /// The number of the last table `[[joint]]` with a title.
    pub fn joint_of_title(&self, title: &str) -> Option<usize> {
        self.joint.iter().rposition(|table| table.title() == title)
    }
}
