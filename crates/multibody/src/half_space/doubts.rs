//! Limits of the theory that a contact on a half-space grid has met (docs/theory/half-space.md, section
//! 11.9).

use carom_contact::half_space::FixedGrid;
use carom_contact::half_space::mesh_doubts::doubt_of_curvature;
use carom_contact::half_space::pair::{Doubts, Under};

use super::pair::{Pair, Side, SpotError};

/// Largest contact radius in radii of a hollow surface, and that from which on it is reported.
const HOLLOW: [f64; 2] = [0.2, 0.1];

/// Radius of the loads over the way of a shear wave in the impact, above which the loads hide waves.
const WAVE: f64 = 0.1;

/// The state under the largest force of a pair. Plain numbers, part of a checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Worst {
    force: f64,
    /// Contact radius \[m\].
    radius: f64,
    /// Contact radius \[m\] and curvature of the hollow surface \[1/m\] at their largest product, under any
    /// force.
    in_hollow: [f64; 2],
    /// Of both sides in the order of the grid: cut share, number of cells with linear weights.
    sides: [[f64; 2]; 2],
    /// Shortest duration of an impact by Hertz at the speed of the approach \[s\]; 0 if there was none.
    duration: f64,
}

impl Worst {
    /// Numbers in [`Worst::to_array`].
    pub(super) const NUMBERS: usize = 9;

    pub(super) fn to_array(self) -> [f64; Self::NUMBERS] {
        let ([r, k], [[a, b], [c, d]]) = (self.in_hollow, self.sides);
        [self.force, self.radius, r, k, a, b, c, d, self.duration]
    }

    pub(super) fn from_array(array: &[f64; Self::NUMBERS]) -> Self {
        let [force, radius, r, k, a, b, c, d, duration] = *array;
        Self { force, radius, in_hollow: [r, k], sides: [[a, b], [c, d]], duration }
    }

    /// Share of loads that an edge cuts in the weights, of both sides.
    pub(super) fn cut_shares(&self) -> [f64; 2] {
        self.sides.map(|[cut, _]| cut)
    }

    /// The largest force \[N\].
    pub(super) fn force(&self) -> f64 {
        self.force
    }

    /// Shortest duration of an impact by Hertz at the speed of the approach \[s\]; 0 if there was none.
    pub(super) fn duration(&self) -> f64 {
        self.duration
    }

    /// Takes in an impact that may come.
    ///
    /// * `duration` — by Hertz \[s\]
    pub(super) fn approach(&mut self, duration: f64) {
        if duration > 0.0 && (self.duration == 0.0 || duration < self.duration) {
            self.duration = duration;
        }
    }

    /// Takes in the end of a step.
    pub(super) fn observe(&mut self, grid: &FixedGrid) -> Result<(), SpotError> {
        let (radius, hollow) = (grid.grid.contact_radius(&grid.forces), grid.plan.hollow);
        // Before anything is taken in, so that a run that is resumed finds the error again.
        let ratio = radius * hollow;
        if ratio > HOLLOW[0] {
            return Err(SpotError::Hollow { radius, ratio });
        }
        if ratio > self.in_hollow[0] * self.in_hollow[1] {
            self.in_hollow = [radius, hollow];
        }
        if grid.sums.force <= self.force {
            return Ok(());
        }
        let of = |doubts: &Doubts| [doubts.cut_share, doubts.linear.map_or(0.0, |(cells, _)| cells as f64)];
        (self.force, self.radius) = (grid.sums.force, radius);
        self.sides = grid.doubts.each_ref().map(of);
        Ok(())
    }
}

impl Pair {
    /// A sentence for each limit that the pair has met.
    pub(super) fn doubts(&self) -> Vec<String> {
        let Worst { force, in_hollow: [radius, hollow], sides, .. } = self.worst;
        if force == 0.0 {
            return Vec::new();
        }
        let [first, second] = self.ordered(|side| side.name.clone());
        let mut found = Vec::new();
        if radius * hollow > HOLLOW[1] {
            found.push(format!(
                "the contact radius of {radius:.3e} m is {:.2} of the radius of a hollow surface; above {} \
                 the force errs by 1 to 2 %",
                radius * hollow,
                HOLLOW[1]
            ));
        }
        for (k, (side, [cut, linear])) in self.sides.iter().zip(sides).enumerate() {
            found.extend(self.doubts_of(side, cut, linear));
            found.extend(doubt_of_curvature(&side.name, self.estimate.turn(k)));
        }
        found.extend(self.doubts_of_modes());
        found.extend(self.doubt_of_springs());
        found.into_iter().map(|text| format!("contact `{first}` / `{second}`: {text}")).collect()
    }

    fn doubts_of(&self, side: &Side, cut: f64, linear: f64) -> Vec<String> {
        let Some(mesh) = side.mesh else { return Vec::new() };
        let Worst { radius, duration, .. } = self.worst;
        let name = &side.name;
        let mut found = mesh.doubts(name, radius, cut, linear as usize);
        if let Under::Places(placed) = &side.under
            && placed.mesh_errors.is_empty()
        {
            found.push(format!(
                "the model with `{name}` does not state the errors of its mesh, which the estimate of the \
                 force leaves out: it is older than version 1.5, reduce the body again"
            ));
        }
        let way = side.shear_speed * duration;
        // A run that starts in contact has no impact.
        if duration > 0.0 && mesh.radius > WAVE * way {
            found.push(format!(
                "the loads of `{name}` have r₀ = {:.3e} m, {:.2} of the way of a shear wave in the impact \
                 (at most {WAVE}): they hide waves; refine the mesh there",
                mesh.radius,
                mesh.radius / way
            ));
        }
        found
    }
}
