//! Cost of steps: a rod in a cube, mostly in flight; a gas of balls; stacks of blocks at rest, four
//! contacts for each storey.
//!
//! ```text
//! cargo bench -p carom-rigid                   # all
//! cargo bench -p carom-rigid -- stack          # one
//! ```
//!
//! One thread. An iteration is a batch of steps; the elements of the throughput are steps.

#[allow(dead_code, reason = "the benchmark uses a part")]
#[path = "../tests/problems/mod.rs"]
mod problems;

use std::hint::black_box;

use carom_rigid::{Law, System};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use problems::{ROD_VELOCITY, crowd, gas, rod_in_cube, stack};

/// Steps of one system, so many in a batch.
fn steps(c: &mut Criterion, group: &str, name: impl std::fmt::Display, mut system: System, batch: u64) {
    let mut group = c.benchmark_group(group);
    group.sample_size(10).throughput(Throughput::Elements(batch));
    group.bench_function(BenchmarkId::from_parameter(name), |b| {
        b.iter(|| {
            for _ in 0..batch {
                black_box(&mut system).step().expect("a step");
            }
        });
    });
    group.finish();
}

fn all(c: &mut Criterion) {
    let springs = Law::per_point(1e3);
    steps(c, "rod in cube", "multipliers", rod_in_cube(ROD_VELOCITY, Law::Hard, 1e-6), 100_000);
    steps(c, "rod in cube", "springs", rod_in_cube(ROD_VELOCITY, springs, 1e-6), 100_000);
    steps(c, "gas of 12 balls", "multipliers", gas(Law::Hard, 2e-3), 1000);
    for balls in [10, 100, 1000] {
        steps(c, "crowd of balls", balls, crowd(balls, 1e-3), 1000);
        let mut group = c.benchmark_group("crowd of balls, prepared");
        group.sample_size(10);
        group.bench_function(BenchmarkId::from_parameter(balls), |b| b.iter(|| crowd(balls, 1e-3)));
        group.finish();
    }
    for storeys in [1, 4, 16] {
        steps(c, "stack", storeys, stack(storeys, 0.0), 10);
        steps(c, "stack with friction", storeys, stack(storeys, 0.4), 10);
    }
}

criterion_group!(benches, all);
criterion_main!(benches);
