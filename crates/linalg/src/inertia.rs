//! Inertia counts: in single precision where the matrix is large and the result can be certified, else in
//! double precision.
//!
//! A = K − σM is factorised to F = W S Wᵀ, whose rounding errors A − F are many times larger in single
//! precision; but only the signs S are wanted. They are those of A unless an eigenvalue passes zero on the
//! way F + t (A − F), 0 ≤ t ≤ 1, which is singular only if E = F⁻¹A − 1 has a real eigenvalue μ = −1/t ≤ −1.
//! If there is one, its left eigenvector y, |y| = 1, bounds what E makes of any z:
//!
//! |Eᵏ z| ≥ |yᵀ Eᵏ z| = |μ|ᵏ |yᵀz| ≥ |yᵀz|.
//!
//! Components of z drawn evenly from [−1, 1] give yᵀz a density of at most √2/2 (Ball 1986), so that |yᵀz| ≤
//! s has a probability of at most √2 s, and that of all of eight such z is at most (√2 s)⁸. The count is
//! accepted when no |Eᵏ z| is longer than the s at which this is `DOUBT`, whatever k. Triangular solutions
//! round as the factorisation does and change E by as much again as it is small; if E does not contract fast,
//! double precision counts.
//!
//! z is measured in the scale of the diagonal, x = |diag A|^(−1/2) z, in which bodies of stiff and soft parts
//! are alike.
//!
//! # Source
//!
//! Ball (1986), Proc. Amer. Math. Soc. 97(3), 465–473: sections of the cube.

use std::f64::consts::SQRT_2;

use carom_progress::Progress;

use crate::block::{BlockMatrix, NodeMatrix};
use crate::factor::{Cholesky, FactorError, Matrix, PanelValues, SMALLEST_PIVOT, factorise};
use crate::lanes::{LANES, Row, ZERO};
use crate::noise::noise;
use crate::number::Number;
use crate::solve::Passes;
use crate::symbolic::Symbolic;

/// Operations of a factorisation from which single precision gains more than its certificate costs.
const LEAST_FLOPS: f64 = 1e9;

/// Largest probability that a count of single precision is certified though rounding changed it.
const DOUBT: f64 = 1e-12;

/// Where the directions begin in the sequence of random numbers, far from those of a search for eigenpairs.
const DRAWN: u64 = 1 << 52;

/// Most applications of E.
const MAX_STEPS: u64 = 6;

/// Result of an inertia count.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Inertia {
    /// Number of eigenvalues of (K, M) below the shift.
    pub below: usize,
    /// Smallest |pivot| over diagonal entry.
    pub smallest_pivot: f64,
    /// Whether the factorisation was one of single precision, certified as the module says.
    pub in_single_precision: bool,
}

/// Number of eigenvalues of (K, M), restricted to the free dofs of `symbolic`, below σ.
///
/// # Errors
///
/// As [`Cholesky::into_inertia`].
pub fn count_below(
    symbolic: &Symbolic,
    k: &BlockMatrix,
    m: &NodeMatrix,
    shift: f64,
    progress: &dyn Progress,
) -> Result<Inertia, FactorError> {
    let mut panels = vec![PanelValues::default(); symbolic.panels.len()];
    count(symbolic, &mut panels, k, m, shift, progress)
}

impl Cholesky {
    /// Gives up the factor and counts the eigenvalues of (K, M) below σ in its memory.
    ///
    /// By Sylvester's law of inertia their number is the number of negative pivots of K − σ M. Large matrices
    /// are factorised in single precision if that is certain to count the same.
    ///
    /// Returns the count, or [`FactorError::ShiftTooClose`] if a pivot vanishes, or
    /// [`FactorError::Interrupted`]; and in any case the symbolic structure, for another factorisation.
    pub fn into_inertia(
        self,
        k: &BlockMatrix,
        m: &NodeMatrix,
        shift: f64,
        progress: &dyn Progress,
    ) -> (Result<Inertia, FactorError>, Symbolic) {
        let Self { symbolic, mut panels, .. } = self;
        (count(&symbolic, &mut panels, k, m, shift, progress), symbolic)
    }

    /// As [`Cholesky::into_inertia`] in double precision, and keeps W S Wᵀ = K − σ M: if the count succeeds,
    /// the returned factor solves with it.
    pub(crate) fn into_indefinite(
        self,
        k: &BlockMatrix,
        m: &NodeMatrix,
        shift: f64,
        progress: &dyn Progress,
    ) -> (Result<Inertia, FactorError>, Self) {
        let Self { symbolic, mut panels, .. } = self;
        let outcome = factorise_indefinite(&symbolic, &mut panels, k, m, shift, progress);
        let smallest_pivot = outcome.as_ref().map_or(0.0, |inertia| inertia.smallest_pivot);
        (outcome, Self { symbolic, panels, smallest_pivot })
    }

    /// Factorises K − σ M = W S Wᵀ and counts its negative pivots.
    pub(crate) fn indefinite(
        symbolic: Symbolic,
        k: &BlockMatrix,
        m: &NodeMatrix,
        shift: f64,
        progress: &dyn Progress,
    ) -> (Result<Inertia, FactorError>, Self) {
        let panels = vec![PanelValues::default(); symbolic.panels.len()];
        Self { symbolic, panels, smallest_pivot: 0.0 }.into_indefinite(k, m, shift, progress)
    }
}

/// Counts in the memory of a factor, in whatever precision.
fn count(
    symbolic: &Symbolic,
    panels: &mut [PanelValues],
    k: &BlockMatrix,
    m: &NodeMatrix,
    shift: f64,
    progress: &dyn Progress,
) -> Result<Inertia, FactorError> {
    if symbolic.flops() >= LEAST_FLOPS
        && let Some(inertia) = count_single(symbolic, panels, k, m, shift, progress)?
    {
        return Ok(inertia);
    }
    factorise_indefinite(symbolic, panels, k, m, shift, progress)
}

/// Factorises K − σM = W S Wᵀ in double precision and counts its negative pivots.
fn factorise_indefinite(
    symbolic: &Symbolic,
    panels: &mut [PanelValues],
    k: &BlockMatrix,
    m: &NodeMatrix,
    shift: f64,
    progress: &dyn Progress,
) -> Result<Inertia, FactorError> {
    let matrix = Matrix { symbolic, k, shifted_mass: Some((m, -shift)), scale: 1.0, indefinite: true };
    let smallest_pivot = factorise::<f64>(&matrix, panels, progress)?.smallest_pivot;
    if smallest_pivot.is_nan() || smallest_pivot < SMALLEST_PIVOT {
        return Err(FactorError::ShiftTooClose { shift, pivot: smallest_pivot });
    }
    Ok(Inertia { below: n_negative(panels), smallest_pivot, in_single_precision: false })
}

/// The same in single precision, or nothing if the count is not certain.
fn count_single(
    symbolic: &Symbolic,
    panels: &mut [PanelValues],
    k: &BlockMatrix,
    m: &NodeMatrix,
    shift: f64,
    progress: &dyn Progress,
) -> Result<Option<Inertia>, FactorError> {
    let diagonal = shifted_diagonal(k, m, shift);
    let matrix = Matrix {
        symbolic,
        k,
        shifted_mass: Some((m, -shift)),
        scale: scale_to_one(&diagonal),
        indefinite: true,
    };
    let smallest_pivot = factorise::<f32>(&matrix, panels, progress)?.smallest_pivot;
    if smallest_pivot.is_nan() || smallest_pivot <= 0.0 {
        return Ok(None);
    }
    progress.begin("certificate of the count", MAX_STEPS);
    let is_certain = Contraction::new(&matrix, m, shift, panels, &diagonal).is_certain(progress);
    progress.end();
    let inertia = Inertia { below: n_negative(panels), smallest_pivot, in_single_precision: true };
    Ok(is_certain?.then_some(inertia))
}

fn n_negative(panels: &[PanelValues]) -> usize {
    panels.iter().flat_map(|panel| &panel.signs).filter(|&&sign| sign < 0.0).count()
}

/// Diagonal of K − σ (M_s ⊗ E₃).
fn shifted_diagonal(k: &BlockMatrix, m: &NodeMatrix, shift: f64) -> Vec<f64> {
    let mut diagonal = k.diagonal();
    for (values, mass) in diagonal.chunks_exact_mut(3).zip(m.diagonal()) {
        for value in values {
            *value -= shift * mass;
        }
    }
    diagonal
}

/// The power of two that brings the largest entry of a diagonal near 1, where single numbers have room on
/// either side.
fn scale_to_one(diagonal: &[f64]) -> f64 {
    let largest = diagonal.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
    let scale = (-largest.log2().round()).exp2();
    if scale.is_normal() { scale } else { 1.0 }
}

/// E = F⁻¹A − 1 for a factor of single precision.
struct Contraction<'a> {
    k: &'a BlockMatrix,
    m: &'a NodeMatrix,
    shift: f64,
    passes: Passes<'a, f32>,
    /// F stands for this multiple of A.
    scale: f64,
    /// |a_jj|^(−1/2) of the free dofs, in elimination order.
    lengths: Vec<f64>,
    /// Dof of each row of the factor.
    dofs: Vec<u32>,
}

impl<'a> Contraction<'a> {
    fn new(
        matrix: &Matrix<'a>,
        m: &'a NodeMatrix,
        shift: f64,
        panels: &'a [PanelValues],
        diagonal: &[f64],
    ) -> Self {
        let dofs = matrix.symbolic.dof_at_row();
        let length = |&dof: &u32| {
            let value = (matrix.scale * diagonal[dof as usize]).abs();
            if value.is_normal() { value.sqrt().recip() } else { 1.0 }
        };
        Self {
            k: matrix.k,
            m,
            shift,
            passes: Passes::new(matrix.symbolic, panels),
            scale: matrix.scale,
            lengths: dofs.iter().map(length).collect(),
            dofs,
        }
    }

    /// Whether random directions contract so far that an eigenvalue ≤ −1 of E would be a coincidence.
    fn is_certain(&self, progress: &dyn Progress) -> Result<bool, FactorError> {
        let mut z = self.directions();
        let mut memory = Memory::new(self.dofs.len(), self.k.n_dofs());
        let mut before = f64::INFINITY;
        for step in 1..=MAX_STEPS {
            if progress.interrupted() {
                return Err(FactorError::Interrupted);
            }
            self.apply(&mut z, &mut memory);
            progress.set(step);
            let lengths = norms(&z);
            let longest = lengths.into_iter().fold(0.0, f64::max);
            if !lengths.into_iter().all(f64::is_finite) || longest >= 0.5 * before {
                return Ok(false);
            }
            if (SQRT_2 * longest).powi(LANES as i32) <= DOUBT {
                return Ok(true);
            }
            before = longest;
        }
        Ok(false)
    }

    /// Eight random directions.
    fn directions(&self) -> Vec<Row> {
        let drawn = |row: usize, lane: usize| noise(DRAWN + (LANES * row + lane) as u64);
        (0..self.dofs.len()).map(|row| std::array::from_fn(|lane| drawn(row, lane))).collect()
    }

    /// z ← E z.
    fn apply(&self, z: &mut [Row], memory: &mut Memory) {
        let Memory { rows, x, stiff, inert } = memory;
        for ((&dof, z), length) in self.dofs.iter().zip(&*z).zip(&self.lengths) {
            x[dof as usize] = z.map(|value| length * value);
        }
        self.k.group_product(x, stiff);
        self.m.group_product(x, inert);
        for (&dof, row) in self.dofs.iter().zip(&mut *rows) {
            // Lanes behind the eight directions stay zero.
            for ((value, stiff), inert) in row.iter_mut().zip(&stiff[dof as usize]).zip(&inert[dof as usize])
            {
                *value = (self.scale * (stiff - self.shift * inert)) as f32;
            }
        }
        self.passes.solve_groups(&mut [rows]);
        for ((z, row), length) in z.iter_mut().zip(&*rows).zip(&self.lengths) {
            *z = std::array::from_fn(|lane| f64::from(row[lane]) / length - z[lane]);
        }
    }
}

/// Memory of the applications of E.
struct Memory {
    /// Right-hand sides and solutions.
    rows: Vec<Row<f32>>,
    x: Vec<Row>,
    stiff: Vec<Row>,
    inert: Vec<Row>,
}

impl Memory {
    fn new(n_free: usize, n_dofs: usize) -> Self {
        let [x, stiff, inert] = std::array::from_fn(|_| vec![ZERO; n_dofs]);
        Self { rows: vec![f32::ZEROS; n_free], x, stiff, inert }
    }
}

/// Length of each column of a group.
fn norms(z: &[Row]) -> Row {
    let mut squares = ZERO;
    for row in z {
        for (square, value) in squares.iter_mut().zip(row) {
            *square += value * value;
        }
    }
    squares.map(f64::sqrt)
}
