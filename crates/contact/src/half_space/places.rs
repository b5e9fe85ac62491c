//! Places over a region of a surface: points of the surface with their normals, about one spacing apart.

use carom_fem::Surface;
use nalgebra::Vector3;

use crate::geometry::{Domain, Faces};

/// Least distance of two places, in spacings: a spacing of dense rows is then met on the mean.
const LEAST_DISTANCE: f64 = 0.85;

/// Candidates per spacing along an edge of a face.
const CANDIDATES: f64 = 5.0;

/// Most candidates along an edge of a face.
const MOST_CANDIDATES: usize = 64;

/// Least cosine between the normals of places that keep their distance: those around an edge do not count.
const SAME_SIDE: f64 = 0.5;

/// Distance of the samples of faces that may touch, in spacings of places.
const SAMPLING: f64 = 0.5;

/// Cosine between the normals of a place and of a sample below which no contact near the sample has weight
/// there: weights end at ½, and the normal turns on the way to the sample.
const LEAST_FACING: f64 = 0.3;

/// A place with the outward normal there.
pub type Place = (Vector3<f64>, Vector3<f64>);

/// A region of a surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Region {
    /// Middle \[m\].
    pub center: Vector3<f64>,
    /// Distance from the middle within which places lie \[m\]; infinite for the whole surface.
    pub reach: f64,
}

/// Places about `spacing` apart, from the middle of the region outwards.
///
/// Candidates on all faces are taken in the order of their distance from the middle, unless a place is nearer
/// than 0.85 spacings; so the same surface gives the same places. The point of the surface nearest to the
/// middle is the first place.
pub fn places_over(faces: &Faces, region: Region, spacing: f64) -> Vec<Place> {
    let mut now = faces.state_at_rest();
    let mut candidates: Vec<(f64, Place)> = Vec::new();
    if let Some(foot) = faces.closest(&mut now, &region.center) {
        let place = on_face(&faces.surface, &faces.reference, foot.face as usize, foot.xi);
        candidates.push((-1.0, place));
    }
    for face in 0..faces.n_faces() {
        let domain = faces.domain(face as u32);
        let n = domain.n_corners();
        let corner = |k: usize| on_face(&faces.surface, &faces.reference, face, domain.corner(k)).0;
        let longest = (0..n).map(|k| (corner(k + 1) - corner(k)).norm()).fold(0.0, f64::max);
        let nearest = (0..n).map(|k| (corner(k) - region.center).norm()).fold(f64::INFINITY, f64::min);
        if nearest > region.reach + 2.0 * longest {
            continue;
        }
        let parts = ((CANDIDATES * longest / spacing).ceil() as usize).clamp(1, MOST_CANDIDATES);
        for (i, j) in (0..parts * parts).map(|m| (m % parts, m / parts)) {
            let xi = [i, j].map(|k| (k as f64 + 0.5) / parts as f64);
            // On a triangle the parameters beyond its third edge are left out.
            if domain == Domain::Triangle && i + j >= parts {
                continue;
            }
            let xi = if domain == Domain::Triangle { xi.map(|x| x - 1.0 / (6.0 * parts as f64)) } else { xi };
            let place = on_face(&faces.surface, &faces.reference, face, xi);
            let distance = (place.0 - region.center).norm();
            if distance <= region.reach {
                candidates.push((distance, place));
            }
        }
    }
    // A stable sort: equal distances keep the order of the faces.
    candidates.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut places: Vec<Place> = Vec::new();
    for (_, (x, n)) in candidates {
        let is_near = |(y, m): &Place| (x - y).norm() < LEAST_DISTANCE * spacing && n.dot(m) > SAME_SIDE;
        if !places.iter().any(is_near) {
            places.push((x, n));
        }
    }
    places
}

/// Places from which a contact on some faces can have weight: within `reach` of a point of them, with a
/// normal like that of the faces there. Others are loads that no contact uses, as on the far side of a
/// tooth.
///
/// * `spacing` — distance between the places \[m\]
pub fn places_for(touching: &Faces, places: Vec<Place>, reach: f64, spacing: f64) -> Vec<Place> {
    let all = Region { center: touching.reference[0], reach: f64::INFINITY };
    let samples = places_over(touching, all, SAMPLING * spacing);
    // Samples are a little farther from each other than their spacing.
    let within = reach + 1.5 * SAMPLING * spacing;
    let is_used = |(x, n): &Place| {
        let sees = |(y, m): &Place| (x - y).norm() <= within && n.dot(m) > LEAST_FACING;
        samples.iter().any(sees)
    };
    places.into_iter().filter(is_used).collect()
}

/// A point of a face and the outward normal there.
fn on_face(surface: &Surface, positions: &[Vector3<f64>], face: usize, xi: [f64; 2]) -> Place {
    let points = &surface.faces[face].points;
    let n = points.len();
    let (mut values, mut first, mut second) = (vec![0.0; n], vec![[0.0; 2]; n], vec![[0.0; 3]; n]);
    surface.shape_into(face, xi, &mut values, &mut first, &mut second);
    let (mut x, mut tangents) = (Vector3::zeros(), [Vector3::zeros(); 2]);
    for (i, &k) in points.iter().enumerate() {
        let position = positions[k as usize];
        x += values[i] * position;
        (0..2).for_each(|a| tangents[a] += first[i][a] * position);
    }
    let area = surface.faces[face].orientation * tangents[0].cross(&tangents[1]);
    (x, area.try_normalize(0.0).unwrap_or_else(Vector3::zeros))
}

#[cfg(test)]
mod tests {
    use carom_mesh::FaceShape;

    use super::*;
    use crate::half_space::weights::{Order, PlanePlaces};
    use crate::half_space::{Kernel, Loads};
    use crate::test_surfaces::{ball, plate};

    #[test]
    fn places_keep_their_distance_and_cover_the_region() {
        for shape in [FaceShape::Tri3, FaceShape::Tri6, FaceShape::Quad4, FaceShape::Quad9] {
            let (surface, positions) = plate(shape, 6, 5, |x, y| [x, y, 0.0]);
            let faces = Faces::new(surface, &positions).unwrap();
            let region = Region { center: Vector3::new(0.5, 0.5, 0.01), reach: 0.4 };
            let places = places_over(&faces, region, 0.1);
            let apart = |k: usize| {
                let others = places.iter().enumerate().filter(|(i, _)| *i != k);
                others.map(|(_, (x, _))| (x - places[k].0).norm()).fold(f64::INFINITY, f64::min)
            };
            assert!((0..places.len()).all(|k| (0.085..0.17).contains(&apart(k))), "{shape:?}");
            assert!((places[0].0 - Vector3::new(0.5, 0.5, 0.0)).norm() < 1e-9, "{shape:?}");
            assert!(places.iter().all(|(_, n)| (n - Vector3::z()).norm() < 1e-12));
            // Quadratic weights are possible all over the region but its rim.
            let loads = Loads { kernel: Kernel::Quadratic, radius: 0.1, spacing: 0.1 };
            let plane = PlanePlaces {
                coordinates: places.iter().map(|(x, _)| [x.x, x.y]).collect(),
                facing: vec![1.0; places.len()],
                seconds: vec![loads.second(); places.len()],
                loads,
            };
            for (x, y) in [(0.5, 0.5), (0.71, 0.5), (0.4, 0.33), (0.55, 0.72)] {
                assert_eq!(
                    plane.weights([x, y], [0.0; 2], Order::Quadratic).unwrap().fallback,
                    None,
                    "{shape:?}"
                );
            }
        }
    }

    #[test]
    fn the_whole_surface_of_a_ball_gets_places_with_its_normals() {
        let (surface, positions) = ball(1.0, 2);
        let faces = Faces::new(surface, &positions).unwrap();
        let region = Region { center: Vector3::z(), reach: f64::INFINITY };
        let places = places_over(&faces, region, 0.4);
        // 4π over the area of a hexagon of inner diameter s, (√3/2) s², with s from 0.85 to 1.2 spacings.
        let number = |s: f64| 16.0 * std::f64::consts::PI / 3f64.sqrt() / 2.0 / (s * s);
        let bounds = (number(1.2 * 0.4), number(0.85 * 0.4));
        assert!((bounds.0..bounds.1).contains(&(places.len() as f64)), "{} {bounds:?}", places.len());
        assert!(places.iter().all(|(x, n)| (x - n).norm() < 1e-9));
        assert_eq!(places, places_over(&faces, region, 0.4));
    }

    /// Of a block the places of the side that touches stay, and those around its edges that look along it.
    #[test]
    fn places_that_no_contact_uses_are_left_out() {
        let (surface, positions) = plate(FaceShape::Quad4, 4, 4, |x, y| [x, y, 0.0]);
        let top = Faces::new(surface, &positions).unwrap();
        let at = |x: f64, z: f64, n: Vector3<f64>| (Vector3::new(x, 0.5, z), n);
        let up = Vector3::z();
        let tilted = Vector3::new(1.0, 0.0, 2.0).normalize();
        let all = vec![
            at(0.5, 0.0, up),
            at(1.2, 0.0, up),
            at(1.5, 0.0, up),
            at(1.1, -0.1, tilted),
            at(0.5, -0.1, -up),
            at(1.0, -0.1, Vector3::x()),
        ];
        let kept = places_for(&top, all.clone(), 0.26, 0.1);
        assert_eq!(kept, [all[0], all[1], all[3]]);
    }
}
