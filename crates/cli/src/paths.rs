//! Files that a command reads and writes.

use std::path::Path;

use crate::{Category, Failure};

/// Errors if an output file is also the input of the command, so that a typing error does not cost the user a
/// scenario or a mesh.
///
/// # Errors
///
/// [`Category::Usage`] if `output` and `input` are the same file, directly or through links.
pub fn keep_input(input: &Path, output: &Path) -> Result<(), Failure> {
    match (input.canonicalize(), output.canonicalize()) {
        (Ok(from), Ok(to)) if from == to => {
            let what = format!("`{}` is the input file and would be overwritten", output.display());
            Err(Failure::new(Category::Usage, what).hint("give another name with -o"))
        }
        // A missing file cannot be lost; a file without access is an error when it is opened.
        _ => Ok(()),
    }
}

/// Errors if an output name has the wrong ending, before anything is computed. A name without an ending is
/// accepted.
///
/// * `what` — kind of files that is written, in the plural
/// * `endings` — the valid endings, without their dots
/// * `other_way` — how files of other kinds are written
///
/// # Errors
///
/// [`Category::Usage`] with the endings.
pub fn check_ending(output: &Path, what: &str, endings: &[&str], other_way: &str) -> Result<(), Failure> {
    let Some(ending) = output.extension() else { return Ok(()) };
    if endings.iter().any(|known| ending.eq_ignore_ascii_case(known)) {
        return Ok(());
    }
    let known: Vec<String> = endings.iter().map(|ending| format!(".{ending}")).collect();
    let what = format!("`{}`: {what} are written as {}", output.display(), known.join(" or "));
    Err(Failure::new(Category::Usage, what).hint(format!("change the ending; {other_way}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ending_of_a_name_determines_the_format() {
        let check = |name: &str| check_ending(Path::new(name), "models", &["npz", "rom"], "export them");
        for name in ["a.npz", "b.v2.ROM", "plain", "/dev/stdout", ".hidden"] {
            assert!(check(name).is_ok(), "{name}");
        }
        let failure = check("a.xyz").unwrap_err();
        assert_eq!(failure.to_string(), "`a.xyz`: models are written as .npz or .rom");
        assert_eq!(failure.category(), Category::Usage);
    }

    #[test]
    fn the_input_is_recognised_under_any_name() {
        let folder = std::env::temp_dir().join(format!("carom-keep-input-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("a.toml");
        std::fs::write(&file, "mine").unwrap();
        assert!(keep_input(&file, &folder.join(".").join("a.toml")).is_err());
        assert!(keep_input(&file, &folder.join("b.toml")).is_ok());
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
