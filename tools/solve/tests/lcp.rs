//! The output, refusals and exit codes of `carom-solve lcp`.

use std::path::Path;
use std::process::Output;

use assert_cmd::Command;
use carom_testing::numbers;
use carom_testing::program::{failure, json};

const TWO: &str =
    r#"{"M": {"rows": [0, 0, 1, 1], "cols": [0, 1, 0, 1], "vals": [2, 1, 1, 2]}, "q": [-5, -6]}"#;

fn run(folder: &Path, problem: &str, arguments: &[&str]) -> Output {
    let file = folder.join("problem.json");
    std::fs::write(&file, problem).unwrap();
    Command::cargo_bin("carom-solve").unwrap().arg("lcp").arg(file).args(arguments).output().unwrap()
}

#[test]
fn a_problem_is_solved_by_every_method_or_refused_with_its_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    for method in ["auto", "lemke", "cg", "active-set", "pgs"] {
        let solved = json(&run(folder.path(), TWO, &["--json", "--method", method]));
        let z = numbers(&solved["z"]);
        assert!((z[0] - 4.0 / 3.0).abs() < 1e-9 && (z[1] - 7.0 / 3.0).abs() < 1e-9, "{method}: {z:?}");
        assert!(solved["residual"].as_f64().unwrap() < 1e-9 && solved["schema"] == "carom-solve lcp 1");
    }
    let hopeless = r#"{"M": {"rows": [0], "cols": [0], "vals": [-1]}, "q": [-1]}"#;
    let message = failure(&run(folder.path(), hopeless, &[]), 4);
    assert!(message.contains("perhaps it has no solution"), "{message}");
    // The problem has no solution in small units either.
    let small = r#"{"M": {"rows": [0], "cols": [0], "vals": [-1]}, "q": [-5e-11]}"#;
    for method in ["auto", "lemke", "cg", "active-set", "pgs"] {
        failure(&run(folder.path(), small, &["--method", method]), 4);
    }
    let outside = r#"{"M": {"rows": [0], "cols": [3], "vals": [1]}, "q": [-1]}"#;
    let message = failure(&run(folder.path(), outside, &[]), 3);
    assert!(message.contains("entry 0 of the matrix is at row 0, column 3"), "{message}");
    failure(&run(folder.path(), "no problem", &[]), 3);
    let message = failure(&run(folder.path(), "{}", &[]), 3);
    assert!(message.contains("lacks a matrix: `M`, or `W` with friction"), "{message}");
    let message = failure(&run(folder.path(), r#"{"W": {"rows": [], "cols": [], "vals": []}}"#, &[]), 3);
    assert!(message.contains("lacks `q`"), "{message}");
    let many = r#"{"W": {"rows": [0, 1, 2], "cols": [0, 1, 2], "vals": [1, 1, 1]},
        "q": [-1, -2.4, -3.2], "mu": [0.5, 0.5], "dim": 3}"#;
    let message = failure(&run(folder.path(), many, &[]), 3);
    assert!(
        message.contains(
            "2 coefficients of friction with 3 components of each contact make 6 rows; the matrix has 3"
        ),
        "{message}"
    );
}

#[test]
fn flags_of_every_command_may_precede_the_subcommand() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("problem.json");
    std::fs::write(&file, TWO).unwrap();
    for flags in [&["-q"][..], &["--json", "-j", "1"], &["-vj1"], &["--threads=2"]] {
        let mut command = Command::cargo_bin("carom-solve").unwrap();
        let output = command.args(flags).arg("lcp").arg(&file).output().unwrap();
        assert!(output.status.success(), "{flags:?}: {output:?}");
        assert_eq!(flags.contains(&"--json"), output.stdout.starts_with(b"{"), "{flags:?}: {output:?}");
    }
    // A result with the name `lcp` is not the subcommand.
    let output =
        Command::cargo_bin("carom-solve").unwrap().args(["-o", "lcp", "none.toml"]).output().unwrap();
    let message = failure(&output, 5);
    assert!(message.contains("none.toml"), "{message}");
}

#[test]
fn a_unit_mass_with_friction_slips_by_coulombs_law() {
    // u = r + q, q_T = −4 along (0.6, 0.8): r_N = 1, r_T = μ r_N against q_T, u_N = 0.
    let folder = tempfile::tempdir().unwrap();
    let slips = r#"{"W": {"rows": [0, 1, 2], "cols": [0, 1, 2], "vals": [1, 1, 1]},
        "q": [-1, -2.4, -3.2], "mu": [0.5], "dim": 3}"#;
    for method in ["auto", "active-set", "pgs"] {
        let solved = json(&run(folder.path(), slips, &["--json", "--method", method]));
        for (key, known) in [("r", [1.0, 0.3, 0.4]), ("u", [0.0, -2.1, -2.8])] {
            let error =
                numbers(&solved[key]).iter().zip(known).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(error < 1e-9, "{method}, {key}: {solved}");
        }
        assert_eq!(solved["solved"], true);
    }
    failure(&run(folder.path(), slips, &["--method", "lemke"]), 2);
}
