//! Readers of NURBS files: G+Smo, MFEM, GeoPDEs, geomdl, splinepy, PetIGA, IRIT.
//!
//! | format | file | fastest index | coordinates | what else it says |
//! |---|---|---|---|---|
//! | G+Smo XML | [`gismo`] | u | Cartesian | interfaces, named boundaries |
//! | MFEM NURBS mesh | [`mfem`] | u, or numbers of its own | Cartesian or homogeneous | topology, boundary attributes |
//! | GeoPDEs text | [`geopdes`] | u | homogeneous | interfaces, subdomains, boundaries |
//! | geomdl JSON | [`geomdl`] | v, then u, then w | Cartesian | |
//! | splinepy JSON and archive | [`splinepy_json`], [`splinepy_npz`] | u | Cartesian | |
//! | PetIGA binary | [`petiga`] | u | homogeneous | one patch |
//! | IRIT | [`irit`] | u | homogeneous, weight first | |
//!
//! Every reader checks what it finds, turns left-handed patches and glues them ([`Multipatch::glue`]); where the file
//! lists interfaces, they must be among those found. Nothing panics on broken input, memory grows with what the file
//! holds and not with what it claims: each error names the place and what to do.

mod base64_values;
mod error;
mod geomdl;
mod geopdes;
mod gismo;
mod gismo_geometry;
mod glued;
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

pub use error::{Place, ReadError};
pub use geomdl::geomdl;
pub use geopdes::geopdes;
pub use gismo::gismo;
pub use irit::irit;
pub use mfem::mfem;
pub use petiga::petiga;
pub use splinepy::splinepy_json;
pub use splinepy_npz::splinepy_npz;

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
    let mut matched = Vec::new();
    let body = bytes_matching(&content, &mut matched)
        .map_err(|source| ReadError::File { path: path.to_owned(), source: Box::new(source) })?;
    Ok((body, matched))
}

/// Reads a NURBS body from the content of a file in any of the formats.
///
/// # Errors
///
/// [`ReadError`] as the format's own reader gives it, [`ReadError::UnknownFormat`] if there is none.
pub fn bytes(content: &[u8]) -> Result<Multipatch, ReadError> {
    bytes_matching(content, &mut Vec::new())
}

fn bytes_matching(content: &[u8], matched: &mut Vec<Matched>) -> Result<Multipatch, ReadError> {
    if petiga::is_petiga(content) {
        return petiga::petiga_matching(content, matched);
    }
    if splinepy_npz::is_archive(content) {
        return splinepy_npz::splinepy_npz_matching(content, matched);
    }
    let text = String::from_utf8_lossy(content);
    let text = text.trim_start_matches('\u{feff}');
    let start = text.trim_start();
    if start.starts_with("MFEM") {
        mfem::mfem_matching(text, matched)
    } else if start.starts_with('<') && text.contains("<xml") {
        gismo::gismo_matching(text, matched)
    } else if start.starts_with('{') {
        json::any(text, matched)
    } else if geopdes::is_geopdes(text) {
        geopdes::geopdes_matching(text, matched)
    } else if irit::is_irit(text) {
        irit::irit_matching(text, matched)
    } else {
        Err(ReadError::UnknownFormat)
    }
}
