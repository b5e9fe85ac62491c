//! The cost of a step of loose bodies that touch each other all at once, as a function of their number: balls
//! in a tub, without friction as they lie, and with a friction of 0.3 as they fall and then settle.
//!
//! ```text
//! cargo bench -p carom-rigid --bench heap                 # up to 300 balls, minutes
//! cargo bench -p carom-rigid --bench heap -- 30           # up to 30
//! ```
//!
//! One thread, CPU time.

#[allow(dead_code, reason = "the benchmark uses a part")]
#[path = "../tests/problems/mod.rs"]
mod problems;

use carom_testing::clock::thread_seconds;
use problems::heap;

/// Until the heap lies, and then.
const STEPS: [u64; 2] = [1000, 50];

fn main() {
    let most = std::env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(300);
    println!("| friction | balls | contacts | falling [ms] | settling [ms] | divided steps |");
    println!("|---|---|---|---|---|---|");
    for friction in [0.0, 0.3] {
        for n in [10, 30, 100, 300].into_iter().filter(|n| *n <= most) {
            let (contacts, [falling, settling], divided) = measure(n, friction);
            println!("| {friction} | {n} | {contacts} | {falling:.3} | {settling:.3} | {divided} |");
        }
    }
}

/// Contacts at the end, milliseconds of a step until the heap lies and after, and steps that were divided.
fn measure(n: usize, friction: f64) -> (usize, [f64; 2], u64) {
    let mut balls = heap(n, friction);
    let mut timed = |steps: u64| {
        let start = thread_seconds();
        (0..steps).for_each(|_| balls.step().expect("a step"));
        1e3 * (thread_seconds() - start) / steps as f64
    };
    let times = STEPS.map(&mut timed);
    (balls.touching_pairs().count(), times, balls.n_divided())
}
