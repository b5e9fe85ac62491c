//! Probes of the scheme `rigid` against closed forms, impulses and balances, from scenario to result.

use std::f64::consts::PI;

use carom_format::result::ProbeCourse;
use carom_simulate::{RunOptions, RunOutcome};
use nalgebra::Vector3;

use crate::fixtures::{Chain, Impatient, RESUME, is_refused, parse, solve};
use crate::rigid_actions::scheme;
use crate::rigid_joints::orders;

const G: f64 = 9.81;

fn run(text: &str) -> (RunOutcome, Vec<ProbeCourse>) {
    let chain = Chain::new();
    let outcome = chain.solve(&parse(text, &[])).unwrap_or_else(|error| panic!("{error}"));
    let courses = chain.reader().probe_courses().unwrap();
    (outcome, courses)
}

/// A quantity of all samples after the first, with their times.
fn of(course: &ProbeCourse, quantity: usize) -> Vec<(f64, Vector3<f64>)> {
    let samples = course.times.iter().zip(&course.values).skip(1);
    samples.map(|(time, values)| (*time, Vector3::from(values[quantity]))).collect()
}

/// Sum of a mean times its interval.
fn integral(course: &ProbeCourse, quantity: usize) -> Vector3<f64> {
    let steps = course.times.windows(2).map(|pair| pair[1] - pair[0]);
    steps.zip(of(course, quantity)).map(|(step, (_, mean))| step * mean).sum()
}

/// A ball of mass m above the ground, and the ground.
const BALL: &str = r#"
[[body]]
name = "ball"
make = { shape = "ball", radius = 0.05 }
material = "steel"
position = [0.0, 0.0, 0.25]
mass_properties = { mass = 2.0, inertia = [2.0e-3, 2.0e-3, 2.0e-3] }
[[body.shape]]
name = "skin"
kind = "ball"
radius = 0.05
[[body.marker]]
name = "pole"
at = [0.0, 0.0, 0.05]

[[body]]
name = "plate"
make = { shape = "plate", size = [1.0, 1.0, 0.1] }
material = "steel"
fixed = true
[[body.shape]]
name = "floor"
kind = "plane"
point = [0.0, 0.0, 0.0]
normal = [0.0, 0.0, 1.0]

[[contact]]
between = ["ball:skin", "plate:floor"]
restitution = 0.5
"#;

/// A ball falls by h = 0.2 m, bounces with e = 1/2 and rises: places and velocities are those of free flight,
/// the acceleration is −g but in the step of the impact, and the contact has the impulse m (1 + e) √(2 g h).
#[test]
fn a_ball_that_bounces_has_the_accelerations_and_forces_of_its_impulses() {
    let (dt, end, mass, fall) = (1e-4, 0.3, 2.0, 0.2_f64);
    let probes = "[[probe]]\non = \"ball:pole\"\n[[probe]]\ncontact = \"ball/plate\"\n\
        [[probe]]\non = \"ball\"\n[[probe]]\nname = \"seldom\"\ncontact = \"1\"\nevery = 0.007\n\
        [[probe]]\nname = \"slow\"\non = \"ball:pole\"\nevery = 0.007\n";
    let (outcome, courses) = run(&(scheme(end, dt, -G) + BALL + probes));
    let [pole, contact, ball, seldom, slow] = &courses[..] else { panic!() };
    let [event] = &outcome.summary.contacts[..] else { panic!() };
    assert_eq!((pole.times.len(), seldom.times.len()), (3001, 43));
    assert!((seldom.times[1] - 0.007).abs() < 1e-15 && seldom.times[42] < end);

    let (lands, speed) = ((2.0 * fall / G).sqrt(), (2.0 * G * fall).sqrt());
    for (time, values) in pole.times.iter().zip(&pole.values) {
        let [displacement, velocity, acceleration] = [0, 1, 2].map(|k: usize| values[k][2]);
        if *time < lands {
            assert!((displacement + 0.5 * G * time * time).abs() < 1e-13, "{time}: {values:?}");
            assert!((velocity + G * time).abs() < 1e-12, "{time}: {values:?}");
        } else if *time > lands + dt {
            // The impact is up to a step away from its time.
            let since = time - lands;
            assert!((velocity - 0.5 * speed + G * since).abs() < 3.0 * G * dt, "{time}: {values:?}");
            assert!((displacement + fall - since * (0.5 * speed - 0.5 * G * since)).abs() < 3.0 * speed * dt);
        }
        match *time {
            0.0 => assert!(values[2].iter().all(|a| a.is_infinite()), "no step was before: {values:?}"),
            time if time < lands || time > lands + dt => assert!((acceleration + G).abs() < 1e-9, "{time}"),
            // One step has the whole change.
            _ => assert!((acceleration * dt / (1.5 * speed) - 1.0).abs() < 1e-2, "{acceleration}"),
        }
    }
    // Sums of accelerations are velocities, with any interval and through the impact.
    for course in [pole, slow] {
        let last = Vector3::from(course.values.last().unwrap()[1]);
        assert!((integral(course, 2) - last).norm() < 1e-12, "{last}");
    }

    let pressed = |course: &ProbeCourse| of(course, 0).iter().filter(|(_, force)| force.norm() > 0.0).count();
    assert_eq!((pressed(contact), pressed(seldom)), (1, 1));
    let expected = 1.5 * mass * speed;
    assert!((event.impulse[2] / expected - 1.0).abs() < 2e-3, "{event:?}");
    for course in [contact, seldom] {
        let [force, normal] = [0, 1].map(|quantity| integral(course, quantity));
        assert!((force - Vector3::from(event.impulse)).norm() < 1e-12 * expected, "{force}");
        assert!((normal.x - event.impulse[2]).abs() < 1e-12 * expected, "{normal}");
    }
    // The depth in the step of the impact, and no gap otherwise.
    let known = contact.values.iter().filter(|values| values[2][0].is_finite()).collect::<Vec<_>>();
    assert!(known.len() == 1 && known[0][2][0] <= 0.0 && known[0][2][0] > -speed * dt, "{known:?}");

    // E_kin + E_pot is m g H before the impact, and lacks (1 − e²) m g h after it.
    for (time, values) in ball.times.iter().zip(&ball.values) {
        let energy = values[0][0] + values[2][0];
        let lost = if *time < lands { 0.0 } else { 0.75 * mass * G * fall };
        let error = (energy - (mass * G * 0.25 - lost)).abs();
        assert!(error < if *time < lands { 1e-12 } else { 3e-3 * lost }, "{time}: {values:?}");
        assert!(values[1][0] == 0.0 && Vector3::from(values[4]).norm() < 1e-14, "{values:?}");
    }
    let weights = integral(contact, 0).z - mass * G * end;
    assert!((ball.values.last().unwrap()[3][2] - weights).abs() < 1e-12);
}

/// A rod on a hinge, with probes on the hinge and on the rod.
fn pendulum(dt: f64, every: f64) -> String {
    scheme(0.6, dt, -G)
        + "[[body]]\nname = \"rod\"\nmake = { shape = \"rod\", radius = 0.01, length = 0.4 }\n\
           material = \"steel\"\n[[joint]]\nname = \"hinge\"\nkind = \"revolute\"\naxis = [0.0, 1.0, 0.0]\n\
           between = [\"ground\", \"rod:start\"]\n[[body.marker]]\nname = \"center\"\nat = [0.2, 0.0, 0.0]\n"
        + &format!("[[probe]]\njoint = \"hinge\"\nevery = {every:?}\n")
        + &format!(
            "[[probe]]\non = \"rod:center\"\nevery = {every:?}\nwhat = [\"position\", \"velocity\", \
             \"acceleration\", \"angular_velocity\", \"angular_acceleration\"]\n"
        )
        + &format!("[[probe]]\non = \"rod\"\nevery = {every:?}\n")
}

/// Mass of the rod, and moment of inertia about its end.
fn rod() -> (f64, f64) {
    let mass = 7800.0 * PI * 1e-4 * 0.4;
    (mass, mass * (0.4 * 0.4 / 3.0 + 0.25 * 1e-4))
}

/// A rod that falls from the horizontal by the angle θ: ½ J θ̇² = m g a sin θ, and its hinge carries
/// m a θ̇² + m g sin θ along the rod and m g cos θ (1 − m a²/J) across it. The force of a step is that in its
/// middle to second order.
#[test]
fn the_hinge_of_a_pendulum_carries_weight_and_centrifugal_force() {
    let ((mass, inertia), arm) = (rod(), 0.2);
    let angle = |place: &Vector3<f64>| (-place.z).atan2(place.x);
    let errors = [2e-3, 1e-3, 5e-4].map(|dt| {
        let (_, courses) = run(&pendulum(dt, 0.0));
        let [hinge, center, rod] = &courses[..] else { panic!() };
        let [places, accelerations, turning] = [0, 2, 4].map(|quantity| of(center, quantity));
        let mut error = [0.0_f64; 3];
        for k in 1..places.len() {
            let theta = 0.5 * (angle(&places[k - 1].1) + angle(&places[k].1));
            let (sin, cos) = theta.sin_cos();
            let rate_2 = 2.0 * mass * G * arm * sin / inertia;
            let along = mass * arm * rate_2 + mass * G * sin;
            let across = mass * G * cos * (1.0 - mass * arm * arm / inertia);
            let expected = Vector3::new(-along * cos + across * sin, 0.0, along * sin + across * cos);
            let force = of(hinge, 0)[k].1;
            error[0] = error[0].max((force - expected).norm() / (mass * G));
            let slope = mass * G * arm * cos / inertia;
            let expected = arm * Vector3::new(-rate_2 * cos - slope * sin, 0.0, rate_2 * sin - slope * cos);
            error[1] = error[1].max((accelerations[k].1 - expected).norm() / G);
            error[2] = error[2].max((turning[k].1.y - slope).abs() / slope.abs().max(1.0));
            let torque = of(hinge, 1)[k].1.norm();
            assert!(torque < 1e-9 * mass * G * arm, "{torque}: a hinge without friction has no torque");
        }
        // The force on the rod and its weight are its momentum.
        let momentum = Vector3::from(rod.values.last().unwrap()[3]);
        let weight = Vector3::new(0.0, 0.0, -mass * G * 0.6);
        assert!((integral(hinge, 0) + weight - momentum).norm() < 1e-12 * weight.norm());
        error
    });
    for k in 0..3 {
        orders(&errors.map(|error| error[k]));
    }
}

/// With an interval of several steps the means have the same impulses as those of the steps.
#[test]
fn means_over_several_steps_have_the_impulses_of_the_steps() {
    let [each, third] = [0.0, 3e-3].map(|every| run(&pendulum(1e-3, every)).1);
    assert_eq!((each[0].times.len(), third[0].times.len()), (601, 201));
    let of_steps: Vec<_> = of(&each[0], 0);
    for (k, (time, mean)) in of(&third[0], 0).iter().enumerate() {
        let steps = &of_steps[3 * k..3 * k + 3];
        assert!((time - steps[2].0).abs() < 1e-15, "{time}");
        let sum: Vector3<f64> = steps.iter().map(|(_, force)| force / 3.0).sum();
        assert!((mean - sum).norm() < 1e-12 * sum.norm(), "{mean} {sum}");
    }
    // Places and velocities are those of the same steps.
    for (k, values) in third[1].values.iter().enumerate() {
        assert_eq!(values[..2], each[1].values[3 * k][..2]);
        assert_eq!(values[3], each[1].values[3 * k][3]);
    }
}

/// A block of mass m slides on the ground with friction μ: the ground carries m g and brakes with μ m g until
/// the block stops after v/μg, and then holds it without a force along the ground.
#[test]
fn a_block_that_slides_to_rest_is_braked_by_its_friction() {
    let (mass, friction, speed, dt) = (2.0, 0.3, 0.6, 1e-3);
    let stops = speed / (friction * G);
    let block = format!(
        "[[body]]\nname = \"block\"\nmake = {{ shape = \"plate\", size = [0.4, 0.3, 0.1] }}\n\
         material = \"steel\"\nposition = [0.0, 0.0, 0.05]\nvelocity = [{speed:?}, 0.0, 0.0]\n\
         mass_properties = {{ mass = {mass:?}, inertia = [0.02, 0.03, 0.04] }}\n\
         [[body.shape]]\nname = \"feet\"\nkind = \"block\"\nsize = [0.4, 0.3, 0.1]\n"
    );
    let ground = &BALL[BALL.find("[[body]]\nname = \"plate\"").unwrap()..BALL.find("[[contact]]").unwrap()];
    let contact = format!(
        "[[contact]]\nbetween = [\"block:feet\", \"plate:floor\"]\nrestitution = 0.0\n\
         friction = {friction:?}\n[[probe]]\ncontact = \"1\"\nevery = 0.01\n[[probe]]\non = \"block\"\n\
         at = [0.0, 0.0, 0.0]\nevery = 0.01\n"
    );
    let (outcome, courses) = run(&(scheme(0.4, dt, -G) + &block + ground + &contact));
    let [forces, center] = &courses[..] else { panic!() };
    assert!((0.2..0.21).contains(&stops));
    for ((time, force), (_, acceleration)) in of(forces, 0).into_iter().zip(of(center, 2)) {
        let braked = if time < stops { friction * G } else { 0.0 };
        if !(stops..stops + 0.01).contains(&time) {
            let expected = Vector3::new(-mass * braked, 0.0, mass * G);
            assert!((force - expected).norm() < 1e-6 * mass * G, "{time}: {force}");
            assert!((acceleration - Vector3::new(-braked, 0.0, 0.0)).norm() < 1e-6 * G, "{time}");
        }
    }
    // The sum of the sizes of the normal forces carries the weight.
    let pressed = integral(forces, 1).x / (mass * G * 0.4);
    assert!((pressed - 1.0).abs() < 1e-9, "{pressed}");
    assert!((integral(forces, 0).x + mass * speed).abs() < 1e-9 * mass * speed);
    let velocity = outcome.bodies[0].velocity;
    assert!(Vector3::from(velocity).norm() < 1e-9, "{velocity:?}");
}

/// A wheel that a torque τ turns faster about z: ω̇ = τ/J, and a point at the radius r has the velocity ω r
/// along y of the body and, to second order in the turn of a step, the acceleration −ω² r along x.
#[test]
fn a_point_of_a_wheel_has_its_accelerations_in_axes_of_the_body() {
    let (inertia, torque, radius, end) = (0.05, 0.2, 0.3, 0.5);
    let text = |dt: f64| {
        scheme(end, dt, 0.0)
            + &format!(
                "[[body]]\nname = \"wheel\"\nmake = {{ shape = \"plate\", size = [0.4, 0.4, 0.1] }}\n\
                 material = \"steel\"\nangular_velocity = [0.0, 0.0, 2.0]\n\
                 mass_properties = {{ mass = 1.0, inertia = [0.03, 0.04, {inertia:?}] }}\n\
                 [[body.marker]]\nname = \"rim\"\nat = [{radius:?}, 0.0, 0.02]\n\
                 [[force]]\non = \"wheel:rim\"\ntorque = [0.0, 0.0, {torque:?}]\n\
                 [[probe]]\non = \"wheel:rim\"\naxes = \"body\"\n\
                 what = [\"velocity\", \"acceleration\", \"angular_velocity\", \"angular_acceleration\", \
                 \"displacement\"]\n[[probe]]\nname = \"in space\"\non = \"wheel:rim\"\n"
            )
    };
    let slope = torque / inertia;
    let errors = [2e-3, 1e-3, 5e-4].map(|dt| {
        let (_, courses) = run(&text(dt));
        let [wheel, space] = &courses[..] else { panic!() };
        let mut error = 0.0_f64;
        for (time, values) in wheel.times.iter().zip(&wheel.values).skip(1) {
            let omega = 2.0 + slope * time;
            let close = |k: usize, [x, y, z]: [f64; 3]| {
                (Vector3::from(values[k]) - Vector3::new(x, y, z)).norm() < 1e-10 * (1.0 + omega * omega)
            };
            assert!(close(0, [0.0, omega * radius, 0.0]), "{time}: {values:?}");
            assert!(close(2, [0.0, 0.0, omega]) && close(3, [0.0, 0.0, slope]), "{time}: {values:?}");
            // Turned from the axes of the middle, in which it is −ω² r and ω̇ r, by half of the step.
            let (middle, half) = (omega - 0.5 * slope * dt, 0.5 * omega * dt);
            let [x, y] = [-middle * middle * radius, slope * radius];
            let turned = [x * half.cos() + y * half.sin(), y * half.cos() - x * half.sin()];
            error = error.max((values[1][0] - turned[0]).hypot(values[1][1] - turned[1]));
        }
        // The displacement in space is that of a turn by 2 t + τ t²/2J, to second order.
        let angle = 2.0 * end + 0.5 * slope * end * end;
        let place = Vector3::new(angle.cos() - 1.0, angle.sin(), 0.0) * radius;
        let last = Vector3::from(space.values.last().unwrap()[0]);
        assert!((last - place).norm() < 1e-9, "{last} {place}");
        error
    });
    orders(&errors);
}

/// A cube on a slide with a hard stop, a spring of its joint, and one to the ground: the forces of the joint
/// and of the spring are all that changes its momentum, also over impacts.
#[test]
fn forces_of_springs_and_stops_are_the_change_of_momentum() {
    let text = scheme(0.2, 1e-4, -G)
        + "[[body]]\nname = \"cube\"\nmaterial = \"steel\"\nvelocity = [1.0, 0.0, 0.0]\n\
           make = { shape = \"box\", size = [0.05, 0.05, 0.05] }\n[[joint]]\nname = \"slide\"\n\
           kind = \"prismatic\"\nbetween = [\"ground\", \"cube:west\"]\naxis = [1.0, 0.0, 0.0]\n\
           spring = { stiffness = 3.0e3, damping = 2.0, preload = 1.0 }\n\
           stops = { low = -0.01, high = 0.012, restitution = 0.5 }\n\
           [[spring]]\nname = \"line\"\nbetween = [\"ground\", \"cube:east\"]\npoint = [0.3, 0.2, 0.0]\n\
           stiffness = 500.0\nfree = 0.1\n[[probe]]\njoint = \"slide\"\nevery = 0.01\n\
           [[probe]]\njoint = \"line\"\nevery = 0.01\n[[probe]]\nname = \"each\"\njoint = \"line\"\n\
           [[probe]]\non = \"cube\"\nevery = 0.01\n\
           [[probe]]\non = \"cube:east\"\nwhat = [\"position\"]\n";
    let (_, courses) = run(&text);
    let [slide, line, each, cube, east] = &courses[..] else { panic!() };
    let mass = 7800.0 * 0.05_f64.powi(3);
    let weight = Vector3::new(0.0, 0.0, -mass * G);
    let momenta: Vec<_> = cube.values.iter().map(|values| Vector3::from(values[3])).collect();
    let largest = momenta.iter().map(Vector3::norm).fold(0.0, f64::max);
    let bounces = momenta.windows(2).filter(|pair| pair[0].x * pair[1].x < 0.0).count();
    assert!(bounces > 3, "{momenta:?}");
    for ((pair, (_, of_slide)), (_, of_line)) in momenta.windows(2).zip(of(slide, 0)).zip(of(line, 0)) {
        let missing = pair[1] - pair[0] - 0.01 * (of_slide + of_line + weight);
        assert!(missing.norm() < 1e-12 * largest, "{missing}");
    }
    // Along its line and by its length in the middle of each step, which the motion of a step makes exact.
    let ends: Vec<_> = east.values.iter().map(|values| Vector3::from(values[0])).collect();
    let anchor = Vector3::new(0.3, 0.2, 0.0);
    for (pair, (time, force)) in ends.windows(2).zip(of(each, 0)) {
        let along = anchor - 0.5 * (pair[0] + pair[1]);
        let expected = 500.0 * (along.norm() - 0.1) * along.normalize();
        // An impact or a step's acceleration moves the end away from the middle of its places.
        assert!((force - expected).norm() < 0.1, "{time}: {force} {expected}");
    }
}

/// Three balls, one on each side of two that meet: the contact of all has the sum of the sizes of all forces.
#[test]
fn a_contact_of_all_bodies_has_the_sum_of_its_normal_forces() {
    let ball = |name: &str, x: f64, velocity: f64| {
        format!(
            "[[body]]\nname = \"{name}\"\nmake = {{ shape = \"ball\", radius = 0.05 }}\n\
             material = \"steel\"\nposition = [{x:?}, 0.0, 0.0]\nvelocity = [{velocity:?}, 0.0, 0.0]\n\
             mass_properties = {{ mass = 1.0, inertia = [1.0e-3, 1.0e-3, 1.0e-3] }}\n"
        )
    };
    let text = scheme(0.15, 1e-4, 0.0)
        + &[ball("a", -0.2, 1.0), ball("b", 0.0, 0.0), ball("c", 0.2, -1.0)].concat()
        + "[[contact]]\nbetween = [\"*\"]\nrestitution = 0.5\n";
    let probe = "[[probe]]\ncontact = \"*\"\nwhat = [\"normal_force\", \"gap\"]\n";
    let (outcome, courses) = run(&format!("{text}{probe}"));
    let sizes: f64 = outcome.summary.contacts.iter().map(|event| Vector3::from(event.impulse).norm()).sum();
    let sum = integral(&courses[0], 0).x;
    assert!((sum / sizes - 1.0).abs() < 1e-12 && (sum - 3.0).abs() < 1e-12, "{sum} {sizes}");
    // The force on one of the bodies has no meaning.
    let says = ["no first body", "`contact = \"BODY/BODY\"`", "`contact_force`", "`what ="];
    let says = says.map(|text| text.replace("`contact_force`", "[\"contact_force\"]"));
    let says = says.each_ref().map(String::as_str);
    is_refused(&format!("{text}[[probe]]\ncontact = \"*\"\n"), "probe.0.what", &says);
}

/// Two balls and a brick that fall on a floor with friction, bounce and hit each other, all in one contact of
/// all bodies.
fn pile() -> String {
    let body = |name: &str, make: &str, position: [f64; 3], velocity: [f64; 3]| {
        format!(
            "[[body]]\nname = \"{name}\"\nmaterial = \"steel\"\n{make}\n\
             position = {position:?}\nvelocity = {velocity:?}\n"
        )
    };
    let ball = "make = { shape = \"ball\", radius = 0.05 }\n\
        mass_properties = { mass = 2.0, inertia = [2.0e-3, 2.0e-3, 2.0e-3] }";
    let brick = "make = { shape = \"box\", size = [0.1, 0.1, 0.08] }\n\
        mass_properties = { mass = 3.0, inertia = [4.1e-3, 4.1e-3, 5.0e-3] }";
    let floor = "make = { shape = \"box\", size = [2.0, 2.0, 0.1] }";
    scheme(0.4, 5e-4, -G)
        + &[
            body("a", ball, [-0.06, 0.01, 0.08], [0.5, 0.0, -0.4]),
            body("b", ball, [0.06, 0.0, 0.1], [-0.4, 0.1, 0.0]),
            body("brick", brick, [0.0, 0.02, 0.25], [0.0, 0.0, -0.5]),
            body("floor", floor, [0.0, 0.0, -0.06], [0.0; 3]) + "fixed = true\n",
        ]
        .concat()
        + "[[contact]]\nbetween = [\"*\"]\nrestitution = 0.4\nfriction = 0.3\n"
}

/// The sum of the contact forces on a body and its weight are the change of its momentum between samples, and
/// its contact force is the sum of those of the three bodies that it may touch.
#[test]
fn forces_of_a_contact_of_all_bodies_are_the_change_of_momentum() {
    let (names, every) = (["a", "b", "brick", "floor"], 0.0123);
    let mut text = pile();
    for name in &names[..3] {
        let what = "what = [\"contact_force\", \"momentum\"]";
        text += &format!("[[probe]]\non = \"{name}\"\nevery = {every:?}\n{what}\n");
        for other in names.iter().filter(|other| *other != name) {
            text += &format!("[[probe]]\ncontact = \"{name}/{other}\"\nevery = {every:?}\n");
        }
    }
    let (outcome, courses) = run(&text);
    assert!(outcome.summary.contacts.len() > 8, "{:?}", outcome.summary.contacts);
    let mut met = [false; 3];
    for (body, mass) in courses.chunks(4).zip([2.0, 2.0, 3.0]) {
        let [whole, pairs @ ..] = body else { panic!() };
        let momenta: Vec<_> = whole.values.iter().map(|values| Vector3::from(values[1])).collect();
        let largest = momenta.iter().map(Vector3::norm).fold(0.0, f64::max);
        assert!(whole.values[0][0].iter().all(|force| force.is_infinite()), "no step was before");
        for (n, (_, force)) in of(whole, 0).into_iter().enumerate() {
            let since = whole.times[n + 1] - whole.times[n];
            let sum: Vector3<f64> = pairs.iter().map(|pair| of(pair, 0)[n].1).sum();
            assert!((force - sum).norm() < 1e-12 * (1.0 + sum.norm()), "{force} {sum}");
            let impulse = since * (force - mass * G * Vector3::z());
            let missing = momenta[n + 1] - momenta[n] - impulse;
            assert!(missing.norm() < 1e-12 * largest, "{n}: {missing} of {impulse}");
        }
        for (met, pair) in met.iter_mut().zip(pairs) {
            *met |= of(pair, 0).iter().any(|(_, force)| force.norm() > 0.0);
        }
    }
    assert_eq!(met, [true; 3]);
    // The force on the other body is the opposite one.
    let [ab, ba] = [&courses[1], &courses[5]].map(|course| of(course, 0));
    assert!(ab.iter().zip(&ba).all(|(a, b)| a.1 == -b.1));
}

#[test]
fn a_run_stopped_and_resumed_has_the_same_samples_and_probes_change_nothing() {
    let text = scheme(0.3, 1e-4, -G)
        + BALL
        + "[[joint]]\nname = \"rail\"\nkind = \"prismatic\"\nbetween = [\"ground\", \"ball:pole\"]\n\
           axis = [0.0, 0.0, 1.0]\nspring = { stiffness = 30.0 }\n";
    let probes = "[[probe]]\njoint = \"rail\"\n[[probe]]\ncontact = \"1\"\nevery = 0.0333\n\
        [[probe]]\non = \"ball:pole\"\nevery = 0.00133\n[[probe]]\non = \"ball\"\nevery = 0.0021\n";
    let with = format!("{text}{probes}");
    let scenario = parse(&with, &["simulation.checkpoint_every=500"]);
    let [whole, parts] = [Chain::new(), Chain::new()];
    let bodies = whole.prepare(&scenario).unwrap();
    let outcome = whole.run(&scenario, &bodies, RunOptions::default()).unwrap();
    parts.run_until(&scenario, &bodies, RunOptions::default(), &Impatient::after(1234)).unwrap_err();
    let stopped = parts.reader().probe_courses().unwrap();
    let resumed = parts.run(&scenario, &bodies, RESUME).unwrap();
    let [whole, parts] = [whole, parts].map(|chain| chain.reader().probe_courses().unwrap());
    assert!(stopped[0].times.len() > 1000 && stopped[0].times.len() < whole[0].times.len());
    assert_eq!(whole, parts);
    assert_eq!(outcome.bodies, resumed.bodies);
    assert_eq!(solve(&text).unwrap().bodies, outcome.bodies);
    // A prolonged run has each sample once.
    let chain = Chain::new();
    for (end, options) in [(0.15, RunOptions::default()), (0.3, RESUME)] {
        let end = format!("simulation.end_time={end}");
        chain.run(&parse(&with, &[&end]), &bodies, options).unwrap();
    }
    assert_eq!(chain.reader().probe_courses().unwrap(), whole);
}

#[test]
fn probes_that_do_not_fit_are_refused_by_name() {
    let with = |probe: &str| scheme(0.01, 1e-4, -G) + BALL + probe;
    let often = with("[[probe]]\non = \"ball\"\n[[probe]]\non = \"ball:pole\"\nevery = 5e-5\n");
    let known = "no marker or interface set `tip`; it has pole";
    is_refused(&often, "probe.1.every", &["0.00005 s, is shorter than the steps of 0.0001 s", "leave out"]);
    is_refused(&with("[[probe]]\non = \"ball:tip\"\n"), "probe.0.on", &[known]);
}
