//! The command line of `carom-solve`, its help and its completions.

use assert_cmd::Command;
use carom_testing::program::json;
use carom_testing::scenarios::PENDULUM;

#[test]
fn examples_of_the_help_are_valid_calls() {
    assert_eq!(carom_cli::examples::check(&carom_solve::command()), Ok(()));
}

#[test]
fn values_come_from_a_row_of_a_file_and_bodies_lie_in_a_shared_folder() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("rod.toml"), PENDULUM).unwrap();
    std::fs::write(folder.path().join("p.csv"), "simulation.end_time\n0.01\n0.02\n").unwrap();
    let solve = |row: &str| {
        let out = format!("{row}.carom");
        let words =
            ["rod.toml", "--params", "p.csv", "--row", row, "--bodies", "shared", "-o", &out, "--json"];
        json(&Command::cargo_bin("carom-solve").unwrap().args(words).current_dir(&folder).output().unwrap())
    };
    assert_eq!(["1", "2"].map(|row| solve(row)["end_time"].as_f64().unwrap()), [0.01, 0.02]);
    let mut names: Vec<String> = std::fs::read_dir(folder.path().join("shared"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert!(names.len() == 2 && names[1] == format!("{}.recipe", names[0]), "{names:?}");
    assert!(!folder.path().join("1.carom.bodies").exists());
}

#[test]
fn completions_and_manual_cover_scenarios_and_lcp() {
    let folder = tempfile::tempdir().unwrap();
    let ask = |words: &[&str]| {
        let ran =
            Command::cargo_bin("carom-solve").unwrap().arg("--command-line").args(words).output().unwrap();
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
        String::from_utf8(ran.stdout).unwrap()
    };
    let script = ask(&["completions", "bash"]);
    for word in ["--resume", "lcp", "--method", "active-set"] {
        assert!(script.contains(word), "{word}");
    }
    let pages = ask(&["man", folder.path().to_str().unwrap()]);
    let names: Vec<_> = pages.lines().map(|path| path.rsplit('/').next().unwrap()).collect();
    assert_eq!(names, ["carom-solve.1", "carom-solve-lcp.1"]);
    let page = std::fs::read_to_string(folder.path().join("carom-solve-lcp.1")).unwrap();
    assert!(page.contains("complementarity"), "{page}");
}
