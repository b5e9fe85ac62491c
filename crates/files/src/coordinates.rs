//! Valid range of coordinates and lengths, for all readers and makers of geometry.

use thiserror::Error;

/// Limit of coordinates \[m\]: products of five larger ones, as in an inertia, would overflow.
pub const LARGEST: f64 = 1e60;

/// The valid range of a length in words, for messages.
pub const LENGTHS: &str = "a positive length in metres, from 1e-60 to 1e60";

/// True if a length is positive and its products neither overflow nor underflow.
pub fn is_length(value: f64) -> bool {
    (1.0 / LARGEST..=LARGEST).contains(&value)
}

/// The error for a point with invalid coordinates.
#[derive(Debug, Clone, PartialEq, Error)]
#[error(
    "{what} {number} has the coordinates ({:?}, {:?}, {:?}): they must be numbers between -1e60 and 1e60, \
     in metres (those of real parts are between -1e6 and 1e6); the file is damaged, write it \
     again",
    point[0], point[1], point[2]
)]
pub struct ImpossiblePoint {
    /// Its name in the file: "node", "control point".
    pub what: &'static str,
    /// Its number in the file.
    pub number: u64,
    /// Its coordinates.
    pub point: [f64; 3],
}

impl ImpossiblePoint {
    /// Checks the coordinates of a point.
    ///
    /// * `what`, `number` — its name and number in the file
    ///
    /// # Errors
    ///
    /// [`ImpossiblePoint`] if a coordinate is NaN or its magnitude at least [`LARGEST`].
    pub fn check(what: &'static str, number: u64, point: [f64; 3]) -> Result<(), Self> {
        // NaN fails this test too.
        if point.iter().all(|x| x.abs() < LARGEST) { Ok(()) } else { Err(Self { what, number, point }) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_are_numbers_whose_products_are_finite() {
        assert_eq!(ImpossiblePoint::check("node", 7, [-1e59, 0.0, 1e-300]), Ok(()));
        for wrong in [f64::NAN, f64::INFINITY, 1e308, -1e60] {
            let message = ImpossiblePoint::check("node", 7, [0.5, wrong, 0.0]).unwrap_err().to_string();
            assert!(
                message.starts_with(&format!("node 7 has the coordinates (0.5, {wrong:?}, 0.0)")),
                "{message}"
            );
        }
        assert!(is_length(1e59) && is_length(1e-59));
        assert!([0.0, -1.0, 1e300, 1e-300, f64::NAN, f64::INFINITY].iter().all(|&x| !is_length(x)));
        // The inertia ρ L⁵ of the largest body is finite.
        assert!((8e3 * (2.0 * LARGEST).powi(5)).is_finite());
    }
}
