//! The allocations of the assembly depend on patches and batches of cells, not on cells.

use crate::bodies;
use carom_fem::{Discretisation, QuadratureRule, assemble};
use carom_progress::Silent;
use carom_testing::heap;

fn allocations(n: usize) -> u64 {
    let discretisation = Discretisation::new(&bodies::quarter_ring(2, n)).unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let run = || assemble(&discretisation, QuadratureRule::Default, &Silent).unwrap();
    pool.install(|| heap::allocations_during(run).1)
}

#[test]
fn eight_times_the_cells_need_hardly_more_allocations() {
    let (few, many) = (allocations(8), allocations(16));
    // 512 and 4096 cells. Only lists by knot and by 256 columns of the sparsity pattern grow.
    assert!(many < few + 512, "{few} and {many} allocations");
}
