//! Coefficients of the embedded pairs.
//!
//! A stage is k_i = f(t + c_i h, y + h Σ_j a_ij k_j), the step y₁ = y + h Σ b_i k_i. Both pairs here have
//! f(t + h, y₁) as the first stage of the next step. Row i of `a` holds (column, value) of its nonzero
//! entries.

mod dop853;
mod dormand_prince;

/// One nonzero coefficient: (stage, value).
pub(crate) type Weight = (usize, f64);

/// An embedded pair with its dense output.
#[derive(Debug)]
pub(crate) struct Tableau {
    /// Order of the step.
    pub(crate) order: u32,
    /// The estimated error of a step falls like h to this power.
    pub(crate) error_power: u32,
    /// Stages of the step, the last of which is f(t + h, y₁).
    pub(crate) stages: usize,
    /// Times of the stages, then of the extra stages of the dense output.
    pub(crate) c: &'static [f64],
    /// Rows a_i of stages 1, 2, …; the last row of the step is b.
    pub(crate) a: &'static [&'static [Weight]],
    /// Weights of the error estimate.
    pub(crate) error: &'static [Weight],
    /// Weights of a second estimate of lower order, by which the first is scaled (empty if there is none).
    pub(crate) error_low: &'static [Weight],
    /// Weights of the coefficients of the dense output beyond the cubic Hermite part.
    pub(crate) dense: &'static [&'static [Weight]],
}

/// An explicit embedded Runge-Kutta pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Method {
    /// Order 5(4), seven stages (six per accepted step), dense output of order 4. Dormand & Prince (1980),
    /// J. Comput. Appl. Math. 6, 19–26.
    DormandPrince5,
    /// Order 8 with error estimates of order 5 and 3, dense output of order 7 by three more stages. Hairer,
    /// Nørsett & Wanner, Solving Ordinary Differential Equations I, II.5 and II.6 (code DOP853).
    #[default]
    Dop853,
}

impl Method {
    pub(crate) fn tableau(self) -> &'static Tableau {
        match self {
            Self::DormandPrince5 => &dormand_prince::TABLEAU,
            Self::Dop853 => &dop853::TABLEAU,
        }
    }

    /// Order of the step: its error over a fixed time falls like h to this power.
    pub fn order(self) -> u32 {
        self.tableau().order
    }

    /// Evaluations of the rate in an accepted step, without those of the dense output.
    pub fn stages(self) -> usize {
        self.tableau().stages - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const METHODS: [Method; 2] = [Method::DormandPrince5, Method::Dop853];

    #[test]
    fn rows_sum_to_the_stage_times() {
        for method in METHODS {
            let tableau = method.tableau();
            assert_eq!(tableau.a.len(), tableau.c.len());
            for (i, (row, c)) in tableau.a.iter().zip(tableau.c).enumerate() {
                let sum: f64 = row.iter().map(|(_, a)| a).sum();
                // Sums of numbers up to 43 of mixed signs.
                assert!((sum - c).abs() < 2e-14, "{method:?} row {i}: {sum} and {c}");
                assert!(row.iter().all(|&(j, _)| j < i), "{method:?} row {i} is explicit");
            }
        }
    }

    #[test]
    fn weights_integrate_polynomials_up_to_the_order() {
        for method in METHODS {
            let tableau = method.tableau();
            let b = tableau.a[tableau.stages - 1];
            for k in 0..tableau.order as i32 {
                let sum: f64 = b.iter().map(|&(j, w)| w * tableau.c[j].powi(k)).sum();
                assert!((sum - 1.0 / f64::from(k + 1)).abs() < 1e-14, "{method:?}: ∫ s^{k} is {sum}");
            }
        }
    }

    #[test]
    fn stages_from_the_sixth_integrate_cubics() {
        // C(4) holds for the late stages of DOP853: Σ a_ij c_j^k = c_i^(k+1) / (k+1), k < 4 from stage 5 on;
        // the condition checks single entries that the quadrature conditions miss.
        let tableau = Method::Dop853.tableau();
        for i in 5..tableau.c.len() {
            for k in 1..3 {
                let sum: f64 = tableau.a[i].iter().map(|&(j, a)| a * tableau.c[j].powi(k)).sum();
                let expected = tableau.c[i].powi(k + 1) / f64::from(k + 1);
                assert!((sum - expected).abs() < 2e-14, "row {i}, power {k}: {sum} and {expected}");
            }
        }
    }

    #[test]
    fn error_weights_annihilate_constants() {
        for method in METHODS {
            let tableau = method.tableau();
            for weights in [tableau.error, tableau.error_low] {
                let sum: f64 = weights.iter().map(|(_, e)| e).sum();
                assert!(sum.abs() < 1e-14, "{method:?}: {sum}");
            }
        }
    }
}
