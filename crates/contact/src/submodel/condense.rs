//! Condensation: forces and displacements of the points, and the compliance W between spans.

use faer::Mat;

use super::model::ContactBody;
use super::workspace::{SpanWork, Workspace};
use super::{QuasistaticContact, Row, WarmState};

/// u += U f, column by column, for the points with a force.
fn add_response(compliance: &Mat<f64>, point: u32, f: &[f64; 3], u: &mut [f64]) {
    let k = 3 * point as usize;
    let (a, b, c) =
        (compliance.col_as_slice(k), compliance.col_as_slice(k + 1), compliance.col_as_slice(k + 2));
    for (((u, a), b), c) in u.iter_mut().zip(a).zip(b).zip(c) {
        *u += f[0] * a + f[1] * b + f[2] * c;
    }
}

/// U f of one body.
pub(super) fn respond(body: &ContactBody, force: &[f64], u: &mut [f64]) {
    u.fill(0.0);
    let Some(compliance) = &body.compliance else { return };
    for (k, f) in force.as_chunks::<3>().0.iter().enumerate() {
        if *f != [0.0; 3] {
            add_response(compliance, k as u32, f, u);
        }
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
    /// Bodies of the first and the second zone of a span's pair.
    pub(super) fn bodies_of(&self, span: usize) -> [usize; 2] {
        let pair = &self.pairs[self.pair_of(span)].pair;
        [self.zones[pair.first].body, self.zones[pair.second].body]
    }

    /// B_s·(u − v) for the row of the last pass; 0 for a span that was not looked at.
    pub(super) fn project(&self, span: usize, spans: &SpanWork, u: &[Vec<f64>], v: &[Vec<f64>]) -> f64 {
        if !spans.evaluated[span] {
            return 0.0;
        }
        let ([one, two], row) = (self.bodies_of(span), &spans.rows[span]);
        let along = |u: &[Vec<f64>]| apply(&row.first, &u[one]) + apply(&row.second, &u[two]);
        along(u) - along(v)
    }

    /// f = Σ λ_s B_s and u = U f for the rows of the last pass.
    pub(super) fn respond_to_lambda(&self, work: &mut Workspace) {
        work.force.iter_mut().for_each(|f| f.fill(0.0));
        for (s, &lambda) in work.lambda.iter().enumerate().filter(|(_, l)| **l > 0.0) {
            let row = &work.spans.rows[s];
            for (part, body) in [&row.first, &row.second].into_iter().zip(self.bodies_of(s)) {
                let f = &mut work.force[body];
                for (k, c) in part {
                    (0..3).for_each(|d| f[3 * *k as usize + d] += lambda * c[d]);
                }
            }
        }
        for ((body, f), u) in self.bodies.iter().zip(&work.force).zip(&mut work.displacement) {
            respond(body, f, u);
        }
    }

    /// Condenses anew on the spans that are nearly closed, with the rows of the last pass.
    pub(super) fn condense(&self, margin: f64, warm: &mut WarmState, work: &mut Workspace) {
        let spans = &work.spans;
        let wanted = |s: usize| spans.evaluated[s] && (spans.gap[s] < margin || work.lambda[s] > 0.0);
        warm.condensed.clear();
        for s in (0..self.n_spans).filter(|&s| wanted(s)) {
            let k = warm.condensed.len();
            if k == warm.condensed_rows.len() {
                warm.condensed_rows.push(Row::default());
            }
            warm.condensed_rows[k].clone_from(&spans.rows[s]);
            warm.condensed.push(s as u32);
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
        if condensed.w.nrows() < n {
            // Room for some growth: the contact area grows during an impact.
            let capacity = (n + n / 2).min(self.n_spans);
            condensed.w = Mat::zeros(capacity, capacity);
            condensed.solver.resize(capacity);
        }
        for (t, &span_t) in warm.condensed.iter().enumerate() {
            condensed.position[span_t as usize] = t as u32;
            let bodies_t = self.bodies_of(span_t as usize);
            let row_t = &warm.condensed_rows[t];
            bodies_t.iter().for_each(|&b| condensed.column[b].fill(0.0));
            for (part, body) in [&row_t.first, &row_t.second].into_iter().zip(bodies_t) {
                if let Some(compliance) = &self.bodies[body].compliance {
                    let u = &mut condensed.column[body];
                    part.iter().for_each(|(k, c)| add_response(compliance, *k, c, u));
                }
            }
            for (s, &span_s) in warm.condensed.iter().enumerate().skip(t) {
                let (bodies_s, row_s) = (self.bodies_of(span_s as usize), &warm.condensed_rows[s]);
                let moved = |part: &[(u32, [f64; 3])], body: usize| {
                    if bodies_t.contains(&body) { apply(part, &condensed.column[body]) } else { 0.0 }
                };
                condensed.w[(s, t)] = moved(&row_s.first, bodies_s[0]) + moved(&row_s.second, bodies_s[1]);
                condensed.w[(t, s)] = condensed.w[(s, t)];
            }
        }
        let law = |k: usize| self.law_compliance(warm.condensed[k] as usize);
        let w = &condensed.w;
        condensed.solver.set_matrix(n, |i, j| w[(i, j)] + if i == j { law(i) } else { 0.0 });
    }

    /// d of a span.
    pub(super) fn law_compliance(&self, span: usize) -> f64 {
        let pair = &self.pairs[self.pair_of(span)];
        pair.compliance[span - pair.span_offset]
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
