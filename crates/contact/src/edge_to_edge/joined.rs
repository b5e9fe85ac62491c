//! Positions that are equal up to rounding.

use std::collections::BTreeMap;

use nalgebra::Vector3;

/// Positions closer than this part of the size of the surface are equal: those that two faces compute of
/// their common place differ by rounding.
const SAME: f64 = 1e-8;

/// Direction in which two places of a usual body rarely have the same coordinate.
const DIRECTION: [f64; 3] = [0.548_813_5, 0.715_189_4, 0.432_667_9];

/// Numbered positions, sorted into layers across a direction.
#[derive(Debug, Clone)]
pub(super) struct Joined {
    /// Largest distance of equal positions \[m\].
    tolerance: f64,
    /// The positions of each layer, whose thickness is the tolerance: equal ones lie in the same layer or in
    /// neighbouring ones.
    layers: BTreeMap<i64, Vec<(Vector3<f64>, u32)>>,
}

impl Joined {
    /// No positions yet.
    ///
    /// * `points` — of the surface, whose size is that of the box around them \[m\]
    pub(super) fn new(points: &[Vector3<f64>]) -> Self {
        let first = points.first().copied().unwrap_or_default();
        let [low, high] = points.iter().fold([first; 2], |[low, high], x| [low.inf(x), high.sup(x)]);
        let tolerance = (SAME * (high - low).amax()).max(f64::MIN_POSITIVE);
        Self { tolerance, layers: BTreeMap::new() }
    }

    /// The number of an equal position, or that of a new one.
    pub(super) fn number(&mut self, x: Vector3<f64>, new: impl FnOnce() -> u32) -> u32 {
        // Equal positions may be a tolerance apart along the direction, a unit vector.
        let layer = (Vector3::from(DIRECTION).dot(&x) / self.tolerance).floor() as i64;
        let near = layer.saturating_sub(1)..=layer.saturating_add(1);
        let known = self.layers.range(near).flat_map(|(_, positions)| positions);
        let mut equal = known.filter(|(other, _)| (other - x).norm() <= self.tolerance);
        if let Some(&(_, number)) = equal.next() {
            return number;
        }
        let number = new();
        self.layers.entry(layer).or_default().push((x, number));
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Places that differ by rounding are one wherever they lie, also on both sides of a border of layers
    /// or of a decimal; those apart by more than the tolerance are two.
    #[test]
    fn places_that_differ_by_rounding_are_one() {
        let corners = [Vector3::repeat(-1.0), Vector3::repeat(1.0)];
        let layer = SAME * 2.0;
        for k in 0..1000 {
            let a = f64::from(k);
            let direction = Vector3::new(a.sin(), (1.7 * a).cos(), (0.3 * a).sin()).normalize();
            // Half of the places lie on borders of layers.
            let along = if k % 2 == 0 { (1e3 * a).round() * layer } else { (2.9 * a).sin() };
            let x = along * Vector3::from(DIRECTION);
            let mut known = Joined::new(&corners);
            assert_eq!(known.number(x, || 7), 7);
            assert_eq!(known.number(x + 1e-12 * direction, || 8), 7, "{k}");
            assert_eq!(known.number(x - 1e-12 * direction, || 8), 7, "{k}");
            assert_eq!(known.number(x + 2.0 * layer * direction, || 9), 9, "{k}");
        }
    }
}
