//! Probes of schemes of unreduced bodies against closed forms, impulses, frames and other schemes, from
//! scenario to result.

use carom_format::result::ProbeCourse;
use carom_simulate::{RunOptions, RunOutcome, survey};
use nalgebra::Vector3;

use crate::explicit_joints::double_pendulum;
use crate::fixtures::{Chain, Impatient, RESUME, is_refused, parse, solve};

const TWO_BARS: &str = include_str!("../../../meshes/two-bars/scenario.toml");

fn run(text: &str) -> (RunOutcome, Vec<ProbeCourse>) {
    let chain = Chain::new();
    let outcome = chain.solve(&parse(text, &[])).unwrap_or_else(|error| panic!("{error}"));
    let courses = chain.reader().probe_courses().unwrap();
    (outcome, courses)
}

/// A quantity of all samples after the first, with their times and intervals.
fn means(course: &ProbeCourse, quantity: usize) -> Vec<(f64, Vector3<f64>)> {
    let first = &course.values[0][quantity];
    assert!(first.iter().all(|x| x.is_infinite()), "no step was before: {first:?}");
    let steps = course.times.windows(2).map(|pair| pair[1] - pair[0]);
    steps.zip(&course.values[1..]).map(|(step, values)| (step, values[quantity].into())).collect()
}

/// The differences of a quantity between samples.
fn changes(course: &ProbeCourse, quantity: usize) -> Vec<Vector3<f64>> {
    let of = |values: &Vec<[f64; 3]>| Vector3::from(values[quantity]);
    course.values.windows(2).map(|pair| of(&pair[1]) - of(&pair[0])).collect()
}

/// Means times their intervals are the changes of a quantity of another probe at the same times, to rounding
/// of its largest value.
fn are_changes(means_of: (&ProbeCourse, usize), of: (&ProbeCourse, usize), factor: f64) {
    let (sums, changes) = (means(means_of.0, means_of.1), changes(of.0, of.1));
    assert!(sums.len() == changes.len() && sums.len() > 3, "{} {}", sums.len(), changes.len());
    let largest = of.0.values.iter().map(|values| Vector3::from(values[of.1]).norm()).fold(0.0, f64::max);
    let mut moved = 0.0_f64;
    for ((step, mean), change) in sums.iter().zip(&changes) {
        let missing = factor * step * mean - change;
        assert!(missing.norm() < 1e-11 * largest, "{missing} of {change}, largest {largest}");
        moved = moved.max(change.norm());
    }
    assert!(moved > 1e-3 * largest, "nothing has moved");
}

/// Probes of all kinds on two bars that touch.
const PROBES: &str = r#"
[[probe]]
name = "contact"
contact = "left/right"
EVERY
[[probe]]
name = "left body"
on = "left"
what = ["momentum", "contact_force", "kinetic_energy", "elastic_energy", "angular_momentum",
        "potential_energy"]
EVERY
[[probe]]
name = "right body"
on = "right"
what = ["momentum", "contact_force"]
EVERY
[[probe]]
name = "far"
on = "right:east"
what = ["velocity", "acceleration", "displacement", "position"]
EVERY
[[probe]]
name = "inside"
on = "left"
at = [20.3, 0.4, 0.7]
what = ["velocity", "acceleration", "displacement", "position"]
EVERY
"#;

fn probes(every: &str) -> String {
    PROBES.replace("EVERY", every)
}

/// Forces of a contact times their intervals are the changes of momentum of both free bodies, and mean
/// accelerations those of velocities, at each step and over intervals of several.
fn checks_the_bars(text: &str, every: &str) -> Vec<ProbeCourse> {
    let (_, courses) = run(&format!("{text}{}", probes(every)));
    let [contact, left, right, far, inside] = &courses[..] else { panic!() };
    are_changes((contact, 0), (left, 0), 1.0);
    are_changes((contact, 0), (right, 0), -1.0);
    are_changes((left, 1), (left, 0), 1.0);
    are_changes((right, 1), (right, 0), 1.0);
    for point in [far, inside] {
        are_changes((point, 1), (point, 0), 1.0);
        for values in &point.values {
            let [_, _, displacement, position] = values[..] else { panic!() };
            let start = Vector3::from(point.values[0][3]);
            let moved = Vector3::from(position) - start;
            assert!((moved - Vector3::from(displacement)).norm() < 1e-12 * start.norm());
        }
    }
    // The normal force of about 0.5 N is the size of that along the bars, but for friction where round-off of
    // the bars makes them slip.
    for ((_, force), (_, size)) in means(contact, 0).iter().zip(means(contact, 1)) {
        assert!((force.x.abs() - size.x).abs() < 1e-7 && force.x <= 1e-12, "{force} {size}");
    }
    courses
}

/// Waves of 100 m/s: the far end of the right bar starts at 0.5 m/s · 2 as the wave of an impact at 0.01 s
/// has passed 50 m.
#[test]
fn a_wave_reaches_the_far_end_of_a_bar_and_forces_are_changes_of_momentum() {
    for every in ["", "every = 0.05"] {
        let courses = checks_the_bars(TWO_BARS, every);
        let [contact, left, _, far, _] = &courses[..] else { panic!() };
        if every.is_empty() {
            let arrival = far.times.iter().zip(&far.values).find(|(_, values)| values[0][0] > 0.5);
            let arrival = arrival.unwrap().0;
            assert!((arrival - 0.51).abs() < 0.015, "{arrival}");
            assert_eq!(far.times.len(), 168, "a sample at each end of 167 steps");
        } else {
            assert_eq!(far.times.len(), 31, "{:?}", far.times);
            assert!(far.times.iter().enumerate().all(|(k, t)| (t - 0.05 * k as f64).abs() < 0.0046));
        }
        // Energies add up until the first contact, and nothing turns or falls.
        let [momentum, _, kinetic, elastic, spin, potential] = left.values[0][..] else { panic!() };
        assert!((momentum[0] - 0.5).abs() < 1e-12 && (kinetic[0] - 0.25).abs() < 1e-12, "{kinetic:?}");
        assert!(elastic[0] == 0.0 && potential[0] == 0.0 && spin[0].abs() < 1e-12);
        // In the middle of the contact each bar has a quarter of the energy in its motion and in its strain.
        let middle = left.times.iter().position(|time| (time - 0.5).abs() < 0.006).unwrap();
        let [_, _, kinetic, elastic, ..] = left.values[middle][..] else { panic!() };
        assert!((elastic[0] / 0.0625 - 1.0).abs() < 0.05 && kinetic[0] < 0.07, "{kinetic:?} {elastic:?}");
        // The gap closes from 10 mm, and stays closed.
        let gaps: Vec<f64> = contact.values.iter().map(|values| values[2][0]).collect();
        assert!((gaps[0] - 0.01).abs() < 1e-12 && gaps[gaps.len() / 2].abs() < 1e-9, "{gaps:?}");
    }
}

/// The same bars, with springs and friction; rigid against deformable; reduced against deformable.
#[test]
fn forces_are_changes_of_momentum_for_all_kinds_of_bodies() {
    let springs = format!("{TWO_BARS}law = {{ kind = \"penalty\", stiffness = 25.0 }}\nfriction = 0.2\n");
    checks_the_bars(&springs, "every = 0.05");
    let step = "time_step = 0.009              # the waves pass a cell in 0.01 s\n";
    let free = TWO_BARS.replace(step, "courant = 0.8\n");
    let rigid = free.replacen("material = \"soft\"", "material = \"soft\"\nrigid = true", 1);
    checks_the_bars(&rigid, "every = 0.05");
    let turned = rigid.replace("\"left:east\", \"right:west\"", "\"right:west\", \"left:east\"");
    let (_, courses) = run(&format!(
        "{turned}[[probe]]\ncontact = \"right/left\"\n[[probe]]\non = \"right\"\nwhat = [\"momentum\"]\n"
    ));
    are_changes((&courses[0], 0), (&courses[1], 0), 1.0);
    let modes = "material = \"soft\"\nreduce = { interface = [\"east\"], modes = 30 }";
    let reduced = free.replacen("material = \"soft\"", modes, 1);
    let on_surface = probes("every = 0.05").replace("[20.3, 0.4, 0.7]", "[50.0, 0.4, 0.7]");
    let (_, courses) = run(&format!("{reduced}{on_surface}"));
    let [contact, left, right, far, inside] = &courses[..] else { panic!() };
    are_changes((contact, 0), (left, 0), 1.0);
    are_changes((contact, 0), (right, 0), -1.0);
    are_changes((left, 1), (left, 0), 1.0);
    are_changes((far, 1), (far, 0), 1.0);
    are_changes((inside, 1), (inside, 0), 1.0);
    // All surfaces: the force is that on the body that is named first.
    let all = TWO_BARS.replace("[\"left:east\", \"right:west\"]", "[\"*\"]");
    checks_the_bars(&all, "every = 0.05");
    let (_, courses) = run(&format!(
        "{all}[[probe]]\ncontact = \"right/left\"\n[[probe]]\non = \"right\"\nwhat = [\"momentum\"]\n\
         [[probe]]\ncontact = \"*\"\nwhat = [\"normal_force\", \"gap\"]\n"
    ));
    are_changes((&courses[0], 0), (&courses[1], 0), 1.0);
    // The contact of all has the sum of the sizes of all forces: those of edges across the bars cancel in the
    // other sum.
    for ((_, one), (_, sum)) in means(&courses[0], 1).iter().zip(means(&courses[2], 0)) {
        assert!(one.x <= sum.x + 1e-10 && (one.x > 0.0) == (sum.x > 0.0), "{one} {sum}");
    }
    is_refused(&format!("{all}[[probe]]\ncontact = \"*\"\n"), "probe.0.what", &["no first body"]);
    let stiff = TWO_BARS.replace("material = \"soft\"\n", "material = \"soft\"\nrigid = true\n");
    for text in [stiff.replace("[\"left:east\", \"right:west\"]", "[\"*\"]"), stiff] {
        let text = text.replace("time_step = 0.009 ", "time_step = 0.004 ");
        let (_, courses) = run(&format!("{text}{}", probes("every = 0.05")));
        let [contact, left, right, far, inside] = &courses[..] else { panic!() };
        are_changes((contact, 0), (left, 0), 1.0);
        are_changes((contact, 0), (right, 0), -1.0);
        are_changes((right, 1), (right, 0), 1.0);
        are_changes((far, 1), (far, 0), 1.0);
        are_changes((inside, 1), (inside, 0), 1.0);
    }
}

/// The implicit schemes: the same laws, with multipliers that give their energy back and without, springs
/// with friction, and the complementarity problem with masses of all kinds.
#[test]
fn implicit_schemes_have_the_same_laws() {
    let explicit = "scheme = \"explicit\"";
    let scheme = |text: &str, name: &str, keys: &str| {
        text.replace(explicit, &format!("scheme = \"{name}\"\n{keys}"))
            .replace("time_step = 0.009 ", "time_step = 0.01 ")
    };
    for (name, keys) in [
        ("energy-momentum", ""),
        ("energy-momentum", "persistency = true"),
        ("midpoint", ""),
        ("complementarity", "mass = \"consistent\""),
        ("complementarity", "mass = \"lumped\""),
        ("complementarity", "mass = \"redistributed\""),
    ] {
        let text = scheme(TWO_BARS, name, keys);
        for every in ["", "every = 0.05"] {
            let courses = checks_the_bars(&text, every);
            let samples = if every.is_empty() { 151 } else { 31 };
            assert!(courses.iter().all(|course| course.times.len() == samples), "{name}");
        }
    }
    let springs = format!("{TWO_BARS}law = {{ kind = \"penalty\", stiffness = 25.0 }}\nfriction = 0.2\n");
    checks_the_bars(&scheme(&springs, "energy-momentum", ""), "every = 0.05");
    let friction = format!("{TWO_BARS}friction = 0.3\n");
    checks_the_bars(&scheme(&friction, "complementarity", ""), "every = 0.05");
}

/// A wall, a rigid body at rest, bears the opposite of the force on the bar, and its points rest.
#[test]
fn a_wall_bears_the_force_of_a_bar() {
    let bar = include_str!("../../../meshes/wendt-bar/scenario.toml");
    let text = format!(
        "{bar}\n[[probe]]\non = \"wall\"\nwhat = [\"contact_force\", \"momentum\", \"kinetic_energy\"]\n\
         [[probe]]\nname = \"bar body\"\non = \"bar\"\nwhat = [\"momentum\", \"contact_force\"]\n\
         [[probe]]\nname = \"brick\"\non = \"wall\"\nat = [0.0, 0.1, 0.2]\naxes = \"body\"\n\
         what = [\"position\", \"displacement\", \"velocity\", \"angular_velocity\"]\n"
    );
    let (_, courses) = run(&text);
    let [wall, bar, brick] = &courses[..] else { panic!() };
    are_changes((bar, 1), (bar, 0), 1.0);
    for ((_, on_wall), (_, on_bar)) in means(wall, 0).iter().zip(means(bar, 1)) {
        assert_eq!(*on_wall, -on_bar);
    }
    assert!(wall.values.iter().all(|values| values[1] == [0.0; 3] && values[2][0] == 0.0));
    let rests = |values: &Vec<[f64; 3]>| values[0] == brick.values[0][0] && values[1..] == [[0.0; 3]; 3];
    assert!(brick.values.iter().all(rests), "{:?}", brick.values[0]);
}

/// A probe on a set has the mean of the displacements and velocities that frames have at the same times.
#[test]
fn samples_are_those_of_frames_at_the_same_times() {
    for scheme in ["explicit", "energy-momentum", "complementarity"] {
        let text = TWO_BARS.replace("scheme = \"explicit\"", &format!("scheme = \"{scheme}\""));
        let text = text.replace("velocity = [1.0, 0.0, 0.0]", "velocity = [1.0, 0.3, -0.1]");
        let text = text.replace("output_every = 0.009", "output_every = 0.05");
        let chain = Chain::new();
        let probes = probes("every = 0.05");
        chain.solve(&parse(&format!("{text}{probes}"), &[])).unwrap_or_else(|error| panic!("{error}"));
        let reader = chain.reader();
        let (times, courses) = (reader.times().unwrap(), reader.probe_courses().unwrap());
        let far = &courses[3];
        assert_eq!(far.times.len(), 31);
        for (time, values) in far.times.iter().zip(&far.values) {
            let frame = times.iter().position(|of_frame| of_frame == time).expect("a frame at each sample");
            let body = &reader.frame(frame).unwrap().bodies[1];
            // Nodes are numbered along the bar first: the last of each row of 51 are those of its east.
            let mean = |all: &[f64], base: [f64; 3]| {
                let nodes = (0..4).map(|row| 3 * (51 * row + 50));
                let sum = nodes.map(|k| Vector3::from_column_slice(&all[k..k + 3])).sum::<Vector3<f64>>();
                0.25 * sum + Vector3::from(base)
            };
            let displacement = mean(&body.modal, [0.0; 3]);
            let velocity = mean(&body.modal_rate, body.velocity);
            assert!((displacement - Vector3::from(values[2])).norm() < 1e-14, "{scheme} {displacement}");
            assert!((velocity - Vector3::from(values[0])).norm() < 1e-13, "{scheme} {velocity}");
        }
    }
}

/// A block in free fall: v = −g t and x = −½ g t² at each step, and the mean acceleration is −g.
#[test]
fn a_deformable_and_a_rigid_block_fall_freely() {
    let block = |name: &str, x: f64, more: &str| {
        format!(
            "[[body]]\nname = \"{name}\"\nmaterial = \"steel\"\nposition = [{x:?}, 0.0, 0.0]\n{more}\
             make = {{ shape = \"box\", size = [0.1, 0.1, 0.1], elements = [2, 2, 2], hex = true, \
             order = 1 }}\n\
             [[probe]]\nname = \"{name} corner\"\non = \"{name}\"\nat = [0.1, 0.1, 0.1]\n\
             [[probe]]\non = \"{name}\"\n"
        )
    };
    for (scheme, both) in [
        ("scheme = \"explicit\"", true),
        ("scheme = \"energy-momentum\"\ntime_step = 1e-5", false),
        ("scheme = \"midpoint\"\ntime_step = 1e-5\nspectral_radius = 0.8", false),
        ("scheme = \"complementarity\"\ntime_step = 1e-5", false),
    ] {
        let simulation = format!(
            "[simulation]\n{scheme}\nend_time = 1e-3\noutput_every = 1e-4\ngravity = [0.0, 0.0, -9.81]\n"
        );
        let rigid = if both { block("stone", 1.0, "rigid = true\n") } else { String::new() };
        let (outcome, courses) = run(&format!("{simulation}{}{rigid}", block("jelly", 0.0, "")));
        for (number, pair) in courses.chunks(2).enumerate() {
            let (is_rigid, [corner, body]) = (number == 1, pair) else { panic!() };
            assert!(corner.times.len() as u64 == outcome.summary.steps + 1);
            for ((time, values), energies) in corner.times.iter().zip(&corner.values).zip(&body.values) {
                let [displacement, velocity, acceleration] = values[..] else { panic!() };
                // A rigid body at half steps is ⅛ g dt² beside its path; the last step has another length.
                let allowed = if is_rigid { 1e-10 } else { 1e-13 };
                let missing = displacement[2] + 0.5 * 9.81 * time * time;
                assert!(missing.abs() < allowed, "{scheme} {values:?}");
                assert!((velocity[2] + 9.81 * time).abs() < 1e-10, "{scheme} {values:?}");
                if *time > 0.0 {
                    assert!((acceleration[2] + 9.81).abs() < 1e-5, "{scheme} {acceleration:?}");
                }
                let [kinetic, elastic, potential, momentum, _] = energies[..] else { panic!() };
                assert!((momentum[2] + 7.8 * 9.81 * time).abs() < 1e-11, "{scheme} {momentum:?}");
                let fallen = 0.5 * 7.8 * (9.81 * time).powi(2);
                // Central differences have m g² dt² of other energies.
                assert!((kinetic[0] - fallen).abs() < 1e-8, "{scheme} {kinetic:?} {fallen}");
                let lost = body.values[0][2][0] - potential[0];
                assert!(elastic[0].abs() < 1e-13 && (lost - fallen).abs() < 1e-8, "{scheme} {energies:?}");
            }
        }
    }
}

/// A rigid body that turns freely moves as in the scheme `rigid`, to second order in the step.
#[test]
fn a_rigid_body_turns_as_in_the_scheme_rigid() {
    let text = |scheme: &str, dt: f64| {
        format!(
            "[simulation]\nscheme = \"{scheme}\"\ntime_step = {dt:?}\nend_time = 0.4\noutput_every = 0.1\n\
             [[body]]\nname = \"brick\"\nmaterial = \"steel\"\nrigid = true\nvelocity = [0.5, 0.0, 0.0]\n\
             make = {{ shape = \"box\", size = [0.1, 0.2, 0.3], elements = [1, 1, 1], hex = true, \
             order = 1 }}\n\
             angular_velocity = [1.0, 6.0, -2.0]\n[[body.marker]]\nname = \"corner\"\nat = [0.1, 0.2, 0.3]\n\
             [[probe]]\non = \"brick:corner\"\nevery = 0.02\naxes = \"body\"\nwhat = [\"displacement\", \
             \"position\", \"velocity\", \"acceleration\", \"angular_velocity\", \"angular_acceleration\"]\n"
        )
    };
    let errors = [2e-3, 1e-3].map(|dt| {
        let [own, truth] = [("explicit", dt), ("rigid", 1e-4)].map(|(scheme, dt)| run(&text(scheme, dt)).1);
        let mut error = 0.0_f64;
        for (own, truth) in own[0].values.iter().zip(&truth[0].values).skip(1) {
            for (a, b) in own.iter().zip(truth) {
                error = error.max((Vector3::from(*a) - Vector3::from(*b)).norm());
            }
        }
        error
    });
    assert!(errors[1] < 5e-3, "{errors:?}");
    let order = (errors[0] / errors[1]).log2();
    assert!((1.8..2.2).contains(&order), "{errors:?}");
}

/// The hinges of two pendulums carry what their weight does not explain.
#[test]
fn forces_of_joints_are_changes_of_momentum() {
    let probes = "[[probe]]\non = \"upper\"\nwhat = [\"momentum\"]\nevery = 0.01\n\
        [[probe]]\non = \"lower\"\nwhat = [\"momentum\"]\nevery = 0.01\n\
        [[probe]]\nname = \"hinge\"\njoint = \"1\"\nevery = 0.01\n\
        [[probe]]\nname = \"ball joint\"\njoint = \"2\"\nevery = 0.01\n\
        [[probe]]\non = \"lower:end\"\nevery = 0.01\n";
    let text = double_pendulum("scheme = \"explicit\"\ntime_step = 0.001");
    let chain = Chain::new();
    chain.solve(&parse(&format!("{text}{probes}"), &[])).unwrap_or_else(|error| panic!("{error}"));
    let courses = chain.reader().probe_courses().unwrap();
    let [upper, lower, hinge, joint, end] = &courses[..] else { panic!() };
    let weight = Vector3::new(0.0, 0.0, -9.81 * chain.reader().header().unwrap().bodies[0].mass);
    let [of_hinge, of_joint] = [hinge, joint].map(|course| means(course, 0));
    let changes = [upper, lower].map(|course| changes(course, 0));
    assert_eq!(of_hinge.len(), 60);
    for k in 0..60 {
        let (step, hinge) = of_hinge[k];
        let joint = of_joint[k].1;
        let missing =
            [changes[0][k] - step * (hinge - joint + weight), changes[1][k] - step * (joint + weight)];
        assert!(missing.iter().all(|missing| missing.norm() < 1e-12), "{k}: {missing:?}");
    }
    are_changes((end, 2), (end, 1), 1.0);
}

/// Deformable, reduced and rigid bodies, a joint and contacts of all kinds.
fn heap() -> String {
    let body = |name: &str, [x, z]: [f64; 2], across: f64, more: &str| {
        format!(
            "[[body]]\nname = \"{name}\"\nposition = [{x:?}, 0.0, {z:?}]\n{more}\
             velocity = [0.0, {across:?}, -1.0]\n\
             make = {{ shape = \"box\", size = [0.1, 0.1, 0.1], elements = [2, 2, 2], hex = true, \
             order = 1 }}\n"
        )
    };
    let material = |name: &str, law: &str| {
        format!("[material.{name}]\ndensity = 1000.0\nyoung = 4e9\npoisson = 0.3\nlaw = \"{law}\"\n")
    };
    let contact = |pair: &str| format!("[[contact]]\nbetween = {pair}\nfriction = 0.3\n");
    [
        "[simulation]\nscheme = \"explicit\"\nend_time = 4e-3\noutput_every = 5e-4\n\
         gravity = [0.0, 0.0, -9.81]\n"
            .to_owned(),
        material("tough", "st-venant-kirchhoff"),
        material("stiff", "linear"),
        body("jelly", [0.0, 0.0], 0.1, "material = \"tough\"\n"),
        body("stone", [0.0, 0.1005], 0.0, "material = \"stiff\"\nrigid = true\n"),
        body(
            "modes",
            [0.3, 0.0],
            0.1,
            "material = \"stiff\"\nreduce = { interface = [\"bottom\"], modes = 12 }\n",
        ),
        body("wheel", [0.6, 0.0], 0.0, "material = \"stiff\"\nrigid = true\n"),
        "[[body]]\nname = \"floor\"\nmaterial = \"stiff\"\nrigid = true\nfixed = true\n\
         position = [-0.5, -0.5, -0.101]\n\
         make = { shape = \"box\", size = [1.5, 1.5, 0.1], elements = [4, 4, 1], hex = true, \
         order = 1 }\n"
            .to_owned(),
        contact("[\"jelly:bottom\", \"floor:top\"]"),
        contact("[\"jelly:top\", \"stone:bottom\"]"),
        contact("[\"modes:bottom\", \"floor:top\"]"),
        contact("[\"wheel:bottom\", \"floor:top\"]"),
        "[[joint]]\nname = \"rail\"\nkind = \"prismatic\"\nbetween = [\"ground\", \"wheel:top\"]\n\
         axis = [0.0, 0.0, 1.0]\n"
            .to_owned(),
    ]
    .concat()
}

const OF_HEAP: &str = r#"
[[probe]]
joint = "rail"
every = 3.3e-4
[[probe]]
contact = "jelly/floor"
[[probe]]
contact = "jelly/stone"
every = 1.3e-4
[[probe]]
contact = "wheel/floor"
every = 1.3e-4
[[probe]]
on = "jelly:top"
[[probe]]
on = "jelly"
every = 2.1e-4
[[probe]]
on = "modes:bottom"
what = ["velocity", "acceleration", "angular_velocity", "angular_acceleration"]
every = 1.0e-4
[[probe]]
on = "stone"
what = ["momentum", "contact_force", "kinetic_energy"]
every = 2.1e-4
"#;

#[test]
fn a_run_stopped_and_resumed_has_the_same_samples_and_probes_change_nothing() {
    let text = heap();
    let with = format!("{text}{OF_HEAP}");
    let scenario = parse(&with, &["simulation.checkpoint_every=8"]);
    let [whole, parts] = [Chain::new(), Chain::new()];
    let bodies = whole.prepare(&scenario).unwrap_or_else(|error| panic!("{error}"));
    let outcome = whole.run(&scenario, &bodies, RunOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    // Progress is asked every 64 steps.
    parts.run_until(&scenario, &bodies, RunOptions::default(), &Impatient::after(3)).unwrap_err();
    let stopped = parts.reader().probe_courses().unwrap();
    let resumed = parts.run(&scenario, &bodies, RESUME).unwrap();
    let [courses, continued] = [whole, parts].map(|chain| chain.reader().probe_courses().unwrap());
    assert!(stopped[1].times.len() > 100 && stopped[1].times.len() < courses[1].times.len());
    assert_eq!(courses, continued);
    assert_eq!(outcome.bodies, resumed.bodies);
    assert!(courses[1].values.iter().any(|values| values[1][0] > 0.0 && values[1][0].is_finite()));
    assert!(courses[2].values.iter().any(|values| values[1][0] > 0.0 && values[1][0].is_finite()));
    // The bits of the run without probes.
    assert_eq!(solve(&text).unwrap().bodies, outcome.bodies);
    // The weight and its contacts are all that changes the momentum of the stone.
    let stone = &courses[7];
    for ((step, force), change) in means(stone, 1).iter().zip(changes(stone, 0)) {
        let missing = change - *step * (force - Vector3::new(0.0, 0.0, 9.81));
        assert!(missing.norm() < 1e-12, "{missing}");
    }
    are_changes((&courses[6], 1), (&courses[6], 0), 1.0);
    are_changes((&courses[6], 3), (&courses[6], 2), 1.0);
    // A prolonged run has each sample once.
    let chain = Chain::new();
    for (end, options) in [("2.3e-3", RunOptions::default()), ("4e-3", RESUME)] {
        let scenario = parse(&with, &[&format!("simulation.end_time={end}"), "simulation.output_every=5e-4"]);
        chain.run(&scenario, &bodies, options).unwrap_or_else(|error| panic!("{error}"));
    }
    let prolonged = chain.reader().probe_courses().unwrap();
    assert!(prolonged.iter().all(|course| course.times.is_sorted_by(|a, b| a < b)));
    assert_eq!(prolonged[1].times.last(), courses[1].times.last());
}

/// Samples have the same bits on one thread and on eight.
#[test]
fn samples_do_not_depend_on_the_number_of_threads() {
    let text = format!("{}{OF_HEAP}", heap());
    let [one, eight] = [1, 8].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| run(&text).1)
    });
    assert_eq!(one, eight);
}

/// The implicit schemes continue their samples with the same bits.
#[test]
fn implicit_runs_stopped_and_resumed_have_the_same_samples() {
    for (scheme, asked) in [("energy-momentum", 40), ("complementarity", 3)] {
        let text = TWO_BARS.replace("scheme = \"explicit\"", &format!("scheme = \"{scheme}\""));
        let with = format!("{text}{}", probes("every = 0.05"));
        let scenario = parse(&with, &["simulation.checkpoint_every=7"]);
        let [whole, parts] = [Chain::new(), Chain::new()];
        let bodies = whole.prepare(&scenario).unwrap();
        let outcome = whole.run(&scenario, &bodies, RunOptions::default()).unwrap_or_else(|e| panic!("{e}"));
        parts.run_until(&scenario, &bodies, RunOptions::default(), &Impatient::after(asked)).unwrap_err();
        let stopped = parts.reader().probe_courses().unwrap();
        parts.run(&scenario, &bodies, RESUME).unwrap();
        let [courses, continued] = [whole, parts].map(|chain| chain.reader().probe_courses().unwrap());
        let [some, all] = [&stopped, &courses].map(|of| of[0].times.len());
        assert!(some > 1 && some < all, "{scheme}: {some} of {all}");
        assert_eq!(courses, continued, "{scheme}");
        assert_eq!(solve(&text).unwrap().bodies, outcome.bodies, "{scheme}");
    }
}

#[test]
fn probes_that_do_not_fit_are_refused_by_name() {
    let with = |probe: &str| format!("{TWO_BARS}[[probe]]\n{probe}");
    let turns = "on = \"left:east\"\nwhat = [\"velocity\", \"angular_velocity\"]\n";
    is_refused(&with(turns), "probe.0.what", &["`left` is unreduced", "`angular_velocity`", "`reduce`"]);
    let axes = "on = \"left\"\nat = [1.0, 0.5, 0.5]\naxes = \"body\"\n";
    is_refused(&with(axes), "probe.0.axes", &["`left` is unreduced", "leave out `axes`"]);
    let outside = "on = \"left\"\nat = [51.0, 0.25, 0.5]\n";
    let nearest = ["lies 1.000e0 m outside", "[50.000000, 0.250000, 0.500000]"];
    is_refused(&with(outside), "probe.0.at", &nearest);
    let often = "on = \"left:east\"\nevery = 0.004\n";
    is_refused(&with(often), "probe.0.every", &["shorter than the steps of 0.009 s", "leave out `every`"]);
    is_refused(&with("on = \"left:tip\"\n"), "probe.0.on", &["tip"]);
    // A check finds them too.
    for (probe, key) in
        [(turns, "probe.0.what"), (outside, "probe.0.at"), ("on = \"left:tip\"\n", "probe.0.on")]
    {
        let scenario = parse(&with(probe), &[]);
        let problems = survey(&scenario, Chain::new().workshop(), &carom_progress::Silent).problems;
        let keys: Vec<_> = problems.iter().map(|problem| problem.key()).collect();
        assert_eq!(keys, [Some(key)], "{problems:?}");
    }
    let fine = parse(&format!("{TWO_BARS}{}", probes("every = 0.05")), &[]);
    let checked = survey(&fine, Chain::new().workshop(), &carom_progress::Silent);
    assert!(checked.problems.is_empty() && checked.costs.is_some(), "{:?}", checked.problems);
}
