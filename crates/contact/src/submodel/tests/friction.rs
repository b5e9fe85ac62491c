//! Friction against Cattaneo's and Mindlin's closed form, Coulomb's law, momenta and energy.

use super::*;
use crate::closed_form::HertzPair;

const YOUNG: f64 = 210e9;
const RADIUS: f64 = 0.015;
const APPROACH: f64 = 7.3394e-6;
const MU: f64 = 0.3;

/// ∫∫ over the square of side h around the origin of x²/r³, xy/r³ and y²/r³ seen from (x, y).
fn cerruti(x: f64, y: f64, h: f64) -> [f64; 3] {
    let corners = |f: &dyn Fn(f64, f64) -> f64| {
        let (a, b) = (0.5 * h, 0.5 * h);
        f(x + a, y + b) - f(x - a, y + b) - f(x + a, y - b) + f(x - a, y - b)
    };
    // ln(x + r) is ln y² − ln(r − x); the first part cancels.
    let log = |x: f64, y: f64| {
        if x > 0.0 { (x + x.hypot(y)).ln() } else { 2.0 * y.abs().ln() - (x.hypot(y) - x).ln() }
    };
    [corners(&|x, y| y * log(x, y)), corners(&|x, y| -x.hypot(y)), corners(&|x, y| x * log(y, x))]
}

/// Compliance of a half-space between the nodes of a square grid with spacing h, normal and tangential
/// uncoupled, as for bodies of like materials (Johnson, *Contact Mechanics*, section 3.6).
pub(super) fn half_space(points: &[Vector3<f64>], h: f64, poisson: f64) -> Mat<f64> {
    let shear = 0.5 * YOUNG / (1.0 + poisson);
    let unit = 1.0 / (2.0 * std::f64::consts::PI * shear * h * h);
    Mat::from_fn(3 * points.len(), 3 * points.len(), |i, j| {
        let d = points[i / 3] - points[j / 3];
        let [xx, xy, yy] = cerruti(d.x, d.y, h);
        unit * match (i % 3, j % 3) {
            (0, 0) => xx + (1.0 - poisson) * yy,
            (1, 1) => yy + (1.0 - poisson) * xx,
            (0, 1) | (1, 0) => poisson * xy,
            (2, 2) => (1.0 - poisson) * (xx + yy),
            _ => 0.0,
        }
    })
}

/// A half-space pressed by a rigid sphere from below, with `cells` cells on the contact radius.
struct Press {
    model: QuasistaticContact,
    positions: Vec<Vec<f64>>,
    warm: WarmState,
    work: Workspace,
}

impl Press {
    fn new(cells: usize, law: Law, poisson: f64) -> Self {
        let hertz = HertzPair::new([RADIUS, f64::INFINITY], [YOUNG, f64::INFINITY], [poisson; 2]);
        let h = hertz.at_approach(APPROACH).contact_radius / cells as f64;
        let n = 2 * (cells + cells / 5 + 1) + 1;
        let side = n as f64 * h;
        let place = |x: f64, y: f64| [(x - 0.5) * side + 0.1 * h, (y - 0.5) * side, 0.0];
        let (mut surface, points) = plate(FaceShape::Quad4, n, n, place);
        surface.faces.iter_mut().for_each(|f| f.orientation = -1.0);
        let compliance = half_space(&points, h, poisson);
        let first = faced(0, "patch", (surface, points), Some(compliance));
        let sphere = Sphere { center: Vector3::zeros(), radius: RADIUS };
        let (mut model, positions) = problem_with((vec![first, rigid(1, Shape::Sphere(sphere))], law), MU);
        model.tolerances.relative = 1e-9;
        let (warm, work) = (model.cold(), model.workspace());
        Self { model, positions, warm, work }
    }

    /// Moves the sphere to a shift, accepts, and returns the forces on it.
    fn shift(&mut self, shift: [f64; 2]) -> Vector3<f64> {
        let place = Vector3::new(shift[0], shift[1], APPROACH - RADIUS);
        let states = [
            at(&self.positions[0], Vector3::zeros(), Matrix3::identity()),
            at(&self.positions[1], place, Matrix3::identity()),
        ];
        self.model.solve(&states, &mut self.warm, &mut self.work).unwrap();
        self.model.accept(&mut self.warm, &self.work);
        self.work.solution.pairs[0].force_i
    }
}

/// T/(μN) of Mindlin's sphere at a shift: δ = 3 μ N (2 − ν)/(16 a G) [1 − (1 − T/μN)^(2/3)] (Johnson, eq.
/// (7.42)).
fn mindlin(shift: f64, normal: f64, radius: f64, poisson: f64) -> f64 {
    let shear = 0.5 * YOUNG / (1.0 + poisson);
    let most = 3.0 * MU * normal * (2.0 - poisson) / (16.0 * radius * shear);
    1.0 - (1.0 - (shift / most).min(1.0)).powf(1.5)
}

#[test]
fn a_sheared_sphere_has_mindlins_force() {
    let hertz = HertzPair::new([RADIUS, f64::INFINITY], [YOUNG, f64::INFINITY], [0.0; 2]);
    let exact = hertz.at_approach(APPROACH);
    let mut errors = Vec::new();
    for cells in [4, 8] {
        let mut press = Press::new(cells, Law::Hard, 0.0);
        press.shift([0.0; 2]);
        let mut worst = 0.0f64;
        for k in 1..=12 {
            let shift = 0.1 * f64::from(k) * MU * APPROACH;
            press.shift([shift, 0.0]);
            let pair = &press.work.solution.pairs[0];
            let (force, ratio) = (pair.friction_i, pair.friction_i.norm() / (MU * pair.force));
            let expected = mindlin(shift, exact.force, exact.contact_radius, 0.0);
            worst = worst.max((ratio - expected).abs());
            // The force of the half-space is opposite to the shift of the sphere.
            assert!(force.x < 0.0 && force.y.abs() < 1e-3 * force.x.abs() && ratio <= 1.0 + 1e-9);
            println!("shift {k}: T/(mu N) {ratio:.5}, Mindlin {expected:.5}");
        }
        println!("a/h = {cells}: largest error of T/(mu N) {worst:.4}");
        errors.push(worst);
    }
    assert!(errors[1] < 0.6 * errors[0] && errors[1] < 0.02, "{errors:?}");
}

#[test]
fn the_loss_of_a_shear_cycle_equals_its_work() {
    for law in [Law::Hard, Law::of_materials(50.0, YOUNG)] {
        let mut press = Press::new(4, law, 0.3);
        press.shift([0.0; 2]);
        let (mut work, mut last, mut before) = (0.0, 0.0, 0.0);
        let amplitude = 0.7 * MU * APPROACH;
        let start = press.work.solution.energy();
        for k in 1..=150 {
            let shift = amplitude * (0.05 * f64::from(k)).sin();
            let force = press.shift([shift, 0.0]);
            work += -0.5 * (force.x + before) * (shift - last);
            (last, before) = (shift, force.x);
            let loss = press.work.solution.friction_loss;
            let stored = press.work.solution.energy() - start;
            // The work is summed by the trapezoidal rule, like the loss.
            assert!((work - stored - loss).abs() < 2e-3 * (work.abs() + loss), "{k}: {work} {stored} {loss}");
        }
        assert!(press.work.solution.friction_loss > 0.0);
    }
}

#[test]
fn slip_follows_the_motion_and_never_creates_energy() {
    let mut press = Press::new(3, Law::of_materials(100.0, YOUNG), 0.3);
    press.shift([0.0; 2]);
    let mut loss = 0.0;
    for k in 1..=120 {
        let angle = 0.05 * f64::from(k);
        let radius = 20.0 * MU * APPROACH;
        press.shift([radius * angle.sin(), radius * (1.0 - angle.cos())]);
        let friction = press.work.solution.pairs[0].friction_i;
        let now = press.work.solution.friction_loss;
        assert!(now >= loss - 1e-12, "{k}");
        loss = now;
        // In full slip friction is opposite to the path, whose tangent is (cos, sin).
        if k > 20 {
            let ratio = friction.norm() / (MU * press.work.solution.pairs[0].force);
            let across = (friction.x * angle.sin() - friction.y * angle.cos()).abs() / friction.norm();
            // It lags by the shift of the shear before the slip, a twentieth or so of the radius of the
            // path.
            assert!(ratio > 0.99 && across < 0.1, "{k}: {ratio} {across}");
        }
    }
}

#[test]
fn two_elastic_faces_conserve_both_momenta() {
    // Two curved patches with unmatched faces that slide and rotate against each other.
    let curved = |index: usize, n: usize, curvature: f64| {
        let place = |x: f64, y: f64| {
            let (x, y) = (1.2e-3 * (x - 0.5), 1.2e-3 * (y - 0.5));
            [x, y, 0.5 * curvature * (x * x + y * y)]
        };
        let (mut surface, points) = plate(FaceShape::Quad9, n, n, place);
        // The upper body has its material above.
        if index == 0 {
            surface.faces.iter_mut().for_each(|f| f.orientation = -1.0);
        }
        let compliance = Mat::from_fn(3 * points.len(), 3 * points.len(), |i, j| {
            let r = (points[i / 3] - points[j / 3]).norm();
            if i % 3 == j % 3 { 2e-12 / (r + 5e-5) } else { 0.0 }
        });
        faced(index, "patch", (surface, points), Some(compliance))
    };
    let parts = vec![curved(0, 9, 1.0 / RADIUS), curved(1, 7, -1.0 / RADIUS)];
    let (model, positions) = problem_with((parts, Law::of_materials(100.0, 1e11)), MU);
    let (mut warm, mut work) = (model.cold(), model.workspace());
    for k in 0..8 {
        let t = f64::from(k);
        let rot = [turn([0.2, 0.1, 1.0], 1e-3 * t), turn([0.3, -0.1, 1.0], -2e-3 * t)];
        let place = [Vector3::new(2e-6 * t, 1e-6 * t, -4e-6), Vector3::zeros()];
        let states = [at(&positions[0], place[0], rot[0]), at(&positions[1], place[1], rot[1])];
        model.solve(&states, &mut warm, &mut work).unwrap();
        model.accept(&mut warm, &work);
        let (mut force, mut moment) = (Vector3::zeros(), Vector3::zeros());
        for b in 0..2 {
            let wrench = &work.solution.wrench[b];
            let f = rot[b] * wrench.force_b;
            force += f;
            moment += place[b].cross(&f) + rot[b] * wrench.moment_b;
        }
        let sums = &work.solution.pairs[0];
        assert!(sums.force > 0.0);
        if k > 0 {
            assert!(sums.friction_i.norm() > 1e-3 * sums.force, "{k}");
        }
        assert!(force.norm() < 1e-12 * sums.force, "{k}: {force}");
        assert!(moment.norm() < 1e-12 * sums.force * RADIUS, "{k}: {moment}");
    }
}
