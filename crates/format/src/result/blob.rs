//! Numbers as little-endian bytes.

pub(super) fn from_f64(values: &[f64], out: &mut Vec<u8>) {
    out.clear();
    out.extend(values.iter().flat_map(|value| value.to_le_bytes()));
}

/// In single precision.
pub(super) fn from_f64_as_f32(values: &[f64], out: &mut Vec<u8>) {
    out.clear();
    out.extend(values.iter().flat_map(|value| (*value as f32).to_le_bytes()));
}

pub(super) fn from_u32(values: &[u32], out: &mut Vec<u8>) {
    out.clear();
    out.extend(values.iter().flat_map(|value| value.to_le_bytes()));
}

pub(super) fn from_u64(values: &[u64], out: &mut Vec<u8>) {
    out.clear();
    out.extend(values.iter().flat_map(|value| value.to_le_bytes()));
}

/// Bytes of the mean of a field in single precision.
pub(super) const MEAN: u64 = 24;

/// Vectors in single precision: their mean as three 8-byte numbers, then the deviations as 4-byte numbers. A
/// body that has moved far thus keeps its deformation.
pub(super) fn from_vectors(values: &[f64], out: &mut Vec<u8>) {
    out.clear();
    let (vectors, _) = values.as_chunks::<3>();
    if vectors.is_empty() {
        return;
    }
    let mut mean = [0.0; 3];
    vectors.iter().for_each(|vector| (0..3).for_each(|d| mean[d] += vector[d]));
    mean = mean.map(|sum| sum / vectors.len() as f64);
    out.extend(mean.iter().flat_map(|value| value.to_le_bytes()));
    for vector in vectors {
        out.extend((0..3).flat_map(|d| ((vector[d] - mean[d]) as f32).to_le_bytes()));
    }
}

/// The inverse of [`from_vectors`] up to rounding; none if the number of bytes does not fit.
pub(super) fn to_vectors(bytes: &[u8]) -> Option<Vec<f64>> {
    if bytes.is_empty() {
        return Some(Vec::new());
    }
    let (head, vectors) = bytes.split_at_checked(MEAN as usize)?;
    let (means, _) = head.as_chunks::<8>();
    let (vectors, rest) = vectors.as_chunks::<4>();
    let value = |(k, bytes): (usize, &[u8; 4])| {
        f64::from_le_bytes(means[k % 3]) + f64::from(f32::from_le_bytes(*bytes))
    };
    rest.is_empty().then(|| vectors.iter().enumerate().map(value).collect())
}

/// None if the number of bytes does not fit.
pub(super) fn to_f64(bytes: &[u8]) -> Option<Vec<f64>> {
    let (chunks, rest) = bytes.as_chunks::<8>();
    rest.is_empty().then(|| chunks.iter().map(|&chunk| f64::from_le_bytes(chunk)).collect())
}

/// From single precision.
pub(super) fn to_f64_of_f32(bytes: &[u8]) -> Option<Vec<f64>> {
    let (chunks, rest) = bytes.as_chunks::<4>();
    rest.is_empty().then(|| chunks.iter().map(|&chunk| f64::from(f32::from_le_bytes(chunk))).collect())
}

pub(super) fn to_u32(bytes: &[u8]) -> Option<Vec<u32>> {
    let (chunks, rest) = bytes.as_chunks::<4>();
    rest.is_empty().then(|| chunks.iter().map(|&chunk| u32::from_le_bytes(chunk)).collect())
}

pub(super) fn to_u64(bytes: &[u8]) -> Option<Vec<u64>> {
    let (chunks, rest) = bytes.as_chunks::<8>();
    rest.is_empty().then(|| chunks.iter().map(|&chunk| u64::from_le_bytes(chunk)).collect())
}
