//! Functions of time as data.

use std::sync::Arc;

use carom_dynamics::{Formula, FormulaError, Interpolation, Table, TableError, TimeFunction};
use serde::Serialize;

/// A number, a formula in t, or values at times.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum FunctionSpec {
    /// The same at all times.
    Number(f64),
    /// `{ formula = "…" }`.
    Formula {
        /// Text of the formula.
        formula: String,
    },
    /// `{ table = [[t, value], …], interpolation = "linear" or "smooth" }`.
    Table {
        /// Pairs of time \[s\] and value.
        table: Vec<[f64; 2]>,
        /// The interpolation between them.
        interpolation: InterpolationSpec,
        /// The function before the first and after the last time, if the scenario says it.
        #[serde(skip_serializing_if = "Option::is_none")]
        outside: Option<OutsideSpec>,
    },
    /// `{ table = "FILE", columns = ["t", "x"], … }`: two columns of a CSV file.
    File {
        /// Path of the file, relative to the folder of the scenario.
        table: String,
        /// Names of the columns of time and value.
        columns: [String; 2],
        /// The interpolation between the values.
        interpolation: InterpolationSpec,
        /// The function before the first and after the last time, if the scenario says it.
        #[serde(skip_serializing_if = "Option::is_none")]
        outside: Option<OutsideSpec>,
        /// SHA-256 of the file: a result belongs to its content.
        checksum: String,
        /// Pairs of time \[s\] and value.
        #[serde(skip)]
        points: Arc<Vec<[f64; 2]>>,
    },
}

/// A function of a table before its first and after its last time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum OutsideSpec {
    /// The first and the last value.
    Hold,
    /// It has none: the table covers the run.
    Error,
    /// The table is one period.
    Periodic,
}

impl OutsideSpec {
    /// Names in scenarios.
    pub const NAMES: [(&'static str, Self); 3] =
        [("hold", Self::Hold), ("error", Self::Error), ("periodic", Self::Periodic)];
}

/// A table of a scenario or of a file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TableSpec<'a> {
    /// Pairs of time \[s\] and value.
    pub points: &'a [[f64; 2]],
    /// The interpolation between them.
    pub interpolation: InterpolationSpec,
    /// The function before the first and after the last time, if the scenario says it.
    pub outside: Option<OutsideSpec>,
}

/// Interpolation between the values of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum InterpolationSpec {
    /// Lines.
    Linear,
    /// A cubic spline.
    Smooth,
}

/// A function that cannot be read.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FunctionError {
    /// A formula.
    #[error("`{formula}` is not a formula: {source}")]
    Formula {
        /// Its text.
        formula: String,
        /// The error of the parser.
        source: FormulaError,
    },
    /// A table.
    #[error("the table of times and values is not a function: {0}")]
    Table(#[from] TableError),
}

impl TableSpec<'_> {
    fn function(self) -> Result<Table, TableError> {
        let interpolation = match self.interpolation {
            InterpolationSpec::Linear => Interpolation::Linear,
            InterpolationSpec::Smooth => Interpolation::Smooth,
        };
        let made = if self.outside == Some(OutsideSpec::Periodic) { Table::periodic } else { Table::new };
        made(self.points.to_vec(), interpolation)
    }
}

impl FunctionSpec {
    /// The table of a function that is one.
    pub fn table(&self) -> Option<TableSpec<'_>> {
        match self {
            Self::Number(_) | Self::Formula { .. } => None,
            Self::Table { table: points, interpolation, outside } => {
                Some(TableSpec { points, interpolation: *interpolation, outside: *outside })
            }
            Self::File { points, interpolation, outside, .. } => {
                Some(TableSpec { points, interpolation: *interpolation, outside: *outside })
            }
        }
    }

    /// The function of loads and drives.
    ///
    /// # Errors
    ///
    /// [`FunctionError`]; never for functions of a scenario that was read.
    pub fn function(&self) -> Result<TimeFunction, FunctionError> {
        Ok(match self {
            Self::Number(value) => TimeFunction::Constant(*value),
            Self::Formula { formula } => TimeFunction::Formula(
                Formula::parse(formula)
                    .map_err(|source| FunctionError::Formula { formula: formula.clone(), source })?,
            ),
            Self::Table { .. } | Self::File { .. } => {
                let table = self.table().expect("both kinds are tables");
                TimeFunction::Table(table.function()?)
            }
        })
    }
}
