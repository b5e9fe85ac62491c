//! One side of a pair: the surface of a body, or the surfaces of all bodies as one, with their nodes.

use carom_contact::geometry::Faces;
use carom_contact::node_to_face::{ContactSide, Nodes};
use carom_contact::{Shape, shape::joined};
use carom_fem::{Discretisation, Surface};
use carom_mesh::CellRef;
use nalgebra::Vector3;

use super::edges::{EdgeSide, Wanted, beams};
use super::overlap::Sunk;
use crate::explicit::SetupError;
use crate::explicit::bodies::Bodies;
use crate::explicit::contact::spring::Spring;
use crate::explicit::contact::wall;
use crate::explicit::deformable::Deformable;
use crate::explicit::problem::{BodyKind, BodySpec, ContactSpec, Problem, SideSpec};
use crate::explicit::reduced::Reduced;
use crate::explicit::which::Which;
use crate::surface_nodes;

/// The bodies and points of a side.
#[derive(Clone)]
pub(super) struct End {
    /// The bodies, each with the number of its first point; ascending.
    pub(super) parts: Vec<(Which, u32)>,
    /// Number of each point in its body; 0 on rigid bodies.
    pub(super) points: Vec<u32>,
    /// Place of each point in the axes of its rigid body; zero on deformable bodies.
    pub(super) rest: Vec<Vector3<f64>>,
    /// Distance of the surface from each point, half of the thickness of shells \[m\]; empty if there are
    /// none.
    pub(super) halves: Vec<f64>,
    /// Area of the faces around each point at rest \[m²\].
    pub(super) around: Vec<f64>,
    /// Area of each node's part of the surface \[m²\].
    pub(super) areas: Vec<f64>,
    pub(super) springs: Vec<Spring>,
    /// Force of the multipliers of each node in the last step in which it had a row, and that step.
    pub(super) forces: Vec<(f64, u64)>,
    /// The last step in which each node was in front of a face, or behind one that it had come through.
    pub(super) seen: Vec<u64>,
    /// Overlap of each node at the start.
    pub(super) sunk: Vec<Sunk>,
}

impl End {
    /// A side without points.
    pub(super) fn empty(which: Which) -> Self {
        Self {
            parts: vec![(which, 0)],
            points: Vec::new(),
            rest: Vec::new(),
            halves: Vec::new(),
            around: Vec::new(),
            areas: Vec::new(),
            springs: Vec::new(),
            forces: Vec::new(),
            seen: Vec::new(),
            sunk: Vec::new(),
        }
    }

    /// The body of a point; the only body of a shape without points.
    pub(super) fn which(&self, point: Option<u32>) -> Which {
        match (&self.parts[..], point) {
            ([(which, _)], _) => *which,
            (parts, Some(point)) => parts[parts.partition_point(|(_, first)| *first <= point) - 1].0,
            (parts, None) => parts[0].0,
        }
    }

    /// The bodies with the ranges of their points.
    pub(super) fn ranges(&self) -> impl Iterator<Item = (Which, std::ops::Range<usize>)> + '_ {
        let ends = self.parts.iter().skip(1).map(|(_, first)| *first as usize);
        let ends = ends.chain([self.points.len()]);
        self.parts.iter().zip(ends).map(|((which, first), end)| (*which, *first as usize..end))
    }

    pub(super) fn append(&mut self, other: Self) {
        let first = self.points.len() as u32;
        if !(self.halves.is_empty() && other.halves.is_empty()) {
            self.halves.resize(self.points.len(), 0.0);
            self.halves.extend(&other.halves);
            self.halves.resize(self.points.len() + other.points.len(), 0.0);
        }
        self.parts.extend(other.parts.into_iter().map(|(which, k)| (which, first + k)));
        self.points.extend(other.points);
        self.rest.extend(other.rest);
        self.around.extend(other.around);
        self.areas.extend(other.areas);
        self.springs.extend(other.springs);
        self.forces.extend(other.forces);
        self.seen.extend(other.seen);
        self.sunk.extend(other.sunk);
    }
}

/// A side that a scenario names.
pub(super) struct NamedSide {
    pub(super) side: ContactSide,
    pub(super) end: End,
    /// Smallest length or diameter of a beam, infinite without beams \[m\].
    pub(super) size: f64,
}

/// The side that a scenario names: faces, beams, or a shape.
pub(super) fn named_side(
    problem: &Problem,
    spec: &ContactSpec,
    side: usize,
    bodies: &Bodies,
    pair: &dyn Fn() -> String,
) -> Result<NamedSide, SetupError> {
    let number = spec.bodies[side];
    let (body, which) = (&problem.bodies[number], bodies.which[number]);
    match (&spec.sides[side], &body.kind) {
        (SideSpec::Shape(shape), BodyKind::Rigid(rigid)) => {
            let shape = shape.moved(|x| rigid.point_b(x), |v| rigid.vector_b(v));
            let side = ContactSide { shape, nodes: Nodes::default() };
            Ok(NamedSide { side, end: End::empty(which), size: f64::INFINITY })
        }
        (SideSpec::Shape(_), BodyKind::Deformable { .. } | BodyKind::Reduced(_)) => {
            unreachable!("shapes belong to rigid bodies")
        }
        (SideSpec::Set(set), _) => {
            let (mut areas_of_wires, mut size) = (Vec::new(), f64::INFINITY);
            let surface = |discretisation: &Discretisation| {
                if let Some(beams) = named_beams(body, set)? {
                    let wires = Wires::new(discretisation, Some(&beams));
                    (areas_of_wires, size) = (wires.areas, wires.size);
                    return Ok((wires.surface, wires.halves));
                }
                if !discretisation.is_structural() {
                    return Ok((body.geometry.surface_of_set(discretisation, set)?, Vec::new()));
                }
                let other = 1 - side;
                let toward = || wall::middle(&problem.bodies[spec.bodies[other]], &spec.sides[other]);
                let faces = body.geometry.faces_of_set(set)?;
                let faces = wall::touched_faces(discretisation, faces, toward)?;
                let surface = discretisation.surface(&faces);
                let halves = wall::half_thickness(discretisation, &faces, &surface.points);
                Ok((surface, halves))
            };
            let reduced = match which {
                Which::Flexible(k) => bodies.flexible[k].reduced(),
                Which::Rigid(_) => None,
            };
            let mut made = match reduced {
                Some(reduced) => of_reduced(reduced, which, set)?,
                None => with_nodes(body, which, bodies, surface)?,
            };
            if !areas_of_wires.is_empty() {
                made.end.areas = areas_of_wires;
            }
            let faces = Faces::new(made.surface, &made.reference);
            let faces = faces.map_err(|source| SetupError::Surface { pair: pair(), source })?;
            let shape = Shape::Faces(Box::new(faces));
            Ok(NamedSide { side: ContactSide { shape, nodes: made.nodes }, end: made.end, size })
        }
    }
}

/// The beams of a set; none for a set of faces.
fn named_beams(body: &BodySpec, set: &str) -> Result<Option<Vec<CellRef>>, SetupError> {
    let beams = body.geometry.beams_of_set(set)?;
    if beams.is_empty() {
        return Ok(None);
    }
    match body.geometry.faces_of_set(set) {
        Ok(_) => Err(SetupError::MixedSet { body: body.geometry.name.clone(), set: set.to_owned() }),
        Err(_) => Ok(Some(beams)),
    }
}

/// The edges of both sides that a scenario names; none if a side has no edges, as a ball.
pub(super) fn edge_sides(problem: &Problem, spec: &ContactSpec, bodies: &Bodies) -> Option<[EdgeSide; 2]> {
    let side = |side: usize| {
        let (number, which) = (spec.bodies[side], bodies.which[spec.bodies[side]]);
        let body = &problem.bodies[number];
        let set = match (&spec.sides[side], &body.kind) {
            (SideSpec::Set(set), _) => set,
            (SideSpec::Shape(shape), BodyKind::Rigid(rigid)) => {
                let shape = shape.moved(|x| rigid.point_b(x), |v| rigid.vector_b(v));
                let Shape::Block(block) = shape else { return None };
                return Some(EdgeSide::of_block(&block, (number, which)));
            }
            (SideSpec::Shape(_), _) => return None,
        };
        let made = |known: &Discretisation| {
            let beams = body.geometry.beams_of_set(set).ok()?;
            if !beams.is_empty() {
                return Some(EdgeSide::new(body, (number, which), known, Wanted::Beams(&beams)));
            }
            let faces = body.geometry.faces_of_set(set).ok()?;
            Some(EdgeSide::new(body, (number, which), known, Wanted::Faces(&faces)))
        };
        match which {
            Which::Flexible(k) => match &bodies.flexible[k] {
                Deformable::Whole(whole) => made(&whole.discretisation),
                Deformable::Reduced(reduced) => EdgeSide::of_reduced(reduced, which, set),
            },
            Which::Rigid(_) => made(&Discretisation::new(&body.geometry).ok()?),
        }
    };
    Some([side(0)?, side(1)?])
}

/// The outer surfaces of all bodies as one side.
pub(super) struct AllSurfaces {
    pub(super) side: ContactSide,
    pub(super) end: End,
    /// Number of the body of each face.
    pub(super) of_faces: Vec<u32>,
    pub(super) edges: EdgeSide,
    /// Smallest length or diameter of a beam, infinite without beams \[m\].
    pub(super) size: f64,
}

/// The outer surfaces of all bodies as one side.
pub(super) fn all_surfaces(
    problem: &Problem,
    bodies: &Bodies,
    pair: &dyn Fn() -> String,
) -> Result<AllSurfaces, SetupError> {
    let (mut end, mut edges): (Option<End>, Option<EdgeSide>) = (None, None);
    let mut size = f64::INFINITY;
    let (mut nodes, mut reference, mut of_faces) = (Nodes::default(), Vec::new(), Vec::new());
    let mut surfaces = Vec::with_capacity(problem.bodies.len());
    for (number, body) in problem.bodies.iter().enumerate() {
        if matches!(body.kind, BodyKind::Reduced(_)) {
            return Err(SetupError::ReducedAutomatic { body: body.geometry.name.clone() });
        }
        let mut areas_of_wires = Vec::new();
        let whole = |discretisation: &Discretisation| {
            let mut faces = body.geometry.boundary_faces();
            if !discretisation.is_structural() {
                return Ok((discretisation.surface(&faces), Vec::new()));
            }
            if wall::has_beams(discretisation) {
                if !faces.is_empty() {
                    return Err(SetupError::AutomaticBeam { body: body.geometry.name.clone() });
                }
                let wires = Wires::new(discretisation, None);
                size = size.min(wires.size);
                areas_of_wires = wires.areas;
                return Ok((wires.surface, wires.halves));
            }
            // One face of a shell stands for both of its sides.
            faces.dedup_by_key(|face| face.cell());
            let surface = discretisation.surface(&faces);
            let halves = wall::half_thickness(discretisation, &faces, &surface.points);
            Ok((surface, halves))
        };
        let mut made = with_nodes(body, bodies.which[number], bodies, whole)?;
        if !areas_of_wires.is_empty() {
            made.end.areas = areas_of_wires;
        }
        nodes.append(&made.nodes, reference.len() as u32);
        reference.extend(made.placed);
        of_faces.extend(std::iter::repeat_n(number as u32, made.surface.faces.len()));
        surfaces.push(made.surface);
        match &mut end {
            None => end = Some(made.end),
            Some(end) => end.append(made.end),
        }
        let which = bodies.which[number];
        let own = match which {
            Which::Flexible(k) => bodies.flexible[k]
                .whole()
                .map(|whole| EdgeSide::new(body, (number, which), &whole.discretisation, Wanted::All)),
            Which::Rigid(_) => Discretisation::new(&body.geometry)
                .ok()
                .map(|whole| EdgeSide::new(body, (number, which), &whole, Wanted::All)),
        };
        let own = own.unwrap_or_else(|| EdgeSide::empty(which));
        match &mut edges {
            None => edges = Some(own),
            Some(edges) => edges.append(own),
        }
    }
    let (end, edges) = end.zip(edges).ok_or_else(|| SetupError::NoDeformable { pair: pair() })?;
    let faces = Faces::new(joined(&surfaces), &reference);
    let faces = faces.map_err(|source| SetupError::Surface { pair: pair(), source })?;
    let side = ContactSide { shape: Shape::Faces(Box::new(faces)), nodes };
    Ok(AllSurfaces { side, end, of_faces, edges, size })
}

/// The beams of a body: points without faces, at the distance of their radius from the surface.
struct Wires {
    surface: Surface,
    halves: Vec<f64>,
    /// Half of the projected area around each point, length times radius of the halves of its beams \[m²\].
    areas: Vec<f64>,
    size: f64,
}

impl Wires {
    /// * `wanted` — cells, ascending; all beams if none
    fn new(discretisation: &Discretisation, wanted: Option<&[CellRef]>) -> Self {
        let beams = beams(discretisation, wanted);
        let mut points: Vec<u32> = beams.iter().flat_map(|(ends, _)| *ends).collect();
        points.sort_unstable();
        points.dedup();
        let (mut halves, mut areas) = (vec![0.0_f64; points.len()], vec![0.0; points.len()]);
        let mut size = f64::INFINITY;
        for (ends, radius) in beams {
            let [a, b] = ends.map(|k| Vector3::from(discretisation.points[k as usize]));
            let length = (b - a).norm();
            size = size.min(length).min(2.0 * radius);
            for k in ends.iter().filter_map(|end| points.binary_search(end).ok()) {
                halves[k] = halves[k].max(radius);
                areas[k] += radius * length;
            }
        }
        let weights = vec![1.0; points.len()];
        Self { surface: Surface { points, weights, ..Surface::default() }, halves, areas, size }
    }
}

/// A surface of a body with its nodes.
struct WithNodes {
    surface: Surface,
    /// Places of its points: in the axes of a rigid body, inertial axes of a deformable one.
    reference: Vec<Vector3<f64>>,
    /// The same in inertial axes at the start.
    placed: Vec<Vector3<f64>>,
    nodes: Nodes,
    end: End,
}

/// * `surface` — of a discretisation, with the distance of the surface of shells from its points
fn with_nodes(
    body: &BodySpec,
    which: Which,
    bodies: &Bodies,
    surface: impl FnOnce(&Discretisation) -> Result<(Surface, Vec<f64>), SetupError>,
) -> Result<WithNodes, SetupError> {
    let geometry = &body.geometry;
    let made = |source| SetupError::Discretisation { body: geometry.name.clone(), source };
    let own;
    let whole = match which {
        Which::Flexible(k) => bodies.flexible[k].whole(),
        Which::Rigid(_) => None,
    };
    let discretisation = match whole {
        Some(body) => &body.discretisation,
        None => {
            own = Discretisation::new(geometry).map_err(made)?;
            &own
        }
    };
    let (surface, halves) = surface(discretisation)?;
    let in_axes = |x: &Vector3<f64>| match &body.kind {
        BodyKind::Rigid(rigid) => rigid.point_b(x),
        BodyKind::Deformable { .. } | BodyKind::Reduced(_) => *x,
    };
    let places = surface.points.iter().map(|&k| Vector3::from(discretisation.points[k as usize]));
    let reference: Vec<Vector3<f64>> = places.map(|x| in_axes(&x)).collect();
    let placed = match (which, &bodies.rigid) {
        (Which::Rigid(k), Some(rigid)) => {
            let pose = rigid.pose(k);
            reference.iter().map(|x| pose.point(x)).collect()
        }
        _ => reference.clone(),
    };
    let faces = Faces::new(surface.clone(), &reference);
    let faces = faces.map_err(|source| SetupError::Surface { pair: geometry.name.clone(), source })?;
    let (nodes, areas) = surface_nodes::nodes(&faces);
    let n = surface.points.len();
    let (points, rest) = match which {
        Which::Flexible(_) => (surface.points.clone(), vec![Vector3::zeros(); n]),
        Which::Rigid(_) => (vec![0; n], reference.clone()),
    };
    let springs = vec![Spring::default(); nodes.len()];
    let around = surface_nodes::areas_around(&faces);
    let (forces, seen) = (vec![(0.0, 0); nodes.len()], vec![0; nodes.len()]);
    let sunk = vec![Sunk::default(); nodes.len()];
    let parts = vec![(which, 0)];
    let end = End { parts, points, rest, halves, around, areas, springs, forces, seen, sunk };
    Ok(WithNodes { surface, reference, placed, nodes, end })
}

/// A surface of a reduced body with its nodes.
fn of_reduced(body: &Reduced, which: Which, set: &str) -> Result<WithNodes, SetupError> {
    let surface = body.surface(set)?;
    let points = body.points_of(&surface)?;
    let reference: Vec<Vector3<f64>> = points.iter().map(|&point| body.place(point)).collect();
    let faces = Faces::new(surface.clone(), &reference);
    let faces = faces.map_err(|source| SetupError::Surface { pair: body.name.clone(), source })?;
    let (nodes, areas) = surface_nodes::nodes(&faces);
    let end = End {
        parts: vec![(which, 0)],
        rest: vec![Vector3::zeros(); points.len()],
        halves: Vec::new(),
        around: surface_nodes::areas_around(&faces),
        springs: vec![Spring::default(); nodes.len()],
        forces: vec![(0.0, 0); nodes.len()],
        seen: vec![0; nodes.len()],
        sunk: vec![Sunk::default(); nodes.len()],
        points,
        areas,
    };
    Ok(WithNodes { surface, placed: reference.clone(), reference, nodes, end })
}
