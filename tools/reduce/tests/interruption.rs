//! Ctrl-C and signals at any moment of a reduction or an export: an exit code, a sentence, and no file.
#![cfg(unix)]

use std::path::Path;
use std::process::{Child, Command, Stdio};
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
        sections: Vec::new(),
    };
    write_body(path, &body).unwrap();
}

fn start(folder: &Path, line: &str) -> Child {
    Command::new(assert_cmd::cargo::cargo_bin("carom-reduce"))
        .current_dir(folder)
        .args(line.split(' '))
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn signal(child: &Child, signal: &str) {
    // A program that has ended cannot be signalled; the error is ignored.
    let _ = Command::new("kill")
        .args([&format!("-{signal}"), &child.id().to_string()])
        .stderr(Stdio::null())
        .status()
        .unwrap();
}

/// Runs the program and interrupts it after a while; returns its exit code, its messages and the time until
/// it stops.
fn interrupted(folder: &Path, line: &str, after: Duration) -> (Option<i32>, String, Duration) {
    let child = start(folder, line);
    std::thread::sleep(after);
    let signalled = Instant::now();
    signal(&child, "INT");
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
            let (code, printed, elapsed) =
                interrupted(folder.path(), line, Duration::from_millis(100 * tenths));
            if code == Some(0) {
                assert!(output.exists(), "{printed}");
                std::fs::remove_file(&output).unwrap();
                break;
            }
            // A signal before its handler is installed kills the program.
            assert!(code == Some(130) || code.is_none(), "{code:?} {printed}");
            assert!(code.is_none() || printed.contains("interrupted"), "{printed}");
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

/// Names of the files of a folder, hidden ones too.
fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// Waits until the folder has a file that is being written; false if the program ended before.
fn writes(folder: &Path, child: &mut Child) -> bool {
    loop {
        if names(folder).iter().any(|name| name.ends_with(".part")) {
            return true;
        }
        if child.try_wait().unwrap().is_some() {
            return false;
        }
        std::thread::sleep(Duration::from_micros(200));
    }
}

/// A folder with `block.npz` and `block.rom`, whose SID_FEM file takes a second or more to write.
fn folder_with_model() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    block(&folder.path().join("block.npz"));
    let mut child = start(folder.path(), "craig-bampton block.npz -o block.rom --interface west --modes 24");
    assert!(child.wait().unwrap().success());
    folder
}

/// Whether programs that these tests start ignore SIGHUP.
fn hangup_is_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.is_none_or(|mask| u64::from_str_radix(mask.trim(), 16).unwrap() & 1 == 1)
}

const EXPORT: &str = "export block.rom --format sid --nodes fields -o block.SID_FEM";

#[test]
fn an_export_stops_at_every_signal_and_leaves_no_partial_file() {
    let folder = folder_with_model();
    let folder = folder.path();
    for (sent, number) in [("INT", 2), ("TERM", 15), ("HUP", 1), ("XCPU", 24)] {
        if sent == "HUP" && hangup_is_ignored() {
            println!("HUP skipped: these tests run under nohup, or the system does not tell whether they do");
            continue;
        }
        let mut child = start(folder, EXPORT);
        assert!(writes(folder, &mut child), "{sent}: it was done too soon");
        signal(&child, sent);
        let output = child.wait_with_output().unwrap();
        let printed = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(128 + number), "{sent}: {printed}");
        assert!(
            printed.contains("stopping at the next safe point") && printed.contains("interrupted"),
            "{printed}"
        );
        assert_eq!(names(folder), ["block.npz", "block.rom"], "{sent}");
    }
}

#[test]
fn a_second_signal_ends_the_program_immediately_and_leaves_no_partial_file() {
    let folder = folder_with_model();
    let folder = folder.path();
    for (both, code) in
        [(["INT", "INT"], 130), (["TERM", "TERM"], 143), (["HUP", "TERM"], 129), (["TERM", "HUP"], 143)]
    {
        let mut child = start(folder, EXPORT);
        assert!(writes(folder, &mut child), "{both:?}: it was done too soon");
        for sent in both {
            signal(&child, sent);
        }
        let output = child.wait_with_output().unwrap();
        // Simultaneous signals are handled in the order of their numbers.
        let known = output.status.code() == Some(code)
            || (both[0] != both[1] && output.status.code().is_some_and(|code| code > 128));
        assert!(known, "{both:?}: {:?} {}", output.status, String::from_utf8_lossy(&output.stderr));
        assert_eq!(names(folder), ["block.npz", "block.rom"], "{both:?}");
    }
}

#[test]
fn under_nohup_a_program_continues_after_a_hangup() {
    if !Path::new("/proc/self/status").exists() {
        println!("skipped: this system does not tell which signals are ignored");
        return;
    }
    let folder = folder_with_model();
    let folder = folder.path();
    let program = assert_cmd::cargo::cargo_bin("carom-reduce");
    let line = format!("trap '' HUP; exec '{}' {EXPORT} -q", program.display());
    let mut child = Command::new("sh").current_dir(folder).args(["-c", &line]).spawn().unwrap();
    assert!(writes(folder, &mut child));
    signal(&child, "HUP");
    assert!(child.wait().unwrap().success());
    assert_eq!(names(folder), ["block.SID_FEM", "block.npz", "block.rom"]);
}

#[test]
fn a_file_above_the_limit_of_the_shell_is_an_error_and_leaves_no_partial_file() {
    let folder = folder_with_model();
    let folder = folder.path();
    let program = assert_cmd::cargo::cargo_bin("carom-reduce");
    let line = format!("ulimit -f 100; exec '{}' {EXPORT}", program.display());
    let output = Command::new("sh").current_dir(folder).args(["-c", &line]).output().unwrap();
    let printed = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(5), "{:?} {printed}", output.status);
    assert!(printed.contains("cannot write `block.SID_FEM`"), "{printed}");
    assert_eq!(names(folder), ["block.npz", "block.rom"]);
}
