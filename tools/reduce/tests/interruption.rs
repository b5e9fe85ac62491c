//! Ctrl-C at any moment of a reduction: an exit code, a sentence, and no file.
#![cfg(unix)]

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use carom_fem::{Body, Geometry, Material};
use carom_format::write_body;
use carom_mesh::make::{HexOptions, Solid, hexahedra};

/// A steel box whose reduction takes about a second.
fn block(path: &Path) {
    let options = HexOptions { elements: vec![14, 8, 8], ..HexOptions::default() };
    let mesh = hexahedra(Solid::Box { size: [0.1, 0.05, 0.05] }, &options).unwrap();
    let material_of_block = vec![0; mesh.blocks.len()];
    let body = Body {
        name: "block".to_owned(),
        geometry: Geometry::Mesh(mesh),
        materials: vec![Material::new("steel", 7800.0, 210e9, 0.3).unwrap()],
        material_of_block,
    };
    write_body(path, &body).unwrap();
}

/// Runs the program and interrupts it after a while; its exit code and what it said, and the time it took to stop.
fn interrupted(folder: &Path, line: &str, after: Duration) -> (Option<i32>, String, Duration) {
    let child = Command::new(assert_cmd::cargo::cargo_bin("carom-reduce"))
        .current_dir(folder)
        .args(line.split(' '))
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(after);
    let signalled = Instant::now();
    // A program that is done already cannot be signalled, which is no matter.
    let _ =
        Command::new("kill").args(["-INT", &child.id().to_string()]).stderr(Stdio::null()).status().unwrap();
    let output = child.wait_with_output().unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned(), signalled.elapsed())
}

#[test]
fn a_reduction_that_is_interrupted_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    block(&folder.path().join("block.npz"));
    let output = folder.path().join("block.rom");
    let lines = [
        "craig-bampton block.npz -o block.rom --interface west --modes 40",
        "craig-bampton block.npz -o block.rom --interface west --modes 20 --residual",
    ];
    let (mut stopped, mut slowest) = (0, Duration::ZERO);
    for line in lines {
        for tenths in [1, 2, 4, 8, 14, 25, 60] {
            let (code, told, elapsed) = interrupted(folder.path(), line, Duration::from_millis(100 * tenths));
            if code == Some(0) {
                assert!(output.exists(), "{told}");
                std::fs::remove_file(&output).unwrap();
                break;
            }
            // Before the program listens to the signal it is killed by it.
            assert!(code == Some(1) || code.is_none(), "{code:?} {told}");
            assert!(code.is_none() || told.contains("interrupted"), "{told}");
            slowest = slowest.max(elapsed);
            stopped += 1;
            let left: Vec<_> =
                std::fs::read_dir(folder.path()).unwrap().map(|f| f.unwrap().file_name()).collect();
            assert_eq!(left, ["block.npz"], "after {tenths}/10 s");
        }
    }
    println!("stopped {stopped} times, at the latest {slowest:.2?} after the signal");
    assert!(stopped >= 2, "only {stopped}");
}
