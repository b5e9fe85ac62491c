//! Energies and momenta of a system for the ledger.

use crate::layout::vector;
use crate::system::System;
use carom_dynamics::Balance;
use nalgebra::Vector3;

impl System {
    /// Balance at y, for which [`System::set_state`] and [`System::evaluate_contacts`] were called.
    pub fn balance(&self, time: f64, y: &[f64]) -> Balance {
        let layout = &self.layout;
        let mut balance =
            Balance { time, w_ext: y[layout.work()], d_mat: y[layout.damping()], ..Balance::default() };
        let g = self.loads.gravity();
        let (mut momentum, mut ang_momentum) = (Vector3::zeros(), Vector3::zeros());
        let mut impulse = vector(y, layout.external_impulse());
        let mut ang_impulse = vector(y, layout.external_ang_impulse());
        for (i, body) in self.bodies.iter().enumerate() {
            let pose = &self.poses[i];
            let (p, l) = (vector(y, layout.momentum(i)), vector(y, layout.ang_momentum(i)));
            balance.e_kin += self.kinetic_energy(i, y);
            balance.e_el += self.modal_elastic_energy(i, y);
            let moment = pose.rotation * self.kinetics[i].first_moment;
            if body.fixed {
                // What the ground takes is an external impulse on the others; gravity does work on the modes
                // alone.
                impulse -= p;
                ang_impulse -= l;
                balance.e_pot -= moment.dot(&g);
                continue;
            }
            balance.e_pot -= (body.frame.mass * pose.position + moment).dot(&g);
            balance.mass += body.frame.mass;
            balance.radius = balance.radius.max(body.frame.gyration_radius());
            momentum += p;
            ang_momentum += l;
            let carried = pose.position.cross(&p);
            // What rests has got momentum from its loads all the time, and joints and contacts have taken it.
            let passed = self.passed_on(i, time);
            let size = p.norm() + passed;
            balance.momentum_scale += size;
            // A central impact has no angular momentum at all: errors then count against that of P at the
            // body's own radius.
            let own = body.frame.gyration_radius() * size;
            balance.ang_momentum_scale +=
                carried.norm() + (l - carried).norm() + own + pose.position.norm() * passed;
        }
        balance.e_pot += self.spring_energy(y);
        balance.e_el += self.contact_sums.elastic_energy;
        balance.e_con += self.contact_sums.contact_energy;
        balance.d_fric += self.contact_sums.friction_loss;
        balance.f_res = self.contact_sums.residual;
        balance.pen_max = self.reactions.iter().fold(0.0, |most, reaction| reaction.penetration.max(most));
        balance.momentum = momentum.into();
        balance.ang_momentum = ang_momentum.into();
        balance.external_impulse = impulse.into();
        balance.external_ang_impulse = ang_impulse.into();
        balance
    }

    /// Momentum that gravity and forces would have given to a body by now if it rests \[N s\]: (m g + Σ |f|)
    /// t. Zero for bodies that nothing can hold, which have it as P.
    fn passed_on(&self, i: usize, time: f64) -> f64 {
        let may_rest = !self.constraints.is_empty() || !self.elements.is_empty() || !self.pair_of.is_empty();
        if !may_rest {
            return 0.0;
        }
        let loads = self.loads.point_loads.iter().filter(|load| load.body == i);
        let force: f64 =
            loads.map(|load| Vector3::from(load.force).norm() * load.scale.at(time).value.abs()).sum();
        (self.bodies[i].frame.mass * self.loads.gravity().norm() + force) * time
    }

    /// T = ½ zᵀ M z = ½ (v · Aᵀ P + ω · Aᵀ (L − r × P) + q̇ · p).
    fn kinetic_energy(&self, i: usize, y: &[f64]) -> f64 {
        let layout = &self.layout;
        let velocities = &self.kinetics[i].velocities;
        let p = &y[layout.modal_momentum(i)..layout.modal_momentum(i) + layout.modes(i)];
        let modal: f64 = velocities.modal.iter().zip(p).map(|(rate, p)| rate * p).sum();
        if self.bodies[i].fixed {
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
        let kinetic = 0.5 * self.bodies[i].frame.mass_modal.square(rate);
        let mut energy = self.modal_elastic_energy(i, y) + kinetic;
        if let Some(carried) = &self.bodies[i].frame.carried {
            // The energy of the mean motion that comes with the modes is none of the vibration.
            let frame = &self.bodies[i].frame;
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

    /// ½ qᵀ K̄ q of the dynamic modes.
    pub(crate) fn modal_elastic_energy(&self, i: usize, y: &[f64]) -> f64 {
        let n = self.layout.modes(i);
        let q = &y[self.layout.modal(i)..self.layout.modal(i) + n];
        0.5 * self.bodies[i].frame.stiffness_modal.square(q)
    }
}
