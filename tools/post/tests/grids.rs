//! Contact on half-space grids in results, plots, tables and ParaView files.

use std::path::Path;

use carom_contact::closed_form::HertzPair;
use carom_dynamics::GridPressures;
use carom_format::Scenario;
use carom_post::export::{ExportOptions, Format, export};
use carom_post::report::{Extras, html};
use carom_post::{Run, RunError, below, patch, plot, scene, stress_over_run, table};
use carom_progress::Silent;
use carom_simulate::{RunOptions, Users, Workshop, prepare, run};
use carom_testing::vtu::{array, read};
use carom_vtk::{Compression, Encoding, WriteOptions};

const RADIUS: f64 = 0.015;

/// A rigid ball of steel falls on a rigid plate of steel: both are half-spaces, and Hertz' theory is exact.
const SCENARIO: &str = r#"
[simulation]
scheme = "quasistatic"
end_time = 2.2e-4
output_every = 5.0e-6
[[body]]
name = "ball"
make = { shape = "ball", radius = 0.015, elements = [4] }
material = "steel"
rigid = true
position = [0.0, 0.0, 0.015002]
velocity = [0.0, 0.0, -0.25]
[[body]]
name = "plate"
make = { shape = "box", size = [0.02, 0.02, 0.01] }
material = "steel"
rigid = true
fixed = true
position = [-0.01, -0.01, -0.01]
[[contact]]
between = ["ball:surface", "plate:top"]
law = { kind = "lagrange" }
compliance = "half-space"
"#;

fn solved(folder: &Path, keys: &[&str]) -> Run {
    let keys: Vec<_> = keys.iter().map(|key| (*key).into()).collect();
    let path = folder.join("scenario.toml");
    let scenario = Scenario::parse(&path, SCENARIO, &keys, &["steel"]).unwrap();
    let workshop = Workshop { scenario_folder: folder, bodies: &folder.join("bodies"), users: Users::One };
    let prepared = prepare(&scenario, workshop, &Silent).unwrap();
    let result = folder.join("result.carom");
    run(&scenario, folder, &prepared, &result, RunOptions::default(), &Silent).unwrap();
    Run::open(&result).unwrap()
}

/// The grid of the largest force, with its frame and force.
fn strongest(run: &Run) -> (usize, f64, GridPressures) {
    let forces = run.reader().normal_forces(0).unwrap();
    let frame = (0..forces.len()).max_by(|&a, &b| forces[a].total_cmp(&forces[b])).unwrap();
    (frame, forces[frame], run.reader().frame(frame).unwrap().contacts[0].grid.clone())
}

fn plain() -> ExportOptions {
    let write = WriteOptions { encoding: Encoding::InlineBase64, compression: Compression::None };
    ExportOptions { write, ..ExportOptions::default() }
}

#[test]
fn the_pressure_on_a_grid_is_hertz_and_is_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let run = solved(folder.path(), &[]);
    let (frame, force, grid) = strongest(&run);
    let hertz = HertzPair::new([RADIUS, f64::INFINITY], [210e9; 2], [0.3; 2]).at_force(force);
    let sum: f64 = grid.cells.iter().map(|cell| cell.pressure * grid.area()).sum();
    println!(
        "{} cells, peak {:.4e} of {:.4e}, radius {:.4e} of {:.4e}",
        grid.cells.len(),
        grid.peak(),
        hertz.peak_pressure,
        grid.contact_radius(),
        hertz.contact_radius
    );
    // Single precision, and one plane for the whole patch, whose rim is inclined by a/R.
    assert!((sum / force - 1.0).abs() < 1e-3, "{sum} {force}");
    // Cells of a/5: their mean pressure in the middle is 0.3 % below the peak.
    assert!((grid.peak() / hertz.peak_pressure - 1.0).abs() < 0.01);
    assert!((grid.contact_radius() / hertz.contact_radius - 1.0).abs() < 0.01);
    assert!((grid.modulus / (210e9 / 0.91 / 2.0) - 1.0).abs() < 1e-9);
    assert_eq!(grid.poisson, [Some(0.3); 2]);

    let fit = patch::fit(&run, 0).unwrap();
    assert!((fit.peak_pressure / hertz.peak_pressure - 1.0).abs() < 0.01, "{fit:?}");
    let picture = patch::picture(&run, 0).unwrap();
    assert!(picture.has_hertz && picture.on == "cells");
    let drawing = plot::draw(&run, &"pressure".parse().unwrap()).unwrap();
    assert!(drawing.to_svg().contains("Hertz"));
    // 0.31 p₀ at 0.48 a for ν = 0.3.
    let stresses = below::stresses(&run, 0).unwrap();
    assert_eq!(stresses.len(), 2);
    for stress in &stresses {
        let [shear, depth] =
            [stress.largest.shear / hertz.peak_pressure, stress.largest.depth / hertz.contact_radius];
        assert!((shear / 0.310 - 1.0).abs() < 0.01 && (depth / 0.48 - 1.0).abs() < 0.03, "{shear} {depth}");
    }
    assert!(plot::draw(&run, &"contact-stress:ball/plate".parse().unwrap()).is_ok());
    let report = html(&run, &Extras::default()).unwrap();
    assert!(report.contains("largest von Mises stress"));
    assert!(report.contains("pressure on the cells at the largest force, compared with Hertz"));
    let time = run.times()[frame];
    let (with, _) = scene::picture(&run, &[time], None).unwrap();
    let (without, _) = scene::picture(&run, &[0.0], None).unwrap();
    assert!(with.to_svg().contains("pressure of ball/plate"));
    assert!(!without.to_svg().contains("pressure of"));

    let course = table::build(&run, table::What::ContactForce).unwrap().to_csv();
    let head = course.lines().next().unwrap();
    assert!(
        head.contains("ball/plate_peak_pressure") && head.contains("ball/plate_contact_radius"),
        "{head}"
    );
    let row: Vec<f64> =
        course.lines().nth(frame + 1).unwrap().split(',').map(|cell| cell.parse().unwrap()).collect();
    assert!(
        (row[2] / grid.peak() - 1.0).abs() < 1e-12 && (row[3] / grid.contact_radius() - 1.0).abs() < 1e-12
    );
}

/// The quadrilaterals lie on the plate, which moves against the ball here, and carry the force.
#[test]
fn paraview_files_have_the_cells_of_a_grid() {
    let folder = tempfile::tempdir().unwrap();
    let keys = [
        "simulation.end_time=1.0e-4",
        "body.0.fixed=true",
        "body.0.velocity=[0.0, 0.0, 0.0]",
        "body.1.fixed=false",
        "body.1.velocity=[0.0, 0.0, 0.25]",
    ];
    let run = solved(folder.path(), &keys);
    let (frame, force, grid) = strongest(&run);
    let out = folder.path().join("out");
    let summary = export(&run, &out, &plain(), &Silent).unwrap();
    let name = format!("result/contact_1_{frame:04}.vtu");
    assert!(summary.paths.contains(&name) && summary.paths.contains(&"result/contact_1_open.vtu".to_owned()));
    let pvd = std::fs::read_to_string(&summary.series).unwrap();
    assert!(pvd.contains("name=\"contact ball/plate\""), "{pvd}");
    assert_eq!(pvd.matches("contact_1_").count(), run.times().len(), "one in each frame");
    let piece = read(&out.join(&name));
    assert_eq!(piece.cells.types.len(), grid.cells.len());
    let pressures = array(&piece.data.cell, "contact_pressure");
    let sum: f64 = pressures.iter().map(|p| p * grid.area()).sum();
    assert!((sum / force - 1.0).abs() < 1e-3);
    let points = piece.points.clone().cast_into::<f64>().unwrap();
    let displacement = array(&piece.data.point, "displacement");
    // The flatter body has the plane of the grid.
    assert_eq!(grid.body, 1);
    let height = |frame: usize| run.reader().frame(frame).unwrap().bodies[1].position[2];
    let moved = height(frame) - height(0);
    assert!(moved > 5e-6, "{moved}");
    for (x, u) in points.as_chunks::<3>().0.iter().zip(displacement.as_chunks::<3>().0) {
        assert!(x[2].abs() < 1e-12 && x[0].hypot(x[1]) < 2.0 * grid.contact_radius(), "{x:?}");
        assert!((u[2] - moved).abs() < 1e-9, "{u:?}");
    }
    let empty = read(&out.join("result/contact_1_open.vtu"));
    assert_eq!(empty.cells.types.len(), 0);
    let hdf = ExportOptions { format: Format::Vtkhdf, ..plain() };
    let notes = export(&run, &folder.path().join("hdf"), &hdf, &Silent).unwrap().notes;
    assert!(notes.iter().any(|note| note.contains("--format vtu")), "{notes:?}");
}

/// A ball that slides keeps its tractions: their sum is Coulomb's force, against the motion of the ball.
#[test]
fn tractions_of_a_sliding_ball_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let keys = ["contact.0.friction=0.05", "body.0.velocity=[0.5, 0.0, -0.25]", "simulation.end_time=1.0e-4"];
    let run = solved(folder.path(), &keys);
    let (frame, force, grid) = strongest(&run);
    let sign = if grid.body == 0 { 1.0 } else { -1.0 };
    let along: f64 = grid
        .cells
        .iter()
        .map(|cell| {
            let [t, s] = cell.traction;
            sign * grid.area() * (t * grid.axes[0][0] + s * grid.axes[1][0])
        })
        .sum();
    assert!((along / (-0.05 * force) - 1.0).abs() < 1e-2, "{along} of {force}");
    let out = folder.path().join("out");
    export(&run, &out, &plain(), &Silent).unwrap();
    let piece = read(&out.join(format!("result/contact_1_{frame:04}.vtu")));
    let tractions = array(&piece.data.cell, "contact_traction");
    let sum: f64 = tractions.iter().step_by(3).sum::<f64>() * grid.area();
    assert!((sum * sign / along - 1.0).abs() < 1e-3, "{sum}");
}

/// On the axis below Hertz' pressure p₀ the von Mises stress is twice the largest shear stress, which is
/// 0.31 p₀ for ν = 0.3: Johnson, Contact Mechanics, 1985, eq. (4.31b). Bodies that do not touch have no such
/// figure.
#[test]
fn figures_of_a_run_have_hertz_stress_where_bodies_touch() {
    let folder = tempfile::tempdir().unwrap();
    let figures = |run: &Run| table::build(run, table::What::Summary).unwrap().to_csv();
    let run = solved(folder.path(), &[]);
    let text = figures(&run);
    let value = |name: &str| -> f64 {
        let row = text.lines().find_map(|line| line.strip_prefix(&format!("{name},")));
        row.unwrap_or_else(|| panic!("no {name}: {text}")).split(',').next().unwrap().parse().unwrap()
    };
    let force = value("peak_force.ball/plate");
    let hertz = HertzPair::new([RADIUS, f64::INFINITY], [210e9; 2], [0.3; 2]).at_force(force);
    for body in ["ball", "plate"] {
        let ratio = value(&format!("contact_von_mises.ball/plate.{body}")) / (0.62 * hertz.peak_pressure);
        // Cells of an eighth of the contact radius, and a frame near the peak.
        assert!((ratio - 1.0).abs() < 0.01, "{ratio} in the {body}");
    }
    assert_eq!((value("impacts.ball/plate"), value("complete")), (1.0, 1.0));

    let folder = tempfile::tempdir().unwrap();
    let apart = solved(folder.path(), &["simulation.end_time=2.0e-6", "simulation.output_every=1.0e-6"]);
    assert!(!figures(&apart).contains(".ball/plate"), "{}", figures(&apart));
    let refused = stress_over_run::write(&apart, &folder.path().join("stress"), &[], &[], &Silent);
    assert!(matches!(refused, Err(RunError::Empty { .. })), "{refused:?}");
}
