//! The integration tests of `carom-format`: one program with a module a file.

mod archives;
mod functions;
mod problems;
mod results;
mod scenarios;
mod sid;
