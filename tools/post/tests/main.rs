//! The integration tests of `carom-post`: one program with a module a file.

mod commands;
mod result;
mod statics;
