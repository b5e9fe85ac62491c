//! Abaqus' and CalculiX's input files (.inp): reading and writing of their meshes.
//!
//! * Node k is the k-th node of the file, used by an element or not (see [`Mesh`]). In a file with instances,
//!   nodes of the first instance come first, nodes of the assembly last.
//! * Solids of first and second order are cells: tetrahedra, hexahedra, wedges (C3D6, C3D15) and pyramids
//!   (C3D5, and C3D13 as Gmsh writes it). Letters after the number choose an integration and are ignored.
//!   Solid shells, elements for heat and other solids are errors that name the type.
//! * Shells S3 and S4 and beams B31 are cells in a file without solids, with the walls of `*SHELL SECTION`
//!   and the rectangles and circles of `*BEAM SECTION`; other sections are errors that name them.
//! * In a file with solids, shells, membranes and plane elements that lie on faces of solids name these
//!   faces. They, beams, springs and masses add no stiffness and no mass; a note says so.
//! * Element sets become sets of cells or faces, surfaces sets of faces or nodes, node sets sets of nodes. If
//!   several sets share a name, the set of cells keeps it, then the set of faces; the others are called
//!   `name.faces`, `name.nodes`, unless they are equal. Sets of an instance are called `instance.set` if
//!   there are several instances.
//! * Cells of one kind, of one `*ELEMENT, ELSET=…`, instance and material form a block.
//! * The reader supports `*INCLUDE`, parts, moved and rotated instances, local and cylindrical coordinates.
//!   Keywords that generate nodes or elements are errors; loads, steps and output are ignored.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

mod assemble;
mod deck;
mod element;
mod error;
mod model;
mod motion;
mod resolve;
mod scope;
mod section;
mod sets;
mod write;

pub use deck::Place;
pub use error::{ParseInpError, ReadInpError, WriteInpError};
pub use model::InpMaterial;
pub use write::{write, write_to};

use crate::{Mesh, Section};

/// A note for the user about a file that could be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// Nodes that no solid uses.
    UnusedNodes {
        /// Number of nodes.
        count: usize,
    },
    /// Nodes whose numbers in the file are not their places in it.
    Renumbered {
        /// Number of the first of these nodes in the file.
        label: u64,
        /// Its place in the file, from 1.
        place: u32,
    },
    /// Elements with more nodes on their line than their type has; the first ones are used.
    SurplusNodes {
        /// Element type.
        name: String,
        /// Number of elements.
        count: usize,
    },
    /// Elements that are not solids.
    NoSolids {
        /// Element type.
        name: String,
        /// Number of elements.
        count: usize,
    },
    /// Elements of a set that are not a face of a solid. If other elements are, the set consists of these
    /// faces, and `name.nodes` holds all nodes of the set that solids use.
    LooseFaces {
        /// Name of the set.
        name: String,
        /// Number of elements.
        count: usize,
        /// Whether this holds for all elements of the set, which then holds their nodes instead of faces.
        all: bool,
    },
    /// A set without nodes, cells or faces; it is left out.
    EmptySet {
        /// Name of the set.
        name: String,
    },
    /// A set names nodes or elements that the file does not have.
    MissingMembers {
        /// Name of the set.
        name: String,
        /// Number of missing members.
        count: usize,
    },
    /// A surface is cut or combined; it is left out.
    SkippedSurface {
        /// Name of the surface.
        name: String,
    },
    /// The last line has no line end and contains numbers of a set.
    OpenEnd {
        /// The keyword of the set.
        keyword: String,
    },
    /// Keywords that bind nodes to others or to the ground; they are left out.
    Constraints {
        /// The keywords.
        keywords: Vec<String>,
    },
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnusedNodes { count } => {
                write!(
                    f,
                    "{count} nodes belong to no solid element; they keep their numbers but get no freedoms"
                )
            }
            Self::Renumbered { label, place } => write!(
                f,
                "nodes are numbered from 1 in the order of the file: node {label} of the file is node \
                 {place} of the body, in tables and for --interface-nodes too; sets keep their nodes"
            ),
            Self::SurplusNodes { name, count } => write!(
                f,
                "{count} elements of type {name} have more than 8 nodes on their line: the first 8 are \
                 used, as CalculiX does"
            ),
            Self::NoSolids { name, count } => write!(
                f,
                "{count} elements of type {name} are not solids: they name faces at most, their stiffness \
                 and mass are left out"
            ),
            Self::LooseFaces { name, count, all: true } => write!(
                f,
                "set `{name}`: none of its {count} plane elements is a face of a solid; it is a set of nodes"
            ),
            Self::LooseFaces { name, count, all: false } => write!(
                f,
                "set `{name}`: {count} of its plane elements are not faces of a solid and are left out; \
                 `{name}.nodes` has their nodes too"
            ),
            Self::EmptySet { name } => write!(f, "the set `{name}` is empty and is left out"),
            Self::MissingMembers { name, count } => {
                write!(f, "the set `{name}` names {count} nodes or elements that the file does not have")
            }
            Self::SkippedSurface { name } => {
                write!(f, "the surface `{name}` is not a list of faces or nodes and is left out")
            }
            Self::OpenEnd { keyword } => write!(
                f,
                "the last line of the file has no line end: if it was cut there, the last number of \
                 *{keyword} is another one"
            ),
            Self::Constraints { keywords } => {
                let names: Vec<String> = keywords.iter().map(|name| format!("*{name}")).collect();
                write!(f, "{} are left out: a body is a mesh and its materials", names.join(", "))
            }
        }
    }
}

/// Content of an .inp file.
#[derive(Debug, Clone)]
pub struct InpFile {
    /// The mesh.
    pub mesh: Mesh,
    /// The materials of the file, in its units.
    pub materials: Vec<InpMaterial>,
    /// Number of the material of each block, where a section gives it one.
    pub material_of_block: Vec<Option<usize>>,
    /// Section of each block of shells or beams, where the file has one, in its units; empty for solids.
    pub section_of_block: Vec<Option<Section>>,
    /// Notes for the user.
    pub notes: Vec<Note>,
}

/// Reads an .inp file and those that it includes.
///
/// # Errors
///
/// [`ReadInpError`]: a file cannot be opened, is damaged (with its line), or has unsupported content.
pub fn read(path: &Path) -> Result<InpFile, ReadInpError> {
    let deck = deck::Deck::read(path)?;
    let mut model = model::Model::new(&deck)?;
    let mut assembled = assemble::assemble(&deck, &mut model)?;
    if assembled.mesh.blocks.is_empty() {
        return Err(no_volume(&assembled).into());
    }
    let mut notes = general_notes(&model, &assembled);
    notes.extend(deck.open_end().map(|keyword| Note::OpenEnd { keyword: keyword.to_owned() }));
    sets::name_sets(&deck, &mut assembled, &mut notes)?;
    Ok(InpFile {
        mesh: assembled.mesh,
        materials: model.materials,
        material_of_block: assembled.material_of_block,
        section_of_block: if assembled.is_structural { assembled.section_of_block } else { Vec::new() },
        notes,
    })
}

/// "1 node", "2 nodes".
fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// The content of a file without solids, for a message.
fn no_volume(assembled: &assemble::Assembled) -> ParseInpError {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (name, count) in assembled.units.iter().flat_map(|unit| &unit.scope.others) {
        *counts.entry(name).or_default() += count;
    }
    let kinds = counts
        .iter()
        .map(|(name, count)| format!("{} of {name} ({})", counted(*count, "element"), element::words(name)));
    match assembled.mesh.points.len() {
        0 if counts.is_empty() => ParseInpError::Empty,
        n if counts.is_empty() => ParseInpError::NoVolume { found: counted(n, "node") },
        _ => ParseInpError::NoVolume { found: kinds.collect::<Vec<_>>().join(", ") },
    }
}

fn general_notes(model: &model::Model, assembled: &assemble::Assembled) -> Vec<Note> {
    let mut notes = Vec::new();
    let unused = assembled.mesh.points.len() - assembled.mesh.used_nodes().len();
    if unused > 0 {
        notes.push(Note::UnusedNodes { count: unused });
    }
    let labelled = assembled.units.iter().flat_map(|unit| &unit.node_of);
    let moved = labelled.filter(|&(&label, &node)| label != u64::from(node) + 1);
    if let Some((&label, &node)) = moved.min_by_key(|&(_, &node)| node) {
        notes.push(Note::Renumbered { label, place: node + 1 });
    }
    for unit in &assembled.units {
        let surplus = unit.scope.surplus.iter();
        notes.extend(surplus.map(|(name, &count)| Note::SurplusNodes { name: name.clone(), count }));
        let is_cell = |name: &str| {
            assembled.is_structural && matches!(element::kind(name), Ok(element::Kind::Structural(_)))
        };
        let no_solids =
            unit.scope.others.iter().filter(|(name, _)| element::is_stiff(name) && !is_cell(name));
        notes.extend(no_solids.map(|(name, &count)| Note::NoSolids { name: name.clone(), count }));
    }
    if !model.constraints.is_empty() {
        notes.push(Note::Constraints { keywords: model.constraints.clone() });
    }
    notes.extend(model.skipped_surfaces.iter().map(|name| Note::SkippedSurface { name: name.clone() }));
    notes
}
