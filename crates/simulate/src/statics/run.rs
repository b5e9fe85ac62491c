//! A static run: bodies, contacts, load steps, result.

use std::path::Path;
use std::time::Instant;

use carom_dynamics::{BodyState, Checkpoint, ContactEvent, ContactState, Frame, Ledger, Observer};
use carom_format::ResultWriter;
use carom_format::result::{ForceKind, NoteLevel, ResultBody, ResultPair, RunHeader, RunState, StaticForce};
use carom_format::scenario::model::{BodySpec, Scenario};
use carom_multibody::RunSummary;
use carom_progress::Progress;

use super::body::StaticBody;
use super::contact::StaticContact;
use super::doubts::doubts;
use super::equilibrium::{Balanced, Search, check_held};
use super::outcome::{StaticOutcome, SupportOutcome, pair_forces, pair_outcomes};
use super::state::{BodyResult, balance, body_result, contact_states};
use crate::overlap::{OverlapWatch, Watching};
use crate::rigid_partner::too_rigid;
use crate::run::{absolute, cpu_seconds};
use crate::{Prepared, PreparedBody, RunOptions, RunOutcome, SimulateError, resume};

mod restart;

/// A static problem that is set up.
struct Problem {
    bodies: Vec<StaticBody>,
    contact: Option<StaticContact>,
}

/// Finds the equilibrium of a scenario whose bodies are ready, and keeps the result at `path`.
///
/// Frame 0 is the unloaded state; each load step is a frame, at the pseudo-time `end_time` times the part of
/// the load.
///
/// # Errors
///
/// [`SimulateError`]; the load steps that were solved are in the result.
pub fn run_static(
    scenario: &Scenario,
    scenario_folder: &Path,
    prepared: &Prepared,
    path: &Path,
    options: RunOptions,
    progress: &dyn Progress,
) -> Result<RunOutcome, SimulateError> {
    let (started, cpu_started) = (Instant::now(), cpu_seconds());
    let mut problem = Problem::new(scenario, prepared, progress)?;
    let set_up = started.elapsed().as_secs_f64();
    let header = problem.header(scenario, scenario_folder, prepared);
    let (writer, checkpoint) = resume::begin(path, &header, scenario, options)?;
    let watch = OverlapWatch::new(scenario, prepared, &header.bodies);
    let mut run = Run::new(scenario, writer, watch);
    let ended = run.steps(&mut problem, checkpoint, progress);
    // What could not be kept ends the file at its last checkpoint.
    if let Err(error @ SimulateError::Run(carom_multibody::RunError::Observer(_))) = ended {
        return Err(error);
    }
    run.warnings.extend(prepared.warnings.iter().cloned());
    run.warnings.extend(problem.bodies.iter().filter_map(StaticBody::told));
    let events: Vec<ContactEvent> = run.events.iter().flatten().copied().collect();
    run.warnings.extend(too_rigid(scenario, prepared, &events));
    run.warnings.extend(run.watch.warnings());
    let (seconds, cpu_seconds) = (started.elapsed().as_secs_f64(), cpu_seconds() - cpu_started);
    let mut timings: Vec<(&str, f64)> =
        prepared.seconds.iter().map(|(name, s)| (name.as_str(), *s)).collect();
    timings
        .extend([("statics: stiffness and compliance", set_up), ("statics: load steps", seconds - set_up)]);
    run.finish(ended, &timings).map(|mut outcome| {
        outcome.pairs = header.pairs.into_iter().map(|pair| pair.name).collect();
        outcome.names = header.bodies.into_iter().map(|body| body.name).collect();
        (outcome.seconds, outcome.cpu_seconds) = (seconds, cpu_seconds);
        outcome
    })
}

impl Problem {
    fn new(scenario: &Scenario, prepared: &Prepared, progress: &dyn Progress) -> Result<Self, SimulateError> {
        let mut bodies = Vec::with_capacity(scenario.body.len());
        for (spec, ready) in scenario.body.iter().zip(&prepared.bodies) {
            bodies.push(StaticBody::new(scenario, spec, ready, progress)?);
        }
        let touched = |number: usize| {
            let ends = scenario.contact.iter().flat_map(|pair| &pair.between);
            ends.into_iter().any(|end| end.body == bodies[number].name)
        };
        check_held(&bodies, touched)?;
        let contact = StaticContact::new(scenario, &bodies, progress)?;
        Ok(Self { bodies, contact })
    }

    fn header(&self, scenario: &Scenario, folder: &Path, prepared: &Prepared) -> RunHeader {
        let described = |((spec, ready), body): ((&BodySpec, &PreparedBody), &StaticBody)| ResultBody {
            name: spec.name.clone(),
            rigid: spec.rigid,
            fixed: spec.fixed,
            mass: body.mass(),
            frame_origin: [0.0; 3],
            modes: [if spec.rigid { 0 } else { body.discretisation.n_dofs() }, 0],
            rom_path: String::new(),
            rom_checksum: String::new(),
            body_path: absolute(&ready.body_path),
            body_checksum: ready.body_checksum.clone(),
        };
        let pairs = self.contact.iter().flat_map(|contact| &contact.pairs).map(|pair| ResultPair {
            name: pair.name.clone(),
            first: pair.surfaces[0].clone(),
            second: pair.surfaces[1].clone(),
        });
        RunHeader {
            scenario: scenario.without_pictures().to_toml(),
            scenario_folder: absolute(folder),
            bodies: scenario.body.iter().zip(&prepared.bodies).zip(&self.bodies).map(described).collect(),
            pairs: pairs.collect(),
            joints: Vec::new(),
        }
    }

    /// The equilibrium under a part of the load.
    fn solve(
        &mut self,
        (step, part): (usize, f64),
        start: &Balanced,
        progress: &dyn Progress,
    ) -> Result<Balanced, SimulateError> {
        let Some(contact) = &mut self.contact else { return Ok(start.clone()) };
        let mut search = Search { bodies: &self.bodies, contact, step, part, evaluations: 0 };
        let mut found = search.run(&start.motion, progress)?;
        found.rims = contact.check_rims()?.iter().map(ToString::to_string).collect();
        Ok(found)
    }

    fn at_rest(&self) -> Balanced {
        let motion = self.bodies.iter().map(|body| vec![0.0; body.motions.len()]).collect();
        Balanced { motion, ..Balanced::default() }
    }
}

/// A run as it goes on.
struct Run<'a> {
    scenario: &'a Scenario,
    writer: ResultWriter,
    ledger: Ledger,
    /// Load steps taken, and evaluations of the contact.
    counts: [u64; 2],
    time: f64,
    states: Vec<BodyState>,
    events: Vec<Option<ContactEvent>>,
    outcome: StaticOutcome,
    fallbacks: u64,
    watch: OverlapWatch,
    warnings: Vec<String>,
    /// Pressure at rims in the last load step.
    rims: Vec<String>,
}

impl<'a> Run<'a> {
    fn new(scenario: &'a Scenario, writer: ResultWriter, watch: OverlapWatch) -> Self {
        let mut warnings = Vec::new();
        for body in &scenario.body {
            if body.velocity != [0.0; 3] || body.angular_velocity != [0.0; 3] {
                warnings.push(format!("body `{}`: velocities have no meaning in statics", body.name));
            }
        }
        Self {
            scenario,
            writer,
            watch,
            ledger: Ledger::default(),
            counts: [0; 2],
            time: 0.0,
            states: Vec::new(),
            events: vec![None; scenario.contact.len()],
            outcome: StaticOutcome::default(),
            fallbacks: 0,
            warnings,
            rims: Vec::new(),
        }
    }

    /// The unloaded state and all load steps, or those after a checkpoint.
    fn steps(
        &mut self,
        problem: &mut Problem,
        checkpoint: Option<Checkpoint>,
        progress: &dyn Progress,
    ) -> Result<(), SimulateError> {
        let steps = self.scenario.simulation.steps.unwrap_or(1);
        let mut balanced = match checkpoint {
            Some(checkpoint) => self.resume(problem, &checkpoint)?,
            None => problem.at_rest(),
        };
        let taken = self.counts[0] as usize;
        if taken == 0 {
            self.unloaded(problem, &balanced, progress)?;
        }
        progress.begin("load steps", steps as u64);
        for step in taken + 1..=steps {
            let part = step as f64 / steps as f64;
            balanced = problem.solve((step, part), &balanced, progress)?;
            self.record(problem, part, &balanced, progress)?;
            if step < steps {
                self.save(problem, &balanced)?;
            }
            progress.set(step as u64);
            if progress.interrupted() {
                return Err(SimulateError::Interrupted);
            }
        }
        progress.end();
        Ok(())
    }

    /// Frame 0: no load, no displacement, the contact not looked at.
    fn unloaded(
        &mut self,
        problem: &Problem,
        rest: &Balanced,
        progress: &dyn Progress,
    ) -> Result<(), SimulateError> {
        let bodies = results(problem, 0.0, rest, None, progress)?;
        let open = ContactState { free_gap: f64::INFINITY, ..ContactState::default() };
        let contacts = vec![open; self.events.len()];
        self.frame(&bodies, &contacts, None, 0.0)
    }

    /// Keeps a load step.
    fn record(
        &mut self,
        problem: &Problem,
        part: f64,
        balanced: &Balanced,
        progress: &dyn Progress,
    ) -> Result<(), SimulateError> {
        let contact = problem.contact.as_ref();
        let bodies = results(problem, part, balanced, contact, progress)?;
        self.time = self.scenario.simulation.end_time * part;
        self.counts[0] += 1;
        self.counts[1] += balanced.evaluations;
        self.rims.clone_from(&balanced.rims);
        let contacts = contact.map_or_else(Vec::new, contact_states);
        self.frame(&bodies, &contacts, contact, balanced.residual)?;
        let forces = self.forces(&bodies, contact);
        self.writer.static_forces(&forces)?;
        for (pair, (event, state)) in self.events.iter_mut().zip(&contacts).enumerate() {
            touch(event, pair, self.time, state);
        }
        let supports = bodies.iter().flat_map(|body| &body.supports);
        self.outcome = StaticOutcome {
            supports: supports
                .map(|(number, force)| SupportOutcome {
                    on: self.scenario.support[*number].on.to_string(),
                    force: *force,
                })
                .collect(),
            forces,
            bodies: bodies.into_iter().map(|body| body.forces).collect(),
            pairs: contact.map_or_else(Vec::new, pair_outcomes),
            residual: balanced.residual,
        };
        self.fallbacks += contact.map_or(0, |contact| contact.work.solution.fallbacks as u64);
        Ok(())
    }

    /// The forces on all bodies, for the frame written last.
    fn forces(&self, bodies: &[BodyResult], contact: Option<&StaticContact>) -> Vec<StaticForce> {
        let frame = self.writer.n_frames() as usize - 1;
        let mut forces = Vec::new();
        for (number, BodyResult { forces: sums, supports, .. }) in bodies.iter().enumerate() {
            let mut add = |kind, name: String, force| {
                forces.push(StaticForce { frame, body: number, kind, name, force });
            };
            add(ForceKind::Load, String::new(), sums.load);
            for (name, force) in contact.map_or_else(Vec::new, |contact| pair_forces(contact, number)) {
                add(ForceKind::Contact, name, force);
            }
            for (support, force) in supports {
                add(ForceKind::Support, self.scenario.support[*support].on.to_string(), *force);
            }
            if supports.is_empty() && sums.support != [0.0; 3] {
                add(ForceKind::Support, sums.name.clone(), sums.support);
            }
        }
        forces
    }

    fn frame(
        &mut self,
        bodies: &[BodyResult],
        contacts: &[ContactState],
        contact: Option<&StaticContact>,
        residual: f64,
    ) -> Result<(), SimulateError> {
        let row = self.ledger.record(balance(self.time, bodies, contact, residual));
        self.states = bodies.iter().map(|body| body.state.clone()).collect();
        let frame = Frame {
            time: self.time,
            steps: self.counts[0],
            bodies: &self.states,
            contacts,
            joints: &[],
            ledger: &row,
        };
        let mut watching = Watching { observer: &mut self.writer, watch: &mut self.watch };
        Ok(watching.frame(&frame).map_err(carom_multibody::RunError::from)?)
    }

    /// Closes the result, whether or not all load steps were solved.
    fn finish(
        mut self,
        ended: Result<(), SimulateError>,
        timings: &[(&str, f64)],
    ) -> Result<RunOutcome, SimulateError> {
        self.warnings.append(&mut self.rims);
        self.warnings.extend(doubts(&self.outcome));
        for warning in &self.warnings {
            self.writer.note(self.time, NoteLevel::Warning, warning)?;
        }
        let contacts: Vec<ContactEvent> = self.events.into_iter().flatten().collect();
        for event in &contacts {
            self.writer.contact_event(event).map_err(carom_multibody::RunError::from)?;
        }
        let state = match &ended {
            Ok(()) => RunState::Done,
            Err(SimulateError::Interrupted) => RunState::Interrupted,
            Err(error) => {
                self.writer.note(self.time, NoteLevel::Error, &error.to_string())?;
                RunState::Failed
            }
        };
        let summary = self.ledger.summary();
        let [steps, evaluations] = self.counts;
        let counters =
            [("steps", steps), ("contact_evaluations", evaluations), ("solver_fallbacks", self.fallbacks)];
        self.writer.finish(state, &summary, timings, &counters)?;
        ended?;
        let counters = carom_integrate::Counters { steps, evaluations, ..Default::default() };
        Ok(RunOutcome {
            remarks: Vec::new(),
            summary: RunSummary {
                time: self.time,
                counters,
                ledger: summary,
                contacts,
                quaternion_drift: 0.0,
                rims: Vec::new(),
                fallbacks: self.fallbacks,
            },
            pairs: Vec::new(),
            names: Vec::new(),
            bodies: self.states,
            seconds: 0.0,
            cpu_seconds: 0.0,
            warnings: self.warnings,
            statics: Some(self.outcome),
        })
    }
}

fn results(
    problem: &Problem,
    part: f64,
    balanced: &Balanced,
    contact: Option<&StaticContact>,
    progress: &dyn Progress,
) -> Result<Vec<BodyResult>, SimulateError> {
    let of_body = |(number, body)| {
        body_result(number, body, part, balanced, contact, progress)
            .map_err(|error| if error.is_interruption() { SimulateError::Interrupted } else { error.into() })
    };
    problem.bodies.iter().enumerate().map(of_body).collect()
}

/// Notes that a pair touches, since when, and its largest force.
fn touch(event: &mut Option<ContactEvent>, pair: usize, time: f64, state: &ContactState) {
    if state.normal_force > 0.0 {
        let event = event.get_or_insert(ContactEvent { pair, start: time, open: true, ..Default::default() });
        event.end = time;
        event.max_approach = event.max_approach.max(-state.free_gap);
        if state.normal_force > event.peak_force {
            (event.peak_force, event.peak_time) = (state.normal_force, time);
        }
    }
}
