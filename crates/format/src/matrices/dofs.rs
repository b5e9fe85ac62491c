//! Files that name node and direction of each row of a matrix.
//!
//! * CalculiX writes `NAME.dof` together with `NAME.sti` and `NAME.mas` (`*FREQUENCY, SOLVER=MATRIXSTORAGE`):
//!   a line `node.direction` for each row, directions from 1 (`matrixstorage.c` of CalculiX 2.21).
//! * Ansys writes `NAME.mapping` together with `NAME.matrix` (`HBMAT, NAME, , , ASCII, STIFF, , YES`;
//!   Mechanical APDL Command Reference, HBMAT): a line of titles (`Matrix Eqn`, `Node`, `DOF`) and a line
//!   `row node label` for each row, labels UX, UY and UZ. The order of the rows is that of the equation
//!   solver, and that of `*EXPORT, …, MMF` too; nodes come in any order.

use std::path::{Path, PathBuf};

use super::text::{DIRECTIONS, Text, load};
use super::{NodeList, ReadMatrixError};

/// The program that wrote a file of dofs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DofFormat {
    /// `node.direction`
    CalculiX,
    /// `row node label`
    Ansys,
}

impl DofFormat {
    /// The content of a line.
    fn line(self) -> &'static str {
        match self {
            Self::CalculiX => "`node.direction`, such as `12.1`",
            Self::Ansys => "`row node label`, such as `7 12 UX`",
        }
    }
}

/// The dofs to which the rows of a matrix belong.
#[derive(Debug, Clone, PartialEq)]
pub struct DofList {
    /// The file.
    pub path: PathBuf,
    /// The program that wrote it.
    pub format: DofFormat,
    /// Dof of each row: three times the index of its node in the list of nodes, plus 0, 1 or 2 for x, y or z.
    pub dofs: Vec<u32>,
}

/// The content of a line.
struct Row {
    /// From 0.
    number: usize,
    node: u64,
    direction: Direction,
}

enum Direction {
    /// 0, 1 or 2.
    Of(u32),
    /// A dof that is not a displacement: its name in the file, and its meaning.
    Other(String, &'static str),
}

/// Reads the dofs of the rows of a matrix.
///
/// Each node of the file must have its three directions, each once.
///
/// # Errors
///
/// [`ReadMatrixError`]
pub fn read_dofs(path: &Path, nodes: &NodeList) -> Result<DofList, ReadMatrixError> {
    /// Value for dofs without a row.
    const NONE: u32 = u32::MAX;
    let content = load(path)?;
    let text = Text::new(path, &content);
    let lines: Vec<usize> = (0..text.lines.len()).filter(|&i| text.words(i).next().is_some()).collect();
    let Some(&first) = lines.first() else {
        return Err(ReadMatrixError::Empty { path: path.to_owned(), blank: true });
    };
    let is_mapping = text.words(first).nth(1).is_some();
    let format = if is_mapping { DofFormat::Ansys } else { DofFormat::CalculiX };
    // The line of titles begins with a word.
    let titles =
        usize::from(is_mapping && text.words(first).next().is_some_and(|w| w.parse::<u64>().is_err()));
    let lines = &lines[titles..];
    let mut dofs = vec![NONE; lines.len()];
    let mut row_of = vec![NONE; 3 * nodes.len()];
    for (k, &i) in lines.iter().enumerate() {
        let row = if is_mapping { of_mapping(&text, i) } else { of_dof_file(&text, i, k) };
        let row = row.ok_or_else(|| text.unexpected(i, format.line()))?;
        let (dof, direction) = place_of(&row, nodes, path, i + 1)?;
        let first = std::mem::replace(&mut row_of[dof as usize], row.number as u32);
        if first != NONE {
            let (path, line, id, first) = (path.to_owned(), i + 1, row.node, first as usize + 1);
            return Err(ReadMatrixError::DoubleDof { path, line, id, direction, first });
        }
        match dofs.get_mut(row.number) {
            Some(empty) if *empty == NONE => *empty = dof,
            _ => return Err(text.unexpected(i, format!("rows from 1 to {}, each once", lines.len()))),
        }
    }
    let missing = row_of.chunks_exact(3).zip(&nodes.nodes).find_map(|(rows, node)| {
        let without = rows.iter().position(|&row| row == NONE)?;
        rows.iter().any(|&row| row != NONE).then_some((node.0, DIRECTIONS[without]))
    });
    if let Some((id, direction)) = missing {
        return Err(ReadMatrixError::MissingDof { path: path.to_owned(), id, direction });
    }
    Ok(DofList { path: path.to_owned(), format, dofs })
}

/// The dof of a row, and its direction in words.
fn place_of(
    row: &Row,
    nodes: &NodeList,
    path: &Path,
    line: usize,
) -> Result<(u32, &'static str), ReadMatrixError> {
    let path = || path.to_owned();
    match (&row.direction, nodes.place(row.node)) {
        (Direction::Of(direction), Some(place)) => {
            Ok((3 * place + direction, DIRECTIONS[*direction as usize]))
        }
        (Direction::Other(dof, meaning), _) => {
            Err(ReadMatrixError::OtherDof { path: path(), line, id: row.node, dof: dof.clone(), meaning })
        }
        (Direction::Of(_), None) => {
            Err(ReadMatrixError::UnknownNode { path: path(), line, id: row.node, n_nodes: nodes.len() })
        }
    }
}

/// Reads `12.1`: a node and a direction, not a decimal number.
fn of_dof_file(text: &Text<'_>, i: usize, k: usize) -> Option<Row> {
    let mut words = text.words(i);
    let (Some(word), None) = (words.next(), words.next()) else { return None };
    let (node, direction) = word.split_once('.')?;
    let direction = match direction.parse::<u32>().ok()? {
        d @ 1..=3 => Direction::Of(d - 1),
        0 => Direction::Other(word.to_owned(), " (a temperature)"),
        _ => Direction::Other(word.to_owned(), ""),
    };
    Some(Row { number: k, node: node.parse().ok()?, direction })
}

fn of_mapping(text: &Text<'_>, i: usize) -> Option<Row> {
    let mut words = text.words(i);
    let words: [Option<&str>; 4] = std::array::from_fn(|_| words.next());
    let [Some(number), Some(node), Some(label), None] = words else { return None };
    let direction = match label.to_uppercase().as_str() {
        "UX" => Direction::Of(0),
        "UY" => Direction::Of(1),
        "UZ" => Direction::Of(2),
        other => Direction::Other(label.to_owned(), meaning_of_label(other)),
    };
    let number = number.parse::<usize>().ok()?.checked_sub(1)?;
    u32::try_from(number).ok()?;
    Some(Row { number, node: node.parse().ok()?, direction })
}

/// Labels of Ansys (Mechanical APDL Command Reference, D).
fn meaning_of_label(label: &str) -> &'static str {
    match label {
        "ROTX" | "ROTY" | "ROTZ" => " (a rotation)",
        "WARP" => " (the warping of a beam)",
        "PRES" | "HDSP" => " (a pressure)",
        "TEMP" => " (a temperature)",
        "VOLT" => " (an electric potential)",
        "MAG" => " (a magnetic potential)",
        _ => "",
    }
}
