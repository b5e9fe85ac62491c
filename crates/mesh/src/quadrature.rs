//! Quadrature rules on the reference cells: the interval, the unit simplices, the unit cubes \[0,1\]ᵈ, the
//! unit wedge and the unit pyramid.
//!
//! Every rule here has positive weights, so that the square root of a weighted Jacobian can go into the
//! factors of a symmetric product.

use crate::CellShape;

/// The accuracy of element integrals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum QuadratureRule {
    /// The rules in common use: exact for undistorted cells. Tet10: 4 points for stiffness, 15 for mass; hex8
    /// 2×2×2, hex20 and hex27 3×3×3; wedge6 3×2, wedge15 6×3; pyramid5 2×2×2, pyramid13 3×3×3; NURBS p+1
    /// points per direction.
    #[default]
    Default,
    /// Rules for curved cells. Tet10: 14 points of degree 5 for stiffness, 64 of degree 7 for mass, which is
    /// exact (the stiffness of a strongly curved tet10 is rational and converges slowly with any rule); two
    /// more points per direction on hexahedra, wedges, pyramids and knot spans of NURBS.
    High,
}

/// The integrand: the polynomial degree and so the rule depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Integrand {
    /// Products of gradients.
    Stiffness,
    /// Products of values.
    Mass,
}

/// Points and weights on a reference cell; the weights sum to its volume.
#[derive(Debug, Clone, PartialEq)]
pub struct Quadrature {
    /// Parameters ξ of the points.
    pub points: Vec<[f64; 3]>,
    /// Weights, all positive.
    pub weights: Vec<f64>,
}

/// Gauss-Legendre points and weights on \[0,1\], exact to degree 2n−1.
pub fn gauss_legendre(n: usize) -> (Vec<f64>, Vec<f64>) {
    gauss_jacobi(n, 0)
}

/// Gauss-Jacobi points and weights for ∫₀¹ (1−x)ᵅ f(x) dx, exact for f of degree 2n−1.
///
/// The points are the zeros of P_n^(α,0)(2x−1), computed by Newton's iteration with deflation of the zeros
/// already found. The weights follow from its derivative: w = 1/((1−t²) P′(t)²), t = 2x−1.
pub fn gauss_jacobi(n: usize, alpha: u32) -> (Vec<f64>, Vec<f64>) {
    let mut roots: Vec<f64> = Vec::with_capacity(n);
    let mut weights = Vec::with_capacity(n);
    for k in 0..n {
        // Chebyshev points lie close to the zeros; the mean with the last zero keeps the guess near the next.
        let mut t = -((2 * k + 1) as f64 * std::f64::consts::PI / (2 * n) as f64).cos();
        if let Some(&last) = roots.last() {
            t = 0.5 * (t + last);
        }
        for _ in 0..100 {
            let (value, slope) = jacobi(n, f64::from(alpha), t);
            let deflation: f64 = roots.iter().map(|&r| 1.0 / (t - r)).sum();
            let step = value / (slope - value * deflation);
            t -= step;
            if step.abs() < 1e-15 {
                break;
            }
        }
        let (value, slope) = jacobi(n, f64::from(alpha), t);
        t -= value / slope;
        let (_, slope) = jacobi(n, f64::from(alpha), t);
        roots.push(t);
        weights.push(1.0 / ((1.0 - t * t) * slope * slope));
    }
    (roots.iter().map(|t| 0.5 * (1.0 + t)).collect(), weights)
}

/// P_n^(α,0)(t) and its derivative, by the three-term recurrence.
fn jacobi(n: usize, a: f64, t: f64) -> (f64, f64) {
    let (mut p_old, mut p) = (1.0, 0.5 * (a + (a + 2.0) * t));
    if n == 0 {
        return (1.0, 0.0);
    }
    for k in 2..=n {
        let k = k as f64;
        let s = 2.0 * k + a;
        let c1 = 2.0 * k * (k + a) * (s - 2.0);
        let c2 = (s - 1.0) * (s * (s - 2.0) * t + a * a);
        let c3 = 2.0 * (k + a - 1.0) * (k - 1.0) * s;
        (p_old, p) = (p, (c2 * p - c3 * p_old) / c1);
    }
    // (2n+a)(1−t²) P' = n (a − (2n+a) t) P + 2 n (n+a) P_{n−1}
    let m = n as f64;
    let s = 2.0 * m + a;
    let slope = (m * (a - s * t) * p + 2.0 * m * (m + a) * p_old) / (s * (1.0 - t * t));
    (p, slope)
}

impl Quadrature {
    /// Gauss-Legendre product rule with `n[d]` points in direction d of the unit cube; the first direction
    /// runs fastest.
    pub fn cube(n: [usize; 3]) -> Self {
        let [u, v, w] = n.map(gauss_legendre);
        let mut rule = Self { points: Vec::new(), weights: Vec::new() };
        for (&z, &wz) in w.0.iter().zip(&w.1) {
            for (&y, &wy) in v.0.iter().zip(&v.1) {
                for (&x, &wx) in u.0.iter().zip(&u.1) {
                    rule.points.push([x, y, z]);
                    rule.weights.push(wx * wy * wz);
                }
            }
        }
        rule
    }

    /// Collapsed Gauss-Jacobi rule with n³ points on the unit tetrahedron, exact to degree 2n−1.
    ///
    /// ```text
    /// ∫ f dV = ∫∫∫ f(u, v(1−u), w(1−u)(1−v)) (1−u)² (1−v) du dv dw
    /// ```
    pub fn tetrahedron(n: usize) -> Self {
        let (u, v, w) = (gauss_jacobi(n, 2), gauss_jacobi(n, 1), gauss_jacobi(n, 0));
        let mut rule = Self { points: Vec::new(), weights: Vec::new() };
        for (&a, &wa) in u.0.iter().zip(&u.1) {
            for (&b, &wb) in v.0.iter().zip(&v.1) {
                for (&c, &wc) in w.0.iter().zip(&w.1) {
                    rule.points.push([a, b * (1.0 - a), c * (1.0 - a) * (1.0 - b)]);
                    rule.weights.push(wa * wb * wc);
                }
            }
        }
        rule
    }

    /// The 4-point rule on the unit tetrahedron, exact to degree 2: λ = ((5−√5)/20 three times, (5+3√5)/20).
    pub fn tetrahedron_4() -> Self {
        let mut rule = Self { points: Vec::new(), weights: Vec::new() };
        rule.push_corner_orbit((5.0 - 5.0_f64.sqrt()) / 20.0, 1.0 / 24.0);
        rule
    }

    /// The 15-point rule on the unit tetrahedron, exact to degree 5, all points inside.
    ///
    /// # Source
    ///
    /// Stroud (1971), *Approximate Calculation of Multiple Integrals*, formula T3:5-1.
    pub fn tetrahedron_15() -> Self {
        let root = 15.0_f64.sqrt();
        let mut rule = Self { points: vec![[0.25; 3]], weights: vec![16.0 / 135.0 / 6.0] };
        rule.push_corner_orbit((7.0 - root) / 34.0, (2665.0 + 14.0 * root) / 37800.0 / 6.0);
        rule.push_corner_orbit((7.0 + root) / 34.0, (2665.0 - 14.0 * root) / 37800.0 / 6.0);
        rule.push_edge_orbit((10.0 - 2.0 * root) / 40.0, 20.0 / 378.0 / 6.0);
        rule
    }

    /// The 14-point rule on the unit tetrahedron, exact to degree 5, all points inside.
    ///
    /// # Source
    ///
    /// Walkington (2000), *Quadrature on simplices of arbitrary dimension*, Carnegie Mellon University.
    pub fn tetrahedron_14() -> Self {
        let mut rule = Self { points: Vec::new(), weights: Vec::new() };
        rule.push_corner_orbit(0.310_885_919_263_300_6, 0.018_781_320_953_002_642);
        rule.push_corner_orbit(0.092_735_250_310_891_23, 0.012_248_840_519_393_658);
        rule.push_edge_orbit(0.045_503_704_125_649_65, 0.007_091_003_462_846_911);
        rule
    }

    /// The four points with three barycentric coordinates `a`.
    fn push_corner_orbit(&mut self, a: f64, weight: f64) {
        let b = 1.0 - 3.0 * a;
        for point in [[a, a, a], [b, a, a], [a, b, a], [a, a, b]] {
            self.points.push(point);
            self.weights.push(weight);
        }
    }

    /// The six points with barycentric coordinates a, a, ½−a, ½−a.
    fn push_edge_orbit(&mut self, a: f64, weight: f64) {
        let b = 0.5 - a;
        for point in [[a, a, b], [a, b, a], [b, a, a], [a, b, b], [b, a, b], [b, b, a]] {
            self.points.push(point);
            self.weights.push(weight);
        }
    }

    /// Gauss-Legendre product rule on the unit square in the first two parameters.
    pub fn square(n: usize) -> Self {
        let (x, w) = gauss_legendre(n);
        let mut rule = Self { points: Vec::new(), weights: Vec::new() };
        for (&b, &wb) in x.iter().zip(&w) {
            for (&a, &wa) in x.iter().zip(&w) {
                rule.points.push([a, b, 0.0]);
                rule.weights.push(wa * wb);
            }
        }
        rule
    }

    /// Collapsed Gauss-Jacobi rule with n² points on the unit triangle, exact to degree 2n−1.
    pub fn triangle(n: usize) -> Self {
        let (u, v) = (gauss_jacobi(n, 1), gauss_jacobi(n, 0));
        let mut rule = Self { points: Vec::new(), weights: Vec::new() };
        for (&a, &wa) in u.0.iter().zip(&u.1) {
            for (&b, &wb) in v.0.iter().zip(&v.1) {
                rule.points.push([a, b * (1.0 - a), 0.0]);
                rule.weights.push(wa * wb);
            }
        }
        rule
    }

    /// The 3-point rule on the unit triangle, exact to degree 2, all points inside.
    pub fn triangle_3() -> Self {
        let (a, b) = (1.0 / 6.0, 2.0 / 3.0);
        Self { points: vec![[a, a, 0.0], [b, a, 0.0], [a, b, 0.0]], weights: vec![1.0 / 6.0; 3] }
    }

    /// The 6-point rule on the unit triangle, exact to degree 4, all points inside.
    ///
    /// # Source
    ///
    /// Dunavant (1985), Int. J. Numer. Meth. Engng 21, 1129–1148, degree 4, here in closed form.
    pub fn triangle_6() -> Self {
        let (root, inner) = (10.0_f64.sqrt(), (38.0 - 44.0 * 0.4_f64.sqrt()).sqrt());
        let share = (213_125.0 - 53_320.0 * root).sqrt();
        let mut rule = Self { points: Vec::new(), weights: Vec::new() };
        for sign in [1.0, -1.0] {
            let a = (8.0 - root + sign * inner) / 18.0;
            let b = 1.0 - 2.0 * a;
            rule.points.extend([[a, a, 0.0], [b, a, 0.0], [a, b, 0.0]]);
            rule.weights.extend([0.5 * (620.0 + sign * share) / 3720.0; 3]);
        }
        rule
    }

    /// This rule on the unit triangle times Gauss-Legendre with n points on \[0,1\]: a rule on the unit
    /// wedge. The points of the triangle run fastest.
    #[must_use]
    pub fn times_line(&self, n: usize) -> Self {
        let (line, line_weights) = gauss_legendre(n);
        let mut rule = Self { points: Vec::new(), weights: Vec::new() };
        for (&z, &wz) in line.iter().zip(&line_weights) {
            for (&[x, y, _], &w) in self.points.iter().zip(&self.weights) {
                rule.points.push([x, y, z]);
                rule.weights.push(w * wz);
            }
        }
        rule
    }

    /// Collapsed rule with n³ points on the pyramid over \[0,1\]² with the apex (0, 0, 1): Gauss-Legendre in
    /// r and s, Gauss-Jacobi along t. It is exact for polynomials of degree 2n−1 in each of r, s, t, and so
    /// for those of degree 2n−1 in ξ, η, ζ. The first direction runs fastest.
    ///
    /// ```text
    /// ∫ f dV = ∫∫∫ f(r(1−t), s(1−t), t) (1−t)² dr ds dt
    /// ```
    pub fn pyramid(n: usize) -> Self {
        let (line, axis) = (gauss_legendre(n), gauss_jacobi(n, 2));
        let mut rule = Self { points: Vec::new(), weights: Vec::new() };
        for (&t, &wt) in axis.0.iter().zip(&axis.1) {
            for (&s, &ws) in line.0.iter().zip(&line.1) {
                for (&r, &wr) in line.0.iter().zip(&line.1) {
                    rule.points.push([r * (1.0 - t), s * (1.0 - t), t]);
                    rule.weights.push(wr * ws * wt);
                }
            }
        }
        rule
    }

    /// The rule for the matrices of a kind of cell.
    pub fn for_cell(shape: CellShape, integrand: Integrand, rule: QuadratureRule) -> Self {
        (shape.table().rule)(integrand, rule)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn factorial(n: usize) -> f64 {
        (1..=n).map(|k| k as f64).product()
    }

    /// ∫ xᵃ yᵇ zᶜ over the unit tetrahedron is a! b! c! / (a+b+c+3)!.
    fn worst_monomial_error(rule: &Quadrature, degree: usize) -> f64 {
        let mut worst: f64 = 0.0;
        for a in 0..=degree {
            for b in 0..=degree - a {
                for c in 0..=degree - a - b {
                    let sum: f64 = rule
                        .points
                        .iter()
                        .zip(&rule.weights)
                        .map(|(p, w)| w * p[0].powi(a as i32) * p[1].powi(b as i32) * p[2].powi(c as i32))
                        .sum();
                    let exact = factorial(a) * factorial(b) * factorial(c) / factorial(a + b + c + 3);
                    worst = worst.max((sum / exact - 1.0).abs());
                }
            }
        }
        worst
    }

    #[test]
    fn tetrahedron_rules_are_exact_to_their_degree() {
        for (rule, degree) in [
            (Quadrature::tetrahedron_4(), 2),
            (Quadrature::tetrahedron_14(), 5),
            (Quadrature::tetrahedron_15(), 5),
            (Quadrature::tetrahedron(3), 5),
            (Quadrature::tetrahedron(6), 11),
        ] {
            let error = worst_monomial_error(&rule, degree);
            assert!(error < 1e-12, "{} points: {error:e}", rule.weights.len());
            assert!(worst_monomial_error(&rule, degree + 1) > 1e-9);
            assert!(rule.weights.iter().all(|&w| w > 0.0));
        }
    }

    #[test]
    fn triangle_rules_are_exact_to_their_degree() {
        // ∫ xᵃ yᵇ over the unit triangle is a! b! / (a+b+2)!.
        let worst = |rule: &Quadrature, degree: usize| {
            let mut worst: f64 = 0.0;
            for (a, b) in (0..=degree).flat_map(|a| (0..=degree - a).map(move |b| (a, b))) {
                let term = |(p, w): (&[f64; 3], &f64)| w * p[0].powi(a as i32) * p[1].powi(b as i32);
                let sum: f64 = rule.points.iter().zip(&rule.weights).map(term).sum();
                worst = worst.max((sum * factorial(a + b + 2) / (factorial(a) * factorial(b)) - 1.0).abs());
            }
            worst
        };
        for (rule, degree) in
            [(Quadrature::triangle_3(), 2), (Quadrature::triangle_6(), 4), (Quadrature::triangle(3), 5)]
        {
            let error = worst(&rule, degree);
            assert!(error < 1e-13, "{} points: {error:e}", rule.weights.len());
            assert!(worst(&rule, degree + 1) > 1e-9);
            assert!(rule.weights.iter().all(|&w| w > 0.0));
        }
    }

    #[test]
    fn pyramid_and_wedge_rules_are_exact_to_their_degree() {
        // Over the pyramid: B(a+b+3, c+1) / ((a+1)(b+1)); over the wedge a! b! / (a+b+2)! / (c+1).
        let of_pyramid = |[a, b, c]: [usize; 3]| {
            factorial(a + b + 2) * factorial(c) / factorial(a + b + c + 3) / ((a + 1) * (b + 1)) as f64
        };
        let of_wedge =
            |[a, b, c]: [usize; 3]| factorial(a) * factorial(b) / factorial(a + b + 2) / (c + 1) as f64;
        let worst = |rule: &Quadrature, exact: &dyn Fn([usize; 3]) -> f64, degree: usize| {
            let mut worst: f64 = 0.0;
            for k in 0..(degree + 1).pow(3) {
                let powers = [k % (degree + 1), k / (degree + 1) % (degree + 1), k / (degree + 1).pow(2)];
                if powers.iter().sum::<usize>() > degree {
                    continue;
                }
                let monomial = |p: &[f64; 3]| (0..3).map(|d| p[d].powi(powers[d] as i32)).product::<f64>();
                let sum: f64 = rule.points.iter().zip(&rule.weights).map(|(p, w)| w * monomial(p)).sum();
                worst = worst.max((sum / exact(powers) - 1.0).abs());
            }
            worst
        };
        for n in 1..=5 {
            let error = worst(&Quadrature::pyramid(n), &of_pyramid, 2 * n - 1);
            assert!(error < 1e-13, "{n}³ points: {error:e}");
            assert!(worst(&Quadrature::pyramid(n), &of_pyramid, 2 * n) > 1e-9);
        }
        for (rule, degree) in [
            (Quadrature::triangle_3().times_line(2), 2),
            (Quadrature::triangle_6().times_line(3), 4),
            (Quadrature::triangle(4).times_line(4), 7),
        ] {
            let error = worst(&rule, &of_wedge, degree);
            assert!(error < 1e-13, "{} points: {error:e}", rule.weights.len());
        }
    }

    #[test]
    fn gauss_rules_are_exact_to_degree_2n_minus_1() {
        for n in 1..=24 {
            for alpha in 0..=2_u32 {
                let (x, w) = gauss_jacobi(n, alpha);
                assert!(x.windows(2).all(|p| p[0] < p[1]) && x[0] > 0.0 && x[n - 1] < 1.0, "n = {n}: {x:?}");
                for k in [0, 1, n, 2 * n - 1] {
                    let sum: f64 = x.iter().zip(&w).map(|(x, w)| w * x.powi(k as i32)).sum();
                    // ∫ (1−x)ᵅ xᵏ dx = α! k! / (α+k+1)!
                    let a = alpha as usize;
                    let exact = factorial(a) / (k + 1..=k + a + 1).map(|m| m as f64).product::<f64>();
                    assert!(
                        (sum / exact - 1.0).abs() < 1e-13,
                        "n {n}, α {alpha}, degree {k}: {:e}",
                        sum / exact - 1.0
                    );
                }
            }
        }
    }

    #[test]
    fn face_rules_sum_to_the_area() {
        assert!((Quadrature::triangle(4).weights.iter().sum::<f64>() - 0.5).abs() < 1e-15);
        assert!((Quadrature::square(3).weights.iter().sum::<f64>() - 1.0).abs() < 1e-15);
    }
}
