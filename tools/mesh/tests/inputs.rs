//! Defaults, units, quantities with units, pipes.

use crate::program::{fails, json, path};
use tempfile::TempDir;

/// A cube of one hexahedron of steel, in mm, t and s.
const DECK: &str = "*NODE\n1, 0., 0., 0.\n2, 10., 0., 0.\n3, 10., 10., 0.\n4, 0., 10., 0.\n5, 0., 0., \
    10.\n6, 10., 0., 10.\n7, 10., 10., 10.\n\
8, 0., 10., 10.\n*ELEMENT, TYPE=C3D8, ELSET=E\n1, 1, 2, 3, 4, 5, 6, 7, 8\n*SOLID SECTION, ELSET=E, \
MATERIAL=M\n*MATERIAL, NAME=M\n\
*DENSITY\n7.8e-9\n*ELASTIC\n210000., 0.3\n";

fn notes(object: &serde_json::Value, key: &str) -> Vec<String> {
    object[key].as_array().unwrap().iter().map(|note| note.as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_default_material_is_reported() {
    let dir = TempDir::new().unwrap();
    let ball = path(&dir, "ball.npz");
    let made = json(&["make", "ball", "--radius", "0.015", "-o", &ball]);
    let said = &notes(&made, "notes")[0];
    assert!(said.contains("steel is used (7800 kg/m³, 2.1e11 Pa, 0.3)"), "{said}");
    let given = json(&["make", "ball", "--radius", "0.015", "--material", "glass", "-o", &ball]);
    assert!(notes(&given, "notes").is_empty() && notes(&given, "warnings").is_empty());
}

#[test]
fn a_deck_in_millimetres_gives_a_warning_and_is_read_with_its_units() {
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
fn a_length_with_a_unit_is_refused_with_its_si_value() {
    let dir = TempDir::new().unwrap();
    let message = fails(&["make", "ball", "--radius", "1cm", "-o", &path(&dir, "ball.npz")], 2);
    assert!(message.contains("write 0.01 (m, not cm)"), "{message}");
}

/// Sends SIGTERM to `carom-mesh` after some milliseconds; returns its exit code and the time until its end
/// \[s\].
#[cfg(unix)]
fn ended_by_sigterm(args: &[&str], after: u64) -> (Option<i32>, f64) {
    use std::time::{Duration, Instant};

    use assert_cmd::cargo::CommandCargoExt;

    let mut child = std::process::Command::cargo_bin("carom-mesh").unwrap().args(args).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(after));
    let sent = std::process::Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let since = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return (status.code(), since.elapsed().as_secs_f64());
        }
        if since.elapsed() > Duration::from_secs(20) {
            child.kill().unwrap();
            panic!("it goes on");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[cfg(unix)]
#[test]
fn a_wait_for_the_reader_of_a_pipe_ends_with_the_first_sigterm() {
    let dir = TempDir::new().unwrap();
    let pipe = path(&dir, "pipe.npz");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    // Long enough to reach the wait; an earlier signal ends it as well.
    ended_by_sigterm(&["make", "box", "--size", "1,1,1", "-q", "-o", &pipe], 700);
}

/// Eight million lines take a second or more; the first signal must end the program before they are read.
#[cfg(unix)]
#[test]
fn reading_of_a_large_mesh_ends_with_the_first_sigterm() {
    let dir = TempDir::new().unwrap();
    let mesh = path(&dir, "large.msh");
    let n = 8_000_000;
    let head = format!("$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n{n}\n");
    std::fs::write(&mesh, [head, "3 1 \"g\"\n".repeat(n)].concat()).unwrap();
    let (code, seconds) = ended_by_sigterm(&["info", &mesh], 100);
    assert_eq!(code, Some(143), "{seconds} s");
    assert!(seconds < 1.0, "{seconds}");
}
