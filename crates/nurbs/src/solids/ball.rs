//! Ball, ellipsoid and hollow sphere from six rational biquartic tiles of the sphere, regular everywhere.

use super::{SolidError, from_homogeneous, inner_radius, named, positive, sides, whole};
use crate::{Multipatch, Patch, Region, Side};

/// Half diagonal of the cube in the middle of a ball, as a part of its radius.
const CORE: f64 = 0.5;

/// Largest factor of the concentration of a ball at its pole: at 2.9 a weight at the other pole vanishes.
const MOST_FOCUS: f64 = 2.8;

/// A homogeneous point (w x, w y, w z, w).
pub(super) type Homogeneous = [f64; 4];

/// The six tiles as rotations of the one around +z: coordinate and sign for x, y, z.
///
/// The order is +x, −x, +y, −y, +z, −z; u × v points outward.
const TURNS: [[(usize, f64); 3]; 6] = [
    [(2, 1.0), (0, 1.0), (1, 1.0)],
    [(2, -1.0), (0, 1.0), (1, -1.0)],
    [(1, 1.0), (2, 1.0), (0, 1.0)],
    [(1, -1.0), (2, -1.0), (0, 1.0)],
    [(0, 1.0), (1, 1.0), (2, 1.0)],
    [(0, 1.0), (1, -1.0), (2, -1.0)],
];

/// A ball around the origin, seven patches of degree 4.
///
/// Patch 0 is a cube, then one lies between it and the sphere towards each of +x, −x, +y, −y, +z, −z, whose
/// `top` lies on the sphere.
///
/// Regions: `surface`; `pole`, the part of it within `pole_radius` of (0, 0, R) (a tenth of the radius by
/// default).
///
/// # Errors
///
/// [`SolidError::Size`] if a radius is not positive.
///
/// # Source
///
/// J. E. Cobb, *Tiling the sphere with rational Bézier patches*, University of Utah (1988).
pub fn ball(radius: f64, pole_radius: Option<f64>) -> Result<Multipatch, SolidError> {
    positive("ball", "radius", radius)?;
    let pole_radius = pole_radius.unwrap_or(0.1 * radius);
    positive("ball", "pole radius", pole_radius)?;
    let patches = ball_patches(radius, 4)?;
    let surface = sides(1..7, Side::Top);
    let pole = Region { sides: surface.clone(), near: vec![([0.0, 0.0, radius], pole_radius)] };
    named(patches, vec![("surface", whole(surface)), ("pole", pole)])
}

/// The seven patches of [`ball`] with a degree along the radius outside of the cube.
pub(super) fn ball_patches(radius: f64, radial: usize) -> Result<Vec<Patch>, SolidError> {
    let corner = CORE * radius / 3.0f64.sqrt();
    let at = |i: usize| corner * (i as f64 - 2.0) / 2.0;
    let grid = |n: usize| (0..n * n * n).map(move |m| [m % n, m / n % n, m / (n * n)]);
    let mut patches = vec![from_homogeneous([4; 3], grid(5).map(|[i, j, k]| [at(i), at(j), at(k), 1.0]))?];
    for turn in TURNS {
        let ruled = (0..50).map(|m| match (m % 5, m / 5 % 5, m / 25) {
            (i, j, 0) => turned([at(i), at(j), corner, 1.0], turn),
            (i, j, _) => scaled(turned(tile(i, j), turn), radius),
        });
        patches.push(from_homogeneous([4, 4, 1], ruled)?.elevate(2, radial - 1)?);
    }
    Ok(patches)
}

/// An ellipsoid around the origin with its axes along x, y, z: the patches of [`ball`], stretched.
///
/// * `semi_axes` — half lengths a, b, c along x, y, z
///
/// Regions: `surface`; `pole`, the part of it within `pole_radius` of (0, 0, c) (a tenth of the shortest
/// semi-axis by default).
///
/// # Errors
///
/// [`SolidError::Size`] if a length is not positive.
pub fn ellipsoid(semi_axes: [f64; 3], pole_radius: Option<f64>) -> Result<Multipatch, SolidError> {
    for (what, value) in
        ["semi-axis along x", "semi-axis along y", "semi-axis along z"].into_iter().zip(semi_axes)
    {
        positive("ellipsoid", what, value)?;
    }
    let shortest = semi_axes.into_iter().fold(f64::INFINITY, f64::min);
    let pole_radius = pole_radius.unwrap_or(0.1 * shortest);
    positive("ellipsoid", "pole radius", pole_radius)?;
    let mut patches = ball_patches(1.0, 4)?;
    for point in patches.iter_mut().flat_map(|patch| &mut patch.points) {
        *point = [0, 1, 2].map(|d| semi_axes[d] * point[d]);
    }
    let surface = sides(1..7, Side::Top);
    let pole = Region { sides: surface.clone(), near: vec![([0.0, 0.0, semi_axes[2]], pole_radius)] };
    named(patches, vec![("surface", whole(surface)), ("pole", pole)])
}

/// Concentrates the patches of a ball around the origin at its pole (0, 0, R) without changing the ball.
///
/// The Lorentz boost of the homogeneous control points with tanh η = β, e^η = `factor`,
///
/// ```text
/// w z' = cosh η w z + R sinh η w,   w' = (sinh η / R) w z + cosh η w
/// ```
///
/// is a projective map that keeps the quadric x² + y² + z² = R² w²: the surface stays exact and no degree
/// rises. Lengths along the surface shrink by `factor` at the pole, lengths across it by the square, and
/// grow by as much at the other pole. The patches are thereby graded, and a small contact needs fewer
/// knots, each of which runs through the whole ball.
///
/// # Errors
///
/// [`SolidError::Size`] if the factor is not in 1 to 2.8, beyond which weights would become negative.
pub fn focused(ball: &Multipatch, radius: f64, factor: f64) -> Result<Multipatch, SolidError> {
    if !(1.0..=MOST_FOCUS).contains(&factor) {
        let (solid, what, valid) = ("ball", "focus", format!("a factor of 1 to {MOST_FOCUS}"));
        return Err(SolidError::Size { solid, what, value: factor, valid });
    }
    let (cosh, sinh) = (0.5 * (factor + 1.0 / factor), 0.5 * (factor - 1.0 / factor));
    let mut focused = ball.clone();
    for patch in &mut focused.patches {
        let points = patch.points.iter().zip(&patch.weights).map(|(&[x, y, z], &w)| {
            let growth = cosh + sinh * z / radius;
            ([x / growth, y / growth, (cosh * z + sinh * radius) / growth], w * growth)
        });
        let (points, weights) = points.unzip();
        *patch = Patch::new(patch.basis.clone(), points, weights)?;
    }
    Ok(focused)
}

/// A hollow sphere around the origin, six patches of degree (4, 4, 1) towards +x, −x, +y, −y, +z, −z.
///
/// `bottom` lies inside, `top` outside.
///
/// Regions: `outer`, `inner`; `pole`, the part of `outer` within `pole_radius` of (0, 0, R) (a tenth of the
/// radius by default).
///
/// # Errors
///
/// [`SolidError::Size`] if a radius is not positive or the inner one not the smaller.
pub fn shell(radius: f64, inner: f64, pole_radius: Option<f64>) -> Result<Multipatch, SolidError> {
    positive("shell", "radius", radius)?;
    inner_radius("shell", inner, radius)?;
    let pole_radius = pole_radius.unwrap_or(0.1 * radius);
    positive("shell", "pole radius", pole_radius)?;
    let mut patches = Vec::with_capacity(6);
    for turn in TURNS {
        let ruled = (0..50).map(|m| {
            let size = if m < 25 { inner } else { radius };
            scaled(turned(tile(m % 5, m / 5 % 5), turn), size)
        });
        patches.push(from_homogeneous([4, 4, 1], ruled)?);
    }
    let outer = sides(0..6, Side::Top);
    let pole = Region { sides: outer.clone(), near: vec![([0.0, 0.0, radius], pole_radius)] };
    let inner = whole(sides(0..6, Side::Bottom));
    named(patches, vec![("outer", whole(outer)), ("inner", inner), ("pole", pole)])
}

/// Control point (i, j) of the tile of the unit sphere around +z, i along x, j along y; corner weights 1.
fn tile(i: usize, j: usize) -> Homogeneous {
    let (q, t) = (3.0f64.sqrt(), 2.0f64.sqrt());
    // One octant of the symmetric table, with x, y < 0 and i ≤ j; z > 0.
    let octant = |i: usize, j: usize| match (i, j) {
        (0, 0) => [4.0 * (1.0 - q), 4.0 * (1.0 - q), 4.0 * (q - 1.0), 4.0 * (3.0 - q)],
        (0, 1) => [t * (q - 4.0), -t, t * (4.0 - q), t * (3.0 * q - 2.0)],
        (0, _) => [4.0 * (1.0 - 2.0 * q) / 3.0, 0.0, 4.0 * (2.0 * q - 1.0) / 3.0, 4.0 * (5.0 - q) / 3.0],
        (1, 1) => [(2.0 - 3.0 * q) / 2.0, (2.0 - 3.0 * q) / 2.0, (q + 6.0) / 2.0, (q + 6.0) / 2.0],
        (1, _) => [t * (2.0 * q - 7.0) / 3.0, 0.0, 5.0 * 6.0f64.sqrt() / 3.0, t * (q + 6.0) / 3.0],
        _ => [0.0, 0.0, 4.0 * (5.0 - q) / 3.0, 4.0 * (5.0 * q - 1.0) / 9.0],
    };
    let (a, b) = (i.min(4 - i), j.min(4 - j));
    let [mut x, mut y, z, w] = octant(a.min(b), a.max(b));
    if a > b {
        (x, y) = (y, x);
    }
    let sign = |i: usize| if i > 2 { -1.0 } else { 1.0 };
    let corner_weight = 4.0 * (3.0 - q);
    [sign(i) * x, sign(j) * y, z, w].map(|c| c / corner_weight)
}

fn turned(point: Homogeneous, turn: [(usize, f64); 3]) -> Homogeneous {
    let [x, y, z] = turn.map(|(coordinate, sign)| sign * point[coordinate]);
    [x, y, z, point[3]]
}

fn scaled([x, y, z, w]: Homogeneous, factor: f64) -> Homogeneous {
    [factor * x, factor * y, factor * z, w]
}
