//! Contacts of two rigid bodies by a given stiffness.
//!
//! Such a contact shares no compliance with others: neither that of a mesh nor that of a half-space. It may
//! therefore be one of a scenario whose other contacts are on half-space grids.

use carom_contact::{Law, Stiffness};
use carom_format::scenario::model::{Compliance, ContactSpec, End, Scenario};

use crate::foresee::body_of;

/// True for two rigid bodies that touch by the stiffness of their law alone: it is given per area, and
/// `between` names sets of both, or `compliance = "body"` rules half-spaces out.
pub(crate) fn touch_by_stiffness(scenario: &Scenario, pair: &ContactSpec) -> bool {
    let is_rigid = |end: &End| body_of(scenario, end).is_some_and(|(_, spec)| spec.rigid);
    let is_whole = pair.between.iter().any(|end| end.part.is_empty());
    let is_off_grids = match pair.compliance {
        Some(Compliance::Body) => true,
        None => !is_whole,
        Some(Compliance::Auto | Compliance::HalfSpace) => false,
    };
    let is_given = matches!(pair.law, Law::Penalty(Stiffness::PerArea(_)));
    is_given && is_off_grids && pair.between.iter().all(is_rigid)
}
