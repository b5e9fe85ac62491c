//! Solution of linear systems with a stiffness: by a factor if it fits into the memory, otherwise by
//! iteration.

use std::fmt;
use std::str::FromStr;

use carom_fem::SystemMatrices;
use carom_linalg::eigen::search_bytes;
use carom_linalg::memory::memory;
use carom_linalg::{
    Admissible, BlockMatrix, Border, Bordered, Cholesky, DofSet, EigenError, EigenPairs, FactorError,
    IterationError, Iterative, NodeMatrix, Proof, Symbolic, Wanted, lowest_pairs, lowest_pairs_by_iteration,
};
use carom_progress::Progress;
use faer::{MatMut, MatRef};

use crate::correction::{Correction, refine};
use crate::frequency::hz;

/// A solver of linear systems.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Solver {
    /// By a factor if it fits into the memory, otherwise by iteration.
    #[default]
    Auto,
    /// By a factor; an error if it does not fit.
    Direct,
    /// By conjugate gradients with multigrid.
    Iterative,
}

/// The error from parsing a solver.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a solver: give `auto`, `direct` or `iterative`")]
pub struct SolverTextError {
    /// The text.
    pub text: String,
}

impl FromStr for Solver {
    type Err = SolverTextError;

    fn from_str(text: &str) -> Result<Self, SolverTextError> {
        let all = [Self::Auto, Self::Direct, Self::Iterative];
        all.into_iter()
            .find(|way| way.to_string() == text)
            .ok_or_else(|| SolverTextError { text: text.to_owned() })
    }
}

impl fmt::Display for Solver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Auto => "auto",
            Self::Direct => "direct",
            Self::Iterative => "iterative",
        })
    }
}

/// The choice of a solver, with a limit on the memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SolverChoice {
    /// The solver.
    pub solver: Solver,
    /// Memory that may be used, in bytes; `None` for the free memory of the system.
    pub memory: Option<u64>,
}

impl SolverChoice {
    /// Bytes of memory that may be used, if they are known.
    fn available(&self) -> Option<u64> {
        self.memory.or_else(|| memory().available)
    }

    /// Bytes that are missing for a need, if the available memory is known.
    pub(crate) fn missing(&self, wanted: u64) -> u64 {
        self.available().map_or(0, |available| wanted.saturating_sub(available))
    }
}

/// The dofs on which a stiffness is inverted.
#[derive(Debug, Clone)]
pub enum Space {
    /// On free dofs.
    Free(DofSet),
    /// On free dofs under constraints.
    Bordered(Border),
}

impl Space {
    /// The dofs of a factor.
    pub(crate) fn definite(&self) -> DofSet {
        match self {
            Self::Free(free) => free.clone(),
            Self::Bordered(border) => border.definite(),
        }
    }
}

/// The operator that is inverted.
#[derive(Debug, Clone, Copy)]
pub struct Operator<'a> {
    /// K.
    pub k: &'a BlockMatrix,
    /// M and s of K + sM; `None` for K itself.
    pub shifted_mass: Option<(&'a NodeMatrix, f64)>,
    /// Positions of all points \[m\].
    pub points: &'a [[f64; 3]],
}

/// Memory of a reduction in addition to the factor: constraint modes with their right-hand sides, and the
/// search for modes, in bytes.
///
/// * `n_columns` — number of constraint modes
/// * `wanted` — requested modes
pub fn bytes_beside(n_dofs: usize, n_columns: usize, wanted: Wanted) -> u64 {
    16 * (n_dofs * n_columns) as u64 + search_bytes(n_dofs, wanted)
}

/// The inverse of a stiffness on the interior of a body, or on other free dofs.
#[derive(Debug)]
pub enum Interior {
    /// A factor; its dofs are free.
    Definite(Box<Cholesky>),
    /// A factor; the motions of averaged sets are fixed.
    Bordered(Box<Bordered>),
    /// Iteration; its dofs are free.
    Iterative(Box<Iterative>),
    /// Iteration; the motions of averaged sets are fixed.
    IterativeBordered(Box<Bordered<Iterative>>),
}

impl Interior {
    /// Inverts with the chosen solver; [`Solver::Auto`] uses a factor if all required memory is available.
    ///
    /// * `beside` — memory that is needed in addition to the factor, in bytes
    ///
    /// # Errors
    ///
    /// [`FactorError`].
    pub fn new(
        operator: Operator<'_>,
        space: Space,
        choice: &SolverChoice,
        beside: u64,
        progress: &dyn Progress,
    ) -> Result<Self, FactorError> {
        if choice.solver == Solver::Iterative {
            return Self::iterative(operator, space, progress);
        }
        progress.begin("ordering", 0);
        let symbolic = match Symbolic::new(&operator.k.graph, space.definite()) {
            Ok(symbolic) => symbolic,
            // The factor of a graph that is too large to be ordered does not fit.
            Err(_) if choice.solver == Solver::Auto => return Self::iterative(operator, space, progress),
            Err(error) => return Err(error.into()),
        };
        progress.end();
        if progress.interrupted() {
            return Err(FactorError::Interrupted);
        }
        let factor = symbolic.factor_bytes() as u64;
        let wanted = if choice.solver == Solver::Auto { factor + beside } else { factor };
        let missing = choice.missing(wanted);
        if missing == 0 {
            return Self::direct(operator, space, symbolic, progress);
        }
        if choice.solver == Solver::Direct {
            return Err(FactorError::OutOfMemory { wanted, missing });
        }
        drop(symbolic);
        Self::iterative(operator, space, progress)
    }

    fn direct(
        operator: Operator<'_>,
        space: Space,
        symbolic: Symbolic,
        progress: &dyn Progress,
    ) -> Result<Self, FactorError> {
        let Operator { k, shifted_mass, .. } = operator;
        match space {
            Space::Free(_) => Cholesky::with_symbolic(symbolic, k, shifted_mass, progress)
                .map(|factor| Self::Definite(Box::new(factor))),
            Space::Bordered(border) => Bordered::with_symbolic(symbolic, border, k, shifted_mass, progress)
                .map(|factor| Self::Bordered(Box::new(factor))),
        }
    }

    fn iterative(operator: Operator<'_>, space: Space, progress: &dyn Progress) -> Result<Self, FactorError> {
        let Operator { k, shifted_mass, points } = operator;
        match space {
            Space::Free(free) => Iterative::new(k, shifted_mass, free, points, progress)
                .map(|inverse| Self::Iterative(Box::new(inverse))),
            Space::Bordered(border) => Bordered::iterative(k, shifted_mass, border, points, progress)
                .map(|inverse| Self::IterativeBordered(Box::new(inverse))),
        }
    }

    /// Solves K_ii u = f in place with prescribed sums of averaged sets.
    ///
    /// * `sums` — constraints × columns
    ///
    /// # Errors
    ///
    /// [`IterationError`]; never with a factor.
    pub fn solve_in_place(
        &self,
        x: MatMut<'_, f64>,
        sums: MatRef<'_, f64>,
        progress: &dyn Progress,
    ) -> Result<(), IterationError> {
        match self {
            Self::Definite(factor) => {
                factor.solve_in_place(x);
                Ok(())
            }
            Self::Bordered(factor) => factor.solve_with(x, sums, progress),
            Self::Iterative(inverse) => inverse.solve_in_place(x, progress),
            Self::IterativeBordered(inverse) => inverse.solve_with(x, sums, progress),
        }
    }

    /// As [`Interior::solve_in_place`], with iterative refinement of the solution.
    ///
    /// # Errors
    ///
    /// As [`Interior::solve_in_place`]; [`IterationError::Refinement`].
    pub(crate) fn solve_refined(
        &self,
        k: &BlockMatrix,
        mut x: MatMut<'_, f64>,
        sums: MatRef<'_, f64>,
        progress: &dyn Progress,
    ) -> Result<(), IterationError> {
        let forces = x.to_owned();
        self.solve_in_place(x.as_mut(), sums, progress)?;
        refine(x, forces.as_ref(), |x| {
            let residual = &forces - k.product(x);
            let mut change = residual.clone();
            self.correct(change.as_mut(), x, sums, progress)?;
            Ok(Correction { residual, change })
        })
    }

    /// Computes the correction of fields x from their residual forces, which may contain reactions.
    ///
    /// * `sums` — as for [`Interior::solve_in_place`]
    ///
    /// # Errors
    ///
    /// [`IterationError`]; never with a factor.
    pub(crate) fn correct(
        &self,
        mut residual: MatMut<'_, f64>,
        x: MatRef<'_, f64>,
        sums: MatRef<'_, f64>,
        progress: &dyn Progress,
    ) -> Result<(), IterationError> {
        self.clear_reactions(residual.as_mut());
        let missing = match self {
            Self::Definite(_) | Self::Iterative(_) => sums.to_owned(),
            Self::Bordered(factor) => sums - factor.sums_of(x),
            Self::IterativeBordered(inverse) => sums - inverse.sums_of(x),
        };
        self.solve_in_place(residual, missing.as_ref(), progress)
    }

    /// Sets the reactions at fixed dofs to zero.
    fn clear_reactions(&self, forces: MatMut<'_, f64>) {
        match self {
            Self::Definite(factor) => factor.clear_reactions(forces),
            Self::Bordered(factor) => factor.clear_reactions(forces),
            Self::Iterative(inverse) => inverse.clear_reactions(forces),
            Self::IterativeBordered(inverse) => inverse.clear_reactions(forces),
        }
    }

    /// The lowest normal modes.
    ///
    /// * `shift` — s of the K + sM that is inverted
    ///
    /// # Errors
    ///
    /// [`EigenError`].
    pub fn lowest_pairs(
        self,
        system: &SystemMatrices,
        shift: f64,
        wanted: Wanted,
        progress: &dyn Progress,
    ) -> Result<EigenPairs, EigenError> {
        let SystemMatrices { stiffness: k, mass: m } = system;
        match self {
            Self::Definite(factor) => {
                lowest_pairs(k, m, *factor, shift, wanted, progress).map(|(pairs, _)| pairs)
            }
            Self::Bordered(factor) => {
                lowest_pairs(k, m, *factor, shift, wanted, progress).map(|(pairs, _)| pairs)
            }
            Self::Iterative(inverse) => lowest_pairs_by_iteration(k, m, &*inverse, shift, wanted, progress),
            Self::IterativeBordered(inverse) => {
                lowest_pairs_by_iteration(k, m, &*inverse, shift, wanted, progress)
            }
        }
    }

    /// True if there is no factor.
    pub fn is_iterative(&self) -> bool {
        self.iteration().is_some()
    }

    /// A note about an iterative solver.
    ///
    /// * `choice` — the choice of the user
    pub fn note(&self, choice: &SolverChoice) -> Option<String> {
        self.note_on("solved", "the factor and the search for modes do", "constraint modes", choice)
    }

    /// A note about an iterative solver that is used only for static response.
    pub fn note_on_statics(&self, choice: &SolverChoice) -> Option<String> {
        self.note_on("static response of the body", "the factor of its stiffness does", "each", choice)
    }

    fn note_on(&self, what: &str, factor: &str, solutions: &str, choice: &SolverChoice) -> Option<String> {
        let iteration = self.iteration()?;
        let levels: Vec<String> = iteration.level_dofs().iter().map(usize::to_string).collect();
        let why = match choice.solver {
            Solver::Iterative => "as chosen".to_owned(),
            _ => format!("{factor} not fit into the free memory"),
        };
        Some(format!(
            "{what} without a factor ({why}): conjugate gradients with multigrid, levels of {} dofs{}",
            levels.join(", "),
            match iteration.most_iterations() {
                0 => String::new(),
                n => format!("; {solutions} in at most {n} iterations"),
            }
        ))
    }

    /// Largest number of iterations of a solution so far; `None` with a factor.
    pub fn most_iterations(&self) -> Option<usize> {
        self.iteration().map(Iterative::most_iterations)
    }

    fn iteration(&self) -> Option<&Iterative> {
        match self {
            Self::Definite(_) | Self::Bordered(_) => None,
            Self::Iterative(inverse) => Some(inverse),
            Self::IterativeBordered(inverse) => Some(inverse.definite()),
        }
    }
}

/// A note about modes without an inertia count.
pub(crate) fn note_on_search(proof: Proof) -> Option<String> {
    let Proof::SearchedAgain { below, next, .. } = proof else { return None };
    Some(format!(
        "an inertia count needs a factor; instead a second search from new directions, orthogonal to the \
         {below} lowest modes, found no mode below {:.6e} Hz",
        hz(next)
    ))
}

/// A remedy if a factor does not fit, to be appended to a message.
pub(crate) fn way_out(source: &FactorError) -> &'static str {
    match source {
        FactorError::OutOfMemory { .. } => "; or leave the solver at `auto`, which then solves by iteration",
        _ => "",
    }
}
