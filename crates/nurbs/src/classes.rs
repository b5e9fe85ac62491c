//! Classes of equal objects: points, and directions that must have the same knots.

use std::collections::{BTreeMap, BTreeSet};

/// Classes of equal objects (union-find).
pub(crate) struct Union(Vec<usize>);

impl Union {
    pub(crate) fn new(n: usize) -> Self {
        Self((0..n).collect())
    }

    pub(crate) fn root(&mut self, mut i: usize) -> usize {
        while self.0[i] != i {
            self.0[i] = self.0[self.0[i]];
            i = self.0[i];
        }
        i
    }

    pub(crate) fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b)] = a.min(b);
    }
}

/// Classes of (patch, direction) with the same knots, each direction with its sense relative to the class.
pub(crate) struct Classes {
    /// Representative, and true if the direction runs against it.
    of: Vec<(usize, bool)>,
    /// Representatives of classes whose knots must be symmetric, since they are glued to their own reverse.
    symmetric: BTreeSet<usize>,
}

impl Classes {
    pub(crate) fn new(n: usize) -> Self {
        Self { of: (0..n).map(|i| (i, false)).collect(), symmetric: BTreeSet::new() }
    }

    pub(crate) fn join(&mut self, a: (usize, usize), b: (usize, usize), reversed: bool) {
        let (root_a, sense_a) = self.of[3 * a.0 + a.1];
        let (root_b, sense_b) = self.of[3 * b.0 + b.1];
        let between = sense_a ^ sense_b ^ reversed;
        if root_a == root_b {
            if between {
                self.symmetric.insert(root_a);
            }
            return;
        }
        let (keep, drop) = (root_a.min(root_b), root_a.max(root_b));
        for (root, sense) in self.of.iter_mut().filter(|(root, _)| *root == drop) {
            *root = keep;
            *sense ^= between;
        }
        if self.symmetric.remove(&drop) {
            self.symmetric.insert(keep);
        }
    }

    /// Number of the class of a direction.
    pub(crate) fn class(&self, (patch, direction): (usize, usize)) -> usize {
        self.of[3 * patch + direction].0
    }

    /// True if the direction runs against the sense of its class.
    pub(crate) fn reversed(&self, (patch, direction): (usize, usize)) -> bool {
        self.of[3 * patch + direction].1
    }

    /// True if the knots of its class must be symmetric.
    pub(crate) fn is_symmetric(&self, member: (usize, usize)) -> bool {
        self.symmetric.contains(&self.class(member))
    }

    /// The members of each class.
    pub(crate) fn members(&self) -> BTreeMap<usize, Vec<(usize, usize)>> {
        let mut members: BTreeMap<usize, Vec<(usize, usize)>> = BTreeMap::new();
        for (i, &(root, _)) in self.of.iter().enumerate() {
            members.entry(root).or_default().push((i / 3, i % 3));
        }
        members
    }
}

/// Numbers each class in the order of its first member.
pub(crate) fn number_classes(same: &mut Union, starts: &[usize]) -> (Vec<Vec<u32>>, usize) {
    let mut number_of = vec![u32::MAX; starts[starts.len() - 1]];
    let mut next = 0;
    let mut ids = Vec::with_capacity(starts.len() - 1);
    for pair in starts.windows(2) {
        let mut patch_ids = Vec::with_capacity(pair[1] - pair[0]);
        for point in pair[0]..pair[1] {
            let root = same.root(point);
            if number_of[root] == u32::MAX {
                number_of[root] = next;
                next += 1;
            }
            patch_ids.push(number_of[root]);
        }
        ids.push(patch_ids);
    }
    (ids, next as usize)
}
