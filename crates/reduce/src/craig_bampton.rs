//! The whole way from a body to a reduced body.

use std::f64::consts::PI;

use carom_fem::{Body, Discretisation, QuadratureRule, Surface, assemble};
use carom_linalg::Wanted;
use carom_linalg::memory::{memory, peak_memory_bytes};
use carom_progress::Progress;
use faer::Mat;

use crate::attachment::{Attachment, AttachmentKind};
use crate::boundary::Boundary;
use crate::error::ReduceError;
use crate::interface::{Interface, InterfaceSpec, checked_points};
use crate::matrices::MatrixBody;
use crate::modes::used_dofs;
use crate::reduced::{NamedSurface, ReducedBody};
use crate::size::ReductionSize;
use crate::solver::SolverChoice;
use crate::subject::Subject;
use crate::timing::{Lap, Seconds};
use crate::variant::{ModeKind, Variant};

/// Fewest fixed-interface normal modes of a free body.
pub const LEAST_FIXED_MODES: usize = 6;

/// Fixed-interface normal modes if nothing else is asked for: the six of the body on its elastic interface
/// and 18 of its own.
pub const DEFAULT_FIXED_MODES: usize = 24;

/// Largest error with which constraint modes may reproduce rigid motions before these are restored.
pub(crate) const RIGID_ERROR: f64 = 1e-3;

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
    /// None beyond those of the interface: the body is shown undeformed.
    Interface,
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
    /// Sets that are held to the body frame, which is grounded; none for a free body.
    pub held: Vec<String>,
    /// Fixed-interface normal modes.
    pub modes: FixedModes,
    /// Frequency up to which modes are dynamic \[Hz\]; `None`: the highest fixed-interface frequency that was
    /// kept, above which the reduced modes are those of the interface rather than of the body.
    pub split: Option<f64>,
    /// Where mode values are kept.
    pub fields: Fields,
    /// Quadrature of stiffness and mass; `None` for the default.
    pub rule: Option<QuadratureRule>,
    /// Inertia relief, free modes, interface reduction, body frame, damping.
    pub variant: Variant,
    /// How systems of the stiffness are solved.
    pub solver: SolverChoice,
    /// Checksum of the body, handed through to [`ReducedBody::body_checksum`].
    pub body_checksum: String,
}

impl CraigBamptonOptions {
    /// What goes beyond the plain reduction, as a model file keeps it.
    ///
    /// * `is_iterative` — [`CraigBampton::is_iterative`]
    pub fn words(&self, is_iterative: bool) -> Vec<String> {
        let mut words = self.variant.words();
        words.extend(is_iterative.then(|| "iterative solution".to_owned()));
        words
    }
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
    /// Whether there was no factor: systems were solved by iteration, and a second search stands in the place
    /// of the inertia count.
    pub is_iterative: bool,
    /// Deviation of the constraint modes from the rigid motions before these were restored.
    pub rigid_error: f64,
    /// Circular frequencies of the free reduced body, whatever its frame, ascending \[rad/s\].
    pub free_omega: Vec<f64>,
    /// What the user should know of what was chosen, a sentence each.
    pub notes: Vec<String>,
}

/// Reduces a body that is free, or held at some of its sets.
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
    let (mut total, mut lap) = (Lap::start(), Lap::start());
    let mut seconds = Seconds::default();
    let discretisation = Discretisation::new(body)?;
    let interface = Interface::new(body, &discretisation, interface_spec(options))?;
    let boundary = &interface.boundary;
    let rigid = boundary.markers.iter().find(|marker| marker.kind == AttachmentKind::Rigid);
    if let Some(marker) = rigid.filter(|_| options.variant.modes != ModeKind::FixedInterface) {
        return Err(ReduceError::RigidSetOfFreeModes { body: body.name.clone(), set: marker.name.clone() });
    }
    let n_interior = boundary.interior(&used_dofs(&discretisation)).len() - boundary.n_constraints();
    let wanted = wanted(&body.name, options, n_interior)?;
    check_size(&body.name, ReductionSize::new(discretisation.n_dofs(), boundary.n_dofs(), wanted))?;
    let system = assemble(&discretisation, options.rule.unwrap_or(QuadratureRule::Default), progress)
        .map_err(|source| ReduceError::Assembly { body: body.name.clone(), source })?;
    let whole = discretisation.surface(&body.boundary_faces());
    let subject = Subject {
        name: &body.name,
        points: &discretisation.points,
        is_used: &discretisation.point_is_used(),
        boundary,
        held: &options.held,
        sets: &interface.sets,
        materials: &body.materials,
        field_points: match options.fields {
            Fields::Full => (0..discretisation.n_points() as u32).collect(),
            Fields::Surface => whole.points.clone(),
            Fields::Interface => Vec::new(),
        },
        surfaces: interface
            .surfaces
            .iter()
            .map(|(name, surface)| named(name, surface, &whole, &discretisation, &boundary.points))
            .collect(),
    };
    seconds.assembly = lap.lap();
    let result = subject.reduce(system, wanted, options, seconds, progress)?;
    let seconds = Seconds { total: total.lap(), ..result.seconds };
    Ok(CraigBampton { seconds, peak_memory_bytes: peak_memory_bytes(), ..result })
}

/// Reduces a free body that is known by its matrices, as [`craig_bampton`] does one that has a shape.
///
/// The interface is the points of `options`; sets and attachments are of bodies with a shape. The model keeps
/// the modes at all points and has no surfaces.
///
/// # Errors
///
/// [`ReduceError`].
pub fn craig_bampton_of_matrices(
    body: MatrixBody,
    options: &CraigBamptonOptions,
    progress: &dyn Progress,
) -> Result<CraigBampton, ReduceError> {
    let mut total = Lap::start();
    let MatrixBody { name, points, is_used, system } = body;
    let interface = checked_points(&name, options.interface_points.clone(), &points, &is_used)?;
    let n_used = is_used.iter().filter(|&&used| used).count();
    let wanted = wanted(&name, options, 3 * (n_used - interface.len()))?;
    check_size(&name, ReductionSize::new(3 * points.len(), 3 * interface.len(), wanted))?;
    let subject = Subject {
        name: &name,
        points: &points,
        is_used: &is_used,
        boundary: &Boundary::of_points(interface),
        held: &[],
        sets: &[],
        materials: &[],
        field_points: (0..points.len() as u32).filter(|&point| is_used[point as usize]).collect(),
        surfaces: Vec::new(),
    };
    let result = subject.reduce(system, wanted, options, Seconds::default(), progress)?;
    let seconds = Seconds { total: total.lap(), ..result.seconds };
    Ok(CraigBampton { seconds, peak_memory_bytes: peak_memory_bytes(), ..result })
}

/// The size of a reduction, before any work.
///
/// # Errors
///
/// [`ReduceError`], where the interface cannot be used.
pub fn reduction_size(body: &Body, options: &CraigBamptonOptions) -> Result<ReductionSize, ReduceError> {
    let discretisation = Discretisation::new(body)?;
    let interface = Interface::new(body, &discretisation, interface_spec(options))?;
    let boundary = &interface.boundary;
    let n_interior = boundary.interior(&used_dofs(&discretisation)).len() - boundary.n_constraints();
    let wanted = wanted(&body.name, options, n_interior)?;
    Ok(ReductionSize::new(discretisation.n_dofs(), boundary.n_dofs(), wanted))
}

fn interface_spec(options: &CraigBamptonOptions) -> InterfaceSpec<'_> {
    InterfaceSpec {
        sets: &options.interface_sets,
        points: &options.interface_points,
        attachments: &options.attachments,
        held: &options.held,
    }
}

/// Refuses a reduction that does not fit into the machine, before any work.
fn check_size(body: &str, size: ReductionSize) -> Result<(), ReduceError> {
    let ReductionSize { n_interface: interface_dofs, bytes: wanted, .. } = size;
    match size.exceeds(memory().total) {
        Some(limit) => Err(ReduceError::OutOfMemory { body: body.to_owned(), interface_dofs, wanted, limit }),
        None => Ok(()),
    }
}

/// The number or frequency of fixed-interface modes, checked before any work.
fn wanted(body: &str, options: &CraigBamptonOptions, n_interior: usize) -> Result<Wanted, ReduceError> {
    let positive = |what: &'static str, hz: f64| {
        if hz > 0.0 && hz.is_finite() {
            Ok(hz)
        } else {
            Err(ReduceError::Frequency { body: body.to_owned(), what, hz })
        }
    };
    if let Some(split) = options.split {
        positive("split frequency", split)?;
    }
    options.variant.check().map_err(|source| ReduceError::Variant { body: body.to_owned(), source })?;
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
        _ => format!("; {DEFAULT_FIXED_MODES} is a good number, or ask for inertia relief"),
    };
    Err(ReduceError::TooFewModes { body: body.to_owned(), count, hint })
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
