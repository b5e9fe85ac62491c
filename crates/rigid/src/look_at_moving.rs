//! Contacts of the points that move over curved faces, within a step.

use nalgebra::Vector3;

use crate::contact::Contact;
use crate::free_steps::Clearance;
use crate::moving::From;
use crate::pair::{Ball, Pair};
use crate::search::{Relative, Step, start};

/// Contacts of the moving points.
///
/// * `(end, margin, limit)` — as for blocks
/// * `smallest_found` — the smallest gap so far \[m\]
pub(crate) fn look_at_moving(
    number: usize,
    pair: &mut Pair,
    (end, margin, limit): (&Relative, f64, f64),
    step: &Step<'_>,
    (clearance, smallest_found): (&mut Clearance, &mut f64),
    contacts: &mut Vec<Contact>,
) {
    let Some(moving) = pair.moving.clone() else { return };
    let (bodies, first, sheets) = (pair.bodies, pair.points.len(), pair.surface.shape.sheets());
    clearance.distance = clearance.distance.max(end.place(&Vector3::zeros()).norm() + moving.radius);
    // Held points have gaps of their own, and lose their faces only where they are looked at.
    let are_held = pair.holds_moving();
    let before = contacts.len();
    for sheet in 0..sheets {
        let mut walk = moving.tree.walk();
        loop {
            let most = if are_held { f64::INFINITY } else { limit.max(*smallest_found) };
            let Pair { surface, known, .. } = pair;
            let next = walk.next(&moving.tree, most, |node, ball, is_leaf| {
                let there = end.ball(ball, surface);
                let near = if is_leaf { limit } else { most };
                known.bound(node, surface, sheet, &there, [near, most])
            });
            let Some((leaf, least)) = next else { break };
            let k = moving.tree.part(leaf);
            let (point, slot) = (first + k, (first + k) * sheets + sheet);
            if least > limit {
                *smallest_found = smallest_found.min(least);
                pair.held[point] = None;
                continue;
            }
            let found = moving.nearest(k, From::Middle, end, |ball| pair.gap(slot, ball));
            *smallest_found = smallest_found.min(found.gap);
            if found.is_beyond {
                pair.held[point] = None;
                continue;
            }
            let at_start = |pair: &mut Pair| {
                let start = start(bodies, step);
                let found = moving.nearest(k, From::Place(found.xi), &start, |ball| pair.gap(slot, ball));
                Ball::point(start.place(&found.place))
            };
            let gap = pair.gap_at_end(slot, &Ball::point(end.place(&found.place)), at_start);
            if gap < margin {
                contacts.push(Contact {
                    pair: Some(number),
                    key: pair.key,
                    slot,
                    xi: found.xi,
                    gap_new: gap,
                    ..Contact::default()
                });
            }
        }
    }
    // The order in which the tree is walked depends on the gaps that are known from steps before.
    contacts[before..].sort_unstable_by_key(|contact| contact.slot);
}

/// The smallest gap of all points and of the balls around the parts of moving ones, by the first sheet.
pub(crate) fn smallest_gap(pair: &mut Pair, end: &Relative) -> f64 {
    let Pair { points, moving, surface, known, .. } = pair;
    let tree = moving.as_ref().map(|moving| &moving.tree);
    let first = known.first_point();
    // The ball that was nearest leaves few others that may be nearer.
    let nearest = known.nearest;
    let ball = match tree {
        Some(tree) if nearest < first => tree.ball(nearest),
        _ => &points[nearest - first],
    };
    let mut smallest = surface.gap(0, &end.ball(ball, surface)).0;
    for (k, point) in points.iter().enumerate() {
        let there = end.ball(point, surface);
        let least = known.bound(first + k, surface, 0, &there, [f64::NEG_INFINITY, smallest]);
        if least < smallest {
            (smallest, known.nearest) = (least, first + k);
        }
    }
    let Some(tree) = tree else { return smallest };
    let mut walk = tree.walk();
    while let Some((leaf, least)) = walk.next(tree, smallest, |node, ball, is_leaf| {
        let there = end.ball(ball, surface);
        let near = if is_leaf { f64::NEG_INFINITY } else { smallest };
        known.bound(node, surface, 0, &there, [near, smallest])
    }) {
        if least < smallest {
            (smallest, known.nearest) = (least, leaf);
        }
    }
    smallest
}

impl Pair {
    /// True if a face that is not the nearest one holds a moving point.
    pub(crate) fn holds_moving(&self) -> bool {
        self.held[self.points.len().min(self.held.len())..].iter().any(Option::is_some)
    }
}
