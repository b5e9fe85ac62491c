//! Comparison of a reduced body with the whole body: modes and static response.

mod loads;
mod shapes;

use carom_fem::{
    AssemblyError, Body, Discretisation, DiscretisationError, QuadratureRule, SetError, assemble,
};
use carom_linalg::{DenseEigenError, FactorError, IterationError};
use carom_progress::Progress;

use crate::attachment::{Attached, Attachment, AttachmentKind};
use crate::field_modes::FieldModes;
use crate::flexibility::Flexibility;
use crate::free::FreeShapes;
use crate::interface::InterfaceError;
use crate::modes::{ModalOptions, ModesError, ModesWanted, modes};
use crate::motions::RigidMotions;
use crate::reduced::ReducedBody;
use crate::solver::{SolverChoice, way_out};
use crate::support::{SupportError, held_components, n_motions};
use crate::unread::UnreadArrayError;
use loads::loads;
use shapes::{Shapes, matches};

/// Relative difference up to which frequencies of the body count as equal: then spaces of modes are compared.
pub const CLOSE: f64 = 5e-3;

/// Additional modes of the body, so that the last requested ones are compared with their close neighbours.
const EXTRA: usize = 4;

/// Directions of the six unit loads.
pub const DIRECTIONS: [&str; 6] = ["force x", "force y", "force z", "moment x", "moment y", "moment z"];

/// Options of a comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparisonOptions {
    /// Number of elastic modes of the body.
    pub count: usize,
    /// Quadrature of stiffness and mass, as in the reduction.
    pub rule: QuadratureRule,
    /// Sets that are held, as [`crate::Support`] reads them.
    pub fix: Vec<String>,
    /// Interface sets with unit loads; markers have them too.
    pub sets: Vec<String>,
    /// How systems of the body's stiffness are solved.
    pub solver: SolverChoice,
}

/// A mode of the body and its match in the model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ModeMatch {
    /// Number of the mode of the model, from 0.
    pub mode: usize,
    /// Frequency in the model \[Hz\].
    pub model_hz: f64,
    /// Frequency of the body \[Hz\].
    pub body_hz: f64,
    /// Modal assurance criterion, 0 to 1: the squared share of the model's mode in the space of the body's
    /// modes of this frequency; `None` if the model keeps no modes to compare.
    pub mac: Option<f64>,
    /// Number of modes of the body that are close in frequency, including this one.
    pub multiplicity: usize,
}

impl ModeMatch {
    /// Error of the frequency, relative to the body's.
    pub fn relative_error(&self) -> f64 {
        self.model_hz / self.body_hz - 1.0
    }

    /// True if frequency and shape are within these limits.
    pub fn is_good(&self, limits: &Limits) -> bool {
        self.relative_error().abs() <= limits.frequency && self.mac.is_none_or(|mac| mac >= limits.mac)
    }
}

/// Limits of an acceptable model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Largest relative error of a frequency.
    pub frequency: f64,
    /// Least modal assurance criterion.
    pub mac: f64,
}

/// The errors of the static response to a unit load on a set.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadMatch {
    /// Name of the set.
    pub set: String,
    /// One of [`DIRECTIONS`].
    pub direction: &'static str,
    /// ‖u_model − u_body‖ / ‖u_body‖ in the norm of the elastic energy.
    pub energy_error: f64,
    /// Largest difference of displacement at the points of the set, of the largest displacement there.
    pub displacement_error: f64,
}

/// Result of a comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// Elastic modes, in the order of the body's frequencies.
    pub modes: Vec<ModeMatch>,
    /// The reason why no modes are compared.
    pub modes_untested: Option<String>,
    /// True if shapes are compared over the whole body, weighted by its mass; false if they are compared at
    /// the points of the model.
    pub by_mass: bool,
    /// Static response.
    pub loads: Vec<LoadMatch>,
    /// Parts of the interface without loads, with the reason.
    pub untested: Vec<String>,
    /// Number of rigid motions of the body.
    pub n_rigid: usize,
    /// True if the modes or the static response of the body were solved by iteration.
    pub is_iterative: bool,
    /// Notes about the solution of the body, a sentence each.
    pub notes: Vec<String>,
}

impl Comparison {
    /// The frequency up to which every mode of the model is within the limits \[Hz\], and true if all
    /// compared modes are.
    pub fn trusted_hz(&self, limits: &Limits) -> (f64, bool) {
        let n = self.modes.iter().position(|m| !m.is_good(limits)).unwrap_or(self.modes.len());
        (n.checked_sub(1).map_or(0.0, |last| self.modes[last].body_hz), n == self.modes.len())
    }

    /// True if all static displacements at the sets are within these limits.
    pub fn statics_are_good(&self, limits: &Limits) -> bool {
        self.loads.iter().all(|load| load.displacement_error <= limits.frequency)
    }

    /// True if all compared modes and static displacements are within these limits.
    pub fn is_good(&self, limits: &Limits) -> bool {
        self.trusted_hz(limits).1 && self.statics_are_good(limits)
    }
}

/// Errors of a comparison.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ComparisonError {
    /// The body cannot be discretised.
    #[error(transparent)]
    Discretisation(#[from] DiscretisationError),
    /// A set of the model is not in the body.
    #[error(transparent)]
    Set(#[from] SetError),
    /// A support of the model is not in the body.
    #[error(transparent)]
    Support(#[from] SupportError),
    /// The modes at all points cannot be read from the file of the model.
    #[error(transparent)]
    Fields(#[from] UnreadArrayError),
    /// The free vibrations of the model could not be found.
    #[error("model `{body}`: its free vibrations could not be found: {source}")]
    Model {
        /// Name of the model.
        body: String,
        /// The cause.
        source: DenseEigenError,
    },
    /// The modes of the body could not be found.
    #[error(transparent)]
    Modes(#[from] ModesError),
    /// Stiffness and mass could not be assembled.
    #[error("body `{body}`: {source}")]
    Assembly {
        /// Name of the body.
        body: String,
        /// The cause.
        source: AssemblyError,
    },
    /// The stiffness could not be factorised.
    #[error("body `{body}`: {source}{}", way_out(source))]
    Factor {
        /// Name of the body.
        body: String,
        /// The cause.
        source: FactorError,
    },
    /// The static response of the body could not be computed.
    #[error("body `{body}`, static response: {source}")]
    Solution {
        /// Name of the body.
        body: String,
        /// The cause.
        source: IterationError,
    },
    /// A set of the model has no mean motion.
    #[error(transparent)]
    Interface(#[from] InterfaceError),
    /// The model has points that do not exist in the body.
    #[error(
        "the model has a node {node}, but those of the body are 1 to {n_points}: it was made from another \
         body"
    )]
    NoSuchPoint {
        /// One-based number, as in files.
        node: u64,
        /// Points of the body.
        n_points: usize,
    },
}

/// Flexibility of the whole body, with rigid motions removed by inertia relief.
///
/// * `rigid` — names of sets that move rigidly
/// * `choice` — by a factor or by iteration
///
/// # Errors
///
/// [`ComparisonError`].
pub fn whole_body(
    body: &Body,
    discretisation: &Discretisation,
    fix: &[String],
    rigid: &[String],
    rule: QuadratureRule,
    choice: &SolverChoice,
    progress: &dyn Progress,
) -> Result<(Flexibility, RigidMotions), ComparisonError> {
    let held = held_components(body, discretisation, fix)?;
    let used = discretisation.point_is_used();
    let free: Vec<[bool; 3]> =
        held.iter().zip(&used).map(|(held, &used)| held.map(|held| used && !held)).collect();
    let ties = rigid.iter().map(|set| {
        let attachment = Attachment { set: set.clone(), kind: AttachmentKind::Rigid, at: None };
        Attached::new(body, discretisation, &attachment)
    });
    let ties: Vec<Attached> = ties.collect::<Result<_, _>>()?;
    let system = assemble(discretisation, rule, progress)
        .map_err(|source| ComparisonError::Assembly { body: body.name.clone(), source })?;
    let motions = RigidMotions::left_by(&discretisation.points, &held);
    let flexibility =
        Flexibility::with_ties(system, &free, &discretisation.points, &motions, &ties, choice, progress)
            .map_err(|source| ComparisonError::Factor { body: body.name.clone(), source })?;
    Ok((flexibility, motions))
}

/// Names of the rigid sets of a model.
pub fn rigid_sets(model: &ReducedBody) -> Vec<String> {
    let rigid = model.markers.iter().filter(|marker| marker.kind == AttachmentKind::Rigid);
    rigid.map(|marker| marker.name.clone()).collect()
}

/// Compares a model with the body that it was made from.
///
/// Modes: each mode of the body is paired with the mode of the model whose shape has the largest part in it,
/// modes of close frequency (within [`CLOSE`]) as a space. With A the body's modes of such a space and b a
/// mode of the model,
///
/// ```text
/// MAC = bᵀ M A (Aᵀ M A)⁻¹ Aᵀ M b / bᵀ M b
/// ```
///
/// Modes are not compared if only the rigid sets of the model connect the parts of the body.
///
/// Statics: unit forces and moments on each set and marker, of a body whose rigid sets are rigid as in the
/// model. The model is the Ritz approximation u_r of the body's u in the energy, so that ‖u − u_r‖² = fᵀu −
/// fᵀu_r: its error in the energy follows from the work of the load.
///
/// # Errors
///
/// [`ComparisonError`].
pub fn compare(
    model: &ReducedBody,
    body: &Body,
    options: &ComparisonOptions,
    progress: &dyn Progress,
) -> Result<Comparison, ComparisonError> {
    let discretisation = Discretisation::new(body)?;
    let n_points = discretisation.n_points();
    let kept = model.fields.as_ref().map_or(&[][..], |fields| fields.points());
    if let Some(&point) = kept.iter().chain(&model.boundary.points).find(|&&p| p as usize >= n_points) {
        return Err(ComparisonError::NoSuchPoint { node: u64::from(point) + 1, n_points });
    }
    let rigid = rigid_sets(model);
    let (flexibility, motions) =
        whole_body(body, &discretisation, &options.fix, &rigid, options.rule, &options.solver, progress)?;
    let (loads, untested) = loads(model, body, &discretisation, &flexibility, &options.sets, progress)?;
    let mut notes: Vec<String> = flexibility.note(&options.solver).into_iter().collect();
    let mut is_iterative = flexibility.is_iterative();
    let mass = flexibility.system.mass.clone();
    drop(flexibility);
    let n_rigid = motions.len();
    if n_motions(&discretisation, &held_components(body, &discretisation, &options.fix)?) > n_rigid {
        let why = "only the rigid sets of the model connect the parts of the body, and the modes of the \
                   body are those of separate parts";
        let modes_untested = Some(why.to_owned());
        let modes = Vec::new();
        return Ok(Comparison {
            modes,
            modes_untested,
            by_mass: false,
            loads,
            untested,
            n_rigid,
            is_iterative,
            notes,
        });
    }
    let free = FreeShapes::new(model)
        .map_err(|source| ComparisonError::Model { body: model.name.clone(), source })?;
    let count = options.count.min(free.n_massive);
    let wanted = ModalOptions {
        fix: options.fix.clone(),
        wanted: ModesWanted::Count(n_rigid + (count + EXTRA).min(free.n_massive)),
        rule: options.rule,
        solver: options.solver,
    };
    let found = modes(body, &wanted, progress)?;
    is_iterative |= found.is_iterative;
    notes.extend(found.notes.iter().map(|note| format!("modes of the body: {note}")));
    let hz = &found.hz[n_rigid..];
    let shapes = found.shapes.subcols(n_rigid, hz.len());
    let used: usize = discretisation.point_is_used().iter().filter(|&&used| used).count();
    let by_mass = model.fields.as_ref().is_some_and(|fields| fields.points().len() >= used);
    let fields = model.fields.as_ref().map(FieldModes::modes).transpose()?.map(|fields| free.at(fields));
    let shapes = Shapes::new(fields.as_deref(), shapes, by_mass.then_some(&mass));
    let mut matches = matches(&free.omega[..free.n_massive], hz, &shapes);
    matches.truncate(count);
    let modes_untested = None;
    Ok(Comparison { modes: matches, modes_untested, by_mass, loads, untested, n_rigid, is_iterative, notes })
}
