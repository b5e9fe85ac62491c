//! Reductions by a factor compared with those by iteration, of slender and of bulky bodies, 24
//! fixed-interface modes.
//!
//! ```text
//! cargo bench -p carom-reduce --bench iterative    # cubes of hex20, and rods of the reference data
//! cargo bench -p carom-reduce --bench iterative -- 43    # 43³ hex20, a million dofs, iteration alone
//! CAROM_BENCH_MESHES=DIR cargo bench -p carom-reduce --bench iterative    # the .msh of a folder;
//!                                     # up to 150 000 dofs by a factor too
//! ```
//!
//! One thread; CPU seconds. The interface is twenty points spread over the surface. Peak memory is that of
//! one reduction, the mesh included; *apart* is the largest relative difference of the frequencies of both
//! ways.

use std::path::PathBuf;

use carom_fem::{Body, Discretisation, Geometry, Material, QuadratureRule, assemble};
use carom_linalg::{DofSet, Wanted};
use carom_mesh::make::{HexOptions, Solid, hexahedra};
use carom_mesh::{CellShape, Mesh};
use carom_progress::Silent;
use carom_reduce::boundary::Boundary;
use carom_reduce::condensation::{Condensation, constraint_modes};
use carom_reduce::peak_memory_bytes;
use carom_reduce::solver::{Interior, Operator, Solver, SolverChoice};
use carom_testing::clock::{Time, timed};
use carom_testing::shared_data;

/// Fixed-interface modes.
const MODES: usize = 24;

/// Interface points.
const INTERFACE: usize = 20;

/// Cells along the edge of the cubes that are reduced in both ways.
const CUBES: [usize; 3] = [9, 13, 20];

/// Dofs up to which a body of a folder is reduced by a factor too.
const MOST_DIRECT: usize = 150_000;

fn main() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("the machine has threads");
    println!(
        "| body | dofs | way | factor or levels | constraint modes | {MODES} modes | all | iterations | peak \
         MB | apart |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    pool.install(|| {
        let cells: Vec<usize> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
        for &n in &cells {
            rows(&cube(n), false);
        }
        if !cells.is_empty() {
            return;
        }
        let meshes = meshes();
        if std::env::var_os("CAROM_BENCH_MESHES").is_none() {
            for n in CUBES {
                rows(&cube(n), true);
            }
        }
        for path in meshes {
            let (mesh, _) = carom_mesh::msh::read(&path).expect("the mesh can be read");
            let name = path.file_stem().expect("a mesh has a name").to_string_lossy().into_owned();
            let is_small = 3 * mesh.points.len() <= MOST_DIRECT;
            rows(&steel(name, mesh), is_small);
        }
    });
}

/// The meshes of the folder that the environment names, or of the reference data.
fn meshes() -> Vec<PathBuf> {
    let Some(folder) = std::env::var_os("CAROM_BENCH_MESHES") else {
        let names = ["conrod_30k.msh", "conrod_100k.msh"];
        return names.iter().filter_map(|name| shared_data(&format!("meshes/{name}"))).collect();
    };
    let entries = std::fs::read_dir(folder).expect("the folder can be read");
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "msh"));
    paths.sort();
    paths
}

fn cube(n: usize) -> Body {
    let options = HexOptions { shape: CellShape::Hex20, elements: vec![n], ..HexOptions::default() };
    let mesh = hexahedra(Solid::Box { size: [0.1; 3] }, &options).expect("a cube can be meshed");
    steel(format!("cube of {n}³ hex20"), mesh)
}

fn steel(name: String, mesh: Mesh) -> Body {
    Body {
        name,
        material_of_block: vec![0; mesh.blocks.len()],
        geometry: Geometry::Mesh(mesh),
        materials: vec![Material::new("steel", 7800.0, 210e9, 0.3).expect("steel is a material")],
        sections: Vec::new(),
    }
}

/// Prints the rows of a body.
fn rows(body: &Body, is_direct_too: bool) {
    let discretisation = Discretisation::new(body).expect("the body is sound");
    let surface = discretisation.surface(&body.boundary_faces()).points;
    let step = (surface.len() / INTERFACE).max(1);
    let interface: Vec<u32> = surface.iter().copied().step_by(step).take(INTERFACE).collect();
    let iterative = row(body, &discretisation, &interface, Solver::Iterative, None);
    if is_direct_too {
        row(body, &discretisation, &interface, Solver::Direct, Some(&iterative));
    }
}

/// One reduction; returns the eigenvalues.
fn row(
    body: &Body,
    discretisation: &Discretisation,
    interface: &[u32],
    solver: Solver,
    others: Option<&[f64]>,
) -> Vec<f64> {
    // Linux then counts the peak anew; elsewhere it is that of all rows so far.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    let system = assemble(discretisation, QuadratureRule::Default, &Silent).expect("the cells are sound");
    let used = discretisation.point_is_used();
    let points = &discretisation.points;
    let boundary = Boundary::of_points(interface.to_vec());
    let space = boundary.space(&DofSet::from_flags(used.iter().map(|&used| [used; 3]).collect()));
    let operator = Operator { k: &system.stiffness, shifted_mass: None, points };
    let choice = SolverChoice { solver, memory: None };
    let (interior, inverse) =
        timed(|| Interior::new(operator, space, &choice, 0, &Silent).expect("the body is held"));
    let (constraint, statics) =
        timed(|| constraint_modes(&system, &interior, &boundary, points, &used, &Silent));
    let constraint = constraint.expect("nobody stops it");
    let iterations = interior.most_iterations().map_or_else(String::new, |n| n.to_string());
    let (condensation, eigen) = timed(|| {
        Condensation::new(&system, interior, constraint, Wanted::Count(MODES), &Silent)
            .expect("the body has these modes")
    });
    let lambda = condensation.fixed_lambda;
    let apart = others.map_or_else(String::new, |others| {
        let parts = others.iter().zip(&lambda).map(|(a, b)| ((a / b).sqrt() - 1.0).abs());
        format!("{:.0e}", parts.fold(0.0, f64::max))
    });
    let printed: Vec<String> = [inverse, statics, eigen].iter().map(|time: &Time| time.printed(1)).collect();
    let all: f64 = [inverse, statics, eigen].iter().map(|time| time.cpu).sum();
    println!(
        "| {} | {} | {solver} | {} | {all:.1} | {iterations} | {} | {apart} |",
        body.name,
        discretisation.n_dofs(),
        printed.join(" | "),
        peak_memory_bytes().map_or_else(|| "?".to_owned(), |bytes| (bytes >> 20).to_string()),
    );
    lambda
}
