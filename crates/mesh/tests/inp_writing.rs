//! Meshes written as .inp files and read back, and files of Gmsh.

use std::collections::BTreeMap;

use carom_mesh::inp::{self, InpFile, InpMaterial, Note};
use carom_mesh::{CellBlock, CellRef, CellShape, FaceRef, Mesh, Set, msh};
use carom_testing::{json_file, shared_data};

use crate::inp_files::{element, one_element, read};

/// Mesh, materials and blocks written and read again.
fn round(mesh: &Mesh) -> InpFile {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.inp");
    let steel = InpMaterial { name: "steel".into(), density: Some(7800.0), elastic: Some([210e9, 0.3]) };
    let blocks = vec![Some(0); mesh.blocks.len()];
    inp::write(&path, mesh, std::slice::from_ref(&steel), &blocks, &[]).unwrap();
    let back = inp::read(&path).unwrap();
    assert_eq!((&back.materials, &back.material_of_block), (&vec![steel], &blocks));
    back
}

fn assert_alike(a: &Mesh, b: &Mesh, what: &str) {
    assert_eq!(a.blocks, b.blocks, "{what}");
    assert_eq!(a.sets, b.sets, "{what}");
    let size = a.points.iter().flatten().fold(0.0f64, |m, x| m.max(x.abs()));
    for (x, y) in a.points.iter().flatten().zip(b.points.iter().flatten()) {
        assert!((x - y).abs() <= 1e-14 * size, "{what}: {x} {y}");
    }
}

#[test]
fn a_written_mesh_is_read_back() {
    let mesh = Mesh {
        points: element("C3D27"),
        blocks: vec![CellBlock { shape: CellShape::Hex8, connectivity: (0..8).collect() }],
        sets: BTreeMap::new(),
    };
    let mut mesh = Mesh {
        blocks: vec![CellBlock { connectivity: vec![0, 1, 2, 3, 4, 5, 6, 7], shape: CellShape::Hex8 }],
        ..mesh
    };
    mesh.sets.insert("a name, no".replace(',', ""), Set::Nodes(vec![0, 26]));
    mesh.sets.insert("patch2:west".into(), Set::Faces(vec![FaceRef { block: 0, cell: 0, face: 4 }]));
    mesh.sets.insert("all".into(), Set::Cells(vec![CellRef { block: 0, cell: 0 }]));
    let back = round(&mesh);
    assert_alike(&mesh, &back.mesh, "cube");
    assert_eq!(back.notes, [Note::UnusedNodes { count: 19 }]);

    for names in [["a,b", "c"], ["A", "a"], ["quote\"", "c"], ["", "c"]] {
        let mut mesh = mesh.clone();
        mesh.sets = names.iter().map(|n| (n.to_string(), Set::Nodes(vec![0]))).collect();
        assert!(inp::write_to(&mut Vec::new(), &mesh, &[], &[], &[]).is_err(), "{names:?}");
    }
}

#[test]
fn wedges_and_pyramids_read_back_with_their_faces() {
    for name in ["C3D6", "C3D15", "C3D5", "C3D13"] {
        let file = read(&one_element(name, &element(name), 5)).unwrap();
        let back = round(&file.mesh);
        assert_alike(&file.mesh, &back.mesh, name);
        let shapes: Vec<_> =
            (0..5).map(|face| back.mesh.blocks[0].shape.face_shape(face).n_corners()).collect();
        let expected =
            if back.mesh.blocks[0].shape.n_corners() == 6 { [3, 3, 4, 4, 4] } else { [4, 3, 3, 3, 3] };
        assert_eq!(shapes, expected, "{name}");
    }
    // Variants select an integration rule; nodes on the faces of a C3D15V are not supported.
    for name in ["C3D6H", "C3D15V", "C3D5H"] {
        let plain = name.trim_end_matches(['H', 'V']);
        assert!(read(&one_element(name, &element(plain), 5)).is_ok(), "{name}");
    }
    let mut x = element("C3D15");
    x.extend([[0.5, 0.5, 0.5]; 3]);
    let message = read(&one_element("C3D15V", &x, 5)).unwrap_err();
    assert!(message.contains("element 7 has 18 nodes, its type C3D15V needs 15"), "{message}");
}

#[test]
fn every_reference_mesh_is_written_and_read_back() {
    let Some(meshes) = shared_data("meshes") else { return };
    for file in json_file(&meshes.join("reference.json")).as_object().unwrap().keys() {
        let (mesh, _) = msh::read(&meshes.join(file)).unwrap();
        assert_alike(&mesh, &round(&mesh).mesh, file);
    }
}

#[test]
fn numbers_have_no_more_letters_than_calculix_reads() {
    let points =
        vec![[-0.012_345_678_901_234_567, 1.0 / 3.0e5, -2.0e-30 / 3.0], [1e22, -123_456.789_012_345_67, 0.1]];
    let mesh = Mesh { points, ..Mesh::default() };
    let mut text = Vec::new();
    inp::write_to(&mut text, &mesh, &[], &[], &[]).unwrap();
    let text = String::from_utf8(text).unwrap();
    let numbers: Vec<&str> =
        text.lines().filter(|l| l.starts_with(['1', '2'])).flat_map(|l| l.split(", ").skip(1)).collect();
    assert_eq!(numbers.len(), 6, "{text}");
    for (number, x) in numbers.iter().zip(mesh.points.iter().flatten()) {
        assert!(number.len() <= 20, "{number}");
        assert!((number.parse::<f64>().unwrap() / x - 1.0).abs() < 1e-14, "{number} {x}");
    }
}

#[test]
fn inp_files_of_gmsh_agree_with_the_msh_files_of_the_same_mesh() {
    let Some(meshes) = shared_data("meshes") else { return };
    for (file, twin) in [("conrod_tet10.inp", "conrod_tet10.msh"), ("sphere_hex20.inp", "sphere_hex20.msh")] {
        let InpFile { mesh, notes, .. } = inp::read(&meshes.join(file)).unwrap();
        let (other, _) = msh::read(&meshes.join(twin)).unwrap();
        assert_eq!(notes, [], "{file}");
        assert_eq!(mesh.blocks, other.blocks, "{file}");
        for (name, set) in &other.sets {
            assert_eq!(&mesh.sets[name], set, "{file}: {name}");
        }
        // Gmsh writes 14 digits.
        for (x, y) in mesh.points.iter().flatten().zip(other.points.iter().flatten()) {
            assert!((x - y).abs() < 1e-14, "{file}");
        }
        // The names of the CAD entities are also sets.
        assert!(mesh.sets.contains_key("Volume1"), "{:?}", mesh.sets.keys());
    }
}
