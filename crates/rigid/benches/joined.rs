//! The cost of a step of joined bodies as a function of their number: chains of rods on hinges that fall on
//! the floor, with one contact for each rod.
//!
//! ```text
//! cargo bench -p carom-rigid --bench joined                 # up to 300 rods
//! cargo bench -p carom-rigid --bench joined -- 30           # up to 30
//! ```
//!
//! One thread, CPU time. In flight no contact acts; the chain then lies on the floor, and all of them do.

#[allow(dead_code, reason = "the benchmark uses a part")]
#[path = "../tests/problems/mod.rs"]
mod problems;

use carom_testing::clock::thread_seconds;
use problems::falling_chain;

/// 1 ms.
const STEP: f64 = 1e-3;
/// In flight, until the chain lies, and on the floor.
const STEPS: [u64; 3] = [20, 200, 20];
/// Chains of few rods are repeated to about this number of rods.
const RODS: usize = 600;

fn main() {
    let most = std::env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(300);
    println!("| rods | flight [ms] | lying [ms] | lying with friction [ms] |\n|---|---|---|---|");
    for n in [10, 30, 100, 300].into_iter().filter(|n| *n <= most) {
        let [flight, lying] = measure(n, 0.0);
        let [_, rough] = measure(n, 0.3);
        println!("| {n} | {flight:.3} | {lying:.3} | {rough:.3} |");
    }
}

/// Milliseconds of a step in flight, and of a step with all contacts.
fn measure(n: usize, friction: f64) -> [f64; 2] {
    let mut chains: Vec<_> = (0..RODS.div_ceil(n)).map(|_| falling_chain(n, friction, STEP)).collect();
    let mut timed = |steps: u64| {
        let start = thread_seconds();
        chains.iter_mut().for_each(|chain| (0..steps).for_each(|_| chain.step().expect("a step")));
        1e3 * (thread_seconds() - start) / (steps * chains.len() as u64) as f64
    };
    let [flight, _, lying] = STEPS.map(&mut timed);
    assert!(chains[0].touching_pairs().count() >= n * 9 / 10, "the chain lies on the floor");
    [flight, lying]
}
