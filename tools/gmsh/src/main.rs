//! `carom-gmsh`: meshes a CAD file with Gmsh.
//!
//! The program calls itself: a *worker* process links and drives Gmsh ([`worker`], [`gmsh`]), which prints to
//! standard output as it likes and may abort; the process that the user started sees to it that the log goes
//! to standard error, that an abort becomes an error with a way out, that the mesh is sound, and that the
//! output file is whole or not there.

#![allow(rustdoc::broken_intra_doc_links, reason = "doc comments are help texts, in which [m] is a unit")]

mod gmsh;
mod job;
mod mesher;
mod worker;

use std::path::PathBuf;
use std::process::ExitCode;

use carom_cli::{OutputArgs, main_with};
use clap::Parser;

/// The end of the help text.
const AFTER_HELP: &str = "\
Examples:
  carom-gmsh bracket.step -o bracket.msh --size 4e-3
  carom-gmsh conrod.geo -o conrod.msh --order 2";

/// Mesh a CAD file with Gmsh: .step .stp .iges .igs .brep .geo in, MSH 4.1 (binary) out, in metres.
///
/// STEP and IGES files say their unit and are converted to metres; .brep and .geo files are taken as they
/// are. Physical groups of a .geo script are kept. Where there are none, the volumes become the group `body`
/// (and `solid1`, `solid2` if there are several) and every CAD face a group `face1`, `face2`, and so on.
///
/// Exit codes: 0 done, 1 Gmsh failed or the mesh is bad, 2 usage, 3 the geometry is invalid, 5 cannot read or
/// write.
#[derive(Debug, Parser)]
#[command(name = "carom-gmsh", version, after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// Geometry: .step .stp .iges .igs .brep .geo
    file: PathBuf,

    /// Largest size of an element [m]; curved faces and small edges get smaller ones. Default: what a .geo
    /// script says, otherwise a twentieth of the diagonal of the part.
    #[arg(long, value_name = "H", value_parser = positive)]
    size: Option<f64>,

    /// Order of the elements.
    #[arg(long, value_name = "ORDER", default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=2))]
    order: u8,

    /// Hexahedra instead of tetrahedra: those of a .geo script with transfinite volumes, otherwise tetrahedra
    /// cut into four hexahedra each (poor shapes, but no other kind of element).
    #[arg(long)]
    hex: bool,

    #[command(flatten)]
    output: OutputArgs,
}

fn positive(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(value) if value > 0.0 && f64::is_finite(value) => Ok(value),
        _ => Err("give a positive length in metres".to_owned()),
    }
}

fn main() -> ExitCode {
    if let Some(job) = worker::job_of_this_process() {
        return worker::run(&job);
    }
    main_with(|args: &Args| &args.output.run, mesher::mesh)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn examples_of_the_help_are_taken() {
        assert_eq!(carom_cli::examples::check(&super::Args::command()), Ok(()));
    }
}
