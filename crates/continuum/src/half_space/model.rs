//! Reduced models with loads at places.

use std::time::Instant;

use carom_contact::geometry::Faces;
use carom_contact::half_space::compliance::CutMeans;
use carom_contact::half_space::{Kernel, PlacedBody};
use carom_fem::recovery::energy_errors;
use carom_fem::{Body, Discretisation, QuadratureRule, Surface};
use carom_linalg::IterationError;
use carom_mesh::FaceRef;
use carom_progress::Progress;
use carom_reduce::comparison::{rigid_sets, whole_body};
use carom_reduce::places::{CutPair, PlacedSurface};
use carom_reduce::residual::{SpreadLoad, modal_values};
use carom_reduce::{
    BodyFrame, CraigBampton, CraigBamptonOptions, Fields, Flexibility, ModeKind, Modes, ReduceError,
    ReducedBody, craig_bampton, frequency_errors,
};
use faer::Mat;
use nalgebra::{Matrix3, Vector3};
use thiserror::Error;

use super::region::{Loading, TouchRegion};
use super::{Laid, PlaceSpec, PlacesError, laid, useful_places};

/// Largest r₀ in radii of curvature of the surface.
pub(super) const LARGEST_RADIUS: f64 = 0.7;

/// Most places of a region: A has nine times their square.
pub(super) const MOST_PLACES: usize = 600;

/// Most places of a region whose errors by the mesh are computed.
const PLACES_WITH_ERRORS: usize = 16;

/// Errors of a model with places.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum PlacedModelError {
    /// The reduction failed.
    #[error(transparent)]
    Reduce(#[from] ReduceError),
    /// The loads cannot be laid.
    #[error(transparent)]
    Places(#[from] PlacesError),
    /// A surface cannot be evaluated.
    #[error("body `{body}`: {source}")]
    Surface {
        /// Name of the body.
        body: String,
        /// The problem.
        source: carom_fem::SurfaceError,
    },
    /// The set does not exist or has no faces.
    #[error(transparent)]
    Set(#[from] carom_fem::SetError),
    /// The frame of the model does not follow the mean motion.
    #[error(
        "body `{body}`: places `{places}` need the Buckens frame, from which the response to their loads \
         counts; the frame of the model follows nodes or a marker: leave the frame or the places out"
    )]
    Frame {
        /// Name of the body.
        body: String,
        /// The region.
        places: String,
    },
    /// The surface is curved more than its mesh allows.
    #[error(
        "body `{body}`: loads of places `{places}` have a radius of {radius:.3e} m by the mesh (edges of \
         {edge:.3e} m), more than {LARGEST_RADIUS} of the radius of curvature of the surface, \
         {curvature:.3e} m: refine the mesh there"
    )]
    Curved {
        /// Name of the body.
        body: String,
        /// The region.
        places: String,
        /// r₀ \[m\].
        radius: f64,
        /// h \[m\].
        edge: f64,
        /// Radius of curvature \[m\].
        curvature: f64,
    },
    /// Flat faces approximate a curved surface.
    #[error(
        "body `{body}`: faces of places `{places}` are flat and meet at {angle:.2}°: they approximate \
         a curved surface, on which a contact is neither flat nor sharp; use cells of the second \
         order, or NURBS"
    )]
    Facets {
        /// Name of the body.
        body: String,
        /// The region.
        places: String,
        /// Angle between two normals in degrees.
        angle: f64,
    },
    /// The region is too large for its loads.
    #[error(
        "body `{body}`: places `{places}` would be {found}, at most {MOST_PLACES} are possible: name a \
         smaller region, or use a coarser mesh there"
    )]
    Many {
        /// Name of the body.
        body: String,
        /// The region.
        places: String,
        /// Their number by the area.
        found: usize,
    },
    /// The modes have no values at the loads.
    #[error("body `{body}`: the model has no modes at the points under the loads of places `{places}`")]
    NoModes {
        /// Name of the body.
        body: String,
        /// The region.
        places: String,
    },
    /// The response of the whole body failed.
    #[error("places of body `{body}`: {source}")]
    Response {
        /// Name of the body.
        body: String,
        /// The problem.
        source: carom_reduce::ComparisonError,
    },
}

/// Reduces a body and lays loads over regions of its surface. Of a body with an interface, the errors of the
/// lowest frequencies by the mesh are estimated.
///
/// A body without an interface is reduced to its modes without interface supports
/// ([`ModeKind::FreeInterface`]); three nodes far from each other serve as the interface that a reduction
/// needs, and the response to the loads of places is complete without them.
///
/// # Errors
///
/// [`PlacedModelError`].
pub fn reduced_with_places(
    body: &Body,
    options: &CraigBamptonOptions,
    places: &[PlaceSpec],
    progress: &dyn Progress,
) -> Result<CraigBampton, PlacedModelError> {
    if places.is_empty() {
        return checked(body, options, craig_bampton(body, options, progress)?, progress);
    }
    if options.variant.frame != BodyFrame::Buckens {
        let places = places[0].name().to_owned();
        return Err(PlacedModelError::Frame { body: body.name.clone(), places });
    }
    // Errors by the mesh come from the modes inside of the body.
    let mut own = CraigBamptonOptions { fields: Fields::Full, ..options.clone() };
    let discretisation = Discretisation::new(body).map_err(ReduceError::from)?;
    let is_bare = options.interface_sets.is_empty()
        && options.interface_points.is_empty()
        && options.attachments.is_empty();
    if is_bare {
        own.interface_points = far_points(body, &discretisation, &options.held)?;
        own.variant.modes = ModeKind::FreeInterface;
    }
    let mut result = craig_bampton(body, &own, progress)?;
    let started = Instant::now();
    let model = &mut result.reduced;
    let rule = options.rule.unwrap_or(QuadratureRule::Default);
    let rigid = rigid_sets(model);
    let (flexibility, _) =
        whole_body(body, &discretisation, &options.held, &rigid, rule, &options.solver, progress)
            .map_err(|source| PlacedModelError::Response { body: body.name.clone(), source })?;
    let fields = model.fields.take().expect("all fields were asked for");
    let fields = fields.into_modes().expect("a reduction keeps its modes in memory");
    // Static modes of loads are combinations of all modes.
    model.mode_errors = energy_errors(body, &discretisation, fields.values.as_ref());
    for spec in places {
        let whole = (body, &discretisation, &flexibility);
        let (mut placed, spread) = placed_surface(whole, (model, &fields), spec, progress)?;
        if let Some(stiffening) = &model.stiffening {
            let found =
                stiffening.foreshortening_of(&discretisation, &flexibility, &fields, &spread, progress);
            let found = found.map_err(|source| PlacesError::Solution { body: body.name.clone(), source })?;
            placed.foreshortening = Some(found);
        }
        model.places.push(placed);
    }
    model.fields = match options.fields {
        Fields::Full => Some(fields.into()),
        Fields::Surface => Some(fields.at(&discretisation.surface(&body.boundary_faces()).points).into()),
        Fields::Interface => None,
    };
    result.seconds.places = started.elapsed().as_secs_f64();
    result.seconds.total += result.seconds.places;
    // Contact at places has an estimate of its own, of the modes that its impacts excite.
    if is_bare { Ok(result) } else { checked(body, options, result, progress) }
}

/// Adds the errors of the lowest frequencies by the mesh.
fn checked(
    body: &Body,
    options: &CraigBamptonOptions,
    mut result: CraigBampton,
    progress: &dyn Progress,
) -> Result<CraigBampton, PlacedModelError> {
    let started = Instant::now();
    result.reduced.frequency_errors = frequency_errors(body, options, &result.reduced, progress)?;
    result.seconds.mesh_check = started.elapsed().as_secs_f64();
    result.seconds.total += result.seconds.mesh_check;
    Ok(result)
}

/// The faces of a body that may touch.
#[derive(Debug, Clone)]
pub struct TouchingFaces {
    /// Over points of the body.
    pub surface: Surface,
    /// Positions of the points of the surface \[m\].
    pub points: Vec<Vector3<f64>>,
    /// A face in the region.
    pub loaded: Option<FaceRef>,
}

/// The faces of a region of a rigid body.
///
/// # Errors
///
/// [`PlacedModelError`] if the region has no faces, or flat ones that approximate a curved surface.
pub fn touching_faces(body: &Body, region: &PlaceSpec) -> Result<TouchingFaces, PlacedModelError> {
    let discretisation = Discretisation::new(body).map_err(ReduceError::from)?;
    let found = TouchRegion::new(body, &discretisation, region)?;
    found.refuse_facets(&(body.name.clone(), region.name().to_owned()))?;
    let loaded = found.faces.first().copied();
    Ok(TouchingFaces { surface: found.surface, points: found.points, loaded })
}

/// Mean edge of the faces in a region, of squares and equilateral triangles of the same areas \[m\].
///
/// # Errors
///
/// [`PlacedModelError`] if the region has no faces.
pub fn mesh_edge(body: &Body, region: &PlaceSpec) -> Result<f64, PlacedModelError> {
    let discretisation = Discretisation::new(body).map_err(ReduceError::from)?;
    Ok(TouchRegion::new(body, &discretisation, region)?.edge())
}

/// Number of places that a region would have, without those that an edge of the body leaves out.
///
/// # Errors
///
/// [`PlacedModelError`] if the region cannot have loads.
pub fn expected_places(body: &Body, spec: &PlaceSpec) -> Result<usize, PlacedModelError> {
    let discretisation = Discretisation::new(body).map_err(ReduceError::from)?;
    let region = TouchRegion::new(body, &discretisation, spec)?;
    let loading = region.loading(&(body.name.clone(), spec.name().to_owned()))?;
    let surface = discretisation.surface(&body.boundary_faces());
    let position = |&k: &u32| Vector3::from(discretisation.points[k as usize]);
    let points: Vec<Vector3<f64>> = surface.points.iter().map(position).collect();
    let faces = Faces::new(surface, &points)
        .map_err(|source| PlacesError::Surface { body: body.name.clone(), source })?;
    let (spacing, within) = (loading.loads.spacing, region.within(loading.reach));
    Ok(useful_places((body, &discretisation), &faces, &region.faces, spacing, within)?.len())
}

/// Three points of the body's surface far from each other, without those of held sets.
fn far_points(
    body: &Body,
    discretisation: &Discretisation,
    held: &[String],
) -> Result<Vec<u32>, PlacedModelError> {
    let mut out = Vec::new();
    for text in held {
        let set = carom_reduce::Support::name_in(text);
        out.extend(body.points_of_set(discretisation, set)?);
    }
    let surface = discretisation.surface(&body.boundary_faces());
    let at = |k: &u32| Vector3::from(discretisation.points[*k as usize]);
    let all: Vec<u32> = surface.points.iter().copied().filter(|k| !out.contains(k)).collect();
    let center = all.iter().map(at).sum::<Vector3<f64>>() / all.len().max(1) as f64;
    let farthest = |distance: &dyn Fn(&Vector3<f64>) -> f64| {
        all.iter().copied().reduce(|best, k| if distance(&at(&k)) > distance(&at(&best)) { k } else { best })
    };
    let Some(a) = farthest(&|x| (x - center).norm()) else { return Ok(Vec::new()) };
    let Some(b) = farthest(&|x| (x - at(&a)).norm()) else { return Ok(vec![a]) };
    let along = at(&b) - at(&a);
    let c = farthest(&|x| (x - at(&a)).cross(&along).norm());
    let mut points: Vec<u32> = [Some(a), Some(b), c].into_iter().flatten().collect();
    points.sort_unstable();
    points.dedup();
    Ok(points)
}

/// Loads over one region, and the points over which each of them is spread.
///
/// * `modes` — at all points of the body
fn placed_surface(
    (body, discretisation, flexibility): (&Body, &Discretisation, &Flexibility),
    (model, modes): (&ReducedBody, &Modes),
    spec: &PlaceSpec,
    progress: &dyn Progress,
) -> Result<(PlacedSurface, Vec<SpreadLoad>), PlacedModelError> {
    let name = || (body.name.clone(), spec.name().to_owned());
    let region = TouchRegion::new(body, discretisation, spec)?;
    let Loading { loads, edge, thickness, reach } = region.loading(&name())?;
    let whole = body.boundary_faces();
    let Laid { placed, footprints, spread } = laid(
        (body, discretisation),
        flexibility,
        (&whole, &region.faces),
        loads,
        region.within(reach),
        progress,
    )?;
    let Some(values) = modal_values(modes, &spread) else {
        let (body, places) = name();
        return Err(PlacedModelError::NoModes { body, places });
    };
    let errors = errors_of_places((body, discretisation, flexibility), (&placed, &spread), progress)
        .map_err(|source| PlacesError::Solution { body: body.name.clone(), source })?;
    let com = Vector3::from(model.com);
    let in_body = |x: &Vector3<f64>| <[f64; 3]>::from(x - com);
    let rows = |m: &Matrix3<f64>| std::array::from_fn(|a| std::array::from_fn(|b| m[(a, b)]));
    let cut = |(j, k, means): &(u32, u32, CutMeans)| CutPair {
        loads: [*j, *k],
        second: rows(&means.second),
        first: means.first.into(),
    };
    let cut_loads = footprints.iter().enumerate().filter(|(_, f)| f.is_cut());
    let surface = PlacedSurface {
        name: spec.name().to_owned(),
        points_b: region.points.iter().map(in_body).collect(),
        surface: region.surface,
        zero_moment: loads.kernel == Kernel::ZeroMoment,
        radius: loads.radius,
        spacing: loads.spacing,
        edge,
        thickness,
        young: region.young,
        poisson: region.poisson,
        places_b: placed.positions.iter().map(in_body).collect(),
        normals_b: placed.normals.iter().map(|&n| n.into()).collect(),
        cuts: placed.cuts().iter().map(cut).collect(),
        cut_loads: cut_loads.map(|(j, f)| (j as u32, rows(&f.second))).collect(),
        response: placed.response,
        values,
        foreshortening: None,
        mesh_errors: Some(errors),
    };
    Ok((surface, spread))
}

/// Errors of the static response to the normal loads of places by the mesh. Those of a few places are
/// computed; each of the others has the error of the nearest of them.
fn errors_of_places(
    (body, discretisation, flexibility): (&Body, &Discretisation, &Flexibility),
    (placed, spread): (&PlacedBody, &[SpreadLoad]),
    progress: &dyn Progress,
) -> Result<Vec<f64>, IterationError> {
    let chosen = far_from_each_other(&placed.positions, PLACES_WITH_ERRORS);
    let mut fields = Mat::zeros(discretisation.n_dofs(), chosen.len());
    for (k, &place) in chosen.iter().enumerate() {
        for &(point, share) in &spread[place] {
            (0..3).for_each(|a| fields[(3 * point as usize + a, k)] += share * placed.normals[place][a]);
        }
    }
    flexibility.respond(fields.as_mut(), progress)?;
    let errors = energy_errors(body, discretisation, fields.as_ref());
    let nearest = |x: &Vector3<f64>| {
        let distance = |k: &usize| (placed.positions[chosen[*k]] - x).norm_squared();
        let found = (0..chosen.len()).min_by(|a, b| distance(a).total_cmp(&distance(b)));
        errors[found.expect("a region has places")]
    };
    Ok(placed.positions.iter().map(nearest).collect())
}

/// Numbers of some points, each as far as possible from those before it; the first one is a point.
fn far_from_each_other(points: &[Vector3<f64>], most: usize) -> Vec<usize> {
    let mut chosen = vec![0];
    let mut distances: Vec<f64> = points.iter().map(|x| (x - points[0]).norm_squared()).collect();
    while chosen.len() < most.min(points.len()) {
        let next = (0..points.len()).max_by(|&a, &b| distances[a].total_cmp(&distances[b]));
        let next = next.expect("there are points");
        for (distance, x) in distances.iter_mut().zip(points) {
            *distance = distance.min((x - points[next]).norm_squared());
        }
        chosen.push(next);
    }
    chosen
}
