//! The integration tests of `carom-format`: one program with one module in each file.

use carom_testing::heap;

mod archives;
mod couplings;
mod fields;
mod functions;
mod parameters;
mod patterns;
mod probes;
mod problems;
mod results;
mod scenarios;
mod sid;

/// Counts allocations of each thread separately, so that parallel tests do not disturb each other.
#[global_allocator]
static ALLOCATOR: heap::Counting = heap::Counting;
