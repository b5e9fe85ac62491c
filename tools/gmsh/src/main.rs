//! `carom-gmsh`: meshes a CAD file with Gmsh.
//!
//! The program starts itself a second time. This *worker* process links and calls Gmsh ([`worker`],
//! [`gmsh`]), which prints to standard output and may abort. The first process redirects the log to standard
//! error, turns an abort into an error message with a remedy, checks the mesh, and makes sure that the output
//! file is complete or absent.

#![allow(rustdoc::broken_intra_doc_links, reason = "doc comments are help texts, in which [m] is a unit")]

mod gmsh;
mod groups;
mod job;
mod list;
mod mesher;
mod sizes;
mod solids;
mod step;
mod ties;
mod worker;

use std::path::PathBuf;
use std::process::ExitCode;

use carom_cli::{OptionalOutputArgs, main_with};
use carom_mesh::{SizeNear, SolidChoice};
use clap::Parser;

/// The end of the help text.
const AFTER_HELP: &str = "\
Examples:
  carom-gmsh bracket.step -o bracket.msh --near 0,0,0.02:0.003=5e-4
  carom-gmsh clamp.step --list
  carom-gmsh clamp.step --solid 2 -o jaw.msh";

/// Mesh a CAD file with Gmsh: .step .stp .iges .igs .brep .geo in, MSH 4.1 out, in metres.
///
/// STEP and IGES files contain their unit and are converted to metres; .brep and .geo files are not scaled.
/// Physical groups of a .geo script are kept. Without groups, the volumes become the group `body` (and
/// `solid1`, `solid2` if there are several, and the names of solids in a STEP file), and every CAD face
/// becomes a group `face1`, `face2`, and so on.
///
/// `--solid` takes one solid of an assembly. Where it touches solid M, its faces are cut along the outline of
/// the common face, which is a group `tie-N-M` (the lower number first) of either solid.
///
/// If curved elements are folded, the part is meshed again with optimisation, then with sizes of 0.7; edges
/// of elements that are still folded are straightened. Notes report this.
///
/// Exit codes: 0 done, 1 Gmsh failed or the mesh is bad, 2 usage, 3 the geometry is invalid, 5 cannot read or
/// write.
#[derive(Debug, Parser)]
#[command(name = "carom-gmsh", version, after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// Geometry: .step .stp .iges .igs .brep .geo
    file: PathBuf,

    /// List the solids with their volumes, places and ties instead of meshing. For all files except .geo
    #[arg(long, conflicts_with_all = ["solid", "size", "near", "order", "hex", "output"])]
    list: bool,

    /// The only solid to mesh, by its number in the list or its name. For all files except .geo
    #[arg(long, value_name = "N|NAME")]
    solid: Option<SolidChoice>,

    /// Largest size of an element [m]; elements at curved faces (14 to a full circle) and small edges are
    /// smaller [default: the size in a .geo script, otherwise a twentieth of the diagonal of the part]
    #[arg(long, value_name = "H", value_parser = positive)]
    size: Option<f64>,

    /// Small elements of size H within R of a point, or at a set of faces [m]; the size grows by 0.3 of the
    /// distance from there. May be repeated.
    #[arg(long, value_name = "X,Y,Z:R=H|SET=H", allow_hyphen_values = true)]
    near: Vec<SizeNear>,

    /// Longest time for meshing [s]. A mesh that was made by then is used, if only a better one is missing.
    #[arg(long, value_name = "S", default_value_t = 900.0, value_parser = positive_time)]
    time_limit: f64,

    /// Order of the elements.
    #[arg(long, value_name = "ORDER", default_value_t = 2,
          value_parser = clap::value_parser!(u8).range(1..=2))]
    order: u8,

    /// Hexahedra instead of tetrahedra: those of a .geo script with transfinite volumes, otherwise tetrahedra
    /// cut into four hexahedra each (poor shapes, but no other kind of element).
    #[arg(long)]
    hex: bool,

    #[command(flatten)]
    output: OptionalOutputArgs,
}

fn positive(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(value) if value > 0.0 && f64::is_finite(value) => Ok(value),
        _ => Err("give a positive length in metres".to_owned()),
    }
}

fn positive_time(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(value) if value > 0.0 && value <= 1e9 => Ok(value),
        _ => Err("give a positive time in seconds, at most 1e9".to_owned()),
    }
}

fn main() -> ExitCode {
    if let Some(job) = worker::job_of_this_process() {
        return worker::run(&job);
    }
    main_with(
        |args: &Args| &args.output.run,
        |args, session| if args.list { list::list(args, session) } else { mesher::mesh(args, session) },
    )
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn examples_of_the_help_are_valid_calls() {
        assert_eq!(carom_cli::examples::check(&super::Args::command()), Ok(()));
    }
}
