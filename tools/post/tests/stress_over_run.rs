//! Stress over a run: the wave that a ball sends through a rod.

use std::f64::consts::PI;
use std::path::PathBuf;

use assert_cmd::Command;
use carom_fem::stress::von_mises;
use carom_format::Scenario;
use carom_format::result::ProbeCourse;
use carom_post::report::{Extras, html};
use carom_post::{Run, stress_over_run, table};
use carom_progress::Silent;
use carom_simulate::{RunOptions, Users, Workshop, prepare, run};
use carom_testing::program::{failure, json};
use carom_testing::scenarios::PLATE_ON_BLOCK;

/// Numbers of a column of a CSV with a header whose names may have units, of the rows of a point.
fn column(text: &str, name: &str, point: &str) -> Vec<f64> {
    let mut lines = text.lines();
    let header = lines.next().unwrap();
    let place = header.split(',').position(|own| own.split(' ').next() == Some(name)).unwrap();
    let own = lines.filter(|line| line.starts_with(point));
    own.map(|line| line.split(',').nth(place).unwrap().parse().unwrap()).collect()
}

fn extremes(values: &[f64]) -> [f64; 2] {
    values.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], &x| [low.min(x), high.max(x)])
}

/// The middle of the rod at the times of frames; the place is that of `--at`.
const MIDDLE: &str = "[[probe]]\nname = \"middle\"\non = \"rod\"\nat = [0.5, 0.01, 0.0]\naxes = \"body\"\n\
                      what = [\"stress\", \"velocity\"]\nevery = 2.0e-6\n";

/// Six components of the stress in rows of a history.
fn tensors(history: &str, point: &str) -> Vec<[f64; 6]> {
    let columns = ["xx", "yy", "zz", "xy", "yz", "xz"].map(|name| column(history, name, point));
    (0..columns[0].len()).map(|row| columns.each_ref().map(|column| column[row])).collect()
}

/// Compares samples of a probe with the history of its place from the frames, at the times of both.
fn is_history(course: &ProbeCourse, history: &str, point: &str) {
    let times = column(history, "time", point);
    let tensors = tensors(history, point);
    let largest = tensors.as_flattened().iter().fold(0.0, |most: f64, s| most.max(s.abs()));
    let mut compared = 0;
    for (time, tensor) in times.iter().zip(&tensors) {
        // A sample may lie before the frame by a rounding of its interval, and the force of an impact begins.
        // While bodies touch there are frames between the multiples of their interval.
        let same = course.times.iter().position(|own| (own - time).abs() < 1e-12);
        let Some(sample) = same else { continue };
        compared += usize::from(tensor.iter().any(|s| s.abs() > 0.1 * largest));
        let [normal, shear, [of_mises, ..], ..] = course.values[sample][..] else { panic!() };
        let own = [normal, shear];
        for (own, of_frame) in own.as_flattened().iter().zip(tensor) {
            assert!((own - of_frame).abs() < 1e-9 * largest, "{time}: {own} {of_frame}");
        }
        assert!((of_mises - von_mises(tensor)).abs() < 1e-9 * largest, "{time}");
    }
    assert!(compared > 1, "{compared} of {}", times.len());
}

#[test]
fn the_stress_of_a_wave_in_a_rod_is_the_force_over_the_area() {
    let folder = tempfile::tempdir().unwrap();
    let gallery = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../meshes/sphere-on-rod"));
    let path = gallery.join("scenario.toml");
    let text = std::fs::read_to_string(&path).unwrap() + MIDDLE;
    let keys = ["body.rod.make.elements=[30, 2, 2]", "body.ball.make.elements=[4, 2]"].map(Into::into);
    let scenario = Scenario::parse(&path, &text, &keys, &["steel", "aluminium"]).unwrap();
    let workshop =
        Workshop { scenario_folder: &gallery, bodies: &folder.path().join("bodies"), users: Users::One };
    let prepared = prepare(&scenario, workshop, &Silent).unwrap();
    let result = folder.path().join("result.carom");
    run(&scenario, &gallery, &prepared, &result, RunOptions::default(), &Silent).unwrap();

    let out = folder.path().join("stress");
    let words = ["stress", result.to_str().unwrap(), "-o", out.to_str().unwrap()];
    let command =
        |more: &[&str]| Command::cargo_bin("carom-post").unwrap().args(words).args(more).output().unwrap();
    let found = command(&["--at", "rod:0.5,0.01,0", "--json"]);
    assert!(found.status.success(), "{}", String::from_utf8_lossy(&found.stderr));
    let summary = json(&found);
    // The ball has no dynamic modes: its stress is that below the contact.
    assert_eq!(summary["rows"].as_array().unwrap().len(), 1);
    assert!(summary["notes"].to_string().contains("body `ball`: its model has no dynamic modes"));
    let contacts = summary["contacts"].to_string();
    assert!(
        contacts.contains("`ball`: largest von Mises stress") && contacts.contains("`rod`"),
        "{contacts}"
    );

    // The pulse passes the middle of the rod before the end sends it back.
    let event = Run::open(&result).unwrap().reader().contact_events().unwrap()[0];
    let pressure = event.peak_force / (PI * 0.01_f64.powi(2));
    let arrival = event.peak_time + 0.5 / (72e9_f64 / 2710.0).sqrt();
    let history = std::fs::read_to_string(out.join("rod-history.csv")).unwrap();
    let (times, stress) = (column(&history, "time", "place 1"), column(&history, "xx", "place 1"));
    let at = (0..stress.len()).min_by(|&a, &b| stress[a].total_cmp(&stress[b])).unwrap();
    assert!((stress[at] / -pressure - 1.0).abs() < 0.03, "{} Pa, expected {pressure}", stress[at]);
    assert!((times[at] - arrival).abs() < 6e-6, "{} s, expected {arrival}", times[at]);

    // The probe at the same place has the same stress, and a wave that runs towards −x has σ = ρ c v.
    let courses = Run::open(&result).unwrap().reader().probe_courses().unwrap();
    is_history(&courses[0], &history, "place 1");
    let slowest = courses[0].values.iter().map(|values| values[3][0]).fold(0.0, f64::min);
    let of_wave = (2710.0 * 72e9_f64).sqrt() * slowest;
    assert!((stress[at] / of_wave - 1.0).abs() < 0.03, "{} Pa, expected {of_wave}", stress[at]);

    // The largest cycle reaches from the least to the largest stress.
    let rainflow = std::fs::read_to_string(out.join("rod-rainflow.csv")).unwrap();
    for point in ["largest stress", "largest range", "place 1"] {
        let [low, high] = extremes(&column(&history, "signed_von_mises", point));
        let [_, range] = extremes(&column(&rainflow, "range", point));
        assert!((range / (high - low) - 1.0).abs() < 1e-12, "{point}: {range}");
    }

    let of_table = summary["rows"].as_array().unwrap().iter().find(|row| row["body"] == "rod").unwrap();
    let at_largest = column(&history, "signed_von_mises", "largest stress");
    let largest = at_largest.iter().map(|s| s.abs()).fold(0.0, f64::max);
    assert!((largest / of_table["von_mises"].as_f64().unwrap() - 1.0).abs() < 1e-12, "{largest}");
    // The report and `carom run` have the same figures without files.
    let run = Run::open(&result).unwrap();
    let found = stress_over_run::largest(&run, &Silent).unwrap();
    assert!(found.files.is_empty() && found.bodies.len() == 1, "{found:?}");
    assert_eq!(found.bodies[0].von_mises, of_table["von_mises"].as_f64().unwrap());
    // And the summary.
    let figures = table::build(&run, table::What::Summary).unwrap().to_csv();
    let figure = |name: &str| -> f64 {
        let line = figures.lines().find_map(|line| line.strip_prefix(&format!("{name}.rod,"))).unwrap();
        line.split(',').next().unwrap().parse().unwrap()
    };
    for (name, key) in
        [("", "von_mises"), ("_error", "error"), ("_time", "time"), ("_x", "x"), ("_y", "y"), ("_z", "z")]
    {
        assert_eq!(figure(&format!("von_mises{name}")), of_table[key].as_f64().unwrap(), "{key}: {figures}");
    }
    assert!(!figures.contains("von_mises.ball,"), "{figures}");
    assert!(found.sentences()[0].starts_with("body `rod`: largest von Mises stress of its modes "));
    let report = html(&run, &Extras { stress: Some(found), ..Extras::default() }).unwrap();
    assert!(report.contains("Largest von Mises stress at the surface of each body"));
    let picture = std::fs::read(out.join("rod-stress.vtu")).unwrap();
    let picture = String::from_utf8_lossy(&picture);
    for name in ["von_mises_max", "error", "time_of_max", "range"] {
        assert!(picture.contains(&format!("\"{name}\"")), "{name}");
    }
    // The summary does without the files of the bodies.
    std::fs::rename(folder.path().join("bodies"), folder.path().join("elsewhere")).unwrap();
    let alone = table::build(&Run::open(&result).unwrap(), table::What::Summary).unwrap().to_csv();
    assert!(!alone.contains("von_mises.rod,") && alone.contains("peak_force.ball/rod,"), "{alone}");
    std::fs::rename(folder.path().join("elsewhere"), folder.path().join("bodies")).unwrap();
    let unknown = command(&["--body", "nobody"]);
    assert!(failure(&unknown, 2).contains("no body `nobody`"));
    assert!(failure(&command(&["--at", "rod:1,2"]), 2).contains("BODY:X,Y,Z"));
}

/// A block that is struck by a plate, with contact pressures on its own cells, at places with and without
/// pressure.
#[test]
fn a_stress_probe_has_the_stress_of_the_frames_below_contact_pressure() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scenario.toml");
    let places = [[0.01, 0.01, 0.01], [0.02, 0.0, 0.01], [0.01, 0.02, 0.005], [0.01, 0.01, 0.0]];
    let probes = places.map(|at| {
        format!(
            "[[probe]]\non = \"block\"\nat = {at:?}\naxes = \"body\"\nwhat = [\"stress\"]\nevery = 1.0e-6\n"
        )
    });
    let wanted = places.map(|[x, y, z]| format!("block:{x},{y},{z}").parse().unwrap());
    for make in ["", ", hex = true, order = 2"] {
        let made = format!("elements = [2, 2, 1]{make} }}");
        let text = PLATE_ON_BLOCK.replace("elements = [2, 2, 1] }", &made) + &probes.concat();
        let scenario = Scenario::parse(&path, &text, &[], &["steel"]).unwrap();
        let bodies = folder.path().join("bodies");
        let workshop = Workshop { scenario_folder: folder.path(), bodies: &bodies, users: Users::One };
        let prepared = prepare(&scenario, workshop, &Silent).unwrap();
        let result = folder.path().join(format!("result{}.carom", make.len()));
        run(&scenario, folder.path(), &prepared, &result, RunOptions::default(), &Silent).unwrap();
        let out = folder.path().join("stress");
        let opened = Run::open(&result).unwrap();
        stress_over_run::write(&opened, &out, &[], &wanted, &Silent).unwrap();
        let history = std::fs::read_to_string(out.join("block-history.csv")).unwrap();
        for (n, course) in opened.reader().probe_courses().unwrap().iter().enumerate() {
            is_history(course, &history, &format!("place {}", n + 1));
        }
    }
}
