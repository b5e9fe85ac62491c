//! Arrays of a model that may be left in its file until they are needed.

use std::error::Error;
use std::fmt::Debug;
use std::sync::Arc;

use faer::Mat;

/// An array that was left in the file of the model cannot be read.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{0}")]
pub struct UnreadArrayError(Arc<dyn Error + Send + Sync>);

impl PartialEq for UnreadArrayError {
    fn eq(&self, other: &Self) -> bool {
        self.to_string() == other.to_string()
    }
}

impl UnreadArrayError {
    /// * `cause` — names the file and the way out
    pub fn new(cause: impl Error + Send + Sync + 'static) -> Self {
        Self(Arc::new(cause))
    }
}

/// A matrix in the file of a model.
pub trait MatrixSource: Debug + Send + Sync {
    /// Its values, verified.
    ///
    /// # Errors
    ///
    /// [`UnreadArrayError`] if the file cannot be read or was changed.
    fn matrix(&self) -> Result<Mat<f64>, UnreadArrayError>;
}
