//! Tables of time and value.

use super::jet::Jet;

/// Interpolation between the values of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Interpolation {
    /// Linear interpolation.
    #[default]
    Linear,
    /// The natural cubic spline: its second derivative is continuous, and zero at both ends.
    Smooth,
}

/// Values at times; before the first and after the last time the value is constant, or the table is repeated.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    points: Vec<[f64; 2]>,
    interpolation: Interpolation,
    is_periodic: bool,
    /// Second derivative at each time.
    bends: Vec<f64>,
}

/// Errors of a table.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum TableError {
    /// There are too few pairs.
    #[error("it needs at least two pairs of time and value, but has {found}")]
    TooShort {
        /// The number of pairs.
        found: usize,
    },
    /// Times do not increase.
    #[error("times must increase: pair {row} is at {time} s, after {before} s")]
    Order {
        /// Number of the pair from 1.
        row: usize,
        /// Its time \[s\].
        time: f64,
        /// Time of the pair before it \[s\].
        before: f64,
    },
    /// A number is not finite.
    #[error("pair {row} is not finite")]
    NotFinite {
        /// Number of the pair from 1.
        row: usize,
    },
    /// The first and the last value of a periodic table differ.
    #[error("a periodic table ends with its first value, but it begins with {first} and ends with {last}")]
    NotPeriodic {
        /// The first value.
        first: f64,
        /// The last value.
        last: f64,
    },
}

/// Relative difference of the first and the last value of a periodic table that counts as rounding.
const PERIODIC: f64 = 1e-9;

impl Table {
    /// A table of pairs of time \[s\] and value, constant before the first and after the last time.
    ///
    /// # Errors
    ///
    /// [`TableError`].
    pub fn new(points: Vec<[f64; 2]>, interpolation: Interpolation) -> Result<Self, TableError> {
        check(&points)?;
        let bends = match interpolation {
            Interpolation::Linear => vec![0.0; points.len()],
            Interpolation::Smooth => natural_bends(&points),
        };
        Ok(Self { points, interpolation, is_periodic: false, bends })
    }

    /// A table of one period, which is repeated before its first and after its last time. A smooth one has
    /// continuous second derivatives there too.
    ///
    /// # Errors
    ///
    /// [`TableError`], also if the last value is not the first one.
    pub fn periodic(points: Vec<[f64; 2]>, interpolation: Interpolation) -> Result<Self, TableError> {
        check(&points)?;
        let (first, last) = (points[0][1], points[points.len() - 1][1]);
        let size = points.iter().fold(0.0, |size: f64, point| size.max(point[1].abs()));
        if (first - last).abs() > PERIODIC * size {
            return Err(TableError::NotPeriodic { first, last });
        }
        let bends = match interpolation {
            Interpolation::Linear => vec![0.0; points.len()],
            Interpolation::Smooth => periodic_bends(&points),
        };
        Ok(Self { points, interpolation, is_periodic: true, bends })
    }

    /// Its times \[s\].
    pub fn times(&self) -> impl Iterator<Item = f64> {
        self.points.iter().map(|point| point[0])
    }

    /// Time from the first to the last pair \[s\].
    pub fn range(&self) -> [f64; 2] {
        [self.points[0][0], self.points[self.points.len() - 1][0]]
    }

    /// Its interpolation.
    pub fn interpolation(&self) -> Interpolation {
        self.interpolation
    }

    /// f, f′, f″ at a time.
    pub fn at(&self, time: f64) -> Jet {
        let [first, last] = self.range();
        let time = if self.is_periodic { first + (time - first).rem_euclid(last - first) } else { time };
        if time < first {
            return Jet::constant(self.points[0][1]);
        }
        if time > last {
            return Jet::constant(self.points[self.points.len() - 1][1]);
        }
        let after = self.points.partition_point(|point| point[0] <= time);
        let i = after.clamp(1, self.points.len() - 1);
        let ([t0, f0], [t1, f1]) = (self.points[i - 1], self.points[i]);
        let (m0, m1) = (self.bends[i - 1], self.bends[i]);
        let h = t1 - t0;
        let (a, b) = ((t1 - time) / h, (time - t0) / h);
        Jet {
            value: a * f0 + b * f1 + ((a * a * a - a) * m0 + (b * b * b - b) * m1) * h * h / 6.0,
            rate: (f1 - f0) / h + ((3.0 * b * b - 1.0) * m1 - (3.0 * a * a - 1.0) * m0) * h / 6.0,
            second_rate: a * m0 + b * m1,
        }
    }

    /// The first time after `time` at which a derivative up to the second jumps.
    pub(super) fn next_kink(&self, time: f64) -> f64 {
        let after = |time: f64| self.points.get(self.points.partition_point(|point| point[0] <= time));
        let next = match (self.interpolation, self.is_periodic) {
            (Interpolation::Linear, false) => after(time).map(|point| point[0]),
            (Interpolation::Linear, true) => {
                let [first, last] = self.range();
                let turn = ((time - first) / (last - first)).floor();
                // Sums of a period and a time are rounded: the next kink may be one of the next period.
                let mut kinks = [turn, turn + 1.0].into_iter().flat_map(|turn| {
                    let shift = turn * (last - first);
                    self.points[..self.points.len() - 1].iter().map(move |point| point[0] + shift)
                });
                kinks.find(|kink| *kink > time)
            }
            (Interpolation::Smooth, false) => self.range().into_iter().find(|end| *end > time),
            (Interpolation::Smooth, true) => None,
        };
        next.unwrap_or(f64::INFINITY)
    }
}

/// Checks that there are pairs of finite numbers with times that increase.
fn check(points: &[[f64; 2]]) -> Result<(), TableError> {
    if points.len() < 2 {
        return Err(TableError::TooShort { found: points.len() });
    }
    if let Some(i) = points.iter().position(|point| point.iter().any(|x| !x.is_finite())) {
        return Err(TableError::NotFinite { row: i + 1 });
    }
    match points.windows(2).position(|pair| pair[1][0] <= pair[0][0]) {
        Some(i) => Err(TableError::Order { row: i + 2, time: points[i + 1][0], before: points[i][0] }),
        None => Ok(()),
    }
}

/// Second derivatives m of the natural spline: with d_i = (f_{i+1} − f_i)/h_i,
///
/// ```text
/// h_{i−1} m_{i−1} + 2 (h_{i−1} + h_i) m_i + h_i m_{i+1} = 6 (d_i − d_{i−1}),   m_0 = m_n = 0
/// ```
fn natural_bends(points: &[[f64; 2]]) -> Vec<f64> {
    let n = points.len();
    let (mut bends, mut upper) = (vec![0.0; n], vec![0.0; n]);
    for i in 1..n - 1 {
        let ([t0, f0], [t1, f1], [t2, f2]) = (points[i - 1], points[i], points[i + 1]);
        let (before, after) = (t1 - t0, t2 - t1);
        let pivot = 2.0 * (before + after) - before * upper[i - 1];
        upper[i] = after / pivot;
        let side = 6.0 * ((f2 - f1) / after - (f1 - f0) / before);
        bends[i] = (side - before * bends[i - 1]) / pivot;
    }
    for i in (1..n - 1).rev() {
        bends[i] -= upper[i] * bends[i + 1];
    }
    bends
}

/// Second derivatives m of the periodic spline: the equations of [`natural_bends`] at all times but the last,
/// whose neighbours follow each other around the period, with m_n = m_0. The matrix is tridiagonal but for
/// two corners h_{n−1} = c, which a change of rank one by u = (γ, 0, …, 0, c), v = (1, 0, …, 0, c/γ) adds:
///
/// ```text
/// (T + u vᵀ) m = r    ⟹    m = y − (vᵀ y)/(1 + vᵀ z) z,   T y = r,   T z = u
/// ```
fn periodic_bends(points: &[[f64; 2]]) -> Vec<f64> {
    let n = points.len() - 1;
    let step = |i: usize| points[i + 1][0] - points[i][0];
    let slope = |i: usize| (points[i + 1][1] - points[i][1]) / step(i);
    if n < 3 {
        // With one span the function is constant; two spans share both of their ends.
        return match n {
            2 => {
                let jump = 6.0 * (slope(1) - slope(0)) / (step(0) + step(1));
                vec![-jump, jump, -jump]
            }
            _ => vec![0.0; 2],
        };
    }
    let before = |i: usize| (i + n - 1) % n;
    let corner = step(n - 1);
    let mut diagonal: Vec<f64> = (0..n).map(|i| 2.0 * (step(before(i)) + step(i))).collect();
    let gamma = -diagonal[0];
    diagonal[0] -= gamma;
    diagonal[n - 1] -= corner * corner / gamma;
    let upper: Vec<f64> = (0..n - 1).map(step).collect();
    let mut y: Vec<f64> = (0..n).map(|i| 6.0 * (slope(i) - slope(before(i)))).collect();
    let mut z = vec![0.0; n];
    (z[0], z[n - 1]) = (gamma, corner);
    solve_tridiagonal(&diagonal, &upper, [&mut y, &mut z]);
    let along = |x: &[f64]| x[0] + corner / gamma * x[n - 1];
    let factor = along(&y) / (1.0 + along(&z));
    let mut bends: Vec<f64> = y.iter().zip(&z).map(|(y, z)| y - factor * z).collect();
    bends.push(bends[0]);
    bends
}

/// Solves a symmetric tridiagonal system for two right-hand sides in place.
///
/// * `upper` — entries next to the diagonal
fn solve_tridiagonal(diagonal: &[f64], upper: &[f64], sides: [&mut Vec<f64>; 2]) {
    let n = diagonal.len();
    let mut pivots = diagonal.to_vec();
    for i in 1..n {
        pivots[i] -= upper[i - 1] * upper[i - 1] / pivots[i - 1];
    }
    for side in sides {
        for i in 1..n {
            side[i] -= upper[i - 1] / pivots[i - 1] * side[i - 1];
        }
        side[n - 1] /= pivots[n - 1];
        for i in (0..n - 1).rev() {
            side[i] = (side[i] - upper[i] * side[i + 1]) / pivots[i];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(points: &[[f64; 2]], interpolation: Interpolation) -> Table {
        Table::new(points.to_vec(), interpolation).unwrap()
    }

    #[test]
    fn a_linear_table_interpolates_its_values_and_holds_the_last() {
        let pulse = table(&[[1.0, 0.0], [2.0, 4.0], [4.0, 0.0]], Interpolation::Linear);
        for (time, value, rate) in
            [(0.0, 0.0, 0.0), (1.5, 2.0, 4.0), (2.0, 4.0, -2.0), (3.0, 2.0, -2.0), (9.0, 0.0, 0.0)]
        {
            assert_eq!(pulse.at(time), Jet { value, rate, second_rate: 0.0 }, "{time}");
        }
        let kinks: Vec<f64> = [0.0, 1.0, 1.5, 2.0, 4.0].map(|time| pulse.next_kink(time)).into();
        assert_eq!(kinks, [1.0, 2.0, 2.0, 4.0, f64::INFINITY]);
    }

    /// Value, first and second derivative are continuous at every node; the second derivative is zero at the
    /// ends.
    #[test]
    fn a_smooth_table_has_continuous_second_derivatives() {
        let points = [[0.0, 1.0], [0.5, -1.0], [0.7, 2.0], [1.5, 0.3], [2.0, 0.0]];
        let curve = table(&points, Interpolation::Smooth);
        for [time, value] in points {
            assert!((curve.at(time).value - value).abs() < 1e-14);
        }
        for [time, _] in &points[1..4] {
            let (before, after) = (curve.at(time - 1e-9), curve.at(time + 1e-9));
            assert!((before.rate - after.rate).abs() < 1e-6);
            assert!((before.second_rate - after.second_rate).abs() < 1e-5);
        }
        assert_eq!((curve.at(0.0).second_rate, curve.at(2.0).second_rate), (0.0, 0.0));
        let (t, h) = (0.61, 1e-5);
        let difference = (curve.at(t + h).value - curve.at(t - h).value) / (2.0 * h);
        assert!((curve.at(t).rate / difference - 1.0).abs() < 1e-7);
        assert_eq!(curve.next_kink(0.6), 2.0);
    }

    /// A sine has zero curvature at 0 and π, as the spline does: errors decrease with the fourth power of the
    /// spacing of the nodes.
    #[test]
    fn a_smooth_table_converges_with_order_four() {
        let error = |n: usize| {
            let time = |i: usize| std::f64::consts::PI * i as f64 / n as f64;
            let points: Vec<_> = (0..=n).map(|i| [time(i), time(i).sin()]).collect();
            let curve = table(&points, Interpolation::Smooth);
            (0..1000)
                .map(|i| time(n) * f64::from(i) / 1000.0)
                .fold(0.0, |worst: f64, t| worst.max((curve.at(t).value - t.sin()).abs()))
        };
        let order = (error(20) / error(40)).log2();
        assert!((3.9..4.1).contains(&order), "{order}");
    }

    /// A sine repeats itself after a period: its periodic spline is smooth over the ends, follows it over
    /// many periods, and converges with order four, also for unequal spans.
    #[test]
    fn a_periodic_spline_follows_a_sine_over_all_periods() {
        use std::f64::consts::TAU;
        let curve = |n: usize| {
            let time = |i: usize| i as f64 / n as f64 + 0.02 * (TAU * i as f64 / n as f64).sin();
            let wave = |t: f64| (TAU * t + 0.4).sin();
            let mut points: Vec<_> = (0..=n).map(|i| [time(i), wave(time(i))]).collect();
            points[n] = [1.0, points[0][1]];
            Table::periodic(points, Interpolation::Smooth).unwrap()
        };
        let errors = |n: usize| {
            let curve = curve(n);
            let times = (0..3000).map(|i| -1.3 + f64::from(i) / 700.0);
            times.fold([0.0_f64; 3], |worst, t| {
                let (jet, phase) = (curve.at(t), TAU * t + 0.4);
                let exact = [phase.sin(), TAU * phase.cos(), -TAU * TAU * phase.sin()];
                let found = [jet.value, jet.rate, jet.second_rate];
                std::array::from_fn(|k| worst[k].max((found[k] - exact[k]).abs()))
            })
        };
        let (coarse, fine) = (errors(20), errors(40));
        let orders: [f64; 3] = std::array::from_fn(|k| (coarse[k] / fine[k]).log2());
        for (order, expected) in orders.into_iter().zip([4.0, 3.0, 2.0]) {
            assert!((order - expected).abs() < 0.25, "{orders:?} {coarse:?} {fine:?}");
        }
        assert_eq!(curve(20).next_kink(0.5), f64::INFINITY);
    }

    /// The equations of the spline of two spans, by hand: values 0, 1, 0 at 0, 1, 2 have m = 3 and −3.
    #[test]
    fn a_periodic_spline_of_two_spans_is_smooth() {
        let curve = Table::periodic(vec![[0.0, 0.0], [1.0, 1.0], [2.0, 0.0]], Interpolation::Smooth).unwrap();
        for time in [0.0, 1.0, 2.0] {
            let (before, after) = (curve.at(time - 1e-9), curve.at(time + 1e-9));
            assert!((before.rate - after.rate).abs() < 1e-7, "{time}: {before:?} {after:?}");
            assert!((before.second_rate - after.second_rate).abs() < 1e-7, "{time}: {before:?} {after:?}");
        }
        assert!((curve.at(0.0).second_rate - 6.0).abs() < 1e-12 && curve.at(1.0).rate.abs() < 1e-12);
    }

    #[test]
    fn a_periodic_linear_table_repeats_its_corners() {
        let saw = Table::periodic(vec![[1.0, 0.0], [1.5, 2.0], [2.0, 0.0]], Interpolation::Linear).unwrap();
        for (time, value) in [(0.25, 1.0), (1.25, 1.0), (7.5, 2.0), (8.0, 0.0), (-0.5, 2.0)] {
            assert!((saw.at(time).value - value).abs() < 1e-12, "{time}");
        }
        let kinks: Vec<f64> = [0.9, 1.0, 1.5, 1.9, 2.0, 7.6].map(|time| saw.next_kink(time)).into();
        assert_eq!(kinks, [1.0, 1.5, 2.0, 2.0, 2.5, 8.0]);
        let open = Table::periodic(vec![[0.0, 0.0], [1.0, 2.0]], Interpolation::Linear).unwrap_err();
        assert!(open.to_string().contains("it begins with 0 and ends with 2"), "{open}");
    }

    #[test]
    fn invalid_pairs_of_a_table_are_refused() {
        let error =
            |points: &[[f64; 2]]| Table::new(points.to_vec(), Interpolation::Linear).unwrap_err().to_string();
        assert!(error(&[[0.0, 1.0]]).contains("at least two pairs"));
        assert_eq!(
            error(&[[0.0, 1.0], [1.0, 2.0], [1.0, 3.0]]),
            "times must increase: pair 3 is at 1 s, after 1 s"
        );
        assert!(error(&[[0.0, 1.0], [1.0, f64::NAN]]).contains("pair 2 is not finite"));
    }
}
