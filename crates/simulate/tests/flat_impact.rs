//! Two equal rods that meet with flat ends: the force has a plateau of ρ c A v/2 for 2 L/c and oscillates
//! about it.

use std::f64::consts::PI;

use carom_simulate::RunOutcome;

fn rod(name: &str, split: f64, rest: &str) -> String {
    format!(
        "[[body]]\nname = \"{name}\"\nmake = \
         {{ shape = \"rod\", radius = 0.005, length = 0.2, elements = [16, 1, 1] }}\nmaterial = \"steel\"\n\
         reduce = \
         {{ interface = [\"start\", \"end\"], up_to = 1.2e5, split = {split:?}, fields = \"surface\" }}\n\
         {rest}\n"
    )
}

/// The peak is 1.9 to 2.1 times the plateau at every split. The mean force agrees with the plateau to a third
/// of the period of the modes next to the split; the run reports both.
#[test]
fn a_flat_impact_has_the_mean_force_of_its_plateau_and_reports_the_oscillation() {
    for split in [3e4, 6e4, 1e5] {
        let outcome = solve(split);
        let [event] = outcome.summary.contacts[..] else { panic!("{:?}", outcome.summary.contacts) };
        let (speed, area) = ((210e9_f64 / 7800.0).sqrt(), PI * 0.005 * 0.005);
        let (plateau, duration) = (7800.0 * speed * area * 0.5, 0.4 / speed);
        let mean = event.mean_force().unwrap();
        let swing = outcome.warnings.iter().find(|text| text.contains("swings about its mean")).unwrap();
        assert!(
            swing.contains("`left:end` / `right:start`") && swing.contains("take `mean_force`"),
            "{split}: {swing}"
        );
        let third: f64 = swing.split("modes, ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
        println!(
            "{split}: peak {}, mean {}, duration {}, {}",
            event.peak_force / plateau,
            mean / plateau,
            event.duration() / duration,
            third / duration
        );
        // A third of the period of the first mode above the split, which lies within 15 % of it.
        assert!((0.85..1.0).contains(&(3.0 * third * split)), "{split}: {swing}");
        assert!((event.duration() - duration).abs() < third, "{split}: {event:?}");
        assert!((mean / plateau - 1.0).abs() < third / duration, "{split}: {mean} {plateau}");
        let is_coarse = outcome.warnings.iter().any(|text| text.contains("too coarse"));
        assert!(!is_coarse, "{split}: {:#?}", outcome.warnings);
    }
}

fn solve(split: f64) -> RunOutcome {
    let text = [
        "[simulation]\nend_time = 1.5e-4\nrelative_tolerance = 1.0e-4\n".to_owned(),
        rod("left", split, "position = [-0.2000001, 0.0, 0.0]\nvelocity = [1.0, 0.0, 0.0]"),
        rod("right", split, ""),
        "[[contact]]\nbetween = [\"left:end\", \"right:start\"]\nlaw = { kind = \"penalty\" }\n".to_owned(),
    ]
    .concat();
    crate::fixtures::solve(&text).unwrap()
}
