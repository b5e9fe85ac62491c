//! Response of a mechanism about its equilibrium to harmonic forces and motions of the ground.
//!
//! ```text
//! (Zᵀ K Z + i ω Zᵀ D Z − ω² E) s = Zᵀ b ,     ξ = Z s ,     displacement along e = b_eᵀ ξ
//! ```
//!
//! b is the generalised force of the excitation, b_e that of a unit force along e at the point; ground that
//! accelerates by a moves all bodies relative to it as forces −M r a do, and the displacements are relative
//! to it.

use carom_dynamics::Marker;
use carom_progress::Progress;
use nalgebra::{Complex, DMatrix, DVector, Matrix3, Vector3};

use super::tangent::Tangent;
use super::{EquilibriumError, System};
use crate::joint::Place;
use crate::tangential::Tangential;

/// A harmonic excitation with these amplitudes.
#[derive(Debug, Clone, PartialEq)]
pub enum Excitation {
    /// A force and a torque at a point of a body, inertial axes.
    Load {
        /// Index of the body.
        body: usize,
        /// The point, over the modes of its body that move.
        marker: Marker,
        /// \[N\].
        force: [f64; 3],
        /// \[N m\].
        torque: [f64; 3],
    },
    /// The acceleration of the ground, and of all bodies that are held, inertial axes \[m/s²\].
    Ground([f64; 3]),
}

/// Displacement of points at one frequency.
#[derive(Debug, Clone, PartialEq)]
pub struct Response {
    /// \[Hz\].
    pub frequency: f64,
    /// Complex amplitudes along the inertial axes of each point, relative to the ground \[m\]; infinite at an
    /// undamped resonance.
    pub displacement: Vec<[Complex<f64>; 3]>,
}

impl System {
    /// Response at an equilibrium y to an excitation, at points of bodies, for some frequencies.
    ///
    /// # Errors
    ///
    /// [`EquilibriumError`] if the system cannot be evaluated, or the user stopped it.
    pub(crate) fn response(
        &mut self,
        y: &[f64],
        excitation: &Excitation,
        points: &[(usize, Marker)],
        frequencies: &[f64],
        progress: &dyn Progress,
    ) -> Result<Vec<Response>, EquilibriumError> {
        self.joints_mut().hold_drives(true);
        let found = self.response_at_rest(y, excitation, points, frequencies, progress);
        self.joints_mut().hold_drives(false);
        self.contacts_mut().hold_all(Tangential::Coulomb);
        found
    }

    fn response_at_rest(
        &mut self,
        y: &[f64],
        excitation: &Excitation,
        points: &[(usize, Marker)],
        frequencies: &[f64],
        progress: &dyn Progress,
    ) -> Result<Vec<Response>, EquilibriumError> {
        let forces = self.forces_at_rest(y)?;
        let friction = self.friction_of_contacts();
        self.hold_by_friction(&friction);
        let tangent = Tangent::at(self, y, &forces.multipliers, 1.0, progress)?;
        let damping = tangent.damping(self, y, &forces.multipliers, progress)?;
        self.set_state(y)?;
        let input = match excitation {
            Excitation::Load { body, marker, force, torque } => {
                self.load_at(*body, marker, &Vector3::from(*force), &Vector3::from(*torque), y)
            }
            Excitation::Ground(acceleration) => self.inertia_against(&Vector3::from(*acceleration)),
        };
        let input = tangent.motions.tr_mul(&input);
        let zero = Vector3::zeros();
        let outputs: Vec<[DVector<f64>; 3]> = points
            .iter()
            .map(|(body, marker)| {
                [0, 1, 2].map(|axis| {
                    let unit = self.load_at(*body, marker, &Vector3::ith(axis, 1.0), &zero, y);
                    tangent.motions.tr_mul(&unit)
                })
            })
            .collect();
        progress.begin("harmonic response", frequencies.len() as u64);
        let mut found = Vec::with_capacity(frequencies.len());
        for (k, &frequency) in frequencies.iter().enumerate() {
            let s = harmonic(&tangent.stiffness, &damping, &input, std::f64::consts::TAU * frequency);
            let at = |output: &DVector<f64>| match &s {
                Some(s) => output.iter().zip(s.iter()).map(|(c, s)| s * *c).sum(),
                None => Complex::new(f64::INFINITY, 0.0),
            };
            let displacement = outputs.iter().map(|point| point.each_ref().map(at)).collect();
            found.push(Response { frequency, displacement });
            progress.set(k as u64 + 1);
            if progress.interrupted() {
                return Err(EquilibriumError::Interrupted("harmonic response was computed"));
            }
        }
        progress.end();
        Ok(found)
    }

    /// The generalised force of a force and a torque at a point of a body, inertial axes.
    fn load_at(
        &self,
        body: usize,
        marker: &Marker,
        force: &Vector3<f64>,
        torque: &Vector3<f64>,
        y: &[f64],
    ) -> DVector<f64> {
        let states = self.states();
        let (of, pose) = (&self.bodies()[body], states.pose(body));
        let place =
            Place::on(marker, &Matrix3::identity(), pose, states.modal_in(body, y), states.velocities(body));
        let (force_b, torque_b) = (pose.rotation.tr_mul(force), pose.rotation.tr_mul(torque));
        let bent = place.tangent.tr_mul(&torque_b);
        let mut load = DVector::zeros(states.n_velocities());
        let start = states.parts()[body].velocities.start;
        let mut modal = start;
        if !of.fixed {
            load.fixed_rows_mut::<3>(start).copy_from(force);
            load.fixed_rows_mut::<3>(start + 3).copy_from(&(place.arm_b.cross(&force_b) + torque_b));
            modal += 6;
        }
        for k in 0..of.frame.n {
            let [phi, psi] = marker.shape(k, states.modal_in(body, y));
            load[modal + k] = phi.dot(&force_b) + psi.dot(&bent);
        }
        load
    }

    /// −M r a: the forces of inertia against an acceleration of the ground.
    fn inertia_against(&mut self, acceleration: &Vector3<f64>) -> DVector<f64> {
        let (mass, _) = self.masses_and_rows();
        let states = self.states();
        let mut moved = DVector::zeros(mass.nrows());
        let mut held = DVector::zeros(mass.nrows());
        for (i, (part, body)) in states.parts().iter().zip(self.bodies()).enumerate() {
            let start = part.velocities.start;
            if !body.fixed {
                moved.fixed_rows_mut::<3>(start).copy_from(acceleration);
                continue;
            }
            let along = states.pose(i).rotation.tr_mul(acceleration);
            for k in 0..body.frame.n {
                let coupling = Vector3::from_column_slice(&states.kinetics(i).coupling_t[3 * k..3 * k + 3]);
                held[start + k] = coupling.dot(&along);
            }
        }
        -(mass * moved) - held
    }
}

/// s of (K + i ω D − ω²) s = b; none at an undamped resonance.
fn harmonic(
    stiffness: &DMatrix<f64>,
    damping: &DMatrix<f64>,
    input: &DVector<f64>,
    omega: f64,
) -> Option<DVector<Complex<f64>>> {
    let n = stiffness.nrows();
    let matrix = DMatrix::from_fn(n, n, |i, j| {
        let inertia = if i == j { omega * omega } else { 0.0 };
        Complex::new(stiffness[(i, j)] - inertia, omega * damping[(i, j)])
    });
    let solved = matrix.lu().solve(&input.map(|b| Complex::new(b, 0.0)))?;
    solved.iter().all(|s| s.re.is_finite() && s.im.is_finite()).then_some(solved)
}
