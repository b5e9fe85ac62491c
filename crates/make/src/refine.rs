//! Finer cells: everywhere, or towards a place.

use carom_fem::{Body, Geometry};
use carom_nurbs::{GradeError, Grading, Multipatch, PatchError};
use thiserror::Error;

use crate::shape::Grade;
use crate::size::{affordable, cells_of};
use crate::{CoarsenError, PlaceError, TooManyCells};

/// What to refine: the flags of `carom-mesh refine`, carried out in the order of the fields.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RefineOptions {
    /// Raises all degrees of a NURBS body by this.
    pub elevate: Option<usize>,
    /// Divides every cell or span into that many in each direction.
    pub subdivide: Option<usize>,
    /// Small spans at these places.
    pub grade: Vec<Grade>,
}

/// Why a body cannot be refined.
#[derive(Debug, Error)]
pub enum RefineError {
    /// Only NURBS bodies have degrees.
    #[error("the cells of a mesh cannot be elevated: mesh the part again with --order 2")]
    ElevateMesh,
    /// Meshes are graded when they are made.
    #[error(
        "a mesh cannot be graded afterwards: grade it when it is made (carom-mesh make … --hex --grade, or the size \
         fields of the mesher), or divide all of it with --subdivide"
    )]
    GradeMesh,
    /// A set to grade hexahedra towards that is not known before they are made.
    #[error(
        "hexahedra of a {solid} can be graded towards a point or towards its poles ({known}), not towards `{name}`"
    )]
    NoSuchPole {
        /// Name asked for.
        name: String,
        /// The solid.
        solid: &'static str,
        /// Its poles.
        known: String,
    },
    /// The body would be too large.
    #[error(transparent)]
    TooMany(#[from] TooManyCells),
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

/// The same body, finer.
///
/// # Errors
///
/// [`RefineError`] if the body cannot be refined so.
pub fn refine(body: &Body, options: &RefineOptions) -> Result<Body, RefineError> {
    if let Some(n) = options.subdivide.filter(|&n| n > 1) {
        affordable(cells_of(n_cells(body), &[n]))?;
    }
    let geometry = match &body.geometry {
        Geometry::Nurbs(patches) => Geometry::Nurbs(refine_patches(body, patches, options)?),
        Geometry::Mesh(mesh) => {
            if options.elevate.is_some_and(|k| k > 0) {
                return Err(RefineError::ElevateMesh);
            }
            if !options.grade.is_empty() {
                return Err(RefineError::GradeMesh);
            }
            Geometry::Mesh(match options.subdivide {
                Some(n) if n > 1 => carom_mesh::refine::subdivide(mesh, n)?,
                _ => mesh.clone(),
            })
        }
    };
    Ok(Body { geometry, ..body.clone() })
}

/// Cells, or spans of all patches.
fn n_cells(body: &Body) -> usize {
    match &body.geometry {
        Geometry::Mesh(mesh) => mesh.cell_counts().values().sum(),
        Geometry::Nurbs(multipatch) => multipatch
            .patches
            .iter()
            .map(|patch| patch.basis.iter().map(|knots| knots.spans().len()).product::<usize>())
            .sum(),
    }
}

fn refine_patches(
    body: &Body,
    patches: &Multipatch,
    options: &RefineOptions,
) -> Result<Multipatch, RefineError> {
    let mut fine = match options.elevate {
        Some(k) if k > 0 => patches.elevate(k)?,
        _ => patches.clone(),
    };
    if let Some(n) = options.subdivide.filter(|&n| n > 1) {
        fine = fine.subdivide(n)?;
    }
    for grade in &options.grade {
        let spot = grade.at.on(body)?;
        let radius = grade.radius.or(spot.radius).unwrap_or(4.0 * grade.finest);
        fine = fine.grade(&Grading::new(spot.centre, radius, grade.finest))?;
    }
    Ok(fine)
}
