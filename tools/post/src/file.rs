//! Drawings and texts to files.

use std::io::Write;
use std::path::Path;

use carom_files::{WriteFileError, write_atomically};
use carom_report::{Drawing, RasterError};
use thiserror::Error;

/// Why a picture could not be written.
#[derive(Debug, Error)]
pub enum PictureError {
    /// The ending is neither `.svg` nor `.png`.
    #[error("`{path}`: pictures are written as .svg or .png; change the ending")]
    Ending {
        /// The file asked for.
        path: String,
    },
    /// It cannot be turned into pixels.
    #[error(transparent)]
    Raster(#[from] RasterError),
    /// It cannot be written.
    #[error(transparent)]
    File(#[from] WriteFileError),
}

/// Writes a drawing in the format that the ending of the path asks for.
///
/// # Errors
///
/// [`PictureError`]; no half file is left.
pub fn write_drawing(path: &Path, drawing: &Drawing) -> Result<(), PictureError> {
    let ending = path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase);
    let bytes = match ending.as_deref() {
        Some("svg") => drawing.to_svg().into_bytes(),
        Some("png") => drawing.to_png(2.0)?,
        _ => return Err(PictureError::Ending { path: path.display().to_string() }),
    };
    write_atomically(path, |w| w.write_all(&bytes))?;
    Ok(())
}

/// Writes a text.
///
/// # Errors
///
/// [`WriteFileError`]; no half file is left.
pub fn write_text(path: &Path, text: &str) -> Result<(), WriteFileError> {
    write_atomically(path, |w| w.write_all(text.as_bytes()))
}
