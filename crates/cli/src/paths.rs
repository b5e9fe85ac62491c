//! Files that a command reads and writes.

use std::path::Path;

use crate::{Category, Failure};

/// Refuses to write over the file that a command reads: a typing error must not cost the user a scenario or a mesh.
///
/// # Errors
///
/// [`Category::Usage`] if `output` and `input` are one file, also by way of links.
pub fn keep_input(input: &Path, output: &Path) -> Result<(), Failure> {
    match (input.canonicalize(), output.canonicalize()) {
        (Ok(from), Ok(to)) if from == to => {
            let what = format!("`{}` is the input: it would be lost", output.display());
            Err(Failure::new(Category::Usage, what).hint("give -o another name"))
        }
        // A file that is not there cannot be lost; one that cannot be looked at is told when it is opened.
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_input_is_known_by_any_name() {
        let folder = std::env::temp_dir().join(format!("carom-keep-input-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("a.toml");
        std::fs::write(&file, "mine").unwrap();
        assert!(keep_input(&file, &folder.join(".").join("a.toml")).is_err());
        assert!(keep_input(&file, &folder.join("b.toml")).is_ok());
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
