//! Rigid and deformable bodies in one run.

use std::sync::Arc;

use carom_contact::{Edge, Law, Shape};
use carom_continuum::explicit::{BodyKind, BodySpec, Problem, RigidContactSpec, SideSpec, Simulation};
use carom_dynamics::{ContactEvent, Ignore, Placement};
use carom_progress::Silent;
use carom_rigid::{Ball, PairSpec, Plane, RigidBody, System};
use nalgebra::{Matrix3, Vector3};

use crate::setup::{at, block, deformable, pair, residuals, rigid, run, settings};

/// A rigid block hits a deformable brick off its centre: both bodies use the same time levels.
#[test]
fn an_off_centre_impact_conserves_the_angular_momentum() {
    let steel = [7800.0, 2e9, 0.3];
    let hammer = block("hammer", [0.03, 0.02, 0.05], [2, 2, 2], steel);
    let brick = block("brick", [0.1, 0.06, 0.04], [6, 4, 3], [1000.0, 1e7, 0.3]);
    let placement = Placement {
        origin: [0.065, 0.035, 0.0405],
        velocity: [0.7, -0.2, -5.0],
        angular_velocity: [20.0, 10.0, -30.0],
        ..Placement::default()
    };
    let problem = Problem {
        bodies: vec![rigid(hammer, placement), deformable(brick, "neo-hookean", at([0.0; 3], [0.0; 3]))],
        contacts: vec![pair(0, [0, 1], ["bottom", "top"], Law::Hard, 0.0)],
        ..Problem::default()
    };
    let (simulation, kept) = run(&problem, settings(4e-3, None));
    let row = &kept.rows[0].balance;
    let [energy, momentum, ang_momentum] = residuals(&kept);
    assert!(simulation.contact_counts().multipliers > 50, "{:?}", simulation.contact_counts());
    assert!(energy < 1e-12 * row.e_kin, "{energy} {}", row.e_kin);
    assert!(momentum < 1e-13 * row.momentum_scale, "{momentum}");
    assert!(ang_momentum < 1e-13 * row.ang_momentum_scale, "{ang_momentum} {}", row.ang_momentum_scale);
    let last = &kept.rows.last().unwrap().balance;
    assert!(last.d_imp >= -1e-3 * row.e_kin && last.d_imp < 0.1 * row.e_kin, "{}", last.d_imp / row.e_kin);
    // The brick moves and spins.
    assert!(kept.velocities.last().unwrap()[1][2] < -0.5);
}

/// Points of a rigid body that touch a shape of another.
fn points_on(bodies: [usize; 2], points: Vec<Ball>, shape: Shape) -> PairSpec {
    PairSpec {
        bodies,
        points,
        moving: None,
        edges: Default::default(),
        shape,
        law: Law::Hard,
        restitution: 1.0,
        friction: 0.0,
    }
}

/// A contact of which one body has the points.
fn one_way(number: usize, pair: PairSpec) -> RigidContactSpec {
    RigidContactSpec { number, bodies: pair.bodies, pairs: vec![pair] }
}

/// Zywicz & Puso (1999), second example: two rigid bars meet node on node, eight contacts of which four are
/// redundant. Their velocities swap in one step.
#[test]
fn two_rigid_bars_swap_their_velocities_in_one_step() {
    rigid_bars([[1, 1], [1, 1]], 1e-14);
    // The mesh of the cross sections does not matter; 24 rows have more round-off than 8.
    rigid_bars([[1, 1], [3, 2]], 5e-14);
    rigid_bars([[2, 3], [3, 2]], 5e-14);
}

/// * `sections` — cells of the cross section of each bar
/// * `limit` — error of a velocity \[m/s\]
fn rigid_bars(sections: [[usize; 2]; 2], limit: f64) {
    let bar = |name: &str, [n, m]: [usize; 2]| block(name, [50.0, 1.0, 1.0], [50, n, m], [0.01, 100.0, 0.0]);
    let corners = |x: f64, [n, m]: [usize; 2]| -> Vec<Ball> {
        let places = (0..=n).flat_map(|i| (0..=m).map(move |j| [i as f64 / n as f64, j as f64 / m as f64]));
        places.map(|[y, z]| Ball::point(Vector3::new(x, y, z))).collect()
    };
    let end = |set: &str, section: [usize; 2]| {
        let body = bar("bar", section);
        let discretisation = carom_fem::Discretisation::new(&body).unwrap();
        let surface = body.surface_of_set(&discretisation, set).unwrap();
        let places = surface.points.iter().map(|&k| Vector3::from(discretisation.points[k as usize]));
        let places: Vec<_> = places.collect();
        Shape::faces(surface, &places).unwrap()
    };
    let problem = Problem {
        bodies: vec![
            rigid(bar("left", sections[0]), at([-50.01, 0.0, 0.0], [1.0, 0.0, 0.0])),
            rigid(bar("right", sections[1]), at([0.0; 3], [0.0; 3])),
        ],
        rigid_contacts: vec![RigidContactSpec {
            number: 0,
            bodies: [0, 1],
            pairs: vec![
                points_on([0, 1], corners(50.0, sections[0]), end("west", sections[1])),
                points_on([1, 0], corners(0.0, sections[1]), end("east", sections[0])),
            ],
        }],
        ..Problem::default()
    };
    let settings =
        carom_continuum::explicit::Settings { output_every: 0.009, ..settings(0.045, Some(0.009)) };
    let (simulation, kept) = run(&problem, settings);
    // Velocities of a frame are means of both sides: the impulse is in one of them.
    let mut last = [1.0, 0.0];
    let mut swaps = 0;
    for bodies in &kept.velocities {
        let now = [bodies[0][0], bodies[1][0]];
        let half = (now[0] - 0.5).abs() < limit && (now[1] - 0.5).abs() < limit;
        swaps += usize::from(half);
        assert!(half || (now[0] - last[0]).abs() < limit || (now[0]).abs() < limit, "{now:?}");
        last = if half { [0.0, 1.0] } else { last };
    }
    let [left, right] = [0, 1].map(|body| kept.velocities.last().unwrap()[body][0]);
    assert!(swaps == 1 && left.abs() < limit && (right - 1.0).abs() < limit, "{swaps} {left} {right}");
    let [energy, momentum, _] = residuals(&kept);
    assert!(energy < 1e-15 && momentum < 1e-15, "{energy} {momentum}");
    // Two bars of 0.5 kg: the nodes of both are one impact, with the impulse of the first body.
    let [event] = simulation.events() else { panic!("{:?}", simulation.events()) };
    let [x, y, z] = event.impulse;
    assert!((x + 0.5).abs() < limit && y.abs() < limit && z.abs() < limit, "{event:?}");
    assert!(event.impulsive && (event.restitution().unwrap() - 1.0).abs() < 4.0 * limit, "{event:?}");
    // Frames are at steps: that of the impact has its force.
    let forces: Vec<f64> = kept.forces.iter().map(|forces| forces[0][0]).filter(|&fx| fx != 0.0).collect();
    assert!(forces.len() == 1 && (0.009 * forces[0] + 0.5).abs() < limit, "{forces:?}");
}

/// First impacts of the rod in the cube in the limit of short steps, computed independently of this project:
/// time \[s\] and impulse \[N s\].
const ROD_IN_CUBE: [[f64; 2]; 3] =
    [[0.0109427537, 3.86687783e-4], [0.209218141, 3.76912837e-4], [0.236465870, 9.97430e-5]];

/// Zywicz & Puso (1999), fourth example: a rigid rod of six masses in a rigid cube.
fn rod_in_cube() -> Problem {
    let (masses, half) = ([0.7e-6, 1.4e-6, 1.4e-6, 1.4e-6, 1.4e-6, 0.7e-6], 0.5);
    let place = |i: usize| -half + 2.0 * half * i as f64 / 5.0;
    let mass: f64 = masses.iter().sum();
    let transverse: f64 = masses.iter().enumerate().map(|(i, m)| m * place(i) * place(i)).sum();
    let moments = Vector3::new(mass * 0.02 / 12.0, transverse, transverse);
    let rod = RigidBody::new("rod", mass, Matrix3::from_diagonal(&moments), Vector3::zeros()).unwrap();
    let cube = RigidBody::new("cube", 1.68e-3, 3.36e-3 * Matrix3::identity(), Vector3::zeros()).unwrap();
    let form = Arc::new(block("form", [1.0; 3], [1; 3], [1.0, 1.0, 0.0]));
    let spec = |body, placement| BodySpec { geometry: form.clone(), kind: BodyKind::Rigid(body), placement };
    let wall =
        |axis: usize, side: f64| Plane::new(Vector3::ith(axis, side), Vector3::ith(axis, -side)).unwrap();
    let walls = Shape::Planes((0..3).flat_map(|axis| [wall(axis, 1.0), wall(axis, -1.0)]).collect());
    let start =
        Placement { velocity: [50.0, 2.0, 0.0], angular_velocity: [0.0, 40.0, 0.0], ..Placement::default() };
    let points = (0..6).map(|i| Ball::point(Vector3::new(place(i), 0.0, 0.0))).collect();
    Problem {
        bodies: vec![spec(rod, start), spec(cube, Placement::default())],
        rigid_contacts: vec![one_way(0, points_on([0, 1], points, walls))],
        ..Problem::default()
    }
}

/// Times and impulses of the impacts of a run.
fn impacts(events: &[ContactEvent]) -> Vec<[f64; 2]> {
    events.iter().map(|event| [event.start, Vector3::from(event.impulse).norm()]).collect()
}

/// The impacts of the rod in the cube by the scheme `rigid`.
fn impacts_of_rigid(problem: &Problem, dt: f64) -> Vec<[f64; 2]> {
    let of = |spec: &BodySpec| match &spec.kind {
        BodyKind::Rigid(body) => (body.clone(), spec.placement),
        _ => panic!("the rod and the cube are rigid"),
    };
    let (bodies, placements): (Vec<_>, Vec<_>) = problem.bodies.iter().map(of).unzip();
    let pairs = &problem.rigid_contacts[0].pairs;
    let system = System::new(bodies, &placements, pairs, Vector3::zeros(), dt).unwrap();
    let settings = carom_rigid::Settings { end_time: 0.2405, output_every: 0.1 };
    let mut simulation = carom_rigid::Simulation::new(system, settings).unwrap();
    simulation.run(&mut Ignore, &Silent).unwrap();
    impacts(simulation.events())
}

/// An impact happens at a step, so that its time has an error of up to a step, which grows with each impact:
/// the errors of impulses are of first order as means over several steps. The truth is a run of the scheme
/// `rigid` with a tenth of the smallest step.
#[test]
fn impacts_of_the_rod_in_the_cube_converge_with_the_first_order_of_the_step() {
    const RUNS: u32 = 6;
    let problem = rod_in_cube();
    let exact = impacts_of_rigid(&problem, 1e-7);
    let errors = [4e-6, 2e-6, 1e-6].map(|dt| {
        let mut sums = [0.0; 2];
        for k in 0..RUNS {
            let dt = dt * (1.0 + 0.013 * f64::from(k));
            let mut simulation = Simulation::new(&problem, settings(0.2405, Some(dt))).unwrap();
            simulation.run(&mut Ignore, &Silent).unwrap();
            let found = impacts(simulation.events());
            assert!(found.len() >= 3, "{found:?}");
            for (sum, number) in sums.iter_mut().zip([1, 2]) {
                *sum += (found[number][1] / exact[number][1] - 1.0).abs() / f64::from(RUNS);
            }
        }
        sums
    });
    for number in 0..2 {
        // Over both halvings together: the errors vary with the times of the impacts within their steps.
        let order = (errors[0][number] / errors[2][number]).log2() / 2.0;
        assert!(errors[0][number] > errors[1][number] && errors[1][number] > errors[2][number], "{errors:?}");
        println!("impact {}: {:?}, order {order:.2}", number + 2, errors.map(|e| e[number]));
        assert!((0.7..1.4).contains(&order), "impact {}: {errors:?} {order}", number + 2);
    }
}

/// The scheme has the impacts of `carom-rigid`, and both have those of the exact motion.
#[test]
fn the_rod_in_the_cube_has_the_impacts_of_the_scheme_rigid() {
    let problem = rod_in_cube();
    let dt = 1e-6;
    let (simulation, kept) = run(&problem, settings(0.2405, Some(dt)));
    let (found, fine) = (impacts(simulation.events()), impacts_of_rigid(&problem, 0.1 * dt));
    assert!(found.len() >= 3 && fine.len() == found.len(), "{found:?} {fine:?}");
    // The errors of single runs are up to some times their means.
    let errors = [1e-4, 5e-3, 6e-2];
    for (((explicit, rigid), exact), error) in found.iter().zip(&fine).zip(ROD_IN_CUBE).zip(errors) {
        assert!((explicit[0] - rigid[0]).abs() < 3e-4, "{explicit:?} {rigid:?}");
        assert!((explicit[1] / rigid[1] - 1.0).abs() < error, "{explicit:?} {rigid:?}");
        // The order is one: a tenth of the step has a tenth of the error.
        assert!((rigid[0] - exact[0]).abs() < 3e-5, "{rigid:?} {exact:?}");
        assert!((rigid[1] / exact[1] - 1.0).abs() < 0.1 * error, "{rigid:?} {exact:?}");
    }
    assert!((found[0][0] - ROD_IN_CUBE[0][0]).abs() < 1.1 * dt, "{found:?}");
    let [energy, momentum, ang_momentum] = residuals(&kept);
    let row = &kept.rows[0].balance;
    assert!(energy < 1e-11 * row.e_kin && momentum < 1e-11 * row.momentum_scale, "{energy} {momentum}");
    assert!(ang_momentum < 1e-9 * row.ang_momentum_scale, "{ang_momentum}");
}

/// A deformable ball of a brick falls on a plane of a rigid body, which has no faces.
#[test]
fn a_deformable_body_lands_on_a_shape_of_a_rigid_one() {
    let brick = block("brick", [0.05, 0.04, 0.03], [3, 2, 2], [1000.0, 1e6, 0.3]);
    let floor = block("floor", [1.0, 1.0, 0.1], [1; 3], [1000.0, 1e6, 0.3]);
    let mut problem = Problem {
        bodies: vec![
            deformable(brick, "neo-hookean", at([0.3, 0.3, 0.1005], [0.2, 0.0, -1.0])),
            rigid(floor, at([0.0; 3], [0.0; 3])),
        ],
        contacts: vec![pair(0, [0, 1], ["bottom", ""], Law::Hard, 0.0)],
        ..Problem::default()
    };
    if let BodyKind::Rigid(body) = &mut problem.bodies[1].kind {
        body.fixed = true;
    }
    let top = Shape::plane(Vector3::new(0.0, 0.0, 0.1), Vector3::z()).unwrap();
    problem.contacts[0].sides[1] = SideSpec::Shape(top);
    let (_, kept) = run(&problem, settings(5e-3, None));
    let on_shape = kept.velocities.last().unwrap()[0];
    problem.contacts[0].sides[1] = SideSpec::Set("top".to_owned());
    let (_, kept) = run(&problem, settings(5e-3, None));
    let on_set = kept.velocities.last().unwrap()[0];
    assert!(on_shape[2] > 0.3, "{on_shape:?}");
    for d in 0..3 {
        assert!((on_shape[d] - on_set[d]).abs() < 1e-9, "{on_shape:?} {on_set:?}");
    }
}

/// A cube moves under the top of a block, whose sides are not part of the contact: the top does not push it.
#[test]
fn a_node_that_comes_around_the_rim_of_an_open_surface_is_not_inside() {
    let cube = block("cube", [0.01; 3], [1; 3], [1000.0, 1e6, 0.3]);
    let table = block("table", [0.2, 0.2, 0.1], [4, 4, 2], [1000.0, 1e6, 0.3]);
    let start = at([-0.015, 0.07, 0.087], [1.0, 0.0, 0.0]);
    let mut problem = Problem {
        bodies: vec![deformable(cube, "neo-hookean", start), rigid(table, at([0.0; 3], [0.0; 3]))],
        contacts: vec![pair(0, [0, 1], ["top", "top"], Law::Hard, 0.0)],
        ..Problem::default()
    };
    if let BodyKind::Rigid(body) = &mut problem.bodies[1].kind {
        body.fixed = true;
    }
    let (simulation, kept) = run(&problem, settings(0.05, None));
    let last = kept.velocities.last().unwrap()[0];
    assert!((last[0] - 1.0).abs() < 1e-12 && last[2].abs() < 1e-12, "{last:?}");
    assert_eq!(simulation.contact_counts().multipliers, 0);
}

/// A rigid block falls on another one that lies on a deformable brick: the impact and the contact forces of
/// the brick are found together, so that the lower block does not sink into the brick.
#[test]
fn an_impact_of_rigid_bodies_on_a_deformable_one_leaves_no_penetration() {
    let brick = block("brick", [0.1, 0.1, 0.05], [4, 4, 2], [1000.0, 1e6, 0.3]);
    let [lower, upper] =
        ["lower", "upper"].map(|name| block(name, [0.05, 0.05, 0.02], [2, 2, 1], [2000.0, 1e9, 0.3]));
    let top = {
        let discretisation = carom_fem::Discretisation::new(&lower).unwrap();
        let surface = lower.surface_of_set(&discretisation, "top").unwrap();
        let places = surface.points.iter().map(|&k| Vector3::from(discretisation.points[k as usize]));
        let places: Vec<_> = places.collect();
        Shape::faces(surface, &places).unwrap()
    };
    // Two feet on either side of the middle.
    let feet =
        [[0.015, 0.015], [0.035, 0.015], [0.025, 0.035]].map(|[x, y]| Ball::point(Vector3::new(x, y, 0.0)));
    let impact = PairSpec { restitution: 0.0, ..points_on([2, 1], feet.to_vec(), top) };
    let support = carom_continuum::explicit::Support {
        body: 0,
        set: "bottom".to_owned(),
        directions: [true; 3],
        displacement: [0.0; 3],
        rotations: [false; 3],
    };
    let problem = Problem {
        bodies: vec![
            deformable(brick, "neo-hookean", at([0.0; 3], [0.0; 3])),
            rigid(lower, at([0.02, 0.03, 0.05], [0.0; 3])),
            rigid(upper, at([0.02, 0.03, 0.0702], [0.0, 0.0, -0.5])),
        ],
        supports: vec![support],
        contacts: vec![pair(0, [1, 0], ["bottom", "top"], Law::Hard, 0.0)],
        rigid_contacts: vec![one_way(1, impact)],
        gravity: [0.0, 0.0, -10.0],
        ..Problem::default()
    };
    let (simulation, kept) = run(&problem, settings(0.02, None));
    let counts = simulation.contact_counts();
    assert!(counts.sweeps > 0 && counts.unsettled == 0, "{counts:?}");
    let on_brick = simulation.events().iter().filter(|event| event.pair == 0);
    let deepest = on_brick.map(|event| event.max_approach).fold(f64::NEG_INFINITY, f64::max);
    // Gaps are linear in the rotation of a step. Without further sweeps the block would sink by the way of a
    // step after the impact, 1e-4 m.
    assert!(deepest < 1e-6, "{deepest}");
    let [energy, momentum, ang_momentum] = residuals(&kept);
    assert!(energy < 1e-12 && momentum < 1e-13 && ang_momentum < 1e-13, "{energy} {momentum} {ang_momentum}");
}

/// Bodies with more than 65536 pairs of edges touch by their nodes alone: a run says so, with their names.
#[test]
fn rigid_bodies_with_too_many_edges_are_named() {
    let cube = |name: &str| block(name, [0.1, 0.1, 0.1], [1, 1, 1], [1000.0, 1e7, 0.3]);
    let warnings = |n: usize| {
        let edges = |n: usize| -> Vec<Edge> {
            Edge::of_block(Vector3::zeros(), Vector3::repeat(0.1)).iter().copied().cycle().take(n).collect()
        };
        let points = vec![Ball::point(Vector3::zeros())];
        let wall = Shape::Planes(vec![Plane { origin: Vector3::repeat(-1.0), normal: Vector3::x_axis() }]);
        let touching = PairSpec { edges: [edges(n), edges(256)], ..points_on([0, 1], points, wall) };
        let problem = Problem {
            bodies: vec![
                rigid(cube("cog"), at([0.0; 3], [0.0; 3])),
                rigid(cube("rack"), at([0.5, 0.0, 0.0], [0.0; 3])),
            ],
            rigid_contacts: vec![one_way(0, touching)],
            ..Problem::default()
        };
        run(&problem, settings(1e-3, Some(1e-4))).0.warnings().join("\n")
    };
    let found = warnings(257);
    assert!(found.contains("`cog` and `rack`") && found.contains("more than 65536"), "{found}");
    assert!(!warnings(256).contains("edges"), "{}", warnings(256));
}
