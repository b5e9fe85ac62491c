//! Multipliers of joints from accelerations, in proportion to the number of joints.
//!
//! With h the generalised forces less the quadratic velocity terms, in body axes:
//!
//! ```text
//! M ż = h − Gᵀ λ,   G ż + (known part of g̈) = 0    ⟹    (G M⁻¹ Gᵀ) λ = G M⁻¹ h + (known part of g̈)
//! ```

use carom_dynamics::{Jet, Pose};
use nalgebra::Vector3;

use super::place::Place;
use super::row::{Row, RowNow};
use super::skyline::{Dependent, Skyline};
use super::{Drive, Joint, JointEnd, SpecError, within_a_turn};
use crate::body::Body;
use crate::contact::BodyForces;
use crate::kinetics::{Kinetics, RigidMassFactor, dot};
use crate::layout::Layout;

/// A pivot of G M⁻¹ Gᵀ below this part of its diagonal entry is that of a row which others repeat.
pub(crate) const SMALLEST_PIVOT: f64 = 1e-10;

/// The joints of a system with workspace.
#[derive(Debug, Clone, Default)]
pub(crate) struct Constraints {
    pub(crate) joints: Vec<Joint>,
    pub(crate) drives: Vec<Drive>,
    /// Joint and equation of each row.
    pub(crate) rows: Vec<(usize, Row)>,
    /// Places of the ends of each joint.
    pub(crate) places: Vec<[Place; 2]>,
    pub(crate) now: Vec<RowNow>,
    /// Row of G and column of M⁻¹ Gᵀ of each row and side.
    sides: Vec<[Side; 2]>,
    matrix: Skyline,
    /// λ; any right-hand side of the matrix before.
    pub(crate) multipliers: Vec<f64>,
    /// Masses of the bodies, none for those that are held, while joints are closed by rigid motions alone: G
    /// has no modal columns.
    pub(crate) rigid_masses: Option<Vec<Option<RigidMassFactor>>>,
}

/// A row of G over (v, ω, q̇) of one body, and M⁻¹ times it.
#[derive(Debug, Clone)]
pub(crate) struct Side {
    pub(crate) body: Option<usize>,
    pub(crate) force: Vector3<f64>,
    pub(crate) moment: Vector3<f64>,
    pub(crate) modal: Vec<f64>,
    pub(crate) velocity: Vector3<f64>,
    pub(crate) omega: Vector3<f64>,
    pub(crate) rate: Vec<f64>,
}

/// Where bodies are and how they move, for the joints.
#[derive(Clone, Copy)]
pub(crate) struct Bodies<'a> {
    pub(crate) bodies: &'a [Body],
    pub(crate) layout: &'a Layout,
    pub(crate) poses: &'a [Pose],
    pub(crate) kinetics: &'a [Kinetics],
    pub(crate) y: &'a [f64],
    pub(crate) time: f64,
}

impl Bodies<'_> {
    /// Where an end is.
    pub(crate) fn place(&self, end: &JointEnd) -> Place {
        let Some(body) = end.body else { return Place::ground(&end.marker, &end.triad_b) };
        let velocities = &self.kinetics[body].velocities;
        Place::on(&end.marker, &end.triad_b, &self.poses[body], self.modal(body), velocities)
    }

    fn modal(&self, body: usize) -> &[f64] {
        let start = self.layout.modal(body);
        &self.y[start..start + self.layout.modes(body)]
    }
}

impl Constraints {
    /// Rows of all joints.
    pub(crate) fn new(joints: Vec<Joint>, bodies: &[Body]) -> Result<Self, SpecError> {
        for joint in &joints {
            check(joint, bodies)?;
        }
        let rows = joints.iter().enumerate();
        let rows: Vec<_> =
            rows.flat_map(|(k, joint)| joint.kind.rows().into_iter().map(move |row| (k, row))).collect();
        let mut constraints = Self { joints, ..Self::default() };
        constraints.set_rows(rows, bodies);
        Ok(constraints)
    }

    /// Keeps these rows only.
    pub(crate) fn set_rows(&mut self, rows: Vec<(usize, Row)>, bodies: &[Body]) {
        let ground = |end: &super::JointEnd| Place::ground(&end.marker, &end.triad_b);
        self.places = self.joints.iter().map(|joint| joint.ends.each_ref().map(ground)).collect();
        let side = |body: Option<usize>| {
            let n = body.map_or(0, |body| bodies[body].frame.n);
            let zero = Vector3::zeros();
            let (modal, rate) = (vec![0.0; n], vec![0.0; n]);
            Side { body, force: zero, moment: zero, modal, velocity: zero, omega: zero, rate }
        };
        self.sides = rows.iter().map(|&(joint, _)| self.bodies_of(joint).map(side)).collect();
        let coupled = |i: usize, j: usize| {
            let (a, b) = (self.bodies_of(rows[i].0), self.bodies_of(rows[j].0));
            a.iter().flatten().any(|body| b.contains(&Some(*body)))
        };
        let first = (0..rows.len()).map(|i| (0..i).find(|&j| coupled(i, j)).unwrap_or(i)).collect();
        self.matrix = Skyline::new(first);
        self.now = vec![RowNow::default(); rows.len()];
        self.multipliers = vec![0.0; rows.len()];
        self.rows = rows;
    }

    fn bodies_of(&self, joint: usize) -> [Option<usize>; 2] {
        self.joints[joint].ends.each_ref().map(|end| end.body)
    }

    /// Row of G and column of M⁻¹ Gᵀ, side by side.
    pub(crate) fn sides(&self, row: usize) -> &[Side; 2] {
        &self.sides[row]
    }

    /// g and ġ = G z + g_t.
    pub(crate) fn read(&self, values: &mut [f64], rates: &mut [f64]) {
        for (number, &(joint, _)) in self.rows.iter().enumerate() {
            let [first, second] = &self.places[joint];
            values[number] = self.now[number].value;
            rates[number] = self.now[number].rate(first, second);
        }
    }

    /// True without joints.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Places, rows and G at a state.
    pub(crate) fn set_state(&mut self, state: Bodies<'_>) {
        for (places, joint) in self.places.iter_mut().zip(&self.joints) {
            for (place, end) in places.iter_mut().zip(&joint.ends) {
                if end.body.is_some() {
                    *place = state.place(end);
                }
            }
        }
        for (number, &(joint, row)) in self.rows.iter().enumerate() {
            let places = &self.places[joint];
            let mut now = row.at(&places[0], &places[1]);
            if let Row::Driven(drive, coordinate) = row {
                let Jet { value, rate, second_rate } = self.drives[drive].course.at(state.time);
                let value = now.value - value;
                now.value = if coordinate.is_angle() { within_a_turn(value) } else { value };
                now.given_rate = -rate;
                now.bias -= second_rate;
            }
            self.now[number] = now;
            for (k, side) in self.sides[number].iter_mut().enumerate() {
                if let Some(body) = side.body {
                    let marker = &self.joints[joint].ends[k].marker;
                    let a = &state.poses[body].rotation;
                    let force = a.tr_mul(&now.jacobian[2 * k]);
                    let torque = a.tr_mul(&now.jacobian[2 * k + 1]);
                    let bent = places[k].tangent.tr_mul(&torque);
                    for (modal, (phi, psi)) in
                        side.modal.iter_mut().zip(marker.displacement.iter().zip(&marker.rotation))
                    {
                        *modal = Vector3::from(*phi).dot(&force) + Vector3::from(*psi).dot(&bent);
                    }
                    side.force = force;
                    side.moment = places[k].arm_b.cross(&force) + torque;
                    if self.rigid_masses.is_some() {
                        side.modal.fill(0.0);
                    }
                    if state.bodies[body].fixed {
                        (side.force, side.moment) = (Vector3::zeros(), Vector3::zeros());
                    }
                }
            }
        }
    }

    /// M⁻¹ Gᵀ of a row, where G was set last.
    pub(crate) fn set_column(&mut self, row: usize, bodies: &[Body], kinetics: &[Kinetics]) {
        for side in &mut self.sides[row] {
            if let Some(body) = side.body {
                match &self.rigid_masses {
                    Some(masses) => side.apply_inverse_rigid_mass(masses[body].as_ref()),
                    None => side.apply_inverse_mass(&bodies[body], &kinetics[body]),
                }
            }
        }
    }

    /// Factorises G M⁻¹ Gᵀ where G was set last.
    ///
    /// # Errors
    ///
    /// The first row that others repeat.
    pub(crate) fn factorise(&mut self, bodies: &[Body], kinetics: &[Kinetics]) -> Result<(), Dependent> {
        self.factorise_above(SMALLEST_PIVOT, bodies, kinetics)
    }

    /// [`Self::factorise`] that refuses pivots up to `smallest` of their diagonal entries.
    pub(crate) fn factorise_above(
        &mut self,
        smallest: f64,
        bodies: &[Body],
        kinetics: &[Kinetics],
    ) -> Result<(), Dependent> {
        (0..self.rows.len()).for_each(|row| self.set_column(row, bodies, kinetics));
        let sides = &self.sides;
        let entry = |i: usize, j: usize| {
            let products = sides[i].iter().flat_map(|a| sides[j].iter().map(move |b| a.times(b)));
            products.sum()
        };
        self.matrix.factorise(entry, smallest)
    }

    /// (G M⁻¹ Gᵀ)⁻¹ applied to what is in `multipliers`.
    pub(crate) fn solve(&mut self) {
        self.matrix.solve(&mut self.multipliers);
    }

    /// Multipliers for accelerations `free` without joints, (a₀, ω̇, q̈) of each body.
    pub(crate) fn react(&mut self, free: &[Accelerations]) {
        for (number, &(joint, _)) in self.rows.iter().enumerate() {
            let [first, second] = &self.places[joint];
            let known = self.now[number].known(first, second);
            let along = self.sides[number].iter().filter_map(|side| Some(side.along(&free[side.body?])));
            self.multipliers[number] = along.sum::<f64>() + known;
        }
        self.solve();
    }

    /// −Gᵀ λ on the bodies; what the ground gives is handed to `ground`: force, moment about the
    /// inertial origin.
    pub(crate) fn apply(
        &self,
        forces: &mut [BodyForces],
        mut ground: impl FnMut(&Vector3<f64>, &Vector3<f64>),
    ) {
        for (number, &(joint, _)) in self.rows.iter().enumerate() {
            let multiplier = self.multipliers[number];
            let from_ground = self.bodies_of(joint).contains(&None);
            for (k, side) in self.sides[number].iter().enumerate() {
                let Some(body) = side.body else { continue };
                let [force, torque] = [0, 1].map(|i| -multiplier * self.now[number].jacobian[2 * k + i]);
                let moment = self.places[joint][k].position.cross(&force) + torque;
                let total = &mut forces[body];
                total.force += force;
                total.moment += moment;
                for (modal, g) in total.modal.iter_mut().zip(&side.modal) {
                    *modal -= multiplier * g;
                }
                if from_ground {
                    ground(&force, &moment);
                }
            }
        }
    }

    /// −M⁻¹ Gᵀ λ: changes of (v, ω, q̇), or of position, rotation and q, handed over body by body.
    pub(crate) fn changes(&self, mut change: impl FnMut(usize, &Vector3<f64>, &Vector3<f64>, &[f64], f64)) {
        for (sides, multiplier) in self.sides.iter().zip(&self.multipliers) {
            for side in sides {
                if let Some(body) = side.body {
                    change(body, &side.velocity, &side.omega, &side.rate, -multiplier);
                }
            }
        }
    }
}

/// a₀, ω̇, q̈ of a body.
#[derive(Debug, Clone)]
pub(crate) struct Accelerations {
    pub(crate) translation: Vector3<f64>,
    pub(crate) rotation: Vector3<f64>,
    pub(crate) modal: Vec<f64>,
}

impl Side {
    /// Product of this row with the column of another, if they are of the same body.
    fn times(&self, other: &Self) -> f64 {
        if self.body.is_none() || self.body != other.body {
            return 0.0;
        }
        let modal = dot(&self.modal, &other.rate);
        self.force.dot(&other.velocity) + self.moment.dot(&other.omega) + modal
    }

    fn along(&self, x: &Accelerations) -> f64 {
        let modal = dot(&self.modal, &x.modal);
        self.force.dot(&x.translation) + self.moment.dot(&x.rotation) + modal
    }

    fn apply_inverse_mass(&mut self, body: &Body, kinetics: &Kinetics) {
        if body.fixed {
            Kinetics::apply_inverse_modal_mass(&body.frame, &self.modal, &mut self.rate);
            return;
        }
        (self.velocity, self.omega) =
            kinetics.apply_inverse_mass(&body.frame, &self.force, &self.moment, &self.modal, &mut self.rate);
    }
}

impl Side {
    /// As if the body could not be deformed; one without a mass is held.
    fn apply_inverse_rigid_mass(&mut self, mass: Option<&RigidMassFactor>) {
        self.rate.fill(0.0);
        if let Some(mass) = mass {
            (self.velocity, self.omega) = mass.apply_inverse(&self.force, &self.moment);
        }
    }
}

/// Whether two ends are on bodies that exist, with markers that were made for them, and not on the same one.
///
/// * `what` — `joint`, `spring` or `bushing`, for messages
pub(crate) fn check_ends(
    what: &'static str,
    name: &str,
    ends: &[JointEnd; 2],
    bodies: &[Body],
) -> Result<(), SpecError> {
    let joint = || name.to_owned();
    for end in ends {
        let Some(body) = end.body else { continue };
        let of = bodies.get(body).ok_or_else(|| SpecError::NoSuchBody {
            what,
            joint: joint(),
            body,
            bodies: bodies.len(),
        })?;
        for found in [end.marker.displacement.len(), end.marker.rotation.len()] {
            if found != of.frame.n {
                let expected = of.frame.n;
                let body = of.name.clone();
                return Err(SpecError::Marker { what, joint: joint(), body, found, expected });
            }
        }
    }
    let [first, second] = ends.each_ref().map(|end| end.body);
    if first == second {
        let on =
            first.map_or_else(|| "the ground".to_owned(), |body| format!("body `{}`", bodies[body].name));
        return Err(SpecError::SameBody { what, joint: joint(), on });
    }
    Ok(())
}

fn check(joint: &Joint, bodies: &[Body]) -> Result<(), SpecError> {
    check_ends("joint", &joint.name, &joint.ends, bodies)?;
    match joint.kind {
        super::JointKind::Distance { length } if !(length > 0.0 && length.is_finite()) => {
            Err(SpecError::Length { joint: joint.name.clone(), length })
        }
        _ => Ok(()),
    }
}
