//! Which points of a body are its interface.

use carom_fem::{Body, Discretisation, SetError, Surface};

use crate::rigid::holding;

/// Below this [`holding`] the points do not hold the body.
const LEAST_HOLDING: f64 = 1e-10;

/// How a set is tied to one marker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttachmentKind {
    /// The set moves as a rigid body (RBE2).
    Rigid,
    /// The marker moves with the mean of the set (RBE3).
    Mean,
}

/// A set tied to a marker, which is an interface of six dofs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attachment {
    /// Name of the set.
    pub set: String,
    /// How it is tied.
    pub kind: AttachmentKind,
}

/// Why a body has no usable interface.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum InterfaceError {
    /// A set cannot be used.
    #[error(transparent)]
    Set(#[from] SetError),
    /// Nothing is given.
    #[error(
        "body `{body}` has no interface: name at least one set of its surface (its sets are {known}) or a list of nodes"
    )]
    Empty {
        /// Name of the body.
        body: String,
        /// Its sets.
        known: String,
    },
    /// An interface point does not exist.
    #[error("body `{body}`: interface node {node} does not exist; its nodes are 1 to {n_points}")]
    NoSuchPoint {
        /// Name of the body.
        body: String,
        /// One-based number, as in files.
        node: u64,
        /// Number of points.
        n_points: usize,
    },
    /// An interface point belongs to no cell.
    #[error(
        "body `{body}`: interface node {node} (counted from 1) belongs to no cell, so nothing holds it; leave it out"
    )]
    LoosePoint {
        /// Name of the body.
        body: String,
        /// One-based number, as in files.
        node: u64,
    },
    /// The interface does not hold the body.
    #[error(
        "body `{body}`: its interface has {n_points} points, which do not hold the interior: fixing them leaves a rigid motion; \
         at least three points that are not on a line are needed"
    )]
    FloatingInterior {
        /// Name of the body.
        body: String,
        /// Number of interface points.
        n_points: usize,
    },
    /// Every point is an interface point.
    #[error(
        "body `{body}`: all {n_points} points belong to the interface, nothing is left to reduce; take smaller sets"
    )]
    NoInterior {
        /// Name of the body.
        body: String,
        /// Number of points.
        n_points: usize,
    },
    /// Markers are not made yet.
    #[error(
        "body `{body}`: set `{set}` is to be attached to a marker, which this version cannot do; name it as an interface instead"
    )]
    Attachment {
        /// Name of the body.
        body: String,
        /// Name of the set.
        set: String,
    },
}

/// The interface of a body: all three dofs of its points.
#[derive(Debug, Clone, PartialEq)]
pub struct Interface {
    /// Its points, ascending.
    pub points: Vec<u32>,
    /// Names of the sets with their points, ascending, in the order in which they were given.
    pub sets: Vec<(String, Vec<u32>)>,
    /// Surface of each interface set that has faces.
    pub surfaces: Vec<(String, Surface)>,
}

impl Interface {
    /// Collects the points of sets and lists.
    ///
    /// The interface of a set of faces is every point whose function is nonzero on them: then static loads on the set are
    /// answered exactly (THEORY 2.1).
    ///
    /// * `sets` — names of sets
    /// * `points` — further points, counted from 0
    ///
    /// # Errors
    ///
    /// [`InterfaceError`].
    pub fn new(
        body: &Body,
        discretisation: &Discretisation,
        sets: &[String],
        points: &[u32],
        attachments: &[Attachment],
    ) -> Result<Self, InterfaceError> {
        let name = || body.name.clone();
        let mut all = Vec::new();
        let (mut of_sets, mut surfaces) = (Vec::new(), Vec::new());
        for set in sets {
            let mut own = body.points_of_set(discretisation, set)?;
            own.sort_unstable();
            all.extend_from_slice(&own);
            of_sets.push((set.clone(), own));
            match body.surface_of_set(discretisation, set) {
                Ok(surface) => surfaces.push((set.clone(), surface)),
                // A set of single nodes can be an interface, though nothing can touch it.
                Err(SetError::NoFaces { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        all.extend_from_slice(points);
        if let Some(attachment) = attachments.first() {
            body.points_of_set(discretisation, &attachment.set)?;
            return Err(InterfaceError::Attachment { body: name(), set: attachment.set.clone() });
        }
        if all.is_empty() {
            return Err(InterfaceError::Empty { body: name(), known: known_sets(body) });
        }
        let used = discretisation.point_is_used();
        let points = checked_points(&body.name, all, &discretisation.points, &used)?;
        Ok(Self { points, sets: of_sets, surfaces })
    }

    /// The dofs of its points, ascending.
    pub fn dofs(&self) -> Vec<usize> {
        dofs(&self.points)
    }
}

/// All three dofs of points.
pub(crate) fn dofs(points: &[u32]) -> Vec<usize> {
    points.iter().flat_map(|&point| (0..3).map(move |i| 3 * point as usize + i)).collect()
}

/// Interface points in ascending order, if they can hold a body and leave something to reduce.
///
/// * `points` — in any order, repetitions allowed
/// * `places` — positions of all points \[m\]
/// * `is_used` — whether a point belongs to a cell
///
/// # Errors
///
/// [`InterfaceError`].
pub(crate) fn checked_points(
    body: &str,
    mut points: Vec<u32>,
    places: &[[f64; 3]],
    is_used: &[bool],
) -> Result<Vec<u32>, InterfaceError> {
    let name = || body.to_owned();
    let n_points = places.len();
    points.sort_unstable();
    points.dedup();
    if let Some(&point) = points.iter().find(|&&point| point as usize >= n_points) {
        return Err(InterfaceError::NoSuchPoint { body: name(), node: u64::from(point) + 1, n_points });
    }
    if let Some(&point) = points.iter().find(|&&point| !is_used[point as usize]) {
        return Err(InterfaceError::LoosePoint { body: name(), node: u64::from(point) + 1 });
    }
    if is_used.iter().filter(|&&used| used).count() == points.len() {
        return Err(InterfaceError::NoInterior { body: name(), n_points: points.len() });
    }
    let held: Vec<[f64; 3]> = points.iter().map(|&point| places[point as usize]).collect();
    if holding(&held) <= LEAST_HOLDING {
        return Err(InterfaceError::FloatingInterior { body: name(), n_points: points.len() });
    }
    Ok(points)
}

/// True if holding these points leaves no rigid motion.
pub fn holds(discretisation: &Discretisation, points: &[u32]) -> bool {
    let places: Vec<[f64; 3]> = points.iter().map(|&point| discretisation.points[point as usize]).collect();
    holding(&places) > LEAST_HOLDING
}

/// Names of the sets of a body in quotes, or that there are none.
fn known_sets(body: &Body) -> String {
    let names: Vec<String> = body.set_names().iter().map(|name| format!("`{name}`")).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}
