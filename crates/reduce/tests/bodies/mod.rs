//! Bodies that several tests share.
#![allow(dead_code, reason = "each test file uses some of these")]

use std::path::PathBuf;

use carom_fem::{Body, Geometry, Material};
use carom_mesh::make::{HexOptions, Solid, hexahedra};
use carom_nurbs::Multipatch;
use serde_json::Value;

/// A file of the reference data, or `None` with a message if this machine does not have it.
pub(crate) fn shared_data(file: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("CAROM_SHARED_DATA").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")),
        PathBuf::from,
    );
    let path = folder.join(file);
    if path.exists() {
        return Some(path);
    }
    eprintln!("skipped: {} not found; set CAROM_SHARED_DATA", path.display());
    None
}

pub(crate) fn json(path: &std::path::Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

pub(crate) fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

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
