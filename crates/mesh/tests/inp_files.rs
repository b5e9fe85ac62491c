//! Files of Abaqus and CalculiX: every kind of element, sets of all kinds, parts and instances,
//! refusals.

use std::fmt::Write as _;
use std::path::Path;

use carom_mesh::inp::{self, InpFile, InpMaterial, Note};
use carom_mesh::{CellRef, CellShape, FaceRef, Set, msh, quality};
use carom_testing::shared_data;

pub(crate) fn read(text: &str) -> Result<InpFile, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.inp");
    std::fs::write(&path, text).unwrap();
    inp::read(&path).map_err(|error| error.to_string().replace(&folder.path().display().to_string(), ""))
}

/// Edges of Abaqus' elements by their corners from one, as its manual draws them; node 1 + corners + k is on
/// edge k.
const TET_EDGES: [[usize; 2]; 6] = [[1, 2], [2, 3], [3, 1], [1, 4], [2, 4], [3, 4]];
const HEX_EDGES: [[usize; 2]; 12] =
    [[1, 2], [2, 3], [3, 4], [4, 1], [5, 6], [6, 7], [7, 8], [8, 5], [1, 5], [2, 6], [3, 7], [4, 8]];
/// Faces S1 to S6.
const HEX_FACES: [[usize; 4]; 6] =
    [[1, 2, 3, 4], [5, 8, 7, 6], [1, 5, 6, 2], [2, 6, 7, 3], [3, 7, 8, 4], [4, 8, 5, 1]];
const TET_FACES: [[usize; 3]; 4] = [[1, 2, 3], [1, 4, 2], [2, 4, 3], [3, 4, 1]];
const WEDGE_EDGES: [[usize; 2]; 9] = [[1, 2], [2, 3], [3, 1], [4, 5], [5, 6], [6, 4], [1, 4], [2, 5], [3, 6]];
const WEDGE_FACES: [&[usize]; 5] = [&[1, 2, 3], &[4, 6, 5], &[1, 4, 5, 2], &[2, 5, 6, 3], &[3, 6, 4, 1]];
const PYRAMID_EDGES: [[usize; 2]; 8] = [[1, 2], [2, 3], [3, 4], [4, 1], [1, 5], [2, 5], [3, 5], [4, 5]];
const PYRAMID_FACES: [&[usize]; 5] = [&[1, 2, 3, 4], &[1, 5, 2], &[2, 5, 3], &[3, 5, 4], &[4, 5, 1]];

/// Edges and faces of a type in the manual's order.
fn edges_and_faces(name: &str) -> (&'static [[usize; 2]], Vec<Vec<usize>>) {
    let lists = |faces: &[&[usize]]| faces.iter().map(|face| face.to_vec()).collect();
    match name {
        "C3D4" | "C3D10" => (&TET_EDGES, TET_FACES.iter().map(|face| face.to_vec()).collect()),
        "C3D6" | "C3D15" => (&WEDGE_EDGES, lists(&WEDGE_FACES)),
        "C3D5" | "C3D13" => (&PYRAMID_EDGES, lists(&PYRAMID_FACES)),
        _ => (&HEX_EDGES, HEX_FACES.iter().map(|face| face.to_vec()).collect()),
    }
}

/// Nodes of an element of a type in Abaqus' order, over corners without symmetry.
pub(crate) fn element(name: &str) -> Vec<[f64; 3]> {
    let tetrahedron = [[0.0, 0.0, 0.0], [1.0, 0.1, 0.2], [0.2, 1.3, 0.1], [0.1, 0.3, 1.7]];
    let hexahedron = [
        [0.0, 0.0, 0.0],
        [1.0, 0.1, 0.0],
        [1.2, 1.1, 0.1],
        [0.1, 1.3, 0.0],
        [0.0, 0.1, 1.4],
        [1.1, 0.0, 1.5],
        [1.0, 1.2, 1.7],
        [0.2, 1.0, 1.3],
    ];
    let mut x: Vec<[f64; 3]> = match name {
        "C3D4" | "C3D10" => tetrahedron.to_vec(),
        "C3D6" | "C3D15" => [0, 1, 3, 4, 5, 7].map(|k| hexahedron[k]).to_vec(),
        "C3D5" | "C3D13" => [0, 1, 2, 3, 6].map(|k| hexahedron[k]).to_vec(),
        _ => hexahedron.to_vec(),
    };
    let mean = |x: &[[f64; 3]], of: &[usize]| -> [f64; 3] {
        [0, 1, 2].map(|d| of.iter().map(|&k| x[k - 1][d]).sum::<f64>() / of.len() as f64)
    };
    if !["C3D4", "C3D5", "C3D6", "C3D8"].contains(&name) {
        let (edges, _) = edges_and_faces(name);
        let middles: Vec<_> = edges.iter().map(|edge| mean(&x, edge)).collect();
        x.extend(middles);
    }
    if name == "C3D27" {
        x.push(mean(&x, &[1, 2, 3, 4, 5, 6, 7, 8]));
        let middles: Vec<_> = HEX_FACES.iter().map(|face| mean(&x, face)).collect();
        x.extend(middles);
    }
    x
}

/// A file with one element and the surfaces `f1`, `f2`, …, of one labelled face each.
pub(crate) fn one_element(name: &str, x: &[[f64; 3]], n_faces: usize) -> String {
    let mut text = String::from("*NODE\n");
    for (k, [a, b, c]) in x.iter().enumerate() {
        writeln!(text, "{}, {a:?}, {b:?}, {c:?}", k + 11).unwrap();
    }
    writeln!(text, "*ELEMENT, TYPE={name}\n7, ").unwrap();
    let numbers: Vec<String> = (0..x.len()).map(|k| (k + 11).to_string()).collect();
    for line in numbers.chunks(6) {
        writeln!(text, "{},", line.join(", ")).unwrap();
    }
    for face in 1..=n_faces {
        writeln!(text, "*SURFACE, NAME=f{face}\n7, S{face}").unwrap();
    }
    text
}

#[test]
fn nodes_and_faces_of_every_kind_agree_with_the_manual() {
    for (name, shape) in [
        ("C3D4", CellShape::Tet4),
        ("C3D10", CellShape::Tet10),
        ("C3D8", CellShape::Hex8),
        ("C3D20", CellShape::Hex20),
        ("C3D27", CellShape::Hex27),
        ("C3D6", CellShape::Wedge6),
        ("C3D15", CellShape::Wedge15),
        ("C3D5", CellShape::Pyramid5),
        ("C3D13", CellShape::Pyramid13),
    ] {
        let x = element(name);
        let InpFile { mesh, notes, .. } = read(&one_element(name, &x, shape.n_faces())).unwrap();
        assert_eq!(mesh.points, x, "{name}");
        assert_eq!(notes, [Note::Renumbered { label: 11, place: 1 }], "{name}");
        assert_eq!(mesh.blocks[0].shape, shape);
        // The element is straight, so that every node lies at the image of its reference coordinates if the
        // order is right.
        let nodes = mesh.blocks[0].cell(0);
        let linear = shape.table().linear;
        let mut values = vec![0.0; linear.n_nodes()];
        for (&node, &xi) in nodes.iter().zip(shape.reference_nodes()) {
            carom_mesh::lagrange::values_into(linear, xi, &mut values);
            for d in 0..3 {
                let expected: f64 =
                    values.iter().zip(nodes).map(|(v, &n)| v * mesh.points[n as usize][d]).sum();
                assert!((mesh.points[node as usize][d] - expected).abs() < 1e-15, "{name}: node {node}");
            }
        }
        assert!(mesh.volume() > 0.0);
        for (face, corners) in edges_and_faces(name).1.into_iter().enumerate() {
            let faces = mesh.faces_of_set(&format!("f{}", face + 1)).unwrap();
            let (face_shape, nodes) = mesh.face(faces[0]);
            let mut found: Vec<usize> = nodes.take(face_shape.n_corners()).map(|n| n as usize + 1).collect();
            found.sort_unstable();
            let mut corners = corners;
            corners.sort_unstable();
            assert_eq!((faces.len(), found), (1, corners), "{name}: S{}", face + 1);
        }
    }
}

#[test]
fn the_last_nodes_of_a_c3d27_are_ordered_by_their_places() {
    let mut x = element("C3D27");
    let usual = read(&one_element("C3D27", &x, 6)).unwrap().mesh.volume();
    // Another writer's order: faces first, then the middle.
    let middle = x.remove(20);
    x.push(middle);
    assert_eq!(read(&one_element("C3D27", &x, 6)).unwrap().mesh.volume(), usual);
    x[25] = x[24];
    let message = read(&one_element("C3D27", &x, 6)).unwrap_err();
    assert!(message.contains("element 7 (C3D27)"), "{message}");
}

/// Two cubes side by side in x, numbers with gaps, sets in every notation.
const CUBES: &str = "\
** a comment
*Heading
two cubes
 * node , NSET = all nodes
1, 0., 0., 0.
2, 1., , 0
3, 2.0E0, 0., 0.
 4, 0., 1.D0, 0.
5, 1., 1., 0.
6, 2., 1., 0.
11, 0., 0., 1.
12, 1., 0., 1.
13, 2., 0., 1.
14, 0., 1., 1.
15, 1., 1., 1.
16, 2., 1., 1.
99, 7., 7., 7.
*ELEMENT, type=c3d8R,
 elset = Left
100, 1, 2, 5, 4,
 11, 12, 15, 14
*Element, elset=Right, type=C3D8I
200, 2, 3, 6, 5, 12, 13, 16, 15
*ELEMENT, TYPE=S4, ELSET=skin
300, 1, 4, 5, 2
*ELEMENT, TYPE=CPS4, ELSET=wall
301, 2, 5, 15, 12
302, 1, 4, 14, 11
*ELEMENT, TYPE=T3D2, ELSET=truss
400, 1, 99
*NSET, NSET=ends
1, 99, ONE
*NSET, NSET=one
 15,
*NSET, NSET=row, GENERATE
11, 15, 2
*NSET, NSET=some, GENERATE
1, 1000000000
*NSET, NSET=of_left, ELSET=LEFT
*ELSET, ELSET=both
left, RIGHT
*ELSET, ELSET=mixed
200, skin
*ELSET, ELSET=nothing
*SURFACE, NAME=top, TYPE=ELEMENT
both, S2
*SURFACE, NAME=free
right,
*SURFACE, NAME=points, TYPE=NODE
row
3, 1.0
*MATERIAL, NAME=Rubber
*DENSITY
1100.,
*ELASTIC
5.e6, 0.45
*MATERIAL, NAME=Other
*ELASTIC, TYPE=ENGINEERING CONSTANTS
1, 2, 3, 4
*SOLID SECTION, ELSET=Left, MATERIAL=rubber
*SOLID SECTION, ELSET=Right, MATERIAL=OTHER
*BOUNDARY
ends, 1, 3
*STEP
*STATIC
*NODE PRINT, NSET=ends
U
*END STEP
";

#[test]
fn sets_are_read_in_every_notation() {
    let file = read(CUBES).unwrap();
    let mesh = &file.mesh;
    assert_eq!(mesh.points.len(), 13);
    assert_eq!(mesh.points[1], [1.0, 0.0, 0.0]);
    assert!((mesh.volume() - 2.0).abs() < 1e-15);
    let (left, right) = (CellRef { block: 0, cell: 0 }, CellRef { block: 1, cell: 0 });
    assert_eq!(mesh.sets["Left"], Set::Cells(vec![left]));
    assert_eq!(mesh.sets["both"], Set::Cells(vec![left, right]));
    assert_eq!(mesh.sets["ends"], Set::Nodes(vec![0, 10, 12]));
    assert_eq!(mesh.sets["row"], Set::Nodes(vec![6, 8, 10]));
    assert_eq!(mesh.sets["some"], mesh.sets["all nodes"]);
    assert_eq!(mesh.nodes_of(&mesh.sets["of_left"]), mesh.nodes_of(&mesh.sets["Left"]));
    let face = |cell: CellRef, face| FaceRef { block: cell.block, cell: cell.cell, face };
    assert_eq!(mesh.sets["top"], Set::Faces(vec![face(left, 5), face(right, 5)]));
    assert_eq!(mesh.sets["free"].len(), 5);
    assert_eq!(mesh.sets["points"], Set::Nodes(vec![2, 6, 8, 10]));
    // The inner wall faces the way its element turns: the normal of 2-5-15-12 is +x, out of the left cube.
    assert_eq!(mesh.sets["wall"], Set::Faces(vec![face(left, 0), face(left, 1)]));
    assert_eq!(mesh.sets["mixed"], Set::Cells(vec![right]));
    assert_eq!(mesh.sets["mixed.faces"], mesh.sets["skin"]);
    assert_eq!(file.material_of_block, [Some(0), Some(1)]);
    let rubber = InpMaterial { name: "Rubber".into(), density: Some(1100.0), elastic: Some([5e6, 0.45]) };
    assert_eq!(file.materials[0], rubber);
    assert_eq!(file.materials[1].elastic, None);
    assert_eq!(
        file.notes,
        [
            Note::UnusedNodes { count: 1 },
            Note::Renumbered { label: 11, place: 7 },
            Note::NoSolids { name: "S4".into(), count: 1 },
            Note::NoSolids { name: "T3D2".into(), count: 1 },
            Note::Constraints { keywords: vec!["BOUNDARY".into()] },
            Note::EmptySet { name: "truss".into() },
            Note::EmptySet { name: "nothing".into() },
        ]
    );
}

/// A cube of edge 1 as a part with two instances: at its place, and shifted and rotated about z by 90
/// degrees.
const ASSEMBLY: &str = "\
*PART, NAME=Cube
*NODE
1, 0, 0, 0
2, 1, 0, 0
3, 1, 1, 0
4, 0, 1, 0
5, 0, 0, 1
6, 1, 0, 1
7, 1, 1, 1
8, 0, 1, 1
*ELEMENT, TYPE=C3D8
1, 1, 2, 3, 4, 5, 6, 7, 8
*NSET, NSET=base, GENERATE
1, 4
*ELSET, ELSET=_low_S1, INTERNAL
1
*SURFACE, NAME=low
_low_S1, S1
*END PART
*ASSEMBLY, NAME=A
*INSTANCE, NAME=Cube-1, PART=Cube
*END INSTANCE
*INSTANCE, NAME=\"Cube 2.b\", PART=cube
 4., 0., 0.
 4., 0., 0., 4., 0., 2., 90.
*END INSTANCE
*NODE
1, 9, 9, 9
*NSET, NSET=grip, INSTANCE=Cube-1
2, base
*NSET, NSET=reference
1, CUBE-1.7, \"Cube 2.b\".8
*SURFACE, NAME=under
Cube-1._low_S1, S1
*END ASSEMBLY
";

#[test]
fn instances_are_shifted_and_rotated_and_have_separate_sets() {
    let InpFile { mesh, notes, .. } = read(&ASSEMBLY.replace("\"Cube 2.b\"", "Cube-2.b")).unwrap();
    assert_eq!(mesh.points.len(), 17);
    // First moved to x = 4, then turned about the axis x = 4, y = 0: (1, 1, 0) → (5, 1, 0) → (3, 1, 0).
    assert_eq!(mesh.points[10], [3.0, 1.0, 0.0]);
    assert_eq!(mesh.points[16], [9.0; 3]);
    assert!((mesh.volume() - 2.0).abs() < 1e-14);
    let names: Vec<&String> = mesh.sets.keys().collect();
    assert_eq!(
        names,
        ["Cube-1.base", "Cube-1.low", "Cube-2.b.base", "Cube-2.b.low", "grip", "reference", "under"]
    );
    assert_eq!(mesh.sets["grip"], Set::Nodes(vec![0, 1, 2, 3]));
    assert_eq!(mesh.sets["reference"], Set::Nodes(vec![6, 15, 16]));
    assert_eq!(mesh.sets["under"], mesh.sets["Cube-1.low"]);
    assert_eq!(notes, [Note::UnusedNodes { count: 1 }, Note::Renumbered { label: 1, place: 9 }]);
    assert_eq!(quality::assess(&mesh).parts, 2);
    // A single instance needs no prefix.
    let start = ASSEMBLY.find("*INSTANCE, NAME=\"Cube 2").unwrap();
    let end = ASSEMBLY.find("*NODE\n1, 9").unwrap();
    let single = format!("{}{}", &ASSEMBLY[..start], &ASSEMBLY[end..]).replace(", \"Cube 2.b\".8", "");
    let names: Vec<String> = read(&single).unwrap().mesh.sets.into_keys().collect();
    assert_eq!(names, ["base", "grip", "low", "reference", "under"]);
}

#[test]
fn nodes_may_be_given_in_local_systems() {
    let cylinder = "*NODE, SYSTEM=C\n1, 2, 90, 5\n*SYSTEM\n1, 1, 1, 1, 2, 1\n0, 1, 1\n*NODE\n2, 3, 0, 0\n3, \
        0, 2, 0\n\
                    *NODE, SYSTEM=S\n4, 2, 0, 90\n*SYSTEM\n*NODE\n5, 0, 0, 9\n*ELEMENT, TYPE=C3D4\n1, 1, 2, \
                    3, 4\n";
    let mesh = read(cylinder).unwrap().mesh;
    let expected = [[0.0, 2.0, 5.0], [1.0, 4.0, 1.0], [-1.0, 1.0, 1.0], [1.0, 1.0, 3.0], [0.0, 0.0, 9.0]];
    for (found, expected) in mesh.points.iter().zip(expected) {
        for d in 0..3 {
            assert!((found[d] - expected[d]).abs() < 1e-15, "{:?}", mesh.points);
        }
    }
}

#[test]
fn files_may_include_other_files() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let (nodes, rest) = CUBES.split_at(CUBES.find("*ELEMENT, type=c3d8R").unwrap());
    std::fs::create_dir(folder.path().join("sub")).unwrap();
    // Data lines of *NODE in a file of their own, elements in another that includes a third from its own
    // folder.
    let (head, lines) = nodes.split_at(nodes.find("4, 0., 1.D0").unwrap());
    write("main.inp", &format!("{head}*INCLUDE, INPUT=lines.txt\n*Include, input = sub/rest.inp\n"));
    write("lines.txt", lines);
    let (elements, sets) = rest.split_at(rest.find("*NSET, NSET=ends").unwrap());
    write("sub/rest.inp", &format!("{elements}*INCLUDE, INPUT=\"the sets.inp\"\n"));
    write("sub/the sets.inp", sets);
    let whole = read(CUBES).unwrap();
    let pieces = inp::read(&folder.path().join("main.inp")).unwrap();
    assert_eq!((pieces.mesh, pieces.notes), (whole.mesh, whole.notes));

    write("loop.inp", "*INCLUDE, INPUT=sub/loop2.inp\n");
    write("sub/loop2.inp", "*INCLUDE, INPUT=../loop.inp\n");
    let message = inp::read(&folder.path().join("loop.inp")).unwrap_err().to_string();
    assert!(message.contains("loop2.inp`: line 1: `../loop.inp` includes itself"), "{message}");
    write("lost.inp", "*NODE, INPUT=gone.txt\n");
    let message = inp::read(&folder.path().join("lost.inp")).unwrap_err().to_string();
    assert!(
        message.contains("line 1: the file `gone.txt` is neither in the folder of this file"),
        "{message}"
    );
}

#[test]
fn invalid_input_is_refused_by_name() {
    let tet = "*NODE\n1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n*ELEMENT,TYPE=C3D4,ELSET=E\n1,1,2,3,4\n";
    let cases = [
        ("solid ball\n", "begins with `solid ball`"),
        ("", "the file has neither nodes nor elements"),
        (
            "*NODE\n1,0,0,0\n2,1,0,0\n3,0,1,0\n*ELEMENT,TYPE=M3D3\n1,1,2,3\n2,2,3,1\n*ELEMENT,TYPE=T3D2\n\
             3,1,2\n",
            "only 2 elements of M3D3 (membranes), 1 element of T3D2 (trusses); carom reads solids, C3D4",
        ),
        (
            "*NODE\n8,0,1e308,0\n",
            "a.inp`: line 2: node 8 has the coordinates (0.0, 1e308, 0.0): they must be",
        ),
        (
            &format!("{tet}*NSET, NSET=a\n1, 2,"),
            "line 9: the file ends after a comma, within the data of *NSET",
        ),
        (&format!("{tet}*NSET, NSET=a\n1, 2,\n3, "), "line 10: the file ends after a comma"),
        ("*NODE\n1,0,0,0\n", "only 1 node;"),
        ("*NODE\n1,0,zero,0\n", "a.inp`: line 2: `zero` stands where a coordinate should be"),
        ("*NODE\nx,0,0,0\n", "`x` stands where a node number"),
        ("*NODE\n1,0,0,0\n1,0,0,1\n*ELEMENT,TYPE=C3D4\n", "line 3: node 1 is there a second time"),
        ("*ELEMENT\n", "*ELEMENT has no parameter TYPE"),
        ("*ELEMENT, TYPE=C3D18\n", "solids of an unknown kind (type C3D18)"),
        ("*ELEMENT, TYPE=SC8R\n", "continuum shells"),
        ("*ELEMENT, TYPE=C3D10\n1, 1, 2, 3\n", "line 2: element 1 has 3 nodes, its type C3D10 needs 10"),
        ("*ELEMENT, TYPE=C3D4\n1, 1, 2, 3, 4, 5\n", "element 1 has 5 nodes"),
        ("*ELEMENT, TYPE=C3D4\n1, 1, 2, 3, 4\n", "there is no node `1`"),
        ("*NGEN\n1, 2\n", "line 1: *NGEN is not read"),
        ("*PARAMETER\na = 1\n", "*PARAMETER is not read"),
        ("*INSTANCE, NAME=I, PART=P\n*END INSTANCE\n", "there is no part `P`"),
        ("*INSTANCE, NAME=I\n0, 0, 0\n1, 1, 1, 1, 1, 1, 30\n", "two different points"),
        ("*SYSTEM\n1, 2\n", "*SYSTEM needs its origin"),
        ("*NODE, SYSTEM=X\n", "R (rectangular)"),
        (&format!("{tet}*NSET, NSET=n\nother\n"), "line 8: there is no node set `other`"),
        (&format!("{tet}*ELSET, ELSET=a\nb\n*ELSET, ELSET=b\na\n"), "holds itself"),
        (&format!("{tet}*NSET, NSET=a, GENERATE\n4, 1\n"), "`4, 1` is not a range"),
        (&format!("{tet}*SURFACE, NAME=s\n1, S5\n"), "`S5` is not a face of element 1, which has S1 to S4"),
        (&format!("{tet}*SURFACE, NAME=s\n1, SPOS\n"), "`SPOS` is not a face"),
        (&format!("{tet}*NSET, NSET=a, INSTANCE=I\n1\n"), "there is no instance `I`"),
        (&format!("{tet}*ELEMENT,TYPE=C3D4\n1,1,2,3,4\n"), "element 1 is there a second time"),
        (&format!("{tet}*SOLID SECTION, ELSET=none, MATERIAL=m\n"), "there is no element set `none`"),
    ];
    for (text, part) in cases {
        let message = read(text).map(|file| file.mesh).unwrap_err();
        assert!(message.contains(part), "{text}: {message}");
    }
    // Gmsh and others write a comma behind the last number as well.
    for end in ["1, 2,\n", "1, 2, \r\n", "1,\n2,\n", "1, 2,\n*STEP\n"] {
        let file = read(&format!("{tet}*NSET, NSET=a\n{end}")).unwrap();
        assert_eq!((&file.mesh.sets["a"], file.notes), (&Set::Nodes(vec![0, 1]), vec![]), "{end}");
    }
    let open = read(&format!("{tet}*NSET, NSET=a\n1, 2")).unwrap();
    assert_eq!(open.notes, [Note::OpenEnd { keyword: "NSET".to_owned() }]);
    let message = read(&format!("{tet}*NSET, NSET=a\n1, 7\n")).unwrap().notes[0].to_string();
    assert_eq!(message, "the set `a` names 1 nodes or elements that the file does not have");
}

#[test]
fn a_file_cut_anywhere_never_panics() {
    for text in [CUBES, ASSEMBLY] {
        for end in (0..text.len()).step_by(7) {
            let _ = read(&text[..end]);
            // A character is missing in the middle.
            let _ = read(&format!("{}{}", &text[..end], &text[(end + 1).min(text.len())..]));
        }
    }
}

#[test]
fn a_large_file_is_read_fast() {
    let Some(path) = shared_data("meshes/conrod_100k.msh") else { return };
    let (mesh, _) = msh::read(&path).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path: &Path = &folder.path().join("a.inp");
    inp::write(path, &mesh, &[], &[], &[]).unwrap();
    let start = std::time::Instant::now();
    inp::read(path).unwrap();
    let seconds = start.elapsed().as_secs_f64();
    eprintln!("conrod_100k as .inp: {seconds:.3} s");
    assert!(seconds < 3.0, "{seconds} s");
}

#[test]
fn files_that_include_the_next_twice_are_refused_before_they_fill_memory() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    for i in 0..30 {
        let next = i + 1;
        write(&format!("{i}.inp"), &format!("*INCLUDE, INPUT={next}.inp\n*INCLUDE, INPUT={next}.inp\n"));
    }
    write("30.inp", "*NODE\n1, 0., 0., 0.\n");
    let message = inp::read(&folder.path().join("0.inp")).unwrap_err().to_string();
    assert!(message.contains("is included again") && message.contains("one file"), "{message}");
    // Two parts may include the same file of nodes.
    write(
        "nodes.inp",
        "*NODE\n1, 0., 0., 0.\n2, 1., 0., 0.\n3, 0., 1., 0.\n4, 0., 0., 1.\n*ELEMENT, TYPE=C3D4\n1, 1, 2, 3, \
         4\n",
    );
    let part = |name: &str| format!("*PART, NAME={name}\n*INCLUDE, INPUT=nodes.inp\n*END PART\n");
    let instance =
        |name: &str, x: f64| format!("*INSTANCE, NAME=I{name}, PART={name}\n{x}, 0., 0.\n*END INSTANCE\n");
    let text =
        [part("A"), part("B"), "*ASSEMBLY, NAME=S\n".to_owned(), instance("A", 0.0), instance("B", 2.0)]
            .concat();
    write("two.inp", &format!("{text}*END ASSEMBLY\n"));
    assert_eq!(inp::read(&folder.path().join("two.inp")).unwrap().mesh.points.len(), 8);
}

#[cfg(unix)]
#[test]
fn devices_are_not_included() {
    for input in ["*INCLUDE, INPUT=/dev/zero\n", "*NODE, INPUT=/dev/random\n"] {
        let message = read(input).unwrap_err();
        assert!(message.contains("line 1") && message.contains("not a regular file"), "{message}");
    }
}

#[test]
fn the_error_of_an_included_file_that_is_not_a_deck_shows_no_line_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let secret = folder.path().join("secret");
    std::fs::write(&secret, "root:x:0:0:root:/root:/bin/bash\nhunter2\n").unwrap();
    for before in
        ["", "*NODE\n1, 0., 0., 0.\n", "*ELEMENT, TYPE=C3D4\n", "*NSET, NSET=A\n", "*SURFACE, NAME=S\n"]
    {
        let path = folder.path().join("a.inp");
        std::fs::write(&path, format!("{before}*INCLUDE, INPUT={}\n", secret.display())).unwrap();
        let message = inp::read(&path).unwrap_err().to_string();
        assert!(!message.contains("root:") && !message.contains("hunter2"), "{before}: {message}");
    }
}

#[test]
fn lines_too_short_for_a_mesh_are_refused_before_they_fill_memory() {
    let message = read(&format!("*NODE\n{}", "1\n".repeat(2_000_000))).unwrap_err();
    assert!(message.contains("2000000 data lines, too many for its size"), "{message}");
}

#[test]
fn surplus_nodes_on_the_line_of_a_linear_hexahedron_are_left_out_as_in_calculix() {
    for name in ["C3D8", "C3D8I"] {
        let x = element("C3D8");
        let whole = read(&one_element(name, &x, 6)).unwrap();
        let text = one_element(name, &x, 6).replace("17, 18,", "17, 18, 11, 12,");
        let surplus = read(&text).unwrap();
        assert_eq!(surplus.mesh, whole.mesh);
        let note = Note::SurplusNodes { name: name.to_owned(), count: 1 };
        assert!(note.to_string().contains("the first 8 are used, as CalculiX does"));
        assert_eq!(surplus.notes, [whole.notes, vec![note]].concat());
    }
    // Twenty nodes are a hexahedron of second order under a wrong name, ten those of a C3D10.
    let nodes: String = (1..=20).map(|n| format!("{n}, {n}., 0., 0.\n")).collect();
    for (name, n) in [("C3D8", 20), ("C3D4", 10)] {
        let list: Vec<String> = (1..=n).map(|n| n.to_string()).collect();
        let message =
            read(&format!("*NODE\n{nodes}*ELEMENT, TYPE={name}\n1, {}\n", list.join(", "))).unwrap_err();
        assert!(message.contains(&format!("element 1 has {n} nodes")), "{message}");
    }
}
