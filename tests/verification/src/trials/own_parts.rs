//! Places on the parts of the gallery at which a ball hits them: the table `meshes/parts/places.csv`.

use carom_contact::closed_form::hertz_ellipse;
use nalgebra::Vector3;

use super::drawn::{BALL, Spot};
use super::{GAP, modulus};
use crate::BenchError;

/// The parts by the names of their files.
const SCRIPTS: [(&str, &str); 20] = [
    ("bearing-cap.geo", include_str!("../../../../meshes/parts/bearing-cap.geo")),
    ("block-with-bores.geo", include_str!("../../../../meshes/parts/block-with-bores.geo")),
    ("bracket.geo", include_str!("../../../../meshes/parts/bracket.geo")),
    ("cup.geo", include_str!("../../../../meshes/parts/cup.geo")),
    ("eccentric.geo", include_str!("../../../../meshes/parts/eccentric.geo")),
    ("flange.geo", include_str!("../../../../meshes/parts/flange.geo")),
    ("fork.geo", include_str!("../../../../meshes/parts/fork.geo")),
    ("gear-blank.geo", include_str!("../../../../meshes/parts/gear-blank.geo")),
    ("housing.geo", include_str!("../../../../meshes/parts/housing.geo")),
    ("keyed-shaft.geo", include_str!("../../../../meshes/parts/keyed-shaft.geo")),
    ("nut.geo", include_str!("../../../../meshes/parts/nut.geo")),
    ("piston.geo", include_str!("../../../../meshes/parts/piston.geo")),
    ("pulley.geo", include_str!("../../../../meshes/parts/pulley.geo")),
    ("ribbed-plate.geo", include_str!("../../../../meshes/parts/ribbed-plate.geo")),
    ("ring.geo", include_str!("../../../../meshes/parts/ring.geo")),
    ("rocker.geo", include_str!("../../../../meshes/parts/rocker.geo")),
    ("spring-clip.geo", include_str!("../../../../meshes/parts/spring-clip.geo")),
    ("tee.geo", include_str!("../../../../meshes/parts/tee.geo")),
    ("thin-plate.geo", include_str!("../../../../meshes/parts/thin-plate.geo")),
    ("vee-block.geo", include_str!("../../../../meshes/parts/vee-block.geo")),
];

/// Columns: file, part and name of the place; its coordinates, the outward normal and the principal
/// curvatures of the surface there; size of the cells of a resolved impact away from it; the body that hits;
/// the expected end, force and duration, and words of the error that is expected.
const TABLE: &str = include_str!("../../../../meshes/parts/places.csv");

/// Ratio of the sizes of contacts for the cells of resolved impacts.
const STEP: f64 = 1.25;

/// Radius and half of the length of the pin \[m\].
const PIN: [f64; 2] = [0.0119, 0.015];

/// A place of a part at which a body hits it.
pub(super) struct Hit {
    /// The place, with the figures of a resolved impact if they are known.
    pub(super) spot: Spot,
    /// Principal curvatures of the surface there, positive where it bulges \[1/m\].
    pub(super) curvatures: [f64; 2],
    pub(super) expected: Expected,
    /// True if a pin along y hits the part, and not a ball.
    is_pin: bool,
}

/// The expected end of an impact.
pub(super) enum Expected {
    /// Force \[N\] and duration \[s\] of an impact with cells that resolve the contact: the result of the
    /// case `own-parts-resolved`.
    Resolved([f64; 2]),
    /// An impact of which no figure is known.
    Open,
    /// An error with these words.
    Refused(String),
}

impl Hit {
    /// Reads a row of the table.
    fn parse(row: &str) -> Option<Self> {
        let fields: Vec<&str> = row.split(',').collect();
        let [file, part, place, numbers @ .., striker, expected, force, duration, words] = &fields[..] else {
            return None;
        };
        let (_, script) = SCRIPTS.iter().find(|(name, _)| name == file)?;
        let numbers: Vec<f64> = numbers.iter().map(|text| text.parse().ok()).collect::<Option<_>>()?;
        let [x, y, z, along_x, along_y, along_z, first, second, millimetres] = numbers[..] else {
            return None;
        };
        let expected = match *expected {
            "resolved" => Expected::Resolved([force.parse().ok()?, 1e-6 * duration.parse::<f64>().ok()?]),
            "open" => Expected::Open,
            "refused" => Expected::Refused((*words).to_owned()),
            _ => return None,
        };
        let mut spot = Spot::new(format!("{part}, {place}"), *script, [x, y, z], [along_x, along_y, along_z]);
        spot.size = 1e-3 * millimetres;
        let curvatures = [first, second];
        if let Expected::Resolved([force, duration]) = expected {
            let ellipse =
                hertz_ellipse(modulus(), curvatures.map(|curvature| curvature + 1.0 / BALL), force)?;
            let [a, b] = ellipse.semi_axes.map(step_above);
            (spot.semi_axes, spot.duration) = ([a.max(b), a.min(b)], duration);
        }
        Some(Self { spot, curvatures, expected, is_pin: *striker == "pin" })
    }

    /// The body that hits, as keys of a scenario.
    pub(super) fn striker(&self) -> String {
        let (place, normal) = (Vector3::from(self.spot.place), Vector3::from(self.spot.normal));
        let at = |x: Vector3<f64>| format!("position = [{:e}, {:e}, {:e}]", x.x, x.y, x.z);
        if self.is_pin {
            let [radius, half] = PIN;
            let origin = place + (radius + GAP) * normal - half * Vector3::y();
            let make = format!("make = {{ shape = \"rod\", radius = {radius}, length = {} }}", 2.0 * half);
            return format!(
                "{make}\nrotation = {{ axis = [0.0, 0.0, 1.0], degrees = 90.0 }}\n{}",
                at(origin)
            );
        }
        format!("make = {{ shape = \"ball\", radius = {BALL} }}\n{}", at(place + (BALL + GAP) * normal))
    }
}

/// The next power of [`STEP`]: contacts of like sizes share a model of the ball.
fn step_above(length: f64) -> f64 {
    STEP.powf((length.ln() / STEP.ln()).ceil())
}

/// All places.
pub(super) fn all_hits() -> Result<Vec<Hit>, BenchError> {
    let parse = |row: &str| {
        Hit::parse(row).ok_or_else(|| BenchError::Scenario(format!("meshes/parts/places.csv: row `{row}`")))
    };
    TABLE.lines().skip(1).map(parse).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_is_hit_at_three_places_at_least() {
        let hits = all_hits().unwrap();
        assert_eq!(SCRIPTS.len(), 20);
        for (file, script) in SCRIPTS {
            let own = hits.iter().filter(|hit| hit.spot.script == script);
            assert!(own.count() >= 3, "{file}");
        }
        for hit in &hits {
            assert!((Vector3::from(hit.spot.normal).norm() - 1.0).abs() < 1e-9, "{}", hit.spot.name);
        }
    }
}
