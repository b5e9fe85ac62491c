//! Joints, springs and forces in the scheme `rigid`, from scenario to result.

use carom_simulate::RunOutcome;
use nalgebra::Vector3;

use crate::explicit_joints::{double_pendulum, run, run_in_frames_of_steps};
use crate::fixtures::{Chain, RESUME, is_refused, parse};

pub(crate) fn books_close(outcome: &RunOutcome) {
    books_close_to(outcome, 1e-11);
}

/// * `limit` — of the error of the energy
fn books_close_to(outcome: &RunOutcome, limit: f64) {
    let ledger = &outcome.summary.ledger;
    let [energy, momentum, ang_momentum] = ledger.errors().map(|error| error.unwrap_or(0.0));
    assert!(energy < limit && momentum < 1e-12 && ang_momentum < 1e-12, "{ledger:?}");
}

pub(crate) fn orders(errors: &[f64]) {
    println!("{errors:?}");
    for pair in errors.windows(2) {
        let order = (pair[0] / pair[1]).log2();
        assert!((1.7..2.3).contains(&order), "{order} {errors:?}");
    }
}

const RIGID: &str = "scheme = \"rigid\"\ntime_step = DT";

/// The scheme `quasistatic` at a tight tolerance is the truth; forces of joints agree with its forces.
#[test]
fn a_double_pendulum_moves_as_in_the_scheme_of_reduced_bodies() {
    let (truth, forces) = run(&double_pendulum("relative_tolerance = 1.0e-10\nintegrator = \"dop853\""));
    let errors = [2e-3, 1e-3, 5e-4].map(|dt| {
        let (outcome, own) = run_in_frames_of_steps(&double_pendulum(RIGID), dt);
        books_close(&outcome);
        for (own, force) in own.iter().zip(&forces) {
            let [own, force] = [own, force].map(|state| Vector3::from(state.force));
            assert!((own - force).norm() < 100.0 * dt * force.norm(), "{dt}: {own} {force}");
        }
        let of = |body: usize| {
            let [a, b] = [&outcome, &truth].map(|run| Vector3::from(run.bodies[body].position));
            (a - b).norm()
        };
        of(0).max(of(1))
    });
    orders(&errors);
}

/// Two free rods that turn, on a spring with a damper between their ends, which are off their centres: the
/// momenta are exact, and the scheme `quasistatic` at a tight tolerance has the places, to second order.
#[test]
fn free_rods_on_a_spring_between_their_ends_keep_their_momenta() {
    let rods = |scheme: &str| {
        let rod = |name: &str, place: &str, turning: &str| {
            format!(
                "[[body]]\nname = \"{name}\"\nmaterial = \"steel\"\nrigid = true\nposition = {place}\n\
                 make = {{ shape = \"rod\", radius = 0.01, length = 0.3 }}\nangular_velocity = {turning}\n\
                 [[body.marker]]\nname = \"tip\"\nat = [0.3, 0.0, 0.01]\n"
            )
        };
        format!(
            "[simulation]\nend_time = 0.05\noutput_every = 0.05\n{scheme}\n{}{}[[spring]]\n\
             between = [\"one:tip\", \"other:tip\"]\nstiffness = 3000.0\ndamping = 5.0\nfree = 0.1\n\
             preload = 2.0\n",
            rod("one", "[0.0, 0.0, 0.0]", "[0.0, 3.0, 1.0]"),
            rod("other", "[0.1, 0.2, 0.05]", "[2.0, 0.0, -4.0]")
        )
    };
    let (truth, forces) = run(&rods("relative_tolerance = 1.0e-10\nintegrator = \"dop853\""));
    let errors = [5e-4, 2.5e-4, 1.25e-4].map(|dt| {
        let (outcome, own) = run_in_frames_of_steps(&rods(RIGID), dt);
        books_close(&outcome);
        let of = |body: usize| {
            let [a, b] = [&outcome, &truth].map(|run| Vector3::from(run.bodies[body].position));
            (a - b).norm()
        };
        let [own, force] = [own[0], forces[0]].map(|state| Vector3::from(state.force));
        [of(0).max(of(1)), (own - force).norm() / force.norm()]
    });
    orders(&errors.map(|[place, _]| place));
    // The force of a frame of each step is that in the middle of the step before: first order, over the
    // second order of the places.
    let [_, coarse, fine] = errors.map(|[_, force]| force);
    assert!((0.9..1.2).contains(&(coarse / fine).log2()) && fine < 0.01, "{errors:?}");
}

const STIFFNESS: f64 = 400.0;
const DAMPING: f64 = 3.0;
const PULL: f64 = 5.0;

/// A cube that hangs beside a spring with a damper at the ground and is pulled by a growing force.
fn cube_on_spring(scheme: &str) -> String {
    format!(
        "[simulation]\nend_time = 0.5\noutput_every = 0.05\n{scheme}\n[[body]]\nname = \"cube\"\n\
         material = \"steel\"\nrigid = true\nmake = {{ shape = \"box\", size = [0.05, 0.05, 0.05] }}\n\
         position = [-0.025, -0.025, -0.025]\n[[body.marker]]\nname = \"middle\"\n\
         at = [0.025, 0.025, 0.025]\n\
         [[spring]]\nname = \"coil\"\nbetween = [\"ground\", \"cube:middle\"]\npoint = [-0.1, 0.0, 0.0]\n\
         stiffness = {STIFFNESS}\ndamping = {DAMPING}\nfree = 0.1\n[[force]]\non = \"cube:middle\"\n\
         force = [{PULL}, 0.0, 0.0]\nscale = \"t\"\n"
    )
}

/// m ẍ + c ẋ + k x = P t from rest: x = P/k (t − c/k + e^(−δt) (c/k cos ωt + (δ c/k − 1)/ω sin ωt)).
#[test]
fn a_damped_spring_follows_a_growing_force() {
    let mass = 7800.0 * 0.05_f64.powi(3);
    let (k, c, t) = (STIFFNESS, DAMPING, 0.5_f64);
    let decay = 0.5 * c / mass;
    let omega = (k / mass - decay * decay).sqrt();
    let swing = c / k * (omega * t).cos() + (decay * c / k - 1.0) / omega * (omega * t).sin();
    let expected = PULL / k * (t - c / k + (-decay * t).exp() * swing);
    let errors = [2e-3, 1e-3, 5e-4].map(|dt| {
        let (outcome, states) = run_in_frames_of_steps(&cube_on_spring(RIGID), dt);
        books_close(&outcome);
        let [x, y, z] = outcome.bodies[0].position;
        assert!(y.abs() + z.abs() < 1e-15, "{y} {z}");
        // The pull at the end: k x + c v, as a force on the cube towards the ground.
        let velocity = outcome.bodies[0].velocity[0];
        let pull = k * x + c * velocity;
        assert!((states[0].force[0] + pull).abs() < 20.0 * dt * pull, "{states:?} {pull}");
        (x - expected).abs()
    });
    orders(&errors);
    // Other schemes have the same.
    let (other, _) = run(&cube_on_spring("relative_tolerance = 1.0e-9"));
    assert!((other.bodies[0].position[0] / expected - 1.0).abs() < 1e-6, "{:?}", other.bodies[0]);
}

/// A rod on a hinge strikes a resting ball with its end.
fn hammer(more: &str) -> String {
    format!(
        "[simulation]\nscheme = \"rigid\"\nend_time = 0.02\noutput_every = 2.0e-3\n\
         time_step = 1.0e-5\n{more}\n\
         [[body]]\nname = \"hammer\"\nmaterial = \"steel\"\n\
         make = {{ shape = \"rod\", radius = 0.01, length = 0.4 }}\n\
         velocity = [0.0, 0.0, -1.0]\nangular_velocity = [0.0, 5.0, 0.0]\n\
         [[body.shape]]\nname = \"head\"\nkind = \"points\"\npoints = [[0.4, 0.0, 0.0]]\n\
         [[body]]\nname = \"ball\"\nmaterial = \"steel\"\nmake = {{ shape = \"ball\", radius = 0.03 }}\n\
         position = [0.4, 0.0, -0.04]\n[[body.shape]]\nname = \"skin\"\nkind = \"ball\"\nradius = 0.03\n\
         [[joint]]\nkind = \"revolute\"\nbetween = [\"ground\", \"hammer:start\"]\naxis = [0.0, 1.0, 0.0]\n\
         [[contact]]\nbetween = [\"hammer:head\", \"ball:skin\"]\nrestitution = 0.6\n"
    )
}

/// With I the inertia of the rod about its hinge, J ℓ = I (ω − ω′) and J = m v, v − ω′ℓ = e ω ℓ. The rod
/// turns by 0.025 before it strikes; J is vertical there but for this angle squared.
#[test]
fn a_hammer_on_a_hinge_strikes_by_its_law_of_restitution() {
    let (outcome, _) = run(&hammer(""));
    books_close(&outcome);
    let rod = 7800.0 * std::f64::consts::PI * 1e-4 * 0.4;
    let ball = 7800.0 * 4.0 / 3.0 * std::f64::consts::PI * 0.03_f64.powi(3);
    let (length, omega, e) = (0.4, 5.0, 0.6);
    let inertia = rod * (length * length / 3.0 + 1e-4 / 4.0);
    let impulse = (1.0 + e) * omega * length / (length * length / inertia + 1.0 / ball);
    let [hammer, struck] = [0, 1].map(|body| &outcome.bodies[body]);
    assert!((struck.velocity[2] / (-impulse / ball) - 1.0).abs() < 1e-3, "{struck:?} {}", impulse / ball);
    let after = omega - impulse * length / inertia;
    assert!((hammer.angular_velocity[1] - after).abs() < 1e-3 * omega, "{hammer:?} {after}");
    let event = &outcome.summary.contacts[0];
    assert!((Vector3::from(event.impulse).norm() / impulse - 1.0).abs() < 1e-3, "{event:?}");
    // The hinge keeps its end.
    let at = Vector3::from(hammer.position).norm();
    assert!((at - 0.2).abs() < 1e-12, "{at}");
}

#[test]
fn a_run_with_joints_and_springs_is_resumed_with_the_same_bits() {
    let spring = "[[spring]]\nbetween = [\"ground\", \"hammer:end\"]\npoint = [0.4, 0.0, 0.1]\n\
        stiffness = 2000.0\ndamping = 1.0\n";
    let whole = hammer("") + spring;
    let part = whole.replacen("end_time = 0.02", "end_time = 0.006", 1);
    let (straight, _) = run(&whole);
    let chain = Chain::new();
    chain.solve(&parse(&part, &[])).unwrap();
    let resumed = chain.solve_with(&parse(&whole, &[]), RESUME).unwrap();
    assert_eq!(resumed.bodies, straight.bodies);
    let errors = |outcome: &RunOutcome| outcome.summary.ledger.errors();
    assert_eq!(errors(&resumed), errors(&straight));
}

#[test]
fn joints_and_springs_that_the_scheme_does_not_take_are_refused_by_name() {
    let text = hammer("");
    let screw = text.replacen("kind = \"revolute\"\n", "kind = \"screw\"\npitch = 0.01\n", 1);
    let pendulum = double_pendulum("scheme = \"rigid\"\ntime_step = 1.0e-3");
    let open = pendulum.replace("position = [0.4, 0.0, 0.0]", "position = [0.41, 0.0, 0.0]");
    let place = text.replacen("hammer:start", "hammer:nowhere", 1);
    let stiff = cube_on_spring("scheme = \"rigid\"\ntime_step = 0.1");
    let bushing =
        format!("{text}[[bushing]]\nbetween = [\"ground\", \"hammer:start\"]\nstiffness = [1.0, 1.0, 1.0]\n");
    for (text, key, words) in [
        (screw, "joint.0.kind", ["the scheme `rigid` has no `screw`", "screw ground hammer:start"]),
        (open, "joint.1", ["open at the start", "spherical"]),
        (place, "joint.0.between", ["hammer", "nowhere"]),
        (stiff, "spring.0", ["spring `coil`", "shorten `simulation.time_step`"]),
        (bushing, "bushing.0", ["takes no [[bushing]]", "rigid"]),
    ] {
        is_refused(&text, key, &words);
    }
}

/// ω dt = 1: the energy of leapfrog steps swings by up to (ω dt)²/4.
#[test]
fn steps_that_miss_energy_are_reported() {
    let pushed = |time_step: &str| {
        let text = cube_on_spring(&format!("scheme = \"rigid\"\ntime_step = {time_step}"));
        run(&text.replacen("position =", "velocity = [1.0, 0.0, 0.0]\nposition =", 1)).0
    };
    let coarse = pushed("0.05");
    books_close(&coarse);
    assert!(coarse.warnings.iter().any(|w| w.contains("miss up to")), "{:?}", coarse.warnings);
    let fine = pushed("1.0e-3");
    assert!(!fine.warnings.iter().any(|w| w.contains("miss up to")), "{:?}", fine.warnings);
}

/// The scheme `quasistatic`: rigid bodies on a hinge meet by the half-spaces of their materials. At the
/// distance ℓ from the hinge they have the mass I/ℓ², and Hertz' theory has F = (5/4)^(3/5) m^(3/5) v^(6/5)
/// K^(2/5).
#[test]
fn a_rigid_hammer_of_two_bodies_strikes_an_anvil_as_hertz_has_it() {
    let text = "[simulation]\nend_time = 7.0e-3\noutput_every = 1.0e-3\n[[body]]\nname = \"arm\"\n\
        material = \"steel\"\nrigid = true\nmake = { shape = \"rod\", radius = 0.005, length = 0.3 }\n\
        velocity = [0.0, 0.0, -0.75]\nangular_velocity = [0.0, 5.0, 0.0]\n[[body]]\nname = \"head\"\n\
        material = \"steel\"\nrigid = true\nmake = { shape = \"ball\", radius = 0.02, elements = [4] }\n\
        position = [0.3, 0.0, 0.0]\nvelocity = [0.0, 0.0, -1.5]\nangular_velocity = [0.0, 5.0, 0.0]\n\
        [[body.marker]]\nname = \"middle\"\nat = [0.0, 0.0, 0.0]\n[[body]]\nname = \"anvil\"\n\
        material = \"steel\"\nrigid = true\nfixed = true\nposition = [0.25, -0.05, -0.08]\n\
        make = { shape = \"box\", size = [0.1, 0.1, 0.05], elements = [4, 4, 2] }\n\
        [[joint]]\nkind = \"revolute\"\nbetween = [\"ground\", \"arm:start\"]\naxis = [0.0, 1.0, 0.0]\n\
        [[joint]]\nkind = \"fixed\"\nbetween = [\"arm:end\", \"head:middle\"]\naxis = [0.0, 1.0, 0.0]\n\
        [[contact]]\nbetween = [\"head\", \"anvil\"]\n";
    let (outcome, _) = run(text);
    let (rod, ball) = (
        7800.0 * std::f64::consts::PI * 0.005_f64.powi(2) * 0.3,
        7800.0 * 4.0 / 3.0 * std::f64::consts::PI * 8e-6,
    );
    let inertia = rod * (0.09 / 3.0 + 0.25 * 0.005_f64.powi(2)) + ball * (0.09 + 0.4 * 4e-4);
    // It meets the anvil after an angle of 0.01/0.3, and touches it by 0.3 cos of it.
    let mass = inertia / (0.3 * (0.01_f64 / 0.3).cos()).powi(2);
    let (modulus, speed) = (210e9 / 0.91 / 2.0, 1.5 * (0.01_f64 / 0.3).cos());
    let stiffness = 4.0 / 3.0 * modulus * 0.02_f64.sqrt();
    let force = (1.25 * mass * speed * speed).powf(0.6) * stiffness.powf(0.4);
    let event = &outcome.summary.contacts[0];
    assert!((event.peak_force / force - 1.0).abs() < 0.005, "{} N, Hertz {force} N", event.peak_force);
    assert!((event.impulse_size() / (2.0 * mass * speed) - 1.0).abs() < 1e-3, "{event:?}");
}

/// Rigid cubes with a stiffness ε per area between flat faces of area A: a spring of k = ε A. They touch for
/// π √(m/k) with the peak v √(k m), m the reduced mass of both sides, to which bodies in joints add theirs.
#[test]
fn rigid_masses_touch_by_a_given_stiffness_as_on_a_linear_spring() {
    let body = |name: &str, size: f64, x: f64, more: &str| {
        format!(
            "[[body]]\nname = \"{name}\"\nmaterial = \"steel\"\nrigid = true\n{more}\n\
             make = {{ shape = \"box\", size = [{size:?}, {size:?}, {size:?}], elements = [2, 2, 2] }}\n\
             position = [{x:?}, {:?}, {:?}]\n",
            -0.5 * size,
            -0.5 * size
        )
    };
    let moving = "velocity = [1.0, 0.0, 0.0]";
    let joint = |kind: &str, ends: &str| {
        format!("[[joint]]\nkind = \"{kind}\"\nbetween = [{ends}]\naxis = [1.0, 0.0, 0.0]\n")
    };
    let (stiffness, density) = (4.0e9, 7800.0);
    let contact = format!(
        "[[contact]]\nbetween = [\"cube:east\", \"block:west\"]\n\
         law = {{ kind = \"penalty\", stiffness = {stiffness:?} }}\n"
    );
    let [cube, block, tail] = [0.05_f64, 0.1, 0.04].map(|size| density * size.powi(3));
    let free = [body("cube", 0.05, 0.0, moving), body("block", 0.1, 0.0501, "")].concat();
    let joined = [
        body("cube", 0.05, 0.0, moving),
        body("tail", 0.04, -0.04, moving),
        body("block", 0.1, 0.0501, "fixed = true"),
        joint("prismatic", "\"ground\", \"cube:west\""),
        joint("fixed", "\"cube:west\", \"tail:east\""),
    ]
    .concat();
    for scheme in ["quasistatic", "dynamic"] {
        for (bodies, mass) in [(&free, cube * block / (cube + block)), (&joined, cube + tail)] {
            let text = format!(
                "[simulation]\nscheme = \"{scheme}\"\nend_time = 2.0e-3\noutput_every = 1.0e-3\n\
                 relative_tolerance = 1.0e-9\n{bodies}{contact}"
            );
            let (outcome, _) = run(&text);
            books_close_to(&outcome, 1e-8);
            let event = &outcome.summary.contacts[0];
            let spring = stiffness * 0.05 * 0.05;
            let (lasts, force) = (std::f64::consts::PI * (mass / spring).sqrt(), (spring * mass).sqrt());
            let duration = event.end - event.start;
            assert!((duration / lasts - 1.0).abs() < 1e-5, "{scheme}: {duration} {lasts}");
            assert!((event.peak_force / force - 1.0).abs() < 1e-4, "{scheme}: {} {force}", event.peak_force);
            assert!((event.impulse_size() / (2.0 * mass) - 1.0).abs() < 1e-6, "{scheme}: {event:?}");
        }
    }
}

/// Cubes and blocks as above, named as whole bodies, beside two balls on half-space grids: the spring has the
/// duration π √(m/k), the balls that of Hertz, 2.943 d/v with d = (15 m v²/(16 E* √R))^(2/5).
#[test]
fn whole_bodies_touch_by_a_given_stiffness_beside_others_on_half_spaces() {
    let ball = |name: &str, x: f64, speed: f64| {
        format!(
            "[[body]]\nname = \"{name}\"\nmaterial = \"steel\"\nrigid = true\n\
             make = {{ shape = \"ball\", radius = 0.01 }}\nposition = [{x:?}, 0.5, 0.0]\n\
             velocity = [{speed:?}, 0.0, 0.0]\n"
        )
    };
    let cube = |name: &str, size: f64, x: f64, speed: f64| {
        format!(
            "[[body]]\nname = \"{name}\"\nmaterial = \"steel\"\nrigid = true\n\
             make = {{ shape = \"box\", size = [{size:?}, {size:?}, {size:?}], elements = [2, 2, 2] }}\n\
             position = [{x:?}, {:?}, {:?}]\nvelocity = [{speed:?}, 0.0, 0.0]\n",
            -0.5 * size,
            -0.5 * size
        )
    };
    let grid = |ends: [&str; 2]| format!("[[contact]]\nbetween = {ends:?}\n");
    let spring = |ends: [&str; 2]| {
        format!(
            "[[contact]]\nbetween = {ends:?}\ncompliance = \"body\"\n\
             law = {{ kind = \"penalty\", stiffness = 4.0e9 }}\n"
        )
    };
    let bodies = [
        ball("a", 0.0, 0.5),
        ball("b", 0.02001, -0.5),
        cube("cube", 0.05, 0.0, 1.0),
        cube("block", 0.1, 0.0501, 0.0),
        ball("c", 0.0405, -0.5),
    ]
    .concat();
    let contacts = [grid(["a", "b"]), spring(["cube", "block"]), grid(["b", "c"])].concat();
    let text = format!(
        "[simulation]\nscheme = \"quasistatic\"\nend_time = 1.3e-3\noutput_every = 1.0e-3\n\
         relative_tolerance = 1.0e-7\n{bodies}{contacts}"
    );
    let (outcome, _) = run(&text);
    books_close_to(&outcome, 1e-6);
    let of = |pair: usize| outcome.summary.contacts.iter().find(|event| event.pair == pair).unwrap();
    let duration = |pair: usize| of(pair).end - of(pair).start;
    let [cube, block] = [0.05_f64, 0.1].map(|size| 7800.0 * size.powi(3));
    let (mass, stiffness) = (cube * block / (cube + block), 4.0e9 * 0.05 * 0.05);
    let lasts = std::f64::consts::PI * (mass / stiffness).sqrt();
    assert!((duration(1) / lasts - 1.0).abs() < 1e-4, "{} {lasts}", duration(1));
    let ball = 7800.0 * 4.0 / 3.0 * std::f64::consts::PI * 1e-6;
    let modulus = 210e9 / 0.91 / 2.0;
    let deepest = (15.0 * 0.5 * ball / (16.0 * modulus * 0.005_f64.sqrt())).powf(0.4);
    let hertz = 2.943 * deepest;
    assert!((duration(0) / hertz - 1.0).abs() < 0.01, "{} {hertz}", duration(0));
    // The first ball goes back, the second one meets the third.
    assert!(outcome.summary.contacts.iter().any(|event| event.pair == 2));
    let soft = text.replacen(
        "name = \"cube\"\nmaterial = \"steel\"\nrigid = true",
        "name = \"cube\"\nmaterial = \"steel\"",
        1,
    );
    is_refused(&soft, "contact.1.between", &["`cube` is not rigid", "`reduce.interface`"]);
    let hard = text.replacen("law = { kind = \"penalty\", stiffness = 4.0e9 }\n", "", 1);
    let error = parse_error(&hard);
    assert!(error.contains("whole rigid bodies touch by a given stiffness with `law"), "{error}");
}

/// The message of a scenario that cannot be read.
fn parse_error(text: &str) -> String {
    let path = std::path::Path::new("scenario.toml");
    carom_format::Scenario::parse(path, text, &[], &["steel"]).unwrap_err().to_string()
}

/// Newton's cradle on hinges (meshes/cradle/hinged.toml): each ball takes the speed that the first one has at
/// the bottom, 2 sin(θ/2) √(g ℓ/(ℓ² + ⅖ R²)) ℓ but for the gaps of 0.2 mm, through and back.
#[test]
fn balls_on_hinges_hand_their_speed_on() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../meshes/cradle/hinged.toml");
    let (outcome, _) = run(&std::fs::read_to_string(path).unwrap());
    books_close(&outcome);
    let (length, radius): (f64, f64) = (0.3, 0.05);
    let turns = (9.81 * length / (length * length + 0.4 * radius * radius)).sqrt();
    let speed = 2.0 * 10.0_f64.to_radians().sin() * turns * length;
    let events = &outcome.summary.contacts;
    let order: Vec<usize> = events.iter().map(|event| event.pair).collect();
    // The pairs 1-2, 2-3, 3-4, 4-5 of ten: numbers 0, 4, 7, 9.
    assert_eq!(order, [0, 4, 7, 9, 9, 7, 4, 0, 0, 4, 7, 9]);
    for event in events {
        assert!((event.velocity_before / -speed - 1.0).abs() < 3e-4, "{event:?} {speed}");
        assert!((event.restitution().unwrap() - 1.0).abs() < 1e-9, "{event:?}");
    }
}
