//! The table `[output]`.

use super::decode::{Table, list_of};
use super::model::{
    FrameField, OutputSpec, PictureCells, PictureCompression, PictureField, PictureFormat, PictureSpec,
    Precision,
};
use super::problem::ProblemKind;
use super::suggest::nearest;

const CELLS: [(&str, PictureCells); 2] = [("surface", PictureCells::Surface), ("all", PictureCells::All)];
const COMPRESSIONS: [(&str, PictureCompression); 3] = [
    ("zlib", PictureCompression::Zlib),
    ("lz4", PictureCompression::Lz4),
    ("none", PictureCompression::None),
];
const PRECISIONS: [(&str, Precision); 2] = [("double", Precision::Double), ("single", Precision::Single)];
const FORMATS: [(&str, PictureFormat); 2] = [("vtu", PictureFormat::Vtu), ("vtkhdf", PictureFormat::Vtkhdf)];

pub(super) fn output(table: Table<'_>) -> OutputSpec {
    let fields = chosen(&table, "fields", &PictureField::NAMES, PictureField::Displacement);
    let pictures = PictureSpec {
        cells: table.choice("cells", &CELLS).unwrap_or_default(),
        fields: fields.unwrap_or(PictureSpec::default().fields),
        every: table.count("every", 1),
        compression: table.choice("compression", &COMPRESSIONS).unwrap_or_default(),
        format: table.choice("format", &FORMATS).unwrap_or_default(),
    };
    let default = OutputSpec::default();
    let frame_fields = chosen(&table, "frame_fields", &FrameField::NAMES, FrameField::Displacement);
    let output = OutputSpec {
        contact_frames: table.count("contact_frames", 0).unwrap_or(default.contact_frames),
        precision: table.choice("precision", &PRECISIONS).unwrap_or_default(),
        frame_fields: frame_fields.unwrap_or(default.frame_fields),
        pictures: Some(pictures),
    };
    table.finish_beside(&[("output_every", "[simulation]")]);
    output
}

/// The named fields in the order of `all`, each once, with a field that is always one of them: the
/// displacement, which places the body. None if the key is not given.
fn chosen<F: Copy + PartialEq, const N: usize>(
    table: &Table<'_>,
    key: &'static str,
    all: &[(&'static str, F); N],
    always: F,
) -> Option<Vec<F>> {
    let mut wanted = vec![always];
    for (word, span) in table.texts(key)? {
        match all.iter().find(|(name, _)| *name == word) {
            Some((_, field)) => wanted.push(*field),
            None => {
                let names = all.map(|(name, _)| name);
                let suggestion = nearest(&word, names);
                let choices = list_of(&names);
                let key = key.to_owned();
                table.problem(&span, ProblemKind::UnknownChoice { key, found: word, suggestion, choices });
            }
        }
    }
    Some(all.iter().map(|(_, field)| *field).filter(|field| wanted.contains(field)).collect())
}
