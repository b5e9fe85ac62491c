//! Files written here are read by vtkio, an independent reader, and reference files of VTK's own Bezier cells
//! have the point order of `carom_vtk::order`. (Tests with VTK and ParaView: tests/paraview.)

use std::f64::consts::FRAC_1_SQRT_2;
use std::path::Path;

use carom_testing::reference;
use carom_testing::vtu::{array, read};
use carom_vtk::order::{hexahedron_order, quadrilateral_order};
use carom_vtk::{CellType, Compression, Encoding, Field, Grid, WriteOptions, write_vtu};

/// Control points (x, y, z, w) of the quarter ring 1 ≤ r ≤ 2, 0 ≤ z ≤ 1, degrees (radius, angle, height),
/// angle 2.
fn quarter_ring(p: usize, r: usize) -> Vec<[f64; 4]> {
    let arc = [[1.0, 0.0, 1.0], [1.0, 1.0, FRAC_1_SQRT_2], [0.0, 1.0, 1.0]];
    let mut points = Vec::new();
    for k in 0..=r {
        for [x, y, w] in arc {
            for i in 0..=p {
                let radius = 1.0 + i as f64 / p as f64;
                points.push([radius * x, radius * y, k as f64 / r as f64, w]);
            }
        }
    }
    points
}

/// `n` hexahedra with equal points, as a body of many cells.
fn ring_grid(p: usize, r: usize) -> Grid {
    let ring = quarter_ring(p, r);
    let mut grid = Grid {
        points: ring.iter().map(|c| [c[0], c[1], c[2]]).collect(),
        rational_weights: ring.iter().map(|c| c[3]).collect(),
        ..Grid::default()
    };
    let order = hexahedron_order([p, 2, r]);
    grid.push_cell(CellType::BezierHexahedron, [p as u8, 2, r as u8], order.iter().map(|&n| n as u32));
    let displacement: Vec<[f64; 3]> = grid.points.iter().map(|x| [0.1 * x[2], -x[0], 1e-9 * x[1]]).collect();
    grid.point_fields = vec![
        Field::tuples("displacement", &displacement),
        Field::scalar("von Mises <σ>", ring.iter().map(|c| c[0] * 1e8).collect()).single(),
    ];
    grid.cell_fields = vec![Field::scalar("contact_pressure", vec![3.5e8])];
    grid
}

#[test]
fn vtkio_reads_the_written_files() {
    let folder = tempfile::tempdir().unwrap();
    // 27 points need one block, a grid of 9 000 points several with a partial one at the end.
    let small = ring_grid(2, 2);
    let mut large =
        Grid { points: (0..9000).map(|i| [i as f64, 0.5, (i as f64).sin()]).collect(), ..Grid::default() };
    for i in 0..8999 {
        large.push_cell(CellType::Line, [0; 3], [i, i + 1]);
    }
    for (name, grid) in [("small", &small), ("large", &large)] {
        for compression in [Compression::None, Compression::Lz4, Compression::Zlib(9), Compression::Default] {
            let path = folder.path().join(format!("{name}{compression:?}.vtu"));
            write_vtu(&path, grid, WriteOptions { encoding: Encoding::InlineBase64, compression }).unwrap();
            let piece = read(&path);
            assert_eq!(piece.points.cast_into::<f64>().unwrap(), grid.points.as_flattened(), "{path:?}");
            let (connectivity, offsets) = piece.cells.cell_verts.into_xml();
            assert!(
                connectivity.iter().copied().eq(grid.connectivity.iter().map(|&n| u64::from(n))),
                "{path:?}"
            );
            assert!(offsets.iter().copied().eq(grid.offsets.iter().map(|&n| n as u64)), "{path:?}");
            assert!(
                piece.cells.types.iter().map(|&t| t as u8).eq(grid.types.iter().map(|&t| t as u8)),
                "{path:?}"
            );
        }
    }
    let piece = read(&folder.path().join("smallLz4.vtu"));
    assert_eq!(array(&piece.data.point, "RationalWeights"), small.rational_weights);
    assert_eq!(array(&piece.data.cell, "HigherOrderDegrees"), [2.0, 2.0, 2.0]);
    assert_eq!(array(&piece.data.cell, "contact_pressure"), [3.5e8]);
    assert_eq!(array(&piece.data.point, "displacement")[5], 1e-9 * small.points[1][1]);
}

#[test]
fn active_fields_are_marked_for_vtk() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ring.vtu");
    write_vtu(&path, &ring_grid(1, 1), WriteOptions::default()).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let text = String::from_utf8_lossy(&bytes);
    let attributes = r#"Scalars="von Mises &lt;σ&gt;" Vectors="displacement""#;
    assert!(text.contains(&format!("<PointData {attributes} RationalWeights=\"RationalWeights\">")));
    assert!(
        text.contains(r#"<CellData Scalars="contact_pressure" HigherOrderDegrees="HigherOrderDegrees">"#)
    );
    assert!(text.contains(r#"type="UnstructuredGrid" version="2.2""#));
}

#[test]
fn point_order_is_that_of_the_reference_files() {
    let folder = reference("vtk");
    for (file, p, r) in [("bezier_hex_quarter_ring_121.vtu", 1, 1), ("bezier_hex_quarter_ring_222.vtu", 2, 2)]
    {
        let ring = quarter_ring(p, r);
        let points: Vec<[f64; 4]> = hexahedron_order([p, 2, r]).iter().map(|&n| ring[n]).collect();
        compare(&folder.join(file), &points);
    }
    // The annulus has its radius first and its angle second, as the ring without height.
    let ring = quarter_ring(1, 1);
    let points: Vec<[f64; 4]> = quadrilateral_order([1, 2]).iter().map(|&n| ring[n]).collect();
    compare(&folder.join("bezier_quad_quarter_annulus_12.vtu"), &points);
}

fn compare(path: &Path, expected: &[[f64; 4]]) {
    let piece = read(path);
    let points = piece.points.cast_into::<f64>().unwrap();
    let weights = array(&piece.data.point, "RationalWeights");
    assert_eq!(weights.len(), expected.len(), "{path:?}");
    for (n, [x, y, z, w]) in expected.iter().enumerate() {
        let found = [points[3 * n], points[3 * n + 1], points[3 * n + 2], weights[n]];
        for (a, b) in found.iter().zip([x, y, z, w]) {
            assert!((a - b).abs() < 1e-14, "{path:?}, point {n}: {found:?} but {x} {y} {z} {w} expected");
        }
    }
}
