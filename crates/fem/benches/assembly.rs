//! Assembly of stiffness and mass: NURBS of several degrees and tet10.

#[allow(dead_code, reason = "the benchmark uses a part")]
#[path = "../tests/bodies/mod.rs"]
mod bodies;

use std::hint::black_box;

use carom_fem::{Discretisation, QuadratureRule, assemble};
use carom_mesh::CellShape;
use carom_progress::Silent;
use criterion::{Criterion, criterion_group, criterion_main};

fn assembly(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("assembly");
    group.sample_size(10);
    let bodies = [
        ("quarter ring p = 2, 16³ spans", bodies::quarter_ring(2, 16)),
        ("quarter ring p = 3, 16³ spans", bodies::quarter_ring(3, 16)),
        ("quarter ring p = 4, 8³ spans", bodies::quarter_ring(4, 8)),
        ("tet10, 10 368 cells", bodies::block(CellShape::Tet10, 12, |x| bodies::distort(x, 0.01))),
    ];
    for (name, body) in bodies {
        let discretisation = Discretisation::new(&body).expect("the body is sound");
        group.bench_function(name, |bencher| {
            bencher.iter(|| assemble(black_box(&discretisation), QuadratureRule::Default, &Silent));
        });
    }
    group.finish();
}

criterion_group!(benches, assembly);
criterion_main!(benches);
