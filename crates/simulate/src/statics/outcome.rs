//! What a static run comes to.

use carom_format::result::StaticForce;

use super::contact::{PairNames, StaticContact};
use super::state::BodyForcesOutcome;

/// What a static run comes to, under the full load.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StaticOutcome {
    /// Forces on each body.
    pub bodies: Vec<BodyForcesOutcome>,
    /// Forces of the supports of deformable bodies.
    pub supports: Vec<SupportOutcome>,
    /// All forces on all bodies, as the result keeps them.
    pub forces: Vec<StaticForce>,
    /// The contact pairs.
    pub pairs: Vec<PairOutcome>,
    /// Largest force left over on a free rigid motion, relative to all forces.
    pub residual: f64,
}

/// Force of a support, inertial axes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SupportOutcome {
    /// `BODY:SET`.
    pub on: String,
    /// Force on the body \[N\].
    pub force: [f64; 3],
}

/// A contact pair in equilibrium.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PairOutcome {
    /// Its name.
    pub name: String,
    /// The surface that carries the pressure, `BODY:SET`.
    pub surface: String,
    /// Force on that surface \[N\].
    pub force: [f64; 3],
    /// Sum of the pressures \[N\].
    pub normal_force: f64,
    /// Largest mean pressure of a span \[Pa\].
    pub peak_pressure: f64,
    /// Area of the spans under pressure \[m²\].
    pub area: f64,
    /// Number of spans under pressure.
    pub n_spans: usize,
    /// True if these are all spans of the surface.
    pub is_full: bool,
    /// The other surface, `BODY:SET`.
    pub second: String,
    /// Its faces to the contact radius where it is met; none where it is rigid or has no faces.
    pub second_resolution: Option<f64>,
}

/// Names of the pairs that touch a body, and the force of each on it.
pub(super) fn pair_forces(contact: &StaticContact, body: usize) -> Vec<(String, [f64; 3])> {
    let mut forces = Vec::new();
    for (k, names) in contact.pairs.iter().enumerate() {
        let pair = contact.model.pair(k);
        let on_second = contact.work.solution.pairs[k].force_i;
        for (zone, force) in [(pair.first, -on_second), (pair.second, on_second)] {
            if contact.sides[contact.model.zones[zone].body].body == body {
                forces.push((names.name.clone(), force.into()));
            }
        }
    }
    forces
}

/// The pairs under the pressures of the last solve.
pub(super) fn pair_outcomes(contact: &StaticContact) -> Vec<PairOutcome> {
    let of_pair = |(k, names): (usize, &PairNames)| {
        let sums = &contact.work.solution.pairs[k];
        let patch = contact.model.patch(k, &contact.warm, &contact.work);
        let second = contact.model.zones[contact.model.pair(k).second].body;
        let is_elastic = contact.model.bodies[second].compliance.is_some();
        PairOutcome {
            name: names.name.clone(),
            surface: names.surfaces[0].clone(),
            force: (-sums.force_i).into(),
            normal_force: sums.force,
            peak_pressure: sums.peak_pressure,
            area: sums.active_area,
            n_spans: sums.n_active,
            is_full: sums.n_active == contact.model.spans(k).len(),
            second: names.surfaces[1].clone(),
            second_resolution: patch
                .filter(|_| is_elastic)
                .and_then(|patch| Some(patch.radius / patch.second_size?)),
        }
    };
    contact.pairs.iter().enumerate().map(of_pair).collect()
}
