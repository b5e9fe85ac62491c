//! `carom-reduce compare`

use std::fmt::Write as _;

use carom_cli::{Category, Failure, Session};
use carom_fem::QuadratureRule;
use carom_format::{StoredBody, StoredRom};
use carom_linalg::{FactorError, IterationError};
use carom_reduce::comparison::{ComparisonError, Limits, ModeMatch, rigid_sets};
use carom_reduce::{Comparison, ComparisonOptions, ModesError};
use serde::Serialize;

use crate::args::CompareArgs;

/// Modal assurance criterion below which the mode is not in the model.
const NO_MATCH: f64 = 0.3;

/// Least modal assurance criterion of an acceptable mode.
const LEAST_MAC: f64 = 0.95;

#[derive(Debug, Serialize)]
struct ModeReport {
    mode: usize,
    rom_hz: f64,
    body_hz: f64,
    relative_error: f64,
    mac: Option<f64>,
    multiplicity: usize,
    is_good: bool,
}

#[derive(Debug, Serialize)]
struct LoadReport {
    set: String,
    load: &'static str,
    energy_error: f64,
    displacement_error: f64,
}

#[derive(Debug, Serialize)]
struct Report {
    rom_hz: Vec<f64>,
    body_hz: Vec<f64>,
    relative_errors: Vec<f64>,
    modes: Vec<ModeReport>,
    /// True if shapes are weighted by the mass of the whole body.
    mac_by_mass: bool,
    rigid_modes: usize,
    statics: Vec<LoadReport>,
    /// Parts of the interface without a test load, with the reason.
    statics_untested: Vec<String>,
    /// Sets that are rigid in the model. They are rigid also in the body for the static response, but not for
    /// its modes.
    rigid_sets: Vec<String>,
    /// Frequency up to which the model has every mode of the body within the tolerance.
    trusted_hz: f64,
    /// Frequency of the last dynamic mode of the model.
    last_dynamic_hz: Option<f64>,
    /// True if all compared modes and static displacements are within the tolerance.
    is_good: bool,
    tolerance: f64,
    verdict: String,
    /// The reason why no modes are compared.
    modes_untested: Option<String>,
    /// Solver of the body: `direct` or `iterative`.
    solver: &'static str,
    notes: Vec<String>,
}

pub(crate) fn compare(args: &CompareArgs, session: &Session) -> Result<(), Failure> {
    let (rom, body) = open_pair(&args.rom, &args.body, session)?;
    let options = ComparisonOptions {
        count: args.count as usize,
        rule: rule_of(&rom),
        fix: rom.reduced.held.clone(),
        sets: rom.options.interfaces.clone(),
        solver: args.solver.choice(),
    };
    let progress = carom_progress::Part::new(session.progress(), &body.body.name);
    let found =
        carom_reduce::compare(&rom.reduced, &body.body, &options, &progress).map_err(comparison_failed)?;
    found.notes.iter().for_each(|note| session.note(note));
    for set in rigid_sets(&rom.reduced) {
        let modes = match &found.modes_untested {
            Some(_) => "",
            None => {
                "; its modes are those of the unchanged body, so that the differences of frequency include \
                 the effect of the rigid set"
            }
        };
        session.note(&format!(
            "`{set}` is rigid in the model. The static response is that of the whole body with this set \
             made rigid too{modes}"
        ));
    }
    let limits = Limits { frequency: args.tolerance, mac: LEAST_MAC };
    let report = report(&rom, &found, &limits);
    session.print(&text(&report))?;
    session.print_json("carom-reduce compare 1", &report)?;
    if args.check && !report.is_good {
        let way = advice(&report.rigid_sets, found.modes_untested.is_some());
        return Err(Failure::new(Category::Other, report.verdict).hint(way));
    }
    Ok(())
}

/// A hint how to improve the model.
///
/// * `is_tied` — true if the rigid sets connect parts of the body
fn advice(rigid: &[String], is_tied: bool) -> String {
    let more = "use more fixed-interface modes (--modes, --up-to) or a larger interface";
    if rigid.is_empty() || is_tied {
        return more.to_owned();
    }
    format!(
        "the rigid {} may be the cause of frequencies that are too high: --attach SET=mean adds no \
         stiffness; otherwise {more}",
        set_names(rigid)
    )
}

/// `set x`, `sets x, y`.
fn set_names(sets: &[String]) -> String {
    let names: Vec<String> = sets.iter().map(|set| format!("`{set}`")).collect();
    format!("{} {}", if sets.len() == 1 { "set" } else { "sets" }, names.join(", "))
}

/// A model and the body that it was made from.
pub(crate) fn open_pair(
    rom_path: &std::path::Path,
    body_path: &std::path::Path,
    session: &Session,
) -> Result<(StoredRom, StoredBody), Failure> {
    let rom = crate::open_rom(rom_path, session)?;
    let body = crate::open_body(body_path)?;
    if rom.reduced.body_checksum == body.checksum {
        return Ok((rom, body));
    }
    let text = format!("`{}` was not made from `{}`", rom_path.display(), body_path.display());
    let failure = Failure::new(Category::Input, text);
    if rom.reduced.body_checksum.is_empty() {
        return Err(failure
            .context("the model was imported from another program and has no body file")
            .hint(
                "only models that `carom-reduce craig-bampton` made from a body file can be compared with it",
            ));
    }
    Err(failure
        .context("the checksums of model and body differ")
        .hint("reduce the body again, or name the body that the model was made from"))
}

/// The quadrature of the reduction.
pub(crate) fn rule_of(rom: &StoredRom) -> QuadratureRule {
    if rom.options.quadrature == "high" { QuadratureRule::High } else { QuadratureRule::Default }
}

pub(crate) fn comparison_failed(error: ComparisonError) -> Failure {
    let category = match &error {
        ComparisonError::Modes(ModesError::Eigen { source, .. }) => crate::eigen_category(source),
        ComparisonError::Solution { source: IterationError::Stagnation { .. }, .. }
        | ComparisonError::Factor {
            source: FactorError::Iteration(IterationError::Stagnation { .. }), ..
        } => Category::Convergence,
        _ => Category::Input,
    };
    Failure::from_error(category, error)
}

fn report(rom: &StoredRom, found: &Comparison, limits: &Limits) -> Report {
    let of = |value: fn(&ModeMatch) -> f64| found.modes.iter().map(value).collect::<Vec<f64>>();
    let (trusted_hz, _) = found.trusted_hz(limits);
    let rigid = rigid_sets(&rom.reduced);
    let last_dynamic_hz = rom.reduced.last_dynamic_hz();
    Report {
        rom_hz: of(|m| m.model_hz),
        body_hz: of(|m| m.body_hz),
        relative_errors: of(ModeMatch::relative_error),
        modes: found
            .modes
            .iter()
            .map(|m| ModeReport {
                mode: m.mode + 1,
                rom_hz: m.model_hz,
                body_hz: m.body_hz,
                relative_error: m.relative_error(),
                mac: m.mac,
                multiplicity: m.multiplicity,
                is_good: m.is_good(limits),
            })
            .collect(),
        mac_by_mass: found.by_mass,
        rigid_modes: found.n_rigid,
        statics: found
            .loads
            .iter()
            .map(|l| LoadReport {
                set: l.set.clone(),
                load: l.direction,
                energy_error: l.energy_error,
                displacement_error: l.displacement_error,
            })
            .collect(),
        verdict: verdict(found, limits, &rigid, last_dynamic_hz),
        modes_untested: found.modes_untested.clone(),
        statics_untested: found.untested.clone(),
        rigid_sets: rigid,
        trusted_hz,
        last_dynamic_hz,
        is_good: found.is_good(limits),
        tolerance: limits.frequency,
        solver: crate::solver::way(found.is_iterative),
        notes: found.notes.clone(),
    }
}

/// The result of the comparison in a few sentences.
fn verdict(found: &Comparison, limits: &Limits, rigid: &[String], last_dynamic: Option<f64>) -> String {
    let percent = 100.0 * limits.frequency;
    let (trusted, all) = found.trusted_hz(limits);
    let mut text = if let Some(why) = &found.modes_untested {
        format!("modes are not compared: {why}.")
    } else if all {
        format!("all {} modes agree to {percent} %, up to {trusted:.0} Hz.", found.modes.len())
    } else {
        let off: Vec<String> =
            (1..).zip(&found.modes).filter(|(_, m)| !m.is_good(limits)).map(|(k, _)| k.to_string()).collect();
        let good = if trusted > 0.0 {
            format!("modes agree to {percent} % up to {trusted:.0} Hz; the model is not reliable above.")
        } else {
            format!("no mode agrees to {percent} %.")
        };
        let modes = if off.len() == 1 { "mode" } else { "modes" };
        format!("{good} Off: {modes} {}.", off.join(", "))
    };
    if let Some(hz) = last_dynamic
        && !all
        && hz > trusted
    {
        let way = if rigid.is_empty() {
            "use a lower split or more fixed-interface modes".to_owned()
        } else {
            format!(
                "use a lower split, more fixed-interface modes, or `mean` instead of the rigid {}, which {} \
                 the body",
                set_names(rigid),
                if rigid.len() == 1 { "stiffens" } else { "stiffen" }
            )
        };
        let _ = write!(text, " Its dynamic modes reach {hz:.0} Hz: {way}.");
    }
    text + &verdict_of_statics(found, limits)
}

/// Sentences about the static response: displacements at the sets, and the energy of the whole body.
fn verdict_of_statics(found: &Comparison, limits: &Limits) -> String {
    let percent = 100.0 * limits.frequency;
    let mut text = String::new();
    let off: Vec<String> = found
        .loads
        .iter()
        .filter(|l| l.displacement_error > limits.frequency)
        .map(|l| format!("{} on `{}`", l.direction, l.set))
        .collect();
    if !off.is_empty() {
        let _ = write!(
            text,
            " Static displacements at the sets are off by more than {percent} %: {}.",
            off.join(", ")
        );
    } else if !found.loads.is_empty() {
        let _ = write!(text, " Static displacements at the loaded sets agree to {percent} %.");
    }
    let worst = found.loads.iter().max_by(|a, b| a.energy_error.total_cmp(&b.energy_error));
    if let Some(worst) = worst.filter(|l| l.energy_error > limits.frequency) {
        let _ = write!(
            text,
            " The elastic energy of the static response is up to {:.1} % too small ({} on `{}`): inside the \
             body displacement and stress can have this error.",
            100.0 * worst.energy_error,
            worst.direction,
            worst.set
        );
    }
    if found.loads.is_empty() {
        text.push_str(" No static response was tested.");
    }
    for untested in &found.untested {
        let _ = write!(text, " Not tested in statics: {untested}.");
    }
    text
}

/// Writing to a string cannot fail.
fn text(report: &Report) -> String {
    let mut text = String::new();
    if !report.modes.is_empty() {
        let _ = writeln!(
            text,
            "{:>5} {:>16} {:>16} {:>12} {:>9}",
            "mode", "model in Hz", "body in Hz", "error", "MAC"
        );
    }
    for (k, m) in (1..).zip(&report.modes) {
        let mac = m.mac.map_or("-".to_owned(), |mac| format!("{mac:.6}"));
        let close = if m.multiplicity > 1 { format!("  space of {}", m.multiplicity) } else { String::new() };
        let number = if m.mode == k { String::new() } else { format!("  mode {} of the model", m.mode) };
        let off = match m.mac {
            Some(mac) if mac < NO_MATCH => "  not in the model",
            _ if !m.is_good => "  off",
            _ => "",
        };
        let _ = writeln!(
            text,
            "{k:5} {:16.6} {:16.6} {:12.2e} {mac:>9}{close}{number}{off}",
            m.rom_hz, m.body_hz, m.relative_error
        );
    }
    if !report.mac_by_mass && report.modes.iter().any(|m| m.mac.is_some()) {
        text.push_str("MAC over the points of the model, without weighting by the mass of the body\n");
    }
    if !report.statics.is_empty() {
        let _ = writeln!(text, "\n{:>24} {:>12} {:>16} {:>16}", "set", "unit", "energy error", "at the set");
    }
    for l in &report.statics {
        let _ = writeln!(
            text,
            "{:>24} {:>12} {:16.2e} {:16.2e}",
            l.set, l.load, l.energy_error, l.displacement_error
        );
    }
    let _ = write!(text, "\n{}", report.verdict);
    text
}
