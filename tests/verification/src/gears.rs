//! Two elastic gears in mesh: ratio, force between the teeth, and transmission error.

use std::f64::consts::PI;

use carom_report::{Axis, Drawing, Plot, Series, Style};

use crate::{Bench, BenchError, Outcome, Row};

const GEARS: &str = include_str!("../../../meshes/gears/flexible.toml");
const PINION: &str = include_str!("../../../meshes/gears/elastic_pinion.xml");
const WHEEL: &str = include_str!("../../../meshes/gears/elastic_wheel.xml");

/// The gears of meshes/gears/gears.py, with its names.
const MODULE: f64 = 0.002;
const TEETH: [f64; 2] = [20.0, 30.0];
const TORQUE: f64 = 20.0;
const FAST: f64 = 100.0;
const START: f64 = -8.0;
const GAP: f64 = 1e-7;
/// Relief of the tips \[m\], and its length along the path of contact in base pitches.
const RELIEF: f64 = 1e-5;
const REACH: f64 = 0.45;
/// Time from which the brake has its whole torque and the start has rung down \[s\].
const SETTLED: f64 = 1.2e-3;

/// Force between the teeth over the approach of the bores along the line of action, every 2 µm from 0
/// on: cells that resolve the contact, whole bodies (`gears.py resolved ANGLE PAIRS FOLDER`) \[N\].
const ONE_PAIR: [f64; 6] = [0.0, 133.362, 331.847, 563.635, 814.056, 1077.424];
/// The same with two pairs in contact, of both together.
const TWO_PAIRS: [f64; 6] = [0.0, 170.982, 463.428, 795.945, 1152.739, 1534.493];
/// Angles of the pinion at both, of the first pair \[°\].
const AT_PITCH_POINT: f64 = -4.5;
const BETWEEN: f64 = 4.05;

/// Angle of the pinion between two pairs of teeth \[°\].
const PITCH: f64 = 360.0 / TEETH[0];
/// Angles of the pinion a pitch apart, between which the first pair hands over to the second one: one pair
/// carries at both \[°\].
const APART: [f64; 2] = [-1.0, -1.0 + PITCH];

/// The samples of a run.
struct Mesh {
    times: Vec<f64>,
    /// How far the wheel lags behind the ratio of the teeth, along the line of action \[m\].
    lag: Vec<f64>,
    /// Force of each pair on the pinion \[N\].
    forces: Vec<Vec<[f64; 3]>>,
}

fn base(teeth: f64) -> f64 {
    0.5 * MODULE * teeth * 20.0_f64.to_radians().cos()
}

impl Mesh {
    fn read(bench: &Bench<'_>) -> Result<Self, BenchError> {
        let run = bench.open("gears")?;
        let broken = |error: carom_format::result::ResultError| BenchError::Result(error.into());
        let courses = run.reader().probe_courses().map_err(broken)?;
        let distance = 0.5 * MODULE * (TEETH[0] + TEETH[1]);
        let mut wheel = Vec::new();
        for row in &courses[0].values {
            let [x, y, _] = row[0];
            let angle = y.atan2(x - distance);
            let turns = wheel.last().map_or(0.0, |last: &f64| ((last - angle) / (2.0 * PI)).round());
            wheel.push(angle + 2.0 * PI * turns);
        }
        let times = courses[0].times.clone();
        let of_sample = |(t, angle): (&f64, &f64)| {
            base(TEETH[1]) * (angle - wheel[0] + TEETH[0] / TEETH[1] * FAST * t) - GAP
        };
        let lag = times.iter().zip(&wheel).map(of_sample).collect();
        let of_pair = |k: usize| courses[k].values.iter().map(|row| row[0]).collect();
        let forces = (1..courses.len()).map(of_pair).collect();
        Ok(Self { times, lag, forces })
    }

    /// Number of the sample at which the pinion has this angle \[°\].
    fn at(&self, degrees: f64) -> usize {
        let time = (degrees - START).to_radians() / FAST;
        self.times.partition_point(|t| *t < time - 1e-9).min(self.times.len() - 1)
    }

    /// The two samples with equal lags that are farthest apart in time after the start has rung down: between
    /// them the wheel turns by the ratio of the teeth, so that the damper takes its mean torque.
    fn between_equal_lags(&self) -> (usize, usize) {
        let first = self.times.partition_point(|t| *t < SETTLED);
        let last = self.times.len() - 1;
        let partner = |from: usize| {
            let off = |k: usize| self.lag[k] - self.lag[from];
            (from + 2..=last).rev().find(|&k| off(k) * off(k - 1) <= 0.0).map(|to| (from, to))
        };
        (first..last).filter_map(partner).max_by_key(|(from, to)| to - from).unwrap_or((first, last))
    }

    /// Angle by which the relief turns the mean force from the line of action between two samples \[°\].
    ///
    /// A normal of a flank has the arm r_b (1 − δ') about the axis, with the relief δ over the path of
    /// contact. The sum of both arms is the distance of the axes times the cosine of the pressure angle:
    ///
    /// ```text
    /// dα = (δ₁' r_b1 + δ₂' r_b2) / ((r_b1 + r_b2) tan α)
    /// ```
    fn turn(&self, from: usize, to: usize) -> f64 {
        let (slope, bases) = (20.0_f64.to_radians().tan(), TEETH.map(base));
        let pitch = PI * MODULE * 20.0_f64.to_radians().cos();
        let ends = TEETH.map(|teeth| {
            let (tip, base) = (0.5 * MODULE * teeth + MODULE, base(teeth));
            (tip * tip - base * base).sqrt() - base * slope
        });
        let relief = |to_end: f64| {
            let part = to_end / (REACH * pitch);
            if part < 1.0 { 3.0 * RELIEF / (REACH * pitch) * (1.0 - part).powi(2) } else { 0.0 }
        };
        let (mut sum, mut forces) = (0.0, 0.0);
        for (k, pair) in (from..to).flat_map(|k| (0..self.forces.len()).map(move |pair| (k, pair))) {
            // From the pitch point, towards the tip of the pinion.
            let angle = (START - AT_PITCH_POINT).to_radians() + FAST * self.times[k];
            let x = bases[0] * angle - pair as f64 * pitch;
            let arms = relief(ends[0] - x) * bases[0] + relief(ends[1] + x) * bases[1];
            sum += self.size(pair, k) * arms / ((bases[0] + bases[1]) * slope);
            forces += self.size(pair, k);
        }
        (sum / forces).to_degrees()
    }

    fn total(&self, sample: usize) -> [f64; 3] {
        let sum = |d: usize| self.forces.iter().map(|pair| pair[sample][d]).sum();
        [0, 1, 2].map(sum)
    }

    fn size(&self, pair: usize, sample: usize) -> f64 {
        let [x, y, _] = self.forces[pair][sample];
        x.hypot(y)
    }
}

/// The approach at which a table of forces, every 2 µm, has a force \[m\]: by a parabola through three
/// values.
fn approach(table: &[f64; 6], force: f64) -> f64 {
    let k = table.partition_point(|f| *f < force).clamp(2, 4) - 1;
    let [a, b, c] = [table[k - 1], table[k], table[k + 1]];
    // Newton's form in the force.
    let (first, second) = (1.0 / (b - a), 1.0 / (c - b));
    let bend = (second - first) / (c - a);
    2e-6 * ((k - 1) as f64 + (force - a) * first + (force - a) * (force - b) * bend)
}

/// The elastic gears over a pitch and a half: one pair carries, then two, then the next one alone.
pub(crate) fn gears(bench: &Bench<'_>) -> Result<Outcome, BenchError> {
    bench.place("elastic_pinion.xml", PINION)?;
    bench.place("elastic_wheel.xml", WHEEL)?;
    let run = bench.run("gears", GEARS, None)?;
    let mesh = Mesh::read(bench)?;
    let mut outcome = Outcome::default();
    let (from, to) = mesh.between_equal_lags();
    let n = (to - from) as f64;
    let mean = |d: usize| (from..to).map(|k| mesh.total(k)[d]).sum::<f64>() / n;
    let [x, y] = [mean(0), mean(1)];
    let force = TORQUE / base(TEETH[1]);
    let what = "mean force between the teeth, between times of equal lag";
    outcome.rows.push(Row::new(what, "N", x.hypot(y), force, 2e-3));
    let angle = (-y).atan2(-x).to_degrees();
    let what = "its direction on the wheel, from the line of the axes";
    outcome.rows.push(Row::new(what, "°", angle, 70.0 - mesh.turn(from, to), 1e-3));
    outcome.rows.push(Row::shown("length of that time", "s", mesh.times[to] - mesh.times[from]));
    for (what, table, degrees) in [
        ("lag with one pair, at the pitch point", &ONE_PAIR, AT_PITCH_POINT),
        ("lag with two pairs", &TWO_PAIRS, BETWEEN),
        ("lag with the next pair, at its pitch point", &ONE_PAIR, AT_PITCH_POINT + PITCH),
    ] {
        let at = mesh.at(degrees);
        let [x, y, _] = mesh.total(at);
        outcome.rows.push(Row::shown(format!("{what}: force"), "N", x.hypot(y)));
        outcome.rows.push(Row::new(what, "m", mesh.lag[at], approach(table, x.hypot(y)), 0.03));
    }
    let at = mesh.at(BETWEEN);
    let share = mesh.size(0, at) / (mesh.size(0, at) + mesh.size(1, at));
    outcome.rows.push(Row::new("share of the leading one of two pairs", "", share, 585.372 / 1152.739, 0.03));
    let [before, after] = APART.map(|degrees| mesh.lag[mesh.at(degrees)]);
    outcome.rows.push(Row::new("lag with one pair at 17°, a pitch after -1°", "m", after, before, 0.01));
    outcome.rows.push(Row::new("error of the energy", "", run.summary.ledger.energy_error, 0.0, 1e-3));
    let caption = "Lag of the wheel, with that of whole bodies at rest under the whole brake, whose cells \
                   resolve the contact. The brake comes in the first millisecond, up to -2.3°.";
    outcome.pictures.push(("gears-lag".to_owned(), lag(&mesh), caption.to_owned()));
    let caption = "Force of each pair of teeth.";
    outcome.pictures.push(("gears-forces".to_owned(), forces(&mesh), caption.to_owned()));
    Ok(outcome)
}

fn degrees(mesh: &Mesh) -> Vec<f64> {
    mesh.times.iter().map(|t| START + (FAST * t).to_degrees()).collect()
}

fn lag(mesh: &Mesh) -> Drawing {
    let microns = mesh.lag.iter().map(|lag| 1e6 * lag).collect();
    let force = TORQUE / base(TEETH[1]);
    let known = [(AT_PITCH_POINT + PITCH, &ONE_PAIR), (BETWEEN, &TWO_PAIRS)];
    let (at, expected): (Vec<f64>, Vec<f64>) =
        known.into_iter().map(|(at, table)| (at, 1e6 * approach(table, force))).unzip();
    Plot::new("Transmission error", Axis::new("angle of the pinion", "°"), Axis::new("lag", "µm"))
        .with(Series::line("carom", degrees(mesh), microns))
        .with(Series::line("resolved, at rest", at, expected).styled(Style::Markers))
        .draw()
}

fn forces(mesh: &Mesh) -> Drawing {
    let mut plot =
        Plot::new("Pairs of teeth", Axis::new("angle of the pinion", "°"), Axis::new("force", "N"));
    for pair in 0..mesh.forces.len() {
        let sizes = (0..mesh.times.len()).map(|k| mesh.size(pair, k)).collect();
        plot = plot.with(Series::line(&format!("pair {pair}"), degrees(mesh), sizes));
    }
    plot.draw()
}
