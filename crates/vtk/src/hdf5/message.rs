//! Messages of object headers, and their checksum.

use super::UNDEFINED;
use crate::Values;

/// A message of an object header.
#[derive(Debug, Clone)]
pub(crate) struct Message {
    kind: u8,
    content: Vec<u8>,
}

impl Message {
    pub(crate) fn new(kind: u8, content: Vec<u8>) -> Self {
        Self { kind, content }
    }

    /// Kind, length, flags, content.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let length = u16::try_from(self.content.len()).expect("names are short and content is small");
        let mut bytes = vec![self.kind];
        bytes.extend(length.to_le_bytes());
        bytes.push(0);
        bytes.extend(&self.content);
        bytes
    }
}

/// A dataspace: a scalar without dimensions, else an array.
pub(crate) fn dataspace(shape: &[usize]) -> Vec<u8> {
    let mut bytes = vec![2, shape.len() as u8, 0, u8::from(!shape.is_empty())];
    bytes.extend(shape.iter().flat_map(|&n| (n as u64).to_le_bytes()));
    bytes
}

/// The type of numbers, little endian.
pub(crate) fn datatype(values: &Values) -> Vec<u8> {
    match values {
        Values::F32(_) => float(4, 31, [23, 8, 0, 23], 127),
        Values::F64(_) => float(8, 63, [52, 11, 0, 52], 1023),
        Values::I32(_) => integer(4, true),
        Values::I64(_) => integer(8, true),
        Values::U8(_) => integer(1, false),
    }
}

/// Class 0.
fn integer(size: u8, is_signed: bool) -> Vec<u8> {
    let mut bytes = vec![0x10, if is_signed { 0x08 } else { 0 }, 0, 0];
    bytes.extend(u32::from(size).to_le_bytes());
    bytes.extend([0, 0, 8 * size, 0]);
    bytes
}

/// Class 1, IEEE 754.
///
/// * `places` — place and length of the exponent, then of the mantissa \[bit\]
fn float(size: u8, sign: u8, places: [u8; 4], bias: u32) -> Vec<u8> {
    // The leading bit of the mantissa is implied.
    let mut bytes = vec![0x11, 0x20, sign, 0];
    bytes.extend(u32::from(size).to_le_bytes());
    bytes.extend([0, 0, 8 * size, 0]);
    bytes.extend(places);
    bytes.extend(bias.to_le_bytes());
    bytes
}

/// An attribute: an ASCII text, or integers.
pub(crate) fn attribute(name: &str, value: Attribute<'_>) -> Message {
    let (kind, space, content) = match value {
        Attribute::Text(text) => {
            // Class 3: a fixed length, padded with zeros.
            let mut kind = vec![0x13, 1, 0, 0];
            kind.extend((text.len() as u32).to_le_bytes());
            (kind, dataspace(&[]), text.as_bytes().to_vec())
        }
        Attribute::Number(number) => (integer(8, true), dataspace(&[]), number.to_le_bytes().to_vec()),
        Attribute::Numbers(numbers) => {
            let content = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
            (integer(8, true), dataspace(&[numbers.len()]), content)
        }
    };
    let mut bytes = vec![3, 0];
    for length in [name.len() + 1, kind.len(), space.len()] {
        bytes.extend((length as u16).to_le_bytes());
    }
    bytes.push(0);
    bytes.extend(name.as_bytes());
    bytes.push(0);
    bytes.extend(kind);
    bytes.extend(space);
    bytes.extend(content);
    Message::new(0x0c, bytes)
}

/// The value of an attribute.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Attribute<'a> {
    Text(&'a str),
    Number(i64),
    Numbers(&'a [i64]),
}

/// Fill value message: space is allocated late, or by chunks; no fill value is set.
pub(super) fn fill_value(is_chunked: bool) -> Message {
    Message::new(0x05, vec![3, if is_chunked { 0x0b } else { 0x0a }])
}

pub(super) fn contiguous(address: u64, length: u64) -> Message {
    let mut bytes = vec![3, 1];
    bytes.extend(address.to_le_bytes());
    bytes.extend(length.to_le_bytes());
    Message::new(0x08, bytes)
}

/// Chunks under a B-tree.
///
/// * `chunk` — its dimensions
/// * `size` — of a number in bytes
pub(super) fn chunked(tree: u64, chunk: &[usize], size: usize) -> Message {
    let mut bytes = vec![3, 2, chunk.len() as u8 + 1];
    bytes.extend(tree.to_le_bytes());
    bytes.extend(chunk.iter().chain([&size]).flat_map(|&n| (n as u32).to_le_bytes()));
    Message::new(0x08, bytes)
}

/// Shuffle, then deflate.
pub(super) fn filters(size: usize, level: u32) -> Message {
    let mut bytes = vec![2, 2];
    for (filter, value) in [(2_u16, size as u32), (1, level)] {
        bytes.extend(filter.to_le_bytes());
        bytes.extend([0, 0, 1, 0]);
        bytes.extend(value.to_le_bytes());
    }
    Message::new(0x0b, bytes)
}

pub(super) fn link_info() -> Message {
    let mut bytes = vec![0, 0];
    bytes.extend(UNDEFINED.to_le_bytes());
    bytes.extend(UNDEFINED.to_le_bytes());
    Message::new(0x02, bytes)
}

pub(super) fn group_info() -> Message {
    Message::new(0x0a, vec![0, 0])
}

/// A hard link whose name has a length of two bytes, in UTF-8.
pub(super) fn link(name: &str, address: u64) -> Message {
    let mut bytes = vec![1, 0x11, 1];
    bytes.extend((name.len() as u16).to_le_bytes());
    bytes.extend(name.as_bytes());
    bytes.extend(address.to_le_bytes());
    Message::new(0x06, bytes)
}

/// Jenkins' lookup3 with the initial value 0, the checksum of HDF5's metadata.
pub(super) fn checksum(bytes: &[u8]) -> u32 {
    let start = 0xdead_beef_u32.wrapping_add(bytes.len() as u32);
    let [mut a, mut b, mut c] = [start; 3];
    let word = |bytes: &[u8]| {
        let mut padded = [0; 4];
        padded[..bytes.len()].copy_from_slice(bytes);
        u32::from_le_bytes(padded)
    };
    let mut rest = bytes;
    while rest.len() > 12 {
        a = a.wrapping_add(word(&rest[..4]));
        b = b.wrapping_add(word(&rest[4..8]));
        c = c.wrapping_add(word(&rest[8..12]));
        for (x, turn) in [4, 6, 8, 16, 19, 4].into_iter().enumerate() {
            // The roles of (a, b, c) rotate.
            match x % 3 {
                0 => {
                    a = a.wrapping_sub(c) ^ c.rotate_left(turn);
                    c = c.wrapping_add(b);
                }
                1 => {
                    b = b.wrapping_sub(a) ^ a.rotate_left(turn);
                    a = a.wrapping_add(c);
                }
                _ => {
                    c = c.wrapping_sub(b) ^ b.rotate_left(turn);
                    b = b.wrapping_add(a);
                }
            }
        }
        rest = &rest[12..];
    }
    if rest.is_empty() {
        return c;
    }
    let part = |from: usize| word(&rest[from.min(rest.len())..(from + 4).min(rest.len())]);
    a = a.wrapping_add(part(0));
    b = b.wrapping_add(part(4));
    c = c.wrapping_add(part(8));
    c = (c ^ b).wrapping_sub(b.rotate_left(14));
    a = (a ^ c).wrapping_sub(c.rotate_left(11));
    b = (b ^ a).wrapping_sub(a.rotate_left(25));
    c = (c ^ b).wrapping_sub(b.rotate_left(16));
    a = (a ^ c).wrapping_sub(c.rotate_left(4));
    b = (b ^ a).wrapping_sub(a.rotate_left(14));
    (c ^ b).wrapping_sub(b.rotate_left(24))
}

#[cfg(test)]
mod tests {
    use super::checksum;

    #[test]
    fn the_checksum_has_the_published_values() {
        // Values that lookup3.c states for the initial value 0.
        assert_eq!(checksum(b""), 0xdead_beef);
        assert_eq!(checksum(b"Four score and seven years ago"), 0x1777_0551);
    }
}
