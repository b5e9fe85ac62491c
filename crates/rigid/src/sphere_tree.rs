//! A tree of balls around the parts of curved faces, by which most parts are known to be far from another
//! surface: a ball of radius ρ has no gap below that of its centre less ρ.

use nalgebra::Vector3;

use crate::pair::Ball;

/// A ball around a part, or around two nodes of the tree.
#[derive(Debug, Clone, Copy)]
struct Node {
    ball: Ball,
    /// The two nodes below; of a leaf twice the number of its part.
    below: [u32; 2],
    is_leaf: bool,
}

/// A balanced tree with a leaf for each part.
#[derive(Debug, Clone)]
pub(crate) struct SphereTree {
    /// The root is the last one.
    nodes: Vec<Node>,
}

/// A way through a tree, nearest nodes first.
pub(crate) struct Walk {
    /// Nodes and bounds of their gaps, NaN of the root. A balanced tree has a depth, and with it a stack,
    /// below 64.
    stack: [(u32, f64); 64],
    depth: usize,
}

impl SphereTree {
    /// The tree over balls, the parts in their order.
    pub(crate) fn over(balls: &[Ball]) -> Self {
        let mut tree = Self { nodes: Vec::with_capacity(2 * balls.len()) };
        let mut order: Vec<u32> = (0..balls.len() as u32).collect();
        if !balls.is_empty() {
            tree.add(balls, &mut order);
        }
        tree
    }

    fn add(&mut self, balls: &[Ball], parts: &mut [u32]) -> u32 {
        let node = if let [part] = *parts {
            Node { ball: balls[part as usize], below: [part; 2], is_leaf: true }
        } else {
            let centers = || parts.iter().map(|&part| balls[part as usize].center);
            let low = centers().fold(Vector3::repeat(f64::INFINITY), |low, x| low.inf(&x));
            let high = centers().fold(Vector3::repeat(f64::NEG_INFINITY), |high, x| high.sup(&x));
            let (axis, center) = ((high - low).imax(), 0.5 * (low + high));
            let reach =
                |&part: &u32| (balls[part as usize].center - center).norm() + balls[part as usize].radius;
            let ball = Ball::new(center, parts.iter().map(reach).fold(0.0, f64::max));
            let along = |part: u32| balls[part as usize].center[axis];
            parts.sort_by(|&a, &b| along(a).total_cmp(&along(b)));
            let (first, second) = parts.split_at_mut(parts.len() / 2);
            Node { ball, below: [self.add(balls, first), self.add(balls, second)], is_leaf: false }
        };
        self.nodes.push(node);
        self.nodes.len() as u32 - 1
    }

    /// Number of nodes, leaves among them.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The ball of a node.
    pub(crate) fn ball(&self, node: usize) -> &Ball {
        &self.nodes[node].ball
    }

    /// The part of a leaf.
    pub(crate) fn part(&self, leaf: usize) -> usize {
        self.nodes[leaf].below[0] as usize
    }

    /// Begins a way at the root.
    pub(crate) fn walk(&self) -> Walk {
        let root = self.nodes.len().saturating_sub(1) as u32;
        Walk { stack: [(root, f64::NAN); 64], depth: usize::from(!self.nodes.is_empty()) }
    }
}

impl Walk {
    /// The next leaf whose gap may be as small as `most`, with the bound of its gap.
    ///
    /// * `bound` — of the gaps of the ball of a node \[m\], true for a leaf
    pub(crate) fn next(
        &mut self,
        tree: &SphereTree,
        most: f64,
        mut bound: impl FnMut(usize, &Ball, bool) -> f64,
    ) -> Option<(usize, f64)> {
        let mut bound = |k: u32| {
            let Node { ball, is_leaf, .. } = &tree.nodes[k as usize];
            (k, bound(k as usize, ball, *is_leaf))
        };
        while self.depth > 0 {
            self.depth -= 1;
            let (node, mut least) = self.stack[self.depth];
            if least.is_nan() {
                (_, least) = bound(node);
            }
            if least > most {
                continue;
            }
            let Node { below, is_leaf, .. } = tree.nodes[node as usize];
            if is_leaf {
                return Some((node as usize, least));
            }
            let [first, second] = below.map(&mut bound);
            let (near, far) = if first.1 <= second.1 { (first, second) } else { (second, first) };
            self.stack[self.depth] = far;
            self.stack[self.depth + 1] = near;
            self.depth += 2;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Balls on a line, and the gap from a wall: the parts below a limit are found, and few others are looked
    /// at.
    #[test]
    fn a_walk_finds_all_near_parts_and_looks_at_few_others() {
        let n = 500;
        let place = |k: usize| f64::from((k * 7919 % n) as u32);
        let balls: Vec<Ball> =
            (0..n).map(|k| Ball::new(Vector3::new(place(k), (k % 3) as f64, 0.0), 0.5)).collect();
        let tree = SphereTree::over(&balls);
        for (wall, limit) in [(-3.0, 0.0), (-3.0, 4.0), (-1.0, 30.0)] {
            let mut looks = 0;
            let mut walk = tree.walk();
            let mut found = Vec::new();
            let mut bound = |_: usize, ball: &Ball, _: bool| {
                looks += 1;
                ball.center.x - ball.radius - wall
            };
            while let Some((leaf, least)) = walk.next(&tree, limit, &mut bound) {
                let part = tree.part(leaf);
                assert_eq!(least, place(part) - 0.5 - wall);
                found.push(part);
            }
            found.sort_unstable();
            let near: Vec<usize> = (0..n).filter(|&k| place(k) - 0.5 - wall <= limit).collect();
            assert_eq!(found, near);
            assert!(looks <= 2 * near.len() + 24, "{looks} looks for {}", near.len());
        }
    }
}
