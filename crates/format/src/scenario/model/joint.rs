//! Joints, springs and bushings as data.

use serde::Serialize;

use super::{End, FunctionSpec};

/// Kind of a joint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum JointKind {
    /// All relative motion.
    Fixed,
    /// One rotation is free.
    Revolute,
    /// All rotations are free.
    Spherical,
    /// One translation is free.
    Prismatic,
    /// One rotation and the translation along its axis are free.
    Cylindrical,
    /// Rotations about an axis of each end are free, which stay perpendicular.
    Universal,
    /// Translations across an axis and the rotation about it are free.
    Planar,
    /// All is free but the distance.
    Distance,
    /// One rotation is free, and the translation along its axis goes with it.
    Screw,
}

/// The table `[[joint]]`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JointSpec {
    /// Name by which plots and messages know it; its kind and ends if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its kind.
    pub kind: JointKind,
    /// `BODY:MARKER` or `ground`.
    pub between: [End; 2],
    /// Axis, inertial axes at the start.
    pub axis: [f64; 3],
    /// Axis of the second end of a universal joint, inertial axes at the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub second_axis: Option<[f64; 3]>,
    /// Length of a distance; that of the start if not given \[m\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<f64>,
    /// Translation in a turn of a screw, positive for a right-handed one \[m\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pitch: Option<f64>,
    /// End of a distance on the ground, inertial coordinates \[m\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub point: Option<[f64; 3]>,
    /// Spring, stops and motion of the angle of a revolute joint, of the shift of a prismatic, cylindrical or
    /// screw joint, or of the length of a distance.
    #[serde(flatten)]
    pub action: ActionSpec,
    /// Spring, stops and motion of the angle of a cylindrical or screw joint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<ActionSpec>,
}

/// Spring, stops and motion of a coordinate of a joint. Angles and shifts are zero at the start.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct ActionSpec {
    /// Spring and damper.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spring: Option<JointSpringSpec>,
    /// Limits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stops: Option<StopSpec>,
    /// The prescribed function of time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub motion: Option<FunctionSpec>,
}

/// A spring and damper of a joint.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct JointSpringSpec {
    /// \[N/m or N m/rad\].
    pub stiffness: f64,
    /// \[N s/m or N m s/rad\].
    pub damping: f64,
    /// Value at which the preload acts alone \[m or rad\].
    pub free: f64,
    /// \[N or N m\].
    pub preload: f64,
}

/// Limits of a coordinate of a joint.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct StopSpec {
    /// Lowest value \[m or rad\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    /// Highest value \[m or rad\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
    /// \[N/m or N m/rad\]; if not given, chosen from the mass and speed of the bodies, or hard in the scheme
    /// `rigid`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stiffness: Option<f64>,
    /// β of 1 + β δ̇ \[s/m or s/rad\].
    pub damping: f64,
    /// e of hard stops, scheme `rigid` without a stiffness.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restitution: Option<f64>,
}

/// The table `[[spring]]`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SpringSpec {
    /// Name by which plots and messages know it; its kind and ends if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// `BODY:MARKER` or `ground`.
    pub between: [End; 2],
    /// Where the ground holds its end, inertial coordinates \[m\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub point: Option<[f64; 3]>,
    /// \[N/m\].
    pub stiffness: f64,
    /// \[N s/m\].
    pub damping: f64,
    /// Length at which the preload acts alone; that of the start if not given \[m\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub free: Option<f64>,
    /// Tension at that length \[N\].
    pub preload: f64,
}

/// The table `[[bushing]]`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BushingSpec {
    /// Name by which plots and messages know it; its kind and ends if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// `BODY:MARKER` or `ground`.
    pub between: [End; 2],
    /// Whose axes turn with the first end: those of space at the start (`inertial`), or of the first body
    /// (`body`).
    pub axes: String,
    /// Along x, y, z \[N/m\].
    pub stiffness: [f64; 3],
    /// About x, y, z \[N m/rad\].
    pub rotational_stiffness: [f64; 3],
    /// Along x, y, z \[N s/m\].
    pub damping: [f64; 3],
    /// About x, y, z \[N m s/rad\].
    pub rotational_damping: [f64; 3],
}

impl JointKind {
    /// Its name in scenarios.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::Revolute => "revolute",
            Self::Spherical => "spherical",
            Self::Prismatic => "prismatic",
            Self::Cylindrical => "cylindrical",
            Self::Universal => "universal",
            Self::Planar => "planar",
            Self::Distance => "distance",
            Self::Screw => "screw",
        }
    }
}

impl JointSpec {
    /// Its name, or kind and ends.
    pub fn title(&self) -> String {
        title(self.name.as_ref(), self.kind.name(), &self.between)
    }

    /// True if a contact of all bodies leaves out the two bodies of the joint, which usually overlap where
    /// they are joined. A distance keeps them apart.
    pub fn excludes_contact(&self) -> bool {
        self.kind != JointKind::Distance
    }
}

impl SpringSpec {
    /// Its name, or `spring` and its ends.
    pub fn title(&self) -> String {
        title(self.name.as_ref(), "spring", &self.between)
    }
}

impl BushingSpec {
    /// Its name, or `bushing` and its ends.
    pub fn title(&self) -> String {
        title(self.name.as_ref(), "bushing", &self.between)
    }
}

fn title(name: Option<&String>, kind: &str, [first, second]: &[End; 2]) -> String {
    name.cloned().unwrap_or_else(|| format!("{kind} {first} {second}"))
}
