//! The meshes of the gallery agree with their scripts.

use std::path::Path;

use carom_mesh::{msh, quality};

#[test]
fn the_connecting_rod_has_a_fine_disc_where_the_ball_hits() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../meshes/ball-on-conrod/conrod.msh");
    let (mesh, notes) = msh::read(&path).unwrap();
    assert_eq!(notes, []);
    assert_eq!(mesh.sets.keys().collect::<Vec<_>>(), ["big_bore", "body", "impact", "small_bore"]);
    assert_eq!(mesh.cell_counts().into_iter().collect::<Vec<_>>(), [("tet10", mesh.n_cells())]);
    let quality = quality::assess(&mesh);
    assert!(quality.is_watertight() && quality.parts == 1 && quality.unused_nodes == 0);
    assert!(quality.min_scaled_jacobian > 0.1, "{}", quality.min_scaled_jacobian);
    let nodes = mesh.nodes_of_set("impact").unwrap();
    eprintln!("{} faces, {} nodes in the disc", mesh.set("impact").unwrap().len(), nodes.len());
    for node in nodes {
        let [x, y, z] = mesh.points[node as usize];
        assert!((z - 4.5e-3).abs() < 1e-12, "the disc lies in the upper face: {z}");
        assert!((x - 66e-3).hypot(y) < 0.75e-3 * (1.0 + 1e-9));
    }
    for face in mesh.faces_of_set("impact").unwrap() {
        // Corners turn counter-clockwise seen from above: the normal is +z.
        let corners: Vec<[f64; 3]> = mesh.face(*face).1.take(3).map(|n| mesh.points[n as usize]).collect();
        let [a, b, c] = [corners[0], corners[1], corners[2]];
        let twice_area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
        assert!(twice_area > 0.0);
        // Equilateral with edge 0.13 mm: 2A = 1.46e-8 m².
        assert!(twice_area < 3.0e-8, "{twice_area:e}");
    }
}
