//! Flags of the variants of a reduction.

use carom_cli::{Category, Failure};
use carom_reduce::{BodyFrame, Damping, DampingRatio, Keep, ModeKind, Variant};

/// Choices of `craig-bampton` and of `import` of matrices.
#[derive(Debug, clap::Args)]
pub(crate) struct VariantArgs {
    /// Add the inertia-relief modes, six at most: the static response to loads that accelerate the body is
    /// then exact too
    #[arg(long, help_heading = "Further modes")]
    pub(crate) inertia_relief: bool,
    /// Use free modes of the body (as many as --modes or --up-to say) and residual attachment modes instead
    /// of fixed-interface modes: the frequencies of the free modes and the static response to loads on the
    /// interface are exact
    #[arg(long, conflicts_with = "massless_boundary", help_heading = "Further modes")]
    pub(crate) residual: bool,
    /// As --residual, with residual attachment modes that have no mass (MacNeal); only for the scheme
    /// `quasistatic`
    #[arg(long, help_heading = "Further modes")]
    pub(crate) massless_boundary: bool,
    /// Keep the geometric stiffness of the body under centrifugal forces, forces on its attachments
    /// (--attach) and contact (--interface, --places): it bends less while it spins or is pulled, and more
    /// under compression
    #[arg(long, help_heading = "Further modes")]
    pub(crate) stiffening: bool,
    /// Reduce an interface set that carries joints to N interface modes, its rigid motions included, or to
    /// those up to a frequency; may be repeated
    #[arg(long, value_name = "SET=N|SET=HZHz", value_parser = interface_modes, help_heading = "Interface \
        reduction")]
    pub(crate) interface_modes: Vec<(String, Keep)>,
    /// Reduce the part of the interface that cannot be in contact (listed nodes and sets without faces) to N
    /// interface modes, or to those up to a frequency (2e4Hz)
    #[arg(long, value_name = "N|HZHz", help_heading = "Interface reduction")]
    pub(crate) reduce_interface: Option<Keep>,
    /// Body frame: buckens (follows the mean motion); nodes=I,J,K (I fixed, J on the line IJ, K in the plane
    /// IJK; numbers from 1); marker=NAME (follows a marker, or the mean motion of an interface set)
    #[arg(long, value_name = "FRAME", default_value = "buckens", help_heading = "Body frame and damping")]
    pub(crate) frame: BodyFrame,
    /// Rayleigh damping of the vibration, α M + β K: α [1/s] and β [s]
    #[arg(long, value_name = "A,B", value_parser = rayleigh, allow_hyphen_values = true,
          help_heading = "Body frame and damping")]
    pub(crate) rayleigh: Option<[f64; 2]>,
    /// Damping ratio of all modes, or pairs of frequency [Hz] and ratio with linear interpolation between
    /// them
    #[arg(
        long,
        value_name = "Z|HZ:Z,HZ:Z",
        allow_hyphen_values = true,
        help_heading = "Body frame and damping"
    )]
    pub(crate) damping_ratio: Option<DampingRatio>,
}

impl VariantArgs {
    /// The variant for the reduction.
    pub(crate) fn variant(&self) -> Result<Variant, Failure> {
        let [mass, stiffness] = self.rayleigh.unwrap_or_default();
        let ratio = self.damping_ratio.clone().unwrap_or_default();
        let is_damped = self.rayleigh.is_some() || self.damping_ratio.is_some();
        let variant = Variant {
            modes: match (self.massless_boundary, self.residual) {
                (true, _) => ModeKind::MasslessBoundary,
                (false, true) => ModeKind::FreeInterface,
                (false, false) => ModeKind::FixedInterface,
            },
            inertia_relief: self.inertia_relief,
            interface_modes: self.interface_modes.clone(),
            reduce_interface: self.reduce_interface,
            frame: self.frame.clone(),
            damping: is_damped.then_some(Damping { mass, stiffness, ratio }),
            stiffening: self.stiffening,
        };
        variant.check().map_err(|error| Failure::from_error(Category::Usage, error))?;
        Ok(variant)
    }

    /// The first flag that was given, for inputs that accept none of them.
    pub(crate) fn first_given(&self) -> Option<&'static str> {
        [
            ("--inertia-relief", self.inertia_relief),
            ("--residual", self.residual),
            ("--massless-boundary", self.massless_boundary),
            ("--stiffening", self.stiffening),
            ("--interface-modes", !self.interface_modes.is_empty()),
            ("--reduce-interface", self.reduce_interface.is_some()),
            ("--frame", self.frame != BodyFrame::Buckens),
            ("--rayleigh", self.rayleigh.is_some()),
            ("--damping-ratio", self.damping_ratio.is_some()),
        ]
        .into_iter()
        .find_map(|(flag, is_given)| is_given.then_some(flag))
    }
}

fn interface_modes(text: &str) -> Result<(String, Keep), String> {
    let (set, keep) =
        text.rsplit_once('=').filter(|(set, _)| !set.is_empty()).ok_or("write SET=N or SET=2e4Hz")?;
    Ok((set.to_owned(), keep.parse().map_err(|error: carom_reduce::ChoiceTextError| error.to_string())?))
}

fn rayleigh(text: &str) -> Result<[f64; 2], String> {
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|x| *x >= 0.0 && x.is_finite());
    text.split_once(',')
        .and_then(|(a, b)| Some([number(a)?, number(b)?]))
        .ok_or_else(|| "give α [1/s] and β [s] of α M + β K, 0 or above, as A,B".to_owned())
}
