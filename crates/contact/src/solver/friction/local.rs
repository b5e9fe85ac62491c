//! One contact with friction, solved exactly.

use nalgebra::{Matrix3, Vector3};

/// Intervals of the circle in which slip directions are sought; the equation has at most four roots.
const SECTORS: usize = 48;

/// r of one contact with u = W r + q; `None` if there is none (possible only where W is not positive definite).
///
/// ```text
/// open    q_N ≥ 0                         r = 0
/// sticks  r = −W⁻¹ q in the cone          u = 0
/// slips   r = r_N (1, −μ d),  r_N = −q_N / (W_NN − μ W_NT d),   u_T = |u_T| d,  |d| = 1
/// ```
///
/// The slip direction is a root of d × u_T(d) (W_NN − μ W_NT d), a trigonometric polynomial of degree two in the angle of d.
///
/// * `w`, `q` — block of the contact; in two dimensions the third row and column are those of the unit matrix and q_3 = 0
/// * `planar` — two dimensions: d = ±1
/// * `before` — an earlier r, from whose slip direction the search begins
pub(super) fn solve(
    w: &Matrix3<f64>,
    q: &Vector3<f64>,
    mu: f64,
    planar: bool,
    before: [f64; 3],
) -> Option<[f64; 3]> {
    if q[0] >= 0.0 {
        return Some([0.0; 3]);
    }
    if let Some(r) = w.lu().solve(&-q) {
        let sticks = r[0] >= 0.0 && r[1].hypot(r[2]) <= mu * r[0];
        if sticks && r.iter().all(|x| x.is_finite()) {
            return Some([r[0], r[1], r[2]]);
        }
    }
    let slip = Slip { w, q, mu };
    if mu == 0.0 {
        return slip.reaction([1.0, 0.0]);
    }
    if planar {
        return [[1.0, 0.0], [-1.0, 0.0]].into_iter().find_map(|d| slip.reaction_if_along(d));
    }
    let begin =
        if before[1] == 0.0 && before[2] == 0.0 { q[2].atan2(q[1]) } else { (-before[2]).atan2(-before[1]) };
    slip.refine(begin).or_else(|| slip.search(begin))
}

struct Slip<'a> {
    w: &'a Matrix3<f64>,
    q: &'a Vector3<f64>,
    mu: f64,
}

impl Slip<'_> {
    /// W_NN − μ W_NT d.
    fn stiffness(&self, d: [f64; 2]) -> f64 {
        self.w[(0, 0)] - self.mu * (self.w[(0, 1)] * d[0] + self.w[(0, 2)] * d[1])
    }

    /// u_T times the stiffness.
    fn slip(&self, d: [f64; 2]) -> [f64; 2] {
        let (w, q, k) = (self.w, self.q, self.stiffness(d));
        let row = |i: usize| q[i] * k - q[0] * (w[(i, 0)] - self.mu * (w[(i, 1)] * d[0] + w[(i, 2)] * d[1]));
        [row(1), row(2)]
    }

    fn across(&self, angle: f64) -> f64 {
        let (sin, cos) = angle.sin_cos();
        let slip = self.slip([cos, sin]);
        cos * slip[1] - sin * slip[0]
    }

    fn reaction(&self, d: [f64; 2]) -> Option<[f64; 3]> {
        let stiffness = self.stiffness(d);
        let normal = -self.q[0] / stiffness;
        (stiffness > 0.0 && normal.is_finite()).then_some([
            normal,
            -self.mu * normal * d[0],
            -self.mu * normal * d[1],
        ])
    }

    /// The reaction if the contact slips along d and not against it.
    fn reaction_if_along(&self, d: [f64; 2]) -> Option<[f64; 3]> {
        let slip = self.slip(d);
        self.reaction(d).filter(|_| slip[0] * d[0] + slip[1] * d[1] >= 0.0)
    }

    /// Newton's method for the angle, as long as it converges.
    fn refine(&self, begin: f64) -> Option<[f64; 3]> {
        /// Half the step of the difference quotient; the polynomial is smooth on the scale of one.
        const STEP: f64 = 1e-5;
        let mut angle = begin;
        for _ in 0..12 {
            let slope = (self.across(angle + STEP) - self.across(angle - STEP)) / (2.0 * STEP);
            let change = -self.across(angle) / slope;
            if !change.is_finite() || change.abs() > 0.5 {
                return None;
            }
            angle += change;
            if change.abs() < 1e-15 {
                let (sin, cos) = angle.sin_cos();
                return self.reaction_if_along([cos, sin]);
            }
        }
        let (sin, cos) = angle.sin_cos();
        let slip = self.slip([cos, sin]);
        let settled = self.across(angle).abs() <= 1e-14 * slip[0].hypot(slip[1]);
        if settled { self.reaction_if_along([cos, sin]) } else { None }
    }

    /// Bisection in each sector in which the sign changes.
    fn search(&self, begin: f64) -> Option<[f64; 3]> {
        let angle = |k: usize| begin + k as f64 * std::f64::consts::TAU / SECTORS as f64;
        let mut left = self.across(angle(0));
        for k in 0..SECTORS {
            let right = self.across(angle(k + 1));
            if (left <= 0.0) != (right <= 0.0) {
                let (mut a, mut b) = (angle(k), angle(k + 1));
                for _ in 0..60 {
                    let middle = 0.5 * (a + b);
                    if (self.across(middle) <= 0.0) == (left <= 0.0) { a = middle } else { b = middle }
                }
                let (sin, cos) = (0.5 * (a + b)).sin_cos();
                if let Some(reaction) = self.reaction_if_along([cos, sin]) {
                    return Some(reaction);
                }
            }
            left = right;
        }
        None
    }
}
