//! The numbers of a factor: double precision, or single where only the signs of its pivots are needed.
//!
//! Numbers lie in *rows* of the size of a cache line, eight doubles or sixteen single numbers. Storage is
//! always that of doubles: single numbers use the first half of it, so that a factor gives up its memory to
//! the other kind.

use std::fmt::Debug;
use std::ops::{IndexMut, Neg};

use faer::traits::RealField;
use pulp::Simd;
use pulp::bytemuck::{Pod, cast_slice, cast_slice_mut};

/// One row of a group, of the size of a cache line; where numbers are single, sixteen stand side by side and
/// not eight.
pub(crate) type Row<T = f64> = <T as Number>::Row;

/// A kind of number with the vectors of each instruction set.
pub(crate) trait Number: RealField + Copy + Neg<Output = Self> {
    /// Zero.
    const ZERO: Self;

    /// Numbers of a row.
    const LANES: usize;
    /// A row of zeros.
    const ZEROS: Self::Row;

    /// A row.
    type Row: Pod + Debug + Send + Sync + IndexMut<usize, Output = Self> + AsRef<[Self]> + AsMut<[Self]>;
    /// A vector of the instruction set.
    type Vector<S: Simd>: Copy;

    /// The nearest number to a double.
    fn of(value: f64) -> Self;
    /// As a double.
    fn double(self) -> f64;

    /// Numbers of a vector, never more than [`Number::LANES`].
    fn lanes<S: Simd>() -> usize;
    /// The vector of one value.
    fn splat<S: Simd>(simd: S, value: Self) -> Self::Vector<S>;
    /// a b + c.
    fn mul_add<S: Simd>(
        simd: S,
        a: Self::Vector<S>,
        b: Self::Vector<S>,
        c: Self::Vector<S>,
    ) -> Self::Vector<S>;
    /// a b.
    fn times<S: Simd>(simd: S, a: Self::Vector<S>, b: Self::Vector<S>) -> Self::Vector<S>;
    /// A row as vectors.
    fn vectors<S: Simd>(row: &Row<Self>) -> &[Self::Vector<S>];
    /// A row as vectors.
    fn vectors_mut<S: Simd>(row: &mut Row<Self>) -> &mut [Self::Vector<S>];

    /// Storage as rows of these numbers.
    fn rows(storage: &[Row]) -> &[Row<Self>] {
        cast_slice(storage)
    }

    /// Storage as rows of these numbers.
    fn rows_mut(storage: &mut [Row]) -> &mut [Row<Self>] {
        cast_slice_mut(storage)
    }

    /// The numbers of rows, one after the other.
    fn flat(rows: &[Row<Self>]) -> &[Self];
    /// The numbers of rows, one after the other.
    fn flat_mut(rows: &mut [Row<Self>]) -> &mut [Self];
}

impl Number for f64 {
    const ZERO: Self = 0.0;
    const LANES: usize = 8;
    const ZEROS: [Self; 8] = [0.0; 8];

    type Row = [Self; 8];
    type Vector<S: Simd> = S::f64s;

    fn of(value: f64) -> Self {
        value
    }

    fn double(self) -> f64 {
        self
    }

    #[inline(always)]
    fn lanes<S: Simd>() -> usize {
        S::F64_LANES
    }

    #[inline(always)]
    fn splat<S: Simd>(simd: S, value: Self) -> S::f64s {
        simd.splat_f64s(value)
    }

    #[inline(always)]
    fn mul_add<S: Simd>(simd: S, a: S::f64s, b: S::f64s, c: S::f64s) -> S::f64s {
        simd.mul_add_e_f64s(a, b, c)
    }

    #[inline(always)]
    fn times<S: Simd>(simd: S, a: S::f64s, b: S::f64s) -> S::f64s {
        simd.mul_f64s(a, b)
    }

    #[inline(always)]
    fn vectors<S: Simd>(row: &Row) -> &[S::f64s] {
        S::as_simd_f64s(row).0
    }

    #[inline(always)]
    fn vectors_mut<S: Simd>(row: &mut Row) -> &mut [S::f64s] {
        S::as_mut_simd_f64s(row).0
    }

    fn flat(rows: &[Row]) -> &[Self] {
        rows.as_flattened()
    }

    fn flat_mut(rows: &mut [Row]) -> &mut [Self] {
        rows.as_flattened_mut()
    }
}

impl Number for f32 {
    const ZERO: Self = 0.0;
    const LANES: usize = 16;
    const ZEROS: [Self; 16] = [0.0; 16];

    type Row = [Self; 16];
    type Vector<S: Simd> = S::f32s;

    fn of(value: f64) -> Self {
        value as f32
    }

    fn double(self) -> f64 {
        f64::from(self)
    }

    #[inline(always)]
    fn lanes<S: Simd>() -> usize {
        S::F32_LANES
    }

    #[inline(always)]
    fn splat<S: Simd>(simd: S, value: Self) -> S::f32s {
        simd.splat_f32s(value)
    }

    #[inline(always)]
    fn mul_add<S: Simd>(simd: S, a: S::f32s, b: S::f32s, c: S::f32s) -> S::f32s {
        simd.mul_add_e_f32s(a, b, c)
    }

    #[inline(always)]
    fn times<S: Simd>(simd: S, a: S::f32s, b: S::f32s) -> S::f32s {
        simd.mul_f32s(a, b)
    }

    #[inline(always)]
    fn vectors<S: Simd>(row: &Row<Self>) -> &[S::f32s] {
        S::as_simd_f32s(row).0
    }

    #[inline(always)]
    fn vectors_mut<S: Simd>(row: &mut Row<Self>) -> &mut [S::f32s] {
        S::as_mut_simd_f32s(row).0
    }

    fn flat(rows: &[Row<Self>]) -> &[Self] {
        rows.as_flattened()
    }

    fn flat_mut(rows: &mut [Row<Self>]) -> &mut [Self] {
        rows.as_flattened_mut()
    }
}
