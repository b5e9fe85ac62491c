//! The laws of contact along the normal, linear at the present velocities, so that multipliers and springs
//! share one problem.
//!
//! ```text
//! 0 ≤ u₊ + C r + b ⟂ r ≥ 0
//! multiplier:     C = 0,                        b = e u₋ + (1 − e) (u₋ − ġ_n + w)
//! closed spring:  C = −2/(dt² dF/dg) > 0,       b = −u₊ − C dt F        (Newton's method for r = dt F)
//! open spring:    C = 4/(dt² k),                b = u₋ + 2 g_n/dt       (the gap at the end is not negative)
//! ```
//!
//! Restitution applies to the rate of the gap, with the normal n_n at the start and n_{n+1} at the end:
//!
//! ```text
//! ġ_{n+1} = −e ġ_n − (1 − e) w,   ġ_{n+1} = u₊ + (u₋ − ġ_n) + O(dt²),   w = β g_n/dt, |w| ≤ κ a dt
//! ```
//!
//! u₋ − ġ_n comes from the rotation of the normal from the start to half-way; the rotation from there to
//! the end is the same. In a lasting contact ġ vanishes at both ends, so u₋ + u₊ vanishes too, and the
//! impulse does no work. With u₊ = 0 instead, a body would sink by dt² v²/2R into a curved wall in every
//! step. With e = 1, u₊ = −u₋ in any case. The velocity w closes a remaining gap or depth, so that errors
//! do not accumulate: with e = 0 the gap falls to a half or a third in each step. w is at most a fraction
//! of the velocity that the loads give in a step, so that bodies are not thrown out.
//!
//! A spring is one more compliance on the diagonal. A spring that begins to close has half its stiffness.
//! Stops of joints have the same laws, with the coordinate of the joint in the place of the gap.

use nalgebra::{Matrix3, Vector3};

use crate::contact::Contact;

/// C \[1/kg\] and b \[m/s\].
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct NormalLaw {
    pub(crate) compliance: f64,
    pub(crate) offset: f64,
}

impl NormalLaw {
    /// Tangential rows have no law but that of the cone.
    pub(crate) const TANGENT: Self = Self { compliance: 0.0, offset: 0.0 };

    /// The law of a contact at its normal velocities u₋ and u₊.
    pub(crate) fn at(contact: &Contact, before: f64, after: f64, dt: f64) -> Self {
        let stiffness = contact.stiffness;
        if stiffness == 0.0 {
            let e = contact.restitution;
            return Self { compliance: 0.0, offset: e * before + (1.0 - e) * (before + contact.lasting) };
        }
        let (f, df) = contact.spring_force(before, after, dt);
        let compliance = -2.0 / (dt * dt * df);
        // A force may be so small that its derivative vanishes.
        if f > 0.0 && compliance.is_finite() {
            return Self { compliance, offset: -after - compliance * dt * f };
        }
        if contact.damping > 0.0 && contact.gap_at_end(before, after, dt) < 0.0 {
            // A spring with a damper lets go of what leaves fast: no impulse at these velocities.
            let compliance = 4.0 / (dt * dt * stiffness);
            return Self { compliance, offset: before.abs() + after.abs() - after };
        }
        Self { compliance: 4.0 / (dt * dt * stiffness), offset: before + 2.0 / dt * contact.gap_old }
    }
}

/// The law of one contact at present impulses and velocities, for their changes: A Δr + B Δu = f, the normal
/// first. Contacts without friction have the first row and column alone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct LinearLaw {
    /// A \[1/kg\].
    pub(crate) by_impulse: Matrix3<f64>,
    /// B.
    pub(crate) by_velocity: Matrix3<f64>,
    /// f \[m/s\].
    pub(crate) value: Vector3<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spring::force;

    /// The solution of the linear problem of a spring in contact over the whole step has the exact impulse of
    /// its gap.
    #[test]
    fn a_closed_spring_is_solved_in_one_iteration() {
        let contact = Contact { stiffness: 50.0, gap_old: -0.3, ..Contact::default() };
        let (before, dt, mobility) = (0.2, 0.1, 3.0);
        let law = NormalLaw::at(&contact, before, before, dt);
        let impulse = -(before + law.offset) / (mobility + law.compliance);
        let after = before + mobility * impulse;
        let (f, _) = force(50.0, -0.3, contact.gap_at_end(before, after, dt));
        assert!((impulse - dt * f).abs() < 1e-15, "{impulse} {f}");
    }

    #[test]
    fn an_open_spring_may_not_close() {
        let contact = Contact { stiffness: 50.0, gap_old: 0.01, ..Contact::default() };
        let (before, dt) = (-0.2, 0.1);
        let law = NormalLaw::at(&contact, before, 0.5, dt);
        // u₊ + b = 0 where the gap at the end is zero.
        assert!(contact.gap_at_end(before, -law.offset, dt).abs() < 1e-17);
    }
}
