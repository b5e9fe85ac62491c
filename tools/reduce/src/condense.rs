//! `carom-reduce craig-bampton`

use std::path::Path;

use carom_cli::{Category, Failure, FailureContext, Session, keep_input};
use carom_format::write_rom;
use carom_reduce::{CraigBamptonOptions, Fields, FixedModes, ReducedBody, reduction_size};
use serde::Serialize;

use crate::args::{CraigBamptonArgs, FieldsName, InterfaceArgs, StressName};
use crate::table::mode_table_text;

#[derive(Debug, Serialize)]
struct Seconds {
    assembly: f64,
    factorisation: f64,
    constraint_modes: f64,
    eigen: f64,
    projection: f64,
    places: f64,
    stiffening: f64,
    mesh_check: f64,
    total: f64,
}

#[derive(Debug, Serialize)]
struct Report {
    dofs: usize,
    interface_dofs: usize,
    fixed_interface_modes: usize,
    low_modes: usize,
    high_modes: usize,
    /// Number of places of each surface with loads.
    places: Vec<usize>,
    frequencies_hz: Vec<f64>,
    seconds: Seconds,
    peak_memory_bytes: Option<u64>,
    /// `direct` or `iterative`.
    solver: &'static str,
    notes: Vec<String>,
    output: String,
    checksum: String,
}

/// Error of the lowest frequencies by the mesh above which there is a warning: the default of
/// `simulation.accuracy`.
const ACCEPTED: f64 = 0.02;

pub(crate) fn craig_bampton(args: &CraigBamptonArgs, session: &Session) -> Result<(), Failure> {
    crate::model_name(&args.output.output)?;
    let stored = crate::open_body(&args.body)?;
    for input in [Some(&args.body), args.interface.interface_nodes.as_ref(), args.modes_from.as_ref()] {
        input.map_or(Ok(()), |input| keep_input(input, &args.output.output))?;
    }
    let options = CraigBamptonOptions {
        modes: fixed_modes(args.modes, args.up_to),
        split: args.split,
        fields: match (args.fields(), args.stress) {
            (FieldsName::Surface, StressName::None) => Fields::Surface,
            (FieldsName::Interface, StressName::None) => Fields::Interface,
            // The stress of modes is computed from their values at all points.
            _ => Fields::Full,
        },
        rule: Some(crate::rule(args.quadrature)),
        body_checksum: stored.checksum.clone(),
        variant: args.variant.variant()?,
        solver: args.solver.choice(),
        ..interface_options(&args.interface, session)?
    };
    let is_bare = options.interface_sets.is_empty()
        && options.interface_points.is_empty()
        && options.attachments.is_empty();
    // The interface of a body with places alone is chosen by the reduction: three nodes.
    if args.places.is_empty() || !is_bare {
        let size = reduction_size(&stored.body, &options).map_err(crate::reduction_failed)?;
        if let Some(text) = size.note(session.threads()) {
            session.note(&text);
        }
    }
    let mut reduction = match &args.modes_from {
        Some(archive) => crate::interior::reduce(archive, &stored, &options, args.quadrature, session)?,
        None => crate::reduce_with_places(&stored.body, &options, &args.places, session)?,
    };
    crate::stress::add(&mut reduction.reduced, &stored.body, args.stress, args.fields(), session)?;
    reduction.notes.iter().for_each(|note| session.note(note));
    if let Some(doubt) = reduction.reduced.doubt_of_mesh(ACCEPTED) {
        session.warn(&format!(
            "{doubt}; make the body with more elements or a higher degree, or refine it: carom-mesh refine \
             --elevate 1 or --subdivide 2"
        ));
    }
    let output = &args.output.output;
    let asked = asked(args, &options, reduction.is_iterative);
    let checksum =
        write_rom(output, &reduction.reduced, &asked, session.progress()).or_fail(Category::Files)?;

    let reduced = &reduction.reduced;
    let n_modes = reduced.omega.len();
    let seconds = &reduction.seconds;
    session.print_summary(&format!(
        "{}: {} dofs to {} modes, {} of them dynamic ({} interface dofs, {} fixed-interface \
         modes{}); {:.1} s",
        output.display(),
        reduced.n_dofs,
        n_modes,
        reduced.n_low,
        reduced.n_interface_dofs,
        reduced.fixed_interface_hz.len(),
        placed(reduced),
        seconds.total
    ))?;
    session.detail(1, &mode_table_text(reduced));
    let report = Report {
        dofs: reduced.n_dofs,
        interface_dofs: reduced.n_interface_dofs,
        fixed_interface_modes: reduced.fixed_interface_hz.len(),
        low_modes: reduced.n_low,
        high_modes: n_modes - reduced.n_low,
        places: reduced.places.iter().map(|places| places.places_b.len()).collect(),
        frequencies_hz: reduction.free_omega.iter().map(|w| w / std::f64::consts::TAU).collect(),
        seconds: Seconds {
            assembly: seconds.assembly,
            factorisation: seconds.factorisation,
            constraint_modes: seconds.constraint_modes,
            eigen: seconds.eigen,
            projection: seconds.projection,
            places: seconds.places,
            stiffening: seconds.stiffening,
            mesh_check: seconds.mesh_check,
            total: seconds.total,
        },
        peak_memory_bytes: reduction.peak_memory_bytes,
        solver: crate::solver::way(reduction.is_iterative),
        notes: reduction.notes.clone(),
        output: output.display().to_string(),
        checksum,
    };
    session.print_json("carom-reduce craig-bampton 1", &report)
}

/// The interface, the markers and the supports that flags name.
pub(crate) fn interface_options(
    args: &InterfaceArgs,
    session: &Session,
) -> Result<CraigBamptonOptions, Failure> {
    Ok(CraigBamptonOptions {
        interface_sets: once("--interface", &args.sets, session),
        interface_points: args.interface_nodes.as_ref().map_or(Ok(Vec::new()), |file| read_nodes(file))?,
        attachments: args.attach.clone(),
        held: once("--fix", &args.fix, session),
        ..CraigBamptonOptions::default()
    })
}

/// The requested fixed-interface modes.
pub(crate) fn fixed_modes(count: Option<usize>, up_to: Option<f64>) -> FixedModes {
    match (count, up_to) {
        (Some(n), _) => FixedModes::Count(n),
        (None, Some(hz)) => FixedModes::UpTo(hz),
        (None, None) => FixedModes::Default,
    }
}

/// ", 57 places", or nothing without places.
fn placed(model: &ReducedBody) -> String {
    match model.places.iter().map(|places| places.places_b.len()).sum::<usize>() {
        0 => String::new(),
        n => format!(", {n} places"),
    }
}

/// The options as the model file records them.
fn asked(
    args: &CraigBamptonArgs,
    options: &CraigBamptonOptions,
    is_iterative: bool,
) -> carom_format::CraigBamptonOptions {
    carom_format::CraigBamptonOptions {
        interfaces: options.interface_sets.clone(),
        attachments: args.interface.attach.iter().map(ToString::to_string).collect(),
        places: args.places.iter().map(ToString::to_string).collect(),
        modes: args.modes,
        up_to_hz: args.up_to,
        split_hz: args.split,
        quadrature: args.quadrature.word().to_owned(),
        variant: options.words(is_iterative),
    }
}

/// The names without repetitions; a note reports each repeated one.
fn once(flag: &str, names: &[String], session: &Session) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for name in names {
        if kept.contains(name) {
            session.note(&format!("{flag} {name} is given more than once; it is used once"));
        } else {
            kept.push(name.clone());
        }
    }
    kept
}

/// Node numbers of a text file, counted from 0; `#` begins a comment.
fn read_nodes(file: &Path) -> Result<Vec<u32>, Failure> {
    let numbers = read_numbers(file, "give whole numbers from 1, in the order of the mesh file")?;
    Ok(numbers.into_iter().map(|(number, _)| number - 1).collect())
}

/// Node numbers of a text file from 1, each with its line; `#` begins a comment.
pub(crate) fn read_numbers(file: &Path, hint: &str) -> Result<Vec<(u32, usize)>, Failure> {
    let text = carom_files::input::read_text(file)
        .or_fail_with(Category::Files, || format!("cannot read the node numbers in `{}`", file.display()))?;
    let mut numbers = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let content = line.split('#').next().unwrap_or("");
        for word in content.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty()) {
            match word.parse::<u32>() {
                Ok(number) if number > 0 => numbers.push((number, i + 1)),
                _ => {
                    let text = format!("`{}`:{}: `{word}` is not a node number", file.display(), i + 1);
                    return Err(Failure::new(Category::Input, text).hint(hint));
                }
            }
        }
    }
    Ok(numbers)
}
