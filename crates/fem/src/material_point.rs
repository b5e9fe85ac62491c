//! A material point of a body: the points of the body that move it, and their weights.
//!
//! ```text
//! x = Σ R_i(ξ) P_i ,   u(x) = Σ R_i(ξ) u_i
//! ```
//!
//! ξ are the parameters of x in the cell that contains it, by Newton's method.

use std::collections::BTreeMap;

use carom_mesh::{CellRef, CellShape, lagrange};
use nalgebra::{Matrix3, Vector3};

use crate::evaluator::CellEvaluator;
use crate::face::FaceMap;
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
    /// The cell that contains it.
    pub cell: CellRef,
    /// Its parameters in the cell: of a shell those of its middle surface, of a beam the first one, from 0 to
    /// 1.
    pub xi: [f64; 3],
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
    inside(discretisation, position).or_else(|| {
        let both = [on_surface(body, discretisation, position), on_beams(discretisation, position)];
        both.into_iter().flatten().min_by(|a, b| a.distance.total_cmp(&b.distance))
    })
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
            let cell = CellRef { block: number as u32, cell: cell as u32 };
            evaluator.enter(cell);
            let Some(size) = size_if_near(discretisation, &evaluator, &target) else { continue };
            let found = starts(shape).into_iter().find_map(|start| {
                let xi = newton(&mut evaluator, start, (&target, size))?;
                is_in_cell(shape, &xi).then_some(xi)
            });
            if let Some(xi) = found {
                let weights = evaluator.ids().iter().copied().zip(evaluator.values().iter().copied());
                let weights = merged(discretisation, weights);
                return Some(MaterialPoint { position, distance: 0.0, weights, cell, xi: xi.into() });
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

/// The parameters of a point, which may lie outside of the cell. The evaluator is then there.
fn newton(
    evaluator: &mut CellEvaluator<'_>,
    start: [f64; 3],
    (target, size): (&Vector3<f64>, f64),
) -> Option<Vector3<f64>> {
    let mut xi = Vector3::from(start);
    for _ in 0..STEPS {
        let point = evaluator.at(xi.into());
        let residual = Vector3::from(point.position) - target;
        if residual.norm() <= FOUND * size {
            return Some(xi);
        }
        let jacobian = Matrix3::from_fn(|a, d| point.jacobian[a][d]);
        let normal = jacobian.transpose() * jacobian;
        let damped = normal + Matrix3::identity() * (DAMPING * normal.trace());
        let inverse = damped.try_inverse()?;
        let step = inverse * (jacobian.transpose() * residual);
        xi -= step / step.norm().max(1.0);
        // Cells continue their polynomials outside, but far away there is nothing to find.
        let is_near = xi.norm() < FAR;
        if !is_near {
            return None;
        }
    }
    None
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
    let faces = body.boundary_faces();
    let surface = discretisation.surface(&faces);
    let at = |&point: &u32| discretisation.points[point as usize];
    let positions: Vec<[f64; 3]> = surface.points.iter().map(at).collect();
    let &(distance, face, xi) = closest_of_surface(&surface, &positions, position).first()?;
    let (mut r, mut r_a, mut r_ab) =
        ([0.0; MAX_FACE_POINTS], [[0.0; 2]; MAX_FACE_POINTS], [[0.0; 3]; MAX_FACE_POINTS]);
    surface.shape_into(face, xi, &mut r, &mut r_a, &mut r_ab);
    let points = surface.faces[face].points.iter().map(|&local| surface.points[local as usize]);
    let weights = merged(discretisation, points.zip(r));
    let position = surface.position(face, xi, &positions);
    let (cell, number) = (faces[face].cell(), faces[face].face);
    let xi = on_face(discretisation, (cell, number), xi, &Vector3::from(position));
    Some(MaterialPoint { position, distance, weights, cell, xi })
}

/// Parameters in the cell of a point of one of its faces.
///
/// * `xi` — parameters of the face
fn on_face(
    discretisation: &Discretisation,
    (cell, face): (CellRef, u8),
    xi: [f64; 2],
    position: &Vector3<f64>,
) -> [f64; 3] {
    let block = &discretisation.blocks[cell.block as usize];
    let shape = match &block.cells {
        Cells::Lagrange { shape, .. } => Some(*shape),
        Cells::Spline(_) => None,
    };
    if shape.is_some_and(|shape| !shape.is_solid()) {
        return on_shell(discretisation, cell, position).unwrap_or([xi[0], xi[1], 0.0]);
    }
    // Parameters of a surface may be others than those of the face map: the point decides.
    let mut evaluator = CellEvaluator::new(discretisation);
    evaluator.enter(cell);
    let size = size_if_near(discretisation, &evaluator, position).unwrap_or(1.0);
    let map = FaceMap::new(block, face);
    let starts = std::iter::once(map.at(xi)).chain(starts(shape));
    let mut found = starts.filter_map(|start| newton(&mut evaluator, start, (position, size)));
    let inside = |xi: Vector3<f64>| xi.map(|x| x.clamp(0.0, 1.0)).into();
    found.next().map_or_else(|| map.at(xi), inside)
}

/// Parameters of a point of the middle surface of a shell.
fn on_shell(discretisation: &Discretisation, cell: CellRef, position: &Vector3<f64>) -> Option<[f64; 3]> {
    let Cells::Lagrange { shape, connectivity } = &discretisation.blocks[cell.block as usize].cells else {
        return None;
    };
    let n = shape.n_nodes();
    let nodes = &connectivity[n * cell.cell as usize..][..n];
    let (mut values, mut slopes) = (vec![0.0; n], vec![[0.0; 3]; n]);
    let mut xi = Vector3::from(shape.table().center);
    for _ in 0..STEPS {
        lagrange::values_into(*shape, xi.into(), &mut values);
        lagrange::gradients_into(*shape, xi.into(), &mut slopes);
        let at = |node: &u32| Vector3::from(discretisation.points[*node as usize]);
        let x: Vector3<f64> = nodes.iter().zip(&values).map(|(node, value)| *value * at(node)).sum();
        let [a, b] = [0, 1].map(|d| -> Vector3<f64> {
            nodes.iter().zip(&slopes).map(|(node, slope)| slope[d] * at(node)).sum()
        });
        let missing = position - x;
        let [aa, ab, bb] = [a.dot(&a), a.dot(&b), b.dot(&b)];
        let det = aa * bb - ab * ab;
        let (along, across) = (a.dot(&missing), b.dot(&missing));
        let step = [(bb * along - ab * across) / det, (aa * across - ab * along) / det];
        let is_there = step.iter().all(|x| x.abs() < FOUND);
        (xi[0], xi[1]) = (xi[0] + step[0], xi[1] + step[1]);
        if is_there {
            return Some([xi[0], xi[1], 0.0]);
        }
    }
    None
}

/// The nearest point of the axes of beams.
fn on_beams(discretisation: &Discretisation, position: [f64; 3]) -> Option<MaterialPoint> {
    let target = Vector3::from(position);
    let lines = discretisation.blocks.iter().enumerate().filter_map(|(number, block)| match &block.cells {
        Cells::Lagrange { shape: CellShape::Line2, connectivity } => Some((number, connectivity)),
        _ => None,
    });
    let all = lines.flat_map(|(number, connectivity)| {
        let ends = connectivity.as_chunks::<2>().0.iter().enumerate();
        ends.map(move |(cell, ends)| (CellRef { block: number as u32, cell: cell as u32 }, *ends))
    });
    let nearest = |(cell, ends): (CellRef, [u32; 2])| {
        let [a, b] = ends.map(|point| Vector3::from(discretisation.points[point as usize]));
        let along = b - a;
        let s = (along.dot(&(target - a)) / along.norm_squared()).clamp(0.0, 1.0);
        (a + s * along, ends, s, cell)
    };
    let (position, [a, b], s, cell) = all
        .map(nearest)
        .min_by(|a, b| (a.0 - target).norm_squared().total_cmp(&(b.0 - target).norm_squared()))?;
    let weights = merged(discretisation, [(a, 1.0 - s), (b, s)].into_iter());
    let (distance, xi) = ((position - target).norm(), [s, 0.0, 0.0]);
    Some(MaterialPoint { position: position.into(), distance, weights, cell, xi })
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
