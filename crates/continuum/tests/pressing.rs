//! Pressure that goes through the contact of two blocks as a plane wave.

use carom_contact::Law;
use carom_continuum::explicit::{Load, Place, Pressure, Problem, Support};
use carom_dynamics::{Axes, Placement, TimeFunction};
use carom_fem::{Body, Geometry, Material};
use carom_mesh::CellShape;
use carom_mesh::make::{HexOptions, Solid, hexahedra};

use crate::setup::{at, block, deformable, pair, rigid, run, settings};

/// Height of each block and width of both \[m\].
const HEIGHT: f64 = 0.03;
const WIDTH: f64 = 0.04;
/// Density, Young's modulus and Poisson's ratio: waves of 31.6 m/s without lateral motion.
const MATERIAL: [f64; 3] = [1000.0, 1e6, 0.0];
const PRESSURE: f64 = 1e3;
/// Half of the time between two frames \[s\].
const DT: f64 = 1.25e-5;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Linear,
    Quadratic,
    Nurbs,
}

/// A block on [0, WIDTH]² × [0, HEIGHT] with n cells along each edge.
fn body(name: &str, kind: Kind, n: usize) -> Body {
    let size = [WIDTH, WIDTH, HEIGHT];
    let geometry = match kind {
        Kind::Linear => return block(name, size, [n; 3], MATERIAL),
        Kind::Quadratic => {
            let options =
                HexOptions { shape: CellShape::Hex27, elements: vec![n; 3], ..HexOptions::default() };
            let mut mesh = hexahedra(Solid::Box { size }, &options).unwrap();
            let least = |d: usize| mesh.points.iter().map(|x| x[d]).fold(f64::INFINITY, f64::min);
            let least = [0, 1, 2].map(least);
            mesh.points.iter_mut().for_each(|x| (0..3).for_each(|d| x[d] -= least[d]));
            Geometry::Mesh(mesh)
        }
        Kind::Nurbs => {
            let solid = carom_nurbs::solids::block(size).unwrap();
            Geometry::Nurbs(solid.with_degree(2).unwrap().subdivide(n).unwrap())
        }
    };
    let [density, young, poisson] = MATERIAL;
    let material = Material::new("material", density, young, poisson).unwrap();
    Body {
        name: name.to_owned(),
        geometry,
        materials: vec![material],
        material_of_block: vec![0],
        sections: Vec::new(),
    }
}

fn blocks(kinds: [Kind; 2]) -> Problem {
    let [upper, lower] = [body("upper", kinds[0], 3), body("lower", kinds[1], 4)];
    let support = Support {
        body: 1,
        set: "bottom".to_owned(),
        directions: [false, false, true],
        displacement: [0.0; 3],
        rotations: [false; 3],
    };
    Problem {
        bodies: vec![
            deformable(upper, "small-strain", at([0.0, 0.0, HEIGHT], [0.0; 3])),
            deformable(lower, "small-strain", Placement::default()),
        ],
        supports: vec![support],
        pressures: vec![Pressure { body: 0, set: "top".to_owned(), value: PRESSURE }],
        contacts: vec![pair(0, [0, 1], ["bottom", "top"], Law::Hard, 0.0)],
        ..Problem::default()
    }
}

/// Mean force over the frames of the plateau by two chains of masses and springs with as many cells in line:
/// with ν = 0 all points of a layer move alike. The contact is an impulse that closes the gap.
fn chain(frames: std::ops::Range<usize>) -> f64 {
    let [density, young, _] = MATERIAL;
    let area = WIDTH * WIDTH;
    // From the contact outwards.
    let cells = [3, 4];
    let mass = |body: usize, i: usize| {
        let whole = density * area * HEIGHT / cells[body] as f64;
        if i == 0 || i == cells[body] { 0.5 * whole } else { whole }
    };
    let stiffness = |body: usize| young * area * cells[body] as f64 / HEIGHT;
    let mut u = cells.map(|n| vec![0.0; n + 1]);
    let mut v = u.clone();
    // The blocks are at rest at t = 0, half a step after the first velocities.
    v[0][cells[0]] = 0.5 * DT * PRESSURE * area / mass(0, cells[0]);
    let mut forces = Vec::new();
    for _ in 0..200 {
        for body in 0..2 {
            let (u, v, n) = (&u[body], &mut v[body], cells[body]);
            for i in 0..=n {
                let outer = if i < n { u[i + 1] - u[i] } else { 0.0 };
                let inner = if i > 0 { u[i] - u[i - 1] } else { 0.0 };
                let mut force = stiffness(body) * (outer - inner);
                if body == 0 && i == n {
                    force -= PRESSURE * area;
                }
                v[i] += DT * force / mass(body, i);
            }
        }
        v[1][cells[1]] = 0.0;
        let approach = v[1][0] - v[0][0] - (u[0][0] - u[1][0]) / DT;
        let (upper, lower) = (1.0 / mass(0, 0), 1.0 / mass(1, 0));
        let impulse = approach.max(0.0) / (upper + lower);
        v[0][0] += impulse * upper;
        v[1][0] -= impulse * lower;
        forces.push(impulse / DT);
        for (u, v) in u.iter_mut().zip(&v) {
            u.iter_mut().zip(v).for_each(|(u, v)| *u += DT * v);
        }
    }
    frames.clone().map(|frame| forces[2 * frame]).sum::<f64>() / frames.len() as f64
}

/// The wave of the pressure reaches the contact after HEIGHT/c = 0.95 ms; until its reflection returns from
/// the support, after 2.85 ms, the contact carries the pressure.
///
/// The force behind the front in a chain of cells of the length h is `∫ J_2n(z) dz` with z = ω t and the
/// largest frequency ω = 2 c/h of its waves: it swings about its mean by `√(2/(π z))` with the frequency 1 in
/// z. At most half a period of it does not cancel in a mean. Waves in lumped cells of second order have
/// ω = √8 c/h, those in splines of degree 2, whose masses are sums of rows, ω = √1.5 c/h.
#[test]
fn a_contact_of_unlike_meshes_carries_the_pressure_of_a_plane_wave() {
    let cases = [
        [Kind::Linear, Kind::Linear],
        [Kind::Quadratic, Kind::Linear],
        [Kind::Linear, Kind::Nurbs],
        [Kind::Nurbs, Kind::Quadratic],
    ];
    let end = 2.5e-3;
    let limit_of = |kind: Kind, cells: f64| {
        let factor = match kind {
            Kind::Linear => 2.0,
            Kind::Quadratic => 8.0_f64.sqrt(),
            Kind::Nurbs => 1.5_f64.sqrt(),
        };
        let omega = factor * (MATERIAL[1] / MATERIAL[0]).sqrt() * cells / HEIGHT;
        let [first, last] = [0.52 * end, end].map(|time| omega * time);
        2.0 * (2.0 / (std::f64::consts::PI * first)).sqrt() / (last - first)
    };
    for kinds in cases {
        let (_, kept) = run(&blocks(kinds), settings(end, Some(DT)));
        let limit = limit_of(kinds[0], 3.0).max(limit_of(kinds[1], 4.0));
        let plateau = 52..100;
        let n = plateau.len() as f64;
        let force = kept.forces[plateau.clone()].iter().map(|forces| forces[0][2]).sum::<f64>() / n;
        let expected = PRESSURE * WIDTH * WIDTH;
        let error = force / expected - 1.0;
        assert!(error.abs() < limit, "{kinds:?}: {error} {limit}");
        if kinds == [Kind::Linear; 2] {
            let chain = chain(plateau.clone());
            assert!((force / chain - 1.0).abs() < 1e-4, "{force} {chain}");
        }
        for (forces, pressures) in kept.forces[plateau.clone()].iter().zip(&kept.pressures[plateau]) {
            // Faces of equal areas.
            let faces = &pressures[0];
            if faces.len() != 9 {
                continue;
            }
            let total = faces.iter().sum::<f64>() * WIDTH * WIDTH / 9.0;
            // Pressures are along the normals and the force is along z. The front, with up to twice the
            // strain ε behind it, reaches the points of unlike meshes at different times, so that faces tilt
            // by 4 ε at most: 1 − cos 4ε = 8 ε².
            let strain = PRESSURE / MATERIAL[1];
            let tilted = 8.0 * strain * strain;
            assert!((total / forces[0][2] - 1.0).abs() < tilted, "{kinds:?}: {total} {forces:?}");
            if kinds == [Kind::Linear; 2] {
                let mean = faces.iter().sum::<f64>() / 9.0;
                assert!(faces.iter().all(|p| (p / mean - 1.0).abs() < tilted), "{faces:?}");
            }
        }
        let carried = kept.pressures.iter().filter(|pressures| pressures[0].len() == 9).count();
        assert!(carried > 30, "{kinds:?}: {carried}");
    }
}

/// A force and a torque on a rigid body: v = F t/m and ω = τ t/J about a principal axis.
#[test]
fn forces_and_torques_move_rigid_bodies() {
    let cube = block("cube", [0.1; 3], [2; 3], [1000.0, 1e6, 0.3]);
    let load = |force: [f64; 3], torque: [f64; 3], axes: Axes| Load {
        body: 0,
        at: Place::Point { name: "middle".to_owned(), position: [0.05; 3] },
        force,
        torque,
        axes,
        scale: TimeFunction::Constant(1.0),
    };
    let far = block("far", [0.1; 3], [1; 3], [1000.0, 1e6, 0.3]);
    let problem = Problem {
        bodies: vec![
            rigid(cube, Placement::default()),
            deformable(far, "small-strain", at([10.0, 0.0, 0.0], [0.0; 3])),
        ],
        loads: vec![
            load([3.0, 0.0, 0.0], [0.0; 3], Axes::Inertial),
            load([0.0; 3], [0.0, 0.0, 0.02], Axes::Body),
        ],
        ..Problem::default()
    };
    let (simulation, kept) = run(&problem, settings(0.01, Some(1e-4)));
    let state = &simulation.body_states()[0];
    // m = 1 kg, J = m a²/6.
    assert!((state.velocity[0] - 0.03).abs() < 1e-12, "{:?}", state.velocity);
    let omega = 0.02 * 0.01 * 6.0 / 0.01;
    assert!((state.angular_velocity[2] / omega - 1.0).abs() < 1e-9, "{:?} {omega}", state.angular_velocity);
    let row = kept.rows.last().unwrap();
    let work = row.balance.w_ext;
    assert!((work / (0.5 * 0.03 * 0.03 + 0.5 * omega * omega * 0.01 / 6.0) - 1.0).abs() < 0.02, "{work}");
    assert!(row.r_e.abs() < 1e-15, "{}", row.r_e);
}
