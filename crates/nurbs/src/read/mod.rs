//! Readers of NURBS files: G+Smo, MFEM, GeoPDEs, geomdl, splinepy, PetIGA, IRIT.
//!
//! | format | fastest index | coordinates | other content |
//! |---|---|---|---|
//! | G+Smo XML | u | Cartesian | interfaces, named boundaries |
//! | MFEM NURBS mesh | u, or numbers of its own | Cartesian or homogeneous | topology, boundary attributes |
//! | GeoPDEs text | u | homogeneous | interfaces, subdomains, boundaries |
//! | geomdl JSON | v, then u, then w | Cartesian | |
//! | splinepy JSON and archive | u | Cartesian | |
//! | PetIGA binary | u | homogeneous | one patch |
//! | IRIT | u | homogeneous, weight first | |
//!
//! The module of each format reads a file into `Contents`: its patches, and the interfaces and boundaries
//! that it lists. Common code makes a body from these: left-handed patches are reversed, all are glued
//! ([`Multipatch::glue_matching`]), and the interfaces of the file must be among those found. Invalid input
//! never causes a panic, and memory grows with the size of the file, not with the counts in it. Each error
//! names the place and the remedy.

mod base64_values;
mod contents;
mod error;
mod geomdl;
mod geopdes;
mod gismo;
mod gismo_geometry;
mod gismo_thb;
mod irit;
mod json;
mod lines;
mod mfem;
mod mfem_numbering;
mod petiga;
mod solid;
mod splinepy;
mod splinepy_npz;
mod tokens;

use std::fmt;
use std::path::Path;

use crate::{Matched, Multipatch};
use contents::Contents;

pub use error::{Place, ReadError};

/// The formats of the readers, for messages.
const KNOWN_FORMATS: &str = "G+Smo .xml (`<xml>`), MFEM .mesh (`MFEM NURBS mesh v1.0`), GeoPDEs .txt (`# \
    nurbs mesh v.2.1`), \
    geomdl .json (`shape`), splinepy .json (`SplineList`) and .npz, PetIGA .dat, IRIT .itd (`[OBJECT [TRIVAR \
    …`)";

/// A note for the user about a file that was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Note {
    /// A patch was refined to match its neighbours.
    Matched(Matched),
    /// Parts of the body that the file distinguishes.
    Subdomains {
        /// Their number.
        n: usize,
    },
    /// A boundary face that is not a side of a patch.
    LooseBoundary {
        /// Its attribute.
        attribute: i64,
        /// Its corners.
        vertices: [usize; 4],
    },
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Matched(matched) => matched.fmt(f),
            Self::Subdomains { n } => {
                write!(f, "the {n} subdomains of the file are not kept: the body is of one material")
            }
            Self::LooseBoundary { attribute, vertices: [a, b, c, d] } => write!(
                f,
                "the boundary face {a} {b} {c} {d} of attribute {attribute} is the side of no patch and was \
                 left out"
            ),
        }
    }
}

/// Reads a NURBS file; its format is recognised from the content.
///
/// # Errors
///
/// [`ReadError`], with the path.
pub fn file(path: &Path) -> Result<Multipatch, ReadError> {
    Ok(file_with_notes(path)?.0)
}

/// The same, with notes for the user.
///
/// # Errors
///
/// [`ReadError`], with the path.
pub fn file_with_notes(path: &Path) -> Result<(Multipatch, Vec<Note>), ReadError> {
    let content =
        carom_files::input::read(path).map_err(|source| ReadError::Io { path: path.to_owned(), source })?;
    let body = contents(&content).and_then(Contents::body);
    body.map_err(|source| ReadError::File { path: path.to_owned(), source: Box::new(source) })
}

/// Reads a NURBS body from the content of a file in any of the formats.
///
/// # Errors
///
/// [`ReadError`] of the reader of the format, [`ReadError::UnknownFormat`] if there is none.
pub fn bytes(content: &[u8]) -> Result<Multipatch, ReadError> {
    Ok(contents(content)?.body()?.0)
}

fn contents(content: &[u8]) -> Result<Contents, ReadError> {
    if petiga::is_petiga(content) {
        return petiga::parse(content);
    }
    if splinepy_npz::is_archive(content) {
        return splinepy_npz::parse(content);
    }
    let text = String::from_utf8_lossy(content);
    let text = text.trim_start_matches('\u{feff}');
    let start = text.trim_start();
    if start.starts_with("MFEM") {
        mfem::parse(text)
    } else if start.starts_with('<') && text.contains("<xml") {
        gismo::parse(text)
    } else if start.starts_with('{') {
        json::parse(text)
    } else if geopdes::is_geopdes(text) {
        geopdes::parse(text)
    } else if irit::is_irit(text) {
        irit::parse(text)
    } else {
        Err(ReadError::UnknownFormat)
    }
}

#[cfg(test)]
mod tests {
    use super::contents;

    #[test]
    fn several_subdomains_are_noted() {
        let knots = "0 0 1 1\n".repeat(3);
        let cube = |x: u8| {
            let y = x + 1;
            format!(
                "1 1 1\n2 2 2\n{knots}{x} {y} {x} {y} {x} {y} {x} {y}\n0 0 1 1 0 0 1 1\n0 0 0 0 1 1 1 1\n1 1 \
                 1 1 1 1 1 1\n"
            )
        };
        let text = |n: usize, subdomains: &str| {
            format!(
                "# nurbs mesh v.0.7\n3 2 1 {n}\n{}{}INTERFACE 1\n1 2\n2 1\n1 1 1\n{subdomains}",
                cube(0),
                cube(1)
            )
        };
        let notes = |text: String| contents(text.as_bytes()).unwrap().body().unwrap().1;
        assert!(notes(text(1, "SUBDOMAIN 1\n1 2\n")).is_empty());
        let notes = notes(text(2, "SUBDOMAIN 1\n1\nSUBDOMAIN 2\n2\n"));
        assert_eq!(notes.len(), 1);
        assert!(notes[0].to_string().contains("2 subdomains"));
    }
}
