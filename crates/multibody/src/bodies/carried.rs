//! How the momenta of a body change with its position while its velocities z = (ṙ, ω, q̇) stay.
//!
//! With v = Aᵀ ṙ, P the momentum, and the angular momentum about the frame origin Aᵀ (L − r × P) = h in body
//! axes:
//!
//! ```text
//! P = m ṙ + A (ω × mc + C_tᵀ q̇),    h = mc × v + I ω + C_rᵀ q̇,    p = C_t v + C_r ω + M̄_e q̇
//! ```
//!
//! | by | ∂P | Aᵀ (∂L − r × ∂P) | ∂p_l |
//! |---|---|---|---|
//! | r | 0 | Aᵀ (e × P) | 0 |
//! | ω e | A (e × (ω × mc + C_tᵀ q̇)) | e × h + mc × (v × e) | c_tl · (v × e) |
//! | q_k | A (ω × c_tk) | c_tk × v + (G_k + G_kᵀ) ω + (∂C_rᵀ/∂q_k) q̇ | (∂c_rl/∂q_k) · ω |
//!
//! Where C_t depends on q, the last row has A (∂C_tᵀ/∂q_k) q̇ and (∂c_tl/∂q_k) · v in addition.

use carom_dynamics::Marker;
use nalgebra::Vector3;

use super::Bodies;
use crate::joint::Place;
use crate::kinetics::block_of;
use crate::layout::{add, vector};

impl Bodies {
    /// Writes ∂(M z)/∂ξ of a body over its velocities, row by row, at the state that was set last.
    pub(crate) fn write_carried_momenta(&self, i: usize, out: &mut [f64]) {
        out.fill(0.0);
        let (body, kinetics, a) = (&self.all[i], &self.kinetics[i], &self.poses[i].rotation);
        // The momenta of a held body are M̄_e q̇.
        if body.fixed {
            return;
        }
        let frame = &body.frame;
        let (n, size) = (frame.n, 6 + frame.n);
        let (v, omega, rate) =
            (&kinetics.velocities.v, &kinetics.velocities.omega, &kinetics.velocities.modal);
        let mc = &kinetics.first_moment;
        let of_translation = |l: usize| vector(&kinetics.coupling_t, 3 * l);
        let of_rotation = |l: usize| vector(&kinetics.coupling_r, 3 * l);
        let sum = |of: &dyn Fn(usize) -> Vector3<f64>| (0..n).map(|l| rate[l] * of(l)).sum::<Vector3<f64>>();
        let relative = omega.cross(mc) + sum(&of_translation);
        let spin = mc.cross(v) + kinetics.inertia * omega + sum(&of_rotation);
        let momentum_b = frame.mass * v + relative;
        let mut put = |row: usize, column: usize, value: &Vector3<f64>| {
            (0..3).for_each(|k| out[(row + k) * size + column] = value[k]);
        };
        for axis in 0..3 {
            let e = Vector3::ith(axis, 1.0);
            put(3, axis, &a.tr_mul(&e).cross(&momentum_b));
            put(0, 3 + axis, &(a * e.cross(&relative)));
            put(3, 3 + axis, &(e.cross(&spin) + mc.cross(&v.cross(&e))));
        }
        for k in 0..n {
            let g = block_of(&kinetics.inertia_rates, n, k);
            let [mut shifted, mut bent] = [Vector3::zeros(); 2];
            for l in 0..n {
                bent += rate[l] * vector(&frame.coupling_r1, 3 * (n * l + k));
                if let Some(slopes) = &frame.slopes {
                    let [translation, rotation] = slopes.at(n, l, k);
                    shifted += rate[l] * translation;
                    bent += rate[l] * rotation;
                }
            }
            let of_k = of_translation(k);
            put(0, 6 + k, &(a * (omega.cross(&of_k) + shifted)));
            put(3, 6 + k, &(of_k.cross(v) + g * omega + g.tr_mul(omega) + bent));
        }
        for l in 0..n {
            let row = &mut out[(6 + l) * size..(7 + l) * size];
            let turned = of_translation(l).cross(v);
            row[3..6].copy_from_slice(turned.as_slice());
            for (k, entry) in row[6..].iter_mut().enumerate() {
                *entry = vector(&frame.coupling_r1_by_first, 3 * (n * k + l)).dot(omega);
                if let Some(slopes) = &frame.slopes {
                    let [translation, rotation] = slopes.at(n, k, l);
                    *entry += translation.dot(v) + rotation.dot(omega);
                }
            }
        }
    }
    /// Adds to `out`, over the velocities of a body, how a number changes with its position through one of
    /// its markers. The velocities of the body stay.
    ///
    /// * `by_motion` — derivatives by position and rotation of the marker, inertial axes
    /// * `by_velocity` — by its velocity and angular velocity
    pub(crate) fn add_carried(
        &self,
        i: usize,
        marker: &Marker,
        place: &Place,
        by_motion: [Vector3<f64>; 2],
        by_velocity: [Vector3<f64>; 2],
        out: &mut [f64],
    ) {
        let (body, a, velocities) = (&self.all[i], &self.poses[i].rotation, self.velocities(i));
        let [p, s] = by_motion.map(|g| a.tr_mul(&g));
        let [f, m] = by_velocity.map(|g| a.tr_mul(&g));
        // ẋ = ṙ + A (ω × c + ċ), ω_D = A (ω + w).
        let carried = a.tr_mul(&place.velocity) - velocities.v;
        let turning = a.tr_mul(&place.omega);
        let modal = if body.fixed { 0 } else { 6 };
        if !body.fixed {
            add(out, 0, &by_motion[0]);
            add(out, 3, &(place.arm_b.cross(&p) + s + carried.cross(&f) + turning.cross(&m)));
        }
        let bent = place.tangent.tr_mul(&s);
        let along = p + f.cross(&velocities.omega);
        for (k, out) in out[modal..modal + body.frame.n].iter_mut().enumerate() {
            *out += Vector3::from(marker.displacement[k]).dot(&along)
                + Vector3::from(marker.rotation[k]).dot(&bent);
        }
    }
}
