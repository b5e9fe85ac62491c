//! Rods that joints, supports, springs and drives hold, under static loads, with most of their modes
//! quasistatic.

use carom_dynamics::{BodyState, rotation};
use carom_format::rom_file::read_rom;
use carom_multibody::attached_marker;
use nalgebra::Vector3;

use crate::{Bench, BenchError, Outcome, Row};

/// The impact of two double pendulums with few knot spans.
const IMPACT: &str = include_str!("../../../meshes/double-pendulums/impact.toml");

/// Loads are applied by half a cosine in 30 ms.
const RAMP: &str = "0.5*(1-cos(pi*min(t,0.03)/0.03))";

/// Splits \[Hz\]; the last is the default of the reduction.
const SPLITS: [Option<f64>; 4] = [Some(4e3), Some(12e3), Some(30e3), None];

/// A rod, or two of half its length, with supports and loads.
struct Held {
    name: &'static str,
    what: &'static str,
    /// Lengths of the rods, from the held end on \[m\].
    rods: &'static [f64],
    /// Fixes the first rod at its start.
    is_clamped: bool,
    tables: &'static str,
    load: &'static str,
    /// Measured motion of the end of the last rod.
    measured: Measured,
}

/// Motion of the end of a rod.
#[derive(Clone, Copy)]
enum Measured {
    /// Displacement along an axis.
    Along(usize),
    /// Rotation about y.
    Turn,
}

const FIXED: &str = r#"
[[joint]]
kind = "fixed"
between = ["ground", "rod1:start"]
axis = [1.0, 0.0, 0.0]
"#;

const PAIR: &str = r#"
[[joint]]
kind = "fixed"
between = ["ground", "rod1:start"]
axis = [1.0, 0.0, 0.0]

[[joint]]
kind = "fixed"
between = ["rod1:end", "rod2:start"]
axis = [1.0, 0.0, 0.0]
"#;

const PINS: &str = r#"
[[joint]]
kind = "revolute"
between = ["ground", "rod1:start"]
axis = [0.0, 1.0, 0.0]

[[joint]]
kind = "revolute"
between = ["ground", "rod1:end"]
axis = [0.0, 1.0, 0.0]
"#;

const BUSHING: &str = r#"
[[bushing]]
between = ["ground", "rod1:start"]
stiffness = [1.0e8, 1.0e8, 1.0e8]
rotational_stiffness = [1.0e5, 1.0e5, 1.0e5]
"#;

const DRIVE: &str = r#"
[[joint]]
kind = "revolute"
between = ["ground", "rod1:start"]
axis = [0.0, 1.0, 0.0]
motion = "0"
"#;

/// Slides along its axis on a spring at its start.
const SPRING_AT_THE_START: &str = r#"
[[joint]]
kind = "prismatic"
between = ["ground", "rod1:start"]
axis = [1.0, 0.0, 0.0]

[[spring]]
between = ["ground", "rod1:start"]
point = [-0.4, 0.0, 0.0]
stiffness = 1.0e8
"#;

/// Turns about its start, held by a spring across its end.
const SPRING_AT_THE_END: &str = r#"
[[joint]]
kind = "revolute"
between = ["ground", "rod1:start"]
axis = [0.0, 1.0, 0.0]

[[spring]]
between = ["ground", "rod1:end"]
point = [0.4, 0.0, -0.4]
stiffness = 1.0e7
"#;

const AXIAL: &str = "force = [1.0e4, 0.0, 0.0]";
const BENDING: &str = "force = [0.0, 0.0, 100.0]";
const TORQUE: &str = "torque = [0.0, 10.0, 0.0]";

const CASES: [Held; 12] = [
    held("fixed-axial", "fixed joint, axial", FIXED, AXIAL, Measured::Along(0)),
    held("fixed-bending", "fixed joint, bending", FIXED, BENDING, Measured::Along(2)),
    Held { is_clamped: true, ..held("clamped-axial", "`fix`, axial", "", AXIAL, Measured::Along(0)) },
    Held { is_clamped: true, ..held("clamped-bending", "`fix`, bending", "", BENDING, Measured::Along(2)) },
    held("pins-torque", "two revolute joints, end torque", PINS, TORQUE, Measured::Turn),
    held("bushing-axial", "bushing, axial", BUSHING, AXIAL, Measured::Along(0)),
    held("bushing-bending", "bushing, bending", BUSHING, BENDING, Measured::Along(2)),
    held("spring-axial", "spring, axial", SPRING_AT_THE_START, AXIAL, Measured::Along(0)),
    held("spring-torque", "spring across the end, end torque", SPRING_AT_THE_END, TORQUE, Measured::Turn),
    held("drive-bending", "driven revolute joint, bending", DRIVE, BENDING, Measured::Along(2)),
    Held {
        rods: &[0.2, 0.2],
        ..held("pair-axial", "two rods, fixed joints, axial", PAIR, AXIAL, Measured::Along(0))
    },
    Held {
        rods: &[0.2, 0.2],
        ..held("pair-bending", "two rods, fixed joints, bending", PAIR, BENDING, Measured::Along(2))
    },
];

const fn held(
    name: &'static str,
    what: &'static str,
    tables: &'static str,
    load: &'static str,
    measured: Measured,
) -> Held {
    Held { name, what, rods: &[0.4], is_clamped: false, tables, load, measured }
}

/// Static deflections for each split compared with those with all modes; then an impact between bodies in
/// joints for three splits.
pub(crate) fn held_rods(bench: &Bench<'_>) -> Result<Outcome, BenchError> {
    let mut outcome = Outcome::default();
    outcome.table.header = vec!["held and loaded", "split", "steps", "beside all modes", "energy"];
    for case in &CASES {
        let (all, _) = case.run(bench, "dynamic", None)?;
        for split in SPLITS {
            let (found, run) = case.run(bench, "quasistatic", split)?;
            let at = split.map_or_else(|| "default".to_owned(), |hz| format!("{:.0} kHz", 1e-3 * hz));
            let energy = run.summary.ledger.energy_error;
            let what = |what: &str| format!("{}, split {at}: {what}", case.what);
            outcome.rows.push(Row::new(
                what("deflection over that of all modes"),
                "",
                found / all,
                1.0,
                0.01,
            ));
            outcome.rows.push(Row::new(what("error of the energy balance"), "", energy, 0.0, 1e-6));
            outcome.table.rows.push(vec![
                case.what.to_owned(),
                at,
                run.summary.steps.to_string(),
                format!("{:+.4} %", 100.0 * (found / all - 1.0)),
                format!("{energy:.1e}"),
            ]);
        }
    }
    impacts(bench, &mut outcome)?;
    Ok(outcome)
}

/// Force of the impact with all modes dynamic, `carom-verify double-pendulums` \[N\].
const FORCE_OF_ALL_MODES: f64 = 206.72;

fn impacts(bench: &Bench<'_>, outcome: &mut Outcome) -> Result<(), BenchError> {
    for khz in [16, 8, 4] {
        let name = format!("impact-{khz}");
        let run = bench.run(&name, IMPACT, Some(1e3 * f64::from(khz)))?;
        let [event] = run.summary.contacts.as_slice() else {
            return Err(BenchError::Impacts { scenario: name, count: run.summary.contacts.len() });
        };
        let what = |what: &str| format!("impact of double pendulums, split {khz} kHz: {what}");
        outcome.rows.push(Row::new(what("peak force"), "N", event.peak_force, FORCE_OF_ALL_MODES, 0.005));
        let energy = run.summary.ledger.energy_error;
        outcome.rows.push(Row::new(what("error of the energy balance"), "", energy, 0.0, 1e-6));
        outcome.rows.push(Row::shown(what("steps"), "", run.summary.steps as f64));
    }
    Ok(())
}

impl Held {
    fn scenario(&self, scheme: &str) -> String {
        let mut text = format!(
            "[simulation]\nscheme = \"{scheme}\"\nintegrator = \"{}\"\nend_time = 0.035\noutput_every = \
             3.5e-3\n",
            if scheme == "dynamic" { "generalised-alpha" } else { "dop853" }
        );
        let mut start = 0.0;
        for (k, length) in self.rods.iter().enumerate() {
            let spans = (40.0 * length).round().max(6.0);
            let (attach, fix) = match self.is_clamped {
                true => ("end = \"rigid\"", ", fix = [\"start\"]"),
                false => ("start = \"rigid\", end = \"rigid\"", ""),
            };
            text += &format!(
                "\n[[body]]\nname = \"rod{}\"\nmake = \
                 {{ shape = \"rod\", radius = 0.01, length = {length}, elements = [{spans}, 1, 1] }}\n\
                 material = \"steel\"\ndamping = 0.2\nposition = [{start}, 0.0, 0.0]\nreduce = \
                 {{ attach = {{ {attach} }}{fix}, modes = 12 }}\n",
                k + 1
            );
            start += length;
        }
        let last = self.rods.len();
        text + &format!(
            "{}\n[[force]]\non = \"rod{last}:end\"\n{}\nscale = \"{RAMP}\"\n",
            self.tables, self.load
        )
    }

    /// The measured motion at the end of the run.
    fn run(
        &self,
        bench: &Bench<'_>,
        scheme: &str,
        split: Option<f64>,
    ) -> Result<(f64, carom_simulate::RunOutcome), BenchError> {
        let name = format!("held-{}", self.name);
        let run = bench.run(&name, &self.scenario(scheme), split)?;
        // Equal rods share the model of the first.
        let moved = self.measure(&bench.folder.join(&name).join("rod1.rom"), run.bodies.last())?;
        Ok((moved, run))
    }

    fn measure(&self, rom: &std::path::Path, state: Option<&BodyState>) -> Result<f64, BenchError> {
        let stored = read_rom(rom)?.reduced;
        let (Some(state), Some(marker)) = (state, attached_marker(&stored, "end")) else {
            return Ok(f64::NAN);
        };
        let sum = |values: &[[f64; 3]]| -> Vector3<f64> {
            values.iter().zip(&state.modal).map(|(value, q)| *q * Vector3::from(*value)).sum()
        };
        let a = rotation::matrix(&state.quaternion);
        Ok(match self.measured {
            Measured::Along(axis) => {
                let c = Vector3::from(marker.position_b) + sum(&marker.displacement);
                let length: f64 = self.rods.iter().sum();
                let rest = if axis == 0 { length } else { 0.0 };
                state.position[axis] + (a * c)[axis] - rest
            }
            Measured::Turn => a[(0, 2)].asin() + sum(&marker.rotation).y,
        })
    }
}
