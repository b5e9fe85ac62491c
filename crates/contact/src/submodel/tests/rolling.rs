//! A sphere that rolls over a half-space: creep against Kalker's linear theory, the loss against the
//! work.

use super::friction::half_space;
use super::*;
use crate::closed_form::HertzPair;

const YOUNG: f64 = 210e9;
const RADIUS: f64 = 0.015;
const APPROACH: f64 = 7.3394e-6;
/// Radius over which the sphere rolls without a force along its way: R (1 − 0.3 d/R).
const FREE: f64 = 0.3;

/// A strip of half-space above a rigid sphere that rolls towards +x, with its middle at a fixed depth.
struct Roll {
    /// Pressure cells on the contact radius.
    cells: usize,
    approach: f64,
    friction: f64,
    poisson: f64,
    /// Distance in contact radii, and steps in which the contact moves by a cell.
    way: f64,
    steps: usize,
    creep: f64,
}

/// Means over the second half of the distance, where the initial shear has left the contact.
#[derive(Debug)]
struct Settled {
    /// Loss by friction, and work less stored energy, over normal force and distance.
    loss: f64,
    work: f64,
    /// Force along the path over G a².
    drag: f64,
}

impl Roll {
    fn free(cells: usize) -> Self {
        Self { cells, approach: APPROACH, friction: 0.3, poisson: 0.3, way: 6.0, steps: 20, creep: 0.0 }
    }

    fn settle(&self) -> Settled {
        let hertz = HertzPair::new([RADIUS, f64::INFINITY], [YOUNG, f64::INFINITY], [self.poisson; 2]);
        let a = hertz.at_approach(self.approach).contact_radius;
        let h = a / self.cells as f64;
        let across = 2 * (self.cells + self.cells / 5 + 1) + 1;
        let cells_of_way = (self.way * self.cells as f64).ceil() as usize;
        let along = across + cells_of_way;
        let place = |x: f64, y: f64| {
            [(x * along as f64 - 0.5 * across as f64) * h, (y - 0.5) * across as f64 * h, 0.0]
        };
        let (mut surface, points) = plate(FaceShape::Quad4, along, across, place);
        surface.faces.iter_mut().for_each(|f| f.orientation = -1.0);
        let strip = faced(0, "strip", (surface, points.clone()), Some(half_space(&points, h, self.poisson)));
        let sphere = rigid(1, contact_sphere(RADIUS));
        let (mut model, positions) = problem_with((vec![strip, sphere], Law::Hard), self.friction);
        model.tolerances.relative = 1e-10;
        let (mut warm, mut work) = (model.cold(), model.workspace());
        let steps = self.steps * cells_of_way;
        let a_turn = -(1.0 + FREE * self.approach / RADIUS) * (1.0 + self.creep) / RADIUS;
        let (mut done, mut before, mut half) = (0.0, [0.0; 2], [0.0; 2]);
        let mut sums = [0.0; 2];
        for k in 0..=steps {
            let s = self.way * a * k as f64 / steps as f64;
            let rot = turn([0.0, 1.0, 0.0], a_turn * s);
            let states = [
                at(&positions[0], Vector3::zeros(), Matrix3::identity()),
                at(&positions[1], Vector3::new(s, 0.0, self.approach - RADIUS), rot),
            ];
            model.solve(&states, &mut warm, &mut work).unwrap();
            model.accept(&mut warm, &work);
            let wrench = &work.solution.wrench[1];
            let now = [(rot * wrench.force_b).x, (rot * wrench.moment_b).y];
            if k > 0 {
                let mean = |i: usize| -0.5 * (now[i] + before[i]);
                done += (mean(0) + mean(1) * a_turn) * self.way * a / steps as f64;
            }
            before = now;
            let lost = [work.solution.friction_loss, done - work.solution.energy()];
            if k == steps / 2 {
                half = lost;
            }
            if k > steps / 2 {
                let pair = &work.solution.pairs[0];
                [pair.force, pair.friction_i.x].iter().zip(&mut sums).for_each(|(f, sum)| *sum += f);
            }
            if k == steps {
                half = [lost[0] - half[0], lost[1] - half[1]];
            }
        }
        let [normal, drag] = sums.map(|sum| sum / (steps - steps / 2) as f64);
        let [loss, work] = half.map(|lost| lost / (normal * 0.5 * self.way * a));
        let shear = 0.5 * YOUNG / (1.0 + self.poisson);
        let settled = Settled { loss, work, drag: drag / (shear * a * a) };
        println!("a/h = {}, mu = {}: {settled:?}", self.cells, self.friction);
        settled
    }
}

/// A cell releases its shear as it leaves the contact, at the latest in the step in which its pressure ends:
/// that energy is part of the loss. With μ = 10 cells stick until then, and there is no other slip.
#[test]
fn the_loss_in_rolling_equals_the_work() {
    for friction in [0.1, 0.3, 1.0, 10.0] {
        let settled = Roll { friction, ..Roll::free(3) }.settle();
        // The loss is summed over steps of a twentieth of a cell; the pressure of a cell ends within its
        // last step.
        assert!((settled.loss / settled.work - 1.0).abs() < 0.05, "{settled:?}");
        assert!(settled.drag.abs() < 1e-4, "{settled:?}");
    }
}

/// Bodies of like materials that roll freely have no creep except for the turn of the sphere within the
/// contact, a part ξ ~ (a/R)² of the way. It causes forces G a² ξ, whose loss is the part ξ of their work:
/// relative to the normal force ~ G a³/R it is a part (a/R)³ of the distance, for all cells and friction.
#[test]
fn the_loss_of_free_rolling_is_of_order_contact_radius_over_radius_cubed() {
    let [coarse, fine] = [3, 4].map(|cells| Roll::free(cells).settle().work);
    assert!((coarse / fine - 1.0).abs() < 0.1, "{coarse} {fine}");
    // A quarter of the approach is half of the radius.
    let lighter = Roll { approach: 0.25 * APPROACH, ..Roll::free(3) }.settle().work;
    assert!((coarse / lighter / 8.0 - 1.0).abs() < 0.03, "{coarse} {lighter}");
    let rough = Roll { friction: 10.0, ..Roll::free(3) }.settle().work;
    assert!((rough / coarse - 1.0).abs() < 0.1, "{rough} {coarse}");
}

/// T = C₁₁ (2 G) a² ξ for a creep ξ so small that nothing slips but at the trailing edge (2 G as the sphere
/// is rigid), with C₁₁ = 3.40, 4.12 and 5.20 for ν = 0, ¼ and ½ at a circle: Kalker (1967), *On the Rolling
/// Contact of Two Elastic Bodies in the Presence of Dry Friction*. The loss is T ξ.
#[test]
fn small_creep_has_kalkers_force() {
    let creep = 2e-4;
    for (poisson, kalker) in [(0.0, 3.40), (0.25, 4.12)] {
        let roll = Roll { creep, poisson, friction: 3.0, way: 8.0, ..Roll::free(3) };
        let [free, settled] = [Roll { creep: 0.0, ..roll }.settle(), roll.settle()];
        let coefficient = (settled.drag - free.drag) / (2.0 * creep);
        println!("nu = {poisson}: C11 = {coefficient:.3}, Kalker {kalker}");
        assert!((coefficient / kalker - 1.0).abs() < 0.03, "{coefficient} {kalker}");
    }
}
