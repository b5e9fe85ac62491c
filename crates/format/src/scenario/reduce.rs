//! The table `reduce` of a body.

use super::attach::attachments;
use super::decode::{Interval, Table};
use super::homes::HOMES;
use super::model::ReduceSpec;
use super::variant::variant;

/// Reads the options of a reduction.
pub(super) fn reduce(table: Table<'_>) -> ReduceSpec {
    let interface =
        table.texts("interface").unwrap_or_default().into_iter().map(|(set, _)| set).collect::<Vec<_>>();
    let fix = table.texts("fix").unwrap_or_default().into_iter().map(|(set, _)| set).collect();
    let attach = table.table("attach").map(|ties| attachments(&ties)).unwrap_or_default();
    let places: Vec<String> =
        table.texts("places").unwrap_or_default().into_iter().map(|(text, _)| text).collect();
    let choice = |key, words: [&'static str; 2]| {
        table.choice(key, &words.map(|word| (word, word))).unwrap_or(words[0]).to_owned()
    };
    let spec = ReduceSpec {
        interface,
        attach,
        fix,
        places,
        modes: table.count("modes", 0),
        up_to: table.number("up_to", Interval::Positive),
        split: table.number("split", Interval::NotNegative),
        // By default the points that pictures need.
        fields: table
            .choice("fields", &["full", "surface", "interface"].map(|word| (word, word)))
            .unwrap_or_default()
            .to_owned(),
        quadrature: choice("quadrature", ["default", "high"]),
        solver: table
            .choice("solver", &["auto", "direct", "iterative"].map(|word| (word, word)))
            .unwrap_or("auto")
            .to_owned(),
        variant: variant(&table),
    };
    if spec.modes.is_some() && spec.up_to.is_some() {
        table.conflict("up_to", "`modes` (a number) and `up_to` (a frequency) exclude each other");
    }
    table.finish_beside(&HOMES);
    spec
}
