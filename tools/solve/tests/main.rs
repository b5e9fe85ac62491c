//! The integration tests of `carom-tool-solve`: one program with a module a file.

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

/// Counts for each thread on its own: the tests beside one another do not disturb it.
#[global_allocator]
static ALLOCATOR: heap::Counting = heap::Counting;
