//! Bending of solid cells: energy of hourglass modes, and the moment of a section that yields.

use carom_continuum::explicit::{Load, Problem, Support};
use carom_continuum::statics::Place;
use carom_dynamics::{Axes, Formula, TimeFunction};
use carom_fem::constitutive::{ElasticModuli, Hardening, Plastic, SolidLaw};
use carom_fem::internal_force::PointRule;

use crate::setup::{at, block, deformable, residuals, run, settings, solid};

const DENSITY: f64 = 1000.0;
const YOUNG: f64 = 1e7;

/// A load on a set, with a force and a torque scaled by a formula of t.
fn load(set: &str, force: [f64; 3], torque: [f64; 3], scale: &str) -> Load {
    Load {
        body: 0,
        at: Place::Set(set.to_owned()),
        force,
        torque,
        axes: Axes::Inertial,
        scale: TimeFunction::Formula(Formula::parse(scale).unwrap()),
    }
}

/// A cantilever of n cells over the height h, bent by a force at its end. With one point, a cell in a linear
/// field of strains has the mean of each cell as strain: of the energy of bending the part 1/n² is in the
/// hourglass modes, a cell of the height h/n being bent itself: below 1 % from eleven cells on.
#[test]
fn hourglass_modes_have_their_part_of_the_energy_of_bending() {
    for n in [4, 6, 11] {
        let (length, height) = (0.5, 0.05);
        let cells = [(length / height) as usize * n / 2, 2, n];
        let beam = block("beam", [length, 0.02, height], cells, [DENSITY, YOUNG, 0.3]);
        let mut spec = deformable(beam, "neo-hookean", at([0.0; 3], [0.0; 3]));
        if let carom_continuum::explicit::BodyKind::Deformable { rule, .. } = &mut spec.kind {
            *rule = PointRule::OnePoint;
        }
        let problem = Problem {
            bodies: vec![spec],
            supports: vec![Support {
                body: 0,
                set: "west".to_owned(),
                directions: [true; 3],
                rotations: [false; 3],
                displacement: [0.0; 3],
            }],
            // Half of the period of bending.
            loads: vec![load("east", [0.0, 0.0, -0.02], [0.0; 3], "(1 - cos(20*t))/2")],
            ..Problem::default()
        };
        let (simulation, kept) = run(&problem, settings(0.08, None));
        let last = kept.rows.last().unwrap().balance;
        let part = last.e_hg / (last.e_el + last.e_hg);
        println!(
            "{n} cells: {:.3} % in hourglass modes, expected {:.3} %",
            100.0 * part,
            100.0 / (n * n) as f64
        );
        assert!(residuals(&kept)[0] < 1e-11 * last.w_ext, "{:?}", residuals(&kept));
        assert!((part * (n * n) as f64 - 1.0).abs() < 0.2, "{part}");
        let warns = simulation.warnings().iter().any(|warning| warning.contains("hourglass"));
        assert_eq!(warns, n < 10, "{:?}", simulation.warnings());
    }
}

/// A slice of a beam whose ends stay plane and turn against each other by θ, free to contract: pure bending
/// to ten times the curvature of first yield. The work of the ends is ∫ M dθ with
///
/// ```text
/// M = M_p (1 − κ_y²/(3 κ²)),   mean over κ from a to b:  M_p (1 − κ_y²/(3 a b))
/// ```
///
/// There is no shear force and no end effect, so that the rest is the error of the mesh. A linear cell of
/// the length a bends with the shear γ = κ x of its middle, and the flow has the rate √(ε̇² + γ̇²/3) instead
/// of |ε̇|. With n cells over the height, all of them cubes, its excess is of order (1 + ln n)/n²: without
/// the logarithm twice the cells leave a quarter of it.
#[test]
fn a_slice_in_pure_bending_reaches_the_limit_moment() {
    const END: f64 = 0.06;
    let (length, width, height, yield_stress) = (0.01, 0.01, 0.04, 1e4);
    let moduli = ElasticModuli::from_young_poisson(YOUNG, 0.3).unwrap();
    let law = SolidLaw::Plastic(Plastic::new(moduli, Hardening::linear(yield_stress, 0.0).unwrap()).unwrap());
    let limit = 0.25 * yield_stress * width * height * height;
    let largest = 10.0 * 2.0 * yield_stress / (YOUNG * height);
    let [from, to] = [6.0, 10.0];
    let expected = 1.0 - 1.0 / (3.0 * from * to);
    let moment = |n: usize| {
        let mut slice = block("slice", [length, width, height], [n / 4, n / 4, n], [DENSITY, YOUNG, 0.3]);
        let carom_fem::Geometry::Mesh(mesh) = &mut slice.geometry else { unreachable!() };
        let mut supports = Vec::new();
        for layer in 0..=n {
            let z = height * layer as f64 / n as f64;
            for (name, x) in [("start", 0.0), ("end", length)] {
                let is_there = |p: &[f64; 3]| (p[0] - x).abs() + (p[2] - z).abs() < 1e-9;
                let all = (0..).zip(&mesh.points).filter(|(_, p)| is_there(p)).map(|(k, _)| k);
                let set = format!("{name} {layer}");
                let nodes = carom_mesh::Set::of_nodes(all.collect());
                let turned = if x > 0.0 { -largest * length * (z - 0.5 * height) } else { 0.0 };
                supports.push(Support {
                    body: 0,
                    set: set.clone(),
                    directions: [true, false, false],
                    rotations: [false; 3],
                    displacement: [turned, 0.0, 0.0],
                });
                mesh.sets.insert(set, nodes);
            }
        }
        let rule = (PointRule::MeanDilatation, [0.0; 2]);
        let problem = Problem {
            bodies: vec![solid(slice, law.clone(), rule, at([0.0; 3], [0.0; 3]))],
            supports,
            ..Problem::default()
        };
        let (_, kept) = run(&problem, settings(END, None));
        let work = |time: f64| {
            let rows = kept.rows.iter().map(|row| row.balance);
            let row = rows.min_by(|a, b| (a.time - time).abs().total_cmp(&(b.time - time).abs())).unwrap();
            (row.time, row.w_ext)
        };
        let ((t0, first), (t1, last)) = (work(from / to * END), work(END));
        (last - first) / (largest * length * (t1 - t0) / END) / limit
    };
    let found = [4, 8, 16].map(|n| moment(n) / expected);
    // Richardson's value of the last two.
    let limit = found[2] + (found[2] - found[1]) / 3.0;
    println!("4, 8 and 16 cells: {found:.4?} of the moment, extrapolated {limit:.4}");
    assert!((found[2] - 1.0).abs() < 0.01, "{found:?}");
    assert!((limit - 1.0).abs() < 0.003, "{found:?} {limit}");
}

/// A free beam between two torques M yields over its whole length. Without hardening its curvature κ is
///
/// ```text
/// M = M_p (1 − κ_y²/(3 κ²)),   M_p = ¼ σ_y b h²,   κ_y = 2 σ_y/(E h)
/// ```
///
/// Cells of the length a add the shear γ = κ x of their middle, and
/// G a²/(E h²) = 0.9 % to the elastic moment. From 0.9 M_p on the edges of the ends, where the torque acts
/// linearly in the height, flow away.
#[test]
fn a_beam_that_yields_has_the_curvature_of_its_moment_near_the_limit() {
    let (length, width, height, yield_stress) = (0.3, 0.02, 0.04, 2e4);
    let moduli = ElasticModuli::from_young_poisson(YOUNG, 0.3).unwrap();
    let law = Plastic::new(moduli, Hardening::linear(yield_stress, 0.0).unwrap()).unwrap();
    let limit = 0.25 * yield_stress * width * height * height;
    let first_yield = 2.0 * yield_stress / (YOUNG * height);
    let curvature = |moment: f64| {
        let beam = block("beam", [length, width, height], [50, 1, 8], [DENSITY, YOUNG, 0.3]);
        let rule = (PointRule::MeanDilatation, [0.0; 2]);
        // The torque grows over four periods of bending, 22 ms, and is kept for one.
        let scale = "smoothstep(t/0.09)";
        let torque = moment * limit;
        let problem = Problem {
            bodies: vec![solid(beam, SolidLaw::Plastic(law.clone()), rule, at([0.0; 3], [0.0; 3]))],
            loads: vec![
                load("west", [0.0; 3], [0.0, torque, 0.0], scale),
                load("east", [0.0; 3], [0.0, -torque, 0.0], scale),
            ],
            ..Problem::default()
        };
        let (_, kept) = run(&problem, settings(0.12, None));
        let last = kept.rows.last().unwrap().balance;
        assert!(residuals(&kept)[0] < 1e-11 * last.w_ext.abs());
        // Of the middle third, far from the ends, where the torque is applied: the mean of the last frames.
        let places: Vec<[f64; 3]> = {
            let body = block("beam", [length, width, height], [50, 1, 8], [DENSITY, YOUNG, 0.3]);
            carom_fem::Discretisation::new(&body).unwrap().points
        };
        let turn = |u: &[f64], x: f64| {
            let edge = |z: f64| {
                let is_there = |p: &[f64; 3]| (p[0] - x).abs() + (p[2] - z).abs() < 1e-9;
                let points = places.iter().enumerate().filter(|(_, p)| is_there(p));
                let (sum, n) = points.fold((0.0, 0.0), |(sum, n), (k, _)| (sum + u[3 * k], n + 1.0));
                sum / n
            };
            (edge(height) - edge(0.0)) / height
        };
        let of_frame =
            |u: &Vec<Vec<f64>>| (turn(&u[0], 0.7 * length) - turn(&u[0], 0.3 * length)) / (0.4 * length);
        let frames = &kept.displacements[kept.displacements.len() * 4 / 5..];
        frames.iter().map(of_frame).sum::<f64>() / frames.len() as f64
    };
    for moment in [0.75, 0.85] {
        let found = curvature(moment).abs() / first_yield;
        let of_curvature = if found < 1.0 { found / 1.5 } else { 1.0 - 1.0 / (3.0 * found * found) };
        println!("M = {moment} M_p: κ = {found:.4} κ_y, whose moment is {of_curvature:.4} M_p");
        assert!((of_curvature / moment - 1.0).abs() < 0.02, "M = {moment} M_p: {of_curvature}");
    }
}
