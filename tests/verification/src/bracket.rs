//! A free bracket that a ball hits off its centre of mass.

use std::f64::consts::PI;

use carom_format::result::StoredFrame;
use carom_format::rom_file::read_rom;
use carom_report::{Axis, Drawing};
use carom_scene::{BodyGrid, Coloring, StressRecovery, picture};

use crate::{Bench, BenchError, Outcome, Row};

/// A bracket and a ball.
const BRACKET: &str = include_str!("../../../meshes/bracket/scenario.toml");
const BRACKET_BODY: &str = include_str!("../../../meshes/bracket/bracket.xml");

/// Mass, centre of mass (x, z), inertia about it Ixx, Iyy, Izz, Ixz = ∫ x z dm of the bent sheet, by the
/// midpoint rule over its section.
struct Sheet {
    mass: f64,
    centre: [f64; 2],
    inertia: [f64; 4],
}

impl Sheet {
    const WIDTH: f64 = 0.04;
    const DENSITY: f64 = 2710.0;

    fn new() -> Self {
        let (n, thick, inner) = (400, 0.005, 0.005);
        let mut parts = Vec::new();
        for i in 0..n {
            let along = (f64::from(i) + 0.5) / f64::from(n);
            for j in 0..n {
                let through = thick * (f64::from(j) + 0.5) / f64::from(n);
                let cell = thick / f64::from(n * n);
                let (angle, radius) = (0.5 * PI * along, inner + through);
                parts.push([0.05 * along, -through, 0.05 * cell]);
                parts.push([-inner - through, inner + 0.04 * along, 0.04 * cell]);
                let bend = [-radius * angle.sin(), inner - radius * angle.cos(), 0.5 * PI * radius * cell];
                parts.push(bend);
            }
        }
        let sum = |f: &dyn Fn(f64, f64) -> f64| -> f64 {
            Self::DENSITY * Self::WIDTH * parts.iter().map(|&[x, z, area]| area * f(x, z)).sum::<f64>()
        };
        let mass = sum(&|_, _| 1.0);
        let centre = [sum(&|x, _| x) / mass, sum(&|_, z| z) / mass];
        let [xx, zz, xz] = [
            sum(&|x, _| (x - centre[0]).powi(2)),
            sum(&|_, z| (z - centre[1]).powi(2)),
            sum(&|x, z| (x - centre[0]) * (z - centre[1])),
        ];
        let yy = mass * Self::WIDTH * Self::WIDTH / 12.0;
        Self { mass, centre, inertia: [yy + zz, xx + zz, xx + yy, xz] }
    }

    /// Angular velocity by an impulse J along z at (x, y): I ω = r × J.
    fn turned_by(&self, impulse: f64, [x, y]: [f64; 2]) -> [f64; 3] {
        let [ixx, iyy, izz, xz] = self.inertia;
        let (about_x, about_y) = (y * impulse, -(x - self.centre[0]) * impulse);
        let determinant = ixx * izz - xz * xz;
        [about_x * izz / determinant, about_y / iyy, about_x * xz / determinant]
    }
}

/// The bracket that a ball hits.
pub(crate) fn bracket(bench: &Bench<'_>) -> Result<Outcome, BenchError> {
    let name = "bracket";
    bench.place("bracket.xml", BRACKET_BODY)?;
    let text = BRACKET
        .replace("end_time = 1.0e-3", "end_time = 1.2e-4")
        .replace("output_every = 5.0e-6", "output_every = 2.5e-7");
    let run = bench.run(name, &text, None)?;
    let frames = bench.open(name)?.frames()?;
    let mut outcome = Outcome::default();
    let [event] = run.summary.contacts.as_slice() else {
        return Err(BenchError::Impacts { scenario: name.to_owned(), count: run.summary.contacts.len() });
    };
    let (sheet, state, impulse) = (Sheet::new(), &run.bodies[1], -event.impulse[2]);
    let ball_mass = 7800.0 * 4.0 / 3.0 * PI * 0.015_f64.powi(3);
    let ball_speed = run.bodies[0].velocity[2];
    outcome.rows.push(Row::new(
        "impulse lost by the ball",
        "N s",
        ball_mass * (1.0 - ball_speed),
        impulse,
        1e-6,
    ));
    outcome.rows.push(Row::new(
        "velocity of the bracket",
        "m/s",
        state.velocity[2],
        impulse / sheet.mass,
        1e-4,
    ));
    let expected = sheet.turned_by(impulse, [0.035, 0.008]);
    let size = expected.iter().map(|x| x * x).sum::<f64>().sqrt();
    for (i, axis) in ["x", "y", "z"].iter().enumerate() {
        let difference = (state.angular_velocity[i] - expected[i]) / size;
        let what =
            format!("angular velocity about {axis}, less I⁻¹ (r × J) = {:.4}, over all of it", expected[i]);
        outcome.rows.push(Row::new(what, "", difference, 0.0, 0.01));
    }
    let ledger = &run.summary.ledger;
    outcome.rows.push(Row::new("error of the momentum", "", ledger.momentum_error, 0.0, 1e-12));
    outcome.rows.push(Row::new("error of the angular momentum", "", ledger.ang_momentum_error, 0.0, 1e-12));
    outcome.rows.push(Row::new("error of the energy", "", ledger.energy_error, 0.0, 1e-6));
    let rotation: f64 = expected
        .iter()
        .zip([0.008 * impulse, -(0.035 - sheet.centre[0]) * impulse, 0.0])
        .map(|(omega, l)| 0.5 * omega * l)
        .sum();
    let total = 0.5 * ball_mass;
    let left =
        total - 0.5 * ball_mass * ball_speed * ball_speed - 0.5 * impulse * impulse / sheet.mass - rotation;
    let stored = read_rom(&bench.folder.join(name).join("bracket.rom"))?;
    let modes = Modes { omega: &stored.reduced.omega[..stored.reduced.n_low], frames: &frames };
    let energies = modes.energies();
    outcome.rows.push(Row::new(
        "energy of the modes of the bracket, over what rigid bodies lost",
        "",
        energies.iter().sum::<f64>() / left,
        1.0,
        0.02,
    ));
    let what = "what does not follow from the force by Duhamel's integral, over the vibration";
    outcome.rows.push(Row::new(what, "", modes.beside_duhamel(), 0.0, 0.02));
    let mut loudest: Vec<usize> = (0..energies.len()).collect();
    loudest.sort_by(|&a, &b| energies[b].total_cmp(&energies[a]));
    outcome.table.header = vec!["mode, Hz", "energy, mJ", "of the vibration, %"];
    for &k in loudest.iter().take(6) {
        let share = 100.0 * energies[k] / energies.iter().sum::<f64>();
        let hz = modes.omega[k] / (2.0 * PI);
        outcome.table.rows.push(vec![
            format!("{hz:.0}"),
            format!("{:.3}", 1e3 * energies[k]),
            format!("{share:.1}"),
        ]);
    }
    outcome.rows.push(Row::shown("energy in vibration, over all", "", left / total));
    if let Some(last) = frames.last() {
        outcome.pictures.push((
            name.to_owned(),
            deformed(bench, name, &last.bodies[1].modal)?,
            CAPTION.to_owned(),
        ));
    }
    Ok(outcome)
}

/// Magnification of the displacement in the picture.
const SCALE: f64 = 100.0;

const CAPTION: &str = "The bracket 0.12 ms after the ball has started, some 50 µs after they parted: von \
    Mises stress, displacement by \
    its modes a hundred times enlarged.";

/// The bracket, body 1, displaced and coloured by its stress.
fn deformed(bench: &Bench<'_>, name: &str, modal: &[f64]) -> Result<Drawing, BenchError> {
    let body = bench.open(name)?.load_body(1)?;
    let displacement = body.elastic_displacement(modal);
    let mut grid = BodyGrid::surface(&body.body);
    let stress = StressRecovery::new(&grid, &body.body)
        .map_err(|error| BenchError::Picture(error.to_string()))?
        .stress(&displacement);
    let moved = grid.at_points(&displacement);
    for (x, u) in grid.grid.points.iter_mut().zip(moved) {
        x.iter_mut().zip(u).for_each(|(x, u)| *x += SCALE * u);
    }
    let values: Vec<f64> = stress.von_mises.iter().map(|pascals| 1e-6 * pascals).collect();
    let quantity = Axis::new("von Mises stress", "MPa");
    let mut picture = picture(&[(&grid, Coloring::Points { values: &values, quantity: &quantity })], true);
    picture.title = "A bracket, hit".to_owned();
    picture.view = [1.0, -1.5, 0.9];
    Ok(picture.draw())
}

/// Dynamic modes of the bracket over the frames.
struct Modes<'a> {
    omega: &'a [f64],
    frames: &'a [StoredFrame],
}

impl Modes<'_> {
    /// Finds q' and ω q of a mode at the end.
    fn last(&self, k: usize) -> [f64; 2] {
        let state = self.frames.last().map(|frame| &frame.bodies[1]);
        state.map_or([f64::NAN; 2], |state| [state.modal_rate[k], self.omega[k] * state.modal[k]])
    }

    /// Energy of each mode at the end.
    fn energies(&self) -> Vec<f64> {
        (0..self.omega.len()).map(|k| self.last(k).map(|x| 0.5 * x * x).iter().sum()).collect()
    }

    /// Root of the ratio of residual to total modal energy, after the response q'' + ω² q = φ F of each mode
    /// with the best-fitting φ is subtracted.
    fn beside_duhamel(&self) -> f64 {
        let end = self.frames.last().map_or(f64::NAN, |frame| frame.time);
        let (mut rest, mut all) = (0.0, 0.0);
        for (k, omega) in self.omega.iter().enumerate() {
            let mut answer = [0.0; 2];
            for pair in self.frames.windows(2) {
                for frame in pair {
                    let (sin, cos) = (omega * (end - frame.time)).sin_cos();
                    let force = 0.5 * (pair[1].time - pair[0].time) * frame.contacts[0].normal_force;
                    answer[0] += force * cos;
                    answer[1] += force * sin;
                }
            }
            let last = self.last(k);
            let product: f64 = last.iter().zip(answer).map(|(x, y)| x * y).sum();
            let square: f64 = answer.iter().map(|y| y * y).sum();
            let size: f64 = last.iter().map(|x| x * x).sum();
            rest += size - product * product / square;
            all += size;
        }
        (rest / all).sqrt()
    }
}
