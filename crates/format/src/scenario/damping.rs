//! Damping of a body: a ratio alone, or a table.

use toml::de::DeValue;

use super::decode::{Interval, Table};
use super::model::{DampingSpec, RatioSpec};

/// `damping = 0.01`, or `{ ratio = …, mass = …, stiffness = … }`.
pub(super) fn damping(table: &Table<'_>, key: &'static str) -> Option<DampingSpec> {
    let DeValue::Table(_) = table.value(key)?.get_ref() else {
        return Some(DampingSpec { ratio: ratio(table, key)?, ..DampingSpec::default() });
    };
    let parts = table.table(key)?;
    if !["ratio", "mass", "stiffness"].iter().any(|part| parts.has(part)) {
        parts.missing("ratio", "damping is a `ratio`, or Rayleigh's `mass` and `stiffness`, or both");
    }
    let number = |key| parts.number(key, Interval::NotNegative).unwrap_or(0.0);
    let spec = DampingSpec {
        ratio: ratio(&parts, "ratio").unwrap_or_default(),
        mass: number("mass"),
        stiffness: number("stiffness"),
    };
    parts.finish();
    Some(spec)
}

/// A ratio, or `[[HZ, RATIO], …]`.
pub(super) fn ratio(table: &Table<'_>, key: &'static str) -> Option<RatioSpec> {
    let DeValue::Array(_) = table.value(key)?.get_ref() else {
        return table.number(key, Interval::NotNegative).map(RatioSpec::Constant);
    };
    let pairs = table.pairs(key, Interval::NotNegative)?;
    let spec = RatioSpec::Table(pairs);
    let checked = DampingSpec { ratio: spec.clone(), ..DampingSpec::default() }.damping().check();
    if let Err(error) = checked {
        table.conflict(key, error.to_string());
    }
    Some(spec)
}
