//! Symmetric indefinite systems by the cheaper of two factorisations that is stable.

use faer::MatMut;

use super::{Solved, SparseError, SparseLdlt, SparseLu, Symmetric};

/// The kind of factors of a symmetric matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// L D Lᵀ with pivots inside dense blocks.
    Ldlt,
    /// L U with free pivots.
    Lu,
}

/// Factors of a symmetric matrix: L D Lᵀ where that is stable, L U for matrices where it is not.
#[derive(Debug)]
pub struct Indefinite {
    ldlt: SparseLdlt,
    /// Analysed when it is needed for the first time.
    lu: Option<SparseLu>,
    method: Option<Method>,
}

impl Indefinite {
    /// Orders the rows of a pattern, see [`SparseLdlt::analyse`].
    ///
    /// # Errors
    ///
    /// As [`SparseLdlt::analyse`].
    pub fn analyse(matrix: &Symmetric) -> Result<Self, SparseError> {
        Ok(Self { ldlt: SparseLdlt::analyse(matrix)?, lu: None, method: None })
    }

    /// Factorises a matrix of the analysed pattern.
    ///
    /// Returns the method. The test of L D Lᵀ is made for every matrix: another one of the same pattern may
    /// have another method.
    ///
    /// # Errors
    ///
    /// As [`SparseLdlt::factorise`] and, where that is unstable, as [`SparseLu::factorise`].
    pub fn factorise(&mut self, matrix: &Symmetric) -> Result<Method, SparseError> {
        self.method = None;
        let method = match self.ldlt.factorise(matrix) {
            Ok(()) => Method::Ldlt,
            Err(SparseError::Unstable { .. }) => {
                if self.lu.is_none() {
                    self.lu = Some(SparseLu::analyse_symmetric(matrix)?);
                }
                self.lu.as_mut().expect("it was just analysed").factorise_symmetric(matrix)?;
                Method::Lu
            }
            Err(error) => return Err(error),
        };
        self.method = Some(method);
        Ok(method)
    }

    /// The method of the last matrix; `None` if there are no factors.
    pub fn method(&self) -> Option<Method> {
        self.method
    }

    /// Growth of the L D Lᵀ factors of the last matrix, also where LU took their place; see
    /// [`SparseLdlt::growth`].
    pub fn growth(&self) -> f64 {
        self.ldlt.growth()
    }

    /// x ← A⁻¹ x for any number of right-hand sides, refined.
    ///
    /// # Errors
    ///
    /// [`SparseError::NoFactors`], [`SparseError::Dimension`], [`SparseError::RightHandSide`],
    /// [`SparseError::Inaccurate`]
    pub fn solve_in_place(&mut self, x: MatMut<'_, f64>) -> Result<Solved, SparseError> {
        match (self.method, &mut self.lu) {
            (Some(Method::Ldlt), _) => self.ldlt.solve_in_place(x),
            (Some(Method::Lu), Some(lu)) => lu.solve_in_place(x),
            _ => Err(SparseError::NoFactors),
        }
    }
}
