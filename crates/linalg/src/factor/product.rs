//! Products of parts of a panel with each other, subtracted where they belong in another panel.
//!
//! A product runs tile by tile of its left operand, or by two of them, six columns at a time: their sums stay
//! in the registers until all columns of the panel have passed. What lies above the diagonal of the target is
//! left out, tile by tile.

use std::ops::Range;

use pulp::{Simd, WithSimd};

use crate::lanes::{Row, Vectors};
use crate::multiply::{Packed, WIDE, multiply, multiply_pair, takes_pairs};
use crate::number::Number;
use crate::tiles::Tiles;

/// Half of them: nodes have three dofs, which half-empty products would waste.
const NARROW: usize = 3;

/// Transposes some rows of a panel, six at a time, each block from the first column of the panel to its last.
///
/// * `signs` — factors of the columns, none if all are 1
///
/// A last block of fewer rows is filled up with copies.
pub(super) fn pack<T: Number>(
    panel: Tiles<'_, T>,
    rows: Range<usize>,
    signs: &[f64],
    packed: &mut Vec<Packed<T>>,
) {
    packed.clear();
    for first in rows.clone().step_by(WIDE) {
        let (tile, lane) = (panel.tile(first / T::LANES), first % T::LANES);
        if first + WIDE > rows.end {
            pack_last(panel, first..rows.end, packed);
        } else if lane + WIDE <= T::LANES {
            packed.extend(tile.iter().map(|column| {
                let rows: Packed<T> = std::array::from_fn(|c| column.as_ref()[lane..][..WIDE][c]);
                rows
            }));
        } else {
            let next = panel.tile(first / T::LANES + 1);
            match T::LANES - lane {
                1 => pack_joined::<T, 1>(tile, next, packed),
                2 => pack_joined::<T, 2>(tile, next, packed),
                3 => pack_joined::<T, 3>(tile, next, packed),
                4 => pack_joined::<T, 4>(tile, next, packed),
                _ => pack_joined::<T, 5>(tile, next, packed),
            }
        }
    }
    if !signs.is_empty() {
        for block in packed.chunks_exact_mut(panel.width) {
            for (values, _) in block.iter_mut().zip(signs).filter(|(_, sign)| **sign < 0.0) {
                *values = values.map(|value: T| -value);
            }
        }
    }
}

/// The last N rows of a tile with the first ones of the next.
fn pack_joined<T: Number, const N: usize>(tile: &[Row<T>], next: &[Row<T>], packed: &mut Vec<Packed<T>>) {
    packed.extend(tile.iter().zip(next).map(|(column, next)| {
        let mut rows = [T::ZERO; WIDE];
        rows[..N].copy_from_slice(&column.as_ref()[T::LANES - N..]);
        rows[N..].copy_from_slice(&next.as_ref()[..WIDE - N]);
        rows
    }));
}

/// Fewer than six rows, and copies of the last of them.
fn pack_last<T: Number>(panel: Tiles<'_, T>, rows: Range<usize>, packed: &mut Vec<Packed<T>>) {
    let sources: [_; WIDE] = std::array::from_fn(|c| {
        let row = (rows.start + c).min(rows.end - 1);
        (panel.tile(row / T::LANES), row % T::LANES)
    });
    packed.extend((0..panel.width).map(|k| sources.map(|(tile, lane)| tile[k][lane])));
}

/// target −= A B, with A some rows of a panel and B others of them, transposed.
pub(super) struct Subtraction<'a, T: Number> {
    pub(super) source: Tiles<'a, T>,
    /// Rows of A.
    pub(super) rows: Range<usize>,
    /// B, by [`pack`].
    pub(super) right: &'a [Packed<T>],
    /// First row of the source that is in B; the others follow it, and none is behind the rows of A.
    pub(super) first_right: usize,
    /// Place of each row in the target, see [`place`](crate::tiles::place).
    pub(super) places: &'a [u32],
    /// Column of each column of B in the target.
    pub(super) columns: &'a [u32],
    pub(super) target: &'a mut [Row<T>],
}

impl<T: Number> WithSimd for Subtraction<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { source, rows, right, first_right, places, columns, target } = self;
        let mut tiles = rows.start / T::LANES..rows.end.div_ceil(T::LANES);
        // What the rows of a tile of A give, up to the diagonal.
        let part = |tile: usize| {
            let first = rows.start.max(T::LANES * tile);
            let end = rows.end.min(T::LANES * (tile + 1));
            Part {
                left: source.tile(tile),
                first_lane: first - T::LANES * tile,
                places: &places[first - rows.start..end - rows.start],
                n_columns: columns.len().min(end - first_right),
            }
        };
        let mut sums = [[T::ZEROS; WIDE]; 2];
        while let Some(tile) = tiles.next() {
            let first = part(tile);
            if takes_pairs::<S, T>() && !tiles.is_empty() {
                tiles.start += 1;
                subtract_pair(simd, [first, part(tile + 1)], right, columns, &mut sums, target);
            } else {
                subtract_part(simd, first, right, columns, &mut sums[0], target);
            }
        }
    }
}

/// A tile of A with the rows of the target that it meets.
#[derive(Clone, Copy)]
struct Part<'a, T: Number> {
    left: &'a [Row<T>],
    /// Lane of the first row.
    first_lane: usize,
    places: &'a [u32],
    /// Columns of B that meet the lower triangle in these rows.
    n_columns: usize,
}

/// Two tiles where both have columns, then the further columns of the second.
#[inline(always)]
fn subtract_pair<S: Simd, T: Number>(
    simd: S,
    parts: [Part<'_, T>; 2],
    right: &[Packed<T>],
    columns: &[u32],
    sums: &mut [[Row<T>; WIDE]; 2],
    target: &mut [Row<T>],
) {
    let [first, second] = parts;
    let width = first.left.len();
    let n_both = first.n_columns.next_multiple_of(WIDE).min(second.n_columns);
    let (both, rest) = columns.split_at(n_both);
    let (right_both, right_rest) = right.split_at(width * n_both.div_ceil(WIDE));
    for (right, columns) in right_both.chunks_exact(width).zip(both.chunks(WIDE)) {
        if columns.len() <= NARROW {
            multiply_pair::<S, T, NARROW>(simd, [first.left, second.left], right, sums);
        } else {
            multiply_pair::<S, T, WIDE>(simd, [first.left, second.left], right, sums);
        }
        scatter(simd, first, &sums[0], columns, target);
        scatter(simd, second, &sums[1], columns, target);
    }
    let second = Part { n_columns: second.n_columns - n_both, ..second };
    subtract_part(simd, second, right_rest, rest, &mut sums[0], target);
}

/// One tile.
#[inline(always)]
fn subtract_part<S: Simd, T: Number>(
    simd: S,
    part: Part<'_, T>,
    right: &[Packed<T>],
    columns: &[u32],
    sums: &mut [Row<T>; WIDE],
    target: &mut [Row<T>],
) {
    let columns = &columns[..part.n_columns];
    for (right, columns) in right.chunks_exact(part.left.len()).zip(columns.chunks(WIDE)) {
        if columns.len() <= NARROW {
            multiply::<S, T, NARROW>(simd, part.left, right, sums);
        } else {
            multiply::<S, T, WIDE>(simd, part.left, right, sums);
        }
        scatter(simd, part, sums, columns, target);
    }
}

/// Subtracts some columns of a tile of the product from the target.
#[inline(always)]
fn scatter<S: Simd, T: Number>(
    simd: S,
    part: Part<'_, T>,
    sums: &[Row<T>; WIDE],
    columns: &[u32],
    target: &mut [Row<T>],
) {
    let Part { places, first_lane, .. } = part;
    // Rows that fill a tile of the target are subtracted as vectors.
    if places.len() == T::LANES
        && places[0].is_multiple_of(T::LANES as u32)
        && places[T::LANES - 1] == places[0] + (T::LANES - 1) as u32
    {
        let tile = places[0] as usize / T::LANES;
        for (sum, &column) in sums.iter().zip(columns) {
            let to = &mut target[tile + column as usize];
            Vectors::load(simd, to).plus(simd, T::of(-1.0), Vectors::load(simd, sum)).store(to);
        }
        return;
    }
    let target = T::flat_mut(target);
    for (sum, &column) in sums.iter().zip(columns) {
        let target = &mut target[T::LANES * column as usize..];
        for (&place, &value) in places.iter().zip(&sum.as_ref()[first_lane..]) {
            target[place as usize] -= value;
        }
    }
}

#[cfg(test)]
mod tests {
    use pulp::Arch;

    use super::*;
    use crate::tiles::{clear, place};

    /// A panel of numbers of both signs without symmetry, and its entries as a function of row and
    /// column.
    fn panel<T: Number>(height: usize, width: usize) -> (Vec<Row>, impl Fn(usize, usize) -> f64) {
        let value = |row: usize, column: usize| ((7 * row + 13 * column + 1) as f64).sin();
        let mut storage = Vec::new();
        let values = T::flat_mut(clear::<T>(&mut storage, height, width));
        for row in 0..height {
            for column in 0..width {
                values[place::<T>(row, width) + T::LANES * column] = T::of(value(row, column));
            }
        }
        (storage, value)
    }

    #[test]
    fn products_are_added_to_scattered_and_to_whole_tiles() {
        products_land::<f64>(1e-13);
        products_land::<f32>(1e-5);
    }

    fn products_land<T: Number>(tolerance: f64) {
        let (height, width) = (61, 11);
        let (storage, value) = panel::<T>(height, width);
        let source = Tiles::<T>::new(&storage, height, width);
        let signs: Vec<f64> = (0..width).map(|k| if k % 3 == 1 { -1.0 } else { 1.0 }).collect();
        let (first, n_columns) = (13, 16);
        let to_width = 20;
        // Consecutive rows that begin at a tile's first row or elsewhere, and rows with gaps.
        let maps: [fn(usize) -> usize; 3] = [|k| k, |k| k + 3, |k| k + k / 5];
        for (at, rows) in maps.into_iter().zip([16..61, first..61, 14..60]) {
            let mut storage = Vec::new();
            let target = clear::<T>(&mut storage, 80, to_width);
            let mut packed = Vec::new();
            pack(source, first..first + n_columns, &signs, &mut packed);
            let places: Vec<u32> =
                rows.clone().map(|row| place::<T>(at(row - rows.start), to_width) as u32).collect();
            let columns: Vec<u32> = (0..n_columns as u32).map(|column| column + column / 7).collect();
            let product = Subtraction {
                source,
                rows: rows.clone(),
                right: &packed,
                first_right: first,
                places: &places,
                columns: &columns,
                target: &mut *target,
            };
            Arch::new().dispatch(product);
            let target = T::flat(target);
            for row in rows.clone() {
                for (j, &column) in columns.iter().enumerate().filter(|(j, _)| first + j <= row) {
                    let expected: f64 =
                        (0..width).map(|k| value(row, k) * signs[k] * value(first + j, k)).sum();
                    let found = target
                        [place::<T>(at(row - rows.start), to_width) + T::LANES * column as usize]
                        .double();
                    assert!(
                        (found + expected).abs() < tolerance,
                        "row {row}, column {j}: {found} {expected}"
                    );
                }
            }
        }
    }
}
