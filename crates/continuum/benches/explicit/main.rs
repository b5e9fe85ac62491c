//! The cost of explicit steps of whole bodies; `benches/README.md` lists the figures.
//!
//! ```text
//! cargo bench -p carom-continuum --bench explicit                  # everything
//! cargo bench -p carom-continuum --bench explicit -- kinds         # elements of each kind
//! cargo bench -p carom-continuum --bench explicit -- growth        # 1e3 to 1e6 elements
//! cargo bench -p carom-continuum --bench explicit -- threads       # seconds on the wall, and equal bits
//! cargo bench -p carom-continuum --bench explicit -- contact       # the share of the contact
//! cargo bench -p carom-continuum --bench explicit -- calculix 24   # the body of in_calculix.py
//! ```
//!
//! A step is a whole step of [`Simulation`]: forces, velocities, contact, sums of the balance, positions.
//! Times are CPU seconds of one thread, the least of several turns, without the critical step, which has a
//! column of its own. The bound of a kind is the larger of two times: its operations at the speed of a dense
//! product, and its bytes at the speed of a triad of long vectors, both measured in the same run.

mod contact;
mod cost;
mod kinds;
mod machine;
mod problems;
mod steps;

#[allow(dead_code, reason = "the benchmark uses a part")]
#[path = "../../../fem/tests/bodies/mod.rs"]
mod bodies;

use rayon::{ThreadPool, ThreadPoolBuilder};

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let wants = |name: &str| words.iter().all(|word| word.parse::<usize>().is_ok() || word == name);
    let wants_only = |name: &str| words.iter().any(|word| word == name);
    let one = pool(1);
    if wants("kinds") {
        one.install(|| kinds::kinds(&machine::Machine::measured()));
    }
    if wants("growth") {
        one.install(kinds::growth);
    }
    if wants("contact") {
        one.install(contact::share);
    }
    if wants("threads") {
        kinds::threads();
    }
    if wants_only("calculix") {
        let n = words.iter().find_map(|word| word.parse().ok()).unwrap_or(24);
        one.install(|| kinds::beside_calculix(n));
    }
}

/// Threads that compute a run.
fn pool(n_threads: usize) -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(n_threads).build().expect("the machine has threads")
}
