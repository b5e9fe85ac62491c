//! The order in which rows are eliminated: that of the joints, or one that takes less work.
//!
//! A row is stored from the first row that it couples with. Along a chain the order of the joints is right;
//! in a wide tree it couples each row with one of half the system before. There a depth-first search puts
//! each joint after those of the bodies that it carries.
//!
//! Rows that repeat others are found in the order of the joints, so that it is the last of them that is left
//! out; the other order is chosen after that.

use std::collections::BTreeMap;

/// Work that is always done in the order of the joints, some 10 µs.
const LITTLE: usize = 30_000;

/// Rows in the order of elimination, and for each place the first place that its row couples with.
pub(super) struct RowOrder {
    pub(super) order: Vec<usize>,
    pub(super) first: Vec<usize>,
}

impl RowOrder {
    /// The order of the joints.
    ///
    /// * `bodies` — of each row
    pub(super) fn given(bodies: &[Vec<usize>]) -> Self {
        Self::of((0..bodies.len()).collect(), bodies, &rows_of(bodies))
    }

    /// From the leaves inwards, if that takes half of much work at most: another order gives other last
    /// digits, and errors may name other joints.
    ///
    /// * `bodies` — of each row
    pub(super) fn inwards(bodies: &[Vec<usize>]) -> Option<Self> {
        let rows_of = rows_of(bodies);
        let given = Self::of((0..bodies.len()).collect(), bodies, &rows_of);
        let inwards = Self::of(inwards(bodies, &rows_of), bodies, &rows_of);
        let is_worth_it = given.work() > LITTLE && 2 * inwards.work() < given.work();
        is_worth_it.then_some(inwards)
    }

    fn of(order: Vec<usize>, bodies: &[Vec<usize>], rows_of: &BTreeMap<usize, Vec<usize>>) -> Self {
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(at, &row)| place[row] = at);
        let first_of = |row: usize| {
            let near = bodies[row].iter().flat_map(|body| &rows_of[body]);
            near.map(|&other| place[other]).min().unwrap_or(place[row])
        };
        let first = order.iter().map(|&row| first_of(row)).collect();
        Self { order, first }
    }

    /// Sum of the squares of the widths.
    fn work(&self) -> usize {
        self.first.iter().enumerate().map(|(at, first)| (at + 1 - first).pow(2)).sum()
    }
}

/// Rows of each body, ascending.
fn rows_of(bodies: &[Vec<usize>]) -> BTreeMap<usize, Vec<usize>> {
    let mut rows_of = BTreeMap::<usize, Vec<usize>>::new();
    for (row, bodies) in bodies.iter().enumerate() {
        bodies.iter().for_each(|&body| rows_of.entry(body).or_default().push(row));
    }
    rows_of
}

/// Each row after those that a depth-first search finds beyond it, from the first row on.
fn inwards(bodies: &[Vec<usize>], rows_of: &BTreeMap<usize, Vec<usize>>) -> Vec<usize> {
    let n = bodies.len();
    let (mut order, mut is_found) = (Vec::with_capacity(n), vec![false; n]);
    // Rows on the way, each with the rows that it couples with and that are left to try.
    let mut way: Vec<(usize, Vec<usize>)> = Vec::new();
    let near = |row: usize| -> Vec<usize> {
        bodies[row].iter().flat_map(|body| rows_of[body].iter().rev().copied()).collect()
    };
    for start in 0..n {
        if is_found[start] {
            continue;
        }
        is_found[start] = true;
        way.push((start, near(start)));
        while let Some((row, left)) = way.last_mut() {
            let row = *row;
            match left.pop() {
                Some(next) if !is_found[next] => {
                    is_found[next] = true;
                    way.push((next, near(next)));
                }
                Some(_) => {}
                None => {
                    order.push(row);
                    way.pop();
                }
            }
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of joints between the bodies of each pair, three for each joint.
    fn rows(joints: impl Iterator<Item = Vec<usize>>) -> Vec<Vec<usize>> {
        joints.flat_map(|bodies| vec![bodies; 3]).collect()
    }

    #[test]
    fn chains_keep_the_order_of_their_joints() {
        let chain = rows((0..50).map(|k| if k == 0 { vec![0] } else { vec![k - 1, k] }));
        assert!(RowOrder::inwards(&chain).is_none());
    }

    /// Of a binary tree the work grows a little faster than its size; in the order of the joints it grows as
    /// the third power.
    #[test]
    fn wide_trees_are_eliminated_from_their_leaves() {
        let tree = |n: usize| rows((0..n).map(|k| if k == 0 { vec![0] } else { vec![(k - 1) / 2, k] }));
        let entries = |n: usize| -> usize {
            let of = RowOrder::inwards(&tree(n)).unwrap();
            let mut sorted = of.order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..3 * n).collect::<Vec<_>>());
            of.first.iter().enumerate().map(|(at, first)| at + 1 - first).sum()
        };
        let [few, many] = [63, 1023].map(entries);
        assert!(many < 32 * few, "{few} {many} entries");
    }
}
