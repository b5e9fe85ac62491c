//! The numbers of a factor: double precision, or single where only the signs of its pivots are wanted.
//!
//! Storage is always that of doubles: single numbers use the first half of it, so that a factor gives up its memory to the other kind.

use std::ops::Neg;

use faer::traits::RealField;
use pulp::bytemuck::{cast_slice, cast_slice_mut};
use pulp::{Arch, Simd, WithSimd};

use crate::lanes::{LANES, Row};

/// A kind of number with the vectors of each instruction set.
pub(crate) trait Number: RealField + Copy + Neg<Output = Self> {
    /// Zero.
    const ZERO: Self;
    /// Bytes of one number.
    const BYTES: usize;

    /// A vector of the instruction set.
    type Vector<S: Simd>: Copy;
    /// The choice of an instruction set.
    type Set: Copy + Send + Sync;

    /// The nearest number to a double.
    fn of(value: f64) -> Self;
    /// As a double.
    fn double(self) -> f64;

    /// The best instruction set of the machine whose vectors are no longer than a row.
    fn arch() -> Self::Set;
    /// Runs a kernel with it.
    fn dispatch<K: WithSimd>(arch: Self::Set, kernel: K) -> K::Output;

    /// Numbers of a vector.
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
    fn rows(storage: &[Row]) -> &[Row<Self>];
    /// Storage as rows of these numbers.
    fn rows_mut(storage: &mut [Row]) -> &mut [Row<Self>];
}

impl Number for f64 {
    const ZERO: Self = 0.0;
    const BYTES: usize = 8;
    type Vector<S: Simd> = S::f64s;
    type Set = Arch;

    fn of(value: f64) -> Self {
        value
    }

    fn double(self) -> f64 {
        self
    }

    fn arch() -> Arch {
        Arch::new()
    }

    #[inline(always)]
    fn dispatch<K: WithSimd>(arch: Arch, kernel: K) -> K::Output {
        arch.dispatch(kernel)
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

    fn rows(storage: &[Row]) -> &[Row] {
        storage
    }

    fn rows_mut(storage: &mut [Row]) -> &mut [Row] {
        storage
    }
}

impl Number for f32 {
    const ZERO: Self = 0.0;
    const BYTES: usize = 4;
    type Vector<S: Simd> = S::f32s;
    type Set = SingleArch;

    fn of(value: f64) -> Self {
        value as f32
    }

    fn double(self) -> f64 {
        f64::from(self)
    }

    fn arch() -> SingleArch {
        SingleArch::new()
    }

    #[inline(always)]
    fn dispatch<K: WithSimd>(arch: SingleArch, kernel: K) -> K::Output {
        arch.dispatch(kernel)
    }

    #[inline(always)]
    fn lanes<S: Simd>() -> usize {
        debug_assert!(S::F32_LANES <= LANES, "a vector is no longer than a row");
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

    fn rows(storage: &[Row]) -> &[Row<Self>] {
        cast_slice(storage)
    }

    fn rows_mut(storage: &mut [Row]) -> &mut [Row<Self>] {
        cast_slice_mut(storage)
    }
}

/// The instruction set for rows of eight single numbers: 256 bits, where the processor has longer vectors too.
#[derive(Clone, Copy)]
pub(crate) struct SingleArch {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    simd: Option<pulp::x86::V3>,
    #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
    arch: Arch,
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
impl SingleArch {
    fn new() -> Self {
        Self { simd: pulp::x86::V3::try_new() }
    }

    #[inline(always)]
    fn dispatch<K: WithSimd>(self, kernel: K) -> K::Output {
        match self.simd {
            Some(simd) => Simd::vectorize(simd, kernel),
            None => Simd::vectorize(pulp::Scalar, kernel),
        }
    }
}

#[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
impl SingleArch {
    fn new() -> Self {
        Self { arch: Arch::new() }
    }

    #[inline(always)]
    fn dispatch<K: WithSimd>(self, kernel: K) -> K::Output {
        self.arch.dispatch(kernel)
    }
}
