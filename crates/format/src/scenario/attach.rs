//! Sets of a body that are tied to markers, `attach = { … }` of `reduce`.

use std::collections::BTreeMap;

use toml::de::DeValue;

use super::decode::Table;
use super::model::AttachSpec;

/// Reads `{ SET = "rigid", SET = { kind = "mean", at = [X, Y, Z] } }`.
pub(super) fn attachments(ties: &Table<'_>) -> BTreeMap<String, AttachSpec> {
    let mut attach = BTreeMap::new();
    for (set, value) in ties.entries() {
        let spec = match value.get_ref() {
            DeValue::String(kind) if kind == "rigid" || kind == "mean" => {
                Some(AttachSpec::Centroid(kind.clone().into_owned()))
            }
            DeValue::Table(_) => ties.entry(&set, value).and_then(placed),
            _ => {
                let text = format!(
                    "the set `{set}` is attached as \"rigid\" or \"mean\", or as \
                     {{ kind = \"rigid\", at = [X, Y, Z] }}"
                );
                ties.conflict(&set, text);
                None
            }
        };
        attach.extend(spec.map(|spec| (set, spec)));
    }
    attach
}

fn placed(table: Table<'_>) -> Option<AttachSpec> {
    for (key, why) in [
        ("kind", "\"rigid\" or \"mean\""),
        ("at", "where the marker lies, three numbers in metres in source coordinates"),
    ] {
        if !table.has(key) {
            table.missing(key, why);
        }
    }
    let kind = table.choice("kind", &[("rigid", "rigid"), ("mean", "mean")]);
    let at = table.vector("at");
    table.finish();
    Some(AttachSpec::Placed { kind: kind?.to_owned(), at: at? })
}
