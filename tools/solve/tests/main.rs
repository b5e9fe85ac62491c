//! The integration tests of `carom-tool-solve`: one program with a module a file.

mod gallery;
mod lcp;
mod page;
mod statics;
mod stops;
mod strict;
mod tables;
