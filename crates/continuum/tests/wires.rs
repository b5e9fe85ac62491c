//! Beams in contact: nodes at a radius from faces, and edges that cross edges.

use std::f64::consts::PI;

use carom_contact::Law;
use carom_continuum::explicit::{AutomaticSpec, BodySpec, Problem, SetupError, Simulation, Support};
use carom_dynamics::Placement;
use carom_fem::{Body, Geometry, Section};
use carom_mesh::{BeamSection, CellBlock, CellShape, Set, ShellSection};
use nalgebra::Vector3;

use crate::setup::{Kept, at, block, deformable, pair, residuals, run, settings};
use crate::shells::{SHELL_LAW, beam, body};

const SOFT: [f64; 3] = [1000.0, 1e7, 0.3];
const RADIUS: f64 = 0.003;

fn automatic(bodies: Vec<BodySpec>) -> Problem {
    let all = AutomaticSpec { number: 0, law: Law::Hard, friction: 0.0 };
    Problem { bodies, automatic: vec![all], ..Problem::default() }
}

fn wire(name: &str, placement: Placement) -> BodySpec {
    let section = BeamSection::circle(RADIUS).unwrap();
    let body = Body { name: name.to_owned(), ..beam(0.1, 5, section, SOFT) };
    deformable(body, SHELL_LAW, placement)
}

fn assert_books(kept: &Kept) {
    let [energy, momentum, ang_momentum] = residuals(kept);
    let row = &kept.rows[0].balance;
    let all = format!("{energy} {momentum} {ang_momentum}, {} {}", row.e_kin, row.momentum_scale);
    assert!(energy < 1e-12 * row.e_kin && momentum < 1e-13 * row.momentum_scale, "{all}");
    assert!(ang_momentum < 1e-13 * row.momentum_scale * 0.1, "{all}");
}

/// A wire that falls flat on a block touches at its radius: no node comes nearer.
#[test]
fn a_wire_touches_a_block_at_its_radius() {
    let plate = block("block", [0.12, 0.06, 0.02], [6, 3, 1], [1000.0, 1e6, 0.3]);
    let start = at([0.011, 0.031, 0.02 + RADIUS + 2e-4], [0.0, 0.0, -1.0]);
    let bodies = vec![wire("wire", start), deformable(plate, "neo-hookean", at([0.0; 3], [0.0; 3]))];
    let (simulation, kept) = run(&automatic(bodies), settings(4e-3, None));
    assert!(simulation.contact_counts().multipliers > 10, "{:?}", simulation.contact_counts());
    let last = kept.velocities.last().unwrap();
    assert!(last[0][2] > last[1][2], "{last:?}");
    let deepest = kept.rows.last().unwrap().balance.pen_max;
    assert!(deepest < 0.01 * RADIUS, "{deepest}");
    assert_books(&kept);
}

/// Wires across each other touch where their axes are two radii apart, between their nodes.
#[test]
fn crossed_wires_do_not_pass_through_each_other() {
    for speed in [1.0, 60.0] {
        let across = Placement::rotated([0.0, 0.0, 1.0], 90.0);
        let origin = [0.053, -0.048, 2.0 * RADIUS + 2e-4];
        let upper = Placement { origin, velocity: [0.0, 0.0, -speed], ..across };
        let bodies = vec![wire("upper", upper), wire("lower", at([0.0; 3], [0.0; 3]))];
        let (simulation, kept) = run(&automatic(bodies), settings(4e-3 / speed, None));
        let last = kept.velocities.last().unwrap();
        // The middles have exchanged momentum; the wires still bend towards each other.
        assert!(last[1][2] < -0.1 * speed && last[0][2] > -0.9 * speed, "{speed}: {last:?}");
        assert!(kept.rows.last().unwrap().balance.pen_max < 0.05 * RADIUS);
        assert!(simulation.events().iter().any(|event| event.bodies == Some([0, 1])));
        assert_books(&kept);
    }
}

/// Sets of beams that the scenario names move like all surfaces, whichever side comes first: a wire on a
/// block, and wires across each other.
#[test]
fn named_wires_touch_like_those_of_all_surfaces() {
    let block = block("block", [0.12, 0.06, 0.02], [6, 3, 1], [1000.0, 1e6, 0.3]);
    let start = at([0.011, 0.031, 0.02 + RADIUS + 2e-4], [0.3, 0.1, -1.0]);
    let on_block = vec![wire("wire", start), deformable(block, "neo-hookean", at([0.0; 3], [0.0; 3]))];
    let across = Placement::rotated([0.0, 0.0, 1.0], 90.0);
    let origin = [0.053, -0.048, 2.0 * RADIUS + 2e-4];
    let upper = Placement { origin, velocity: [0.0, 0.0, -1.0], ..across };
    let wires = vec![wire("upper", upper), wire("lower", at([0.0; 3], [0.0; 3]))];
    for (bodies, sets, friction) in [(on_block, ["all", "top"], 0.2), (wires, ["all", "all"], 0.0)] {
        let mut all = automatic(bodies.clone());
        all.automatic[0].friction = friction;
        let named = |ends: [usize; 2]| Problem {
            bodies: bodies.clone(),
            contacts: vec![pair(0, ends, ends.map(|end| sets[end]), Law::Hard, friction)],
            ..Problem::default()
        };
        let ends = [all, named([0, 1]), named([1, 0])].map(|problem| {
            let (simulation, kept) = run(&problem, settings(4e-3, None));
            assert!(simulation.contact_counts().multipliers > 5, "{:?}", simulation.contact_counts());
            assert!(kept.rows.last().unwrap().balance.pen_max < 0.05 * RADIUS);
            assert_books(&kept);
            kept.displacements.last().unwrap().concat()
        });
        for other in &ends[1..] {
            let apart = ends[0].iter().zip(other).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(apart < 1e-8, "{sets:?}: {apart}");
        }
    }
}

/// Radius of the axis of a link, and distance of the middles of two links \[m\].
const LINK: f64 = 0.02;
const SPACING: f64 = 0.03;

/// A ring of twelve beams in the plane of x and y.
fn link(number: usize) -> Body {
    let at = |k: u32| 2.0 * PI * (f64::from(k) + 0.5) / 12.0;
    let points = (0..12).map(|k| [LINK * at(k).cos(), LINK * at(k).sin(), 0.0]).collect();
    let cells = (CellShape::Line2, (0..12).flat_map(|k| [k, (k + 1) % 12]).collect());
    let section = Section::Beam(BeamSection::circle(RADIUS).unwrap());
    body(&format!("link {number}"), points, cells, section, SOFT, &[])
}

/// A chain of four links, each turned by a quarter against the next one, falls on a block. Its links stay
/// in each other, and above the block.
#[test]
fn a_chain_that_falls_on_a_block_stays_a_chain() {
    const LINKS: usize = 4;
    let links = (0..LINKS).map(|k| {
        let turned = Placement::rotated([1.0, 0.0, 0.0], 45.0 + 90.0 * k as f64);
        let origin = [SPACING * k as f64, 0.0, 0.021];
        // The ends fly apart until the chain is taut.
        let velocity = [0.5 * (k as f64 - 1.5), 0.0, -1.0];
        deformable(link(k), SHELL_LAW, Placement { origin, velocity, ..turned })
    });
    let plate = block("block", [0.24, 0.12, 0.02], [8, 4, 1], [1000.0, 1e6, 0.3]);
    let under = at([-0.07, -0.06, -0.02], [0.0; 3]);
    let mut bodies: Vec<BodySpec> = links.collect();
    bodies.push(deformable(plate, "neo-hookean", under));
    let support = Support {
        body: LINKS,
        set: "bottom".to_owned(),
        directions: [true; 3],
        rotations: [false; 3],
        displacement: [0.0; 3],
    };
    let problem = Problem { supports: vec![support], gravity: [0.0, 0.0, -9.81], ..automatic(bodies) };
    let (simulation, kept) = run(&problem, settings(0.02, None));
    let touched = |ends: [usize; 2]| simulation.events().iter().any(|event| event.bodies == Some(ends));
    assert!((1..LINKS).all(|k| touched([k - 1, k])), "{:?}", simulation.events());
    assert!((0..LINKS).any(|k| touched([k, LINKS])), "{:?}", simulation.events());
    let rest: Vec<Vector3<f64>> = (0..LINKS).map(|k| Vector3::new(SPACING * k as f64, 0.0, 0.021)).collect();
    for bodies in &kept.displacements {
        // Mean of the displacements of a link, whose middle is at the mean of its points.
        let middle = |k: usize| {
            let all = bodies[k].as_chunks::<3>().0;
            rest[k] + all.iter().map(|u| Vector3::from(*u)).sum::<Vector3<f64>>() / all.len() as f64
        };
        for k in 1..LINKS {
            // Inside each other: the middles of round links are at most two of their radii less two of a wire
            // apart. A link of 0.53 kN/m, E I/(0.149 R³), stretches by 2.9 mm by all of the 2.25 mJ with
            // which the links of 3.6 g fly apart; links that came out of each other would be 40 mm apart.
            let distance = (middle(k) - middle(k - 1)).norm();
            assert!(distance < 2.0 * LINK - 2.0 * RADIUS + 2.9e-3, "{k}: {distance}");
        }
        assert!((0..LINKS).all(|k| middle(k).z > 0.0), "{}", middle(0));
    }
    let [energy, momentum, ang_momentum] = residuals(&kept);
    let row = &kept.rows[0].balance;
    assert!(energy < 1e-11 * row.e_kin, "{energy} {}", row.e_kin);
    assert!(momentum < 1e-12 * row.momentum_scale, "{momentum} {}", row.momentum_scale);
    assert!(ang_momentum < 1e-12 * row.momentum_scale * 0.1, "{ang_momentum}");
}

/// Beams and shells that share points would have two distances from their surface there.
#[test]
fn beams_and_shells_in_one_contact_are_refused_by_name() {
    let section = BeamSection::circle(RADIUS).unwrap();
    let mut mixed = beam(0.1, 4, section, SOFT);
    let Geometry::Mesh(mesh) = &mut mixed.geometry else { unreachable!() };
    let first = mesh.points.len() as u32;
    mesh.points.extend([[0.0, 0.1, 0.0], [0.1, 0.1, 0.0], [0.1, 0.2, 0.0], [0.0, 0.2, 0.0]]);
    let connectivity = (first..first + 4).collect();
    mesh.blocks.push(CellBlock { shape: CellShape::Quad4, connectivity });
    mesh.sets =
        mesh.sets.iter().filter(|(name, _)| *name != "all").map(|(n, s)| (n.clone(), s.clone())).collect();
    mesh.sets.insert("corner".to_owned(), Set::of_nodes(vec![first]));
    mesh.sets.insert("both".to_owned(), Set::of_nodes((0..first + 4).collect()));
    mesh.sets.insert("beams".to_owned(), Set::of_nodes((0..first).collect()));
    mesh.sets.insert("shells".to_owned(), Set::of_nodes((first..first + 4).collect()));
    mixed.material_of_block.push(0);
    mixed.sections.push(Some(Section::Shell(ShellSection::new(0.004, 3).unwrap())));
    let mut spec = deformable(mixed, SHELL_LAW, Placement::default());
    if let carom_continuum::explicit::BodyKind::Deformable { laws, .. } = &mut spec.kind {
        laws.push(laws[0].clone());
    }
    let error = Simulation::new(&automatic(vec![spec.clone()]), settings(1e-3, None)).map(drop).unwrap_err();
    assert!(matches!(&error, SetupError::AutomaticBeam { body } if body == "beam"), "{error}");
    // A set of both, in a contact by name; sets of one kind are taken.
    let other = wire("wire", at([0.0, 0.0, 0.1], [0.0; 3]));
    let set_up = |set: &str| {
        let contacts = vec![pair(0, [0, 1], [set, "all"], Law::Hard, 0.0)];
        let problem = Problem { bodies: vec![spec.clone(), other.clone()], contacts, ..Problem::default() };
        Simulation::new(&problem, settings(1e-3, None)).map(drop)
    };
    let error = set_up("both").unwrap_err();
    assert!(matches!(&error, SetupError::MixedSet { set, .. } if set == "both"), "{error}");
    assert!(set_up("beams").is_ok() && set_up("shells").is_ok());
}
