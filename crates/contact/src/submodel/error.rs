//! The convergence criterion of a solve, and errors from set-up and solve.

use carom_fem::SurfaceError;
use thiserror::Error;

use crate::law::Law;
use crate::solver::{FrictionError, LcpError};
use carom_fem::surface::MAX_FACE_POINTS;

/// When the iteration has converged.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tolerances {
    /// Largest error of the displacement relative to its largest entry.
    pub relative: f64,
    /// Most passes over the geometry.
    pub max_passes: usize,
}

impl Default for Tolerances {
    fn default() -> Self {
        Self { relative: 1e-10, max_passes: 60 }
    }
}

/// Errors from a solve of the quasistatic contact. The caller adds time and names.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum SolveError {
    /// States, positions or the warm state do not fit the model.
    #[error("{what} of body {body} have {found} entries, {needed} are needed")]
    Size {
        /// The array of the wrong length.
        what: &'static str,
        /// Number of the body.
        body: usize,
        /// Length found.
        found: usize,
        /// Length needed.
        needed: usize,
    },
    /// The warm state is one of another model.
    #[error("the memory of the last solve belongs to another contact problem; begin with a cold one")]
    ForeignWarmState,
    /// A position or pose is not a finite number.
    #[error("the configuration of body {body} is not finite")]
    NotFinite {
        /// Number of the body.
        body: usize,
    },
    /// The complementarity problem has no solution, which a symmetric positive semi-definite compliance
    /// excludes.
    #[error("condensed contact of {cells} rows: {source}; is the compliance of a body indefinite?")]
    Complementarity {
        /// Number of rows.
        cells: usize,
        /// Error of the solver.
        source: LcpError,
    },
    /// The linearised problem with friction has not been solved.
    #[error("quasistatic contact with friction at {cells} pressure cells: {source}")]
    Friction {
        /// Number of cells.
        cells: usize,
        /// Error of the solver.
        source: FrictionError,
    },
    /// No convergence.
    #[error(
        "quasistatic contact does not converge: after {passes} passes the displacement still changes by \
         {change:.3e} m (largest displacement {scale:.3e} m), worst at pressure cell {cell} of pair \
         {pair} with gap {gap:.3e} m"
    )]
    NotConverged {
        /// Passes made.
        passes: usize,
        /// Last change of the displacement \[m\].
        change: f64,
        /// Largest displacement \[m\].
        scale: f64,
        /// Pair of the worst cell.
        pair: usize,
        /// Worst cell: the one with the largest violation of complementarity.
        cell: usize,
        /// Its gap \[m\].
        gap: f64,
        /// Change of the displacement in each pass \[m\].
        history: Vec<f64>,
    },
    /// The energy does not decrease along the step.
    #[error(
        "quasistatic contact: the energy {energy:.6e} J does not decrease within {cuts} halvings of the step \
         (change of displacement {change:.3e} m), worst at pressure cell {cell} of pair {pair} \
         with gap {gap:.3e} m"
    )]
    NoDescent {
        /// Energy at the start of the step \[J\].
        energy: f64,
        /// Halvings tried.
        cuts: usize,
        /// Change of the displacement by the full step \[m\].
        change: f64,
        /// Pair of the worst cell.
        pair: usize,
        /// Worst cell.
        cell: usize,
        /// Its gap \[m\].
        gap: f64,
        /// Change of the displacement in each pass \[m\].
        history: Vec<f64>,
    },
}

/// Errors from setting up a contact problem.
#[derive(Debug, Error)]
pub enum SetupError {
    /// A zone refers to a point that is not among the body's surface points.
    #[error("zone `{zone}` needs point {point}, which is not among the surface points of its body")]
    MissingPoint {
        /// Name of the zone.
        zone: String,
        /// Number of the point.
        point: u32,
    },
    /// A face of a zone cannot be evaluated.
    #[error("zone `{zone}`: {source}")]
    Surface {
        /// Name of the zone.
        zone: String,
        /// Error of the surface.
        source: SurfaceError,
    },
    /// A compliance has the wrong size or is not symmetric.
    #[error(
        "body `{body}`: the compliance is {rows} × {columns} and must be symmetric with 3 × {points} rows"
    )]
    Compliance {
        /// Name of the body.
        body: String,
        /// Rows found.
        rows: usize,
        /// Columns found.
        columns: usize,
        /// Points of the body.
        points: usize,
    },
    /// A zone refers to a body, or a pair to a zone, that does not exist.
    #[error("{what} {index} does not exist; there are {count}")]
    Missing {
        /// "body" or "zone".
        what: &'static str,
        /// Index that is too large.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// The first zone of a pair must have faces.
    #[error(
        "pair `{first}`/`{second}`: the first zone must have faces, as it carries the pressure; exchange the \
         two, or give one of the bodies a mesh"
    )]
    NoFaces {
        /// Name of the first zone.
        first: String,
        /// Name of the second zone.
        second: String,
    },
    /// The second zone of a pair consists of several planes, or of none.
    #[error(
        "pair `{first}`/`{second}`: `{second}` has {planes} planes, where one is possible; give each plane a \
         pair of its own"
    )]
    Planes {
        /// Name of the first zone.
        first: String,
        /// Name of the second zone.
        second: String,
        /// Number of planes.
        planes: usize,
    },
    /// The hard law needs an elastic body.
    #[error(
        "pair `{first}`/`{second}`: both bodies are rigid, so contact without penetration has no force law; \
         use the penalty law or make one of them flexible"
    )]
    RigidAndHard {
        /// Name of the first zone.
        first: String,
        /// Name of the second zone.
        second: String,
    },
    /// The second surface is more curved than the pressure cells can resolve.
    #[error(
        "pair `{first}`/`{second}`: the pressure cells of `{first}` are {size:.3e} m large or more, but \
         `{second}` has a radius of curvature of {radius:.3e} m where it is bluntest: it could slip in \
         between the integration points; refine `{first}` to faces of a quarter of the contact radius"
    )]
    CoarseCells {
        /// Name of the first zone.
        first: String,
        /// Name of the second zone.
        second: String,
        /// √A of the smallest cell \[m\].
        size: f64,
        /// Largest radius of curvature of the second zone \[m\].
        radius: f64,
    },
    /// More faces meet in one node than are provided for.
    #[error(
        "zone `{first}`: the faces around one of its nodes have {points} nodes, at most {MAX_FACE_POINTS} \
         are possible; mend the mesh there"
    )]
    CrowdedNode {
        /// Name of the first zone.
        first: String,
        /// Nodes of the faces around the node.
        points: usize,
    },
    /// A coefficient of friction that is negative or not finite.
    #[error(
        "pair `{first}`/`{second}`: the coefficient of friction is {friction}; it must be finite and at \
         least 0"
    )]
    Friction {
        /// Name of the first zone.
        first: String,
        /// Name of the second zone.
        second: String,
        /// The coefficient.
        friction: f64,
    },
    /// A number of the law is not positive.
    #[error("pair `{first}`/`{second}`: {law:?} needs positive, finite numbers")]
    Law {
        /// Name of the first zone.
        first: String,
        /// Name of the second zone.
        second: String,
        /// The law.
        law: Law,
    },
}
