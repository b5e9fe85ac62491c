//! From the sections of a file to blocks of cells and named sets.

use std::collections::{BTreeMap, HashMap};

use super::Note;
use super::element::Kind;
use super::error::ParseMshError;
use super::raw::{RawFile, Run};
use crate::{CellBlock, CellRef, CellShape, FaceRef, FaceShape, FaceTable, Mesh, Set};

/// The mesh in a file, and notes for the user.
pub(super) fn mesh(raw: RawFile) -> Result<(Mesh, Vec<Note>), ParseMshError> {
    of_dimension(raw, 3)
}

/// The surfaces in a file as shells, and notes for the user.
pub(super) fn shells(mut raw: RawFile) -> Result<(Mesh, Vec<Note>), ParseMshError> {
    if cell_runs(&raw.runs).next().is_some() {
        return Err(ParseMshError::SolidShells);
    }
    for run in &mut raw.runs {
        match run.kind {
            Kind::Face(FaceShape::Tri3) => run.kind = Kind::Cell(CellShape::Tri3),
            Kind::Face(FaceShape::Quad4) => run.kind = Kind::Cell(CellShape::Quad4),
            _ => {}
        }
    }
    of_dimension(raw, 2)
}

/// The mesh whose cells have this dimension.
fn of_dimension(mut raw: RawFile, dimension: u8) -> Result<(Mesh, Vec<Note>), ParseMshError> {
    name_groups_of_tags(&mut raw);
    merge_repeated_cells(&mut raw, dimension);
    let mut mesh = Mesh { points: std::mem::take(&mut raw.points), ..Mesh::default() };
    let mut members = Members::default();
    place_cells(&raw, &mut mesh, &mut members);
    if mesh.blocks.is_empty() {
        return Err(ParseMshError::NoVolume { found: kinds_found(&raw.runs) });
    }
    let mut notes = Vec::new();
    let unused = mesh.points.len() - mesh.used_nodes().len();
    if unused > 0 {
        notes.push(Note::UnusedNodes { count: unused });
    }
    match_faces(&raw, &mesh, &mut members);
    gather_nodes(&raw, &mut members);
    name_sets(&raw, dimension, members, &mut mesh, &mut notes);
    Ok((mesh, notes))
}

/// Assigns names that have only a tag to the groups of all dimensions with this tag.
fn name_groups_of_tags(raw: &mut RawFile) {
    for (tag, name) in std::mem::take(&mut raw.names_of_tags) {
        let groups: Vec<_> = (0..4).map(|dim| (dim, tag)).filter(|g| raw.physical.contains_key(g)).collect();
        // A group without elements is noted with its name, whatever its dimension.
        let groups = if groups.is_empty() { vec![(3, tag)] } else { groups };
        raw.names.extend(groups.into_iter().map(|group| (group, name.clone())));
    }
}

/// Members of each physical group, by dimension.
#[derive(Debug, Default)]
struct Members {
    cells: BTreeMap<i32, Vec<CellRef>>,
    faces: BTreeMap<i32, Vec<FaceRef>>,
    /// Number and nodes of surface elements that are not a face of a cell.
    loose: BTreeMap<i32, (usize, Vec<u32>)>,
    curves: BTreeMap<i32, Vec<u32>>,
    points: BTreeMap<i32, Vec<u32>>,
}

/// A cell that a file of version 1 or 2 may hold several times.
struct RepeatedCell {
    /// Number of the first copy among the cells of the file.
    position: usize,
    shape: CellShape,
    nodes: Vec<u32>,
    /// Groups of all copies.
    tags: Vec<i32>,
}

/// Versions 1 and 2 write an element once for each of its groups: the copies become one cell in all of these
/// groups.
fn merge_repeated_cells(raw: &mut RawFile, dimension: u8) {
    let mut groups: Vec<i32> = cell_runs(&raw.runs).map(|(_, run)| run.entity.1).collect();
    groups.sort_unstable();
    groups.dedup();
    let by_group = |run: &Run| raw.physical.get(&run.entity).is_some_and(|tags| tags == &[run.entity.1]);
    if groups.len() < 2 || !cell_runs(&raw.runs).all(|(_, run)| by_group(run)) {
        return;
    }
    let mut first: HashMap<(CellShape, Vec<u32>), RepeatedCell> = HashMap::new();
    let mut n_cells = 0;
    for (shape, run) in cell_runs(&raw.runs) {
        for nodes in run.nodes.chunks_exact(shape.n_nodes()) {
            let mut key = nodes.to_vec();
            key.sort_unstable();
            let cell = first.entry((shape, key)).or_insert_with(|| RepeatedCell {
                position: n_cells,
                shape,
                nodes: nodes.to_vec(),
                tags: Vec::new(),
            });
            cell.tags.push(run.entity.1);
            n_cells += 1;
        }
    }
    if first.len() == n_cells {
        return;
    }
    let mut cells: Vec<RepeatedCell> = first.into_values().collect();
    cells.sort_unstable_by_key(|cell| cell.position);
    raw.runs.retain(|run| !matches!(run.kind, Kind::Cell(_)));
    raw.physical.retain(|key, _| key.0 != dimension);
    // Each combination of groups becomes a separate entity.
    let mut entities: BTreeMap<Vec<i32>, i32> = BTreeMap::new();
    for RepeatedCell { shape, nodes, mut tags, .. } in cells {
        tags.sort_unstable();
        tags.dedup();
        let next = entities.len() as i32 + 1;
        let entity = (dimension, *entities.entry(tags.clone()).or_insert(next));
        raw.physical.entry(entity).or_insert(tags);
        match raw.runs.last_mut() {
            Some(run) if run.kind == Kind::Cell(shape) && run.entity == entity => run.nodes.extend(nodes),
            _ => raw.runs.push(Run { kind: Kind::Cell(shape), entity, nodes }),
        }
    }
}

fn cell_runs(runs: &[Run]) -> impl Iterator<Item = (CellShape, &Run)> {
    runs.iter().filter_map(|run| if let Kind::Cell(shape) = run.kind { Some((shape, run)) } else { None })
}

/// Physical tags of the entity of a run.
fn tags_of<'a>(raw: &'a RawFile, run: &Run) -> &'a [i32] {
    raw.physical.get(&run.entity).map_or(&[], Vec::as_slice)
}

/// Makes one block of each kind of cell and combination of physical groups, in the order of the file.
fn place_cells(raw: &RawFile, mesh: &mut Mesh, members: &mut Members) {
    let mut block_of: HashMap<(CellShape, &[i32]), usize> = HashMap::new();
    for (shape, run) in cell_runs(&raw.runs) {
        let tags = tags_of(raw, run);
        let i_block = *block_of.entry((shape, tags)).or_insert_with(|| {
            mesh.blocks.push(CellBlock { shape, connectivity: Vec::new() });
            mesh.blocks.len() - 1
        });
        let block = &mut mesh.blocks[i_block];
        let before = block.n_cells() as u32;
        block.connectivity.extend_from_slice(&run.nodes);
        let after = block.n_cells() as u32;
        for tag in tags {
            let cells = (before..after).map(|cell| CellRef { block: i_block as u32, cell });
            members.cells.entry(*tag).or_default().extend(cells);
        }
    }
}

/// Finds the cell face of each surface element of a group.
fn match_faces(raw: &RawFile, mesh: &Mesh, members: &mut Members) {
    let mut table = None;
    for run in &raw.runs {
        let (Kind::Face(shape), tags) = (run.kind, tags_of(raw, run)) else { continue };
        if tags.is_empty() {
            continue;
        }
        let table = table.get_or_insert_with(|| FaceTable::new(mesh));
        for nodes in run.nodes.chunks_exact(shape.n_nodes()) {
            let face = table.behind(mesh, shape, nodes);
            for tag in tags {
                if let Some(face) = face {
                    members.faces.entry(*tag).or_default().push(face);
                } else {
                    let (count, loose) = members.loose.entry(*tag).or_default();
                    *count += 1;
                    loose.extend_from_slice(nodes);
                }
            }
        }
    }
}

/// Collects the nodes of groups of curves and points.
fn gather_nodes(raw: &RawFile, members: &mut Members) {
    for run in raw.runs.iter().filter(|run| matches!(run.kind, Kind::Wire(_))) {
        for tag in tags_of(raw, run) {
            let nodes = if run.entity.0 == 0 { &mut members.points } else { &mut members.curves };
            nodes.entry(*tag).or_default().extend_from_slice(&run.nodes);
        }
    }
}

/// Makes the set of every group. If groups of different dimensions share a name, the highest dimension keeps
/// it.
fn name_sets(raw: &RawFile, dimension: u8, members: Members, mesh: &mut Mesh, notes: &mut Vec<Note>) {
    let used = mesh.node_is_used();
    let mut named = NamedSets { raw, sets: BTreeMap::new(), used: Vec::new() };
    for (tag, cells) in members.cells {
        named.insert(dimension, tag, Set::of_cells(cells));
    }
    let mut loose = members.loose;
    for (tag, faces) in members.faces {
        let name = named.insert(2, tag, Set::of_faces(faces));
        if let Some((count, mut nodes)) = loose.remove(&tag) {
            // The group without nodes that have no dofs: its faces' nodes and the used nodes of loose
            // elements.
            nodes.retain(|node| used[*node as usize]);
            let face_nodes = mesh.nodes_of(&named.sets[&name]);
            named.insert(2, tag, Set::of_nodes([face_nodes, nodes].concat()));
            notes.push(Note::LooseSurface { name, count, all: false });
        }
    }
    for (tag, (count, nodes)) in loose {
        let name = named.insert(2, tag, Set::of_nodes(nodes));
        notes.push(Note::LooseSurface { name, count, all: true });
    }
    for (tag, nodes) in members.curves {
        named.insert(1, tag, Set::of_nodes(nodes));
    }
    for (tag, nodes) in members.points {
        named.insert(0, tag, Set::of_nodes(nodes));
    }
    let empty = raw.names.iter().filter(|(key, _)| !named.used.contains(key));
    notes.extend(empty.map(|(_, name)| Note::EmptyGroup { name: name.clone() }));
    mesh.sets = named.sets;
}

/// Sets under names that are not in use.
struct NamedSets<'a> {
    raw: &'a RawFile,
    sets: BTreeMap<String, Set>,
    used: Vec<(u8, i32)>,
}

impl NamedSets<'_> {
    /// Adds the set of a group; returns its name.
    fn insert(&mut self, dim: u8, tag: i32, set: Set) -> String {
        let given = self.raw.names.get(&(dim, tag)).filter(|name| !name.is_empty());
        let base = given.cloned().unwrap_or_else(|| format!("physical{tag}"));
        let mut name = base.clone();
        let mut n = 1;
        while self.sets.contains_key(&name) {
            name =
                if n == 1 { format!("{base}.{}", set.kind()) } else { format!("{base}.{}.{n}", set.kind()) };
            n += 1;
        }
        self.used.push((dim, tag));
        self.sets.insert(name.clone(), set);
        name
    }
}

/// "12 tri6, 3 line3", or "nothing".
fn kinds_found(runs: &[Run]) -> String {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for run in runs {
        *counts.entry(run.kind.name()).or_default() += run.nodes.len() / run.kind.n_nodes();
    }
    if counts.is_empty() {
        return "nodes".to_owned();
    }
    counts.iter().map(|(name, count)| format!("{count} {name}")).collect::<Vec<_>>().join(", ")
}
