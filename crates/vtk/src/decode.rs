//! Decoding of arrays: raw or base64, in compressed blocks, in either byte order.

use std::io::Read;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::read::ZlibDecoder;
use thiserror::Error;

use crate::Values;

/// Errors of reading the numbers of an array.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DecodeError {
    /// The bytes end too early, or the header states too many.
    #[error("its bytes end too early; the file is incomplete or damaged")]
    Truncated,
    /// The array expands to too many bytes for a file of this size.
    #[error(
        "it expands to more than {most} bytes, the remaining limit for a file of this size; \
         it is damaged, or packs the same numbers again and again: save it without compression"
    )]
    Unpacks {
        /// The limit \[byte\].
        most: usize,
    },
    /// The text is not base64.
    #[error("its text is not base64")]
    Base64,
    /// A compressed block is damaged.
    #[error("a compressed block of it is damaged")]
    Block,
    /// A word is not a number.
    #[error("`{word}` is not a number")]
    Word {
        /// The word.
        word: String,
    },
    /// The type of the numbers is unknown.
    #[error("its type is `{name}`; Float32, Float64 and Int8 to UInt64 are read")]
    Type {
        /// The type.
        name: String,
    },
    /// The compressor is not supported.
    #[error("its compressor `{name}` is not read; save the file with ZLib, LZ4 or without compression")]
    Compressor {
        /// Name of its class.
        name: String,
    },
}

/// The encoding of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Packing {
    pub(crate) big_endian: bool,
    /// Size of numbers in headers: 4 or 8 bytes.
    pub(crate) header: usize,
    pub(crate) compressor: Compressor,
}

/// The compressor of blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Compressor {
    None,
    Zlib,
    Lz4,
}

impl Compressor {
    /// The compressor with this name of VTK's class.
    pub(crate) fn of_class(name: &str) -> Result<Self, DecodeError> {
        match name {
            "" => Ok(Self::None),
            "vtkZLibDataCompressor" => Ok(Self::Zlib),
            "vtkLZ4DataCompressor" => Ok(Self::Lz4),
            _ => Err(DecodeError::Compressor { name: name.to_owned() }),
        }
    }

    fn unpack(self, block: &[u8], size: usize) -> Result<Vec<u8>, DecodeError> {
        let mut out = Vec::new();
        match self {
            Self::None => return Err(DecodeError::Block),
            Self::Zlib => {
                let mut reader = ZlibDecoder::new(block).take(size as u64 + 1);
                reader.read_to_end(&mut out).map_err(|_| DecodeError::Block)?;
            }
            Self::Lz4 => out = lz4_flex::block::decompress(block, size).map_err(|_| DecodeError::Block)?,
        }
        // The last block may be shorter than the others, in spite of the header.
        if out.len() > size { Err(DecodeError::Block) } else { Ok(out) }
    }
}

/// Decodes base64 in one or several pieces, each padded by `=`: header and data are separate in some files.
pub(crate) fn base64(text: &[u8]) -> Result<Vec<u8>, DecodeError> {
    let text: Vec<u8> = text.iter().copied().filter(|c| !c.is_ascii_whitespace()).collect();
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let mut start = 0;
    while start < text.len() {
        let filled = text[start..].iter().position(|&c| c == b'=');
        let end = filled.map_or(text.len(), |at| start + at / 4 * 4 + 4).min(text.len());
        let piece = STANDARD.decode(&text[start..end]).map_err(|_| DecodeError::Base64)?;
        out.extend(piece);
        start = end;
    }
    Ok(out)
}

/// The plain bytes behind a header: `[n bytes] data`, or
/// `[n blocks] [block size] [size of a last partial block, or 0] [compressed sizes] blocks`.
///
/// * `most` — limit, checked before bytes are decompressed
pub(crate) fn unpack(bytes: &[u8], packing: Packing, most: usize) -> Result<Vec<u8>, DecodeError> {
    let mut at = 0;
    let mut number = || -> Result<usize, DecodeError> {
        let word = bytes.get(at..at + packing.header).ok_or(DecodeError::Truncated)?;
        at += packing.header;
        let mut wide = [0; 8];
        if packing.big_endian {
            wide[8 - word.len()..].copy_from_slice(word);
            usize::try_from(u64::from_be_bytes(wide)).map_err(|_| DecodeError::Truncated)
        } else {
            wide[..word.len()].copy_from_slice(word);
            usize::try_from(u64::from_le_bytes(wide)).map_err(|_| DecodeError::Truncated)
        }
    };
    if packing.compressor == Compressor::None {
        let n = number()?;
        let end = at.checked_add(n).ok_or(DecodeError::Truncated)?;
        if n > most {
            return Err(DecodeError::Unpacks { most });
        }
        return bytes.get(at..end).map(<[u8]>::to_vec).ok_or(DecodeError::Truncated);
    }
    let (n_blocks, size, last) = (number()?, number()?, number()?);
    if n_blocks > bytes.len() / packing.header {
        return Err(DecodeError::Truncated);
    }
    let lengths = (0..n_blocks).map(|_| number()).collect::<Result<Vec<_>, _>>()?;
    let mut out = Vec::new();
    for (i, &length) in lengths.iter().enumerate() {
        let end = at.checked_add(length).ok_or(DecodeError::Truncated)?;
        let block = bytes.get(at..end).ok_or(DecodeError::Truncated)?;
        let full = if i + 1 == n_blocks && last > 0 { last } else { size };
        // Neither ZLib nor LZ4 compresses by much more than a factor of a thousand: a larger factor means a
        // damaged header.
        if full > 2048 * (block.len() + 64) {
            return Err(DecodeError::Block);
        }
        if out.len().saturating_add(full) > most {
            return Err(DecodeError::Unpacks { most });
        }
        out.extend(packing.compressor.unpack(block, full)?);
        at = end;
    }
    Ok(out)
}

/// Numbers of a type of VTK from plain bytes; remaining bytes at the end are ignored.
pub(crate) fn numbers(bytes: &[u8], type_name: &str, big_endian: bool) -> Result<Values, DecodeError> {
    macro_rules! of {
        ($type:ty, $into:ident as $wide:ty) => {{
            let chunks = bytes.chunks_exact(size_of::<$type>());
            let convert = |chunk: &[u8]| {
                let word = chunk.try_into().expect("chunks have the size of the type");
                (if big_endian { <$type>::from_be_bytes(word) } else { <$type>::from_le_bytes(word) })
                    as $wide
            };
            Values::$into(chunks.map(convert).collect())
        }};
    }
    Ok(match type_name {
        "Float32" => of!(f32, F32 as f32),
        "Float64" => of!(f64, F64 as f64),
        "Int8" => of!(i8, I32 as i32),
        "UInt8" => of!(u8, U8 as u8),
        "Int16" => of!(i16, I32 as i32),
        "UInt16" => of!(u16, I32 as i32),
        "Int32" => of!(i32, I32 as i32),
        "UInt32" => of!(u32, I64 as i64),
        "Int64" => of!(i64, I64 as i64),
        "UInt64" => of!(u64, I64 as i64),
        _ => return Err(DecodeError::Type { name: type_name.to_owned() }),
    })
}

/// Numbers of a type of VTK from text.
pub(crate) fn words(text: &str, type_name: &str) -> Result<Values, DecodeError> {
    fn all<T: std::str::FromStr>(text: &str) -> Result<Vec<T>, DecodeError> {
        let parse = |word: &str| {
            word.parse().map_err(|_| DecodeError::Word { word: word.chars().take(40).collect() })
        };
        text.split_ascii_whitespace().map(parse).collect()
    }
    Ok(match type_name {
        "Float32" => Values::F32(all(text)?),
        "Float64" => Values::F64(all(text)?),
        "UInt8" => Values::U8(all(text)?),
        "Int8" | "Int16" | "UInt16" | "Int32" => Values::I32(all(text)?),
        "UInt32" | "Int64" | "UInt64" => Values::I64(all(text)?),
        _ => return Err(DecodeError::Type { name: type_name.to_owned() }),
    })
}
