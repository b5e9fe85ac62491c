//! Contact of linear bodies in a step: rows, and their complementarity problem.
//!
//! ```text
//! 0 ≤ λ ⟂ g₀ + B w_free + W λ ≥ 0 ,   W = Σ_bodies B (∂w/∂f) Bᵀ
//! ```
//!
//! over the rows that the prediction closes, and those that their forces close. With friction a row has three
//! components, the gap at the end and the slip of the step, and Coulomb's cone
//!
//! ```text
//! K = {r : |r_T| ≤ μ λ} ∋ r ⟂ u + μ |u_T| e_N ∈ K* ,   u = (g₁, T w)
//! ```

mod delassus;
mod pair;
mod row;

use carom_contact::solver::{
    FrictionMethod, FrictionProblem, FrictionSolver, LcpError, LcpMethod, LcpSolver,
};
use carom_dynamics::{Checkpoint, CheckpointError};
use nalgebra::Vector3;

use super::ContactError;
use super::body::{Exchange, LinearBody};
use crate::explicit::length;
use delassus::{Delassus, Pressed};
pub(super) use pair::{Ended, History, Known, Pair, PairSpec, Side};
pub(super) use row::{Entry, Row, RowForce};

/// Gap, relative to the smallest face, below which a row that is left out would close.
const CLOSES: f64 = 1e-12;

/// The motion of a point of a body in a step.
type PointMotion = fn(&LinearBody, u32) -> Vector3<f64>;

/// Losses of contact in a step \[J\].
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Losses {
    /// Where nodes arrive.
    pub(super) arrival: f64,
    /// By friction.
    pub(super) friction: f64,
}

/// All pairs, their rows, and the solver.
pub(super) struct Contacts {
    pub(super) pairs: Vec<Pair>,
    pub(super) rows: Vec<Row>,
    pub(super) entries: Vec<Entry>,
    /// Smallest face of all pairs \[m\].
    size: f64,
    candidates: Vec<u32>,
    /// Components of the force of a row: 1, with friction 3.
    dim: usize,
    solver: LcpSolver,
    friction_solver: FrictionSolver,
    method: Option<LcpMethod>,
    delassus: Delassus,
    q: Vec<f64>,
    z: Vec<f64>,
    /// Coefficients of friction of the candidates.
    friction: Vec<f64>,
    dofs: Vec<u32>,
    /// True from reading a checkpoint to the next step: the forces are in the pairs, and there are no rows
    /// yet.
    is_resumed: bool,
}

impl Contacts {
    pub(super) fn new(pairs: Vec<Pair>, method: Option<LcpMethod>) -> Self {
        let size = pairs.iter().map(|pair| pair.size).fold(f64::INFINITY, f64::min);
        let dim = if pairs.iter().any(|pair| pair.friction > 0.0) { 3 } else { 1 };
        Self {
            pairs,
            rows: Vec::new(),
            entries: Vec::new(),
            size,
            candidates: Vec::new(),
            dim,
            solver: LcpSolver::default(),
            friction_solver: FrictionSolver::default(),
            method,
            delassus: Delassus::default(),
            q: Vec::new(),
            z: Vec::new(),
            friction: Vec::new(),
            dofs: Vec::new(),
            is_resumed: false,
        }
    }

    /// Makes the rows of the present state. Forces of rows that were there are the first guess.
    pub(super) fn begin(&mut self, bodies: &[LinearBody]) {
        if !std::mem::take(&mut self.is_resumed) {
            self.pairs.iter_mut().for_each(|pair| pair.keep_forces(&self.rows));
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
            let is_likely = before == 0 && row.is_pressed();
            if !row.is_candidate && (is_likely || self.gap(row, bodies, LinearBody::motion_of) < least) {
                self.rows[k].is_candidate = true;
                self.candidates.push(k as u32);
            }
        }
        self.candidates.sort_unstable();
        self.candidates.len() > before
    }

    /// The gap of a row after a motion of its points \[m\].
    fn gap(&self, row: &Row, bodies: &[LinearBody], motion: PointMotion) -> f64 {
        row.gap + row.normal.dot(&self.motion(row, bodies, motion))
    }

    /// The motion of the node of a row relative to its face \[m\].
    fn motion(&self, row: &Row, bodies: &[LinearBody], motion: PointMotion) -> Vector3<f64> {
        let entries = self.entries[row.entries.clone()].iter();
        entries.map(|entry| motion(&bodies[entry.body], entry.point) * entry.c).sum()
    }

    /// Finds the forces of the candidates.
    pub(super) fn solve(&mut self, bodies: &mut [LinearBody]) -> Result<(), ContactError> {
        self.find_columns(bodies);
        let Self { rows, entries, candidates, dim, delassus, .. } = self;
        delassus.fill(bodies, &Pressed { rows, entries, candidates, dim: *dim })?;
        self.q.clear();
        self.z.clear();
        for &k in &self.candidates {
            let row = &self.rows[k as usize];
            let moved = self.motion(row, bodies, LinearBody::free_motion);
            self.q.extend(row.axes(self.dim).map(|axis| axis.dot(&moved)));
            self.z.extend(row.axes(self.dim).map(|axis| axis.dot(&row.force.friction)));
            let normal = self.q.len() - self.dim;
            self.q[normal] += row.gap;
            self.z[normal] = row.force.lambda;
        }
        if self.dim == 1 {
            self.solve_normal()?
        } else {
            self.solve_friction()?
        }
        self.rows.iter_mut().for_each(|row| row.force = RowForce::default());
        for (&k, force) in self.candidates.iter().zip(self.z.chunks(self.dim)) {
            let row = &mut self.rows[k as usize];
            let along = row.axes(self.dim).zip(force).skip(1).map(|(axis, f)| axis * *f).sum();
            row.force = RowForce { lambda: force[0], friction: along };
        }
        Ok(())
    }

    fn solve_normal(&mut self) -> Result<(), LcpError> {
        // Gaps far below the size of a face are zero.
        self.solver.allowed = CLOSES * self.size;
        self.solver.solve(&self.delassus.matrix, &self.q, &mut self.z, self.method)?;
        Ok(())
    }

    fn solve_friction(&mut self) -> Result<(), ContactError> {
        self.friction.clear();
        self.friction.extend(self.candidates.iter().map(|&k| self.rows[k as usize].friction));
        let problem = FrictionProblem {
            operator: &self.delassus.matrix,
            q: &self.q,
            friction: &self.friction,
            dim: self.dim,
        };
        let largest = self.q.iter().fold(0.0_f64, |most, q| most.max(q.abs()));
        let enough = if largest > 0.0 { CLOSES * self.size / largest } else { 0.0 };
        let method = self.method.map(|_| FrictionMethod::GaussSeidel);
        self.friction_solver.solve_nearly(problem, &mut self.z, method, enough)?;
        Ok(())
    }

    /// Makes the columns of the compliance at the points of the candidates.
    fn find_columns(&mut self, bodies: &mut [LinearBody]) {
        for (number, body) in bodies.iter_mut().enumerate() {
            self.dofs.clear();
            for &k in &self.candidates {
                let row = &self.rows[k as usize];
                let own = self.entries[row.entries.clone()].iter().filter(|entry| entry.body == number);
                for entry in own.filter(|entry| entry.c != 0.0) {
                    let pressed = (0..3).filter(|&d| row.axes(self.dim).any(|axis| axis[d] != 0.0));
                    self.dofs.extend(pressed.map(|d| 3 * entry.point + d as u32));
                }
            }
            self.dofs.sort_unstable();
            self.dofs.dedup();
            body.answer(&self.dofs);
        }
    }

    /// Writes the forces of all rows at the end of the step to the bodies.
    pub(super) fn press(&self, bodies: &mut [LinearBody]) {
        bodies.iter_mut().for_each(|body| body.pressing.fill(0.0));
        for row in self.rows.iter().filter(|row| row.is_pressed()) {
            let force = row.total();
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
        self.rows.iter().filter(|row| row.is_pressed()).count() as u64
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
                let moment = (Vector3::from(*x) + arm).cross(&force);
                sum.force += force;
                sum.moment += moment;
                sum.pressed -= moment;
            }
        }
    }

    /// Losses in the step that was just taken.
    ///
    /// ```text
    /// arrival Σ λ·max(g₀, 0)   and   friction −Σ r_T·T w ≥ 0
    /// ```
    ///
    /// The work of a multiplier that ends closed is −λ g₀. With forces of both ends the half of λ at the end
    /// is that of the arrival.
    pub(super) fn losses(&self, bodies: &[LinearBody]) -> Losses {
        let share = bodies.iter().map(LinearBody::share).fold(1.0, f64::min);
        let mut losses = Losses::default();
        for row in self.rows.iter().filter(|row| row.is_pressed()) {
            losses.arrival += share * row.force.lambda * row.gap.max(0.0);
            if row.friction > 0.0 {
                let slip = self.motion(row, bodies, LinearBody::motion_of);
                // A force that sticks has a slip of the solver's accuracy, of any sign.
                losses.friction += (-row.force.friction.dot(&slip)).max(0.0);
            }
        }
        losses
    }

    /// Saves the forces with their rows.
    pub(super) fn save_forces(&self, checkpoint: &mut Checkpoint) {
        let (mut keys, mut values, mut friction) = (Vec::new(), Vec::new(), Vec::new());
        for row in self.rows.iter().filter(|row| row.is_pressed()) {
            keys.extend([row.pair as u64, u64::from(row.node), u64::from(row.face)]);
            values.push(row.force.lambda);
            friction.extend(row.force.friction.iter());
        }
        checkpoint.put_integers("rows", &keys);
        checkpoint.put_reals("multipliers", &values);
        checkpoint.put_reals("friction", &friction);
    }

    /// Sets the forces of [`Contacts::save_forces`].
    pub(super) fn read_forces(&mut self, checkpoint: &Checkpoint) -> Result<(), CheckpointError> {
        let (keys, rest) = checkpoint.integers("rows")?.as_chunks::<3>();
        if !rest.is_empty() {
            return Err(length("rows", 3 * keys.len() + rest.len(), 3 * keys.len()));
        }
        let values = checkpoint.reals_of("multipliers", keys.len())?;
        let friction = checkpoint.reals_of("friction", 3 * keys.len())?.as_chunks::<3>().0;
        self.rows.clear();
        self.is_resumed = true;
        self.pairs.iter_mut().for_each(|pair| pair.last.clear());
        for ((&[number, node, face], &lambda), friction) in keys.iter().zip(values).zip(friction) {
            let pair = self.pairs.iter_mut().find(|pair| pair.number as u64 == number);
            let pair = pair.ok_or_else(|| length("rows", number as usize, 0))?;
            let force = RowForce { lambda, friction: Vector3::from(*friction) };
            pair.last.push(Known { node: node as u32, face: face as u32, force });
        }
        self.pairs.iter_mut().for_each(Pair::sort_forces);
        Ok(())
    }
}
