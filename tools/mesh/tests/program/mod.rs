//! Runs `carom-mesh` in tests.

use assert_cmd::Command;
use carom_testing::program;
use serde_json::Value;
use tempfile::TempDir;

pub(crate) fn carom_mesh() -> Command {
    Command::cargo_bin("carom-mesh").unwrap()
}

/// Runs a command that must succeed and returns its JSON object.
pub(crate) fn json(args: &[&str]) -> Value {
    program::json(&carom_mesh().args(args).arg("--json").output().unwrap())
}

/// Runs a command that must fail with this exit code and returns its message.
pub(crate) fn fails(args: &[&str], code: i32) -> String {
    program::failure(&carom_mesh().args(args).output().unwrap(), code)
}

pub(crate) fn path(dir: &TempDir, name: &str) -> String {
    dir.path().join(name).to_str().unwrap().to_owned()
}
