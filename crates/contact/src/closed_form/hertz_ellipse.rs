//! Hertz' contact of two surfaces of any curvatures: an elliptic patch.

use std::f64::consts::PI;

/// State of an elliptic contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HertzEllipse {
    /// Semi-axes along the two principal directions, in the order of the curvatures \[m\].
    pub semi_axes: [f64; 2],
    /// Largest pressure \[Pa\].
    pub peak_pressure: f64,
    /// Approach of distant points \[m\].
    pub approach: f64,
}

/// Contact under a force of two surfaces whose gap is h = ½ (κ₁ x² + κ₂ y²) before loading.
///
/// With B/A the ratio of the larger to the smaller of κ/2, e² = 1 − b²/a² for semi-axes a ≥ b:
///
/// ```text
/// B/A = [(a/b)² E(e) − K(e)] / [K(e) − E(e)],   a³ = 3 F (K − E) / (2 π E* e² A),
/// p₀ = 3F/(2πab),   δ = p₀ b K/E*
/// ```
///
/// * `modulus` — E* \[Pa\]
/// * `curvatures` — κ₁, κ₂: sums of the two surfaces' curvatures in the principal directions of the gap
///   \[1/m\]
/// * `force` — F \[N\]
///
/// `None` unless all are positive and finite. The longer semi-axis lies along the smaller curvature. Ratios
/// of curvatures above 10⁶ count as 10⁶ (a line contact, which has no finite approach).
///
/// # Source
///
/// Johnson (1985), Contact Mechanics, eqs. (4.25) to (4.32).
pub fn hertz_ellipse(modulus: f64, curvatures: [f64; 2], force: f64) -> Option<HertzEllipse> {
    let positive = |x: f64| x > 0.0 && x.is_finite();
    if ![modulus, curvatures[0], curvatures[1], force].into_iter().all(positive) {
        return None;
    }
    let [small, large] =
        if curvatures[0] <= curvatures[1] { curvatures } else { [curvatures[1], curvatures[0]] };
    let ratio = (large / small).min(1e6);
    let shape = axis_ratio(ratio);
    let (k, d) = elliptic(shape);
    // (K − E)/e² = d; with A = small/2.
    let a = (3.0 * force * d / (PI * modulus * small)).cbrt();
    let b = shape * a;
    let peak_pressure = 1.5 * force / (PI * a * b);
    let semi_axes = if curvatures[0] <= curvatures[1] { [a, b] } else { [b, a] };
    Some(HertzEllipse { semi_axes, peak_pressure, approach: peak_pressure * b * k / modulus })
}

/// b/a for a ratio B/A ≥ 1 of curvatures, by bisection in its logarithm: the ratio of curvatures falls with
/// b/a.
fn axis_ratio(ratio: f64) -> f64 {
    let (mut low, mut high) = (1e-6_f64.ln(), 0.0);
    for _ in 0..80 {
        let middle: f64 = 0.5 * (low + high);
        let shape = middle.exp();
        let (k, d) = elliptic(shape);
        let e2 = 1.0 - shape * shape;
        // (E/g² − K)/(K − E) with E = K − e² D: ((K − e² D)/g² − K)/(e² D) = (K − D)/(g² D).
        let found = if e2 == 0.0 { 1.0 } else { (k - d) / (shape * shape * d) };
        if found > ratio { low = middle } else { high = middle }
    }
    (0.5 * (low + high)).exp()
}

/// K and D = (K − E)/e² of the modulus e with e² = 1 − g², by the arithmetic-geometric mean: no difference of
/// nearly equal numbers for g near 1.
///
/// ```text
/// K = π/(2 M),   D = K [½ + Σ_{n≥1} 2^{n−1} c_n²/e²],   c_n = (a_{n−1} − b_{n−1})/2
/// ```
fn elliptic(g: f64) -> (f64, f64) {
    let (mut a, mut b) = (0.5 * (1.0 + g), g.sqrt());
    // c₁²/e² without e², then c_{n+1} = c_n²/(4 a_{n+1}): the difference a − b itself would end in rounding
    // errors, which the powers of two blow up.
    let mut c = 0.5 * (1.0 - g);
    let mut part = (1.0 - g) / (4.0 * (1.0 + g));
    let (mut power, mut sum) = (1.0, 0.5);
    for _ in 0..40 {
        sum += power * part;
        if c < 1e-17 {
            break;
        }
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
        let next = c * c / (4.0 * a);
        part *= (next / c).powi(2);
        (c, power) = (next, 2.0 * power);
    }
    let k = PI / (2.0 * a);
    (k, k * sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODULUS: f64 = 115.4e9;

    #[test]
    fn equal_curvatures_give_the_circle() {
        let (radius, force) = (0.015, 750.0);
        let found = hertz_ellipse(MODULUS, [1.0 / radius; 2], force).unwrap();
        let a = (0.75 * force * radius / MODULUS).cbrt();
        assert!((found.semi_axes[0] / a - 1.0).abs() < 1e-12 && (found.semi_axes[1] / a - 1.0).abs() < 1e-12);
        assert!((found.approach / (a * a / radius) - 1.0).abs() < 1e-12, "{found:?}");
    }

    /// The displacement of a half-space under the elliptic pressure, ∫ p/(π E* r) dA by polar quadrature
    /// about the point, must leave the gap constant: u(0) − u(x, 0) = ½ κ₁ x², and u(0) is the approach.
    #[test]
    fn the_pressure_closes_the_gap() {
        let curvatures = [30.0, 210.0];
        let found = hertz_ellipse(MODULUS, curvatures, 500.0).unwrap();
        let [a, b] = found.semi_axes;
        assert!(a > b);
        let displacement = |x: f64, y: f64| {
            let n = 2000;
            let mut sum = 0.0;
            for i in 0..n {
                let (s, c) = (2.0 * PI * (f64::from(i) + 0.5) / f64::from(n)).sin_cos();
                // p along the ray is p₀ √(q0 − 2 q1 t − q2 t²); its integral to the edge is elementary.
                let q2 = (c / a).powi(2) + (s / b).powi(2);
                let q1 = x * c / (a * a) + y * s / (b * b);
                let q0 = 1.0 - (x / a).powi(2) - (y / b).powi(2);
                let (center, reach2) = (-q1 / q2, q0 / q2 + (q1 / q2).powi(2));
                let start = -center / reach2.sqrt();
                let half = 0.5 * reach2 * (0.5 * PI - start.asin() - start * (1.0 - start * start).sqrt());
                sum += q2.sqrt() * half;
            }
            found.peak_pressure / (PI * MODULUS) * sum * 2.0 * PI / f64::from(n)
        };
        let top = displacement(0.0, 0.0);
        assert!((top / found.approach - 1.0).abs() < 1e-9, "{top:e} {found:?}");
        for part in [0.3, 0.7] {
            let (x, y) = (part * a, part * b);
            let (along_x, along_y) = (top - displacement(x, 0.0), top - displacement(0.0, y));
            assert!((along_x / (0.5 * curvatures[0] * x * x) - 1.0).abs() < 1e-6, "{along_x:e}");
            assert!((along_y / (0.5 * curvatures[1] * y * y) - 1.0).abs() < 1e-6, "{along_y:e}");
        }
        let turned = hertz_ellipse(MODULUS, [210.0, 30.0], 500.0).unwrap();
        assert_eq!(turned.semi_axes, [b, a]);
    }

    #[test]
    fn surfaces_that_do_not_touch_at_a_point_have_no_ellipse() {
        assert_eq!(hertz_ellipse(MODULUS, [0.0, 60.0], 1.0), None);
        assert_eq!(hertz_ellipse(MODULUS, [10.0, f64::NAN], 1.0), None);
        assert_eq!(hertz_ellipse(MODULUS, [10.0, 60.0], 0.0), None);
    }
}
