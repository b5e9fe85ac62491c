//! The named sets of a file: cells, faces and nodes.

use std::collections::BTreeSet;

use super::Note;
use super::assemble::{Assembled, BLOCK_PREFIX, Item};
use super::deck::{At, Deck};
use super::error::ParseInpError;
use super::resolve::Resolver;
use super::scope::Surface;
use crate::{CellRef, FaceRef, FaceTable, Mesh, Set};

/// Gives the mesh its sets: element sets, surfaces and node sets of all units.
pub(super) fn name_sets(
    deck: &Deck,
    assembled: &mut Assembled,
    notes: &mut Vec<Note>,
) -> Result<(), ParseInpError> {
    let mut mesh = std::mem::take(&mut assembled.mesh);
    let mut found = Found { cells: Vec::new(), others: Vec::new(), nodes: Vec::new() };
    let table = FaceTable::new(&mesh);
    let (mut resolver, mut used) = (Resolver::new(deck, &assembled.units), None);
    let faces = Faces { deck, assembled, mesh: &mesh, table, boundary: None };
    let mut collector = Collector { faces, notes };
    let named = assembled.units.iter().filter(|unit| unit.name.is_some()).count();
    // The assembly and the content outside of parts come first: their sets keep their names.
    let order = (0..assembled.units.len()).rev().filter(|&u| assembled.units[u].name.is_none());
    let order: Vec<usize> =
        order.chain((0..assembled.units.len()).filter(|&u| assembled.units[u].name.is_some())).collect();
    for unit in order {
        let scope = &assembled.units[unit].scope;
        let prefix = match &assembled.units[unit].name {
            Some(name) if named > 1 => format!("{}.", name.text),
            _ => String::new(),
        };
        for (set, name) in scope.element_sets.names.iter().enumerate() {
            if scope.element_sets.internal[set] || name.key.starts_with(BLOCK_PREFIX) {
                continue;
            }
            let elements = resolver.elements(unit, set)?;
            collector.element_set(&format!("{prefix}{}", name.text), &elements, &mut used, &mut found);
        }
        for surface in &scope.surfaces {
            let set = collector.surface(&mut resolver, unit, surface)?;
            found.others.push((format!("{prefix}{}", surface.name.text), set));
        }
        for (set, name) in scope.node_sets.names.iter().enumerate() {
            if scope.node_sets.internal[set] {
                continue;
            }
            let nodes = resolver.nodes(unit, set)?;
            found.nodes.push((format!("{prefix}{}", name.text), Set::of_nodes(nodes.to_vec())));
        }
    }
    let missing = std::mem::take(&mut resolver.missing);
    notes.extend(missing.into_iter().map(|(name, count)| Note::MissingMembers { name, count }));
    for (name, set) in found.cells.into_iter().chain(found.others).chain(found.nodes) {
        if set.is_empty() {
            notes.push(Note::EmptySet { name });
        } else {
            mesh.insert_set(&name, set);
        }
    }
    assembled.mesh = mesh;
    Ok(())
}

/// Sets in the order in which names are assigned.
struct Found {
    cells: Vec<(String, Set)>,
    others: Vec<(String, Set)>,
    nodes: Vec<(String, Set)>,
}

/// Finds the faces of cells that elements and labels refer to.
struct Faces<'a> {
    deck: &'a Deck,
    assembled: &'a Assembled,
    mesh: &'a Mesh,
    table: FaceTable,
    boundary: Option<BTreeSet<FaceRef>>,
}

struct Collector<'a, 'b> {
    faces: Faces<'a>,
    notes: &'b mut Vec<Note>,
}

impl Collector<'_, '_> {
    /// Makes the sets of an element set: its solids are cells, its shells and plane elements faces.
    fn element_set(&mut self, name: &str, elements: &[u32], used: &mut Option<Vec<bool>>, found: &mut Found) {
        let Faces { assembled, mesh, table, .. } = &self.faces;
        let (mut cells, mut faces, mut loose) = (Vec::new(), Vec::new(), Vec::new());
        let mut n_loose = 0;
        for &element in elements {
            match assembled.items[element as usize] {
                Item::Cell(cell) => cells.push(cell),
                Item::Face(shape, start) => {
                    let nodes = &assembled.face_nodes[start..start + shape.n_nodes()];
                    match table.behind(mesh, shape, nodes) {
                        Some(face) => faces.push(face),
                        None => {
                            n_loose += 1;
                            loose.extend_from_slice(nodes);
                        }
                    }
                }
                Item::Other => {}
            }
        }
        if n_loose > 0 {
            let all = faces.is_empty();
            self.notes.push(Note::LooseFaces { name: name.to_owned(), count: n_loose, all });
            let used = used.get_or_insert_with(|| mesh.node_is_used());
            loose.retain(|node| used[*node as usize]);
            loose.extend(mesh.nodes_of(&Set::of_faces(faces.clone())));
            found.nodes.push((name.to_owned(), Set::of_nodes(loose)));
        }
        let is_empty = cells.is_empty() && faces.is_empty() && n_loose == 0;
        if !cells.is_empty() || is_empty {
            found.cells.push((name.to_owned(), Set::of_cells(cells)));
        }
        if !faces.is_empty() {
            found.others.push((name.to_owned(), Set::of_faces(faces)));
        }
    }

    fn surface(
        &mut self,
        resolver: &mut Resolver<'_>,
        unit: usize,
        surface: &Surface,
    ) -> Result<Set, ParseInpError> {
        if surface.of_nodes {
            let mut nodes = Vec::new();
            for (entry, _, at) in &surface.entries {
                nodes.extend(resolver.nodes_of_entry(unit, entry, *at)?.iter());
            }
            return Ok(Set::of_nodes(nodes));
        }
        let mut faces = Vec::new();
        for (entry, face, at) in &surface.entries {
            for &element in resolver.elements_of_entry(unit, entry, *at)?.iter() {
                self.faces.of_element(element, face, *at, &mut faces)?;
            }
        }
        Ok(Set::of_faces(faces))
    }
}

impl Faces<'_> {
    /// The face of an element with this label; all free faces if the label is empty.
    fn of_element(
        &mut self,
        element: u32,
        label: &str,
        at: At,
        faces: &mut Vec<FaceRef>,
    ) -> Result<(), ParseInpError> {
        match self.assembled.items[element as usize] {
            Item::Other => {}
            Item::Face(shape, start) => {
                let nodes = &self.assembled.face_nodes[start..start + shape.n_nodes()];
                faces.extend(self.table.behind(self.mesh, shape, nodes));
            }
            Item::Cell(cell) if label.is_empty() => {
                let boundary =
                    self.boundary.get_or_insert_with(|| self.table.boundary().into_iter().collect());
                let face = |face: u8| FaceRef { block: cell.block, cell: cell.cell, face };
                faces.extend(boundary.range(face(0)..=face(u8::MAX)));
            }
            Item::Cell(cell) => faces.push(self.labelled(element, cell, label, at)?),
        }
        Ok(())
    }

    fn labelled(&self, element: u32, cell: CellRef, label: &str, at: At) -> Result<FaceRef, ParseInpError> {
        let shape = self.mesh.cell(cell).0;
        let number = match label {
            "SPOS" if !shape.is_solid() => Some(1),
            "SNEG" if !shape.is_solid() => Some(2),
            _ => label.strip_prefix('S').and_then(|n| n.parse::<usize>().ok()),
        };
        let face = number.and_then(|n| shape.table().abaqus.faces.get(n.checked_sub(1)?).copied());
        let face = face.ok_or_else(|| ParseInpError::NoFace {
            place: self.deck.place(at),
            face: self.deck.shown(at, label),
            element: self.number_of(element),
            n_faces: shape.n_faces(),
        })?;
        Ok(FaceRef { block: cell.block, cell: cell.cell, face })
    }

    /// The number that an element has in the file.
    fn number_of(&self, element: u32) -> u64 {
        let all = self.assembled.units.iter().flat_map(|unit| &unit.scope.elements);
        all.map(|e| e.number).nth(element as usize).unwrap_or_default()
    }
}
