//! Features of each format that the reference data do not contain, in small files written here.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use carom_nurbs::{Multipatch, Patch, Side, read, solids, write};
use serde_json::{Value, json};

use crate::boxes::pairs;

fn message(content: &[u8]) -> String {
    read::bytes(content).map(|body| body.n_points()).unwrap_err().to_string()
}

/// Patches as the lines of a GeoPDEs file, each after a line `PATCH k`.
fn geopdes_patches(patches: &[Patch]) -> String {
    let mut text = String::new();
    let list =
        |values: &mut dyn Iterator<Item = f64>| values.map(|x| format!("{x:?} ")).collect::<String>() + "\n";
    for (number, patch) in patches.iter().enumerate() {
        text += &format!("PATCH {}\n", number + 1);
        for numbers in [patch.degrees(), patch.counts()] {
            text += &list(&mut numbers.into_iter().map(|n| n as f64)).replace(".0", "");
        }
        for basis in &patch.basis {
            text += &list(&mut basis.knots().iter().copied());
        }
        for d in 0..3 {
            text += &list(&mut patch.points.iter().zip(&patch.weights).map(|(point, w)| w * point[d]));
        }
        text += &list(&mut patch.weights.iter().copied());
    }
    text
}

#[test]
fn one_of_the_eight_orientations_of_an_interface_is_accepted() {
    for (patches, sides) in pairs() {
        let [first, second] = sides.map(|side| side as usize + 1);
        let lines = geopdes_patches(&patches);
        let body = Multipatch::glue(patches.to_vec()).unwrap();
        let mut accepted = 0;
        for flags in ["1 1 1", "1 1 -1", "1 -1 1", "1 -1 -1", "-1 1 1", "-1 1 -1", "-1 -1 1", "-1 -1 -1"] {
            let text =
                format!("# nurbs mesh v.2.1\n3 3 2 1\n{lines}INTERFACE 1\n1 {first}\n2 {second}\n{flags}\n");
            match read::bytes(text.as_bytes()) {
                Ok(found) => {
                    accepted += 1;
                    assert_eq!((found.n_points(), found.interfaces()), (body.n_points(), body.interfaces()));
                }
                Err(error) => {
                    assert!(error.to_string().contains("in the directions that it states"), "{error}")
                }
            }
        }
        assert_eq!(accepted, 1);
        let text =
            format!("# nurbs mesh v.2.1\n3 3 2 1\n{lines}INTERFACE 1\n1 {}\n2 {second}\n1 1 1\n", 7 - first);
        let error = message(text.as_bytes());
        assert!(error.contains("do not coincide:"), "{error}");
    }
}

#[test]
fn directions_of_gismo_interfaces_are_checked() {
    for (patches, _) in pairs().into_iter().step_by(5) {
        let text = write::gismo(&Multipatch::glue(patches.to_vec()).unwrap()).unwrap().text;
        assert_eq!(read::bytes(text.as_bytes()).unwrap().interfaces().len(), 1);
        let line = text.lines().find(|line| line.contains("<interfaces>")).unwrap();
        let mut words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        // The last word is the sense of the third direction, a tangent of the first side (east).
        let last = words.last_mut().unwrap();
        *last = if last == "1" { "0".to_owned() } else { "1".to_owned() };
        let error = message(text.replace(line, &words.join(" ")).as_bytes());
        assert!(error.contains("in the directions that it states"), "{error}");
    }
}

#[test]
fn interfaces_of_old_gismo_files_have_six_numbers() {
    let block = solids::block([1.0, 1.0, 1.0]).unwrap().patches.remove(0);
    let mut other = block.clone();
    other.points.iter_mut().for_each(|point| point[0] += 1.0);
    let text = write::gismo(&Multipatch::glue(vec![block, other]).unwrap()).unwrap().text;
    let with = |list: &str| text.replace("100 2 101 1  0 1 2  1 1 1", list);
    assert_ne!(with(""), text);
    assert_eq!(
        read::bytes(with("101 1 100 2 1 1").as_bytes()).unwrap(),
        read::bytes(text.as_bytes()).unwrap()
    );
    assert!(message(with("101 2 100 2 1 1").as_bytes()).contains("do not coincide:"));
    assert!(message(with("100 2 101 1 1").as_bytes()).contains("5 numbers of interfaces given, 10 for each"));
    assert!(message(with("100 2 101 1  0 1 1  1 1 1").as_bytes()).contains("a permutation of 0 1 2"));
    assert!(message(with("100 2 101 1  1 0 2  1 1 1").as_bytes()).contains("found `1 0 2 1 1 1`"));
}

#[test]
fn versions_names_and_comments_of_geopdes_are_read() {
    let block = solids::block([1.0, 2.0, 3.0]).unwrap();
    let patch = geopdes_patches(&block.patches);
    let unnamed = patch.replace("PATCH 1\n", "# degrees\n");
    for (head, lines) in [
        ("# nurbs mesh v.0.6\n#\n#dim\n3 1\n", &unnamed),
        ("# nurbs geometry v.0.7\n3 1\n", &unnamed),
        ("# nurbs mesh v.0.7\n#\n# 03-Jul-2014\n   3   1   0   0\n", &patch),
        ("# nurbs mesh v.2.1\n3 3\n", &patch),
        ("\n# file: geo_specs_v21.txt\n# nurbs geometry v.2.1\n3 3 1\n", &patch),
    ] {
        let body = read::bytes(format!("{head}{lines}").as_bytes()).unwrap();
        assert_eq!(body.patches, block.patches);
    }
    let tail = "SUBDOMAIN 1\n1\nBOUNDARY 1\n1\n1 1\nBOUNDARY 2 (x = 1)\n1\n1 2\nWET WALL\n# two sides\n2\n1 \
        5\n1 6\n";
    let text = format!("# nurbs mesh v.0.7\n3 1 0 1\n{patch}{tail}");
    let body = read::bytes(text.as_bytes()).unwrap();
    assert_eq!(body.regions["boundary1"].sides, [(0, Side::West)]);
    assert_eq!(body.regions["x = 1"].sides, [(0, Side::East)]);
    assert_eq!(body.regions["WET WALL"].sides, [(0, Side::Bottom), (0, Side::Top)]);
    let replaced = |from: &str, to: &str| message(text.replacen(from, to, 1).as_bytes());
    assert!(replaced("v.0.7", "v.9.0").contains("version `9.0`"));
    assert!(replaced("3 1 0 1", "2 1 0 1").contains("line 2: a NURBS geometry of dimension 2"));
    assert!(replaced("1 6\n", "1 7\n").contains("a side from 1 to 6, found `7`"));
    assert!(replaced("1 6\n", "2 6\n").contains("a patch from 1 to 1, found `2`"));
    assert!(replaced("0.0 0.0 1.0 1.0", "0.0 0.0 1.0").contains("line 6: 3 knots given, 4 expected"));
    assert!(replaced("SUBDOMAIN 1\n1\n", "SUBDOMAIN 1\n4\n").contains("found `4`"));
}

#[test]
fn a_left_handed_patch_keeps_the_names_of_its_sides() {
    let block = solids::block([1.0, 2.0, 3.0]).unwrap();
    let text = format!(
        "# nurbs mesh v.2.1\n3 3 1\n{}BOUNDARY 1 (low)\n1\n1 6\n",
        geopdes_patches(&[block.patches[0].reversed(2)])
    );
    // The side w = 1 lies at z = 0; after reorientation it is the first end.
    let body = read::bytes(text.as_bytes()).unwrap();
    assert_eq!(body.patches, block.patches);
    assert_eq!(body.regions["low"].sides, [(0, Side::Bottom)]);
}

/// A box in the JSON of splinepy.
fn splinepy(kind: &str, encoded: bool) -> Value {
    let patch = &solids::block([1.0, 2.0, 3.0]).unwrap().patches[0];
    let base64 =
        |values: Vec<f64>| STANDARD.encode(values.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<_>>());
    let points: Vec<f64> = patch.points.iter().flatten().copied().collect();
    let mut entry =
        json!({"SplineType": kind, "para_dim": 3, "dim": 3, "degrees": [1, 1, 1], "show_options": {}});
    entry["control_points"] = if encoded { base64(points).into() } else { json!(patch.points) };
    if kind.contains("NURBS") || kind.contains("Rational") {
        let rows: Vec<[f64; 1]> = patch.weights.iter().map(|&w| [2.0 * w]).collect();
        entry["weights"] = if encoded { base64(rows.concat()).into() } else { json!(rows) };
    }
    if !kind.contains("Bezier") {
        entry["knot_vectors"] = json!([[0, 0, 1, 1], [0.0, 0.0, 1.0, 1.0], [0, 0, 1, 1]]);
    }
    json!({"Name": "SplineGroup", "NumberOfSplines": 1, "Base64Encoding": encoded, "SplineList": [entry]})
}

#[test]
fn all_types_of_splinepy_are_read_plain_and_encoded() {
    let block = solids::block([1.0, 2.0, 3.0]).unwrap();
    for kind in ["Bezier", "RationalBezier", "BSpline", "NURBS"] {
        for encoded in [false, true] {
            let body = read::bytes(splinepy(kind, encoded).to_string().as_bytes()).unwrap();
            assert_eq!(body.patches[0].points, block.patches[0].points);
            assert_eq!(body.patches[0].basis, block.patches[0].basis);
        }
    }
    let changed = |kind: &str, encoded, change: &dyn Fn(&mut Value)| {
        let mut root = splinepy(kind, encoded);
        change(&mut root["SplineList"][0]);
        message(root.to_string().as_bytes())
    };
    let of = changed("NURBS", true, &|entry| entry["weights"] = "AAAA".into());
    assert!(of.contains("`SplineList[0].weights`") && of.contains("whole doubles"), "{of}");
    let of = changed("NURBS", false, &|entry| entry["weights"] = "AAAA".into());
    assert!(of.contains("Base64Encoding"), "{of}");
    let of = changed("BSpline", false, &|entry| entry["degrees"] = json!([1, 1]));
    assert!(of.contains("a spline with 2 parameters"), "{of}");
    let of = changed("BSpline", false, &|entry| entry["control_points"] = json!([[0, 0, 0], [1, 0]]));
    assert!(of.contains("line 1 column") && of.contains("rows of one length"), "{of}");
    let of = changed("BSpline", false, &|entry| entry["knot_vectors"] = Value::Null);
    assert!(of.contains("`SplineList[0].knot_vectors`: 0 values"), "{of}");
    let of = changed("BSpline", false, &|entry| entry["SplineType"] = "Gaussian".into());
    assert!(of.contains("a `Gaussian`"), "{of}");
    let of = changed("BSpline", false, &|entry| entry["dim"] = json!(2));
    assert!(of.contains("2 coordinates"), "{of}");
}

#[test]
fn inconsistent_geomdl_files_are_refused() {
    let root: Value =
        serde_json::from_str(&write::geomdl(&solids::block([1.0, 2.0, 3.0]).unwrap()).unwrap().text).unwrap();
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut root = root.clone();
        change(&mut root["shape"]);
        message(root.to_string().as_bytes())
    };
    let of = changed(&|shape| shape["type"] = "surface".into());
    assert!(of.contains("a geomdl `surface`"), "{of}");
    let of = changed(&|shape| shape["count"] = json!(2));
    assert!(of.contains("1 volumes given, 2 (`shape.count`)"), "{of}");
    let of = changed(&|shape| shape["data"][0]["size_v"] = json!(3));
    assert!(of.contains("`shape.data[0].size_v`: 3 control points given, 2"), "{of}");
    let of = changed(&|shape| shape["data"][0]["rational"] = json!(true));
    assert!(of.contains("`shape.data[0].control_points.weights`"), "{of}");
    let of = changed(&|shape| shape["data"][0]["degree_w"] = json!("1"));
    assert!(of.contains("line 1 column"), "{of}");
    assert!(message(b"{\"a\": 1}").contains("neither `shape` (geomdl) nor `SplineList`"));
}

#[test]
fn irit_files_of_every_kind_are_read() {
    let points = |rational: bool| {
        let patch = &solids::block([1.0, 2.0, 3.0]).unwrap().patches[0];
        let point = |p: &[f64; 3]| {
            let [x, y, z] = p.map(|x| 2.0 * x);
            if rational { format!("[2 {x} {y} {z}]\n") } else { format!("[{} {} {}]\n", p[0], p[1], p[2]) }
        };
        patch.points.iter().map(point).collect::<String>()
    };
    let kv = "[KV 0 0 1 1] [KV 0 0 1 1] [KV 0 0 1 1]";
    let texts = [
        format!("[OBJECT [TRIVAR BEZIER 2 2 2 E3\n{}]]", points(false)),
        format!("[OBJECT NONE [TRIVAR BEZIER 2 2 2 P3\n{}]]", points(true)),
        format!(
            "a comment\n[OBJECT [COLOR 4] [RGB \"1,2]\"] BOX\n[TRIVAR BSPLINE 2 2 2 2 2 2 P3 {kv}{}]]",
            points(true)
        ),
        format!(
            "[OBJECT ALL [OBJECT N [NUMBER 3]] [OBJECT T [TRIVAR BSPLINE 2 2 2 2 2 2 E3 {kv}{}]]]",
            points(false)
        ),
    ];
    for text in &texts {
        let body = read::bytes(text.as_bytes()).unwrap();
        assert_eq!(body.patches[0].points, solids::block([1.0, 2.0, 3.0]).unwrap().patches[0].points);
    }
    let of = message(texts[3].replace("[KV 0", "[KVP 0").as_bytes());
    assert!(of.contains("line 1: a periodic knot vector"), "{of}");
    let of = message(texts[0].replace("E3", "E1").as_bytes());
    assert!(of.contains("`E1`"), "{of}");
    let of = message(b"[OBJECT A\n [SURFACE BEZIER 2 2 E3 [0 0 0] [1 0 0] [0 1 0] [1 1 0]]]");
    assert!(of.contains("line 2: `SURFACE`"), "{of}");
    let of = message(texts[0].trim_end_matches(']').as_bytes());
    assert!(of.contains("truncated"), "{of}");
    let of = message(texts[0].replacen("[1 0 0]", "[1 0]", 1).as_bytes());
    assert!(of.contains("line 3: expected a coordinate, found `]`"), "{of}");
    assert!(message(b"[OBJECT A [NUMBER 3]]").contains("without `TRIVAR`"));
}

/// A box in the format of PetIGA with the given flags.
fn petiga(flags: i32) -> Vec<u8> {
    let patch = &solids::block([1.0, 2.0, 3.0]).unwrap().patches[0];
    let mut bytes = Vec::new();
    let integers =
        |bytes: &mut Vec<u8>, list: &[i32]| bytes.extend(list.iter().flat_map(|i| i.to_be_bytes()));
    integers(&mut bytes, &[1_211_299, flags, 3]);
    for basis in &patch.basis {
        integers(&mut bytes, &[1, 4]);
        bytes.extend(basis.knots().iter().flat_map(|x| x.to_be_bytes()));
    }
    integers(&mut bytes, &[3, 1_211_214, 32]);
    for [x, y, z] in &patch.points {
        bytes.extend([2.0 * x, 2.0 * y, 2.0 * z, 2.0].iter().flat_map(|x| x.to_be_bytes()));
    }
    bytes
}

#[test]
fn petiga_files_with_fields_are_read_and_others_refused() {
    let block = solids::block([1.0, 2.0, 3.0]).unwrap();
    assert_eq!(read::bytes(&petiga(1)).unwrap().patches[0].points, block.patches[0].points);
    let fields = [petiga(3), vec![0; 40]].concat();
    assert_eq!(read::bytes(&fields).unwrap().patches[0].points, block.patches[0].points);
    let longer = [petiga(1), vec![0; 40]].concat();
    assert!(message(&longer).contains("byte 400: expected the end of the file"), "{}", message(&longer));
    assert!(message(&petiga(0)).contains("without a geometry"));
    assert!(message(&petiga(1)[..100]).contains("byte 100: the file ends"));
    assert!(message(&1_211_299_i64.to_be_bytes()).contains("64 bits"));
    let mut surface = petiga(1);
    surface[11] = 2;
    assert!(message(&surface).contains("byte 8: a PetIGA file with 2 parameters"));
    let mut negative = petiga(1);
    negative[12] = 0xff;
    assert!(message(&negative).contains("byte 12: expected a degree, found `-"));
}

#[test]
fn base64_of_every_type_in_gismo_files_is_read() {
    let block = solids::block([1.0, 2.0, 3.0]).unwrap();
    let text = write::gismo(&block).unwrap().text;
    let (before, rest) = text.split_once("<coefs geoDim=\"3\">").unwrap();
    let after = rest.split_once("</coefs>").unwrap().1;
    let values: Vec<f64> = block.patches[0].points.iter().flatten().copied().collect();
    let encode = |bytes: Vec<Vec<u8>>| STANDARD.encode(bytes.concat());
    macro_rules! of {
        ($type:ty) => {
            encode(values.iter().map(|&x| (x as $type).to_le_bytes().to_vec()).collect())
        };
    }
    for (kind, encoded) in [
        ("Float64", of!(f64)),
        ("Float32", of!(f32)),
        ("Int8", of!(i8)),
        ("Int16", of!(i16)),
        ("Int32", of!(i32)),
        ("Int64", of!(i64)),
        ("Uint8", of!(u8)),
        ("Uint16", of!(u16)),
        ("UInt32", of!(u32)),
        ("Uint64", of!(u64)),
    ] {
        let with = |kind: &str| {
            format!("{before}<coefs geoDim=\"3\" format=\"{kind}\">\n\t{encoded}\n</coefs>{after}")
                .into_bytes()
        };
        assert_eq!(read::bytes(&with(&format!("B64{kind}"))).unwrap().patches, block.patches, "{kind}");
        assert!(message(&with(kind)).contains(kind));
    }
}

#[test]
fn gismo_objects_around_a_body_are_skipped_and_errors_name_the_line_of_the_number() {
    let text = write::gismo(&solids::rod(1.0, 2.0, None).unwrap()).unwrap().text;
    let function = "<Function type=\"FunctionExpr\" id=\"7\" dim=\"3\">sin(x)</Function>";
    let around = text
        .replace(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
            "<!-- first -->\n<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
        )
        .replace(" <MultiPatch", &format!(" {function}\n <MultiPatch"))
        .replace("</xml>", "<boundaryConditions id=\"9\"/><Geometry type=\"TensorNurbs2\" id=\"3\"/></xml>");
    assert_eq!(read::bytes(around.as_bytes()).unwrap(), read::bytes(text.as_bytes()).unwrap());
    let damaged: Vec<&str> = text.lines().collect();
    let coefs = damaged.iter().position(|line| line.contains("<coefs")).unwrap();
    let mut lines: Vec<String> = damaged.iter().map(|line| (*line).to_owned()).collect();
    lines[coefs + 3] = "0.0 zero 0.0".to_owned();
    let of = message(lines.join("\n").as_bytes());
    assert!(of.contains(&format!("line {}: expected a coordinate, found `zero`", coefs + 4)), "{of}");
}

#[test]
fn mfem_topology_must_agree_with_the_geometry() {
    let rod = solids::rod(1.0, 2.0, None).unwrap();
    let text = write::mfem(&rod).unwrap().text;
    assert_eq!(read::bytes(text.as_bytes()).unwrap().patches, rod.patches);
    // Shifts one patch away from the others.
    let moved = {
        let mut body = rod.clone();
        body.patches[1].points.iter_mut().for_each(|point| point[0] += 10.0);
        write::mfem(&body).unwrap().text
    };
    let of = message(moved.as_bytes());
    assert!(of.contains("line ") && of.contains("do not coincide"), "{of}");
    let of = message(
        b"MFEM NURBS mesh v1.0 dimension 3 elements 1 1 5 0 1 2 3 4 5 6 7 boundary 0 edges 12
        0 0 1 0 3 2 0 4 5 0 7 6 1 0 3 1 1 2 1 4 7 1 5 6 2 0 4 2 1 5 2 2 6 2 3 7 vertices 8
        knotvectors 3 1 2 0 0 1 1 1 2 0 0 1 1 1 2 0 0 1 1
        periodic 1 1 1 1 weights",
    );
    assert!(of.contains("line 4: a section `periodic`"), "{of}");
}
