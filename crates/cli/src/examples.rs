//! Examples at the end of each `--help`, and a check that each one is a valid call.

use clap::Command;

use crate::quantity::takes_negative_numbers;

/// The line above the examples.
pub const HEADING: &str = "Examples:\n";

/// Largest number of examples of one command.
const MOST: usize = 3;
/// Largest number of characters in a line that no terminal breaks.
const WIDEST: usize = 80;

/// The examples of a command, one per line.
pub fn examples(command: &Command) -> Vec<String> {
    let after = command.get_after_long_help().or_else(|| command.get_after_help());
    let after = after.map(ToString::to_string).unwrap_or_default();
    let Some((_, examples)) = after.rsplit_once(HEADING) else { return Vec::new() };
    examples.lines().map(|line| line.trim().to_owned()).collect()
}

/// Checks that the help of a program and of each of its commands ends with one to three examples, and that
/// each example is a valid call, its values included.
///
/// * `program` — the command as [`main_with`](crate::main_with) receives it: numbers may be negative
///
/// # Errors
///
/// A sentence about the first command with too few or too many examples, or about the first invalid example.
pub fn check(program: &Command) -> Result<(), String> {
    let program = takes_negative_numbers(program.clone());
    check_command(&program, &program, &[program.get_name().to_owned()])
}

fn check_command(program: &Command, command: &Command, path: &[String]) -> Result<(), String> {
    let name = path.join(" ");
    let examples = examples(command);
    if !(1..=MOST).contains(&examples.len()) {
        return Err(format!("`{name} --help` ends with {} examples; it needs 1 to {MOST}", examples.len()));
    }
    for example in examples {
        let words: Vec<&str> = example.split_whitespace().collect();
        if !words.iter().zip(path).all(|(word, due)| word == due) || words.len() < path.len() {
            return Err(format!("`{name} --help`: `{example}` is not a call of this command"));
        }
        if example.chars().count() + 2 > WIDEST {
            return Err(format!("`{name} --help`: `{example}` is longer than a line"));
        }
        if let Err(error) = program.clone().try_get_matches_from(&words) {
            return Err(format!("`{name} --help`: `{example}` is invalid: {error}"));
        }
    }
    for inner in command.get_subcommands().filter(|inner| !inner.is_hide_set()) {
        let path = [path, &[inner.get_name().to_owned()]].concat();
        check_command(program, inner, &path)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use clap::{Arg, value_parser};

    use super::*;

    /// A program whose one command has these words as its only example.
    fn program(example: &str) -> Command {
        let radius = Arg::new("radius").long("radius").value_parser(value_parser!(f64));
        let make =
            Command::new("make").arg(radius).after_help(format!("Sets: all\n\nExamples:\n  {example}"));
        Command::new("carom-test").subcommand(make).after_help("Examples:\n  carom-test make\n")
    }

    #[test]
    fn an_invalid_example_is_found() {
        assert_eq!(check(&program("carom-test make --radius -1e-3")), Ok(()));
        for (example, expected) in [
            ("carom-test make --radius big", "is invalid"),
            ("carom-test make --diameter 1", "is invalid"),
            ("carom-test --version", "is not a call of this command"),
            ("carom-mesh make --radius 1", "is not a call of this command"),
            (&*format!("carom-test make --radius 1{}", "0".repeat(80)), "is longer than a line"),
        ] {
            let message = check(&program(example)).unwrap_err();
            assert!(message.contains(expected) && message.contains(example), "{message}");
        }
    }

    #[test]
    fn a_command_without_examples_is_found() {
        let program = program("carom-test make --radius 1").subcommand(Command::new("info"));
        assert_eq!(
            check(&program).unwrap_err(),
            "`carom-test info --help` ends with 0 examples; it needs 1 to 3"
        );
        let message =
            check(&Command::new("a").after_help("Examples:\n  a 1\n  a 2\n  a 3\n  a 4")).unwrap_err();
        assert!(message.contains("4 examples"), "{message}");
    }
}
