//! How a panel of the factor lies in memory: in *tiles* of eight rows, in each of them column after column.
//!
//! Eight rows of one column are a cache line, and the columns of a tile follow each other: whoever passes through some rows,
//! a product or a triangular solution, reads memory from one end to the other and finds the vectors of its instructions ready. Rows that fill
//! up the last tile are zero.

use crate::lanes::{LANES, Row, ZERO};

/// A panel: `height` rows by `width` columns.
#[derive(Clone, Copy)]
pub(crate) struct Tiles<'a> {
    values: &'a [Row],
    pub(crate) width: usize,
    pub(crate) height: usize,
}

impl<'a> Tiles<'a> {
    /// A panel in memory of [`n_rows`] rows.
    pub(crate) fn new(values: &'a [Row], height: usize, width: usize) -> Self {
        debug_assert_eq!(values.len(), n_rows(height, width), "a panel fills its tiles");
        Self { values, width, height }
    }

    /// Tiles of the panel.
    pub(crate) fn n_tiles(&self) -> usize {
        self.height.div_ceil(LANES)
    }

    /// A tile, from its first column to its last.
    #[inline(always)]
    pub(crate) fn tile(&self, tile: usize) -> &'a [Row] {
        &self.values[tile * self.width..][..self.width]
    }
}

/// Cache lines that a panel takes.
pub(crate) fn n_rows(height: usize, width: usize) -> usize {
    height.div_ceil(LANES) * width
}

/// Index, in numbers, of the first column of a row; the next column is `LANES` further.
#[inline(always)]
pub(crate) fn place(row: usize, width: usize) -> usize {
    LANES * (row / LANES * width) + row % LANES
}

/// Makes room for a panel of zeros.
pub(crate) fn clear(values: &mut Vec<Row>, height: usize, width: usize) {
    let n = n_rows(height, width);
    if values.capacity() < n {
        // Fresh memory of the system is zero as it comes.
        *values = vec![ZERO; n];
    } else {
        values.clear();
        values.resize(n, ZERO);
    }
}
