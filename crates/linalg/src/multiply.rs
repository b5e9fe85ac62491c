//! The kernel of all large dense products: eight rows times six columns, whose sums stay in the registers.

use pulp::Simd;

use crate::lanes::{Row, Vectors};

/// Columns of a product whose sums fit the registers.
pub(crate) const WIDE: usize = 6;

/// One row of six columns of a right operand.
pub(crate) type Packed = [f64; WIDE];

/// The first N columns of A B.
///
/// * `left` — A, eight rows, column after column
/// * `right` — B, six columns, row after row
#[inline(always)]
pub(crate) fn multiply<S: Simd, const N: usize>(
    simd: S,
    left: &[Row],
    right: &[Packed],
    sums: &mut [Row; WIDE],
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
