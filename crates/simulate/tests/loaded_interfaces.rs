//! Geometric stiffness by forces and springs on interface sets: columns beside closed forms, Galerkin's
//! method, and attachments at the same end.

use std::f64::consts::{PI, TAU};
use std::sync::Arc;

use carom_fem::{Body, Geometry, Material};
use carom_format::result::ProbeCourse;
use carom_format::write_body;
use carom_mesh::make::{HexOptions, Solid, hexahedra};
use carom_mesh::{CellShape, Set};
use carom_simulate::PreparedModel;

use crate::fixtures::{Chain, REPLACE, parse};
use crate::own_weight::clamped_beam;
use crate::pressed_columns::{DENSITY, LENGTH, RADIUS, YOUNG, bending};

/// Euler's load of a cantilever, π² E I/(4 L²) \[N\].
fn euler() -> f64 {
    PI * PI * bending() / (4.0 * LENGTH * LENGTH)
}

const INTERFACE: &str = "interface = [\"end\"]";

/// A rod along x that is clamped at its start. Without Poisson's ratio its clamp is that of a beam.
fn rod(simulation: &str, end: &str, rest: &str) -> String {
    format!(
        "[simulation]\n{simulation}\n[material.m]\ndensity = {DENSITY:?}\nyoung = \
         {YOUNG:?}\npoisson = 0.0\n[[body]]\nname = \"rod\"\nmaterial = \"m\"\nmake = {{ shape = \"rod\", \
         radius = {RADIUS:?}, length = {LENGTH:?}, degree = 3, elements = [16, 1, 1] }}\nreduce = \
         {{ {end}, fix = [\"start\"], modes = 12, stiffening = true }}\n[[body.marker]]\nname = \
         \"point\"\nat = [{LENGTH:?}, 0.0, 0.0]\n{rest}"
    )
}

const AT_REST: &str = "scheme = \"dynamic\"\nstart = \"equilibrium\"\nend_time = 0.0";

fn force(on: &str, force: [f64; 3]) -> String {
    format!("[[force]]\non = \"rod:{on}\"\nforce = {force:?}\n")
}

/// ω² of the lowest oscillation about the equilibrium, negative beyond buckling \[1/s²\]. Nothing is left out
/// of it.
///
/// * `chain` — keeps the model for other forces
fn square(chain: &Chain, text: &str) -> f64 {
    let outcome = chain.solve_with(&parse(text, &[]), REPLACE).unwrap_or_else(|failed| panic!("{failed}"));
    assert!(chain.reader().notes().unwrap().iter().all(|note| !note.text.contains("leaves out")));
    let hz = chain.reader().modes().unwrap()[0].frequency;
    assert!(hz < 0.0 || outcome.warnings.is_empty(), "{:?}", outcome.warnings);
    (TAU * hz) * (TAU * hz.abs())
}

/// The mean of an interface set, a point of its faces, and attachments of both kinds.
#[test]
fn a_force_on_an_interface_set_changes_the_frequency_of_a_column_up_to_its_buckling() {
    // Euler's load in units of E I/L².
    let expected = |part: f64| clamped_beam(|_| 0.25 * PI * PI * part);
    assert!(expected(-1.0).abs() < 1e-3);
    let places = [
        (INTERFACE, "end"),
        (INTERFACE, "point"),
        ("attach = { end = \"rigid\" }", "end"),
        ("attach = { end = \"mean\" }", "end"),
    ];
    for (reduce, on) in places {
        let chain = Chain::new();
        let under = |part: f64| square(&chain, &rod(AT_REST, reduce, &force(on, [part * euler(), 0.0, 0.0])));
        let free = under(0.0);
        for part in [-0.9, -0.5, 0.5, 3.0] {
            let (ratio, expected) = (under(part) / free, expected(part));
            println!("{reduce} {on} {part}: {ratio:.6} {expected:.6}");
            assert!((ratio - expected).abs() < 1.5e-3, "{reduce} {on} {part}: {ratio} {expected}");
        }
        // A negative square is that of a growth.
        assert!(under(-1.003) < 0.0 && under(-0.997) > 0.0);
    }
}

/// A weak spring that is far longer than the rod pulls with its preload.
#[test]
fn a_spring_at_an_interface_set_changes_the_frequency_as_a_force_does() {
    let part = 0.8;
    let spring = format!(
        "[[spring]]\nbetween = [\"ground\", \"rod:end\"]\npoint = [1.0e4, 0.0, 0.0]\npreload = {:?}\n",
        part * euler()
    );
    let chain = Chain::new();
    let free = square(&chain, &rod(AT_REST, INTERFACE, ""));
    let ratio = square(&chain, &rod(AT_REST, INTERFACE, &spring)) / free;
    let expected = clamped_beam(|_| 0.25 * PI * PI * part);
    println!("{ratio} {expected}");
    assert!((ratio - expected).abs() < 1.5e-3, "{ratio} {expected}");
}

/// Force across the rod \[N\].
const ACROSS: f64 = 4.0;

/// Deflection of the end in an equilibrium under a force along the rod and one across it \[m\], and its
/// response to slow unit forces along and across about this equilibrium \[m/N\].
fn deflection_and_response(axial: f64) -> [f64; 3] {
    let response = |direction: [f64; 3]| {
        let rest = force("end", [axial, 0.0, 0.0])
            + &force("end", [0.0, 0.0, ACROSS])
            + &format!(
                "[[probe]]\non = \"rod:end\"\nwhat = [\"position\"]\n[response]\non = \"rod:end\"\nforce = \
                 {direction:?}\nfrom = 1e-3\nto = 2e-3\ncount = 2\n"
            );
        let chain = Chain::new();
        chain.solve(&parse(&rod(AT_REST, INTERFACE, &rest), &[])).unwrap_or_else(|failed| panic!("{failed}"));
        let reader = chain.reader();
        [reader.probe_courses().unwrap()[0].values[0][0][2], reader.responses().unwrap()[0].real[2]]
    };
    let ([deflection, along], [_, across]) = (response([1.0, 0.0, 0.0]), response([0.0, 0.0, 1.0]));
    [deflection, along, across]
}

/// The deflection of a column under the forces P along and Q across it is Q (tan kL − kL)/(P k) with
/// k² = P/(E I), and its response to slow forces is the derivative of the equilibria: central differences by
/// P have an error of second order.
#[test]
fn equilibria_and_the_slow_response_of_a_column_are_those_of_its_beam() {
    let pressed = |part: f64| deflection_and_response(-part * euler());
    let k = (0.6 * euler() / bending()).sqrt();
    let expected = ((k * LENGTH).tan() - k * LENGTH) / (0.6 * euler() * k);
    let [deflection, along, across] = pressed(0.6);
    println!("{} {across} {expected}", deflection / ACROSS);
    assert!((across / expected - 1.0).abs() < 1e-3, "{across} {expected}");
    // Forces across the rod do not stress it along its axis: the equilibria are linear in them.
    assert!((deflection / (ACROSS * across) - 1.0).abs() < 1e-7, "{deflection} {across}");
    let errors = [0.02, 0.01].map(|h| {
        let [more, less] = [pressed(0.6 + h), pressed(0.6 - h)];
        // Compression is a force along −x.
        (less[0] - more[0]) / (2.0 * h * euler()) / along - 1.0
    });
    let order = (errors[0] / errors[1]).log2();
    println!("{errors:?} {order}");
    assert!(errors[1].abs() < 2e-3 && (order - 2.0).abs() < 0.02, "{order} {errors:?}");
}

/// Times at which a course rises through a value.
fn crossings(course: &ProbeCourse, from: f64, value: impl Fn(&[[f64; 3]]) -> f64) -> Vec<f64> {
    let after = course.times.iter().zip(&course.values).filter(|(time, _)| **time > from);
    let heights: Vec<(f64, f64)> = after.map(|(time, values)| (*time, value(values))).collect();
    let rising = heights.windows(2).filter(|pair| pair[0].1 < 0.0 && pair[1].1 >= 0.0);
    rising.map(|pair| pair[0].0 - pair[0].1 * (pair[1].0 - pair[0].0) / (pair[1].1 - pair[0].1)).collect()
}

/// A column under a constant force that is struck across: its frequency, and the sum of its energies with the
/// potential −P u of the force, where u is the displacement of its place.
#[test]
fn a_struck_column_keeps_the_energy_of_its_force_and_vibrates_at_its_frequency() {
    let part = -0.6;
    let simulation = "scheme = \"dynamic\"\nintegrator = \"radau5\"\nrelative_tolerance = 1e-6\nstart = \
                      \"equilibrium\"\nend_time = 0.16\noutput_every = 0.02\nmaximum_step = 2e-4";
    let rest = force("end", [part * euler(), 0.0, 0.0])
        + &force("end", [0.0, 0.0, 60.0])
        + "scale = \"exp(-((t-0.01)/0.002)^2)\"\n[[probe]]\non = \"rod:end\"\nwhat = [\"displacement\"]\n\
           every = 2e-4\n[[probe]]\non = \"rod\"\nwhat = [\"kinetic_energy\", \"elastic_energy\"]\nevery = \
           2e-4\n";
    let chain = Chain::new();
    let text = rod(simulation, INTERFACE, &rest);
    let outcome = chain.solve(&parse(&text, &[])).unwrap_or_else(|failed| panic!("{failed}"));
    assert!(outcome.warnings.is_empty(), "{:?}", outcome.warnings);
    assert!(outcome.summary.ledger.energy_error < 1e-5, "{:?}", outcome.summary.ledger);
    let courses = chain.reader().probe_courses().unwrap();
    let rises = crossings(&courses[0], 0.03, |values| values[0][2]);
    let rate = TAU * (rises.len() - 1) as f64 / (rises[rises.len() - 1] - rises[0]);
    let free = (1.875_104_07_f64).powi(4) * bending() / (DENSITY * PI * RADIUS.powi(2) * LENGTH.powi(4));
    let (found, expected) = (rate * rate / free, clamped_beam(|_| 0.25 * PI * PI * part));
    println!("{found} {expected}");
    assert!((found / expected - 1.0).abs() < 5e-3, "{found} {expected}");
    let (mut least, mut most, mut largest) = (f64::INFINITY, f64::NEG_INFINITY, 0.0_f64);
    for ((time, place), energies) in courses[0].times.iter().zip(&courses[0].values).zip(&courses[1].values) {
        if *time > 0.03 {
            let work = part * euler() * place[0][0];
            let total = energies[0][0] + energies[1][0] - work;
            (least, most, largest) = (least.min(total), most.max(total), largest.max(energies[0][0]));
        }
    }
    println!("{least} {most} {largest}");
    assert!(most - least < 1e-7 * largest, "{least} {most} {largest}");
}

/// Models of version 1.7 to 1.9 have `stiffening` without the interface: the run names the force, and, where
/// the force matters, warns of it with a remedy.
#[test]
fn forces_on_an_interface_of_an_older_model_are_named_with_a_remedy() {
    let chain = Chain::new();
    let simulation = "end_time = 0.006\noutput_every = 0.006";
    let rest = force("end", [-0.6 * euler(), 0.0, 0.0]) + &force("end", [0.0, 0.0, 5.0]);
    let scenario = parse(&rod(simulation, INTERFACE, &rest), &[]);
    let mut bodies = chain.prepare(&scenario).unwrap();
    let PreparedModel::Reduced(model) = &mut bodies.bodies[0].model else { panic!() };
    Arc::make_mut(model).stiffening.as_mut().unwrap().boundary = None;
    let outcome = chain.run(&scenario, &bodies, REPLACE).unwrap();
    let notes = chain.reader().notes().unwrap();
    let note = notes.iter().find(|note| note.text.contains("leaves out")).unwrap();
    let words = ["body `rod`", "force 1, force 2", "version 1.10", "reduce the body again"];
    assert!(words.iter().all(|word| note.text.contains(word)), "{note:?}");
    let axial = outcome.warnings.iter().find(|text| text.contains("axial force over buckling load"));
    assert!(axial.unwrap().contains("reduce it again"), "{:?}", outcome.warnings);
}

/// An interface of single nodes has no faces: its set is found in the body of the model, and its forces
/// stiffen.
#[test]
fn a_force_on_an_interface_of_single_nodes_changes_the_frequency_of_a_column() {
    let chain = Chain::new();
    let shape = CellShape::hexahedron(2).unwrap();
    let options = HexOptions { shape, elements: vec![12, 1, 1], ..HexOptions::default() };
    let mut mesh = hexahedra(Solid::Box { size: [LENGTH, 0.01, 0.01] }, &options).unwrap();
    let nodes = (0..mesh.points.len()).filter(|&i| mesh.points[i][0] > LENGTH - 1e-9);
    let nodes: Vec<u32> = nodes.map(|i| i as u32).collect();
    mesh.sets.insert("nodes".to_owned(), Set::Nodes(nodes));
    let body = Body {
        name: "bar".to_owned(),
        material_of_block: vec![0; mesh.blocks.len()],
        geometry: Geometry::Mesh(mesh),
        materials: vec![Material::new("m", DENSITY, YOUNG, 0.0).unwrap()],
        sections: Vec::new(),
    };
    write_body(&chain.folder().join("bar.npz"), &body).unwrap();
    let euler = PI * PI * YOUNG * 0.01_f64.powi(4) / 12.0 / (4.0 * LENGTH * LENGTH);
    let square = |part: f64| {
        let text = format!(
            "[simulation]\n{AT_REST}\n[[body]]\nname = \"bar\"\nbody = \"bar.npz\"\nreduce = {{ interface = \
             [\"nodes\"], fix = [\"west\"], modes = 12, stiffening = true }}\n[[force]]\non = \"bar:nodes\"\n\
             force = [{:?}, 0.0, 0.0]\n",
            part * euler
        );
        chain.solve_with(&parse(&text, &[]), REPLACE).unwrap_or_else(|failed| panic!("{failed}"));
        let hz = chain.reader().modes().unwrap()[0].frequency;
        hz * hz.abs()
    };
    let free = square(0.0);
    for part in [-0.5, 1.0] {
        let (ratio, expected) = (square(part) / free, clamped_beam(|_| 0.25 * PI * PI * part));
        println!("{part}: {ratio} {expected}");
        assert!((ratio - expected).abs() < 5e-3, "{part}: {ratio} {expected}");
    }
}
