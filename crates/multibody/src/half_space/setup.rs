//! Surfaces that may touch on half-space grids, as plain data, and the pairs made of them.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use carom_contact::foreshortening::Foreshortening;
use carom_contact::half_space::compliance::CutMeans;
use carom_contact::half_space::facets::smooth_angle;
use carom_contact::half_space::mesh_doubts::{MeshBelow, MeshFaces};
use carom_contact::half_space::pair::Under;
use carom_contact::half_space::{ComplianceError, HalfSpace, Kernel, Loads, PlacedBody};
use carom_contact::{Law, Shape};
use carom_reduce::places::PlacedSurface;
use faer::Mat;
use faer::linalg::solvers::Solve;
use nalgebra::{Matrix3, Vector3};

use super::hull::Hull;
use super::pair::{Pair, Side, largest_curvature};
use crate::body::Body;

/// A surface that may touch another. Surfaces of a body that differ need different names.
#[derive(Debug, Clone, PartialEq)]
pub enum HalfSpaceSurface {
    /// A surface with places of a reduced body.
    Places(String),
    /// A shape of a rigid body, in source coordinates.
    Of {
        /// Name, for messages.
        name: String,
        /// The shape.
        shape: Shape,
        /// Its elastic material; none for a rigid surface.
        half_space: Option<HalfSpace>,
        /// True of a whole body: flat faces that meet at small angles may be edges far from the contact.
        has_edges: bool,
    },
}

impl HalfSpaceSurface {
    fn name(&self) -> &str {
        match self {
            Self::Places(name) | Self::Of { name, .. } => name,
        }
    }
}

/// Two surfaces that may touch.
#[derive(Debug, Clone)]
pub struct HalfSpaceSpec {
    /// Indices of the bodies.
    pub bodies: [usize; 2],
    /// Their surfaces.
    pub surfaces: [HalfSpaceSurface; 2],
    /// Normal law.
    pub law: Law,
    /// Coefficient of friction μ; 0 for none.
    pub friction: f64,
}

/// Why a contact on a half-space grid cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum HalfSpaceSetupError {
    /// The pair names a body that does not exist.
    #[error("contact {pair} is between bodies {bodies:?}, but there are {count}")]
    NoSuchBody {
        /// Index of the pair.
        pair: usize,
        /// The bodies that it names.
        bodies: [usize; 2],
        /// Number of bodies.
        count: usize,
    },
    /// The model of the body has no places of that name.
    #[error(
        "the model of body `{body}` has no places `{surface}`, which `compliance = \"half-space\"` needs; \
         its places are {known}: reduce it with `reduce.places = [\"{surface}\"]` (--places {surface})"
    )]
    NoPlaces {
        /// Name of the body.
        body: String,
        /// The name of the surface.
        surface: String,
        /// Names of its places.
        known: String,
    },
    /// Two surfaces of a body have the same name.
    #[error(
        "two different surfaces of body `{body}` have the name `{surface}`: give each of them a name of its \
         own"
    )]
    SameName {
        /// Name of the body.
        body: String,
        /// The name of the surfaces.
        surface: String,
    },
    /// A shape of a reduced body.
    #[error("body `{body}` is reduced: a contact on a half-space grid needs one of its surfaces with places")]
    NotRigid {
        /// Name of the body.
        body: String,
    },
    /// Nothing is elastic.
    #[error(
        "contact between `{first}` and `{second}`: neither body has an elastic material, so that the dent \
         is unknown: give one of them a material"
    )]
    Rigid {
        /// Name of the first body.
        first: String,
        /// Name of the second body.
        second: String,
    },
    /// A shape that a grid cannot lie on.
    #[error(
        "contact between `{first}` and `{second}`: a grid lies between two surfaces of which one is a ball \
         or has faces, and none is the inside of a ball or a block with edges"
    )]
    Shapes {
        /// Name of the first surface.
        first: String,
        /// Name of the second surface.
        second: String,
    },
    /// The law is not one of pressure cells.
    #[error("contact between `{first}` and `{second}`: the law {law:?} is not one of pressure cells")]
    Law {
        /// Name of the first surface.
        first: String,
        /// Name of the second surface.
        second: String,
        /// The law.
        law: Law,
    },
    /// A coefficient of friction that is negative or not finite.
    #[error(
        "contact between `{first}` and `{second}`: the coefficient of friction is {friction}; it must be \
         finite and at least 0"
    )]
    Friction {
        /// Name of the first surface.
        first: String,
        /// Name of the second surface.
        second: String,
        /// The coefficient.
        friction: f64,
    },
    /// The places do not fit.
    #[error("places `{surface}` of body `{body}`: {source}")]
    Compliance {
        /// Name of the body.
        body: String,
        /// The name of the surface.
        surface: String,
        /// The problem.
        source: ComplianceError,
    },
    /// Flat faces approximate a curved surface.
    #[error(
        "contact surface `{surface}` of body `{body}`: its faces are flat and meet at {angle:.2}°: they \
         approximate a curved surface, on which a contact is neither flat nor sharp; use cells of the \
         second order, or NURBS"
    )]
    Facets {
        /// Name of the body.
        body: String,
        /// The name of the surface.
        surface: String,
        /// Angle between two normals in degrees.
        angle: f64,
    },
    /// The faces cannot be evaluated.
    #[error("places `{surface}` of body `{body}`: {source}")]
    Surface {
        /// Name of the body.
        body: String,
        /// The name of the surface.
        surface: String,
        /// The problem.
        source: carom_fem::SurfaceError,
    },
}

/// All pairs.
pub(super) fn build(bodies: &[Body], specs: &[HalfSpaceSpec]) -> Result<Vec<Pair>, HalfSpaceSetupError> {
    let mut made = Made::new();
    specs.iter().enumerate().map(|(number, spec)| pair(bodies, (number, spec), &mut made)).collect()
}

/// Surfaces by the index of the body and their name: a body of many pairs has each of them once.
type Made<'a> = BTreeMap<(usize, &'a str), (&'a HalfSpaceSurface, Arc<Side>)>;

fn pair<'a>(
    bodies: &[Body],
    (number, spec): (usize, &'a HalfSpaceSpec),
    made: &mut Made<'a>,
) -> Result<Pair, HalfSpaceSetupError> {
    let [a, b] = spec.bodies;
    if a.max(b) >= bodies.len() {
        let (bodies, count) = (spec.bodies, bodies.len());
        return Err(HalfSpaceSetupError::NoSuchBody { pair: number, bodies, count });
    }
    let mut side = |end: usize| {
        let (index, surface) = (spec.bodies[end], &spec.surfaces[end]);
        let body = &bodies[index];
        let (first, side) = match made.entry((index, surface.name())) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => entry.insert((surface, Arc::new(side(body, index, surface)?))),
        };
        if *first != surface {
            let (body, surface) = (body.name.clone(), surface.name().to_owned());
            return Err(HalfSpaceSetupError::SameName { body, surface });
        }
        Ok(Arc::clone(side))
    };
    let sides = [side(0)?, side(1)?];
    let [first, second] = sides.each_ref().map(|side| side.name.clone());
    let has_samples = |side: &Side| matches!(side.shape, Shape::Faces(_) | Shape::Sphere(_));
    let is_known = |side: &Side| has_samples(side) || matches!(side.shape, Shape::Planes(_));
    if !sides.iter().any(|side| has_samples(side)) || !sides.iter().all(|side| is_known(side)) {
        return Err(HalfSpaceSetupError::Shapes { first, second });
    }
    let inverse: f64 =
        sides.iter().filter_map(|side| side.under.half_space()).map(|h| 1.0 / h.contact_modulus()).sum();
    if inverse == 0.0 {
        return Err(HalfSpaceSetupError::Rigid { first, second });
    }
    let law = spec.law.with_modulus(1.0 / inverse);
    if !law.is_of_cells() {
        return Err(HalfSpaceSetupError::Law { first, second, law });
    }
    let friction = spec.friction;
    if !(friction >= 0.0 && friction.is_finite()) {
        return Err(HalfSpaceSetupError::Friction { first, second, friction });
    }
    let free = spec.bodies.iter().map(|&i| &bodies[i]).filter(|body| !body.fixed);
    let mass = 1.0 / free.map(|body| 1.0 / body.frame.mass).sum::<f64>();
    Ok(Pair::new(sides, (law, friction), 1.0 / inverse, mass))
}

fn side(body: &Body, index: usize, surface: &HalfSpaceSurface) -> Result<Side, HalfSpaceSetupError> {
    match surface {
        HalfSpaceSurface::Of { name, shape, half_space, has_edges } => {
            if body.reduced.is_some() {
                return Err(HalfSpaceSetupError::NotRigid { body: body.name.clone() });
            }
            let shape = shape.moved(|x| x - body.frame_origin, |v| *v);
            let under = half_space.map_or(Under::Rigid, Under::HalfSpace);
            let angle = shape.as_faces().filter(|_| !has_edges).and_then(smooth_angle);
            if let Some(angle) = angle.map(f64::to_degrees) {
                return Err(HalfSpaceSetupError::Facets {
                    body: body.name.clone(),
                    surface: name.clone(),
                    angle,
                });
            }
            let faces = MeshFaces::of(&shape);
            let name = format!("{}:{name}", body.name);
            let hull = Hull::of(&shape, false);
            Ok(Side {
                body: index,
                curvature: largest_curvature(&shape, &hull),
                hull,
                name,
                shape,
                under,
                values: None,
                foreshortening: None,
                mesh: None,
                shear_speed: 0.0,
                faces,
                omega: Vec::new(),
                mode_errors: Vec::new(),
                cutoff: 0.0,
            })
        }
        HalfSpaceSurface::Places(name) => {
            let all = body.reduced.as_ref().map_or(&[][..], |reduced| &reduced.places);
            let Some(places) = all.iter().find(|places| places.name == *name) else {
                let known: Vec<_> = all.iter().map(|places| format!("`{}`", places.name)).collect();
                return Err(HalfSpaceSetupError::NoPlaces {
                    body: body.name.clone(),
                    surface: name.clone(),
                    known: if known.is_empty() { "none".to_owned() } else { known.join(", ") },
                });
            };
            placed_side(body, index, places)
        }
    }
}

fn placed_side(body: &Body, index: usize, places: &PlacedSurface) -> Result<Side, HalfSpaceSetupError> {
    let (of, name) = (|| body.name.clone(), || places.name.clone());
    let points: Vec<_> = places.points_b.iter().map(|&x| Vector3::from(x)).collect();
    let shape = Shape::faces(places.surface.clone(), &points)
        .map_err(|source| HalfSpaceSetupError::Surface { body: of(), surface: name(), source })?;
    let faces = MeshFaces::of(&shape);
    let kernel = if places.zero_moment { Kernel::ZeroMoment } else { Kernel::Quadratic };
    let loads = Loads { kernel, radius: places.radius, spacing: places.spacing };
    let half_space = HalfSpace::new(places.young, places.poisson);
    let vectors = |list: &[[f64; 3]]| list.iter().map(|&x| Vector3::from(x)).collect();
    let n = body.frame.n.min(places.values.ncols());
    let values = places.values.subcols(0, n).to_owned();
    let basis = body.reduced.as_ref().and_then(|reduced| Some(reduced.stiffening.as_ref()?.basis.clone()));
    let foreshortening = basis
        .zip(places.foreshortening.as_ref())
        .map(|(basis, values)| Foreshortening::new(Arc::new(basis), values.clone()));
    let response = without_kept(body, &places.response, &values);
    let placed =
        PlacedBody::new(loads, half_space, vectors(&places.places_b), vectors(&places.normals_b), response)
            .map_err(|source| HalfSpaceSetupError::Compliance { body: of(), surface: name(), source })?;
    let matrix = |m: &[[f64; 3]; 3]| Matrix3::from_fn(|a, b| m[a][b]);
    let cut = |pair: &carom_reduce::places::CutPair| {
        let means = CutMeans { second: matrix(&pair.second), first: Vector3::from(pair.first) };
        (pair.loads[0], pair.loads[1], means)
    };
    let seconds = places.cut_loads.iter().map(|(load, second)| (*load, matrix(second)));
    let mut placed = placed.with_cuts(places.cuts.iter().map(cut).collect(), seconds);
    let of_modes = body.reduced.as_ref().map_or(&[][..], |reduced| &reduced.mode_errors);
    let mode_errors = of_modes[..n.min(of_modes.len())].to_vec();
    if let Some(errors) = &places.mesh_errors {
        placed.mesh_errors = without_modes(body, places, (&values, &mode_errors), errors);
    }
    let hull = Hull::of(&shape, n > 0);
    Ok(Side {
        body: index,
        curvature: largest_curvature(&shape, &hull),
        hull,
        name: format!("{}:{}", body.name, places.name),
        shape,
        under: Under::Places(Box::new(placed)),
        values: Some(values),
        foreshortening,
        mesh: Some(MeshBelow { edge: places.edge, thickness: places.thickness, radius: places.radius }),
        shear_speed: shear_speed(body, places),
        faces,
        omega: body.reduced.as_ref().map_or(&[][..], |reduced| &reduced.omega)[..n].to_vec(),
        mode_errors,
        cutoff: cutoff(body),
    })
}

/// Errors by the mesh of the displacement of places under their normal loads, without those of the modes that
/// move: ε_j n_jᵀ A_jj n_j − Σ_k ε_k (n_j · φ_jk)²/ω_k², at least 0 \[m/N\].
///
/// * `modes` — those that move at the loads of the places, and their ε
/// * `errors` — ε of the places
fn without_modes(
    body: &Body,
    places: &PlacedSurface,
    (values, of_modes): (&Mat<f64>, &[f64]),
    errors: &[f64],
) -> Vec<f64> {
    let omega = body.reduced.as_ref().map_or(&[][..], |reduced| &reduced.omega);
    let of_place = |(j, (error, normal)): (usize, (&f64, &[f64; 3]))| {
        let own: f64 = (0..9)
            .map(|i| normal[i / 3] * places.response[(3 * j + i / 3, 3 * j + i % 3)] * normal[i % 3])
            .sum();
        let of_mode = |k: usize| {
            let moved: f64 = (0..3).map(|a| normal[a] * values[(3 * j + a, k)]).sum();
            of_modes.get(k).unwrap_or(&0.0) * (moved / omega[k]).powi(2)
        };
        (error * own - (0..values.ncols()).map(of_mode).sum::<f64>()).max(0.0)
    };
    errors.iter().zip(&places.normals_b).enumerate().map(of_place).collect()
}

/// See [`Side::cutoff`].
fn cutoff(body: &Body) -> f64 {
    let omega = body.reduced.as_ref().map_or(&[][..], |reduced| &reduced.omega);
    omega.get(body.frame.n.saturating_sub(1)).copied().unwrap_or(0.0)
}

/// Speed of shear waves in the material below places \[m/s\].
fn shear_speed(body: &Body, places: &PlacedSurface) -> f64 {
    let materials = body.reduced.iter().flat_map(|reduced| &reduced.materials);
    // The modulus of the places has passed through that of shear.
    let is_near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * b.abs();
    let mut same = materials.filter(|m| is_near(m.young, places.young) && is_near(m.poisson, places.poisson));
    let density = same.next().map_or(f64::NAN, |material| material.density);
    (HalfSpace::new(places.young, places.poisson).shear / density).sqrt()
}

/// A − Φ K⁻¹ Φᵀ over the modes that move.
///
/// The response of these modes alone is that of the body with fewer freedoms: the difference is positive
/// semi-definite.
fn without_kept(body: &Body, response: &Mat<f64>, values: &Mat<f64>) -> Mat<f64> {
    let n = values.ncols();
    if n == 0 {
        return response.clone();
    }
    let stiffness = body.frame.stiffness_modal.dense();
    let stiffness = Mat::from_fn(n, n, |i, k| stiffness[(i, k)]);
    let answer = stiffness.partial_piv_lu().solve(values.transpose());
    let rest = response - values * answer;
    Mat::from_fn(rest.nrows(), rest.ncols(), |i, k| 0.5 * (rest[(i, k)] + rest[(k, i)]))
}
