//! What is taken by default, units, quantities with units, pipes.

use crate::program::{fails, json, path};
use tempfile::TempDir;

/// A cube of one hexahedron of steel, in mm, t and s.
const DECK: &str = "*NODE\n1, 0., 0., 0.\n2, 10., 0., 0.\n3, 10., 10., 0.\n4, 0., 10., 0.\n5, 0., 0., 10.\n6, 10., 0., 10.\n7, 10., 10., 10.\n\
8, 0., 10., 10.\n*ELEMENT, TYPE=C3D8, ELSET=E\n1, 1, 2, 3, 4, 5, 6, 7, 8\n*SOLID SECTION, ELSET=E, MATERIAL=M\n*MATERIAL, NAME=M\n\
*DENSITY\n7.8e-9\n*ELASTIC\n210000., 0.3\n";

fn notes(object: &serde_json::Value, key: &str) -> Vec<String> {
    object[key].as_array().unwrap().iter().map(|note| note.as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_material_that_is_taken_is_said() {
    let dir = TempDir::new().unwrap();
    let ball = path(&dir, "ball.npz");
    let made = json(&["make", "ball", "--radius", "0.015", "-o", &ball]);
    let said = &notes(&made, "notes")[0];
    assert!(said.contains("steel is taken (7800 kg/m³, 2.1e11 Pa, 0.3)"), "{said}");
    let given = json(&["make", "ball", "--radius", "0.015", "--material", "glass", "-o", &ball]);
    assert!(notes(&given, "notes").is_empty() && notes(&given, "warnings").is_empty());
}

#[test]
fn a_deck_in_millimetres_is_warned_of_and_read_with_its_units() {
    let dir = TempDir::new().unwrap();
    let (deck, body) = (path(&dir, "cube.inp"), path(&dir, "cube.npz"));
    std::fs::write(&deck, DECK).unwrap();
    let warnings = notes(&json(&["import", &deck, "-o", &body]), "warnings");
    assert!(warnings.iter().any(|warning| warning.contains("--units mm-t-s")), "{warnings:#?}");
    let imported = json(&["import", &deck, "--units", "mm-t-s", "-o", &body]);
    assert!(notes(&imported, "warnings").is_empty(), "{imported}");
    let mass = json(&["info", &body])["mass"].as_f64().unwrap();
    assert!((mass / 7.8e-3 - 1.0).abs() < 1e-12, "{mass}");
    let message = fails(&["import", &deck, "--units", "mm-N-s", "-o", &body], 2);
    assert!(message.contains("LENGTH-MASS-TIME"), "{message}");
    fails(&["import", &deck, "--units", "mm-t-s", "--scale", "1e-3", "-o", &body], 2);
}

#[test]
fn a_body_of_infinite_mass_is_refused() {
    let dir = TempDir::new().unwrap();
    let args = [
        "make",
        "ball",
        "--radius",
        "1e30",
        "--density",
        "1e300",
        "--young",
        "1e9",
        "--poisson",
        "0.3",
        "-o",
    ];
    let message = fails(&[&args[..], &[&path(&dir, "ball.npz")]].concat(), 3);
    assert!(message.contains("mass of the body is inf"), "{message}");
}

#[test]
fn a_length_with_a_unit_is_answered_with_what_to_write() {
    let dir = TempDir::new().unwrap();
    let message = fails(&["make", "ball", "--radius", "1cm", "-o", &path(&dir, "ball.npz")], 2);
    assert!(message.contains("write 0.01 (m, not cm)"), "{message}");
}

#[cfg(unix)]
#[test]
fn a_wait_for_the_reader_of_a_pipe_ends_with_the_first_sigterm() {
    use std::time::{Duration, Instant};

    use assert_cmd::cargo::CommandCargoExt;

    let dir = TempDir::new().unwrap();
    let pipe = path(&dir, "pipe.npz");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let mut child = std::process::Command::cargo_bin("carom-mesh")
        .unwrap()
        .args(["make", "box", "--size", "1,1,1", "-q", "-o", &pipe])
        .spawn()
        .unwrap();
    // Long enough to be waiting; an earlier signal ends it as well.
    std::thread::sleep(Duration::from_millis(700));
    let sent = std::process::Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let since = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if since.elapsed() > Duration::from_secs(20) {
            child.kill().unwrap();
            panic!("it still waits");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}
