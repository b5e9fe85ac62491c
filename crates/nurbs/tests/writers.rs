//! Written bodies are read back unchanged, and notes list the information that a format cannot hold.

use crate::boxes;
use std::collections::BTreeMap;

use carom_nurbs::write::{self, WriteError, Written};
use carom_nurbs::{Multipatch, Patch, read, solids};
use carom_testing::reference;

/// Bodies of all kinds, exact and refined.
fn bodies() -> Vec<(&'static str, Multipatch)> {
    let mut bodies = vec![
        ("ball", solids::ball(0.015, None).unwrap()),
        ("rod", solids::rod(0.01, 1.0, None).unwrap().with_degree(3).unwrap().subdivide(3).unwrap()),
        ("torus", solids::torus(1.0, 0.3).unwrap()),
        ("box", solids::block([1.0, 2.0, 3.0]).unwrap()),
    ];
    bodies.extend(
        boxes::pairs().into_iter().map(|(patches, _)| ("boxes", Multipatch::glue(patches.to_vec()).unwrap())),
    );
    bodies
}

fn assert_same(again: &Multipatch, body: &Multipatch, name: &str) {
    assert_eq!(again.patches, body.patches, "{name}");
    assert_eq!((again.n_points(), again.point_ids()), (body.n_points(), body.point_ids()), "{name}");
    assert_eq!(again.interfaces(), body.interfaces(), "{name}");
}

#[test]
fn gismo_xml_reads_back_equal_with_the_names_of_whole_sides() {
    for (name, body) in bodies() {
        let Written { text, notes } = write::gismo(&body).unwrap();
        let again = read::bytes(text.as_bytes()).unwrap();
        assert_same(&again, &body, name);
        for (region_name, region) in &body.regions {
            if region.near.is_empty() {
                assert_eq!(&again.regions[region_name], region);
            } else {
                assert!(notes[0].contains(&format!("`{region_name}`")), "{notes:?}");
            }
        }
    }
}

#[test]
fn geomdl_json_reads_back_equal() {
    for (name, body) in bodies() {
        let Written { text, notes } = write::geomdl(&body).unwrap();
        assert_same(&read::bytes(text.as_bytes()).unwrap(), &body, name);
        assert_eq!(notes.is_empty(), body.regions.is_empty(), "{notes:?}");
    }
}

#[test]
fn mfem_patches_read_back_equal_with_numbers_for_names() {
    for (name, body) in bodies() {
        let Written { text, notes } = write::mfem(&body).unwrap();
        let again = read::bytes(text.as_bytes()).unwrap();
        assert_same(&again, &body, name);
        // Every outer side is on the boundary once.
        let mut sides: Vec<_> = again.regions.values().flat_map(|region| region.sides.clone()).collect();
        sides.sort_unstable();
        assert_eq!(sides, body.outer_sides(), "{name}");
        for (region_name, region) in body.regions.iter().filter(|(_, region)| region.near.is_empty()) {
            let attribute = text.lines().filter(|line| line.starts_with("# boundary attribute"));
            let of_region: Vec<&str> =
                attribute.filter(|line| line.split([' ', ',']).any(|w| w == region_name)).collect();
            let mut sides = Vec::new();
            for line in of_region {
                let number = line.split([' ', ':']).nth(3).unwrap();
                sides.extend(again.regions[&format!("boundary{number}")].sides.clone());
                assert!(notes[0].contains(&format!("{number} is `")), "{notes:?}");
            }
            let mut expected = region.sides.clone();
            expected.sort_unstable();
            sides.sort_unstable();
            assert_eq!(sides, expected, "{name}: {region_name}");
        }
    }
}

#[test]
fn regions_that_overlap_share_attributes() {
    let mut body = solids::block([1.0, 2.0, 3.0]).unwrap();
    body.regions = BTreeMap::new();
    for (name, sides) in [("a", &body.outer_sides()[..4]), ("b", &body.outer_sides()[3..5])] {
        body.regions.entry(name.to_owned()).or_default().sides = sides.to_vec();
    }
    let Written { text, notes } = write::mfem(&body).unwrap();
    assert_eq!(notes.len(), 1);
    assert!(notes[0].contains("1 is `a`, 2 is `a`, `b`, 3 is `b`"), "{notes:?}");
    let again = read::bytes(text.as_bytes()).unwrap();
    let counts: Vec<usize> = (1..=4).map(|n| again.regions[&format!("boundary{n}")].sides.len()).collect();
    assert_eq!(counts, [3, 1, 1, 1]);
}

#[test]
fn mfem_refuses_corners_that_coincide_and_rings_of_two() {
    let folder = reference("nurbs/generated");
    for file in ["ball_octants_R1.xml", "octant_R1.xml"] {
        let body = read::file(&folder.join(file)).unwrap();
        let error = write::mfem(&body).unwrap_err();
        assert!(matches!(error, WriteError::CollapsedCorners { patch: 0 }), "{error}");
        assert!(error.to_string().contains("write .xml"), "{error}");
        for text in [write::gismo(&body).unwrap().text, write::geomdl(&body).unwrap().text] {
            assert_same(&read::bytes(text.as_bytes()).unwrap(), &body, file);
        }
    }
    // Half a ring of square section and its mirror image share both ends, each side's edges lie between the
    // same corners.
    let half = |sign: f64| {
        let flat = solids::block([1.0, 1.0, 1.0]).unwrap().with_degree(2).unwrap().patches.remove(0);
        let points = flat.points.iter().map(|&[x, y, z]| {
            let (radius, angle) = (1.0 + y, std::f64::consts::PI * x);
            [radius * angle.cos(), sign * radius * angle.sin() * if x == 0.5 { 2.0 } else { 1.0 }, z]
        });
        Patch::new(flat.basis.clone(), points.collect(), flat.weights.clone()).unwrap()
    };
    let ring = Multipatch::glue(vec![half(1.0), half(-1.0)]).unwrap();
    assert_eq!(ring.interfaces().len(), 2);
    let error = write::mfem(&ring).unwrap_err();
    assert!(matches!(error, WriteError::SharedCorners { what: "edges", first: 0, second: 1 }), "{error}");
    assert_same(&read::bytes(write::geomdl(&ring).unwrap().text.as_bytes()).unwrap(), &ring, "ring");
}

#[test]
fn locally_refined_bodies_are_written_where_the_format_can_hold_them() {
    let near = |at| [carom_nurbs::Near::point(at, 0.2, 1)];
    let block = solids::block([1.0, 1.0, 1.0]).unwrap().subdivide(2).unwrap();
    let body = block.refine_near(&near([0.0; 3])).unwrap();
    for error in [write::mfem(&body), write::geomdl(&body)] {
        let message = error.unwrap_err().to_string();
        assert!(message.contains("hierarchical") && message.contains(".vtu"), "{message}");
    }
    let again = read::bytes(write::gismo(&body).unwrap().text.as_bytes()).unwrap();
    assert_eq!(again.hierarchy, body.hierarchy);
    let text = write::gismo(&body).unwrap().text;
    assert!(text.contains("THBSpline3") && text.contains("<box level=\"1\">"));
    let ball = solids::ball(1.0, None).unwrap().refine_near(&near([0.0, 0.0, 1.0])).unwrap();
    let message = write::gismo(&ball).unwrap_err().to_string();
    assert!(message.contains("rational") && message.contains(".vtu"), "{message}");
}

#[test]
fn boundaries_read_from_mfem_keep_their_numbers() {
    use carom_nurbs::{Region, Side};
    let mut body = solids::block([1.0, 2.0, 3.0]).unwrap();
    body.regions.clear();
    // The names are not in the order of the sides.
    for (name, sides) in [
        ("boundary7", vec![(0, Side::West), (0, Side::East)]),
        ("boundary2", vec![(0, Side::South)]),
        ("lid", vec![(0, Side::Top)]),
    ] {
        body.regions.insert(name.to_owned(), Region { sides, near: Vec::new() });
    }
    let again = read::bytes(write::mfem(&body).unwrap().text.as_bytes()).unwrap();
    for name in ["boundary2", "boundary7"] {
        assert_eq!(again.regions[name], body.regions[name], "{name}");
    }
    assert_eq!(again.regions["boundary1"], body.regions["lid"]);
}
