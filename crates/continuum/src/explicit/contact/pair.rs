//! One pair of surfaces: its faces and nodes, and the rows of its gaps.

mod around;
mod side;

use carom_contact::geometry::{Faces, FootPoint};
use carom_contact::node_to_face::{ContactSide, Limits, NodeToFace, Passes};
use carom_contact::{Law, Stiffness};
use carom_dynamics::{ContactTracker, Pose};
use nalgebra::{Matrix3, Vector3};

use super::KEPT;
use super::row::{Row, RowStart, Rows};
use super::spring::Spring;
use crate::explicit::SetupError;
use crate::explicit::bodies::Bodies;
use crate::explicit::problem::{AutomaticSpec, ContactSpec, Problem, SideSpec};
use crate::explicit::which::Which;
use crate::surface_nodes::smallest_face;
use around::{Around, Few};
use side::{End, all_surfaces, named_side};

/// Depth up to which a node has penetrated a face, and gap up to which it has a row, relative to the smallest
/// face of both surfaces.
const DEPTH: f64 = 0.5;
const REACH: f64 = 0.05;

/// Depth of a node without contact in the last step beyond which it has not come through the face, relative
/// to the smallest face.
const SUDDEN: f64 = 0.01;

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
    /// True for the surfaces of all bodies against each other and themselves: the pair then has no forces of
    /// one body on another, and no events.
    pub(in crate::explicit) is_automatic: bool,
    /// Smallest diagonal of a face at rest \[m\].
    pub(super) size: f64,
    /// The rigid body in whose axes gaps are computed, if one side is a rigid body.
    frame: Option<usize>,
    /// True if the sides are in the opposite order of the scenario.
    is_turned: bool,
    gaps: NodeToFace,
    law: Law,
    pub(super) friction: f64,
    /// Places of the points in the frame of the gaps \[m\].
    places: [Vec<Vector3<f64>>; 2],
    /// The same at t_n.
    places_now: [Vec<Vector3<f64>>; 2],
    /// Number of steps begun.
    step: u64,
    /// Force on the first body at t_n, its normal part, and Σ |λ| x \[N\], \[N m\].
    pub(in crate::explicit) force: Vector3<f64>,
    pub(in crate::explicit) normal_force: Vector3<f64>,
    pub(in crate::explicit) pressed: (f64, Vector3<f64>),
    /// Impulse on the first body since the start \[N s\].
    pub(in crate::explicit) impulse: Vector3<f64>,
    pub(in crate::explicit) normal_impulse: Vector3<f64>,
    /// Smallest gap at t_n; infinite if no node is near \[m\].
    pub(in crate::explicit) least_gap: f64,
    pub(in crate::explicit) deepest: f64,
    /// Last place of contact \[m\].
    pub(in crate::explicit) last_place: Vector3<f64>,
    pub(in crate::explicit) tracker: ContactTracker,
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
        if is_rigid(0) && is_rigid(1) || spec.bodies[0] == spec.bodies[1] {
            return Err(SetupError::NoDeformable { pair: name() });
        }
        check_law(&spec.law).map_err(|problem| SetupError::Penalty { pair: name(), problem })?;
        let [first, second] = [0, 1].map(|side| named_side(problem, spec, side, bodies, &name));
        let (first, second) = (first?, second?);
        // Nodes are on the first side; a shape without faces has none.
        let is_turned = first.0.shape.as_faces().is_none();
        let sides = if is_turned { [second, first] } else { [first, second] };
        let passes = if sides[1].0.shape.as_faces().is_some() { Passes::Dual } else { Passes::Single };
        let size = smallest(sides.iter().map(|(side, _)| side));
        let walls: f64 = sides.iter().map(|(_, end)| end.halves.iter().copied().fold(0.0, f64::max)).sum();
        let [(a, end_a), (b, end_b)] = sides;
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
        Ok(Self { is_turned, frame, size, ..made })
    }

    /// The surfaces of all bodies against each other and themselves; rows between two rigid bodies are left
    /// out.
    pub(super) fn automatic(
        problem: &Problem,
        spec: &AutomaticSpec,
        bodies: &Bodies,
    ) -> Result<Self, SetupError> {
        let name = || "*".to_owned();
        check_law(&spec.law).map_err(|problem| SetupError::Penalty { pair: name(), problem })?;
        let (side, mut end, of_faces) = all_surfaces(problem, bodies, &name)?;
        // The nodes of both surfaces that touch carry pressure.
        end.areas.iter_mut().for_each(|area| *area *= 0.5);
        let faced = End {
            areas: Vec::new(),
            springs: Vec::new(),
            forces: Vec::new(),
            around: Vec::new(),
            seen: Vec::new(),
            ..end.clone()
        };
        let size = smallest(std::iter::once(&side));
        let gaps = NodeToFace::within(side, &of_faces, limits(size, 0.0))
            .map_err(|source| SetupError::Rows { pair: name(), source })?;
        let made = Self::with((spec.number, [0; 2]), [end, faced], gaps, (spec.law, spec.friction));
        Ok(Self { is_automatic: true, size, ..made })
    }

    fn with(
        (number, bodies): (usize, [usize; 2]),
        ends: [End; 2],
        gaps: NodeToFace,
        (law, friction): (Law, f64),
    ) -> Self {
        let places = [&ends[0], &ends[1]].map(|end| vec![Vector3::zeros(); end.points.len()]);
        Self {
            number,
            bodies,
            ends,
            is_automatic: false,
            size: f64::INFINITY,
            frame: None,
            is_turned: false,
            gaps,
            law,
            friction,
            places_now: places.clone(),
            places,
            step: 0,
            force: Vector3::zeros(),
            normal_force: Vector3::zeros(),
            pressed: (0.0, Vector3::zeros()),
            impulse: Vector3::zeros(),
            normal_impulse: Vector3::zeros(),
            least_gap: f64::INFINITY,
            deepest: 0.0,
            last_place: Vector3::zeros(),
            tracker: ContactTracker::default(),
        }
    }

    /// True for contact by multipliers.
    pub(super) fn is_hard(&self) -> bool {
        self.law == Law::Hard
    }

    /// Begins a step.
    pub(super) fn begin(&mut self) {
        self.step += 1;
        self.force = Vector3::zeros();
        self.normal_force = Vector3::zeros();
        self.pressed = (0.0, Vector3::zeros());
        self.least_gap = f64::INFINITY;
    }

    /// Stiffness of a node \[N/m\].
    pub(super) fn stiffness(&self, side: usize, node: u32) -> f64 {
        match self.law {
            Law::Hard => 0.0,
            Law::Penalty(Stiffness::PerPoint(stiffness)) => stiffness,
            law @ Law::Penalty(_) => 1.0 / law.compliance(self.ends[side].areas[node as usize]),
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

    /// Adds one row with the weights of its points.
    fn add_row(
        &mut self,
        (number, k): (usize, usize),
        bodies: &Bodies,
        frame: &Pose,
        (is_ahead, dt): (bool, f64),
        rows: &mut Rows,
    ) {
        let found = self.gaps.rows()[k];
        let (side, foot) = (found.side, &found.foot);
        let normal = frame.rotation * foot.normal;
        let mut around = Around::default();
        let ends = &self.ends;
        self.gaps.for_gradient(&found, |of, point, weight| around.add(of == side, point, weight));
        let which = [ends[side].which(around.node.first()), ends[1 - side].which(around.faced.first())];
        if which.iter().all(|which| matches!(which, Which::Rigid(_))) {
            return;
        }
        let now = |of: usize, point: u32| place_now(&ends[of], point, bodies);
        let sum = |of: usize, list: &Few| -> Vector3<f64> {
            // Weights of the faced side have the sign of the gap.
            let sign = if of == side { 1.0 } else { -1.0 };
            list.iter().map(|(point, weight)| sign * weight * now(of, point)).sum()
        };
        // Shells touch with surfaces at half of their thickness.
        let half = |of: usize, list: &Few| -> f64 {
            let halves = &ends[of].halves;
            let of_point = |(point, weight): (u32, f64)| weight.abs() * halves[point as usize];
            if halves.is_empty() { 0.0 } else { list.iter().map(of_point).sum() }
        };
        let wall = half(side, &around.node) + half(1 - side, &around.faced);
        let node_now = sum(side, &around.node);
        // Position of the foot point at t_n, which moves with its points, or with the rigid body.
        let foot_now = match which[1] {
            Which::Rigid(body) => {
                let there = if self.frame == Some(body) {
                    foot.position
                } else {
                    let pose = pose(bodies, body, is_ahead);
                    pose.rotation.tr_mul(&(foot.position - pose.position))
                };
                pose(bodies, body, false).point(&there)
            }
            Which::Flexible(_) => sum(1 - side, &around.faced),
        };
        let gap_now = normal.dot(&(node_now - foot_now)) - wall;
        let is_rigid_node = matches!(which[0], Which::Rigid(_));
        let place = if is_rigid_node { foot_now } else { node_now };
        let velocity = |of: usize, list: &Few| match (which[usize::from(of != side)], &bodies.rigid) {
            (Which::Rigid(body), Some(rigid)) => rigid.velocity_ahead(body, &place),
            (Which::Rigid(_), None) => Vector3::zeros(),
            (Which::Flexible(body), _) => {
                let sign = if of == side { 1.0 } else { -1.0 };
                let of_point = |(point, weight): (u32, f64)| {
                    sign * weight * bodies.flexible[body].velocities(ends[of].points[point as usize])[1]
                };
                list.iter().map(of_point).sum()
            }
        };
        let relative = velocity(side, &around.node) - velocity(1 - side, &around.faced);
        // A node that is suddenly deep behind a face has come around the rim of an open surface.
        let is_across = is_in_front(self.gaps.side(1 - side).shape.as_faces(), foot);
        let slip = dt * (relative - normal * normal.dot(&relative));
        let is_sudden = -gap_now > f64::max(SUDDEN * self.size, TURN * slip.norm());
        if is_sudden && self.step > 1 && ends[side].seen[found.node as usize] + 1 < self.step {
            return;
        }
        rows.begin(RowStart {
            pair: number as u32,
            side,
            node: found.node,
            normal,
            place,
            gap_now,
            gap: if is_ahead { foot.gap - wall } else { gap_now },
            least: KEPT * gap_now.min(0.0),
            slip,
        });
        for (end, of) in [(0, side), (1, 1 - side)] {
            match which[end] {
                Which::Rigid(body) => {
                    let com = bodies.rigid.as_ref().map_or(place, |rigid| rigid.now(body).position);
                    rows.add_rigid(bodies, body, end, place - com);
                }
                Which::Flexible(body) if end == 0 => {
                    for (point, weight) in around.node.iter() {
                        rows.add_point(bodies, (body, end), ends[of].points[point as usize], weight);
                    }
                }
                Which::Flexible(body) => {
                    if !is_rigid_node {
                        around.faced.balance(&normal, &place, |point| now(of, point));
                    }
                    for (point, weight) in around.faced.iter() {
                        rows.add_point(bodies, (body, end), ends[of].points[point as usize], weight);
                    }
                }
            }
        }
        if is_across {
            self.ends[side].seen[found.node as usize] = self.step;
        }
    }

    /// The side whose pressures a result has, its body among the deformable ones, and its faces: the
    /// scenario's first body, or the second one if that is rigid.
    fn pressure_side(&self) -> Option<(usize, usize, &Faces)> {
        let first = usize::from(self.is_turned);
        let sides = [first, 1 - first].into_iter().filter(|_| !self.is_automatic);
        sides.filter_map(|side| Some((side, self.gaps.side(side).shape.as_faces()?))).find_map(
            |(side, faces)| match self.ends[side].which(None) {
                Which::Flexible(body) => Some((side, body, faces)),
                Which::Rigid(_) => None,
            },
        )
    }

    /// Mean pressure on the faces of that side that carry pressure \[Pa\].
    ///
    /// ```text
    /// p = Σ_i f_i/A_i
    /// ```
    ///
    /// over the points of a face, with the area A_i of all faces around a point: each of these takes a share
    /// of f_i by its area.
    ///
    /// * `for_forces` — calls with each deformable body, its point and the normal force on it \[N\]
    pub(super) fn pressures(
        &self,
        for_forces: impl FnOnce(&mut dyn FnMut(usize, u32, f64)),
    ) -> (Vec<u32>, Vec<f64>) {
        let Some((side, body, faces)) = self.pressure_side() else { return (Vec::new(), Vec::new()) };
        let end = &self.ends[side];
        let mut forces = vec![0.0; end.points.len()];
        for_forces(&mut |of, point, force| {
            if let (true, Ok(k)) = (of == body, end.points.binary_search(&point)) {
                forces[k] += force;
            }
        });
        let pressure = |face: &carom_fem::Face| -> f64 {
            face.points.iter().map(|&k| forces[k as usize] / end.around[k as usize]).sum()
        };
        let all = (0..).zip(&faces.surface.faces).map(|(number, face)| (number, pressure(face)));
        all.filter(|(_, pressure)| *pressure > 0.0).unzip()
    }

    /// The force of the spring of a row at the start of the step \[N\].
    pub(super) fn spring_force(&self, row: &Row) -> Vector3<f64> {
        self.ends[row.side].springs[row.node as usize].at_start(self.step)
    }

    /// Stores the spring force of a row for the next step.
    pub(super) fn set_force(&mut self, row: &Row, force: Vector3<f64>) {
        self.ends[row.side].springs[row.node as usize].set(force, self.step);
    }

    /// Numbers of a spring in a checkpoint.
    pub(in crate::explicit) const N_SPRING: usize = Spring::NUMBERS;

    /// The springs of all nodes, for checkpoints; empty without friction.
    pub(in crate::explicit) fn springs(&self) -> impl Iterator<Item = [f64; Spring::NUMBERS]> + '_ {
        let has_friction = self.friction > 0.0;
        let springs = self.ends.iter().flat_map(|end| &end.springs).filter(move |_| has_friction);
        springs.map(|spring| spring.to_array())
    }

    /// Sets the springs from a checkpoint.
    pub(in crate::explicit) fn read_springs(&mut self, numbers: &[f64]) {
        let springs = self.ends.iter_mut().flat_map(|end| &mut end.springs);
        springs.zip(numbers.as_chunks().0).for_each(|(spring, array)| *spring = Spring::from_array(array));
    }

    /// The force of the multipliers of a node in the last step, from which those of the present step are
    /// searched \[N\]. It is that of the first row of the node; further ones have 0.
    pub(super) fn last_force(&mut self, row: &Row) -> f64 {
        let (force, step) = &mut self.ends[row.side].forces[row.node as usize];
        if *step + 1 == self.step { std::mem::take(force) } else { 0.0 }
    }

    /// Adds to the force of the multipliers of a node.
    pub(super) fn keep_force(&mut self, row: &Row, force: f64) {
        let known = &mut self.ends[row.side].forces[row.node as usize];
        *known = if known.1 == self.step { (known.0 + force, self.step) } else { (force, self.step) };
    }

    /// The forces of the multipliers of all nodes in the last step, for checkpoints.
    pub(in crate::explicit) fn last_forces(&self) -> impl Iterator<Item = f64> + '_ {
        let forces = self.ends.iter().flat_map(|end| &end.forces);
        forces.map(|(force, step)| if *step == self.step { *force } else { 0.0 })
    }

    /// Sets these forces from a checkpoint, once the number of steps is known.
    pub(in crate::explicit) fn read_last_forces(&mut self, numbers: &[f64]) {
        let (step, all) = (self.step, self.ends.iter_mut().flat_map(|end| &mut end.forces));
        all.zip(numbers).for_each(|(known, force)| *known = (*force, step));
    }

    /// The last step of each node in contact, for checkpoints.
    pub(in crate::explicit) fn seen(&self) -> impl Iterator<Item = u64> + '_ {
        self.ends.iter().flat_map(|end| end.seen.iter().copied())
    }

    /// Sets these steps from a checkpoint.
    pub(in crate::explicit) fn read_seen(&mut self, steps: &[u64]) {
        let all = self.ends.iter_mut().flat_map(|end| &mut end.seen);
        all.zip(steps).for_each(|(seen, step)| *seen = *step);
    }

    /// Number of steps begun.
    pub(in crate::explicit) fn steps(&self) -> u64 {
        self.step
    }

    /// Sets the number of steps from a checkpoint.
    pub(in crate::explicit) fn set_steps(&mut self, steps: u64) {
        self.step = steps;
    }

    /// Adds the force of a row to that of the pair.
    pub(super) fn note(&mut self, row: &Row, normal_force: f64, force: &Vector3<f64>) {
        // The scenario's first body has the node of side 0, unless the ends are turned.
        let sign = if (row.side == 0) != self.is_turned { 1.0 } else { -1.0 };
        if !self.is_automatic {
            self.force += sign * force;
            self.normal_force += (sign * normal_force) * row.normal;
        }
        self.pressed.0 += normal_force;
        self.pressed.1 += normal_force * row.place;
    }
}

/// True for a node over or behind a face, false for one beside a rim: behind the plane of the face there it has
/// not come through the surface.
fn is_in_front(faces: Option<&Faces>, foot: &FootPoint) -> bool {
    let Some(faces) = faces else { return true };
    let face_normal = foot.tangents[0].cross(&foot.tangents[1]) * faces.orientation(foot.face);
    foot.normal.dot(&face_normal) >= 0.9 * face_normal.norm()
}

/// Pose of a rigid body at t_n, or at t_{n+1} without contact.
fn pose(bodies: &Bodies, body: usize, is_ahead: bool) -> Pose {
    match &bodies.rigid {
        Some(rigid) if is_ahead => rigid.ahead[body],
        Some(rigid) => *rigid.now(body),
        None => unreachable!("a rigid end has a rigid body"),
    }
}

/// x_n of a point of a surface, inertial axes.
fn place_now(end: &End, point: u32, bodies: &Bodies) -> Vector3<f64> {
    match end.which(Some(point)) {
        Which::Flexible(body) => bodies.flexible[body].place(end.points[point as usize]),
        Which::Rigid(body) => pose(bodies, body, false).point(&end.rest[point as usize]),
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
