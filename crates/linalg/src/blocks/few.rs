//! Fronts of few own unknowns, whose number N the compiler knows: rigid bodies and joints. P stays in
//! registers as far as they go, and so do N vectors of R or of Sᵀ at a time.

use std::array::from_fn;

use super::front::{LANES, Shape, Work};

type Vector = [f64; LANES];

impl Shape {
    /// As the elimination of any front.
    #[inline(always)]
    pub(super) fn eliminate_few<const N: usize>(
        &self,
        values: &mut [f64],
        pivots: &mut [usize],
        work: &mut Work,
    ) {
        let (np, lp) = (N.next_multiple_of(LANES), self.padded_later());
        let stride = np + lp;
        let (own, later) = values.split_at_mut(N * stride);
        let later = &mut later[..self.l * stride];
        let mut p: [[f64; N]; N] = from_fn(|i| from_fn(|j| own[i * stride + j]));
        let order = factorise(&mut p, pivots);
        let (right, lower) = (&mut work.right[..N * lp], &mut work.lower[..N * lp]);
        for column in (0..lp).step_by(LANES) {
            let mut r: [Vector; N] = order.map(|row| vector(own, row * stride + np + column));
            for k in 0..N {
                let done = r[k];
                (k + 1..N).for_each(|i| subtract(&mut r[i], p[i][k], &done));
            }
            (0..N).for_each(|k| put(right, k * lp + column, &r[k]));
        }
        for (rows, first) in later.chunks_mut(LANES * stride).zip((0..).step_by(LANES)) {
            let mut s = [[0.0; LANES]; N];
            for (a, row) in rows.chunks_exact(stride).enumerate() {
                let row: &[f64; N] = row.first_chunk().expect("rows begin with S");
                (0..N).for_each(|k| s[k][a] = row[k]);
            }
            for k in 0..N {
                s[k] = s[k].map(|x| x * p[k][k]);
                let done = s[k];
                (k + 1..N).for_each(|j| subtract(&mut s[j], p[k][j], &done));
            }
            for column in (0..lp).step_by(LANES) {
                let mut sums = [[0.0; LANES]; LANES];
                for k in 0..N {
                    let right = vector(right, k * lp + column);
                    for a in 0..LANES {
                        (0..LANES).for_each(|b| sums[a][b] += s[k][a] * right[b]);
                    }
                }
                for (sums, row) in sums.iter().zip(rows.chunks_exact_mut(stride)) {
                    let row = &mut row[np + column..][..LANES];
                    (0..LANES).for_each(|b| row[b] -= sums[b]);
                }
            }
            (0..N).for_each(|k| put(lower, k * lp + first, &s[k]));
            let r: [Vector; N] = from_fn(|k| vector(right, k * lp + first));
            for (a, row) in rows.chunks_exact_mut(stride).enumerate() {
                let row: &mut [f64; N] = row.first_chunk_mut().expect("rows begin with S");
                (0..N).for_each(|k| row[k] = r[k][a]);
            }
        }
        for (k, row) in own.chunks_exact_mut(stride).enumerate() {
            row[..N].copy_from_slice(&p[k]);
            row[np..].copy_from_slice(&lower[k * lp..][..lp]);
        }
    }

    /// As that of any front.
    #[inline(always)]
    pub(super) fn forward_few<const N: usize>(
        &self,
        values: &[f64],
        pivots: &[usize],
        own: &mut [f64],
        work: &mut Work,
    ) {
        let (np, lp) = (N.next_multiple_of(LANES), self.padded_later());
        let stride = np + lp;
        let (values, own) = (&values[..N * stride], &mut own[..N]);
        pivots[..N].iter().enumerate().for_each(|(k, &pivot)| own.swap(k, pivot));
        let mut x: [f64; N] = from_fn(|k| own[k]);
        for k in 0..N {
            (k + 1..N).for_each(|i| x[i] -= values[i * stride + k] * x[k]);
        }
        own.copy_from_slice(&x);
        let part = &mut work.later[..lp];
        for column in (0..lp).step_by(LANES) {
            let mut sum = [0.0; LANES];
            for k in 0..N {
                let lower = vector(values, k * stride + np + column);
                (0..LANES).for_each(|a| sum[a] += x[k] * lower[a]);
            }
            put(part, column, &sum);
        }
    }

    /// As that of any front.
    ///
    /// * `V` — vectors of N numbers
    #[inline(always)]
    pub(super) fn backward_few<const N: usize, const V: usize>(
        &self,
        values: &[f64],
        own: &mut [f64],
        work: &Work,
    ) {
        let stride = V * LANES + self.padded_later();
        let (values, later) = values.split_at(N * stride);
        let mut part = [[0.0; LANES]; V];
        for (row, x) in later.chunks_exact(stride).zip(&work.later[..self.l]) {
            for (part, right) in part.iter_mut().zip(row.as_chunks::<LANES>().0) {
                (0..LANES).for_each(|a| part[a] += x * right[a]);
            }
        }
        let mut x: [f64; N] = from_fn(|i| own[i] - part[i / LANES][i % LANES]);
        for k in (0..N).rev() {
            x[k] *= values[k * stride + k];
            (0..k).for_each(|i| x[i] -= values[i * stride + k] * x[k]);
        }
        own[..N].copy_from_slice(&x);
    }
}

/// P = L U with 1/diag(U), rows in the order that is returned; `pivots` has the row that became each pivot
/// row.
#[inline(always)]
fn factorise<const N: usize>(p: &mut [[f64; N]; N], pivots: &mut [usize]) -> [usize; N] {
    let mut order: [usize; N] = from_fn(|row| row);
    for (k, pivot) in pivots[..N].iter_mut().enumerate() {
        let mut best = (k, p[k][k].abs());
        for i in k + 1..N {
            if p[i][k].abs() > best.1 {
                best = (i, p[i][k].abs());
            }
        }
        *pivot = best.0;
        if best.0 != k {
            p.swap(k, best.0);
            order.swap(k, best.0);
        }
        p[k][k] = 1.0 / p[k][k];
        let done = p[k];
        for row in &mut p[k + 1..] {
            let factor = row[k] * done[k];
            row[k] = factor;
            (k + 1..N).for_each(|j| row[j] -= factor * done[j]);
        }
    }
    order
}

/// The vector from this number on.
#[inline(always)]
fn vector(values: &[f64], start: usize) -> Vector {
    *values[start..].first_chunk().expect("rows have whole vectors")
}

/// Writes a vector from this number on.
#[inline(always)]
fn put(values: &mut [f64], start: usize, vector: &Vector) {
    values[start..start + LANES].copy_from_slice(vector);
}

/// to ← to − factor · from.
#[inline(always)]
fn subtract(to: &mut Vector, factor: f64, from: &Vector) {
    (0..LANES).for_each(|a| to[a] -= factor * from[a]);
}
