//! A tree of boxes over the faces: built once, its boxes follow the current positions.

use nalgebra::Vector3;

use super::bezier::Homogeneous;
use super::{Faces, FacesNow};

/// A balanced binary tree over faces, halved along the longest extent of their centres.
#[derive(Debug, Clone)]
pub(super) struct Tree {
    /// Children of each node, or the face of a leaf.
    nodes: Vec<Node>,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Node {
    Inner([u32; 2]),
    Leaf(u32),
}

impl Tree {
    pub(super) fn new(centers: &[Vector3<f64>]) -> Self {
        let mut tree = Self { nodes: Vec::new() };
        let mut order: Vec<u32> = (0..centers.len() as u32).collect();
        if !order.is_empty() {
            tree.build(&mut order, centers);
        }
        tree
    }

    pub(super) fn n_nodes(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn node(&self, k: u32) -> Node {
        self.nodes[k as usize]
    }

    /// Adds the subtree over `faces` and returns its root; a node comes before its children.
    fn build(&mut self, faces: &mut [u32], centers: &[Vector3<f64>]) -> u32 {
        let node = self.nodes.len() as u32;
        if let [face] = faces {
            self.nodes.push(Node::Leaf(*face));
            return node;
        }
        self.nodes.push(Node::Leaf(0));
        let points = faces.iter().map(|&f| centers[f as usize]);
        let low = points.clone().fold(Vector3::repeat(f64::INFINITY), |a, b| a.inf(&b));
        let high = points.fold(Vector3::repeat(f64::NEG_INFINITY), |a, b| a.sup(&b));
        let axis = (high - low).imax();
        let middle = faces.len() / 2;
        let key = |f: &u32| (centers[*f as usize][axis], *f);
        faces.sort_by(|a, b| key(a).partial_cmp(&key(b)).unwrap_or(std::cmp::Ordering::Equal));
        let (left, right) = faces.split_at_mut(middle);
        let children = [self.build(left, centers), self.build(right, centers)];
        self.nodes[node as usize] = Node::Inner(children);
        node
    }
}

/// Box around control points; for positive weights it encloses the face.
pub(super) fn enclose(points: &[Homogeneous]) -> [Vector3<f64>; 2] {
    let mut bounds = [Vector3::repeat(f64::INFINITY), Vector3::repeat(f64::NEG_INFINITY)];
    for q in points {
        let x = Vector3::new(q[0], q[1], q[2]) / q[3];
        bounds = [bounds[0].inf(&x), bounds[1].sup(&x)];
    }
    bounds
}

/// Squared distance of a point from a box, zero inside.
pub(super) fn distance_squared(bounds: &[Vector3<f64>; 2], x: &Vector3<f64>) -> f64 {
    (0..3).map(|d| (bounds[0][d] - x[d]).max(x[d] - bounds[1][d]).max(0.0).powi(2)).sum()
}

impl Faces {
    /// Brings the boxes of the tree up to date with the positions.
    pub(super) fn refit(&self, now: &mut FacesNow) {
        if now.boxed {
            return;
        }
        for k in (0..self.tree.n_nodes()).rev() {
            now.boxes[k] = match self.tree.node(k as u32) {
                Node::Leaf(face) => enclose(self.bezier(now, face)),
                Node::Inner(children) => {
                    let [a, b] = children.map(|c| now.boxes[c as usize]);
                    [a[0].inf(&b[0]), a[1].sup(&b[1])]
                }
            };
        }
        now.boxed = true;
    }

    /// Box around the whole surface in its current position; empty (inverted) for a surface without faces.
    pub fn bounds(&self, now: &mut FacesNow) -> [Vector3<f64>; 2] {
        self.refit(now);
        now.boxes
            .first()
            .copied()
            .unwrap_or([Vector3::repeat(f64::INFINITY), Vector3::repeat(f64::NEG_INFINITY)])
    }
}
