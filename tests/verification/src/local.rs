//! Local refinement at a contact against refinement throughout.

use std::time::Instant;

use carom_post::patch::{self, PressureFit};
use carom_report::{Axis, Plot, Series, Style};

use crate::impacts::RADIUS;
use crate::{Bench, BenchError, Outcome, Row};

/// Contact radius that Hertz gives for the load, over the radius of the balls.
const CONTACT: f64 = 0.1;

/// Two equal steel balls pressed on each other, both refined in the same way.
struct PressedBalls {
    name: String,
    /// Spans of every patch before local refinement.
    elements: usize,
    /// How often they are halved at the pole, and nowhere else.
    levels: usize,
}

/// A run with its cost.
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
                "[[body]]\nname = \"{name}\"\nmake = {{ shape = \"ball\", radius = {RADIUS}, pole_radius = {zone:e}, {make} }}\n\
                 {refine}material = \"steel\"\nposition = [0.0, 0.0, {z}]\nrotation = {{ axis = [1.0, 0.0, 0.0], degrees = {turn} }}\n\
                 [[body.zone]]\nname = \"back\"\nset = \"surface\"\ncenter = [0.0, 0.0, -{RADIUS}]\nradius = 0.006\n"
            )
        };
        format!(
            "[simulation]\nscheme = \"static\"\n\
             [material.steel]\ndensity = 7800\nyoung = 210e9\npoisson = 0.3\n{}{}\
             [[support]]\non = \"lower:back\"\n[[support]]\non = \"upper:back\"\ndirections = [\"x\", \"y\"]\n\
             [[force]]\non = \"upper:back\"\nforce = [0.0, 0.0, -{:e}]\n\
             [[contact]]\nbetween = [\"lower:pole\", \"upper:pole\"]\nrim = \"warning\"\n",
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

/// Dofs of the ball of seven patches of degree 4 with n³ spans in each: m = n + 4 points along each edge of the core, and as many
/// layers of the surface of a cube around it, of 6 m² − 12 m + 8 points each.
fn uniform_dofs(n: usize) -> f64 {
    let m = (n + 4) as f64;
    3.0 * (m.powi(3) + (m - 1.0) * (6.0 * m * m - 12.0 * m + 8.0))
}

/// Pressure of two balls over the dofs, refined throughout and at their poles.
pub(crate) fn local(bench: &Bench<'_>) -> Result<Outcome, BenchError> {
    let mut outcome = Outcome::default();
    let mut curves: Vec<(&str, Vec<f64>, Vec<f64>)> = Vec::new();
    let run = |outcome: &mut Outcome, what: &str, balls: &PressedBalls, claim: Option<f64>| {
        let pressed = balls.press(bench)?;
        let PressureFit { peak_pressure, radius, n_faces, .. } = pressed.fit;
        let hertz = [1.5 * force() / (std::f64::consts::PI * (CONTACT * RADIUS).powi(2)), CONTACT * RADIUS];
        let row = |figure: &str, unit, measured, expected| match claim {
            Some(claim) => Row::new(format!("{what}: {figure}"), unit, measured, expected, claim),
            None => Row::shown(format!("{what}: {figure} (Hertz {expected:.4e} {unit})"), unit, measured),
        };
        outcome.rows.push(row("peak pressure", "Pa", peak_pressure, hertz[0]));
        outcome.rows.push(row("radius", "m", radius, hertz[1]));
        outcome.rows.push(Row::shown(format!("{what}: faces under pressure"), "", n_faces as f64));
        outcome.rows.push(Row::shown(format!("{what}: dofs of a ball"), "", pressed.dofs));
        outcome.rows.push(Row::shown(format!("{what}: time of the run"), "s", pressed.seconds));
        let error = (peak_pressure / hertz[0] - 1.0).abs().max((radius / hertz[1] - 1.0).abs());
        Ok::<_, BenchError>((pressed.dofs, 100.0 * error))
    };
    let mut uniform = Vec::new();
    for n in [4, 8] {
        let balls = PressedBalls { name: format!("uniform-{n}"), elements: n, levels: 0 };
        uniform.push(run(&mut outcome, &format!("uniform, {n}\u{b3} spans a patch"), &balls, None)?);
    }
    let mut locals = Vec::new();
    for (levels, claim) in [(4, None), (5, None), (6, Some(0.02))] {
        let balls = PressedBalls { name: format!("local-{levels}"), elements: 2, levels };
        locals.push(run(&mut outcome, &format!("local, {levels} levels on 2\u{b3} spans"), &balls, claim)?);
    }
    let last = locals[locals.len() - 1].0;
    let same_spans = uniform_dofs(2 << 6);
    outcome.rows.push(Row::shown(
        "uniform, 128\u{b3} spans a patch (the same spans at the pole): dofs of a ball",
        "",
        same_spans,
    ));
    // A fifth or less is claimed.
    outcome.rows.push(Row::new("five times local over uniform, dofs", "", 5.0 * last / same_spans, 0.0, 1.0));
    for (name, points) in [("uniform", uniform), ("local", locals)] {
        curves.push((name, points.iter().map(|p| p.0).collect(), points.iter().map(|p| p.1).collect()));
    }
    let mut plot = Plot::new(
        "Two balls pressed on each other, a = R/10",
        Axis::new("dofs of a ball", "").logarithmic(),
        Axis::new("error of peak pressure or radius, %", "").logarithmic(),
    );
    for (name, dofs, errors) in curves {
        plot = plot.with(Series::line(name, dofs, errors).styled(Style::Markers));
    }
    let caption = "The larger one of the errors of peak pressure and radius of the contact against Hertz, over the dofs of a ball.";
    outcome.pictures.push(("local-refinement".to_owned(), plot.draw(), caption.to_owned()));
    let drawing = patch::draw(&bench.open("local-6")?, 0)?;
    let caption =
        "Pressure with local refinement in six levels, beside Hertz' circle and ellipse for that force.";
    outcome.pictures.push(("local-pressure".to_owned(), drawing, caption.to_owned()));
    Ok(outcome)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_count_of_dofs_is_that_of_the_ball() {
        // 517 control points of one span a patch, FORMATS; 1551 dofs in TARGETS.
        assert_eq!(super::uniform_dofs(1), 1551.0);
        assert_eq!(super::uniform_dofs(2), 2928.0);
    }
}
