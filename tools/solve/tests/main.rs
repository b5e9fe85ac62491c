//! The integration tests of `carom-tool-solve`: one program with one module in each file.

use carom_testing::heap;

mod command_line;
mod damaged;
mod gallery;
mod lcp;
mod page;
mod statics;
mod stops;
mod strict;
mod summary;
mod tables;

/// Counts allocations of each thread separately, so that parallel tests do not disturb each other.
#[global_allocator]
static ALLOCATOR: heap::Counting = heap::Counting;
