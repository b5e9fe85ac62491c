//! Places of rows: edges, corners, rims, concave corners, thin bodies.

use super::*;
use crate::geometry::Site;

#[test]
fn the_gap_of_a_node_is_continuous_across_an_edge() {
    // Over the edge of a box, outside of it and a little inside, and over the ridge of a roof.
    let roof = quads(&[
        [[-1.0, -1.0, -0.3], [0.0, -1.0, 0.0], [0.0, 1.0, 0.0], [-1.0, 1.0, -0.3]],
        [[0.0, -1.0, 0.0], [1.0, -1.0, -0.2], [1.0, 1.0, -0.2], [0.0, 1.0, 0.0]],
    ]);
    let block = boundary([-0.5; 3], [0.5; 3]);
    let at = |a: [f64; 3], b: [f64; 3]| (Vector3::from(a), Vector3::from(b));
    let ways = [
        (&roof, at([-0.3, 0.1, 0.05], [0.3, -0.2, 0.05])),
        (&roof, at([-0.3, 0.1, -0.02], [0.3, 0.1, -0.02])),
        (&block, at([0.2, 0.1, 0.6], [0.65, 0.15, 0.2])),
        (&block, at([0.45, 0.1, 0.49], [0.49, 0.15, 0.4])),
        (&block, at([0.3, 0.3, 0.55], [0.7, 0.6, 0.52])),
    ];
    for (surface, (from, to)) in ways {
        let n = 400;
        let place = |k: usize| from + (to - from) * (k as f64 / n as f64);
        let nodes: Vec<_> = (0..=n).map(place).collect();
        let rows = rows_at(surface.clone(), &nodes);
        assert_eq!(rows.len(), n + 1, "one row everywhere");
        let step = (to - from).norm() / n as f64;
        for (a, b) in rows.iter().zip(&rows[1..]) {
            assert!((a.foot.gap - b.foot.gap).abs() <= step * (1.0 + 1e-9), "{a:?}\n{b:?}");
        }
        assert!(rows[0].foot.face != rows[n].foot.face || rows[n].foot.site != Site::Interior);
    }
}

#[test]
fn a_node_in_a_concave_corner_touches_both_faces_on_either_side_of_them() {
    for (x, z) in [(0.02, 0.05), (-0.02, 0.05), (0.03, -0.01), (-0.02, -0.01)] {
        let rows = rows_at(floor_and_wall(), &[Vector3::new(x, 0.4, z)]);
        let mut found: Vec<_> = rows.iter().map(|row| (row.foot.gap, row.foot.normal)).collect();
        found.sort_by(|a, b| a.1.x.total_cmp(&b.1.x));
        assert_eq!(found.len(), 2, "{x} {z}: {rows:?}");
        assert!((found[0].0 - z).abs() < 1e-14 && (found[0].1 - Vector3::z()).norm() < 1e-14, "{rows:?}");
        assert!((found[1].0 - x).abs() < 1e-14 && (found[1].1 - Vector3::x()).norm() < 1e-14, "{rows:?}");
        assert!(
            rows.iter().filter(|row| row.is_continued).count() == usize::from(x < 0.0) + usize::from(z < 0.0)
        );
    }
}

#[test]
fn a_node_in_a_corner_of_an_inverted_box_touches_three_faces() {
    // The inside of a box: its faces are inverted.
    let (mut surface, positions) = boundary([0.0; 3], [1.0; 3]);
    surface.faces.iter_mut().for_each(|face| face.orientation = -1.0);
    for x in [[0.1, 0.05, 0.2], [-0.01, 0.05, 0.2], [-0.01, -0.02, 0.2], [-0.01, -0.02, -0.03]] {
        let rows = rows_at((surface.clone(), positions.clone()), &[Vector3::from(x)]);
        assert_eq!(rows.len(), 3, "{x:?}: {rows:?}");
        for row in &rows {
            let axis = row.foot.normal.iamax();
            assert!((row.foot.gap - x[axis]).abs() < 1e-14 && row.foot.normal[axis] > 1.0 - 1e-14, "{row:?}");
        }
    }
}

#[test]
fn the_faces_of_a_shared_edge_give_one_row() {
    // A flat surface: foot points of nodes over inner edges and over nodes of the mesh lie on several faces.
    for shape in [FaceShape::Tri3, FaceShape::Tri6, FaceShape::Quad4, FaceShape::Quad8, FaceShape::Quad9] {
        let nodes: Vec<_> = (0..=8)
            .flat_map(|i| (0..=8).map(move |j| Vector3::new(f64::from(i) / 8.0, f64::from(j) / 8.0, 0.0)))
            .flat_map(|x| [x + 0.1 * Vector3::z(), x - 0.1 * Vector3::z(), x])
            .collect();
        let rows = rows_at(plate(shape, 4, 4, |x, y| [x, y, 0.0]), &nodes);
        assert_eq!(rows.len(), nodes.len(), "{shape:?}");
        for (row, x) in rows.iter().zip(&nodes) {
            assert!((row.foot.gap - x.z).abs() < 1e-14 && (row.foot.normal - Vector3::z()).norm() < 1e-9);
        }
    }
}

#[test]
fn the_gap_beyond_a_rim_is_the_distance_from_it() {
    let surface = plate(FaceShape::Quad4, 3, 3, |x, y| [x, y, 0.0]);
    let nodes = [[1.1, 0.4, 0.05], [1.1, 0.4, -0.05], [-0.1, -0.1, 0.1]].map(Vector3::from);
    let rows = rows_at(surface, &nodes);
    let ends = [[1.0, 0.4, 0.0], [1.0, 0.4, 0.0], [0.0, 0.0, 0.0]].map(Vector3::from);
    assert_eq!(rows.len(), 3);
    for ((row, x), end) in rows.iter().zip(nodes).zip(ends) {
        assert!((row.foot.position - end).norm() < 1e-14, "{row:?}");
        assert!((row.foot.gap - (x - end).norm()).abs() < 1e-14);
        assert!((row.foot.normal - (x - end).normalize()).norm() < 1e-14);
    }
}

#[test]
fn a_node_over_a_thin_plate_does_not_touch_its_other_side() {
    let plate = || boundary([-1.0, -1.0, -0.02], [1.0, 1.0, 0.02]);
    for (z, gap, up) in [(0.05, 0.03, 1.0), (-0.05, 0.03, -1.0), (0.015, -0.005, 1.0), (-0.01, -0.01, -1.0)] {
        let rows = rows_at(plate(), &[Vector3::new(0.1, 0.2, z)]);
        assert_eq!(rows.len(), 1, "{z}: {rows:?}");
        let foot = &rows[0].foot;
        assert!((foot.gap - gap).abs() < 1e-14 && foot.normal.z * up > 1.0 - 1e-14, "{foot:?}");
    }
}

#[test]
fn each_plane_gives_a_row_and_a_cavity_one() {
    let wall = |axis: usize| crate::geometry::Plane::new(Vector3::zeros(), Vector3::ith(axis, 1.0)).unwrap();
    let room = Shape::Planes((0..3).map(wall).collect());
    let sphere = crate::geometry::Sphere { center: Vector3::zeros(), radius: 1.0 };
    let x = [Vector3::new(0.1, -0.05, 0.9)];
    for (shape, gaps) in [(room, vec![0.1, -0.05]), (Shape::Cavity(sphere), vec![1.0 - x[0].norm()])] {
        let side = ContactSide { shape, nodes: Nodes::default() };
        let mut contact = NodeToFace::new([cloud(1), side], LIMITS, Passes::Single).unwrap();
        let rows = contact.update([&x, &[]]).to_vec();
        assert_eq!(rows.len(), gaps.len());
        for (row, gap) in rows.iter().zip(gaps) {
            assert!((row.foot.gap - gap).abs() < 1e-15);
            assert!(contact.faced_points(row).0.is_empty() && contact.variations(row).is_none());
        }
    }
}

#[test]
fn invalid_limits_and_missing_nodes_are_refused() {
    let (side, _) = faced(floor_and_wall());
    let new = |own: ContactSide, limits, passes| NodeToFace::new([own, side.clone()], limits, passes);
    let bad = Limits { reach: 0.0, ..LIMITS };
    let message = |found: Result<NodeToFace, NodeToFaceError>| found.unwrap_err().to_string();
    assert!(message(new(cloud(1), bad, Passes::Single)).contains("reach of contact is 0"));
    assert!(message(new(cloud(0), LIMITS, Passes::Single)).contains("side 1 of a contact has no nodes"));
    assert!(message(new(cloud(1), LIMITS, Passes::Dual)).contains("side 2 of a contact has no nodes"));
    let lost = ContactSide { nodes: Nodes::of_points(&[99]), ..side.clone() };
    assert!(message(new(lost, LIMITS, Passes::Single)).contains("needs point 99; the surface has 6"));
}
