//! Supports in single directions, and bodies of several parts.

use carom_fem::{Body, Geometry, Material};
use carom_format::{Scenario, read_rom, write_body};
use carom_mesh::make::{HexOptions, Solid, hexahedra};
use carom_simulate::survey;

use crate::fixtures::{Chain, parse};

fn bar(reduce: &str) -> Scenario {
    let text = format!(
        "[simulation]\nend_time = 1e-4\n[[body]]\nname = \"bar\"\nmaterial = \"steel\"\nmake = \
         {{ shape = \"box\", size = [0.1, 0.02, 0.02], elements = [4, 2, 2] }}\nreduce = {{ {reduce} }}\n"
    );
    parse(&text, &[])
}

#[test]
fn directions_of_a_set_are_held_by_the_key_fix() {
    let chain = Chain::new();
    let omega = |fix: &str| {
        let scenario = bar(&format!("interface = [\"east\"], modes = 8, fix = {fix}"));
        chain.prepare(&scenario).unwrap();
        read_rom(&chain.bodies().join("bar.rom")).unwrap().reduced
    };
    let (whole, parts) = (omega("[\"west\"]"), omega("[\"west=x\", \"west=zy\"]"));
    assert_eq!(parts.held, ["west=x", "west=zy"]);
    assert_eq!(whole.omega, parts.omega);
    // Insufficient supports and invalid directions are found before any computation.
    for (fix, expected) in
        [("[\"west=x\"]", "leaves 3 of 6"), ("[\"west=w\"]", "`west=w`"), ("[\"wst=x\"]", "wst")]
    {
        let scenario = bar(&format!("interface = [\"east\"], modes = 8, fix = {fix}"));
        let problems = survey(&scenario, Chain::new().workshop(), &carom_progress::Silent).problems;
        assert!(problems.len() == 1 && problems[0].to_string().contains(expected), "{fix}: {problems:?}");
    }
}

#[test]
fn a_body_of_two_parts_is_found_before_any_computation() {
    let chain = Chain::new();
    let options = HexOptions { elements: vec![2, 2, 2], ..HexOptions::default() };
    let mut mesh = hexahedra(Solid::Box { size: [0.1; 3] }, &options).unwrap();
    let n = mesh.points.len() as u32;
    mesh.points.extend(mesh.points.clone().iter().map(|x| [x[0] + 0.2, x[1], x[2]]));
    let more: Vec<u32> = mesh.blocks[0].connectivity.iter().map(|p| p + n).collect();
    mesh.blocks[0].connectivity.extend(more);
    let body = Body {
        name: "two".to_owned(),
        material_of_block: vec![0; mesh.blocks.len()],
        geometry: Geometry::Mesh(mesh),
        materials: vec![Material::new("steel", 7800.0, 210e9, 0.3).unwrap()],
        sections: Vec::new(),
    };
    write_body(&chain.folder().join("two.npz"), &body).unwrap();
    let text = "[simulation]\nend_time = 1e-4\n[[body]]\nname = \"two\"\nbody = \"two.npz\"\nreduce = \
        { interface = [\"west\"], modes = 8 }\n";
    let problems = survey(&parse(text, &[]), chain.workshop(), &carom_progress::Silent).problems;
    assert_eq!(problems.len(), 1, "{problems:?}");
    let text = problems[0].to_string();
    assert!(
        text.contains("2 parts without a common node") && text.contains("part 1: 27 nodes with"),
        "{text}"
    );
}
