//! Reduction of a body: the complete sequence of steps.

use std::f64::consts::PI;

use carom_fem::{Body, Discretisation, QuadratureRule, Surface, assemble};
use carom_linalg::Wanted;
use carom_linalg::memory::{memory, peak_memory_bytes};
use carom_progress::Progress;

use crate::attachment::AttachmentKind;
use crate::boundary::Boundary;
use crate::error::ReduceError;
use crate::field_modes::in_memory;
use crate::given::InteriorSolutions;
use crate::interface::{Interface, InterfaceSpec, checked_points};
use crate::matrices::MatrixBody;
use crate::modes::used_dofs;
use crate::options::{CraigBamptonOptions, DEFAULT_FIXED_MODES, Fields, FixedModes};
use crate::reduced::NamedSurface;
use crate::reduction::CraigBampton;
use crate::size::ReductionSize;
use crate::stiffening::Stiffening;
use crate::subject::{Subject, check_count};
use crate::timing::{Lap, Seconds};
use crate::variant::ModeKind;

/// Reduces a body that is free, or held at some of its sets.
///
/// docs/theory/reduction.md, eqs. (10) to (12), with the invariants of docs/theory/floating-frame.md, eq.
/// (29), about the centre of mass.
///
/// # Errors
///
/// [`ReduceError`].
pub fn craig_bampton(
    body: &Body,
    options: &CraigBamptonOptions,
    progress: &dyn Progress,
) -> Result<CraigBampton, ReduceError> {
    if options.variant.stiffening {
        return stiffened(body, options, progress);
    }
    reduced(body, options, None, progress)
}

/// The same with its geometric stiffness, which needs the modes at all points.
fn stiffened(
    body: &Body,
    options: &CraigBamptonOptions,
    progress: &dyn Progress,
) -> Result<CraigBampton, ReduceError> {
    let full = CraigBamptonOptions { fields: Fields::Full, ..options.clone() };
    let mut result = reduced(body, &full, None, progress)?;
    let mut lap = Lap::start();
    let discretisation = Discretisation::new(body)?;
    let model = &mut result.reduced;
    model.stiffening = Some(Stiffening::new(body, &discretisation, model, options, progress)?);
    model.fields = match (options.fields, model.fields.take()) {
        (Fields::Surface, Some(fields)) => {
            let kept = in_memory(&fields).at(&discretisation.surface(&body.boundary_faces()).points);
            Some(kept.into())
        }
        (Fields::Interface, _) => None,
        (_, fields) => fields,
    };
    result.seconds.stiffening = lap.lap();
    result.seconds.total += result.seconds.stiffening;
    Ok(result)
}

/// As [`craig_bampton`], with the constraint modes and fixed-interface modes of another program: they are
/// checked, and the model follows from them by the same steps.
///
/// # Errors
///
/// [`ReduceError`]; [`ReduceError::Given`] if the solutions are not those of the body,
/// [`ReduceError::NotGiven`] for options that need further solutions.
pub fn craig_bampton_of_solutions(
    body: &Body,
    options: &CraigBamptonOptions,
    solutions: InteriorSolutions,
    progress: &dyn Progress,
) -> Result<CraigBampton, ReduceError> {
    let what = match options.variant.modes {
        ModeKind::FreeInterface | ModeKind::MasslessBoundary => Some("a model of free modes"),
        ModeKind::FixedInterface if options.variant.inertia_relief => Some("inertia relief"),
        ModeKind::FixedInterface if options.variant.stiffening => Some("stiffening"),
        ModeKind::FixedInterface => None,
    };
    match what {
        Some(what) => Err(ReduceError::NotGiven { body: body.name.clone(), what }),
        None => reduced(body, options, Some(solutions), progress),
    }
}

fn reduced(
    body: &Body,
    options: &CraigBamptonOptions,
    solutions: Option<InteriorSolutions>,
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
        meshed: Some((body, &discretisation)),
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
    let result = match solutions {
        Some(solutions) => subject.reduce_given(system, wanted, options, solutions, seconds, progress)?,
        None => subject.reduce(system, wanted, options, seconds, progress)?,
    };
    let seconds = Seconds { total: total.lap(), ..result.seconds };
    Ok(CraigBampton { seconds, peak_memory_bytes: peak_memory_bytes(), ..result })
}

/// Reduces a free body given by its matrices, as [`craig_bampton`] reduces a body with a geometry.
///
/// The interface consists of the points in `options`; sets and attachments need a geometry. The model keeps
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
    if options.variant.stiffening {
        return Err(ReduceError::StiffeningOfMatrices { body: name });
    }
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
        meshed: None,
        field_points: (0..points.len() as u32).filter(|&point| is_used[point as usize]).collect(),
        surfaces: Vec::new(),
    };
    let result = subject.reduce(system, wanted, options, Seconds::default(), progress)?;
    let seconds = Seconds { total: total.lap(), ..result.seconds };
    Ok(CraigBampton { seconds, peak_memory_bytes: peak_memory_bytes(), ..result })
}

/// Estimates the size of a reduction.
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

/// The interface that options of a reduction specify.
pub fn interface_spec(options: &CraigBamptonOptions) -> InterfaceSpec<'_> {
    InterfaceSpec {
        sets: &options.interface_sets,
        points: &options.interface_points,
        attachments: &options.attachments,
        held: &options.held,
    }
}

/// Refuses a reduction that does not fit into the memory.
fn check_size(body: &str, size: ReductionSize) -> Result<(), ReduceError> {
    let ReductionSize { n_interface: interface_dofs, bytes: wanted, .. } = size;
    match size.exceeds(memory().total) {
        Some(limit) => Err(ReduceError::OutOfMemory { body: body.to_owned(), interface_dofs, wanted, limit }),
        None => Ok(()),
    }
}

/// The checked number or frequency limit of fixed-interface modes.
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
