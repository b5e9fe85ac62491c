//! Whether the meshes of two bodies resolve their contact: cells to the contact radius, and what too few of
//! them cost.
//!
//! With a/h cells to the contact radius of a pair whose compliance is to the part s that of a body (s = 1
//! against a rigid one), the force of an impact is off by
//!
//! ```text
//! 0.11 s (h/a)²,   at most (1 − s)^(−2/5) − 1
//! ```
//!
//! and the contact too short by 0.21 (h/a)² of the surface that carries the pressure, whose cells close late
//! (measured at a/h = 2 ... 8 for a ball on a rigid plane). The bound is that of a body whose compliance is
//! lost in whole: F ∝ E*^(2/5). It is a quarter to a third for bodies of one material, which is what cells of
//! ten contact radii were found to cost.
//!
//! A mesh that gives way too little makes the force too large. Cells that close late make it too small, and
//! of the surface that carries the pressure either may be the larger: at a/h = 2 the force of a ball on a
//! rigid plane is 2.5 % too large; at a/h = 2.3 that of a ball on a rod is 0.7 % too small with a contact 4 %
//! too short, at a/h = 1.2 that of two balls 5 % and 6 % (`meshes/sphere-on-rod/resolved.toml` with
//! spans of 2e-4 m, `meshes/double-pendulums/impact.toml`, beside their fine meshes).

use crate::contact::LoadedPatch;
use crate::pair_memory::PairMemory;
use crate::system::System;

/// Error of the force of cells of a contact radius against a rigid surface.
const FORCE: f64 = 0.11;

/// Error of the duration for the cells that carry the pressure.
const DURATION: f64 = 0.21;

/// Errors of force and duration from which on they are reported.
const FORCE_LIMIT: f64 = 0.02;
const DURATION_LIMIT: f64 = 0.04;

/// The patch of a pair under its largest force. Plain numbers, part of a checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Resolution {
    force: f64,
    time: f64,
    radius: f64,
    /// 0 for a surface without faces.
    sizes: [f64; 2],
    is_full: bool,
}

/// Errors of a contact that the mesh of one body causes.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Cost {
    pub(crate) force: f64,
    pub(crate) duration: f64,
}

impl Cost {
    /// * `cells` — a/h
    /// * `share` — part of the compliance that is the body's
    fn of(cells: f64, share: f64, carries: bool) -> Self {
        let lost = if share < 1.0 { (1.0 - share).powf(-0.4) - 1.0 } else { f64::INFINITY };
        Self {
            force: (FORCE * share / (cells * cells)).min(lost).min(1.0),
            duration: if carries { (DURATION / (cells * cells)).min(1.0) } else { 0.0 },
        }
    }

    fn is_reported(self) -> bool {
        self.force > FORCE_LIMIT || self.duration > DURATION_LIMIT
    }

    /// The least a/h that is not reported.
    fn limit(share: f64, carries: bool) -> f64 {
        let of_duration = if carries { (DURATION / DURATION_LIMIT).sqrt() } else { 0.0 };
        of_duration.max((FORCE * share / FORCE_LIMIT).sqrt())
    }
}

impl Resolution {
    /// Numbers in [`Resolution::to_array`].
    pub(crate) const NUMBERS: usize = 6;

    /// Takes in the end of a step.
    pub(crate) fn observe(&mut self, system: &System, pair: usize, time: f64) {
        let force = system.contacts().reaction(pair).normal_force;
        if force <= self.force {
            return;
        }
        if let Some(LoadedPatch { radius, sizes, is_full }) = system.contacts().patch(pair) {
            *self = Self { force, time, radius, sizes: sizes.map(|size| size.unwrap_or(0.0)), is_full };
        }
    }

    /// All numbers in one array.
    pub(crate) fn to_array(self) -> [f64; Self::NUMBERS] {
        let Self { force, time, radius, sizes: [first, second], is_full } = self;
        [force, time, radius, first, second, f64::from(u8::from(is_full))]
    }

    /// What the cells of both bodies cost together; none without a loaded patch.
    pub(crate) fn cost(&self, system: &System, pair: usize, loaded_cells: usize) -> Option<Cost> {
        if self.force == 0.0 {
            return None;
        }
        // The outline of surfaces that fit each other is that of the patch, whatever the cells.
        if self.is_full && loaded_cells > 1 {
            return Some(Cost::default());
        }
        let carrier = system.contacts().carrier(pair);
        let mut sum = Cost::default();
        for (side, share) in compliance_shares(system, pair).into_iter().enumerate() {
            if self.sizes[side] > 0.0 {
                let Cost { force, duration } =
                    Cost::of(self.radius / self.sizes[side], share, side == carrier);
                sum = Cost { force: sum.force + force, duration: sum.duration + duration };
            }
        }
        Some(sum)
    }

    /// The inverse of [`Resolution::to_array`].
    pub(crate) fn from_array(array: &[f64; Self::NUMBERS]) -> Self {
        let [force, time, radius, first, second, full] = *array;
        Self { force, time, radius, sizes: [first, second], is_full: full == 1.0 }
    }
}

/// A sentence for each body whose mesh is too coarse for one of its contacts.
///
/// * `pairs` — of all pairs in their order
pub(crate) fn resolution_warnings<'a>(
    system: &System,
    pairs: impl Iterator<Item = (&'a Resolution, &'a PairMemory)>,
) -> Vec<String> {
    let mut warnings = Vec::new();
    for (pair, record) in pairs.enumerate().filter(|(_, (found, _))| found.force > 0.0) {
        let (found, loaded_cells) = (record.0, record.1.loaded_cells);
        // Surfaces that fit each other touch in whole from the start.
        if found.is_full && loaded_cells > 1 {
            continue;
        }
        let carrier = system.contacts().carrier(pair);
        for (side, share) in compliance_shares(system, pair).into_iter().enumerate() {
            let cells = found.radius / found.sizes[side];
            let cost = Cost::of(cells, share, side == carrier);
            if found.sizes[side] > 0.0 && (share > 0.0 || side == carrier) && cost.is_reported() {
                warnings.push(coarse_warning(system, (pair, side), record, (cells, share), cost));
            }
        }
    }
    warnings
}

fn coarse_warning(
    system: &System,
    (pair, side): (usize, usize),
    (found, memory): (&Resolution, &PairMemory),
    (cells, share): (f64, f64),
    cost: Cost,
) -> String {
    let carries = system.contacts().carrier(pair) == side;
    let [first, second] = system.contacts().surface_names(pair);
    let surface = if side == 0 { &first } else { &second };
    let body = &system.bodies()[system.pair_bodies(pair)[side]].name;
    let pressed = match memory.loaded_cells {
        _ if !carries => String::new(),
        1 => format!(", never more than one cell of `{surface}` had pressure at once"),
        n => format!(", never more than {n} cells of `{surface}` had pressure at once"),
    };
    let force = if carries { "off" } else { "too large" };
    let duration = if cost.duration > DURATION_LIMIT {
        format!(" and the contact too short by up to some {:.0} %", 100.0 * cost.duration)
    } else {
        String::new()
    };
    let limit = Cost::limit(share, carries);
    format!(
        "body `{body}`: the mesh is too coarse for contact `{first}` / `{second}` at t = {:.4e} s: \
         {cells:.2} cells of {:.3e} m to the contact radius of {:.2e} m, limit {limit:.1}{pressed}; the \
         force is {force} by some {:.0} %{duration}: refine `{surface}` there; four cells to the contact \
         radius are good to 1 %",
        found.time,
        found.sizes[side],
        found.radius,
        100.0 * cost.force
    )
}

/// Part of the compliance of a contact that each body has, by (1 − ν²)/E; none for a rigid body.
fn compliance_shares(system: &System, pair: usize) -> [f64; 2] {
    let compliance = system.pair_bodies(pair).map(|i| {
        let body = &system.bodies()[i];
        let material = body.reduced.as_ref().and_then(|reduced| reduced.materials.first());
        material.map_or(0.0, |material| (1.0 - material.poisson * material.poisson) / material.young)
    });
    let sum: f64 = compliance.iter().sum();
    if sum > 0.0 { compliance.map(|c| c / sum) } else { [0.0; 2] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_agree_with_the_measured_ones() {
        // A ball on a rigid plane at a/h = 2, 3, 4, 6: force and duration in percent.
        for (cells, force, duration) in [(2.0, 2.5, 5.2), (3.0, 1.2, 2.3), (4.0, 0.7, 1.3), (6.0, 0.3, 0.7)] {
            let cost = Cost::of(cells, 1.0, true);
            assert!((100.0 * cost.force - force).abs() < 0.3, "{cells}: {cost:?}");
            assert!((100.0 * cost.duration - duration).abs() < 0.2, "{cells}: {cost:?}");
            assert_eq!(cost.is_reported(), cells < 2.5, "{cells}");
        }
        // Cells of ten contact radii in one of two bodies of steel cost 24 to 31 % of the force.
        let lost = Cost::of(0.1, 0.5, false).force;
        assert!(lost > 0.24 && lost < 0.33, "{lost}");
    }

    #[test]
    fn a_resolution_written_to_a_checkpoint_is_read_back() {
        let found = Resolution { force: 7.0, time: 1e-3, radius: 2e-4, sizes: [1e-4, 0.0], is_full: true };
        assert_eq!(Resolution::from_array(&found.to_array()), found);
    }
}
