//! Options of a reduction from the table `reduce` of a scenario.

use carom_continuum::half_space::{PlaceSpec, PlaceTextError};
use carom_fem::QuadratureRule;
use carom_format::CraigBamptonOptions as StoredOptions;
use carom_format::scenario::model::ReduceSpec;
use carom_reduce::{Attachment, AttachmentKind, CraigBamptonOptions, Fields, FixedModes, SolverChoice};

/// Sets that are tied to markers.
fn attachments(reduce: &ReduceSpec) -> Vec<Attachment> {
    let kind = |kind: &str| if kind == "mean" { AttachmentKind::Mean } else { AttachmentKind::Rigid };
    let tied = reduce.attach.iter();
    tied.map(|(set, how)| Attachment { set: set.clone(), kind: kind(how.kind()), at: how.at() }).collect()
}

/// The options of the reduction of a body.
///
/// * `checksum` — of the body file
pub(crate) fn reduction(reduce: &ReduceSpec, checksum: &str) -> CraigBamptonOptions {
    CraigBamptonOptions {
        interface_sets: reduce.interface.clone(),
        interface_points: Vec::new(),
        attachments: attachments(reduce),
        held: reduce.fix.clone(),
        modes: match (reduce.modes, reduce.up_to) {
            (Some(n), _) => FixedModes::Count(n),
            (None, Some(hz)) => FixedModes::UpTo(hz),
            (None, None) => FixedModes::Default,
        },
        split: reduce.split,
        fields: match reduce.fields.as_str() {
            "full" => Fields::Full,
            "interface" => Fields::Interface,
            _ => Fields::Surface,
        },
        rule: Some(if reduce.quadrature == "high" { QuadratureRule::High } else { QuadratureRule::Default }),
        body_checksum: checksum.to_owned(),
        variant: reduce.variant.variant(),
        solver: SolverChoice { solver: reduce.solver.parse().unwrap_or_default(), memory: None },
    }
}

/// The regions of a body in which loads are laid at places.
///
/// # Errors
///
/// [`PlaceTextError`] of the first text that is none.
pub(crate) fn places(reduce: &ReduceSpec) -> Result<Vec<PlaceSpec>, PlaceTextError> {
    reduce.places.iter().map(|text| text.parse()).collect()
}

/// The options of a reduction as the file of the model states them.
///
/// * `words` — those of the variant
pub(crate) fn stored_options(reduce: &ReduceSpec, words: Vec<String>) -> StoredOptions {
    StoredOptions {
        interfaces: reduce.interface.clone(),
        attachments: attachments(reduce).iter().map(ToString::to_string).collect(),
        places: reduce.places.clone(),
        modes: reduce.modes,
        up_to_hz: reduce.up_to,
        split_hz: reduce.split,
        quadrature: reduce.quadrature.clone(),
        variant: words,
    }
}
