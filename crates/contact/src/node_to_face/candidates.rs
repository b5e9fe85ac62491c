//! Faces near a node: lists that are valid while bounds on the motion hold.

use nalgebra::Vector3;

use super::Limits;
use crate::broad::Bounds;
use crate::geometry::{Faces, FacesNow};

/// Motion of faces and nodes after which lists are updated, as a part of a face.
const MARGIN: f64 = 0.25;

/// Faces near each node.
///
/// The boxes of the faces are those of an earlier configuration. Since then no face has moved by more than
/// the margin, and no node by more than its own bound, so that each list contains all near faces.
#[derive(Debug, Clone)]
pub(super) struct Candidates {
    /// Distance up to which faces are near \[m\].
    radius: f64,
    /// Bound on the ratio of the motions of a box and of the surface's points.
    growth: f64,
    /// Distance by which boxes may move \[m\]; negative before the first search.
    margin: f64,
    boxes: Vec<Bounds>,
    /// Points of the faces at the time of the boxes \[m\].
    points_then: Vec<Vector3<f64>>,
    /// Nodes at the time of their lists \[m\].
    nodes_then: Vec<Vector3<f64>>,
    /// Distance by which each node may move from there \[m\]; negative if its list is invalid.
    slack: Vec<f64>,
    lists: Vec<Vec<u32>>,
    stack: Vec<u32>,
    searches: u64,
}

/// Faces of a node for which memory is reserved.
const FORESEEN: usize = 16;

impl Candidates {
    pub(super) fn new(faces: &Faces, n_nodes: usize, limits: &Limits) -> Self {
        let room = || Vec::with_capacity(FORESEEN.min(faces.n_faces()));
        Self {
            radius: limits.reach.max(limits.depth),
            growth: faces.growth(),
            margin: -1.0,
            boxes: Vec::new(),
            points_then: vec![Vector3::zeros(); faces.n_points()],
            nodes_then: vec![Vector3::zeros(); n_nodes],
            slack: vec![-1.0; n_nodes],
            lists: (0..n_nodes).map(|_| room()).collect(),
            stack: Vec::with_capacity(128),
            searches: 0,
        }
    }

    /// Numbers of the faces near a node, ascending.
    pub(super) fn of(&self, node: usize) -> &[u32] {
        &self.lists[node]
    }

    pub(super) fn searches(&self) -> u64 {
        self.searches
    }

    /// Updates the lists to the positions of faces and nodes.
    pub(super) fn update(&mut self, faces: &Faces, now: &mut FacesNow, nodes: &[Vector3<f64>]) {
        // The comparison is false for a position that is not a number, so that a search follows.
        let holds = self.motion(now.positions()) <= self.margin;
        if !holds {
            self.fit(faces, now);
        }
        for (node, x) in nodes.iter().enumerate() {
            let holds = (x - self.nodes_then[node]).norm() <= self.slack[node];
            if !holds {
                self.search(faces, node, x);
            }
        }
    }

    /// A bound on the motion of the boxes; a common translation of all points does not count.
    fn motion(&self, positions: &[Vector3<f64>]) -> f64 {
        let moved = || positions.iter().zip(&self.points_then).map(|(x, then)| x - then);
        let shift = moved().sum::<Vector3<f64>>() / positions.len().max(1) as f64;
        let rest = moved().map(|moved| (moved - shift).norm_squared()).fold(0.0, f64::max).sqrt();
        shift.norm() + self.growth * rest
    }

    fn fit(&mut self, faces: &Faces, now: &mut FacesNow) {
        self.points_then.copy_from_slice(now.positions());
        faces.fit_boxes(now, &mut self.boxes);
        self.margin = MARGIN * mean_size(faces, &self.points_then);
        self.slack.fill(-1.0);
        self.searches += 1;
    }

    fn search(&mut self, faces: &Faces, node: usize, x: &Vector3<f64>) {
        let (tree, list) = (&faces.tree, &mut self.lists[node]);
        list.clear();
        self.nodes_then[node] = *x;
        let distance = tree.distance(&self.boxes, x, &mut self.stack);
        let reach = self.radius + self.margin;
        if distance > reach + self.margin {
            // No face is near until the node has moved by this distance.
            self.slack[node] = distance - reach;
            return;
        }
        tree.near(&self.boxes, (x, reach + self.margin), &mut self.stack, |face| list.push(face));
        list.sort_unstable();
        self.slack[node] = self.margin;
    }
}

/// Mean extent of the points of a face \[m\].
fn mean_size(faces: &Faces, positions: &[Vector3<f64>]) -> f64 {
    let size = |face: &carom_fem::Face| {
        let [low, high] =
            face.points.iter().map(|&k| positions[k as usize]).fold(
                [Vector3::repeat(f64::INFINITY), Vector3::repeat(f64::NEG_INFINITY)],
                |[low, high], x| [low.inf(&x), high.sup(&x)],
            );
        (high - low).amax()
    };
    faces.surface.faces.iter().map(size).sum::<f64>() / faces.n_faces().max(1) as f64
}
