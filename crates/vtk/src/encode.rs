//! Encoding of arrays: little endian, in compressed blocks, raw or base64.

use std::io::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::write::ZlibEncoder;

use crate::Values;

/// Compression of the numbers of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Compression {
    /// No compression.
    None,
    /// LZ4: fast, with half of the reduction in size.
    Lz4,
    /// Zlib, level 1 (fast) to 9 (small).
    Zlib(u32),
    /// Zlib at level 4: higher levels reduce the size of floats by one or two percent in twice the time.
    #[default]
    Default,
}

impl Compression {
    /// Name of the compressor class in the header of the file.
    pub(crate) fn class(self) -> Option<&'static str> {
        match self {
            Self::None => None,
            Self::Lz4 => Some("vtkLZ4DataCompressor"),
            Self::Zlib(_) | Self::Default => Some("vtkZLibDataCompressor"),
        }
    }

    fn block(self, bytes: &[u8]) -> Vec<u8> {
        let level = match self {
            Self::None => return bytes.to_vec(),
            Self::Lz4 => return lz4_flex::block::compress(bytes),
            Self::Zlib(level) => level.clamp(1, 9),
            Self::Default => 4,
        };
        let mut encoder = ZlibEncoder::new(Vec::new(), flate2::Compression::new(level));
        encoder.write_all(bytes).expect("a vector takes all bytes");
        encoder.finish().expect("a vector takes all bytes")
    }
}

/// Position of the numbers in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Encoding {
    /// After the XML, as raw bytes: smallest and fastest. This is not strictly XML, but VTK writes it too.
    #[default]
    AppendedRaw,
    /// Inside the XML as base64: a third larger, readable by any XML parser.
    InlineBase64,
}

/// Size of a compressed block: small enough for a cache, large enough to compress.
const BLOCK: usize = 1 << 17;

/// Bytes of an array with the header that VTK expects (64-bit lengths).
///
/// Uncompressed: `[n bytes] data`. Compressed: `[n blocks] [block size] [size of a last partial block, or 0]
/// [compressed sizes]` and then the blocks.
pub(crate) fn encode(bytes: &[u8], compression: Compression, encoding: Encoding) -> Vec<u8> {
    let (header, body) = match compression {
        Compression::None => (vec![bytes.len()], bytes.to_vec()),
        _ => {
            let blocks: Vec<Vec<u8>> = bytes.chunks(BLOCK).map(|b| compression.block(b)).collect();
            let mut header = vec![blocks.len(), BLOCK, bytes.len() % BLOCK];
            header.extend(blocks.iter().map(Vec::len));
            (header, blocks.concat())
        }
    };
    let mut out: Vec<u8> = header.iter().flat_map(|&n| (n as u64).to_le_bytes()).collect();
    match (encoding, compression) {
        (Encoding::AppendedRaw, _) => out.extend(body),
        // One base64 stream for header and data, or two if compressed: the reader must decode the header by
        // itself.
        (Encoding::InlineBase64, Compression::None) => {
            out.extend(body);
            out = STANDARD.encode(out).into_bytes();
        }
        (Encoding::InlineBase64, _) => out = (STANDARD.encode(out) + &STANDARD.encode(body)).into_bytes(),
    }
    out
}

impl Values {
    /// Little-endian bytes.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        match self {
            Self::F32(v) => v.iter().flat_map(|x| x.to_le_bytes()).collect(),
            Self::F64(v) => v.iter().flat_map(|x| x.to_le_bytes()).collect(),
            Self::I32(v) => v.iter().flat_map(|x| x.to_le_bytes()).collect(),
            Self::I64(v) => v.iter().flat_map(|x| x.to_le_bytes()).collect(),
            Self::U8(v) => v.clone(),
        }
    }

    /// Name of the type in the file.
    pub(crate) fn type_name(&self) -> &'static str {
        match self {
            Self::F32(_) => "Float32",
            Self::F64(_) => "Float64",
            Self::I32(_) => "Int32",
            Self::I64(_) => "Int64",
            Self::U8(_) => "UInt8",
        }
    }
}
