//! Points that pass through a surface within a step, while both ends of the step show no contact.

use carom_dynamics::rotation;
use nalgebra::Vector3;

use crate::pair::{Ball, Pair};
use crate::search::{Relative, Step};
use crate::stage::Stage;
use crate::surface::Surface;

/// Largest number of parts of a path that are checked: a shorter stay behind the surface is not detected.
const PARTS: f64 = 1000.0;

/// A contact that no step has detected: a point was in front of a surface at both ends of a step, and behind
/// it in between.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Missed {
    /// Number of the step, from 1.
    pub step: u64,
    /// Duration behind the surface, an upper bound for a sufficient step; 0 if nothing was missed \[s\].
    pub behind: f64,
    /// Depth behind the surface \[m\].
    pub depth: f64,
}

impl Missed {
    /// Numbers of [`Missed::to_array`].
    pub(crate) const NUMBERS: usize = 3;

    pub(crate) fn to_array(self) -> [f64; Self::NUMBERS] {
        [self.step as f64, self.behind, self.depth]
    }

    pub(crate) fn from_array(&[step, behind, depth]: &[f64; Self::NUMBERS]) -> Self {
        Self { step: step as u64, behind, depth }
    }
}

/// Records in the pair the point that is in front of its surface at both ends of the step and behind it in
/// between, if it comes deeper than those of earlier steps.
///
/// The path of a point, seen from the body with the surface, is approximated by a line. A gap falls by no
/// more than the length of the path. A path shorter than the gaps at both ends therefore touches nothing,
/// and the search may advance by the gap at a time.
pub(crate) fn look(pair: &mut Pair, stages: &[Stage], step: &Step<'_>) {
    let [a, b] = pair.bodies;
    let [rot_a, rot_b] = [a, b].map(|i| rotation::matrix(&stages[i].next.quaternion));
    let end = Relative::new((&rot_a, &stages[a].next.position), (&rot_b, &stages[b].next.position));
    let [from, to] = [a, b].map(|i| &step.states[i]);
    let [rot_a, rot_b] = [from, to].map(|state| rotation::matrix(&state.quaternion));
    let start = Relative::new((&rot_a, &from.position), (&rot_b, &to.position));
    for number in 0..pair.held.len() {
        let ball = pair.ball(number);
        let ways = [start.ball(&ball, &pair.surface), end.ball(&ball, &pair.surface)];
        for sheet in 0..pair.surface.shape.sheets() {
            if let Some((part, depth)) = behind(&mut pair.surface, sheet, &ways)
                && depth > pair.missed.depth
            {
                pair.missed = Missed { step: step.number + 1, behind: part * step.dt, depth };
            }
        }
    }
}

/// Fraction of the path on which a ball is behind a sheet, and its depth there \[m\], if both ends of the
/// path are in front of it.
fn behind(surface: &mut Surface, sheet: usize, [from, to]: &[Ball; 2]) -> Option<(f64, f64)> {
    let way: Vector3<f64> = to.center - from.center;
    let length = way.norm();
    if surface.least_gap(from) + surface.least_gap(to) >= length {
        return None;
    }
    let mut gap = |part: f64| surface.gap(sheet, &Ball { center: from.center + part * way, ..*from }).0;
    let [first, last] = [gap(0.0), gap(1.0)];
    // Written so that NaN ends the search.
    let may_touch = first > 0.0 && last > 0.0 && first + last < length;
    if !may_touch {
        return None;
    }
    let (mut part, mut entered, mut depth) = (first / length, None, 0.0_f64);
    while part < 1.0 {
        let now = gap(part);
        depth = depth.max(-now);
        match entered {
            None if now < 0.0 => entered = Some(part),
            Some(entered) if now >= 0.0 => return Some((part - entered, depth)),
            _ => {}
        }
        part += (now.abs() / length).max(1.0 / PARTS);
    }
    entered.map(|entered| (1.0 - entered, depth))
}
