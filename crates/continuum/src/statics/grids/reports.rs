//! Contacts on grids as results.

use carom_contact::half_space::mesh_doubts::doubt_of_curvature;
use carom_dynamics::{ContactState, GridCell, GridPressures};
use nalgebra::Vector3;

use super::laying::GridError;
use super::{GridContact, GridPair};
use crate::statics::EquilibriumError;
use crate::statics::outcome::{ForceFrom, PairOutcome};

/// Contact radius in radii of a hollow surface from which on it is reported.
const HOLLOW: f64 = 0.1;

impl GridContact {
    /// Forces of the pairs that touch a body.
    pub(in crate::statics) fn pair_forces(&self, body: usize) -> Vec<ForceFrom> {
        let mut forces = Vec::new();
        for (number, pair) in self.pairs.iter().enumerate() {
            for (side, sign) in pair.sides.iter().zip([-1.0, 1.0]) {
                if side.body == body {
                    forces.push(ForceFrom { number, force: (sign * pair.on_second()).into() });
                }
            }
        }
        forces
    }

    /// The pairs under the pressures of the last solution.
    pub(in crate::statics) fn pair_outcomes(&self) -> Vec<PairOutcome> {
        let of_pair = |pair: &GridPair| {
            let (grid, sums) = (&pair.grid, pair.grid.sums);
            let most = grid.forces.iter().fold(0.0, |most: f64, f| most.max(*f));
            PairOutcome {
                name: pair.name.clone(),
                surface: pair.surfaces[0].clone(),
                force: (-pair.on_second()).into(),
                normal_force: sums.force,
                peak_pressure: most / grid.grid.area(),
                area: sums.n_loaded as f64 * grid.grid.area(),
                n_cells: sums.n_loaded,
                is_full: false,
                second: pair.surfaces[1].clone(),
                second_resolution: None,
            }
        };
        self.pairs.iter().map(of_pair).collect()
    }

    /// The pairs in the result.
    pub(in crate::statics) fn states(&self) -> Vec<ContactState> {
        let of_pair = |pair: &GridPair| ContactState {
            force: (-pair.on_second()).into(),
            normal_force: pair.grid.sums.force,
            free_gap: pair.grid.sums.surface_gap,
            grid: pair.pressures(),
            ..ContactState::default()
        };
        self.pairs.iter().map(of_pair).collect()
    }

    /// Largest penetration of a cell by the penalty \[m\].
    pub(in crate::statics) fn penetration(&self) -> f64 {
        let of_pair = |pair: &GridPair| {
            let most = pair.grid.forces.iter().fold(0.0, |most: f64, f| most.max(*f));
            pair.spot.law.compliance(pair.grid.grid.area()) * most
        };
        self.pairs.iter().map(of_pair).fold(0.0, f64::max)
    }

    /// The grids did not settle.
    pub(in crate::statics) fn unsettled(&self, step: usize, rounds: usize) -> EquilibriumError {
        EquilibriumError::grid(step, &self.pairs[0].surfaces, GridError::Unsettled { rounds })
    }

    /// An error if two bodies overlap beside their grid.
    pub(in crate::statics) fn check_spots(&self, step: usize) -> Result<(), EquilibriumError> {
        for pair in &self.pairs {
            pair.check_spot(&self.loaded)
                .map_err(|source| EquilibriumError::grid(step, &pair.surfaces, source))?;
        }
        Ok(())
    }

    /// Sentences about limits of the theory that the contacts have met.
    pub(in crate::statics) fn doubts(&self) -> Vec<String> {
        self.pairs.iter().filter(|pair| pair.grid.sums.force > 0.0).flat_map(GridPair::doubts).collect()
    }
}

impl GridPair {
    /// Force on the second body in space \[N\].
    fn on_second(&self) -> Vector3<f64> {
        self.poses[0].0 * self.grid.sums.on_second
    }

    fn pressures(&self) -> GridPressures {
        let grid = &self.grid;
        let plane = grid.moved_plane();
        // The frame of a rigid body moves with it; coordinates here are those of the unmoved bodies in space.
        let body = &self.sides[0];
        let (turn, origin) = self.frames[0];
        let in_body = |x: Vector3<f64>| turn.transpose() * x;
        let per_area = 1.0 / grid.grid.area();
        GridPressures {
            body: body.body,
            center: in_body(plane.center - origin).into(),
            axes: [0, 1, 2].map(|d| in_body(plane.axes.row(d).transpose()).into()),
            sides: grid.grid.sides(),
            curvature: grid.plan.curvature,
            modulus: self.spot.modulus,
            poisson: self.sides.each_ref().map(|side| side.under.half_space().map(|h| h.poisson)),
            cells: grid
                .loaded_cells()
                .map(|(force, height)| GridCell {
                    index: force.cell,
                    height,
                    pressure: force.normal * per_area,
                    traction: [0.0; 2],
                })
                .collect(),
        }
    }

    fn doubts(&self) -> Vec<String> {
        let radius = self.grid.grid.contact_radius(&self.grid.forces);
        let mut found = Vec::new();
        let hollow = radius * self.grid.plan.hollow;
        if hollow > HOLLOW {
            found.push(format!(
                "the contact radius of {radius:.3e} m is {hollow:.2} of the radius of a hollow surface; \
                 above {HOLLOW} the force errs by 1 to 2 %"
            ));
        }
        let sides = self.sides.iter().zip(&self.surfaces).zip(&self.grid.doubts).enumerate();
        for (k, ((side, name), doubts)) in sides {
            let linear = doubts.linear.map_or(0, |(cells, _)| cells);
            found.extend(side.mesh.iter().flat_map(|m| m.doubts(name, radius, doubts.cut_share, linear)));
            found.extend(doubt_of_curvature(name, side.faces.turn(self.grid.curvature_under_forces(k))));
        }
        let [first, second] = &self.surfaces;
        found.into_iter().map(|text| format!("contact `{first}` / `{second}`: {text}")).collect()
    }
}
