//! `carom-mesh` and the program that meshes CAD files: `carom-mesh` ends that program on request, and
//! reports default sizes. A script replaces the program here.

#![cfg(target_os = "linux")]

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use assert_cmd::cargo::CommandCargoExt;
use carom_testing::program::{json, printed};
use tempfile::TempDir;

/// Writes its process number and waits until its input ends, like `carom-gmsh`; both programs use the
/// environment variable.
const STAND_IN: &str = "#!/bin/sh\ntest -n \"$CAROM_ENDS_WITH_INPUT\" || exit 9\necho $$ > number.tmp\nmv \
    number.tmp number\nexec cat > /dev/null\n";

/// Returns an existing mesh for every input.
const GIVES_A_BOX: &str = "#!/bin/sh\ncp \"$(dirname \"$0\")/box.msh\" \"$3\"\ncase \"$1\" in *.geo) \
    size=null ;; *) size=0.15 ;; esac\necho \"{\\\"size\\\": $size}\"\n";

/// `carom-mesh` in the folder of the script: the real program in its own folder would be found first.
fn beside(folder: &Path, stand_in: &str) -> Command {
    use std::os::unix::fs::PermissionsExt;
    let program = folder.join("carom-gmsh");
    std::fs::write(&program, stand_in).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let copy = folder.join("carom-mesh");
    std::fs::copy(Command::cargo_bin("carom-mesh").unwrap().get_program(), &copy).unwrap();
    let mut command = Command::new(copy);
    command.current_dir(folder);
    command
}

/// Starts a program that was just copied: another test that starts one has the copy open for a moment.
fn started(command: &mut Command) -> Child {
    loop {
        match command.spawn() {
            Err(error) if error.kind() == std::io::ErrorKind::ExecutableFileBusy => {}
            started => break started.unwrap(),
        }
    }
}

/// `carom-mesh` while it waits for the script, and the process number of the latter.
fn importing(folder: &Path) -> (Child, u32) {
    std::fs::write(folder.join("part.step"), "ISO-10303-21;").unwrap();
    let mut command = beside(folder, STAND_IN);
    command.args(["import", "part.step", "-o", "part.npz"]);
    let mut child = started(command.stdout(Stdio::null()).stderr(Stdio::piped()));
    let begun = Instant::now();
    while !folder.join("number").exists() {
        assert!(begun.elapsed() < Duration::from_secs(60), "the mesher was not started");
        assert!(child.try_wait().unwrap().is_none(), "{}", printed(&child.wait_with_output().unwrap()));
        std::thread::sleep(Duration::from_millis(2));
    }
    let number = std::fs::read_to_string(folder.join("number")).unwrap();
    (child, number.trim().parse().unwrap())
}

/// Waits until a process has ended, or is a zombie.
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
fn a_signal_ends_both_programs_immediately() {
    let folder = TempDir::new().unwrap();
    let (child, mesher) = importing(folder.path());
    let sent = Instant::now();
    Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(143), "{}", printed(&ended));
    assert!(sent.elapsed() < Duration::from_secs(20));
    assert_gone(mesher);
    assert!(!folder.path().join("part.npz").exists());
}

/// Imports a file; the script returns a box of 2 x 1 x 2 m as its mesh.
fn imported(file: &str, more: &[&str]) -> Output {
    let folder = TempDir::new().unwrap();
    let run = |args: &[&str]| {
        let made =
            Command::cargo_bin("carom-mesh").unwrap().current_dir(&folder).args(args).output().unwrap();
        assert!(made.status.success(), "{}", printed(&made));
    };
    run(&["make", "box", "--size", "2,1,2", "--hex", "-o", "box.npz"]);
    run(&["convert", "box.npz", "-o", "box.msh"]);
    std::fs::write(folder.path().join(file), "").unwrap();
    let mut command = beside(folder.path(), GIVES_A_BOX);
    command.args(["import", file, "-o", "part.npz", "--json"]).args(more);
    started(command.stdout(Stdio::piped()).stderr(Stdio::piped())).wait_with_output().unwrap()
}

#[test]
fn places_and_the_time_limit_reach_the_mesher_in_the_unit_of_the_file() {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("part.brep"), "").unwrap();
    let mut command = beside(folder.path(), "#!/bin/sh\necho \"$@\" >&2\nexit 1\n");
    let near = ["--near", "-1,2,0.5:0.25=0.125", "--near", "top=0.5", "--time-limit", "7"];
    command.args(["import", "part.brep", "-o", "part.npz", "--scale", "0.5"]).args(near);
    let ended = started(command.stdout(Stdio::null()).stderr(Stdio::piped())).wait_with_output().unwrap();
    let printed = printed(&ended);
    assert!(printed.contains("--near -2,4,1:0.5=0.25 --near top=1 --time-limit 7"), "{printed}");
}

/// The notes of an import on the size of cells.
fn size_notes(file: &str, more: &[&str]) -> Vec<String> {
    let notes = json(&imported(file, more))["notes"].as_array().unwrap().clone();
    let notes = notes.iter().map(|note| note.as_str().unwrap().to_owned());
    notes.filter(|note| note.contains("size")).collect()
}

#[test]
fn a_default_size_is_reported_with_its_value() {
    // The note is equal to that of carom-gmsh.
    let notes = size_notes("part.step", &[]);
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert!(
        notes[0].starts_with("no size is given: cells of 0.15 m are used, a twentieth of the diagonal"),
        "{notes:?}"
    );
    // In metres, like --size.
    let notes = size_notes("part.brep", &["--scale", "1e-3"]);
    assert!(notes[0].contains("cells of 1.5e-4 m are used"), "{notes:?}");
    assert_eq!(size_notes("part.step", &["--size", "0.5"]), Vec::<String>::new(), "it was given");
    assert_eq!(size_notes("part.geo", &[]), Vec::<String>::new(), "a script says its own");
}
