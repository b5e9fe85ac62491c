//! The table `[output]`.

use super::decode::{Table, list_of};
use super::model::{OutputSpec, PictureCells, PictureCompression, PictureField, PictureFormat, PictureSpec};
use super::problem::ProblemKind;
use super::suggest::nearest;

const CELLS: [(&str, PictureCells); 2] = [("surface", PictureCells::Surface), ("all", PictureCells::All)];
const COMPRESSIONS: [(&str, PictureCompression); 3] = [
    ("zlib", PictureCompression::Zlib),
    ("lz4", PictureCompression::Lz4),
    ("none", PictureCompression::None),
];
const FORMATS: [(&str, PictureFormat); 2] = [("vtu", PictureFormat::Vtu), ("vtkhdf", PictureFormat::Vtkhdf)];

pub(super) fn output(table: Table<'_>) -> OutputSpec {
    let pictures = PictureSpec {
        cells: table.choice("cells", &CELLS).unwrap_or_default(),
        fields: fields(&table),
        every: table.count("every", 1),
        compression: table.choice("compression", &COMPRESSIONS).unwrap_or_default(),
        format: table.choice("format", &FORMATS).unwrap_or_default(),
    };
    let contact_frames = table.count("contact_frames", 0).unwrap_or(OutputSpec::CONTACT_FRAMES);
    table.finish_beside(&[("output_every", "[simulation]")]);
    OutputSpec { contact_frames, pictures: Some(pictures) }
}

/// The fields in the order of [`PictureField::NAMES`], each once; the displacement, which places the body, is
/// always there.
fn fields(table: &Table<'_>) -> Vec<PictureField> {
    let Some(words) = table.texts("fields") else { return PictureSpec::default().fields };
    let mut wanted = vec![PictureField::Displacement];
    for (word, span) in words {
        match PictureField::NAMES.iter().find(|(name, _)| *name == word) {
            Some((_, field)) => wanted.push(*field),
            None => {
                let names = PictureField::NAMES.map(|(name, _)| name);
                let suggestion = nearest(&word, names);
                let choices = list_of(&names);
                let key = "fields".to_owned();
                table.problem(&span, ProblemKind::UnknownChoice { key, found: word, suggestion, choices });
            }
        }
    }
    let named = PictureField::NAMES.into_iter().map(|(_, field)| field);
    named.filter(|field| wanted.contains(field)).collect()
}
