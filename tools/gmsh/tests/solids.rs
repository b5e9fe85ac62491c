//! One solid of an assembly, and where it touches others.

use std::f64::consts::PI;
use std::path::Path;

use carom_mesh::{Mesh, msh, quality};
use carom_testing::program::{failure, json, printed};
use serde_json::Value;
use tempfile::TempDir;

use crate::meshing::{folder_with, run};

/// A plate with a pin on it, of which the circle is the common face, and a block apart from both.
const PLATE_PIN_BLOCK: &str = "SetFactory(\"OpenCASCADE\");\nBox(1) = {0, 0, 0, 0.1, 0.1, 0.02};\n\
    Cylinder(2) = {0.05, 0.04, 0.02, 0, 0, 0.03, 0.02};\nBox(3) = {0.3, 0, 0, 0.02, 0.03, 0.04};\n\
    Save \"part.step\";\n";

/// Two blocks with a common corner of their faces: a rectangle of 0.5 × 0.25.
const SHIFTED: &str = "SetFactory(\"OpenCASCADE\");\nBox(1) = {0, 0, 0, 1, 1, 1};\nBox(2) = {0.5, 0.75, 1, \
    1, 1, 1};\nSave \"part.step\";\n";

/// A folder with `part.step`, which Gmsh writes as it runs the script.
fn folder_with_step(script: &str) -> TempDir {
    let folder = folder_with("script.geo", script);
    let made = run(folder.path(), &["script.geo", "-o", "script.msh", "--order", "1"]);
    assert!(made.status.success(), "{}", printed(&made));
    folder
}

fn meshed(folder: &Path, solid: &str, more: &[&str]) -> (Mesh, String) {
    let args = [&["part.step", "-o", "part.msh", "--solid", solid], more].concat();
    let output = run(folder, &args);
    assert!(output.status.success(), "{}", printed(&output));
    (msh::read(&folder.join("part.msh")).unwrap().0, printed(&output))
}

/// Area of a set of faces of quadratic tetrahedra, each as four triangles: 0.8 % too small for a circle with
/// 14 sides, exact with straight sides.
fn area(mesh: &Mesh, set: &str) -> f64 {
    let triangle = |[a, b, c]: [[f64; 3]; 3]| {
        let [u, v] = [b, c].map(|x| [0, 1, 2].map(|d| x[d] - a[d]));
        let normal = [0, 1, 2].map(|d| u[(d + 1) % 3] * v[(d + 2) % 3] - u[(d + 2) % 3] * v[(d + 1) % 3]);
        0.5 * normal.iter().map(|n| n * n).sum::<f64>().sqrt()
    };
    let of_face = |&face| {
        let x: Vec<[f64; 3]> = mesh.face(face).1.map(|node| mesh.points[node as usize]).collect();
        [[0, 3, 5], [3, 1, 4], [5, 4, 2], [3, 4, 5]]
            .map(|corners| triangle(corners.map(|k| x[k])))
            .iter()
            .sum::<f64>()
    };
    mesh.faces_of_set(set).unwrap().iter().map(of_face).sum()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

#[test]
fn the_list_has_volume_centre_box_and_ties() {
    let folder = folder_with_step(PLATE_PIN_BLOCK);
    let listed = json(&run(folder.path(), &["part.step", "--list", "--json"]));
    let solids = listed["solids"].as_array().unwrap();
    let volumes = [2e-4, PI * 4e-4 * 0.03, 2.4e-5];
    let centres = [[0.05, 0.05, 0.01], [0.05, 0.04, 0.035], [0.31, 0.015, 0.02]];
    assert_eq!(solids.len(), 3);
    for ((solid, volume), centre) in solids.iter().zip(volumes).zip(centres) {
        assert!((solid["volume"].as_f64().unwrap() / volume - 1.0).abs() < 1e-9, "{solid}");
        let found = numbers(&solid["centre"]);
        assert!((0..3).all(|d| (found[d] - centre[d]).abs() < 1e-9), "{solid}");
    }
    let high = numbers(&solids[2]["bounds"][1]);
    assert!((0..3).all(|d| (high[d] - [0.32, 0.03, 0.04][d]).abs() < 1e-6), "{high:?}");
    let ties = listed["ties"].as_array().unwrap();
    assert_eq!(ties.len(), 1, "{listed}");
    assert_eq!((&ties[0]["name"], &ties[0]["overlap"]), (&"tie-1-2".into(), &0.0.into()));
    assert!((ties[0]["area"].as_f64().unwrap() / (PI * 4e-4) - 1.0).abs() < 1e-6);
    let centre = numbers(&ties[0]["centre"]);
    assert!((0..3).all(|d| (centre[d] - [0.05, 0.04, 0.02][d]).abs() < 1e-8), "{centre:?}");
}

/// The face of the plate is cut along the circle: the set has its area, and the face keeps its own.
#[test]
fn each_solid_of_a_tie_has_its_area_as_a_set() {
    let folder = folder_with_step(PLATE_PIN_BLOCK);
    let circle = PI * 4e-4;
    let (plate, notes) = meshed(folder.path(), "1", &[]);
    assert!(notes.contains("set `tie-1-2`: solids 1 and 2 touch on 1.2566e-3 m²"), "{notes}");
    assert!((plate.volume() / 2e-4 - 1.0).abs() < 1e-9, "{}", plate.volume());
    let names: Vec<&String> = plate.sets.keys().collect();
    assert_eq!(names, ["body", "face1", "face2", "face3", "face4", "face5", "face6", "tie-1-2"]);
    assert!((area(&plate, "tie-1-2") / circle - 1.0).abs() < 0.01, "{}", area(&plate, "tie-1-2"));
    let all: f64 = (1..=6).map(|n| area(&plate, &format!("face{n}"))).sum();
    assert!((all - 0.028).abs() < 1e-12, "{all}");
    let (pin, _) = meshed(folder.path(), "2", &[]);
    assert!((area(&pin, "tie-1-2") / circle - 1.0).abs() < 0.01);
    assert!(
        pin.nodes_of_set("tie-1-2")
            .unwrap()
            .iter()
            .all(|&n| (pin.points[n as usize][2] - 0.02).abs() < 1e-12)
    );
    let (block, _) = meshed(folder.path(), "3", &[]);
    assert_eq!((quality::assess(&block).parts, block.sets.len()), (1, 7));
}

#[test]
fn faces_that_overlap_in_part_are_cut_on_both_sides() {
    let folder = folder_with_step(SHIFTED);
    for solid in ["1", "2"] {
        let (mesh, _) = meshed(folder.path(), solid, &["--size", "0.3", "--near", "tie-1-2=0.1"]);
        assert!((area(&mesh, "tie-1-2") - 0.125).abs() < 1e-9, "{}", area(&mesh, "tie-1-2"));
        assert!((mesh.volume() - 1.0).abs() < 1e-9);
        assert!(quality::assess(&mesh).is_watertight());
    }
}

#[test]
fn solids_that_are_not_there_are_refused_with_the_list() {
    let folder = folder_with_step(PLATE_PIN_BLOCK);
    for (solid, text) in [("4", "no solid 4: there are 3"), ("0", "no solid 0"), ("pin", "named `pin`")] {
        let args = ["part.step", "-o", "a.msh", "--solid", solid];
        let message = failure(&run(folder.path(), &args), 3);
        assert!(message.contains(text) && message.contains("the solids are 1, 2, 3"), "{message}");
    }
    let message = failure(&run(folder.path(), &["script.geo", "-o", "a.msh", "--solid", "1"]), 3);
    assert!(message.contains("is a script") && message.contains("Recursive Delete"), "{message}");
    let output = run(folder.path(), &["part.step", "-o", "a.msh", "--order", "1"]);
    assert!(
        printed(&output).contains("3 pieces that share no face") && printed(&output).contains("--solid N")
    );
}

/// The bolt touches a nut, a bracket and the plate, with curved faces; eight nuts have the same name.
#[test]
fn an_assembly_of_bolts_has_names_and_ties() {
    let Some(meshes) = carom_testing::shared_data("meshes") else { return };
    let input = meshes.join("as1-tu-203_assembly.step");
    let folder = tempfile::tempdir().unwrap();
    let args = |solid: &'static str| [input.to_str().unwrap(), "-o", "part.msh", "--solid", solid, "--json"];
    let bolt = json(&run(folder.path(), &args("4")));
    let sets: Vec<&str> = bolt["sets"].as_array().unwrap().iter().map(|set| set.as_str().unwrap()).collect();
    assert!(["tie-4-5", "tie-4-10", "tie-4-11"].iter().all(|tie| sets.contains(tie)), "{sets:?}");
    let mesh = msh::read(&folder.path().join("part.msh")).unwrap().0;
    // The shank of a radius of 5 mm in the plate of 20 mm.
    let shank = 2.0 * PI * 0.005 * 0.02;
    assert!((area(&mesh, "tie-4-11") / shank - 1.0).abs() < 0.01, "{}", area(&mesh, "tie-4-11"));
    let message = failure(&run(folder.path(), &args("nut")), 3);
    assert!(message.contains("8 solids are named `nut`: 1, 2, 5"), "{message}");
}

/// A wedge with a bore: six planes, which differ in their places, and a cylinder.
const BORED_WEDGE: &str = "SetFactory(\"OpenCASCADE\");\nWedge(1) = {0, 0, 0, 0.1, 0.08, 0.05, 0.03};\n\
    Cylinder(2) = {0.02, -1, 0.02, 0, 3, 0, 0.01};\nBooleanDifference{ Volume{1}; Delete; }{ Volume{2}; \
    Delete; }\nSave \"part.step\";\n";

/// Arguments of the instance `#id` of a STEP file without line breaks.
fn instance<'a>(text: &'a str, id: &str) -> &'a str {
    text.split(';').find_map(|line| line.trim().strip_prefix(&format!("{id} = "))).unwrap()
}

fn references(arguments: &str) -> Vec<&str> {
    let words = arguments.split(|c: char| c != '#' && !c.is_ascii_digit());
    words.filter(|word| word.starts_with('#')).collect()
}

fn vector(text: &str, id: &str) -> [f64; 3] {
    let arguments = instance(text, id);
    let inner = arguments.rsplit('(').next().unwrap().trim_end_matches(')');
    let numbers: Vec<f64> = inner.split(',').map(|x| x.trim().parse().unwrap()).collect();
    numbers.try_into().unwrap()
}

/// Each plane of the file is named after its number: the nodes of the set of this name lie in it.
#[test]
fn faces_keep_their_names() {
    let folder = folder_with_step(BORED_WEDGE);
    let path = folder.path().join("part.step");
    let mut text = std::fs::read_to_string(&path).unwrap().replace('\n', "");
    let faces: Vec<String> =
        text.split(';').filter(|line| line.contains("= ADVANCED_FACE(''")).map(str::to_owned).collect();
    let (mut planes, mut n_bores) = (Vec::new(), 0);
    for face in &faces {
        let surface = *references(face).last().unwrap();
        let kind = instance(&text, surface).to_owned();
        let name = if kind.starts_with("PLANE") {
            let placement = instance(&text, references(&kind)[0]).to_owned();
            let [at, normal] = [0, 1].map(|k| vector(&text, references(&placement)[k]));
            planes.push((format!("plane {surface}"), at, normal));
            planes.last().unwrap().0.clone()
        } else {
            n_bores += 1;
            "bore".to_owned()
        };
        let named = face.replace("ADVANCED_FACE(''", &format!("ADVANCED_FACE('{name}'"));
        text = text.replace(face.as_str(), &named);
    }
    assert_eq!((planes.len(), n_bores), (6, 1));
    std::fs::write(&path, &text).unwrap();
    let output = run(folder.path(), &["part.step", "-o", "part.msh"]);
    assert!(output.status.success() && !printed(&output).contains("left out"), "{}", printed(&output));
    let mesh = msh::read(&folder.path().join("part.msh")).unwrap().0;
    for (name, at, normal) in &planes {
        let nodes = mesh.nodes_of_set(name).unwrap();
        let height =
            |x: [f64; 3], scale: f64| -> f64 { (0..3).map(|d| (x[d] - scale * at[d]) * normal[d]).sum() };
        assert!(nodes.len() > 8);
        for node in nodes {
            // The file is in metres or millimetres.
            let x = mesh.points[node as usize];
            let off = height(x, 1.0).abs().min(height(x, 1e-3).abs());
            assert!(off < 1e-9, "{name}: {off}");
        }
    }
    // An edge with 14 to a circle is a straight one at the most: R (1 - cos(pi/14)) off.
    for node in mesh.nodes_of_set("bore").unwrap() {
        let [x, _, z] = mesh.points[node as usize];
        assert!(((x - 0.02).hypot(z - 0.02) - 0.01).abs() < 2.6e-4);
    }

    // The only solid, taken by its number, has the same sets.
    let (alone, _) = meshed(folder.path(), "1", &[]);
    for (name, ..) in &planes {
        let [whole, own] = [&mesh, &alone].map(|mesh| mesh.nodes_of_set(name).unwrap().len());
        assert_eq!(whole, own, "{name}");
    }

    // Numbers are names of translators.
    let other = text.replacen("ADVANCED_FACE('bore'", "ADVANCED_FACE('#12'", 1);
    std::fs::write(&path, other).unwrap();
    let output = run(folder.path(), &["part.step", "-o", "part.msh"]);
    let mesh = msh::read(&folder.path().join("part.msh")).unwrap().0;
    assert!(output.status.success() && !mesh.sets.contains_key("#12"), "{}", printed(&output));
}

#[test]
fn names_of_faces_in_a_file_of_several_solids_are_left_out_with_a_note() {
    let folder = folder_with_step(PLATE_PIN_BLOCK);
    let path = folder.path().join("part.step");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replacen("ADVANCED_FACE(''", "ADVANCED_FACE('seat'", 1)).unwrap();
    let output = run(folder.path(), &["part.step", "-o", "part.msh"]);
    assert!(printed(&output).contains("as it contains several solids"), "{}", printed(&output));
    // Also where one of them is taken.
    let (_, notes) = meshed(folder.path(), "1", &[]);
    assert!(notes.contains("as it contains several solids"), "{notes}");
}
