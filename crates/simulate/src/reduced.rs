//! Runs of reduced and rigid bodies in a floating frame: the schemes `quasistatic`, `dynamic` and `damped`.

use carom_dynamics::{Checkpoint, ErrorEstimate};
use carom_format::result::StoredResponse;
use carom_format::scenario::model::{Integrator, JointForm, Scenario, TimeIntegration};
use carom_integrate::{ConstraintForm, ImplicitMethod, IntegratorKind, Method, SpectralRadius};
use carom_multibody::{Settings, Simulation, Start};
use carom_progress::Progress;

use crate::equilibrium;
use crate::error::{At, AtKey};
use crate::foresee::choice_sentences;
use crate::imported_models::{doubtful_imports, tied_frames};
use crate::outcome::{Described, RunEnd, RunSummary, names_of_ends, unbalanced};
use crate::prepared::{Prepared, PreparedModel};
use crate::recorder::Recorder;
use crate::refinement::{FAR, Refinement, refinement};
use crate::rigid_partner::too_rigid;
use crate::run::{Run, RunError};
use crate::system::error::AssembleError;
use crate::system::{Assembled, joints, probes, response, stresses, system};

/// Largest relative error of the energy that a run claims if the scenario gives no tolerance.
const ENERGY_ERROR: f64 = 1e-3;

/// Largest number of contacts with a sentence of their own about their expected error.
const MOST_ESTIMATES: usize = 10;

/// A run of reduced and rigid bodies.
pub(crate) struct ReducedRun<'a> {
    scenario: &'a Scenario,
    prepared: &'a Prepared,
    relative_tolerance: Option<f64>,
    simulation: Simulation,
    described: Option<Described>,
    /// Choices that the set-up made where the scenario leaves them open.
    notes: Vec<String>,
    /// Warnings about the bodies.
    of_bodies: Vec<String>,
    /// Harmonic response about the equilibrium in which the run starts.
    responses: Vec<StoredResponse>,
}

impl<'a> ReducedRun<'a> {
    /// Puts the system together, with joints that satisfy their equations at the start.
    pub(crate) fn new(
        scenario: &'a Scenario,
        prepared: &'a Prepared,
        settings: &TimeIntegration,
        progress: &dyn Progress,
    ) -> Result<Self, At<AssembleError>> {
        let Assembled { system, placements, bodies, pairs, mut notes, mut warnings } =
            system(scenario, prepared)?;
        let stresses = stresses::stresses(scenario, prepared, |index| system.bodies().get(index), &pairs)?;
        warnings.extend(stresses.warnings);
        notes.extend(tied_frames(scenario, prepared));
        let described = Described {
            bodies,
            pairs,
            joints: joints::described(scenario),
            probes: probes::described(scenario),
        };
        let probes = probes::probes(scenario, prepared, system.bodies()).map_err(At::cast)?;
        let settings_of_loop = of_time_loop(scenario, settings)?;
        let mut simulation = Simulation::started(system, &placements, settings_of_loop, progress)
            .map_err(|error| joints::placed(scenario, error))?;
        let responses = response::responses(scenario, prepared, &mut simulation, &probes, progress)?;
        let simulation = simulation.with_probes_of_stress(probes, stresses.of_probes);
        let simulation = simulation
            .map_err(|error| AssembleError::from(error).at(format!("probe.{}.what", error.probe())))?;
        Ok(Self {
            scenario,
            prepared,
            relative_tolerance: settings.relative_tolerance,
            simulation,
            described: Some(described),
            notes,
            of_bodies: warnings,
            responses,
        })
    }

    /// Choices that the scenario left open, the errors that contacts expect of themselves, and contacts that
    /// did not happen.
    fn remarks(&self) -> Vec<String> {
        let mut remarks = choice_sentences(&self.prepared.choices);
        remarks.extend(self.expected_errors());
        remarks.extend(self.simulation.equilibrium.as_ref().map(equilibrium::remark));
        let uncertain = too_uncertain(self.scenario, &self.simulation.error_estimates());
        remarks.extend(uncertain.filter(|(excess, _)| *excess <= FAR).map(|(_, text)| text));
        remarks.extend(self.simulation.missed_contacts());
        remarks
    }

    /// Errors that contacts expect of the force of their largest impact; of many contacts those with the
    /// largest errors.
    fn expected_errors(&self) -> Vec<String> {
        let estimates = self.simulation.error_estimates();
        let mut known: Vec<(usize, ErrorEstimate)> =
            estimates.into_iter().enumerate().filter_map(|(pair, known)| Some((pair, known?))).collect();
        let others = if known.len() > MOST_ESTIMATES {
            known.sort_by(|(_, a), (_, b)| b.force.total_cmp(&a.force));
            known.split_off(MOST_ESTIMATES)
        } else {
            Vec::new()
        };
        let ends = names_of_ends(self.scenario);
        let sentence = |(pair, estimate): &(usize, ErrorEstimate)| {
            let [first, second] = &ends[*pair];
            let [force, impulse, duration] =
                [estimate.force, estimate.impulse, estimate.duration].map(|error| 100.0 * error);
            let parts = estimate.parts.unwrap_or_default().to_array().map(|part| 100.0 * part);
            let parts: Vec<String> = ["contact", "modes that are left out", "meshes", "time steps"]
                .into_iter()
                .zip(parts)
                .map(|(name, part)| format!("{name} {part:.2} %"))
                .collect();
            format!(
                "contact {first} / {second}: the force of the largest impact errs by up to {force:.1} % \
                 ({}), its impulse by {impulse:.1} %, its duration by {duration:.1} %",
                parts.join(", ")
            )
        };
        let mut sentences: Vec<String> = known.iter().map(sentence).collect();
        if !others.is_empty() {
            let most = |of: fn(&ErrorEstimate) -> f64| {
                100.0 * others.iter().map(|(_, estimate)| of(estimate)).fold(0.0, f64::max)
            };
            sentences.push(format!(
                "{} other contacts: the force of their largest impact errs by up to {:.1} %, its impulse by \
                 {:.1} %, its duration by {:.1} %",
                others.len(),
                most(|estimate| estimate.force),
                most(|estimate| estimate.impulse),
                most(|estimate| estimate.duration)
            ));
        }
        sentences
    }

    /// Doubts about the numbers, in the order of their causes: bodies, joints, models, time, contacts.
    fn warnings(&self, summary: &RunSummary, overlaps: Vec<String>) -> Vec<String> {
        let (scenario, prepared) = (self.scenario, self.prepared);
        let remedy = match self.relative_tolerance {
            Some(_) => "lower simulation.relative_tolerance",
            None => "shorten simulation.time_step",
        };
        let mut warnings = prepared.warnings.clone();
        warnings.extend(joints::notes(&self.simulation.assembly));
        warnings.extend(self.simulation.equilibrium.iter().flat_map(equilibrium::warnings));
        warnings.extend(self.of_bodies.iter().cloned());
        warnings.extend(self.simulation.warnings());
        warnings.extend(unbalanced(&summary.ledger, remedy));
        warnings.extend(too_rigid(scenario, prepared, &summary.contacts));
        let uncertain = too_uncertain(scenario, &self.simulation.error_estimates());
        warnings.extend(uncertain.filter(|(excess, _)| *excess > FAR).map(|(_, text)| text));
        warnings.extend(doubtful_models(scenario, prepared));
        warnings.extend(doubtful_imports(scenario, prepared));
        warnings.extend(overlaps);
        warnings
    }
}

impl Run for ReducedRun<'_> {
    fn described(&mut self) -> Described {
        self.described.take().unwrap_or_default()
    }

    fn resume(&mut self, checkpoint: &Checkpoint) -> Result<(), RunError> {
        Ok(self.simulation.resume(checkpoint)?)
    }

    fn run(&mut self, recorder: &mut Recorder, progress: &dyn Progress) -> Result<(), RunError> {
        self.simulation.run(recorder, progress)?;
        Ok(())
    }

    fn end(&mut self, is_complete: bool, overlaps: Vec<String>) -> Result<RunEnd, RunError> {
        let found = self.simulation.summary();
        let counters = found.counters;
        let mut ledger = found.ledger;
        ledger.energy_limit = Some(self.relative_tolerance.unwrap_or(ENERGY_ERROR));
        let summary = RunSummary {
            time: found.time,
            steps: counters.steps,
            integration: Some(counters),
            ledger,
            contacts: found.contacts,
        };
        let warnings = self.warnings(&summary, overlaps);
        let counters = vec![
            ("steps", counters.steps),
            ("rejected_steps", counters.rejected),
            ("right_hand_sides", counters.evaluations),
            ("jacobians", counters.jacobians),
            ("factorisations", counters.factorisations),
            ("newton_iterations", counters.iterations),
            ("solver_fallbacks", found.fallbacks),
        ];
        Ok(RunEnd {
            summary,
            counters,
            notes: self.notes.clone(),
            remarks: if is_complete { self.remarks() } else { Vec::new() },
            warnings,
            bodies: if is_complete { self.simulation.body_states()?.to_vec() } else { Vec::new() },
            statics: None,
            estimates: self.simulation.error_estimates(),
            modes: self.simulation.equilibrium.iter().flat_map(equilibrium::modes).collect(),
            responses: self.responses.clone(),
        })
    }
}

/// A sentence if errors are expected above the accuracy of the scenario, with the numbers to change, and how
/// many times they are above it.
fn too_uncertain(scenario: &Scenario, estimates: &[Option<ErrorEstimate>]) -> Option<(f64, String)> {
    let Refinement { overrides, reason, given, excess } =
        refinement(scenario, scenario, estimates, |_| None, true)?;
    let set = overrides.iter().map(|change| format!("`--set {change}`"));
    let keys = given.iter().map(|key| format!("another `{key}`"));
    let changes: Vec<String> = set.chain(keys).collect();
    let remedy = if changes.is_empty() { "smaller cells".to_owned() } else { changes.join(", ") };
    Some((excess, format!("{reason}: repeat the run with {remedy}; `carom refine` does so")))
}

/// The settings of the time loop.
pub(crate) fn of_time_loop(
    scenario: &Scenario,
    settings: &TimeIntegration,
) -> Result<Settings, AssembleError> {
    let simulation = &scenario.simulation;
    let defaults = Settings::until(simulation.end_time);
    Ok(Settings {
        start: if simulation.in_equilibrium { Start::Equilibrium } else { Start::Placed },
        relative_tolerance: settings.relative_tolerance.unwrap_or(defaults.relative_tolerance),
        time_step: settings.time_step,
        max_step: settings.maximum_step,
        output_every: Some(simulation.output_every),
        contact_frames: scenario.output.contact_frames,
        integrator: match settings.integrator {
            Integrator::DormandPrince5 => IntegratorKind::RungeKutta(Method::DormandPrince5),
            Integrator::Dop853 => IntegratorKind::RungeKutta(Method::Dop853),
            Integrator::Radau5 => IntegratorKind::Radau5,
            Integrator::Bdf2 => IntegratorKind::Implicit(ImplicitMethod::Bdf2),
            Integrator::Exponential => IntegratorKind::Exponential,
            Integrator::Midpoint => IntegratorKind::Implicit(ImplicitMethod::Midpoint),
            Integrator::GeneralisedAlpha { spectral_radius, constraints } => {
                let form = match constraints {
                    JointForm::Index3 => ConstraintForm::Index3,
                    JointForm::Stabilised => ConstraintForm::Stabilised,
                };
                IntegratorKind::GeneralisedAlpha(SpectralRadius::new(spectral_radius)?, form)
            }
        },
        ..defaults
    })
}

/// Models whose dynamic modes are not all modes of the body. A model that was made in an earlier run has lost
/// the notes of its reduction.
fn doubtful_models(scenario: &Scenario, prepared: &Prepared) -> impl Iterator<Item = String> {
    scenario.body.iter().zip(&prepared.bodies).filter_map(|(spec, body)| match &body.model {
        PreparedModel::Reduced(model) => {
            model.doubtful_modes().map(|modes| format!("model of body `{}`: {modes}", spec.name))
        }
        _ => None,
    })
}
