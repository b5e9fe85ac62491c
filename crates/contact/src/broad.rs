//! The broad phase: finds overlapping boxes by a tree. Serves pairs of bodies and faces near a point.

use std::cmp::Ordering;

use nalgebra::Vector3;

/// A box along the axes: its lower and its upper corner \[m\].
pub type Bounds = [Vector3<f64>; 2];

/// The empty box: its union with any box is that box.
pub const NOTHING: Bounds = {
    const fn all(x: f64) -> Vector3<f64> {
        Vector3::new(x, x, x)
    }
    [all(f64::INFINITY), all(f64::NEG_INFINITY)]
};

/// The smallest box around two boxes.
pub fn union(a: &Bounds, b: &Bounds) -> Bounds {
    [a[0].inf(&b[0]), a[1].sup(&b[1])]
}

/// Squared distance of a point from a box, zero inside \[m²\].
pub fn distance_squared(bounds: &Bounds, x: &Vector3<f64>) -> f64 {
    (0..3).map(|d| (bounds[0][d] - x[d]).max(x[d] - bounds[1][d]).max(0.0).powi(2)).sum()
}

/// Distance between two boxes, zero if they overlap \[m\].
pub fn separation(a: &Bounds, b: &Bounds) -> f64 {
    (0..3).map(|d| (a[0][d] - b[1][d]).max(b[0][d] - a[1][d]).max(0.0).powi(2)).sum::<f64>().sqrt()
}

fn overlap(a: &Bounds, b: &Bounds) -> bool {
    (0..3).all(|d| a[0][d] <= b[1][d] && b[0][d] <= a[1][d])
}

/// A ball that contains a body, or a part of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ball {
    /// Centre \[m\].
    pub center: Vector3<f64>,
    /// Radius \[m\]; negative for an empty ball, infinite for an unbounded body.
    pub radius: f64,
}

impl Ball {
    /// The ball around the centre of the bounding box of points.
    pub fn around(points: &[Vector3<f64>]) -> Self {
        if points.is_empty() {
            return Self { center: Vector3::zeros(), radius: f64::NEG_INFINITY };
        }
        let bounds = points.iter().fold(NOTHING, |b, x| union(&b, &[*x, *x]));
        let center = 0.5 * (bounds[0] + bounds[1]);
        let radius = points.iter().map(|x| (x - center).norm_squared()).fold(0.0, f64::max).sqrt();
        Self { center, radius }
    }

    /// Distance between two balls \[m\], negative if they overlap: a lower bound of the distance between
    /// their points.
    pub fn clearance(&self, other: &Self) -> f64 {
        (self.center - other.center).norm() - self.radius - other.radius
    }
}

/// Each two balls that overlap, ascending, the smaller number first; empty balls overlap none.
pub fn overlapping_balls(balls: &[Ball]) -> Vec<[usize; 2]> {
    let centers: Vec<Vector3<f64>> = balls.iter().map(|ball| ball.center).collect();
    let around = |number: u32| {
        let Ball { center, radius } = balls[number as usize];
        // An empty ball has an empty box.
        [center - Vector3::repeat(radius), center + Vector3::repeat(radius)]
    };
    let tree = Tree::new(&centers);
    let mut boxes = vec![NOTHING; tree.n_nodes()];
    tree.refit(&mut boxes, around);
    let (mut pairs, mut stack) = (Vec::new(), Vec::new());
    for (a, ball) in balls.iter().enumerate().filter(|(_, ball)| ball.radius >= 0.0) {
        tree.overlapping(&boxes, &around(a as u32), &mut stack, |b| {
            if b as usize > a && ball.clearance(&balls[b as usize]) <= 0.0 {
                pairs.push([a, b as usize]);
            }
        });
    }
    pairs.sort_unstable();
    pairs
}

/// A balanced binary tree over objects with centres, halved along the longest extent of the centres.
///
/// It is built once; the boxes of its nodes are updated with those of the objects ([`Tree::refit`]).
#[derive(Debug, Clone, Default)]
pub struct Tree {
    nodes: Vec<Node>,
}

/// A node of a [`Tree`].
#[derive(Debug, Clone, Copy)]
pub enum Node {
    /// Numbers of its two children.
    Inner([u32; 2]),
    /// Number of an object.
    Leaf(u32),
}

impl Tree {
    /// The tree over objects with these centres \[m\].
    pub fn new(centers: &[Vector3<f64>]) -> Self {
        let mut tree = Self::default();
        tree.rebuild(centers, &mut Vec::new());
        tree
    }

    /// Replaces the tree by that over other centres.
    ///
    /// * `order` — memory for sorting
    pub(crate) fn rebuild(&mut self, centers: &[Vector3<f64>], order: &mut Vec<u32>) {
        self.nodes.clear();
        order.clear();
        order.extend(0..centers.len() as u32);
        if !order.is_empty() {
            self.build(order, centers);
        }
    }

    /// Number of nodes; node 0 is the root.
    pub fn n_nodes(&self) -> usize {
        self.nodes.len()
    }

    /// A node.
    pub fn node(&self, k: u32) -> Node {
        self.nodes[k as usize]
    }

    /// Adds the subtree over `things` and returns its root; a node precedes its children.
    fn build(&mut self, things: &mut [u32], centers: &[Vector3<f64>]) -> u32 {
        let node = self.nodes.len() as u32;
        if let [thing] = things {
            self.nodes.push(Node::Leaf(*thing));
            return node;
        }
        self.nodes.push(Node::Leaf(0));
        let extent = things.iter().map(|&i| centers[i as usize]).fold(NOTHING, |b, x| union(&b, &[x, x]));
        let axis = (extent[1] - extent[0]).imax();
        let key = |i: &u32| (centers[*i as usize][axis], *i);
        let middle = things.len() / 2;
        things.select_nth_unstable_by(middle, |a, b| key(a).partial_cmp(&key(b)).unwrap_or(Ordering::Equal));
        let (left, right) = things.split_at_mut(middle);
        let children = [self.build(left, centers), self.build(right, centers)];
        self.nodes[node as usize] = Node::Inner(children);
        node
    }

    /// Updates the boxes of all nodes.
    ///
    /// * `boxes` — one for each node
    /// * `of` — the box of an object
    pub fn refit(&self, boxes: &mut [Bounds], mut of: impl FnMut(u32) -> Bounds) {
        for k in (0..self.nodes.len()).rev() {
            boxes[k] = match self.nodes[k] {
                Node::Leaf(thing) => of(thing),
                Node::Inner([a, b]) => union(&boxes[a as usize], &boxes[b as usize]),
            };
        }
    }

    /// Calls `meet` with the number of each object whose box overlaps the given one.
    ///
    /// * `boxes` — boxes of the nodes, see [`Tree::refit`]
    pub(crate) fn overlapping(
        &self,
        boxes: &[Bounds],
        one: &Bounds,
        stack: &mut Vec<u32>,
        mut meet: impl FnMut(u32),
    ) {
        stack.clear();
        stack.extend((!self.nodes.is_empty()).then_some(0));
        while let Some(k) = stack.pop() {
            if !overlap(&boxes[k as usize], one) {
                continue;
            }
            match self.nodes[k as usize] {
                Node::Leaf(thing) => meet(thing),
                Node::Inner(children) => stack.extend(children),
            }
        }
    }
}

impl Tree {
    /// Calls `meet` with the number of each object whose box is within a distance of a point.
    ///
    /// * `boxes` — boxes of the nodes, see [`Tree::refit`]
    pub(crate) fn near(
        &self,
        boxes: &[Bounds],
        (x, distance): (&Vector3<f64>, f64),
        stack: &mut Vec<u32>,
        mut meet: impl FnMut(u32),
    ) {
        stack.clear();
        stack.extend((!self.nodes.is_empty()).then_some(0));
        while let Some(k) = stack.pop() {
            if distance_squared(&boxes[k as usize], x) > distance * distance {
                continue;
            }
            match self.nodes[k as usize] {
                Node::Leaf(thing) => meet(thing),
                Node::Inner(children) => stack.extend(children),
            }
        }
    }

    /// Distance of a point from the nearest box of an object \[m\]; infinite without objects.
    pub(crate) fn distance(&self, boxes: &[Bounds], x: &Vector3<f64>, stack: &mut Vec<u32>) -> f64 {
        let mut least = f64::INFINITY;
        stack.clear();
        stack.extend((!self.nodes.is_empty()).then_some(0));
        while let Some(k) = stack.pop() {
            let distance = distance_squared(&boxes[k as usize], x);
            if distance >= least {
                continue;
            }
            match self.nodes[k as usize] {
                Node::Leaf(_) => least = distance,
                Node::Inner([a, b]) => {
                    let far_first =
                        distance_squared(&boxes[a as usize], x) < distance_squared(&boxes[b as usize], x);
                    stack.extend(if far_first { [b, a] } else { [a, b] });
                }
            }
        }
        least.sqrt()
    }
}

/// Pairs of neighbouring bodies, found by bounding balls with a margin for motion.
///
/// A body may move by its margin, a part of its radius or several of its steps, from its position at the last
/// search. Until then the list contains all pairs that can touch. A search costs O(n log n) and finds the
/// pairs in ascending order, so that sums over them have a fixed order.
#[derive(Debug, Clone, Default)]
pub struct Neighbours {
    /// Radius of the ball around each body \[m\]; infinite for an unbounded body.
    radii: Vec<f64>,
    /// Centres at the last search \[m\].
    centers: Vec<Vector3<f64>>,
    /// Distance by which each body may move from there \[m\].
    margins: Vec<f64>,
    pairs: Vec<[u32; 2]>,
    tree: Tree,
    boxes: Vec<Bounds>,
    /// Memory for searching and sorting.
    stack: Vec<u32>,
}

/// Margin of a body as a part of its radius: large margins give many neighbours, small ones frequent
/// searches.
const MARGIN: f64 = 0.1;

/// Smallest number of steps for which a search is valid for fast bodies.
const STEPS: f64 = 16.0;

/// Neighbours of a body for which memory is reserved.
const FORESEEN: usize = 16;

impl Neighbours {
    /// Balls around bodies, before the first search.
    ///
    /// * `radii` — of each body \[m\]
    pub fn new(radii: Vec<f64>) -> Self {
        let n = radii.len();
        // Lists rarely grow later: a ball has twelve neighbours in the densest packing.
        let most = (n * n.saturating_sub(1) / 2).min(FORESEEN * n);
        Self {
            margins: vec![-1.0; n],
            centers: vec![Vector3::zeros(); n],
            pairs: Vec::with_capacity(most),
            stack: Vec::with_capacity(n),
            tree: Tree { nodes: Vec::with_capacity(2 * n) },
            boxes: Vec::with_capacity(2 * n),
            radii,
        }
    }

    /// Discards the last search: it covers no body.
    pub fn forget(&mut self) {
        self.margins.fill(-1.0);
    }

    /// True if the last search still covers a body at this position.
    #[inline]
    pub fn covers(&self, body: usize, place: &Vector3<f64>) -> bool {
        let margin = self.margins[body];
        margin >= 0.0 && (place - self.centers[body]).norm_squared() <= margin * margin
    }

    /// Searches for neighbours.
    ///
    /// * `motion` — position of each body, and its motion in a step \[m\]
    pub fn search(&mut self, motion: impl Iterator<Item = (Vector3<f64>, f64)>) {
        for (body, (center, reach)) in motion.enumerate() {
            self.centers[body] = center;
            let radius = self.radii[body];
            // An unbounded body is a neighbour of every body.
            let margin = if radius.is_finite() { MARGIN * radius } else { f64::MAX.sqrt() };
            self.margins[body] = margin.max(STEPS * reach);
        }
        self.tree.rebuild(&self.centers, &mut self.stack);
        let around = |body: u32| {
            let reach = Vector3::repeat(self.radii[body as usize] + self.margins[body as usize]);
            [self.centers[body as usize] - reach, self.centers[body as usize] + reach]
        };
        self.boxes.resize(self.tree.n_nodes(), NOTHING);
        self.tree.refit(&mut self.boxes, around);
        self.pairs.clear();
        for body in 0..self.radii.len() as u32 {
            let pairs = &mut self.pairs;
            self.tree.overlapping(&self.boxes, &around(body), &mut self.stack, |other| {
                if other > body {
                    pairs.push([body, other]);
                }
            });
        }
        self.pairs.retain(|&[a, b]| {
            let [a, b] = [a as usize, b as usize];
            let reach = self.radii[a] + self.radii[b] + self.margins[a] + self.margins[b];
            (self.centers[a] - self.centers[b]).norm_squared() <= reach * reach
        });
        self.pairs.sort_unstable();
    }

    /// Pairs of bodies that may touch, ascending; each has its smaller number first.
    pub fn pairs(&self) -> &[[u32; 2]] {
        &self.pairs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bounding_ball_contains_its_points_and_touches_one() {
        let mut number = numbers();
        let points: Vec<Vector3<f64>> = (0..40).map(|_| Vector3::from_fn(|_, _| number())).collect();
        let ball = Ball::around(&points);
        let farthest = points.iter().map(|x| (x - ball.center).norm()).fold(0.0, f64::max);
        assert_eq!(ball.radius, farthest);
        let other = Ball { center: ball.center + Vector3::new(0.0, 0.0, 3.0), radius: 0.5 };
        assert!((ball.clearance(&other) - (2.5 - farthest)).abs() < 1e-15);
        assert_eq!(Ball::around(&[]).clearance(&other), f64::INFINITY);
    }

    /// A linear congruential generator of numbers from 0 to 1.
    fn numbers() -> impl FnMut() -> f64 {
        let mut state = 1_u64;
        move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        }
    }

    /// Balls of very different sizes, one of them unbounded.
    fn balls(n: usize) -> (Vec<f64>, Vec<Vector3<f64>>) {
        let mut number = numbers();
        let mut radii: Vec<f64> = (0..n).map(|_| 0.03 + 0.1 * number().powi(4)).collect();
        radii[n / 2] = f64::INFINITY;
        (radii, (0..n).map(|_| Vector3::from_fn(|_, _| number())).collect())
    }

    #[test]
    fn the_pairs_are_those_of_an_exhaustive_search() {
        let (radii, centers) = balls(300);
        let mut neighbours = Neighbours::new(radii.clone());
        assert!(!neighbours.covers(0, &centers[0]), "before a search no body is covered");
        neighbours.search(centers.iter().map(|x| (*x, 0.0)));
        let touch = |a: usize, b: usize| {
            let reach = (1.0 + MARGIN) * (radii[a] + radii[b]);
            reach.is_infinite() || (centers[a] - centers[b]).norm() <= reach
        };
        let all = (0..300).flat_map(|a| (a + 1..300).map(move |b| [a, b]));
        let expected: Vec<[u32; 2]> =
            all.filter(|&[a, b]| touch(a, b)).map(|pair| pair.map(|i| i as u32)).collect();
        assert_eq!(neighbours.pairs(), expected);
        assert!(expected.len() > 400 && expected.len() < 20_000, "{}", expected.len());
    }

    /// The list contains every touching pair while all bodies are covered, wherever they move.
    #[test]
    fn a_list_is_complete_while_bodies_are_covered() {
        let (radii, mut centers) = balls(200);
        let mut neighbours = Neighbours::new(radii.clone());
        let mut number = numbers();
        let velocities: Vec<Vector3<f64>> =
            (0..200).map(|_| Vector3::from_fn(|_, _| number() - 0.5)).collect();
        let mut searches = 0;
        for _ in 0..400 {
            let step = |i: usize| 2.0e-4 * velocities[i];
            let is_covered = (0..200)
                .all(|i| neighbours.covers(i, &centers[i]) && neighbours.covers(i, &(centers[i] + step(i))));
            if !is_covered {
                neighbours.search(centers.iter().enumerate().map(|(i, x)| (*x, step(i).norm())));
                searches += 1;
            }
            for i in 0..200 {
                centers[i] += step(i);
            }
            for a in 0..200 {
                for b in a + 1..200 {
                    let touches = (centers[a] - centers[b]).norm() <= radii[a] + radii[b];
                    assert!(
                        !touches || neighbours.pairs().binary_search(&[a as u32, b as u32]).is_ok(),
                        "{a} {b}"
                    );
                }
            }
        }
        assert!((2..200).contains(&searches), "{searches}");
    }

    #[test]
    fn overlapping_balls_are_those_of_all_pairs() {
        let (radii, centers) = balls(60);
        let ball = |(k, (radius, center)): (usize, (f64, Vector3<f64>))| Ball {
            center,
            radius: if k % 9 == 0 { f64::NEG_INFINITY } else { radius },
        };
        let balls: Vec<Ball> = radii.into_iter().zip(centers).enumerate().map(ball).collect();
        let of = |a: usize| (a + 1..60).map(move |b| [a, b]);
        let expected: Vec<[usize; 2]> =
            (0..60).flat_map(of).filter(|&[a, b]| balls[a].clearance(&balls[b]) <= 0.0).collect();
        assert!(expected.len() > 20);
        assert_eq!(overlapping_balls(&balls), expected);
    }
}
