//! Semi-smooth Newton's method for min(z, w) = 0 with any M whose entries are known: primal-dual active sets.

use carom_linalg::DenseLu;
use faer::linalg::solvers::Solve;
use faer::sparse::{SparseColMat, Triplet};
use faer::{Mat, Side};

use super::operator::{Entries, Operator, Sparse, product_plus};
use super::outcome::{Stop, Trial, natural};

/// Sets tried.
const MAX_SETS: usize = 400;
/// Exchanges of whole sets that may pass without fewer errors of sign.
const PATIENCE: usize = 8;
/// Unknowns of which all bases are tried.
const ALL_BASES: usize = 12;

/// Block pivoting with one set of memory for all solves.
///
/// ```text
/// A = {i : z_i > 0 or w_i < 0}:   M_AA z_A = −q_A,  z_I = 0,  w_I = q_I + M_IA z_A
/// ```
///
/// That is Newton's method for min(z, w) = 0. Where the number of wrong signs does not fall for some sets,
/// only the last wrong index changes sides, which ends for every P-matrix.
///
/// # Source
///
/// Kostreva (1978), Linear Algebra Appl. 21, 265–274 (block pivoting); Murty (1974), Opsearch 11 (last
/// index).
#[derive(Default)]
pub(super) struct BlockPivoting {
    lu: DenseLu<f64>,
    active: Vec<u32>,
    next: Vec<u32>,
    place: Vec<u32>,
}

impl BlockPivoting {
    pub(super) fn resize(&mut self, n: usize) {
        // `reserve` counts from the length.
        for set in [&mut self.active, &mut self.next] {
            set.clear();
            set.reserve(n);
        }
        self.place.resize(n, 0);
    }

    /// Starts from the positive entries of z. Dense blocks allocate nothing after a first solve of this size;
    /// sparse ones do.
    pub(super) fn solve(
        &mut self,
        m: &dyn Operator,
        q: &[f64],
        z: &mut [f64],
        w: &mut [f64],
        symmetric: bool,
    ) -> Trial {
        let n = q.len();
        if matches!(m.entries(), Entries::Product) {
            return Trial { iterations: 0, stop: Stop::Unfit };
        }
        self.resize(n);
        if let (Entries::Sparse(sparse), true) = (m.entries(), z.iter().all(|z| *z == 0.0)) {
            approach(sparse, q, z, symmetric);
        }
        let noise = 1e-14 * super::operator::largest(q.iter().copied());
        self.active.clear();
        self.active.extend((0..n as u32).filter(|&i| z[i as usize] > 0.0));
        let (mut fewest, mut patience) = (n + 1, PATIENCE);
        for iterations in 1..=MAX_SETS {
            if !self.solve_active(m, q, z, symmetric) {
                z.iter_mut().for_each(|z| *z = 0.0);
                product_plus(m, q, z, w);
                return Trial { iterations, stop: Stop::Singular };
            }
            product_plus(m, q, z, w);
            let wrong = self.exchange(z, w, noise);
            if wrong == 0 {
                z.iter_mut().for_each(|z| *z = z.max(0.0));
                product_plus(m, q, z, w);
                return Trial { iterations, stop: Stop::Done };
            }
            if wrong < fewest {
                (fewest, patience) = (wrong, PATIENCE);
            } else if patience > 0 {
                patience -= 1;
            } else {
                self.exchange_last(z, w, noise);
            }
            std::mem::swap(&mut self.active, &mut self.next);
        }
        Trial { iterations: MAX_SETS, stop: Stop::Limit }
    }

    /// Tries all 2ⁿ bases, n ≤ 12; keeps the first whose natural residual, for which z counts times the size
    /// of M, is at most `accepted`.
    pub(super) fn enumerate(
        &mut self,
        m: &dyn Operator,
        q: &[f64],
        z: &mut [f64],
        w: &mut [f64],
        (size, accepted): (f64, f64),
    ) -> Trial {
        let n = q.len();
        if n > ALL_BASES || matches!(m.entries(), Entries::Product) {
            return Trial { iterations: 0, stop: Stop::Unfit };
        }
        self.resize(n);
        for basis in 0..1_usize << n {
            self.active.clear();
            self.active.extend((0..n as u32).filter(|&i| basis >> i & 1 == 1));
            if self.solve_active(m, q, z, false) {
                z.iter_mut().for_each(|z| *z = z.max(0.0));
                product_plus(m, q, z, w);
                if natural(size, z, w) <= accepted {
                    return Trial { iterations: basis + 1, stop: Stop::Done };
                }
            }
        }
        z.fill(0.0);
        product_plus(m, q, z, w);
        Trial { iterations: 1 << n, stop: Stop::NoBasis }
    }

    /// The next set into `next`; returns how many indices change sides.
    fn exchange(&mut self, z: &[f64], w: &[f64], noise: f64) -> usize {
        let mut wrong = 0;
        self.next.clear();
        let mut active = self.active.iter().peekable();
        for i in 0..z.len() {
            let was_active = active.next_if(|&&a| a as usize == i).is_some();
            let is_active = if was_active { z[i] > 0.0 } else { w[i] < -noise };
            wrong += usize::from(was_active != is_active && (!was_active || z[i] < 0.0));
            if is_active {
                self.next.push(i as u32);
            }
        }
        wrong
    }

    /// The next set differs from the present one by the last wrong index only.
    fn exchange_last(&mut self, z: &[f64], w: &[f64], noise: f64) {
        self.next.clone_from(&self.active);
        let wrong = |&i: &usize| match self.active.binary_search(&(i as u32)) {
            Ok(_) => z[i] < 0.0,
            Err(_) => w[i] < -noise,
        };
        if let Some(i) = (0..z.len()).rev().find(wrong) {
            match self.next.binary_search(&(i as u32)) {
                Ok(k) => drop(self.next.remove(k)),
                Err(k) => self.next.insert(k, i as u32),
            }
        }
    }

    /// z_A from the active block, zero elsewhere; false if the block is singular.
    fn solve_active(&mut self, m: &dyn Operator, q: &[f64], z: &mut [f64], symmetric: bool) -> bool {
        z.fill(0.0);
        let active = &self.active;
        let at = |k: usize| active[k] as usize;
        match m.entries() {
            Entries::Dense(m) => {
                if !self.lu.solve_system(active.len(), |a, b| m.at(at(a), at(b)), |a| -q[at(a)]) {
                    return false;
                }
                (0..active.len()).for_each(|k| z[at(k)] = self.lu.x(k));
                true
            }
            Entries::Sparse(m) => {
                self.place.fill(u32::MAX);
                active.iter().enumerate().for_each(|(k, &i)| self.place[i as usize] = k as u32);
                let rhs = Mat::from_fn(active.len(), 1, |k, _| -q[at(k)]);
                let Some(x) = solve_sparse(m, active, &self.place, rhs, symmetric, |_| 0.0) else {
                    return false;
                };
                (0..active.len()).for_each(|k| z[at(k)] = x[(k, 0)]);
                true
            }
            Entries::Product => false,
        }
    }
}

/// A first set for sparse M, as the positive entries of z: solutions with negative z penalised ever more.
///
/// ```text
/// (M + c D χ) z = −q,   D = diag M,   χ_i = 1 where z_i < 0;   c = 1/n², 16/n², … 1
/// ```
///
/// Active sets alone gain one neighbour in each step where M is a second difference, as many steps as
/// unknowns. The boundary of the penalised solution moves over the width 1/√c at once; it takes a few steps
/// for each c, whatever n is.
///
/// # Source
///
/// Hintermüller & Kunisch (2006), SIAM J. Control Optim. 45(4), 1198–1221 (path-following).
fn approach(m: &Sparse, q: &[f64], z: &mut [f64], symmetric: bool) {
    const PASSES: usize = 6;
    let n = q.len();
    let all: Vec<u32> = (0..n as u32).collect();
    let mut penalised = vec![true; n];
    let mut penalty = 1.0 / (n * n).max(1) as f64;
    while penalty <= 1.0 {
        for _ in 0..PASSES {
            let added = |i: usize| if penalised[i] { penalty * m.at(i, i) } else { 0.0 };
            let rhs = Mat::from_fn(n, 1, |i, _| -q[i]);
            let Some(x) = solve_sparse(m, &all, &all, rhs, symmetric, added) else {
                z.fill(0.0);
                return;
            };
            let mut changes = 0;
            for i in 0..n {
                z[i] = x[(i, 0)].max(0.0);
                let negative = x[(i, 0)] < 0.0;
                changes += usize::from(negative != penalised[i]);
                penalised[i] = negative;
            }
            if changes == 0 {
                break;
            }
        }
        penalty *= 16.0;
    }
}

/// M_AA⁻¹ b by a sparse Cholesky factor, or an LU factor where that fails; `None` if M_AA is singular.
///
/// * `active` — A, ascending
/// * `place` — position in A of each unknown, `u32::MAX` outside
/// * `added` — added to the diagonal, by position in A
fn solve_sparse(
    m: &Sparse,
    active: &[u32],
    place: &[u32],
    rhs: Mat<f64>,
    symmetric: bool,
    added: impl Fn(usize) -> f64,
) -> Option<Mat<f64>> {
    if active.is_empty() {
        return Some(rhs);
    }
    let mut triplets = Vec::new();
    for (a, &i) in active.iter().enumerate() {
        let (columns, values) = m.row(i as usize);
        for (&j, &value) in columns.iter().zip(values) {
            if place[j as usize] != u32::MAX {
                triplets.push(Triplet::new(a, place[j as usize] as usize, value));
            }
        }
        triplets.push(Triplet::new(a, a, added(a)));
    }
    let k = active.len();
    let block = SparseColMat::<usize, f64>::try_new_from_triplets(k, k, &triplets).ok()?;
    let x = match symmetric.then(|| block.sp_cholesky(Side::Lower)) {
        Some(Ok(factor)) => factor.solve(&rhs),
        _ => block.sp_lu().ok()?.solve(&rhs),
    };
    (0..k).all(|i| x[(i, 0)].is_finite()).then_some(x)
}
