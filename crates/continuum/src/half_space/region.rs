//! The part of a body's surface that may touch, and the loads that its mesh resolves there.

use carom_contact::Shape;
use carom_contact::geometry::Faces;
use carom_contact::half_space::facets::{mean_edge, middles, smooth_angle};
use carom_contact::half_space::places::{Region, places_over};
use carom_contact::half_space::{Kernel, Loads};
use carom_contact::pressure::PressureCells;
use carom_fem::{Body, Discretisation, FaceBasis, Surface};
use carom_mesh::{FaceRef, FaceShape};
use nalgebra::Vector3;

use super::model::{LARGEST_RADIUS, MOST_PLACES, PlacedModelError};
use super::{PlaceSpec, PlacesError, Touching, half_space_of};

/// Reach of the weights beyond the region that may touch, in distances of places.
pub(super) const REACH: f64 = 2.6;

/// Thickness in edges of the faces below which the loads are those without second moment, twice as dense.
const THIN: f64 = 2.0;

/// r₀ in edges: of faces of the second degree and of knot spans, of bilinear and of linear faces
/// (docs/theory/half-space.md, section 11.7).
const RADII: [f64; 3] = [1.5, 2.0, 3.0];

/// Distance from the surface of a point that was computed, in diameters of the body.
const BESIDE: f64 = 0.01;

/// Least cosine between a normal and the opposite one of the far side of a body.
const OPPOSITE: f64 = 0.5;

/// A region of the surface that may touch.
pub(crate) struct TouchRegion {
    /// The faces on which loads are laid.
    pub(crate) faces: Vec<FaceRef>,
    /// The faces that may touch, over points of the body.
    pub(super) surface: Surface,
    /// Positions of the points of the surface \[m\].
    pub(super) points: Vec<Vector3<f64>>,
    /// Its middle \[m\].
    pub(super) center: Vector3<f64>,
    /// Elastic constants below it.
    pub(super) young: f64,
    pub(super) poisson: f64,
    /// Largest distance of loaded points from the middle \[m\].
    radius: f64,
    /// The loaded faces.
    shape: Shape,
    /// Points and normals of the whole surface in the middles of its faces.
    whole: Vec<(Vector3<f64>, Vector3<f64>)>,
    /// Diameter of the body \[m\].
    size: f64,
}

/// Loads for a region.
pub(crate) struct Loading {
    pub(crate) loads: Loads,
    /// Mean edge of the faces \[m\].
    pub(crate) edge: f64,
    /// Thickness of the body below the region \[m\].
    pub(crate) thickness: f64,
    /// Distance from the middle within which places lie \[m\].
    pub(crate) reach: f64,
}

impl TouchRegion {
    pub(crate) fn new(
        body: &Body,
        discretisation: &Discretisation,
        spec: &PlaceSpec,
    ) -> Result<Self, PlacedModelError> {
        let of_points = |surface: &Surface| -> Vec<Vector3<f64>> {
            surface.points.iter().map(|&k| Vector3::from(discretisation.points[k as usize])).collect()
        };
        let broken = |source| PlacedModelError::Surface { body: body.name.clone(), source };
        let all = body.boundary_faces();
        let outside = discretisation.surface(&all);
        let outer = of_points(&outside);
        let outside = Faces::new(outside, &outer).map_err(broken)?;
        let faces = match spec {
            PlaceSpec::Set(name) => body.faces_of_set(name)?,
            PlaceSpec::Ball { touching: Touching::Set(name), center, radius, .. } => {
                let faces = body.faces_of_set(name)?;
                let surface = discretisation.surface(&faces);
                let points = of_points(&surface);
                let surface = Faces::new(surface, &points).map_err(broken)?;
                near(&surface, &Vector3::from(*center), *radius, true).map(|face| faces[face]).collect()
            }
            PlaceSpec::Ball { touching, center, radius, .. } => {
                let always = *touching == Touching::Whole;
                near(&outside, &Vector3::from(*center), *radius, always).map(|face| all[face]).collect()
            }
        };
        let half_space = match faces.is_empty() {
            false => half_space_of((body, discretisation), &faces)?,
            true => {
                let reach = match spec {
                    PlaceSpec::Ball { radius, .. } => *radius,
                    PlaceSpec::Set(_) => f64::INFINITY,
                };
                return Err(PlacesError::NoFaces { body: body.name.clone(), reach }.into());
            }
        };
        let touching = match spec {
            PlaceSpec::Ball { touching: Touching::Set(name), .. } => body.faces_of_set(name)?,
            PlaceSpec::Ball { touching: Touching::Whole, .. } => all.clone(),
            _ => faces.clone(),
        };
        let loaded = discretisation.surface(&faces);
        let loaded_points = of_points(&loaded);
        let surface = discretisation.surface(&touching);
        let points = of_points(&surface);
        let center = match spec {
            PlaceSpec::Ball { center, .. } => Vector3::from(*center),
            PlaceSpec::Set(_) => loaded_points.iter().sum::<Vector3<f64>>() / loaded_points.len() as f64,
        };
        let radius = match spec {
            PlaceSpec::Ball { radius, .. } => *radius,
            PlaceSpec::Set(_) => loaded_points.iter().map(|x| (x - center).norm()).fold(0.0, f64::max),
        };
        let shape = Shape::faces(loaded, &loaded_points).map_err(broken)?;
        let size = outer.iter().map(|x| 2.0 * (x - center).norm()).fold(0.0, f64::max);
        let young = half_space.shear * 2.0 * (1.0 + half_space.poisson);
        let whole = middles(&outside);
        Ok(Self {
            faces,
            surface,
            points,
            center,
            young,
            poisson: half_space.poisson,
            radius,
            shape,
            whole,
            size,
        })
    }

    /// Refuses flat faces that approximate a curved surface.
    ///
    /// * `name` — of body and region
    pub(crate) fn refuse_facets(&self, (body, places): &(String, String)) -> Result<(), PlacedModelError> {
        let faces = self.shape.as_faces().expect("the shape was made of faces");
        match smooth_angle(faces) {
            Some(angle) => Err(PlacedModelError::Facets {
                body: body.clone(),
                places: places.clone(),
                angle: angle.to_degrees(),
            }),
            None => Ok(()),
        }
    }

    /// The region within a distance of its middle \[m\].
    pub(crate) fn within(&self, reach: f64) -> Region {
        Region { center: self.center, reach }
    }

    /// Mean edge of the loaded faces \[m\].
    pub(crate) fn edge(&self) -> f64 {
        mean_edge(self.shape.as_faces().expect("the shape was made of faces"))
    }

    /// Loads that the mesh resolves.
    ///
    /// * `name` — of body and region
    pub(crate) fn loading(&self, name: &(String, String)) -> Result<Loading, PlacedModelError> {
        let faces = self.shape.as_faces().expect("the shape was made of faces");
        let areas = PressureCells::new(faces, &faces.reference).area;
        let edge = self.edge();
        let thickness = self.thickness(edge);
        let degree = faces.surface.faces.iter().map(|face| radius_of(&face.basis)).fold(0.0, f64::max);
        self.refuse_facets(name)?;
        let is_thin = thickness < THIN * edge;
        let (kernel, radius) =
            if is_thin { (Kernel::ZeroMoment, RADII[0] * edge) } else { (Kernel::Quadratic, degree * edge) };
        let spacing = if is_thin { 0.5 * radius } else { radius };
        let (body, places) = name.clone();
        let curvature = 1.0 / self.shape.convex_curvatures()[1];
        if radius > LARGEST_RADIUS * curvature {
            return Err(PlacedModelError::Curved { body, places, radius, edge, curvature });
        }
        let reach = self.radius + REACH * spacing;
        // Places are as dense as hexagons of 0.85 to 1.2 spacings.
        let found = (areas.iter().sum::<f64>() / (0.8 * spacing * spacing)) as usize;
        if found > MOST_PLACES {
            return Err(PlacedModelError::Many { body, places, found });
        }
        Ok(Loading { loads: Loads { kernel, radius, spacing }, edge, thickness, reach })
    }

    /// Least distance to the opposite side of the body below about ten points of the region; the diameter of
    /// the body where there is none \[m\].
    fn thickness(&self, edge: f64) -> f64 {
        let faces = self.shape.as_faces().expect("the shape was made of faces");
        let spacing = (0.6 * self.radius).max(edge);
        let mut least = self.size;
        for (x, n) in places_over(faces, Region { center: self.center, reach: f64::INFINITY }, spacing) {
            for (y, m) in self.whole.iter().filter(|(_, m)| m.dot(&n) < -OPPOSITE) {
                let apart = y - x;
                let depth = -apart.dot(&n);
                if depth > 0.0 && (apart + depth * n).norm() < edge {
                    // Along the normal of the far side, which is exact for a plane there.
                    least = f64::min(least, (apart.dot(m) / n.dot(m).abs()).abs());
                }
            }
        }
        least
    }
}

/// Numbers of the faces that come nearer to a point than a radius at one of their samples, and of the face
/// nearest to it.
///
/// * `always` — true for a point that was computed, and may lie a little off
fn near(faces: &Faces, center: &Vector3<f64>, radius: f64, always: bool) -> impl Iterator<Item = usize> {
    const PARTS: usize = 8;
    let mut now = faces.state_at_rest();
    let size = faces.reference.iter().map(|x| (x - center).norm()).fold(0.0, f64::max);
    let within = if always { radius.max(BESIDE * size) } else { radius };
    let nearest = faces.closest(&mut now, center).filter(|foot| foot.gap.abs() <= within);
    let mut is_near = |face: usize| {
        let domain = faces.domain(face as u32);
        let samples = (0..(PARTS + 1) * (PARTS + 1)).map(|m| [m % (PARTS + 1), m / (PARTS + 1)]);
        let xi = samples.map(|ij| domain.clamp(ij.map(|k| k as f64 / PARTS as f64)));
        let mut at = |xi| (faces.position(&mut now, face as u32, xi) - center).norm() <= radius;
        xi.into_iter().any(&mut at) || nearest.is_some_and(|foot| foot.face as usize == face)
    };
    let found: Vec<usize> = (0..faces.n_faces()).filter(|&face| is_near(face)).collect();
    found.into_iter()
}

/// r₀ in edges of a face.
fn radius_of(basis: &FaceBasis) -> f64 {
    match basis {
        FaceBasis::Lagrange(FaceShape::Tri3) => RADII[2],
        FaceBasis::Lagrange(FaceShape::Quad4) => RADII[1],
        _ => RADII[0],
    }
}
