//! Names to members: sets in sets, ranges, sets of other instances.

use std::collections::HashMap;
use std::rc::Rc;

use super::assemble::{Unit, unknown};
use super::deck::{At, Deck, Name};
use super::error::ParseInpError;
use super::scope::{Definitions, Member, Piece};

/// The kind of a set's members.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    Nodes,
    Elements,
}

impl Kind {
    fn definitions(self, unit: &Unit) -> &Definitions {
        match self {
            Self::Nodes => &unit.scope.node_sets,
            Self::Elements => &unit.scope.element_sets,
        }
    }

    fn numbers(self, unit: &Unit) -> &HashMap<u64, u32> {
        match self {
            Self::Nodes => &unit.node_of,
            Self::Elements => &unit.item_of,
        }
    }

    fn set_name(self) -> &'static str {
        match self {
            Self::Nodes => "node set",
            Self::Elements => "element set",
        }
    }
}

/// Numbers of nodes or elements, ascending.
type Members = Rc<Vec<u32>>;

/// Members of sets: numbers of nodes of the mesh, or of elements in the order of the file. Each set is
/// evaluated once.
pub(super) struct Resolver<'a> {
    deck: &'a Deck,
    units: &'a [Unit],
    /// `None` while a set is being evaluated.
    known: HashMap<(Kind, usize, usize), Option<Members>>,
    /// Number of members of each set that the file does not have.
    pub(super) missing: Vec<(String, usize)>,
}

impl<'a> Resolver<'a> {
    pub(super) fn new(deck: &'a Deck, units: &'a [Unit]) -> Self {
        Self { deck, units, known: HashMap::new(), missing: Vec::new() }
    }

    /// Elements of a named set, with the names that are valid in a unit.
    pub(super) fn elements_named(
        &mut self,
        unit: usize,
        name: &Name,
        at: At,
    ) -> Result<Members, ParseInpError> {
        self.named(Kind::Elements, unit, name, at)
    }

    /// Nodes of a set by its number in a unit.
    pub(super) fn nodes(&mut self, unit: usize, set: usize) -> Result<Members, ParseInpError> {
        self.set(Kind::Nodes, unit, set)
    }

    /// Elements of a set by its number in a unit.
    pub(super) fn elements(&mut self, unit: usize, set: usize) -> Result<Members, ParseInpError> {
        self.set(Kind::Elements, unit, set)
    }

    /// Elements that an entry means: one by its number, or those of a set.
    pub(super) fn elements_of_entry(
        &mut self,
        unit: usize,
        entry: &Name,
        at: At,
    ) -> Result<Members, ParseInpError> {
        self.entry(Kind::Elements, unit, entry, at)
    }

    /// Nodes that an entry means: one by its number, or those of a set.
    pub(super) fn nodes_of_entry(
        &mut self,
        unit: usize,
        entry: &Name,
        at: At,
    ) -> Result<Members, ParseInpError> {
        self.entry(Kind::Nodes, unit, entry, at)
    }

    fn entry(&mut self, kind: Kind, unit: usize, entry: &Name, at: At) -> Result<Members, ParseInpError> {
        let Ok(number) = entry.text.parse::<u64>() else { return self.named(kind, unit, entry, at) };
        match kind.numbers(&self.units[unit]).get(&number) {
            Some(&found) => Ok(Rc::new(vec![found])),
            None => {
                let what = if kind == Kind::Nodes { "node" } else { "element" };
                Err(unknown(self.deck, at, what, &entry.text))
            }
        }
    }

    /// A set of the unit, or `instance.set`, `instance.number`.
    fn named(&mut self, kind: Kind, unit: usize, name: &Name, at: At) -> Result<Members, ParseInpError> {
        if let Some(set) = kind.definitions(&self.units[unit]).find(&name.key) {
            return self.set(kind, unit, set);
        }
        // Names of instances and sets may contain points themselves.
        for (point, _) in name.text.match_indices('.') {
            let (instance, rest) = (Name::new(&name.text[..point]), Name::new(&name.text[point + 1..]));
            if let Some(other) = self.instance(&instance)
                && other != unit
            {
                return self.entry(kind, other, &rest, at);
            }
        }
        Err(unknown(self.deck, at, kind.set_name(), &name.text))
    }

    /// Number of the unit that is the instance of this name.
    fn instance(&self, name: &Name) -> Option<usize> {
        self.units.iter().position(|unit| unit.name.as_ref().is_some_and(|n| n.key == name.key))
    }

    fn set(&mut self, kind: Kind, unit: usize, set: usize) -> Result<Members, ParseInpError> {
        let units = self.units;
        let definitions = kind.definitions(&units[unit]);
        let pieces = &definitions.pieces[set];
        match self.known.get(&(kind, unit, set)) {
            Some(Some(members)) => return Ok(members.clone()),
            Some(None) => {
                let place = self.deck.place(pieces[0].at);
                return Err(ParseInpError::SetCycle { place, name: definitions.names[set].text.clone() });
            }
            None => {}
        }
        self.known.insert((kind, unit, set), None);
        let (mut members, mut missing) = (Vec::new(), 0);
        for piece in pieces {
            missing += self.piece(kind, unit, piece, &mut members)?;
        }
        if missing > 0 {
            self.missing.push((definitions.names[set].text.clone(), missing));
        }
        members.sort_unstable();
        members.dedup();
        let members = Rc::new(members);
        self.known.insert((kind, unit, set), Some(members.clone()));
        Ok(members)
    }

    /// Adds the members of a piece; returns how many numbers do not exist.
    fn piece(
        &mut self,
        kind: Kind,
        unit: usize,
        piece: &Piece,
        members: &mut Vec<u32>,
    ) -> Result<usize, ParseInpError> {
        let units = self.units;
        let unit = match &piece.instance {
            None => unit,
            Some(name) => {
                self.instance(name).ok_or_else(|| unknown(self.deck, piece.at, "instance", &name.text))?
            }
        };
        let numbers = kind.numbers(&units[unit]);
        let mut missing = 0;
        for member in &piece.members {
            match member {
                Member::Number(number) => match numbers.get(number) {
                    Some(&found) => members.push(found),
                    None => missing += 1,
                },
                Member::Range(first, last, step) => {
                    let is_in = |n: &u64| (first..=last).contains(&n) && (n - first).is_multiple_of(*step);
                    if (last - first) / step < numbers.len() as u64 {
                        let range = (*first..=*last).step_by(*step as usize);
                        members.extend(range.filter_map(|n| numbers.get(&n)));
                    } else {
                        members.extend(numbers.iter().filter(|(n, _)| is_in(n)).map(|(_, found)| found));
                    }
                }
                Member::Named(name) => members.extend(self.named(kind, unit, name, piece.at)?.iter()),
                Member::NodesOf(name) => {
                    let elements = self.named(Kind::Elements, unit, name, piece.at)?;
                    self.nodes_of_elements(&elements, members);
                }
            }
        }
        Ok(missing)
    }

    /// Nodes of elements that are numbered through all units.
    fn nodes_of_elements(&self, elements: &[u32], members: &mut Vec<u32>) {
        let mut first = 0;
        for unit in self.units {
            let all = &unit.scope.elements;
            let end = first + all.len() as u32;
            let from = elements.partition_point(|&e| e < first);
            for &element in elements[from..].iter().take_while(|&&e| e < end) {
                let start = all[(element - first) as usize].start;
                let next = all.get((element - first) as usize + 1).map(|e| e.start);
                let numbers = &unit.scope.connectivity[start..next.unwrap_or(unit.scope.connectivity.len())];
                members.extend(numbers.iter().filter_map(|number| unit.node_of.get(number)));
            }
            first = end;
        }
    }
}
