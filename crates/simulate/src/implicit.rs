//! The schemes `energy-momentum` and `midpoint`: a scenario as a problem of implicit elastodynamics of
//! `carom-continuum`, and its result.

use carom_continuum::explicit::BodyKind;
use carom_continuum::implicit::{Method, Settings, SetupError, Simulation};
use carom_dynamics::Checkpoint;
use carom_fem::internal_force::PointRule;
use carom_format::ResultError;
use carom_format::result::ResultBody;
use carom_format::scenario::model::{ContactGradient, Elements, Scenario, StepMethod};
use carom_progress::Progress;
use thiserror::Error;

use crate::error::{At, ErrorKind, Kind};
use crate::explicit::{self, ExplicitSetUpError, law_of};
use crate::outcome::{Described, RunEnd, RunSummary, described_whole};
use crate::prepared::Prepared;
use crate::recorder::Recorder;
use crate::run::{Run, RunError};

/// Name of the counter of the points that touched at once, at most.
pub(crate) const MOST_MULTIPLIERS: &str = "most_multipliers";

/// Errors from setting up the schemes `energy-momentum` and `midpoint`.
#[derive(Debug, Error)]
pub enum ImplicitSetUpError {
    /// A body, load or contact as all schemes of unreduced bodies have them.
    #[error(transparent)]
    Whole(#[from] ExplicitSetUpError),
    /// The problem itself.
    #[error(transparent)]
    Problem(#[from] SetupError),
}

impl Kind for ImplicitSetUpError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Input
    }
}

/// Deformable bodies that move through time in implicit steps.
pub(crate) struct ImplicitRun<'a> {
    scenario: &'a Scenario,
    prepared: &'a Prepared,
    simulation: Simulation,
}

impl<'a> ImplicitRun<'a> {
    /// Assembles bodies, loads and contacts.
    ///
    /// * `is_persistent` — true if closing contacts give their energy back
    /// * `time_step` — length of a step \[s\]
    pub(crate) fn new(
        scenario: &'a Scenario,
        prepared: &'a Prepared,
        (method, is_persistent, gradient): (StepMethod, bool, ContactGradient),
        time_step: f64,
    ) -> Result<Self, At<ImplicitSetUpError>> {
        let mut problem = explicit::problem(scenario, prepared).map_err(At::cast)?;
        for body in &mut problem.bodies {
            // Scenarios of these schemes do not choose.
            if let BodyKind::Deformable { rule, .. } = &mut body.kind {
                *rule = PointRule::default();
            }
        }
        let settings = Settings {
            end_time: scenario.simulation.end_time,
            output_every: scenario.simulation.output_every,
            time_step,
            is_persistent,
            is_mixed: gradient == ContactGradient::Mixed,
            method: match method {
                StepMethod::EnergyMomentum => Method::EnergyMomentum,
                StepMethod::Midpoint => Method::Midpoint,
                StepMethod::GeneralisedAlpha { spectral_radius } => Method::GeneralisedAlpha(spectral_radius),
            },
        };
        let simulation = Simulation::new(&problem, settings).map_err(ImplicitSetUpError::from)?;
        let with = |probes, stresses| simulation.with_probes_of_stress(probes, stresses);
        let simulation = explicit::with_probes(scenario, prepared, &problem, with).map_err(At::cast)?;
        Ok(Self { scenario, prepared, simulation })
    }
}

impl Run for ImplicitRun<'_> {
    fn described(&mut self) -> Described {
        described_whole(self.scenario, self.prepared, |number, (spec, _), rest| ResultBody {
            mass: self.simulation.mass(number),
            modes: [self.simulation.n_displacements(number), 0],
            law: law_of(self.scenario, spec).name().to_owned(),
            elements: Elements::Full.name().to_owned(),
            ..rest
        })
    }

    fn resume(&mut self, checkpoint: &Checkpoint) -> Result<(), RunError> {
        Ok(self.simulation.resume(checkpoint).map_err(ResultError::from)?)
    }

    fn run(&mut self, recorder: &mut Recorder, progress: &dyn Progress) -> Result<(), RunError> {
        Ok(self.simulation.run(recorder, progress)?)
    }

    fn end(&mut self, _is_complete: bool, overlaps: Vec<String>) -> Result<RunEnd, RunError> {
        let simulation = &self.simulation;
        let (counts, [_, halved]) = (simulation.counts(), simulation.step_counts());
        let warnings = [&self.prepared.warnings[..], &overlaps, &simulation.warnings()].concat();
        let summary = RunSummary {
            time: simulation.time(),
            steps: simulation.n_steps(),
            integration: None,
            ledger: simulation.summary(),
            contacts: simulation.events().to_vec(),
        };
        let counters = vec![
            ("steps", simulation.n_steps()),
            ("halved_steps", halved),
            ("newton_iterations", counts.iterations),
            ("pattern_analyses", counts.analyses),
            ("lu_factorisations", counts.factorisations),
            (MOST_MULTIPLIERS, simulation.most_touching()),
        ];
        Ok(RunEnd::new(summary, simulation.body_states(), counters, warnings))
    }
}
