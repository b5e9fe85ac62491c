//! Parts of the surface of a body for contact and loads: faces with their bases over body points.
//!
//! A [`Surface`] is immutable; the caller stores the positions of its points. [`Surface::shape_into`]
//! evaluates the shape functions of a face, [`Surface::position`] and [`Surface::tangents`] apply them to
//! positions.

mod edges;
mod shape;

pub use shape::bernstein;

use carom_mesh::FaceShape;
use thiserror::Error;

/// The shape functions of one face over its points.
#[derive(Debug, Clone, PartialEq)]
pub enum FaceBasis {
    /// A face of a Lagrange cell; parameters as in VTK: triangles 0 ≤ ξ₁, ξ₂, ξ₁+ξ₂ ≤ 1, quadrilaterals
    /// \[0,1\]².
    Lagrange(FaceShape),
    /// A knot span of a NURBS side: R_i = N_i w_i / Σ N_j w_j with N = (C₁ b(ξ₁)) ⊗ (C₂ b(ξ₂)), b Bernstein
    /// polynomials on \[0,1\].
    Spline {
        /// Degrees in the two directions; the first index of the points runs fastest.
        degrees: [usize; 2],
        /// Indices into [`Surface::operators`] of the two one-dimensional extraction operators C₁, C₂.
        operators: [u32; 2],
    },
    /// A knot span of a NURBS side at which levels of a local refinement meet, so that its functions are not
    /// tensor products: N_i = Σ_j C_ij B_j with B = b(ξ₁) ⊗ b(ξ₂), otherwise as [`FaceBasis::Spline`].
    Combined {
        /// Degrees in the two directions; the first index of the Bernstein products runs fastest.
        degrees: [usize; 2],
        /// Number of functions.
        n_points: usize,
        /// Index into [`Surface::operators`] of C, n_points × (p+1)(q+1).
        operator: u32,
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

/// An immutable piece of the surface of a body. Its state is the positions of its points, given by the
/// caller.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Surface {
    /// Numbers of the body's points (nodes, control points) that the faces use, ascending.
    pub points: Vec<u32>,
    /// Weight of each of them (1 for nodes).
    pub weights: Vec<f64>,
    /// The faces.
    pub faces: Vec<Face>,
    /// Extraction operators, row-major: one-dimensional ones with (p+1)² numbers, N_i = Σ_j C_ij b_j, and
    /// those of [`FaceBasis::Combined`].
    pub operators: Vec<Vec<f64>>,
}

/// Highest degree of a spline face that can be evaluated.
pub const MAX_DEGREE: usize = 9;

/// Largest number of functions of a face: (p+1)² for the highest degree, or several levels of a local
/// refinement.
pub const MAX_FACE_POINTS: usize = 128;

/// Errors from a surface that cannot be evaluated.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum SurfaceError {
    /// The number of weights differs from that of points.
    #[error("the surface has {points} points but {weights} weights")]
    WeightCount {
        /// Number of points.
        points: usize,
        /// Number of weights.
        weights: usize,
    },
    /// A weight is not a positive number.
    #[error("weight {weight} of point {point} is not positive")]
    Weight {
        /// Index into [`Surface::points`].
        point: usize,
        /// Its weight.
        weight: f64,
    },
    /// A face lists too few or too many points for its basis.
    #[error("face {face} lists {found} points, its basis needs {needed}")]
    PointCount {
        /// Number of the face.
        face: usize,
        /// Points listed.
        found: usize,
        /// Points needed.
        needed: usize,
    },
    /// A face has more functions than are supported.
    #[error(
        "face {face} has {found} functions, at most {MAX_FACE_POINTS} are possible: too many levels of the \
         local refinement meet there; refine in a larger radius, so that they follow one another"
    )]
    Crowded {
        /// Number of the face.
        face: usize,
        /// Number of functions.
        found: usize,
    },
    /// A face refers to a point that the surface does not have.
    #[error("face {face} refers to point {point}, the surface has {points} points")]
    PointIndex {
        /// Number of the face.
        face: usize,
        /// Index that is too large.
        point: u32,
        /// Number of points of the surface.
        points: usize,
    },
    /// A degree is zero or above [`MAX_DEGREE`].
    #[error("face {face} has degree {degree}; degrees from 1 to {MAX_DEGREE} can be evaluated")]
    Degree {
        /// Number of the face.
        face: usize,
        /// Its degree.
        degree: usize,
    },
    /// An extraction operator is missing or has the wrong size.
    #[error(
        "face {face} of degree {degree} refers to extraction operator {operator}, which is missing or not of \
         that degree"
    )]
    Operator {
        /// Number of the face.
        face: usize,
        /// Degree in the direction of the operator.
        degree: usize,
        /// Index of the operator.
        operator: u32,
    },
    /// The orientation is neither +1 nor −1.
    #[error("face {face} has orientation {orientation}, which must be 1 or -1")]
    Orientation {
        /// Number of the face.
        face: usize,
        /// Value found.
        orientation: f64,
    },
}

impl FaceBasis {
    /// Number of points that a face with this basis has.
    pub fn n_points(&self) -> usize {
        match self {
            Self::Lagrange(shape) => shape.n_nodes(),
            Self::Spline { degrees: [p, q], .. } => (p + 1) * (q + 1),
            Self::Combined { n_points, .. } => *n_points,
        }
    }

    /// True if the parameter domain is the triangle 0 ≤ ξ₁, ξ₂, ξ₁+ξ₂ ≤ 1, false if it is the square
    /// \[0,1\]².
    pub fn is_triangle(&self) -> bool {
        matches!(self, Self::Lagrange(shape) if shape.is_triangle())
    }
}

impl Surface {
    /// Checks that every face can be evaluated; [`Self::shape_into`] relies on it.
    ///
    /// # Errors
    ///
    /// [`SurfaceError`] names the first face, point or operator that does not fit.
    pub fn validate(&self) -> Result<(), SurfaceError> {
        if self.weights.len() != self.points.len() {
            return Err(SurfaceError::WeightCount { points: self.points.len(), weights: self.weights.len() });
        }
        if let Some(point) = self.weights.iter().position(|&w| !(w > 0.0 && w.is_finite())) {
            return Err(SurfaceError::Weight { point, weight: self.weights[point] });
        }
        (0..self.faces.len()).try_for_each(|face| self.validate_face(face))
    }

    fn validate_face(&self, face: usize) -> Result<(), SurfaceError> {
        let Face { basis, points, orientation } = &self.faces[face];
        if points.len() != basis.n_points() {
            return Err(SurfaceError::PointCount { face, found: points.len(), needed: basis.n_points() });
        }
        if let Some(&point) = points.iter().find(|&&k| k as usize >= self.points.len()) {
            return Err(SurfaceError::PointIndex { face, point, points: self.points.len() });
        }
        if points.len() > MAX_FACE_POINTS {
            return Err(SurfaceError::Crowded { face, found: points.len() });
        }
        if orientation.abs() != 1.0 {
            return Err(SurfaceError::Orientation { face, orientation: *orientation });
        }
        if let FaceBasis::Combined { degrees, n_points, operator } = basis {
            if let Some(&degree) = degrees.iter().find(|degree| !(1..=MAX_DEGREE).contains(*degree)) {
                return Err(SurfaceError::Degree { face, degree });
            }
            let size = self.operators.get(*operator as usize).map(Vec::len);
            if size != Some(n_points * (degrees[0] + 1) * (degrees[1] + 1)) {
                return Err(SurfaceError::Operator { face, degree: degrees[0], operator: *operator });
            }
        }
        if let FaceBasis::Spline { degrees, operators } = basis {
            for (&degree, &operator) in degrees.iter().zip(operators) {
                if degree == 0 || degree > MAX_DEGREE {
                    return Err(SurfaceError::Degree { face, degree });
                }
                let size = self.operators.get(operator as usize).map(Vec::len);
                if size != Some((degree + 1) * (degree + 1)) {
                    return Err(SurfaceError::Operator { face, degree, operator });
                }
            }
        }
        Ok(())
    }

    /// Shape functions of a face and their parametric derivatives at ξ.
    ///
    /// ```text
    /// values[i] = R_i,   first[i] = [R_i,1  R_i,2],   second[i] = [R_i,11  R_i,12  R_i,22]
    /// ```
    ///
    /// The slices have (at least) one entry for each point of the face, in the order of [`Face::points`].
    /// Rational derivatives as in docs/theory/bodies.md, eq. (3): R_,a = (w N_,a − R W_,a)/W.
    pub fn shape_into(
        &self,
        face: usize,
        xi: [f64; 2],
        values: &mut [f64],
        first: &mut [[f64; 2]],
        second: &mut [[f64; 3]],
    ) {
        let Face { basis, points, .. } = &self.faces[face];
        match basis {
            FaceBasis::Lagrange(shape) => shape.shape_into(xi, values, first, second),
            FaceBasis::Spline { degrees, operators } => {
                let c = operators.map(|k| self.operators[k as usize].as_slice());
                shape::spline(*degrees, c, xi, values, first, second);
                let n = points.len();
                let weights = |i: usize| self.weights[points[i] as usize];
                shape::rational(weights, &mut values[..n], &mut first[..n], &mut second[..n]);
            }
            FaceBasis::Combined { degrees, n_points: n, operator } => {
                shape::combined(*degrees, &self.operators[*operator as usize], xi, values, first, second);
                let weights = |i: usize| self.weights[points[i] as usize];
                shape::rational(weights, &mut values[..*n], &mut first[..*n], &mut second[..*n]);
            }
        }
    }

    /// y(ξ) = Σ R_i y_i for positions of [`Self::points`].
    pub fn position(&self, face: usize, xi: [f64; 2], positions: &[[f64; 3]]) -> [f64; 3] {
        self.tangents(face, xi, positions).0
    }

    /// y(ξ) and the tangents y,₁ and y,₂ for positions of [`Self::points`].
    pub fn tangents(&self, face: usize, xi: [f64; 2], positions: &[[f64; 3]]) -> ([f64; 3], [[f64; 3]; 2]) {
        let n = self.faces[face].points.len();
        let (mut values, mut first, mut second) = (vec![0.0; n], vec![[0.0; 2]; n], vec![[0.0; 3]; n]);
        self.shape_into(face, xi, &mut values, &mut first, &mut second);
        let (mut y, mut y_a) = ([0.0; 3], [[0.0; 3]; 2]);
        for (i, &k) in self.faces[face].points.iter().enumerate() {
            for d in 0..3 {
                let x = positions[k as usize][d];
                y[d] += values[i] * x;
                y_a[0][d] += first[i][0] * x;
                y_a[1][d] += first[i][1] * x;
            }
        }
        (y, y_a)
    }
}

#[cfg(test)]
mod tests;
