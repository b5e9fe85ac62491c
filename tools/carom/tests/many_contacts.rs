//! Plots of a run with more contacts than a legend holds.

use crate::program::Place;

/// Rigid balls in a row, of which the last one hits the one before.
fn row_of_balls(n: usize) -> String {
    let mut text = "[simulation]\nscheme = \"rigid\"\nend_time = 0.02\ntime_step = 1e-3\n".to_owned();
    for k in 0..n {
        let speed = if k + 1 == n { -1.0 } else { 0.0 };
        text += &format!(
            "[[body]]\nname = \"ball{k}\"\nmake = {{ shape = \"ball\", radius = 0.1 }}\n\
             material = \"steel\"\nposition = [{}, 0.0, 0.0]\nvelocity = [{speed:?}, 0.0, 0.0]\n\
             [[body.shape]]\nname = \"skin\"\nkind = \"ball\"\nradius = 0.1\n",
            0.205 * k as f64
        );
    }
    text + "[[contact]]\nbetween = [\"ball*:skin\", \"ball*:skin\"]\n"
}

/// Fifteen pairs; with one legend entry for each pair a plot of fifty bodies was higher than any picture.
#[test]
fn plots_of_many_contacts_have_those_with_the_largest_forces_and_the_least_gaps() {
    let place = Place::new();
    place.write("row.toml", &row_of_balls(6));
    place.ok(&["run", "row.toml", "-j", "1"]);
    let plot = |name: &str| std::fs::read_to_string(place.path().join("row/plots").join(name)).unwrap();
    let forces = plot("contact-force.svg");
    assert!(forces.contains("the 8 largest of 15 contacts"), "{forces}");
    // Three pairs collide one after the other; the last ones in the list do so.
    for pair in ["ball2/ball3", "ball3/ball4", "ball4/ball5"] {
        assert!(forces.contains(pair), "no {pair}: {forces}");
    }
    let gaps = plot("gap.svg");
    assert!(gaps.contains("the 8 least of 15 contacts"), "{gaps}");
}
