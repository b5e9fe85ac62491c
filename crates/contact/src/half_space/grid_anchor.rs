//! The end of the last step, from which friction on a grid is counted: plain numbers.

use nalgebra::{Matrix3, Vector3};

use super::GridPlan;
use super::fixed_grid::{FixedGrid, Position};

/// Position and forces of a contact at the end of the last step. Without forces they hold for any grid.
#[derive(Debug, Clone, PartialEq)]
pub struct GridAnchor {
    /// Rotation from the axes of the second body to those of the first.
    pub rotation: Matrix3<f64>,
    /// Origin of the second body in axes of the first \[m\].
    pub origin: Vector3<f64>,
    /// Modal coordinates of both bodies.
    pub modal: [Vec<f64>; 2],
    /// Forces on the cells that had some.
    pub forces: Vec<CellForce>,
    /// Energy that friction has taken until then \[J\].
    pub loss: f64,
    /// False before the first step: there is no friction yet.
    pub is_set: bool,
}

/// Forces on a cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CellForce {
    /// Column and row on the lattice of the grid.
    pub cell: [i32; 2],
    /// Normal force, in compression \[N\].
    pub normal: f64,
    /// Friction on the first body along both tangents of the plane \[N\].
    pub tangential: [f64; 2],
}

impl Default for GridAnchor {
    fn default() -> Self {
        Self {
            rotation: Matrix3::identity(),
            origin: Vector3::zeros(),
            modal: [Vec::new(), Vec::new()],
            forces: Vec::new(),
            loss: 0.0,
            is_set: false,
        }
    }
}

impl GridAnchor {
    /// Takes a position as that of the end of the step; the forces stay.
    pub fn take(&mut self, at: &Position<'_>) {
        (self.rotation, self.origin, self.is_set) = (at.rotation, at.origin, true);
        for (own, now) in self.modal.iter_mut().zip(at.modal) {
            own.clear();
            own.extend_from_slice(now);
        }
    }

    /// Takes the position of another anchor, and the forces and the loss of the last evaluation on a grid.
    ///
    /// * `grid` — none while the bodies are far apart
    pub fn follow(&mut self, position: &Self, grid: Option<&FixedGrid>) {
        (self.rotation, self.origin, self.is_set) = (position.rotation, position.origin, true);
        for (own, now) in self.modal.iter_mut().zip(&position.modal) {
            own.clone_from(now);
        }
        self.forces.clear();
        if let Some(grid) = grid {
            self.forces.extend(grid.cell_forces());
            self.loss += grid.sums.friction_loss;
        }
    }

    /// Moves the forces to the lattice of another grid. The force of a cell turns with the plane, and goes to
    /// the four cells around its middle with the shares that keep its moment.
    pub fn move_to(&mut self, old: &GridPlan, new: &GridPlan) {
        if old.side == new.side
            && old.stretch == new.stretch
            && old.plane == new.plane
            && old.middle[0] == new.middle[0]
        {
            return;
        }
        let mut moved = std::collections::BTreeMap::<[i32; 2], CellForce>::new();
        for force in &self.forces {
            let [x, y] = old.local(force.cell).map(|k| old.side * f64::from(k));
            let y = old.stretch * y;
            let axes = old.plane.axes;
            let place = old.plane.center + axes.transpose() * Vector3::new(x, y, 0.0);
            let [f, g] = force.tangential;
            let turned = new.plane.axes * (axes.transpose() * Vector3::new(f, g, 0.0));
            let (along, before) = (turned.x.hypot(turned.y), f.hypot(g));
            let factor = if along > 0.0 { before / along } else { 0.0 };
            let [u, v, _] = new.plane.coordinates(&place).map(|a| a / new.side);
            for (i, wi) in shares(u) {
                for (k, wk) in shares(v / new.stretch) {
                    let (cell, weight) = (new.on_lattice([i, k]), wi * wk);
                    let none = CellForce { cell, normal: 0.0, tangential: [0.0; 2] };
                    // Row by row, as the cells of a grid.
                    let entry = moved.entry([k, i]).or_insert(none);
                    entry.normal += weight * force.normal;
                    entry.tangential[0] += weight * factor * turned.x;
                    entry.tangential[1] += weight * factor * turned.y;
                }
            }
        }
        self.forces.clear();
        self.forces.extend(moved.into_values());
    }

    /// Counts rows from another row of the same lattice, as the base row has moved there.
    pub fn move_base(&mut self, rows: i32) {
        self.forces.iter_mut().for_each(|force| force.cell[1] -= rows);
    }

    /// Appends the numbers to those of a checkpoint.
    pub fn write(&self, out: &mut Vec<f64>) {
        out.extend(self.rotation.iter().chain(self.origin.iter()));
        out.extend([self.loss, f64::from(u8::from(self.is_set))]);
        for modal in &self.modal {
            out.push(modal.len() as f64);
            out.extend(modal);
        }
        out.push(self.forces.len() as f64);
        for CellForce { cell: [i, j], normal, tangential: [f, g] } in &self.forces {
            out.extend([f64::from(*i), f64::from(*j), *normal, *f, *g]);
        }
    }

    /// The inverse of [`Self::write`], with the numbers behind it.
    pub fn read(numbers: &[f64]) -> Option<(Self, &[f64])> {
        let (array, mut rest) = numbers.split_first_chunk::<14>()?;
        let mut modal = [Vec::new(), Vec::new()];
        for modal in &mut modal {
            let (n, tail) = rest.split_first()?;
            let (own, tail) = tail.split_at_checked(*n as usize)?;
            (*modal, rest) = (own.to_vec(), tail);
        }
        let (n, tail) = rest.split_first()?;
        let (forces, rest) = tail.split_at_checked((*n as usize).checked_mul(5)?)?;
        let force = |[i, j, normal, f, g]: &[f64; 5]| CellForce {
            cell: [*i as i32, *j as i32],
            normal: *normal,
            tangential: [*f, *g],
        };
        let anchor = Self {
            rotation: Matrix3::from_column_slice(&array[..9]),
            origin: Vector3::from_column_slice(&array[9..12]),
            modal,
            forces: forces.as_chunks::<5>().0.iter().map(force).collect(),
            loss: array[12],
            is_set: array[13] == 1.0,
        };
        Some((anchor, rest))
    }
}

/// The two cells around a coordinate and their parts of a force there.
fn shares(x: f64) -> [(i32, f64); 2] {
    let low = x.floor();
    let part = x - low;
    [(low as i32, 1.0 - part), (low as i32 + 1, part)]
}
