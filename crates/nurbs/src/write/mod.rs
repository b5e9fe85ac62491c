//! Writers of NURBS files: G+Smo XML, MFEM patches, geomdl JSON.
//!
//! All writers write Cartesian control points and weights separately, with as many digits as a double
//! needs: reading gives the same bits. Properties of the shape that a format cannot represent are refused
//! by name; a note names the regions that it cannot represent.

mod geomdl;
mod gismo;
mod mfem;

use std::fmt;

use thiserror::Error;

use crate::Multipatch;

pub use geomdl::geomdl;
pub use gismo::gismo;
pub use mfem::mfem;

/// The text of a file, and notes about properties of the body that are not in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The content of the file.
    pub text: String,
    /// Notes for the user, a sentence each.
    pub notes: Vec<String>,
}

/// A format that is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// G+Smo XML.
    Gismo,
    /// MFEM NURBS mesh, patches form.
    Mfem,
    /// geomdl JSON.
    Geomdl,
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Gismo => "G+Smo XML",
            Self::Mfem => "an MFEM NURBS mesh",
            Self::Geomdl => "geomdl JSON",
        })
    }
}

/// Errors of writing a body in a format.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum WriteError {
    /// A hierarchical body: its patches are coarser than its cells.
    #[error(
        "the body is refined locally (hierarchical splines), which {format} as it is written here cannot \
         hold: write the body as it was before that refinement, or .vtu"
    )]
    Hierarchical {
        /// The format.
        format: Format,
    },
    /// G+Smo's hierarchical splines have no weights.
    #[error(
        "the body is refined locally and rational: G+Smo's THBSpline3 has no weights; write the body as it \
         was before that refinement, or .vtu"
    )]
    HierarchicalRational,
    /// A patch with two coinciding corners.
    #[error(
        "patch {patch} has corners that coincide (a side or edge shrunk to a point, or a patch that closes \
         on itself), which an MFEM mesh cannot hold: write .xml (G+Smo) or .json (geomdl)"
    )]
    CollapsedCorners {
        /// Number of the patch.
        patch: usize,
    },
    /// Different edges or faces with the same corners.
    #[error(
        "patches {first} and {second} have different {what} between the same corners (as a ring of two \
         patches has), which an MFEM mesh cannot hold, as it tells them by their corners: write .xml (G+Smo) \
         or .json (geomdl)"
    )]
    SharedCorners {
        /// "edges" or "faces".
        what: &'static str,
        /// Number of a patch.
        first: usize,
        /// Number of a patch; the same one for two edges of one patch.
        second: usize,
    },
}

fn refuse_hierarchical(body: &Multipatch, format: Format) -> Result<(), WriteError> {
    if body.hierarchy.is_some() { Err(WriteError::Hierarchical { format }) } else { Ok(()) }
}

/// A note that these regions are not in the file.
fn left_out(names: &[&str], format: Format, why: &str) -> Vec<String> {
    if names.is_empty() {
        return Vec::new();
    }
    vec![format!("{format} cannot represent {why}: the file has no {}", quoted(names))]
}

fn quoted(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
