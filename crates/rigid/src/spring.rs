//! Springs of dynamic gaps: the potential gains exactly the energy that the motion loses.
//!
//! ```text
//! g_{n+1} = g_n + dt (u₋ + u₊)/2,   U = ½ k [−g]₊²,   λ = −dt (U_{n+1} − U_n)/(g_{n+1} − g_n)
//! ```
//!
//! so that T_{n+1} − T_n = λ (u₋ + u₊)/2 = −(U_{n+1} − U_n). The dynamic gap g is that of the material points
//! which face each other half-way through the step, and agrees with the gap to second order.
//!
//! # Source
//!
//! Puso & Zywicz (1998), eqs. (8) to (11), Armero & Petőcz (1998); signs and the factor ½ as in
//! docs/theory/rigid.md, eq. (71), and docs/papers.md.

/// Force −(U₁ − U₀)/(g₁ − g₀) ≥ 0 and its derivative by g₁.
///
/// * `old`, `new` — dynamic gaps at the start and the end of the step \[m\]
pub(crate) fn force(stiffness: f64, old: f64, new: f64) -> (f64, f64) {
    match (old < 0.0, new < 0.0) {
        (true, true) => (-0.5 * stiffness * (old + new), -0.5 * stiffness),
        (false, false) => (0.0, 0.0),
        // Energy of one end over the change of the gap, g²/(change), without cancellation as the signs
        // differ.
        (true, false) => {
            let part = old / (new - old);
            (-0.5 * stiffness * old * part.abs(), -0.5 * stiffness * part * part)
        }
        (false, true) => {
            let part = new / (old - new);
            (0.5 * stiffness * new * part, 0.5 * stiffness * part * (2.0 + part))
        }
    }
}

/// The same of a spring with a damper, F (1 − β ġ)₊ with ġ the mean rate of the gap in the step: its pull is
/// never negative, and it loses F β ġ² ≥ 0.
///
/// * `beta` — β over the length of the step \[1/m\]
pub(crate) fn damped_force((stiffness, beta): (f64, f64), old: f64, new: f64) -> (f64, f64) {
    let (f, df) = force(stiffness, old, new);
    let factor = 1.0 + beta * (old - new);
    if factor <= 0.0 {
        return (0.0, 0.0);
    }
    (f * factor, df * factor - beta * f)
}

/// U = ½ k \[−g\]₊² \[J\].
pub(crate) fn potential(stiffness: f64, gap: f64) -> f64 {
    let depth = (-gap).max(0.0);
    0.5 * stiffness * depth * depth
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damped_force_loses_energy_and_never_pulls() {
        let law = (3.0, 2.0);
        for (old, new) in [(-0.2, -0.5), (0.1, -0.3), (-0.3, 0.1), (-0.5, -0.3), (-0.9, -0.1)] {
            let (f, df) = damped_force(law, old, new);
            let loss = potential(3.0, old) - potential(3.0, new) - f * (new - old);
            assert!(f >= 0.0 && df <= 0.0 && loss >= -1e-16, "{old} {new}: {f} {df} {loss}");
            let h = 1e-6;
            let difference =
                (damped_force(law, old, new + h).0 - damped_force(law, old, new - h).0) / (2.0 * h);
            assert!((difference - df).abs() < 1e-8, "{old} {new}: {difference} {df}");
        }
        assert_eq!(damped_force(law, -0.9, -0.1).0, 0.0);
    }

    #[test]
    fn force_times_displacement_is_the_decrease_of_the_potential() {
        let k = 3.0;
        for (old, new) in [(-0.2, -0.5), (0.1, -0.3), (-0.3, 0.2), (0.0, -0.2), (-0.2, 0.0), (0.1, 0.2)] {
            let (f, df) = force(k, old, new);
            let work = f * (new - old);
            assert!((work - (potential(k, old) - potential(k, new))).abs() < 1e-16, "{old} {new}");
            let h = 1e-6;
            let difference = (force(k, old, new + h).0 - force(k, old, new - h).0) / (2.0 * h);
            let at_kink = old == 0.0 || new == 0.0;
            assert!(at_kink || (difference - df).abs() < 1e-8, "{old} {new}: {difference} {df}");
            assert!(f >= 0.0 && df <= 0.0);
        }
    }
}
