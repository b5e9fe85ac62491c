//! Fills the solution of a solve from its last pass.

use nalgebra::Vector3;

use super::BodyState;
use super::body_state::Twist;
use super::friction::Friction;
use super::gaps::Gaps;
use super::iterate::Iterate;
use super::model::QuasistaticContact;
use super::overlap::overlap;
use super::row::{Row, Rows, along};
use super::solution::{PairSolution, RimPressure, Solution, WhichZone, Wrench};
use super::warm_state::WarmState;

/// The last pass of a solve, and the iterate found with it.
pub(super) struct Filling<'a> {
    pub(super) model: &'a QuasistaticContact,
    pub(super) states: &'a [BodyState<'a>],
    /// Displacement of the last pass: rows and lever arms are taken there, so that the forces of a pair are
    /// equal, opposite and along one line.
    pub(super) before: &'a [Vec<f64>],
    pub(super) warm: &'a WarmState,
    pub(super) gaps: &'a Gaps,
    pub(super) rows: &'a Rows,
    pub(super) friction: Option<&'a Friction>,
    pub(super) found: &'a Iterate,
}

impl Filling<'_> {
    /// Fills all but the counts of the iteration.
    pub(super) fn fill(&self, out: &mut Solution) {
        let Iterate { force, displacement, .. } = self.found;
        out.wrench.fill(Wrench::default());
        for b in 0..self.model.bodies.len() {
            out.force_b[b].copy_from_slice(&force[b]);
            out.displacement_b[b].copy_from_slice(&displacement[b]);
            out.elastic_energy[b] = 0.5 * dot(&force[b], &displacement[b]);
            for (f, x) in force[b].as_chunks::<3>().0.iter().zip(self.gaps.positions(b)) {
                let f = Vector3::from(*f);
                out.wrench[b].force_b += f;
                out.wrench[b].moment_b += x.cross(&f);
            }
        }
        self.clear(out);
        for k in self.gaps.near().iter().map(|&k| k as usize) {
            let cells = self.model.pairs.get(k).cell_range();
            out.gap[cells.clone()].copy_from_slice(&self.gaps.all()[cells.clone()]);
            cells.for_each(|s| out.lambda[s] = self.normal_force(s));
            let two = self.model.pairs.bodies(k)[1];
            let mut sum = self.pair(k, &mut out.wrench[two]);
            sum.overlap = overlap((k, &self.model.pairs), &out.lambda, &self.warm.gaps);
            out.pairs[k] = sum;
        }
        let loss = self.friction.map_or(0.0, |friction| {
            friction.loss(self.found.of_rows(), self.gaps.near_cells(&self.model.pairs))
        });
        out.friction_loss = self.warm.friction.loss() + loss;
        for b in 0..self.model.bodies.len() {
            out.off_interface[b] = self.off_interface(b);
        }
    }

    /// Clears the sums and cells of the pairs that the last solve has filled.
    fn clear(&self, out: &mut Solution) {
        for k in out.near.drain(..).map(|k| k as usize) {
            let cells = self.model.pairs.get(k).cell_range();
            out.pairs[k] = PairSolution::APART;
            out.gap[cells.clone()].fill(f64::INFINITY);
            out.lambda[cells].fill(0.0);
        }
        out.near.extend(self.gaps.near());
    }

    /// Sums over a pair but its overlap.
    ///
    /// * `wrench` — on the second body, gets the forces that act on no point
    fn pair(&self, k: usize, wrench: &mut Wrench) -> PairSolution {
        let pair = self.model.pairs.get(k);
        let state = &self.states[self.model.pairs.bodies(k)[0]];
        let mut sum = PairSolution { min_free_gap: f64::INFINITY, ..PairSolution::default() };
        let (mut force_b, mut friction_b) = (Vector3::zeros(), Vector3::zeros());
        let mut moment = Vector3::zeros();
        let mut nearest_known = false;
        for (cell, s) in pair.cell_range().enumerate() {
            let (lambda, row) = (self.normal_force(s), self.rows.normal(s));
            let (free, known) = self.free_gap(k, s);
            if free < sum.min_free_gap {
                (sum.min_free_gap, sum.nearest_cell, nearest_known) = (free, cell, known);
            }
            if lambda > 0.0 {
                sum.n_active += 1;
                sum.force += lambda;
                sum.active_area += pair.cells.area[cell];
                sum.peak_pressure = sum.peak_pressure.max(lambda / pair.cells.area[cell]);
                sum.penetration = sum.penetration.max(pair.compliance[cell] * lambda);
                sum.penalty_energy += 0.5 * pair.compliance[cell] * lambda * lambda;
                row.first.iter().for_each(|(_, c)| force_b -= Vector3::from(*c) * lambda);
                moment += self.center(k, cell) * lambda;
                let reaction = row.reaction.map(|x| Vector3::from(x) * lambda);
                wrench.force_b += reaction[0];
                wrench.moment_b += reaction[1];
                friction_b += self.add_friction(s, &mut sum, wrench);
            }
        }
        sum.friction_i = state.rot_ib * friction_b;
        sum.force_i = state.rot_ib * (force_b + friction_b);
        let center_b = if sum.force > 0.0 { moment / sum.force } else { self.center(k, sum.nearest_cell) };
        sum.center_i = state.rot_ib * center_b + state.r_ib_i;
        if nearest_known {
            sum.gap_rate = self.gap_rate(k, self.rows.normal(pair.cell_offset + sum.nearest_cell));
        }
        sum.rim = self.rim_pressure(k, sum.force);
        sum
    }

    /// Normal force of a cell \[N\].
    fn normal_force(&self, cell: usize) -> f64 {
        self.found.of_row(self.model.unknowns.normal(cell))
    }

    /// Gap of a cell without displacement by high modes \[m\], and true if it was evaluated in the last pass;
    /// else a bound from below.
    fn free_gap(&self, k: usize, cell: usize) -> (f64, bool) {
        let [one, two] = self.model.pairs.bodies(k);
        let row = self.rows.normal(cell);
        match self.gaps.known(cell) {
            Some(gap) => {
                let moved = [along(&row.first, &self.before[one]), along(&row.second, &self.before[two])];
                (gap - moved[0] - moved[1], true)
            }
            None => (self.warm.gaps.slack(cell), false),
        }
    }

    /// Mean position of a cell in the frame of its body \[m\].
    fn center(&self, k: usize, cell: usize) -> Vector3<f64> {
        let first = self.model.pairs.first(k);
        let positions = self.gaps.positions(first.body);
        self.model.pairs.get(k).cells.center(cell, |i| positions[first.points[i as usize] as usize])
    }

    /// Tangential force of a cell on the second body, in the frame of the first, with its moments, size and
    /// energy.
    fn add_friction(&self, cell: usize, sum: &mut PairSolution, wrench: &mut Wrench) -> Vector3<f64> {
        let unknowns = &self.model.unknowns;
        let mut force = Vector3::zeros();
        if self.friction.is_none_or(|friction| friction.coefficient(cell) == 0.0) {
            return force;
        }
        let normal = unknowns.normal(cell);
        let [first, second] = [1, 2].map(|part| self.found.of_row(normal + part));
        sum.tangential_force += first.hypot(second);
        for r in normal + 1..normal + unknowns.n_parts() {
            let (tau, row) = (self.found.of_row(r), self.rows.get(r));
            row.first.iter().for_each(|(_, c)| force -= Vector3::from(*c) * tau);
            let reaction = row.reaction.map(|x| Vector3::from(x) * tau);
            wrench.force_b += reaction[0];
            wrench.moment_b += reaction[1];
            sum.penalty_energy += 0.5 * unknowns.law_compliance(r) * tau * tau;
        }
        force
    }

    /// B·v with the velocities of the two bodies \[m/s\].
    fn gap_rate(&self, k: usize, row: &Row) -> f64 {
        let [one, two] = self.model.pairs.bodies(k);
        let along = |part: &[(u32, [f64; 3])], body: usize, twist: &Twist<'_>| -> f64 {
            let positions = self.gaps.positions(body);
            let velocity = |k: u32| {
                let rate = twist.rates_b.get(3 * k as usize..3 * k as usize + 3);
                let relative = rate.map_or_else(Vector3::zeros, Vector3::from_column_slice);
                twist.v_ib_b + twist.omega_ib_b.cross(&positions[k as usize]) + relative
            };
            part.iter().map(|(k, c)| Vector3::from(*c).dot(&velocity(*k))).sum()
        };
        let mut rate = 0.0;
        if let Some(twist) = &self.states[one].twist {
            rate += along(&row.first, one, twist);
        }
        if let Some(twist) = &self.states[two].twist {
            rate += along(&row.second, two, twist);
            rate += Vector3::from(row.reaction[0]).dot(&twist.v_ib_b);
            rate += Vector3::from(row.reaction[1]).dot(&twist.omega_ib_b);
        }
        rate
    }

    /// Pressure on rim cells of the first zone, or on cells whose foot points reach the rim of an elastic
    /// second zone: the larger of the two.
    ///
    /// * `force` — of the pair \[N\]
    fn rim_pressure(&self, k: usize, force: f64) -> Option<RimPressure> {
        let pair = self.model.pairs.get(k);
        let second = self.model.pairs.second(k).as_faces();
        let elastic_faces = second.is_some_and(|zone| self.model.bodies[zone.body].is_elastic());
        let at_rim = |zone: WhichZone, cell: usize| match zone {
            WhichZone::First => pair.cells.at_rim[cell],
            WhichZone::Second => self.gaps.at_second_rim(pair.cell_offset + cell, elastic_faces),
        };
        let of_zone = |zone: WhichZone| {
            let (mut total, mut worst) = (0.0, (0.0, 0));
            for cell in (0..pair.cells.len()).filter(|&cell| at_rim(zone, cell)) {
                let lambda = self.normal_force(pair.cell_offset + cell);
                total += lambda;
                if lambda > worst.0 {
                    worst = (lambda, cell);
                }
            }
            (total > 0.0).then(|| RimPressure { zone, cell: worst.1, share: total / force })
        };
        let (first, second) = (of_zone(WhichZone::First), of_zone(WhichZone::Second));
        match (first, second) {
            (Some(a), Some(b)) => Some(if b.share > a.share { b } else { a }),
            (a, b) => a.or(b),
        }
    }

    /// Part of the forces on a body that acts on points outside the interface, 0 to 1.
    fn off_interface(&self, body: usize) -> f64 {
        if !self.model.bodies[body].is_elastic() {
            return 0.0;
        }
        let force = &self.found.force[body];
        let norm = |k: u32| Vector3::from_column_slice(&force[3 * k as usize..3 * k as usize + 3]).norm();
        let total: f64 = (0..self.model.bodies[body].n_points as u32).map(norm).sum();
        if total == 0.0 {
            return 0.0;
        }
        let mut off = 0.0;
        let zones = self.model.zones().iter().filter_map(|zone| zone.as_faces());
        for zone in zones.filter(|zone| zone.body == body) {
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
