//! Bodies that several tests share.

use std::collections::BTreeMap;

use carom_fem::{Body, Geometry, Material};
use carom_mesh::make::{HexOptions, Solid, hexahedra};
use carom_mesh::{CellBlock, CellShape, Mesh};
use carom_nurbs::Multipatch;
use carom_testing::shared_data;

pub(crate) fn steel() -> Material {
    Material::new("steel", 7800.0, 210e9, 0.3).unwrap()
}

fn body(name: &str, geometry: Geometry, n_blocks: usize) -> Body {
    Body {
        name: name.to_owned(),
        geometry,
        materials: vec![steel()],
        material_of_block: vec![0; n_blocks],
        sections: Vec::new(),
    }
}

/// A mesh of the reference data as a steel body.
pub(crate) fn reference_mesh(file: &str) -> Option<Body> {
    let path = shared_data(&format!("meshes/{file}"))?;
    let (mesh, _) = carom_mesh::msh::read(&path).unwrap();
    let n_blocks = mesh.blocks.len();
    Some(body(file, Geometry::Mesh(mesh), n_blocks))
}

pub(crate) fn nurbs(name: &str, multipatch: Multipatch) -> Body {
    let n_blocks = multipatch.patches.len();
    body(name, Geometry::Nurbs(multipatch), n_blocks)
}

/// A steel box of hex8 with sets west, east, south, north, bottom, top.
pub(crate) fn steel_box(size: [f64; 3], elements: [usize; 3]) -> Body {
    box_of(CellShape::Hex8, size, elements)
}

/// A steel cube of tet10, edge 1: n³ cubes, each of six tetrahedra around its diagonal.
pub(crate) fn tetrahedra(n: usize) -> Body {
    let side = 2 * n + 1;
    // Middles of the edges of these tetrahedra are middles of the cubes' edges, faces and diagonals.
    let node = |p: [usize; 3]| ((p[2] * side + p[1]) * side + p[0]) as u32;
    let points = (0..side.pow(3))
        .map(|i| [i % side, i / side % side, i / side / side].map(|c| c as f64 / (side - 1) as f64))
        .collect();
    let mut connectivity = Vec::new();
    for cube in 0..n.pow(3) {
        let low = [cube % n, cube / n % n, cube / n / n].map(|c| 2 * c);
        for order in [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]] {
            let mut corners = [low; 4];
            for k in 0..3 {
                corners[k + 1] = corners[k];
                corners[k + 1][order[k]] += 2;
            }
            // An odd permutation inverts the cell.
            if [[0, 2, 1], [2, 1, 0], [1, 0, 2]].contains(&order) {
                corners.swap(1, 2);
            }
            connectivity.extend(corners.map(node));
            for (a, b) in [(0, 1), (1, 2), (0, 2), (0, 3), (1, 3), (2, 3)] {
                connectivity.push(node([0, 1, 2].map(|i| (corners[a][i] + corners[b][i]) / 2)));
            }
        }
    }
    let blocks = vec![CellBlock { shape: CellShape::Tet10, connectivity }];
    body("tetrahedra", Geometry::Mesh(Mesh { points, blocks, sets: BTreeMap::new() }), 1)
}

/// A steel box of hexahedra with sets west, east, south, north, bottom, top.
pub(crate) fn box_of(shape: CellShape, size: [f64; 3], elements: [usize; 3]) -> Body {
    let options = HexOptions { shape, elements: elements.to_vec(), ..HexOptions::default() };
    let mesh = hexahedra(Solid::Box { size }, &options).unwrap();
    let n_blocks = mesh.blocks.len();
    body("box", Geometry::Mesh(mesh), n_blocks)
}
