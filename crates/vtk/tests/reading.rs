//! Files of other programs: every packing of VTK, and damaged files.

use std::io::Write as _;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use carom_testing::reference;
use carom_vtk::{
    CellType, Compression, Encoding, Field, Grid, ParseError, Values, WriteOptions, parse_vtu, read_vtu,
    write_vtu,
};

/// How a test file is packed.
#[derive(Debug, Clone, Copy)]
struct Packing {
    format: Format,
    wide_header: bool,
    big_endian: bool,
    zlib: bool,
    /// Header and data are encoded in base64 separately, also without compression.
    apart: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Format {
    Ascii,
    Binary,
    AppendedRaw,
    AppendedBase64,
}

impl Packing {
    fn number(self, n: usize) -> Vec<u8> {
        match (self.wide_header, self.big_endian) {
            (true, true) => (n as u64).to_be_bytes().to_vec(),
            (true, false) => (n as u64).to_le_bytes().to_vec(),
            (false, true) => (n as u32).to_be_bytes().to_vec(),
            (false, false) => (n as u32).to_le_bytes().to_vec(),
        }
    }

    /// Encodes the header and the data of an array.
    fn pack(self, bytes: &[u8]) -> (Vec<u8>, Vec<u8>) {
        if !self.zlib {
            return (self.number(bytes.len()), bytes.to_vec());
        }
        // Small blocks, so that there are several and a partial one.
        let blocks: Vec<Vec<u8>> = bytes
            .chunks(40)
            .map(|block| {
                let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
                encoder.write_all(block).unwrap();
                encoder.finish().unwrap()
            })
            .collect();
        let mut header = [self.number(blocks.len()), self.number(40), self.number(bytes.len() % 40)].concat();
        blocks.iter().for_each(|block| header.extend(self.number(block.len())));
        (header, blocks.concat())
    }

    fn encoded(self, bytes: &[u8]) -> Vec<u8> {
        let (header, body) = self.pack(bytes);
        match self.format {
            Format::AppendedRaw => [header, body].concat(),
            _ if self.zlib || self.apart => (STANDARD.encode(header) + &STANDARD.encode(body)).into_bytes(),
            _ => STANDARD.encode([header, body].concat()).into_bytes(),
        }
    }
}

/// Two tetrahedra with a field, written with the given options.
fn file(packing: Packing) -> Vec<u8> {
    let points = [0.0, 0.0, 0.0, 1.5, 0.0, 0.0, 0.0, 1.25, 0.0, 0.0, 0.0, 1e-3, 1.0, 1.0, 1.0f64];
    let real = |x: f64| if packing.big_endian { x.to_be_bytes() } else { x.to_le_bytes() }.to_vec();
    let integer = |n: i64| if packing.big_endian { n.to_be_bytes() } else { n.to_le_bytes() }.to_vec();
    let short = |n: i16| if packing.big_endian { n.to_be_bytes() } else { n.to_le_bytes() }.to_vec();
    let mut appended: Vec<u8> = Vec::new();
    let mut array = |name: &str, kind: &str, n_components: usize, words: String, bytes: Vec<u8>| {
        let tag = format!(r#"<DataArray type="{kind}" Name="{name}" NumberOfComponents="{n_components}""#);
        match packing.format {
            Format::Ascii => format!("{tag} format=\"ascii\">\n {words}\n</DataArray>\n"),
            Format::Binary => {
                let text = String::from_utf8(packing.encoded(&bytes)).unwrap();
                format!("{tag} format=\"binary\">\n  {text}\n  <InformationKey/></DataArray>\n")
            }
            _ => {
                let offset = appended.len();
                appended.extend(packing.encoded(&bytes));
                format!("{tag} format=\"appended\" offset=\"{offset}\"/>\n")
            }
        }
    };
    let text = |numbers: &[i64]| numbers.iter().map(|n| n.to_string()).collect::<Vec<_>>().join(" ");
    let integers = |numbers: &[i64]| numbers.iter().flat_map(|n| integer(*n)).collect::<Vec<u8>>();
    let words = points.map(|x| format!("{x:e}")).join("\n");
    let bytes = points.iter().flat_map(|x| real(*x)).collect();
    let mut body = format!("<Points>{}</Points><Cells>", array("Points", "Float64", 3, words, bytes));
    let nodes = [0, 1, 2, 3, 1, 2, 3, 4];
    body += &array("connectivity", "Int64", 1, text(&nodes), integers(&nodes));
    body += &array("offsets", "Int64", 1, text(&[4, 8]), integers(&[4, 8]));
    body += &array("types", "UInt8", 1, "10 10".into(), vec![10, 10]);
    body += "</Cells><CellData>";
    let ids = [-7, 300].iter().flat_map(|n| short(*n)).collect();
    body += &array("id", "Int16", 1, "-7 300".into(), ids);
    let order = if packing.big_endian { "BigEndian" } else { "LittleEndian" };
    // UInt32 is the default of a file.
    let header = if packing.wide_header { " header_type=\"UInt64\"" } else { "" };
    let compressor = if packing.zlib { " compressor=\"vtkZLibDataCompressor\"" } else { "" };
    let head = format!(
        "<?xml version=\"1.0\"?>\n<!-- a comment -->\n<VTKFile type=\"UnstructuredGrid\" version=\"0.1\" \
         byte_order=\"{order}\"{header}{compressor}>\n<UnstructuredGrid><FieldData/>\n\
         <Piece NumberOfPoints=\"5\" NumberOfCells=\"2\">{body}</CellData></Piece></UnstructuredGrid>\n"
    );
    let mut out = head.into_bytes();
    if matches!(packing.format, Format::AppendedRaw | Format::AppendedBase64) {
        let encoding = if packing.format == Format::AppendedRaw { "raw" } else { "base64" };
        out.extend(format!("<AppendedData encoding=\"{encoding}\">\n   _").bytes());
        out.extend(&appended);
        out.extend(b"\n  </AppendedData>\n");
    }
    out.extend(b"</VTKFile>\n");
    out
}

fn packings() -> Vec<Packing> {
    let mut all = Vec::new();
    for format in [Format::Ascii, Format::Binary, Format::AppendedRaw, Format::AppendedBase64] {
        for flags in 0..16 {
            let flag = |k: u32| flags >> k & 1 == 1;
            let (wide_header, big_endian, zlib, apart) = (flag(0), flag(1), flag(2), flag(3));
            all.push(Packing { format, wide_header, big_endian, zlib, apart });
        }
    }
    all
}

#[test]
fn every_packing_gives_the_same_grid() {
    let mut expected = Grid {
        points: vec![[0.0; 3], [1.5, 0.0, 0.0], [0.0, 1.25, 0.0], [0.0, 0.0, 1e-3], [1.0; 3]],
        ..Grid::default()
    };
    expected.push_cell(CellType::Tetra, [0; 3], [0, 1, 2, 3]);
    expected.push_cell(CellType::Tetra, [0; 3], [1, 2, 3, 4]);
    expected.degrees.clear();
    expected.cell_fields =
        vec![Field { name: "id".into(), n_components: 1, values: Values::I32(vec![-7, 300]) }];
    for packing in packings() {
        assert_eq!(parse_vtu(&file(packing)).as_ref(), Ok(&expected), "{packing:?}");
    }
}

#[test]
fn damaged_files_are_errors_and_never_panics() {
    for packing in packings().into_iter().filter(|p| !p.apart) {
        let bytes = file(packing);
        for at in (0..bytes.len()).step_by(5) {
            let _ = parse_vtu(&bytes[..at]);
            for flip in [1, 0x80] {
                let mut damaged = bytes.clone();
                damaged[at] ^= flip;
                let _ = parse_vtu(&damaged);
            }
        }
    }
}

#[test]
fn rational_cells_are_read_back_with_weights_and_degrees() {
    let mut grid = Grid { points: vec![[0.5; 3]; 12], ..Grid::default() };
    grid.push_cell(CellType::BezierHexahedron, [1, 2, 1], 0..12);
    grid.rational_weights = (1..=12).map(f64::from).collect();
    grid.point_fields =
        vec![Field::tuples("u", &[[1.0, 2.0, 3.0]; 12]), Field::scalar("t", vec![0.1; 12]).single()];
    grid.cell_fields = vec![Field { name: "set:a".into(), n_components: 1, values: Values::U8(vec![1]) }];
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.vtu");
    for encoding in [Encoding::AppendedRaw, Encoding::InlineBase64] {
        for compression in [Compression::None, Compression::Lz4, Compression::Zlib(9)] {
            write_vtu(&path, &grid, WriteOptions { encoding, compression }).unwrap();
            assert_eq!(read_vtu(&path).unwrap(), grid);
        }
    }
}

#[test]
fn files_of_vtk_are_read() {
    let folder = reference("vtk");
    let (mut n_files, mut n_rational) = (0, 0);
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "vtu") {
            let grid = read_vtu(&path).unwrap();
            assert!(grid.n_cells() > 0, "{}", path.display());
            n_files += 1;
            n_rational += usize::from(!grid.rational_weights.is_empty());
        }
    }
    assert!(n_files > 0 && n_rational > 0);
}

#[test]
fn other_files_are_refused_by_name() {
    let packing =
        Packing { format: Format::Ascii, wide_header: false, big_endian: false, zlib: false, apart: false };
    let good = String::from_utf8(file(packing)).unwrap();
    let cases = [
        ("# vtk DataFile Version 3.0\n".to_owned(), "begins with `# vtk DataFile Version 3.0`"),
        (String::new(), "this is not a .vtu file"),
        ("<html></html>".to_owned(), "`<html>`"),
        (good.replace("\"UnstructuredGrid\"", "\"PolyData\""), "contains `PolyData`"),
        (good.replace("byte_order=\"L", "byte_order=\"M"), "`MittleEndian` is not a valid byte_order"),
        (good.replace("type=\"UInt8\"", "type=\"String\""), "array `types`: its type is `String`"),
        (good.replace("10 10", "10 x"), "`x` is not a number"),
        (good.replace("10 10", "10"), "array `types` has 1 numbers, but 2 are required"),
        (good.replace("10 10", "10 99"), "cell 1 has the type 99"),
        (good.replace("10 10", "10 12"), "cell 1"),
        (good.replace("4 8", "4 7"), "cell ends"),
        (good.replace("1 2 3 4", "1 2 3 -4"), "cell 1 uses point 4294967295"),
        (good.replace("1.5e0", "NaN"), "point 1 has the coordinates"),
        (good.replace("<Cells>", "<Sells>").replace("</Cells>", "</Sells>"), "there is no element Cells"),
        (
            good.replace("</Piece>", "</Piece><Piece NumberOfPoints=\"0\" NumberOfCells=\"3\"/>"),
            "has 2 pieces",
        ),
        (good.replace("</Cells>", ""), "the XML is damaged"),
    ];
    for (text, part) in cases {
        let message = parse_vtu(text.as_bytes()).map(|grid| grid.points).unwrap_err().to_string();
        assert!(message.contains(part), "{message} instead of {part}");
    }
    let lzma = good.replace(" version=\"0.1\"", " compressor=\"vtkLZMADataCompressor\"");
    assert!(matches!(parse_vtu(lzma.as_bytes()), Err(ParseError::Array { .. })));
    let missing = read_vtu(std::path::Path::new("no/such.vtu")).unwrap_err().to_string();
    assert!(missing.contains("no/such.vtu"), "{missing}");
}
