//! `carom-reduce import`

mod matrices;
mod rigid;

use std::f64::consts::TAU;
use std::io::Read;
use std::path::Path;

use carom_cli::{Category, Failure, FailureContext, Session, keep_input};
use carom_format::npz::ReadArchiveError;
use carom_format::sid::{GrLayout, ReadSidError, read_sid, reduced_of};
use carom_format::{read_body, write_rom};
use carom_reduce::ReducedBody;
use serde::Serialize;

use crate::args::ImportArgs;
use crate::import::matrices::import_matrices;
use crate::import::rigid::{box_of, rigid_text};

#[derive(Debug, Serialize)]
struct Report {
    mass: f64,
    /// In source coordinates \[m\].
    center_of_mass: [f64; 3],
    /// About the centre of mass, along the source axes \[kg m²\].
    inertia: [[f64; 3]; 3],
    /// Edges of the box of the nodes \[m\].
    size: [f64; 3],
    dofs: usize,
    interface_dofs: usize,
    fixed_interface_modes: usize,
    low_modes: usize,
    high_modes: usize,
    nodes: usize,
    frequencies_hz: Vec<f64>,
    notes: Vec<String>,
    output: String,
    checksum: String,
}

pub(crate) fn import(args: &ImportArgs, session: &Session) -> Result<(), Failure> {
    let output = &args.output.output;
    crate::model_name(output)?;
    args.files.iter().try_for_each(|file| keep_input(file, output))?;
    args.files.iter().try_for_each(|file| refuse_other_kinds(file))?;
    let variant = args.variant.variant()?;
    let Model { reduced, notes, size } = match &args.files[..] {
        [stiffness, mass] => import_matrices(stiffness, mass, &variant, args, session)?,
        files => import_sid(&files[0], args, session)?,
    };
    let notes: Vec<String> = notes.into_iter().chain(rigid::impossible_inertia(&reduced)).collect();
    let options = carom_format::CraigBamptonOptions {
        modes: args.modes,
        up_to_hz: args.up_to,
        split_hz: args.split,
        variant: variant.words(),
        ..Default::default()
    };
    let checksum = write_rom(output, &reduced, &options, session.progress()).or_fail(Category::Files)?;
    notes.iter().for_each(|note| session.note(note));
    let n_modes = reduced.omega.len();
    session.print_summary(&format!(
        "{}: {n_modes} modes, {} of them dynamic, at {} nodes; the model has no surfaces and cannot touch \
         other bodies",
        output.display(),
        reduced.n_low,
        reduced.boundary.points.len(),
    ))?;
    session.print_summary(&rigid_text(&reduced, size, args.files.len() == 2))?;
    let report = Report {
        mass: reduced.invariants.mass,
        center_of_mass: reduced.center_of_mass(),
        inertia: reduced.invariants.inertia_about_center(),
        size,
        dofs: reduced.n_dofs,
        interface_dofs: reduced.n_interface_dofs,
        fixed_interface_modes: reduced.fixed_interface_hz.len(),
        low_modes: reduced.n_low,
        high_modes: n_modes - reduced.n_low,
        nodes: reduced.boundary.points.len(),
        frequencies_hz: reduced.omega.iter().map(|omega| omega / TAU).collect(),
        notes,
        output: output.display().to_string(),
        checksum,
    };
    session.print_json("carom-reduce import 1", &report)
}

/// An imported model with notes for the user.
struct Model {
    reduced: ReducedBody,
    notes: Vec<String>,
    /// Edges of the box of the nodes \[m\].
    size: [f64; 3],
}

/// Refuses geometry, bodies and models, with a hint which program reads them.
fn refuse_other_kinds(file: &Path) -> Result<(), Failure> {
    const GEOMETRY: [&str; 11] =
        ["msh", "inp", "vtu", "step", "stp", "iges", "igs", "brep", "geo", "xml", "mesh"];
    let refuse = |what: &str, hint: &str| {
        let what = format!("`{}` is {what}, neither a SID_FEM file nor a matrix", file.display());
        Err(Failure::new(Category::Input, what).hint(hint))
    };
    let mut head = [0; 2];
    if carom_files::input::open(file).and_then(|mut file| file.read_exact(&mut head)).is_err() {
        // A missing or empty file is reported when it is read.
        return Ok(());
    }
    if file.extension().is_some_and(|ending| GEOMETRY.iter().any(|known| ending.eq_ignore_ascii_case(known)))
    {
        let hint =
            "carom-mesh import makes a body from it, and carom-reduce craig-bampton a model from the body";
        return refuse("a mesh or geometry file", hint);
    }
    if head != *b"PK" {
        return Ok(());
    }
    match read_body(file) {
        Ok(_) => refuse("a body", "carom-reduce craig-bampton makes a model from it"),
        Err(ReadArchiveError::WrongKind { found, .. }) if found == "carom-rom" => {
            refuse("a model already", "it needs no import; carom-reduce export writes it for other programs")
        }
        Err(_) => refuse("an archive", "give FILE.SID_FEM, or stiffness and mass in this order"),
    }
}

fn import_sid(file: &Path, args: &ImportArgs, session: &Session) -> Result<Model, Failure> {
    let of_matrices = [
        ("--nodes", args.nodes.is_some()),
        ("--dofs", args.dofs.is_some()),
        ("--units", args.units.is_some()),
        ("--scale", args.scale.is_some()),
        ("--interface-nodes", args.interface_nodes.is_some()),
        ("--modes", args.modes.is_some()),
        ("--up-to", args.up_to.is_some()),
        ("--solver", args.solver.is_given()),
    ];
    let given = of_matrices.into_iter().find(|(_, given)| *given).map(|(flag, _)| flag);
    if let Some(flag) = given.or(args.variant.first_given()) {
        let what = format!("{flag} is only for matrices, and `{}` is a single file", file.display());
        return Err(Failure::new(Category::Usage, what)
            .hint("name stiffness and mass, in this order, or leave the flag out"));
    }
    let read = read_sid(file, session.progress()).map_err(|error| {
        let category = match error {
            ReadSidError::Interrupted { .. } => Category::Other,
            _ if error.is_io() => Category::Files,
            _ => Category::Input,
        };
        Failure::from_error(category, error)
    })?;
    let stem = file.file_stem().map_or_else(|| "body".to_owned(), |stem| stem.to_string_lossy().into_owned());
    let mut imported = reduced_of(&read.sid, &stem).map_err(|error| {
        Failure::from_error(Category::Input, error).context(format!("`{}`", file.display()))
    })?;
    if read.gr_layout == GrLayout::ByMode {
        imported.notes.push(
            "the columns of Gr in this file are ordered mode by mode, as PY_SID writes them".to_owned(),
        );
    }
    if let Some(split) = args.split {
        imported.reduced.n_low = imported.reduced.omega.partition_point(|&omega| omega <= TAU * split);
    }
    let size = box_of(imported.reduced.boundary.positions_b.iter());
    Ok(Model { reduced: imported.reduced, notes: imported.notes, size })
}
