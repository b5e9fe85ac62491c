//! A scenario as data, with every default filled in.
//!
//! Serialising it gives a scenario file that reads back as the same data.

mod body;
mod coupling;
mod damping;
mod function;
mod joint;
mod output;
mod probe;
mod response;
pub mod scheme;
pub mod scheme_row;
mod shape;
mod simulation;
mod variant;

use std::collections::BTreeMap;

use carom_contact::{Law, Stiffness};
use serde::Serialize;

pub use body::{
    AttachSpec, BodySource, BodySpec, Elements, GradeSpec, ImportSpec, MakeSpec, MarkerSpec, NearSpec,
    ReduceSpec, RefineSpec, RotationSpec, Spot, ZoneSpec,
};

pub use coupling::{CouplingKind, CouplingSpec, JointCoordinate, JointTable, Relation};
pub use damping::{DampingSpec, RatioSpec};
pub use function::{FunctionError, FunctionSpec, InterpolationSpec, OutsideSpec};
pub use joint::{ActionSpec, BushingSpec, JointKind, JointSpec, JointSpringSpec, SpringSpec, StopSpec};
pub use output::{
    FrameField, OutputSpec, PictureCells, PictureCompression, PictureField, PictureFormat, PictureSpec,
    Precision,
};
pub use probe::{Found, ProbePlaceSpec, ProbeSpec, WALL};
pub use response::{ExcitationSpec, ResponseSpec};
pub use scheme::{
    ContactGradient, ContactSolution, Integrator, JointForm, MassForm, Scheme, StepMethod, TimeIntegration,
};
pub use scheme_row::{Bodies, HighModes, SCHEMES, SchemeRow, TABLES, Takes};
pub use shape::{MassSpec, ShapeKind, ShapeSpec};
pub use simulation::Simulation;
pub use variant::VariantSpec;

/// Everything a run is made from.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Scenario {
    /// Scheme, time, gravity, tolerances, output.
    pub simulation: Simulation,
    /// Frames and pictures.
    pub output: OutputSpec,
    /// Materials that the scenario defines.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub material: BTreeMap<String, MaterialSpec>,
    /// Bodies, at least one.
    pub body: Vec<BodySpec>,
    /// Joints between bodies, and couplings of joints.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub joint: Vec<JointTable>,
    /// Springs and dampers between two points.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub spring: Vec<SpringSpec>,
    /// Bushings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub bushing: Vec<BushingSpec>,
    /// Pairs of surfaces that may touch.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub contact: Vec<ContactSpec>,
    /// Held parts of bodies.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub support: Vec<SupportSpec>,
    /// Forces and torques.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub force: Vec<ForceSpec>,
    /// Constant pressures.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pressure: Vec<PressureSpec>,
    /// Quantities at places, at times of their own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub probe: Vec<ProbeSpec>,
    /// The harmonic response about the equilibrium in which the run starts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response: Option<ResponseSpec>,
}

/// An elastic isotropic material.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MaterialSpec {
    /// ρ \[kg/m³\].
    pub density: f64,
    /// E \[Pa\].
    pub young: f64,
    /// ν.
    pub poisson: f64,
    /// Its law in schemes with large deformation.
    #[serde(skip_serializing_if = "MaterialLaw::is_linear")]
    pub law: MaterialLaw,
    /// Yield stress of the law `plastic`, of a hardening with one modulus \[Pa\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub yield_stress: Option<f64>,
    /// Hardening of the law `plastic`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hardening: Option<HardeningSpec>,
    /// Linear and quadratic bulk viscosity; none by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bulk_viscosity: Option<[f64; 2]>,
}

/// How the yield stress grows with plastic strain.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum HardeningSpec {
    /// dσ_y/dα, constant \[Pa\].
    Modulus(f64),
    /// Points of plastic strain and yield stress, straight lines between them \[–\], \[Pa\].
    Table(Vec<[f64; 2]>),
}

/// The law of a material in schemes with large deformation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum MaterialLaw {
    /// Linear elasticity of small strains and small rotations.
    #[default]
    Linear,
    /// Hooke's law in Green's strain.
    StVenantKirchhoff,
    /// Compressible neo-Hookean.
    NeoHookean,
    /// Von Mises plasticity with isotropic hardening.
    Plastic,
    /// The wave equation for each component of the displacement, in place of elasticity.
    ScalarWave,
}

impl MaterialLaw {
    /// Names in scenarios.
    pub const NAMES: [(&'static str, Self); 5] = [
        ("linear", Self::Linear),
        ("st-venant-kirchhoff", Self::StVenantKirchhoff),
        ("neo-hookean", Self::NeoHookean),
        ("plastic", Self::Plastic),
        ("scalar-wave", Self::ScalarWave),
    ];

    /// True for the law that is not written.
    pub fn is_linear(&self) -> bool {
        *self == Self::Linear
    }

    /// Its name in `carom-fem` and in results.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Linear => "small-strain",
            Self::StVenantKirchhoff => "saint-venant-kirchhoff",
            Self::NeoHookean => "neo-hookean",
            Self::Plastic => "plastic",
            Self::ScalarWave => "scalar-wave",
        }
    }
}

/// One end of a joint or contact: a body and a marker or set of it, or the ground.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct End {
    /// Name of the body; `ground` for an end that is fixed in space.
    pub body: String,
    /// Marker or set; empty for the ground or a whole body.
    pub part: String,
}

impl std::fmt::Display for End {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.part.is_empty() { f.write_str(&self.body) } else { write!(f, "{}:{}", self.body, self.part) }
    }
}

impl Serialize for End {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The table `law` of a contact, as it is written.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
enum WrittenLaw {
    Penalty {
        #[serde(skip_serializing_if = "Option::is_none")]
        stiffness: Option<f64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        point_stiffness: Option<f64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        factor: Option<f64>,
    },
    Lagrange,
}

fn write_law<S: serde::Serializer>(law: &Law, serializer: S) -> Result<S::Ok, S::Error> {
    let penalty =
        |stiffness, point_stiffness, factor| WrittenLaw::Penalty { stiffness, point_stiffness, factor };
    let written = match *law {
        Law::Hard => WrittenLaw::Lagrange,
        Law::Penalty(Stiffness::OfMaterials { alpha, .. }) => penalty(None, None, Some(alpha)),
        Law::Penalty(Stiffness::PerArea(stiffness)) => penalty(Some(stiffness), None, None),
        Law::Penalty(Stiffness::PerPoint(stiffness)) => penalty(None, Some(stiffness), None),
    };
    written.serialize(serializer)
}

/// The table `[[contact]]`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ContactSpec {
    /// `BODY:SET`; the first carries the pressure points. Both are [`ContactSpec::ALL`] for the outer
    /// surfaces of all bodies.
    #[serde(serialize_with = "write_between")]
    pub between: [End; 2],
    /// Coefficient of friction.
    pub friction: f64,
    /// Law.
    #[serde(serialize_with = "write_law")]
    pub law: Law,
    /// Normal velocity after an impact of rigid bodies over that before; none in other schemes and with
    /// penalties.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restitution: Option<f64>,
    /// Effect of pressure at the rim of a contact zone.
    pub rim: Rim,
    /// The compliance of the bodies where they touch; none if the scenario leaves it open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compliance: Option<Compliance>,
}

/// The compliance of reduced bodies where they touch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Compliance {
    /// The compliance of the mesh where its cells resolve the foreseen contact, of a half-space elsewhere. A
    /// run of the rigid bodies foresees the contact.
    Auto,
    /// The compliance of the mesh, which resolves the contact: the high modes of interface sets.
    Body,
    /// The compliance of a half-space on a grid of its own, with the response of a coarse mesh to loads at
    /// places.
    HalfSpace,
}

impl Compliance {
    /// Names in scenarios.
    pub const NAMES: [(&'static str, Self); 3] =
        [("auto", Self::Auto), ("body", Self::Body), ("half-space", Self::HalfSpace)];
}

impl ContactSpec {
    /// The end that stands for the outer surfaces of all bodies.
    pub const ALL: &'static str = "*";

    /// True if the contact has a grid of its own on half-spaces.
    pub fn is_on_grid(&self) -> bool {
        self.compliance == Some(Compliance::HalfSpace)
    }

    /// True for contact of the outer surfaces of all bodies, with each other and with themselves.
    pub fn is_automatic(&self) -> bool {
        self.between[0].body == Self::ALL && self.between[0].part.is_empty()
    }
}

fn write_between<S: serde::Serializer>(between: &[End; 2], serializer: S) -> Result<S::Ok, S::Error> {
    let n = if between[0].body == ContactSpec::ALL { 1 } else { 2 };
    serializer.collect_seq(&between[..n])
}

/// Effect of pressure at the rim of a contact zone, where the computed force is too low.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rim {
    /// It ends the run.
    #[default]
    Error,
    /// There is a warning at the end of the run.
    Warning,
}

/// The table `[[support]]`: directions in which a part of a body is held.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SupportSpec {
    /// `BODY:SET`.
    pub on: End,
    /// `x`, `y`, `z`, inertial axes.
    pub directions: Vec<String>,
    /// Displacement that the part is given in these directions, inertial axes \[m\].
    pub displacement: [f64; 3],
}

/// The table `[[force]]`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ForceSpec {
    /// `BODY:MARKER` or `BODY:SET` (spread over the set).
    pub on: End,
    /// Force \[N\].
    pub force: [f64; 3],
    /// Torque \[N m\].
    pub torque: [f64; 3],
    /// Axes of both: `inertial` or `body`.
    pub axes: String,
    /// Function of time that both are multiplied by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale: Option<FunctionSpec>,
}

/// The table `[[pressure]]`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PressureSpec {
    /// `BODY:SET`.
    pub on: End,
    /// Pressure, positive in compression \[Pa\].
    pub value: f64,
}
