//! A run of the scheme `rigid`: steps, result, what it comes to.

use std::path::Path;
use std::time::Instant;

use carom_dynamics::LedgerSummary;
use carom_fem::{Body, Discretisation};
use carom_format::result::{NoteLevel, ResultBody, ResultPair, RunHeader, RunState};
use carom_format::scenario::model::{BodySpec, Scenario};
use carom_multibody::RunSummary;
use carom_progress::Progress;
use carom_rigid::{Law, RigidBody, RunError, Settings, Simulation, System};

use super::setup::system;
use crate::overlap::{OverlapWatch, Watching};
use crate::run::{absolute, cpu_seconds, unbalanced};
use crate::{Prepared, PreparedBody, PreparedModel, RunOptions, RunOutcome, SimulateError, resume};

/// Relative error of the energy that is worth a word: what these runs lose is round-off.
const ENERGY_ERROR: f64 = 1e-8;

/// Runs a scenario of rigid bodies that are ready, and keeps the result at `path`.
///
/// # Errors
///
/// [`SimulateError`]; what was computed until then is in the result.
pub(crate) fn run_rigid(
    scenario: &Scenario,
    scenario_folder: &Path,
    prepared: &Prepared,
    path: &Path,
    options: RunOptions,
    progress: &dyn Progress,
) -> Result<RunOutcome, SimulateError> {
    let geometries = geometries(scenario, prepared)?;
    let system = system(scenario, &geometries)?;
    let header = header(scenario, scenario_folder, prepared, &system);
    let settings =
        Settings { end_time: scenario.simulation.end_time, output_every: scenario.simulation.output_every };
    let mut simulation = Simulation::new(system, settings)?;
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
    let (seconds, cpu_seconds) = (started.elapsed().as_secs_f64(), cpu_seconds() - cpu_started);
    let summary = summary(&mut simulation);
    let mut warnings = prepared.warnings.clone();
    warnings.extend(unbalanced(&summary.ledger, "shorten simulation.time_step"));
    warnings.extend(doubtful_contacts(scenario, &geometries, &simulation.system));
    warnings.extend(watch.warnings());
    for warning in &warnings {
        writer.note(summary.time, NoteLevel::Warning, warning)?;
    }
    let state = match &ended {
        Ok(()) => RunState::Done,
        Err(RunError::Interrupted { .. }) => RunState::Interrupted,
        Err(error) => {
            writer.note(summary.time, NoteLevel::Error, &error.to_string())?;
            RunState::Failed
        }
    };
    let mut timings: Vec<(&str, f64)> =
        prepared.seconds.iter().map(|(phase, seconds)| (phase.as_str(), *seconds)).collect();
    timings.extend([("time loop", seconds), ("time loop, cpu", cpu_seconds)]);
    let counters = [
        ("steps", summary.counters.steps),
        ("contact_impulses", simulation.system.n_impulses()),
        ("divided_steps", simulation.system.n_divided()),
        ("reduced_restitutions", simulation.system.limited().steps),
    ];
    writer.finish(state, &summary.ledger, &timings, &counters)?;
    ended?;
    Ok(RunOutcome {
        remarks: Vec::new(),
        summary,
        pairs: header.pairs.into_iter().map(|pair| pair.name).collect(),
        names: header.bodies.into_iter().map(|body| body.name).collect(),
        bodies: simulation.system.body_states(),
        seconds,
        cpu_seconds,
        warnings,
        statics: None,
    })
}

/// The geometry of each body.
fn geometries<'a>(scenario: &Scenario, prepared: &'a Prepared) -> Result<Vec<&'a Body>, SimulateError> {
    let of = |(spec, ready): (&BodySpec, &'a PreparedBody)| match &ready.model {
        PreparedModel::Rigid(geometry) | PreparedModel::Deformable(geometry) => Ok(&**geometry),
        PreparedModel::Reduced(_) => Err(SimulateError::RigidRom { body: spec.name.clone() }),
    };
    scenario.body.iter().zip(&prepared.bodies).map(of).collect()
}

fn header(scenario: &Scenario, folder: &Path, prepared: &Prepared, system: &System) -> RunHeader {
    let described = |((spec, ready), body): ((&BodySpec, &PreparedBody), &RigidBody)| ResultBody {
        name: spec.name.clone(),
        rigid: true,
        fixed: spec.fixed,
        mass: body.mass,
        frame_origin: body.com.into(),
        modes: [0, 0],
        rom_path: String::new(),
        rom_checksum: String::new(),
        body_path: absolute(&ready.body_path),
        body_checksum: ready.body_checksum.clone(),
    };
    let pairs = scenario.contact.iter().map(|pair| ResultPair {
        name: format!("{}/{}", pair.between[0].body, pair.between[1].body),
        first: pair.between[0].to_string(),
        second: pair.between[1].to_string(),
    });
    RunHeader {
        scenario: scenario.without_pictures().to_toml(),
        scenario_folder: absolute(folder),
        bodies: scenario.body.iter().zip(&prepared.bodies).zip(&system.bodies).map(described).collect(),
        pairs: pairs.collect(),
        joints: Vec::new(),
    }
}

fn summary(simulation: &mut Simulation) -> RunSummary {
    let ledger = LedgerSummary { energy_limit: Some(ENERGY_ERROR), ..simulation.summary() };
    let counters = carom_integrate::Counters { steps: simulation.system.steps(), ..Default::default() };
    RunSummary {
        time: simulation.system.time(),
        counters,
        ledger,
        contacts: simulation.events().to_vec(),
        quaternion_drift: 0.0,
        rims: Vec::new(),
        fallbacks: 0,
    }
}

/// Part of the smallest extent of the moving bodies of a pair that is a deep approach for rigid bodies.
const DEEP: f64 = 0.01;

/// Contacts that no step has seen, and bodies that have sunk into each other.
fn doubtful_contacts(scenario: &Scenario, geometries: &[&Body], system: &System) -> Vec<String> {
    let name = |i: usize| {
        scenario.contact.get(i).map_or_else(String::new, |c| format!("{}, {}", c.between[0], c.between[1]))
    };
    let passed = system.missed().map(|(i, time, behind)| {
        format!(
            "contact {}, {}: a point passed through the surface between two steps at t = {time:.6e} s and \
             was not stopped; a time_step of {behind:.1e} s would see it",
            i + 1,
            name(i)
        )
    });
    let mut out: Vec<String> = passed.collect();
    for (i, (pair, report)) in scenario.contact.iter().zip(&system.reports).enumerate() {
        let bodies = scenario.body.iter().zip(geometries);
        let moving =
            bodies.filter(|(spec, _)| !spec.fixed && pair.between.iter().any(|end| end.body == spec.name));
        let extent =
            moving.filter_map(|(_, geometry)| smallest_extent(geometry)).fold(f64::INFINITY, f64::min);
        if report.depth > DEEP * extent {
            let way_out = match pair.law {
                Law::Penalty(_) => "raise the point_stiffness",
                _ => "shorten simulation.time_step",
            };
            out.push(format!(
                "contact {}, {}: the bodies overlapped by up to {:.1e} m, {:.1} % of the smallest extent: \
                 {way_out}",
                i + 1,
                name(i),
                report.depth,
                100.0 * report.depth / extent
            ));
        }
    }
    let limited = system.limited();
    if limited.steps > 0 {
        out.push(format!(
            "in {} of {} steps friction would have made impacts create energy: their restitution was \
             reduced, to {:.3} of what was given at least",
            limited.steps,
            system.steps(),
            limited.least_factor
        ));
    }
    if system.n_divided() > 0 {
        out.push(format!(
            "{} of {} steps had no solution and were taken in parts: shorten simulation.time_step",
            system.n_divided(),
            system.steps()
        ));
    }
    out
}

/// Shortest side of the box around the points of a body \[m\]; none if it has no points.
fn smallest_extent(geometry: &Body) -> Option<f64> {
    let points = Discretisation::new(geometry).ok()?.points;
    let side = |axis: usize| {
        let [least, largest] = points.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], point| {
            [a.min(point[axis]), b.max(point[axis])]
        });
        largest - least
    };
    Some((0..3).map(side).fold(f64::INFINITY, f64::min)).filter(|extent| *extent > 0.0)
}
