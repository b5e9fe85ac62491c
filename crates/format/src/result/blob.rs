//! Numbers as little-endian bytes.

pub(super) fn from_f64(values: &[f64], out: &mut Vec<u8>) {
    out.clear();
    out.extend(values.iter().flat_map(|value| value.to_le_bytes()));
}

pub(super) fn from_u32(values: &[u32], out: &mut Vec<u8>) {
    out.clear();
    out.extend(values.iter().flat_map(|value| value.to_le_bytes()));
}

pub(super) fn from_u64(values: &[u64], out: &mut Vec<u8>) {
    out.clear();
    out.extend(values.iter().flat_map(|value| value.to_le_bytes()));
}

/// None if the number of bytes does not fit.
pub(super) fn to_f64(bytes: &[u8]) -> Option<Vec<f64>> {
    let (chunks, rest) = bytes.as_chunks::<8>();
    rest.is_empty().then(|| chunks.iter().map(|&chunk| f64::from_le_bytes(chunk)).collect())
}

pub(super) fn to_u32(bytes: &[u8]) -> Option<Vec<u32>> {
    let (chunks, rest) = bytes.as_chunks::<4>();
    rest.is_empty().then(|| chunks.iter().map(|&chunk| u32::from_le_bytes(chunk)).collect())
}

pub(super) fn to_u64(bytes: &[u8]) -> Option<Vec<u64>> {
    let (chunks, rest) = bytes.as_chunks::<8>();
    rest.is_empty().then(|| chunks.iter().map(|&chunk| u64::from_le_bytes(chunk)).collect())
}
