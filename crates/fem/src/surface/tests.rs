use super::*;

/// One face of each kind with points that are not in a plane; splines of degree (2, 3) and (4, 1) with
/// weights.
fn one_of_each() -> Vec<(Surface, Vec<[f64; 3]>)> {
    let mut all = Vec::new();
    for shape in [FaceShape::Tri3, FaceShape::Tri6, FaceShape::Quad4, FaceShape::Quad8, FaceShape::Quad9] {
        all.push((surface(FaceBasis::Lagrange(shape), Vec::new()), shape.n_nodes()));
    }
    // Extraction of the middle knot span of an open knot vector of degree 2 with simple knots at 0 1 2 3, by
    // hand.
    let c2 = vec![0.5, 0.0, 0.0, 0.5, 1.0, 0.5, 0.0, 0.0, 0.5];
    for (degrees, operators) in
        [([2, 3], vec![c2.clone(), identity(4)]), ([4, 1], vec![identity(5), identity(2)])]
    {
        let n = (degrees[0] + 1) * (degrees[1] + 1);
        all.push((surface(FaceBasis::Spline { degrees, operators: [0, 1] }, operators), n));
    }
    all.into_iter().map(|(s, n)| (s, (0..n).map(point).collect())).collect()
}

fn point(i: usize) -> [f64; 3] {
    let t = i as f64;
    [(1.3 * t).sin(), (0.7 * t * t).cos(), 0.2 * (2.1 * t).sin()]
}

fn identity(n: usize) -> Vec<f64> {
    (0..n * n).map(|k| if k % (n + 1) == 0 { 1.0 } else { 0.0 }).collect()
}

fn surface(basis: FaceBasis, operators: Vec<Vec<f64>>) -> Surface {
    let n = basis.n_points();
    let rational = matches!(basis, FaceBasis::Spline { .. });
    let weight = |i: usize| if rational { 1.0 + 0.3 * (1.7 * i as f64).sin() } else { 1.0 };
    let points: Vec<u32> = (0..n as u32).collect();
    let face = Face { basis, points: points.clone(), orientation: 1.0 };
    Surface { points, weights: (0..n).map(weight).collect(), faces: vec![face], operators }
}

type Shape = (Vec<f64>, Vec<[f64; 2]>, Vec<[f64; 3]>);

fn evaluate(surface: &Surface, xi: [f64; 2]) -> Shape {
    let n = surface.points.len();
    let (mut values, mut first, mut second) = (vec![0.0; n], vec![[0.0; 2]; n], vec![[0.0; 3]; n]);
    surface.shape_into(0, xi, &mut values, &mut first, &mut second);
    (values, first, second)
}

#[test]
fn shape_functions_are_a_partition_of_unity_with_vanishing_derivative_sums() {
    for (surface, _) in one_of_each() {
        surface.validate().unwrap();
        let (values, first, second) = evaluate(&surface, [0.31, 0.22]);
        assert!((values.iter().sum::<f64>() - 1.0).abs() < 1e-14);
        (0..2).for_each(|a| assert!(first.iter().map(|d| d[a]).sum::<f64>().abs() < 1e-13));
        (0..3).for_each(|a| assert!(second.iter().map(|d| d[a]).sum::<f64>().abs() < 2e-12));
    }
}

#[test]
fn derivatives_agree_with_central_differences() {
    let h = 1e-5;
    for (surface, _) in one_of_each() {
        let xi = [0.37, 0.41];
        let (_, first, second) = evaluate(&surface, xi);
        for a in 0..2 {
            let shifted = |s: f64| {
                let mut x = xi;
                x[a] += s;
                evaluate(&surface, x)
            };
            let (plus, minus) = (shifted(h), shifted(-h));
            for i in 0..surface.points.len() {
                let d = (plus.0[i] - minus.0[i]) / (2.0 * h);
                assert!((d - first[i][a]).abs() < 1e-8, "{:?} first {i} {a}", surface.faces[0].basis);
                for b in 0..2 {
                    let dd = (plus.1[i][b] - minus.1[i][b]) / (2.0 * h);
                    assert!(
                        (dd - second[i][a + b]).abs() < 1e-7,
                        "{:?} second {i} {a}{b}",
                        surface.faces[0].basis
                    );
                }
            }
        }
    }
}

#[test]
fn lagrange_functions_are_one_at_their_own_node_and_zero_at_the_others() {
    let quad =
        [[0., 0.], [1., 0.], [1., 1.], [0., 1.], [0.5, 0.], [1., 0.5], [0.5, 1.], [0., 0.5], [0.5, 0.5]];
    let tri = [[0., 0.], [1., 0.], [0., 1.], [0.5, 0.], [0.5, 0.5], [0., 0.5]];
    for (surface, _) in one_of_each() {
        let FaceBasis::Lagrange(shape) = surface.faces[0].basis else { continue };
        for i in 0..shape.n_nodes() {
            let xi = if surface.faces[0].basis.is_triangle() { tri[i] } else { quad[i] };
            let (values, ..) = evaluate(&surface, xi);
            for (j, value) in values.iter().enumerate() {
                assert!((value - if i == j { 1.0 } else { 0.0 }).abs() < 1e-15, "{shape:?} {i} {j}");
            }
        }
    }
}

#[test]
fn a_rational_quadratic_span_is_an_exact_quarter_of_a_cylinder() {
    let s = std::f64::consts::FRAC_1_SQRT_2;
    let mut surface =
        surface(FaceBasis::Spline { degrees: [2, 1], operators: [0, 1] }, vec![identity(3), identity(2)]);
    surface.weights = vec![1.0, s, 1.0, 1.0, s, 1.0];
    let arc = [[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
    let positions: Vec<[f64; 3]> =
        [0.0, 2.0].iter().flat_map(|&z| arc.iter().map(move |a| [a[0], a[1], z])).collect();
    for k in 0..=10 {
        let xi = [k as f64 / 10.0, 0.3];
        let (y, [y_1, y_2]) = surface.tangents(0, xi, &positions);
        assert!((y[0].hypot(y[1]) - 1.0).abs() < 1e-15 && (y[2] - 0.6).abs() < 1e-15);
        assert!((y[0] * y_1[0] + y[1] * y_1[1]).abs() < 1e-15 && (y_2[2] - 2.0).abs() < 1e-15);
    }
}

#[test]
fn a_spline_face_with_an_extraction_operator_is_the_b_spline_on_its_span() {
    // Uniform quadratic B-spline: N at the middle of a knot span is (1/8, 6/8, 1/8), at its start (1/2, 1/2,
    // 0).
    let (surface, _) = one_of_each().swap_remove(5);
    let c2 = &surface.operators[0];
    let at = |b: [f64; 3]| [0, 1, 2].map(|i| (0..3).map(|j| c2[3 * i + j] * b[j]).sum::<f64>());
    assert_eq!(at([1.0, 0.0, 0.0]), [0.5, 0.5, 0.0]);
    assert_eq!(at([0.25, 0.5, 0.25]), [0.125, 0.75, 0.125]);
}

#[test]
fn invalid_faces_are_named() {
    let (good, _) = one_of_each().swap_remove(5);
    let broken = |change: fn(&mut Surface)| {
        let mut s = good.clone();
        change(&mut s);
        s.validate().unwrap_err().to_string()
    };
    assert_eq!(broken(|s| s.weights[3] = -1.0), "weight -1 of point 3 is not positive");
    assert_eq!(broken(|s| s.weights.truncate(11)), "the surface has 12 points but 11 weights");
    assert_eq!(broken(|s| s.faces[0].points.truncate(11)), "face 0 lists 11 points, its basis needs 12");
    assert_eq!(broken(|s| s.faces[0].points[2] = 40), "face 0 refers to point 40, the surface has 12 points");
    assert_eq!(broken(|s| s.faces[0].orientation = 0.0), "face 0 has orientation 0, which must be 1 or -1");
    assert!(broken(|s| s.operators.truncate(1)).contains("extraction operator 1"));
    let degree_11 = broken(|s| s.faces[0].basis = FaceBasis::Spline { degrees: [11, 0], operators: [0, 1] });
    assert!(degree_11.contains("degree 11"));
}
