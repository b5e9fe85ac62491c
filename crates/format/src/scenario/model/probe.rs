//! Probes as data.

use carom_dynamics::ProbeQuantity;
use serde::{Serialize, Serializer};

use super::{ContactSpec, End, Scenario};

/// The table `[[probe]]`: quantities at a place, written at times of their own.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProbeSpec {
    /// Name in tables; the place if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The place.
    #[serde(flatten)]
    pub place: ProbePlaceSpec,
    /// The quantities.
    #[serde(serialize_with = "write_quantities")]
    pub what: Vec<ProbeQuantity>,
    /// Time between samples \[s\]; 0 for one at the end of each accepted step.
    pub every: f64,
}

/// Places in the wall of a shell: the surface against its normal, the mean over the thickness, the surface
/// on the side of its normal.
pub const WALL: [&str; 3] = ["bottom", "middle", "top"];

/// The place of a probe.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum ProbePlaceSpec {
    /// A whole body.
    Body {
        /// Its name.
        on: String,
    },
    /// A point of a body.
    Point {
        /// `BODY:MARKER` or `BODY:SET`; the body alone with `at`.
        on: End,
        /// The point in source coordinates \[m\].
        #[serde(skip_serializing_if = "Option::is_none")]
        at: Option<[f64; 3]>,
        /// Axes of the vectors: `inertial` or `body`.
        axes: String,
        /// Place in the wall of a shell, of its stress: one of [`WALL`].
        #[serde(skip_serializing_if = "Option::is_none")]
        wall: Option<String>,
    },
    /// A joint, spring or bushing.
    Joint {
        /// Its name, or its number from 1.
        joint: String,
    },
    /// A contact pair, or two bodies that touch in a contact of all bodies.
    Contact {
        /// Its name as results have it, `BODY/BODY`, or its number from 1.
        contact: String,
    },
}

fn write_quantities<S: Serializer>(what: &[ProbeQuantity], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(what.iter().map(|quantity| quantity.name()))
}

/// The entry of a list that a name, or a number from 1, stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// One, by its number from 0.
    One(usize),
    /// Several have the name.
    Several(usize),
    /// None has it.
    Nothing,
}

impl Found {
    /// Looks for a name, or a number from 1.
    pub fn among(names: &[String], wanted: &str) -> Self {
        let mut same = names.iter().enumerate().filter(|(_, name)| *name == wanted);
        match (same.next(), same.count()) {
            (Some((index, _)), 0) => Self::One(index),
            (Some(_), more) => Self::Several(more + 1),
            (None, _) => match wanted.parse::<usize>() {
                Ok(number) if (1..=names.len()).contains(&number) => Self::One(number - 1),
                _ => Self::Nothing,
            },
        }
    }
}

impl ProbePlaceSpec {
    /// Its quantities.
    pub fn quantities(&self) -> &'static [ProbeQuantity] {
        match self {
            Self::Body { .. } => &ProbeQuantity::OF_BODIES,
            Self::Point { .. } => &ProbeQuantity::OF_DEFORMABLE_POINTS,
            Self::Joint { .. } => &ProbeQuantity::OF_JOINTS,
            Self::Contact { .. } => &ProbeQuantity::OF_CONTACTS,
        }
    }

    /// Quantities of a probe that names none: all of a joint or contact, energies and momenta of a body,
    /// displacement, velocity and acceleration of a point. In an equilibrium nothing moves: displacement of a
    /// point, force of the contacts on a body.
    ///
    /// * `has_time` — false in statics
    pub fn default_quantities(&self, has_time: bool) -> Vec<ProbeQuantity> {
        match self {
            Self::Point { .. } if !has_time => vec![ProbeQuantity::Displacement],
            Self::Body { .. } if !has_time => vec![ProbeQuantity::ContactForce],
            Self::Point { .. } => {
                vec![ProbeQuantity::Displacement, ProbeQuantity::Velocity, ProbeQuantity::Acceleration]
            }
            Self::Body { .. } => {
                let own = self.quantities().iter().copied();
                own.filter(|quantity| *quantity != ProbeQuantity::ContactForce).collect()
            }
            Self::Joint { .. } | Self::Contact { .. } => self.quantities().to_vec(),
        }
    }
}

impl std::fmt::Display for ProbePlaceSpec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Body { on } => f.write_str(on),
            Self::Point { on, at: Some([x, y, z]), .. } => write!(f, "{on}:{x},{y},{z}"),
            Self::Point { on, .. } => write!(f, "{on}"),
            Self::Joint { joint } => f.write_str(joint),
            Self::Contact { contact } => f.write_str(contact),
        }
    }
}

impl ProbeSpec {
    /// Its name, or its place.
    pub fn title(&self) -> String {
        self.name.clone().unwrap_or_else(|| self.place.to_string())
    }

    /// True if it has a quantity of a section of a beam.
    pub fn has_section(&self) -> bool {
        self.what.iter().any(|quantity| ProbeQuantity::OF_SECTIONS.contains(quantity))
    }

    /// True if it has a quantity of the stress.
    pub fn has_stress(&self) -> bool {
        self.what.iter().any(|quantity| ProbeQuantity::OF_STRESS.contains(quantity))
    }
}

impl ContactSpec {
    /// The name of the pair in results, `BODY/BODY`.
    pub fn title(&self) -> String {
        let [first, second] = &self.between;
        if self.is_automatic() { first.to_string() } else { format!("{}/{}", first.body, second.body) }
    }
}

impl Scenario {
    /// Names of joints, then of springs and bushings, in the order of the result.
    pub fn joint_titles(&self) -> Vec<String> {
        let joints = self.joints().map(|(_, joint)| joint.title());
        let springs = self.spring.iter().map(super::SpringSpec::title);
        joints.chain(springs).chain(self.bushing.iter().map(super::BushingSpec::title)).collect()
    }

    /// Names of the contact pairs, in the order of the result.
    pub fn contact_titles(&self) -> Vec<String> {
        self.contact.iter().map(ContactSpec::title).collect()
    }

    /// Number of the contact of all bodies, and of two bodies of it that `BODY/BODY` names in any order; none
    /// without such a contact or bodies, and if a contact of their own replaces it.
    pub fn contact_of_all(&self, named: &str) -> Option<(usize, [usize; 2])> {
        let contact = self.contact.iter().position(ContactSpec::is_automatic)?;
        let number = |name: &str| self.body.iter().position(|body| body.name == name);
        let ends = self.body.iter().enumerate().find_map(|(first, body)| {
            let rest = named.strip_prefix(body.name.as_str())?.strip_prefix('/')?;
            number(rest).filter(|second| *second != first).map(|second| [first, second])
        })?;
        let names = ends.map(|body| self.body[body].name.as_str());
        let is_own = |spec: &ContactSpec| {
            let own = spec.between.each_ref().map(|end| end.body.as_str());
            own == names || own == [names[1], names[0]]
        };
        (!self.contact.iter().any(is_own)).then_some((contact, ends))
    }
}
