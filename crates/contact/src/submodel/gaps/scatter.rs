//! Forces at foot points, spread over the points of a zone of faces.

use carom_fem::surface::MAX_FACE_POINTS;
use nalgebra::Vector3;

use crate::geometry::bezier::{MAX_POINTS, to_points};
use crate::geometry::jet::for_basis;
use crate::geometry::{Faces, FacesNow, FootPoint, Start, dual_components};

/// Collects the forces at the foot points of one pressure cell on the points of the second zone.
pub(super) struct Scatter {
    /// Faces met, each with vectors on its Bezier basis.
    faces: Vec<(u32, Vec<Vector3<f64>>)>,
    n_faces: usize,
    /// Vectors on the points of the zone, zero but for those listed.
    on_points: Vec<Vector3<f64>>,
    is_touched: Vec<bool>,
    touched: Vec<u32>,
}

impl Scatter {
    /// For a zone of n points.
    pub(super) fn new(n: usize) -> Self {
        Self {
            faces: Vec::new(),
            n_faces: 0,
            on_points: vec![Vector3::zeros(); n],
            is_touched: vec![false; n],
            touched: Vec::with_capacity(n),
        }
    }

    /// The vectors on the n Bezier functions of a face, zero when it is met for the first time in a cell.
    fn face(&mut self, face: u32, n: usize) -> &mut [Vector3<f64>] {
        let known = self.faces[..self.n_faces].iter().position(|(f, _)| *f == face);
        let k = known.unwrap_or_else(|| {
            if self.n_faces == self.faces.len() {
                self.faces.push((face, vec![Vector3::zeros(); MAX_POINTS]));
            }
            let (number, vectors) = &mut self.faces[self.n_faces];
            *number = face;
            vectors[..n].fill(Vector3::zeros());
            self.n_faces += 1;
            self.n_faces - 1
        });
        &mut self.faces[k].1[..n]
    }

    fn add(&mut self, point: u32, v: Vector3<f64>) {
        let k = point as usize;
        if !self.is_touched[k] {
            self.is_touched[k] = true;
            self.touched.push(point);
        }
        self.on_points[k] += v;
    }

    /// Moves the collected vectors into a row.
    ///
    /// * `points` — the body's number of each point of the zone
    pub(super) fn drain_into(&mut self, row: &mut Vec<(u32, [f64; 3])>, points: &[u32]) {
        row.clear();
        for &k in &self.touched {
            let v = std::mem::take(&mut self.on_points[k as usize]);
            self.is_touched[k as usize] = false;
            row.push((points[k as usize], v.into()));
        }
        self.touched.clear();
        self.n_faces = 0;
    }

    /// Adds b_j(ξ)/W(ξ) v to the vectors on the Bezier basis of the foot point's face.
    pub(super) fn spread(&mut self, faces: &Faces, now: &mut FacesNow, foot: Start, v: Vector3<f64>) {
        let kind = faces.kind(foot.face);
        let on_bezier = self.face(foot.face, kind.n_points());
        let mut values = [0.0; MAX_POINTS];
        for_basis(kind, foot.xi, |k, b| values[k] = b);
        let values = &values[..on_bezier.len()];
        let mut v = v;
        if !faces.is_polynomial(foot.face) {
            let q = faces.bezier(now, foot.face);
            v /= values.iter().zip(q).map(|(b, q)| b * q[3]).sum::<f64>();
        }
        on_bezier.iter_mut().zip(values).for_each(|(sum, b)| *sum += v * *b);
    }

    /// Adds the change of the gap by a turn of the rim, for a foot point on its rounding: the middle c = y −
    /// ρ n of the rounding turns with the face. Adds its change by the slip along a twisted rim, too:
    ///
    /// ```text
    /// n'·dc = N_K n'·dy_K + Σ_a (lever·yᵃ) N_K,a n·dy_K,    slip: −τ_a N_K,a (x − y)·dy_K
    /// ```
    #[cold]
    pub(super) fn spread_turn(&mut self, faces: &Faces, foot: &FootPoint, weight: f64) {
        let (mut values, mut first, mut second) =
            ([0.0; MAX_FACE_POINTS], [[0.0; 2]; MAX_FACE_POINTS], [[0.0; 3]; MAX_FACE_POINTS]);
        faces.surface.shape_into(foot.face as usize, foot.xi, &mut values, &mut first, &mut second);
        let own = foot.normal - foot.lever / faces.rim_radius;
        let turn = dual_components(&foot.tangents, &foot.lever);
        let from_rim = foot.normal * foot.gap + foot.lever;
        let points = &faces.surface.faces[foot.face as usize].points;
        for (&point, slope) in points.iter().zip(&first) {
            let along = |c: [f64; 2]| c[0] * slope[0] + c[1] * slope[1];
            self.add(point, (own * along(turn) + from_rim * along(foot.slip)) * -weight);
        }
    }

    /// Turns the vectors on the Bezier bases of the faces met into vectors on the points of the zone.
    pub(super) fn place_on_points(&mut self, faces: &Faces) {
        for k in 0..self.n_faces {
            let number = self.faces[k].0;
            let (face, n) = (&faces.surface.faces[number as usize], faces.kind(number).n_points());
            // Moved out for the call, as the shares go into the same collection.
            let on_bezier = std::mem::take(&mut self.faces[k].1);
            to_points(&faces.surface, face, &on_bezier[..n], |i, v| self.add(i, v));
            self.faces[k].1 = on_bezier;
        }
    }
}
