//! Bodies of a scenario as data: where they come from and how they are refined, reduced and placed.

use std::collections::BTreeMap;

use serde::Serialize;

use super::damping::DampingSpec;
use super::shape::{MassSpec, ShapeSpec};
use super::variant::VariantSpec;

/// A set of a body or a point in its source coordinates.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Spot {
    /// Name of a set.
    Set(String),
    /// Coordinates \[m\].
    Point([f64; 3]),
}

/// Knots or cells graded towards a spot.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GradeSpec {
    /// The set or point.
    pub at: Spot,
    /// Size of the knot spans or cells there \[m\].
    pub finest: f64,
    /// Radius around the spot in which they keep that size \[m\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub radius: Option<f64>,
}

/// Local refinement near a spot, by hierarchical B-splines.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NearSpec {
    /// The set or point.
    pub at: Spot,
    /// Distance within which knot spans get the finest level \[m\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub radius: Option<f64>,
    /// Number of times that knot spans are halved.
    pub levels: usize,
}

/// A body that carom makes: the flags of `carom-mesh make`.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct MakeSpec {
    /// `ball`, `rod`, …
    pub shape: String,
    /// Radius \[m\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub radius: Option<f64>,
    /// Inner radius \[m\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inner_radius: Option<f64>,
    /// Length \[m\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<f64>,
    /// Edge lengths \[m\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<[f64; 3]>,
    /// Half lengths of an ellipsoid along x, y, z \[m\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub semi_axes: Option<[f64; 3]>,
    /// Radius of the cap or disc that is the contact zone \[m\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pole_radius: Option<f64>,
    /// Draws the patches of a NURBS ball towards its pole: lengths there shrink by this factor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub focus: Option<f64>,
    /// Degree of the splines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub degree: Option<usize>,
    /// Elements in the directions that the shape names, or one number for all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub elements: Vec<usize>,
    /// Exact NURBS (the default).
    pub nurbs: bool,
    /// Hexahedra instead.
    pub hex: bool,
    /// Order of the hexahedra, 1 or 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<usize>,
    /// Gradings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub grade: Vec<GradeSpec>,
}

/// A body from a file of another program: the flags of `carom-mesh import`.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct ImportSpec {
    /// The file.
    pub file: String,
    /// The only solid of a CAD file to take, by number or name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub solid: Option<String>,
    /// Size of the cells of a CAD file \[m\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<f64>,
    /// Places with small cells in a CAD file: `X,Y,Z:R=H` or `SET=H` \[m\].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub near: Vec<String>,
    /// Longest time for meshing a CAD file \[s\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_limit: Option<f64>,
    /// Order of the cells of a CAD file, 1 or 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<usize>,
    /// Hexahedra for a CAD file.
    pub hex: bool,
    /// Factor from the unit of the file to metres; 1 where `units` is given.
    pub scale: f64,
    /// Thickness of shells \[m\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thickness: Option<f64>,
    /// Units of the file, `mm-t-s`: of its coordinates, and of its materials where the body names none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub units: Option<String>,
}

/// Where a body comes from.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum BodySource {
    /// carom makes it.
    Make {
        /// How.
        make: MakeSpec,
    },
    /// A file of another program.
    Import(ImportSpec),
    /// A body file.
    Body {
        /// The file.
        body: String,
    },
    /// A reduced-order model.
    Rom {
        /// The file.
        rom: String,
    },
}

/// Refinement of a body: the flags of `carom-mesh refine`.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct RefineSpec {
    /// Removes knots and degrees that the shape does not need, before the other steps.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub coarsen: bool,
    /// Degrees to add.
    pub elevate: usize,
    /// Number of parts into which every knot span or cell edge is divided.
    pub subdivide: usize,
    /// Gradings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub grade: Vec<GradeSpec>,
    /// Local refinements.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub near: Vec<NearSpec>,
}

/// A named part of the surface: the faces of a set near a point.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ZoneSpec {
    /// Name of the new set.
    pub name: String,
    /// Set that it is a part of.
    pub set: String,
    /// Centre in source coordinates \[m\].
    pub center: [f64; 3],
    /// Radius \[m\].
    pub radius: f64,
}

/// How a set is tied to a marker, and where that lies.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum AttachSpec {
    /// `rigid` or `mean`, with the marker in the area centroid of the set.
    Centroid(String),
    /// With the marker at a point.
    Placed {
        /// `rigid` or `mean`.
        kind: String,
        /// Source coordinates \[m\].
        at: [f64; 3],
    },
}

impl AttachSpec {
    /// `rigid` or `mean`.
    pub fn kind(&self) -> &str {
        match self {
            Self::Centroid(kind) | Self::Placed { kind, .. } => kind,
        }
    }

    /// Where the marker is put, in source coordinates \[m\].
    pub fn at(&self) -> Option<[f64; 3]> {
        match self {
            Self::Centroid(_) => None,
            Self::Placed { at, .. } => Some(*at),
        }
    }
}

/// Reduction: the flags of `carom-reduce craig-bampton`.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct ReduceSpec {
    /// Interface sets.
    pub interface: Vec<String>,
    /// Sets tied to a marker.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub attach: BTreeMap<String, AttachSpec>,
    /// Sets that are held to the body frame: the body is grounded.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fix: Vec<String>,
    /// Surfaces with loads at places, each a set, `X,Y,Z:R` or `SET@X,Y,Z:R`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<String>,
    /// Number of fixed-interface normal modes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modes: Option<usize>,
    /// Frequency up to which they are kept instead \[Hz\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub up_to: Option<f64>,
    /// Frequency above which modes are quasistatic \[Hz\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub split: Option<f64>,
    /// Points at which the model keeps its modes for pictures: `full`, `surface` or `interface`.
    pub fields: String,
    /// Quadrature rule, `default` or `high`.
    pub quadrature: String,
    /// Solver of systems with the stiffness: `auto`, `direct` or `iterative`.
    pub solver: String,
    /// Options beyond the plain reduction.
    #[serde(flatten)]
    pub variant: VariantSpec,
}

impl ReduceSpec {
    /// A reduction to the modes without supports, before it has places.
    ///
    /// * `fields` — see [`super::Scenario::fields_of_models`]
    pub fn of_places(fields: &str) -> Self {
        Self {
            interface: Vec::new(),
            attach: BTreeMap::new(),
            fix: Vec::new(),
            places: Vec::new(),
            modes: None,
            up_to: None,
            split: None,
            fields: fields.to_owned(),
            quadrature: "default".to_owned(),
            solver: "auto".to_owned(),
            variant: VariantSpec::default(),
        }
    }

    /// True if the body has places and neither interface nor attachments: it is reduced to its free modes.
    pub fn is_bare(&self) -> bool {
        self.interface.is_empty() && self.attach.is_empty()
    }

    /// True if it names neither an interface nor places: where loads act on the body follows from its
    /// contacts.
    pub fn is_open(&self) -> bool {
        self.is_bare() && self.places.is_empty()
    }
}

/// A named place of a body.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MarkerSpec {
    /// Its name.
    pub name: String,
    /// The set whose mean it is, or a point in source coordinates.
    pub at: Spot,
}

/// A rotation about the origin of the source geometry.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RotationSpec {
    /// Axis, of any length but zero.
    pub axis: [f64; 3],
    /// Angle in degrees.
    pub degrees: f64,
}

/// Points and strains of the cells of an unreduced body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Elements {
    /// The points of the stiffness.
    Full,
    /// These points, with one volume ratio in each linear cell.
    #[default]
    MeanDilatation,
    /// One point in each hexahedron of eight nodes, with hourglass control.
    OnePoint,
}

impl Elements {
    /// Names in scenarios, in results and in `carom-fem`.
    pub const NAMES: [(&'static str, Self); 3] =
        [("full", Self::Full), ("mean-dilatation", Self::MeanDilatation), ("one-point", Self::OnePoint)];

    /// True for the elements that are not written.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, elements)| *elements == self).expect("all elements are listed").0
    }
}

/// The table `[[body]]`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BodySpec {
    /// Name, different for all bodies.
    pub name: String,
    /// Where it comes from.
    #[serde(flatten)]
    pub source: BodySource,
    /// Name of its material, unless its file says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub material: Option<String>,
    /// Points and strains of its cells, in the scheme `explicit`.
    #[serde(skip_serializing_if = "Elements::is_default")]
    pub elements: Elements,
    /// A rigid body of the mass and inertia of its geometry.
    pub rigid: bool,
    /// Held in space.
    pub fixed: bool,
    /// Mass and inertia of a rigid body in place of those of its geometry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mass_properties: Option<MassSpec>,
    /// Where the origin of the source geometry lies \[m\].
    pub position: [f64; 3],
    /// Velocity of the centre of mass \[m/s\].
    pub velocity: [f64; 3],
    /// Angular velocity, inertial axes \[rad/s\].
    pub angular_velocity: [f64; 3],
    /// Damping of the dynamic modes in place of that of the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub damping: Option<DampingSpec>,
    /// Rotation about the origin of the source geometry.
    pub rotation: RotationSpec,
    /// Refinement after making or reading.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refine: Option<RefineSpec>,
    /// Parts of the surface to be named.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub zone: Vec<ZoneSpec>,
    /// Reduction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reduce: Option<ReduceSpec>,
    /// Named places.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub marker: Vec<MarkerSpec>,
    /// Shapes that touch, of the scheme `rigid`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shape: Vec<ShapeSpec>,
}
