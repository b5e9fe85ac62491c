//! The linear part L of a rate, in coordinates of equal size, with its functions for steps of a ladder of
//! lengths.

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, Par};

use super::phi::{Phi, SMALL, add_product};
use crate::jacobian::Jacobian;

/// Sweeps of the scaling of coordinates: each brings rows and columns nearer to equal size.
const SWEEPS: usize = 12;

/// The linear part with its functions.
#[derive(Debug, Clone)]
pub(super) struct Linear {
    /// Components with an entry of L in their row or column: the functions of all others are those of zero.
    active: Vec<usize>,
    /// All other components.
    free: Vec<usize>,
    /// Size of each of them: powers of two.
    scale: Vec<f64>,
    /// L in units of the sizes.
    matrix: Mat<f64>,
    /// Its entries by columns, while it is scaled.
    entries: Vec<f64>,
    /// Workspace for powers of L.
    powers: [Mat<f64>; 2],
    /// Length of the shortest step of the ladder \[s\]; others are 2ᵏ times as long.
    pub(super) unit: f64,
    /// Functions of the rungs, of which the first ones are known.
    phi: Vec<Phi>,
    known: usize,
}

impl Linear {
    pub(super) fn new() -> Self {
        let (active, free, scale, phi) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let [matrix, first, second] = std::array::from_fn(|_| Mat::zeros(0, 0));
        let entries = Vec::new();
        Self { active, free, scale, matrix, entries, powers: [first, second], unit: 0.0, phi, known: 0 }
    }

    /// Takes the derivative of the rate.
    ///
    /// * `step` — a step that the ladder must have \[s\]; otherwise its steps are powers of two
    pub(super) fn set(&mut self, jacobian: &Jacobian, step: Option<f64>) {
        let (all, coupled) = (&jacobian.matrix, jacobian.coupled);
        let is_moved = |i: usize| i < coupled || (0..coupled).any(|j| all[(i, j)] != 0.0);
        let Self { active, free, scale, matrix, entries, powers: [first, second], .. } = self;
        active.clear();
        free.clear();
        for i in 0..all.nrows() {
            if is_moved(i) { active.push(i) } else { free.push(i) }
        }
        let n = active.len();
        if matrix.nrows() != n {
            [&mut *matrix, first, second].into_iter().for_each(|matrix| *matrix = Mat::zeros(n, n));
            self.phi.clear();
        }
        entries.clear();
        entries.resize(n * n, 0.0);
        for (out, &column) in entries.chunks_exact_mut(n.max(1)).zip(&*active) {
            if column < coupled {
                let derivative = all.col(column);
                out.iter_mut().zip(&*active).for_each(|(out, &row)| *out = derivative[row]);
            }
        }
        scale.clear();
        scale.resize(n, 1.0);
        balance(entries, scale);
        for (column, entries) in matrix.col_iter_mut().zip(entries.chunks_exact(n.max(1))) {
            column.iter_mut().zip(entries).for_each(|(out, entry)| *out = *entry);
        }
        let most = SMALL / self.growth().max(f64::MIN_POSITIVE);
        self.unit = match step {
            Some(step) => step * 2.0_f64.powi((most / step).log2().floor().min(0.0) as i32),
            None => 2.0_f64.powi(most.log2().floor().clamp(-1000.0, 1000.0) as i32),
        };
        self.known = 0;
    }

    /// A bound of the growth of powers of L from the fourth on, max(‖L⁴‖^(1/4), ‖L⁵‖^(1/5)): the norm of a
    /// dense matrix is far above it (Al-Mohy & Higham 2009, SIAM J. Matrix Anal. Appl. 31, 970–989; terms of
    /// the series that are left out have powers above 4 · 3).
    fn growth(&mut self) -> f64 {
        let norm = |a: &Mat<f64>| {
            a.col_iter().map(|column| column.iter().map(|x| x.abs()).sum()).fold(0.0_f64, f64::max)
        };
        let multiply = |out: &mut Mat<f64>, a: &Mat<f64>, b: &Mat<f64>| {
            matmul(out.as_mut(), Accum::Replace, a, b, 1.0, Par::Seq);
        };
        let Self { matrix, powers: [first, second], .. } = self;
        multiply(first, matrix, matrix);
        multiply(second, first, first);
        multiply(first, second, matrix);
        norm(second).powf(0.25).max(norm(first).powf(0.2)).min(norm(matrix))
    }

    /// Number of components that it couples.
    pub(super) fn len(&self) -> usize {
        self.active.len()
    }

    /// Numbers of the components that it couples.
    pub(super) fn active(&self) -> &[usize] {
        &self.active
    }

    /// The components without a linear part.
    pub(super) fn free(&self) -> &[usize] {
        &self.free
    }

    /// Number of rungs whose functions are known.
    pub(super) fn rungs(&self) -> usize {
        self.known
    }

    /// The longest step of the ladder that is not longer than h, as a power of two of the unit; negative for
    /// steps below it.
    pub(super) fn rung_below(&self, h: f64) -> i32 {
        (h / self.unit).log2().floor().clamp(-1.0, 1000.0) as i32
    }

    /// Its length \[s\].
    pub(super) fn length(&self, rung: i32) -> f64 {
        self.unit * 2.0_f64.powi(rung)
    }

    /// Computes the functions up to a rung.
    pub(super) fn extend(&mut self, rung: usize) {
        let Self { phi, known, matrix, unit, .. } = self;
        while phi.len() <= rung {
            phi.push(Phi::new(matrix.nrows()));
        }
        for next in *known..=rung {
            let (before, after) = phi.split_at_mut(next);
            match before.last() {
                Some(half) => after[0].set_doubled(half),
                None => after[0].set_small(matrix, *unit),
            }
        }
        *known = (rung + 1).max(*known);
    }

    /// out += factor φ_k(h L) x for the step of a rung, for which [`Linear::extend`] was called.
    pub(super) fn add_phi(&self, out: &mut [f64], factor: f64, (rung, k): (usize, usize), x: &[f64]) {
        add_product(out, factor, &self.phi[rung].0[k], x);
    }

    /// out += factor L x.
    pub(super) fn add_linear(&self, out: &mut [f64], factor: f64, x: &[f64]) {
        add_product(out, factor, &self.matrix, x);
    }

    /// The coupled components of v in units of their sizes.
    pub(super) fn gather(&self, v: &[f64], out: &mut [f64]) {
        for ((out, &i), scale) in out.iter_mut().zip(&self.active).zip(&self.scale) {
            *out = v[i] / scale;
        }
    }

    /// The coupled components of v − w in units of their sizes.
    pub(super) fn gather_difference(&self, (v, w): (&[f64], &[f64]), out: &mut [f64]) {
        for ((out, &i), scale) in out.iter_mut().zip(&self.active).zip(&self.scale) {
            *out = (v[i] - w[i]) / scale;
        }
    }

    /// Adds a vector in units of the sizes to v.
    pub(super) fn scatter_add(&self, x: &[f64], v: &mut [f64]) {
        for ((x, &i), scale) in x.iter().zip(&self.active).zip(&self.scale) {
            v[i] += scale * x;
        }
    }

    /// Size of a coupled component.
    pub(super) fn scale(&self, k: usize) -> f64 {
        self.scale[k]
    }
}

/// Scales rows and columns to nearly equal sums of absolute values, S⁻¹ L S with S of powers of two, as
/// positions and momenta differ by many orders. A component on which nothing depends has a column of zeros,
/// and one that depends on nothing a row of zeros: where the other of both sums exceeds the sums of all other
/// components, it is scaled down to them.
///
/// * `entries` — of L, by columns
/// * `scale` — diagonal of S, multiplied by the new factors
fn balance(entries: &mut [f64], scale: &mut [f64]) {
    let n = scale.len();
    let sums = |entries: &[f64], i: usize| {
        let row: f64 = entries.iter().skip(i).step_by(n).map(|x| x.abs()).sum();
        let column: f64 = entries[i * n..(i + 1) * n].iter().map(|x| x.abs()).sum();
        let own = entries[i * n + i].abs();
        [row - own, column - own]
    };
    let mut apply = |entries: &mut [f64], i: usize, factor: f64| {
        scale[i] *= factor;
        entries.iter_mut().skip(i).step_by(n).for_each(|entry| *entry /= factor);
        entries[i * n..(i + 1) * n].iter_mut().for_each(|entry| *entry *= factor);
    };
    let power = |ratio: f64| 2.0_f64.powi(ratio.log2().round().clamp(-1000.0, 1000.0) as i32);
    for _ in 0..SWEEPS {
        let mut is_balanced = true;
        for i in 0..n {
            let [row, column] = sums(entries, i);
            let factor = if row > 0.0 && column > 0.0 { power((row / column).sqrt()) } else { 1.0 };
            if factor != 1.0 {
                is_balanced = false;
                apply(entries, i, factor);
            }
        }
        if is_balanced {
            break;
        }
    }
    let one_sided = |[row, column]: [f64; 2]| (row > 0.0) != (column > 0.0);
    let norm = (0..n).map(|i| sums(entries, i)).filter(|&both| !one_sided(both));
    let norm = norm.map(|[row, column]| row.max(column)).fold(0.0, f64::max);
    for i in 0..n {
        let both @ [row, column] = sums(entries, i);
        let factor = if row > norm {
            row / norm
        } else if column > norm {
            norm / column
        } else {
            continue;
        };
        if one_sided(both) && norm > 0.0 {
            apply(entries, i, power(factor));
        }
    }
}
