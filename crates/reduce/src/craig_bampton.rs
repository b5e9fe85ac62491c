//! The whole way from a body to a reduced body.

use std::f64::consts::PI;

use carom_fem::{
    AssemblyError, Body, Discretisation, DiscretisationError, QuadratureRule, Surface, SystemMatrices,
    assemble,
};
use carom_linalg::dense::product;
use carom_linalg::{Cholesky, DenseEigenError, EigenError, FactorError, Wanted};
use carom_progress::Progress;
use faer::{Mat, MatRef};

use crate::condensation::{Condensation, constraint_modes, interior};
use crate::interface::{Attachment, Interface, InterfaceError};
use crate::modes::{hz, used_dofs};
use crate::moments::Moments;
use crate::reduced::{Modes, NamedSurface, ReducedBody};
use crate::rigid::rigid_modes;
use crate::second::second_modes;
use crate::timing::{Lap, Seconds, peak_memory_bytes};

/// Fewest fixed-interface normal modes of a free body.
pub const LEAST_FIXED_MODES: usize = 6;

/// Fixed-interface normal modes if nothing else is asked for: the six of the body on its elastic interface and 18 of its own.
pub const DEFAULT_FIXED_MODES: usize = 24;

/// Largest error with which constraint modes may reproduce rigid motions before these are restored.
const RIGID_ERROR: f64 = 1e-3;

/// How many fixed-interface normal modes are kept.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum FixedModes {
    /// [`DEFAULT_FIXED_MODES`], or as many as the interior has if that is less.
    #[default]
    Default,
    /// The lowest n.
    Count(usize),
    /// All up to this frequency \[Hz\].
    UpTo(f64),
}

/// At which points mode values are kept for pictures and stress.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fields {
    /// All points.
    #[default]
    Full,
    /// Points of the body's surface.
    Surface,
}

/// What to reduce, and how.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CraigBamptonOptions {
    /// Sets whose points are interface points.
    pub interface_sets: Vec<String>,
    /// Further interface points, counted from 0.
    pub interface_points: Vec<u32>,
    /// Sets tied to markers.
    pub attachments: Vec<Attachment>,
    /// Fixed-interface normal modes.
    pub modes: FixedModes,
    /// Frequency up to which modes are dynamic \[Hz\]; `None`: the highest fixed-interface frequency that was kept, above
    /// which the reduced modes are those of the interface rather than of the body.
    pub split: Option<f64>,
    /// Where mode values are kept.
    pub fields: Fields,
    /// Quadrature of stiffness and mass; `None` for the default.
    pub rule: Option<QuadratureRule>,
    /// Checksum of the body, handed through to [`ReducedBody::body_checksum`].
    pub body_checksum: String,
}

/// Why a body could not be reduced.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ReduceError {
    /// The body is no discretisation.
    #[error(transparent)]
    Discretisation(#[from] DiscretisationError),
    /// There is no usable interface.
    #[error(transparent)]
    Interface(#[from] InterfaceError),
    /// Stiffness and mass could not be assembled.
    #[error("body `{body}`: {source}")]
    Assembly {
        /// Name of the body.
        body: String,
        /// What went wrong.
        source: AssemblyError,
    },
    /// The interior stiffness could not be factorised.
    #[error("body `{body}`, interior: {source}")]
    Factor {
        /// Name of the body.
        body: String,
        /// What went wrong.
        source: FactorError,
    },
    /// The fixed-interface modes could not be found.
    #[error("body `{body}`, fixed-interface modes: {source}")]
    Eigen {
        /// Name of the body.
        body: String,
        /// What went wrong.
        source: EigenError,
    },
    /// A frequency is not usable.
    #[error("body `{body}`: the {what} is {hz} Hz; it must be above 0 and finite")]
    Frequency {
        /// Name of the body.
        body: String,
        /// Which one.
        what: &'static str,
        /// The frequency given \[Hz\].
        hz: f64,
    },
    /// Too few fixed-interface modes.
    #[error(
        "body `{body}`: {count} fixed-interface modes are too few: a free body needs at least {LEAST_FIXED_MODES}; the first six are the \
         body moving on its elastic interface, and without them the force of an impact comes out several times too large{hint}"
    )]
    TooFewModes {
        /// Name of the body.
        body: String,
        /// Number of modes.
        count: usize,
        /// What to do.
        hint: String,
    },
    /// Constraint modes do not reproduce rigid motions.
    #[error(
        "body `{body}`: its constraint modes miss its rigid motions by {error:.1e} (at most {RIGID_ERROR:.0e}): the mesh is too badly \
         graded for its interface; take a larger interface or a smoother grading"
    )]
    RigidMotion {
        /// Name of the body.
        body: String,
        /// Largest deviation, relative to the motion.
        error: f64,
    },
    /// The second eigenproblem failed: the reduced body has rigid content besides its six motions, or is broken.
    #[error("body `{body}`: the reduced body has no six rigid modes apart from its elastic ones: {source}")]
    Second {
        /// Name of the body.
        body: String,
        /// What went wrong.
        source: DenseEigenError,
    },
    /// The user stopped it.
    #[error("stopped during the reduction")]
    Interrupted,
}

/// A reduction and what it cost.
#[derive(Debug, Clone)]
pub struct CraigBampton {
    /// The reduced body.
    pub reduced: ReducedBody,
    /// Time by phase.
    pub seconds: Seconds,
    /// Most memory that the process held, in bytes.
    pub peak_memory_bytes: Option<u64>,
    /// K̂ of the condensation, before the second eigenproblem.
    pub condensed_stiffness: Mat<f64>,
    /// M̂ of the condensation.
    pub condensed_mass: Mat<f64>,
    /// Deviation of the constraint modes from the rigid motions before these were restored.
    pub rigid_error: f64,
}

/// Reduces a free body.
///
/// THEORY section 2, with the invariants of section 1.2 about the centre of mass.
///
/// # Errors
///
/// [`ReduceError`].
pub fn craig_bampton(
    body: &Body,
    options: &CraigBamptonOptions,
    progress: &dyn Progress,
) -> Result<CraigBampton, ReduceError> {
    let name = || body.name.clone();
    let (mut total, mut lap) = (Lap::start(), Lap::start());
    let mut seconds = Seconds::default();
    let discretisation = Discretisation::new(body)?;
    let interface = Interface::new(
        body,
        &discretisation,
        &options.interface_sets,
        &options.interface_points,
        &options.attachments,
    )?;
    let free = interior(&used_dofs(&discretisation), &interface.points);
    let wanted = wanted(body, options, free.len())?;
    let system = assemble(&discretisation, options.rule.unwrap_or(QuadratureRule::Default), progress)
        .map_err(|source| ReduceError::Assembly { body: name(), source })?;
    seconds.assembly = lap.lap();
    let factor = Cholesky::new(&system.stiffness, None, free, progress)
        .map_err(|source| ReduceError::Factor { body: name(), source })?;
    seconds.factorisation = lap.lap();
    let used = discretisation.point_is_used();
    let constraint = constraint_modes(&system, &factor, &interface.dofs(), &discretisation.points, &used);
    check_rigid_motions(body, constraint.rigid_error)?;
    let rigid_error = constraint.rigid_error;
    check_interruption(progress)?;
    seconds.constraint_modes = lap.lap();
    let condensation = Condensation::new(&system, factor, constraint, wanted, progress)
        .map_err(|source| ReduceError::Eigen { body: name(), source })?;
    check_count(body, options, condensation.fixed_lambda.len())?;
    seconds.eigen = lap.lap();
    let SystemMatrices { mass, stiffness } = system;
    drop(stiffness);
    let moments = Moments::new(&mass, &discretisation.points, condensation.basis.as_ref());
    check_interruption(progress)?;
    let projection = project(body, &discretisation, &interface, condensation, &moments, options)?;
    seconds.projection = lap.lap();
    seconds.total = total.lap();
    Ok(CraigBampton { seconds, peak_memory_bytes: peak_memory_bytes(), rigid_error, ..projection })
}

fn check_interruption(progress: &dyn Progress) -> Result<(), ReduceError> {
    if progress.interrupted() { Err(ReduceError::Interrupted) } else { Ok(()) }
}

/// The number or frequency of fixed-interface modes, checked before any work.
fn wanted(body: &Body, options: &CraigBamptonOptions, n_interior: usize) -> Result<Wanted, ReduceError> {
    let positive = |what: &'static str, hz: f64| {
        if hz > 0.0 && hz.is_finite() {
            Ok(hz)
        } else {
            Err(ReduceError::Frequency { body: body.name.clone(), what, hz })
        }
    };
    if let Some(split) = options.split {
        positive("split frequency", split)?;
    }
    match options.modes {
        FixedModes::Default => {
            check_count(body, options, n_interior)?;
            Ok(Wanted::Count(DEFAULT_FIXED_MODES.min(n_interior)))
        }
        FixedModes::Count(n) => {
            check_count(body, options, n)?;
            Ok(Wanted::Count(n))
        }
        FixedModes::UpTo(limit) => {
            Ok(Wanted::UpTo((2.0 * PI * positive("frequency of the fixed-interface modes", limit)?).powi(2)))
        }
    }
}

fn check_count(body: &Body, options: &CraigBamptonOptions, count: usize) -> Result<(), ReduceError> {
    if count >= LEAST_FIXED_MODES {
        return Ok(());
    }
    let hint = match options.modes {
        FixedModes::UpTo(limit) => format!("; raise the frequency above {limit} Hz, or give a number"),
        _ => format!("; {DEFAULT_FIXED_MODES} is a good number"),
    };
    Err(ReduceError::TooFewModes { body: body.name.clone(), count, hint })
}

/// Second eigenproblem, invariants, mode values.
fn project(
    body: &Body,
    discretisation: &Discretisation,
    interface: &Interface,
    condensation: Condensation,
    moments: &Moments,
    options: &CraigBamptonOptions,
) -> Result<CraigBampton, ReduceError> {
    let Condensation { basis, stiffness, fixed_lambda, n_interface } = condensation;
    let com = moments.center();
    let rigid_full = rigid_modes(&discretisation.points, com);
    let interface_dofs = interface.dofs();
    let rigid = Mat::from_fn(stiffness.nrows(), 6, |i, k| {
        if i < n_interface { rigid_full[(interface_dofs[i], k)] } else { 0.0 }
    });
    let mass = moments.mass_matrix();
    let second = second_modes(stiffness.as_ref(), mass.as_ref(), rigid.as_ref())
        .map_err(|source| ReduceError::Second { body: body.name.clone(), source })?;
    let z = second.combination.as_ref();
    let n = second.omega.len();
    let stiffness_modal = Mat::from_fn(n, n, |i, j| if i == j { second.omega[i].powi(2) } else { 0.0 });
    let mut invariants = moments.combined(z).from_origin(com).invariants(stiffness_modal);
    invariants.mass_modal = Mat::identity(n, n);

    let fixed_interface_hz: Vec<f64> = fixed_lambda.iter().map(|&lambda| hz(lambda)).collect();
    let split = options.split.unwrap_or_else(|| fixed_interface_hz.last().copied().unwrap_or(0.0));
    let n_low = second.omega.partition_point(|&omega| omega <= 2.0 * PI * split);
    let values = |points: Vec<u32>| mode_values(discretisation, com, basis.as_ref(), z, points);
    let whole = discretisation.surface(&body.boundary_faces());
    let field_points = match options.fields {
        Fields::Full => (0..discretisation.n_points() as u32).collect(),
        Fields::Surface => whole.points.clone(),
    };
    let reduced = ReducedBody {
        name: body.name.clone(),
        body_checksum: options.body_checksum.clone(),
        materials: body.materials.clone(),
        com,
        invariants,
        omega: second.omega,
        n_low,
        fixed_interface_hz,
        n_interface_dofs: n_interface,
        n_dofs: discretisation.n_used_dofs(),
        surfaces: interface
            .surfaces
            .iter()
            .map(|(name, surface)| named(name, surface, &whole, discretisation, &interface.points))
            .collect(),
        boundary: values(interface.points.clone()),
        fields: Some(values(field_points)),
    };
    Ok(CraigBampton {
        reduced,
        seconds: Seconds::default(),
        peak_memory_bytes: None,
        condensed_stiffness: stiffness,
        condensed_mass: mass,
        rigid_error: 0.0,
    })
}

/// Refuses constraint modes whose rounding is more than can be put right.
fn check_rigid_motions(body: &Body, error: f64) -> Result<(), ReduceError> {
    if error.is_nan() || error > RIGID_ERROR {
        return Err(ReduceError::RigidMotion { body: body.name.clone(), error });
    }
    Ok(())
}

/// Mode values Φ = T Z at listed points.
fn mode_values(
    discretisation: &Discretisation,
    com: [f64; 3],
    basis: MatRef<'_, f64>,
    z: MatRef<'_, f64>,
    points: Vec<u32>,
) -> Modes {
    let rows =
        Mat::from_fn(3 * points.len(), basis.ncols(), |i, k| basis[(3 * points[i / 3] as usize + i % 3, k)]);
    let positions_b = points
        .iter()
        .map(|&point| std::array::from_fn(|a| discretisation.points[point as usize][a] - com[a]))
        .collect();
    Modes { values: product(rows.as_ref(), z), points, positions_b }
}

fn named(
    name: &str,
    surface: &Surface,
    whole: &Surface,
    discretisation: &Discretisation,
    interface_points: &[u32],
) -> NamedSurface {
    NamedSurface {
        name: name.to_owned(),
        is_interface: surface
            .points
            .iter()
            .map(|point| interface_points.binary_search(point).is_ok())
            .collect(),
        sharp_edges: surface.sharp_edges(whole, &discretisation.points),
        surface: surface.clone(),
    }
}
