//! From stiffness and mass to a reduced body, for bodies with a geometry and for matrices.
//!
//! `reduce` is the table of contents; `basis` makes T (constraint modes, fixed-interface modes, further
//! interior fields), `modes` combines its columns (interface reduction, second eigenproblem, split, body
//! frame, damping), `columns` describes them.

mod basis;
mod columns;
mod modes;

use carom_fem::recovery::energy_errors;
use carom_fem::{Body, Discretisation, Material, SystemMatrices};
use carom_linalg::tall::product;
use carom_linalg::{DofSet, Proof, Wanted};
use carom_progress::Progress;
use faer::{Mat, MatRef};

use crate::boundary::Boundary;
use crate::column::{Composition, effective_mass};
use crate::condensation::{Condensation, ConstraintModes, constraint_modes};
use crate::error::ReduceError;
use crate::frequency::hz;
use crate::given::{self, Check, GivenError, InteriorSolutions};
use crate::moments::Moments;
use crate::options::{CraigBamptonOptions, DEFAULT_FIXED_MODES, FixedModes, LEAST_FIXED_MODES};
use crate::point_modes::Modes;
use crate::reduced::{NamedSurface, ReducedBody};
use crate::reduction::CraigBampton;
use crate::rigid_part::RIGID_ERROR;
use crate::solver::{Interior, Operator, SolverChoice, bytes_beside, note_on_search};
use crate::timing::{Lap, Seconds};
use crate::variant::ModeKind;

use basis::Given;
use modes::ReducedModes;

/// The data of a body for a reduction, in addition to its matrices.
pub(crate) struct Subject<'a> {
    pub(crate) name: &'a str,
    /// Positions of all points \[m\].
    pub(crate) points: &'a [[f64; 3]],
    pub(crate) is_used: &'a [bool],
    pub(crate) boundary: &'a Boundary,
    /// Names of the sets that are held.
    pub(crate) held: &'a [String],
    /// Names of the interface sets with their points, ascending.
    pub(crate) sets: &'a [(String, Vec<u32>)],
    pub(crate) materials: &'a [Material],
    /// Points at which modes are kept.
    pub(crate) field_points: Vec<u32>,
    /// The body and its cells, for errors by the mesh; none of matrices.
    pub(crate) meshed: Option<(&'a Body, &'a Discretisation)>,
    pub(crate) surfaces: Vec<NamedSurface>,
}

impl Subject<'_> {
    /// Reduces the body.
    pub(crate) fn reduce(
        self,
        system: SystemMatrices,
        wanted: Wanted,
        options: &CraigBamptonOptions,
        mut seconds: Seconds,
        progress: &dyn Progress,
    ) -> Result<CraigBampton, ReduceError> {
        let mut lap = Lap::start();
        let factor = self.invert(&system, wanted, &options.solver, progress)?;
        seconds.factorisation = lap.lap();
        let constraint =
            constraint_modes(&system, &factor, self.boundary, self.points, self.is_used, progress)
                .map_err(|source| ReduceError::of_solution(self.name, source))?;
        check_rigid_motions(self.name, constraint.rigid_error)?;
        let rigid_error = constraint.rigid_error;
        seconds.constraint_modes = lap.lap();
        let mut notes: Vec<String> = factor.note(&options.solver).into_iter().collect();
        let is_iterative = factor.is_iterative();
        let given = Given { system: &system, factor, constraint, wanted };
        let condensation = self.condense(given, options, &mut notes, progress)?;
        check_count(self.name, options, condensation.fixed_lambda.len())?;
        notes.extend(condensation.proof.and_then(note_on_search));
        seconds.eigen = lap.lap();
        let result = self.reduce_condensed(system, condensation, options, notes, progress)?;
        seconds.projection = lap.lap();
        Ok(CraigBampton { seconds, rigid_error, is_iterative, ..result })
    }

    /// Reduces the body with the solutions of another program.
    pub(crate) fn reduce_given(
        self,
        system: SystemMatrices,
        wanted: Wanted,
        options: &CraigBamptonOptions,
        solutions: InteriorSolutions,
        mut seconds: Seconds,
        progress: &dyn Progress,
    ) -> Result<CraigBampton, ReduceError> {
        let mut lap = Lap::start();
        let failed = |source| match source {
            GivenError::Interrupted => ReduceError::Interrupted,
            source => ReduceError::Given { body: self.name.to_owned(), source },
        };
        let (boundary, used) = (self.boundary, self.used());
        let (points, choice) = (self.points, &options.solver);
        let check = Check { system: &system, boundary, used: &used, points, choice };
        let InteriorSolutions { constraint_modes: mut modes, fixed_modes, count, origin } = solutions;
        check.prescribed(&mut modes).map_err(failed)?;
        let (pairs, of_pairs) = check.pairs(fixed_modes, count, wanted, progress).map_err(failed)?;
        check_count(self.name, options, pairs.lambda.len())?;
        seconds.eigen = lap.lap();
        let of_modes = check.balance(&modes, &pairs, progress).map_err(failed)?;
        let constraint = ConstraintModes::given(modes, &system, boundary, points, self.is_used);
        check_rigid_motions(self.name, constraint.rigid_error)?;
        let (rigid_error, proof) = (constraint.rigid_error, pairs.proof);
        seconds.constraint_modes = lap.lap();
        let is_iterative = matches!(proof, Proof::SearchedAgain { .. });
        let mut notes = vec![given::note(&origin, of_modes, of_pairs, proof, rigid_error)];
        notes.extend(note_on_search(proof));
        let condensation = Condensation::of_pairs(constraint, pairs);
        let result = self.reduce_condensed(system, condensation, options, notes, progress)?;
        seconds.projection = lap.lap();
        Ok(CraigBampton { seconds, rigid_error, is_iterative, ..result })
    }

    /// The steps from the basis T on.
    fn reduce_condensed(
        mut self,
        system: SystemMatrices,
        condensation: Condensation,
        options: &CraigBamptonOptions,
        mut notes: Vec<String>,
        progress: &dyn Progress,
    ) -> Result<CraigBampton, ReduceError> {
        let SystemMatrices { mass, stiffness } = system;
        drop(stiffness);
        let moments = Moments::new(&mass, self.points, condensation.basis.as_ref(), progress)
            .ok_or(ReduceError::Interrupted)?;
        progress.begin("second eigenproblem and invariants", 0);
        let modes = self.modes(&condensation, &moments, options, &mut notes)?;
        check_interruption(progress)?;
        let projection = self.project(condensation, &moments, modes, options);
        progress.end();
        check_interruption(progress)?;
        Ok(CraigBampton { notes, ..projection })
    }

    /// The inverse of the interior stiffness.
    fn invert(
        &self,
        system: &SystemMatrices,
        wanted: Wanted,
        choice: &SolverChoice,
        progress: &dyn Progress,
    ) -> Result<Interior, ReduceError> {
        let operator = Operator { k: &system.stiffness, shifted_mass: None, points: self.points };
        let beside = bytes_beside(system.stiffness.n_dofs(), self.boundary.n_dofs(), wanted);
        Interior::new(operator, self.boundary.space(&self.used()), choice, beside, progress)
            .map_err(|source| ReduceError::Factor { body: self.name.to_owned(), source })
    }

    /// All dofs of the body.
    fn used(&self) -> DofSet {
        DofSet::from_flags(self.is_used.iter().map(|&used| [used; 3]).collect())
    }

    /// Invariants and mode values.
    fn project(
        self,
        condensation: Condensation,
        moments: &Moments,
        modes: ReducedModes,
        options: &CraigBamptonOptions,
    ) -> CraigBampton {
        let Condensation { basis, stiffness, fixed_lambda, n_interface, .. } = condensation;
        let com = moments.center();
        let z = modes.combination.as_ref();
        let n = modes.omega.len();
        let stiffness_modal = Mat::from_fn(n, n, |i, j| if i == j { modes.omega[i].powi(2) } else { 0.0 });
        let mut invariants = moments.combined(z).from_origin(com).invariants(stiffness_modal);
        invariants.mass_modal = Mat::identity(n, n);
        invariants.damping_modal = modes.damping.clone();
        if options.variant.modes == ModeKind::MasslessBoundary {
            invariants.drop_mass_from(modes.n_low);
        }
        let values = |points: Vec<u32>| mode_values(self.points, com, basis.as_ref(), z, points);
        let errors = |(body, discretisation): (&Body, &Discretisation)| {
            let low = product(basis.as_ref(), z.subcols(0, modes.n_low));
            energy_errors(body, discretisation, low.as_ref())
        };
        let fixed_interface_hz: Vec<f64> = fixed_lambda.iter().map(|&lambda| hz(lambda)).collect();
        let composition = Composition {
            strain_shares: modes.described.strain_shares,
            effective_mass: effective_mass(moments, n_interface, fixed_interface_hz.len()),
            columns: modes.described.columns,
        };
        let reduced = ReducedBody {
            name: self.name.to_owned(),
            body_checksum: options.body_checksum.clone(),
            materials: self.materials.to_vec(),
            com,
            invariants,
            omega: modes.omega,
            n_low: modes.n_low,
            mode_errors: self.meshed.map(errors).unwrap_or_default(),
            frequency_errors: Vec::new(),
            fixed_interface_hz,
            n_interface_dofs: n_interface,
            composition,
            markers: self.boundary.attached_markers(z, com),
            held: self.held.to_vec(),
            n_dofs: 3 * self.is_used.iter().filter(|&&used| used).count(),
            surfaces: self.surfaces,
            places: Vec::new(),
            boundary: values(self.boundary.points.clone()),
            fields: (!self.field_points.is_empty()).then(|| values(self.field_points).into()),
            stress: None,
            stiffening: None,
        };
        CraigBampton {
            reduced,
            seconds: Seconds::default(),
            peak_memory_bytes: None,
            condensed_stiffness: stiffness,
            condensed_mass: moments.mass_matrix(),
            rigid_error: 0.0,
            is_iterative: false,
            free_omega: modes.free_omega,
            notes: Vec::new(),
        }
    }
}

/// Refuses a free body with too few fixed-interface modes to follow its motion on the elastic interface.
pub(crate) fn check_count(
    body: &str,
    options: &CraigBamptonOptions,
    count: usize,
) -> Result<(), ReduceError> {
    let has_relief = options.variant.inertia_relief || options.variant.modes != ModeKind::FixedInterface;
    // A body that is held cannot move on its elastic interface.
    if count >= LEAST_FIXED_MODES || has_relief || !options.held.is_empty() {
        return Ok(());
    }
    let hint = match options.modes {
        FixedModes::UpTo(limit) => format!("; raise the frequency above {limit} Hz, or give a number"),
        _ => format!("; {DEFAULT_FIXED_MODES} is a good number, or use inertia relief"),
    };
    Err(ReduceError::TooFewModes { body: body.to_owned(), count, hint })
}

fn check_interruption(progress: &dyn Progress) -> Result<(), ReduceError> {
    if progress.interrupted() { Err(ReduceError::Interrupted) } else { Ok(()) }
}

/// Refuses constraint modes whose rounding errors are too large to be removed.
fn check_rigid_motions(body: &str, error: f64) -> Result<(), ReduceError> {
    if error.is_nan() || error > RIGID_ERROR {
        return Err(ReduceError::RigidMotion { body: body.to_owned(), error });
    }
    Ok(())
}

/// Number of points whose mode values are computed together.
const PIECE_POINTS: usize = 8192;

/// Mode values Φ = T Z at listed points.
fn mode_values(
    places: &[[f64; 3]],
    com: [f64; 3],
    basis: MatRef<'_, f64>,
    z: MatRef<'_, f64>,
    points: Vec<u32>,
) -> Modes {
    let mut values = Mat::zeros(3 * points.len(), z.ncols());
    // Rows of T are copied piece by piece, since the listed points may be all points.
    for (piece, points) in points.chunks(PIECE_POINTS).enumerate() {
        let rows = Mat::from_fn(3 * points.len(), basis.ncols(), |i, k| {
            basis[(3 * points[i / 3] as usize + i % 3, k)]
        });
        let own = product(rows.as_ref(), z);
        values.as_mut().subrows_mut(3 * PIECE_POINTS * piece, own.nrows()).copy_from(own);
    }
    let positions_b =
        points.iter().map(|&point| std::array::from_fn(|a| places[point as usize][a] - com[a])).collect();
    Modes { values, points, positions_b }
}
