//! Factors of a block matrix by fronts (multifrontal LU), and solutions with them.
//!
//! The front of a node is the dense matrix of its unknowns and those of the later nodes that it couples
//! with. Its blocks of the matrix and the remainders of earlier fronts are added up, its own unknowns are
//! eliminated with pivots among its own rows, and the remainder goes to the front of the next node.

use pulp::Arch;

use super::BlockPattern;
use super::elimination::Elimination;
use crate::dense::dot;

/// Factors of matrices of one [`BlockPattern`], with workspace. Nothing allocates after [`BlockLu::new`].
///
/// Everything is computed in one fixed order, so that results are the same bits on any number of threads.
#[derive(Debug, Clone, Default)]
pub struct BlockLu {
    fronts: Vec<Front>,
    /// All fronts, each row by row.
    values: Vec<f64>,
    /// Row of the front that became each pivot row.
    pivots: Vec<usize>,
    /// Number of the caller of each unknown, in the order of elimination.
    numbers: Vec<usize>,
    x: Vec<f64>,
    /// Unknowns of one front.
    local: Vec<f64>,
}

/// A front: where its parts are.
#[derive(Debug, Clone)]
struct Front {
    /// Start of its matrix in `values`.
    start: usize,
    /// Start of its own unknowns in the order of elimination, and their number.
    own: usize,
    n_own: usize,
    /// Rows of the front.
    size: usize,
    /// Start and length of the later nodes' unknowns in the order of elimination, one after the other.
    later: Vec<[usize; 2]>,
    /// Blocks of the matrix: number, first row and column in the front, rows, columns.
    blocks: Vec<(usize, [usize; 4])>,
    /// Front that takes the remainder, and where each later node begins there.
    parent: Option<usize>,
    places: Vec<usize>,
}

/// A block of a matrix to be written, zero at first.
#[derive(Debug)]
pub struct BlockMut<'a> {
    values: &'a mut [f64],
    stride: usize,
    columns: usize,
}

impl BlockMut<'_> {
    /// Row i of the block.
    pub fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.values[i * self.stride..i * self.stride + self.columns]
    }
}

impl BlockLu {
    /// Orders the nodes of a pattern and makes room for its factors.
    pub fn new(pattern: &BlockPattern) -> Self {
        let Elimination { order, later } = Elimination::new(pattern);
        let n = order.len();
        let mut place = vec![0; n];
        order.iter().enumerate().for_each(|(at, &node)| place[node] = at);
        let sizes: Vec<usize> = order.iter().map(|&node| pattern.unknowns[node].len()).collect();
        let mut starts = vec![0; n + 1];
        (0..n).for_each(|at| starts[at + 1] = starts[at] + sizes[at]);
        // First row of a node in the front at `at`.
        let row_in = |at: usize, other: usize| -> usize {
            let before = later[at].iter().take_while(|&&k| k != other).map(|&k| sizes[k]);
            if other == at { 0 } else { sizes[at] + before.sum::<usize>() }
        };
        let mut blocks = vec![Vec::new(); n];
        for (number, &[row, column]) in pattern.blocks.iter().enumerate() {
            let (row, column) = (place[row], place[column]);
            let at = row.min(column);
            let shape = [row_in(at, row), row_in(at, column), sizes[row], sizes[column]];
            blocks[at].push((number, shape));
        }
        let mut length = 0;
        let mut fronts = Vec::with_capacity(n);
        for (at, blocks) in blocks.into_iter().enumerate() {
            let size = sizes[at] + later[at].iter().map(|&k| sizes[k]).sum::<usize>();
            let parent = later[at].first().copied();
            let places = parent.map_or_else(Vec::new, |parent| {
                later[at].iter().map(|&other| row_in(parent, other)).collect()
            });
            let spans = later[at].iter().map(|&k| [starts[k], sizes[k]]).collect();
            let (own, n_own) = (starts[at], sizes[at]);
            fronts.push(Front { start: length, own, n_own, size, later: spans, blocks, parent, places });
            length += size * size;
        }
        let most = fronts.iter().map(|front| front.size).max().unwrap_or(0);
        Self {
            fronts,
            values: vec![0.0; length],
            pivots: vec![0; starts[n]],
            numbers: order.iter().flat_map(|&node| pattern.unknowns[node].iter().copied()).collect(),
            x: vec![0.0; starts[n]],
            local: vec![0.0; most],
        }
    }

    /// Factorises the matrix whose blocks `write` writes, each by its number in the pattern.
    pub fn factorise(&mut self, mut write: impl FnMut(usize, BlockMut<'_>)) {
        self.values.fill(0.0);
        for front in &self.fronts {
            for &(number, [row, column, rows, columns]) in &front.blocks {
                if rows * columns > 0 {
                    let start = front.start + row * front.size + column;
                    let end = start + (rows - 1) * front.size + columns;
                    let values = &mut self.values[start..end];
                    write(number, BlockMut { values, stride: front.size, columns });
                }
            }
        }
        Arch::new().dispatch(
            #[inline(always)]
            || self.eliminate(),
        );
    }

    /// Eliminates the unknowns of all fronts, one after the other.
    #[inline(always)]
    fn eliminate(&mut self) {
        for front in &self.fronts {
            let (own, after) = self.values[front.start..].split_at_mut(front.size * front.size);
            eliminate(own, front.size, &mut self.pivots[front.own..front.own + front.n_own]);
            if let Some(parent) = front.parent {
                let parent = &self.fronts[parent];
                let offset = parent.start - front.start - front.size * front.size;
                front.add_remainder(own, &mut after[offset..], parent.size);
            }
        }
    }

    /// Solves for one right-hand side and hands the unknowns over; not finite for a singular matrix.
    ///
    /// * `right` — called once for each equation
    /// * `take` — called with number and value of each unknown
    pub fn solve(&mut self, right: impl Fn(usize) -> f64, mut take: impl FnMut(usize, f64)) {
        let Self { fronts, values, pivots, numbers, x, local } = self;
        x.iter_mut().zip(&*numbers).for_each(|(x, &number)| *x = right(number));
        Arch::new().dispatch(
            #[inline(always)]
            || {
                for front in &*fronts {
                    front.solve_forward(&values[front.start..], pivots, x);
                }
                for front in fronts.iter().rev() {
                    front.solve_backward(&values[front.start..], x, local);
                }
            },
        );
        x.iter().zip(&*numbers).for_each(|(&x, &number)| take(number, x));
    }
}

impl Front {
    /// Adds what remains of this front after the elimination of its own unknowns to that of its parent.
    #[inline(always)]
    fn add_remainder(&self, own: &[f64], parent: &mut [f64], parent_size: usize) {
        let mut row = self.n_own;
        for (&[_, rows], &to_row) in self.later.iter().zip(&self.places) {
            for i in 0..rows {
                let from = &own[(row + i) * self.size..(row + i + 1) * self.size];
                let to = &mut parent[(to_row + i) * parent_size..(to_row + i + 1) * parent_size];
                let mut column = self.n_own;
                for (&[_, columns], &to_column) in self.later.iter().zip(&self.places) {
                    let to = &mut to[to_column..to_column + columns];
                    to.iter_mut().zip(&from[column..column + columns]).for_each(|(to, from)| *to += from);
                    column += columns;
                }
            }
            row += rows;
        }
    }

    /// x ← L⁻¹ x for the own unknowns, and their part in the later equations.
    #[inline(always)]
    fn solve_forward(&self, values: &[f64], pivots: &[usize], x: &mut [f64]) {
        let (before, after) = x.split_at_mut(self.own + self.n_own);
        let own = &mut before[self.own..];
        for (k, &pivot) in pivots[self.own..self.own + self.n_own].iter().enumerate() {
            own.swap(k, pivot);
        }
        for i in 1..self.n_own {
            let (done, rest) = own.split_at_mut(i);
            rest[0] -= dot(&values[i * self.size..i * self.size + i], done);
        }
        let mut row = self.n_own;
        for &[start, length] in &self.later {
            let start = start - self.own - self.n_own;
            for x in &mut after[start..start + length] {
                *x -= dot(&values[row * self.size..row * self.size + self.n_own], own);
                row += 1;
            }
        }
    }

    /// The own unknowns from the later ones.
    #[inline(always)]
    fn solve_backward(&self, values: &[f64], x: &mut [f64], local: &mut [f64]) {
        let n = self.n_own;
        let mut at = n;
        for &[start, length] in &self.later {
            local[at..at + length].copy_from_slice(&x[start..start + length]);
            at += length;
        }
        for i in (0..n).rev() {
            let row = &values[i * self.size..(i + 1) * self.size];
            local[i] = (x[self.own + i] - dot(&row[i + 1..], &local[i + 1..self.size])) / row[i];
        }
        x[self.own..self.own + n].copy_from_slice(&local[..n]);
    }
}

/// Eliminates the first unknowns of a front of `size` rows, one for each entry of `pivots`, with the largest
/// pivot among their rows that are left: first the own rows, then the others, each in one pass.
#[inline(always)]
fn eliminate(values: &mut [f64], size: usize, pivots: &mut [usize]) {
    let n = pivots.len();
    // A node without unknowns may have an empty front.
    if n == 0 {
        return;
    }
    let (own, later) = values.split_at_mut(n * size);
    for k in 0..n {
        let mut best = k;
        for i in k + 1..n {
            if own[i * size + k].abs() > own[best * size + k].abs() {
                best = i;
            }
        }
        pivots[k] = best;
        let (above, below) = own.split_at_mut((k + 1) * size);
        if best != k {
            let other = (best - k - 1) * size;
            above[k * size..].swap_with_slice(&mut below[other..other + size]);
        }
        let pivot_row = &above[k * size + k..];
        let inverse = 1.0 / pivot_row[0];
        for row in below.chunks_exact_mut(size) {
            let factor = row[k] * inverse;
            // Where bodies and multipliers do not couple, rows have many zeros.
            if factor != 0.0 {
                row[k] = factor;
                row[k + 1..].iter_mut().zip(&pivot_row[1..]).for_each(|(x, p)| *x -= factor * p);
            }
        }
    }
    for row in later.chunks_exact_mut(size) {
        let (factors, rest) = row.split_at_mut(n);
        for k in 0..n {
            let pivot_row = &own[k * size..k * size + n];
            let factor = factors[k] / pivot_row[k];
            factors[k] = factor;
            if factor != 0.0 {
                factors[k + 1..].iter_mut().zip(&pivot_row[k + 1..]).for_each(|(x, p)| *x -= factor * p);
            }
        }
        take_off_products(factors, own, size, rest);
    }
}

/// Subtracts from a row of a front the product of its factors with the own rows behind their unknowns, some
/// columns at a time, which stay in registers.
#[inline(always)]
fn take_off_products(factors: &[f64], own: &[f64], size: usize, rest: &mut [f64]) {
    const LANES: usize = 4;
    let n = factors.len();
    let (lanes, tail) = rest.as_chunks_mut::<LANES>();
    for (at, out) in lanes.iter_mut().enumerate() {
        let column = n + LANES * at;
        let mut sums = *out;
        for (factor, row) in factors.iter().zip(own.chunks_exact(size)) {
            let row = &row[column..column + LANES];
            (0..LANES).for_each(|k| sums[k] -= factor * row[k]);
        }
        *out = sums;
    }
    let column = size - tail.len();
    for (k, out) in tail.iter_mut().enumerate() {
        for (factor, row) in factors.iter().zip(own.chunks_exact(size)) {
            *out -= factor * row[column + k];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DenseLu;
    use crate::blocks::BlockKind;

    /// Bodies of two to four unknowns in a ring with a branch to the ground, on joints of two multipliers:
    /// entries by a formula, those of the bodies dominant and those of the joints zero.
    #[test]
    fn solutions_agree_with_the_dense_ones() {
        let joints: [&[usize]; 6] = [&[0, 1], &[1, 2], &[2, 3], &[3, 0], &[3, 4], &[4]];
        let sizes = [3, 4, 2, 4, 3, 2, 2, 2, 2, 2, 2];
        // Numbers of a node need not be neighbours: 5 has no common factor with 28.
        let mut next = 0;
        let mut number = || {
            next += 1;
            (5 * next) % 28
        };
        let unknowns: Vec<Vec<usize>> =
            sizes.iter().map(|&size| (0..size).map(|_| number()).collect()).collect();
        let mut kinds = vec![BlockKind::Free; 5];
        let mut blocks: Vec<[usize; 2]> = (0..5).map(|body| [body, body]).collect();
        for (k, bodies) in joints.iter().enumerate() {
            kinds.push(BlockKind::Constraint { grounded: bodies.len() == 1 });
            blocks.extend(bodies.iter().flat_map(|&body| [[body, 5 + k], [5 + k, body]]));
        }
        let pattern = BlockPattern { unknowns, kinds, blocks };
        let entry = |block: usize, i: usize, j: usize| {
            let [row, column] = pattern.blocks[block];
            let off = ((13 * row + 7 * column + 5 * i + 3 * j) % 17) as f64 / 17.0 - 0.4;
            off + if row == column && i == j { 6.0 } else { 0.0 }
        };
        let mut dense = vec![[0.0; 28]; 28];
        for (block, &[row, column]) in pattern.blocks.iter().enumerate() {
            for (i, &equation) in pattern.unknowns[row].iter().enumerate() {
                for (j, &unknown) in pattern.unknowns[column].iter().enumerate() {
                    dense[equation][unknown] = entry(block, i, j);
                }
            }
        }
        let right = |i: usize| (i as f64).sin();
        let mut truth = DenseLu::default();
        assert!(truth.solve_system(28, |i, j| dense[i][j], right));
        let mut lu = BlockLu::new(&pattern);
        for _ in 0..2 {
            lu.factorise(|block, mut out| {
                let rows = pattern.unknowns[pattern.blocks[block][0]].len();
                for i in 0..rows {
                    out.row_mut(i).iter_mut().enumerate().for_each(|(j, x)| *x = entry(block, i, j));
                }
            });
            lu.solve(right, |i, x| assert!((x / truth.x(i) - 1.0).abs() < 1e-9, "{i}: {x} {}", truth.x(i)));
        }
    }
}
