//! Contacts of different laws in one scenario of the scheme `rigid`: multipliers with restitution and
//! friction, springs of points, and the contact of all bodies beside named ones.

use std::f64::consts::PI;

use carom_simulate::RunOutcome;
use nalgebra::Vector3;

use crate::fixtures::{Chain, RESUME, parse, read, solve_with};
use crate::rigid_actions::scheme;

const GAS: &str = include_str!("../../../meshes/gas-in-box/scenario.toml");

/// The bodies of the gas: balls `a` to `f` in a free box.
fn gas() -> &'static str {
    GAS.split_at(GAS.find("[[contact]]").unwrap()).0
}

const NAMES: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

const ALL: &str = "[[contact]]\nbetween = [\"*\"]\n";

/// The contacts of the balls with the walls, by a law.
fn walls(law: &str) -> String {
    let wall = |ball: &str| format!("[[contact]]\nbetween = [\"{ball}:outside\", \"box:walls\"]\n{law}\n");
    NAMES.map(wall).concat()
}

/// The contacts of each two balls.
fn balls(more: &str) -> String {
    let two = |i: usize, j: usize| {
        format!("[[contact]]\nbetween = [\"{}:outside\", \"{}:outside\"]\n{more}\n", NAMES[i], NAMES[j])
    };
    (0..6).flat_map(|j| (0..j).map(move |i| two(i, j))).collect()
}

fn largest<const N: usize>(
    a: &RunOutcome,
    b: &RunOutcome,
    of: fn(&carom_dynamics::BodyState) -> [f64; N],
) -> f64 {
    let bodies = a.bodies.iter().zip(&b.bodies);
    let apart = bodies.flat_map(|(a, b)| of(a).into_iter().zip(of(b)).collect::<Vec<_>>());
    apart.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

const SPRING: &str = "law = { kind = \"penalty\", point_stiffness = 1.0e6 }";

/// Balls of multipliers in walls of springs: no energy and no momentum is lost, and the contact of all bodies
/// beside the named walls is that of each two balls.
#[test]
fn balls_that_collide_by_multipliers_in_walls_of_springs_conserve_energy_and_momenta() {
    let end = ["simulation.end_time=5.0"];
    let [named, all] = [balls(""), ALL.to_owned()]
        .map(|contacts| solve_with(&format!("{}{}{contacts}", gas(), walls(SPRING)), &end).unwrap());
    for run in [&named, &all] {
        let ledger = &run.summary.ledger;
        assert!(ledger.energy_error < 1e-12, "{ledger:?}");
        assert!(ledger.momentum_error < 1e-12 && ledger.ang_momentum_error < 1e-12, "{ledger:?}");
    }
    // Contacts 0 to 5 are walls; those of balls have numbers of their own, or that of the contact of all.
    let of_walls = |run: &RunOutcome| run.summary.contacts.iter().filter(|event| event.pair < 6).count();
    assert_eq!(of_walls(&named), of_walls(&all));
    let between: Vec<_> = all.summary.contacts.iter().filter(|event| event.pair == 6).collect();
    assert_eq!(of_walls(&all) + between.len(), all.summary.contacts.len());
    assert_eq!(named.summary.contacts.len(), all.summary.contacts.len());
    assert!(of_walls(&all) > 30 && between.len() > 10, "{} {}", of_walls(&all), between.len());
    assert!(between.iter().all(|event| event.bodies.is_some_and(|bodies| !bodies.contains(&6))));
    // Walls that give way press over several steps, and have a largest force.
    let of_springs = all.summary.contacts.iter().filter(|event| event.pair < 6);
    assert!(of_springs.clone().all(|event| event.end > event.start && event.peak_force > 0.0));
    assert!(largest(&named, &all, |body| body.position) < 1e-6);
}

/// The order in which a scenario has its contacts does not change the motion, and their names follow it.
#[test]
fn the_contact_of_all_bodies_may_come_anywhere() {
    let end = ["simulation.end_time=1.0"];
    let orders = [format!("{ALL}{}", walls(SPRING)), format!("{}{ALL}", walls(SPRING))];
    let [first, last] = orders.map(|contacts| solve_with(&format!("{}{contacts}", gas()), &end).unwrap());
    assert_eq!(first.bodies, last.bodies);
    assert_eq!((first.pairs[0].as_str(), last.pairs[6].as_str()), ("*", "*"));
    assert_eq!((first.pairs[1].as_str(), last.pairs[0].as_str()), ("a/box", "a/box"));
    for (a, b) in first.summary.contacts.iter().zip(&last.summary.contacts) {
        assert_eq!((a.pair + 6) % 7, b.pair);
        assert_eq!((a.start, a.impulse, a.bodies), (b.start, b.impulse, b.bodies));
    }
}

/// With restitution and friction of the balls, and of some walls, the losses close the balance.
#[test]
fn losses_of_multipliers_beside_springs_are_in_the_ledger() {
    let hard = "restitution = 0.7\nfriction = 0.3";
    let of = |k: usize| if k.is_multiple_of(2) { hard } else { SPRING };
    let wall = |(k, ball): (usize, &str)| {
        format!("[[contact]]\nbetween = [\"{ball}:outside\", \"box:walls\"]\n{}\n", of(k))
    };
    let walls: String = NAMES.into_iter().enumerate().map(wall).collect();
    let all = format!("{ALL}restitution = 0.9\nfriction = 0.2\n");
    let text = format!("{}{walls}{all}", gas());
    let chain = Chain::new();
    let end = "simulation.end_time=2.0";
    let run = chain.solve(&parse(&text, &[end])).unwrap();
    let ledger = &run.summary.ledger;
    assert!(ledger.energy_error < 1e-11, "{ledger:?}");
    assert!(ledger.momentum_error < 1e-12 && ledger.ang_momentum_error < 1e-12, "{ledger:?}");
    let rows = chain.reader().ledger().unwrap();
    let column = |name: &str, row: usize| {
        rows[row][carom_dynamics::LedgerRow::COLUMNS.iter().position(|&column| column == name).unwrap()]
    };
    for name in ["D_imp", "D_fric"] {
        assert!((1..rows.len()).all(|row| column(name, row) >= column(name, row - 1) - 1e-9), "{name}");
        assert!(column(name, rows.len() - 1) > 1.0, "{name}");
    }
    // A run that is stopped goes on with the same bits.
    let parts = Chain::new();
    parts.solve(&parse(&text, &["simulation.end_time=0.7"])).unwrap();
    let resumed = parts.solve_with(&parse(&text, &[end]), RESUME).unwrap();
    assert_eq!(run.bodies, resumed.bodies);
    assert_eq!(run.summary.contacts, resumed.summary.contacts);
}

/// A ball meets an equal one that stands before a wall of springs, which throws it back after half a period
/// π √(m/k): the first ball leaves with the speed with which it came, and the wall has the impulse 2 m v.
#[test]
fn a_wall_of_springs_throws_back_a_ball_that_is_struck() {
    let (mass, speed, k, dt) = (2.0_f64, 1.0_f64, 2.0e3, 1e-4);
    let ball = |name: &str, x: f64, speed: f64| {
        format!(
            "[[body]]\nname = \"{name}\"\nmake = {{ shape = \"ball\", radius = 0.05 }}\n\
             material = \"steel\"\nposition = [{x:?}, 0.0, 0.0]\nvelocity = [{speed:?}, 0.0, 0.0]\n\
             mass_properties = {{ mass = {mass:?}, inertia = [2.0e-3, 2.0e-3, 2.0e-3] }}\n\
             [[body.shape]]\nname = \"skin\"\nkind = \"ball\"\nradius = 0.05\n"
        )
    };
    let wall = format!(
        "[[body]]\nname = \"wall\"\nmake = {{ shape = \"plate\", size = [0.1, 1.0, 1.0] }}\n\
         material = \"steel\"\nposition = [0.3, 0.0, 0.0]\nfixed = true\n[[body.shape]]\nname = \"face\"\n\
         kind = \"plane\"\npoint = [-0.24, 0.0, 0.0]\nnormal = [-1.0, 0.0, 0.0]\n[[contact]]\n\
         between = [\"*\"]\n[[contact]]\nbetween = [\"second:skin\", \"wall:face\"]\n\
         law = {{ kind = \"penalty\", point_stiffness = {k:?} }}\n\
         [[probe]]\ncontact = \"second/wall\"\n[[probe]]\ncontact = \"*\"\nwhat = [\"normal_force\"]\n"
    );
    let text = scheme(0.5, dt, 0.0) + &[ball("first", -0.2, speed), ball("second", 0.0, 0.0), wall].concat();
    let chain = Chain::new();
    let run = chain.solve(&parse(&text, &[])).unwrap();
    let [first, second, _] = &run.bodies[..] else { panic!() };
    assert!((first.velocity[0] + speed).abs() < 1e-12 && second.velocity[0].abs() < 1e-12, "{first:?}");
    let mut events = run.summary.contacts.clone();
    events.sort_by(|a, b| a.start.total_cmp(&b.start));
    let [a, on_wall, b] = &events[..] else { panic!("{events:?}") };
    assert_eq!([a.pair, on_wall.pair, b.pair], [0, 1, 0]);
    // The wall is 10 mm away.
    let expected = PI * (mass / k).sqrt() + 2.0 * 0.01 / speed;
    assert!((b.start - a.start - expected).abs() < 2.0 * dt, "{} {expected}", b.start - a.start);
    assert!((on_wall.impulse_size() / (2.0 * mass * speed) - 1.0).abs() < 1e-12, "{on_wall:?}");
    assert!((on_wall.peak_force / (speed * (mass * k).sqrt()) - 1.0).abs() < 1e-4, "{on_wall:?}");
    // The same by probes.
    let courses = chain.reader().probe_courses().unwrap();
    let sum = |probe: usize, of: fn(&[f64; 3]) -> f64| -> f64 {
        courses[probe].values[1..].iter().map(|values| dt * of(&values[0])).sum()
    };
    assert!((sum(0, |force| force[0]) / (-2.0 * mass * speed) - 1.0).abs() < 1e-12);
    assert!((sum(1, |force| force[0]) / (2.0 * mass * speed) - 1.0).abs() < 1e-12);
    let largest = courses[0].values[1..].iter().map(|values| Vector3::from(values[0]).norm());
    assert!((largest.fold(0.0, f64::max) / on_wall.peak_force - 1.0).abs() < 1e-12);
}

/// Two contacts of all bodies would act twice; so would a named one in the scheme `explicit`, which has one
/// contact of all surfaces.
#[test]
fn contacts_of_all_bodies_that_would_act_twice_are_refused() {
    let twice = read(&format!("{}{ALL}{ALL}", gas()), &[]).unwrap_err();
    assert!(twice.contains("paired already"), "{twice}");
    let explicit = gas().replacen("scheme = \"rigid\"", "scheme = \"explicit\"", 1);
    let beside = read(&format!("{explicit}{}{ALL}", walls("")), &[]).unwrap_err();
    assert!(beside.contains("paired already"), "{beside}");
}
