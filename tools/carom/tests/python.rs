//! The package of `python` against the tables and ParaView files of runs, and the workflows of `studies`.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use carom_testing::machine;
use carom_testing::program::printed;

use crate::program::{Place, SMALL};

/// A rigid pendulum with samples of its tip and its hinge.
const PENDULUM: &str = r#"
[simulation]
end_time = 0.05
integrator = "dop853"
gravity = [0.0, 0.0, -9.81]

[[body]]
name = "rod"
make = { shape = "rod", radius = 0.01, length = 0.4 }
material = "steel"
rigid = true

[[body.marker]]
name = "tip"
at = [0.4, 0.0, 0.0]

[[joint]]
name = "hinge"
kind = "revolute"
between = ["ground", "rod:start"]
axis = [0.0, 1.0, 0.0]
spring = { stiffness = 2.0, damping = 0.1 }

[[probe]]
on = "rod:tip"
what = ["displacement", "velocity"]
every = 5.0e-3

[[probe]]
joint = "hinge"
what = ["force", "torque"]
every = 1.0e-2
"#;

/// A block of hexahedra that is reduced, whose model keeps the modes of its surface alone, hit by a ball on a
/// half-space grid.
const MESH: &str = r#"
[simulation]
end_time = 8.0e-5
output_every = 4.0e-6

[[body]]
name = "ball"
make = { shape = "ball", radius = 0.01 }
material = "steel"
rigid = true
position = [0.0, 0.0, 0.010005]
velocity = [0.0, 0.0, -0.5]

[[body]]
name = "block"
make = { shape = "box", size = [0.03, 0.03, 0.01], elements = [3, 3, 2], hex = true }
material = "steel"
position = [-0.015, -0.015, -0.01]
reduce = { places = ["0.015,0.015,0.01:0.002"], modes = 8 }

[[contact]]
between = ["block:0.015,0.015,0.01:0.002", "ball"]
law = { kind = "lagrange" }
compliance = "half-space"

[[probe]]
on = "block"
at = [0.0, 0.0, 0.0]
what = ["stress", "velocity"]
every = 4.0e-6

[[probe]]
on = "block"
every = 4.0e-6
"#;

/// An unreduced beam that spins, with packed frames.
const WHOLE: &str = r#"
[simulation]
scheme = "explicit"
end_time = 2.0e-5
output_every = 4.0e-6

[output]
cells = "all"
precision = "single"
frame_fields = ["displacement"]

[[body]]
name = "beam"
make = { shape = "box", size = [0.04, 0.01, 0.01], elements = [4, 1, 1], hex = true }
material = "steel"
position = [0.1, 0.2, 0.3]
velocity = [3.0, 0.0, 0.0]
angular_velocity = [0.0, 0.0, 500.0]
"#;

/// Runs Python in a folder with the package and the root of the repository.
fn python(python: &str, arguments: &[&str], place: &Place, variables: &[(&str, &Path)]) -> Output {
    let mut command = Command::new(python);
    command.arg("-B").args(arguments).current_dir(place.path());
    command.env("PYTHONPATH", root().join("python/src")).envs(variables.iter().copied());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", printed(&output));
    output
}

fn root() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// Runs all tests of a folder of Python tests.
fn discover(interpreter: &str, folder: &str, place: &Place, variables: &[(&str, &Path)]) {
    let folder = root().join(folder);
    let arguments = ["-m", "unittest", "discover", "-s", folder.to_str().unwrap()];
    let text = printed(&python(interpreter, &arguments, place, variables));
    assert!(text.contains("OK") && !text.contains("skipped"), "{text}");
}

#[test]
fn the_package_reads_the_files_of_runs() {
    let Some(interpreter) = machine::python("numpy, pandas, pyvista") else { return };
    let place = Place::new();
    for (name, text) in [("small", SMALL), ("pendulum", PENDULUM), ("mesh", MESH), ("whole", WHOLE)] {
        place.write(&format!("{name}.toml"), text);
        place.ok(&["run", &format!("{name}.toml"), "-o", &format!("runs/{name}"), "--every", "1"]);
    }
    let runs = place.path().join("runs");
    discover(&interpreter, "python/tests", &place, &[("CAROM_RUNS", &runs)]);

    // The example of the page, with another run.
    let page = std::fs::read_to_string(root().join("python/README.md")).unwrap();
    let example = page.split("```python\n").nth(1).unwrap().split("```").next().unwrap();
    let example = example.replace("out/coarse-balls", "runs/mesh").replace("\"lower\"", "\"block\"");
    let text = String::from_utf8(python(&interpreter, &["-c", &example], &place, &[]).stdout).unwrap();
    assert!(text.contains("peak_force") && text.contains("'impulse': 'N s'"), "{text}");
    assert!(place.path().join("lower.vtu").is_file());
}

/// Snakemake, the array script of Slurm and the driver of Dakota, with a small scenario.
#[test]
fn studies_run_stop_and_go_on() {
    let Some(interpreter) = machine::python("numpy, pandas, matplotlib, snakemake") else { return };
    let place = Place::new();
    place.write("small.toml", SMALL);
    let program = PathBuf::from(place.command(&[]).get_program());
    let small = place.path().join("small.toml");
    discover(&interpreter, "studies/tests", &place, &[("CAROM", &program), ("CAROM_SMALL", &small)]);
}

/// Jobs of the profile of Slurm: they are submitted to stand-ins for its programs, and run.
#[test]
fn a_study_runs_as_jobs_of_slurm() {
    let Some(interpreter) = machine::python("numpy, pandas, matplotlib, snakemake") else { return };
    if !machine::has_slurm_plugin(&interpreter) {
        return;
    }
    let place = Place::new();
    place.write("small.toml", SMALL);
    let program = PathBuf::from(place.command(&[]).get_program());
    let small = place.path().join("small.toml");
    discover(&interpreter, "studies/tests/slurm", &place, &[("CAROM", &program), ("CAROM_SMALL", &small)]);
}
