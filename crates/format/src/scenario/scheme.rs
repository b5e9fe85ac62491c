//! The table `[simulation]`: the scheme with its own settings, and the settings of all schemes.

use carom_dynamics::RELATIVE_TOLERANCE;
use toml::de::DeValue;

use super::decode::{Interval, Table};
use super::model::scheme::{COURANT, METHODS};
use super::model::scheme_row::{ENERGY_MOMENTUM, KEYS};
use super::model::{
    ContactGradient, ContactSolution, Integrator, JointForm, MassForm, SCHEMES, Scheme, SchemeRow,
    Simulation, StepMethod, TimeIntegration,
};

/// Integrators of schemes with a choice; generalised-alpha with its default settings.
const INTEGRATORS: [(&str, Integrator); 7] = [
    ("dop853", Integrator::Dop853),
    ("dormand-prince5", Integrator::DormandPrince5),
    ("exponential", Integrator::Exponential),
    ("radau5", Integrator::Radau5),
    ("bdf2", Integrator::Bdf2),
    ("midpoint", Integrator::Midpoint),
    ("generalised-alpha", ALPHA),
];
const ALPHA: Integrator =
    Integrator::GeneralisedAlpha { spectral_radius: 0.8, constraints: JointForm::Stabilised };
const JOINT_FORMS: [(&str, JointForm); 2] =
    [("index3", JointForm::Index3), ("stabilised", JointForm::Stabilised)];

/// * `has_contact` — true if the scenario has contact pairs
/// * `has_contact` — true with contacts
/// * `may_end_open` — true if the end may follow from the contact
pub(super) fn simulation(table: Table<'_>, has_contact: bool, may_end_open: bool) -> Simulation {
    let schemes: Vec<(&'static str, &'static SchemeRow)> =
        SCHEMES.iter().map(|row| (row.name, row)).collect();
    let row = table.choice("scheme", &schemes).unwrap_or(&SCHEMES[0]);
    refuse_keys_of_others(&table, row);
    let in_equilibrium = table.choice("start", &[("placed", false), ("equilibrium", true)]).unwrap_or(false);
    if in_equilibrium && row.high_modes.is_none() {
        let text = format!(
            "`start = \"equilibrium\"` belongs to the schemes `quasistatic`, `dynamic` and `damped`, not to \
             `{}`; the equilibrium of unreduced bodies is the scheme `static`",
            row.name
        );
        table.conflict("start", text);
    }
    // An equilibrium alone needs no time.
    let interval = if in_equilibrium { Interval::NotNegative } else { Interval::Positive };
    let end_time = table.number("end_time", interval);
    let has_open_end = may_end_open && row.high_modes.is_some() && !table.has("end_time");
    if row.has_time && !has_open_end && !table.has("end_time") {
        table.missing("end_time", "the time at which the run ends, in seconds");
    }
    if row.high_modes.is_none() && table.has("accuracy") {
        let text = format!(
            "`accuracy` chooses what a scenario with models leaves open; the scheme `{}` has none: remove it",
            row.name
        );
        table.conflict("accuracy", text);
    }
    let end_time = end_time.unwrap_or(1.0);
    let simulation = Simulation {
        scheme: scheme(&table, row, has_contact),
        end_time,
        gravity: table.vector("gravity").unwrap_or_default(),
        output_every: table.number("output_every", Interval::Positive).unwrap_or(if end_time > 0.0 {
            end_time / Simulation::FRAMES
        } else {
            1.0
        }),
        checkpoint_every: table.count("checkpoint_every", 1),
        accuracy: table.number("accuracy", Interval::Accuracy),
        in_equilibrium,
        has_open_end,
    };
    table.finish();
    simulation
}

/// The settings of a scheme, by its own keys alone.
fn scheme(table: &Table<'_>, row: &SchemeRow, has_contact: bool) -> Scheme {
    match row.name {
        // A right-hand side with contact has a kink wherever a pressure cell opens or closes, which a pair of
        // order 5 passes with half the evaluations of one of order 8.
        "quasistatic" if has_contact => Scheme::Quasistatic(integration(table, Integrator::DormandPrince5)),
        "quasistatic" => Scheme::Quasistatic(integration(table, Integrator::Dop853)),
        "dynamic" => Scheme::Dynamic(integration(table, ALPHA)),
        "damped" => Scheme::Damped(integration(table, ALPHA)),
        "static" => Scheme::Static { steps: table.count("steps", 1).unwrap_or(1) },
        "rigid" => Scheme::Rigid { time_step: fixed_step(table) },
        "energy-momentum" => implicit(table, StepMethod::EnergyMomentum),
        "midpoint" => implicit(table, midpoint(table)),
        "explicit" => explicit(table),
        "complementarity" => Scheme::Complementarity {
            time_step: fixed_step(table),
            mass: table.choice("mass", &MassForm::NAMES).unwrap_or_default(),
            method: table.choice("contact_method", &METHODS).unwrap_or_default(),
        },
        other => unreachable!("`{other}` is not in the table of schemes"),
    }
}

/// Largest error of a gap that a scenario may allow, relative to the diagonal of a face.
const LARGEST_TOLERANCE: f64 = 0.1;

fn explicit(table: &Table<'_>) -> Scheme {
    let (courant, time_step) =
        (table.number("courant", Interval::Share), table.number("time_step", Interval::Positive));
    if courant.is_some() && time_step.is_some() {
        let text = "`time_step` (steps of one length) and `courant` (a part of the critical step) exclude \
            each other";
        table.conflict("time_step", text);
    }
    if courant == Some(0.0) {
        table.conflict("courant", "`courant` must be above 0: a step has a length");
    }
    let mass_scaling = table.number("mass_scaling", Interval::Positive);
    if mass_scaling.is_some() && time_step.is_some() {
        let text = "`time_step` (steps of one length) and `mass_scaling` (a smallest step, for which cells \
            get more mass) exclude each other";
        table.conflict("mass_scaling", text);
    }
    let tolerance = table.number("contact_tolerance", Interval::Any).unwrap_or_default();
    if !(0.0..=LARGEST_TOLERANCE).contains(&tolerance) {
        let text = format!(
            "`contact_tolerance` is {tolerance}; it must be from 0 to {LARGEST_TOLERANCE}, a part of the \
             thickness or the diagonal of a face"
        );
        table.conflict("contact_tolerance", text);
    }
    let rule = table.choice("contact_steps", &ContactSolution::RULES).unwrap_or_default();
    let contact = ContactSolution { tolerance, rule };
    Scheme::Explicit { courant: courant.unwrap_or(COURANT), time_step, mass_scaling, contact }
}

/// The midpoint rule, and with a spectral radius its generalisation.
fn midpoint(table: &Table<'_>) -> StepMethod {
    let radius = table.number("spectral_radius", Interval::Share);
    radius.map_or(StepMethod::Midpoint, |spectral_radius| StepMethod::GeneralisedAlpha { spectral_radius })
}

fn implicit(table: &Table<'_>, method: StepMethod) -> Scheme {
    let persistency = table.flag("persistency").unwrap_or_default();
    if persistency && matches!(method, StepMethod::GeneralisedAlpha { .. }) {
        let text = "`persistency` is for contact, which steps with a `spectral_radius` do not have: remove \
            one of them";
        table.conflict("persistency", text);
    }
    let gradient = table.choice("contact_gradient", &ContactGradient::NAMES).unwrap_or_default();
    Scheme::Implicit { method, time_step: fixed_step(table), persistency, gradient }
}

fn fixed_step(table: &Table<'_>) -> f64 {
    if !table.has("time_step") {
        table.missing("time_step", "the scheme has steps of one length, in seconds");
    }
    table.number("time_step", Interval::Positive).unwrap_or(1.0)
}

/// * `default` — the integrator if none is named
fn integration(table: &Table<'_>, default: Integrator) -> TimeIntegration {
    let time_step = table.number("time_step", Interval::Positive);
    if time_step.is_some() && table.has("relative_tolerance") {
        table.conflict(
            "time_step",
            "`time_step` (fixed steps) and `relative_tolerance` (error control) exclude each other",
        );
    }
    TimeIntegration {
        integrator: integrator(table, default),
        relative_tolerance: table
            .number("relative_tolerance", Interval::Tolerance)
            .or(if time_step.is_none() { Some(RELATIVE_TOLERANCE) } else { None }),
        time_step,
        maximum_step: table.number("maximum_step", Interval::Positive),
    }
}

/// The integrator with its own settings.
fn integrator(table: &Table<'_>, default: Integrator) -> Integrator {
    let named = if word(table, "integrator") == Some(ENERGY_MOMENTUM) {
        let text = format!(
            "`{ENERGY_MOMENTUM}` is the integrator of the scheme `rigid`, and a scheme of unreduced bodies, \
             `scheme = \"{ENERGY_MOMENTUM}\"`; it is no integrator of reduced bodies"
        );
        table.conflict("integrator", text);
        None
    } else {
        table.choice("integrator", &INTEGRATORS)
    };
    let radius = table.number("spectral_radius", Interval::Share);
    let form = table.choice("constraints", &JOINT_FORMS);
    match named.unwrap_or(default) {
        Integrator::GeneralisedAlpha { spectral_radius, constraints } => {
            if radius == Some(1.0) && form == Some(JointForm::Index3) {
                let text = "`constraints = \"index3\"` needs a `spectral_radius` below 1, which damps the \
                    error that it leaves in reactions; or take `constraints = \"stabilised\"`";
                table.conflict("spectral_radius", text);
            }
            Integrator::GeneralisedAlpha {
                spectral_radius: radius.unwrap_or(spectral_radius),
                constraints: form.unwrap_or(constraints),
            }
        }
        other => {
            for (key, is_given) in [("spectral_radius", radius.is_some()), ("constraints", form.is_some())] {
                if is_given {
                    table.conflict(key, format!("`{key}` belongs to `integrator = \"generalised-alpha\"`"));
                }
            }
            other
        }
    }
}

/// Reports keys that belong to other schemes.
fn refuse_keys_of_others(table: &Table<'_>, row: &SchemeRow) {
    for key in KEYS.into_iter().filter(|key| !row.keys.contains(key) && table.value(key).is_some()) {
        if is_written_default(table, row, key) {
            continue;
        }
        let text = format!(
            "`{key}` belongs to the scheme {}; the scheme `{}` {}: remove `{key}`",
            SchemeRow::with_key(key),
            row.name,
            row.way
        );
        table.conflict(key, text);
    }
}

/// True if a key that the scheme does not have has the value that earlier versions wrote for it.
fn is_written_default(table: &Table<'_>, row: &SchemeRow, key: &'static str) -> bool {
    match (row.name, key) {
        ("rigid", "integrator") => word(table, key) == Some(ENERGY_MOMENTUM),
        ("static", "integrator") => matches!(word(table, key), Some("dop853" | "dormand-prince5")),
        ("static", "relative_tolerance") => match table.value(key).map(|value| value.get_ref()) {
            Some(DeValue::Float(number)) => number.as_str().parse() == Ok(RELATIVE_TOLERANCE),
            _ => false,
        },
        _ => false,
    }
}

fn word<'a>(table: &Table<'a>, key: &'static str) -> Option<&'a str> {
    table.value(key).and_then(|value| value.get_ref().as_str())
}
