//! Models from stiffness and mass matrices of another program.

use std::path::{Path, PathBuf};

use carom_cli::{Category, Failure, Session};
use carom_fem::Units;
use carom_format::matrices::{
    DofFormat, DofList, MatrixFormat, NodeList, ReadMatrixError, read_dofs, read_matrix, read_nodes,
};
use carom_reduce::{
    BodyFrame, CraigBamptonOptions, Entries, FixedModes, MatricesError, MatrixBody, ReducedBody, Variant,
    craig_bampton_of_matrices,
};

use super::Model;
use super::rigid::{box_of, implausible_density};
use crate::args::ImportArgs;
use crate::condense::read_numbers;

/// Hint about the numbers of nodes.
const AS_LISTED: &str = "give numbers of nodes as in the list of --nodes";

pub(super) fn import_matrices(
    stiffness: &Path,
    mass: &Path,
    variant: &Variant,
    args: &ImportArgs,
    session: &Session,
) -> Result<Model, Failure> {
    let needed = |what: &str, flag: &str, why: &str| {
        Failure::new(Category::Usage, format!("matrices need {what}: {why}"))
            .hint(format!("give {flag} FILE"))
    };
    let list = args.nodes.as_ref().ok_or_else(|| {
        needed("a list of their nodes", "--nodes", "`number x y z` of each, in the order of the dofs")
    })?;
    let interface = args.interface_nodes.as_ref().ok_or_else(|| {
        needed(
            "interface nodes",
            "--interface-nodes",
            "at least three that are not on a line, by their numbers",
        )
    })?;
    let units = args.units.unwrap_or(Units::SI);
    let mut nodes = read_nodes(list).map_err(matrix_failed)?;
    let of_coordinates = args.scale.unwrap_or(units.length);
    nodes.nodes.iter_mut().for_each(|node| node.1 = node.1.map(|x| of_coordinates * x));
    let interface_points = interface_points(interface, list, &nodes)?;
    let variant = by_place(variant, list, &nodes)?;
    let (matrices, mut notes) = read_pair([stiffness, mass], units, &nodes, args, session)?;
    session.check_interrupted()?;
    let stem =
        stiffness.file_stem().map_or_else(|| "body".to_owned(), |stem| stem.to_string_lossy().into_owned());
    let (names, points): (Vec<u64>, Vec<[f64; 3]>) = nodes.nodes.into_iter().unzip();
    session.progress().begin("checking the matrices", 0);
    let body = MatrixBody::new(stem, points, &matrices.entries[0], &matrices.entries[1], &names)
        .map_err(|error| not_a_body(error, [stiffness, mass], &matrices))?;
    session.progress().end();
    session.check_interrupted()?;
    let size =
        box_of(body.points.iter().zip(&body.is_used).filter(|(_, used)| **used).map(|(point, _)| point));
    let options = CraigBamptonOptions {
        interface_points,
        modes: match (args.modes, args.up_to) {
            (Some(n), _) => FixedModes::Count(n),
            (None, Some(hz)) => FixedModes::UpTo(hz),
            (None, None) => FixedModes::Default,
        },
        split: args.split,
        variant,
        solver: args.solver.choice(),
        ..Default::default()
    };
    let reduction =
        craig_bampton_of_matrices(body, &options, session.progress()).map_err(crate::reduction_failed)?;
    let mut reduced = reduction.reduced;
    number_as_listed(&mut reduced, &names);
    notes.extend(reduction.notes);
    notes.extend(implausible_density(reduced.invariants.mass, size));
    Ok(Model { reduced, notes, size })
}

/// Positions of the interface nodes in the list.
fn interface_points(interface: &Path, list: &Path, nodes: &NodeList) -> Result<Vec<u32>, Failure> {
    let numbers = read_numbers(interface, AS_LISTED)?;
    let place = |(number, line): (u32, usize)| {
        nodes.place(u64::from(number)).ok_or_else(|| {
            let what =
                format!("`{}`:{line}: node {number} is not in `{}`", interface.display(), list.display());
            Failure::new(Category::Input, what).hint(AS_LISTED)
        })
    };
    numbers.into_iter().map(place).collect()
}

/// The variant with node numbers replaced by positions in the list.
fn by_place(variant: &Variant, list: &Path, nodes: &NodeList) -> Result<Variant, Failure> {
    let mut variant = variant.clone();
    if let BodyFrame::Nodes(of_frame) = &mut variant.frame {
        for node in of_frame {
            let number = u64::from(*node) + 1;
            *node = nodes.place(number).ok_or_else(|| {
                let what = format!("--frame: node {number} is not in `{}`", list.display());
                Failure::new(Category::Input, what).hint(AS_LISTED)
            })?;
        }
    }
    Ok(variant)
}

/// Stiffness and mass in SI units.
struct Matrices {
    entries: [Entries; 2],
    /// True if the rows follow the order of the node list.
    in_order: bool,
}

/// Reads both matrices, with notes about their formats.
fn read_pair(
    paths: [&Path; 2],
    units: Units,
    nodes: &NodeList,
    args: &ImportArgs,
    session: &Session,
) -> Result<(Matrices, Vec<String>), Failure> {
    let path = args.dofs.clone().or_else(|| beside(paths[0]));
    let dofs = path.map(|path| read_dofs(&path, nodes)).transpose().map_err(matrix_failed)?;
    let read = |path: &Path, unit: f64| {
        read_matrix(path, nodes, dofs.as_ref(), session.progress()).map_err(matrix_failed).map(
            |mut matrix| {
                matrix.entries.entries.iter_mut().for_each(|entry| entry.2 *= unit);
                matrix
            },
        )
    };
    let found = [read(paths[0], units.stiffness())?, read(paths[1], units.mass)?];
    let formats = [found[0].format, found[1].format];
    let is_named = formats.map(|format| format == MatrixFormat::Labels);
    if let (Some(flag), [true, true]) = (&args.dofs, is_named) {
        let text = format!(
            "--dofs {}: `{}` contains node and direction of each entry already",
            flag.display(),
            paths[0].display()
        );
        return Err(Failure::new(Category::Usage, text).hint("leave out --dofs"));
    }
    let mut notes: Vec<String> = note_on_formats(paths, formats).into_iter().collect();
    if is_named != [true, true] {
        notes.extend(dofs.as_ref().map(|dofs| note_on_dofs(dofs, args.dofs.is_some())));
    }
    let in_order = is_named != [true, true] && dofs.is_none();
    Ok((Matrices { entries: found.map(|matrix| matrix.entries), in_order }, notes))
}

/// The file of dofs with the name of a matrix, in its folder.
fn beside(matrix: &Path) -> Option<PathBuf> {
    let candidates = ["dof", "mapping", "DOF", "MAPPING"].map(|ending| matrix.with_extension(ending));
    candidates.into_iter().find(|path| path != matrix && path.is_file())
}

/// A note about formats other than Matrix Market.
fn note_on_formats(paths: [&Path; 2], formats: [MatrixFormat; 2]) -> Option<String> {
    let name = |format: MatrixFormat| match format {
        MatrixFormat::MatrixMarket => "Matrix Market",
        MatrixFormat::HarwellBoeing => "Harwell-Boeing",
        MatrixFormat::Rows => "`row column value`",
        MatrixFormat::Labels => "`node dof node dof value`, as Abaqus writes it",
    };
    let [stiffness, mass] = paths.map(Path::display);
    match formats {
        [MatrixFormat::MatrixMarket, MatrixFormat::MatrixMarket] => None,
        [a, b] if a == b => Some(format!("`{stiffness}` and `{mass}` are read as {}", name(a))),
        [a, b] => Some(format!("`{stiffness}` is read as {}, `{mass}` as {}", name(a), name(b))),
    }
}

fn note_on_dofs(dofs: &DofList, is_given: bool) -> String {
    let what = match dofs.format {
        DofFormat::CalculiX => "`node.direction`, as CalculiX writes it",
        DofFormat::Ansys => "`row node label`, as Ansys writes it",
    };
    let found = if is_given { "" } else { ", found in the folder of the stiffness" };
    format!("the {} rows are those of `{}` ({what}{found})", dofs.dofs.len(), dofs.path.display())
}

/// The failure for matrices that do not describe a body, with a hint about what may be missing.
fn not_a_body(error: MatricesError, paths: [&Path; 2], matrices: &Matrices) -> Failure {
    let of_order = matches!(
        error,
        MatricesError::Size { .. } | MatricesError::CoupledMass { .. } | MatricesError::Held { .. }
    );
    let files = format!("`{}` and `{}`", paths[0].display(), paths[1].display());
    let failure = Failure::from_error(Category::Input, error).context(files);
    if of_order && matrices.in_order {
        return failure.hint(
            "if the program wrote a file with the dofs of the rows (.dof of CalculiX, .mapping of Ansys), \
             give it with --dofs FILE",
        );
    }
    failure
}

/// Numbers the points of a model as in the node list, counted from 0, if all these numbers fit into 32 bits.
fn number_as_listed(reduced: &mut ReducedBody, names: &[u64]) {
    let number =
        |point: u32| names[point as usize].checked_sub(1).and_then(|number| u32::try_from(number).ok());
    let all = |points: &[u32]| points.iter().map(|&point| number(point)).collect::<Option<Vec<u32>>>();
    let Some(numbers) = all(&reduced.boundary.points) else { return };
    reduced.boundary = reduced.boundary.renumbered(&numbers);
    let Some(fields) = reduced.fields.as_ref().and_then(|fields| fields.modes().ok()) else { return };
    let Some(numbers) = all(&fields.points) else { return };
    reduced.fields = Some(fields.renumbered(&numbers).into());
}

fn matrix_failed(error: ReadMatrixError) -> Failure {
    let category = if error.is_io() { Category::Files } else { Category::Input };
    Failure::from_error(category, error)
}
