//! Gears, racks, screws and couplers: reading them and the messages of errors.

use std::path::Path;

use carom_format::scenario::model::{JointCoordinate, JointKind, Relation};
use carom_format::{Scenario, ScenarioError};

const GOOD: &str = r#"
[simulation]
end_time = 2.0

[[body]]
name = "wheel"
make = { shape = "rod", radius = 0.01, length = 0.4 }
material = "steel"
rigid = true

[[body]]
name = "nut"
make = { shape = "rod", radius = 0.01, length = 0.4 }
material = "steel"
rigid = true

[[joint]]
kind = "gear"
joints = ["pin", "2"]
ratio = -2.5

[[joint]]
name = "pin"
kind = "revolute"
between = ["ground", "wheel:start"]
axis = [0.0, 1.0, 0.0]

[[joint]]
name = "thread"
kind = "screw"
between = ["wheel:end", "nut:start"]
axis = [0.0, 1.0, 0.0]
pitch = 0.01

[[joint]]
kind = "rack"
joints = ["pin", "thread"]
radius = 0.08

[[joint]]
name = "sum"
kind = "coupler"
joints = ["pin", "thread", "thread"]
factors = [1.0, 2.0, 300.0]
coordinates = ["angle", "angle", "shift"]
"#;

fn read(text: &str) -> Result<Scenario, ScenarioError> {
    Scenario::parse(Path::new("a.toml"), text, &[], &["steel"])
}

#[test]
fn couplings_are_read_and_written_in_the_order_of_the_file() {
    use JointCoordinate::{Angle, Shift};
    let scenario = read(GOOD).unwrap();
    let joints: Vec<_> = scenario.joints().map(|(i, joint)| (i, joint.kind, joint.pitch)).collect();
    assert_eq!(joints, [(1, JointKind::Revolute, None), (2, JointKind::Screw, Some(0.01))]);
    let terms: Vec<_> = scenario.couplings().map(|(i, coupling)| (i, coupling.terms())).collect();
    let expected = [
        (0, vec![(Angle, -2.5), (Angle, -1.0)]),
        (3, vec![(Angle, 0.08), (Shift, -1.0)]),
        (4, vec![(Angle, 1.0), (Angle, 2.0), (Shift, 300.0)]),
    ];
    assert_eq!(terms, expected);
    assert_eq!(scenario.joint_titles(), ["pin", "thread"]);
    assert_eq!(scenario.joint_of_title("gear pin 2"), Some(0));
    let written = scenario.to_toml();
    assert_eq!(read(&written).unwrap_or_else(|e| panic!("{e}\n{written}")), scenario);
    // Coordinates follow from joints that have one.
    let shafts = GOOD.replace("kind = \"screw\"", "kind = \"revolute\"").replace("pitch = 0.01\n", "");
    let short = shafts.replace("radius = 0.08", "radius = 0.08\n").replace(
        "joints = [\"pin\", \"thread\", \"thread\"]\nfactors = [1.0, 2.0, 300.0]\ncoordinates = [\"angle\", \
         \"angle\", \"shift\"]",
        "joints = [\"pin\", \"thread\"]\nfactors = [1.0, 2.0]",
    );
    let short =
        short.replace("[[joint]]\nkind = \"rack\"\njoints = [\"pin\", \"thread\"]\nradius = 0.08\n", "");
    let scenario = read(&short).unwrap_or_else(|e| panic!("{e}\n{short}"));
    let (_, last) = scenario.couplings().last().unwrap();
    let Relation::Sum { coordinates, .. } = &last.relation else { panic!() };
    assert_eq!(coordinates, &[Angle, Angle]);
}

#[test]
fn errors_of_couplings_name_their_place_and_a_way_out() {
    let three = "joints = [\"pin\", \"thread\", \"thread\"]";
    for (from, to, printed) in [
        ("\"2\"]", "\"tread\"]", "a.toml:19: joint 1: there is no joint `tread`; did you mean `thread`?"),
        ("\"2\"]", "\"pin\"]", "`joints` names the angle of `pin` twice"),
        ("ratio = -2.5", "", "joint 1: `ratio` is missing"),
        ("ratio = -2.5", "ratio = 0.0", "`ratio` must not be zero"),
        ("ratio = -2.5", "ratio = 2.0\nradius = 1.0", "`radius` belongs to `kind = \"rack\"`"),
        ("ratio = -2.5", "ratio = 2.0\nbetween = [\"ground\", \"nut:end\"]", "remove `between`"),
        ("[\"pin\", \"2\"]", "[\"pin\"]", "a `gear` couples two joints, `joints` names 1"),
        ("[\"pin\", \"thread\"]", "[\"thread\", \"pin\"]", "joint `pin` is `revolute` and has no shift"),
        ("pitch = 0.01", "", "`pitch` is missing"),
        ("pitch = 0.01", "pitch = 0", "`pitch` must not be zero"),
        ("axis = [0.0, 1.0, 0.0]\n\n", "axis = [0.0, 1.0, 0.0]\npitch = 1.0\n\n", "`pitch` belongs to"),
        ("[1.0, 2.0, 300.0]", "[1.0, 2.0]", "`factors` has 2 numbers for 3 joints"),
        ("[1.0, 2.0, 300.0]", "[1.0, 2.0, 0]", "`factors` must not be zero"),
        ("\"angle\", \"shift\"]", "\"shift\"]", "`coordinates` has 2 entries for 3 joints"),
        ("\"angle\", \"shift\"]", "\"angle\", \"shfit\"]", "did you mean `shift`"),
        ("\ncoordinates = [\"angle\", \"angle\", \"shift\"]", "", "name the coordinate of each joint"),
        (three, "joints = [\"pin\", \"thread\", \"a\", \"b\"]", "a `coupler` couples two or three joints"),
        ("name = \"sum\"", "name = \"pin\"", "is called `pin` already"),
        ("kind = \"coupler\"", "kind = \"couple\"", "did you mean `coupler`"),
    ] {
        assert!(GOOD.contains(from), "{from}");
        let error = read(&GOOD.replacen(from, to, 1)).expect_err(to).to_string();
        assert!(error.contains(printed), "{to}: {error}");
    }
}
