//! Orders of convergence of each kind of cell in explicit steps, and cells whose waves have closed forms.

use carom_continuum::explicit::{Load, Problem};
use carom_continuum::statics::Place;
use carom_dynamics::{Axes, Formula, TimeFunction};
use carom_fem::constitutive::{ElasticLaw, ElasticModuli, SolidLaw};
use carom_fem::internal_force::PointRule;
use carom_fem::{Body, Geometry, Material, QuadratureRule};
use carom_mesh::{CellShape, Set};
use carom_nurbs::solids;

use crate::bodies;
use crate::setup::{at, run, settings, solid};

/// Young's modulus \[Pa\], density \[kg/m³\], and width of the bar of unit length \[m\]: waves of 100 m/s.
const YOUNG: f64 = 1e7;
const DENSITY: f64 = 1000.0;
const WIDTH: f64 = 0.1;

/// The bar as cells of a kind, with the set `east` of its faces at x = 1. The nodes of a section of
/// tetrahedra, wedges or pyramids have different masses, so that the section does not move as one: it is
/// refined as well.
fn bar(shape: CellShape, n: usize, across: usize) -> Body {
    let mut body = bodies::block_of(shape, [n, across, across], |[x, y, z]| [x, WIDTH * y, WIDTH * z]);
    let faces = body.boundary_faces();
    let Geometry::Mesh(mesh) = &mut body.geometry else { unreachable!() };
    let is_end = |node: u32| mesh.points[node as usize][0] > 1.0 - 1e-9;
    let at_end = faces.into_iter().filter(|&face| mesh.face(face).1.all(is_end)).collect();
    mesh.sets.insert("east".to_owned(), Set::of_faces(at_end));
    body
}

/// The bar as a spline of degree p.
fn spline(p: usize, n: usize) -> Body {
    let patch = solids::block([1.0, WIDTH, WIDTH]).unwrap().elevate(p).unwrap().elements([n, 1, 1]).unwrap();
    bodies::nurbs_body(patch)
}

/// The relative error of the work of a smooth force on the end: until the wave returns u̇ = (c/EA) F there,
/// and the work is (c/EA) ∫ F² dt. The books have it as kinetic and elastic energy.
fn error(mut body: Body, rule: PointRule) -> f64 {
    body.materials = vec![Material::new("soft", DENSITY, YOUNG, 0.0).unwrap()];
    let c = (YOUNG / DENSITY).sqrt();
    let end = 1.2 / c;
    // The force is neither zero nor constant at the end: the errors there do not cancel.
    let rate = std::f64::consts::TAU / (1.3 * end);
    let smooth = Formula::parse(&format!("(1 - cos({rate} * t))/2")).unwrap();
    let law = ElasticLaw::named("small-strain", ElasticModuli::of(&body.materials[0])).unwrap();
    let problem = Problem {
        bodies: vec![solid(body, SolidLaw::Elastic(law), (rule, [0.0; 2]), at([0.0; 3], [0.0; 3]))],
        loads: vec![Load {
            body: 0,
            at: Place::Set("east".to_owned()),
            force: [1.0, 0.0, 0.0],
            torque: [0.0; 3],
            axes: Axes::Inertial,
            scale: TimeFunction::Formula(smooth),
        }],
        ..Problem::default()
    };
    let (_, kept) = run(&problem, settings(end, None));
    let balance = kept.rows.last().unwrap().balance;
    let squares =
        (1.5 * end - 2.0 * (rate * end).sin() / rate + (2.0 * rate * end).sin() / (4.0 * rate)) / 4.0;
    (balance.e_kin + balance.e_el + balance.e_hg) / (c / (YOUNG * WIDTH * WIDTH) * squares) - 1.0
}

/// The errors of space and time partly cancel, more on one mesh than on another: the order is the mean of two
/// halvings.
fn assert_order_two(name: &str, errors: [f64; 3]) {
    let order = 0.5 * (errors[0] / errors[2]).abs().log2();
    let numbers = bodies::digits(&errors);
    println!("{name}: {numbers}, order {order:.2}");
    assert!((1.7..2.6).contains(&order), "{name}: {numbers}, order {order}");
    assert!(errors[2].abs() < 0.01, "{name}: {numbers}");
}

/// Lumped mass and central differences have order two in cells and steps, for cells of each order.
#[test]
fn the_work_on_each_kind_of_cell_converges_with_order_two() {
    for shape in CellShape::SOLIDS {
        let coarse = if shape.order() == 1 { 10 } else { 5 };
        let errors = [1, 2, 4].map(|k| error(bar(shape, k * coarse, k), PointRule::default()));
        assert_order_two(shape.name(), errors);
    }
    for rule in [PointRule::MeanDilatation, PointRule::OnePoint] {
        let errors = [10, 20, 40].map(|n| error(bar(CellShape::Hex8, n, 1), rule));
        assert_order_two(&format!("hex8, {rule:?}"), errors);
    }
}

/// The same for splines: their lumped mass has row sums, and long waves have order two with any degree.
#[test]
fn the_work_on_splines_converges_with_order_two() {
    for p in [2, 3] {
        let errors = [8, 16, 32].map(|n| error(spline(p, n), PointRule::Cell(QuadratureRule::Default)));
        assert_order_two(&format!("NURBS p = {p}"), errors);
    }
}
