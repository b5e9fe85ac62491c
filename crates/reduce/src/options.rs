//! Options of a reduction.

use carom_fem::QuadratureRule;

use crate::attachment::Attachment;
use crate::solver::SolverChoice;
use crate::variant::Variant;

/// Fewest fixed-interface normal modes of a free body.
pub const LEAST_FIXED_MODES: usize = 6;

/// Default number of fixed-interface normal modes: the six of the body on its elastic interface, and 18
/// elastic modes.
pub const DEFAULT_FIXED_MODES: usize = 24;

/// How many fixed-interface normal modes are kept.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum FixedModes {
    /// [`DEFAULT_FIXED_MODES`], or as many as the interior has if that is less.
    #[default]
    Default,
    /// The lowest n.
    Count(usize),
    /// All up to this frequency \[Hz\].
    UpTo(f64),
}

/// Points at which a model keeps mode values for pictures and stress.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fields {
    /// All points.
    #[default]
    Full,
    /// Points of the body's surface.
    Surface,
    /// Only points of the interface: pictures show the body undeformed.
    Interface,
}

/// Options of a reduction.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CraigBamptonOptions {
    /// Sets whose points are interface points.
    pub interface_sets: Vec<String>,
    /// Further interface points, counted from 0.
    pub interface_points: Vec<u32>,
    /// Sets tied to markers.
    pub attachments: Vec<Attachment>,
    /// Sets that are held to the body frame, which is grounded; none for a free body.
    pub held: Vec<String>,
    /// Fixed-interface normal modes.
    pub modes: FixedModes,
    /// Frequency up to which modes are dynamic \[Hz\]. `None` stands for the highest fixed-interface
    /// frequency of the model: above it the reduced modes do not approximate modes of the body.
    pub split: Option<f64>,
    /// Points at which mode values are kept.
    pub fields: Fields,
    /// Quadrature of stiffness and mass; `None` for the default.
    pub rule: Option<QuadratureRule>,
    /// Inertia relief, free modes, interface reduction, body frame, damping.
    pub variant: Variant,
    /// Solver of linear systems with the stiffness.
    pub solver: SolverChoice,
    /// Checksum of the body, copied to [`crate::ReducedBody::body_checksum`].
    pub body_checksum: String,
}

impl CraigBamptonOptions {
    /// The words by which a model file records the variant and the solver.
    ///
    /// * `is_iterative` — [`crate::CraigBampton::is_iterative`]
    pub fn words(&self, is_iterative: bool) -> Vec<String> {
        let mut words = self.variant.words();
        words.extend(is_iterative.then(|| "iterative solution".to_owned()));
        words
    }
}
