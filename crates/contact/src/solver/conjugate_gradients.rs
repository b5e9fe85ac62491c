//! Projected conjugate gradients for symmetric positive semi-definite M, known by products alone.

use super::operator::{Operator, dot, largest, product_plus};
use super::outcome::{Stop, Trial};

/// How projected conjugate gradients add unknowns to those that may move, and how far a step goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StepRule {
    /// Unknowns join when their part of the gradient is the larger one; a step that meets a bound is also
    /// tried in full and projected.
    #[default]
    Proportioned,
    /// All unknowns with w ≤ 0 join at once; a step ends at the first bound (Zywicz & Puso 1999, eqs. (64) to
    /// (72)).
    FirstBound,
}

/// Vectors of projected conjugate gradients, kept from solve to solve.
///
/// ```text
/// r_j = 0 outside the face, else w_j                    gradient on the face                   (64), (65)
/// s   = −K r + β s,   β = r·K r / (r·K r)_old          β = 0 after a change of the face       (68), (69)
/// α   = −r·s / s·M s,  at most to the first z_j = 0    K = diag(M)⁻¹                           (70)–(72)
/// ```
///
/// Our z is −λ of the paper, our w its gap. [`StepRule::FirstBound`] is the rule of the paper. By default we
/// deviate in two things. The paper adds every j with
/// w_j ≤ 0 to the face at once; with a sparse M that is one neighbour in each step, and every step starts
/// anew. Here they are added when their part of the gradient is larger than that on the face (Dostál's test
/// of proportion). And a step that meets a bound is also tried in full and then projected. The step with the
/// lower energy ½ z·M z + q·z counts, so that several multipliers may leave in a step.
///
/// # Source
///
/// Zywicz & Puso (1999), section 5.1; diagonal preconditioner (62) and (63), which are diag(B)⁻¹ up to
/// weights. Dostál (2009), *Optimal Quadratic Programming Algorithms*, section 5.8, for the test of
/// proportion with Γ = 1.
#[derive(Debug, Default)]
pub(super) struct ConjugateGradients {
    pub(super) rule: StepRule,
    diagonal: Vec<f64>,
    residual: Vec<f64>,
    direction: Vec<f64>,
    product: Vec<f64>,
    projected: Vec<f64>,
    projected_w: Vec<f64>,
    probe: Vec<f64>,
    order: Vec<u32>,
    redundant: Vec<bool>,
    /// The face: z_j may move.
    free: Vec<bool>,
}

impl ConjugateGradients {
    pub(super) fn resize(&mut self, n: usize) {
        let vectors = [
            &mut self.diagonal,
            &mut self.residual,
            &mut self.direction,
            &mut self.product,
            &mut self.projected,
            &mut self.projected_w,
            &mut self.probe,
        ];
        vectors.into_iter().for_each(|v| v.resize(n, 0.0));
        self.order.resize(n, 0);
        self.redundant.resize(n, false);
        self.free.resize(n, false);
    }

    /// Iterates from z, which is made ≥ 0; w is left at M z + q, unless M is unfit. Ends at a natural
    /// residual of `aim`: the size of M by which z counts, and the residual.
    pub(super) fn solve(
        &mut self,
        m: &dyn Operator,
        q: &[f64],
        z: &mut [f64],
        w: &mut [f64],
        aim: (f64, f64),
    ) -> Trial {
        self.resize(q.len());
        m.diagonal_into(&mut self.diagonal);
        if !self.diagonal.iter().all(|d| *d > 0.0 && d.is_finite()) {
            return Trial { iterations: 0, stop: Stop::Unfit };
        }
        self.redundant.fill(false);
        z.iter_mut().for_each(|z| *z = z.max(0.0));
        let limit = 6 * q.len() + 60;
        let first = self.iterate(m, q, z, w, aim, limit);
        if first.stop == Stop::Done || !self.find_redundant(m, q) {
            return first;
        }
        (0..q.len()).filter(|&j| self.redundant[j]).for_each(|j| z[j] = 0.0);
        let second = self.iterate(m, q, z, w, aim, limit);
        Trial { iterations: first.iterations + second.iterations, stop: second.stop }
    }

    fn iterate(
        &mut self,
        m: &dyn Operator,
        q: &[f64],
        z: &mut [f64],
        w: &mut [f64],
        aim: (f64, f64),
        limit: usize,
    ) -> Trial {
        /// Steps after which w is computed anew, against the drift of (76).
        const RENEW: usize = 50;
        let n = q.len();
        let (mut rho_old, mut restart) = (0.0, true);
        (0..n).for_each(|j| self.free[j] = z[j] > 0.0 && !self.redundant[j]);
        for iterations in 0..=limit {
            let is_new = iterations % RENEW == 0;
            if is_new {
                product_plus(m, q, z, w);
            }
            let reached = largest((0..n).filter(|&j| !self.redundant[j]).map(|j| (aim.0 * z[j]).min(w[j])));
            if reached <= aim.1 {
                if !is_new {
                    product_plus(m, q, z, w);
                }
                return Trial { iterations, stop: Stop::Done };
            }
            let (rho, widened) = self.gradient(z, w);
            restart |= widened;
            let beta = if restart { 0.0 } else { rho / rho_old };
            rho_old = rho;
            for j in 0..n {
                let s = beta * self.direction[j] - self.residual[j] / self.diagonal[j];
                self.direction[j] = if self.free[j] { s } else { 0.0 };
            }
            m.apply_into(&self.direction, &mut self.product);
            let slope = -dot(&self.residual, &self.direction);
            let curvature = dot(&self.direction, &self.product);
            let bound = (0..n)
                .filter(|&j| self.direction[j] < 0.0)
                .map(|j| z[j] / -self.direction[j])
                .fold(f64::INFINITY, f64::min);
            let free = if curvature > 0.0 { slope / curvature } else { f64::INFINITY };
            if !slope.is_finite()
                || !curvature.is_finite()
                || (free == f64::INFINITY && bound == f64::INFINITY)
            {
                product_plus(m, q, z, w);
                return Trial { iterations, stop: Stop::Unbounded };
            }
            restart = free >= bound;
            if restart {
                self.bounded_step(m, q, z, w, bound, free);
            } else {
                for j in 0..n {
                    z[j] += free * self.direction[j];
                    w[j] += free * self.product[j];
                }
            }
        }
        product_plus(m, q, z, w);
        Trial { iterations: limit, stop: Stop::Limit }
    }

    /// The gradient on the face, (64) and (65); returns r·K r and whether the face became wider.
    fn gradient(&mut self, z: &[f64], w: &[f64]) -> (f64, bool) {
        let (mut rho, mut outside) = (0.0, 0.0);
        for j in 0..z.len() {
            self.residual[j] = if self.free[j] { w[j] } else { 0.0 };
            let weight = w[j] * w[j] / self.diagonal[j];
            if self.free[j] {
                rho += weight;
            } else if w[j] < 0.0 && !self.redundant[j] {
                outside += weight;
            }
        }
        let widened = match self.rule {
            StepRule::Proportioned => outside > rho,
            StepRule::FirstBound => outside > 0.0,
        };
        if widened {
            for j in 0..z.len() {
                if !self.free[j] && w[j] < 0.0 && !self.redundant[j] {
                    self.free[j] = true;
                    self.residual[j] = w[j];
                }
            }
            rho += outside;
        }
        (rho, widened)
    }

    /// A step that meets a bound: as far as it goes, or in full and then projected, by the lower energy.
    fn bounded_step(
        &mut self,
        m: &dyn Operator,
        q: &[f64],
        z: &mut [f64],
        w: &mut [f64],
        bound: f64,
        free: f64,
    ) {
        let n = q.len();
        let far = if free.is_finite() { free } else { 2.0 * bound };
        for j in 0..n {
            self.projected[j] = (z[j] + far * self.direction[j]).max(0.0);
            let short = z[j] + bound * self.direction[j];
            // The unknown that met its bound is exactly zero.
            z[j] = if self.direction[j] < 0.0 && short <= 1e-15 * z[j] { 0.0 } else { short.max(0.0) };
            w[j] += bound * self.product[j];
        }
        if self.rule == StepRule::FirstBound {
            (0..n).for_each(|j| self.free[j] = z[j] > 0.0 && !self.redundant[j]);
            return;
        }
        product_plus(m, q, &self.projected, &mut self.projected_w);
        let energy = |z: &[f64], w: &[f64]| dot(z, w) + dot(z, q);
        if energy(&self.projected, &self.projected_w) < energy(z, w) {
            z.copy_from_slice(&self.projected);
            w.copy_from_slice(&self.projected_w);
        }
        (0..n).for_each(|j| self.free[j] = z[j] > 0.0 && !self.redundant[j]);
    }

    /// Marks constraints that another one implies; true if there are any.
    ///
    /// ```text
    /// M_ij² = M_ii M_jj, M_ij > 0:   w_i/√M_ii − q_i/√M_ii = w_j/√M_jj − q_j/√M_jj for every z
    /// ```
    ///
    /// Of two such rows the one with the smaller q/√M_ii implies the other, whose z is set to 0 without loss.
    /// They are found by sorting the products with one arbitrary vector and confirmed by one with another: no
    /// entry is needed.
    fn find_redundant(&mut self, m: &dyn Operator, q: &[f64]) -> bool {
        let n = q.len();
        for (round, target) in [&mut self.product, &mut self.residual].into_iter().enumerate() {
            for (j, x) in self.probe.iter_mut().enumerate() {
                // Irrational steps: no two entries are equal, none is zero.
                *x = 0.5
                    + ((j + 1) as f64
                        * if round == 0 { 0.618_033_988_749_895 } else { 0.414_213_562_373_095 })
                    .fract();
            }
            m.apply_into(&self.probe, target);
            target.iter_mut().zip(&self.diagonal).for_each(|(x, d)| *x /= d.sqrt());
        }
        (0..n).for_each(|j| self.order[j] = j as u32);
        let (first, second) = (&self.product, &self.residual);
        self.order.sort_unstable_by(|&a, &b| first[a as usize].total_cmp(&first[b as usize]).then(a.cmp(&b)));
        let close = |x: f64, y: f64| (x - y).abs() <= 1e-13 * x.abs().max(y.abs());
        let scaled_q = |j: usize| q[j] / self.diagonal[j].sqrt();
        let mut kept = None;
        for &j in &self.order {
            let j = j as usize;
            let twin = kept.filter(|&k: &usize| close(first[j], first[k]) && close(second[j], second[k]));
            kept = match twin {
                Some(k) if scaled_q(k) <= scaled_q(j) => {
                    self.redundant[j] = true;
                    Some(k)
                }
                Some(k) => {
                    self.redundant[k] = true;
                    Some(j)
                }
                None => Some(j),
            };
        }
        self.redundant.contains(&true)
    }
}
