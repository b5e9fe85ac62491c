//! Free flight with large strains: the L-shape and the propeller of `meshes/tumbling` by energy-momentum
//! steps.

use std::path::Path;
use std::sync::Arc;

use carom_continuum::implicit::{ElasticBody, Elastodynamics, Method};
use carom_dynamics::Placement;
use carom_fem::constitutive::{ElasticLaw, ElasticModuli, SolidLaw};
use carom_fem::{Body, Geometry, Material};
use carom_mesh::inp;
use nalgebra::Vector3;

/// The body and the motion of the scenario of this name.
fn tumbling(name: &str, velocity: [f64; 3], angular_velocity: [f64; 3]) -> Elastodynamics {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../meshes/tumbling");
    let mesh = inp::read(&folder.join(format!("{name}.inp"))).unwrap().mesh;
    let rubber = Material::new("rubber", 1000.0, 1e6, 0.3).unwrap();
    let law = ElasticLaw::named("neo-hookean", ElasticModuli::of(&rubber)).unwrap();
    let body = Body {
        name: name.to_owned(),
        material_of_block: vec![0; mesh.blocks.len()],
        geometry: Geometry::Mesh(mesh),
        materials: vec![rubber],
        sections: Vec::new(),
    };
    let placement = Placement { velocity, angular_velocity, ..Placement::default() };
    let body = ElasticBody::new(&Arc::new(body), &placement, &[SolidLaw::Elastic(law)]).unwrap();
    Elastodynamics::new(vec![body], Method::EnergyMomentum).unwrap()
}

fn bodies() -> [(&'static str, Elastodynamics); 2] {
    [
        ("l-shape", tumbling("l-shape", [0.1, 0.0, 0.2], [20.0, -12.0, 18.0])),
        ("propeller", tumbling("propeller", [0.0, 0.1, 0.3], [6.0, -4.0, 40.0])),
    ]
}

/// Largest relative changes of energy and of angular momentum about the centre of mass' start, and the
/// largest part of the energy that is stored.
fn drift(system: &mut Elastodynamics, steps: usize) -> [f64; 3] {
    let start = system.energies().unwrap();
    let mut most = [0.0_f64; 3];
    for _ in 0..steps {
        system.step(2e-3).unwrap();
        let now = system.energies().unwrap();
        let turned = Vector3::from(now.ang_momentum) - Vector3::from(start.ang_momentum);
        let changes = [
            (now.total() / start.total() - 1.0).abs(),
            turned.norm() / Vector3::from(start.ang_momentum).norm(),
            now.stored / start.total(),
        ];
        (0..3).for_each(|i| most[i] = most[i].max(changes[i]));
    }
    most
}

#[test]
fn tumbling_bodies_keep_energy_and_angular_momentum() {
    for (name, mut system) in bodies() {
        let [energy, ang_momentum, stored] = drift(&mut system, 40);
        assert!(energy < 1e-12 && ang_momentum < 1e-12, "{name}: {energy} {ang_momentum}");
        assert!(stored > 1e-3, "{name}: {stored}");
    }
}

/// Each step is solved to round-off, 1e-15 of the energy: 1e4 steps stay within 1e-11.
#[test]
#[ignore = "8 minutes: 1e4 steps of each body"]
fn tumbling_bodies_keep_energy_and_angular_momentum_over_ten_thousand_steps() {
    for (name, mut system) in bodies() {
        let [energy, ang_momentum, stored] = drift(&mut system, 10_000);
        println!(
            "{name}: energy {energy:.1e}, angular momentum {ang_momentum:.1e}, stored up to {stored:.3}"
        );
        assert!(energy < 1e-11 && ang_momentum < 1e-11, "{name}: {energy} {ang_momentum}");
    }
}
