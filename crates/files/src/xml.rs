//! Limits of XML files, so that memory and time are bounded by the size of a file.

/// Largest number of attributes of an element. Parsers compare each with all others of its element.
const MOST_ATTRIBUTES: usize = 256;

/// The error for an element with too many attributes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "line {line}: an element has more than {MOST_ATTRIBUTES} attributes; no format that is read here has so \
     many"
)]
pub struct TooManyAttributes {
    /// Line in which the element begins, from 1.
    pub line: usize,
}

/// Largest number of nodes in an XML file of this size in bytes: a node needs much more memory than the four
/// characters of an element.
pub fn nodes_limit(bytes: usize) -> u32 {
    u32::try_from(1_000_000 + bytes / 16).unwrap_or(u32::MAX)
}

/// Checks that no element has too many attributes, by the equals signs outside quotes between `<` and `>`.
///
/// # Errors
///
/// [`TooManyAttributes`] with the line of the first such element.
pub fn check_attributes(text: &str) -> Result<(), TooManyAttributes> {
    let (mut line, mut begins) = (1, 1);
    let (mut attributes, mut quote) = (None, None);
    let bytes = text.as_bytes();
    for (i, &byte) in bytes.iter().enumerate() {
        line += usize::from(byte == b'\n');
        match (byte, attributes, quote) {
            // Comments may have any text, apostrophes too.
            (b'<', None, _) if bytes.get(i + 1) == Some(&b'!') => {}
            (b'<', None, _) => (attributes, begins) = (Some(0), line),
            (_, None, _) => {}
            (_, _, Some(open)) => quote = quote.filter(|_| byte != open),
            (b'>', _, None) => attributes = None,
            (b'"' | b'\'', _, None) => quote = Some(byte),
            (b'=', Some(count), None) if count == MOST_ATTRIBUTES => {
                return Err(TooManyAttributes { line: begins });
            }
            (b'=', Some(count), None) => attributes = Some(count + 1),
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_with_hundreds_of_attributes_are_refused_with_their_line() {
        let element = |n: usize| {
            let attributes: String = (0..n).map(|i| format!(" a{i}=\"x='>'\"")).collect();
            format!("<?xml version=\"1.0\"?>\n<xml><!-- isn't it -->\n<a{attributes}>1 = 1</a></xml>\n")
        };
        assert_eq!(check_attributes(&element(256)), Ok(()));
        assert_eq!(check_attributes(&element(257)), Err(TooManyAttributes { line: 3 }));
    }
}
