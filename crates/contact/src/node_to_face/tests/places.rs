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
fn a_node_flush_with_a_rim_has_the_normal_of_the_face() {
    // As far beside the rim as above or below the face, by round-off or by a thousandth of a face.
    for aside in [1e-14, 1e-9, 2e-4] {
        for height in [aside, -aside, -0.01] {
            let nodes = [Vector3::new(1.0 + aside, 0.4, height), Vector3::new(1.0 + aside, -aside, height)];
            let rows = rows_at(plate(FaceShape::Quad4, 4, 4, |x, y| [x, y, 0.0]), &nodes);
            assert_eq!(rows.len(), 2, "{aside} {height}: {rows:?}");
            for row in &rows {
                assert!((row.foot.gap - height).abs() < 1e-15, "{row:?}");
                assert!((row.foot.normal - Vector3::z()).norm() < 1e-14, "{row:?}");
            }
        }
    }
    // Farther away the gap is the distance from the rim.
    let rows = rows_at(plate(FaceShape::Quad4, 4, 4, |x, y| [x, y, 0.0]), &[Vector3::new(1.01, 0.4, -0.01)]);
    assert!((rows[0].foot.gap - 0.01 * 2.0_f64.sqrt()).abs() < 1e-15, "{rows:?}");
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
fn a_node_flush_with_an_edge_touches_the_face_that_it_came_through() {
    // Along the edge of the top of a box: the nearest face is the side, on which the node lies.
    let (side, positions) = faced(boundary([0.0; 3], [1.0; 3]));
    for (x, y) in [(0.5, 0.0), (0.0, 0.0), (1.0, 0.3)] {
        let way = [0.02, -0.03].map(|z| [Vector3::new(x, y, 1.0 + z)]);
        let mut contact = NodeToFace::new([cloud(1), side.clone()], LIMITS, Passes::Single).unwrap();
        let entered = |rows: &[GapRow]| {
            let top = rows.iter().filter(|row| row.foot.gap < -1e-12);
            top.map(|row| (row.foot.gap, row.foot.normal.z)).collect::<Vec<_>>()
        };
        assert!(entered(contact.update([&way[1], &positions])).is_empty());
        let found = entered(contact.update_from([&way[0], &positions], [&way[1], &positions]));
        let [(gap, z)] = found[..] else { panic!("{found:?}") };
        assert!((gap + 0.03).abs() < 1e-14 && (z - 1.0).abs() < 1e-14, "{gap} {z}");
    }
    // In the middle of the top the row is the usual one.
    let way = [0.02, -0.03].map(|z| [Vector3::new(0.5, 0.5, 1.0 + z)]);
    let mut contact = NodeToFace::new([cloud(1), side], LIMITS, Passes::Single).unwrap();
    let usual = contact.update([&way[1], &positions]).to_vec();
    assert_eq!(contact.update_from([&way[0], &positions], [&way[1], &positions]), usual);
}

#[test]
fn a_fast_node_touches_the_face_that_it_came_through_and_not_a_nearer_one() {
    // At the end of its way the node is nearer to the side than to the top.
    let (side, positions) = faced(boundary([0.0; 3], [1.0; 3]));
    let mut contact = NodeToFace::new([cloud(1), side], LIMITS, Passes::Single).unwrap();
    let way = [0.15, -0.05].map(|z| [Vector3::new(0.5, 0.01, 1.0 + z)]);
    let nearest = contact.update([&way[1], &positions]).to_vec();
    assert!(nearest.len() == 1 && nearest[0].foot.normal.y < -1.0 + 1e-14, "{nearest:?}");
    let rows = contact.update_from([&way[0], &positions], [&way[1], &positions]).to_vec();
    assert!(rows.len() == 1 && (rows[0].foot.gap + 0.05).abs() < 1e-14, "{rows:?}");
    assert!(rows[0].foot.normal.z > 1.0 - 1e-14, "{rows:?}");
    // A node that comes down beside the box touches nothing, at a clearance of a part of a face.
    let way = [0.15, -0.05].map(|z| [Vector3::new(0.5, -0.005, 1.0 + z)]);
    let rows = contact.update_from([&way[0], &positions], [&way[1], &positions]).to_vec();
    assert!(rows.iter().all(|row| row.foot.gap > 0.0), "{rows:?}");
}

/// Rims that lie on each other and bend alike: the node ends beside the tilted face, and came through its
/// edge.
#[test]
fn a_node_touches_the_tilted_face_through_whose_edge_it_came() {
    let top = |tilt: f64| {
        let (surface, mut places) = boundary([0.0; 3], [1.0; 3]);
        places.iter_mut().filter(|x| x.y < 0.5 && x.z > 0.5).for_each(|x| x.z -= tilt);
        (surface, places)
    };
    let (side, positions) = faced(top(0.05));
    let mut contact = NodeToFace::new([cloud(1), side], LIMITS, Passes::Single).unwrap();
    let way = [0.15, -0.05].map(|z| [Vector3::new(0.5, 0.0, 0.95 + z)]);
    let rows = contact.update_from([&way[0], &positions], [&way[1], &positions]).to_vec();
    let depth = 0.05 / (1.0_f64 + 0.05 * 0.05).sqrt();
    assert!(rows.iter().any(|row| (row.foot.gap + depth).abs() < 1e-14), "{rows:?}");
}

/// Two boxes in one surface, the second one 0.01 over the first or 0.02 in it.
#[test]
fn a_surface_of_two_bodies_touches_itself_between_them_alone() {
    let boxes = |low: f64| {
        let (first, mut places) = boundary([0.0; 3], [1.0; 3]);
        let (second, others) = boundary([0.2, 0.2, low], [0.8, 0.8, low + 0.5]);
        places.extend(others);
        (crate::shape::joined([&first, &second]), places)
    };
    let (surface, rest) = boxes(1.2);
    let n = rest.len() as u32;
    let side = ContactSide {
        shape: Shape::faces(surface, &rest).unwrap(),
        nodes: Nodes::of_points(&(0..n).collect::<Vec<_>>()),
    };
    let bodies: Vec<u32> = [0, 1].into_iter().flat_map(|body| [body; 6]).collect();
    let limits = Limits { reach: 0.05, depth: 0.3 };
    let mut contact = NodeToFace::within(side, &bodies, &[], limits).unwrap();
    assert!(contact.update([&rest, &rest]).is_empty());
    for (low, gap) in [(1.01, 0.01), (0.98, -0.02)] {
        let places = boxes(low).1;
        let rows = contact.update([&places, &places]).to_vec();
        // The four lower corners of the second box over the first one; corners of the first are far.
        assert_eq!(rows.len(), 4, "{rows:?}");
        for row in &rows {
            assert!((row.foot.gap - gap).abs() < 1e-12 && row.foot.normal.z > 1.0 - 1e-12, "{row:?}");
            assert!(row.node >= 8 && row.foot.face < 6, "{row:?}");
        }
    }
    let flat = ContactSide { shape: Shape::Planes(Vec::new()), nodes: Nodes::of_points(&[0]) };
    let error = NodeToFace::within(flat, &[], &[], limits).unwrap_err().to_string();
    assert!(error.contains("needs faces"), "{error}");
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
