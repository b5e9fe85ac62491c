//! Making and refining bodies from the command line.

use crate::program::{carom_mesh, fails, json, path};
use tempfile::TempDir;

#[test]
fn refining_keeps_the_volume() {
    let dir = TempDir::new().unwrap();
    let (coarse, fine) = (path(&dir, "a.npz"), path(&dir, "b.npz"));
    json(&["make", "rod", "--radius", "0.01", "--length", "0.1", "-o", &coarse]);
    json(&["refine", &coarse, "--elevate", "1", "--grade", "end_pole", "--finest", "4e-4", "-o", &fine]);
    let (before, after) = (json(&["info", &coarse]), json(&["info", &fine]));
    assert_eq!(after["degrees"], serde_json::json!([3, 3, 3]));
    assert!(after["nodes"].as_u64() > before["nodes"].as_u64());
    let ratio = before["volume"].as_f64().unwrap() / after["volume"].as_f64().unwrap();
    assert!((ratio - 1.0).abs() < 1e-13, "the volume changes by the factor {ratio}");
}

#[test]
fn every_exact_solid_is_made_with_its_sets_volume_and_surface() {
    use std::f64::consts::PI;
    let dir = TempDir::new().unwrap();
    let cap = |r: f64| 4.0 / 3.0 * PI * r.powi(3);
    let solids: [(&str, f64, f64, &[&str]); 8] = [
        ("ball --radius 2", cap(2.0), 16.0 * PI, &["surface", "pole"]),
        ("octant --radius 2", cap(2.0) / 8.0, 2.0 * PI + 3.0 * PI, &["surface", "x0", "y0", "z0", "pole"]),
        ("ellipsoid --semi-axes 2,2,2", cap(2.0), 16.0 * PI, &["surface", "pole"]),
        ("shell --radius 2 --inner-radius 1", cap(2.0) - cap(1.0), 20.0 * PI, &["outer", "inner", "pole"]),
        (
            "rod --radius 1 --length 3",
            3.0 * PI,
            8.0 * PI,
            &["start", "end", "side", "start_pole", "end_pole"],
        ),
        (
            "capsule --radius 1 --length 5",
            cap(1.0) + 3.0 * PI,
            10.0 * PI,
            &["start", "end", "side", "surface", "start_pole", "end_pole"],
        ),
        (
            "tube --radius 2 --inner-radius 1 --length 3",
            9.0 * PI,
            24.0 * PI,
            &["start", "end", "outer", "inner"],
        ),
        ("torus --radius 3 --inner-radius 1", 6.0 * PI * PI, 12.0 * PI * PI, &["surface"]),
    ];
    let help = String::from_utf8(carom_mesh().args(["make", "--help"]).output().unwrap().stdout).unwrap();
    for (flags, volume, area, sets) in solids {
        let body = path(&dir, "body.npz");
        let flags: Vec<&str> = flags.split(' ').collect();
        json(&[&["make"], &flags[..], &["-o", &body]].concat());
        let info = json(&["info", &body]);
        for (key, expected) in [("volume", volume), ("surface_area", area)] {
            let error = info[key].as_f64().unwrap() / expected - 1.0;
            assert!(error.abs() < 1e-14, "{flags:?}: {key} is off by {error:e}");
        }
        if flags[0] == "capsule" {
            // About the axis: π h r⁴/2 of the cylinder, 8 π r⁵/15 of the ball.
            let expected = 7800.0 * (1.5 * PI + 8.0 / 15.0 * PI);
            let inertia = info["inertia"][0][0].as_f64().unwrap();
            assert!((inertia / expected - 1.0).abs() < 1e-13, "{inertia} instead of {expected}");
        }
        let mut named: Vec<&str> = info["sets"].as_object().unwrap().keys().map(String::as_str).collect();
        let mut expected = sets.to_vec();
        named.sort_unstable();
        expected.sort_unstable();
        assert_eq!(named, expected, "{flags:?}");
        let listed = help.lines().find(|line| line.trim_start().starts_with(&format!("{} ", flags[0])));
        assert!(listed.is_some(), "--help does not list the sets of {}", flags[0]);
    }
}

#[test]
fn shapes_without_hexahedra_are_refused_with_the_reason() {
    let dir = TempDir::new().unwrap();
    let out = path(&dir, "x.npz");
    for flags in ["octant --radius 1", "capsule --radius 1 --length 3", "ellipsoid --semi-axes 1,2,3"] {
        let flags: Vec<&str> = flags.split(' ').collect();
        let message = fails(&[&["make"], &flags[..], &["--hex", "-o", &out]].concat(), 3);
        assert!(message.contains(flags[0]) && message.contains("exact NURBS"), "{message}");
    }
    let message = fails(&["make", "capsule", "--radius", "1", "--length", "2", "-o", &out], 3);
    assert!(message.contains("tip to tip"), "{message}");
    let message = fails(&["make", "ellipsoid", "--radius", "1", "-o", &out], 3);
    assert!(message.contains("semi_axes"), "{message}");
}

#[test]
fn coarsening_undoes_refinement_and_is_applied_first() {
    let dir = TempDir::new().unwrap();
    let [rod, fine, coarse, cubic] = ["a.npz", "b.npz", "c.npz", "d.npz"].map(|name| path(&dir, name));
    json(&["make", "rod", "--radius", "0.01", "--length", "0.1", "-o", &rod]);
    json(&["refine", &rod, "--elevate", "1", "--subdivide", "3", "-o", &fine]);
    let written = json(&["refine", &fine, "--coarsen", "-o", &coarse]);
    assert!(written["notes"][0].as_str().unwrap().starts_with("removed"), "{written}");
    let (before, after) = (json(&["info", &rod]), json(&["info", &coarse]));
    // The rod is made with degree 2 throughout; along the axis and the radius 1 is enough.
    assert_eq!(after["patch_degrees"][0], serde_json::json!([2, 2, 1]));
    assert_eq!(after["patch_degrees"][1], serde_json::json!([2, 1, 1]));
    assert_eq!(after["nodes"], 34);
    let ratio = before["volume"].as_f64().unwrap() / after["volume"].as_f64().unwrap();
    assert!((ratio - 1.0).abs() < 1e-14, "the volume changes by the factor {ratio}");
    // k-refinement: the degree first, then the knots, each of multiplicity 1, so p + 2 functions a direction
    // of the square.
    json(&["refine", &coarse, "--coarsen", "--elevate", "2", "--subdivide", "2", "-o", &cubic]);
    let info = json(&["info", &cubic]);
    assert_eq!(info["patch_degrees"][1], serde_json::json!([4, 3, 3]));
    // Functions: 6 each way over the square, 5 across each sector of which one row is the square's, 5 along
    // the axis.
    assert_eq!(info["nodes"], (6 * 6 + 4 * (6 - 1) * (5 - 1)) * 5);

    let hex = path(&dir, "hex.npz");
    json(&["make", "rod", "--radius", "0.01", "--length", "0.1", "--hex", "-o", &hex]);
    assert!(fails(&["refine", &hex, "--coarsen", "-o", &fine], 3).contains("larger cells"));
    fails(&["refine", &rod, "--tolerance", "1e-6", "-o", &fine], 2);
    assert!(fails(&["refine", &rod, "--coarsen", "--tolerance=-1", "-o", &fine], 3).contains("-1"));
}

#[test]
fn sizes_that_do_not_belong_to_a_shape_are_refused() {
    let dir = TempDir::new().unwrap();
    let out = path(&dir, "x.npz");
    for (arguments, says) in [
        (vec!["make", "ball", "--radius", "1", "--length", "3"], "a ball has no `length`"),
        (vec!["make", "ball", "--radius", "1", "--hex", "--size", "1,1,1"], "a ball has no `size`"),
        (vec!["make", "box", "--size", "1,1,1", "--pole-radius", "0.1"], "a box has no `pole_radius`"),
    ] {
        let message = fails(&[arguments, vec!["-o", &out]].concat(), 3);
        assert!(message.contains(says), "{message}");
    }
}

#[test]
fn a_too_large_body_is_refused_before_it_is_made() {
    let dir = TempDir::new().unwrap();
    let (ball, out) = (path(&dir, "ball.npz"), path(&dir, "x.npz"));
    for kind in ["--nurbs", "--hex"] {
        let message = fails(&["make", "ball", "--radius", "1", kind, "--elements", "400", "-o", &out], 3);
        assert!(message.contains("cells"), "{message}");
    }
    json(&["make", "ball", "--radius", "1", "-o", &ball]);
    let message = fails(&["refine", &ball, "--subdivide", "200", "-o", &out], 3);
    assert!(message.contains("cells"), "{message}");
}

#[test]
fn more_nodes_than_the_limit_are_refused() {
    let dir = TempDir::new().unwrap();
    let (rod, out) = (path(&dir, "rod.npz"), path(&dir, "x.npz"));
    json(&["make", "box", "--size", "1,1,1", "--hex", "--elements", "3", "-o", &rod]);
    // 27 hexahedra: 3.4 million cells are few enough, their 13.5 million nodes are not.
    let message = fails(&["refine", &rod, "--subdivide", "50", "-o", &out], 3);
    assert!(message.contains("would make 1.4e7 nodes"), "{message}");
    json(&["make", "box", "--size", "1,1,1", "--elements", "30", "-o", &rod]);
    let message = fails(&["refine", &rod, "--elevate", "9", "-o", &out], 3);
    assert!(message.contains("would make 2.8e7 control points"), "{message}");
}

#[test]
fn a_zone_is_made_before_its_refinement_in_any_order_of_flags() {
    let dir = TempDir::new().unwrap();
    let (block, out) = (path(&dir, "block.npz"), path(&dir, "x.npz"));
    let zone = "hit=top@0.02,0.03,0.1:0.01";
    let make = ["make", "box", "--size", "0.1,0.1,0.1", "--elements", "4", "-o"];
    json(&[&make[..], &[&block]].concat());
    let coarse = json(&["info", &block])["nodes"].as_u64().unwrap();
    for kind in [&[][..], &["--hex"]] {
        json(&[&make[..], &[&out, "--grade", "hit", "--finest", "2e-3", "--zone", zone], kind].concat());
        let info = json(&["info", &out]);
        assert!(info["nodes"].as_u64().unwrap() > coarse, "{info}");
        assert!(info["sets"]["hit"]["count"].as_u64().unwrap() >= 50, "{info}");
    }
    for flags in [["--near", "hit", "--levels", "2"], ["--grade", "hit", "--finest", "5e-3"]] {
        json(&[&["refine", &block], &flags[..], &["--zone", zone, "-o", &out]].concat());
        let info = json(&["info", &out]);
        assert!(info["nodes"].as_u64().unwrap() > coarse && info["sets"]["hit"]["count"].as_u64() > Some(4));
    }
    let message =
        fails(&["make", "ball", "--radius", "1", "--zone", "pole=surface@0,0,1:0.2", "-o", &out], 3);
    assert!(message.contains("has a set `pole` already"), "{message}");
    let message =
        fails(&["make", "ball", "--hex", "--radius", "1", "--zone", "pole=surface@0,0,1:0.2", "-o", &out], 3);
    assert!(message.contains("has a set `pole` already"), "{message}");
}

#[test]
fn the_levels_of_a_local_refinement_are_reported() {
    let dir = TempDir::new().unwrap();
    let (block, out) = (path(&dir, "block.npz"), path(&dir, "x.npz"));
    json(&["make", "box", "--size", "1,1,1", "--elements", "8", "-o", &block]);
    assert_eq!(json(&["info", &block])["levels"], serde_json::json!([]));
    json(&["refine", &block, "--near", "0,0,0", "--levels", "2", "-o", &out]);
    let info = json(&["info", &out]);
    let levels: Vec<u64> = info["levels"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect();
    assert_eq!(
        (levels.len(), levels.iter().sum::<u64>()),
        (3, info["elements"]["span"].as_u64().unwrap()),
        "{info}"
    );
    // A divided cell is replaced by eight.
    let divided = [512 - levels[0], (8 * (512 - levels[0]) - levels[1])];
    assert_eq!(levels[2], 8 * divided[1]);
    let text = carom_mesh().args(["info", &out]).output().unwrap();
    let line = format!(
        "refined locally  {} of level 0, {} of level 1, {} of level 2",
        levels[0], levels[1], levels[2]
    );
    assert!(String::from_utf8(text.stdout).unwrap().contains(&line), "{line}");
}

#[test]
fn a_refinement_without_levels_is_a_usage_error() {
    let dir = TempDir::new().unwrap();
    let (ball, out) = (path(&dir, "ball.npz"), path(&dir, "x.npz"));
    json(&["make", "ball", "--radius", "1", "-o", &ball]);
    assert!(fails(&["refine", &ball, "-o", &out], 2).contains("--subdivide"));
    fails(&["refine", &ball, "--subdivide", "0", "-o", &out], 2);
}
