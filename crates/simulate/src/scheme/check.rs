//! A scenario against the row of its scheme.

use carom_contact::Law;
use carom_format::scenario::model::{Scenario, TABLES, Takes};
use thiserror::Error;

use crate::error::{At, AtKey, ErrorKind, Kind};

/// Errors from scenarios with something that their scheme does not take.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum SchemeError {
    /// A list of tables.
    #[error("the scheme `{scheme}` takes no [[{table}]] in this release")]
    Table {
        /// Name of the scheme.
        scheme: &'static str,
        /// Name of the tables.
        table: &'static str,
    },
    /// Contact without penetration.
    #[error("the scheme `{scheme}` needs `law = {{ kind = \"penalty\" }}`: {why}")]
    NeedsPenalty {
        /// Name of the scheme.
        scheme: &'static str,
        /// The reason and the way out.
        why: &'static str,
    },
    /// Friction.
    #[error("contact between {pair}: scheme `{scheme}` has no friction, {why}")]
    Friction {
        /// Name of the scheme.
        scheme: &'static str,
        /// The surfaces.
        pair: String,
        /// The reason and the way out.
        why: &'static str,
    },
}

impl Kind for SchemeError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Input
    }
}

/// Checks a scenario against the row of its scheme.
///
/// # Errors
///
/// [`SchemeError`] at the key of the table, law or friction that the scheme does not take.
pub(crate) fn check(scenario: &Scenario) -> Result<(), At<SchemeError>> {
    let row = scenario.simulation.scheme.row();
    let scheme = row.name;
    let mut others = TABLES.into_iter().filter(|table| !row.tables.contains(table));
    if let Some(table) = others.find(|table| is_given(scenario, table)) {
        return Err(SchemeError::Table { scheme, table }.at(format!("{table}.0")));
    }
    for (i, pair) in scenario.contact.iter().enumerate() {
        if let (Takes::No(why), Law::Hard) = (row.hard_contact, pair.law) {
            return Err(SchemeError::NeedsPenalty { scheme, why }.at(format!("contact.{i}.law")));
        }
        if let (Takes::No(why), true) = (row.friction, pair.friction > 0.0) {
            let pair = format!("{}, {}", pair.between[0], pair.between[1]);
            return Err(SchemeError::Friction { scheme, pair, why }.at(format!("contact.{i}.friction")));
        }
    }
    Ok(())
}

fn is_given(scenario: &Scenario, table: &str) -> bool {
    match table {
        "joint" => !scenario.joint.is_empty(),
        "spring" => !scenario.spring.is_empty(),
        "bushing" => !scenario.bushing.is_empty(),
        "support" => !scenario.support.is_empty(),
        "pressure" => !scenario.pressure.is_empty(),
        "force" => !scenario.force.is_empty(),
        _ => unreachable!("`{table}` is not in the list of tables"),
    }
}
