//! One pair of surfaces: its rows, and which of them touch.

use carom_contact::geometry::Faces;
use carom_contact::law::Stiffness;
use carom_contact::node_to_face::{ContactSide, GapRow, Limits, NodeToFace, Nodes, Passes};
use carom_contact::step_gradient::{NodeStep, StartGap, StepGap, StepGaps, StepRule};
use carom_contact::{Law, Shape};
use carom_dynamics::ContactTracker;
use nalgebra::Vector3;

use super::ContactSpec;
use super::row::{Entry, Row};
use super::spring::{Losses, Slopes, Spring};
use crate::implicit::body::ElasticBody;
use crate::implicit::{Method, SetupError, StepError};
use crate::surface_nodes;

/// Gap up to which a node has a row, and depth up to which it may be behind a face before contact closes,
/// relative to the smallest face.
const REACH: f64 = 0.05;
const DEPTH: f64 = 1.0;

/// Depth from which on an open row closes, relative to the smallest face.
const CLOSES: f64 = 1e-12;

/// Distance beyond the edges of its face at which a node moves to the next one, in parameters.
const BEYOND: f64 = 1e-3;

/// Sine of the angle between two faces below which a node has one row with both, and depth relative to the
/// smallest face from which on it moves to the deeper one.
const FOLD: f64 = 0.02;

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
    slopes: Slopes,
    /// Stiffness of each node and the coefficient of friction; none of hard contact.
    springs: Option<(Vec<f64>, f64)>,
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

/// Numbers of a row in a checkpoint.
const ROW_NUMBERS: usize = 14;

/// Numbers of a pair in a checkpoint without those of its rows and tracker.
const PAIR_NUMBERS: usize = 20;

impl Pair {
    /// True if there is a row of this node and this face.
    pub(in crate::implicit) fn has_row(&self, node: u64, face: u64) -> bool {
        (node as usize) < self.gaps.side(0).nodes.len() && (face as usize) < self.faces().n_faces()
    }

    /// The state after a step, for checkpoints: of the pair, of its rows.
    pub(in crate::implicit) fn to_numbers(&self) -> [Vec<f64>; 2] {
        let mut own = vec![self.pressed.0, self.work, self.least_gap, self.deepest, self.losses.stored];
        let vectors = [&self.force, &self.pressed.1, &self.impulse, &self.last_place, &self.normal_impulse];
        for v in vectors {
            own.extend(v.iter());
        }
        own.extend(self.tracker.to_array());
        let of_row = |row: &Row| {
            let flags = [f64::from(row.node), f64::from(row.face), f64::from(u8::from(row.is_active))];
            let rest = [row.xi[0], row.xi[1], row.lambda[0], f64::from(row.idle)];
            let (traction, size) =
                row.spring.as_ref().map_or((Vector3::zeros(), 0.0), |spring| spring.traction);
            let vectors = [row.gap.normal, traction].map(<[f64; 3]>::from).into_iter().flatten();
            flags.into_iter().chain(rest).chain(vectors).chain([size])
        };
        [own, self.rows.iter().flat_map(of_row).collect()]
    }

    /// Sets the state that [`Pair::to_numbers`] gave; false if the numbers are not those of such a pair.
    pub(in crate::implicit) fn read_numbers(&mut self, own: &[f64], rows: &[f64]) -> bool {
        let (n_nodes, n_faces) = (self.gaps.side(0).nodes.len() as f64, self.faces().n_faces() as f64);
        let (rows, rest) = rows.as_chunks::<ROW_NUMBERS>();
        let fits = |row: &[f64; ROW_NUMBERS]| {
            (0.0..n_nodes).contains(&row[0]) && (0.0..n_faces).contains(&row[1]) && row[6] >= 0.0
        };
        let Some((own, tracker)) = own.split_at_checked(PAIR_NUMBERS) else { return false };
        let Ok(tracker) = <&[f64; ContactTracker::NUMBERS]>::try_from(tracker) else { return false };
        if !rest.is_empty() || !rows.iter().all(fits) {
            return false;
        }
        let vector = |first: usize| Vector3::from_column_slice(&own[first..first + 3]);
        (self.work, self.least_gap, self.deepest) = (own[1], own[2], own[3]);
        (self.losses.stored, self.has_begun) = (own[4], true);
        (self.force, self.pressed) = (vector(5), (own[0], vector(8)));
        (self.impulse, self.last_place, self.normal_impulse) = (vector(11), vector(14), vector(17));
        self.tracker = ContactTracker::from_array(tracker);
        let of_row = |row: &[f64; ROW_NUMBERS]| {
            let vector = |first: usize| Vector3::from_column_slice(&row[first..first + 3]);
            let spring = self.spring_of(row[0] as u32);
            Row {
                node: row[0] as u32,
                face: row[1] as u32,
                is_active: row[2] == 1.0,
                xi: [row[3], row[4]],
                lambda: [row[5], 0.0, 0.0],
                idle: row[6] as u32,
                gap: StepGap { normal: vector(7), ..StepGap::default() },
                changes: 0,
                start: StartGap::Outside,
                spring: spring.map(|spring| spring.with_traction((vector(10), row[13]))),
            }
        };
        self.rows = rows.iter().map(of_row).collect();
        true
    }

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
        let (nodes, areas) = surface_nodes::nodes(&first.0);
        let springs = stiffnesses(&spec.law, &areas)
            .map_err(|problem| {
                let [a, b] = spec.bodies.map(|body| &bodies[body].name);
                SetupError::Penalty { pair: format!("`{a}` and `{b}`"), problem }
            })?
            .map(|stiffnesses| (stiffnesses, spec.friction));
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
            has_begun: false,
            slopes: Slopes::default(),
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

    pub(super) fn begin(&mut self, bodies: &[ElasticBody]) {
        for side in 0..2 {
            let body = &bodies[self.bodies[side]];
            for (place, &point) in self.start[side].iter_mut().zip(&self.points[side]) {
                *place = body.place(&body.state.u, point);
            }
        }
        for row in &mut self.rows {
            // Springs that are pressed begin with the depth that they had.
            let is_pressed = row.is_active && !row.is_hard();
            row.start = if is_pressed { StartGap::Measured } else { StartGap::Outside };
            row.changes = 0;
        }
        self.before.clone_from(&self.rows);
    }

    pub(super) fn restart(&mut self) {
        self.rows.clone_from(&self.before);
    }

    pub(super) fn update(
        &mut self,
        bodies: &[ElasticBody],
        (may_change, slopes): (bool, Slopes),
    ) -> Result<bool, StepError> {
        self.slopes = slopes;
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

    /// Opens, closes and moves rows at the present end.
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
        for k in 0..self.rows.len() {
            // A node that has slid off the rim has no face to move to.
            if self.rows[k].is_active && self.rows[k].changes < CHANGES && self.has_slid_off(&self.rows[k]) {
                self.rows[k].open();
                has_changed = true;
            }
        }
        has_changed
    }

    /// True if the foot point of a row lies beyond the edges of its face.
    fn has_slid_off(&self, row: &Row) -> bool {
        let domain = self.faces().domain(row.face);
        (0..domain.n_corners()).any(|k| domain.distance(k, row.xi) < -BEYOND)
    }

    /// Closes a row that the search has found behind its face, or moves a row of its node that has slid off
    /// its own face; returns true if so. A node in a fold has a row with each face.
    fn take(&mut self, found: &GapRow) -> bool {
        let (node, foot) = (found.node, &found.foot);
        let of_node = |row: &Row| row.is_active && row.node == node;
        if self.rows.iter().any(|row| of_node(row) && row.face == foot.face) {
            return false;
        }
        let is_behind = foot.gap < -CLOSES * self.size;
        // Two rows along one normal would depend on each other: the deeper one stands for both. Opposite
        // normals are those of two walls. Springs have one row for each node: two would be twice as stiff.
        let is_hard = self.is_hard();
        let is_same = |row: &Row| {
            !is_hard
                || row.gap.normal.dot(&foot.normal) > 0.0 && row.gap.normal.cross(&foot.normal).norm() < FOLD
        };
        let is_deeper = |row: &Row| is_hard && is_behind && foot.gap < row.gap.gaps[1] - FOLD * self.size;
        let gives_way = |row: &Row| {
            of_node(row)
                && row.changes < CHANGES
                && (self.has_slid_off(row) || is_same(row) && is_deeper(row))
        };
        if let Some(at) = self.rows.iter().position(gives_way) {
            let row = &mut self.rows[at];
            // Gap and friction of the node over the surface go on from the face that it leaves.
            let (lambda, start) = (row.lambda, StartGap::Known(row.gap.gaps[0]));
            let spring = row.spring.clone();
            row.open();
            let changes = row.changes;
            let at = self.close_row((node, foot.face), foot.xi, (lambda, start), changes);
            self.rows[at].spring = spring;
            return true;
        }
        if !is_behind || self.rows.iter().any(|row| of_node(row) && is_same(row)) {
            return false;
        }
        // Springs that overlap at the start of the run have this depth.
        let start = if is_hard || self.has_begun { StartGap::Outside } else { StartGap::Measured };
        self.close_row((node, foot.face), foot.xi, ([0.0; 3], start), 0);
        true
    }

    fn close_row(
        &mut self,
        (node, face): (u32, u32),
        xi: [f64; 2],
        (lambda, start): ([f64; 3], StartGap),
        changes: u32,
    ) -> usize {
        let spring = self.spring_of(node);
        let known = self.rows.iter().position(|row| row.node == node && row.face == face);
        let at = known.unwrap_or_else(|| {
            let gap = StepGap::default();
            let row =
                Row { node, face, xi, is_active: true, lambda, gap, idle: 0, changes, start, spring: None };
            self.rows.push(row);
            self.rows.len() - 1
        });
        let row = &mut self.rows[at];
        (row.xi, row.is_active, row.lambda, row.start) = (xi, true, lambda, start);
        row.spring = spring;
        row.changes = row.changes.max(changes) + 1;
        at
    }

    /// Evaluates a row; false if its node has no projection near the face.
    fn evaluate(&mut self, k: usize) -> bool {
        let row = &self.rows[k];
        let (points, weights) = self.gaps.side(0).nodes.of(row.node as usize);
        let place = |places: &[Vector3<f64>]| -> Vector3<f64> {
            points.iter().zip(weights).map(|(&point, weight)| places[point as usize] * *weight).sum()
        };
        let node =
            NodeStep { places: [place(&self.start[0]), place(&self.end[0])], xi: row.xi, start: row.start };
        let faces = self.gaps.side(1).shape.as_faces().expect("a side made of faces");
        let row = &mut self.rows[k];
        if self.steps.evaluate(faces, row.face, &node, (self.rule, true), &mut row.gap).is_err() {
            return false;
        }
        row.xi = row.gap.xi;
        let Some(spring) = &mut row.spring else { return true };
        if let Some(slips) = spring.slips_mut() {
            let node = NodeStep { xi: row.xi, ..node };
            if self.steps.evaluate_slip(faces, row.face, &node, self.rule, slips).is_err() {
                return false;
            }
        }
        spring.apply((self.rule, self.slopes), &row.gap, &mut row.lambda);
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
        self.impulses_before = [self.impulse, self.normal_impulse];
        self.impulse += h * force;
        self.normal_impulse += h * normal;
        let open = self.gaps.rows().iter().map(|row| row.foot.gap);
        let closed = self.rows.iter().filter(|row| row.is_active).map(|row| row.gap.gaps[1]);
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
