//! The small files in `tests/files`: every version and encoding, sets, damage.

use std::path::PathBuf;
use std::time::Instant;

use carom_mesh::msh::{self, Note, ParseMshError};
use carom_mesh::{CellShape, Mesh, Set};

fn path(name: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/files")).join(name)
}

fn read(name: &str) -> Mesh {
    msh::read(&path(name)).unwrap_or_else(|e| panic!("{e}")).0
}

const BALLS: [&str; 4] =
    ["ball_tet10_v41.msh", "ball_tet10_v41_binary.msh", "ball_tet10_v22.msh", "ball_tet10_v22_binary.msh"];
const BOXES: [&str; 6] = [
    "boxes_hex8_v41_binary.msh",
    "boxes_hex8_v22.msh",
    "boxes_hex20_v41_binary.msh",
    "boxes_hex20_v22.msh",
    "boxes_hex27_v41_binary.msh",
    "boxes_hex27_v22.msh",
];

#[test]
fn four_encodings_give_the_same_mesh() {
    let first = read(BALLS[0]);
    assert_eq!(first.points.len(), 83);
    for name in &BALLS[1..] {
        let mesh = read(name);
        assert_eq!(mesh.blocks.len(), 1);
        assert_eq!(mesh.sets, first.sets, "{name}");
        // Version 2.2 text has 16 digits, which loses the last bit of some numbers.
        for (a, b) in mesh.points.iter().zip(&first.points) {
            assert!((0..3).all(|k| (a[k] - b[k]).abs() < 1e-15), "{name}: {a:?} {b:?}");
        }
        assert_eq!(mesh.blocks, first.blocks, "{name}");
    }
}

#[test]
fn groups_of_every_dimension_become_sets() {
    let mesh = read(BALLS[0]);
    assert_eq!(mesh.sets.keys().collect::<Vec<_>>(), ["ball", "physical7", "rim", "tip"]);
    assert_eq!(mesh.set("ball").unwrap().len(), mesh.n_cells());
    assert!(matches!(mesh.set("physical7"), Ok(Set::Faces(_))));
    // The unnamed group is the round face: all its nodes, including mid-edge ones, lie on the unit sphere.
    for node in mesh.nodes_of_set("physical7").unwrap() {
        let x = mesh.points[node as usize];
        assert!((x.iter().map(|c| c * c).sum::<f64>() - 1.0).abs() < 1e-12, "{x:?}");
    }
    assert!(matches!(mesh.set("rim"), Ok(Set::Nodes(nodes)) if nodes.len() == 7));
    assert!(matches!(mesh.set("tip"), Ok(Set::Nodes(nodes)) if nodes.len() == 1));
    // An octant of the unit ball is π/6; quadratic cells of size 0.6 miss it by a few parts in a thousand.
    assert!((mesh.volume() / (std::f64::consts::PI / 6.0) - 1.0).abs() < 5e-3, "{}", mesh.volume());
}

#[test]
fn cells_in_several_groups_are_read_once_and_belong_to_all() {
    for name in BOXES {
        let mesh = read(name);
        assert_eq!(mesh.n_cells(), 16, "{name}");
        assert_eq!(mesh.blocks.len(), 2, "{name}: one block for each combination of groups");
        let counts = ["left", "right", "both", "low", "middle"].map(|set| mesh.set(set).unwrap().len());
        assert_eq!(counts, [8, 8, 16, 8, 4], "{name}");
        assert!((mesh.volume() - 2.0).abs() < 1e-14, "{name}: {}", mesh.volume());
        assert!(carom_mesh::quality::assess(&mesh).is_watertight(), "{name}");
    }
}

#[test]
fn an_inner_surface_has_faces_of_the_cells_on_the_side_of_its_orientation() {
    for name in BOXES {
        let mesh = read(name);
        for &face in mesh.faces_of_set("middle").unwrap() {
            let (_, nodes) = mesh.face(face);
            assert!(nodes.map(|n| mesh.points[n as usize][0]).all(|x| (x - 1.0).abs() < 1e-15), "{name}");
        }
        let cells = mesh.faces_of_set("middle").unwrap().iter().map(|face| face.block);
        assert_eq!(cells.collect::<std::collections::BTreeSet<_>>().len(), 1, "{name}: one side of it");
    }
}

#[test]
fn a_written_mesh_is_read_back() {
    for name in BALLS.iter().chain(&BOXES) {
        let mesh = read(name);
        let mut bytes = Vec::new();
        msh::write_to(&mut bytes, &mesh).unwrap();
        let (again, notes) = msh::parse(&bytes).unwrap();
        assert_eq!(again, mesh, "{name}");
        assert!(notes.is_empty());
    }
}

#[test]
fn a_file_appears_whole_and_names_that_cannot_be_written_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("part.msh");
    let mut mesh = read("ball_tet4_v41.msh");
    msh::write(&file, &mesh).unwrap();
    assert_eq!(msh::read(&file).unwrap().0, mesh);
    mesh.sets.insert("a \"b\"".into(), Set::Nodes(vec![0]));
    let message = msh::write(&file, &mesh).unwrap_err().to_string();
    assert!(message.contains("quotation mark"), "{message}");
    let message = msh::write(&folder.path().join("no/part.msh"), &mesh).unwrap_err().to_string();
    assert!(message.contains("quotation mark"), "{message}");
    mesh.sets.remove("a \"b\"");
    let message = msh::write(&folder.path().join("no/part.msh"), &mesh).unwrap_err().to_string();
    assert!(message.contains("cannot write") && message.contains("no/part.msh"), "{message}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no other file is left");
}

/// Each section has hundreds of thousands of tiny entries: the time grows only with the size of the file.
#[test]
fn many_small_entries_are_read_in_seconds() {
    let n = 200_000;
    let head = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n";
    let lines = |line: &str| line.repeat(n);
    let names: String = (1..=n).map(|tag| format!("3 {tag} \"g{tag}\"\n")).collect();
    let blocks = format!("{n} 0 0 0\n{}$EndNodes\n", lines("3 1 0 0\n"));
    let sections = [
        format!("$PhysicalNames\n{n}\n{names}$EndPhysicalNames\n"),
        format!("$Entities\n{n} 0 0 0\n{}$EndEntities\n", lines("1 0 0 0 0\n")),
        format!("$Nodes\n{blocks}"),
        lines("$Comment\n$EndComment\n"),
    ];
    for section in sections {
        let started = Instant::now();
        let message = msh::parse(format!("{head}{section}").as_bytes()).unwrap_err().to_string();
        // The error comes after the sections before the nodes are read.
        assert!(message.contains("$Elements") || message.contains("$Nodes"), "{message}");
        // Counting lines for each entry took a minute.
        assert!(started.elapsed().as_secs() < 10, "{message}: {:?}", started.elapsed());
    }
}

#[test]
fn a_truncated_file_is_an_error_and_never_a_panic() {
    for name in BALLS.iter().chain(&BOXES) {
        let bytes = std::fs::read(path(name)).unwrap();
        let whole = msh::parse(&bytes).unwrap();
        // The last bytes are the line end and the end mark: only the line end may be missing.
        for length in 0..bytes.len() {
            match msh::parse(&bytes[..length]) {
                Err(error) => assert!(!error.to_string().is_empty()),
                Ok(read) => {
                    assert_eq!(length, bytes.len() - 1, "{name} cut at {length}");
                    assert_eq!(read, whole);
                }
            }
        }
    }
}

#[test]
fn a_truncated_text_names_the_line_and_a_truncated_binary_the_byte() {
    let text = std::fs::read(path("ball_tet10_v41.msh")).unwrap();
    let half = &text[..text.len() / 2];
    let lines = half.iter().filter(|b| **b == b'\n').count() + 1;
    let message = msh::parse(half).unwrap_err().to_string();
    assert!(message.starts_with(&format!("line {lines}:")) && message.contains("incomplete"), "{message}");
    let binary = std::fs::read(path("ball_tet10_v41_binary.msh")).unwrap();
    let message = msh::parse(&binary[..binary.len() / 2]).unwrap_err().to_string();
    assert!(message.starts_with("byte "), "{message}");
}

/// A small generator of reproducible random numbers (splitmix64).
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n as u64) as usize
    }
}

#[test]
fn flipped_bytes_never_panic_or_hang() {
    let mut random = Random(7);
    for name in BALLS.iter().chain(&BOXES) {
        let bytes = std::fs::read(path(name)).unwrap();
        for _ in 0..400 {
            let mut broken = bytes.clone();
            for _ in 0..1 + random.below(3) {
                let at = random.below(broken.len());
                broken[at] = random.below(256) as u8;
            }
            // Many flips only move a node, so that the file can still be read.
            if let Ok((mesh, _)) = msh::parse(&broken) {
                assert!(mesh.points.iter().flatten().all(|c| c.is_finite()));
                let n = mesh.points.len() as u32;
                assert!(mesh.blocks.iter().flat_map(|b| &b.connectivity).all(|node| *node < n));
            }
        }
    }
}

/// A text file of four nodes with the given elements
/// section.
fn four_nodes(elements: &str) -> Vec<u8> {
    format!(
        "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 4 1 4\n3 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n0 1 0\n0 \
         0 1\n$EndNodes\n$Elements\n{elements}$EndElements\n"
    )
    .into_bytes()
}

fn error(bytes: &[u8]) -> ParseMshError {
    msh::parse(bytes).expect_err("the file is wrong")
}

#[test]
fn unsupported_content_is_refused_by_name_with_its_line() {
    let message = error(&four_nodes("1 1 1 1\n3 1 13 1\n1 1 2 3 4 1 2\n")).to_string();
    assert!(
        message.starts_with("line 18: the mesh has wedges (prisms) with nodes on their faces"),
        "{message}"
    );
    assert!(message.contains("Mesh.SecondOrderIncomplete = 1"), "{message}");
    let message = error(&four_nodes("1 1 1 1\n3 1 29 1\n")).to_string();
    assert!(message.contains("tetrahedra of third order"), "{message}");
    let message = error(&four_nodes("1 2 1 2\n2 1 2 2\n1 1 2 3\n2 1 2 4\n")).to_string();
    assert!(message.contains("no volume elements, only 2 tri3"), "{message}");
    let message = error(&four_nodes("1 1 1 1\n3 1 4 1\n1 1 2 3 9\n")).to_string();
    assert_eq!(message, "line 19: element 1 uses node 9, which the file does not have");
    let message = error(b"$MeshFormat\n3.0 0 8\n$EndMeshFormat\n").to_string();
    assert!(message.contains("version 3.0") && message.contains("-format msh41"), "{message}");
    let partitioned =
        b"$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PartitionedEntities\n2\n$EndPartitionedEntities\n";
    assert!(matches!(error(partitioned), ParseMshError::Partitioned { .. }));
    assert!(matches!(error(b"solid part\n"), ParseMshError::NotMsh { .. }));
    assert!(matches!(error(b""), ParseMshError::NotMsh { .. }));
    assert!(matches!(
        error(b"$MeshFormat\n4.1 0 4\n$EndMeshFormat\n"),
        ParseMshError::NumberSize { found: 4 }
    ));
    assert!(matches!(
        error(b"$MeshFormat\n4.1 1 8\nabcd\n$EndMeshFormat\n"),
        ParseMshError::ByteOrder { .. }
    ));
}

#[test]
fn wrong_counts_do_not_reserve_memory() {
    let message = error(&four_nodes("1 99999999999999 1 1\n")).to_string();
    assert!(message.contains("99999999999999 elements are announced"), "{message}");
    let lie = b"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n18446744073709551615\n1 0 0 0\n$EndNodes\n";
    assert!(matches!(error(lie), ParseMshError::Count { what: "nodes", .. }));
}

#[test]
fn invalid_nodes_are_named() {
    let nan = b"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n1\n5 0 nan 0\n$EndNodes\n";
    assert!(
        error(nan).to_string().contains("section $Nodes: node 5 has the coordinates (0.0, NaN, 0.0)"),
        "{}",
        error(nan)
    );
    let far = b"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n1\n5 0 1e308 0\n$EndNodes\n";
    let message = error(far).to_string();
    assert!(
        message.contains("node 5 has the coordinates (0.0, 1e308, 0.0)") && message.contains("1e60"),
        "{message}"
    );
    let twice = b"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n2\n5 0 0 0\n5 1 0 0\n$EndNodes\n";
    assert!(matches!(error(twice), ParseMshError::RepeatedNode { tag: 5, .. }));
}

#[test]
fn tags_may_have_gaps_and_unused_nodes_keep_their_place() {
    let text = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Comments\nfree text, 100 $ a \
        line\n$EndComments\n$PhysicalNames\n2\n\
        2 9 \"skin\"\n3 8 \"nothing here\"\n$EndPhysicalNames\n$Nodes\n5\n7000000 0 0 0\n3 1 0 0\n12 9 9 9\n\
        900000 0 1 0\n1 0 0 1\n$EndNodes\n$Elements\n2\n1 4 2 1 1 7000000 3 900000 1\n2 2 2 9 4 3 900000 \
        1\n$EndElements\n";
    let (mesh, notes) = msh::parse(text.as_bytes()).unwrap();
    assert_eq!(mesh.points[2], [9.0; 3]);
    assert_eq!(mesh.blocks[0].connectivity, [0, 1, 3, 4]);
    assert_eq!(mesh.used_nodes(), [0, 1, 3, 4]);
    assert_eq!(mesh.sets.keys().collect::<Vec<_>>(), ["physical1", "skin"]);
    assert_eq!(notes, [Note::UnusedNodes { count: 1 }, Note::EmptyGroup { name: "nothing here".into() }]);
}

#[test]
fn big_endian_files_are_read() {
    let mut bytes = b"$MeshFormat\n2.2 1 8\n".to_vec();
    bytes.extend(1i32.to_be_bytes());
    bytes.extend(b"\n$EndMeshFormat\n$Nodes\n4\n");
    for (tag, x) in (1i32..).zip([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0f64]]) {
        bytes.extend(tag.to_be_bytes());
        x.iter().for_each(|c| bytes.extend(c.to_be_bytes()));
    }
    bytes.extend(b"\n$EndNodes\n$Elements\n1\n");
    for number in [4i32, 1, 2, 1, 5, 5, 1, 2, 3, 4] {
        bytes.extend(number.to_be_bytes());
    }
    bytes.extend(b"\n$EndElements\n");
    let (mesh, _) = msh::parse(&bytes).unwrap();
    assert_eq!(mesh.blocks[0].shape, CellShape::Tet4);
    assert_eq!(mesh.points[3], [0.0, 0.0, 1.0]);
    assert_eq!(mesh.set("physical5").unwrap().len(), 1);
}

#[test]
fn surface_elements_without_a_cell_become_nodes_and_are_reported() {
    let elements = "2 2 1 2\n2 5 2 1\n1 1 2 4\n3 1 4 1\n2 1 2 3 4\n";
    let text = String::from_utf8(four_nodes(elements)).unwrap().replace(
        "$Nodes\n1 4 1 4\n3 1 0 4\n1\n2\n3\n4\n0 0 0\n",
        "$Entities\n0 0 1 1\n5 0 0 0 1 1 1 1 3 0\n1 0 0 0 1 1 1 0 0\n$EndEntities\n$Nodes\n1 5 1 5\n3 1 0 5\n\
         9\n1\n2\n3\n4\n7 7 7\n0 0 0\n",
    );
    let text = text.replace("1 1 2 4\n3 1 4", "1 1 2 9\n3 1 4");
    let (mesh, notes) = msh::parse(text.as_bytes()).unwrap();
    assert_eq!(mesh.set("physical3").unwrap(), &Set::Nodes(vec![0, 1, 2]));
    assert!(
        notes.contains(&Note::LooseSurface { name: "physical3".into(), count: 1, all: true }),
        "{notes:?}"
    );
}

#[test]
fn every_kind_is_read_back_with_its_faces() {
    use carom_mesh::{CellBlock, CellRef, CellShape, FaceRef};
    for shape in CellShape::SOLIDS {
        let bent = |x: &[f64; 3]| [x[0] + 0.1 * x[1], x[1] + 0.2 * x[2] * x[0], x[2] * (1.0 + 0.3 * x[0])];
        let mut mesh = Mesh {
            points: shape.reference_nodes().iter().map(bent).collect(),
            blocks: vec![CellBlock { shape, connectivity: (0..shape.n_nodes() as u32).collect() }],
            ..Mesh::default()
        };
        mesh.sets.insert("body".into(), Set::Cells(vec![CellRef { block: 0, cell: 0 }]));
        for face in 0..shape.n_faces() as u8 {
            let set = Set::Faces(vec![FaceRef { block: 0, cell: 0, face }]);
            mesh.sets.insert(format!("face {face}"), set);
        }
        let mut bytes = Vec::new();
        msh::write_to(&mut bytes, &mesh).unwrap();
        assert_eq!(msh::parse(&bytes).unwrap(), (mesh, vec![]), "{}", shape.name());
    }
}
