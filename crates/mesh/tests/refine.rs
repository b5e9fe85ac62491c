//! Uniform subdivision keeps geometry and sets.

use std::path::PathBuf;

use carom_mesh::make::{HexOptions, Solid, hexahedra};
use carom_mesh::refine::{RefineError, subdivide};
use carom_mesh::{CellBlock, CellShape, Mesh, Set, msh, quality};

/// A ball of each kind of hexahedra, and of tetrahedra with sets of curves and points.
fn meshes() -> Vec<Mesh> {
    let files = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/files"));
    let tetrahedra = ["ball_tet4_v41.msh", "ball_tet10_v41.msh"];
    let mut meshes: Vec<Mesh> =
        tetrahedra.iter().map(|name| msh::read(&files.join(name)).unwrap().0).collect();
    for shape in [CellShape::Hex8, CellShape::Hex20, CellShape::Hex27] {
        let options = HexOptions { shape, elements: vec![2], ..HexOptions::default() };
        meshes.push(hexahedra(Solid::Rod { radius: 1.0, length: 2.0 }, &options).unwrap());
    }
    meshes
}

#[test]
fn a_subdivided_mesh_is_valid_and_has_the_same_volume() {
    for mesh in meshes() {
        let name = mesh.blocks[0].shape.name();
        for parts in [1, 2, 3] {
            let fine = subdivide(&mesh, parts).unwrap();
            assert_eq!(fine.n_cells(), mesh.n_cells() * parts.pow(3));
            assert_eq!(fine.boundary_faces().len(), mesh.boundary_faces().len() * parts.pow(2), "{name}");
            assert_eq!(fine.points[..mesh.points.len()], mesh.points);
            let quality = quality::assess(&fine);
            assert!(quality.is_watertight() && quality.parts == 1, "{name}: {quality:?}");
            assert_eq!((quality.unused_nodes, quality.folded.len()), (0, 0), "{name}");
            // Parts of serendipity cells interpolate the old cell's cubic terms: equal only up to their size.
            let tolerance = if mesh.blocks[0].shape == CellShape::Hex20 { 2e-3 } else { 1e-13 };
            assert!((fine.volume() / mesh.volume() - 1.0).abs() < tolerance, "{name}: {}", fine.volume());
        }
    }
}

#[test]
fn sets_are_inherited() {
    for mesh in meshes() {
        let name = mesh.blocks[0].shape.name();
        let fine = subdivide(&mesh, 2).unwrap();
        for (set_name, set) in &mesh.sets {
            match (set, &fine.sets[set_name]) {
                (Set::Faces(old), Set::Faces(new)) => {
                    assert_eq!(new.len(), 4 * old.len(), "{name} {set_name}")
                }
                (Set::Cells(old), Set::Cells(new)) => {
                    assert_eq!(new.len(), 8 * old.len(), "{name} {set_name}")
                }
                // A curve of n nodes gains a node between any two.
                (Set::Nodes(old), Set::Nodes(new)) => {
                    assert_eq!(new.len(), 2 * old.len() - 1, "{name} {set_name}");
                }
                _ => panic!("{name}: {set_name} changed its kind"),
            }
        }
        for set_name in ["end", "side"] {
            for node in fine.nodes_of_set(set_name).unwrap_or_default() {
                let x = fine.points[node as usize];
                let r = x[1].hypot(x[2]);
                assert!(
                    if set_name == "end" { x[0] == 2.0 } else { r < 1.0 + 1e-12 && r > 0.84 },
                    "{name} {x:?}"
                );
            }
        }
    }
}

#[test]
fn the_subdivided_tetrahedra_of_a_real_mesh_are_conforming() {
    let mesh = meshes().remove(1);
    let twice = subdivide(&subdivide(&mesh, 2).unwrap(), 2).unwrap();
    let four = subdivide(&mesh, 4).unwrap();
    assert_eq!(twice.points.len(), four.points.len());
    assert!((twice.volume() / four.volume() - 1.0).abs() < 1e-13);
    // Bey: the quality of repeated cuts stays bounded.
    let worst = quality::assess(&mesh).min_scaled_jacobian;
    assert!(quality::assess(&four).min_scaled_jacobian > 0.3 * worst);
}

#[test]
fn numbers_of_parts_out_of_range_are_refused() {
    let mesh = meshes().remove(0);
    assert_eq!(subdivide(&mesh, 0), Err(RefineError::Parts { parts: 0 }));
    assert_eq!(subdivide(&mesh, 65), Err(RefineError::Parts { parts: 65 }));
    let fine = subdivide(&mesh, 20).unwrap();
    assert!(matches!(subdivide(&fine, 60), Err(RefineError::TooManyCells { .. })));
}

/// A cube of two wedges and, on it, one of hexahedra; a tetrahedron on the triangle of a wedge.
fn wedges_between_others() -> Mesh {
    let mut points: Vec<[f64; 3]> = CellShape::Hex8.reference_nodes().to_vec();
    points.extend([[1.0, 0.0, -1.0], [2.0, 0.0, 0.0], [2.0, 1.0, 0.0], [2.0, 0.0, 1.0], [2.0, 1.0, 1.0]]);
    let block = |shape, connectivity: &[u32]| CellBlock { shape, connectivity: connectivity.to_vec() };
    let blocks = vec![
        block(CellShape::Wedge6, &[0, 1, 2, 4, 5, 6, 0, 2, 3, 4, 6, 7]),
        block(CellShape::Hex8, &[1, 9, 10, 2, 5, 11, 12, 6]),
        block(CellShape::Tet4, &[0, 2, 1, 8]),
    ];
    Mesh { points, blocks, ..Mesh::default() }
}

#[test]
fn parts_of_wedges_conform_with_those_of_their_neighbours() {
    let mesh = wedges_between_others();
    assert!(quality::assess(&mesh).is_watertight());
    for parts in [2, 3] {
        let fine = subdivide(&mesh, parts).unwrap();
        let quality = quality::assess(&fine);
        assert!(quality.is_watertight() && quality.parts == 1 && quality.folded.is_empty(), "{quality:?}");
        assert_eq!(fine.boundary_faces().len(), mesh.boundary_faces().len() * parts.pow(2));
        assert!((fine.volume() / mesh.volume() - 1.0).abs() < 1e-13);
    }
}

#[test]
fn shells_and_beams_are_refused_by_name() {
    for shape in [CellShape::Tri3, CellShape::Quad4, CellShape::Line2] {
        let connectivity = (0..shape.n_nodes() as u32).collect();
        let blocks = vec![CellBlock { shape, connectivity }];
        let mesh = Mesh { points: shape.reference_nodes().to_vec(), blocks, ..Mesh::default() };
        let error = subdivide(&mesh, 2).unwrap_err();
        assert_eq!(error, RefineError::Structural { name: shape.name() });
        assert!(error.to_string().contains("mesh the part again"), "{error}");
    }
}

#[test]
fn pyramids_are_refused_by_name() {
    for shape in [CellShape::Pyramid5, CellShape::Pyramid13] {
        let connectivity = (0..shape.n_nodes() as u32).collect();
        let blocks = vec![CellBlock { shape, connectivity }];
        let mesh = Mesh { points: shape.reference_nodes().to_vec(), blocks, ..Mesh::default() };
        let error = subdivide(&mesh, 2).unwrap_err();
        assert_eq!(error, RefineError::Kind { name: shape.name() });
        assert!(error.to_string().contains(shape.name()));
    }
}
