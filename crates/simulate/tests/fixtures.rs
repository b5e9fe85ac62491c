//! Running scenarios in folders of their own, for all tests of this package.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use carom_format::{ResultReader, Scenario};
use carom_progress::{Progress, Silent};
use carom_simulate::{
    At, ErrorKind, PrepareError, Prepared, RunError, RunOptions, RunOutcome, Users, Workshop, prepare, run,
};
use tempfile::TempDir;

/// Options of a run that replaces a result.
pub(crate) const REPLACE: RunOptions = RunOptions { replace: true, resume: false };

/// Options of a run that continues a result.
pub(crate) const RESUME: RunOptions = RunOptions { replace: false, resume: true };

/// A scenario from its text, with keys changed as by `--set`.
pub(crate) fn parse(text: &str, overrides: &[&str]) -> Scenario {
    read(text, overrides).unwrap_or_else(|message| panic!("{message}"))
}

/// A scenario with changed keys, or the message of its refusal.
pub(crate) fn read(text: &str, overrides: &[&str]) -> Result<Scenario, String> {
    let overrides: Vec<_> = overrides.iter().map(|text| (*text).into()).collect();
    Scenario::parse(Path::new("test.toml"), text, &overrides, &["steel", "pmma"])
        .map_err(|error| error.to_string())
}

/// Prepares and runs a scenario in a folder that is removed afterwards.
pub(crate) fn solve(text: &str) -> Result<RunOutcome, Failed> {
    solve_with(text, &[])
}

/// Prepares and runs a scenario with keys changed as by `--set`.
pub(crate) fn solve_with(text: &str, overrides: &[&str]) -> Result<RunOutcome, Failed> {
    Chain::new().solve(&parse(text, overrides))
}

/// Checks that a scenario is refused as an input, at a key and with words.
pub(crate) fn is_refused(text: &str, key: &str, words: &[&str]) {
    let error = solve_with(text, &[]).expect_err(words[0]);
    assert_eq!(error.kind(), ErrorKind::Input, "{error}");
    assert_eq!(error.key(), Some(key), "{error}");
    assert!(words.iter().all(|word| error.to_string().contains(word)), "{error}");
}

/// The bodies of a scenario, held in memory.
pub(crate) fn bodies_of(scenario: &Scenario) -> Prepared {
    Chain::new().prepare(scenario).unwrap()
}

/// The tables that hold sets of a body, each in some directions: `("west", "x")`.
pub(crate) fn supports(body: &str, sets: &[(&str, &str)]) -> String {
    let table = |(set, axes): &(&str, &str)| {
        let axes: Vec<String> = axes.chars().map(|axis| format!("\"{axis}\"")).collect();
        format!("[[support]]\non = \"{body}:{set}\"\ndirections = [{}]\n", axes.join(", "))
    };
    sets.iter().map(table).collect()
}

/// A folder with a scenario, its bodies in `bodies`, and its result.
pub(crate) struct Chain {
    folder: TempDir,
    bodies: PathBuf,
}

impl Chain {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { bodies: folder.path().join("bodies"), folder }
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The folder of bodies and models.
    pub(crate) fn bodies(&self) -> &Path {
        &self.bodies
    }

    pub(crate) fn workshop(&self) -> Workshop<'_> {
        Workshop { scenario_folder: self.folder(), bodies: &self.bodies, users: Users::One }
    }

    pub(crate) fn result(&self) -> PathBuf {
        self.folder().join("result.carom")
    }

    pub(crate) fn reader(&self) -> ResultReader {
        ResultReader::open(&self.result()).unwrap()
    }

    pub(crate) fn prepare(&self, scenario: &Scenario) -> Result<Prepared, Failed> {
        prepare(scenario, self.workshop(), &Silent).map_err(Failed::Prepare)
    }

    /// Runs a scenario with bodies that are ready.
    pub(crate) fn run(
        &self,
        scenario: &Scenario,
        bodies: &Prepared,
        options: RunOptions,
    ) -> Result<RunOutcome, Failed> {
        self.run_until(scenario, bodies, options, &Silent)
    }

    /// Runs a scenario with bodies that are ready until the user stops it.
    pub(crate) fn run_until(
        &self,
        scenario: &Scenario,
        bodies: &Prepared,
        options: RunOptions,
        user: &dyn Progress,
    ) -> Result<RunOutcome, Failed> {
        run(scenario, self.folder(), bodies, &self.result(), options, user).map_err(Failed::Run)
    }

    pub(crate) fn solve(&self, scenario: &Scenario) -> Result<RunOutcome, Failed> {
        self.solve_with(scenario, RunOptions::default())
    }

    pub(crate) fn solve_with(&self, scenario: &Scenario, options: RunOptions) -> Result<RunOutcome, Failed> {
        self.run(scenario, &self.prepare(scenario)?, options)
    }
}

/// The error of preparing or of running a scenario.
#[derive(Debug)]
pub(crate) enum Failed {
    Prepare(At<PrepareError>),
    Run(At<RunError>),
}

impl Failed {
    pub(crate) fn key(&self) -> Option<&str> {
        match self {
            Self::Prepare(error) => error.key(),
            Self::Run(error) => error.key(),
        }
    }

    pub(crate) fn kind(&self) -> ErrorKind {
        match self {
            Self::Prepare(error) => error.kind(),
            Self::Run(error) => error.kind(),
        }
    }
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Prepare(error) => error.fmt(f),
            Self::Run(error) => error.fmt(f),
        }
    }
}

/// A progress observer that requests a stop after a number of queries.
pub(crate) struct Impatient {
    left: AtomicUsize,
}

impl Impatient {
    pub(crate) fn after(questions: usize) -> Self {
        Self { left: AtomicUsize::new(questions) }
    }
}

impl Progress for Impatient {
    fn begin(&self, _name: &str, _total: u64) {}
    fn set(&self, _done: u64) {}
    fn note(&self, _text: &str) {}
    fn end(&self) {}
    fn interrupted(&self) -> bool {
        self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_err()
    }
}

/// One classical Runge-Kutta step of y' = f(y).
pub(crate) fn runge_kutta<const N: usize>(
    rate: impl Fn([f64; N]) -> [f64; N],
    y: [f64; N],
    h: f64,
) -> [f64; N] {
    let along = |k: [f64; N], h: f64| std::array::from_fn(|i| y[i] + h * k[i]);
    let k1 = rate(y);
    let k2 = rate(along(k1, 0.5 * h));
    let k3 = rate(along(k2, 0.5 * h));
    let k4 = rate(along(k3, h));
    std::array::from_fn(|i| y[i] + h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]))
}
