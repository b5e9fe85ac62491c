//! The state from which a run continues bit for bit, as named arrays. Every scheme fills it, `carom-format`
//! stores it.

use std::collections::BTreeMap;

/// Values of one entry.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// Real numbers, stored bit for bit.
    Reals(Vec<f64>),
    /// Whole numbers.
    Integers(Vec<u64>),
}

/// A point from which a run continues.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Checkpoint {
    /// Name of the scheme that wrote it.
    pub scheme: String,
    /// Version of its entries: a scheme refuses the checkpoints of others.
    pub version: u64,
    /// Time \[s\].
    pub time: f64,
    /// Steps accepted so far.
    pub steps: u64,
    /// The entries, by name.
    pub entries: BTreeMap<String, Values>,
}

/// Errors of continuing a run from a checkpoint.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CheckpointError {
    /// Another scheme or version wrote it.
    #[error(
        "the checkpoint is of scheme `{found}` version {found_version}; this run needs `{expected}` version \
         {expected_version}; start the run anew with --force"
    )]
    Scheme {
        /// In the checkpoint.
        found: String,
        /// Its version.
        found_version: u64,
        /// Required by the run.
        expected: String,
        /// Its version.
        expected_version: u64,
    },
    /// An entry is missing or of another kind.
    #[error("the checkpoint has no entry `{name}` of {kind}")]
    Missing {
        /// Name of the entry.
        name: String,
        /// "reals" or "integers".
        kind: &'static str,
    },
    /// An entry has another length: the scenario or the bodies changed.
    #[error(
        "entry `{name}` of the checkpoint has {found} numbers, but this scenario needs {expected}: was it \
         changed since the run began?"
    )]
    Length {
        /// Name of the entry.
        name: String,
        /// In the checkpoint.
        found: usize,
        /// Required by the run.
        expected: usize,
    },
}

impl Checkpoint {
    /// Stores real numbers under a name.
    pub fn put_reals(&mut self, name: &str, values: &[f64]) {
        self.entries.insert(name.to_owned(), Values::Reals(values.to_vec()));
    }

    /// Stores whole numbers under a name.
    pub fn put_integers(&mut self, name: &str, values: &[u64]) {
        self.entries.insert(name.to_owned(), Values::Integers(values.to_vec()));
    }

    /// Real numbers stored under a name.
    ///
    /// # Errors
    ///
    /// [`CheckpointError::Missing`].
    pub fn reals(&self, name: &str) -> Result<&[f64], CheckpointError> {
        match self.entries.get(name) {
            Some(Values::Reals(values)) => Ok(values),
            _ => Err(CheckpointError::Missing { name: name.to_owned(), kind: "reals" }),
        }
    }

    /// Whole numbers stored under a name.
    ///
    /// # Errors
    ///
    /// [`CheckpointError::Missing`].
    pub fn integers(&self, name: &str) -> Result<&[u64], CheckpointError> {
        match self.entries.get(name) {
            Some(Values::Integers(values)) => Ok(values),
            _ => Err(CheckpointError::Missing { name: name.to_owned(), kind: "integers" }),
        }
    }

    /// Exactly `expected` real numbers stored under a name.
    ///
    /// # Errors
    ///
    /// [`CheckpointError::Missing`], [`CheckpointError::Length`].
    pub fn reals_of(&self, name: &str, expected: usize) -> Result<&[f64], CheckpointError> {
        let values = self.reals(name)?;
        if values.len() == expected {
            Ok(values)
        } else {
            Err(CheckpointError::Length { name: name.to_owned(), found: values.len(), expected })
        }
    }

    /// Checks scheme and version.
    ///
    /// # Errors
    ///
    /// [`CheckpointError::Scheme`].
    pub fn expect(&self, scheme: &str, version: u64) -> Result<(), CheckpointError> {
        if self.scheme == scheme && self.version == version {
            return Ok(());
        }
        Err(CheckpointError::Scheme {
            found: self.scheme.clone(),
            found_version: self.version,
            expected: scheme.to_owned(),
            expected_version: version,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_kind_and_length_are_named() {
        let mut checkpoint = Checkpoint::default();
        checkpoint.put_reals("state", &[1.0, 2.0]);
        assert_eq!(checkpoint.reals_of("state", 2), Ok(&[1.0, 2.0][..]));
        assert!(checkpoint.integers("state").unwrap_err().to_string().contains("`state`"));
        let message = checkpoint.reals_of("state", 3).unwrap_err().to_string();
        assert!(message.contains("2 numbers") && message.contains("needs 3"), "{message}");
    }
}
