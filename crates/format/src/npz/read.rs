//! Reading an archive.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use sha2::Digest;
use zip::result::ZipError;

use super::error::ReadArchiveError;
use super::write::{begin_digest, combine, hexadecimal};
use super::{CHECKSUM, DIGESTS, Header, Version};

/// Limits on the expanded size of an archive (per byte of the file, and a constant) and on the size of
/// decoded values. With the temporary memory of decoding, reading stays within
/// [`carom_files::input::memory_limit`].
const UNPACKED_FACTOR: u64 = 3;
const UNPACKED_BASE: u64 = 32_000_000;
const DECODED_FACTOR: u64 = 6;
const DECODED_BASE: u64 = 64_000_000;

/// An open archive, whose arrays are read by name (the getters are in the module `arrays`).
pub struct ArchiveReader {
    path: PathBuf,
    /// Its size \[byte\].
    size: u64,
    /// Remaining memory for decoded arrays \[byte\].
    memory: u64,
    zip: zip::ZipArchive<BufReader<File>>,
    version: Version,
    /// SHA-256 of each array that was read, by name.
    digests: BTreeMap<String, String>,
    /// The list of the archive, which agrees with its checksum; none in an archive without one.
    listed: Option<Listed>,
}

/// The digests of all arrays as the archive lists them.
struct Listed {
    digests: BTreeMap<String, String>,
    checksum: String,
}

impl ArchiveReader {
    /// Opens an archive and checks kind and version before anything else is read, then the list of digests if
    /// there is one: arrays are compared with it as they are read.
    ///
    /// * `kind` — required entry `format`
    /// * `word` — name of the kind in messages
    /// * `supported` — largest major version that can be read
    ///
    /// # Errors
    ///
    /// [`ReadArchiveError`], as all methods below.
    pub fn open(
        path: &Path,
        kind: &'static str,
        word: &'static str,
        supported: u32,
    ) -> Result<Self, ReadArchiveError> {
        let io = |source| ReadArchiveError::Io { path: path.to_owned(), source };
        let file = carom_files::input::open(path).map_err(io)?;
        let size = file.metadata().map_err(io)?.len();
        let zip = zip::ZipArchive::new(BufReader::new(file))
            .map_err(|source| ReadArchiveError::NotAnArchive { path: path.to_owned(), kind: word, source })?;
        let memory = DECODED_FACTOR.saturating_mul(size).saturating_add(DECODED_BASE);
        let version = Version { major: 0, minor: 0 };
        let digests = BTreeMap::new();
        let mut archive = Self { path: path.to_owned(), size, memory, zip, version, digests, listed: None };
        archive.check_list()?;
        if !archive.has("format") || !archive.has("version") {
            return Err(ReadArchiveError::Foreign { path: path.to_owned(), kind: word });
        }
        let found = archive.text("format")?;
        if found != kind {
            return Err(ReadArchiveError::WrongKind { path: path.to_owned(), expected: kind, found });
        }
        let stated = archive.text("version")?;
        archive.version =
            stated.parse().map_err(|_| archive.unexpected("version", "major.minor", &stated))?;
        if archive.version.major > supported {
            let program =
                if archive.has("program") { archive.text("program")? } else { "unknown".to_owned() };
            let path = path.to_owned();
            return Err(ReadArchiveError::Newer { path, kind, found: stated, supported, program });
        }
        archive.read_list()?;
        Ok(archive)
    }

    /// Reads the list of digests, and compares it with the checksum and with the arrays read before.
    fn read_list(&mut self) -> Result<(), ReadArchiveError> {
        // A list without a checksum proves nothing: the whole archive is read.
        if !self.has(DIGESTS) || !self.has(CHECKSUM) {
            return Ok(());
        }
        let checksum = self.text(CHECKSUM)?;
        let lines = self.texts(DIGESTS)?;
        let split = |line: &String| line.split_once(' ').map(|(name, digest)| (name.into(), digest.into()));
        let digests: Option<BTreeMap<String, String>> = lines.iter().map(split).collect();
        let digests = digests.ok_or_else(|| self.unexpected(DIGESTS, "lines `name sha256`", "others"))?;
        let mut all: Vec<(String, String)> = digests.clone().into_iter().collect();
        all.push((DIGESTS.to_owned(), self.digests[DIGESTS].clone()));
        let mut names = self.names();
        names.sort();
        let are_all = combine(&mut all) == checksum && names.iter().eq(all.iter().map(|(name, _)| name));
        if !are_all {
            return Err(ReadArchiveError::Checksum { path: self.path.clone() });
        }
        self.listed = Some(Listed { digests, checksum });
        self.digests.iter().try_for_each(|(name, digest)| self.compare(name, digest))
    }

    /// Names of the arrays but the checksum, in the order of the archive.
    fn names(&self) -> Vec<String> {
        let names = self.zip.file_names().filter_map(|n| n.ok()?.strip_suffix(".npy").map(str::to_owned));
        names.filter(|name| name != CHECKSUM).collect()
    }

    /// Refuses an array whose digest is not the listed one.
    fn compare(&self, name: &str, digest: &str) -> Result<(), ReadArchiveError> {
        let listed = self.listed.as_ref().and_then(|listed| listed.digests.get(name));
        match listed.is_none_or(|listed| listed == digest) {
            true => Ok(()),
            false => Err(ReadArchiveError::Digest { path: self.path.clone(), array: name.to_owned() }),
        }
    }

    /// True if the digest of an array is needed: the first time, and each time if it can be compared, as the
    /// file may have been changed since it was opened.
    fn is_to_digest(&self, name: &str) -> bool {
        self.listed.is_some() || !self.digests.contains_key(name)
    }

    /// Keeps the digest of an array that was read.
    fn keep(&mut self, name: &str, digest: sha2::Sha256) -> Result<(), ReadArchiveError> {
        let digest = hexadecimal(&digest.finalize());
        self.compare(name, &digest)?;
        self.digests.insert(name.to_owned(), digest);
        Ok(())
    }

    /// The checksum of an archive with a list of digests, whose arrays are verified one by one as they are
    /// read; none without a list.
    pub fn listed_checksum(&self) -> Option<String> {
        self.listed.as_ref().map(|listed| listed.checksum.clone())
    }

    /// Refuses repeated names, and arrays whose expanded size is much larger than the file.
    fn check_list(&self) -> Result<(), ReadArchiveError> {
        if self.zip.has_duplicate_names() {
            let what = format!("its list has more entries than the {} different names", self.zip.len());
            return Err(ReadArchiveError::Twice { path: self.path.clone(), what });
        }
        let most = UNPACKED_FACTOR.saturating_mul(self.size).saturating_add(UNPACKED_BASE);
        let mut unpacked = 0_u64;
        for i in 0..self.zip.len() {
            // The sizes are those of the central directory: entries that are not read may be damaged.
            let Ok(entry) = self.zip.by_index_data(i) else { continue };
            unpacked = unpacked.saturating_add(entry.size());
        }
        if unpacked > most {
            return Err(ReadArchiveError::Unpacks {
                path: self.path.clone(),
                size: self.size,
                unpacked,
                most,
            });
        }
        Ok(())
    }

    /// Accounts for the memory of decoded values.
    pub(super) fn take_memory(&mut self, bytes: usize) -> Result<(), ReadArchiveError> {
        let most = DECODED_FACTOR.saturating_mul(self.size).saturating_add(DECODED_BASE);
        match self.memory.checked_sub(bytes as u64) {
            Some(left) => {
                self.memory = left;
                Ok(())
            }
            None => {
                let (path, unpacked) = (self.path.clone(), (most - self.memory).saturating_add(bytes as u64));
                Err(ReadArchiveError::Unpacks { path, size: self.size, unpacked, most })
            }
        }
    }

    /// Version of the file.
    pub fn version(&self) -> Version {
        self.version
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// True if there is an array of this name.
    pub fn has(&self, name: &str) -> bool {
        let file_name = format!("{name}.npy");
        self.zip.index_for_name(&file_name).is_some()
    }

    /// The error for an array with unexpected content.
    pub fn unexpected(
        &self,
        array: &str,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> ReadArchiveError {
        ReadArchiveError::Unexpected {
            path: self.path.clone(),
            array: array.to_owned(),
            expected: expected.into(),
            found: found.into(),
        }
    }

    /// Header and bytes of the elements.
    pub(super) fn array(&mut self, name: &str) -> Result<(Header, Vec<u8>), ReadArchiveError> {
        let bytes = self.bytes(name)?;
        let mut rest = bytes.as_slice();
        let broken =
            |source| ReadArchiveError::Header { path: self.path.clone(), array: name.to_owned(), source };
        let header = Header::parse(&mut rest).map_err(broken)?;
        let needed = header.n_elements().map_err(broken)? * header.element.size();
        if rest.len() != needed {
            let found = format!("{} bytes", rest.len());
            return Err(self.unexpected(name, format!("{needed} bytes as its shape says"), found));
        }
        let start = bytes.len() - needed;
        let mut bytes = bytes;
        bytes.drain(..start);
        if self.is_to_digest(name) {
            self.keep(name, begin_digest(&header).chain_update(&bytes))?;
        }
        Ok((header, bytes))
    }

    /// An entry of the archive, limited to its size in the directory.
    fn entry(&mut self, name: &str) -> Result<zip::read::ZipFile<'_, BufReader<File>>, ReadArchiveError> {
        let (path, array) = (self.path.clone(), name.to_owned());
        match self.zip.by_name(&format!("{name}.npy")) {
            Ok(entry) => Ok(entry),
            Err(ZipError::FileNotFound) => Err(ReadArchiveError::Missing { path, array }),
            Err(error) => Err(ReadArchiveError::Damaged { path, array, source: error.into() }),
        }
    }

    fn bytes(&mut self, name: &str) -> Result<Vec<u8>, ReadArchiveError> {
        let path = self.path.clone();
        let mut entry = self.entry(name)?;
        let stated = entry.size();
        // The size in the directory was checked against the size of the file.
        let mut bytes = Vec::with_capacity(usize::try_from(stated).unwrap_or(0).min(1 << 24));
        let read = entry.by_ref().take(stated).read_to_end(&mut bytes).and_then(|_| ended(&mut entry));
        match read {
            Ok(()) => Ok(bytes),
            Err(source) => Err(ReadArchiveError::Damaged { path, array: name.to_owned(), source }),
        }
    }

    /// Compares the content with the checksum in the file, and returns the checksum. Arrays that were read
    /// before are not read again; the others are read in pieces, so that unused arrays need no memory.
    ///
    /// * `is_due` — true if files of this version must have a checksum
    ///
    /// # Errors
    ///
    /// [`ReadArchiveError::Checksum`] if they differ, [`ReadArchiveError::NoChecksum`] if a required one is
    /// missing, others if an array cannot be read.
    pub fn verified_checksum(&mut self, is_due: bool) -> Result<String, ReadArchiveError> {
        let stated = if self.has(CHECKSUM) { Some(self.text(CHECKSUM)?) } else { None };
        if is_due && stated.is_none() {
            return Err(ReadArchiveError::NoChecksum { path: self.path.clone(), version: self.version });
        }
        let names = self.names();
        let mut digests = Vec::with_capacity(names.len());
        for name in names {
            let digest = self.digest(&name)?;
            digests.push((name, digest));
        }
        let checksum = combine(&mut digests);
        if stated.is_some_and(|stated| stated != checksum) {
            return Err(ReadArchiveError::Checksum { path: self.path.clone() });
        }
        Ok(checksum)
    }

    /// SHA-256 of an array.
    fn digest(&mut self, name: &str) -> Result<String, ReadArchiveError> {
        if !self.digests.contains_key(name) {
            self.streamed(name, |_, elements| io::copy(elements, &mut io::sink()).map(drop))?;
        }
        Ok(self.digests[name].clone())
    }

    /// Header of an array and its elements in pieces; the action must read all of them.
    pub(super) fn streamed<T>(
        &mut self,
        name: &str,
        action: impl FnOnce(&Header, &mut dyn Read) -> io::Result<T>,
    ) -> Result<T, ReadArchiveError> {
        /// Upper limit of the header length of number and text arrays.
        const HEAD: u64 = 1 << 12;
        let (path, array) = (self.path.clone(), name.to_owned());
        let is_to_digest = self.is_to_digest(name);
        let mut entry = self.entry(name)?;
        let stated = entry.size();
        let damaged = |source| ReadArchiveError::Damaged { path: path.clone(), array: array.clone(), source };
        let broken = |source| ReadArchiveError::Header { path: path.clone(), array: array.clone(), source };
        let mut head = Vec::new();
        entry.by_ref().take(HEAD.min(stated)).read_to_end(&mut head).map_err(damaged)?;
        let mut rest = head.as_slice();
        let header = Header::parse(&mut rest).map_err(broken)?;
        let needed = (header.n_elements().map_err(broken)? * header.element.size()) as u64;
        let left = stated - head.len() as u64;
        if rest.len() as u64 + left != needed {
            let (expected, found) =
                (format!("{needed} bytes as its shape says"), format!("{} bytes", rest.len() as u64 + left));
            return Err(ReadArchiveError::Unexpected { path, array, expected, found });
        }
        let digest = is_to_digest.then(|| begin_digest(&header));
        let mut elements = Digested { elements: rest.chain(entry.by_ref().take(left)), digest };
        let result = action(&header, &mut elements).map_err(damaged)?;
        let Digested { elements, digest } = elements;
        let unread = elements.get_ref().0.len() as u64 + elements.get_ref().1.limit();
        if unread > 0 {
            return Err(damaged(io::ErrorKind::UnexpectedEof.into()));
        }
        ended(&mut entry).map_err(damaged)?;
        drop(entry);
        if let Some(digest) = digest {
            self.keep(name, digest)?;
        }
        Ok(result)
    }
}

/// Checks that an entry ends at its size in the directory; this also compares the checksum of the entry.
fn ended(entry: &mut impl Read) -> io::Result<()> {
    match entry.read(&mut [0])? {
        0 => Ok(()),
        _ => {
            Err(io::Error::new(io::ErrorKind::InvalidData, "it is longer than the list of the archive says"))
        }
    }
}

/// The elements of an array, and their digest unless it is known.
struct Digested<R> {
    elements: R,
    digest: Option<sha2::Sha256>,
}

impl<R: Read> Read for Digested<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let n = self.elements.read(bytes)?;
        if let Some(digest) = &mut self.digest {
            digest.update(&bytes[..n]);
        }
        Ok(n)
    }
}
