//! ParaView files of the pressures of contacts on half-space grids.

use std::path::Path;

use carom_format::result::StoredFrame;
use carom_vtk::{FrameWriter, Grid, GridError, WriteOptions};

use crate::grids::PlacedGrid;
use crate::{Run, RunError};

/// The files of the cells of a pair.
pub(crate) struct GridFiles {
    /// Its name in the series.
    pub(crate) name: String,
    /// The file of each frame, relative to the folder; frames without pressure share one without cells. None
    /// if no frame has pressure.
    pub(crate) files: Vec<String>,
}

/// Writes the loaded cells of a pair in each frame: `NAME/contact_NUMBER_FRAME.vtu` in `folder`.
pub(crate) fn write(
    run: &Run,
    pair: usize,
    frames: &[StoredFrame],
    folder: &Path,
    options: WriteOptions,
) -> Result<GridFiles, RunError> {
    let name = format!("contact {}", run.header().pairs[pair].name);
    if !frames.iter().any(|frame| PlacedGrid::of(frame, pair).is_some()) {
        return Ok(GridFiles { name, files: Vec::new() });
    }
    let first = run.reader().frame(0)?;
    let wrong = |source: GridError| RunError::Grid { body: name.clone(), source };
    let part = format!("{}/contact_{}", run.name(), pair + 1);
    let none = format!("{part}_open.vtu");
    FrameWriter::new(&Grid::default(), options).map_err(wrong)?.write(&folder.join(&none), &[], &[], None)?;
    let digits = frames.len().to_string().len().max(4);
    let mut files = Vec::with_capacity(frames.len());
    for (n, frame) in frames.iter().enumerate() {
        let Some(placed) = PlacedGrid::of(frame, pair) else {
            files.push(none.clone());
            continue;
        };
        // A grid belongs to a body of its frame, and all frames have the same bodies.
        let initial =
            first.bodies.get(placed.body()).map(carom_dynamics::BodyState::pose).unwrap_or(placed.pose());
        let (grid, points) = placed.quadrilaterals(&initial);
        let file = format!("{part}_{n:0digits$}.vtu");
        let writer = FrameWriter::new(&grid, options).map_err(wrong)?;
        writer.write(&folder.join(&file), &points, &placed.cell_fields(), Some(frame.time))?;
        files.push(file);
    }
    Ok(GridFiles { name, files })
}
