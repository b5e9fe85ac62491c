//! The matrix of a step renewed as the bodies turn, its factors, and solutions with them.

use super::elimination::Equations;
use super::places::Block;
use super::{Age, Parameters, SecondOrder, StepMatrix, Tiles, dot};

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
        let Self { correction, factors, places, scales, speeds, .. } = self;
        let (n, equations) = (self.sizes.0, Equations { places, scales, speeds });
        correction.update(system, (n, scales.len()), h * h * of.share(), |row, column| {
            factors.solve(equations, |i| if i < n { row[i] } else { 0.0 }, column);
        })
    }

    /// The unknowns in their own units; `right` has the equations in the order of the module's documentation.
    pub(in crate::alpha) fn solve(&mut self, right: impl Fn(usize) -> f64) -> &[f64] {
        let Self { factors, places, scales, speeds, correction, solution, .. } = self;
        factors.solve(Equations { places, scales, speeds }, right, solution);
        if correction.is_active() {
            correction.apply(solution);
        }
        solution
    }

    /// Whether impulses change forces, by C of the last derivatives.
    pub(super) fn note_damping(&mut self) {
        let Self { places, damping, .. } = self;
        self.is_damped = places.damped_sums.iter().any(|sums| is_damped(damping, sums));
    }

    /// C M⁻¹ Gᵀ and scales.
    pub(super) fn complete(&mut self) {
        if self.is_damped {
            self.set_damped();
        }
        let Self { places, reactions, mass, scales, .. } = self;
        let structure = &places.structure;
        let (n, m) = self.sizes;
        for (k, part) in structure.parts.iter().enumerate() {
            let diagonal = mass.get(k).iter().step_by(part.velocities.len() + 1);
            scales[part.velocities.clone()].iter_mut().zip(diagonal).for_each(|(s, m)| *s = m.sqrt().recip());
        }
        let (scales, of_rows) = scales.split_at_mut(n);
        let (of_multipliers, of_impulses) = of_rows.split_at_mut(m);
        of_multipliers.fill(0.0);
        for at in 0..places.incidences.len() {
            let (rows, velocities) = places.spans(at);
            let of_part = &scales[velocities];
            let squares = reactions.get(at).chunks_exact(of_part.len().max(1));
            let squares = squares.map(|g| g.iter().zip(of_part).map(|(g, s)| (g * s).powi(2)).sum::<f64>());
            of_multipliers[rows].iter_mut().zip(squares).for_each(|(sum, square)| *sum += square);
        }
        for (scale, of_impulse) in of_multipliers.iter_mut().zip(of_impulses) {
            *scale = scale.max(f64::MIN_POSITIVE).sqrt().recip();
            *of_impulse = *scale;
        }
    }

    /// C M⁻¹ Gᵀ.
    fn set_damped(&mut self) {
        let Self { places, damping, columns, damped, .. } = self;
        for (k, sums) in places.damped_sums.iter().enumerate() {
            let out = damped.get_mut(k);
            out.fill(0.0);
            // Rigid bodies without dampers.
            if is_damped(damping, sums) {
                for &(coupling, at) in sums {
                    let [_, by] = places.couplings[coupling];
                    let n = places.structure.parts[by].velocities.len();
                    add_products(damping.get(coupling), columns.get(at), n, out);
                }
            }
        }
    }

    /// G M⁻¹ Gᵀ.
    fn set_response(&mut self) {
        let Self { places, reactions, columns, response, .. } = self;
        response.values.fill(0.0);
        for (k, sums) in places.response_sums.iter().enumerate() {
            for &(at, of_other) in sums {
                let n = places.spans(at).1.len();
                add_products(reactions.get(at), columns.get(of_other), n, response.get_mut(k));
            }
        }
    }

    /// Factors for steps of length h.
    pub(super) fn factorise(&mut self, of: &Parameters, h: f64) {
        self.set_responses(of, h);
        if self.holds_velocities {
            self.set_speeds(of, h);
            self.set_response();
        }
        let mut factors = std::mem::take(&mut self.factors);
        factors.factorise(
            &self.places,
            self.holds_velocities,
            self.is_damped,
            |block, mut out| match block {
                Block::Parts(coupling) => self.write_parts(coupling, of, h, out),
                Block::Reaction(incidence) => self.write_reaction(incidence, out),
                Block::ReactionOfBoth(damped, at) => self.write_reaction_of_both(damped, at, of, h, out),
                Block::Constraint(incidence) => self.write_constraint(incidence, &mut out),
                Block::ConstraintOfBoth(incidence) => self.write_constraint_of_both(incidence, out),
                Block::Response(response) => self.write_response(response, [0, 0], out),
                Block::ResponseOfBoth(response) => self.write_response_of_both(response, out),
            },
        );
        self.factors = factors;
        (self.factored, self.factors_hold) = (h, self.holds_velocities);
        self.correction.clear();
    }

    /// γ/β G + h (G z)_ξ.
    fn set_speeds(&mut self, of: &Parameters, h: f64) {
        let Self { speeds, reactions, row_rates, .. } = self;
        let (speed, rows) = (of.speed(), reactions.values.iter().zip(&row_rates.values));
        speeds.values.iter_mut().zip(rows).for_each(|(out, (g, rate))| *out = speed * g + h * rate);
    }

    /// Responses of the constraints to their multipliers.
    fn set_responses(&mut self, of: &Parameters, h: f64) {
        let Self { places, mass, carried, damping, stiffness, reactions, responses, work, .. } = self;
        let (speed, share) = (of.speed(), of.share());
        for (k, part) in places.structure.parts.iter().enumerate() {
            let (own, step) = (places.own[k], part.velocities.len() + 1);
            let [m, carried] = [&*mass, carried].map(|tiles| tiles.get(k).iter().step_by(step));
            let [c, k] = [&*damping, stiffness].map(|tiles| tiles.get(own).iter().step_by(step));
            let diagonals = m.zip(carried).zip(c.zip(k));
            for (movable, ((m, carried), (c, k))) in
                work.column[part.velocities.clone()].iter_mut().zip(diagonals)
            {
                let moved = speed * m + h * carried - h * share * (speed * c + h * k);
                *movable = (moved / speed).max(*m).recip();
            }
        }
        responses.fill(0.0);
        for at in 0..places.incidences.len() {
            let (rows, velocities) = places.spans(at);
            let movable = &work.column[velocities];
            let rows_of_g = reactions.get(at).chunks_exact(movable.len().max(1));
            for (response, g) in responses[rows].iter_mut().zip(rows_of_g) {
                *response += g.iter().zip(movable).map(|(g, movable)| g * g * movable).sum::<f64>();
            }
        }
    }
}

/// Whether one of the products of a tile of C M⁻¹ Gᵀ has damping.
fn is_damped(damping: &Tiles, sums: &[(usize, usize)]) -> bool {
    sums.iter().any(|&(coupling, _)| damping.get(coupling).iter().any(|&c| c != 0.0))
}

/// Adds A Bᵀ to `out`.
///
/// * `n` — numbers of a row of A and of B
fn add_products(a: &[f64], b: &[f64], n: usize, out: &mut [f64]) {
    match n {
        0 => {}
        // Rigid bodies.
        6 => {
            let (a, b) = (a.as_chunks::<6>().0, b.as_chunks::<6>().0);
            for (a, out) in a.iter().zip(out.chunks_exact_mut(b.len().max(1))) {
                for (b, out) in b.iter().zip(out) {
                    *out +=
                        (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) + (a[3] * b[3] + a[4] * b[4] + a[5] * b[5]);
                }
            }
        }
        _ => {
            let columns = b.len() / n;
            for (a, out) in a.chunks_exact(n).zip(out.chunks_exact_mut(columns.max(1))) {
                b.chunks_exact(n).zip(out).for_each(|(b, out)| *out += dot(a, b));
            }
        }
    }
}
