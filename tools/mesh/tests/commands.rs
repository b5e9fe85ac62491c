//! The commands of carom-mesh: output, files, errors.

use std::path::Path;

use crate::program::{carom_mesh, fails, json, path};
use tempfile::TempDir;

/// Two unit cubes; the second has another knot or half the width.
const TWO_CUBES: &str = "# nurbs mesh v.2.1
3 3 2 0 1
PATCH 1
1 1 1
2 2 2
0 0 1 1
0 0 1 1
0 0 1 1
0 1 0 1 0 1 0 1
0 0 1 1 0 0 1 1
0 0 0 0 1 1 1 1
1 1 1 1 1 1 1 1
PATCH 2
1 1 1
2 3 2
0 0 1 1
0 0 0.5 1 1
0 0 1 1
1 2 1 2 1 2 1 2 1 2 1 2
0 0 0.5 0.5 1 1 0 0 0.5 0.5 1 1
0 0 0 0 0 0 1 1 1 1 1 1
1 1 1 1 1 1 1 1 1 1 1 1
SUBDOMAIN 1 (all)
1 2
";

#[test]
fn info_has_all_documented_keys_and_the_exact_ball() {
    let dir = TempDir::new().unwrap();
    let ball = path(&dir, "ball.npz");
    json(&["make", "ball", "--radius", "0.015", "-o", &ball]);
    let info = json(&["info", &ball]);
    for key in [
        "schema",
        "kind",
        "nodes",
        "elements",
        "patches",
        "degrees",
        "dofs",
        "volume",
        "mass",
        "center_of_mass",
        "inertia",
        "surface_area",
        "min_scaled_jacobian",
        "soundness",
        "sets",
    ] {
        assert!(info.get(key).is_some(), "no {key} in {info}");
    }
    for key in ["watertight", "parts", "open_edges", "unused_nodes", "duplicate_nodes", "collapsed_sides"] {
        assert!(info["soundness"].get(key).is_some(), "no {key} in {info}");
    }
    let r: f64 = 0.015;
    let close = |key: &str, expected: f64| {
        let found = info[key].as_f64().unwrap();
        assert!((found / expected - 1.0).abs() < 1e-13, "{key} is {found}, not {expected}");
    };
    close("volume", 4.0 / 3.0 * std::f64::consts::PI * r.powi(3));
    close("surface_area", 4.0 * std::f64::consts::PI * r.powi(2));
    close("mass", 7800.0 * 4.0 / 3.0 * std::f64::consts::PI * r.powi(3));
    assert_eq!(info["kind"], "nurbs");
    assert_eq!(info["patches"], 7);
    assert_eq!(info["nodes"], 517);
    assert_eq!(info["degrees"], serde_json::json!([4, 4, 4]));
    assert_eq!(info["sets"]["pole"]["kind"], "faces");
}

#[test]
fn a_body_of_hexahedra_is_converted_to_every_mesh_format_and_back() {
    let dir = TempDir::new().unwrap();
    let (rod, again) = (path(&dir, "rod.npz"), path(&dir, "again.npz"));
    for order in ["1", "2"] {
        json(&["make", "rod", "--radius", "0.01", "--length", "0.1", "--hex", "--order", order, "-o", &rod]);
        let before = json(&["info", &rod]);
        for ending in ["msh", "inp", "vtu"] {
            let file = path(&dir, &format!("rod.{ending}"));
            json(&["convert", &rod, "-o", &file]);
            json(&["import", &file, "-o", &again]);
            let after = json(&["info", &again]);
            for key in ["elements", "nodes", "materials"] {
                assert_eq!(before[key], after[key], "{ending}: {key}");
            }
            let mut sets = after["sets"].as_object().unwrap().clone();
            // Other programs do not read cells of .msh without a group: a group is added.
            assert_eq!(sets.remove("volume").is_some(), ending == "msh", "{ending}: {sets:?}");
            assert_eq!(before["sets"].as_object(), Some(&sets), "{ending}");
            let ratio = before["volume"].as_f64().unwrap() / after["volume"].as_f64().unwrap();
            assert!((ratio - 1.0).abs() < 1e-13, "{ending}: {ratio}");
        }
    }
}

#[test]
fn materials_of_an_inp_file_are_used_unless_the_user_names_one() {
    let dir = TempDir::new().unwrap();
    let (rod, inp, again) = (path(&dir, "rod.npz"), path(&dir, "rod.inp"), path(&dir, "again.npz"));
    json(&["make", "box", "--size", "1,1,1", "--hex", "--material", "copper", "-o", &rod]);
    json(&["convert", &rod, "-o", &inp]);
    let name = |args: &[&str]| {
        json(&[&["import", &inp, "-o", &again], args].concat());
        json(&["info", &again])["materials"][0]["name"].clone()
    };
    assert_eq!(name(&[]), "copper");
    assert_eq!(name(&["--material", "glass"]), "glass");
    // A factor gives the file other units.
    assert_eq!(name(&["--scale", "0.001"]), "steel");
}

#[test]
fn physical_volumes_of_a_mesh_have_separate_materials() {
    let dir = TempDir::new().unwrap();
    let (msh, body) = (path(&dir, "two.msh"), path(&dir, "two.npz"));
    // Two cubes of 1 m, in a physical volume each, and a physical surface.
    let mut text = String::from(
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n3\n3 1 \"left\"\n3 2 \"right\"\n2 3 \"west\"\n\
         $EndPhysicalNames\n$Nodes\n12\n",
    );
    for node in 0..12 {
        text += &format!("{} {} {} {}\n", node + 1, node % 3, node / 3 % 2, node / 6);
    }
    text += "$EndNodes\n$Elements\n3\n1 3 2 3 3 1 4 10 7\n2 5 2 1 1 1 2 5 4 7 8 11 10\n3 5 2 2 2 2 3 6 5 8 9 \
        12 11\n$EndElements\n";
    std::fs::write(&msh, &text).unwrap();
    let mass = |args: &[&str]| {
        json(&[&["import", &msh, "-o", &body], args].concat());
        let info = json(&["info", &body]);
        ((info["mass"].as_f64().unwrap() * 1e6).round() / 1e6, info["materials"].as_array().unwrap().len())
    };
    assert_eq!(mass(&["--material", "left=steel", "--material", "right=aluminium"]), (7800.0 + 2710.0, 2));
    assert_eq!(mass(&["--material", "right=aluminium"]), (7800.0 + 2710.0, 2));
    assert_eq!(mass(&["--material", "copper", "--material", "right=aluminium"]), (8960.0 + 2710.0, 2));
    assert_eq!(mass(&["--material", "copper", "--material", "right=copper"]), (2.0 * 8960.0, 1));
    assert_eq!(
        mass(&["--density", "1", "--young", "1e9", "--poisson", "0.2", "--material", "left=steel"]),
        (7801.0, 2)
    );
    let import = |args: &[&str], code: i32| fails(&[&["import", &msh, "-o", &body], args].concat(), code);
    let message = import(&["--material", "steel", "--material", "copper"], 2);
    assert!(message.contains("--material SET=NAME"), "{message}");
    let message = import(&["--material", "west=steel"], 3);
    assert!(message.contains("one of faces") && message.contains("`left`, `right`"), "{message}");
    let message = import(&["--material", "middle=steel"], 3);
    assert!(message.contains("no set of cells `middle`"), "{message}");
    import(&["--material", "left=unobtainium"], 3);
}

#[test]
fn pictures_of_nurbs_bodies_are_refused_as_meshes() {
    let dir = TempDir::new().unwrap();
    let (ball, vtu) = (path(&dir, "ball.npz"), path(&dir, "ball.vtu"));
    json(&["make", "ball", "--radius", "1", "-o", &ball]);
    json(&["convert", &ball, "-o", &vtu]);
    let message = fails(&["import", &vtu, "-o", &path(&dir, "again.npz")], 3);
    assert!(message.contains("Bezier hexahedra"), "{message}");
    let message = fails(&["convert", &ball, "-o", &path(&dir, "ball.inp")], 3);
    assert!(message.contains(".inp"), "{message}");
}

#[test]
fn a_nurbs_body_is_converted_to_every_nurbs_format_and_back() {
    let dir = TempDir::new().unwrap();
    let (ball, again) = (path(&dir, "ball.npz"), path(&dir, "again.npz"));
    json(&["make", "ball", "--radius", "1", "-o", &ball]);
    for (file, set) in [("ball.xml", "surface"), ("ball.mesh", "boundary1"), ("ball.json", "patch0:top")] {
        let file = path(&dir, file);
        let notes = json(&["convert", &ball, "-o", &file])["notes"].to_string();
        assert!(notes.contains("`pole`"), "{notes}");
        json(&["import", &file, "-o", &again, "--zone", &format!("hit={set}@0,0,1:2")]);
        let (before, after) = (json(&["info", &ball]), json(&["info", &again]));
        for key in ["patches", "nodes", "degrees", "volume"] {
            assert_eq!(before[key], after[key], "{file}: {key}");
        }
    }
    let message = fails(&["convert", &ball, "-o", &path(&dir, "ball.txt")], 2);
    for ending in [".msh", ".inp", ".xml", ".mesh", ".json", ".vtu"] {
        assert!(message.contains(ending), "{message}");
    }
    let (mesh, out) = (path(&dir, "hex.npz"), path(&dir, "hex.mesh"));
    json(&["make", "box", "--size", "1,1,1", "--hex", "-o", &mesh]);
    let message = fails(&["convert", &mesh, "-o", &out], 3);
    assert!(message.contains("is a mesh") && message.contains(".msh"), "{message}");
}

#[test]
fn every_documented_nurbs_format_is_imported() {
    let Some(folder) = carom_testing::shared_data("nurbs") else { return };
    let dir = TempDir::new().unwrap();
    let out = path(&dir, "body.npz");
    for file in [
        "generated/quarter_ring.xml",
        "generated/quarter_ring.mesh",
        "generated/quarter_ring.txt",
        "geomdl/quarter_ring_volume.json",
        "splinepy/quarter_ring.json",
        "splinepy/quarter_ring.npz",
        "splinepy/quarter_ring.itd",
        "petiga/quarter_ring.dat",
    ] {
        json(&["import", folder.join(file).to_str().unwrap(), "-o", &out]);
        let volume = json(&["info", &out])["volume"].as_f64().unwrap();
        assert!((volume / 2.356194490192345 - 1.0).abs() < 1e-13, "{file}: {volume}");
    }
    let again = path(&dir, "again.npz");
    let message = fails(&["import", &out, "-o", &again], 3);
    assert!(message.contains("an archive of carom") && message.contains("without import"), "{message}");
    let surface = folder.join("mfem/square-disc-nurbs-patch.mesh");
    let message = fails(&["import", surface.to_str().unwrap(), "-o", &again], 3);
    assert!(message.contains("dimension 2"), "{message}");
    let text = path(&dir, "notes.txt");
    std::fs::write(&text, "not a geometry").unwrap();
    let message = fails(&["import", &text, "-o", &again], 3);
    assert!(message.contains("notes.txt") && message.contains("IRIT .itd"), "{message}");
    let other = path(&dir, "part.obj");
    std::fs::write(&other, "").unwrap();
    let message = fails(&["import", &other, "-o", &again], 3);
    for ending in [".xml", ".mesh", ".txt", ".json", ".npz", ".dat", ".itd", ".msh", ".inp", ".step"] {
        assert!(message.contains(ending), "{message}");
    }
}

#[test]
fn patches_with_other_knots_are_matched_with_a_note_or_refused_with_their_sides() {
    let dir = TempDir::new().unwrap();
    let (txt, body) = (path(&dir, "two.txt"), path(&dir, "two.npz"));
    std::fs::write(&txt, TWO_CUBES).unwrap();
    let written = json(&["import", &txt, "-o", &body]);
    let note = written["notes"][0].as_str().unwrap();
    assert!(note.starts_with("patch 0: one knot was inserted along v"), "{written}");
    let info = json(&["info", &body]);
    assert_eq!((info["nodes"].as_u64(), info["findings"].as_array().map(Vec::len)), (Some(18), Some(0)));
    assert!((info["volume"].as_f64().unwrap() - 2.0).abs() < 1e-14);
    std::fs::write(
        &txt,
        TWO_CUBES.replace("0 0 0.5 0.5 1 1 0 0 0.5 0.5 1 1", "0 0 0.2 0.2 0.5 0.5 0 0 0.2 0.2 0.5 0.5"),
    )
    .unwrap();
    let message = fails(&["import", &txt, "-o", &path(&dir, "x.npz")], 3);
    assert!(message.contains("patch1:west lies on a part of patch0:east"), "{message}");
}

#[test]
fn usage_errors_are_code_2() {
    fails(&["make", "ball", "--radius", "1"], 2);
    fails(&["make", "egg", "-o", "x.npz"], 2);
    fails(&["make", "ball", "--radius", "1", "--grade", "pole", "-o", "x.npz"], 2);
}

#[test]
fn invalid_inputs_are_code_3_and_leave_no_files() {
    let dir = TempDir::new().unwrap();
    let out = path(&dir, "out.npz");
    let message = fails(&["make", "ball", "--radius", "-1", "-o", &out], 3);
    assert!(message.contains("-1") && message.contains("positive"), "{message}");
    let message = fails(&["make", "rod", "--radius", "1", "-o", &out], 3);
    assert!(message.contains("--length"), "{message}");
    let message = fails(&["make", "ball", "--radius", "1", "--material", "unobtainium", "-o", &out], 3);
    assert!(message.contains("steel"), "{message}");
    let message =
        fails(&["make", "ball", "--radius", "1", "--grade", "poole", "--finest", "0.1", "-o", &out], 3);
    assert!(message.contains("pole"), "{message}");
    assert!(!Path::new(&out).exists());
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn a_truncated_mesh_file_is_code_3_with_its_place() {
    let dir = TempDir::new().unwrap();
    let (rod, msh, out) = (path(&dir, "rod.npz"), path(&dir, "rod.msh"), path(&dir, "out.npz"));
    json(&["make", "rod", "--radius", "0.01", "--length", "0.1", "--hex", "-o", &rod]);
    json(&["convert", &rod, "-o", &msh]);
    let text = std::fs::read(&msh).unwrap();
    std::fs::write(&msh, &text[..text.len() / 2]).unwrap();
    let message = fails(&["import", &msh, "-o", &out], 3);
    assert!(message.contains("rod.msh") && message.contains("line"), "{message}");
    assert!(!Path::new(&out).exists());
}

#[test]
fn missing_files_and_folders_are_code_5() {
    let dir = TempDir::new().unwrap();
    fails(&["info", &path(&dir, "none.npz")], 5);
    fails(&["import", &path(&dir, "none.msh"), "-o", &path(&dir, "out.npz")], 5);
    let message = fails(&["make", "ball", "--radius", "1", "-o", &path(&dir, "no/such/folder/x.npz")], 5);
    assert!(message.contains("folder"), "{message}");
}

#[test]
fn a_full_disk_is_code_5() {
    if !Path::new("/dev/full").exists() {
        eprintln!("skipped: this system has no /dev/full");
        return;
    }
    fails(&["make", "ball", "--radius", "1", "--material", "steel", "-o", "/dev/full"], 5);
}

#[test]
fn a_duplicate_element_is_found() {
    let dir = tempfile::tempdir().unwrap();
    let (inp, out) = (path(&dir, "twice.inp"), path(&dir, "out.npz"));
    let nodes = "*NODE\n1,0,0,0\n2,1,0,0\n3,1,1,0\n4,0,1,0\n5,0,0,1\n6,1,0,1\n7,1,1,1\n8,0,1,1\n9,2,0,0\n\
        10,2,1,0\n11,2,0,1\n12,2,1,1\n";
    let write = |second: &str| {
        std::fs::write(&inp, format!("{nodes}*ELEMENT,TYPE=C3D8\n1,1,2,3,4,5,6,7,8\n2,{second}\n")).unwrap();
    };
    // The rotated numbering of the same cube; then a neighbour.
    write("2,3,4,1,6,7,8,5");
    let printed = fails(&["import", &inp, "-o", &out], 3);
    for word in ["twice.inp", "pairs of them: 1", "near (0.5, 0.5, 0.5)", "cells overlap"] {
        assert!(printed.contains(word), "no {word}: {printed}");
    }
    write("2,9,10,3,6,11,12,7");
    carom_mesh().args(["import", &inp, "-o", &out]).assert().success();
}

#[test]
fn an_inverted_element_is_found() {
    let dir = TempDir::new().unwrap();
    let (msh, out) = (path(&dir, "inverted.msh"), path(&dir, "out.npz"));
    // One tetrahedron with two nodes exchanged.
    let text = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 \
        1\n$EndNodes\n\
                $Elements\n1\n1 4 2 1 1 1 3 2 4\n$EndElements\n";
    std::fs::write(&msh, text).unwrap();
    let message = fails(&["import", &msh, "-o", &out], 3);
    for word in ["inverted.msh", "1 of 1 cells", "inverted", "near (0.25, 0.25, 0.25)"] {
        assert!(message.contains(word), "no `{word}` in: {message}");
    }
    assert!(!Path::new(&out).exists());
}

#[test]
fn a_scaled_jacobian_of_zero_has_no_sign() {
    let dir = TempDir::new().unwrap();
    let out = path(&dir, "x.npz");
    json(&["make", "octant", "--radius", "1", "-o", &out]);
    let text = String::from_utf8(carom_mesh().args(["info", &out]).output().unwrap().stdout).unwrap();
    assert!(text.contains("scaled Jacobian 0.000") && !text.contains("-0.000"), "{text}");
}

#[test]
fn messages_name_bodies_as_bodies() {
    let dir = TempDir::new().unwrap();
    let (ball, xyz) = (path(&dir, "ball.npz"), path(&dir, "x.xyz"));
    json(&["make", "ball", "--radius", "1", "-o", &ball]);
    json(&["make", "ball", "--radius", "1", "-o", &path(&dir, "ball")]);
    let msh = path(&dir, "none.msh");
    for command in
        [&["make", "ball", "--radius", "1"][..], &["refine", &ball, "--subdivide", "2"], &["import", &msh]]
    {
        let message = fails(&[command, &["-o", &xyz]].concat(), 2);
        assert!(message.contains("bodies are written as .npz") && message.contains("convert"), "{message}");
    }
}

#[test]
fn a_file_of_another_program_is_inspected_or_refused_with_a_hint() {
    let dir = TempDir::new().unwrap();
    let [block, inp, text] = ["block.npz", "block.inp", "x.obj"].map(|name| path(&dir, name));
    json(&["make", "box", "--size", "1,1,1", "--hex", "--material", "copper", "-o", &block]);
    json(&["convert", &block, "-o", &inp]);
    let (ours, theirs) = (json(&["info", &block]), json(&["info", &inp]));
    for key in ["kind", "nodes", "elements", "sets", "materials"] {
        assert_eq!(ours[key], theirs[key], "{key}");
    }
    assert!(theirs["checksum"].is_null() && ours["checksum"].is_string());
    std::fs::write(&text, "v 0 0 0").unwrap();
    for command in [&["info", &text][..], &["refine", &inp, "--subdivide", "2", "-o", &block]] {
        let message = fails(command, 3);
        assert!(message.contains(&format!("carom-mesh import {} -o BODY.npz", command[1])), "{message}");
    }
}

#[test]
fn numbers_out_of_range_are_reported_with_the_range() {
    let dir = TempDir::new().unwrap();
    let (ball, out) = (path(&dir, "ball.npz"), path(&dir, "x.npz"));
    json(&["make", "ball", "--radius", "1", "-o", &ball]);
    let near = ["refine", &ball, "--near", "pole", "--levels", "2", "-o", &out];
    for (command, says) in [
        (&[&near[..], &["--radius", "-1"]].concat(), "the radius -1 m is not possible"),
        (&[&near[..], &["--radius", "-2.5e-3"]].concat(), "the radius -0.0025 m is not possible"),
        (
            &vec!["make", "ball", "--radius", "1", "--pole-radius", "2", "-o", &out],
            "at most 1.0 m, its radius",
        ),
        (
            &vec!["make", "ball", "--hex", "--radius", "1", "--pole-radius", "2", "-o", &out],
            "at most 1.0 m, its radius",
        ),
        (
            &vec!["make", "plate", "--size", "1,2,0.1", "--pole-radius", "3", "-o", &out],
            "at most 1.0 m, half of",
        ),
        (
            &vec!["make", "ball", "--radius", "1e300", "-o", &out],
            "the radius of the ball is 1e300 m: it must be a positive length",
        ),
        (&vec!["make", "ball", "--hex", "--radius", "1e300", "-o", &out], "from 1e-60 to 1e60"),
        (&vec!["make", "box", "--size", "-1,1,1", "-o", &out], "is -1.0 m: it must be a positive length"),
        (
            &vec!["refine", &ball, "--coarsen", "--tolerance", "1", "-o", &out],
            "more than a hundredth of the body's diameter",
        ),
    ] {
        let message = fails(command, 3);
        assert!(message.contains(says), "{message}");
    }
    for (flag, value) in [("--levels", "-1"), ("--subdivide", "-1"), ("-j", "-1")] {
        let message = fails(&["refine", &ball, "--near", "pole", "-o", &out, flag, value], 2);
        assert!(message.contains("-1 is not in"), "{message}");
    }
}

#[test]
fn coordinates_whose_products_overflow_are_refused_with_their_node() {
    let dir = TempDir::new().unwrap();
    let [block, out] = ["block.npz", "out.npz"].map(|name| path(&dir, name));
    json(&["make", "box", "--size", "1,1,1", "--hex", "--order", "1", "--elements", "1", "-o", &block]);
    for ending in ["msh", "inp", "vtu"] {
        let file = path(&dir, &format!("block.{ending}"));
        json(&["convert", &block, "-o", &file]);
        let message = fails(&["import", &file, "--scale", "1e300", "-o", &out], 3);
        assert!(message.contains("the scale is 1e300"), "{message}");
    }
    let vtu = path(&dir, "far.vtu");
    let text = r#"<VTKFile type="UnstructuredGrid" version="1.0"><UnstructuredGrid>
        <Piece NumberOfPoints="4" NumberOfCells="1">
        <Points><DataArray type="Float64" NumberOfComponents="3" format="ascii">
        0 0 0 1e308 0 0 0 1 0 0 0 1</DataArray></Points>
        <Cells><DataArray type="Int64" Name="connectivity" format="ascii">
        0 1 2 3</DataArray><DataArray type="Int64" Name="offsets" format="ascii">4</DataArray>
        <DataArray type="UInt8" Name="types" format="ascii">10</DataArray></Cells></Piece>
        </UnstructuredGrid></VTKFile>"#;
    std::fs::write(&vtu, text).unwrap();
    let message = fails(&["import", &vtu, "-o", &out], 3);
    assert!(message.contains("far.vtu`: point 1 has the coordinates (1e308, 0.0, 0.0)"), "{message}");
    std::fs::write(path(&dir, "cubes.txt"), TWO_CUBES.replacen("0 1 0 1", "0 1e61 0 1", 1)).unwrap();
    let message = fails(&["import", &path(&dir, "cubes.txt"), "-o", &out], 3);
    assert!(message.contains("control point 1 has the coordinates (1e61, 0.0, 0.0)"), "{message}");
}

#[test]
fn an_input_is_not_overwritten() {
    let dir = TempDir::new().unwrap();
    let (rod, msh) = (path(&dir, "rod.npz"), path(&dir, "rod.msh"));
    json(&["make", "rod", "--radius", "0.01", "--length", "0.1", "--hex", "-o", &rod]);
    json(&["convert", &rod, "-o", &msh]);
    let before = std::fs::read(&msh).unwrap();
    assert!(fails(&["import", &msh, "-o", &msh], 2).contains("is the input"));
    let block = path(&dir, "block.npz");
    json(&["make", "box", "--size", "1,1,1", "-o", &block]);
    let whole = std::fs::read(&block).unwrap();
    assert!(
        fails(&["refine", &block, "--subdivide", "2", "-o", &block, "--force"], 2).contains("is the input")
    );
    assert_eq!(std::fs::read(&block).unwrap(), whole);
    assert_eq!(std::fs::read(&msh).unwrap(), before);
}

#[test]
fn a_full_disk_is_reported_by_one_error() {
    if !Path::new("/dev/full").exists() {
        eprintln!("skipped: this system has no /dev/full");
        return;
    }
    let message = fails(&["make", "ball", "--radius", "1", "--material", "steel", "-o", "/dev/full"], 5);
    assert!(message.starts_with("error: cannot write `/dev/full`"), "{message}");
}

#[test]
fn quiet_suppresses_all_output() {
    let dir = TempDir::new().unwrap();
    let output = carom_mesh()
        .args(["make", "ball", "--radius", "1", "-q", "-o", &path(&dir, "ball.npz")])
        .output()
        .unwrap();
    assert!(output.status.success() && output.stdout.is_empty() && output.stderr.is_empty(), "{output:?}");
}

#[test]
fn a_body_is_drawn_and_exported_to_paraview() {
    let dir = TempDir::new().unwrap();
    for (kind, sets) in [("--nurbs", "pole"), ("--hex", "pole")] {
        let (ball, svg) = (path(&dir, "ball.npz"), path(&dir, "ball.svg"));
        json(&["make", "ball", "--radius", "0.015", kind, "-o", &ball]);
        json(&["info", &ball, "--picture", &svg]);
        let drawn = std::fs::read_to_string(&svg).unwrap();
        assert!(drawn.starts_with("<svg") && drawn.contains(sets), "{}", &drawn[..200]);
        json(&["info", &ball, "--picture", &path(&dir, "ball.png")]);
        assert!(std::fs::read(path(&dir, "ball.png")).unwrap().starts_with(b"\x89PNG"));
        fails(&["info", &ball, "--picture", &path(&dir, "ball.pdf")], 2);
        let vtu = path(&dir, "ball.vtu");
        json(&["convert", &ball, "-o", &vtu]);
        let text = String::from_utf8_lossy(&std::fs::read(&vtu).unwrap()).into_owned();
        assert_eq!(text.contains("RationalWeights"), kind == "--nurbs", "{kind}");
    }
}

/// A link of the chain of the gallery with a set of some of its beams.
#[test]
fn sets_of_beams_are_drawn() {
    let dir = TempDir::new().unwrap();
    let link = include_str!("../../../meshes/chain/link.inp");
    let (file, svg) = (path(&dir, "link.inp"), path(&dir, "link.svg"));
    std::fs::write(&file, link.replace("*BEAM SECTION", "*ELSET, ELSET=left\n5, 6, 7, 8\n*BEAM SECTION"))
        .unwrap();
    json(&["info", &file, "--picture", &svg]);
    let drawn = std::fs::read_to_string(&svg).unwrap();
    assert!(drawn.contains(">left<") && !drawn.contains(">ring<"), "all beams are in the ring");
}

#[test]
fn materials_are_listed() {
    let table = json(&["materials"]);
    let steel = table["materials"].as_array().unwrap().iter().find(|m| m["name"] == "steel").unwrap();
    assert_eq!(steel["density"], 7800.0);
}

#[test]
fn info_reports_where_sets_lie_and_which_set_is_at_a_point() {
    let dir = TempDir::new().unwrap();
    let block = path(&dir, "block.npz");
    json(&["make", "box", "--size", "0.3,0.2,0.1", "--hex", "-o", &block]);
    let info = json(&["info", &block, "--faces", "--at", "0.31,0.1,0.05"]);
    let east = &info["faces"]["east"];
    assert!((east["area"].as_f64().unwrap() - 0.02).abs() < 1e-15, "{east}");
    assert!((east["center"][0].as_f64().unwrap() - 0.3).abs() < 1e-14, "{east}");
    assert_eq!(east["normal"], serde_json::json!([1.0, 0.0, 0.0]));
    assert_eq!(info["at"]["sets"], serde_json::json!(["east"]));
    assert!((info["at"]["distance"].as_f64().unwrap() - 0.01).abs() < 1e-9, "{info}");
    let plain = json(&["info", &block]);
    assert!(plain.get("faces").is_none() && plain.get("at").is_none());
    let flags = ["info", &block, "--faces", "--at", "-0.01,0.1,0.05"];
    let output = carom_mesh().args(flags).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    for line in [
        "faces            top: 6.000000e-2 m², centre 0.15, 0.1, 0.1 m, mean normal 0.000, 0.000, 1.000",
        "at               0, 0.1, 0.05 m, given -0.01, 0.1, 0.05 m",
        "distance         1.000e-2 m from the surface",
        "normal           -1.000, 0.000, 0.000",
        "sets there       west",
    ] {
        assert!(text.lines().any(|own| own == line), "{line}: {text}");
    }
}
