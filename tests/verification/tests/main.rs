//! The integration tests of `carom-verification`: one program with one module in each file.

mod bodies;
mod bumper;
mod long;
mod pages;
mod spinning_bar;
