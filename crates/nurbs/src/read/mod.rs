//! Readers of NURBS files: G+Smo, MFEM, GeoPDEs, geomdl, splinepy, PetIGA, IRIT.
//!
//! | format | fastest index | coordinates | what else it says |
//! |---|---|---|---|
//! | G+Smo XML | u | Cartesian | interfaces, named boundaries |
//! | MFEM NURBS mesh | u, or numbers of its own | Cartesian or homogeneous | topology, boundary attributes |
//! | GeoPDEs text | u | homogeneous | interfaces, subdomains, boundaries |
//! | geomdl JSON | v, then u, then w | Cartesian | |
//! | splinepy JSON and archive | u | Cartesian | |
//! | PetIGA binary | u | homogeneous | one patch |
//! | IRIT | u | homogeneous, weight first | |
//!
//! Each format has a module that says what a file contains (`Contents`): its patches, and the interfaces and boundaries that
//! it lists. One place makes a body of that: left-handed patches are turned, all are glued
//! ([`Multipatch::glue_matching`]), and the interfaces that the file lists must be among those found. Nothing panics on broken
//! input, memory grows with what the file holds and not with what it claims: each error names the place and what to do.

mod base64_values;
mod contents;
mod error;
mod geomdl;
mod geopdes;
mod gismo;
mod gismo_geometry;
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

use std::path::Path;

use crate::{Matched, Multipatch};
use contents::Contents;

pub use error::{Place, ReadError};

/// What the readers know, for messages.
const KNOWN_FORMATS: &str = "G+Smo .xml (`<xml>`), MFEM .mesh (`MFEM NURBS mesh v1.0`), GeoPDEs .txt (`# nurbs mesh v.2.1`), \
    geomdl .json (`shape`), splinepy .json (`SplineList`) and .npz, PetIGA .dat, IRIT .itd (`[OBJECT [TRIVAR …`)";

/// Reads a NURBS file; its content tells the format.
///
/// # Errors
///
/// [`ReadError`], with the path.
pub fn file(path: &Path) -> Result<Multipatch, ReadError> {
    Ok(file_matching(path)?.0)
}

/// The same with the patches that were refined to match their neighbours ([`Multipatch::glue_matching`]).
///
/// # Errors
///
/// [`ReadError`], with the path.
pub fn file_matching(path: &Path) -> Result<(Multipatch, Vec<Matched>), ReadError> {
    let content = std::fs::read(path).map_err(|source| ReadError::Io { path: path.to_owned(), source })?;
    let body = contents(&content).and_then(Contents::body);
    body.map_err(|source| ReadError::File { path: path.to_owned(), source: Box::new(source) })
}

/// Reads a NURBS body from the content of a file in any of the formats.
///
/// # Errors
///
/// [`ReadError`] as the format's own reader gives it, [`ReadError::UnknownFormat`] if there is none.
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
