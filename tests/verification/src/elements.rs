//! Geometry, elements and modes without contact: volumes, Lamb's sphere, benchmarks of NAFEMS.

use std::f64::consts::PI;

use carom_fem::loads::pressure_force;
use carom_fem::stress::at_point;
use carom_fem::{
    Body, CellEvaluator, Discretisation, Geometry, Material, QuadratureRule, assemble, mass_properties,
    solve_static,
};
use carom_linalg::DofSet;
use carom_mesh::make::{HexOptions, Solid, hexahedra};
use carom_mesh::{CellShape, Mesh, Set};
use carom_nurbs::solids;
use carom_reduce::{ModalOptions, ModesWanted, SolverChoice, modes};
use carom_report::number::significant;

use crate::{Bench, BenchError, Outcome, Row, Table};

/// A body of one material.
pub(crate) fn body(name: &str, geometry: Geometry, [density, young, poisson]: [f64; 3]) -> Body {
    let material = Material::new("material", density, young, poisson).expect("the constants are valid");
    let n_blocks = match &geometry {
        Geometry::Mesh(mesh) => mesh.blocks.len(),
        Geometry::Nurbs(multipatch) => multipatch.patches.len(),
    };
    Body {
        name: name.to_owned(),
        geometry,
        materials: vec![material],
        material_of_block: vec![0; n_blocks],
        sections: Vec::new(),
    }
}

const STEEL: [f64; 3] = [7800.0, 210e9, 0.3];

/// Volumes and centroids of the exact solids.
pub(crate) fn volumes(_: &Bench<'_>) -> Result<Outcome, BenchError> {
    let (r, a, l) = (0.3, 0.1, 0.7);
    let all = [
        ("ball", solids::ball(r, None), (4.0 / 3.0 * PI * r.powi(3), 0.0)),
        ("ball with a pole", solids::ball(r, Some(a)), (4.0 / 3.0 * PI * r.powi(3), 0.0)),
        ("ellipsoid", solids::ellipsoid([r, 0.2, 0.4], None), (4.0 / 3.0 * PI * r * 0.2 * 0.4, 0.0)),
        ("shell", solids::shell(r, a, None), (4.0 / 3.0 * PI * (r.powi(3) - a.powi(3)), 0.0)),
        ("octant of a ball", solids::octant(r, None), (PI / 6.0 * r.powi(3), 0.375 * r)),
        ("tube", solids::tube(r, a, l), (PI * (r * r - a * a) * l, 0.0)),
        ("torus", solids::torus(r, a), (2.0 * PI * PI * r * a * a, 0.0)),
    ];
    let mut outcome = Outcome::default();
    for (name, solid, (volume, height)) in all {
        let solid = solid.map_err(|error| BenchError::Scenario(error.to_string()))?;
        let body = body(name, Geometry::Nurbs(solid), STEEL);
        let discretisation =
            Discretisation::new(&body).map_err(|error| BenchError::Scenario(error.to_string()))?;
        let found = mass_properties(&discretisation);
        outcome.rows.push(Row::new(format!("{name}: volume"), "m3", found.volume, volume, 1e-12));
        if height > 0.0 {
            let [_, _, z] = found.center_of_mass;
            outcome.rows.push(Row::new(format!("{name}: height of the centroid"), "m", z, height, 1e-12));
        }
    }
    Ok(outcome)
}

/// Frequencies of a free sphere of steel, R = 1 m, E = 210 GPa, ν = 0.3, 7800 kg/m³ \[Hz\], by Lamb (1882),
/// and the number of modes of each.
const LAMB: [(&str, f64, usize); 6] = [
    ("T2", 1280.951, 5),
    ("S2", 1355.256, 5),
    ("S1", 1807.877, 3),
    ("T3", 1979.300, 7),
    ("S3", 2016.534, 7),
    ("S0", 2558.445, 1),
];

/// Frequencies of a free exact ball.
pub(crate) fn lamb(bench: &Bench<'_>) -> Result<Outcome, BenchError> {
    let header = vec!["degree", "dofs", "error of T2", "error of S2", "error of S1"];
    let mut outcome = Outcome { table: Table { header, rows: Vec::new() }, ..Outcome::default() };
    for (degree, divisions) in [(4, 1), (4, 2), (4, 3), (5, 1), (5, 2)] {
        let ball = solids::ball(1.0, None).map_err(|error| BenchError::Scenario(error.to_string()))?;
        let ball = ball.with_degree(degree).and_then(|ball| Ok(ball.subdivide(divisions)?));
        let ball = ball.map_err(|error| BenchError::Scenario(error.to_string()))?;
        let is_finest = (degree, divisions) == (5, 2);
        let groups = if is_finest { &LAMB[..] } else { &LAMB[..3] };
        let count = groups.iter().map(|(_, _, copies)| copies).sum::<usize>();
        let (hz, dofs) = frequencies(bench, &body("ball", Geometry::Nurbs(ball), STEEL), &[], 6 + count)?;
        let mut first = 6;
        let mut errors = Vec::new();
        for &(name, exact, copies) in groups {
            let group = &hz[first..first + copies];
            let farthest =
                |a: f64, b: f64| if (a / exact - 1.0).abs() > (b / exact - 1.0).abs() { a } else { b };
            let worst = group.iter().copied().fold(group[0], farthest);
            errors.push(worst / exact - 1.0);
            if is_finest {
                outcome.rows.push(Row::new(
                    format!("{name}, the worst of {copies}"),
                    "Hz",
                    worst,
                    exact,
                    1e-4,
                ));
            }
            first += copies;
        }
        let mut cells = vec![degree.to_string(), dofs.to_string()];
        cells.extend(errors[..3].iter().map(|error| significant(*error, 2)));
        outcome.table.rows.push(cells);
    }
    Ok(outcome)
}

/// The lowest frequencies of a body \[Hz\], and its dofs.
pub(crate) fn frequencies(
    bench: &Bench<'_>,
    body: &Body,
    fix: &[String],
    count: usize,
) -> Result<(Vec<f64>, usize), BenchError> {
    let options = ModalOptions {
        fix: fix.to_vec(),
        wanted: ModesWanted::Count(count),
        rule: QuadratureRule::Default,
        solver: SolverChoice::default(),
    };
    let found =
        modes(body, &options, bench.progress).map_err(|error| BenchError::Scenario(error.to_string()))?;
    Ok((found.hz, found.n_dofs))
}

/// The benchmarks FV52 and LE10 of NAFEMS.
pub(crate) fn nafems(bench: &Bench<'_>) -> Result<Outcome, BenchError> {
    let header = vec!["benchmark", "figure", "measured", "this mesh by another code", "published"];
    let mut outcome = Outcome { table: Table { header, rows: Vec::new() }, ..Outcome::default() };
    let expected = [44.7963, 110.5427, 110.5427, 169.0955, 193.9247, 206.6378, 206.6378];
    let published = [45.897, 109.44, 109.44, 167.89, 193.59, 206.19, 206.19];
    let plate = supported_plate()?;
    let (hz, _) = frequencies(bench, &plate, &["edges=z".to_owned()], 10)?;
    for (k, (&exact, known)) in expected.iter().zip(published).enumerate() {
        let found = hz[3 + k];
        let what = format!("FV52: mode {}", k + 4);
        outcome.table.rows.push(vec![
            "FV52".to_owned(),
            format!("mode {} [Hz]", k + 4),
            significant(found, 6),
            significant(exact, 6),
            significant(known, 5),
        ]);
        outcome.rows.push(Row::new(what, "Hz", found, exact, 2e-6));
    }
    let stress = thick_plate(bench)?;
    outcome.rows.push(Row::new("LE10: stress at D", "Pa", stress, -5.52e6, 2e-3));
    outcome.table.rows.push(vec![
        "LE10".to_owned(),
        "stress at D [MPa]".to_owned(),
        significant(1e-6 * stress, 4),
        "-5.52".to_owned(),
        "-5.38".to_owned(),
    ]);
    Ok(outcome)
}

/// A mesh of hexahedra of 20 nodes in a unit cube.
fn cube(elements: [usize; 3]) -> Result<Mesh, BenchError> {
    let options =
        HexOptions { shape: CellShape::Hex20, elements: elements.to_vec(), ..HexOptions::default() };
    let mut mesh = hexahedra(Solid::Box { size: [1.0; 3] }, &options)
        .map_err(|error| BenchError::Scenario(error.to_string()))?;
    for d in 0..3 {
        let least = mesh.points.iter().map(|x| x[d]).fold(f64::INFINITY, f64::min);
        mesh.points.iter_mut().for_each(|x| x[d] -= least);
    }
    Ok(mesh)
}

/// FV52: a square plate of 10 m × 10 m × 1 m whose lower edges are held across.
fn supported_plate() -> Result<Body, BenchError> {
    let mut mesh = cube([4, 4, 1])?;
    let on_edge = |x: &[f64; 3]| x[2] < 1e-9 && (0..2).any(|d| x[d] < 1e-9 || x[d] > 1.0 - 1e-9);
    let edges = (0..mesh.points.len() as u32).filter(|&k| on_edge(&mesh.points[k as usize])).collect();
    mesh.sets.insert("edges".to_owned(), Set::of_nodes(edges));
    mesh.points.iter_mut().for_each(|[x, y, _]| (*x, *y) = (10.0 * *x, 10.0 * *y));
    Ok(body("plate", Geometry::Mesh(mesh), [8000.0, 200e9, 0.3]))
}

/// LE10: a quarter of an elliptic plate, 0.6 m thick, with 1 MPa on its top: σ_yy at D = (2, 0, 0.6) \[Pa\].
fn thick_plate(bench: &Bench<'_>) -> Result<f64, BenchError> {
    let mut mesh = cube([8, 12, 4])?;
    for point in &mut mesh.points {
        let [s, t, z] = *point;
        let (sin, cos) = (0.5 * PI * t).sin_cos();
        let clean = |x: f64| if x.abs() < 1e-12 { 0.0 } else { x };
        *point = [clean((2.0 + 1.25 * s) * cos), clean((1.0 + 1.75 * s) * sin), 0.6 * z];
    }
    let plate = body("plate", Geometry::Mesh(mesh), [7800.0, 210e9, 0.3]);
    let failed = |error: String| BenchError::Scenario(error);
    let discretisation = Discretisation::new(&plate).map_err(|error| failed(error.to_string()))?;
    let system = assemble(&discretisation, QuadratureRule::Default, bench.progress)
        .map_err(|error| failed(error.to_string()))?;
    let points = &discretisation.points;
    let is_top = |k: u32| points[k as usize][2] > 0.6 - 1e-9;
    let top: Vec<_> = plate
        .boundary_faces()
        .into_iter()
        .filter(|&face| discretisation.points_of_faces(&[face]).into_iter().all(is_top))
        .collect();
    let force = pressure_force(&discretisation, &top, 1e6);
    let free = points.iter().map(|x| {
        let is_outer = ((x[0] / 3.25).powi(2) + (x[1] / 2.75).powi(2) - 1.0).abs() < 1e-9;
        let is_middle = (x[2] - 0.3).abs() < 1e-9;
        [x[0] > 1e-9 && !is_outer, x[1] > 1e-9 && !is_outer, !(is_outer && is_middle)]
    });
    let free = DofSet::from_flags(free.collect());
    let u = solve_static(&system, free, &vec![[0.0; 3]; force.len()], &force, bench.progress)
        .map_err(|error| failed(error.to_string()))?;
    let is_d = |x: &[f64]| (x[0] - 2.0).abs() < 1e-9 && x[1].abs() < 1e-9 && (x[2] - 0.6).abs() < 1e-9;
    let mut evaluator = CellEvaluator::new(&discretisation);
    let corners = || (0..8).map(|k| [k & 1, k >> 1 & 1, k >> 2].map(f64::from));
    for cell in discretisation.cells() {
        for xi in corners() {
            evaluator.enter(cell);
            if is_d(evaluator.at(xi).position.as_ref()) {
                return Ok(at_point(&discretisation, &mut evaluator, cell, xi, &u).1[1]);
            }
        }
    }
    Err(failed("no cell has the point D".to_owned()))
}
