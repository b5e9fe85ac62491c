//! Numbers as Base64 of little-endian values.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// Errors of a list of numbers in Base64.
pub(super) enum Base64Error {
    /// Invalid Base64, or a wrong length.
    Text(base64::DecodeError),
    /// An unknown type of values.
    Type,
    /// The last value is incomplete.
    Torn,
}

/// The values of a type (`float64`, `int32`, `uint16` and so on) in a text; white space is left out.
pub(super) fn decode(kind: &str, text: &str) -> Result<Vec<f64>, Base64Error> {
    let compact: String = text.split_whitespace().collect();
    let bytes = STANDARD.decode(compact).map_err(Base64Error::Text)?;
    match kind {
        "float64" => all(&bytes, f64::from_le_bytes),
        "float32" => all(&bytes, |b| f32::from_le_bytes(b).into()),
        "int8" => all(&bytes, |b| i8::from_le_bytes(b).into()),
        "int16" => all(&bytes, |b| i16::from_le_bytes(b).into()),
        "int32" => all(&bytes, |b| i32::from_le_bytes(b).into()),
        "int64" => all(&bytes, |b| i64::from_le_bytes(b) as f64),
        "uint8" => all(&bytes, |b| u8::from_le_bytes(b).into()),
        "uint16" => all(&bytes, |b| u16::from_le_bytes(b).into()),
        "uint32" => all(&bytes, |b| u32::from_le_bytes(b).into()),
        "uint64" => all(&bytes, |b| u64::from_le_bytes(b) as f64),
        _ => Err(Base64Error::Type),
    }
}

fn all<const N: usize>(bytes: &[u8], value: impl Fn([u8; N]) -> f64) -> Result<Vec<f64>, Base64Error> {
    let (whole, torn) = bytes.as_chunks::<N>();
    if torn.is_empty() {
        Ok(whole.iter().map(|&bytes| value(bytes)).collect())
    } else {
        Err(Base64Error::Torn)
    }
}
