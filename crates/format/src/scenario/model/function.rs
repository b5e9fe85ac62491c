//! Functions of time as data.

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
    },
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

impl FunctionSpec {
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
            Self::Table { table, interpolation } => TimeFunction::Table(Table::new(
                table.clone(),
                match interpolation {
                    InterpolationSpec::Linear => Interpolation::Linear,
                    InterpolationSpec::Smooth => Interpolation::Smooth,
                },
            )?),
        })
    }
}
