//! A small body that is exported to other programs and imported again.

use std::path::Path;

use assert_cmd::Command;
use carom_fem::{Body, Geometry, Material};
use carom_format::write_body;
use carom_mesh::make::{HexOptions, Solid, hexahedra};
use carom_testing::program::json;

/// A folder with `bar.npz`, a bar of 6 × 2 × 2 hexahedra, and `bar.rom`, reduced with the interfaces west and
/// east.
pub(crate) fn folder_with_bar() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let options = HexOptions { elements: vec![6, 2, 2], ..HexOptions::default() };
    let mesh = hexahedra(Solid::Box { size: [0.12, 0.02, 0.03] }, &options).unwrap();
    let n_blocks = mesh.blocks.len();
    let body = Body {
        name: "bar".to_owned(),
        geometry: Geometry::Mesh(mesh),
        materials: vec![Material::new("steel", 7800.0, 210e9, 0.3).unwrap()],
        material_of_block: vec![0; n_blocks],
        sections: Vec::new(),
    };
    write_body(&folder.path().join("bar.npz"), &body).unwrap();
    reduce(
        folder.path(),
        "craig-bampton bar.npz -o bar.rom --interface west --interface east --modes 12 --json",
    );
    folder
}

/// Runs `carom-reduce`, which must succeed and print one JSON object.
pub(crate) fn reduce(folder: &Path, line: &str) {
    let mut program = Command::cargo_bin("carom-reduce").unwrap();
    json(&program.current_dir(folder).args(line.split(' ')).output().unwrap());
}
