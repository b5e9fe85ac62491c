//! A row of the joints at a state: its value, and its parts on the joints that it is about.

use nalgebra::Vector3;

use super::JointEnd;
use super::place::Place;
use super::row_now::RowNow;
use super::side::Side;
use crate::bodies::BodiesAt;

/// A row at a state.
#[derive(Debug, Clone)]
pub(super) struct RowState {
    /// g, in metres, radians or as the cosine of an angle.
    pub(super) value: f64,
    /// g_t: −ṡ(t) of a motion.
    pub(super) given_rate: f64,
    /// One for each joint; one alone unless the row couples joints.
    pub(super) parts: Vec<RowPart>,
}

/// The part of a row on one joint.
#[derive(Debug, Clone)]
pub(super) struct RowPart {
    /// The joint.
    pub(super) joint: usize,
    /// Value and derivatives of the part.
    pub(super) now: RowNow,
    /// Row of G and column of M⁻¹ Gᵀ on the body of each end.
    pub(super) sides: [Side; 2],
}

impl RowState {
    /// ġ = G z + g_t.
    ///
    /// * `places` — of the ends of all joints
    pub(super) fn rate(&self, places: &[[Place; 2]]) -> f64 {
        let rate = |part: &RowPart| part.now.rate(&places[part.joint][0], &places[part.joint][1]);
        self.given_rate + self.parts.iter().map(rate).sum::<f64>()
    }

    /// g̈ for a₀ = ω̇ = q̈ = 0 of all bodies.
    ///
    /// * `places` — of the ends of all joints
    pub(super) fn known(&self, places: &[[Place; 2]]) -> f64 {
        let known = |part: &RowPart| part.now.known(&places[part.joint][0], &places[part.joint][1]);
        self.parts.iter().map(known).sum()
    }

    /// The row on the bodies of its ends.
    pub(super) fn sides(&self) -> impl Iterator<Item = &Side> + Clone {
        self.parts.iter().flat_map(|part| &part.sides)
    }

    /// The row on the bodies of its ends.
    pub(super) fn sides_mut(&mut self) -> impl Iterator<Item = &mut Side> {
        self.parts.iter_mut().flat_map(|part| &mut part.sides)
    }
}

impl RowPart {
    /// Sets the rows of G on the bodies of both ends to those of `now`.
    ///
    /// * `has_modes` — false if bodies keep their shapes: G has no modal columns
    pub(super) fn set_sides(
        &mut self,
        ends: &[JointEnd; 2],
        places: &[Place; 2],
        at: BodiesAt<'_>,
        has_modes: bool,
    ) {
        let now = &self.now;
        for (k, side) in self.sides.iter_mut().enumerate() {
            let Some(body) = side.body else { continue };
            let marker = &ends[k].marker;
            let a = &at.pose(body).rotation;
            let force = a.tr_mul(&now.jacobian[2 * k]);
            let torque = a.tr_mul(&now.jacobian[2 * k + 1]);
            if !side.modal.is_empty() {
                let bent = places[k].tangent.tr_mul(&torque);
                for (mode, modal) in side.modal.iter_mut().enumerate() {
                    let [phi, psi] = marker.shape(mode, at.modal(body));
                    *modal = phi.dot(&force) + psi.dot(&bent);
                }
            }
            side.force = force;
            side.moment = places[k].arm_b.cross(&force) + torque;
            if !has_modes {
                side.modal.fill(0.0);
            }
            if at.all()[body].fixed {
                (side.force, side.moment) = (Vector3::zeros(), Vector3::zeros());
            }
        }
    }
}
