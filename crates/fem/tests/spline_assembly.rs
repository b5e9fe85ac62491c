//! Stiffness and mass of NURBS bodies against the plain sums over quadrature points.

use carom_fem::coupling::node_graph;
use carom_fem::quadrature::spline_points;
use carom_fem::{
    AssemblyError, Body, CellEvaluator, Cells, Discretisation, Quadrature, QuadratureRule, SystemMatrices,
    assemble,
};
use carom_nurbs::{KnotVector, solids};
use carom_progress::Silent;

use crate::bodies::{distort, nurbs_body, patch_body, quarter_ring, refined, spline_block};

/// Entries of K (blocks by rows) and M over the graph of the body: Σ over cells and points, pair by pair.
fn plain_sums(discretisation: &Discretisation, rule: QuadratureRule) -> (Vec<[f64; 9]>, Vec<f64>) {
    let graph = node_graph(discretisation).unwrap();
    let (mut k, mut m) = (vec![[0.0; 9]; graph.n_entries()], vec![0.0; graph.n_entries()]);
    let mut evaluator = CellEvaluator::new(discretisation);
    for cell in discretisation.cells() {
        let block = &discretisation.blocks[cell.block as usize];
        let Cells::Spline(cells) = &block.cells else { panic!("a NURBS body") };
        let material = &discretisation.materials[block.material];
        let (lambda, mu) = material.lame();
        let rule = Quadrature::cube(cells.degrees.map(|p| spline_points(p, rule)));
        evaluator.enter(cell);
        for (&xi, &weight) in rule.points.iter().zip(&rule.weights) {
            let point = evaluator.at(xi);
            evaluator.physical_gradients(&point);
            let (w, ids, r, g) =
                (weight * point.det, evaluator.ids(), evaluator.values(), evaluator.physical());
            for i in 0..ids.len() {
                for j in 0..ids.len() {
                    // A pair on the diagonal is counted in both orders, other pairs in one.
                    if ids[i] < ids[j] {
                        continue;
                    }
                    let entry = graph.find(ids[i] as usize, ids[j] as usize).unwrap();
                    let dot = g[0][i] * g[0][j] + g[1][i] * g[1][j] + g[2][i] * g[2][j];
                    for a in 0..3 {
                        for b in 0..3 {
                            k[entry][3 * a + b] += w * (lambda * g[a][i] * g[b][j] + mu * g[b][i] * g[a][j]);
                        }
                        k[entry][4 * a] += w * mu * dot;
                    }
                    m[entry] += w * material.density * r[i] * r[j];
                }
            }
        }
    }
    (k, m)
}

fn assert_agreement(name: &str, discretisation: &Discretisation, rule: QuadratureRule) {
    let SystemMatrices { stiffness, mass } = assemble(discretisation, rule, &Silent).unwrap();
    let (k, m) = plain_sums(discretisation, rule);
    assert!(stiffness.values.iter().flatten().chain(&mass.values).all(|x| x.is_finite()), "{name}");
    let largest = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0_f64, |a, x| a.max(x.abs()));
    let scale_k = largest(&mut k.iter().flatten().copied());
    let error_k =
        largest(&mut stiffness.values.iter().flatten().zip(k.iter().flatten()).map(|(x, y)| x - y)) / scale_k;
    let scale_m = largest(&mut m.iter().copied());
    let error_m = largest(&mut mass.values.iter().zip(&m).map(|(x, y)| x - y)) / scale_m;
    println!("{name}: K {error_k:.1e}, M {error_m:.1e}");
    assert!(error_k < 1e-13, "{name}: K differs by {error_k:.1e} of its largest entry");
    assert!(error_m < 1e-13, "{name}: M differs by {error_m:.1e} of its largest entry");
}

/// Curved rational bodies of one and more patches, of equal and different degrees, with equal and different
/// knots.
fn curved_bodies() -> Vec<(String, Body)> {
    let mut bodies: Vec<(String, Body)> = (1..=4)
        .map(|p| (format!("spline block, degree {p}"), spline_block(p, 3, |x| distort(x, 0.02))))
        .collect();
    for (p, n) in [(2, 9), (3, 2), (4, 1), (5, 1)] {
        bodies.push((format!("quarter ring, degree {p}, {n}³ spans"), quarter_ring(p, n)));
    }
    for (name, solid) in [
        ("ball", solids::ball(1.0, None)),
        ("shell", solids::shell(1.0, 0.6, None)),
        ("tube", solids::tube(1.0, 0.5, 2.0)),
        ("torus", solids::torus(2.0, 0.5)),
        ("rod", solids::rod(0.3, 2.0, None)),
    ] {
        bodies.push((name.to_owned(), nurbs_body(solid.unwrap())));
    }
    bodies
}

#[test]
fn entries_agree_with_plain_sums() {
    for (name, body) in curved_bodies() {
        let discretisation = Discretisation::new(&body).unwrap();
        assert_agreement(&name, &discretisation, QuadratureRule::Default);
    }
}

#[test]
fn entries_agree_with_plain_sums_of_more_points() {
    for (name, body) in [("ring", quarter_ring(2, 3)), ("ball", nurbs_body(solids::ball(1.0, None).unwrap()))]
    {
        assert_agreement(name, &Discretisation::new(&body).unwrap(), QuadratureRule::High);
    }
}

#[test]
fn degrees_and_continuity_may_differ_from_direction_to_direction() {
    let Body { geometry: carom_fem::Geometry::Nurbs(ring), .. } = quarter_ring(2, 1) else { unreachable!() };
    for degrees in [[2, 3, 4], [4, 2, 3], [3, 4, 2]] {
        let mut patch = refined(&ring.patches[0], degrees, 3);
        // Knots of higher multiplicity: the functions of neighbouring knot spans are shifted by more than
        // one.
        for d in 0..3 {
            let counts = patch.basis.each_ref().map(KnotVector::n_functions);
            let (finer, operator) = patch.basis[d].insert(&[1.0 / 3.0, 0.8, 0.8]).unwrap();
            let values: Vec<[f64; 4]> = patch
                .points
                .iter()
                .zip(&patch.weights)
                .map(|(p, &w)| [w * p[0], w * p[1], w * p[2], w])
                .collect();
            let values = operator.apply(&values, counts, d);
            patch.basis[d] = finer;
            patch.points = values.iter().map(|v| [v[0] / v[3], v[1] / v[3], v[2] / v[3]]).collect();
            patch.weights = values.iter().map(|v| v[3]).collect();
        }
        let discretisation = Discretisation::new(&patch_body(patch)).unwrap();
        assert_agreement(&format!("degrees {degrees:?}"), &discretisation, QuadratureRule::Default);
    }
}

#[test]
fn points_may_be_numbered_in_any_order() {
    let mut discretisation = Discretisation::new(&nurbs_body(solids::ball(1.0, None).unwrap())).unwrap();
    let n = discretisation.n_points();
    let greatest_divisor = |mut a: usize, mut b: usize| {
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    let step = (n / 3..n).find(|&s| greatest_divisor(n, s) == 1).unwrap();
    let number = |k: usize| (k * step + 7) % n;
    let old = discretisation.clone();
    for k in 0..n {
        discretisation.points[number(k)] = old.points[k];
        discretisation.weights[number(k)] = old.weights[k];
    }
    for block in &mut discretisation.blocks {
        let Cells::Spline(cells) = &mut block.cells else { unreachable!() };
        cells.point_ids.iter_mut().for_each(|id| *id = number(*id as usize) as u32);
    }
    assert_agreement("renumbered ball", &discretisation, QuadratureRule::Default);
}

#[test]
fn some_knot_spans_may_be_omitted() {
    let mut discretisation = Discretisation::new(&quarter_ring(2, 6)).unwrap();
    let Cells::Spline(cells) = &mut discretisation.blocks[0].cells else { unreachable!() };
    // Every fifth knot span is missing, the others are in another order.
    let spans = (0..216_u32).map(|k| k * 35 % 216).filter(|k| k % 5 > 0);
    cells.window.cells = Some(spans.map(|k| [k % 6, k / 6 % 6, k / 36]).collect());
    assert_agreement("ring with holes, shuffled", &discretisation, QuadratureRule::Default);
    let Cells::Spline(cells) = &mut discretisation.blocks[0].cells else { unreachable!() };
    cells.window.cells.as_mut().unwrap().sort_unstable_by_key(|[x, y, z]| [*z, *y, *x]);
    assert_agreement("ring with holes", &discretisation, QuadratureRule::Default);
}

#[test]
fn the_first_inverted_cell_is_named_with_its_place() {
    // The last but one control points along x lie behind those before them: ∂x/∂ξ changes its sign in the
    // third knot span.
    let body = spline_block(2, 4, |[x, y, z]| [if (0.7..0.9).contains(&x) { 0.2 } else { x }, y, z]);
    let discretisation = Discretisation::new(&body).unwrap();
    let error = assemble(&discretisation, QuadratureRule::Default, &Silent).unwrap_err();
    let AssemblyError::InvertedCell { cell, xi, det, .. } = error else { panic!("{error}") };
    assert_eq!((cell.block, cell.cell), (0, 2), "{error}");
    assert!(det < 0.0 && xi.iter().all(|x| (0.0..1.0).contains(x)), "{error}");
}

#[test]
fn points_of_a_collapsed_side_may_be_merged() {
    // A wedge: the side ξ = 0 of a block collapses to an edge, along which its control points coincide.
    let body = spline_block(2, 3, |[x, y, z]| [x, (0.2 + y) * x, z]);
    let mut discretisation = Discretisation::new(&body).unwrap();
    let Cells::Spline(cells) = &mut discretisation.blocks[0].cells else { unreachable!() };
    let [n_x, n_y, n_z] = cells.n_functions;
    for z in 0..n_z {
        for y in 0..n_y {
            cells.point_ids[n_x * (y + n_y * z)] = (n_x * n_y * z) as u32;
        }
    }
    assert_agreement("wedge", &discretisation, QuadratureRule::Default);
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    for (name, body) in
        [("ring", quarter_ring(2, 17)), ("ball", nurbs_body(solids::ball(1.0, None).unwrap()))]
    {
        let discretisation = Discretisation::new(&body).unwrap();
        let with = |n| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
            pool.install(|| assemble(&discretisation, QuadratureRule::Default, &Silent).unwrap())
        };
        let one = with(1);
        for n in [2, 8] {
            let other = with(n);
            assert!(one.stiffness.values == other.stiffness.values, "{name}, {n} threads: stiffness differs");
            assert!(one.mass.values == other.mass.values, "{name}, {n} threads: mass differs");
        }
    }
}
