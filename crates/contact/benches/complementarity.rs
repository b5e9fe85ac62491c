//! Seconds of the complementarity solvers on families of growing size.
//!
//! ```text
//! cargo bench -p carom-contact --bench complementarity                      # all
//! cargo bench -p carom-contact --bench complementarity -- delassus/500      # one family and size
//! ```
//!
//! The times are of one thread from cold starts, with memory allocated by an earlier solve, and include the
//! check of the residual. Each method runs once before the timing: a method that does not solve the problem
//! is reported on standard error and left out.
//!
//! * `delassus` — Hᵀ M⁻¹ H of n contacts between n/2 bodies of six degrees of freedom, q normally distributed
//! * `randP` — non-symmetric, positive definite, with a planted solution
//! * `obstacle` — second difference, stored sparse, under a wave of load
//! * `membrane` — five-point Laplacian of a square, stored sparse, under a wave of load: shows the growth of
//!   the cost of sparse problems
//! * `fathi` — L Lᵀ with L_ii = 1, L_ij = 2 below: positive definite, exponentially many pivots for some
//!   rules

use std::hint::black_box;
use std::time::Duration;

use carom_contact::solver::{Dense, LcpMethod, LcpSolver, Operator, Sparse};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};

const SIZES: [usize; 5] = [50, 200, 500, 1000, 2000];
const METHODS: [(&str, Option<LcpMethod>); 5] = [
    ("auto", None),
    ("active-set", Some(LcpMethod::ActiveSet)),
    ("lemke", Some(LcpMethod::Lemke)),
    ("cg", Some(LcpMethod::ConjugateGradients)),
    ("pgs", Some(LcpMethod::GaussSeidel)),
];

/// Reproducible random numbers (SplitMix64).
struct Random(u64);

impl Random {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / 2f64.powi(53)
    }

    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

fn dense(n: usize, entry: impl Fn(usize, usize) -> f64) -> Dense {
    Dense::new(n, (0..n * n).map(|k| entry(k / n, k % n)).collect()).expect("entries are finite")
}

fn delassus(n: usize) -> (Dense, Vec<f64>) {
    let mut random = Random(7 + n as u64);
    let bodies = (n / 2).max(2);
    let masses: Vec<f64> = (0..bodies).map(|_| 0.5 + 1.5 * random.uniform()).collect();
    // For each contact: its two bodies and the six components of H on each.
    let contacts: Vec<[(usize, [f64; 6]); 2]> = (0..n)
        .map(|_| {
            let a = (random.uniform() * bodies as f64) as usize;
            let b = (a + 1 + (random.uniform() * (bodies - 1) as f64) as usize) % bodies;
            let d = [random.normal(), random.normal(), random.normal()];
            let length = d.iter().map(|x| x * x).sum::<f64>().sqrt();
            [(1.0, a), (-1.0, b)].map(|(sign, body)| {
                let d = d.map(|x| sign * x / length);
                let r = [random.normal(), random.normal(), random.normal()];
                let moment =
                    [r[1] * d[2] - r[2] * d[1], r[2] * d[0] - r[0] * d[2], r[0] * d[1] - r[1] * d[0]];
                (body, [d[0], d[1], d[2], moment[0], moment[1], moment[2]])
            })
        })
        .collect();
    let entry = |i: usize, j: usize| {
        let mut sum = if i == j { 1e-8 } else { 0.0 };
        for (a, x) in &contacts[i] {
            for (b, y) in &contacts[j] {
                if a == b {
                    sum += x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>() / masses[*a];
                }
            }
        }
        sum
    };
    (dense(n, entry), (0..n).map(|_| random.normal()).collect())
}

fn positive(n: usize) -> (Dense, Vec<f64>) {
    let mut random = Random(7 + n as u64);
    let mut matrix = || -> Vec<f64> { (0..n * n).map(|_| random.normal() / (n as f64).sqrt()).collect() };
    let (a, b) = (matrix(), matrix());
    let m = dense(n, |i, j| {
        let product: f64 = a[i * n..(i + 1) * n].iter().zip(&a[j * n..(j + 1) * n]).map(|(x, y)| x * y).sum();
        product + b[i * n + j] - b[j * n + i] + if i == j { 0.1 } else { 0.0 }
    });
    let z: Vec<f64> = (0..n).map(|_| random.normal().max(0.0)).collect();
    let mut q = vec![0.0; n];
    m.apply_into(&z, &mut q);
    q.iter_mut().zip(&z).for_each(|(q, z)| *q = if *z > 0.0 { 0.0 } else { random.uniform() } - *q);
    (m, q)
}

fn obstacle(n: usize) -> (Sparse, Vec<f64>) {
    let mut triplets = Vec::new();
    for i in 0..n {
        triplets.push((i, i, 2.0));
        if i > 0 {
            triplets.extend([(i, i - 1, -1.0), (i - 1, i, -1.0)]);
        }
    }
    let load = |i: usize| (4.0 * std::f64::consts::PI * i as f64 / n as f64).sin() * 10.0 / n as f64;
    (Sparse::new(n, &triplets).expect("entries are finite"), (0..n).map(load).collect())
}

/// The membrane: side² unknowns with five entries a row.
fn membrane(side: usize) -> (Sparse, Vec<f64>) {
    let mut triplets = Vec::new();
    for k in 0..side * side {
        triplets.push((k, k, 4.0));
        for next in [(k % side + 1 < side).then_some(k + 1), (k / side + 1 < side).then_some(k + side)] {
            triplets.extend(next.into_iter().flat_map(|next| [(k, next, -1.0), (next, k, -1.0)]));
        }
    }
    let wave = |i: usize| (3.0 * std::f64::consts::PI * i as f64 / side as f64).sin();
    let load = |k: usize| wave(k % side) * wave(k / side) / (side * side) as f64;
    let matrix = Sparse::new(side * side, &triplets).expect("entries are finite");
    (matrix, (0..side * side).map(load).collect())
}

fn fathi(n: usize) -> (Dense, Vec<f64>) {
    // Entries (L Lᵀ)_ij with i ≤ j: four for each earlier column, plus the products with the diagonal.
    let entry = |i: usize, j: usize| 4.0 * i.min(j) as f64 + if i == j { 1.0 } else { 2.0 };
    (dense(n, entry), vec![-1.0; n])
}

fn measure(criterion: &mut Criterion, family: &str, m: &dyn Operator, q: &[f64]) {
    let mut group = criterion.benchmark_group(family);
    group
        .sample_size(10)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(800));
    let (n, mut solver) = (q.len(), LcpSolver::default());
    for (name, method) in METHODS {
        // Problems of this size take Lemke's tableaux minutes and the sweeps hours.
        let takes_long = match method {
            Some(LcpMethod::Lemke) => n > 1000,
            Some(LcpMethod::GaussSeidel) => n > 5000,
            _ => false,
        };
        if takes_long {
            continue;
        }
        let mut z = vec![0.0; n];
        match solver.solve(m, q, &mut z, method) {
            Ok(solution) => eprintln!("{family}/{name}/{n}: {solution:?}"),
            Err(error) => {
                eprintln!("{family}/{name}/{n}: {error}");
                continue;
            }
        }
        group.bench_function(BenchmarkId::new(name, n), |bencher| {
            bencher.iter(|| {
                z.fill(0.0);
                black_box(solver.solve(m, q, &mut z, method)).is_ok()
            });
        });
    }
    group.finish();
}

fn families(criterion: &mut Criterion) {
    for n in SIZES {
        let (m, q) = delassus(n);
        measure(criterion, "delassus", &m, &q);
        let (m, q) = positive(n);
        measure(criterion, "randP", &m, &q);
        let (m, q) = obstacle(n);
        measure(criterion, "obstacle", &m, &q);
        let (m, q) = fathi(n);
        measure(criterion, "fathi", &m, &q);
    }
}

fn growth(criterion: &mut Criterion) {
    for side in [32, 64, 128, 256] {
        let (m, q) = membrane(side);
        measure(criterion, "membrane", &m, &q);
    }
}

criterion_group!(benches, families, growth);
criterion_main!(benches);
