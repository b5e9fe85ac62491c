//! How fast a machine is, against the one on which the constants were measured.

use std::hint::black_box;
use std::iter::Sum;
use std::ops::{Add, Mul};
use std::time::Instant;

use carom_linalg::tall::gram;
use faer::Mat;

use crate::clock::thread_seconds;

/// CPU seconds on the reference machine, by the kind of operations.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Work {
    /// Products of dense matrices that fit into the cache: factors, bases, reduced models.
    pub products: f64,
    /// Reading and writing of arrays that do not fit into it: solutions with a factor, sparse products.
    pub sweeps: f64,
    /// Operations on single numbers and small vectors: foot points, joints, element loops.
    pub scalars: f64,
}

impl Work {
    /// Work of products alone \[s\].
    pub const fn products(seconds: f64) -> Self {
        Self { products: seconds, sweeps: 0.0, scalars: 0.0 }
    }

    /// Work of sweeps alone \[s\].
    pub const fn sweeps(seconds: f64) -> Self {
        Self { products: 0.0, sweeps: seconds, scalars: 0.0 }
    }

    /// Work of scalars alone \[s\].
    pub const fn scalars(seconds: f64) -> Self {
        Self { products: 0.0, sweeps: 0.0, scalars: seconds }
    }
}

impl Add for Work {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            products: self.products + other.products,
            sweeps: self.sweeps + other.sweeps,
            scalars: self.scalars + other.scalars,
        }
    }
}

impl Mul<f64> for Work {
    type Output = Self;

    fn mul(self, factor: f64) -> Self {
        Self {
            products: self.products * factor,
            sweeps: self.sweeps * factor,
            scalars: self.scalars * factor,
        }
    }
}

impl Sum for Work {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), Self::add)
    }
}

/// Seconds that each kind of work takes on a machine for a second on the reference machine: above 1 it is
/// slower.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Machine {
    /// Products of dense matrices.
    pub products: f64,
    /// Sweeps over large arrays.
    pub sweeps: f64,
    /// Operations on single numbers.
    pub scalars: f64,
}

/// CPU seconds of the three kernels on the reference machine, a virtual Intel Xeon with AVX-512, in the
/// release profile: 50 GFLOP/s, 23 GB/s, 4.6 million foot points each second.
const KERNELS: [f64; 3] = [6.0e-3, 1.45e-3, 0.89e-3];

/// CPU time for which a kernel is repeated \[s\]: some ticks of the clock.
const LEAST_TIME: f64 = 0.06;

/// Numbers of the array that is swept: 32 MB, more than the cache of a core.
const SWEPT: usize = 1 << 22;

/// Points whose foot points are searched.
const POINTS: usize = 4096;

impl Machine {
    /// The machine on which the constants of the model were measured (docs/cost-model.md).
    pub const REFERENCE: Self = Self { products: 1.0, sweeps: 1.0, scalars: 1.0 };

    /// Times the kernels on this machine and with this build, on one thread; takes 0.2 s.
    ///
    /// The clock is that of the thread: other programs change it by tens of per cent, as they change every
    /// other computation.
    pub fn measure() -> Self {
        let [products, sweeps, scalars] = on_one_thread(kernels);
        let [product, sweep, scalar] = KERNELS;
        Self { products: products / product, sweeps: sweeps / sweep, scalars: scalars / scalar }
    }

    /// Seconds of work on this machine, on one thread.
    pub fn seconds(&self, work: Work) -> f64 {
        self.products * work.products + self.sweeps * work.sweeps + self.scalars * work.scalars
    }
}

/// Work on one thread: several wait for each other, and the clock counts that. Without a further thread the
/// present ones have to do.
pub fn on_one_thread<T: Send>(work: impl Fn() -> T + Send + Sync) -> T {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    pool.map_or_else(|_| work(), |pool| pool.install(&work))
}

/// Seconds of the three kernels on this machine.
///
/// Other programs take bandwidth away, which slows down arrays in the main memory by a factor of four, and
/// those in the cache hardly. Sweeps of the model are of both kinds: the mean time of a pass counts as much
/// as that of the fastest one.
fn kernels() -> [f64; 3] {
    let tall = Mat::from_fn(1024, 384, |i, j| ((7 * i + 13 * j) % 11) as f64);
    let swept: Vec<f64> = (0..SWEPT).map(|i| (i % 17) as f64).collect();
    let sweep = || swept.chunks_exact(8).fold([0.0; 8], added).iter().sum();
    [
        mean(|| gram(tall.as_ref(), tall.as_ref())[(1, 2)]),
        (mean(sweep) * least(sweep)).sqrt(),
        mean(|| (0..POINTS).map(|k| foot_point(k as f64 / POINTS as f64)).sum()),
    ]
}

/// Least wall time of a call of a function over some calls \[s\]: of one without interruption by another
/// program.
fn least(run: impl Fn() -> f64) -> f64 {
    let (begun, mut least) = (Instant::now(), f64::INFINITY);
    while begun.elapsed().as_secs_f64() < LEAST_TIME {
        let started = Instant::now();
        black_box(run());
        least = least.min(started.elapsed().as_secs_f64());
    }
    least
}

/// Mean CPU time of a function over some calls \[s\].
fn mean(run: impl Fn() -> f64) -> f64 {
    black_box(run());
    let (wall, started) = (Instant::now(), thread_seconds());
    for calls in 1.. {
        black_box(run());
        let elapsed = wall.elapsed().as_secs_f64();
        let spent = match (started, thread_seconds()) {
            (Some(before), Some(now)) => now - before,
            _ => elapsed,
        };
        if spent > LEAST_TIME || elapsed > 20.0 * LEAST_TIME {
            return spent.max(f64::MIN_POSITIVE) / f64::from(calls);
        }
    }
    unreachable!("the loop ends by time")
}

fn added(mut sums: [f64; 8], chunk: &[f64]) -> [f64; 8] {
    sums.iter_mut().zip(chunk).for_each(|(sum, x)| *sum += 1.0001 * x);
    sums
}

/// Parameter of the closest point of a quadratic patch of nine points to a point above it, by Newton's
/// method: the kind of loops of which contact and joints consist.
fn foot_point(at: f64) -> f64 {
    let x = [at, 0.5 * at, 0.3 + 0.1 * at];
    let grid: Vec<[f64; 3]> = (0..9)
        .map(|k| {
            let (u, v) = ((k % 3) as f64 - 1.0, (k / 3) as f64 - 1.0);
            [u, v, 0.2 * u * u + 0.1 * v * v]
        })
        .collect();
    let mut xi = [0.0, 0.0];
    for _ in 0..8 {
        let values = xi.map(|t| [0.5 * t * (t - 1.0), 1.0 - t * t, 0.5 * t * (t + 1.0)]);
        let slopes = xi.map(|t| [t - 0.5, -2.0 * t, t + 0.5]);
        let mut place = [0.0; 3];
        let mut tangents = [[0.0; 3]; 2];
        for (k, point) in grid.iter().enumerate() {
            for axis in 0..3 {
                place[axis] += values[0][k % 3] * values[1][k / 3] * point[axis];
                tangents[0][axis] += slopes[0][k % 3] * values[1][k / 3] * point[axis];
                tangents[1][axis] += values[0][k % 3] * slopes[1][k / 3] * point[axis];
            }
        }
        for (side, tangent) in tangents.iter().enumerate() {
            let along: f64 = (0..3).map(|axis| tangent[axis] * (x[axis] - place[axis])).sum();
            let square: f64 = tangent.iter().map(|t| t * t).sum();
            xi[side] = (xi[side] + along / square).clamp(-1.0, 1.0);
        }
    }
    xi[0] + xi[1]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_is_measured_in_a_moment_and_about_as_fast_each_time() {
        let started = Instant::now();
        let [first, second] = [Machine::measure(), Machine::measure()];
        assert!(started.elapsed().as_secs_f64() < 10.0);
        for (a, b) in [
            (first.products, second.products),
            (first.sweeps, second.sweeps),
            (first.scalars, second.scalars),
        ] {
            assert!(a > 0.0 && (a / b).max(b / a) < 3.0, "{first:?}, {second:?}");
        }
    }

    /// `cargo test --release -p carom-cost -- --ignored --nocapture`
    #[test]
    #[ignore = "1 s: prints the seconds of the kernels of this machine"]
    fn the_seconds_of_the_kernels() {
        for _ in 0..5 {
            println!("{:?}, {:?}", kernels(), Machine::measure());
        }
    }

    #[test]
    fn seconds_are_the_sum_of_all_kinds_of_work() {
        let work = Work::products(1.0) + Work::sweeps(2.0) * 2.0 + Work::scalars(3.0);
        assert_eq!(Machine::REFERENCE.seconds(work), 8.0);
        let slow = Machine { products: 2.0, ..Machine::REFERENCE };
        assert_eq!(slow.seconds(work), 9.0);
    }
}
