//! The gap of a node over a face in a time step: a gradient whose work is the change of the gap, as
//! conserving schemes need it.
//!
//! With the places z = (x, y_1 … y_n) of the node and of the points of the face at both ends of a step,
//!
//! ```text
//! D = ∇g(z̄) + (N/Δπ:Δπ) c,   N = g₁ − g₀ − ∇g(z̄)·Δz,   z̄ = ½ (z₀ + z₁)
//! e_K = x − y_K,   Δπ_KL = Δ(e_K·e_L),   c·dz = 2 Σ_KL Δπ_KL ē_L·de_K
//! ```
//!
//! D·Δz = g₁ − g₀ holds exactly, and D has no sum and no moment about any point at z̄: a multiplier λ with
//! the forces λ D keeps momentum and angular momentum of the midpoint rule, and does no work where the gap
//! stays zero. The gap is that of the orthogonal projection on the face continued beyond its edges, so that
//! both ends of a step see one smooth function.
//!
//! # Source
//!
//! Gonzalez (1996), J. Nonlinear Sci. 6, section 4: discrete derivatives that respect a symmetry, here with
//! the inner products of the edges e_K as invariants. Franke, Hesch & Betsch (2012) take more coordinates to
//! the same end. docs/theory/whole-bodies.md, eq. (82).

use carom_fem::FaceBasis;
use carom_fem::surface::MAX_FACE_POINTS;
use nalgebra::{Matrix3, Vector3};

use crate::geometry::foot::{FootPoint, Variations};
use crate::geometry::{Faces, FacesNow};

mod mixed;
mod slip;

use slip::ParameterRows;

/// Most blocks of a row: a node and the points of a face.
pub const MOST: usize = MAX_FACE_POINTS + 1;

/// A difference of gaps that is rounding, relative to the extent of the places.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// Which gradient of the gap a step takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepRule {
    /// D: its work is the change of the gap.
    Discrete,
    /// The gradient of the mixed formulation of Franke, Hesch & Betsch (2012), whose work also is the change
    /// of the gap; D over faces of more than four points and NURBS. The tangent is that of D.
    Mixed,
    /// ∇g(z̄), as the midpoint rule has it.
    Midpoint,
}

/// The gap of a node over one face in a step, with its gradients.
#[derive(Debug, Clone)]
pub struct StepGap {
    /// Gap at the start and at the end of the step \[m\].
    pub gaps: [f64; 2],
    /// Gap in the middle of the step \[m\].
    pub in_middle: f64,
    /// Parameters of the foot point at the end.
    pub xi: [f64; 2],
    /// Unit normal of the face at the foot point at the end.
    pub normal: Vector3<f64>,
    /// Blocks of ∇g(z̄).
    pub at_middle: Vec<Vector3<f64>>,
    /// D, or ∇g(z̄): blocks of the node and of the points of the face.
    pub gradient: Vec<Vector3<f64>>,
    /// ∇g(z₁).
    pub at_end: Vec<Vector3<f64>>,
    /// ∂(gradient)/∂z₁, blocks by row.
    pub tangent: Vec<Matrix3<f64>>,
}

/// One parameter ξ_a of the foot point in a step, with its gradients, as [`StepGap`] has those of the gap.
#[derive(Debug, Clone, Default)]
pub struct StepSlip {
    /// ξ_a at the start and at the end of the step.
    pub xi: [f64; 2],
    /// y,a at the foot point at the start and at the end \[m\].
    pub tangents: [Vector3<f64>; 2],
    /// D of ξ_a, or ∇ξ_a(z̄) \[1/m\].
    pub gradient: Vec<Vector3<f64>>,
    /// ∇ξ_a(z₁) \[1/m\].
    pub at_end: Vec<Vector3<f64>>,
    /// ∂(gradient)/∂z₁, blocks by row.
    pub tangent: Vec<Matrix3<f64>>,
}

/// A step's ends in which the node has no foot point near the face.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FarFromFace;

/// Evaluates [`StepGap`]s; holds the states of a surface at the start, middle and end of a step.
#[derive(Debug, Clone)]
pub struct StepGaps {
    states: [FacesNow; 3],
}

/// Positions of a node at the start and the end of a step, and parameters from which foot points are sought.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NodeStep {
    /// x₀ and x₁ \[m\].
    pub places: [Vector3<f64>; 2],
    /// Near the foot point.
    pub xi: [f64; 2],
}

impl StepGaps {
    /// For a surface.
    pub fn new(faces: &Faces) -> Self {
        Self { states: [faces.state(), faces.state(), faces.state()] }
    }

    /// Sets the positions of the surface's points at the start and at the end of the step \[m\].
    pub fn set_positions(&mut self, start: &[Vector3<f64>], end: &[Vector3<f64>]) {
        let [first, middle, last] = &mut self.states;
        first.set_positions(|k| start[k]);
        middle.set_positions(|k| 0.5 * (start[k] + end[k]));
        last.set_positions(|k| end[k]);
    }

    /// The gap of a node over a face, with gradients and the tangent.
    ///
    /// # Errors
    ///
    /// [`FarFromFace`] if the node at one end, or in the middle, has no projection near the face.
    pub fn evaluate(
        &mut self,
        faces: &Faces,
        face: u32,
        node: &NodeStep,
        rule: StepRule,
        out: &mut StepGap,
    ) -> Result<(), FarFromFace> {
        let [x0, x1] = node.places;
        let middle = 0.5 * (x0 + x1);
        let [first, mid, last] = &mut self.states;
        let end = faces.projected(last, face, node.xi, &x1).ok_or(FarFromFace)?;
        let between = faces.projected(mid, face, end.xi, &middle).ok_or(FarFromFace)?;
        let start = faces.projected(first, face, end.xi, &x0).ok_or(FarFromFace)?.gap;
        let of_end = Variations::new(faces, &end).ok_or(FarFromFace)?;
        let of_middle = Variations::new(faces, &between).ok_or(FarFromFace)?;
        let n = of_end.n_blocks();
        out.gaps = [start, end.gap];
        out.in_middle = between.gap;
        (out.xi, out.normal) = (end.xi, end.normal);
        let rows = |v: &Variations, to: &mut Vec<Vector3<f64>>| {
            to.clear();
            to.extend((0..n).map(|block| v.gap_row(block)));
        };
        rows(&of_middle, &mut out.gradient);
        rows(&of_end, &mut out.at_end);
        out.at_middle.clone_from(&out.gradient);
        out.tangent.clear();
        let half = |k: usize| 0.5 * of_middle.gap_hessian(k / n, k % n);
        out.tangent.extend((0..n * n).map(half));
        if rule != StepRule::Midpoint {
            let edges = self.edges(faces, face, node);
            let StepGap { gaps, gradient, at_end, tangent, .. } = out;
            edges.correct(*gaps, (gradient, at_end, tangent), ROUNDING * edges.size(&x1));
        }
        if rule == StepRule::Mixed {
            self.mix(faces, face, node, &end, out);
        }
        Ok(())
    }

    /// True if a face has a gradient of the mixed formulation: a mesh's, of up to four points.
    pub fn mixes(faces: &Faces, face: u32) -> bool {
        let points = &faces.surface.faces[face as usize];
        matches!(points.basis, FaceBasis::Lagrange(_)) && points.points.len() <= mixed::POINTS
    }

    /// Replaces D by the gradient of the mixed formulation where that exists.
    fn mix(&mut self, faces: &Faces, face: u32, node: &NodeStep, end: &FootPoint, out: &mut StepGap) {
        if !Self::mixes(faces, face) {
            return;
        }
        let points = &faces.surface.faces[face as usize];
        let n = points.points.len();
        let [first, _, last] = &mut self.states;
        let [x0, x1] = &node.places;
        let Some(start) = faces.projected(first, face, end.xi, x0) else { return };
        let size = end.tangents[0].norm();
        let ends = [(x0, &*first, &start), (x1, &*last, end)].map(|(x, state, foot)| {
            let mut places = [Vector3::zeros(); mixed::POINTS];
            for (place, &point) in places.iter_mut().zip(&points.points) {
                *place = state.positions()[point as usize];
            }
            mixed::End::new(x, &places[..n], foot, size)
        });
        let found = mixed::gradient(faces, face, ends.each_ref(), out.gaps[0] / size);
        if let Some(found) = found {
            out.gradient.copy_from_slice(&found[..=n]);
        }
    }

    /// The parameters of the foot point of a node over a face, with gradients and tangents.
    ///
    /// The tangents leave out the product of the gap with third derivatives of the face, which is zero for
    /// faces of first order.
    ///
    /// # Errors
    ///
    /// As [`StepGaps::evaluate`].
    pub fn evaluate_slip(
        &mut self,
        faces: &Faces,
        face: u32,
        node: &NodeStep,
        rule: StepRule,
        out: &mut [StepSlip; 2],
    ) -> Result<(), FarFromFace> {
        let [x0, x1] = node.places;
        let middle = 0.5 * (x0 + x1);
        let [first, mid, last] = &mut self.states;
        let end = faces.projected(last, face, node.xi, &x1).ok_or(FarFromFace)?;
        let between = faces.projected(mid, face, end.xi, &middle).ok_or(FarFromFace)?;
        let start = faces.projected(first, face, end.xi, &x0).ok_or(FarFromFace)?;
        let of_end = Variations::new(faces, &end).ok_or(FarFromFace)?;
        let of_middle = ParameterRows::new(faces, mid, &between, &middle).ok_or(FarFromFace)?;
        let n = of_end.n_blocks();
        for (a, out) in out.iter_mut().enumerate() {
            out.xi = [start.xi[a], end.xi[a]];
            out.tangents = [start.tangents[a], end.tangents[a]];
            out.gradient.clear();
            out.gradient.extend((0..n).map(|block| of_middle.row(a, block)));
            out.at_end.clear();
            out.at_end.extend((0..n).map(|block| of_end.parameter_row(a, block)));
            out.tangent.clear();
            out.tangent.extend((0..n * n).map(|k| 0.5 * of_middle.hessian(a, k / n, k % n)));
        }
        if rule != StepRule::Midpoint {
            let edges = self.edges(faces, face, node);
            for out in out {
                let StepSlip { xi, gradient, at_end, tangent, tangents } = out;
                let rounding = ROUNDING * (1.0 + edges.size(&x1) / tangents[1].norm());
                edges.correct(*xi, (gradient, at_end, tangent), rounding);
            }
        }
        Ok(())
    }

    fn edges(&self, faces: &Faces, face: u32, node: &NodeStep) -> Edges {
        let [first, _, last] = &self.states;
        let points = &faces.surface.faces[face as usize].points;
        let mut edges = Edges::new(points.len());
        for (k, &point) in points.iter().enumerate() {
            let of = |state: &FacesNow, x: &Vector3<f64>| x - state.positions()[point as usize];
            edges.set(k, of(first, &node.places[0]), of(last, &node.places[1]));
        }
        edges
    }
}

impl Default for StepGap {
    fn default() -> Self {
        Self {
            gaps: [0.0; 2],
            in_middle: 0.0,
            xi: [0.0; 2],
            normal: Vector3::zeros(),
            at_middle: Vec::with_capacity(MOST),
            gradient: Vec::with_capacity(MOST),
            at_end: Vec::with_capacity(MOST),
            tangent: Vec::with_capacity(MOST * MOST),
        }
    }
}

/// The gradient in the middle, that at the end, and the tangent of the first.
type Gradients<'a> = (&'a mut Vec<Vector3<f64>>, &'a [Vector3<f64>], &'a mut Vec<Matrix3<f64>>);

/// The edges e_K from the points of a face to a node at both ends of a step.
struct Edges {
    n: usize,
    start: [Vector3<f64>; MAX_FACE_POINTS],
    end: [Vector3<f64>; MAX_FACE_POINTS],
}

/// The correction along the change of the invariants.
struct Correction {
    /// Δπ by rows.
    change: [[f64; MAX_FACE_POINTS]; MAX_FACE_POINTS],
    /// c_K.
    along: [Vector3<f64>; MAX_FACE_POINTS],
    /// Δπ:Δπ.
    square: f64,
}

impl Edges {
    fn new(n: usize) -> Self {
        Self { n, start: [Vector3::zeros(); MAX_FACE_POINTS], end: [Vector3::zeros(); MAX_FACE_POINTS] }
    }

    fn set(&mut self, k: usize, start: Vector3<f64>, end: Vector3<f64>) {
        (self.start[k], self.end[k]) = (start, end);
    }

    fn middle(&self, k: usize) -> Vector3<f64> {
        0.5 * (self.start[k] + self.end[k])
    }

    fn correction(&self) -> Correction {
        let mut found = Correction {
            change: [[0.0; MAX_FACE_POINTS]; MAX_FACE_POINTS],
            along: [Vector3::zeros(); MAX_FACE_POINTS],
            square: 0.0,
        };
        let moved = |k: usize| self.end[k] - self.start[k];
        for k in 0..self.n {
            for l in 0..self.n {
                // Not as a difference of products, which would lose digits.
                let change = self.middle(k).dot(&moved(l)) + moved(k).dot(&self.middle(l));
                found.change[k][l] = change;
                found.along[k] += 2.0 * change * self.middle(l);
                found.square += change * change;
            }
        }
        found
    }

    /// Extent of the places, which sets the rounding of a gap.
    fn size(&self, x: &Vector3<f64>) -> f64 {
        x.norm() + self.end[0].norm() + self.start[0].norm()
    }

    /// Adds (N/Δπ:Δπ) c to the gradient of a function, and its derivative to the tangent.
    ///
    /// * `values` — of the function at the start and at the end
    /// * `rounding` — of a value
    fn correct(&self, values: [f64; 2], (gradient, at_end, tangent): Gradients<'_>, rounding: f64) {
        let n = self.n;
        let moved = |k: usize| self.end[k] - self.start[k];
        // The blocks of the node are minus the sums of the others, and dz₀ − dz_K = de_K.
        let work: f64 = (0..n).map(|k| -gradient[k + 1].dot(&moved(k))).sum();
        let missing = values[1] - values[0] - work;
        let correction = self.correction();
        let square = correction.square;
        if missing.abs() <= rounding || square <= 0.0 {
            return;
        }
        let factor = missing / square;
        self.correct_tangent((gradient, at_end, tangent), &correction, factor);
        for (k, along) in correction.along[..n].iter().enumerate() {
            gradient[0] += factor * along;
            gradient[k + 1] -= factor * along;
        }
    }

    /// Adds c ⊗ (dN − 2 (N/Δπ:Δπ) Δπ:dΔπ)/Δπ:Δπ + (N/Δπ:Δπ) dc, where
    ///
    /// ```text
    /// dN = (∇g(z₁) − ∇g(z̄) − ½ ∇²g(z̄) Δz)·dz₁,   dΔπ_KL = de_K·e_L + e_K·de_L at the end
    /// dc_K = 2 Σ_L (dΔπ_KL ē_L + ½ Δπ_KL de_L)
    /// ```
    fn correct_tangent(
        &self,
        (gradient, at_end, tangent): Gradients<'_>,
        correction: &Correction,
        factor: f64,
    ) {
        let (n, blocks) = (self.n, self.n + 1);
        let Correction { change, along, square } = correction;
        let moved = |k: usize| self.end[k] - self.start[k];
        // By blocks of z: c, and the slope of the factor.
        let mut c = [Vector3::zeros(); MOST];
        let mut slope = [Vector3::zeros(); MOST];
        for k in 0..n {
            c[0] += along[k];
            c[k + 1] -= along[k];
            let turned: Vector3<f64> = (0..n).map(|l| change[k][l] * self.end[l]).sum();
            slope[0] -= 4.0 * factor * turned;
            slope[k + 1] += 4.0 * factor * turned;
        }
        for (block, slope) in slope[..blocks].iter_mut().enumerate() {
            *slope += at_end[block] - gradient[block];
            for k in 0..n {
                // The tangent still is ½ ∇²g(z̄), whose blocks by the node are minus the sums of the others.
                *slope += tangent[block * blocks + k + 1] * moved(k);
            }
            *slope /= *square;
        }
        for i in 0..blocks {
            for j in 0..blocks {
                tangent[i * blocks + j] += c[i] * slope[j].transpose();
            }
        }
        let inner: Matrix3<f64> = (0..n).map(|l| self.middle(l) * self.end[l].transpose()).sum();
        for k in 0..n {
            for m in 0..n {
                let mut by_edge = self.middle(m) * self.end[k].transpose();
                by_edge += Matrix3::identity() * (0.5 * change[k][m]);
                if k == m {
                    by_edge += inner;
                }
                let by_edge = 2.0 * factor * by_edge;
                tangent[0] += by_edge;
                tangent[m + 1] -= by_edge;
                tangent[(k + 1) * blocks] -= by_edge;
                tangent[(k + 1) * blocks + m + 1] += by_edge;
            }
        }
    }
}

#[cfg(test)]
mod tests;
