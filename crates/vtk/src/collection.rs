//! Time series: the `.pvd` file that lists the files of each time and part.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use carom_files::{WriteFileError, write_atomically};

use crate::write::escape;

/// One file of a series.
#[derive(Debug, Clone, PartialEq)]
struct Entry {
    time: f64,
    part: usize,
    name: String,
    file: String,
}

/// A ParaView collection: the files of each part (body) and time.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Collection {
    entries: Vec<Entry>,
}

impl Collection {
    /// An empty collection.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file: `time` \[s\], number and name of the part, path relative to the `.pvd` with `/` between
    /// folders.
    pub fn push(&mut self, time: f64, part: usize, name: &str, file: &str) {
        self.entries.push(Entry { time, part, name: name.to_owned(), file: file.to_owned() });
    }

    /// Number of files.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// True if no file was added.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The text of the `.pvd` file. Times have enough digits to be read back exactly.
    pub fn to_xml(&self) -> String {
        let mut xml = String::from(
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" \
             byte_order=\"LittleEndian\">\n<Collection>\n",
        );
        for Entry { time, part, name, file } in &self.entries {
            let (name, file) = (escape(name), escape(file));
            writeln!(
                xml,
                "<DataSet timestep=\"{time:e}\" group=\"\" part=\"{part}\" name=\"{name}\" file=\"{file}\"/>"
            )
            .expect("a string takes all text");
        }
        xml.push_str("</Collection>\n</VTKFile>\n");
        xml
    }

    /// Writes the `.pvd` file.
    ///
    /// # Errors
    ///
    /// [`WriteFileError`]; no incomplete file is left.
    pub fn write(&self, path: &Path) -> Result<(), WriteFileError> {
        let xml = self.to_xml();
        write_atomically(path, |w| w.write_all(xml.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_collection_lists_times_and_parts() {
        let mut collection = Collection::new();
        collection.push(1.25e-6, 1, "rod & co", "a/rod_0001.vtu");
        let xml = collection.to_xml();
        assert!(
            xml.contains(r#"timestep="1.25e-6" group="" part="1" name="rod &amp; co" file="a/rod_0001.vtu""#),
            "{xml}"
        );
    }
}
