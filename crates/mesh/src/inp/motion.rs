//! Positions of nodes: coordinate systems, and instances that are moved and rotated.

use super::deck::{At, Deck, Keyword};
use super::error::ParseInpError;
use crate::vectors::{cross, dot, minus};

/// A rigid motion x → R x + t, identity by default.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Motion {
    /// Rows of the rotation.
    rotation: [[f64; 3]; 3],
    translation: [f64; 3],
}

impl Default for Motion {
    fn default() -> Self {
        Self { rotation: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], translation: [0.0; 3] }
    }
}

impl Motion {
    pub(super) fn apply(&self, x: [f64; 3]) -> [f64; 3] {
        [0, 1, 2].map(|i| dot(self.rotation[i], x) + self.translation[i])
    }

    /// Data lines of `*INSTANCE`: a translation, then two points of an axis and the angle in degrees by which
    /// the moved part is rotated about it, right-handed from the first point to the second.
    pub(super) fn of_instance(deck: &Deck, keyword: &Keyword) -> Result<Self, ParseInpError> {
        let mut motion = Self::default();
        if let Some(&line) = keyword.lines.first() {
            let numbers = deck.numbers(line)?;
            for (t, value) in motion.translation.iter_mut().zip(numbers) {
                *t = value;
            }
        }
        let Some(&line) = keyword.lines.get(1) else { return Ok(motion) };
        let wrong = || ParseInpError::Axes {
            place: deck.place(line.at),
            what: "a rotation needs seven numbers: two different points of the axis, and the angle in \
                degrees",
        };
        let &[ax, ay, az, bx, by, bz, degrees] = &deck.numbers(line)?[..] else { return Err(wrong()) };
        let (a, b) = ([ax, ay, az], [bx, by, bz]);
        let axis = normalised(minus(b, a)).ok_or_else(wrong)?;
        let rotation = rotation(axis, degrees);
        // x ↦ a + R (x + t − a)
        let moved = minus(motion.translation, a);
        motion.rotation = rotation;
        motion.translation = [0, 1, 2].map(|i| a[i] + dot(rotation[i], moved));
        Ok(motion)
    }
}

/// Rodrigues' formula, R = cos φ 1 + (1 − cos φ) n nᵀ + sin φ ñ, exact for multiples of 90°.
fn rotation(n: [f64; 3], degrees: f64) -> [[f64; 3]; 3] {
    let quarter = degrees.rem_euclid(360.0) / 90.0;
    let (sin, cos) = match quarter {
        0.0 => (0.0, 1.0),
        1.0 => (1.0, 0.0),
        2.0 => (0.0, -1.0),
        3.0 => (-1.0, 0.0),
        _ => degrees.to_radians().sin_cos(),
    };
    let skew = [[0.0, -n[2], n[1]], [n[2], 0.0, -n[0]], [-n[1], n[0], 0.0]];
    let mut r = [[0.0; 3]; 3];
    for i in 0..3 {
        for j in 0..3 {
            r[i][j] = (1.0 - cos) * n[i] * n[j] + sin * skew[i][j] + if i == j { cos } else { 0.0 };
        }
    }
    r
}

/// The coordinate system of nodes.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct NodeSystem {
    kind: Kind,
    /// Rotation and translation from local to global axes.
    pub(super) axes: Motion,
}

#[derive(Debug, Clone, Copy, PartialEq, Default)]
enum Kind {
    #[default]
    Rectangular,
    /// r, θ in degrees, z.
    Cylindrical,
    /// r, θ, and φ above the plane of θ, in degrees.
    Spherical,
}

impl NodeSystem {
    /// The system of a `*NODE`: `SYSTEM=R`, `C` or `S` within the axes of the last `*SYSTEM`.
    pub(super) fn of_keyword(self, deck: &Deck, keyword: &Keyword) -> Result<Self, ParseInpError> {
        let kind = match keyword.value("SYSTEM").map(str::to_uppercase).as_deref() {
            None | Some("R") => Kind::Rectangular,
            Some("C") => Kind::Cylindrical,
            Some("S") => Kind::Spherical,
            Some(_) => {
                let what = "SYSTEM of *NODE is R (rectangular), C (cylindrical) or S (spherical)";
                return Err(ParseInpError::Axes { place: deck.place(keyword.at), what });
            }
        };
        Ok(Self { kind, ..self })
    }

    pub(super) fn to_cartesian(self, [a, b, c]: [f64; 3]) -> [f64; 3] {
        let local = match self.kind {
            Kind::Rectangular => [a, b, c],
            Kind::Cylindrical => {
                let (sin, cos) = b.to_radians().sin_cos();
                [a * cos, a * sin, c]
            }
            Kind::Spherical => {
                let ((sin_b, cos_b), (sin_c, cos_c)) = (b.to_radians().sin_cos(), c.to_radians().sin_cos());
                [a * cos_b * cos_c, a * sin_b * cos_c, a * sin_c]
            }
        };
        if self.axes == Motion::default() { local } else { self.axes.apply(local) }
    }

    /// `*SYSTEM`: the origin; a point of the local x axis; a point on the side of the local y axis. Without
    /// the third point the z axis is unchanged and x is projected on its plane; without data the axes are the
    /// global ones.
    pub(super) fn axes(deck: &Deck, keyword: &Keyword) -> Result<Motion, ParseInpError> {
        let mut numbers = Vec::new();
        for &line in keyword.lines.iter().take(2) {
            numbers.extend(deck.numbers(line)?);
        }
        let point = |k: usize| [numbers[3 * k], numbers[3 * k + 1], numbers[3 * k + 2]];
        match numbers.len() {
            0 => Ok(Motion::default()),
            3 => Ok(Motion { translation: point(0), ..Motion::default() }),
            6 => {
                let [x, y, _] = minus(point(1), point(0));
                Self::triad(deck, keyword.at, point(0), [x, y, 0.0], [-y, x, 0.0])
            }
            9 => {
                Self::triad(deck, keyword.at, point(0), minus(point(1), point(0)), minus(point(2), point(0)))
            }
            _ => Err(ParseInpError::Axes { place: deck.place(keyword.at), what: NO_SYSTEM }),
        }
    }

    /// Axes with this origin, x along `u`, y on the side of `v`.
    fn triad(
        deck: &Deck,
        at: At,
        origin: [f64; 3],
        u: [f64; 3],
        v: [f64; 3],
    ) -> Result<Motion, ParseInpError> {
        let wrong = || ParseInpError::Axes { place: deck.place(at), what: NO_SYSTEM };
        let x = normalised(u).ok_or_else(wrong)?;
        let z = normalised(cross(x, v)).ok_or_else(wrong)?;
        let y = cross(z, x);
        Ok(Motion { rotation: [0, 1, 2].map(|i| [x[i], y[i], z[i]]), translation: origin })
    }
}

const NO_SYSTEM: &str = "*SYSTEM needs its origin, a point of its x axis and a point on the side of its y \
    axis, not all on one line";

fn normalised(v: [f64; 3]) -> Option<[f64; 3]> {
    let length = dot(v, v).sqrt();
    (length > 0.0 && length.is_finite()).then(|| v.map(|c| c / length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quarter_turn_about_an_axis_is_exact() {
        let r = rotation([0.0, 0.0, 1.0], 90.0);
        assert_eq!(r, [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]);
        let third = rotation([1.0 / 3f64.sqrt(); 3], 120.0);
        // About the diagonal x goes to y, y to z, z to x.
        for (i, row) in third.iter().enumerate() {
            for (j, value) in row.iter().enumerate() {
                let expected = f64::from(u8::from(i == (j + 1) % 3));
                assert!((value - expected).abs() < 1e-15, "{third:?}");
            }
        }
    }
}
