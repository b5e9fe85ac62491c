//! Runs a scenario through the chain, in memory where possible.

use std::fmt::Write as _;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use carom_cli::Failure;
use carom_format::ReadArchiveError;
use carom_format::scenario::Override;
use carom_post::Run;
use carom_progress::Progress;
use carom_simulate::{
    At, PrepareError, PreparedModel, RunError, RunOptions, RunOutcome, Users, Workshop, prepare, run,
};
use carom_solve::read_scenario;

/// Errors of running a case.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// The scenario or a part of the case is not valid.
    #[error("{0}")]
    Scenario(String),
    /// The bodies cannot be prepared.
    #[error(transparent)]
    Prepare(#[from] At<PrepareError>),
    /// The run failed.
    #[error(transparent)]
    Run(#[from] At<RunError>),
    /// The result cannot be read.
    #[error(transparent)]
    Result(#[from] carom_post::RunError),
    /// A model cannot be read.
    #[error(transparent)]
    Model(#[from] ReadArchiveError),
    /// A picture cannot be drawn.
    #[error("no picture: {0}")]
    Picture(String),
    /// A file cannot be written.
    #[error("cannot write `{path}`: {source}")]
    Write {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file cannot be read.
    #[error("cannot read `{path}`: {source}")]
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The reference data of a case are not part of the project.
    #[error("CAROM_SHARED_DATA does not name the folder of the reference data")]
    NoData,
    /// There was no impact, or more than one.
    #[error("{scenario}: {count} impacts where one was expected")]
    Impacts {
        /// Name of the scenario.
        scenario: String,
        /// Their number.
        count: usize,
    },
}

/// The folder and the progress observer of cases.
pub struct Bench<'a> {
    /// Folder of bodies, models and results; up-to-date files are reused.
    pub folder: &'a Path,
    /// Progress bars.
    pub progress: &'a dyn Progress,
}

/// One impact of two bodies.
#[derive(Debug, Clone)]
pub struct Impact {
    /// Largest force \[N\].
    pub peak_force: f64,
    /// Duration \[s\].
    pub duration: f64,
    /// Largest error of the energy balance over the run, relative to the energy.
    pub energy_error: f64,
    /// Largest error of the momentum balance.
    pub momentum_error: f64,
    /// Velocities of the bodies' centres of mass after the impact \[m/s\].
    pub velocities: Vec<[f64; 3]>,
    /// Steps, rejected ones included.
    pub steps: u64,
    /// Right-hand sides.
    pub right_hand_sides: u64,
    /// CPU time of the time loop \[s\].
    pub cpu_seconds: f64,
}

impl Bench<'_> {
    /// Runs a scenario given as text.
    ///
    /// * `name` — name of the files and of the folder of the bodies
    /// * `split` — frequency up to which all bodies' modes are dynamic \[Hz\], in place of that of
    ///   the scenario
    ///
    /// # Errors
    ///
    /// [`BenchError`].
    pub fn run(&self, name: &str, text: &str, split: Option<f64>) -> Result<RunOutcome, BenchError> {
        self.run_with(name, text, split, &[])
    }

    /// Runs a scenario with changed settings, in the form of `--set` of `carom-solve`.
    ///
    /// # Errors
    ///
    /// [`BenchError`].
    pub fn run_with(
        &self,
        name: &str,
        text: &str,
        split: Option<f64>,
        overrides: &[String],
    ) -> Result<RunOutcome, BenchError> {
        let path = self.folder.join(format!("{name}.toml"));
        self.place(&format!("{name}.toml"), text)?;
        let overrides: Vec<Override> = overrides.iter().cloned().map(Override::from).collect();
        let scenario = read_scenario(&path, &overrides)
            .map_err(|error: Failure| BenchError::Scenario(error.to_string()))?;
        let bodies = self.folder.join(name);
        let workshop = Workshop { scenario_folder: self.folder, bodies: &bodies, users: Users::One };
        let mut prepared = prepare(&scenario, workshop, self.progress)?;
        if let Some(hz) = split {
            for body in &mut prepared.bodies {
                if let PreparedModel::Reduced(model) = &mut body.model {
                    let model = Arc::make_mut(model);
                    let omega = 2.0 * std::f64::consts::PI * hz;
                    model.n_low = model.omega.partition_point(|&w| w <= omega);
                }
            }
        }
        let options = RunOptions { replace: true, resume: false };
        Ok(run(&scenario, self.folder, &prepared, &self.result_path(name), options, self.progress)?)
    }

    /// Runs a scenario with one impact.
    ///
    /// # Errors
    ///
    /// [`BenchError`]; [`BenchError::Impacts`] if the bodies do not meet exactly once.
    pub fn impact(&self, name: &str, text: &str, split: Option<f64>) -> Result<Impact, BenchError> {
        let outcome = self.run(name, text, split)?;
        let [event] = outcome.summary.contacts.as_slice() else {
            let (scenario, count) = (name.to_owned(), outcome.summary.contacts.len());
            return Err(BenchError::Impacts { scenario, count });
        };
        let ledger = &outcome.summary.ledger;
        let counters = outcome.summary.integration.unwrap_or_default();
        Ok(Impact {
            peak_force: event.peak_force,
            duration: event.end - event.start,
            energy_error: ledger.energy_error,
            momentum_error: ledger.momentum_error,
            velocities: outcome.bodies.iter().map(|body| body.velocity).collect(),
            steps: outcome.summary.steps + counters.rejected,
            right_hand_sides: counters.evaluations,
            cpu_seconds: outcome.cpu_seconds,
        })
    }

    /// Dofs of all bodies of a result that are not rigid.
    ///
    /// # Errors
    ///
    /// [`BenchError::Result`].
    pub(crate) fn dofs(run: &Run) -> Result<usize, BenchError> {
        let mut dofs = 0;
        for number in 0..run.header().bodies.len() {
            let body = run.load_body(number)?;
            dofs += if body.meta.rigid { 0 } else { 3 * body.n_points() };
        }
        Ok(dofs)
    }

    /// Writes a body file next to the scenario that names it.
    ///
    /// # Errors
    ///
    /// [`BenchError::Write`].
    pub fn place(&self, name: &str, contents: impl AsRef<[u8]>) -> Result<(), BenchError> {
        let path = self.folder.join(name);
        fs::create_dir_all(self.folder)
            .and_then(|()| fs::write(&path, contents))
            .map_err(|source| BenchError::Write { path, source })
    }

    /// Opens the result of a scenario that was run.
    ///
    /// # Errors
    ///
    /// [`BenchError::Result`].
    pub fn open(&self, name: &str) -> Result<Run, BenchError> {
        Ok(Run::open(&self.result_path(name))?)
    }

    /// Removes the bodies and models of an earlier run of a scenario, so that the next run shows their cost.
    ///
    /// # Errors
    ///
    /// [`BenchError::Write`].
    pub(crate) fn clear(&self, name: &str) -> Result<(), BenchError> {
        let path = self.folder.join(name);
        match fs::remove_dir_all(&path) {
            Err(source) if source.kind() != ErrorKind::NotFound => Err(BenchError::Write { path, source }),
            _ => Ok(()),
        }
    }

    fn result_path(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.carom"))
    }
}

/// Steel of the balls; `density` \[kg/m³\].
pub(crate) fn steel(density: f64) -> String {
    format!("[material.steel]\ndensity = {density}\nyoung = 210e9\npoisson = 0.3\n")
}

/// Head of a scenario.
pub(crate) fn simulation(end_time: f64) -> String {
    format!(
        "[simulation]\nscheme = \"quasistatic\"\nend_time = {end_time:e}\noutput_every = {:e}\n",
        end_time / 200.0
    )
}

/// A ball of 15 mm radius whose pole points along its `velocity`.
pub(crate) struct Ball {
    pub(crate) name: &'static str,
    /// Contact radius for the size of the mesh \[m\].
    pub(crate) contact_radius: f64,
    /// Knot spans in the contact radius.
    pub(crate) spans: f64,
    /// Radius of the fine part of the surface over the contact radius.
    pub(crate) fine: f64,
    /// Radius of the contact zone `spot` over the contact radius, not larger.
    pub(crate) zone: f64,
    pub(crate) modes: usize,
    pub(crate) split: f64,
    pub(crate) position: [f64; 3],
    pub(crate) rotation: (&'static str, f64),
    pub(crate) velocity: [f64; 3],
}

impl Ball {
    /// The table of the ball in a scenario.
    pub(crate) fn table(&self) -> String {
        let Self { name, contact_radius, spans, fine, zone, modes, split, position, rotation, velocity } =
            self;
        let mut text = String::new();
        let [fine, zone] = [fine, zone].map(|factor| factor * contact_radius);
        let finest = contact_radius / spans;
        writeln!(text, "[[body]]\nname = \"{name}\"\nmaterial = \"steel\"").expect("a string takes all");
        writeln!(
            text,
            "make = {{ shape = \"ball\", radius = 0.015, focus = 2.5, pole_radius = {fine:e}, \
             grade = {{ at = \"pole\", finest = {finest:e} }} }}"
        )
        .expect("a string takes all");
        writeln!(
            text,
            "zone = [{{ name = \"spot\", set = \"pole\", center = [0.0, 0.0, 0.015], radius = {zone:e} }}]"
        )
        .expect("a string takes all");
        writeln!(text, "reduce = {{ interface = [\"spot\"], modes = {modes}, split = {split:e} }}")
            .expect("a string takes all");
        writeln!(text, "position = {position:?}\nvelocity = {velocity:?}").expect("a string takes all");
        writeln!(text, "rotation = {{ axis = {}, degrees = {:?} }}", rotation.0, rotation.1)
            .expect("a string takes all");
        text
    }
}
