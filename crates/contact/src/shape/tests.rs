use nalgebra::{Rotation3, Unit};

use super::*;

/// One of each shape without faces, and the gap of one point from it.
fn shapes() -> Vec<(Shape, f64)> {
    let center = Vector3::new(1.0, 0.0, 0.0);
    let ball = Vector3::new(0.2, 0.75, 0.1).norm();
    vec![
        (Shape::plane(Vector3::new(0.0, 0.0, 1.0), Vector3::new(0.0, 0.0, -2.0)).unwrap(), 0.9),
        (Shape::Sphere(Sphere { center, radius: 0.5 }), ball - 0.5),
        (Shape::Cavity(Sphere { center, radius: 5.0 }), 5.0 - ball),
        (Shape::Block(Block::new(center, Vector3::new(0.5, 0.25, 0.125))), 0.5),
    ]
}

const X: Vector3<f64> = Vector3::new(1.2, 0.75, 0.1);

#[test]
fn distances_are_independent_of_the_frame_and_normals_are_their_gradients() {
    let rotation = Rotation3::from_axis_angle(&Unit::new_normalize(Vector3::new(1.0, -2.0, 0.5)), 1.1);
    let shift = Vector3::new(0.3, -0.2, 0.1);
    for (shape, expected) in shapes() {
        let moved = shape.moved(|x| rotation * x + shift, |v| rotation * v);
        let x = rotation * X + shift;
        let free = [Vector3::zeros(); 3];
        let (gap, normal) = moved.distance(0, &x, &free).unwrap();
        assert!((gap - expected).abs() < 1e-14, "{shape:?}: {gap}");
        let further = moved.distance(0, &(x + 1e-3 * normal), &free).unwrap().0;
        assert!((further - gap - 1e-3).abs() < 1e-14, "{shape:?}");
        let foot = moved.closest(0, &x).unwrap();
        assert!((foot.gap - gap).abs() < 1e-14 && (foot.normal - normal).norm() < 1e-14, "{shape:?}");
        assert!((x - foot.position - foot.normal * foot.gap).norm() < 1e-14, "{shape:?}");
        assert!((foot.tangents[0].cross(&foot.tangents[1]) - foot.normal).norm() < 1e-14, "{shape:?}");
    }
}

#[test]
fn a_cavity_curves_towards_its_free_side_and_a_ball_away_from_it() {
    let sphere = Sphere { center: Vector3::zeros(), radius: 2.0 };
    for (shape, expected) in [(Shape::Sphere(sphere), -0.5), (Shape::Cavity(sphere), 0.5)] {
        let curvatures = shape.closest(0, &X).unwrap().principal_curvatures().unwrap();
        // The error is the root of a rounding error.
        assert!(curvatures.iter().all(|k| (k - expected).abs() < 1e-7), "{curvatures:?}");
    }
}

#[test]
fn the_edges_of_a_rotated_block_lie_on_its_surface() {
    let rotation = Rotation3::from_axis_angle(&Vector3::z_axis(), 0.4);
    let block = Block::new(Vector3::new(0.1, 0.2, 0.3), Vector3::new(1.0, 0.5, 0.25));
    let block = block.moved(|x| rotation * x, |v| rotation * v);
    let edges = block.edges();
    let length: f64 = edges.iter().map(|edge| 2.0 * edge.half.norm()).sum();
    assert!((length - 8.0 * 1.75).abs() < 1e-14, "{length}");
    for edge in &edges {
        for part in [-1.0, 0.3, 1.0] {
            let x = edge.center + part * edge.half;
            assert!(block.distance(&x, &[Vector3::zeros(); 3]).0.abs() < 1e-15);
            for normal in &edge.normals {
                let (gap, found) = block.distance(&(x + 1e-3 * normal), &[Vector3::zeros(); 3]);
                assert!((gap - 1e-3).abs() < 1e-15 && found.dot(normal) > 1.0 - 1e-12);
            }
        }
    }
}

#[test]
fn a_point_in_the_corner_of_a_room_touches_three_planes() {
    let wall = |axis: usize| Plane::new(-Vector3::ith(axis, 1.0), Vector3::ith(axis, 2.0)).unwrap();
    let room = Shape::Planes((0..3).map(wall).collect());
    let x = Vector3::new(-0.9, -1.1, -0.8);
    let gaps = [0, 1, 2].map(|sheet| room.distance(sheet, &x, &[Vector3::zeros(); 3]).unwrap().0);
    assert_eq!(room.sheets(), 3);
    assert!((Vector3::from(gaps) - Vector3::new(0.1, -0.1, 0.2)).norm() < 1e-15, "{gaps:?}");
    assert!(Plane::new(Vector3::zeros(), Vector3::zeros()).is_none());
}
