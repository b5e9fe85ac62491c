//! Functions of time: a number, a formula as text, or a table with one of `formula` and `table`.

use carom_dynamics::{Formula, TimeFunction};
use toml::de::DeValue;

use super::decode::{Interval, Table};
use super::model::{FunctionSpec, InterpolationSpec};

/// The part of a run that functions of time are checked against.
#[derive(Debug, Clone, Copy)]
pub(super) struct Run {
    /// True if bodies move through time.
    pub(super) has_time: bool,
    /// \[s\].
    pub(super) end_time: f64,
}

const INTERPOLATIONS: [(&str, InterpolationSpec); 2] =
    [("linear", InterpolationSpec::Linear), ("smooth", InterpolationSpec::Smooth)];

/// `scale` of a load.
pub(super) fn scale(table: &Table<'_>, run: Run) -> Option<FunctionSpec> {
    const KEY: &str = "scale";
    let spec = read(table, KEY, InterpolationSpec::Linear)?;
    if !run.has_time {
        table.conflict(KEY, "loads of the scheme `static` have no course in time: remove `scale`");
    }
    checked(table, KEY, spec, run, 0)
}

/// `motion` of a joint: it must have a velocity and an acceleration throughout the run.
pub(super) fn motion(table: &Table<'_>, run: Run) -> Option<FunctionSpec> {
    const KEY: &str = "motion";
    let spec = read(table, KEY, InterpolationSpec::Smooth)?;
    if let FunctionSpec::Table { table: points, interpolation } = &spec {
        if *interpolation == InterpolationSpec::Linear {
            table.conflict(
                KEY,
                "lines have corners, where the velocity of a motion would jump: use \
                `interpolation = \"smooth\"`",
            );
        }
        if let (Some(first), Some(last)) = (points.first(), points.last())
            && (first[0] > 0.0 || last[0] < run.end_time)
        {
            let text = format!(
                "the table goes from {} s to {} s; a motion must be known from 0 to `end_time`, {} s",
                first[0], last[0], run.end_time
            );
            table.conflict(KEY, text);
        }
    }
    if let FunctionSpec::Formula { formula } = &spec
        && let Some(corner) = Formula::parse(formula).ok().and_then(|formula| formula.corner())
    {
        let text = format!(
            "`{corner}` has a corner or a jump, where the velocity of a motion would jump: use `smoothstep`, \
             or a smooth table"
        );
        table.conflict(KEY, text);
    }
    checked(table, KEY, spec, run, 2)
}

/// The function of a key, if it is one and finite with its derivatives up to `order`.
fn checked(
    table: &Table<'_>,
    key: &'static str,
    spec: FunctionSpec,
    run: Run,
    order: usize,
) -> Option<FunctionSpec> {
    let function: TimeFunction = match spec.function() {
        Ok(function) => function,
        Err(error) => {
            table.conflict(key, format!("`{key}`: {error}"));
            return None;
        }
    };
    if let Err(error) = function.check(run.end_time, order) {
        table.conflict(key, format!("`{key}`: {error}"));
        return None;
    }
    Some(spec)
}

/// * `default` — the interpolation of a table that does not name one
fn read(table: &Table<'_>, key: &'static str, default: InterpolationSpec) -> Option<FunctionSpec> {
    let value = table.value(key)?;
    match value.get_ref() {
        DeValue::Integer(_) | DeValue::Float(_) => {
            table.number_in(key, value, Interval::Any).map(FunctionSpec::Number)
        }
        DeValue::String(_) => table.text(key).map(|formula| FunctionSpec::Formula { formula }),
        DeValue::Table(_) => {
            let inner = table.table(key)?;
            let formula = inner.text("formula");
            let pairs = inner.pairs("table", Interval::Any);
            let interpolation = inner.choice("interpolation", &INTERPOLATIONS);
            match (inner.has("formula"), inner.has("table")) {
                (true, true) => inner.conflict("table", "`formula` and `table` exclude each other: give one"),
                (false, false) => inner.missing(
                    "formula",
                    "a text in t such as \"sin(2*pi*t)\", or `table`, pairs [time, value]",
                ),
                (true, false) if inner.has("interpolation") => {
                    inner.conflict("interpolation", "`interpolation` belongs to `table`");
                }
                _ => {}
            }
            inner.finish();
            let interpolation = interpolation.unwrap_or(default);
            match (formula, pairs) {
                (Some(formula), None) => Some(FunctionSpec::Formula { formula }),
                (None, Some(table)) => Some(FunctionSpec::Table { table, interpolation }),
                _ => None,
            }
        }
        _ => {
            table.wrong_type(
                key,
                value,
                "a number, a formula in t as a text, or a table with `formula` or `table`",
            );
            None
        }
    }
}
