//! The formats of geometry files: one table with the endings, the reader and the writer of each.
//!
//! [`crate::import()`] and [`export`] choose among them by the ending of a file, and messages and help texts
//! list them from here. A new format is one more row of [`FORMATS`].

use std::io::Write as _;
use std::path::{Path, PathBuf};

use carom_fem::{Body, Geometry};
use carom_files::{WriteFileError, write_atomically};
use carom_mesh::inp::{self, InpMaterial, WriteInpError};
use carom_mesh::msh::{self, WriteMshError};
use carom_mesh::{Mesh, Section, legacy_vtk, vtu};
use carom_nurbs::{Multipatch, read, write};
use carom_vtk::{Grid, WriteOptions, write_vtu};
use thiserror::Error;

use crate::ImportError;
use crate::cad;

/// A format of geometry files.
#[derive(Debug, Clone, Copy)]
pub struct Format {
    /// The programs it is known from: "Gmsh".
    pub name: &'static str,
    /// Endings of its files, in lower case without a dot.
    pub endings: &'static [&'static str],
    /// Reader of its files; `None` if they are only written.
    pub reader: Option<Reader>,
    /// Writer of its files; `None` if they are only read.
    pub writer: Option<Writer>,
}

/// A reader of NURBS patches, with notes for the user.
pub type ReadPatches = fn(&Path) -> Result<(Multipatch, Vec<String>), ImportError>;

/// A writer of NURBS patches.
pub type WritePatches = fn(&Multipatch) -> Result<write::Written, write::WriteError>;

/// Kinds of readers.
#[derive(Debug, Clone, Copy)]
pub enum Reader {
    /// As a mesh.
    Mesh(fn(&Path) -> Result<MeshFile, ImportError>),
    /// As NURBS patches; the notes are sentences for the user.
    Nurbs(ReadPatches),
    /// By Gmsh, which meshes them.
    Cad,
}

/// Kinds of writers.
#[derive(Debug, Clone, Copy)]
pub enum Writer {
    /// Meshes only; the flag is true if the file contains the materials of the body.
    Mesh(fn(&Body, &Mesh, &Path) -> Result<(), ExportError>, bool),
    /// NURBS patches only.
    Nurbs(WritePatches),
    /// Cells of VTK, for meshes and NURBS bodies.
    Grid(fn(&Grid, &Path) -> Result<(), ExportError>),
}

/// Content of a mesh file.
#[derive(Debug, Clone)]
pub struct MeshFile {
    /// The mesh.
    pub mesh: Mesh,
    /// Notes for the user, a sentence each.
    pub notes: Vec<String>,
    /// Materials of the file in its units, and the number of the material of each block.
    pub materials: Option<(Vec<InpMaterial>, Vec<Option<usize>>)>,
    /// Sections of blocks of shells and beams in units of the file; empty for solids.
    pub sections: Vec<Option<Section>>,
}

/// Every format.
pub const FORMATS: &[Format] = &[
    Format {
        name: "Gmsh, versions 1, 2, 4.0 and 4.1",
        endings: &["msh"],
        reader: Some(Reader::Mesh(|path| {
            let (mesh, notes) = msh::read(path)?;
            Ok(MeshFile { mesh, notes: sentences(&notes), materials: None, sections: Vec::new() })
        })),
        writer: Some(Writer::Mesh(|_, mesh, path| Ok(msh::write(path, mesh)?), false)),
    },
    Format {
        name: "Abaqus, CalculiX",
        endings: &["inp"],
        reader: Some(Reader::Mesh(|path| {
            let file = inp::read(path)?;
            let materials = Some((file.materials, file.material_of_block));
            let sections = file.section_of_block;
            Ok(MeshFile { mesh: file.mesh, notes: sentences(&file.notes), materials, sections })
        })),
        writer: Some(Writer::Mesh(write_inp, true)),
    },
    Format {
        name: "VTK, meshio, ParaView",
        endings: &["vtu"],
        reader: Some(Reader::Mesh(|path| {
            let (mesh, notes) = vtu::read(path)?;
            Ok(MeshFile { mesh, notes: sentences(&notes), materials: None, sections: Vec::new() })
        })),
        writer: Some(Writer::Grid(|grid, path| Ok(write_vtu(path, grid, WriteOptions::default())?))),
    },
    Format {
        name: "VTK legacy",
        endings: &["vtk"],
        reader: Some(Reader::Mesh(|path| {
            let (mesh, notes) = legacy_vtk::read(path)?;
            Ok(MeshFile { mesh, notes: sentences(&notes), materials: None, sections: Vec::new() })
        })),
        writer: None,
    },
    nurbs("G+Smo", &["xml"], Some(write::gismo)),
    nurbs("MFEM NURBS", &["mesh"], Some(write::mfem)),
    nurbs("GeoPDEs", &["txt"], None),
    nurbs("geomdl, splinepy", &["json"], Some(write::geomdl)),
    nurbs("splinepy", &["npz"], None),
    nurbs("PetIGA", &["dat"], None),
    nurbs("IRIT", &["itd"], None),
    Format { name: "meshed by Gmsh", endings: cad::ENDINGS, reader: Some(Reader::Cad), writer: None },
];

/// A format of NURBS files. The content of a file determines its format, not its ending.
const fn nurbs(name: &'static str, endings: &'static [&'static str], writer: Option<WritePatches>) -> Format {
    let writer = match writer {
        Some(write) => Some(Writer::Nurbs(write)),
        None => None,
    };
    Format { name, endings, reader: Some(Reader::Nurbs(read_nurbs)), writer }
}

fn read_nurbs(path: &Path) -> Result<(Multipatch, Vec<String>), ImportError> {
    let (patches, notes) = read::file_with_notes(path)?;
    Ok((patches, sentences(&notes)))
}

/// The surfaces of a `.msh` file as shells.
pub(crate) fn read_msh_shells(path: &Path) -> Result<MeshFile, ImportError> {
    let (mesh, notes) = msh::read_shells(path)?;
    Ok(MeshFile { mesh, notes: sentences(&notes), materials: None, sections: Vec::new() })
}

fn sentences(notes: &[impl ToString]) -> Vec<String> {
    notes.iter().map(ToString::to_string).collect()
}

fn write_inp(body: &Body, mesh: &Mesh, path: &Path) -> Result<(), ExportError> {
    let material = |m: &carom_fem::Material| InpMaterial {
        name: m.name.clone(),
        density: Some(m.density),
        elastic: Some([m.young, m.poisson]),
    };
    let materials: Vec<InpMaterial> = body.materials.iter().map(material).collect();
    let of_block: Vec<Option<usize>> = body.material_of_block.iter().map(|&m| Some(m)).collect();
    Ok(inp::write(path, mesh, &materials, &of_block, &body.sections)?)
}

/// The ending of a file in lower case without its dot; empty if it has none.
pub fn ending(path: &Path) -> String {
    path.extension().and_then(|e| e.to_str()).unwrap_or("").to_lowercase()
}

impl Format {
    /// The format of a file by its ending.
    pub fn of(path: &Path) -> Option<&'static Self> {
        let ending = ending(path);
        FORMATS.iter().find(|format| format.endings.contains(&ending.as_str()))
    }

    /// Whether files contain the materials of a body.
    pub fn has_materials(&self) -> bool {
        matches!(self.writer, Some(Writer::Mesh(_, true)))
    }

    /// ".step .stp (meshed by Gmsh)".
    fn listed(&self) -> String {
        let endings: Vec<String> = self.endings.iter().map(|ending| format!(".{ending}")).collect();
        format!("{} ({})", endings.join(" "), self.name)
    }
}

/// The formats that are read, for messages: ".msh (Gmsh), …".
pub fn readable() -> String {
    let formats = FORMATS.iter().filter(|format| format.reader.is_some());
    formats.map(Format::listed).collect::<Vec<_>>().join(", ")
}

/// The formats that are written, for messages.
pub fn writable() -> String {
    written(|_| true)
}

/// The formats whose writer fulfils a condition, for messages.
fn written(is_wanted: impl Fn(&Writer) -> bool) -> String {
    let formats = FORMATS.iter().filter(|format| format.writer.as_ref().is_some_and(&is_wanted));
    formats.map(Format::listed).collect::<Vec<_>>().join(", ")
}

/// Error from writing a body to a file.
#[derive(Debug, Error)]
pub enum ExportError {
    /// No writer has this ending.
    #[error("cannot write files ending in `.{ending}`; valid endings are {}", writable())]
    UnknownFormat {
        /// The ending.
        ending: String,
    },
    /// The format holds only meshes; the body is NURBS.
    #[error(
        "`{body}` is a NURBS body, which .{ending} files cannot hold: write {}, or make the body again with \
         --hex", written(|writer| !matches!(writer, Writer::Mesh(..)))
    )]
    NotMesh {
        /// Name of the body.
        body: String,
        /// The ending.
        ending: String,
    },
    /// The format holds only NURBS; the body is a mesh.
    #[error(
        "`{body}` is a mesh, which .{ending} files (NURBS) cannot hold: write {}",
        written(|writer| !matches!(writer, Writer::Nurbs(_)))
    )]
    NotNurbs {
        /// Name of the body.
        body: String,
        /// The ending.
        ending: String,
    },
    /// The .msh file cannot be written.
    #[error(transparent)]
    Msh(#[from] WriteMshError),
    /// The .inp file cannot be written.
    #[error(transparent)]
    Inp(#[from] WriteInpError),
    /// The .vtu file cannot be written.
    #[error(transparent)]
    Vtu(#[from] carom_vtk::WriteError),
    /// The format cannot hold these patches.
    #[error("`{path}`: {source}")]
    Nurbs {
        /// The file.
        path: PathBuf,
        /// The content that the format cannot hold.
        source: write::WriteError,
    },
    /// The file cannot be written.
    #[error(transparent)]
    File(#[from] WriteFileError),
}

/// Writes a body as a file of another program in the format of the file's ending. Returns notes for the user,
/// a sentence each.
///
/// * `picture` — the VTK cells of a NURBS body, for formats of such cells
///
/// # Errors
///
/// [`ExportError`]; an incomplete file is removed.
pub fn export(body: &Body, path: &Path, picture: fn(&Body) -> Grid) -> Result<Vec<String>, ExportError> {
    let unknown = || ExportError::UnknownFormat { ending: ending(path) };
    let writer = Format::of(path).and_then(|format| format.writer).ok_or_else(unknown)?;
    match (writer, &body.geometry) {
        (Writer::Mesh(write, _), Geometry::Mesh(mesh)) => write(body, mesh, path).map(|()| Vec::new()),
        (Writer::Mesh(..), Geometry::Nurbs(_)) => {
            Err(ExportError::NotMesh { body: body.name.clone(), ending: ending(path) })
        }
        (Writer::Nurbs(write), Geometry::Nurbs(patches)) => {
            let written =
                write(patches).map_err(|source| ExportError::Nurbs { path: path.to_owned(), source })?;
            write_atomically(path, |out| out.write_all(written.text.as_bytes()))?;
            Ok(written.notes)
        }
        (Writer::Nurbs(_), Geometry::Mesh(_)) => {
            Err(ExportError::NotNurbs { body: body.name.clone(), ending: ending(path) })
        }
        // Fields can represent the sets of a mesh; the sets of a NURBS body lie on patch sides, not on its
        // cells.
        (Writer::Grid(write), Geometry::Mesh(mesh)) => write(&vtu::grid(mesh), path).map(|()| Vec::new()),
        (Writer::Grid(write), Geometry::Nurbs(_)) => write(&picture(body), path).map(|()| Vec::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_formats_share_an_ending_and_each_can_be_read_or_written() {
        let mut endings: Vec<&str> = FORMATS.iter().flat_map(|format| format.endings).copied().collect();
        let n = endings.len();
        endings.sort_unstable();
        endings.dedup();
        assert_eq!(endings.len(), n);
        assert!(endings.iter().all(|ending| *ending == ending.to_lowercase()));
        assert!(FORMATS.iter().all(|format| format.reader.is_some() || format.writer.is_some()));
    }

    #[test]
    fn the_ending_of_a_file_in_any_case_determines_its_format() {
        assert_eq!(Format::of(Path::new("a.b/PART.INP")).unwrap().name, "Abaqus, CalculiX");
        assert!(Format::of(Path::new("part.inp.bak")).is_none() && Format::of(Path::new("msh")).is_none());
        assert!(readable().contains(".step .stp .iges"));
        assert!(!writable().contains(".step") && writable().contains(".vtu"));
        assert!(!writable().contains(".vtk") && readable().contains(".vtk"));
    }
}
