//! Shapes as the command line and scenarios ask for them.

use carom_fem::{Discretisation, Geometry, Material};
use carom_make::shape::Grade;
use carom_make::{Place, Shape, ShapeOptions, Zone, make};

fn options(shape: Shape) -> ShapeOptions {
    ShapeOptions {
        shape,
        radius: None,
        inner_radius: None,
        length: None,
        size: None,
        semi_axes: None,
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
    for (shape, length, sets) in [
        (Shape::Ball, None, vec!["pole", "surface"]),
        (Shape::Rod, Some(0.1), vec!["end", "end_pole", "side", "start", "start_pole"]),
    ] {
        let sizes = ShapeOptions { radius: Some(0.01), length, ..options(shape) };
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

/// Meshers write a volume group and nothing else unless asked: a contact on such a part lies on the surface of its cells.
#[test]
fn a_zone_may_be_cut_from_the_surface_of_a_set_of_cells() {
    let block = ShapeOptions {
        size: Some([0.1, 0.1, 0.1]),
        elements: vec![4],
        hex: true,
        order: Some(1),
        ..options(Shape::Box)
    };
    let mut body = make(&block, "block", steel()).unwrap();
    let Geometry::Mesh(mesh) = &mut body.geometry else { panic!("hexahedra were asked for") };
    let all = mesh.cells().map(|(cell, ..)| cell).collect();
    mesh.sets = [("part".to_owned(), carom_mesh::Set::Cells(all))].into();
    let zone: Zone = "hit=part@0.05,0.05,0.1:0.02".parse().unwrap();
    zone.add_to(&mut body).unwrap();
    assert_eq!(body.set_names(), ["hit", "part"]);
    assert_eq!(body.faces_of_set("hit").unwrap().len(), 4);
    let nowhere: Zone = "miss=part@0.05,0.05,0.05:0.02".parse().unwrap();
    assert!(nowhere.add_to(&mut body).unwrap_err().to_string().contains("part"));
}
