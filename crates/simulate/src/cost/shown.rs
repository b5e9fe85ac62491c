//! How much of a run its first part shows.

use carom_dynamics::TimeFunction;
use carom_format::scenario::model::Scenario;

/// Steps in which the way of a motion is summed up.
const STEPS: usize = 1000;

/// The share of its work that the first part of a run is expected to show.
///
/// Steps take as much work at each time where vibration sets them, and along each piece of the way where
/// bodies slide over cells and knot spans. The share is the geometric mean of two parts: of the time, and of
/// the way of prescribed motions of joints.
///
/// * `part` — of the time of the run
pub(crate) fn shown(scenario: &Scenario, part: f64) -> f64 {
    let actions = scenario.joints().flat_map(|(_, joint)| [Some(&joint.action), joint.turn.as_ref()]);
    let motions = actions.flatten().filter_map(|action| action.motion.as_ref()?.function().ok());
    let ways: Vec<f64> =
        motions.filter_map(|motion| part_of_way(&motion, scenario.simulation.end_time, part)).collect();
    if ways.is_empty() {
        return part;
    }
    let of_way = ways.iter().sum::<f64>() / ways.len() as f64;
    (part * of_way).sqrt()
}

/// The part of its whole way that a coordinate covers in the first part of the time; none at rest.
fn part_of_way(motion: &TimeFunction, end: f64, part: f64) -> Option<f64> {
    let way = |until: f64| -> f64 {
        let at = |step: usize| motion.at(until * step as f64 / STEPS as f64).value;
        (0..STEPS).map(|step| (at(step + 1) - at(step)).abs()).sum()
    };
    let whole = way(end);
    (whole > 0.0 && whole.is_finite()).then(|| way(part * end) / whole).filter(|part| *part > 0.0)
}

#[cfg(test)]
mod tests {
    use carom_dynamics::Formula;

    use super::*;

    #[test]
    fn a_motion_from_rest_shows_less_of_its_way_than_of_its_time() {
        let quadratic = TimeFunction::Formula(Formula::parse("3*t^2").unwrap());
        let part = part_of_way(&quadratic, 2.0, 0.5).unwrap();
        assert!((part - 0.25).abs() < 1e-12, "{part}");
        // Back and forth: the way, not the place.
        let swing = TimeFunction::Formula(Formula::parse("sin(2*pi*t)").unwrap());
        let part = part_of_way(&swing, 1.0, 0.5).unwrap();
        assert!((part - 0.5).abs() < 1e-4, "{part}");
        assert_eq!(part_of_way(&TimeFunction::Constant(3.0), 1.0, 0.5), None);
    }
}
