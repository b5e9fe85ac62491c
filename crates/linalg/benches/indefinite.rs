//! Analyse, factorise and solve saddle-point systems of 10 000 and 100 000 rows by LDLᵀ and by LU.

#[allow(dead_code, reason = "the benchmark uses a part")]
#[path = "../tests/lattice/mod.rs"]
mod lattice;
#[allow(dead_code, reason = "the benchmark uses a part")]
#[path = "../tests/saddle/mod.rs"]
mod saddle;

use std::hint::black_box;

use carom_linalg::sparse::{SparseLdlt, SparseLu};
use criterion::{Criterion, criterion_group, criterion_main};
use faer::Mat;

fn indefinite(criterion: &mut Criterion) {
    for (side, n_multipliers) in [(14, 1300), (31, 10_627)] {
        let a = saddle::matrix(side, n_multipliers, 1e11);
        let n = a.n();
        let mut ldlt = SparseLdlt::analyse(&a).expect("the pattern can be ordered");
        ldlt.factorise(&a).expect("a body that is held by independent constraints");
        println!("{n} rows, {n_multipliers} multipliers: growth {:.1e}", ldlt.growth());
        let right = |n_cols| Mat::from_fn(n, n_cols, |i, j| ((7 * i + 13 * j) % 11) as f64);
        let mut group = criterion.benchmark_group(format!("{n} rows"));
        group.sample_size(10);
        group
            .bench_function("LDLᵀ, analyse", |bencher| bencher.iter(|| SparseLdlt::analyse(black_box(&a))));
        group.bench_function("LDLᵀ, factorise", |bencher| bencher.iter(|| ldlt.factorise(black_box(&a))));
        for n_cols in [1, 32] {
            let mut x = right(n_cols);
            group.bench_function(format!("LDLᵀ, solve {n_cols}"), |bencher| {
                bencher.iter(|| {
                    x.copy_from(right(n_cols));
                    ldlt.solve_in_place(x.as_mut())
                });
            });
        }
        if std::env::var_os("CAROM_BENCH_LU").is_none() && n > 20_000 {
            println!("LU of {n} rows takes minutes: set CAROM_BENCH_LU");
            continue;
        }
        let mut lu = SparseLu::analyse_symmetric(&a).expect("the pattern can be ordered");
        group.bench_function("LU, analyse", |bencher| bencher.iter(|| SparseLu::analyse_symmetric(&a)));
        group.bench_function("LU, factorise", |bencher| {
            bencher.iter(|| lu.factorise_symmetric(black_box(&a)).expect("it is not singular"));
        });
        let mut x = right(1);
        group.bench_function("LU, solve 1", |bencher| {
            bencher.iter(|| {
                x.copy_from(right(1));
                lu.solve_in_place(x.as_mut())
            });
        });
        group.finish();
    }
}

criterion_group!(benches, indefinite);
criterion_main!(benches);
