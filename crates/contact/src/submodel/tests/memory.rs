//! A resumed sequence of solves is equal bit for bit; a used workspace gives the results of a new one.

use super::*;

const PENALTY: Law = Law::of_materials(100.0, 115e9);

/// Poses of an impact: approach and separation, with a little rolling.
fn path(k: usize) -> (Vector3<f64>, Matrix3<f64>) {
    let t = k as f64 / 30.0;
    let depth = 1.2e-5 * (std::f64::consts::PI * t).sin() - 3e-6;
    (Vector3::new(1e-4 + 2e-5 * t, -2e-4, -depth), turn([0.3, 1.0, 0.2], 0.02 + 0.003 * t))
}

fn states(positions: &[Vec<f64>], (r, rot): (Vector3<f64>, Matrix3<f64>)) -> [BodyState<'_>; 2] {
    [at(&positions[0], r, rot), at(&positions[1], Vector3::zeros(), Matrix3::identity())]
}

#[test]
fn a_resumed_sequence_of_solves_repeats_the_bits_of_the_uninterrupted_one() {
    for (law, friction) in [(PENALTY, 0.0), (Law::Hard, 0.0), (PENALTY, 0.2), (Law::Hard, 0.2)] {
        let (model, positions) = two_curved_bodies_with(law, friction);
        let step = |k: usize, warm: &mut WarmState, work: &mut Workspace| {
            model.solve(&states(&positions, path(k)), warm, work).unwrap();
            model.accept(warm, work);
        };
        let (mut warm, mut work) = (model.cold(), model.workspace());
        let (mut saved, mut later) = (Vec::new(), Vec::new());
        for k in 0..=30 {
            step(k, &mut warm, &mut work);
            if k == 14 {
                saved = warm.to_numbers();
            }
            if k > 14 {
                later.push(work.solution.clone());
            }
        }
        let mut resumed = model.restore(&saved).unwrap();
        let mut fresh = model.workspace();
        for (k, expected) in (15..=30).zip(&later) {
            step(k, &mut resumed, &mut fresh);
            assert!(fresh.solution == *expected, "{law:?}: step {k} differs");
        }
        assert_eq!(later.last().unwrap().friction_loss > 0.0, friction > 0.0);
        assert!(later.iter().any(Solution::in_contact) && !later.last().unwrap().in_contact());
        assert!(resumed.to_numbers() == warm.to_numbers());
    }
}

#[test]
fn warm_solves_need_few_passes_and_condense_rarely() {
    let (model, positions) = two_curved_bodies(PENALTY);
    let (mut warm, mut work) = (model.cold(), model.workspace());
    let (mut passes, mut condensations) = (Vec::new(), 0);
    for k in 0..=300 {
        let (mut r, rot) = path(15);
        r.z -= 1e-8 * k as f64;
        model.solve(&states(&positions, (r, rot)), &mut warm, &mut work).unwrap();
        passes.push(work.solution.passes);
        condensations += work.solution.condensations;
    }
    println!("first {} then {:?} …, {condensations} condensations", passes[0], &passes[1..12]);
    let mean = passes[1..].iter().sum::<usize>() as f64 / 300.0;
    assert!(mean < 6.0, "{mean} passes a solve");
    assert!(condensations < 40, "{condensations} condensations in 301 solves");
}

#[test]
fn an_invalid_warm_state_is_refused() {
    let (model, positions) = two_curved_bodies(PENALTY);
    let (mut warm, mut work) = (model.cold(), model.workspace());
    model.solve(&states(&positions, path(15)), &mut warm, &mut work).unwrap();
    let numbers = warm.to_numbers();
    assert_eq!(model.restore(&numbers).unwrap().to_numbers(), numbers);
    assert!(model.restore(&numbers[..numbers.len() - 1]).is_none());
    assert!(model.restore(&[numbers.clone(), vec![0.0]].concat()).is_none());
    // The faces of foot points come first after the forces and displacements.
    let face = model.n_rows() + positions.iter().map(|x| 2 * x.len()).sum::<usize>();
    let mut beyond = numbers.clone();
    beyond[face] = 1e6;
    assert!(model.restore(&beyond).is_none(), "a foot point on a face that does not exist");
    let n = numbers.len();
    let mut huge = numbers;
    huge[n - 2] = 1e300;
    assert!(model.restore(&huge).is_none());
}
