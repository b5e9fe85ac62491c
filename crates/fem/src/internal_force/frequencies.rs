//! Bounds of the element frequencies: the critical step of explicit schemes.
//!
//! With K = Σ K_e and the lumped mass M = Σ M_e the largest frequency of the body is at most the largest of
//! its elements (Rayleigh's quotient is a mean of those of the elements). For an element, with
//! B = M_e^(−½) K_e M_e^(−½), which has no negative eigenvalue where the tangent has none,
//!
//! ```text
//! ω² = λ_max(B) ≤ ‖B^16‖_F^(1/16) ≤ m^(1/32) λ_max,   m eigenvalues of B not zero
//! ```
//!
//! A cube of hex8 has m = 18, hence at most 5 % more than its ω; few of the 18 are near the largest, and the
//! bound is within 2 %. Squarings of the matrices of large cells (hex27, NURBS) would cost far more than
//! their tangents: these have the largest Ritz value of Lanczos' method with its residual added, raised until
//! a Cholesky factor proves that it is a bound ([`super::lanczos`], [`super::certified`]).

use carom_mesh::CellRef;
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, Par};
use rayon::prelude::*;

use super::certified::upper_bound;
use super::chunk::{Chunk, Fields};
use super::dilatation::MeanDilatation;
use super::elements::ElementTangents;
use super::history::{ChunkHistory, History};
use super::hourglass::OnePoint;
use super::lanczos::Lanczos;
use super::pairs::Pairs;
use super::point_map::{OfLaw, Product};
use super::shape::Shape;
use super::{InternalForce, Part, SweepError, of_shape};
use crate::Discretisation;
use crate::constitutive::Law;
use crate::lumped_mass::LumpedMass;

/// Squarings of B: B^16.
const SQUARINGS: u32 = 4;

/// Largest number of points of cells whose matrices are squared.
const MOST_SQUARED: usize = 20;

/// Bounds of the largest frequency of each cell.
#[derive(Debug, Clone, PartialEq)]
pub struct ElementFrequencies {
    /// For each block the bound of each cell \[rad/s\].
    pub blocks: Vec<Vec<f64>>,
}

impl ElementFrequencies {
    /// True if cells of a body have many points, as hex27 and NURBS: their bounds cost as much as hundreds of
    /// steps.
    pub fn is_costly(discretisation: &Discretisation) -> bool {
        discretisation.blocks.iter().any(|block| block.n_cell_points() > MOST_SQUARED)
    }

    /// The largest bound with its cell, which also bounds the frequencies of the body \[rad/s\].
    ///
    /// # Panics
    ///
    /// If the body has no cells.
    pub fn largest(&self) -> (f64, CellRef) {
        let of_block = |(block, bounds): (usize, &Vec<f64>)| {
            let largest = (0..bounds.len()).max_by(|&a, &b| bounds[a].total_cmp(&bounds[b]));
            largest.map(|cell| (bounds[cell], CellRef { block: block as u32, cell: cell as u32 }))
        };
        let all = self.blocks.iter().enumerate().filter_map(of_block);
        all.max_by(|a, b| a.0.total_cmp(&b.0)).expect("a body has cells")
    }

    /// A step below which central differences of the linearised body are stable, 2/ω \[s\].
    ///
    /// # Panics
    ///
    /// If the body has no cells.
    pub fn critical_step(&self) -> f64 {
        2.0 / self.largest().0
    }
}

/// Bounds of the largest frequency of each cell at a state of the body.
///
/// * `laws` — one for each block
/// * `u` — displacement of all points \[m\]
/// * `mass` — lumped mass of the same body
///
/// # Errors
///
/// [`SweepError::Inverted`].
///
/// # Panics
///
/// If an argument belongs to another body.
pub fn element_frequencies<L: Law>(
    internal: &mut InternalForce,
    laws: &[L],
    u: &[f64],
    history: &History,
    mass: &LumpedMass,
) -> Result<ElementFrequencies, SweepError> {
    internal.check_count(laws.len());
    assert_eq!(u.len(), internal.n_dofs(), "one number a dof");
    internal.hanging.expand(&[u]);
    let fields = Fields { at_points: [u.as_chunks().0], hanging: &internal.hanging };
    let mut blocks = Vec::with_capacity(laws.len());
    for (i_block, (part, law)) in internal.blocks.iter_mut().zip(laws).enumerate() {
        let (history, mass) = (&history.blocks[i_block][..], (i_block, mass));
        blocks.push(match part {
            Part::Dilated(shape, chunks) => {
                let product = MeanDilatation(Product(law));
                of_block(chunks, shape, fields, history, mass, |elements, chunk, history| {
                    elements.compute_columns(chunk, shape, &product, history);
                })
            }
            Part::OnePoint(shape, chunks) => {
                let product = OnePoint(Product(law));
                of_block(chunks, &**shape, fields, history, mass, |elements, chunk, history| {
                    elements.compute_columns(chunk, &**shape, &product, history);
                })
            }
            part => of_shape!(part, shape, chunks => {
                of_block(chunks, shape, fields, history, mass, |elements, chunk, history| {
                    elements.compute(chunk, shape, &OfLaw(law), history);
                })
            }),
        });
    }
    internal.check_dets()?;
    Ok(ElementFrequencies { blocks })
}

/// * `compute` — computes the element tangents of a group
fn of_block<const A: usize, S: Shape<A>>(
    chunks: &mut [Chunk<A>],
    shape: &S,
    fields: Fields<'_, 1>,
    history: &[ChunkHistory],
    (i_block, mass): (usize, &LumpedMass),
    compute: impl Fn(&mut ElementTangents, &mut Chunk<A>, &ChunkHistory) + Sync,
) -> Vec<f64> {
    let n = shape.n_nodes();
    let most = chunks.iter().map(Chunk::n_cells).max().unwrap_or(0);
    let n_cells = chunks.iter().map(Chunk::n_cells).sum();
    let found: Vec<Vec<(u32, f64)>> = chunks
        .par_iter_mut()
        .zip(history)
        .map_init(
            || {
                (
                    ElementTangents::new(Pairs::Lower, n, most),
                    Mat::zeros(3 * n, 3 * n),
                    Mat::zeros(3 * n, 3 * n),
                    Lanczos::default(),
                )
            },
            |(elements, matrix, square, lanczos), (chunk, history)| {
                chunk.load(fields);
                compute(elements, chunk, history);
                let cells = chunk.batches.iter().flat_map(|batch| &batch.cells[..batch.n_cells]);
                let blocks = elements.blocks.chunks_exact(Pairs::Lower.count(n));
                let bound = |(&cell, blocks): (&u32, &[[f64; 9]])| {
                    let masses = mass.of_cell_with(n, CellRef { block: i_block as u32, cell });
                    fill_scaled(matrix, blocks, masses);
                    let largest = match n {
                        ..=MOST_SQUARED => largest_eigenvalue(matrix, square),
                        _ => upper_bound(matrix, square, lanczos.largest(matrix)),
                    };
                    (cell, largest.sqrt())
                };
                cells.zip(blocks).map(bound).collect()
            },
        )
        .collect();
    let mut bounds = vec![0.0; n_cells];
    for (cell, bound) in found.into_iter().flatten() {
        bounds[cell as usize] = bound;
    }
    bounds
}

/// B from the blocks of the pairs of points.
fn fill_scaled(matrix: &mut Mat<f64>, blocks: &[[f64; 9]], masses: &[f64]) {
    let mut blocks = blocks.iter();
    for j in 0..masses.len() {
        for (i, block) in (j..masses.len()).zip(blocks.by_ref()) {
            let scale = 1.0 / (masses[i] * masses[j]).sqrt();
            for (a, c) in (0..9).map(|k| (k / 3, k % 3)) {
                matrix[(3 * i + a, 3 * j + c)] = scale * block[3 * a + c];
                matrix[(3 * j + c, 3 * i + a)] = scale * block[3 * a + c];
            }
        }
    }
}

/// ‖B^(2^k)‖_F^(1/2^k) for k [`SQUARINGS`], overwriting B.
pub(crate) fn largest_eigenvalue(matrix: &mut Mat<f64>, square: &mut Mat<f64>) -> f64 {
    let norm = matrix.norm_l2();
    if norm == 0.0 || norm.is_nan() {
        return norm;
    }
    let (mut logarithm, mut power) = (norm.ln(), 1.0);
    scale(matrix, 1.0 / norm);
    for _ in 0..SQUARINGS {
        matmul(square.as_mut(), Accum::Replace, matrix.as_ref(), matrix.as_ref(), 1.0, Par::Seq);
        std::mem::swap(matrix, square);
        let norm = matrix.norm_l2();
        scale(matrix, 1.0 / norm);
        power *= 2.0;
        logarithm += norm.ln() / power;
    }
    logarithm.exp()
}

fn scale(matrix: &mut Mat<f64>, factor: f64) {
    for j in 0..matrix.ncols() {
        matrix.col_as_slice_mut(j).iter_mut().for_each(|x| *x *= factor);
    }
}
