//! The integration tests of `carom-files`: one program with a module a file.

mod abandon;
