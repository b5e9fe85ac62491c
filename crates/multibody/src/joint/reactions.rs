//! Multipliers of joints from accelerations, in proportion to the number of joints.
//!
//! With h the generalised forces less the quadratic velocity terms, in body axes:
//!
//! ```text
//! M ż = h − Gᵀ λ,   G ż + (known part of g̈) = 0    ⟹    (G M⁻¹ Gᵀ) λ = G M⁻¹ h + (known part of g̈)
//! ```

use carom_dynamics::Jet;
use nalgebra::Vector3;

use super::coupling::CoupledAngles;
use super::place::Place;
use super::row::Row;
use super::row_now::RowNow;
use super::row_order::RowOrder;
use super::row_state::{RowPart, RowState};
use super::side::Side;
use super::skyline::{Dependent, Skyline};
use super::{Coupling, Drive, Joint, SpecError, check_joint, within_a_turn};
use crate::applied::AppliedForces;
use crate::bodies::{Accelerations, Bodies, BodiesAt};
use crate::body::Body;
use crate::contact::BodyForces;
use crate::kinetics::RigidMassInverse;
use crate::system_error::RateError;
use carom_integrate::ConstraintGroup;

/// A pivot of G M⁻¹ Gᵀ below this part of its diagonal entry is that of a row which others repeat.
pub(crate) const SMALLEST_PIVOT: f64 = 1e-10;

/// How pivots are raised near a singular position, at which the equations of the joints depend on each other:
/// parts of the pivot at the start. A raised row is a compliant equation, not a rigid one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Raise {
    /// Smaller pivots are raised.
    below: f64,
    /// A pivot of zero is raised to this.
    least: f64,
}

/// For accelerations. Within about 10⁻³ radians of a singular position the joints give way to forces across
/// their free motion. There errors of the velocities are divided by the root of the pivot: with a pivot of
/// 1e-9 they threw four-bar linkages onto other branches.
const OF_ACCELERATIONS: Raise = Raise { below: 1e-5, least: 1e-6 };

/// For corrections of positions and velocities: errors of an integrator across the free motion, divided by
/// the root of a pivot, would throw the mechanism onto another branch. Within some hundredths of a radian
/// such errors are left, and taken away behind the position.
const OF_CORRECTIONS: Raise = Raise { below: 1e-3, least: 1e-4 };

impl Raise {
    /// With two continuous derivatives in the position, as integrators need them.
    ///
    /// * `regular` — the pivot at the start
    fn apply(self, pivot: f64, regular: f64) -> Option<f64> {
        let part = pivot / (self.below * regular);
        if part >= 1.0 {
            return Some(pivot);
        }
        let found = pivot.max(0.0) + self.least * regular * (1.0 - part.max(0.0)).powi(3);
        (found > 0.0).then_some(found)
    }
}

/// The joints of a system at a state, with workspace.
#[derive(Debug, Clone, Default)]
pub(crate) struct Constraints {
    pub(super) joints: Vec<Joint>,
    pub(super) couplings: Vec<Coupling>,
    pub(super) coupled: CoupledAngles,
    pub(super) drives: Vec<Drive>,
    /// True while drives stay at their value: an equilibrium has neither speed nor acceleration.
    pub(super) is_still: bool,
    /// Joint and equation of each row; of a row between several joints the first of them.
    pub(super) rows: Vec<(usize, Row)>,
    /// Places of the ends of each joint.
    pub(super) places: Vec<[Place; 2]>,
    pub(super) now: Vec<RowState>,
    /// Length of the system at the state that was set last \[m\].
    size: f64,
    /// The largest coordinate of an end, or the size above \[m\].
    reach: f64,
    /// Positions of the bodies, by their number, at which the rows of G were formed; whether they have
    /// modal columns.
    formed_at: Option<(u64, bool)>,
    matrix: Skyline,
    /// Pivot of each row over its diagonal entry at the start.
    pub(super) regular: Vec<f64>,
    /// λ; any right-hand side of the matrix before.
    pub(super) multipliers: Vec<f64>,
    /// Impulses on all bodies.
    pub(super) impulses: Vec<BodyForces>,
    /// Masses of the bodies, none for those that are held, while joints are closed by rigid motions alone: G
    /// has no modal columns.
    pub(super) rigid_masses: Option<Vec<Option<RigidMassInverse>>>,
}

/// A row at a state, on one joint.
pub(crate) struct RowAt<'a> {
    /// The joint.
    pub(crate) joint: &'a Joint,
    /// Places of its ends.
    pub(crate) places: &'a [Place; 2],
    /// ∂ġ/∂ẋ_i, ∂ġ/∂ω_i, ∂ġ/∂ẋ_j, ∂ġ/∂ω_j, inertial axes.
    pub(crate) jacobian: &'a [Vector3<f64>; 4],
    /// λ.
    pub(crate) multiplier: f64,
}

impl Constraints {
    /// Rows of all joints.
    pub(crate) fn new(joints: Vec<Joint>, bodies: &[Body]) -> Result<Self, SpecError> {
        for joint in &joints {
            check_joint(joint, bodies)?;
        }
        let kept = |(k, joint): (usize, &Joint)| {
            joint.kind.equations().into_iter().map(move |equation| (k, Row::Kept(equation)))
        };
        let rows: Vec<_> = joints.iter().enumerate().flat_map(kept).collect();
        let impulses = bodies.iter().map(|body| BodyForces::none(body.frame.n)).collect();
        let mut constraints = Self { joints, impulses, ..Self::default() };
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
        let part = |joint: usize| {
            let sides = self.bodies_of(joint).map(side);
            RowPart { joint, now: RowNow::default(), sides }
        };
        let state = |row: &(usize, Row)| {
            let parts = self.joints_of(*row).map(part).collect();
            RowState { value: 0.0, given_rate: 0.0, parts }
        };
        let now: Vec<RowState> = rows.iter().map(state).collect();
        self.regular = vec![1.0; rows.len()];
        (self.now, self.formed_at) = (now, None);
        self.multipliers = vec![0.0; rows.len()];
        self.rows = rows;
        self.matrix = Skyline::new(RowOrder::given(&self.bodies_of_rows()));
        self.set_size();
    }

    /// Bodies of each row.
    fn bodies_of_rows(&self) -> Vec<Vec<usize>> {
        let bodies_of = |row: &RowState| row.sides().filter_map(|side| side.body).collect();
        self.now.iter().map(bodies_of).collect()
    }

    /// Eliminates rows in another order from here on, if that takes much less work; the joints are closed at
    /// the state that was set last.
    pub(super) fn choose_order(&mut self, bodies: &Bodies) {
        let Some(order) = RowOrder::inwards(&self.bodies_of_rows()) else { return };
        let given = std::mem::replace(&mut self.matrix, Skyline::new(order));
        match self.factorise_above(SMALLEST_PIVOT, bodies) {
            Ok(()) => self.keep_pivots(),
            Err(_) => self.matrix = given,
        }
    }

    /// Length of the system as its joints see it: the longest arm, or distance of two ends.
    fn set_size(&mut self) {
        let arms = self.places.iter().flatten().map(|place| place.arm_b.norm_squared());
        let ends = self.places.iter().map(|[a, b]| (a.position - b.position).norm_squared());
        self.size = arms.chain(ends).fold(0.0, f64::max).sqrt().max(f64::MIN_POSITIVE);
        self.reach =
            self.places.iter().flatten().fold(self.size, |reach, place| reach.max(place.position.amax()));
    }

    /// Length of the system as its joints see it, at the state that was set last: the longest arm, or
    /// distance of two ends \[m\].
    pub(crate) fn size(&self) -> f64 {
        self.size
    }

    fn bodies_of(&self, joint: usize) -> [Option<usize>; 2] {
        self.joints[joint].ends.each_ref().map(|end| end.body)
    }

    /// The joints that a row is about.
    fn joints_of(&self, (joint, row): (usize, Row)) -> impl Iterator<Item = usize> + '_ {
        let terms = match row {
            Row::Coupled { coupling, .. } => &self.couplings[coupling].terms[1..],
            Row::Kept(_) | Row::Driven(..) => &[],
        };
        std::iter::once(joint).chain(terms.iter().map(|term| term.joint))
    }

    /// Name of the joint or coupling of a row.
    pub(super) fn name_of(&self, (joint, row): (usize, Row)) -> &str {
        match row {
            Row::Coupled { coupling, .. } => &self.couplings[coupling].name,
            Row::Kept(_) | Row::Driven(..) => &self.joints[joint].name,
        }
    }

    /// Writes row `row` of G and column `row` of M⁻¹ Gᵀ in the directions of the velocities of one body.
    pub(crate) fn write_row(
        &mut self,
        row: usize,
        body: usize,
        bodies: &Bodies,
        of_g: &mut [f64],
        column: &mut [f64],
    ) {
        of_g.fill(0.0);
        column.fill(0.0);
        self.set_column_on(row, Some(body), bodies);
        for side in self.now[row].sides().filter(|side| side.body == Some(body)) {
            bodies.add_on_body(body, &side.force, &side.moment, &side.modal, of_g);
            bodies.add_on_body(body, &side.velocity, &side.omega, &side.rate, column);
        }
    }

    /// Rows between the same bodies, one after the other, as groups.
    pub(crate) fn groups(&self) -> Vec<ConstraintGroup> {
        let mut groups: Vec<ConstraintGroup> = Vec::new();
        for (row, state) in self.now.iter().enumerate() {
            let grounded = state.sides().any(|side| side.body.is_none());
            let mut parts: Vec<usize> = Vec::new();
            for body in state.sides().filter_map(|side| side.body) {
                if !parts.contains(&body) {
                    parts.push(body);
                }
            }
            match groups.last_mut() {
                Some(last) if last.parts == parts && last.grounded == grounded => last.rows.end = row + 1,
                _ => groups.push(ConstraintGroup { rows: row..row + 1, parts, grounded }),
            }
        }
        groups
    }

    /// Bodies whose reactions depend on each other's positions: those of rows with a direction that turns.
    pub(crate) fn couplings(&self) -> Vec<[usize; 2]> {
        let turning = self.rows.iter().filter(|(_, row)| !row.has_fixed_direction());
        let mut pairs: Vec<_> = turning
            .flat_map(|&row| self.joints_of(row))
            .filter_map(|joint| match self.bodies_of(joint) {
                [Some(a), Some(b)] => Some([a, b]),
                _ => None,
            })
            .collect();
        pairs.dedup();
        pairs
    }

    /// Writes g and ġ = G z + g_t of all rows.
    pub(crate) fn read(&self, values: &mut [f64], rates: &mut [f64]) {
        for (number, now) in self.now.iter().enumerate() {
            values[number] = now.value;
            rates[number] = now.rate(&self.places);
        }
    }

    /// Number of rows.
    pub(crate) fn n_rows(&self) -> usize {
        self.rows.len()
    }

    /// All joints.
    pub(crate) fn all(&self) -> &[Joint] {
        &self.joints
    }

    /// All rows at the state that was set last, one after the other on each of their joints.
    pub(crate) fn rows(&self) -> impl Iterator<Item = RowAt<'_>> {
        let parts = self.now.iter().zip(&self.multipliers);
        let parts = parts.flat_map(|(now, multiplier)| now.parts.iter().map(move |part| (part, *multiplier)));
        parts.map(|(part, multiplier)| self.row_at(part, multiplier))
    }

    fn row_at<'a>(&'a self, part: &'a RowPart, multiplier: f64) -> RowAt<'a> {
        let (joint, places) = (&self.joints[part.joint], &self.places[part.joint]);
        RowAt { joint, places, jacobian: &part.now.jacobian, multiplier }
    }

    /// λ of all rows.
    pub(crate) fn multipliers(&self) -> &[f64] {
        &self.multipliers
    }

    /// Sets λ of all rows.
    pub(crate) fn set_multipliers(&mut self, multipliers: impl Iterator<Item = f64>) {
        self.multipliers.iter_mut().zip(multipliers).for_each(|(known, given)| *known = given);
    }

    /// Size to which the violation of a row is relative: the length of the system, or 1 for cosines.
    pub(crate) fn closure(&self, row: usize) -> f64 {
        if self.rows[row].1.is_length() { self.size() } else { 1.0 }
    }

    /// Size of the terms of a row, in which its rounding is relative: lengths are differences of places.
    pub(crate) fn terms(&self, row: usize) -> f64 {
        if self.rows[row].1.is_length() { self.reach } else { 1.0 }
    }

    /// Holds all drives at their values, or lets them move again.
    pub(crate) fn hold_drives(&mut self, still: bool) {
        self.is_still = still;
    }

    /// True without joints.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Places, rows and G at a state.
    pub(crate) fn set_state(&mut self, at: BodiesAt<'_>) {
        for (places, joint) in self.places.iter_mut().zip(&self.joints) {
            for (place, end) in places.iter_mut().zip(&joint.ends) {
                if end.body.is_some() {
                    *place = Place::of(end, at);
                }
            }
        }
        self.set_size();
        // An integrator that moves positions first asks for G before it knows the velocities.
        let formed_at = Some((at.moves(), self.rigid_masses.is_none()));
        let is_formed = self.formed_at == formed_at;
        for number in 0..self.rows.len() {
            // Velocities do not change these rows.
            if is_formed && self.rows[number].1.has_fixed_direction() {
                continue;
            }
            let mut now = std::mem::take(&mut self.now[number].parts);
            let value = self.set_parts(number, &mut now, at.time());
            for part in now.iter_mut().filter(|_| !is_formed) {
                let has_modes = self.rigid_masses.is_none();
                part.set_sides(&self.joints[part.joint].ends, &self.places[part.joint], at, has_modes);
            }
            let row = &mut self.now[number];
            (row.value, row.given_rate) = value;
            row.parts = now;
        }
        self.formed_at = formed_at;
    }

    /// Sets the parts of a row at the places that were set last; returns g and g_t.
    fn set_parts(&self, number: usize, parts: &mut [RowPart], time: f64) -> (f64, f64) {
        let (joint, row) = self.rows[number];
        let [first, second] = &self.places[joint];
        match row {
            Row::Kept(equation) => {
                parts[0].now = RowNow::of(equation, first, second);
                (parts[0].now.value, 0.0)
            }
            Row::Driven(drive, coordinate) => {
                let mut course = self.drives[drive].course.at(time);
                if self.is_still {
                    course = Jet { value: course.value, ..Jet::default() };
                }
                let Jet { value, rate, second_rate } = course;
                let mut now = coordinate.at(first, second);
                let value = now.value - value;
                now.value = if coordinate.is_angle() { within_a_turn(value) } else { value };
                now.bias -= second_rate;
                parts[0].now = now;
                (now.value, -rate)
            }
            Row::Coupled { coupling, .. } => {
                for (part, term) in parts.iter_mut().zip(&self.couplings[coupling].terms) {
                    let [first, second] = &self.places[term.joint];
                    part.now = term.coordinate.at(first, second).times(term.factor);
                }
                (self.coupled_value(coupling, time), 0.0)
            }
        }
    }

    /// M⁻¹ Gᵀ of a row, where G was set last.
    fn set_column(&mut self, row: usize, bodies: &Bodies) {
        self.set_column_on(row, None, bodies);
    }

    /// M⁻¹ Gᵀ of a row on one body, or on both.
    fn set_column_on(&mut self, row: usize, only: Option<usize>, bodies: &Bodies) {
        for side in self.now[row].sides_mut() {
            if let Some(body) = side.body.filter(|&body| only.is_none_or(|only| only == body)) {
                match &self.rigid_masses {
                    Some(masses) => side.apply_inverse_rigid_mass(masses[body].as_ref()),
                    None => side.apply_inverse_mass(&bodies.all()[body], bodies.kinetics(body)),
                }
            }
        }
    }

    /// Factorises G M⁻¹ Gᵀ where G was set last, for corrections of positions and velocities.
    ///
    /// # Errors
    ///
    /// The first row with an entry that is not finite.
    pub(super) fn factorise(&mut self, bodies: &Bodies) -> Result<(), Dependent> {
        self.factorise_raised(OF_CORRECTIONS, bodies)
    }

    fn factorise_raised(&mut self, raise: Raise, bodies: &Bodies) -> Result<(), Dependent> {
        self.factorise_by_start(|pivot, regular| raise.apply(pivot, regular), bodies)
    }

    /// Refuses pivots up to `part` of those at the start.
    ///
    /// # Errors
    ///
    /// The first row that nearly repeats others.
    pub(super) fn factorise_above_part(&mut self, part: f64, bodies: &Bodies) -> Result<(), Dependent> {
        self.factorise_by_start(|pivot, regular| (pivot > part * regular).then_some(pivot), bodies)
    }

    /// * `accepted` — of a pivot and that at the start
    fn factorise_by_start(
        &mut self,
        accepted: impl Fn(f64, f64) -> Option<f64>,
        bodies: &Bodies,
    ) -> Result<(), Dependent> {
        let regular = std::mem::take(&mut self.regular);
        let done = self.factorise_with(|row, pivot, size| accepted(pivot, regular[row] * size), bodies);
        self.regular = regular;
        done
    }

    /// The joint whose equations depend on those before it, or almost so, where the last factor was formed.
    pub(super) fn singular_here(&self) -> Option<&str> {
        self.matrix.raised().map(|row| self.name_of(self.rows[row]))
    }

    /// Pivots at the start, by the last factorisation.
    pub(super) fn keep_pivots(&mut self) {
        self.regular = self.matrix.pivots();
    }

    /// Factorises G M⁻¹ Gᵀ where G was set last; refuses pivots up to `smallest` of their diagonal entries.
    ///
    /// # Errors
    ///
    /// The first row that others repeat.
    pub(super) fn factorise_above(&mut self, smallest: f64, bodies: &Bodies) -> Result<(), Dependent> {
        let above = |_, pivot, diagonal: f64| (pivot > smallest * diagonal).then_some(pivot);
        self.factorise_with(above, bodies)
    }

    fn factorise_with(
        &mut self,
        accepted: impl Fn(usize, f64, f64) -> Option<f64>,
        bodies: &Bodies,
    ) -> Result<(), Dependent> {
        (0..self.rows.len()).for_each(|row| self.set_column(row, bodies));
        let now = &self.now;
        let entry = |i: usize, j: usize| {
            let mut sum = 0.0;
            for a in now[i].parts.iter().flat_map(|part| &part.sides) {
                for b in now[j].parts.iter().flat_map(|part| &part.sides) {
                    sum += a.times(b);
                }
            }
            sum
        };
        self.matrix.factorise(entry, accepted)
    }

    /// Applies (G M⁻¹ Gᵀ)⁻¹ to `multipliers`.
    pub(super) fn solve(&mut self) {
        self.matrix.solve(&mut self.multipliers);
    }

    /// Finds the multipliers at a state by the accelerations of the bodies under all other forces.
    ///
    /// # Errors
    ///
    /// [`RateError::Locked`] if rows depend on each other.
    pub(crate) fn react_to(
        &mut self,
        bodies: &mut Bodies,
        forces: &[BodyForces],
        time: f64,
        y: &[f64],
    ) -> Result<(), RateError> {
        self.set_state(bodies.at(time, y));
        self.factorise_raised(OF_ACCELERATIONS, bodies).map_err(|dependent| self.locked(dependent))?;
        bodies.set_accelerations(forces);
        self.react(bodies.accelerations());
        Ok(())
    }

    /// Multipliers for accelerations `free` without joints, (a₀, ω̇, q̈) of each body.
    fn react(&mut self, free: &[Accelerations]) {
        let mut accelerations = std::mem::take(&mut self.multipliers);
        self.write_accelerations(free, &mut accelerations);
        self.multipliers = accelerations;
        self.solve();
    }

    /// Writes g̈ of all rows, at the state that was set last, for accelerations (a₀, ω̇, q̈) of each body.
    pub(crate) fn write_accelerations(&self, of_bodies: &[Accelerations], out: &mut [f64]) {
        for (out, now) in out.iter_mut().zip(&self.now) {
            let along = now.sides().filter_map(|side| Some(side.along(&of_bodies[side.body?])));
            *out = along.sum::<f64>() + now.known(&self.places);
        }
    }

    /// Adds the reactions −Gᵀ λ to the forces on the bodies.
    pub(crate) fn apply(&self, applied: &mut AppliedForces) {
        let AppliedForces { on_bodies, flows } = applied;
        flows.work += self.drive_power();
        self.add_reactions(on_bodies, |force, moment| flows.add_from_ground(force, moment));
    }

    /// −Gᵀ λ on the bodies; calls `ground` with each force from the ground and its moment about the inertial
    /// origin.
    fn add_reactions(&self, forces: &mut [BodyForces], mut ground: impl FnMut(&Vector3<f64>, &Vector3<f64>)) {
        let rows = self.now.iter().zip(&self.multipliers);
        for (part, multiplier) in
            rows.flat_map(|(now, multiplier)| now.parts.iter().map(move |p| (p, multiplier)))
        {
            let from_ground = self.bodies_of(part.joint).contains(&None);
            for (k, side) in part.sides.iter().enumerate() {
                let Some(body) = side.body else { continue };
                let [force, torque] = [0, 1].map(|i| -multiplier * part.now.jacobian[2 * k + i]);
                let moment = self.places[part.joint][k].position.cross(&force) + torque;
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

    /// Adds the impulses −Gᵀ λ to the momenta in y; returns impulse and angular impulse of the ground.
    pub(crate) fn add_impulses(&mut self, bodies: &Bodies, y: &mut [f64]) -> [Vector3<f64>; 2] {
        let mut impulses = std::mem::take(&mut self.impulses);
        impulses.iter_mut().for_each(BodyForces::clear);
        let mut of_ground = [Vector3::zeros(); 2];
        self.add_reactions(&mut impulses, |impulse, ang_impulse| {
            of_ground[0] += impulse;
            of_ground[1] += ang_impulse;
        });
        bodies.add_impulses(&impulses, y);
        self.impulses = impulses;
        of_ground
    }

    /// −M⁻¹ Gᵀ λ: changes of (v, ω, q̇), or of position, rotation and q, one call for each body.
    pub(super) fn changes(&self, mut change: impl FnMut(usize, &Vector3<f64>, &Vector3<f64>, &[f64], f64)) {
        for (now, multiplier) in self.now.iter().zip(&self.multipliers) {
            for side in now.sides() {
                if let Some(body) = side.body {
                    change(body, &side.velocity, &side.omega, &side.rate, -multiplier);
                }
            }
        }
    }
}
