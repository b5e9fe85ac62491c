//! Elimination order of the nodes of a block matrix.
//!
//! The node with the smallest sum of its neighbours' sizes is eliminated next (minimum degree), among those
//! whose diagonal block is regular then. Bodies always are. Constraints have a zero block at first; the
//! eliminated bodies that they touch add the mobility −G P⁻¹ Gᵀ of their *component*, the bodies and
//! constraints that are eliminated and connected. That mobility is regular
//!
//! * if one neighbour is eliminated and its component is free: no constraint of it leads to the ground, to a
//!   held body or to a body that is not eliminated yet. It then moves rigidly in six directions, and the
//!   constraint cannot contradict those within the component;
//! * or if all neighbours are eliminated, and no constraint of their components leads to a body that is not:
//!   constraints that are independent of each other are independent there.
//!
//! For a tree of bodies this is an order from the leaves inwards, with hardly any fill: that of the
//! articulated-body algorithm. In a loop one constraint or body waits until the others are eliminated.
//!
//! # Source
//!
//! Featherstone, Rigid Body Dynamics Algorithms (2008), ch. 7 and 8.5; George & Liu, Computer Solution of
//! Large Sparse Positive Definite Systems (1981), ch. 5.

use std::collections::BTreeSet;

use super::{BlockKind, BlockPattern};

/// Nodes in the order of elimination, and for each of them (by place in that order) the places of the later
/// nodes that it couples with at its elimination, ascending.
pub(super) struct Elimination {
    pub(super) order: Vec<usize>,
    pub(super) later: Vec<Vec<usize>>,
}

/// Eliminated nodes that are connected.
#[derive(Debug, Clone, Copy, Default)]
struct Component {
    /// True if a constraint leads to the ground, or a body is held.
    grounded: bool,
    /// Number of constraints that lead to bodies which are not eliminated yet.
    hanging: usize,
}

struct State<'a> {
    pattern: &'a BlockPattern,
    /// Neighbours that are not eliminated, with fill.
    neighbours: Vec<BTreeSet<usize>>,
    /// Bodies of each constraint.
    bodies: Vec<Vec<usize>>,
    is_eliminated: Vec<bool>,
    /// Union-find over eliminated nodes.
    parent: Vec<usize>,
    components: Vec<Component>,
    /// Eliminated constraints that wait for each body.
    waiting: Vec<Vec<usize>>,
    /// Degrees and numbers of the nodes that are not eliminated, constraints from the elimination of their
    /// first body on: before it they are not regular.
    candidates: BTreeSet<(usize, usize)>,
    /// Degree of each candidate.
    degrees: Vec<Option<usize>>,
}

impl Elimination {
    pub(super) fn new(pattern: &BlockPattern) -> Self {
        let mut state = State::new(pattern);
        let n = pattern.unknowns.len();
        let (mut order, mut later) = (Vec::with_capacity(n), Vec::with_capacity(n));
        for _ in 0..n {
            let regular = state.candidates.iter().find(|(_, node)| state.is_regular(*node));
            let &(_, next) = regular.expect("bodies are regular");
            later.push(state.eliminate(next));
            order.push(next);
        }
        let mut place = vec![0; n];
        order.iter().enumerate().for_each(|(at, &node)| place[node] = at);
        let places = |nodes: BTreeSet<usize>| -> Vec<usize> {
            let sorted: BTreeSet<usize> = nodes.into_iter().map(|node| place[node]).collect();
            sorted.into_iter().collect()
        };
        let later = later.into_iter().map(places).collect();
        Self { order, later }
    }
}

impl<'a> State<'a> {
    fn new(pattern: &'a BlockPattern) -> Self {
        let n = pattern.unknowns.len();
        let mut neighbours = vec![BTreeSet::new(); n];
        for &[row, column] in &pattern.blocks {
            if row != column {
                neighbours[row].insert(column);
                neighbours[column].insert(row);
            }
        }
        let is_constraint = |node: usize| matches!(pattern.kinds[node], BlockKind::Constraint { .. });
        let bodies = |node: usize| {
            let all = neighbours[node].iter().copied();
            if is_constraint(node) {
                all.filter(|&other| !is_constraint(other)).collect()
            } else {
                Vec::new()
            }
        };
        let mut state = Self {
            bodies: (0..n).map(bodies).collect(),
            is_eliminated: vec![false; n],
            parent: (0..n).collect(),
            components: vec![Component::default(); n],
            waiting: vec![Vec::new(); n],
            candidates: BTreeSet::new(),
            degrees: vec![None; n],
            neighbours,
            pattern,
        };
        let is_ready = |node: &usize| !is_constraint(*node) || state.bodies[*node].is_empty();
        let ready: Vec<usize> = (0..n).filter(is_ready).collect();
        ready.into_iter().for_each(|node| state.rank(node));
        state
    }

    fn is_constraint(&self, node: usize) -> bool {
        matches!(self.pattern.kinds[node], BlockKind::Constraint { .. })
    }

    /// Puts a candidate where its present degree belongs.
    fn rank(&mut self, node: usize) {
        self.drop_candidate(node);
        let degree = self.degree(node);
        self.degrees[node] = Some(degree);
        self.candidates.insert((degree, node));
    }

    fn drop_candidate(&mut self, node: usize) {
        if let Some(degree) = self.degrees[node].take() {
            self.candidates.remove(&(degree, node));
        }
    }

    fn degree(&self, node: usize) -> usize {
        self.neighbours[node].iter().map(|&other| self.pattern.unknowns[other].len()).sum()
    }

    fn root(&self, mut node: usize) -> usize {
        while self.parent[node] != node {
            node = self.parent[node];
        }
        node
    }

    /// Joins two eliminated nodes.
    fn join(&mut self, node: usize, other: usize) {
        let (a, b) = (self.root(node), self.root(other));
        if a != b {
            let of = self.components[b];
            self.parent[b] = a;
            self.components[a].grounded |= of.grounded;
            self.components[a].hanging += of.hanging;
        }
    }

    /// Whether the diagonal block of a node that is not eliminated is regular.
    fn is_regular(&self, node: usize) -> bool {
        if !self.is_constraint(node) {
            return true;
        }
        let bodies = &self.bodies[node];
        let mut eliminated = bodies.iter().filter(|&&body| self.is_eliminated[body]).peekable();
        let all = bodies.iter().all(|&body| self.is_eliminated[body]);
        (all || eliminated.peek().is_some())
            && eliminated.all(|&body| {
                let component = self.components[self.root(body)];
                component.hanging == 0 && (all || !component.grounded)
            })
    }

    /// Eliminates a node and returns its neighbours, which then couple with each other.
    fn eliminate(&mut self, node: usize) -> BTreeSet<usize> {
        let couples = std::mem::take(&mut self.neighbours[node]);
        for &a in &couples {
            self.neighbours[a].remove(&node);
            let others = couples.iter().copied().filter(|&b| b != a);
            self.neighbours[a].extend(others);
        }
        self.is_eliminated[node] = true;
        self.drop_candidate(node);
        let is_body = !self.is_constraint(node);
        for &other in &couples {
            if is_body || self.degrees[other].is_some() {
                self.rank(other);
            }
        }
        match self.pattern.kinds[node] {
            BlockKind::Constraint { grounded } => {
                self.components[node].grounded = grounded;
                for body in self.bodies[node].clone() {
                    if self.is_eliminated[body] {
                        self.join(node, body);
                    } else {
                        self.waiting[body].push(node);
                        let root = self.root(node);
                        self.components[root].hanging += 1;
                    }
                }
            }
            kind => {
                self.components[node].grounded = kind == BlockKind::Held;
                for constraint in std::mem::take(&mut self.waiting[node]) {
                    self.join(node, constraint);
                    let root = self.root(node);
                    self.components[root].hanging -= 1;
                }
            }
        }
        couples
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bodies of 6 unknowns on joints of 3, from lists of the bodies of each joint.
    fn pattern(n: usize, joints: &[&[usize]]) -> BlockPattern {
        let mut pattern = BlockPattern { unknowns: Vec::new(), kinds: Vec::new(), blocks: Vec::new() };
        let mut next = 0;
        let mut add = |pattern: &mut BlockPattern, size: usize, kind| {
            pattern.unknowns.push((next..next + size).collect());
            pattern.kinds.push(kind);
            next += size;
        };
        for body in 0..n {
            add(&mut pattern, 6, BlockKind::Free);
            pattern.blocks.push([body, body]);
        }
        for (k, bodies) in joints.iter().enumerate() {
            add(&mut pattern, 3, BlockKind::Constraint { grounded: bodies.len() == 1 });
            pattern.blocks.extend(bodies.iter().flat_map(|&body| [[body, n + k], [n + k, body]]));
        }
        pattern
    }

    #[test]
    fn trees_have_at_most_two_neighbours_at_each_elimination() {
        let joints: [&[usize]; 6] = [&[0], &[0, 1], &[0, 2], &[1, 3], &[1, 4], &[2, 5]];
        let found = Elimination::new(&pattern(6, &joints));
        assert!(found.later.iter().all(|later| later.len() <= 2), "{:?} {:?}", found.order, found.later);
        assert!(found.later.iter().filter(|later| later.len() > 1).count() <= 3, "{:?}", found.later);
    }

    #[test]
    fn a_loop_adds_one_neighbour_to_each_node() {
        let n = 50;
        let pairs: Vec<Vec<usize>> = (0..n).map(|k| vec![k, (k + 1) % n]).collect();
        let joints: Vec<&[usize]> = pairs.iter().map(Vec::as_slice).collect();
        let found = Elimination::new(&pattern(n, &joints));
        assert!(found.later.iter().all(|later| later.len() <= 2), "{:?}", found.later);
    }

    #[test]
    fn a_constraint_waits_for_its_bodies_on_the_side_of_the_ground() {
        let joints: [&[usize]; 2] = [&[0], &[0, 1]];
        let found = Elimination::new(&pattern(2, &joints));
        let place = |node: usize| found.order.iter().position(|&at| at == node).unwrap();
        assert!(place(2) > place(0) && place(3) > place(0).min(place(1)));
        // The joint to the ground takes all motions of body 0 alone: it must not come before joint 3.
        assert!(place(2) > place(3) || place(3) > place(1), "{:?}", found.order);
    }
}
