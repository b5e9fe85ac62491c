//! `carom-gmsh` as a user calls it.

use std::path::Path;
use std::process::{Command, Output};

use carom_mesh::{Mesh, msh, quality};
use carom_testing::program::{failure, json, told};
use carom_testing::{json_file, shared_data};
use tempfile::TempDir;

fn run(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_carom-gmsh")).current_dir(folder).args(args).output().unwrap()
}

fn folder_with(name: &str, text: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(name), text).unwrap();
    folder
}

/// Runs, demands success and silence on standard output, reads the mesh.
fn meshed(folder: &Path, args: &[&str]) -> Mesh {
    let output = run(folder, args);
    assert!(output.status.success(), "{}", told(&output));
    assert!(output.stdout.is_empty(), "{}", String::from_utf8_lossy(&output.stdout));
    msh::read(&folder.join("part.msh")).unwrap().0
}

/// A quarter of a tube, in metres.
const QUARTER: &str = r#"
SetFactory("OpenCASCADE");
Cylinder(1) = {0, 0, 0, 0, 0, 0.1, 0.05, Pi/2};
Cylinder(2) = {0, 0, 0, 0, 0, 0.1, 0.03, Pi/2};
BooleanDifference(3) = { Volume{1}; Delete; }{ Volume{2}; Delete; };
Mesh.MeshSizeMax = 0.02;
"#;
const QUARTER_VOLUME: f64 = std::f64::consts::FRAC_PI_4 * (0.05 * 0.05 - 0.03 * 0.03) * 0.1;

/// A box of transfinite hexahedra with named groups.
const BOX: &str = r#"
SetFactory("OpenCASCADE");
Box(1) = {0, 0, 0, 2, 1, 1};
Transfinite Curve{:} = 4;
Transfinite Surface{:};
Recombine Surface{:};
Transfinite Volume{1};
Physical Volume("block") = {1};
Physical Surface("low") = Surface In BoundingBox{-1, -1, -0.1, 3, 3, 0.1};
"#;

#[test]
fn a_script_without_groups_gives_body_and_faces() {
    let folder = folder_with("part.geo", QUARTER);
    let mesh = meshed(folder.path(), &["part.geo", "-o", "part.msh"]);
    assert_eq!(mesh.cell_counts().keys().collect::<Vec<_>>(), [&"tet10"]);
    let names: Vec<&String> = mesh.sets.keys().collect();
    assert_eq!(names, ["body", "face1", "face2", "face3", "face4", "face5", "face6"]);
    // Every boundary face belongs to exactly one CAD face.
    let mut faces: Vec<_> =
        names[1..].iter().flat_map(|name| mesh.faces_of_set(name).unwrap().to_vec()).collect();
    faces.sort_unstable();
    assert_eq!(faces, mesh.boundary_faces());
    // Quadratic elements on arcs of 1/5 of the radius: relative error of order 1e-5.
    assert!((mesh.volume() / QUARTER_VOLUME - 1.0).abs() < 1e-4, "{}", mesh.volume());
    let quality = quality::assess(&mesh);
    assert!(quality.is_watertight() && quality.folded.is_empty());
}

#[test]
fn order_size_and_kind_are_what_was_asked_for() {
    let folder = folder_with("part.geo", QUARTER);
    let coarse = meshed(folder.path(), &["part.geo", "-o", "part.msh", "--order", "1"]);
    assert_eq!(coarse.cell_counts().keys().collect::<Vec<_>>(), [&"tet4"]);
    let fine = meshed(folder.path(), &["part.geo", "-o", "part.msh", "--order", "1", "--size", "0.008"]);
    assert!(fine.n_cells() > 2 * coarse.n_cells(), "{} {}", fine.n_cells(), coarse.n_cells());
    let hexahedra = meshed(folder.path(), &["part.geo", "-o", "part.msh", "--hex"]);
    assert_eq!(hexahedra.cell_counts().keys().collect::<Vec<_>>(), [&"hex27"]);
    assert!((hexahedra.volume() / QUARTER_VOLUME - 1.0).abs() < 1e-4);
}

#[test]
fn transfinite_volumes_and_groups_of_a_script_are_kept() {
    let folder = folder_with("part.geo", BOX);
    let mesh = meshed(folder.path(), &["part.geo", "-o", "part.msh", "--hex"]);
    assert_eq!(mesh.cell_counts().into_iter().collect::<Vec<_>>(), [("hex27", 27)]);
    assert_eq!(mesh.sets.keys().collect::<Vec<_>>(), ["block", "low"]);
    assert_eq!(mesh.set("low").unwrap().len(), 9);
    assert!((mesh.volume() - 2.0).abs() < 1e-13);
}

#[test]
fn groups_of_faces_alone_get_a_body_beside_them() {
    let folder = folder_with("part.geo", &BOX.replace("Physical Volume(\"block\") = {1};", ""));
    let output = run(folder.path(), &["part.geo", "-o", "part.msh"]);
    assert!(told(&output).contains("all of them are in `body`"), "{}", told(&output));
    let mesh = msh::read(&folder.path().join("part.msh")).unwrap().0;
    assert_eq!(mesh.sets.keys().collect::<Vec<_>>(), ["body", "low"]);
}

#[test]
fn json_is_one_object_and_quiet_is_silent() {
    let folder = folder_with("part.geo", BOX);
    let output = run(folder.path(), &["part.geo", "-o", "part.msh", "--json", "-q"]);
    let object = json(&output);
    assert_eq!(object["schema"], "carom-gmsh 1");
    assert_eq!(object["sets"], serde_json::json!(["block", "low"]));
    assert!((object["volume"].as_f64().unwrap() - 2.0).abs() < 1e-12);
    assert!(output.stderr.is_empty(), "{}", told(&output));
    // Gmsh's log goes to standard error, and standard output stays data.
    let output = run(folder.path(), &["part.geo", "-o", "part.msh", "-v"]);
    assert!(told(&output).contains("Meshing 3D"), "{}", told(&output));
    assert!(output.stdout.is_empty());
}

#[test]
fn failures_have_their_exit_code_and_leave_nothing_behind() {
    let flat = "SetFactory(\"OpenCASCADE\");\nRectangle(1) = {0, 0, 0, 1, 1};\n";
    let folder = folder_with("flat.geo", flat);
    let path = folder.path();
    std::fs::write(path.join("broken.geo"), "SetFactory(\"OpenCASCADE\");\nBox(1) = {0, 0;\n").unwrap();
    std::fs::write(path.join("broken.step"), "ISO-10303-21;\nHEADER;\nnonsense").unwrap();
    std::fs::write(path.join("part.stl"), "solid\n").unwrap();
    let cases = [
        (vec!["flat.geo", "-o", "a.msh"], 3, "holds no solid"),
        (vec!["broken.geo", "-o", "a.msh"], 3, "broken.geo"),
        (vec!["broken.step", "-o", "a.msh"], 3, "broken.step"),
        (vec!["part.stl", "-o", "a.msh"], 3, ".step .stp"),
        (vec!["missing.step", "-o", "a.msh"], 5, "missing.step"),
        (vec!["flat.geo", "-o", "no/such/folder/a.msh"], 5, "cannot write"),
        (vec!["flat.geo"], 2, "--output"),
        (vec!["flat.geo", "-o", "a.msh", "--size", "-1"], 2, "positive length"),
        (vec!["flat.geo", "-o", "a.msh", "--order", "3"], 2, "order"),
    ];
    for (args, code, text) in cases {
        let message = failure(&run(path, &args), code);
        assert!(message.contains(text), "{args:?}: {message}");
    }
    let mut left: Vec<_> = std::fs::read_dir(path).unwrap().map(|e| e.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["broken.geo", "broken.step", "flat.geo", "part.stl"]);
}

#[test]
fn an_existing_mesh_survives_a_failure() {
    let folder = folder_with("flat.geo", "SetFactory(\"OpenCASCADE\");\nRectangle(1) = {0, 0, 0, 1, 1};\n");
    std::fs::write(folder.path().join("a.msh"), "precious").unwrap();
    run(folder.path(), &["flat.geo", "-o", "a.msh"]);
    assert_eq!(std::fs::read_to_string(folder.path().join("a.msh")).unwrap(), "precious");
}

/// Meshes STEP parts of the reference data at the default size and compares their volumes.
fn assert_volumes(parts: &[&str]) {
    let Some(meshes) = shared_data("meshes") else { return };
    let reference = json_file(&meshes.join("reference.json"));
    for part in parts {
        let folder = tempfile::tempdir().unwrap();
        let input = meshes.join(format!("{part}.step"));
        let mesh = meshed(folder.path(), &[input.to_str().unwrap(), "-o", "part.msh", "-q"]);
        let expected = reference[format!("{part}_tet10.msh")]["volume"].as_f64().unwrap();
        // Both meshes approximate the same solid; a wrong unit would be off by 1e9.
        assert!((mesh.volume() / expected - 1.0).abs() < 1e-3, "{part}: {} {expected}", mesh.volume());
        assert_eq!(quality::assess(&mesh).folded, [], "{part}");
    }
}

#[test]
fn real_parts_have_the_volume_of_their_reference() {
    assert_volumes(&["conrod", "bracket", "hollow_sphere", "rod_hemi"]);
}

#[test]
#[ignore = "1 min: larger parts; the crankshaft needs a second mesh with optimised curved elements"]
fn larger_real_parts_have_the_volume_of_their_reference() {
    assert_volumes(&["crankshaft", "component8", "io1_part"]);
}
