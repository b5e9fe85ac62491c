//! Running `carom` in a folder of its own.

use std::path::Path;
use std::process::{Command, Output};

use assert_cmd::cargo::CommandCargoExt;
use carom_testing::program;
pub(crate) use carom_testing::scenarios::RIGID_BALL_ON_PLATE as SMALL;
use serde_json::Value;
use tempfile::TempDir;

/// A temporary folder in which the program runs.
pub(crate) struct Place(TempDir);

impl Place {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path().join(name), text).unwrap();
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::cargo_bin("carom").unwrap();
        command.args(args).current_dir(self.path()).env_remove("NO_COLOR");
        command
    }

    /// Runs a command that succeeds.
    pub(crate) fn ok(&self, args: &[&str]) -> Output {
        let output = self.command(args).output().unwrap();
        assert!(output.status.success(), "carom {args:?} failed: {}", program::printed(&output));
        output
    }

    /// Its JSON object.
    pub(crate) fn json(&self, args: &[&str]) -> Value {
        let object = program::json(&self.ok(&[args, &["--json"]].concat()));
        assert!(object["schema"].as_str().unwrap().starts_with("carom "), "{object:#}");
        object
    }

    /// Runs a command that fails with this exit code, and returns its message.
    pub(crate) fn fails(&self, args: &[&str], code: i32) -> String {
        let output = self.command(args).output().unwrap();
        let errors = program::printed(&output);
        assert_eq!(output.status.code(), Some(code), "carom {args:?}: {errors}");
        assert!(errors.lines().any(|line| line.starts_with("error: ")), "{errors}");
        errors
    }
}

/// The work that was done in a phase.
pub(crate) fn did<'a>(summary: &'a Value, phase: &str) -> &'a str {
    entry(summary, phase)["did"].as_str().unwrap()
}

/// Wall time \[s\].
pub(crate) fn seconds_of(summary: &Value, phase: &str) -> f64 {
    entry(summary, phase)["seconds"].as_f64().unwrap()
}

fn entry<'a>(summary: &'a Value, phase: &str) -> &'a Value {
    summary["phases"].as_array().unwrap().iter().find(|entry| entry["name"] == phase).unwrap()
}
