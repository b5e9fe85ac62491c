//! CPU seconds of each phase of a Craig-Bampton reduction: connecting rods of tet10, 20 points as interface, 50 modes.
//!
//! ```text
//! cargo bench -p carom-reduce --bench reduction
//! ```
//!
//! One thread; the least of three repetitions by phase. The meshes belong to the reference data.

use carom_fem::{Body, Discretisation, Geometry, Material, QuadratureRule, assemble};
use carom_linalg::{Cholesky, DofSet, Symbolic, Wanted};
use carom_progress::Silent;
use carom_reduce::boundary::{Boundary, Interior};
use carom_reduce::condensation::{Condensation, constraint_modes};
use carom_reduce::moments::Moments;
use carom_testing::{json_file, numbers, shared_data};

use carom_testing::clock::{Time, timed};

/// Repetitions of which the least time counts.
const REPETITIONS: usize = 3;

/// Fixed-interface modes.
const MODES: usize = 50;

fn main() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("the machine has threads");
    println!(
        "| mesh | dofs | assembly | order, structure | factor | constraint modes | {MODES} modes | projection |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for file in ["conrod_30k.msh", "conrod_100k.msh"] {
        let (Some(path), Some(nodes)) =
            (shared_data(&format!("meshes/{file}")), shared_data(&format!("meshes/{file}.cb.json")))
        else {
            continue;
        };
        let interface: Vec<u32> =
            numbers(&json_file(&nodes)["interface_nodes"]).iter().map(|&node| node as u32 - 1).collect();
        let (mesh, _) = carom_mesh::msh::read(&path).expect("the mesh can be read");
        let body = Body {
            name: file.to_owned(),
            material_of_block: vec![0; mesh.blocks.len()],
            geometry: Geometry::Mesh(mesh),
            materials: vec![Material::new("steel", 7800.0, 210e9, 0.3).expect("steel is a material")],
        };
        let discretisation = Discretisation::new(&body).expect("the body is sound");
        let runs = (0..REPETITIONS).map(|_| pool.install(|| phases(&discretisation, &interface)));
        let least =
            runs.reduce(|a, b| std::array::from_fn(|i| a[i].least(b[i]))).expect("there are repetitions");
        let told: Vec<String> = least.iter().map(|time| time.told(1)).collect();
        println!("| {file} | {} | {} |", discretisation.n_dofs(), told.join(" | "));
    }
}

/// One reduction, phase by phase.
fn phases(discretisation: &Discretisation, interface: &[u32]) -> [Time; 6] {
    let (system, assembly) =
        timed(|| assemble(discretisation, QuadratureRule::Default, &Silent).expect("the cells are sound"));
    let used = discretisation.point_is_used();
    let all = DofSet::from_flags(used.iter().map(|&used| [used; 3]).collect());
    let boundary = Boundary::of_points(interface.to_vec());
    let free = boundary.interior(&all);
    let (symbolic, order) =
        timed(|| Symbolic::new(&system.stiffness.graph, free).expect("METIS orders these graphs"));
    let (factor, factorisation) = timed(|| {
        Cholesky::with_symbolic(symbolic, &system.stiffness, None, &Silent).expect("the body is held")
    });
    let factor = Interior::Definite(Box::new(factor));
    let (constraint, statics) =
        timed(|| constraint_modes(&system, &factor, &boundary, &discretisation.points, &used, &Silent));
    let constraint = constraint.expect("nobody stops it");
    let (condensation, eigen) = timed(|| {
        Condensation::new(&system, factor, constraint, Wanted::Count(MODES), &Silent)
            .expect("the body has these modes")
    });
    let (_, projection) =
        timed(|| Moments::new(&system.mass, &discretisation.points, condensation.basis.as_ref(), &Silent));
    [assembly, order, factorisation, statics, eigen, projection]
}
