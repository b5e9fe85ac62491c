//! The condensed compliance W = Σ B U Bᵀ of some rows, and the complementarity problem over them.
//!
//! For one solve [`Condensed::set_openings`] and [`Condensed::add_turn`] make q, [`Condensed::set_start`]
//! takes the present forces, and [`Condensed::solve`] finds those of the linearised problem.

mod frictional;
mod memory;

use faer::Mat;

use super::SolveError;
use super::body::ContactBody;
use super::friction::Friction;
use super::row::along;
use super::unknowns::Unknowns;
use crate::solver::{ActiveSet, Method};
use frictional::FrictionalProblem;

pub(super) use memory::CondensedRows;

/// W, the responses U Bᵀ it is made of, and the solver of its complementarity problem.
pub(super) struct Condensed {
    /// Checksum of the rows of W, 0 without any.
    id: u64,
    /// Position of each row in W, `u32::MAX` outside.
    position: Vec<u32>,
    /// W without the compliance of the law.
    w: Mat<f64>,
    /// U Bᵀ for each body, one column a row.
    responses: Vec<Mat<f64>>,
    /// Forces by which the rows of a pass differ from those of the last one, on the points of one body.
    turn: Vec<(u32, [f64; 3])>,
    solver: ActiveSet,
    /// Used instead of `solver` if there is friction.
    friction: Option<FrictionalProblem>,
    q: Vec<f64>,
    z: Vec<f64>,
}

impl Condensed {
    /// Without rows.
    pub(super) fn new(bodies: &[ContactBody], unknowns: &Unknowns) -> Self {
        let n_rows = unknowns.n_rows();
        Self {
            id: 0,
            position: vec![u32::MAX; n_rows],
            w: Mat::new(),
            responses: bodies.iter().map(|b| Mat::zeros(3 * b.n_points, 0)).collect(),
            turn: Vec::new(),
            solver: ActiveSet::new(),
            friction: unknowns.has_friction().then(FrictionalProblem::default),
            q: Vec::with_capacity(n_rows),
            z: Vec::with_capacity(n_rows),
        }
    }

    /// True if W has this row.
    pub(super) fn has(&self, row: usize) -> bool {
        self.position[row] != u32::MAX
    }

    /// Entry of W of two rows \[m/N\], without the compliance of the law; none if W lacks one of them.
    pub(super) fn entry(&self, row: usize, other: usize) -> Option<f64> {
        let [i, j] = [row, other].map(|row| self.position[row] as usize);
        (self.has(row) && self.has(other)).then(|| self.w[(i, j)])
    }

    /// Sets q to the openings of all rows without any further force \[m\].
    pub(super) fn set_openings(&mut self, openings: impl Iterator<Item = f64>) {
        self.q.clear();
        self.q.extend(openings);
    }

    /// Adds to q the gaps by which the rows' turn since the last step changes the displacement, B U (Bᵀ λ_k −
    /// f_k).
    ///
    /// The outer B is that of the rows of W: they differ from those of the pass by a small turn of a small
    /// difference.
    ///
    /// * `now`, `before` — Bᵀ λ_k and f_k of each body
    pub(super) fn add_turn(&mut self, bodies: &[ContactBody], now: &[Vec<f64>], before: &[Vec<f64>]) {
        let Self { responses, turn, q, .. } = self;
        for (body, (now, before)) in now.iter().zip(before).enumerate() {
            if !bodies[body].is_elastic() {
                continue;
            }
            turn.clear();
            for (k, (f, old)) in now.as_chunks::<3>().0.iter().zip(before.as_chunks::<3>().0).enumerate() {
                if f != old {
                    turn.push((k as u32, [f[0] - old[0], f[1] - old[1], f[2] - old[2]]));
                }
            }
            for (t, q) in q.iter_mut().enumerate() {
                *q += along(turn, responses[body].col_as_slice(t));
            }
        }
    }

    /// Starts from the present forces: z = λ_k, and q −= W λ_k.
    pub(super) fn set_start(&mut self, forces: impl Iterator<Item = f64>) {
        let Self { w, q, z, .. } = self;
        z.clear();
        z.extend(forces);
        for j in (0..z.len()).filter(|&j| z[j] != 0.0) {
            let (column, z) = (w.col_as_slice(j), z[j]);
            q.iter_mut().zip(column).for_each(|(q, w)| *q -= w * z);
        }
    }

    /// Solves the complementarity problem; returns true if the first method failed and another one was used.
    ///
    /// * `rows` — numbers of the rows of W
    /// * `friction` — gets σ of the tangential rows
    ///
    /// # Errors
    ///
    /// [`SolveError`] if no method solves the problem.
    pub(super) fn solve(
        &mut self,
        rows: &[u32],
        friction: Option<&mut Friction>,
    ) -> Result<bool, SolveError> {
        let n = rows.len();
        let (Some(problem), Some(friction)) = (&mut self.friction, friction) else {
            let report = self
                .solver
                .solve(&self.q, &mut self.z)
                .map_err(|source| SolveError::Complementarity { cells: n, source })?;
            return Ok(report.method == Method::Lemke);
        };
        let coefficients = rows.iter().step_by(3).map(|&r| friction.coefficient(r as usize / 3));
        let fell_back = problem
            .solve(&self.q, coefficients, &mut self.z)
            .map_err(|source| SolveError::Friction { cells: n / 3, source })?;
        for (k, motion) in problem.motions().enumerate().filter(|(k, _)| !k.is_multiple_of(3)) {
            friction.set_sliding(rows[k] as usize / 3, k % 3 - 1, motion);
        }
        Ok(fell_back)
    }

    /// The forces of all rows of W that were found \[N\].
    pub(super) fn forces(&self) -> &[f64] {
        &self.z
    }

    /// Makes W of these rows, unless it is that already.
    pub(super) fn recall(&mut self, bodies: &[ContactBody], unknowns: &Unknowns, rows: &CondensedRows) {
        if rows.id() != self.id {
            self.assemble(bodies, unknowns, rows);
        }
    }

    /// W_st = Σ_bodies B_s U B_tᵀ, and the matrix W + d of the complementarity problem.
    pub(super) fn assemble(&mut self, bodies: &[ContactBody], unknowns: &Unknowns, rows: &CondensedRows) {
        let numbers = rows.numbers();
        let n = numbers.len();
        self.id = rows.id();
        self.position.fill(u32::MAX);
        self.reserve(n, bodies);
        for (t, &r_t) in numbers.iter().enumerate() {
            self.position[r_t as usize] = t as u32;
            let bodies_t = unknowns.bodies_of(r_t as usize);
            for response in &mut self.responses {
                response.col_as_slice_mut(t).fill(0.0);
            }
            for (part, body) in rows.row(t).parts().into_iter().zip(bodies_t) {
                bodies[body].add_response(part, self.responses[body].col_as_slice_mut(t));
            }
            for (s, &r_s) in numbers.iter().enumerate().skip(t) {
                let (bodies_s, row_s) = (unknowns.bodies_of(r_s as usize), rows.row(s));
                let moved = |part: &[(u32, [f64; 3])], body: usize| {
                    if bodies_t.contains(&body) {
                        along(part, self.responses[body].col_as_slice(t))
                    } else {
                        0.0
                    }
                };
                self.w[(s, t)] = moved(&row_s.first, bodies_s[0]) + moved(&row_s.second, bodies_s[1]);
                self.w[(t, s)] = self.w[(s, t)];
            }
        }
        let w = &self.w;
        let law = |k: usize| unknowns.law_compliance(numbers[k] as usize);
        let entry = |i: usize, j: usize| w[(i, j)] + if i == j { law(i) } else { 0.0 };
        match &mut self.friction {
            None => self.solver.set_matrix(n, entry),
            Some(friction) => friction.set_matrix(n, entry),
        }
    }

    /// Room for n rows, and for some growth: the contact area grows during an impact.
    fn reserve(&mut self, n: usize, bodies: &[ContactBody]) {
        if self.w.nrows() < n {
            let capacity = (n + n / 2).min(self.position.len());
            self.w = Mat::zeros(capacity, capacity);
            self.responses = bodies.iter().map(|b| Mat::zeros(3 * b.n_points, capacity)).collect();
            match &mut self.friction {
                None => self.solver.resize(capacity),
                Some(friction) => friction.resize(capacity),
            }
        }
    }
}
