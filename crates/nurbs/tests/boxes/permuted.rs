//! Exchanges directions of patches.

use carom_nurbs::Patch;

/// The patch with its directions in another order.
pub(crate) fn permuted(patch: &Patch, order: [usize; 3]) -> Patch {
    let basis = order.map(|d| patch.basis[d].clone());
    let counts = order.map(|d| patch.counts()[d]);
    let old = |m: usize| {
        let new = [m % counts[0], m / counts[0] % counts[1], m / (counts[0] * counts[1])];
        let mut ijk = [0; 3];
        for (place, d) in order.into_iter().enumerate() {
            ijk[d] = new[place];
        }
        patch.index(ijk)
    };
    let n = patch.points.len();
    let points = (0..n).map(|m| patch.points[old(m)]).collect();
    Patch::new(basis, points, (0..n).map(|m| patch.weights[old(m)]).collect()).unwrap()
}
