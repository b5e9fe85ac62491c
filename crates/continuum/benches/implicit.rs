//! The cost of implicit steps in contact: iterations, and both ways to solve the linear systems;
//! docs/decisions/0061-contact-of-conserving-steps.md lists the figures.
//!
//! ```text
//! cargo bench -p carom-continuum --bench implicit            # the hollow ball on a plate, steps 1 to 25
//! cargo bench -p carom-continuum --bench implicit -- 2       # cells half as large
//! cargo bench -p carom-continuum --bench implicit -- 1 60    # with this number of steps
//! cargo bench -p carom-continuum --bench implicit -- 3 8     # a third as large, condensed rows alone
//! ```
//!
//! Times are CPU seconds of one thread. The ball lands in the fourth step and flattens from then on.

use std::sync::Arc;

use carom_contact::Law;
use carom_continuum::implicit::{ContactSpec, ElasticBody, Elastodynamics, Method, Solver};
use carom_dynamics::Placement;
use carom_fem::constitutive::{ElasticLaw, ElasticModuli, SolidLaw};
use carom_fem::{Body, Geometry, Material};
use carom_mesh::make::{HexOptions, Solid, hexahedra};
use carom_testing::clock::thread_seconds;
use rayon::ThreadPoolBuilder;

fn main() {
    let numbers: Vec<usize> = std::env::args().skip(1).filter_map(|word| word.parse().ok()).collect();
    let fineness = numbers.first().copied().unwrap_or(1);
    let steps = numbers.get(1).copied().unwrap_or(25);
    let one = ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    one.install(|| {
        println!(
            "| method | solver | dof | steps | iterations a step | products an iteration | LU | CPU ms \
             a step | residuals, matrices, factors, solutions | energy at the end |"
        );
        println!("|---|---|---|---|---|---|---|---|---|---|");
        for method in [Method::EnergyMomentum, Method::Midpoint] {
            // A sparse LU of the finest cells takes minutes a step.
            let solvers = if fineness > 2 { 1 } else { 2 };
            for solver in [Solver::Condensed, Solver::Coupled].into_iter().take(solvers) {
                measure(fineness, steps, method, solver);
            }
        }
    });
}

/// One run, as a line of the table.
fn measure(fineness: usize, steps: usize, method: Method, solver: Solver) {
    let mut system = hollow_ball(fineness, method).with_solver(solver);
    let dofs: usize = system.bodies().iter().map(|body| body.displacements().len()).sum();
    let start = thread_seconds();
    let h = 0.01;
    for step in 0..steps {
        if let Err(error) = system.step(h) {
            println!("| {method:?} | {solver:?} | {dofs} | step {step}: {error} |");
            return;
        }
    }
    let spent = thread_seconds() - start;
    let energy = system.energies().expect("regular cells").total();
    let counts = system.counts();
    let (per_step, products) = (
        counts.iterations as f64 / steps as f64,
        counts.products as f64 / (counts.iterations - counts.factorisations).max(1) as f64,
    );
    let (lu, ms) = (counts.factorisations, 1e3 * spent / steps as f64);
    let phases = system.phases();
    let share = [phases.residuals, phases.matrices, phases.factors, phases.solutions]
        .map(|seconds| format!("{:.0} %", 100.0 * seconds / spent))
        .join(", ");
    println!(
        "| {method:?} | {solver:?} | {dofs} | {steps} | {per_step:.2} | {products:.2} | {lu} | {ms:.1} | \
         {share} | {energy:.9} J |"
    );
}

/// The hollow ball of meshes/hollow-ball with the cells of both bodies divided.
fn hollow_ball(fineness: usize, method: Method) -> Elastodynamics {
    let made = |name: &str, solid: Solid, elements: Vec<usize>| {
        let options = HexOptions { elements, ..HexOptions::default() };
        let mesh = hexahedra(solid, &options).expect("a mesh");
        let rubber = Material {
            density: 1000.0,
            young: 1e5,
            poisson: 0.4,
            ..Material::named("steel").expect("steel")
        };
        Arc::new(Body {
            name: name.to_owned(),
            material_of_block: vec![0; mesh.blocks.len()],
            geometry: Geometry::Mesh(mesh),
            materials: vec![rubber],
            sections: Vec::new(),
        })
    };
    let n = fineness;
    let ball = made("ball", Solid::Shell { radius: 1.0, inner_radius: 0.8 }, vec![6 * n, 2 * n]);
    let plate = made("plate", Solid::Plate { size: [4.0, 4.0, 0.4] }, vec![10 * n, 10 * n, n]);
    let elastic = |body: &Arc<Body>, placement: Placement| {
        let law = ElasticLaw::named("saint-venant-kirchhoff", ElasticModuli::of(&body.materials[0]))
            .expect("a law");
        ElasticBody::new(body, &placement, &[SolidLaw::Elastic(law)]).expect("a body")
    };
    let bodies = vec![
        elastic(&ball, Placement { velocity: [0.0, 1.0, -1.0], ..Placement::default() }),
        elastic(&plate, Placement { origin: [0.0, 0.0, -1.22], ..Placement::default() }),
    ];
    let contact = ContactSpec {
        law: Law::Hard,
        friction: 0.0,
        is_mixed: false,
        bodies: [0, 1],
        sets: ["outer".to_owned(), "top".to_owned()],
        number: 0,
    };
    let system = Elastodynamics::new(bodies, method).expect("bodies");
    system.with_contacts(&[contact]).expect("surfaces")
}
