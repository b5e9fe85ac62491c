//! Bessel functions J₀ to J₄ of a real argument.

/// Orders above the argument at which the backward recurrence starts; J_n is below 1e-17 there.
const ORDERS_ABOVE: f64 = 14.0;

/// Values are scaled down when they exceed this.
const LARGE: f64 = 1e200;

/// J₀(x) to J₄(x), x ≥ 0, by Miller's backward recurrence.
///
/// ```text
/// J_{n−1} = (2n/x) J_n − J_{n+1},   J₀ + 2 Σ J_{2k} = 1
/// ```
///
/// The error is below 1e-14. Work and time grow with x.
pub(crate) fn bessel(x: f64) -> [f64; 5] {
    if x <= 0.0 {
        return [1.0, 0.0, 0.0, 0.0, 0.0];
    }
    let start = 2 * ((x + ORDERS_ABOVE * x.cbrt().max(1.0) + 8.0) / 2.0).ceil() as usize;
    let (mut above, mut value, mut sum) = (0.0, 1e-300, 0.0);
    let mut found = [0.0; 5];
    for n in (0..=start).rev() {
        // `value` is J_n up to a factor.
        if n < found.len() {
            found[n] = value;
        }
        if n % 2 == 0 {
            sum += if n == 0 { value } else { 2.0 * value };
        }
        let below = 2.0 * n as f64 / x * value - above;
        (above, value) = (value, below);
        if value.abs() > LARGE {
            value /= LARGE;
            above /= LARGE;
            sum /= LARGE;
            found.iter_mut().for_each(|j| *j /= LARGE);
        }
    }
    found.map(|j| j / sum)
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;

    #[test]
    fn values_are_those_of_bessels_integral() {
        // (1/π) ∫₀^π cos(nθ − x sin θ) dθ by the trapezoidal rule, which converges exponentially.
        let integral = |n: usize, x: f64| {
            let points = 400;
            let at = |k: usize| {
                let theta = PI * k as f64 / points as f64;
                let half = if k == 0 || k == points { 0.5 } else { 1.0 };
                half * (n as f64 * theta - x * theta.sin()).cos()
            };
            (0..=points).map(at).sum::<f64>() / points as f64
        };
        for x in [1e-9, 1e-3, 0.3, 1.0, 2.404_825_557_695_773, 7.0, 31.4, 120.0, 300.0] {
            for (n, value) in bessel(x).into_iter().enumerate() {
                assert!((value - integral(n, x)).abs() < 1e-13, "J{n}({x}) = {value}");
            }
        }
        assert_eq!(bessel(0.0), [1.0, 0.0, 0.0, 0.0, 0.0]);
    }
}
