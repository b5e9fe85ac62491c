//! Chapter 5: runs a scenario from a program and reads its result.
//!
//! ```text
//! cargo run --release -q -p carom-examples --bin read_a_result -- out/slide
//! ```
//!
//! A rigid block slides on a floor with the friction μ = 0.3. It stops after the time v/μg and the distance
//! v²/2μg, when friction has dissipated its kinetic energy. The program reads this from the result:
//! `slide.carom` is an SQLite database of frames, energies and contact events; docs/files.md lists its
//! tables.
//!
//! ```text
//! bodies          block, floor
//! frames          11
//! way             0.6796 m
//! speed           0.0000 m/s
//! kinetic energy  93.600 J at the start
//! friction        93.600 J
//! impulse         459.11 N s along the normal
//! state           in contact
//! ```
//!
//! Guarded by `a_result_contains_the_stop_of_a_block` in `tests/chapters.rs`.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use carom_dynamics::LedgerRow;
use carom_format::{ResultReader, Scenario};
use carom_progress::Silent;
use carom_simulate::{RunOptions, Users, Workshop, prepare, run};

const SCENARIO: &str = r#"
[simulation]
scheme = "rigid"
end_time = 1.0
time_step = 1.0e-3
output_every = 0.1
gravity = [0.0, 0.0, -9.81]

[[body]]
name = "block"
make = { shape = "plate", size = [0.3, 0.2, 0.1] }
material = "steel"
position = [0.0, 0.0, 0.05]
velocity = [2.0, 0.0, 0.0]

[[body.shape]]
name = "outside"
kind = "block"
size = [0.3, 0.2, 0.1]

[[body]]
name = "floor"
make = { shape = "plate", size = [4.0, 4.0, 0.1] }
material = "steel"
fixed = true
position = [0.0, 0.0, -0.05]

[[body.shape]]
name = "top"
kind = "plane"
point = [0.0, 0.0, 0.05]
normal = [0.0, 0.0, 1.0]

[[contact]]
between = ["block:outside", "floor:top"]
friction = 0.3
"#;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| "out/slide".to_owned()));
    fs::create_dir_all(&folder)?;
    let result = folder.join("slide.carom");

    // 1. The scenario. Errors name the line of the text.
    let scenario = Scenario::parse(Path::new("slide.toml"), SCENARIO, &[], &["steel"])?;

    // 2. Bodies are made, unless they are up to date in the folder; then the run.
    let workshop = Workshop { scenario_folder: &folder, bodies: &folder, users: Users::One };
    let bodies = prepare(&scenario, workshop, &Silent)?;
    let options = RunOptions { replace: true, resume: false };
    run(&scenario, &folder, &bodies, &result, options, &Silent)?;

    // 3. The result: bodies and times.
    let reader = ResultReader::open(&result)?;
    let header = reader.header()?;
    println!("bodies          {}, {}", header.bodies[0].name, header.bodies[1].name);
    let times = reader.times()?;
    println!("frames          {}", times.len());

    // 4. A frame: positions and velocities of all bodies.
    let last = reader.frame(times.len() - 1)?;
    println!("way             {:.4} m", last.bodies[0].position[0]);
    println!("speed           {:.4} m/s", last.bodies[0].velocity[0].abs());

    // 5. The balance of energy and momenta, a row for each frame.
    let column = |name: &str| LedgerRow::COLUMNS.iter().position(|column| *column == name).expect("a column");
    let rows = reader.ledger()?;
    let (kinetic, friction) = (column("E_kin"), column("D_fric"));
    println!("kinetic energy  {:.3} J at the start", rows[0][kinetic]);
    println!("friction        {:.3} J", rows[rows.len() - 1][friction]);

    // 6. The contact, which lasts to the end.
    let event = reader.contact_events()?[0];
    println!("impulse         {:.2} N s along the normal", event.impulse[2]);
    println!("state           {}", if event.open { "in contact" } else { "apart" });
    Ok(())
}
