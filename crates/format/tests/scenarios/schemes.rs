//! Keys of the schemes and their defaults.

use std::path::Path;

use carom_contact::solver::StepRule;
use carom_format::Scenario;
use carom_format::scenario::model::{
    Bodies, ContactGradient, ContactSolution, Elements, HardeningSpec, Integrator, JointForm, MaterialLaw,
    SCHEMES, Scheme, StepMethod,
};

use super::{GOOD, RIGID, read, refusal};

const STATIC: &str = r#"
[simulation]
scheme = "static"
steps = 3

[[body]]
name = "bar"
make = { shape = "box", size = [1.0, 0.1, 0.1] }
material = "steel"

[[support]]
on = "bar:west"
directions = ["x", "z"]
displacement = [1.0e-3, 0.0, 0.0]

[[pressure]]
on = "bar:east"
value = 1.0e6
"#;

#[test]
fn a_static_scenario_needs_no_reduction_and_reads_back_the_same() {
    let read = |text: &str| Scenario::parse(Path::new("static.toml"), text, &[], &["steel"]);
    let scenario = read(STATIC).unwrap();
    assert_eq!(
        (scenario.simulation.scheme, scenario.simulation.end_time),
        (Scheme::Static { steps: 3 }, 1.0)
    );
    assert_eq!(scenario.support[0].displacement, [1e-3, 0.0, 0.0]);
    assert_eq!(read(&scenario.to_toml()).unwrap(), scenario);
    let moved = STATIC.replace("[1.0e-3, 0.0, 0.0]", "[0.0, 1.0e-3, 0.0]");
    let message = read(&moved).unwrap_err().to_string();
    assert!(message.contains("moves the part along y") && message.contains(":14"), "{message}");
    let timed = STATIC.replace("scheme = \"static\"", "end_time = 1.0");
    let message = read(&timed).unwrap_err().to_string();
    assert!(message.contains("`steps`") && message.contains("`reduce` is missing"), "{message}");
}

#[test]
fn keys_of_other_schemes_are_refused_at_their_lines() {
    let cases = [
        (STATIC, "time_step = 1e-3", "`time_step` belongs to the scheme `quasistatic`, `dynamic`, `damped`"),
        (STATIC, "relative_tolerance = 1e-4", "the scheme `static` applies the load in `steps`: remove"),
        (STATIC, "integrator = \"radau5\"", "`integrator` belongs to"),
        (RIGID, "maximum_step = 1.0", "steps of one length, `time_step`"),
        (RIGID, "spectral_radius = 0.5", "`spectral_radius` belongs to"),
        (RIGID, "steps = 3", "`steps` belongs to the scheme `static`"),
        (GOOD, "steps = 3", "`steps` belongs to the scheme `static`"),
    ];
    for (text, key, expected) in cases {
        let refused = refusal(&text.replacen("[simulation]\n", &format!("[simulation]\n{key}\n"), 1), &[]);
        assert!(refused.contains(expected), "{key}: {refused}");
        let line = 1 + text[..text.find("[simulation]").unwrap()].matches('\n').count() + 1;
        assert!(refused.contains(&format!(":{line}: ")), "{key}: {refused}");
        assert!(!refused.contains("unknown key"), "the problem is reported twice: {refused}");
    }
}

#[test]
fn a_static_scenario_of_earlier_versions_reads_the_same() {
    let read = |text: &str| Scenario::parse(Path::new("static.toml"), text, &[], &["steel"]).unwrap();
    let scenario = read(STATIC);
    let written = scenario.to_toml();
    assert!(!written.contains("integrator") && !written.contains("relative_tolerance"), "{written}");
    // Versions that wrote the defaults of all keys wrote these two.
    let before = written
        .replace("end_time", "integrator = \"dop853\"\nend_time")
        .replace("output_every", "relative_tolerance = 1e-6\noutput_every");
    assert_eq!(read(&before), scenario);
}

#[test]
fn a_rigid_scenario_writes_its_integrator_and_is_read_back() {
    let scenario = read(RIGID, &[]).unwrap();
    let text = scenario.to_toml();
    assert!(text.contains("integrator = \"energy-momentum\""), "{text}");
    assert_eq!(read(&text, &[]).unwrap(), scenario);
    let refused = refusal(&RIGID.replace("end_time", "integrator = \"dop853\"\nend_time"), &[]);
    assert!(refused.contains("has an integrator of its own"), "{refused}");
    let refused = refusal(&GOOD.replace("end_time", "integrator = \"energy-momentum\"\nend_time"), &[]);
    assert!(refused.contains("no integrator of reduced bodies"), "{refused}");
}

#[test]
fn options_of_generalised_alpha_belong_to_it_and_are_read_back() {
    let with = |keys: &str| GOOD.replace("end_time", &format!("{keys}\nend_time"));
    let scenario = read(&with("integrator = \"generalised-alpha\""), &[]).unwrap();
    let alpha = |spectral_radius, constraints| Integrator::GeneralisedAlpha { spectral_radius, constraints };
    let chosen = |scenario: &Scenario| scenario.simulation.scheme.integration().unwrap().integrator;
    assert_eq!(chosen(&scenario), alpha(0.8, JointForm::Stabilised));
    assert_eq!(read(&scenario.to_toml(), &[]).unwrap(), scenario);
    let set = [
        ("simulation.integrator", "\"generalised-alpha\""),
        ("simulation.spectral_radius", "0.5"),
        ("simulation.constraints", "\"index3\""),
    ];
    let set = set.map(|(key, value)| format!("{key}={value}"));
    let scenario = read(GOOD, &[&set[0], &set[1], &set[2]]).unwrap();
    assert_eq!(chosen(&scenario), alpha(0.5, JointForm::Index3));
    assert_eq!(read(&scenario.to_toml(), &[]).unwrap(), scenario);
    let of_alpha = "integrator = \"generalised-alpha\"\n";
    for (keys, expected) in [
        (
            "spectral_radius = 0.5".to_owned(),
            "`spectral_radius` belongs to `integrator = \"generalised-alpha\"`",
        ),
        ("constraints = \"index3\"".to_owned(), "`constraints` belongs to"),
        (format!("{of_alpha}spectral_radius = 1.5"), "`spectral_radius` = 1.5 is out of range"),
        (format!("{of_alpha}constraints = \"index2\""), "`index3`, `stabilised`"),
        (
            format!("{of_alpha}spectral_radius = 1\nconstraints = \"index3\""),
            "needs a `spectral_radius` below 1",
        ),
    ] {
        let refused = refusal(&with(&keys), &[]);
        assert!(refused.contains(expected), "{refused}");
    }
}

#[test]
fn the_error_of_an_unknown_scheme_lists_the_valid_ones() {
    let refused = refusal(&GOOD.replace("end_time", "scheme = \"nonsense\"\nend_time"), &[]);
    for scheme in
        ["quasistatic", "dynamic", "damped", "static", "rigid", "explicit", "energy-momentum", "midpoint"]
    {
        assert!(refused.contains(&format!("`{scheme}`")), "{refused}");
    }
    assert!(refused.contains("`midpoint`, `complementarity`"), "{refused}");
}

#[test]
fn explicit_steps_are_given_by_a_part_of_the_critical_step_or_a_length() {
    let with = |keys: &str| {
        format!(
            "[simulation]\nscheme = \"explicit\"\nend_time = 1.0\n{keys}\n[material.soft]\ndensity = 1.0\n\
             young = 1e6\npoisson = 0.3\nlaw = \"neo-hookean\"\n[[body]]\nname = \"a\"\n\
             make = {{ shape = \"ball\", radius = 0.1 }}\nmaterial = \"soft\"\n"
        )
    };
    let scheme = |keys: &str| read(&with(keys), &[]).unwrap().simulation.scheme;
    let contact = ContactSolution::default();
    let of =
        |courant, time_step, mass_scaling| Scheme::Explicit { courant, time_step, mass_scaling, contact };
    assert_eq!(scheme(""), of(0.9, None, None));
    assert_eq!(scheme("courant = 0.5\nmass_scaling = 1e-7"), of(0.5, None, Some(1e-7)));
    assert_eq!(scheme("time_step = 1e-3"), of(0.9, Some(1e-3), None));
    let contact = ContactSolution { tolerance: 1e-3, rule: StepRule::FirstBound };
    let loose = "contact_tolerance = 1e-3\ncontact_steps = \"first-bound\"";
    let expected = Scheme::Explicit { courant: 0.9, time_step: None, mass_scaling: None, contact };
    assert_eq!(scheme(loose), expected);
    for keys in ["", "courant = 0.5", "time_step = 1e-3", loose] {
        let scenario = read(&with(keys), &[]).unwrap();
        assert_eq!(scenario.material["soft"].law, MaterialLaw::NeoHookean);
        assert_eq!(read(&scenario.to_toml(), &[]).unwrap(), scenario);
    }
    for (keys, words) in [
        ("courant = 0.5\ntime_step = 1e-3", "exclude each other"),
        ("courant = 0.0", "above 0"),
        ("time_step = 1e-3\nmass_scaling = 1e-4", "exclude each other"),
        ("mass_scaling = 0.0", "above 0"),
        ("contact_tolerance = 1.0", "is 1; it must be from 0 to 0.1"),
        ("contact_tolerance = -1.0", "is -1; it must be from 0 to 0.1"),
        ("courant = 1.5", "from 0 to 1"),
        ("integrator = \"radau5\"", "belongs to the scheme"),
    ] {
        let refused = refusal(&with(keys), &[]);
        assert!(refused.contains(words), "{keys}: {refused}");
    }
    let linear = with("").replace("scheme = \"explicit\"", "scheme = \"static\"");
    let refused = refusal(&linear, &[]);
    assert!(refused.contains("for the schemes `explicit`, `energy-momentum`, `midpoint`;"), "{refused}");
}

#[test]
fn options_of_conserving_steps_belong_to_one_scheme_each() {
    let with = |scheme: &str, keys: &str| {
        format!(
            "[simulation]\nscheme = \"{scheme}\"\nend_time = 1.0\ntime_step = 0.1\n{keys}\n[[body]]\n\
             name = \"a\"\nmake = {{ shape = \"ball\", radius = 0.1 }}\nmaterial = \"steel\"\n"
        )
    };
    let (plain, mixed) = (ContactGradient::Gap, ContactGradient::Mixed);
    let alpha = StepMethod::GeneralisedAlpha { spectral_radius: 0.25 };
    for (scheme, keys, method, gradient) in [
        ("energy-momentum", "", StepMethod::EnergyMomentum, plain),
        ("energy-momentum", "contact_gradient = \"mixed\"", StepMethod::EnergyMomentum, mixed),
        ("midpoint", "", StepMethod::Midpoint, plain),
        ("midpoint", "spectral_radius = 0.25", alpha, plain),
    ] {
        let scenario = read(&with(scheme, keys), &[]).unwrap();
        let expected = Scheme::Implicit { method, time_step: 0.1, persistency: false, gradient };
        assert_eq!(scenario.simulation.scheme, expected);
        assert_eq!(read(&scenario.to_toml(), &[]).unwrap(), scenario);
    }
    for (scheme, keys, words) in [
        ("midpoint", "contact_gradient = \"mixed\"", "belongs to the scheme `energy-momentum`;"),
        ("energy-momentum", "spectral_radius = 0.5", "`midpoint`"),
        ("midpoint", "spectral_radius = 1.5", "from 0 to 1"),
        ("midpoint", "spectral_radius = 0.5\npersistency = true", "remove one of them"),
        ("energy-momentum", "contact_gradient = \"mixd\"", "mixed"),
    ] {
        let refused = refusal(&with(scheme, keys), &[]);
        assert!(refused.contains(words), "{keys}: {refused}");
    }
}

#[test]
fn plastic_materials_and_elements_are_read_and_wrong_ones_refused_at_their_line() {
    let with = |material: &str, body: &str| {
        format!(
            "[simulation]\nscheme = \"explicit\"\nend_time = 1.0\n[material.copper]\ndensity = 8930.0\n\
             young = 117e9\npoisson = 0.35\n{material}\n[[body]]\nname = \"a\"\n\
             make = {{ shape = \"ball\", radius = 0.1 }}\nmaterial = \"copper\"\n{body}\n"
        )
    };
    let law = "law = \"plastic\"\n";
    for (material, expected) in [
        ("yield_stress = 400e6", (Some(400e6), None)),
        ("yield_stress = 400e6\nhardening = 100e6", (Some(400e6), Some(HardeningSpec::Modulus(100e6)))),
        (
            "hardening = [[0.0, 400e6], [0.1, 450e6]]",
            (None, Some(HardeningSpec::Table(vec![[0.0, 400e6], [0.1, 450e6]]))),
        ),
    ] {
        let scenario = read(&with(&format!("{law}{material}"), ""), &[]).unwrap();
        let copper = &scenario.material["copper"];
        assert_eq!((copper.yield_stress, copper.hardening.clone()), expected);
        assert_eq!(read(&scenario.to_toml(), &[]).unwrap(), scenario);
    }
    for (name, elements) in Elements::NAMES {
        let text = with("bulk_viscosity = [0.06, 1.2]", &format!("elements = \"{name}\""));
        let scenario = read(&text, &[]).unwrap();
        assert_eq!(scenario.body[0].elements, elements);
        assert_eq!(scenario.material["copper"].bulk_viscosity, Some([0.06, 1.2]));
        assert_eq!(read(&scenario.to_toml(), &[]).unwrap(), scenario);
    }
    for (material, body, line, words) in [
        ("law = \"plastic\"", "", 4, "yields at this stress"),
        ("law = \"plastic\"\nyield_stress = -1.0", "", 9, "a finite number above 0"),
        ("law = \"plastic\"\nhardening = 1e6", "", 4, "starts at a yield stress"),
        ("law = \"plastic\"\nhardening = [[0.1, 1e6]]", "", 9, "yielding begins at 0"),
        ("law = \"plastic\"\nhardening = [[0.0, 2e6], [0.1, 1e6]]", "", 9, "softening is not possible"),
        ("law = \"plastic\"\nhardening = [[0.0, 2e6], [0.0, 3e6]]", "", 9, "not above the one before"),
        ("law = \"plastic\"\nhardening = [1.0]", "", 9, "a modulus in Pa, or a list"),
        ("law = \"plastic\"\nhardening = []", "", 9, "has no point"),
        ("yield_stress = 1e6", "", 8, "belongs to `law = \"plastic\"`"),
        ("bulk_viscosity = 0.1", "", 8, "a linear and a quadratic coefficient"),
        ("", "elements = \"one-pont\"", 13, "one-point"),
        ("", "elements = \"full\"\nrigid = true", 13, "has no strains"),
    ] {
        let refused = refusal(&with(material, body), &[]);
        assert!(
            refused.contains(words) && refused.contains(&format!(":{line}")),
            "{line}, {words}: {refused}"
        );
    }
}

/// Every scheme of the table is read as itself and not as another one.
#[test]
fn each_scheme_that_runs_is_read_as_itself_and_reads_back() {
    for row in &SCHEMES {
        let step = if row.keys.first() == Some(&"time_step") { "time_step = 1e-3\n" } else { "" };
        let rigid = if row.bodies == Bodies::Reduced { "rigid = true\n" } else { "" };
        let text = format!(
            "[simulation]\nscheme = \"{}\"\nend_time = 1.0\n{step}[[body]]\nname = \"a\"\n{rigid}make = \
             {{ shape = \"ball\", radius = 0.1 }}\nmaterial = \"steel\"\n",
            row.name
        );
        let scenario = read(&text, &[]).unwrap();
        assert_eq!(scenario.simulation.scheme.row().name, row.name);
        assert_eq!(read(&scenario.to_toml(), &[]).unwrap(), scenario);
    }
}

#[test]
fn schemes_with_dynamic_high_modes_default_to_generalised_alpha() {
    for (scheme, integrator) in [
        ("quasistatic", "dormand-prince5"),
        ("dynamic", "generalised-alpha"),
        ("damped", "generalised-alpha"),
    ] {
        let scenario = read(GOOD, &[&format!("simulation.scheme=\"{scheme}\"")]).unwrap();
        let settings = scenario.simulation.scheme.integration().unwrap();
        assert_eq!(settings.integrator.name(), integrator, "{scheme}");
        assert_eq!(read(&scenario.to_toml(), &[]).unwrap(), scenario);
    }
}
