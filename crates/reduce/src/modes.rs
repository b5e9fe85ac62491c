//! Frequencies and shapes of a body, free or held.

use std::f64::consts::PI;

use carom_fem::parts::parts;
use carom_fem::{AssemblyError, Body, Discretisation, DiscretisationError, QuadratureRule, assemble};
use carom_linalg::eigen::search_bytes;
use carom_linalg::{DofSet, EigenError, FactorError, Wanted};
use carom_progress::Progress;
use faer::Mat;

use crate::frequency::hz;
use crate::solver::{Interior, Operator, SolverChoice, Space, note_on_search, way_out};
use crate::support::{SupportError, held_components, n_motions};
use crate::timing::{Lap, Seconds};

/// Fraction of E/(ρ L²) by which the eigenvalues of a body with rigid motions are shifted.
///
/// The shift must be far above the rounding of the largest eigenvalue, about 1e-16 E/(ρ h²), and not far
/// above the lowest elastic one, which is 0.01 to 10 E/(ρ L²).
const SHIFT: f64 = 0.1;

/// The requested modes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ModesWanted {
    /// The lowest n, including rigid modes and all copies of multiple modes.
    Count(usize),
    /// All up to this frequency \[Hz\].
    UpTo(f64),
}

/// Options of a modal analysis.
#[derive(Debug, Clone, PartialEq)]
pub struct ModalOptions {
    /// Sets that are held, as [`crate::Support`] reads them; none for a free body.
    pub fix: Vec<String>,
    /// The requested modes.
    pub wanted: ModesWanted,
    /// Quadrature of stiffness and mass.
    pub rule: QuadratureRule,
    /// Solver of linear systems with the stiffness.
    pub solver: SolverChoice,
}

/// Errors of a modal analysis.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ModesError {
    /// The body cannot be discretised.
    #[error(transparent)]
    Discretisation(#[from] DiscretisationError),
    /// A set cannot be held.
    #[error(transparent)]
    Support(#[from] SupportError),
    /// Stiffness and mass could not be assembled.
    #[error("body `{body}`: {source}")]
    Assembly {
        /// Name of the body.
        body: String,
        /// The cause.
        source: AssemblyError,
    },
    /// All points are held.
    #[error("body `{body}`: the sets {sets} hold all of its points, so that it cannot vibrate")]
    AllHeld {
        /// Name of the body.
        body: String,
        /// The sets.
        sets: String,
    },
    /// The frequency limit is invalid.
    #[error("modes up to {hz} Hz are requested; the frequency must be above 0 and finite")]
    Frequency {
        /// The frequency given \[Hz\].
        hz: f64,
    },
    /// The factorisation failed.
    #[error("body `{body}`: {source}{}", way_out(source))]
    Factor {
        /// Name of the body.
        body: String,
        /// The cause.
        source: FactorError,
    },
    /// The eigenpairs could not be found.
    #[error("body `{body}`: {source}")]
    Eigen {
        /// Name of the body.
        body: String,
        /// The cause.
        source: EigenError,
    },
}

/// Frequencies and shapes.
#[derive(Debug, Clone)]
pub struct ModalAnalysis {
    /// Frequencies, ascending; 0 to rounding for rigid modes \[Hz\].
    pub hz: Vec<f64>,
    /// Shapes, 3 n_points × modes, mass-normalised \[1/√kg\].
    pub shapes: Mat<f64>,
    /// Relative residual |K φ − ω² M φ| of each mode.
    pub residuals: Vec<f64>,
    /// Number of dofs of the body, the held ones included.
    pub n_dofs: usize,
    /// Number of rigid motions that the supports leave, over all parts.
    pub n_rigid: usize,
    /// Number of parts without a common node.
    pub n_parts: usize,
    /// Wall time by phase.
    pub seconds: Seconds,
    /// True if systems were solved by iteration.
    pub is_iterative: bool,
    /// Notes for the user, a sentence each.
    pub notes: Vec<String>,
}

/// Computes the lowest modes of a body.
///
/// For a body with rigid motions K is replaced by K + sM, where s is a tenth of E/(ρ L²) and L the diagonal
/// of the bounding box.
///
/// # Errors
///
/// [`ModesError`]; never fewer modes than wanted.
pub fn modes(
    body: &Body,
    options: &ModalOptions,
    progress: &dyn Progress,
) -> Result<ModalAnalysis, ModesError> {
    let name = || body.name.clone();
    let mut total = Lap::start();
    let mut lap = Lap::start();
    let mut seconds = Seconds::default();
    let discretisation = Discretisation::new(body)?;
    let wanted = match options.wanted {
        ModesWanted::Count(n) => Wanted::Count(n),
        ModesWanted::UpTo(hz) if hz > 0.0 && hz.is_finite() => Wanted::UpTo((2.0 * PI * hz).powi(2)),
        ModesWanted::UpTo(hz) => return Err(ModesError::Frequency { hz }),
    };
    let held = held_components(body, &discretisation, &options.fix)?;
    let used = discretisation.point_is_used();
    let free = held.iter().zip(&used).map(|(held, &used)| held.map(|held| used && !held)).collect();
    let free = DofSet::from_flags(free);
    if free.is_empty() {
        let sets: Vec<String> = options.fix.iter().map(|set| format!("`{set}`")).collect();
        return Err(ModesError::AllHeld { body: name(), sets: sets.join(", ") });
    }
    let system = assemble(&discretisation, options.rule, progress)
        .map_err(|source| ModesError::Assembly { body: name(), source })?;
    seconds.assembly = lap.lap();
    let parts = parts(&discretisation, &[]);
    let n_rigid = n_motions(&discretisation, &held);
    let shift = if n_rigid == 0 { 0.0 } else { SHIFT * stiffness_scale(&discretisation) };
    let shifted = (shift > 0.0).then_some((&system.mass, shift));
    let operator = Operator { k: &system.stiffness, shifted_mass: shifted, points: &discretisation.points };
    let beside = search_bytes(system.stiffness.n_dofs(), wanted);
    let inverse = Interior::new(operator, Space::Free(free), &options.solver, beside, progress)
        .map_err(|source| ModesError::Factor { body: name(), source })?;
    let is_iterative = inverse.is_iterative();
    let mut notes: Vec<String> = inverse.note(&options.solver).into_iter().collect();
    seconds.factorisation = lap.lap();
    let pairs = inverse
        .lowest_pairs(&system, shift, wanted, progress)
        .map_err(|source| ModesError::Eigen { body: name(), source })?;
    notes.extend(note_on_search(pairs.proof));
    seconds.eigen = lap.lap();
    seconds.total = total.lap();
    Ok(ModalAnalysis {
        hz: pairs.lambda.iter().map(|&lambda| hz(lambda)).collect(),
        shapes: pairs.vectors,
        residuals: pairs.residuals,
        n_dofs: discretisation.n_used_dofs(),
        n_rigid,
        n_parts: parts.len(),
        seconds,
        is_iterative,
        notes,
    })
}

/// All dofs of points that belong to a cell.
pub(crate) fn used_dofs(discretisation: &Discretisation) -> DofSet {
    DofSet::from_flags(discretisation.point_is_used().iter().map(|&used| [used; 3]).collect())
}

/// E/(ρ L²) of the stiffest material, L the diagonal of the bounding box \[1/s²\].
fn stiffness_scale(discretisation: &Discretisation) -> f64 {
    let used = discretisation.point_is_used();
    let mut low = [f64::INFINITY; 3];
    let mut high = [f64::NEG_INFINITY; 3];
    for (point, _) in discretisation.points.iter().zip(&used).filter(|(_, used)| **used) {
        for i in 0..3 {
            low[i] = low[i].min(point[i]);
            high[i] = high[i].max(point[i]);
        }
    }
    let length_squared: f64 = (0..3).map(|i| (high[i] - low[i]).powi(2)).sum();
    let speed_squared = discretisation.materials.iter().map(|m| m.young / m.density).fold(0.0, f64::max);
    speed_squared / length_squared
}
