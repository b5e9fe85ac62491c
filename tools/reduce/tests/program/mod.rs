//! Runs the program in a folder.

use std::path::Path;
use std::process::Output;

use assert_cmd::Command;
use carom_testing::program;
use serde_json::Value;

pub(crate) fn run(folder: &Path, line: &str) -> Output {
    Command::cargo_bin("carom-reduce").unwrap().current_dir(folder).args(line.split(' ')).output().unwrap()
}

pub(crate) fn json(folder: &Path, line: &str) -> Value {
    program::json(&run(folder, line))
}

pub(crate) fn failure(folder: &Path, code: i32, line: &str) -> String {
    program::failure(&run(folder, line), code)
}
