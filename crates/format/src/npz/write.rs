//! Writing an archive.

use std::io::{self, Seek, Write};

use sha2::{Digest, Sha256};
use zip::write::SimpleFileOptions;

use super::once::FailsOnce;
use super::{CHECKSUM, DIGESTS, Element, Header, Version};

/// Writes the arrays of an archive one after the other, and the checksum as the last one.
///
/// The checksum is the SHA-256 of the lines `name sha256-of-the-array\n` of all arrays but itself, in the
/// order of their names; an array's is that of the line `descr fortran_order shape\n` and the elements. The
/// same content always gives the same bytes.
///
/// [`ArchiveWriter::finish_listed`] also writes these lines, as the texts of the array `digests`: a reader
/// compares the list with the checksum, and an array with its line when it reads the array.
pub struct ArchiveWriter<W: Write + Seek> {
    zip: zip::ZipWriter<FailsOnce<W>>,
    digests: Vec<(String, String)>,
}

impl<W: Write + Seek> ArchiveWriter<W> {
    /// Begins an archive of a kind and version.
    ///
    /// # Errors
    ///
    /// Those of the writer, here and below.
    pub fn new(out: W, kind: &str, version: Version) -> io::Result<Self> {
        let mut archive = Self { zip: zip::ZipWriter::new(FailsOnce::new(out)), digests: Vec::new() };
        archive.text("format", kind)?;
        archive.text("version", &version.to_string())?;
        Ok(archive)
    }

    /// A single text.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    pub fn text(&mut self, name: &str, text: &str) -> io::Result<()> {
        self.write_texts(name, Vec::new(), &[text])
    }

    /// A list of texts.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    pub fn texts<S: AsRef<str>>(&mut self, name: &str, texts: &[S]) -> io::Result<()> {
        self.write_texts(name, vec![texts.len()], texts)
    }

    fn write_texts<S: AsRef<str>>(&mut self, name: &str, shape: Vec<usize>, texts: &[S]) -> io::Result<()> {
        let width = texts.iter().map(|t| t.as_ref().chars().count()).max().unwrap_or(0).max(1);
        let mut bytes = Vec::with_capacity(4 * width * texts.len());
        for text in texts {
            let mut n = 0;
            for character in text.as_ref().chars() {
                bytes.extend(u32::from(character).to_le_bytes());
                n += 1;
            }
            bytes.resize(bytes.len() + 4 * (width - n), 0);
        }
        self.write(name, Element::Text(width), false, shape, bytes.chunks(1 << 16))
    }

    /// An array of doubles, the last index fastest.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    ///
    /// # Panics
    ///
    /// If `values` does not fill the shape; likewise in the methods below.
    pub fn f64(&mut self, name: &str, shape: &[usize], values: &[f64]) -> io::Result<()> {
        assert_eq!(shape.iter().product::<usize>(), values.len(), "array `{name}`");
        let chunks =
            values.chunks(1 << 13).map(|c| c.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>());
        self.write(name, Element::F64, false, shape.to_vec(), chunks)
    }

    /// An array of doubles, the first index fastest, given column by column.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    pub fn columns<'a>(
        &mut self,
        name: &str,
        n_rows: usize,
        n_columns: usize,
        column: impl Fn(usize) -> &'a [f64],
    ) -> io::Result<()> {
        let chunks = (0..n_columns).map(|j| {
            assert_eq!(column(j).len(), n_rows, "array `{name}`");
            column(j).iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>()
        });
        self.write(name, Element::F64, true, vec![n_rows, n_columns], chunks)
    }

    /// An array of 32-bit unsigned integers, the last index fastest.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    pub fn u32(&mut self, name: &str, shape: &[usize], values: &[u32]) -> io::Result<()> {
        assert_eq!(shape.iter().product::<usize>(), values.len(), "array `{name}`");
        let chunks =
            values.chunks(1 << 13).map(|c| c.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>());
        self.write(name, Element::Unsigned(4), false, shape.to_vec(), chunks)
    }

    /// One unsigned integer of 64 bits.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    pub fn count(&mut self, name: &str, value: usize) -> io::Result<()> {
        self.write(name, Element::Unsigned(8), false, Vec::new(), [(value as u64).to_le_bytes()].into_iter())
    }

    /// An array of truth values, as bytes 0 and 1.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    pub fn flags(&mut self, name: &str, values: &[bool]) -> io::Result<()> {
        let bytes: Vec<u8> = values.iter().map(|&v| u8::from(v)).collect();
        self.write(name, Element::Unsigned(1), false, vec![values.len()], bytes.chunks(1 << 16))
    }

    fn write(
        &mut self,
        name: &str,
        element: Element,
        fortran_order: bool,
        shape: Vec<usize>,
        chunks: impl Iterator<Item = impl AsRef<[u8]>>,
    ) -> io::Result<()> {
        // A fixed date, so that equal contents are equal files.
        let options = SimpleFileOptions::default()
            .compression_method(zip::CompressionMethod::Stored)
            .last_modified_time(zip::DateTime::default())
            .large_file(shape.iter().product::<usize>() * element.size() > u32::MAX as usize / 2);
        self.zip.start_file(format!("{name}.npy"), options)?;
        let header = Header { element, fortran_order, shape };
        let mut digest = begin_digest(&header);
        self.zip.write_all(&header.bytes())?;
        for chunk in chunks {
            digest.update(chunk.as_ref());
            self.zip.write_all(chunk.as_ref())?;
        }
        self.digests.push((name.to_owned(), hexadecimal(&digest.finalize())));
        Ok(())
    }

    /// Ends the archive and returns its checksum.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    pub fn finish(mut self) -> io::Result<String> {
        let checksum = combine(&mut self.digests);
        self.text(CHECKSUM, &checksum)?;
        self.zip.finish()?.flush()?;
        Ok(checksum)
    }

    /// Ends an archive that lists the digests of its arrays, and returns its checksum.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    pub fn finish_listed(mut self) -> io::Result<String> {
        self.digests.sort();
        let lines: Vec<String> =
            self.digests.iter().map(|(name, digest)| format!("{name} {digest}")).collect();
        self.texts(DIGESTS, &lines)?;
        self.finish()
    }
}

/// Digest of an array before its elements; spaces in the header have no effect.
pub(super) fn begin_digest(header: &Header) -> Sha256 {
    let mut digest = Sha256::new();
    digest.update(format!("{} {} {:?}\n", header.element.descr(), header.fortran_order, header.shape));
    digest
}

/// SHA-256 of the lines `name digest` in the order of the names.
pub(super) fn combine(digests: &mut [(String, String)]) -> String {
    digests.sort();
    let mut digest = Sha256::new();
    for (name, array) in digests {
        digest.update(format!("{name} {array}\n"));
    }
    hexadecimal(&digest.finalize())
}

pub(super) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
