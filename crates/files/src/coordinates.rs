//! Coordinates and lengths that can be computed with: what every reader and maker of geometry refuses alike.

use thiserror::Error;

/// Coordinates of this size and larger ones are mistakes \[m\]: products of five of them, as in an inertia,
/// would overflow.
pub const LARGEST: f64 = 1e60;

/// The valid range of a length in words, for messages.
pub const LENGTHS: &str = "a positive length in metres, from 1e-60 to 1e60";

/// Whether a length is positive, and its products neither overflow nor vanish.
pub fn is_length(value: f64) -> bool {
    (1.0 / LARGEST..=LARGEST).contains(&value)
}

/// A point that nothing can be computed with.
#[derive(Debug, Clone, PartialEq, Error)]
#[error(
    "{what} {number} has the coordinates ({:?}, {:?}, {:?}): they must be numbers between -1e60 and 1e60, in \
     metres, and those of anything that can be built are between -1e6 and 1e6; the file is damaged, write it \
     again",
    point[0], point[1], point[2]
)]
pub struct ImpossiblePoint {
    /// What the file calls it: "node", "control point".
    pub what: &'static str,
    /// Its number as the file counts.
    pub number: u64,
    /// Its coordinates.
    pub point: [f64; 3],
}

impl ImpossiblePoint {
    /// Takes a point that can be computed with.
    ///
    /// * `what`, `number` — what the file calls it, and its number there
    ///
    /// # Errors
    ///
    /// [`ImpossiblePoint`] if a coordinate is no number or as large as [`LARGEST`].
    pub fn check(what: &'static str, number: u64, point: [f64; 3]) -> Result<(), Self> {
        // A NaN fails this test too.
        if point.iter().all(|x| x.abs() < LARGEST) { Ok(()) } else { Err(Self { what, number, point }) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_numbers_whose_products_are_numbers_are_coordinates() {
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
        // An inertia, ρ L⁵, of the largest body is a number.
        assert!((8e3 * (2.0 * LARGEST).powi(5)).is_finite());
    }
}
