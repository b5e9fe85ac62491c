//! A small result with a known motion: a NURBS ball with two made-up modes turns about z while it flies along
//! x, and presses on a rigid block in the second of three frames.

use std::path::{Path, PathBuf};

use carom_dynamics::{
    Balance, BodyBalance, BodyState, ContactEvent, ContactState, Frame, JointAction, JointState, Ledger,
    Observer, ProbeQuantity, ProbeSample, rotation,
};
use carom_fem::{Body, Discretisation, Geometry, Material};
use carom_format::result::{
    ResultBody, ResultJoint, ResultPair, ResultProbe, RunHeader, RunState, StoredMode, StoredResponse,
};
use carom_format::{CraigBamptonOptions, ResultWriter, write_body, write_rom};
use carom_mesh::{CellBlock, CellShape, Mesh, Set};
use carom_nurbs::{Multipatch, Near, solids};
use carom_reduce::{Invariants, Modes, ReducedBody};
use faer::Mat;
use nalgebra::Vector3;

/// Radius of the ball \[m\].
pub(crate) const RADIUS: f64 = 0.015;
/// Contact radius and peak pressure by Hertz for the force of the second
/// frame.
pub(crate) const CONTACT_RADIUS: f64 = 4.7869e-4;
pub(crate) const PEAK_PRESSURE: f64 = 4.6883e9;
pub(crate) const FORCE: f64 = 2250.0;
/// Times of the frames \[s\].
pub(crate) const TIMES: [f64; 3] = [0.0, 1e-5, 2.5e-5];

/// State of the ball at a time: position of its centre, angle about z, coordinates of its modes.
pub(crate) fn ball_state(time: f64) -> ([f64; 3], f64, [f64; 2]) {
    ([0.3 * time, 0.0, RADIUS], 2e3 * time, [1e-6 * time / 1e-5, -2e-7 * time / 1e-5])
}

/// Elastic displacement of the ball at a point of its frame: mode 1 stretches along z, mode 2 swells.
pub(crate) fn elastic([x, y, z]: [f64; 3], [q1, q2]: [f64; 2]) -> [f64; 3] {
    [q2 * x / RADIUS, q2 * y / RADIUS, (q1 + q2) * z / RADIUS]
}

fn steel() -> Material {
    Material { name: "steel".to_owned(), density: 7800.0, young: 210e9, poisson: 0.3 }
}

/// The ball with its pole at −z: made at +z and turned over by exchanging signs of y and z.
pub(crate) fn ball() -> Body {
    turned(
        solids::ball(RADIUS, Some(1.3 * CONTACT_RADIUS))
            .unwrap()
            .grade_region("pole", CONTACT_RADIUS / 2.0)
            .unwrap(),
    )
}

/// The ball with hierarchical refinement at its pole.
pub(crate) fn refined_ball() -> Body {
    let mut ball = turned(solids::ball(RADIUS, Some(1.3 * CONTACT_RADIUS)).unwrap());
    let Geometry::Nurbs(multipatch) = &ball.geometry else { panic!("the ball is a NURBS body") };
    let near = Near::point([0.0, 0.0, -RADIUS], CONTACT_RADIUS, 7);
    ball.geometry = Geometry::Nurbs(multipatch.refine_near(&[near]).unwrap());
    ball
}

fn turned(mut multipatch: Multipatch) -> Body {
    for patch in &mut multipatch.patches {
        patch.points.iter_mut().for_each(|p| *p = [p[0], -p[1], -p[2]]);
    }
    for region in multipatch.regions.values_mut() {
        for (center, _) in &mut region.near {
            *center = [center[0], -center[1], -center[2]];
        }
    }
    let material_of_block = vec![0; multipatch.patches.len()];
    Body {
        name: "ball".to_owned(),
        geometry: Geometry::Nurbs(multipatch),
        materials: vec![steel()],
        material_of_block,
        sections: Vec::new(),
    }
}

/// A block under z = 0 of one hexahedron, with its upper face as set `top`.
fn block() -> Body {
    let points = CellShape::Hex8
        .reference_nodes()
        .iter()
        .map(|x| [0.04 * (x[0] - 0.5), 0.04 * (x[1] - 0.5), 0.01 * (x[2] - 1.0)]);
    let mut mesh = Mesh { points: points.collect(), ..Mesh::default() };
    mesh.blocks.push(CellBlock { shape: CellShape::Hex8, connectivity: (0..8).collect() });
    let top = carom_mesh::FaceRef { block: 0, cell: 0, face: 5 };
    mesh.sets.insert("top".to_owned(), Set::of_faces(vec![top]));
    Body {
        name: "block".to_owned(),
        geometry: Geometry::Mesh(mesh),
        materials: vec![steel()],
        material_of_block: vec![0],
        sections: Vec::new(),
    }
}

/// A model of the ball with two modes at all its points; pictures do not use its other content.
fn model(body: &Body, checksum: &str) -> ReducedBody {
    let positions = Discretisation::new(body).unwrap().points;
    let (n, n_points) = (2, positions.len());
    let value =
        |row: usize, mode: usize| elastic(positions[row / 3], [[1.0, 0.0], [0.0, 1.0]][mode])[row % 3];
    let values = Mat::from_fn(3 * positions.len(), n, value);
    let modes = Modes { points: (0..positions.len() as u32).collect(), positions_b: positions, values };
    let zeros = |rows: usize, columns: usize| Mat::<f64>::zeros(rows, columns);
    let invariants = Invariants {
        mass: 0.11,
        first_moment: [0.0; 3],
        inertia: [[1e-5, 0.0, 0.0], [0.0, 1e-5, 0.0], [0.0, 0.0, 1e-5]],
        coupling_t: zeros(3, n),
        coupling_r0: zeros(3, n),
        coupling_r1: zeros(3 * n, n).into(),
        inertia_1: zeros(3 * n, 3),
        inertia_2: zeros(3 * n, 3 * n).into(),
        mass_modal: Mat::identity(n, n),
        stiffness_modal: Mat::identity(n, n),
        damping_modal: None,
    };
    ReducedBody {
        name: "ball".to_owned(),
        body_checksum: checksum.to_owned(),
        materials: body.materials.clone(),
        com: [0.0; 3],
        invariants,
        omega: vec![1e5, 2e5],
        n_low: 1,
        mode_errors: Vec::new(),
        frequency_errors: Vec::new(),
        fixed_interface_hz: vec![1e4],
        n_interface_dofs: 3,
        composition: Default::default(),
        markers: Vec::new(),
        held: Vec::new(),
        n_dofs: 3 * n_points,
        surfaces: Vec::new(),
        places: Vec::new(),
        boundary: Modes { points: Vec::new(), positions_b: Vec::new(), values: zeros(0, n) },
        fields: Some(modes.into()),
        stress: None,
        stiffening: None,
    }
}

/// Mean Hertzian pressure on each loaded face of the ball's pole: at the middle of the face.
fn contact(ball: &Body) -> ContactState {
    let grid = carom_scene::BodyGrid::surface(ball);
    let mut contact = ContactState {
        force: [0.0, 0.0, FORCE],
        normal_force: FORCE,
        free_gap: -1e-5,
        ..ContactState::default()
    };
    for (number, face) in ball.faces_of_set("pole").unwrap().into_iter().enumerate() {
        let cell = grid.faces.iter().position(|f| *f == face).unwrap();
        let (points, _) = grid.sample(cell, 2);
        let radius = points[4][0].hypot(points[4][1]);
        if radius < CONTACT_RADIUS {
            contact.pressure_faces.push(number as u32);
            contact.pressures.push(PEAK_PRESSURE * (1.0 - (radius / CONTACT_RADIUS).powi(2)).sqrt());
        }
    }
    contact
}

/// A driven axle whose force and torque are largest in the second frame, and a spring.
fn joints(step: f64) -> [JointState; 2] {
    let size = 1.0 + step * (2.0 - step);
    let drive =
        JointAction { value: 2e3 * step, rate: 2e3, drive: Some(-0.5 * size), ..JointAction::default() };
    let spring = JointAction { value: 0.1, spring: Some(step), ..JointAction::default() };
    [
        JointState {
            force: [3.0 * size, 0.0, 4.0 * size],
            torque: [0.0, -0.5 * size, 0.0],
            actions: [None, Some(drive)],
        },
        JointState { force: [0.0, 0.0, -step], torque: [0.0; 3], actions: [Some(spring), None] },
    ]
}

/// Writes bodies, model and result into a folder; returns the result.
pub(crate) fn write(folder: &Path) -> PathBuf {
    write_with(folder, &ball())
}

/// Writes bodies, model and result with another ball.
pub(crate) fn write_with(folder: &Path, ball: &Body) -> PathBuf {
    write_all(folder, ball, &TIMES, &[impact()])
}

/// Writes bodies, model and result with frames at other times.
pub(crate) fn write_frames(folder: &Path, ball: &Body, times: &[f64]) -> PathBuf {
    write_all(folder, ball, times, &[impact()])
}

/// Writes bodies, model and result with other impacts.
pub(crate) fn write_events(folder: &Path, ball: &Body, events: &[ContactEvent]) -> PathBuf {
    write_all(folder, ball, &TIMES, events)
}

fn impact() -> ContactEvent {
    ContactEvent {
        end: 2e-5,
        peak_force: FORCE,
        peak_time: 1e-5,
        impulse: [0.0, 0.0, 0.05],
        ..ContactEvent::default()
    }
}

fn write_all(folder: &Path, ball: &Body, times: &[f64], events: &[ContactEvent]) -> PathBuf {
    let block = block();
    let ball_path = folder.join("ball.npz");
    let ball_checksum = write_body(&ball_path, ball).unwrap();
    let block_path = folder.join("block.npz");
    let block_checksum = write_body(&block_path, &block).unwrap();
    let rom_path = folder.join("ball.rom");
    let rom_checksum = write_rom(
        &rom_path,
        &model(ball, &ball_checksum),
        &CraigBamptonOptions::default(),
        &carom_progress::Silent,
    )
    .unwrap();
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    let header = RunHeader {
        scenario: "[simulation]\nend_time = 2.5e-5\n".to_owned(),
        scenario_folder: text(folder),
        bodies: vec![
            ResultBody {
                name: "ball".to_owned(),
                mass: 0.11,
                modes: [2, 1],
                rom_path: text(&rom_path),
                rom_checksum,
                body_path: text(&ball_path),
                body_checksum: ball_checksum,
                ..ResultBody::default()
            },
            ResultBody {
                name: "block".to_owned(),
                rigid: true,
                fixed: true,
                mass: 1.0,
                body_path: text(&block_path),
                body_checksum: block_checksum,
                ..ResultBody::default()
            },
        ],
        pairs: vec![ResultPair {
            name: "ball/block".to_owned(),
            first: "ball:pole".to_owned(),
            second: "block:top".to_owned(),
        }],
        joints: vec![
            ResultJoint {
                name: "axle".to_owned(),
                kind: "revolute".to_owned(),
                first: "ground".to_owned(),
                second: "ball:centre".to_owned(),
            },
            ResultJoint {
                name: "spring ball:pole block:top".to_owned(),
                kind: "spring".to_owned(),
                first: "ball:pole".to_owned(),
                second: "block:top".to_owned(),
            },
        ],
        probes: vec![
            ResultProbe {
                name: "pole".to_owned(),
                place: "ball:pole".to_owned(),
                axes: "inertial".to_owned(),
                every: 5e-6,
                quantities: vec![ProbeQuantity::Velocity],
            },
            ResultProbe {
                name: "ball/block".to_owned(),
                place: "ball/block".to_owned(),
                axes: "inertial".to_owned(),
                every: 0.0,
                quantities: vec![ProbeQuantity::NormalForce, ProbeQuantity::Gap],
            },
        ],
        ..RunHeader::default()
    };
    let path = folder.join("result.carom");
    let mut writer = ResultWriter::create(&path, &header, 1, false).unwrap();
    let mut ledger = Ledger::default();
    for (step, &time) in times.iter().enumerate() {
        let (position, angle, modal) = ball_state(time);
        let quaternion = rotation::from_vector(&(Vector3::z() * angle));
        let ball_state = BodyState {
            position,
            quaternion,
            velocity: [0.3, 0.0, 0.0],
            angular_velocity: [0.0, 0.0, 2e3],
            modal: modal.to_vec(),
            modal_rate: vec![0.1],
            balance: Some(BodyBalance {
                e_kin: 5e-3 - 1e-3 * step as f64,
                momentum: [0.033, 0.0, 0.0],
                ..BodyBalance::default()
            }),
            ..BodyState::default()
        };
        let still = BodyState { quaternion: rotation::IDENTITY, ..BodyState::default() };
        let contact = if step == 1 {
            contact(ball)
        } else {
            ContactState { free_gap: f64::INFINITY, ..ContactState::default() }
        };
        let balance = Balance {
            time,
            e_kin: 5e-3 - 1e-3 * step as f64,
            e_el: 1e-3 * step as f64,
            momentum: [0.033, 0.0, 0.0],
            ..Balance::default()
        };
        let row = ledger.record(balance);
        let frame = Frame {
            time,
            steps: 10 * step as u64,
            bodies: &[ball_state, still],
            contacts: &[contact],
            joints: &joints(step as f64),
            ledger: &row,
        };
        writer.frame(&frame).unwrap();
        let gap = if step == 1 { -1e-6 } else { f64::INFINITY };
        let values = [[FORCE * step as f64, 0.0, 0.0], [gap, 0.0, 0.0]];
        writer.probe(&ProbeSample { probe: 1, time, values: &values }).unwrap();
        for time in [time, time + 5e-6] {
            // Not known at the start, as a mean since the sample before.
            let velocity = if time > 0.0 { [0.3, 0.0, -1.0] } else { [f64::INFINITY; 3] };
            writer.probe(&ProbeSample { probe: 0, time, values: &[velocity] }).unwrap();
        }
    }
    for event in events {
        writer.contact_event(event).unwrap();
    }
    let mode = |frequency, damping_ratio| StoredMode {
        frequency,
        damping_ratio,
        motion: "body `ball` turns about [0.00, 1.00, 0.00]".to_owned(),
        effective_mass: [0.1, 0.0, 0.02],
        shares: vec![1.0, 0.0],
    };
    writer.modes(&[mode(0.5, Some(0.02)), mode(7.0, None)]).unwrap();
    let response = |frequency, real, imaginary| StoredResponse {
        probe: 0,
        frequency,
        real: [real, 0.0, 0.0],
        imaginary: [imaginary, 0.0, 0.0],
    };
    writer.responses(&[response(1.0, 3e-6, 0.0), response(2.0, 0.0, -4e-6)]).unwrap();
    writer.finish(RunState::Done, &ledger.summary(), &[("integration", 0.5)], &[("steps", 20)]).unwrap();
    path
}
