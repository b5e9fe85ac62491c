//! The matrix of a step, c M + ∂f/∂u₁, and products with the mass.

use carom_fem::Discretisation;
use carom_fem::assembly::{AssemblyError, assemble};
use carom_fem::internal_force::{GeneralTangentAssembly, InternalForce};
use carom_fem::{QuadratureRule, SystemMatrices};
use carom_linalg::sparse::{CsMat, SparseError, SparseLu};
use carom_progress::Silent;
use faer::MatMut;

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
    lu: SparseLu,
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
        let lu = SparseLu::analyse(&jacobian.view())?;
        Ok(Self { mass: entries, assembly, jacobian, places, lu })
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

    /// Adds factor · M to ∂f/∂u₁ and makes unit rows for held dofs.
    pub(super) fn complete(&mut self, factor: f64, held: &[u32]) {
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
        self.lu.factorise(&self.jacobian.view())
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

    /// Factorises M alone, for the accelerations at the start.
    pub(super) fn factorise_mass(&mut self, held: &[u32]) -> Result<(), SparseError> {
        self.jacobian.data_mut().fill(0.0);
        self.complete(1.0, held);
        self.factorise()
    }

    /// x ← A⁻¹ x.
    pub(super) fn solve(&mut self, x: &mut [f64]) -> Result<(), SparseError> {
        let n = x.len();
        self.lu.solve_in_place(MatMut::from_column_major_slice_mut(x, n, 1)).map(drop)
    }
}
