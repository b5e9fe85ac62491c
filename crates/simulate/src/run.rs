//! The run: time loop, result, what it comes to.

use std::path::Path;
use std::time::Instant;

use carom_dynamics::{BodyState, LedgerSummary};
use carom_format::result::{NoteLevel, RunHeader, RunState};
use carom_format::scenario::model::{Integrator, JointForm, Scenario, Scheme};
use carom_integrate::{ConstraintForm, ImplicitMethod, IntegratorKind, Method, SpectralRadius};
use carom_multibody::{Law, RunError, RunSummary, Settings, Simulation};
use carom_progress::Progress;

use crate::overlap::{OverlapWatch, Watching};
use crate::rigid::run_rigid;
use crate::rigid_partner::too_rigid;
use crate::statics::{StaticOutcome, run_static};
use crate::{Assembled, Prepared, PreparedModel, SimulateError, resume, system};

/// How to run.
#[derive(Debug, Clone, Copy, Default)]
pub struct RunOptions {
    /// Replace a result that exists.
    pub replace: bool,
    /// Go on where a result stopped; begin it where there is none.
    pub resume: bool,
}

/// What a run comes to.
#[derive(Debug, Clone)]
pub struct RunOutcome {
    /// Steps, errors of the balance, impacts.
    pub summary: RunSummary,
    /// Names of the contact pairs.
    pub pairs: Vec<String>,
    /// Names of the bodies.
    pub names: Vec<String>,
    /// Their states at the end.
    pub bodies: Vec<BodyState>,
    /// Wall-clock time of the time loop \[s\].
    pub seconds: f64,
    /// CPU time of the time loop \[s\], all threads.
    pub cpu_seconds: f64,
    /// What the user should be wary of.
    pub warnings: Vec<String>,
    /// What else there is to say of the run: contacts that did not happen, for instance.
    pub remarks: Vec<String>,
    /// Forces and pressures in equilibrium, of the scheme `static`.
    pub statics: Option<StaticOutcome>,
}

/// Runs a scenario whose bodies are ready, and keeps the result at `path`.
///
/// # Errors
///
/// [`SimulateError`]; what was computed until then is in the result.
pub fn run(
    scenario: &Scenario,
    scenario_folder: &Path,
    prepared: &Prepared,
    path: &Path,
    options: RunOptions,
    progress: &dyn Progress,
) -> Result<RunOutcome, SimulateError> {
    supported(scenario)?;
    let scenario = &*resume::continued(scenario, path, options)?;
    if scenario.simulation.scheme == Scheme::Static {
        return run_static(scenario, scenario_folder, prepared, path, options, progress);
    }
    if scenario.simulation.scheme == Scheme::Rigid {
        return run_rigid(scenario, scenario_folder, prepared, path, options, progress);
    }
    let Assembled { system, placements, bodies, pairs, notes, warnings: of_bodies } =
        system(scenario, prepared)?;
    let names: Vec<String> = bodies.iter().map(|body| body.name.clone()).collect();
    let pair_names: Vec<String> = pairs.iter().map(|pair| pair.name.clone()).collect();
    let header = RunHeader {
        scenario: scenario.without_pictures().to_toml(),
        scenario_folder: absolute(scenario_folder),
        bodies,
        pairs,
        joints: crate::joints::described(scenario),
    };
    let mut simulation = Simulation::new(system, &placements, settings(scenario)?)
        .map_err(|error| crate::joints::placed(scenario, error))?;
    let (mut writer, checkpoint) = resume::begin(path, &header, scenario, options)?;
    if let Some(checkpoint) = checkpoint {
        simulation.resume(&checkpoint)?;
    }
    let (started, cpu_started) = (Instant::now(), cpu_seconds());
    let mut watch = OverlapWatch::new(scenario, prepared, &header.bodies);
    let ended = simulation.run(&mut Watching { observer: &mut writer, watch: &mut watch }, progress);
    // What could not be kept ends the file at its last checkpoint.
    if let Err(error @ RunError::Observer(_)) = ended {
        return Err(error.into());
    }
    let seconds = started.elapsed().as_secs_f64();
    let cpu_seconds = cpu_seconds() - cpu_started;
    let mut summary = simulation.summary();
    summary.ledger.energy_limit = Some(scenario.simulation.relative_tolerance.unwrap_or(ENERGY_ERROR));
    let mut warnings = prepared.warnings.clone();
    warnings.extend(crate::joints::notes(&simulation.assembly));
    warnings.extend(of_bodies);
    warnings.extend(self::warnings(scenario, &simulation, &summary));
    warnings.extend(too_rigid(scenario, prepared, &summary.contacts));
    warnings.extend(doubtful_models(scenario, prepared));
    warnings.extend(watch.warnings());
    let state = match &ended {
        Ok(_) => RunState::Done,
        Err(RunError::Interrupted { .. }) => RunState::Interrupted,
        Err(_) => RunState::Failed,
    };
    for note in &notes {
        writer.note(0.0, NoteLevel::Note, note)?;
    }
    let remarks = if ended.is_ok() { simulation.missed_contacts() } else { Vec::new() };
    for remark in &remarks {
        writer.note(summary.time, NoteLevel::Note, remark)?;
    }
    for warning in &warnings {
        writer.note(summary.time, NoteLevel::Warning, warning)?;
    }
    if let Err(error) = &ended {
        writer.note(summary.time, NoteLevel::Error, &error.to_string())?;
    }
    let mut timings: Vec<(&str, f64)> =
        prepared.seconds.iter().map(|(phase, seconds)| (phase.as_str(), *seconds)).collect();
    timings.extend([("time loop", seconds), ("time loop, cpu", cpu_seconds)]);
    let c = &summary.counters;
    let counters = [
        ("steps", c.steps),
        ("rejected_steps", c.rejected),
        ("right_hand_sides", c.evaluations),
        ("jacobians", c.jacobians),
        ("factorisations", c.factorisations),
        ("newton_iterations", c.iterations),
        ("solver_fallbacks", summary.fallbacks),
    ];
    writer.finish(state, &summary.ledger, &timings, &counters)?;
    ended?;
    let bodies = simulation.body_states()?.to_vec();
    Ok(RunOutcome {
        summary,
        pairs: pair_names,
        names,
        bodies,
        seconds,
        cpu_seconds,
        warnings,
        remarks,
        statics: None,
    })
}

/// An absolute path as text; nothing for an empty one.
pub(crate) fn absolute(path: &Path) -> String {
    if path.as_os_str().is_empty() {
        return String::new();
    }
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).display().to_string()
}

/// True if the scheme takes reduced models of flexible bodies.
pub(crate) fn reduces(scenario: &Scenario) -> bool {
    !matches!(scenario.simulation.scheme, Scheme::Static | Scheme::Rigid)
}

/// What this release can run.
pub(crate) fn supported(scenario: &Scenario) -> Result<(), SimulateError> {
    let scheme = scenario.simulation.scheme;
    if !scheme.is_available() {
        return Err(SimulateError::Scheme { scheme: scheme.name() }.at("simulation.scheme"));
    }
    if scenario.simulation.scheme == Scheme::Static {
        let tables = [
            ("joint", scenario.joint.is_empty()),
            ("spring", scenario.spring.is_empty()),
            ("bushing", scenario.bushing.is_empty()),
        ];
        without_tables("static", &tables.map(|(table, is_empty)| (table, !is_empty)))?;
        return without_friction(scenario);
    }
    if scenario.simulation.scheme == Scheme::Rigid {
        return without_tables(
            "rigid",
            &[
                ("joint", !scenario.joint.is_empty()),
                ("spring", !scenario.spring.is_empty()),
                ("bushing", !scenario.bushing.is_empty()),
                ("support", !scenario.support.is_empty()),
                ("pressure", !scenario.pressure.is_empty()),
                ("force", !scenario.force.is_empty()),
            ],
        );
    }
    if scenario.simulation.integrator == Integrator::EnergyMomentum {
        let integrator = "energy-momentum";
        return Err(
            SimulateError::Integrator { integrator, scheme: scheme.name() }.at("simulation.integrator")
        );
    }
    without_tables(
        scheme.name(),
        &[("support", !scenario.support.is_empty()), ("pressure", !scenario.pressure.is_empty())],
    )?;
    if matches!(scheme, Scheme::Dynamic | Scheme::Damped)
        && let Some(i) = scenario.contact.iter().position(|pair| pair.law == Law::Hard)
    {
        return Err(SimulateError::NeedsPenalty { scheme: scheme.name() }.at(format!("contact.{i}.law")));
    }
    Ok(())
}

/// Tables that a scheme does not take, and whether they are there.
fn without_tables(scheme: &'static str, tables: &[(&'static str, bool)]) -> Result<(), SimulateError> {
    match tables.iter().find(|(_, is_given)| *is_given) {
        Some((table, _)) => Err(SimulateError::Table { scheme, table }.at(format!("{table}.0"))),
        None => Ok(()),
    }
}

/// Statics has no friction: what sticks there would depend on how the loads came on.
fn without_friction(scenario: &Scenario) -> Result<(), SimulateError> {
    match scenario.contact.iter().position(|pair| pair.friction > 0.0) {
        Some(i) => {
            let between = &scenario.contact[i].between;
            let pair = format!("{}, {}", between[0], between[1]);
            Err(SimulateError::Friction { pair }.at(format!("contact.{i}.friction")))
        }
        None => Ok(()),
    }
}

fn settings(scenario: &Scenario) -> Result<Settings, SimulateError> {
    let simulation = &scenario.simulation;
    let defaults = Settings::until(simulation.end_time);
    Ok(Settings {
        relative_tolerance: simulation.relative_tolerance.unwrap_or(defaults.relative_tolerance),
        time_step: simulation.time_step,
        max_step: simulation.maximum_step,
        output_every: Some(simulation.output_every),
        contact_frames: scenario.output.contact_frames,
        integrator: match simulation.integrator {
            Integrator::DormandPrince5 => IntegratorKind::RungeKutta(Method::DormandPrince5),
            Integrator::Dop853 | Integrator::EnergyMomentum => IntegratorKind::RungeKutta(Method::Dop853),
            Integrator::Radau5 => IntegratorKind::Radau5,
            Integrator::Bdf2 => IntegratorKind::Implicit(ImplicitMethod::Bdf2),
            Integrator::Midpoint => IntegratorKind::Implicit(ImplicitMethod::Midpoint),
            Integrator::GeneralisedAlpha => {
                let radius =
                    simulation.spectral_radius.map_or(Ok(SpectralRadius::DEFAULT), SpectralRadius::new)?;
                let form = match simulation.constraints {
                    Some(JointForm::Index3) => ConstraintForm::Index3,
                    Some(JointForm::Stabilised) | None => ConstraintForm::Stabilised,
                };
                IntegratorKind::GeneralisedAlpha(radius, form)
            }
        },
        ..defaults
    })
}

/// Models whose dynamic modes are not all modes of the body. A model that was made earlier has no notes any
/// more.
fn doubtful_models(scenario: &Scenario, prepared: &Prepared) -> impl Iterator<Item = String> {
    scenario.body.iter().zip(&prepared.bodies).filter_map(|(spec, body)| match &body.model {
        PreparedModel::Reduced(model) => {
            model.doubtful_modes().map(|modes| format!("model of body `{}`: {modes}", spec.name))
        }
        _ => None,
    })
}

/// Relative error of the energy that a run claims to stay below where the scenario gives no tolerance.
const ENERGY_ERROR: f64 = 1e-3;

/// What a user should know before trusting the numbers.
fn warnings(scenario: &Scenario, simulation: &Simulation, summary: &RunSummary) -> Vec<String> {
    let mut out = simulation.warnings();
    let remedy = match scenario.simulation.relative_tolerance {
        Some(_) => "lower simulation.relative_tolerance",
        None => "shorten simulation.time_step",
    };
    out.extend(unbalanced(&summary.ledger, remedy));
    out
}

/// The warning of an energy balance that the run claims and does not meet.
pub(crate) fn unbalanced(ledger: &LedgerSummary, remedy: &str) -> Option<String> {
    let limit = ledger.energy_limit.filter(|_| ledger.energy_is_met() == Some(false))?;
    let error = ledger.energy_error;
    Some(format!(
        "the energy balance is not met: it is off by {error:.1e} of the energy, more than the tolerance of \
         {limit:.0e}: {remedy}"
    ))
}

/// CPU time of this process, all threads \[s\]; 0 where the system does not tell.
pub fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // Fields 14 and 15 are user and system time in ticks of 1/100 s; the name in field 2 may hold blanks.
    let fields: Vec<&str> = text.rsplit(')').next().unwrap_or("").split_whitespace().collect();
    let ticks = |i: usize| fields.get(i).and_then(|field| field.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / 100.0
}
