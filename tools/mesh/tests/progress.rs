//! Lines of progress without a terminal.

use carom_testing::program::{json, progress};
use tempfile::TempDir;

use crate::program::{carom_mesh, path};

#[test]
fn lines_name_the_file_and_the_step() {
    let dir = TempDir::new().unwrap();
    let ball = path(&dir, "ball.npz");
    let run = |args: &[&str]| {
        let ran =
            carom_mesh().args(args).arg("--json").env("CAROM_PROGRESS_SECONDS", "0.001").output().unwrap();
        // Standard output contains only the object.
        json(&ran);
        progress(&ran)
    };
    let make = [
        "make",
        "ball",
        "--radius",
        "0.015",
        "--pole-radius",
        "5.6e-4",
        "--grade",
        "pole",
        "--finest",
        "2e-4",
    ];
    let lines = run(&[&make[..], &["-o", &ball]].concat());
    assert!(lines.iter().any(|line| line == "ball.npz: checking and writing the body"), "{lines:#?}");
    let lines = run(&["info", &ball, "--picture", &path(&dir, "ball.png")]);
    assert!(lines.iter().any(|line| line == "ball.npz: drawing the body"), "{lines:#?}");
    let mesh = path(&dir, "cube.msh");
    json(
        &carom_mesh()
            .args(["make", "box", "--size", "1,1,1", "--elements", "12", "--hex", "--json", "-o", &ball])
            .output()
            .unwrap(),
    );
    json(&carom_mesh().args(["convert", &ball, "--json", "-o", &mesh]).output().unwrap());
    let lines = run(&["import", &mesh, "-o", &ball]);
    assert!(lines.iter().any(|line| line == "cube.msh: reading the file"), "{lines:#?}");
}
