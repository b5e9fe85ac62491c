//! What the files of a run take.

use std::path::Path;

use serde::Serialize;

use crate::folder::Layout;

/// Sizes of files \[bytes\].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) struct Disk {
    /// Body files.
    bodies: u64,
    /// Reduced models.
    models: u64,
    /// The result.
    result: u64,
    /// ParaView files.
    paraview: u64,
    /// Plots and report.
    plots: u64,
    /// All of the folder, with what is not carom's.
    total: u64,
}

impl Disk {
    /// Of the files that are there now.
    pub(crate) fn of(layout: &Layout) -> Self {
        let models = bytes(&layout.bodies, &|path| path.extension().is_some_and(|ending| ending == "rom"));
        Self {
            bodies: bytes(&layout.bodies, &all) - models,
            models,
            result: bytes(&layout.result, &all),
            paraview: bytes(&layout.paraview, &all),
            plots: bytes(&layout.plots, &all) + bytes(&layout.report, &all),
            total: bytes(&layout.root, &all),
        }
    }

    /// One line for people.
    pub(crate) fn text(&self) -> String {
        let Self { bodies, models, result, paraview, plots, total } = self;
        let parts = [
            ("bodies", bodies),
            ("models", models),
            ("result", result),
            ("ParaView", paraview),
            ("plots and report", plots),
        ];
        let parts = parts.map(|(what, bytes)| format!("{what} {}", megabytes(*bytes)));
        format!("{} MB of files ({})", megabytes(*total), parts.join(", "))
    }
}

/// With a digit below 100.
fn megabytes(bytes: u64) -> String {
    let megabytes = bytes as f64 / 1e6;
    if megabytes < 100.0 { format!("{megabytes:.1}") } else { format!("{megabytes:.0}") }
}

fn all(_: &Path) -> bool {
    true
}

/// Sizes of a file, or of those below a folder, that are counted; links and what cannot be read count
/// nothing.
fn bytes(path: &Path, counts: &dyn Fn(&Path) -> bool) -> u64 {
    let Ok(found) = path.symlink_metadata() else { return 0 };
    if found.is_dir() {
        let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
        return entries.map(|entry| bytes(&entry.path(), counts)).sum();
    }
    if found.is_file() && counts(path) { found.len() } else { 0 }
}
