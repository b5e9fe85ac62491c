//! `carom-post hertz`: Hertz' closed forms for the impact of two balls.

use carom_cli::{Category, Failure, RunArgs, Session};
use carom_contact::closed_form::HertzPair;
use clap::Args;
use serde::Serialize;

use carom_report::number::quantity;

/// Impact of two elastic balls, or of a ball on a plane, by Hertz' theory.
///
/// Each option takes one value for both bodies, or two values separated by a comma. The value `inf` stands
/// for a plane (radius), a rigid body (Young's modulus) or a body that does not move (mass).
#[derive(Debug, Clone, Args)]
pub(crate) struct HertzArgs {
    /// Radii of the balls [m].
    #[arg(long, value_name = "R1,R2", default_value = "0.015", value_parser = positive_pair)]
    radius: [f64; 2],

    /// Young's moduli [Pa].
    #[arg(long, value_name = "E1,E2", default_value = "210e9", value_parser = positive_pair)]
    young: [f64; 2],

    /// Poisson's ratios.
    #[arg(long, value_name = "N1,N2", default_value = "0.3", value_parser = poisson_pair)]
    poisson: [f64; 2],

    /// Masses [kg] [default: those of solid balls of the given density].
    #[arg(long, value_name = "M1,M2", value_parser = positive_pair)]
    mass: Option<[f64; 2]>,

    /// Densities [kg/m³] for the masses, if these are not given.
    #[arg(long, value_name = "D1,D2", default_value = "7800", value_parser = positive_pair)]
    density: [f64; 2],

    /// Relative velocity before the impact [m/s].
    #[arg(long, value_name = "V", value_parser = positive)]
    velocity: f64,

    #[command(flatten)]
    pub(crate) run: RunArgs,
}

/// The printed figures, in SI units.
#[derive(Debug, Serialize)]
struct HertzResult {
    peak_force: f64,
    duration: f64,
    max_approach: f64,
    contact_radius: f64,
    peak_pressure: f64,
}

/// Computes and prints.
pub(crate) fn run(args: &HertzArgs, session: &Session) -> Result<(), Failure> {
    let HertzArgs { radius, young, poisson, velocity, .. } = *args;
    if radius.iter().all(|r| r.is_infinite()) || young.iter().all(|e| e.is_infinite()) {
        return Err(Failure::new(Category::Usage, "two planes or two rigid bodies have no Hertzian contact")
            .hint("give a finite radius and a finite Young's modulus for one of the bodies"));
    }
    let mass = args.mass.unwrap_or([0, 1].map(|k| ball_mass(radius[k], args.density[k])));
    let reduced = 1.0 / (1.0 / mass[0] + 1.0 / mass[1]);
    if !reduced.is_finite() {
        return Err(Failure::new(Category::Usage, "neither body can move: both masses are infinite")
            .hint("give a finite mass or radius for one of the bodies"));
    }
    let impact = HertzPair::new(radius, young, poisson).impact(reduced, velocity);
    let result = HertzResult {
        peak_force: impact.peak.force,
        duration: impact.duration,
        max_approach: impact.peak.approach,
        contact_radius: impact.peak.contact_radius,
        peak_pressure: impact.peak.peak_pressure,
    };
    session.print_json("carom-post hertz 1", &result)?;
    let line = |name: &str, value: f64, unit: &str| format!("{name:<16}{}", quantity(value, unit, 5));
    session.print(
        &[
            line("peak force", result.peak_force, "N"),
            line("duration", result.duration, "s"),
            line("max approach", result.max_approach, "m"),
            line("contact radius", result.contact_radius, "m"),
            line("peak pressure", result.peak_pressure, "Pa"),
        ]
        .join("\n"),
    )
}

/// Mass of a solid ball \[kg\]; a plane has infinite mass.
fn ball_mass(radius: f64, density: f64) -> f64 {
    4.0 / 3.0 * std::f64::consts::PI * radius.powi(3) * density
}

fn positive(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(x) if x > 0.0 && x.is_finite() => Ok(x),
        Ok(_) => Err("must be above 0 and finite".to_owned()),
        Err(_) => Err("is not a number".to_owned()),
    }
}

fn pair(text: &str, one: impl Fn(&str) -> Result<f64, String>) -> Result<[f64; 2], String> {
    let values = text.split(',').map(one).collect::<Result<Vec<f64>, String>>()?;
    match values[..] {
        [both] => Ok([both, both]),
        [first, second] => Ok([first, second]),
        _ => Err(format!("takes one value or two, {} given", values.len())),
    }
}

fn positive_pair(text: &str) -> Result<[f64; 2], String> {
    pair(text, |part| match part.trim().parse::<f64>() {
        Ok(x) if x > 0.0 => Ok(x),
        Ok(_) => Err(format!("`{part}` must be above 0")),
        Err(_) => Err(format!("`{part}` is not a number")),
    })
}

fn poisson_pair(text: &str) -> Result<[f64; 2], String> {
    pair(text, |part| match part.trim().parse::<f64>() {
        Ok(x) if x > -1.0 && x < 0.5 => Ok(x),
        Ok(_) => Err(format!("`{part}` must lie between −1 and 0.5")),
        Err(_) => Err(format!("`{part}` is not a number")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_read_and_checked() {
        assert_eq!(positive_pair("0.015, inf"), Ok([0.015, f64::INFINITY]));
        assert_eq!(positive_pair("2e9"), Ok([2e9, 2e9]));
        assert!(positive_pair("0.015,-1").unwrap_err().contains("above 0"));
        assert!(
            positive_pair("1,2,3").is_err() && positive_pair("").is_err() && positive_pair("NaN").is_err()
        );
        assert!(poisson_pair("0.3,0.5").is_err() && poisson_pair("0.3,0.49").is_ok());
    }
}
