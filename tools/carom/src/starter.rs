//! `carom new`: a scenario to start from.

use std::io::Write;
use std::path::{Path, PathBuf};

use carom_cli::{Category, Failure, FailureContext, Session};
use carom_files::write_atomically;
use serde_json::json;

use crate::args::NewArgs;
use crate::starter_part;

const STARTER: &str = include_str!("starter.toml");

/// Writes `NAME.toml` and prints the next command.
pub(crate) fn new(args: &NewArgs, session: &Session) -> Result<(), Failure> {
    let path = file(&args.name)?;
    if path.symlink_metadata().is_ok() {
        return Err(Failure::new(Category::Usage, format!("`{}` exists", path.display()))
            .hint("choose another name, or remove it first"));
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let text = match &args.part {
        Some(part) => {
            let folder = path.parent().unwrap_or(Path::new(""));
            starter_part::scenario(part, args.solid.as_ref(), folder, &stem, session)?
        }
        None => STARTER.replace("NAME", &stem),
    };
    write_atomically(&path, |out| out.write_all(text.as_bytes())).or_fail(Category::Files)?;
    let next = format!("carom run {}", path.display());
    session.print_summary(&format!("{} written; next:\n\n  {next}", path.display()))?;
    session.print_json("carom new 1", &json!({ "file": path, "next": next }))
}

/// `NAME.toml`, whether or not the ending was given.
fn file(name: &Path) -> Result<PathBuf, Failure> {
    let Some(last) = name.file_name() else {
        return Err(Failure::new(Category::Usage, format!("`{}` is not a valid file name", name.display()))
            .hint("carom new impact writes impact.toml"));
    };
    if Path::new(last).extension().is_some_and(|ending| ending == "toml") {
        return Ok(name.to_owned());
    }
    let mut last = last.to_owned();
    last.push(".toml");
    Ok(name.with_file_name(last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ending_may_be_left_out() {
        assert_eq!(file(Path::new("a/drop")).unwrap(), Path::new("a/drop.toml"));
        assert_eq!(file(Path::new("drop.toml")).unwrap(), Path::new("drop.toml"));
        assert_eq!(file(Path::new("v1.2")).unwrap(), Path::new("v1.2.toml"));
        assert!(file(Path::new("..")).is_err());
    }
}
