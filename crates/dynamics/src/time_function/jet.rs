//! A value with its first two derivatives by time, and arithmetic on them.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// u, u̇, ü.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Jet {
    /// u.
    pub value: f64,
    /// u̇.
    pub rate: f64,
    /// ü.
    pub second_rate: f64,
}

impl Jet {
    /// A constant.
    pub const fn constant(value: f64) -> Self {
        Self { value, rate: 0.0, second_rate: 0.0 }
    }

    /// The time itself.
    pub const fn time(time: f64) -> Self {
        Self { value: time, rate: 1.0, second_rate: 0.0 }
    }

    /// True if both derivatives are zero.
    fn is_constant(self) -> bool {
        self.rate == 0.0 && self.second_rate == 0.0
    }

    /// f(u) with f, f′ and f″ at u: (f, f′ u̇, f″ u̇² + f′ ü).
    pub(super) fn chain(self, f: f64, first: f64, second: f64) -> Self {
        if self.is_constant() {
            return Self::constant(f);
        }
        Self {
            value: f,
            rate: first * self.rate,
            second_rate: second * self.rate * self.rate + first * self.second_rate,
        }
    }

    /// u^v. A constant exponent accepts every u with such a power; other exponents need u > 0.
    pub(super) fn power(self, exponent: Self) -> Self {
        if !exponent.is_constant() {
            return (exponent * self.logarithm()).exponential();
        }
        let (u, n) = (self.value, exponent.value);
        // Where the factor is zero, u^(n − 1) may be infinite and does not contribute.
        let term = |factor: f64, n: f64| if factor == 0.0 { 0.0 } else { factor * u.powf(n) };
        self.chain(u.powf(n), term(n, n - 1.0), term(n * (n - 1.0), n - 2.0))
    }

    pub(super) fn exponential(self) -> Self {
        let f = self.value.exp();
        self.chain(f, f, f)
    }

    pub(super) fn logarithm(self) -> Self {
        let u = self.value;
        self.chain(u.ln(), 1.0 / u, -1.0 / (u * u))
    }
}

impl Add for Jet {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            value: self.value + other.value,
            rate: self.rate + other.rate,
            second_rate: self.second_rate + other.second_rate,
        }
    }
}

impl Neg for Jet {
    type Output = Self;
    fn neg(self) -> Self {
        Self { value: -self.value, rate: -self.rate, second_rate: -self.second_rate }
    }
}

impl Sub for Jet {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Jet {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self {
            value: self.value * other.value,
            rate: self.rate * other.value + self.value * other.rate,
            second_rate: self.second_rate * other.value
                + 2.0 * self.rate * other.rate
                + self.value * other.second_rate,
        }
    }
}

impl Div for Jet {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let value = self.value / other.value;
        let rate = (self.rate - value * other.rate) / other.value;
        let second_rate =
            (self.second_rate - 2.0 * rate * other.rate - value * other.second_rate) / other.value;
        Self { value, rate, second_rate }
    }
}
