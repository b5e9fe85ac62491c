//! Balls, rods, boxes, …: exact NURBS, or hexahedra.

use carom_fem::{Body, Geometry, Material};
use carom_mesh::CellShape;
use carom_mesh::make::{self as hexes, HexOptions, Solid};
use carom_nurbs::Multipatch;
use carom_nurbs::solids::{self, Solid as ExactSolid, SolidError};
use carom_progress::Progress;
use thiserror::Error;

mod sizes;

use sizes::{Sizes, check_sizes};

use crate::refine::{self, RefineError, RefineOptions};
use crate::size::{affordable, cells_of};
use crate::{Place, TooMany, Zone};

/// The shapes that can be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Needs `radius`.
    Ball,
    /// An eighth of a ball: `radius`. Only NURBS.
    Octant,
    /// `semi_axes`. Only NURBS.
    Ellipsoid,
    /// Hollow sphere: `radius`, `inner_radius`.
    Shell,
    /// Cylinder along +x: `radius`, `length`.
    Rod,
    /// Rod with spherical ends along +x: `radius`, `length` from tip to tip. Only NURBS.
    Capsule,
    /// Hollow cylinder along +x: `radius`, `inner_radius`, `length`.
    Tube,
    /// `size`, one corner at the origin.
    Box,
    /// `size`, its centre at the origin.
    Plate,
    /// Ring around z: `radius` of its centre line, `inner_radius` of the section.
    Torus,
}

/// A place with small cells.
#[derive(Debug, Clone, PartialEq)]
pub struct Grade {
    /// The place.
    pub at: Place,
    /// Size of the cells there \[m\].
    pub finest: f64,
    /// Radius within which cells have that size \[m\]; by default the radius of the set, or four cells around
    /// a point.
    pub radius: Option<f64>,
}

/// Options of a shape: the flags of `carom-mesh make`.
#[derive(Debug, Clone, PartialEq)]
pub struct ShapeOptions {
    /// The shape.
    pub shape: Shape,
    /// Radius \[m\].
    pub radius: Option<f64>,
    /// Inner radius \[m\].
    pub inner_radius: Option<f64>,
    /// Length \[m\].
    pub length: Option<f64>,
    /// Edges \[m\].
    pub size: Option<[f64; 3]>,
    /// Half lengths along x, y, z \[m\].
    pub semi_axes: Option<[f64; 3]>,
    /// Radius of the zones `pole`, `start_pole`, `end_pole` \[m\].
    pub pole_radius: Option<f64>,
    /// Concentrates the patches of a NURBS ball at its pole: lengths there shrink by this factor
    /// ([`solids::focused`]).
    pub focus: Option<f64>,
    /// Degree of a NURBS body in all directions; by default the lowest that is exact and at least 2.
    pub degree: Option<usize>,
    /// Number of knot spans or cells along the directions of the shape: one number for all, or one for each;
    /// none for the coarsest.
    pub elements: Vec<usize>,
    /// Small cells at these places.
    pub grade: Vec<Grade>,
    /// Hexahedra instead of NURBS.
    pub hex: bool,
    /// Order of the hexahedra, 1 or 2; by default 2.
    pub order: Option<u8>,
    /// Raises the degree of a NURBS body further.
    pub elevate: Option<usize>,
    /// Divides every cell into this number of parts in each direction.
    pub subdivide: Option<usize>,
    /// More named parts of the surface.
    pub zones: Vec<Zone>,
}

impl ShapeOptions {
    /// A shape with default options.
    pub fn of(shape: Shape) -> Self {
        Self {
            shape,
            radius: None,
            inner_radius: None,
            length: None,
            size: None,
            semi_axes: None,
            pole_radius: None,
            focus: None,
            degree: None,
            elements: Vec::new(),
            grade: Vec::new(),
            hex: false,
            order: None,
            elevate: None,
            subdivide: None,
            zones: Vec::new(),
        }
    }
}

/// Errors of making a shape.
#[derive(Debug, Error)]
pub enum MakeError {
    /// A size is missing.
    #[error("a {shape} needs {what}: give --{flag} (in a scenario `{key} = …`), in metres")]
    Missing {
        /// The shape.
        shape: &'static str,
        /// The size.
        what: &'static str,
        /// The flag.
        flag: &'static str,
        /// The key.
        key: &'static str,
    },
    /// Two options exclude each other.
    #[error("`{flag}` cannot be combined with {with}")]
    Misplaced {
        /// The flag.
        flag: &'static str,
        /// The other option.
        with: &'static str,
    },
    /// A size that the shape does not have.
    #[error("a {shape} has no `{key}`; its sizes are {known}")]
    NoSuchSize {
        /// The shape.
        shape: &'static str,
        /// The given size.
        key: &'static str,
        /// The sizes of the shape.
        known: String,
    },
    /// Sizes that are too different.
    #[error(
        "the sizes of the {shape} are too different: {small} is {value:e} m, {large} {most:e} m; the \
         smallest must be at least {ratio:e} of the largest, or points of the body would count as one"
    )]
    Proportions {
        /// The shape.
        shape: &'static str,
        /// The flags of the smallest size.
        small: &'static str,
        /// The smallest size \[m\].
        value: f64,
        /// The flags of the largest size.
        large: &'static str,
        /// The largest size \[m\].
        most: f64,
        /// Smallest valid ratio.
        ratio: f64,
    },
    /// The radius of a pole is too large.
    #[error(
        "the pole radius of the {shape} is {radius:?} m: it must be at most {most:?} m, {of}; the set of its \
         whole surface has a name of its own"
    )]
    PoleRadius {
        /// The shape.
        shape: &'static str,
        /// The given value \[m\].
        radius: f64,
        /// The largest possible \[m\].
        most: f64,
        /// A description of that limit.
        of: &'static str,
    },
    /// The shape can only be made of NURBS.
    #[error(
        "a {shape} can only be made as exact NURBS, not of hexahedra: leave out `hex`, or draw it in a CAD \
         program and import it with `hex`"
    )]
    NoHexahedra {
        /// The shape.
        shape: &'static str,
    },
    /// The body would be too large.
    #[error(transparent)]
    TooMany(#[from] TooMany),
    /// The order of hexahedra is invalid.
    #[error("hexahedra have order 1 or 2, not {order}")]
    Order {
        /// The given value.
        order: u8,
    },
    /// The exact solid cannot be made.
    #[error(transparent)]
    Solid(#[from] SolidError),
    /// The knots cannot be inserted.
    #[error(transparent)]
    Patch(#[from] carom_nurbs::PatchError),
    /// The hexahedra cannot be made.
    #[error(transparent)]
    Hex(#[from] hexes::MakeError),
    /// The body cannot be refined.
    #[error(transparent)]
    Refine(#[from] RefineError),
}

/// Makes a body of one material.
///
/// * `progress` — receives the steps of its refinement
///
/// # Errors
///
/// [`MakeError`] with the size or flag that is missing or impossible.
pub fn make(
    options: &ShapeOptions,
    name: &str,
    material: Material,
    progress: &dyn Progress,
) -> Result<Body, MakeError> {
    check_sizes(options)?;
    // Shapes of hexahedra have no more blocks than shapes of NURBS: twenty for the torus.
    affordable(cells_of(1, &options.elements))?;
    let maker = if options.hex { hex_body } else { nurbs_body };
    maker(options, name, material, progress)
}

fn nurbs_body(
    options: &ShapeOptions,
    name: &str,
    material: Material,
    progress: &dyn Progress,
) -> Result<Body, MakeError> {
    if options.order.is_some() {
        return Err(MakeError::Misplaced { flag: "order", with: "a NURBS body: its flag is `degree`" });
    }
    let solid = exact_solid(options)?;
    let mut patches = solid.make(options.pole_radius)?;
    if let Some(factor) = options.focus {
        let ExactSolid::Ball { radius } = solid else {
            return Err(MakeError::Misplaced { flag: "focus", with: "this shape: only a ball has one" });
        };
        patches = solids::focused(&patches, radius, factor)?;
    }
    patches = patches.with_degree(options.degree.unwrap_or_else(|| default_degree(&patches)))?;
    if !options.elements.is_empty() {
        affordable(cells_of(patches.patches.len(), &options.elements))?;
        patches = solid.with_elements(&patches, &options.elements)?;
    }
    let n_patches = patches.patches.len();
    let body = Body {
        name: name.to_owned(),
        geometry: Geometry::Nurbs(patches),
        materials: vec![material],
        material_of_block: vec![0; n_patches],
        sections: Vec::new(),
    };
    let refinement = RefineOptions {
        zones: options.zones.clone(),
        elevate: options.elevate,
        subdivide: options.subdivide,
        grade: options.grade.clone(),
        near: Vec::new(),
    };
    Ok(refine::refine(&body, &refinement, progress)?)
}

/// Quadratic, unless the exact shape needs more.
fn default_degree(solid: &Multipatch) -> usize {
    solid.patches.iter().flat_map(|p| p.degrees()).max().unwrap_or(2).max(2)
}

fn exact_solid(options: &ShapeOptions) -> Result<ExactSolid, MakeError> {
    let sizes = Sizes(options);
    Ok(match options.shape {
        Shape::Ball => ExactSolid::Ball { radius: sizes.radius("ball")? },
        Shape::Octant => ExactSolid::Octant { radius: sizes.radius("octant")? },
        Shape::Ellipsoid => ExactSolid::Ellipsoid { semi_axes: sizes.semi_axes()? },
        Shape::Shell => {
            ExactSolid::Shell { radius: sizes.radius("shell")?, inner_radius: sizes.inner_radius("shell")? }
        }
        Shape::Rod => ExactSolid::Rod { radius: sizes.radius("rod")?, length: sizes.length("rod")? },
        Shape::Capsule => {
            ExactSolid::Capsule { radius: sizes.radius("capsule")?, length: sizes.length("capsule")? }
        }
        Shape::Tube => ExactSolid::Tube {
            radius: sizes.radius("tube")?,
            inner_radius: sizes.inner_radius("tube")?,
            length: sizes.length("tube")?,
        },
        Shape::Box => ExactSolid::Box { size: sizes.size("box")? },
        Shape::Plate => ExactSolid::Plate { size: sizes.size("plate")? },
        Shape::Torus => {
            ExactSolid::Torus { radius: sizes.radius("torus")?, tube_radius: sizes.inner_radius("torus")? }
        }
    })
}

fn hex_body(
    options: &ShapeOptions,
    name: &str,
    material: Material,
    progress: &dyn Progress,
) -> Result<Body, MakeError> {
    for (given, flag) in [
        (options.degree.is_some(), "degree"),
        (options.elevate.is_some(), "elevate"),
        (options.focus.is_some(), "focus"),
    ] {
        if given {
            return Err(MakeError::Misplaced { flag, with: "hexahedra: their flag is `order`" });
        }
    }
    let solid = hex_solid(options)?;
    let order = options.order.unwrap_or(2);
    let shape = CellShape::hexahedron(order).ok_or(MakeError::Order { order })?;
    let gradings =
        options.grade.iter().map(|grade| hex_grading(solid, options, grade)).collect::<Result<_, _>>()?;
    let elements = options.elements.clone();
    let mesh =
        hexes::hexahedra(solid, &HexOptions { shape, elements, gradings, pole_radius: options.pole_radius })?;
    let n_blocks = mesh.blocks.len();
    let body = Body {
        name: name.to_owned(),
        geometry: Geometry::Mesh(mesh),
        materials: vec![material],
        material_of_block: vec![0; n_blocks],
        sections: Vec::new(),
    };
    let refinement = RefineOptions {
        zones: options.zones.clone(),
        subdivide: options.subdivide,
        ..RefineOptions::default()
    };
    Ok(refine::refine(&body, &refinement, progress)?)
}

/// Hexahedra are graded while they are made: only the poles and the given zones are named places at that
/// time.
fn hex_grading(solid: Solid, options: &ShapeOptions, grade: &Grade) -> Result<hexes::Grading, RefineError> {
    let (point, extent) = match &grade.at {
        Place::Point(point) => (*point, 4.0 * grade.finest),
        Place::Set(name) => {
            let pole_radius = options.pole_radius.unwrap_or_else(|| solid.default_pole_radius());
            let poles = solid.poles().into_iter().map(|pole| (pole.0, pole.2, pole_radius));
            let zones = options.zones.iter().map(|zone| (zone.name.as_str(), zone.centre, zone.radius));
            let spots: Vec<_> = poles.chain(zones).collect();
            let spot = spots.iter().find(|spot| spot.0 == name).ok_or_else(|| {
                let known: Vec<&str> = spots.iter().map(|spot| spot.0).collect();
                RefineError::NoSuchPole { name: name.clone(), solid: solid.name(), known: known.join(", ") }
            })?;
            (spot.1, spot.2)
        }
    };
    Ok(hexes::Grading::new(point, grade.finest, grade.radius.unwrap_or(extent)))
}

fn hex_solid(options: &ShapeOptions) -> Result<Solid, MakeError> {
    let sizes = Sizes(options);
    Ok(match options.shape {
        Shape::Ball => Solid::Ball { radius: sizes.radius("ball")? },
        Shape::Octant => return Err(MakeError::NoHexahedra { shape: "octant" }),
        Shape::Ellipsoid => return Err(MakeError::NoHexahedra { shape: "ellipsoid" }),
        Shape::Capsule => return Err(MakeError::NoHexahedra { shape: "capsule" }),
        Shape::Shell => {
            Solid::Shell { radius: sizes.radius("shell")?, inner_radius: sizes.inner_radius("shell")? }
        }
        Shape::Rod => Solid::Rod { radius: sizes.radius("rod")?, length: sizes.length("rod")? },
        Shape::Tube => Solid::Tube {
            radius: sizes.radius("tube")?,
            inner_radius: sizes.inner_radius("tube")?,
            length: sizes.length("tube")?,
        },
        Shape::Box => Solid::Box { size: sizes.size("box")? },
        Shape::Plate => Solid::Plate { size: sizes.size("plate")? },
        Shape::Torus => {
            Solid::Torus { radius: sizes.radius("torus")?, tube_radius: sizes.inner_radius("torus")? }
        }
    })
}
