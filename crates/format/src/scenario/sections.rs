//! Materials, contacts, supports and loads, read with their defaults.

use std::ops::Range;

use carom_contact::law::DEFAULT_ALPHA;
use carom_contact::{Law, Stiffness};
use toml::Spanned;
use toml::de::DeValue;

use super::decode::{Interval, Table};
use super::functions::{self, Run};
use super::model::{
    Compliance, ContactSpec, End, ForceSpec, HardeningSpec, MaterialLaw, MaterialSpec, PressureSpec, Rim,
    SchemeRow, SupportSpec,
};
use super::patterns::ReadContact;
use super::problem::ProblemKind;

/// Axes in which vectors are given.
pub(super) const AXES: [(&str, &str); 2] = [("inertial", "inertial"), ("body", "body")];

pub(super) fn material(table: Table<'_>, scheme: &SchemeRow) -> Option<MaterialSpec> {
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
    let law = table.choice("law", &MaterialLaw::NAMES).unwrap_or_default();
    if law == MaterialLaw::ScalarWave {
        if !scheme.has_scalar_wave {
            let text = format!(
                "`law = \"scalar-wave\"` belongs to the scheme `complementarity`, not to `{}`",
                scheme.name
            );
            table.conflict("law", text);
        }
    } else if !scheme.has_laws && !law.is_linear() {
        let text = format!(
            "laws other than `linear` are for the schemes {}; `{}` is linear: remove `law`, or choose one of \
             these",
            SchemeRow::names(|row| row.has_laws),
            scheme.name
        );
        table.conflict("law", text);
    }
    let (yield_stress, hardening) = plasticity(&table, law);
    let bulk_viscosity = bulk_viscosity(&table, scheme);
    table.finish();
    Some(MaterialSpec {
        density: density?,
        young: young?,
        poisson: poisson?,
        law,
        yield_stress,
        hardening,
        bulk_viscosity,
    })
}

/// The keys of the law `plastic`.
fn plasticity(table: &Table<'_>, law: MaterialLaw) -> (Option<f64>, Option<HardeningSpec>) {
    let yield_stress = table.number("yield_stress", Interval::Positive);
    let hardening = match table.value("hardening") {
        None => None,
        Some(value) => match value.get_ref() {
            DeValue::Array(points) => hardening_table(table, points).map(HardeningSpec::Table),
            _ => table.number_in("hardening", value, Interval::NotNegative).map(HardeningSpec::Modulus),
        },
    };
    if law != MaterialLaw::Plastic {
        for key in ["yield_stress", "hardening"] {
            if table.has(key) {
                table.conflict(key, format!("`{key}` belongs to `law = \"plastic\"`"));
            }
        }
        return (None, None);
    }
    let is_table = matches!(hardening, Some(HardeningSpec::Table(_)));
    if is_table && table.has("yield_stress") {
        let text = "the first point of the table `hardening` is the yield stress: remove `yield_stress`";
        table.conflict("yield_stress", text);
    }
    if !table.has("yield_stress") && !table.has("hardening") {
        table.missing("yield_stress", "the law `plastic` yields at this stress in Pa, 400e6 for copper");
    } else if !table.has("yield_stress") && matches!(hardening, Some(HardeningSpec::Modulus(_))) {
        table.missing("yield_stress", "`hardening` with one modulus starts at a yield stress in Pa");
    }
    (yield_stress, hardening)
}

/// Points of plastic strain and yield stress: strains ascend from 0, stresses do not fall.
fn hardening_table(table: &Table<'_>, points: &[Spanned<DeValue<'_>>]) -> Option<Vec<[f64; 2]>> {
    const FORM: &str = "a modulus in Pa, or a list of [plastic strain, yield stress in Pa]";
    if points.is_empty() {
        table.conflict(
            "hardening",
            "the table `hardening` has no point; the first one is [0.0, YIELD STRESS]",
        );
        return None;
    }
    let mut found: Vec<[f64; 2]> = Vec::with_capacity(points.len());
    for point in points {
        let numbers = match point.get_ref() {
            DeValue::Array(pair) if pair.len() == 2 => [&pair[0], &pair[1]],
            _ => {
                table.wrong_type("hardening", point, FORM);
                return None;
            }
        };
        let strain = table.number_in("hardening", numbers[0], Interval::NotNegative)?;
        let stress = table.number_in("hardening", numbers[1], Interval::Positive)?;
        let problem = match found.last() {
            None if strain != 0.0 => {
                Some(format!("the first plastic strain is {strain}; yielding begins at 0"))
            }
            Some(last) if strain <= last[0] => {
                Some(format!("the plastic strain {strain} is not above the one before it, {}", last[0]))
            }
            Some(last) if stress < last[1] => Some(format!(
                "the yield stress {stress} Pa is below the one before it, {} Pa: softening is not possible",
                last[1]
            )),
            _ => None,
        };
        if let Some(text) = problem {
            table.problem(&point.span(), ProblemKind::Conflict(format!("`hardening`: {text}")));
            return None;
        }
        found.push([strain, stress]);
    }
    Some(found)
}

/// Linear and quadratic bulk viscosity.
fn bulk_viscosity(table: &Table<'_>, scheme: &SchemeRow) -> Option<[f64; 2]> {
    let value = table.value("bulk_viscosity")?;
    if !scheme.has_laws {
        let text = format!("`bulk_viscosity` belongs to the scheme `explicit`, not to `{}`", scheme.name);
        table.conflict("bulk_viscosity", text);
    }
    match value.get_ref() {
        DeValue::Array(pair) if pair.len() == 2 => Some([
            table.number_in("bulk_viscosity", &pair[0], Interval::NotNegative)?,
            table.number_in("bulk_viscosity", &pair[1], Interval::NotNegative)?,
        ]),
        _ => {
            table.wrong_type("bulk_viscosity", value, "a linear and a quadratic coefficient, [0.06, 1.2]");
            None
        }
    }
}

/// An end as `BODY:PART`, with its place.
fn end_of(text: &str) -> End {
    match text.split_once(':') {
        Some((body, part)) => End { body: body.to_owned(), part: part.to_owned() },
        None => End { body: text.to_owned(), part: String::new() },
    }
}

/// An [`End`] and its position.
pub(super) type PlacedEnd = (End, Range<usize>);

pub(super) fn one_end(table: &Table<'_>) -> Option<PlacedEnd> {
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

/// A table that refers to bodies, with the positions of its references.
pub(super) struct Referring<T> {
    pub(super) spec: T,
    pub(super) ends: Vec<PlacedEnd>,
    pub(super) context: String,
}

impl<T> Referring<T> {
    /// The place of the first reference.
    pub(super) fn span(&self) -> Range<usize> {
        self.ends.first().map_or(0..0, |(_, span)| span.clone())
    }
}

/// The two ends of a contact, or twice `*` for all bodies: one contact of their outer surfaces, or in schemes
/// without such a contact the pattern of all their surfaces.
fn ends_of_contact(table: &Table<'_>, scheme: &SchemeRow) -> Option<[PlacedEnd; 2]> {
    let texts = table.texts("between").unwrap_or_default();
    if texts.iter().all(|(text, _)| text != ContactSpec::ALL) {
        return two_ends(table);
    }
    let [(_, span)] = &texts[..] else {
        table.conflict("between", "`*` stands for all surfaces and comes alone: `between = [\"*\"]`");
        return None;
    };
    let part = match (scheme.has_automatic_contact, scheme.bodies_touch_whole()) {
        (true, _) => "",
        (false, true) => ContactSpec::ALL,
        (false, false) => {
            let text = format!(
                "`*` belongs to the schemes {}; `{}` needs two ends",
                SchemeRow::names(|row| row.has_automatic_contact || row.bodies_touch_whole()),
                scheme.name
            );
            table.conflict("between", text);
            return None;
        }
    };
    let all = || (End { body: ContactSpec::ALL.to_owned(), part: part.to_owned() }, span.clone());
    Some([all(), all()])
}

pub(super) fn contact(table: Table<'_>, scheme: &SchemeRow) -> Option<ReadContact> {
    let exclude = table.text_pairs("exclude").unwrap_or_default();
    let exclude = exclude.into_iter().map(|pair| pair.map(|(text, span)| (end_of(&text), span))).collect();
    let ends = ends_of_contact(&table, scheme);
    let friction = table.number("friction", Interval::NotNegative).unwrap_or(0.0);
    let of_points = scheme.points_touch;
    let law = table.table("law").map_or(Some(scheme.default_law), |table| law(table, of_points));
    let restitution = table.number("restitution", Interval::Share);
    if restitution.is_some() && !(scheme.has_restitution && matches!(law, Some(Law::Hard) | None)) {
        table.conflict(
            "restitution",
            "`restitution` belongs to impacts of rigid bodies, in the schemes `rigid` and `explicit`, with \
             `law = { kind = \"lagrange\" }`",
        );
    }
    let rim = table.choice("rim", &[("error", Rim::Error), ("warning", Rim::Warning)]).unwrap_or_default();
    let compliance = table.choice("compliance", &Compliance::NAMES);
    let name = Compliance::NAMES.iter().find(|(_, one)| Some(*one) == compliance).map(|(name, _)| *name);
    let has_grids = scheme.high_modes.is_some() || !scheme.has_time;
    if let Some(name) = name.filter(|_| compliance != Some(Compliance::Body) && !has_grids) {
        let text = format!(
            "`compliance = \"{name}\"` belongs to the schemes quasistatic, dynamic, damped and static, not \
             to `{}`",
            scheme.name
        );
        table.conflict("compliance", text);
    }
    if compliance == Some(Compliance::HalfSpace) && rim == Rim::Warning {
        table.conflict(
            "rim",
            "an edge in a contact with `compliance = \"half-space\"` is always an error: remove `rim`, or \
             use `compliance = \"body\"`",
        );
    }
    let is_whole = ends.iter().flatten().any(|(end, _)| end.part.is_empty());
    // Whether both bodies are rigid is checked with the bodies.
    let by_stiffness = scheme.has_time && matches!(law, Some(Law::Penalty(Stiffness::PerArea(_))));
    if compliance == Some(Compliance::Body) && is_whole && has_grids && !by_stiffness {
        table.conflict(
            "compliance",
            "whole bodies touch on half-spaces: for the compliance of their meshes name the sets that may \
             touch, `between = [\"BODY:SET\", \"BODY:SET\"]`, each an interface of its body \
             (`reduce.interface`) with cells that resolve the contact; or leave out `compliance`; whole \
             rigid bodies touch by a given stiffness with `law = { kind = \"penalty\", stiffness = ... }`",
        );
    }
    let context = table.context.clone();
    table.finish();
    let [a, b] = ends?;
    let between = [a.0.clone(), b.0.clone()];
    // Whole bodies in statics touch on a half-space grid, as no zone has been meshed for them.
    let compliance = match compliance {
        None if is_whole && !scheme.has_time => Some(Compliance::HalfSpace),
        Some(Compliance::Auto) if !scheme.has_time => Some(Compliance::HalfSpace),
        given => given,
    };
    let spec = ContactSpec { between, friction, law: law?, restitution, rim, compliance };
    Some((Referring { spec, ends: vec![a, b], context }, exclude))
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
        table.missing("point_stiffness", "rigid bodies do not deform: the stiffness of each point in N/m");
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

/// Displacements and rotations that a support may hold.
const DIRECTIONS: [&str; 6] = ["x", "y", "z", "rx", "ry", "rz"];

pub(super) fn support(table: Table<'_>) -> Option<Referring<SupportSpec>> {
    let on = one_end(&table);
    let directions = table.texts("directions");
    let mut held = Vec::new();
    for (direction, span) in
        directions.unwrap_or_else(|| ["x", "y", "z"].map(|d| (d.to_owned(), 0..0)).to_vec())
    {
        if DIRECTIONS.contains(&direction.as_str()) {
            held.push(direction);
        } else {
            let choices = "`x`, `y`, `z`, and `rx`, `ry`, `rz` of shells and beams".to_owned();
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
