//! The projection on the cone of Lorentz, smoothed.

/// The smoothed projection P_τ(z) on the cone z_N ≥ |z_T| of one contact, and its derivative:
///
/// ```text
/// P_τ(z) = ½ (z + √(z² + 4 τ² e)) ,     spectral values ½ (λ + √(λ² + 4 τ²)) of λ = z_N ∓ |z_T|
/// ```
///
/// The square and its root are those of the Jordan algebra of the cone. z and P_τ have the same directions,
/// and any unit that τ has too.
///
/// # Source
///
/// Hayashi, Yamashita & Fukushima (2005), SIAM J. Optim. 15(2), 593–615.
#[derive(Debug, Clone, Copy)]
pub struct SmoothedCone {
    /// P_τ(z): along the normal, and two tangents.
    pub value: [f64; 3],
    /// Along and across: P' = [[b, c wᵀ], [c w, a E + (b − a) w wᵀ]].
    a: f64,
    b: f64,
    c: f64,
    /// w = z_T/|z_T|.
    direction: [f64; 2],
}

impl SmoothedCone {
    /// The projection of z, the normal first.
    #[must_use]
    pub fn new(z: [f64; 3], tau: f64) -> Self {
        let size = z[1].hypot(z[2]);
        let direction = if size > 0.0 { [z[1] / size, z[2] / size] } else { [1.0, 0.0] };
        let [(p1, d1), (p2, d2)] = [smoothed(z[0] - size, tau), smoothed(z[0] + size, tau)];
        let half = 0.5 * (p2 - p1);
        let a = if size > 1e-8 * (z[0].abs() + tau) { half / size } else { 0.5 * (d1 + d2) };
        let value = [0.5 * (p1 + p2), half * direction[0], half * direction[1]];
        Self { value, a, b: 0.5 * (d1 + d2), c: 0.5 * (d2 - d1), direction }
    }

    /// Entry of P', normal 0, tangents 1 and 2.
    #[must_use]
    pub fn slope(&self, i: usize, j: usize) -> f64 {
        let w = |k: usize| self.direction[k - 1];
        match (i, j) {
            (0, 0) => self.b,
            (0, k) | (k, 0) => self.c * w(k),
            _ => (self.b - self.a) * w(i) * w(j) + if i == j { self.a } else { 0.0 },
        }
    }
}

/// ½ (λ + √(λ² + 4 τ²)) and its derivative, without cancellation.
#[must_use]
pub fn smoothed(lambda: f64, tau: f64) -> (f64, f64) {
    let root = lambda.hypot(2.0 * tau);
    let value = if lambda < 0.0 { 2.0 * tau * tau / (root - lambda) } else { 0.5 * (lambda + root) };
    (value, value / root)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smoothed_projection_has_its_derivative_and_tends_to_the_projection() {
        for z in [[0.3, 0.4, -0.2], [-0.5, 0.1, 0.7], [1.0, 0.0, 0.0], [-1.0, 0.2, 0.1]] {
            let at = |z: [f64; 3]| SmoothedCone::new(z, 0.1);
            for j in 0..3 {
                let moved = |h: f64| at(std::array::from_fn(|k| z[k] + if k == j { h } else { 0.0 })).value;
                let (more, less) = (moved(1e-6), moved(-1e-6));
                for i in 0..3 {
                    let difference = (more[i] - less[i]) / 2e-6;
                    assert!((difference - at(z).slope(i, j)).abs() < 1e-8, "{z:?}: {i} {j}");
                }
            }
            let (near, exact) = (SmoothedCone::new(z, 1e-9).value, super::super::problem::project(z, 1.0));
            assert!((0..3).all(|k| (near[k] - exact[k]).abs() < 2e-9), "{near:?} {exact:?}");
        }
    }
}
