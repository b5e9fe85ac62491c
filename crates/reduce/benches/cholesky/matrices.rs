//! The matrices: lattices, a connecting rod of tet10, an exact ball.

use std::path::Path;

use carom_fem::{Body, Discretisation, Geometry, Material, QuadratureRule, assemble};
use carom_linalg::{BlockMatrix, DofSet, NodeMatrix};
use carom_nurbs::solids;
use carom_progress::Silent;
use carom_testing::{json_file, numbers, shared_data};

use crate::library::LowerTriangle;

#[allow(dead_code, reason = "the benchmark uses a part")]
#[path = "../../../linalg/tests/lattice/mod.rs"]
mod lattice;

/// K + sM over free dofs.
pub(crate) struct Problem {
    pub(crate) k: BlockMatrix,
    pub(crate) m: NodeMatrix,
    pub(crate) shift: f64,
    pub(crate) free: DofSet,
    pub(crate) lower: LowerTriangle,
}

impl Problem {
    fn new(k: BlockMatrix, m: NodeMatrix, shift: f64, free: DofSet) -> Self {
        let lower = LowerTriangle::new(&k, &m, shift, &free);
        Self { k, m, shift, free, lower }
    }

    /// A steel body, free (then with a shift) or held at some points.
    fn of_body(geometry: Geometry, n_blocks: usize, held: &[u32]) -> Self {
        let steel = Material::new("steel", 7800.0, 210e9, 0.3).expect("steel is a material");
        let body = Body {
            name: "body".to_owned(),
            geometry,
            materials: vec![steel],
            material_of_block: vec![0; n_blocks],
            sections: Vec::new(),
        };
        let discretisation = Discretisation::new(&body).expect("the body is sound");
        let system =
            assemble(&discretisation, QuadratureRule::Default, &Silent).expect("the cells are sound");
        let used = discretisation.point_is_used();
        let free = DofSet::from_flags(used.iter().map(|&used| [used; 3]).collect()).without_nodes(held);
        // Far below the first elastic mode of bodies of some centimetres or metres, far above rounding.
        let shift = if held.is_empty() { 1e6 } else { 0.0 };
        Self::new(system.stiffness, system.mass, shift, free)
    }
}

/// A name and a way to make the matrix; `None` where its mesh is missing.
type Named = (&'static str, fn() -> Option<Problem>);

/// All matrices, small ones first.
pub(crate) fn all() -> [Named; 10] {
    [
        ("lattice 16³, reach 1", || Some(lattice([16; 3], 1))),
        ("lattice 24³, reach 1", || Some(lattice([24; 3], 1))),
        ("lattice 32³, reach 1", || Some(lattice([32; 3], 1))),
        ("lattice 10³, reach 4", || Some(lattice([10; 3], 4))),
        ("lattice 14³, reach 4", || Some(lattice([14; 3], 4))),
        ("lattice 18³, reach 4", || Some(lattice([18; 3], 4))),
        ("conrod of the gallery, tet10, free", || {
            let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../meshes/ball-on-conrod/conrod.msh");
            Some(mesh(Path::new(path), &[]))
        }),
        ("conrod_30k, tet10, 20 points held", || reference("conrod_30k.msh")),
        ("conrod_100k, tet10, 20 points held", || reference("conrod_100k.msh")),
        ("ball of degree 4, free", || {
            let ball = solids::ball(1.0, None).and_then(|ball| ball.with_degree(4)).expect("4 is a degree");
            let ball = ball.subdivide(6).expect("6 spans fit");
            let n_blocks = ball.patches.len();
            Some(Problem::of_body(Geometry::Nurbs(ball), n_blocks, &[]))
        }),
    ]
}

/// The dofs, counted among the free ones, in an order of the nodes.
pub(crate) fn dof_order(free: &DofSet, nodes: &[u32]) -> Vec<usize> {
    let mut first = vec![0; free.n_nodes() + 1];
    for node in 0..free.n_nodes() {
        first[node + 1] = first[node] + free.of_node(node).iter().filter(|&&free| free).count();
    }
    nodes.iter().flat_map(|&node| first[node as usize]..first[node as usize + 1]).collect()
}

fn lattice(n: [usize; 3], reach: usize) -> Problem {
    let graph = lattice::graph(n, reach);
    Problem::new(lattice::springs(n, &graph), lattice::mass(&graph), 0.1, DofSet::all(graph.n_nodes()))
}

fn mesh(path: &Path, held: &[u32]) -> Problem {
    let (mesh, _) = carom_mesh::msh::read(path).expect("the mesh can be read");
    let n_blocks = mesh.blocks.len();
    Problem::of_body(Geometry::Mesh(mesh), n_blocks, held)
}

/// A mesh of the reference data, held at the points that its reduction takes as interface.
fn reference(file: &str) -> Option<Problem> {
    let path = shared_data(&format!("meshes/{file}"))?;
    let nodes = json_file(&shared_data(&format!("meshes/{file}.cb.json"))?);
    let held: Vec<u32> = numbers(&nodes["interface_nodes"]).iter().map(|&node| node as u32 - 1).collect();
    Some(mesh(&path, &held))
}
