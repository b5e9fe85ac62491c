//! Plots of a result.

use std::str::FromStr;

use carom_dynamics::BodyState;
use carom_format::result::StoredFrame;
use carom_report::number::is_round_off;
use carom_report::{Axis, Color, Drawing, Plot, Series, Style};

use crate::curves::{SetMotion, draw_all, parse_set};
use crate::scales::{BalanceScales, size, speeds};
use crate::time::time_axis;
use crate::{Run, RunError, below, joints, patch, probes, response, steps};

/// The content of a plot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Quantity {
    /// Energies, and the residual of their balance.
    Energy,
    /// Linear and angular momentum, and the residuals of their balances.
    Momentum,
    /// Normal force of every contact pair.
    ContactForce,
    /// Smallest gap of every contact pair; with quasistatic contact without its response.
    Gap,
    /// Pressure over the contact patch of a pair (the first by default) at its largest force.
    Pressure(Option<String>),
    /// Von Mises' stress below the contact of a pair on a half-space grid (the first by default) at its
    /// largest force.
    ContactStress(Option<String>),
    /// Mean length of the steps between frames, over the contact forces.
    Steps,
    /// Position of a body.
    Position(String),
    /// Velocity of a body's centre of mass.
    Velocity(String),
    /// Angular velocity of a body.
    AngularVelocity(String),
    /// Force and torque of a joint, spring or bushing.
    Joint(String),
    /// Samples of a probe.
    Probe(String),
    /// Harmonic response of a probe over the frequencies.
    Response(String),
    /// Mean motion of the points of a set.
    Set {
        /// Displacement or velocity.
        motion: SetMotion,
        /// Name of the body.
        body: String,
        /// Name of the set.
        set: String,
        /// One component, 0 to 2; all three if none.
        axis: Option<usize>,
    },
}

impl FromStr for Quantity {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (word, of) = text.split_once(':').map_or((text, None), |(word, of)| (word, Some(of.to_owned())));
        if let Some(set) = of.as_deref().and_then(|of| parse_set(word, of)) {
            return set;
        }
        match (word, of) {
            ("energy", None) => Ok(Self::Energy),
            ("momentum", None) => Ok(Self::Momentum),
            ("contact-force", None) => Ok(Self::ContactForce),
            ("gap", None) => Ok(Self::Gap),
            ("steps", None) => Ok(Self::Steps),
            ("pressure", pair) => Ok(Self::Pressure(pair)),
            ("contact-stress", pair) => Ok(Self::ContactStress(pair)),
            ("position", Some(body)) => Ok(Self::Position(body)),
            ("velocity", Some(body)) => Ok(Self::Velocity(body)),
            ("angular-velocity", Some(body)) => Ok(Self::AngularVelocity(body)),
            ("joint", Some(joint)) => Ok(Self::Joint(joint)),
            ("joint", None) => Err("needs a joint: `joint:NAME`, or `joint:1`".to_owned()),
            ("probe", Some(probe)) => Ok(Self::Probe(probe)),
            ("probe", None) => Err("needs a probe: `probe:NAME`, or `probe:1`".to_owned()),
            ("response", Some(probe)) => Ok(Self::Response(probe)),
            ("response", None) => Err("needs a probe: `response:NAME`, or `response:1`".to_owned()),
            ("position" | "velocity" | "angular-velocity", None) => Err(format!(
                "needs a body: \
                `{word}:BODY`"
            )),
            _ => Err("must be one of energy, momentum, contact-force, gap, steps, pressure[:PAIR], \
                 contact-stress[:PAIR], position:BODY, velocity:BODY, angular-velocity:BODY, joint:NAME, \
                 probe:NAME, response:NAME"
                .to_owned()),
        }
    }
}

/// Draws a plot.
///
/// # Errors
///
/// [`RunError`] if the result cannot be read, has no such body or pair, or has no data for the plot.
pub fn draw(run: &Run, quantity: &Quantity) -> Result<Drawing, RunError> {
    run.check_frames()?;
    match quantity {
        Quantity::Energy => energy(run),
        Quantity::Momentum => momentum(run),
        Quantity::ContactForce => Ok(contact_forces(run)?.draw()),
        Quantity::Gap => gap(run),
        Quantity::Steps => steps::draw(run),
        Quantity::Pressure(pair) => {
            let pair = pair.as_ref().map_or(Ok(0), |name| run.pair_index(name))?;
            patch::draw(run, pair)
        }
        Quantity::ContactStress(pair) => {
            let pair = pair.as_ref().map_or(Ok(0), |name| run.pair_index(name))?;
            below::draw(run, pair)
        }
        Quantity::Joint(name) => joints::draw(run, name),
        Quantity::Probe(name) => probes::draw(run, name),
        Quantity::Response(name) => response::draw(run, name),
        Quantity::Position(body) => course(run, body, Course::Position),
        Quantity::Velocity(body) => course(run, body, Course::Velocity),
        Quantity::AngularVelocity(body) => course(run, body, Course::AngularVelocity),
        Quantity::Set { .. } => draw_all(std::slice::from_ref(run), std::slice::from_ref(quantity)),
    }
}

fn energy(run: &Run) -> Result<Drawing, RunError> {
    let [time, kinetic, elastic, contact, potential, residual] =
        run.ledger_columns(["time", "E_kin", "E_el", "E_con", "E_pot", "R_E"])?;
    let [damping, friction, impacts] = run.ledger_columns(["D_mat", "D_fric", "D_imp"])?;
    let [hourglass, plastic, viscous, contacts, integration] =
        run.ledger_columns(["E_hg", "D_pl", "D_visc", "D_con", "D_num"])?;
    let scale = BalanceScales::of(run)?.energy;
    let total: Vec<f64> =
        (0..time.len()).map(|n| kinetic[n] + elastic[n] + hourglass[n] + contact[n] + potential[n]).collect();
    let losses = [&damping, &plastic, &viscous, &friction, &impacts, &contacts, &integration];
    let lost = |n: usize| losses.iter().map(|values| values[n]).sum::<f64>();
    let with_lost: Vec<f64> = (0..time.len()).map(|n| total[n] + lost(n)).collect();
    let loses = (0..time.len()).any(|n| !is_round_off(lost(n), scale));
    let axis = time_axis(run)?;
    let mut plot = Plot::new("Energies", axis.clone(), Axis::new("energy", "J"));
    for (label, values) in [
        ("kinetic", kinetic),
        ("elastic", elastic),
        ("hourglass control", hourglass),
        ("contact", contact),
        ("potential", potential),
        ("lost to damping", damping),
        ("plastic work", plastic),
        ("lost to viscosity", viscous),
        ("lost to friction", friction),
        ("lost in impacts", impacts),
        ("lost in penalties", contacts),
        ("lost by the integration", integration),
    ] {
        // Energies that the run does not have (penalty, gravity), or only as round-off, get no curve.
        if !values.iter().all(|&v| is_round_off(v, scale)) {
            plot = plot.with(Series::line(label, time.clone(), values));
        }
    }
    plot = plot.with(Series::line("total", time.clone(), total).styled(Style::Dashed).colored(Color::INK));
    if loses {
        let series = Series::line("total and lost", time.clone(), with_lost);
        plot = plot.with(series.colored(Color::INK));
    }
    let mut balance = Plot::new("", axis, Axis::new("residual of the balance", "J"))
        .scaled(scale)
        .with(Series::line("", time, residual));
    balance.size[1] = 220.0;
    Ok(Drawing::stacked([plot.draw(), balance.draw()]))
}

fn momentum(run: &Run) -> Result<Drawing, RunError> {
    let [time] = run.ledger_columns(["time"])?;
    let scales = BalanceScales::of(run)?;
    let axis = time_axis(run)?;
    let mut drawings = Vec::new();
    for (title, unit, names, residuals) in [
        ("Linear momentum", "N s", ["P_x", "P_y", "P_z"], ["R_P_x", "R_P_y", "R_P_z"]),
        ("Angular momentum about the origin", "N m s", ["L_x", "L_y", "L_z"], ["R_L_x", "R_L_y", "R_L_z"]),
    ] {
        for (title, label, columns, height) in
            [(title, "momentum", names, 300.0), ("", "residual", residuals, 200.0)]
        {
            let scale = if unit == "N s" { scales.momentum } else { scales.ang_momentum };
            let mut plot = Plot::new(title, axis.clone(), Axis::new(label, unit)).scaled(scale);
            plot.size[1] = height;
            for (axis, values) in ["x", "y", "z"].into_iter().zip(run.ledger_columns(columns)?) {
                plot.series.push(Series::line(axis, time.clone(), values));
            }
            drawings.push(plot.draw());
        }
    }
    Ok(Drawing::stacked(drawings))
}

fn no_pairs() -> RunError {
    RunError::Empty { what: "no contact pair", hint: "add a [[contact]] to the scenario" }
}

pub(crate) fn contact_forces(run: &Run) -> Result<Plot, RunError> {
    if run.header().pairs.is_empty() {
        return Err(no_pairs());
    }
    let of = if run.is_rigid() { "mean force since the last frame" } else { "normal force" };
    let forces = run.normal_forces()?;
    let largest = |pair: usize| forces[pair].iter().copied().fold(0.0, f64::max);
    let (shown, title) = shown(["Contact force", "largest"], run, |pair| -largest(pair));
    let mut plot = Plot::new(&title, time_axis(run)?, Axis::new(of, "N")).scaled(0.0);
    for n in shown {
        let name = &run.header().pairs[n].name;
        plot.series.push(Series::line(name, run.times().to_vec(), forces[n].clone()));
    }
    Ok(plot)
}

/// Curves of pairs in a plot, as many as there are colours.
const CURVES: usize = 8;

/// The pairs of a plot, ascending, and its title: all, or those with the least `rank`.
///
/// * `title` — and how the values of those are called among all others
fn shown([title, which]: [&str; 2], run: &Run, rank: impl Fn(usize) -> f64) -> (Vec<usize>, String) {
    let n = run.header().pairs.len();
    let mut pairs: Vec<usize> = (0..n).collect();
    if n <= CURVES {
        return (pairs, title.to_owned());
    }
    let ranks: Vec<f64> = pairs.iter().map(|&pair| rank(pair)).collect();
    // Stable: of equal pairs the first.
    pairs.sort_by(|&a, &b| ranks[a].total_cmp(&ranks[b]));
    pairs.truncate(CURVES);
    pairs.sort_unstable();
    (pairs, format!("{title}, the {CURVES} {which} of {n} contacts"))
}

/// The schemes `quasistatic` and `static` record the gap that the surfaces would have without the response to
/// their contact; other schemes record the smallest gap of the surfaces.
fn gap_title(run: &Run) -> &'static str {
    match run.header().scheme() {
        _ if run.is_rigid() => "Gap while surfaces touch",
        None | Some("quasistatic") => "Gap without the quasistatic response",
        Some("static") => "Gap without the response to the contact",
        Some(_) => "Smallest gap",
    }
}

fn gap(run: &Run) -> Result<Drawing, RunError> {
    if run.header().pairs.is_empty() {
        return Err(no_pairs());
    }
    let frames = run.frames()?;
    let gap = |frame: &StoredFrame, n: usize| frame.contacts.get(n).map_or(f64::NAN, |c| c.free_gap);
    let least = |n: usize| frames.iter().map(|frame| gap(frame, n)).fold(f64::INFINITY, f64::min);
    let (shown, title) = shown([gap_title(run), "least"], run, least);
    let mut plot = Plot::new(&title, time_axis(run)?, Axis::new("gap", "m"));
    for n in shown {
        let gaps = frames.iter().map(|frame| gap(frame, n)).collect();
        plot.series.push(Series::line(&run.header().pairs[n].name, run.times().to_vec(), gaps));
    }
    Ok(plot.draw())
}

/// A quantity of a body over time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Course {
    Position,
    Velocity,
    AngularVelocity,
}

impl Course {
    /// Name and unit.
    pub(crate) fn axis(self) -> Axis {
        match self {
            Self::Position => Axis::new("position", "m"),
            Self::Velocity => Axis::new("velocity", "m/s"),
            Self::AngularVelocity => Axis::new("angular velocity", "rad/s"),
        }
    }

    pub(crate) fn of(self, state: &BodyState) -> [f64; 3] {
        match self {
            Self::Position => state.position,
            Self::Velocity => state.velocity,
            Self::AngularVelocity => state.angular_velocity,
        }
    }

    /// The largest value of all bodies, against which round-off is recognised; none for positions, which have
    /// no natural zero.
    fn scale(self, frames: &[StoredFrame]) -> Option<f64> {
        let [speed, rate] = speeds(frames);
        match self {
            Self::Position => None,
            Self::Velocity => Some(speed),
            Self::AngularVelocity => Some(rate),
        }
    }
}

fn course(run: &Run, body: &str, what: Course) -> Result<Drawing, RunError> {
    let index = run.body_index(body)?;
    let frames = run.frames()?;
    Ok(course_plot(run, &frames, index, what)?.draw())
}

/// x, y and z of a quantity of a body, over all frames of the run.
pub(crate) fn course_plot(
    run: &Run,
    frames: &[StoredFrame],
    index: usize,
    what: Course,
) -> Result<Plot, RunError> {
    let body = &run.header().bodies[index].name;
    let axis = what.axis();
    let mut name: Vec<char> = axis.label.chars().collect();
    name[0].make_ascii_uppercase();
    let title = format!("{} of {body}", name.into_iter().collect::<String>());
    let mut plot = Plot::new(&title, time_axis(run)?, axis);
    plot.scale = what.scale(frames);
    for (d, name) in ["x", "y", "z"].into_iter().enumerate() {
        let of_frame = |frame: &StoredFrame| frame.bodies.get(index).map_or(f64::NAN, |b| what.of(b)[d]);
        let values = frames.iter().map(of_frame).collect();
        plot.series.push(Series::line(name, run.times().to_vec(), values));
    }
    Ok(plot)
}

/// Speeds of several bodies in one plot.
pub(crate) fn speed_plot(run: &Run, frames: &[StoredFrame], bodies: &[usize]) -> Result<Plot, RunError> {
    let mut plot = Plot::new("Speeds", time_axis(run)?, Axis::new("speed", "m/s"));
    plot.scale = Course::Velocity.scale(frames);
    for &index in bodies {
        let of_frame = |frame: &StoredFrame| frame.bodies.get(index).map_or(f64::NAN, |b| size(b.velocity));
        let values = frames.iter().map(of_frame).collect();
        let name = &run.header().bodies[index].name;
        plot.series.push(Series::line(name, run.times().to_vec(), values));
    }
    Ok(plot)
}
