//! Sparse symmetric matrices as text, and the list of the nodes to which their rows belong.
//!
//! Written are Matrix Market files (`matrix coordinate real symmetric`, lower triangle). Read are these, the general ones that other
//! programs write of symmetric matrices, and bare lists of `row column value` (Abaqus' `FORMAT=COORDINATE`, CalculiX' `.sti` and
//! `.mas`), in which one triangle or both may be. The readers of other crates do not tell the line of a mistake.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use carom_files::coordinates::ImpossiblePoint;
use carom_files::{WriteFileError, write_atomically};
use carom_progress::Progress;
use carom_reduce::Entries;
use faer::Mat;
use thiserror::Error;

use crate::watched::Watched;

/// Largest difference of two entries that should be equal, relative to the largest of the matrix: figures of files.
const ASYMMETRY: f64 = 1e-6;

/// Why a matrix or a list of nodes cannot be used.
#[derive(Debug, Error)]
pub enum ReadMatrixError {
    /// The operating system refused.
    #[error("cannot read `{path}`: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// A line is not what belongs there.
    #[error("`{path}`:{line}: expected {expected}, found `{found}`")]
    Unexpected {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// What belongs there.
        expected: String,
        /// What is there.
        found: String,
    },
    /// A Matrix Market file of another kind.
    #[error(
        "`{path}`:1: `{header}` is not read; write `matrix coordinate real`, `symmetric` or `general`: sparse, with real numbers"
    )]
    Kind {
        /// The file.
        path: PathBuf,
        /// Its first line.
        header: String,
    },
    /// Fewer or more entries than the file says.
    #[error(
        "`{path}` says that it has {said} entries, but has {found}: it was cut or changed; write it again"
    )]
    Count {
        /// The file.
        path: PathBuf,
        /// Number that the file says.
        said: usize,
        /// Number of entries.
        found: usize,
    },
    /// Nothing is in it.
    #[error("`{path}` {}; write the matrix again", if *blank { "is empty" } else { "has no entries" })]
    Empty {
        /// The file.
        path: PathBuf,
        /// Whether there is nothing at all, not even a header.
        blank: bool,
    },
    /// The matrix is not symmetric.
    #[error(
        "`{path}`: the entries at {row}, {column} and {column}, {row} are {lower:e} and {upper:e}; a symmetric matrix is needed"
    )]
    Asymmetric {
        /// The file.
        path: PathBuf,
        /// Row, from 1.
        row: u32,
        /// Column, from 1.
        column: u32,
        /// Entry of the lower triangle.
        lower: f64,
        /// Entry of the upper triangle.
        upper: f64,
    },
    /// A node lies nowhere.
    #[error("`{path}`:{line}: {source}")]
    Point {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// What is wrong with it.
        source: ImpossiblePoint,
    },
    /// A node comes twice.
    #[error("`{path}`:{line}: node {id} comes twice; list each node once, in the order of the dofs")]
    DoubleNode {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// Number of the node.
        id: u64,
    },
    /// The user stopped it.
    #[error("stopped while reading `{path}`")]
    Interrupted {
        /// The file.
        path: PathBuf,
    },
    /// No node.
    #[error("`{path}` lists no nodes; give a line `number x y z` for each, in the order of the dofs")]
    NoNodes {
        /// The file.
        path: PathBuf,
    },
}

impl ReadMatrixError {
    /// True if the operating system is at fault and not what the file holds.
    pub fn is_io(&self) -> bool {
        matches!(self, Self::Io { source, .. } if source.kind() != io::ErrorKind::InvalidData)
    }
}

/// Writes a symmetric matrix as a Matrix Market file, whole or not at all; seventeen digits give the same numbers back.
///
/// # Errors
///
/// [`WriteFileError`]
pub fn write_matrix(path: &Path, matrix: &Entries, progress: &dyn Progress) -> Result<(), WriteFileError> {
    /// Of a line: two numbers of up to seven digits and a value.
    const LINE: u64 = 39;
    write_atomically(path, |out| {
        let mut out = Watched::begin(out, "writing", LINE * matrix.entries.len() as u64, progress);
        writeln!(out, "%%MatrixMarket matrix coordinate real symmetric")?;
        writeln!(out, "{0} {0} {1}", matrix.size, matrix.entries.len())?;
        matrix
            .entries
            .iter()
            .try_for_each(|(row, column, value)| writeln!(out, "{} {} {value:.16e}", row + 1, column + 1))?;
        out.end();
        Ok(())
    })
}

/// Writes a dense matrix as a Matrix Market file (`matrix array real general`), column by column, whole or not at all; seventeen digits
/// give the same numbers back.
///
/// # Errors
///
/// [`WriteFileError`], also if the user stopped it
pub fn write_dense(path: &Path, matrix: &Mat<f64>, progress: &dyn Progress) -> Result<(), WriteFileError> {
    /// Of a line: a value, mostly positive.
    const LINE: u64 = 24;
    write_atomically(path, |out| {
        let bytes = LINE * (matrix.nrows() * matrix.ncols()) as u64;
        let mut out = Watched::begin(out, "writing", bytes, progress);
        writeln!(out, "%%MatrixMarket matrix array real general")?;
        writeln!(out, "{} {}", matrix.nrows(), matrix.ncols())?;
        for j in 0..matrix.ncols() {
            (0..matrix.nrows()).try_for_each(|i| writeln!(out, "{:.17e}", matrix[(i, j)]))?;
        }
        out.end();
        Ok(())
    })
}

/// Writes a list of nodes: a line `number x y z` for each \[m\].
///
/// # Errors
///
/// [`WriteFileError`]
pub fn write_nodes(path: &Path, nodes: &[(u64, [f64; 3])]) -> Result<(), WriteFileError> {
    write_atomically(path, |out| {
        writeln!(out, "# node x y z; dofs are x, y, z of each in this order")?;
        nodes.iter().try_for_each(|(id, [x, y, z])| writeln!(out, "{id} {x:.16e} {y:.16e} {z:.16e}"))
    })
}

struct Text<'a> {
    path: &'a Path,
    lines: Vec<&'a str>,
}

impl Text<'_> {
    fn unexpected(&self, i: usize, expected: impl Into<String>) -> ReadMatrixError {
        ReadMatrixError::Unexpected {
            path: self.path.to_owned(),
            line: i + 1,
            expected: expected.into(),
            found: self.lines[i].trim().chars().take(60).collect(),
        }
    }

    /// The words of a line that is no comment; blank lines have none.
    fn words(&self, i: usize) -> impl Iterator<Item = &str> {
        let line = self.lines[i].trim();
        let content = if line.starts_with(['%', '*']) { "" } else { line.split('#').next().unwrap_or("") };
        content.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty())
    }
}

fn load(path: &Path) -> Result<String, ReadMatrixError> {
    let bytes =
        std::fs::read(path).map_err(|source| ReadMatrixError::Io { path: path.to_owned(), source })?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// A number, also with Fortran's exponent.
fn number(word: &str) -> Option<f64> {
    word.replace(['D', 'd'], "e").parse().ok().filter(|x: &f64| x.is_finite())
}

/// Reads a symmetric matrix.
///
/// * `size` — rows of a matrix whose file does not say it
///
/// # Errors
///
/// [`ReadMatrixError`]
pub fn read_matrix(path: &Path, size: usize, progress: &dyn Progress) -> Result<Entries, ReadMatrixError> {
    /// Lines between two reports.
    const REPORT: usize = 1 << 16;
    let content = load(path)?;
    let text = Text { path, lines: content.lines().collect() };
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    progress.begin(&format!("reading {name}"), text.lines.len() as u64);
    let header = text.lines.first().copied().unwrap_or("").to_lowercase();
    let mut is_symmetric = None;
    if header.starts_with("%%matrixmarket") {
        is_symmetric = match header.split_whitespace().collect::<Vec<_>>()[1..] {
            ["matrix", "coordinate", "real" | "integer", "symmetric"] => Some(true),
            ["matrix", "coordinate", "real" | "integer", "general"] => Some(false),
            _ => {
                let header = text.lines[0].trim().chars().take(80).collect();
                return Err(ReadMatrixError::Kind { path: path.to_owned(), header });
            }
        };
    }
    let mut said = None;
    let mut entries = Vec::new();
    let mut n = size;
    for i in 0..text.lines.len() {
        if i % REPORT == 0 {
            progress.set(i as u64);
            if progress.interrupted() {
                return Err(ReadMatrixError::Interrupted { path: path.to_owned() });
            }
        }
        let words: [Option<&str>; 4] = {
            let mut words = text.words(i);
            std::array::from_fn(|_| words.next())
        };
        let ([Some(a), Some(b), Some(c), None], false) = (words, words[0].is_none()) else {
            if words[0].is_none() {
                continue;
            }
            return Err(text.unexpected(i, "`row column value`"));
        };
        if is_symmetric.is_some() && said.is_none() {
            let sizes = [a, b, c].map(|word| word.parse::<usize>().ok());
            let [Some(rows), Some(columns), Some(count)] = sizes else {
                return Err(text.unexpected(i, "numbers of rows, columns and entries"));
            };
            if rows != columns || u32::try_from(rows).is_err() {
                return Err(text.unexpected(i, "as many columns as rows"));
            }
            (n, said) = (rows, Some(count));
            continue;
        }
        let place =
            |word: &str| word.parse::<u32>().ok().filter(|&k| k > 0 && k as usize <= n).map(|k| k - 1);
        match (place(a), place(b), number(c)) {
            (Some(row), Some(column), Some(value)) => entries.push((row, column, value)),
            _ => {
                return Err(
                    text.unexpected(i, format!("`row column value` with rows and columns from 1 to {n}"))
                );
            }
        }
    }
    if let Some(said) = said.filter(|&said| said != entries.len()) {
        return Err(ReadMatrixError::Count { path: path.to_owned(), said, found: entries.len() });
    }
    if entries.is_empty() {
        return Err(ReadMatrixError::Empty { path: path.to_owned(), blank: content.trim().is_empty() });
    }
    let entries = lower_triangle(path, n, entries, is_symmetric);
    progress.end();
    entries
}

/// The lower triangle of a matrix that may hold either or both; entries of one place add up.
///
/// * `is_symmetric` — whether one triangle stands for both; `None` if the file does not say it
fn lower_triangle(
    path: &Path,
    size: usize,
    mut entries: Vec<(u32, u32, f64)>,
    is_symmetric: Option<bool>,
) -> Result<Entries, ReadMatrixError> {
    let has = |lower: bool| entries.iter().any(|(row, column, _)| row != column && (row > column) == lower);
    let both = has(true) && has(false);
    let one_triangle = is_symmetric.unwrap_or(!both);
    if one_triangle {
        for (row, column, _) in &mut entries {
            (*row, *column) = (*row.max(column), *row.min(column));
        }
    }
    // Both triangles side by side: by pair, the lower one first.
    entries.sort_by_key(|&(row, column, _)| (row.min(column), row.max(column), row < column));
    let largest = entries.iter().fold(0.0_f64, |a, entry| a.max(entry.2.abs()));
    let mut out: Vec<(u32, u32, f64)> = Vec::new();
    let mut i = 0;
    while i < entries.len() {
        let (row, column) = (entries[i].0.max(entries[i].1), entries[i].0.min(entries[i].1));
        let (mut lower, mut upper) = (0.0, 0.0);
        while let Some(&(r, c, value)) =
            entries.get(i).filter(|e| (e.0.max(e.1), e.0.min(e.1)) == (row, column))
        {
            if r >= c {
                lower += value
            } else {
                upper += value
            }
            i += 1;
        }
        let mut value = lower;
        if !one_triangle && row != column {
            if (lower - upper).abs() > ASYMMETRY * largest {
                let (path, row, column) = (path.to_owned(), row + 1, column + 1);
                return Err(ReadMatrixError::Asymmetric { path, row, column, lower, upper });
            }
            value = 0.5 * (lower + upper);
        }
        out.push((row, column, value));
    }
    Ok(Entries { size, entries: out })
}

/// Reads a list of nodes: lines `number x y z`, blanks or commas between them, `#`, `%` and `*` begin comments.
///
/// # Errors
///
/// [`ReadMatrixError`]
pub fn read_nodes(path: &Path) -> Result<Vec<(u64, [f64; 3])>, ReadMatrixError> {
    let content = load(path)?;
    let text = Text { path, lines: content.lines().collect() };
    let mut nodes = Vec::new();
    let mut known = std::collections::HashSet::new();
    for i in 0..text.lines.len() {
        let words: Vec<&str> = text.words(i).collect();
        if words.is_empty() {
            continue;
        }
        let numbers: Vec<Option<f64>> = words.iter().skip(1).map(|word| number(word)).collect();
        let (Ok(id), [Some(x), Some(y), Some(z)]) = (words[0].parse::<u64>(), &numbers[..]) else {
            return Err(text.unexpected(i, "`number x y z` of a node"));
        };
        let point = [*x, *y, *z];
        ImpossiblePoint::check("node", id, point).map_err(|source| ReadMatrixError::Point {
            path: path.to_owned(),
            line: i + 1,
            source,
        })?;
        if !known.insert(id) {
            return Err(ReadMatrixError::DoubleNode { path: path.to_owned(), line: i + 1, id });
        }
        nodes.push((id, point));
    }
    if nodes.is_empty() {
        return Err(ReadMatrixError::NoNodes { path: path.to_owned() });
    }
    Ok(nodes)
}
