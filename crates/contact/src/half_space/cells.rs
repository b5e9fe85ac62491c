//! Mean displacements of rectangular cells under constant pressures and tractions on others.
//!
//! ```text
//! ⟨f⟩ = 1/(A_i A_k) ∫_i ∫_k f(x_i − x_k) dA dA
//! ```
//!
//! The mean over the displaced cell, in the place of the displacement of its centre, makes the compliance
//! symmetric and positive definite. For f = 1/r it is the mean of Love's displacement, for x²/r³, xy/r³,
//! y²/r³ and x/r² those of Cerruti's solution. Each mean is a sum of differences of a function F with
//! ∂⁴F/∂x²∂y² = f over the corners; these cancel with the distance, and a rule with the moments of the cells
//! up to the fifth degree takes their place.
//!
//! # Source
//!
//! Love (1929), Phil. Trans. R. Soc. A 228, 377–420, for the displacement of a point; the second integration
//! is our own, checked by quadrature.

use super::SurfaceMeans;

/// Distance in largest sides from which on the rule of moments is used: its error is 1e-9 there, that of the
/// differences by rounding 1e-11.
const FAR: f64 = 12.0;

/// The means of two rectangles with parallel sides.
///
/// * `offset` — from the middle of the loaded rectangle to the middle of the displaced one \[m\]
/// * `sides` — of both rectangles \[m\]
pub fn rectangle_means(offset: [f64; 2], sides: [[f64; 2]; 2]) -> SurfaceMeans {
    let largest = sides.iter().flatten().copied().fold(0.0, f64::max);
    if offset[0].hypot(offset[1]) > FAR * largest { far(offset, sides) } else { near(offset, sides) }
}

/// ⟨ln r⟩ of two rectangles with parallel sides, of all lengths in m.
///
/// * `offset`, `sides` — as for [`rectangle_means`]
pub fn rectangle_log_mean(offset: [f64; 2], sides: [[f64; 2]; 2]) -> f64 {
    let largest = sides.iter().flatten().copied().fold(0.0, f64::max);
    if offset[0].hypot(offset[1]) > FAR * largest {
        let [x, y] = [0, 1].map(|d| moment_rule(offset, sides, d));
        return x.iter().flat_map(|(x, w)| y.iter().map(move |(y, v)| w * v * x.hypot(*y).ln())).sum();
    }
    let [x, y] = [0, 1].map(|d| difference_nodes(offset, sides, d));
    let sum: f64 = x.iter().flat_map(|(x, w)| y.iter().map(move |(y, v)| w * v * log_integral(*x, *y))).sum();
    sum / sides.iter().flatten().product::<f64>() - 25.0 / 12.0
}

/// Differences of the fourfold integrals over all corners.
fn near(offset: [f64; 2], sides: [[f64; 2]; 2]) -> SurfaceMeans {
    let mut means = SurfaceMeans::default();
    for (x, w) in difference_nodes(offset, sides, 0) {
        for (y, v) in difference_nodes(offset, sides, 1) {
            let weight = w * v;
            let values = [second_xx(x, y), second_xy(x, y), second_xx(y, x)];
            (0..3).for_each(|k| means.second[k] += weight * values[k]);
            let values = [first_x(x, y), first_x(y, x)];
            (0..2).for_each(|k| means.first[k] += weight * values[k]);
        }
    }
    let areas: f64 = sides.iter().flatten().product();
    SurfaceMeans { second: means.second.map(|m| m / areas), first: means.first.map(|m| m / areas) }
}

/// Places and weights of the second difference along an axis: +, +, −, − at ±(a + b)/2 and ±(a − b)/2.
fn difference_nodes(offset: [f64; 2], sides: [[f64; 2]; 2], d: usize) -> [(f64, f64); 4] {
    let (sum, difference) = (0.5 * (sides[0][d] + sides[1][d]), 0.5 * (sides[0][d] - sides[1][d]));
    [(sum, 1.0), (-sum, 1.0), (difference, -1.0), (-difference, -1.0)].map(|(s, w)| (offset[d] + s, w))
}

/// `factor` times ln(y + r), 0 for the factor 0; ln(y + r) = ln x² − ln(r − y) keeps its digits for y < 0.
fn log_times(factor: f64, x: f64, y: f64, r: f64) -> f64 {
    if factor == 0.0 {
        return 0.0;
    }
    factor * if y >= 0.0 { (y + r).ln() } else { 2.0 * x.abs().ln() - (r - y).ln() }
}

/// F of x²/r³ = ∂²r/∂y²: r³/6 + y²/2 (x ln(x + r) − r).
fn second_xx(x: f64, y: f64) -> f64 {
    let r = x.hypot(y);
    r * r * r / 6.0 + 0.5 * (log_times(y * y * x, y, x, r) - y * y * r)
}

/// F of xy/r³ = −∂²r/∂x∂y: −(2xyr + x³ ln(y + r) + y³ ln(x + r))/6.
fn second_xy(x: f64, y: f64) -> f64 {
    let r = x.hypot(y);
    -(2.0 * x * y * r + log_times(x.powi(3), x, y, r) + log_times(y.powi(3), y, x, r)) / 6.0
}

/// F of x/r² = ∂ ln r/∂x: (xy²/2 − x³/6) ln r + x²y/2 atan(y/x) + y³/6 atan(x/y).
fn first_x(x: f64, y: f64) -> f64 {
    let r = x.hypot(y);
    if r == 0.0 {
        return 0.0;
    }
    let angle = |a: f64, b: f64| if b == 0.0 { 0.0 } else { (a / b).atan() };
    (0.5 * x * y * y - x.powi(3) / 6.0) * r.ln()
        + 0.5 * x * x * y * angle(y, x)
        + y.powi(3) / 6.0 * angle(x, y)
}

/// F of ln r, up to a constant of ∂⁴F: (x²y²/4 − x⁴/24 − y⁴/24) ln r + x³y/6 atan(y/x) + xy³/6 atan(x/y) has
/// ∂⁴F/∂x²∂y² = ln r + 25/12.
fn log_integral(x: f64, y: f64) -> f64 {
    let (r, xx, yy) = (x.hypot(y), x * x, y * y);
    if r == 0.0 {
        return 0.0;
    }
    let angle = |a: f64, b: f64| if b == 0.0 { 0.0 } else { (a / b).atan() };
    (xx * yy / 4.0 - (xx * xx + yy * yy) / 24.0) * r.ln()
        + x * y / 6.0 * (xx * angle(y, x) + yy * angle(x, y))
}

/// Places and weights along an axis with the moments of the difference of both cells up to the fifth degree.
fn moment_rule(offset: [f64; 2], sides: [[f64; 2]; 2], d: usize) -> [(f64, f64); 3] {
    let [a, b] = [sides[0][d], sides[1][d]].map(|s| s * s);
    let second = (a + b) / 12.0;
    let fourth = (a * a + b * b) / 80.0 + 6.0 * a * b / 144.0;
    let (place, weight) = ((fourth / second).sqrt(), 0.5 * second * second / fourth);
    [(offset[d], 1.0 - 2.0 * weight), (offset[d] - place, weight), (offset[d] + place, weight)]
}

/// The means by [`moment_rule`] in both directions.
fn far(offset: [f64; 2], sides: [[f64; 2]; 2]) -> SurfaceMeans {
    let mut means = SurfaceMeans::default();
    for (x, w) in moment_rule(offset, sides, 0) {
        for (y, v) in moment_rule(offset, sides, 1) {
            let (square, weight) = (x * x + y * y, w * v);
            let cube = square * square.sqrt();
            let values = [x * x, x * y, y * y];
            (0..3).for_each(|k| means.second[k] += weight * values[k] / cube);
            means.first[0] += weight * x / square;
            means.first[1] += weight * y / square;
        }
    }
    means
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same means by n × n midpoints in each of both rectangles.
    fn summed(offset: [f64; 2], sides: [[f64; 2]; 2], n: usize) -> SurfaceMeans {
        let at = |side: f64, k: usize| side * ((k as f64 + 0.5) / n as f64 - 0.5);
        let mut means = SurfaceMeans::default();
        for (i, j, k, l) in quadruples(n) {
            let x = offset[0] + at(sides[0][0], i) - at(sides[1][0], k);
            let y = offset[1] + at(sides[0][1], j) - at(sides[1][1], l);
            let (square, weight) = (x * x + y * y, (n as f64).powi(-4));
            let cube = square * square.sqrt();
            let values = [x * x, x * y, y * y];
            (0..3).for_each(|k| means.second[k] += weight * values[k] / cube);
            means.first[0] += weight * x / square;
            means.first[1] += weight * y / square;
        }
        means
    }

    fn quadruples(n: usize) -> impl Iterator<Item = (usize, usize, usize, usize)> {
        (0..n.pow(4)).map(move |m| (m % n, m / n % n, m / (n * n) % n, m / (n * n * n)))
    }

    fn largest_difference(a: &SurfaceMeans, b: &SurfaceMeans) -> f64 {
        let second = (0..3).map(|k| (a.second[k] - b.second[k]).abs());
        let first = (0..2).map(|k| (a.first[k] - b.first[k]).abs());
        second.chain(first).fold(0.0, f64::max)
    }

    #[test]
    fn closed_means_are_the_limit_of_sums() {
        let sides = [[1.0, 0.7], [0.5, 1.2]];
        for offset in [[1.6, 0.4], [-1.2, 2.0], [2.5, -1.4], [0.3, -1.8], [-3.0, 0.0], [0.0, 2.2]] {
            let exact = rectangle_means(offset, sides);
            // Midpoints have an error of second order; with Richardson's extrapolation it is of fourth.
            let [coarse, fine] = [8, 16].map(|n| summed(offset, sides, n));
            let mix = |a: f64, b: f64| (4.0 * b - a) / 3.0;
            let limit = SurfaceMeans {
                second: std::array::from_fn(|k| mix(coarse.second[k], fine.second[k])),
                first: std::array::from_fn(|k| mix(coarse.first[k], fine.first[k])),
            };
            let error = largest_difference(&exact, &limit);
            assert!(error < 2e-5, "{offset:?}: {error:.1e} {exact:?} {limit:?}");
        }
    }

    #[test]
    fn a_square_has_the_known_mean_under_its_own_pressure() {
        // 4/3 (1 − √2) + 4 ln(1 + √2), the mean of 1/r over pairs of points of a unit square.
        let exact = 4.0 / 3.0 * (1.0 - 2f64.sqrt()) + 4.0 * (1.0 + 2f64.sqrt()).ln();
        let means = rectangle_means([0.0; 2], [[1.0; 2]; 2]);
        assert!((means.inverse() - exact).abs() < 1e-13);
        assert!((means.second[0] - means.second[2]).abs() < 1e-14 && means.second[1].abs() < 1e-14);
        assert_eq!(means.first, [0.0; 2]);
        // Twice as large: half the mean.
        let twice = rectangle_means([0.0; 2], [[2.0; 2]; 2]);
        assert!((2.0 * twice.inverse() - exact).abs() < 1e-13);
    }

    #[test]
    fn the_mean_displacement_of_a_split_cell_is_that_of_the_whole_one() {
        // Four quarters of a cell with the same pressure, also where cells touch and overlap.
        for offset in [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.5, -0.25], [-2.0, 1.0]] {
            let whole = rectangle_means(offset, [[1.0; 2]; 2]);
            let mut sum = SurfaceMeans::default();
            for (sx, sy) in [(-0.25, -0.25), (0.25, -0.25), (-0.25, 0.25), (0.25, 0.25)] {
                let part = rectangle_means([offset[0] + sx, offset[1] + sy], [[0.5; 2], [1.0; 2]]);
                (0..3).for_each(|k| sum.second[k] += 0.25 * part.second[k]);
                (0..2).for_each(|k| sum.first[k] += 0.25 * part.first[k]);
            }
            assert!(largest_difference(&whole, &sum) < 1e-12, "{offset:?} {whole:?} {sum:?}");
        }
    }

    #[test]
    fn the_far_field_keeps_its_digits() {
        let sides = [[1.0, 0.8], [0.9, 1.0]];
        for offset in [[11.9, 1.0], [-7.0, 9.5]] {
            let (closed, rule) = (near(offset, sides), far(offset, sides));
            assert!(largest_difference(&closed, &rule) < 1e-9, "{offset:?}");
        }
        let means = rectangle_means([3e5, 4e5], sides);
        assert!((means.inverse() * 5e5 - 1.0).abs() < 1e-11);
        assert!((means.second[1] * 5e5 / 0.48 - 1.0).abs() < 1e-11);
    }

    #[test]
    fn means_of_the_logarithm_have_the_known_geometric_distance() {
        let square = [[1.0; 2]; 2];
        // The geometric mean distance of a square of side 1 is 0.44705 (Maxwell; Rosa & Grover).
        assert!((rectangle_log_mean([0.0; 2], square).exp() - 0.44705).abs() < 5e-6);
        // Closed form and rule of moments where they meet; the scale of lengths adds its logarithm.
        assert!(
            (rectangle_log_mean([11.9, 1.0], square) - rectangle_log_mean([12.1, 1.0], square)
                + (12.1f64.hypot(1.0) / 11.9f64.hypot(1.0)).ln())
            .abs()
                < 1e-5
        );
        let change = rectangle_log_mean([2.0, 0.0], [[2.0; 2]; 2]) - rectangle_log_mean([1.0, 0.0], square);
        assert!((change - 2f64.ln()).abs() < 1e-12);
    }
}
