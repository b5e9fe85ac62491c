//! Factors of the matrix of a step, renewed as the bodies turn, and solutions with them.

use super::places::Block;
use super::{Age, Parameters, SecondOrder, StepMatrix, dot};
use carom_linalg::blocks::BlockMut;

/// Change of the step up to which factors are kept.
const SAME_STEP: f64 = 1e-3;

impl StepMatrix {
    /// Factors for a step of length h, unless they are known; the last evaluation was at the end of the
    /// step. Masses and directions of constraints, which rotate with the bodies, are then read again,
    /// without an evaluation. Without constraints, masses stay with the derivatives.
    pub(in crate::alpha) fn refresh<E: std::error::Error + 'static>(
        &mut self,
        system: &mut dyn SecondOrder<Error = E>,
        of: &Parameters,
        h: f64,
    ) -> bool {
        let m = self.sizes.1;
        let holds_alike = m == 0 || self.factors_hold == self.holds_velocities;
        if holds_alike && (self.factored / h - 1.0).abs() <= SAME_STEP {
            return false;
        }
        if self.age == Age::Kept && m > 0 {
            self.take_masses(system);
            self.take_constraints(system);
            self.take_carried(system);
            self.complete();
            self.age = Age::Turned;
        }
        self.factorise(of, h);
        true
    }

    /// True if the factors have a low-rank correction.
    pub(in crate::alpha) fn is_corrected(&self) -> bool {
        self.correction.is_active()
    }

    /// Corrects the factors for the low-rank rows that are active at the last evaluation, of a step of
    /// length h; true if other rows were active before.
    pub(in crate::alpha) fn update_correction<E: std::error::Error + 'static>(
        &mut self,
        system: &mut dyn SecondOrder<Error = E>,
        of: &Parameters,
        h: f64,
    ) -> bool {
        let Self { correction, factors, scales, .. } = self;
        let n = self.sizes.0;
        correction.update(system, (n, scales.len()), h * h * of.share(), |row, column| {
            let right = |i: usize| if i < n { scales[i] * row[i] } else { 0.0 };
            factors.solve(right, |i, x| column[i] = scales[i] * x);
        })
    }

    /// Solves for the unknowns in their own units; `right` has the equations in the order of the module's
    /// documentation.
    pub(in crate::alpha) fn solve(&mut self, right: impl Fn(usize) -> f64, mut take: impl FnMut(usize, f64)) {
        let Self { scales, factors, correction, solution, .. } = self;
        factors.solve(|i| scales[i] * right(i), |i, x| solution[i] = scales[i] * x);
        if correction.is_active() {
            correction.apply(solution);
        }
        solution.iter().enumerate().for_each(|(i, x)| take(i, *x));
    }

    /// Products and scales.
    pub(super) fn complete(&mut self) {
        let Self { places, damping, reactions, columns, damped, response, mass, scales, .. } = self;
        let structure = &places.structure;
        for (k, sums) in places.damped_sums.iter().enumerate() {
            let (part, group) = places.damped[k];
            let (n, r) = (structure.parts[part].velocities.len(), structure.groups[group].rows.len());
            let out = damped.get_mut(k);
            // Rigid bodies without dampers.
            if sums.iter().all(|&(coupling, _)| damping.get(coupling).iter().all(|&c| c == 0.0)) {
                out.fill(0.0);
                continue;
            }
            for i in 0..n {
                for l in 0..r {
                    let products =
                        sums.iter().map(|&(coupling, at)| dot(damping.row(coupling, i), columns.row(at, l)));
                    out[i * r + l] = products.sum();
                }
            }
        }
        for (k, sums) in places.response_sums.iter().enumerate() {
            let (group, other) = places.responses[k];
            let (rows, r) = (structure.groups[group].rows.len(), structure.groups[other].rows.len());
            let out = response.get_mut(k);
            for i in 0..rows {
                for l in 0..r {
                    let products = sums
                        .iter()
                        .map(|&(at, of_other)| dot(reactions.row(at, i), columns.row(of_other, l)));
                    out[i * r + l] = products.sum();
                }
            }
        }
        let (n, m) = self.sizes;
        for (k, part) in structure.parts.iter().enumerate() {
            for (i, scale) in scales[part.velocities.clone()].iter_mut().enumerate() {
                *scale = mass.row(k, i)[i].sqrt().recip();
            }
        }
        for (group, incidences) in structure.groups.iter().zip(&places.of_group) {
            for (l, k) in group.rows.clone().enumerate() {
                let mut square = 0.0;
                for &at in incidences {
                    let part = &structure.parts[places.incidences[at].1];
                    let of_mass = &scales[part.velocities.clone()];
                    square +=
                        reactions.row(at, l).iter().zip(of_mass).map(|(g, s)| (g * s).powi(2)).sum::<f64>();
                }
                let scale = square.max(f64::MIN_POSITIVE).sqrt().recip();
                (scales[n + k], scales[n + m + k]) = (scale, scale);
            }
        }
    }

    /// Factors for steps of length h.
    pub(super) fn factorise(&mut self, of: &Parameters, h: f64) {
        self.set_responses(of, h);
        let mut factors = std::mem::take(&mut self.factors);
        factors.factorise(|number, out| match self.places.blocks[number] {
            Block::Parts(coupling) => self.write_parts(coupling, of, h, out),
            Block::Reaction(damped, incidence) => self.write_reaction(damped, incidence, of, h, out),
            Block::Constraint(incidence) => self.write_constraint(incidence, of, h, out),
            Block::Response(response, is_own) => self.write_response(response, is_own, out),
        });
        self.factors = factors;
        (self.factored, self.factors_hold) = (h, self.holds_velocities);
        self.correction.clear();
    }

    /// Responses of the constraints to their multipliers.
    fn set_responses(&mut self, of: &Parameters, h: f64) {
        let Self { places, mass, carried, damping, stiffness, reactions, responses, work, .. } = self;
        let (speed, share) = (of.speed(), of.share());
        responses.fill(0.0);
        for (i, movable) in work.column.iter_mut().enumerate() {
            let part = places.part_of[i];
            let (own, within) = (places.own[part], i - places.structure.parts[part].velocities.start);
            let diagonal = mass.row(part, within)[within];
            let forces = speed * damping.row(own, within)[within] + h * stiffness.row(own, within)[within];
            let moved = speed * diagonal + h * carried.row(part, within)[within] - h * share * forces;
            *movable = (moved / speed).max(diagonal).recip();
        }
        for (at, &(group, part)) in places.incidences.iter().enumerate() {
            let movable = &work.column[places.structure.parts[part].velocities.clone()];
            for (l, k) in places.structure.groups[group].rows.clone().enumerate() {
                let squares = reactions.row(at, l).iter().zip(movable).map(|(g, movable)| g * g * movable);
                responses[k] += squares.sum::<f64>();
            }
        }
    }

    /// γ/β (M − h κ C) + h M_ξ − h² κ K of two parts.
    fn write_parts(&self, coupling: usize, of: &Parameters, h: f64, mut out: BlockMut<'_>) {
        let [a, b] = self.places.couplings[coupling];
        let (of_damping, of_stiffness) = (h * of.share() * of.speed(), h * h * of.share());
        let parts = &self.places.structure.parts;
        let columns = &self.scales[parts[b].velocities.clone()];
        for (i, scale) in self.scales[parts[a].velocities.clone()].iter().enumerate() {
            let (c, k) = (self.damping.row(coupling, i), self.stiffness.row(coupling, i));
            let out = out.row_mut(i);
            for (j, out) in out.iter_mut().enumerate() {
                *out = -of_damping * c[j] - of_stiffness * k[j];
            }
            if a == b {
                let (m, carried) = (self.mass.row(a, i), self.carried.row(a, i));
                for (j, out) in out.iter_mut().enumerate() {
                    *out += of.speed() * m[j] + h * carried[j];
                }
            }
            out.iter_mut().zip(columns).for_each(|(out, column)| *out *= scale * column);
        }
    }

    /// Gᵀ and Gᵀ − h κ C M⁻¹ Gᵀ in the equations of a part.
    fn write_reaction(
        &self,
        damped: usize,
        incidence: Option<usize>,
        of: &Parameters,
        h: f64,
        mut out: BlockMut<'_>,
    ) {
        let (part, group) = self.places.damped[damped];
        let rows = self.places.structure.groups[group].rows.clone();
        let (n, m) = self.sizes;
        let r = rows.len();
        for (i, scale) in self.scales[self.places.structure.parts[part].velocities.clone()].iter().enumerate()
        {
            let out = out.row_mut(i);
            let damped = self.damped.row(damped, i);
            for (l, k) in rows.clone().enumerate() {
                let g = incidence.map_or(0.0, |at| self.reactions.row(at, l)[i]);
                out[l] = scale * g * self.scales[n + k];
                if self.holds_velocities {
                    out[r + l] = scale * (g - h * of.share() * damped[l]) * self.scales[n + m + k];
                }
            }
        }
    }

    /// g_ξ and γ/β G + h (G z)_ξ of a group by a part.
    fn write_constraint(&self, incidence: usize, of: &Parameters, h: f64, mut out: BlockMut<'_>) {
        let (group, part) = self.places.incidences[incidence];
        let columns = &self.scales[self.places.structure.parts[part].velocities.clone()];
        let rows = self.places.structure.groups[group].rows.clone();
        let (n, m) = self.sizes;
        let r = rows.len();
        for (l, k) in rows.enumerate() {
            let g = self.reactions.row(incidence, l);
            let tangent = self.rows.row(incidence, l);
            for (j, out) in out.row_mut(l).iter_mut().enumerate() {
                *out = self.scales[n + k] * (g[j] + tangent[j]) * columns[j];
            }
            if self.holds_velocities {
                let rates = self.row_rates.row(incidence, l);
                for (j, out) in out.row_mut(r + l).iter_mut().enumerate() {
                    *out = self.scales[n + m + k] * (of.speed() * g[j] + h * rates[j]) * columns[j];
                }
            }
        }
    }

    /// G M⁻¹ Gᵀ of two groups; E for impulses that do not exist.
    fn write_response(&self, response: usize, is_own: bool, mut out: BlockMut<'_>) {
        let (group, other) = self.places.responses[response];
        let groups = &self.places.structure.groups;
        let (n, m) = self.sizes;
        let (r, columns) = (groups[group].rows.len(), groups[other].rows.len());
        for (i, k) in groups[group].rows.clone().enumerate() {
            let values = self.response.row(response, i);
            let out = &mut out.row_mut(r + i)[columns..];
            for ((out, value), l) in out.iter_mut().zip(values).zip(groups[other].rows.clone()) {
                *out = match (self.holds_velocities, is_own && k == l) {
                    (true, _) => self.scales[n + m + k] * value * self.scales[n + m + l],
                    (false, is_diagonal) => f64::from(u8::from(is_diagonal)),
                };
            }
        }
    }
}
