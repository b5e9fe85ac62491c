//! Memory of the condensed compliance from one solve to the next: the rows it was made of.

use super::super::numbers::{Checksum, Reader};
use super::super::row::{Row, Rows};
use super::super::unknowns::Unknowns;

/// The rows of the condensed compliance.
#[derive(Debug, Clone, PartialEq, Default)]
pub(in super::super) struct CondensedRows {
    /// Their numbers, ascending.
    numbers: Vec<u32>,
    /// The rows; for n numbers the first n count.
    rows: Vec<Row>,
    /// Checksum of numbers and rows; 0 without any.
    id: u64,
}

impl CondensedRows {
    /// Takes copies of some rows of the last pass.
    pub(in super::super) fn select(&mut self, numbers: impl Iterator<Item = usize>, rows: &Rows) {
        self.numbers.clear();
        for r in numbers {
            let k = self.numbers.len();
            if k == self.rows.len() {
                self.rows.push(Row::default());
            }
            self.rows[k].clone_from(rows.get(r));
            self.numbers.push(r as u32);
        }
        self.id = checksum(&self.numbers, &self.rows);
    }

    /// Copies the rows of another memory.
    pub(in super::super) fn copy_from(&mut self, other: &Self) {
        self.numbers.clone_from(&other.numbers);
        if self.rows.len() < self.numbers.len() {
            self.rows.resize_with(self.numbers.len(), Row::default);
        }
        let rows = self.rows.iter_mut().zip(&other.rows);
        rows.take(other.numbers.len()).for_each(|(row, other)| row.clone_from(other));
        self.id = other.id;
    }

    /// Numbers of the rows, ascending.
    pub(in super::super) fn numbers(&self) -> &[u32] {
        &self.numbers
    }

    /// Checksum of numbers and rows; 0 without any.
    pub(super) fn id(&self) -> u64 {
        self.id
    }

    /// The row at a place of [`Self::numbers`].
    pub(super) fn row(&self, place: usize) -> &Row {
        &self.rows[place]
    }

    /// True if these may be rows of such unknowns.
    pub(in super::super) fn fits(&self, unknowns: &Unknowns) -> bool {
        self.numbers.len() <= self.rows.len()
            && self.numbers.len().is_multiple_of(unknowns.n_parts())
            && self.numbers.iter().all(|&r| (r as usize) < unknowns.n_rows())
    }

    /// Appends the rows to the numbers of a checkpoint.
    pub(in super::super) fn write(&self, out: &mut Vec<f64>) {
        out.push(self.numbers.len() as f64);
        for (number, row) in self.numbers.iter().zip(&self.rows) {
            out.push(f64::from(*number));
            row.write(out);
        }
        // Two halves, as 64 bits do not fit into the mantissa.
        out.extend([(self.id >> 32) as f64, (self.id & 0xffff_ffff) as f64]);
    }

    /// The inverse of [`Self::write`].
    pub(in super::super) fn read(&mut self, reader: &mut Reader<'_>) {
        let n = reader.count(3);
        self.numbers.clear();
        self.rows.clear();
        for _ in 0..n {
            self.numbers.push(reader.index());
            self.rows.push(Row::read(reader));
        }
        self.id = (u64::from(reader.index()) << 32) | u64::from(reader.index());
    }
}

/// Checksum of numbers and rows, never 0.
fn checksum(numbers: &[u32], rows: &[Row]) -> u64 {
    let mut checksum = Checksum::new();
    for (number, row) in numbers.iter().zip(rows) {
        checksum.add(u64::from(*number));
        for (k, c) in row.first.iter().chain(&row.second) {
            checksum.add(u64::from(*k));
            c.iter().for_each(|x| checksum.add(x.to_bits()));
        }
    }
    checksum.value()
}
