//! Functions of time: a number, a formula as text, or a table with one of `formula` and `table`, which is a
//! list of pairs or a CSV file.

use std::sync::Arc;

use carom_dynamics::{Formula, TimeFunction};
use toml::de::DeValue;

use super::decode::{Interval, Table};
use super::model::{FunctionSpec, InterpolationSpec, OutsideSpec};
use super::table_file::TableFile;

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
    if let Some(points) = spec.table()
        && points.outside == Some(OutsideSpec::Error)
    {
        covered(table, KEY, points.points, run);
    }
    checked(table, KEY, spec, run, 0)
}

/// Reports a table that does not go from 0 to the end of the run.
fn covered(table: &Table<'_>, key: &'static str, points: &[[f64; 2]], run: Run) {
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return };
    if first[0] > 0.0 || last[0] < run.end_time {
        let text = format!(
            "the table goes from {} s to {} s; {} must be known from 0 to `end_time`, {} s",
            first[0],
            last[0],
            if key == "motion" { "a motion" } else { "with `outside = \"error\"` it" },
            run.end_time
        );
        table.conflict(key, text);
    }
}

/// `motion` of a joint: it must have a velocity and an acceleration throughout the run.
pub(super) fn motion(table: &Table<'_>, run: Run) -> Option<FunctionSpec> {
    const KEY: &str = "motion";
    let spec = read(table, KEY, InterpolationSpec::Smooth)?;
    if let Some(points) = spec.table() {
        if points.interpolation == InterpolationSpec::Linear {
            table.conflict(
                KEY,
                "lines have corners, where the velocity of a motion would jump: use \
                `interpolation = \"smooth\"`",
            );
        }
        match points.outside {
            Some(OutsideSpec::Periodic) => {}
            Some(OutsideSpec::Hold) => table.conflict(
                KEY,
                "a motion that is held would stop at once at the end of its table: let the table go on to \
                 `end_time`, with equal values at its end, or repeat it, `outside = \"periodic\"`",
            ),
            None | Some(OutsideSpec::Error) => covered(table, KEY, points.points, run),
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
            let function = of_table(&inner, default);
            inner.finish();
            function
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

/// The function of a table of keys.
fn of_table(inner: &Table<'_>, default: InterpolationSpec) -> Option<FunctionSpec> {
    let formula = inner.text("formula");
    let is_file = inner.value("table").is_some_and(|value| matches!(value.get_ref(), DeValue::String(_)));
    let interpolation = inner.choice("interpolation", &INTERPOLATIONS);
    let outside = inner.choice("outside", &OutsideSpec::NAMES);
    let columns = columns(inner);
    let checksum = inner.text("checksum");
    match (inner.has("formula"), inner.has("table")) {
        (true, true) => inner.conflict("table", "`formula` and `table` exclude each other: give one"),
        (false, false) => inner.missing(
            "formula",
            "a text in t such as \"sin(2*pi*t)\", or `table`, pairs [time, value] or a CSV file",
        ),
        _ => {}
    }
    for (key, belongs) in [
        ("interpolation", inner.has("table")),
        ("outside", inner.has("table")),
        ("columns", is_file),
        ("checksum", is_file),
    ] {
        if inner.has(key) && !belongs {
            let owner =
                if ["columns", "checksum"].contains(&key) { "a `table` from a file" } else { "`table`" };
            inner.conflict(key, format!("`{key}` belongs to {owner}"));
        }
    }
    let interpolation = interpolation.unwrap_or(default);
    if let Some(formula) = formula {
        return (!inner.has("table")).then_some(FunctionSpec::Formula { formula });
    }
    if !is_file {
        let table = inner.pairs("table", Interval::Any)?;
        return Some(FunctionSpec::Table { table, interpolation, outside });
    }
    let table = inner.text("table")?;
    let file = match TableFile::read(&inner.resolve(&table), columns?.as_ref()) {
        Ok(file) => file,
        Err(error) => {
            inner.conflict("table", error.to_string());
            return None;
        }
    };
    if let Some(was) = checksum.filter(|was| *was != file.checksum) {
        let text = format!(
            "`{table}` has another content than that which the scenario names (its checksum is {}, not \
             {was}): restore the file, or remove `checksum`",
            file.checksum
        );
        inner.conflict("checksum", text);
    }
    let TableFile { columns, points, checksum } = file;
    Some(FunctionSpec::File { table, columns, interpolation, outside, checksum, points: Arc::new(points) })
}

/// The names of the columns of time and value: none if they are not given, and nothing if they are wrong.
fn columns(inner: &Table<'_>) -> Option<Option<[String; 2]>> {
    if !inner.has("columns") {
        return Some(None);
    }
    let names: Vec<String> = inner.texts("columns")?.into_iter().map(|(name, _)| name).collect();
    let n = names.len();
    let two = <[String; 2]>::try_from(names).ok();
    if two.is_none() {
        let text = format!("`columns` names the column of time and that of the value, and has {n} names");
        inner.conflict("columns", text);
    }
    Some(Some(two?))
}
