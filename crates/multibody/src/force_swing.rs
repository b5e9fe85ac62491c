//! Forces that oscillate about their mean with the modes next to a split.
//!
//! The contact of two flat ends starts at once, and with it all modes: those above the split respond without
//! inertia, those below it with theirs. The plateau of a wave, ρ c A v/2 for two equal rods, becomes an
//! oscillation about it of the same size, with about the period of the first mode that has no
//! inertia, at every split. Impulse, duration and mean force are right; the peak is not.
//!
//! Slower oscillations of the force, as by a wave that comes back from a far end, are real.

use carom_dynamics::ContactEvent;

use crate::system::System;

/// Part of the largest force so far by which a force turns before that counts as a swing.
const BAND: f64 = 0.1;

/// Amplitude over mean force above which a swing is reported.
const LIMIT: f64 = 0.1;

/// Periods of the split in that of a swing from which on the modes below the split follow it.
const FOLLOWED: f64 = 3.0;

/// How a force swung about its mean in an impact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Swing {
    /// Mean half difference of a maximum and the minimum after it, over the mean force.
    pub(crate) ratio: f64,
    /// Mean time between two maxima \[s\].
    pub(crate) period: f64,
    /// Mean force and largest force \[N\].
    pub(crate) mean: f64,
    pub(crate) peak: f64,
    /// Start of the impact \[s\].
    pub(crate) start: f64,
}

/// Follows the force of a pair from maximum to minimum. Plain numbers, part of a checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct ForceSwing {
    /// Largest force since the last minimum, or smallest since the last maximum \[N\], and when \[s\].
    extreme: f64,
    at: f64,
    is_falling: bool,
    /// Largest force of the impact \[N\].
    peak: f64,
    /// The last maximum \[N\], and when the first and the last were \[s\].
    high: f64,
    first: f64,
    last: f64,
    n_peaks: f64,
    n_dips: f64,
    /// Sum of the differences of maxima and the minima after them \[N\].
    depth: f64,
    /// The largest swing of an impact that is over.
    pub(crate) worst: Option<Swing>,
}

impl ForceSwing {
    /// Numbers in [`ForceSwing::to_array`].
    pub(crate) const NUMBERS: usize = 15;

    /// The force at the end of a step.
    pub(crate) fn observe(&mut self, time: f64, force: f64) {
        self.peak = self.peak.max(force);
        let band = BAND * self.peak;
        if self.is_falling {
            if force < self.extreme {
                self.extreme = force;
            } else if force - self.extreme > band {
                self.depth += self.high - self.extreme;
                self.n_dips += 1.0;
                (self.is_falling, self.extreme, self.at) = (false, force, time);
            }
        } else if force > self.extreme {
            (self.extreme, self.at) = (force, time);
        } else if self.extreme - force > band {
            if self.n_peaks == 0.0 {
                self.first = self.at;
            }
            (self.high, self.last) = (self.extreme, self.at);
            self.n_peaks += 1.0;
            (self.is_falling, self.extreme) = (true, force);
        }
    }

    /// The impact is over.
    pub(crate) fn end(&mut self, event: &ContactEvent) {
        let mut worst = self.worst;
        if let Some(mean) = event.mean_force().filter(|mean| self.n_peaks > 1.0 && *mean > 0.0) {
            let swing = Swing {
                ratio: 0.5 * self.depth / self.n_dips / mean,
                period: (self.last - self.first) / (self.n_peaks - 1.0),
                mean,
                peak: event.peak_force,
                start: event.start,
            };
            if worst.is_none_or(|known| swing.ratio > known.ratio) {
                worst = Some(swing);
            }
        }
        *self = Self { worst, ..Self::default() };
    }

    /// All numbers in one array.
    pub(crate) fn to_array(self) -> [f64; Self::NUMBERS] {
        let none = Swing { ratio: -1.0, period: 0.0, mean: 0.0, peak: 0.0, start: 0.0 };
        let Swing { ratio, period, mean, peak, start } = self.worst.unwrap_or(none);
        let falling = f64::from(u8::from(self.is_falling));
        [
            self.extreme,
            self.at,
            falling,
            self.peak,
            self.high,
            self.first,
            self.last,
            self.n_peaks,
            self.n_dips,
            self.depth,
            ratio,
            period,
            mean,
            peak,
            start,
        ]
    }

    /// The inverse of [`ForceSwing::to_array`].
    pub(crate) fn from_array(array: &[f64; Self::NUMBERS]) -> Self {
        let [
            extreme,
            at,
            falling,
            most,
            high,
            first,
            last,
            n_peaks,
            n_dips,
            depth,
            ratio,
            period,
            mean,
            peak,
            start,
        ] = *array;
        let worst = (ratio >= 0.0).then_some(Swing { ratio, period, mean, peak, start });
        Self {
            extreme,
            at,
            is_falling: falling == 1.0,
            peak: most,
            high,
            first,
            last,
            n_peaks,
            n_dips,
            depth,
            worst,
        }
    }
}

/// The swing of a pair with the modes next to a split, if it is to be reported, and the split \[Hz\].
pub(crate) fn reported_swing(system: &System, pair: usize, swing: &ForceSwing) -> Option<(Swing, f64)> {
    let swing = swing.worst.filter(|swing| swing.ratio > LIMIT)?;
    let split = split_of(system, pair)?;
    (swing.period * split <= FOLLOWED).then_some((swing, split))
}

/// A sentence for each pair whose force swung with the modes next to a split.
///
/// * `swings` — of all pairs in their order
pub(crate) fn swing_warnings<'a>(
    system: &'a System,
    swings: impl Iterator<Item = &'a ForceSwing>,
) -> impl Iterator<Item = String> {
    swings.enumerate().filter_map(|(pair, swing)| {
        let (swing, split) = reported_swing(system, pair, swing)?;
        let [first, second] = system.contacts().surface_names(pair);
        Some(format!(
            "contact `{first}` / `{second}`: in the impact at t = {:.4e} s the force swings about its mean \
             of {:.4e} N by {:.0} % of it (limit {:.0} %) with the modes next to the split at \
             {split:.3e} Hz, \
             up to {:.4e} N: take `mean_force` for the force of the plateau, and not `peak_force`; duration, \
             mean force and restitution are known to a third of the period of these modes, {:.2e} s in the \
             duration: raise `split` to reduce both",
            swing.start,
            swing.mean,
            100.0 * swing.ratio,
            100.0 * LIMIT,
            swing.peak,
            1.0 / (3.0 * split)
        ))
    })
}

/// The lowest frequency of the bodies of a pair from which on their modes have no inertia, or are left out
/// \[Hz\].
fn split_of(system: &System, pair: usize) -> Option<f64> {
    let of_body = |i: usize| {
        let body = &system.bodies()[i];
        let omega = &body.reduced.as_ref()?.omega;
        Some(omega.get(body.frame.n).or(omega.last())? / std::f64::consts::TAU)
    };
    system.pair_bodies(pair).into_iter().filter_map(of_body).reduce(f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn swing(force: impl Fn(f64) -> f64) -> Option<Swing> {
        let mut follower = ForceSwing::default();
        (0..=1000).for_each(|i| follower.observe(1e-3 * f64::from(i), force(1e-3 * f64::from(i))));
        // The impulse of a mean force of 1 N.
        let event =
            ContactEvent { end: 1.0, impulse: [1.0, 0.0, 0.0], peak_force: 1.6, ..ContactEvent::default() };
        let array = follower.to_array();
        assert_eq!(ForceSwing::from_array(&array), follower);
        follower.end(&event);
        follower.worst
    }

    #[test]
    fn an_oscillation_of_the_force_by_sixty_percent_is_detected_with_its_period() {
        let found = swing(|t| 1.0 - 0.6 * (2.0 * std::f64::consts::PI * t / 0.2).cos()).unwrap();
        assert!((found.ratio - 0.6).abs() < 0.01 && (found.period - 0.2).abs() < 2e-3, "{found:?}");
    }

    #[test]
    fn a_smooth_pulse_has_no_oscillation() {
        assert_eq!(swing(|t| (std::f64::consts::PI * t).sin().powf(1.5)), None);
        // A ripple of a few percent is not reported either.
        assert_eq!(swing(|t| (std::f64::consts::PI * t).sin() * (1.0 + 0.03 * (60.0 * t).sin())), None);
    }
}
