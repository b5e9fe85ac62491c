//! A material point of a body: the points of the body that move it, and their weights.
//!
//! ```text
//! x = Σ R_i(ξ) P_i ,   u(x) = Σ R_i(ξ) u_i
//! ```
//!
//! ξ are the parameters of x in the cell that contains it, by Newton's method.

use std::collections::BTreeMap;

use carom_mesh::{CellRef, CellShape};
use nalgebra::{Matrix3, Vector3};

use crate::evaluator::CellEvaluator;
use crate::places::closest_of_surface;
use crate::surface::MAX_FACE_POINTS;
use crate::{Body, Cells, Discretisation};

/// Part of the size of a cell by which the box around its points is enlarged: quadratic cells bulge.
const MARGIN: f64 = 0.5;

/// Distance in the parameters of a cell by which a point may lie outside of it: rounding.
const OUTSIDE: f64 = 1e-9;

/// Residual of Newton's method, over the size of the cell, below which it has found the point.
const FOUND: f64 = 1e-12;

/// Largest number of steps of Newton's method.
const STEPS: usize = 40;

/// Damping of its steps, relative to the square of the Jacobian: collapsed cells have singular points.
const DAMPING: f64 = 1e-14;

/// Parameters beyond which it ends.
const FAR: f64 = 8.0;

/// Starts of Newton's method in the unit cube, in addition to the middle.
const STARTS: [f64; 2] = [0.2, 0.8];

/// A point of a body.
#[derive(Debug, Clone, PartialEq)]
pub struct MaterialPoint {
    /// Its position \[m\].
    pub position: [f64; 3],
    /// Its distance from the wanted position, 0 inside of the body \[m\].
    pub distance: f64,
    /// Points of the body, each once, ascending, and the values of their functions, whose sum is 1.
    pub weights: Vec<(u32, f64)>,
}

/// The material point at a position, or the nearest one of the surface if it lies outside. `None` if the body
/// has no cells.
///
/// * `discretisation` — that of the body
pub fn material_point(
    body: &Body,
    discretisation: &Discretisation,
    position: [f64; 3],
) -> Option<MaterialPoint> {
    inside(discretisation, position)
        .or_else(|| on_surface(body, discretisation, position))
        .or_else(|| on_beams(discretisation, position))
}

/// The point in the first solid cell that contains it.
fn inside(discretisation: &Discretisation, position: [f64; 3]) -> Option<MaterialPoint> {
    let target = Vector3::from(position);
    let mut evaluator = CellEvaluator::new(discretisation);
    for (number, block) in discretisation.blocks.iter().enumerate() {
        let shape = match &block.cells {
            Cells::Lagrange { shape, .. } if !shape.is_solid() => continue,
            Cells::Lagrange { shape, .. } => Some(*shape),
            Cells::Spline(_) => None,
        };
        for cell in 0..block.n_cells() {
            evaluator.enter(CellRef { block: number as u32, cell: cell as u32 });
            let Some(size) = size_if_near(discretisation, &evaluator, &target) else { continue };
            if starts(shape).into_iter().any(|xi| newton(&mut evaluator, shape, xi, (&target, size))) {
                let weights = evaluator.ids().iter().copied().zip(evaluator.values().iter().copied());
                let weights = merged(discretisation, weights);
                return Some(MaterialPoint { position, distance: 0.0, weights });
            }
        }
    }
    None
}

/// Size of the cell that the evaluator has entered, if the point lies in the enlarged box around its points.
fn size_if_near(
    discretisation: &Discretisation,
    evaluator: &CellEvaluator<'_>,
    target: &Vector3<f64>,
) -> Option<f64> {
    let (mut low, mut high) = (Vector3::repeat(f64::INFINITY), Vector3::repeat(f64::NEG_INFINITY));
    for &id in evaluator.ids() {
        let point = Vector3::from(discretisation.value(id, &discretisation.points));
        (low, high) = (low.inf(&point), high.sup(&point));
    }
    let margin = MARGIN * (high - low).max();
    let is_near = (0..3).all(|d| low[d] - margin <= target[d] && target[d] <= high[d] + margin);
    is_near.then(|| (high - low).norm())
}

/// Parameters at which Newton's method starts: the middle of the cell, then places around it.
fn starts(shape: Option<CellShape>) -> [[f64; 3]; 9] {
    let mapped = |s: [f64; 3]| shape.map_or(s, |shape| (shape.table().collapse)(s).0);
    let around = |k: usize| mapped([0, 1, 2].map(|d| STARTS[(k >> d) & 1]));
    let middle = shape.map_or([0.5; 3], |shape| shape.table().center);
    std::array::from_fn(|k| if k == 0 { middle } else { around(k - 1) })
}

/// Looks for the parameters of a point; true if they are in the cell. The evaluator is then there.
fn newton(
    evaluator: &mut CellEvaluator<'_>,
    shape: Option<CellShape>,
    start: [f64; 3],
    (target, size): (&Vector3<f64>, f64),
) -> bool {
    let mut xi = Vector3::from(start);
    for _ in 0..STEPS {
        let point = evaluator.at(xi.into());
        let residual = Vector3::from(point.position) - target;
        if residual.norm() <= FOUND * size {
            return is_in_cell(shape, &xi);
        }
        let jacobian = Matrix3::from_fn(|a, d| point.jacobian[a][d]);
        let normal = jacobian.transpose() * jacobian;
        let damped = normal + Matrix3::identity() * (DAMPING * normal.trace());
        let Some(inverse) = damped.try_inverse() else { return false };
        let step = inverse * (jacobian.transpose() * residual);
        xi -= step / step.norm().max(1.0);
        // Cells continue their polynomials outside, but far away there is nothing to find.
        let is_near = xi.norm() < FAR;
        if !is_near {
            return false;
        }
    }
    false
}

/// True if parameters are those of a point of the reference cell, which is convex with flat faces.
fn is_in_cell(shape: Option<CellShape>, xi: &Vector3<f64>) -> bool {
    // A knot span is a cube.
    let table = shape.unwrap_or(CellShape::Hex8).table();
    table.faces.iter().all(|face| {
        let [a, b, c] = [0, 1, 2].map(|k| Vector3::from(table.nodes[usize::from(face.nodes[k])]));
        let outward = (b - a).cross(&(c - a));
        outward.dot(&(xi - a)) <= OUTSIDE * outward.norm()
    })
}

/// The nearest point of the surface of solids or shells.
fn on_surface(body: &Body, discretisation: &Discretisation, position: [f64; 3]) -> Option<MaterialPoint> {
    let surface = discretisation.surface(&body.boundary_faces());
    let at = |&point: &u32| discretisation.points[point as usize];
    let positions: Vec<[f64; 3]> = surface.points.iter().map(at).collect();
    let &(distance, face, xi) = closest_of_surface(&surface, &positions, position).first()?;
    let (mut r, mut r_a, mut r_ab) =
        ([0.0; MAX_FACE_POINTS], [[0.0; 2]; MAX_FACE_POINTS], [[0.0; 3]; MAX_FACE_POINTS]);
    surface.shape_into(face, xi, &mut r, &mut r_a, &mut r_ab);
    let points = surface.faces[face].points.iter().map(|&local| surface.points[local as usize]);
    let weights = merged(discretisation, points.zip(r));
    Some(MaterialPoint { position: surface.position(face, xi, &positions), distance, weights })
}

/// The nearest point of the axes of beams.
fn on_beams(discretisation: &Discretisation, position: [f64; 3]) -> Option<MaterialPoint> {
    let target = Vector3::from(position);
    let lines = discretisation.blocks.iter().filter_map(|block| match &block.cells {
        Cells::Lagrange { shape: CellShape::Line2, connectivity } => Some(connectivity.as_chunks::<2>().0),
        _ => None,
    });
    let nearest = |&ends: &[u32; 2]| {
        let [a, b] = ends.map(|point| Vector3::from(discretisation.points[point as usize]));
        let along = b - a;
        let s = (along.dot(&(target - a)) / along.norm_squared()).clamp(0.0, 1.0);
        (a + s * along, ends, s)
    };
    let (position, [a, b], s) = lines
        .flatten()
        .map(nearest)
        .min_by(|a, b| (a.0 - target).norm_squared().total_cmp(&(b.0 - target).norm_squared()))?;
    let weights = merged(discretisation, [(a, 1.0 - s), (b, s)].into_iter());
    Some(MaterialPoint { position: position.into(), distance: (position - target).norm(), weights })
}

/// Weights over the points of the body, each once, ascending; those of hanging points are distributed.
fn merged(discretisation: &Discretisation, weights: impl Iterator<Item = (u32, f64)>) -> Vec<(u32, f64)> {
    let mut all: BTreeMap<u32, f64> = BTreeMap::new();
    for (id, weight) in weights.filter(|(_, weight)| *weight != 0.0) {
        match (id as usize).checked_sub(discretisation.n_points()) {
            None => *all.entry(id).or_default() += weight,
            Some(hanging) => {
                for &(point, factor) in &discretisation.hanging[hanging] {
                    *all.entry(point).or_default() += factor * weight;
                }
            }
        }
    }
    all.into_iter().collect()
}
