//! Arrays of `.npy` files: the header, and the numbers that follow it.
//!
//! Every header gives a value or an error; memory is not allocated by its claimed size alone.

use thiserror::Error;

/// Kind of the numbers of an array, little-endian.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Element {
    /// `<f8`
    F64,
    /// `<f4`
    F32,
    /// Unsigned integer with this number of bytes (1, 2, 4, 8), for instance `<u4`.
    Unsigned(usize),
    /// Signed integer with this number of bytes (1, 2, 4, 8).
    Signed(usize),
    /// Text with this number of code points, four bytes each, padded with zeros: `<U12`.
    Text(usize),
}

impl Element {
    /// Bytes of one element.
    pub fn size(self) -> usize {
        match self {
            Self::F64 => 8,
            Self::F32 => 4,
            Self::Unsigned(n) | Self::Signed(n) => n,
            Self::Text(n) => 4 * n,
        }
    }

    /// Its name in NumPy.
    pub fn descr(self) -> String {
        match self {
            Self::F64 => "<f8".to_owned(),
            Self::F32 => "<f4".to_owned(),
            Self::Unsigned(1) => "|u1".to_owned(),
            Self::Signed(1) => "|i1".to_owned(),
            Self::Unsigned(n) => format!("<u{n}"),
            Self::Signed(n) => format!("<i{n}"),
            Self::Text(n) => format!("<U{n}"),
        }
    }

    /// The numbers as doubles; `None` if they are not floating-point numbers.
    pub fn decode_f64(self, bytes: &[u8]) -> Option<Vec<f64>> {
        match self {
            Self::F64 => Some(bytes.as_chunks::<8>().0.iter().map(|&b| f64::from_le_bytes(b)).collect()),
            Self::F32 => {
                Some(bytes.as_chunks::<4>().0.iter().map(|&b| f32::from_le_bytes(b).into()).collect())
            }
            _ => None,
        }
    }

    /// The numbers as integers; `None` if they are not integers.
    pub fn decode_integers(self, bytes: &[u8]) -> Option<impl Iterator<Item = i128> + use<'_>> {
        let (size, signed) = match self {
            Self::Unsigned(size) => (size, false),
            Self::Signed(size) => (size, true),
            _ => return None,
        };
        let value = move |chunk: &[u8]| {
            let raw = chunk.iter().rev().fold(0_i128, |n, &byte| n << 8 | i128::from(byte));
            if signed && chunk.last().is_some_and(|&b| b >= 0x80) {
                raw - (1_i128 << (8 * size))
            } else {
                raw
            }
        };
        Some(bytes.chunks_exact(size).map(value))
    }

    fn parse(descr: &str) -> Option<Self> {
        let rest = descr.strip_prefix(['<', '|', '='])?;
        let mut characters = rest.chars();
        let kind = characters.next()?;
        let size: usize = characters.as_str().parse().ok()?;
        match (kind, size) {
            ('f', 8) => Some(Self::F64),
            ('f', 4) => Some(Self::F32),
            ('u', 1 | 2 | 4 | 8) => Some(Self::Unsigned(size)),
            ('i', 1 | 2 | 4 | 8) => Some(Self::Signed(size)),
            // No file of carom has longer texts.
            ('U', 0..=65_536) => Some(Self::Text(size)),
            _ => None,
        }
    }
}

/// Errors of a header.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum HeaderError {
    /// It does not begin as a `.npy` array does.
    #[error("it is not a NumPy array")]
    NotAnArray,
    /// It ends too early, or is invalid.
    #[error("its header is damaged")]
    Broken,
    /// The type of the elements is not supported.
    #[error("its elements are of the type `{0}`; only little-endian numbers and texts are read")]
    UnknownElement(String),
    /// The number of elements overflows.
    #[error("its shape has more elements than memory can hold")]
    TooLarge,
}

/// Type, order and shape of an array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// Its elements.
    pub element: Element,
    /// True if the first index runs fastest.
    pub fortran_order: bool,
    /// Extents; empty for a single value.
    pub shape: Vec<usize>,
}

const MAGIC: &[u8; 6] = b"\x93NUMPY";

impl Header {
    /// Number of elements.
    ///
    /// # Errors
    ///
    /// [`HeaderError::TooLarge`].
    pub fn n_elements(&self) -> Result<usize, HeaderError> {
        let n = self.shape.iter().try_fold(1_usize, |n, &extent| n.checked_mul(extent));
        n.filter(|n| n.checked_mul(self.element.size()).is_some()).ok_or(HeaderError::TooLarge)
    }

    /// The bytes before the elements, a multiple of 64.
    pub fn bytes(&self) -> Vec<u8> {
        let mut shape = self.shape.iter().map(|n| format!("{n}, ")).collect::<String>();
        if self.shape.len() > 1 {
            shape.truncate(shape.len() - 2);
        } else {
            shape.truncate(shape.trim_end().len());
        }
        let order = if self.fortran_order { "True" } else { "False" };
        let mut text = format!(
            "{{'descr': '{}', 'fortran_order': {order}, 'shape': ({shape}), }}",
            self.element.descr()
        );
        let unfilled = MAGIC.len() + 4 + text.len() + 1;
        text.push_str(&" ".repeat(unfilled.next_multiple_of(64) - unfilled));
        text.push('\n');
        let length = u16::try_from(text.len()).expect("a shape of a few extents fits in 65535 bytes");
        let mut bytes = MAGIC.to_vec();
        bytes.extend([1, 0]);
        bytes.extend(length.to_le_bytes());
        bytes.extend(text.bytes());
        bytes
    }

    /// Reads a header and leaves `bytes` at the first element.
    ///
    /// # Errors
    ///
    /// [`HeaderError`] for anything that is not a header of numbers or texts.
    pub fn parse(bytes: &mut &[u8]) -> Result<Self, HeaderError> {
        let rest = bytes.strip_prefix(MAGIC).ok_or(HeaderError::NotAnArray)?;
        let (length_bytes, start) = match rest.first() {
            Some(1) => (2, 4),
            Some(2 | 3) => (4, 6),
            _ => return Err(HeaderError::NotAnArray),
        };
        let length = rest.get(2..2 + length_bytes).ok_or(HeaderError::Broken)?;
        let length = length.iter().rev().fold(0_usize, |n, &byte| n << 8 | usize::from(byte));
        let text = rest.get(start..).and_then(|r| r.get(..length)).ok_or(HeaderError::Broken)?;
        let text = std::str::from_utf8(text).map_err(|_| HeaderError::Broken)?;
        let header = Self::parse_dictionary(text)?;
        header.n_elements()?;
        *bytes = &rest[start + length..];
        Ok(header)
    }

    fn parse_dictionary(text: &str) -> Result<Self, HeaderError> {
        let value_of = |key: &str| -> Option<&str> {
            let (_, after) = text.split_once(&format!("'{key}'"))?;
            Some(after.trim_start().strip_prefix(':')?.trim_start())
        };
        let descr = value_of("descr").ok_or(HeaderError::Broken)?;
        let descr = descr
            .strip_prefix('\'')
            .and_then(|d| d.split_once('\''))
            .map(|(descr, _)| descr)
            .ok_or_else(|| HeaderError::UnknownElement(descr.chars().take(40).collect()))?;
        let element = Element::parse(descr).ok_or_else(|| HeaderError::UnknownElement(descr.to_owned()))?;
        let order = value_of("fortran_order").ok_or(HeaderError::Broken)?;
        let fortran_order = order.starts_with("True");
        if !fortran_order && !order.starts_with("False") {
            return Err(HeaderError::Broken);
        }
        let shape = value_of("shape")
            .and_then(|s| s.strip_prefix('('))
            .and_then(|s| s.split_once(')'))
            .ok_or(HeaderError::Broken)?
            .0;
        let shape = shape
            .split(',')
            .map(str::trim)
            .filter(|extent| !extent.is_empty())
            .map(|extent| extent.parse().map_err(|_| HeaderError::Broken))
            .collect::<Result<Vec<usize>, _>>()?;
        Ok(Self { element, fortran_order, shape })
    }
}

/// Reorders values from first index fastest to last index fastest.
///
/// * `shape` — extents, beginning with the fastest index; their product is the number of values
pub fn last_index_fastest(values: &[f64], shape: &[usize]) -> Vec<f64> {
    let mut strides = vec![1; shape.len()];
    for axis in 1..shape.len() {
        strides[axis] = strides[axis - 1] * shape[axis - 1];
    }
    let mut index = vec![0; shape.len()];
    let mut out = Vec::with_capacity(values.len());
    for _ in 0..values.len() {
        out.push(values[index.iter().zip(&strides).map(|(i, s)| i * s).sum::<usize>()]);
        for axis in (0..shape.len()).rev() {
            index[axis] += 1;
            if index[axis] < shape[axis] {
                break;
            }
            index[axis] = 0;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_written_header_is_read_back() {
        for shape in [vec![], vec![7], vec![3, 4], vec![2, 0, 5]] {
            for element in [Element::F64, Element::Unsigned(4), Element::Unsigned(1), Element::Text(12)] {
                let header = Header { element, fortran_order: shape.len() == 2, shape: shape.clone() };
                let bytes = header.bytes();
                assert_eq!(bytes.len() % 64, 0);
                let mut rest = bytes.as_slice();
                assert_eq!(Header::parse(&mut rest).unwrap(), header);
                assert!(rest.is_empty());
            }
        }
    }

    #[test]
    fn broken_headers_are_errors() {
        let header = Header { element: Element::F64, fortran_order: false, shape: vec![3] };
        let bytes = header.bytes();
        for length in 0..bytes.len() {
            assert!(Header::parse(&mut &bytes[..length]).is_err());
        }
        let parse = |text: &str| {
            let mut bytes = MAGIC.to_vec();
            bytes.extend([1, 0]);
            bytes.extend(u16::try_from(text.len()).unwrap().to_le_bytes());
            bytes.extend(text.bytes());
            Header::parse(&mut bytes.as_slice())
        };
        let with = |descr: &str, shape: &str| {
            parse(&format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}}}"))
        };
        assert_eq!(with("'|O'", "(3,)"), Err(HeaderError::UnknownElement("|O".to_owned())));
        assert!(matches!(with("[('x', '<f8')]", "(3,)"), Err(HeaderError::UnknownElement(_))));
        assert_eq!(with("'<f8'", "(4294967296, 4294967296)"), Err(HeaderError::TooLarge));
        assert_eq!(with("'<f8'", "(-1,)"), Err(HeaderError::Broken));
    }
}
