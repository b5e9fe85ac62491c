//! The scheme `rigid`: bodies of splines touch with their whole curved surface.

use nalgebra::{Rotation3, Unit, Vector3};

use crate::fixtures::solve;

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

/// A rod that rolls on its points is a prism of n edges: about each next edge it keeps the angular momentum,
/// (½ m r² + m r² cos 2π/n) ω = (3/2 m r²) ω₊, and gravity gives back what it takes up to the edge.
#[test]
fn a_rod_of_splines_rolls_as_the_prism_of_its_points() {
    // Four patches around, of seven parts each.
    let (radius, speed, n) = (0.03, 0.5, 28.0);
    let outcome = solve(&format!(
        "[simulation]\nscheme = \"rigid\"\nend_time = 0.8\ntime_step = 5e-4\ngravity = [0.0, 0.0, \
         -9.81]\n[[body]]\nname = \"rod\"\nmake = {{ shape = \"rod\", length = 0.12, radius = {radius:?} }}\n\
         material = \"steel\"\nposition = [0.0, -0.2, {radius:?}]\nvelocity = [0.0, {speed:?}, 0.0]\n\
         angular_velocity = [{:?}, 0.0, 0.0]\n[[body]]\nname = \"below\"\nfixed = true\nmake = {{ shape = \
         \"plate\", size = [0.6, 0.8, 0.05] }}\nmaterial = \"steel\"\nposition = [0.0, 0.0, -0.025]\n\
         [[contact]]\nbetween = [\"*\"]\nrestitution = 0.0\nfriction = 0.3\n",
        -speed / radius
    ))
    .unwrap();
    let rod = &outcome.bodies[0];
    let turn = 2.0 * std::f64::consts::PI / n;
    let n_edges = (rod.position[1] + 0.2) / (radius * turn);
    let expected = speed * ((0.5 + turn.cos()) / 1.5_f64).powf(n_edges);
    let found = radius * rod.angular_velocity[0].abs();
    println!("{n} edges: {found} m/s after {n_edges:.1} of them, as a prism {expected} m/s");
    // Within the way over an edge gravity takes up to 4 % of the energy at this speed.
    assert!((found / expected - 1.0).abs() < 0.05, "{found} m/s for {expected} m/s");
    assert!(outcome.warnings.is_empty(), "{:?}", outcome.warnings);
    let remark = "`rod` touched with points on curved faces for more than 100 steps";
    assert!(outcome.remarks.iter().any(|text| text.starts_with(remark)), "{:?}", outcome.remarks);
}
