//! Rows of gaps over points of deformable bodies and over rigid bodies, and the products of their matrix.

mod balance;
mod groups;
mod response;

use std::cell::RefCell;

use nalgebra::{DMatrix, DVector, Matrix3, Vector3};

use super::pair::EDGES;
use crate::explicit::bodies::Bodies;
use crate::explicit::deformable::Deformable;
use crate::explicit::reduced::Reduced;
pub(super) use balance::balance;
use groups::Groups;
pub(super) use response::GroupOperator;

/// The part of a row on one rigid body.
#[derive(Debug, Clone, Copy)]
pub(super) struct RigidEnd {
    /// Slot of the body.
    pub(super) slot: u32,
    /// +1 if the node is on the body, −1 if the face is.
    pub(super) sign: f64,
    /// False for a fixed body.
    moves: bool,
    /// Vector from the centre of mass at t_n to the point of action of the force \[m\].
    pub(super) arm: Vector3<f64>,
}

/// One gap, and its change by impulses along its normal.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    /// Number of the pair in its list.
    pub(super) pair: u32,
    /// Side and number of the node.
    pub(super) side: usize,
    pub(super) node: u32,
    /// Number of the second edge of a row of two edges.
    pub(super) other: u32,
    /// Numbers of the bodies of the node and of the face.
    pub(super) bodies: [u32; 2],
    /// Normal out of the face, inertial axes.
    pub(super) normal: Vector3<f64>,
    /// Point of action of the force at t_n \[m\].
    pub(super) place: Vector3<f64>,
    /// Gap at t_n, gap at t_{n+1} without multipliers, and the smallest gap that the step allows \[m\]; the
    /// last two with the offset of an overlap at the start.
    pub(super) gap_now: f64,
    pub(super) gap: f64,
    pub(super) least: f64,
    /// Predicted slip of the node along the face in the step \[m\].
    pub(super) slip: Vector3<f64>,
    /// Length to which the tolerance of the gap is relative: thickness of a shell or beam, or diagonal of the
    /// face, or length of the shorter edge \[m\].
    pub(super) length: f64,
    /// First entry of this row in the list.
    first: u32,
    n_entries: u32,
    /// Number of entries of the node; they come first.
    n_node: u32,
    pub(super) rigid: [Option<RigidEnd>; 2],
}

/// A point of a deformable body that a row moves.
#[derive(Debug, Clone, Copy)]
struct Slot {
    body: u32,
    point: u32,
    response: Response,
}

/// The response of a point to an impulse on it.
#[derive(Debug, Clone, Copy)]
enum Response {
    /// By the inverse mass of the point.
    Point([f64; 3]),
    /// By the frame and the modes of a reduced body: its slot, the arm of the point from the frame origin,
    /// and the start of its modes in the list.
    Reduced { slot: u32, arm: Vector3<f64>, modes: u32 },
}

/// A reduced body: M⁻¹ over (v, ω, q̇), inertial axes, while a row moves it.
#[derive(Debug, Clone)]
struct ReducedSlot {
    body: u32,
    inverse: DMatrix<f64>,
    is_moved: bool,
}

/// A rigid body that a row moves.
#[derive(Debug, Clone, Copy)]
struct RigidSlot {
    body: u32,
    inverse_mass: f64,
    inverse_inertia: Matrix3<f64>,
}

/// Rows of one step with the points and bodies that they move.
#[derive(Default)]
pub(super) struct Rows {
    pub(super) rows: Vec<Row>,
    /// Slot of a point and its weight: positive on the side of the node. An end has each slot once.
    entries: Vec<(u32, f64)>,
    slots: Vec<Slot>,
    rigid_slots: Vec<RigidSlot>,
    reduced_slots: Vec<ReducedSlot>,
    /// Modes at the points of reduced bodies, 3 numbers a mode, inertial axes.
    modes: Vec<f64>,
    /// Slot of each point of each body, if it has one in this step.
    slot_of: Vec<Vec<u32>>,
    rigid_slot_of: Vec<u32>,
    pub(super) groups: Groups,
    /// Factor of the gap of each row in units of equal tolerances, in (0, 1]; empty if all are 1.
    pub(super) scales: Vec<f64>,
    /// Of each row, see [`Rows::weigh`].
    inverse_masses: Vec<f64>,
    work: RefCell<Work>,
}

#[derive(Default)]
struct Work {
    points: Vec<Vector3<f64>>,
    bodies: Vec<[Vector3<f64>; 2]>,
    /// Generalised impulses on reduced bodies, and their velocities.
    reduced: Vec<[DVector<f64>; 2]>,
}

const NONE: u32 = u32::MAX;

impl Rows {
    /// Rows with memory for all points.
    pub(super) fn new(bodies: &Bodies) -> Self {
        let n_rigid = bodies.rigid.as_ref().map_or(0, |rigid| rigid.system.bodies.len());
        let reduced = || (0..).zip(&bodies.flexible).filter_map(|(k, body)| Some((k, body.reduced()?)));
        let slot = |(body, reduced): (u32, &Reduced)| {
            let n = 6 + reduced.n_modes();
            ReducedSlot { body, inverse: DMatrix::zeros(n, n), is_moved: false }
        };
        let zeros = |(_, reduced): (u32, &Reduced)| [0; 2].map(|_| DVector::zeros(6 + reduced.n_modes()));
        Self {
            reduced_slots: reduced().map(slot).collect(),
            work: RefCell::new(Work { reduced: reduced().map(zeros).collect(), ..Work::default() }),
            slot_of: bodies.flexible.iter().map(|body| vec![NONE; body.n_points()]).collect(),
            rigid_slot_of: vec![NONE; n_rigid],
            ..Self::default()
        }
    }

    /// Removes all rows.
    pub(super) fn clear(&mut self) {
        for slot in self.slots.drain(..) {
            self.slot_of[slot.body as usize][slot.point as usize] = NONE;
        }
        for slot in self.rigid_slots.drain(..) {
            self.rigid_slot_of[slot.body as usize] = NONE;
        }
        self.reduced_slots.iter_mut().for_each(|slot| slot.is_moved = false);
        self.modes.clear();
        self.rows.clear();
        self.entries.clear();
        self.groups.clear();
        self.scales.clear();
    }

    /// Adds a row without entries.
    pub(super) fn begin(&mut self, row: RowStart) {
        let RowStart { pair, side, node, other, bodies, normal, place, gap_now, gap, least, slip, length } =
            row;
        let first = self.entries.len() as u32;
        self.rows.push(Row {
            pair,
            side,
            node,
            other,
            bodies,
            normal,
            place,
            gap_now,
            gap,
            least,
            slip,
            length,
            first,
            n_entries: 0,
            n_node: 0,
            rigid: [None; 2],
        });
    }

    /// Adds a point of a deformable body to the last row; points of the node come first. A point that its
    /// end has already gets the sum of both weights: both ends of a chord of a spline have the same points.
    ///
    /// * `end` — 0 for the side of the node, 1 for that of the face
    pub(super) fn add_point(
        &mut self,
        bodies: &Bodies,
        (body, end): (usize, usize),
        point: u32,
        weight: f64,
    ) {
        if self.slot_of[body][point as usize] == NONE {
            self.slot_of[body][point as usize] = self.slots.len() as u32;
            let response = self.response(bodies, body, point);
            self.slots.push(Slot { body: body as u32, point, response });
        }
        self.add_entry(self.slot_of[body][point as usize], end, weight);
    }

    fn add_entry(&mut self, slot: u32, end: usize, weight: f64) {
        let Some(row) = self.rows.last_mut() else { return };
        let first = row.first + if end == 0 { 0 } else { row.n_node };
        let mut known = self.entries[first as usize..].iter_mut();
        if let Some((_, sum)) = known.find(|(known, _)| *known == slot) {
            *sum += weight;
            return;
        }
        self.entries.push((slot, weight));
        row.n_entries += 1;
        row.n_node += u32::from(end == 0);
    }

    fn response(&mut self, bodies: &Bodies, body: usize, point: u32) -> Response {
        match &bodies.flexible[body] {
            Deformable::Whole(whole) => {
                let k = 3 * point as usize;
                Response::Point(std::array::from_fn(|d| whole.inverse_mass[k + d]))
            }
            Deformable::Reduced(reduced) => {
                let is_own = |slot: &ReducedSlot| slot.body as usize == body;
                let slot = self.reduced_slots.iter().position(is_own);
                let slot = slot.expect("each reduced body has a slot");
                let known = &mut self.reduced_slots[slot];
                if !known.is_moved {
                    known.is_moved = true;
                    let [unit, rates] = &mut self.work.get_mut().reduced[slot];
                    reduced.mobility_into(&mut known.inverse, unit.as_mut_slice(), rates.as_mut_slice());
                }
                let modes = self.modes.len() as u32;
                let arm = reduced.lever(point, &mut self.modes);
                Response::Reduced { slot: slot as u32, arm, modes }
            }
        }
    }

    /// Adds a rigid body to the last row.
    ///
    /// * `end` — 0 for the side of the node, 1 for that of the face
    pub(super) fn add_rigid(&mut self, bodies: &Bodies, body: usize, end: usize, arm: Vector3<f64>) {
        let Some(rigid) = &bodies.rigid else { return };
        let slot = &mut self.rigid_slot_of[body];
        if *slot == NONE {
            *slot = self.rigid_slots.len() as u32;
            let (inverse_mass, inverse_inertia) = rigid.mobility(body);
            self.rigid_slots.push(RigidSlot { body: body as u32, inverse_mass, inverse_inertia });
        }
        let sign = if end == 0 { 1.0 } else { -1.0 };
        let moves = self.rigid_slots[*slot as usize].inverse_mass > 0.0;
        if let Some(row) = self.rows.last_mut() {
            row.rigid[end] = Some(RigidEnd { slot: *slot, sign, moves, arm });
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    fn entries(&self, row: &Row) -> &[(u32, f64)] {
        &self.entries[row.first as usize..(row.first + row.n_entries) as usize]
    }

    /// Calls a function with each deformable body, point and weight of a row.
    pub(super) fn for_points(&self, row: &Row, mut each: impl FnMut(usize, u32, f64)) {
        for &(slot, weight) in self.entries(row) {
            let slot = &self.slots[slot as usize];
            each(slot.body as usize, slot.point, weight);
        }
    }

    /// Calls a function with each deformable body, point and weight of a row, and true for those of the node.
    pub(super) fn for_sides(&self, row: &Row, mut each: impl FnMut(usize, u32, f64, bool)) {
        for (k, &(slot, weight)) in (0..).zip(self.entries(row)) {
            let slot = &self.slots[slot as usize];
            each(slot.body as usize, slot.point, weight, k < row.n_node);
        }
    }

    /// Calls a function with each deformable body and point of a row and its part of a force along the
    /// surface.
    ///
    /// Node and face are apart by the gap at t_n, which is a lever of a force along the surface. A couple on
    /// the points of the face, `a × (x_K − x̄)`, compensates that moment. The points of an edge have no
    /// couple about their line: then it acts on all points of the row.
    pub(super) fn for_friction(
        &self,
        row: &Row,
        force: &Vector3<f64>,
        place: impl Fn(usize, u32) -> Vector3<f64>,
        mut each: impl FnMut(usize, u32, Vector3<f64>),
    ) {
        if *force == Vector3::zeros() {
            return;
        }
        let mut lever = Vector3::zeros();
        self.for_points(row, |body, point, weight| {
            lever += weight * place(body, point);
            each(body, point, weight * force);
        });
        if row.rigid.iter().any(Option::is_some) {
            return;
        }
        let is_line = row.side == EDGES || row.n_entries - row.n_node < 3;
        let first = if is_line { 0 } else { row.n_node };
        let faced = || {
            let slots = self.entries(row)[first as usize..].iter().map(|&(slot, _)| slot);
            slots.map(|slot| &self.slots[slot as usize]).map(|slot| (slot.body as usize, slot.point))
        };
        let n = f64::from(row.n_entries - first);
        let center = faced().map(|(body, point)| place(body, point)).sum::<Vector3<f64>>() / n;
        let mut inertia = Matrix3::zeros();
        for (body, point) in faced() {
            let r = place(body, point) - center;
            inertia += Matrix3::identity() * r.norm_squared() - r * r.transpose();
        }
        let Some(inverse) = inertia.try_inverse() else { return };
        let turn = -(inverse * lever.cross(force));
        for (body, point) in faced() {
            let arm = place(body, point) - center;
            each(body, point, turn.cross(&arm));
        }
    }

    /// Number of the rigid body of an end.
    pub(super) fn rigid_body(&self, end: &RigidEnd) -> usize {
        self.rigid_slots[end.slot as usize].body as usize
    }

    /// True if a rigid body has a row.
    pub(super) fn has_rigid(&self) -> bool {
        !self.rigid_slots.is_empty()
    }

    /// Numbers of the rigid bodies with rows.
    pub(super) fn rigid_bodies(&self) -> impl Iterator<Item = usize> + '_ {
        self.rigid_slots.iter().map(|slot| slot.body as usize)
    }
}

/// Data of a row before its entries.
pub(super) struct RowStart {
    pub(super) pair: u32,
    pub(super) side: usize,
    pub(super) node: u32,
    pub(super) other: u32,
    pub(super) bodies: [u32; 2],
    pub(super) normal: Vector3<f64>,
    pub(super) place: Vector3<f64>,
    pub(super) gap_now: f64,
    pub(super) gap: f64,
    pub(super) least: f64,
    pub(super) slip: Vector3<f64>,
    pub(super) length: f64,
}
