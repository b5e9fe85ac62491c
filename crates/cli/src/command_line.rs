//! Command lines as completion scripts for shells and as manual pages.
//!
//! Each program describes its own command line: called with [`REQUEST`] as its first word it writes its
//! completions or its manual pages and does nothing else. `carom completions` and `carom man` call the other
//! programs in this way, so that none has to link another one: `carom-gmsh` has a different licence and needs
//! Gmsh.
//!
//! ```text
//! carom-mesh --command-line completions bash     the script, on standard output
//! carom-mesh --command-line man DIR              pages in DIR, their names on standard output
//! ```

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Command, ValueEnum};
use clap_complete::{Generator, Shell};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};

use crate::examples::HEADING;
use crate::session::colour;
use crate::{Category, Failure, FailureContext, exit_code};

/// First word of a call that requests the description of a command line.
pub const REQUEST: &str = "--command-line";

/// The script that completes a command line in a shell.
pub fn completions(mut command: Command, shell: Shell) -> String {
    let name = command.get_name().to_owned();
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, name, &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

/// Name of the file in which a shell looks for the completions of a program.
pub fn completions_file(program: &str, shell: Shell) -> String {
    shell.file_name(program)
}

/// A manual page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Name of its file, such as `carom-mesh-make.1`.
    pub file: String,
    /// Its text, for `man`.
    pub text: String,
}

/// Manual pages of a program and of each of its commands.
pub fn manual(command: Command) -> Vec<Page> {
    let mut command = command.disable_help_subcommand(true);
    command.build();
    let mut pages = Vec::new();
    add_pages(&command, &mut pages);
    pages
}

fn add_pages(command: &Command, pages: &mut Vec<Page>) {
    let man = Man::new(command.clone()).source(concat!("carom ", env!("CARGO_PKG_VERSION"))).manual("carom");
    let mut text = Vec::new();
    render(command, &man, &mut text).expect("memory takes everything that is written");
    pages.push(Page { file: man.get_filename(), text: String::from_utf8_lossy(&text).into_owned() });
    for inner in command.get_subcommands().filter(|inner| !inner.is_hide_set()) {
        add_pages(inner, pages);
    }
}

/// Writes a page in the usual order of sections, with notes and examples line by line: `Man::render` would
/// join their lines into one paragraph.
fn render(command: &Command, man: &Man, out: &mut Vec<u8>) -> io::Result<()> {
    man.render_title(out)?;
    man.render_name_section(out)?;
    man.render_synopsis_section(out)?;
    man.render_description_section(out)?;
    man.render_options_section(out)?;
    if command.has_subcommands() {
        man.render_subcommands_section(out)?;
    }
    let after = command.get_after_long_help().or_else(|| command.get_after_help());
    let after = after.map(ToString::to_string).unwrap_or_default();
    let (notes, examples) = after.split_once(HEADING).unwrap_or((&after, ""));
    let mut roff = Roff::default();
    for (heading, lines) in [("NOTES", notes.trim()), ("EXAMPLES", examples.trim_end())] {
        if lines.trim().is_empty() {
            continue;
        }
        roff.control("SH", [heading]).control("nf", []);
        for line in lines.lines().skip_while(|line| line.trim().is_empty()) {
            roff.text([roman(line)]);
        }
        roff.control("fi", []);
    }
    roff.to_writer(out)
}

/// Writes the pages of a program into a folder and returns their paths.
///
/// # Errors
///
/// [`Category::Files`] with the file that cannot be written.
pub fn write_manual(command: Command, folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    manual(command)
        .into_iter()
        .map(|page| {
            let path = folder.join(&page.file);
            carom_files::write_atomically(&path, |out| out.write_all(page.text.as_bytes()))
                .or_fail(Category::Files)?;
            Ok(path)
        })
        .collect()
}

/// Handles a call with [`REQUEST`]; returns `None` for any other call.
///
/// * `words` — the command line, with the program as its first word
/// * `command` — the clap command of the program
pub fn answer(words: &[OsString], command: impl FnOnce() -> Command) -> Option<ExitCode> {
    if words.get(1)? != REQUEST {
        return None;
    }
    let failure = match answered(&words[2..], command()) {
        Ok(text) => {
            // A closed pipe needs no further output.
            let _ = io::stdout().write_all(text.as_bytes());
            return Some(ExitCode::from(exit_code::DONE));
        }
        Err(failure) => failure,
    };
    let _ = failure.write(&mut io::stderr().lock(), colour());
    Some(ExitCode::from(failure.category().exit_code()))
}

fn answered(words: &[OsString], command: Command) -> Result<String, Failure> {
    let text = |word: &OsString| word.to_string_lossy().into_owned();
    match words {
        [what, shell] if what == "completions" => {
            let shell = Shell::from_str(&text(shell), true)
                .map_err(|error| Failure::new(Category::Usage, format!("{REQUEST} completions: {error}")))?;
            Ok(completions(command, shell))
        }
        [what, folder] if what == "man" => {
            let paths = write_manual(command, Path::new(folder))?;
            Ok(paths.iter().map(|path| format!("{}\n", path.display())).collect())
        }
        _ => {
            let what = format!("{REQUEST} takes `completions SHELL` or `man DIR`");
            Err(Failure::new(Category::Usage, what))
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::{Arg, CommandFactory, Parser};

    use super::*;
    use crate::RunArgs;

    /// A program for tests.
    #[derive(Debug, Parser)]
    #[command(name = "carom-test", version)]
    struct Tested {
        #[command(subcommand)]
        command: Inner,
    }

    #[derive(Debug, clap::Subcommand)]
    enum Inner {
        /// Make a body.
        #[command(after_help = "Sets:\n  .hidden  a set\n\nExamples:\n  carom-test make --radius 1\n")]
        Make {
            /// Radius [m].
            #[arg(long)]
            radius: f64,
            #[command(flatten)]
            run: RunArgs,
        },
    }

    #[test]
    fn completions_know_commands_and_flags() {
        for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
            let script = completions(Tested::command(), shell);
            for word in ["carom-test", "make", "radius", "threads"] {
                assert!(script.contains(word), "{shell}: no `{word}` in\n{script}");
            }
        }
        assert_eq!(completions_file("carom-test", Shell::Zsh), "_carom-test");
    }

    #[test]
    fn each_command_has_a_page_with_its_examples_line_by_line() {
        let pages = manual(Tested::command());
        let files: Vec<&str> = pages.iter().map(|page| page.file.as_str()).collect();
        assert_eq!(files, ["carom-test.1", "carom-test-make.1"]);
        // The text without the escapes of roff.
        let text = &pages[1].text.replace('\\', "");
        for part in [
            ".TH carom-test-make 1",
            ".SH SYNOPSIS\n",
            "--radius",
            ".SH RUNNING\n",
            // A line that begins with a dot would be a command of roff.
            ".SH NOTES\n.nf\nSets:\n  .hidden  a set\n.fi\n",
            ".SH EXAMPLES\n.nf\n  carom-test make --radius 1\n.fi\n",
        ] {
            assert!(text.contains(part), "no {part:?} in\n{text}");
        }
    }

    #[test]
    fn only_a_call_with_the_request_writes_completions_or_pages() {
        let words = |text: &str| text.split(' ').map(OsString::from).collect::<Vec<_>>();
        let command = || Command::new("carom-test").arg(Arg::new("x").long("x"));
        assert!(answer(&words("carom-test --x"), command).is_none());
        assert!(answer(&words("carom-test"), command).is_none());
        let failure = answered(&words("completions tcsh"), command()).unwrap_err();
        assert_eq!(failure.category(), Category::Usage);
        let failure = answered(&words("man /dev/null/below"), command()).unwrap_err();
        assert_eq!(failure.category(), Category::Files);
    }
}
