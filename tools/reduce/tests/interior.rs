//! Interior solutions of another program: the files of the problem, models from an archive, archives with
//! errors; and the script of `tools/cluster`, where PETSc and SLEPc are installed.

use std::fs::{self, File};
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::process::Command;

use carom_fem::{Discretisation, QuadratureRule, assemble, mass_properties};
use carom_format::interior::{SOLUTIONS, VERSION};
use carom_format::npz::ArchiveWriter;
use carom_format::{read_body, read_rom};
use carom_linalg::{DofSet, Wanted};
use carom_progress::Silent;
use carom_reduce::condensation::{Condensation, constraint_modes};
use carom_reduce::interface::Interface;
use carom_reduce::solver::{Interior, Operator};
use carom_reduce::{CraigBamptonOptions, ReducedBody, SolverChoice, interface_spec};
use carom_testing::machine;
use carom_testing::program::printed;
use faer::Mat;

use crate::bar::folder_with_bar;
use crate::program::{failure, json, run};

/// The content of an archive.
struct Double {
    checksum: String,
    interface: Vec<u32>,
    attachments: Vec<String>,
    constraint: Mat<f64>,
    fixed: Mat<f64>,
}

impl Double {
    /// The solutions of `bar.npz` by this program alone, 18 modes.
    fn of_bar(folder: &Path, interfaces: &[&str], attachments: &[&str]) -> Self {
        let stored = read_body(&folder.join("bar.npz")).unwrap();
        let options = CraigBamptonOptions {
            interface_sets: interfaces.iter().map(|&set| set.to_owned()).collect(),
            attachments: attachments.iter().map(|text| text.parse().unwrap()).collect(),
            ..CraigBamptonOptions::default()
        };
        let discretisation = Discretisation::new(&stored.body).unwrap();
        let spec = interface_spec(&options);
        let boundary = Interface::new(&stored.body, &discretisation, spec).unwrap().boundary;
        let system = assemble(&discretisation, QuadratureRule::Default, &Silent).unwrap();
        let used = discretisation.point_is_used();
        let points = &discretisation.points;
        let dofs = DofSet::all(points.len());
        let operator = Operator { k: &system.stiffness, shifted_mass: None, points };
        let (space, choice) = (boundary.space(&dofs), SolverChoice::default());
        let interior = Interior::new(operator, space, &choice, 0, &Silent).unwrap();
        let modes = constraint_modes(&system, &interior, &boundary, points, &used, &Silent).unwrap();
        let basis = Condensation::new(&system, interior, modes, Wanted::Count(18), &Silent).unwrap().basis;
        let n = boundary.n_dofs();
        Self {
            checksum: stored.checksum,
            interface: boundary.points.clone(),
            attachments: attachments.iter().map(|&text| text.to_owned()).collect(),
            constraint: basis.subcols(0, n).to_owned(),
            fixed: basis.subcols(n, 18).to_owned(),
        }
    }

    fn write(&self, path: &Path) {
        let mut archive =
            ArchiveWriter::new(BufWriter::new(File::create(path).unwrap()), SOLUTIONS, VERSION).unwrap();
        archive.text("program", "double").unwrap();
        archive.text("name", "bar").unwrap();
        archive.text("body_checksum", &self.checksum).unwrap();
        archive.texts("option_attach", &self.attachments).unwrap();
        archive.texts::<&str>("option_fix", &[]).unwrap();
        archive.text("option_quadrature", "default").unwrap();
        archive.u32("interface_node", &[self.interface.len()], &self.interface).unwrap();
        for (name, fields) in [("constraint_modes", &self.constraint), ("fixed_modes", &self.fixed)] {
            archive.columns(name, fields.nrows(), fields.ncols(), |j| fields.col_as_slice(j)).unwrap();
        }
        archive.finish().unwrap();
    }
}

/// Largest relative difference of frequencies, and of the compliance of boundary points.
fn difference(folder: &Path, a: &str, b: &str) -> f64 {
    let [a, b] = [a, b].map(|name| read_rom(&folder.join(name)).unwrap().reduced);
    let of_omega = a.omega.iter().zip(&b.omega).map(|(a, b)| (a / b - 1.0).abs()).fold(0.0, f64::max);
    let compliance = |rom: &ReducedBody| {
        let values = &rom.boundary.values;
        let scaled =
            Mat::from_fn(values.nrows(), values.ncols(), |i, j| values[(i, j)] / rom.omega[j].powi(2));
        scaled * values.transpose()
    };
    let (of_a, of_b) = (compliance(&a), compliance(&b));
    let [inertia_a, inertia_b] = [&a, &b].map(|model| model.invariants.inertia_2.all().unwrap().norm_l2());
    let inertia = (inertia_a / inertia_b - 1.0).abs();
    of_omega.max((&of_a - &of_b).norm_max() / of_b.norm_max().max(f64::MIN_POSITIVE)).max(inertia)
}

#[test]
fn a_model_from_an_archive_is_that_of_one_program() {
    let folder = folder_with_bar();
    let folder = folder.path();
    Double::of_bar(folder, &["west", "east"], &[]).write(&folder.join("bar.solutions.npz"));
    let made = json(
        folder,
        "craig-bampton bar.npz -o given.rom --interface west --interface east --modes 12 --modes-from \
         bar.solutions.npz --json",
    );
    let note = made["notes"][0].as_str().unwrap();
    assert!(
        note.starts_with("interior solved elsewhere (double)") && note.contains("inertia count"),
        "{note}"
    );
    let difference = difference(folder, "bar.rom", "given.rom");
    assert!(difference < 1e-8, "{difference:e}");
    // Other choices of the model need no other solutions.
    run(
        folder,
        "craig-bampton bar.npz -o few.rom --interface west --interface east --modes 8 --split 2e4 \
                 --damping-ratio 0.01 --modes-from bar.solutions.npz",
    );
    assert_eq!(read_rom(&folder.join("few.rom")).unwrap().reduced.fixed_interface_hz.len(), 8);
}

#[test]
fn archives_of_other_bodies_and_options_are_refused() {
    let folder = folder_with_bar();
    let folder = folder.path();
    let own = || Double::of_bar(folder, &["west"], &["east=mean"]);
    let line =
        "craig-bampton bar.npz -o a.rom --interface west --attach east=mean --modes 12 --modes-from a.npz";
    own().write(&folder.join("a.npz"));
    assert!(run(folder, line).status.success());
    fs::remove_file(folder.join("a.rom")).unwrap();
    let refused = |double: Double, line: &str| {
        double.write(&folder.join("a.npz"));
        let text = failure(folder, 3, line);
        assert!(!folder.join("a.rom").exists(), "{text}");
        text
    };
    let other = Double { checksum: "0123456789abcdef".to_owned(), ..own() };
    let text = refused(other, line);
    assert!(text.contains("body `bar` with the checksum 0123456789ab…"), "{text}");
    let text = refused(own(), &line.replace("east=mean", "east=rigid"));
    assert!(text.contains("--attach east=mean, and here it is east=rigid"), "{text}");
    let text = refused(own(), &line.replace("--interface west ", ""));
    assert!(text.contains("an interface of 9 points, and here it is 0 points"), "{text}");
    let text = refused(
        own(),
        &line.replace("default", "high").replace("--modes 12", "--modes 12 --quadrature high"),
    );
    assert!(text.contains("--quadrature default, and here it is high"), "{text}");
    let text = refused(own(), &line.replace("--modes 12", "--modes 18"));
    assert!(text.contains("18 fixed-interface modes are given; 18 are requested"), "{text}");
    // A body file, and an archive that lost its end.
    let text = failure(folder, 3, &line.replace("a.npz", "bar.npz"));
    assert!(text.contains("of the kind `carom-body`"), "{text}");
    let bytes = fs::read(folder.join("a.npz")).unwrap();
    fs::write(folder.join("a.npz"), &bytes[..bytes.len() / 2]).unwrap();
    assert!(failure(folder, 3, line).contains("copy or make it again"));
    assert!(failure(folder, 5, &line.replace("a.npz", "none.npz")).contains("none.npz"));
    let text = failure(folder, 2, &format!("{line} --places west"));
    assert!(text.contains("--places"), "{text}");
}

#[test]
fn a_changed_archive_is_refused_with_the_figure() {
    let folder = folder_with_bar();
    let folder = folder.path();
    let path = folder.join("a.npz");
    let line =
        "craig-bampton bar.npz -o a.rom --interface west --interface east --modes 12 --modes-from a.npz";
    let mut double = Double::of_bar(folder, &["west", "east"], &[]);
    double.write(&path);
    // A byte of the constraint modes: the archive's own sums notice it.
    let mut bytes = fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&path, &bytes).unwrap();
    let text = failure(folder, 3, line);
    assert!(text.contains("damaged"), "{text}");
    fs::write(&path, &bytes[..middle]).unwrap();
    let text = failure(folder, 3, line);
    assert!(text.contains("is not an interior solutions file"), "{text}");
    // A change with a new checksum: the forces notice it.
    let inside = 3
        * (0..double.constraint.nrows() / 3)
            .find(|&point| !double.interface.contains(&(point as u32)))
            .unwrap();
    double.constraint[(inside, 5)] += 1e-7;
    double.write(&path);
    let text = failure(folder, 3, line);
    assert!(
        text.contains("constraint mode 6 (counted from 1) leaves forces of") && text.contains("at most"),
        "{text}"
    );
    assert!(text.contains("compute the solutions again"), "{text}");
    double.constraint[(inside, 5)] -= 1e-7;
    double.fixed[(inside, 5)] += 1e-3 * double.fixed.col(5).norm_max();
    double.write(&path);
    let text = failure(folder, 3, line);
    assert!(text.contains("not orthonormal in the mass"), "{text}");
    let mut double = Double::of_bar(folder, &["west", "east"], &[]);
    double.fixed =
        Mat::from_fn(double.fixed.nrows(), 17, |i, j| double.fixed[(i, if j < 3 { j } else { j + 1 })]);
    double.write(&path);
    let text = failure(folder, 3, line);
    assert!(text.contains("fixed-interface modes lie below") && text.contains("of them are given"), "{text}");
    assert!(!folder.join("a.rom").exists());
}

#[test]
fn the_problem_is_exported_with_its_matrices() {
    let folder = folder_with_bar();
    let folder = folder.path();
    let written = json(folder, "export bar.npz -o bar --format petsc --attach west=mean --fix east --json");
    assert_eq!(written["outputs"].as_array().unwrap().len(), 5);
    // 63 nodes; the header of the stiffness.
    let bytes = fs::read(folder.join("bar.K.petsc")).unwrap();
    let number = |i: usize| i32::from_be_bytes(bytes[4 * i..4 * i + 4].try_into().unwrap());
    assert_eq!([number(0), number(1), number(2)], [1_211_216, 189, 189]);
    let entries: i32 = (4..4 + 189).map(number).sum();
    assert_eq!(number(3), entries);
    assert_eq!(bytes.len(), 16 + 4 * 189 + 12 * entries as usize);
    let only = json(folder, "export bar.npz -o only --format petsc --json");
    assert_eq!(only["outputs"].as_array().unwrap().len(), 4);
    assert!(failure(folder, 3, "export bar.rom -o no --format petsc").contains("is a model"));
    assert!(
        failure(folder, 2, "export bar.npz -o no --format mtx --fix east").contains("--format petsc alone")
    );
    assert!(!folder.join("no.K.petsc").exists() && !folder.join("no.K.mtx").exists());
}

/// Both solvers on one and two ranks, with every kind of boundary; and errors of the script.
#[test]
fn the_script_solves_the_interior_on_several_ranks() {
    let Some(python) = machine::petsc_python() else { return };
    let folder = folder_with_bar();
    let folder = folder.path();
    let script = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../cluster/interior.py"));
    let start = |ranks: usize, words: &[&str]| {
        let mut command = Command::new("mpirun");
        command.args(["--oversubscribe", "--allow-run-as-root", "-n", &ranks.to_string(), &python, "-B"]);
        command.arg(&script).args(words).current_dir(folder);
        command.env("OMP_NUM_THREADS", "1").output().unwrap()
    };
    for (boundary, ranks, words) in [
        ("--interface west --interface east", 1, &["bar"][..]),
        ("--interface west --attach east=rigid", 2, &["bar"]),
        ("--attach west=mean --attach east=mean", 2, &["bar"]),
        ("--attach west=mean --fix east", 2, &["bar", "--solver", "cg"]),
    ] {
        let flags = format!("{boundary} --modes 12");
        json(folder, &format!("export bar.npz -o bar --format petsc {flags} --json"));
        let solved = start(ranks, words);
        assert!(solved.status.success(), "{boundary}: {}", printed(&solved));
        json(folder, &format!("craig-bampton bar.npz -o own.rom {flags} --json"));
        let from = "--modes-from bar.solutions.npz";
        json(folder, &format!("craig-bampton bar.npz -o given.rom {flags} {from} --json"));
        let difference = difference(folder, "own.rom", "given.rom");
        assert!(difference < 1e-8, "{boundary}: {difference:e}");
    }
    let text = printed(&start(1, &["none"]));
    assert!(text.contains("cannot read `none.problem.npz`"), "{text}");
    let cut = fs::read(folder.join("bar.K.petsc")).unwrap();
    fs::write(folder.join("bar.K.petsc"), &cut[..cut.len() - 8]).unwrap();
    let output = start(1, &["bar"]);
    assert_eq!(output.status.code(), Some(3), "{}", printed(&output));
    assert!(printed(&output).contains("export the body again"), "{}", printed(&output));
}

/// K and M as PETSc's MatLoad reads them: entries of the Matrix Market files of the same body, blocks of
/// three, no forces under a translation, and the mass.
#[test]
fn petsc_loads_the_matrices_of_a_body() {
    let Some(python) = machine::petsc_python() else { return };
    let folder = folder_with_bar();
    let folder = folder.path();
    json(folder, "export bar.npz -o bar --format petsc --json");
    json(folder, "export bar.npz -o bar --format mtx --json");
    let script = r#"
import numpy as np
from petsc4py import PETSc

def loaded(name):
    matrix = PETSc.Mat().create()
    matrix.setFromOptions()
    matrix.load(PETSc.Viewer().createBinary(name, "r"))
    return matrix

def listed(name):
    with open(name) as lines:
        head = lines.readline().split()
        assert head[4] == "symmetric", head
        rows = [line.split() for line in lines if not line.startswith("%")]
    return [(int(i) - 1, int(j) - 1, float(x)) for i, j, x in rows[1:]]

for name in ("K", "M"):
    matrix = loaded(f"bar.{name}.petsc")
    n = matrix.getSize()[0]
    assert matrix.getBlockSize() == 3, matrix.getBlockSize()
    assert matrix.isSymmetric(0.0)
    entries = listed(f"bar.{name}.mtx")
    for i, j, x in entries:
        assert matrix.getValue(i, j) == x, (name, i, j, x)
    x, y = matrix.createVecs()
    along = np.zeros(n)
    along[::3] = 1.0
    x.setArray(along)
    matrix.mult(x, y)
    if name == "K":
        scale = max(abs(x) for _, _, x in entries)
        assert y.norm(PETSc.NormType.INFINITY) < 1e-11 * scale
    else:
        print("mass", y.dot(x))
"#;
    fs::write(folder.join("load.py"), script).unwrap();
    let loaded = Command::new(&python).arg("load.py").current_dir(folder).output().unwrap();
    assert!(loaded.status.success(), "{}", printed(&loaded));
    let text = String::from_utf8(loaded.stdout).unwrap();
    let mass: f64 = text.strip_prefix("mass ").unwrap().trim().parse().unwrap();
    let stored = read_body(&folder.join("bar.npz")).unwrap();
    let expected = mass_properties(&Discretisation::new(&stored.body).unwrap()).mass;
    assert!((mass / expected - 1.0).abs() < 1e-12, "{mass} kg, expected {expected}");
}
