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

/// Values at times; the value is constant before the first and after the last time.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    points: Vec<[f64; 2]>,
    interpolation: Interpolation,
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
}

impl Table {
    /// A table of pairs of time \[s\] and value.
    ///
    /// # Errors
    ///
    /// [`TableError`].
    pub fn new(points: Vec<[f64; 2]>, interpolation: Interpolation) -> Result<Self, TableError> {
        if points.len() < 2 {
            return Err(TableError::TooShort { found: points.len() });
        }
        if let Some(i) = points.iter().position(|point| point.iter().any(|x| !x.is_finite())) {
            return Err(TableError::NotFinite { row: i + 1 });
        }
        let pairs = points.windows(2).enumerate();
        if let Some((i, pair)) = pairs.into_iter().find(|(_, pair)| pair[1][0] <= pair[0][0]) {
            return Err(TableError::Order { row: i + 2, time: pair[1][0], before: pair[0][0] });
        }
        let bends = match interpolation {
            Interpolation::Linear => vec![0.0; points.len()],
            Interpolation::Smooth => natural_bends(&points),
        };
        Ok(Self { points, interpolation, bends })
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
        let next = match self.interpolation {
            Interpolation::Linear => {
                self.points.get(self.points.partition_point(|point| point[0] <= time)).map(|p| p[0])
            }
            Interpolation::Smooth => self.range().into_iter().find(|end| *end > time),
        };
        next.unwrap_or(f64::INFINITY)
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
