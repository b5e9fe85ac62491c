//! A body as seen from places of its surface, for contact that does not see its mesh
//! (docs/theory/half-space.md).

mod model;
pub(crate) mod region;
mod spec;

pub use model::{
    PlacedModelError, TouchingFaces, expected_places, mesh_edge, reduced_with_places, touching_faces,
};
pub use spec::{PlaceSpec, PlaceTextError, Touching};

use carom_contact::geometry::Faces;
use carom_contact::half_space::places::{Place, Region, places_for, places_over};
use carom_contact::half_space::{
    ComplianceError, Footprint, FootprintError, HalfSpace, LoadedSurface, Loads, PlacedBody,
};
use carom_fem::{Body, Discretisation, SurfaceError};
use carom_linalg::IterationError;
use carom_mesh::FaceRef;
use carom_progress::Progress;
use carom_reduce::Flexibility;
use carom_reduce::residual::{SpreadLoad, response};
use faer::Mat;
use nalgebra::Vector3;
use thiserror::Error;

/// Errors of the places of a body.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum PlacesError {
    /// No face, or a region without faces.
    #[error(
        "body `{body}`: no face of the surface lies within {reach:.3e} m of the region's middle: give a \
         point on the surface, or a larger radius"
    )]
    NoFaces {
        /// Name of the body.
        body: String,
        /// Radius of the region \[m\].
        reach: f64,
    },
    /// Faces of several materials.
    #[error(
        "body `{body}`: the surface has the materials `{first}` and `{second}`; the half-space below a \
         contact is of one material, so name a surface for each"
    )]
    Materials {
        /// Name of the body.
        body: String,
        /// A material.
        first: String,
        /// Another one.
        second: String,
    },
    /// A face cannot be evaluated.
    #[error("body `{body}`: {source}")]
    Surface {
        /// Name of the body.
        body: String,
        /// Why.
        source: SurfaceError,
    },
    /// A load cannot be laid.
    #[error("body `{body}`: {source}")]
    Footprint {
        /// Name of the body.
        body: String,
        /// Why.
        source: FootprintError,
    },
    /// The static solution failed.
    #[error("body `{body}`: response to the loads of places: {source}")]
    Solution {
        /// Name of the body.
        body: String,
        /// Why.
        source: IterationError,
    },
    /// The response does not fit.
    #[error(transparent)]
    Compliance(#[from] ComplianceError),
}

/// The response of a body to loads at places over a region of its surface.
///
/// * `flexibility` — the solver of the body; it answers under inertia relief if supports leave it free
/// * `faces` — the surface of which the region is a part
/// * `loads` — r₀ = 1.5 h for quadratic cells, 3 h for linear ones, with the edge h of the faces
/// * `region` — the contact with 2.6 distances of places around it, in which weights reach
///
/// Places of which an edge of the body leaves too little for a load are left out.
///
/// The curvature of the result is 0; the caller may set it.
///
/// # Errors
///
/// [`PlacesError`].
pub fn placed_body(
    (body, discretisation): (&Body, &Discretisation),
    flexibility: &Flexibility,
    faces: &[FaceRef],
    loads: Loads,
    region: Region,
    progress: &dyn Progress,
) -> Result<PlacedBody, PlacesError> {
    Ok(laid((body, discretisation), flexibility, (faces, faces), loads, region, progress)?.placed)
}

/// Loads on a body, with its response.
pub(crate) struct Laid {
    /// The body as seen from its places.
    pub(crate) placed: PlacedBody,
    /// The load of each place on the surface.
    pub(crate) footprints: Vec<Footprint>,
    /// The same over points of the body.
    pub(crate) spread: Vec<SpreadLoad>,
}

/// Loads on a body, to which its response is not known yet.
pub(crate) struct LaidLoads {
    loads: Loads,
    half_space: HalfSpace,
    positions: Vec<Vector3<f64>>,
    normals: Vec<Vector3<f64>>,
    footprints: Vec<Footprint>,
    /// The loads over points of the body.
    pub(crate) spread: Vec<SpreadLoad>,
}

impl LaidLoads {
    /// The body as seen from the places.
    ///
    /// * `response` — A of the loads
    pub(crate) fn placed(&self, response: Mat<f64>) -> Result<PlacedBody, ComplianceError> {
        let (positions, normals) = (self.positions.clone(), self.normals.clone());
        let mut placed = PlacedBody::new(self.loads, self.half_space, positions, normals, response)?;
        placed.cut_by(&self.footprints);
        Ok(placed)
    }
}

/// As [`placed_body`], with its loads.
///
/// * `faces` — of the surface, and those below which the half-space lies
pub(crate) fn laid(
    (body, discretisation): (&Body, &Discretisation),
    flexibility: &Flexibility,
    faces: (&[FaceRef], &[FaceRef]),
    loads: Loads,
    region: Region,
    progress: &dyn Progress,
) -> Result<Laid, PlacesError> {
    let found = lay((body, discretisation), faces, loads, region)?;
    let response = response(flexibility, &found.spread, progress)
        .map_err(|source| PlacesError::Solution { body: body.name.clone(), source })?;
    let placed = found.placed(response)?;
    let LaidLoads { footprints, spread, .. } = found;
    Ok(Laid { placed, footprints, spread })
}

/// Lays the loads of a region.
///
/// * `faces` — of the surface, and those below which the half-space lies
pub(crate) fn lay(
    (body, discretisation): (&Body, &Discretisation),
    (faces, touched): (&[FaceRef], &[FaceRef]),
    loads: Loads,
    region: Region,
) -> Result<LaidLoads, PlacesError> {
    let name = || body.name.clone();
    let half_space = half_space_of((body, discretisation), touched)?;
    let surface = discretisation.surface(faces);
    let points: Vec<Vector3<f64>> =
        surface.points.iter().map(|&k| Vector3::from(discretisation.points[k as usize])).collect();
    let faces =
        Faces::new(surface, &points).map_err(|source| PlacesError::Surface { body: name(), source })?;
    let places = useful_places((body, discretisation), &faces, touched, loads.spacing, region)?;
    if places.is_empty() {
        return Err(PlacesError::NoFaces { body: name(), reach: region.reach });
    }
    let mut kept = Vec::with_capacity(places.len());
    let mut footprints = Vec::with_capacity(places.len());
    let mut last = None;
    let loaded = LoadedSurface::new(&faces.surface, &points, (loads.kernel, loads.radius));
    for (x, n) in places {
        match Footprint::new(&loaded, (&x, &n)) {
            Ok(footprint) => {
                kept.push((x, n));
                footprints.push(footprint);
            }
            // Weights do without it, and report if they cannot.
            Err(error) => last = Some(error),
        }
    }
    if let (true, Some(source)) = (kept.is_empty(), last) {
        return Err(PlacesError::Footprint { body: name(), source });
    }
    let spread = |shares: &[(u32, f64)]| -> SpreadLoad {
        shares.iter().map(|&(k, share)| (faces.surface.points[k as usize], share)).collect()
    };
    let spread: Vec<SpreadLoad> = footprints.iter().map(|footprint| spread(&footprint.shares)).collect();
    let (positions, normals) = kept.into_iter().unzip();
    Ok(LaidLoads { loads, half_space, positions, normals, footprints, spread })
}

/// Places of a region that a contact on some faces can use.
///
/// * `faces` — the surface
/// * `touched` — the faces that may touch
pub(crate) fn useful_places(
    (body, discretisation): (&Body, &Discretisation),
    faces: &Faces,
    touched: &[FaceRef],
    spacing: f64,
    region: Region,
) -> Result<Vec<Place>, PlacesError> {
    let places = places_over(faces, region, spacing);
    if touched.len() == faces.n_faces() {
        return Ok(places);
    }
    let surface = discretisation.surface(touched);
    let points: Vec<Vector3<f64>> =
        surface.points.iter().map(|&k| Vector3::from(discretisation.points[k as usize])).collect();
    let touching = Faces::new(surface, &points)
        .map_err(|source| PlacesError::Surface { body: body.name.clone(), source })?;
    Ok(places_for(&touching, places, region::REACH * spacing, spacing))
}

/// The half-space of the material of all faces.
pub(crate) fn half_space_of(
    (body, discretisation): (&Body, &Discretisation),
    faces: &[FaceRef],
) -> Result<HalfSpace, PlacesError> {
    // A refined body has more blocks than patches, and the materials of the body belong to patches.
    let material =
        |face: &FaceRef| &discretisation.materials[discretisation.blocks[face.block as usize].material];
    let Some(first) = faces.first().map(material) else {
        return Err(PlacesError::NoFaces { body: body.name.clone(), reach: f64::INFINITY });
    };
    let differs = |m: &&carom_fem::Material| [m.young, m.poisson] != [first.young, first.poisson];
    match faces.iter().map(material).find(differs) {
        Some(second) => Err(PlacesError::Materials {
            body: body.name.clone(),
            first: first.name.clone(),
            second: second.name.clone(),
        }),
        None => Ok(HalfSpace::new(first.young, first.poisson)),
    }
}
