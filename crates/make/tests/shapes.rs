//! Shapes as defined by command lines and scenarios.

use std::sync::Mutex;

use carom_fem::{Discretisation, Geometry, Material};
use carom_make::shape::Grade;
use carom_make::{NearPlace, Place, RefineOptions, Shape, ShapeOptions, Zone, coarsen, make, refine};
use carom_progress::{Progress, Silent};

fn options(shape: Shape) -> ShapeOptions {
    ShapeOptions::of(shape)
}

fn steel() -> Material {
    Material::named("steel").unwrap()
}

#[test]
fn a_missing_size_is_named_with_its_flag() {
    let message = make(&options(Shape::Rod), "rod", steel(), &Silent).unwrap_err().to_string();
    assert!(message.contains("--radius"), "{message}");
}

#[test]
fn the_ball_of_the_documentation_has_about_40_thousand_dofs() {
    let ball = ShapeOptions {
        radius: Some(0.015),
        pole_radius: Some(5.6e-4),
        focus: Some(2.5),
        grade: vec![Grade { at: Place::Set("pole".to_owned()), finest: 1.1e-4, radius: None }],
        ..options(Shape::Ball)
    };
    let body = make(&ball, "ball", steel(), &Silent).unwrap();
    let Geometry::Nurbs(patches) = &body.geometry else { panic!("a NURBS body was asked for") };
    let dofs = 3 * patches.n_points();
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
    let body = make(&rod, "rod", steel(), &Silent).unwrap();
    let Geometry::Nurbs(patches) = &body.geometry else { panic!("a NURBS body was asked for") };
    println!(
        "{} dofs, {} faces",
        3 * patches.n_points(),
        patches.faces(&patches.region("end_pole").unwrap()).len()
    );
    assert!(3 * patches.n_points() < 100_000);
    assert!(Discretisation::new(&body).is_ok());
}

#[test]
fn hexahedra_and_nurbs_have_the_same_sets() {
    for (shape, length, sets) in [
        (Shape::Ball, None, vec!["pole", "surface"]),
        (Shape::Rod, Some(0.1), vec!["end", "end_pole", "side", "start", "start_pole"]),
    ] {
        let sizes = ShapeOptions { radius: Some(0.01), length, ..options(shape) };
        let nurbs = make(&sizes, "body", steel(), &Silent).unwrap();
        let hexes = make(&ShapeOptions { hex: true, ..sizes }, "body", steel(), &Silent).unwrap();
        let (Geometry::Nurbs(patches), Geometry::Mesh(mesh)) = (&nurbs.geometry, &hexes.geometry) else {
            panic!("one of each was asked for")
        };
        for set in sets {
            assert!(patches.regions.contains_key(set), "NURBS {shape:?} without {set}");
            assert!(mesh.sets.contains_key(set), "hexahedra of {shape:?} without {set}");
        }
    }
}

#[test]
fn sizes_that_are_too_different_are_named_and_others_give_valid_bodies() {
    let sized = |shape: Shape, ratio: f64| {
        let mut sized = options(shape);
        match shape {
            Shape::Ellipsoid => sized.semi_axes = Some([1.0, 1.0, ratio]),
            Shape::Box | Shape::Plate => sized.size = Some([0.1, 0.1, 0.1 * ratio]),
            Shape::Rod => (sized.radius, sized.length) = (Some(ratio), Some(1.0)),
            Shape::Capsule => (sized.radius, sized.length) = (Some(0.01), Some(0.02 + 0.02 * ratio)),
            Shape::Shell => (sized.radius, sized.inner_radius) = (Some(1.0), Some(1.0 - ratio)),
            _ => {
                (sized.radius, sized.inner_radius) = (Some(1.0), Some(1.0 - ratio));
                sized.length = Some(1.0);
            }
        }
        sized
    };
    let shapes =
        [Shape::Ellipsoid, Shape::Box, Shape::Plate, Shape::Rod, Shape::Capsule, Shape::Shell, Shape::Tube];
    for shape in shapes {
        let n_points = |options: &ShapeOptions| {
            let body = make(options, "x", steel(), &Silent).unwrap_or_else(|e| panic!("{shape:?}: {e}"));
            Discretisation::new(&body).unwrap().point_is_used().len()
        };
        for hex in [false, true] {
            if hex && matches!(shape, Shape::Ellipsoid | Shape::Capsule) {
                continue;
            }
            let of = |ratio: f64| ShapeOptions { hex, elements: vec![2], ..sized(shape, ratio) };
            assert_eq!(n_points(&of(1.1e-5)), n_points(&of(0.5)), "{shape:?}, hex {hex}");
            let message = make(&of(1e-7), "x", steel(), &Silent).unwrap_err().to_string();
            assert!(message.contains("too different: ") && message.contains("--"), "{message}");
        }
    }
}

#[test]
fn a_zone_of_a_zone_lies_within_it() {
    let zone = |name: &str, of: &str, centre: [f64; 3], radius: f64| Zone {
        name: name.to_owned(),
        of: of.to_owned(),
        centre,
        radius,
    };
    for hex in [false, true] {
        let ball = ShapeOptions {
            radius: Some(0.01),
            pole_radius: Some(0.004),
            elements: vec![8],
            hex,
            zones: vec![
                zone("all", "pole", [0.0, 0.0, 0.01], 0.01),
                zone("half", "pole", [0.003, 0.0, 0.0095], 0.0025),
                zone("rest", "half", [0.0, 0.0, 0.01], 0.02),
            ],
            ..options(Shape::Ball)
        };
        let body = make(&ball, "ball", steel(), &Silent).unwrap();
        let faces = |name: &str| body.faces_of_set(name).unwrap();
        let (pole, half) = (faces("pole"), faces("half"));
        assert_eq!(faces("all"), pole, "hex {hex}: the whole pole is in reach");
        assert_eq!(faces("rest"), half, "hex {hex}");
        assert!(half.len() < pole.len() && half.iter().all(|face| pole.contains(face)), "hex {hex}");
    }
}

/// Meshers write only a volume group by default: a zone of such a set of cells lies on the surface of
/// the cells.
#[test]
fn a_zone_may_be_cut_from_the_surface_of_a_set_of_cells() {
    let block = ShapeOptions {
        size: Some([0.1, 0.1, 0.1]),
        elements: vec![4],
        hex: true,
        order: Some(1),
        ..options(Shape::Box)
    };
    let mut body = make(&block, "block", steel(), &Silent).unwrap();
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

/// Records its phases, and stops after some steps.
struct Told {
    phases: Mutex<Vec<(String, u64, u64)>>,
    open: Mutex<i32>,
    stop: bool,
}

impl Told {
    fn new(stop: bool) -> Self {
        Self { phases: Mutex::new(Vec::new()), open: Mutex::new(0), stop }
    }
}

impl Progress for Told {
    fn begin(&self, name: &str, total: u64) {
        self.phases.lock().unwrap().push((name.to_owned(), total, 0));
        *self.open.lock().unwrap() += 1;
    }
    fn set(&self, done: u64) {
        let mut phases = self.phases.lock().unwrap();
        let last = phases.last_mut().unwrap();
        assert!(done > last.2 && done <= last.1, "{last:?}: {done}");
        last.2 = done;
    }
    fn note(&self, _text: &str) {}
    fn end(&self) {
        *self.open.lock().unwrap() -= 1;
    }
    fn interrupted(&self) -> bool {
        self.stop
    }
}

#[test]
fn every_refinement_reports_progress_and_stops_on_request() {
    let block = ShapeOptions { size: Some([1.0; 3]), elements: vec![4], ..options(Shape::Box) };
    let nurbs = make(&block, "block", steel(), &Silent).unwrap();
    let hexes = make(&ShapeOptions { hex: true, ..block }, "block", steel(), &Silent).unwrap();
    let corner = || Place::Point([0.0; 3]);
    let grade = vec![Grade { at: corner(), finest: 0.05, radius: None }];
    let near = vec![NearPlace { at: corner(), radius: None, levels: 2 }];
    let nothing = RefineOptions::default;
    for (body, wish, phase) in [
        (&nurbs, RefineOptions { elevate: Some(1), ..nothing() }, "raising degrees"),
        (&nurbs, RefineOptions { subdivide: Some(2), ..nothing() }, "dividing spans"),
        (&nurbs, RefineOptions { grade, ..nothing() }, "grading"),
        (&nurbs, RefineOptions { near, ..nothing() }, "refining locally"),
        (&hexes, RefineOptions { subdivide: Some(2), ..nothing() }, "dividing cells"),
    ] {
        let printed = Told::new(false);
        refine(body, &wish, &printed).unwrap();
        assert_eq!(*printed.open.lock().unwrap(), 0, "{phase}");
        let phases = printed.phases.into_inner().unwrap();
        assert_eq!((phases.len(), phases[0].0.as_str()), (1, phase));
        // Two levels, the control points of one patch, and their numbers.
        assert!(phase != "refining locally" || (phases[0].1, phases[0].2) == (4, 4), "{phases:?}");
        let printed = Told::new(true);
        let message = refine(body, &wish, &printed).unwrap_err().to_string();
        assert!(message.contains("interrupted") && *printed.open.lock().unwrap() == 0, "{message}");
    }
    let printed = Told::new(false);
    coarsen(&nurbs, None, &printed).unwrap();
    // Three inner knots in each direction.
    assert_eq!(printed.phases.into_inner().unwrap()[0], ("removal of knots".to_owned(), 9, 9));
    assert!(coarsen(&nurbs, None, &Told::new(true)).unwrap_err().to_string().contains("interrupted"));
}

/// A ball of quadratic tetrahedra with its rim as a set of nodes; areas of its faces before and after.
#[test]
fn tetrahedra_are_refined_near_a_point_with_the_areas_of_their_sets() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../mesh/tests/files/ball_tet10_v41.msh");
    let mut body = carom_make::import(file.as_ref(), &Default::default(), steel()).unwrap().body;
    let Geometry::Mesh(mesh) = &mut body.geometry else { panic!("a mesh") };
    let skin = mesh.boundary_faces();
    let (up, down): (Vec<_>, Vec<_>) = skin.iter().partition(|face| mesh.middle_of_face(**face)[2] > 0.5);
    for (name, faces) in [("up", up), ("down", down)] {
        mesh.sets.insert(name.to_owned(), carom_mesh::Set::of_faces(faces));
    }
    let near = vec![NearPlace { at: Place::Point([0.0, 0.0, 1.0]), radius: Some(0.2), levels: 3 }];
    let fine = refine(&body, &RefineOptions { near, ..Default::default() }, &Silent).unwrap();
    let places = |body| carom_fem::set_places(body, &Discretisation::new(body).unwrap());
    let (old, new) = (places(&body), places(&fine));
    for name in ["up", "down"] {
        let (old, new) = (old[name], new[name]);
        // The area of curved faces is integrated numerically: parts have a smaller error.
        assert!((new.area / old.area - 1.0).abs() < 1e-4, "{name} {old:?} {new:?}");
        // The vector area of faces that keep their geometry is exact.
        for d in 0..3 {
            let [old, new] = [old, new].map(|place| place.area * place.normal[d]);
            assert!((old - new).abs() < 1e-12, "{name} {old} {new}");
        }
    }
    let (Geometry::Mesh(old), Geometry::Mesh(new)) = (&body.geometry, &fine.geometry) else {
        panic!("meshes")
    };
    assert!(new.n_cells() > 2 * old.n_cells());
    let hexes = ShapeOptions { size: Some([1.0; 3]), hex: true, ..options(Shape::Box) };
    let block = make(&hexes, "block", steel(), &Silent).unwrap();
    let near = vec![NearPlace { at: Place::Set("top".to_owned()), radius: None, levels: 1 }];
    let refused = refine(&block, &RefineOptions { near, ..Default::default() }, &Silent).unwrap_err();
    assert!(refused.to_string().contains("only tetrahedra are bisected"), "{refused}");
}
