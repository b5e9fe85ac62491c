//! The longest step that each pair allows, and the time of the next frame of a contact.

use super::{ContactEvents, PairRecord};
use crate::system::System;

/// Impacts after which frames are those of `output_every` alone: a body that chatters would fill the disk.
const MAX_IMPACTS: usize = 24;

/// Factor by which frames are denser than the wanted number in an impact by Hertz, as bodies with waves part
/// a little earlier.
const MARGIN: f64 = 1.25;

impl ContactEvents {
    /// The longest steps that single pairs, and all pairs that are far apart, allow \[s\].
    pub(crate) fn longest_steps(&self) -> impl Iterator<Item = f64> {
        let of_pair = |&pair: &usize| {
            let PairRecord { memory, tracker, .. } = &self.pairs[pair];
            memory.longest_step(tracker.touching)
        };
        self.active.iter().map(of_pair).chain([self.apart])
    }

    /// True if no bodies touch, or could touch by the ringing of their modes, at the state y.
    pub(crate) fn are_apart(&self, system: &System, y: &[f64]) -> bool {
        self.active.iter().all(|&pair| {
            let PairRecord { memory, tracker, .. } = &self.pairs[pair];
            let ringing = || system.pair_bodies(pair).map(|body| system.ringing(body, y)).iter().sum::<f64>();
            !tracker.touching && memory.gap > 0.0 && memory.gap > ringing()
        })
    }

    /// Time of the next frame of a contact after a given time \[s\].
    ///
    /// It follows from numbers that a checkpoint has: the start of the last touch and its duration by Hertz.
    /// Infinite without contact, where the frames of the run are as dense, and after many impacts.
    ///
    /// * `frames` — number of frames in an impact
    /// * `every` — time between two frames of the run \[s\]
    pub(crate) fn next_frame(&self, after: f64, frames: usize, every: f64) -> f64 {
        if frames == 0 || self.over.len() >= MAX_IMPACTS {
            return f64::INFINITY;
        }
        let touching = self.active.iter().map(|&pair| &self.pairs[pair]).filter(|pair| pair.tracker.touching);
        let starts = touching.filter_map(|pair| Some((pair.tracker.event?.start, pair.memory.pulse)));
        let Some((start, pulse)) = starts.max_by(|a, b| a.0.total_cmp(&b.0)) else { return f64::INFINITY };
        let unit = pulse / (MARGIN * frames as f64);
        if !(unit > 0.0 && unit.is_finite()) {
            return f64::INFINITY;
        }
        match place_in_series((after - start) / unit, frames, every / unit) {
            Some(place) => start + place * unit,
            None => f64::INFINITY,
        }
    }
}

/// The next place after `after` in the series 1, 2, … n, n + 2, n + 4, … 3 n, 3 n + 4, …, whose steps double
/// every n places: contact that lasts gets few frames. None where the steps reach `widest`.
fn place_in_series(after: f64, n: usize, widest: f64) -> Option<f64> {
    // A place that differs from `after` by rounding is not the next one.
    const ROUNDING: f64 = 1e-6;
    let (mut base, mut step) = (0.0, 1.0);
    while step < widest {
        let end = base + n as f64 * step;
        let next = base + step * (((after - base) / step + ROUNDING).floor().max(0.0) + 1.0);
        if next <= end {
            return Some(next);
        }
        (base, step) = (end, 2.0 * step);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::place_in_series;

    #[test]
    fn steps_of_the_series_double_until_the_end() {
        let mut places = vec![place_in_series(0.0, 3, 4.5).unwrap()];
        while let Some(next) = place_in_series(*places.last().unwrap(), 3, 4.5) {
            places.push(next);
        }
        assert_eq!(places, [1.0, 2.0, 3.0, 5.0, 7.0, 9.0, 13.0, 17.0, 21.0]);
        assert_eq!(place_in_series(1.999_999_999_9, 3, 4.5), Some(3.0));
        assert_eq!(place_in_series(0.0, 3, 1.0), None);
    }
}
