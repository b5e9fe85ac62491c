//! Closest point on one face by subdivision of its Bezier form: slow, but certain to find it.

use nalgebra::Vector3;

use super::Domain;
use super::bezier::{BezierKind, Homogeneous, MAX_POINTS};
use super::faces::enclose;
use super::jet;
use crate::broad::distance_squared;

/// Largest number of pieces examined before the best point so far is returned.
const MAX_PIECES: usize = 4000;
/// Pieces are halved until they have this size in ξ; Newton's method then converges. Boxes enclose tilted
/// pieces loosely, so that the number of remaining pieces of size δ grows like 1/δ.
const SMALLEST: f64 = 0.01;
/// Depth of nested halvings of both directions: 2⁻⁷ < [`SMALLEST`], with one more piece on the stack for
/// each.
const MAX_STACK: usize = 32;

/// A piece of the square \[0,1\]² in ξ: lower corner, size, and a lower bound of the squared distance.
#[derive(Clone, Copy)]
struct Piece {
    low: [f64; 2],
    size: [f64; 2],
    bound: f64,
}

/// Parameters near the closest point to `x`, starting from the bound `distance_squared` at `xi`.
///
/// Pieces are divided by de Casteljau's algorithm and discarded by the boxes around their control points; the
/// nearer half comes first. A triangle is divided as a rectangle under the map ξ₁ = s (1 − t), ξ₂ = t.
pub(super) fn closest(
    kind: BezierKind,
    q: &[Homogeneous],
    x: &Vector3<f64>,
    xi: [f64; 2],
    distance_squared: f64,
) -> [f64; 2] {
    let (degrees, net) = as_rectangle(kind, q);
    let net = &net[..(degrees[0] + 1) * (degrees[1] + 1)];
    let mut best = (distance_squared, xi);
    let mut stack = [Piece { low: [0.0; 2], size: [1.0; 2], bound: 0.0 }; MAX_STACK];
    let mut depth = 1;
    for _ in 0..MAX_PIECES {
        if depth == 0 {
            break;
        }
        depth -= 1;
        let piece = stack[depth];
        let [s, t] = [0, 1].map(|a: usize| piece.low[a] + 0.5 * piece.size[a]);
        let center = if kind.domain() == Domain::Triangle { [s * (1.0 - t), t] } else { [s, t] };
        let d = (x - jet::position(kind, q, center)).norm_squared();
        if d < best.0 {
            best = (d, center);
        }
        if piece.size[0].max(piece.size[1]) < SMALLEST || piece.bound >= best.0 {
            continue;
        }
        let a = usize::from(piece.size[1] > piece.size[0]);
        let (mut low, mut high) = (piece, piece);
        low.size[a] *= 0.5;
        high.size[a] *= 0.5;
        high.low[a] += low.size[a];
        low.bound = lower_bound(degrees, net, low, x);
        high.bound = lower_bound(degrees, net, high, x);
        for half in if low.bound < high.bound { [high, low] } else { [low, high] } {
            if half.bound < best.0 && depth < MAX_STACK {
                stack[depth] = half;
                depth += 1;
            }
        }
    }
    best.1
}

/// The face as a Bezier rectangle; a triangle has its corner 2 as collapsed edge t = 1.
fn as_rectangle(kind: BezierKind, q: &[Homogeneous]) -> ([usize; 2], [Homogeneous; MAX_POINTS]) {
    let mut net = [[0.0; 4]; MAX_POINTS];
    let degrees = match kind {
        BezierKind::Rectangle(degrees) => {
            net[..q.len()].copy_from_slice(q);
            degrees
        }
        BezierKind::Triangle1 => {
            net[..4].copy_from_slice(&[q[0], q[1], q[2], q[2]]);
            [1, 1]
        }
        BezierKind::Triangle2 => {
            let middle = [0, 1, 2, 3].map(|d: usize| 0.5 * (q[5][d] + q[4][d]));
            net[..9].copy_from_slice(&[q[0], q[3], q[1], q[5], middle, q[4], q[2], q[2], q[2]]);
            [2, 2]
        }
    };
    (degrees, net)
}

/// A lower bound of the squared distance of `x` from a piece of a Bezier rectangle.
fn lower_bound([p1, p2]: [usize; 2], net: &[Homogeneous], piece: Piece, x: &Vector3<f64>) -> f64 {
    let mut part = [[0.0; 4]; MAX_POINTS];
    part[..net.len()].copy_from_slice(net);
    for j in 0..=p2 {
        cut(&mut part, j * (p1 + 1), 1, p1, piece.low[0], piece.size[0]);
    }
    for i in 0..=p1 {
        cut(&mut part, i, p1 + 1, p2, piece.low[1], piece.size[1]);
    }
    distance_squared(&enclose(&part[..net.len()]), x)
}

/// Control points of a curve restricted to \[low, low + size\], in place, by de Casteljau's algorithm.
fn cut(q: &mut [Homogeneous], start: usize, stride: usize, p: usize, low: f64, size: f64) {
    // A loop over the components: closures of array maps are calls.
    let mix = |q: &mut [Homogeneous], a: usize, b: usize, t: f64, into: usize| {
        let (first, second) = (q[a], q[b]);
        for (d, x) in q[into].iter_mut().enumerate() {
            *x = (1.0 - t) * first[d] + t * second[d];
        }
    };
    let at = |i: usize| start + i * stride;
    // Keep [0, high], then [low/high, 1] of it.
    let high = low + size;
    for level in 1..=p {
        for i in (level..=p).rev() {
            mix(q, at(i - 1), at(i), high, at(i));
        }
    }
    let t = if high > 0.0 { low / high } else { 0.0 };
    for level in 1..=p {
        for i in 0..=p - level {
            mix(q, at(i), at(i + 1), t, at(i));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_cut_curve_reproduce_the_curve() {
        let q: Vec<Homogeneous> =
            vec![[0.0, 0.0, 0.0, 1.0], [1.0, 2.0, 0.0, 0.7], [2.0, -1.0, 1.0, 1.3], [3.0, 0.0, 0.0, 1.0]];
        let mut part = q.clone();
        cut(&mut part, 0, 1, 3, 0.3, 0.45);
        let extend = |q: &[Homogeneous]| [q, q].concat();
        let kind = BezierKind::Rectangle([3, 1]);
        for t in [0.0, 0.2, 0.9, 1.0] {
            let on_part = jet::position(kind, &extend(&part), [t, 0.4]);
            let on_whole = jet::position(kind, &extend(&q), [0.3 + 0.45 * t, 0.4]);
            assert!((on_part - on_whole).norm() < 1e-14);
        }
    }

    #[test]
    fn subdivision_alone_approaches_the_closest_point() {
        for (surface, positions) in crate::test_surfaces::one_of_each() {
            let face = &surface.faces[0];
            let kind = BezierKind::of(&face.basis);
            let mut q = vec![[0.0; 4]; kind.n_points()];
            crate::geometry::bezier::from_points(&surface, face, &positions, &mut q);
            for x in [Vector3::new(0.3, 0.2, 2.0), Vector3::new(-1.0, 0.5, -0.7)] {
                let xi = closest(kind, &q, &x, kind.domain().center(), f64::INFINITY);
                let found = (x - jet::position(kind, &q, xi)).norm();
                let brute = (0..=300)
                    .flat_map(|i| (0..=300).map(move |j| [f64::from(i) / 300.0, f64::from(j) / 300.0]))
                    .map(|xi| (x - jet::position(kind, &q, kind.domain().clamp(xi))).norm())
                    .fold(f64::INFINITY, f64::min);
                // The centre of a piece of size 0.01 of a face of size 1.
                assert!(found < brute + 1e-2, "{kind:?}: {found} against {brute}");
            }
        }
    }
}
