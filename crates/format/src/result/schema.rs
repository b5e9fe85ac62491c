//! The tables of a result. `docs/files.md` explains them.

use carom_dynamics::LedgerRow;
use rusqlite::Connection;

/// The largest row number of each table at the checkpoint; rows beyond it are newer. Since version 1.3.
pub(super) const MARKS: &str = "CREATE TABLE IF NOT EXISTS checkpoint_mark (name TEXT PRIMARY KEY, rows \
    INTEGER NOT NULL) WITHOUT ROWID;";

/// The origin of the run. Since version 1.3; written by the programs, not by the run.
pub(super) const ORIGIN: &str =
    "CREATE TABLE IF NOT EXISTS origin (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;";

/// Constitutive laws of bodies in large deformation. Since version 1.4.
const LAWS: &str = "CREATE TABLE body_law (body INTEGER PRIMARY KEY REFERENCES body, law TEXT NOT NULL);";

/// Points and strains of cells; the stress of bodies whose law has history, and of shells: six numbers in
/// single precision for each place, and a plastic strain; rotation vectors of the points of shells and beams.
/// Since version 1.5.
const STRESSES: &str = "\
         CREATE TABLE body_elements (body INTEGER PRIMARY KEY REFERENCES body, elements TEXT NOT NULL);
         CREATE TABLE body_stress (
             frame INTEGER NOT NULL REFERENCES frame, body INTEGER NOT NULL REFERENCES body,
             stress BLOB NOT NULL, plastic_strain BLOB NOT NULL,
             PRIMARY KEY (frame, body)) WITHOUT ROWID;
         CREATE TABLE body_rotation (
             frame INTEGER NOT NULL REFERENCES frame, body INTEGER NOT NULL REFERENCES body,
             rotation BLOB NOT NULL,
             PRIMARY KEY (frame, body)) WITHOUT ROWID;
";

/// Pressures of contacts of all bodies, body by body. Since version 1.7.
const PRESSURES: &str = "\
         CREATE TABLE surface_pressure (
             frame INTEGER NOT NULL REFERENCES frame, pair INTEGER NOT NULL REFERENCES contact_pair,
             body INTEGER NOT NULL REFERENCES body, faces BLOB NOT NULL, pressures BLOB NOT NULL,
             PRIMARY KEY (frame, pair, body)) WITHOUT ROWID;
";

/// Pressures of contacts on half-space grids, with one row for each pair with force. Since version 1.8.
const GRIDS: &str = "\
         CREATE TABLE grid_pressure (
             frame INTEGER NOT NULL REFERENCES frame, pair INTEGER NOT NULL REFERENCES contact_pair,
             body INTEGER NOT NULL REFERENCES body, side_first REAL NOT NULL, side_second REAL NOT NULL,
             modulus REAL NOT NULL,
             poisson_body REAL, poisson_other REAL, plane BLOB NOT NULL, curvature BLOB NOT NULL,
             cells BLOB NOT NULL, heights BLOB NOT NULL, pressures BLOB NOT NULL, tractions BLOB NOT NULL,
             PRIMARY KEY (frame, pair)) WITHOUT ROWID;
";

/// Scenario, bodies and contact pairs.
const RUN: &str = "\
         CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
         CREATE TABLE body (
             id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, rigid INTEGER NOT NULL, fixed INTEGER NOT \
             NULL,
             mass REAL NOT NULL, origin_x REAL NOT NULL, origin_y REAL NOT NULL, origin_z REAL NOT NULL,
             modes INTEGER NOT NULL, low_modes INTEGER NOT NULL,
             rom_path TEXT NOT NULL, rom_checksum TEXT NOT NULL,
             body_path TEXT NOT NULL, body_checksum TEXT NOT NULL);
         CREATE TABLE contact_pair (
             id INTEGER PRIMARY KEY, name TEXT NOT NULL, first TEXT NOT NULL, second TEXT NOT NULL);
";

/// Frames with the states of bodies and pairs. Since version 1.12 results of many pairs have no row
/// of those that are far apart.
const FRAMES: &str = "\
         CREATE TABLE frame (id INTEGER PRIMARY KEY, time REAL NOT NULL, steps INTEGER NOT NULL);
         CREATE TABLE body_frame (
             frame INTEGER NOT NULL REFERENCES frame, body INTEGER NOT NULL REFERENCES body,
             x REAL NOT NULL, y REAL NOT NULL, z REAL NOT NULL,
             q0 REAL NOT NULL, q1 REAL NOT NULL, q2 REAL NOT NULL, q3 REAL NOT NULL,
             vx REAL NOT NULL, vy REAL NOT NULL, vz REAL NOT NULL,
             wx REAL NOT NULL, wy REAL NOT NULL, wz REAL NOT NULL,
             modal BLOB NOT NULL, modal_rate BLOB NOT NULL,
             PRIMARY KEY (frame, body)) WITHOUT ROWID;
         CREATE TABLE contact_frame (
             frame INTEGER NOT NULL REFERENCES frame, pair INTEGER NOT NULL REFERENCES contact_pair,
             fx REAL NOT NULL, fy REAL NOT NULL, fz REAL NOT NULL, normal_force REAL NOT NULL, free_gap REAL,
             faces BLOB NOT NULL, pressures BLOB NOT NULL,
             PRIMARY KEY (frame, pair)) WITHOUT ROWID;
";

/// Contact events, and forces in equilibrium of static runs.
const EVENTS: &str = "\
         CREATE TABLE contact_event (
             id INTEGER PRIMARY KEY, pair INTEGER NOT NULL REFERENCES contact_pair,
             start REAL NOT NULL, \"end\" REAL NOT NULL, open INTEGER NOT NULL,
             peak_force REAL, peak_time REAL,
             impulse_x REAL NOT NULL, impulse_y REAL NOT NULL, impulse_z REAL NOT NULL,
             velocity_before REAL NOT NULL, velocity_after REAL NOT NULL,
             max_approach REAL NOT NULL, vibration_energy REAL NOT NULL, sub_impacts INTEGER NOT NULL,
             normal_x REAL NOT NULL, normal_y REAL NOT NULL, normal_z REAL NOT NULL,
             place_x REAL NOT NULL, place_y REAL NOT NULL, place_z REAL NOT NULL,
             slip_before_x REAL NOT NULL, slip_before_y REAL NOT NULL, slip_before_z REAL NOT NULL,
             slip_after_x REAL NOT NULL, slip_after_y REAL NOT NULL, slip_after_z REAL NOT NULL,
             first_before REAL NOT NULL, second_before REAL NOT NULL,
             first_after REAL NOT NULL, second_after REAL NOT NULL,
             vibration_before REAL NOT NULL, other_impulse REAL NOT NULL,
             first_body INTEGER REFERENCES body, second_body INTEGER REFERENCES body);
         CREATE TABLE static_force (
             frame INTEGER NOT NULL REFERENCES frame, body INTEGER NOT NULL REFERENCES body,
             kind TEXT NOT NULL, name TEXT NOT NULL, fx REAL NOT NULL, fy REAL NOT NULL, fz REAL NOT NULL);
";

/// Joints and their forces. Those of couplings since version 1.11.
const JOINTS: &str = "\
         CREATE TABLE joint (
             id INTEGER PRIMARY KEY, name TEXT NOT NULL, kind TEXT NOT NULL, first TEXT NOT NULL, second \
             TEXT NOT NULL);
         CREATE TABLE joint_frame (
             frame INTEGER NOT NULL REFERENCES frame, joint INTEGER NOT NULL REFERENCES joint,
             fx REAL NOT NULL, fy REAL NOT NULL, fz REAL NOT NULL, tx REAL NOT NULL, ty REAL NOT NULL, tz \
             REAL NOT NULL,
             PRIMARY KEY (frame, joint)) WITHOUT ROWID;
         CREATE TABLE joint_action (
             frame INTEGER NOT NULL REFERENCES frame, joint INTEGER NOT NULL REFERENCES joint,
             coordinate TEXT NOT NULL, value REAL NOT NULL, rate REAL NOT NULL,
             spring REAL, stop REAL, drive REAL, power REAL, coupling REAL,
             PRIMARY KEY (frame, joint, coordinate)) WITHOUT ROWID;
";

/// Probes and their samples, one row for each quantity. Since version 1.10.
const PROBES: &str = "\
         CREATE TABLE probe (
             id INTEGER PRIMARY KEY, name TEXT NOT NULL, place TEXT NOT NULL, axes TEXT NOT NULL,
             every REAL NOT NULL, quantities TEXT NOT NULL);
         CREATE TABLE probe_value (
             id INTEGER PRIMARY KEY, probe INTEGER NOT NULL REFERENCES probe, time REAL NOT NULL,
             quantity TEXT NOT NULL, x REAL, y REAL, z REAL);
";

/// Energies and momenta of the bodies, of schemes that know them. Since version 1.11.
const BALANCES: &str = "\
         CREATE TABLE body_balance (
             frame INTEGER NOT NULL REFERENCES frame, body INTEGER NOT NULL REFERENCES body,
             \"E_kin\" REAL NOT NULL, \"E_el\" REAL NOT NULL, \"E_pot\" REAL NOT NULL,
             \"P_x\" REAL NOT NULL, \"P_y\" REAL NOT NULL, \"P_z\" REAL NOT NULL,
             \"L_x\" REAL NOT NULL, \"L_y\" REAL NOT NULL, \"L_z\" REAL NOT NULL,
             PRIMARY KEY (frame, body)) WITHOUT ROWID;
";

/// Small oscillations and harmonic response about the equilibrium in which a run starts. Since version 1.11.
const MODES: &str = "\
         CREATE TABLE mode (
             id INTEGER PRIMARY KEY, frequency REAL NOT NULL, damping_ratio REAL, motion TEXT NOT NULL,
             mass_x REAL NOT NULL, mass_y REAL NOT NULL, mass_z REAL NOT NULL) WITHOUT ROWID;
         CREATE TABLE mode_body (
             mode INTEGER NOT NULL REFERENCES mode, body INTEGER NOT NULL REFERENCES body,
             share REAL NOT NULL, PRIMARY KEY (mode, body)) WITHOUT ROWID;
         CREATE TABLE response (
             id INTEGER PRIMARY KEY, probe INTEGER NOT NULL REFERENCES probe, frequency REAL NOT NULL,
             x REAL NOT NULL, x_imaginary REAL NOT NULL, y REAL NOT NULL, y_imaginary REAL NOT NULL,
             z REAL NOT NULL, z_imaginary REAL NOT NULL) WITHOUT ROWID;
";

/// Notes, costs and balances of a run, and its last checkpoint.
const END: &str = "\
         CREATE TABLE note (id INTEGER PRIMARY KEY, time REAL NOT NULL, level TEXT NOT NULL, text TEXT NOT \
         NULL);
         CREATE TABLE timing (phase TEXT PRIMARY KEY, seconds REAL NOT NULL) WITHOUT ROWID;
         CREATE TABLE counter (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
         CREATE TABLE summary (name TEXT PRIMARY KEY, value REAL) WITHOUT ROWID;
         CREATE TABLE checkpoint (
             id INTEGER PRIMARY KEY CHECK (id = 1), scheme TEXT NOT NULL, version INTEGER NOT NULL,
             time REAL NOT NULL, steps INTEGER NOT NULL);
         CREATE TABLE checkpoint_entry (name TEXT PRIMARY KEY, kind TEXT NOT NULL, data BLOB NOT NULL) \
         WITHOUT ROWID;
";

/// Statements that create the tables of version 1.11.
pub(super) fn statements() -> String {
    let columns = LedgerRow::COLUMNS.map(|name| format!("\"{name}\" REAL NOT NULL")).join(", ");
    let ledger = format!("CREATE TABLE ledger (frame INTEGER PRIMARY KEY REFERENCES frame, {columns});");
    [
        RUN, FRAMES, &ledger, BALANCES, MODES, EVENTS, JOINTS, PROBES, END, LAWS, STRESSES, PRESSURES, GRIDS,
        MARKS,
    ]
    .concat()
}

/// Adds the tables and columns of version 1.11 to a result of an earlier one that is continued.
pub(super) fn update(database: &Connection) -> rusqlite::Result<()> {
    for name in missing(database, "ledger", &LedgerRow::COLUMNS)? {
        database.execute(&format!("ALTER TABLE ledger ADD COLUMN \"{name}\" REAL NOT NULL DEFAULT 0"), [])?;
    }
    // Events before version 1.3 lack the columns that come before these.
    if missing(database, "contact_event", &["other_impulse"])?.is_empty() {
        for name in missing(database, "contact_event", &["first_body", "second_body"])? {
            database.execute(&format!("ALTER TABLE contact_event ADD COLUMN {name} INTEGER"), [])?;
        }
    }
    // Results before version 1.2 have no joints.
    let has_joints = missing(database, "joint_action", &["frame"])?.is_empty();
    for name in missing(database, "joint_action", &["coupling"])?.into_iter().filter(|_| has_joints) {
        database.execute(&format!("ALTER TABLE joint_action ADD COLUMN {name} REAL"), [])?;
    }
    let added = [STRESSES, PRESSURES, GRIDS, PROBES, BALANCES, MODES].concat();
    database.execute_batch(&added.replace("CREATE TABLE", "CREATE TABLE IF NOT EXISTS"))
}

/// The columns that a table does not have.
fn missing<'a>(database: &Connection, table: &str, names: &[&'a str]) -> rusqlite::Result<Vec<&'a str>> {
    let mut statement = database.prepare("SELECT name FROM pragma_table_info(?1)")?;
    let known =
        statement.query_map([table], |row| row.get::<_, String>(0))?.collect::<Result<Vec<_>, _>>()?;
    Ok(names.iter().copied().filter(|name| !known.iter().any(|column| column == name)).collect())
}

/// `INSERT` with a placeholder for each of `n` columns.
pub(super) fn insert(table: &str, n: usize) -> String {
    let places = (1..=n).map(|i| format!("?{i}")).collect::<Vec<_>>().join(", ");
    format!("INSERT OR REPLACE INTO {table} VALUES ({places})")
}
