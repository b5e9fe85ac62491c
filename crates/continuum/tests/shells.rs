//! Shells and beams in explicit dynamics.

use std::collections::BTreeMap;
use std::f64::consts::PI;

use carom_contact::Law;
use carom_continuum::explicit::{Load, Problem, SetupError, Simulation, Support};
use carom_continuum::statics::Place;
use carom_dynamics::{Axes, Placement, TimeFunction};
use carom_fem::constitutive::{ElasticModuli, Hardening, Plastic, SolidLaw};
use carom_fem::{Body, Geometry, Material, Section};
use carom_mesh::{BeamSection, CellBlock, CellRef, CellShape, Mesh, Set, ShellSection};
use carom_progress::Silent;

use crate::motion::Saved;
use crate::setup::{Kept, at, block, deformable, pair, residuals, run, settings, with_law};

pub(crate) const SHELL_LAW: &str = "saint-venant-kirchhoff";

/// A body of one block with sets of nodes; all of its cells are the set `all`.
pub(crate) fn body(
    name: &str,
    points: Vec<[f64; 3]>,
    (shape, connectivity): (CellShape, Vec<u32>),
    section: Section,
    [density, young, poisson]: [f64; 3],
    sets: &[(&str, Vec<u32>)],
) -> Body {
    let cells = CellBlock { shape, connectivity };
    let all = (0..cells.n_cells() as u32).map(|cell| CellRef { block: 0, cell }).collect();
    let named = sets.iter().map(|(name, nodes)| ((*name).to_owned(), Set::of_nodes(nodes.clone())));
    let mut sets: BTreeMap<String, Set> = named.collect();
    sets.insert("all".to_owned(), Set::of_cells(all));
    Body {
        name: name.to_owned(),
        geometry: Geometry::Mesh(Mesh { points, blocks: vec![cells], sets }),
        materials: vec![Material::new("material", density, young, poisson).unwrap()],
        material_of_block: vec![0],
        sections: vec![Some(section)],
    }
}

/// A plate of size a × b in the plane z = 0, bulged by `height`, with the sets `west` and `east`.
pub(crate) fn plate(
    name: &str,
    size: [f64; 2],
    n: [usize; 2],
    height: f64,
    thickness: f64,
    material: [f64; 3],
) -> Body {
    let node = |i: usize, j: usize| (i + (n[0] + 1) * j) as u32;
    let mut points = Vec::new();
    for j in 0..=n[1] {
        for i in 0..=n[0] {
            let (s, t) = (i as f64 / n[0] as f64, j as f64 / n[1] as f64);
            points.push([size[0] * s, size[1] * t, height * (PI * s).sin()]);
        }
    }
    let cells = (0..n[0] * n[1]).flat_map(|k| {
        let (i, j) = (k % n[0], k / n[0]);
        [node(i, j), node(i + 1, j), node(i + 1, j + 1), node(i, j + 1)]
    });
    let side = |i: usize| (0..=n[1]).map(|j| node(i, j)).collect::<Vec<u32>>();
    let section = Section::Shell(ShellSection::new(thickness, 3).unwrap());
    let cells = (CellShape::Quad4, cells.collect());
    body(name, points, cells, section, material, &[("west", side(0)), ("east", side(n[0]))])
}

/// A beam along x with the sets `west` and `east`.
pub(crate) fn beam(length: f64, n: u32, section: BeamSection, material: [f64; 3]) -> Body {
    let points = (0..=n).map(|k| [length * f64::from(k) / f64::from(n), 0.0, 0.0]).collect();
    let cells = (CellShape::Line2, (0..n).flat_map(|k| [k, k + 1]).collect());
    let sets = [("west", vec![0]), ("east", vec![n])];
    body("beam", points, cells, Section::Beam(section), material, &sets)
}

fn clamped(set: &str) -> Support {
    Support {
        body: 0,
        set: set.to_owned(),
        directions: [true; 3],
        rotations: [true; 3],
        displacement: [0.0; 3],
    }
}

fn spinning() -> Problem {
    let placement = Placement {
        velocity: [1.0, 2.0, 3.0],
        angular_velocity: [40.0, -30.0, 20.0],
        ..Placement::rotated([1.0, 2.0, 0.5], 40.0)
    };
    let plate = plate("plate", [0.2, 0.1], [8, 4], 0.03, 0.002, [1000.0, 1e7, 0.4]);
    Problem { bodies: vec![deformable(plate, SHELL_LAW, placement)], ..Problem::default() }
}

/// A bulged plate that spins and bends keeps its momenta and its energy balance to round-off; the oscillation
/// of its energy is of order dt².
#[test]
fn a_spinning_shell_conserves_momenta_and_energy() {
    let swings = [2e-5, 1e-5].map(|dt| {
        let (_, kept) = run(&spinning(), settings(0.02, Some(dt)));
        let [energy, momentum, ang_momentum] = residuals(&kept);
        let size = kept.rows[0].balance.e_kin;
        assert!(energy < 1e-12 * size, "{energy} {size}");
        assert!(momentum < 1e-13 * kept.rows[0].balance.momentum_scale, "{momentum}");
        assert!(ang_momentum < 1e-12 * kept.rows[0].balance.ang_momentum_scale, "{ang_momentum}");
        assert!(kept.rows.iter().any(|row| row.balance.e_el > 3e-4 * size), "it bends");
        kept.rows.iter().map(|row| row.balance.d_num.abs()).fold(0.0, f64::max) / size
    });
    let order = (swings[0] / swings[1]).log2();
    assert!((1.8..2.2).contains(&order), "{swings:?}");
}

/// The end of a clamped beam under a sudden small force: mean deflection F L³/(3 E I), period of the first
/// mode 2π L²/1.8751² √(ρA/(E I)). A slender beam has little shear and rotary inertia.
#[test]
fn a_clamped_beam_swings_about_its_static_deflection_with_its_first_period() {
    let (length, side, young, density) = (1.0_f64, 0.02, 1e9, 1000.0);
    let section = BeamSection::rectangle([side; 2], [0.0, 1.0, 0.0]).unwrap();
    let (area, inertia) = (section.area, section.inertia[0]);
    let force = 0.01;
    let problem = Problem {
        bodies: vec![deformable(
            beam(length, 10, section, [density, young, 0.0]),
            SHELL_LAW,
            at([0.0; 3], [0.0; 3]),
        )],
        supports: vec![clamped("west")],
        loads: vec![Load {
            body: 0,
            at: Place::Set("east".to_owned()),
            force: [0.0, 0.0, force],
            torque: [0.0; 3],
            axes: Axes::Inertial,
            scale: TimeFunction::Constant(1.0),
        }],
        ..Problem::default()
    };
    let period = 2.0 * PI / 1.8751_f64.powi(2) * (density * area * length.powi(4) / (young * inertia)).sqrt();
    let (_, kept) = run(&problem, settings(2.0 * period, None));
    let end: Vec<f64> = kept.displacements.iter().map(|frame| *frame[0].last().unwrap()).collect();
    let statics = force * length.powi(3) / (3.0 * young * inertia);
    let mean = end.iter().sum::<f64>() / end.len() as f64;
    assert!((mean / statics - 1.0).abs() < 0.02, "{mean} {statics}");
    // The first mode carries 97 % of the static deflection.
    let most = end.iter().copied().fold(0.0, f64::max);
    assert!((most / (2.0 * statics) - 1.0).abs() < 0.04, "{most} {statics}");
    assert!(end[50].abs() < 0.06 * statics && end.last().unwrap().abs() < 0.1 * statics, "{end:?}");
}

/// A moment on the end of a clamped strip: the books close with the work of the moment.
#[test]
fn the_work_of_a_moment_is_in_the_books() {
    let strip = plate("strip", [0.3, 0.05], [12, 2], 0.0, 0.002, [1000.0, 1e8, 0.3]);
    let problem = Problem {
        bodies: vec![deformable(strip, SHELL_LAW, at([0.0; 3], [0.0; 3]))],
        supports: vec![clamped("west")],
        loads: vec![Load {
            body: 0,
            at: Place::Set("east".to_owned()),
            force: [0.0; 3],
            torque: [0.0, -0.01, 0.0],
            axes: Axes::Inertial,
            scale: TimeFunction::Constant(1.0),
        }],
        ..Problem::default()
    };
    let (_, kept) = run(&problem, settings(0.44, None));
    let [energy, momentum, ang_momentum] = residuals(&kept);
    let work = kept.rows.iter().map(|row| row.balance.w_ext).fold(0.0, f64::max);
    assert!(work > 1e-3 && energy < 1e-10 * work, "{energy} {work}");
    assert!(momentum < 1e-12 && ang_momentum < 1e-12, "{momentum} {ang_momentum}");
    // An end that turns by M L/(E I) = 0.9 on average: far from small rotations.
    let rise =
        kept.displacements.iter().map(|f| f[0].iter().skip(2).step_by(3).fold(0.0_f64, |m, w| m.max(*w)));
    assert!(rise.fold(0.0, f64::max) > 0.1);
}

/// A run of plastic shells resumed from a checkpoint continues bit for bit.
#[test]
fn a_resumed_run_of_plastic_shells_continues_bit_for_bit() {
    let mut problem = spinning();
    let moduli = ElasticModuli::from_young_poisson(1e7, 0.4).unwrap();
    let law = Plastic::new(moduli, Hardening::linear(5e3, 1e6).unwrap()).unwrap();
    let plate = plate("plate", [0.2, 0.1], [8, 4], 0.03, 0.002, [1000.0, 1e7, 0.4]);
    let placement = problem.bodies[0].placement;
    problem.bodies[0] = with_law(plate, SolidLaw::Plastic(law), placement);
    let (_, whole) = run(&problem, settings(0.02, None));
    let mut saved = Saved::default();
    Simulation::new(&problem, settings(0.02, None)).unwrap().run(&mut saved, &Silent).unwrap();
    let mut second = Simulation::new(&problem, settings(0.02, None)).unwrap();
    second.resume(&saved.checkpoint.unwrap()).unwrap();
    let mut rest = Kept::default();
    second.run(&mut rest, &Silent).unwrap();
    assert!(rest.rows.len() < whole.rows.len());
    assert_eq!(rest.rows.last(), whole.rows.last());
    assert_eq!(rest.displacements.last(), whole.displacements.last());
    assert!(whole.rows.last().unwrap().balance.d_pl > 0.0, "it yields");
}

/// A block falls on a plate with held edges: it stops at half of the thickness, and the books close.
#[test]
fn a_block_stops_at_half_of_the_thickness_of_a_shell() {
    let thickness = 0.004;
    let plate = plate("plate", [0.1, 0.1], [6, 6], 0.0, thickness, [1000.0, 1e8, 0.3]);
    let block = block("block", [0.04, 0.04, 0.04], [2, 2, 2], [1000.0, 1e8, 0.3]);
    // The block begins 1 mm above the surface of the plate.
    let start = at([0.03, 0.03, 0.5 * thickness + 0.001], [0.0, 0.0, -2.0]);
    let problem = Problem {
        bodies: vec![
            deformable(plate, SHELL_LAW, at([0.0; 3], [0.0; 3])),
            deformable(block, "neo-hookean", start),
        ],
        contacts: vec![pair(0, [0, 1], ["all", "bottom"], Law::Hard, 0.0)],
        ..Problem::default()
    };
    let (_, kept) = run(&problem, settings(0.004, None));
    let [energy, momentum, ang_momentum] = residuals(&kept);
    let balance = &kept.rows[0].balance;
    assert!(energy < 1e-12 * balance.e_kin, "{energy}");
    assert!(momentum < 1e-13 && ang_momentum < 1e-13, "{momentum} {ang_momentum}");
    let first = kept.forces.iter().position(|forces| forces[0] != [0.0; 3]).unwrap();
    let time = kept.rows[first].balance.time;
    assert!((time - 0.0005).abs() < 0.0001, "contact begins at {time} s after 1 mm at 2 m/s");
    assert!(kept.rows.iter().all(|row| row.balance.pen_max < 0.05 * thickness));
}

#[test]
fn rotations_of_solids_are_refused() {
    let brick = block("brick", [0.1, 0.06, 0.04], [2, 1, 1], [1000.0, 1e5, 0.4]);
    let problem = Problem {
        bodies: vec![deformable(brick, "neo-hookean", at([0.0; 3], [0.0; 3]))],
        supports: vec![clamped("west")],
        ..Problem::default()
    };
    let Err(error) = Simulation::new(&problem, settings(0.1, None)) else { panic!("it was taken") };
    assert!(matches!(error, SetupError::RotationOfSolid { .. }), "{error}");
}

/// The limit load of a clamped strip: its free edge moves slowly across, until the cell at the clamp is at
/// its full plastic moment M_p = ¼ 2/√3 σ_y h² b; then the plastic work is M_p times the change of the angle
/// of the strip. The hinge is in the middle of that cell, where its strain is. Eight Gauss layers have 1.2 %
/// more than M_p.
#[test]
fn a_clamped_strip_has_the_plastic_hinge_of_its_full_moment() {
    let (length, width, thickness, cells, yield_stress) = (0.1, 0.01, 0.004_f64, 10, 400e6);
    let mut strip = plate("strip", [length, width], [cells, 1], 0.0, thickness, [7800.0, 200e9, 0.3]);
    strip.sections = vec![Some(Section::Shell(ShellSection::new(thickness, 8).unwrap()))];
    let moduli = ElasticModuli::of(&strip.materials[0]);
    let law = Plastic::new(moduli, Hardening::linear(yield_stress, 0.0).unwrap()).unwrap();
    // Slow: the vibration that the sudden start causes has an amplitude of a hundredth of the way.
    let (end, moved) = (20e-3, 0.3 * length);
    let problem = Problem {
        bodies: vec![with_law(strip, SolidLaw::Plastic(law), at([0.0; 3], [0.0; 3]))],
        supports: vec![
            clamped("west"),
            // No strain across: the yield stress along the strip is 2/√3 σ_y.
            Support { directions: [false, true, false], rotations: [true, false, true], ..clamped("all") },
            Support {
                directions: [false, false, true],
                rotations: [false; 3],
                displacement: [0.0, 0.0, moved],
                ..clamped("east")
            },
        ],
        ..Problem::default()
    };
    let (simulation, kept) = run(&problem, settings(end, None));
    let row = |part: f64| {
        let balance = kept.rows.iter().map(|row| row.balance).find(|b| b.time >= part * end - 1e-12).unwrap();
        (balance.d_pl, (balance.time / end * moved / (length - 0.5 * length / cells as f64)).asin())
    };
    let ((work_a, angle_a), (work_b, angle_b)) = (row(0.7), row(1.0));
    let moment = (work_b - work_a) / (angle_b - angle_a);
    let full = 2.0 / 3.0_f64.sqrt() * 0.25 * yield_stress * thickness * thickness * width;
    println!("moment of the hinge over the full plastic moment: {:.4}", moment / full);
    assert!((moment / full - 1.0).abs() < 0.03, "{moment} {full}");
    // The surfaces of the hinge have yielded, those of the free end have not.
    let state = &simulation.body_states()[0];
    assert_eq!([state.point_stress.len(), state.plastic_strain.len()], [18 * cells, 3 * cells]);
    assert_eq!(state.point_rotations.len(), 3 * 2 * (cells + 1));
    assert!(state.plastic_strain[0] > 0.01 && state.plastic_strain[2] > 0.01, "{:?}", state.plastic_strain);
    assert!(state.plastic_strain[3 * (cells - 1)..].iter().all(|&strain| strain == 0.0));
    // The free end turns by the angle of the strip about −y, and by its elastic deflection, M_p L/(6 E I).
    let turned = -state.point_rotations[3 * cells + 1] - angle_b;
    let young = 200e9 / (1.0 - 0.3 * 0.3);
    let elastic = full * length / (6.0 * young * width * thickness.powi(3) / 12.0);
    assert!((turned - elastic).abs() < 0.3 * elastic, "{turned} {elastic}");
}

/// A yielding, spinning plate of 800 shells has the same bits with 1, 2 and 8 threads.
#[test]
fn shells_have_the_same_bits_for_any_number_of_threads() {
    let ends = [1, 2, 8].map(|threads| {
        let plate = plate("plate", [0.2, 0.1], [40, 20], 0.03, 0.002, [1000.0, 1e7, 0.4]);
        let moduli = ElasticModuli::of(&plate.materials[0]);
        let law = Plastic::new(moduli, Hardening::linear(2e3, 1e5).unwrap()).unwrap();
        let placement = Placement { angular_velocity: [40.0, -30.0, 20.0], ..Placement::default() };
        let bodies = vec![with_law(plate, SolidLaw::Plastic(law), placement)];
        let problem = Problem { bodies, ..Problem::default() };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| run(&problem, settings(2e-3, Some(2e-5)))).0.body_states()[0].clone()
    });
    assert!(ends[0].plastic_strain.iter().any(|&strain| strain > 0.0));
    assert!(ends[0] == ends[1] && ends[0] == ends[2]);
}

/// Solids in a body of shells are refused, with a way out.
#[test]
fn solids_and_shells_in_one_body_are_refused_by_name() {
    let mut mixed = plate("mixed", [1.0, 1.0], [1, 1], 0.0, 0.01, [1000.0, 1e7, 0.3]);
    let Geometry::Mesh(mesh) = &mut mixed.geometry else { unreachable!() };
    let top = mesh.points.iter().map(|[x, y, _]| [*x, *y, 1.0]).collect::<Vec<_>>();
    mesh.points.extend(top);
    mesh.blocks.push(CellBlock { shape: CellShape::Hex8, connectivity: vec![0, 1, 3, 2, 4, 5, 7, 6] });
    mixed.material_of_block.push(0);
    mixed.sections.push(None);
    let mut spec = deformable(mixed, SHELL_LAW, Placement::default());
    if let carom_continuum::explicit::BodyKind::Deformable { laws, .. } = &mut spec.kind {
        laws.push(laws[0].clone());
    }
    let problem = Problem { bodies: vec![spec], ..Problem::default() };
    let error = Simulation::new(&problem, settings(1e-3, None)).map(drop).unwrap_err().to_string();
    assert!(error.contains("mixed") && error.contains("make two bodies"), "{error}");
}
