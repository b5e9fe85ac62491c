//! The rotation of a body over one step, docs/theory/rigid.md, eq. (69), Simo & Wong (1991).
//!
//! In the principal axes of the body at the start of the step, with W = Aᵀ ω and m = A_nᵀ s_{n+1} (the
//! angular momentum at the end of the step, which the impulses of the step decide):
//!
//! ```text
//! Exp(Θ) J W_{n+1} = m,   Θ = dt/2 (W_n + W_{n+1}),   A_{n+1} = A_n Exp(Θ)
//! ```
//!
//! Since Exp(Θ) = (E − τ̃/2)⁻¹ (E + τ̃/2) with τ = k Θ, k = tan(|Θ|/2)/(|Θ|/2), this is a polynomial equation
//! but for k:
//!
//! ```text
//! G(W) = J W − m + (k/2) Θ × (J W + m) = 0
//! ```
//!
//! Its product with Θ is Θ·(J W_{n+1} − m) = 0, which is T_{n+1} − T_n = c·θ exactly.

use nalgebra::{Matrix3, Vector3};
use thiserror::Error;

/// A rotation over a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Turn {
    /// W_{n+1}: angular velocity at the end, in the axes of the body there \[rad/s\].
    pub omega_b: Vector3<f64>,
    /// Θ, in the axes of the body at the start (or the end: it is its own axis) \[rad\].
    pub theta_b: Vector3<f64>,
    /// k = tan(|Θ|/2)/(|Θ|/2).
    pub cayley: f64,
}

/// Newton's method found no rotation: the body turns too far within the step.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[error("it turns by {:.0} degrees or more within a step", angle.to_degrees())]
pub struct TooFast {
    /// |Θ| in the last iteration \[rad\].
    pub angle: f64,
}

/// Largest rotation within a step \[rad\]: at half a turn the tangent of the half angle is infinite, and
/// slightly below nothing converges.
const LARGEST_ANGLE: f64 = 3.0;

/// Newton's method ends with an increment as small as this: its square is below round-off.
const SMALL_STEP: f64 = 2e-9;

const MAX_ITERATIONS: usize = 50;

/// k(y) = tan √y/√y and dk/dy for y = (|Θ|/2)².
#[inline(always)]
fn cayley(y: f64) -> (f64, f64) {
    if y < 2.5e-3 {
        let c = [1.0, 1.0 / 3.0, 2.0 / 15.0, 17.0 / 315.0, 62.0 / 2835.0, 1382.0 / 155_925.0];
        let k = c[0] + y * (c[1] + y * (c[2] + y * (c[3] + y * (c[4] + y * c[5]))));
        let dk = c[1] + y * (2.0 * c[2] + y * (3.0 * c[3] + y * (4.0 * c[4] + y * 5.0 * c[5])));
        return (k, dk);
    }
    let root = y.sqrt();
    let tangent = root.tan();
    let k = tangent / root;
    (k, (1.0 + tangent * tangent - k) / (2.0 * y))
}

impl Turn {
    /// No rotation.
    pub const NONE: Self =
        Self { omega_b: Vector3::new(0.0, 0.0, 0.0), theta_b: Vector3::new(0.0, 0.0, 0.0), cayley: 1.0 };

    /// Solves for the rotation.
    ///
    /// * `inertia` — J, principal moments \[kg m²\]
    /// * `omega_old` — W_n \[rad/s\]
    /// * `spin` — m = A_nᵀ s_{n+1} \[N m s\]
    /// * `dt` — step \[s\]
    ///
    /// # Errors
    ///
    /// [`TooFast`] where the body turns by nearly half a turn or Newton's method does not converge.
    #[inline]
    pub fn solve(
        inertia: &Vector3<f64>,
        omega_old: &Vector3<f64>,
        spin: &Vector3<f64>,
        dt: f64,
    ) -> Result<Self, TooFast> {
        let angle = dt * omega_old.amax();
        // Exp(−Θ) m to second order with Θ = dt W_n: near enough unless the body is slender or turns far.
        if angle * angle * angle * inertia.max() < 1e-3 * inertia.min() {
            let first = dt * omega_old;
            let turned = spin - first.cross(&(spin - 0.5 * first.cross(spin)));
            if let Ok(turn) = Self::newton(inertia, omega_old, spin, dt, turned.component_div(inertia)) {
                return Ok(turn);
            }
        }
        let impulse = spin - inertia.component_mul(omega_old);
        Self::newton(inertia, omega_old, spin, dt, omega_old + impulse.component_div(inertia))
            .or_else(|_| Self::newton(inertia, omega_old, spin, dt, *omega_old))
    }

    /// Newton's method from a first guess of W.
    #[inline(always)]
    fn newton(
        inertia: &Vector3<f64>,
        omega_old: &Vector3<f64>,
        spin: &Vector3<f64>,
        dt: f64,
        guess: Vector3<f64>,
    ) -> Result<Self, TooFast> {
        let mut omega = guess;
        let scale = inertia.component_mul(&omega_old.abs()).max().max(spin.amax());
        for _ in 0..MAX_ITERATIONS {
            let equation = Equation::new(inertia, omega_old, &omega, spin, dt);
            // False for NaN.
            let turns_little = equation.theta.norm_squared() < LARGEST_ANGLE * LARGEST_ANGLE;
            if !turns_little {
                break;
            }
            let residual = equation.residual();
            if residual.amax() <= 0.25 * f64::EPSILON * scale {
                return Ok(equation.turn(omega));
            }
            let Some(inverse) = inverse(&equation.d_omega()) else { break };
            let change = inverse * residual;
            omega -= change;
            if change.amax() <= SMALL_STEP * omega.amax() {
                return Ok(Equation::new(inertia, omega_old, &omega, spin, dt).turn(omega));
            }
        }
        Err(TooFast { angle: (0.5 * dt * (omega_old + omega)).norm() })
    }

    /// dW_{n+1}/dm = −(∂G/∂W)⁻¹ ∂G/∂m at a solution; zero where it does not exist.
    ///
    /// Arguments as for [`Turn::solve`].
    pub fn d_omega_d_spin(
        &self,
        inertia: &Vector3<f64>,
        omega_old: &Vector3<f64>,
        spin: &Vector3<f64>,
        dt: f64,
    ) -> Matrix3<f64> {
        let equation = Equation::new(inertia, omega_old, &self.omega_b, spin, dt);
        let d_spin = Matrix3::identity() - (0.5 * self.cayley * self.theta_b).cross_matrix();
        inverse(&equation.d_omega()).map_or_else(Matrix3::zeros, |inverse| inverse * d_spin)
    }

    /// A_{n+1} = A_n Exp(Θ) as quaternions, normalised: b ⊗ (1, k Θ/2), divided by its length.
    #[inline]
    pub fn turned(&self, b: &[f64; 4]) -> [f64; 4] {
        let h = 0.5 * self.cayley * self.theta_b;
        let mut turned = carom_dynamics::rotation::product(b, &[1.0, h.x, h.y, h.z]);
        carom_dynamics::rotation::normalise(&mut turned);
        turned
    }
}

/// G and its derivative at one W.
struct Equation<'a> {
    inertia: &'a Vector3<f64>,
    /// J W − m.
    difference: Vector3<f64>,
    /// J W + m.
    sum: Vector3<f64>,
    theta: Vector3<f64>,
    k: f64,
    dk: f64,
    dt: f64,
}

impl<'a> Equation<'a> {
    #[inline(always)]
    fn new(
        inertia: &'a Vector3<f64>,
        omega_old: &Vector3<f64>,
        omega: &Vector3<f64>,
        spin: &Vector3<f64>,
        dt: f64,
    ) -> Self {
        let own = inertia.component_mul(omega);
        let theta = 0.5 * dt * (omega_old + omega);
        let (k, dk) = cayley(0.25 * theta.norm_squared());
        Self { inertia, difference: own - spin, sum: own + spin, theta, k, dk, dt }
    }

    #[inline(always)]
    fn residual(&self) -> Vector3<f64> {
        self.difference + 0.5 * self.k * self.theta.cross(&self.sum)
    }

    /// ∂G/∂W = J + (k/2) (Θ̃ J − dt/2 (J W + m)~) + ½ Θ × (J W + m) ⊗ dk/dW,   dk/dW = dk/dy Θ dt/4.
    #[inline(always)]
    fn d_omega(&self) -> Matrix3<f64> {
        let (t, s, j) = (0.5 * self.k * self.theta, 0.25 * self.k * self.dt * self.sum, self.inertia);
        let along = 0.5 * self.theta.cross(&self.sum);
        let d = 0.25 * self.dt * self.dk * self.theta;
        Matrix3::new(
            j.x + along.x * d.x,
            -t.z * j.y + s.z + along.x * d.y,
            t.y * j.z - s.y + along.x * d.z,
            t.z * j.x - s.z + along.y * d.x,
            j.y + along.y * d.y,
            -t.x * j.z + s.x + along.y * d.z,
            -t.y * j.x + s.y + along.z * d.x,
            t.x * j.y - s.x + along.z * d.y,
            j.z + along.z * d.z,
        )
    }

    #[inline(always)]
    fn turn(&self, omega_b: Vector3<f64>) -> Turn {
        Turn { omega_b, theta_b: self.theta, cayley: self.k }
    }
}

/// M⁻¹ by the products of its columns; none for a singular matrix.
#[inline(always)]
fn inverse(m: &Matrix3<f64>) -> Option<Matrix3<f64>> {
    let [a, b, c] = [0, 1, 2].map(|i| Vector3::new(m[(0, i)], m[(1, i)], m[(2, i)]));
    let rows = [b.cross(&c), c.cross(&a), a.cross(&b)];
    let factor = 1.0 / a.dot(&rows[0]);
    factor.is_finite().then(|| {
        let [x, y, z] = rows.map(|row| factor * row);
        Matrix3::new(x.x, x.y, x.z, y.x, y.y, y.z, z.x, z.y, z.z)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use carom_dynamics::rotation;

    const INERTIA: Vector3<f64> = Vector3::new(1.0, 2.0, 2.6);

    #[test]
    fn the_equation_of_simo_and_wong_holds() {
        for scale in [1e-6, 0.01, 1.0, 1.4] {
            let omega_old = scale * Vector3::new(0.7, -0.4, 0.9);
            let spin = INERTIA.component_mul(&omega_old) + scale * Vector3::new(0.3, 0.1, -0.2);
            let turn = Turn::solve(&INERTIA, &omega_old, &spin, 1.0).unwrap();
            // Exp(Θ) J W = m with Θ = (W_n + W)/2, with the exponential computed in another way.
            let exp = rotation::matrix(&rotation::from_vector(&turn.theta_b));
            let residual = exp * INERTIA.component_mul(&turn.omega_b) - spin;
            assert!(residual.norm() < 1e-15 * scale * 10.0, "{scale}: {residual}");
            assert!((turn.theta_b - 0.5 * (omega_old + turn.omega_b)).norm() < 1e-16 * scale);
            let turned = turn.turned(&rotation::IDENTITY);
            assert!((rotation::matrix(&turned) - exp).norm() < 1e-15);
        }
    }

    #[test]
    fn cayley_factor_is_continuous_at_the_end_of_the_series() {
        for y in [2.4999e-3_f64, 2.5001e-3] {
            let (k, dk) = cayley(y);
            let (root, h) = (y.sqrt(), 1e-7);
            let of = |y: f64| y.sqrt().tan() / y.sqrt();
            assert!((k - root.tan() / root).abs() < 4e-16);
            assert!((dk - (of(y + h) - of(y - h)) / (2.0 * h)).abs() < 1e-8);
        }
    }

    #[test]
    fn derivative_by_the_angular_momentum_agrees_with_differences() {
        let omega_old = Vector3::new(0.6, 0.8, -0.3);
        let spin = INERTIA.component_mul(&omega_old) + Vector3::new(0.2, 0.3, -0.1);
        let at = |spin: Vector3<f64>| Turn::solve(&INERTIA, &omega_old, &spin, 0.7).unwrap();
        let derivative = at(spin).d_omega_d_spin(&INERTIA, &omega_old, &spin, 0.7);
        for i in 0..3 {
            let mut h = Vector3::zeros();
            h[i] = 1e-6;
            let difference = (at(spin + h).omega_b - at(spin - h).omega_b) / 2e-6;
            assert!((difference - derivative.column(i)).norm() < 1e-9);
        }
    }

    #[test]
    fn half_a_turn_in_a_step_is_refused() {
        let omega = Vector3::new(0.0, 0.0, 4.0);
        let error = Turn::solve(&INERTIA, &omega, &INERTIA.component_mul(&omega), 1.0).unwrap_err();
        assert!(error.angle > 3.0);
    }
}
