//! A body whose stress is followed over the frames.

use std::path::{Path, PathBuf};

use carom_fem::stress::von_mises;
use carom_format::result::StoredFrame;
use carom_report::{Column, Table, Value};
use carom_scene::SampledStress;
use carom_vtk::{Field, FrameWriter, WriteOptions};
use nalgebra::Vector3;

use super::LargestOfBody;
use crate::body_stress::BodyStress;
use crate::export::{PressureFaces, pressure_faces, pressures, safe_name};
use crate::grids::PlacedGrid;
use crate::rainflow::cycles;
use crate::{Run, RunError, file};

/// Frames in a period of the fastest dynamic mode, below which a warning says that peaks may be missed.
const FEWEST_FRAMES: f64 = 8.0;

/// Error of the largest stress over it, above which a warning asks for smaller cells.
const LARGEST_ERROR: f64 = 0.1;

/// The largest figures at a place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Peak {
    von_mises: f64,
    time: f64,
    /// Error of the stress at that time \[Pa\].
    error: f64,
    /// Least and largest signed von Mises stress \[Pa\].
    signed: [f64; 2],
}

impl Peak {
    /// Before the first frame.
    const NONE: Self =
        Self { von_mises: 0.0, time: 0.0, error: 0.0, signed: [f64::INFINITY, f64::NEG_INFINITY] };

    /// Takes in the stress of a frame.
    fn observe(&mut self, time: f64, stress: &[f64; 6], error: f64) {
        let (now, signed) = (von_mises(stress), signed(stress));
        self.signed = [self.signed[0].min(signed), self.signed[1].max(signed)];
        if now > self.von_mises {
            (self.von_mises, self.time, self.error) = (now, time, error);
        }
    }

    /// 0 of a place that no frame counts for.
    fn range(&self) -> f64 {
        (self.signed[1] - self.signed[0]).max(0.0)
    }
}

/// Von Mises stress with the sign of the mean stress, for cycles.
fn signed(stress: &[f64; 6]) -> f64 {
    von_mises(stress).copysign(stress[0] + stress[1] + stress[2])
}

/// Stress of some places at a time.
pub(super) struct Moment {
    time: f64,
    /// One for each place \[Pa\]; none within the loads of a contact.
    stress: Vec<Option<[f64; 6]>>,
}

/// A body with the faces that carry its pressures.
pub(super) struct Watched {
    pub stress: BodyStress,
    faces: Vec<PressureFaces>,
}

impl Watched {
    /// A body of a run; the reason, a sentence, if its modes have no stress.
    pub(super) fn of(
        run: &Run,
        number: usize,
        frames: &[StoredFrame],
    ) -> Result<Result<Self, String>, RunError> {
        let stress = match BodyStress::of(run, number)? {
            Ok(stress) => stress,
            Err(why) => return Ok(Err(why)),
        };
        let faces = pressure_faces(run, &stress.body, frames)?;
        Ok(Ok(Self { stress, faces }))
    }

    /// Name of the body.
    pub(super) fn name(&self) -> &str {
        &self.stress.body.meta.name
    }

    fn places(&self) -> &[[f64; 3]] {
        &self.stress.places
    }

    fn at(&self, frame: &StoredFrame) -> SampledStress {
        self.stress.at(frame, &pressures(&self.faces, frame))
    }

    /// Centres and radii of the loaded contacts on grids of the body in a frame, axes of its file \[m\].
    fn loaded(&self, run: &Run, frame: &StoredFrame) -> Vec<(Vector3<f64>, f64)> {
        let touches = |end: &str| end.split(':').next() == Some(self.name());
        let pairs = run.header().pairs.iter().enumerate();
        pairs
            .filter(|(_, pair)| touches(&pair.first) || touches(&pair.second))
            .filter_map(|(number, _)| {
                let grid = PlacedGrid::of(frame, number)?;
                let center = self.stress.in_file(frame, grid.center())?;
                Some((center, self.stress.body.load_radius + grid.radius()))
            })
            .collect()
    }

    /// True if a place lies within the loads of a contact.
    fn is_loaded(&self, place: usize, loaded: &[(Vector3<f64>, f64)]) -> bool {
        let x = Vector3::from(self.places()[place]);
        loaded.iter().any(|(center, radius)| (x - center).norm() < *radius)
    }

    /// The largest figures of each place over the frames.
    pub(super) fn peaks(
        &self,
        run: &Run,
        frames: &[StoredFrame],
        step: &mut impl FnMut() -> Result<(), RunError>,
    ) -> Result<Vec<Peak>, RunError> {
        let mut peaks = vec![Peak::NONE; self.places().len()];
        for frame in frames {
            let (found, loaded) = (self.at(frame), self.loaded(run, frame));
            for (k, peak) in peaks.iter_mut().enumerate() {
                if !self.is_loaded(k, &loaded) {
                    peak.observe(frame.time, &found.tensor[k], found.error[k]);
                }
            }
            step()?;
        }
        Ok(peaks)
    }

    /// The places with a history: those of the largest stress and the largest range, and the wanted ones.
    pub(super) fn points_of(&self, peaks: &[Peak], wanted: &[[f64; 3]]) -> Vec<usize> {
        let largest = |of: fn(&Peak) -> f64| {
            (0..peaks.len()).max_by(|&a, &b| of(&peaks[a]).total_cmp(&of(&peaks[b]))).unwrap_or_default()
        };
        let mut points = vec![largest(|peak| peak.von_mises), largest(Peak::range)];
        points.extend(wanted.iter().map(|x| self.stress.nearest(&Vector3::from(*x))));
        points
    }

    /// Time and stress of some places in all frames.
    pub(super) fn histories(
        &self,
        run: &Run,
        frames: &[StoredFrame],
        points: &[usize],
        step: &mut impl FnMut() -> Result<(), RunError>,
    ) -> Result<Vec<Moment>, RunError> {
        let mut histories = Vec::with_capacity(frames.len());
        for frame in frames {
            let (found, loaded) = (self.at(frame), self.loaded(run, frame));
            let stress = points.iter().map(|&k| (!self.is_loaded(k, &loaded)).then_some(found.tensor[k]));
            let stress = stress.collect();
            histories.push(Moment { time: frame.time, stress });
            step()?;
        }
        Ok(histories)
    }

    pub(super) fn write(
        &self,
        folder: &Path,
        peaks: &[Peak],
        points: &[usize],
        histories: &[Moment],
    ) -> Result<Vec<PathBuf>, RunError> {
        let name = safe_name(self.name());
        let path = |ending: &str| folder.join(format!("{name}-{ending}"));
        let (picture, history, rainflow) = (path("stress.vtu"), path("history.csv"), path("rainflow.csv"));
        let wrong = |source| RunError::Grid { body: self.name().to_owned(), source };
        let field = |name: &str, of: fn(&Peak) -> f64| {
            let values: Vec<f64> = peaks.iter().map(of).collect();
            Field::scalar(name, self.stress.recovery.at_grid_points(&values)).single()
        };
        let fields = [
            field("von_mises_max", |peak| peak.von_mises),
            field("error", |peak| peak.error),
            field("time_of_max", |peak| peak.time),
            field("range", Peak::range),
        ];
        FrameWriter::new(&self.stress.grid.grid, WriteOptions::default()).map_err(wrong)?.write(
            &picture,
            &fields,
            &[],
            None,
        )?;
        file::write_text(&history, &self.history_table(points, histories).to_csv())?;
        file::write_text(&rainflow, &self.cycles_table(points, histories).to_csv())?;
        Ok(vec![picture, history, rainflow])
    }

    /// Name of the point of a history.
    fn name_of(n: usize) -> String {
        match n {
            0 => "largest stress".to_owned(),
            1 => "largest range".to_owned(),
            n => format!("place {}", n - 1),
        }
    }

    fn history_table(&self, points: &[usize], histories: &[Moment]) -> Table {
        let mut table = Table::new(
            [("point", ""), ("x", "m"), ("y", "m"), ("z", "m"), ("time", "s")]
                .into_iter()
                .chain(["xx", "yy", "zz", "xy", "yz", "xz", "signed_von_mises"].map(|name| (name, "Pa")))
                .map(|(name, unit)| Column::new(name, name, unit))
                .collect(),
        );
        for (n, &point) in points.iter().enumerate() {
            for Moment { time, stress } in histories {
                let Some(stress) = stress[n] else { continue };
                let mut row: Vec<Value> = vec![Self::name_of(n).as_str().into()];
                row.extend(self.places()[point].map(Value::from));
                row.push((*time).into());
                row.extend(stress.map(Value::from));
                row.push(signed(&stress).into());
                table.push(row).expect("the row was made with the columns");
            }
        }
        table
    }

    fn cycles_table(&self, points: &[usize], histories: &[Moment]) -> Table {
        let columns = [
            ("point", ""),
            ("x", "m"),
            ("y", "m"),
            ("z", "m"),
            ("range", "Pa"),
            ("mean", "Pa"),
            ("count", ""),
            ("from", "s"),
            ("to", "s"),
        ];
        let mut table = Table::new(columns.map(|(name, unit)| Column::new(name, name, unit)).to_vec());
        for (n, &point) in points.iter().enumerate() {
            let known = histories.iter().filter_map(|moment| Some((moment.time, signed(&moment.stress[n]?))));
            let (times, history): (Vec<f64>, Vec<f64>) = known.unzip();
            for cycle in cycles(&history) {
                let mut row: Vec<Value> = vec![Self::name_of(n).as_str().into()];
                row.extend(self.places()[point].map(Value::from));
                row.extend([cycle.range, cycle.mean, cycle.count].map(Value::from));
                row.extend(cycle.samples.map(|sample| Value::from(times[sample])));
                table.push(row).expect("the row was made with the columns");
            }
        }
        table
    }

    /// The largest stress, that of a place.
    pub(super) fn largest(&self, peaks: &[Peak], point: usize) -> LargestOfBody {
        let Peak { von_mises, time, error, .. } = peaks[point];
        let range = peaks.iter().map(Peak::range).fold(0.0, f64::max);
        LargestOfBody {
            body: self.name().to_owned(),
            von_mises,
            error,
            time,
            place: self.places()[point],
            range,
        }
    }

    /// Sentences about figures that are not to be trusted.
    pub(super) fn doubts(&self, run: &Run, peaks: &[Peak], point: usize) -> Vec<String> {
        let (name, peak) = (self.name(), peaks[point]);
        let mut doubts = Vec::new();
        if peak.error > LARGEST_ERROR * peak.von_mises {
            let [x, y, z] = self.places()[point];
            doubts.push(format!(
                "body `{name}`: in the cells that meet at ({x:.4e}, {y:.4e}, {z:.4e}) m the raw stress \
                 differs from the recovered one by up to {:.3e} Pa, {:.0} % of the von Mises stress there, \
                 limit {:.0} %: use smaller cells there (`near` or `size` of a part from CAD, `refine` of \
                 others)",
                peak.error,
                100.0 * peak.error / peak.von_mises,
                100.0 * LARGEST_ERROR
            ));
        }
        let times = run.times();
        let longest = times.windows(2).map(|pair| pair[1] - pair[0]).fold(0.0, f64::max);
        if let Some(hz) = self.stress.body.fastest_hz.filter(|hz| longest * hz * FEWEST_FRAMES > 1.0) {
            doubts.push(format!(
                "body `{name}`: its fastest dynamic mode, {hz:.3e} Hz, has {:.1} frames a period, limit \
                 {FEWEST_FRAMES}: peaks between frames are missed; set `simulation.output_every` to \
                 {:.1e} s",
                1.0 / (longest * hz),
                1.0 / (FEWEST_FRAMES * hz)
            ));
        }
        doubts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_range_of_a_stress_that_never_vanishes_leaves_zero_out() {
        let mut peak = Peak::NONE;
        assert_eq!(peak.range(), 0.0);
        for (time, stress, error) in [(0.0, 100e6, 1e6), (1.0, 120e6, 2e6), (2.0, 110e6, 3e6)] {
            peak.observe(time, &[stress, 0.0, 0.0, 0.0, 0.0, 0.0], error);
        }
        assert!((peak.range() - 20e6).abs() < 1e-3 && (peak.von_mises - 120e6).abs() < 1e-3);
        assert_eq!((peak.time, peak.error), (1.0, 2e6));
        // Compression has the other sign.
        peak.observe(3.0, &[-50e6, 0.0, 0.0, 0.0, 0.0, 0.0], 0.0);
        assert!((peak.range() - 170e6).abs() < 1e-3);
    }
}
