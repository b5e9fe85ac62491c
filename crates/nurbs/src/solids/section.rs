//! Rod, tube and torus: a plane section of rational patches, extruded or rotated around an axis.

use super::{SolidError, from_homogeneous, inner_radius, named, positive, sides, whole};
use crate::{Multipatch, Patch, PatchError, Region, Side};

/// Half diagonal of the square in the middle of a disc, as a part of its radius.
const CORE: f64 = 0.5;

/// cos 45°, the weight in the middle of a quarter circle.
const S: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// One plane patch: degrees and homogeneous control points (w a, w b, w), the first direction fastest.
struct Section {
    degrees: [usize; 2],
    points: Vec<[f64; 3]>,
}

/// A quarter circle of radius 1 around +b, from (−s, s) to (s, s), homogeneous.
const ARC: [[f64; 3]; 3] = [[-S, S, 1.0], [0.0, 1.0, S], [S, S, 1.0]];

/// Rotates a plane point by k right angles.
fn turned([a, b, w]: [f64; 3], k: usize) -> [f64; 3] {
    [[a, b, w], [-b, a, w], [-a, -b, w], [b, -a, w]][k % 4]
}

/// A disc: a square, then four sectors around +b, −a, −b, +a whose `north` lies on the circle.
fn disc(radius: f64) -> Vec<Section> {
    let half = CORE * radius * S;
    let at = |i: usize| half * (i as f64 - 1.0);
    let square = (0..9).map(|m| [at(m % 3), at(m / 3), 1.0]).collect();
    let mut sections = vec![Section { degrees: [2, 2], points: square }];
    for k in 0..4 {
        let points = (0..6).map(|m| match (m % 3, m / 3) {
            (i, 0) => turned([at(i), half, 1.0], k),
            (i, _) => turned([radius * ARC[i][0], radius * ARC[i][1], ARC[i][2]], k),
        });
        sections.push(Section { degrees: [2, 1], points: points.collect() });
    }
    sections
}

/// A ring: four sectors around +b, −a, −b, +a; `south` lies on the inner circle, `north` on the outer one.
fn ring(inner: f64, outer: f64) -> Vec<Section> {
    let sector = |k| {
        let points = (0..6).map(|m| {
            let [a, b, w] = ARC[m % 3];
            let radius = if m < 3 { inner } else { outer };
            turned([radius * a, radius * b, w], k)
        });
        Section { degrees: [2, 1], points: points.collect() }
    };
    (0..4).map(sector).collect()
}

/// The sections in the plane y = a, z = b, moved from x = 0 to x = L: w runs along x.
fn extruded(sections: &[Section], length: f64) -> Result<Vec<Patch>, PatchError> {
    let patch = |section: &Section| {
        let ends = [0.0, length].into_iter();
        let points = ends.flat_map(|x| section.points.iter().map(move |&[a, b, w]| [w * x, a, b, w]));
        from_homogeneous([section.degrees[0], section.degrees[1], 1], points)
    };
    sections.iter().map(patch).collect()
}

/// A cylinder along +x from 0 to L, five patches of degree (2, 2, 1) and (2, 1, 1) with w along x.
///
/// Patch 0 is a square prism around the axis, then four reach to the surface towards +z, −y, −z, +y, whose
/// `north` lies on it.
///
/// Regions: `start` (x = 0), `end` (x = L), `side`; `start_pole` and `end_pole`, the parts of `start` and
/// `end` within `pole_radius` of the axis (a tenth of the radius by default).
///
/// # Errors
///
/// [`SolidError::Size`] if a size is not positive.
pub fn rod(radius: f64, length: f64, pole_radius: Option<f64>) -> Result<Multipatch, SolidError> {
    positive("rod", "radius", radius)?;
    positive("rod", "length", length)?;
    let pole_radius = pole_radius.unwrap_or(0.1 * radius);
    positive("rod", "pole radius", pole_radius)?;
    let patches = extruded(&disc(radius), length)?;
    let (start, end) = (sides(0..5, Side::Bottom), sides(0..5, Side::Top));
    let near = |sides: &Vec<(u32, Side)>, x| Region {
        sides: sides.clone(),
        near: vec![([x, 0.0, 0.0], pole_radius)],
    };
    let regions = vec![
        ("start_pole", near(&start, 0.0)),
        ("end_pole", near(&end, length)),
        ("start", whole(start)),
        ("end", whole(end)),
        ("side", whole(sides(1..5, Side::North))),
    ];
    named(patches, regions)
}

/// A hollow cylinder along +x from 0 to L, four patches of degree (2, 1, 1) towards +z, −y, −z, +y with w
/// along x.
///
/// Regions: `start` (x = 0), `end` (x = L), `outer`, `inner`.
///
/// # Errors
///
/// [`SolidError::Size`] if a size is not positive or the inner radius not the smaller.
pub fn tube(radius: f64, inner: f64, length: f64) -> Result<Multipatch, SolidError> {
    positive("tube", "radius", radius)?;
    inner_radius("tube", inner, radius)?;
    positive("tube", "length", length)?;
    let patches = extruded(&ring(inner, radius), length)?;
    let regions = vec![
        ("start", whole(sides(0..4, Side::Bottom))),
        ("end", whole(sides(0..4, Side::Top))),
        ("outer", whole(sides(0..4, Side::North))),
        ("inner", whole(sides(0..4, Side::South))),
    ];
    named(patches, regions)
}

/// A ring of circular section around the z axis: twenty patches, the five of a disc of radius r turned
/// through four quarters of a circle of radius R; w runs around the axis.
///
/// Region: `surface`.
///
/// # Errors
///
/// [`SolidError::Size`] unless 0 < r < R.
pub fn torus(radius: f64, tube_radius: f64) -> Result<Multipatch, SolidError> {
    positive("torus", "radius", radius)?;
    if !(tube_radius > 0.0 && tube_radius < radius) {
        let valid = format!("above 0 and below the radius of the ring {radius}");
        return Err(SolidError::Size {
            solid: "torus",
            what: "radius of the tube",
            value: tube_radius,
            valid,
        });
    }
    let quarter = [[1.0, 0.0, 1.0], [S, S, S], [0.0, 1.0, 1.0]];
    let mut patches = Vec::with_capacity(20);
    for k in 0..4 {
        for section in disc(tube_radius) {
            // The section lies in the plane y = 0 with a along z and b outward, so that u × v = z × x = y
            // runs along w.
            let around = quarter.into_iter().map(|point| turned(point, k));
            let points = around.flat_map(|[c, s, turn]| {
                section.points.iter().map(move |&[a, b, w]| {
                    let outward = w * radius + b;
                    [outward * c, outward * s, a * turn, w * turn]
                })
            });
            patches.push(from_homogeneous(
                [section.degrees[0], section.degrees[1], 2],
                points.collect::<Vec<_>>(),
            )?);
        }
    }
    let surface = (0..20).filter(|patch| patch % 5 != 0);
    named(patches, vec![("surface", whole(sides(surface, Side::North)))])
}
