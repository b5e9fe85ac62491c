//! Runs each chapter and compares its numbers with closed forms, and its output with that in its head.

use std::path::Path;
use std::process::Command;

/// Output of a chapter.
struct Output(String);

impl Output {
    /// Runs a chapter with the given arguments.
    fn of(program: &str, arguments: &[&Path]) -> Self {
        let output = Command::new(program).args(arguments).output().expect("the chapter is built");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8(output.stdout).expect("chapters print text");
        println!("{text}");
        Self(text)
    }

    /// The first number of the line that begins with a name.
    fn number(&self, name: &str) -> f64 {
        let line =
            self.0.lines().find_map(|line| line.strip_prefix(name).filter(|rest| rest.starts_with("  ")));
        let rest = line.unwrap_or_else(|| panic!("no line `{name}` in\n{}", self.0));
        let number = rest.split_whitespace().next().expect("a number");
        number.trim_end_matches('°').parse().unwrap_or_else(|_| panic!("{number}"))
    }

    /// Compares with the last `text` block of the head of the chapter: the same words, numbers within
    /// one part in a thousand, and errors at rounding within a factor of a hundred.
    fn agrees_with_the_head_of(&self, source: &str) {
        let head: Vec<&str> =
            source.lines().map_while(|line| line.strip_prefix("//!")).map(str::trim).collect();
        let blocks: Vec<usize> = (0..head.len()).filter(|&i| head[i].starts_with("```")).collect();
        let [start, end] = blocks[blocks.len() - 2..] else { panic!("the head shows the output") };
        let shown: Vec<&str> = head[start + 1..end].iter().flat_map(|line| line.split_whitespace()).collect();
        let printed: Vec<&str> = self.0.split_whitespace().collect();
        assert_eq!(shown.len(), printed.len(), "the head of the chapter shows\n{shown:?}\nof\n{printed:?}");
        for (shown, printed) in shown.into_iter().zip(printed) {
            match (shown.parse::<f64>(), printed.parse::<f64>()) {
                (Ok(a), Ok(b)) if shown.contains('e') => {
                    assert!(b <= 100.0 * a.max(1e-16), "{printed} is shown as {shown}");
                }
                (Ok(a), Ok(b)) => assert!((a - b).abs() <= 1e-3 * a.abs(), "{printed} is shown as {shown}"),
                _ => assert_eq!(shown, printed),
            }
        }
    }
}

fn close(found: f64, expected: f64, relative: f64) {
    let error = found / expected - 1.0;
    assert!(error.abs() < relative, "{found} for {expected}: {error:.1e}");
}

#[test]
fn a_reduced_rod_has_the_frequencies_of_a_slender_rod() {
    let folder = tempfile::tempdir().unwrap();
    let output = Output::of(env!("CARGO_BIN_EXE_reduce_a_body"), &[folder.path()]);
    let (young, density, length, radius) = (210e9_f64, 7800.0, 0.4, 0.01);
    let wave = |modulus: f64| (modulus / density).sqrt() / (2.0 * length);
    // Torsion of a round rod is exact; the axial wave carries lateral inertia, ¼ (π ν R/L)² of its frequency.
    close(output.number("first torsion"), wave(young / 2.6), 1e-4);
    let lateral = 0.25 * (std::f64::consts::PI * 0.3 * radius / length).powi(2);
    close(output.number("first axial"), wave(young) * (1.0 - lateral), 1e-4);
    // Euler and Bernoulli's frequency; shear and rotary inertia lower it by half a per cent.
    let bending =
        22.373_285 * (young / density).sqrt() * 0.5 * radius / (std::f64::consts::TAU * length * length);
    close(output.number("first bending"), bending * 0.995, 2e-3);
    output.agrees_with_the_head_of(include_str!("../chapters/reduce_a_body.rs"));
    let picture = std::fs::read(folder.path().join("modes.png")).unwrap();
    assert!(picture.starts_with(b"\x89PNG") && picture.len() > 10_000);
}

/// Force of two equal elastic balls at a given approach: Hertz' with the factor 1 + k a/R of
/// docs/quasistatic.md, section 3.
fn force_of_balls(approach: f64) -> f64 {
    let (radius, modulus) = (0.015, 3e9 / (2.0 * 0.91));
    let table = [(0.0, 0.77), (0.01, 0.80), (0.0319, 0.869), (0.05, 0.907), (0.1, 1.0), (0.2, 1.15)];
    let ratio = (0.5 * radius * approach).sqrt() / radius;
    let i = table.iter().rposition(|(x, _)| *x <= ratio).unwrap().min(table.len() - 2);
    let ((x0, k0), (x1, k1)) = (table[i], table[i + 1]);
    let k = k0 + (k1 - k0) * (ratio - x0) / (x1 - x0);
    4.0 / 3.0 * modulus * (0.5_f64 * radius).sqrt() * approach.powf(1.5) * (1.0 + k * ratio)
}

#[test]
fn two_elastic_balls_meet_the_stiffness_of_balls() {
    let output = Output::of(env!("CARGO_BIN_EXE_impact_of_two_bodies"), &[]);
    // ½ m* v² is the work of the force up to the largest approach.
    let mass = 1200.0 * 4.0 / 3.0 * std::f64::consts::PI * 0.015_f64.powi(3);
    let (mut work, mut approach, step) = (0.0, 0.0, 1e-8);
    while work < 0.25 * mass * 25.0 {
        work += step * force_of_balls(approach + 0.5 * step);
        approach += step;
    }
    // docs/quasistatic.md, section 2: 2.5 % at two cells to a contact radius.
    close(output.number("peak force"), force_of_balls(approach), 0.025);
    // The impulse of a force d^1.5 is 0.54361 of peak force times duration; the impulse of whole balls
    // differs little. 5.2 % in duration at two cells to a contact radius.
    close(output.number("duration"), 1e6 * mass * 5.0 / (0.543_61 * force_of_balls(approach)), 0.06);
    close(output.number("restitution"), 1.0, 1e-4);
    assert!(output.number("energy error") < 1e-6 && output.number("momentum error") < 1e-12);
    output.agrees_with_the_head_of(include_str!("../chapters/impact_of_two_bodies.rs"));
}

#[test]
fn a_cone_on_a_half_space_meets_the_closed_form() {
    let output = Output::of(env!("CARGO_BIN_EXE_own_contact_law"), &[]);
    // ½ m v² = k δ³/3, k = 2/π E* tan α.
    let stiffness: f64 = 2.0 / std::f64::consts::PI * 3e9 * 3.0_f64.sqrt();
    let depth = (1.5 * 0.1 * 0.25 / stiffness).cbrt();
    close(output.number("peak force"), stiffness * depth * depth, 1e-4);
    close(output.number("deepest approach"), 1e6 * depth, 1e-4);
    // ∫₀¹ dx/√(1 − x³) with x = 1 − s², whose integrand is smooth.
    let n = 2000;
    let integrand = |s: f64| 2.0 / (3.0 - 3.0 * s * s + s.powi(4)).sqrt();
    let integral: f64 = (0..n).map(|i| integrand((f64::from(i) + 0.5) / f64::from(n)) / f64::from(n)).sum();
    close(output.number("duration"), 1e6 * 2.0 * integral * depth / 0.5, 1e-4);
    assert!(output.number("energy error") < 1e-6);
    output.agrees_with_the_head_of(include_str!("../chapters/own_contact_law.rs"));
}

#[test]
fn a_rigid_top_precesses_at_the_rate_of_the_closed_form() {
    let output = Output::of(env!("CARGO_BIN_EXE_rigid_top"), &[]);
    let (a, b, c) = (6e-5 * 0.75_f64.sqrt(), 8e-5 * 200.0, 0.1 * 9.81 * 0.03);
    let rate = (b - (b * b - 4.0 * a * c).sqrt()) / (2.0 * a);
    close(output.number("precession"), rate, 1e-4);
    close(output.number("inclination"), 30.0, 1e-4);
    assert!(output.number("energy error") < 1e-10);
    output.agrees_with_the_head_of(include_str!("../chapters/rigid_top.rs"));
}

#[test]
fn a_result_contains_the_stop_of_a_block() {
    let folder = tempfile::tempdir().unwrap();
    let output = Output::of(env!("CARGO_BIN_EXE_read_a_result"), &[folder.path()]);
    let (speed, friction, gravity, mass) = (2.0, 0.3, 9.81, 7800.0 * 0.3 * 0.2 * 0.1);
    close(output.number("way"), speed * speed / (2.0 * friction * gravity), 2e-3);
    assert!(output.number("speed") < 1e-4);
    close(output.number("kinetic energy"), 0.5 * mass * speed * speed, 1e-4);
    close(output.number("friction"), 0.5 * mass * speed * speed, 1e-4);
    // The floor carries the weight for one second.
    close(output.number("impulse"), mass * gravity, 1e-4);
    output.agrees_with_the_head_of(include_str!("../chapters/read_a_result.rs"));
}
