//! `--list`: the solids of a CAD file.

use carom_cli::{Category, Failure, Session};
use carom_progress::{Part, Progress};
use serde::Serialize;

use crate::Args;
use crate::job::Report;
use crate::mesher::{Way, check_input, deadline, do_job};
use crate::solids::Solid;
use crate::ties::Tie;

/// The object that `--list --json` prints.
#[derive(Debug, Serialize)]
struct Listed<'a> {
    solids: &'a [Solid],
    ties: &'a [Tie],
    notes: &'a [String],
}

/// Lists the solids of the file of the command line and their ties.
pub(crate) fn list(args: &Args, session: &Session) -> Result<(), Failure> {
    check_input(&args.file)?;
    let progress = Part::new(session.progress(), &args.file.display().to_string());
    progress.begin("reading", 0);
    let done = do_job(args, &std::env::temp_dir(), session, Way::PLAIN, deadline(args));
    progress.end();
    let (_, Report::Listed { solids, ties, notes }) = done? else {
        return Err(Failure::new(Category::Other, "the process that runs Gmsh has not listed the solids"));
    };
    notes.iter().for_each(|note| session.warn(note));
    let mut text = String::new();
    for solid in &solids {
        let [x, y, z] = solid.centre;
        text += &format!(
            "solid {}: {:.6e} m³, centre {x:.6e} {y:.6e} {z:.6e} m, {} faces\n",
            solid.title(),
            solid.volume,
            solid.faces
        );
    }
    for tie in &ties {
        text += &format!("{}\n", tie.sentence(&solids));
    }
    session.print(&text)?;
    session.print_json("carom-gmsh solids 1", &Listed { solids: &solids, ties: &ties, notes: &notes })
}
