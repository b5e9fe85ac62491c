//! The assembled tangent of symmetric laws over a fixed sparsity pattern.

use std::sync::Arc;

use carom_linalg::{BlockMatrix, NodeGraph, NodeMatrix};
use carom_progress::Silent;

use super::history::History;
use super::pairs::Pairs;
use super::point_map::PointTangent;
use super::rounds::{Entry, Form, Rounds};
use super::{InternalForce, SweepError};
use crate::Discretisation;
use crate::assembly::{AssemblyError, SystemMatrices, without_hanging};
use crate::constitutive::Law;
use crate::coupling::node_graph;

/// The assembly of symmetric tangents of one body: sparsity pattern and memory.
///
/// [`GeneralTangentAssembly`](super::GeneralTangentAssembly) is for tangents that are not symmetric.
#[derive(Debug, Clone)]
pub struct TangentAssembly {
    /// Pattern of the points and hanging points.
    graph: Arc<NodeGraph>,
    rounds: Rounds,
    /// For a body with hanging points: the body, the pattern of its points, and the matrix with hanging
    /// points.
    hanging: Option<Box<(Discretisation, Arc<NodeGraph>, SystemMatrices)>>,
}

impl TangentAssembly {
    /// Finds the sparsity pattern of a body, and the entries of each element tangent.
    ///
    /// # Errors
    ///
    /// [`AssemblyError::Graph`] if the points cannot be numbered.
    pub fn new(discretisation: &Discretisation, internal: &InternalForce) -> Result<Self, AssemblyError> {
        let (graph, hanging) = if discretisation.hanging.is_empty() {
            (Arc::new(node_graph(discretisation)?), None)
        } else {
            let graph = Arc::new(node_graph(&discretisation.with_free_hanging_points())?);
            let zeros = SystemMatrices {
                stiffness: BlockMatrix::zeros(Arc::clone(&graph)),
                mass: NodeMatrix::zeros(Arc::clone(&graph)),
            };
            let own = Arc::new(node_graph(discretisation)?);
            (graph, Some(Box::new((discretisation.clone(), own, zeros))))
        };
        let find = |row: usize, column: usize| Entry {
            number: graph.find(row, column).expect("points of a cell couple"),
            // An entry belongs to (larger point, smaller point).
            form: if row < column { Form::Transposed } else { Form::AsIs },
        };
        let rounds = Rounds::new(internal, Pairs::Lower, find);
        Ok(Self { graph, rounds, hanging })
    }

    /// The zero matrix over the pattern, for [`TangentAssembly::assemble`].
    pub fn matrix(&self) -> BlockMatrix {
        let graph = self.hanging.as_ref().map_or(&self.graph, |hanging| &hanging.1);
        BlockMatrix::zeros(Arc::clone(graph))
    }

    /// Assembles the tangent ∂f/∂u of symmetric laws \[N/m\].
    ///
    /// Allocates nothing, except for bodies with hanging points.
    ///
    /// * `internal` — that of [`TangentAssembly::new`]
    /// * `u` — displacement of all points \[m\]
    /// * `matrix` — made by [`TangentAssembly::matrix`]; overwritten
    ///
    /// # Errors
    ///
    /// [`SweepError::Inverted`]; the matrix is not to be used then.
    ///
    /// # Panics
    ///
    /// If a law is not symmetric (see [`GeneralTangentAssembly`](super::GeneralTangentAssembly)), or an
    /// argument belongs to another body.
    pub fn assemble<L: Law>(
        &mut self,
        internal: &mut InternalForce,
        laws: &[L],
        u: &[f64],
        history: &History,
        matrix: &mut BlockMatrix,
    ) -> Result<(), SweepError> {
        assert!(laws.iter().all(Law::is_symmetric), "a symmetric matrix holds tangents of symmetric laws");
        self.assemble_by(matrix, |rounds, values| rounds.assemble_laws(internal, laws, u, history, values))
    }

    /// Assembles a tangent that the scheme defines: Σ ∫ ∂R_i/∂X · A · ∂R_j/∂X dV with A from a map of the
    /// gradients of N fields, A_abcd = A_cdab.
    ///
    /// # Errors
    ///
    /// As [`TangentAssembly::assemble`].
    ///
    /// # Panics
    ///
    /// If an argument belongs to another body, or the rule is [`PointRule::MeanDilatation`](super::PointRule)
    /// or [`PointRule::OnePoint`](super::PointRule), whose points depend on each other.
    pub fn assemble_map<'l, const N: usize, L: Sync, M: PointTangent<N> + 'l>(
        &mut self,
        internal: &mut InternalForce,
        laws: &'l [L],
        map: impl Fn(&'l L) -> M + Sync,
        fields: [&[f64]; N],
        history: &History,
        matrix: &mut BlockMatrix,
    ) -> Result<(), SweepError> {
        self.assemble_by(matrix, |rounds, values| {
            rounds.assemble(internal, laws, map, fields, history, values)
        })
    }

    fn assemble_by(
        &mut self,
        matrix: &mut BlockMatrix,
        assemble: impl FnOnce(&mut Rounds, &mut [[f64; 9]]) -> Result<(), SweepError>,
    ) -> Result<(), SweepError> {
        let Self { graph, rounds, hanging } = self;
        let values = match hanging {
            Some(hanging) => &mut hanging.2.stiffness.values,
            None => &mut matrix.values,
        };
        assert_eq!(values.len(), graph.n_entries(), "the matrix was made by the assembly");
        assemble(rounds, values)?;
        if let Some(hanging) = hanging {
            let (discretisation, graph, free) = &**hanging;
            let folded = without_hanging(discretisation, NodeGraph::clone(graph), free, &Silent)
                .expect("an assembly without progress is not interrupted");
            matrix.values.copy_from_slice(&folded.stiffness.values);
        }
        Ok(())
    }
}
