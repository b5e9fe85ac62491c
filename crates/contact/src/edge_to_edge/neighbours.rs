//! Edges of one body that never touch each other: those around an edge, and those behind it at rest.

use std::collections::{BTreeMap, BTreeSet};

use nalgebra::Vector3;

use super::{EdgeLimits, SurfaceEdge, SurfaceEdges, closest, crossing_of_kinds, place, straight, wall};

/// Length of a round line, in sums of both radii, within which its edges are neighbours: a line that is bent
/// to a radius of 0.65 of that sum, 1.3 radii of its section, does not touch itself there.
const ALONG: f64 = 1.25;

/// Distance at rest up to which sharp edges are parts of one body, in depths of the limits: a compressed body
/// is thinner than at rest.
const BEHIND: f64 = 2.0;

impl SurfaceEdges {
    /// Pairs of edges that are neighbours, \[i, j\] with i < j, ascending: they share a face, or the way
    /// between them along round lines and faces is at most 1.25 times the sum of their radii.
    ///
    /// * `groups` — the points of each face and of each beam
    /// * `reference` — positions of the points \[m\]
    pub fn neighbours<'a>(
        &self,
        groups: impl Iterator<Item = &'a [u32]>,
        reference: &[Vector3<f64>],
    ) -> Vec<[u32; 2]> {
        let mut beside: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); reference.len()];
        for group in groups {
            group.iter().for_each(|&point| beside[point as usize].extend(group));
        }
        // The edges at each point.
        let mut at: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (number, edge) in (0..).zip(&self.edges) {
            self.points(edge).for_each(|point| at.entry(point).or_default().push(number));
        }
        let thickest = self.edges.iter().map(wall).fold(0.0, f64::max);
        let mut pairs = Vec::new();
        for (number, edge) in (0..).zip(&self.edges) {
            let mut add = |other: u32| {
                if other != number {
                    pairs.push([number.min(other), number.max(other)]);
                }
            };
            let edges_at = |point: &u32| at.get(point).into_iter().flatten().copied();
            let own: BTreeSet<u32> = self.points(edge).collect();
            let beside_own = own.iter().flat_map(|&point| &beside[point as usize]);
            let around: BTreeSet<u32> = own.iter().chain(beside_own).copied().collect();
            around.iter().flat_map(edges_at).for_each(&mut add);
            if wall(edge) > 0.0 {
                let length = |other: f64| ALONG * (wall(edge) + other);
                for (point, way) in walk(&own, length(thickest), &beside, reference) {
                    let is_near = |other: &u32| way <= length(wall(&self.edges[*other as usize]));
                    edges_at(&point).filter(is_near).for_each(&mut add);
                }
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }

    fn points(&self, edge: &SurfaceEdge) -> impl Iterator<Item = u32> + '_ {
        edge.ends.into_iter().flat_map(|end| self.places.of(end)).map(|(point, _)| *point)
    }
}

/// The points within a length from some points along the lines between neighbours, with their ways \[m\]
/// (Dijkstra's method).
fn walk(
    from: &BTreeSet<u32>,
    length: f64,
    beside: &[BTreeSet<u32>],
    reference: &[Vector3<f64>],
) -> BTreeMap<u32, f64> {
    let mut reached: BTreeMap<u32, f64> = from.iter().map(|&point| (point, 0.0)).collect();
    let mut open: BTreeSet<(u64, u32)> = from.iter().map(|&point| (0, point)).collect();
    while let Some((_, point)) = open.pop_first() {
        let so_far = reached[&point];
        for &next in &beside[point as usize] {
            let there = so_far + (reference[next as usize] - reference[point as usize]).norm();
            if there <= length && reached.get(&next).is_none_or(|&known| there < known) {
                reached.insert(next, there);
                // Positive numbers have the order of their bits.
                open.insert((there.to_bits(), next));
            }
        }
    }
    reached
}

/// Distance at rest beyond which no edges are behind each other, less both radii \[m\].
pub(super) fn reach(limits: &EdgeLimits) -> f64 {
    BEHIND * limits.depth
}

/// True for two edges of one body that are parts of each other at rest: round ones that overlap, sharp ones
/// near each other that do not face each other.
pub(super) fn is_behind(pair: [&SurfaceEdge; 2], reference: &[Vector3<f64>], limits: &EdgeLimits) -> bool {
    let [a, b] = pair.map(|edge| edge.ends.map(|k| reference[k as usize]));
    let [s, t] = closest(&a, &b);
    let distance = (place(&a, s) - place(&b, t)).norm();
    let walls = wall(pair[0]) + wall(pair[1]);
    if pair.iter().all(|edge| wall(edge) > 0.0) {
        return distance < walls;
    }
    if distance >= reach(limits) + walls {
        return false;
    }
    let [first, second] = [straight(pair[0], a, reference), straight(pair[1], b, reference)];
    let found = crossing_of_kinds(pair, &first, &second);
    // The gap of edges that face each other is their distance.
    !found.is_some_and(|found| found.gap > 0.99 * distance)
}
