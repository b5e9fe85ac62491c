//! A pair on a half-space grid: its two sides, its memory, and an evaluation.

use std::sync::Arc;

use carom_contact::foreshortening::Foreshortening;
use carom_contact::half_space::mesh_doubts::{MeshBelow, MeshFaces};
use carom_contact::half_space::pair::{PairError, Under};
use carom_contact::half_space::{FixedGrid, GridAnchor, GridBody, GridPlan, Position};
use carom_contact::{Law, Shape};
use faer::Mat;
use nalgebra::{Matrix3, Vector3};

use super::doubts::Worst;
use super::estimate::Estimate;
use super::grids::Grids;
use super::hull::Hull;
use super::laying::{Found, Laying};
use super::touched::Touched;
use crate::contact::{BodyForces, ContactSums, HertzNumbers, Motion, Reaction};
use crate::tangential::Tangential;

/// Coefficient of contacts that stick: slopes up to 71.5°. With 10 the rounds between pressures and friction
/// of unlike materials do not converge on few cells.
const STUCK: f64 = 3.0;

/// One body of a pair.
#[derive(Debug)]
pub(super) struct Side {
    /// Index in the system.
    pub(super) body: usize,
    /// `BODY:SURFACE`, for messages.
    pub(super) name: String,
    /// Its surface in the body frame.
    pub(super) shape: Shape,
    pub(super) under: Under,
    /// Modes that move, at the loads of the places.
    pub(super) values: Option<Mat<f64>>,
    /// Displacement of second order at the same loads.
    pub(super) foreshortening: Option<Foreshortening>,
    /// The mesh of a body with places.
    pub(super) mesh: Option<MeshBelow>,
    /// Speed of shear waves of a body with places \[m/s\].
    pub(super) shear_speed: f64,
    pub(super) faces: MeshFaces,
    /// Angular frequencies of the modes that move \[rad/s\].
    pub(super) omega: Vec<f64>,
    /// By how much the mesh makes the square of each too large, relative to it; empty if that is not known.
    pub(super) mode_errors: Vec<f64>,
    /// Angular frequency of the highest mode that moves, of the first that does not if none moves; 0 of a
    /// rigid body \[rad/s\].
    pub(super) cutoff: f64,
    /// Around the surface.
    pub(super) hull: Hull,
    /// See [`largest_curvature`] \[1/m\].
    pub(super) curvature: f64,
}

impl Side {
    fn grid_body(&self) -> GridBody<'_> {
        GridBody {
            shape: &self.shape,
            below: self.under.below(),
            values: self.values.as_ref(),
            foreshortening: self.foreshortening.as_ref(),
        }
    }

    /// Coordinates of the modes that the values have.
    fn modal<'m>(&self, all: &'m [f64]) -> &'m [f64] {
        &all[..self.values.as_ref().map_or(0, Mat::ncols).min(all.len())]
    }

    /// Modal displacement at a place, in axes of the body \[m\].
    fn moved(&self, place: usize, modal: &[f64]) -> Vector3<f64> {
        let Some(values) = &self.values else { return Vector3::zeros() };
        let row = |a: usize| modal.iter().enumerate().map(|(k, q)| values[(3 * place + a, k)] * q).sum();
        let second = self.foreshortening.as_ref().map(|second| second.displacement_of(place, modal));
        Vector3::from_fn(|a, _| row(a)) + second.unwrap_or_default()
    }

    /// Number of the place next to a point in the body frame; 0 without places.
    pub(super) fn place_near(&self, x: &Vector3<f64>) -> usize {
        let Under::Places(placed) = &self.under else { return 0 };
        let distance = |place: &Vector3<f64>| (place - x).norm_squared();
        let all = placed.positions.iter().enumerate();
        all.min_by(|a, b| distance(a.1).total_cmp(&distance(b.1))).map_or(0, |(k, _)| k)
    }
}

/// Where a pair was at the end of the last step: plain numbers, part of a checkpoint.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Memory {
    /// The grid; none while the bodies are far apart.
    pub(super) plan: Option<GridPlan>,
    /// Forces on its cells, the start of the solver.
    pub(super) forces: Vec<f64>,
    /// The last search while the bodies were far apart.
    pub(super) far: Option<Far>,
    /// The last end of a step at which the gap over the grid was evaluated, if there was one.
    pub(super) open: Option<Apart>,
    /// Position and forces, for friction; without friction never set.
    pub(super) anchor: GridAnchor,
}

/// A position of bodies that are apart: as long as they stay near it, they have a gap.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Apart {
    /// Relative pose, with the modal displacement of both surfaces.
    pub(super) rotation: Matrix3<f64>,
    pub(super) origin: Vector3<f64>,
    /// The gap, or a bound from below \[m\].
    pub(super) gap: f64,
}

/// A search that found the bodies far apart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Far {
    pub(super) at: Apart,
    /// Numbers of the places next to the nearest points.
    pub(super) places: [usize; 2],
}

/// How much the last evaluation of a pair has found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Scope {
    /// Its gap and its force.
    GapAndForce,
    /// No force, and a bound from below on the gap.
    ForceAlone {
        /// True near the position at which the gap was evaluated last: it need not be at the end of a step,
        /// and the grid stays.
        is_settled: bool,
    },
}

/// Two bodies that may touch at one spot.
#[derive(Debug)]
pub(super) struct Pair {
    /// In the order of the grid, which is fixed to the first one; shared by all pairs of the surface.
    pub(super) sides: [Arc<Side>; 2],
    /// True if the grid's first body is the second one of the caller.
    pub(super) is_turned: bool,
    pub(super) law: Law,
    /// μ.
    pub(super) friction: f64,
    pub(super) tangential: Tangential,
    pub(super) hertz: HertzNumbers,
    /// Mass m* of a central impact of both bodies \[kg\].
    pub(super) mass: f64,
    pub(super) memory: Memory,
    pub(super) grids: Grids,
    /// The last evaluation: relative pose, speed at which the gap closes \[m/s\], and its grid.
    pub(super) last: Option<Last>,
    /// Whether the last evaluation has found the gap, or only that there is no force.
    pub(super) scope: Scope,
    /// Its position, as the next anchor of friction.
    pub(super) next: GridAnchor,
    /// Why the pair cannot go on.
    pub(super) failure: Option<SpotError>,
    /// The limits of the theory that the largest force has met.
    pub(super) worst: Worst,
    /// Parts of the error under the largest force.
    pub(super) estimate: Estimate,
    /// Where the bodies have touched since the start of this run.
    pub(super) touched: Option<Touched>,
    /// The end of a step of this run at which bodies that were always far apart had the least gap.
    pub(super) nearest: Option<Last>,
}

/// The last evaluation of a pair.
#[derive(Debug, Clone, Copy)]
pub(super) struct Last {
    pub(super) rotation: Matrix3<f64>,
    /// With the modal displacement of both surfaces.
    pub(super) origin: Vector3<f64>,
    /// Angular velocity of the second body less that of the first, axes of the first \[rad/s\].
    pub(super) turning: Vector3<f64>,
    pub(super) closing: f64,
    /// Least gap of the surfaces \[m\].
    pub(super) gap: f64,
    pub(super) plan: Option<GridPlan>,
}

/// The contact of a pair is not a single small spot.
#[derive(Debug, Clone, thiserror::Error)]
pub(super) enum SpotError {
    #[error(transparent)]
    Pair(#[from] PairError),
    #[error(
        "the bodies overlap by {depth:.3e} m at a second place, ({:.4e}, {:.4e}, {:.4e}) m in axes of the \
         first body, {apart:.3e} m from their contact: a pair on a half-space grid has one contact spot; \
         name surfaces that touch in one spot, in a pair for each, or use `compliance = \"body\"`",
        .place[0], .place[1], .place[2]
    )]
    SecondSpot { place: [f64; 3], depth: f64, apart: f64 },
    #[error(
        "the contact reaches an edge of a surface, where the half-space does not hold: use \
         `compliance = \"body\"` with a mesh that resolves the contact, or name a larger surface"
    )]
    Edge,
    #[error(
        "the contact radius of {radius:.3e} m is {ratio:.2} of the radius of a hollow surface; a half-space \
         holds up to 0.2: use `compliance = \"body\"` with a mesh that resolves the contact"
    )]
    Hollow { radius: f64, ratio: f64 },
}

/// Relative pose and modal coordinates of a pair.
pub(super) struct Now<'m> {
    pub(super) position: Position<'m>,
    /// Modal velocities.
    rates: [&'m [f64]; 2],
    /// See [`Last::turning`].
    turning: Vector3<f64>,
}

impl Pair {
    /// * `friction` — μ
    /// * `modulus` — E* of both materials \[Pa\]
    /// * `mass` — of a central impact \[kg\]
    pub(super) fn new(sides: [Arc<Side>; 2], (law, friction): (Law, f64), modulus: f64, mass: f64) -> Self {
        let curvature: f64 = sides.iter().map(|side| side.curvature).sum();
        let hertz = HertzNumbers { modulus, radius: 1.0 / curvature, foundation: None };
        // Heights over the second surface are evaluated anew each time: those of a ball cost least.
        let cost = |side: &Side| (side.shape.as_faces().is_some(), -side.curvature);
        let is_turned = cost(&sides[1]) > cost(&sides[0]);
        let [first, second] = sides;
        let sides = if is_turned { [second, first] } else { [first, second] };
        Self {
            sides,
            is_turned,
            law,
            friction,
            tangential: Tangential::Coulomb,
            hertz,
            mass,
            memory: Memory::default(),
            grids: Grids::default(),
            last: None,
            scope: Scope::GapAndForce,
            next: GridAnchor::default(),
            failure: None,
            worst: Worst::default(),
            estimate: Estimate::default(),
            touched: None,
            nearest: None,
        }
    }

    /// Indices of the bodies in the caller's order.
    pub(super) fn bodies(&self) -> [usize; 2] {
        self.ordered(|side| side.body)
    }

    /// A property of both sides in the caller's order.
    pub(super) fn ordered<T>(&self, of: impl Fn(&Side) -> T) -> [T; 2] {
        let [first, second] = self.sides.each_ref().map(|side| of(side));
        if self.is_turned { [second, first] } else { [first, second] }
    }

    pub(super) fn now<'m>(&self, motion: &Motion<'m>) -> Now<'m> {
        let [a, b] = self.sides.each_ref().map(|side| motion.pose(side.body));
        let inverse = a.rotation.transpose();
        let [omega, second] = self.sides.each_ref().map(|side| motion.velocities(side.body).omega);
        Now {
            turning: inverse * b.rotation * second - omega,
            position: Position {
                rotation: inverse * b.rotation,
                origin: inverse * (b.position - a.position),
                modal: self.sides.each_ref().map(|side| side.modal(motion.modal(side.body))),
            },
            rates: self.sides.each_ref().map(|side| side.modal(&motion.velocities(side.body).modal)),
        }
    }

    /// No force, with a bound from below on the gap, if the bodies are so far apart that no cell of their
    /// grid needs to be looked at.
    pub(super) fn evaluate_force(&mut self, motion: &Motion<'_>) -> Option<(Reaction, ContactSums)> {
        if self.failure.is_some() {
            return None;
        }
        let now = self.now(motion);
        let (origin, known) = match (self.memory.plan, self.memory.far) {
            (Some(plan), _) => {
                let open = self.memory.open?;
                let bodies = self.sides.each_ref().map(|side| side.grid_body());
                let grid = self.grids.of(&plan, bodies, (self.law, self.friction)).ok()?;
                (grid.moved_origin(&now.position), Some((open, Laying::MOVED * plan.side)))
            }
            (None, far) => (self.moved_origin(&now.position), far.map(|far| (far.at, f64::INFINITY))),
        };
        let (rotation, turning) = (now.position.rotation, now.turning);
        let laying = self.laying(rotation, origin, turning);
        let (gap, is_settled) = match known {
            Some((at, most)) => {
                let way = laying.way_from((at.rotation, at.origin));
                let is_near = way < Laying::APART * at.gap;
                is_near.then(|| (at.gap - way, way < most.min(Laying::SETTLED * at.gap)))?
            }
            None => (laying.bound_in_step(&self.memory)?, false),
        };
        if self.friction > 0.0 {
            self.next.take(&now.position);
        }
        self.last = Some(Last { rotation, origin, turning, closing: 0.0, gap, plan: None });
        self.scope = Scope::ForceAlone { is_settled };
        Some(self.apart(gap))
    }

    /// No force, at this gap or more.
    fn apart(&self, gap: f64) -> (Reaction, ContactSums) {
        let sums = ContactSums { friction_loss: self.memory.anchor.loss, ..ContactSums::default() };
        (Reaction { free_gap: gap, ..Reaction::NONE }, sums)
    }

    /// Gap, forces on the bodies, energies and loss by friction.
    ///
    /// * `is_end` — of a step
    pub(super) fn evaluate(
        &mut self,
        motion: &Motion<'_>,
        forces: &mut [BodyForces],
        is_end: bool,
    ) -> Result<(Reaction, ContactSums), SpotError> {
        self.scope = Scope::GapAndForce;
        if let Some(failure) = &self.failure {
            return Err(failure.clone());
        }
        let now = self.now(motion);
        if self.friction > 0.0 {
            self.next.take(&now.position);
        }
        let (rotation, turning) = (now.position.rotation, now.turning);
        let speed = |place: &Vector3<f64>, normal: &Vector3<f64>| {
            -self.velocity(motion, place, [None; 2]).dot(normal)
        };
        let plan = match self.memory.plan {
            Some(plan) => plan,
            None => {
                let origin = self.moved_origin(&now.position);
                match self.laying(rotation, origin, turning).lay(&self.memory, is_end, speed)? {
                    Found::Near { plan, .. } => plan,
                    Found::Far { gap, .. } => {
                        self.last = Some(Last { rotation, origin, turning, closing: 0.0, gap, plan: None });
                        if !is_end {
                            self.scope = Scope::ForceAlone { is_settled: false };
                        }
                        return Ok(self.apart(gap));
                    }
                }
            }
        };
        let plan = self.pressed(plan, &now.position)?;
        let (reaction, closing, sums) = self.add_forces(&plan, motion, &now, forces);
        let grid = self.grids.found(&plan).expect("the grid was evaluated");
        let origin = grid.moved_origin(&now.position);
        let gap = reaction.free_gap;
        self.last = Some(Last { rotation, origin, turning, closing, gap, plan: Some(plan) });
        Ok((reaction, sums))
    }

    /// Solves on a grid that is large enough, from this plan on.
    fn pressed(&mut self, mut plan: GridPlan, position: &Position<'_>) -> Result<GridPlan, SpotError> {
        loop {
            let bodies = self.sides.each_ref().map(|side| side.grid_body());
            let grid = self.grids.of(&plan, bodies, (self.law, self.friction))?;
            grid.set_friction(self.tangential.coefficient(self.friction, STUCK));
            if grid.forces.len() == self.memory.forces.len() {
                grid.forces.copy_from_slice(&self.memory.forces);
            } else {
                grid.forces.fill(0.0);
            }
            grid.evaluate(&self.sides[1].shape, position, &self.memory.anchor)?;
            if !grid.sums.is_cut {
                return Ok(plan);
            }
            plan.height *= Laying::GROWTH;
        }
    }

    /// Relative velocity of the second body at a point, in axes of the first \[m/s\].
    ///
    /// * `modal` — velocities of both surfaces by modes, in their own axes
    fn velocity(
        &self,
        motion: &Motion<'_>,
        place: &Vector3<f64>,
        modal: [Option<Vector3<f64>>; 2],
    ) -> Vector3<f64> {
        let first = motion.pose(self.sides[0].body);
        let x = first.point(place);
        let [v, w] = [0, 1].map(|k| {
            let (pose, velocities) = (motion.pose(self.sides[k].body), motion.velocities(self.sides[k].body));
            let own = modal[k].unwrap_or_else(Vector3::zeros);
            let turning = (pose.rotation * velocities.omega).cross(&(x - pose.position));
            pose.rotation * (velocities.v + own) + turning
        });
        first.rotation.transpose() * (w - v)
    }

    fn add_forces(
        &mut self,
        plan: &GridPlan,
        motion: &Motion<'_>,
        now: &Now<'_>,
        forces: &mut [BodyForces],
    ) -> (Reaction, f64, ContactSums) {
        let grid = self.grids.found(plan).expect("the grid was evaluated");
        let sums = grid.sums;
        let [first, second] = self.sides.each_ref().map(|side| side.body);
        let pose = motion.pose(first);
        let (mut moment, mut weight) = (Vector3::zeros(), 0.0);
        grid.for_forces(|place, force| {
            let (x, f) = (pose.point(&place), pose.rotation * force);
            forces[second].add_force(&x, &f);
            forces[first].add_force(&x, &-f);
            moment += force.norm() * x;
            weight += force.norm();
        });
        grid.add_modal(0, &Matrix3::identity(), &mut forces[first].modal);
        grid.add_modal(1, &now.position.rotation, &mut forces[second].modal);
        let (gap, cell) = (sums.surface_gap, sums.least_gap.1);
        let [place, normal, n] = grid.over_cell(cell);
        let modal = [0, 1].map(|k| Some(grid.modal_velocity(k, cell, now.rates[k])));
        let slope = n.dot(&normal);
        // Along the normal of the cell the second surface moves with v·m/(n·m).
        let rate = if slope == 0.0 { 0.0 } else { self.velocity(motion, &place, modal).dot(&normal) / slope };
        let of_first = if self.is_turned { 1.0 } else { -1.0 } * pose.rotation;
        let is_known = gap.is_finite();
        let most = grid.forces.iter().fold(0.0, |a: f64, f| a.max(*f));
        let reaction = Reaction {
            force: of_first * sums.on_second,
            friction: (self.friction > 0.0).then(|| of_first * sums.friction),
            tangential_force: sums.tangential_force,
            normal_force: sums.force,
            free_gap: gap,
            gap_rate: is_known.then_some(rate),
            point: if weight > 0.0 { moment / weight } else { pose.point(&place) },
            point_error: plan.side * 0.5f64.sqrt(),
            penetration: self.law.compliance(grid.grid.area()) * most,
            loaded_cells: Some(sums.n_loaded),
            ..Reaction::NONE
        };
        let energies = ContactSums {
            elastic_energy: sums.elastic_energy,
            contact_energy: sums.contact_energy,
            friction_loss: self.memory.anchor.loss + sums.friction_loss,
            ..ContactSums::default()
        };
        (reaction, if is_known { -rate } else { 0.0 }, energies)
    }

    /// Origin of the second body in axes of the first, with the modal displacement of both surfaces where a
    /// search found them nearest.
    fn moved_origin(&self, position: &Position<'_>) -> Vector3<f64> {
        let Some(Far { places, .. }) = self.memory.far else { return position.origin };
        let [first, second] = [0, 1].map(|k| self.sides[k].moved(places[k], position.modal[k]));
        position.origin + position.rotation * second - first
    }

    pub(super) fn laying(
        &self,
        rotation: Matrix3<f64>,
        origin: Vector3<f64>,
        turning: Vector3<f64>,
    ) -> Laying<'_> {
        Laying { sides: &self.sides, rotation, origin, turning, hertz: self.hertz, mass: self.mass }
    }

    /// The grid of the last evaluation.
    pub(super) fn last_grid(&self) -> Option<&FixedGrid> {
        self.grids.found(self.last.as_ref()?.plan.as_ref()?)
    }
}

/// Largest convex curvature, of faces at least 1/reach; 0 of a plane \[1/m\].
pub(super) fn largest_curvature(shape: &Shape, hull: &Hull) -> f64 {
    let largest = shape.convex_curvatures()[1];
    match shape {
        Shape::Faces(_) => largest.max(1.0 / hull.reach.max(f64::MIN_POSITIVE)),
        _ => largest,
    }
}
