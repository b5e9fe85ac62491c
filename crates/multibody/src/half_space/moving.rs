//! How the grid of a contact under load follows it over both bodies.

use carom_contact::half_space::overlap::principal;
use carom_contact::half_space::pair::Under;
use carom_contact::half_space::surface_lattice::along_base;
use carom_contact::half_space::{FixedGrid, GridPlan};
use carom_contact::patch::PatchPlane;
use nalgebra::Matrix3;

use super::laying::{Found, Laying};
use super::pair::{Last, Pair, SpotError};

/// Shift of the middle of the forces, in cells, from which on the grid follows the contact.
const SHIFT: f64 = 1.0;

/// Way over a second surface of constant compliance, in cells, after which its curvature is found anew.
const CURVATURE_AGAIN: f64 = 4.0;

/// Angle of the contact from the base row of its lattice, from which on another one is laid under load: the
/// columns there are nearer to each other by half of its square \[rad\].
const ASIDE: f64 = 0.04;

/// Rows between the contact and the base row, from which on the base row moves to the contact. Columns start
/// on the base row, so that their cost grows with this number, and a hole between both cuts them. A grid
/// reaches as far, so that its cells show such a hole before the contact is cut.
const MOST_ROWS: i32 = 8;

/// Way over a lattice, in contact radii, after which a contact is one that lasts.
const ROLLED: f64 = 3.0;

/// Cells beyond which a grid gets larger cells.
const WIDER_ABOVE: usize = 500;

impl Pair {
    /// Moves the grid of a contact under load at the end of a step, if the contact has left it.
    ///
    /// * `middle` — of the forces, in cells
    pub(super) fn move_grid(
        &mut self,
        last: &Last,
        plan: &GridPlan,
        n_cells: usize,
        middle: [f64; 2],
    ) -> Result<(), SpotError> {
        let rows = middle[1] - f64::from(plan.middle[1]);
        if n_cells > WIDER_ABOVE {
            let row = (f64::from(plan.middle[1]) / Laying::GROWTH).round() as i32;
            self.lay(GridPlan { side: plan.side * Laying::GROWTH, middle: [plan.middle[0], row], ..*plan });
        } else if middle[0].abs().max(rows.abs()) > SHIFT {
            self.shift(last, plan, middle)?;
        } else if let Some(grid) = self.grids.found(plan).filter(|grid| self.has_left(grid, last)) {
            // The same cells with compliance and curvature of the second body where it is now: forces stay.
            let mut moved = GridPlan { partner: (last.rotation, last.origin), ..*plan };
            let radius = grid.grid.contact_radius(&grid.forces);
            if let Some(found) = self.at(last).overlap_at(grid.middle_plane(), radius)? {
                let (_, curvature) = found.along(&plan.plane.axes.row(0).transpose());
                (moved.curvature, moved.hollow) = (curvature, found.hollow);
            }
            self.memory.plan = Some(moved);
        }
        Ok(())
    }

    /// True if the contact has moved over a second body whose compliance or curvature depends on the place.
    fn has_left(&self, grid: &FixedGrid, last: &Last) -> bool {
        let second = &self.sides[1];
        let cells = match (&second.under, second.shape.as_faces()) {
            (Under::Places(_), _) => SHIFT,
            (_, Some(_)) => CURVATURE_AGAIN,
            _ => return false,
        };
        let plan = &grid.plan;
        let PatchPlane { center: middle, axes } = *grid.middle_plane();
        let turn = last.rotation * plan.partner.0.transpose();
        let moved = turn * (middle - plan.partner.1) + last.origin - middle;
        let n = axes.row(2).transpose();
        let along = (moved - moved.dot(&n) * n).norm();
        // A turn about the normal moves the rim.
        let [low, _] = principal(plan.curvature);
        let rim = (turn - Matrix3::identity()).norm() * (2.0 * plan.height / low).sqrt();
        along.max(rim) > cells * plan.side
    }

    /// The grid follows the forces: on its own lattice, on the same cells with another base row, or on a new
    /// lattice if they are far from the base row or the contact has another size or shape.
    fn shift(&mut self, last: &Last, plan: &GridPlan, middle: [f64; 2]) -> Result<(), SpotError> {
        let Some(grid) = self.grids.found(plan) else { return Ok(()) };
        let [i, j] = middle.map(|k| k.round() as i32);
        let base = along_base(&self.sides[0].shape, &grid.grid.plane, plan.side, i);
        let there = grid.grid.cells.iter().position(|cell| *cell == [i, j]);
        let there = there.filter(|cell| grid.is_on_first(*cell)).map(|cell| grid.planes(0)[cell]);
        let n = |plane: &PatchPlane| plane.axes.row(2).transpose();
        let aside = there.zip(base).map_or(0.0, |(there, base)| (n(&there) - n(&base)).norm());
        let rows = j - plan.middle[1];
        let step = f64::from(i).hypot(plan.stretch * f64::from(rows));
        let mut moved = GridPlan {
            middle: [plan.middle[0] + i, j],
            partner: (last.rotation, last.origin),
            way: plan.way + plan.side * step,
            ..*plan
        };
        // Cells of an impact, on which the bodies have come to roll.
        let radius = grid.grid.contact_radius(&grid.forces);
        let is_coarse = radius < Laying::FEWEST_PARTS * plan.side && moved.way > ROLLED * radius;
        let found = self.at(last).overlap_at(&there.unwrap_or(*grid.middle_plane()), radius)?;
        let is_other = found.is_some_and(|found| self.at(last).has_other_outline(plan, &found));
        if (aside > ASIDE || is_coarse || is_other || there.or(base).is_none())
            && let Found::Near { plan: new, .. } = self.at(last).search(|_, _| 0.0)?
        {
            self.lay(new);
            return Ok(());
        }
        let is_far = j.abs() > MOST_ROWS || (j != 0 && !grid.is_whole());
        // The forces of friction stay with their cells.
        match (base, there) {
            (Some(plane), there) if !is_far || there.is_none() => moved.plane = plane,
            (_, Some(plane)) => {
                (moved.plane, moved.middle[1]) = (plane, 0);
                self.memory.anchor.move_base(j);
            }
            // The next step finds the edge.
            _ => return Ok(()),
        }
        if let Some(found) = found {
            let (_, curvature) = found.along(&moved.plane.axes.row(0).transpose());
            (moved.curvature, moved.hollow) = (curvature, found.hollow);
        }
        self.memory.plan = Some(moved);
        self.memory.forces.clear();
        Ok(())
    }

    /// A grid on a new lattice, on which the solver starts without forces.
    fn lay(&mut self, plan: GridPlan) {
        if let Some(old) = &self.memory.plan {
            self.memory.anchor.move_to(old, &plan);
        }
        self.memory.plan = Some(plan);
        self.memory.forces.clear();
    }
}
