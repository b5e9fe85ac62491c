//! Shapes as the command line and scenarios ask for them.

use carom_fem::{Discretisation, Geometry, Material};
use carom_make::shape::Grade;
use carom_make::{Place, Shape, ShapeOptions, make};

fn options(shape: Shape) -> ShapeOptions {
    ShapeOptions {
        shape,
        radius: None,
        inner_radius: None,
        length: None,
        size: None,
        pole_radius: None,
        focus: None,
        degree: None,
        elements: Vec::new(),
        grade: Vec::new(),
        hex: false,
        order: None,
        elevate: None,
        subdivide: None,
        zones: Vec::new(),
    }
}

fn steel() -> Material {
    Material::named("steel").unwrap()
}

#[test]
fn a_missing_size_is_named_with_its_flag() {
    let message = make(&options(Shape::Rod), "rod", steel()).unwrap_err().to_string();
    assert!(message.contains("--radius"), "{message}");
}

#[test]
fn the_ball_of_the_main_job_has_about_40_thousand_dofs() {
    let ball = ShapeOptions {
        radius: Some(0.015),
        pole_radius: Some(5.6e-4),
        focus: Some(2.5),
        grade: vec![Grade { at: Place::Set("pole".to_owned()), finest: 1.1e-4, radius: None }],
        ..options(Shape::Ball)
    };
    let body = make(&ball, "ball", steel()).unwrap();
    let Geometry::Nurbs(patches) = &body.geometry else { panic!("a NURBS body was asked for") };
    let dofs = 3 * patches.n_points;
    let pole = patches.faces(&patches.region("pole").unwrap()).len();
    println!("{dofs} dofs, {pole} faces in the pole");
    assert!((35_000..=45_000).contains(&dofs), "{dofs} dofs");
    assert!((80..=160).contains(&pole), "{pole} faces in the pole");
}

#[test]
fn a_rod_is_graded_at_one_end() {
    let rod = ShapeOptions {
        radius: Some(0.01),
        length: Some(1.0),
        pole_radius: Some(5.6e-4),
        elements: vec![2],
        grade: vec![Grade { at: Place::Set("end_pole".to_owned()), finest: 1.1e-4, radius: None }],
        ..options(Shape::Rod)
    };
    let body = make(&rod, "rod", steel()).unwrap();
    let Geometry::Nurbs(patches) = &body.geometry else { panic!("a NURBS body was asked for") };
    println!(
        "{} dofs, {} faces",
        3 * patches.n_points,
        patches.faces(&patches.region("end_pole").unwrap()).len()
    );
    assert!(3 * patches.n_points < 100_000);
    assert!(Discretisation::new(&body).is_ok());
}

#[test]
fn hexahedra_and_nurbs_have_the_same_sets() {
    for (shape, sets) in [
        (Shape::Ball, vec!["pole", "surface"]),
        (Shape::Rod, vec!["end", "end_pole", "side", "start", "start_pole"]),
    ] {
        let sizes = ShapeOptions { radius: Some(0.01), length: Some(0.1), ..options(shape) };
        let nurbs = make(&sizes, "body", steel()).unwrap();
        let hexes = make(&ShapeOptions { hex: true, ..sizes }, "body", steel()).unwrap();
        let (Geometry::Nurbs(patches), Geometry::Mesh(mesh)) = (&nurbs.geometry, &hexes.geometry) else {
            panic!("one of each was asked for")
        };
        for set in sets {
            assert!(patches.regions.contains_key(set), "NURBS {shape:?} without {set}");
            assert!(mesh.sets.contains_key(set), "hexahedra of {shape:?} without {set}");
        }
    }
}
