//! Sets that are tied to a marker of six dofs: as a rigid body (RBE2), or by their mean motion (RBE3).
//!
//! The marker lies at the area centroid of the set, or at a given position, and moves by y = (translation,
//! small rotation). With the rigid motions R y = t + θ × (X − c) about it,
//!
//! ```text
//! rigid:   u = R y on the set
//! mean:    y = W u,   W = (∫ Rᵀ R dA)⁻¹ ∫ Rᵀ u dA,   so that W R = E
//! ```
//!
//! The integrals run over the faces of the set with the functions of the body; a set of single nodes is
//! averaged node by node.

use std::fmt;
use std::str::FromStr;

use carom_fem::{Body, Discretisation, SetError, loads};
use faer::Mat;
use nalgebra::Matrix6;

use crate::interface_error::InterfaceError;
use crate::rigid::{LEAST_HOLDING, holding, rigid_modes};

/// How a set is tied to one marker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttachmentKind {
    /// The set moves as a rigid body (RBE2).
    Rigid,
    /// The marker moves with the mean of the set (RBE3).
    Mean,
}

/// A set tied to a marker, which is an interface of six dofs.
///
/// As text `SET=rigid` or `SET=mean`, followed by `@X,Y,Z` if the position of the marker is given.
#[derive(Debug, Clone, PartialEq)]
pub struct Attachment {
    /// Name of the set, and of the marker.
    pub set: String,
    /// How it is tied.
    pub kind: AttachmentKind,
    /// Position of the marker in source coordinates \[m\], by default the area centroid of the set. The
    /// centroid of a bore with a keyway is not on its axis.
    pub at: Option<[f64; 3]>,
}

impl fmt::Display for Attachment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            AttachmentKind::Rigid => "rigid",
            AttachmentKind::Mean => "mean",
        };
        write!(f, "{}={kind}", self.set)?;
        self.at.map_or(Ok(()), |[x, y, z]| write!(f, "@{x},{y},{z}"))
    }
}

/// Errors from parsing an attachment.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum AttachmentError {
    /// The kind is missing or invalid.
    #[error("write SET=rigid or SET=mean")]
    Kind,
    /// The position is invalid.
    #[error("`{0}` is not a position: write three numbers in metres, SET=rigid@X,Y,Z")]
    Place(String),
}

impl FromStr for Attachment {
    type Err = AttachmentError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (set, how) =
            text.rsplit_once('=').filter(|(set, _)| !set.is_empty()).ok_or(AttachmentError::Kind)?;
        let (kind, place) = how.split_once('@').map_or((how, None), |(kind, place)| (kind, Some(place)));
        let kind = match kind {
            "rigid" => AttachmentKind::Rigid,
            "mean" => AttachmentKind::Mean,
            _ => return Err(AttachmentError::Kind),
        };
        let at = place.map(|place| place_of(place).ok_or_else(|| AttachmentError::Place(place.to_owned())));
        Ok(Self { set: set.to_owned(), kind, at: at.transpose()? })
    }
}

/// X,Y,Z
fn place_of(text: &str) -> Option<[f64; 3]> {
    let numbers: Option<Vec<f64>> =
        text.split(',').map(|x| x.trim().parse().ok().filter(|x: &f64| x.is_finite())).collect();
    numbers?.try_into().ok()
}

/// An attachment whose set was found in a body.
#[derive(Debug, Clone, PartialEq)]
pub struct Attached {
    /// Name of the marker.
    pub name: String,
    /// How the set is tied to it.
    pub kind: AttachmentKind,
    /// Position of the marker in source coordinates \[m\].
    pub center: [f64; 3],
    /// Points of the set, ascending.
    pub points: Vec<u32>,
    /// R at these points, 3 n × 6.
    pub rigid: Mat<f64>,
    /// Wᵀ at these points, 3 n × 6.
    pub mean: Mat<f64>,
    /// Largest distance of the points from the marker \[m\].
    pub extent: f64,
}

impl Attached {
    /// Finds the set of an attachment and computes its marker and mean.
    ///
    /// # Errors
    ///
    /// [`InterfaceError`] if there is no such set, or its points define no rotation.
    pub fn new(
        body: &Body,
        discretisation: &Discretisation,
        attachment: &Attachment,
    ) -> Result<Self, InterfaceError> {
        let mut points = body.points_of_set(discretisation, &attachment.set)?;
        points.sort_unstable();
        points.dedup();
        let faces = match body.faces_of_set(&attachment.set) {
            Ok(faces) => faces,
            Err(SetError::NoFaces { .. }) => Vec::new(),
            Err(error) => return Err(error.into()),
        };
        let places: Vec<[f64; 3]> = points.iter().map(|&p| discretisation.points[p as usize]).collect();
        if holding(&places) <= LEAST_HOLDING {
            return Err(InterfaceError::NoRotation {
                body: body.name.clone(),
                set: attachment.set.clone(),
                n_points: points.len(),
            });
        }
        // ∫ N_i R(x) dA at each point i, or R(x_i) for single nodes.
        let weighted = |center: [f64; 3]| {
            let motion = |k: usize, x: [f64; 3]| {
                let field = rigid_modes(&[x], center);
                [0, 1, 2].map(|a| field[(a, k)])
            };
            if faces.is_empty() {
                return rigid_modes(&places, center);
            }
            let mut weighted = Mat::zeros(3 * points.len(), 6);
            for k in 0..6 {
                let force = loads::varying_traction_force(discretisation, &faces, |x| motion(k, x));
                for (i, &point) in points.iter().enumerate() {
                    (0..3).for_each(|a| weighted[(3 * i + a, k)] = force[point as usize][a]);
                }
            }
            weighted
        };
        let center = attachment.at.unwrap_or_else(|| centroid(&places, &weighted([0.0; 3])));
        let rigid = rigid_modes(&places, center);
        let mean = mean_weights(&rigid, &weighted(center)).ok_or_else(|| InterfaceError::NoRotation {
            body: body.name.clone(),
            set: attachment.set.clone(),
            n_points: points.len(),
        })?;
        let distance = |p: &[f64; 3]| (0..3).map(|a| (p[a] - center[a]).powi(2)).sum::<f64>().sqrt();
        Ok(Self {
            name: attachment.set.clone(),
            kind: attachment.kind,
            center,
            extent: places.iter().map(distance).fold(0.0, f64::max),
            points,
            rigid,
            mean,
        })
    }
}

impl Attached {
    /// The mean of single points with equal weights; `None` if they define no rotation.
    ///
    /// * `points` — ascending
    /// * `places` — positions of all points \[m\]
    pub(crate) fn of_points(name: &str, points: Vec<u32>, places: &[[f64; 3]]) -> Option<Self> {
        let own: Vec<[f64; 3]> = points.iter().map(|&p| places[p as usize]).collect();
        if holding(&own) <= LEAST_HOLDING {
            return None;
        }
        let center = centroid(&own, &rigid_modes(&own, [0.0; 3]));
        let rigid = rigid_modes(&own, center);
        let mean = mean_weights(&rigid, &rigid)?;
        let distance = |p: &[f64; 3]| (0..3).map(|a| (p[a] - center[a]).powi(2)).sum::<f64>().sqrt();
        let extent = own.iter().map(distance).fold(0.0, f64::max);
        Some(Self { name: name.to_owned(), kind: AttachmentKind::Mean, center, points, rigid, mean, extent })
    }
}

/// A marker of an attached set, with its motion in each mode.
///
/// Its displacement is `translation` q, its small rotation ψ q with ψ = `rotation`
/// (docs/theory/floating-frame.md, section 3.5), both in axes of the body frame.
#[derive(Debug, Clone)]
pub struct AttachedMarker {
    /// Name of the marker: that of the set.
    pub name: String,
    /// How the set is tied to it.
    pub kind: AttachmentKind,
    /// Reference position in the body frame: the given one, or the area centroid of the set's surface, or the
    /// mean of a set of nodes \[m\].
    pub position_b: [f64; 3],
    /// Displacement in each mode, 3 × n \[1/√kg\].
    pub translation: Mat<f64>,
    /// Rotation ψ in each mode, 3 × n \[1/(m √kg)\].
    pub rotation: Mat<f64>,
}

/// Σ_i X_i ∫ N_i dA / ∫ dA.
fn centroid(places: &[[f64; 3]], weighted: &Mat<f64>) -> [f64; 3] {
    let area: f64 = (0..places.len()).map(|i| weighted[(3 * i, 0)]).sum();
    std::array::from_fn(|a| {
        places.iter().enumerate().map(|(i, place)| place[a] * weighted[(3 * i, 0)]).sum::<f64>() / area
    })
}

/// Wᵀ = G (Rᵀ G)⁻¹ with G = ∫ N R dA.
fn mean_weights(rigid: &Mat<f64>, weighted: &Mat<f64>) -> Option<Mat<f64>> {
    // Rotations are scaled to the size of translations: the Gram matrix of a small set would be badly scaled.
    let scale: [f64; 6] = std::array::from_fn(|k| 1.0 / rigid.col(k).norm_l2());
    let gram = rigid.transpose() * weighted;
    let gram = Matrix6::from_fn(|i, j| 0.5 * scale[i] * scale[j] * (gram[(i, j)] + gram[(j, i)]));
    let inverse = gram.try_inverse()?;
    let inverse = Mat::from_fn(6, 6, |i, j| scale[i] * inverse[(i, j)] * scale[j]);
    let mean = weighted * &inverse;
    mean.norm_max().is_finite().then_some(mean)
}
