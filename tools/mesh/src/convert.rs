//! Bodies as files of other programs.

use std::io::Write;
use std::path::Path;

use carom_cli::{Category, Failure, FailureContext, Session, keep_input};
use carom_fem::{Body, Geometry};
use carom_scene::BodyGrid;
use carom_vtk::{WriteError, WriteOptions, write_vtu};
use serde::Serialize;

use crate::args::ConvertArgs;

pub(crate) fn convert(args: &ConvertArgs, session: &Session) -> Result<(), Failure> {
    let stored = crate::info::read(&args.body)?;
    let path = &args.output.output;
    keep_input(&args.body, path)?;
    write(&stored.body, path)?;
    #[derive(Serialize)]
    struct Converted<'a> {
        file: &'a Path,
    }
    session.print_summary(&format!("{} written", path.display()))?;
    session.print_json("carom-mesh convert 1", &Converted { file: path })
}

fn write(body: &Body, path: &Path) -> Result<(), Failure> {
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_lowercase();
    match (ending.as_str(), &body.geometry) {
        ("msh", Geometry::Mesh(mesh)) => carom_mesh::msh::write(path, mesh).or_fail(Category::Files),
        ("xml", Geometry::Nurbs(patches)) => {
            let text = carom_nurbs::write::gismo(patches);
            carom_files::write_atomically(path, |out| out.write_all(text.as_bytes())).or_fail(Category::Files)
        }
        ("vtu", _) => {
            let grid = BodyGrid::volume(body).grid;
            write_vtu(path, &grid, WriteOptions::default()).map_err(|error| {
                let is_of_disk = matches!(error, WriteError::File(_));
                Failure::from_error(if is_of_disk { Category::Files } else { Category::Other }, error)
            })
        }
        ("msh", Geometry::Nurbs(_)) => Err(Failure::new(
            Category::Input,
            format!("`{}` is a NURBS body, which MSH cannot hold exactly", body.name),
        )
        .hint("write .xml (G+Smo) or .vtu, or make the body again with --hex")),
        ("xml", Geometry::Mesh(_)) => Err(Failure::new(
            Category::Input,
            format!("`{}` is a mesh, which G+Smo XML cannot hold", body.name),
        )
        .hint("write .msh or .vtu")),
        _ => Err(Failure::new(Category::Usage, format!("cannot write files that end in `.{ending}`"))
            .hint("known are .msh for meshes, .xml (G+Smo) for NURBS bodies, .vtu (ParaView) for both")),
    }
}
