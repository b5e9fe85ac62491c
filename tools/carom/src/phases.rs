//! The phases of a run, with the work that was done and its time.

use carom_post::report::Phase;
use carom_report::{Column, Prefix, Table, Value};
use serde::Serialize;

/// The work that was done in a phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Did {
    /// Nothing: everything was up to date.
    UpToDate,
    /// Something was made.
    Made,
    /// An unfinished solution was continued.
    Resumed,
}

impl Did {
    /// In words.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::UpToDate => "up to date",
            Self::Made => "made",
            Self::Resumed => "continued",
        }
    }
}

/// One phase.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Done {
    /// "meshing", "reduction", "solution", "export", "plots", "report".
    pub(crate) name: &'static str,
    /// The work that was done.
    pub(crate) did: Did,
    /// Wall time \[s\], of an earlier run if it was up to date.
    pub(crate) seconds: f64,
    /// True if all or part of the time was spent in an earlier run.
    pub(crate) from_earlier_run: bool,
    /// Notes for the user.
    pub(crate) notes: Vec<String>,
}

impl Done {
    /// For the report.
    pub(crate) fn phase(&self) -> Phase {
        Phase { name: self.name.to_owned(), seconds: self.seconds, is_earlier: self.from_earlier_run }
    }
}

/// A table of all phases as text; `wall` is the time of the present run \[s\].
pub(crate) fn table(done: &[Done], wall: f64) -> String {
    let mut table = Table::new(vec![
        Column::new("phase", "phase", ""),
        Column::new("seconds", "wall time", "s").digits(3).prefixed(Prefix::NONE),
        Column::new("did", "", ""),
    ]);
    let mut push = |name: &str, seconds: f64, words: String| {
        let row = vec![Value::Text(name.to_owned()), seconds.into(), Value::Text(words)];
        table.push(row).expect("the row was made with the columns");
    };
    for phase in done {
        let earlier = if phase.from_earlier_run { ", time of an earlier run" } else { "" };
        push(phase.name, phase.seconds, format!("{}{earlier}", phase.did.words()));
    }
    push("this run", wall, String::new());
    table.to_text()
}
