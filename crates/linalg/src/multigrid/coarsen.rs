//! From one level to the next: prolongation by aggregates that move rigidly, smoothed once, and the Galerkin
//! product.

use rayon::prelude::*;

use super::aggregates::Aggregates;
use super::blocks::{Block, Blocks};

/// Rigid motions.
pub(super) const MOTIONS: usize = 6;

/// Damping of the step of Jacobi that smooths the prolongation, over the largest eigenvalue of D⁻¹A.
const DAMPING: f64 = 4.0 / 3.0;

/// A motion of an aggregate is dependent on the motions before it if no more than this part of it remains
/// orthogonal to them.
const DEPENDENT: f64 = 1e-9;

/// No column yet.
const NONE: u32 = u32::MAX;

/// Tentative prolongation Q, one block a node in the column of its aggregate, and the rigid motions of the
/// next level.
///
/// ```text
/// R_a = Q_a S_a,   Q_aᵀ Q_a = E
/// ```
///
/// with R_a the rows of the rigid motions over aggregate a. What an aggregate cannot do (the turns of a
/// single node) is a zero column.
pub(super) fn tentative<const B: usize>(
    aggregates: &Aggregates,
    motions: &[Block<B, MOTIONS>],
) -> (Vec<Block<B, MOTIONS>>, Vec<Block<MOTIONS, MOTIONS>>) {
    let mut q = vec![[[0.0; MOTIONS]; B]; motions.len()];
    let mut coarse = Vec::with_capacity(aggregates.len());
    let mut own: Vec<Block<B, MOTIONS>> = Vec::new();
    for aggregate in 0..aggregates.len() {
        own.clear();
        own.extend(aggregates.of(aggregate).iter().map(|&node| motions[node as usize]));
        coarse.push(orthonormalise(&mut own));
        for (&node, block) in aggregates.of(aggregate).iter().zip(&own) {
            q[node as usize] = *block;
        }
    }
    (q, coarse)
}

/// Gram and Schmidt, each column twice: R = Q S in place, returns S.
fn orthonormalise<const B: usize>(rows: &mut [Block<B, MOTIONS>]) -> Block<MOTIONS, MOTIONS> {
    let mut s = [[0.0; MOTIONS]; MOTIONS];
    let dot = |rows: &[Block<B, MOTIONS>], i: usize, j: usize| -> f64 {
        rows.iter().flatten().map(|row| row[i] * row[j]).sum()
    };
    for k in 0..MOTIONS {
        let before = dot(rows, k, k).sqrt();
        for _ in 0..2 {
            for j in 0..k {
                let part = dot(rows, j, k);
                s[j][k] += part;
                rows.iter_mut().flatten().for_each(|row| row[k] -= part * row[j]);
            }
        }
        let left = dot(rows, k, k).sqrt();
        let is_kept = left > DEPENDENT * before;
        s[k][k] = if is_kept { left } else { 0.0 };
        rows.iter_mut().flatten().for_each(|row| row[k] = if is_kept { row[k] / left } else { 0.0 });
    }
    s
}

/// The smoothed prolongation P = (E − ω D⁻¹ A) Q.
///
/// * `inverse_diagonal` — D⁻¹
/// * `largest` — largest eigenvalue of D⁻¹ A
pub(super) fn smoothed<const B: usize>(
    a: &Blocks<B, B>,
    inverse_diagonal: &[Block<B, B>],
    largest: f64,
    aggregates: &Aggregates,
    q: &[Block<B, MOTIONS>],
) -> Blocks<B, MOTIONS> {
    let omega = DAMPING / largest;
    let rows = (0..a.n_rows())
        .into_par_iter()
        .map(|i| {
            let mut row: Vec<(u32, Block<B, MOTIONS>)> = Vec::new();
            for (j, block) in a.row(i) {
                let aggregate = aggregates.of_node[j];
                let place = row.iter().position(|(other, _)| *other == aggregate).unwrap_or_else(|| {
                    row.push((aggregate, [[0.0; MOTIONS]; B]));
                    row.len() - 1
                });
                add_block_product(&mut row[place].1, block, &q[j]);
            }
            row.sort_unstable_by_key(|(aggregate, _)| *aggregate);
            for (aggregate, sum) in &mut row {
                let mut smooth = [[0.0; MOTIONS]; B];
                add_block_product(&mut smooth, &inverse_diagonal[i], sum);
                let is_own = *aggregate == aggregates.of_node[i];
                for (r, c) in (0..B).flat_map(|r| (0..MOTIONS).map(move |c| (r, c))) {
                    sum[r][c] = if is_own { q[i][r][c] } else { 0.0 } - omega * smooth[r][c];
                }
            }
            row
        })
        .collect();
    Blocks::from_rows(rows, aggregates.len())
}

/// The matrix of the next level, Pᵀ A P; a motion that no node has gets a unit diagonal.
pub(super) fn galerkin<const B: usize>(
    a: &Blocks<B, B>,
    up: &Blocks<B, MOTIONS>,
    down: &Blocks<MOTIONS, B>,
) -> Blocks<MOTIONS, MOTIONS> {
    let n_coarse = up.n_cols();
    let ap = products(a, up);
    let mut coarse = products(down, &ap);
    drop(ap);
    for node in 0..n_coarse {
        let range = coarse.places(node);
        let place = coarse.cols()[range.clone()].binary_search(&(node as u32));
        let block =
            &mut coarse.values_mut()[range.start + place.expect("a row of the product has its diagonal")];
        for i in 0..MOTIONS {
            if block[i][i] <= 0.0 {
                block[i][i] = 1.0;
            }
        }
    }
    coarse
}

/// The product of two sparse matrices, row by row.
fn products<const R: usize, const N: usize, const C: usize>(
    a: &Blocks<R, N>,
    b: &Blocks<N, C>,
) -> Blocks<R, C> {
    let rows = (0..a.n_rows())
        .into_par_iter()
        .with_min_len(64)
        .map_init(
            || vec![NONE; b.n_cols()],
            |place_of, i| {
                let mut row: Vec<(u32, Block<R, C>)> = Vec::new();
                for (k, left) in a.row(i) {
                    for (j, right) in b.row(k) {
                        if place_of[j] == NONE {
                            place_of[j] = row.len() as u32;
                            row.push((j as u32, [[0.0; C]; R]));
                        }
                        add_block_product(&mut row[place_of[j] as usize].1, left, right);
                    }
                }
                for (j, _) in &row {
                    place_of[*j as usize] = NONE;
                }
                row.sort_unstable_by_key(|(j, _)| *j);
                row
            },
        )
        .collect();
    Blocks::from_rows(rows, b.n_cols())
}

/// C += A B of blocks.
#[inline(always)]
fn add_block_product<const R: usize, const N: usize, const C: usize>(
    c: &mut Block<R, C>,
    a: &Block<R, N>,
    b: &Block<N, C>,
) {
    for i in 0..R {
        for k in 0..N {
            for j in 0..C {
                c[i][j] += a[i][k] * b[k][j];
            }
        }
    }
}
