//! Orders of convergence of each kind of cell in explicit steps, and cells whose waves have closed forms.

use std::f64::consts::PI;

use carom_continuum::explicit::{Load, Problem, Simulation};
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
    let patch =
        solids::block([1.0, WIDTH, WIDTH]).unwrap().with_degree(p).unwrap().elements([n, 1, 1]).unwrap();
    bodies::nurbs_body(patch)
}

/// The relative error of the work of a smooth force on the end: until the wave returns u̇ = (c/EA) F there,
/// and the work is (c/EA) ∫ F² dt. The books have it as kinetic and elastic energy.
///
/// * `steps` — number of steps; by the critical step if it is none, returned with the error
fn error(mut body: Body, rule: PointRule, steps: Option<f64>) -> (f64, f64) {
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
    // All steps have one length, in proportion to the cells: the last one is not shortened by chance.
    let n_steps = steps.unwrap_or_else(|| {
        let [critical, ..] = Simulation::new(&problem, settings(end, None)).unwrap().step_sizes();
        (end / (0.8 * critical)).ceil()
    });
    let (_, kept) = run(&problem, settings(end, Some(end / n_steps)));
    let balance = kept.rows.last().unwrap().balance;
    let squares =
        (1.5 * end - 2.0 * (rate * end).sin() / rate + (2.0 * rate * end).sin() / (4.0 * rate)) / 4.0;
    let work = c / (YOUNG * WIDTH * WIDTH) * squares;
    ((balance.e_kin + balance.e_el + balance.e_hg) / work - 1.0, n_steps)
}

/// The order is that of the last halving of cells and steps.
///
/// * `body` — by the number of halvings
fn assert_order_two(name: &str, body: impl Fn(usize) -> Body, rule: PointRule) {
    let (first, n_steps) = error(body(0), rule, None);
    let finer = [1, 2].map(|k| error(body(k), rule, Some(n_steps * f64::from(1_u32 << k))).0);
    let errors = [first, finer[0], finer[1]];
    let order = (errors[1] / errors[2]).abs().log2();
    let numbers = bodies::digits(&errors);
    println!("{name}: {numbers}, order {order:.2}");
    // The next term of the error is at most a sixth of the first one.
    assert!((1.8..2.2).contains(&order), "{name}: {numbers}, order {order}");
    assert!(errors[2].abs() < 0.01, "{name}: {numbers}");
}

/// Lumped mass and central differences have order two in cells and steps, for cells of each order.
#[test]
fn the_work_on_each_kind_of_cell_converges_with_order_two() {
    for shape in CellShape::SOLIDS {
        let coarse = if shape.order() == 1 { 10 } else { 5 };
        let finer = |k: usize| bar(shape, coarse << k, 1 << k);
        assert_order_two(shape.name(), finer, PointRule::default());
    }
    for rule in [PointRule::MeanDilatation, PointRule::OnePoint] {
        assert_order_two(&format!("hex8, {rule:?}"), |k| bar(CellShape::Hex8, 10 << k, 1), rule);
    }
}

/// The same for splines: their lumped mass has row sums, and long waves have order two with any degree.
#[test]
fn the_work_on_splines_converges_with_order_two() {
    for p in [2, 3] {
        let rule = PointRule::Cell(QuadratureRule::Default);
        assert_order_two(&format!("NURBS p = {p}"), |k| spline(p, 8 << k), rule);
    }
}

/// A spline of degree 2 with row sums of its mass is a chain of its control points. Waves of the frequency ω
/// have the angle θ between two of them,
///
/// ```text
/// (h/c)² (2/dt sin(ω dt/2))² = 1 − ⅔ cos θ − ⅓ cos 2θ
/// ```
///
/// by the products of the slopes of the splines. Waves of four spans, θ = π/2, have three quarters of the
/// velocity of sound.
#[test]
fn short_waves_of_splines_have_the_velocity_of_the_chain_of_control_points() {
    const N: usize = 80;
    let (h, c) = (1.0 / N as f64, (YOUNG / DENSITY).sqrt());
    for expected in [PI / 8.0, PI / 4.0, PI / 2.0] {
        let mut body = spline(2, N);
        body.materials = vec![Material::new("soft", DENSITY, YOUNG, 0.0).unwrap()];
        let dt = 0.5 * h / c;
        let side = (1.0 - 2.0 / 3.0 * expected.cos() - (2.0 * expected).cos() / 3.0).sqrt() * c / h;
        let omega = 2.0 / dt * (0.5 * dt * side).asin();
        // The wave begins smoothly, and has not reached the other end.
        let begin = 40.0 * h / c;
        let formula = format!("sin({omega} * t) * smoothstep(t/{begin})");
        let law = ElasticLaw::named("small-strain", ElasticModuli::of(&body.materials[0])).unwrap();
        let rule = PointRule::Cell(QuadratureRule::Default);
        let problem = Problem {
            bodies: vec![solid(body, SolidLaw::Elastic(law), (rule, [0.0; 2]), at([0.0; 3], [0.0; 3]))],
            loads: vec![Load {
                body: 0,
                at: Place::Set("east".to_owned()),
                force: [1.0, 0.0, 0.0],
                torque: [0.0; 3],
                axes: Axes::Inertial,
                scale: TimeFunction::Formula(Formula::parse(&formula).unwrap()),
            }],
            ..Problem::default()
        };
        let (_, kept) = run(&problem, settings(100.0 * h / c, Some(dt)));
        // Control points along an edge, by their number: knots at the ends are closer to each other.
        let u = &kept.displacements.last().unwrap()[0];
        let row: Vec<f64> = u.iter().step_by(3).take(N + 2).copied().collect();
        // u_{k+1} + u_{k−1} = 2 cos θ u_k, by least squares near the end with the force.
        let near = N - 18..N - 8;
        let (mut products, mut squares) = (0.0, 0.0);
        for k in near {
            products += 0.5 * (row[k + 1] + row[k - 1]) * row[k];
            squares += row[k] * row[k];
        }
        let found = (products / squares).acos();
        let velocity = omega * h / (expected * c);
        println!("θ = {expected:.4}: found {found:.4}, {velocity:.3} of the velocity of sound");
        assert!((found / expected - 1.0).abs() < 0.02, "{found} {expected}");
    }
}
