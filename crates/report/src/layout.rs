//! Layout of the cells of a table on a page.

use crate::font;

/// The texts of a table, ready to be set.
pub(crate) struct Sheet {
    /// Headings without their units.
    pub(crate) heads: Vec<String>,
    /// Units in brackets, empty for texts and plain numbers.
    pub(crate) units: Vec<String>,
    /// Cells, row by row.
    pub(crate) rows: Vec<Vec<String>>,
    /// True for columns of text, which are left-aligned and may be wrapped.
    pub(crate) is_text: Vec<bool>,
    /// Number of leading columns that name a row: each part of a divided table begins with them.
    pub(crate) names: usize,
}

/// Blanks between columns.
const GAP: usize = 2;

/// Smallest width of a wrapped column in characters.
const NARROWEST: usize = 24;

impl Sheet {
    /// Columns aligned with blanks, on lines of at most `width` characters: headings are wrapped first, then
    /// texts; a table that is still too wide is divided into several, one below the other.
    pub(crate) fn to_text(&self, width: usize) -> String {
        let one_line = |c: usize| vec![joined(&self.heads[c], &self.units[c])];
        let wide: Vec<usize> = (0..self.heads.len()).map(|c| self.width(c, &one_line(c))).collect();
        if total(&wide) <= width {
            return self.part(&(0..wide.len()).collect::<Vec<_>>(), &wide, &one_line);
        }
        let words = |c: usize| self.head_words(c);
        let mut widths: Vec<usize> = (0..self.heads.len()).map(|c| self.width(c, &words(c))).collect();
        self.narrow(&mut widths, width);
        let as_numbers: Vec<f64> = widths.iter().map(|&w| w as f64).collect();
        let parts = divided(&as_numbers, self.names, GAP as f64, width as f64);
        let texts: Vec<String> = parts.iter().map(|columns| self.part(columns, &widths, &words)).collect();
        texts.join("\n")
    }

    /// Columns of each part of a table that is divided to fit a page of this width \[px\].
    ///
    /// * `size` — of the letters \[px\]
    /// * `padding` — between columns \[px\]
    pub(crate) fn divided_on_page(&self, width: f64, size: f64, padding: f64) -> Vec<Vec<usize>> {
        let narrowest = |c: usize| {
            let head = self.head_words(c);
            let pieces = |text: &String| -> Vec<String> {
                if self.is_text[c] { breakable(text).concat() } else { vec![text.clone()] }
            };
            let cells = self.rows.iter().flat_map(|row| pieces(&row[c]));
            head.into_iter().chain(cells).map(|text| font::width(&text, size, false)).fold(0.0, f64::max)
        };
        let widths: Vec<f64> = (0..self.heads.len()).map(narrowest).collect();
        divided(&widths, self.names, padding, width)
    }

    /// Words of a heading, its unit as one of them.
    fn head_words(&self, column: usize) -> Vec<String> {
        let words = self.heads[column].split(' ').filter(|word| !word.is_empty()).map(str::to_owned);
        words.chain((!self.units[column].is_empty()).then(|| self.units[column].clone())).collect()
    }

    fn width(&self, column: usize, head: &[String]) -> usize {
        let cells = self.rows.iter().map(|row| &row[column]);
        head.iter().chain(cells).map(|text| letters(text)).max().unwrap_or(0)
    }

    /// Reduces the widest columns of text by the excess width of the table.
    fn narrow(&self, widths: &mut [usize], width: usize) {
        while total(widths) > width {
            let words = (0..widths.len()).filter(|&c| self.is_text[c] && widths[c] > NARROWEST);
            let Some(widest) = words.max_by_key(|&c| widths[c]) else { return };
            widths[widest] -= 1;
        }
    }

    /// Some of the columns.
    fn part(&self, columns: &[usize], widths: &[usize], head: &dyn Fn(usize) -> Vec<String>) -> String {
        let heads: Vec<Vec<String>> = columns.iter().map(|&c| head(c)).collect();
        let depth = heads.iter().map(Vec::len).max().unwrap_or(0);
        // Headings are aligned at the bottom, above the numbers.
        let lowered = heads.into_iter().map(|head| [vec![String::new(); depth - head.len()], head].concat());
        let mut out = self.lines(columns, widths, &lowered.collect::<Vec<_>>());
        for row in &self.rows {
            let cells: Vec<Vec<String>> = columns
                .iter()
                .map(|&c| if self.is_text[c] { wrapped(&row[c], widths[c]) } else { vec![row[c].clone()] })
                .collect();
            out += &self.lines(columns, widths, &cells);
        }
        out
    }

    /// The lines of a row whose cells have several.
    fn lines(&self, columns: &[usize], widths: &[usize], cells: &[Vec<String>]) -> String {
        let depth = cells.iter().map(Vec::len).max().unwrap_or(0);
        let mut out = String::new();
        for n in 0..depth {
            let line = columns.iter().zip(cells).map(|(&c, cell)| {
                let (text, width) = (cell.get(n).map_or("", String::as_str), widths[c]);
                if self.is_text[c] { format!("{text:<width$}") } else { format!("{text:>width$}") }
            });
            out += line.collect::<Vec<_>>().join(&" ".repeat(GAP)).trim_end();
            out.push('\n');
        }
        out
    }
}

fn letters(text: &str) -> usize {
    text.chars().count()
}

fn joined(head: &str, unit: &str) -> String {
    format!("{head} {unit}").trim().to_owned()
}

fn total(widths: &[usize]) -> usize {
    widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1)
}

/// Numbers of the columns of each part, so that none is wider than `limit` unless a single column is.
fn divided(widths: &[f64], names: usize, gap: f64, limit: f64) -> Vec<Vec<usize>> {
    let names = names.min(widths.len());
    let of_names: f64 = widths[..names].iter().map(|w| w + gap).sum();
    let mut parts: Vec<Vec<usize>> = Vec::new();
    let mut used = f64::INFINITY;
    for (column, width) in widths.iter().enumerate().skip(names) {
        if used + width > limit {
            parts.push((0..names).collect());
            used = of_names;
        }
        parts.last_mut().expect("a part was begun with the first column").push(column);
        used += width + gap;
    }
    if parts.is_empty() { vec![(0..widths.len()).collect()] } else { parts }
}

/// Lines of at most `width` characters, broken at blanks where possible.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let mut rest: Vec<char> = word.chars().collect();
        loop {
            let line = lines.last_mut().expect("there is a line from the start");
            let blank = usize::from(!line.is_empty());
            let room = width.max(1).saturating_sub(letters(line) + blank);
            if rest.len() <= room {
                line.extend(std::iter::repeat_n(' ', blank).chain(rest.drain(..)));
                break;
            }
            if line.is_empty() {
                line.extend(rest.drain(..room));
            }
            lines.push(String::new());
        }
    }
    lines
}

/// The words of a text, each in pieces between which a line may be broken: long names have no blanks.
pub(crate) fn breakable(text: &str) -> Vec<Vec<String>> {
    let pieces = |word: &str| -> Vec<String> {
        let letters: Vec<char> = word.chars().collect();
        letters.chunks(NARROWEST).map(|piece| piece.iter().collect()).collect()
    };
    text.split(' ').map(pieces).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_wrapped_and_names_without_blanks_broken() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("abcdefgh ij", 3), ["abc", "def", "gh", "ij"]);
        assert_eq!(wrapped("", 5), [""]);
        assert_eq!(wrapped("ab", 0), ["a", "b"]);
        assert_eq!(breakable("ab cd"), [["ab"], ["cd"]]);
    }

    #[test]
    fn columns_are_divided_with_their_names_repeated() {
        assert_eq!(divided(&[4.0, 3.0, 3.0, 3.0], 1, 1.0, 12.0), [vec![0, 1, 2], vec![0, 3]]);
        assert_eq!(divided(&[4.0, 30.0], 1, 1.0, 12.0), [[0, 1]]);
        assert_eq!(divided(&[4.0], 1, 1.0, 12.0), [[0]]);
        assert!(divided(&[], 1, 1.0, 12.0)[0].is_empty());
    }
}
