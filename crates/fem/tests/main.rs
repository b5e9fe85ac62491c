//! The integration tests of `carom-fem`: one program with a module a file.

use carom_testing::heap;

mod allocation;
mod assembly;
mod bodies;
mod frequencies;
mod hierarchy;
mod nurbs_files;
mod properties;
mod recovery;
mod spline_assembly;
mod statics;
mod surfaces;

/// Counts for each thread on its own: the tests beside one another do not disturb it.
#[global_allocator]
static ALLOCATOR: heap::Counting = heap::Counting;
