//! Faces of its own body that a node never touches: those around it, those behind it, and those that it does
//! not face.

use nalgebra::Vector3;

use super::body_boxes::BodyBoxes;
use super::sheets::Sheets;
use super::{ContactSide, Limits};
use crate::broad::Bounds;
use crate::geometry::{Faces, FacesNow, LocalFoot};

/// Distance at rest up to which faces behind a node are excluded, in depths of the limits: they are its own
/// body, and a compressed body is thinner than at rest.
const BEHIND: f64 = 2.0;

/// Cosine of the angle between the normals of a node and of a face of the same body above which they do not
/// face each other.
const FACING: f64 = -0.1;

/// For each node of a surface the faces of the surface that contain it, and those that it never touches.
#[derive(Debug, Clone)]
pub(super) struct Excluded {
    own: Lists,
    never: Lists,
    /// Body of each face.
    bodies: Vec<u32>,
    /// Bodies whose nodes do not touch each other's faces; empty without any.
    apart: Vec<bool>,
    pub(super) sheets: Sheets,
    pub(super) boxes: BodyBoxes,
}

/// Lists of numbers, one after the other.
#[derive(Debug, Clone, Default)]
struct Lists {
    start: Vec<u32>,
    numbers: Vec<u32>,
}

impl Lists {
    fn push(&mut self, list: &mut Vec<u32>) {
        list.sort_unstable();
        list.dedup();
        if self.start.is_empty() {
            self.start.push(0);
        }
        self.numbers.append(list);
        self.start.push(self.numbers.len() as u32);
    }

    fn of(&self, k: usize) -> &[u32] {
        &self.numbers[self.start[k] as usize..self.start[k + 1] as usize]
    }
}

impl Excluded {
    /// By the topology of the faces, and by their places at rest.
    ///
    /// * `bodies` — number of the body of each face
    pub(super) fn new(
        side: &ContactSide,
        faces: &Faces,
        bodies: &[u32],
        sheets: Sheets,
        limits: &Limits,
    ) -> Self {
        let around = faces_of_points(faces);
        let mut places = vec![Vector3::zeros(); side.nodes.len()];
        side.nodes.places_into(&faces.reference, &mut places);
        let (mut now, mut boxes) = (faces.state_at_rest(), Vec::new());
        faces.fit_boxes(&mut now, &mut boxes);
        let (mut own, mut never) = (Lists::default(), Lists::default());
        let (mut list, mut stack) = (Vec::new(), Vec::new());
        let reach = sheets.reach().max(BEHIND * limits.depth);
        for (node, x) in places.iter().enumerate() {
            let points = side.nodes.of(node).0;
            list.extend(points.iter().flat_map(|&k| around.of(k as usize)));
            own.push(&mut list);
            let ring = own.of(node).iter().flat_map(|&face| &faces.surface.faces[face as usize].points);
            list.extend(ring.flat_map(|&k| around.of(k as usize)));
            list.sort_unstable();
            list.dedup();
            let n_ring = list.len();
            let body = own.of(node).first().map(|&face| bodies[face as usize]);
            faces.tree.near(&boxes, (x, reach), &mut stack, |face| {
                let is_new = list[..n_ring].binary_search(&face).is_err();
                let is_part = |foot: &LocalFoot| match sheets.has(face) {
                    true => foot.distance < sheets.walls(&side.nodes, node, face),
                    false => foot.foot.gap < 0.0,
                };
                if Some(bodies[face as usize]) == body
                    && is_new
                    && is_part(&faces.foot_on_face(&mut now, face, x))
                {
                    list.push(face);
                }
            });
            never.push(&mut list);
        }
        let boxes = BodyBoxes::new(faces, bodies);
        Self { own, never, bodies: bodies.to_vec(), apart: Vec::new(), sheets, boxes }
    }

    /// Leaves out contacts between these bodies.
    pub(super) fn leave_out(&mut self, apart: &[bool]) {
        self.apart = apart.to_vec();
    }

    /// Keeps the faces of a list that a node may touch.
    ///
    /// * `list` — ascending, so that the faces of a body follow each other
    /// * `way` — the box around the places of the node
    pub(super) fn touchable(
        &self,
        node: usize,
        (way, reach): (Bounds, f64),
        list: &[u32],
        into: &mut Vec<u32>,
    ) {
        let (mut body, mut is_far) = (None, false);
        into.extend(list.iter().filter(|&&face| {
            let own = self.bodies[face as usize];
            if body != Some(own) {
                (body, is_far) = (Some(own), self.boxes.are_apart(own, &way, reach));
            }
            !(is_far || self.excludes(node, face))
        }));
    }

    /// True for a face that a node never touches.
    fn excludes(&self, node: usize, face: u32) -> bool {
        let is_apart = |face: u32| self.apart.get(self.bodies[face as usize] as usize) == Some(&true);
        self.never.of(node).binary_search(&face).is_ok()
            || is_apart(face) && self.own.of(node).first().is_some_and(|&own| is_apart(own))
    }

    /// Removes foot points on faces of the node's own body that it does not face.
    pub(super) fn drop_averted(
        &self,
        node: usize,
        faces: &Faces,
        now: &mut FacesNow,
        found: &mut Vec<LocalFoot>,
    ) {
        let own = self.own.of(node);
        let Some(&first) = own.first().filter(|&&face| !self.sheets.has(face)) else { return };
        let body = self.bodies[first as usize];
        if found.iter().all(|found| self.bodies[found.foot.face as usize] != body) {
            return;
        }
        let mut normal = Vector3::zeros();
        for &face in own {
            let xi = faces.domain(face).center();
            let jet = faces.jet(now, face, xi);
            normal += faces.normal(now, face, xi, &jet);
        }
        let size = normal.norm();
        found.retain(|found| {
            self.bodies[found.foot.face as usize] != body || normal.dot(&found.foot.normal) < FACING * size
        });
    }
}

/// The faces that contain each point.
fn faces_of_points(faces: &Faces) -> Lists {
    let mut of_points: Vec<Vec<u32>> = vec![Vec::new(); faces.n_points()];
    for (number, face) in (0..).zip(&faces.surface.faces) {
        face.points.iter().for_each(|&point| of_points[point as usize].push(number));
    }
    let mut lists = Lists { start: vec![0], numbers: Vec::new() };
    of_points.iter_mut().for_each(|list| lists.push(list));
    lists
}
