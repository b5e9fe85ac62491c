//! Times of ordering, factorisation and solution for a lattice like a tet10 mesh and one like a spline of
//! degree 4.

#[allow(dead_code, reason = "the benchmark uses a part")]
#[path = "../tests/lattice/mod.rs"]
mod lattice;

use std::hint::black_box;

use carom_linalg::{Cholesky, DofSet, Symbolic};
use carom_progress::Silent;
use criterion::{Criterion, criterion_group, criterion_main};
use faer::Mat;

fn factorisation(criterion: &mut Criterion) {
    for (name, n, reach) in [("24³ nodes, reach 1", [24; 3], 1), ("14³ nodes, reach 4", [14; 3], 4)] {
        let graph = lattice::graph(n, reach);
        let (k, m) = (lattice::springs(n, &graph), lattice::mass(&graph));
        let free = DofSet::all(graph.n_nodes());
        let symbolic = Symbolic::new(&graph, free.clone()).expect("a lattice can be ordered");
        println!(
            "{name}: {:.3e} operations, {:.3e} entries",
            symbolic.flops(),
            symbolic.factor_nonzeros() as f64
        );
        let shifted = Some((&m, 0.1));
        let factor = Cholesky::with_symbolic(symbolic.clone(), &k, shifted, &Silent)
            .expect("springs and a mass are positive definite");
        let mut group = criterion.benchmark_group(name);
        group.sample_size(10);
        group.bench_function("order and structure", |bencher| {
            bencher.iter(|| Symbolic::new(black_box(&graph), free.clone()));
        });
        group.bench_function("factor", |bencher| {
            bencher.iter(|| Cholesky::with_symbolic(symbolic.clone(), black_box(&k), shifted, &Silent));
        });
        for n_cols in [1, 64] {
            let mut x = Mat::from_fn(3 * graph.n_nodes(), n_cols, |i, j| ((7 * i + 13 * j) % 11) as f64);
            group.bench_function(format!("solve {n_cols}"), |bencher| {
                bencher.iter(|| factor.solve_in_place(black_box(x.as_mut())));
            });
        }
        group.finish();
    }
}

criterion_group!(benches, factorisation);
criterion_main!(benches);
