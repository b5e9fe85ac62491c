//! Energies of one body.

use carom_dynamics::BodyBalance;
use nalgebra::Vector3;

use super::Bodies;
use crate::layout::vector;

impl Bodies {
    /// Energies and momenta of a body at y, which was set last. A body that is held has no momentum, as that
    /// of its modes goes to what holds it, and the potential of its modes alone.
    ///
    /// * `gravity` — \[m/s²\]
    pub(crate) fn balance(&self, i: usize, y: &[f64], gravity: &Vector3<f64>) -> BodyBalance {
        let (body, pose) = (&self.all[i], &self.poses[i]);
        let moment = pose.rotation * self.kinetics[i].first_moment;
        let (e_kin, e_el) = (self.kinetic_energy(i, y), self.elastic_energy(i, y));
        if body.fixed {
            return BodyBalance { e_kin, e_el, e_pot: -moment.dot(gravity), ..BodyBalance::default() };
        }
        BodyBalance {
            e_kin,
            e_el,
            e_pot: -(body.frame.mass * pose.position + moment).dot(gravity),
            momentum: vector(y, self.layout.momentum(i)).into(),
            ang_momentum: vector(y, self.layout.ang_momentum(i)).into(),
        }
    }

    /// T = ½ zᵀ M z = ½ (v · Aᵀ P + ω · Aᵀ (L − r × P) + q̇ · p).
    pub(crate) fn kinetic_energy(&self, i: usize, y: &[f64]) -> f64 {
        let layout = &self.layout;
        let velocities = &self.kinetics[i].velocities;
        let p = &y[layout.modal_momentum(i)..layout.modal_momentum(i) + layout.modes(i)];
        let modal: f64 = velocities.modal.iter().zip(p).map(|(rate, p)| rate * p).sum();
        if self.all[i].fixed {
            return 0.5 * modal;
        }
        let pose = &self.poses[i];
        let momentum = vector(y, layout.momentum(i));
        let spin = vector(y, layout.ang_momentum(i)) - pose.position.cross(&momentum);
        let rigid = velocities.v.dot(&pose.rotation.tr_mul(&momentum))
            + velocities.omega.dot(&pose.rotation.tr_mul(&spin));
        0.5 * (rigid + modal)
    }

    /// Energy of the vibration of a body: ½ q̇ᵀ M̄_e q̇ + ½ qᵀ K̄ q of its dynamic modes \[J\].
    pub(crate) fn vibration_energy(&self, i: usize, y: &[f64]) -> f64 {
        let rate = &self.kinetics[i].velocities.modal;
        let kinetic = 0.5 * self.all[i].frame.mass_modal.square(rate);
        let mut energy = self.elastic_energy(i, y) + kinetic;
        if let Some(carried) = &self.all[i].frame.carried {
            // The mean motion that comes with the modes does not belong to the vibration.
            let frame = &self.all[i].frame;
            for a in 0..rate.len() {
                let momentum = |b: usize| {
                    (0..3)
                        .map(|c| {
                            frame.coupling_t[3 * a + c] * carried[(c, b)]
                                + frame.coupling_r0[3 * a + c] * carried[(3 + c, b)]
                        })
                        .sum::<f64>()
                };
                energy -= 0.5 * rate[a] * (0..rate.len()).map(|b| momentum(b) * rate[b]).sum::<f64>();
            }
        }
        energy
    }

    /// ½ qᵀ K̄ q of the dynamic modes \[J\].
    pub(crate) fn elastic_energy(&self, i: usize, y: &[f64]) -> f64 {
        let n = self.layout.modes(i);
        let q = &y[self.layout.modal(i)..self.layout.modal(i) + n];
        0.5 * self.all[i].frame.stiffness_modal.square(q)
    }
}
