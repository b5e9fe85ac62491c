//! How far a body has turned, for laws of small strains, which take rotations for strains.

use nalgebra::{Matrix3, Vector3};

/// Turn of a body from which on a law of small strains is doubted \[rad\].
pub(crate) const TURNED: f64 = 0.01;

/// The mean turn of a body, for small turns \[rad\]: the skew part of the affine motion that fits best.
///
/// * `mass` — of each point \[kg\]
/// * `points`, `u` — reference positions and displacements \[m\]
pub(crate) fn mean_turn(mass: &[f64], points: &[[f64; 3]], u: &[f64]) -> f64 {
    let total: f64 = mass.iter().sum();
    let mean = |of: &dyn Fn(usize) -> Vector3<f64>| -> Vector3<f64> {
        (0..mass.len()).map(|p| mass[p] * of(p)).sum::<Vector3<f64>>() / total
    };
    let place = |p: usize| Vector3::from(points[p]);
    let moved = |p: usize| Vector3::from_column_slice(&u[3 * p..3 * p + 3]);
    let (center, shift) = (mean(&place), mean(&moved));
    let (mut left, mut right) = (Matrix3::zeros(), Matrix3::zeros());
    for (p, &m) in mass.iter().enumerate() {
        let arm = place(p) - center;
        left += m * (moved(p) - shift) * arm.transpose();
        right += m * arm * arm.transpose();
    }
    let Some(inverse) = right.try_inverse() else { return 0.0 };
    let a = left * inverse;
    0.5 * Vector3::new(a[(2, 1)] - a[(1, 2)], a[(0, 2)] - a[(2, 0)], a[(1, 0)] - a[(0, 1)]).norm()
}

/// The warning about a body that has turned by more than [`TURNED`].
pub(crate) fn warning(body: &str, turn: f64) -> String {
    format!(
        "body `{body}` turned by {turn:.2e} rad: the linear law sees a strain of {:.1e} in that; give its \
         material `law = \"st-venant-kirchhoff\"`",
        0.5 * turn * turn
    )
}
