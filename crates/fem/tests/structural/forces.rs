//! Identities of the forces: no sum, no moment, derivatives of the energy, objectivity.

use carom_fem::Material;
use carom_fem::constitutive::{ElasticLaw, ElasticModuli, Hardening, NeoHookean, Plastic, SolidLaw};
use carom_fem::structural::{
    BeamSection, ShellSection, StructuralBlock, StructuralCells, StructuralError, StructuralForce,
};
use nalgebra::{Matrix3, Rotation3, Vector3};

use super::model::{Model, Sheet, elastic, line, material};

/// Numbers in [−1, 1), always the same ones.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

/// Models of each kind of element, in a random state of large rotation and moderate strain.
fn models() -> Vec<(&'static str, Model)> {
    let steel = material(1000.0, 0.3);
    let hat = Sheet::new([3, 3], |s, t| [s + 0.05 * t, t - 0.1 * s * t, 0.3 * (s * t - 0.5 * s * s)]);
    let neo_hookean = |corners| {
        let law = NeoHookean::new(ElasticModuli::of(&steel)).unwrap();
        let cells = hat.cells(corners, ShellSection::new(0.05, 3).unwrap());
        Model::new(&hat.points, cells, steel.clone(), SolidLaw::Elastic(ElasticLaw::NeoHookean(law)))
    };
    let chain: Vec<[f64; 3]> = (0..5).map(|k| [f64::from(k), 0.3 * f64::from(k * k), 0.1]).collect();
    let section = BeamSection::rectangle([0.3, 0.5], [0.0, 0.2, 1.0]).unwrap();
    let mut models = vec![
        ("quadrilaterals", hat.model(4, 0.05, &steel)),
        ("triangles", hat.model(3, 0.05, &steel)),
        ("neo-hookean quadrilaterals", neo_hookean(4)),
        ("neo-hookean triangles", neo_hookean(3)),
        ("beams", line(&chain, section, &steel)),
    ];
    let mut numbers = Numbers(7);
    for (_, model) in &mut models {
        let turn = Rotation3::new(Vector3::new(1.2, -0.7, 2.1)).into_inner();
        for point in 0..model.rotations.len() {
            let place = place(model, point);
            let shift = turn * place - place;
            let step: [f64; 3] = std::array::from_fn(|d| shift[d] + 0.02 * numbers.next());
            let tilt = Rotation3::new(0.1 * Vector3::from_fn(|_, _| numbers.next())).into_inner();
            model.turn(point, &[step[0], step[1], step[2], 0.0, 0.0, 0.0]);
            model.rotations[point] = tilt * turn;
        }
    }
    models
}

fn place(model: &Model, point: usize) -> Vector3<f64> {
    model.force.points()[point] + model.displacement(point)
}

/// Σ f and Σ x × f + m vanish in every configuration, to the rounding of the largest force.
#[test]
fn forces_of_any_state_have_no_sum_and_no_moment() {
    for (name, mut model) in models() {
        let forces = model.internal();
        let (mut sum, mut moment, mut scale) = (Vector3::zeros(), Vector3::zeros(), 0.0);
        for (point, forces) in forces.chunks_exact(6).enumerate() {
            let (f, m) = (Vector3::from_column_slice(&forces[..3]), Vector3::from_column_slice(&forces[3..]));
            sum += f;
            moment += place(&model, point).cross(&f) + m;
            scale += f.norm() + m.norm();
        }
        assert!(scale > 1.0, "{name}: {scale}");
        assert!(sum.norm() < 1e-14 * scale, "{name}: {:e}", sum.norm() / scale);
        assert!(moment.norm() < 1e-13 * scale, "{name}: {:e}", moment.norm() / scale);
    }
}

/// f = ∂U/∂u and m = ∂U/∂θ, by central differences of step 1e-5: their error is of the order of 1e-10.
#[test]
fn forces_are_derivatives_of_the_stored_energy() {
    for (name, mut model) in models() {
        let forces = model.internal();
        let scale = forces.iter().fold(0.0_f64, |a, f| a.max(f.abs()));
        for point in [0, 2, model.rotations.len() - 1] {
            for dof in 0..6 {
                let mut energy = |step: f64| {
                    let kept = (model.u.clone(), model.rotations.clone());
                    let mut by = [0.0; 6];
                    by[dof] = step;
                    model.turn(point, &by);
                    let Model { force, history, u, rotations, .. } = &mut model;
                    let energy = force.stored_energy(u, rotations, history).unwrap();
                    (model.u, model.rotations) = kept;
                    energy
                };
                let slope = (energy(1e-5) - energy(-1e-5)) / 2e-5;
                let force = forces[6 * point + dof];
                assert!((slope - force).abs() < 1e-7 * scale, "{name} {point} {dof}: {slope} {force}");
            }
        }
    }
}

/// The forces of a turned state are the turned forces, plastic layers included.
#[test]
fn forces_turn_with_the_body() {
    let steel = material(1000.0, 0.3);
    let sheet = Sheet::new([2, 2], |s, t| [s, t, 0.2 * s * t]);
    let hardening = Hardening::linear(5.0, 50.0).unwrap();
    let law = SolidLaw::Plastic(Plastic::new(ElasticModuli::of(&steel), hardening).unwrap());
    let turn = Rotation3::new(Vector3::new(-0.4, 1.9, 0.6)).into_inner();
    let forces = [Matrix3::identity(), turn].map(|turn| {
        let cells = sheet.cells(4, ShellSection::new(0.1, 5).unwrap());
        let mut model = Model::new(&sheet.points, cells, steel.clone(), law.clone());
        let mut numbers = Numbers(3);
        for point in 0..model.rotations.len() {
            let random = Vector3::from_fn(|_, _| numbers.next());
            let place = model.force.points()[point];
            let shift = turn * (place + 0.05 * random) - place;
            model.turn(point, &[shift.x, shift.y, shift.z, 0.0, 0.0, 0.0]);
            model.rotations[point] = turn * Rotation3::new(0.2 * random).into_inner();
        }
        model.internal()
    });
    let scale = forces[0].iter().fold(0.0_f64, |a, f| a.max(f.abs()));
    for (a, b) in forces[0].chunks_exact(3).zip(forces[1].chunks_exact(3)) {
        let (a, b) = (Vector3::from_column_slice(a), Vector3::from_column_slice(b));
        // Newton's iteration for the thickness stops at 1e-11 of the stress.
        assert!((turn * a - b).norm() < 1e-10 * scale, "{a} {b}");
    }
}

/// Masses of a plate and a beam: ρ h A and ρ A L.
#[test]
fn lumped_masses_sum_to_the_mass_of_the_body() {
    let steel = Material::named("steel").unwrap();
    let sheet = Sheet::new([3, 2], |s, t| [2.0 * s + 0.2 * t * s, t, 0.0]);
    for corners in [3, 4] {
        let masses = sheet.model(corners, 0.01, &steel).force.masses().clone();
        // A trapezium with sides 2 and 2.2 of height 1.
        let expected = 7800.0 * 0.01 * 2.1;
        assert!((masses.mass.iter().sum::<f64>() / expected - 1.0).abs() < 1e-14);
        assert!(masses.inertia.iter().all(|&inertia| inertia > 0.0));
    }
    let rod = line(&[[0.0; 3], [0.0, 3.0, 4.0]], BeamSection::circle(0.1).unwrap(), &steel);
    let expected = 7800.0 * 5.0 * std::f64::consts::PI * 0.01;
    assert!((rod.force.masses().mass.iter().sum::<f64>() / expected - 1.0).abs() < 1e-14);
}

/// One and two threads give the same bits.
#[test]
fn the_bits_of_forces_do_not_depend_on_threads() {
    let forces = [1, 2].map(|n| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
        pool.install(|| {
            let sheet = Sheet::new([40, 30], |s, t| [s, t, 0.1 * (7.0 * s * t).sin()]);
            let mut model = sheet.model(4, 0.02, &material(1000.0, 0.3));
            let mut numbers = Numbers(11);
            model.u.iter_mut().for_each(|u| *u = 0.001 * numbers.next());
            model.internal()
        })
    });
    assert_eq!(forces[0], forces[1]);
}

#[test]
fn impossible_blocks_are_refused_by_name() {
    let steel = Material::named("steel").unwrap();
    let section = ShellSection::new(0.01, 2).unwrap();
    let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.2, 0.2, 0.0]];
    let quad = |nodes: [u32; 4], law: SolidLaw| {
        let cells = StructuralCells::Quadrilaterals { connectivity: vec![nodes], section };
        let block = StructuralBlock { cells, material: steel.clone(), law };
        StructuralForce::new(&points, &[block]).unwrap_err()
    };
    let error = quad([0, 1, 2, 9], elastic(&steel));
    assert_eq!(error, StructuralError::NoSuchPoint { block: 0, cell: 0, node: 9, n_points: 4 });
    // Node 3 lies in the triangle of the others' side: the angle there is above half a turn.
    let concave = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.3, 0.3, 0.0], [0.0, 1.0, 0.0]];
    let cells = StructuralCells::Quadrilaterals { connectivity: vec![[0, 1, 2, 3]], section };
    let block = StructuralBlock { cells, material: steel.clone(), law: elastic(&steel) };
    let error = StructuralForce::new(&concave, &[block]).unwrap_err();
    assert_eq!(error, StructuralError::Flat { block: 0, cell: 0 });
    let linear = carom_fem::constitutive::SmallStrain::new(ElasticModuli::of(&steel));
    let message = quad([0, 1, 2, 3], SolidLaw::Elastic(ElasticLaw::SmallStrain(linear))).to_string();
    assert!(message.starts_with("block 0: shells have no law `small-strain`"), "{message}");
}
