//! The kernel of all large dense products: tiles times six columns, whose sums stay in the registers.

use pulp::Simd;

use crate::lanes::{Row, Vectors};
use crate::number::Number;

/// Columns of a product whose sums fit the registers.
pub(crate) const WIDE: usize = 6;

/// One row of six columns of a right operand.
pub(crate) type Packed<T = f64> = [T; WIDE];

/// The first N columns of A B.
///
/// * `left` — A, the rows of a tile, column after column
/// * `right` — B, six columns, row after row
#[inline(always)]
pub(crate) fn multiply<S: Simd, T: Number, const N: usize>(
    simd: S,
    left: &[Row<T>],
    right: &[Packed<T>],
    sums: &mut [Row<T>; WIDE],
) {
    let mut registers = [Vectors::zero(simd); N];
    for (left, right) in left.iter().zip(right) {
        let left = Vectors::load(simd, left);
        for (register, &right) in registers.iter_mut().zip(right) {
            *register = register.plus(simd, right, left);
        }
    }
    for (register, sum) in registers.iter().zip(sums) {
        (*register).store(sum);
    }
}

/// As [`multiply`] for two tiles A at once, where their sums fit the registers: each number of B serves both.
#[inline(always)]
pub(crate) fn multiply_pair<S: Simd, T: Number, const N: usize>(
    simd: S,
    [left0, left1]: [&[Row<T>]; 2],
    right: &[Packed<T>],
    [sums0, sums1]: &mut [[Row<T>; WIDE]; 2],
) {
    let mut registers = [[Vectors::zero(simd); N]; 2];
    for ((left0, left1), right) in left0.iter().zip(left1).zip(right) {
        let (left0, left1) = (Vectors::load(simd, left0), Vectors::load(simd, left1));
        let [registers0, registers1] = &mut registers;
        for ((register0, register1), &right) in registers0.iter_mut().zip(registers1).zip(right) {
            *register0 = register0.plus(simd, right, left0);
            *register1 = register1.plus(simd, right, left1);
        }
    }
    let [registers0, registers1] = &registers;
    for (register, sum) in registers0.iter().zip(sums0).chain(registers1.iter().zip(sums1)) {
        (*register).store(sum);
    }
}

/// Whether two tiles at once pay: their sums must fit the registers, a row being one vector, and the tiles of
/// a wide panel with their right operand the first-level cache, which those of doubles do not.
#[inline(always)]
pub(crate) fn takes_pairs<S: Simd, T: Number>() -> bool {
    T::lanes::<S>() == T::LANES && size_of::<T>() < size_of::<f64>()
}
