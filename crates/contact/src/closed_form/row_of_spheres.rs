//! Spheres in a row, with Hertz' force between neighbours.

use super::HertzPair;

/// What a row of spheres does.
#[derive(Debug, Clone, PartialEq)]
pub struct RowImpact {
    /// Velocities at the end \[m/s\].
    pub velocities: Vec<f64>,
    /// Largest force of each contact \[N\].
    pub peak_forces: Vec<f64>,
}

/// Impacts of n spheres on a line, n − 1 contacts of the same kind between neighbours, until `end`.
///
/// ```text
/// m_i v_i' = F_{i−1} − F_i,   F_i = 4/3 E* √R ([x_i − x_{i+1} − g_i]₊)^{3/2}
/// ```
///
/// Spheres that touch do not hand everything on to the last, as bodies do that meet one after the other: a chain of springs spreads.
///
/// * `pair` — the contact of two neighbours
/// * `masses`, `velocities` — of each sphere at the start, n \[kg\], \[m/s\]
/// * `gaps` — g_i at the start, n − 1 \[m\]
///
/// Runge and Kutta's rule of order 4 in steps of 1/2000 of the first two spheres' impact at the largest difference of velocities.
///
/// # Source
///
/// Herrmann & Seitz (1982), American Journal of Physics 50, 977–981.
pub fn collide_in_a_row(
    pair: &HertzPair,
    masses: &[f64],
    velocities: &[f64],
    gaps: &[f64],
    end: f64,
) -> RowImpact {
    let n = masses.len();
    let fastest = velocities.iter().fold(f64::NEG_INFINITY, |a, &b| a.max(b));
    let slowest = velocities.iter().fold(f64::INFINITY, |a, &b| a.min(b));
    let lightest = masses.iter().fold(f64::INFINITY, |a, &b| a.min(b));
    let steps = (2000.0 * end / pair.impact(0.5 * lightest, fastest - slowest).duration).ceil();
    let h = end / steps;
    let force = |y: &[f64], i: usize| {
        let approach: f64 = y[i] - y[i + 1] - gaps[i];
        pair.at_approach(approach.max(0.0)).force
    };
    let rate = |y: &[f64], rate: &mut [f64]| {
        rate[..n].copy_from_slice(&y[n..]);
        rate[n..].fill(0.0);
        for i in 0..n - 1 {
            let force = force(y, i);
            rate[n + i] -= force / masses[i];
            rate[n + i + 1] += force / masses[i + 1];
        }
    };
    let mut y = vec![0.0; n];
    y.extend_from_slice(velocities);
    let mut peak_forces = vec![0.0_f64; n - 1];
    let mut k = vec![vec![0.0; 2 * n]; 4];
    let mut stage = y.clone();
    for _ in 0..steps as usize {
        for s in 0..4 {
            let part = [0.0, 0.5, 0.5, 1.0][s] * h;
            for i in 0..2 * n {
                stage[i] = y[i] + if s == 0 { 0.0 } else { part * k[s - 1][i] };
            }
            rate(&stage, &mut k[s]);
        }
        for i in 0..2 * n {
            y[i] += h / 6.0 * (k[0][i] + 2.0 * k[1][i] + 2.0 * k[2][i] + k[3][i]);
        }
        for (i, peak) in peak_forces.iter_mut().enumerate() {
            *peak = peak.max(force(&y, i));
        }
    }
    RowImpact { velocities: y.split_off(n), peak_forces }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steel() -> (HertzPair, f64) {
        let mass = 7800.0 * 4.0 / 3.0 * std::f64::consts::PI * 0.015_f64.powi(3);
        (HertzPair::new([0.015; 2], [210e9; 2], [0.3; 2]), mass)
    }

    /// Two equal spheres exchange their velocities with Hertz' force.
    #[test]
    fn two_spheres_are_hertz() {
        let (pair, mass) = steel();
        let hertz = pair.impact(0.5 * mass, 0.2);
        let found = collide_in_a_row(&pair, &[mass; 2], &[0.2, 0.0], &[0.0], 2.0 * hertz.duration);
        assert!(found.velocities[0].abs() < 1e-8 && (found.velocities[1] - 0.2).abs() < 1e-8, "{found:?}");
        assert!((found.peak_forces[0] / hertz.peak.force - 1.0).abs() < 1e-6, "{found:?}");
    }

    /// Apart, they meet one after the other; touching, the chain spreads what comes in, and keeps momentum and energy.
    #[test]
    fn spheres_that_touch_do_not_hand_everything_on() {
        let (pair, mass) = steel();
        let run = |gap: f64| {
            collide_in_a_row(&pair, &[mass; 5], &[0.2, 0.0, 0.0, 0.0, 0.0], &[gap; 4], 3e-3).velocities
        };
        let [apart, touching] = [run(1e-4), run(0.0)];
        assert!((apart[4] / 0.2 - 1.0).abs() < 1e-6, "{apart:?}");
        assert!(touching[0] < -0.07 * 0.2 && touching[3] > 0.12 * 0.2 && touching[4] < 0.99 * 0.2);
        let (momentum, energy) = touching.iter().fold((0.0, 0.0), |(p, e), v| (p + v, e + v * v));
        assert!((momentum / 0.2 - 1.0).abs() < 1e-10 && (energy / 0.04 - 1.0).abs() < 1e-8, "{touching:?}");
    }
}
