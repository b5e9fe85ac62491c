//! Contact of linear bodies in a step: rows, and their complementarity problem.
//!
//! ```text
//! 0 ≤ λ ⟂ g₀ + B w_free + W λ ≥ 0 ,   W = Σ_bodies B (∂w/∂f) Bᵀ
//! ```
//!
//! over the rows that the prediction closes, and those that their forces close.

mod pair;

use std::ops::Range;

use carom_contact::solver::{Dense, LcpError, LcpMethod, LcpSolver};
use carom_dynamics::{Checkpoint, CheckpointError};
use nalgebra::Vector3;

use super::body::{Exchange, LinearBody};
use crate::explicit::length;
pub(super) use pair::{Ended, Pair, PairSpec, Side};

/// Gap, relative to the smallest face, below which a row that is left out would close.
const CLOSES: f64 = 1e-12;

/// A point of a row: the gap changes by c n·dx.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Entry {
    pub(super) body: usize,
    pub(super) point: u32,
    pub(super) c: f64,
}

/// A node near a surface.
#[derive(Debug, Clone)]
pub(super) struct Row {
    /// Number of the pair among all contacts.
    pair: usize,
    node: u32,
    /// Face, or sheet of a shape.
    face: u32,
    /// Gap at the start of the step \[m\].
    gap: f64,
    normal: Vector3<f64>,
    place: Vector3<f64>,
    entries: Range<usize>,
    /// Multiplier at the end of the step \[N\].
    pub(super) lambda: f64,
    is_candidate: bool,
}

/// All pairs, their rows, and the solver.
pub(super) struct Contacts {
    pub(super) pairs: Vec<Pair>,
    pub(super) rows: Vec<Row>,
    pub(super) entries: Vec<Entry>,
    /// Smallest face of all pairs \[m\].
    size: f64,
    candidates: Vec<u32>,
    solver: LcpSolver,
    method: Option<LcpMethod>,
    matrix: Dense,
    /// Lower triangle of W, row by row.
    triangle: Vec<f64>,
    /// Points of the candidates, by body and number, and the place of each entry among them.
    points: Vec<(usize, u32)>,
    place: Vec<u32>,
    /// Motions of these points by the multiplier of each candidate, one after the other \[m/N\].
    responses: Vec<Vector3<f64>>,
    q: Vec<f64>,
    z: Vec<f64>,
    dofs: Vec<u32>,
    /// True from reading a checkpoint to the next step: the multipliers are in the pairs, and there are no
    /// rows yet.
    is_resumed: bool,
}

impl Contacts {
    pub(super) fn new(pairs: Vec<Pair>, method: Option<LcpMethod>) -> Self {
        let size = pairs.iter().map(|pair| pair.size).fold(f64::INFINITY, f64::min);
        Self {
            pairs,
            rows: Vec::new(),
            entries: Vec::new(),
            size,
            candidates: Vec::new(),
            solver: LcpSolver::default(),
            method,
            matrix: Dense::default(),
            triangle: Vec::new(),
            points: Vec::new(),
            place: Vec::new(),
            responses: Vec::new(),
            q: Vec::new(),
            z: Vec::new(),
            dofs: Vec::new(),
            is_resumed: false,
        }
    }

    /// Makes the rows of the present state. Multipliers of rows that were there are the first guess.
    pub(super) fn begin(&mut self, bodies: &[LinearBody]) {
        if !std::mem::take(&mut self.is_resumed) {
            self.pairs.iter_mut().for_each(|pair| pair.keep_multipliers(&self.rows));
        }
        self.rows.clear();
        self.entries.clear();
        for pair in &mut self.pairs {
            pair.add_rows(bodies, (&mut self.rows, &mut self.entries));
        }
        self.candidates.clear();
    }

    /// Adds the rows that are behind their faces after a motion; returns true if there are any.
    pub(super) fn add_closing(&mut self, bodies: &[LinearBody]) -> bool {
        let (before, least) = (self.candidates.len(), -CLOSES * self.size);
        for k in 0..self.rows.len() {
            let row = &self.rows[k];
            // A row with a multiplier in the last step most likely has one now.
            let is_likely = before == 0 && row.lambda > 0.0;
            if !row.is_candidate && (is_likely || self.gap(row, bodies, LinearBody::motion_of) < least) {
                self.rows[k].is_candidate = true;
                self.candidates.push(k as u32);
            }
        }
        self.candidates.sort_unstable();
        self.candidates.len() > before
    }

    /// The gap of a row after a motion of its points \[m\].
    fn gap(&self, row: &Row, bodies: &[LinearBody], motion: fn(&LinearBody, u32) -> Vector3<f64>) -> f64 {
        let entries = self.entries[row.entries.clone()].iter();
        let moved: Vector3<f64> =
            entries.map(|entry| motion(&bodies[entry.body], entry.point) * entry.c).sum();
        row.gap + row.normal.dot(&moved)
    }

    /// Finds the multipliers of the candidates; returns their number.
    pub(super) fn solve(&mut self, bodies: &mut [LinearBody]) -> Result<usize, LcpError> {
        self.find_columns(bodies);
        self.fill(bodies)?;
        self.q.clear();
        self.z.clear();
        for &k in &self.candidates {
            let row = &self.rows[k as usize];
            self.q.push(self.gap(row, bodies, LinearBody::free_motion));
            self.z.push(row.lambda);
        }
        // Gaps far below the size of a face are zero.
        self.solver.allowed = CLOSES * self.size;
        self.solver.solve(&self.matrix, &self.q, &mut self.z, self.method)?;
        self.rows.iter_mut().for_each(|row| row.lambda = 0.0);
        for (&k, &lambda) in self.candidates.iter().zip(&self.z) {
            self.rows[k as usize].lambda = lambda;
        }
        Ok(self.candidates.len())
    }

    /// Makes the columns of the compliance at the points of the candidates.
    fn find_columns(&mut self, bodies: &mut [LinearBody]) {
        for (number, body) in bodies.iter_mut().enumerate() {
            self.dofs.clear();
            for &k in &self.candidates {
                let row = &self.rows[k as usize];
                let own = self.entries[row.entries.clone()].iter().filter(|entry| entry.body == number);
                for entry in own.filter(|entry| entry.c != 0.0) {
                    let pressed = (0..3).filter(|&d| row.normal[d] != 0.0);
                    self.dofs.extend(pressed.map(|d| 3 * entry.point + d as u32));
                }
            }
            self.dofs.sort_unstable();
            self.dofs.dedup();
            body.answer(&self.dofs);
        }
    }

    /// W of the candidates.
    fn fill(&mut self, bodies: &[LinearBody]) -> Result<(), LcpError> {
        self.find_responses(bodies);
        let length = self.points.len();
        self.triangle.clear();
        for (i, &k) in self.candidates.iter().enumerate() {
            let row = &self.rows[k as usize];
            for by in 0..=i {
                let moved = &self.responses[by * length..(by + 1) * length];
                let weighted = |at: usize| moved[self.place[at] as usize] * self.entries[at].c;
                let sum: Vector3<f64> = row.entries.clone().map(weighted).sum();
                self.triangle.push(row.normal.dot(&sum));
            }
        }
        let triangle = &self.triangle;
        self.matrix.fill(self.candidates.len(), |i, j| {
            let (i, j) = (i.max(j), i.min(j));
            triangle[i * (i + 1) / 2 + j]
        })
    }

    /// Motions of all points of the candidates by a unit multiplier of each of them.
    fn find_responses(&mut self, bodies: &[LinearBody]) {
        let Self { rows, entries, candidates, points, place, responses, .. } = self;
        points.clear();
        for &k in &*candidates {
            points.extend(entries[rows[k as usize].entries.clone()].iter().map(|e| (e.body, e.point)));
        }
        points.sort_unstable();
        points.dedup();
        place.resize(entries.len(), 0);
        responses.clear();
        for &k in &*candidates {
            let row = &rows[k as usize];
            let start = responses.len();
            responses.resize(start + points.len(), Vector3::zeros());
            for at in row.entries.clone() {
                let by = entries[at];
                place[at] =
                    points.binary_search(&(by.body, by.point)).expect("a point of a candidate") as u32;
                if by.c == 0.0 {
                    continue;
                }
                let body = &bodies[by.body];
                let force = row.normal * (by.c * body.share());
                let of_body = points.iter().zip(&mut responses[start..]);
                for ((_, point), moved) in of_body.filter(|((number, _), _)| *number == by.body) {
                    *moved += body.compliance.motion(*point, by.point, &force);
                }
            }
        }
    }

    /// Writes the forces of all rows at the end of the step to the bodies.
    pub(super) fn press(&self, bodies: &mut [LinearBody]) {
        bodies.iter_mut().for_each(|body| body.pressing.fill(0.0));
        for row in self.rows.iter().filter(|row| row.lambda > 0.0) {
            let force = row.lambda * row.normal;
            for entry in &self.entries[row.entries.clone()] {
                let first = 3 * entry.point as usize;
                let pressing = &mut bodies[entry.body].pressing[first..first + 3];
                (0..3).for_each(|d| pressing[d] += entry.c * force[d]);
            }
        }
    }

    /// Number of rows of the problem.
    pub(super) fn n_candidates(&self) -> usize {
        self.candidates.len()
    }

    /// Number of rows with a force.
    pub(super) fn n_touching(&self) -> u64 {
        self.rows.iter().filter(|row| row.lambda > 0.0).count() as u64
    }

    /// Ends a step of the length h.
    pub(super) fn close(&mut self, bodies: &[LinearBody], h: f64) {
        let mut pairs = std::mem::take(&mut self.pairs);
        let share = bodies.iter().map(LinearBody::share).fold(1.0, f64::min);
        let gap = |row: &Row| self.gap(row, bodies, LinearBody::motion_of);
        let ended = Ended { rows: &self.rows, entries: &self.entries, gap: &gap, share };
        pairs.iter_mut().for_each(|pair| pair.close(&ended, h));
        self.pairs = pairs;
    }

    /// Adds the mean forces of walls in the step that was just taken, and their moments.
    pub(super) fn add_walls(&self, bodies: &[LinearBody], sum: &mut Exchange) {
        for pair in &self.pairs {
            let ([Some(number), None], [before, now]) = (pair.bodies, &pair.wall_forces) else { continue };
            let body = &bodies[number];
            let (arm, share) = (body.mean_arm(), body.share());
            for ((x, before), now) in body.discretisation.points.iter().zip(before).zip(now) {
                let force = share * now + (1.0 - share) * before;
                sum.force += force;
                sum.moment += (Vector3::from(*x) + arm).cross(&force);
            }
        }
    }

    /// Saves the multipliers with their rows.
    pub(super) fn save_multipliers(&self, checkpoint: &mut Checkpoint) {
        let (mut keys, mut values) = (Vec::new(), Vec::new());
        for row in self.rows.iter().filter(|row| row.lambda > 0.0) {
            keys.extend([row.pair as u64, u64::from(row.node), u64::from(row.face)]);
            values.push(row.lambda);
        }
        checkpoint.put_integers("rows", &keys);
        checkpoint.put_reals("multipliers", &values);
    }

    /// Sets the multipliers of [`Contacts::save_multipliers`].
    pub(super) fn read_multipliers(&mut self, checkpoint: &Checkpoint) -> Result<(), CheckpointError> {
        let (keys, rest) = checkpoint.integers("rows")?.as_chunks::<3>();
        if !rest.is_empty() {
            return Err(length("rows", 3 * keys.len() + rest.len(), 3 * keys.len()));
        }
        let values = checkpoint.reals_of("multipliers", keys.len())?;
        self.rows.clear();
        self.is_resumed = true;
        self.pairs.iter_mut().for_each(|pair| pair.last.clear());
        for (&[number, node, face], &lambda) in keys.iter().zip(values) {
            let pair = self.pairs.iter_mut().find(|pair| pair.number as u64 == number);
            let pair = pair.ok_or_else(|| length("rows", number as usize, 0))?;
            pair.last.push((node as u32, face as u32, lambda));
        }
        self.pairs.iter_mut().for_each(Pair::sort_multipliers);
        Ok(())
    }
}
