//! Seconds of an internal force and of a tangent product, for several kinds of cells.
//!
//! The names of the benchmarks contain the numbers of cells and dofs.

#[allow(dead_code, reason = "the benchmark uses a part")]
#[path = "../tests/bodies/mod.rs"]
mod bodies;

use std::hint::black_box;

use carom_fem::constitutive::{ElasticModuli, Law, NeoHookean, SaintVenantKirchhoff};
use carom_fem::internal_force::{InternalForce, PointRule, TangentAssembly};
use carom_fem::{Body, Discretisation};
use carom_mesh::CellShape;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

fn internal_force(criterion: &mut Criterion) {
    let mesh = |shape, n| bodies::block(shape, n, |x| bodies::distort(x, 0.01));
    let cases: [(&str, Body, PointRule); 9] = [
        ("hex8 full", mesh(CellShape::Hex8, 20), PointRule::default()),
        ("hex8 one point", mesh(CellShape::Hex8, 20), PointRule::Centre),
        ("tet4", mesh(CellShape::Tet4, 12), PointRule::default()),
        ("tet10", mesh(CellShape::Tet10, 8), PointRule::default()),
        ("hex20", mesh(CellShape::Hex20, 8), PointRule::default()),
        ("NURBS p = 2", bodies::quarter_ring(2, 14), PointRule::default()),
        ("NURBS p = 3", bodies::quarter_ring(3, 10), PointRule::default()),
        ("NURBS p = 4", bodies::quarter_ring(4, 6), PointRule::default()),
        ("NURBS p = 5", bodies::quarter_ring(5, 4), PointRule::default()),
    ];
    for (name, body, rule) in cases {
        let moduli = ElasticModuli::of(&body.materials[0]);
        let discretisation = Discretisation::new(&body).expect("the body is sound");
        let neo_hookean = NeoHookean::new(moduli).expect("steel has a positive Poisson ratio");
        one_case(criterion, name, &discretisation, rule, &[SaintVenantKirchhoff::new(moduli)]);
        one_case(criterion, name, &discretisation, rule, &[neo_hookean]);
    }
}

fn one_case<L: Law>(criterion: &mut Criterion, name: &str, d: &Discretisation, rule: PointRule, laws: &[L]) {
    let mut internal = InternalForce::new(d, rule).expect("the cells are sound");
    let mut history = internal.history(laws);
    let u: Vec<f64> =
        d.points.iter().flat_map(|x| [0.1 * x[1], 0.02 * x[0] * x[2], 0.05 * x[1] * x[1]]).collect();
    let mut force = vec![0.0; u.len()];
    let sizes = format!("{} cells, {} dof", d.n_cells(), d.n_dofs());
    let mut group = criterion.benchmark_group(format!("{name}, {}, {sizes}", laws[0].name()));
    group.sample_size(10);
    group.warm_up_time(std::time::Duration::from_millis(500));
    group.measurement_time(std::time::Duration::from_secs(2));
    // Rates are in quadrature points per second.
    group.throughput(Throughput::Elements(internal.n_quadrature_points() as u64));
    group.bench_function("force", |bencher| {
        bencher.iter(|| internal.force(laws, black_box(&u), &mut history, &mut force).is_ok());
    });
    if rule == PointRule::default() {
        group.bench_function("product", |bencher| {
            bencher
                .iter(|| internal.tangent_product(laws, black_box(&u), &mut history, &u, &mut force).is_ok());
        });
        let mut assembly = TangentAssembly::new(d, &internal).expect("points can be numbered");
        let mut matrix = assembly.matrix();
        group.bench_function("matrix", |bencher| {
            bencher.iter(|| {
                assembly.assemble(&mut internal, laws, black_box(&u), &history, &mut matrix).is_ok()
            });
        });
    }
    group.finish();
}

criterion_group!(benches, internal_force);
criterion_main!(benches);
