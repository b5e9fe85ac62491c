//! `carom-reduce modes`

use std::path::Path;

use carom_cli::{Category, Failure, Session, keep_input};
use carom_fem::Body;
use carom_reduce::{ModalAnalysis, ModalOptions, ModesWanted};
use carom_scene::BodyGrid;
use carom_vtk::{Field, WriteError, WriteOptions, write_vtu};
use serde::Serialize;

use crate::args::ModesArgs;

/// Six rigid modes and twelve elastic ones.
const DEFAULT_COUNT: u32 = 18;

#[derive(Debug, Serialize)]
struct Seconds {
    assembly: f64,
    factorisation: f64,
    eigen: f64,
}

#[derive(Debug, Serialize)]
struct Report {
    frequencies_hz: Vec<f64>,
    dofs: usize,
    /// Number of rigid motions that the supports leave.
    rigid_modes: usize,
    /// Number of parts of the body without a common node.
    parts: usize,
    seconds: Seconds,
    largest_residual: f64,
    /// `direct` or `iterative`.
    solver: &'static str,
    notes: Vec<String>,
}

pub(crate) fn modes(args: &ModesArgs, session: &Session) -> Result<(), Failure> {
    let body = crate::open_body(&args.body)?.body;
    if let Some(output) = &args.output.output {
        shapes_file(&args.body, output)?;
    }
    let wanted = match args.up_to {
        Some(hz) => ModesWanted::UpTo(hz),
        None => ModesWanted::Count(args.count.unwrap_or(DEFAULT_COUNT) as usize),
    };
    let options = ModalOptions {
        fix: args.fix.clone(),
        wanted,
        rule: crate::rule(args.quadrature),
        solver: args.solver.choice(),
    };
    let found = crate::modes_of(&body, &options, session)?;
    if let Some(output) = &args.output.output {
        write_shapes(&body, &found, output)?;
    }
    let mut text = format!("{:>5} {:>16}\n", "mode", "frequency in Hz");
    for (i, hz) in found.hz.iter().enumerate() {
        text.push_str(&format!("{:5} {hz:16.6}\n", i + 1));
    }
    session.print(&text)?;
    if found.n_parts > 1 {
        session.note(&format!(
            "the body has {} parts without a common node: {} of its modes are rigid motions, up to 6 for \
             each part; carom-mesh info reports the parts",
            found.n_parts, found.n_rigid
        ));
    }
    let seconds = &found.seconds;
    session.detail(
        1,
        &format!(
            "{} dofs; assembly {:.2} s, factorisation {:.2} s, eigenpairs {:.2} s",
            found.n_dofs, seconds.assembly, seconds.factorisation, seconds.eigen
        ),
    );
    let report = Report {
        frequencies_hz: found.hz.clone(),
        dofs: found.n_dofs,
        rigid_modes: found.n_rigid,
        parts: found.n_parts,
        seconds: Seconds {
            assembly: seconds.assembly,
            factorisation: seconds.factorisation,
            eigen: seconds.eigen,
        },
        solver: crate::solver::way(found.is_iterative),
        notes: found.notes.clone(),
        largest_residual: found.residuals.iter().copied().fold(0.0, f64::max),
    };
    session.print_json("carom-reduce modes 1", &report)
}

/// Refuses an output name with a wrong ending before anything is computed.
fn shapes_file(body: &Path, output: &Path) -> Result<(), Failure> {
    keep_input(body, output)?;
    if output.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("vtu")) {
        return Ok(());
    }
    let what = format!("`{}`: shapes of modes are written as .vtu; change the ending", output.display());
    Err(Failure::new(Category::Usage, what))
}

/// Writes one displacement field per mode, scaled to a largest displacement of 1 m, so that the filter Warp
/// By Vector shows all modes with the same amplitude.
fn write_shapes(body: &Body, found: &ModalAnalysis, output: &Path) -> Result<(), Failure> {
    let grid_of_body = BodyGrid::volume(body);
    let mut grid = grid_of_body.grid.clone();
    let digits = found.hz.len().to_string().len();
    for (k, hz) in found.hz.iter().enumerate() {
        let shape: Vec<[f64; 3]> = (0..found.shapes.nrows() / 3)
            .map(|i| [found.shapes[(3 * i, k)], found.shapes[(3 * i + 1, k)], found.shapes[(3 * i + 2, k)]])
            .collect();
        let largest = shape.iter().map(|u| u.iter().map(|c| c * c).sum::<f64>()).fold(0.0, f64::max).sqrt();
        let scale = if largest > 0.0 { 1.0 / largest } else { 1.0 };
        let scaled: Vec<[f64; 3]> = shape.iter().map(|u| u.map(|c| scale * c)).collect();
        let name = format!("mode {:0digits$} {hz:.1} Hz", k + 1);
        grid.point_fields.push(Field::tuples(&name, &grid_of_body.at_points(&scaled)).single());
    }
    write_vtu(output, &grid, WriteOptions::default()).map_err(|error| {
        let category = if matches!(error, WriteError::File(_)) { Category::Files } else { Category::Other };
        Failure::from_error(category, error)
    })
}
