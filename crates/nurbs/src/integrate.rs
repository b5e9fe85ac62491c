//! Gauss-Legendre quadrature, and the volume and centroid of exact solids.

use crate::{Multipatch, Patch};

/// Points and weights of the n-point Gauss-Legendre rule on \[0,1\], exact to degree 2n−1.
///
/// Roots of the Legendre polynomial by Newton's method from cos(π (i − ¼)/(n + ½)).
pub fn gauss_legendre(n: usize) -> Vec<(f64, f64)> {
    let mut rule = vec![(0.0, 0.0); n];
    for i in 0..n.div_ceil(2) {
        let mut x = (std::f64::consts::PI * (i as f64 + 0.75) / (n as f64 + 0.5)).cos();
        let mut slope = 1.0;
        for _ in 0..100 {
            let (mut below, mut value) = (1.0, x);
            for k in 2..=n {
                let k = k as f64;
                (below, value) = (value, ((2.0 * k - 1.0) * x * value - (k - 1.0) * below) / k);
            }
            slope = n as f64 * (x * value - below) / (x * x - 1.0);
            let step = value / slope;
            x -= step;
            if step.abs() < 1e-16 {
                break;
            }
        }
        let weight = 1.0 / ((1.0 - x * x) * slope * slope);
        rule[i] = (0.5 * (1.0 - x), weight);
        rule[n - 1 - i] = (0.5 * (1.0 + x), weight);
    }
    rule
}

/// ∫ dV and ∫ x dV.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Moments {
    /// Signed volume \[m³\]: negative for a left-handed patch.
    pub volume: f64,
    /// First moment \[m⁴\].
    pub first: [f64; 3],
}

impl Patch {
    /// Integrates over the patch with n Gauss points in each direction of a knot span.
    ///
    /// The integrand is rational: n = p+1 gives single precision for the exact solids, n = 4(p+1) all digits.
    pub fn moments(&self, n: usize) -> Moments {
        let rule = gauss_legendre(n);
        let spans = [0, 1, 2].map(|d| self.basis[d].spans());
        let mut sum = Moments::default();
        for &w in &spans[2] {
            for &v in &spans[1] {
                for &u in &spans[0] {
                    self.add_span(&rule, [u, v, w], &mut sum);
                }
            }
        }
        sum
    }

    fn add_span(&self, rule: &[(f64, f64)], spans: [usize; 3], sum: &mut Moments) {
        let ends = [0, 1, 2].map(|d| [self.basis[d].knots()[spans[d]], self.basis[d].knots()[spans[d] + 1]]);
        let at = |d: usize, x: f64| ends[d][0] + x * (ends[d][1] - ends[d][0]);
        let scale: f64 = ends.iter().map(|[a, b]| b - a).product();
        for &(z, c) in rule {
            for &(y, b) in rule {
                for &(x, a) in rule {
                    let map = self.derivatives_on(spans, [at(0, x), at(1, y), at(2, z)]);
                    let dv = a * b * c * scale * map.jacobian();
                    sum.volume += dv;
                    for (first, coordinate) in sum.first.iter_mut().zip(map.point) {
                        *first += dv * coordinate;
                    }
                }
            }
        }
    }
}

impl Multipatch {
    /// Sum of [`Patch::moments`] over the body.
    pub fn moments(&self, n: usize) -> Moments {
        let mut sum = Moments::default();
        for part in self.patches.iter().map(|patch| patch.moments(n)) {
            sum.volume += part.volume;
            for d in 0..3 {
                sum.first[d] += part.first[d];
            }
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::gauss_legendre;

    #[test]
    fn gauss_rules_integrate_polynomials_of_degree_2n_minus_1() {
        for n in 1..=24 {
            let rule = gauss_legendre(n);
            for power in 0..2 * n as i32 {
                let sum: f64 = rule.iter().map(|(x, w)| w * x.powi(power)).sum();
                assert!((sum * f64::from(power + 1) - 1.0).abs() < 2e-14, "n {n}, x^{power}: {sum}");
            }
        }
    }
}
