//! States of a deformable body for results, and its motion as a whole.

use carom_dynamics::{BodyMotion, BodyState, rotation};
use carom_fem::Stress;
use nalgebra::{Matrix3, Vector3};

use super::{Flexible, Inner, Sums};
use crate::mean_turn::mean_turn;
use crate::probes::PlaceStress;

impl Flexible {
    /// Mean angle by which the body has turned, for small angles \[rad\]: the skew part of the matrix A with
    /// the least Σ m |u − ū − A (X − X̄)|².
    pub(in crate::explicit) fn turn(&self) -> f64 {
        mean_turn(&self.mass, &self.discretisation.points, &self.u)
    }

    /// Reported state at t_n: displacements from the undeformed body in body axes, and their rates.
    ///
    /// * `share` — θ of [`crate::explicit::books`]
    ///
    /// For output: memory is allocated.
    pub(in crate::explicit) fn reported(&mut self, sums: &Sums, share: f64) -> BodyState {
        let (point_stress, plastic_strain) = self.stored_stress();
        let back = self.rotation.transpose();
        let velocity = sums.momentum / sums.mass;
        let in_body = |values: &[f64]| -> Vec<f64> {
            let (vectors, _) = values.as_chunks::<3>();
            vectors.iter().flat_map(|v| <[f64; 3]>::from(back * Vector3::from(*v))).collect()
        };
        let (behind, ahead) = (self.v.as_chunks::<3>().0, self.next.as_chunks::<3>().0);
        let rates = behind.iter().zip(ahead).flat_map(|(a, b)| {
            let mean = (1.0 - share) * Vector3::from(*a) + share * Vector3::from(*b);
            <[f64; 3]>::from(back * (mean - velocity))
        });
        BodyState {
            position: self.origin,
            quaternion: self.quaternion,
            velocity: velocity.into(),
            modal: in_body(&self.u),
            modal_rate: rates.collect(),
            point_stress,
            plastic_strain,
            point_rotations: self.point_rotations(),
            ..BodyState::default()
        }
    }

    /// Cauchy stress in body axes and plastic strain at the quadrature points of solids, and at three places
    /// of the wall of each shell; empty if they follow from the displacement.
    fn stored_stress(&mut self) -> (Vec<f64>, Vec<f64>) {
        let Self { inner, laws, u, history, rotation, .. } = self;
        if history.is_empty() {
            return (Vec::new(), Vec::new());
        }
        let (values, strains) = match inner {
            // The forces at these displacements have been computed: no cell is inverted.
            Inner::Solid(solid) => match solid.0.cauchy_stress(laws, u, history) {
                Ok(stress) => (stress.values, solid.0.plastic_strain(laws, history)),
                Err(_) => return (Vec::new(), Vec::new()),
            },
            Inner::Structural(turning) => {
                let stress = turning.cauchy_stress(u, history);
                (stress.values, stress.plastic_strain)
            }
        };
        let back = rotation.transpose();
        let turned = |s: &[f64; 6]| {
            let full = Matrix3::new(s[0], s[3], s[5], s[3], s[1], s[4], s[5], s[4], s[2]);
            let own = back * full * *rotation;
            [own[(0, 0)], own[(1, 1)], own[(2, 2)], own[(0, 1)], own[(1, 2)], own[(0, 2)]]
        };
        (values.iter().flat_map(turned).collect(), strains)
    }

    /// A place with what its stress needs of the body.
    pub(in crate::explicit) fn placed(&self, place: PlaceStress) -> PlaceStress {
        match (place, &self.inner) {
            (PlaceStress::Solid(place), Inner::Solid(solid)) => {
                PlaceStress::Solid(place.with_history(&solid.0))
            }
            (place, _) => place,
        }
    }

    /// Cauchy's stress at a place of the body at t_n, whose forces have been computed; 0 of sections \[Pa\].
    pub(in crate::explicit) fn stress(&self, place: &PlaceStress) -> Stress {
        match (place, &self.inner) {
            (PlaceStress::Solid(place), Inner::Solid(_)) => {
                place.stress(&self.laws, &self.u, Some(&self.history))
            }
            (PlaceStress::Wall(place), Inner::Structural(turning)) => {
                turning.wall_stress(place, &self.u, &self.history)
            }
            _ => [0.0; 6],
        }
    }

    /// Force and moment in a section of a beam at t_n; none at other places \[N, N m\].
    pub(in crate::explicit) fn section(&self, place: &PlaceStress) -> Option<[Vector3<f64>; 2]> {
        let PlaceStress::Section(cell, s) = *place else { return None };
        self.turning()?.section((cell, s), &self.u)
    }

    /// Rotation vectors of the points of shells and beams in body axes, empty for solids \[rad\].
    fn point_rotations(&self) -> Vec<f64> {
        let back = self.rotation.transpose();
        let quaternions = self.turning().map(|turning| turning.quaternions.as_slice()).unwrap_or_default();
        quaternions.iter().flat_map(|q| <[f64; 3]>::from(back * rotation::to_vector(q))).collect()
    }

    /// Rigid part of the motion at a place, from the momenta of the body.
    ///
    /// * `ahead` — true for t_{n+1/2}, false for t_{n−1/2}
    pub(in crate::explicit) fn motion(&self, place: &Vector3<f64>, ahead: bool) -> BodyMotion {
        let v = if ahead { &self.next } else { &self.v };
        let (mut mass, mut moment, mut momentum) = (0.0, Vector3::zeros(), Vector3::zeros());
        for (p, &m) in self.mass.iter().enumerate() {
            mass += m;
            moment += m * self.place(p as u32);
            momentum += m * Vector3::from_column_slice(&v[3 * p..3 * p + 3]);
        }
        let (center, velocity) = (moment / mass, momentum / mass);
        let (mut inertia, mut spin) = (Matrix3::zeros(), Vector3::zeros());
        for (p, &m) in self.mass.iter().enumerate() {
            let r = self.place(p as u32) - center;
            inertia += m * (Matrix3::identity() * r.norm_squared() - r * r.transpose());
            spin += m * r.cross(&(Vector3::from_column_slice(&v[3 * p..3 * p + 3]) - velocity));
        }
        let omega = inertia.try_inverse().map_or_else(Vector3::zeros, |inverse| inverse * spin);
        let is_free = self.held.is_empty();
        BodyMotion {
            velocity: velocity + omega.cross(&(place - center)),
            omega,
            momentum: is_free.then_some(momentum),
        }
    }
}
