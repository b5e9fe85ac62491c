//! Pictures of shells and beams in contact, from runs of the scheme `explicit`.

use std::path::{Path, PathBuf};

use carom_format::Scenario;
use carom_post::export::{ExportOptions, export};
use carom_post::report::{Extras, html};
use carom_post::{Run, patch, scene};
use carom_progress::Silent;
use carom_simulate::{RunOptions, Users, Workshop, prepare, run};
use carom_testing::vtu::{UnstructuredGridPiece, array, read};
use carom_vtk::{Compression, Encoding, WriteOptions};

/// Where the ball of meshes/plate-hit hits the plate, and the edge of the shells \[m\].
const IMPACT: [f64; 2] = [0.010, 0.005];
const CELL: f64 = 0.0125;

/// Runs a scenario of the gallery with other words in its text and other keys, and opens the result.
fn solved(folder: &Path, name: &str, words: [&str; 2], keys: &[&str]) -> Run {
    let gallery = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../meshes")).join(name);
    let path = gallery.join("scenario.toml");
    let text = std::fs::read_to_string(&path).unwrap().replace(words[0], words[1]);
    let keys: Vec<_> = keys.iter().map(|key| (*key).into()).collect();
    let scenario = Scenario::parse(&path, &text, &keys, &["steel"]).unwrap();
    let workshop = Workshop { scenario_folder: &gallery, bodies: &folder.join("bodies"), users: Users::One };
    let prepared = prepare(&scenario, workshop, &Silent).unwrap();
    let result = folder.join("result.carom");
    run(&scenario, &gallery, &prepared, &result, RunOptions::default(), &Silent).unwrap();
    Run::open(&result).unwrap()
}

/// The plate under the ball at the end of the first contact, a multiple of the time between frames.
fn plate_hit(folder: &Path, contact: &str) -> Run {
    let words = ["[\"ball:surface\", \"plate:sheet\"]", contact];
    solved(folder, "plate-hit", words, &["simulation.end_time=1.4e-4"])
}

fn plain() -> ExportOptions {
    let write = WriteOptions { encoding: Encoding::InlineBase64, compression: Compression::None };
    ExportOptions { write, ..ExportOptions::default() }
}

/// Middle of the pressures on the cells of a sheet, each with the same area, and the number of those cells.
fn middle_of_pressure(piece: &UnstructuredGridPiece) -> ([f64; 2], usize) {
    let points = piece.points.clone().cast_into::<f64>().unwrap();
    let (_, corners) = piece.cells.cell_verts.clone().into_legacy();
    let (mut sum, mut moment, mut n) = (0.0, [0.0; 2], 0);
    for (cell, pressure) in corners.chunks_exact(5).zip(array(&piece.data.cell, "contact_pressure")) {
        assert_eq!(cell[0], 4, "the cells are quadrilaterals");
        n += usize::from(pressure > 0.0);
        for &point in &cell[1..] {
            sum += 0.25 * pressure;
            (0..2).for_each(|d| moment[d] += 0.25 * pressure * points[3 * point as usize + d]);
        }
    }
    (moment.map(|m| m / sum), n)
}

/// The forces of the ball go through its middle: the pressures that they give have their middle below it, up
/// to the tilt of the forces, under a twentieth, at the distance of the radius of 20 mm.
#[test]
fn the_pressure_on_shells_is_shown_where_the_ball_hits() {
    for contact in ["[\"ball:surface\", \"plate:sheet\"]", "[\"plate:sheet\", \"ball:surface\"]", "[\"*\"]"] {
        let folder = tempfile::tempdir().unwrap();
        let run = plate_hit(folder.path(), contact);
        let forces = run.reader().normal_forces(0).unwrap();
        let frame = (0..forces.len()).max_by(|&a, &b| forces[a].total_cmp(&forces[b])).unwrap();
        assert!(forces[frame] > 0.0, "{contact}");
        export(&run, &folder.path().join("out"), &plain(), &Silent).unwrap();
        let piece = read(&folder.path().join(format!("out/result/plate_{frame:04}.vtu")));
        // One quadrilateral for each of 24 × 24 shells: those of both sides would hide each other.
        assert_eq!(piece.cells.types.len(), 24 * 24, "{contact}");
        let (middle, n) = middle_of_pressure(&piece);
        let distance = (middle[0] - IMPACT[0]).hypot(middle[1] - IMPACT[1]);
        assert!(n > 0 && distance < 1e-3, "{contact}: {n} shells with their middle at {middle:?}");
    }
}

/// The plot of the pressure is centred at the loaded shells: all of them are within a few shells from the
/// place of the impact. The report does not name Hertz' theory, which is not that of a plate that bends.
#[test]
fn the_plot_of_the_pressure_on_shells_is_that_of_one_patch() {
    let folder = tempfile::tempdir().unwrap();
    let run = plate_hit(folder.path(), "[\"ball:surface\", \"plate:sheet\"]");
    let picture = patch::picture(&run, 0).unwrap();
    assert!(!picture.has_hertz);
    let fit = patch::fit(&run, 0).unwrap();
    assert!(fit.n_faces > 0 && fit.radius < 3.0 * CELL, "{fit:?}");
    let report = html(&run, &Extras::default()).unwrap();
    assert!(report.contains("pressure on the faces at the largest force.") && !report.contains("Hertz"));
    let drawing = carom_post::plot::draw(&run, &"gap".parse().unwrap()).unwrap();
    assert!(drawing.to_svg().contains("Smallest gap"), "the scheme has no quasistatic response");
}

/// A link of the chain of the gallery is a ring of 16 beams: 16 lines over 16 points, and a tube in pictures,
/// with its name.
#[test]
fn beams_are_lines_in_files_and_tubes_in_pictures() {
    let folder = tempfile::tempdir().unwrap();
    let run = solved(folder.path(), "chain", ["", ""], &["simulation.end_time=1.0e-4"]);
    export(&run, &folder.path().join("out"), &plain(), &Silent).unwrap();
    let piece = read(&folder.path().join("out/result/link_3_0001.vtu"));
    assert_eq!((piece.cells.types.len(), piece.points.len()), (16, 3 * 16));
    let moved = array(&piece.data.point, "displacement");
    assert!(moved.chunks_exact(3).all(|u| u[2] < -2.5e-4), "3 m/s for 0.1 ms: {moved:?}");
    let (drawing, notes) = scene::picture(&run, &[0.0], Some([0.0, -1.0, 2.0])).unwrap();
    let svg = drawing.to_svg();
    assert!(notes.is_empty() && ["link 1", "link 5", "plate"].iter().all(|name| svg.contains(name)));
}

/// A link lands on the plate after 1.5 ms. Of the two the plate has faces, and pressure if it is named first.
#[test]
fn the_pressure_of_beams_on_shells_is_that_on_the_shells() {
    let contacts = [["link 2:ring", "plate:sheet"], ["plate:sheet", "link 2:ring"]];
    let drawn = contacts.map(|[first, second]| {
        let folder = tempfile::tempdir().unwrap();
        let pair = format!("[\"{first}\", \"{second}\"]");
        let run = solved(folder.path(), "chain", ["[\"*\"]", &pair], &["simulation.end_time=2.0e-3"]);
        patch::picture(&run, 0).map(|picture| picture.has_hertz).map_err(|error| error.to_string())
    });
    let [Err(message), Ok(false)] = drawn else { panic!("{drawn:?}") };
    assert!(message.contains("no pressure on beams") && message.contains("first in `between`"), "{message}");
}
