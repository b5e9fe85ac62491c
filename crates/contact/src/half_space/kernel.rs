//! Smoothing kernels: radial densities with the integral 1 that spread a force over a disc.

use std::f64::consts::PI;
use std::fmt;
use std::sync::OnceLock;

use super::bessel::bessel;
use super::table::Table;

/// A radial density s(r) on a disc of radius r₀ with ∫ s dA = 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Kernel {
    /// s = 3/(π r₀²) (1 − x²)², x = r/r₀; positive, second moment ⟨r²⟩ = r₀²/4.
    #[default]
    Quadratic,
    /// s = 8/(π r₀²) (1 − x²)² (1 − 5x²/2); its second moment vanishes, and it is negative near the rim.
    ZeroMoment,
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Quadratic => "q2",
            Self::ZeroMoment => "z2",
        })
    }
}

impl Kernel {
    /// r₀² s at x = r/r₀; 0 for x ≥ 1.
    pub fn value(self, x: f64) -> f64 {
        let y = (1.0 - x * x).max(0.0);
        match self {
            Self::Quadratic => 3.0 / PI * y * y,
            Self::ZeroMoment => 8.0 / PI * y * y * (1.0 - 2.5 * x * x),
        }
    }

    /// ⟨r²⟩, ⟨r⁴⟩ and ⟨r⁶⟩ for r₀ = 1.
    pub fn moments(self) -> [f64; 3] {
        match self {
            Self::Quadratic => [0.25, 0.1, 0.05],
            Self::ZeroMoment => [0.0, -1.0 / 15.0, -2.0 / 35.0],
        }
    }

    /// The Fourier transform ∫ s e^(ik·x) dA at |k| r₀ = k; 1 at 0.
    ///
    /// ```text
    /// q2: 48 J₃(k)/k³,     z2: 1920 J₄(k)/k⁴ − 192 J₃(k)/k³
    /// ```
    ///
    /// from ∫₀¹ (1 − x²)^m J₀(kx) x dx = 2^m m! J_{m+1}(k)/k^{m+1} (Sonine).
    pub fn transform(self, k: f64) -> f64 {
        if k < 0.02 {
            // 1 − ⟨r²⟩ k²/4 + ⟨r⁴⟩ k⁴/64: the quotients below lose digits.
            let [second, fourth, _] = self.moments();
            return 1.0 - second * k.powi(2) / 4.0 + fourth * k.powi(4) / 64.0;
        }
        let j = bessel(k);
        let third = j[3] / k.powi(3);
        match self {
            Self::Quadratic => 48.0 * third,
            Self::ZeroMoment => 1920.0 * j[4] / k.powi(4) - 192.0 * third,
        }
    }

    /// Interactions of two loads of this kernel on a half-space, tabulated once in a process.
    pub fn table(self) -> &'static Table {
        static TABLES: [OnceLock<Table>; 2] = [const { OnceLock::new() }; 2];
        let slot = match self {
            Self::Quadratic => &TABLES[0],
            Self::ZeroMoment => &TABLES[1],
        };
        slot.get_or_init(|| Table::new(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOTH: [Kernel; 2] = [Kernel::Quadratic, Kernel::ZeroMoment];

    /// 2π ∫₀¹ s(x) g(x) x dx by Simpson's rule.
    fn radial(kernel: Kernel, g: impl Fn(f64) -> f64) -> f64 {
        let n = 2000;
        let at = |k: usize| {
            let x = k as f64 / n as f64;
            let weight = if k == 0 || k == n { 1.0 } else { [2.0, 4.0][k % 2] };
            weight * kernel.value(x) * g(x) * x
        };
        2.0 * PI * (0..=n).map(at).sum::<f64>() / (3.0 * n as f64)
    }

    #[test]
    fn kernels_have_the_integral_one_and_their_moments() {
        for kernel in BOTH {
            assert!((radial(kernel, |_| 1.0) - 1.0).abs() < 1e-11, "{kernel}");
            for (m, moment) in (1..).zip(kernel.moments()) {
                assert!((radial(kernel, |x| x.powi(2 * m)) - moment).abs() < 1e-11, "{kernel} {m}");
            }
            assert_eq!(kernel.value(1.0), 0.0);
            assert_eq!(kernel.value(1.5), 0.0);
        }
    }

    #[test]
    fn the_transform_is_hankels_and_never_exceeds_one() {
        for kernel in BOTH {
            for k in [0.0, 0.0199, 0.0201, 0.7, 3.0, 9.0, 25.0] {
                let expected = radial(kernel, |x| bessel(k * x)[0]);
                assert!((kernel.transform(k) - expected).abs() < 1e-10, "{kernel} {k}");
            }
            // |ŝ| ≤ 1 makes G − SᵀGS positive; rounding of 1e-9 where the quotients begin.
            let largest = (0..6000).map(|i| kernel.transform(0.01 * f64::from(i)).abs()).fold(0.0, f64::max);
            assert!(largest <= 1.0 + 1e-9, "{kernel} {largest}");
        }
    }
}
