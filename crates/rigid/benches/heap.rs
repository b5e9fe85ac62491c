//! The cost of a step of loose bodies that touch each other all at once, as a function of their number: balls
//! without friction at rest in a tub.
//!
//! ```text
//! cargo bench -p carom-rigid --bench heap                 # up to 300 balls
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
    println!("| balls | contacts | step [ms] |\n|---|---|---|");
    for n in [10, 30, 100, 300].into_iter().filter(|n| *n <= most) {
        let (contacts, lying) = measure(n);
        println!("| {n} | {contacts} | {lying:.3} |");
    }
}

/// Contacts at the end, and milliseconds of a step.
fn measure(n: usize) -> (usize, f64) {
    let mut balls = heap(n, 0.0);
    let mut timed = |steps: u64| {
        let start = thread_seconds();
        (0..steps).for_each(|_| balls.step().expect("a step"));
        1e3 * (thread_seconds() - start) / steps as f64
    };
    let [_, lying] = STEPS.map(&mut timed);
    (balls.touching_pairs().count(), lying)
}
