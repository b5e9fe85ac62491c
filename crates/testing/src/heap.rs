//! Counts allocations on the heap.
//!
//! A test or benchmark counts its allocations with
//!
//! ```
//! # use carom_testing::heap;
//! #[global_allocator]
//! static ALLOCATOR: heap::Counting = heap::Counting;
//! ```
//!
//! Without these lines all counts stay at zero, and a test that reads them panics.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The system's allocator, counted.
#[derive(Debug)]
pub struct Counting;

static NOW: AtomicUsize = AtomicUsize::new(0);
static HIGHEST: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
    /// Bytes allocated less bytes freed by this thread; wraps if it frees the memory of another thread.
    static OWN: Cell<usize> = const { Cell::new(0) };
    static HIGHEST_OWN: Cell<usize> = const { Cell::new(0) };
}

fn taken(bytes: usize) {
    HIGHEST.fetch_max(NOW.fetch_add(bytes, Relaxed) + bytes, Relaxed);
    ALLOCATIONS.with(|count| count.set(count.get() + 1));
    OWN.with(|own| {
        own.set(own.get().wrapping_add(bytes));
        HIGHEST_OWN.with(|highest| highest.set(highest.get().max(own.get())));
    });
}

#[expect(
    unsafe_code,
    reason = "a global allocator is an unsafe trait; every call is passed on to the system's"
)]
// SAFETY: all methods forward their arguments unchanged to `System`, whose guarantees they inherit.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        taken(layout.size());
        // SAFETY: the caller's obligations are those of `System::alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        taken(layout.size());
        // SAFETY: the caller's obligations are those of `System::alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Relaxed);
        OWN.with(|own| own.set(own.get().wrapping_sub(layout.size())));
        // SAFETY: the pointer came from `System` above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// Number of allocations of this thread during a run.
///
/// # Panics
///
/// If [`Counting`] is not the global allocator.
pub fn allocations_during<R>(run: impl FnOnce() -> R) -> (R, u64) {
    check();
    let before = ALLOCATIONS.get();
    let out = run();
    (out, ALLOCATIONS.get() - before)
}

/// Largest number of additional bytes of all threads during a run, its result included.
///
/// # Panics
///
/// If [`Counting`] is not the global allocator.
pub fn highest_during<R>(run: impl FnOnce() -> R) -> (R, usize) {
    check();
    let before = NOW.load(Relaxed);
    HIGHEST.store(before, Relaxed);
    let out = run();
    (out, HIGHEST.load(Relaxed) - before)
}

/// The same for this thread alone.
///
/// # Panics
///
/// If [`Counting`] is not the global allocator.
pub fn highest_of_this_thread<R>(run: impl FnOnce() -> R) -> (R, usize) {
    check();
    let before = OWN.get();
    HIGHEST_OWN.set(before);
    let out = run();
    (out, HIGHEST_OWN.get() - before)
}

fn check() {
    let before = ALLOCATIONS.get();
    drop(std::hint::black_box(Box::new(0_u8)));
    assert!(ALLOCATIONS.get() > before, "`heap::Counting` must be the global allocator");
}
