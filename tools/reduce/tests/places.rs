//! `craig-bampton --places`: models with smooth loads at places of their surface, and refused regions.

use crate::program::{failure, json, run};
use carom_fem::{Body, Geometry, Material};
use carom_format::write_body;
use carom_mesh::CellShape;
use carom_mesh::make::{HexOptions, Solid, hexahedra};

/// A folder with a block of 3 × 3 × 2 quadratic hexahedra, 30 mm × 30 mm × 20 mm.
fn folder_with_block() -> tempfile::TempDir {
    let options = HexOptions { shape: CellShape::Hex20, elements: vec![3, 3, 2], ..HexOptions::default() };
    let mesh = hexahedra(Solid::Box { size: [0.03, 0.03, 0.02] }, &options).unwrap();
    let body = Body {
        name: "block".to_owned(),
        material_of_block: vec![0; mesh.blocks.len()],
        geometry: Geometry::Mesh(mesh),
        materials: vec![Material::new("steel", 7800.0, 210e9, 0.3).unwrap()],
        sections: Vec::new(),
    };
    let folder = tempfile::tempdir().unwrap();
    write_body(&folder.path().join("block.npz"), &body).unwrap();
    folder
}

/// Faces of the second degree have loads of 1.5 edges; a body without an interface keeps free modes.
#[test]
fn a_model_with_places_alone_is_reported_with_its_loads() {
    let folder = folder_with_block();
    let at = folder.path();
    let made = json(
        at,
        "craig-bampton block.npz -o block.rom --modes 4 --places top --places 0.015,0.015,0:0.002 --json",
    );
    let info = json(at, "info block.rom --json");
    let [top, spot] = &info["places"].as_array().unwrap()[..] else { panic!("two regions: {info}") };
    assert_eq!([&top["name"], &spot["name"]], ["top", "0.015,0.015,0:0.002"]);
    assert_eq!([&made["places"][0], &made["places"][1]], [&top["places"], &spot["places"]]);
    assert_eq!(top["faces"], 9);
    let near = |key: &str, expected: f64| {
        let found = top[key].as_f64().unwrap();
        assert!((found - expected).abs() < 1e-6 * expected, "{key}: {found}, expected {expected}");
    };
    near("edge", 0.01);
    near("radius", 0.015);
    near("thickness", 0.02);
    // Loads of a radius of half the block cross its edges.
    assert!(top["cut_loads"].as_u64() > Some(0), "{top}");
    assert_eq!(info["interfaces"].as_array().map(Vec::len), Some(0), "{info}");
    let given = info["options"]["places"].as_array().unwrap();
    assert_eq!(given.len(), 2, "{}", info["options"]);

    let text = String::from_utf8(run(at, "info block.rom").stdout).unwrap();
    let line = text.lines().find(|line| line.contains("top: ")).unwrap_or_else(|| panic!("{text}"));
    assert!(line.contains(&format!("{} loads", top["places"])), "{line}");
    assert!(line.contains("of radius 1.500e-2 m") && line.contains("on 9 faces"), "{line}");
    assert!(line.contains("thickness 2.000e-2 m"), "{line}");
    assert!(text.contains("--places top"), "{text}");
}

#[test]
fn regions_that_cannot_carry_loads_are_refused_by_name() {
    let folder = folder_with_block();
    let refused = |code: i32, region: &str| {
        let line = format!("craig-bampton block.npz -o block.rom --modes 4 --places {region}");
        let message = failure(folder.path(), code, &line);
        assert!(!folder.path().join("block.rom").exists(), "{message}");
        message
    };
    let unknown = refused(3, "roof");
    assert!(unknown.contains("`roof`") && unknown.contains("top"), "{unknown}");
    let radius = refused(2, "0.015,0.015,0.02:0");
    assert!(radius.contains("`0.015,0.015,0.02:0` is not a region for places"), "{radius}");
    assert!(radius.contains("`X,Y,Z:R`"), "{radius}");
    let outside = refused(3, "0.015,0.015,0.5:0.01");
    assert!(outside.contains("`block`") && outside.contains("1.000e-2 m"), "{outside}");
}
