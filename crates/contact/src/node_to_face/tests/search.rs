//! The search is complete and infrequent.

use super::*;

/// Rows by an exhaustive search of all faces and nodes, without boxes.
fn brute_force(
    faces: &Faces,
    positions: &[Vector3<f64>],
    nodes: &[Vector3<f64>],
) -> Vec<(u32, LocalFootKey)> {
    let all: Vec<u32> = (0..faces.n_faces() as u32).collect();
    let mut now = faces.state_at(positions);
    let mut feet = Feet::default();
    let mut found = Vec::new();
    for (node, x) in (0..).zip(nodes) {
        feet.on_faces((faces, &mut now), |_| false, &all, x, &LIMITS);
        feet.select(&LIMITS);
        found.extend(feet.found.iter().map(|f| (node, (f.foot.face, f.foot.gap, f.foot.xi))));
    }
    found
}

type LocalFootKey = (u32, f64, [f64; 2]);

#[test]
fn the_rows_are_those_of_an_exhaustive_search_during_the_motion() {
    for surface in sheets() {
        let (side, reference) = faced(surface);
        let faces = side.shape.as_faces().unwrap().clone();
        let mut random = Random(7);
        let n = 60;
        let mut nodes: Vec<_> =
            (0..n).map(|_| random.vector().component_mul(&Vector3::new(1.2, 1.2, 0.8))).collect();
        let ways: Vec<_> = (0..n).map(|_| random.vector() * 0.03).collect();
        let mut contact = NodeToFace::new([cloud(n), side], LIMITS, Passes::Single).unwrap();
        let mut met = 0;
        for step in 0..30 {
            let t = f64::from(step);
            // The surface is bent and shifted while the nodes move.
            let bend = |x: &Vector3<f64>| x + Vector3::new(0.0, 0.0, 0.01 * t * (x.x + 0.3).sin());
            let positions: Vec<_> = reference.iter().map(bend).collect();
            let rows = contact.update([&nodes, &positions]);
            let found: Vec<_> =
                rows.iter().map(|row| (row.node, (row.foot.face, row.foot.gap, row.foot.xi))).collect();
            assert_eq!(found, brute_force(&faces, &positions, &nodes), "step {step}");
            met += rows.len();
            nodes.iter_mut().zip(&ways).for_each(|(x, v)| *x += v);
        }
        assert!(met > 200, "{met}");
    }
}

#[test]
fn boxes_are_kept_until_the_surface_has_moved_by_their_bound() {
    let (side, reference) = faced(plate(FaceShape::Quad9, 8, 8, |x, y| [x, y, 0.0]));
    let nodes = [Vector3::new(0.5, 0.5, 0.1), Vector3::new(0.5, 0.5, 50.0)];
    let mut contact = NodeToFace::new([cloud(2), side], LIMITS, Passes::Single).unwrap();
    let mut searches = Vec::new();
    for step in 0..100 {
        let shift = Vector3::new(0.0, 0.0, 1e-4 * f64::from(step));
        let positions: Vec<_> = reference.iter().map(|x| x + shift).collect();
        assert_eq!(contact.update([&nodes, &positions]).len(), 1);
        searches.push(contact.searches());
    }
    // Boxes of size 1/8 may move by a quarter of it, 0.031; the surface moves by 0.0099.
    assert!(searches.iter().all(|n| *n == 1), "{searches:?}");
}

#[test]
fn the_growth_of_linear_faces_and_splines_is_one_and_bounds_that_of_quadratic_ones() {
    for (shape, most) in
        [(FaceShape::Tri3, 1.0), (FaceShape::Quad4, 1.0), (FaceShape::Tri6, 3.0), (FaceShape::Quad9, 9.0)]
    {
        let (surface, positions) = plate(shape, 2, 2, |x, y| [x, y, 0.1 * x * y]);
        let growth = Faces::new(surface, &positions).unwrap().growth();
        assert!((growth - most).abs() < 1e-12, "{shape:?}: {growth}");
    }
    let (surface, positions) = cap(1.0, &[0.4]);
    let growth = Faces::new(surface, &positions).unwrap().growth();
    assert!((growth - 1.0).abs() < 1e-12, "{growth}");
}

#[test]
fn nodes_of_a_spline_lie_on_it() {
    let (surface, positions) = cap(2.0, &[0.5]);
    let faces = Faces::new(surface, &positions).unwrap();
    let places: Vec<Start> = (0..4).map(|face| Start { face, xi: [0.25 * f64::from(face), 0.6] }).collect();
    let nodes = Nodes::on_faces(&faces, &places);
    let mut found = vec![Vector3::zeros(); nodes.len()];
    nodes.places_into(&positions, &mut found);
    for x in found {
        assert!((x.norm() - 2.0).abs() < 1e-13, "{x}");
    }
}

/// Boxes of several bodies that move through each other: the rows are those of each node and each other body
/// alone, whatever the search leaves out by the boxes around the bodies.
#[test]
fn the_rows_of_many_bodies_are_those_of_any_two_of_them() {
    let limits = Limits { reach: 0.05, depth: 0.1 };
    let mut random = Random(11);
    let (surface, corners) = boundary([-0.5; 3], [0.5; 3]);
    let n = 7;
    let surfaces: Vec<Surface> = vec![surface.clone(); n];
    let all = crate::shape::joined(&surfaces);
    let centers: Vec<_> = (0..n).map(|_| random.vector() * 1.1).collect();
    let ways: Vec<_> = (0..n).map(|_| random.vector() * 0.02).collect();
    let at = |body: usize, t: f64| -> Vec<Vector3<f64>> {
        let shrunk = 1.0 - 0.002 * t;
        corners.iter().map(|x| centers[body] + ways[body] * t + x * shrunk).collect()
    };
    let everything = |t: f64| -> Vec<_> { (0..n).flat_map(|body| at(body, t)).collect() };
    let points: Vec<u32> = (0..8 * n as u32).collect();
    let shape = Shape::faces(all, &everything(0.0)).unwrap();
    let bodies: Vec<u32> = (0..n as u32).flat_map(|body| [body; 6]).collect();
    let side = ContactSide { shape, nodes: Nodes::of_points(&points) };
    let mut within = NodeToFace::within(side, &bodies, &[], limits).unwrap();
    let mut met = 0;
    for step in 0..25 {
        let times = [f64::from(step), f64::from(step + 1)];
        let [before, now] = times.map(everything);
        let rows = within.update_from([&before, &before], [&now, &now]);
        let key = |node: u32, body: u32, row: &GapRow| (node, body, row.foot.face % 6, row.foot.gap);
        let mut found: Vec<_> = rows.iter().map(|row| key(row.node, row.foot.face / 6, row)).collect();
        let mut expected = Vec::new();
        for body in 0..n {
            let (faced, _) = faced((surface.clone(), at(body, 0.0)));
            let mut pair = NodeToFace::new([cloud(8 * n), faced], limits, Passes::Single).unwrap();
            let [then, present] = times.map(|t| at(body, t));
            let rows = pair.update_from([&before, &then], [&now, &present]);
            let others = rows.iter().filter(|row| row.node as usize / 8 != body);
            expected.extend(others.map(|row| key(row.node, body as u32, row)));
        }
        // A node inside of two bodies has the row of the nearer surface alone.
        let n_of = |list: &[(u32, u32, u32, f64)], node: u32| list.iter().filter(|row| row.0 == node).count();
        let counts: Vec<usize> = (0..8 * n as u32).map(|node| n_of(&expected, node)).collect();
        for list in [&mut found, &mut expected] {
            list.retain(|row| counts[row.0 as usize] <= 1);
            list.sort_by(|a, b| a.partial_cmp(b).unwrap());
        }
        assert_eq!(found, expected, "step {step}");
        met += found.len();
    }
    assert!(met > 50, "{met}");
}
