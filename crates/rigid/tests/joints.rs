//! Joints: closed at every step, momenta to round-off, energy and motion of second order.

use carom_dynamics::{JointKind, Placement};
use carom_rigid::{Ball, JointEnd, JointSpec, Law, PairSpec, RigidBody, Shape, System};
use carom_testing::heap;
use nalgebra::{Matrix3, Vector3};

fn ground(point: Vector3<f64>) -> JointEnd {
    JointEnd { body: None, point, triad: Matrix3::identity() }
}

fn on(body: usize, point: Vector3<f64>) -> JointEnd {
    JointEnd { body: Some(body), point, triad: Matrix3::identity() }
}

fn joint(name: &str, kind: JointKind, ends: [JointEnd; 2]) -> JointSpec {
    JointSpec { name: name.to_owned(), kind, ends, actions: Vec::new() }
}

/// A rod along x with its middle in the origin of its source coordinates.
fn rod(name: &str, mass: f64, length: f64) -> RigidBody {
    let (thin, long) = (1e-3 * mass * length * length, mass * length * length / 12.0);
    let inertia = Matrix3::from_diagonal(&Vector3::new(thin, long, long));
    RigidBody::new(name, mass, inertia, Vector3::zeros()).unwrap()
}

/// K(k) by the arithmetic-geometric mean.
fn elliptic_k(k: f64) -> f64 {
    let (mut a, mut b) = (1.0, (1.0 - k * k).sqrt());
    while (a - b).abs() > 1e-16 {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    std::f64::consts::FRAC_PI_2 / a
}

/// A rod that hangs on the ground, turned about y by an angle from rest.
fn pendulum(kind: JointKind, angle: f64, dt: f64) -> System {
    let length = 0.8;
    let start = Placement::rotated([0.0, 1.0, 0.0], (std::f64::consts::FRAC_PI_2 - angle).to_degrees());
    // The rod along x is turned into the direction (sin angle, 0, −cos angle).
    let along = Vector3::new(angle.sin(), 0.0, -angle.cos());
    let start = Placement { origin: (0.5 * length * along).into(), ..start };
    let gravity = Vector3::new(0.0, 0.0, -9.81);
    let mut system = System::new(vec![rod("rod", 2.0, length)], &[start], &[], gravity, dt).unwrap();
    let mut end = on(0, Vector3::new(-0.5 * length, 0.0, 0.0));
    // Revolute about y: z of the triad.
    let triad = Matrix3::from_columns(&[Vector3::z(), Vector3::x(), Vector3::y()]);
    let turn = carom_dynamics::rotation::matrix(&start.quaternion);
    end.triad = turn.transpose() * triad;
    let hinge = JointEnd { triad, ..ground(Vector3::zeros()) };
    system.join(&[joint("hinge", kind, [hinge, end])]).unwrap();
    system
}

/// The quarter of the period of a physical pendulum is K(sin(α/2)) √(J/(m g a)); the time at which the rod
/// is vertical has an error of second order.
#[test]
fn the_period_of_a_physical_pendulum_has_the_second_order() {
    let (angle, mass, length) = (2.0_f64, 2.0_f64, 0.8_f64);
    let j = mass * length * length / 3.0;
    let exact = elliptic_k((0.5 * angle).sin()) * (j / (mass * 9.81 * 0.5 * length)).sqrt();
    for kind in [JointKind::Revolute, JointKind::Spherical] {
        let errors = [4e-3, 2e-3, 1e-3].map(|dt| {
            let mut system = pendulum(kind, angle, dt);
            let start = system.energy();
            let (mut before, mut time) = (system.states()[0].position.x, 0.0);
            loop {
                system.step().unwrap();
                let x = system.states()[0].position.x;
                if x <= 0.0 {
                    time += dt * before / (before - x);
                    break;
                }
                (before, time) = (x, time + dt);
            }
            assert!(system.joint_error() < 1e-14, "{}", system.joint_error());
            // Work of the joint is booked.
            assert!((system.energy() - start).abs() < 1e-12, "{}", system.energy() - start);
            time / exact - 1.0
        });
        // The last interpolation is linear: its error is of second order too.
        println!("{kind:?}: {errors:?}");
        for pair in errors.windows(2) {
            let order = (pair[0] / pair[1]).abs().log2();
            assert!((1.8..2.2).contains(&order), "{kind:?}: {errors:?}");
        }
        assert!(errors[2].abs() < 1e-5, "{errors:?}");
    }
}

/// The work of the joint is an error of second order, and does not grow with time.
#[test]
fn the_energy_of_a_pendulum_is_bounded_with_the_second_order() {
    let swings = [4e-3, 2e-3].map(|dt| {
        let mut system = pendulum(JointKind::Spherical, 2.0, dt);
        let mut largest = [0.0_f64; 2];
        let n = (40.0 / dt) as usize;
        for k in 0..n {
            system.step().unwrap();
            let of = &mut largest[usize::from(2 * k > n)];
            *of = of.max(system.books.joint_work.abs());
        }
        largest
    });
    println!("{swings:?}");
    let [coarse, fine] = swings;
    let order = (coarse[1] / fine[1]).log2();
    assert!((1.8..2.2).contains(&order), "{order} {swings:?}");
    assert!(coarse[1] < 1.05 * coarse[0] && fine[1] < 1.05 * fine[0], "{swings:?}");
}

/// Three free bodies in a chain of a spherical joint, a revolute joint and a distance, without gravity.
#[test]
fn joints_keep_momentum_and_angular_momentum_to_round_off() {
    let bodies = ["a", "b", "c"].map(|name| rod(name, 1.5, 1.0)).to_vec();
    let (half, beside) = (Vector3::new(0.5, 0.0, 0.0), Vector3::new(0.0, 0.5, 0.0));
    let at = |x: f64| Placement { origin: [x, 0.3, -0.2], ..Placement::default() };
    // All turn about z through the middle: the velocities fit the joints.
    let starts = [at(-1.0), at(0.0), at(1.0)].map(|start| Placement {
        velocity: [0.4, 0.7 + 2.0 * start.origin[0], 0.1],
        angular_velocity: [0.0, 0.0, 2.0],
        ..start
    });
    let mut system = System::new(bodies, &starts, &[], Vector3::zeros(), 1e-2).unwrap();
    let joints = [
        joint("ball", JointKind::Spherical, [on(0, half), on(1, -half)]),
        joint("hinge", JointKind::Revolute, [on(1, half), on(2, -half)]),
        // Beside the chain: along it the distance would repeat the other joints.
        joint("rope", JointKind::Distance { length: 2.0 }, [on(0, beside), on(2, beside)]),
    ];
    system.join(&joints).unwrap();
    let (p, l) = (system.momentum(), system.ang_momentum());
    for _ in 0..2000 {
        system.step().unwrap();
        assert!(system.joint_error() < 1e-13, "{}", system.joint_error());
    }
    assert!((system.momentum() - p).norm() < 1e-13 * p.norm(), "{}", system.momentum() - p);
    assert!((system.ang_momentum() - l).norm() < 1e-12 * l.norm(), "{}", system.ang_momentum() - l);
}

/// A symmetric top on its point in steady precession: A Ω² cos θ − C ω₃ Ω + m g a = 0.
#[test]
fn a_top_precesses_steadily() {
    let (mass, arm, theta) = (0.5, 0.1, 0.4_f64);
    let (axial, transverse) = (1e-3, 8e-4);
    let inertia = Matrix3::from_diagonal(&Vector3::new(transverse, transverse, axial));
    let about_point = transverse + mass * arm * arm;
    let (spin, g) = (300.0, 9.81);
    // Ω from the quadratic equation with the angular momentum C ω₃ about the axis.
    let (a, b, c) = (about_point * theta.cos(), axial * spin, mass * g * arm);
    let precession = 2.0 * c / (b + (b * b - 4.0 * a * c).sqrt());
    let axis = Vector3::new(theta.sin(), 0.0, theta.cos());
    // ω = Ω e_z + (ω₃ − Ω cos θ) axis.
    let omega = precession * Vector3::z() + (spin - precession * theta.cos()) * axis;
    let errors = [4e-4, 2e-4].map(|dt| {
        let body = RigidBody::new("top", mass, inertia, Vector3::zeros()).unwrap();
        let center = arm * axis;
        let start = Placement {
            origin: center.into(),
            velocity: omega.cross(&center).into(),
            angular_velocity: omega.into(),
            ..Placement::rotated([0.0, 1.0, 0.0], theta.to_degrees())
        };
        let gravity = Vector3::new(0.0, 0.0, -g);
        let mut system = System::new(vec![body], &[start], &[], gravity, dt).unwrap();
        let point = on(0, Vector3::new(0.0, 0.0, -arm));
        system.join(&[joint("point", JointKind::Spherical, [ground(Vector3::zeros()), point])]).unwrap();
        let steps = (0.5 / dt).round() as usize;
        let mut nutation = 0.0_f64;
        for _ in 0..steps {
            system.step().unwrap();
            nutation = nutation.max((system.states()[0].position.z / arm).acos() - theta);
        }
        let x = system.states()[0].position;
        let turned = x.y.atan2(x.x);
        let wanted = precession * 0.5;
        let wrapped = (turned - wanted).rem_euclid(std::f64::consts::TAU);
        let off = wrapped.min(std::f64::consts::TAU - wrapped);
        (off, nutation)
    });
    println!("{precession} {errors:?}");
    assert!(errors[1].0 < 2e-3 && errors[1].1.abs() < 1e-3, "{errors:?}");
    let order = (errors[0].0 / errors[1].0).log2();
    assert!((1.8..2.2).contains(&order), "{order} {errors:?}");
}

#[test]
fn joints_that_do_not_fit_are_refused_by_name() {
    let refused = |change: &dyn Fn(&mut Placement, &mut JointSpec)| {
        let mut start = Placement { origin: [0.5, 0.0, 0.0], ..Placement::default() };
        let end = on(0, Vector3::new(-0.5, 0.0, 0.0));
        let mut spec = joint("pin", JointKind::Spherical, [ground(Vector3::zeros()), end]);
        change(&mut start, &mut spec);
        let mut system =
            System::new(vec![rod("rod", 1.0, 1.0)], &[start], &[], Vector3::zeros(), 1e-3).unwrap();
        system.join(&[spec]).unwrap_err().to_string()
    };
    let apart = refused(&|start, _| start.origin[1] = 0.01);
    assert!(apart.contains("`pin` is open at the start") && apart.contains("1.000e-2 m"), "{apart}");
    let moving = refused(&|start, _| start.velocity[2] = 0.5);
    assert!(
        moving.contains("velocities at the start break it") && moving.contains("5.000e-1 m/s"),
        "{moving}"
    );
    let same = refused(&|_, spec| spec.ends[0] = spec.ends[1]);
    assert!(same.contains("it needs two of the 1 rigid bodies"), "{same}");
    let length = refused(&|_, spec| spec.kind = JointKind::Distance { length: 0.0 });
    assert!(length.contains("its length is 0 m"), "{length}");
}

/// The velocity of the joint is then that of the centre of mass, which is round-off here.
#[test]
fn a_body_that_turns_about_its_centre_fits_a_joint_there() {
    let start = Placement {
        velocity: [1e-17, 0.0, -2e-18],
        angular_velocity: [0.0, 0.0, 10.0],
        ..Placement::default()
    };
    let ends = [ground(Vector3::zeros()), on(0, Vector3::zeros())];
    let spec = joint("pin", JointKind::Revolute, ends);
    let mut system = System::new(vec![rod("rod", 1.0, 1.0)], &[start], &[], Vector3::zeros(), 1e-3).unwrap();
    system.join(&[spec]).unwrap();
}

/// A ball hits a rod that is hinged on the ground: with restitution e and the moments J₀ and m l² about the
/// hinge, (1 + e) u l m/(J₀ + m l²) is the rate of the rod. Joint and contact act at the same time.
#[test]
fn a_ball_that_hits_a_hinged_rod_has_the_velocities_of_the_closed_form() {
    let (mass, length, small, speed, lever) = (3.0, 1.0, 0.5, 2.0, 0.9);
    let about_hinge = mass * length * length / 3.0;
    for (restitution, friction) in [(1.0, 0.0), (0.5, 0.0), (1.0, 0.3)] {
        let errors = [4e-4, 2e-4, 1e-4, 1e-6].map(|dt| {
            let ball = RigidBody::new("ball", small, 1e-4 * Matrix3::identity(), Vector3::zeros()).unwrap();
            let starts = [
                Placement {
                    origin: [lever, 0.01, 0.0],
                    velocity: [0.0, -speed, 0.0],
                    ..Placement::default()
                },
                Placement { origin: [0.5 * length, 0.0, 0.0], ..Placement::default() },
            ];
            let pair = PairSpec {
                bodies: [0, 1],
                points: vec![Ball::point(Vector3::zeros())],
                moving: None,
                edges: Default::default(),
                shape: Shape::plane(Vector3::zeros(), Vector3::y()).unwrap(),
                law: Law::Hard,
                restitution,
                friction,
            };
            let bodies = vec![ball, rod("rod", mass, length)];
            let mut system = System::new(bodies, &starts, &[pair], Vector3::zeros(), dt).unwrap();
            let pivot = on(1, Vector3::new(-0.5 * length, 0.0, 0.0));
            system.join(&[joint("pivot", JointKind::Revolute, [ground(Vector3::zeros()), pivot])]).unwrap();
            let (l, energy) = (system.ang_momentum(), system.energy());
            while system.time() < 0.012 {
                system.step().unwrap();
                assert!(system.joint_error() < 1e-15);
            }
            assert!(system.n_impulses() == 1, "{}", system.n_impulses());
            // The hinge has no moment about itself.
            assert!((system.ang_momentum() - l).norm() < 1e-14 * l.norm());
            assert!((system.energy() - energy).abs() < 1e-14 * energy);
            let rate = system.bodies[1].angular_velocity(&system.states()[1]).z;
            let exact = -(1.0 + restitution) * speed * lever * small / (about_hinge + small * lever * lever);
            rate / exact - 1.0
        });
        println!("{restitution} {friction}: {errors:?}");
        // The curvature of the path of the rod begins within the step of the impact: first order.
        let order = (errors[0] / errors[2]).abs().log2() / 2.0;
        assert!((0.8..2.2).contains(&order), "{order} {errors:?}");
        assert!(errors[2].abs() < 1e-6 && errors[3].abs() < 1e-8, "{errors:?}");
    }
}

/// A block hangs on a long chain of hinges and is hit from below: contact and joints in one problem, whose
/// mobility decides whether Newton's method converges.
#[test]
fn a_chain_that_is_hit_keeps_its_joints_and_its_books() {
    let n = 5;
    let mut bodies: Vec<RigidBody> = (0..n).map(|k| rod(&format!("link {k}"), 0.2, 0.3)).collect();
    bodies.push(RigidBody::new("ball", 0.4, 1e-4 * Matrix3::identity(), Vector3::zeros()).unwrap());
    let mut starts: Vec<Placement> = (0..n)
        .map(|k| Placement { origin: [0.15 + 0.3 * k as f64, 0.0, 0.0], ..Placement::default() })
        .collect();
    starts.push(Placement {
        origin: [0.3 * n as f64 - 0.02, 0.02, -0.05],
        velocity: [0.3, 0.0, 3.0],
        ..Placement::default()
    });
    let pair = PairSpec {
        bodies: [n, n - 1],
        points: vec![Ball::new(Vector3::zeros(), 0.01)],
        moving: None,
        edges: Default::default(),
        shape: Shape::plane(Vector3::zeros(), -Vector3::z()).unwrap(),
        law: Law::Hard,
        restitution: 0.7,
        friction: 0.2,
    };
    let mut system = System::new(bodies, &starts, &[pair], Vector3::zeros(), 2e-4).unwrap();
    let half = Vector3::new(0.15, 0.0, 0.0);
    let mut joints = vec![joint("top", JointKind::Spherical, [ground(Vector3::zeros()), on(0, -half)])];
    joints.extend((1..n).map(|k| joint("link", JointKind::Spherical, [on(k - 1, half), on(k, -half)])));
    system.join(&joints).unwrap();
    let (l, energy) = (system.ang_momentum(), system.energy());
    let mut worst = 0.0_f64;
    for _ in 0..500 {
        system.step().unwrap();
        worst = worst.max(system.joint_error());
    }
    // Joints allocate nothing, in flight and in contact.
    let (_, taken) = heap::allocations_during(|| (0..4500).for_each(|_| system.step().unwrap()));
    assert_eq!(taken, 0);
    worst = worst.max(system.joint_error());
    assert!(system.n_impulses() > 0);
    assert!(worst < 1e-14, "{worst}");
    assert!((system.ang_momentum() - l).norm() < 1e-12 * l.norm(), "{}", system.ang_momentum() - l);
    assert!((system.energy() - energy).abs() < 1e-12 * energy, "{}", system.energy() - energy);
    assert!(system.books.joint_work.abs() < 1e-3 * energy, "{}", system.books.joint_work);
    assert!(system.books.d_imp > 0.0 && system.books.d_fric >= 0.0, "{:?}", system.books);
}

/// A plane linkage of four hinges has 20 equations for 18 coordinates and moves in one way: three equations
/// repeat others. They are those of the hinge that closes it.
#[test]
fn equations_that_repeat_others_are_those_of_the_joint_that_closes_a_linkage() {
    let length = 0.5;
    let upright = Placement::rotated([0.0, 0.0, 1.0], 90.0);
    let place = |x: f64, y: f64, turned: Placement| Placement { origin: [x, y, 0.0], ..turned };
    let places = [
        place(0.0, 0.25, upright),
        place(0.25, 0.5, Placement::rotated([0.0, 0.0, 1.0], 0.0)),
        place(0.5, 0.25, upright),
    ];
    let bodies = ["crank", "coupler", "rocker"].map(|name| rod(name, 1.0, length)).to_vec();
    let mut system = System::new(bodies, &places, &[], Vector3::zeros(), 1e-3).unwrap();
    let [start, end] = [-0.5, 0.5].map(|side| Vector3::new(side * length, 0.0, 0.0));
    let hinge = |name: &str, ends: [JointEnd; 2]| joint(name, JointKind::Revolute, ends);
    let joints = [
        hinge("first", [ground(Vector3::zeros()), on(0, start)]),
        hinge("second", [on(0, end), on(1, start)]),
        hinge("third", [on(1, end), on(2, end)]),
        hinge("fourth", [ground(Vector3::new(0.5, 0.0, 0.0)), on(2, start)]),
    ];
    system.join(&joints[..3]).unwrap();
    assert_eq!(system.repeated_equations(), []);
    system.join(&joints).unwrap();
    assert_eq!(system.repeated_equations(), [("fourth", 3)]);
}
