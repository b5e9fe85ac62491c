//! One pair of surfaces: its faces and nodes, and the rows of its gaps.

use carom_contact::geometry::{Faces, Start};
use carom_contact::node_to_face::{ContactSide, Limits, NodeToFace, Nodes, Passes};
use carom_contact::{Law, Shape, Stiffness};
use carom_dynamics::{ContactTracker, Pose};
use carom_fem::surface::MAX_FACE_POINTS;
use carom_fem::{Discretisation, Geometry};
use nalgebra::{Matrix3, Vector3};

use super::KEPT;
use super::row::{Row, RowStart, Rows, balance};
use super::spring::Spring;
use super::wall;
use crate::explicit::SetupError;
use crate::explicit::bodies::Bodies;
use crate::explicit::problem::{BodyKind, ContactSpec, Problem, SideSpec};
use crate::explicit::which::Which;

/// Depth up to which a node has penetrated a face, and gap up to which it has a row, relative to the smallest
/// face of both surfaces.
const DEPTH: f64 = 0.5;
const REACH: f64 = 0.05;

/// One side of a pair.
struct End {
    which: Which,
    /// Points of the surface in its body.
    points: Vec<u32>,
    rest: Vec<Vector3<f64>>,
    /// Area of each node's part of the surface \[m²\].
    areas: Vec<f64>,
    /// Distance of the surface from each point, half of the thickness of shells \[m\]; empty if there are
    /// none.
    halves: Vec<f64>,
    springs: Vec<Spring>,
}

/// Two surfaces that may touch, at least one of them on a deformable body.
pub(in crate::explicit) struct Pair {
    /// Number among all contacts.
    pub(in crate::explicit) number: usize,
    /// Numbers of its bodies, in the order of the scenario.
    pub(in crate::explicit) bodies: [usize; 2],
    ends: [End; 2],
    /// True if the sides are in the opposite order of the scenario.
    is_turned: bool,
    gaps: NodeToFace,
    law: Law,
    pub(super) friction: f64,
    /// Places of the points in the frame of the gaps \[m\].
    places: [Vec<Vector3<f64>>; 2],
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
        let [first, second] = [0, 1].map(|side| side_of(problem, spec, side, bodies, &name));
        let (first, second) = (first?, second?);
        // Nodes are on the first side; a shape without faces has none.
        let is_turned = first.0.shape.as_faces().is_none();
        let sides = if is_turned { [second, first] } else { [first, second] };
        let passes = if sides[1].0.shape.as_faces().is_some() { Passes::Dual } else { Passes::Single };
        let size = sides.iter().filter_map(|(side, _)| side.shape.as_faces()).map(smallest_face);
        let size = size.fold(f64::INFINITY, f64::min);
        let walls: f64 = sides.iter().map(|(_, end)| end.halves.iter().copied().fold(0.0, f64::max)).sum();
        let limits = Limits { reach: REACH * size + walls, depth: DEPTH * size };
        let [(a, end_a), (b, end_b)] = sides;
        let mut ends = [end_a, end_b];
        if passes == Passes::Dual {
            // Nodes of both sides carry pressure: each has half of its surface.
            ends.iter_mut().for_each(|end| end.areas.iter_mut().for_each(|area| *area *= 0.5));
        }
        let places =
            [&ends[0], &ends[1]].map(|end| vec![Vector3::zeros(); end.points.len().max(end.rest.len())]);
        let gaps = NodeToFace::new([a, b], limits, passes)
            .map_err(|source| SetupError::Rows { pair: name(), source })?;
        Ok(Self {
            number: spec.number,
            bodies: spec.bodies,
            ends,
            is_turned,
            gaps,
            law: spec.law,
            friction: spec.friction,
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
        })
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
        let [a, b] = &self.places;
        self.gaps.update([a, b]);
        for k in 0..self.gaps.rows().len() {
            self.add_row((number, k), bodies, &frame, (ahead.is_some(), dt), rows);
        }
    }

    /// The axes in which gaps are computed: those of the rigid body, if there is one.
    fn frame(&self, bodies: &Bodies, ahead: Option<f64>) -> Pose {
        let rigid = self.ends.iter().find_map(|end| match end.which {
            Which::Rigid(body) => Some(body),
            Which::Flexible(_) => None,
        });
        match (rigid, &bodies.rigid) {
            (Some(body), Some(rigid)) if ahead.is_some() => rigid.ahead[body],
            (Some(body), Some(rigid)) => *rigid.now(body),
            _ => Pose { position: Vector3::zeros(), rotation: Matrix3::identity() },
        }
    }

    fn place_points(&mut self, side: usize, bodies: &Bodies, ahead: Option<f64>, frame: &Pose) {
        let (end, places) = (&self.ends[side], &mut self.places[side]);
        let Which::Flexible(body) = end.which else {
            places.copy_from_slice(&end.rest);
            return;
        };
        let body = &bodies.flexible[body];
        let dt = ahead.unwrap_or(0.0);
        for (place, &point) in places.iter_mut().zip(&end.points) {
            let [_, velocity] = body.velocities(point);
            let x = body.place(point) + dt * velocity;
            *place = frame.rotation.tr_mul(&(x - frame.position));
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
        let foot_now = match ends[1 - side].which {
            Which::Rigid(body) => {
                let pose = bodies.rigid.as_ref().map(|rigid| *rigid.now(body)).unwrap_or(*frame);
                pose.point(&foot.position)
            }
            Which::Flexible(_) => sum(1 - side, &around.faced),
        };
        let gap_now = normal.dot(&(node_now - foot_now)) - wall;
        let is_rigid_node = matches!(ends[side].which, Which::Rigid(_));
        let place = if is_rigid_node { foot_now } else { node_now };
        let velocity = |of: usize, list: &Few| match (ends[of].which, &bodies.rigid) {
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
        rows.begin(RowStart {
            pair: number as u32,
            side,
            node: found.node,
            normal,
            place,
            gap_now,
            gap: if is_ahead { foot.gap - wall } else { gap_now },
            least: KEPT * gap_now.min(0.0),
            slip: dt * (relative - normal * normal.dot(&relative)),
        });
        for (end, of) in [(0, side), (1, 1 - side)] {
            match ends[of].which {
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
        self.force += sign * force;
        self.normal_force += (sign * normal_force) * row.normal;
        self.pressed.0 += normal_force;
        self.pressed.1 += normal_force * row.place;
    }
}

/// x_n of a point of a surface, inertial axes.
fn place_now(end: &End, point: u32, bodies: &Bodies) -> Vector3<f64> {
    match (end.which, &bodies.rigid) {
        (Which::Flexible(body), _) => bodies.flexible[body].place(end.points[point as usize]),
        (Which::Rigid(body), Some(rigid)) => rigid.now(body).point(&end.rest[point as usize]),
        (Which::Rigid(_), None) => unreachable!("a rigid end has a rigid body"),
    }
}

/// Points and weights of a node or a foot point.
struct Few {
    n: usize,
    points: [u32; MAX_FACE_POINTS],
    weights: [f64; MAX_FACE_POINTS],
}

impl Default for Few {
    fn default() -> Self {
        Self { n: 0, points: [0; MAX_FACE_POINTS], weights: [0.0; MAX_FACE_POINTS] }
    }
}

impl Few {
    fn iter(&self) -> impl Iterator<Item = (u32, f64)> + '_ {
        self.points[..self.n].iter().copied().zip(self.weights[..self.n].iter().copied())
    }

    /// Weights without a moment, see [`balance`]; those of the face's side are negative.
    fn balance(&mut self, normal: &Vector3<f64>, place: &Vector3<f64>, at: impl Fn(u32) -> Vector3<f64>) {
        let mut places = [Vector3::zeros(); MAX_FACE_POINTS];
        for (x, &point) in places.iter_mut().zip(&self.points[..self.n]) {
            *x = at(point);
        }
        let weights = &mut self.weights[..self.n];
        weights.iter_mut().for_each(|weight| *weight = -*weight);
        balance(normal, place, &places[..self.n], weights);
        weights.iter_mut().for_each(|weight| *weight = -*weight);
    }
}

/// The points of a row.
#[derive(Default)]
struct Around {
    node: Few,
    faced: Few,
}

impl Around {
    fn add(&mut self, is_node: bool, point: u32, weight: f64) {
        let list = if is_node { &mut self.node } else { &mut self.faced };
        (list.points[list.n], list.weights[list.n]) = (point, weight);
        list.n += 1;
    }
}

/// The smallest size of a face, its diagonal at rest \[m\].
fn smallest_face(faces: &Faces) -> f64 {
    let size = |face: &carom_fem::Face| {
        let places = || face.points.iter().map(|&k| faces.reference[k as usize]);
        let lo = places().fold(Vector3::repeat(f64::INFINITY), |a, b| a.inf(&b));
        let hi = places().fold(Vector3::repeat(f64::NEG_INFINITY), |a, b| a.sup(&b));
        (hi - lo).norm()
    };
    faces.surface.faces.iter().map(size).fold(f64::INFINITY, f64::min)
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

/// The surface of one side with its nodes.
fn side_of(
    problem: &Problem,
    spec: &ContactSpec,
    side: usize,
    bodies: &Bodies,
    pair: &dyn Fn() -> String,
) -> Result<(ContactSide, End), SetupError> {
    let number = spec.bodies[side];
    let body = &problem.bodies[number];
    let which = bodies.which[number];
    let in_axes = |x: &Vector3<f64>| match &body.kind {
        BodyKind::Rigid(rigid) => rigid.point_b(x),
        BodyKind::Deformable { .. } => *x,
    };
    let set = match (&spec.sides[side], &body.kind) {
        (SideSpec::Shape(shape), BodyKind::Rigid(rigid)) => {
            let shape = shape.moved(|x| rigid.point_b(x), |v| rigid.vector_b(v));
            let end = End {
                which,
                points: Vec::new(),
                rest: Vec::new(),
                areas: Vec::new(),
                halves: Vec::new(),
                springs: Vec::new(),
            };
            return Ok((ContactSide { shape, nodes: Nodes::default() }, end));
        }
        (SideSpec::Shape(_), BodyKind::Deformable { .. }) => {
            unreachable!("shapes belong to rigid bodies")
        }
        (SideSpec::Set(set), _) => set,
    };
    let geometry = &body.geometry;
    let made = |source| SetupError::Discretisation { body: geometry.name.clone(), source };
    let own;
    let discretisation = match which {
        Which::Flexible(k) => &bodies.flexible[k].discretisation,
        Which::Rigid(_) => {
            own = Discretisation::new(geometry).map_err(made)?;
            &own
        }
    };
    let (surface, halves) = if discretisation.is_structural() {
        let other = 1 - side;
        let toward = || wall::middle(&problem.bodies[spec.bodies[other]], &spec.sides[other]);
        let faces = wall::touched_faces(discretisation, geometry.faces_of_set(set)?, toward)?;
        let surface = discretisation.surface(&faces);
        let halves = wall::half_thickness(discretisation, &faces, &surface.points);
        (surface, halves)
    } else {
        (geometry.surface_of_set(discretisation, set)?, Vec::new())
    };
    let points = surface.points.clone();
    let rest: Vec<Vector3<f64>> =
        points.iter().map(|&k| in_axes(&Vector3::from(discretisation.points[k as usize]))).collect();
    let shape =
        Shape::faces(surface, &rest).map_err(|source| SetupError::Surface { pair: pair(), source })?;
    let Some(faces) = shape.as_faces() else { unreachable!("it was made of faces") };
    let (nodes, areas) = match &geometry.geometry {
        Geometry::Mesh(_) => {
            let all: Vec<u32> = (0..points.len() as u32).collect();
            (Nodes::of_points(&all), areas_of_points(faces))
        }
        Geometry::Nurbs(_) => nodes_on_faces(faces),
    };
    let springs = vec![Spring::default(); nodes.len()];
    let end = match which {
        Which::Flexible(_) => End { which, points, rest: Vec::new(), areas, halves, springs },
        Which::Rigid(_) => End { which, points: Vec::new(), rest, areas, halves, springs },
    };
    Ok((ContactSide { shape, nodes }, end))
}

/// ∫ N dA of the points of mesh faces \[m²\].
fn areas_of_points(faces: &Faces) -> Vec<f64> {
    let mut areas = vec![0.0; faces.n_points()];
    for face in 0..faces.n_faces() as u32 {
        let points = &faces.surface.faces[face as usize].points;
        for (xi, weight) in rule(faces, face) {
            let (values, area) = at(faces, face, xi);
            points.iter().zip(values).for_each(|(&point, r)| areas[point as usize] += weight * area * r);
        }
    }
    areas
}

/// Nodes of NURBS faces: (p+1) × (q+1) places at the centres of equal parts of each face, with their areas.
fn nodes_on_faces(faces: &Faces) -> (Nodes, Vec<f64>) {
    let (mut places, mut areas) = (Vec::new(), Vec::new());
    for face in 0..faces.n_faces() as u32 {
        let [n, m] = match faces.surface.faces[face as usize].basis {
            carom_fem::FaceBasis::Spline { degrees, .. } | carom_fem::FaceBasis::Combined { degrees, .. } => {
                degrees.map(|p| p + 1)
            }
            carom_fem::FaceBasis::Lagrange(_) => [2, 2],
        };
        for (i, j) in (0..n).flat_map(|i| (0..m).map(move |j| (i, j))) {
            let xi = [(i as f64 + 0.5) / n as f64, (j as f64 + 0.5) / m as f64];
            places.push(Start { face, xi });
            areas.push(at(faces, face, xi).1 / (n * m) as f64);
        }
    }
    (Nodes::on_faces(faces, &places), areas)
}

/// Gauss points of a face: parameters and weights.
fn rule(faces: &Faces, face: u32) -> Vec<([f64; 2], f64)> {
    if faces.surface.faces[face as usize].basis.is_triangle() {
        let (a, b) = (1.0 / 6.0, 2.0 / 3.0);
        return [[a, a], [b, a], [a, b]].map(|xi| (xi, 1.0 / 6.0)).to_vec();
    }
    let half = 0.5 / 3.0_f64.sqrt();
    let ends = [0.5 - half, 0.5 + half];
    ends.iter().flat_map(|&x| ends.iter().map(move |&y| ([x, y], 0.25))).collect()
}

/// Shape values and |y,₁ × y,₂| of a face at rest.
fn at(faces: &Faces, face: u32, xi: [f64; 2]) -> ([f64; MAX_FACE_POINTS], f64) {
    let (mut r, mut r_a, mut r_ab) =
        ([0.0; MAX_FACE_POINTS], [[0.0; 2]; MAX_FACE_POINTS], [[0.0; 3]; MAX_FACE_POINTS]);
    faces.surface.shape_into(face as usize, xi, &mut r, &mut r_a, &mut r_ab);
    let points = &faces.surface.faces[face as usize].points;
    let tangent = |a: usize| -> Vector3<f64> {
        points.iter().zip(&r_a).map(|(&point, slope)| slope[a] * faces.reference[point as usize]).sum()
    };
    (r, tangent(0).cross(&tangent(1)).norm())
}
