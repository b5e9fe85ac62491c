//! The cost of each phase of a Craig-Bampton reduction: connecting rods of tet10, 50 fixed-interface modes.
//!
//! ```text
//! cargo bench -p carom-reduce --bench reduction                           # the meshes of the reference data
//! CAROM_BENCH_MESHES=DIR cargo bench -p carom-reduce --bench reduction    # MESH.msh of a folder with
//!                       # MESH.cb.json, MESH = conrod_30k, conrod_100k, conrod_200k, conrod_300k
//! ```
//!
//! One thread; CPU seconds, the least of some repetitions by phase; the modes are those with an inertia
//! count. The first rows have 20 interface points, as listed in the file of the mesh; those below have more,
//! spread over the surface. *Share* is the speed of the factorisation over that of a product of dense
//! matrices of 1536 rows, faer's or that of the factorisation's own kernel, whichever is faster. Peak memory
//! is that of one reduction, the mesh included.

use std::path::{Path, PathBuf};

use carom_fem::{Body, Discretisation, Geometry, Material, QuadratureRule, assemble};
use carom_linalg::tall::gram;
use carom_linalg::{Cholesky, DofSet, Symbolic, Wanted};
use carom_progress::Silent;
use carom_reduce::boundary::Boundary;
use carom_reduce::condensation::{Condensation, constraint_modes};
use carom_reduce::moments::Moments;
use carom_reduce::peak_memory_bytes;
use carom_reduce::solver::Interior;
use carom_testing::clock::{Time, timed};
use carom_testing::{json_file, numbers, shared_data};
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, Par};

/// Repetitions for bodies of at most `MANY_DOFS` dofs; the least time counts. Larger bodies are reduced
/// once.
const REPETITIONS: usize = 3;

/// Dofs up to which reductions are repeated.
const MANY_DOFS: usize = 150_000;

/// Fixed-interface modes.
const MODES: usize = 50;

/// Interface dofs of the rows below the first.
const LARGER_INTERFACES: [usize; 3] = [150, 300, 600];

/// Rows of the dense matrices whose product gives the reference speed.
const DENSE_ROWS: usize = 1536;

/// Time of each phase, and what the factorisation computes.
struct Phases {
    times: [Time; 6],
    operations: f64,
}

fn main() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("the machine has threads");
    let dense = dense_speed();
    println!("Dense product: {:.1} GFLOP/s on one thread.\n", 1e-9 * dense);
    println!(
        "| mesh | dofs | interface dofs | assembly | order, structure | factor | constraint modes | {MODES} \
         modes | projection | all | peak MB | factor GFLOP/s | share |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    let names = ["conrod_30k.msh", "conrod_100k.msh", "conrod_200k.msh", "conrod_300k.msh"];
    for (path, nodes) in names.iter().filter_map(|name| mesh_and_nodes(name)) {
        let body = body(&path);
        let discretisation = Discretisation::new(&body).expect("the body is sound");
        let listed: Vec<u32> =
            numbers(&json_file(&nodes)["interface_nodes"]).iter().map(|&node| node as u32 - 1).collect();
        row(&pool, &body, &discretisation, &listed, dense);
        let surface = discretisation.surface(&body.boundary_faces()).points;
        for n_dofs in LARGER_INTERFACES {
            let interface = spread(&discretisation.points, &surface, listed.clone(), n_dofs / 3);
            row(&pool, &body, &discretisation, &interface, dense);
        }
    }
}

/// A mesh and the list of its interface nodes, from the folder that the environment names or the reference
/// data.
fn mesh_and_nodes(name: &str) -> Option<(PathBuf, PathBuf)> {
    let list = format!("{name}.cb.json");
    match std::env::var_os("CAROM_BENCH_MESHES") {
        Some(folder) => {
            let folder = Path::new(&folder);
            let (mesh, list) = (folder.join(name), folder.join(list));
            (mesh.exists() && list.exists()).then_some((mesh, list))
        }
        None => Some((shared_data(&format!("meshes/{name}"))?, shared_data(&format!("meshes/{list}"))?)),
    }
}

fn body(path: &Path) -> Body {
    let (mesh, _) = carom_mesh::msh::read(path).expect("the mesh can be read");
    Body {
        name: path.file_stem().expect("a mesh has a name").to_string_lossy().into_owned(),
        material_of_block: vec![0; mesh.blocks.len()],
        geometry: Geometry::Mesh(mesh),
        materials: vec![Material::new("steel", 7800.0, 210e9, 0.3).expect("steel is a material")],
        sections: Vec::new(),
    }
}

/// Operations per second of a product of dense matrices, the best of some.
fn dense_speed() -> f64 {
    let a = Mat::from_fn(DENSE_ROWS, DENSE_ROWS, |i, j| ((i * 7 + j * 13) % 11) as f64);
    let mut c = Mat::zeros(DENSE_ROWS, DENSE_ROWS);
    let library = |c: &mut Mat<f64>| {
        timed(|| matmul(c.as_mut(), Accum::Replace, a.as_ref(), a.as_ref(), 1.0, Par::Seq)).1.cpu
    };
    // The kernel of the factorisation, on a product of the same size.
    let own = || timed(|| gram(a.as_ref(), a.as_ref())).1.cpu;
    let seconds = (0..5).map(|_| library(&mut c).min(own())).fold(f64::INFINITY, f64::min);
    2.0 * (DENSE_ROWS as f64).powi(3) / seconds
}

/// Adds points of a surface, each as far as possible from the earlier ones.
fn spread(points: &[[f64; 3]], surface: &[u32], mut chosen: Vec<u32>, n: usize) -> Vec<u32> {
    let square = |a: u32, b: u32| -> f64 {
        (0..3).map(|i| (points[a as usize][i] - points[b as usize][i]).powi(2)).sum()
    };
    let mut nearest: Vec<f64> = surface
        .iter()
        .map(|&point| chosen.iter().map(|&other| square(point, other)).fold(f64::INFINITY, f64::min))
        .collect();
    while chosen.len() < n {
        let farthest =
            (0..surface.len()).fold(0, |best, i| if nearest[i] > nearest[best] { i } else { best });
        chosen.push(surface[farthest]);
        for (distance, &point) in nearest.iter_mut().zip(surface) {
            *distance = distance.min(square(point, surface[farthest]));
        }
    }
    chosen.sort_unstable();
    chosen
}

/// Prints one row of the table.
fn row(
    pool: &rayon::ThreadPool,
    body: &Body,
    discretisation: &Discretisation,
    interface: &[u32],
    dense: f64,
) {
    // Linux then counts the peak anew; elsewhere it is that of all rows so far.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    let n_runs = if discretisation.n_dofs() <= MANY_DOFS { REPETITIONS } else { 1 };
    let runs = (0..n_runs).map(|_| pool.install(|| phases(discretisation, interface)));
    let least = runs
        .reduce(|a, b| Phases { times: std::array::from_fn(|i| a.times[i].least(b.times[i])), ..b })
        .expect("there are repetitions");
    let all: f64 = least.times.iter().map(|time| time.cpu).sum();
    let printed: Vec<String> = least.times.iter().map(|time| time.printed(1)).collect();
    let speed = least.operations / least.times[2].cpu;
    println!(
        "| {} | {} | {} | {} | {all:.2} | {} | {:.1} | {:.0} % |",
        body.name,
        discretisation.n_dofs(),
        3 * interface.len(),
        printed.join(" | "),
        peak_memory_bytes().map_or_else(|| "?".to_owned(), |bytes| (bytes >> 20).to_string()),
        1e-9 * speed,
        100.0 * speed / dense,
    );
}

/// One reduction, phase by phase.
fn phases(discretisation: &Discretisation, interface: &[u32]) -> Phases {
    let (system, assembly) =
        timed(|| assemble(discretisation, QuadratureRule::Default, &Silent).expect("the cells are sound"));
    let used = discretisation.point_is_used();
    let all = DofSet::from_flags(used.iter().map(|&used| [used; 3]).collect());
    let boundary = Boundary::of_points(interface.to_vec());
    let free = boundary.interior(&all);
    let (symbolic, order) =
        timed(|| Symbolic::new(&system.stiffness.graph, free).expect("METIS orders these graphs"));
    let operations = symbolic.flops();
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
    Phases { times: [assembly, order, factorisation, statics, eigen, projection], operations }
}
