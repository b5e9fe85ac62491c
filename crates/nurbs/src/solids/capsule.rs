//! A rod with spherical ends, one body: half balls on the section in which a plane through the centre cuts a
//! ball.

use super::ball::{Homogeneous, ball_patches};
use super::{SolidError, from_homogeneous, named, positive, sides, whole};
use crate::{Multipatch, Patch, Region, Side};

/// The patches of a ball that the plane x = 0 cuts, the inner cube first: number in the ball, the direction
/// that runs along x, whether it runs along +x.
const CUT: [(usize, usize, bool); 5] =
    [(0, 0, true), (5, 0, true), (4, 1, false), (6, 0, true), (3, 1, true)];

/// A rod along +x with spherical ends, from the tip (0, 0, 0) to the tip (L, 0, 0): seventeen patches.
///
/// A ball of seven patches is cut along the plane x = 0, in which all of its patches that reach over it are
/// symmetric: by one knot of multiplicity p in the middle. The section is a square and four sectors with arcs
/// of degree 4, and a prism over it is a cylinder, since its weights do not depend on x: all three parts have
/// the same points and weights where they meet.
///
/// Patches 0 to 4 are the prism (the square, then towards +z, −y, −z, +y) with the degree 1 along x; 5 to 9
/// the same at the start, 10 the rest of the cap there; 11 to 15 and 16 likewise at the end. The surface is
/// `top` of all but 0, 5 and 11.
///
/// Regions: `side` (the cylinder), `start` and `end` (the half spheres), `surface` (all of it); `start_pole`,
/// `end_pole`: the parts of `start` and `end` within `pole_radius` of the tips (a tenth of the radius by
/// default).
///
/// # Errors
///
/// [`SolidError::Size`] if the radius is not positive or the length not above 2R.
pub fn capsule(radius: f64, length: f64, pole_radius: Option<f64>) -> Result<Multipatch, SolidError> {
    positive("capsule", "radius", radius)?;
    if !(length > 2.0 * radius && length.is_finite()) {
        let valid = format!("from tip to tip, above twice the radius {radius}");
        return Err(SolidError::Size { solid: "capsule", what: "length", value: length, valid });
    }
    let pole_radius = pole_radius.unwrap_or(0.1 * radius);
    positive("capsule", "pole radius", pole_radius)?;
    let ball = ball_patches(radius, 1)?;
    let centres = [radius, length - radius];
    let (mut prism, mut start, mut end) = (Vec::new(), Vec::new(), Vec::new());
    for (number, direction, along) in CUT {
        let mut halves = ball[number].split(direction, 0.5)?;
        if !along {
            halves.reverse();
        }
        let [below, above] = halves;
        prism.push(prism_on(&below, direction, along, centres)?);
        start.push(moved(below, centres[0]));
        end.push(moved(above, centres[1]));
    }
    start.push(moved(ball[2].clone(), centres[0]));
    end.push(moved(ball[1].clone(), centres[1]));
    let patches = [prism, start, end].concat();
    let (side, start) = (sides(1..5, Side::Top), sides(6..11, Side::Top));
    let end = sides(12..17, Side::Top);
    let near = |sides: &Vec<(u32, Side)>, x| Region {
        sides: sides.clone(),
        near: vec![([x, 0.0, 0.0], pole_radius)],
    };
    let regions = vec![
        ("start_pole", near(&start, 0.0)),
        ("end_pole", near(&end, length)),
        ("surface", whole([side.clone(), start.clone(), end.clone()].concat())),
        ("side", whole(side)),
        ("start", whole(start)),
        ("end", whole(end)),
    ];
    named(patches, regions)
}

/// Spans of a direction of a patch of a capsule.
///
/// * `n` — along the axis of the cylinder, a quarter of the circumference, the radius outside of the inner
///   square
pub(super) fn wanted_spans(patch: usize, direction: usize, n: &[usize]) -> usize {
    // Patches 10 and 16 are whole ones of the ball.
    let cut = CUT.get(if patch < 5 { patch } else { (patch - 5) % 6 });
    match cut {
        Some(&(_, along, _)) if along == direction => {
            if patch < 5 {
                n[0]
            } else {
                n[1].div_ceil(2)
            }
        }
        Some((0, ..)) => n[1],
        _ if direction == 2 => n[2],
        _ => n[1],
    }
}

fn moved(mut patch: Patch, x: f64) -> Patch {
    patch.points.iter_mut().for_each(|point| point[0] += x);
    patch
}

/// The prism between two places x over the side of a patch in the plane x = 0, which is its end along +x.
fn prism_on(half: &Patch, direction: usize, along: bool, ends: [f64; 2]) -> Result<Patch, SolidError> {
    let mut degrees = half.degrees();
    degrees[direction] = 1;
    let counts = half.counts();
    let cut = if along { counts[direction] - 1 } else { 0 };
    let n = degrees.map(|p| p + 1);
    let points = (0..n[0] * n[1] * n[2]).map(|m| -> Homogeneous {
        let mut ijk = [m % n[0], m / n[0] % n[1], m / (n[0] * n[1])];
        let x = ends[usize::from((ijk[direction] == 1) == along)];
        ijk[direction] = cut;
        let index = half.index(ijk);
        let (w, [_, y, z]) = (half.weights[index], half.points[index]);
        [w * x, w * y, w * z, w]
    });
    Ok(from_homogeneous(degrees, points)?)
}
