//! The body and model files behind a result.

use std::path::{Path, PathBuf};

use carom_fem::Body;
use carom_format::result::ResultBody;
use carom_format::{read_body, read_rom};
use carom_reduce::Modes;
use carom_reduce::field_modes::FieldModes;

use crate::{Run, RunError};

/// A body of a run with its geometry and modes.
#[derive(Debug, Clone)]
pub struct RunBody {
    /// Its entry in the result.
    pub meta: ResultBody,
    /// Its geometry and materials.
    pub body: Body,
    /// Modes for pictures; `None` for a rigid body, or if the model keeps none.
    pub fields: Option<Modes>,
    /// Radius of the loads of places, around which stress is that of smooth loads \[m\]; 0 without places.
    pub load_radius: f64,
    /// Highest frequency of the dynamic modes \[Hz\].
    pub fastest_hz: Option<f64>,
}

impl RunBody {
    /// Number of nodes or control points of the body.
    pub fn n_points(&self) -> usize {
        self.body.n_points()
    }

    /// True if the displacement is known at every point of the body, so that its interior can be shown:
    /// always for rigid and unreduced bodies.
    pub fn is_whole(&self) -> bool {
        self.meta.modes[0] == 0
            || self.meta.is_unreduced()
            || self.fields.as_ref().is_some_and(|modes| modes.points.len() == self.n_points())
    }

    /// Elastic displacement of every point of the body in its own axes \[m\]; zero where the modes are not
    /// known.
    ///
    /// * `modal` — coordinates of the first modes, or displacements of the first points of an unreduced body;
    ///   missing ones count as zero
    pub fn elastic_displacement(&self, modal: &[f64]) -> Vec<[f64; 3]> {
        if self.meta.is_unreduced() {
            let mut displacement = vec![[0.0; 3]; self.n_points()];
            displacement.iter_mut().zip(modal.as_chunks::<3>().0).for_each(|(u, known)| *u = *known);
            return displacement;
        }
        let n_points = self.n_points();
        self.fields
            .as_ref()
            .map_or_else(|| vec![[0.0; 3]; n_points], |modes| modes.displacement(modal, n_points))
    }
}

impl Run {
    /// Loads a body: its file and, if it is flexible, the modes of its model. Files that were moved are
    /// searched in the folder of the result and in its subfolder `bodies`; their checksums decide.
    ///
    /// # Errors
    ///
    /// [`RunError::Missing`], [`RunError::Archive`], [`RunError::Changed`], [`RunError::Inconsistent`].
    pub fn load_body(&self, index: usize) -> Result<RunBody, RunError> {
        let meta = self.header().bodies[index].clone();
        let archive = |source| RunError::Archive { body: meta.name.clone(), source: Box::new(source) };
        let path = self.find(&meta, "body", &meta.body_path)?;
        let stored = read_body(&path).map_err(archive)?;
        check(&meta, "body", &path, &stored.checksum, &meta.body_checksum)?;
        let (fields, load_radius, fastest_hz) = if meta.rom_path.is_empty() {
            (None, 0.0, None)
        } else {
            let path = self.find(&meta, "model", &meta.rom_path)?;
            let rom = read_rom(&path).map_err(archive)?;
            check(&meta, "model", &path, &rom.checksum, &meta.rom_checksum)?;
            let radius = rom.reduced.places.iter().map(|places| places.radius).fold(0.0, f64::max);
            let fastest = rom.reduced.last_dynamic_hz();
            let unread = |source| RunError::Fields { body: meta.name.clone(), source };
            (rom.reduced.fields.map(FieldModes::into_modes).transpose().map_err(unread)?, radius, fastest)
        };
        let loaded = RunBody { meta, body: stored.body, fields, load_radius, fastest_hz };
        loaded.check()?;
        Ok(loaded)
    }

    /// The present path of a file.
    fn find(&self, meta: &ResultBody, kind: &'static str, recorded: &str) -> Result<PathBuf, RunError> {
        let recorded = PathBuf::from(recorded);
        let folder = self.reader().path().parent().unwrap_or(Path::new(""));
        let candidates = recorded.file_name().map_or_else(Vec::new, |name| {
            vec![recorded.clone(), folder.join(name), folder.join("bodies").join(name)]
        });
        candidates.into_iter().find(|path| path.is_file()).ok_or(RunError::Missing {
            body: meta.name.clone(),
            kind,
            path: recorded,
            hint: "pictures need it: copy it into the folder of the result, or run the scenario again",
        })
    }
}

fn check(
    meta: &ResultBody,
    kind: &'static str,
    path: &Path,
    found: &str,
    recorded: &str,
) -> Result<(), RunError> {
    if recorded.is_empty() || found == recorded {
        return Ok(());
    }
    Err(RunError::Changed { body: meta.name.clone(), kind, path: path.to_owned() })
}

impl RunBody {
    /// Checks that modes and geometry are consistent, so that later steps can index safely.
    fn check(&self) -> Result<(), RunError> {
        let inconsistent = |why: String| Err(RunError::Inconsistent { body: self.meta.name.clone(), why });
        let n = self.n_points();
        if self.meta.is_unreduced() && self.meta.modes[0] != 3 * n {
            return inconsistent(format!(
                "the result has {} displacements, the body file {n} points",
                self.meta.modes[0]
            ));
        }
        let Some(modes) = &self.fields else { return Ok(()) };
        if modes.points.iter().any(|&point| point as usize >= n) {
            return inconsistent(format!(
                "its model has modes at points that are missing in the body file (with {n} points)"
            ));
        }
        if modes.values.nrows() != 3 * modes.points.len() {
            return inconsistent(format!(
                "its model has {} rows of modes for {} points",
                modes.values.nrows(),
                modes.points.len()
            ));
        }
        Ok(())
    }
}
