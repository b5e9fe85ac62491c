//! Motions, springs and stops of joints in the scheme `rigid`, from scenario to result.

use std::f64::consts::{FRAC_PI_2, PI};

use carom_dynamics::{BodyState, JointAction, JointState, LedgerRow};
use carom_simulate::RunOutcome;
use nalgebra::Vector3;

use crate::fixtures::{Chain, RESUME, is_refused, parse};
use crate::rigid_joints::{books_close, orders};

const DENSITY: f64 = 7800.0;

/// A run with the joints of its last frame, and a column of the ledger there.
pub(crate) struct Ran {
    pub(crate) outcome: RunOutcome,
    pub(crate) joints: Vec<JointState>,
    ledger: [f64; LedgerRow::N_COLUMNS],
}

impl Ran {
    pub(crate) fn of(text: &str) -> Self {
        let chain = Chain::new();
        let outcome = chain.solve(&parse(text, &[])).unwrap_or_else(|error| panic!("{error}"));
        books_close(&outcome);
        Self::read(outcome, &chain)
    }

    fn read(outcome: RunOutcome, chain: &Chain) -> Self {
        let reader = chain.reader();
        let n = reader.header().unwrap().joints.len();
        let last = |joint| *reader.joint_course(joint).unwrap().last().unwrap();
        let ledger = *reader.ledger().unwrap().last().unwrap();
        Self { outcome, joints: (0..n).map(last).collect(), ledger }
    }

    pub(crate) fn column(&self, name: &str) -> f64 {
        self.ledger[LedgerRow::COLUMNS.iter().position(|&column| column == name).unwrap()]
    }

    /// The action of the first joint along its only coordinate.
    pub(crate) fn action(&self) -> JointAction {
        self.joints[0].actions.into_iter().flatten().next().unwrap()
    }
}

pub(crate) fn scheme(end_time: f64, time_step: f64, gravity: f64) -> String {
    framed(end_time, [time_step, end_time], gravity)
}

/// The same with a time between frames.
pub(crate) fn framed(end_time: f64, [time_step, output_every]: [f64; 2], gravity: f64) -> String {
    format!(
        "[simulation]\nscheme = \"rigid\"\ntime_step = {time_step:?}\nend_time = {end_time:?}\n\
         output_every = {output_every:?}\ngravity = [0.0, 0.0, {gravity:?}]\n"
    )
}

/// A rod along x from its hinge in the origin, about y.
pub(crate) fn hinged(more: &str, action: &str) -> String {
    format!(
        "[[body]]\nname = \"rod\"\nmaterial = \"steel\"\nrigid = true\n\
         make = {{ shape = \"rod\", radius = 0.01, length = 0.4 }}\n{more}\n\
         [[joint]]\nname = \"hinge\"\nkind = \"revolute\"\nbetween = [\"ground\", \"rod:start\"]\n\
         axis = [0.0, 1.0, 0.0]\n{action}\n"
    )
}

/// Mass of the rod, and its moment of inertia about the hinge.
fn rod() -> (f64, f64) {
    let mass = DENSITY * PI * 1e-4 * 0.4;
    (mass, mass * (0.4 * 0.4 / 3.0 + 0.25 * 1e-4))
}

/// A cube on a slide along x.
pub(crate) fn sliding(velocity: f64, action: &str) -> String {
    format!(
        "[[body]]\nname = \"cube\"\nmaterial = \"steel\"\nrigid = true\n\
         make = {{ shape = \"box\", size = [0.05, 0.05, 0.05] }}\nvelocity = [{velocity:?}, 0.0, 0.0]\n\
         [[joint]]\nname = \"slide\"\nkind = \"prismatic\"\nbetween = [\"ground\", \"cube:west\"]\n\
         axis = [1.0, 0.0, 0.0]\n{action}\n"
    )
}

pub(crate) fn cube_mass() -> f64 {
    DENSITY * 0.05_f64.powi(3)
}

/// A crank that a motor turns at a speed that swings, a connecting rod and a ram; all joints are in space, so
/// that four equations repeat others.
pub(crate) fn press(simulation: &str) -> String {
    let hinge = |name: &str, ends: &str, more: &str| {
        format!(
            "[[joint]]\nname = \"{name}\"\nkind = \"revolute\"\nbetween = [{ends}]\n\
             axis = [0.0, 1.0, 0.0]\n{more}\n"
        )
    };
    [
        format!(
            "[simulation]\nend_time = 0.15\noutput_every = 0.15\ngravity = [0.0, 0.0, -9.81]\n\
             {simulation}\n"
        ),
        "[[body]]\nname = \"crank\"\nmaterial = \"steel\"\nrigid = true\n\
         make = { shape = \"rod\", radius = 0.01, length = 0.05 }\n\
         rotation = { axis = [0.0, 1.0, 0.0], degrees = -90.0 }\n"
            .to_owned(),
        "[[body]]\nname = \"rod\"\nmaterial = \"steel\"\nrigid = true\nposition = [0.0, 0.0, 0.05]\n\
         make = { shape = \"rod\", radius = 0.006, length = 0.2 }\n\
         rotation = { axis = [0.0, 1.0, 0.0], degrees = 14.477512185929925 }\n"
            .to_owned(),
        "[[body]]\nname = \"ram\"\nmaterial = \"steel\"\nrigid = true\n\
         make = { shape = \"plate\", size = [0.04, 0.04, 0.04] }\n\
         position = [0.19364916731037085, 0.0, 0.0]\n\
         [[body.marker]]\nname = \"pin\"\nat = [0.0, 0.0, 0.0]\n"
            .to_owned(),
        hinge("bearing", "\"ground\", \"crank:start\"", "motion = \"40*t + 0.3*sin(50*t)\""),
        hinge("crank pin", "\"crank:end\", \"rod:start\"", ""),
        hinge("ram pin", "\"rod:end\", \"ram:pin\"", ""),
        "[[joint]]\nkind = \"prismatic\"\nbetween = [\"ground\", \"ram:pin\"]\naxis = [1.0, 0.0, 0.0]\n"
            .to_owned(),
    ]
    .concat()
}

/// The scheme `quasistatic` at a tight tolerance is the truth. The bodies start at rest in the scenario, and
/// get the velocities of the motion.
#[test]
fn a_motor_turns_a_slider_crank_as_in_the_scheme_of_reduced_bodies() {
    let text = press("relative_tolerance = 1.0e-10\nintegrator = \"dop853\"");
    let chain = Chain::new();
    let truth = Ran::read(chain.solve(&parse(&text, &[])).unwrap(), &chain);
    let errors = [5e-4, 2.5e-4, 1.25e-4].map(|dt| {
        let text = press(&format!("scheme = \"rigid\"\ntime_step = {dt:?}"));
        let ran = Ran::of(&text.replace("output_every = 0.15", &format!("output_every = {dt:?}")));
        let apart = |of: fn(&BodyState) -> [f64; 3]| {
            let bodies = ran.outcome.bodies.iter().zip(&truth.outcome.bodies);
            let apart = bodies.map(|(a, b)| (Vector3::from(of(a)) - Vector3::from(of(b))).norm());
            apart.fold(0.0, f64::max)
        };
        // The motor decides all places.
        assert!(apart(|body| body.position) < 1e-12, "{dt}: {}", apart(|body| body.position));
        let velocity = apart(|body| body.velocity);
        let (own, wanted) = (ran.action(), truth.action());
        // The crank has turned by 6.28 rad, which are counted.
        assert!((own.value - (6.0 + 0.3 * 7.5_f64.sin())).abs() < 1e-12, "{dt}: {own:?}");
        let work = ran.column("W_ext") - truth.column("W_ext");
        [velocity, work.abs(), (own.drive.unwrap() - wanted.drive.unwrap()).abs()]
    });
    orders(&errors.map(|[velocity, _, _]| velocity));
    orders(&errors.map(|[_, work, _]| work));
    // The torque of a frame is that of the step before.
    let [_, coarse, fine] = errors.map(|[_, _, torque]| torque);
    let torque = truth.action().drive.unwrap();
    assert!(fine < 0.02 * torque.abs() && fine < 0.7 * coarse, "{errors:?} {torque}");
}

/// θ = ω₀/ω e^(−δt) sin ωt: a rod on a torsion spring with a damper, pushed so that it turns about its hinge
/// more than once.
#[test]
fn a_torsional_pendulum_swings_by_its_closed_form() {
    let (_, inertia) = rod();
    let (k, c, speed, end) = (0.5, 5e-3, 30.0, 0.75);
    let action = format!("spring = {{ stiffness = {k:?}, damping = {c:?} }}");
    let start =
        format!("velocity = [0.0, 0.0, {:?}]\nangular_velocity = [0.0, {speed:?}, 0.0]", -0.2 * speed);
    let decay = 0.5 * c / inertia;
    let omega = (k / inertia - decay * decay).sqrt();
    let theta = |t: f64| speed / omega * (-decay * t).exp() * (omega * t).sin();
    assert!(theta(0.5 * PI / omega) > 1.1 * 2.0 * PI && theta(end) > 2.0 * PI, "{}", theta(end));
    let errors = [2e-3, 1e-3, 5e-4].map(|dt| {
        let text = framed(end, [dt; 2], 0.0) + &hinged(&start, &action);
        let action = Ran::of(&text).action();
        assert!(
            (action.spring.unwrap() + k * action.value + c * action.rate).abs() < 60.0 * dt,
            "{action:?}"
        );
        (action.value - theta(end)).abs()
    });
    orders(&errors);
}

/// K(k) by the arithmetic-geometric mean.
fn elliptic_k(k: f64) -> f64 {
    let (a, _) = (0..8).fold((1.0, (1.0 - k * k).sqrt()), |(a, b), _| (0.5 * (a + b), (a * b).sqrt()));
    FRAC_PI_2 / a
}

/// A rod falls from the horizontal onto a stop at the vertical, with restitution e, and rises to 1 − cos α =
/// e² after a quarter of the period K(sin α/2) √(J/(m g a)) of each swing.
#[test]
fn a_pendulum_bounces_on_a_hard_stop_by_its_restitution() {
    let ((mass, inertia), g, e) = (rod(), 9.81, 0.6_f64);
    let period = (inertia / (mass * g * 0.2)).sqrt();
    let top = (1.0 - e * e).acos();
    let end = period * (elliptic_k((0.25 * PI).sin()) + elliptic_k((0.5 * top).sin()));
    let action = format!("stops = {{ high = {FRAC_PI_2:?}, restitution = {e:?} }}");
    for dt in [1e-3, 1e-4] {
        let ran = Ran::of(&(scheme(end, dt, -g) + &hinged("", &action)));
        let action = ran.action();
        assert!((action.value - (FRAC_PI_2 - top)).abs() < 5.0 * dt, "{dt}: {action:?} {top}");
        // A step of the impact adds up to the acceleration of a step.
        assert!(action.rate.abs() < dt / (period * period), "{dt}: {action:?}");
        let lost = ran.column("D_imp");
        assert!((lost / (mass * g * 0.2 * (1.0 - e * e)) - 1.0).abs() < 2.0 * dt, "{dt}: {lost}");
    }
}

/// A rod that has fallen on a stop at 45° below the horizontal lies on it: the stop carries its weight.
#[test]
fn a_rod_comes_to_rest_on_a_hard_stop() {
    let ((mass, _), limit) = (rod(), 0.25 * PI);
    let action = format!("stops = {{ high = {limit:?}, restitution = 0.3 }}");
    // After impacts, forces of single steps alternate about their mean, which frames have.
    let ran = Ran::of(&(framed(1.0, [1e-3, 0.1], -9.81) + &hinged("", &action)));
    let action = ran.action();
    assert!((action.value - limit).abs() < 1e-9 && action.rate.abs() < 1e-9, "{action:?}");
    let weight = mass * 9.81 * 0.2 * limit.cos();
    assert!((action.stop.unwrap() / -weight - 1.0).abs() < 1e-6, "{action:?} {weight}");
}

/// The force of a joint in a frame times the time since the frame before is the impulse on its body, through
/// impacts on a stop: with that of gravity the change of the momentum.
#[test]
fn forces_of_joints_in_frames_are_the_change_of_momentum_between_them() {
    let ((mass, _), every, g) = (rod(), 0.037, Vector3::new(0.0, 0.0, -9.81));
    let action = "stops = { high = 0.8, restitution = 0.7 }";
    let chain = Chain::new();
    chain.solve(&parse(&(framed(0.74, [1e-3, every], g.z) + &hinged("", action)), &[])).unwrap();
    let reader = chain.reader();
    let joint = reader.joint_course(0).unwrap();
    assert_eq!(joint.len(), 21);
    let velocity = |n: usize| Vector3::from(reader.frame(n).unwrap().bodies[0].velocity);
    let mut largest = 0.0_f64;
    for n in 1..joint.len() {
        let force = Vector3::from(joint[n].force);
        let missing = mass * (velocity(n) - velocity(n - 1)) - every * (force + mass * g);
        assert!(missing.norm() < 1e-12, "frame {n}: {missing}");
        largest = largest.max(force.norm());
    }
    assert!(largest > 3.0 * mass * 9.81, "no impact: {largest}");
}

/// A mass m with speed v on a stop of stiffness k: it passes the stop by v √(m/k) sin √(k/m) t, and leaves it
/// after π √(m/k) with its speed. The energy is exact for any step.
#[test]
fn a_slider_on_an_elastic_stop_moves_by_its_closed_form() {
    let (mass, speed, k, limit) = (cube_mass(), 2.0, 1e6, 0.01);
    let text = |end: f64, dt: f64, damping: f64| {
        let stops = format!("stops = {{ high = {limit:?}, stiffness = {k:?}, damping = {damping:?} }}");
        scheme(end, dt, 0.0) + &sliding(speed, &stops)
    };
    let omega = (k / mass).sqrt();
    let (meets, depth) = (limit / speed, speed / omega);
    let quarter = 0.5 * PI / omega;
    let errors = [1.0 / 100.0, 1.0 / 200.0, 1.0 / 400.0].map(|part| {
        // The steps meet the beginning of the contact.
        let dt = meets * part;
        let end = ((meets + 0.7 * quarter) / dt).round() * dt;
        let ran = Ran::of(&text(end, dt, 0.0));
        let passed = depth * (omega * (end - meets)).sin();
        let action = ran.action();
        assert!((ran.column("E_pot") / (0.5 * k * passed * passed) - 1.0).abs() < 0.02, "{action:?}");
        (action.value - limit - passed).abs()
    });
    orders(&errors);
    let left = Ran::of(&text(2.0 * meets + 2.0 * quarter, 1e-5, 0.0));
    assert!((left.outcome.bodies[0].velocity[0] + speed).abs() < 1e-12, "{:?}", left.outcome.bodies[0]);
    assert!(left.column("D_num").abs() < 1e-13 && left.column("E_pot") == 0.0);
    // With a damper, the scheme `quasistatic` is the truth.
    let damped = [2e-5, 1e-5].map(|dt| {
        let text = text(2.0 * meets + 2.0 * quarter, dt, 0.3);
        let ran = Ran::of(&text);
        let other = text.replacen("scheme = \"rigid\"", "relative_tolerance = 1.0e-10", 1);
        let chain = Chain::new();
        let other = other.replacen(&format!("time_step = {dt:?}\n"), "", 1);
        let truth = Ran::read(chain.solve(&parse(&other, &[])).unwrap(), &chain);
        let lost = ran.column("D_mat");
        assert!(lost > 0.1 && (lost / truth.column("D_mat") - 1.0).abs() < 20.0 * dt, "{lost}");
        (ran.outcome.bodies[0].velocity[0] - truth.outcome.bodies[0].velocity[0]).abs()
    });
    assert!(damped[1] < 1e-4 * speed, "{damped:?}");
}

/// A ball meets a rod that lies on a hard stop: the ball leaves with the restitution of its contact as from a
/// wall, and the stop holds the rod. Off the stop the rod gives way.
#[test]
fn a_stop_holds_a_rod_that_is_struck() {
    let ball = "[[body]]\nname = \"ball\"\nmaterial = \"steel\"\n\
        make = { shape = \"ball\", radius = 0.03 }\nposition = [0.3, 0.0, 0.05]\n\
        velocity = [0.0, 0.0, -2.0]\n[[body.shape]]\nname = \"skin\"\nkind = \"points\"\n\
        points = [[0.0, 0.0, 0.0]]\nradius = 0.03\n[[contact]]\n\
        between = [\"ball:skin\", \"rod:top\"]\nrestitution = 0.5\nfriction = 0.2\n";
    let top = "[[body.shape]]\nname = \"top\"\nkind = \"plane\"\npoint = [0.0, 0.0, 0.01]\n\
        normal = [0.0, 0.0, 1.0]";
    for law in ["", ", restitution = 0.0", ", restitution = 0.4"] {
        let held = format!("stops = {{ high = 0.0{law} }}");
        let ran = Ran::of(&(scheme(0.01, 1e-4, 0.0) + &hinged(top, &held) + ball));
        let [rod, ball] = [0, 1].map(|body| &ran.outcome.bodies[body]);
        assert!((ball.velocity[2] - 1.0).abs() < 1e-9, "{law}: {ball:?}");
        assert!(Vector3::from(rod.angular_velocity).norm() < 1e-9, "{law}: {rod:?}");
    }
    let free = Ran::of(&(scheme(0.01, 1e-4, 0.0) + &hinged(top, "stops = { high = 0.5 }") + ball));
    assert!(free.outcome.bodies[0].angular_velocity[1] > 1.0, "{:?}", free.outcome.bodies[0]);
}

/// A hammer that a motor turns at a constant speed has no other speed after it has struck: the ball gets (1 +
/// e) ω ℓ, and the motor does the work m (1 + e) (ω ℓ)².
#[test]
fn a_driven_hammer_strikes_with_the_work_of_its_motor() {
    let (speed, e) = (5.0, 0.6);
    let head = "[[body.shape]]\nname = \"head\"\nkind = \"points\"\npoints = [[0.4, 0.0, 0.0]]";
    let text = scheme(0.02, 1e-5, 0.0)
        + &hinged(head, &format!("motion = \"{speed:?} * t\""))
        + &format!(
            "[[body]]\nname = \"ball\"\nmaterial = \"steel\"\nmake = {{ shape = \"ball\", radius = 0.03 }}\n\
             position = [0.4, 0.0, -0.04]\n[[body.shape]]\nname = \"skin\"\nkind = \"ball\"\n\
             radius = 0.03\n[[contact]]\nbetween = [\"hammer:head\", \"ball:skin\"]\nrestitution = {e:?}\n"
        )
        .replace("hammer", "rod");
    let ran = Ran::of(&text);
    let mass = DENSITY * 4.0 / 3.0 * PI * 0.03_f64.powi(3);
    let [hammer, ball] = [0, 1].map(|body| &ran.outcome.bodies[body]);
    assert!((hammer.angular_velocity[1] / speed - 1.0).abs() < 1e-12, "{hammer:?}");
    let expected = (1.0 + e) * speed * 0.4;
    assert!((ball.velocity[2] / -expected - 1.0).abs() < 1e-3, "{ball:?} {expected}");
    let work = mass * (1.0 + e) * (speed * 0.4).powi(2);
    assert!((ran.column("W_ext") / work - 1.0).abs() < 2e-3, "{} {work}", ran.column("W_ext"));
}

/// Two bodies with a motor, a spring, a hard and an elastic stop between them and the ground.
fn all_actions() -> String {
    let action = "spring = { stiffness = 2.0, damping = 0.01, preload = 0.3 }\n\
        stops = { low = -0.1, high = 0.3, restitution = 0.5 }";
    let second = sliding(0.0, "motion = \"0.01*sin(300*t)\"");
    let third = sliding(1.0, "stops = { low = -0.01, high = 0.01, stiffness = 1e5, damping = 0.1 }");
    let third = third.replace("cube", "block").replace("slide", "rail").replacen(
        "velocity",
        "position = [1.0, 0.0, 0.0]\nvelocity",
        1,
    );
    scheme(0.1, 1e-4, -9.81) + &hinged("", action) + &second + &third
}

#[test]
fn a_run_with_actions_is_resumed_with_the_same_bits() {
    let whole = all_actions().replace("output_every = 0.1", "output_every = 0.01");
    let part = whole.replacen("end_time = 0.1", "end_time = 0.03", 1);
    let straight = Ran::of(&whole);
    let chain = Chain::new();
    chain.solve(&parse(&part, &[])).unwrap();
    let resumed = Ran::read(chain.solve_with(&parse(&whole, &[]), RESUME).unwrap(), &chain);
    assert_eq!(resumed.outcome.bodies, straight.outcome.bodies);
    assert_eq!((resumed.joints, resumed.ledger), (straight.joints, straight.ledger));
    // The frame at which the first run ended, too.
    let other = Chain::new();
    other.solve(&parse(&whole, &[])).unwrap();
    for joint in 0..3 {
        let [a, b] = [&chain, &other].map(|chain| chain.reader().joint_course(joint).unwrap());
        assert_eq!(a, b, "joint {joint}");
    }
}

/// The closing motion at the start moves bodies, and is reported.
#[test]
fn motions_that_begin_elsewhere_move_the_bodies() {
    let text = scheme(0.01, 1e-4, 0.0) + &sliding(0.0, "motion = \"0.02 + 0.5*t\"");
    let ran = Ran::of(&text);
    let [x, ..] = ran.outcome.bodies[0].position;
    assert!((x - 0.025 - 0.02 - 0.005).abs() < 1e-12, "{x}");
    let words = "its motion begins 2.000e-2 m away from the placed bodies";
    assert!(ran.outcome.warnings.iter().any(|warning| warning.contains(words)), "{:?}", ran.outcome.warnings);
}

#[test]
fn actions_that_the_scheme_does_not_take_are_refused_by_name() {
    let with = |action: &str| scheme(0.01, 1e-4, 0.0) + &sliding(0.0, action);
    let damped = with("stops = { high = 0.1, damping = 0.2 }");
    let beyond = with("stops = { high = -0.01, restitution = 0.5 }");
    let both = with("stops = { high = 0.1, restitution = 0.5, stiffness = 1.0 }");
    let held = with("motion = \"0.01*t\"")
        + "[[joint]]\nname = \"weld\"\nkind = \"fixed\"\nbetween = [\"ground\", \"cube:east\"]\n";
    let stiff = with("spring = { stiffness = 1e12 }");
    let other = with("stops = { high = 0.1, restitution = 0.5 }").replacen(
        "scheme = \"rigid\"\ntime_step = 0.0001",
        "scheme = \"quasistatic\"",
        1,
    );
    for (text, key, words) in [
        (damped, "joint.0.stops", ["joint `slide`", "`damping` belongs to a stiffness"]),
        (beyond, "joint.0", ["starts at 0", "beyond its stop at -1.0"]),
        (held, "joint.0.motion", ["joint `slide`", "hold the coordinate of its motion"]),
        (stiff, "joint.0", ["spring `slide`", "shorten `simulation.time_step`"]),
        (other, "joint.0.stops.restitution", ["scheme `quasistatic`", "choose the scheme `rigid`"]),
    ] {
        is_refused(&text, key, &words);
    }
    let error = crate::fixtures::read(&both, &[]).unwrap_err();
    assert!(error.contains("`restitution` belongs to hard stops"), "{error}");
}
