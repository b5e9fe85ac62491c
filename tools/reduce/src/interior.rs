//! The interior of a body that is solved by another program: its problem as files, and a model from the
//! solutions.

use std::path::{Path, PathBuf};

use carom_cli::{Category, Failure, FailureContext, Session};
use carom_fem::{Discretisation, assemble};
use carom_format::interior::{InteriorProblem, read_solutions, write_problem};
use carom_format::{StoredBody, matrices};
use carom_progress::Part;
use carom_reduce::interface::Interface;
use carom_reduce::{
    CraigBampton, CraigBamptonOptions, ReduceError, craig_bampton_of_solutions, interface_spec,
};

use crate::args::{ExportArgs, QuadratureName};
use crate::condense::interface_options;
use crate::export::beside;

/// Writes K and M of a body and, with an interface, the problem on its interior.
pub(crate) fn export(
    stored: &StoredBody,
    args: &ExportArgs,
    session: &Session,
) -> Result<Vec<PathBuf>, Failure> {
    let body = &stored.body;
    let options = interface_options(&args.interface, session)?;
    let discretisation =
        Discretisation::new(body).map_err(|error| Failure::from_error(Category::Input, error))?;
    let interface = match args.interface.first_given() {
        Some(_) => Some(interface_of(stored, &discretisation, &options)?),
        None => None,
    };
    let system = assemble(&discretisation, crate::rule(args.quadrature), session.progress())
        .or_fail_with(Category::Input, || format!("body `{}`", body.name))?;
    let used = discretisation.point_is_used();
    let output = &args.output.output;
    let mut paths = [".K.petsc", ".M.petsc"].map(|ending| beside(output, ending)).to_vec();
    matrices::write_petsc_stiffness(&paths[0], &system.stiffness, &used, session.progress())
        .or_fail(Category::Files)?;
    matrices::write_petsc_mass(&paths[1], &system.mass, &used, session.progress())
        .or_fail(Category::Files)?;
    paths = paths.into_iter().flat_map(|path| [path.clone(), matrices::petsc_info(&path)]).collect();
    let Some(interface) = interface else { return Ok(paths) };
    let choices = Choices::new(&options, args.quadrature, args.modes, args.up_to);
    let path = beside(output, ".problem.npz");
    let problem = choices.problem(stored, &discretisation.points, &used, &interface);
    write_problem(&path, &problem).or_fail(Category::Files)?;
    paths.push(path);
    Ok(paths)
}

/// A model from solutions in a file.
pub(crate) fn reduce(
    archive: &Path,
    stored: &StoredBody,
    options: &CraigBamptonOptions,
    quadrature: QuadratureName,
    session: &Session,
) -> Result<CraigBampton, Failure> {
    let discretisation =
        Discretisation::new(&stored.body).map_err(|error| Failure::from_error(Category::Input, error))?;
    let interface = interface_of(stored, &discretisation, options)?;
    let used = discretisation.point_is_used();
    let choices = Choices::new(options, quadrature, None, None);
    let problem = choices.problem(stored, &discretisation.points, &used, &interface);
    session.progress().begin("reading the solutions", 0);
    let solutions = read_solutions(archive, &problem).map_err(|error| {
        let category = if error.is_io() { Category::Files } else { Category::Input };
        Failure::from_error(category, error)
    })?;
    session.progress().end();
    session.check_interrupted()?;
    drop(discretisation);
    let progress = Part::new(session.progress(), &stored.body.name);
    craig_bampton_of_solutions(&stored.body, options, solutions, &progress).map_err(|error| {
        let is_given = matches!(error, ReduceError::Given { .. });
        let failure = crate::reduction_failed(error);
        if !is_given {
            return failure;
        }
        failure.hint(format!(
            "`{}` cannot be used; compute the solutions again with tools/cluster/interior.py, or leave out \
             --modes-from",
            archive.display()
        ))
    })
}

fn interface_of(
    stored: &StoredBody,
    discretisation: &Discretisation,
    options: &CraigBamptonOptions,
) -> Result<Interface, Failure> {
    Interface::new(&stored.body, discretisation, interface_spec(options))
        .map_err(|error| Failure::from_error(Category::Input, error))
}

/// Options of a reduction as a problem records them.
struct Choices {
    attachments: Vec<String>,
    held: Vec<String>,
    quadrature: &'static str,
    modes: Option<usize>,
    up_to_hz: Option<f64>,
}

impl Choices {
    fn new(
        options: &CraigBamptonOptions,
        quadrature: QuadratureName,
        modes: Option<usize>,
        up_to_hz: Option<f64>,
    ) -> Self {
        let attachments = options.attachments.iter().map(ToString::to_string).collect();
        Self { attachments, held: options.held.clone(), quadrature: quadrature.word(), modes, up_to_hz }
    }

    fn problem<'a>(
        &'a self,
        stored: &'a StoredBody,
        points: &'a [[f64; 3]],
        is_used: &'a [bool],
        interface: &'a Interface,
    ) -> InteriorProblem<'a> {
        InteriorProblem {
            name: &stored.body.name,
            body_checksum: &stored.checksum,
            points,
            is_used,
            boundary: &interface.boundary,
            attachments: &self.attachments,
            held: &self.held,
            quadrature: self.quadrature,
            modes: self.modes,
            up_to_hz: self.up_to_hz,
        }
    }
}
