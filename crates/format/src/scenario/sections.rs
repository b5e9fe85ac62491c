//! The tables of a scenario but `[[body]]`, read with their defaults.

use std::ops::Range;

use carom_contact::Law;
use carom_contact::law::DEFAULT_ALPHA;
use carom_dynamics::RELATIVE_TOLERANCE;

use super::decode::{Interval, Table};
use super::functions::{self, Run};
use super::model::{
    ContactSpec, End, ForceSpec, Integrator, JointForm, MaterialSpec, PressureSpec, Rim, Scheme, Simulation,
    SupportSpec,
};
use super::problem::ProblemKind;

const INTEGRATORS: [(&str, Integrator); 7] = [
    ("dop853", Integrator::Dop853),
    ("dormand-prince5", Integrator::DormandPrince5),
    ("radau5", Integrator::Radau5),
    ("bdf2", Integrator::Bdf2),
    ("midpoint", Integrator::Midpoint),
    ("generalised-alpha", Integrator::GeneralisedAlpha),
    ("energy-momentum", Integrator::EnergyMomentum),
];
const JOINT_FORMS: [(&str, JointForm); 2] =
    [("index3", JointForm::Index3), ("stabilised", JointForm::Stabilised)];
/// Of generalised-alpha, if the scenario gives none.
const SPECTRAL_RADIUS: f64 = 0.8;
/// Axes in which vectors are given.
pub(super) const AXES: [(&str, &str); 2] = [("inertial", "inertial"), ("body", "body")];

/// The integrator if the scenario names none. A right-hand side with contact has a kink wherever a span
/// enters or leaves, which a pair of order 5 passes with half the evaluations of one of order 8.
fn default_integrator(scheme: Scheme, has_contact: bool) -> Integrator {
    match scheme {
        Scheme::Rigid => Integrator::EnergyMomentum,
        // All modes move: the steps of an explicit pair would follow the highest of them.
        Scheme::Dynamic | Scheme::Damped => Integrator::GeneralisedAlpha,
        _ if has_contact => Integrator::DormandPrince5,
        _ => Integrator::Dop853,
    }
}

/// True, and told, if the scheme is none that this release runs.
pub(super) fn is_of_another_release(table: &Table<'_>) -> bool {
    let word = table.value("scheme").and_then(|value| value.get_ref().as_str());
    let named = Scheme::NAMES.iter().find(|(name, _)| Some(*name) == word);
    let Some((name, _)) = named.filter(|(_, scheme)| !scheme.is_available()) else { return false };
    table.problem(&table.span_of("scheme"), ProblemKind::UnavailableScheme { scheme: name });
    true
}

pub(super) fn simulation(table: Table<'_>, has_contact: bool) -> Simulation {
    let scheme = table.choice("scheme", &Scheme::available()).unwrap_or(Scheme::Quasistatic);
    let statics = scheme == Scheme::Static;
    let end_time = table.number("end_time", Interval::Positive);
    if !statics && !table.has("end_time") {
        table.missing("end_time", "the time at which the run ends, in seconds");
    }
    let end_time = end_time.unwrap_or(1.0);
    let steps = table.count("steps", 1);
    if steps.is_some() && !statics {
        table.conflict("steps", "`steps` (load steps) belongs to the scheme `static`");
    }
    let time_step = table.number("time_step", Interval::Positive);
    if time_step.is_some() && table.has("relative_tolerance") {
        table.conflict(
            "time_step",
            "`time_step` (fixed steps) and `relative_tolerance` (error control) exclude each other",
        );
    }
    let rigid = scheme == Scheme::Rigid;
    if rigid && !table.has("time_step") {
        table.missing("time_step", "the scheme `rigid` has steps of one length, in seconds");
    }
    let default = default_integrator(scheme, has_contact);
    let integrator = table.choice("integrator", &INTEGRATORS).unwrap_or(default);
    // A scenario that is written with all defaults names the default.
    if rigid && integrator != default {
        table.conflict("integrator", "the scheme `rigid` has an integrator of its own: remove `integrator`");
    }
    if !rigid && integrator == Integrator::EnergyMomentum {
        table.conflict("integrator", "`energy-momentum` is the integrator of the scheme `rigid` alone");
    }
    if rigid && table.has("maximum_step") {
        table.conflict("maximum_step", "the steps of the scheme `rigid` have one length, `time_step`");
    }
    let (spectral_radius, constraints) = generalised_alpha(&table, integrator);
    let simulation = Simulation {
        scheme,
        integrator,
        spectral_radius,
        constraints,
        end_time,
        gravity: table.vector("gravity").unwrap_or_default(),
        relative_tolerance: table
            .number("relative_tolerance", Interval::Tolerance)
            .or(if time_step.is_none() { Some(RELATIVE_TOLERANCE) } else { None }),
        time_step,
        maximum_step: table.number("maximum_step", Interval::Positive),
        output_every: table
            .number("output_every", Interval::Positive)
            .unwrap_or(end_time / Simulation::FRAMES),
        checkpoint_every: table.count("checkpoint_every", 1),
        steps: if statics { Some(steps.unwrap_or(1)) } else { None },
    };
    table.finish();
    simulation
}

/// Spectral radius and form of the joints, for generalised-alpha alone.
fn generalised_alpha(table: &Table<'_>, integrator: Integrator) -> (Option<f64>, Option<JointForm>) {
    let radius = table.number("spectral_radius", Interval::Share);
    let form = table.choice("constraints", &JOINT_FORMS);
    if integrator == Integrator::GeneralisedAlpha {
        if radius == Some(1.0) && form == Some(JointForm::Index3) {
            let text = "`constraints = \"index3\"` needs a `spectral_radius` below 1, which damps what it \
                leaves in reactions; \
                        or take `constraints = \"stabilised\"`";
            table.conflict("spectral_radius", text);
        }
        return (Some(radius.unwrap_or(SPECTRAL_RADIUS)), Some(form.unwrap_or(JointForm::Stabilised)));
    }
    for (key, is_given) in [("spectral_radius", radius.is_some()), ("constraints", form.is_some())] {
        if is_given {
            table.conflict(key, format!("`{key}` belongs to `integrator = \"generalised-alpha\"`"));
        }
    }
    (None, None)
}

pub(super) fn material(table: Table<'_>) -> Option<MaterialSpec> {
    for (key, why) in [
        ("density", "ρ in kg/m³, 7800 for steel"),
        ("young", "Young's modulus in Pa, 210e9 for steel"),
        ("poisson", "Poisson's ratio, 0.3 for steel"),
    ] {
        if !table.has(key) {
            table.missing(key, why);
        }
    }
    let density = table.number("density", Interval::Positive);
    let young = table.number("young", Interval::Positive);
    let poisson = table.number("poisson", Interval::Poisson);
    table.finish();
    Some(MaterialSpec { density: density?, young: young?, poisson: poisson? })
}

/// An end as `BODY:PART`, with its place.
fn end_of(text: &str) -> End {
    match text.split_once(':') {
        Some((body, part)) => End { body: body.to_owned(), part: part.to_owned() },
        None => End { body: text.to_owned(), part: String::new() },
    }
}

/// An [`End`] and where it stands.
pub(super) type PlacedEnd = (End, Range<usize>);

fn one_end(table: &Table<'_>) -> Option<PlacedEnd> {
    if !table.has("on") {
        table.missing("on", "the body and its set or marker, `on = \"BODY:SET\"`");
    }
    let span = table.span_of("on");
    table.text("on").map(|text| (end_of(&text), span))
}

pub(super) fn two_ends(table: &Table<'_>) -> Option<[PlacedEnd; 2]> {
    if !table.has("between") {
        table.missing("between", "the two ends, `between = [\"BODY:PART\", \"BODY:PART\"]`");
    }
    let texts = table.texts("between")?;
    let n = texts.len();
    let ends: Result<[PlacedEnd; 2], _> =
        texts.into_iter().map(|(text, span)| (end_of(&text), span)).collect::<Vec<_>>().try_into();
    if ends.is_err() {
        table.conflict("between", format!("`between` must name two ends, it names {n}"));
    }
    ends.ok()
}

/// What refers to bodies, with the places of the references.
pub(super) struct Referring<T> {
    pub(super) spec: T,
    pub(super) ends: Vec<PlacedEnd>,
    pub(super) context: String,
}

pub(super) fn contact(table: Table<'_>, scheme: Scheme) -> Option<Referring<ContactSpec>> {
    let ends = two_ends(&table);
    let friction = table.number("friction", Interval::NotNegative).unwrap_or(0.0);
    let rigid = scheme == Scheme::Rigid;
    let default = if rigid { Law::Hard } else { Law::penalty(DEFAULT_ALPHA) };
    let law = table.table("law").map_or(Some(default), |table| law(table, rigid));
    let restitution = table.number("restitution", Interval::Share);
    if restitution.is_some() && !(rigid && matches!(law, Some(Law::Hard) | None)) {
        table.conflict(
            "restitution",
            "`restitution` belongs to the scheme `rigid` with `law = { kind = \"lagrange\" }`",
        );
    }
    let rim = table.choice("rim", &[("error", Rim::Error), ("warning", Rim::Warning)]).unwrap_or_default();
    let context = table.context.clone();
    table.finish();
    let [a, b] = ends?;
    let spec = ContactSpec { between: [a.0.clone(), b.0.clone()], friction, law: law?, restitution, rim };
    Some(Referring { spec, ends: vec![a, b], context })
}

/// * `of_points` — true if points touch, not surfaces
fn law(table: Table<'_>, of_points: bool) -> Option<Law> {
    if !table.has("kind") {
        table.missing("kind", "`penalty`, `lagrange` or `complementarity`");
    }
    let law = match table.choice("kind", &[("penalty", 0), ("lagrange", 1), ("complementarity", 1)])? {
        0 => penalty(&table, of_points),
        _ => Law::Hard,
    };
    table.finish();
    Some(law)
}

fn penalty(table: &Table<'_>, of_points: bool) -> Law {
    let number = |key: &'static str| table.number(key, Interval::Positive);
    let (stiffness, point_stiffness, factor) =
        (number("stiffness"), number("point_stiffness"), number("factor"));
    let (wrong, why) = if of_points {
        (
            "stiffness",
            "`stiffness` is per area, in Pa/m: the points of the scheme `rigid` have a `point_stiffness`, in \
             N/m",
        )
    } else {
        (
            "point_stiffness",
            "`point_stiffness`, in N/m, is that of points, in the scheme `rigid`: surfaces have a \
             `stiffness` per area, in Pa/m",
        )
    };
    if table.has(wrong) {
        table.conflict(wrong, why);
    } else if of_points && !table.has("point_stiffness") {
        table.missing("point_stiffness", "rigid bodies do not give way: the stiffness of each point in N/m");
    }
    // A scenario that is written with all defaults names the default factor.
    let is_chosen = factor.is_some_and(|factor| factor != DEFAULT_ALPHA);
    match (stiffness, point_stiffness) {
        (Some(_), _) | (_, Some(_)) if is_chosen => {
            table.conflict("factor", "`stiffness` and `factor` exclude each other: give one");
            Law::penalty(DEFAULT_ALPHA)
        }
        (Some(stiffness), _) => Law::per_area(stiffness),
        (None, Some(stiffness)) => Law::per_point(stiffness),
        (None, None) => Law::penalty(factor.unwrap_or(DEFAULT_ALPHA)),
    }
}

pub(super) fn support(table: Table<'_>) -> Option<Referring<SupportSpec>> {
    let on = one_end(&table);
    let directions = table.texts("directions");
    let mut held = Vec::new();
    for (direction, span) in
        directions.unwrap_or_else(|| ["x", "y", "z"].map(|d| (d.to_owned(), 0..0)).to_vec())
    {
        if ["x", "y", "z"].contains(&direction.as_str()) {
            held.push(direction);
        } else {
            let choices = "`x`, `y`, `z`".to_owned();
            let key = "directions".to_owned();
            table.problem(
                &span,
                ProblemKind::UnknownChoice { key, found: direction, suggestion: None, choices },
            );
        }
    }
    let displacement = table.vector("displacement").unwrap_or_default();
    for (direction, value) in ["x", "y", "z"].into_iter().zip(displacement) {
        if value != 0.0 && !held.iter().any(|held| held == direction) {
            let text = format!(
                "`displacement` moves the part along {direction}, but `directions` leaves {direction} free"
            );
            table.conflict("displacement", text);
        }
    }
    let context = table.context.clone();
    table.finish();
    let on = on?;
    let spec = SupportSpec { on: on.0.clone(), directions: held, displacement };
    Some(Referring { spec, ends: vec![on], context })
}

pub(super) fn force(table: Table<'_>, run: Run) -> Option<Referring<ForceSpec>> {
    let on = one_end(&table);
    let force = table.vector("force");
    let torque = table.vector("torque");
    if force.is_none() && torque.is_none() {
        table.missing("force", "a force in N or a `torque` in N m, as a list of three numbers");
    }
    let axes = table.choice("axes", &AXES).unwrap_or("inertial");
    let scale = functions::scale(&table, run);
    let context = table.context.clone();
    table.finish();
    let on = on?;
    let spec = ForceSpec {
        on: on.0.clone(),
        force: force.unwrap_or_default(),
        torque: torque.unwrap_or_default(),
        axes: axes.to_owned(),
        scale,
    };
    Some(Referring { spec, ends: vec![on], context })
}

pub(super) fn pressure(table: Table<'_>) -> Option<Referring<PressureSpec>> {
    let on = one_end(&table);
    if !table.has("value") {
        table.missing("value", "the pressure in Pa, positive in compression");
    }
    let value = table.number("value", Interval::Any);
    let context = table.context.clone();
    table.finish();
    let on = on?;
    Some(Referring { spec: PressureSpec { on: on.0.clone(), value: value? }, ends: vec![on], context })
}
