//! Hierarchical refinement keeps the map and the gluing; functions are a partition of unity and linearly
//! independent.

use carom_nurbs::{KnotVector, Multipatch, Near, Patch, Target, solids};

/// Parameters spread over a patch, never on a knot.
fn parameters(patch: &Patch, n: usize) -> Vec<[f64; 3]> {
    let domain = patch.domain();
    let fraction = |k: usize, step: f64| (0.37 + step * k as f64).fract();
    (0..n)
        .map(|k| {
            let t = [fraction(k, 0.754_877_666), fraction(k, 0.569_840_290), fraction(k, 0.438_447_187)];
            [0, 1, 2].map(|d| domain[d][0] + t[d] * (domain[d][1] - domain[d][0]))
        })
        .collect()
}

/// Largest error of the map and of the partition of unity over all patches.
fn errors(body: &Multipatch, n: usize) -> [f64; 2] {
    let space = body.space().unwrap().expect("the body is refined locally");
    let (mut map, mut unity): (f64, f64) = (0.0, 0.0);
    for (number, patch) in body.patches.iter().enumerate() {
        for u in parameters(patch, n) {
            let functions = space.functions_at(number, u);
            assert!(functions.iter().all(|&(_, value)| value > 0.0));
            let (mut x, mut sum) = ([0.0; 3], 0.0);
            for (point, value) in functions {
                sum += value;
                (0..3).for_each(|d| x[d] += value * space.points[point as usize][d]);
            }
            let exact = patch.point(u);
            map = map.max((0..3).map(|d| (x[d] - exact[d]).abs()).fold(0.0, f64::max));
            unity = unity.max((sum - 1.0).abs());
        }
    }
    [map, unity]
}

/// Rank of the values of all functions at many places, by elimination with row pivots.
fn rank(body: &Multipatch, per_patch: usize) -> usize {
    let space = body.space().unwrap().unwrap();
    let n = space.points.len();
    let mut rows: Vec<Vec<f64>> = Vec::new();
    for (number, patch) in body.patches.iter().enumerate() {
        for u in parameters(patch, per_patch) {
            let mut row = vec![0.0; n];
            space.functions_at(number, u).iter().for_each(|&(point, value)| row[point as usize] = value);
            rows.push(row);
        }
    }
    let mut rank = 0;
    for column in 0..n {
        let pivot =
            (rank..rows.len()).max_by(|&a, &b| rows[a][column].abs().total_cmp(&rows[b][column].abs()));
        let Some(pivot) = pivot.filter(|&p| rows[p][column].abs() > 1e-9) else { continue };
        rows.swap(rank, pivot);
        let (head, tail) = rows.split_at_mut(rank + 1);
        let head = &head[rank];
        for row in tail {
            let factor = row[column] / head[column];
            if factor != 0.0 {
                row[column..].iter_mut().zip(&head[column..]).for_each(|(x, h)| *x -= factor * h);
            }
        }
        rank += 1;
    }
    rank
}

/// A cube [0,1]³ of degree p with n³ knot spans.
fn cube(p: usize, n: usize) -> Patch {
    let line = KnotVector::new(1, vec![0.0, 0.0, 1.0, 1.0]).unwrap();
    let points = (0..8).map(|i| [i % 2, i / 2 % 2, i / 4].map(f64::from)).collect();
    let patch = Patch::new([line.clone(), line.clone(), line], points, vec![1.0; 8]).unwrap();
    let body = Multipatch::glue(vec![patch]).unwrap().elevate_to(p).unwrap().elements([n; 3]).unwrap();
    body.patches[0].clone()
}

#[test]
fn a_corner_block_has_the_number_of_functions_of_the_reference() {
    // docs/theory/bodies.md, section 1.3: p = 2, 4³ knot spans, corner block refined once: 216 becomes 272
    // (uniform 1000).
    let mut patch = carom_nurbs::HierarchicalPatch::of(&cube(2, 4));
    assert_eq!(patch.n_active(), [216]);
    let mut tree = patch.tree.clone();
    for cell in tree.cells(0) {
        if cell.iter().all(|&i| i < 2) {
            tree.divide(0, cell);
        }
    }
    patch = patch.refined(tree);
    assert_eq!(patch.n_active().iter().sum::<usize>(), 272);
}

#[test]
fn refining_near_the_pole_keeps_the_ball_and_a_partition_of_unity() {
    let ball = solids::ball(1.0, None).unwrap().elements([4; 3]).unwrap();
    let fine = ball.refine_near(&[Near::point([0.0, 0.0, 1.0], 0.02, 4)]).unwrap();
    let hierarchy = fine.hierarchy.as_ref().unwrap();
    assert_eq!(hierarchy.patches.iter().map(|p| p.tree.n_levels()).max(), Some(5));
    let [map, unity] = errors(&fine, 400);
    assert!(map < 4e-15 && unity < 4e-15, "map {map:e}, unity {unity:e}");
    // The pole itself lies in the finest level, and so do all functions that are nonzero there.
    let space = fine.space().unwrap().unwrap();
    assert_eq!(fine.n_body_points(), space.points.len());
    assert!(space.points.len() < 2 * ball.n_points(), "{} of {}", space.points.len(), ball.n_points());
}

#[test]
fn functions_are_linearly_independent() {
    let cube = Multipatch::glue(vec![cube(2, 3)]).unwrap();
    let fine = cube.refine_near(&[Near::point([0.1, 0.2, 0.0], 0.05, 2)]).unwrap();
    let n = fine.n_body_points();
    assert!(n > 180, "{n}");
    assert_eq!(rank(&fine, 9 * n), n);
}

#[test]
fn refinement_extends_across_interfaces_edges_and_corners_of_patches() {
    // The middle of a rod's end lies in its core; its rim and the seams between sectors do not.
    let rod = solids::rod(1.0, 4.0, None).unwrap().elevate_to(2).unwrap().elements([2; 3]).unwrap();
    for at in [[0.0, 0.0, 0.0], [0.0, 0.5, 0.0], [0.0, 0.35, 0.35], [2.0, 0.6, 0.6], [4.0, 0.0, 1.0]] {
        let fine = rod.refine_near(&[Near::point(at, 0.1, 3)]).unwrap();
        let [map, unity] = errors(&fine, 300);
        assert!(map < 4e-15 && unity < 4e-15, "{at:?}: map {map:e}, unity {unity:e}");
        assert_one_value_on_interfaces(&fine);
        assert!(fine.n_body_points() > rod.n_points());
    }
}

/// Functions have the same values on both sides of an interface.
fn assert_one_value_on_interfaces(body: &Multipatch) {
    let space = body.space().unwrap().unwrap();
    for interface in body.interfaces() {
        let (patch, side) = interface.first;
        let first = &body.patches[patch as usize];
        for mut u in parameters(first, 40) {
            u[side.direction()] = first.domain()[side.direction()][usize::from(side.is_end())];
            let (other, opposite) = interface.second;
            let second = &body.patches[other as usize];
            let mut bounds = second.domain();
            let across = opposite.direction();
            let end = bounds[across][usize::from(opposite.is_end())];
            bounds[across] = [end, end];
            let there = second.closest_in(bounds, first.point(u));
            assert!(there.distance < 1e-12);
            let (a, b) =
                (space.functions_at(patch as usize, u), space.functions_at(other as usize, there.parameters));
            let value = |list: &[(u32, f64)], point: u32| {
                list.iter().find(|(p, _)| *p == point).map_or(0.0, |(_, v)| *v)
            };
            for &(point, v) in a.iter().chain(&b) {
                let [here, beyond] = [value(&a, point), value(&b, point)];
                assert!((here - beyond).abs() < 1e-7, "{point}: {here} and {beyond} ({v})");
            }
        }
    }
}

#[test]
fn sides_are_refined_as_a_whole_and_refinement_can_be_repeated() {
    let rod = solids::rod(1.0, 4.0, None).unwrap().elements([2; 3]).unwrap();
    let end = rod.region("end").unwrap();
    let near = Near { target: Target::Sides(end.sides.clone()), radius: 0.0, levels: 2 };
    let fine = rod.refine_near(&[near]).unwrap();
    let again = fine.refine_near(&[Near::point([4.0, 0.0, 0.0], 0.05, 4)]).unwrap();
    for body in [&fine, &again] {
        let [map, unity] = errors(body, 200);
        assert!(map < 4e-15 && unity < 4e-15, "map {map:e}, unity {unity:e}");
    }
    assert!(again.n_body_points() > fine.n_body_points());
    // A refinement by both levels at once gives the same body.
    let side = Near { target: Target::Sides(end.sides), radius: 0.0, levels: 2 };
    let once = rod.refine_near(&[side, Near::point([4.0, 0.0, 0.0], 0.05, 4)]).unwrap();
    assert_eq!(once.n_body_points(), again.n_body_points());
}

#[test]
fn a_ball_of_octants_is_refined_at_its_collapsed_edges() {
    let tip = [0.0, 0.0, 0.0];
    let quarter = |a: [f64; 3], b: [f64; 3], c: [f64; 3]| {
        let s = 0.5_f64.sqrt();
        let arc = KnotVector::bernstein(2).unwrap();
        let line = KnotVector::bernstein(1).unwrap();
        let (mut points, mut weights) = (Vec::new(), Vec::new());
        for k in 0..3 {
            for j in 0..3 {
                let w = [1.0, s, 1.0][j] * [1.0, s, 1.0][k];
                // Along the circle from a to b, then up to c.
                let around = [a, [0, 1, 2].map(|d| a[d] + b[d]), b][j];
                let up = [around, [0, 1, 2].map(|d| around[d] + c[d]), c][k];
                for r in [tip, up] {
                    points.push(r);
                    weights.push(w);
                }
            }
        }
        Patch::new([line, arc.clone(), arc], points, weights).unwrap()
    };
    let octant = quarter([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]);
    let body = Multipatch::glue(vec![octant]).unwrap().elevate_to(2).unwrap().elements([2; 3]).unwrap();
    for at in [[0.0, 0.0, 1.0], [0.0; 3], [0.6, 0.0, 0.0]] {
        let fine = body.refine_near(&[Near::point(at, 0.02, 2)]).unwrap();
        let [map, unity] = errors(&fine, 300);
        assert!(map < 1e-14 && unity < 1e-14, "{at:?}: map {map:e}, unity {unity:e}");
    }
}

#[test]
fn impossible_refinements_are_refused() {
    let ball = solids::ball(1.0, None).unwrap();
    let away = ball.refine_near(&[Near::point([3.0, 0.0, 0.0], 0.1, 1)]).unwrap_err().to_string();
    assert!(away.contains("2.000e0 m away"), "{away}");
    assert!(ball.refine_near(&[Near::point([0.0; 3], f64::NAN, 1)]).is_err());
    assert!(ball.refine_near(&[Near::point([0.0; 3], 0.1, 0)]).is_err());
    assert!(ball.refine_near(&[Near::point([0.0; 3], 0.1, 99)]).is_err());
    let all = ball.refine_near(&[Near::point([0.0; 3], 9.0, 12)]).unwrap_err().to_string();
    assert!(all.contains("cells of level 5") && all.contains("smaller radius"), "{all}");
    let fine = ball.refine_near(&[Near::point([0.0, 0.0, 1.0], 0.1, 1)]).unwrap();
    let again = fine.refine_near(&[Near::point([0.0, 0.0, 1.0], 0.1, 1)]).unwrap_err().to_string();
    assert!(again.contains("1 times already"), "{again}");
    assert!(fine.elevate(1).unwrap_err().to_string().contains("refined locally"));
    assert!(fine.subdivide(2).is_err());
    assert!(fine.insert(0, 0, &[0.3]).is_err());
}
