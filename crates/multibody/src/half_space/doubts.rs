//! Limits of the theory that a contact on a half-space grid has met (docs/theory/half-space.md, section
//! 11.9).

use std::f64::consts::PI;

use carom_contact::half_space::FixedGrid;
use carom_contact::half_space::pair::Doubts;

use super::pair::{Pair, Side, SpotError};

/// Largest contact radius in radii of a hollow surface, and that from which on it is reported.
const HOLLOW: [f64; 2] = [0.2, 0.1];

/// Share of loads that an edge cuts in the weights of a cell, above which the edge is not resolved.
const CUT: f64 = 0.5;

/// Contact radius in edges of the faces up to which the compliance was compared.
const LARGEST: f64 = 3.2;

/// Radius of the loads over the way of a shear wave in the impact, above which the loads hide waves.
const WAVE: f64 = 0.1;

/// Error of the force of an impact by the curvature of faces that is reported. Parabolas through points of a
/// circle, h apart on the radius R, have a curvature that errs by up to (h/R)²; F ~ R^(1/5).
const CURVED: f64 = 0.01;

/// The mesh below places.
#[derive(Debug, Clone, Copy)]
pub(super) struct MeshBelow {
    /// Mean edge of its faces \[m\].
    pub(super) edge: f64,
    /// Thickness of the body \[m\].
    pub(super) thickness: f64,
    /// r₀ \[m\].
    pub(super) radius: f64,
    /// Speed of shear waves \[m/s\].
    pub(super) shear_speed: f64,
}

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
        let (radius, hollow) = (contact_radius(grid), grid.plan.hollow);
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

/// Contact radius by ∫ p dA = ⅔ π a² p₀ and ∫ p² dA = ½ π a² p₀² \[m\].
pub(super) fn contact_radius(grid: &FixedGrid) -> f64 {
    let squares: f64 = grid.forces.iter().map(|f| f * f).sum::<f64>() / grid.grid.area();
    (9.0 / (8.0 * PI) * grid.sums.force.powi(2) / squares).sqrt()
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
        for (side, [cut, linear]) in self.sides.iter().zip(sides) {
            found.extend(self.doubts_of(side, cut, linear));
            found.extend(side.doubt_of_curvature());
        }
        found.extend(self.doubts_of_modes());
        found.into_iter().map(|text| format!("contact `{first}` / `{second}`: {text}")).collect()
    }

    fn doubts_of(&self, side: &Side, cut: f64, linear: f64) -> Vec<String> {
        let Some(mesh) = side.mesh else { return Vec::new() };
        let Worst { radius, duration, .. } = self.worst;
        let (name, mut found) = (&side.name, Vec::new());
        if cut > CUT {
            found.push(format!(
                "loads of `{name}` that an edge of the body cuts have {cut:.2} of the weight, more than \
                 {CUT}: the edge is nearer than r₀ = {:.3e} m and its compliance is not resolved; refine \
                 the mesh there",
                mesh.radius
            ));
        }
        if linear > 0.0 {
            found.push(format!(
                "{linear:.0} cells of the grid have linear weights on `{name}`, as too few places surround \
                 them: lay places over a larger region"
            ));
        }
        if radius > LARGEST * mesh.edge {
            found.push(format!(
                "the contact radius of {radius:.3e} m is {:.1} edges of the faces of `{name}`, more than \
                 {LARGEST}: the mesh resolves the contact, use `compliance = \"body\"`",
                radius / mesh.edge
            ));
        }
        if mesh.edge > mesh.thickness {
            found.push(format!(
                "faces of `{name}` have edges of {:.3e} m on a thickness of {:.3e} m: the force errs by some \
                 per cent; refine until the edges are at most the thickness",
                mesh.edge, mesh.thickness
            ));
        }
        let way = mesh.shear_speed * duration;
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

impl Side {
    /// A sentence if the faces do not have the curvature of the surface that they approximate.
    fn doubt_of_curvature(&self) -> Option<String> {
        let Self { name, turn, .. } = self;
        let of_force = 0.2 * turn * turn;
        (of_force > CURVED).then(|| {
            format!(
                "faces of the second degree of `{name}` have edges of {turn:.2} radii of curvature: their \
                 curvature at the contact errs by up to {:.0} %, the force of an impact by about {:.1} %; \
                 use smaller cells there, or NURBS, which are exact",
                100.0 * turn * turn,
                100.0 * of_force
            )
        })
    }
}
