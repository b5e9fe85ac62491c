//! Bodies that no machine could hold are refused before they fill its memory.

use thiserror::Error;

/// Most cells or spans of a body. A body of 300 000 dofs takes 12 GB to reduce; this is some hundred times as much.
pub const MOST_CELLS: f64 = 5.0e6;

/// A body would have more cells than can be computed with.
#[derive(Debug, Clone, PartialEq, Error)]
#[error(
    "this would make {cells:.1e} cells, more than can be computed with ({MOST_CELLS:.0e}): take fewer elements, or grade \
     towards the place that needs small ones"
)]
pub struct TooManyCells {
    /// How many.
    pub cells: f64,
}

/// Refuses a number of cells that is out of all proportion.
///
/// # Errors
///
/// [`TooManyCells`] above [`MOST_CELLS`].
pub(crate) fn affordable(cells: f64) -> Result<(), TooManyCells> {
    if cells <= MOST_CELLS { Ok(()) } else { Err(TooManyCells { cells }) }
}

/// Cells of `n_blocks` blocks whose directions are divided as `elements` says: one number for all directions, or one each.
///
/// Where two numbers are given the first stands for two directions.
pub(crate) fn cells_of(n_blocks: usize, elements: &[usize]) -> f64 {
    let n = |i: usize| elements[i] as f64;
    let each = match elements.len() {
        0 => 1.0,
        1 => n(0).powi(3),
        2 => n(0) * n(0) * n(0).max(n(1)),
        _ => elements.iter().map(|&count| count as f64).product(),
    };
    n_blocks as f64 * each
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_elements_multiply() {
        assert_eq!(cells_of(7, &[]), 7.0);
        assert_eq!(cells_of(7, &[3]), 189.0);
        assert_eq!(cells_of(1, &[2, 5]), 20.0);
        assert_eq!(cells_of(5, &[3, 2, 4]), 120.0);
        assert!(affordable(cells_of(7, &[400])).is_err());
        assert!(affordable(cells_of(7, &[10])).is_ok());
    }
}
