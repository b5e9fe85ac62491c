//! Bodies that several tests share.
#![allow(dead_code, reason = "each test file uses some of these")]

use carom_fem::{Body, Geometry, Material};
use carom_mesh::make::{HexOptions, Solid, hexahedra};
use carom_nurbs::Multipatch;
use carom_testing::shared_data;

pub(crate) fn steel() -> Material {
    Material::new("steel", 7800.0, 210e9, 0.3).unwrap()
}

fn body(name: &str, geometry: Geometry, n_blocks: usize) -> Body {
    Body { name: name.to_owned(), geometry, materials: vec![steel()], material_of_block: vec![0; n_blocks] }
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

/// A steel box of hexahedra with sets west, east, south, north, bottom, top.
pub(crate) fn steel_box(size: [f64; 3], elements: [usize; 3]) -> Body {
    let options = HexOptions { elements: elements.to_vec(), ..HexOptions::default() };
    let mesh = hexahedra(Solid::Box { size }, &options).unwrap();
    let n_blocks = mesh.blocks.len();
    body("box", Geometry::Mesh(mesh), n_blocks)
}
