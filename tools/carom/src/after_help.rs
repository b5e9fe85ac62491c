//! The ends of the help texts.

pub(crate) const CAROM: &str = "\
Examples:
  carom new tap
  carom run tap.toml
  carom doctor";

pub(crate) const RUN: &str = "\
Examples:
  carom run tap.toml
  carom run tap.toml -o out/3 --params speeds.csv --row 3 --bodies out/bodies
  carom run tap.toml -o out/all --cells all --fields velocity,stress";

pub(crate) const REFINE: &str = "\
Examples:
  carom refine tap.toml
  carom refine tap.toml --set simulation.accuracy=0.01";

pub(crate) const CHECK: &str = "\
Examples:
  carom check tap.toml
  carom check tap.toml --explain
  carom check tap.toml --set simulation.relative_tolerance=1e-8 --json";

pub(crate) const NEW: &str = "\
Examples:
  carom new tap
  carom new impact --part bracket.step";

pub(crate) const DOCTOR: &str = "\
Examples:
  carom doctor
  carom doctor --json";

pub(crate) const COMPLETIONS: &str = "\
Examples:
  carom completions bash -o ~/.local/share/bash-completion/completions
  carom completions zsh -o ~/.zfunc
  carom completions fish -o ~/.config/fish/completions";

pub(crate) const MAN: &str = "\
Examples:
  carom man -o ~/.local/share/man/man1";
