//! Parts of the surface of a body, as contact and loads need them: faces with their bases over body points.

use carom_mesh::FaceShape;

/// The shape functions of one face over its points.
#[derive(Debug, Clone, PartialEq)]
pub enum FaceBasis {
    /// A face of a Lagrange cell; parameters as in VTK: triangles 0 ≤ ξ₁, ξ₂, ξ₁+ξ₂ ≤ 1, quadrilaterals \[0,1\]².
    Lagrange(FaceShape),
    /// A span of a NURBS side: R_i = N_i w_i / Σ N_j w_j with N = (C₁ b(ξ₁)) ⊗ (C₂ b(ξ₂)), b Bernstein polynomials on \[0,1\].
    Spline {
        /// Degrees in the two directions; the first index of the points runs fastest.
        degrees: [usize; 2],
        /// Indices into [`Surface::operators`] of the two one-dimensional extraction operators C₁, C₂.
        operators: [u32; 2],
    },
}

/// One face of a surface.
#[derive(Debug, Clone, PartialEq)]
pub struct Face {
    /// Its shape functions.
    pub basis: FaceBasis,
    /// Indices into [`Surface::points`], in the order of the basis.
    pub points: Vec<u32>,
    /// +1 if y,₁ × y,₂ points out of the body, −1 if into it.
    pub orientation: f64,
}

/// An immutable piece of the surface of a body. Its state is the positions of its points, given by the caller.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Surface {
    /// Numbers of the body's points (nodes, control points) that the faces use, ascending.
    pub points: Vec<u32>,
    /// Weight of each of them (1 for nodes).
    pub weights: Vec<f64>,
    /// The faces.
    pub faces: Vec<Face>,
    /// One-dimensional extraction operators, (p+1)² numbers each, row-major: N_i = Σ_j C_ij b_j.
    pub operators: Vec<Vec<f64>>,
}
