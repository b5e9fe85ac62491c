//! One motion in two body frames: the frame of the mean motion, and a frame that follows three nodes.
//!
//! With displacements of size ε a point is at r + A (R + Φ q) in one frame and at r' + A' (R + Φ' q') in the
//! other. The two frames differ by a turn θ = C q of size ε, and the shapes by its linear part: Exp(θ) R =
//! R + θ × R + O(ε²). So the places of a point in the two models differ by O(ε²), and so do the motions.

use std::sync::Arc;

use carom_dynamics::Loads;
use carom_fem::{Body as FemBody, Geometry, Material};
use carom_integrate::{Method, RungeKutta, Tolerances};
use carom_mesh::make::{HexOptions, Solid, hexahedra};
use carom_multibody::{Body, FrameError, Kinetics, System, Velocities};
use carom_reduce::{
    BodyFrame, CraigBamptonOptions, Damping, FixedModes, ModeKind, ReducedBody, Variant, craig_bampton,
};
use nalgebra::{DMatrix, DVector, Matrix3, Vector3};

const SIZE: [f64; 3] = [0.1, 0.02, 0.03];

fn model(variant: Variant) -> Arc<ReducedBody> {
    let options = HexOptions { elements: vec![6, 2, 2], ..HexOptions::default() };
    let mesh = hexahedra(Solid::Box { size: SIZE }, &options).unwrap();
    let material_of_block = vec![0; mesh.blocks.len()];
    let body = FemBody {
        name: "bar".to_owned(),
        geometry: Geometry::Mesh(mesh),
        materials: vec![Material::new("steel", 7800.0, 210e9, 0.3).unwrap()],
        material_of_block,
        sections: Vec::new(),
    };
    let options = CraigBamptonOptions {
        interface_sets: vec!["west".to_owned()],
        modes: FixedModes::Count(14),
        split: Some(30e3),
        variant,
        ..Default::default()
    };
    Arc::new(craig_bampton(&body, &options, &carom_progress::Silent).unwrap().reduced)
}

/// Three corners of the bar that span a triangle.
fn corners(model: &ReducedBody) -> BodyFrame {
    let fields = model.fields.as_ref().unwrap().modes().unwrap();
    let find = |place: [f64; 3]| {
        let distance = |i: usize| (0..3).map(|a| (fields.positions_b[i][a] - place[a]).powi(2)).sum::<f64>();
        let nearest = (0..fields.points.len()).min_by(|&a, &b| distance(a).total_cmp(&distance(b)));
        fields.points[nearest.unwrap()]
    };
    let [x, y, z] = SIZE.map(|edge| 0.5 * edge);
    BodyFrame::Nodes([find([-x, -y, -z]), find([x, -y, z]), find([-x, y, z])])
}

fn bar_in(frame: BodyFrame, damping: Option<Damping>) -> Arc<ReducedBody> {
    model(Variant { frame, damping, ..Variant::default() })
}

/// [R Φ] at all points, for the dynamic modes.
fn shapes(model: &ReducedBody) -> DMatrix<f64> {
    let fields = model.fields.as_ref().unwrap().modes().unwrap();
    DMatrix::from_fn(fields.values.nrows(), 6 + model.n_low, |row, k| {
        let (point, a) = (Vector3::from(fields.positions_b[row / 3]), row % 3);
        match k {
            0..3 => f64::from(u8::from(a == k)),
            3..6 => Vector3::ith(k - 3, 1.0).cross(&point)[a],
            _ => fields.values[(row, k - 6)],
        }
    })
}

/// The undeformed body with the velocities that fit the field best.
fn start(model: &Arc<ReducedBody>, field: &DVector<f64>) -> (System, Vec<f64>) {
    let body = Body::reduced(Arc::clone(model)).unwrap();
    let shapes = shapes(model);
    let z = (shapes.transpose() * &shapes).cholesky().unwrap().solve(&(shapes.transpose() * field));
    assert!((&shapes * &z - field).amax() < 1e-9 * field.amax(), "both frames have the same motions");
    let n = model.n_low;
    let velocities = Velocities {
        v: z.fixed_rows::<3>(0).into(),
        omega: z.fixed_rows::<3>(3).into(),
        modal: z.rows(6, n).iter().copied().collect(),
    };
    // The mean motion is that of the field, not that of the frame: drift and spin of `field`.
    let (v, omega) = body.frame.mean_motion(&velocities);
    let scale = v.x / 0.3;
    assert!((v - scale * Vector3::new(0.3, -0.2, 0.1)).norm() < 1e-8 * scale, "{v}");
    assert!((omega - scale * Vector3::new(6.0, -4.0, 9.0)).norm() < 1e-6 * scale, "{omega}");
    let mut kinetics = Kinetics::new(n);
    kinetics.set_modal(&body.frame, &vec![0.0; n]);
    let mut p = vec![0.0; n];
    let (linear, angular) = kinetics.momenta(&body.frame, &velocities, &mut p);
    let system = System::new(vec![body], Loads::default(), Vec::new()).unwrap();
    let layout = system.layout();
    let mut y = vec![0.0; layout.dim()];
    y[layout.quaternion(0)] = 1.0;
    y[layout.momentum(0)..layout.momentum(0) + 3].copy_from_slice(linear.as_slice());
    y[layout.ang_momentum(0)..layout.ang_momentum(0) + 3].copy_from_slice(angular.as_slice());
    y[layout.modal_momentum(0)..layout.modal_momentum(0) + n].copy_from_slice(&p);
    (system, y)
}

struct Flight {
    /// Positions of all points at the end.
    points: Vec<Vector3<f64>>,
    /// Largest displacement by the modes.
    deformation: f64,
    energy_drift: f64,
    momentum_drift: f64,
    dissipated: f64,
}

fn fly(model: &Arc<ReducedBody>, field: &DVector<f64>, end: f64) -> Flight {
    let (mut system, mut y) = start(model, field);
    system.set_state(&y).unwrap();
    let first = system.balance(0.0, &y);
    let mut absolute: Vec<f64> = y.iter().map(|_| 1e-15).collect();
    absolute[system.layout().first_integral()..].fill(f64::INFINITY);
    let mut pair = RungeKutta::new(Method::Dop853, Tolerances { relative: 1e-12, absolute, newton: None });
    let mut t = 0.0;
    while t < end {
        pair.attempt(&mut system, t, &y, end).unwrap();
        t = pair.accept(&mut y);
    }
    system.set_state(&y).unwrap();
    let last = system.balance(end, &y);
    let energy = |b: &carom_dynamics::Balance| b.e_kin + b.e_el + b.d_mat;
    let apart = |a: [f64; 3], b: [f64; 3]| (Vector3::from(a) - Vector3::from(b)).norm();
    let layout = system.layout();
    let r = Vector3::from_column_slice(&y[layout.position(0)..layout.position(0) + 3]);
    let b = layout.quaternion(0);
    let a: Matrix3<f64> = carom_dynamics::rotation::matrix(&[y[b], y[b + 1], y[b + 2], y[b + 3]]);
    let q = &y[layout.modal(0)..layout.modal(0) + model.n_low];
    let fields = model.fields.as_ref().unwrap().modes().unwrap();
    let displacement = |i: usize| {
        Vector3::from_fn(|a, _| {
            q.iter().enumerate().map(|(k, q)| q * fields.values[(3 * i + a, k)]).sum::<f64>()
        })
    };
    let n = fields.points.len();
    Flight {
        points: (0..n).map(|i| r + a * (Vector3::from(fields.positions_b[i]) + displacement(i))).collect(),
        deformation: (0..n).map(|i| displacement(i).norm()).fold(0.0, f64::max),
        energy_drift: (energy(&last) - energy(&first)).abs() / energy(&first),
        momentum_drift: apart(first.momentum, last.momentum) / first.momentum_scale
            + apart(first.ang_momentum, last.ang_momentum) / first.ang_momentum_scale,
        dissipated: last.d_mat / first.e_kin,
    }
}

/// A velocity field of size ε: drift, spin and vibration of the first modes of the Buckens frame.
fn field(model: &ReducedBody, epsilon: f64) -> DVector<f64> {
    let mut z = DVector::zeros(6 + model.n_low);
    z.rows_mut(0, 6).copy_from_slice(&[0.3, -0.2, 0.1, 6.0, -4.0, 9.0]);
    // A spin of 10 rad/s and vibrations of 1 m/s at 1 kg.
    for k in 0..4 {
        z[6 + k] = 1.0 / (1.0 + k as f64);
    }
    epsilon * shapes(model) * z
}

#[test]
fn motions_in_two_frames_differ_by_the_square_of_the_deformation() {
    let buckens = bar_in(BodyFrame::Buckens, None);
    let followed = bar_in(corners(&buckens), None);
    assert!(buckens.n_low >= 5 && followed.n_low == buckens.n_low, "{} {}", buckens.n_low, followed.n_low);
    // Five periods of the lowest mode.
    let end = 5.0 * std::f64::consts::TAU / buckens.omega[0];
    let mut differences = Vec::new();
    for epsilon in [8.0, 4.0, 2.0, 1.0] {
        let field = field(&buckens, epsilon);
        let (one, other) = (fly(&buckens, &field, end), fly(&followed, &field, end));
        let apart = one.points.iter().zip(&other.points).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
        println!(
            "ε = {epsilon}: deformation {:.2e} m (followed nodes: {:.2e} m), motions apart {apart:.2e} m, \
             energy {:.0e} and {:.0e}",
            one.deformation, other.deformation, one.energy_drift, other.energy_drift
        );
        for flight in [&one, &other] {
            assert!(flight.energy_drift < 1e-10, "{:e}", flight.energy_drift);
            assert!(flight.momentum_drift < 1e-10, "{:e}", flight.momentum_drift);
        }
        assert!(apart < 0.1 * one.deformation, "{apart:e}");
        differences.push(apart);
    }
    let orders: Vec<f64> = differences.windows(2).map(|pair| (pair[0] / pair[1]).log2()).collect();
    assert!(orders.iter().all(|order| (order - 2.0).abs() < 0.1), "{orders:?} of {differences:?}");
}

#[test]
fn damping_takes_the_same_energy_in_both_frames_and_no_momentum() {
    let damping = Damping { mass: 500.0, ..Damping::of_ratio(0.01) };
    let buckens = bar_in(BodyFrame::Buckens, Some(damping.clone()));
    let followed = bar_in(corners(&buckens), Some(damping));
    let field = field(&buckens, 1e-2);
    let end = 5.0 * std::f64::consts::TAU / buckens.omega[0];
    let (one, other) = (fly(&buckens, &field, end), fly(&followed, &field, end));
    println!("dissipated: {:.9} and {:.9} of the energy", one.dissipated, other.dissipated);
    assert!(one.dissipated > 0.05);
    assert!((one.dissipated / other.dissipated - 1.0).abs() < 1e-4);
    for flight in [&one, &other] {
        assert!(flight.energy_drift < 1e-10 && flight.momentum_drift < 1e-10);
    }
}

#[test]
fn a_massless_boundary_is_refused_where_its_modes_would_move() {
    let model = model(Variant { modes: ModeKind::MasslessBoundary, ..Variant::default() });
    assert!(Body::reduced(Arc::clone(&model)).is_ok(), "quasistatic");
    let (n, all) = (model.n_low, model.omega.len());
    let error = Body::with_dynamic_modes(model, all).unwrap_err();
    assert_eq!(error.source, FrameError::Massless { n: all, n_massive: n });
    let text = error.to_string();
    assert!(text.contains("scheme = \"quasistatic\"") && text.contains("`residual`"), "{text}");
}
