//! A reduced body: its frame and all of its modes in explicit steps, and the points at which it is touched.

use std::sync::Arc;

use carom_dynamics::{Axes, BodyMotion, BodyState, ProbedPoint};
use carom_fem::stress::rotated;
use carom_fem::{Stress, Surface};
use carom_multibody::kinetics::MassError;
use carom_multibody::{Body, Leapfrog, Momenta};
use carom_reduce::{NamedSurface, ReducedBody};
use nalgebra::{DMatrix, Vector3};

use super::flexible::{MaterialEnergies, Sums};
use super::probed::ReducedPoint;
use super::problem::Problem;
use super::{SetupError, StepError};

/// A reduced body. Its points are those of its boundary, in the order of the model.
pub(super) struct Reduced {
    /// Its number in the problem.
    pub(super) number: usize,
    pub(super) name: String,
    model: Arc<ReducedBody>,
    motion: Leapfrog,
    /// Places of the points in the frame \[m\], and the modes there: 3 numbers a mode, point after point.
    places: Vec<Vector3<f64>>,
    rows: Vec<f64>,
    /// Impulses of contacts in this step.
    impulse: Momenta,
    /// −∫ of the inertia that changes with the shape, of the step before t_n \[J\].
    of_shape: f64,
    /// Energy lost in the damping of the modes up to t_n, and the loss of the step that begins there \[J\].
    damped: [f64; 2],
}

impl Reduced {
    /// The body of this number at its start.
    pub(super) fn new(problem: &Problem, number: usize, body: &Body) -> Result<Self, SetupError> {
        let spec = &problem.bodies[number];
        let name = body.name.clone();
        let Some(model) = body.reduced.clone() else { return Err(SetupError::NoModel { body: name }) };
        let is_of = |of: usize| of == number;
        let has_load = problem.loads.iter().any(|load| is_of(load.body))
            || problem.pressures.iter().any(|load| is_of(load.body))
            || problem.supports.iter().any(|support| is_of(support.body));
        if has_load {
            return Err(SetupError::ReducedLoad { body: name });
        }
        if body.fixed || !model.held.is_empty() {
            return Err(SetupError::HeldReduced { body: name });
        }
        let gravity = Vector3::from(problem.gravity);
        let motion = Leapfrog::new(body.clone(), &spec.placement, gravity)
            .map_err(|source| SetupError::Mass { body: name.clone(), source })?;
        let n = body.frame.n;
        let boundary = &model.boundary;
        let points = 0..boundary.points.len();
        let of_point = |point: usize| (0..n).flat_map(move |mode| (0..3).map(move |d| (3 * point + d, mode)));
        let rows = points.flat_map(of_point).map(|entry| boundary.values[entry]).collect();
        let places = boundary.positions_b.iter().map(|x| Vector3::from(*x)).collect();
        Ok(Self {
            number,
            name,
            motion,
            places,
            rows,
            impulse: Momenta::zero(n),
            of_shape: 0.0,
            damped: [0.0; 2],
            model,
        })
    }

    /// A surface of the model over the points of the body.
    pub(super) fn surface(&self, set: &str) -> Result<Surface, SetupError> {
        Ok(self.surface_with_rims(set)?.0)
    }

    /// The same, with the face and edge of its sharp edges.
    pub(super) fn surface_with_rims(&self, set: &str) -> Result<(Surface, &[[u32; 2]]), SetupError> {
        let surfaces = &self.model.surfaces;
        let found = surfaces.iter().find(|surface| surface.name == set);
        let NamedSurface { surface, sharp_edges, .. } = found.ok_or_else(|| SetupError::NoSurface {
            body: self.name.clone(),
            set: set.to_owned(),
            known: surfaces.iter().map(|surface| surface.name.as_str()).collect::<Vec<_>>().join(", "),
        })?;
        Ok((surface.clone(), sharp_edges))
    }

    /// Numbers among the points of this body of the points of a surface.
    pub(super) fn points_of(&self, surface: &Surface) -> Result<Vec<u32>, SetupError> {
        let boundary = &self.model.boundary.points;
        let find = |point: &u32| boundary.binary_search(point).ok().map(|row| row as u32);
        surface
            .points
            .iter()
            .map(|point| find(point).ok_or_else(|| SetupError::NoModes { body: self.name.clone() }))
            .collect()
    }

    /// Number of points.
    pub(super) fn n_points(&self) -> usize {
        self.places.len()
    }

    /// Number of modes.
    pub(super) fn n_modes(&self) -> usize {
        self.motion.modal().len()
    }

    /// Modes at a point, 3 numbers a mode.
    fn rows(&self, point: u32) -> &[f64] {
        let n = 3 * self.n_modes();
        &self.rows[n * point as usize..n * (point as usize + 1)]
    }

    /// p_{−1/2}.
    pub(super) fn start(&mut self, dt: f64) -> Result<(), SetupError> {
        let name = &self.name;
        self.motion.start(dt).map_err(|source| SetupError::Mass { body: name.clone(), source })
    }

    /// 2/ω of the highest mode \[s\].
    pub(super) fn critical_step(&self) -> f64 {
        self.motion.critical_step()
    }

    /// Momenta at t_{n+1/2} without contact.
    pub(super) fn predict(&mut self, time: f64, dt_mean: f64) -> Result<(), StepError> {
        let Self { motion, name, .. } = self;
        motion.predict(dt_mean).map_err(|source| StepError::Mass { time, body: name.clone(), source })
    }

    /// Adds a force at a point to the momenta at t_{n+1/2}; velocities follow in [`Reduced::settle`].
    pub(super) fn push(&mut self, point: u32, force: &Vector3<f64>, dt_mean: f64) {
        let n = 3 * self.n_modes();
        let rows = &self.rows[n * point as usize..n * (point as usize + 1)];
        self.motion.add_point_force(
            &self.places[point as usize],
            rows,
            &(dt_mean * force),
            &mut self.impulse,
        );
    }

    /// Applies the impulses since the last call.
    pub(super) fn settle(&mut self, time: f64) -> Result<(), StepError> {
        self.motion.push(&self.impulse);
        self.impulse.linear = Vector3::zeros();
        self.impulse.angular = Vector3::zeros();
        self.impulse.modal.fill(0.0);
        let name = &self.name;
        self.motion.settle().map_err(|source| StepError::Mass { time, body: name.clone(), source })
    }

    /// x_n of a point \[m\].
    pub(super) fn place(&self, point: u32) -> Vector3<f64> {
        self.motion.position(&self.places[point as usize], self.rows(point))
    }

    /// Velocities of a point before and after t_n \[m/s\].
    pub(super) fn velocities(&self, point: u32) -> [Vector3<f64>; 2] {
        self.motion.point_velocities(&self.places[point as usize], self.rows(point))
    }
}

/// For the rows of contacts.
impl Reduced {
    /// M⁻¹ at t_n over (v, ω, q̇), v of the frame origin, in inertial axes.
    ///
    /// * `modal`, `rates` — memory for n modes or more
    pub(super) fn mobility_into(&self, inverse: &mut DMatrix<f64>, modal: &mut [f64], rates: &mut [f64]) {
        let n = self.n_modes();
        let turn = self.motion.rotation();
        let (modal, rates) = (&mut modal[..n], &mut rates[..n]);
        for column in 0..6 + n {
            let unit = |first: usize| {
                let at = |d: usize| if column == first + d { 1.0 } else { 0.0 };
                turn.tr_mul(&Vector3::new(at(0), at(1), at(2)))
            };
            let (linear, angular) = (unit(0), unit(3));
            modal.fill(0.0);
            if let Some(mode) = column.checked_sub(6) {
                modal[mode] = 1.0;
            }
            let (v, omega) = self.motion.respond((&linear, &angular), modal, rates);
            inverse.fixed_view_mut::<3, 1>(0, column).copy_from(&(turn * v));
            inverse.fixed_view_mut::<3, 1>(3, column).copy_from(&(turn * omega));
            inverse.view_mut((6, column), (n, 1)).copy_from_slice(rates);
        }
    }

    /// Arm of a point from the frame origin, and its modes, in inertial axes at t_n.
    pub(super) fn lever(&self, point: u32, modes: &mut Vec<f64>) -> Vector3<f64> {
        let turn = self.motion.rotation();
        for row in self.rows(point).as_chunks::<3>().0 {
            modes.extend_from_slice((turn * Vector3::from(*row)).as_slice());
        }
        self.place(point) - self.motion.pose().position
    }
}

/// Motion and books.
impl Reduced {
    /// Moves the coordinates to t_{n+1}.
    pub(super) fn advance(&mut self, time: f64, dt: f64, dt_mean: f64) -> Result<(), StepError> {
        let [_, damping] = self.motion.internal_powers();
        self.damped[0] += 0.5 * dt_mean * damping[1];
        let name = &self.name;
        let advanced = self.motion.advance(dt, dt_mean);
        self.of_shape = advanced.map_err(|source| StepError::Mass { time, body: name.clone(), source })?;
        Ok(())
    }

    /// Change of the kinetic energy by that of the shape in the step before t_n \[J\].
    pub(super) fn of_shape(&self) -> f64 {
        self.of_shape
    }

    /// Sums at t_n, as those over the points of a deformable body.
    ///
    /// * `share` — θ of [`super::books`]
    pub(super) fn sums(&mut self, (dt_mean, share): (f64, f64)) -> Sums {
        let motion = &self.motion;
        let ([inner, damping], [behind, ahead]) = (motion.internal_powers(), motion.momenta());
        self.damped[1] = share * dt_mean * damping[0];
        let frame = &motion.body().frame;
        let pose = motion.pose();
        Sums {
            kinetic: motion.kinetic_energy(share),
            internal: inner,
            momentum: (1.0 - share) * behind.linear + share * ahead.linear,
            ang_momentum: (1.0 - share) * behind.angular + share * ahead.angular,
            mass_moment: frame.mass * pose.position + pose.rotation * motion.first_moment(),
            mass: frame.mass,
            momenta: [behind.linear, behind.linear + ahead.linear],
            ..Sums::default()
        }
    }

    /// Energies of the modes at t_n.
    pub(super) fn energies(&self) -> MaterialEnergies {
        MaterialEnergies {
            stored: self.motion.elastic_energy(),
            damped: self.damped[0] + self.damped[1],
            ..MaterialEnergies::default()
        }
    }

    /// Mass \[kg\].
    pub(super) fn mass(&self) -> f64 {
        self.motion.body().frame.mass
    }

    /// Origin of the frame in source coordinates \[m\].
    pub(super) fn frame_origin(&self) -> [f64; 3] {
        self.motion.body().frame_origin.into()
    }

    /// Reported state at t_n, with velocities between those on both sides.
    ///
    /// * `share` — θ of [`super::books`]
    pub(super) fn reported(&self, share: f64) -> BodyState {
        let turn = self.motion.rotation();
        let [behind, ahead] = self.motion.velocities();
        let mean =
            |a: Vector3<f64>, b: Vector3<f64>| <[f64; 3]>::from(turn * ((1.0 - share) * a + share * b));
        let rates = behind.modal.iter().zip(&ahead.modal).map(|(a, b)| (1.0 - share) * a + share * b);
        BodyState {
            position: self.motion.pose().position.into(),
            quaternion: *self.motion.quaternion(),
            velocity: mean(behind.v, ahead.v),
            angular_velocity: mean(behind.omega, ahead.omega),
            modal: self.motion.modal().to_vec(),
            modal_rate: rates.collect(),
            ..BodyState::default()
        }
    }

    /// A point at t_n, with velocities between those on both sides; without its displacement.
    ///
    /// * `share` — θ of [`super::books`]
    pub(super) fn probed(&self, point: &ReducedPoint, share: f64) -> ProbedPoint {
        let (turn, motion) = (self.motion.rotation(), &self.motion);
        let mean = |[behind, ahead]: [Vector3<f64>; 2]| (1.0 - share) * behind + share * ahead;
        let about = motion.velocities().each_ref().map(|z| {
            let rates = point.turns.as_chunks::<3>().0.iter().zip(&z.modal);
            turn * rates.fold(z.omega, |sum, (psi, rate)| sum + *rate * Vector3::from(*psi))
        });
        ProbedPoint {
            position: motion.position(&point.place, &point.rows),
            displacement: Vector3::zeros(),
            velocity: mean(motion.point_velocities(&point.place, &point.rows)),
            angular_velocity: mean(about),
            rotation: *turn,
        }
    }

    /// Stress at a point at t_n, without the pressure of contact there \[Pa\].
    pub(super) fn stress(&self, point: &ReducedPoint, axes: Axes) -> Stress {
        let mut sum = [0.0; 6];
        for (q, unit) in self.motion.modal().iter().zip(&point.stress) {
            sum.iter_mut().zip(unit).for_each(|(sum, unit)| *sum += q * unit);
        }
        let turn = self.motion.rotation();
        match axes {
            Axes::Body => sum,
            Axes::Inertial => rotated(&sum, &[0, 1, 2].map(|a| [0, 1, 2].map(|b| turn[(a, b)]))),
        }
    }

    /// Numbers of [`Reduced::to_numbers`].
    pub(super) fn n_numbers(&self) -> usize {
        self.motion.n_numbers() + 2
    }

    /// The state between steps, for checkpoints.
    pub(super) fn to_numbers(&self) -> Vec<f64> {
        let mut numbers = self.motion.to_numbers();
        numbers.extend([self.of_shape, self.damped[0]]);
        numbers
    }

    /// Sets the state from a checkpoint.
    pub(super) fn read_numbers(&mut self, numbers: &[f64]) -> Result<(), MassError> {
        let (motion, own) = numbers.split_at(self.motion.n_numbers());
        (self.of_shape, self.damped[0]) = (own[0], own[1]);
        self.motion.read_numbers(motion)
    }

    /// Rigid part of the motion before t_n, seen from a place.
    pub(super) fn motion(&self, place: &Vector3<f64>) -> BodyMotion {
        let (turn, [behind, _]) = (self.motion.rotation(), self.motion.velocities());
        let omega = turn * behind.omega;
        let velocity = turn * behind.v + omega.cross(&(place - self.motion.pose().position));
        let momentum = (!self.motion.body().fixed).then_some(self.motion.momenta()[0].linear);
        BodyMotion { velocity, omega, momentum }
    }
}
