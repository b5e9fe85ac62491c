//! Compliance of contact regions: closed forms, exactness, convergence, and the command that reports it.

use std::path::Path;

use crate::program::{failure, json, run};
use carom_contact::region::{ModalCompliance, Region};
use carom_fem::{Body, Discretisation, Geometry, Material, QuadratureRule};
use carom_format::write_body;
use carom_mesh::CellShape;
use carom_mesh::make::{HexOptions, Solid, hexahedra};
use carom_progress::Silent;
use carom_reduce::comparison::whole_body;
use carom_reduce::{CraigBamptonOptions, FixedModes, Flexibility, ReducedBody, SolverChoice, craig_bampton};
use carom_testing::numbers;
use carom_testing::program::printed;
use faer::Mat;

const SIZE: [f64; 3] = [0.12, 0.02, 0.03];
const YOUNG: f64 = 210e9;

/// A bar without lateral contraction: along its axis it is a rod, for any section.
fn bar(poisson: f64) -> Body {
    let options = HexOptions { shape: CellShape::Hex20, elements: vec![6, 2, 2], ..HexOptions::default() };
    let mesh = hexahedra(Solid::Box { size: SIZE }, &options).unwrap();
    let n_blocks = mesh.blocks.len();
    Body {
        name: "bar".to_owned(),
        geometry: Geometry::Mesh(mesh),
        materials: vec![Material::new("steel", 7800.0, YOUNG, poisson).unwrap()],
        material_of_block: vec![0; n_blocks],
        sections: Vec::new(),
    }
}

fn model(body: &Body, n: usize) -> ReducedBody {
    let options = CraigBamptonOptions {
        interface_sets: vec!["west".to_owned(), "east".to_owned()],
        modes: FixedModes::Count(n),
        ..Default::default()
    };
    craig_bampton(body, &options, &Silent).unwrap().reduced
}

/// A region of a model with its modes, and the numbers of its points.
fn region_of(model: &ReducedBody, name: &str) -> (Region, ModalCompliance, Vec<u32>) {
    let surface = &model.surfaces.iter().find(|s| s.name == name).unwrap().surface;
    let rows: Vec<usize> =
        surface.points.iter().map(|p| model.boundary.points.binary_search(p).unwrap()).collect();
    let positions: Vec<[f64; 3]> = rows.iter().map(|&row| model.boundary.positions_b[row]).collect();
    let region = Region::new(surface.clone(), &positions).unwrap();
    let modes = Mat::from_fn(3 * rows.len(), model.omega.len(), |i, k| {
        model.boundary.values[(3 * rows[i / 3] + i % 3, k)]
    });
    let modal = ModalCompliance::new(&region, modes.as_ref(), &model.omega);
    (region, modal, surface.points.clone())
}

fn uniform(region: &Region) -> Vec<f64> {
    let total: f64 = region.cells.area.iter().sum();
    region.cells.area.iter().map(|area| area / total).collect()
}

/// Work of forces on the pressure cells of several regions of the whole body.
fn body_compliance(whole: &Flexibility, loads: &[(&Region, &[u32], &[f64])]) -> f64 {
    let mut x = Mat::zeros(whole.system.stiffness.n_dofs(), 1);
    for (region, points, load) in loads {
        for (&point, f) in points.iter().zip(region.point_forces(load)) {
            (0..3).for_each(|a| x[(3 * point as usize + a, 0)] += f[a]);
        }
    }
    let force = x.clone();
    whole.respond(x.as_mut(), &Silent).unwrap();
    force.col(0).transpose() * x.col(0)
}

fn whole(body: &Body) -> Flexibility {
    let discretisation = Discretisation::new(body).unwrap();
    whole_body(body, &discretisation, &[], &[], QuadratureRule::Default, &SolverChoice::default(), &Silent)
        .unwrap()
        .0
}

#[test]
fn a_free_bar_under_uniform_pressure_has_the_compliance_of_a_rod() {
    let body = bar(0.0);
    let area = SIZE[1] * SIZE[2];
    // N = −F (1 − x/L) by inertia relief: u(0) less the mean of u is F L/(3 E A).
    let exact = SIZE[0] / (3.0 * YOUNG * area);
    let whole = whole(&body);
    let mut last = f64::INFINITY;
    for n in [6, 20, 60] {
        let (region, modal, points) = region_of(&model(&body, n), "west");
        let load = uniform(&region);
        let of_body = body_compliance(&whole, &[(&region, &points, &load)]);
        assert!((of_body / exact - 1.0).abs() < 1e-9, "{}", of_body / exact - 1.0);
        let of_model: f64 = modal.parts(&load).iter().sum();
        let error = 1.0 - of_model / of_body;
        println!("{n} modes: {error:.2e}");
        // Ritz: the model is never softer, and more modes never make it stiffer.
        assert!(error > -1e-9 && error < last, "{n}: {error:e} after {last:e}");
        last = error;
    }
    assert!(last < 1e-3, "{last:e}");
}

#[test]
fn the_response_to_balanced_pressures_is_exact() {
    let area = SIZE[1] * SIZE[2];
    for (poisson, tolerance) in [(0.0, Some(1e-9)), (0.3, None)] {
        let body = bar(poisson);
        let model = model(&body, 6);
        let (west, modal_west, points_west) = region_of(&model, "west");
        let (east, modal_east, points_east) = region_of(&model, "east");
        let (load_west, load_east) = (uniform(&west), uniform(&east));
        let of_body = body_compliance(
            &whole(&body),
            &[(&west, &points_west, &load_west), (&east, &points_east, &load_east)],
        );
        let squeezed = |k: usize| -> f64 {
            let along = |modal: &ModalCompliance, load: &[f64]| -> f64 {
                modal.modal.col(k).iter().zip(load).map(|(b, l)| b * l).sum()
            };
            along(&modal_west, &load_west) + along(&modal_east, &load_east)
        };
        let of_model: f64 = (0..model.omega.len()).map(|k| (squeezed(k) / model.omega[k]).powi(2)).sum();
        assert!((of_model / of_body - 1.0).abs() < 1e-9, "{}", of_model / of_body - 1.0);
        if let Some(tolerance) = tolerance {
            let exact = SIZE[0] / (YOUNG * area);
            assert!((of_body / exact - 1.0).abs() < tolerance, "{}", of_body / exact - 1.0);
        }
    }
}

#[test]
fn the_compliance_is_symmetric_positive_definite_and_splits_into_low_and_high() {
    let (region, modal, _) = region_of(&model(&bar(0.3), 12), "west");
    let n = modal.omega.len();
    let (all, low, high) = (modal.matrix(0..n), modal.matrix(0..10), modal.matrix(10..n));
    let w = |i: usize, j: usize| all[(i, j)];
    for (i, j) in (0..region.n_cells()).flat_map(|i| (0..i).map(move |j| (i, j))) {
        assert_eq!(w(i, j), w(j, i));
        assert!((low[(i, j)] + high[(i, j)] - w(i, j)).abs() < 1e-12 * w(i, i));
    }
    let pairs = carom_linalg::dense::symmetric_pairs(all.as_ref()).unwrap();
    assert!(pairs.lambda[0] > 1e-3 * pairs.lambda[region.n_cells() - 1], "{:?}", pairs.lambda);
    let load = region.point_load(1);
    assert!((modal.parts(&load).iter().sum::<f64>() / w(1, 1) - 1.0).abs() < 1e-12);
}

fn folder_with_bar() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    write_body(&folder.path().join("bar.npz"), &bar(0.3)).unwrap();
    let line =
        "craig-bampton bar.npz -o bar.rom --interface west --interface east --modes 24 --split 30000 -q";
    let made = run(folder.path(), line);
    assert!(made.status.success(), "{}", printed(&made));
    folder
}

#[test]
fn the_command_reports_shares_errors_and_a_split() {
    let folder = folder_with_bar();
    let folder = folder.path();
    let line = "compliance bar.rom bar.npz --surface west --velocity 0.5 --against steel --against-radius \
        0.01 --mass 0.03 \
                -o bar.svg --json";
    let found = json(folder, line);
    let region = &found["regions"][0];
    assert_eq!((found["regions"].as_array().unwrap().len(), &region["name"]), (1, &"west".into()));
    for load in region["loads"].as_array().unwrap() {
        let value = |key: &str| load[key].as_f64().unwrap();
        assert!((value("low") + value("high")) / value("compliance") - 1.0 < 1e-12);
        assert!(value("cut_error") > -1e-9 && value("cut_error") < 0.02, "{load}");
    }
    assert!(region["worst_place"]["cut_error"].as_f64().unwrap() < 0.02);
    // Hertz for a flat end and a ball that hits the bar on its axis, except for half a pressure
    // cell.
    let impact = &region["impact"];
    let modulus = YOUNG / (1.0 - 0.09) / 2.0;
    assert!((impact["modulus"].as_f64().unwrap() / modulus - 1.0).abs() < 1e-12);
    assert!((impact["radius"].as_f64().unwrap() / 0.01 - 1.0).abs() < 1e-6);
    let mass = 7800.0 * 0.12 * 0.02 * 0.03;
    let reduced = impact["mass"].as_f64().unwrap();
    assert!(reduced < mass * 0.03 / (mass + 0.03) && reduced > 0.8 * mass * 0.03 / (mass + 0.03));
    let approach = (15.0 * reduced * 0.25 / (16.0 * modulus * 0.01_f64.sqrt())).powf(0.4);
    let duration = impact["duration"].as_f64().unwrap();
    assert!((duration / (2.943_275_177_715_55 * approach / 0.5) - 1.0).abs() < 1e-9);
    let splits = region["splits"].as_array().unwrap();
    let five = splits.iter().find(|s| (s["periods"].as_f64().unwrap() - 5.0).abs() < 1e-9).unwrap();
    assert!((five["mode_error"].as_f64().unwrap() - 0.01).abs() < 1e-12);
    assert!((five["split_hz"].as_f64().unwrap() * duration - 5.0).abs() < 1e-9);
    let errors: Vec<f64> = splits.iter().map(|s| s["expected_error"].as_f64().unwrap()).collect();
    assert!(errors.is_sorted_by(|a, b| a >= b), "{errors:?}");
    let shares = numbers(&region["spectrum"]["point_share"]);
    assert!(shares.is_sorted() && (shares.last().unwrap() - 1.0).abs() < 1e-12);
    let picture = std::fs::read_to_string(folder.join("bar.svg")).unwrap();
    assert!(picture.starts_with("<svg") || picture.starts_with("<?xml"), "{}", &picture[..40]);
    // Pressure cells of some millimetres do not resolve this contact; the contact of a fast and heavy ball
    // exceeds the zone.
    let notes = |found: &serde_json::Value| found["notes"].to_string();
    assert!(notes(&found).contains("is not resolved"), "{}", notes(&found));
    let heavy = "compliance bar.rom --surface west --velocity 60 --against steel --against-radius 0.2 --mass \
        30 --json";
    let found = json(folder, heavy);
    assert!(notes(&found).contains("too small for this impact"), "{}", notes(&found));
    // Without the body there is no check, without a speed no split.
    let alone = json(folder, "compliance bar.rom --json");
    assert_eq!(alone["regions"].as_array().unwrap().len(), 2);
    assert!(alone["regions"][0]["loads"][0]["body"].is_null() && alone["regions"][0]["impact"].is_null());
    let text = String::from_utf8(run(folder, "compliance bar.rom").stdout).unwrap();
    assert!(text.contains("half-space") && text.contains("--velocity"), "{text}");
    assert!(text.contains(" pressure cells, one "), "{text}");
    assert!(alone["regions"][0]["faces"].as_u64().unwrap() > 0);
}

#[test]
fn the_compliance_of_the_whole_body_is_computed_without_a_factor() {
    let folder = folder_with_bar();
    let folder = folder.path();
    let both = |line: &str| {
        ["direct", "iterative"].map(|way| {
            let answer = json(folder, &format!("{line} --solver {way} --json"));
            assert_eq!(answer["solver"], way, "{line}");
            let notes = answer["notes"].to_string();
            assert_eq!(notes.contains("without a factor (as chosen)"), way == "iterative", "{line}: {notes}");
            answer
        })
    };
    let [direct, iterative] = both("compliance bar.rom bar.npz --surface west");
    let regions = [&direct, &iterative].map(|answer| &answer["regions"][0]);
    let [a, b] = regions.map(|region| region["worst_place"]["cut_error"].as_f64().unwrap());
    assert!((a - b).abs() < 1e-8, "{a} {b}");
    let loads = regions.map(|region| region["loads"].as_array().unwrap());
    assert!(loads[0].len() > 1 && loads[0].len() == loads[1].len());
    for (a, b) in loads[0].iter().zip(loads[1]) {
        let [a, b] = [a, b].map(|load| load["body"].as_f64().unwrap());
        assert!((a / b - 1.0).abs() < 1e-8, "{a} {b}");
    }
    for line in ["compare bar.rom bar.npz --count 8", "modes bar.npz --count 14"] {
        let key = if line.starts_with("modes") { "frequencies_hz" } else { "body_hz" };
        let [direct, iterative] = both(line).map(|answer| numbers(&answer[key]));
        assert_eq!(direct.len(), iterative.len());
        for (a, b) in direct.iter().zip(&iterative).filter(|(hz, _)| **hz > 1.0) {
            assert!((a / b - 1.0).abs() < 1e-8, "{line}: {a} {b}");
        }
    }
    // Without the body there is no system to solve.
    assert!(json(folder, "compliance bar.rom --json")["solver"].is_null());
}

#[test]
fn impossible_requests_are_reported() {
    let folder = folder_with_bar();
    let folder = folder.path();
    let text = failure(folder, 3, "compliance bar.rom --surface top");
    assert!(text.contains("no surface `top`") && text.contains("`west`"), "{text}");
    let text = failure(folder, 2, "compliance bar.rom --velocity 1");
    assert!(text.contains("flat together") && text.contains("--radius"), "{text}");
    failure(folder, 2, "compliance bar.rom --velocity -1");
    failure(folder, 2, "compliance bar.rom --radius 0.1");
    let text = failure(folder, 2, "compliance bar.rom --velocity 1 --against-radius 1 --against butter");
    assert!(text.contains("butter"), "{text}");
    failure(folder, 2, "compliance bar.rom --velocity 1 --against 210e9,0.7");
    assert!(failure(folder, 2, "compliance bar.rom --solver direct").contains("needs a body"));
    assert!(failure(folder, 2, "compliance bar.rom -o bar.pdf").contains(".svg"));
    assert!(!Path::new(&folder.join("bar.pdf")).exists());
}
