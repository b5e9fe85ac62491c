//! Small dense matrices one after the other, and numbers from a memory.

/// Dense matrices, each row by row.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tiles {
    /// Start of each, and the end of the last; number of columns.
    starts: Vec<usize>,
    columns: Vec<usize>,
    pub(crate) values: Vec<f64>,
}

impl Tiles {
    /// Zeros of these shapes.
    pub(crate) fn new(shapes: impl Iterator<Item = (usize, usize)>) -> Self {
        let mut tiles = Self { starts: vec![0], ..Self::default() };
        let mut end = 0;
        for (rows, columns) in shapes {
            end += rows * columns;
            tiles.starts.push(end);
            tiles.columns.push(columns);
        }
        tiles.values = vec![0.0; end];
        tiles
    }

    /// Matrix k.
    #[inline]
    pub(crate) fn get(&self, k: usize) -> &[f64] {
        &self.values[self.starts[k]..self.starts[k + 1]]
    }

    /// Matrix k.
    #[inline]
    pub(crate) fn get_mut(&mut self, k: usize) -> &mut [f64] {
        &mut self.values[self.starts[k]..self.starts[k + 1]]
    }

    /// Row i of matrix k.
    #[inline]
    pub(crate) fn row(&self, k: usize, i: usize) -> &[f64] {
        let columns = self.columns[k];
        &self.get(k)[i * columns..(i + 1) * columns]
    }

    /// Row i of matrix k.
    #[inline]
    pub(crate) fn row_mut(&mut self, k: usize, i: usize) -> &mut [f64] {
        let columns = self.columns[k];
        &mut self.get_mut(k)[i * columns..(i + 1) * columns]
    }

    /// Writes column j of matrix k.
    pub(crate) fn set_column(&mut self, k: usize, j: usize, values: &[f64]) {
        let columns = self.columns[k];
        self.get_mut(k).iter_mut().skip(j).step_by(columns.max(1)).zip(values).for_each(|(x, v)| *x = *v);
    }
}

/// Fills `values` from the front of `memory`; false if that is too short.
pub(crate) fn take(memory: &mut &[f64], values: &mut [f64]) -> bool {
    let Some((front, rest)) = memory.split_at_checked(values.len()) else { return false };
    values.copy_from_slice(front);
    *memory = rest;
    true
}
