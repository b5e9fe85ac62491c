//! Boxes and plates: one patch of degree 1.

use super::{SolidError, from_homogeneous, named, positive, whole};
use crate::{Multipatch, Region, Side};

/// A box from the origin to (A, B, C), one patch of degree 1 with u, v, w along x, y, z.
///
/// Regions: `west` (x = 0), `east`, `south` (y = 0), `north`, `bottom` (z = 0), `top`.
///
/// # Errors
///
/// [`SolidError::Size`] if an edge is not positive.
pub fn block(size: [f64; 3]) -> Result<Multipatch, SolidError> {
    for (what, value) in ["length", "width", "height"].into_iter().zip(size) {
        positive("box", what, value)?;
    }
    box_between([0.0; 3], size)
}

/// A plate of length A, width B and thickness C around the origin, one patch of degree 1 with u, v, w along
/// x, y, z.
///
/// Regions: `top` and `bottom` (z = ±C/2), `edge` (the other four), `west`, `east`, `south`, `north`; `pole`,
/// the part of `top` within `pole_radius` of its middle (a tenth of the shorter edge by default).
///
/// # Errors
///
/// [`SolidError::Size`] if an edge or the radius is not positive.
pub fn plate(size: [f64; 3], pole_radius: Option<f64>) -> Result<Multipatch, SolidError> {
    for (what, value) in ["length", "width", "thickness"].into_iter().zip(size) {
        positive("plate", what, value)?;
    }
    let pole_radius = pole_radius.unwrap_or(0.1 * size[0].min(size[1]));
    positive("plate", "pole radius", pole_radius)?;
    let half = size.map(|length| 0.5 * length);
    let mut body = box_between(half.map(|x| -x), half)?;
    let edge = Side::ALL[..4].iter().map(|&side| (0, side)).collect();
    body.regions.insert("edge".to_owned(), whole(edge));
    let pole = Region { sides: vec![(0, Side::Top)], near: vec![([0.0, 0.0, half[2]], pole_radius)] };
    body.regions.insert("pole".to_owned(), pole);
    Ok(body)
}

fn box_between(low: [f64; 3], high: [f64; 3]) -> Result<Multipatch, SolidError> {
    let ends = [low, high];
    let corners = (0..8).map(|m: usize| [ends[m & 1][0], ends[m >> 1 & 1][1], ends[m >> 2][2], 1.0]);
    let patch = from_homogeneous([1; 3], corners)?;
    named(vec![patch], Side::ALL.map(|side| (side.name(), whole(vec![(0, side)]))).to_vec())
}
