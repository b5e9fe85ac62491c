//! Solids of hexahedra without a mesher: ball, hollow sphere, rod, tube, box, plate, torus.
//!
//! Each solid consists of a few exactly curved blocks, which are divided along parameter lines. All nodes of
//! the surface, mid-edge and mid-face nodes too, lie on the exact surface. [`Grading`] makes small cells
//! around a point. Lines run through the whole body: the mesh stays conforming, and cells far away become
//! flat rather than small.
//!
//! Axes, sets and default radii are those of the exact solids of `carom_nurbs`.

mod layout;
mod line;
mod solids;

pub use layout::Grading;

use crate::{CellShape, FaceRef, Mesh, Set, SetError};

/// A solid and its sizes \[m\].
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Solid {
    /// A ball around the origin. Sets: `surface`; `pole`, its part around (0, 0, R).
    /// Cells along: an edge of the inner cube, the radius outside of it.
    Ball {
        /// Radius R.
        radius: f64,
    },
    /// A hollow sphere around the origin. Sets: `outer`, `inner`; `pole`, the part of `outer` around (0, 0,
    /// R). Cells along: a quarter of a great circle, the wall.
    Shell {
        /// Outer radius R.
        radius: f64,
        /// Inner radius.
        inner_radius: f64,
    },
    /// A cylinder along +x from 0 to L. Sets: `start` (x = 0), `end`, `side`; `start_pole`, `end_pole`, the
    /// parts of `start` and `end` around the axis. Cells along: the axis, a quarter of the circumference, the
    /// radius outside of the inner square.
    Rod {
        /// Radius R.
        radius: f64,
        /// Length L.
        length: f64,
    },
    /// A hollow cylinder along +x from 0 to L. Sets: `start` (x = 0), `end`, `outer`, `inner`.
    /// Cells along: the axis, a quarter of the circumference, the wall.
    Tube {
        /// Outer radius.
        radius: f64,
        /// Inner radius.
        inner_radius: f64,
        /// Length L.
        length: f64,
    },
    /// A box from the origin to (A, B, C). Sets: `west` (x = 0), `east`, `south` (y = 0), `north`, `bottom`
    /// (z = 0), `top`. Cells along: x, y, z.
    Box {
        /// Edges A, B, C.
        size: [f64; 3],
    },
    /// A plate A × B × C around the origin. Sets: those of the box; `edge`, its four narrow sides; `pole`,
    /// the part of `top` around its middle. Cells along: x, y, z.
    Plate {
        /// Edges A, B and the thickness C.
        size: [f64; 3],
    },
    /// A ring of circular section around the z axis. Set: `surface`. Cells along: a quarter of the ring, a
    /// quarter of the section's circumference, the section's radius outside of the inner square.
    Torus {
        /// Radius of the ring's centre line.
        radius: f64,
        /// Radius of its section.
        tube_radius: f64,
    },
}

/// Options for dividing a solid into hexahedra.
#[derive(Debug, Clone, PartialEq)]
pub struct HexOptions {
    /// A kind of hexahedron.
    pub shape: CellShape,
    /// Numbers of cells in the directions of the solid, or one number for all; if empty,
    /// [`Solid::default_elements`].
    pub elements: Vec<usize>,
    /// Points surrounded by small cells.
    pub gradings: Vec<Grading>,
    /// Radius of the zones called `pole` \[m\]; by default a tenth of the radius (of the shorter edge of a
    /// plate), or the faces nearest to the pole where cells are larger.
    pub pole_radius: Option<f64>,
}

impl Default for HexOptions {
    fn default() -> Self {
        let shape = CellShape::hexahedron(1).expect("hexahedra have order 1");
        Self { shape, elements: Vec::new(), gradings: Vec::new(), pole_radius: None }
    }
}

/// Error from meshing a solid.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum MakeError {
    /// Cells other than hexahedra.
    #[error("solids are made of hexahedra, not of {}; for other cells mesh a CAD file with carom-gmsh",
        .shape.name())]
    NotHexahedra {
        /// The kind given.
        shape: CellShape,
    },
    /// A size is invalid.
    #[error("the {what} of the {solid} is {value:?} m: it must be {valid}")]
    Size {
        /// Name of the solid.
        solid: &'static str,
        /// Name of the size.
        what: &'static str,
        /// Its value \[m\].
        value: f64,
        /// The valid range.
        valid: String,
    },
    /// A list of numbers of cells is invalid.
    #[error(
        "numbers of cells {given:?} do not fit the {solid}: give one for all or {n}, each at least 1, for \
         {directions}"
    )]
    Elements {
        /// Name of the solid.
        solid: &'static str,
        /// The numbers given.
        given: Vec<usize>,
        /// Required number of entries.
        n: usize,
        /// Directions of the entries.
        directions: &'static str,
    },
    /// A parameter of a grading is invalid.
    #[error("the {what} of the grading is {value}: it must be {valid}")]
    Grading {
        /// Name of the parameter.
        what: &'static str,
        /// Its value.
        value: f64,
        /// The valid range.
        valid: &'static str,
    },
    /// Too many cells along one line.
    #[error("{count:.0} cells along one direction are more than {most}: is the finest size meant in metres?")]
    TooManyCells {
        /// Number of cells.
        count: f64,
        /// The limit.
        most: usize,
    },
    /// Too many nodes.
    #[error("{count:.2e} nodes are more than {most:.0e}: use fewer elements, or a smaller zone of fine ones")]
    TooManyNodes {
        /// Number of nodes.
        count: f64,
        /// The limit.
        most: f64,
    },
    /// The zone around a pole cannot be made.
    #[error(transparent)]
    Zone(#[from] SetError),
}

impl Grading {
    /// Cells of size `finest` within `zone_radius` of `point` \[m\]; beyond, each is at most 1.5 times as
    /// large as its neighbour.
    pub fn new(point: [f64; 3], finest: f64, zone_radius: f64) -> Self {
        Self { point, finest, zone_radius, growth: 1.5 }
    }

    fn check(&self) -> Result<(), MakeError> {
        let wrong = |what, value, valid| Err(MakeError::Grading { what, value, valid });
        if !(self.finest > 0.0 && self.finest.is_finite()) {
            return wrong("finest size", self.finest, "a positive length in metres");
        }
        if !(self.zone_radius >= 0.0 && self.zone_radius.is_finite()) {
            return wrong("zone radius", self.zone_radius, "a length in metres, 0 or more");
        }
        if !(self.growth > 1.0 && self.growth <= 2.0) {
            return wrong("growth", self.growth, "above 1, at most 2");
        }
        match self.point.iter().find(|c| !c.is_finite()) {
            Some(&value) => wrong("point", value, "three finite coordinates in metres"),
            None => Ok(()),
        }
    }
}

/// Divides a solid into hexahedra.
///
/// # Errors
///
/// [`MakeError`] with the offending number and its valid range.
pub fn hexahedra(solid: Solid, options: &HexOptions) -> Result<Mesh, MakeError> {
    if !options.shape.is_hexahedron() {
        return Err(MakeError::NotHexahedra { shape: options.shape });
    }
    options.gradings.iter().try_for_each(Grading::check)?;
    solid.check()?;
    let elements = solid.elements(&options.elements)?;
    let mut mesh = solid.layout(&elements).mesh(options.shape, &options.gradings)?;
    if let Solid::Plate { .. } = solid {
        let sides = ["west", "east", "south", "north"].map(|name| mesh.side(name));
        mesh.sets.insert("edge".to_owned(), Set::of_faces(sides.concat()));
    }
    for (name, base, centre) in solid.poles() {
        add_pole(&mut mesh, name, base, centre, solid, options.pole_radius)?;
    }
    Ok(mesh)
}

/// The zone of the given or default radius; the nearest faces if all faces are larger than the default
/// radius.
fn add_pole(
    mesh: &mut Mesh,
    name: &str,
    base: &str,
    centre: [f64; 3],
    solid: Solid,
    radius: Option<f64>,
) -> Result<(), MakeError> {
    match mesh.add_zone(name, base, centre, radius.unwrap_or_else(|| solid.default_pole_radius())) {
        // Slightly more than the distance of the nearest face: the faces around a pole lie equally far from
        // it.
        Err(SetError::EmptyZone { nearest, .. }) if radius.is_none() => {
            mesh.add_zone(name, base, centre, nearest * (1.0 + 1e-6))?;
        }
        zone => {
            zone?;
        }
    }
    Ok(())
}

impl Mesh {
    /// Faces of a set of a side; empty if there is no such set.
    fn side(&self, name: &str) -> Vec<FaceRef> {
        self.faces_of_set(name).map(<[FaceRef]>::to_vec).unwrap_or_default()
    }
}
