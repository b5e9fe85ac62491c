//! From parts and instances to points, blocks of cells and the meaning of every element.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use carom_files::coordinates::ImpossiblePoint;

use super::deck::{At, Deck, Name};
use super::element::Kind;
use super::error::ParseInpError;
use super::model::{Instance, Model};
use super::motion::Motion;
use super::resolve::Resolver;
use super::scope::{Element, Scope};
use super::section::SectionKind;
use crate::cell::AbaqusLast;
use crate::{CellBlock, CellRef, CellShape, FaceShape, Mesh, Section, lagrange};

/// The part of the mesh that an element became.
#[derive(Debug, Clone, Copy)]
pub(super) enum Item {
    /// A cell of the mesh.
    Cell(CellRef),
    /// A face, with the place of its nodes in [`Assembled::face_nodes`].
    Face(FaceShape, usize),
    /// The element is not in the mesh.
    Other,
}

/// A placed scope, with the numbers of its nodes and elements in the mesh.
#[derive(Debug)]
pub(super) struct Unit {
    /// Name of the instance; `None` for the assembly and for files without one.
    pub(super) name: Option<Name>,
    pub(super) scope: Scope,
    pub(super) node_of: HashMap<u64, u32>,
    pub(super) item_of: HashMap<u64, u32>,
}

/// All placed scopes, and their mesh without its sets.
#[derive(Debug)]
pub(super) struct Assembled {
    pub(super) mesh: Mesh,
    pub(super) units: Vec<Unit>,
    pub(super) items: Vec<Item>,
    pub(super) face_nodes: Vec<u32>,
    /// Number among the materials of the file, of each block.
    pub(super) material_of_block: Vec<Option<usize>>,
    /// Section of each block of shells or beams.
    pub(super) section_of_block: Vec<Option<Section>>,
    /// True if shells and beams are cells, because the file has no solids.
    pub(super) is_structural: bool,
}

/// Prefix of sets that define the blocks of a mesh; our writer needs them for `*SOLID SECTION`.
pub(super) const BLOCK_PREFIX: &str = "CAROM_BLOCK_";

pub(super) fn assemble(deck: &Deck, model: &mut Model) -> Result<Assembled, ParseInpError> {
    let mut points = Vec::new();
    let mut units = units(deck, model, &mut points)?;
    let n_items = number_elements(deck, &mut units)?;
    let kinds = || units.iter().flat_map(|unit| &unit.scope.elements).map(|element| element.kind);
    let is_structural = !kinds().any(|kind| matches!(kind, Kind::Cell(_)))
        && kinds().any(|kind| matches!(kind, Kind::Structural(_)));
    let sections = sections(deck, model, &units, n_items, is_structural)?;
    let mut assembled = Assembled {
        mesh: Mesh { points, ..Mesh::default() },
        units: Vec::new(),
        items: Vec::with_capacity(n_items),
        face_nodes: Vec::new(),
        material_of_block: Vec::new(),
        section_of_block: Vec::new(),
        is_structural,
    };
    for unit in &units {
        assembled.place_elements(deck, unit, &sections)?;
    }
    assembled.units = units;
    Ok(assembled)
}

/// Numbers the nodes: first those outside of parts, then those of the instances in order, then the
/// assembly's.
fn units(deck: &Deck, model: &mut Model, points: &mut Vec<[f64; 3]>) -> Result<Vec<Unit>, ParseInpError> {
    let mut units = vec![unit(deck, None, std::mem::take(&mut model.flat), &Motion::default(), points)?];
    let instances = std::mem::take(&mut model.instances);
    if instances.is_empty() {
        // Parts without an instance stay where they are.
        for (name, scope) in std::mem::take(&mut model.parts) {
            units.push(unit(deck, Some(name), scope, &Motion::default(), points)?);
        }
    }
    for Instance { name, part, motion, own, at } in instances {
        let mut scope = Scope::default();
        if let Some(part) = part {
            let found = model.parts.iter().find(|(name, _)| name.key == part.key);
            let (_, of_part) = found.ok_or_else(|| unknown(deck, at, "part", &part.text))?;
            scope.extend(of_part);
        }
        scope.extend(&own);
        units.push(unit(deck, Some(name), scope, &motion, points)?);
    }
    units.push(unit(deck, None, std::mem::take(&mut model.assembly), &Motion::default(), points)?);
    Ok(units)
}

pub(super) fn unknown(deck: &Deck, at: At, what: &'static str, name: &str) -> ParseInpError {
    ParseInpError::Unknown { place: deck.place(at), what, name: deck.shown(at, name) }
}

fn unit(
    deck: &Deck,
    name: Option<Name>,
    scope: Scope,
    motion: &Motion,
    points: &mut Vec<[f64; 3]>,
) -> Result<Unit, ParseInpError> {
    let mut node_of = HashMap::with_capacity(scope.nodes.len());
    for &(number, x, at) in &scope.nodes {
        let x = if *motion == Motion::default() { x } else { motion.apply(x) };
        ImpossiblePoint::check("node", number, x)
            .map_err(|source| ParseInpError::Coordinates { place: deck.place(at), source })?;
        match node_of.entry(number) {
            Entry::Vacant(free) => {
                free.insert(points.len() as u32);
                points.push(x);
            }
            // The same line occurs twice if, for example, an included file repeats the nodes at a seam.
            Entry::Occupied(known) if points[*known.get() as usize] == x => {}
            Entry::Occupied(_) => {
                return Err(ParseInpError::RepeatedNode { place: deck.place(at), node: number });
            }
        }
    }
    Ok(Unit { name, scope, node_of, item_of: HashMap::new() })
}

fn number_elements(deck: &Deck, units: &mut [Unit]) -> Result<usize, ParseInpError> {
    let mut n_items = 0;
    for unit in units {
        unit.item_of.reserve(unit.scope.elements.len());
        for element in &unit.scope.elements {
            if unit.item_of.insert(element.number, n_items).is_some() && element.kind != Kind::Other {
                let place = deck.place(element.at);
                return Err(ParseInpError::RepeatedElement { place, element: element.number });
            }
            n_items += 1;
        }
    }
    Ok(n_items as usize)
}

/// Number of the material of an element, and number of its section among all, with the section.
type OfItem = (Option<usize>, Option<(usize, Section)>);

/// Material and section of each element.
fn sections(
    deck: &Deck,
    model: &Model,
    units: &[Unit],
    n_items: usize,
    is_structural: bool,
) -> Result<Vec<OfItem>, ParseInpError> {
    let mut of_item: Vec<OfItem> = vec![(None, None); n_items];
    let mut resolver = Resolver::new(deck, units);
    let mut number = 0;
    for (i_unit, unit) in units.iter().enumerate() {
        if let Some(at) = unit.scope.oriented.filter(|_| is_structural) {
            let (place, keyword) = (deck.place(at), "ELEMENT, TYPE=B31 with a third node".to_owned());
            return Err(ParseInpError::UnsupportedKeyword { place, keyword });
        }
        for line in &unit.scope.sections {
            let known = model.materials.iter().position(|m| Name::new(&m.name).key == line.material.key);
            let section = match &line.kind {
                SectionKind::Solid => None,
                SectionKind::Structural(_) | SectionKind::Unsupported(_) if !is_structural => continue,
                SectionKind::Structural(section) => Some((number, *section)),
                SectionKind::Unsupported(keyword) => {
                    let place = deck.place(line.at);
                    return Err(ParseInpError::UnsupportedKeyword { place, keyword: keyword.clone() });
                }
            };
            number += 1;
            for &item in resolver.elements_named(i_unit, &line.set, line.at)?.iter() {
                of_item[item as usize] = (known, section);
            }
        }
    }
    Ok(of_item)
}

impl Assembled {
    /// Makes one block of each kind of cell, element keyword's set, instance, material and section, in the
    /// order of the file.
    fn place_elements(&mut self, deck: &Deck, unit: &Unit, sections: &[OfItem]) -> Result<(), ParseInpError> {
        let scope = &unit.scope;
        let mut block_of = HashMap::new();
        for element in &scope.elements {
            let nodes = |n: usize| self::nodes(deck, unit, element, n);
            let kind = match element.kind {
                Kind::Structural(shape) if self.is_structural => Kind::Cell(shape),
                // The faces of a shell have its nodes.
                Kind::Structural(shape) if shape.n_faces() > 0 => Kind::Face(shape.face_shape(0), true),
                Kind::Structural(_) => Kind::Other,
                kind => kind,
            };
            let item = match kind {
                Kind::Other | Kind::Structural(_) => Item::Other,
                Kind::Face(shape, _) => {
                    self.face_nodes.extend(nodes(shape.n_nodes())?);
                    Item::Face(shape, self.face_nodes.len() - shape.n_nodes())
                }
                Kind::Cell(shape) => {
                    let mut nodes = nodes(shape.n_nodes())?;
                    if let Some(last) = shape.table().abaqus.last {
                        sort_last_nodes(&self.mesh, shape, last, &mut nodes).ok_or_else(|| {
                            ParseInpError::FaceNodes {
                                place: deck.place(element.at),
                                element: element.number,
                                first: last.without.n_nodes() + 1,
                                name: shape.table().abaqus.name,
                            }
                        })?;
                    }
                    let label = element.label.map(|l| scope.labels[l as usize].key.as_str());
                    let (material, section) = sections[self.items.len()];
                    let key = (shape, label, material, section.map(|(number, _)| number));
                    let block = *block_of.entry(key).or_insert_with(|| {
                        self.mesh.blocks.push(CellBlock { shape, connectivity: Vec::new() });
                        self.material_of_block.push(material);
                        self.section_of_block.push(section.map(|(_, section)| section));
                        self.mesh.blocks.len() - 1
                    });
                    let cells = &mut self.mesh.blocks[block];
                    let cell = cells.n_cells() as u32;
                    cells.connectivity.extend(nodes);
                    Item::Cell(CellRef { block: block as u32, cell })
                }
            };
            self.items.push(item);
        }
        Ok(())
    }
}

/// Nodes of an element by their numbers in the mesh, in the order of the file. This is VTK's order except for
/// the last nodes of a C3D27.
fn nodes(deck: &Deck, unit: &Unit, element: &Element, n: usize) -> Result<Vec<u32>, ParseInpError> {
    let numbers = &unit.scope.connectivity[element.start..element.start + n];
    let node = |number: &u64| {
        let found = unit.node_of.get(number).copied();
        found.ok_or_else(|| unknown(deck, element.at, "node", &number.to_string()))
    };
    numbers.iter().map(node).collect()
}

/// Brings the last nodes of a cell (those on the faces and in the middle of a C3D27) into VTK's order. Abaqus
/// has the middle first and then the faces S1 to S6; other programs use orders of their own. Each node is
/// assigned to the nearest middle of a face or of the cell.
fn sort_last_nodes(mesh: &Mesh, shape: CellShape, last: AbaqusLast, nodes: &mut [u32]) -> Option<()> {
    let AbaqusLast { order, without } = last;
    let n = without.n_nodes();
    let mut values = vec![0.0; n];
    let mut sorted = vec![u32::MAX; order.len()];
    // Ties are decided by the order of Abaqus: the first of equally near places in that order is used.
    let mut place = |&place: &u8| {
        lagrange::values_into(without, shape.reference_nodes()[place as usize], &mut values);
        let mut x = [0.0; 3];
        for (value, &node) in values.iter().zip(&nodes[..n]) {
            for d in 0..3 {
                x[d] += value * mesh.points[node as usize][d];
            }
        }
        (place as usize - n, x)
    };
    let places: Vec<(usize, [f64; 3])> = order.iter().map(&mut place).collect();
    for &node in &nodes[n..] {
        let x = mesh.points[node as usize];
        let distance = |place: &&(usize, [f64; 3])| crate::sets::distance(place.1, x);
        let (place, _) = places.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
        if std::mem::replace(&mut sorted[*place], node) != u32::MAX {
            return None;
        }
    }
    nodes[n..].copy_from_slice(&sorted);
    Some(())
}
