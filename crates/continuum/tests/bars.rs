//! Two slender bars (Zywicz and Puso 1999, first and second example; docs/theory/whole-bodies.md).

use carom_contact::Law;
use carom_continuum::explicit::{Problem, Simulation};
use carom_dynamics::Ignore;
use carom_progress::Silent;

use crate::setup::{at, block, deformable, pair, residuals, rigid, run, settings};

const MATERIAL: [f64; 3] = [0.01, 100.0, 0.0];

/// * `section` — cells of the cross section
fn bar(name: &str, section: [usize; 2]) -> carom_fem::Body {
    block(name, [50.0, 1.0, 1.0], [50, section[0], section[1]], MATERIAL)
}

fn problem(law: Law) -> Problem {
    meshed(law, [[1, 1]; 2])
}

fn meshed(law: Law, sections: [[usize; 2]; 2]) -> Problem {
    let [left, right] = [bar("left", sections[0]), bar("right", sections[1])];
    Problem {
        bodies: vec![
            deformable(left, "small-strain", at([-50.01, 0.0, 0.0], [1.0, 0.0, 0.0])),
            deformable(right, "small-strain", at([0.0; 3], [0.0; 3])),
        ],
        contacts: vec![pair(0, [0, 1], ["east", "west"], law, 0.0)],
        ..Problem::default()
    }
}

/// Waves of 100 m/s give a contact from 0.01 s to 1.01 s at 0.5 m/s and 0.5 N. The node at the face loses
/// 1/(4N) of the energy as it stops (0.58 % at nine tenths of the critical step).
#[test]
fn two_elastic_bars_exchange_their_velocities() {
    let (simulation, kept) = run(&problem(Law::Hard), settings(1.5, Some(0.009)));
    let [left, right] = [0, 1].map(|body| kept.velocities.last().unwrap()[body][0]);
    assert!((left - 0.00704).abs() < 2e-4 && (right - 0.99296).abs() < 2e-4, "{left} {right}");
    let [energy, momentum, ang_momentum] = residuals(&kept);
    // Relative to 0.5 N s: some ulps after 167 steps.
    assert!(energy < 1e-14 && momentum < 4e-15 && ang_momentum < 1e-14, "{energy} {momentum} {ang_momentum}");
    let last = kept.rows.last().unwrap().balance;
    let lost = last.d_imp / 0.25;
    assert!((0.0053..0.0060).contains(&lost), "{lost}");
    assert!(last.pen_max < 1e-14, "{}", last.pen_max);
    let event = &simulation.events()[0];
    assert!((event.start - 0.01).abs() < 0.01 && (event.end - 1.01).abs() < 0.02, "{event:?}");
    // While they touch, the face moves with 0.5 m/s.
    let mean: f64 = kept.forces[10..60].iter().map(|force| force[0][0]).sum::<f64>() / 50.0;
    assert!((mean + 0.5).abs() < 0.02, "{mean}");
    assert_eq!(simulation.contact_counts().fallbacks, 0);
}

/// Bars whose cross sections are meshed differently have the velocities of equal ones: lumped masses
/// integrate all motions that both faces have in common, so that their faces stay flat. The multipliers of a
/// step are accurate to 1e-6. Waves along cells of a third of a metre limit the step to 3.3 ms.
#[test]
fn the_mesh_of_the_cross_sections_does_not_matter() {
    let ends = [[[1, 1], [1, 1]], [[1, 1], [3, 2]], [[2, 3], [3, 2]]].map(|sections| {
        let (_, kept) = run(&meshed(Law::Hard, sections), settings(1.5, Some(0.003)));
        assert!(residuals(&kept)[0] < 1e-14);
        kept
    });
    for kept in &ends[1..] {
        for (equal, bodies) in ends[0].velocities.iter().zip(&kept.velocities) {
            let differ = |body: usize| (bodies[body][0] - equal[body][0]).abs();
            assert!(differ(0) < 2e-6 && differ(1) < 2e-6, "{equal:?} {bodies:?}");
        }
    }
}

/// A tolerance of gaps is one of each gap, however slowly the bars approach: they move by 0.9 mm in a step,
/// less than the tolerance of a thousandth of the diagonal, 1.4 mm.
#[test]
fn a_tolerance_is_not_added_up_over_the_steps() {
    let mut problem = problem(Law::Hard);
    problem.bodies[0].placement.velocity[0] = 0.1;
    let settings =
        carom_continuum::explicit::Settings { contact_tolerance: 1e-3, ..settings(1.5, Some(0.009)) };
    let (_, kept) = run(&problem, settings);
    let last = kept.rows.last().unwrap().balance;
    let tolerance = 1e-3 * 2.0_f64.sqrt();
    assert!(last.pen_max > 0.0 && last.pen_max <= tolerance * (1.0 + 1e-12), "{}", last.pen_max);
    // In each step a penetration shrinks by a hundredth of the tolerance.
    let (right, back) = (kept.velocities.last().unwrap()[1][0], 0.01 * tolerance / 0.009);
    assert!((right - 0.099296).abs() < back, "{right} {back}");
    // It comes back against the force of 0.05 N.
    assert!(last.d_imp > 0.0053 * 0.0025 - 0.05 * tolerance, "{}", last.d_imp);
    assert!(residuals(&kept)[0] < 1e-14);
}

/// The tolerance of a gap is that of its own face, eq. (61) of the paper: bars with faces of 1 m move alike
/// with and without bars beside them whose faces are a quarter of that. With the tolerance of the small
/// faces they move otherwise.
#[test]
fn the_tolerance_of_a_gap_is_that_of_its_own_face() {
    let with = |contact_tolerance: f64, problem: &Problem| {
        let settings = settings(0.5, Some(0.002));
        run(problem, carom_continuum::explicit::Settings { contact_tolerance, ..settings }).1
    };
    let mut large = problem(Law::Hard);
    large.bodies[0].placement.velocity[0] = 0.1;
    let mut small = large.clone();
    for (body, x) in small.bodies.iter_mut().zip([-12.51, 0.0]) {
        let name = format!("small {}", body.geometry.name);
        body.geometry = block(&name, [12.5, 0.25, 0.25], [50, 1, 1], MATERIAL).into();
        body.placement.origin = [x, 5.0, 0.0];
    }
    let mut both = large.clone();
    both.bodies.extend(small.bodies.iter().cloned());
    both.contacts.push(pair(1, [2, 3], ["east", "west"], Law::Hard, 0.0));
    // The tolerance of the small faces.
    let tight = with(0.25e-3, &large);
    let [large, small, both] = [large, small, both].map(|problem| with(1e-3, &problem));
    let deepest = |kept: &crate::setup::Kept| kept.rows.last().unwrap().balance.pen_max;
    assert!(deepest(&small) <= 0.25e-3 * 2.0_f64.sqrt() * (1.0 + 1e-12), "{}", deepest(&small));
    let largest = |a: &crate::setup::Kept, b: &crate::setup::Kept| {
        let pairs = a.velocities.iter().flatten().zip(b.velocities.iter().flatten());
        pairs.map(|(a, b)| (a[0] - b[0]).abs()).fold(0.0, f64::max)
    };
    assert!(largest(&large, &tight) > 1e-6, "{}", largest(&large, &tight));
    for (both, (large, small)) in both.velocities.iter().zip(large.velocities.iter().zip(&small.velocities)) {
        for (found, alone) in both.iter().zip(large.iter().chain(small)) {
            assert!((found[0] - alone[0]).abs() < 1e-9, "{both:?} {large:?} {small:?}");
        }
    }
}

/// Springs of 25 N/m in total, an eighth of it for each row of both passes, yield by 0.5 N/25 N/m and
/// oscillate about it. With 250 N/m the step is too long: ω² = (2 k + E A/h)/m of a node at the face, ω dt =
/// 3.1 > 2.
#[test]
fn a_penalty_penetrates_and_a_stiff_one_is_unstable() {
    let (_, kept) = run(&problem(Law::per_point(25.0 / 8.0)), settings(1.5, Some(0.009)));
    let last = kept.rows.last().unwrap().balance;
    assert!((0.02..0.04).contains(&last.pen_max), "{}", last.pen_max);
    assert!(residuals(&kept)[0] < 1e-14);
    let mut stiff =
        Simulation::new(&problem(Law::per_point(250.0 / 8.0)), settings(1.0, Some(0.009))).unwrap();
    let error = stiff.run(&mut Ignore, &Silent).unwrap_err().to_string();
    assert!(error.contains("unstable") && error.contains("stiffness of a penalty"), "{error}");
}

/// A spring that closes within a step begins its force at the end of it: the trapezoidal work is
/// ½ k δ (g + δ) for a gap g before and a depth δ after the step, of which ½ k δ² is stored. One that opens
/// gives ½ k δ g back. Here g = 1 mm and δ = 8 mm at first, and the laws of both bars are linear.
#[test]
fn energy_that_a_penalty_takes_by_closing_late_has_a_column_of_its_own() {
    let settings = carom_continuum::explicit::Settings { output_every: 0.009, ..settings(1.5, Some(0.009)) };
    let (_, kept) = run(&problem(Law::per_point(25.0 / 8.0)), settings);
    let row = kept.rows[2].balance;
    assert!((row.e_con - 0.5 * 25.0 * 0.008_f64.powi(2)).abs() < 1e-13, "{row:?}");
    assert!((row.d_con - row.e_con / 8.0).abs() < 1e-13, "{row:?}");
    // All that the integration misses is in that column, until the last step is shortened.
    let whole = &kept.rows[..kept.rows.len() - 1];
    let missed = whole.iter().map(|row| row.balance.d_num.abs()).fold(0.0, f64::max);
    println!("missed {missed:e}, at the end {:e}", kept.rows.last().unwrap().balance.d_num);
    assert!(missed < 1e-14, "{missed}");
    assert!(kept.rows.iter().all(|row| row.balance.d_imp == 0.0));
}

/// The stiffness of the materials is α E*/h with the sides h of the parts of the surface that nodes have: a
/// quarter of the end, half of it for each of both passes. Both springs of a node yield by 0.5 N/k.
#[test]
fn a_penalty_of_the_materials_yields_by_its_stiffness() {
    let (alpha, modulus) = (0.3, 50.0);
    let (_, kept) = run(&problem(Law::of_materials(alpha, modulus)), settings(1.0, Some(0.009)));
    let area: f64 = 0.25 * 0.5;
    let stiffness = 8.0 * alpha * modulus * area.sqrt();
    let last = kept.rows.last().unwrap().balance;
    // The springs swing about 0.5 N/k, at most to twice that.
    let yielding = 0.5 / stiffness;
    assert!(last.pen_max > yielding && last.pen_max < 2.0 * yielding, "{} {yielding}", last.pen_max);
    assert!(residuals(&kept)[0] < 1e-14);
}

/// Springs of 100 N/m and half of the step of multipliers: two chains of masses and springs overlap by
/// 7.366 mm. Springs of 1000 N/m are unstable with this step: ω² = (2 k + E A/h)/m of a node at the face,
/// ω dt = 2.9 > 2.
#[test]
fn springs_of_100_n_per_m_overlap_by_7_4_mm_and_those_of_1000_are_unstable() {
    let problem = |total: f64| problem(Law::per_point(total / 8.0));
    let settings = settings(1.5, Some(0.0045));
    let (_, kept) = run(&problem(100.0), settings);
    let depth = kept.rows.last().unwrap().balance.pen_max;
    println!("overlap {depth:.6} m");
    assert!((depth - 0.007_366_364).abs() < 1e-9, "{depth}");
    let error = Simulation::new(&problem(1000.0), settings).unwrap().run(&mut Ignore, &Silent).unwrap_err();
    assert!(error.to_string().contains("unstable"), "{error}");
}

/// The mean penetration of springs is 0.5 N/k in total.
#[test]
fn the_penetration_of_a_penalty_falls_with_its_stiffness() {
    let depths = [25.0, 50.0].map(|total: f64| {
        let (_, kept) = run(&problem(Law::per_point(total / 8.0)), settings(1.0, Some(0.004)));
        kept.rows.last().unwrap().balance.pen_max
    });
    let ratio = depths[0] / depths[1];
    assert!((ratio - 2.0).abs() < 0.5, "{depths:?}");
}

/// A rigid bar of the mass m of the deformable one slows down as exp(−t/T), T = m c/(E A), until the
/// reflected wave returns.
#[test]
fn a_rigid_bar_slows_down_exponentially_on_a_deformable_bar_at_rest() {
    let mut problem = problem(Law::Hard);
    problem.bodies[0] = rigid(bar("left", [1, 1]), at([-50.01, 0.0, 0.0], [1.0, 0.0, 0.0]));
    let (_, kept) = run(&problem, settings(3.0, Some(0.009)));
    let [energy, momentum, ang_momentum] = residuals(&kept);
    assert!(energy < 1e-13 && momentum < 1e-14 && ang_momentum < 1e-13, "{energy} {momentum} {ang_momentum}");
    let at = |time: f64| kept.velocities[(time / 0.03).round() as usize][0][0];
    let expected = (-(0.9_f64 - 0.01) * 100.0 / (0.5 * 100.0)).exp();
    assert!((at(0.9) - expected).abs() < 0.02, "{} {expected}", at(0.9));
}

#[test]
fn a_contact_of_one_body_with_itself_names_the_contact_of_all_surfaces() {
    let mut problem = problem(Law::Hard);
    problem.contacts = vec![pair(0, [0, 0], ["east", "west"], Law::Hard, 0.0)];
    let error = Simulation::new(&problem, settings(1.0, None)).err().unwrap().to_string();
    assert!(error.contains("left:east, left:west") && error.contains("between = [\"*\"]"), "{error}");
}
