//! `carom completions` and `carom man`: the command lines of all programs for shells and for `man`.
//!
//! Each other program is called for its own command line. It is searched in the folder of this program, then
//! in the PATH.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use carom_cli::command_line::{REQUEST, completions_file, write_manual};
use carom_cli::{Category, Failure, FailureContext, Session};
use clap::CommandFactory;
use serde_json::json;

use crate::args::{Args, CompletionsArgs, ManArgs};
use crate::doctor::find;

/// The other programs.
const PROGRAMS: [&str; 5] = ["carom-mesh", "carom-reduce", "carom-solve", "carom-post", "carom-gmsh"];

/// Prints the scripts one after the other, or writes each to its own file.
pub(crate) fn completions(args: &CompletionsArgs, session: &Session) -> Result<(), Failure> {
    let own = carom_cli::command_line::completions(Args::command(), args.shell);
    let mut scripts = vec![("carom", own)];
    for name in PROGRAMS {
        let output = call(name, &["completions".as_ref(), args.shell.to_string().as_ref()], session);
        scripts.extend(output.map(|script| (name, script)));
    }
    let programs: Vec<&str> = scripts.iter().map(|(name, _)| *name).collect();
    let Some(folder) = &args.output else {
        let script: String = scripts.iter().map(|(_, script)| script.as_str()).collect();
        session.print(&script)?;
        return session.print_json("carom completions 1", &json!({ "programs": programs, "script": script }));
    };
    make_folder(folder)?;
    let mut files = Vec::new();
    for (name, script) in &scripts {
        let path = folder.join(completions_file(name, args.shell));
        carom_files::write_atomically(&path, |out| out.write_all(script.as_bytes()))
            .or_fail(Category::Files)?;
        files.push(path);
    }
    report_files("carom completions 1", &programs, &files, session)
}

/// Writes the manual pages of all programs.
pub(crate) fn man(args: &ManArgs, session: &Session) -> Result<(), Failure> {
    make_folder(&args.output)?;
    let mut programs = vec!["carom"];
    let mut files = write_manual(Args::command(), &args.output)?;
    for name in PROGRAMS {
        if let Some(paths) = call(name, &["man".as_ref(), args.output.as_os_str()], session) {
            programs.push(name);
            files.extend(paths.lines().map(PathBuf::from));
        }
    }
    report_files("carom man 1", &programs, &files, session)
}

fn make_folder(folder: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(folder)
        .or_fail_with(Category::Files, || format!("cannot make the folder `{}`", folder.display()))
}

fn report_files(
    schema: &str,
    programs: &[&str],
    files: &[PathBuf],
    session: &Session,
) -> Result<(), Failure> {
    for file in files {
        session.print_summary(&file.display().to_string())?;
    }
    session.print_json(schema, &json!({ "programs": programs, "files": files }))
}

/// The output of another program; `None`, with a note, if the program is missing or too old.
fn call(name: &str, words: &[&std::ffi::OsStr], session: &Session) -> Option<String> {
    let Some(program) = find(name) else {
        session.note(&format!(
            "{name} is left out: it is neither in the folder of this program nor in the \
                               PATH"
        ));
        return None;
    };
    let ran = Command::new(&program).arg(REQUEST).args(words).stdin(Stdio::null()).output();
    let why = match ran {
        Ok(ran) if ran.status.success() => return Some(String::from_utf8_lossy(&ran.stdout).into_owned()),
        Ok(ran) => String::from_utf8_lossy(&ran.stderr).trim().to_owned(),
        Err(error) => error.to_string(),
    };
    let program = program.display();
    session.warn(&format!(
        "{name} is left out: `{program}` does not describe its command line; install its \
        present version: {why}"
    ));
    None
}
