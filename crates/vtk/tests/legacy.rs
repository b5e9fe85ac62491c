//! Legacy files: text and binary, old and new form of cells, and damage of every kind.

use carom_vtk::legacy::Place;
use carom_vtk::{CellType, Grid, ParseLegacyError, Values, parse_legacy};

/// Two tetrahedra with fields, as VTK 4.2 writes them.
const TEXT: &str = "# vtk DataFile Version 4.2
two tetrahedra
ASCII
DATASET UNSTRUCTURED_GRID
POINTS 5 float
0 0 0 1 0 0 0 1 0
0 0 1 1 1 1.5
CELLS 2 10
4 0 1 2 3
4 1 2 3 4
CELL_TYPES 2
10
10
CELL_DATA 2
SCALARS set:left int 1
LOOKUP_TABLE default
1 0
POINT_DATA 5
VECTORS shift double
0 0 0 0 0 0 0 0 0 0 0 0 1 2 3
FIELD FieldData 1
temperature 1 5 float
20 21 22 23 24.5
";

/// The same grid as VTK 9 writes its cells.
const TEXT_5: &str = "# vtk DataFile Version 5.1
two tetrahedra
ASCII
DATASET UNSTRUCTURED_GRID
POINTS 5 float
0 0 0 1 0 0 0 1 0
0 0 1 1 1 1.5
CELLS 3 8
OFFSETS vtktypeint64
0 4 8
CONNECTIVITY vtktypeint64
0 1 2 3 1 2 3 4
CELL_TYPES 2
10
10
";

/// The same grid in binary form.
fn binary() -> Vec<u8> {
    let mut content = b"# vtk DataFile Version 3.0\ntwo tetrahedra\nBINARY\n".to_vec();
    content.extend(b"DATASET UNSTRUCTURED_GRID\n");
    content.extend(b"POINTS 5 double\n");
    for x in [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 1.5_f64]] {
        x.iter().for_each(|x| content.extend(x.to_be_bytes()));
    }
    content.extend(b"\nCELLS 2 10\n");
    [4, 0, 1, 2, 3, 4, 1, 2, 3, 4_u32].iter().for_each(|x| content.extend(x.to_be_bytes()));
    content.extend(b"\nCELL_TYPES 2\n");
    [10, 10_u32].iter().for_each(|x| content.extend(x.to_be_bytes()));
    content.extend(b"\n");
    content
}

fn assert_two_tetrahedra(grid: &Grid) {
    assert_eq!(grid.points.len(), 5);
    assert_eq!(grid.points[4], [1.0, 1.0, 1.5]);
    assert_eq!(grid.connectivity, [0, 1, 2, 3, 1, 2, 3, 4]);
    assert_eq!(grid.offsets, [4, 8]);
    assert_eq!(grid.types, [CellType::Tetra; 2]);
}

#[test]
fn text_of_both_versions_and_binary_files_give_the_same_grid() {
    for content in [TEXT.as_bytes().to_vec(), TEXT_5.as_bytes().to_vec(), binary()] {
        assert_two_tetrahedra(&parse_legacy(&content).unwrap());
    }
}

#[test]
fn fields_keep_their_names_and_numbers() {
    let grid = parse_legacy(TEXT.as_bytes()).unwrap();
    let names: Vec<&str> = grid.point_fields.iter().map(|field| field.name.as_str()).collect();
    assert_eq!(names, ["shift", "temperature"]);
    assert_eq!(grid.point_fields[1].values, Values::F32(vec![20.0, 21.0, 22.0, 23.0, 24.5]));
    assert_eq!((grid.cell_fields[0].name.as_str(), grid.cell_fields[0].n_components), ("set:left", 1));
    assert_eq!(grid.cell_fields[0].values, Values::I32(vec![1, 0]));
}

#[test]
fn damage_is_an_error_with_its_line() {
    let changed = |from: &str, to: &str| parse_legacy(TEXT.replacen(from, to, 1).as_bytes()).unwrap_err();
    for (from, to, line) in [
        ("POINTS 5 float", "POINTS 4000000000 float", 8),
        ("POINTS 5 float", "POINTS 5 floaty", 5),
        ("POINTS 5 float", "POINTS -5 float", 5),
        ("0 0 1 1 1 1.5", "0 0 1 1 x 1.5", 7),
        ("0 0 1 1 1 1.5", "0 0 1 1 1 nan", 7),
        ("CELLS 2 10", "CELLS 2 11", 11),
        ("CELL_TYPES 2", "CELL_TIPES 2", 11),
        ("SCALARS set:left int 1", "SCALARS set:left text 1", 15),
        ("temperature 1 5 float", "temperature 1 50 float", 24),
    ] {
        let error = changed(from, to);
        let found = match &error {
            ParseLegacyError::Unexpected { place, .. } => Some(*place),
            _ => None,
        };
        assert_eq!(found, Some(Place::Line(line)), "{to}: {error}");
    }
    let error = changed("UNSTRUCTURED_GRID", "POLYDATA");
    assert_eq!(
        error,
        ParseLegacyError::DataSet { place: Place::Line(4), found: "POLYDATA".to_owned() },
        "{error}"
    );
    let error = parse_legacy(TEXT.split("CELL_TYPES").next().unwrap().as_bytes()).unwrap_err();
    assert_eq!(error, ParseLegacyError::Missing { section: "CELL_TYPES" });
    let error = changed("4 1 2 3 4", "4 1 2 3 9");
    assert!(matches!(error, ParseLegacyError::Grid(_)), "{error}");
    let error = changed("4 1 2 3 4", "9 1 2 3 4");
    assert_eq!(error, ParseLegacyError::CellSize { cell: 1 });
    let mut content = binary();
    let at = content.windows(8).position(|bytes| bytes == 1.5_f64.to_be_bytes()).unwrap();
    content[at..at + 8].copy_from_slice(&f64::NAN.to_be_bytes());
    let error = parse_legacy(&content).unwrap_err();
    assert!(matches!(error, ParseLegacyError::NotFinite { point: 4, .. }), "{error}");
    let error = parse_legacy(b"solid cube\n").unwrap_err();
    assert!(matches!(error, ParseLegacyError::NotLegacy { .. }), "{error}");
    let mut cut = binary();
    cut.truncate(cut.len() - 9);
    let error = parse_legacy(&cut).unwrap_err();
    assert!(matches!(&error, ParseLegacyError::Unexpected { place: Place::Byte(_), .. }), "{error}");
}

/// Files cut at every byte, and files with any byte changed, are errors or grids; the library never panics.
#[test]
fn files_with_any_damage_are_errors_or_grids() {
    for original in [TEXT.as_bytes().to_vec(), TEXT_5.as_bytes().to_vec(), binary()] {
        let damaged = (0..original.len()).flat_map(|at| {
            let cut = original[..at].to_vec();
            let changed = [0, b'9', b' ', b'\n', b'-', 0xff].map(|byte| {
                let mut content = original.clone();
                content[at] = byte;
                content
            });
            std::iter::once(cut).chain(changed)
        });
        for content in damaged {
            if let Err(ParseLegacyError::Library { message }) = parse_legacy(&content) {
                assert!(!message.contains("panicked"), "{}", String::from_utf8_lossy(&content));
            }
        }
    }
}
