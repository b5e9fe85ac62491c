//! The content of an MSH file before it becomes a mesh.

use std::collections::{BTreeMap, HashMap};

use carom_files::coordinates::ImpossiblePoint;

use super::cursor::Cursor;
use super::element::Kind;
use super::error::ParseMshError;

/// A geometric entity (4.0, 4.1) or a physical group (1, 2.0 to 2.2) of a dimension 0 to 3.
pub(super) type EntityKey = (u8, i32);

/// Elements of one kind on one entity, in VTK's node order.
#[derive(Debug, Clone)]
pub(super) struct Run {
    pub(super) kind: Kind,
    pub(super) entity: EntityKey,
    /// Node numbers from zero, element after element.
    pub(super) nodes: Vec<u32>,
}

/// The sections of a file that define the mesh.
#[derive(Debug, Clone, Default)]
pub(super) struct RawFile {
    pub(super) points: Vec<[f64; 3]>,
    pub(super) numbers: NodeNumbers,
    /// Names of physical groups by dimension and tag.
    pub(super) names: BTreeMap<EntityKey, String>,
    /// Names of physical groups by tag alone, as in MSH 2.0: they belong to groups of any dimension.
    pub(super) names_of_tags: BTreeMap<i32, String>,
    /// Physical tags of each entity, ascending.
    pub(super) physical: HashMap<EntityKey, Vec<i32>>,
    pub(super) runs: Vec<Run>,
}

/// Map from the tags of a file, which may have gaps, to node numbers in the order of the file.
#[derive(Debug, Clone)]
pub(super) enum NodeNumbers {
    /// Table by tag, for tags not much larger than the number of nodes; `u32::MAX` marks unused tags.
    Dense(Vec<u32>),
    /// Map for other tags.
    Sparse(HashMap<u64, u32>),
}

impl Default for NodeNumbers {
    fn default() -> Self {
        Self::Dense(Vec::new())
    }
}

impl NodeNumbers {
    /// Numbers `tags` in their order; the error is the second of two equal tags.
    pub(super) fn new(tags: &[u64]) -> Result<Self, u64> {
        let largest = tags.iter().copied().max().unwrap_or(0);
        if largest <= 4 * tags.len() as u64 + 1024 {
            let mut table = vec![u32::MAX; largest as usize + 1];
            for (number, &tag) in tags.iter().enumerate() {
                if std::mem::replace(&mut table[tag as usize], number as u32) != u32::MAX {
                    return Err(tag);
                }
            }
            return Ok(Self::Dense(table));
        }
        let mut map = HashMap::with_capacity(tags.len());
        for (number, &tag) in tags.iter().enumerate() {
            if map.insert(tag, number as u32).is_some() {
                return Err(tag);
            }
        }
        Ok(Self::Sparse(map))
    }

    /// The number of the node with this tag.
    #[inline]
    pub(super) fn get(&self, tag: u64) -> Option<u32> {
        match self {
            Self::Dense(table) => {
                usize::try_from(tag).ok().and_then(|i| table.get(i)).copied().filter(|&n| n != u32::MAX)
            }
            Self::Sparse(map) => map.get(&tag).copied(),
        }
    }
}

impl RawFile {
    /// Sets the nodes of a file.
    pub(super) fn set_nodes(
        &mut self,
        cursor: &Cursor<'_>,
        tags: &[u64],
        points: Vec<[f64; 3]>,
    ) -> Result<(), ParseMshError> {
        for (&tag, &x) in tags.iter().zip(&points) {
            ImpossiblePoint::check("node", tag, x)?;
        }
        self.numbers = NodeNumbers::new(tags)
            .map_err(|tag| ParseMshError::RepeatedNode { place: cursor.place(), tag })?;
        self.points = points;
        Ok(())
    }

    /// Appends an element with its node tags in Gmsh's order.
    #[inline]
    pub(super) fn push_element(
        &mut self,
        cursor: &Cursor<'_>,
        kind: Kind,
        entity: EntityKey,
        element: u64,
        tags: &[u64],
    ) -> Result<(), ParseMshError> {
        if self.runs.last().is_none_or(|run| run.kind != kind || run.entity != entity) {
            self.runs.push(Run { kind, entity, nodes: Vec::new() });
        }
        let nodes = &mut self.runs.last_mut().expect("a run was just pushed").nodes;
        for &place in kind.gmsh_places() {
            let tag = tags[place as usize];
            let node = self.numbers.get(tag).ok_or_else(|| ParseMshError::UnknownNode {
                place: cursor.place(),
                element,
                tag,
            })?;
            nodes.push(node);
        }
        Ok(())
    }
}

/// The valid dimension of a number from a file.
pub(super) fn dimension(cursor: &Cursor<'_>, found: i32) -> Result<u8, ParseMshError> {
    u8::try_from(found)
        .ok()
        .filter(|d| *d <= 3)
        .ok_or_else(|| ParseMshError::Dimension { place: cursor.place(), found })
}
