//! Contacts of the points that move over curved faces, within a step.

use nalgebra::Vector3;

use crate::contact::Contact;
use crate::free_steps::Clearance;
use crate::moving::From;
use crate::pair::{Ball, Pair};
use crate::search::{Relative, Step, start};
use crate::surface::Surface;

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
    for sheet in 0..sheets {
        let mut walk = moving.tree.walk();
        loop {
            let most = if are_held { f64::INFINITY } else { limit.max(*smallest_found) };
            let next = walk.next(&moving.tree, most, |ball| bound(&mut pair.surface, sheet, end, ball, most));
            let Some((k, least)) = next else { break };
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
}

/// A bound below the gaps of a ball of the first body from a sheet: by the box around faces, where that is
/// larger than `most`.
pub(crate) fn bound(surface: &mut Surface, sheet: usize, end: &Relative, ball: &Ball, most: f64) -> f64 {
    let there = end.ball(ball, surface);
    let least = surface.least_gap(&there);
    if least > most { least } else { surface.gap(sheet, &there).0 }
}

/// The smallest gap of all points. Those that the box around faces keeps farther away are left out.
pub(crate) fn smallest_gap(pair: &mut Pair, end: &Relative) -> f64 {
    let mut smallest = f64::INFINITY;
    let Pair { points, moving, surface, .. } = pair;
    for point in points.iter() {
        smallest = smallest.min(bound(surface, 0, end, point, smallest));
    }
    if let Some(moving) = moving {
        let mut walk = moving.tree.walk();
        while let Some((_, least)) =
            walk.next(&moving.tree, smallest, |ball| bound(surface, 0, end, ball, smallest))
        {
            smallest = smallest.min(least);
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
