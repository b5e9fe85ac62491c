//! Laws of mechanics: forces are derivatives of the energy and opposite along one line; results are
//! independent of frames.

use super::*;

const PENALTY: Law = Law::of_materials(100.0, 115e9);

type Poses = [(Vector3<f64>, Matrix3<f64>); 2];

/// Poses of the two bodies: the first slightly turned and pressed into the second.
fn rest() -> Poses {
    let first = (Vector3::new(1e-4, -2e-4, -1.6e-5), turn([0.3, 1.0, 0.2], 0.02));
    [first, (Vector3::zeros(), Matrix3::identity())]
}

/// The first pressed into the rim of the second, along the normal there, so that some of its points lie
/// beyond.
fn at_the_rim() -> Poses {
    let first = (Vector3::new(2.6e-3, 1e-4, -1.5e-4), turn([0.0, 1.0, 0.0], 0.07));
    [first, (Vector3::zeros(), Matrix3::identity())]
}

/// A law, both places, the least number of active cells there, and the tolerance of differences of the
/// energy, which is larger for the few cells at the rim.
fn cases() -> [(Law, Poses, usize, f64); 4] {
    let places = |law| [(law, rest(), 5, 2e-7), (law, at_the_rim(), 4, 2e-6)];
    let ([a, b], [c, d]) = (places(PENALTY), places(Law::Hard));
    [a, b, c, d]
}

/// The first body moved.
fn moved([(r, rot), second]: Poses, shift: Vector3<f64>, rotation: Vector3<f64>) -> Poses {
    [(r + shift, Rotation3::new(rotation).into_inner() * rot), second]
}

fn solve_at(
    model: &QuasistaticContact,
    positions: &[Vec<f64>],
    poses: &Poses,
    warm: &mut WarmState,
    work: &mut Workspace,
) {
    let states: Vec<_> = poses.iter().zip(positions).map(|((r, rot), x)| at(x, *r, *rot)).collect();
    model.solve(&states, warm, work).unwrap();
}

/// Central difference of order 4.
fn derivative(h: f64, mut f: impl FnMut(f64) -> f64) -> f64 {
    (8.0 * (f(h) - f(-h)) - f(2.0 * h) + f(-2.0 * h)) / (12.0 * h)
}

#[test]
fn forces_and_moments_are_the_derivatives_of_the_energy_with_respect_to_the_pose() {
    for (law, place, n_active, part) in cases() {
        let (model, positions) = two_curved_bodies(law);
        let (mut warm, mut work) = (model.cold(), model.workspace());
        solve_at(&model, &positions, &place, &mut warm, &mut work);
        let solution = work.solution.clone();
        assert!(solution.pairs[0].n_active >= n_active, "{:?}", solution.pairs[0]);
        let force_i = place[0].1 * solution.wrench[0].force_b;
        let moment_i = place[0].1 * solution.wrench[0].moment_b;
        let mut energy = |shift: Vector3<f64>, rotation: Vector3<f64>| {
            solve_at(&model, &positions, &moved(place, shift, rotation), &mut warm.clone(), &mut work);
            work.solution.energy()
        };
        for d in 0..3 {
            let unit = Vector3::from_fn(|i, _| if i == d { 1.0 } else { 0.0 });
            let by_shift = derivative(2e-9, |h| energy(unit * h, Vector3::zeros()));
            let by_turn = derivative(1e-6, |h| energy(Vector3::zeros(), unit * h));
            let error = (by_shift + force_i[d]).abs() / force_i.norm();
            assert!(error < part, "{law:?} force {d}: {} against {}", -by_shift, force_i[d]);
            let error = (by_turn + moment_i[d]).abs() / moment_i.norm();
            assert!(error < 100.0 * part, "{law:?} moment {d}: {} against {}", -by_turn, moment_i[d]);
        }
    }
}

#[test]
fn forces_on_points_are_the_derivatives_of_the_energy_with_respect_to_low_modes() {
    for place in [rest(), at_the_rim()] {
        let (model, positions) = two_curved_bodies(PENALTY);
        let (mut warm, mut work) = (model.cold(), model.workspace());
        solve_at(&model, &positions, &place, &mut warm, &mut work);
        let forces = work.solution.force_b.clone();
        let mut random = Random(5);
        for body in 0..2 {
            // A smooth deformation of the body, as by a low mode.
            let c: Vec<f64> = (0..9).map(|_| 100.0 * random.symmetric()).collect();
            let field = |x: &[f64; 3], d: usize| {
                1e-3 * c[3 * d] + c[3 * d + 1] * x[1] + 200.0 * c[3 * d + 2] * x[1] * x[0]
            };
            let points = positions[body].as_chunks::<3>().0;
            let mode: Vec<f64> = points.iter().flat_map(|x| [0, 1, 2].map(|d| field(x, d))).collect();
            let difference = derivative(1e-8, |q| {
                let mut moved = positions.clone();
                moved[body].iter_mut().zip(&mode).for_each(|(x, m)| *x += q * m);
                solve_at(&model, &moved, &place, &mut warm.clone(), &mut work);
                work.solution.energy()
            });
            let force: f64 = forces[body].iter().zip(&mode).map(|(f, m)| f * m).sum();
            assert!((difference + force).abs() < 1e-5 * force.abs(), "{body}: {difference} {force}");
        }
    }
}

/// A rigid cap in a slightly larger cavity, and on the edge of a block.
#[test]
fn a_cavity_and_a_block_push_along_the_derivatives_of_the_energy() {
    let cavity = Shape::Cavity(Sphere { center: Vector3::new(0.0, 0.0, 0.02), radius: 0.02 });
    let half = Vector3::new(0.05, 0.05, 0.01);
    let block = Shape::Block(Block::new(Vector3::new(-0.0497, 0.0, -0.01), half));
    for shape in [cavity, block] {
        let (model, positions) =
            problem(vec![faced(0, "cap", steel_cap(), None), rigid(1, shape.clone())], Law::per_area(1e14));
        let mut work = model.workspace();
        let mut at_shift = |shift: Vector3<f64>| {
            let place = [(shift, turn([0.3, 1.0, 0.2], 0.01)), (Vector3::zeros(), Matrix3::identity())];
            solve_at(&model, &positions, &place, &mut model.cold(), &mut work);
            (work.solution.energy(), place[0].1 * work.solution.wrench[0].force_b)
        };
        let place = Vector3::new(1e-4, -5e-5, -4e-6);
        let force = at_shift(place).1;
        assert!(force.z > 1.0, "{shape:?}: {force}");
        for d in 0..3 {
            let by_shift = derivative(1e-9, |h| at_shift(place + Vector3::ith(d, h)).0);
            assert!((by_shift + force[d]).abs() < 1e-5 * force.norm(), "{d}: {by_shift} {force}");
        }
    }
}

#[test]
fn total_force_and_moment_vanish_to_round_off() {
    for (law, place, ..) in cases() {
        let (model, positions) = two_curved_bodies(law);
        let all = moved(place, Vector3::zeros(), Vector3::new(0.01, 0.0, 0.02));
        let (mut warm, mut work) = (model.cold(), model.workspace());
        solve_at(&model, &positions, &all, &mut warm, &mut work);
        let (mut force, mut moment, mut size) = (Vector3::zeros(), Vector3::zeros(), 0.0);
        for ((r, rot), wrench) in all.iter().zip(&work.solution.wrench) {
            let (f, m) = (rot * wrench.force_b, rot * wrench.moment_b);
            force += f;
            moment += m + r.cross(&f);
            size = f.norm();
        }
        assert!(size > 10.0 && force.norm() < 1e-13 * size, "{law:?}: {force} of {size}");
        assert!(moment.norm() < 1e-13 * size * 0.01, "{law:?}: {moment} of {size} N with 1 cm");
        let on_first = all[0].1 * work.solution.wrench[0].force_b;
        assert!((work.solution.pairs[0].force_i + on_first).norm() < 1e-12 * size);
    }
}

#[test]
fn a_common_motion_of_both_bodies_keeps_the_forces_in_their_frames() {
    let (model, positions) = two_curved_bodies(PENALTY);
    let (mut warm, mut work) = (model.cold(), model.workspace());
    solve_at(&model, &positions, &rest(), &mut warm, &mut work);
    let reference = work.solution.clone();
    let (rotation, shift) = (turn([1.0, -2.0, 0.5], 1.1), Vector3::new(0.2, -0.1, 0.3));
    let moved = rest().map(|(r, rot)| (rotation * r + shift, rotation * rot));
    solve_at(&model, &positions, &moved, &mut model.cold(), &mut work);
    let size = reference.wrench[0].force_b.norm();
    for (a, b) in reference.lambda.iter().zip(&work.solution.lambda) {
        // Poses 0.4 m from the origin are known to 1e-16 m, of a penetration of some 1e-6 m.
        assert!((a - b).abs() < 1e-8 * size, "{a} {b}");
    }
}

#[test]
fn the_solution_satisfies_complementarity_and_the_response_of_the_bodies() {
    for law in [PENALTY, Law::Hard] {
        let (model, positions) = two_curved_bodies(law);
        let (mut warm, mut work) = (model.cold(), model.workspace());
        solve_at(&model, &positions, &rest(), &mut warm, &mut work);
        let out = work.solution.clone();
        println!(
            "{law:?}: {} passes, {} condensations, error {:.1e}",
            out.passes, out.condensations, out.error
        );
        // A further solve from the solution computes the gaps again and does not change it.
        solve_at(&model, &positions, &rest(), &mut warm, &mut work);
        let again = &work.solution;
        assert!(again.passes <= 2, "{} passes", again.passes);
        let deepest = out.displacement_b.iter().flatten().fold(0.0, |a: f64, u| a.max(u.abs()));
        for (s, (&lambda, &gap)) in again.lambda.iter().zip(&again.gap).enumerate() {
            let w = gap + model.unknowns.law_compliance(s) * lambda;
            assert!(lambda >= 0.0 && w > -1e-9 * deepest, "{lambda} {w}");
            assert!(lambda == 0.0 || w.abs() < 1e-9 * deepest, "{lambda} {w}");
        }
        for (body, (f, u)) in model.bodies.iter().zip(again.force_b.iter().zip(&again.displacement_b)) {
            let compliance = body.compliance.as_ref().unwrap();
            for i in 0..f.len() {
                let response: f64 = (0..f.len()).map(|j| compliance[(i, j)] * f[j]).sum();
                assert!((response - u[i]).abs() < 1e-12 * deepest);
            }
        }
        let largest = out.lambda.iter().fold(0.0, |a: f64, b| a.max(*b));
        let pairs = out.lambda.iter().zip(&again.lambda);
        pairs.for_each(|(a, b)| assert!((a - b).abs() < 1e-8 * largest, "{a} {b}"));
    }
}

#[test]
fn the_gap_rate_is_the_derivative_of_the_free_gap() {
    let (model, positions) = two_curved_bodies(PENALTY);
    let (v, omega) = (Vector3::new(0.1, -0.2, -0.3), Vector3::new(3.0, -5.0, 2.0));
    let mut random = Random(8);
    let rates: Vec<Vec<f64>> =
        positions.iter().map(|x| x.iter().map(|_| 0.01 * random.symmetric()).collect()).collect();
    let at_time = |t: f64| {
        let [(r, rot), two] = moved(rest(), Vector3::new(0.0, 0.0, 4e-5), Vector3::zeros());
        let (r, rot) = (r + rot * v * t, rot * Rotation3::new(omega * t).into_inner());
        let moved = |k: usize| -> Vec<f64> {
            positions[k].iter().zip(&rates[k]).map(|(x, rate)| x + t * rate).collect()
        };
        let (first, second) = (moved(0), moved(1));
        let twist = |k: usize| Twist {
            v_ib_b: if k == 0 { v } else { Vector3::zeros() },
            omega_ib_b: if k == 0 { omega } else { Vector3::zeros() },
            rates_b: &rates[k],
        };
        let states = [
            BodyState { twist: Some(twist(0)), ..at(&first, r, rot) },
            BodyState { twist: Some(twist(1)), ..at(&second, two.0, two.1) },
        ];
        let mut work = model.workspace();
        model.solve(&states, &mut model.cold(), &mut work).unwrap();
        assert!(!work.solution.in_contact());
        work.solution.pairs[0]
    };
    let h = 1e-8;
    let (minus, now, plus) = (at_time(-h), at_time(0.0), at_time(h));
    assert_eq!((minus.nearest_cell, plus.nearest_cell), (now.nearest_cell, now.nearest_cell));
    let rate = (plus.min_free_gap - minus.min_free_gap) / (2.0 * h);
    assert!((rate - now.gap_rate).abs() < 1e-6 * rate.abs(), "{rate} {}", now.gap_rate);
    assert!(now.min_free_gap > 0.0 && now.gap_rate < 0.0);
}
