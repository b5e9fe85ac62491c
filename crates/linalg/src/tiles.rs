//! How a panel of the factor lies in memory: in *tiles* of eight rows, sixteen of single numbers, in each of
//! them column after column.
//!
//! The rows of one column have the size of a cache line, and the columns of a tile follow each other: whoever
//! passes through some rows, a product or a triangular solution, reads memory from one end to the other and
//! finds the vectors of its instructions ready. Rows that fill up the last tile are zero.

use crate::lanes::{Row, ZERO};
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
        Self { values: &T::rows(storage)[..n_rows::<T>(height, width)], width, height }
    }

    /// Tiles of the panel.
    pub(crate) fn n_tiles(&self) -> usize {
        self.height.div_ceil(T::LANES)
    }

    /// A tile, from its first column to its last.
    #[inline(always)]
    pub(crate) fn tile(&self, tile: usize) -> &'a [Row<T>] {
        &self.values[tile * self.width..][..self.width]
    }
}

/// Cache lines that a panel takes.
pub(crate) fn n_rows<T: Number>(height: usize, width: usize) -> usize {
    height.div_ceil(T::LANES) * width
}

/// Index, in numbers, of the first column of a row; the next column is `T::LANES` further.
#[inline(always)]
pub(crate) fn place<T: Number>(row: usize, width: usize) -> usize {
    T::LANES * (row / T::LANES * width) + row % T::LANES
}

/// Makes room for a panel of zeros.
pub(crate) fn clear<T: Number>(storage: &mut Vec<Row>, height: usize, width: usize) -> &mut [Row<T>] {
    let n = n_rows::<T>(height, width);
    if storage.capacity() < n {
        *storage = vec![ZERO; n];
        touch(storage);
    } else {
        storage.clear();
        storage.resize(n, ZERO);
    }
    T::rows_mut(storage)
}

/// Writes to each page of fresh zeros of the system, which need no second pass: a page that is read before it
/// is written costs two faults.
fn touch(fresh: &mut [Row]) {
    // Hidden from the compiler, which knows that nothing but zeros is written over zeros.
    for page in std::hint::black_box(fresh).chunks_mut(PAGE_ROWS) {
        page[0] = ZERO;
    }
}

/// Rows in a page of memory.
const PAGE_ROWS: usize = 4096 / size_of::<Row>();
