//! Lines and fields of CSV files.
//!
//! Fields are separated by commas, semicolons or tabs, whichever the first line has. Empty lines and lines
//! that begin with `#` are left out. A field in quotes may contain the separator; in such a field, two quotes
//! in a row mean one quote.

use std::borrow::Cow;

/// The lines with content and their numbers from 1.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let has_content = |(_, line): &(usize, &str)| !line.trim().is_empty() && !line.trim().starts_with('#');
    (1..).zip(text.lines()).filter(has_content)
}

/// The separator of a file from its first line.
pub(super) fn separator(first: &str) -> char {
    [';', '\t'].into_iter().find(|separator| first.contains(*separator)).unwrap_or(',')
}

/// The fields of a line without blanks and quotes around them. A quote that is not closed ends with the line.
pub(super) fn fields(line: &str, separator: char) -> Vec<Cow<'_, str>> {
    let mut fields = Vec::new();
    let mut rest = Some(line);
    while let Some(line) = rest {
        let is_quoted = line.trim_start_matches(' ').starts_with('"');
        let end = if is_quoted { end_of_quoted(line, separator) } else { line.find(separator) };
        let (field, after) = end.map_or((line, None), |at| (&line[..at], Some(&line[at + 1..])));
        fields.push(unquoted(field.trim()));
        rest = after;
    }
    fields
}

/// The first separator outside of quotes.
fn end_of_quoted(line: &str, separator: char) -> Option<usize> {
    let mut is_inside = false;
    line.char_indices().find_map(|(at, c)| {
        is_inside ^= c == '"';
        (c == separator && !is_inside).then_some(at)
    })
}

fn unquoted(field: &str) -> Cow<'_, str> {
    let Some(inner) = field.strip_prefix('"') else { return Cow::Borrowed(field) };
    let inner = inner.strip_suffix('"').unwrap_or(inner);
    match inner.contains("\"\"") {
        true => Cow::Owned(inner.replace("\"\"", "\"").trim().to_owned()),
        false => Cow::Borrowed(inner.trim()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quoted_field_contains_separators_and_quotes() {
        assert_eq!(fields("a, \"[0, 1]\" ,b", ','), ["a", "[0, 1]", "b"]);
        assert_eq!(fields("\"say \"\"hit\"\"\";2,5", ';'), ["say \"hit\"", "2,5"]);
        assert_eq!(fields(",x,", ','), ["", "x", ""]);
        assert_eq!(fields("\"open, 1", ','), ["open, 1"]);
    }

    #[test]
    fn lines_keep_their_numbers() {
        let found: Vec<_> = lines("\u{feff}# comment\n\na;b\n1;2\n").collect();
        assert_eq!(found, [(3, "a;b"), (4, "1;2")]);
        assert_eq!(["a,b", "a;b,c", "a\tb"].map(separator), [',', ';', '\t']);
    }
}
