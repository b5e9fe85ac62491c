//! Writing MSH 4.1 as text.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::path::Path;

use carom_files::write_atomically;

use super::element::Kind;
use super::error::WriteMshError;
use crate::{CellRef, CellShape, FaceRef, FaceShape, Mesh, Set};

/// Numbers of the sets that contain an element, ascending: elements of the same sets become one entity.
type Membership = Vec<i32>;

/// Writes `mesh` as MSH 4.1 text to a temporary file, which is renamed once it is complete.
///
/// Reading the file back gives the same points, cells and sets; blocks are distinguished by kind and by the
/// cell sets that contain them. If the mesh has sets, cells in none of them become the group `volume`: Gmsh
/// saves, and meshio reads, files in which all elements have groups or none has.
///
/// # Errors
///
/// [`WriteMshError`]: the file cannot be written, or a set has a name that the format cannot hold.
pub fn write(path: &Path, mesh: &Mesh) -> Result<(), WriteMshError> {
    check_names(mesh)?;
    Ok(write_atomically(path, |out| write_text(out, mesh))?)
}

/// Name of the physical group of cells that are in no set.
pub(super) const REST: &str = "volume";

/// The sets as written: those of the mesh, and [`REST`] if needed (with underscores if a set has this name).
fn written_sets(mesh: &Mesh) -> BTreeMap<String, Set> {
    let mut sets: BTreeMap<String, Set> =
        mesh.sets.iter().map(|(name, set)| (name.clone(), set.clone())).collect();
    if sets.is_empty() {
        return sets;
    }
    let cells_in_sets = sets.values().filter_map(|set| match set {
        Set::Cells(members) => Some(members),
        _ => None,
    });
    let grouped: BTreeSet<CellRef> = cells_in_sets.flatten().copied().collect();
    let rest: Vec<CellRef> =
        mesh.cells().map(|(cell, ..)| cell).filter(|cell| !grouped.contains(cell)).collect();
    if !rest.is_empty() {
        let mut name = REST.to_owned();
        while sets.contains_key(&name) {
            name.push('_');
        }
        sets.insert(name, Set::Cells(rest));
    }
    sets
}

/// Writes `mesh` as MSH 4.1 text to any writer.
///
/// # Errors
///
/// [`WriteMshError::Name`] before anything is written; [`WriteMshError::Write`] otherwise.
pub fn write_to(out: &mut dyn Write, mesh: &Mesh) -> Result<(), WriteMshError> {
    check_names(mesh)?;
    write_text(out, mesh).map_err(|source| WriteMshError::Write { source })
}

fn check_names(mesh: &Mesh) -> Result<(), WriteMshError> {
    match mesh.sets.keys().find(|name| name.contains(['"', '\n', '\r'])) {
        Some(name) => Err(WriteMshError::Name { name: name.clone() }),
        None => Ok(()),
    }
}

/// Elements of one kind and one membership.
struct Entity {
    dim: u8,
    membership: Membership,
    kind: Kind,
    /// Node numbers from zero in VTK's order.
    nodes: Vec<u32>,
}

fn write_text(out: &mut dyn Write, mesh: &Mesh) -> io::Result<()> {
    let sets = written_sets(mesh);
    let entities = entities(mesh, &sets);
    writeln!(out, "$MeshFormat\n4.1 0 8\n$EndMeshFormat")?;
    write_names(out, &sets)?;
    write_entities(out, mesh, &entities)?;
    write_nodes(out, mesh, &entities)?;
    write_elements(out, &entities)
}

fn dimension(set: &Set) -> u8 {
    match set {
        Set::Nodes(_) => 0,
        Set::Faces(_) => 2,
        Set::Cells(_) => 3,
    }
}

fn write_names(out: &mut dyn Write, sets: &BTreeMap<String, Set>) -> io::Result<()> {
    if sets.is_empty() {
        return Ok(());
    }
    writeln!(out, "$PhysicalNames\n{}", sets.len())?;
    for (tag, (name, set)) in (1..).zip(sets) {
        writeln!(out, "{} {tag} \"{name}\"", dimension(set))?;
    }
    writeln!(out, "$EndPhysicalNames")
}

/// All elements of the file: nodes in sets, faces in sets, cells.
fn entities(mesh: &Mesh, sets: &BTreeMap<String, Set>) -> Vec<Entity> {
    let mut nodes: BTreeMap<u32, Membership> = BTreeMap::new();
    let mut faces: BTreeMap<FaceRef, Membership> = BTreeMap::new();
    let mut cells: BTreeMap<CellRef, Membership> = BTreeMap::new();
    for (tag, set) in (1..).zip(sets.values()) {
        match set {
            Set::Nodes(members) => members.iter().for_each(|n| nodes.entry(*n).or_default().push(tag)),
            Set::Faces(members) => members.iter().for_each(|f| faces.entry(*f).or_default().push(tag)),
            Set::Cells(members) => members.iter().for_each(|c| cells.entry(*c).or_default().push(tag)),
        }
    }
    let mut points: BTreeMap<Membership, Vec<u32>> = BTreeMap::new();
    for (node, membership) in nodes {
        points.entry(membership).or_default().push(node);
    }
    let mut surfaces: BTreeMap<(Membership, FaceShape), Vec<u32>> = BTreeMap::new();
    for (face, membership) in faces {
        let (shape, nodes) = mesh.face(face);
        surfaces.entry((membership, shape)).or_default().extend(nodes);
    }
    let mut all: Vec<Entity> = Vec::new();
    all.extend(points.into_iter().map(|(membership, nodes)| Entity {
        dim: 0,
        membership,
        kind: Kind::Wire(1),
        nodes,
    }));
    all.extend(surfaces.into_iter().map(|((membership, shape), nodes)| Entity {
        dim: 2,
        membership,
        kind: Kind::Face(shape),
        nodes,
    }));
    // Cells keep their order: a new entity begins wherever the block or the membership changes.
    let mut last = None;
    for (cell, shape, nodes) in mesh.cells() {
        let membership = cells.remove(&cell).unwrap_or_default();
        if last.as_ref() != Some(&(cell.block, membership.clone())) {
            last = Some((cell.block, membership.clone()));
            all.push(Entity { dim: 3, membership, kind: Kind::Cell(shape), nodes: Vec::new() });
        }
        all.last_mut().expect("an entity was just pushed").nodes.extend_from_slice(nodes);
    }
    all
}

/// Each entity with its number among those of its dimension.
fn numbered(entities: &[Entity]) -> impl Iterator<Item = (usize, &Entity)> {
    let mut next = [1; 4];
    entities.iter().map(move |entity| {
        let number = &mut next[entity.dim as usize];
        *number += 1;
        (*number - 1, entity)
    })
}

fn write_entities(out: &mut dyn Write, mesh: &Mesh, entities: &[Entity]) -> io::Result<()> {
    let count = |dim| entities.iter().filter(|entity| entity.dim == dim).count();
    writeln!(out, "$Entities\n{} {} {} {}", count(0), count(1), count(2), count(3))?;
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for x in &mesh.points {
        for k in 0..3 {
            low[k] = low[k].min(x[k]);
            high[k] = high[k].max(x[k]);
        }
    }
    for (number, entity) in numbered(entities) {
        write!(out, "{number} ")?;
        if entity.dim == 0 {
            // A group of points is one entity here; its coordinates are those of its first node.
            let [x, y, z] = mesh.points[entity.nodes[0] as usize];
            write!(out, "{x:?} {y:?} {z:?} ")?;
        } else {
            write!(out, "{:?} {:?} {:?} {:?} {:?} {:?} ", low[0], low[1], low[2], high[0], high[1], high[2])?;
        }
        write!(out, "{} ", entity.membership.len())?;
        for tag in &entity.membership {
            write!(out, "{tag} ")?;
        }
        writeln!(out, "{}", if entity.dim == 0 { "" } else { "0" })?;
    }
    writeln!(out, "$EndEntities")
}

fn write_nodes(out: &mut dyn Write, mesh: &Mesh, entities: &[Entity]) -> io::Result<()> {
    let n = mesh.points.len();
    let dim = entities.last().map_or(3, |entity| entity.dim);
    writeln!(out, "$Nodes\n1 {n} {} {n}\n{dim} 1 0 {n}", n.min(1))?;
    for tag in 1..=n {
        writeln!(out, "{tag}")?;
    }
    for [x, y, z] in &mesh.points {
        writeln!(out, "{x:?} {y:?} {z:?}")?;
    }
    writeln!(out, "$EndNodes")
}

fn write_elements(out: &mut dyn Write, entities: &[Entity]) -> io::Result<()> {
    let n: usize = entities.iter().map(|entity| entity.nodes.len() / entity.kind.n_nodes()).sum();
    writeln!(out, "$Elements\n{} {n} {} {n}", entities.len(), n.min(1))?;
    let mut tag = 0;
    for (number, entity) in numbered(entities) {
        let n_nodes = entity.kind.n_nodes();
        let (dim, kind, count) = (entity.dim, entity.kind.gmsh_number(), entity.nodes.len() / n_nodes);
        writeln!(out, "{dim} {number} {kind} {count}")?;
        let places = entity.kind.gmsh_places();
        let mut in_gmsh_order = [0; CellShape::MAX_NODES];
        for nodes in entity.nodes.chunks_exact(n_nodes) {
            tag += 1;
            for (&place, &node) in places.iter().zip(nodes) {
                in_gmsh_order[place as usize] = node + 1;
            }
            write!(out, "{tag}")?;
            for node in &in_gmsh_order[..n_nodes] {
                write!(out, " {node}")?;
            }
            writeln!(out)?;
        }
    }
    writeln!(out, "$EndElements")
}
