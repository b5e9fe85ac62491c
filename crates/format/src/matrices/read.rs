//! Reading of matrices in all formats as their lower triangle.

use std::path::Path;

use carom_progress::Progress;
use carom_reduce::Entries;

use super::found::{Found, look_up};
use super::harwell_boeing::{self, is_harwell_boeing};
use super::text::{DIRECTIONS, Text, load, number};
use super::{DofList, NodeList, ReadMatrixError};

/// Largest difference of two entries that should be equal, relative to the largest entry of the matrix, for
/// the number of digits in files.
const ASYMMETRY: f64 = 1e-6;

/// Diagonal entries from this value on are supports: Abaqus writes 1e36 for a held dof.
const SUPPORT: f64 = 1e30;

/// The format of a matrix file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatrixFormat {
    /// Matrix Market, sparse.
    MatrixMarket,
    /// Harwell-Boeing, assembled.
    HarwellBoeing,
    /// Lines `row column value`.
    Rows,
    /// Lines `node direction node direction value`.
    Labels,
}

/// A matrix with three rows and columns for each node of the list.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadMatrix {
    /// Its lower triangle.
    pub entries: Entries,
    /// The format of the file.
    pub format: MatrixFormat,
}

/// Reads a symmetric matrix, whose format is recognised from its content.
///
/// Lines of five words are entries of Abaqus (Abaqus Keywords Guide, `*MATRIX INPUT`, whose lines `*MATRIX
/// OUTPUT, FORMAT=MATRIX INPUT` writes): row node, its dof, column node, its dof, value, of the lower or the
/// upper triangle, or of both.
///
/// * `nodes` — the nodes; by default numbered rows are their x, y, z in this order
/// * `dofs` — the dofs of numbered rows
///
/// # Errors
///
/// [`ReadMatrixError`]
pub fn read_matrix(
    path: &Path,
    nodes: &NodeList,
    dofs: Option<&DofList>,
    progress: &dyn Progress,
) -> Result<ReadMatrix, ReadMatrixError> {
    let content = load(path)?;
    let text = Text::new(path, &content);
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    progress.begin(&format!("reading {name}"), text.lines.len() as u64);
    let format = format_of(&text);
    let dofs = dofs.filter(|_| format != MatrixFormat::Labels);
    let n_dofs = 3 * nodes.len();
    let mut found = match format {
        MatrixFormat::MatrixMarket => market(&text, progress)?,
        MatrixFormat::HarwellBoeing => harwell_boeing::read(&text, progress)?,
        MatrixFormat::Rows => {
            let size = dofs.map_or(n_dofs, |dofs| dofs.dofs.len());
            Found { size, entries: numbered(&text, 0, size, progress)?, is_symmetric: None }
        }
        MatrixFormat::Labels => {
            Found { size: n_dofs, entries: labelled(&text, nodes, progress)?, is_symmetric: None }
        }
    };
    if found.entries.is_empty() {
        return Err(ReadMatrixError::Empty { path: path.to_owned(), blank: content.trim().is_empty() });
    }
    if let Some(dofs) = dofs {
        put(&mut found, dofs, n_dofs, path)?;
    }
    let is_numbered = format != MatrixFormat::Labels && dofs.is_none();
    let entries = lower_triangle(found).map_err(|pair| {
        let dof = |k: u32| match nodes.nodes.get(k as usize / 3) {
            Some((id, _)) if !is_numbered => format!("{} of node {id}", DIRECTIONS[k as usize % 3]),
            _ => (k + 1).to_string(),
        };
        let (row, column) = (dof(pair.row), dof(pair.column));
        ReadMatrixError::Asymmetric {
            path: path.to_owned(),
            row,
            column,
            lower: pair.lower,
            upper: pair.upper,
        }
    });
    progress.end();
    Ok(ReadMatrix { entries: entries?, format })
}

fn format_of(text: &Text<'_>) -> MatrixFormat {
    if text.lines.first().is_some_and(|line| line.to_lowercase().starts_with("%%matrixmarket")) {
        return MatrixFormat::MatrixMarket;
    }
    if is_harwell_boeing(text) {
        return MatrixFormat::HarwellBoeing;
    }
    let first = (0..text.lines.len()).map(|i| text.words(i).count()).find(|&n| n > 0);
    if first == Some(5) { MatrixFormat::Labels } else { MatrixFormat::Rows }
}

/// A Matrix Market file.
fn market(text: &Text<'_>, progress: &dyn Progress) -> Result<Found, ReadMatrixError> {
    let header = text.lines[0].to_lowercase();
    let is_symmetric = match header.split_whitespace().collect::<Vec<_>>()[1..] {
        ["matrix", "coordinate", "real" | "integer", "symmetric"] => true,
        ["matrix", "coordinate", "real" | "integer", "general"] => false,
        _ => {
            let header = text.lines[0].trim().chars().take(80).collect();
            return Err(ReadMatrixError::Kind { path: text.path.to_owned(), header });
        }
    };
    let Some(line) = (0..text.lines.len()).find(|&i| text.words(i).next().is_some()) else {
        return Ok(Found { size: 0, entries: Vec::new(), is_symmetric: Some(is_symmetric) });
    };
    let sizes: Option<Vec<usize>> = text.words(line).map(|word| word.parse().ok()).collect();
    let Some([rows, columns, said]) = sizes.as_deref() else {
        return Err(text.unexpected(line, "numbers of rows, columns and entries"));
    };
    if rows != columns || u32::try_from(*rows).is_err() {
        return Err(text.unexpected(line, "as many columns as rows"));
    }
    let entries = numbered(text, line + 1, *rows, progress)?;
    if *said != entries.len() {
        return Err(ReadMatrixError::Count { path: text.path.to_owned(), said: *said, found: entries.len() });
    }
    Ok(Found { size: *rows, entries, is_symmetric: Some(is_symmetric) })
}

/// Lines `row column value` from one on.
fn numbered(
    text: &Text<'_>,
    first: usize,
    n: usize,
    progress: &dyn Progress,
) -> Result<Vec<(u32, u32, f64)>, ReadMatrixError> {
    let place = |word: &str| word.parse::<u32>().ok().filter(|&k| k > 0 && k as usize <= n).map(|k| k - 1);
    let mut entries = Vec::new();
    for i in first..text.lines.len() {
        look_up(text, i, i, progress)?;
        let entry = match words(text, i) {
            [None, ..] => continue,
            [Some(a), Some(b), Some(c), None, ..] => match (place(a), place(b), number(c)) {
                (Some(row), Some(column), Some(value)) => Some((row, column, value)),
                _ => None,
            },
            _ => return Err(text.unexpected(i, "`row column value`")),
        };
        entries.push(entry.ok_or_else(|| {
            text.unexpected(i, format!("`row column value` with rows and columns from 1 to {n}"))
        })?);
    }
    Ok(entries)
}

/// The words of a line, up to six.
fn words<'a>(text: &Text<'a>, i: usize) -> [Option<&'a str>; 6] {
    let mut words = text.words(i);
    std::array::from_fn(|_| words.next())
}

/// Lines `node direction node direction value`.
fn labelled(
    text: &Text<'_>,
    nodes: &NodeList,
    progress: &dyn Progress,
) -> Result<Vec<(u32, u32, f64)>, ReadMatrixError> {
    const EXPECTED: &str = "`node direction node direction value`";
    let mut entries = Vec::new();
    for i in 0..text.lines.len() {
        look_up(text, i, i, progress)?;
        let (a, b, c, d, value) = match words(text, i) {
            [None, ..] => continue,
            [Some(a), Some(b), Some(c), Some(d), Some(value), None] => (a, b, c, d, value),
            _ => return Err(text.unexpected(i, EXPECTED)),
        };
        let value = number(value).ok_or_else(|| text.unexpected(i, EXPECTED))?;
        let (row, column) = (label(text, i, a, b, nodes)?, label(text, i, c, d, nodes)?);
        if row == column && value.abs() >= SUPPORT {
            let (id, direction) = (nodes.nodes[row as usize / 3].0, DIRECTIONS[row as usize % 3]);
            let path = text.path.to_owned();
            return Err(ReadMatrixError::Support { path, line: i + 1, id, direction, value });
        }
        entries.push((row, column, value));
    }
    Ok(entries)
}

/// The dof of a node and its direction from 1.
fn label(text: &Text<'_>, i: usize, node: &str, dof: &str, nodes: &NodeList) -> Result<u32, ReadMatrixError> {
    let (path, line) = (|| text.path.to_owned(), i + 1);
    let (Ok(id), Ok(direction)) = (node.parse::<i64>(), dof.parse::<u32>()) else {
        return Err(text.unexpected(i, "whole numbers of nodes and directions, then a value"));
    };
    let id = match u64::try_from(id) {
        Ok(id) if id > 0 => id,
        _ => return Err(ReadMatrixError::InternalNode { path: path(), line, id }),
    };
    if !(1..=3).contains(&direction) {
        let meaning = meaning_of_dof(direction);
        return Err(ReadMatrixError::OtherDof {
            path: path(),
            line,
            id,
            dof: direction.to_string(),
            meaning,
        });
    }
    let place = nodes.place(id).ok_or_else(|| ReadMatrixError::UnknownNode {
        path: path(),
        line,
        id,
        n_nodes: nodes.len(),
    })?;
    Ok(3 * place + direction - 1)
}

/// Numbers of degrees of freedom (Abaqus Analysis User's Guide, Conventions).
fn meaning_of_dof(dof: u32) -> &'static str {
    match dof {
        4..=6 => " (a rotation)",
        7 => " (the warping of a beam)",
        8 => " (a pressure)",
        9 => " (an electric potential)",
        11.. => " (a temperature)",
        _ => "",
    }
}

/// Maps rows to dofs.
fn put(found: &mut Found, dofs: &DofList, n_dofs: usize, path: &Path) -> Result<(), ReadMatrixError> {
    if found.size != dofs.dofs.len() {
        return Err(ReadMatrixError::DofCount {
            path: path.to_owned(),
            rows: found.size,
            dofs: dofs.path.clone(),
            n_dofs: dofs.dofs.len(),
        });
    }
    for (row, column, _) in &mut found.entries {
        (*row, *column) = (dofs.dofs[*row as usize], dofs.dofs[*column as usize]);
    }
    found.size = n_dofs;
    Ok(())
}

/// Two entries that should be equal.
struct UnequalPair {
    row: u32,
    column: u32,
    lower: f64,
    upper: f64,
}

/// The lower triangle of a matrix given by one or both triangles; repeated entries are summed.
///
/// If the file does not say which, it contains both triangles if any pair of dofs has both entries: rows may
/// be in any order, so that entries of one triangle can lie on both sides of the diagonal.
fn lower_triangle(found: Found) -> Result<Entries, UnequalPair> {
    let Found { size, mut entries, is_symmetric } = found;
    // Sorted so that both entries of a pair are neighbours, the lower one first.
    let pair = |entry: &(u32, u32, f64)| (entry.0.min(entry.1), entry.0.max(entry.1));
    entries.sort_by_key(|entry| (pair(entry), entry.0 < entry.1));
    let one_triangle = is_symmetric.unwrap_or_else(|| {
        let is_mirrored = |two: &[(u32, u32, f64)]| two[0].0 == two[1].1 && two[0].1 == two[1].0;
        !entries.windows(2).any(|two| two[0].0 != two[0].1 && is_mirrored(two))
    });
    let largest = entries.iter().fold(0.0_f64, |a, entry| a.max(entry.2.abs()));
    let mut out: Vec<(u32, u32, f64)> = Vec::new();
    for same in entries.chunk_by(|a, b| pair(a) == pair(b)) {
        let (column, row) = pair(&same[0]);
        let sum = |is_lower: bool| {
            same.iter().filter(|entry| (entry.0 >= entry.1) == is_lower).map(|entry| entry.2).sum::<f64>()
        };
        let (lower, upper) = (sum(true), sum(false));
        let is_whole = row == column || one_triangle;
        if !is_whole && (lower - upper).abs() > ASYMMETRY * largest {
            return Err(UnequalPair { row, column, lower, upper });
        }
        out.push((row, column, if is_whole { lower + upper } else { 0.5 * (lower + upper) }));
    }
    Ok(Entries { size, entries: out })
}
