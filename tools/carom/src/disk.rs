//! Sizes of the files of a run.

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
    /// Plots and report with its tables.
    plots: u64,
    /// The whole folder, with files of others.
    total: u64,
}

impl Disk {
    /// Measures the existing files in the folder of the run.
    pub(crate) fn of(layout: &Layout) -> Self {
        let bodies = layout.own_bodies();
        let models = bytes(&bodies, &|path| path.extension().is_some_and(|ending| ending == "rom"));
        Self {
            bodies: bytes(&bodies, &all) - models,
            models,
            result: bytes(&layout.result, &all),
            paraview: bytes(&layout.paraview, &all),
            plots: [&layout.plots, &layout.report, &layout.tables].map(|path| bytes(path, &all)).iter().sum(),
            total: bytes(&layout.root, &all),
        }
    }

    /// One line of text.
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

/// Megabytes, with one decimal below 100.
fn megabytes(bytes: u64) -> String {
    let megabytes = bytes as f64 / 1e6;
    if megabytes < 100.0 { format!("{megabytes:.1}") } else { format!("{megabytes:.0}") }
}

fn all(_: &Path) -> bool {
    true
}

/// Size of a file, or of the counted files below a folder; links and unreadable files count as 0.
fn bytes(path: &Path, counts: &dyn Fn(&Path) -> bool) -> u64 {
    let Ok(found) = path.symlink_metadata() else { return 0 };
    if found.is_dir() {
        let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
        return entries.map(|entry| bytes(&entry.path(), counts)).sum();
    }
    if found.is_file() && counts(path) { found.len() } else { 0 }
}
