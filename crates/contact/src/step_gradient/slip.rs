//! First and second derivatives of the parameters of a foot point.
//!
//! The foot point of x on the face `y = Σ N_K y_K` has `r_a = (x − y)·y,a = 0`. With z = (x, y_1 … y_n),
//! `A_ab = −∂r_a/∂ξ_b` and `ξ_b,z = A^ba r_a,z`, a second derivative gives
//!
//! ```text
//! ξ_b,zz = A^ba (r_a,zz + r_a,zc ξ_c,zᵀ + ξ_c,z r_a,zcᵀ + r_a,cd ξ_c,z ξ_d,zᵀ)
//! r_a,cd = −(y,cd·y,a + y,c·y,ad + y,d·y,ac)
//! ```
//!
//! where commas before z differentiate at fixed ξ. r_a,cd leaves out (x − y)·y,acd: the gap of contact times
//! the third derivative of the face, zero for faces of first order.

use carom_fem::surface::MAX_FACE_POINTS;
use nalgebra::{Matrix3, Vector3};

use super::MOST;
use crate::geometry::foot::FootPoint;
use crate::geometry::{Faces, FacesNow};

/// The derivatives at one configuration.
pub(super) struct ParameterRows {
    values: [f64; MAX_FACE_POINTS],
    first: [[f64; 2]; MAX_FACE_POINTS],
    inverse: [[f64; 2]; 2],
    /// ξ_a,z by blocks.
    rows: [[Vector3<f64>; MOST]; 2],
    /// r_a,zc by blocks, at [a][c].
    mixed: [[[Vector3<f64>; MOST]; 2]; 2],
    /// r_a,cd.
    curved: [[[f64; 2]; 2]; 2],
}

impl ParameterRows {
    /// At an orthogonal projection; `None` if it is not unique.
    ///
    /// * `x` — the node \[m\]
    pub(super) fn new(faces: &Faces, now: &FacesNow, foot: &FootPoint, x: &Vector3<f64>) -> Option<Self> {
        let (mut values, mut first, mut second) =
            ([0.0; MAX_FACE_POINTS], [[0.0; 2]; MAX_FACE_POINTS], [[0.0; 3]; MAX_FACE_POINTS]);
        faces.surface.shape_into(foot.face as usize, foot.xi, &mut values, &mut first, &mut second);
        let points = &faces.surface.faces[foot.face as usize].points;
        let inverse = foot.inverse()?;
        let t = foot.tangents;
        let mut bends = [Vector3::zeros(); 3];
        for (&point, n) in points.iter().zip(&second) {
            let y = now.positions()[point as usize];
            (0..3).for_each(|k| bends[k] += n[k] * y);
        }
        let bend = |a: usize, b: usize| bends[a + b];
        let d = x - foot.position;
        let zeros = [Vector3::zeros(); MOST];
        let (mut by_place, mut mixed, mut curved) = ([zeros; 2], [[zeros; 2]; 2], [[[0.0; 2]; 2]; 2]);
        for a in 0..2 {
            by_place[a][0] = t[a];
            for k in 0..points.len() {
                by_place[a][k + 1] = first[k][a] * d - values[k] * t[a];
            }
            for c in 0..2 {
                mixed[a][c][0] = bend(a, c);
                for k in 0..points.len() {
                    mixed[a][c][k + 1] = second[k][a + c] * d
                        - first[k][c] * t[a]
                        - values[k] * bend(a, c)
                        - first[k][a] * t[c];
                }
                for e in 0..2 {
                    let terms = bend(c, e).dot(&t[a]) + t[c].dot(&bend(a, e)) + t[e].dot(&bend(a, c));
                    curved[a][c][e] = -terms;
                }
            }
        }
        let rows = [0, 1].map(|b| {
            std::array::from_fn(|block| {
                inverse[b][0] * by_place[0][block] + inverse[b][1] * by_place[1][block]
            })
        });
        Some(Self { values, first, inverse, rows, mixed, curved })
    }

    /// ξ_a,z of a block.
    pub(super) fn row(&self, a: usize, block: usize) -> Vector3<f64> {
        self.rows[a][block]
    }

    /// ξ_b,zz of two blocks.
    pub(super) fn hessian(&self, b: usize, i: usize, j: usize) -> Matrix3<f64> {
        let mut sum = Matrix3::zeros();
        for a in 0..2 {
            let mut of_a = Matrix3::identity() * self.of_places(a, i, j);
            for c in 0..2 {
                of_a += self.mixed[a][c][i] * self.rows[c][j].transpose();
                of_a += self.rows[c][i] * self.mixed[a][c][j].transpose();
                for e in 0..2 {
                    of_a += self.curved[a][c][e] * self.rows[c][i] * self.rows[e][j].transpose();
                }
            }
            sum += self.inverse[b][a] * of_a;
        }
        sum
    }

    /// Factor of the unit matrix in r_a,zz.
    fn of_places(&self, a: usize, i: usize, j: usize) -> f64 {
        match (i, j) {
            (0, 0) => 0.0,
            (0, k) | (k, 0) => self.first[k - 1][a],
            (k, l) => {
                let (k, l) = (k - 1, l - 1);
                -(self.values[k] * self.first[l][a] + self.first[k][a] * self.values[l])
            }
        }
    }
}
