//! The sections of MSH 2.0, 2.1 and 2.2, where every element carries its physical tag.

use super::cursor::{Cursor, Encoding};
use super::element::Kind;
use super::error::ParseMshError;
use super::raw::{EntityKey, RawFile};
use crate::CellShape;

/// `$Nodes`, in MSH 1 `$NOD`: number and coordinates of each. The count is text even in binary files.
///
/// * `section` — name of the section
pub(super) fn nodes(
    cursor: &mut Cursor<'_>,
    raw: &mut RawFile,
    section: &'static str,
) -> Result<(), ParseMshError> {
    let count = count(cursor)?;
    let count = cursor.expect_room(count, 8, "nodes")?;
    let (mut tags, mut points) = (Vec::with_capacity(count), Vec::with_capacity(count));
    for _ in 0..count {
        tags.push(node_tag(cursor)?);
        points.push([cursor.double()?, cursor.double()?, cursor.double()?]);
    }
    cursor.end_section(section)?;
    raw.set_nodes(cursor, &tags, points)
}

/// `$Elements`: text gives number, type, tags and nodes in a line; binary runs of elements of one type.
///
/// * `has_partition_count` — since 2.2 the third tag is the number of partitions, so that it marks a
///   partitioned mesh; before, it was the number of the element's single partition
pub(super) fn elements(
    cursor: &mut Cursor<'_>,
    raw: &mut RawFile,
    has_partition_count: bool,
) -> Result<(), ParseMshError> {
    let count = count(cursor)?;
    let count = cursor.expect_room(count, 8, "elements")?;
    let mut left = count;
    while left > 0 {
        // Text puts the number of the element before its type, binary after it.
        let ascii = cursor.encoding == Encoding::Ascii;
        let first = if ascii { Some(cursor.int()?) } else { None };
        let number = cursor.int()?;
        let kind = Kind::from_gmsh(number)
            .map_err(|kind| ParseMshError::UnsupportedElement { place: cursor.place(), kind })?;
        let run = if ascii { 1 } else { cursor.int()? };
        let n_tags = cursor.int()?;
        let run = usize::try_from(run).ok().filter(|run| (1..=left).contains(run)).ok_or_else(|| {
            ParseMshError::Count { place: cursor.place(), what: "elements", count: run as u64, left: 0 }
        })?;
        for _ in 0..run {
            element(cursor, raw, kind, first, n_tags, has_partition_count)?;
        }
        left -= run;
    }
    cursor.end_section("Elements")
}

/// Reads one element from its tags on (binary: from its number on).
fn element(
    cursor: &mut Cursor<'_>,
    raw: &mut RawFile,
    kind: Kind,
    number: Option<i32>,
    n_tags: i32,
    has_partition_count: bool,
) -> Result<(), ParseMshError> {
    let number = match number {
        Some(number) => number,
        None => cursor.int()?,
    };
    // Physical group, geometric entity, number of partitions, the partitions.
    let mut physical = 0;
    for i in 0..n_tags {
        let tag = cursor.int()?;
        if i == 0 {
            physical = tag.saturating_abs();
        } else if i == 2 && tag > 0 && has_partition_count {
            return Err(ParseMshError::Partitioned { place: cursor.place() });
        }
    }
    let mut tags = [0; CellShape::MAX_NODES];
    let tags = &mut tags[..kind.n_nodes()];
    for tag in &mut *tags {
        *tag = node_tag(cursor)?;
    }
    let entity = group(raw, kind, physical);
    raw.push_element(cursor, kind, entity, number.unsigned_abs().into(), tags)
}

/// The physical group as an entity: elements of one dimension and tag; 0 means no group.
pub(super) fn group(raw: &mut RawFile, kind: Kind, physical: i32) -> EntityKey {
    let dim = match kind {
        Kind::Cell(_) => 3,
        Kind::Face(_) => 2,
        Kind::Wire(1) => 0,
        Kind::Wire(_) => 1,
    };
    let entity = (dim, physical);
    if physical > 0 {
        raw.physical.entry(entity).or_insert_with(|| vec![physical]);
    }
    entity
}

/// The count of a section and, in binary files, the end of its line.
fn count(cursor: &mut Cursor<'_>) -> Result<u64, ParseMshError> {
    let count = cursor.text("a count")?;
    if cursor.encoding != Encoding::Ascii {
        cursor.line();
    }
    Ok(count)
}

/// The number of a node, which these versions write as an `int`.
pub(super) fn node_tag(cursor: &mut Cursor<'_>) -> Result<u64, ParseMshError> {
    let tag = cursor.int()?;
    u64::try_from(tag).map_err(|_| ParseMshError::Number {
        place: cursor.place(),
        wanted: "a node number",
        found: tag.to_string(),
    })
}
