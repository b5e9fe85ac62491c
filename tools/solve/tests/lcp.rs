//! `carom-solve lcp`: what it prints, and what it refuses with which exit code.

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
    let outside = r#"{"M": {"rows": [0], "cols": [3], "vals": [1]}, "q": [-1]}"#;
    let message = failure(&run(folder.path(), outside, &[]), 3);
    assert!(message.contains("entry 0 of the matrix is at row 0, column 3"), "{message}");
    failure(&run(folder.path(), "no problem", &[]), 3);
}
