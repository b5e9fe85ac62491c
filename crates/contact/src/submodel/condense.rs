//! Condensation: forces and displacements of the points, and the compliance W between spans.

use faer::linalg::matmul::matmul;
use faer::reborrow::ReborrowMut;
use faer::{Accum, ColMut, ColRef, Mat, Par};

use super::model::ContactBody;
use super::workspace::{Condensed, Workspace};
use super::{QuasistaticContact, Row, WarmState};

/// u += U f for one point with a force.
pub(super) fn add_response(compliance: &Mat<f64>, point: u32, f: &[f64; 3], u: &mut [f64]) {
    let k = 3 * point as usize;
    let (a, b, c) =
        (compliance.col_as_slice(k), compliance.col_as_slice(k + 1), compliance.col_as_slice(k + 2));
    for (((u, a), b), c) in u.iter_mut().zip(a).zip(b).zip(c) {
        *u += f[0] * a + f[1] * b + f[2] * c;
    }
}

/// U f of one body: forces act on few points, mostly in a row, so runs of columns are multiplied.
pub(super) fn respond(body: &ContactBody, force: &[f64], u: &mut [f64]) {
    u.fill(0.0);
    let Some(compliance) = &body.compliance else { return };
    let n = force.len();
    let is_loaded = |k: usize| force[3 * k..3 * k + 3] != [0.0; 3];
    let mut u = ColMut::from_slice_mut(u);
    let mut start = 0;
    while start < n / 3 {
        if !is_loaded(start) {
            start += 1;
            continue;
        }
        let end = (start + 1..n / 3).find(|&k| !is_loaded(k)).unwrap_or(n / 3);
        let columns = compliance.as_ref().subcols(3 * start, 3 * (end - start));
        let f = ColRef::from_slice(&force[3 * start..3 * end]);
        matmul(u.rb_mut(), Accum::Add, columns, f, 1.0, Par::Seq);
        start = end;
    }
}

/// Σ v·∂g/∂x over one part of a row.
pub(super) fn apply(entries: &[(u32, [f64; 3])], v: &[f64]) -> f64 {
    entries
        .iter()
        .map(|(k, c)| {
            let v = &v[3 * *k as usize..];
            c[0] * v[0] + c[1] * v[1] + c[2] * v[2]
        })
        .sum()
}

impl QuasistaticContact {
    /// Bodies of the first and the second zone of a row's pair.
    pub(super) fn bodies_of(&self, row: usize) -> [usize; 2] {
        self.span_bodies[row / self.n_parts]
    }

    /// f = Σ λ_s B_s for the rows of the last pass.
    pub(super) fn gather_forces(&self, work: &mut Workspace) {
        work.force.iter_mut().for_each(|f| f.fill(0.0));
        for (r, &lambda) in work.lambda.iter().enumerate().filter(|(_, l)| **l != 0.0) {
            let row = &work.spans.rows[r];
            for (part, body) in [&row.first, &row.second].into_iter().zip(self.bodies_of(r)) {
                let f = &mut work.force[body];
                for (k, c) in part {
                    let f = &mut f[3 * *k as usize..3 * *k as usize + 3];
                    (0..3).for_each(|d| f[d] += lambda * c[d]);
                }
            }
        }
    }

    /// u = U f.
    pub(super) fn respond_to_forces(&self, work: &mut Workspace) {
        for ((body, f), u) in self.bodies.iter().zip(&work.force).zip(&mut work.displacement) {
            respond(body, f, u);
        }
    }

    /// Adds to q the gaps by which the rows' turn since the last step changes the displacement, B U (Bᵀ λ_k −
    /// f_k).
    ///
    /// With the rows of W for the outer B: they differ from those of the pass by a small turn of a small
    /// difference.
    pub(super) fn add_turn(&self, work: &mut Workspace) {
        let condensed = &mut work.condensed;
        for (body, (now, before)) in work.force.iter().zip(&work.base.force).enumerate() {
            if self.bodies[body].compliance.is_none() {
                continue;
            }
            condensed.turn.clear();
            for (k, (f, old)) in now.as_chunks::<3>().0.iter().zip(before.as_chunks::<3>().0).enumerate() {
                if f != old {
                    condensed.turn.push((k as u32, [f[0] - old[0], f[1] - old[1], f[2] - old[2]]));
                }
            }
            for (t, q) in condensed.q.iter_mut().enumerate() {
                *q += apply(&condensed.turn, condensed.responses[body].col_as_slice(t));
            }
        }
    }

    /// Condenses anew on the spans that are nearly closed, with the rows of the last pass.
    pub(super) fn condense(&self, margin: f64, warm: &mut WarmState, work: &mut Workspace) {
        let spans = &work.spans;
        let parts = self.n_parts;
        let wanted = |s: usize| spans.evaluated[s] && (spans.gap[s] < margin || work.lambda[parts * s] > 0.0);
        warm.condensed.clear();
        for r in (0..self.n_spans).filter(|&s| wanted(s)).flat_map(|s| parts * s..parts * (s + 1)) {
            let k = warm.condensed.len();
            if k == warm.condensed_rows.len() {
                warm.condensed_rows.push(Row::default());
            }
            warm.condensed_rows[k].clone_from(&spans.rows[r]);
            warm.condensed.push(r as u32);
        }
        warm.condensed_id = checksum(&warm.condensed, &warm.condensed_rows);
        self.assemble(warm, work);
    }

    /// W of the rows of a warm state, unless the workspace holds it already.
    pub(super) fn recall(&self, warm: &WarmState, work: &mut Workspace) {
        if warm.condensed_id != work.condensed.id {
            self.assemble(warm, work);
        }
    }

    /// W_st = Σ_bodies B_s U B_tᵀ, and the matrix W + d of the complementarity problem.
    fn assemble(&self, warm: &WarmState, work: &mut Workspace) {
        let condensed = &mut work.condensed;
        let n = warm.condensed.len();
        condensed.id = warm.condensed_id;
        condensed.position.fill(u32::MAX);
        condensed.reserve(n, self);
        for (t, &r_t) in warm.condensed.iter().enumerate() {
            condensed.position[r_t as usize] = t as u32;
            let (bodies_t, row_t) = (self.bodies_of(r_t as usize), &warm.condensed_rows[t]);
            for response in &mut condensed.responses {
                response.col_as_slice_mut(t).fill(0.0);
            }
            for (part, body) in [&row_t.first, &row_t.second].into_iter().zip(bodies_t) {
                if let Some(compliance) = &self.bodies[body].compliance {
                    let u = condensed.responses[body].col_as_slice_mut(t);
                    part.iter().for_each(|(k, c)| add_response(compliance, *k, c, u));
                }
            }
            for (s, &r_s) in warm.condensed.iter().enumerate().skip(t) {
                let (bodies_s, row_s) = (self.bodies_of(r_s as usize), &warm.condensed_rows[s]);
                let moved = |part: &[(u32, [f64; 3])], body: usize| {
                    if bodies_t.contains(&body) {
                        apply(part, condensed.responses[body].col_as_slice(t))
                    } else {
                        0.0
                    }
                };
                condensed.w[(s, t)] = moved(&row_s.first, bodies_s[0]) + moved(&row_s.second, bodies_s[1]);
                condensed.w[(t, s)] = condensed.w[(s, t)];
            }
        }
        let law = |k: usize| self.law_compliance(warm.condensed[k] as usize);
        let w = &condensed.w;
        let entry = |i: usize, j: usize| w[(i, j)] + if i == j { law(i) } else { 0.0 };
        match &mut condensed.friction {
            None => condensed.solver.set_matrix(n, entry),
            Some(friction) => friction.set_matrix(n, entry),
        }
    }

    /// d of the span of a row: the law gives way to tangential forces as it does to normal ones.
    pub(super) fn law_compliance(&self, row: usize) -> f64 {
        self.span_compliance[row / self.n_parts]
    }
}

impl Condensed {
    /// Room for n spans, and for some growth: the contact area grows during an impact.
    fn reserve(&mut self, n: usize, model: &QuasistaticContact) {
        if self.w.nrows() < n {
            let capacity = (n + n / 2).min(model.n_rows());
            self.w = Mat::zeros(capacity, capacity);
            self.responses = model.bodies.iter().map(|b| Mat::zeros(3 * b.n_points, capacity)).collect();
            match &mut self.friction {
                None => self.solver.resize(capacity),
                Some(friction) => friction.resize(capacity),
            }
        }
    }
}

/// Checksum of spans and rows (FNV-1a over their bits), never 0.
fn checksum(spans: &[u32], rows: &[Row]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut take = |x: u64| {
        hash = (hash ^ x).wrapping_mul(0x0000_0100_0000_01b3);
        hash ^= hash >> 29;
    };
    for (span, row) in spans.iter().zip(rows) {
        take(u64::from(*span));
        for (k, c) in row.first.iter().chain(&row.second) {
            take(u64::from(*k));
            c.iter().for_each(|x| take(x.to_bits()));
        }
    }
    hash.max(1)
}
