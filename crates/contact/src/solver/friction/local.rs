//! One contact with friction, solved exactly.

use nalgebra::{Matrix3, Vector3};

/// Intervals of the circle in which slip directions are sought; the equation has at most four roots.
const SECTORS: usize = 48;

/// r of one contact with u = W r + q; `None` if there is none (possible only where W is not positive
/// definite).
///
/// ```text
/// open    q_N ≥ 0                         r = 0
/// sticks  r = −W⁻¹ q in the cone          u = 0
/// slips   r = r_N (1, −μ d),  r_N = −q_N / (W_NN − μ W_NT d),   u_T = |u_T| d,  |d| = 1
/// ```
///
/// The slip direction is a root of d × u_T(d) (W_NN − μ W_NT d), a trigonometric polynomial of degree two in
/// the angle of d.
///
/// * `w`, `q` — block of the contact; in two dimensions the third row and column are those of the unit matrix
///   and q_3 = 0
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

    /// The equation of the angle and its derivative; the slip is affine in d.
    fn across_with_slope(&self, angle: f64) -> (f64, f64) {
        let (sin, cos) = angle.sin_cos();
        let (slip, at_rest, turned) = (self.slip([cos, sin]), self.slip([0.0; 2]), self.slip([-sin, cos]));
        let change = [turned[0] - at_rest[0], turned[1] - at_rest[1]];
        let slope = cos * change[1] - sin * slip[1] - sin * change[0] - cos * slip[0];
        (cos * slip[1] - sin * slip[0], slope)
    }

    /// Newton's method for the angle, as long as it converges.
    fn refine(&self, begin: f64) -> Option<[f64; 3]> {
        let mut angle = begin;
        for _ in 0..12 {
            let (across, slope) = self.across_with_slope(angle);
            let change = -across / slope;
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

#[cfg(test)]
mod tests {
    use super::solve;
    use crate::test_surfaces::Random;
    use nalgebra::{Matrix3, Vector3};

    /// A positive definite block with a skew part, or one of two dimensions.
    fn block(random: &mut Random, planar: bool) -> Matrix3<f64> {
        let b = Matrix3::from_fn(|_, _| random.symmetric());
        let skew = Matrix3::from_fn(|_, _| 0.1 * random.symmetric());
        let mut w: Matrix3<f64> = b * b.transpose() + 0.2 * Matrix3::identity() + skew - skew.transpose();
        if planar {
            for i in 0..2 {
                (w[(i, 2)], w[(2, i)]) = (0.0, 0.0);
            }
            w[(2, 2)] = 1.0;
        }
        w
    }

    /// Coulomb's law for the result of [`solve`], without the formulas of [`solve`].
    #[test]
    fn the_reaction_of_one_contact_obeys_coulomb_to_round_off() {
        let mut random = Random(7);
        let mut found = [0; 3];
        for case in 0..3000 {
            let planar = case % 3 == 0;
            let w = block(&mut random, planar);
            let mut q = Vector3::from_fn(|_, _| random.symmetric());
            if planar {
                q[2] = 0.0;
            }
            let mu = 0.6 * (1.0 + random.symmetric());
            let begin = [1.0, random.symmetric(), if planar { 0.0 } else { random.symmetric() }];
            let r = Vector3::from(solve(&w, &q, mu, planar, begin).expect("W is positive definite"));
            let u = w * r + q;
            let (force, slip) = (r[1].hypot(r[2]), u[1].hypot(u[2]));
            let scale = 1e-10 * (1.0 + r.norm());
            let context = format!("case {case}: μ = {mu}, r = {r:?}, u = {u:?}");
            assert!(r[0] >= 0.0 && u[0] >= -scale && (r[0] * u[0]).abs() <= scale, "{context}");
            assert!(force <= mu * r[0] + scale, "outside the cone, {context}");
            let state = if r[0] == 0.0 {
                0
            } else if slip <= scale {
                1
            } else {
                // On the cone, against the slip.
                assert!((force - mu * r[0]).abs() <= scale, "inside the cone with slip, {context}");
                assert!(
                    (r[1] * u[1] + r[2] * u[2] + force * slip).abs() <= scale * (1.0 + slip),
                    "{context}"
                );
                2
            };
            found[state] += 1;
        }
        assert!(found.iter().all(|&count| count > 200), "open, stuck and slipping: {found:?}");
    }

    /// W = E, q_N = −1: sticks while |q_T| ≤ μ and slips with r_T = μ above, tested one part in a thousand on
    /// either side.
    #[test]
    fn a_contact_sticks_inside_the_cone_and_slips_beyond_it() {
        for mu in [0.05, 0.3, 1.2] {
            for (part, stuck) in [(0.999, true), (1.001, false), (1.02, false)] {
                let tangential = [0.6 * part * mu, 0.8 * part * mu];
                let q = Vector3::new(-1.0, tangential[0], tangential[1]);
                let r = solve(&Matrix3::identity(), &q, mu, false, [0.0; 3]).unwrap();
                let size = if stuck { part * mu } else { mu };
                let expected = [1.0, -0.6 * size, -0.8 * size];
                let error = (0..3).map(|i| (r[i] - expected[i]).abs()).fold(0.0, f64::max);
                assert!(error < 1e-12, "μ = {mu}, {part}: {r:?} instead of {expected:?}");
            }
        }
    }
}
