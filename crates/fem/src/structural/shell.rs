//! Shells of three and four nodes with directors, in large displacement and rotation.
//!
//! ```text
//! x = φ + ½ h ζ d,   φ = Σ N_a x_a,   d = Σ N_a R_a D_a
//! ε_αβ = ½ (φ,_α·φ,_β − δ_αβ),   κ_αβ = ½ (φ,_α·d,_β + φ,_β·d,_α) − its value at the start
//! E_αβ = ε_αβ + ½ h ζ κ_αβ,   2 E_α3 = γ_α
//! ```
//!
//! Derivatives are along two orthonormal axes of the undeformed surface, at each point the projections of
//! those in the middle. The shear ε₁₂ of the surface is that in the middle of the cell for all of its
//! points, so that a cell that bends in its own plane has no parasitic shear. Transverse shear is taken at
//! the middle of the edges, `φ,_ξ·d` along each edge, and interpolated over the cell: linear in four nodes
//! (MITC4), with a constant more in three (MITC3). Thin shells do not lock in shear.
//!
//! The strains are products of places and directors, the same after any rotation of the shell: forces and
//! moments have no sum and no moment in any configuration, whatever the law. The points are Gauss points in
//! the surface, so that no motion but a rigid one, and the turn of a director about itself, is without
//! stress.
//!
//! # Source
//!
//! Dvorkin & Bathe (1984), Engineering Computations 1, 77–88 (four nodes); Lee & Bathe (2004), Computers &
//! Structures 82, 945–962 (three nodes).

use carom_mesh::quadrature::Quadrature;
use nalgebra::{Matrix3, Vector3};

use super::directors::Corners;
use crate::constitutive::LANES;

/// ε₁₁, ε₂₂, 2ε₁₂, κ₁₁, κ₂₂, 2κ₁₂, γ₁, γ₂, or the resultants N, M, Q that do work on them.
pub(super) type Eight = [f64; 8];

/// A cell at its start. Three nodes have three points; the fourth lane repeats the first without weight.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ShellCell {
    pub(super) nodes: [u32; 4],
    pub(super) n: usize,
    /// ∂N_a/∂s_α at each point.
    gradients: [[[f64; 2]; 4]; LANES],
    /// Axes s₁ and s₂ at each point.
    axes: [[Vector3<f64>; 2]; LANES],
    /// Both in the middle of the cell.
    middle: Frame,
    /// γ_α at each point from the shear along each edge.
    shear: [[[f64; 2]; 4]; LANES],
    /// φ,_ξ·d along each edge, and κ at each point, at the start.
    edges: [f64; 4],
    curvature: [[f64; 3]; LANES],
    /// Directors D_a.
    directors: [Vector3<f64>; 4],
    /// Area of each point \[m²\].
    pub(super) weights: [f64; LANES],
    /// ∫ N_a dA \[m²\].
    pub(super) areas: [f64; 4],
}

/// Derivatives of the shape functions along two axes of the surface.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Frame {
    gradients: [[f64; 2]; 4],
    axes: [Vector3<f64>; 2],
    /// ∂ξ_k/∂s_α in entry `[k][α]`.
    inverse: [[f64; 2]; 2],
    /// |x,_ξ × x,_η|.
    area: f64,
}

/// A cell at a state.
pub(super) struct ShellState {
    places: [Vector3<f64>; 4],
    directors: [Vector3<f64>; 4],
    /// φ,_α and d,_α at each point.
    tangents: [[Vector3<f64>; 2]; LANES],
    slopes: [[Vector3<f64>; 2]; LANES],
    /// φ,_α in the middle.
    middle: [Vector3<f64>; 2],
    /// Strains at each point.
    pub(super) strains: [Eight; LANES],
}

/// Local numbers of both ends of each edge, in the sense of ξ or η.
const EDGES_3: [[usize; 2]; 3] = [[0, 1], [0, 2], [1, 2]];
const EDGES_4: [[usize; 2]; 4] = [[0, 1], [3, 2], [0, 3], [1, 2]];

impl Frame {
    /// The derivatives at a point of the reference cell; none if the surface has no area there, or is folded.
    ///
    /// * `normal` — a direction on the positive side
    /// * `along` — s₁ is its projection on the surface; without it both axes are as near as possible to the
    ///   directions of ξ and η, so that those of a rectangle are its sides
    fn new(
        n: usize,
        [xi, eta]: [f64; 2],
        places: &[Vector3<f64>; 4],
        normal: &Vector3<f64>,
        along: Option<&Vector3<f64>>,
    ) -> Option<Self> {
        let (_, local) = shape(n, xi, eta);
        let tangent = |d: usize| -> Vector3<f64> { (0..n).map(|a| local[a][d] * places[a]).sum() };
        let g = [tangent(0), tangent(1)];
        let cross = g[0].cross(&g[1]);
        let area = cross.norm();
        if !(area.is_finite() && cross.dot(normal) > 1e-6 * g[0].norm() * g[1].norm()) {
            return None;
        }
        let unit = cross / area;
        let s1 = match along {
            Some(along) => (along - unit * unit.dot(along)).normalize(),
            None => {
                let (a, b) = (g[0].normalize(), g[1].normalize());
                ((a + b).normalize() + (a - b).normalize()).normalize()
            }
        };
        let axes = [s1, unit.cross(&s1)];
        let j = g.map(|g| axes.map(|axis| g.dot(&axis)));
        let det = j[0][0] * j[1][1] - j[0][1] * j[1][0];
        // J_αk = g_k·s_α; its inverse has ∂ξ_k/∂s_α.
        let inverse = [[j[1][1] / det, -j[1][0] / det], [-j[0][1] / det, j[0][0] / det]];
        let gradients = local
            .map(|local| [0, 1].map(|alpha| local[0] * inverse[0][alpha] + local[1] * inverse[1][alpha]));
        Some(Self { gradients, axes, inverse, area })
    }
}

impl ShellCell {
    /// The cell, or none if its corners do not span a convex cell with an area.
    pub(super) fn new(
        points: &[Vector3<f64>],
        corners: &Corners,
        directors: [Vector3<f64>; 4],
    ) -> Option<Self> {
        let &Corners { nodes, n } = corners;
        let places: [Vector3<f64>; 4] =
            std::array::from_fn(|a| if a < n { points[nodes[a] as usize] } else { Vector3::zeros() });
        let rule = if n == 3 { Quadrature::triangle_3() } else { Quadrature::square(2) };
        let center = if n == 3 { [1.0 / 3.0; 2] } else { [0.5; 2] };
        let mean: Vector3<f64> = directors.iter().sum();
        let middle = Frame::new(n, center, &places, &mean, None)?;
        let mut cell = Self {
            nodes,
            n,
            gradients: [[[0.0; 2]; 4]; LANES],
            axes: [[Vector3::zeros(); 2]; LANES],
            middle,
            shear: [[[0.0; 2]; 4]; LANES],
            edges: [0.0; 4],
            curvature: [[0.0; 3]; LANES],
            directors,
            weights: [0.0; LANES],
            areas: [0.0; 4],
        };
        for l in 0..LANES {
            let k = if l < rule.points.len() { l } else { 0 };
            let [xi, eta, _] = rule.points[k];
            let frame = Frame::new(n, [xi, eta], &places, &mean, Some(&middle.axes[0]))?;
            (cell.gradients[l], cell.axes[l]) = (frame.gradients, frame.axes);
            for (edge, [of_xi, of_eta]) in edge_factors(n, xi, eta).into_iter().enumerate() {
                cell.shear[l][edge] =
                    [0, 1].map(|alpha| of_xi * frame.inverse[0][alpha] + of_eta * frame.inverse[1][alpha]);
            }
            if l < rule.points.len() {
                cell.weights[l] = rule.weights[k] * frame.area;
                let values = shape(n, xi, eta).0;
                (0..n).for_each(|a| cell.areas[a] += cell.weights[l] * values[a]);
            }
        }
        let start = cell.state(&[Vector3::zeros(); 4], &places, &[&Matrix3::identity(); 4]);
        for (edge, &[a, b]) in cell.edge_ends().iter().enumerate() {
            cell.edges[edge] = (places[b] - places[a]).dot(&(0.5 * (directors[a] + directors[b])));
        }
        for l in 0..LANES {
            cell.curvature[l] = std::array::from_fn(|k| start.strains[l][3 + k]);
        }
        Some(cell)
    }

    fn edge_ends(&self) -> &'static [[usize; 2]] {
        if self.n == 3 { &EDGES_3 } else { &EDGES_4 }
    }

    /// Area of the cell \[m²\].
    pub(super) fn area(&self) -> f64 {
        self.weights.iter().sum()
    }

    /// Strains at the state of the nodes.
    ///
    /// * `u` — displacements, from which small strains keep their digits
    /// * `places` — X + u
    #[inline]
    pub(super) fn state(
        &self,
        u: &[Vector3<f64>; 4],
        places: &[Vector3<f64>; 4],
        rotations: &[&Matrix3<f64>; 4],
    ) -> ShellState {
        let n = self.n;
        let mut state = ShellState {
            places: *places,
            directors: [Vector3::zeros(); 4],
            tangents: [[Vector3::zeros(); 2]; LANES],
            slopes: [[Vector3::zeros(); 2]; LANES],
            middle: self.middle.axes,
            strains: [[0.0; 8]; LANES],
        };
        for a in 0..n {
            state.directors[a] = rotations[a] * self.directors[a];
        }
        let mut edges = [0.0; 4];
        for (edge, &[a, b]) in self.edge_ends().iter().enumerate() {
            let mean = 0.5 * (state.directors[a] + state.directors[b]);
            edges[edge] = (places[b] - places[a]).dot(&mean) - self.edges[edge];
        }
        let mut du = [Vector3::zeros(); 2];
        for a in 0..n {
            (0..2).for_each(|alpha| du[alpha] += self.middle.gradients[a][alpha] * u[a]);
        }
        let axes = &self.middle.axes;
        let shear = axes[0].dot(&du[1]) + axes[1].dot(&du[0]) + du[0].dot(&du[1]);
        state.middle = [axes[0] + du[0], axes[1] + du[1]];
        for l in 0..LANES {
            let (mut du, mut d) = ([Vector3::zeros(); 2], [Vector3::zeros(); 2]);
            for a in 0..n {
                for alpha in 0..2 {
                    let gradient = self.gradients[l][a][alpha];
                    du[alpha] += gradient * u[a];
                    d[alpha] += gradient * state.directors[a];
                }
            }
            let axes = &self.axes[l];
            let x = [axes[0] + du[0], axes[1] + du[1]];
            let start = &self.curvature[l];
            let mut strain = [
                axes[0].dot(&du[0]) + 0.5 * du[0].norm_squared(),
                axes[1].dot(&du[1]) + 0.5 * du[1].norm_squared(),
                shear,
                x[0].dot(&d[0]) - start[0],
                x[1].dot(&d[1]) - start[1],
                x[0].dot(&d[1]) + x[1].dot(&d[0]) - start[2],
                0.0,
                0.0,
            ];
            for (edge, factors) in edges.iter().zip(&self.shear[l]) {
                strain[6] += factors[0] * edge;
                strain[7] += factors[1] * edge;
            }
            (state.tangents[l], state.slopes[l], state.strains[l]) = (x, d, strain);
        }
        state
    }

    /// Forces and moments on the nodes, linear in the resultants: derivatives of Σ resultants · strains over
    /// the points at constant resultants.
    ///
    /// * `resultants` — N, M and Q at each point, times the area of the point
    #[inline]
    pub(super) fn forces(&self, state: &ShellState, resultants: &[Eight; LANES]) -> [[Vector3<f64>; 2]; 4] {
        let (mut force, mut couple) = ([Vector3::zeros(); 4], [Vector3::zeros(); 4]);
        let (mut edges, mut shear) = ([0.0; 4], 0.0);
        for l in 0..LANES {
            let [n11, n22, n12, m11, m22, m12, q1, q2] = resultants[l];
            let (x, d) = (&state.tangents[l], &state.slopes[l]);
            shear += n12;
            let on_gradient = [n11 * x[0] + m11 * d[0] + m12 * d[1], n22 * x[1] + m12 * d[0] + m22 * d[1]];
            let on_slope = [m11 * x[0] + m12 * x[1], m12 * x[0] + m22 * x[1]];
            for a in 0..self.n {
                let [g1, g2] = self.gradients[l][a];
                force[a] += g1 * on_gradient[0] + g2 * on_gradient[1];
                couple[a] += g1 * on_slope[0] + g2 * on_slope[1];
            }
            for (edge, factors) in edges.iter_mut().zip(&self.shear[l]) {
                *edge += q1 * factors[0] + q2 * factors[1];
            }
        }
        let middle = &state.middle;
        for a in 0..self.n {
            let [g1, g2] = self.middle.gradients[a];
            force[a] += shear * (g1 * middle[1] + g2 * middle[0]);
        }
        for (&q, &[a, b]) in edges.iter().zip(self.edge_ends()) {
            let mean = 0.5 * q * (state.directors[a] + state.directors[b]);
            let span = 0.5 * q * (state.places[b] - state.places[a]);
            force[a] -= mean;
            force[b] += mean;
            couple[a] += span;
            couple[b] += span;
        }
        std::array::from_fn(|a| [force[a], state.directors[a].cross(&couple[a])])
    }
}

impl ShellState {
    /// Axes of the deformed surface at a point, as columns: along φ,₁, across it in the surface, normal.
    pub(super) fn axes(&self, point: usize) -> Matrix3<f64> {
        let [a, b] = &self.tangents[point];
        let (first, normal) = (a.normalize(), a.cross(b).normalize());
        Matrix3::from_columns(&[first, normal.cross(&first), normal])
    }
}

/// N_a and ∂N_a/∂(ξ, η) on the unit triangle or square.
fn shape(n: usize, xi: f64, eta: f64) -> ([f64; 4], [[f64; 2]; 4]) {
    if n == 3 {
        return ([1.0 - xi - eta, xi, eta, 0.0], [[-1.0, -1.0], [1.0, 0.0], [0.0, 1.0], [0.0; 2]]);
    }
    let (x, y) = (1.0 - xi, 1.0 - eta);
    ([x * y, xi * y, xi * eta, x * eta], [[-y, -x], [y, -xi], [eta, xi], [-eta, x]])
}

/// Factors of the shear along each edge in γ_ξ and γ_η.
fn edge_factors(n: usize, xi: f64, eta: f64) -> [[f64; 2]; 4] {
    if n == 3 {
        // γ_ξ = e₀₁ + c η, γ_η = e₀₂ − c ξ with c = e₀₂ − e₀₁ − e₁₂.
        return [[1.0 - eta, xi], [eta, 1.0 - xi], [-eta, xi], [0.0; 2]];
    }
    [[1.0 - eta, 0.0], [eta, 0.0], [0.0, 1.0 - xi], [0.0, xi]]
}
