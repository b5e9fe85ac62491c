//! Time of a change of sign within a step.

/// A bracketed change of sign.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Crossing {
    /// End of the bracket on the near side: the function still has its old sign there.
    pub before: f64,
    /// End of the bracket on the far side: zero or of the new sign.
    pub after: f64,
}

/// Narrows the bracket [a, b] of a change of sign of `function` until it is shorter than `width`, by
/// Chandrupatla's method (inverse quadratic interpolation where it is safe, bisection otherwise; Adv. Eng.
/// Software 28 (1997) 145).
///
/// * `at_a`, `at_b`: values at the ends, of opposite sign (or zero at b)
///
/// Ends within 200 evaluations for any function, as the bracket is halved at least every third time.
///
/// # Errors
///
/// Those of `function`.
pub fn locate_crossing<E>(
    (a, at_a): (f64, f64),
    (b, at_b): (f64, f64),
    width: f64,
    mut function: impl FnMut(f64) -> Result<f64, E>,
) -> Result<Crossing, E> {
    let sign = at_a.signum();
    // x₁ is the newest point, x₂ the other end of the bracket, x₃ the one dropped last.
    let (mut x1, mut f1, mut x2, mut f2) = (b, at_b, a, at_a);
    let mut share = 0.5;
    for _ in 0..200 {
        let least = width.max(4.0 * f64::EPSILON * x1.abs().max(x2.abs()));
        if (x1 - x2).abs() <= least || f1 == 0.0 {
            break;
        }
        let x = x1 + share * (x2 - x1);
        let f = function(x)?;
        let (x3, f3);
        if (f > 0.0) == (f1 > 0.0) {
            (x3, f3) = (x1, f1);
        } else {
            (x3, f3) = (x2, f2);
            (x2, f2) = (x1, f1);
        }
        (x1, f1) = (x, f);
        share = next_share((x1, f1), (x2, f2), (x3, f3));
        let edge = (0.5 * least / (x2 - x1).abs()).min(0.5);
        share = share.clamp(edge, 1.0 - edge);
    }
    // A zero belongs to the far side.
    let near = |f: f64| f != 0.0 && f.signum() == sign;
    Ok(if near(f1) { Crossing { before: x1, after: x2 } } else { Crossing { before: x2, after: x1 } })
}

/// Next point in [x₁, x₂]: inverse quadratic interpolation through the three points if it is monotone
/// there.
fn next_share((x1, f1): (f64, f64), (x2, f2): (f64, f64), (x3, f3): (f64, f64)) -> f64 {
    let xi = (x1 - x2) / (x3 - x2);
    let phi = (f1 - f2) / (f3 - f2);
    if phi * phi < xi && (1.0 - phi) * (1.0 - phi) < 1.0 - xi {
        let first = f1 / (f2 - f1) * f3 / (f2 - f3);
        let second = f1 / (f3 - f1) * f2 / (f3 - f2) * (x3 - x1) / (x2 - x1);
        first + second
    } else {
        0.5
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    fn count(a: f64, b: f64, width: f64, function: impl Fn(f64) -> f64) -> (Crossing, usize) {
        let mut calls = 0;
        let found = locate_crossing::<Infallible>((a, function(a)), (b, function(b)), width, |x| {
            calls += 1;
            Ok(function(x))
        });
        match found {
            Ok(crossing) => (crossing, calls),
        }
    }

    #[test]
    fn smooth_roots_take_few_evaluations() {
        let (crossing, calls) = count(0.0, 2.0, 1e-14, |x: f64| x.cos() - x);
        assert!((crossing.after - 0.739_085_133_215_160_6).abs() < 1e-13);
        assert!(calls < 12, "{calls}");
    }

    #[test]
    fn the_search_ends_for_flat_and_discontinuous_functions() {
        let (crossing, calls) = count(-1.0, 1.5, 1e-12, |x: f64| x.powi(19));
        assert!(crossing.after.abs() < 0.3 && calls < 200, "{crossing:?} {calls}");
        let (crossing, calls) = count(0.0, 1.0, 1e-12, |x| if x < 0.3 { 1.0 } else { -1.0 });
        assert!(
            (crossing.before - 0.3).abs() < 1e-12 && crossing.after >= 0.3 && calls < 60,
            "{crossing:?} {calls}"
        );
    }

    #[test]
    fn the_ends_of_a_crossing_lie_on_its_two_sides() {
        let function = |x: f64| 1.0 - x * x * x;
        let (crossing, _) = count(0.2, 3.0, 1e-3, function);
        assert!(function(crossing.before) > 0.0 && function(crossing.after) <= 0.0);
        assert!(crossing.after - crossing.before <= 1e-3);
    }
}
