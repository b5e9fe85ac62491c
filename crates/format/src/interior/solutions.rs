//! Solutions on the interior of a body.

use std::path::Path;

use carom_reduce::InteriorSolutions;
use faer::Mat;

use super::error::ReadSolutionsError;
use super::problem::InteriorProblem;
use super::{SOLUTIONS, VERSION};
use crate::npz::{ArchiveReader, ReadArchiveError};

/// Reads solutions and refuses those of another body or of other options.
///
/// * `problem` — body and options here; the requested modes are not compared, since the reduction checks that
///   enough are given
///
/// # Errors
///
/// [`ReadSolutionsError`]
pub fn read_solutions(
    path: &Path,
    problem: &InteriorProblem<'_>,
) -> Result<InteriorSolutions, ReadSolutionsError> {
    let mut archive = ArchiveReader::open(path, SOLUTIONS, "interior solutions", VERSION.major)?;
    let archive = &mut archive;
    archive.verified_checksum(true)?;
    check_body(archive, problem)?;
    check_options(archive, problem)?;
    let fixed_modes = fields(archive, "fixed_modes", problem, None, 0)?;
    let (n_boundary, room) = (problem.boundary.n_dofs(), fixed_modes.ncols());
    let constraint_modes = fields(archive, "constraint_modes", problem, Some(n_boundary), room)?;
    let count = if archive.has("count_below") {
        let shift = archive.f64("count_shift", &[])?[0];
        Some((archive.count("count_below")?, shift))
    } else {
        None
    };
    let origin = archive.text("program")?;
    Ok(InteriorSolutions { constraint_modes, fixed_modes, count, origin })
}

fn check_body(archive: &mut ArchiveReader, problem: &InteriorProblem<'_>) -> Result<(), ReadSolutionsError> {
    let (found, found_checksum) = (archive.text("name")?, archive.text("body_checksum")?);
    if found_checksum == problem.body_checksum {
        return Ok(());
    }
    let (body, checksum) = (problem.name.to_owned(), problem.body_checksum.to_owned());
    Err(ReadSolutionsError::OtherBody {
        path: archive.path().to_owned(),
        found,
        found_checksum,
        body,
        checksum,
    })
}

fn check_options(
    archive: &mut ArchiveReader,
    problem: &InteriorProblem<'_>,
) -> Result<(), ReadSolutionsError> {
    let path = archive.path().to_owned();
    let differ = |what, found, wanted| {
        Err(ReadSolutionsError::OtherOptions { path: path.clone(), what, found, wanted })
    };
    let listed = |texts: &[String]| if texts.is_empty() { "none".to_owned() } else { texts.join(", ") };
    for (what, array, wanted) in
        [("--attach", "option_attach", problem.attachments), ("--fix", "option_fix", problem.held)]
    {
        let found = archive.texts(array)?;
        if found != wanted {
            return differ(what, listed(&found), listed(wanted));
        }
    }
    let found = archive.text("option_quadrature")?;
    if found != problem.quadrature {
        return differ("--quadrature", found, problem.quadrature.to_owned());
    }
    let (found, wanted) = (archive.u32("interface_node", &[None])?, problem.interface());
    if found == wanted {
        return Ok(());
    }
    let other = found.iter().zip(wanted).position(|(a, b)| a != b);
    let words = |points: &[u32]| match other.map(|i| points[i]) {
        Some(point) => format!("{} points, node {} among them", points.len(), point + 1),
        None => format!("{} points", points.len()),
    };
    differ("an interface of", words(&found), words(wanted))
}

/// Fields over the points of the body from fields over the dofs of the matrices.
///
/// * `room` — number of further columns for which memory is reserved: the basis of a model is then not copied
fn fields(
    archive: &mut ArchiveReader,
    name: &str,
    problem: &InteriorProblem<'_>,
    n_columns: Option<usize>,
    room: usize,
) -> Result<Mat<f64>, ReadArchiveError> {
    let n_dofs = 3 * problem.is_used.len();
    let mut fields = Mat::new();
    archive.each_column(name, 3 * problem.n_used(), n_columns, |n_columns, j, column| {
        if j == 0 {
            fields = Mat::with_capacity(n_dofs, n_columns + room);
            fields.resize_with(n_dofs, n_columns, |_, _| 0.0);
        }
        let used = problem.is_used.iter().enumerate().filter(|(_, used)| **used);
        for ((point, _), values) in used.zip(column.as_chunks::<3>().0) {
            (0..3).for_each(|i| fields[(3 * point + i, j)] = values[i]);
        }
    })?;
    if fields.nrows() == 0 {
        fields.resize_with(n_dofs, 0, |_, _| 0.0);
    }
    Ok(fields)
}
