//! Rotations of the points of shells and beams.
//!
//! ```text
//! ω_{n+1/2} = ω_{n−1/2} + dt̃ J⁻¹ (m_ext − m_int),   R_{n+1} = exp(dt ω_{n+1/2}) R_n
//! ```
//!
//! in inertial axes. The inertia J of a point is the same about all axes, so that its angular momentum is J ω
//! in every orientation, and the angular momentum of the body is conserved to rounding. Rotations are unit
//! quaternions.

use carom_dynamics::rotation;
use carom_fem::constitutive::SolidLaw;
use carom_fem::internal_force::{History, SweepError};
use carom_fem::structural::{ShellStress, StructuralError, StructuralForce, WallRecovery, structural_blocks};
use carom_fem::{Discretisation, Stress};
use carom_mesh::CellRef;
use nalgebra::{Matrix3, Vector3};
use rayon::prelude::*;

use super::flexible::{CHUNK, Sums, at_level};
use super::problem::EnlargedInertia;

/// The elements of a body of shells and beams, and the rotations of its points.
pub(super) struct Turning {
    pub(super) force: StructuralForce,
    /// R_n of each point, as quaternions and as matrices.
    pub(super) quaternions: Vec<[f64; 4]>,
    matrices: Vec<Matrix3<f64>>,
    /// J of each point \[kg m²\], and 1/J of each rotation, zero if it is held or without cells.
    inertia: Vec<f64>,
    inverse_inertia: Vec<f64>,
    /// Held rotations.
    held: Vec<u32>,
    /// ω_{n−1/2} and ω_{n+1/2} \[rad/s\].
    pub(super) omega: Vec<f64>,
    next: Vec<f64>,
    /// Moments of the elements and of loads about the points \[N m\].
    m_int: Vec<f64>,
    pub(super) m_ext: Vec<f64>,
}

impl Turning {
    /// The elements of a body.
    ///
    /// * `held` — rotations that supports hold, three a point
    pub(super) fn new(
        discretisation: &Discretisation,
        laws: &[SolidLaw],
        held: Vec<u32>,
    ) -> Result<Self, StructuralError> {
        let blocks = structural_blocks(discretisation, laws)?;
        let force = StructuralForce::new(&discretisation.points, &blocks)?;
        let inertia = force.masses().inertia.clone();
        let mut inverse_inertia: Vec<f64> =
            inertia.iter().flat_map(|&j| [if j > 0.0 { 1.0 / j } else { 0.0 }; 3]).collect();
        held.iter().for_each(|&dof| inverse_inertia[dof as usize] = 0.0);
        let n = inertia.len();
        let zeros = || vec![0.0; 3 * n];
        Ok(Self {
            force,
            quaternions: vec![rotation::IDENTITY; n],
            matrices: vec![Matrix3::identity(); n],
            inertia,
            inverse_inertia,
            held,
            omega: zeros(),
            next: zeros(),
            m_int: zeros(),
            m_ext: zeros(),
        })
    }

    /// Rotary inertia of shells above that of their wall, if any has more.
    pub(super) fn enlarged_inertia(&self) -> Option<EnlargedInertia> {
        let masses = self.force.masses();
        let made = EnlargedInertia { cells: masses.enlarged, largest_ratio: masses.largest_ratio };
        (made.cells[0] > 0).then_some(made)
    }

    /// Sets one angular velocity for all points whose rotations are free.
    pub(super) fn set_angular_velocity(&mut self, omega: &Vector3<f64>) {
        for (i, w) in self.omega.iter_mut().enumerate() {
            *w = if self.inverse_inertia[i] > 0.0 { omega[i % 3] } else { 0.0 };
        }
    }

    /// ω_{−1/2} from ω_{1/2} of a step back.
    pub(super) fn step_back(&mut self) {
        self.omega.copy_from_slice(&self.next);
    }

    /// Sets rotations and angular velocities from a checkpoint.
    pub(super) fn restore(&mut self, quaternions: &[[f64; 4]], omega: &[f64]) {
        self.quaternions.copy_from_slice(quaternions);
        self.omega.copy_from_slice(omega);
        let turned = self.matrices.par_iter_mut().zip(&self.quaternions).with_min_len(CHUNK);
        turned.for_each(|(matrix, quaternion)| *matrix = rotation::matrix(quaternion));
    }

    /// Internal forces at x_n; moments are kept here.
    pub(super) fn compute(
        &mut self,
        u: &[f64],
        history: &mut History,
        f_int: &mut [f64],
    ) -> Result<(), SweepError> {
        self.force.force(u, &self.matrices, history, f_int, &mut self.m_int)
    }

    /// Stored and dissipated energy at x_n \[J\].
    pub(super) fn energies(&mut self, u: &[f64], history: &mut History) -> Result<[f64; 2], SweepError> {
        let stored = self.force.stored_energy(u, &self.matrices, history)?;
        Ok([stored, self.force.dissipated_energy(history)])
    }

    /// Stress and plastic strain of the shells at x_n.
    pub(super) fn cauchy_stress(&self, u: &[f64], history: &History) -> ShellStress {
        self.force.cauchy_stress(u, &self.matrices, history)
    }

    /// Stress at a place of the wall of a shell at x_n \[Pa\].
    pub(super) fn wall_stress(&self, place: &WallRecovery, u: &[f64], history: &History) -> Stress {
        self.force.wall_stress(place, (u, &self.matrices), history)
    }

    /// Force and moment in a section of a beam at x_n; none of other cells \[N, N m\].
    pub(super) fn section(&self, place: (CellRef, f64), u: &[f64]) -> Option<[Vector3<f64>; 2]> {
        self.force.section_forces(place, (u, &self.matrices))
    }

    /// The critical step \[s\].
    pub(super) fn critical_step(&self, u: &[f64]) -> f64 {
        self.force.critical_step(u, &self.matrices)
    }

    /// ω_{n+1/2}.
    pub(super) fn predict(&mut self, dt_mean: f64) {
        let Self { omega, next, m_int, m_ext, inverse_inertia, .. } = self;
        let (omega, m_int, m_ext, inverse) = (&*omega, &*m_int, &*m_ext, &*inverse_inertia);
        next.par_iter_mut().enumerate().with_min_len(3 * CHUNK).for_each(|(i, next)| {
            *next = omega[i] + dt_mean * (m_ext[i] - m_int[i]) * inverse[i];
        });
    }

    /// R_{n+1}, and ω_{n+1/2} as the previous angular velocity.
    pub(super) fn advance(&mut self, dt: f64) {
        let turned =
            self.quaternions.par_iter_mut().zip(&mut self.matrices).zip(self.next.as_chunks::<3>().0);
        turned.with_min_len(CHUNK).for_each(|((quaternion, matrix), omega)| {
            let step = rotation::from_vector(&(dt * Vector3::from(*omega)));
            *quaternion = rotation::product(&step, quaternion);
            rotation::normalise(quaternion);
            *matrix = rotation::matrix(quaternion);
        });
        std::mem::swap(&mut self.omega, &mut self.next);
    }

    /// Adds the rotation of a point to sums at t_n.
    ///
    /// * `share` — θ of [`super::books`]
    pub(super) fn add_to(&self, point: usize, sums: &mut Sums, share: f64) {
        let at = |values: &[f64]| Vector3::from_column_slice(&values[3 * point..3 * point + 3]);
        let (behind, ahead) = (at(&self.omega), at(&self.next));
        let (inner, outer, both) = (at(&self.m_int), at(&self.m_ext), behind + ahead);
        let (now, twice) = at_level(&behind, &ahead, share);
        let inertia = self.inertia[point];
        sums.kinetic += 0.5 * inertia * behind.dot(&twice);
        sums.internal[0] += inner.dot(&behind);
        sums.internal[1] += inner.dot(&both);
        sums.external[0] += outer.dot(&behind);
        sums.external[1] += outer.dot(&both);
        sums.ang_momentum += inertia * now;
        sums.moment += outer;
    }

    /// Adds the moments of supports: held rotations are at rest, so that they do no work.
    pub(super) fn add_reactions(&self, sums: &mut Sums) {
        for &dof in &self.held {
            let i = dof as usize;
            sums.moment[i % 3] += self.m_int[i] - self.m_ext[i];
        }
    }
}
