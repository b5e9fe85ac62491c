//! Contact of all surfaces with each other and with themselves.

use std::f64::consts::PI;

use carom_contact::edge_to_edge::EdgesOf;
use carom_contact::{Law, Shape};
use carom_continuum::explicit::{AutomaticSpec, BodyKind, BodySpec, Pressure, Problem, Simulation};
use carom_dynamics::{ContactEvent, Frame, Observer, ObserverError, Placement, SurfacePressures};
use carom_fem::{Body, Discretisation, Geometry};
use carom_rigid::{Ball, CrowdSpec, MemberSpec};
use nalgebra::Vector3;

use crate::setup::{at, block, deformable, pair, residuals, rigid, run, settings};

const RUBBER: [f64; 3] = [1000.0, 1e6, 0.3];

const ALL: AutomaticSpec = AutomaticSpec { number: 0, law: Law::Hard, friction: 0.0 };

/// Bricks of unlike meshes, far from their rims: the rows are those of the pair that names the surfaces.
#[test]
fn automatic_contact_gives_the_motion_of_named_surfaces() {
    let upper = block("upper", [0.06, 0.06, 0.04], [3, 3, 2], RUBBER);
    let lower = block("lower", [0.15, 0.15, 0.03], [4, 4, 2], RUBBER);
    let bodies = vec![
        deformable(upper, "neo-hookean", at([0.041, 0.047, 0.0302], [0.3, 0.1, -2.0])),
        deformable(lower, "neo-hookean", at([0.0; 3], [0.0; 3])),
    ];
    for friction in [0.0, 0.3] {
        let named = Problem {
            bodies: bodies.clone(),
            contacts: vec![pair(0, [0, 1], ["bottom", "top"], Law::Hard, friction)],
            ..Problem::default()
        };
        let automatic = Problem {
            bodies: bodies.clone(),
            automatic: vec![AutomaticSpec { friction, ..ALL }],
            ..Problem::default()
        };
        let ends = [named, automatic].map(|problem| {
            let (simulation, kept) = run(&problem, settings(0.01, None));
            assert!(simulation.contact_counts().multipliers > 30, "{:?}", simulation.contact_counts());
            kept
        });
        let [named, automatic] = ends.each_ref().map(|kept| kept.displacements.last().unwrap());
        for (a, b) in named.iter().flatten().zip(automatic.iter().flatten()) {
            assert!((a - b).abs() < 1e-9, "{a} {b}");
        }
        let [energy, momentum, ang_momentum] = residuals(&ends[1]);
        let row = &ends[1].rows[0].balance;
        assert!(energy < 1e-11 * row.e_kin && momentum < 1e-12 * row.momentum_scale, "{energy} {momentum}");
        assert!(ang_momentum < 1e-11 * row.ang_momentum_scale, "{ang_momentum}");
    }
}

/// Half the gap between the legs of the horseshoe, its thickness, and the length of its legs \[m\].
const RADIUS: f64 = 0.02;
const THICKNESS: f64 = 0.01;
const LEG: f64 = 0.1;

/// A strip that is bent to two legs along x, one on either side of y = 0; its set `bottom` is the outside.
fn horseshoe() -> Body {
    let length = 2.0 * LEG + PI * RADIUS;
    let mut body = block("horseshoe", [length, 0.02, THICKNESS], [52, 2, 2], RUBBER);
    let Geometry::Mesh(mesh) = &mut body.geometry else { unreachable!() };
    for x in &mut mesh.points {
        let [s, y, z] = *x;
        let rho = RADIUS + 0.5 * THICKNESS - z;
        let [along, across] = if s < LEG {
            [s - LEG, -rho]
        } else if s > length - LEG {
            [length - LEG - s, rho]
        } else {
            let angle = (s - LEG) / RADIUS - 0.5 * PI;
            [rho * angle.cos(), rho * angle.sin()]
        };
        *x = [along, across, -y];
    }
    body
}

/// Pressure bends both legs inwards until they meet.
#[test]
fn a_folding_body_does_not_pass_through_itself() {
    let body = horseshoe();
    let Geometry::Mesh(mesh) = &body.geometry else { unreachable!() };
    let rest: Vec<Vector3<f64>> = mesh.points.iter().map(|&x| x.into()).collect();
    let problem = Problem {
        bodies: vec![deformable(body, "neo-hookean", Placement::default())],
        pressures: vec![Pressure { body: 0, set: "bottom".to_owned(), value: 2e3 }],
        automatic: vec![ALL],
        ..Problem::default()
    };
    // The farthest that a point of the leg at y < 0 is beyond the plane of symmetry.
    let crossed = |displacement: &[f64]| {
        let legs = rest.iter().zip(displacement.as_chunks::<3>().0).filter(|(x, _)| x.x < 0.0 && x.y < 0.0);
        legs.map(|(x, u)| x.y + u[1]).fold(f64::NEG_INFINITY, f64::max)
    };
    let (simulation, kept) = run(&problem, settings(0.02, None));
    let deepest = kept.displacements.iter().map(|bodies| crossed(&bodies[0])).fold(f64::MIN, f64::max);
    assert!(simulation.contact_counts().multipliers > 100, "{:?}", simulation.contact_counts());
    // A hundredth of a cell; both legs move alike.
    assert!(deepest > -1e-4 && deepest < 5e-5, "{deepest}");
    let [energy, momentum, ang_momentum] = residuals(&kept);
    let last = kept.rows.last().unwrap().balance;
    assert!(energy < 1e-11 * last.w_ext.abs(), "{energy} {}", last.w_ext);
    assert!(momentum < 1e-12 && ang_momentum < 1e-12, "{momentum} {ang_momentum}");
    let free = Problem { automatic: Vec::new(), ..problem };
    let (_, kept) = run(&free, settings(0.02, None));
    let deepest = kept.displacements.iter().map(|bodies| crossed(&bodies[0])).fold(f64::MIN, f64::max);
    assert!(deepest > 0.005, "without contact the legs pass through each other: {deepest}");
}

/// A thin plate, thinner than the limits of the search, does not touch itself.
#[test]
fn a_body_that_moves_freely_has_no_contact_with_itself() {
    let plate = block("plate", [0.1, 0.1, 0.004], [4, 4, 1], RUBBER);
    let placement = Placement { angular_velocity: [10.0, 5.0, -20.0], ..at([0.0; 3], [1.0, 0.0, 0.0]) };
    let problem = Problem {
        bodies: vec![deformable(plate, "neo-hookean", placement)],
        automatic: vec![ALL],
        ..Problem::default()
    };
    let (simulation, _) = run(&problem, settings(0.01, None));
    assert_eq!(simulation.contact_counts().multipliers, 0);
}

/// A row of equal cubes, one of them rigid, passes a velocity on from each to the next.
#[test]
fn bodies_of_both_kinds_meet_by_automatic_contact() {
    let cube = |k: usize| {
        let body = block(&format!("cube {k}"), [0.01; 3], [1; 3], [1000.0, 1e6, 0.0]);
        let place = at([0.0102 * k as f64, 0.0, 0.0], [if k == 0 { 1.0 } else { 0.0 }, 0.0, 0.0]);
        if k == 1 { rigid(body, place) } else { deformable(body, "neo-hookean", place) }
    };
    let problem = Problem { bodies: (0..4).map(cube).collect(), automatic: vec![ALL], ..Problem::default() };
    let (simulation, kept) = run(&problem, settings(4e-3, None));
    let last = kept.velocities.last().unwrap();
    assert!(last[3][0] > 0.3 && last[0][0] < 0.3, "{last:?}");
    let [energy, momentum, ang_momentum] = residuals(&kept);
    let row = &kept.rows[0].balance;
    assert!(energy < 1e-12 * row.e_kin && momentum < 1e-12 * row.momentum_scale, "{energy} {momentum}");
    assert!(ang_momentum < 1e-12 * row.momentum_scale * 0.04, "{ang_momentum}");
    assert!(simulation.contact_counts().steps > 5, "{:?}", simulation.contact_counts());
}

/// The members of a crowd of cubes: all nodes, and all outer faces.
pub(crate) fn members(bodies: &[BodySpec]) -> Vec<MemberSpec> {
    let member = |(body, spec): (usize, &BodySpec)| {
        let discretisation = Discretisation::new(&spec.geometry).unwrap();
        let surface = discretisation.surface(&spec.geometry.boundary_faces());
        let places = surface.points.iter().map(|&k| Vector3::from(discretisation.points[k as usize]));
        let places: Vec<_> = places.collect();
        let points = places.iter().map(|x| Ball::point(*x)).collect();
        let of = EdgesOf { surface: &surface, reference: &places, halves: &[], rims: &[], body: 0 };
        let edges = of.find_straight(|_| true);
        MemberSpec { body, points, moving: None, edges, shape: Some(Shape::faces(surface, &places).unwrap()) }
    };
    let is_rigid = |(_, spec): &(usize, &BodySpec)| matches!(spec.kind, BodyKind::Rigid(_));
    bodies.iter().enumerate().filter(is_rigid).map(member).collect()
}

/// Small cubes in a lattice, a tenth of an edge apart, with velocities of all directions.
///
/// * `is_rigid` — by the number of the cube
fn lattice(n: usize, is_rigid: impl Fn(usize) -> bool) -> Problem {
    lattices(n, n, is_rigid)
}

/// Equal lattices, far from each other.
///
/// * `of` — cubes of a lattice
fn lattices(n: usize, of: usize, is_rigid: impl Fn(usize) -> bool) -> Problem {
    let side = (of as f64).cbrt().ceil() as usize;
    let cube = |number: usize| {
        let body = block(&format!("{number}"), [0.01; 3], [1; 3], RUBBER);
        let (k, aside) = (number % of, 0.03 * side as f64 * (number / of) as f64);
        let mut place = [k % side, k / side % side, k / side / side].map(|i| 0.011 * i as f64);
        place[0] += aside;
        let velocity = [0.0, 2.1, 4.2].map(|shift| 0.5 * (k as f64 * 1.3 + shift).sin());
        let placement = at(place, velocity);
        if is_rigid(number) { rigid(body, placement) } else { deformable(body, "neo-hookean", placement) }
    };
    let bodies: Vec<BodySpec> = (0..n).map(cube).collect();
    let crowd = CrowdSpec {
        members: members(&bodies),
        law: carom_rigid::Law::Hard,
        restitution: 1.0,
        friction: 0.0,
        apart: Vec::new(),
    };
    let rigid_crowds = if crowd.members.len() > 1 { vec![(0, crowd)] } else { Vec::new() };
    Problem { bodies, automatic: vec![ALL], rigid_crowds, ..Problem::default() }
}

/// Of all bodies, rigid and deformable, those that touch have events with the impulses that change their
/// momenta.
#[test]
fn the_events_of_automatic_contact_have_the_momenta_of_their_bodies() {
    let problem = lattice(12, |k| k % 3 == 0);
    let (simulation, kept) = run(&problem, settings(6e-3, None));
    let events = simulation.events();
    let kinds =
        |event: &ContactEvent| event.bodies.map(|ends| ends.iter().filter(|&&body| body % 3 == 0).count());
    for n_rigid in 0..3 {
        assert!(events.iter().any(|event| kinds(event) == Some(n_rigid)), "{n_rigid}: {events:?}");
    }
    let mut impulses = [Vector3::zeros(); 12];
    for event in events {
        let [first, second] = event.bodies.unwrap();
        assert!(first < second && event.pair == 0 && event.duration() >= 0.0, "{event:?}");
        impulses[first] += Vector3::from(event.impulse);
        impulses[second] -= Vector3::from(event.impulse);
    }
    let size = impulses.iter().map(|impulse| impulse.norm()).fold(0.0, f64::max);
    // The velocity of the last frame has half of the impulse of that step.
    let is_open = |body: &usize| {
        events.iter().any(|event| event.open && event.bodies.is_some_and(|ends| ends.contains(body)))
    };
    assert!((0..12).filter(is_open).count() < 6, "{events:?}");
    for (body, impulse) in impulses.iter().enumerate().filter(|(body, _)| !is_open(body)) {
        let [before, after] = [0, kept.velocities.len() - 1].map(|k| Vector3::from(kept.velocities[k][body]));
        let change = 1e-3 * (after - before);
        assert!((change - impulse).norm() < 1e-9 * size, "{body}: {change} {impulse}");
    }
}

/// A body on another has the weight of the upper one as the sum of its pressures, also by automatic contact.
#[test]
fn pressures_of_automatic_contact_add_up_to_its_force() {
    let upper = block("upper", [0.06, 0.06, 0.04], [3, 3, 2], RUBBER);
    let lower = block("lower", [0.15, 0.15, 0.03], [4, 4, 2], RUBBER);
    let bodies = vec![
        deformable(upper, "neo-hookean", at([0.041, 0.047, 0.0301], [0.0, 0.0, -1.0])),
        rigid(block("far", [0.01; 3], [1; 3], RUBBER), at([0.0, 0.0, 0.5], [0.0; 3])),
        deformable(lower, "neo-hookean", at([0.0; 3], [0.0; 3])),
    ];
    let problem = Problem { bodies, automatic: vec![ALL], ..Problem::default() };
    let mut simulation = Simulation::new(&problem, settings(4e-3, None)).unwrap();
    let mut seen = Surfaces::default();
    simulation.run(&mut seen, &carom_progress::Silent).unwrap();
    assert!(seen.0.len() > 10, "{}", seen.0.len());
    let areas = [0.02 * 0.02, 0.15 * 0.15 / 16.0];
    for (normal_force, surfaces) in &seen.0 {
        for (surface, (body, area)) in surfaces.iter().zip([0, 2].into_iter().zip(areas)) {
            assert_eq!(surface.body, body);
            let force = area * surface.pressures.iter().sum::<f64>();
            // Cells deform by some percent, so that normals are not those at rest.
            assert!((force - normal_force).abs() < 0.02 * normal_force, "{body}: {force} {normal_force}");
        }
        assert_eq!(surfaces.len(), 2);
    }
    // The upper body lies on its nine faces below.
    assert!(seen.0.iter().any(|(_, surfaces)| surfaces[0].faces.len() == 9), "{:?}", seen.0);
}

/// Pressures of the frames with contact.
#[derive(Default)]
struct Surfaces(Vec<(f64, Vec<SurfacePressures>)>);

impl Observer for Surfaces {
    fn frame(&mut self, frame: &Frame<'_>) -> Result<(), ObserverError> {
        let touching = frame.contacts.iter().filter(|contact| contact.normal_force > 0.0);
        self.0.extend(touching.map(|contact| (contact.normal_force, contact.surfaces.clone())));
        Ok(())
    }

    fn contact_event(&mut self, _: &ContactEvent) -> Result<(), ObserverError> {
        Ok(())
    }
}

/// Keeps one checkpoint, that of a step.
pub(crate) struct Saved(pub(crate) u64, pub(crate) Option<carom_dynamics::Checkpoint>);

impl Observer for Saved {
    fn frame(&mut self, _: &Frame<'_>) -> Result<(), ObserverError> {
        Ok(())
    }

    fn contact_event(&mut self, _: &ContactEvent) -> Result<(), ObserverError> {
        Ok(())
    }

    fn wants_checkpoint(&mut self, steps: u64) -> bool {
        steps == self.0
    }

    fn checkpoint(&mut self, checkpoint: &carom_dynamics::Checkpoint) -> Result<(), ObserverError> {
        self.1.get_or_insert_with(|| checkpoint.clone());
        Ok(())
    }
}

/// A run of many bodies that is continued has the bits of one that went through: motion, events, sums.
#[test]
fn continued_automatic_contact_has_the_same_bits() {
    let mut problem = lattice(40, |k| k % 2 == 0);
    problem.automatic[0].friction = 0.2;
    problem.rigid_crowds[0].1.friction = 0.2;
    let mut whole = Simulation::new(&problem, settings(8e-3, None)).unwrap();
    let mut saved = Saved(20, None);
    whole.run(&mut saved, &carom_progress::Silent).unwrap();
    assert!(whole.n_steps() > 30, "{}", whole.n_steps());
    let mut again = Simulation::new(&problem, settings(8e-3, None)).unwrap();
    again.resume(&saved.1.unwrap()).unwrap();
    again.run(&mut carom_dynamics::Ignore, &carom_progress::Silent).unwrap();
    assert!(whole.events() == again.events());
    assert!(whole.events().len() > 40, "{}", whole.events().len());
    assert!(whole.checkpoint() == again.checkpoint());
}

/// Impacts of rigid bodies and multipliers are found in sweeps, in which groups of bodies that have settled
/// take no part: the books close, and neither threads nor other groups change the motion.
#[test]
fn many_bodies_of_both_kinds_keep_their_books_and_bits_for_any_number_of_threads() {
    let mut problem = lattice(60, |k| k % 2 == 0);
    let ends = [1, 2, 8].map(|n_threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().unwrap();
        pool.install(|| run(&problem, settings(6e-3, None)))
    });
    let (simulation, kept) = &ends[0];
    let counts = simulation.contact_counts();
    assert!(counts.sweeps > 10 && counts.unsettled == 0 && counts.multipliers > 300, "{counts:?}");
    let [energy, momentum, ang_momentum] = residuals(kept);
    let row = &kept.rows[0].balance;
    assert!(energy < 1e-12 * row.e_kin && momentum < 1e-13 * row.momentum_scale, "{energy} {momentum}");
    assert!(ang_momentum < 1e-13 * row.ang_momentum_scale, "{ang_momentum}");
    for (other, _) in &ends[1..] {
        assert!(other.checkpoint() == simulation.checkpoint() && other.events() == simulation.events());
    }
    // A gap of multipliers has an error of 1e-6 of the largest velocity; a chain of impacts multiplies it.
    let alone = kept.velocities.last().unwrap().clone();
    let far: Vec<BodySpec> = (0..60)
        .map(|k| {
            let mut spec = problem.bodies[k].clone();
            let mut geometry = (*spec.geometry).clone();
            geometry.name = format!("far {k}");
            spec.geometry = geometry.into();
            spec.placement.origin[0] += 10.0;
            spec
        })
        .collect();
    problem.bodies.extend(far);
    problem.rigid_crowds[0].1.members = members(&problem.bodies);
    let (_, both) = run(&problem, settings(6e-3, None));
    for (a, b) in alone.iter().zip(both.velocities.last().unwrap()) {
        assert!((0..3).all(|d| (a[d] - b[d]).abs() < 1e-3), "{a:?} {b:?}");
    }
}

/// CPU time of a step of one thread; `benches/README.md` has the table.
#[test]
#[ignore = "2 minutes: prints a table"]
fn the_cost_of_a_step_of_many_small_bodies() {
    println!("| cubes | bodies | of a lattice | µs a step | of a step and body | events | sweeps a step |");
    println!("|---|---|---|---|---|---|---|");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    for name in ["deformable", "rigid", "mixed"] {
        let is_rigid = |k: usize| match name {
            "deformable" => false,
            "rigid" => k > 0,
            _ => k.is_multiple_of(2),
        };
        for (n, of) in [(10, 10), (100, 100), (1000, 100), (1000, 1000)] {
            let settings = settings(4e-3, None);
            let mut simulation = Simulation::new(&lattices(n, of, is_rigid), settings).unwrap();
            let run = || simulation.run(&mut carom_dynamics::Ignore, &carom_progress::Silent).unwrap();
            let ((), time) = pool.install(|| carom_testing::clock::timed(run));
            let micros = 1e6 * time.cpu / simulation.n_steps() as f64;
            let (each, n_events) = (micros / n as f64, simulation.events().len());
            let sweeps = simulation.contact_counts().sweeps as f64 / simulation.n_steps() as f64;
            println!("| {name} | {n} | {of} | {micros:.0} | {each:.1} | {n_events} | {sweeps:.1} |");
        }
    }
}
