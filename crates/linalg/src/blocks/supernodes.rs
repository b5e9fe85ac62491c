//! Nodes that are eliminated together, in one front.
//!
//! The remainder of a front after the elimination of its own unknowns is added to the front of its parent,
//! the first of its later nodes. In a heap of bodies, or a frame with many loops, fronts are large and have
//! few own unknowns, so that these sums cost more than the elimination. A node whose later nodes are its
//! parent and nearly all of the later nodes of the parent is therefore eliminated in the front of its parent.
//! Small fronts stay as they are: those of rigid bodies and joints have loops of a known length.
//!
//! # Source
//!
//! Liu (1990), SIAM J. Matrix Anal. Appl. 11(1), 134–172; nodes that differ by a few zeros: Ashcraft & Grimes
//! (1989), ACM Trans. Math. Softw. 15(4), 291–309.

use std::ops::Range;

use super::elimination::Elimination;

/// Fewest later unknowns of a node that joins its parent.
const LARGE: usize = 24;

/// Most own unknowns of a front of several nodes: its own rows stay in the cache.
const MOST: usize = 96;

/// Part of the front whose entries may be zeros for a node that joins.
const ZEROS: usize = 8;

/// Fronts of one or more nodes in the order of elimination.
pub(super) struct Supernodes {
    /// Nodes in the order of elimination, those of one front next to each other.
    pub(super) order: Vec<usize>,
    /// Places of the nodes of each front in that order.
    pub(super) own: Vec<Range<usize>>,
    /// Places of the later nodes of each front, ascending.
    pub(super) later: Vec<Vec<usize>>,
}

impl Supernodes {
    /// Joins nodes of an elimination.
    ///
    /// * `size` — number of unknowns of a node
    pub(super) fn new(elimination: Elimination, size: impl Fn(usize) -> usize) -> Self {
        let Elimination { order, later } = elimination;
        let n = order.len();
        let sizes: Vec<usize> = order.iter().map(|&node| size(node)).collect();
        let extent: Vec<usize> =
            later.iter().map(|later| later.iter().map(|&k| sizes[k]).sum::<usize>()).collect();
        let mut children = vec![Vec::new(); n];
        for (at, later) in later.iter().enumerate() {
            if let Some(&parent) = later.first() {
                children[parent].push(at);
            }
        }
        // Nodes of the front that ends with each place, until it joins another one.
        let mut members: Vec<Vec<usize>> = (0..n).map(|at| vec![at]).collect();
        for at in 0..n {
            let mut own = sizes[at];
            // Children with the most later nodes share the most with the parent.
            children[at].sort_by_key(|&child| (std::cmp::Reverse(extent[child]), child));
            for &child in &children[at] {
                let of_child: usize = members[child].iter().map(|&k| sizes[k]).sum();
                let all = own + extent[at];
                let zeros = all - extent[child];
                if extent[child] >= LARGE && own + of_child <= MOST && zeros * ZEROS <= all {
                    let joined = std::mem::take(&mut members[child]);
                    members[at].extend(joined);
                    own += of_child;
                }
            }
            members[at].sort_unstable();
        }
        let (mut place, mut own, mut new_order) = (vec![0; n], Vec::new(), Vec::with_capacity(n));
        let tops: Vec<usize> = (0..n).filter(|&at| !members[at].is_empty()).collect();
        for &top in &tops {
            let first = new_order.len();
            for &at in &members[top] {
                place[at] = new_order.len();
                new_order.push(order[at]);
            }
            own.push(first..new_order.len());
        }
        let moved = |top: &usize| {
            let mut places: Vec<usize> = later[*top].iter().map(|&k| place[k]).collect();
            places.sort_unstable();
            places
        };
        Self { order: new_order, own, later: tops.iter().map(moved).collect() }
    }
}
