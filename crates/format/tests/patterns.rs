//! Contacts that patterns name: `between = ["ring:*", "ball*:skin"]`.

use std::path::Path;

use carom_format::Scenario;

/// A ring with two shapes, two balls, a cage that is joined to the ring, and a held floor.
fn bearing() -> String {
    let body = |name: &str, make: &str, fixed: bool, shapes: &[[&str; 2]]| {
        let shape = |[name, rest]: &[&str; 2]| format!("[[body.shape]]\nname = \"{name}\"\n{rest}\n");
        format!(
            "[[body]]\nname = \"{name}\"\nmake = {{ {make} }}\nmaterial = \"steel\"\nfixed = {fixed}\n{}",
            shapes.iter().map(shape).collect::<String>()
        )
    };
    let (ball, plate) = ("shape = \"ball\", radius = 0.01", "shape = \"plate\", size = [0.3, 0.2, 0.1]");
    let inner = ["inner", "kind = \"cavity\"\nradius = 0.1"];
    let outer = ["outer", "kind = \"ball\"\nradius = 0.12"];
    let skin = ["skin", "kind = \"ball\"\nradius = 0.01"];
    let pockets = ["pockets", "kind = \"block\"\nsize = [0.3, 0.2, 0.1]"];
    let top = ["top", "kind = \"plane\"\npoint = [0.0, 0.0, 0.0]\nnormal = [0.0, 0.0, 1.0]"];
    [
        "[simulation]\nscheme = \"rigid\"\nend_time = 1.0\ntime_step = 1.0e-4\n".to_owned(),
        body("ring", plate, true, &[inner, outer]),
        body("ball 1", ball, false, &[skin]),
        body("ball 2", ball, false, &[skin]),
        body("cage", plate, false, &[pockets]),
        body("floor", plate, true, &[top]),
        "[[joint]]\nkind = \"revolute\"\nbetween = [\"ring:north\", \"cage:north\"]\n\
         axis = [0.0, 0.0, 1.0]\n"
            .to_owned(),
    ]
    .concat()
}

fn read(contacts: &str) -> Result<Scenario, String> {
    let text = format!("{}{contacts}", bearing());
    Scenario::parse(Path::new("bearing.toml"), &text, &[], &["steel"]).map_err(|error| error.to_string())
}

fn pairs(scenario: &Scenario) -> Vec<String> {
    scenario
        .contact
        .iter()
        .map(|contact| contact.between.each_ref().map(ToString::to_string).join(" "))
        .collect()
}

#[test]
fn each_two_surfaces_that_fit_are_a_contact() {
    let scenario = read("[[contact]]\nbetween = [\"ball*:skin\", \"ring:*\"]\nfriction = 0.2\n").unwrap();
    assert_eq!(
        pairs(&scenario),
        [
            "ball 1:skin ring:inner",
            "ball 1:skin ring:outer",
            "ball 2:skin ring:inner",
            "ball 2:skin ring:outer"
        ]
    );
    assert!(scenario.contact.iter().all(|contact| contact.friction == 0.2));
    // Written with all defaults, the contacts stand one by one.
    let again = Scenario::parse(Path::new("again.toml"), &scenario.to_toml(), &[], &["steel"]).unwrap();
    assert_eq!(again, scenario);
}

/// Each two balls once; the ring and the floor stay, the cage is joined to the ring.
#[test]
fn bodies_that_stay_or_are_joined_have_no_contact() {
    let scenario = read("[[contact]]\nbetween = [\"*:*\", \"*:*\"]\n").unwrap();
    let found = pairs(&scenario);
    let count = |a: &str, b: &str| found.iter().filter(|pair| pair.contains(a) && pair.contains(b)).count();
    assert_eq!(
        (count("ring:", "floor:"), count("ring:", "cage:"), count("cage:", "floor:")),
        (0, 0, 1),
        "{found:?}"
    );
    assert_eq!(
        (count("ball 1:", "ball 2:"), count("ball 1:", "ring:"), count("ball 2:", "cage:")),
        (1, 2, 1)
    );
}

#[test]
fn exclude_takes_pairs_out() {
    let scenario = read(
        "[[contact]]\nbetween = [\"ball*:skin\", \"*:*\"]\n\
         exclude = [[\"ball 1\", \"ball*\"], [\"ring:outer\", \"ball*\"], [\"floor\", \"*\"]]\n",
    );
    assert_eq!(
        pairs(&scenario.unwrap()),
        [
            "ball 1:skin ring:inner",
            "ball 1:skin cage:pockets",
            "ball 2:skin ring:inner",
            "ball 2:skin cage:pockets"
        ]
    );
}

/// The number of a plain table stays its own: `--set contact.1.friction` and messages refer to it.
#[test]
fn further_contacts_of_a_pattern_come_after_all_tables() {
    let scenario = read(
        "[[contact]]\nbetween = [\"ball*:skin\", \"ring:inner\"]\n\
         [[contact]]\nbetween = [\"cage:pockets\", \"floor:top\"]\n",
    );
    assert_eq!(
        pairs(&scenario.unwrap()),
        ["ball 1:skin ring:inner", "cage:pockets floor:top", "ball 2:skin ring:inner"]
    );
}

#[test]
fn patterns_that_fit_nothing_or_twice_are_refused() {
    // Lines of the table of the contact.
    let [second, third] = [2, 3].map(|line| format!(":{}", bearing().lines().count() + line));
    for (contacts, words) in [
        (
            "[[contact]]\nbetween = [\"roller*:skin\", \"ring:inner\"]\n",
            ["no body fits `roller*`", "`ball 1`"],
        ),
        ("[[contact]]\nbetween = [\"ball*:p*\", \"ring:inner\"]\n", ["no surface fits `ball*:p*`", "`skin`"]),
        ("[[contact]]\nbetween = [\"ring:*\", \"floor:*\"]\n", ["no two bodies that fit may touch", &second]),
        (
            "[[contact]]\nbetween = [\"cage:pockets\", \"floor:top\"]\nexclude = [[\"cage\", \"floor\"]]\n",
            ["`exclude` belongs to ends with a `*`", &third],
        ),
        (
            "[[contact]]\nbetween = [\"ball*:skin\", \"ring:inner\"]\nexclude = [\"cage\"]\n",
            ["exclude", "pairs"],
        ),
        (
            "[[contact]]\nbetween = [\"ball 1:skin\", \"ring:inner\"]\n\
             [[contact]]\nbetween = [\"ball*:skin\", \"ring:inner\"]\n",
            ["paired already", "contact 1"],
        ),
    ] {
        let message = read(contacts).expect_err(words[0]);
        assert!(words.iter().all(|word| message.contains(word)), "{contacts}: {message}");
    }
}

/// `*@X,Y,Z:R` and a place `*` of a body are regions of its surface.
#[test]
fn regions_of_a_whole_surface_are_no_patterns() {
    let ball = |name: &str| {
        format!(
            "[[body]]\nname = \"{name}\"\nmake = {{ shape = \"ball\", radius = 0.01 }}\n\
             material = \"steel\"\nreduce = {{ places = [\"*\"], modes = 5 }}\n"
        )
    };
    let text = format!(
        "[simulation]\nend_time = 1.0\n{}{}[[contact]]\nbetween = [\"a:*@0.0,0.0,0.01:0.004\", \"b:*\"]\n",
        ball("a"),
        ball("b")
    );
    let scenario = Scenario::parse(Path::new("balls.toml"), &text, &[], &["steel"]).unwrap();
    assert_eq!(pairs(&scenario), ["a:*@0.0,0.0,0.01:0.004 b:*"]);
}

/// `["*"]` in schemes of reduced bodies: each two surfaces of different bodies, of bodies without one the
/// whole. 200 balls are 19 900 contacts, as many as a table may be, and 202 too many.
#[test]
fn a_star_alone_is_each_two_bodies() {
    let ball = |name: &str, rest: &str| {
        let make = "make = { shape = \"ball\", radius = 0.01 }\nmaterial = \"steel\"\n";
        format!("[[body]]\nname = \"{name}\"\n{make}{rest}")
    };
    let read = |bodies: String, exclude: &str| {
        let head = "[simulation]\nscheme = \"quasistatic\"\nend_time = 1.0e-3\n";
        let contact = format!("[[contact]]\nbetween = [\"*\"]\n{exclude}");
        let text = format!("{head}{bodies}{contact}");
        Scenario::parse(Path::new("balls.toml"), &text, &[], &["steel"]).map_err(|error| error.to_string())
    };
    let half = "reduce = { interface = [\"north\"], modes = 5 }\n";
    let three = ball("a", "") + &ball("b", "") + &ball("c", half);
    assert_eq!(pairs(&read(three.clone(), "").unwrap()), ["a b", "a c:north", "b c:north"]);
    assert_eq!(pairs(&read(three, "exclude = [[\"b\", \"c\"]]\n").unwrap()), ["a b", "a c:north"]);
    let many = |n: usize| (0..n).map(|k| ball(&format!("ball{k}"), "")).collect::<String>();
    assert_eq!(read(many(200), "").unwrap().contact.len(), 19_900);
    let message = read(many(202), "").expect_err("too many");
    assert!(message.contains("202 by 202 surfaces, more than 20000 contacts"), "{message}");
}
