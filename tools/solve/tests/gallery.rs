//! Figures stated in pages of the gallery agree with their scenarios.

use std::path::PathBuf;

use assert_cmd::Command;
use carom_testing::program::json;

fn case(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "../../meshes", name].iter().collect()
}

/// The number at the beginning of the second column of the row `| title | … |` of a page; thousands are set
/// apart.
fn stated(page: &str, title: &str) -> f64 {
    let row = page.lines().find_map(|line| line.strip_prefix(&format!("| {title} | ")));
    let row = row.unwrap_or_else(|| panic!("no row `{title}`"));
    let figure: String = row.chars().take_while(|c| c.is_ascii_digit() || *c == '.' || *c == ' ').collect();
    figure
        .replace(' ', "")
        .parse()
        .unwrap_or_else(|_| panic!("`{title}` does not begin with a number: {row}"))
}

#[test]
fn the_crank_press_needs_the_number_of_steps_in_its_page() {
    let folder = tempfile::tempdir().unwrap();
    let case = case("slider-crank");
    let mut command = Command::cargo_bin("carom-solve").unwrap();
    command.arg(case.join("scenario.toml")).arg("-o").arg(folder.path().join("press.carom")).arg("--json");
    let solved = json(&command.output().unwrap());
    println!("{} {} {} {}", solved["steps"], solved["seconds"], solved["energy"], solved["angular_momentum"]);
    let page = std::fs::read_to_string(case.join("README.md")).unwrap();
    // Rounding of another processor may change a few steps.
    let steps = solved["steps"].as_f64().unwrap();
    assert!((steps / stated(&page, "steps") - 1.0).abs() < 1e-3, "{steps}");
    assert!(solved["energy"]["max_relative_error"].as_f64().unwrap() < 1e-6);
}
