//! Pairs of distant bodies are left out: the forces do not change, and a bound of their gap is reported.

use super::*;
use crate::Stiffness;
use crate::test_surfaces::ball;

const RADIUS: f64 = 0.015;
const LAW: Law = Law::Penalty(Stiffness::PerArea(1e13));
/// Balls on a circle of radius 9 R around the first one.
const AROUND: usize = 6;

/// Step from which a run is resumed: the first ball is on its way back from the first contact.
const RESUMED: usize = 5;

/// Rigid balls and the pairs with these numbers of bodies.
fn balls(pairs: &[[usize; 2]]) -> (QuasistaticContact, Vec<f64>) {
    let parts = (0..=AROUND).map(|k| faced(k, "ball", ball(RADIUS, 4), None));
    let (mut bodies, mut zones, mut positions) = (Vec::new(), Vec::new(), Vec::new());
    for (body, zone, x) in parts {
        bodies.push(body);
        zones.push(zone);
        positions = x;
    }
    let pair =
        |&[first, second]: &[usize; 2]| Pair { first, second, law: LAW, friction: 0.0, max_depth: None };
    let pairs: Vec<Pair> = pairs.iter().map(pair).collect();
    (QuasistaticContact::new(bodies, zones, &pairs).unwrap(), positions)
}

/// Centres of the balls: the first one moves from the middle of the circle to each of the others and back.
fn centers(step: usize) -> Vec<Vector3<f64>> {
    const STEPS: usize = 8;
    let at = |k: usize, distance: f64| {
        let angle = 0.3 + std::f64::consts::TAU * k as f64 / AROUND as f64;
        Vector3::new(distance * angle.cos(), distance * angle.sin(), 0.0)
    };
    let way = (std::f64::consts::PI * (step % STEPS) as f64 / STEPS as f64).sin();
    let first = at(step / STEPS % AROUND, way * (7.1 * RADIUS));
    std::iter::once(first).chain((0..AROUND).map(|k| at(k, 9.0 * RADIUS))).collect()
}

fn states<'a>(positions: &'a [f64], centers: &[Vector3<f64>]) -> Vec<BodyState<'a>> {
    centers.iter().map(|c| at(positions, *c, turn([1.0, 2.0, 0.5], 20.0 * c.x))).collect()
}

#[test]
fn pairs_that_are_left_out_change_no_force_and_their_gap_is_bounded() {
    let all: Vec<[usize; 2]> = (0..=AROUND).flat_map(|a| (a + 1..=AROUND).map(move |b| [a, b])).collect();
    let (model, positions) = balls(&all);
    let single: Vec<_> = (1..=AROUND).map(|b| balls(&[[0, b]]).0).collect();
    let (mut warm, mut work) = (model.cold(), model.workspace());
    let mut memory: Vec<_> = single.iter().map(|model| (model.cold(), model.workspace())).collect();
    let (mut resumed, mut fresh) = (model.cold(), model.workspace());
    let (mut n_out, mut n_pressed) = (0, 0);
    for step in 0..=24 {
        let centers = centers(step);
        let states = states(&positions, &centers);
        model.solve(&states, &mut warm, &mut work).unwrap();
        for (k, [a, b]) in all.iter().enumerate() {
            let pair = &work.solution.pairs[k];
            let gap = (centers[*a] - centers[*b]).norm() - 2.0 * RADIUS;
            let is_out = pair.is_apart;
            n_out += usize::from(is_out);
            let bound = model.clearance(k, &work);
            assert!(!is_out || bound > 0.0 && bound < gap, "{bound} {gap}");
            assert!(*a == 0 || is_out, "balls of the circle are apart");
        }
        // The least time is that of a look at all pairs.
        let speed = |body: usize| 1.0 + 0.3 * body as f64;
        let closing = |k: usize| all[k].iter().map(|&body| speed(body)).sum::<f64>();
        let out = (0..all.len()).filter(|&k| work.solution.pairs[k].is_apart);
        let least = out.map(|k| model.clearance(k, &work) / closing(k)).fold(f64::INFINITY, f64::min);
        assert_eq!(model.least_time_apart(&mut work, speed, closing), least, "step {step}");
        // The pairs of the first ball come first.
        for (k, (model, (warm, alone))) in single.iter().zip(&mut memory).enumerate() {
            model.solve(&states, warm, alone).unwrap();
            let (found, alone) = (&work.solution.pairs[k], &alone.solution.pairs[0]);
            assert_eq!((found.force, found.force_i), (alone.force, alone.force_i), "step {step}, pair {k}");
            n_pressed += usize::from(alone.force > 0.0);
        }
        if step == RESUMED {
            (resumed, fresh) = (model.restore(&warm.to_numbers()).unwrap(), model.workspace());
        } else if step > RESUMED {
            model.solve(&states, &mut resumed, &mut fresh).unwrap();
            assert!(fresh.solution == work.solution, "a resumed run differs in step {step}");
        }
    }
    assert!(n_out > 24 * 15 && n_pressed >= 3, "{n_out} {n_pressed}");
}
