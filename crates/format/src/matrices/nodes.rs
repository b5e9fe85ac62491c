//! The list of the nodes of a matrix.

use std::collections::HashMap;
use std::path::Path;

use carom_files::coordinates::ImpossiblePoint;

use super::ReadMatrixError;
use super::text::{Text, load, number};

/// Nodes of a body in the order of a list.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NodeList {
    /// Number and position of each \[m\].
    pub nodes: Vec<(u64, [f64; 3])>,
    place: HashMap<u64, u32>,
}

impl NodeList {
    /// Index of a node in the list.
    pub fn place(&self, id: u64) -> Option<u32> {
        self.place.get(&id).copied()
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// True if the list is empty.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Adds a node; returns false if it is in the list already.
    fn add(&mut self, id: u64, point: [f64; 3]) -> bool {
        let place = u32::try_from(self.nodes.len()).expect("no file has so many lines");
        self.nodes.push((id, point));
        self.place.insert(id, place).is_none()
    }
}

/// Reads a list of nodes: lines `number x y z`, blanks or commas between them, `#`, `%` and `**` begin
/// comments.
///
/// In an input file of Abaqus or CalculiX the `*NODE` blocks are read and everything else is ignored. A file
/// that translates or rotates its nodes (`*INSTANCE` with data, `*SYSTEM`, `*NODE` with `SYSTEM=C`), or
/// includes them from another file, is refused.
///
/// # Errors
///
/// [`ReadMatrixError`]
pub fn read_nodes(path: &Path) -> Result<NodeList, ReadMatrixError> {
    let content = load(path)?;
    let text = Text::new(path, &content);
    let mut list = NodeList::default();
    let mut block = Block::Nodes;
    for i in 0..text.lines.len() {
        if let Some(keyword) = keyword(text.lines[i]) {
            block = Block::of(&keyword).ok_or_else(|| text.unexpected(i, PLAIN))?;
            continue;
        }
        let words: Vec<&str> = text.words(i).collect();
        match block {
            _ if words.is_empty() => {}
            Block::Other => {}
            Block::Unplaced => return Err(text.unexpected(i, PLAIN)),
            Block::Nodes => {
                let (id, point) =
                    node(&words).ok_or_else(|| text.unexpected(i, "`number x y z` of a node"))?;
                ImpossiblePoint::check("node", id, point).map_err(|source| ReadMatrixError::Point {
                    path: path.to_owned(),
                    line: i + 1,
                    source,
                })?;
                if !list.add(id, point) {
                    return Err(ReadMatrixError::DoubleNode { path: path.to_owned(), line: i + 1, id });
                }
            }
        }
    }
    if list.is_empty() {
        return Err(ReadMatrixError::NoNodes { path: path.to_owned() });
    }
    Ok(list)
}

/// The expected form of a file with nodes.
const PLAIN: &str = "the nodes in this file and at their places in the body, by `*NODE` blocks without \
    systems, instances that are moved and other files";

/// The kind of the lines between two keywords.
#[derive(Clone, Copy)]
enum Block {
    Nodes,
    /// Lines that are ignored.
    Other,
    /// A transformation of nodes.
    Unplaced,
}

impl Block {
    /// `None` for a keyword that moves nodes.
    fn of(keyword: &str) -> Option<Self> {
        let (name, rest) = keyword.split_once(',').unwrap_or((keyword, ""));
        match name {
            "NODE" if rest.split(',').any(|word| word.starts_with("INPUT=") || is_turned(word)) => None,
            "NODE" => Some(Self::Nodes),
            "SYSTEM" | "INCLUDE" => None,
            "INSTANCE" => Some(Self::Unplaced),
            _ => Some(Self::Other),
        }
    }
}

fn is_turned(word: &str) -> bool {
    word.starts_with("SYSTEM=") && word != "SYSTEM=R"
}

/// A keyword line in capitals without its star and its blanks.
fn keyword(line: &str) -> Option<String> {
    let rest = line.trim().strip_prefix('*')?;
    (!rest.starts_with('*')).then(|| rest.to_uppercase().split_whitespace().collect())
}

fn node(words: &[&str]) -> Option<(u64, [f64; 3])> {
    let &[id, x, y, z] = words else { return None };
    Some((id.parse().ok()?, [number(x)?, number(y)?, number(z)?]))
}
