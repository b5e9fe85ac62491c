//! A deformable body: its points, forces on them, and their motion.

mod critical;
mod reported;
mod sums;
mod supports;

use carom_dynamics::{Placement, rotation};
use carom_fem::constitutive::{Law, SolidLaw};
use carom_fem::internal_force::{
    BulkViscosity, History, InternalForce, PointRule, SweepError, element_frequencies,
};
use carom_fem::{Discretisation, LumpedMass, QuadratureRule, Section};
use nalgebra::{Matrix3, Vector3};
use rayon::prelude::*;

use super::SetupError;
use super::loads::Loads;
use super::problem::{AddedMass, Problem};
use super::turning::Turning;
use supports::held_rotations;

pub(super) use critical::Bounded;
use critical::wave_speed;
pub(super) use sums::Sums;
pub(crate) use supports::held;

/// Points of a chunk: sums over chunks are added in a fixed order, whatever the number of threads.
pub(super) const CHUNK: usize = 1024;

/// A degree of freedom that a support moves.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Held {
    pub(crate) dof: u32,
    /// Its velocity \[m/s\].
    pub(crate) velocity: f64,
}

/// The elements of a body.
enum Inner {
    Solid(Box<(InternalForce, LumpedMass)>),
    Structural(Box<Turning>),
}

/// A deformable body.
pub(super) struct Flexible {
    /// Its number in the problem.
    pub(super) number: usize,
    pub(super) name: String,
    /// The undeformed body in inertial axes.
    pub(super) discretisation: Discretisation,
    pub(super) laws: Vec<SolidLaw>,
    pub(super) history: History,
    inner: Inner,
    /// Mass of each point \[kg\].
    pub(super) mass: Vec<f64>,
    /// Mass of this that was added for the sake of the step.
    pub(super) added: Option<AddedMass>,
    /// Inverse mass of each dof, zero if it is held or without cells \[1/kg\].
    pub(super) inverse_mass: Vec<f64>,
    pub(super) held: Vec<Held>,
    /// u_n \[m\].
    pub(super) u: Vec<f64>,
    /// v_{n−1/2} \[m/s\].
    pub(super) v: Vec<f64>,
    /// v_{n+1/2}: predicted, then corrected by contact \[m/s\].
    pub(super) next: Vec<f64>,
    /// f_int(x_n) and loads other than gravity \[N\].
    pub(super) f_int: Vec<f64>,
    pub(super) f_ext: Vec<f64>,
    /// Contact forces \[N\]; zero except at the listed points.
    pub(super) f_contact: Vec<f64>,
    pub(super) touched: Vec<u32>,
    /// Bulk viscosity of each block and its forces at t_n \[N\]; both empty without viscosity.
    viscosities: Vec<BulkViscosity>,
    f_visc: Vec<f64>,
    /// The last critical step of a body whose bounds are costly.
    pub(super) bounded: Option<Bounded>,
    loads: Loads,
    rotation: Matrix3<f64>,
    quaternion: [f64; 4],
    origin: [f64; 3],
    chunks: Vec<Sums>,
}

impl Flexible {
    /// The body of this number at its start.
    pub(super) fn new(
        problem: &Problem,
        number: usize,
        (laws, rule, viscosity): (&[SolidLaw], PointRule, [f64; 2]),
        end_time: f64,
    ) -> Result<Self, SetupError> {
        let spec = &problem.bodies[number];
        let body = spec.geometry.clone();
        let name = body.name.clone();
        let mut discretisation = Discretisation::new(&body)
            .map_err(|source| SetupError::Discretisation { body: name.clone(), source })?;
        let (turn, origin) =
            (rotation::matrix(&spec.placement.quaternion), Vector3::from(spec.placement.origin));
        for x in &mut discretisation.points {
            *x = (origin + turn * Vector3::from(*x)).into();
        }
        for block in &mut discretisation.blocks {
            if let Some(Section::Beam(beam)) = &mut block.section {
                beam.axis = (turn * Vector3::from(beam.axis)).into();
            }
        }
        let held = held(problem, number, &body, &discretisation, end_time)?;
        let turns = held_rotations(problem, number, &body, &discretisation)?;
        let (inner, mass, history) = if discretisation.is_structural() {
            let turning = Turning::new(&discretisation, laws, turns)
                .map_err(|source| SetupError::Structural { body: name.clone(), source })?;
            let (mass, history) = (turning.force.masses().mass.clone(), turning.force.history());
            (Inner::Structural(Box::new(turning)), mass, history)
        } else {
            let assembly = |source| SetupError::Assembly { body: name.clone(), source };
            let internal = InternalForce::new(&discretisation, rule).map_err(assembly)?;
            let lumped = LumpedMass::new(&discretisation, QuadratureRule::Default).map_err(assembly)?;
            let (mass, history) = (lumped.points.clone(), internal.history(laws));
            (Inner::Solid(Box::new((internal, lumped))), mass, history)
        };
        let inverse_mass = inverses(&mass, &held);
        let loads = Loads::new(problem, number, &body, &discretisation, (turn, origin))?;
        let n = 3 * discretisation.n_points();
        let viscosities = viscosities(&discretisation, laws, viscosity);
        let mut made = Self {
            number,
            name: name.clone(),
            history,
            laws: laws.to_vec(),
            inner,
            chunks: vec![Sums::default(); mass.len().div_ceil(CHUNK)],
            mass,
            added: None,
            inverse_mass,
            held,
            u: vec![0.0; n],
            v: vec![0.0; n],
            next: vec![0.0; n],
            f_int: vec![0.0; n],
            f_ext: vec![0.0; n],
            f_contact: vec![0.0; n],
            touched: Vec::new(),
            bounded: None,
            f_visc: vec![0.0; if viscosities.is_empty() { 0 } else { n }],
            viscosities,
            loads,
            rotation: turn,
            quaternion: spec.placement.quaternion,
            origin: spec.placement.origin,
            discretisation,
        };
        made.set_velocities(&spec.placement);
        Ok(made)
    }

    /// Adds mass to cells of solids until none of the undeformed body has a smaller critical step.
    ///
    /// * `critical` — that step \[s\]
    pub(super) fn add_mass(&mut self, critical: f64, placement: &Placement) -> Result<(), SweepError> {
        let Self { inner, laws, u, history, .. } = self;
        let Inner::Solid(solid) = inner else { return Ok(()) };
        let (internal, lumped) = &mut **solid;
        let frequencies = element_frequencies(internal, laws, u, history, lumped)?;
        let wanted = 2.0 / critical;
        // ω² of a cell is in inverse proportion to its mass.
        let factor = |bound: &f64| (bound / wanted).powi(2).max(1.0);
        let factors: Vec<Vec<f64>> =
            frequencies.blocks.iter().map(|bounds| bounds.iter().map(factor).collect()).collect();
        let all = || factors.iter().flatten().copied();
        let n_scaled = all().filter(|&factor| factor > 1.0).count();
        if n_scaled == 0 {
            return Ok(());
        }
        let before = lumped.total();
        lumped.scale(&self.discretisation, &factors);
        self.added = Some(AddedMass {
            masses: [before, lumped.total() - before],
            cells: [n_scaled, all().count()],
            largest_factor: all().fold(1.0, f64::max),
        });
        self.mass.copy_from_slice(&lumped.points);
        self.inverse_mass = inverses(&self.mass, &self.held);
        self.set_velocities(placement);
        Ok(())
    }

    /// A rigid motion at the start: v + ω × (x − centre of mass).
    fn set_velocities(&mut self, placement: &Placement) {
        let (velocity, omega) =
            (Vector3::from(placement.velocity), Vector3::from(placement.angular_velocity));
        let points = || self.discretisation.points.iter().zip(&self.mass);
        let total: f64 = self.mass.iter().sum();
        let center = points().map(|(x, m)| *m * Vector3::from(*x)).sum::<Vector3<f64>>() / total;
        for (v, x) in self.v.as_chunks_mut().0.iter_mut().zip(&self.discretisation.points) {
            *v = (velocity + omega.cross(&(Vector3::from(*x) - center))).into();
        }
        for held in &self.held {
            self.v[held.dof as usize] = held.velocity;
        }
        if let Inner::Structural(turning) = &mut self.inner {
            turning.set_angular_velocity(&omega);
        }
    }

    /// The rotations of the points of shells and beams.
    pub(super) fn turning(&self) -> Option<&Turning> {
        match &self.inner {
            Inner::Solid(_) => None,
            Inner::Structural(turning) => Some(turning),
        }
    }

    /// The same, to be changed.
    pub(super) fn turning_mut(&mut self) -> Option<&mut Turning> {
        match &mut self.inner {
            Inner::Solid(_) => None,
            Inner::Structural(turning) => Some(turning),
        }
    }

    /// v_{−1/2} = v_0 − ½ dt a_0.
    pub(super) fn start(&mut self, dt: f64, gravity: &Vector3<f64>) -> Result<(), SetupError> {
        let name = self.name.clone();
        self.compute_forces(0.0, 0.0).map_err(|source| SetupError::Sweep { body: name, source })?;
        self.predict(-0.5 * dt, gravity);
        self.v.copy_from_slice(&self.next);
        if let Some(turning) = self.turning_mut() {
            turning.step_back();
        }
        Ok(())
    }

    /// f_int(x_n) with the history of the material, and loads.
    ///
    /// * `behind` — length of the step before t_n, 0 if there is none \[s\]
    pub(super) fn compute_forces(&mut self, time: f64, behind: f64) -> Result<(), SweepError> {
        let Self { inner, laws, u, history, f_int, .. } = self;
        match inner {
            Inner::Solid(solid) => solid.0.force(laws, u, history, f_int)?,
            Inner::Structural(turning) => {
                turning.compute(u, history, f_int)?;
                self.loads.moments(time, &mut turning.m_ext);
            }
        }
        self.history.commit();
        if !self.viscosities.is_empty() {
            let Self { inner, viscosities, u, v, history, f_visc, .. } = self;
            if let Inner::Solid(solid) = inner {
                solid.0.viscous_force(viscosities, ([u, v], behind), history, f_visc)?;
            }
        }
        self.loads.forces(time, &self.u, &mut self.f_ext);
        for &point in &self.touched {
            self.f_contact[3 * point as usize..3 * point as usize + 3].fill(0.0);
        }
        self.touched.clear();
        Ok(())
    }

    /// v_{n+1/2} = v_{n−1/2} + dt̃ M⁻¹ f without contact.
    pub(super) fn predict(&mut self, dt_mean: f64, gravity: &Vector3<f64>) {
        let n = 3 * CHUNK;
        let (v, f_int, f_ext, inverse) = (&self.v, &self.f_int, &self.f_ext, &self.inverse_mass);
        let f_visc = &self.f_visc;
        self.next.par_chunks_mut(n).enumerate().for_each(|(chunk, next)| {
            let first = n * chunk;
            for (k, next) in next.iter_mut().enumerate() {
                let i = first + k;
                // Inverse masses of held dofs and of points without cells are zero.
                let weight = if inverse[i] > 0.0 { gravity[k % 3] } else { 0.0 };
                let viscous = f_visc.get(i).copied().unwrap_or(0.0);
                *next = v[i] + dt_mean * ((f_ext[i] - f_int[i] - viscous) * inverse[i] + weight);
            }
        });
        for held in &self.held {
            self.next[held.dof as usize] = held.velocity;
        }
        if let Some(turning) = self.turning_mut() {
            turning.predict(dt_mean);
        }
    }

    /// Adds a force on a point, dt̃ M⁻¹ f, to the velocities at t_{n+1/2}.
    #[inline]
    pub(super) fn push(&mut self, point: u32, force: &Vector3<f64>, dt_mean: f64) {
        let first = 3 * point as usize;
        if self.f_contact[first..first + 3] == [0.0; 3] {
            self.touched.push(point);
        }
        for d in 0..3 {
            self.f_contact[first + d] += force[d];
            self.next[first + d] += dt_mean * self.inverse_mass[first + d] * force[d];
        }
    }

    /// x_n of a point \[m\].
    #[inline]
    pub(super) fn place(&self, point: u32) -> Vector3<f64> {
        let k = point as usize;
        Vector3::from(self.discretisation.points[k]) + Vector3::from_column_slice(&self.u[3 * k..3 * k + 3])
    }

    /// v_{n−1/2} and v_{n+1/2} of a point \[m/s\].
    #[inline]
    pub(super) fn velocities(&self, point: u32) -> [Vector3<f64>; 2] {
        let k = 3 * point as usize;
        [&self.v, &self.next].map(|v| Vector3::from_column_slice(&v[k..k + 3]))
    }

    /// u_{n+1} = u_n + dt v_{n+1/2}.
    pub(super) fn advance(&mut self, dt: f64) {
        let n = 3 * CHUNK;
        let next = &self.next;
        self.u.par_chunks_mut(n).enumerate().for_each(|(chunk, u)| {
            u.iter_mut().zip(&next[n * chunk..]).for_each(|(u, v)| *u += dt * v);
        });
        std::mem::swap(&mut self.v, &mut self.next);
        if let Some(turning) = self.turning_mut() {
            turning.advance(dt);
        }
    }

    /// Energies of the material at x_n.
    pub(super) fn energies(&mut self) -> Result<MaterialEnergies, SweepError> {
        let Self { inner, laws, u, history, .. } = self;
        match inner {
            Inner::Solid(solid) => {
                let stored = solid.0.stored_energy(laws, u, history)?;
                let hourglass = solid.0.hourglass_energy(laws, u, history)?;
                let plastic = solid.0.dissipated_energy(laws, history);
                Ok(MaterialEnergies { stored: stored - hourglass[0], plastic, damped: 0.0, hourglass })
            }
            Inner::Structural(turning) => {
                let [stored, plastic] = turning.energies(u, history)?;
                Ok(MaterialEnergies { stored, plastic, damped: 0.0, hourglass: [0.0; 2] })
            }
        }
    }

    /// True if a law of the body takes rotations for strains.
    pub(super) fn is_linear(&self) -> bool {
        self.laws.iter().any(|law| !law.is_objective())
    }
}

/// (1 − θ) v_{n−1/2} + θ v_{n+1/2}, the velocity at t_n, and (1 − 2θ) v_{n−1/2} + 2θ v_{n+1/2}, with which
/// v_{n−1/2} makes the kinetic energy at t_n.
pub(super) fn at_level(
    behind: &Vector3<f64>,
    ahead: &Vector3<f64>,
    share: f64,
) -> (Vector3<f64>, Vector3<f64>) {
    let between = |share: f64| (1.0 - share) * behind + share * ahead;
    (between(share), between(2.0 * share))
}

/// Inverse mass of each dof, zero if it is held or has none.
fn inverses(mass: &[f64], held: &[Held]) -> Vec<f64> {
    let inverse = |&m: &f64| [if m > 0.0 { 1.0 / m } else { 0.0 }; 3];
    let mut inverses: Vec<f64> = mass.iter().flat_map(inverse).collect();
    held.iter().for_each(|held| inverses[held.dof as usize] = 0.0);
    inverses
}

/// Energies of the material of a body.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct MaterialEnergies {
    /// Stored energy without that of hourglass modes \[J\].
    pub(super) stored: f64,
    /// Dissipated by plastic flow \[J\].
    pub(super) plastic: f64,
    /// Dissipated by the damping of modes \[J\].
    pub(super) damped: f64,
    /// Stored in hourglass modes, and dissipated by them \[J\].
    pub(super) hourglass: [f64; 2],
}

/// The viscosity of each block; none if both coefficients are zero.
fn viscosities(
    discretisation: &Discretisation,
    laws: &[SolidLaw],
    [linear, quadratic]: [f64; 2],
) -> Vec<BulkViscosity> {
    if linear == 0.0 && quadratic == 0.0 {
        return Vec::new();
    }
    let of_block = |(block, law): (&carom_fem::Block, &SolidLaw)| {
        let density = discretisation.materials[block.material].density;
        let wave_speed = wave_speed(discretisation, block, law);
        BulkViscosity { linear, quadratic, density, wave_speed, bulk: law.elastic_moduli().bulk() }
    };
    discretisation.blocks.iter().zip(laws).map(of_block).collect()
}
