//! Files of other programs give the patches, points, volumes and centroids of a reference
//! reader.

use crate::boxes;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use carom_nurbs::{Interface, Multipatch, read, solids, write};
use carom_testing::{reference, shared_data};
use serde_json::Value;

/// Files of the reference data without a line in the list: hierarchical splines have separate samples, and
/// the archive has the content of `quarter_ring.json`.
const NOT_LISTED: [&str; 3] = ["thb_volume_p2_1level.xml", "thb_volume_p2_2level.xml", "quarter_ring.npz"];

/// Path and expectation of each NURBS file of the repository and of the further reference data; the
/// expectation of a file not listed is null.
fn expectations() -> Vec<(PathBuf, Value)> {
    let mut found = listed(&reference("nurbs"));
    let further = shared_data("nurbs").map(|folder| listed(&folder)).unwrap_or_default();
    let own: BTreeSet<_> =
        found.iter().filter_map(|(path, _)| path.file_name()).map(OsStr::to_owned).collect();
    found.extend(further.into_iter().filter(|(path, _)| !own.contains(path.file_name().unwrap())));
    found
}

/// Path and expectation of each NURBS file of a folder with a list `expected.jsonl`.
fn listed(folder: &Path) -> Vec<(PathBuf, Value)> {
    let list = std::fs::read_to_string(folder.join("expected.jsonl")).unwrap();
    let mut expected: BTreeMap<String, Value> = list
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .map(|line| (line["file"].as_str().unwrap().to_owned(), line))
        .collect();
    let mut found = Vec::new();
    for sub in ["generated", "geomdl", "geopdes", "gismo", "mfem", "petiga", "splinepy", "thb"] {
        for entry in std::fs::read_dir(folder.join(sub)).into_iter().flatten() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            if name.ends_with("_samples.json") {
                continue;
            }
            assert!(
                expected.contains_key(&name) || NOT_LISTED.contains(&name.as_str()),
                "{name} is not listed"
            );
            found.push((path, expected.remove(&name).unwrap_or_default()));
        }
    }
    assert!(found.len() > 25 && expected.is_empty(), "listed files that do not exist: {:?}", expected.keys());
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}

fn usizes(value: &Value) -> [usize; 3] {
    [0, 1, 2].map(|i| value[i].as_u64().unwrap() as usize)
}

#[test]
fn every_file_gives_the_expected_body() {
    for (path, mut expected) in expectations() {
        let name = path.file_name().unwrap().to_str().unwrap();
        if expected.is_null() && name == "quarter_ring.npz" {
            expected = serde_json::json!({"patches": 1, "degrees": [[1, 2, 1]], "ncp": [[2, 4, 2]],
                "glued_points": 16,
                "volume_abs": 2.356194490192344, "centroid": [0.9902974236829061, 0.9902974236829047, 0.5],
                "weights": [0.8535533905932737, 1.0], "n_interfaces": 0});
        }
        if expected.is_null() {
            check_samples(&path);
            continue;
        }
        if expected.get("refuse").is_some() {
            let message = read::file(&path).unwrap_err().to_string();
            println!("{message}");
            assert!(message.contains(name) && message.contains("line"), "{message}");
            // "A surface or a bare basis", in words of ours.
            let words = ["surface", "basis", "dimension 2"];
            assert!(words.iter().any(|word| message.contains(word)), "{message}");
            continue;
        }
        let body = read::file(&path).unwrap_or_else(|error| panic!("{error}"));
        check(name, &body, &expected);
    }
}

/// A hierarchical solid has the values of the samples by G+Smo, and is the same after writing
/// and reading.
fn check_samples(path: &std::path::Path) {
    let body = read::file(path).unwrap_or_else(|error| panic!("{error}"));
    let again = read::bytes(write::gismo(&body).unwrap().text.as_bytes()).unwrap();
    assert_eq!(again, body, "{}", path.display());
    let samples =
        carom_testing::json_file(&PathBuf::from(path.to_str().unwrap().replace(".xml", "_samples.json")));
    assert_eq!(body.n_body_points() as u64, samples["n_coefs"].as_u64().unwrap());
    let space = body.space().unwrap().unwrap();
    let rows = |key: &str| -> Vec<[f64; 3]> {
        let rows = samples[key].as_array().unwrap();
        rows.iter().map(|row| carom_testing::numbers(row).try_into().unwrap()).collect()
    };
    let mut worst: f64 = 0.0;
    for (u, value) in rows("params").into_iter().zip(rows("values")) {
        let mut x = [0.0; 3];
        for (point, r) in space.functions_at(0, u) {
            (0..3).for_each(|d| x[d] += r * space.points[point as usize][d]);
        }
        let map = body.patches[0].point(u);
        worst = (0..3).map(|d| (x[d] - value[d]).abs().max((map[d] - value[d]).abs())).fold(worst, f64::max);
    }
    assert!(worst < 4e-15, "{}: {worst:e}", path.display());
    println!("{}: samples {worst:e} off", path.display());
}

fn check(name: &str, body: &Multipatch, expected: &Value) {
    assert_eq!(body.patches.len() as u64, expected["patches"].as_u64().unwrap(), "{name}");
    let ends = [&body.patches[0], &body.patches[body.patches.len() - 1]];
    for (patch, place) in ends.into_iter().zip([0, expected["degrees"].as_array().unwrap().len() - 1]) {
        assert_eq!(patch.degrees(), usizes(&expected["degrees"][place]), "{name}");
        assert_eq!(patch.counts(), usizes(&expected["ncp"][place]), "{name}");
    }
    assert_eq!(body.n_points() as u64, expected["glued_points"].as_u64().unwrap(), "{name}");
    let moments = body.moments(16);
    let volume = expected["volume_abs"].as_f64().unwrap();
    assert!((moments.volume / volume - 1.0).abs() < 1e-12, "{name}: {} {volume}", moments.volume);
    for d in 0..3 {
        let centroid = expected["centroid"][d].as_f64().unwrap();
        let error = moments.first[d] / moments.volume - centroid;
        assert!(error.abs() < 1e-12 * (1.0 + volume.cbrt() + centroid.abs()), "{name}: {error:e}");
    }
    let weights = body.patches.iter().flat_map(|patch| &patch.weights);
    let range = weights.fold([f64::INFINITY, 0.0_f64], |[low, high], &w| [low.min(w), high.max(w)]);
    for (found, end) in range.into_iter().zip(0..) {
        let wanted = expected["weights"][end].as_f64().unwrap();
        assert!((found / wanted - 1.0).abs() < 1e-14, "{name}: weight {found}, not {wanted}");
    }
    // Files that list interfaces list all of them; one that glues a patch to itself (`cylinder`) lists none.
    let listed = expected["n_interfaces"].as_u64().unwrap() as usize;
    assert!(
        listed == 0 || listed == body.interfaces().len(),
        "{name}: {} interfaces",
        body.interfaces().len()
    );
    println!("{name}: {} points, volume {:e} off", body.n_points(), moments.volume / volume - 1.0);
}

#[test]
fn interfaces_agree_with_those_of_another_program() {
    let Some(folder) = shared_data("nurbs") else { return };
    for file in ["splinepy/ball7_gismo_multipatch.xml", "gismo/fichera.xml"] {
        let text = std::fs::read_to_string(folder.join(file)).unwrap();
        let body = read::bytes(text.as_bytes()).unwrap();
        let listed = text.split("<interfaces>").nth(1).unwrap().split("</interfaces>").next().unwrap();
        assert_eq!(body.interfaces().len(), listed.split_whitespace().count() / 10, "{file}");
    }
    // The patches of the ball are not reoriented, so that directions and senses are the same as in the file.
    let text = std::fs::read_to_string(folder.join("splinepy/ball7_gismo_multipatch.xml")).unwrap();
    let ours = write::gismo(&read::bytes(text.as_bytes()).unwrap()).unwrap().text;
    let lines = |text: &str| -> Vec<Vec<String>> {
        let listed = text.split("<interfaces>").nth(1).unwrap().split("</interfaces>").next().unwrap();
        let words: Vec<String> = listed.split_whitespace().map(str::to_owned).collect();
        let mut lines: Vec<_> = words.chunks(10).map(<[String]>::to_vec).collect();
        lines.sort();
        lines
    };
    assert_eq!(lines(&text), lines(&ours));
}

#[test]
fn errors_contain_the_line_and_a_remedy() {
    let body = solids::block([1.0, 1.0, 1.0]).unwrap();
    let text = write::gismo(&body).unwrap().text;
    let message =
        |text: &str| read::bytes(text.as_bytes()).map(|body| body.n_points()).unwrap_err().to_string();
    let of = message(&text.replacen("TensorBSpline3", "TensorNurbs2", 1));
    assert!(of.contains("line 12: `TensorNurbs2`") && of.contains("surface"), "{of}");
    let of = message(&text.replacen("TensorBSpline3", "THBSpline3", 1));
    assert!(of.contains("line 13: `TensorBSplineBasis3`"), "{of}");
    let of = message(&text.replacen("0.0 0.0 1.0 1.0", "0.0 1.0 0.5 1.0", 1));
    assert!(of.contains("line 14") && of.contains("knot 2"), "{of}");
    let of = message(&text.replacen("1.0 1.0 1.0\n", "1.0 abc 1.0\n", 1));
    assert!(of.contains("expected a coordinate, found `abc`"), "{of}");
    let of = message(&text.replace("</xml>", ""));
    assert!(of.contains("XML is broken"), "{of}");
    assert!(message("solid cube").contains("not a NURBS file"));
    assert!(message("MFEM mesh v1.0").contains("without NURBS"));
    assert!(message("MFEM NURBS NC-patch mesh v1.0").contains("NC-patch"));
    assert!(message("MFEM NURBS mesh v1.0 dimension 2").contains("dimension 2"));
    assert!(message("MFEM NURBS mesh v1.0 dimension 3 elements 1 1 5").contains("truncated"));
}

#[test]
fn patches_that_touch_without_matching_are_named() {
    // Two boxes, one of which is finer along the shared side, and a smaller one in the middle of a side.
    let half = solids::block([1.0, 1.0, 1.0]).unwrap().patches.remove(0);
    let shifted = |scale: f64| {
        let mut patch = half.clone();
        for point in &mut patch.points {
            *point = [point[0] + 1.0, 0.2 * (1.0 - scale) + scale * point[1], scale * point[2]];
        }
        patch
    };
    let finer = shifted(1.0).insert(1, &[0.5]).unwrap();
    let message =
        Multipatch::glue(vec![half.clone(), shifted(0.5)]).map(|b| b.n_points()).unwrap_err().to_string();
    assert!(message.contains("patch1:west lies on a part of patch0:east"), "{message}");
    assert_eq!(Multipatch::glue(vec![half.clone(), finer]).unwrap().n_points(), 18);
    assert_eq!(Multipatch::glue(vec![half.clone(), shifted(1.0)]).unwrap().n_points(), 12);
}

#[test]
fn every_orientation_of_two_boxes_is_glued() {
    let mut seen = Vec::new();
    for (patches, _) in boxes::pairs() {
        let [a, b, c] = patches[0].counts();
        let body = Multipatch::glue(patches.to_vec()).unwrap();
        assert_eq!(body.n_points(), 2 * a * b * c - b * c);
        let Interface { orientation, .. } = body.interfaces()[0];
        if !seen.contains(&orientation) {
            seen.push(orientation);
        }
        let finer = body.subdivide(2).unwrap();
        for (id, places) in places(&finer).into_iter().enumerate() {
            let spread =
                (0..3).map(|d| places.iter().map(|p| (p[d] - places[0][d]).abs()).fold(0.0, f64::max));
            assert!(spread.fold(0.0, f64::max) < 1e-14, "point {id}: {places:?}");
        }
        let [a, b, c] = finer.patches[0].counts();
        assert_eq!(finer.n_points(), 2 * a * b * c - b * c);
        assert!((finer.moments(3).volume - 2.0).abs() < 1e-13);
    }
    assert_eq!(seen.len(), 8, "{seen:?}");
}

#[test]
fn base64_values_and_sides_of_reoriented_patches_are_read() {
    use base64::Engine;
    let mut body = solids::block([1.0, 2.0, 3.0]).unwrap();
    body.patches[0] = body.patches[0].reversed(2);
    let text = write::gismo(&body).unwrap().text;
    let base64 = |values: &[f64]| {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        base64::engine::general_purpose::STANDARD.encode(bytes)
    };
    let coordinates: Vec<f64> = body.patches[0].points.iter().flatten().copied().collect();
    let (before, after) = text.split_once("<coefs geoDim=\"3\">").unwrap();
    let after = after.split_once("</coefs>").unwrap().1;
    let encoded = format!(
        "{before}<coefs geoDim=\"3\" format=\"B64Float64\">\n {}\n</coefs>{after}",
        base64(&coordinates)
    )
    .replace(
        "degree=\"1\">0.0 0.0 1.0 1.0 ",
        &format!("degree=\"1\" format=\"B64Float64\">{}", base64(&[0.0, 0.0, 1.0, 1.0])),
    );
    let read = read::bytes(encoded.as_bytes()).unwrap();
    // In the file `bottom` is the side w = 0, which lies at z = 3; after the patch is made right-handed, it
    // is the end of w.
    assert_eq!(read.patches, solids::block([1.0, 2.0, 3.0]).unwrap().patches);
    assert_eq!(read.regions["bottom"].sides, [(0, carom_nurbs::Side::Top)]);
    assert_eq!(read.regions["west"].sides, [(0, carom_nurbs::Side::West)]);
    let torn = encoded.replacen("B64Float64\">\n ", "B64Float64\">\n AAAA", 1);
    let message = read::bytes(torn.as_bytes()).map(|body| body.n_points()).unwrap_err().to_string();
    assert!(message.contains("whole values"), "{message}");
    let unknown = encoded.replacen("B64Float64", "B64Complex", 1);
    assert!(
        read::bytes(unknown.as_bytes())
            .map(|body| body.n_points())
            .unwrap_err()
            .to_string()
            .contains("B64Complex")
    );
}

/// A cube in MFEM's element form with uneven knots along u; two edges run against u, with reversed
/// knots.
const UNEVEN_CUBE: &str = "MFEM NURBS mesh v1.1
# comment
dimension 3
elements 1
1 5 0 1 2 3 4 5 6 7
boundary 2
7 3 0 1 2 3
9 3 4 5 6 7
edges 12
1 1 0
0 3 2
1 5 4
0 7 6
2 0 3  2 1 2  2 4 7  2 5 6
2 0 4  2 1 5  2 2 6  2 3 7
vertices 8
knotvectors 3
1 4 0 0 0.25 0.5 1 1
1 4 0 0 0.5 0.75 1 1
1 2 0 0 1 1
spacing 1
0 1 1 2  5  0.5 0.5
weights 1 1 1 1 1 1 1 1  1 1 1 1 1 1 1 1
FiniteElementSpace
FiniteElementCollection: NURBS
VDim: 3
Ordering: 0
0 1 1 0 0 1 1 0   0.25 0.5 0.5 0.25 0.25 0.5 0.5 0.25
0 0 1 1 0 0 1 1   0 0 1 1 0 0 1 1
0 0 0 0 1 1 1 1   0 0 0 0 1 1 1 1
";

#[test]
fn knots_and_points_follow_the_sense_of_mfem_edges() {
    // Edge points run from the lower to the higher vertex: 2 → 3 and 6 → 7 against u, so 0.5 comes first
    // there.
    let body = read::bytes(UNEVEN_CUBE.as_bytes()).unwrap();
    let patch = &body.patches[0];
    assert_eq!(patch.basis[0].knots(), [0.0, 0.0, 0.25, 0.5, 1.0, 1.0]);
    for u in [[0.1, 0.2, 0.3], [0.3, 0.9, 0.5], [0.8, 0.4, 1.0]] {
        let p = patch.point(u);
        assert!((0..3).all(|d| (p[d] - u[d]).abs() < 1e-15), "{u:?} gives {p:?}");
    }
    let framed = UNEVEN_CUBE
        .replace("FiniteElementSpace", "MFEM FiniteElementSpace v1.0")
        .replace("Ordering: 0", "Ordering: 0\nEnd: MFEM FiniteElementSpace v1.0\n");
    assert_eq!(read::bytes(framed.as_bytes()).unwrap(), body);
    assert_eq!(body.regions["boundary7"].sides, [(0, carom_nurbs::Side::Bottom)]);
    assert_eq!(body.regions["boundary9"].sides, [(0, carom_nurbs::Side::Top)]);
}

/// The control points with each number.
fn places(body: &Multipatch) -> Vec<Vec<[f64; 3]>> {
    let mut places = vec![Vec::new(); body.n_points()];
    for (patch, ids) in body.patches.iter().zip(body.point_ids()) {
        for (&point, &id) in patch.points.iter().zip(ids) {
            places[id as usize].push(point);
        }
    }
    places
}

#[test]
fn text_after_an_mfem_mesh_is_refused() {
    let message =
        |text: &str| read::bytes(text.as_bytes()).map(|body| body.n_points()).unwrap_err().to_string();
    let line = UNEVEN_CUBE.lines().count() + 1;
    for more in ["0.5\n", "MFEM NURBS mesh v1.1\n"] {
        let printed = message(&format!("{UNEVEN_CUBE}{more}"));
        assert!(
            printed.contains(&format!("line {line}")) && printed.contains("the end of the file"),
            "{printed}"
        );
    }
    assert!(read::bytes(format!("{UNEVEN_CUBE}mfem_mesh_end\n").as_bytes()).is_ok());
}

#[test]
fn a_boundary_face_of_mfem_that_is_not_a_side_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cube.mesh");
    std::fs::write(&path, UNEVEN_CUBE.replace("9 3 4 5 6 7", "9 3 0 1 6 7")).unwrap();
    let (body, notes) = read::file_with_notes(&path).unwrap();
    assert!(body.regions.contains_key("boundary7") && !body.regions.contains_key("boundary9"));
    let notes: Vec<String> = notes.iter().map(ToString::to_string).collect();
    let [note] = &notes[..] else { panic!("{notes:?}") };
    assert!(note.contains("0 1 6 7") && note.contains("attribute 9"), "{note}");
}
