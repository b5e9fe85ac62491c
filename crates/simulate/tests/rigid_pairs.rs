//! The scheme `rigid`: contacts defined twice, lasting contacts, blocks that cross edge on edge.

use carom_simulate::RunOutcome;
use nalgebra::Vector3;

use crate::fixtures::solve;

/// Two bodies of a shape that meet along x, with these contacts.
fn two(make: &str, shape: &str, contacts: &str) -> String {
    let body = |name: &str, x: f64, v: f64| {
        format!(
            "[[body]]\nname = \"{name}\"\nmake = {{ {make} }}\nmaterial = \"steel\"\nposition = [{x:?}, 0.0, \
             0.0]\nvelocity = [{v:?}, 0.0, 0.0]\n[[body.shape]]\nname = \"outside\"\n{shape}\n"
        )
    };
    format!(
        "[simulation]\nscheme = \"rigid\"\nend_time = 0.5\ntime_step = 1e-3\n{}{}{contacts}",
        body("a", 0.0, 1.0),
        body("b", 0.5, -1.0)
    )
}

fn contact(first: &str, second: &str, rest: &str) -> String {
    format!("[[contact]]\nbetween = [\"{first}\", \"{second}\"]\n{rest}\n")
}

const BALL: [&str; 2] = ["shape = \"ball\", radius = 0.1", "kind = \"ball\"\nradius = 0.1"];
const BLOCK: [&str; 2] =
    ["shape = \"plate\", size = [0.2, 0.2, 0.2]", "kind = \"block\"\nsize = [0.2, 0.2, 0.2]"];

#[test]
fn a_contact_that_is_defined_twice_is_refused() {
    let once = contact("a:outside", "b:outside", "restitution = 0.5");
    for (second, [make, shape]) in [
        (contact("b:outside", "a:outside", "restitution = 0.5"), BALL),
        // The set of the ball's NURBS lies on the shape.
        (contact("a:outside", "b:surface", "restitution = 0.5"), BALL),
        (contact("b:surface", "a:outside", "restitution = 0.5"), BALL),
        (contact("b:surface", "a:surface", "restitution = 0.5"), BALL),
        (contact("a:west", "b:outside", "restitution = 0.5"), BLOCK),
    ] {
        let error = solve(&two(make, shape, &format!("{once}{second}"))).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("the surfaces of contact 1 (a:outside, b:outside)"), "{second}: {text}");
        assert_eq!(error.key(), Some("contact.1.between"), "{second}");
    }
}

/// Points shared by two contacts would have two springs: sets that share faces are refused with a place;
/// sets side by side are accepted.
#[test]
fn surfaces_that_coincide_in_part_are_refused() {
    let make = "shape = \"plate\", size = [0.2, 0.2, 0.2], elements = [4, 4, 4]";
    let [_, shape] = BLOCK;
    let zone = |name: &str, z: f64, radius: f64| {
        format!("{{ name = \"{name}\", set = \"east\", center = [0.1, 0.0, {z:?}], radius = {radius:?} }}")
    };
    let zones = [zone("upper", 0.05, 0.08), zone("lower", -0.05, 0.08), zone("foot", -0.1, 0.05)].join(", ");
    let law = "law = { kind = \"penalty\", point_stiffness = 1e6 }";
    let both = |hex: &str, first: [&str; 2], second: [&str; 2]| {
        let contacts = [contact(first[0], first[1], law), contact(second[0], second[1], law)].concat();
        let text = two(&format!("{make}, hex = {hex}"), shape, &contacts);
        let named = text.replace("name = \"a\"\n", &format!("name = \"a\"\nzone = [{zones}]\n"));
        solve(&named)
    };
    for hex in ["true", "false"] {
        for second in [["a:lower", "b:outside"], ["a:lower", "b:west"]] {
            let error = both(hex, ["a:upper", "b:outside"], second).unwrap_err();
            let text = error.to_string();
            assert!(text.contains("coincide in part with those of contact 1 (a:upper, b:outside)"), "{text}");
            assert!(
                text.contains("`a:lower` and `a:upper` share") && text.contains("near (1.0000e-1, "),
                "{text}"
            );
            assert_eq!(error.key(), Some("contact.1.between"));
        }
        let apart = both(hex, ["a:upper", "b:outside"], ["a:foot", "b:outside"]);
        assert!(apart.is_ok(), "{:?}", apart.err());
    }
}

#[test]
fn blocks_may_have_contacts_in_both_directions_with_one_law() {
    let [make, shape] = BLOCK;
    let both = |second: &str| {
        let contacts = contact("a:outside", "b:outside", "restitution = 0.5");
        solve(&two(make, shape, &format!("{contacts}{}", contact("b:outside", "a:outside", second))))
    };
    // Equal blocks that meet face to face exchange half of their velocities.
    let outcome = both("restitution = 0.5").unwrap();
    assert!((outcome.bodies[0].velocity[0] + 0.5).abs() < 1e-12, "{:?}", outcome.bodies[0]);
    for second in ["restitution = 0.9", "restitution = 0.5\nfriction = 0.1", ""] {
        let text = both(second).unwrap_err().to_string();
        assert!(text.contains("contact 1 (a:outside, b:outside) is the same the other way round"), "{text}");
    }
    // One way round the corners of the second block are left out.
    let outcome = solve(&two(make, shape, &contact("a:outside", "b:outside", ""))).unwrap();
    assert!(
        outcome.warnings[0].contains("no corners of `b:outside` touch `a:outside`"),
        "{:?}",
        outcome.warnings
    );
    assert!(both("restitution = 0.5").unwrap().warnings.is_empty());
    // Contacts of other parts of the same bodies are accepted.
    let parts = [contact("a:east", "b:outside", ""), contact("a:west", "b:outside", "")].concat();
    assert!(solve(&two(make, shape, &parts)).is_ok());
}

/// Two bars of 50 × 1 × 1 m (Zywicz & Puso 1999), the left one at 1 m/s, 0.01 m apart; nodes lie flush with
/// the rims of both ends.
fn bars(contacts: &str) -> String {
    let body = |name: &str, x: f64, v: f64, end: f64| {
        let node = |y: f64, z: f64| format!("[{end:?}, {y:?}, {z:?}]");
        let nodes = [node(-0.5, -0.5), node(0.5, -0.5), node(0.5, 0.5), node(-0.5, 0.5)].join(", ");
        format!(
            "[[body]]\nname = \"{name}\"\nmake = \
             {{ shape = \"plate\", size = [50.0, 1.0, 1.0], elements = [50, 1, 1], hex = true }}\nmaterial = \
             \"steel\"\nposition = [{x:?}, 0.0, 0.0]\nvelocity = [{v:?}, 0.0, 0.0]\n[[body.shape]]\nname = \
             \"nodes\"\nkind = \"points\"\npoints = [{nodes}]\n[[body.shape]]\nname = \"brick\"\nkind = \
             \"block\"\nsize = [50.0, 1.0, 1.0]\n"
        )
    };
    format!(
        "[simulation]\nscheme = \"rigid\"\nend_time = 0.054\ntime_step = 0.009\noutput_every = 0.009\n\
         {}{}{contacts}",
        body("left", -25.0, 1.0, 25.0),
        body("right", 25.01, 0.0, -25.0)
    )
}

/// Shapes and sets of the mesh, one pass or both: velocities swap to 1e-14, and nothing overlaps.
#[test]
fn flush_bars_exchange_their_velocities() {
    for [first, second] in [["nodes", "brick"], ["east", "brick"], ["nodes", "west"], ["east", "west"]] {
        let turned = |name: &str| name.replace("west", "x").replace("east", "west").replace('x', "east");
        let one = contact(&format!("left:{first}"), &format!("right:{second}"), "");
        let other = contact(&format!("right:{}", turned(first)), &format!("left:{}", turned(second)), "");
        for contacts in [one.clone(), other.clone(), format!("{one}{other}")] {
            let outcome = solve(&bars(&contacts)).unwrap();
            let [left, right] = [0, 1].map(|i: usize| outcome.bodies[i].velocity);
            let errors = [left[0], left[1], left[2], right[0] - 1.0, right[1], right[2]];
            assert!(errors.iter().all(|error| error.abs() < 1e-14), "{contacts}: {errors:?}");
            assert!(outcome.warnings.is_empty(), "{contacts}: {:?}", outcome.warnings);
            let total: f64 = outcome.summary.contacts.iter().map(|event| event.impulse[0].abs()).sum();
            assert!((total / (0.5 * 7800.0 * 50.0 * 2.0) - 1.0).abs() < 1e-9, "{contacts}: {total}");
        }
    }
}

/// Bodies without a contact pass through each other and are reported in every scheme; bodies that begin
/// inside each other are not.
#[test]
fn bodies_inside_each_other_are_reported() {
    let printed = |text: &str| solve(text).unwrap().warnings.join("\n");
    let text = bars("");
    let warnings = printed(&text);
    assert!(
        warnings.contains("bodies `left` and `right` lie 4.400e-2 m inside each other at t = 5.400000e-2 s"),
        "{warnings}"
    );
    assert!(warnings.contains("no contact between them is defined"), "{warnings}");
    for scheme in ["quasistatic", "dynamic", "damped"] {
        let head = format!(
            "[simulation]\nscheme = \"{scheme}\"\nend_time = 0.054\noutput_every = 0.009\nrelative_tolerance \
             = 1e-6\n"
        );
        let body = |name: &str, x: f64, v: f64| {
            format!(
                "[[body]]\nname = \"{name}\"\nmake = \
                 {{ shape = \"plate\", size = [50.0, 1.0, 1.0], elements = [50, 1, 1], hex = true }}\n\
                 material = \"steel\"\nrigid = true\nposition = [{x:?}, 0.0, 0.0]\nvelocity = [{v:?}, 0.0, \
                 0.0]\n"
            )
        };
        let apart = format!("{head}{}{}", body("left", -25.0, 1.0), body("right", 25.01, 0.0));
        let warnings = printed(&apart);
        assert!(warnings.contains("lie 4.400e-2 m inside each other"), "{scheme}: {warnings}");
        let within = format!("{head}{}{}", body("left", -25.0, 1.0), body("right", 20.0, 0.0));
        assert!(!printed(&within).contains("inside each other"), "{scheme}");
    }
}

/// Bars of soft material, 1 mm apart. A force stretches one into the other, so that they overlap by elastic
/// displacement alone.
fn stretched(simulation: &str, [left, right]: [&str; 2], tables: &str) -> String {
    let body = |name: &str, x: f64, kind: &str| {
        format!(
            "[[body]]\nname = \"{name}\"\nmake = \
             {{ shape = \"box\", size = [0.1, 0.01, 0.01], elements = [4, 2, 2] }}\nmaterial = \"m\"\n\
             position = [{x:?}, 0.0, 0.0]\n{kind}\n"
        )
    };
    format!(
        "[simulation]\n{simulation}\n[material.m]\ndensity = 1000.0\nyoung = 1e9\npoisson = 0.0\n\
         {}{}{tables}\n[[force]]\non = \"left:east\"\nforce = [4.0e3, 0.0, 0.0]\n",
        body("left", 0.0, left),
        body("right", 0.101, right)
    )
}

/// F L/(E A) = 4 mm of a gap of 1 mm.
#[test]
fn bodies_that_are_deformed_into_each_other_are_reported_in_statics() {
    let supports = "[[support]]\non = \"left:west\"\n[[support]]\non = \"right:east\"";
    let statics = "scheme = \"static\"\nsteps = 2\nend_time = 1.0";
    let printed = |text: &str| solve(text).unwrap().warnings.join("\n");
    let warnings = printed(&stretched(statics, ["", ""], supports));
    let expected = "bodies `left` and `right` lie 3.000e-3 m inside each other at t = 1.000000e0 s";
    assert!(
        warnings.contains(expected) && warnings.contains("no contact between them is defined"),
        "{warnings}"
    );
    // A quarter of the force stretches the bar by 1 mm at most, and the bars do not overlap.
    let apart = stretched(statics, ["", ""], supports).replace("4.0e3", "0.9e3");
    assert!(!printed(&apart).contains("inside each other"));
}

/// A sudden force stretches the bar by up to 8 mm.
#[test]
fn bodies_that_are_deformed_into_each_other_are_reported_in_every_scheme() {
    let left = "reduce = { attach = { east = \"rigid\" }, fix = [\"west\"], modes = 6, split = 2.0e4 }";
    for scheme in ["quasistatic", "dynamic", "damped"] {
        let simulation = format!("scheme = \"{scheme}\"\nend_time = 5.0e-4\noutput_every = 1.0e-5");
        let warnings = solve(&stretched(&simulation, [left, "rigid = true"], "")).unwrap().warnings;
        let found = warnings.iter().find(|warning| warning.contains("bodies `left` and `right` lie"));
        assert!(found.is_some_and(|warning| warning.contains("inside each other")), "{scheme}: {warnings:?}");
        let apart = stretched(&simulation, [left, "rigid = true"], "").replace("4.0e3", "0.4e3");
        let warnings = solve(&apart).unwrap().warnings;
        assert!(
            !warnings.iter().any(|warning| warning.contains("inside each other")),
            "{scheme}: {warnings:?}"
        );
    }
}

/// A block that has come to rest on the ground.
fn resting(end_time: f64, height: f64, law: &str) -> RunOutcome {
    let text = format!(
        "[simulation]\nscheme = \"rigid\"\nend_time = {end_time:?}\ntime_step = 5e-4\ngravity = [0.0, 0.0, \
         -9.81]\n[[body]]\nname = \"b\"\nmake = {{ shape = \"plate\", size = [0.2, 0.1, 0.06] }}\nmaterial = \
         \"steel\"\nposition = [0.0, 0.0, {height:?}]\n[[body.shape]]\nname = \"o\"\nkind = \"block\"\nsize \
         = [0.2, 0.1, 0.06]\n[[body]]\nname = \"t\"\nmake = \
         {{ shape = \"plate\", size = [1.0, 1.0, 0.05] }}\nmaterial = \"steel\"\nfixed = true\n\
         [[body.shape]]\nname = \"top\"\nkind = \"plane\"\nnormal = [0.0, 0.0, 1.0]\n[[contact]]\nbetween = \
         [\"b:o\", \"t:top\"]\n{law}\n"
    );
    solve(&text).unwrap()
}

#[test]
fn a_lasting_contact_is_open_without_restitution() {
    // On springs the block sinks by m g/4k = 1.15 mm and oscillates about that without loss.
    let springs = "law = { kind = \"penalty\", point_stiffness = 2e4 }";
    for (law, height) in [("restitution = 0.2", 0.031), ("restitution = 0.0", 0.031), (springs, 0.030_001)] {
        // The impulse of the last step and the sign of the last velocity depend on rounding.
        for end_time in [1.0, 1.0005, 1.001, 1.0015, 1.002] {
            let outcome = resting(end_time, height, law);
            let last = outcome.summary.contacts.last().unwrap();
            assert!(last.open && last.restitution().is_none(), "{law}, {end_time}: {last:?}");
        }
    }
}

#[test]
fn an_impact_of_the_last_step_is_closed() {
    // The block falls 1 mm in 14.3 ms.
    for end_time in [0.0145, 0.015] {
        let outcome = resting(end_time, 0.031, "restitution = 0.1");
        let last = outcome.summary.contacts.last().unwrap();
        assert!(!last.open && (last.restitution().unwrap() - 0.1).abs() < 0.01, "{end_time}: {last:?}");
    }
}

/// Three blocks tumble onto each other and cross edge on edge.
#[test]
fn blocks_that_cross_edge_on_edge_rest_on_each_other() {
    let block = |name: &str, size: [f64; 3], place: &str| {
        format!(
            "[[body]]\nname = \"{name}\"\nmake = {{ shape = \"plate\", size = {size:?} }}\nmaterial = \
             \"steel\"\n{place}\n[[body.shape]]\nname = \"o\"\nkind = \"block\"\nsize = {size:?}\n"
        )
    };
    let law = "restitution = 0.3\nfriction = 0.4";
    let text = [
        "[simulation]\nscheme = \"rigid\"\nend_time = 1.5\ntime_step = 5e-4\ngravity = [0.0, 0.0, -9.81]\n",
        &block("a", [0.2, 0.1, 0.06], "position = [0.0, 0.0, 0.031]"),
        &block(
            "b",
            [0.2, 0.1, 0.06],
            "position = [0.05, 0.02, 0.2]\nrotation = { axis = [1.0, 2.0, 0.5], degrees = 25.0 }\n\
             angular_velocity = [1.0, 2.0, 0.0]",
        ),
        &block(
            "c",
            [0.15, 0.1, 0.1],
            "position = [-0.03, 0.0, 0.4]\nrotation = { axis = [1.0, -1.0, 0.5], degrees = 60.0 }\n\
             angular_velocity = [0.0, 2.0, 3.0]",
        ),
        "[[body]]\nname = \"t\"\nmake = { shape = \"plate\", size = [1.0, 1.0, 0.05] }\nmaterial = \
         \"steel\"\nfixed = true\n[[body.shape]]\nname = \"top\"\nkind = \"plane\"\nnormal = [0.0, 0.0, \
         1.0]\n",
        &["a", "b", "c"].map(|name| contact(&format!("{name}:o"), "t:top", law)).concat(),
        &[("a", "b"), ("b", "a"), ("c", "b"), ("b", "c"), ("a", "c"), ("c", "a")]
            .map(|(first, second)| contact(&format!("{first}:o"), &format!("{second}:o"), law))
            .concat(),
    ];
    let outcome = solve(&text.concat()).unwrap();
    // Corners and edges arrive up to half a step late, at some 3 m/s.
    let depth = outcome.summary.contacts.iter().map(|event| event.max_approach).fold(0.0, f64::max);
    assert!(depth < 2e-3, "{depth}");
    let bodies = &outcome.bodies[..3];
    assert!(bodies.iter().all(|body| body.velocity.iter().all(|v| v.abs() < 0.02)), "{bodies:?}");
    // The heights of all three are those of blocks on the ground or on each other.
    assert!(bodies.iter().all(|body| body.position[2] > 0.0299 && body.position[2] < 0.25), "{bodies:?}");
}

/// Bricks that fall on each other and on a plate in any orientation, by the contact of all bodies.
///
/// * `mesh` — further keys of their make
/// * `shape` — tables after each brick
fn falling_bricks(n: u32, mesh: &str, shape: &str) -> String {
    let brick = |i: u32| {
        let k = f64::from(i);
        let of = |factor: f64| (factor * (k + 1.0)).sin();
        format!(
            "[[body]]\nname = \"brick{i}\"\nmake = {{ shape = \"plate\", size = [0.2, 0.1, 0.06]{mesh} }}\n\
             material = \"steel\"\nrigid = true\nposition = [{:?}, {:?}, {:?}]\n\
             rotation = {{ axis = [{:?}, {:?}, 1.0], degrees = {:?} }}\n\
             angular_velocity = [{:?}, {:?}, {:?}]\n{shape}",
            0.03 * of(1.3),
            0.03 * of(2.1),
            0.1 + 0.12 * k,
            0.1 * of(0.7),
            0.1 * of(1.9),
            360.0 * of(2.9),
            of(3.1),
            of(3.7),
            of(4.3)
        )
    };
    let bricks: String = (0..n).map(brick).collect();
    format!(
        "[simulation]\nscheme = \"rigid\"\nend_time = 1.2\ntime_step = 1e-3\noutput_every = 0.01\n\
         gravity = [0.0, 0.0, -9.81]\n[[contact]]\nbetween = [\"*\"]\nrestitution = 0.0\nfriction = 0.6\n\
         [[body]]\nname = \"floor\"\nmake = {{ shape = \"plate\", size = [2.0, 2.0, 0.2] }}\n\
         material = \"steel\"\nfixed = true\nposition = [0.0, 0.0, -0.1]\n{}{bricks}",
        if shape.is_empty() {
            ""
        } else {
            "[[body.shape]]\nname = \"all\"\nkind = \"block\"\nsize = [2.0, 2.0, 0.2]\n"
        }
    )
}

/// Bricks of splines and of hexahedra move as those whose shape is given, and end on the floor or on others.
#[test]
fn meshed_bricks_touch_as_blocks() {
    let block = "[[body.shape]]\nname = \"all\"\nkind = \"block\"\nsize = [0.2, 0.1, 0.06]\n";
    let of_shape = solve(&falling_bricks(5, "", block)).unwrap();
    for mesh in ["", ", elements = [2, 1, 1], hex = true, order = 1", ", elements = [3, 2, 1], hex = true"] {
        let of_mesh = solve(&falling_bricks(5, mesh, "")).unwrap();
        assert_eq!(of_mesh.summary.contacts.len(), of_shape.summary.contacts.len(), "{mesh}");
        for (a, b) in of_mesh.bodies.iter().zip(&of_shape.bodies) {
            let apart = Vector3::from(a.position) - Vector3::from(b.position);
            assert!(apart.norm() < 1e-6, "{mesh}: {:.1e} m", apart.norm());
            assert!(a.position[2] > -0.11, "{mesh}");
        }
    }
}

/// A point that flies through a block within a step, 10 mm and 1 mm below its upper face: 5 % and 0.5 % of
/// the smallest extent of its body. The first is a warning with its depth and the time behind the surface.
#[test]
fn deep_passages_are_warnings_and_grazes_are_not() {
    let text = |scheme: &str, depth: f64| {
        let body = |name: &str, place: &str, shape: &str| {
            format!(
                "[[body]]\nname = \"{name}\"\nmake = {{ shape = \"plate\", size = [0.2, 0.2, 0.2] }}\n\
                 material = \"steel\"\nrigid = true\n{place}\n[[body.shape]]\nname = \"s\"\n{shape}\n"
            )
        };
        let bullet = format!("position = [-0.25, 0.0, {:?}]\nvelocity = [1000.0, 0.0, 0.0]", 0.1 - depth);
        format!(
            "[simulation]\nscheme = \"{scheme}\"\nend_time = 3e-3\ntime_step = 1e-3\n{}{}{}",
            body("bullet", &bullet, "kind = \"points\"\npoints = [[0.0, 0.0, 0.0]]"),
            body("wall", "", "kind = \"block\"\nsize = [0.2, 0.2, 0.2]"),
            contact("bullet:s", "wall:s", "")
        )
    };
    for scheme in ["rigid", "explicit"] {
        let passed = |depth: f64| {
            let outcome = solve(&text(scheme, depth)).unwrap();
            assert!(outcome.summary.contacts.is_empty(), "{scheme}, {depth}");
            outcome.warnings.into_iter().find(|text| text.contains("passed through the surface within step"))
        };
        let deep = passed(0.01).unwrap_or_else(|| panic!("{scheme}"));
        assert!(deep.contains("up to 1.0e-2 m behind it") && deep.contains("2.0e-4 s"), "{scheme}: {deep}");
        assert_eq!(passed(0.001), None, "{scheme}");
    }
}
