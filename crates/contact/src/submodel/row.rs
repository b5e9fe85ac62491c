//! Rows: the gradients of gaps and slips with respect to the positions of points.

use super::numbers::Reader;

/// Points of a body with a vector each: gradients with respect to their positions, or forces on them.
pub(super) type OnPoints = Vec<(u32, [f64; 3])>;

/// Gradient of the gap, or of a slip, of a pressure cell with respect to the positions of the points of its
/// two bodies, in their own frames.
#[derive(Debug, PartialEq, Default)]
pub(super) struct Row {
    /// Points of the first body with ∂g/∂x.
    pub(super) first: OnPoints,
    /// Points of the second body with ∂g/∂x; empty for planes and spheres.
    pub(super) second: OnPoints,
    /// For planes and spheres ∂g by a translation and by a rotation about the origin of the second body, else
    /// zero; in tangential rows of faces the rotation that their points leave out.
    pub(super) reaction: [[f64; 3]; 2],
}

impl Row {
    /// Removes all entries and keeps their room.
    pub(super) fn clear(&mut self) {
        self.first.clear();
        self.second.clear();
        self.reaction = [[0.0; 3]; 2];
    }

    /// The entries on the two bodies.
    pub(super) fn parts(&self) -> [&[(u32, [f64; 3])]; 2] {
        [&self.first, &self.second]
    }

    /// Appends the row to the numbers of a checkpoint.
    pub(super) fn write(&self, out: &mut Vec<f64>) {
        out.extend([self.first.len() as f64, self.second.len() as f64]);
        for (k, x) in self.first.iter().chain(&self.second) {
            out.push(f64::from(*k));
            out.extend(x);
        }
        self.reaction.iter().for_each(|x| out.extend(x));
    }

    /// Reads a row that [`Self::write`] has written.
    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        let counts = [reader.count(4), reader.count(4)];
        let mut entries = |n: usize| (0..n).map(|_| (reader.index(), reader.vector())).collect();
        let (first, second) = (entries(counts[0]), entries(counts[1]));
        Self { first, second, reaction: [reader.vector(), reader.vector()] }
    }
}

impl Clone for Row {
    fn clone(&self) -> Self {
        Self { first: self.first.clone(), second: self.second.clone(), reaction: self.reaction }
    }

    /// Keeps the memory of `self`, which the derived implementation would not: rows are copied in every
    /// evaluation.
    fn clone_from(&mut self, source: &Self) {
        self.first.clone_from(&source.first);
        self.second.clone_from(&source.second);
        self.reaction = source.reaction;
    }
}

/// Σ v·∂g/∂x over one part of a row.
///
/// * `v` — 3 numbers for each point of the body
pub(super) fn along(entries: &[(u32, [f64; 3])], v: &[f64]) -> f64 {
    entries
        .iter()
        .map(|(k, c)| {
            let v = &v[3 * *k as usize..];
            c[0] * v[0] + c[1] * v[1] + c[2] * v[2]
        })
        .sum()
}

/// The rows of all pressure cells at the present pass: of each cell the normal row, then with friction two
/// tangential ones.
#[derive(Clone)]
pub(super) struct Rows {
    rows: Vec<Row>,
    n_parts: usize,
}

impl Rows {
    /// Empty rows of n cells.
    pub(super) fn new(n_cells: usize, n_parts: usize) -> Self {
        Self { rows: vec![Row::default(); n_cells * n_parts], n_parts }
    }

    /// A row by its number.
    pub(super) fn get(&self, row: usize) -> &Row {
        &self.rows[row]
    }

    /// The normal row of a cell.
    pub(super) fn normal(&self, cell: usize) -> &Row {
        &self.rows[self.n_parts * cell]
    }

    /// The normal row of a cell, to be written.
    pub(super) fn normal_mut(&mut self, cell: usize) -> &mut Row {
        &mut self.rows[self.n_parts * cell]
    }

    /// The tangential rows of a cell, to be written.
    pub(super) fn tangential_mut(&mut self, cell: usize) -> &mut [Row] {
        &mut self.rows[self.n_parts * cell + 1..self.n_parts * (cell + 1)]
    }
}
