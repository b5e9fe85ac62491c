//! Cycles of a history by rainflow count (ASTM E1049-85, section 5.4.4).

/// A cycle of a history.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cycle {
    /// Difference of its extremes.
    pub range: f64,
    /// Mean of its extremes.
    pub mean: f64,
    /// 1 for a closed cycle, ½ for a half cycle.
    pub count: f64,
    /// Numbers of the samples of its extremes, in their order.
    pub samples: [usize; 2],
}

/// The cycles of a history in the order in which they close; the half cycles that stay open are the last
/// ones.
///
/// The range between the two latest extremes is compared with the one before it, Y. If it is not smaller, Y
/// is a closed cycle, or a half one if it begins with the first extreme that is left.
pub fn cycles(history: &[f64]) -> Vec<Cycle> {
    let mut found = Vec::new();
    // Extremes that are left, by the numbers of their samples.
    let mut left: Vec<usize> = Vec::new();
    let cycle = |a: usize, b: usize, count: f64| Cycle {
        range: (history[a] - history[b]).abs(),
        mean: 0.5 * (history[a] + history[b]),
        count,
        samples: [a, b],
    };
    let range = |a: usize, b: usize| (history[a] - history[b]).abs();
    for next in extremes(history) {
        left.push(next);
        while let [.., a, b, c] = left[..] {
            if range(b, c) < range(a, b) {
                break;
            }
            if left.len() == 3 {
                found.push(cycle(a, b, 0.5));
                left.remove(0);
            } else {
                found.push(cycle(a, b, 1.0));
                left.truncate(left.len() - 3);
                left.push(c);
            }
        }
    }
    found.extend(left.windows(2).map(|pair| cycle(pair[0], pair[1], 0.5)));
    found
}

/// Numbers of the samples at which a history turns, its ends among them; of equal samples the first one.
fn extremes(history: &[f64]) -> Vec<usize> {
    let mut found: Vec<usize> = Vec::new();
    for (n, &value) in history.iter().enumerate() {
        match found[..] {
            [.., last] if history[last] == value => {}
            [.., before, last] if (history[last] - history[before]) * (value - history[last]) > 0.0 => {
                *found.last_mut().expect("there are two") = n;
            }
            _ => found.push(n),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_the_standard_has_its_counts() {
        let found = cycles(&[-2.0, 1.0, -3.0, 5.0, -1.0, 3.0, -4.0, 4.0, -2.0]);
        let count = |range: f64| found.iter().filter(|c| c.range == range).map(|c| c.count).sum::<f64>();
        let expected = [(3.0, 0.5), (4.0, 1.5), (6.0, 0.5), (8.0, 1.0), (9.0, 0.5)];
        assert_eq!(expected.map(|(range, _)| (range, count(range))), expected);
        assert_eq!(found.iter().map(|c| c.count).sum::<f64>(), 4.0);
        // The closed cycle lies between −1 and 3.
        let closed: Vec<&Cycle> = found.iter().filter(|c| c.count == 1.0).collect();
        assert_eq!(closed, [&Cycle { range: 4.0, mean: 1.0, count: 1.0, samples: [4, 5] }]);
    }

    #[test]
    fn a_steady_oscillation_on_a_slow_one_has_all_its_cycles() {
        // 40 periods of amplitude 1 on half a period of amplitude 10.
        let at = |n: usize| {
            let t = n as f64 / 8000.0;
            10.0 * (std::f64::consts::PI * t).sin() + (80.0 * std::f64::consts::PI * t).sin()
        };
        let history: Vec<f64> = (0..=8000).map(at).collect();
        let found = cycles(&history);
        let small: Vec<&Cycle> = found.iter().filter(|c| c.range > 1.0 && c.range < 3.0).collect();
        let count: f64 = small.iter().map(|c| c.count).sum();
        assert!((count - 39.0).abs() <= 1.5, "{count}");
        let largest = found.iter().map(|c| c.range).fold(0.0, f64::max);
        let [low, high] = history.iter().fold([0.0_f64; 2], |[low, high], &x| [low.min(x), high.max(x)]);
        assert!((largest - (high - low)).abs() < 1e-12, "{largest}");
        assert!(cycles(&[1.0]).is_empty() && cycles(&[2.0, 2.0]).is_empty());
    }
}
