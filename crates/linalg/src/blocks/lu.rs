//! Factors of a block matrix by fronts (multifrontal LU), and solutions with them.
//!
//! The front of a node, or of a few nodes, is the dense matrix of their unknowns and those of the later nodes
//! that they couple with. Its blocks of the matrix and the remainders of earlier fronts are added up, its
//! own unknowns are eliminated with pivots among its own rows, and the remainder goes to the front of the
//! next node.

use std::ops::Range;

use pulp::{Arch, Simd, WithSimd};

use super::BlockPattern;
use super::elimination::Elimination;
use super::front::{Shape, Work};
use super::supernodes::Supernodes;

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
    /// Places in the order of elimination of the later unknowns of each front, one front after the other.
    later: Vec<usize>,
    /// Number of the caller of each unknown, in the order of elimination.
    numbers: Vec<usize>,
    x: Vec<f64>,
    work: Work,
}

/// A front: where its parts are.
#[derive(Debug, Clone)]
struct Front {
    /// Start of its matrix in `values`.
    start: usize,
    shape: Shape,
    /// Start of its own unknowns in the order of elimination.
    own: usize,
    /// Where the places of its later unknowns are in [`BlockLu::later`].
    later: Range<usize>,
    /// Blocks of the matrix: number, first row and column in the front, rows, columns.
    blocks: Vec<(usize, [usize; 4])>,
    /// Front that takes the remainder.
    parent: Option<usize>,
    /// Its later unknowns in the parent, in spans: first row and column there, and number.
    places: Vec<[usize; 3]>,
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
    #[inline]
    pub fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.values[i * self.stride..i * self.stride + self.columns]
    }
}

impl BlockLu {
    /// Orders the nodes of a pattern and makes room for its factors.
    pub fn new(pattern: &BlockPattern) -> Self {
        let sizes_of = |node: usize| pattern.unknowns[node].len();
        let Supernodes { order, own, later } = Supernodes::new(Elimination::new(pattern), sizes_of);
        let (n, n_fronts) = (order.len(), own.len());
        let mut place = vec![0; n];
        order.iter().enumerate().for_each(|(at, &node)| place[node] = at);
        let sizes: Vec<usize> = order.iter().map(|&node| sizes_of(node)).collect();
        let mut starts = vec![0; n + 1];
        (0..n).for_each(|at| starts[at + 1] = starts[at] + sizes[at]);
        let mut front_of = vec![0; n];
        own.iter().enumerate().for_each(|(front, nodes)| front_of[nodes.clone()].fill(front));
        let of_own = |front: usize| starts[own[front].end] - starts[own[front].start];
        // First row of the node at a place in a front.
        let row_in = |front: usize, at: usize| -> usize {
            if front_of[at] == front {
                return starts[at] - starts[own[front].start];
            }
            let before = later[front].iter().take_while(|&&k| k != at).map(|&k| sizes[k]);
            of_own(front) + before.sum::<usize>()
        };
        let of_later = |front: usize| later[front].iter().map(|&k| sizes[k]).sum();
        let shapes: Vec<Shape> = (0..n_fronts).map(|at| Shape::new(of_own(at), of_later(at))).collect();
        let mut blocks = vec![Vec::new(); n_fronts];
        for (number, &[row, column]) in pattern.blocks.iter().enumerate() {
            let (row, column) = (place[row], place[column]);
            let at = front_of[row.min(column)];
            let first_column = shapes[at].column(row_in(at, column));
            blocks[at].push((number, [row_in(at, row), first_column, sizes[row], sizes[column]]));
        }
        let mut length = 0;
        let (mut fronts, mut all_later) = (Vec::with_capacity(n_fronts), Vec::new());
        for (at, blocks) in blocks.into_iter().enumerate() {
            let parent = later[at].first().map(|&first| front_of[first]);
            let first_later = all_later.len();
            all_later.extend(later[at].iter().flat_map(|&k| starts[k]..starts[k] + sizes[k]));
            let places = parent.map_or_else(Vec::new, |parent| {
                let spans = later[at].iter().map(|&other| [row_in(parent, other), sizes[other]]);
                let spans = joined(spans, of_own(parent)).into_iter();
                spans.map(|[row, length]| [row, shapes[parent].column(row), length]).collect()
            });
            let (shape, own) = (shapes[at], starts[own[at].start]);
            fronts.push(Front {
                start: length,
                shape,
                own,
                later: first_later..all_later.len(),
                blocks,
                parent,
                places,
            });
            length += shape.length();
        }
        Self {
            fronts,
            values: vec![0.0; length],
            pivots: vec![0; starts[n]],
            later: all_later,
            numbers: order.iter().flat_map(|&node| pattern.unknowns[node].iter().copied()).collect(),
            x: vec![0.0; starts[n]],
            work: Work::new(&shapes),
        }
    }

    /// Factorises the matrix whose blocks `write` writes, each by its number in the pattern.
    pub fn factorise(&mut self, mut write: impl FnMut(usize, BlockMut<'_>)) {
        self.values.fill(0.0);
        for front in &self.fronts {
            let stride = front.shape.stride();
            for &(number, [row, column, rows, columns]) in &front.blocks {
                if rows * columns > 0 {
                    let start = front.start + row * stride + column;
                    let end = start + (rows - 1) * stride + columns;
                    write(number, BlockMut { values: &mut self.values[start..end], stride, columns });
                }
            }
        }
        let Self { fronts, values, pivots, work, .. } = self;
        Arch::new().dispatch(Eliminate { fronts, values, pivots, work });
    }

    /// Solves for one right-hand side and hands the unknowns over; not finite for a singular matrix.
    ///
    /// * `right` — called once for each equation
    /// * `take` — called with number and value of each unknown
    pub fn solve(&mut self, right: impl Fn(usize) -> f64, mut take: impl FnMut(usize, f64)) {
        let Self { fronts, values, pivots, later, numbers, x, work } = self;
        x.iter_mut().zip(&*numbers).for_each(|(x, &number)| *x = right(number));
        Arch::new().dispatch(Solve { fronts, values, pivots, later, x, work });
        x.iter().zip(&*numbers).for_each(|(&x, &number)| take(number, x));
    }
}

/// Eliminates the unknowns of all fronts, one after the other.
///
/// A type of its own: only code that is compiled into [`WithSimd::with_simd`] has the vectors of the machine,
/// and the call of a closure may stay outside of it.
struct Eliminate<'a> {
    fronts: &'a [Front],
    values: &'a mut [f64],
    pivots: &'a mut [usize],
    work: &'a mut Work,
}

impl WithSimd for Eliminate<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        for front in self.fronts {
            let (own, after) = self.values[front.start..].split_at_mut(front.shape.length());
            front.shape.eliminate(own, &mut self.pivots[front.own..], self.work);
            if let Some(parent) = front.parent {
                let parent = &self.fronts[parent];
                let offset = parent.start - front.start - front.shape.length();
                front.add_remainder(own, &mut after[offset..], &parent.shape);
            }
        }
    }
}

/// x ← the solution for the right-hand side x, both in the order of elimination.
struct Solve<'a> {
    fronts: &'a [Front],
    values: &'a [f64],
    pivots: &'a [usize],
    later: &'a [usize],
    x: &'a mut [f64],
    work: &'a mut Work,
}

impl WithSimd for Solve<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { values, pivots, later, x, work, .. } = self;
        for front in self.fronts {
            let (shape, own) = (&front.shape, front.own..front.own + front.shape.own());
            shape.forward(&values[front.start..], &pivots[own.clone()], &mut x[own], work);
            let later = later[front.later.clone()].iter().zip(&work.later);
            later.for_each(|(&at, part)| x[at] -= part);
        }
        for front in self.fronts.iter().rev() {
            let (shape, own) = (&front.shape, front.own..front.own + front.shape.own());
            let later = later[front.later.clone()].iter().zip(&mut work.later);
            later.for_each(|(&at, value)| *value = x[at]);
            shape.backward(&values[front.start..], &mut x[own], work);
        }
    }
}

impl Front {
    /// Adds what remains of this front after the elimination of its own unknowns to that of its parent.
    #[inline(always)]
    fn add_remainder(&self, own: &[f64], parent: &mut [f64], of_parent: &Shape) {
        let mut row = 0;
        for &[first, _, rows] in &self.places {
            for to_row in first..first + rows {
                let mut from = self.shape.remainder(own, row);
                let to = &mut parent[to_row * of_parent.stride()..][..of_parent.stride()];
                for &[_, column, columns] in &self.places {
                    let (now, rest) = from.split_at(columns);
                    add(&mut to[column..column + columns], now);
                    from = rest;
                }
                row += 1;
            }
        }
    }
}

/// to ← to + from, of the same length: mostly the three rows of a joint, or the six velocities of a body.
#[inline(always)]
fn add(to: &mut [f64], from: &[f64]) {
    match to.len() {
        3 => add_few::<3>(to, from),
        6 => add_few::<6>(to, from),
        _ => to.iter_mut().zip(from).for_each(|(to, from)| *to += from),
    }
}

#[inline(always)]
fn add_few<const N: usize>(to: &mut [f64], from: &[f64]) {
    if let (Some(to), Some(from)) = (to.first_chunk_mut::<N>(), from.first_chunk::<N>()) {
        (0..N).for_each(|i| to[i] += from[i]);
    }
}

/// Spans of numbers, those that continue the one before joined with it, except at `first_later`.
fn joined(spans: impl Iterator<Item = [usize; 2]>, first_later: usize) -> Vec<[usize; 2]> {
    let mut all: Vec<[usize; 2]> = Vec::new();
    for [start, length] in spans {
        match all.last_mut() {
            Some([first, n]) if *first + *n == start && start != first_later => *n += length,
            _ => all.push([start, length]),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DenseLu;
    use crate::blocks::BlockKind;

    #[test]
    fn solutions_agree_with_the_dense_ones() {
        agrees_with_a_dense_solution([3, 4, 2, 4, 3, 2, 2, 2, 2, 2, 2]);
        // Rigid bodies and joints of three, five and six rows, whose loops are unrolled, and a body with
        // modes.
        agrees_with_a_dense_solution([6, 6, 11, 6, 6, 2, 2, 2, 2, 6, 3]);
        agrees_with_a_dense_solution([6, 6, 7, 6, 6, 3, 3, 3, 3, 5, 3]);
    }

    /// A cube of balls that touch their neighbours, whose fronts have several nodes; the largest coupling is
    /// that of a layer of balls.
    #[test]
    fn fronts_of_several_nodes_have_the_dense_solution() {
        const SIDE: usize = 4;
        let bodies = SIDE * SIDE * SIDE;
        let at = |k: usize| [k % SIDE, k / SIDE % SIDE, k / (SIDE * SIDE)];
        let step = |a: usize, b: usize| (0..3).map(|d| at(a)[d].abs_diff(at(b)[d])).sum::<usize>();
        let pairs: Vec<[usize; 2]> =
            (0..bodies).flat_map(|a| (0..a).map(move |b| [b, a])).filter(|&[a, b]| step(a, b) == 1).collect();
        let sizes = [vec![6; bodies], vec![3; pairs.len()]].concat();
        let mut kinds = vec![BlockKind::Free; bodies];
        let mut blocks: Vec<[usize; 2]> = (0..bodies).map(|body| [body, body]).collect();
        for (k, pair) in pairs.iter().enumerate() {
            let node = bodies + k;
            kinds.push(BlockKind::Constraint { grounded: false });
            blocks.push([node, node]);
            blocks.extend(pair.iter().flat_map(|&body| [[body, node], [node, body]]));
        }
        let (mut unknowns, mut next) = (Vec::new(), 0);
        for size in sizes {
            unknowns.push((next..next + size).collect());
            next += size;
        }
        let pattern = BlockPattern { unknowns, kinds, blocks };
        let lu = agrees_with_dense(&pattern);
        let nodes = pattern.unknowns.len();
        assert!(lu.fronts.len() < 2 * nodes / 3, "{} fronts of {nodes} nodes", lu.fronts.len());
    }

    /// Five bodies in a ring with a branch to the ground, and their six joints: entries by a formula, those
    /// of the bodies dominant and those of the joints zero.
    fn agrees_with_a_dense_solution(sizes: [usize; 11]) {
        let joints: [&[usize]; 6] = [&[0, 1], &[1, 2], &[2, 3], &[3, 0], &[3, 4], &[4]];
        let n: usize = sizes.iter().sum();
        assert_ne!(n % 5, 0);
        // Numbers of a node need not be neighbours: 5 has no common factor with n.
        let mut next = 0;
        let mut number = || {
            next += 1;
            (5 * next) % n
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
        agrees_with_dense(&pattern);
    }

    /// Solves with a matrix of a pattern, with dominant diagonal blocks, twice, and as a dense matrix.
    fn agrees_with_dense(pattern: &BlockPattern) -> BlockLu {
        let n: usize = pattern.unknowns.iter().map(Vec::len).sum();
        let entry = |block: usize, i: usize, j: usize| {
            let [row, column] = pattern.blocks[block];
            let off = ((13 * row + 7 * column + 5 * i + 3 * j) % 17) as f64 / 17.0 - 0.4;
            off + if row == column && i == j { 6.0 } else { 0.0 }
        };
        let mut dense = vec![vec![0.0; n]; n];
        for (block, &[row, column]) in pattern.blocks.iter().enumerate() {
            for (i, &equation) in pattern.unknowns[row].iter().enumerate() {
                for (j, &unknown) in pattern.unknowns[column].iter().enumerate() {
                    dense[equation][unknown] = entry(block, i, j);
                }
            }
        }
        let right = |i: usize| (i as f64).sin();
        let mut truth = DenseLu::default();
        assert!(truth.solve_system(n, |i, j| dense[i][j], right));
        let mut lu = BlockLu::new(pattern);
        for _ in 0..2 {
            lu.factorise(|block, mut out| {
                let rows = pattern.unknowns[pattern.blocks[block][0]].len();
                for i in 0..rows {
                    out.row_mut(i).iter_mut().enumerate().for_each(|(j, x)| *x = entry(block, i, j));
                }
            });
            lu.solve(right, |i, x| assert!((x / truth.x(i) - 1.0).abs() < 1e-9, "{i}: {x} {}", truth.x(i)));
        }
        lu
    }
}
