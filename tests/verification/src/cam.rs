//! A cam whose follower stays in contact at one speed and jumps at another.

use std::f64::consts::PI;

use carom_contact::closed_form::{BarImpact, HertzPair, elastic_ball_stiffening};
use carom_report::{Axis, Plot, Series, Style};

use crate::chains::history;
use crate::{Bench, BenchError, Outcome, Row};

/// A cam and its follower.
const CAM: &str = include_str!("../../../meshes/cam/scenario.toml");
pub(crate) const CAM_BODY: &str = include_str!("../../../meshes/cam/cam.xml");

/// A follower on a cam that lifts it by s(a) = h/2 (1 − cos 2a), a(t) = 2π f (t − τ tanh(t/τ)).
///
/// ```text
/// N = m s'' + c s' + k s + P       as long as it is pushed
/// m y'' + c y' + k y + P = N(y)    anyway
/// ```
pub(crate) struct Follower {
    /// f \[1/s\].
    speed: f64,
    /// m \[kg\].
    mass: f64,
}

impl Follower {
    /// h, τ, k, c, P, the time in which P is applied, radius of the ball, distance of its centre from the
    /// axis without lift.
    const LIFT: f64 = 3e-3;
    const RISE: f64 = 0.02;
    const STIFFNESS: f64 = 1e3;
    const DAMPING: f64 = 8.0;
    const PRELOAD: f64 = 6.0;
    const PUT_ON: f64 = 0.01;
    const RADIUS: f64 = 0.005;
    const DISTANCE: f64 = 0.035;

    pub(crate) fn new(speed: f64) -> Self {
        let ball = 1200.0 * 4.0 / 3.0 * PI * Self::RADIUS.powi(3);
        Self { speed, mass: ball + 7800.0 * PI * 0.004_f64.powi(2) * 0.08 }
    }

    /// a with its first two derivatives.
    fn angle(&self, t: f64) -> [f64; 3] {
        let (omega, tanh) = (2.0 * PI * self.speed, (t / Self::RISE).tanh());
        let square = 1.0 - tanh * tanh;
        let angle = omega * (t - Self::RISE * tanh);
        [angle, omega * (1.0 - square), 2.0 * omega * tanh * square / Self::RISE]
    }

    /// s with its first two derivatives by time.
    fn lift(&self, t: f64) -> [f64; 3] {
        let [a, rate, second] = self.angle(t);
        let (sin, cos) = (2.0 * a).sin_cos();
        let half = 0.5 * Self::LIFT;
        [half * (1.0 - cos), 2.0 * half * sin * rate, 2.0 * half * (2.0 * cos * rate * rate + sin * second)]
    }

    fn spring(&self, t: f64, y: f64, v: f64) -> f64 {
        let x = (t / Self::PUT_ON).clamp(0.0, 1.0);
        let part = x.powi(3) * (10.0 - 15.0 * x + 6.0 * x * x);
        Self::STIFFNESS * y + Self::DAMPING * v + part * Self::PRELOAD
    }

    /// Contact force N of a follower that does not leave the cam.
    pub(crate) fn closed_form(&self, t: f64) -> f64 {
        let [s, v, a] = self.lift(t);
        self.mass * a + self.spring(t, s, v)
    }

    /// Contact point and outward normal of the profile after a rotation by a.
    pub(crate) fn profile(a: f64) -> [[f64; 2]; 2] {
        let rho = Self::DISTANCE + 0.5 * Self::LIFT * (1.0 - (2.0 * a).cos());
        let slope = Self::LIFT * (2.0 * a).sin();
        let (sin, cos) = a.sin_cos();
        let (radial, along) = ([-sin, cos], [-cos, -sin]);
        let tangent: [f64; 2] = std::array::from_fn(|i| slope * radial[i] + rho * along[i]);
        let length = tangent[0].hypot(tangent[1]);
        let normal = [tangent[1] / length, -tangent[0] / length];
        [std::array::from_fn(|i| rho * radial[i] - Self::RADIUS * normal[i]), normal]
    }

    /// N along y and its magnitude by Hertz' theory for a ball at the height y on a profile with the outward
    /// deviation `bump`(a).
    fn push(&self, t: f64, y: f64, bump: &dyn Fn(f64) -> f64) -> [f64; 2] {
        let ([a, ..], [s, ..]) = (self.angle(t), self.lift(t));
        let (sin, cos) = (2.0 * a).sin_cos();
        // The path of the centre in polar coordinates, its slope and its curvature.
        let (rho, first, second) = (Self::DISTANCE + s, Self::LIFT * sin, 2.0 * Self::LIFT * cos);
        let square = rho * rho + first * first;
        let curvature = (square + first * first - rho * second) / square.powf(1.5);
        let upwards = rho / square.sqrt();
        let depth = (s - y) * upwards + bump(a);
        if depth <= 0.0 {
            return [0.0; 2];
        }
        // The profile lies a radius inside the path; the ball has the same curvature along and across it.
        let along = 1.0 / (1.0 / Self::RADIUS + 1.0 / (1.0 / curvature - Self::RADIUS));
        let mut pair = HertzPair::new([1.0; 2], [100e6, f64::INFINITY], [0.45, 0.0]);
        pair.radius = (along * Self::RADIUS).sqrt();
        let state = pair.at_approach(depth);
        let ratio = state.contact_radius / Self::RADIUS;
        let force = state.force * (1.0 + elastic_ball_stiffening(ratio) * ratio);
        [force * upwards, force]
    }

    /// Size of N in steps of `step` until `end`, by the midpoint rule in a hundred parts of each, and y − s.
    pub(crate) fn with_hertz(&self, step: f64, end: f64, bump: &dyn Fn(f64) -> f64) -> (BarImpact, Vec<f64>) {
        let h = step / 100.0;
        let (mut y, mut v) = (0.3e-6, 0.0);
        let (mut forces, mut above) = (Vec::new(), Vec::new());
        let rate = |t: f64, y: f64, v: f64| (self.push(t, y, bump)[0] - self.spring(t, y, v)) / self.mass;
        for i in 0..=(end / step).round() as usize {
            let t = i as f64 * step;
            forces.push(self.push(t, y, bump)[1]);
            above.push(y - self.lift(t)[0]);
            for j in 0..100 {
                let t = t + f64::from(j) * h;
                let (ahead, faster) = (y + 0.5 * h * v, v + 0.5 * h * rate(t, y, v));
                y += h * faster;
                v += h * rate(t + 0.5 * h, ahead, faster);
            }
        }
        (BarImpact { step, forces, sphere_velocity: v }, above)
    }
}

/// The cam below its critical speed, and above it.
pub(crate) fn cam(bench: &Bench<'_>) -> Result<Outcome, BenchError> {
    bench.place("cam.xml", CAM_BODY)?;
    let mut outcome = Outcome::default();
    stays(bench, &mut outcome)?;
    jumps(bench, &mut outcome)?;
    Ok(outcome)
}

/// The scenario at 20 revolutions a second.
pub(crate) fn slow() -> String {
    CAM.replace("2*pi*38*", "2*pi*20*").replace("end_time = 0.056", "end_time = 0.16")
}

/// The case of 20 revolutions per second, where the ball stays on the cam.
fn stays(bench: &Bench<'_>, outcome: &mut Outcome) -> Result<(), BenchError> {
    let run = bench.run("cam", &slow(), None)?;
    let follower = Follower::new(20.0);
    let frames = bench.open("cam")?.frames()?;
    let times: Vec<f64> = frames.iter().map(|frame| frame.time).collect();
    let found: Vec<f64> = frames.iter().map(|frame| frame.contacts[0].force[1]).collect();
    let expected: Vec<f64> = times.iter().map(|&t| follower.closed_form(t)).collect();
    let (mut worst, mut largest) = (0.0_f64, 0.0_f64);
    for ((found, expected), _) in found.iter().zip(&expected).zip(&times).filter(|(_, t)| **t > 0.02) {
        worst = worst.max((found - expected).abs());
        largest = largest.max(*expected);
    }
    let caption = "Force of the cam on its follower at 20 turns a second, from rest.";
    outcome.pictures.push((
        "cam-stays".to_owned(),
        plot(&times, found, ("closed form", expected)),
        caption.to_owned(),
    ));
    outcome.rows.push(Row::new(
        "20 turns a second: touches",
        "",
        run.summary.contacts.len() as f64,
        1.0,
        0.0,
    ));
    let what = "largest deviation of the force from the closed form, over the largest force";
    outcome.rows.push(Row::new(format!("20 turns a second: {what}"), "", worst / largest, 0.0, 0.03));
    let what = "20 turns a second: error of the energy";
    outcome.rows.push(Row::new(what, "", run.summary.ledger.energy_error, 0.0, 1e-6));
    Ok(())
}

/// The case of 38 revolutions per second, where the follower jumps.
fn jumps(bench: &Bench<'_>, outcome: &mut Outcome) -> Result<(), BenchError> {
    let step = 2e-5;
    let text = CAM.replace("output_every = 1.0e-4", &format!("output_every = {step:e}"));
    let run = bench.run("cam", &text, None)?;
    let frames = bench.open("cam")?.frames()?;
    let follower = Follower::new(38.0);
    let found = history(&frames, 0);
    let (expected, above) = follower.with_hertz(step, 0.056, &|_| 0.0);
    // The first time at which the closed form is tensile with the spring applied.
    let lifts = (0..2800).map(|i| f64::from(i) * step).find(|&t| t > 0.02 && follower.closed_form(t) < 0.0);
    let degrees = |t: f64| follower.angle(t)[0].to_degrees() % 360.0;
    let (touches, springs) = (found.touches(), expected.touches());
    let row = |what: &str, unit, found, expected, tolerance| {
        Row::new(format!("38 turns a second: {what}"), unit, found, expected, tolerance)
    };
    if let ([first, second, ..], [expected_first, expected_second, ..]) =
        (touches.as_slice(), springs.as_slice())
    {
        let turned = degrees(first.end) - lifts.map_or(f64::NAN, degrees);
        let what = "38 turns a second: turns on from where a rigid pair parts until the ball has sprung back";
        outcome.rows.push(Row::shown(what, "°", turned));
        // A pressure cell has a mean gap: it separates while a ball on Hertz' spring still has the approach
        // `flat`.
        let flat = Follower::DISTANCE - frames[0].bodies[1].position[1] + frames[0].contacts[0].free_gap;
        let parts = (expected_first.end / step) as usize;
        let opening = (above[parts] - above[parts - 10]) / (10.0 * step);
        let early = flat / opening + 2.0 * step;
        let late = first.end - expected_first.end;
        outcome.rows.push(row("parts later than the ball on Hertz' spring by", "s", late, 0.0, early));
        let late = second.start - expected_second.start;
        outcome.rows.push(row("lands later than the ball on Hertz' spring by", "s", late, 0.0, 1e-4));
        let (peak, impulse) = (expected_second.peak_force, expected_second.impulse);
        outcome.rows.push(row("force of the landing", "N", second.peak_force, peak, 0.04));
        outcome.rows.push(row("impulse of the landing", "N s", second.impulse, impulse, 0.04));
        let height = |i: usize| {
            frames[i].bodies[1].position[1] - Follower::DISTANCE - follower.lift(i as f64 * step)[0]
        };
        let flight = (first.end / step) as usize..(second.start / step) as usize;
        let highest =
            [flight.clone().map(height).fold(0.0, f64::max), flight.map(|i| above[i]).fold(0.0, f64::max)];
        outcome.rows.push(row("way above the cam in the jump", "m", highest[0], highest[1], 0.04));
    }
    let times: Vec<f64> = frames.iter().map(|frame| frame.time).collect();
    let drawing = plot(&times, found.forces, ("ball on Hertz' spring", expected.forces));
    let caption =
        "Force of the cam on its follower at 38 turns a second, from rest: it jumps, lands and bounces.";
    outcome.pictures.push(("cam-jumps".to_owned(), drawing, caption.to_owned()));
    outcome.rows.push(row("touches until 56 ms", "", touches.len() as f64, springs.len() as f64, 0.0));
    outcome.rows.push(row("error of the energy", "", run.summary.ledger.energy_error, 0.0, 1e-6));
    Ok(())
}

/// Force over time with the expected curve.
fn plot(times: &[f64], found: Vec<f64>, (name, expected): (&str, Vec<f64>)) -> carom_report::Drawing {
    let times: Vec<f64> = times.iter().map(|t| 1e3 * t).collect();
    let n = expected.len().min(times.len());
    Plot::new("Cam and follower", Axis::new("time", "ms"), Axis::new("force", "N"))
        .with(Series::line("elastic ball", times.clone(), found))
        .with(Series::line(name, times[..n].to_vec(), expected[..n].to_vec()).styled(Style::Dashed))
        .draw()
}
