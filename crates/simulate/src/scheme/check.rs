//! A scenario against the row of its scheme.

use carom_contact::Law;
use carom_format::scenario::model::{Scenario, TABLES};
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
    /// Contact without penetration where no mode responds without inertia.
    #[error(
        "the scheme `{scheme}` needs `law = {{ kind = \"penalty\" }}`: all modes move, and none is left that \
         answers a pressure at once; `quasistatic` has contact without a penalty"
    )]
    NeedsPenalty {
        /// Name of the scheme.
        scheme: &'static str,
    },
    /// Friction.
    #[error(
        "contact between {pair}: scheme `{scheme}` has no friction, as what sticks would depend on how the \
         loads came on; set `friction = 0`, or take scheme `quasistatic` with time"
    )]
    Friction {
        /// Name of the scheme.
        scheme: &'static str,
        /// The surfaces.
        pair: String,
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
/// [`SchemeError`] at the key of what the scheme does not take.
pub(crate) fn check(scenario: &Scenario) -> Result<(), At<SchemeError>> {
    let row = scenario.simulation.scheme.row();
    let scheme = row.name;
    let mut others = TABLES.into_iter().filter(|table| !row.tables.contains(table));
    if let Some(table) = others.find(|table| is_given(scenario, table)) {
        return Err(SchemeError::Table { scheme, table }.at(format!("{table}.0")));
    }
    for (i, pair) in scenario.contact.iter().enumerate() {
        if !row.takes_hard_contact && pair.law == Law::Hard {
            let error = SchemeError::NeedsPenalty { scheme };
            return Err(error.at(format!("contact.{i}.law")));
        }
        if !row.takes_friction && pair.friction > 0.0 {
            let pair = format!("{}, {}", pair.between[0], pair.between[1]);
            let error = SchemeError::Friction { scheme, pair };
            return Err(error.at(format!("contact.{i}.friction")));
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
