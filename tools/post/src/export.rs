//! ParaView files of a result.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use carom_dynamics::{BodyState, ContactState};
use carom_files::{create_folder, write_atomically};
use carom_format::result::StoredFrame;
use carom_format::scenario::model::MaterialLaw;
use carom_mesh::FaceRef;
use carom_progress::Progress;
use carom_scene::{BodyGrid, StressTheory};
use carom_vtk::{Collection, Field, FrameWriter, Grid, VtkHdfWriter, WriteError, WriteOptions, pack_frame};
use clap::ValueEnum;
use rayon::prelude::*;

use crate::bodies::RunBody;
pub use crate::film::Frames;
use crate::film::selected;
pub use crate::frame_fields::Fields;
use crate::frame_fields::{Recovery, Shown, in_body_frame};
use crate::grid_files::{self, GridFiles};
use crate::grids::PlacedGrid;
use crate::staging::Staging;
use crate::{Run, RunError};

/// Which cells are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Cells {
    /// The volume where the model has the modes of the whole body, otherwise the surface
    #[value(alias = "all")]
    Auto,
    /// Cells of the body.
    Volume,
    /// Outer faces.
    #[default]
    Surface,
}

/// Kind of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Format {
    /// A .vtu for each body and frame, and a .pvd that lists them.
    #[default]
    Vtu,
    /// A .vtkhdf for each body.
    Vtkhdf,
}

/// Options of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExportOptions {
    /// Frames.
    pub frames: Frames,
    /// Fields in addition to the displacement.
    pub fields: Fields,
    /// Cells.
    pub cells: Cells,
    /// Kind of files.
    pub format: Format,
    /// Compression of the files.
    pub write: WriteOptions,
}

impl Default for ExportOptions {
    fn default() -> Self {
        let fields = Fields { velocity: false, stress: false, von_mises: true, contact_pressure: true };
        Self {
            frames: Frames::Every(1),
            fields,
            cells: Cells::default(),
            format: Format::default(),
            write: WriteOptions::default(),
        }
    }
}

/// The files of an export.
#[derive(Debug, Clone, PartialEq)]
pub struct ExportSummary {
    /// The file to open in ParaView: the .pvd, or the first .vtkhdf.
    pub series: PathBuf,
    /// Number of frames.
    pub frames: usize,
    /// Number of .vtu or .vtkhdf files.
    pub files: usize,
    /// Paths of all files, relative to the folder: the .vtu files, then the series; or the .vtkhdf files.
    pub paths: Vec<String>,
    /// Their total size \[bytes\].
    pub bytes: u64,
    /// Notes for the user.
    pub notes: Vec<String>,
}

/// A body with its grid and file name.
struct Part {
    /// Number of the body in the result.
    index: usize,
    body: RunBody,
    grid: BodyGrid,
    file: String,
}

/// Writes `folder/NAME.pvd` and `folder/NAME/BODY_FRAME.vtu`, or `folder/NAME/BODY.vtkhdf`, with the NAME of
/// the result. Contacts on half-space grids add `folder/NAME/contact_NUMBER_FRAME.vtu` with their loaded
/// cells; for .vtkhdf a note says that they are left out, as their cells change from frame to frame.
///
/// Points are reference positions (the undeformed body at the first frame) in inertial axes. The displacement
/// from there, rigid motion included, is the active vector field, so that ParaView's *Warp By Vector* shows
/// the motion. Stress is in inertial axes. Fields are in single precision, points in double precision.
///
/// # Errors
///
/// [`RunError`]; then an earlier export is unchanged: files get their names once all of them are complete,
/// the `.pvd` last.
pub fn export(
    run: &Run,
    folder: &Path,
    options: &ExportOptions,
    progress: &dyn Progress,
) -> Result<ExportSummary, RunError> {
    let frames = selected(run, options.frames)?;
    let mut notes = Vec::new();
    let parts = parts(run, options, &mut notes)?;
    let has_grid =
        |frame: &StoredFrame| (0..run.header().pairs.len()).any(|pair| PlacedGrid::of(frame, pair).is_some());
    if options.format == Format::Vtkhdf && frames.iter().any(has_grid) {
        notes.push(
            "the cells of contacts on half-space grids change from frame to frame and are left out of \
             .vtkhdf files; `--format vtu` writes them"
                .to_owned(),
        );
    }
    let staging = Staging::new(folder)?;
    progress.begin("ParaView files", (frames.len() * parts.len()) as u64);
    let written = write_all(run, &parts, &frames, staging.path(), options, progress);
    progress.end();
    let (paths, bytes) = written.map_err(|error| match error {
        RunError::Write(WriteError::File(error)) | RunError::File(error) => {
            staging.at_its_place(error).into()
        }
        other => other,
    })?;
    staging.publish(&paths)?;
    let (series, files) = match options.format {
        Format::Vtu => (paths.last(), paths.len() - 1),
        Format::Vtkhdf => (paths.first(), paths.len()),
    };
    let series = series.map_or_else(|| folder.to_owned(), |path| folder.join(path));
    Ok(ExportSummary { series, frames: frames.len(), files, paths, bytes, notes })
}

/// Writes the files of all bodies, then the series; returns their paths relative to `folder`, and the size of
/// the former.
fn write_all(
    run: &Run,
    parts: &[Part],
    frames: &[StoredFrame],
    folder: &Path,
    options: &ExportOptions,
    progress: &dyn Progress,
) -> Result<(Vec<String>, u64), RunError> {
    let name = run.name();
    create_folder(&folder.join(&name))?;
    let mut collection = Collection::new();
    let (done, bytes) = (AtomicU64::new(0), AtomicU64::new(0));
    let mut paths = Vec::new();
    let written = |size: u64| {
        bytes.fetch_add(size, Ordering::Relaxed);
        progress.set(done.fetch_add(1, Ordering::Relaxed) + 1);
        progress.interrupted()
    };
    for (number, part) in parts.iter().enumerate() {
        progress.note(&format!("{} ({} of {})", part.body.meta.name, number + 1, parts.len()));
        if options.format == Format::Vtkhdf {
            paths.push(write_hdf(run, part, frames, folder, options, &written)?);
            continue;
        }
        let files = write_part(run, part, frames, folder, options, &written)?;
        for (frame, file) in frames.iter().zip(files) {
            collection.push(frame.time, number, &part.body.meta.name, &file);
            paths.push(file);
        }
    }
    if options.format == Format::Vtu && options.fields.contact_pressure {
        for pair in 0..run.header().pairs.len() {
            let GridFiles { name, mut files } = grid_files::write(run, pair, frames, folder, options.write)?;
            for (frame, file) in frames.iter().zip(&files) {
                collection.push(frame.time, parts.len() + pair, &name, file);
            }
            files.sort();
            files.dedup();
            let sizes = files.iter().filter_map(|file| folder.join(file).metadata().ok());
            bytes.fetch_add(sizes.map(|file| file.len()).sum(), Ordering::Relaxed);
            paths.extend(files);
        }
    }
    if options.format == Format::Vtkhdf {
        let sizes = paths.iter().filter_map(|path| folder.join(path).metadata().ok());
        return Ok((paths.clone(), sizes.map(|file| file.len()).sum()));
    }
    paths.push(format!("{name}.pvd"));
    collection.write(&folder.join(format!("{name}.pvd")))?;
    Ok((paths, bytes.into_inner()))
}

/// Loads the bodies and makes their grids.
fn parts(run: &Run, options: &ExportOptions, notes: &mut Vec<String>) -> Result<Vec<Part>, RunError> {
    let mut parts: Vec<Part> = Vec::new();
    for index in 0..run.header().bodies.len() {
        if run.header().bodies[index].body_path.is_empty() {
            notes.push(format!(
                "body `{}` is not shown, as its model names no body file",
                run.header().bodies[index].name
            ));
            continue;
        }
        let body = run.load_body(index)?;
        let name = &body.meta.name;
        let whole = body.is_whole();
        if !whole && body.fields.is_none() {
            notes.push(format!(
                "body `{name}`: its model keeps no modes for pictures, so it is shown undeformed; reduce it \
                 with `--fields surface`"
            ));
        } else if !whole && options.cells != Cells::Surface {
            notes.push(format!(
                "body `{name}`: its model keeps only the modes of the surface, so its surface is written; \
                 reduce it with `--fields full` (in a scenario `output.cells = \"all\"`)"
            ));
        }
        let volume = whole && options.cells != Cells::Surface;
        let grid = if volume { BodyGrid::volume(&body.body) } else { BodyGrid::surface(&body.body) };
        let mut file = safe_name(name);
        if parts.iter().any(|part| part.file == file) {
            file = format!("{file}_{index}");
        }
        parts.push(Part { index, body, grid, file });
    }
    Ok(parts)
}

/// Replaces characters that are invalid in the names of some file systems.
pub(crate) fn safe_name(name: &str) -> String {
    let safe = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    let name: String = name.chars().map(safe).collect();
    if name.trim_matches('.').is_empty() { "body".to_owned() } else { name }
}

/// The data of a body that all of its frames share.
struct Prepared<'a> {
    shown: Shown<'a>,
    /// The grid at its reference positions.
    reference: Grid,
    faces: Vec<PressureFaces>,
}

impl Prepared<'_> {
    /// Fields of points and cells in a frame.
    fn fields(&self, part: &Part, frame: &StoredFrame, wanted: &Fields) -> Result<[Vec<Field>; 2], RunError> {
        let state =
            frame.bodies.get(part.index).ok_or_else(|| inconsistent(&part.body, "a frame lacks it"))?;
        let (points, cells) = self.shown.fields(state, wanted, &pressures(&self.faces, frame));
        Ok([points, cells])
    }
}

fn prepared<'a>(
    run: &Run,
    part: &'a Part,
    frames: &[StoredFrame],
    options: &ExportOptions,
) -> Result<Prepared<'a>, RunError> {
    let Part { index, body, grid, .. } = part;
    let first = run.reader().frame(0)?;
    let initial = first
        .bodies
        .get(*index)
        .map(BodyState::pose)
        .ok_or_else(|| inconsistent(body, "the first frame lacks it"))?;
    if options.fields.velocity && body.meta.is_unreduced() && !run.header().frames.velocities {
        return Err(RunError::Empty {
            what: "no velocities of points in its frames",
            hint: "name `velocity` in `[output] frame_fields` and run the scenario again",
        });
    }
    // The scalar wave equation has no stress tensor.
    let has_stress = body.meta.law != MaterialLaw::ScalarWave.name();
    let stress = if has_stress && (options.fields.stress || options.fields.von_mises) {
        let wrong = |why: String| inconsistent(body, &why);
        let theory = StressTheory::named(&body.meta.law, &body.body).map_err(|e| wrong(e.to_string()))?;
        Recovery::new(grid, body, &theory).map_err(|e| wrong(e.to_string()))?
    } else {
        None
    };
    let shown = Shown { body, grid, points_b: in_body_frame(grid, body.meta.frame_origin), initial, stress };
    let mut reference = grid.grid.clone();
    reference.points = shown.reference();
    Ok(Prepared { shown, reference, faces: pressure_faces(run, body, frames)? })
}

/// Frames whose fields are in memory at once.
const BATCH: usize = 16;

/// Writes the file of one body over all frames and returns its path relative to `folder`.
fn write_hdf(
    run: &Run,
    part: &Part,
    frames: &[StoredFrame],
    folder: &Path,
    options: &ExportOptions,
    written: &(dyn Fn(u64) -> bool + Sync),
) -> Result<String, RunError> {
    let prepared = prepared(run, part, frames, options)?;
    let (grid, name) = (&prepared.reference, &part.body.meta.name);
    let wrong = |source| RunError::Grid { body: name.clone(), source };
    grid.check().map_err(wrong)?;
    let pack = |frame: &StoredFrame| {
        let [points, cells] = prepared.fields(part, frame, &options.fields)?;
        pack_frame(grid, &points, &cells, options.write.compression).map_err(wrong)
    };
    let relative = format!("{}/{}.vtkhdf", run.name(), part.file);
    let mut failure = None;
    let outcome = write_atomically(&folder.join(&relative), |out| {
        let mut writer = VtkHdfWriter::new(out, grid)?;
        for batch in frames.chunks(BATCH) {
            let packed: Result<Vec<_>, RunError> = batch.par_iter().map(pack).collect();
            let packed = packed.map_err(|error| {
                failure = Some(error);
                std::io::Error::other("the fields of a frame")
            })?;
            for (frame, packed) in batch.iter().zip(&packed) {
                writer.push(frame.time, packed)?;
                if written(0) {
                    failure = Some(RunError::Interrupted);
                    return Err(std::io::Error::other("interrupted"));
                }
            }
        }
        writer.finish()
    });
    match failure {
        Some(error) => Err(error),
        None => Ok(outcome.map(|()| relative)?),
    }
}

/// Writes the files of one body and returns their paths relative to `folder`.
fn write_part(
    run: &Run,
    part: &Part,
    frames: &[StoredFrame],
    folder: &Path,
    options: &ExportOptions,
    written: &(dyn Fn(u64) -> bool + Sync),
) -> Result<Vec<String>, RunError> {
    let prepared = prepared(run, part, frames, options)?;
    let (body, file) = (&part.body, &part.file);
    let writer = FrameWriter::new(&prepared.reference, options.write)
        .map_err(|source| RunError::Grid { body: body.meta.name.clone(), source })?;
    // The database serves one thread only: the closures below must not read it.
    let name = run.name();
    let digits = frames.len().to_string().len().max(4);
    let write = |(n, frame): (usize, &StoredFrame)| {
        let [points, cells] = prepared.fields(part, frame, &options.fields)?;
        let relative = format!("{name}/{file}_{n:0digits$}.vtu");
        let path = folder.join(&relative);
        writer.write(&path, &points, &cells, Some(frame.time))?;
        let size = path.metadata().map_or(0, |data| data.len());
        if written(size) { Err(RunError::Interrupted) } else { Ok(relative) }
    };
    frames.par_iter().enumerate().map(write).collect()
}

pub(crate) fn inconsistent(body: &RunBody, why: &str) -> RunError {
    RunError::Inconsistent { body: body.meta.name.clone(), why: why.to_owned() }
}

/// The contact that has pressures on faces of a body.
pub(crate) enum PressureOf {
    /// A pair of named surfaces.
    Pair(usize),
    /// Contacts of all bodies, by the number of the body.
    Body(usize),
}

/// The faces of a body that the numbers of a contact refer to.
pub(crate) struct PressureFaces {
    of: PressureOf,
    faces: Vec<FaceRef>,
}

/// The faces of contacts of all bodies, and of each pair whose pressure surface belongs to a body. Pairs
/// without any pressure, such as those of rigid bodies, are left out: their surfaces need not be sets.
pub(crate) fn pressure_faces(
    run: &Run,
    body: &RunBody,
    frames: &[StoredFrame],
) -> Result<Vec<PressureFaces>, RunError> {
    let mut all = Vec::new();
    let number_of = |name: &str| run.header().bodies.iter().position(|body| body.name == name);
    let contact_faces =
        |set| body.body.contact_faces(set).map_err(|error| inconsistent(body, &error.to_string()));
    let surfaces = |contact: &ContactState| contact.surfaces.iter().map(|s| s.body).collect::<Vec<_>>();
    if let Some(number) = number_of(&body.meta.name)
        && frames.iter().flat_map(|frame| &frame.contacts).flat_map(surfaces).any(|of| of == number)
    {
        all.push(PressureFaces { of: PressureOf::Body(number), faces: contact_faces(None)? });
    }
    let has_pressure = |number: usize| {
        let contacts = frames.iter().filter_map(|frame| frame.contacts.get(number));
        contacts.into_iter().any(|contact| !contact.pressure_faces.is_empty())
    };
    for (number, pair) in run.header().pairs.iter().enumerate().filter(|(number, _)| has_pressure(*number)) {
        if let Some((name, set)) = pair.first.split_once(':')
            && name == body.meta.name
        {
            all.push(PressureFaces { of: PressureOf::Pair(number), faces: contact_faces(Some(set))? });
        }
    }
    Ok(all)
}

/// Pressures of a frame on the faces of a body.
pub(crate) fn pressures(faces: &[PressureFaces], frame: &StoredFrame) -> Vec<(FaceRef, f64)> {
    let mut all = Vec::new();
    for PressureFaces { of, faces } in faces {
        let mut add = |numbers: &[u32], pressures: &[f64]| {
            let loaded = numbers.iter().zip(pressures);
            all.extend(loaded.filter_map(|(&face, &pressure)| Some((*faces.get(face as usize)?, pressure))));
        };
        match of {
            PressureOf::Pair(pair) => {
                let contact = frame.contacts.get(*pair);
                contact.into_iter().for_each(|contact| add(&contact.pressure_faces, &contact.pressures));
            }
            PressureOf::Body(body) => {
                let surfaces = frame.contacts.iter().flat_map(|contact| &contact.surfaces);
                surfaces.filter(|s| s.body == *body).for_each(|s| add(&s.faces, &s.pressures));
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_are_safe() {
        assert_eq!(safe_name("rod:1/../x y"), "rod_1_.._x_y");
        assert_eq!(safe_name(".."), "body");
        assert_eq!(safe_name("kügelchen-2"), "kügelchen-2");
    }
}
