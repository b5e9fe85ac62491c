//! The command line of `carom-reduce compliance`.

use std::path::PathBuf;

use carom_cli::OptionalOutputArgs;

use super::above_zero;
use crate::solver::SolverArgs;

/// Compliance of the contact regions of a model, and the split that an impact needs.
///
/// Reports the compliance of each surface under a force on the pressure cell in its middle and under Hertz'
/// pressures of several radii, and the shares of the dynamic and of the static modes in it. With the body
/// file, the error of the model is reported too. With the speed of an impact, its duration follows from
/// Hertz' theory, and the number of dynamic modes and the error are reported for splits at 1, 2, 5 and 10
/// periods within that duration.
#[derive(Debug, clap::Args)]
pub(crate) struct ComplianceArgs {
    /// The model file
    pub(crate) rom: PathBuf,
    /// The body file that the model was made from, to check the model against the whole body
    pub(crate) body: Option<PathBuf>,
    /// A surface of the model; may be repeated [default: all]
    #[arg(long, value_name = "SET")]
    pub(crate) surface: Vec<String>,
    /// Relative speed of an impact on the middle of the surface [m/s]
    #[arg(long, value_name = "V", value_parser = above_zero)]
    pub(crate) velocity: Option<f64>,
    /// Radius of the surface in the middle [m] [default: computed from the geometry]
    #[arg(long, value_name = "R", value_parser = above_zero, requires = "velocity")]
    pub(crate) radius: Option<f64>,
    /// Material of the other body: rigid, the name of a material, or Young's modulus [Pa] and Poisson's ratio
    #[arg(long, value_name = "rigid|NAME|E,NU", default_value = "rigid", value_parser = against)]
    pub(crate) against: Against,
    /// Radius of the other body [m] [default: a plane]
    #[arg(long, value_name = "R", value_parser = above_zero, requires = "velocity")]
    pub(crate) against_radius: Option<f64>,
    /// Mass of the other body [kg] [default: it does not move]
    #[arg(long, value_name = "M", value_parser = above_zero, requires = "velocity")]
    pub(crate) mass: Option<f64>,
    #[command(flatten)]
    pub(crate) solver: SolverArgs,
    /// The output is a picture, .svg or .png: the share of the compliance below each frequency
    #[command(flatten)]
    pub(crate) output: OptionalOutputArgs,
}

/// Material of the body that is hit.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Against {
    /// A rigid body
    Rigid,
    /// A material of the list
    Named(String),
    /// A material that is not in the list
    Elastic { young: f64, poisson: f64 },
}

fn against(text: &str) -> Result<Against, String> {
    match text.split_once(',') {
        None if text == "rigid" => Ok(Against::Rigid),
        None => Ok(Against::Named(text.to_owned())),
        Some((young, poisson)) => match (young.trim().parse::<f64>(), poisson.trim().parse::<f64>()) {
            (Ok(young), Ok(poisson))
                if young > 0.0 && young.is_finite() && poisson > -1.0 && poisson < 0.5 =>
            {
                Ok(Against::Elastic { young, poisson })
            }
            _ => Err("write E,NU with E above 0 in Pa and NU between -1 and 0.5".to_owned()),
        },
    }
}
