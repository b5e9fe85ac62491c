//! `.vtu` files: node orders, sets, refused cells, files of other programs.

use carom_mesh::vtu::{self, GridMeshError, Note};
use carom_mesh::{CellBlock, CellRef, CellShape, FaceRef, Mesh, Set, msh};
use carom_testing::{json_file, shared_data};
use carom_vtk::{CellType, Compression, Encoding, Field, Grid, Values, WriteOptions, write_vtu};

fn cell(shape: CellShape) -> Mesh {
    let bent = |x: &[f64; 3]| [x[0] + 0.1 * x[1], x[1] + 0.2 * x[2] * x[0], x[2] * (1.0 + 0.3 * x[0] * x[1])];
    Mesh {
        points: shape.reference_nodes().iter().map(bent).collect(),
        blocks: vec![CellBlock { shape, connectivity: (0..shape.n_nodes() as u32).collect() }],
        ..Mesh::default()
    }
}

/// Writes the mesh in every encoding and reads it back.
fn round(mesh: &Mesh) -> (Mesh, Vec<Note>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.vtu");
    let mut last = None;
    for encoding in [Encoding::AppendedRaw, Encoding::InlineBase64] {
        for compression in [Compression::None, Compression::Lz4, Compression::Default] {
            write_vtu(&path, &vtu::grid(mesh), WriteOptions { encoding, compression }).unwrap();
            let read = vtu::read(&path).unwrap();
            assert!(last.as_ref().is_none_or(|last| *last == read), "{encoding:?} {compression:?}");
            last = Some(read);
        }
    }
    last.unwrap()
}

#[test]
fn every_kind_is_read_back_with_its_sets() {
    for shape in CellShape::SOLIDS {
        let mut mesh = cell(shape);
        mesh.points.push([5.0; 3]);
        mesh.sets.insert("body".into(), Set::Cells(vec![CellRef { block: 0, cell: 0 }]));
        mesh.sets.insert("loose & <odd>".into(), Set::Nodes(vec![0, shape.n_nodes() as u32]));
        for face in 0..shape.n_faces() as u8 {
            let set = Set::Faces(vec![FaceRef { block: 0, cell: 0, face }]);
            mesh.sets.insert(format!("face {face}"), set);
        }
        assert_eq!(round(&mesh), (mesh, vec![Note::UnusedNodes { count: 1 }]), "{}", shape.name());
    }
}

#[test]
fn every_reference_mesh_is_written_and_read_back() {
    let Some(meshes) = shared_data("meshes") else { return };
    for file in json_file(&meshes.join("reference.json")).as_object().unwrap().keys() {
        let (mesh, _) = msh::read(&meshes.join(file)).unwrap();
        let (back, _) = round(&mesh);
        assert!(back == mesh, "{file}");
    }
}

#[test]
fn vtu_files_of_meshio_agree_with_the_msh_files_of_the_same_mesh() {
    let Some(meshes) = shared_data("meshes") else { return };
    for name in ["bracket_tet10", "sphere_hex20", "gear_hex8"] {
        let (mesh, notes) = vtu::read(&meshes.join(format!("{name}.vtu"))).unwrap();
        let (twin, _) = msh::read(&meshes.join(format!("{name}.msh"))).unwrap();
        assert_eq!(notes, [], "{name}");
        // The text file has 12 digits.
        let tolerance = if name == "gear_hex8" { 1e-12 } else { 0.0 };
        assert_eq!(mesh.blocks, twin.blocks, "{name}");
        for (x, y) in mesh.points.iter().flatten().zip(twin.points.iter().flatten()) {
            assert!((x - y).abs() <= tolerance, "{name}");
        }
    }
}

#[test]
fn fields_of_group_numbers_become_sets() {
    let mut grid = Grid { points: CellShape::Hex8.reference_nodes().to_vec(), ..Grid::default() };
    // A voxel runs along x, y, z.
    grid.push_cell(CellType::Voxel, [0; 3], [0, 1, 3, 2, 4, 5, 7, 6]);
    grid.push_cell(CellType::Quad, [0; 3], [4, 5, 6, 7]);
    grid.push_cell(CellType::Quad, [0; 3], [0, 1, 2, 4]);
    grid.push_cell(CellType::Line, [0; 3], [0, 1]);
    grid.push_cell(CellType::Vertex, [0; 3], [6]);
    grid.push_cell(CellType::Polygon, [0; 3], [0, 3, 2, 1]);
    let physical = Values::I64(vec![1, 2, 2, 3, 1, 0]);
    grid.cell_fields.push(Field { name: "gmsh:physical".into(), n_components: 1, values: physical });
    grid.cell_fields.push(Field::scalar("temperature", vec![0.0; 6]));
    let (mesh, notes) = vtu::mesh(&grid).unwrap();
    assert!((mesh.volume() - 1.0).abs() < 1e-15);
    assert_eq!(mesh.sets["physical1"], Set::Cells(vec![CellRef { block: 0, cell: 0 }]));
    assert_eq!(mesh.sets["physical1.nodes"], Set::Nodes(vec![6]));
    assert_eq!(mesh.sets["physical2"], Set::Faces(vec![FaceRef { block: 0, cell: 0, face: 5 }]));
    assert_eq!(mesh.sets["physical3"], Set::Nodes(vec![0, 1]));
    let loose = Note::LooseFaces { name: "physical2".into(), count: 1 };
    assert_eq!(notes, [Note::LeftOut { kind: "polygons", count: 1 }, loose]);
}

#[test]
fn grids_without_solid_cells_are_refused_by_name() {
    let mut grid = Grid { points: vec![[0.0; 3]; 8], ..Grid::default() };
    let no_volume = |grid: &Grid| vtu::mesh(grid).unwrap_err().to_string();
    assert!(no_volume(&grid).contains("only points"));
    grid.push_cell(CellType::Triangle, [0; 3], [0, 1, 2]);
    assert!(no_volume(&grid).contains("only 1 triangles"));
    grid.push_cell(CellType::HexagonalPrism, [0; 3], (0..12).map(|k| k % 8));
    assert!(no_volume(&grid).contains("cell 1 is one of 1 hexagonal prisms"));
    let mut grid = Grid { points: vec![[0.0; 3]; 8], ..Grid::default() };
    grid.push_cell(CellType::BezierHexahedron, [1; 3], 0..8);
    assert_eq!(vtu::mesh(&grid), Err(GridMeshError::Bezier { kind: "Bezier hexahedra" }));
}

#[test]
fn wedges_of_both_orientations_are_read() {
    // Older programs follow a figure of VTK in which the triangle 012 has the opposite orientation.
    for shape in [CellShape::Wedge6, CellShape::Wedge15] {
        let mesh = cell(shape);
        let mut mirrored = mesh.clone();
        let other: &[u32] = &[0, 2, 1, 3, 5, 4, 8, 7, 6, 11, 10, 9, 12, 14, 13];
        mirrored.blocks[0].connectivity = other[..shape.n_nodes()].to_vec();
        assert!(mirrored.volume() < 0.0);
        let (back, _) = vtu::mesh(&vtu::grid(&mirrored)).unwrap();
        assert_eq!(back, mesh, "{}", shape.name());
    }
}
