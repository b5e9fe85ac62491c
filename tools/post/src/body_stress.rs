//! The stress at the surface of a reduced body by its modes.

use carom_dynamics::BodyState;
use carom_format::result::StoredFrame;
use carom_mesh::FaceRef;
use carom_scene::{BodyGrid, SampledStress, SurfaceStressRecovery, nearest_place};
use nalgebra::Vector3;

use crate::bodies::RunBody;
use crate::export::inconsistent;
use crate::{Run, RunError};

/// A reduced body whose stress at the surface follows from its modes.
pub(crate) struct BodyStress {
    /// Its number in the run.
    pub number: usize,
    pub body: RunBody,
    pub grid: BodyGrid,
    pub recovery: SurfaceStressRecovery,
    /// Where the stress is known, axes of the body's file \[m\].
    pub places: Vec<[f64; 3]>,
}

impl BodyStress {
    /// The recovery of a body; the reason, a sentence, if its modes have no stress.
    ///
    /// # Errors
    ///
    /// [`RunError`] if a file of the body is missing, damaged or another one.
    pub(crate) fn of(run: &Run, number: usize) -> Result<Result<Self, String>, RunError> {
        let meta = &run.header().bodies[number];
        let name = &meta.name;
        if meta.body_path.is_empty() || meta.rom_path.is_empty() {
            return Ok(Err(format!(
                "body `{name}` is not a reduced body: its stress over the run is not written"
            )));
        }
        let body = run.load_body(number)?;
        if body.fields.is_none() {
            return Ok(Err(format!(
                "body `{name}`: its model keeps no modes for pictures, and so no stress; reduce it with \
                 `--fields surface`"
            )));
        }
        if body.load_radius > 0.0 && body.fastest_hz.is_none() {
            return Ok(Err(format!(
                "body `{name}`: its model has no dynamic modes, and so no stress but that below its contacts"
            )));
        }
        let grid = BodyGrid::surface(&body.body);
        let recovery = SurfaceStressRecovery::new(&grid, &body.body)
            .map_err(|error| inconsistent(&body, &error.to_string()))?;
        let places = recovery.sample_places();
        Ok(Ok(Self { number, body, grid, recovery, places }))
    }

    /// Stress and errors at the places in a frame.
    ///
    /// * `pressures` — of contacts on cells of the body \[Pa\]
    pub(crate) fn at(&self, frame: &StoredFrame, pressures: &[(FaceRef, f64)]) -> SampledStress {
        let rest = BodyState::default();
        let state = frame.bodies.get(self.number).unwrap_or(&rest);
        let displacement = self.body.elastic_displacement(&state.modal);
        self.recovery.sampled(&displacement, &self.grid.face_values(pressures))
    }

    /// Number of the place nearest to a point \[m\], axes of the body's file.
    pub(crate) fn nearest(&self, x: &Vector3<f64>) -> usize {
        nearest_place(&self.places, x).unwrap_or_default()
    }

    /// A point of space in the axes of the body's file \[m\].
    pub(crate) fn in_file(&self, frame: &StoredFrame, x_i: [f64; 3]) -> Option<Vector3<f64>> {
        let pose = frame.bodies.get(self.number)?.pose();
        let origin = Vector3::from(self.body.meta.frame_origin);
        Some(pose.rotation.transpose() * (Vector3::from(x_i) - pose.position) + origin)
    }
}
