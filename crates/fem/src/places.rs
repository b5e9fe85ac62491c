//! Where sets lie, and which sets lie at a point of the surface.

use std::collections::BTreeMap;

use carom_mesh::FaceRef;

use crate::face::{integrate_faces, load_points};
use crate::{Body, Discretisation, Surface};

/// Distance from the closest point, as a part of the extent of the body, within which other faces lie at the
/// same point: those that share an edge.
const SAME_PLACE: f64 = 1e-6;

/// Number of faces whose closest points are computed after sampling.
const N_STARTS: usize = 64;

/// Samples of a face along each direction.
const N_SAMPLES: usize = 5;

/// Smallest step of the parameters in the search of a closest point.
const SMALLEST_STEP: f64 = 1e-10;

/// The faces of a set as a whole.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SetPlace {
    /// A = ∫ dA \[m²\].
    pub area: f64,
    /// ∫ x dA / A \[m\].
    pub center: [f64; 3],
    /// ∫ n dA / A, n out of the body: a unit vector for flat faces, zero for a closed surface.
    pub normal: [f64; 3],
}

/// Area, centre and mean normal of each set with faces; those of sets of nodes and cells are the faces of the
/// surface that they contain.
pub fn set_places(body: &Body, discretisation: &Discretisation) -> BTreeMap<String, SetPlace> {
    let mut places = BTreeMap::new();
    for name in body.set_names() {
        let Ok(faces) = body.faces_of_set(&name) else { continue };
        let (mut area, mut center, mut normal) = (0.0, [0.0; 3], [0.0; 3]);
        integrate_faces(discretisation, &faces, load_points, |_, vector, position| {
            let weight = vector.iter().map(|x| x * x).sum::<f64>().sqrt();
            area += weight;
            for d in 0..3 {
                center[d] += weight * position[d];
                normal[d] += vector[d];
            }
        });
        if area > 0.0 {
            let mean = |sum: [f64; 3]| sum.map(|x| x / area);
            places.insert(name, SetPlace { area, center: mean(center), normal: mean(normal) });
        }
    }
    places
}

/// The point of the surface that is closest to a given point.
#[derive(Debug, Clone, PartialEq)]
pub struct SurfacePoint {
    /// The point of the surface \[m\].
    pub point: [f64; 3],
    /// Its distance from the given point \[m\].
    pub distance: f64,
    /// Unit normal there, out of the body; that of one of the faces at an edge.
    pub normal: [f64; 3],
    /// Names of the sets with a face there, ascending; at an edge those of all its faces.
    pub sets: Vec<String>,
}

/// The closest point of the surface, and the sets there. `None` if the body has no faces (beams alone).
pub fn surface_at(body: &Body, discretisation: &Discretisation, target: [f64; 3]) -> Option<SurfacePoint> {
    let faces = body.boundary_faces();
    let surface = discretisation.surface(&faces);
    let positions: Vec<[f64; 3]> =
        surface.points.iter().map(|&point| discretisation.points[point as usize]).collect();
    let found = closest_of_surface(&surface, &positions, target);
    let &(distance, face, xi) = found.first()?;
    let point = surface.position(face, xi, &positions);
    // Faces at the same distance may lie elsewhere: the sides of a box around its middle.
    let same = SAME_PLACE * extent(&positions);
    let is_here = |&&(_, face, xi): &&(f64, usize, [f64; 2])| {
        self::distance(surface.position(face, xi, &positions), point) <= same
    };
    let here: Vec<&(f64, usize, [f64; 2])> = found.iter().filter(is_here).collect();
    let normal = here.iter().find_map(|(_, face, xi)| normal_of(&surface, *face, *xi, &positions))?;
    let here: Vec<FaceRef> = here.iter().map(|f| faces[f.1]).collect();
    let has_face = |name: &String| {
        body.faces_of_set(name).is_ok_and(|set| here.iter().any(|face| set.binary_search(face).is_ok()))
    };
    let sets = body.set_names().into_iter().filter(has_face).collect();
    Some(SurfacePoint { point, distance, normal, sets })
}

/// The closest points of the nearest faces: distance \[m\], face and parameters, in the order of distances.
///
/// Faces are sampled; the closest ones are searched by steps of their parameters that are halved.
pub(crate) fn closest_of_surface(
    surface: &Surface,
    positions: &[[f64; 3]],
    target: [f64; 3],
) -> Vec<(f64, usize, [f64; 2])> {
    let mut starts: Vec<(f64, usize, [f64; 2])> =
        (0..surface.faces.len()).map(|face| best_sample(surface, face, positions, target)).collect();
    starts.sort_by(|a, b| a.0.total_cmp(&b.0));
    starts.truncate(N_STARTS);
    let mut found: Vec<(f64, usize, [f64; 2])> =
        starts.into_iter().map(|start| descend(surface, start, positions, target)).collect();
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    found
}

/// Unit normal of a face, out of the body; `None` at a degenerate point.
fn normal_of(surface: &Surface, face: usize, xi: [f64; 2], positions: &[[f64; 3]]) -> Option<[f64; 3]> {
    let (_, [a, b]) = surface.tangents(face, xi, positions);
    let normal = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    let length = normal.iter().map(|x| x * x).sum::<f64>().sqrt();
    (length > 0.0).then(|| normal.map(|x| surface.faces[face].orientation * x / length))
}

/// The sample of a face with the smallest distance: distance, face, parameters.
fn best_sample(
    surface: &Surface,
    face: usize,
    positions: &[[f64; 3]],
    target: [f64; 3],
) -> (f64, usize, [f64; 2]) {
    let last = (N_SAMPLES - 1) as f64;
    let samples = (0..N_SAMPLES * N_SAMPLES)
        .map(|k| [(k % N_SAMPLES) as f64 / last, (k / N_SAMPLES) as f64 / last])
        .filter(|xi| !surface.faces[face].basis.is_triangle() || xi[0] + xi[1] <= 1.0);
    let distances = samples.map(|xi| (distance(surface.position(face, xi, positions), target), face, xi));
    distances.min_by(|a, b| a.0.total_cmp(&b.0)).expect("a face has samples")
}

/// Steps along the parameters and their diagonals while the distance falls; then half steps.
fn descend(
    surface: &Surface,
    start: (f64, usize, [f64; 2]),
    positions: &[[f64; 3]],
    target: [f64; 3],
) -> (f64, usize, [f64; 2]) {
    const DIRECTIONS: [[f64; 2]; 8] = [
        [1.0, 0.0],
        [-1.0, 0.0],
        [0.0, 1.0],
        [0.0, -1.0],
        [1.0, -1.0],
        [-1.0, 1.0],
        [1.0, 1.0],
        [-1.0, -1.0],
    ];
    let (mut best, face, mut xi) = start;
    let is_triangle = surface.faces[face].basis.is_triangle();
    let mut step = 0.5 / (N_SAMPLES - 1) as f64;
    while step > SMALLEST_STEP {
        let tries = DIRECTIONS.map(|direction| {
            let [mut u, mut v] = [0, 1].map(|d| (xi[d] + step * direction[d]).clamp(0.0, 1.0));
            if is_triangle && u + v > 1.0 {
                let beyond = 0.5 * (u + v - 1.0);
                (u, v) = ((u - beyond).clamp(0.0, 1.0), (v - beyond).clamp(0.0, 1.0));
            }
            (distance(surface.position(face, [u, v], positions), target), [u, v])
        });
        let next = tries.into_iter().min_by(|a, b| a.0.total_cmp(&b.0)).expect("there are eight");
        if next.0 < best {
            (best, xi) = next;
        } else {
            step *= 0.5;
        }
    }
    (best, face, xi)
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|d| (a[d] - b[d]).powi(2)).sum::<f64>().sqrt()
}

/// Diagonal of the box around some points.
fn extent(points: &[[f64; 3]]) -> f64 {
    let ends = |pick: fn(f64, f64) -> f64, start: f64| {
        points.iter().fold([start; 3], |end, x| [0, 1, 2].map(|d| pick(end[d], x[d])))
    };
    distance(ends(f64::min, f64::INFINITY), ends(f64::max, f64::NEG_INFINITY))
}
