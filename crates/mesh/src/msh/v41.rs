//! The sections of MSH 4.1, and the entities of 4.0.

use super::cursor::Cursor;
use super::element::Kind;
use super::error::ParseMshError;
use super::raw::{RawFile, dimension};
use crate::CellShape;

/// `$Entities`: the physical groups of each point, curve, surface and volume.
///
/// * `point_has_box` — in 4.0 a point has the corners of a box like other entities, in 4.1 its coordinates
pub(super) fn entities(
    cursor: &mut Cursor<'_>,
    raw: &mut RawFile,
    point_has_box: bool,
) -> Result<(), ParseMshError> {
    let mut counts = [0; 4];
    for count in &mut counts {
        *count = cursor.size()?;
    }
    for (dim, &count) in counts.iter().enumerate() {
        cursor.expect_room(count, 8, "entities")?;
        for _ in 0..count {
            let tag = cursor.int()?;
            let n_coordinates = if dim == 0 && !point_has_box { 3 } else { 6 };
            cursor.skip_numbers(n_coordinates, 8, "coordinates")?;
            let n_physical = cursor.size()?;
            let n_physical = cursor.expect_room(n_physical, 2, "physical tags")?;
            let mut physical = Vec::with_capacity(n_physical);
            for _ in 0..n_physical {
                // The sign is the orientation of a curve or surface; the faces of the cells have their own.
                physical.push(cursor.int()?.saturating_abs());
            }
            physical.sort_unstable();
            physical.dedup();
            if dim > 0 {
                let n_bounding = cursor.size()?;
                cursor.skip_numbers(n_bounding, 4, "bounding entities")?;
            }
            raw.physical.insert((dim as u8, tag), physical);
        }
    }
    cursor.end_section("Entities")
}

/// `$Nodes`, in blocks by entity: first the tags of a block, then its coordinates.
pub(super) fn nodes(cursor: &mut Cursor<'_>, raw: &mut RawFile) -> Result<(), ParseMshError> {
    let n_blocks = cursor.size()?;
    let announced = cursor.size()?;
    let n_nodes = cursor.expect_room(announced, 8, "nodes")?;
    cursor.skip_numbers(2, 8, "the smallest and largest node number")?;
    let (mut tags, mut points) = (Vec::with_capacity(n_nodes), Vec::with_capacity(n_nodes));
    for _ in 0..n_blocks {
        let dim = cursor.int()?;
        let dim = dimension(cursor, dim)?;
        cursor.int()?;
        let n_parameters = if cursor.int()? == 0 { 0 } else { u64::from(dim) };
        let count = cursor.size()?;
        let count = cursor.expect_room(count, 8, "nodes")?;
        for _ in 0..count {
            tags.push(cursor.size()?);
        }
        for _ in 0..count {
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
    cursor.skip_numbers(2, 8, "the smallest and largest element number")?;
    let mut read = 0;
    let mut tags = [0; CellShape::MAX_NODES];
    for _ in 0..n_blocks {
        let dim = cursor.int()?;
        let entity = (dimension(cursor, dim)?, cursor.int()?);
        let number = cursor.int()?;
        let kind = Kind::from_gmsh(number)
            .map_err(|kind| ParseMshError::UnsupportedElement { place: cursor.place(), kind })?;
        let tags = &mut tags[..kind.n_nodes()];
        let count = cursor.size()?;
        let count = cursor.expect_room(count, 2 * (1 + tags.len()), "elements")?;
        read += count;
        for _ in 0..count {
            let element = cursor.size()?;
            for tag in &mut *tags {
                *tag = cursor.size()?;
            }
            raw.push_element(cursor, kind, entity, element, tags)?;
        }
    }
    if read != n_elements {
        let found = format!("{read} elements instead of {n_elements}");
        return Err(ParseMshError::EndMark { place: cursor.place(), name: "Elements", found });
    }
    cursor.end_section("Elements")
}
