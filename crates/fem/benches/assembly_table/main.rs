//! The cost of assembling K and M of the quarter ring by degree and size; `docs/assembly.md` lists the
//! figures.
//!
//! ```text
//! cargo bench -p carom-fem --bench assembly_table             # everything
//! cargo bench -p carom-fem --bench assembly_table -- 2 3      # degrees 2 and 3
//! ```
//!
//! Degree p in every direction, n³ knot spans, (p+1)³ points each. Times are the least of some turns and
//! include the sparsity pattern: CPU seconds of one thread, seconds on the wall of two. Operations are the
//! multiplications and additions of the three contractions (not the geometry, nor adding to the matrices),
//! the peak of the machine is that of a dense product of faer in the same run.

use carom_fem::assembly::{assemble, contraction_operations};
use carom_fem::coupling::node_graph;
use carom_fem::{Discretisation, QuadratureRule};
use carom_progress::Silent;
use carom_testing::clock::{Time, timed};
use carom_testing::heap;
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, Par};
use rayon::{ThreadPool, ThreadPoolBuilder};

#[allow(dead_code, reason = "the benchmark uses a part")]
#[path = "../../tests/bodies/mod.rs"]
mod bodies;

#[global_allocator]
static ALLOCATOR: heap::Counting = heap::Counting;

/// Turns of which the least time counts.
const TURNS: usize = 5;

/// Least length of a turn.
const SECONDS_A_TURN: f64 = 0.3;

/// Knot spans in each direction, for each degree from 1.
const SIZES: [&[usize]; 5] = [&[8, 16, 32, 64], &[8, 16, 32, 48], &[8, 16, 32], &[4, 8, 16, 24], &[4, 8, 16]];

fn main() {
    // Both live to the end: CPU seconds are those of the threads that live.
    let [one, two] =
        [1, 2].map(|n| ThreadPoolBuilder::new().num_threads(n).build().expect("the machine has threads"));
    let wanted: Vec<usize> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    let peak = one.install(dense_peak);
    println!("dense product of faer, one thread: {:.1} GFLOP/s\n", 1e-9 * peak);
    println!(
        "| p | n | dof | CPU s | of it pattern | µs a cell | GFLOP | GFLOP/s | of the peak | MB | MB at peak \
         | wall s, 1 thread | 2 threads | ∝ n^ |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for (degree, sizes) in (1..).zip(SIZES) {
        if wanted.is_empty() || wanted.contains(&degree) {
            let mut last = None;
            for &n in sizes {
                let seconds = row(degree, n, peak, &one, &two, last);
                last = Some((n, seconds));
            }
        }
    }
}

/// Measures one body and prints its row. Returns CPU seconds.
fn row(
    degree: usize,
    n: usize,
    peak: f64,
    one: &ThreadPool,
    two: &ThreadPool,
    last: Option<(usize, f64)>,
) -> f64 {
    // An arc cannot be linear: in degree 1 only the control points lie on the ring.
    let around = |[x, y, z]: [f64; 3]| {
        let (s, c) = (0.5 * std::f64::consts::PI * y).sin_cos();
        [(1.0 + x) * c, (1.0 + x) * s, z]
    };
    let body = if degree == 1 { bodies::spline_block(1, n, around) } else { bodies::quarter_ring(degree, n) };
    let discretisation = Discretisation::new(&body).expect("the body is sound");
    let run = || assemble(&discretisation, QuadratureRule::Default, &Silent).expect("no cell is inverted");
    let least = |pool: &ThreadPool, run: &(dyn Fn() + Sync)| -> Time {
        // The clock is accurate to some milliseconds: short runs are repeated.
        let once = pool.install(|| timed(run).1.wall);
        let repetitions = (SECONDS_A_TURN / once).ceil().max(1.0);
        let turn = || pool.install(|| timed(|| (0..repetitions as usize).for_each(|_| run())).1);
        let time = (0..TURNS).map(|_| turn()).reduce(Time::least).expect("there are turns");
        Time { cpu: time.cpu / repetitions, wall: time.wall / repetitions }
    };
    let (_, highest) = one.install(|| heap::highest_during(run));
    let time = least(one, &|| drop(run()));
    let pattern = least(one, &|| drop(node_graph(&discretisation)));
    let time_two = least(two, &|| drop(run()));
    let system = one.install(run);
    let graph = &system.stiffness.graph;
    let bytes = 84 * graph.n_entries() + 8 * graph.col_ptr.len();
    let operations = contraction_operations(&discretisation, QuadratureRule::Default);
    let rate = operations / time.cpu;
    let growth = last.map_or(String::new(), |(n_last, seconds)| {
        format!("{:.2}", (time.cpu / seconds).ln() / (n as f64 / n_last as f64).ln())
    });
    println!(
        "| {degree} | {n} | {} | {:.4} | {:.4} | {:.1} | {:.3} | {:.1} | {:.0} % | {:.1} | {:.1} | {:.4} | \
         {:.4} | {growth} |",
        discretisation.n_dofs(),
        time.cpu,
        pattern.cpu,
        1e6 * time.cpu / discretisation.n_cells() as f64,
        1e-9 * operations,
        1e-9 * rate,
        100.0 * rate / peak,
        1e-6 * bytes as f64,
        1e-6 * highest as f64,
        time.wall,
        time_two.wall,
    );
    time.cpu
}

/// Operations per second of a dense product of faer.
fn dense_peak() -> f64 {
    const N: usize = 1024;
    let (a, b) =
        (Mat::from_fn(N, N, |i, j| (i + 2 * j) as f64), Mat::from_fn(N, N, |i, j| (2 * i + j) as f64));
    let mut c = Mat::zeros(N, N);
    let turns = (0..TURNS)
        .map(|_| timed(|| matmul(c.as_mut(), Accum::Replace, a.as_ref(), b.as_ref(), 1.0, Par::Seq)).1.cpu);
    2.0 * (N as f64).powi(3) / turns.fold(f64::INFINITY, f64::min)
}
