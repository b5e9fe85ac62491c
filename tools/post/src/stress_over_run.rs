//! Stress at the surface of reduced bodies over all frames: the largest value at each place, its error, and
//! histories with their cycles for a fatigue tool.

use std::path::{Path, PathBuf};

use carom_dynamics::BodyState;
use carom_fem::stress::von_mises;
use carom_files::create_folder;
use carom_format::result::StoredFrame;
use carom_progress::Progress;
use carom_report::{Column, Table, Value};
use carom_scene::{BodyGrid, SurfaceStressRecovery};
use carom_vtk::{Field, FrameWriter, WriteOptions};
use nalgebra::Vector3;

use crate::bodies::RunBody;
use crate::export::{PressureFaces, inconsistent, pressure_faces, pressures, safe_name};
use crate::grids::PlacedGrid;
use crate::rainflow::cycles;
use crate::{Run, RunError, below, file};

/// Frames in a period of the fastest dynamic mode, below which a warning says that peaks may be missed.
const FEWEST_FRAMES: f64 = 8.0;

/// Error of the largest stress over it, above which a warning asks for smaller cells.
const LARGEST_ERROR: f64 = 0.1;

/// A place whose history is wanted.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    /// Name of the body.
    pub body: String,
    /// Axes of its file; the nearest node of the surface is taken \[m\].
    pub at: [f64; 3],
}

impl std::str::FromStr for Place {
    type Err = String;

    /// `BODY:X,Y,Z`.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is not BODY:X,Y,Z, such as part:0,0.01,0.002");
        let (body, place) = text.rsplit_once(':').ok_or_else(wrong)?;
        let numbers: Vec<f64> =
            place.split(',').map(|x| x.trim().parse()).collect::<Result<_, _>>().map_err(|_| wrong())?;
        let at: [f64; 3] = numbers.try_into().map_err(|_| wrong())?;
        if !at.iter().all(|x| x.is_finite()) {
            return Err(wrong());
        }
        Ok(Self { body: body.to_owned(), at })
    }
}

/// The outcome for all bodies.
#[derive(Debug, Clone, Default)]
pub struct StressOverRun {
    /// One row for each body: its largest stress.
    pub table: Table,
    /// Largest stress below each contact on a half-space grid, a sentence for each elastic body.
    pub contacts: Vec<String>,
    /// Files that were written.
    pub files: Vec<PathBuf>,
    /// Where the figures are not to be trusted, and why.
    pub warnings: Vec<String>,
    /// Places and bodies that are left out.
    pub notes: Vec<String>,
}

/// The largest figures at a place.
#[derive(Debug, Clone, Copy)]
struct Peak {
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

/// Stress of some places at a time.
struct Moment {
    time: f64,
    /// One for each place \[Pa\]; none within the loads of a contact.
    stress: Vec<Option<[f64; 6]>>,
}

/// A body whose stress is recovered.
struct Watched {
    number: usize,
    body: RunBody,
    grid: BodyGrid,
    recovery: SurfaceStressRecovery,
    places: Vec<[f64; 3]>,
    faces: Vec<PressureFaces>,
}

/// Writes the stress over a run of the flexible bodies, or of some and those with a place: `BODY-stress.vtu`,
/// `BODY-history.csv` and `BODY-rainflow.csv` in a folder.
///
/// Places within the loads of a contact on a half-space grid are left out in frames in which it is loaded:
/// their stress is that of smooth loads, and the stress below the contact is that of the half-space.
///
/// * `bodies` — names; all flexible bodies if none
/// * `places` — histories that are wanted beside those of the largest stress and the largest range
///
/// # Errors
///
/// [`RunError`]: no body with a stress, an unknown name, a file that cannot be read or written.
pub fn write(
    run: &Run,
    folder: &Path,
    bodies: &[String],
    places: &[Place],
    progress: &dyn Progress,
) -> Result<StressOverRun, RunError> {
    let frames = run.frames()?;
    for name in bodies.iter().chain(places.iter().map(|place| &place.body)) {
        run.body_index(name)?;
    }
    let mut outcome = StressOverRun { table: Table::new(columns()), ..StressOverRun::default() };
    let mut watched = Vec::new();
    for (number, meta) in run.header().bodies.iter().enumerate() {
        let is_named = bodies.contains(&meta.name) || places.iter().any(|place| place.body == meta.name);
        if bodies.is_empty() || is_named {
            match watch(run, number, &frames)? {
                Ok(body) => watched.push(body),
                Err(why) if is_named => outcome.warnings.push(why),
                Err(why) => outcome.notes.push(why),
            }
        }
    }
    for (pair, names) in run.header().pairs.iter().enumerate() {
        match below::stresses(run, pair) {
            Ok(stresses) => outcome.contacts.extend(
                stresses.iter().map(|of_body| format!("contact {}: {}", names.name, of_body.sentence())),
            ),
            // Pairs that never touch, or not on a grid.
            Err(RunError::NoContact(_) | RunError::Empty { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    if watched.is_empty() {
        return Err(RunError::Empty {
            what: "no reduced body whose model keeps the modes of its surface",
            hint: "rigid bodies have no stress; of bodies in large deformation `carom-post export` writes it",
        });
    }
    create_folder(folder)?;
    progress.begin("stress over the run", (2 * watched.len() * frames.len()) as u64);
    let mut done = 0;
    for body in &watched {
        let mut step = || {
            done += 1;
            progress.set(done);
            if progress.interrupted() { Err(RunError::Interrupted) } else { Ok(()) }
        };
        let peaks = body.peaks(run, &frames, &mut step)?;
        let wanted: Vec<[f64; 3]> =
            places.iter().filter(|place| place.body == body.body.meta.name).map(|place| place.at).collect();
        let points = body.points_of(&peaks, &wanted);
        let histories = body.histories(run, &frames, &points, &mut step)?;
        outcome.files.extend(body.write(folder, &peaks, &points, &histories)?);
        outcome.table.push(body.row(&peaks, points[0])).expect("the row was made with the columns");
        outcome.warnings.extend(body.doubts(run, &peaks, points[0]));
        if body.body.load_radius > 0.0 {
            outcome.notes.push(format!(
                "body `{}`: places within {:.2e} m of a loaded contact are left out, as the loads there are \
                 smooth ones",
                body.body.meta.name, body.body.load_radius
            ));
        }
    }
    progress.end();
    Ok(outcome)
}

fn columns() -> Vec<Column> {
    vec![
        Column::new("body", "body", ""),
        Column::new("von_mises", "von Mises stress", "Pa"),
        Column::new("error", "its error", "Pa"),
        Column::new("time", "at", "s"),
        Column::new("x", "x", "m"),
        Column::new("y", "y", "m"),
        Column::new("z", "z", "m"),
        Column::new("largest_range", "largest range", "Pa"),
    ]
}

/// A body with its recovery; a sentence if it has none.
fn watch(run: &Run, number: usize, frames: &[StoredFrame]) -> Result<Result<Watched, String>, RunError> {
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
    let faces = pressure_faces(run, &body, frames)?;
    Ok(Ok(Watched { number, body, grid, recovery, places, faces }))
}

/// Von Mises stress with the sign of the mean stress, for cycles.
fn signed(stress: &[f64; 6]) -> f64 {
    von_mises(stress).copysign(stress[0] + stress[1] + stress[2])
}

impl Watched {
    /// Stress and errors at the places in a frame.
    fn stress(&self, frame: &StoredFrame) -> carom_scene::SampledStress {
        let rest = BodyState::default();
        let state = frame.bodies.get(self.number).unwrap_or(&rest);
        let displacement = self.body.elastic_displacement(&state.modal);
        self.recovery.sampled(&displacement, &self.grid.face_values(&pressures(&self.faces, frame)))
    }

    /// Centres and radii of the loaded contacts on grids of the body in a frame, axes of its file \[m\].
    fn loaded(&self, run: &Run, frame: &StoredFrame) -> Vec<(Vector3<f64>, f64)> {
        let name = &self.body.meta.name;
        let touches = |end: &str| end.split(':').next() == Some(name);
        let Some(state) = frame.bodies.get(self.number) else { return Vec::new() };
        let (pose, origin) = (state.pose(), Vector3::from(self.body.meta.frame_origin));
        let pairs = run.header().pairs.iter().enumerate();
        pairs
            .filter(|(_, pair)| touches(&pair.first) || touches(&pair.second))
            .filter_map(|(number, _)| PlacedGrid::of(frame, number))
            .map(|grid| {
                let center = Vector3::from(grid.center());
                let own = pose.rotation.transpose() * (center - pose.position) + origin;
                (own, self.body.load_radius + grid.radius())
            })
            .collect()
    }

    /// True if a place lies within the loads of a contact.
    fn is_loaded(&self, place: usize, loaded: &[(Vector3<f64>, f64)]) -> bool {
        let x = Vector3::from(self.places[place]);
        loaded.iter().any(|(center, radius)| (x - center).norm() < *radius)
    }

    /// The largest figures of each place over the frames.
    fn peaks(
        &self,
        run: &Run,
        frames: &[StoredFrame],
        step: &mut impl FnMut() -> Result<(), RunError>,
    ) -> Result<Vec<Peak>, RunError> {
        let mut peaks = vec![Peak::NONE; self.places.len()];
        for frame in frames {
            let (found, loaded) = (self.stress(frame), self.loaded(run, frame));
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
    fn points_of(&self, peaks: &[Peak], wanted: &[[f64; 3]]) -> Vec<usize> {
        let largest = |of: fn(&Peak) -> f64| {
            (0..peaks.len()).max_by(|&a, &b| of(&peaks[a]).total_cmp(&of(&peaks[b]))).unwrap_or_default()
        };
        let nearest = |x: &[f64; 3]| {
            let distance = |k: &usize| (Vector3::from(self.places[*k]) - Vector3::from(*x)).norm_squared();
            (0..self.places.len()).min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or_default()
        };
        let mut points = vec![largest(|peak| peak.von_mises), largest(Peak::range)];
        points.extend(wanted.iter().map(nearest));
        points
    }

    /// Time and stress of some places in all frames.
    fn histories(
        &self,
        run: &Run,
        frames: &[StoredFrame],
        points: &[usize],
        step: &mut impl FnMut() -> Result<(), RunError>,
    ) -> Result<Vec<Moment>, RunError> {
        let mut histories = Vec::with_capacity(frames.len());
        for frame in frames {
            let (found, loaded) = (self.stress(frame), self.loaded(run, frame));
            let stress = points.iter().map(|&k| (!self.is_loaded(k, &loaded)).then_some(found.tensor[k]));
            let stress = stress.collect();
            histories.push(Moment { time: frame.time, stress });
            step()?;
        }
        Ok(histories)
    }

    fn write(
        &self,
        folder: &Path,
        peaks: &[Peak],
        points: &[usize],
        histories: &[Moment],
    ) -> Result<Vec<PathBuf>, RunError> {
        let name = safe_name(&self.body.meta.name);
        let path = |ending: &str| folder.join(format!("{name}-{ending}"));
        let (picture, history, rainflow) = (path("stress.vtu"), path("history.csv"), path("rainflow.csv"));
        let wrong = |source| RunError::Grid { body: self.body.meta.name.clone(), source };
        let field = |name: &str, of: fn(&Peak) -> f64| {
            let values: Vec<f64> = peaks.iter().map(of).collect();
            Field::scalar(name, self.recovery.at_grid_points(&values)).single()
        };
        let fields = [
            field("von_mises_max", |peak| peak.von_mises),
            field("error", |peak| peak.error),
            field("time_of_max", |peak| peak.time),
            field("range", Peak::range),
        ];
        FrameWriter::new(&self.grid.grid, WriteOptions::default()).map_err(wrong)?.write(
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
                row.extend(self.places[point].map(Value::from));
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
                row.extend(self.places[point].map(Value::from));
                row.extend([cycle.range, cycle.mean, cycle.count].map(Value::from));
                row.extend(cycle.samples.map(|sample| Value::from(times[sample])));
                table.push(row).expect("the row was made with the columns");
            }
        }
        table
    }

    fn row(&self, peaks: &[Peak], point: usize) -> Vec<Value> {
        let peak = peaks[point];
        let mut row: Vec<Value> = vec![self.body.meta.name.as_str().into()];
        row.extend([peak.von_mises, peak.error, peak.time].map(Value::from));
        row.extend(self.places[point].map(Value::from));
        row.push(peaks.iter().map(Peak::range).fold(0.0, f64::max).into());
        row
    }

    /// Sentences about figures that are not to be trusted.
    fn doubts(&self, run: &Run, peaks: &[Peak], point: usize) -> Vec<String> {
        let (name, peak) = (&self.body.meta.name, peaks[point]);
        let mut doubts = Vec::new();
        if peak.error > LARGEST_ERROR * peak.von_mises {
            let [x, y, z] = self.places[point];
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
        if let Some(hz) = self.body.fastest_hz.filter(|hz| longest * hz * FEWEST_FRAMES > 1.0) {
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
