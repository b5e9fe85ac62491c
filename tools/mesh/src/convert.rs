//! Bodies as files of other programs.

use std::path::Path;

use carom_cli::{Category, Failure, Session, keep_input};
use carom_fem::{Body, Material};
use carom_make::ExportError;
use carom_make::formats::Format;
use carom_scene::BodyGrid;
use carom_vtk::WriteError;
use serde::Serialize;

use crate::args::ConvertArgs;

pub(crate) fn convert(args: &ConvertArgs, session: &Session) -> Result<(), Failure> {
    let stored = crate::file::read(&args.body)?;
    let path = &args.output.output;
    keep_input(&args.body, path)?;
    let mut notes = write(&stored.body, path)?;
    notes.extend(materials_left_out(&stored.body, path));
    for note in &notes {
        session.note(&format!("note: {note}"));
    }
    #[derive(Serialize)]
    struct Converted<'a> {
        file: &'a Path,
        notes: &'a [String],
    }
    session.print_summary(&format!("{} written", path.display()))?;
    session.print_json("carom-mesh convert 1", &Converted { file: path, notes: &notes })
}

/// A note about materials that the file does not contain, with the flags that restore them.
fn materials_left_out(body: &Body, path: &Path) -> Option<String> {
    if Format::of(path).is_some_and(Format::has_materials) {
        return None;
    }
    let say = |m: &Material| format!("`{}` ({} kg/m³, {:e} Pa, {})", m.name, m.density, m.young, m.poisson);
    Some(match body.materials.as_slice() {
        [one] => format!(
            "the file does not contain the material {}: give it again at import with --density {} --young \
             {:e} --poisson {}",
            say(one),
            one.density,
            one.young,
            one.poisson
        ),
        several => format!(
            "the file does not contain the materials {} nor their assignment to parts: at import all parts \
             get the one given by --material or by --density, --young and --poisson",
            several.iter().map(say).collect::<Vec<_>>().join(", ")
        ),
    })
}

/// Writes the body and returns notes about the file, a sentence each.
fn write(body: &Body, path: &Path) -> Result<Vec<String>, Failure> {
    carom_make::export(body, path, |body| BodyGrid::volume(body).grid).map_err(|error| {
        let category = match &error {
            ExportError::UnknownFormat { .. } => Category::Usage,
            ExportError::NotMesh { .. } | ExportError::NotNurbs { .. } | ExportError::Nurbs { .. } => {
                Category::Input
            }
            ExportError::Vtu(WriteError::Grid { .. }) => Category::Other,
            _ => Category::Files,
        };
        Failure::from_error(category, error)
    })
}
