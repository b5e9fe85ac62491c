//! One step of Newton's method with a trust region: the quadratic model of Π, and its minimum within a
//! radius.

use faer::Mat;
use nalgebra::{DMatrix, DVector};

/// Forces in directions without resistance count above this ratio to those in other directions.
const ASIDE: f64 = 0.1;
/// Stiffness relative to the largest that counts as zero.
const SOFT: f64 = 1e-10;

/// The quadratic model of Π at some motions, in the eigenvectors of H.
pub(super) struct Model {
    stiffness: DMatrix<f64>,
    vectors: DMatrix<f64>,
    values: DVector<f64>,
    /// r in the eigenvectors, without directions that have neither stiffness nor force.
    components: DVector<f64>,
    /// r in the motions.
    pub(super) residual: DVector<f64>,
    /// The part of it in directions without resistance.
    pub(super) unresisted: DVector<f64>,
}

impl Model {
    /// The model of stiffness H and forces r. Forces up to `unresisted` in directions without resistance
    /// count as zero \[N\].
    pub(super) fn new(h: Mat<f64>, residual: &DVector<f64>, unresisted: f64) -> Self {
        let stiffness = DMatrix::from_fn(h.nrows(), h.ncols(), |i, j| h[(i, j)]);
        let eigen = stiffness.clone().symmetric_eigen();
        let mut components = eigen.eigenvectors.transpose() * residual;
        let soft = SOFT * eigen.eigenvalues.amax();
        let is_soft = |k: usize| eigen.eigenvalues[k] <= soft;
        // While pressures are far from equilibrium they have lateral parts too, which must not cause sliding.
        let stiff =
            (0..components.len()).filter(|&k| !is_soft(k)).map(|k| components[k].abs()).fold(0.0, f64::max);
        let counts = unresisted.max(ASIDE * stiff);
        for k in (0..components.len()).filter(|&k| is_soft(k)) {
            if components[k].abs() <= counts {
                components[k] = 0.0;
            }
        }
        let values = eigen.eigenvalues.map(|value| if value <= soft { 0.0 } else { value });
        let residual = &eigen.eigenvectors * &components;
        let pushed = components.zip_map(&values, |c, value| if value == 0.0 { c } else { 0.0 });
        let unresisted = &eigen.eigenvectors * pushed;
        Self { stiffness, vectors: eigen.eigenvectors, values, components, residual, unresisted }
    }

    /// (H + μ) step = r with the smallest μ ≥ 0 for which no motion exceeds the radius, and whether μ is
    /// above 0.
    pub(super) fn step(&self, radius: f64) -> (DVector<f64>, bool) {
        let at = |mu: f64| {
            let scaled = self
                .components
                .zip_map(&self.values, |c, value| if c == 0.0 { 0.0 } else { c / (value + mu) });
            &self.vectors * scaled
        };
        let fits = |step: &DVector<f64>| step.iter().all(|x| x.is_finite()) && step.amax() <= radius;
        let full = at(0.0);
        if fits(&full) {
            return (full, false);
        }
        // With μ = |r|/radius the step is short enough.
        let (mut low, mut high) = (0.0, self.components.norm() / radius);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if fits(&at(middle)) { high = middle } else { low = middle }
        }
        (at(high), true)
    }

    /// Norm of other forces, without those in directions that the model does not change.
    pub(super) fn left_of(&self, residual: &DVector<f64>) -> f64 {
        let components = self.vectors.transpose() * residual;
        let counts = |k: &usize| self.values[*k] != 0.0 || self.components[*k] != 0.0;
        (0..components.len()).filter(counts).map(|k| components[k].powi(2)).sum::<f64>().sqrt()
    }

    /// Decrease of Π by the step according to the model.
    pub(super) fn promise(&self, step: &DVector<f64>) -> f64 {
        (self.residual.dot(step) - 0.5 * step.dot(&(&self.stiffness * step))).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_solves_the_quadratic_model_or_ends_at_the_trust_radius() {
        let h = Mat::from_fn(3, 3, |i, j| [[2.0, 1.0, 0.0], [1.0, 3.0, 0.0], [0.0, 0.0, 0.0]][i][j]);
        let free = Model::new(h.clone(), &DVector::from_vec(vec![1.0, 2.0, 1e-12]), 1e-9);
        let (step, limited) = free.step(10.0);
        assert!(
            !limited && (&free.stiffness * &step - DVector::from_vec(vec![1.0, 2.0, 0.0])).amax() < 1e-14
        );
        let (short, limited) = free.step(0.1);
        assert!(limited && (short.amax() - 0.1).abs() < 1e-12 && free.promise(&short) > 0.0);
        let sliding = Model::new(h, &DVector::from_vec(vec![1.0, 2.0, 1.0]), 1e-9);
        let (step, limited) = sliding.step(10.0);
        assert!(limited && (step[2] - 10.0).abs() < 1e-9, "{step}");
    }
}
