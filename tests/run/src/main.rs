//! Runs all tests and ends with their number and with a list of those that were skipped, with the reasons:
//!
//! ```text
//! cargo run -q -p carom-tests -- [--complete] [arguments of `cargo test`]
//! ```
//!
//! The exit code is that of `cargo test`, with `--no-fail-fast`. Under `--complete` it is 1 as well where a
//! test was skipped for anything but reference data and PETSc. The tests of `carom-gmsh`, which alone links
//! Gmsh, are run where the machine has Gmsh's headers.
//!
//! Tests record what they skip through `carom_testing::machine`; [`skipped`] reads it. This package has no
//! dependencies, so that building it builds nothing twice.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use skipped::Record;
use totals::Totals;

mod skipped;
mod totals;

/// True if the arguments select packages, so that this program adds none.
fn names_packages(arguments: &[String]) -> bool {
    let choices = ["-p", "--package", "--workspace", "--all", "--exclude", "--manifest-path"];
    arguments.iter().take_while(|argument| *argument != "--").any(|argument| {
        choices.iter().any(|choice| argument == choice || argument.starts_with(&format!("{choice}=")))
    })
}

/// True if the package that links Gmsh can be built.
fn has_gmsh() -> bool {
    std::env::var_os("GMSH_LIB_DIR").is_some()
        || ["/usr/include", "/usr/local/include"]
            .iter()
            .any(|folder| Path::new(folder).join("gmshc.h").exists())
}

/// Runs `cargo test` with the file of the records, passes its output on and counts what it reports.
fn cargo_test(arguments: &[String], records: &Path) -> std::io::Result<(Totals, bool)> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    // Without incremental data a build from scratch needs a third less time and less than half of the disk
    // space.
    let incremental = std::env::var_os("CARGO_INCREMENTAL").unwrap_or_else(|| "0".into());
    let mut child = Command::new(cargo)
        .env("CARGO_INCREMENTAL", incremental)
        .args(["test", "--no-fail-fast"])
        .args(arguments)
        .env(skipped::RECORDS, records)
        .stdout(Stdio::piped())
        .spawn()?;
    let mut totals = Totals::default();
    for line in BufReader::new(child.stdout.take().expect("the output is piped")).lines() {
        let line = line?;
        println!("{line}");
        totals.add(&line);
    }
    Ok((totals, child.wait()?.success()))
}

fn run() -> std::io::Result<bool> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let complete = arguments.first().is_some_and(|first| first == "--complete");
    if complete {
        arguments.remove(0);
    }
    let records = std::env::temp_dir().join(format!("carom-skipped-{}", std::process::id()));
    let mut more = Vec::new();
    if !names_packages(&arguments) {
        if has_gmsh() {
            arguments.insert(0, "--workspace".to_owned());
        } else {
            more.push(Record {
                reason: "Gmsh: no header gmshc.h: apt install libgmsh-dev".to_owned(),
                package: "carom-gmsh".to_owned(),
                test: "all tests of the package".to_owned(),
            });
        }
    }
    std::fs::write(&records, "")?;
    let ended = cargo_test(&arguments, &records);
    let text = std::fs::read_to_string(&records)?;
    std::fs::remove_file(&records)?;
    let (totals, passed) = ended?;
    let skipped = skipped::read(&text, more);
    println!("\n{totals}\n{}", skipped::list(&skipped));
    Ok(passed && !(complete && skipped.iter().any(|record| !record.is_optional())))
}

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("carom-tests: {error}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use super::names_packages;

    #[test]
    fn a_choice_of_packages_by_the_caller_is_recognised() {
        let of = |text: &str| names_packages(&text.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
        assert!(of("-p carom-fem") && of("--package=carom-fem") && of("--release --workspace"));
        assert!(!of("") && !of("--release") && !of("friction -- -p"));
    }
}
