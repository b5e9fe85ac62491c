//! Finer cells: everywhere, or towards a place.

use carom_fem::{Body, Geometry};
use carom_nurbs::{GradeError, Grading, HierarchyError, Multipatch, Near, PatchError, Target};
use carom_progress::Progress;
use thiserror::Error;

use crate::shape::Grade;
use crate::size::affordable_refinement;
use crate::{CoarsenError, Place, PlaceError, TooMany, Zone, ZoneError};

/// What to refine: the flags of `carom-mesh refine`, carried out in the order of the fields.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RefineOptions {
    /// Parts of the surface that get a name. Those of a NURBS body are there before all else, so that it can
    /// be refined at one of them; those of a mesh, whose faces are the finer the better they bound a zone,
    /// come last.
    pub zones: Vec<Zone>,
    /// Raises all degrees of a NURBS body by this.
    pub elevate: Option<usize>,
    /// Divides every cell or span into that many in each direction.
    pub subdivide: Option<usize>,
    /// Small spans at these places.
    pub grade: Vec<Grade>,
    /// Local refinement near these places.
    pub near: Vec<NearPlace>,
}

/// A place near which the spans of a NURBS body are halved, and nowhere else (hierarchical B-splines).
#[derive(Debug, Clone, PartialEq)]
pub struct NearPlace {
    /// A point, or a set of faces.
    pub at: Place,
    /// Cells that come as near as this get the finest level \[m\]. If not given: the radius of a set that was
    /// cut out around a point, else 0, those that touch the place.
    pub radius: Option<f64>,
    /// How often spans are halved.
    pub levels: usize,
}

/// Why a body cannot be refined.
#[derive(Debug, Error)]
pub enum RefineError {
    /// Only NURBS bodies have degrees.
    #[error("the cells of a mesh cannot be elevated: mesh the part again with --order 2")]
    ElevateMesh,
    /// Meshes are graded when they are made.
    #[error(
        "a mesh cannot be graded afterwards: grade it when it is made (carom-mesh make … --hex --grade, or \
         the size fields of the mesher), or divide all of it with --subdivide"
    )]
    GradeMesh,
    /// Meshes have no hierarchy.
    #[error(
        "the cells of a mesh cannot be refined near a place: mesh the part again with a finer size there, or \
         divide all of it with --subdivide"
    )]
    NearMesh,
    /// The user wanted it to stop.
    #[error("the refinement was interrupted")]
    Interrupted,
    /// The spans cannot be refined locally.
    #[error(transparent)]
    Hierarchy(#[from] HierarchyError),
    /// A set to grade hexahedra towards that is not known before they are made.
    #[error(
        "hexahedra of a {solid} can be graded towards a point, towards its poles or towards a zone ({}), not \
         towards `{name}`",
        if known.is_empty() { "there is none" } else { known.as_str() }
    )]
    NoSuchPole {
        /// Name asked for.
        name: String,
        /// The solid.
        solid: &'static str,
        /// Its poles and zones.
        known: String,
    },
    /// A zone cannot be named.
    #[error(transparent)]
    Zone(#[from] ZoneError),
    /// The body would be too large.
    #[error(transparent)]
    TooMany(#[from] TooMany),
    /// There is no such place.
    #[error(transparent)]
    Place(#[from] PlaceError),
    /// The knots cannot be inserted.
    #[error(transparent)]
    Patch(#[from] PatchError),
    /// The knots cannot be taken out.
    #[error(transparent)]
    Coarsen(#[from] CoarsenError),
    /// The cells cannot be divided.
    #[error(transparent)]
    Mesh(#[from] carom_mesh::refine::RefineError),
    /// The knots cannot be graded.
    #[error(transparent)]
    Grade(#[from] GradeError),
}

/// The same body, finer, with its zones.
///
/// * `progress` — is told each step, and how far the local refinement is
///
/// # Errors
///
/// [`RefineError`] if the body cannot be refined so, or the user wants to stop.
pub fn refine(body: &Body, options: &RefineOptions, progress: &dyn Progress) -> Result<Body, RefineError> {
    let add_zones = |body: &mut Body| options.zones.iter().try_for_each(|zone| zone.add_to(body));
    if let Geometry::Mesh(_) = body.geometry {
        let mut fine = refined(body, options, progress)?;
        add_zones(&mut fine)?;
        return Ok(fine);
    }
    if options.zones.is_empty() {
        return refined(body, options, progress);
    }
    let mut body = body.clone();
    add_zones(&mut body)?;
    refined(&body, options, progress)
}

/// A step whose length is not known; the user may stop behind it.
fn step<T, E>(
    progress: &dyn Progress,
    name: &str,
    work: impl FnOnce() -> Result<T, E>,
) -> Result<T, RefineError>
where
    RefineError: From<E>,
{
    progress.begin(name, 0);
    let done = work();
    progress.end();
    if progress.interrupted() { Err(RefineError::Interrupted) } else { Ok(done?) }
}

fn refined(body: &Body, options: &RefineOptions, progress: &dyn Progress) -> Result<Body, RefineError> {
    let (elevate, parts) = (options.elevate.unwrap_or(0), options.subdivide.unwrap_or(1).max(1));
    if elevate > 0 || parts > 1 {
        affordable_refinement(&body.geometry, elevate, parts)?;
    }
    let geometry = match &body.geometry {
        Geometry::Nurbs(patches) => Geometry::Nurbs(refine_patches(body, patches, options, progress)?),
        Geometry::Mesh(mesh) => {
            if options.elevate.is_some_and(|k| k > 0) {
                return Err(RefineError::ElevateMesh);
            }
            if !options.grade.is_empty() {
                return Err(RefineError::GradeMesh);
            }
            if !options.near.is_empty() {
                return Err(RefineError::NearMesh);
            }
            Geometry::Mesh(match options.subdivide {
                Some(n) if n > 1 => {
                    step(progress, "dividing cells", || carom_mesh::refine::subdivide(mesh, n))?
                }
                _ => mesh.clone(),
            })
        }
    };
    Ok(Body { geometry, ..body.clone() })
}

fn refine_patches(
    body: &Body,
    patches: &Multipatch,
    options: &RefineOptions,
    progress: &dyn Progress,
) -> Result<Multipatch, RefineError> {
    let mut fine = match options.elevate {
        Some(k) if k > 0 => step(progress, "raising degrees", || patches.elevate(k))?,
        _ => patches.clone(),
    };
    if let Some(n) = options.subdivide.filter(|&n| n > 1) {
        fine = step(progress, "dividing spans", || fine.subdivide(n))?;
    }
    for grade in &options.grade {
        let spot = grade.at.on(body)?;
        let radius = grade.radius.or(spot.radius).unwrap_or(4.0 * grade.finest);
        let grading = Grading::new(spot.centre, radius, grade.finest);
        fine = step(progress, "grading", || fine.grade(&grading))?;
    }
    if options.near.is_empty() {
        return Ok(fine);
    }
    let places = options.near.iter().map(|near| near_in(patches, near)).collect::<Result<Vec<_>, _>>()?;
    Ok(fine.refine_near_reporting(&places, progress)?)
}

/// The place as the library takes it: a set that is a part of sides around a point is that point and radius.
fn near_in(patches: &Multipatch, near: &NearPlace) -> Result<Near, PlaceError> {
    let levels = near.levels;
    match &near.at {
        Place::Point(at) => Ok(Near::point(*at, near.radius.unwrap_or(0.0), levels)),
        Place::Set(name) => {
            let region = patches.region(name).map_err(|e| PlaceError::UnknownSet(e.to_string()))?;
            Ok(match region.spot() {
                Some((centre, radius)) => Near::point(centre, near.radius.unwrap_or(radius), levels),
                None => {
                    let radius = near.radius.unwrap_or(0.0);
                    Near { target: Target::Sides(region.sides), radius, levels }
                }
            })
        }
    }
}
