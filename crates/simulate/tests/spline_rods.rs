//! The scheme `rigid`: bodies of splines touch with their whole curved surface.

use std::collections::BTreeSet;

use carom_simulate::RunOptions;
use nalgebra::{Rotation3, Unit, Vector3};

use crate::fixtures::{Chain, Impatient, RESUME, parse, solve};

/// A rod of splines, a plate below it, and their motion up to `end_time`.
fn falling_rod(rotation: &str, height: f64, below: &str, end_time: f64) -> String {
    let rod = "make = { shape = \"rod\", length = 0.12, radius = 0.03 }\nmaterial = \"steel\"";
    format!(
        "[simulation]\nscheme = \"rigid\"\nend_time = {end_time:?}\ntime_step = 2e-4\ngravity = [0.0, 0.0, \
         -9.81]\n[[body]]\nname = \"rod\"\n{rod}\nposition = [0.0, 0.0, {height:?}]\n{rotation}\n\
         [[body]]\nname = \"below\"\nfixed = true\n{below}\n\
         [[contact]]\nbetween = [\"*\"]\nrestitution = 0.5\n"
    )
}

/// A rod falls on its rim, or crosswise on another rod: it touches when and where its surface gets there, by
/// the support function of a cylinder, and its impulse is that of the free body.
#[test]
fn rods_of_splines_touch_with_their_whole_surface() {
    const PLATE: &str = "make = { shape = \"plate\", size = [0.5, 0.5, 0.05] }\nmaterial = \"steel\"\n\
                         position = [0.0, 0.0, -0.025]";
    const ROD: &str = "make = { shape = \"rod\", length = 0.12, radius = 0.03 }\nmaterial = \"steel\"\n\
                       position = [0.065, -0.055, 0.0]\n\
                       rotation = { axis = [0.0, 0.0, 1.0], degrees = 90.0 }";
    let (length, radius, height, gravity) = (0.12, 0.03, 0.3, 9.81);
    let mass = 7800.0 * std::f64::consts::PI * radius * radius * length;
    let across = mass * (3.0 * radius * radius + length * length) / 12.0;
    let inertia = Vector3::new(0.5 * mass * radius * radius, across, across);
    for (axis, degrees) in [([0.0, 1.0, 0.0], 35.0), ([0.3, 1.0, 0.2], 50.0), ([-0.4, -0.6, 0.5], 80.0)] {
        let turn =
            Rotation3::from_axis_angle(&Unit::new_normalize(Vector3::from(axis)), f64::to_radians(degrees));
        let down = turn.inverse() * -Vector3::z();
        let across = Vector3::new(0.0, down.y, down.z).normalize();
        let lowest = Vector3::new(if down.x > 0.0 { length } else { 0.0 }, 0.0, 0.0) + radius * across;
        let fall = height - lowest.dot(&down);
        let (time, speed) = ((2.0 * fall / gravity).sqrt(), (2.0 * fall * gravity).sqrt());
        let arm = (lowest - Vector3::new(0.5 * length, 0.0, 0.0)).cross(&-down);
        let impulse = 1.5 * speed / (mass.recip() + arm.component_div(&inertia).dot(&arm));
        let rotation = format!("rotation = {{ axis = {axis:?}, degrees = {degrees:?} }}");
        let outcome = solve(&falling_rod(&rotation, height, PLATE, time + 2e-3)).unwrap();
        let first = &outcome.summary.contacts[0];
        println!("{axis:?}: {} s for {time} s, {} Ns for {impulse} Ns", first.start, first.impulse_size());
        assert!((first.start - time).abs() < 4e-4, "{axis:?}: {} s for {time} s", first.start);
        assert!((first.impulse_size() / impulse - 1.0).abs() < 0.01, "{axis:?}: {first:?} for {impulse} Ns");
        assert!(outcome.warnings.is_empty() && outcome.remarks.is_empty(), "{:?}", outcome.warnings);
    }
    // Crosswise: the contact lies between the ends of both rods.
    let time = (2.0 * (height - 2.0 * radius) / gravity).sqrt();
    let outcome = solve(&falling_rod("", height, ROD, time + 2e-3)).unwrap();
    let first = &outcome.summary.contacts[0];
    println!("crosswise: {} s for {time} s", first.start);
    assert!((first.start - time).abs() < 4e-4, "{} s for {time} s", first.start);
    assert!(outcome.warnings.is_empty(), "{:?}", outcome.warnings);
}

/// A plate with its upper side at z = 0.
const FLOOR: &str = "[[body]]\nname = \"below\"\nfixed = true\nmake = { shape = \"plate\", size = [0.6, 0.8, \
                     0.05] }\nmaterial = \"steel\"\nposition = [0.0, 0.0, -0.025]\n";

fn scenario(end_time: f64, gravity: [f64; 3], body: &str, below: &str, contact: &str) -> String {
    format!(
        "[simulation]\nscheme = \"rigid\"\nend_time = {end_time:?}\ntime_step = 5e-4\ngravity = \
         {gravity:?}\n[[body]]\nname = \"body\"\nmaterial = \"steel\"\n{body}\n{below}[[contact]]\nbetween = \
         [\"*\"]\nrestitution = 0.0\n{contact}\n"
    )
}

const ROD: &str = "make = { shape = \"rod\", length = 0.12, radius = 0.03 }";

/// A rod rolls with the speed that it has, and down a slope with 2/3 of the weight along it, as its points
/// move over its surface.
#[test]
fn a_rod_of_splines_rolls_on_its_surface() {
    let (radius, speed, end_time) = (0.03, 0.5, 0.6);
    let body = format!(
        "{ROD}\nposition = [0.0, -0.2, {radius:?}]\nvelocity = [0.0, {speed:?}, 0.0]\nangular_velocity = \
         [{:?}, 0.0, 0.0]",
        -speed / radius
    );
    for along in [0.0, 0.6] {
        let toml = scenario(end_time, [0.0, along, -9.81], &body, FLOOR, "friction = 0.3");
        let outcome = solve(&toml).unwrap();
        let rod = &outcome.bodies[0];
        let (faster, found) = (along * end_time / 1.5, radius * rod.angular_velocity[0].abs());
        let (expected, way) = (speed + faster, (speed + 0.5 * faster) * end_time);
        println!("{along} m/s2: {found} m/s for {expected}, {} m for {way}", rod.position[1] + 0.2);
        assert!((found / expected - 1.0).abs() < 1e-6, "{found} m/s for {expected} m/s");
        assert!((rod.position[1] + 0.2 - way).abs() < 1e-6 * way, "{} m for {way}", rod.position[1] + 0.2);
        assert!((rod.position[2] - radius).abs() < 1e-9, "{rod:?}");
        assert!(outcome.warnings.is_empty() && outcome.remarks.is_empty(), "{:?}", outcome.remarks);
    }
}

/// An ellipsoid rocks about its lowest point with ω² = m g (ρ − b)/(J + m b²), where ρ = a²/b is the radius
/// of curvature there and J = m (a² + b²)/5.
#[test]
fn an_ellipsoid_of_splines_rocks_with_its_period() {
    let (b, gravity, tilt) = (0.03_f64, 9.81, 1e-3_f64);
    for (axis, a) in [(1, 0.05_f64), (0, 0.04)] {
        let omega = (gravity * (a * a / b - b) / ((a * a + b * b) / 5.0 + b * b)).sqrt();
        let quarter = 0.5 * std::f64::consts::PI / omega;
        let mut direction = [0.0; 3];
        direction[axis] = 1.0;
        let body = format!(
            "make = {{ shape = \"ellipsoid\", semi_axes = [0.05, 0.04, {b:?}] }}\nposition = [0.0, 0.0, \
             {:?}]\nrotation = {{ axis = {direction:?}, degrees = {:?} }}",
            (b * tilt.cos()).hypot(a * tilt.sin()),
            tilt.to_degrees()
        );
        let after = |time: f64| {
            let toml = scenario(time, [0.0, 0.0, -gravity], &body, FLOOR, "friction = 0.3");
            let outcome = solve(&toml).unwrap();
            assert!(outcome.warnings.is_empty() && outcome.remarks.is_empty(), "{:?}", outcome.warnings);
            outcome.bodies[0].clone()
        };
        // After a quarter of its period it is level and fastest, after half of it as far on the other side.
        let fastest = after(quarter).angular_velocity[axis].abs();
        println!("{axis}: {fastest} rad/s for {}", omega * tilt);
        assert!((fastest / (omega * tilt) - 1.0).abs() < 2e-3, "{fastest} rad/s for {}", omega * tilt);
        let quaternion = after(2.0 * quarter).quaternion;
        let angle = 2.0 * quaternion[1 + axis] * quaternion[0].signum();
        println!("{axis}: {angle} rad for {}", -tilt);
        assert!((angle / tilt + 1.0).abs() < 5e-3, "{angle} rad for {}", -tilt);
    }
}

/// A rod in a groove of two plates at right angles stays where it is, and presses each with W/√2.
#[test]
fn a_rod_of_splines_rests_in_a_groove() {
    let (radius, root) = (0.03_f64, std::f64::consts::FRAC_1_SQRT_2);
    let weight = 7800.0 * std::f64::consts::PI * radius * radius * 0.12 * 9.81;
    // Its upper side goes from the origin upwards at 45 degrees.
    let wall = |name: &str, side: f64| {
        format!(
            "[[body]]\nname = \"{name}\"\nfixed = true\nmake = {{ shape = \"plate\", size = [0.4, 0.4, 0.05] \
             }}\nmaterial = \"steel\"\nposition = [0.0, {:?}, {:?}]\nrotation = {{ axis = [1.0, 0.0, 0.0], \
             degrees = {:?} }}\n",
            side * 0.225 * root,
            0.175 * root,
            45.0 * side
        )
    };
    let body = format!("{ROD}\nposition = [-0.06, 0.0, {:?}]", radius / root);
    let below = wall("left", -1.0) + &wall("right", 1.0);
    let time = 0.1;
    let outcome = solve(&scenario(time, [0.0, 0.0, -9.81], &body, &below, "")).unwrap();
    let rod = &outcome.bodies[0];
    println!("{:?} {:?}", rod.position, outcome.warnings);
    assert!((rod.position[2] - radius / root).abs() < 1e-7 && rod.position[1].abs() < 1e-7, "{rod:?}");
    let impulses: Vec<f64> = outcome.summary.contacts.iter().map(|event| event.impulse_size()).collect();
    println!("{impulses:?} Ns for {}", time * weight * root);
    assert_eq!(impulses.len(), 2);
    assert!(impulses.iter().all(|impulse| (impulse / (time * weight * root) - 1.0).abs() < 1e-2));
    assert!(outcome.warnings.is_empty(), "{:?}", outcome.warnings);
}

/// A rod across a torus lies on two places of one body, and stays there.
#[test]
fn a_rod_of_splines_rests_on_two_places_of_a_torus() {
    const RING: &str = "[[body]]\nname = \"ring\"\nfixed = true\nmake = { shape = \"torus\", radius = 0.04, \
                        inner_radius = 0.01 }\nmaterial = \"steel\"\n";
    let height = 0.03 + 0.01;
    let body = format!("{ROD}\nposition = [-0.06, 0.0, {height:?}]");
    let outcome = solve(&scenario(0.1, [0.0, 0.0, -9.81], &body, RING, "friction = 0.3")).unwrap();
    let rod = &outcome.bodies[0];
    println!("{:?} {:?} {:?}", rod.position, rod.quaternion, outcome.warnings);
    assert!((rod.position[2] - height).abs() < 1e-7 && rod.angular_velocity[1].abs() < 1e-6, "{rod:?}");
    assert!(outcome.warnings.is_empty(), "{:?}", outcome.warnings);
}

/// Springs keep the points of a rod where they are, on which it rolls as a prism: the run says so.
#[test]
fn a_rod_that_rolls_on_springs_of_points_has_a_remark() {
    let body = format!(
        "{ROD}\nposition = [0.0, -0.2, 0.03]\nvelocity = [0.0, 0.5, 0.0]\nangular_velocity = [{:?}, 0.0, \
         0.0]",
        -0.5 / 0.03
    );
    let law = "law = { kind = \"penalty\", point_stiffness = 3e3 }\nfriction = 0.3";
    let toml = scenario(0.2, [0.0, 0.0, -9.81], &body, FLOOR, law).replace("restitution = 0.0\n", "");
    let outcome = solve(&toml).unwrap();
    let remark = "`body` touched with springs at points on curved faces for more than 100 steps";
    assert!(outcome.remarks.iter().any(|text| text.starts_with(remark)), "{:?}", outcome.remarks);
}

/// Rods and ellipsoids that fall on each other: what a run knows of gaps from earlier steps changes nothing,
/// as a run that goes on from a checkpoint knows none of them.
#[test]
fn a_heap_of_splines_stopped_and_resumed_has_the_same_bits() {
    let of = |k: i32| {
        let shape = if k % 2 == 0 {
            "rod\", length = 0.1, radius = 0.015"
        } else {
            "ellipsoid\", semi_axes = [0.05, 0.03, 0.025]"
        };
        let turned = [f64::from(k).sin(), 1.0, 0.3];
        format!(
            "[[body]]\nname = \"b{k}\"\nrigid = true\nmake = {{ shape = \"{shape} }}\nmaterial = \"steel\"\n\
             position = [{:?}, 0.0, {:?}]\nrotation = {{ axis = {turned:?}, degrees = {:?} }}\n",
            0.01 * f64::from(k),
            0.15 + 0.11 * f64::from(k),
            20.0 * f64::from(k)
        )
    };
    let others: String = (1..4).map(of).collect();
    let body = "make = { shape = \"rod\", length = 0.1, radius = 0.015 }\nposition = [-0.05, 0.0, 0.05]";
    let text = scenario(0.4, [0.0, 0.0, -9.81], body, &(FLOOR.to_owned() + &others), "friction = 0.4");
    let scenario = parse(&text, &["simulation.checkpoint_every=100"]);
    let whole = Chain::new();
    let bodies = whole.prepare(&scenario).unwrap();
    let outcome = whole.run(&scenario, &bodies, RunOptions::default()).unwrap();
    let pairs: BTreeSet<_> = outcome.summary.contacts.iter().map(|event| event.bodies).collect();
    println!("{} contacts of {} pairs", outcome.summary.contacts.len(), pairs.len());
    assert!(pairs.len() > 3, "{pairs:?}");
    for stop in [320, 560] {
        let parts = Chain::new();
        parts.run_until(&scenario, &bodies, RunOptions::default(), &Impatient::after(stop)).unwrap_err();
        let resumed = parts.run(&scenario, &bodies, RESUME).unwrap();
        assert_eq!(resumed.bodies, outcome.bodies, "{stop}");
    }
}
