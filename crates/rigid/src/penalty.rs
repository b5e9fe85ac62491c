//! Contact by penalties of dynamic gaps: the potential gains exactly what the motion loses.
//!
//! ```text
//! g_{n+1} = g_n + dt (u₋ + u₊)/2,   U = ½ k [−g]₊²,   λ = −dt (U_{n+1} − U_n)/(g_{n+1} − g_n)
//! ```
//!
//! so that T_{n+1} − T_n = λ (u₋ + u₊)/2 = −(U_{n+1} − U_n). The dynamic gap g is that of the material points which face each
//! other half-way through the step, and agrees with the gap to second order.
//!
//! # Source
//!
//! Puso & Zywicz (1998), eqs. (8) to (11), Armero & Petőcz (1998); signs and the factor ½ as in THEORY (6.4) and 8.

use crate::contact::{Contact, Rows};
use crate::elimination;
use crate::search::Step;
use crate::stage::Stage;
use crate::step_error::Unsolved;

const MAX_ITERATIONS: usize = 60;

/// Force −(U₁ − U₀)/(g₁ − g₀) ≥ 0 and its derivative by g₁.
///
/// * `old`, `new` — dynamic gaps at the start and the end of the step \[m\]
pub(crate) fn force(stiffness: f64, old: f64, new: f64) -> (f64, f64) {
    match (old < 0.0, new < 0.0) {
        (true, true) => (-0.5 * stiffness * (old + new), -0.5 * stiffness),
        (false, false) => (0.0, 0.0),
        // What one end has stored over the way: g²/(way), the way without cancellation as the signs differ.
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

/// U = ½ k \[−g\]₊² \[J\].
pub(crate) fn potential(stiffness: f64, gap: f64) -> f64 {
    let depth = (-gap).max(0.0);
    0.5 * stiffness * depth * depth
}

/// Memory of the solution.
#[derive(Debug, Clone, Default)]
pub(crate) struct Penalty {
    jacobian: Vec<f64>,
    change: Vec<f64>,
    columns: Vec<usize>,
}

impl Penalty {
    /// Makes room for n contacts.
    pub(crate) fn reserve(&mut self, n: usize) {
        self.jacobian.reserve(n * n);
        self.change.reserve(n);
        self.columns.reserve(n);
    }

    /// Impulses of springs over the step, by Newton's method; leaves the dynamic gaps at the end in the contacts.
    pub(crate) fn solve(
        &mut self,
        contacts: &mut [Contact],
        rows: &mut Rows,
        stages: &mut [Stage],
        step: &Step<'_>,
    ) -> Result<(), Unsolved> {
        let (n, per) = (contacts.len(), rows.per_contact);
        let size = n * per;
        let mut last = f64::INFINITY;
        for _ in 0..MAX_ITERATIONS {
            self.jacobian.clear();
            self.jacobian.resize(n * n, 0.0);
            self.change.clear();
            let (mut error, mut largest) = (0.0_f64, 0.0_f64);
            for (i, contact) in contacts.iter_mut().enumerate() {
                let row = i * per;
                contact.gap_new = contact.gap_old + 0.5 * step.dt * (rows.before[row] + rows.after[row]);
                let (f, df) = force(contact.stiffness, contact.gap_old, contact.gap_new);
                let residual = rows.impulse[row] - step.dt * f;
                self.change.push(-residual);
                // Velocities are rounded, gaps with them, and the springs make impulses of it.
                let way = contact.gap_old.abs() + step.dt * contact.speed(stages);
                let noise = 8.0 * f64::EPSILON * step.dt * contact.stiffness * way;
                error = error.max(residual.abs() - noise);
                largest = largest.max(rows.impulse[row].abs()).max(step.dt * f);
                for j in 0..n {
                    let coupling = 0.5 * step.dt * step.dt * df * rows.mobility[row * size + j * per];
                    self.jacobian[i * n + j] = f64::from(u8::from(i == j)) - coupling;
                }
            }
            if error <= 2.0 * f64::EPSILON * largest || (error >= 0.5 * last && error <= 1e-12 * largest) {
                return Ok(());
            }
            last = error;
            elimination::solve(&mut self.jacobian, &mut self.change, &mut self.columns);
            for (i, change) in self.change.iter().enumerate() {
                rows.impulse[i * per] = (rows.impulse[i * per] + change).max(0.0);
            }
            rows.evaluate(stages, step)?;
        }
        Err(Unsolved::Springs { contacts: n, residual: last })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn force_times_way_is_what_the_potential_loses() {
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
