//! What a solve gives: pressures, forces, energies, gaps, and what to be wary of.

use nalgebra::{Matrix3, Vector3};

use super::condense::apply;
use super::model::PairModel;
use super::tangents::SlipWork;
use super::workspace::{SpanWork, Workspace};
use super::{BodyState, QuasistaticContact, Row, Twist, WarmState};

/// Force and moment of all contacts on a body, in its frame, about its origin.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Wrench {
    /// Force \[N\].
    pub force_b: Vector3<f64>,
    /// Moment \[N m\], with the lever arms of the deformed surface.
    pub moment_b: Vector3<f64>,
}

/// One of the two zones of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhichZone {
    /// The one that carries the pressure points.
    First,
    /// The one on which they are projected.
    Second,
}

/// Pressure where the model does not hold: at the rim of a zone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RimPressure {
    /// Zone whose rim is reached.
    pub zone: WhichZone,
    /// Span of the first zone with the largest force of those concerned.
    pub span: usize,
    /// Part of the pair's force that all of them carry, 0 to 1.
    pub share: f64,
}

/// Overlap of the surfaces that brings about no force: a point of a span is inside the other body while the
/// gap of the span is open on the average, as the span is large for the shape of what it meets.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Overlap {
    /// Span of the first zone.
    pub span: usize,
    /// Depth of its deepest integration point, or of that corner \[m\].
    pub depth: f64,
    /// √A of the span \[m\].
    pub size: f64,
    /// Reference position of that corner, or of the middle of the span, in the frame of its body \[m\].
    pub place: Vector3<f64>,
    /// True if it is a corner of the span at an edge of the surface that lies inside.
    pub is_corner: bool,
}

impl Overlap {
    /// Depth over the size of the span.
    pub fn ratio(&self) -> f64 {
        self.depth / self.size
    }
}

/// Sums over one pair.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PairSolution {
    /// Σ λ \[N\].
    pub force: f64,
    /// Force on the second body, friction included, inertial components \[N\]; the first has the opposite.
    pub force_i: Vector3<f64>,
    /// Where the force acts: middles of the spans weighted by their forces, inertial components \[m\];
    /// without force the middle of the nearest span.
    pub center_i: Vector3<f64>,
    /// Largest λ/A \[Pa\].
    pub peak_pressure: f64,
    /// Number of spans with pressure.
    pub n_active: usize,
    /// Area of these spans in the reference configuration \[m²\].
    pub active_area: f64,
    /// Smallest gap without displacement by high modes \[m\], negative in contact.
    ///
    /// Exact to first order in the displacement. For spans so far away that they were not looked at, a bound
    /// from below that is at least half of their gap, or their distance from the box of the second zone.
    pub min_free_gap: f64,
    /// Span with this gap.
    pub nearest_span: usize,
    /// Its rate \[m/s\], negative while approaching; 0 if velocities were not given, or the span was not
    /// looked at.
    pub gap_rate: f64,
    /// Deepest average penetration of a span that the law leaves \[m\], ≥ 0.
    pub penetration: f64,
    /// Energy of the penalty \[J\], 0 if hard; with friction that of its tangential springs too.
    pub penalty_energy: f64,
    /// Part of the force that friction brings about, on the second body, inertial components \[N\].
    pub friction_i: Vector3<f64>,
    /// Pressure on the rim of a zone, the worse of the two.
    pub rim: Option<RimPressure>,
    /// Overlap without force, that of the largest part of its span.
    pub overlap: Option<Overlap>,
}

/// Result of a solve.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// Force on each span, all pairs \[N\]; pressure is λ over [`crate::pressure::Spans::area`].
    pub lambda: Vec<f64>,
    /// Average gap of each span in the deformed state \[m\]; for spans not looked at the last one known.
    pub gap: Vec<f64>,
    /// Forces on the points of each body in its frame, 3n numbers \[N\].
    pub force_b: Vec<Vec<f64>>,
    /// Displacement of the points of each body by the high modes in its frame, 3n numbers \[m\].
    pub displacement_b: Vec<Vec<f64>>,
    /// Sum of the forces on each body.
    pub wrench: Vec<Wrench>,
    /// Elastic energy ½ f·u of the high modes of each body \[J\].
    pub elastic_energy: Vec<f64>,
    /// Part of the force on each body that acts on points whose compliance is not complete, 0 to 1.
    pub off_interface: Vec<f64>,
    /// Sums over each pair.
    pub pairs: Vec<PairSolution>,
    /// Energy that friction has taken since the first accepted state \[J\].
    pub friction_loss: f64,
    /// Passes over the geometry.
    pub passes: usize,
    /// Times that W was condensed anew.
    pub condensations: usize,
    /// Complementarity problems for which active sets failed and Lemke's algorithm was used, or with friction
    /// Newton's method failed and the chain of all methods was.
    pub fallbacks: usize,
    /// Steps that the line search cut.
    pub cuts: usize,
    /// True if the iteration ended because round-off allowed no more.
    pub stagnated: bool,
    /// Estimated error of the displacement relative to its largest entry.
    pub error: f64,
}

impl Solution {
    pub(super) fn new(model: &QuasistaticContact) -> Self {
        let per_body = || model.bodies.iter().map(|b| vec![0.0; 3 * b.n_points]).collect();
        let n_bodies = model.bodies.len();
        Self {
            lambda: vec![0.0; model.n_spans],
            gap: vec![0.0; model.n_spans],
            force_b: per_body(),
            displacement_b: per_body(),
            wrench: vec![Wrench::default(); n_bodies],
            elastic_energy: vec![0.0; n_bodies],
            off_interface: vec![0.0; n_bodies],
            pairs: vec![PairSolution::default(); model.n_pairs()],
            friction_loss: 0.0,
            passes: 0,
            condensations: 0,
            fallbacks: 0,
            cuts: 0,
            stagnated: false,
            error: 0.0,
        }
    }

    /// Elastic energy of the high modes of all bodies and energy of the penalties \[J\].
    pub fn energy(&self) -> f64 {
        self.elastic_energy.iter().sum::<f64>() + self.penalty_energy()
    }

    /// Energy of the penalties of all pairs \[J\].
    pub fn penalty_energy(&self) -> f64 {
        self.pairs.iter().map(|p| p.penalty_energy).sum()
    }

    /// True if any span carries pressure.
    pub fn in_contact(&self) -> bool {
        self.pairs.iter().any(|p| p.n_active > 0)
    }

    /// Force on a point of a body in inertial components \[N\]; `rot_ib` is the rotation of the body's state.
    pub fn point_force_i(&self, body: usize, point: usize, rot_ib: &Matrix3<f64>) -> Vector3<f64> {
        rot_ib * Vector3::from_column_slice(&self.force_b[body][3 * point..3 * point + 3])
    }
}

impl QuasistaticContact {
    /// Fills the solution from the last pass and the force and displacement found with it.
    ///
    /// `before` is the displacement of that pass: rows and lever arms are taken there, so that the forces of
    /// a pair are equal, opposite and along one line.
    pub(super) fn fill_solution(
        &self,
        states: &[BodyState<'_>],
        before: &[Vec<f64>],
        warm: &WarmState,
        work: &mut Workspace,
    ) {
        let out = &mut work.solution;
        let normal = work.lambda.iter().step_by(self.n_parts);
        out.lambda.iter_mut().zip(normal).for_each(|(out, lambda)| *out = *lambda);
        out.gap.copy_from_slice(&work.spans.gap);
        out.wrench.fill(Wrench::default());
        for b in 0..self.bodies.len() {
            out.force_b[b].copy_from_slice(&work.force[b]);
            out.displacement_b[b].copy_from_slice(&work.displacement[b]);
            out.elastic_energy[b] = 0.5 * dot(&work.force[b], &work.displacement[b]);
            for (f, x) in work.force[b].as_chunks::<3>().0.iter().zip(&work.positions[b]) {
                let f = Vector3::from(*f);
                out.wrench[b].force_b += f;
                out.wrench[b].moment_b += x.cross(&f);
            }
        }
        for k in 0..self.pairs.len() {
            self.fill_pair(k, states, before, warm, work);
        }
        work.solution.friction_loss = warm.friction.loss + self.loss_of_step(work);
        for b in 0..self.bodies.len() {
            work.solution.off_interface[b] = self.off_interface(b, &work.force[b]);
        }
    }

    fn fill_pair(
        &self,
        k: usize,
        states: &[BodyState<'_>],
        before: &[Vec<f64>],
        warm: &WarmState,
        work: &mut Workspace,
    ) {
        let pair = &self.pairs[k];
        let [one, two] = [pair.pair.first, pair.pair.second].map(|z| self.zones[z].body);
        let mut sum = PairSolution { min_free_gap: f64::INFINITY, ..PairSolution::default() };
        let points = self.first(pair).points;
        let center =
            |span: usize| pair.spans.center(span, |i| work.positions[one][points[i as usize] as usize]);
        let (mut force_b, mut friction_b) = (Vector3::zeros(), Vector3::zeros());
        let mut moment = Vector3::zeros();
        let mut nearest_known = false;
        for (span, s) in (pair.span_offset..pair.span_offset + pair.spans.len()).enumerate() {
            let (lambda, row) = (work.lambda[self.n_parts * s], &work.spans.rows[self.n_parts * s]);
            let known = work.spans.evaluated[s];
            let free = if known {
                work.spans.gap[s] - apply(&row.first, &before[one]) - apply(&row.second, &before[two])
            } else {
                warm.spans[s].slack
            };
            if free < sum.min_free_gap {
                (sum.min_free_gap, sum.nearest_span, nearest_known) = (free, span, known);
            }
            if lambda > 0.0 {
                sum.n_active += 1;
                sum.force += lambda;
                sum.active_area += pair.spans.area[span];
                sum.peak_pressure = sum.peak_pressure.max(lambda / pair.spans.area[span]);
                sum.penetration = sum.penetration.max(pair.compliance[span] * lambda);
                sum.penalty_energy += 0.5 * pair.compliance[span] * lambda * lambda;
                row.first.iter().for_each(|(_, c)| force_b -= Vector3::from(*c) * lambda);
                moment += center(span) * lambda;
                let reaction = row.reaction.map(|x| Vector3::from(x) * lambda);
                work.solution.wrench[two].force_b += reaction[0];
                work.solution.wrench[two].moment_b += reaction[1];
                let wrench = &mut work.solution.wrench[two];
                friction_b +=
                    self.add_friction(pair, span, &mut sum, (&work.lambda, &work.spans, &work.slip), wrench);
            }
        }
        sum.friction_i = states[one].rot_ib * friction_b;
        sum.force_i = states[one].rot_ib * (force_b + friction_b);
        let center_b = if sum.force > 0.0 { moment / sum.force } else { center(sum.nearest_span) };
        sum.center_i = states[one].rot_ib * center_b + states[one].r_ib_i;
        if nearest_known {
            let row = &work.spans.rows[self.n_parts * (pair.span_offset + sum.nearest_span)];
            sum.gap_rate = self.gap_rate(pair, row, states, &work.positions);
        }
        sum.rim = self.rim_pressure(pair, sum.force, work);
        sum.overlap = self.overlap(pair, warm, work);
        work.solution.pairs[k] = sum;
    }

    /// Tangential force of a span on the second body, in the frame of the first, with its moments and energy.
    fn add_friction(
        &self,
        pair: &PairModel,
        span: usize,
        sum: &mut PairSolution,
        (lambda, spans, slip): (&[f64], &SpanWork, &SlipWork),
        wrench: &mut Wrench,
    ) -> Vector3<f64> {
        let s = pair.span_offset + span;
        let mut force = Vector3::zeros();
        if !self.has_friction() || slip.friction[s] == 0.0 {
            return force;
        }
        for r in self.n_parts * s + 1..self.n_parts * (s + 1) {
            let (tau, row) = (lambda[r], &spans.rows[r]);
            row.first.iter().for_each(|(_, c)| force -= Vector3::from(*c) * tau);
            let reaction = row.reaction.map(|x| Vector3::from(x) * tau);
            wrench.force_b += reaction[0];
            wrench.moment_b += reaction[1];
            sum.penalty_energy += 0.5 * pair.compliance[span] * tau * tau;
        }
        force
    }

    /// B·v with the velocities of the two bodies.
    fn gap_rate(
        &self,
        pair: &PairModel,
        row: &Row,
        states: &[BodyState<'_>],
        positions: &[Vec<Vector3<f64>>],
    ) -> f64 {
        let [one, two] = [pair.pair.first, pair.pair.second].map(|z| self.zones[z].body);
        let along = |part: &[(u32, [f64; 3])], body: usize, twist: &Twist<'_>| -> f64 {
            let velocity = |k: u32| {
                let rate = twist.rates_b.get(3 * k as usize..3 * k as usize + 3);
                let relative = rate.map_or_else(Vector3::zeros, Vector3::from_column_slice);
                twist.v_ib_b + twist.omega_ib_b.cross(&positions[body][k as usize]) + relative
            };
            part.iter().map(|(k, c)| Vector3::from(*c).dot(&velocity(*k))).sum()
        };
        let mut rate = 0.0;
        if let Some(twist) = &states[one].twist {
            rate += along(&row.first, one, twist);
        }
        if let Some(twist) = &states[two].twist {
            rate += along(&row.second, two, twist);
            rate += Vector3::from(row.reaction[0]).dot(&twist.v_ib_b);
            rate += Vector3::from(row.reaction[1]).dot(&twist.omega_ib_b);
        }
        rate
    }

    /// Pressure on rim spans of the first zone, or on spans whose foot points reach the rim of an elastic
    /// second zone.
    fn rim_pressure(&self, pair: &PairModel, force: f64, work: &Workspace) -> Option<RimPressure> {
        let second = self.face_zone(pair.pair.second);
        let elastic_faces = second.is_some_and(|zone| self.bodies[zone.body].compliance.is_some());
        let concerned = |zone: WhichZone, span: usize| {
            let s = pair.span_offset + span;
            match zone {
                WhichZone::First => pair.spans.at_rim[span],
                WhichZone::Second => {
                    work.spans.beyond_rim[s] || elastic_faces && work.spans.near_second_rim[s]
                }
            }
        };
        let of_zone = |zone: WhichZone| {
            let (mut total, mut worst) = (0.0, (0.0, 0));
            for span in (0..pair.spans.len()).filter(|&span| concerned(zone, span)) {
                let lambda = work.lambda[self.n_parts * (pair.span_offset + span)];
                total += lambda;
                if lambda > worst.0 {
                    worst = (lambda, span);
                }
            }
            (total > 0.0).then(|| RimPressure { zone, span: worst.1, share: total / force })
        };
        let (first, second) = (of_zone(WhichZone::First), of_zone(WhichZone::Second));
        match (first, second) {
            (Some(a), Some(b)) => Some(if b.share > a.share { b } else { a }),
            (a, b) => a.or(b),
        }
    }

    /// Part of the forces on a body that acts on points outside the interface.
    fn off_interface(&self, body: usize, force: &[f64]) -> f64 {
        if self.bodies[body].compliance.is_none() {
            return 0.0;
        }
        let norm = |k: u32| Vector3::from_column_slice(&force[3 * k as usize..3 * k as usize + 3]).norm();
        let total: f64 = (0..self.bodies[body].n_points as u32).map(norm).sum();
        if total == 0.0 {
            return 0.0;
        }
        let mut off = 0.0;
        for zone in (0..self.zones.len()).filter_map(|z| self.face_zone(z)).filter(|z| z.body == body) {
            let outside = zone.points.iter().zip(zone.is_interface).filter(|(_, inside)| !**inside);
            off += outside.map(|(&k, _)| norm(k)).sum::<f64>();
        }
        // A point of two zones is counted twice.
        (off / total).min(1.0)
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
