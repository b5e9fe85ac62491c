//! Reading an archive.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use sha2::Digest;
use thiserror::Error;
use zip::result::ZipError;

use super::write::{begin_digest, combine, hexadecimal};
use super::{Header, HeaderError, Version};

/// Why an archive cannot be used.
#[derive(Debug, Error)]
pub enum ReadArchiveError {
    /// The file cannot be opened or read.
    #[error("cannot read `{path}`: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// It is no archive, or a damaged one.
    #[error("`{path}` is no {kind} file, or damaged: {source}; {}", way_out(path, kind))]
    NotAnArchive {
        /// The file.
        path: PathBuf,
        /// What was expected, "body" for instance.
        kind: &'static str,
        /// What is wrong with it.
        source: ZipError,
    },
    /// It is an archive of another program.
    #[error("`{path}` is an archive of another program and no {kind} file; {}", way_out(path, kind))]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What was expected, "body" for instance.
        kind: &'static str,
    },
    /// It is an archive of something else.
    #[error("`{path}` is of the kind `{found}`, a `{expected}` is needed here")]
    WrongKind {
        /// The file.
        path: PathBuf,
        /// The kind that is needed.
        expected: &'static str,
        /// Its kind.
        found: String,
    },
    /// A newer carom wrote it.
    #[error(
        "`{path}` has version {found} of the format `{kind}`, this program reads up to {supported}.x; \
         use the release of carom that wrote it ({program}) or a newer one, or make the file again with this one"
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its kind.
        kind: &'static str,
        /// Its version.
        found: String,
        /// Largest major version that is read.
        supported: u32,
        /// The program that wrote it.
        program: String,
    },
    /// An array is missing.
    #[error("`{path}`: the array `{array}` is missing")]
    Missing {
        /// The file.
        path: PathBuf,
        /// The array.
        array: String,
    },
    /// An array is damaged, or no array.
    #[error("`{path}`: array `{array}`: {source}")]
    Header {
        /// The file.
        path: PathBuf,
        /// The array.
        array: String,
        /// What is wrong with it.
        source: HeaderError,
    },
    /// An array's content ends too early or fails its checksum.
    #[error("`{path}`: the array `{array}` is damaged: {source}; copy or make the file again")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The array.
        array: String,
        /// What is wrong with it.
        source: io::Error,
    },
    /// An array has another type or shape.
    #[error("`{path}`: array `{array}`: expected {expected}, found {found}")]
    Unexpected {
        /// The file.
        path: PathBuf,
        /// The array.
        array: String,
        /// What is needed.
        expected: String,
        /// What is there.
        found: String,
    },
    /// The content is not what the checksum says.
    #[error(
        "`{path}`: the content does not have the checksum that the file states; it was changed after it was written"
    )]
    Checksum {
        /// The file.
        path: PathBuf,
    },
}

/// How the file of another program becomes one of ours.
fn way_out(path: &Path, kind: &str) -> String {
    match kind {
        "body" => format!(
            "a mesh, NURBS or CAD file becomes one by `carom-mesh import {} -o BODY.npz`; a damaged one has to be copied or made \
             again",
            path.display()
        ),
        _ => "copy or make it again".to_owned(),
    }
}

impl ReadArchiveError {
    /// True if the operating system refused, false if the content is wrong.
    pub fn is_io(&self) -> bool {
        matches!(self, Self::Io { .. })
    }
}

/// Gives the arrays of an archive by name (the getters are in the module `arrays`).
pub struct ArchiveReader {
    path: PathBuf,
    zip: zip::ZipArchive<BufReader<File>>,
    version: Version,
}

impl ArchiveReader {
    /// Opens an archive and checks kind and version before anything else is read.
    ///
    /// * `kind` — what `format` must say
    /// * `word` — what messages call it
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
        let file =
            File::open(path).and_then(|f| if f.metadata()?.is_dir() { Err(is_a_folder()) } else { Ok(f) });
        let file = file.map_err(|source| ReadArchiveError::Io { path: path.to_owned(), source })?;
        let zip = zip::ZipArchive::new(BufReader::new(file))
            .map_err(|source| ReadArchiveError::NotAnArchive { path: path.to_owned(), kind: word, source })?;
        let mut archive = Self { path: path.to_owned(), zip, version: Version { major: 0, minor: 0 } };
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
        Ok(archive)
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
        self.zip.file_names().any(|n| n == file_name)
    }

    /// An error about an array: what is needed and what is there.
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
        Ok((header, bytes))
    }

    fn bytes(&mut self, name: &str) -> Result<Vec<u8>, ReadArchiveError> {
        let path = self.path.clone();
        let array = name.to_owned();
        let mut entry = match self.zip.by_name(&format!("{name}.npy")) {
            Ok(entry) => entry,
            Err(ZipError::FileNotFound) => return Err(ReadArchiveError::Missing { path, array }),
            Err(error) => return Err(ReadArchiveError::Damaged { path, array, source: error.into() }),
        };
        // The stated size is a claim of the file: memory grows with what is really there.
        let mut bytes = Vec::with_capacity(usize::try_from(entry.size()).unwrap_or(0).min(1 << 24));
        match entry.read_to_end(&mut bytes) {
            Ok(_) => Ok(bytes),
            Err(source) => Err(ReadArchiveError::Damaged { path, array, source }),
        }
    }

    /// Compares the content with the checksum that the file states, if it does, and returns it.
    ///
    /// # Errors
    ///
    /// [`ReadArchiveError::Checksum`] if they differ, others if an array cannot be read.
    pub fn verified_checksum(&mut self) -> Result<String, ReadArchiveError> {
        let stated = if self.has("checksum") { Some(self.text("checksum")?) } else { None };
        let names: Vec<String> =
            self.zip.file_names().filter_map(|n| n.strip_suffix(".npy")).map(str::to_owned).collect();
        let mut digests = Vec::with_capacity(names.len());
        for name in names.into_iter().filter(|n| n != "checksum") {
            let (header, elements) = self.array(&name)?;
            let digest = begin_digest(&header).chain_update(&elements).finalize();
            digests.push((name, hexadecimal(&digest)));
        }
        let checksum = combine(&mut digests);
        if stated.is_some_and(|stated| stated != checksum) {
            return Err(ReadArchiveError::Checksum { path: self.path.clone() });
        }
        Ok(checksum)
    }
}

fn is_a_folder() -> io::Error {
    io::Error::new(io::ErrorKind::IsADirectory, "it is a folder")
}
