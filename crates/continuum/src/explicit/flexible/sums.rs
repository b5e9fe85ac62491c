//! Sums over the points of a deformable body.

use nalgebra::Vector3;
use rayon::prelude::*;

use super::{CHUNK, Flexible, Inner, at_level};

/// Sums over points at t_n; powers and forces, before multiplication by a step.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::explicit) struct Sums {
    /// ½ v_{n−1/2}·M ((1 − 2θ) v_{n−1/2} + 2θ v_{n+1/2}) \[J\].
    pub(in crate::explicit) kinetic: f64,
    /// f_int·v_{n−1/2} and f_int·(v_{n−1/2} + v_{n+1/2}) \[W\].
    pub(in crate::explicit) internal: [f64; 2],
    /// Powers of the forces of bulk viscosity on the points, in the same form \[W\].
    pub(in crate::explicit) viscous: [f64; 2],
    /// Powers of loads and reactions, in the same form \[W\].
    pub(in crate::explicit) external: [f64; 2],
    /// Σ m ((1 − θ) v_{n−1/2} + θ v_{n+1/2}) and its moment about the origin.
    pub(in crate::explicit) momentum: Vector3<f64>,
    pub(in crate::explicit) ang_momentum: Vector3<f64>,
    /// Σ m x and Σ m.
    pub(in crate::explicit) mass_moment: Vector3<f64>,
    pub(in crate::explicit) mass: f64,
    /// Σ m v_{n−1/2} and Σ m (v_{n−1/2} + v_{n+1/2}), for the work of gravity.
    pub(in crate::explicit) momenta: [Vector3<f64>; 2],
    /// Σ f of loads and reactions and its moment.
    pub(in crate::explicit) force: Vector3<f64>,
    pub(in crate::explicit) moment: Vector3<f64>,
}

impl Sums {
    pub(super) fn add(&mut self, other: &Self) {
        self.kinetic += other.kinetic;
        for k in 0..2 {
            self.internal[k] += other.internal[k];
            self.viscous[k] += other.viscous[k];
            self.external[k] += other.external[k];
            self.momenta[k] += other.momenta[k];
        }
        self.momentum += other.momentum;
        self.ang_momentum += other.ang_momentum;
        self.mass_moment += other.mass_moment;
        self.mass += other.mass;
        self.force += other.force;
        self.moment += other.moment;
    }
}

impl Flexible {
    /// Sums over all points at t_n.
    ///
    /// * `share` — θ of [`crate::explicit::books`]
    pub(in crate::explicit) fn sums(&mut self, (dt_mean, share): (f64, f64), gravity: &Vector3<f64>) -> Sums {
        let Self { chunks, mass, u, v, next, f_int, f_ext, f_visc, discretisation, inner, .. } = self;
        let points = &discretisation.points;
        let turning = match inner {
            Inner::Solid(_) => None,
            Inner::Structural(turning) => Some(&**turning),
        };
        chunks.par_iter_mut().enumerate().for_each(|(chunk, sums)| {
            *sums = Sums::default();
            for p in CHUNK * chunk..(CHUNK * (chunk + 1)).min(mass.len()) {
                let at = |values: &[f64]| Vector3::new(values[3 * p], values[3 * p + 1], values[3 * p + 2]);
                let (m, behind, ahead) = (mass[p], at(v), at(next));
                let (x, both) = (Vector3::from(points[p]) + at(u), behind + ahead);
                let (inner, outer) = (at(f_int), at(f_ext));
                let (now, twice) = at_level(&behind, &ahead, share);
                sums.kinetic += 0.5 * m * behind.dot(&twice);
                sums.internal[0] += inner.dot(&behind);
                sums.internal[1] += inner.dot(&both);
                if !f_visc.is_empty() {
                    let viscous = at(f_visc);
                    sums.viscous[0] -= viscous.dot(&behind);
                    sums.viscous[1] -= viscous.dot(&both);
                }
                sums.external[0] += outer.dot(&behind);
                sums.external[1] += outer.dot(&both);
                sums.momentum += m * now;
                sums.ang_momentum += x.cross(&(m * now));
                sums.mass_moment += m * x;
                sums.mass += m;
                sums.momenta[0] += m * behind;
                sums.momenta[1] += m * both;
                sums.force += outer;
                sums.moment += x.cross(&outer);
                if let Some(turning) = turning {
                    turning.add_to(p, sums, share);
                }
            }
        });
        let mut total = Sums::default();
        self.chunks.iter().for_each(|chunk| total.add(chunk));
        self.add_reactions(dt_mean, gravity, &mut total);
        total
    }

    /// Forces of supports: the difference between the forces for the prescribed motion and the other forces.
    fn add_reactions(&self, dt_mean: f64, gravity: &Vector3<f64>, sums: &mut Sums) {
        if let Some(turning) = self.turning() {
            turning.add_reactions(sums);
        }
        for held in &self.held {
            let i = held.dof as usize;
            let (p, d) = (i / 3, i % 3);
            let [behind, ahead] = [self.v[i], self.next[i]];
            let weight = self.mass[p] * gravity[d];
            let viscous = self.f_visc.get(i).copied().unwrap_or(0.0);
            let others = self.f_ext[i] - self.f_int[i] - viscous + self.f_contact[i] + weight;
            let reaction = self.mass[p] * (ahead - behind) / dt_mean - others;
            sums.external[0] += reaction * behind;
            sums.external[1] += reaction * (behind + ahead);
            let mut force = Vector3::zeros();
            force[d] = reaction;
            sums.force += force;
            sums.moment += self.place(p as u32).cross(&force);
        }
    }
}
