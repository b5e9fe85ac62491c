//! Contact by springs in a step: a normal force from a potential, and Coulomb friction by a return mapping.
//!
//! ```text
//! p = −(Π₁ − Π₀)/(g₁ − g₀),   Π = ½ k [−g]₊²
//! ```
//!
//! so that in the energy-momentum scheme the work of p D is the change of the springs' energy; the midpoint
//! rule has `p = k [−g(z̄)]₊`. Along the surface, with s_a = L_a ξ_a, L_a the length of y,a at the start of
//! the step, and the metric m_ab of s at the start,
//!
//! ```text
//! λ_a = λ_a0 − k m_ab (s_b1 − s_b0)                             if |λ| ≤ μ p,   |λ|² = λ_a m^ab λ_b
//! λ_a = μ p λᵗʳ_a/|λᵗʳ|                                          else, λᵗʳ the value above
//! ```
//!
//! with forces λ_a D_a along the gradients of s_a, whose work is λ_a (s_a1 − s_a0). Newton's method solves an
//! equation with the same solutions, in which λ is an unknown beside the displacements,
//!
//! ```text
//! L = (λ − P(τ))/k = 0,   τ = (1 − θ) λ + θ λᵗʳ,   P(τ) = τ or μ p τ/|τ|
//! ```
//!
//! θ k is a stiffness of the size of the body's: with θ = 1 a node that sticks would slip in the next
//! iterate as soon as it were off by μ p/k, to one side and to the other in turns (Alart & Curnier 1991).
//! The loss of a step,
//!
//! ```text
//! k ΔE = λ·(λᵗʳ − λ) + ½ |λ − λ₀|² ≥ 0
//! ```
//!
//! has the work of the slip and, also where the node sticks, that of the implicit step of the spring.
//!
//! # Source
//!
//! Franke, Hesch & Betsch (2012), eqs. (60) to (62); the potential: Armero & Petőcz (1998).
//! docs/theory/whole-bodies.md, section 8.1.

use carom_contact::step_gradient::{StepGap, StepRule, StepSlip};
use nalgebra::{Matrix2, Vector2, Vector3};

/// Springs of a node against a face.
#[derive(Debug, Clone)]
pub(in crate::implicit) struct Spring {
    /// k \[N/m\].
    stiffness: f64,
    /// μ.
    friction: f64,
    /// −∂p/∂g/k, g at the end or in the middle of the step.
    normal_slope: f64,
    /// The same by the gap in the middle of the step.
    is_of_middle: bool,
    sliding: Option<Box<Sliding>>,
    /// θ.
    pub(super) theta: f64,
    /// Friction on the node at the start of the step, and its size in the metric of the step before \[N\].
    pub(super) traction: (Vector3<f64>, f64),
}

/// Friction of a node in a step.
#[derive(Debug, Clone, Default)]
pub(in crate::implicit) struct Sliding {
    /// s_a, with gradients and tangents.
    pub(super) slips: [StepSlip; 2],
    /// m_ab.
    metric: Matrix2<f64>,
    before: Vector2<f64>,
    trial: Vector2<f64>,
    now: Vector2<f64>,
    /// k L.
    misfit: Vector2<f64>,
    /// ∂L_a/∂s_b.
    by_slip: Matrix2<f64>,
    /// k ∂L_a/∂λ_b.
    by_force: Matrix2<f64>,
    /// −k ∂L_a/∂p.
    by_pressure: Vector2<f64>,
}

/// Losses and energy of springs in a step \[J\].
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::implicit) struct Losses {
    /// Of friction.
    pub(in crate::implicit) friction: f64,
    /// Energy that the springs have after the step.
    pub(in crate::implicit) stored: f64,
}

/// p \[N\] and −∂p/∂g₁/k of the potential ½ k [−g]₊².
fn mean_force(stiffness: f64, [g0, g1]: [f64; 2]) -> (f64, f64) {
    let [a, b] = [(-g0).max(0.0), (-g1).max(0.0)];
    let change = g1 - g0;
    match (a > 0.0, b > 0.0) {
        (true, true) => (0.5 * stiffness * (a + b), 0.5),
        (false, true) => (0.5 * stiffness * b * b / -change, 0.5 * b * (2.0 * g0 + b) / (change * change)),
        (true, false) => (0.5 * stiffness * a * a / change, 0.5 * a * a / (change * change)),
        (false, false) => (0.0, 0.0),
    }
}

impl Spring {
    pub(super) fn new(stiffness: f64, friction: f64) -> Self {
        Self {
            stiffness,
            friction,
            normal_slope: 0.0,
            is_of_middle: false,
            sliding: (friction > 0.0).then(Box::default),
            theta: 1.0,
            traction: (Vector3::zeros(), 0.0),
        }
    }

    /// The same springs with friction at the start of a step, [`Spring::traction`].
    pub(super) fn with_traction(self, traction: (Vector3<f64>, f64)) -> Self {
        Self { traction, ..self }
    }

    /// The friction of the step, if there is any.
    pub(super) fn sliding(&self) -> Option<&Sliding> {
        self.sliding.as_deref()
    }

    pub(super) fn slips_mut(&mut self) -> Option<&mut [StepSlip; 2]> {
        self.sliding.as_mut().map(|sliding| &mut sliding.slips)
    }

    /// Evaluates the laws at the present end: sets the normal force, and keeps the λ_a of friction.
    pub(super) fn apply(&mut self, rule: StepRule, gap: &StepGap, lambda: &mut [f64; 3]) {
        self.is_of_middle = rule == StepRule::Midpoint;
        (lambda[0], self.normal_slope) = if self.is_of_middle {
            let depth = (-gap.in_middle).max(0.0);
            (self.stiffness * depth, if depth > 0.0 { 0.5 } else { 0.0 })
        } else {
            mean_force(self.stiffness, gap.gaps)
        };
        let limit = self.friction * lambda[0];
        if let Some(sliding) = &mut self.sliding {
            sliding.take_lengths();
            sliding.now = Vector2::new(lambda[1], lambda[2]);
            sliding.return_map((self.stiffness, self.theta), (limit, self.friction), &self.traction);
        }
    }

    /// k L of a multiplier, a force \[N\]: the normal force has that of its law.
    pub(super) fn misfit(&self, part: usize) -> f64 {
        match (part, &self.sliding) {
            (1.., Some(sliding)) => sliding.misfit[part - 1],
            _ => 0.0,
        }
    }

    /// L of a multiplier \[m\].
    pub(super) fn law_residual(&self, part: usize) -> f64 {
        self.misfit(part) / self.stiffness
    }

    /// G of a multiplier: the derivative of its law, divided by k, with respect to a block.
    pub(super) fn slope(&self, part: usize, gap: &StepGap, block: usize) -> Vector3<f64> {
        match (part, &self.sliding) {
            (1.., Some(sliding)) => {
                let row = |b: usize| sliding.by_slip[(part - 1, b)] * sliding.slips[b].at_end[block];
                row(0) + row(1)
            }
            _ if self.is_of_middle => self.normal_slope * gap.at_middle[block],
            _ => self.normal_slope * gap.at_end[block],
        }
    }

    /// β of a multiplier \[m/N\].
    pub(super) fn law_slopes(&self, part: usize) -> [f64; 3] {
        let (1.., Some(sliding)) = (part, &self.sliding) else { return [1.0 / self.stiffness, 0.0, 0.0] };
        let row = part - 1;
        [-sliding.by_pressure[row], sliding.by_force[(row, 0)], sliding.by_force[(row, 1)]]
            .map(|slope| slope / self.stiffness)
    }

    /// Ends the step with this gap: friction for the next one, energy and losses.
    pub(super) fn close(&mut self, gap: f64) -> Losses {
        let depth = (-gap).max(0.0);
        let normal = 0.5 * self.stiffness * depth * depth;
        let Some(sliding) = &self.sliding else { return Losses { friction: 0.0, stored: normal } };
        let (mut loss, size) = sliding.loss();
        if sliding.before == Vector2::zeros() {
            // A traction across the face that the node has moved to is lost.
            loss += 0.5 * self.traction.1 * self.traction.1;
        }
        let stored = 0.5 * size * size / self.stiffness;
        self.traction = (sliding.force_at_end(), size);
        loss /= self.stiffness;
        if depth > 0.0 {
            return Losses { friction: loss, stored: normal + stored };
        }
        // A node that leaves the face lets its spring go.
        self.traction = (Vector3::zeros(), 0.0);
        Losses { friction: loss + stored, stored: normal }
    }
}

impl Sliding {
    /// From parameters to lengths.
    fn take_lengths(&mut self) {
        for slip in &mut self.slips {
            let length = slip.tangents[0].norm();
            slip.xi.iter_mut().for_each(|xi| *xi *= length);
            slip.tangents.iter_mut().for_each(|t| *t /= length);
            slip.gradient.iter_mut().chain(&mut slip.at_end).for_each(|row| *row *= length);
            slip.tangent.iter_mut().for_each(|block| *block *= length);
        }
        let [a, b] = [0, 1].map(|a| self.slips[a].tangents[0]);
        self.metric = Matrix2::new(1.0, a.dot(&b), a.dot(&b), 1.0);
    }

    /// |λ| in the metric of the step.
    fn size(&self, lambda: &Vector2<f64>) -> f64 {
        self.inner(lambda, lambda).max(0.0).sqrt()
    }

    fn inner(&self, a: &Vector2<f64>, b: &Vector2<f64>) -> f64 {
        let inverse = self.metric.try_inverse().unwrap_or_else(Matrix2::identity);
        (inverse * a).dot(b)
    }

    fn return_map(
        &mut self,
        (stiffness, theta): (f64, f64),
        (limit, friction): (f64, f64),
        (traction, size): &(Vector3<f64>, f64),
    ) {
        // The traction is carried over by its components along the face, and keeps its size.
        self.before = Vector2::from_fn(|a, _| traction.dot(&self.slips[a].tangents[0]));
        let carried = self.size(&self.before);
        if carried > 0.0 {
            self.before *= size / carried;
        }
        let slip = Vector2::from_fn(|a, _| self.slips[a].xi[1] - self.slips[a].xi[0]);
        self.trial = self.before - stiffness * self.metric * slip;
        let tried = (1.0 - theta) * self.now + theta * self.trial;
        let length = self.size(&tried);
        let (mapped, slope, by_pressure) = if limit <= 0.0 {
            (Vector2::zeros(), Matrix2::zeros(), Vector2::zeros())
        } else if length <= limit {
            (tried, Matrix2::identity(), Vector2::zeros())
        } else {
            let along = tried / length;
            let inverse = self.metric.try_inverse().unwrap_or_else(Matrix2::identity);
            let across = Matrix2::identity() - along * along.transpose() * inverse;
            (limit * along, limit / length * across, friction * along)
        };
        self.misfit = self.now - mapped;
        self.by_slip = theta * slope * self.metric;
        self.by_force = Matrix2::identity() - (1.0 - theta) * slope;
        self.by_pressure = by_pressure;
    }

    /// λ·(λᵗʳ − λ) + ½ |λ − λ₀|², and |λ|.
    fn loss(&self) -> (f64, f64) {
        let (slipped, changed) = (self.trial - self.now, self.now - self.before);
        let loss = self.inner(&self.now, &slipped).max(0.0) + 0.5 * self.inner(&changed, &changed).max(0.0);
        (loss, self.size(&self.now))
    }

    /// The friction on the node with the tangents at the end.
    fn force_at_end(&self) -> Vector3<f64> {
        let [a, b] = [0, 1].map(|a| self.slips[a].tangents[1]);
        let metric = Matrix2::new(a.dot(&a), a.dot(&b), a.dot(&b), b.dot(&b));
        let upper = metric.try_inverse().unwrap_or_else(Matrix2::zeros) * self.now;
        upper[0] * a + upper[1] * b
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_force_does_the_work_of_the_potential_and_has_the_slope_of_differences() {
        let k = 7.0;
        let potential = |g: f64| 0.5 * k * g.min(0.0).powi(2);
        for [g0, g1] in [[-0.3, -0.1], [0.2, -0.1], [-0.2, 0.3], [0.1, 0.2], [-0.2, -0.2], [0.0, -0.4]] {
            let (force, slope) = mean_force(k, [g0, g1]);
            assert!((force * (g1 - g0) + potential(g1) - potential(g0)).abs() < 1e-15, "{g0} {g1}");
            let ends = [1e-6, -1e-6].map(|by| mean_force(k, [g0, g1 + by]).0);
            let by_differences = (ends[1] - ends[0]) / 2e-6 / k;
            assert!((slope - by_differences).abs() < 1e-6, "{g0} {g1}: {slope} {by_differences}");
        }
    }

    /// A skewed metric; the loss is the work less the change of the spring's energy.
    #[test]
    fn the_return_map_is_within_the_cone_and_its_loss_is_the_work_that_is_not_stored() {
        let (k, friction) = (50.0, 0.4);
        for (pressure, slip, sticks) in [(9.0, [0.01, -0.02], true), (2.0, [0.3, 0.1], false)] {
            let mut sliding = Sliding { metric: Matrix2::new(1.0, 0.3, 0.3, 1.0), ..Sliding::default() };
            sliding.slips[0].tangents[0] = Vector3::x();
            sliding.slips[1].tangents[0] = Vector3::new(0.3, (1.0 - 0.09_f64).sqrt(), 0.0);
            (0..2).for_each(|a| sliding.slips[a].xi[1] = slip[a]);
            let traction = Vector3::new(0.3, -0.2, 0.0);
            let limits = (friction * pressure, friction);
            sliding.return_map((k, 1.0), limits, &(traction, traction.norm()));
            sliding.now -= sliding.misfit;
            let size = sliding.size(&sliding.now);
            assert_eq!(size < friction * pressure - 1e-12, sticks, "{size}");
            assert!((sliding.size(&sliding.before) - traction.norm()).abs() < 1e-15);
            let (loss, _) = sliding.loss();
            let work = sliding.now.dot(&Vector2::from(slip));
            let stored = 0.5 * (size * size - traction.norm_squared()) / k;
            assert!(loss >= 0.0 && (loss / k + work + stored).abs() < 1e-15, "{loss} {work} {stored}");
            // The solution is that of any θ; L has the slopes of differences.
            sliding.return_map((k, 0.3), limits, &(traction, traction.norm()));
            assert!(sliding.misfit.norm() < 1e-15, "{}", sliding.misfit);
            let by_slip = Vector2::new(-1e-3, 2e-3);
            sliding.now += by_slip;
            let misfit = |change: &dyn Fn(&mut Sliding)| {
                let mut moved = sliding.clone();
                change(&mut moved);
                moved.return_map((k, 0.3), limits, &(traction, traction.norm()));
                moved
            };
            let here = misfit(&|_| ());
            for b in 0..2 {
                let [up, down] = [1e-6, -1e-6].map(|by| misfit(&|s| s.slips[b].xi[1] += by).misfit);
                assert!(((up - down) / 2e-6 / k - here.by_slip.column(b)).norm() < 1e-8);
                let [up, down] = [1e-6, -1e-6].map(|by| misfit(&|s| s.now[b] += by).misfit);
                assert!(((up - down) / 2e-6 - here.by_force.column(b)).norm() < 1e-8);
            }
        }
    }
}
