//! Interactions of two radial loads on the surface of a half-space, tabulated over their distance.

use std::f64::consts::LN_2;

use super::Kernel;
use super::bessel::bessel;

/// Nodes per radius r₀.
const PER_RADIUS: usize = 32;

/// Distance in radii from which on expansions in 1/d replace the table: the first term left out is below
/// 3e-7.
const FAR: usize = 4;

/// Largest wave number of the integrals; ŝ² has fallen to 1e-8 there.
const LARGEST_WAVE: f64 = 60.0;

/// Intervals of Simpson's rule over the wave number. The integrands belong to functions that vanish beyond
/// some distance, so that the rule converges exponentially.
const WAVES: usize = 1200;

/// Means over two equal radial loads at the distance d, for r₀ = 1.
///
/// ```text
/// I_n(d) = ∫₀^∞ ŝ(k)² J_n(kd) dk ,     L(d) = ⟨ln r⟩
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Means {
    /// I₀ = ⟨1/r⟩.
    pub inverse: f64,
    /// I₁ = ⟨x/r²⟩ for loads that lie along x; 1/d for d ≥ 2.
    pub first: f64,
    /// I₂ = ⟨(x² − y²)/r³⟩ for loads that lie along x.
    pub second: f64,
    /// L = ⟨ln r⟩; ln d for d ≥ 2.
    pub log: f64,
}

/// [`Means`] over the distance of two loads.
#[derive(Debug)]
pub struct Table {
    nodes: Vec<Means>,
    moments: [f64; 3],
}

impl Table {
    /// Computes the integrals.
    pub(super) fn new(kernel: Kernel) -> Self {
        let step = LARGEST_WAVE / WAVES as f64;
        let wave = |i: usize| step * i as f64;
        let squares: Vec<f64> = (0..=WAVES).map(|i| kernel.transform(wave(i)).powi(2)).collect();
        let at_two: Vec<f64> = (0..=WAVES).map(|i| bessel(2.0 * wave(i))[0]).collect();
        let node = |n: usize| {
            let d = n as f64 / PER_RADIUS as f64;
            let mut means = Means { inverse: 0.0, first: 0.0, second: 0.0, log: LN_2 };
            for (i, square) in squares.iter().enumerate() {
                let simpson = if i == 0 || i == WAVES { 1.0 } else { [2.0, 4.0][i % 2] };
                let (k, weight) = (wave(i), simpson * square * step / 3.0);
                let j = bessel(k * d);
                means.inverse += weight * j[0];
                means.first += weight * j[1];
                means.second += weight * j[2];
                // dL/dd = I₁ and L(2) = ln 2; (J₀(2k) − J₀(kd))/k tends to 0 for k → 0.
                if i > 0 && n < 2 * PER_RADIUS {
                    means.log += weight * (at_two[i] - j[0]) / k;
                }
            }
            if n >= 2 * PER_RADIUS {
                // Newton's theorem in the plane: from outside both loads act like points.
                means.first = 1.0 / d;
                means.log = d.ln();
            }
            means
        };
        Self { nodes: (0..=FAR * PER_RADIUS + 2).map(node).collect(), moments: kernel.moments() }
    }

    /// The means at a distance d in radii, d ≥ 0.
    ///
    /// The error is below 1e-5 of 1/(1 + d).
    pub fn at(&self, d: f64) -> Means {
        if d >= FAR as f64 {
            return self.far(d);
        }
        // Cubic interpolation over four nodes; even and odd functions continue beyond d = 0.
        let x = d * PER_RADIUS as f64;
        let i = x as usize;
        let t = x - i as f64;
        let weights = [
            -t * (t - 1.0) * (t - 2.0) / 6.0,
            (t + 1.0) * (t - 1.0) * (t - 2.0) / 2.0,
            -(t + 1.0) * t * (t - 2.0) / 2.0,
            (t + 1.0) * t * (t - 1.0) / 6.0,
        ];
        let mut means = Means { inverse: 0.0, first: 0.0, second: 0.0, log: 0.0 };
        for (k, weight) in weights.into_iter().enumerate() {
            let (index, sign) = if i + k == 0 { (1, -1.0) } else { (i + k - 1, 1.0) };
            let node = &self.nodes[index];
            means.inverse += weight * node.inverse;
            means.first += weight * sign * node.first;
            means.second += weight * node.second;
            means.log += weight * node.log;
        }
        means
    }

    /// ⟨r⟩ = d + c₁/d + c₂/d³ + c₃/d⁵ and its derivatives: ⟨1/r⟩ = R″ + R′/d, ⟨(x² − y²)/r³⟩ = R′/d − R″.
    fn far(&self, d: f64) -> Means {
        let [m2, m4, m6] = self.moments;
        let c = [m2 / 2.0, m4 / 32.0 + m2 * m2 / 16.0, 9.0 * (m6 / 1152.0 + m2 * m4 / 128.0)];
        let p = [d.powi(-3), d.powi(-5), d.powi(-7)];
        let sum = |factors: [f64; 3]| (0..3).map(|k| factors[k] * c[k] * p[k]).sum::<f64>();
        Means {
            inverse: 1.0 / d + sum([1.0, 9.0, 25.0]),
            first: 1.0 / d,
            second: 1.0 / d - sum([3.0, 15.0, 35.0]),
            log: d.ln(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;

    /// Mean of f over two loads at the distance d along x, by rules in polar coordinates.
    fn mean(kernel: Kernel, d: f64, f: impl Fn(f64, f64) -> f64) -> f64 {
        let (rings, spokes) = (24, 24);
        let mut points = Vec::new();
        for i in 0..rings {
            let x = (i as f64 + 0.5) / rings as f64;
            for k in 0..spokes {
                let angle = 2.0 * PI * (k as f64 + 0.5) / spokes as f64;
                let weight = kernel.value(x) * x / rings as f64 * 2.0 * PI / spokes as f64;
                points.push((x * angle.cos(), x * angle.sin(), weight));
            }
        }
        let (mut sum, mut total) = (0.0, 0.0);
        for a in &points {
            for b in &points {
                sum += a.2 * b.2 * f(d + b.0 - a.0, b.1 - a.1);
            }
            total += a.2;
        }
        sum / (total * total)
    }

    /// Γ(n/2).
    fn gamma_half(n: u32) -> f64 {
        let (start, first) = if n.is_multiple_of(2) { (1.0, 2) } else { (PI.sqrt(), 1) };
        (first..n).step_by(2).map(|k| f64::from(k) / 2.0).fold(start, |product, x| product * x)
    }

    /// ∫₀^∞ J_μ J_ν t^−λ dt (Weber and Schafheitlin), with whole numbers μ ≥ ν.
    fn weber_schafheitlin(mu: u32, nu: u32, lambda: u32) -> f64 {
        gamma_half(2 * lambda) * gamma_half(mu + nu + 1 - lambda)
            / (2f64.powi(lambda as i32)
                * gamma_half(lambda + 1 + nu - mu)
                * gamma_half(lambda + 1 + nu + mu)
                * gamma_half(lambda + 1 + mu - nu))
    }

    #[test]
    fn the_interaction_at_the_same_place_is_the_closed_one() {
        let q2 = 48f64.powi(2) * weber_schafheitlin(3, 3, 6);
        let z2 = 192f64.powi(2) * weber_schafheitlin(3, 3, 6) + 1920f64.powi(2) * weber_schafheitlin(4, 4, 8)
            - 2.0 * 192.0 * 1920.0 * weber_schafheitlin(4, 3, 7);
        for (kernel, exact, published) in
            [(Kernel::Quadratic, q2, 0.76654), (Kernel::ZeroMoment, z2, 1.48254)]
        {
            let found = kernel.table().at(0.0).inverse;
            // The integral ends at k = 60; ŝ² falls with k⁻⁷.
            assert!((found / exact - 1.0).abs() < 1e-7, "{kernel} {found} {exact}");
            assert!((exact / PI - published).abs() < 1e-5, "{kernel} {}", exact / PI);
        }
    }

    #[test]
    fn means_of_the_logarithm_are_those_of_the_literature_of_both_kernels() {
        let (q2, z2) = (Kernel::Quadratic.table().at(0.0).log, Kernel::ZeroMoment.table().at(0.0).log);
        // ⟨ln|x − x'|⟩ over two loads, Newton's theorem: ∫ v s dA with v = ln r m(r) + ∫_r^1 ln dm.
        assert!((q2 + 0.6083).abs() < 5e-5 && (z2 + 1.3673).abs() < 5e-5, "{q2} {z2}");
    }

    #[test]
    fn means_agree_with_sums_over_points() {
        for kernel in [Kernel::Quadratic, Kernel::ZeroMoment] {
            // Beyond 2 r₀ the integrand is smooth; the rule of points is of second order, 1e-3.
            for d in [2.5, 3.0, 3.9, 4.1, 11.0] {
                let means = kernel.table().at(d);
                let inverse = mean(kernel, d, |x, y| x.hypot(y).recip());
                let second = mean(kernel, d, |x, y| (x * x - y * y) / x.hypot(y).powi(3));
                let first = mean(kernel, d, |x, y| x / x.hypot(y).powi(2));
                for (a, b) in [(means.inverse, inverse), (means.second, second), (means.first, first)] {
                    assert!((a / b - 1.0).abs() < 1e-3, "{kernel} {d}: {a} {b}");
                }
            }
        }
    }

    #[test]
    fn the_table_continues_into_its_expansions() {
        for kernel in [Kernel::Quadratic, Kernel::ZeroMoment] {
            let table = kernel.table();
            for d in [3.9, 3.95, 3.99] {
                let (near, far) = (table.at(d), table.far(d));
                let pairs = [(near.inverse, far.inverse), (near.second, far.second), (near.log, far.log)];
                for (a, b) in pairs {
                    assert!((a - b).abs() < 1e-6, "{kernel} {d}: {a} {b}");
                }
            }
            // dL/dd = I₁, by differences of the table.
            for d in [0.2, 0.9, 1.7, 2.3] {
                let slope = (table.at(d + 1e-3).log - table.at(d - 1e-3).log) / 2e-3;
                // The slope of a cubic is right to h³ f⁗/12 of its nodes, 3e-6 f⁗ with f⁗ up to 60 for z2.
                assert!((slope - table.at(d).first).abs() < 2e-4, "{kernel} {d}");
            }
        }
    }
}
