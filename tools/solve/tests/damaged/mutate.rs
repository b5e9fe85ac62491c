//! Damage: changed, lost and repeated bytes, impossible numbers, arrays changed within an archive.

use std::io::{Cursor, Read, Write};

use zip::write::SimpleFileOptions;

/// A generator of random numbers, xorshift64* of Vigna (2016).
pub(super) struct Random(u64);

impl Random {
    /// The generator of a case.
    pub(super) fn new(kind: &str, case: usize) -> Self {
        let seed = kind.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
        });
        Self(seed ^ (case as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `n`, which is positive.
    fn below(&mut self, n: usize) -> usize {
        (self.next() >> 11) as usize % n
    }
}

/// Words that replace numbers.
const WORDS: [&str; 14] = [
    "nan",
    "inf",
    "-1",
    "0",
    "1e308",
    "1e-308",
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "99999999999999999999",
    "2147483648",
    "-0.0",
    "x",
    "1000000000",
];

/// Bytes that replace binary numbers, in either byte order.
const WORDS_OF_BYTES: [&[u8]; 8] = [
    &[0xff],
    &[0xff; 4],
    &[0xff; 8],
    &[0, 0, 0, 0x80],
    &[0x7f, 0xff, 0xff, 0xff],
    &[0, 0, 0, 0, 0, 0, 0xf8, 0x7f],
    &[0; 8],
    &[0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0],
];

/// A damaged copy of a file.
pub(super) fn damaged(content: &[u8], random: &mut Random) -> Vec<u8> {
    if content.starts_with(b"PK") && random.below(4) > 0 {
        return damaged_archive(content, random);
    }
    let mut content = content.to_vec();
    for _ in 0..1 + random.below(3) {
        damage(&mut content, random);
    }
    content
}

fn damage(content: &mut Vec<u8>, random: &mut Random) {
    if content.is_empty() {
        return;
    }
    let at = random.below(content.len());
    match random.below(8) {
        0 => content.truncate(at),
        1 => {
            for _ in 0..1 + random.below(8) {
                let at = random.below(content.len());
                content[at] ^= 1 << random.below(8);
            }
        }
        2 | 3 => replace_number(content, at, random),
        4 => {
            let word = WORDS_OF_BYTES[random.below(WORDS_OF_BYTES.len())];
            let end = (at + word.len()).min(content.len());
            content[at..end].copy_from_slice(&word[..end - at]);
        }
        5 => {
            let end = (at + 1 + random.below(64)).min(content.len());
            content.drain(at..end);
        }
        6 => {
            let end = (at + 1 + random.below(200)).min(content.len());
            let piece = content[at..end].to_vec();
            let to = random.below(content.len());
            content.splice(to..to, piece);
        }
        _ => {
            let (a, b) = (at, random.below(content.len()));
            content.swap(a, b);
        }
    }
}

/// Replaces the next number of a text by a word.
fn replace_number(content: &mut Vec<u8>, at: usize, random: &mut Random) {
    let is_number = |byte: &u8| byte.is_ascii_digit() || b"+-.".contains(byte);
    let Some(start) = content[at..].iter().position(is_number).map(|n| at + n) else { return };
    let length = content[start..].iter().take_while(|byte| is_number(byte) || b"eE".contains(byte)).count();
    let word = WORDS[random.below(WORDS.len())];
    content.splice(start..start + length, word.bytes());
}

/// A valid archive with a damaged array and without its checksum, which would reveal the damage.
fn damaged_archive(content: &[u8], random: &mut Random) -> Vec<u8> {
    let mut archive = zip::ZipArchive::new(Cursor::new(content)).unwrap();
    let mut arrays: Vec<(String, Vec<u8>)> = Vec::new();
    for i in 0..archive.len() {
        let mut entry = archive.by_index(i).unwrap();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).unwrap();
        arrays.push((entry.name().unwrap().into_owned(), bytes));
    }
    arrays.retain(|(name, _)| name != "checksum.npy");
    // Models from version 1.3 on are refused without a checksum.
    if let Some((_, version)) = arrays.iter_mut().find(|(name, _)| name == "version.npy") {
        let minor = version.len() - 4;
        version[minor..].copy_from_slice(&u32::from('2').to_le_bytes());
    }
    for _ in 0..1 + random.below(2) {
        let chosen = random.below(arrays.len());
        match random.below(10) {
            0 => drop(arrays.swap_remove(chosen)),
            1 => {
                let other = random.below(arrays.len());
                let bytes = arrays[other].1.clone();
                arrays[chosen].1 = bytes;
            }
            _ => damage(&mut arrays[chosen].1, random),
        }
        if arrays.is_empty() {
            break;
        }
    }
    let mut out = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let method = [zip::CompressionMethod::Stored, zip::CompressionMethod::Deflated][random.below(2)];
    for (name, bytes) in arrays {
        out.start_file(name, SimpleFileOptions::default().compression_method(method)).unwrap();
        out.write_all(&bytes).unwrap();
    }
    out.finish().unwrap().into_inner()
}
