//! The gradient of the gap by the mixed formulation: the normal d and the parameters f of the foot point are
//! coordinates of their own, with constraints that are functions of invariants π; they are eliminated here.
//!
//! ```text
//! Σ_k λ_k Dπ(z̄)ᵀ Dg_k = (force on x, 0 on d, 0 on f)
//! ```
//!
//! with Gonzalez' gradients Dg_k of the six constraints, docs/theory/whole-bodies.md, eqs. (82) and (83). For
//! λ_1 = 1 the five conditions on d and f give λ_2 … λ_6, and the force on x is the gradient. All constraints
//! but the gap are zero at both ends of the step, and d and f have no force: the work of the gradient is the
//! change of the gap, and it has no sum and no moment, as the gradient D of the gap itself.
//!
//! # Source
//!
//! Franke, Hesch & Betsch (2012), eqs. (38) to (42) and (53) to (59), without f_3. The sign of (59) is the
//! one with which the work of the force is the change of the gap times λ.

use nalgebra::{SMatrix, SVector, Vector3};

use crate::geometry::Faces;
use crate::geometry::foot::FootPoint;

/// Most points of a face.
pub(super) const POINTS: usize = 4;

/// Edges from the first point to the others.
const EDGES: usize = POINTS - 1;

/// Invariants: products with d (x_s first), parameters, d·d, products with x_s, products of edges.
const INVARIANTS: usize = (EDGES + 1) + 2 + 1 + EDGES + EDGES * (EDGES + 1) / 2;

const BY_NORMAL: usize = 0;
const PARAMETERS: usize = EDGES + 1;
const NORMAL: usize = PARAMETERS + 2;
const BY_NODE: usize = NORMAL + 1;
const BY_EDGES: usize = BY_NODE + EDGES;

type Invariants = SVector<f64, INVARIANTS>;

/// One end of a step, or its middle; lengths relative to the face.
#[derive(Debug, Clone, Copy)]
pub(super) struct End {
    node: Vector3<f64>,
    edges: [Vector3<f64>; EDGES],
    normal: Vector3<f64>,
    parameters: [f64; 2],
}

impl End {
    /// * `size` — unit of length \[m\]
    pub(super) fn new(x: &Vector3<f64>, points: &[Vector3<f64>], foot: &FootPoint, size: f64) -> Self {
        let edge = |k: usize| points.get(k + 1).map_or_else(Vector3::zeros, |y| (y - points[0]) / size);
        Self {
            node: (x - points[0]) / size,
            edges: std::array::from_fn(edge),
            normal: foot.normal,
            parameters: foot.xi,
        }
    }

    fn mean(&self, other: &Self) -> Self {
        Self {
            node: 0.5 * (self.node + other.node),
            edges: std::array::from_fn(|k| 0.5 * (self.edges[k] + other.edges[k])),
            normal: 0.5 * (self.normal + other.normal),
            parameters: [0, 1].map(|a| 0.5 * (self.parameters[a] + other.parameters[a])),
        }
    }

    fn invariants(&self) -> Invariants {
        let mut all = Invariants::zeros();
        all[BY_NORMAL] = self.node.dot(&self.normal);
        all[NORMAL] = self.normal.norm_squared();
        (0..2).for_each(|a| all[PARAMETERS + a] = self.parameters[a]);
        for (i, edge) in self.edges.iter().enumerate() {
            all[BY_NORMAL + 1 + i] = edge.dot(&self.normal);
            all[BY_NODE + i] = edge.dot(&self.node);
            (i..EDGES).for_each(|j| all[pair(i, j)] = edge.dot(&self.edges[j]));
        }
        all
    }
}

/// Place of the product of two edges.
fn pair(i: usize, j: usize) -> usize {
    let (i, j) = (i.min(j), i.max(j));
    BY_EDGES + i * EDGES - i * (i + 1) / 2 + j
}

/// Shape functions of the edges with derivatives, at some parameters.
struct Shapes {
    values: [f64; EDGES],
    first: [[f64; 2]; EDGES],
    second: [[f64; 3]; EDGES],
}

impl Shapes {
    fn new(faces: &Faces, face: u32, xi: [f64; 2]) -> Self {
        let (mut values, mut first, mut second) = ([0.0; POINTS], [[0.0; 2]; POINTS], [[0.0; 3]; POINTS]);
        faces.surface.shape_into(face as usize, xi, &mut values, &mut first, &mut second);
        Self {
            values: std::array::from_fn(|i| values[i + 1]),
            first: std::array::from_fn(|i| first[i + 1]),
            second: std::array::from_fn(|i| second[i + 1]),
        }
    }

    /// The constraints: gap, d normal to both tangents, d of unit length, x − y normal to both tangents.
    fn constraints(&self, pi: &Invariants) -> [f64; 6] {
        let edges = || 0..EDGES;
        let by_normal = |i: usize| pi[BY_NORMAL + 1 + i];
        let across = |a: usize| -> f64 { edges().map(|i| self.first[i][a] * by_normal(i)).sum() };
        let along = |a: usize| -> f64 {
            let of_edge = |i: usize| {
                let foot: f64 = edges().map(|j| self.values[j] * pi[pair(i, j)]).sum();
                self.first[i][a] * (pi[BY_NODE + i] - foot)
            };
            edges().map(of_edge).sum()
        };
        let gap = pi[BY_NORMAL] - edges().map(|i| self.values[i] * by_normal(i)).sum::<f64>();
        [gap, across(0), across(1), 0.5 * (pi[NORMAL] - 1.0), along(0), along(1)]
    }

    /// Derivatives of the constraints with respect to the invariants.
    fn slopes(&self, pi: &Invariants) -> [Invariants; 6] {
        let mut all = [Invariants::zeros(); 6];
        all[0][BY_NORMAL] = 1.0;
        all[3][NORMAL] = 0.5;
        for i in 0..EDGES {
            let by_normal = pi[BY_NORMAL + 1 + i];
            all[0][BY_NORMAL + 1 + i] = -self.values[i];
            for a in 0..2 {
                all[0][PARAMETERS + a] -= self.first[i][a] * by_normal;
                all[1 + a][BY_NORMAL + 1 + i] = self.first[i][a];
                all[4 + a][BY_NODE + i] = self.first[i][a];
                for b in 0..2 {
                    let second = self.second[i][a + b];
                    all[1 + a][PARAMETERS + b] += second * by_normal;
                    all[4 + a][PARAMETERS + b] += second * pi[BY_NODE + i];
                    for j in 0..EDGES {
                        let change = second * self.values[j] + self.first[i][a] * self.first[j][b];
                        all[4 + a][PARAMETERS + b] -= change * pi[pair(i, j)];
                    }
                }
                (0..EDGES).for_each(|j| all[4 + a][pair(i, j)] -= self.first[i][a] * self.values[j]);
            }
        }
        all
    }
}

/// Force of a unit multiplier of one constraint on x_s and the edges, on d, and on f.
struct Row {
    node: Vector3<f64>,
    edges: [Vector3<f64>; EDGES],
    inner: SVector<f64, 5>,
}

impl Row {
    /// Dπ(z̄)ᵀ of a gradient with respect to the invariants.
    fn new(slope: &Invariants, middle: &End) -> Self {
        let End { node: node_m, edges: edges_m, normal, .. } = middle;
        let mut node = slope[BY_NORMAL] * normal;
        let mut of_normal = slope[BY_NORMAL] * node_m + 2.0 * slope[NORMAL] * normal;
        let mut edges = [Vector3::zeros(); EDGES];
        for i in 0..EDGES {
            let [by_normal, by_node] = [slope[BY_NORMAL + 1 + i], slope[BY_NODE + i]];
            of_normal += by_normal * edges_m[i];
            node += by_node * edges_m[i];
            edges[i] += by_normal * normal + by_node * node_m;
            for (j, edge) in edges_m.iter().enumerate() {
                let twice = if i == j { 2.0 } else { 1.0 };
                edges[i] += twice * slope[pair(i, j)] * edge;
            }
        }
        let [f, g] = [slope[PARAMETERS], slope[PARAMETERS + 1]];
        Self { node, edges, inner: SVector::<f64, 5>::new(of_normal.x, of_normal.y, of_normal.z, f, g) }
    }
}

/// The gradient of the gap, blocks of the node and of the points of the face; `None` if the constraints do
/// not determine it.
///
/// * `start` — gap at the start, relative to the size of the face
pub(super) fn gradient(
    faces: &Faces,
    face: u32,
    [first, last]: [&End; 2],
    start: f64,
) -> Option<[Vector3<f64>; POINTS + 1]> {
    let middle = first.mean(last);
    let (pi_0, pi_1) = (first.invariants(), last.invariants());
    let (mean, change) = (0.5 * (pi_0 + pi_1), pi_1 - pi_0);
    let mut before = Shapes::new(faces, face, first.parameters).constraints(&pi_0);
    before[0] = start;
    let after = Shapes::new(faces, face, last.parameters).constraints(&pi_1);
    let mut slopes = Shapes::new(faces, face, middle.parameters).slopes(&mean);
    let square = change.norm_squared();
    for (k, slope) in slopes.iter_mut().enumerate() {
        let missing = after[k] - before[k] - slope.dot(&change);
        if missing.abs() > super::ROUNDING * (1.0 + mean.norm()) && square > 0.0 {
            *slope += missing / square * change;
        }
    }
    let rows = slopes.map(|slope| Row::new(&slope, &middle));
    let matrix = SMatrix::<f64, 5, 5>::from_fn(|i, k| rows[k + 1].inner[i]);
    let others = matrix.lu().solve(&-rows[0].inner)?;
    let factor = |k: usize| if k == 0 { 1.0 } else { others[k - 1] };
    let mut out = [Vector3::zeros(); POINTS + 1];
    for (k, row) in rows.iter().enumerate() {
        out[0] += factor(k) * row.node;
        (0..EDGES).for_each(|i| out[i + 2] += factor(k) * row.edges[i]);
    }
    out[1] = -(out[0] + out[2..].iter().sum::<Vector3<f64>>());
    Some(out)
}
