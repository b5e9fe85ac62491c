//! One pair of surfaces: its rows, and which of them touch.

mod moves;
mod restart;

use carom_contact::geometry::Faces;
use carom_contact::law::Stiffness;
use carom_contact::node_to_face::{ContactSide, GapRow, Limits, NodeToFace, Nodes, Passes};
use carom_contact::step_gradient::{NodeStep, StepGaps, StepRule};
use carom_contact::{Law, Shape};
use carom_dynamics::ContactTracker;
use nalgebra::Vector3;

use super::row::{Entry, Row};
use super::spring::{Losses, Spring};
use super::{ContactSpec, OPEN};
use crate::implicit::body::ElasticBody;
use crate::implicit::{Method, SetupError, StepError};
use crate::surface_nodes;

/// Gap up to which a node has a row, and depth up to which it may be behind a face before contact closes,
/// relative to the smallest face.
const REACH: f64 = 0.05;
const DEPTH: f64 = 1.0;

/// Depth from which on an open row closes, relative to the smallest face.
const CLOSES: f64 = 1e-9;

/// Most changes of a row in a step: beyond it only contacts that close change.
const CHANGES: u32 = 6;

/// Steps after which an open row is forgotten: until then the matrix has room for it.
const REMEMBERED: u32 = 16;

/// Two surfaces that may touch.
pub(in crate::implicit) struct Pair {
    names: [String; 2],
    /// Point of its body of each point of the surfaces.
    points: [Vec<u32>; 2],
    gaps: NodeToFace,
    steps: StepGaps,
    rule: StepRule,
    /// True after the first step of the run.
    has_begun: bool,
    /// Stiffness of each node and the coefficient of friction; none of hard contact.
    springs: Option<(Vec<f64>, f64)>,
    /// Mass of each node \[kg\], and θ of its friction.
    masses: Vec<f64>,
    thetas: Vec<f64>,
    /// Smallest diagonal of a face at rest \[m\].
    pub(super) size: f64,
    /// Places of the points of the surfaces at the start and at the end of the step \[m\].
    start: [Vec<Vector3<f64>>; 2],
    end: [Vec<Vector3<f64>>; 2],
    pub(in crate::implicit) rows: Vec<Row>,
    /// Rows at the start of the step.
    before: Vec<Row>,
    pub(in crate::implicit) number: usize,
    pub(in crate::implicit) bodies: [usize; 2],
    /// Mean force on the first body in the last step \[N\], Σ λ and Σ λ x, and the work of both sides \[J\].
    pub(in crate::implicit) force: Vector3<f64>,
    pub(in crate::implicit) pressed: (f64, Vector3<f64>),
    pub(in crate::implicit) work: f64,
    /// Impulse on the first body in the last step, and that of all multipliers \[N s\].
    pub(in crate::implicit) of_step: (Vector3<f64>, f64),
    /// Losses of springs in the last step, and their energy after it.
    pub(in crate::implicit) losses: Losses,
    /// Smallest gap at the end of the last step; infinite if no node is near \[m\].
    pub(in crate::implicit) least_gap: f64,
    /// The deepest node since the start \[m\].
    pub(in crate::implicit) deepest: f64,
    /// Impulse on the first body since the start \[N s\].
    pub(in crate::implicit) impulse: Vector3<f64>,
    /// The part along normals.
    pub(in crate::implicit) normal_impulse: Vector3<f64>,
    /// Both before the last step.
    pub(in crate::implicit) impulses_before: [Vector3<f64>; 2],
    pub(in crate::implicit) last_place: Vector3<f64>,
    pub(in crate::implicit) tracker: ContactTracker,
}

impl Pair {
    pub(super) fn new(
        bodies: &[ElasticBody],
        spec: &ContactSpec,
        method: Method,
    ) -> Result<Self, SetupError> {
        let side = |k: usize| {
            let (body, set) = (&bodies[spec.bodies[k]], &spec.sets[k]);
            let surface = body.surface(set)?;
            let reference: Vec<Vector3<f64>> =
                surface.points.iter().map(|&p| body.discretisation.points[p as usize].into()).collect();
            let points = surface.points.clone();
            let faces = Faces::new(surface, &reference).map_err(|source| SetupError::Surface {
                body: body.name.clone(),
                set: set.clone(),
                source,
            })?;
            Ok::<_, SetupError>((faces, points, reference))
        };
        let (first, second) = (side(0)?, side(1)?);
        let size = surface_nodes::smallest_face(&first.0).min(surface_nodes::smallest_face(&second.0));
        let pair = || {
            let [a, b] = spec.bodies.map(|body| &bodies[body].name);
            format!("`{a}` and `{b}`")
        };
        let is_face_mixed = |face: usize| StepGaps::mixes(&second.0, face as u32);
        if spec.is_mixed && !(0..second.0.n_faces()).all(is_face_mixed) {
            return Err(SetupError::MixedFaces { pair: pair() });
        }
        let (nodes, areas) = surface_nodes::nodes(&first.0);
        let springs = stiffnesses(&spec.law, &areas)
            .map_err(|problem| SetupError::Penalty { pair: pair(), problem })?
            .map(|stiffnesses| (stiffnesses, spec.friction));
        let mass = |node: u32| -> f64 {
            let (points, weights) = nodes.of(node as usize);
            let of_point = |&point: &u32| bodies[spec.bodies[0]].work.mass[first.1[point as usize] as usize];
            points.iter().zip(weights).map(|(point, weight)| weight * of_point(point)).sum()
        };
        let masses = (0..nodes.len() as u32).map(mass).collect::<Vec<_>>();
        let steps = StepGaps::new(&second.0);
        let contact_side =
            |faces: Faces, nodes: Nodes| ContactSide { shape: Shape::Faces(Box::new(faces)), nodes };
        let sides = [contact_side(first.0, nodes), contact_side(second.0, Nodes::default())];
        let limits = Limits { reach: REACH * size, depth: DEPTH * size };
        let gaps = NodeToFace::new(sides, limits, Passes::Single)?;
        let name = |k: usize| format!("{}:{}", bodies[spec.bodies[k]].name, spec.sets[k]);
        Ok(Self {
            names: [name(0), name(1)],
            bodies: spec.bodies,
            points: [first.1, second.1],
            gaps,
            steps,
            springs,
            thetas: vec![1.0; masses.len()],
            masses,
            has_begun: false,
            rule: match (method, spec.is_mixed) {
                (Method::Midpoint, _) => StepRule::Midpoint,
                (_, true) => StepRule::Mixed,
                (_, false) => StepRule::Discrete,
            },
            size,
            start: [first.2.clone(), second.2.clone()],
            end: [first.2, second.2],
            rows: Vec::new(),
            before: Vec::new(),
            number: spec.number,
            force: Vector3::zeros(),
            pressed: (0.0, Vector3::zeros()),
            work: 0.0,
            of_step: (Vector3::zeros(), 0.0),
            least_gap: f64::INFINITY,
            deepest: 0.0,
            losses: Losses::default(),
            impulse: Vector3::zeros(),
            normal_impulse: Vector3::zeros(),
            impulses_before: [Vector3::zeros(); 2],
            last_place: Vector3::zeros(),
            tracker: ContactTracker::default(),
        })
    }

    /// Springs of a node that has no force yet.
    fn spring_of(&self, node: u32) -> Option<Spring> {
        let (stiffness, friction) = self.springs.as_ref()?;
        Some(Spring::new(stiffness[node as usize], *friction))
    }

    /// True if its contact is by multipliers.
    pub(in crate::implicit) fn is_hard(&self) -> bool {
        self.springs.is_none()
    }

    fn faces(&self) -> &Faces {
        self.gaps.side(1).shape.as_faces().expect("a side made of faces")
    }

    pub(super) fn begin(&mut self, bodies: &[ElasticBody], h: f64) {
        if let Some((stiffnesses, _)) = &self.springs {
            for ((theta, mass), stiffness) in self.thetas.iter_mut().zip(&self.masses).zip(stiffnesses) {
                // The stiffness of the inertia of the node.
                let ratio = 2.0 * mass / (h * h * stiffness);
                *theta = if ratio > 0.0 { ratio.min(1.0) } else { 1.0 };
            }
        }
        for side in 0..2 {
            let body = &bodies[self.bodies[side]];
            for (place, &point) in self.start[side].iter_mut().zip(&self.points[side]) {
                *place = body.place(&body.state.u, point);
            }
        }
        self.before.clone_from(&self.rows);
        self.move_rows();
        for row in &mut self.rows {
            (row.changes, row.was_active) = (0, row.is_active);
        }
    }

    pub(super) fn restart(&mut self) {
        self.rows.clone_from(&self.before);
    }

    pub(super) fn update(&mut self, bodies: &[ElasticBody], may_change: bool) -> Result<bool, StepError> {
        for side in 0..2 {
            let body = &bodies[self.bodies[side]];
            for (place, &point) in self.end[side].iter_mut().zip(&self.points[side]) {
                *place = body.place(&body.end.u, point);
            }
        }
        self.steps.set_positions(&self.start[1], &self.end[1]);
        let mut has_changed = self.evaluate_all(may_change)?;
        if may_change && self.revise() {
            self.evaluate_all(may_change)?;
            has_changed = true;
        }
        Ok(has_changed)
    }

    /// Evaluates the rows that touch; returns true if one had to be opened, as its node has no projection
    /// near the face: Newton's iterates may be far from the solution.
    fn evaluate_all(&mut self, may_change: bool) -> Result<bool, StepError> {
        let mut has_changed = false;
        for k in 0..self.rows.len() {
            if !self.rows[k].is_active || self.evaluate(k) {
                continue;
            }
            if !may_change {
                return Err(StepError::Slid { between: self.names.clone() });
            }
            self.rows[k].open();
            has_changed = true;
        }
        Ok(has_changed)
    }

    /// Opens and closes rows at the present end.
    fn revise(&mut self) -> bool {
        let mut has_changed = false;
        for row in &mut self.rows {
            if row.is_active && row.lambda[0] < 0.0 && row.changes < CHANGES {
                row.open();
                has_changed = true;
            }
        }
        let [first, second] = &self.start;
        let [first_end, second_end] = &self.end;
        self.gaps.update_from([first, second], [first_end, second_end]);
        for k in 0..self.gaps.rows().len() {
            let found = self.gaps.rows()[k];
            if !found.foot.beyond_rim {
                has_changed |= self.take(&found);
            }
        }
        has_changed
    }

    /// Closes a row that the search has found behind its face; returns true if so. A node in a fold has a row
    /// with each face.
    fn take(&mut self, found: &GapRow) -> bool {
        let (node, foot) = (found.node, &found.foot);
        let is_known = |row: &Row| row.is_active && row.node == node && row.face == foot.face;
        if foot.gap >= -CLOSES * self.size
            || self.rows.iter().any(is_known)
            || self.is_dependent(node, &foot.normal)
        {
            return false;
        }
        // A node that was on a face at the start of the step comes back to it, if it has a foot point there.
        let comes_back =
            |row: &&Row| row.was_active && row.node == node && self.are_flush(&row.gap.normal, &foot.normal);
        let earlier = self.rows.iter().find(comes_back).map(|row| (row.face, row.xi));
        // Springs that overlap at the start of the run have this depth.
        let is_first = !self.is_hard() && !self.has_begun;
        let start = (!is_first).then_some(0.0);
        let (face, xi) = earlier.unwrap_or((foot.face, foot.xi));
        let mut at = self.close_row((node, face), xi, start);
        let mut has_foot = self.evaluate(at);
        if !has_foot && earlier.is_some() {
            self.rows[at].is_active = false;
            at = self.close_row((node, foot.face), foot.xi, start);
            has_foot = self.evaluate(at);
        }
        // With the offset it may be in front of the face; a spring that lets go still has a mean force.
        let row = &mut self.rows[at];
        let is_pressed = row.gap.gaps[1] < -CLOSES * self.size || !row.is_hard() && row.lambda[0] > 0.0;
        row.is_active = has_foot && is_pressed;
        if row.is_active {
            row.changes += 1;
        } else {
            row.lambda = [0.0; 3];
        }
        row.is_active
    }

    /// Closes a row.
    ///
    /// * `start` — gap at the start of the step at the least, of a row that did not touch then
    fn close_row(&mut self, (node, face): (u32, u32), xi: [f64; 2], start: Option<f64>) -> usize {
        let known = self.rows.iter().position(|row| row.node == node && row.face == face);
        let at = known.unwrap_or_else(|| {
            self.rows.push(Row::new(node, face));
            self.rows.len() - 1
        });
        let spring = self.spring_of(node);
        let row = &mut self.rows[at];
        (row.xi, row.is_active) = (xi, true);
        if !row.was_active {
            (row.start, row.offset, row.spring) = (start, 0.0, spring);
        }
        at
    }

    /// Evaluates a row; false if its node has no projection near the face.
    fn evaluate(&mut self, k: usize) -> bool {
        let row = &self.rows[k];
        let (points, weights) = self.gaps.side(0).nodes.of(row.node as usize);
        let place = |places: &[Vector3<f64>]| -> Vector3<f64> {
            points.iter().zip(weights).map(|(&point, weight)| places[point as usize] * *weight).sum()
        };
        let node = NodeStep { places: [place(&self.start[0]), place(&self.end[0])], xi: row.xi };
        let faces = self.gaps.side(1).shape.as_faces().expect("a side made of faces");
        let row = &mut self.rows[k];
        if self.steps.evaluate(faces, row.face, &node, self.rule, &mut row.gap).is_err() {
            return false;
        }
        row.xi = row.gap.xi;
        if let Some(start) = row.start {
            // A node that comes to a face from beside may be behind its continuation: to push it out there
            // would add energy.
            row.offset = (start - row.gap.gaps[0]).max(0.0);
        }
        row.gap.gaps.iter_mut().chain([&mut row.gap.in_middle]).for_each(|gap| *gap += row.offset);
        let Some(spring) = &mut row.spring else { return true };
        if let Some(slips) = spring.slips_mut() {
            let node = NodeStep { xi: row.xi, ..node };
            if self.steps.evaluate_slip(faces, row.face, &node, self.rule, slips).is_err() {
                return false;
            }
        }
        spring.theta = self.thetas[row.node as usize];
        spring.apply(self.rule, &row.gap, &mut row.lambda);
        true
    }

    /// Calls `visit` for each point of a row.
    pub(in crate::implicit) fn for_entries(&self, row: &Row, visit: impl FnMut(Entry)) {
        self.for_entries_of(row.node, row.face, visit);
    }

    /// Calls `visit` for each point of a row of a node and a face.
    pub(in crate::implicit) fn for_entries_of(&self, node: u32, face: u32, mut visit: impl FnMut(Entry)) {
        let (points, weights) = self.gaps.side(0).nodes.of(node as usize);
        for (&point, &weight) in points.iter().zip(weights) {
            let point = self.points[0][point as usize];
            visit(Entry { body: self.bodies[0], point, block: 0, weight });
        }
        let points = &self.faces().surface.faces[face as usize].points;
        for (k, &point) in points.iter().enumerate() {
            let point = self.points[1][point as usize];
            visit(Entry { body: self.bodies[1], point, block: k + 1, weight: 1.0 });
        }
    }

    /// Contacts that were open at the start of the last step and have closed in it.
    pub(super) fn closing(&self) -> impl Iterator<Item = &Row> {
        let open = OPEN * self.size;
        self.rows.iter().filter(move |row| row.is_hard() && row.is_active && row.gap.gaps[0].abs() > open)
    }

    /// Adds the impulses of velocities that closing contacts have got at the end of the step.
    ///
    /// * `scale` — factor of Σ λ ∇g₁ \[s\]
    pub(super) fn add_push(&mut self, scale: f64) {
        let (mut impulse, mut pressed) = (Vector3::zeros(), 0.0);
        for row in self.closing() {
            impulse += scale * row.lambda[0] * row.gap.at_end[0];
            pressed += scale * row.lambda[0];
        }
        self.of_step.0 += impulse;
        self.of_step.1 += pressed;
        self.impulse += impulse;
        self.normal_impulse += impulse;
    }

    /// Ends a step of the length h: sums the forces; rows that are open for long are forgotten.
    pub(super) fn close(&mut self, bodies: &[ElasticBody], h: f64) {
        let (mut force, mut normal) = (Vector3::zeros(), Vector3::zeros());
        let (mut pressed, mut moment, mut work) = (0.0, Vector3::zeros(), 0.0);
        for row in self.rows.iter().filter(|row| row.is_active) {
            force += row.force(0);
            normal += row.lambda[0] * row.gap.gradient[0];
            pressed += row.lambda[0];
            self.for_entries(row, |entry| {
                let ElasticBody { state, end, .. } = &bodies[entry.body];
                let [after, before] = [&state.u, &end.u].map(|u| bodies[entry.body].place(u, entry.point));
                work += entry.weight * row.force(entry.block).dot(&(after - before));
                if entry.block == 0 {
                    moment += row.lambda[0] * entry.weight * after;
                }
            });
        }
        (self.force, self.pressed, self.work) = (force, (pressed, moment), work);
        self.of_step = (h * force, h * pressed);
        self.impulses_before = [self.impulse, self.normal_impulse];
        self.impulse += h * force;
        self.normal_impulse += h * normal;
        let open = self.gaps.rows().iter().map(|row| row.foot.gap);
        let closed = self.rows.iter().filter(|row| row.is_active).map(|row| row.gap.gaps[1] - row.offset);
        self.least_gap = open.chain(closed).fold(f64::INFINITY, f64::min);
        self.deepest = self.deepest.max(-self.least_gap);
        self.has_begun = true;
        self.losses = Losses::default();
        for row in self.rows.iter_mut().filter(|row| row.is_active) {
            let gap = row.gap.gaps[1];
            let Some(spring) = &mut row.spring else { continue };
            let of_row = spring.close(gap);
            self.losses.friction += of_row.friction;
            self.losses.stored += of_row.stored;
            if gap >= 0.0 {
                row.open();
            }
        }
        for row in &mut self.rows {
            row.idle = if row.is_active { 0 } else { row.idle + 1 };
        }
        self.rows.retain(|row| row.idle < REMEMBERED);
    }
}

/// Stiffness of nodes by the areas of their parts of the surface \[N/m\]; none of hard contact.
fn stiffnesses(law: &Law, areas: &[f64]) -> Result<Option<Vec<f64>>, String> {
    let found: Vec<f64> = match law {
        Law::Hard => return Ok(None),
        Law::Penalty(Stiffness::PerPoint(stiffness)) => vec![*stiffness; areas.len()],
        law => areas.iter().map(|area| 1.0 / law.compliance(*area)).collect(),
    };
    if found.iter().all(|k| *k > 0.0 && k.is_finite()) {
        return Ok(Some(found));
    }
    Err(match law {
        Law::Penalty(Stiffness::OfMaterials { modulus: None, .. }) => {
            "no body of the pair has an elastic material to take a stiffness from".to_owned()
        }
        _ => "the stiffness of each node must be a positive number".to_owned(),
    })
}
