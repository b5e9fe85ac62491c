//! Files with several solids: `info` of a CAD file, and `import --solid all`.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use carom_cli::{Category, Failure, Session};
use carom_make::cad::{self, Solid, Solids, Tie};
use carom_mesh::SolidChoice;
use carom_progress::Progress;
use serde::Serialize;

use crate::args::{ImportArgs, InfoArgs};
use crate::file::{import_failure, of_file};
use crate::write::{Written, read_file, stem, stored};

/// The JSON object of `info` for a CAD file.
#[derive(Serialize)]
struct Listed<'a> {
    solids: Vec<Row<'a>>,
    ties: &'a [Tie],
    notes: &'a [String],
}

#[derive(Serialize)]
struct Row<'a> {
    #[serde(flatten)]
    solid: &'a Solid,
    /// [kg], with --density.
    mass: Option<f64>,
}

/// The JSON object of `import --solid all`.
#[derive(Serialize)]
struct Bodies<'a> {
    bodies: Vec<Written<'a>>,
    ties: &'a [Tie],
}

/// Lists the solids of a CAD file and where they touch.
pub(crate) fn info(args: &InfoArgs, session: &Session) -> Result<(), Failure> {
    if args.picture.is_some() || args.faces || args.at.is_some() {
        let what = format!("`{}` has no mesh, which --picture, --faces and --at need", args.body.display());
        let hint = "carom-mesh import makes a body of it first";
        return Err(Failure::new(Category::Usage, what).hint(hint));
    }
    let Solids { solids, ties, notes } = list(&args.body, session)?;
    notes.iter().for_each(|note| session.note(&format!("note: {note}")));
    let mass = |solid: &Solid| args.density.map(|density| density * solid.volume);
    let mut text = String::new();
    for solid in &solids {
        let [x, y, z] = solid.centre;
        let [low, high] = solid.bounds.map(|corner| corner.map(|x| format!("{x:.4e}")).join(" "));
        let _ = writeln!(text, "solid            {}, {} faces", solid.title(), solid.faces);
        let _ = writeln!(text, "  volume         {:.6e} m³", solid.volume);
        if let Some(mass) = mass(solid) {
            let _ = writeln!(text, "  mass           {mass:.6e} kg");
        }
        let _ = writeln!(text, "  centre         {x:.6e} {y:.6e} {z:.6e} m");
        let _ = writeln!(text, "  box            from {low} to {high} m");
    }
    for tie in &ties {
        let _ = writeln!(text, "{:<16} {}", tie.name, of_tie(tie));
    }
    if solids.len() > 1 {
        text += "next             carom-mesh import --solid N, or all: a body for each\n";
    }
    session.print(&text)?;
    let solids = solids.iter().map(|solid| Row { solid, mass: mass(solid) }).collect();
    session.print_json("carom-mesh solids 1", &Listed { solids, ties: &ties, notes: &notes })
}

/// Writes a body file for each solid, once all of them are meshed.
pub(crate) fn import_all(args: &ImportArgs, session: &Session) -> Result<(), Failure> {
    let Solids { solids, ties, .. } = list(&args.file, session)?;
    let paths: Vec<PathBuf> =
        solids.iter().map(|solid| path_of(&args.output.output, solid, &solids)).collect();
    let mut bodies = Vec::new();
    for (solid, path) in solids.iter().zip(&paths) {
        let choice = SolidChoice::Number(solid.number);
        let mut imported = read_file(args, Some(choice), session)
            .map_err(|failure| failure.context(format!("solid {}", solid.title())))?;
        imported.body.name = stem(path);
        bodies.push(imported);
    }
    for tie in &ties {
        session.note(&format!("note: {}: {}", tie.name, of_tie(tie)));
    }
    let mut written = Vec::new();
    for (imported, path) in bodies.iter().zip(&paths) {
        // Ties are reported once, above.
        for note in imported.notes.iter().filter(|note| !note.starts_with("set `tie-")) {
            session.note(&format!("note: {}: {note}", imported.body.name));
        }
        written.push(stored(&imported.body, path, imported.notes.clone(), session)?);
    }
    session.print_json("carom-mesh bodies 1", &Bodies { bodies: written, ties: &ties })
}

fn list(path: &Path, session: &Session) -> Result<Solids, Failure> {
    let progress = of_file(path, session);
    progress.begin("listing the solids", 0);
    let listed = cad::solids(path, session.progress());
    progress.end();
    listed.map_err(|error| import_failure(error.into()))
}

fn of_tie(tie: &Tie) -> String {
    let faces = |side: usize| {
        let names: Vec<String> = tie.faces[side].iter().map(|face| format!("face{face}")).collect();
        names.join(", ")
    };
    let [x, y, z] = tie.centre.map(|x| (x * 1e7).round() / 1e7 + 0.0);
    let overlap = if tie.overlap > 0.0 {
        format!("; the solids overlap by {:.3e} m³, to be removed in the CAD program", tie.overlap)
    } else {
        String::new()
    };
    format!(
        "{:.6e} m² around ({x}, {y}, {z}) m, less than 1e-7 m apart: {} of solid {}, {} of solid {}{overlap}",
        tie.area,
        faces(0),
        tie.solids[0],
        faces(1),
        tie.solids[1]
    )
}

/// `out/clamp-jaw.npz` of the solid `jaw` for `out/clamp.npz`, `out/clamp-jaw-2.npz` if several solids have
/// this name, `out/clamp-2.npz` of a solid without a name.
fn path_of(output: &Path, solid: &Solid, all: &[Solid]) -> PathBuf {
    let ending = output.extension().and_then(|ending| ending.to_str()).unwrap_or("npz");
    let plain = |name: &str| {
        name.chars()
            .map(|c| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' })
            .collect::<String>()
    };
    let own = match &solid.name {
        None => solid.number.to_string(),
        // Names that differ only by case or by replaced letters are the same file on some systems.
        Some(name) => {
            let file = |name: &str| plain(name).to_lowercase();
            let same = |other: &&Solid| other.name.as_deref().is_some_and(|other| file(other) == file(name));
            if all.iter().filter(same).count() > 1 {
                format!("{}-{}", plain(name), solid.number)
            } else {
                plain(name)
            }
        }
    };
    output.with_file_name(format!("{}-{own}.{ending}", stem(output)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_the_name_of_the_solid_or_its_number() {
        let solid = |number, name: Option<&str>| Solid {
            number,
            name: name.map(str::to_owned),
            volume: 1.0,
            centre: [0.0; 3],
            bounds: [[0.0; 3]; 2],
            faces: 6,
        };
        let all = [solid(1, Some("jaw")), solid(2, Some("nut")), solid(3, Some("nut")), solid(4, None)];
        let names: Vec<String> = all
            .iter()
            .map(|solid| path_of(Path::new("out/clamp.npz"), solid, &all).display().to_string())
            .collect();
        assert_eq!(
            names,
            ["out/clamp-jaw.npz", "out/clamp-nut-2.npz", "out/clamp-nut-3.npz", "out/clamp-4.npz"]
        );
    }
}
