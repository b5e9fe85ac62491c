//! One mesh in every version of the MSH format, as Gmsh writes it: a hexahedron, two wedges, a pyramid and a
//! tetrahedron; and files written by hand from the description of the formats.

use std::path::PathBuf;

use carom_mesh::msh::{self, Note, ParseMshError};
use carom_mesh::{CellShape, Mesh, Set, inp, quality};

fn path(name: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/files")).join(name)
}

const FIRST_ORDER: [&str; 4] = ["kinds1_v1.msh", "kinds1_v22.msh", "kinds1_v40.msh", "kinds1_v41.msh"];
const SECOND_ORDER: [&str; 6] = [
    "kinds2_v1.msh",
    "kinds2_v22.msh",
    "kinds2_v22_binary.msh",
    "kinds2_v40.msh",
    "kinds2_v41.msh",
    "kinds2_v41_binary.msh",
];

fn read(name: &str) -> Mesh {
    let (mesh, notes) = msh::read(&path(name)).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(notes, [], "{name}");
    mesh
}

/// Checks properties that do not depend on the order of nodes and cells in the file.
fn check(name: &str, mesh: &Mesh, order: usize) {
    let found = quality::assess(mesh);
    assert!(found.is_watertight() && found.parts == 1 && found.folded.is_empty(), "{name}: {found:?}");
    let counts: Vec<_> = mesh.cell_counts().into_iter().collect();
    let expected = if order == 1 {
        [("hex8", 1), ("pyramid5", 1), ("tet4", 1), ("wedge6", 2)]
    } else {
        [("hex20", 1), ("pyramid13", 1), ("tet10", 1), ("wedge15", 2)]
    };
    assert_eq!(counts, expected, "{name}");
    // Every middle node lies in the middle of its edge if the order of Gmsh is applied correctly.
    for (_, shape, nodes) in mesh.cells() {
        for (k, edge) in shape.edges().iter().enumerate().filter(|_| order == 2) {
            let [a, b] = edge.map(|corner| mesh.points[nodes[corner as usize] as usize]);
            let middle = mesh.points[nodes[shape.n_corners() + k] as usize];
            for d in 0..3 {
                assert!((middle[d] - 0.5 * (a[d] + b[d])).abs() < 1e-14, "{name}: {} edge {k}", shape.name());
            }
        }
    }
    let sets = |solid: &str, skin: &str| (mesh.sets[solid].len(), mesh.sets[skin].clone());
    let is_version_1 = mesh.sets.contains_key("physical7");
    let (n_cells, skin) =
        if is_version_1 { sets("physical7", "physical9") } else { sets("solid", "skin part") };
    assert_eq!(n_cells, 5, "{name}");
    assert!(matches!(&skin, Set::Faces(faces) if faces.len() == 4), "{name}: {skin:?}");
    assert_eq!(mesh.nodes_of(&skin).len(), if order == 1 { 11 } else { 24 }, "{name}");
}

#[test]
fn every_version_gives_the_same_mesh() {
    for (names, order) in [(&FIRST_ORDER[..], 1), (&SECOND_ORDER, 2)] {
        let volumes: Vec<f64> = names.iter().map(|name| read(name).volume()).collect();
        for (name, volume) in names.iter().zip(&volumes) {
            check(name, &read(name), order);
            assert!((volume / volumes[0] - 1.0).abs() < 1e-14, "{name}: {volume}");
        }
    }
}

#[test]
fn gmsh_writes_the_same_mesh_as_inp() {
    for (name, twin) in [("kinds1.inp", FIRST_ORDER[1]), ("kinds2.inp", SECOND_ORDER[1])] {
        let file = inp::read(&path(name)).unwrap_or_else(|e| panic!("{e}"));
        let twin = read(twin);
        assert_eq!(file.mesh.cell_counts(), twin.cell_counts(), "{name}");
        assert!((file.mesh.volume() / twin.volume() - 1.0).abs() < 1e-12, "{name}");
        assert!(quality::assess(&file.mesh).is_watertight(), "{name}");
        assert!(matches!(&file.mesh.sets["skin_part"], Set::Faces(faces) if faces.len() == 4), "{name}");
    }
}

/// A tetrahedron with a group on its face ζ = 0, in version 2.0 or 2.1.
fn version_2(version: &str, names: &str) -> String {
    format!(
        "$MeshFormat\n{version} 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n{names}$EndPhysicalNames\n$Nodes\n4\n\
         2 0 0 0\n4 1 0 0\n6 0 1 0\n8 0 0 1\n$EndNodes\n$Elements\n2\n\
         1 2 3 5 1 3 2 4 6\n2 4 3 7 1 2 2 4 6 8\n\
         $EndElements\n"
    )
}

#[test]
fn versions_2_0_and_2_1_have_partitions_and_names_of_their_own() {
    // The third tag is the partition of the element; names have no dimension before 2.1.
    for (version, names) in [
        ("2", "5 \"foot\"\n7 \"solid\"\n"),
        ("2.0", "5 \"foot\"\n7 \"solid\"\n"),
        ("2.1", "2 5 \"foot\"\n3 7 \"solid\"\n"),
    ] {
        let (mesh, notes) = msh::parse(version_2(version, names).as_bytes()).unwrap();
        assert_eq!(notes, [], "{version}");
        assert_eq!(mesh.sets.keys().collect::<Vec<_>>(), ["foot", "solid"], "{version}");
        assert!(matches!(&mesh.sets["foot"], Set::Faces(faces) if faces.len() == 1), "{version}");
        assert!((mesh.volume() - 1.0 / 6.0).abs() < 1e-15);
    }
    let names = "5 \"foot\"\n9 \"nobody\"\n";
    let (_, notes) = msh::parse(version_2("2.0", names).as_bytes()).unwrap();
    assert_eq!(notes, [Note::EmptyGroup { name: "nobody".into() }]);
    // In 2.2 the same tag marks a partitioned mesh.
    let message = msh::parse(version_2("2.2", "2 5 \"foot\"\n3 7 \"solid\"\n").as_bytes()).unwrap_err();
    assert!(matches!(message, ParseMshError::Partitioned { .. }), "{message}");
}

/// A wedge in binary MSH 4.0 with the sizes of the format description: tags are `int`, counts `unsigned
/// long`.
fn binary_4_0(big_endian: bool) -> Vec<u8> {
    let mut bytes = b"$MeshFormat\n4.0 1 8\n".to_vec();
    let int = |bytes: &mut Vec<u8>, value: i32| {
        bytes.extend(if big_endian { value.to_be_bytes() } else { value.to_le_bytes() });
    };
    let long = |bytes: &mut Vec<u8>, value: u64| {
        bytes.extend(if big_endian { value.to_be_bytes() } else { value.to_le_bytes() });
    };
    let double = |bytes: &mut Vec<u8>, value: f64| {
        bytes.extend(if big_endian { value.to_be_bytes() } else { value.to_le_bytes() });
    };
    int(&mut bytes, 1);
    bytes.extend(b"\n$EndMeshFormat\n$PhysicalNames\n1\n3 4 \"solid\"\n$EndPhysicalNames\n$Entities\n");
    // A point without groups, a volume in group 4.
    [1, 0, 0, 1].into_iter().for_each(|count| long(&mut bytes, count));
    int(&mut bytes, 1);
    (0..6).for_each(|_| double(&mut bytes, 0.0));
    long(&mut bytes, 0);
    int(&mut bytes, 3);
    (0..6).for_each(|_| double(&mut bytes, 1.0));
    long(&mut bytes, 1);
    int(&mut bytes, 4);
    long(&mut bytes, 0);
    bytes.extend(b"\n$EndEntities\n$Nodes\n");
    // One block: entity 3 of dimension 3, without parameters.
    long(&mut bytes, 1);
    long(&mut bytes, 6);
    [3, 3, 0].into_iter().for_each(|number| int(&mut bytes, number));
    long(&mut bytes, 6);
    for (tag, x) in (10..).zip(CellShape::Wedge6.reference_nodes()) {
        int(&mut bytes, tag);
        x.iter().for_each(|&c| double(&mut bytes, c));
    }
    bytes.extend(b"\n$EndNodes\n$Elements\n");
    long(&mut bytes, 1);
    long(&mut bytes, 1);
    [3, 3, 6].into_iter().for_each(|number| int(&mut bytes, number));
    long(&mut bytes, 1);
    (1..2).chain(10..16).for_each(|number| int(&mut bytes, number));
    bytes.extend(b"\n$EndElements\n");
    bytes
}

#[test]
fn binary_files_of_version_4_0_are_read_in_both_byte_orders() {
    for big_endian in [false, true] {
        let bytes = binary_4_0(big_endian);
        let (mesh, notes) = msh::parse(&bytes).unwrap();
        assert_eq!(notes, []);
        assert_eq!(mesh.points, CellShape::Wedge6.reference_nodes());
        assert_eq!(mesh.blocks[0].connectivity, [0, 1, 2, 3, 4, 5]);
        assert_eq!(mesh.sets["solid"].len(), 1);
        for length in 0..bytes.len() - 14 {
            assert!(msh::parse(&bytes[..length]).is_err(), "{length} bytes");
        }
    }
}

#[test]
fn damaged_files_of_every_version_are_errors_with_a_place_and_never_panics() {
    let mut state = 7_u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let files = FIRST_ORDER.iter().chain(&SECOND_ORDER).map(|name| std::fs::read(path(name)).unwrap());
    for bytes in files.chain([binary_4_0(false), version_2("2.0", "5 \"foot\"\n7 \"solid\"\n").into_bytes()])
    {
        for _ in 0..300 {
            let mut broken = bytes.clone();
            for _ in 0..1 + random(3) {
                let at = random(broken.len());
                broken[at] = random(256) as u8;
            }
            if let Ok((mesh, _)) = msh::parse(&broken) {
                let n = mesh.points.len() as u32;
                assert!(mesh.blocks.iter().flat_map(|b| &b.connectivity).all(|node| *node < n));
            }
        }
        for length in (0..bytes.len()).step_by(7) {
            // Truncated files are refused, except those that end within the last mark.
            if let Ok((mesh, _)) = msh::parse(&bytes[..length]) {
                assert!(bytes.len() - length < 16, "{length} bytes of {}: {mesh:?}", bytes.len());
            }
        }
    }
}

#[test]
fn errors_in_files_of_version_1_contain_their_line() {
    let file = |elements: &str| {
        format!("$NOD\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$ENDNOD\n$ELM\n1\n{elements}\n$ENDELM\n")
    };
    let (mesh, _) = msh::parse(file("1 4 0 1 4 1 2 3 4").as_bytes()).unwrap();
    assert!(mesh.sets.is_empty() && (mesh.volume() - 1.0 / 6.0).abs() < 1e-15);
    for (elements, expected) in [
        ("1 4 0 1 5 1 2 3 4", "line 10: an element of kind tet4 lists 5 nodes, but this kind has 4"),
        ("1 4 0 1 -1 1 2 3 4", "lists -1 nodes"),
        ("1 4 0 1 4 1 2 3 9", "line 10: element 1 uses node 9, which the file does not have"),
        ("1 4 0 1 4 1 2 3 -4", "`-4` stands where a node number should be"),
        ("1 29 0 1 4 1 2 3 4", "tetrahedra of third order"),
        ("1 4 0 1 4 1 2 3 4 5", "stands where $EndELM should be"),
    ] {
        let message = msh::parse(file(elements).as_bytes()).unwrap_err().to_string();
        assert!(message.contains(expected), "{elements}: {message}");
    }
    let lie = "$NOD\n99999999999\n1 0 0 0\n$ENDNOD\n";
    assert!(matches!(msh::parse(lie.as_bytes()), Err(ParseMshError::Count { .. })));
    let twice = "$NOD\n1\n1 0 0 0\n$ENDNOD\n$NOD\n1\n1 0 0 0\n$ENDNOD\n";
    assert!(matches!(msh::parse(twice.as_bytes()), Err(ParseMshError::Repeated { name: "NOD", .. })));
    let no_elements = "$NOD\n1\n1 0 0 0\n$ENDNOD\n";
    assert!(matches!(msh::parse(no_elements.as_bytes()), Err(ParseMshError::Missing { name: "ELM" })));
}
