//! One front: the elimination of its own unknowns, and its part of a solution.
//!
//! A front has n own unknowns and l later ones. Its matrix, row by row:
//!
//! ```text
//! [ P  R ]   own rows           before: P, R, S, X as added up
//! [ S  X ]   later rows         after:  P = L U with 1/diag(U),  R: (S U⁻¹)ᵀ,  S: (L⁻¹ R)ᵀ,  X − S P⁻¹ R
//! ```
//!
//! Columns are padded with zeros to whole vectors, so that every inner loop runs over whole vectors: over
//! the later unknowns in the elimination and in the first half of a solution, over the own ones in its second
//! half. That is why the factors of R and S change places. Fronts of rigid bodies and joints have loops of a
//! known length (`few`).

use crate::dense::dot;

/// Numbers of a vector.
pub(super) const LANES: usize = 4;

pub(super) type Vector = [f64; LANES];

/// Size of a front.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    n: usize,
    pub(super) l: usize,
}

/// Room for the fronts of a matrix.
#[derive(Debug, Clone, Default)]
pub(super) struct Work {
    /// (S U⁻¹)ᵀ and L⁻¹ R, row by row.
    pub(super) lower: Vec<f64>,
    pub(super) right: Vec<f64>,
    /// Later unknowns.
    pub(super) later: Vec<f64>,
    /// Own unknowns.
    own: Vec<f64>,
}

impl Work {
    /// Room for the largest of some fronts.
    pub(super) fn new(shapes: &[Shape]) -> Self {
        let most = |of: fn(&Shape) -> usize| vec![0.0; shapes.iter().map(of).max().unwrap_or(0)];
        Self {
            lower: most(|shape| shape.n * shape.padded_later()),
            right: most(|shape| shape.n * shape.padded_later()),
            later: most(Shape::padded_later),
            own: most(Shape::padded_own),
        }
    }
}

impl Shape {
    pub(super) fn new(n: usize, l: usize) -> Self {
        Self { n, l }
    }

    /// Own unknowns.
    pub(super) fn own(&self) -> usize {
        self.n
    }

    #[inline(always)]
    pub(super) fn padded_own(&self) -> usize {
        self.n.next_multiple_of(LANES)
    }

    #[inline(always)]
    pub(super) fn padded_later(&self) -> usize {
        self.l.next_multiple_of(LANES)
    }

    /// Numbers from one row to the next.
    #[inline(always)]
    pub(super) fn stride(&self) -> usize {
        self.padded_own() + self.padded_later()
    }

    /// Numbers of the front.
    pub(super) fn length(&self) -> usize {
        (self.n + self.l) * self.stride()
    }

    /// Column of an unknown, by its row.
    #[inline(always)]
    pub(super) fn column(&self, row: usize) -> usize {
        if row < self.n { row } else { row - self.n + self.padded_own() }
    }

    /// Row of the remainder of a later unknown.
    #[inline(always)]
    pub(super) fn remainder<'a>(&self, values: &'a [f64], later: usize) -> &'a [f64] {
        let start = (self.n + later) * self.stride() + self.padded_own();
        &values[start..start + self.l]
    }

    /// Eliminates the own unknowns with the largest pivot among the own rows that are left; `pivots` has the
    /// row that became each pivot row.
    #[inline(always)]
    pub(super) fn eliminate(&self, values: &mut [f64], pivots: &mut [usize], work: &mut Work) {
        // A node without unknowns may have an empty front.
        match self.n {
            0 => {}
            3 => self.eliminate_few::<3>(values, pivots, work),
            5 => self.eliminate_few::<5>(values, pivots, work),
            6 => self.eliminate_few::<6>(values, pivots, work),
            _ => self.eliminate_own(values, pivots, work),
        }
    }

    #[inline(always)]
    fn eliminate_own(&self, values: &mut [f64], pivots: &mut [usize], work: &mut Work) {
        let (own, later) = values.split_at_mut(self.n * self.stride());
        self.factorise_own(own, &mut pivots[..self.n]);
        if self.l > 0 {
            let lower = &mut work.lower[..self.n * self.padded_later()];
            self.divide_later(own, later, lower);
            self.subtract_products(own, later, lower);
            self.exchange(own, later, lower);
        }
    }

    /// P = L U by rows, their parts of R in the same order and L⁻¹ R.
    #[inline(always)]
    fn factorise_own(&self, own: &mut [f64], pivots: &mut [usize]) {
        let (n, np, stride) = (self.n, self.padded_own(), self.stride());
        for k in 0..n {
            let mut best = k;
            for i in k + 1..n {
                if own[i * stride + k].abs() > own[best * stride + k].abs() {
                    best = i;
                }
            }
            pivots[k] = best;
            let (above, below) = own.split_at_mut((k + 1) * stride);
            if best != k {
                let other = (best - k - 1) * stride;
                above[k * stride..].swap_with_slice(&mut below[other..other + stride]);
            }
            let pivot_row = &mut above[k * stride..];
            let inverse = 1.0 / pivot_row[k];
            pivot_row[k] = inverse;
            for row in below.chunks_exact_mut(stride) {
                let factor = row[k] * inverse;
                // Where bodies and multipliers do not couple, rows have many zeros.
                if factor != 0.0 {
                    row[k] = factor;
                    for (x, p) in row[k + 1..n].iter_mut().zip(&pivot_row[k + 1..n]) {
                        *x -= factor * p;
                    }
                    subtract(&mut row[np..], factor, &pivot_row[np..]);
                }
            }
        }
    }

    /// (S U⁻¹)ᵀ into `lower`.
    #[inline(always)]
    fn divide_later(&self, own: &[f64], later: &[f64], lower: &mut [f64]) {
        let (n, lp, stride) = (self.n, self.padded_later(), self.stride());
        for (j, row) in later.chunks_exact(stride).enumerate() {
            (0..n).for_each(|k| lower[k * lp + j] = row[k]);
        }
        for k in 0..n {
            // Numbers of a larger front before.
            lower[k * lp + self.l..(k + 1) * lp].fill(0.0);
        }
        for k in 0..n {
            let (done, rest) = lower.split_at_mut((k + 1) * lp);
            let row = &mut done[k * lp..];
            let inverse = own[k * stride + k];
            row.iter_mut().for_each(|x| *x *= inverse);
            for (j, other) in rest.chunks_exact_mut(lp).enumerate() {
                subtract(other, own[k * stride + k + 1 + j], row);
            }
        }
    }

    /// X − S P⁻¹ R, some rows and columns at a time, which stay in registers.
    #[inline(always)]
    fn subtract_products(&self, own: &[f64], later: &mut [f64], lower: &[f64]) {
        let (n, np, lp, stride) = (self.n, self.padded_own(), self.padded_later(), self.stride());
        for (rows, out) in later.chunks_mut(LANES * stride).enumerate() {
            for column in (np..stride).step_by(LANES) {
                let mut sums = [[0.0; LANES]; LANES];
                for k in 0..n {
                    let factors = vector(lower, k * lp + rows * LANES);
                    add_products(&mut sums, &factors, &vector(own, k * stride + column));
                }
                for (sums, row) in sums.iter().zip(out.chunks_exact_mut(stride)) {
                    take_off(&mut row[column..column + LANES], sums);
                }
            }
        }
    }

    /// L⁻¹ R to the place of S, and (S U⁻¹)ᵀ to that of R.
    #[inline(always)]
    fn exchange(&self, own: &mut [f64], later: &mut [f64], lower: &[f64]) {
        let (n, np, lp, stride) = (self.n, self.padded_own(), self.padded_later(), self.stride());
        for (j, row) in later.chunks_exact_mut(stride).enumerate() {
            (0..n).for_each(|k| row[k] = own[k * stride + np + j]);
        }
        for (row, lower) in own.chunks_exact_mut(stride).zip(lower.chunks_exact(lp)) {
            row[np..].copy_from_slice(lower);
        }
    }

    /// x ← L⁻¹ x for the own unknowns; what they take off the later equations, in `work.later`.
    #[inline(always)]
    pub(super) fn forward(&self, values: &[f64], pivots: &[usize], own: &mut [f64], work: &mut Work) {
        match self.n {
            3 => self.forward_few::<3>(values, pivots, own, work),
            5 => self.forward_few::<5>(values, pivots, own, work),
            6 => self.forward_few::<6>(values, pivots, own, work),
            _ => self.forward_own(values, pivots, own, work),
        }
    }

    #[inline(always)]
    fn forward_own(&self, values: &[f64], pivots: &[usize], own: &mut [f64], work: &mut Work) {
        let (n, np, lp, stride) = (self.n, self.padded_own(), self.padded_later(), self.stride());
        for (k, &pivot) in pivots[..n].iter().enumerate() {
            own.swap(k, pivot);
        }
        for i in 1..n {
            let (done, rest) = own.split_at_mut(i);
            rest[0] -= dot(&values[i * stride..i * stride + i], done);
        }
        let part = &mut work.later[..lp];
        part.fill(0.0);
        for (row, x) in values.chunks_exact(stride.max(1)).zip(&own[..n]) {
            add(part, *x, &row[np..]);
        }
    }

    /// The own unknowns from the later ones in `work.later`.
    #[inline(always)]
    pub(super) fn backward(&self, values: &[f64], own: &mut [f64], work: &mut Work) {
        match self.n {
            3 => self.backward_few::<3, 1>(values, own, work),
            5 => self.backward_few::<5, 2>(values, own, work),
            6 => self.backward_few::<6, 2>(values, own, work),
            _ => self.backward_own(values, own, work),
        }
    }

    #[inline(always)]
    fn backward_own(&self, values: &[f64], own: &mut [f64], work: &mut Work) {
        let (n, np, stride) = (self.n, self.padded_own(), self.stride());
        let part = &mut work.own[..np];
        part.fill(0.0);
        if n > 0 {
            for (row, x) in values[n * stride..].chunks_exact(stride).zip(&work.later[..self.l]) {
                add(part, *x, &row[..np]);
            }
        }
        for i in (0..n).rev() {
            let row = &values[i * stride..i * stride + n];
            let right = own[i] - part[i] - dot(&row[i + 1..], &own[i + 1..n]);
            own[i] = right * row[i];
        }
    }
}

/// The vector from this number on.
#[inline(always)]
pub(super) fn vector(values: &[f64], start: usize) -> Vector {
    *values[start..].first_chunk().expect("rows have whole vectors")
}

/// sums_ab ← sums_ab + factors_a right_b.
///
/// The loops over the numbers of a vector have no closures: where one is not inlined, it has no vectors.
#[inline(always)]
pub(super) fn add_products(sums: &mut [Vector; LANES], factors: &Vector, right: &Vector) {
    for (sums, factor) in sums.iter_mut().zip(factors) {
        for (sum, right) in sums.iter_mut().zip(right) {
            *sum += factor * right;
        }
    }
}

/// row ← row − sums.
#[inline(always)]
pub(super) fn take_off(row: &mut [f64], sums: &Vector) {
    for (x, sum) in row.iter_mut().zip(sums) {
        *x -= sum;
    }
}

/// to ← to − factor · from.
#[inline(always)]
pub(super) fn subtract_multiple(to: &mut Vector, factor: f64, from: &Vector) {
    for (to, from) in to.iter_mut().zip(from) {
        *to -= factor * from;
    }
}

/// to ← to − factor · from, whole vectors.
#[inline(always)]
fn subtract(to: &mut [f64], factor: f64, from: &[f64]) {
    let (to, from) = (to.as_chunks_mut::<LANES>().0, from.as_chunks::<LANES>().0);
    for (to, from) in to.iter_mut().zip(from) {
        subtract_multiple(to, factor, from);
    }
}

/// to ← to + factor · from, whole vectors.
#[inline(always)]
fn add(to: &mut [f64], factor: f64, from: &[f64]) {
    let (to, from) = (to.as_chunks_mut::<LANES>().0, from.as_chunks::<LANES>().0);
    for (to, from) in to.iter_mut().zip(from) {
        for (to, from) in to.iter_mut().zip(from) {
            *to += factor * from;
        }
    }
}
