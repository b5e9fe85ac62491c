//! Places of sets, and sets at places.

use std::f64::consts::PI;

use carom_fem::{Body, Discretisation, set_places, surface_at};
use carom_mesh::CellShape;
use carom_mesh::make::{HexOptions, Solid, hexahedra};
use carom_nurbs::solids;

use crate::bodies::{mesh_body, nurbs_body};

fn near(a: [f64; 3], b: [f64; 3], tolerance: f64) -> bool {
    (0..3).all(|d| (a[d] - b[d]).abs() <= tolerance)
}

/// A box of 0.3 × 0.2 × 0.1 m.
fn block(shape: CellShape) -> Body {
    let options = HexOptions { shape, elements: vec![3, 2, 1], ..HexOptions::default() };
    mesh_body(hexahedra(Solid::Box { size: [0.3, 0.2, 0.1] }, &options).unwrap())
}

#[test]
fn sides_of_a_box_have_their_areas_centres_and_normals() {
    for shape in [CellShape::Hex8, CellShape::Hex20] {
        let body = block(shape);
        let places = set_places(&body, &Discretisation::new(&body).unwrap());
        for (name, area, center, normal) in [
            ("west", 0.02, [0.0, 0.1, 0.05], [-1.0, 0.0, 0.0]),
            ("north", 0.03, [0.15, 0.2, 0.05], [0.0, 1.0, 0.0]),
            ("top", 0.06, [0.15, 0.1, 0.1], [0.0, 0.0, 1.0]),
        ] {
            let place = places[name];
            assert!((place.area - area).abs() < 1e-15, "{name} {place:?}");
            assert!(
                near(place.center, center, 1e-14) && near(place.normal, normal, 1e-13),
                "{name} {place:?}"
            );
        }
    }
}

#[test]
fn a_sphere_has_its_area_and_no_mean_normal() {
    let body = nurbs_body(solids::ball(0.5, None).unwrap().elements([3; 3]).unwrap());
    let place = set_places(&body, &Discretisation::new(&body).unwrap())["surface"];
    assert!((place.area / PI - 1.0).abs() < 1e-4, "{place:?}");
    assert!(near(place.center, [0.0; 3], 1e-9) && near(place.normal, [0.0; 3], 1e-9), "{place:?}");
}

#[test]
fn the_closest_point_of_a_box_has_the_sets_of_its_side_edge_or_corner() {
    let body = block(CellShape::Hex20);
    let discretisation = Discretisation::new(&body).unwrap();
    let at = |x| surface_at(&body, &discretisation, x).unwrap();
    let above = at([0.12, 0.07, 0.13]);
    assert!(near(above.point, [0.12, 0.07, 0.1], 1e-7) && (above.distance - 0.03).abs() < 1e-9, "{above:?}");
    assert!(near(above.normal, [0.0, 0.0, 1.0], 1e-12) && above.sets == ["top"], "{above:?}");
    let inside = at([0.01, 0.1, 0.05]);
    assert!(near(inside.point, [0.0, 0.1, 0.05], 1e-7) && inside.sets == ["west"], "{inside:?}");
    assert_eq!(at([0.31, 0.1, 0.12]).sets, ["east", "top"]);
    // Top and bottom are equally far: one of them is where the point is.
    let between = at([0.15, 0.1, 0.05]);
    assert!(between.sets == ["top"] || between.sets == ["bottom"], "{between:?}");
    assert_eq!(at([-1.0, -1.0, -1.0]).sets, ["bottom", "south", "west"]);
}

#[test]
fn the_closest_point_of_a_sphere_lies_on_the_ray_from_its_middle() {
    let body = nurbs_body(solids::ball(0.5, Some(0.1)).unwrap());
    let discretisation = Discretisation::new(&body).unwrap();
    for target in [[1.0, 2.0, -2.0], [0.1, 0.05, 0.2], [-0.3, 0.1, 0.4]] {
        let found = surface_at(&body, &discretisation, target).unwrap();
        let length = target.iter().map(|x| x * x).sum::<f64>().sqrt();
        let expected = target.map(|x| 0.5 * x / length);
        assert!(near(found.point, expected, 1e-6), "{found:?} {expected:?}");
        assert!((found.distance - (length - 0.5).abs()).abs() < 1e-9, "{found:?}");
        assert!(near(found.normal, expected.map(|x| 2.0 * x), 1e-5), "{found:?}");
        // The pole of the ball is a whole face of six.
        let is_near_pole = target[2] > f64::max(target[0].abs(), target[1].abs());
        assert_eq!(found.sets.contains(&"pole".to_owned()), is_near_pole, "{found:?}");
    }
    let pole = surface_at(&body, &discretisation, [0.01, 0.0, 0.6]).unwrap();
    assert_eq!(pole.sets, ["pole", "surface"]);
}
