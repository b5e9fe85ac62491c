//! Formulas in t as a list of operations on a stack.

use super::jet::Jet;
use super::operation::{Function, Operation, STACK};
use super::parse::{FormulaError, parse};

/// A formula in t.
///
/// Numbers, `t`, `pi`, `+ - * / ^`, parentheses,
/// `sin cos tan atan sinh cosh tanh exp log sqrt abs step smoothstep min max`. `^` binds first and to the
/// right, a sign before `*`: `-2^2` is −4. `log` is the natural logarithm, angles are in radians. `step(x)`
/// is 0 for x < 0 and 1 otherwise; `smoothstep(x)` goes from 0 at x ≤ 0 to 1 at x ≥ 1 with two continuous
/// derivatives.
#[derive(Debug, Clone, PartialEq)]
pub struct Formula {
    /// The original text.
    text: String,
    operations: Vec<Operation>,
}

impl Formula {
    /// Reads a formula.
    ///
    /// # Errors
    ///
    /// [`FormulaError`] with the column of the error.
    ///
    /// # Example
    ///
    /// ```
    /// let lift = carom_dynamics::Formula::parse("0.01 * (1 - cos(2*pi*t))")?;
    /// assert!((lift.at(0.5).value - 0.02).abs() < 1e-16);
    /// # Ok::<(), carom_dynamics::FormulaError>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self, FormulaError> {
        Ok(Self { operations: parse(text)?, text: text.to_owned() })
    }

    /// The original text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The first function in it that may jump or have a corner.
    pub fn corner(&self) -> Option<&'static str> {
        self.operations.iter().find_map(|operation| match operation {
            Operation::Of(Function::Abs) => Some("abs"),
            Operation::Of(Function::Step) => Some("step"),
            Operation::Of(Function::Min) => Some("min"),
            Operation::Of(Function::Max) => Some("max"),
            _ => None,
        })
    }

    /// f, f′, f″ at a time. Where a derivative does not exist (`abs` at 0, `step`), the derivative from the
    /// right is returned, or 0.
    pub fn at(&self, time: f64) -> Jet {
        // The parser bounds the height of the stack.
        let mut stack = [Jet::default(); STACK];
        let mut n = 0;
        for operation in &self.operations {
            let value = match *operation {
                Operation::Number(value) => Jet::constant(value),
                Operation::Time => Jet::time(time),
                Operation::Negate => -stack[n - 1],
                Operation::Add => stack[n - 2] + stack[n - 1],
                Operation::Subtract => stack[n - 2] - stack[n - 1],
                Operation::Multiply => stack[n - 2] * stack[n - 1],
                Operation::Divide => stack[n - 2] / stack[n - 1],
                Operation::Power => stack[n - 2].power(stack[n - 1]),
                Operation::Of(function) => apply(function, &stack[n - function.arguments()..n]),
            };
            n = n.checked_add_signed(operation.grows()).expect("the parser counts what is on the stack");
            stack[n - 1] = value;
        }
        stack[0]
    }
}

fn apply(function: Function, arguments: &[Jet]) -> Jet {
    let u = arguments[0];
    let x = u.value;
    let (sin, cos) = x.sin_cos();
    match function {
        Function::Sin => u.chain(sin, cos, -sin),
        Function::Cos => u.chain(cos, -sin, -cos),
        Function::Tan => {
            let (f, first) = (sin / cos, 1.0 / (cos * cos));
            u.chain(f, first, 2.0 * f * first)
        }
        Function::Atan => {
            let first = 1.0 / (1.0 + x * x);
            u.chain(x.atan(), first, -2.0 * x * first * first)
        }
        Function::Sinh => u.chain(x.sinh(), x.cosh(), x.sinh()),
        Function::Cosh => u.chain(x.cosh(), x.sinh(), x.cosh()),
        Function::Tanh => {
            let f = x.tanh();
            let first = 1.0 - f * f;
            u.chain(f, first, -2.0 * f * first)
        }
        Function::Exp => u.exponential(),
        Function::Log => u.logarithm(),
        Function::Sqrt => {
            let f = x.sqrt();
            u.chain(f, 0.5 / f, -0.25 / (f * x))
        }
        Function::Abs => u.chain(x.abs(), if x < 0.0 { -1.0 } else { 1.0 }, 0.0),
        Function::Step => Jet::constant(if x < 0.0 { 0.0 } else { 1.0 }),
        Function::Smoothstep => smoothstep(u),
        Function::Min => {
            if arguments[1].value < x {
                arguments[1]
            } else {
                u
            }
        }
        Function::Max => {
            if arguments[1].value > x {
                arguments[1]
            } else {
                u
            }
        }
    }
}

/// 0 below 0, 1 above 1, 6x⁵ − 15x⁴ + 10x³ between: its second derivative is continuous.
fn smoothstep(u: Jet) -> Jet {
    let x = u.value;
    if !(0.0..=1.0).contains(&x) {
        // NaN remains NaN.
        return if x.is_nan() { u } else { Jet::constant(if x < 0.0 { 0.0 } else { 1.0 }) };
    }
    let (square, rest) = (x * x, 1.0 - x);
    u.chain(
        square * x * (10.0 + x * (6.0 * x - 15.0)),
        30.0 * square * rest * rest,
        60.0 * x * rest * (1.0 - 2.0 * x),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str, time: f64) -> f64 {
        Formula::parse(text).unwrap().at(time).value
    }

    #[test]
    fn operators_have_their_usual_precedence() {
        for (text, expected) in [
            ("1 + 2*3", 7.0),
            ("(1 + 2)*3", 9.0),
            ("-2^2", -4.0),
            ("2^-1", 0.5),
            ("2^3^2", 512.0),
            ("8/4/2", 1.0),
            ("5 - 3 - 1", 1.0),
            ("2 * -3", -6.0),
            ("+4 - -1.5e1", 19.0),
            ("min(3, max(1, 2))", 2.0),
            ("step(-1e-9) + step(0)", 1.0),
            ("smoothstep(0.5) + smoothstep(2) + smoothstep(-1)", 1.5),
            (".5 + 1.", 1.5),
            ("0^0", 1.0),
        ] {
            assert_eq!(value(text, 0.7), expected, "{text}");
        }
        assert_eq!(value("pi", 0.0), std::f64::consts::PI);
        assert_eq!(value("t", 0.25), 0.25);
    }

    /// Derivatives against central differences of the values and of the first derivatives.
    #[test]
    fn derivatives_agree_with_central_differences() {
        for text in [
            "sin(3*t)*cos(t)",
            "tan(t/2) - atan(2*t)",
            "exp(-t)*log(1 + t^2)",
            "sqrt(1 + t)/(2 - t)",
            "t^3 + t^2.5 + 2^t + (1 + t)^t",
            "sinh(t) + cosh(2*t) - tanh(t)^2",
            "abs(t - 2)^3",
            "smoothstep(t/1.3)",
            "max(t^2, 0.2) + min(t, 5)",
        ] {
            let formula = Formula::parse(text).unwrap();
            let (t, h) = (0.8, 1e-5);
            let (before, now, after) = (formula.at(t - h), formula.at(t), formula.at(t + h));
            let rate = (after.value - before.value) / (2.0 * h);
            let second_rate = (after.rate - before.rate) / (2.0 * h);
            assert!((now.rate - rate).abs() < 1e-8 * (1.0 + rate.abs()), "{text}: {} {rate}", now.rate);
            let scale = 1.0 + second_rate.abs();
            assert!((now.second_rate - second_rate).abs() < 1e-8 * scale, "{text}: {now:?} {second_rate}");
        }
    }

    #[test]
    fn powers_have_derivatives_at_zero() {
        let square = Formula::parse("t^2 + t^1 + t^0").unwrap().at(0.0);
        assert_eq!(square, Jet { value: 1.0, rate: 1.0, second_rate: 2.0 });
    }
}
