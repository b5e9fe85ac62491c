//! Modes at the points for pictures and stress, whose values may be left in the file of the model.
//!
//! A run draws no pictures. It needs these values where a probe lies at a point, where static modes of loads
//! are combinations of all modes, and for the displaced surface of a body that deforms by more than some
//! per mille. Two watches look at all points of each run; they take a [`FieldSummary`] instead.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use faer::{Mat, MatRef};
use nalgebra::Vector3;

use crate::point_modes::Modes;
use crate::unread::{MatrixSource, UnreadArrayError};

/// Number of lowest modes of the sample: they have the large deflections.
pub const SAMPLE_MODES: usize = 40;

/// Number of points of the sample, at most.
const SAMPLE_POINTS: usize = 4000;

/// The part of mode values at all points that every run looks at.
#[derive(Debug, Clone)]
pub struct FieldSummary {
    /// Largest displacement of a point in each mode, max_i |φ_ik|.
    pub largest: Vec<f64>,
    /// Values of the first modes at the points of [`sample_points`], three rows each.
    pub sample: Mat<f64>,
}

impl FieldSummary {
    /// The summary of modes.
    pub fn of(modes: &Modes) -> Self {
        let [n_rows, n_columns] = sample_size(modes.points.len(), modes.values.ncols());
        let step = sample_step(modes.points.len());
        let sample = Mat::from_fn(n_rows, n_columns, |i, k| modes.values[(3 * step * (i / 3) + i % 3, k)]);
        Self { largest: modes.largest(), sample }
    }

    /// True if the sample has less than half of the values; otherwise it is hardly smaller than these.
    pub fn is_worthwhile(&self, modes: &Modes) -> bool {
        2 * self.sample.nrows() * self.sample.ncols() < modes.values.nrows() * modes.values.ncols()
    }
}

/// Some of the points and modes.
#[derive(Debug, Clone, Copy)]
pub struct Sample<'a> {
    values: MatRef<'a, f64>,
    /// Rows of points from one point of the sample to the next.
    step: usize,
}

impl Sample<'_> {
    /// Number of its modes.
    pub fn n_modes(&self) -> usize {
        self.values.ncols().min(SAMPLE_MODES)
    }

    /// Displacement of the i-th point of the sample in mode k.
    pub fn displacement(&self, i: usize, k: usize) -> Vector3<f64> {
        Vector3::from_fn(|a, _| self.values[(3 * self.step * i + a, k)])
    }
}

/// Numbers of the points of the sample among n.
pub fn sample_points(n: usize) -> impl Iterator<Item = usize> {
    (0..n).step_by(sample_step(n))
}

fn sample_step(n: usize) -> usize {
    n.div_ceil(SAMPLE_POINTS).max(1)
}

/// Rows and columns of the sample of modes.
pub fn sample_size(n_points: usize, n_modes: usize) -> [usize; 2] {
    [3 * sample_points(n_points).count(), n_modes.min(SAMPLE_MODES)]
}

/// Modes at all points, or all points of the surface, of a body: in memory, or in the file of the model until
/// they are needed.
#[derive(Debug, Clone)]
pub struct FieldModes {
    modes: OnceLock<Modes>,
    /// None if the modes were in memory from the start.
    filed: Option<Filed>,
}

/// The modes of a model that was just made.
pub(crate) fn in_memory(fields: &FieldModes) -> &Modes {
    fields.modes.get().expect("a reduction keeps its modes in memory")
}

/// Modes in a file.
#[derive(Debug, Clone)]
struct Filed {
    points: Vec<u32>,
    positions_b: Vec<[f64; 3]>,
    summary: FieldSummary,
    source: Arc<dyn MatrixSource>,
}

impl From<Modes> for FieldModes {
    fn from(modes: Modes) -> Self {
        Self { modes: OnceLock::from(modes), filed: None }
    }
}

impl FieldModes {
    /// Modes whose values are read when they are needed.
    ///
    /// * `points`, `positions_b` — as in [`Modes`]
    pub fn filed(
        points: Vec<u32>,
        positions_b: Vec<[f64; 3]>,
        summary: FieldSummary,
        source: Arc<dyn MatrixSource>,
    ) -> Self {
        Self { modes: OnceLock::new(), filed: Some(Filed { points, positions_b, summary, source }) }
    }

    /// Numbers of the points of the body, ascending.
    pub fn points(&self) -> &[u32] {
        match self.parts() {
            Ok(modes) => &modes.points,
            Err(filed) => &filed.points,
        }
    }

    /// Their reference positions in the body frame \[m\].
    pub fn positions_b(&self) -> &[[f64; 3]] {
        match self.parts() {
            Ok(modes) => &modes.positions_b,
            Err(filed) => &filed.positions_b,
        }
    }

    /// Largest displacement of a point in each mode.
    pub fn largest(&self) -> Cow<'_, [f64]> {
        match self.parts() {
            Ok(modes) => Cow::Owned(modes.largest()),
            Err(filed) => Cow::Borrowed(&filed.summary.largest),
        }
    }

    /// Values of the first [`SAMPLE_MODES`] modes at the points of [`sample_points`].
    pub fn sample(&self) -> Sample<'_> {
        match self.parts() {
            Ok(modes) => modes.sample(),
            Err(filed) => Sample { values: filed.summary.sample.as_ref(), step: 1 },
        }
    }

    /// True once the values are in memory.
    pub fn are_read(&self) -> bool {
        self.modes.get().is_some()
    }

    /// The modes in memory, or the file.
    fn parts(&self) -> Result<&Modes, &Filed> {
        self.modes.get().ok_or_else(|| self.filed.as_ref().expect("modes are in memory or in a file"))
    }

    /// The modes, read from the file if they were not read before.
    ///
    /// # Errors
    ///
    /// [`UnreadArrayError`] if the file cannot be read or was changed.
    pub fn modes(&self) -> Result<&Modes, UnreadArrayError> {
        match self.parts() {
            Ok(modes) => Ok(modes),
            Err(Filed { points, positions_b, source, .. }) => {
                let values = source.matrix()?;
                let read = || Modes { points: points.clone(), positions_b: positions_b.clone(), values };
                Ok(self.modes.get_or_init(read))
            }
        }
    }

    /// The modes alone.
    ///
    /// # Errors
    ///
    /// As [`FieldModes::modes`].
    pub fn into_modes(self) -> Result<Modes, UnreadArrayError> {
        self.modes()?;
        Ok(self.modes.into_inner().expect("they were read"))
    }
}

impl Modes {
    /// Largest displacement of a point in each mode.
    pub fn largest(&self) -> Vec<f64> {
        let of_mode = |mode: usize| {
            let column = self.values.col_as_slice(mode).as_chunks::<3>().0;
            column.iter().map(|phi| Vector3::from(*phi).norm_squared()).fold(0.0, f64::max).sqrt()
        };
        (0..self.values.ncols()).map(of_mode).collect()
    }

    /// Values of the modes at the points of [`sample_points`].
    pub fn sample(&self) -> Sample<'_> {
        Sample { values: self.values.as_ref(), step: sample_step(self.points.len()) }
    }
}
