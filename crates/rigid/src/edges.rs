//! Contacts of the edges of two bodies, and balls around the edges.

use std::sync::Arc;

use carom_contact::Edge;
use carom_contact::shape::{Crossing, meeting, touching};
use nalgebra::Vector3;

use crate::contact::Contact;
use crate::free_steps::Clearance;
use crate::pair::Pair;
use crate::search::Relative;

/// Largest number of pairs of edges of two bodies that touch: each has a gap that is kept.
pub const MOST_EDGES: usize = 65536;

/// True if two bodies have edges, and not too many for a gap of each pair.
pub(crate) fn fit(n_edges: [usize; 2]) -> bool {
    let [a, b] = n_edges;
    a > 0 && b > 0 && !are_too_many(n_edges)
}

/// True if the pairs of edges of two bodies are more than [`MOST_EDGES`].
pub(crate) fn are_too_many([a, b]: [usize; 2]) -> bool {
    a.saturating_mul(b) > MOST_EDGES
}

/// Largest depth of crossing edges, relative to the shortest edge.
const DEEPEST: f64 = 0.25;

/// Balls around the edges of both bodies of a pair, each in the frame of its body.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spheres {
    pub(crate) centers: [Vector3<f64>; 2],
    /// Sum of both radii, and the second one \[m\].
    radius: f64,
    second: f64,
    /// A quarter of the shortest edge \[m\].
    pub(crate) deepest: f64,
}

impl Spheres {
    /// The balls around the edges of a pair; `None` if one body has no edges.
    pub(crate) fn around(edges: &[Arc<[Edge]>; 2]) -> Option<Self> {
        let [a, b] = edges;
        if a.is_empty() || b.is_empty() {
            return None;
        }
        let middle =
            |edges: &[Edge]| edges.iter().map(|e| e.center).sum::<Vector3<f64>>() / edges.len() as f64;
        let centers = [middle(a), middle(b)];
        let radius = |edges: &[Edge], c: Vector3<f64>| {
            edges.iter().map(|e| (e.center - c).norm() + e.half.norm()).fold(0.0, f64::max)
        };
        let shortest = a.iter().chain(b.iter()).map(|e| e.half.norm()).fold(f64::INFINITY, f64::min);
        let second = radius(b, centers[1]);
        Some(Self {
            centers,
            radius: radius(a, centers[0]) + second,
            second,
            deepest: DEEPEST * 2.0 * shortest,
        })
    }

    /// Lower bound of the distance between the edges \[m\].
    fn gap(&self, relative: &Relative) -> f64 {
        ((relative.place(&self.centers[0]) - self.centers[1]).norm() - self.radius).max(0.0)
    }
}

/// Contacts of the edges of a pair. If the balls around the edges are far apart, the edges are not checked.
///
/// * `(end, margin)` — positions at the end of the step, and the gap below which edges touch \[m\]
/// * `direction` — of two blocks, that of their contacts
pub(crate) fn look_at_edges(
    number: usize,
    pair: &Pair,
    (end, margin): (&Relative, f64),
    direction: Option<&Vector3<f64>>,
    clearance: &mut Clearance,
    contacts: &mut Vec<Contact>,
) {
    let [first, second] = &pair.edges;
    let points = pair.gaps.len() - first.len() * second.len();
    let Some(spheres) = pair.spheres else { return };
    let apart = spheres.gap(end);
    clearance.gap = clearance.gap.min(apart);
    if apart > margin {
        return;
    }
    // Distance of the lines of edges that touch.
    let apart = margin.max(spheres.deepest);
    for (i, edge) in first.iter().enumerate() {
        let there = end.edge(edge);
        let length = there.half.norm();
        clearance.distance = clearance.distance.max(there.center.norm() + length);
        if (there.center - spheres.centers[1]).norm() > length + spheres.second + apart {
            continue;
        }
        for (j, other) in second.iter().enumerate() {
            let farthest = length + other.half.norm() + apart;
            if (there.center - other.center).norm_squared() > farthest * farthest {
                continue;
            }
            let slot = points + i * second.len() + j;
            let found = match direction {
                Some(direction) => meeting(&there, other, direction),
                None => touching(&there, other, spheres.deepest),
            };
            if let Some(Crossing { gap, .. }) = found.filter(|found| found.gap < margin) {
                contacts.push(Contact {
                    pair: Some(number),
                    key: pair.key,
                    slot,
                    gap_new: gap,
                    ..Contact::default()
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use carom_contact::{Block, Law, Shape};
    use carom_dynamics::Placement;
    use nalgebra::Matrix3;

    use super::*;
    use crate::{Ball, CrowdSpec, MemberSpec, PairSpec, RigidBody, System};

    const SIZE: Vector3<f64> = Vector3::new(1.0, 0.1, 0.1);
    const DT: f64 = 1e-3;

    fn bar() -> RigidBody {
        let inertia = Matrix3::from_diagonal(&Vector3::new(0.01, 0.1, 0.1));
        RigidBody::new("bar", 1.0, inertia, Vector3::zeros()).unwrap()
    }

    /// The corners and the edges of one bar on the other.
    fn pair(edges: [Vec<Edge>; 2]) -> PairSpec {
        PairSpec {
            bodies: [0, 1],
            points: Ball::corners(Vector3::zeros(), SIZE).to_vec(),
            moving: None,
            edges,
            shape: Shape::Block(Block::new(Vector3::zeros(), 0.5 * SIZE)),
            law: Law::Hard,
            restitution: 1.0,
            friction: 0.0,
        }
    }

    /// Two bodies with 257 and 256 edges touch by their points alone, without memory for their edges, and are
    /// reported; 256 and 256 edges touch.
    #[test]
    fn bodies_with_too_many_edges_are_reported() {
        let edges = |n: usize| -> Vec<Edge> {
            Edge::of_block(Vector3::zeros(), SIZE).iter().copied().cycle().take(n).collect()
        };
        let above = Placement { origin: [0.0, 0.0, 0.11], ..Placement::default() };
        let places = [Placement::default(), above];
        let member = |body: usize, n: usize| MemberSpec {
            body,
            points: Ball::corners(Vector3::zeros(), SIZE).to_vec(),
            moving: None,
            edges: edges(n),
            shape: Some(Shape::Block(Block::new(Vector3::zeros(), 0.5 * SIZE))),
        };
        for (n, expected) in [(256, Vec::new()), (257, vec![[0, 1]])] {
            let pairs = [pair([edges(n), edges(256)])];
            let crowd = CrowdSpec {
                members: vec![member(0, 256), member(1, n)],
                law: Law::Hard,
                restitution: 1.0,
                friction: 0.0,
                apart: Vec::new(),
            };
            for (pairs, crowds) in [(&pairs[..], &[][..]), (&[], &[crowd])] {
                let bodies = vec![bar(), bar()];
                let system =
                    System::with_crowds(bodies, &places, (pairs, crowds), Vector3::zeros(), DT).unwrap();
                let mut found = Vec::new();
                system.for_without_edges(|pair| found.push(pair));
                assert_eq!(found, expected);
                let most = system.pairs.iter().map(|pair| pair.gaps.len()).max();
                assert_eq!(most.is_some_and(|most| most < 100), n > 256, "{most:?}");
            }
        }
    }
}
