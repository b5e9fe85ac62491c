//! The speed of the machine.

use carom_testing::clock::timed;
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, Par};
use rayon::ThreadPoolBuilder;

use crate::steps::{SECONDS_A_TURN, TURNS};

/// Operations and bytes per CPU second of one thread.
pub(crate) struct Machine {
    pub(crate) operations: f64,
    pub(crate) bytes: f64,
}

impl Machine {
    /// Measures both, and prints them.
    pub(crate) fn measured() -> Self {
        let machine = Self { operations: dense_product(), bytes: triad() };
        println!(
            "dense product of faer {:.1} GFLOP/s, triad {:.1} GB/s, one thread\n",
            1e-9 * machine.operations,
            1e-9 * machine.bytes
        );
        machine
    }
}

fn dense_product() -> f64 {
    const N: usize = 1024;
    let a = Mat::from_fn(N, N, |i, j| (i + 2 * j) as f64);
    let b = Mat::from_fn(N, N, |i, j| (2 * i + j) as f64);
    let mut c = Mat::zeros(N, N);
    let pool = ThreadPoolBuilder::new().num_threads(1).build().expect("the machine has a thread");
    let mut product = || {
        pool.install(|| {
            timed(|| matmul(c.as_mut(), Accum::Replace, a.as_ref(), b.as_ref(), 1.0, Par::Seq)).1.cpu
        })
    };
    2.0 * (N as f64).powi(3) / (0..2 * TURNS).map(|_| product()).fold(f64::INFINITY, f64::min)
}

/// a = b + s c over vectors beyond all caches. The write of a reads it first: four passes.
fn triad() -> f64 {
    const N: usize = 1 << 23;
    let (b, c) = (vec![1.0_f64; N], vec![2.0_f64; N]);
    let mut a = vec![0.0_f64; N];
    let mut pass = |s: f64| {
        for ((a, b), c) in a.iter_mut().zip(&b).zip(&c) {
            *a = b + s * c;
        }
        std::hint::black_box(&mut a);
    };
    let once = timed(|| pass(0.5)).1.wall;
    let passes = (SECONDS_A_TURN / once).ceil().max(1.0);
    let turn = |_| timed(|| (0..passes as usize).for_each(|k| pass(k as f64))).1.cpu / passes;
    32.0 * N as f64 / (0..TURNS).map(turn).fold(f64::INFINITY, f64::min)
}
