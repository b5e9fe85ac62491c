//! Refinement of cells: everywhere, or near a place.

use carom_fem::{Body, Geometry};
use carom_mesh::Mesh;
use carom_mesh::bisect::{NearCells, NearTarget, bisect_near};
use carom_nurbs::{GradeError, Grading, HierarchyError, Multipatch, Near, PatchError, Target};
use carom_progress::Progress;
use thiserror::Error;

use crate::shape::Grade;
use crate::size::affordable_refinement;
use crate::{CoarsenError, Place, PlaceError, TooMany, Zone, ZoneError};

/// Options of a refinement: the flags of `carom-mesh refine`, applied in the order of the fields.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RefineOptions {
    /// New named parts of the surface. In a NURBS body they are made first, so that it can be refined at one
    /// of them. In a mesh they are made last, because finer faces resolve a zone better.
    pub zones: Vec<Zone>,
    /// Raises all degrees of a NURBS body by this number.
    pub elevate: Option<usize>,
    /// Divides every cell or knot span into this number of parts in each direction.
    pub subdivide: Option<usize>,
    /// Small knot spans at these places.
    pub grade: Vec<Grade>,
    /// Local refinement near these places.
    pub near: Vec<NearPlace>,
}

/// A place near which the knot spans of a NURBS body are halved locally (hierarchical B-splines), or the
/// edges of tetrahedra (bisection).
#[derive(Debug, Clone, PartialEq)]
pub struct NearPlace {
    /// A point, or a set of faces.
    pub at: Place,
    /// Distance within which cells get the finest level \[m\]; by default the radius of a set that was
    /// defined around a point, otherwise 0: the cells that touch the place.
    pub radius: Option<f64>,
    /// How often knot spans, or edges of tetrahedra, are halved.
    pub levels: usize,
}

/// Errors of a refinement.
#[derive(Debug, Error)]
pub enum RefineError {
    /// The body is a mesh, whose degrees cannot be raised.
    #[error("the cells of a mesh cannot be elevated: mesh the part again with --order 2")]
    ElevateMesh,
    /// Meshes are graded when they are made.
    #[error(
        "a mesh cannot be graded afterwards: grade it when it is made (carom-mesh make … --hex --grade, or \
         the size fields of the mesher), or divide all of it with --subdivide"
    )]
    GradeMesh,
    /// The user stopped the refinement.
    #[error("the refinement was interrupted")]
    Interrupted,
    /// The knot spans cannot be refined locally.
    #[error(transparent)]
    Hierarchy(#[from] HierarchyError),
    /// Hexahedra cannot be graded towards a set that does not exist before they are made.
    #[error(
        "hexahedra of a {solid} can be graded towards a point, towards its poles or towards a zone ({}), not \
         towards `{name}`",
        if known.is_empty() { "there is none" } else { known.as_str() }
    )]
    NoSuchPole {
        /// The given name.
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
    /// The knots cannot be removed.
    #[error(transparent)]
    Coarsen(#[from] CoarsenError),
    /// The cells cannot be divided.
    #[error(transparent)]
    Mesh(#[from] carom_mesh::refine::RefineError),
    /// The knots cannot be graded.
    #[error(transparent)]
    Grade(#[from] GradeError),
}

/// Refines a body and adds its zones.
///
/// * `progress` — receives each step, and the progress of the local refinement
///
/// # Errors
///
/// [`RefineError`] if the body cannot be refined in this way, or the user stops it.
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

/// Runs a step of unknown length; the user may stop after it.
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
            let fine = match options.subdivide {
                Some(n) if n > 1 => {
                    step(progress, "dividing cells", || carom_mesh::refine::subdivide(mesh, n))?
                }
                _ => mesh.clone(),
            };
            if options.near.is_empty() {
                Geometry::Mesh(fine)
            } else {
                let places = options.near.iter().map(|near| near_in_mesh(&fine, near));
                let places = places.collect::<Result<Vec<_>, _>>()?;
                Geometry::Mesh(step(progress, "bisecting cells", || bisect_near(&fine, &places))?)
            }
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

/// The place in the form of the library for meshes.
fn near_in_mesh(mesh: &Mesh, near: &NearPlace) -> Result<NearCells, PlaceError> {
    let at = match &near.at {
        Place::Point(at) => NearTarget::Point(*at),
        Place::Set(name) => {
            let nodes = mesh.nodes_of_set(name).map_err(|e| PlaceError::UnknownSet(e.to_string()))?;
            NearTarget::Nodes(nodes)
        }
    };
    Ok(NearCells { at, radius: near.radius.unwrap_or(0.0), levels: near.levels })
}

/// The place in the form of the library: a part of sides around a point becomes that point and radius.
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
