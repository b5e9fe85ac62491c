//! Bytes on the heap.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

struct Counting;

static NOW: AtomicUsize = AtomicUsize::new(0);
static HIGHEST: AtomicUsize = AtomicUsize::new(0);

#[expect(
    unsafe_code,
    reason = "a global allocator is an unsafe trait; every call is passed on to the system's"
)]
// SAFETY: all methods forward their arguments unchanged to `System`, whose guarantees they inherit.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = NOW.fetch_add(layout.size(), Relaxed) + layout.size();
        HIGHEST.fetch_max(now, Relaxed);
        // SAFETY: the caller's obligations are those of `System::alloc`.
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let now = NOW.fetch_add(layout.size(), Relaxed) + layout.size();
        HIGHEST.fetch_max(now, Relaxed);
        // SAFETY: the caller's obligations are those of `System::alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the pointer came from `System` above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Runs something and says how much memory it had at most beyond what there was before, its result included.
pub(crate) fn highest_during<R>(run: impl FnOnce() -> R) -> (R, usize) {
    let before = NOW.load(Relaxed);
    HIGHEST.store(before, Relaxed);
    let out = run();
    (out, HIGHEST.load(Relaxed) - before)
}
