//! The integration tests of `carom-integrate`: one program with a module a file.

use carom_testing::heap;

mod allocation;
mod alpha;
mod control;
mod implicit;
mod orders;
mod pendulum;
mod radau;

/// Counts for each thread on its own: the tests beside one another do not disturb it.
#[global_allocator]
static ALLOCATOR: heap::Counting = heap::Counting;
