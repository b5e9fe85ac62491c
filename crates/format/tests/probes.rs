//! The table `[[probe]]`: its defaults, the text that results keep, and the messages of errors.

use std::path::Path;

use carom_dynamics::ProbeQuantity;
use carom_format::scenario::model::ProbePlaceSpec;
use carom_format::{Scenario, ScenarioError};

const GOOD: &str = r#"
[simulation]
end_time = 2.0

[[body]]
name = "crank"
make = { shape = "rod", radius = 0.01, length = 0.4 }
material = "steel"
rigid = true

[[body]]
name = "disc"
make = { shape = "rod", radius = 0.1, length = 0.01 }
material = "steel"
reduce = { interface = ["end"], attach = { start = "rigid" }, modes = 10 }

[[joint]]
name = "pin"
kind = "revolute"
between = ["ground", "crank:start"]
axis = [0.0, 1.0, 0.0]

[[spring]]
between = ["crank:end", "ground"]
point = [0.0, 0.0, 1.0]
stiffness = 10.0

[[contact]]
between = ["disc:end", "crank:side"]

[[probe]]
on = "crank:end"

[[probe]]
name = "middle"
on = "crank"
at = [0.2, 0.0, 0.01]
axes = "body"
what = ["acceleration"]
every = 1.0e-3

[[probe]]
joint = "pin"

[[probe]]
name = "second"
joint = "2"
what = ["torque"]

[[probe]]
contact = "disc/crank"
every = 1.0e-6
"#;

fn read(text: &str) -> Result<Scenario, ScenarioError> {
    Scenario::parse(Path::new("a.toml"), text, &[], &["steel"])
}

fn refusal(from: &str, to: &str) -> String {
    assert!(GOOD.contains(from), "{from}");
    read(&GOOD.replacen(from, to, 1)).expect_err("it is wrong").to_string()
}

#[test]
fn probes_are_read_with_their_defaults_and_written() {
    let scenario = read(GOOD).unwrap();
    let [tip, middle, pin, second, contact] = &scenario.probe[..] else { panic!("{:?}", scenario.probe) };
    assert_eq!((tip.title().as_str(), tip.every), ("crank:end", 0.0));
    let expected = ["displacement", "velocity", "acceleration"];
    assert_eq!(tip.what.iter().map(|quantity| quantity.name()).collect::<Vec<_>>(), expected);
    assert_eq!((middle.title().as_str(), middle.every), ("middle", 1e-3));
    assert_eq!(middle.place.to_string(), "crank:0.2,0,0.01");
    assert_eq!(pin.what, ProbeQuantity::OF_JOINTS);
    assert_eq!(second.place, ProbePlaceSpec::Joint { joint: "2".to_owned() });
    assert_eq!(
        (contact.title().as_str(), &contact.what[..]),
        ("disc/crank", &ProbeQuantity::OF_CONTACTS[..])
    );
    let written = scenario.to_toml();
    assert_eq!(read(&written).unwrap_or_else(|e| panic!("{e}\n{written}")), scenario);
}

#[test]
fn invalid_probes_are_reported_with_their_line_and_the_known_names() {
    for (from, to, printed) in [
        ("on = \"crank:end\"", "on = \"crnk:end\"", "a.toml:32: probe 1: there is no body `crnk`"),
        ("on = \"crank:end\"", "on = \"crank\"\nwhat = [\"velocity\"]", "`kinetic_energy`, `elastic_energy`"),
        ("on = \"crank:end\"", "on = \"crank\"\naxes = \"body\"", "those of a whole body are inertial"),
        ("on = \"crank:end\"", "on = \"disc:side\"", "there is no marker `side`"),
        ("on = \"crank:end\"", "", "`on` is missing: the point of a body"),
        ("on = \"crank:end\"", "on = \"crank:end\"\njoint = \"pin\"", "exclude each other: give one"),
        (
            "on = \"crank\"\n",
            "on = \"crank:end\"\n",
            "`crank:end` is a place already: write `on = \"crank\"`",
        ),
        ("joint = \"pin\"", "joint = \"pins\"", "there is no joint `pins`; did you mean `pin`?"),
        ("joint = \"2\"", "joint = \"3\"", "there is no joint `3`"),
        ("contact = \"disc/crank\"", "contact = \"crank/disc\"", "`disc/crank`"),
        ("[\"acceleration\"]", "[\"acceleratoin\"]", "did you mean `acceleration`?"),
        ("[\"acceleration\"]", "[\"force\"]", "`displacement`, `position`, `velocity`, `acceleration`"),
        ("[\"acceleration\"]", "[\"position\", \"position\"]", "names `position` twice"),
        ("[\"acceleration\"]", "[]", "`what` is empty"),
        ("[\"acceleration\"]", "[\"stress\"]", "body `crank` is rigid, and a rigid body has no stress"),
        ("[\"acceleration\"]", "[\"von_mises\", \"stress\"]", "names `von_mises` twice"),
        ("[\"acceleration\"]", "[\"stres\"]", "did you mean `stress`?"),
        ("every = 1.0e-3", "every = -1.0", "`every`"),
        ("name = \"second\"\njoint = \"2\"", "joint = \"pin\"", "another probe is called `pin`"),
        ("joint = \"pin\"", "joint = \"pin\"\naxes = \"body\"", "`axes` belongs to `on`"),
    ] {
        let found = refusal(from, to);
        assert!(found.contains(printed), "{to}: {found}");
    }
    let twice = refusal(
        "between = [\"disc:end\", \"crank:side\"]",
        "between = [\"disc:end\", \"crank:side\"]\n[[contact]]\nbetween = [\"disc:end\", \"crank:end\"]",
    );
    assert!(twice.contains("2 contacts are called `disc/crank`: give the number of one"), "{twice}");
}

#[test]
fn stress_stands_for_its_quantities_at_points_of_reduced_bodies() {
    let probe = "on = \"disc:end\"\nwhat = [\"velocity\", \"stress\"]";
    let scenario = read(&GOOD.replacen("on = \"crank:end\"", probe, 1)).unwrap();
    let names: Vec<_> = scenario.probe[0].what.iter().map(|quantity| quantity.name()).collect();
    assert_eq!(names, ["velocity", "normal_stress", "shear_stress", "von_mises"]);
    assert_eq!(read(&scenario.to_toml()).unwrap(), scenario);
    let one = refusal("on = \"crank:end\"", "on = \"disc\"\nwhat = [\"stress\"]");
    assert!(one.contains("\"stress\" is not possible") && one.contains("kinetic_energy"), "{one}");
    // Bodies that are reduced have neither walls nor sections.
    for (more, key) in
        [("[\"stress\"]\nwall = \"top\"", "`wall`"), ("[\"section_force\"]", "`section_force`")]
    {
        let found = refusal("on = \"crank:end\"", &format!("on = \"disc:end\"\nwhat = {more}"));
        assert!(found.contains(key) && found.contains("choose the scheme `explicit`"), "{found}");
    }
    let idle = refusal("on = \"crank:end\"", "on = \"disc:end\"\nwhat = [\"velocity\"]\nwall = \"top\"");
    assert!(idle.contains("`wall` is the place of a stress in the wall of a shell"), "{idle}");
    // Bodies of the scheme `rigid` have none.
    let rigid = OF_ALL.replace("contact = \"floor/ball\"", "on = \"ball:pole\"\nwhat = [\"von_mises\"]");
    let found = read(&rigid).expect_err("rigid bodies").to_string();
    assert!(found.contains("the scheme `rigid` are rigid") && found.contains("`quasistatic`"), "{found}");
}

const OF_ALL: &str = r#"
[simulation]
scheme = "rigid"
time_step = 1.0e-4
end_time = 2.0

[[body]]
name = "ball"
make = { shape = "ball", radius = 0.1 }
material = "steel"
[[body.marker]]
name = "pole"
at = [0.1, 0.0, 0.0]

[[body]]
name = "rod"
make = { shape = "rod", radius = 0.01, length = 0.4 }
material = "steel"
position = [1.0, 0.0, 0.0]

[[body]]
name = "floor"
make = { shape = "plate", size = [1.0, 1.0, 0.1] }
material = "steel"
fixed = true
position = [0.0, 0.0, -1.0]

[[joint]]
kind = "spherical"
between = ["rod:start", "ball:pole"]

[[contact]]
between = ["*"]

[[probe]]
contact = "floor/ball"
"#;

#[test]
fn two_bodies_of_the_contact_of_all_are_a_contact_of_a_probe() {
    let read = |from: &str, to: &str| read(&OF_ALL.replacen(from, to, 1));
    let scenario = read("", "").unwrap();
    assert_eq!(scenario.contact_of_all("floor/ball"), Some((0, [2, 0])));
    assert_eq!(scenario.probe[0].what, ProbeQuantity::OF_CONTACTS);
    let written = scenario.to_toml();
    assert_eq!(Scenario::parse(Path::new("a.toml"), &written, &[], &["steel"]).unwrap(), scenario);
    for (named, printed) in [
        ("floor/bal", "there is no contact `floor/bal`"),
        ("floor/floor", "there is no contact `floor/floor`"),
        ("ball/rod", "the bodies of `ball/rod` do not touch in `*`: a joint connects them"),
    ] {
        let found = read("floor/ball", named).expect_err(named).to_string();
        assert!(found.contains(printed), "{named}: {found}");
    }
    let fixed = read("radius = 0.1 }\nmaterial", "radius = 0.1 }\nfixed = true\nmaterial");
    assert!(fixed.expect_err("both stay").to_string().contains("both are fixed"));
    // A contact of their own has its name, in its order.
    let own = "between = [\"*\"]\n[[contact]]\nbetween = [\"ball\", \"floor\"]\n";
    let found = read("between = [\"*\"]\n", own).expect_err("other order").to_string();
    assert!(found.contains("there is no contact `floor/ball`") && found.contains("`ball/floor`"), "{found}");
}

#[test]
fn the_contact_force_of_a_body_is_a_quantity_that_a_probe_names() {
    let force = "on = \"crank\"\nwhat = [\"contact_force\"]";
    let scenario = read(&GOOD.replacen("on = \"crank:end\"", force, 1)).unwrap();
    assert_eq!(scenario.probe[0].what, [ProbeQuantity::ContactForce]);
    let scenario = read(&GOOD.replacen("on = \"crank:end\"", "on = \"crank\"", 1)).unwrap();
    assert_eq!(scenario.probe[0].what, ProbeQuantity::OF_BODIES[..5]);
}
