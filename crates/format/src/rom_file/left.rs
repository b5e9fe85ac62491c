//! Arrays that stay in the file of a model until they are needed.
//!
//! The file stays open, and an array is compared with its digest when it is read.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use carom_reduce::unread::{MatrixSource, UnreadArrayError};
use faer::Mat;

use super::invariants::read_matrix;
use crate::npz::ArchiveReader;

/// An archive that the arrays which stay in it share.
#[derive(Clone)]
pub(super) struct OpenArchive(Arc<Mutex<ArchiveReader>>);

impl OpenArchive {
    pub(super) fn new(archive: ArchiveReader) -> Self {
        Self(Arc::new(Mutex::new(archive)))
    }

    /// The archive. A reader that panicked has left it as it was.
    pub(super) fn lock(&self) -> MutexGuard<'_, ArchiveReader> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Leaves a matrix in the archive.
    pub(super) fn leave(&self, name: &'static str, size: [usize; 2]) -> Arc<dyn MatrixSource> {
        Arc::new(LeftMatrix { archive: self.clone(), name, size })
    }
}

/// A matrix in an open archive.
struct LeftMatrix {
    archive: OpenArchive,
    name: &'static str,
    /// Its rows and columns.
    size: [usize; 2],
}

impl MatrixSource for LeftMatrix {
    fn matrix(&self) -> Result<Mat<f64>, UnreadArrayError> {
        let [n_rows, n_columns] = self.size;
        read_matrix(&mut self.archive.lock(), self.name, n_rows, n_columns).map_err(UnreadArrayError::new)
    }
}

impl fmt::Debug for LeftMatrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let archive = self.archive.lock();
        let mut described = f.debug_struct("LeftMatrix");
        described.field("path", &archive.path()).field("name", &self.name).field("size", &self.size).finish()
    }
}
