//! The sections of MSH 4.0: those of 4.1 with other orders and sizes of numbers. Its entities are read by
//! [`super::v41::entities`].

use super::cursor::Cursor;
use super::element::Kind;
use super::error::ParseMshError;
use super::raw::{RawFile, dimension};
use super::v2;
use crate::CellShape;

/// `$Nodes`, in blocks by entity; the tag of a node precedes its coordinates.
pub(super) fn nodes(cursor: &mut Cursor<'_>, raw: &mut RawFile) -> Result<(), ParseMshError> {
    let n_blocks = cursor.size()?;
    let announced = cursor.size()?;
    let n_nodes = cursor.expect_room(announced, 8, "nodes")?;
    let (mut tags, mut points) = (Vec::with_capacity(n_nodes), Vec::with_capacity(n_nodes));
    for _ in 0..n_blocks {
        cursor.int()?;
        let dim = cursor.int()?;
        let dim = dimension(cursor, dim)?;
        let n_parameters = if cursor.int()? == 0 { 0 } else { u64::from(dim) };
        let count = cursor.size()?;
        let count = cursor.expect_room(count, 8, "nodes")?;
        for _ in 0..count {
            tags.push(v2::node_tag(cursor)?);
            points.push([cursor.double()?, cursor.double()?, cursor.double()?]);
            if n_parameters > 0 {
                cursor.skip_numbers(n_parameters, 8, "parametric coordinates")?;
            }
        }
    }
    if points.len() != n_nodes {
        let found = format!("{} nodes instead of {n_nodes}", points.len());
        return Err(ParseMshError::EndMark { place: cursor.place(), name: "Nodes", found });
    }
    cursor.end_section("Nodes")?;
    raw.set_nodes(cursor, &tags, points)
}

/// `$Elements`, in blocks by entity and kind.
pub(super) fn elements(cursor: &mut Cursor<'_>, raw: &mut RawFile) -> Result<(), ParseMshError> {
    let n_blocks = cursor.size()?;
    let announced = cursor.size()?;
    let n_elements = cursor.expect_room(announced, 4, "elements")?;
    let mut read = 0;
    let mut tags = [0; CellShape::MAX_NODES];
    for _ in 0..n_blocks {
        let tag = cursor.int()?;
        let dim = cursor.int()?;
        let entity = (dimension(cursor, dim)?, tag);
        let number = cursor.int()?;
        let kind = Kind::from_gmsh(number)
            .map_err(|kind| ParseMshError::UnsupportedElement { place: cursor.place(), kind })?;
        let tags = &mut tags[..kind.n_nodes()];
        let count = cursor.size()?;
        let count = cursor.expect_room(count, 2 * (1 + tags.len()), "elements")?;
        read += count;
        for _ in 0..count {
            let element = cursor.int()?;
            for tag in &mut *tags {
                *tag = v2::node_tag(cursor)?;
            }
            raw.push_element(cursor, kind, entity, element.unsigned_abs().into(), tags)?;
        }
    }
    if read != n_elements {
        let found = format!("{read} elements instead of {n_elements}");
        return Err(ParseMshError::EndMark { place: cursor.place(), name: "Elements", found });
    }
    cursor.end_section("Elements")
}
