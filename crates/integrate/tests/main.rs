//! The integration tests of `carom-integrate`: one program with one module in each file.

use carom_testing::heap;

mod allocation;
mod alpha;
mod control;
mod exponential;
mod implicit;
mod in_use;
mod orders;
mod pendulum;
mod radau;
mod steps;

/// Counts allocations of each thread separately, so that parallel tests do not disturb each other.
#[global_allocator]
static ALLOCATOR: heap::Counting = heap::Counting;
