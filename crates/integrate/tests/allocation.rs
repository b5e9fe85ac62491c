//! A step allocates nothing.

use carom_integrate::{Method, Ode, RungeKutta, Tolerances};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::convert::Infallible;

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

struct Oscillator;

impl Ode for Oscillator {
    type Error = Infallible;
    fn dim(&self) -> usize {
        2
    }
    fn rate(&mut self, _: f64, y: &[f64], rate: &mut [f64]) -> Result<(), Infallible> {
        rate.copy_from_slice(&[y[1], -y[0]]);
        Ok(())
    }
}

#[test]
fn steps_and_dense_output_allocate_nothing() {
    for method in [Method::DormandPrince5, Method::Dop853] {
        let mut pair = RungeKutta::new(method, Tolerances::uniform(1e-8, 1e-8, 2));
        let (mut t, mut y, mut out) = (0.0, [1.0, 0.0], [0.0; 2]);
        let before = ALLOCATIONS.with(Cell::get);
        for _ in 0..200 {
            let attempt = pair.attempt(&mut Oscillator, t, &y, f64::MAX).unwrap();
            pair.prepare_dense(&mut Oscillator).unwrap();
            pair.interpolate(attempt.start + 0.3 * attempt.step(), &mut out);
            t = pair.accept(&mut y);
        }
        assert_eq!(ALLOCATIONS.with(Cell::get) - before, 0, "{method:?}");
    }
}
