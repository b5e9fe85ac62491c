//! Cost of a reduced model: phases of the reduction, peak memory, size of its file.
//!
//! With n dofs, q the sum over the cells of quadrature points times functions, z entries and F operations of
//! the factor, b interface dofs, m modes, N = b + m columns, p places in r regions, S = 2.2 m + 60 solutions
//! of the search (docs/cost-model.md has the constants):
//!
//! ```text
//! assembly          a q + a' n
//! factorisation     f F + s z + o n
//! constraint modes  t z (b + 9) + u n b + o n
//! eigenpairs        (2 t z + u n) S + v n S² + v' S³ + f F/2
//! projection        w n N + w' n N² + x N³ + e q m
//! places            f F + 3 p (t z + u n) + y n + e q (N + 16 r)
//! check of the mesh the phases up to the projection, in a richer space
//! ```
//!
//! A body with places alone is reduced to its modes without supports, by a second factor.

use crate::machine::Work;

/// Seconds of the reference machine.
mod constants {
    /// For each quadrature point and function, and for each dof: stiffness and mass.
    pub(super) const ASSEMBLY: f64 = 12e-9;
    pub(super) const ASSEMBLY_DOF: f64 = 1.4e-6;
    /// For each operation of the factor.
    pub(super) const FLOP: f64 = 1.9e-11;
    /// For each entry of the factor: scatter of the matrix, panels.
    pub(super) const ENTRY: f64 = 2e-9;
    /// For each dof: order and structure of the factor.
    pub(super) const ORDER: f64 = 0.6e-6;
    /// For each entry of the factor and column: one solution.
    pub(super) const SOLVE: f64 = 1.0e-10;
    /// For each dof and column: right-hand sides and sparse products.
    pub(super) const COLUMN: f64 = 50e-9;
    /// For each dof and pair of Lanczos vectors.
    pub(super) const LANCZOS: f64 = 3.2e-10;
    /// For each cube of a Lanczos vector: the dense problems at which the search looks.
    pub(super) const LOOK: f64 = 1e-9;
    /// For each dof and column of the basis, and for each pair of them: moments, products, mode values.
    pub(super) const BASIS: f64 = 7e-8;
    pub(super) const PAIR: f64 = 0.5e-10;
    /// For each cube of a column: second eigenproblem, invariants.
    pub(super) const CUBE: f64 = 2.9e-9;
    /// For each quadrature point, function and field: error of a field by the mesh.
    pub(super) const ERRORS: f64 = 6e-9;
    /// For each dof: a second assembly and the rigid motions of a body with places.
    pub(super) const PLACED_DOF: f64 = 20e-6;
    /// For each byte of the model: writing and checksum.
    pub(super) const BYTE: f64 = 3e-9;
    /// For each dof and iteration of conjugate gradients with multigrid.
    pub(super) const ITERATION: f64 = 0.12e-6;
}
use constants::*;

/// Iterations of a solution with multigrid to the accuracy of a reduction.
const ITERATIONS: f64 = 23.0;

/// Number of solutions of the second search, which replaces the inertia count: Lanczos blocks.
const SECOND_SEARCH: f64 = 160.0;

/// Set-up of multigrid in assemblies.
const LEVELS: f64 = 6.0;

/// Places of a region whose errors by the mesh are computed.
const LOADS_WITH_ERRORS: usize = 16;

/// The Cholesky factor of a stiffness.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Factor {
    /// Entries of its lower triangle.
    pub nonzeros: f64,
    /// Operations of the factorisation.
    pub flops: f64,
}

impl Factor {
    /// The factor of a compact body of quadratic cells; of slender bodies it is up to ten times smaller.
    ///
    /// ```text
    /// z = 28 n^(4/3),    F = 33 n²
    /// ```
    pub fn of(n_dofs: usize) -> Self {
        let n = n_dofs as f64;
        Self { nonzeros: 28.0 * n.powf(4.0 / 3.0), flops: 33.0 * n * n }
    }

    /// Memory of the factor: tiles hold some entries above the diagonal too.
    pub fn bytes(&self) -> u64 {
        (8.4 * self.nonzeros) as u64
    }
}

/// Loads at places of contact on half-space grids.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Places {
    /// Number of regions.
    pub regions: usize,
    /// Number of places in all of them.
    pub count: usize,
    /// True if the body has no other interface: it is then reduced to its modes without supports.
    pub alone: bool,
}

/// The numbers on which the cost of a reduction depends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reduction {
    /// Dofs of the body.
    pub n_dofs: usize,
    /// Pairs of points that a cell couples, in one triangle of the matrix.
    pub n_couplings: usize,
    /// Sum over the cells of quadrature points times functions.
    pub n_point_functions: f64,
    /// The same with the points at which errors of fields are integrated: those of the default rule.
    pub n_error_functions: f64,
    /// The factor of the stiffness of the interior.
    pub factor: Factor,
    /// Interface dofs.
    pub n_interface: usize,
    /// Fixed-interface modes, or modes without supports.
    pub n_modes: usize,
    /// Loads at places.
    pub places: Places,
    /// Unit loads of the geometric stiffness; 0 without it.
    pub n_stiffening: usize,
    /// Dofs of the points at which the model keeps its modes.
    pub n_field_dofs: usize,
    /// True if systems are solved by iteration.
    pub is_iterative: bool,
    /// The reduction in a richer space that shows errors by the mesh.
    pub mesh_check: MeshCheck,
}

/// A reduction of the body in a richer space, for the errors of its lowest frequencies by the mesh.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct MeshCheck {
    /// Its work; none where the body is not checked.
    pub work: Work,
    /// Its peak memory, with that of the program \[bytes\].
    pub bytes: u64,
}

/// Work of the assembly of stiffness and mass.
///
/// * `point_functions` — sum over the cells of quadrature points times functions
pub fn assembly(point_functions: f64, points: f64) -> Work {
    Work::scalars(ASSEMBLY * point_functions + ASSEMBLY_DOF * 3.0 * points)
}

/// A phase of a reduction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Phase {
    /// Its name, that of the timing table without `reduction: `.
    pub name: &'static str,
    /// Its work.
    pub work: Work,
}

impl Reduction {
    /// A reduction to no mode and no interface of a compact body.
    pub fn of(n_dofs: usize, n_couplings: usize) -> Self {
        Self {
            n_dofs,
            n_couplings,
            n_point_functions: 40.0 * n_dofs as f64,
            n_error_functions: 40.0 * n_dofs as f64,
            factor: Factor::of(n_dofs),
            n_interface: 0,
            n_modes: 0,
            places: Places::default(),
            n_stiffening: 0,
            n_field_dofs: n_dofs,
            is_iterative: false,
            mesh_check: MeshCheck::default(),
        }
    }

    /// The check of a mesh by this reduction, whose model is not written.
    pub fn as_mesh_check(&self) -> MeshCheck {
        let [phases @ .., _files] = self.phases();
        MeshCheck { work: phases.iter().map(|phase| phase.work).sum(), bytes: self.bytes() }
    }

    /// Columns of the basis.
    pub fn n_columns(&self) -> usize {
        self.n_interface + self.n_modes
    }

    /// Number of solutions with the stiffness in the search for the modes.
    fn solutions(&self) -> f64 {
        match self.n_modes {
            0 => 0.0,
            n => 2.2 * n as f64 + 60.0,
        }
    }

    /// Work of each phase.
    pub fn phases(&self) -> [Phase; 9] {
        let (n, columns, modes) = (self.n_dofs as f64, self.n_columns() as f64, self.n_modes as f64);
        let solutions = self.solutions();
        let statics = self.solved(self.n_interface as f64 + 9.0) + Work::scalars(ORDER * n);
        // Lanczos reads the factor for eight columns at a time.
        let mut eigen = self.solved(solutions)
            + Work::products(LANCZOS * n * solutions * solutions + LOOK * solutions.powi(3))
            + if self.is_iterative {
                self.solved(SECOND_SEARCH)
            } else {
                Work::products(0.5 * FLOP * self.factor.flops)
                    + Work::sweeps(SOLVE * self.factor.nonzeros * solutions)
            };
        if self.places.alone {
            // Modes without supports are those of another factor.
            eigen = eigen + self.factorisation();
        }
        let projection = Work::sweeps(BASIS * n * columns)
            + Work::products(PAIR * n * columns * columns + CUBE * columns.powi(3))
            + self.errors(modes);
        [
            Phase { name: "assembly", work: self.assembly() },
            Phase { name: "factorisation", work: self.factorisation() },
            Phase { name: "constraint modes", work: statics },
            Phase { name: "eigenpairs", work: eigen },
            Phase { name: "projection", work: projection },
            Phase { name: "places", work: self.placed() },
            Phase { name: "stiffening", work: self.stiffened() },
            Phase { name: "check of the mesh", work: self.mesh_check.work },
            Phase { name: "files", work: Work::scalars(BYTE * self.file_bytes() as f64) },
        ]
    }

    /// Work of all phases.
    pub fn work(&self) -> Work {
        self.phases().iter().map(|phase| phase.work).sum()
    }

    fn assembly(&self) -> Work {
        assembly(self.n_point_functions, self.n_dofs as f64 / 3.0)
    }

    /// Work of the error of fields by the mesh.
    fn errors(&self, fields: f64) -> Work {
        Work::scalars(ERRORS * self.n_error_functions * fields)
    }

    fn factorisation(&self) -> Work {
        if self.is_iterative {
            return self.assembly() * LEVELS;
        }
        let Factor { nonzeros, flops } = self.factor;
        Work::products(FLOP * flops)
            + Work::sweeps(ENTRY * nonzeros)
            + Work::scalars(ORDER * self.n_dofs as f64)
    }

    /// Work of a number of solutions.
    fn solved(&self, count: f64) -> Work {
        let n = self.n_dofs as f64;
        let one = match self.is_iterative {
            true => Work::sweeps(ITERATION * n * ITERATIONS),
            false => Work::sweeps(SOLVE * self.factor.nonzeros),
        };
        (one + Work::sweeps(COLUMN * n)) * count
    }

    /// Work of products and dense problems, in addition to the factor and its solutions.
    pub fn dense_work(&self) -> Work {
        let [.., projection, _, _, _, _] = self.phases();
        projection.work
    }

    /// Least memory with either solver: basis and mode values with the squares of their columns, or the
    /// search.
    ///
    /// * `search` — memory of the search for modes \[bytes\]
    pub fn least_bytes(&self, search: u64) -> u64 {
        self.projection_bytes().max(search + 8 * (self.n_dofs * self.n_interface) as u64)
    }

    fn projection_bytes(&self) -> u64 {
        let (n, columns) = (self.n_dofs as u64, self.n_columns() as u64);
        8 * (2 * n * columns + SQUARES * columns * columns)
    }

    /// Work of the loads at places, with three static solutions each.
    fn placed(&self) -> Work {
        let Places { regions, count, .. } = self.places;
        if regions == 0 {
            return Work::default();
        }
        self.factorisation()
            + self.solved(3.0 * count as f64)
            + Work::scalars(PLACED_DOF * self.n_dofs as f64)
            + self.errors(self.n_columns() as f64 + (LOADS_WITH_ERRORS * regions) as f64)
    }

    /// Work of the geometric stiffness: a factor of the whole body, a solution for each unit load and pair of
    /// motions, and the stress of these and of the motions at the points of all cells.
    fn stiffened(&self) -> Work {
        if self.n_stiffening == 0 {
            return Work::default();
        }
        self.factorisation()
            + self.solved(self.n_stiffening as f64)
            + Work::scalars(PLACED_DOF * self.n_dofs as f64)
            + self.errors((self.n_stiffening + self.n_columns()) as f64)
    }

    /// Peak memory of the program \[bytes\].
    pub fn bytes(&self) -> u64 {
        let (n, columns) = (self.n_dofs as f64, self.n_columns() as f64);
        let matrices = BASE + 88.0 * self.n_couplings as f64 + OF_DOF * n;
        let factor = if self.is_iterative { 4000.0 * n } else { self.factor.bytes() as f64 };
        let search = 8.0 * n * self.search_columns();
        let solving =
            factor + (16.0 * n * self.n_interface as f64).max(search + 8.0 * n * self.n_interface as f64);
        let projecting = self.projection_bytes() as f64;
        let places = match self.places.regions {
            0 => 0.0,
            _ => factor + 8.0 * n * (columns + 64.0) + 8.0 * 30.0 * (self.places.count as f64).powi(2),
        };
        self.mesh_check.bytes.max((matrices + solving.max(projecting).max(places)) as u64)
    }

    /// Columns of the space of the search for modes, with its work space.
    fn search_columns(&self) -> f64 {
        match self.n_modes {
            0 => 0.0,
            m => self.solutions() + 2.0 * m as f64 + 40.0,
        }
    }

    /// Size of the model's file \[bytes\].
    pub fn file_bytes(&self) -> u64 {
        let (columns, places) = (self.n_columns() as f64, self.places.count as f64);
        let rows = (self.n_field_dofs + self.n_interface + 3 * self.places.count) as f64;
        (20_000.0 + 8.0 * (rows * columns + 15.0 * columns * columns + 9.0 * places * places)) as u64
    }
}

/// Memory of the program before it reads a body.
const BASE: f64 = 20e6;

/// For each dof: mesh, surface, graph, permutations.
const OF_DOF: f64 = 150.0;

/// Number of square matrices over the columns of the basis in memory at the same time.
const SQUARES: u64 = 36;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Machine;

    fn seconds(of: &Reduction) -> f64 {
        Machine::REFERENCE.seconds(of.work())
    }

    #[test]
    fn everything_more_costs_more() {
        let base = Reduction { n_interface: 60, n_modes: 20, ..Reduction::of(30_000, 800_000) };
        for more in [
            Reduction { n_interface: 600, ..base },
            Reduction { n_modes: 200, ..base },
            Reduction { places: Places { regions: 1, count: 50, alone: false }, ..base },
            Reduction { factor: Factor { nonzeros: 1e8, flops: 1e12 }, ..base },
        ] {
            assert!(seconds(&more) > seconds(&base) && more.bytes() >= base.bytes(), "{more:?}");
        }
    }

    /// `cargo test -p carom-cost -- --ignored --nocapture solvers`: 60 interface dofs and 24 modes of cubes
    /// of quadratic cells.
    #[test]
    #[ignore = "1 s: prints a table"]
    fn solvers_by_dofs() {
        println!("| dofs | factor: CPU s | MB | multigrid: CPU s | MB |\n|---|---|---|---|---|");
        for n in [1e4, 3e4, 1e5, 3e5, 1e6, 3e6, 1e7_f64] {
            let n = n as usize;
            let direct = Reduction { n_interface: 60, n_modes: 24, ..Reduction::of(n, 10 * n) };
            let iterative = Reduction { is_iterative: true, ..direct };
            let figures = [direct, iterative].map(|of| (seconds(&of), of.bytes() as f64 / 1e6));
            let [(a, b), (c, d)] = figures;
            println!("| {n} | {a:.0} | {b:.0} | {c:.0} | {d:.0} |");
        }
    }

    #[test]
    fn iteration_saves_memory_and_takes_longer_where_a_factor_fits() {
        let direct = Reduction { n_interface: 60, n_modes: 24, ..Reduction::of(100_000, 3_000_000) };
        let iterative = Reduction { is_iterative: true, ..direct };
        assert!(seconds(&iterative) > seconds(&direct) && iterative.bytes() < direct.bytes());
    }
}
