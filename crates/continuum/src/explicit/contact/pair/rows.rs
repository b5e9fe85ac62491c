//! Rows of a pair: the points that a gap moves, with their weights.

use carom_contact::geometry::{Faces, FootPoint};
use carom_dynamics::Pose;
use nalgebra::Vector3;

use super::around::{Around, Few};
use super::side::End;
use super::{Pair, SUDDEN, TURN, pose};
use crate::explicit::bodies::Bodies;
use crate::explicit::contact::KEPT;
use crate::explicit::contact::row::{RowStart, Rows};
use crate::explicit::which::Which;

impl Pair {
    /// Adds one row with the weights of its points.
    pub(super) fn add_row(
        &mut self,
        (number, k): (usize, usize),
        bodies: &Bodies,
        frame: &Pose,
        (is_ahead, dt): (bool, f64),
        rows: &mut Rows,
    ) {
        let found = self.gaps.rows()[k];
        let (side, foot) = (found.side, &found.foot);
        let normal = frame.rotation * foot.normal;
        let mut around = Around::default();
        let ends = &self.ends;
        self.gaps.for_gradient(&found, |of, point, weight| around.add(of == side, point, weight));
        let which = [ends[side].which(around.node.first()), ends[1 - side].which(around.faced.first())];
        if which.iter().all(|which| matches!(which, Which::Rigid(_))) {
            return;
        }
        let now = |of: usize, point: u32| place_now(&ends[of], point, bodies);
        let sum = |of: usize, list: &Few| -> Vector3<f64> {
            // Weights of the faced side have the sign of the gap.
            let sign = if of == side { 1.0 } else { -1.0 };
            list.iter().map(|(point, weight)| sign * weight * now(of, point)).sum()
        };
        // Shells touch with surfaces at half of their thickness.
        let half = |of: usize, list: &Few| -> f64 {
            let halves = &ends[of].halves;
            let of_point = |(point, weight): (u32, f64)| weight.abs() * halves[point as usize];
            if halves.is_empty() { 0.0 } else { list.iter().map(of_point).sum() }
        };
        let halves = [half(side, &around.node), half(1 - side, &around.faced)];
        let wall = halves[0] + halves[1];
        let diagonal = self.diagonals[1 - side].get(foot.face as usize).copied().unwrap_or(self.size);
        let node_now = sum(side, &around.node);
        // Position of the foot point at t_n, which moves with its points, or with the rigid body.
        let foot_now = match which[1] {
            Which::Rigid(body) => {
                let there = if self.frame == Some(body) {
                    foot.position
                } else {
                    let pose = pose(bodies, body, is_ahead);
                    pose.rotation.tr_mul(&(foot.position - pose.position))
                };
                pose(bodies, body, false).point(&there)
            }
            Which::Flexible(_) => sum(1 - side, &around.faced),
        };
        let gap_now = normal.dot(&(node_now - foot_now)) - wall;
        let is_rigid_node = matches!(which[0], Which::Rigid(_));
        let place = if is_rigid_node { foot_now } else { node_now };
        let velocity = |of: usize, list: &Few| match (which[usize::from(of != side)], &bodies.rigid) {
            (Which::Rigid(body), Some(rigid)) => rigid.velocity_ahead(body, &place),
            (Which::Rigid(_), None) => Vector3::zeros(),
            (Which::Flexible(body), _) => {
                let sign = if of == side { 1.0 } else { -1.0 };
                let of_point = |(point, weight): (u32, f64)| {
                    sign * weight * bodies.flexible[body].velocities(ends[of].points[point as usize])[1]
                };
                list.iter().map(of_point).sum()
            }
        };
        let relative = velocity(side, &around.node) - velocity(1 - side, &around.faced);
        // A node that is suddenly deep behind a face has come around the rim of an open surface.
        let is_sheet = self.is_automatic && half(1 - side, &around.faced) > 0.0;
        let is_across = is_in_front(self.gaps.side(1 - side).shape.as_faces(), foot, is_sheet);
        let slip = dt * (relative - normal * normal.dot(&relative));
        let offset = self.offset((side, found.node), gap_now);
        let is_sudden = -(gap_now + offset) > f64::max(SUDDEN * self.size, TURN * slip.norm());
        if is_sudden && self.step > 1 && ends[side].seen[found.node as usize] + 1 < self.step {
            return;
        }
        rows.begin(RowStart {
            pair: number as u32,
            side,
            node: found.node,
            other: 0,
            bodies: which.map(|which| bodies.number(which) as u32),
            normal,
            place,
            gap_now,
            gap: if is_ahead { foot.gap - wall } else { gap_now } + offset,
            least: KEPT * (gap_now + offset).min(0.0),
            slip,
            length: length(halves, diagonal),
        });
        for (end, of) in [(0, side), (1, 1 - side)] {
            match which[end] {
                Which::Rigid(body) => {
                    let com = bodies.rigid.as_ref().map_or(place, |rigid| rigid.now(body).position);
                    rows.add_rigid(bodies, body, end, place - com);
                }
                Which::Flexible(body) if end == 0 => {
                    for (point, weight) in around.node.iter() {
                        rows.add_point(bodies, (body, end), ends[of].points[point as usize], weight);
                    }
                }
                Which::Flexible(body) => {
                    if !is_rigid_node {
                        around.faced.balance(&normal, &place, |point| now(of, point));
                    }
                    for (point, weight) in around.faced.iter() {
                        rows.add_point(bodies, (body, end), ends[of].points[point as usize], weight);
                    }
                }
            }
        }
        self.note_overlap((side, found.node), gap_now, which);
        if is_across {
            self.ends[side].seen[found.node as usize] = self.step;
        }
    }
}

/// Length to which the tolerance of a gap is relative: the smaller thickness of the shells or beams that
/// touch, without them the size of the face or of the edges (Zywicz & Puso 1999, eq. (61)).
///
/// * `halves` — distance of the surface from node and face, or from both edges, 0 for solids \[m\]
pub(super) fn length(halves: [f64; 2], size: f64) -> f64 {
    let thickness = halves.into_iter().filter(|half| *half > 0.0).map(|half| 2.0 * half);
    thickness.reduce(f64::min).unwrap_or(size)
}

/// True for a node over or behind a face, false for one beside a rim: behind the plane of the face there it
/// has not come through the surface. Rims of sheets are round and hold nodes like their sides.
fn is_in_front(faces: Option<&Faces>, foot: &FootPoint, is_sheet: bool) -> bool {
    let Some(faces) = faces.filter(|_| !is_sheet) else { return true };
    let face_normal = foot.tangents[0].cross(&foot.tangents[1]) * faces.orientation(foot.face);
    foot.normal.dot(&face_normal) >= 0.9 * face_normal.norm()
}

/// x_n of a point of a surface, inertial axes.
fn place_now(end: &End, point: u32, bodies: &Bodies) -> Vector3<f64> {
    match end.which(Some(point)) {
        Which::Flexible(body) => bodies.flexible[body].place(end.points[point as usize]),
        Which::Rigid(body) => pose(bodies, body, false).point(&end.rest[point as usize]),
    }
}
