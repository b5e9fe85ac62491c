//! Nodes, elements and sets of one scope, by the numbers and names of the file.

use std::collections::{BTreeMap, HashMap};

use super::deck::{At, Deck, Keyword, Name, parse_real};
use super::element::{self, Kind};
use super::error::ParseInpError;
use super::motion::NodeSystem;
use super::section::SectionLine;
use crate::CellShape;

/// Nodes, elements and sets of one scope: a part, an instance, the assembly, or a whole file without parts.
#[derive(Debug, Clone, Default)]
pub(super) struct Scope {
    pub(super) nodes: Vec<(u64, [f64; 3], At)>,
    pub(super) elements: Vec<Element>,
    /// Node numbers of all elements, one after another.
    pub(super) connectivity: Vec<u64>,
    /// Names of the sets that element keywords put their elements in; [`Element::label`] counts them.
    pub(super) labels: Vec<Name>,
    pub(super) node_sets: Definitions,
    pub(super) element_sets: Definitions,
    pub(super) surfaces: Vec<Surface>,
    /// The sections of solids, shells and beams.
    pub(super) sections: Vec<SectionLine>,
    /// The first beam with a third node, which would define its axes.
    pub(super) oriented: Option<At>,
    /// Number of elements of each type that is not a solid.
    pub(super) others: BTreeMap<String, usize>,
    /// Number of elements of each type with more nodes on their line than the type has.
    pub(super) surplus: BTreeMap<String, usize>,
}

/// An element.
#[derive(Debug, Clone, Copy)]
pub(super) struct Element {
    pub(super) number: u64,
    pub(super) kind: Kind,
    /// Number among [`Scope::labels`] of the set that the element keyword names.
    pub(super) label: Option<u32>,
    /// Index of its first node in [`Scope::connectivity`]; only cells and faces have nodes.
    pub(super) start: usize,
    pub(super) at: At,
}

/// Set definitions by name, in the order of the file; a name may be defined in several pieces.
#[derive(Debug, Clone, Default)]
pub(super) struct Definitions {
    pub(super) names: Vec<Name>,
    pub(super) pieces: Vec<Vec<Piece>>,
    /// Whether a set only serves another definition, such as the faces S1 of a surface.
    pub(super) internal: Vec<bool>,
    index: HashMap<String, usize>,
}

impl Definitions {
    /// Number of the set of this name; a new set is begun if none has it.
    pub(super) fn number(&mut self, name: &Name) -> usize {
        *self.index.entry(name.key.clone()).or_insert_with(|| {
            self.names.push(name.clone());
            self.pieces.push(Vec::new());
            self.internal.push(false);
            self.names.len() - 1
        })
    }

    fn extend(&mut self, other: &Self) {
        for (n, name) in other.names.iter().enumerate() {
            let set = self.number(name);
            self.pieces[set].extend_from_slice(&other.pieces[n]);
            self.internal[set] |= other.internal[n];
        }
    }

    /// Number of the set of this name, if there is one.
    pub(super) fn find(&self, key: &str) -> Option<usize> {
        self.index.get(key).copied()
    }
}

/// Members of a set from one keyword.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    /// The instance of all numbers and names, if the keyword names one.
    pub(super) instance: Option<Name>,
    pub(super) members: Vec<Member>,
    pub(super) at: At,
}

/// Members of a set.
#[derive(Debug, Clone)]
pub(super) enum Member {
    Number(u64),
    Range(u64, u64, u64),
    /// A set, or `instance.number`, `instance.set`.
    Named(Name),
    /// The nodes of a set of elements.
    NodesOf(Name),
}

/// A surface: of faces of elements, or of nodes.
#[derive(Debug, Clone)]
pub(super) struct Surface {
    pub(super) name: Name,
    pub(super) of_nodes: bool,
    /// Element, node or set; face, empty if none is named.
    pub(super) entries: Vec<(Name, String, At)>,
}

impl Scope {
    /// Puts the nodes, elements and sets of another scope after those of this one.
    pub(super) fn extend(&mut self, other: &Self) {
        let (start, label) = (self.connectivity.len(), self.labels.len() as u32);
        self.nodes.extend_from_slice(&other.nodes);
        self.connectivity.extend_from_slice(&other.connectivity);
        self.labels.extend_from_slice(&other.labels);
        self.elements.extend(other.elements.iter().map(|element| Element {
            start: element.start + start,
            label: element.label.map(|l| l + label),
            ..*element
        }));
        self.node_sets.extend(&other.node_sets);
        self.element_sets.extend(&other.element_sets);
        self.surfaces.extend_from_slice(&other.surfaces);
        self.sections.extend_from_slice(&other.sections);
        self.oriented = self.oriented.or(other.oriented);
        for (name, count) in &other.others {
            *self.others.entry(name.clone()).or_default() += count;
        }
        for (name, count) in &other.surplus {
            *self.surplus.entry(name.clone()).or_default() += count;
        }
    }

    /// Reads a keyword of the mesh; other keywords are ignored.
    pub(super) fn take(
        &mut self,
        deck: &Deck,
        keyword: &Keyword,
        system: &NodeSystem,
    ) -> Result<(), ParseInpError> {
        match keyword.name.as_str() {
            "NODE" => self.take_nodes(deck, keyword, system),
            "ELEMENT" => self.take_elements(deck, keyword),
            "NSET" => take_set(&mut self.node_sets, deck, keyword, "NSET"),
            "ELSET" => take_set(&mut self.element_sets, deck, keyword, "ELSET"),
            "SURFACE" => self.take_surface(deck, keyword),
            "SOLIDSECTION" | "SHELLSECTION" | "BEAMSECTION" => {
                self.sections.extend(SectionLine::of(deck, keyword)?);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn take_nodes(
        &mut self,
        deck: &Deck,
        keyword: &Keyword,
        system: &NodeSystem,
    ) -> Result<(), ParseInpError> {
        let system = system.of_keyword(deck, keyword)?;
        let before = self.nodes.len();
        self.nodes.reserve(keyword.lines.len());
        for &line in &keyword.lines {
            let mut entries = deck.entries(line);
            let number = integer(deck, line.at, entries.next().unwrap_or(""), "a node number")?;
            let mut x = [0.0; 3];
            for (x, entry) in x.iter_mut().zip(entries) {
                *x = real(deck, line.at, entry)?;
            }
            self.nodes.push((number, system.to_cartesian(x), line.at));
        }
        if let Some(name) = keyword.value("NSET") {
            let members = self.nodes[before..].iter().map(|(number, ..)| Member::Number(*number)).collect();
            let set = self.node_sets.number(&Name::new(name));
            self.node_sets.pieces[set].push(Piece { instance: None, members, at: keyword.at });
        }
        Ok(())
    }

    fn take_elements(&mut self, deck: &Deck, keyword: &Keyword) -> Result<(), ParseInpError> {
        let name = required(deck, keyword, "ELEMENT", "TYPE")?.text;
        let kind = element::kind(&name).map_err(|kind| ParseInpError::UnsupportedElement {
            place: deck.place(keyword.at),
            kind,
            name: name.clone(),
        })?;
        let wanted = match kind {
            Kind::Cell(shape) => shape.n_nodes(),
            Kind::Face(shape, _) => shape.n_nodes(),
            Kind::Structural(shape) => shape.n_nodes(),
            Kind::Other => 0,
        };
        let before = self.elements.len();
        let label = keyword.value("ELSET").map(Name::new);
        let number_of_label = label.as_ref().map(|name| {
            self.labels.push(name.clone());
            self.labels.len() as u32 - 1
        });
        let mut missing = 0;
        for &line in &keyword.lines {
            let mut entries = deck.entries(line);
            if missing == 0 {
                let number = integer(deck, line.at, entries.next().unwrap_or(""), "an element number")?;
                let start = self.connectivity.len();
                self.elements.push(Element { number, kind, label: number_of_label, start, at: line.at });
                missing = wanted;
            }
            if kind == Kind::Other {
                continue;
            }
            let mut surplus = 0;
            for entry in entries {
                let node = integer(deck, line.at, entry, "a node number")?;
                if missing == 0 {
                    surplus += 1;
                    continue;
                }
                self.connectivity.push(node);
                missing -= 1;
            }
            if surplus == 1 && kind == Kind::Structural(CellShape::Line2) {
                self.oriented.get_or_insert(line.at);
            } else if surplus > 0 {
                self.take_surplus(deck, kind, &name, wanted, surplus)?;
            }
        }
        if missing > 0 {
            return Err(self.wrong_size(deck, &name, wanted, 0));
        }
        if !matches!(kind, Kind::Cell(_)) {
            *self.others.entry(name.to_uppercase()).or_default() += self.elements.len() - before;
        }
        if let Some(label) = label {
            let members = self.elements[before..].iter().map(|e| Member::Number(e.number)).collect();
            let set = self.element_sets.number(&label);
            self.element_sets.pieces[set].push(Piece { instance: None, members, at: keyword.at });
        }
        Ok(())
    }

    /// CalculiX uses the first eight nodes of a C3D8 or C3D8I whose line has more, as some pre-processors
    /// write them. A line with as many nodes as a hexahedron of second order has a wrong type.
    fn take_surplus(
        &mut self,
        deck: &Deck,
        kind: Kind,
        name: &str,
        wanted: usize,
        surplus: usize,
    ) -> Result<(), ParseInpError> {
        let is_cut = |shape: CellShape| wanted + surplus < shape.table().abaqus.cut_below;
        if !matches!(kind, Kind::Cell(shape) if is_cut(shape)) {
            return Err(self.wrong_size(deck, name, wanted, surplus));
        }
        *self.surplus.entry(name.to_uppercase()).or_default() += 1;
        Ok(())
    }

    /// Error: the element that was read last lacks required nodes.
    fn wrong_size(&self, deck: &Deck, name: &str, wanted: usize, surplus: usize) -> ParseInpError {
        let element = self.elements.last().expect("an element was just read");
        ParseInpError::ElementSize {
            place: deck.place(element.at),
            element: element.number,
            name: name.to_owned(),
            wanted,
            found: self.connectivity.len() - element.start + surplus,
        }
    }

    fn take_surface(&mut self, deck: &Deck, keyword: &Keyword) -> Result<(), ParseInpError> {
        let name = required(deck, keyword, "SURFACE", "NAME")?;
        let of_nodes = keyword.value("TYPE").is_some_and(|kind| kind.eq_ignore_ascii_case("NODE"));
        let entries = keyword.lines.iter().map(|&line| {
            let mut entries = deck.entries(line);
            let what = Name::new(entries.next().unwrap_or(""));
            (what, entries.next().unwrap_or("").to_uppercase(), line.at)
        });
        self.surfaces.push(Surface { name, of_nodes, entries: entries.collect() });
        Ok(())
    }
}

/// `*NSET` and `*ELSET`: numbers and names, or ranges.
fn take_set(
    sets: &mut Definitions,
    deck: &Deck,
    keyword: &Keyword,
    kind: &'static str,
) -> Result<(), ParseInpError> {
    let name = required(deck, keyword, kind, kind)?;
    let mut members = Vec::new();
    for &line in &keyword.lines {
        if keyword.has("GENERATE") {
            members.push(range(deck, line.at, &mut deck.entries(line))?);
            continue;
        }
        for entry in deck.entries(line).filter(|entry| !entry.is_empty()) {
            members.push(match entry.parse() {
                Ok(number) => Member::Number(number),
                Err(_) => Member::Named(Name::new(entry)),
            });
        }
    }
    if kind == "NSET"
        && let Some(elements) = keyword.value("ELSET")
    {
        members.push(Member::NodesOf(Name::new(elements)));
    }
    let instance = keyword.value("INSTANCE").map(Name::new);
    let set = sets.number(&name);
    sets.pieces[set].push(Piece { instance, members, at: keyword.at });
    sets.internal[set] |= keyword.has("INTERNAL");
    Ok(())
}

/// First, last and step of a range; the step is one by default.
fn range<'a>(
    deck: &Deck,
    at: At,
    entries: &mut impl Iterator<Item = &'a str>,
) -> Result<Member, ParseInpError> {
    let entries: Vec<&str> = entries.collect();
    let number = |k: usize| entries.get(k).and_then(|entry| entry.parse::<u64>().ok());
    let step = if entries.get(2).is_none_or(|entry| entry.is_empty()) { Some(1) } else { number(2) };
    match (number(0), number(1), step) {
        (Some(first), Some(last), Some(step)) if first <= last && step > 0 => {
            Ok(Member::Range(first, last, step))
        }
        _ => Err(ParseInpError::Range { place: deck.place(at), found: deck.shown(at, &entries.join(", ")) }),
    }
}

fn integer(deck: &Deck, at: At, entry: &str, wanted: &'static str) -> Result<u64, ParseInpError> {
    entry.parse().map_err(|_| ParseInpError::Number {
        place: deck.place(at),
        wanted,
        found: deck.shown(at, entry),
    })
}

fn real(deck: &Deck, at: At, entry: &str) -> Result<f64, ParseInpError> {
    if entry.is_empty() {
        return Ok(0.0);
    }
    parse_real(entry).ok_or_else(|| ParseInpError::Number {
        place: deck.place(at),
        wanted: "a coordinate",
        found: deck.shown(at, entry),
    })
}

/// The name that is the value of a required parameter.
pub(super) fn required(
    deck: &Deck,
    keyword: &Keyword,
    name: &'static str,
    parameter: &'static str,
) -> Result<Name, ParseInpError> {
    keyword.value(parameter).map(Name::new).ok_or_else(|| ParseInpError::NoParameter {
        place: deck.place(keyword.at),
        keyword: name,
        parameter,
    })
}
