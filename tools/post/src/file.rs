//! Writing of drawings and texts.

use std::io::Write;
use std::path::Path;

use carom_files::{WriteFileError, write_atomically};
use carom_report::{Drawing, RasterError};
use thiserror::Error;

/// Errors of writing a picture.
#[derive(Debug, Error)]
pub enum PictureError {
    /// The ending is neither `.svg` nor `.png`.
    #[error("`{path}`: pictures are written as .svg or .png; change the ending")]
    Ending {
        /// The output file.
        path: String,
    },
    /// The drawing cannot be rasterised.
    #[error(transparent)]
    Raster(#[from] RasterError),
    /// The file cannot be written.
    #[error(transparent)]
    File(#[from] WriteFileError),
}

/// Writes a drawing in the format given by the ending of the path.
///
/// # Errors
///
/// [`PictureError`]; no incomplete file is left.
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
/// [`WriteFileError`]; no incomplete file is left.
pub fn write_text(path: &Path, text: &str) -> Result<(), WriteFileError> {
    write_atomically(path, |w| w.write_all(text.as_bytes()))
}
