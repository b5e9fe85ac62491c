//! Reading of scenario files and the messages of their errors.

mod schemes;

use std::path::Path;

use carom_contact::Law;
use carom_format::scenario::Override;
use carom_format::scenario::model::{
    BodySource, FrameField, PictureCells, PictureField, Precision, Scheme, Spot,
};
use carom_format::{Scenario, ScenarioError};

const MATERIALS: [&str; 2] = ["steel", "aluminium"];

const GOOD: &str = r#"
[simulation]
end_time = 1.0e-3
gravity = [0.0, 0.0, -9.81]

[material.rubber]
density = 1000
young = 1e6
poisson = 0.49

[[body]]
name = "ball"
make = { shape = "ball", radius = 0.015, pole_radius = 6e-4, elements = 2, grade = {at="pole", finest=1e-4}}
material = "steel"
reduce = { interface = ["pole"], modes = 20, split = 5.0e4 }
velocity = [0.0, 0.0, 0.3]

[[body]]
name = "rod"
file = "part.step"
size = 2e-3
material = "rubber"
rotation = { axis = [0, 1, 0], degrees = 90 }
reduce = { interface = ["spot"], attach = { start = "rigid" }, up_to = 1e5 }
zone = [{ name = "spot", set = "end", center = [0, 0, 0], radius = 1e-3 }]
marker = [{ name = "tip", at = "start" }]

[[joint]]
kind = "revolute"
between = ["ground", "rod:tip"]
axis = [0.0, 1.0, 0.0]

[[contact]]
between = ["ball:pole", "rod:spot"]

[[force]]
on = "rod:tip"
force = [0, 0, 1]
"#;

fn read(text: &str, overrides: &[&str]) -> Result<Scenario, ScenarioError> {
    let overrides: Vec<Override> = overrides.iter().map(|&text| text.into()).collect();
    Scenario::parse(Path::new("a.toml"), text, &overrides, &MATERIALS)
}

fn refusal(text: &str, overrides: &[&str]) -> String {
    read(text, overrides).expect_err("it is wrong").to_string()
}

#[test]
fn a_scenario_is_read_with_its_defaults() {
    let scenario = read(GOOD, &[]).unwrap();
    assert!(matches!(scenario.simulation.scheme, Scheme::Quasistatic(_)));
    assert_eq!(scenario.simulation.output_every, 1.0e-3 / 200.0);
    let BodySource::Make { make } = &scenario.body[0].source else { panic!("{:?}", scenario.body[0].source) };
    assert_eq!(make.elements, [2]);
    assert_eq!(make.grade[0].at, Spot::Set("pole".to_owned()));
    assert!(make.nurbs);
    assert_eq!(scenario.contact[0].law, Law::penalty(100.0));
    assert_eq!(scenario.contact[0].between[1].to_string(), "rod:spot");
    assert_eq!(scenario.body[1].reduce.as_ref().unwrap().attach["start"].kind(), "rigid");
}

#[test]
fn the_defaults_written_out_read_back_as_the_same_scenario() {
    let scenario =
        read(GOOD, &["simulation.time_step=1e-7", "contact.0.law={ kind = \"lagrange\" }"]).unwrap();
    let written = scenario.to_toml();
    assert_eq!(read(&written, &[]).unwrap_or_else(|e| panic!("{e}\n{written}")), scenario);
}

#[test]
fn a_scenario_defines_an_ellipsoid_and_the_removal_of_knots() {
    let ball = r#"make = { shape = "ball", radius = 0.015, pole_radius = 6e-4,"#;
    let egg = r#"refine = { coarsen = true, elevate = 1 }
make = { shape = "ellipsoid", semi_axes = [0.01, 0.01, 0.015], pole_radius = 6.0e-4,"#;
    let text = GOOD.replace(ball, egg);
    let scenario = read(&text, &[]).unwrap();
    let BodySource::Make { make } = &scenario.body[0].source else { panic!("{:?}", scenario.body[0].source) };
    assert_eq!(make.semi_axes, Some([0.01, 0.01, 0.015]));
    assert!(scenario.body[0].refine.as_ref().unwrap().coarsen);
    let again = read(&scenario.to_toml(), &[]).unwrap();
    assert_eq!(again.body, scenario.body);
    let wrong = refusal(&text.replace("[0.01, 0.01, 0.015]", "[0.01, -0.01, 0.015]"), &[]);
    assert!(wrong.contains("`semi_axes` must be three lengths above 0"), "{wrong}");
}

#[test]
fn a_cad_file_takes_places_with_small_cells_and_a_time_limit() {
    let of = |keys: &str| {
        format!(
            "[simulation]\nscheme = \"dynamic\"\nend_time = 1.0\n[[body]]\nname = \"part\"\nmaterial = \
             \"steel\"\nrigid = true\n{keys}\n"
        )
    };
    let text = of("file = \"part.step\"\nnear = [\"0,0,0.01:0.002=5e-4\", \"face3=1e-3\"]\ntime_limit = 60");
    let scenario = read(&text, &[]).unwrap();
    let BodySource::Import(import) = &scenario.body[0].source else { panic!("a file") };
    assert_eq!(import.near, ["0,0,0.01:0.002=5e-4", "face3=1e-3"]);
    assert_eq!(import.time_limit, Some(60.0));
    assert_eq!(read(&scenario.to_toml(), &[]).unwrap().body, scenario.body);
    for (keys, expected) in [
        ("file = \"part.step\"\nnear = [\"face3\"]", "X,Y,Z:R=H, or a set with a size, SET=H"),
        ("file = \"part.step\"\nnear = { at = \"face3\" }", "a list of texts"),
        ("file = \"part.step\"\ntime_limit = 0", "time_limit"),
        ("file = \"part.step\"\nsolid = \"all\"", "a [[body]] for each"),
        ("file = \"part.step\"\nsolid = 0", "solid"),
        ("body = \"part.npz\"\nsolid = 1", "`solid` belongs to `file`"),
        ("body = \"part.npz\"\ntime_limit = 5", "`time_limit` belongs to `file`"),
    ] {
        let wrong = refusal(&of(keys), &[]);
        assert!(wrong.contains(expected), "{keys}: {wrong}");
    }
}

#[test]
fn a_solid_of_a_cad_file_has_a_number_or_a_name() {
    for (key, expected) in [("solid = 2", "2"), ("solid = \"bolt\"", "bolt")] {
        let text = format!(
            "[simulation]\nscheme = \"dynamic\"\nend_time = 1.0\n[[body]]\nname = \"part\"\nmaterial = \
             \"steel\"\nrigid = true\nfile = \"part.step\"\n{key}\n"
        );
        let scenario = read(&text, &[]).unwrap();
        let BodySource::Import(import) = &scenario.body[0].source else { panic!("a file") };
        assert_eq!(import.solid.as_deref(), Some(expected));
        assert_eq!(read(&scenario.to_toml(), &[]).unwrap().body, scenario.body);
    }
}

#[test]
fn an_unknown_key_is_reported_with_its_line_and_a_suggestion() {
    let text = refusal(&GOOD.replace("radius = 0.015", "raduis = 0.015"), &[]);
    assert!(
        text.starts_with("a.toml:13: body `ball`: make: unknown key `raduis`; did you mean `radius`?"),
        "{text}"
    );
    for (key, home) in [
        (
            "near = { at = \"pole\", levels = 2 }",
            "`refine = { near = { at = …, levels = …, radius = … } }` of the body",
        ),
        ("levels = 2", "`refine = { near ="),
        ("elevate = 1", "`refine = { … }` of the body"),
        ("finest = 1e-4", "`grade = { at = …, finest = … }`"),
        ("zone = []", "the body itself, next to `make`"),
    ] {
        let text = refusal(&GOOD.replace("radius = 0.015", &format!("radius = 0.015, {key}")), &[]);
        assert!(
            text.contains("make: unknown key") && text.contains(&format!("it belongs to {home}")),
            "{text}"
        );
    }
    let text = refusal(&GOOD.replace("name = \"ball\"", "name = \"ball\"\nnear = {}"), &[]);
    assert!(text.contains("body `ball`: unknown key `near`; it belongs to `refine"), "{text}");
    let text = refusal(&GOOD.replace("gravity", "Gravity"), &[]);
    assert!(text.contains("a.toml:4: simulation: unknown key `Gravity`; did you mean `gravity`?"), "{text}");
    let text = refusal(&format!("{GOOD}\n[[contcat]]\n"), &[]);
    assert!(text.contains("unknown key `contcat`; did you mean `contact`?"), "{text}");
}

#[test]
fn all_problems_are_reported_at_once_in_the_order_of_the_file() {
    let text = GOOD
        .replace("density = 1000", "density = -1000")
        .replace("\"steel\"", "\"steal\"")
        .replace("rod:spot", "rot:spot")
        .replace("poisson = 0.49", "poisson = 0.5");
    let printed = refusal(&text, &[]);
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines.len(), 4, "{printed}");
    assert!(
        lines[0].starts_with(
            "a.toml:7: material `rubber`: `density` = -1000 is out of range: it must be a finite"
        )
    );
    assert!(
        lines[1]
            .starts_with("a.toml:9: material `rubber`: `poisson` = 0.5 is out of range: it must be between")
    );
    assert!(
        lines[2].starts_with("a.toml:14: body `ball`: there is no material `steal`; did you mean `steel`?")
    );
    assert!(lines[3].contains("contact 1: there is no body `rot`; did you mean `rod`?"), "{printed}");
}

#[test]
fn inconsistent_keys_are_reported() {
    for (from, to, expected) in [
        ("end_time = 1.0e-3\n", "", "`end_time` is missing"),
        ("end_time = 1.0e-3", "end_time = nan", "out of range"),
        ("end_time = 1.0e-3", "end_time = \"1 ms\"", "`end_time` must be a number, it is the text \"1 ms\""),
        ("[0.0, 0.0, -9.81]", "[0.0, -9.81]", "must be a list of three numbers"),
        ("size = 2e-3", "rom = \"a.rom\"", "`file` and `rom` exclude each other"),
        ("file = \"part.step\"\nsize = 2e-3\n", "", "`make`, `file`, `body` or `rom`"),
        ("modes = 20, ", "modes = 20, up_to = 3, ", "exclude each other"),
        (
            "velocity = [0.0, 0.0, 0.3]",
            "velocity = [0.0, 0.0, 0.3]\nfixed = true",
            "a fixed body has no velocity",
        ),
        ("velocity = [0.0, 0.0, 0.3]", "rigid = true", "a rigid body is not reduced"),
        ("name = \"rod\"", "name = \"ball\"", "two bodies are called `ball`"),
        ("\"rod:tip\"]", "\"rod:top\"]", "there is no marker `top`; did you mean `tip`?"),
        ("\"ball:pole\", \"rod:spot\"", "\"ball:pole\", \"ball:pole\"", "cannot be paired with itself"),
        ("material = \"steel\"\n", "", "`material` is missing"),
    ] {
        assert!(GOOD.contains(from), "{from}");
        let text = refusal(&GOOD.replacen(from, to, 1), &[]);
        assert!(text.contains(expected), "{from} -> {to}: {text}");
    }
}

#[test]
fn overrides_replace_values_and_are_named_in_problems() {
    let scenario = read(
        GOOD,
        &[
            "simulation.end_time=2e-3",
            "body.ball.velocity=[0, 0, 0.5]",
            "body.1.make.shape=rod",
            "simulation.scheme=static",
            "contact.0.law.kind=lagrange",
        ],
    );
    // `make` in addition to `file` is a contradiction, caused by the command line.
    let text = scenario.unwrap_err().to_string();
    assert!(
        text.starts_with("--set body.1.make.shape=rod: ") || text.contains("\n--set body.1.make"),
        "{text}"
    );
    let scenario = read(GOOD, &["body.ball.velocity=[0, 0, 0.5]", "contact.0.law.kind=lagrange"]).unwrap();
    assert_eq!(scenario.body[0].velocity, [0.0, 0.0, 0.5]);
    assert_eq!(scenario.contact[0].law, Law::Hard);
    // Components of a vector are counted from 0; a later change replaces an earlier one.
    let changes = ["body.ball.velocity=[0, 0, 0.5]", "body.ball.velocity.2=1", "body.0.velocity.0=2.5"];
    assert_eq!(read(GOOD, &changes).unwrap().body[0].velocity, [2.5, 0.0, 1.0]);
    let text = refusal(GOOD, &["body.ball.velocity=[0, 0, 0.5]", "body.ball.velocity.3=1"]);
    assert!(text.contains("`velocity` is a list"), "{text}");

    let text = refusal(GOOD, &["simulation.end_tme=1"]);
    assert!(text.starts_with("--set simulation.end_tme=1: simulation: unknown key `end_tme`"), "{text}");
    let text = refusal(GOOD, &["body.cube.velocity=[0,0,0]"]);
    assert!(text.contains("`body` has 2 elements, and none is called `cube`"), "{text}");
    assert!(refusal(GOOD, &["simulation.end_time"]).contains("key.path=value"));
    assert!(refusal(GOOD, &["simulation.end_time.x=1"]).contains("`end_time` is not a table"));
    assert!(refusal(GOOD, &["body.velocity=1"]).contains("`body` is a list"));
}

#[test]
fn a_syntax_error_is_reported_with_its_line() {
    let text = refusal("[simulation]\nend_time = \n", &[]);
    assert!(text.starts_with("a.toml:2: "), "{text}");
    assert!(refusal("", &[]).contains("`simulation` is missing"));
    let missing = Scenario::read(Path::new("/nowhere/a.toml"), &[], &MATERIALS).unwrap_err();
    assert!(missing.is_io());
}

#[test]
fn no_text_panics() {
    // Every prefix of a valid file, and every file with one character replaced.
    for end in (0..GOOD.len()).step_by(3) {
        let _ = read(&GOOD[..end], &["body.0.name=x", "a.b.c=1", "=", "simulation={}"]);
        for with in ["[", "\"", "{", "=", "-"] {
            let mut text = GOOD.to_owned();
            text.replace_range(end..end + 1, with);
            let _ = read(&text, &[]);
        }
    }
}

#[test]
fn every_scenario_of_the_gallery_is_valid() {
    let gallery = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../meshes");
    let names: Vec<&str> = carom_fem::MATERIALS.iter().map(|material| material.name).collect();
    let mut found = 0;
    let entries = std::fs::read_dir(gallery).unwrap().map(|entry| entry.unwrap().path());
    for case in entries.filter(|entry| entry.is_dir()) {
        for file in std::fs::read_dir(case).unwrap() {
            let file = file.unwrap().path();
            if file.extension().is_some_and(|extension| extension == "toml") {
                Scenario::read(&file, &[], &names).unwrap_or_else(|error| panic!("{error}"));
                found += 1;
            }
        }
    }
    assert!(found > 0);
}

#[test]
fn damping_is_a_ratio_or_a_table_of_parts() {
    let with = |damping: &str| {
        let text = format!(
            "[simulation]\nend_time = 1.0\n[[body]]\nname = \"a\"\nrom = \"a.rom\"\ndamping = {damping}\n"
        );
        Scenario::parse(Path::new("s.toml"), &text, &[], &[])
    };
    let damping = |text: &str| with(text).unwrap().body[0].damping.clone().unwrap().damping();
    assert_eq!(damping("0.01"), carom_reduce::Damping::of_ratio(0.01));
    let found = damping("{ ratio = [[100, 0.01], [1000.0, 0.02]], mass = 2.0, stiffness = 1e-6 }");
    assert_eq!((found.mass, found.stiffness, found.ratio_at(550.0)), (2.0, 1e-6, 0.015));
    let scenario = with("{ ratio = [[100, 0.01], [1000.0, 0.02]], mass = 2.0 }").unwrap();
    let again = Scenario::parse(Path::new("s.toml"), &scenario.to_toml(), &[], &[]).unwrap();
    assert_eq!(again, scenario);
    for (text, expected) in [
        ("-0.1", "0 or above"),
        ("{ mass = -1.0 }", "0 or above"),
        ("{ ratio = [[2.0, 0.1], [1.0, 0.1]] }", "must ascend"),
        ("{ ratio = [[2.0]] }", "pairs of numbers"),
        ("{ ratio = [] }", "empty"),
        ("{ }", "`ratio`"),
        ("{ alpha = 1.0 }", "alpha"),
        ("\"much\"", "a number"),
    ] {
        let error = with(text).unwrap_err().to_string();
        assert!(error.contains(expected), "{text}: {error}");
    }
}

const RIGID: &str = r#"
[simulation]
scheme = "rigid"
end_time = 1.0
time_step = 1.0e-3

[[body]]
name = "a"
make = { shape = "ball", radius = 0.1 }
material = "steel"

[[body]]
name = "b"
make = { shape = "ball", radius = 0.1 }
material = "steel"

[[contact]]
between = ["a:skin", "b:skin"]
law = { kind = "penalty", point_stiffness = 1e4 }
"#;

/// The message contains one problem, the value out of range.
#[test]
fn numbers_out_of_range_are_not_also_reported_as_missing() {
    for (from, to, expected) in [
        ("time_step = 1.0e-3", "time_step = 0.0", "`time_step` = 0 is out of range"),
        ("time_step = 1.0e-3\n", "", "`time_step` is missing"),
        ("stiffness = 1e4", "stiffness = -1.0", "`point_stiffness` = -1 is out of range"),
        (", point_stiffness = 1e4", "", "`point_stiffness` is missing"),
    ] {
        let text = refusal(&RIGID.replace(from, to), &[]);
        assert!(text.contains(expected) && text.lines().count() == 1, "{text}");
    }
}

/// Stiffnesses of surfaces are in Pa/m, those of points in N/m: using one key in place of the other is an
/// error with a remedy.
#[test]
fn a_stiffness_has_one_unit() {
    let text = refusal(&RIGID.replace("point_stiffness", "stiffness"), &[]);
    assert!(text.contains("have a `point_stiffness`, in N/m") && text.lines().count() == 1, "{text}");
    let law = |law: &str| {
        let text = GOOD.replace("[[contact]]\n", &format!("[[contact]]\nlaw = {law}\n"));
        assert!(text != GOOD, "{text}");
        text
    };
    let text = refusal(&law("{ kind = \"penalty\", point_stiffness = 1e6 }"), &[]);
    assert!(text.contains("surfaces have a `stiffness` per area, in Pa/m"), "{text}");
    // A written law is read back unchanged.
    for (written, expected) in [
        ("{ kind = \"penalty\" }", Law::penalty(100.0)),
        ("{ kind = \"penalty\", factor = 50.0 }", Law::penalty(50.0)),
        ("{ kind = \"penalty\", stiffness = 1e12 }", Law::per_area(1e12)),
        ("{ kind = \"lagrange\" }", Law::Hard),
        ("{ kind = \"complementarity\" }", Law::Hard),
    ] {
        let scenario = read(&law(written), &[]).unwrap();
        assert_eq!(scenario.contact[0].law, expected);
        assert_eq!(read(&scenario.to_toml(), &[]).unwrap(), scenario, "{written}");
    }
    let scenario = read(RIGID, &[]).unwrap();
    assert_eq!(scenario.contact[0].law, Law::per_point(1e4));
    assert_eq!(read(&scenario.to_toml(), &[]).unwrap(), scenario);
}

#[test]
fn a_pair_that_is_defined_twice_is_refused() {
    let twice = format!("{RIGID}\n[[contact]]\nbetween = [\"a:skin\", \"b:skin\"]\n");
    let text = refusal(&twice, &[]);
    assert!(
        text.starts_with("a.toml:22: contact 2: `a:skin` and `b:skin` are paired already, in contact 1"),
        "{text}"
    );
    // The reversed pair has other points and surfaces and is accepted.
    let swapped = format!("{RIGID}\n[[contact]]\nbetween = [\"b:skin\", \"a:skin\"]\n");
    assert!(read(&swapped, &[]).is_ok());
    let again = format!("{GOOD}\n[[contact]]\nbetween = [\"rod:spot\", \"ball:pole\"]\n");
    let text = refusal(&again, &[]);
    assert!(text.contains("are paired already"), "{text}");
}

#[test]
fn the_marker_of_an_attached_set_can_be_put_elsewhere() {
    let with = |value: &str| format!("body.1.reduce.attach.start={value}");
    let scenario = read(GOOD, &[&with("{ kind = \"mean\", at = [0, 0, 1e-3] }")]).unwrap();
    let attached = &scenario.body[1].reduce.as_ref().unwrap().attach["start"];
    assert_eq!((attached.kind(), attached.at()), ("mean", Some([0.0, 0.0, 1e-3])));
    assert_eq!(read(&scenario.to_toml(), &[]).unwrap(), scenario);
    for (value, printed) in [
        ("{ kind = \"glue\", at = [0, 0, 0] }", "\"glue\""),
        ("{ kind = \"rigid\" }", "`at`"),
        ("{ at = [0, 0, 0] }", "`kind`"),
        ("{ kind = \"rigid\", at = [0, 0] }", "three numbers"),
        ("{ kind = \"rigid\", at = [0, 0, 0], place = 1 }", "`place`"),
        ("\"glue\"", "\"rigid\" or \"mean\""),
        ("3", "\"rigid\" or \"mean\""),
    ] {
        let text = refusal(GOOD, &[&with(value)]);
        assert!(text.contains(printed), "{value}: {text}");
    }
}

#[test]
fn output_settings_determine_the_fields_of_pictures() {
    let plain = read(GOOD, &[]).unwrap();
    assert_eq!((plain.output.contact_frames, plain.output.pictures().cells), (40, PictureCells::Surface));
    assert_eq!(plain.body[0].reduce.as_ref().unwrap().fields, "surface");
    let keys = "[output]\ncells = \"all\"\nfields = [\"velocity\", \"stress\"]\nevery = 3\ncompression = \
        \"lz4\"\ncontact_frames = 7\n";
    let with = |keys: &str| GOOD.replace("[material.rubber]", &format!("{keys}[material.rubber]"));
    let scenario = read(&with(keys), &[]).unwrap();
    let pictures = scenario.output.pictures();
    assert_eq!((pictures.every, scenario.output.contact_frames), (Some(3), 7));
    let fields = [PictureField::Displacement, PictureField::Velocity, PictureField::Stress];
    assert_eq!(pictures.fields, fields);
    // Pictures of the interior require full modes.
    assert_eq!(scenario.body[0].reduce.as_ref().unwrap().fields, "full");
    assert_eq!(read(&scenario.to_toml(), &[]).unwrap(), scenario);
    // The stored text contains the settings of frames, not those of pictures.
    let kept = scenario.without_pictures().to_toml();
    assert!(!kept.contains("precision") && !kept.contains("frame_fields"), "{kept}");
    assert!(plain.output.keeps_velocities());
    let packed = read(&with("[output]\nprecision = \"single\"\nframe_fields = []\n"), &[]).unwrap();
    assert_eq!(packed.output.precision, Precision::Single);
    assert!(!packed.output.keeps_velocities());
    assert_eq!(packed.output.frame_fields, [FrameField::Displacement]);
    let text = packed.without_pictures().to_toml();
    assert!(text.contains("precision = \"single\"\nframe_fields = [\"displacement\"]"), "{text}");
    assert_eq!(read(&packed.to_toml(), &[]).unwrap(), packed);
    assert!(kept.contains("contact_frames = 7") && !kept.contains("compression"), "{kept}");
    for (keys, printed) in [
        ("[output]\ncells = \"volume\"\n", "`surface`, `all`"),
        ("[output]\nfields = [\"von_mise\"]\n", "did you mean `von_mises`?"),
        ("[output]\nprecision = \"half\"\n", "`double`, `single`"),
        ("[output]\nframe_fields = [\"stress\"]\n", "`displacement`, `velocity`"),
        ("[output]\nevery = 0\n", "a whole number from 1"),
        ("[output]\noutput_every = 1.0\n", "it belongs to [simulation]"),
        ("[output]\ncontact_frame = 1\n", "did you mean `contact_frames`?"),
    ] {
        let refused = refusal(&with(keys), &[]);
        assert!(refused.contains(printed), "{refused}");
    }
}

#[test]
fn bodies_that_touch_need_neither_a_reduction_nor_a_set() {
    let reduce = "reduce = { interface = [\"pole\"], modes = 20, split = 5.0e4 }\n";
    let whole = GOOD.replacen(reduce, "", 1).replace("\"ball:pole\", \"rod:spot\"", "\"ball\", \"rod:spot\"");
    let scenario = read(&whole, &[]).unwrap();
    assert_eq!((scenario.body[0].reduce.is_none(), scenario.contact[0].compliance), (true, None));
    assert!(read(&scenario.to_toml(), &[]).unwrap() == scenario);
    // Nothing tells the modes of a body that nothing touches.
    let free = whole.replace("\"ball\", \"rod:spot\"", "\"rod\", \"rod:spot\"");
    assert!(refusal(&free, &[]).contains("nothing touches the body, so say how it is reduced"));
    for compliance in ["auto", "half-space"] {
        let found = read(&whole, &[&format!("contact.0.compliance=\"{compliance}\"")]).unwrap();
        assert!(found.to_toml().contains(&format!("compliance = \"{compliance}\"")));
    }
    // In statics whole bodies touch on a grid.
    let statics = read(&whole, &["simulation.scheme=\"static\""]).unwrap();
    assert!(statics.to_toml().contains("compliance = \"half-space\""));
    let text = refusal(&whole, &["simulation.scheme=\"energy-momentum\""]);
    assert!(text.contains("`ball` names no part of the body: write `ball:PART`"), "{text}");
}
