//! The sections of MSH 1, which are text and have names of their own: `$NOD` and `$ELM`.

use super::cursor::Cursor;
use super::element::Kind;
use super::error::ParseMshError;
use super::raw::RawFile;
use super::v2;
use crate::CellShape;

/// `$ELM`: number, type, physical group, geometric entity, number of nodes, nodes.
pub(super) fn elements(cursor: &mut Cursor<'_>, raw: &mut RawFile) -> Result<(), ParseMshError> {
    let count = cursor.size()?;
    let count = cursor.expect_room(count, 8, "elements")?;
    let mut tags = [0; CellShape::MAX_NODES];
    for _ in 0..count {
        let number = cursor.int()?;
        let kind = cursor.int()?;
        let kind = Kind::from_gmsh(kind)
            .map_err(|kind| ParseMshError::UnsupportedElement { place: cursor.place(), kind })?;
        let physical = cursor.int()?.saturating_abs();
        cursor.int()?;
        let n_nodes = cursor.int()?;
        if usize::try_from(n_nodes) != Ok(kind.n_nodes()) {
            let (name, wanted) = (kind.name(), kind.n_nodes());
            return Err(ParseMshError::NodeCount { place: cursor.place(), name, found: n_nodes, wanted });
        }
        let tags = &mut tags[..kind.n_nodes()];
        for tag in &mut *tags {
            *tag = v2::node_tag(cursor)?;
        }
        let entity = v2::group(raw, kind, physical);
        raw.push_element(cursor, kind, entity, number.unsigned_abs().into(), tags)?;
    }
    cursor.end_section("ELM")
}
