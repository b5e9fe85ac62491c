//! Fronts of few own unknowns, whose number N the compiler knows: rigid bodies and joints. P stays in
//! registers as far as they go, and so do N vectors of R or of Sᵀ at a time.

use std::array::from_fn;

use super::front::{LANES, Shape, Vector, Work, add_products, subtract_multiple, take_off, vector};

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
                for i in k + 1..N {
                    subtract_multiple(&mut r[i], p[i][k], &done);
                }
            }
            for (k, r) in r.iter().enumerate() {
                put(right, k * lp + column, r);
            }
        }
        for (rows, first) in later.chunks_mut(LANES * stride).zip((0..).step_by(LANES)) {
            let mut s = [[0.0; LANES]; N];
            for (a, row) in rows.chunks_exact(stride).enumerate() {
                let row: &[f64; N] = row.first_chunk().expect("rows begin with S");
                for (s, x) in s.iter_mut().zip(row) {
                    s[a] = *x;
                }
            }
            for k in 0..N {
                s[k] = s[k].map(|x| x * p[k][k]);
                let done = s[k];
                for j in k + 1..N {
                    subtract_multiple(&mut s[j], p[k][j], &done);
                }
            }
            for column in (0..lp).step_by(LANES) {
                let mut sums = [[0.0; LANES]; LANES];
                for (k, factors) in s.iter().enumerate() {
                    add_products(&mut sums, factors, &vector(right, k * lp + column));
                }
                for (sums, row) in sums.iter().zip(rows.chunks_exact_mut(stride)) {
                    take_off(&mut row[np + column..][..LANES], sums);
                }
            }
            for (k, s) in s.iter().enumerate() {
                put(lower, k * lp + first, s);
            }
            let r: [Vector; N] = from_fn(|k| vector(right, k * lp + first));
            for (a, row) in rows.chunks_exact_mut(stride).enumerate() {
                let row: &mut [f64; N] = row.first_chunk_mut().expect("rows begin with S");
                for (x, r) in row.iter_mut().zip(&r) {
                    *x = r[a];
                }
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
            for (k, x) in x.iter().enumerate() {
                for (sum, lower) in sum.iter_mut().zip(vector(values, k * stride + np + column)) {
                    *sum += x * lower;
                }
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
                for (part, right) in part.iter_mut().zip(right) {
                    *part += x * right;
                }
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
            for (x, done) in row[k + 1..].iter_mut().zip(&done[k + 1..]) {
                *x -= factor * done;
            }
        }
    }
    order
}

/// Writes a vector from this number on.
#[inline(always)]
fn put(values: &mut [f64], start: usize, vector: &Vector) {
    values[start..start + LANES].copy_from_slice(vector);
}
