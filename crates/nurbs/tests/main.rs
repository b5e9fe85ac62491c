//! The integration tests of `carom-nurbs`: one program with one module in each file.

use carom_testing::heap;

mod bezier;
mod boxes;
mod coarsening;
mod damaged;
mod files;
mod formats;
mod gluing;
mod grading;
mod hierarchy;
mod mfem_elements;
mod solids;
mod writers;

/// Counts allocations of each thread separately, so that parallel tests do not disturb each other.
#[global_allocator]
static ALLOCATOR: heap::Counting = heap::Counting;
