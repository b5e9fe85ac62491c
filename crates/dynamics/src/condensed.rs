//! Selection of impacts for display: of many impacts of a pair the first, the largest and the last.

use crate::contact_event::ContactEvent;

/// The displayed impacts of one pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PairImpacts {
    /// Index of the contact pair.
    pub pair: usize,
    /// The two bodies of a contact of all bodies, see [`ContactEvent::bodies`].
    pub bodies: Option<[usize; 2]>,
    /// Number of all impacts.
    pub count: usize,
    /// The displayed impacts, in the order of time.
    pub shown: Vec<ShownImpact>,
}

/// A displayed impact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShownImpact {
    /// Its index in the list of all events.
    pub event: usize,
    /// The reason for its display, for instance "first, largest"; empty if all impacts are displayed.
    pub role: &'static str,
}

impl PairImpacts {
    /// The largest of the displayed impacts, by its number among all events.
    pub fn largest(&self) -> Option<usize> {
        let is_largest = |shown: &&ShownImpact| shown.role.contains("largest");
        self.shown.iter().find(is_largest).or(self.shown.first()).map(|shown| shown.event)
    }
}

/// The displayed impacts of each pair, with pairs in the order of their first impact: all impacts of a pair
/// with at most `most`, otherwise the first, the largest (by peak force, or by impulse if an impact of the
/// pair has no force) and the last.
pub fn condensed(events: &[ContactEvent], most: usize) -> Vec<PairImpacts> {
    let mut by_start: Vec<usize> = (0..events.len()).collect();
    by_start.sort_by(|&a, &b| events[a].start.total_cmp(&events[b].start));
    let mut of_pairs: Vec<(_, Vec<usize>)> = Vec::new();
    for event in by_start {
        let pair = (events[event].pair, events[event].bodies);
        match of_pairs.iter_mut().find(|(known, _)| *known == pair) {
            Some((_, impacts)) => impacts.push(event),
            None => of_pairs.push((pair, vec![event])),
        }
    }
    of_pairs
        .into_iter()
        .map(|((pair, bodies), impacts)| PairImpacts {
            pair,
            bodies,
            count: impacts.len(),
            shown: if impacts.len() <= most {
                impacts.iter().map(|&event| ShownImpact { event, role: "" }).collect()
            } else {
                notable(events, &impacts)
            },
        })
        .collect()
}

/// The first, the largest and the last impact of a pair, each once.
fn notable(events: &[ContactEvent], impacts: &[usize]) -> Vec<ShownImpact> {
    let (Some(&first), Some(&last)) = (impacts.first(), impacts.last()) else { return Vec::new() };
    let have_forces = impacts.iter().all(|&event| events[event].peak().is_some());
    let size =
        |event: usize| if have_forces { events[event].peak_force } else { events[event].impulse_size() };
    // The earliest of equal ones.
    let largest = impacts.iter().rev().copied().max_by(|&a, &b| size(a).total_cmp(&size(b))).unwrap_or(first);
    let shown = |event: usize, role: &'static str| ShownImpact { event, role };
    match (largest == first, largest == last) {
        (true, true) => vec![shown(first, "")],
        (true, false) => vec![shown(first, "first, largest"), shown(last, "last")],
        (false, true) => vec![shown(first, "first"), shown(last, "largest, last")],
        (false, false) => vec![shown(first, "first"), shown(largest, "largest"), shown(last, "last")],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn impact(pair: usize, start: f64, peak_force: f64) -> ContactEvent {
        ContactEvent { pair, start, end: start + 0.1, peak_force, ..ContactEvent::default() }
    }

    fn shown(impacts: &PairImpacts) -> Vec<(usize, &str)> {
        impacts.shown.iter().map(|impact| (impact.event, impact.role)).collect()
    }

    #[test]
    fn the_first_largest_and_last_of_many_impacts_are_shown() {
        // Events are ordered by their ends, not by their starts.
        let mut events: Vec<ContactEvent> = (0..469).map(|n| impact(1, f64::from(n), 7.0)).collect();
        events[200].peak_force = 9.0;
        events[300].peak_force = 9.0;
        events.swap(0, 5);
        events.push(impact(0, 3.0, 1.0));
        let all = condensed(&events, 3);
        assert_eq!(all.iter().map(|i| (i.pair, i.count)).collect::<Vec<_>>(), [(1, 469), (0, 1)]);
        assert_eq!(shown(&all[0]), [(5, "first"), (200, "largest"), (468, "last")]);
        assert_eq!(shown(&all[1]), [(469, "")]);
        assert_eq!(condensed(&events, 469)[0].shown.len(), 469);
    }

    #[test]
    fn the_largest_of_impulses_at_instants_has_the_largest_impulse() {
        let of_impulse = |start: f64, impulse: f64| ContactEvent {
            impulsive: true,
            impulse: [0.0, impulse, 0.0],
            ..impact(0, start, 0.0)
        };
        let events = [1.0, 3.0, 2.0, 1.0].map(|x| of_impulse(0.1 * x, x));
        assert_eq!(shown(&condensed(&events, 3)[0]), [(0, "first"), (1, "largest, last")]);
        let equal = [0.0, 1.0, 2.0, 3.0].map(|x| of_impulse(x, 1.0));
        assert_eq!(shown(&condensed(&equal, 3)[0]), [(0, "first, largest"), (3, "last")]);
    }
}
