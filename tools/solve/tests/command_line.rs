//! The command line of `carom-solve`, its help and its completions.

use assert_cmd::Command;

#[test]
fn examples_of_the_help_are_valid_calls() {
    assert_eq!(carom_cli::examples::check(&carom_solve::command()), Ok(()));
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
