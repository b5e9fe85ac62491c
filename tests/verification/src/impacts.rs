//! Impacts against converged figures and closed forms.

use carom_contact::closed_form::{HertzImpact, HertzPair, SphereOnRod, elastic_ball_stiffening};
use carom_format::result::StoredFrame;
use carom_post::{Run, patch};

use crate::bench::{Ball, simulation, steel};
use crate::{Bench, BenchError, Impact, Outcome, Row};

/// Radius of all balls \[m\].
pub(crate) const RADIUS: f64 = 0.015;

/// Initial gap relative to the distance flown in a tenth of the contact.
const FLIGHT: f64 = 0.1;

fn ball_mass(density: f64) -> f64 {
    density * 4.0 / 3.0 * std::f64::consts::PI * RADIUS.powi(3)
}

/// Two equal balls of 7780 kg/m³ that meet on the z axis, computed without symmetry conditions.
pub(crate) struct TwoBalls {
    /// Relative speed \[m/s\].
    pub(crate) speed: f64,
    /// Spans in the contact radius.
    pub(crate) spans: f64,
    /// Radii of the fine part of the surface and of the contact zone, over the contact radius.
    pub(crate) fine: f64,
    pub(crate) zone: f64,
    /// Fixed-interface modes of each ball.
    pub(crate) modes: usize,
    /// The `law` of the contact.
    pub(crate) law: String,
}

impl TwoBalls {
    /// The default set-up of a user.
    pub(crate) fn at(speed: f64) -> Self {
        Self {
            speed,
            spans: 4.0,
            fine: 1.25,
            zone: 1.25,
            modes: 24,
            law: "{ kind = \"penalty\" }".to_owned(),
        }
    }

    fn hertz(&self) -> HertzImpact {
        let pair = HertzPair::new([RADIUS; 2], [210e9; 2], [0.3; 2]);
        pair.impact(0.5 * ball_mass(7780.0), self.speed)
    }

    /// Distance of the balls at the start \[m\].
    fn gap(&self) -> f64 {
        FLIGHT * self.hertz().duration * self.speed
    }

    /// The scenario.
    pub(crate) fn scenario(&self) -> String {
        let Self { speed, spans, fine, zone, modes, law } = self;
        let hertz = self.hertz();
        let ball = |name, position, rotation, velocity| Ball {
            name,
            contact_radius: hertz.peak.contact_radius,
            spans: *spans,
            fine: *fine,
            zone: *zone,
            modes: *modes,
            split: 5.0 / hertz.duration,
            position,
            rotation,
            velocity,
        };
        let away = RADIUS + 0.5 * self.gap();
        let [below, above] = [[0.0, 0.0, -away], [0.0, 0.0, away]];
        let lower = ball("lower", below, ("[1.0, 0.0, 0.0]", 0.0), [0.0, 0.0, 0.5 * speed]);
        let upper = ball("upper", above, ("[1.0, 0.0, 0.0]", 180.0), [0.0, 0.0, -0.5 * speed]);
        let contact = format!("[[contact]]\nbetween = [\"lower:spot\", \"upper:spot\"]\nlaw = {law}\n");
        let end = (1.5 + FLIGHT) * hertz.duration;
        [simulation(end), steel(7780.0), lower.table(), upper.table(), contact].join("\n")
    }

    /// Ratio of the largest force to the static force of two elastic balls at the same approach of their
    /// centres.
    ///
    /// The approach is that of the centres of mass; each ball has half of it.
    fn force_over_static(&self, run: &Run) -> Result<f64, BenchError> {
        let frames = run.frames()?;
        let distance = |frame: &StoredFrame| frame.bodies[1].position[2] - frame.bodies[0].position[2];
        let force = |frame: &StoredFrame| frame.contacts[0].normal_force;
        let hardest = frames.iter().max_by(|a, b| force(a).total_cmp(&force(b)));
        let (Some(first), Some(hardest)) = (frames.first(), hardest) else { return Ok(f64::NAN) };
        let approach = 0.5 * (distance(first) - self.gap() - distance(hardest));
        let pair = HertzPair::new([RADIUS, f64::INFINITY], [210e9, f64::INFINITY], [0.3, 0.0]);
        let at = pair.at_approach(approach);
        let over_radius = at.contact_radius / RADIUS;
        let elastic = at.force * (1.0 + elastic_ball_stiffening(over_radius) * over_radius);
        Ok(force(hardest) / elastic)
    }
}

/// Force, duration, energy and momentum of an impact with their expected values.
pub(crate) fn rows(name: &str, impact: &Impact, expected: [f64; 2], tolerances: [f64; 2]) -> Vec<Row> {
    let [force, duration] = expected;
    vec![
        Row::new(format!("{name}: peak force"), "N", impact.peak_force, force, tolerances[0]),
        Row::new(format!("{name}: duration"), "s", impact.duration, duration, tolerances[1]),
        Row::new(format!("{name}: error of the energy"), "", impact.energy_error, 0.0, 1e-6),
        Row::new(format!("{name}: error of the momentum"), "", impact.momentum_error, 0.0, 1e-12),
        Row::shown(format!("{name}: steps, rejected ones included"), "", impact.steps as f64),
        Row::shown(format!("{name}: right-hand sides"), "", impact.right_hand_sides as f64),
        Row::shown(format!("{name}: CPU time of the time loop"), "s", impact.cpu_seconds),
    ]
}

/// Two balls at three speeds.
pub(crate) fn two_balls(bench: &Bench<'_>) -> Result<Outcome, BenchError> {
    let mut outcome = Outcome::default();
    for (v, force, duration) in [(0.2, 328.41, 123.43e-6), (0.5, 989.43, 102.51e-6), (1.0, 2281.2, 89.01e-6)]
    {
        let name = format!("two-balls-{v}");
        let balls = TwoBalls::at(v);
        let impact = bench.impact(&name, &balls.scenario(), None)?;
        outcome.rows.extend(rows(&format!("{v} m/s"), &impact, [force, duration], [0.01, 0.015]));
        let rebound = impact.velocities[1][2] - impact.velocities[0][2];
        outcome.rows.push(Row::new(format!("{v} m/s: restitution"), "", rebound / v, 1.0, 1e-3));
        let run = bench.open(&name)?;
        let ratio = balls.force_over_static(&run)?;
        outcome.rows.push(Row::new(format!("{v} m/s: force over the static F(d)"), "", ratio, 1.0, 0.01));
        if v == 0.5 {
            let drawing = patch::draw(&run, 0)?;
            let caption = "Pressure of two balls at 0.5 m/s at the largest force, next to Hertz' ellipse \
                           for that force.";
            outcome.pictures.push(("two-balls-pressure".to_owned(), drawing, caption.to_owned()));
        }
    }
    Ok(outcome)
}

/// A rod that a ball hits at its far end.
pub(crate) struct Rod {
    pub(crate) length: f64,
    pub(crate) density: f64,
    pub(crate) young: f64,
    pub(crate) poisson: f64,
    /// Knot spans along the axis.
    pub(crate) elements: usize,
    /// Knot spans in the contact radius, of both bodies.
    pub(crate) spans: f64,
    /// Density of the ball \[kg/m³\].
    pub(crate) ball_density: f64,
}

/// Radius of all rods \[m\].
const ROD_RADIUS: f64 = 0.01;

impl Rod {
    /// Hertz' force and a wave in a semi-infinite rod.
    pub(crate) fn closed_form(&self) -> SphereOnRod {
        let contact = HertzPair::new([RADIUS, f64::INFINITY], [210e9, self.young], [0.3, self.poisson]);
        let area = std::f64::consts::PI * ROD_RADIUS * ROD_RADIUS;
        let impedance = (self.young * self.density).sqrt() * area;
        SphereOnRod { contact, sphere_mass: ball_mass(self.ball_density), impedance }
    }

    /// The scenario: the ball comes along −x at `v`; modes are dynamic up to `split` \[Hz\], with
    /// fixed-interface modes to a third above it.
    pub(crate) fn scenario(&self, v: f64, split: f64) -> String {
        let law = self.closed_form();
        let expected = law.impact(v);
        let radius = law.contact.at_force(expected.peak_force).contact_radius;
        let gap = FLIGHT * expected.duration * v;
        let ball = Ball {
            name: "ball",
            contact_radius: radius,
            spans: self.spans,
            fine: 1.25,
            zone: 1.25,
            modes: 24,
            split,
            position: [self.length + RADIUS + gap, 0.0, 0.0],
            rotation: ("[0.0, 1.0, 0.0]", -90.0),
            velocity: [-v, 0.0, 0.0],
        };
        let Self { length, density, young, poisson, elements, .. } = self;
        let (zone, finest) = (1.25 * radius, radius / self.spans);
        let rod = format!(
            "[material.rod]\ndensity = {density:?}\nyoung = {young:?}\npoisson = {poisson:?}\n\n[[body]]\n\
             name = \"rod\"\nmaterial = \"rod\"\nmake = \
             {{ shape = \"rod\", radius = {ROD_RADIUS:?}, length = {length:?}, elements = \
             [{elements}, 1, 1], pole_radius = {zone:e}, \
             grade = {{ at = \"end_pole\", finest = {finest:e} }} }}\n\
             reduce = {{ interface = [\"end_pole\"], up_to = {:e}, split = {split:e} }}\n",
            4.0 / 3.0 * split
        );
        let contact =
            "[[contact]]\nbetween = [\"ball:spot\", \"rod:end_pole\"]\nlaw = { kind = \"penalty\" }\n";
        let end = (1.5 + FLIGHT) * expected.duration;
        [simulation(end), steel(self.ball_density), ball.table(), rod, contact.to_owned()].join("\n")
    }
}

/// The steel rod of 400 mm.
pub(crate) const SHORT_ROD: Rod = Rod {
    length: 0.4,
    density: 7800.0,
    young: 210e9,
    poisson: 0.3,
    elements: 16,
    spans: 4.0,
    ball_density: 7800.0,
};

/// Split of the short rod \[Hz\]: f_c T_c = 5.
pub(crate) const SHORT_ROD_SPLIT: f64 = 5.0 / 134.3e-6;

/// The ball on the short rod.
pub(crate) fn short_rod(bench: &Bench<'_>) -> Result<Outcome, BenchError> {
    let impact = bench.impact("short-rod", &SHORT_ROD.scenario(0.3, SHORT_ROD_SPLIT), None)?;
    let mut rows = rows("0.3 m/s", &impact, [770.5, 134.3e-6], [0.02, 0.02]);
    rows.push(Row::new(
        "0.3 m/s: speed of the ball afterwards",
        "m/s",
        impact.velocities[0][0],
        0.2085,
        0.02,
    ));
    Ok(Outcome { rows, ..Outcome::default() })
}

/// The aluminium rod of 1 m.
const LONG_ROD: Rod = Rod {
    length: 1.0,
    density: 2710.0,
    young: 72e9,
    poisson: 0.33,
    elements: 32,
    spans: 4.0,
    ball_density: 7780.0,
};

/// The ball on the long rod at three speeds, and with finer knot spans.
pub(crate) fn long_rod(bench: &Bench<'_>) -> Result<Outcome, BenchError> {
    let mut outcome = Outcome::default();
    for (v, spans) in [(0.1, 4.0), (0.3, 4.0), (0.5, 4.0), (0.3, 6.0)] {
        let rod = Rod { spans, ..LONG_ROD };
        let expected = rod.closed_form().impact(v);
        let (file, name) = (format!("long-rod-{v}-a{spans}"), format!("{v} m/s, spans of a/{spans}"));
        let impact = bench.impact(&file, &rod.scenario(v, 5.0 / expected.duration), None)?;
        let figures = [expected.peak_force, expected.duration];
        outcome.rows.extend(rows(&name, &impact, figures, [0.05, 0.05]));
        let after = impact.velocities[0][0];
        let what = format!("{name}: speed of the ball afterwards");
        outcome.rows.push(Row::new(what, "m/s", after, -expected.sphere_velocity, 0.05));
    }
    Ok(outcome)
}
