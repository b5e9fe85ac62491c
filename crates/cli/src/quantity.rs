//! Numbers on the command line: negative ones, and those with a unit, which no command accepts.

use std::any::TypeId;
use std::error::Error as _;
use std::num::ParseFloatError;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue};
use clap::{Arg, Command, Error};

/// Units that people write, with their size in SI units.
const UNITS: [(&str, f64, &str); 26] = [
    ("m", 1.0, "m"),
    ("cm", 1e-2, "m"),
    ("mm", 1e-3, "m"),
    ("um", 1e-6, "m"),
    ("µm", 1e-6, "m"),
    ("nm", 1e-9, "m"),
    ("km", 1e3, "m"),
    ("in", 0.0254, "m"),
    ("ft", 0.3048, "m"),
    ("s", 1.0, "s"),
    ("ms", 1e-3, "s"),
    ("us", 1e-6, "s"),
    ("µs", 1e-6, "s"),
    ("m/s", 1.0, "m/s"),
    ("mm/s", 1e-3, "m/s"),
    ("km/h", 1.0 / 3.6, "m/s"),
    ("Hz", 1.0, "Hz"),
    ("kHz", 1e3, "Hz"),
    ("MHz", 1e6, "Hz"),
    ("Pa", 1.0, "Pa"),
    ("kPa", 1e3, "Pa"),
    ("MPa", 1e6, "Pa"),
    ("GPa", 1e9, "Pa"),
    ("kg", 1.0, "kg"),
    ("g", 1e-3, "kg"),
    ("kg/m3", 1.0, "kg/m³"),
];

/// Lets every option with numeric values accept values that begin with a minus sign, in a command and its
/// subcommands, so that the check of the range can report them. clap takes such values for flags, `-2.5e-3`
/// even where negative numbers are allowed.
pub(crate) fn takes_negative_numbers(command: Command) -> Command {
    let numbers = [
        TypeId::of::<f64>(),
        TypeId::of::<[f64; 2]>(),
        TypeId::of::<[f64; 3]>(),
        TypeId::of::<usize>(),
        TypeId::of::<u8>(),
        TypeId::of::<u16>(),
        TypeId::of::<u32>(),
        TypeId::of::<u64>(),
    ];
    let takes_negative = |arg: Arg| {
        let value = arg.get_value_parser().type_id();
        let is_number = arg.get_action().takes_values() && numbers.iter().any(|number| value == *number);
        if is_number { arg.allow_hyphen_values(true) } else { arg }
    };
    command.mut_args(takes_negative).mut_subcommands(takes_negative_numbers)
}

/// Adds a tip to an error about a value that is not a plain number.
pub(crate) fn explain(error: &mut Error) {
    let is_number_wanted = error.source().is_some_and(|source| source.is::<ParseFloatError>());
    let Some(ContextValue::String(value)) = error.get(ContextKind::InvalidValue) else { return };
    let tip = match (with_unit(value), is_number_wanted) {
        (Some(tip), _) => tip,
        (None, true) => {
            "quantities are plain numbers in SI units, lengths in metres: 0.01 for 1 cm".to_owned()
        }
        (None, false) => return,
    };
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![StyledStr::from(tip)]));
}

/// A sentence that says how to write numbers with units, separated by commas; `None` for any other text.
fn with_unit(text: &str) -> Option<String> {
    let mut plain = Vec::new();
    let mut found = None;
    for part in text.split(',').map(str::trim) {
        if let Ok(number) = part.parse::<f64>() {
            plain.push(number.to_string());
            continue;
        }
        let start = part.find(|c: char| c.is_alphabetic() && !"eE".contains(c))?;
        let number: f64 = part[..start].trim().parse().ok()?;
        let (unit, factor, si) = UNITS.iter().find(|(unit, ..)| *unit == part[start..].trim())?;
        found.get_or_insert((*unit, *si));
        // Twelve digits, so that 0.1 cm is written 0.001 m instead of 0.0010000000000000002.
        plain.push(format!("{:.11e}", number * factor).parse::<f64>().ok()?.to_string());
    }
    let (unit, si) = found?;
    Some(format!("quantities are plain numbers in SI units: write {} ({si}, not {unit})", plain.join(",")))
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, FromArgMatches, Parser};

    use super::*;
    use crate::RunArgs;

    #[derive(Debug, Parser)]
    struct Refining {
        #[command(subcommand)]
        command: Refine,
    }

    #[derive(Debug, clap::Subcommand)]
    enum Refine {
        Near {
            file: std::path::PathBuf,
            #[arg(long)]
            radius: f64,
            #[command(flatten)]
            run: RunArgs,
        },
    }

    #[test]
    fn a_negative_number_is_a_value_and_not_a_flag() {
        let command = takes_negative_numbers(Refining::command());
        command.clone().debug_assert();
        for number in ["-1", "-2.5e-3", "-inf", "1"] {
            let matches =
                command.clone().try_get_matches_from(["refining", "near", "a.npz", "--radius", number, "-q"]);
            let Refining { command: Refine::Near { file, radius, run } } =
                Refining::from_arg_matches(&matches.unwrap()).unwrap();
            assert_eq!(Ok(radius), number.parse::<f64>());
            assert!(run.quiet && file.ends_with("a.npz"));
        }
        assert!(command.try_get_matches_from(["refining", "near", "a.npz", "--radius", "-q"]).is_err());
    }

    #[test]
    fn a_length_with_a_unit_gets_a_tip() {
        for (value, tip) in [("1cm", "write 0.01 (m, not cm)"), ("big", "lengths in metres: 0.01 for 1 cm")] {
            let arguments = ["refining", "near", "a.npz", "--radius", value];
            let mut error =
                takes_negative_numbers(Refining::command()).try_get_matches_from(arguments).unwrap_err();
            explain(&mut error);
            let message = error.to_string();
            assert!(message.contains(tip) && message.contains("--radius"), "{message}");
        }
    }

    #[test]
    fn a_number_with_a_unit_is_suggested_in_si() {
        for (text, tip) in [
            ("1cm", "write 0.01 (m, not cm)"),
            ("0.1 mm", "write 0.0001 (m, not mm)"),
            ("-2.5e-1in", "write -0.00635 (m, not in)"),
            ("210GPa", "write 210000000000 (Pa, not GPa)"),
            ("10mm,0.2,3mm", "write 0.01,0.2,0.003 (m, not mm)"),
        ] {
            let message = with_unit(text).unwrap_or_default();
            assert!(message.ends_with(tip), "{text}: {message}");
        }
        for text in ["", "abc", "1", "12 parsecs", "1e", "cm", "é1"] {
            assert_eq!(with_unit(text), None, "{text}");
        }
    }
}
