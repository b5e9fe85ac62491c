//! The integration tests of `carom-verification`: one program with a module a file.

mod bodies;
mod long;
mod pages;
