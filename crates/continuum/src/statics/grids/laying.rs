//! Where the grids of a static problem lie: the places of their loads, and the size of their cells.

use carom_contact::half_space::mesh_doubts::{MeshBelow, MeshFaces};
use carom_contact::half_space::nearest::Approach;
use carom_contact::half_space::overlap::{Overlap, overlap};
use carom_contact::half_space::pair::{Below, PairError, Pressed, Under};
use carom_contact::half_space::{FixedGrid, GridPlan, HalfSpace, PlacedBody};
use carom_contact::patch::PatchPlane;
use carom_contact::{Law, Shape};
use carom_fem::{Body, Discretisation};
use carom_mesh::FaceRef;
use faer::Mat;
use nalgebra::{Matrix3, Vector3};
use thiserror::Error;

use super::{GridPair, LoadedBody, Side, StaticBody};
use crate::half_space::region::{Loading, TouchRegion};
use crate::half_space::{LaidLoads, PlaceSpec, PlacedModelError, Touching, half_space_of, lay};
use crate::statics::SetupError;
use crate::statics::problem::ContactSpec;

/// Cells on the smaller contact radius: the force at a given approach is right to 0.1 %.
const PARTS: f64 = 6.0;

/// Ratios of the sides of cells to those that are wanted, beyond which a grid is laid anew.
const FITS: [f64; 2] = [0.7, 1.3];

/// Extent of a grid in contact radii.
const EXTENT: f64 = 1.35;

/// Factor of the height of a grid that is too small, and of the sides of its cells if these are many.
const GROWTH: f64 = 1.5;

/// Cells beyond which a grid that grows gets larger cells.
const MANY: usize = 600;

/// Shift of the middle of a cell from the deepest point along both tangents, in sides: in the middle of a
/// symmetric grid whole rings of cells close at once.
const OFF: f64 = 0.25;

/// Length within which the gap is like a paraboloid, and accuracy of the nearest gap, in radii of the
/// surfaces.
const SIZES: [f64; 2] = [0.05, 0.005];

/// Region that may touch, in contact radii that are foreseen, and at least in edges of the faces.
const REGION: [f64; 2] = [2.5, 0.5];

/// Largest contact radius that is foreseen, in radii of the surfaces.
const LARGEST: f64 = 0.25;

/// Least depth of the overlap that is foreseen, in radii of the surfaces.
const LEAST_DEPTH: f64 = 1e-7;

/// Digits of the middle of a region, behind the point.
const DIGITS: usize = 12;

/// A contact cannot have a grid.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum GridError {
    /// The grid or its compliance.
    #[error(transparent)]
    Pair(#[from] PairError),
    /// Neither surface is one from which a nearest point is sought.
    #[error(
        "the surfaces do not face each other where they come nearest, as flat surfaces do at an edge: a grid \
         needs surfaces of which one bulges; use `compliance = \"body\"` with meshes that resolve the \
         contact, or name other surfaces"
    )]
    NotFacing,
    /// A long contact.
    #[error(
        "the contact is about {ratio:.1} times as long as wide; the square cells of a grid in statics serve \
         up to {MOST_SLENDER}: use `compliance = \"body\"` with meshes that resolve the contact"
    )]
    Slender {
        /// Length over width.
        ratio: f64,
    },
    /// The contact reaches an edge.
    #[error(
        "the contact reaches an edge of a surface, where the half-space does not hold: use `compliance = \
         \"body\"` with a mesh that resolves the contact, or name a larger surface"
    )]
    Edge,
    /// The grid does not settle.
    #[error(
        "its grid does not settle in {rounds} rounds: the contact is larger than its bodies' curvature lets \
         expect; use `compliance = \"body\"` with a mesh that resolves it"
    )]
    Unsettled {
        /// Rounds made.
        rounds: usize,
    },
    /// A second place of contact.
    #[error(
        "the bodies overlap by {depth:.3e} m at a second place, ({:.4e}, {:.4e}, {:.4e}) m: a pair on a \
         half-space grid has one contact spot; name surfaces that touch in one spot, in a pair for each, or \
         use `compliance = \"body\"`", .place[0], .place[1], .place[2]
    )]
    SecondSpot {
        /// Where \[m\].
        place: [f64; 3],
        /// Depth \[m\].
        depth: f64,
    },
    /// A hollow surface that is nearly as curved as the other one.
    #[error(
        "the contact radius of {radius:.3e} m is {ratio:.2} of the radius of a hollow surface; a half-space \
         holds up to {HOLLOW}: use `compliance = \"body\"` with a mesh that resolves the contact"
    )]
    Hollow {
        /// Contact radius \[m\].
        radius: f64,
        /// Contact radius in radii of the hollow surface.
        ratio: f64,
    },
}

impl GridError {
    /// Why two surfaces have no place of contact.
    fn of_place(source: PairError) -> Self {
        match source {
            PairError::NotFacing { .. } => Self::NotFacing,
            other => other.into(),
        }
    }
}

/// Largest length of a contact over its width: cells are squares, and a grid has a limited number.
const MOST_SLENDER: f64 = 5.0;

/// Largest contact radius in radii of a hollow surface.
const HOLLOW: f64 = 0.2;

/// Depth of a second spot, in heights of the grid, that may be overlooked.
const LEAST_SPOT: f64 = 0.01;

/// Where two bodies come nearest, and what is between them.
#[derive(Debug, Clone, Copy)]
pub(in crate::statics) struct Spot {
    pub(super) overlap: Overlap,
    pub(super) law: Law,
    /// E* of both materials \[Pa\].
    pub(in crate::statics) modulus: f64,
    /// Depth of the overlap that is foreseen \[m\].
    depth: f64,
}

/// Both bodies of a pair, deformable ones with their loads.
type Sides = [(Side, Option<LaidLoads>); 2];

/// A pair with the flatter surface first: the plane of the grid is fixed to it.
pub(super) fn ordered(spec: &ContactSpec, bodies: &[StaticBody]) -> Result<ContactSpec, SetupError> {
    let [first, second] =
        [outline(spec, bodies, 0)?, outline(spec, bodies, 1)?].map(|shape| shape.convex_curvatures()[1]);
    let mut spec = spec.clone();
    if first > second {
        spec.bodies.reverse();
        spec.sets.reverse();
    }
    Ok(spec)
}

/// Both bodies of a pair with their loads, and where they meet.
pub(super) fn sides(
    spec: &ContactSpec,
    bodies: &[StaticBody],
    loaded: &mut [LoadedBody],
) -> Result<(Sides, Spot), SetupError> {
    let between = spec.names(bodies);
    let failed = |source: GridError| SetupError::grid(&between, source);
    let shapes = [outline(spec, bodies, 0)?, outline(spec, bodies, 1)?];
    let radius = 1.0 / shapes.each_ref().map(largest_curvature).iter().sum::<f64>();
    let still = (Matrix3::identity(), Vector3::zeros());
    let found = Approach::new(shapes.each_ref(), still.0, still.1).nearest(SIZES[1] * radius);
    let nearest = found.ok_or_else(|| failed(GridError::NotFacing))?;
    let pressed = shapes.each_ref().map(|shape| Pressed {
        shape,
        below: Below::Rigid,
        rotation: still.0,
        origin: still.1,
    });
    let meeting = overlap(pressed, nearest.place, nearest.normal, SIZES[0] * radius)
        .map_err(|source| failed(GridError::of_place(source)))?;
    let ratio = slenderness(meeting.curvatures);
    if ratio > MOST_SLENDER {
        return Err(failed(GridError::Slender { ratio }));
    }
    let [first, second] = [half_space(spec, bodies, 0)?, half_space(spec, bodies, 1)?];
    let modulus = 1.0 / [first, second].iter().map(|h| 1.0 / h.contact_modulus()).sum::<f64>();
    let mut spot = Spot { overlap: meeting, law: spec.law.with_modulus(modulus), modulus, depth: 0.0 };
    spot.depth = spot.foreseen(spec, bodies, radius);
    let mut made = Vec::with_capacity(2);
    for (end, shape) in shapes.into_iter().enumerate() {
        made.push(side(spec, bodies, end, shape, &spot, loaded)?);
    }
    let [a, b] = <[_; 2]>::try_from(made).unwrap_or_else(|_| unreachable!("there are two ends"));
    Ok(([a, b], spot))
}

impl Spot {
    /// Depth by Hertz under all loads of the problem, or by the displacements of supports.
    fn foreseen(&self, spec: &ContactSpec, bodies: &[StaticBody], radius: f64) -> f64 {
        let [low, high] = self.overlap.curvatures;
        let force: f64 = bodies.iter().map(|body| body.load_size).sum();
        let between = (low * high).sqrt();
        let by_force = (0.5625 * (force / self.modulus).powi(2) * between).cbrt();
        let moved =
            |body: &StaticBody| body.held.values.iter().flatten().fold(0.0f64, |most, u| most.max(u.abs()));
        let by_supports = spec.bodies.iter().map(|&body| moved(&bodies[body])).fold(0.0, f64::max);
        let most = (LARGEST * radius).powi(2) * between;
        by_force.max(by_supports + self.overlap.depth).clamp(LEAST_DEPTH * radius, most)
    }

    /// √(a b) of the contact for the depth that is foreseen \[m\].
    fn radius(&self) -> f64 {
        let [low, high] = self.overlap.curvatures;
        (self.depth / (low * high).sqrt()).sqrt()
    }

    /// The first grid.
    pub(super) fn plan(&self) -> GridPlan {
        let Overlap { plane, curvatures, second, hollow, .. } = self.overlap;
        let [_, short] = semi_axes(curvatures, self.radius());
        let side = short / PARTS;
        GridPlan {
            plane: beside(&plane, side),
            side,
            stretch: 1.0,
            curvature: second,
            outline: second,
            height: height(curvatures, self.radius()),
            middle: [0; 2],
            partner: (Matrix3::identity(), Vector3::zeros()),
            hollow,
            way: 0.0,
        }
    }
}

/// A plane whose middle lies beside the middle of the contact.
fn beside(plane: &PatchPlane, side: f64) -> PatchPlane {
    let off = OFF * side * (plane.axes.row(0) + plane.axes.row(1)).transpose();
    PatchPlane { center: plane.center + off, ..*plane }
}

/// Principal curvatures of second derivatives xx, xy, yy, ascending \[1/m\].
fn principal([xx, xy, yy]: [f64; 3]) -> [f64; 2] {
    let (mean, half) = (0.5 * (xx + yy), (0.5 * (xx - yy)).hypot(xy));
    [mean - half, mean + half]
}

/// Length over width of the contact, about.
fn slenderness([low, high]: [f64; 2]) -> f64 {
    (high / low).powf(2.0 / 3.0)
}

/// Both semi-axes of a contact, the longer one first \[m\].
///
/// * `radius` — √(a b) of its ellipse \[m\]
fn semi_axes(curvatures: [f64; 2], radius: f64) -> [f64; 2] {
    let root = slenderness(curvatures).sqrt();
    [radius * root, radius / root]
}

/// Height of the paraboloid of the gap over the rim of a grid for a contact.
///
/// * `radius` — √(a b) of its ellipse \[m\]
fn height([low, high]: [f64; 2], radius: f64) -> f64 {
    let [long, short] = semi_axes([low, high], radius);
    0.5 * (low * (EXTENT * long).powi(2)).max(high * (EXTENT * short).powi(2))
}

impl GridPair {
    /// * `sides` — with the loads of deformable bodies
    /// * `loaded` — with the response of the bodies to them
    pub(super) fn new(
        spec: &ContactSpec,
        bodies: &[StaticBody],
        sides: Sides,
        spot: Spot,
        loaded: &[LoadedBody],
    ) -> Result<Self, SetupError> {
        let between = spec.names(bodies);
        let mut made = Vec::with_capacity(2);
        for (mut side, laid) in sides {
            if let Some(laid) = laid {
                let rows = side.rows();
                let response = &loaded[side.body].response;
                let own = response.submatrix(rows.start, rows.start, rows.len(), rows.len()).to_owned();
                let placed: PlacedBody = laid
                    .placed(own)
                    .map_err(|source| SetupError::grid(&between, PairError::from(source).into()))?;
                side.under = Under::Places(Box::new(placed));
                side.values = Some(Mat::identity(rows.len(), rows.len()));
            }
            made.push(side);
        }
        let [a, b] = <[_; 2]>::try_from(made).unwrap_or_else(|_| unreachable!("there are two sides"));
        let sides = [a, b];
        let grid_bodies = sides.each_ref().map(Side::grid_body);
        let grid = FixedGrid::new(spot.plan(), grid_bodies, spot.law, 0.0)
            .map_err(|source| SetupError::grid(&between, source.into()))?;
        let rows = [0, 1].map(|k| grid.gap_rows(k));
        let still = (Matrix3::identity(), Vector3::zeros());
        let frames = sides.each_ref().map(|side| (bodies[side.body].rotation, bodies[side.body].origin));
        Ok(Self {
            name: String::new(),
            surfaces: between,
            sides,
            spot,
            grid,
            rows,
            frames,
            poses: [still; 2],
        })
    }

    /// A grid that fits the contact better; none if the present one does.
    ///
    /// Its lattice starts beside the middle of the forces, and the weights of the second body are those of
    /// its present position.
    pub(super) fn better(&self, loaded: &[LoadedBody]) -> Result<Option<GridPlan>, GridError> {
        let (grid, plan) = (&self.grid, self.grid.plan);
        if grid.sums.force == 0.0 {
            return Ok(None);
        }
        if grid.sums.at_edge {
            return Err(GridError::Edge);
        }
        if grid.sums.is_cut {
            let factor = if grid.grid.len() > MANY { GROWTH } else { 1.0 };
            let (side, height) = (factor * plan.side, GROWTH * plan.height);
            return Ok(Some(GridPlan { side, height, ..plan }));
        }
        let curvatures = principal(plan.curvature);
        let radius = grid.grid.contact_radius(&grid.forces);
        if radius * plan.hollow > HOLLOW {
            return Err(GridError::Hollow { radius, ratio: radius * plan.hollow });
        }
        let [_, short] = semi_axes(curvatures, radius);
        let side = short / PARTS;
        let is_off = grid.middle_of_forces().iter().any(|cells| cells.abs() > 1.0);
        if (FITS[0]..FITS[1]).contains(&(plan.side / side)) && !is_off {
            return Ok(None);
        }
        let at = self.position(loaded);
        Ok(Some(GridPlan {
            plane: beside(&PatchPlane { center: grid.point_of_forces(), ..*grid.middle_plane() }, side),
            side,
            height: height(curvatures, radius),
            partner: (at.rotation, grid.moved_origin(&at)),
            ..plan
        }))
    }

    /// An error if the bodies overlap at a second place at the last evaluation.
    pub(super) fn check_spot(&self, loaded: &[LoadedBody]) -> Result<(), GridError> {
        let at = self.position(loaded);
        let plan = &self.grid.plan;
        let [low, _] = principal(plan.curvature);
        // The overlap of undeformed surfaces is larger than the contact: its rim lies as high as its depth.
        let reach = 2.0 * (2.0 * plan.height / low).sqrt();
        let shapes = self.sides.each_ref().map(|side| &side.shape);
        let mut approach = Approach::new(shapes, at.rotation, self.grid.moved_origin(&at));
        let middle = self.grid.middle_plane().center;
        match approach.deepest_elsewhere(&middle, reach, LEAST_SPOT * plan.height) {
            Some((place, depth)) => Err(GridError::SecondSpot { place: place.into(), depth }),
            None => Ok(()),
        }
    }
}

/// The surface of an end, for the search of the place.
fn outline(spec: &ContactSpec, bodies: &[StaticBody], end: usize) -> Result<Shape, SetupError> {
    let body = &bodies[spec.bodies[end]];
    let surface = body.discretisation.surface(&touching_faces(&body.body, &spec.sets[end])?);
    let points: Vec<Vector3<f64>> = positions(&body.discretisation, &surface.points);
    Shape::faces(surface, &points).map_err(|source| SetupError::Surface { body: body.name.clone(), source })
}

/// The faces of a set; all if it is the whole surface.
fn touching_faces(body: &Body, set: &str) -> Result<Vec<FaceRef>, SetupError> {
    if set.is_empty() { Ok(body.boundary_faces()) } else { Ok(body.faces_of_set(set)?) }
}

fn positions(discretisation: &Discretisation, points: &[u32]) -> Vec<Vector3<f64>> {
    points.iter().map(|&k| Vector3::from(discretisation.points[k as usize])).collect()
}

/// The material below an end.
fn half_space(spec: &ContactSpec, bodies: &[StaticBody], end: usize) -> Result<HalfSpace, SetupError> {
    let StaticBody { body, discretisation, .. } = &bodies[spec.bodies[end]];
    let found = half_space_of((body, discretisation), &touching_faces(body, &spec.sets[end])?);
    Ok(found.map_err(PlacedModelError::from)?)
}

/// An end with its loads, which are added to those of its body.
fn side(
    spec: &ContactSpec,
    bodies: &[StaticBody],
    end: usize,
    shape: Shape,
    spot: &Spot,
    loaded: &mut [LoadedBody],
) -> Result<(Side, Option<LaidLoads>), SetupError> {
    let (number, set) = (spec.bodies[end], &spec.sets[end]);
    let StaticBody { name, body, discretisation, elastic, .. } = &bodies[number];
    let touching = if set.is_empty() { Touching::Whole } else { Touching::Set(set.clone()) };
    let center = spot.overlap.plane.center.into();
    let region = |radius: f64| {
        let spec = PlaceSpec::around(touching.clone(), center, radius, DIGITS);
        TouchRegion::new(body, discretisation, &spec)
    };
    let [long, _] = semi_axes(spot.overlap.curvatures, spot.radius());
    let near = (REGION[0] * long).max(spot.overlap.depth.abs());
    let found = region(near)?;
    let found = region(near.max(REGION[1] * found.edge()))?;
    let names = (name.clone(), if set.is_empty() { "*".to_owned() } else { set.clone() });
    let faces = MeshFaces::of(&shape);
    let plain =
        Side { body: number, shape, under: Under::Rigid, loads: [0; 2], values: None, mesh: None, faces };
    if elastic.is_none() {
        found.refuse_facets(&names)?;
        return Ok((Side { under: Under::HalfSpace(half_space(spec, bodies, end)?), ..plain }, None));
    }
    let Loading { loads, edge, thickness, reach } = found.loading(&names)?;
    let whole = body.boundary_faces();
    let laid = lay((body, discretisation), (&whole, &found.faces), loads, found.within(reach))
        .map_err(PlacedModelError::from)?;
    let first = loaded[number].spread.len();
    let count = laid.spread.len();
    loaded[number].spread.extend(laid.spread.iter().cloned());
    let mesh = Some(MeshBelow { edge, thickness, radius: loads.radius });
    Ok((Side { loads: [first, count], mesh, ..plain }, Some(laid)))
}

/// Largest convex curvature, of faces at least 1/size \[1/m\].
fn largest_curvature(shape: &Shape) -> f64 {
    shape.convex_curvatures()[1].max(1.0 / shape.radius().max(f64::MIN_POSITIVE))
}
