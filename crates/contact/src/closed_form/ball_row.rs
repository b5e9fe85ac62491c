//! Bodies in a row that push each other by forces of their approach alone: a chain of masses and springs that
//! do not pull.

/// Result of an impact in a row of bodies.
#[derive(Debug, Clone, PartialEq)]
pub struct RowImpact {
    /// Velocity of each body at the end, positive towards the last \[m/s\].
    pub velocities: Vec<f64>,
    /// Largest force between each body and the next \[N\].
    pub peak_forces: Vec<f64>,
    /// Impulse between each body and the next \[N s\].
    pub impulses: Vec<f64>,
    /// First and last time at which each body pushes the next, to a step \[s\]; NaN without a push.
    pub touches: Vec<[f64; 2]>,
}

/// Impact of n bodies in a row, by the classical Runge-Kutta rule in steps of one length.
///
/// ```text
/// m_i x_i'' = F(d_{i-1}) − F(d_i),   d_i = x_i − x_{i+1} − g_i,   F(d) = 0 for d ≤ 0
/// ```
///
/// * `force` — F of an approach d > 0 \[N\], between each body and the next the same
/// * `masses`, `velocities` — of the n bodies at the start \[kg\], \[m/s\]
/// * `gaps` — g between each body and the next at the start, n − 1 \[m\]
/// * `end`, `steps` — how long, and in how many steps
///
/// With F of Hertz' theory bodies are points whose contacts respond at once: no waves, no
/// vibration. The velocities at the end then depend on the exponent of F and on the ratios of gaps and
/// approaches, not on the stiffness.
///
/// # Source
///
/// Herrmann & Schmälzle (1981), Am. J. Phys. 49(8), 761–764, for the row of balls.
pub fn collide_in_a_row(
    force: impl Fn(f64) -> f64,
    masses: &[f64],
    velocities: &[f64],
    gaps: &[f64],
    end: f64,
    steps: usize,
) -> RowImpact {
    let n = masses.len();
    let h = end / steps as f64;
    let pushes = |x: &[f64], i: usize| {
        let approach = x[i] - x[i + 1] - gaps[i];
        if approach > 0.0 { force(approach) } else { 0.0 }
    };
    // Rates of places and velocities, one after the other.
    let rates = |y: &[f64], rate: &mut [f64]| {
        rate[..n].copy_from_slice(&y[n..]);
        rate[n..].fill(0.0);
        for i in 0..n - 1 {
            let push = pushes(y, i);
            rate[n + i] -= push / masses[i];
            rate[n + i + 1] += push / masses[i + 1];
        }
    };
    let mut y = vec![0.0; 2 * n];
    y[n..].copy_from_slice(velocities);
    let mut stages = vec![vec![0.0; 2 * n]; 4];
    let mut ahead = vec![0.0; 2 * n];
    let mut peak_forces = vec![0.0_f64; n - 1];
    let mut impulses = vec![0.0; n - 1];
    let mut touches = vec![[f64::NAN; 2]; n - 1];
    for step in 1..=steps {
        rates(&y, &mut stages[0]);
        for (stage, part) in [(1, 0.5), (2, 0.5), (3, 1.0)] {
            for (to, (from, rate)) in ahead.iter_mut().zip(y.iter().zip(&stages[stage - 1])) {
                *to = from + part * h * rate;
            }
            rates(&ahead, &mut stages[stage]);
        }
        for (j, y) in y.iter_mut().enumerate() {
            *y += h / 6.0 * (stages[0][j] + 2.0 * (stages[1][j] + stages[2][j]) + stages[3][j]);
        }
        for i in 0..n - 1 {
            let push = pushes(&y, i);
            peak_forces[i] = peak_forces[i].max(push);
            // The trapezoidal rule: forces start and end at zero.
            impulses[i] += h * push;
            if push > 0.0 {
                let time = step as f64 * h;
                let first = touches[i][0];
                touches[i] = [if first.is_nan() { time } else { first }, time];
            }
        }
    }
    RowImpact { velocities: y.split_off(n), peak_forces, impulses, touches }
}

#[cfg(test)]
mod tests {
    use super::super::HertzPair;
    use super::*;

    const BALLS: HertzPair = HertzPair { modulus: 6.0e7, radius: 0.01 };

    fn hertz(approach: f64) -> f64 {
        BALLS.at_approach(approach).force
    }

    #[test]
    fn two_equal_balls_swap_their_velocities_with_the_force_of_hertz() {
        let expected = BALLS.impact(0.02, 1.0);
        let row = collide_in_a_row(hertz, &[0.04; 2], &[1.0, 0.0], &[0.0], 1.5 * expected.duration, 3000);
        assert!(row.velocities[0].abs() < 1e-9 && (row.velocities[1] - 1.0).abs() < 1e-9, "{row:?}");
        assert!((row.peak_forces[0] / expected.peak.force - 1.0).abs() < 1e-6, "{row:?}, {expected:?}");
        assert!((row.impulses[0] / 0.04 - 1.0).abs() < 1e-6, "{row:?}");
        // Between the steps that bracket the separation.
        let step = 1.5 * expected.duration / 3000.0;
        assert!((row.touches[0][1] - expected.duration).abs() <= step, "{row:?}, {expected:?}");
        assert_eq!(row.touches[0][0], step);
    }

    #[test]
    fn three_masses_on_linear_springs_follow_their_modes() {
        // Modes of a free chain: the rigid one, (1, 0, −1) at √(k/m) and (1, −2, 1) at √(3k/m); they
        // contribute 1/3, 1/2 and 1/6 of the motion of the first mass.
        let (m, k, t) = (2.0, 50.0_f64, 0.3_f64);
        let [slow, fast] = [(k / m).sqrt(), (3.0 * k / m).sqrt()].map(|omega| (omega * t).cos());
        let expected = [
            1.0 / 3.0 + slow / 2.0 + fast / 6.0,
            1.0 / 3.0 - fast / 3.0,
            1.0 / 3.0 - slow / 2.0 + fast / 6.0,
        ];
        let row = collide_in_a_row(|d| k * d, &[m; 3], &[1.0, 0.0, 0.0], &[0.0; 2], t, 300);
        for (found, expected) in row.velocities.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-8, "{row:?}, {expected}");
        }
    }

    #[test]
    fn balls_that_touch_conserve_energy_and_momentum_and_do_not_swap() {
        let masses = [0.04, 0.04, 0.05, 0.04, 0.03];
        let row = collide_in_a_row(hertz, &masses, &[1.0, 0.0, 0.0, 0.0, 0.0], &[0.0; 4], 6e-3, 20_000);
        let sum =
            |power: i32| -> f64 { masses.iter().zip(&row.velocities).map(|(m, v)| m * v.powi(power)).sum() };
        assert!((sum(1) / 0.04 - 1.0).abs() < 1e-12, "{row:?}");
        assert!((sum(2) / 0.04 - 1.0).abs() < 1e-7, "{row:?}");
        assert!(row.velocities[0] < -0.03, "{row:?}");
    }

    #[test]
    fn separated_balls_pass_their_velocity_on() {
        let row = collide_in_a_row(hertz, &[0.04; 4], &[1.0, 0.0, 0.0, 0.0], &[2e-3; 3], 0.02, 40_000);
        for (found, expected) in row.velocities.iter().zip([0.0, 0.0, 0.0, 1.0]) {
            assert!((found - expected).abs() < 1e-7, "{row:?}");
        }
    }
}
