//! A load step in equilibrium as numbers.

use super::contact::{PairNames, StaticContact};

/// A load step in equilibrium.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LoadStep {
    /// Forces on each body.
    pub bodies: Vec<BodyForces>,
    /// The contact pairs.
    pub pairs: Vec<PairOutcome>,
    /// Largest unbalanced force on a free rigid motion, relative to all forces.
    pub residual: f64,
}

/// Forces on a body in equilibrium, inertial axes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BodyForces {
    /// Name of the body.
    pub name: String,
    /// Sum of the loads \[N\].
    pub load: [f64; 3],
    /// Sum of the contact forces \[N\].
    pub contact: [f64; 3],
    /// Sum of the forces of its supports \[N\].
    pub support: [f64; 3],
    /// Contact force of each pair that touches the body, by the number of the pair.
    pub by_pair: Vec<ForceFrom>,
    /// Force of each support of a deformable body, by the number of the support.
    pub by_support: Vec<ForceFrom>,
    /// Largest displacement of a point \[m\].
    pub max_displacement: f64,
    /// Largest difference between the displacements of a point and of the point that moves least, over the
    /// largest extent; 0 for a rigid body.
    pub deflection: f64,
    /// Largest unbalanced force at a free point, relative to the largest force; 0 for a rigid body.
    pub residual: f64,
}

/// Force of a contact pair or a support on a body.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ForceFrom {
    /// Number of the pair or support in the problem.
    pub number: usize,
    /// Inertial axes \[N\].
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
    /// Largest mean pressure of a pressure cell \[Pa\].
    pub peak_pressure: f64,
    /// Area of the cells under pressure \[m²\].
    pub area: f64,
    /// Number of cells under pressure.
    pub n_cells: usize,
    /// True if these are all cells of the surface.
    pub is_full: bool,
    /// The other surface, `BODY:SET`.
    pub second: String,
    /// Ratio of the contact radius to the size of its faces; none if it is rigid or has no faces.
    pub second_resolution: Option<f64>,
}

/// Forces of the pairs that touch a body.
pub(super) fn pair_forces(contact: &StaticContact, body: usize) -> Vec<ForceFrom> {
    let mut forces = Vec::new();
    for number in 0..contact.pairs.len() {
        let pair = contact.model.pair(number);
        let on_second = contact.work.solution.pairs[number].force_i;
        for (zone, force) in [(pair.first, -on_second), (pair.second, on_second)] {
            if contact.sides[contact.model.zones()[zone].body].body == body {
                forces.push(ForceFrom { number, force: force.into() });
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
        let second = contact.model.zones()[contact.model.pair(k).second].body;
        let is_elastic = contact.model.bodies[second].compliance.is_some();
        PairOutcome {
            name: names.name.clone(),
            surface: names.surfaces[0].clone(),
            force: (-sums.force_i).into(),
            normal_force: sums.force,
            peak_pressure: sums.peak_pressure,
            area: sums.active_area,
            n_cells: sums.n_active,
            is_full: sums.n_active == contact.model.cells(k).len(),
            second: names.surfaces[1].clone(),
            second_resolution: patch
                .filter(|_| is_elastic)
                .and_then(|patch| Some(patch.radius / patch.second_size?)),
        }
    };
    contact.pairs.iter().enumerate().map(of_pair).collect()
}
