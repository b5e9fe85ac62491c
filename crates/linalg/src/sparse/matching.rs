//! The largest number of rows and columns that can have a pivot each.

use std::collections::VecDeque;

use super::SparseError;
use super::columns::Columns;

/// No row or column.
const NONE: usize = usize::MAX;

/// The row of each column in a largest set of entries no two of which share a row or a column (Hopcroft &
/// Karp (1973), SIAM J. Comput. 2(4), 225–231).
///
/// # Errors
///
/// [`SparseError::StructurallySingular`] if a column stays without a row.
pub(super) fn row_of_columns(columns: &Columns) -> Result<Vec<usize>, SparseError> {
    let n = columns.n;
    let mut matching = Matching { columns, row_of: vec![NONE; n], column_of: vec![NONE; n] };
    matching.start();
    let mut levels = vec![NONE; n];
    let mut next = vec![0; n];
    while matching.set_levels(&mut levels) {
        next.copy_from_slice(&columns.starts[..n]);
        for column in 0..n {
            if matching.row_of[column] == NONE {
                matching.augment(column, &levels, &mut next);
            }
        }
    }
    match matching.column_of.iter().position(|&column| column == NONE) {
        None => Ok(matching.row_of),
        Some(row) => {
            let rank = matching.row_of.iter().filter(|&&row| row != NONE).count();
            Err(SparseError::StructurallySingular { rank, n, row })
        }
    }
}

struct Matching<'a> {
    columns: &'a Columns,
    /// Row of each column.
    row_of: Vec<usize>,
    /// Column of each row.
    column_of: Vec<usize>,
}

impl Matching<'_> {
    fn rows(&self, column: usize) -> &[usize] {
        &self.columns.rows[self.columns.starts[column]..self.columns.starts[column + 1]]
    }

    fn pair(&mut self, row: usize, column: usize) {
        self.row_of[column] = row;
        self.column_of[row] = column;
    }

    /// Takes diagonal entries where there are some, then any free row.
    fn start(&mut self) {
        for column in 0..self.columns.n {
            if self.rows(column).binary_search(&column).is_ok() {
                self.pair(column, column);
            }
        }
        for column in 0..self.columns.n {
            if self.row_of[column] == NONE {
                let free = self.rows(column).iter().find(|&&row| self.column_of[row] == NONE);
                if let Some(&row) = free {
                    self.pair(row, column);
                }
            }
        }
    }

    /// Number of exchanges on the shortest way from a column without a row; false if no way ends at a free
    /// row.
    fn set_levels(&self, levels: &mut [usize]) -> bool {
        let mut queue = VecDeque::new();
        for (column, level) in levels.iter_mut().enumerate() {
            *level = NONE;
            if self.row_of[column] == NONE {
                *level = 0;
                queue.push_back(column);
            }
        }
        let mut is_found = false;
        while let Some(column) = queue.pop_front() {
            for &row in self.rows(column) {
                let owner = self.column_of[row];
                if owner == NONE {
                    is_found = true;
                } else if levels[owner] == NONE {
                    levels[owner] = levels[column] + 1;
                    queue.push_back(owner);
                }
            }
        }
        is_found
    }

    /// Gives a column a row along a way of rising levels, if there is one.
    ///
    /// * `next` — entry at which the search of each column continues
    fn augment(&mut self, column: usize, levels: &[usize], next: &mut [usize]) {
        let mut way = vec![column];
        while let Some(&column) = way.last() {
            let entry = next[column];
            if entry == self.columns.starts[column + 1] {
                way.pop();
                // The entry that led here leads nowhere.
                if let Some(&before) = way.last() {
                    next[before] += 1;
                }
                continue;
            }
            let row = self.columns.rows[entry];
            let owner = self.column_of[row];
            if owner == NONE {
                for &column in way.iter().rev() {
                    let row = self.columns.rows[next[column]];
                    self.pair(row, column);
                }
                return;
            }
            if levels[owner] == levels[column] + 1 {
                way.push(owner);
            } else {
                next[column] += 1;
            }
        }
    }
}
