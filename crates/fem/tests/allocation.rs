//! Assembly allocates for patches and piles of cells, not for cells.

mod bodies;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use carom_fem::{Discretisation, QuadratureRule, assemble};
use carom_progress::Silent;

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

#[expect(
    unsafe_code,
    reason = "a global allocator is an unsafe trait; every call is passed on to the system's"
)]
// SAFETY: all methods forward their arguments unchanged to `System`, whose guarantees they inherit.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller's obligations are those of `System::alloc`.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the pointer came from `System::alloc` above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations(n: usize) -> u64 {
    let discretisation = Discretisation::new(&bodies::quarter_ring(2, n)).unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        let before = ALLOCATIONS.with(Cell::get);
        assemble(&discretisation, QuadratureRule::Default, &Silent).unwrap();
        ALLOCATIONS.with(Cell::get) - before
    })
}

#[test]
fn seven_times_the_cells_take_hardly_more_allocations() {
    let (few, many) = (allocations(8), allocations(16));
    // 512 and 4096 cells. What grows are lists by knot and by 256 columns of the sparsity pattern.
    assert!(many < few + 512, "{few} and {many} allocations");
}
