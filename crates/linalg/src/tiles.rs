//! How a panel of the factor lies in memory: in *tiles* of eight rows, in each of them column after column.
//!
//! Eight rows of one column are a cache line of doubles, and the columns of a tile follow each other: whoever passes through some rows,
//! a product or a triangular solution, reads memory from one end to the other and finds the vectors of its instructions ready. Rows that fill
//! up the last tile are zero.

use crate::lanes::{LANES, Row, ZERO};
use crate::number::Number;

/// A panel: `height` rows by `width` columns.
#[derive(Clone, Copy)]
pub(crate) struct Tiles<'a, T: Number = f64> {
    values: &'a [Row<T>],
    pub(crate) width: usize,
    pub(crate) height: usize,
}

impl<'a, T: Number> Tiles<'a, T> {
    /// A panel in storage that [`clear`] made for it.
    pub(crate) fn new(storage: &'a [Row], height: usize, width: usize) -> Self {
        Self { values: &T::rows(storage)[..n_rows(height, width)], width, height }
    }

    /// Tiles of the panel.
    pub(crate) fn n_tiles(&self) -> usize {
        self.height.div_ceil(LANES)
    }

    /// A tile, from its first column to its last.
    #[inline(always)]
    pub(crate) fn tile(&self, tile: usize) -> &'a [Row<T>] {
        &self.values[tile * self.width..][..self.width]
    }
}

/// Rows of eight numbers that a panel takes.
pub(crate) fn n_rows(height: usize, width: usize) -> usize {
    height.div_ceil(LANES) * width
}

/// Index, in numbers, of the first column of a row; the next column is `LANES` further.
#[inline(always)]
pub(crate) fn place(row: usize, width: usize) -> usize {
    LANES * (row / LANES * width) + row % LANES
}

/// Makes room for a panel of zeros.
pub(crate) fn clear<T: Number>(storage: &mut Vec<Row>, height: usize, width: usize) -> &mut [Row<T>] {
    let n_rows = n_rows(height, width);
    let n = (T::BYTES * n_rows).div_ceil(f64::BYTES);
    if storage.capacity() < n {
        *storage = Vec::with_capacity(n);
    }
    // Zeros are written in fresh memory too: a page that is read before it is written costs two faults.
    storage.clear();
    storage.resize(n, ZERO);
    &mut T::rows_mut(storage)[..n_rows]
}
