//! Seconds of complementarity solvers.
use criterion::{Criterion, criterion_group, criterion_main};
fn bench(_: &mut Criterion) {}
criterion_group!(benches, bench);
criterion_main!(benches);
