//! Bodies as files of other programs.

use std::io::Write;
use std::path::Path;

use carom_cli::{Category, Failure, FailureContext, Session, keep_input};
use carom_fem::{Body, Geometry, Material};
use carom_mesh::inp::InpMaterial;
use carom_nurbs::Multipatch;
use carom_scene::BodyGrid;
use carom_vtk::{WriteError, WriteOptions, write_vtu};
use serde::Serialize;

use crate::args::ConvertArgs;

pub(crate) fn convert(args: &ConvertArgs, session: &Session) -> Result<(), Failure> {
    let stored = crate::info::read(&args.body)?;
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

/// A note about materials that the file does not contain, with the flags that restore them; only .inp
/// contains them.
fn materials_left_out(body: &Body, path: &Path) -> Option<String> {
    if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("inp")) {
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
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_lowercase();
    let written = match (ending.as_str(), &body.geometry) {
        ("xml" | "mesh" | "json", Geometry::Nurbs(patches)) => return write_nurbs(patches, &ending, path),
        ("msh", Geometry::Mesh(mesh)) => carom_mesh::msh::write(path, mesh).or_fail(Category::Files),
        ("inp", Geometry::Mesh(mesh)) => {
            let materials: Vec<InpMaterial> = body
                .materials
                .iter()
                .map(|m| InpMaterial {
                    name: m.name.clone(),
                    density: Some(m.density),
                    elastic: Some([m.young, m.poisson]),
                })
                .collect();
            let of_block: Vec<_> = body.material_of_block.iter().map(|&m| Some(m)).collect();
            carom_mesh::inp::write(path, mesh, &materials, &of_block).or_fail(Category::Files)
        }
        ("vtu", _) => {
            // The sets of a mesh are written as fields; those of a NURBS body lie on patch sides, not on its
            // cells.
            let grid = match &body.geometry {
                Geometry::Mesh(mesh) => carom_mesh::vtu::grid(mesh),
                Geometry::Nurbs(_) => BodyGrid::volume(body).grid,
            };
            write_vtu(path, &grid, WriteOptions::default()).map_err(|error| {
                let is_of_disk = matches!(error, WriteError::File(_));
                Failure::from_error(if is_of_disk { Category::Files } else { Category::Other }, error)
            })
        }
        ("msh" | "inp", Geometry::Nurbs(_)) => Err(Failure::new(
            Category::Input,
            format!("`{}` is a NURBS body, which .{ending} files cannot hold", body.name),
        )
        .hint("write .xml (G+Smo), .mesh (MFEM), .json (geomdl) or .vtu, or make the body again with --hex")),
        ("xml" | "mesh" | "json", Geometry::Mesh(_)) => Err(Failure::new(
            Category::Input,
            format!("`{}` is a mesh, which .{ending} files (NURBS) cannot hold", body.name),
        )
        .hint("write .msh, .inp or .vtu")),
        _ => Err(Failure::new(Category::Usage, format!("cannot write files ending in `.{ending}`")).hint(
            "valid endings are .msh and .inp (CalculiX, Abaqus) for meshes, .xml (G+Smo), .mesh (MFEM) and \
             .json \
             (geomdl) for NURBS bodies, .vtu (ParaView) for both",
        )),
    };
    written.map(|()| Vec::new())
}

fn write_nurbs(patches: &Multipatch, ending: &str, path: &Path) -> Result<Vec<String>, Failure> {
    let written = match ending {
        "xml" => carom_nurbs::write::gismo(patches),
        "mesh" => carom_nurbs::write::mfem(patches),
        _ => carom_nurbs::write::geomdl(patches),
    };
    let written = written.or_fail(Category::Input)?;
    carom_files::write_atomically(path, |out| out.write_all(written.text.as_bytes()))
        .or_fail(Category::Files)?;
    Ok(written.notes)
}
