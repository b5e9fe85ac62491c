//! Choices of a reduction beyond the plain one, as data.

use std::collections::BTreeMap;

use carom_reduce::{BodyFrame, Damping, Keep, ModeKind, Variant};
use serde::{Serialize, Serializer};

use super::damping::RatioSpec;

/// Flags of `carom-reduce craig-bampton` with `_` in place of `-`.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct VariantSpec {
    /// Inertia-relief modes in addition to the fixed-interface modes.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub inertia_relief: bool,
    /// Free modes with residual attachment modes.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub residual: bool,
    /// The same without mass of the residual attachment modes.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub massless_boundary: bool,
    /// Geometric stiffness by centrifugal forces and by forces on attachments.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub stiffening: bool,
    /// Interface modes of the whole interface without faces: a number or `2e4Hz`.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "text_of_some")]
    pub reduce_interface: Option<Keep>,
    /// Body frame.
    #[serde(skip_serializing_if = "is_buckens", serialize_with = "text")]
    pub frame: BodyFrame,
    /// α and β of α M + β K.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rayleigh: Option<[f64; 2]>,
    /// Damping ratio.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub damping_ratio: Option<RatioSpec>,
    /// Interface modes of sets.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", serialize_with = "texts")]
    pub interface_modes: BTreeMap<String, Keep>,
}

impl VariantSpec {
    /// As the reduction takes it.
    pub fn variant(&self) -> Variant {
        let [mass, stiffness] = self.rayleigh.unwrap_or_default();
        let ratio = self.damping_ratio.clone().unwrap_or_default().ratio();
        let is_damped = self.rayleigh.is_some() || self.damping_ratio.is_some();
        Variant {
            modes: match (self.massless_boundary, self.residual) {
                (true, _) => ModeKind::MasslessBoundary,
                (false, true) => ModeKind::FreeInterface,
                (false, false) => ModeKind::FixedInterface,
            },
            inertia_relief: self.inertia_relief,
            interface_modes: self.interface_modes.iter().map(|(set, keep)| (set.clone(), *keep)).collect(),
            reduce_interface: self.reduce_interface,
            frame: self.frame.clone(),
            damping: is_damped.then_some(Damping { mass, stiffness, ratio }),
            stiffening: self.stiffening,
        }
    }
}

fn is_buckens(frame: &BodyFrame) -> bool {
    *frame == BodyFrame::Buckens
}

fn text<S: Serializer>(value: &impl ToString, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&value.to_string())
}

fn text_of_some<S: Serializer>(value: &Option<Keep>, serializer: S) -> Result<S::Ok, S::Error> {
    value.map(|keep| keep.to_string()).serialize(serializer)
}

fn texts<S: Serializer>(values: &BTreeMap<String, Keep>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(values.iter().map(|(set, keep)| (set, keep.to_string())))
}
