//! `carom-reduce export`

use std::path::{Path, PathBuf};

use carom_cli::{Category, Failure, FailureContext, Session, check_ending, keep_input};
use carom_fem::{Discretisation, assemble};
use carom_format::npz::ReadArchiveError;
use carom_format::sid::{NodeKind, SidNodes, is_sid, sid_of, write_sid};
use carom_format::{StoredBody, StoredRom, matrices, read_body, write_rom};
use carom_reduce::matrices::entries_of;
use serde::Serialize;

use crate::args::{ExportArgs, ExportFormat, NodesName};

/// Number of modes above which a SID_FEM file is large: it has about fifteen lines for each pair of modes.
const MANY_MODES: usize = 100;

/// A node of a SID_FEM file that is not a point of the mesh.
#[derive(Debug, Serialize)]
struct NamedNode {
    node: u64,
    set: String,
}

#[derive(Debug, Serialize)]
struct Report {
    outputs: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    nodes: Vec<NamedNode>,
}

pub(crate) fn export(args: &ExportArgs, session: &Session) -> Result<(), Failure> {
    let output = &args.output.output;
    match args.format {
        ExportFormat::Npz => crate::model_name(output)?,
        ExportFormat::Sid => sid_name(output, args.output.force)?,
        // Endings are appended to the output name.
        ExportFormat::Mtx | ExportFormat::Petsc => {}
    }
    if args.format != ExportFormat::Petsc {
        let flag = args.interface.first_given().or(args.up_to.map(|_| "--up-to"));
        if let Some(flag) = flag {
            let what = format!("{flag} has a meaning with --format petsc alone");
            return Err(Failure::new(Category::Usage, what).hint("leave it out, or give --format petsc"));
        }
    }
    keep_input(&args.rom, output)?;
    let mut nodes = Vec::new();
    let outputs = match args.format {
        ExportFormat::Npz => {
            let stored = crate::open_rom(&args.rom, session)?;
            write_rom(output, &stored.reduced, &stored.options, session.progress())
                .or_fail(Category::Files)?;
            vec![output.clone()]
        }
        ExportFormat::Sid => {
            nodes = export_sid(&crate::open_rom(&args.rom, session)?, args, session)?;
            vec![output.clone()]
        }
        ExportFormat::Mtx => match body_of(&args.rom)? {
            Some(stored) => export_body(&stored, args, session)?,
            None => export_modal(&crate::open_rom(&args.rom, session)?, output, session)?,
        },
        ExportFormat::Petsc => match body_of(&args.rom)? {
            Some(stored) => crate::interior::export(&stored, args, session)?,
            None => {
                let what =
                    format!("`{}` is a model; --format petsc writes matrices of a body", args.rom.display());
                let hint = "give the body file; --format mtx writes the matrices of a model";
                return Err(Failure::new(Category::Input, what).hint(hint));
            }
        },
    };
    let outputs: Vec<String> = outputs.iter().map(|path| path.display().to_string()).collect();
    session.print_summary(&outputs.join("\n"))?;
    for NamedNode { node, set } in &nodes {
        session.print_summary(&format!("node {node} is the mean of `{set}`"))?;
    }
    session.print_json("carom-reduce export 1", &Report { outputs, nodes })
}

/// Refuses an output name with a wrong ending, and an existing file that is not a SID_FEM file.
fn sid_name(output: &Path, force: bool) -> Result<(), Failure> {
    let other_way = "--format npz writes a model, --format mtx its matrices";
    check_ending(output, "SID_FEM files", &["SID_FEM", "sid"], other_way)?;
    if force || !output.is_file() || is_sid(output).unwrap_or(false) {
        return Ok(());
    }
    let what = format!("`{}` exists and is not a SID_FEM file: it would be overwritten", output.display());
    Err(Failure::new(Category::Usage, what).hint("give another name with -o; --force replaces the file"))
}

/// The body in a file; none if the file contains something else, which is then read as a model.
fn body_of(path: &Path) -> Result<Option<StoredBody>, Failure> {
    match read_body(path) {
        Ok(stored) => Ok(Some(stored)),
        Err(ReadArchiveError::WrongKind { .. }) => Ok(None),
        Err(error) => {
            let category = if error.is_io() { Category::Files } else { Category::Input };
            Err(Failure::from_error(category, error))
        }
    }
}

fn export_sid(stored: &StoredRom, args: &ExportArgs, session: &Session) -> Result<Vec<NamedNode>, Failure> {
    let wanted = match args.nodes {
        NodesName::Sets => SidNodes::Sets,
        NodesName::Interface => SidNodes::Interface,
        NodesName::Fields => SidNodes::Fields,
    };
    let (sid, kinds) = sid_of(&stored.reduced, wanted, args.modes, session.progress()).map_err(|error| {
        Failure::from_error(Category::Input, error).hint("give another number to --modes")
    })?;
    if sid.n_modes() > MANY_MODES {
        session.note(&format!(
            "{} modes make a large file, and a stiff body in other programs; --modes N writes only the \
             lowest modes",
            sid.n_modes()
        ));
    }
    if sid.nodes.is_empty() {
        session.warn(
            "the file has no nodes, so that nothing can be attached to it: the model has no interface \
             surfaces; use --nodes interface",
        );
    }
    write_sid(&args.output.output, &sid, session.progress()).or_fail(Category::Files)?;
    let named = |(node, kind)| match kind {
        NodeKind::Set(set) => Some(NamedNode { node, set }),
        NodeKind::Point(_) | NodeKind::Corner => None,
    };
    Ok(kinds.into_iter().filter_map(named).collect())
}

/// `FILE.K.mtx` of `FILE`.
pub(crate) fn beside(output: &Path, ending: &str) -> PathBuf {
    let mut name = output.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// Stiffness, mass and nodes of a body.
fn export_body(stored: &StoredBody, args: &ExportArgs, session: &Session) -> Result<Vec<PathBuf>, Failure> {
    let body = &stored.body;
    let input = |error| Failure::from_error(Category::Input, error);
    let discretisation = Discretisation::new(body).map_err(input)?;
    let system = assemble(&discretisation, crate::rule(args.quadrature), session.progress())
        .or_fail_with(Category::Input, || format!("body `{}`", body.name))?;
    let used = discretisation.point_is_used();
    let [stiffness, mass] = entries_of(&system, &used);
    let nodes: Vec<(u64, [f64; 3])> = (1..)
        .zip(&discretisation.points)
        .zip(&used)
        .filter(|(_, used)| **used)
        .map(|((number, point), _)| (number, *point))
        .collect();
    let output = &args.output.output;
    let paths = [".K.mtx", ".M.mtx", ".nodes.txt"].map(|ending| beside(output, ending));
    matrices::write_matrix(&paths[0], &stiffness, session.progress()).or_fail(Category::Files)?;
    matrices::write_matrix(&paths[1], &mass, session.progress()).or_fail(Category::Files)?;
    matrices::write_nodes(&paths[2], &nodes).or_fail(Category::Files)?;
    Ok(paths.to_vec())
}

/// Stiffness and mass of the modes of a model.
fn export_modal(stored: &StoredRom, output: &Path, session: &Session) -> Result<Vec<PathBuf>, Failure> {
    let invariants = &stored.reduced.invariants;
    let mut written = Vec::new();
    for (ending, matrix) in [(".K.mtx", &invariants.stiffness_modal), (".M.mtx", &invariants.mass_modal)] {
        let path = beside(output, ending);
        matrices::write_dense(&path, matrix, session.progress()).or_fail(Category::Files)?;
        written.push(path);
    }
    Ok(written)
}
