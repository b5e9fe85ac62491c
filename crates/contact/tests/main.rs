//! The integration tests of `carom-contact`: one program with a module a file.

use carom_testing::heap;

mod complementarity_takes_nothing_from_the_heap;
mod rows_take_nothing_from_the_heap;

/// Counts for each thread on its own: the tests beside one another do not disturb it.
#[global_allocator]
static ALLOCATOR: heap::Counting = heap::Counting;
