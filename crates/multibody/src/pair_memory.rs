//! What the time loop remembers of a pair from step to step, and how long the next step may be for it.

use crate::contact::{Overlap, Reaction, Rim};
use crate::scales::{pulse, speed_bound};
use crate::system::System;

/// Plain numbers, part of a checkpoint.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairMemory {
    /// Free gap at the end of the last step \[m\].
    pub gap: f64,
    /// Speed at which it closes, 0 if unknown \[m/s\].
    pub closing: f64,
    /// Upper bound of that speed over all of both surfaces \[m/s\].
    pub bound: f64,
    /// Duration of the impact that goes on or may come, by Hertz \[s\].
    pub pulse: f64,
    /// Times of the last two step ends \[s\] and the contact forces then \[N\].
    pub history: [[f64; 2]; 2],
    /// The largest share of the force at the rim of a zone so far, and when \[s\].
    pub rim: Option<(f64, Rim)>,
    /// The overlap without force that was the largest part of its face so far, and when \[s\].
    pub overlap: Option<(f64, Overlap)>,
    /// The smallest known free gap so far \[m\], and when \[s\]; infinite while the surfaces were always far
    /// apart.
    pub nearest: [f64; 2],
    /// Most cells that had pressure at once so far; 0 if unknown.
    pub loaded_cells: usize,
}

impl PairMemory {
    /// Numbers in [`PairMemory::to_array`].
    pub const NUMBERS: usize = 23;

    /// Steps in a contact pulse, docs/theory/time.md, section 5.1.
    const STEPS_PER_PULSE: f64 = 20.0;

    /// Before the first step.
    pub fn new() -> Self {
        Self {
            gap: f64::INFINITY,
            closing: 0.0,
            bound: 0.0,
            pulse: f64::INFINITY,
            history: [[0.0; 2]; 2],
            rim: None,
            overlap: None,
            nearest: [f64::INFINITY, 0.0],
            loaded_cells: 0,
        }
    }

    /// All numbers in one array.
    pub fn to_array(&self) -> [f64; Self::NUMBERS] {
        let [[t0, f0], [t1, f1]] = self.history;
        let none = (0.0, Rim { side: 0, face: 0, share: -1.0 });
        let (when, rim) = self.rim.unwrap_or(none);
        let (side, face) = (rim.side as f64, rim.face as f64);
        let none = Overlap { face: 0, depth: -1.0, size: 0.0, place: [0.0; 3], is_corner: false };
        let (then, overlap) = self.overlap.unwrap_or((0.0, none));
        let own = [self.gap, self.closing, self.bound, self.pulse, t0, f0, t1, f1];
        let of_rim = [when, side, face, rim.share];
        let [x, y, z] = overlap.place;
        let is_corner = f64::from(u8::from(overlap.is_corner));
        let of_overlap = [then, overlap.face as f64, overlap.depth, overlap.size, x, y, z, is_corner];
        let mut array = [0.0; Self::NUMBERS];
        array.iter_mut().zip(own.into_iter().chain(of_rim).chain(of_overlap)).for_each(|(a, x)| *a = x);
        array[20] = self.loaded_cells as f64;
        array[21..].copy_from_slice(&self.nearest);
        array
    }

    /// The inverse of [`PairMemory::to_array`].
    pub fn from_array(array: &[f64; Self::NUMBERS]) -> Self {
        let [gap, closing, bound, pulse, t0, f0, t1, f1, rest @ ..] = *array;
        let [when, side, face, share, then, under, depth, size, x, y, z, is_corner, loaded, nearest, at] =
            rest;
        let rim = Rim { side: side as usize, face: face as usize, share };
        let rim = (share >= 0.0).then_some((when, rim));
        let (place, is_corner) = ([x, y, z], is_corner == 1.0);
        let overlap = Overlap { face: under as usize, depth, size, place, is_corner };
        let overlap = (depth >= 0.0).then_some((then, overlap));
        Self {
            gap,
            closing,
            bound,
            pulse,
            history: [[t0, f0], [t1, f1]],
            rim,
            overlap,
            nearest: [nearest, at],
            loaded_cells: loaded as usize,
        }
    }

    /// Takes in the end of a step, at which the system was evaluated. The pulse of a contact is that of its
    /// first touch.
    pub(crate) fn update(
        &mut self,
        system: &System,
        pair: usize,
        time: f64,
        touching: bool,
        user: Option<f64>,
    ) {
        let reaction = system.contacts().reaction(pair);
        self.gap = reaction.free_gap;
        self.closing = reaction.gap_rate.map_or(0.0, |rate| -rate);
        self.bound = speed_bound(system, pair);
        if !touching {
            // At rest against each other: the time is then set by forces, which the error control sees.
            let speed = self.bound.max(f64::MIN_POSITIVE);
            self.pulse = user.unwrap_or_else(|| pulse(system, pair, speed));
        }
        self.note_gap(reaction, time);
        self.history = [self.history[1], [time, reaction.normal_force]];
        self.loaded_cells = self.loaded_cells.max(reaction.loaded_cells.unwrap_or(0));
        if let Some(rim) = reaction.rim
            && self.rim.is_none_or(|(_, largest)| rim.share > largest.share)
        {
            self.rim = Some((time, rim));
        }
        if let Some(overlap) = reaction.overlap
            && self.overlap.is_none_or(|(_, largest)| overlap.ratio() > largest.ratio())
        {
            self.overlap = Some((time, overlap));
        }
    }

    /// Takes in the gap; far apart it is a lower bound without a rate.
    pub(crate) fn note_gap(&mut self, reaction: &Reaction, time: f64) {
        if reaction.gap_rate.is_some() && reaction.free_gap < self.nearest[0] {
            self.nearest = [reaction.free_gap, time];
        }
    }

    /// Longest step for this pair: a twentieth of the pulse in contact; half the way to contact while open,
    /// but no less than a twentieth of the pulse, which cannot jump over an impact; and just beyond the touch
    /// once that is near, so that the event is found with little overshoot.
    pub(crate) fn longest_step(&self, touching: bool) -> f64 {
        let fine = self.pulse / Self::STEPS_PER_PULSE;
        if touching || self.gap <= 0.0 {
            return fine;
        }
        if self.bound == 0.0 {
            return f64::INFINITY;
        }
        let coarse = fine.max(0.5 * self.gap / self.bound);
        let touch = 1.01 * self.gap / self.closing;
        if self.closing > 0.0 && touch < coarse { touch.max(1e-3 * fine) } else { coarse }
    }

    /// True if the force may have its peak within the step that ends now: it rose before and, continued as a
    /// parabola, has no clear rise left at the end.
    pub(crate) fn may_peak(&self, time: f64, force: f64) -> bool {
        let [[t0, f0], [t1, f1]] = self.history;
        if force <= 0.0 && f1 <= 0.0 {
            return false;
        }
        if t1 <= t0 || f1 == 0.0 {
            return force <= f1;
        }
        let (before, now) = ((f1 - f0) / (t1 - t0), (force - f1) / (time - t1));
        let at_end = now + (now - before) * (time - t1) / (time - t0);
        before > 0.0 && at_end < 0.25 * before
    }
}

impl Default for PairMemory {
    fn default() -> Self {
        Self::new()
    }
}
