//! The integration tests of `carom-contact`: one program with one module in each file.

use carom_testing::heap;

mod complementarity_takes_nothing_from_the_heap;
mod rows_take_nothing_from_the_heap;

/// A counter for each thread, so that tests in parallel do not disturb each other.
#[global_allocator]
static ALLOCATOR: heap::Counting = heap::Counting;
