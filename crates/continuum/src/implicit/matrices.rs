//! The matrix of a step, J = c M + ∂f/∂u₁, its factors, and products with the mass.

use carom_fem::Discretisation;
use carom_fem::assembly::{AssemblyError, assemble};
use carom_fem::internal_force::{GeneralTangentAssembly, InternalForce};
use carom_fem::{QuadratureRule, SystemMatrices};
use carom_linalg::sparse::{CsMat, SparseError, SparseLu};
use carom_linalg::{BlockMatrix, Cholesky, DofSet, FactorError, Symbolic};
use carom_progress::Silent;
use faer::MatMut;
use nalgebra::Matrix3;

use super::SetupError;

/// An entry of the consistent mass M_s, row ≥ column.
#[derive(Debug, Clone, Copy)]
struct MassEntry {
    row: u32,
    column: u32,
    mass: f64,
}

/// Matrices of one body over a fixed pattern.
pub(super) struct Matrices {
    mass: Vec<MassEntry>,
    pub(super) assembly: GeneralTangentAssembly,
    /// ∂f/∂u₁, then the matrix of the step.
    pub(super) jacobian: CsMat<f64>,
    /// Entry of the Jacobian of each entry of the mass, component x; the others follow by rows.
    places: Vec<[[usize; 3]; 2]>,
    /// Factors of the Jacobian itself, analysed when they are first wanted.
    lu: Option<SparseLu>,
    symmetric: SymmetricPart,
    mass_factor: Option<Cholesky>,
    /// Factor of the mass for which `jacobian` is the constant matrix of linear laws; none if it must be
    /// made.
    constant: Option<f64>,
}

/// ½ (J + Jᵀ), and its Cholesky factor.
struct SymmetricPart {
    /// True if the factor is near enough to the present matrix.
    is_current: bool,
    matrix: BlockMatrix,
    factor: Option<Cholesky>,
    held: Vec<u32>,
}

impl Matrices {
    pub(super) fn new(discretisation: &Discretisation, internal: &InternalForce) -> Result<Self, SetupError> {
        let SystemMatrices { mass, .. } = assemble(discretisation, QuadratureRule::Default, &Silent)?;
        let assembly = GeneralTangentAssembly::new(discretisation, internal)?;
        let jacobian = assembly.matrix();
        let (mut entries, mut places) = (Vec::with_capacity(mass.values.len()), Vec::new());
        for column in 0..mass.n_nodes() {
            let (first, rows) = mass.graph.column(column);
            for (k, &row) in rows.iter().enumerate() {
                entries.push(MassEntry { row, column: column as u32, mass: mass.values[first + k] });
                let place = |i: usize, j: usize| -> Result<[usize; 3], AssemblyError> {
                    Ok([0, 1, 2].map(|d| {
                        let index = jacobian.nnz_index(3 * i + d, 3 * j + d);
                        index.expect("mass and tangent couple the same points").0
                    }))
                };
                let row = row as usize;
                places.push([place(row, column)?, place(column, row)?]);
            }
        }
        let matrix = BlockMatrix::zeros(mass.graph);
        let symmetric = SymmetricPart { is_current: false, matrix, factor: None, held: Vec::new() };
        Ok(Self {
            mass: entries,
            assembly,
            jacobian,
            places,
            lu: None,
            symmetric,
            mass_factor: None,
            constant: None,
        })
    }

    /// y += factor · (M_s ⊗ E₃) x.
    pub(super) fn add_mass_product(&self, factor: f64, x: &[f64], y: &mut [f64]) {
        for entry in &self.mass {
            let (i, j) = (3 * entry.row as usize, 3 * entry.column as usize);
            let mass = factor * entry.mass;
            for d in 0..3 {
                y[i + d] += mass * x[j + d];
            }
            if i != j {
                for d in 0..3 {
                    y[j + d] += mass * x[i + d];
                }
            }
        }
    }

    /// Adds a block of two points to ∂f/∂u₁.
    pub(super) fn add_block(&mut self, [i, j]: [u32; 2], block: &Matrix3<f64>) {
        for d in 0..3 {
            for e in 0..3 {
                let index = self.jacobian.nnz_index(3 * i as usize + d, 3 * j as usize + e);
                let place = index.expect("points of a face belong to one cell").0;
                self.jacobian.data_mut()[place] += block[(d, e)];
            }
        }
    }

    /// Adds factor · M to ∂f/∂u₁ and makes unit rows for held dofs.
    ///
    /// * `is_linear` — true if ∂f/∂u₁ is constant
    pub(super) fn complete(&mut self, factor: f64, held: &[u32], is_linear: bool) {
        self.constant = is_linear.then_some(factor);
        self.symmetric.is_current &= !is_linear;
        self.add_mass(factor);
        for &dof in held {
            let row = dof as usize;
            let range = self.jacobian.indptr().outer_inds_sz(row);
            let columns: Vec<usize> = self.jacobian.indices()[range.clone()].to_vec();
            for (value, column) in self.jacobian.data_mut()[range].iter_mut().zip(columns) {
                *value = if column == row { 1.0 } else { 0.0 };
            }
        }
    }

    /// Factorises the matrix of the step.
    pub(super) fn factorise(&mut self) -> Result<(), SparseError> {
        let lu = match &mut self.lu {
            Some(lu) => lu,
            none => none.insert(SparseLu::analyse(&self.jacobian.view())?),
        };
        lu.factorise(&self.jacobian.view())
    }

    /// True if the matrix of linear laws with this factor of the mass is made.
    pub(super) fn is_made(&self, factor: f64) -> bool {
        self.constant == Some(factor)
    }

    /// The matrix must be made again.
    pub(super) fn discard(&mut self) {
        self.constant = None;
    }

    /// Marks the factor of the symmetric part as outdated, unless the matrix is constant; returns true if it
    /// was marked.
    pub(super) fn renew_symmetric(&mut self) -> bool {
        let is_outdated = self.symmetric.is_current && self.constant.is_none();
        self.symmetric.is_current &= !is_outdated;
        is_outdated
    }

    /// Factorises the symmetric part of the matrix of the step, unless the present factor is
    /// current; false if it is not positive definite.
    pub(super) fn factorise_symmetric(&mut self, held: &[u32]) -> Result<bool, FactorError> {
        if self.symmetric.is_current {
            return Ok(true);
        }
        let values = self.jacobian.data();
        for (block, [here, there]) in self.symmetric.matrix.values.iter_mut().zip(&self.places) {
            // The diagonal entry of row d is the d-th of its block, whose entries follow each other.
            for d in 0..3 {
                for e in 0..3 {
                    let [a, b] = [values[here[d] + e - d], values[there[e] + d - e]];
                    block[3 * d + e] = 0.5 * (a + b);
                }
            }
        }
        match self.symmetric.factorise(held) {
            Ok(()) => {
                self.symmetric.is_current = true;
                Ok(true)
            }
            Err(FactorError::NotPositiveDefinite { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// x ← A⁻¹ x with the symmetric part A of the matrix that was factorised last; held dofs become zero.
    pub(super) fn solve_symmetric(&self, x: MatMut<'_, f64>) {
        self.symmetric.factor.as_ref().expect("a factor").solve_in_place(x);
    }

    /// y += J x.
    pub(super) fn add_product(&self, x: &[f64], y: &mut [f64]) {
        let starts = self.jacobian.indptr();
        let (columns, values) = (self.jacobian.indices(), self.jacobian.data());
        for (row, y) in y.iter_mut().enumerate() {
            let range = starts.outer_inds_sz(row);
            *y += columns[range.clone()].iter().zip(&values[range]).map(|(&j, a)| a * x[j]).sum::<f64>();
        }
    }

    fn add_mass(&mut self, factor: f64) {
        let values = self.jacobian.data_mut();
        for (entry, [here, there]) in self.mass.iter().zip(&self.places) {
            let is_diagonal = entry.row == entry.column;
            for d in 0..3 {
                values[here[d]] += factor * entry.mass;
                if !is_diagonal {
                    values[there[d]] += factor * entry.mass;
                }
            }
        }
    }

    /// Factorises M once, for accelerations and velocities that follow from forces.
    pub(super) fn factorise_mass(&mut self, held: &[u32]) -> Result<(), FactorError> {
        let mut matrix = BlockMatrix::zeros(self.symmetric.matrix.graph.clone());
        for (block, entry) in matrix.values.iter_mut().zip(&self.mass) {
            let m = entry.mass;
            *block = [m, 0.0, 0.0, 0.0, m, 0.0, 0.0, 0.0, m];
        }
        self.mass_factor = Some(Cholesky::new(&matrix, None, free(&matrix, held), &Silent)?);
        Ok(())
    }

    /// x ← M⁻¹ x; held dofs become zero.
    pub(super) fn solve_mass(&self, x: &mut [f64]) {
        let n = x.len();
        let factor = self.mass_factor.as_ref().expect("the factor of the mass");
        factor.solve_in_place(MatMut::from_column_major_slice_mut(x, n, 1));
    }

    /// x ← J⁻¹ x with the factors of [`Matrices::factorise`].
    pub(super) fn solve(&mut self, x: &mut [f64]) -> Result<(), SparseError> {
        let n = x.len();
        let lu = self.lu.as_mut().ok_or(SparseError::NoFactors)?;
        lu.solve_in_place(MatMut::from_column_major_slice_mut(x, n, 1)).map(drop)
    }
}

impl SymmetricPart {
    fn factorise(&mut self, held: &[u32]) -> Result<(), FactorError> {
        if self.held != held {
            self.factor = None;
            self.held = held.to_vec();
        }
        let symbolic = match self.factor.take() {
            Some(factor) => factor.into_symbolic(),
            None => Symbolic::new(&self.matrix.graph, free(&self.matrix, held))?,
        };
        self.factor = Some(Cholesky::with_symbolic(symbolic, &self.matrix, None, &Silent)?);
        Ok(())
    }
}

/// The dofs that are not held.
fn free(matrix: &BlockMatrix, held: &[u32]) -> DofSet {
    let dofs: Vec<usize> = held.iter().map(|&dof| dof as usize).collect();
    DofSet::all(matrix.graph.n_nodes()).without_dofs(&dofs)
}
