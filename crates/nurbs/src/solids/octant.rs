//! An eighth of a ball as one patch with a collapsed side.

use super::{SolidError, from_homogeneous, named, positive, whole};
use crate::{Multipatch, Region, Side};

/// cos 45°, the weight in the middle of a quarter circle.
const S: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// A quarter circle of radius 1 from (1, 0), homogeneous.
const QUARTER: [[f64; 3]; 3] = [[1.0, 0.0, 1.0], [S, S, S], [0.0, 1.0, 1.0]];

/// The eighth of a ball around the origin in which x, y, z ≥ 0: one patch of degree (2, 2, 1), w along the
/// radius.
///
/// ```text
/// x = w sin β,   y = w cos β cos α,   z = w cos β sin α,   α along u, β along v
/// ```
///
/// The map is degenerate: `bottom` is the centre, `north` the radius along +x, and det J vanishes on both and
/// nowhere else. The axes +y and +z are regular: a contact at the pole is not disturbed.
///
/// Regions: `surface` (on the sphere); `x0`, `y0`, `z0` (the planes x = 0, y = 0, z = 0); `pole`, the part of
/// `surface` within `pole_radius` of (0, 0, R) (a tenth of the radius by default).
///
/// # Errors
///
/// [`SolidError::Size`] if a radius is not positive.
pub fn octant(radius: f64, pole_radius: Option<f64>) -> Result<Multipatch, SolidError> {
    positive("octant", "radius", radius)?;
    let pole_radius = pole_radius.unwrap_or(0.1 * radius);
    positive("octant", "pole radius", pole_radius)?;
    let points = (0..18).map(|m| {
        let ([cos_a, sin_a, w_a], [cos_b, sin_b, w_b]) = (QUARTER[m % 3], QUARTER[m / 3 % 3]);
        let r = if m < 9 { 0.0 } else { radius };
        // The quarter circles hold w cos and w sin.
        [r * sin_b * w_a, r * cos_b * cos_a, r * cos_b * sin_a, w_a * w_b]
    });
    let patch = from_homogeneous([2, 2, 1], points)?;
    let side = |side| whole(vec![(0, side)]);
    let pole = Region { sides: vec![(0, Side::Top)], near: vec![([0.0, 0.0, radius], pole_radius)] };
    let regions = vec![
        ("surface", side(Side::Top)),
        ("x0", side(Side::South)),
        ("y0", side(Side::East)),
        ("z0", side(Side::West)),
        ("pole", pole),
    ];
    named(vec![patch], regions)
}
