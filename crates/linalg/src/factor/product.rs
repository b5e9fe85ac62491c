//! Products of parts of a panel with each other, subtracted where they belong in another panel.
//!
//! A product runs tile by tile of its left operand, six columns at a time: their sums stay in the registers until all columns of the
//! panel have passed. What lies above the diagonal of the target is left out, tile by tile.

use std::ops::Range;

use pulp::{Simd, WithSimd};

use crate::lanes::{LANES, Row, Vectors, ZERO};
use crate::multiply::{Packed, WIDE, multiply};
use crate::tiles::Tiles;

/// Half of them: nodes have three dofs, which half-empty products would waste.
const NARROW: usize = 3;

/// Transposes some rows of a panel, six at a time, each block from the first column of the panel to its last.
///
/// * `signs` — factors of the columns, none if all are 1
///
/// A last block of fewer rows is filled up with copies.
pub(super) fn pack(panel: Tiles<'_>, rows: Range<usize>, signs: &[f64], packed: &mut Vec<Packed>) {
    packed.clear();
    for first in rows.clone().step_by(WIDE) {
        let source = |c: usize| {
            let row = (first + c).min(rows.end - 1);
            (panel.tile(row / LANES), row % LANES)
        };
        let [(t0, l0), (t1, l1), (t2, l2), (t3, l3), (t4, l4), (t5, l5)] = std::array::from_fn(source);
        let columns = t0.iter().zip(t1).zip(t2).zip(t3).zip(t4).zip(t5);
        packed.extend(
            columns.map(|(((((c0, c1), c2), c3), c4), c5)| [c0[l0], c1[l1], c2[l2], c3[l3], c4[l4], c5[l5]]),
        );
    }
    if !signs.is_empty() {
        for block in packed.chunks_exact_mut(panel.width) {
            for (values, _) in block.iter_mut().zip(signs).filter(|(_, sign)| **sign < 0.0) {
                *values = values.map(|value| -value);
            }
        }
    }
}

/// target −= A B, with A some rows of a panel and B others of them, transposed.
pub(super) struct Subtraction<'a> {
    pub(super) source: Tiles<'a>,
    /// Rows of A.
    pub(super) rows: Range<usize>,
    /// B, by [`pack`].
    pub(super) right: &'a [Packed],
    /// First row of the source that is in B; the others follow it, and none is behind the rows of A.
    pub(super) first_right: usize,
    /// Place of each row in the target, see [`place`](crate::tiles::place).
    pub(super) places: &'a [u32],
    /// Column of each column of B in the target.
    pub(super) columns: &'a [u32],
    pub(super) target: &'a mut [Row],
}

impl WithSimd for Subtraction<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { source, rows, right, first_right, places, columns, target } = self;
        let width = source.width;
        for tile in rows.start / LANES..rows.end.div_ceil(LANES) {
            let left = source.tile(tile);
            let first = rows.start.max(LANES * tile);
            let end = rows.end.min(LANES * (tile + 1));
            let output = Output {
                first_lane: first - LANES * tile,
                places: &places[first - rows.start..end - rows.start],
                target: &mut *target,
            };
            // Columns of rows behind this tile would meet the upper triangle.
            let columns = &columns[..columns.len().min(end - first_right)];
            subtract_tile(simd, left, &right[..width * columns.len().div_ceil(WIDE)], columns, output);
        }
    }
}

/// Where a tile of the product goes.
struct Output<'a> {
    /// Lane of the first row.
    first_lane: usize,
    places: &'a [u32],
    target: &'a mut [Row],
}

/// One tile of a product, block after block of its columns.
#[inline(always)]
fn subtract_tile<S: Simd>(simd: S, left: &[Row], right: &[Packed], columns: &[u32], output: Output<'_>) {
    let Output { first_lane, places, target } = output;
    // Rows that fill a tile of the target are subtracted as vectors.
    let whole = places.len() == LANES
        && places[0].is_multiple_of(LANES as u32)
        && places[LANES - 1] == places[0] + (LANES - 1) as u32;
    for (right, columns) in right.chunks_exact(left.len()).zip(columns.chunks(WIDE)) {
        let mut sums = [ZERO; WIDE];
        if columns.len() <= NARROW {
            multiply::<S, NARROW>(simd, left, right, &mut sums);
        } else {
            multiply::<S, WIDE>(simd, left, right, &mut sums);
        }
        if whole {
            let tile = places[0] as usize / LANES;
            for (sum, &column) in sums.iter().zip(columns) {
                let to = &mut target[tile + column as usize];
                Vectors::load(simd, to).plus(simd, -1.0, Vectors::load(simd, sum)).store(to);
            }
            continue;
        }
        let target = target.as_flattened_mut();
        for (sum, &column) in sums.iter().zip(columns) {
            let target = &mut target[LANES * column as usize..];
            if let Ok(places) = <&[u32; LANES]>::try_from(places) {
                for (&place, value) in places.iter().zip(sum) {
                    target[place as usize] -= value;
                }
            } else {
                for (&place, value) in places.iter().zip(&sum[first_lane..]) {
                    target[place as usize] -= value;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use pulp::Arch;

    use super::*;
    use crate::tiles::{clear, place};

    /// A panel with numbers of either sign that no symmetry hides, and the same as a function of row and column.
    fn panel(height: usize, width: usize) -> (Vec<Row>, impl Fn(usize, usize) -> f64) {
        let value = |row: usize, column: usize| ((7 * row + 13 * column + 1) as f64).sin();
        let mut values = Vec::new();
        clear(&mut values, height, width);
        for row in 0..height {
            for column in 0..width {
                values.as_flattened_mut()[place(row, width) + LANES * column] = value(row, column);
            }
        }
        (values, value)
    }

    #[test]
    fn products_land_on_scattered_and_on_whole_tiles() {
        let (height, width) = (61, 11);
        let (values, value) = panel(height, width);
        let source = Tiles::new(&values, height, width);
        let signs: Vec<f64> = (0..width).map(|k| if k % 3 == 1 { -1.0 } else { 1.0 }).collect();
        let (first, n_columns) = (13, 16);
        let to_width = 20;
        // Rows one behind the other, from a tile's first row on or not, and rows with gaps.
        let maps: [fn(usize) -> usize; 3] = [|k| k, |k| k + 3, |k| k + k / 5];
        for (at, rows) in maps.into_iter().zip([16..61, first..61, 14..60]) {
            let mut target = Vec::new();
            clear(&mut target, 80, to_width);
            let mut packed = Vec::new();
            pack(source, first..first + n_columns, &signs, &mut packed);
            let places: Vec<u32> =
                rows.clone().map(|row| place(at(row - rows.start), to_width) as u32).collect();
            let columns: Vec<u32> = (0..n_columns as u32).map(|column| column + column / 7).collect();
            Arch::new().dispatch(Subtraction {
                source,
                rows: rows.clone(),
                right: &packed,
                first_right: first,
                places: &places,
                columns: &columns,
                target: &mut target,
            });
            let target = target.as_flattened();
            for row in rows.clone() {
                for (j, &column) in columns.iter().enumerate().filter(|(j, _)| first + j <= row) {
                    let expected: f64 =
                        (0..width).map(|k| value(row, k) * signs[k] * value(first + j, k)).sum();
                    let found = target[place(at(row - rows.start), to_width) + LANES * column as usize];
                    assert!((found + expected).abs() < 1e-13, "row {row}, column {j}: {found} {expected}");
                }
            }
        }
    }
}
