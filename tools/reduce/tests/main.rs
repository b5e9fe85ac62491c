//! The integration tests of `carom-tool-reduce`: one program with one module in each file.

mod bar;
mod commands;
mod compliance;
mod exchange;
mod foreign_matrices;
mod interior;
mod interruption;
mod other_codes;
mod places;
mod program;
mod variants;
