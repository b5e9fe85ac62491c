//! Which lattice points of different patches are one point of the body.

use carom_nurbs::Multipatch;

use crate::lattice::PatchLattice;

/// A number in \[0, 1) that looks random, the same for the same `n` (the finaliser of SplitMix64).
fn tag(n: u64) -> f64 {
    let mut x = (n + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((x ^ (x >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}

/// Numbers the lattice points of all patches, glued ones alike. Returns, for each patch, the number of each lattice
/// point, and how many there are.
///
/// Two points are the same if they are the same combination of the body's control points with the same weight. To see
/// this without comparing combinations, every control point gets two random numbers; like any field they are carried to
/// the lattice, and equal combinations get equal numbers. Points that merely coincide (the lips of a crack) do not.
/// `groups` keeps patches of different groups (materials) apart.
pub(crate) fn glue(
    multipatch: &Multipatch,
    lattices: &[PatchLattice],
    groups: &[usize],
) -> (Vec<Vec<u32>>, usize) {
    let mut numbers: Vec<Vec<u32>> = Vec::with_capacity(lattices.len());
    let mut outer: Vec<OuterPoint> = Vec::new();
    let mut next = 0_u32;
    for (patch, lattice) in lattices.iter().enumerate() {
        let pair = |id: u32| [tag(u64::from(id)), tag(u64::from(id) + (1 << 32))];
        let values: Vec<[f64; 2]> = multipatch.point_ids[patch].iter().map(|&id| pair(id)).collect();
        let tags = lattice.rational(&values);
        let own = (0..tags.len()).map(|index| {
            if lattice.on_side(index) {
                let (tags, weight) = (tags[index], lattice.weights[index]);
                outer.push(OuterPoint { group: groups[patch], tags, weight, patch, index });
                return u32::MAX;
            }
            next += 1;
            next - 1
        });
        numbers.push(own.collect());
    }
    // Equal first tags stand together; among them the second tag and the weight decide.
    outer.sort_by(|a, b| a.group.cmp(&b.group).then(a.tags[0].total_cmp(&b.tags[0])));
    for run in outer.chunk_by(|a, b| a.group == b.group && b.tags[0] - a.tags[0] < 1e-12) {
        let mut distinct: Vec<(&OuterPoint, u32)> = Vec::new();
        for point in run {
            let same = distinct.iter().find(|(other, _)| point.equals(other)).map(|(_, number)| *number);
            let number = same.unwrap_or_else(|| {
                distinct.push((point, next));
                next += 1;
                next - 1
            });
            numbers[point.patch][point.index] = number;
        }
    }
    (numbers, next as usize)
}

/// A lattice point on a side of its patch.
struct OuterPoint {
    group: usize,
    tags: [f64; 2],
    weight: f64,
    patch: usize,
    index: usize,
}

impl OuterPoint {
    fn equals(&self, other: &Self) -> bool {
        (self.tags[1] - other.tags[1]).abs() < 1e-12
            && (self.weight - other.weight).abs() <= 1e-9 * self.weight
    }
}
