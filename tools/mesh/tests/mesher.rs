//! The program that meshes CAD files ends with `carom-mesh`, whatever ends that; a script stands in for it here.

#![cfg(target_os = "linux")]

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use assert_cmd::cargo::CommandCargoExt;
use carom_testing::program::told;
use tempfile::TempDir;

/// Says its number and stays until its input ends, as `carom-gmsh` does; how that is told is an agreement of the two.
const STAND_IN: &str = "#!/bin/sh\ntest -n \"$CAROM_ENDS_WITH_INPUT\" || exit 9\necho $$ > number.tmp\nmv number.tmp number\nexec cat > /dev/null\n";

/// `carom-mesh` as it waits for the stand-in, and the number of the latter.
fn importing(folder: &Path) -> (Child, u32) {
    use std::os::unix::fs::PermissionsExt;
    let program = folder.join("carom-gmsh");
    std::fs::write(&program, STAND_IN).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::write(folder.join("part.step"), "ISO-10303-21;").unwrap();
    // One that was built lies beside the program and would be found first.
    let copy = folder.join("carom-mesh");
    std::fs::copy(Command::cargo_bin("carom-mesh").unwrap().get_program(), &copy).unwrap();
    let mut command = Command::new(copy);
    command.args(["import", "part.step", "-o", "part.npz"]).current_dir(folder);
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = loop {
        match command.spawn() {
            // Another test that starts a program has the copy open for the moment.
            Err(error) if error.kind() == std::io::ErrorKind::ExecutableFileBusy => {}
            started => break started.unwrap(),
        }
    };
    let begun = Instant::now();
    while !folder.join("number").exists() {
        assert!(begun.elapsed() < Duration::from_secs(60), "the mesher was not started");
        assert!(child.try_wait().unwrap().is_none(), "{}", told(&child.wait_with_output().unwrap()));
        std::thread::sleep(Duration::from_millis(2));
    }
    let number = std::fs::read_to_string(folder.join("number")).unwrap();
    (child, number.trim().parse().unwrap())
}

/// Waits until a process is gone, or is a corpse that nobody has buried.
fn assert_gone(process: u32) {
    let begun = Instant::now();
    let runs = || {
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        stat.rsplit(')').next().is_some_and(|rest| !rest.is_empty() && !rest.trim_start().starts_with('Z'))
    };
    while runs() {
        assert!(begun.elapsed() < Duration::from_secs(20), "the mesher is still there");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn the_mesher_ends_when_carom_mesh_is_killed() {
    let folder = TempDir::new().unwrap();
    let (mut child, mesher) = importing(folder.path());
    child.kill().unwrap();
    child.wait().unwrap();
    assert_gone(mesher);
}

#[test]
fn a_signal_ends_both_at_once() {
    let folder = TempDir::new().unwrap();
    let (child, mesher) = importing(folder.path());
    let sent = Instant::now();
    Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(143), "{}", told(&ended));
    assert!(sent.elapsed() < Duration::from_secs(20));
    assert_gone(mesher);
    assert!(!folder.path().join("part.npz").exists());
}
