//! Points that pass through a surface within a step, while both ends of the step show no contact.

use carom_dynamics::rotation;
use nalgebra::Vector3;

use crate::pair::{Ball, Pair};
use crate::search::{Relative, Step};
use crate::stage::Stage;
use crate::surface::Surface;

/// Largest number of parts of a path that are checked: a shorter stay behind the surface is not detected.
const PARTS: f64 = 1000.0;

/// Records in the pair the first point that is in front of its surface at both ends of the step and behind
/// it in between.
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
    for number in 0..pair.points.len() {
        let ball = pair.points[number];
        let ways = [start.ball(&ball, &pair.surface), end.ball(&ball, &pair.surface)];
        for sheet in 0..pair.surface.shape.sheets() {
            if let Some(part) = behind(&mut pair.surface, sheet, &ways) {
                pair.missed = [step.number as f64 * step.dt, part * step.dt];
                return;
            }
        }
    }
}

/// Fraction of the path on which a ball is behind a sheet, if both ends of the path are in front of it.
fn behind(surface: &mut Surface, sheet: usize, [from, to]: &[Ball; 2]) -> Option<f64> {
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
    let (mut part, mut entered) = (first / length, None);
    while part < 1.0 {
        let now = gap(part);
        match entered {
            None if now < 0.0 => entered = Some(part),
            Some(entered) if now >= 0.0 => return Some(part - entered),
            _ => {}
        }
        part += (now.abs() / length).max(1.0 / PARTS);
    }
    entered.map(|entered| 1.0 - entered)
}
