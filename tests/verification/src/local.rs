//! Local refinement at a contact against refinement throughout.

use std::time::Instant;

use carom_post::patch::{self, PressureFit};
use carom_report::number::significant;
use carom_report::{Axis, Plot, Series, Style};

use crate::impacts::RADIUS;
use crate::{Bench, BenchError, Outcome, Row};

/// Levels of the finest local refinement.
const FINEST: usize = 6;

/// Contact radius that Hertz gives for the load, over the radius of the balls.
const CONTACT: f64 = 0.1;

/// Two equal steel balls pressed on each other, both refined in the same way.
struct PressedBalls {
    name: String,
    /// Knot spans of every patch before local refinement.
    elements: usize,
    /// Number of local halvings at the pole.
    levels: usize,
}

/// Outcome and cost of a run.
struct Pressed {
    fit: PressureFit,
    /// Dofs of one ball.
    dofs: f64,
    seconds: f64,
}

/// Force that gives the contact radius a: F = 4/3 E* a³ / R*.
fn force() -> f64 {
    let (modulus, radius) = (0.5 * 210e9 / (1.0 - 0.09), 0.5 * RADIUS);
    4.0 / 3.0 * modulus * (CONTACT * RADIUS).powi(3) / radius
}

impl PressedBalls {
    fn scenario(&self) -> String {
        let zone = 1.25 * CONTACT * RADIUS;
        let make = format!("elements = [{}]", self.elements);
        let refine = match self.levels {
            0 => String::new(),
            levels => format!("refine = {{ near = {{ at = \"pole\", levels = {levels} }} }}\n"),
        };
        let ball = |name: &str, z: f64, turn: f64| {
            format!(
                "[[body]]\nname = \"{name}\"\nmake = \
                 {{ shape = \"ball\", radius = {RADIUS}, pole_radius = {zone:e}, {make} }}\n{refine}material \
                 = \"steel\"\nposition = [0.0, 0.0, {z}]\nrotation = \
                 {{ axis = [1.0, 0.0, 0.0], degrees = {turn} }}\n[[body.zone]]\nname = \"back\"\nset = \
                 \"surface\"\ncenter = [0.0, 0.0, -{RADIUS}]\nradius = 0.006\n"
            )
        };
        format!(
            "[simulation]\nscheme = \"static\"\n[material.steel]\ndensity = 7800\nyoung = 210e9\npoisson = \
             0.3\n{}{}[[support]]\non = \"lower:back\"\n[[support]]\non = \"upper:back\"\ndirections = \
             [\"x\", \"y\"]\n[[force]]\non = \"upper:back\"\nforce = [0.0, 0.0, -{:e}]\n[[contact]]\nbetween \
             = [\"lower:pole\", \"upper:pole\"]\nrim = \"warning\"\n",
            ball("lower", 0.0, 0.0),
            ball("upper", 2.0 * RADIUS, 180.0),
            force()
        )
    }

    fn press(&self, bench: &Bench<'_>) -> Result<Pressed, BenchError> {
        let start = Instant::now();
        bench.run(&self.name, &self.scenario(), None)?;
        let seconds = start.elapsed().as_secs_f64();
        let run = bench.open(&self.name)?;
        Ok(Pressed { fit: patch::fit(&run, 0)?, dofs: Bench::dofs(&run)? as f64 / 2.0, seconds })
    }
}

/// Dofs of the ball of seven patches of degree 4 with n³ knot spans in each: m = n + 4 points along each edge
/// of the core, and as many layers of the surface of a cube around it, of 6 m² − 12 m + 8 points each.
fn uniform_dofs(n: usize) -> f64 {
    let m = (n + 4) as f64;
    3.0 * (m.powi(3) + (m - 1.0) * (6.0 * m * m - 12.0 * m + 8.0))
}

/// Minimum number of faces under pressure to determine p₀ and a.
const FEWEST_FACES: usize = 12;

const HEADER: [&str; 7] = [
    "spans of a patch",
    "levels at the pole",
    "dofs of a ball",
    "faces under pressure",
    "peak pressure over Hertz'",
    "radius over Hertz'",
    "time of the run, s",
];

/// Pressure of two balls over the dofs, refined throughout and at their poles.
pub(crate) fn local(bench: &Bench<'_>) -> Result<Outcome, BenchError> {
    let mut outcome = Outcome::default();
    outcome.table.header = HEADER.to_vec();
    let (mut dofs, mut same_spans, mut errors) = (Vec::new(), Vec::new(), Vec::new());
    for (elements, levels) in [(8, 0), (2, 4), (4, 4), (2, 5), (2, FINEST)] {
        let balls = PressedBalls { name: format!("local-{elements}-{levels}"), elements, levels };
        let pressed = balls.press(bench)?;
        outcome.table.rows.push(balls.table_row(&pressed));
        if elements == 2 {
            dofs.push(pressed.dofs);
            same_spans.push(uniform_dofs(elements << levels));
            errors.push(100.0 * pressed.deviations().into_iter().map(f64::abs).fold(0.0, f64::max));
        }
        if levels == FINEST {
            let [peak, radius] = hertz();
            let what = "at the pole in six levels";
            let row = |figure: &str, unit, measured, expected| {
                Row::new(format!("{what}: {figure}"), unit, measured, expected, 0.02)
            };
            outcome.rows.push(row("peak pressure", "Pa", pressed.fit.peak_pressure, peak));
            outcome.rows.push(row("radius", "m", pressed.fit.radius, radius));
            let uniform = uniform_dofs(elements << levels);
            outcome.rows.push(Row::shown(format!("{what}: dofs of a ball"), "", pressed.dofs));
            outcome.rows.push(Row::shown("the same spans throughout: dofs of a ball, counted", "", uniform));
            // The claim is a fifth or less.
            let share = 5.0 * pressed.dofs / uniform;
            outcome.rows.push(Row::new("five times the first over the second", "", share, 0.0, 1.0));
        }
    }
    let plot = Plot::new(
        "Two balls pressed on each other, a = R/10",
        Axis::new("dofs of a ball", "").logarithmic(),
        Axis::new("error of peak pressure or radius, %", "").logarithmic(),
    )
    .with(Series::line("at the pole alone", dofs, errors.clone()).styled(Style::Markers))
    .with(Series::line("the same spans throughout (counted)", same_spans, errors).styled(Style::Dashed));
    let caption = "The larger one of the errors of peak pressure and radius against Hertz, over the dofs of \
        a ball that is refined at its \
                   pole, and over those of a ball with the same spans throughout, which are counted and not \
                   run.";
    outcome.pictures.push(("local-refinement".to_owned(), plot.draw(), caption.to_owned()));
    let drawing = patch::draw(&bench.open(&format!("local-2-{FINEST}"))?, 0)?;
    let caption =
        "Pressure with local refinement in six levels, next to Hertz' circle and ellipse for that force.";
    outcome.pictures.push(("local-pressure".to_owned(), drawing, caption.to_owned()));
    Ok(outcome)
}

impl PressedBalls {
    fn table_row(&self, pressed: &Pressed) -> Vec<String> {
        let [peak, radius] = pressed.deviations().map(|deviation| match pressed.fit.n_faces {
            FEWEST_FACES.. => significant(1.0 + deviation, 4),
            _ => "too few faces".to_owned(),
        });
        vec![
            format!("{}\u{b3}", self.elements),
            self.levels.to_string(),
            pressed.dofs.to_string(),
            pressed.fit.n_faces.to_string(),
            peak,
            radius,
            significant(pressed.seconds, 3),
        ]
    }
}

impl Pressed {
    /// Relative deviations of peak pressure and radius from Hertz.
    fn deviations(&self) -> [f64; 2] {
        let [peak, radius] = hertz();
        [self.fit.peak_pressure / peak - 1.0, self.fit.radius / radius - 1.0]
    }
}

/// Peak pressure and radius of the contact after Hertz.
fn hertz() -> [f64; 2] {
    let radius = CONTACT * RADIUS;
    [1.5 * force() / (std::f64::consts::PI * radius.powi(2)), radius]
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_formula_of_dofs_agrees_with_the_ball() {
        // 517 control points with one knot span in each patch, docs/theory/bodies.md, section 1.5; 1551 dofs.
        assert_eq!(super::uniform_dofs(1), 1551.0);
        assert_eq!(super::uniform_dofs(2), 2928.0);
    }
}
