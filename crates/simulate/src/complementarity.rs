//! The scheme `complementarity`: a scenario as a problem of linear bodies of `carom-continuum`, and its
//! result.

use carom_contact::solver::LcpMethod;
use carom_continuum::complementarity::{BodyOptions, MassKind, Settings, SetupError, Simulation, Stiffness};
use carom_dynamics::Checkpoint;
use carom_format::ResultError;
use carom_format::result::ResultBody;
use carom_format::scenario::model::{BodySpec, DampingSpec, Elements, MassForm, MaterialLaw, Scenario};
use carom_progress::Progress;
use thiserror::Error;

use crate::error::{At, AtKey, ErrorKind, Kind};
use crate::explicit::{self, ExplicitSetUpError, law_of};
use crate::outcome::{Described, RunEnd, RunSummary, described_whole};
use crate::prepared::{Prepared, PreparedModel};
use crate::recorder::Recorder;
use crate::run::{Run, RunError};

/// Errors from setting up the scheme `complementarity`.
#[derive(Debug, Error)]
pub enum ComplementaritySetUpError {
    /// A body, load or contact as all schemes of unreduced bodies have them.
    #[error(transparent)]
    Whole(#[from] ExplicitSetUpError),
    /// Damping of modes, or of the motion against the ground.
    #[error(
        "body `{body}`: unreduced bodies have the damping `{{ stiffness = β }}` alone, β in seconds; remove \
         `ratio` and `mass`"
    )]
    Damping {
        /// Name of the body.
        body: String,
    },
    /// The problem itself.
    #[error(transparent)]
    Problem(#[from] SetupError),
}

impl Kind for ComplementaritySetUpError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Input
    }
}

/// Linear bodies that move through time with contact as a complementarity problem.
pub(crate) struct ComplementarityRun<'a> {
    scenario: &'a Scenario,
    prepared: &'a Prepared,
    simulation: Simulation,
}

impl<'a> ComplementarityRun<'a> {
    /// Assembles bodies, loads and contacts.
    ///
    /// * `time_step` — length of a step \[s\]
    pub(crate) fn new(
        scenario: &'a Scenario,
        prepared: &'a Prepared,
        (mass, method): (MassForm, Option<LcpMethod>),
        time_step: f64,
    ) -> Result<Self, At<ComplementaritySetUpError>> {
        let problem = explicit::problem(scenario, prepared).map_err(At::cast)?;
        let mut options = Vec::with_capacity(scenario.body.len());
        for (i, spec) in scenario.body.iter().enumerate() {
            let damping = damping(spec).map_err(|error| error.at(format!("body.{i}.damping")))?;
            let stiffness = match law_of(scenario, spec) {
                MaterialLaw::ScalarWave => Stiffness::ScalarWave,
                _ => Stiffness::Elastic,
            };
            options.push(BodyOptions { stiffness, damping });
        }
        let settings = Settings {
            end_time: scenario.simulation.end_time,
            output_every: scenario.simulation.output_every,
            time_step,
            mass: match mass {
                MassForm::Consistent => MassKind::Consistent,
                MassForm::Lumped => MassKind::Lumped,
                MassForm::Redistributed => MassKind::Redistributed,
            },
            method,
        };
        let simulation =
            Simulation::new(&problem, &options, settings).map_err(ComplementaritySetUpError::from)?;
        let with = |probes, stresses| simulation.with_probes_of_stress(probes, stresses);
        let simulation = explicit::with_probes(scenario, prepared, &problem, with).map_err(At::cast)?;
        Ok(Self { scenario, prepared, simulation })
    }
}

/// β of the viscous damping of a body \[s\].
fn damping(spec: &BodySpec) -> Result<f64, ComplementaritySetUpError> {
    let Some(damping) = &spec.damping else { return Ok(0.0) };
    let alone = DampingSpec { stiffness: damping.stiffness, ..DampingSpec::default() };
    if *damping != alone {
        return Err(ComplementaritySetUpError::Damping { body: spec.name.clone() });
    }
    Ok(damping.stiffness)
}

impl Run for ComplementarityRun<'_> {
    fn described(&mut self) -> Described {
        described_whole(self.scenario, self.prepared, |number, (spec, ready), rest| {
            let is_deformable = matches!(ready.model, PreparedModel::Deformable(_));
            let if_deformable = |name: &str| if is_deformable { name.to_owned() } else { String::new() };
            ResultBody {
                mass: self.simulation.mass(number),
                modes: [self.simulation.n_displacements(number), 0],
                law: if_deformable(law_of(self.scenario, spec).name()),
                elements: if_deformable(Elements::Full.name()),
                ..rest
            }
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
        let counts = simulation.counts();
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
            ("contact_problems", counts.problems),
            ("contact_rows", counts.rows),
            ("most_multipliers", counts.most_touching),
        ];
        Ok(RunEnd::new(summary, simulation.body_states(), counters, warnings))
    }
}
