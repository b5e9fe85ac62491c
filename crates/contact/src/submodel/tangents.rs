//! Friction: the tangential rows of a span, and what is remembered of it from one accepted state to the next.
//!
//! Within a step from an accepted state (index n) the slip of a span is what its mean position moves over the
//! material points that were its foot points then,
//!
//! ```text
//! s_a = t_a · [ (x̄ − Σ_g w_g y(ξ_g,n)) − (x̄ − Σ_g w_g y(ξ_g,n))_n ],    a = 1, 2
//! ```
//!
//! in the frame of the second body, with orthonormal tangents t_a; with the law's own compliance d and the
//! tangential force τ,
//!
//! ```text
//! σ = s + d (τ − τ_n),    |τ| ≤ μ λ,    σ = 0 if |τ| < μ λ,    τ = −μ λ σ/|σ| otherwise.
//! ```
//!
//! That is Coulomb's law by one implicit step from the accepted state (docs/theory/contact.md, eq. (57)):
//! exact while the direction of slip stays, so that an integrator of high order sees a smooth right-hand
//! side. The force acts at the mean position of the span on both bodies: both momenta are kept.

use nalgebra::Vector3;

use super::evaluate::{place_on_points, spread};
use super::model::{FaceZone, PairModel};
use super::workspace::{PairWork, Workspace};
use super::{QuasistaticContact, Row, WarmState};
use crate::geometry::Start;

/// What is remembered of a span with friction since the last accepted state, in the frame of the second body.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Anchor {
    /// Tangential force then \[N\].
    pub force: [f64; 3],
    /// Its mean position less that of its foot points then \[m\].
    pub offset: [f64; 3],
    /// False if the span was not looked at: it has no friction until the next accepted state.
    pub is_set: bool,
    /// Axis of that frame along which the first tangent lies as far as it can.
    pub axis: u8,
}

/// Memory of friction; empty without friction.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FrictionMemory {
    /// One for each span.
    pub anchors: Vec<Anchor>,
    /// Foot points of all integration points at the last accepted state.
    pub feet: Vec<Start>,
    /// Energy that friction has taken until then \[J\].
    pub loss: f64,
}

impl FrictionMemory {
    /// True if a span had a tangential force at the last accepted state.
    pub(super) fn is_sheared(&self, span: usize) -> bool {
        self.anchors.get(span).is_some_and(|anchor| anchor.force != [0.0; 3])
    }
}

/// Tangential motion of the spans at the present pass.
pub(super) struct SlipWork {
    /// Orthonormal tangents in the frame of the second body.
    pub(super) tangents: Vec<[Vector3<f64>; 2]>,
    /// Mean position less that of the present foot points, in that frame.
    pub(super) offset: Vec<Vector3<f64>>,
    /// s_a since the last accepted state.
    pub(super) slip: Vec<[f64; 2]>,
    /// τ_n along the present tangents.
    pub(super) before: Vec<[f64; 2]>,
    /// σ_a of the last linearised problem.
    pub(super) sliding: Vec<[f64; 2]>,
    /// μ now: zero for spans without an anchor, and for those that the pass did not look at.
    pub(super) friction: Vec<f64>,
}

impl SlipWork {
    /// Room for n spans.
    pub(super) fn new(n: usize) -> Self {
        Self {
            tangents: vec![[Vector3::zeros(); 2]; n],
            offset: vec![Vector3::zeros(); n],
            slip: vec![[0.0; 2]; n],
            before: vec![[0.0; 2]; n],
            sliding: vec![[0.0; 2]; n],
            friction: vec![0.0; n],
        }
    }
}

/// Normals may come this near to an axis before the tangents turn to another: in between they follow the
/// normal, so that components of forces mean the same from pass to pass.
const NEAR_AXIS: f64 = 0.8;

/// Two unit vectors across a normal, of which the first lies in the plane of the normal and the axis.
fn tangents(normal: &Vector3<f64>, axis: &mut u8) -> [Vector3<f64>; 2] {
    if normal[usize::from(*axis)].abs() > NEAR_AXIS {
        *axis = normal.iamin() as u8;
    }
    let along = normal[usize::from(*axis)];
    let first = (Vector3::ith(usize::from(*axis), 1.0) - normal * along).normalize();
    [first, normal.cross(&first)]
}

impl QuasistaticContact {
    /// Tangential rows and slip of a span whose foot points and normal (of any length) are those of this
    /// pass.
    pub(super) fn evaluate_tangents(
        &self,
        k: usize,
        span: usize,
        (first, second): &(FaceZone<'_>, Option<FaceZone<'_>>),
        normal: &Vector3<f64>,
        warm: &mut WarmState,
        work: &mut Workspace,
    ) {
        let pair = &self.pairs[k];
        let s = pair.span_offset + span;
        let (work_pair, spans, slip) = (&mut work.pairs[k], &mut work.spans, &mut work.slip);
        let rows = &mut spans.rows[self.n_parts * s + 1..self.n_parts * (s + 1)];
        rows.iter_mut().for_each(Row::clear);
        slip.friction[s] = 0.0;
        let Some(normal) = normal.try_normalize(0.0).filter(|_| self.span_friction[s] > 0.0) else { return };
        let tangents = tangents(&normal, &mut warm.friction.anchors[s].axis);
        let place = |i: u32| work_pair.first_in_2[i as usize];
        let middle = pair.spans.center(span, place);
        let rot_12 = work_pair.rot_21.transpose();
        for (row, tangent) in rows.iter_mut().zip(tangents) {
            let along = rot_12 * tangent;
            let points = pair.spans.points(span).iter().zip(pair.spans.means(span));
            row.first.extend(points.map(|(&i, mean)| (first.points[i as usize], (along * *mean).into())));
        }
        let anchor = &warm.friction.anchors[s];
        let [offset, moved] = match second {
            None => {
                for (row, tangent) in rows.iter_mut().zip(tangents) {
                    row.reaction = [-tangent, -middle.cross(&tangent)].map(Into::into);
                }
                [middle; 2]
            }
            Some(zone) => {
                let [now, then] = across_faces(pair, span, zone, &tangents, middle, warm, (rows, work_pair));
                [middle - now, middle - then]
            }
        };
        slip.tangents[s] = tangents;
        slip.offset[s] = offset;
        if anchor.is_set {
            slip.friction[s] = self.span_friction[s];
            slip.slip[s] = tangents.map(|t| t.dot(&(moved - Vector3::from(anchor.offset))));
            slip.before[s] = carried(&Vector3::from(anchor.force), &tangents);
            // Without a force now, which spans that are open have.
            let d = pair.compliance[span];
            slip.sliding[s] = std::array::from_fn(|a| slip.slip[s][a] - d * slip.before[s][a]);
        }
    }

    /// Takes the state of the last solve as accepted: friction goes on from there.
    ///
    /// * `warm` — that of the last solve
    pub fn accept(&self, warm: &mut WarmState, work: &Workspace) {
        if !self.has_friction() {
            return;
        }
        warm.friction.loss = work.solution.friction_loss;
        warm.friction.feet.copy_from_slice(&warm.feet);
        for (s, anchor) in warm.friction.anchors.iter_mut().enumerate() {
            let is_known = work.spans.evaluated[s] && self.span_friction[s] > 0.0;
            *anchor = Anchor { axis: anchor.axis, ..Anchor::default() };
            if is_known {
                let [first, second] = work.slip.tangents[s];
                let force = first * work.lambda[3 * s + 1] + second * work.lambda[3 * s + 2];
                (anchor.force, anchor.offset) = (force.into(), work.slip.offset[s].into());
                anchor.is_set = true;
            }
        }
    }

    /// Energy lost since the last accepted state, the trapezoidal rule of −τ·dσ.
    pub(super) fn loss_of_step(&self, work: &Workspace) -> f64 {
        if !self.has_friction() {
            return 0.0;
        }
        let of_span = |s: usize| -> f64 {
            let (before, sliding) = (&work.slip.before[s], &work.slip.sliding[s]);
            (0..2).map(|a| -0.5 * (before[a] + work.lambda[3 * s + 1 + a]) * sliding[a]).sum()
        };
        (0..self.n_spans).filter(|&s| work.slip.friction[s] > 0.0).map(of_span).sum()
    }
}

/// Components of a tangential force along tangents that have turned a little; its size stays.
fn carried(force: &Vector3<f64>, tangents: &[Vector3<f64>; 2]) -> [f64; 2] {
    let along = tangents.map(|t| t.dot(force));
    let length = along[0].hypot(along[1]);
    if length > 0.0 { along.map(|a| a * force.norm() / length) } else { [0.0; 2] }
}

/// Tangential forces on a second zone of faces into the rows; the mean positions of the foot points and of
/// the material points that were foot points at the last accepted state.
fn across_faces(
    pair: &PairModel,
    span: usize,
    zone: &FaceZone<'_>,
    tangents: &[Vector3<f64>; 2],
    middle: Vector3<f64>,
    warm: &WarmState,
    (rows, work): (&mut [Row], &mut PairWork),
) -> [Vector3<f64>; 2] {
    let faces = zone.faces;
    let mut now = work.second.take().expect("a zone of faces has a state");
    let weights = pair.spans.weights(span);
    let start = pair.foot_offset + pair.spans.start[span] as usize;
    let feet = &warm.feet[start..start + weights.len()];
    let mut mean = |feet: &[Start]| -> Vector3<f64> {
        let places = feet.iter().zip(weights);
        places.map(|(foot, w)| faces.position(&mut now, foot.face, foot.xi) * *w).sum()
    };
    let means = [mean(feet), mean(&warm.friction.feet[start..start + weights.len()])];
    for (row, tangent) in rows.iter_mut().zip(tangents) {
        for (foot, w) in feet.iter().zip(weights) {
            spread(faces, &mut now, *foot, tangent * -w, &mut work.scatter);
        }
        place_on_points(faces, &mut work.scatter);
        work.scatter.drain_into(&mut row.second, zone.points);
        // The foot points lie beside the mean position of the span by their gaps, whose mean alone is none.
        row.reaction = [[0.0; 3], (-(middle - means[0]).cross(tangent)).into()];
    }
    work.second = Some(now);
    means
}
