//! The integration tests of `carom-post`: one program with one module in each file.

mod below;
mod commands;
mod exports;
mod grids;
mod result;
mod statics;
mod stress_over_run;
mod structures;
