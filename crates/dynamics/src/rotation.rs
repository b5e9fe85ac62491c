//! Rotations as quaternions b = (b₀, b₁, b₂, b₃) of any positive length, body axes → inertial axes
//! (docs/theory/floating-frame.md, section 3.1).

use nalgebra::{Matrix3, Vector3};

/// The identity.
pub const IDENTITY: [f64; 4] = [1.0, 0.0, 0.0, 0.0];

/// ã with ã b = a × b.
pub fn skew(a: &Vector3<f64>) -> Matrix3<f64> {
    Matrix3::new(0.0, -a.z, a.y, a.z, 0.0, -a.x, -a.y, a.x, 0.0)
}

/// |b|².
pub fn norm_squared(b: &[f64; 4]) -> f64 {
    b.iter().map(|b| b * b).sum()
}

/// A = ((b₀² − bᵥ·bᵥ) E + 2 bᵥ bᵥᵀ + 2 b₀ b̃ᵥ) / |b|². The length of b has no influence.
pub fn matrix(b: &[f64; 4]) -> Matrix3<f64> {
    let s = 1.0 / norm_squared(b);
    let [w, x, y, z] = *b;
    Matrix3::new(
        s * (w * w + x * x - y * y - z * z),
        2.0 * s * (x * y - w * z),
        2.0 * s * (x * z + w * y),
        2.0 * s * (x * y + w * z),
        s * (w * w - x * x + y * y - z * z),
        2.0 * s * (y * z - w * x),
        2.0 * s * (x * z - w * y),
        2.0 * s * (y * z + w * x),
        s * (w * w - x * x - y * y + z * z),
    )
}

/// Product b ⊗ c: first c, then b.
pub fn product(b: &[f64; 4], c: &[f64; 4]) -> [f64; 4] {
    [
        b[0] * c[0] - b[1] * c[1] - b[2] * c[2] - b[3] * c[3],
        b[0] * c[1] + b[1] * c[0] + b[2] * c[3] - b[3] * c[2],
        b[0] * c[2] - b[1] * c[3] + b[2] * c[0] + b[3] * c[1],
        b[0] * c[3] + b[1] * c[2] - b[2] * c[1] + b[3] * c[0],
    ]
}

/// ḃ = ½ b ⊗ (0, ω), ω the angular velocity in body axes \[rad/s\].
pub fn rate(b: &[f64; 4], omega_b: &Vector3<f64>) -> [f64; 4] {
    let half = 0.5 * omega_b;
    product(b, &[0.0, half.x, half.y, half.z])
}

/// Rotation by the vector θ \[rad\]: (cos |θ|/2, sin(|θ|/2) θ/|θ|), by its series for |θ| < 1e-4.
pub fn from_vector(theta: &Vector3<f64>) -> [f64; 4] {
    let angle = theta.norm();
    let factor = if angle < 1e-4 { 0.5 - angle * angle / 48.0 } else { (0.5 * angle).sin() / angle };
    [(0.5 * angle).cos(), factor * theta.x, factor * theta.y, factor * theta.z]
}

/// The rotation vector of a unit quaternion, of length up to π \[rad\]: the inverse of [`from_vector`].
pub fn to_vector(b: &[f64; 4]) -> Vector3<f64> {
    let sign = if b[0] < 0.0 { -1.0 } else { 1.0 };
    let half = sign * Vector3::new(b[1], b[2], b[3]);
    let sine = half.norm();
    // θ/sin(θ/2) = 2 to the round-off of small angles.
    let factor = if sine < 1e-9 { 2.0 } else { 2.0 * sine.atan2(sign * b[0]) / sine };
    factor * half
}

/// Divides b by its length and returns the deviation of the length from 1.
pub fn normalise(b: &mut [f64; 4]) -> f64 {
    let length = norm_squared(b).sqrt();
    b.iter_mut().for_each(|b| *b /= length);
    (length - 1.0).abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_matrix_of_a_quaternion_of_any_length_is_a_rotation() {
        let b = [0.3, -1.7, 0.9, 2.2];
        let a = matrix(&b);
        assert!((a * a.transpose() - Matrix3::identity()).norm() < 1e-15);
        assert!((a.determinant() - 1.0).abs() < 1e-15);
    }

    #[test]
    fn rotation_vector_turns_by_the_right_hand() {
        let a = matrix(&from_vector(&Vector3::new(0.0, 0.0, std::f64::consts::FRAC_PI_2)));
        assert!((a * Vector3::x() - Vector3::y()).norm() < 1e-15);
        // The series and the closed form agree where they meet.
        for angle in [0.999e-4, 1.001e-4] {
            let b = from_vector(&Vector3::new(angle, 0.0, 0.0));
            assert!((norm_squared(&b) - 1.0).abs() < 1e-15);
        }
    }

    #[test]
    fn product_of_quaternions_is_product_of_matrices() {
        let (b, c) = ([0.4, 0.2, -0.5, 0.7], [-0.1, 0.9, 0.3, 0.2]);
        assert!((matrix(&product(&b, &c)) - matrix(&b) * matrix(&c)).norm() < 1e-15);
    }

    #[test]
    fn quaternion_rate_gives_the_rate_of_the_matrix() {
        // Ȧ = A ω̃ against a central difference.
        let b = from_vector(&Vector3::new(0.3, -0.8, 0.5));
        let omega = Vector3::new(1.1, 0.4, -0.7);
        let h = 1e-5;
        let at = |t: f64| {
            let r = rate(&b, &omega);
            matrix(&std::array::from_fn(|i| b[i] + t * r[i]))
        };
        let difference = (at(h) - at(-h)) / (2.0 * h);
        assert!((difference - matrix(&b) * skew(&omega)).norm() < 1e-9);
    }
}
