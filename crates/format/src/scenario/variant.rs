//! Choices of `reduce = { … }` beyond the plain reduction.

use std::collections::BTreeMap;

use carom_reduce::{BodyFrame, Keep, VariantError};
use toml::de::DeValue;

use super::damping::ratio;
use super::decode::{Interval, Table};
use super::model::VariantSpec;

/// Reads the options and reports contradictions.
pub(super) fn variant(table: &Table<'_>) -> VariantSpec {
    let mut interface_modes = BTreeMap::new();
    if let Some(sets) = table.table("interface_modes") {
        for (set, value) in sets.entries() {
            match keep_of(value.get_ref()) {
                Ok(keep) => {
                    interface_modes.insert(set, keep);
                }
                Err(message) => sets.conflict(&set, message),
            }
        }
    }
    let reduce_interface = table.value("reduce_interface").and_then(|value| {
        keep_of(value.get_ref()).map_err(|message| table.conflict("reduce_interface", message)).ok()
    });
    let frame = table.text("frame").and_then(|text| {
        let frame = text.parse::<BodyFrame>();
        frame.map_err(|error| table.conflict("frame", error.to_string())).ok()
    });
    let spec = VariantSpec {
        inertia_relief: table.flag("inertia_relief").unwrap_or(false),
        residual: table.flag("residual").unwrap_or(false),
        massless_boundary: table.flag("massless_boundary").unwrap_or(false),
        stiffening: table.flag("stiffening").unwrap_or(false),
        reduce_interface,
        frame: frame.unwrap_or_default(),
        rayleigh: table.two_numbers("rayleigh", Interval::NotNegative),
        damping_ratio: ratio(table, "damping_ratio"),
        interface_modes,
    };
    if spec.residual && spec.massless_boundary {
        table.conflict(
            "residual",
            "`massless_boundary` is `residual` with residual modes without mass: give one of the two",
        );
    } else if let Err(error) = spec.variant().check() {
        let key = match error {
            VariantError::MasslessFrame | VariantError::StiffeningFrame => "frame",
            VariantError::ReliefTwice => "inertia_relief",
            VariantError::ReducedResidual if table.has("interface_modes") => "interface_modes",
            VariantError::ReducedResidual => "reduce_interface",
            VariantError::Frequency { .. } => "interface_modes",
            // Impossible ratios were reported when they were read.
            VariantError::Damping(_) => return spec,
        };
        table.conflict(key, error.to_string());
    }
    spec
}

/// A number or `2e4Hz`.
fn keep_of(value: &DeValue<'_>) -> Result<Keep, String> {
    let text = match value {
        DeValue::Integer(integer) => integer.to_string(),
        DeValue::String(text) => text.clone().into_owned(),
        _ => String::new(),
    };
    text.parse().map_err(|error: carom_reduce::ChoiceTextError| error.to_string())
}
