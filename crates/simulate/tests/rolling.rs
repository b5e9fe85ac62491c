//! Balls that roll over the borders of patches and knot spans.

use crate::fixtures::solve;

/// A ball rolls thirteen turns across the five patches of the end of a rod, in several directions: v = ω R
/// without loss of energy.
#[test]
fn a_ball_rolls_over_borders_of_patches_without_loss() {
    for (heading, side) in [([1.0, 0.0], 0.003), ([0.6, 0.8], 0.0), ([0.0, -1.0], -0.007)] {
        let ([x, y], radius, speed) = (heading, 1e-3_f64, 0.2);
        let start = [-0.04 * x - side * y, -0.04 * y + side * x, 0.02 + radius];
        let velocity = [speed * x, speed * y, 0.0];
        let omega = [-speed / radius * y, speed / radius * x, 0.0];
        let outcome = solve(&format!(
            "[simulation]\nscheme = \"rigid\"\nend_time = 0.4\ntime_step = 1e-3\ngravity = [0.0, 0.0, \
             -9.81]\n[[body]]\nname = \"ball\"\nmake = {{ shape = \"ball\", radius = {radius:?} }}\nmaterial \
             = \"steel\"\nposition = {start:?}\nvelocity = {velocity:?}\nangular_velocity = {omega:?}\n\
             [[body.shape]]\nname = \"outside\"\nkind = \"ball\"\nradius = {radius:?}\n[[body]]\nname = \
             \"rod\"\nmake = {{ shape = \"rod\", radius = 0.05, length = 0.02, elements = [4, 4, 1] }}\n\
             material = \"steel\"\nfixed = true\nrotation = {{ axis = [0.0, 1.0, 0.0], degrees = -90.0 }}\n\
             [[contact]]\nbetween = [\"ball:outside\", \"rod:end\"]\nrestitution = 0.0\nfriction = 0.3\n"
        ))
        .unwrap();
        let ball = &outcome.bodies[0];
        for k in 0..3 {
            let way = [0.08 * x, 0.08 * y, 0.0][k];
            assert!((ball.position[k] - start[k] - way).abs() < 1e-13, "{heading:?}: {ball:?}");
            assert!((ball.velocity[k] - velocity[k]).abs() < 1e-13, "{heading:?}: {ball:?}");
            assert!((ball.angular_velocity[k] - omega[k]).abs() < 1e-10, "{heading:?}: {ball:?}");
        }
        assert!(outcome.summary.ledger.energy_error < 1e-13, "{:?}", outcome.summary.ledger);
    }
}
