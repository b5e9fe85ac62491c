//! Two boxes that share a side in every possible way.

pub(crate) mod permuted;

use carom_nurbs::{Patch, Side, solids};
use permuted::permuted;

/// A box of degree 2 with uneven knots and places, without any mirror symmetry.
fn uneven() -> Patch {
    let block = solids::block([1.0, 1.0, 1.0]).unwrap().with_degree(2).unwrap();
    block.patches[0].insert(0, &[0.2]).unwrap().insert(1, &[0.3, 0.6]).unwrap().insert(2, &[0.9]).unwrap()
}

/// One box and its mirror image with directions in every order and sense; the side of each that is shared.
pub(crate) fn pairs() -> Vec<([Patch; 2], [Side; 2])> {
    let patch = uneven();
    let mut pairs = Vec::new();
    for order in [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]] {
        for flips in 0..8 {
            let mut other = permuted(&patch, order);
            other.points.iter_mut().for_each(|point| point[0] = 2.0 - point[0]);
            for d in (0..3).filter(|d| flips >> d & 1 == 1) {
                other = other.reversed(d);
            }
            let across = order.iter().position(|&d| d == 0).unwrap();
            pairs.push(([patch.clone(), other], [Side::East, Side::of(across, flips >> across & 1 == 0)]));
        }
    }
    pairs
}
