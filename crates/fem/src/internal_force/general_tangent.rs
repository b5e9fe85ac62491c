//! The assembled tangent of a body, not symmetric, over a fixed sparsity pattern.

use carom_linalg::NodeGraph;
use carom_linalg::sparse::{CsMat, TriMat};

use super::history::History;
use super::pairs::Pairs;
use super::point_map::PointTangent;
use super::rounds::{Entry, Form, Rounds};
use super::{InternalForce, SweepError};
use crate::Discretisation;
use crate::assembly::AssemblyError;
use crate::constitutive::Law;
use crate::coupling::node_graph;

/// The assembly of tangents that need not be symmetric: those of laws without a potential, and of schemes
/// with an average stress over a step.
///
/// The matrix is that of `carom_linalg::sparse`: analyse its pattern once, factorise each tangent.
///
/// ```
/// # use std::collections::BTreeMap;
/// use carom_fem::constitutive::{ElasticModuli, SaintVenantKirchhoff};
/// use carom_fem::internal_force::{GeneralTangentAssembly, InternalForce, PointRule};
/// # use carom_fem::{Body, Discretisation, Geometry, Material};
/// use carom_linalg::sparse::SparseLu;
/// # use carom_mesh::{CellBlock, CellShape, Mesh};
/// # let points = CellShape::Hex8.reference_nodes().to_vec();
/// # let cells = CellBlock { shape: CellShape::Hex8, connectivity: (0..8).collect() };
/// # let body = Body {
/// #     name: "cube".into(),
/// #     geometry: Geometry::Mesh(Mesh { points, blocks: vec![cells], sets: BTreeMap::new() }),
/// #     materials: vec![Material::named("steel")?],
/// #     material_of_block: vec![0],
/// #     sections: Vec::new(),
/// # };
/// let discretisation = Discretisation::new(&body)?;
/// let laws = [SaintVenantKirchhoff::new(ElasticModuli::of(&body.materials[0]))];
/// let mut internal = InternalForce::new(&discretisation, PointRule::default())?;
/// let mut assembly = GeneralTangentAssembly::new(&discretisation, &internal)?;
/// let mut matrix = assembly.matrix();
/// let mut lu = SparseLu::analyse(&matrix.view())?;
///
/// let (u, history) = (vec![0.0; internal.n_dofs()], internal.history(&laws));
/// assembly.assemble(&mut internal, &laws, &u, &history, &mut matrix)?;
/// // Springs to the ground hold the body.
/// for dof in 0..u.len() {
///     *matrix.get_mut(dof, dof).expect("the pattern has the diagonal") += 1e9;
/// }
/// lu.factorise(&matrix.view())?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct GeneralTangentAssembly {
    rounds: Rounds,
    pattern: FullPattern,
    /// Blocks of the pattern.
    blocks: Vec<[f64; 9]>,
    /// For a body with hanging points: the matrix that includes them, and their dependence on points.
    hanging: Option<Box<Hanging>>,
}

/// The tangent with hanging points, K̂, and T of u = T u_points, by dofs; the tangent is Tᵀ K̂ T.
#[derive(Debug, Clone)]
struct Hanging {
    free: CsMat<f64>,
    follow: CsMat<f64>,
    follow_transposed: CsMat<f64>,
}

impl Hanging {
    fn product(&self) -> CsMat<f64> {
        &(&self.follow_transposed * &self.free) * &self.follow
    }
}

impl GeneralTangentAssembly {
    /// Finds the sparsity pattern of a body, and the entries of each element tangent.
    ///
    /// # Errors
    ///
    /// [`AssemblyError::Graph`] if the points cannot be numbered.
    pub fn new(discretisation: &Discretisation, internal: &InternalForce) -> Result<Self, AssemblyError> {
        let graph = if discretisation.hanging.is_empty() {
            node_graph(discretisation)?
        } else {
            node_graph(&discretisation.with_free_hanging_points())?
        };
        let pattern = FullPattern::new(&graph);
        let find = |row, column| Entry { number: pattern.find(row, column), form: Form::AsIs };
        let rounds = Rounds::new(internal, Pairs::All, find);
        let hanging = (!discretisation.hanging.is_empty()).then(|| {
            let follow = follow(discretisation);
            let follow_transposed = follow.transpose_view().to_csr();
            Box::new(Hanging { free: pattern.matrix(), follow, follow_transposed })
        });
        Ok(Self { rounds, blocks: vec![[0.0; 9]; pattern.columns.len()], pattern, hanging })
    }

    /// The zero matrix over the pattern, by rows, for [`GeneralTangentAssembly::assemble`].
    pub fn matrix(&self) -> CsMat<f64> {
        self.hanging.as_ref().map_or_else(|| self.pattern.matrix(), |hanging| hanging.product())
    }

    /// Assembles the tangent ∂f/∂u \[N/m\].
    ///
    /// Allocates nothing, except for bodies with hanging points.
    ///
    /// * `internal` — that of [`GeneralTangentAssembly::new`]
    /// * `laws` — one for each block
    /// * `u` — displacement of all points \[m\]
    /// * `matrix` — made by [`GeneralTangentAssembly::matrix`]; overwritten
    ///
    /// # Errors
    ///
    /// [`SweepError::Inverted`]; the matrix is not to be used then.
    ///
    /// # Panics
    ///
    /// If an argument belongs to another body.
    pub fn assemble<L: Law>(
        &mut self,
        internal: &mut InternalForce,
        laws: &[L],
        u: &[f64],
        history: &History,
        matrix: &mut CsMat<f64>,
    ) -> Result<(), SweepError> {
        self.assemble_by(matrix, |rounds, blocks| rounds.assemble_laws(internal, laws, u, history, blocks))
    }

    /// Assembles a tangent that the scheme defines: Σ ∫ ∂R_i/∂X · A · ∂R_j/∂X dV with A from a map of the
    /// gradients of N fields.
    ///
    /// # Errors
    ///
    /// As [`GeneralTangentAssembly::assemble`].
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
        matrix: &mut CsMat<f64>,
    ) -> Result<(), SweepError> {
        self.assemble_by(matrix, |rounds, blocks| {
            rounds.assemble(internal, laws, map, fields, history, blocks)
        })
    }

    fn assemble_by(
        &mut self,
        matrix: &mut CsMat<f64>,
        assemble: impl FnOnce(&mut Rounds, &mut [[f64; 9]]) -> Result<(), SweepError>,
    ) -> Result<(), SweepError> {
        let Self { rounds, pattern, blocks, hanging } = self;
        assemble(rounds, blocks)?;
        match hanging {
            None => pattern.scatter(blocks, matrix),
            Some(hanging) => {
                pattern.scatter(blocks, &mut hanging.free);
                *matrix = hanging.product();
            }
        }
        Ok(())
    }
}

/// Both triangles of the pairs of points that couple, row by row, columns ascending.
#[derive(Debug, Clone)]
struct FullPattern {
    starts: Vec<usize>,
    columns: Vec<u32>,
}

impl FullPattern {
    fn new(graph: &NodeGraph) -> Self {
        let n = graph.n_nodes();
        let mut starts = vec![0; n + 1];
        let both = |visit: &mut dyn FnMut(usize, usize)| {
            // Rows of the lower triangle follow its columns: entries come in ascending order in each row.
            for column in 0..n {
                for &row in graph.column(column).1 {
                    let row = row as usize;
                    visit(row, column);
                    if row != column {
                        visit(column, row);
                    }
                }
            }
        };
        both(&mut |row, _| starts[row + 1] += 1);
        (0..n).for_each(|row| starts[row + 1] += starts[row]);
        let mut next = starts.clone();
        let mut columns = vec![0; starts[n]];
        both(&mut |row, column| {
            columns[next[row]] = column as u32;
            next[row] += 1;
        });
        Self { starts, columns }
    }

    fn find(&self, row: usize, column: usize) -> usize {
        let of_row = &self.columns[self.starts[row]..self.starts[row + 1]];
        self.starts[row] + of_row.binary_search(&(column as u32)).expect("points of a cell couple")
    }

    /// The zero matrix by dofs.
    fn matrix(&self) -> CsMat<f64> {
        let n = self.starts.len() - 1;
        let (mut starts, mut columns) = (vec![0], Vec::with_capacity(9 * self.columns.len()));
        for row in 0..n {
            for _ in 0..3 {
                let of_row = &self.columns[self.starts[row]..self.starts[row + 1]];
                columns.extend(of_row.iter().flat_map(|&c| (0..3).map(move |b| 3 * c as usize + b)));
                starts.push(columns.len());
            }
        }
        let values = vec![0.0; columns.len()];
        CsMat::new((3 * n, 3 * n), starts, columns, values)
    }

    /// Writes the blocks to a matrix by dofs.
    fn scatter(&self, blocks: &[[f64; 9]], matrix: &mut CsMat<f64>) {
        let values = matrix.data_mut();
        assert_eq!(values.len(), 9 * blocks.len(), "the matrix was made by the assembly");
        for of_row in self.starts.windows(2) {
            let (start, n) = (of_row[0], of_row[1] - of_row[0]);
            let rows = &mut values[9 * start..9 * (start + n)];
            for (k, block) in blocks[start..start + n].iter().enumerate() {
                for a in 0..3 {
                    rows[3 * n * a + 3 * k..][..3].copy_from_slice(&block[3 * a..3 * a + 3]);
                }
            }
        }
    }
}

/// T by dofs: the identity for points, the dependence on points for hanging ones.
fn follow(discretisation: &Discretisation) -> CsMat<f64> {
    let (n_points, n_hanging) = (discretisation.n_points(), discretisation.hanging.len());
    let mut entries = TriMat::new((3 * (n_points + n_hanging), 3 * n_points));
    for dof in 0..3 * n_points {
        entries.add_triplet(dof, dof, 1.0);
    }
    for (row, followed) in (n_points..).zip(&discretisation.hanging) {
        for &(point, factor) in followed {
            for a in 0..3 {
                entries.add_triplet(3 * row + a, 3 * point as usize + a, factor);
            }
        }
    }
    entries.to_csr()
}
