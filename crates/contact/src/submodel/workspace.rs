//! Memory of a solve that holds no information from one call to the next.

use faer::Mat;
use nalgebra::{Matrix3, Vector3};

use super::model::PairModel;
use super::rubbing::Rubbing;
use super::tangents::SlipWork;
use super::{QuasistaticContact, Row, Solution};
use crate::geometry::FacesNow;
use crate::geometry::bezier::MAX_POINTS;
use crate::solver::ActiveSet;
use carom_fem::surface::MAX_FACE_POINTS;

/// Memory of [`QuasistaticContact::solve`], with the [`Solution`] of the last call.
///
/// Apart from speed nothing in it influences the next call. After a first call nothing is allocated unless a
/// contact grows beyond what was seen before.
pub struct Workspace {
    /// Result of the last call.
    pub solution: Solution,
    pub(super) pairs: Vec<PairWork>,
    /// Current positions of the points of each body in its frame.
    pub(super) positions: Vec<Vec<Vector3<f64>>>,
    pub(super) spans: SpanWork,
    /// Tangential motion, without friction for no span.
    pub(super) slip: SlipWork,
    pub(super) condensed: Condensed,
    /// Force and displacement of the step that is taken, and where it starts.
    pub(super) force: Vec<Vec<f64>>,
    pub(super) displacement: Vec<Vec<f64>>,
    pub(super) lambda: Vec<f64>,
    pub(super) base: Iterate,
    pub(super) history: Vec<f64>,
}

/// An iterate that a line search starts from.
#[derive(Default)]
pub(super) struct Iterate {
    pub(super) lambda: Vec<f64>,
    pub(super) force: Vec<Vec<f64>>,
    pub(super) displacement: Vec<Vec<f64>>,
}

/// Gaps of the present pass, one entry a span.
pub(super) struct SpanWork {
    pub(super) gap: Vec<f64>,
    /// True if gap and row are those of the present displacement.
    pub(super) evaluated: Vec<bool>,
    /// True if a foot point lies beyond the second zone where it was cut.
    pub(super) beyond_rim: Vec<bool>,
    /// True if a foot point lies on a face at which the second zone was cut.
    pub(super) near_second_rim: Vec<bool>,
    /// Normal rows, and with friction two tangential ones after each.
    pub(super) rows: Vec<Row>,
}

/// The condensed compliance W = Σ B U Bᵀ of some spans.
pub(super) struct Condensed {
    /// Checksum of the rows that it was made of, 0 without.
    pub(super) id: u64,
    /// Position of each row in W, `u32::MAX` outside.
    pub(super) position: Vec<u32>,
    /// W without the compliance of the law.
    pub(super) w: Mat<f64>,
    /// U Bᵀ for each body, one column a span.
    pub(super) responses: Vec<Mat<f64>>,
    /// Forces by which the rows of a pass differ from those of the last one, on the points of one body.
    pub(super) turn: Vec<(u32, [f64; 3])>,
    pub(super) solver: ActiveSet,
    /// In its place if there is friction.
    pub(super) friction: Option<Rubbing>,
    pub(super) q: Vec<f64>,
    pub(super) z: Vec<f64>,
}

/// Geometry of one pair.
pub(super) struct PairWork {
    /// Faces of the second zone, in the frame of its body.
    pub(super) second: Option<FacesNow>,
    /// Rotation and translation from the first body's frame to the second's.
    pub(super) rot_21: Matrix3<f64>,
    pub(super) r_21: Vector3<f64>,
    /// Points of the first zone in the frame of the second body.
    pub(super) first_in_2: Vec<Vector3<f64>>,
    /// How far each of them moved since the gaps were last taken.
    pub(super) moved: Vec<f64>,
    /// Of the points of the present span: position in the frame of the second body, and Σ w N_i n.
    pub(super) own: Vec<(Vector3<f64>, Vector3<f64>)>,
    pub(super) scatter: Scatter,
}

/// Collects what the foot points of one span do to the points of the second zone.
pub(super) struct Scatter {
    /// Faces met, each with vectors on its Bezier basis.
    pub(super) faces: Vec<(u32, Vec<Vector3<f64>>)>,
    pub(super) n_faces: usize,
    /// Vectors on the points of the zone, zero but for those listed.
    pub(super) on_points: Vec<Vector3<f64>>,
    pub(super) is_touched: Vec<bool>,
    pub(super) touched: Vec<u32>,
}

impl QuasistaticContact {
    /// Memory for [`Self::solve`].
    pub fn workspace(&self) -> Workspace {
        let (n, n_rows) = (self.n_spans, self.n_rows());
        let per_body =
            || -> Vec<Vec<f64>> { self.bodies.iter().map(|b| vec![0.0; 3 * b.n_points]).collect() };
        Workspace {
            solution: Solution::new(self),
            pairs: self.pairs.iter().map(|p| self.pair_work(p)).collect(),
            positions: self.bodies.iter().map(|b| vec![Vector3::zeros(); b.n_points]).collect(),
            spans: SpanWork {
                gap: vec![0.0; n],
                evaluated: vec![false; n],
                beyond_rim: vec![false; n],
                near_second_rim: vec![false; n],
                rows: vec![Row::default(); n_rows],
            },
            slip: SlipWork::new(if self.has_friction() { n } else { 0 }),
            condensed: Condensed {
                id: 0,
                position: vec![u32::MAX; n_rows],
                w: Mat::new(),
                responses: self.bodies.iter().map(|b| Mat::zeros(3 * b.n_points, 0)).collect(),
                turn: Vec::new(),
                solver: ActiveSet::new(),
                friction: self.has_friction().then(Rubbing::default),
                q: Vec::with_capacity(n_rows),
                z: Vec::with_capacity(n_rows),
            },
            force: per_body(),
            displacement: per_body(),
            lambda: vec![0.0; n_rows],
            base: Iterate { lambda: vec![0.0; n_rows], force: per_body(), displacement: per_body() },
            history: Vec::with_capacity(64),
        }
    }

    fn pair_work(&self, p: &PairModel) -> PairWork {
        let first = self.first(p);
        let second = self.face_zone(p.pair.second);
        let n_second = second.as_ref().map_or(0, |z| z.points.len());
        PairWork {
            second: second.map(|z| z.faces.state()),
            rot_21: Matrix3::identity(),
            r_21: Vector3::zeros(),
            first_in_2: vec![Vector3::zeros(); first.points.len()],
            moved: vec![0.0; first.points.len()],
            own: Vec::with_capacity(MAX_FACE_POINTS),
            scatter: Scatter {
                faces: Vec::new(),
                n_faces: 0,
                on_points: vec![Vector3::zeros(); n_second],
                is_touched: vec![false; n_second],
                touched: Vec::with_capacity(n_second),
            },
        }
    }
}

impl Scatter {
    /// The vectors on the n Bezier functions of a face, zero when it is met for the first time in a span.
    pub(super) fn face(&mut self, face: u32, n: usize) -> &mut [Vector3<f64>] {
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

    pub(super) fn add(&mut self, point: u32, v: Vector3<f64>) {
        let k = point as usize;
        if !self.is_touched[k] {
            self.is_touched[k] = true;
            self.touched.push(point);
        }
        self.on_points[k] += v;
    }

    /// Moves the collected vectors into a row and forgets them; `points` gives the body's number of a zone's
    /// point.
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
}
