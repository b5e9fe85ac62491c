//! A pass: the gaps of the spans and their gradients at the present displacement.

use carom_fem::surface::MAX_FACE_POINTS;
use nalgebra::Vector3;

use super::model::{FaceZone, PairModel};
use super::workspace::{PairWork, Scatter, Workspace};
use super::{BodyState, QuasistaticContact, Row, SpanMemory, WarmState};
use crate::geometry::bezier::{MAX_POINTS, to_points};
use crate::geometry::jet::for_basis;
use crate::geometry::{Faces, FacesNow, FootPoint, Start, dual_components};

/// Relative motion after which a foot point is searched anew and not followed, in sizes of the span.
const SEARCH_ANEW: f64 = 0.5;

impl QuasistaticContact {
    /// Positions of all points and the relative pose of each pair; run before each pass.
    pub(super) fn place(&self, states: &[BodyState<'_>], work: &mut Workspace) {
        for (b, state) in states.iter().enumerate() {
            let u = &work.displacement[b];
            for (k, x) in work.positions[b].iter_mut().enumerate() {
                *x = Vector3::from_fn(|d, _| state.positions_b[3 * k + d] + u[3 * k + d]);
            }
        }
        for (pair, work_pair) in self.pairs.iter().zip(&mut work.pairs) {
            let first = self.first(pair);
            let (one, two) = (&states[first.body], &states[self.zones[pair.pair.second].body]);
            work_pair.rot_21 = two.rot_ib.transpose() * one.rot_ib;
            work_pair.r_21 = two.rot_ib.transpose() * (one.r_ib_i - two.r_ib_i);
            for (x, &k) in work_pair.first_in_2.iter_mut().zip(first.points) {
                *x = work_pair.rot_21 * work.positions[first.body][k as usize] + work_pair.r_21;
            }
        }
    }

    /// Gaps and rows of all spans that may be closed, or have a force, at the present displacement.
    pub(super) fn pass(&self, states: &[BodyState<'_>], warm: &mut WarmState, work: &mut Workspace) {
        self.place(states, work);
        for (k, pair) in self.pairs.iter().enumerate() {
            let largest = self.follow_second(k, warm, work);
            self.follow_first(k, largest, warm, work);
            let zones = (self.first(pair), self.face_zone(pair.pair.second));
            for span in 0..pair.spans.len() {
                let s = pair.span_offset + span;
                let memory = warm.spans[s];
                let is_loaded = work.lambda[self.n_parts * s] > 0.0;
                // What parts within a step gives its shear back there, which is part of the loss.
                let needed =
                    memory.slack <= 0.5 * memory.gap.max(0.0) || is_loaded || warm.friction.is_sheared(s);
                work.spans.evaluated[s] = needed && self.evaluate(k, span, &zones, warm, work);
                if self.has_friction() && !work.spans.evaluated[s] {
                    // What an earlier call has left of it is no part of this one.
                    work.slip.friction[s] = 0.0;
                }
                work.spans.gap[s] = warm.spans[s].gap;
            }
        }
    }

    /// Moves the faces of a second zone; returns how far its points moved at most.
    fn follow_second(&self, k: usize, warm: &mut WarmState, work: &mut Workspace) -> f64 {
        let Some(zone) = self.face_zone(self.pairs[k].pair.second) else { return 0.0 };
        let positions = &work.positions[zone.body];
        let mut largest = 0.0f64;
        for (last, &point) in warm.second_positions[k].iter_mut().zip(zone.points) {
            let x = positions[point as usize];
            largest = largest.max((x - Vector3::from(*last)).norm());
            *last = x.into();
        }
        let now = work.pairs[k].second.as_mut().expect("a zone of faces has a state");
        let place = |i: usize| positions[zone.points[i] as usize];
        if (0..zone.points.len()).any(|i| now.positions()[i] != place(i)) {
            now.set_positions(place);
        }
        largest
    }

    /// Takes the motion of the first zone's points, and that of the second's, off the bounds of the gaps.
    fn follow_first(&self, k: usize, second: f64, warm: &mut WarmState, work: &mut Workspace) {
        let (pair, work) = (&self.pairs[k], &mut work.pairs[k]);
        for ((last, x), moved) in
            warm.first_positions[k].iter_mut().zip(&work.first_in_2).zip(&mut work.moved)
        {
            *moved = (x - Vector3::from(*last)).norm();
            *last = (*x).into();
        }
        for (span, memory) in warm.spans[pair.span_offset..].iter_mut().take(pair.spans.len()).enumerate() {
            let first = pair.spans.points(span).iter().map(|&i| work.moved[i as usize]).fold(0.0, f64::max);
            memory.slack -= first + second;
            if first + second > SEARCH_ANEW * pair.spans.area[span].sqrt() {
                memory.has_feet = false;
            }
        }
    }

    /// Gap and row of one span. False if it is so far away that a bound on its gap is all that was found.
    fn evaluate(
        &self,
        k: usize,
        span: usize,
        zones: &(FaceZone<'_>, Option<FaceZone<'_>>),
        warm: &mut WarmState,
        work: &mut Workspace,
    ) -> bool {
        let (first, second) = zones;
        let pair = &self.pairs[k];
        let s = pair.span_offset + span;
        let (work_pair, spans) = (&mut work.pairs[k], &mut work.spans);
        let near = warm.spans[s].has_feet;
        if let Some(gap) = second.as_ref().filter(|_| !near).and_then(|z| far_away(pair, span, z, work_pair))
        {
            warm.spans[s] = SpanMemory { gap, slack: gap, overlap: 0.0, has_feet: false };
            return false;
        }
        let feet_start = pair.foot_offset + pair.spans.start[span] as usize;
        let feet = &mut warm.feet[feet_start..feet_start + pair.spans.weights(span).len()];
        let has_feet = warm.spans[s].has_feet;
        let sums = if let Some(zone) = second {
            let now = work_pair.second.take().expect("a zone of faces has a state");
            let (sums, now) = average_on_faces(pair, span, zone, has_feet, feet, work_pair, now);
            work_pair.second = Some(now);
            sums
        } else {
            let shape = &self.zones[pair.pair.second].shape;
            average(pair, span, work_pair, |_, _, x| shape.closest(0, x).expect("it has no faces"))
        };
        let (mut gap, mut slack) = (sums.gap, sums.gap);
        // What lies behind the zone, or turns its back on it, does not touch it; but it may turn round.
        let outward = |span| pair.spans.normal(span, &work_pair.first_in_2);
        if gap < -pair.max_depth || gap < 0.0 && outward(span).dot(&sums.normal) >= 0.0 {
            (gap, slack) = (-gap, 0.0);
        }
        let slips_in = gap > 0.0 && sums.deepest > 0.0 && outward(span).dot(&sums.normal) < 0.0;
        let overlap = if slips_in { sums.deepest } else { 0.0 };
        warm.spans[s] = SpanMemory { gap, slack, overlap, has_feet: true };
        spans.beyond_rim[s] = sums.beyond_rim;
        spans.near_second_rim[s] = sums.near_second_rim;
        let points = pair.spans.points(span);
        write_row(&mut spans.rows[self.n_parts * s], points, first, second.as_ref(), &sums, work_pair);
        if self.has_friction() {
            self.evaluate_tangents(k, span, zones, &sums.normal, warm, work);
        }
        true
    }
}

/// Turns the sums over a span into its row, in the frames of the two bodies.
fn write_row(
    row: &mut Row,
    points: &[u32],
    first: &FaceZone<'_>,
    second: Option<&FaceZone<'_>>,
    sums: &Sums,
    work: &mut PairWork,
) {
    let rot_12 = work.rot_21.transpose();
    row.first.clear();
    for (&i, (_, share)) in points.iter().zip(&work.own) {
        row.first.push((first.points[i as usize], (rot_12 * share).into()));
    }
    row.second.clear();
    row.reaction = [[0.0; 3]; 2];
    match second {
        Some(zone) => work.scatter.drain_into(&mut row.second, zone.points),
        None => row.reaction = sums.reaction.map(Into::into),
    }
}

/// Sums over the integration points of a span, in the frame of the second body.
struct Sums {
    gap: f64,
    /// Mean normal.
    normal: Vector3<f64>,
    /// −Σ w n and −Σ w y × n.
    reaction: [Vector3<f64>; 2],
    /// Depth of the deepest integration point that lies in front of the zone, 0 if none is inside.
    deepest: f64,
    beyond_rim: bool,
    near_second_rim: bool,
}

/// Averages over a span, and Σ w N_i n of its points in `work.own`, with the foot points that `project` finds
/// for integration point and position.
fn average(
    pair: &PairModel,
    span: usize,
    work: &mut PairWork,
    mut project: impl FnMut(&mut Scatter, (usize, f64), &Vector3<f64>) -> FootPoint,
) -> Sums {
    let points = pair.spans.points(span);
    let n = points.len();
    let mut sums = Sums {
        gap: 0.0,
        normal: Vector3::zeros(),
        reaction: [Vector3::zeros(); 2],
        deepest: 0.0,
        beyond_rim: false,
        near_second_rim: false,
    };
    work.own.clear();
    work.own.extend(points.iter().map(|&i| (work.first_in_2[i as usize], Vector3::zeros())));
    for (g, (&w, values)) in
        pair.spans.weights(span).iter().zip(pair.spans.values(span).chunks_exact(n)).enumerate()
    {
        let mut x = Vector3::zeros();
        work.own.iter().zip(values).for_each(|((position, _), r)| x += position * *r);
        let foot = project(&mut work.scatter, (g, w), &x);
        let weighted = foot.push() * w;
        sums.gap += w * foot.gap;
        sums.normal += foot.normal * w;
        sums.reaction[0] -= weighted;
        sums.reaction[1] -= foot.position.cross(&weighted);
        if !foot.beyond_rim && -foot.gap <= pair.max_depth {
            sums.deepest = sums.deepest.max(-foot.gap);
        }
        sums.beyond_rim |= foot.beyond_rim;
        work.own.iter_mut().zip(values).for_each(|((_, share), r)| *share += weighted * *r);
    }
    sums
}

/// As [`average`] for a second zone of faces: foot points are followed, forces spread over the zone's points.
fn average_on_faces(
    pair: &PairModel,
    span: usize,
    zone: &FaceZone<'_>,
    has_feet: bool,
    feet: &mut [Start],
    work: &mut PairWork,
    mut now: FacesNow,
) -> (Sums, FacesNow) {
    let faces = zone.faces;
    let mut last: Option<Start> = None;
    let mut near_rim = false;
    let mut sums = average(pair, span, work, |scatter, (g, w), x| {
        let start = if has_feet { Some(feet[g]) } else { last };
        let foot = match start {
            Some(start) => faces.project(&mut now, x, start),
            None => faces.closest(&mut now, x).expect("a zone with spans or feet has faces"),
        };
        feet[g] = Start { face: foot.face, xi: foot.xi };
        last = Some(feet[g]);
        near_rim |= faces.topology.at_cut(foot.face, faces.domain(foot.face));
        spread(faces, &mut now, feet[g], foot.push() * -w, scatter);
        if foot.lever != Vector3::zeros() {
            spread_turn(faces, &foot, w, scatter);
        }
        foot
    });
    sums.near_second_rim = near_rim;
    place_on_points(faces, &mut work.scatter);
    (sums, now)
}

/// Turns the vectors on the Bezier bases of the faces met into vectors on the points of the zone.
pub(super) fn place_on_points(faces: &Faces, scatter: &mut Scatter) {
    for k in 0..scatter.n_faces {
        let number = scatter.faces[k].0;
        let (face, n) = (&faces.surface.faces[number as usize], faces.kind(number).n_points());
        // Taken out for the call, as the shares go into the same collection.
        let on_bezier = std::mem::take(&mut scatter.faces[k].1);
        to_points(&faces.surface, face, &on_bezier[..n], |i, v| scatter.add(i, v));
        scatter.faces[k].1 = on_bezier;
    }
}

/// Adds b_j(ξ)/W(ξ) v to the vectors on the Bezier basis of the foot point's face.
pub(super) fn spread(faces: &Faces, now: &mut FacesNow, foot: Start, v: Vector3<f64>, scatter: &mut Scatter) {
    let kind = faces.kind(foot.face);
    let on_bezier = scatter.face(foot.face, kind.n_points());
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

/// Adds what the turn of the rim does to the gap of a foot point on its bead, whose middle c = y − ρ n turns
/// with the face, and what its slip does along a twisted rim:
///
/// ```text
/// n'·dc = N_K n'·dy_K + Σ_a (lever·yᵃ) N_K,a n·dy_K,    slip: −τ_a N_K,a (x − y)·dy_K
/// ```
#[cold]
fn spread_turn(faces: &Faces, foot: &FootPoint, weight: f64, scatter: &mut Scatter) {
    let (mut values, mut first, mut second) =
        ([0.0; MAX_FACE_POINTS], [[0.0; 2]; MAX_FACE_POINTS], [[0.0; 3]; MAX_FACE_POINTS]);
    faces.surface.shape_into(foot.face as usize, foot.xi, &mut values, &mut first, &mut second);
    let own = foot.normal - foot.lever / faces.rim_radius;
    let turn = dual_components(&foot.tangents, &foot.lever);
    let from_rim = foot.normal * foot.gap + foot.lever;
    let points = &faces.surface.faces[foot.face as usize].points;
    for (&point, slope) in points.iter().zip(&first) {
        let along = |c: [f64; 2]| c[0] * slope[0] + c[1] * slope[1];
        scatter.add(point, (own * along(turn) + from_rim * along(foot.slip)) * -weight);
    }
}

/// A bound from below on the gap of a span that is several of its own sizes away from the box of the second
/// zone.
fn far_away(pair: &PairModel, span: usize, zone: &FaceZone<'_>, work: &mut PairWork) -> Option<f64> {
    let points = pair.spans.points(span);
    let x = |&i: &u32| work.first_in_2[i as usize];
    let center: Vector3<f64> = points.iter().map(x).sum::<Vector3<f64>>() / points.len() as f64;
    let radius = points.iter().map(|i| (x(i) - center).norm()).fold(0.0, f64::max);
    let now = work.second.as_mut().expect("a zone of faces has a state");
    let bounds = zone.faces.bounds(now);
    let outside = (bounds[0] - center).sup(&(center - bounds[1])).sup(&Vector3::zeros());
    // Beads stand out by their radius, and what is beside them below the surface is nearer by another.
    let distance = outside.norm() - radius - 2.0 * zone.faces.rim_radius;
    (distance > 4.0 * radius).then_some(distance)
}
