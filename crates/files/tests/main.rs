//! The integration tests of `carom-files`: one program with one module in each file.

mod abandon;
