//! One pair of surfaces: its faces and nodes, and the rows of its gaps.

mod around;
mod edges;
mod kept;
mod overlap;
mod pressure;
mod rows;
mod side;

use std::collections::BTreeMap;

use carom_contact::edge_to_edge::EdgeLimits;
use carom_contact::node_to_face::{ContactSide, Limits, NodeToFace, Passes};
use carom_contact::{Law, Stiffness};
use carom_dynamics::Pose;
use nalgebra::{Matrix3, Vector3};

use super::meeting::Meeting;
use super::row::{Row, Rows};
use crate::explicit::SetupError;
use crate::explicit::bodies::Bodies;
use crate::explicit::problem::{AutomaticSpec, ContactSpec, Problem, SideSpec};
use crate::explicit::which::Which;
use crate::surface_nodes::{diagonals, smallest_face};
pub(super) use edges::EDGES;
pub(in crate::explicit) use edges::Edges;
pub(in crate::explicit) use overlap::Overlap;
use side::{AllSurfaces, End, NamedSide, all_surfaces, edge_sides, named_side};

/// Depth up to which a node has penetrated a face, and gap up to which it has a row, relative to the smallest
/// face of both surfaces.
const DEPTH: f64 = 0.5;
const REACH: f64 = 0.05;

/// Depth up to which edges have penetrated each other, relative to the smallest face: the way of a fast
/// body in a step.
const EDGE_DEPTH: f64 = 0.1;

/// Depth of a node without contact in the last step beyond which it has not come through the face, relative
/// to the smallest face.
const SUDDEN: f64 = 0.01;

/// Depth at the start from which on a node is an overlap, relative to the smallest face: less is rounding of
/// surfaces that lie on each other.
const LEAST_OVERLAP: f64 = 1e-6;

/// Angle by which a face turns in a step at most. The gap at the start of a step is along the normal at its
/// end: it is in error by the angle times the slip.
const TURN: f64 = 0.1;

/// Two surfaces that may touch, at least one of them on a deformable body.
pub(in crate::explicit) struct Pair {
    /// Number among all contacts.
    pub(in crate::explicit) number: usize,
    /// Numbers of its bodies, in the order of the scenario.
    pub(in crate::explicit) bodies: [usize; 2],
    ends: [End; 2],
    /// True for the surfaces of all bodies against each other and themselves.
    pub(in crate::explicit) is_automatic: bool,
    /// Number of the body of each face of an automatic contact, in the order of the bodies.
    of_faces: Vec<u32>,
    /// Smallest diagonal of a face, or diameter of a beam, at rest \[m\].
    pub(super) size: f64,
    /// Diagonal of each face at rest \[m\]; empty for a side without faces.
    diagonals: [Vec<f64>; 2],
    /// The rigid body in whose axes gaps are computed, if one side is a rigid body.
    frame: Option<usize>,
    /// True if the sides are in the opposite order of the scenario.
    pub(super) is_turned: bool,
    gaps: NodeToFace,
    /// Edges that may cross each other, if both sides have some.
    pub(in crate::explicit) edges: Option<Edges>,
    law: Law,
    pub(super) friction: f64,
    /// Places of the points in the frame of the gaps \[m\].
    places: [Vec<Vector3<f64>>; 2],
    /// The same at t_n.
    places_now: [Vec<Vector3<f64>>; 2],
    /// Number of steps begun.
    step: u64,
    /// The overlap at the start, if there is one.
    pub(in crate::explicit) overlap: Option<Overlap>,
    /// Sums over two bodies, by their numbers.
    pub(in crate::explicit) meetings: BTreeMap<[usize; 2], Meeting>,
    /// Sum of all normal forces at t_n \[N\].
    pub(in crate::explicit) pressed: f64,
    /// Smallest gap at t_n; infinite if no node is near \[m\].
    pub(in crate::explicit) least_gap: f64,
    pub(in crate::explicit) deepest: f64,
}

impl Pair {
    pub(super) fn new(problem: &Problem, spec: &ContactSpec, bodies: &Bodies) -> Result<Self, SetupError> {
        let name = || {
            let of = |side: usize| {
                let body = &problem.bodies[spec.bodies[side]].geometry.name;
                match &spec.sides[side] {
                    SideSpec::Set(set) => format!("{body}:{set}"),
                    SideSpec::Shape(_) => body.clone(),
                }
            };
            format!("{}, {}", of(0), of(1))
        };
        let is_rigid = |side: usize| matches!(bodies.which[spec.bodies[side]], Which::Rigid(_));
        if spec.bodies[0] == spec.bodies[1] {
            return Err(SetupError::OneBody { pair: name() });
        }
        if is_rigid(0) && is_rigid(1) {
            return Err(SetupError::NoDeformable { pair: name() });
        }
        check_law(&spec.law).map_err(|problem| SetupError::Penalty { pair: name(), problem })?;
        let [first, second] = [0, 1].map(|side| named_side(problem, spec, side, bodies, &name));
        let (first, second) = (first?, second?);
        // Nodes are on the first side; a shape without faces has none.
        let is_turned = first.side.shape.as_faces().is_none();
        let sides = if is_turned { [second, first] } else { [first, second] };
        let passes = if sides[1].side.shape.as_faces().is_some() { Passes::Dual } else { Passes::Single };
        let size = smallest(sides.iter().map(|of| &of.side));
        let size = sides.iter().map(|of| of.size).fold(size, f64::min);
        let walls: f64 = sides.iter().map(|of| of.end.halves.iter().copied().fold(0.0, f64::max)).sum();
        let edges =
            edge_limits(size).and_then(|limits| Edges::between(edge_sides(problem, spec, bodies)?, limits));
        let [NamedSide { side: a, end: end_a, .. }, NamedSide { side: b, end: end_b, .. }] = sides;
        let mut ends = [end_a, end_b];
        if passes == Passes::Dual {
            // Nodes of both sides carry pressure: each has half of its surface.
            ends.iter_mut().for_each(|end| end.areas.iter_mut().for_each(|area| *area *= 0.5));
        }
        let gaps = NodeToFace::new([a, b], limits(size, walls), passes)
            .map_err(|source| SetupError::Rows { pair: name(), source })?;
        let frame = ends.iter().find_map(|end| match end.which(None) {
            Which::Rigid(body) => Some(body),
            Which::Flexible(_) => None,
        });
        let made = Self::with((spec.number, spec.bodies), ends, gaps, (spec.law, spec.friction));
        // The first edges are those of the scenario's first body.
        Ok(Self { is_turned, frame, size, edges, ..made })
    }

    /// The surfaces of all bodies against each other and themselves, without those of two rigid bodies.
    pub(super) fn automatic(
        problem: &Problem,
        spec: &AutomaticSpec,
        bodies: &Bodies,
    ) -> Result<Self, SetupError> {
        let name = || "*".to_owned();
        check_law(&spec.law).map_err(|problem| SetupError::Penalty { pair: name(), problem })?;
        let AllSurfaces { side, mut end, of_faces, edges, size } = all_surfaces(problem, bodies, &name)?;
        // The nodes of both surfaces that touch carry pressure.
        end.areas.iter_mut().for_each(|area| *area *= 0.5);
        let faced = End {
            areas: Vec::new(),
            springs: Vec::new(),
            forces: Vec::new(),
            around: Vec::new(),
            seen: Vec::new(),
            sunk: Vec::new(),
            ..end.clone()
        };
        let size = smallest(std::iter::once(&side)).min(size);
        let walls = 2.0 * end.halves.iter().copied().fold(0.0, f64::max);
        let mut gaps = NodeToFace::within(side, &of_faces, &end.halves, limits(size, walls))
            .map_err(|source| SetupError::Rows { pair: name(), source })?;
        let is_rigid = |which: &Which| matches!(which, Which::Rigid(_));
        gaps.leave_out(&bodies.which.iter().map(is_rigid).collect::<Vec<_>>());
        let made = Self::with((spec.number, [0; 2]), [end, faced], gaps, (spec.law, spec.friction));
        let edges = edge_limits(size).and_then(|limits| Edges::within(edges, limits, bodies));
        Ok(Self { is_automatic: true, size, of_faces, edges, meetings: BTreeMap::new(), ..made })
    }

    fn with(
        (number, bodies): (usize, [usize; 2]),
        ends: [End; 2],
        gaps: NodeToFace,
        (law, friction): (Law, f64),
    ) -> Self {
        let places = [&ends[0], &ends[1]].map(|end| vec![Vector3::zeros(); end.points.len()]);
        let diagonals = [0, 1].map(|side| {
            let faces = gaps.side(side).shape.as_faces();
            faces.map_or_else(Vec::new, |faces| diagonals(faces).collect())
        });
        Self {
            diagonals,
            number,
            bodies,
            ends,
            is_automatic: false,
            size: f64::INFINITY,
            frame: None,
            is_turned: false,
            gaps,
            edges: None,
            law,
            friction,
            places_now: places.clone(),
            places,
            step: 0,
            overlap: None,
            of_faces: Vec::new(),
            meetings: BTreeMap::from([(bodies, Meeting::default())]),
            pressed: 0.0,
            least_gap: f64::INFINITY,
            deepest: 0.0,
        }
    }

    /// True for contact by multipliers.
    pub(super) fn is_hard(&self) -> bool {
        self.law == Law::Hard
    }

    /// Begins a step.
    pub(super) fn begin(&mut self) {
        self.step += 1;
        self.follow_overlaps();
        self.meetings.values_mut().for_each(Meeting::begin);
        let step = self.step;
        self.edges.iter_mut().for_each(|edges| edges.begin(step));
        self.pressed = 0.0;
        self.least_gap = f64::INFINITY;
    }

    /// Stiffness of a row \[N/m\]; two edges that cross have that of the area of the smallest face.
    pub(super) fn stiffness(&self, row: &Row) -> f64 {
        match self.law {
            Law::Hard => 0.0,
            Law::Penalty(Stiffness::PerPoint(stiffness)) => stiffness,
            law @ Law::Penalty(_) if row.side == EDGES => 1.0 / law.compliance(self.size * self.size),
            law @ Law::Penalty(_) => 1.0 / law.compliance(self.ends[row.side].areas[row.node as usize]),
        }
    }

    /// Adds the rows of near nodes.
    ///
    /// * `number` — of the pair in its list
    /// * `dt` — length of the step \[s\]
    pub(super) fn add_rows(&mut self, number: usize, bodies: &Bodies, dt: f64, rows: &mut Rows) {
        // Gaps of multipliers are those at t_{n+1} as predicted, those of penalties at t_n.
        let ahead = self.is_hard().then_some(dt);
        let frame = self.frame(bodies, ahead);
        for side in 0..2 {
            self.place_points(side, bodies, ahead, &frame);
        }
        if ahead.is_some() {
            let now = self.frame(bodies, None);
            std::mem::swap(&mut self.places, &mut self.places_now);
            for side in 0..2 {
                self.place_points(side, bodies, None, &now);
            }
            std::mem::swap(&mut self.places, &mut self.places_now);
            let ([a, b], [c, d]) = (&self.places_now, &self.places);
            self.gaps.update_from([a, b], [c, d]);
        } else {
            let [a, b] = &self.places;
            self.gaps.update([a, b]);
        }
        for k in 0..self.gaps.rows().len() {
            self.add_row((number, k), bodies, &frame, (ahead.is_some(), dt), rows);
        }
        self.add_edge_rows(number, bodies, dt, rows);
    }

    /// The axes in which gaps are computed.
    fn frame(&self, bodies: &Bodies, ahead: Option<f64>) -> Pose {
        let inertial = Pose { position: Vector3::zeros(), rotation: Matrix3::identity() };
        self.frame.map_or(inertial, |body| pose(bodies, body, ahead.is_some()))
    }

    fn place_points(&mut self, side: usize, bodies: &Bodies, ahead: Option<f64>, frame: &Pose) {
        let (end, places) = (&self.ends[side], &mut self.places[side]);
        let dt = ahead.unwrap_or(0.0);
        for (which, range) in end.ranges() {
            let places = &mut places[range.clone()];
            match which {
                Which::Rigid(body) if self.frame == Some(body) => places.copy_from_slice(&end.rest[range]),
                Which::Rigid(body) => {
                    let pose = pose(bodies, body, ahead.is_some());
                    places.iter_mut().zip(&end.rest[range]).for_each(|(place, x)| *place = pose.point(x));
                }
                Which::Flexible(body) => {
                    let body = &bodies.flexible[body];
                    for (place, &point) in places.iter_mut().zip(&end.points[range]) {
                        let [_, velocity] = body.velocities(point);
                        let x = body.place(point) + dt * velocity;
                        *place = frame.rotation.tr_mul(&(x - frame.position));
                    }
                }
            }
        }
    }

    /// Number of steps begun.
    pub(in crate::explicit) fn steps(&self) -> u64 {
        self.step
    }

    /// Sets the number of steps from a checkpoint.
    pub(in crate::explicit) fn set_steps(&mut self, steps: u64) {
        self.step = steps;
    }

    /// Adds the force of a row to that of its bodies.
    pub(super) fn note(&mut self, row: &Row, normal_force: f64, force: &Vector3<f64>) {
        self.pressed += normal_force;
        let Some((meeting, sign)) = self.meeting(row.bodies, row.side) else { return };
        meeting.note([(sign * normal_force) * row.normal, sign * force], normal_force, &row.place);
        meeting.note_gap(row.gap_now);
    }
}

/// Pose of a rigid body at t_n, or at t_{n+1} without contact.
fn pose(bodies: &Bodies, body: usize, is_ahead: bool) -> Pose {
    match &bodies.rigid {
        Some(rigid) if is_ahead => rigid.ahead[body],
        Some(rigid) => *rigid.now(body),
        None => unreachable!("a rigid end has a rigid body"),
    }
}

/// The smallest diagonal of a face of some surfaces \[m\].
fn smallest<'a>(sides: impl Iterator<Item = &'a ContactSide>) -> f64 {
    let size = sides.filter_map(|side| side.shape.as_faces()).map(smallest_face);
    size.fold(f64::INFINITY, f64::min)
}

/// Limits of rows by the smallest face.
///
/// * `walls` — distance of the surfaces of shells from their nodes \[m\]
fn limits(size: f64, walls: f64) -> Limits {
    Limits { reach: REACH * size + walls, depth: DEPTH * size }
}

/// Limits of rows of edges by the smallest face; none without faces.
fn edge_limits(size: f64) -> Option<EdgeLimits> {
    size.is_finite().then_some(EdgeLimits { reach: REACH * size, depth: EDGE_DEPTH * size })
}

fn check_law(law: &Law) -> Result<(), String> {
    let positive = |x: f64| x > 0.0 && x.is_finite();
    match law {
        Law::Hard => Ok(()),
        Law::Penalty(Stiffness::PerPoint(stiffness)) if positive(*stiffness) => Ok(()),
        law if law.is_of_cells() => Ok(()),
        Law::Penalty(Stiffness::OfMaterials { modulus: None, .. }) => {
            Err("no body of the pair has an elastic material to take a stiffness from".to_owned())
        }
        Law::Penalty(_) => Err("its stiffness must be a positive number".to_owned()),
    }
}
