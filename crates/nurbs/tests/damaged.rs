//! Damaged files give an error with a place, quickly and with little memory, and never a panic.

use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use carom_nurbs::read::{self, ReadError};
use carom_testing::{heap, shared_data};

/// The readable files of the reference data.
fn good_files() -> Vec<(PathBuf, Vec<u8>)> {
    let Some(folder) = shared_data("nurbs") else { return Vec::new() };
    let mut files = Vec::new();
    for sub in ["generated", "geomdl", "geopdes", "gismo", "mfem", "petiga", "splinepy"] {
        for entry in std::fs::read_dir(folder.join(sub)).unwrap() {
            let path = entry.unwrap().path();
            let content = std::fs::read(&path).unwrap();
            if read::bytes(&content).is_ok() {
                files.push((path, content));
            }
        }
    }
    assert!(files.len() > 40);
    files.sort();
    files
}

/// Reads a damaged file; time and memory are bounded for any content.
fn attempt(content: &[u8], of: &str) -> Result<carom_nurbs::Multipatch, ReadError> {
    let start = Instant::now();
    let (result, memory) = heap::highest_of_this_thread(|| read::bytes(content));
    let seconds = start.elapsed();
    assert!(memory < 2_000_000 + 100 * content.len(), "{of}: {memory} bytes for a file of {}", content.len());
    assert!(seconds < Duration::from_secs(20), "{of}: {seconds:?}");
    if let Err(error) = &result {
        let message = error.to_string();
        // Gluing names patches and their sides; the parsers of XML and JSON say line and column in their own
        // way.
        let has_place = ["line ", "byte ", "`", "patch", " at 1:"].iter().any(|word| message.contains(word));
        assert!(
            has_place || matches!(error, ReadError::Xml { .. } | ReadError::UnknownFormat),
            "{of}: {message}"
        );
    }
    result
}

#[test]
fn truncated_files_are_errors() {
    for (path, content) in good_files() {
        let whole = read::bytes(&content).unwrap();
        // Gluing takes time for large bodies whose patches are all complete.
        let step = (content.len() / 150).max(1);
        let last_word = content.trim_ascii_end().iter().rposition(u8::is_ascii_whitespace).unwrap_or(0);
        for cut in (0..content.len()).step_by(step).chain(last_word.saturating_sub(8)..content.len()) {
            let of = format!("{} cut at {cut}", path.display());
            if let Ok(body) = attempt(&content[..cut], &of) {
                // The text after the control points may be missing, and a part of the last number is still a
                // number.
                assert!(body.patches == whole.patches || cut > last_word, "{of} is read as another body");
            }
        }
    }
}

#[test]
fn impossible_numbers_are_errors() {
    const WRONG: [&str; 9] = [
        "nan",
        "inf",
        "-3",
        "0",
        "99999999999999999999999",
        "18446744073709551615",
        "2147483647",
        "1e300",
        "x",
    ];
    for (path, content) in good_files() {
        let Ok(text) = String::from_utf8(content) else { continue };
        let numbers = numbers(&text);
        // The first numbers are counts and degrees.
        let step = (numbers.len() / 40).max(1);
        let places = (0..numbers.len().min(60)).chain((0..numbers.len()).step_by(step));
        for place in places {
            let (start, end) = numbers[place];
            let big = text.len() > 20_000;
            for wrong in
                WRONG.into_iter().skip(if big { place % 5 } else { 0 }).step_by(if big { 5 } else { 1 })
            {
                let damaged = format!("{}{wrong}{}", &text[..start], &text[end..]);
                let of = format!("{} with {wrong} at byte {start}", path.display());
                let result = attempt(damaged.as_bytes(), &of);
                if let Ok(body) = result {
                    let finite = body.patches.iter().flat_map(|p| &p.points).flatten().all(|x| x.is_finite());
                    assert!(finite, "{of} is accepted");
                }
            }
        }
    }
}

/// Start and end of the numbers of a text.
fn numbers(text: &str) -> Vec<(usize, usize)> {
    let is_word = |c: char| !c.is_whitespace() && !"[]<>\",:{}=".contains(c);
    let mut found = Vec::new();
    let mut start = None;
    for (place, c) in text.char_indices().chain([(text.len(), ' ')]) {
        match (start, is_word(c)) {
            (None, true) => start = Some(place),
            (Some(begin), false) => {
                if text[begin..place].parse::<f64>().is_ok() {
                    found.push((begin, place));
                }
                start = None;
            }
            _ => {}
        }
    }
    found
}

#[test]
fn damaged_binary_files_are_errors() {
    for (path, content) in good_files() {
        if std::str::from_utf8(&content).is_ok() && !content.starts_with(b"PK") {
            continue;
        }
        for place in 0..content.len() {
            for wrong in [
                &[0xff; 1][..],
                &[0; 1],
                &[0xff; 4],
                &[0x7f, 0xff, 0xff, 0xff],
                &[0x7f, 0xf8, 0, 0, 0, 0, 0, 0],
            ] {
                let mut damaged = content.clone();
                let end = (place + wrong.len()).min(content.len());
                damaged[place..end].copy_from_slice(&wrong[..end - place]);
                let _ = attempt(&damaged, &format!("{} with {wrong:?} at byte {place}", path.display()));
            }
        }
    }
}

#[test]
fn huge_degrees_without_knots_are_errors() {
    for degree in ["1000000000", "4294967296", "18446744073709551615"] {
        let json = format!(
            "{{\"Base64Encoding\": false, \"SplineList\": [{{\"SplineType\": \"Bezier\", \
             \"degrees\": [1, {degree}, 1], \"control_points\": [[0, 0, 0]]}}]}}"
        );
        let irit = format!("[OBJECT A [TRIVAR BEZIER 2 {degree} 2 E3 [0 0 0]]]");
        for text in [json, irit] {
            let message =
                attempt(text.as_bytes(), &text).map(|body| body.n_points()).unwrap_err().to_string();
            assert!(message.contains("degree") && message.contains("12"), "{message}");
        }
    }
}

/// An archive of splinepy with packed zeros in place of numbers.
fn packed_zeros(degrees: [u32; 3], arrays: &[(&str, &str, usize)]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let mut add = |name: &str, kind: &str, shape: &str, content: &[u8]| {
        let header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}\n");
        zip.start_file(format!("{name}.npy"), zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(b"\x93NUMPY\x01\x00").unwrap();
        zip.write_all(&(header.len() as u16).to_le_bytes()).unwrap();
        zip.write_all(header.as_bytes()).unwrap();
        zip.write_all(content).unwrap();
    };
    add("number_of_splines", "<i8", "()", &1_000_000_000_u64.to_le_bytes());
    add("spline_0_degrees", "<u4", "(3,)", degrees.map(u32::to_le_bytes).as_flattened());
    for &(name, shape, n_bytes) in arrays {
        add(&format!("spline_0_{name}"), "<f8", shape, &vec![0; n_bytes]);
    }
    zip.finish().unwrap().into_inner()
}

#[test]
fn an_archive_with_two_arrays_of_one_name_is_refused() {
    let mut content = packed_zeros([1; 3], &[("control_points", "(8, 3)", 8 * 24)]);
    // The list at the end gives the degrees the name of the number of splines: the meaning is ambiguous.
    let (a, b) = (b"spline_0_degrees.npy", b"number_of_splines.npy");
    let list = content.windows(4).position(|window| window == b"PK\x01\x02").unwrap();
    let at = list + content[list..].windows(b.len()).position(|window| window == b).unwrap();
    content.splice(at..at + b.len(), a.iter().copied());
    // One byte less in the name, in the list and before the record at its end.
    content[at - 18] = a.len() as u8;
    let end = content.windows(4).position(|window| window == b"PK\x05\x06").unwrap();
    content[end + 12] -= 1;
    let message = attempt(&content, "archive").map(|body| body.n_points()).unwrap_err().to_string();
    assert!(message.contains("different names"), "{message}");
}

#[test]
fn archives_that_expand_too_much_are_refused_before_reading() {
    let message =
        |content: Vec<u8>| attempt(&content, "archive").map(|body| body.n_points()).unwrap_err().to_string();
    let n = 20_000_000;
    let of = message(packed_zeros([1, 2_000_000_000, 1], &[("control_points", "(8000000004, 3)", n)]));
    assert!(of.contains("`spline_0_degrees`: degree 2000000000"), "{of}");
    let of = message(packed_zeros([1; 3], &[("control_points", "(8000000004, 3)", n)]));
    assert!(of.contains("elements given, at most 24"), "{of}");
    let of = message(packed_zeros([1; 3], &[("knot_vectors_0", "(1000000000,)", n)]));
    assert!(of.contains("`spline_0_knot_vectors_0`"), "{of}");
    let of = message(packed_zeros([1; 3], &[("knot_vectors_0", "(1000000,)", 100)]));
    assert!(of.contains("packed ones cannot hold them"), "{of}");
}

#[test]
fn deep_nesting_is_an_error() {
    let attempt =
        |text: String, of| attempt(text.as_bytes(), of).map(|body| body.n_points()).unwrap_err().to_string();
    let deep = 200_000;
    attempt(format!("[OBJECT {}", "[X ".repeat(deep)), "IRIT");
    attempt("[OBJECT ".repeat(deep), "IRIT");
    attempt(format!("{{\"shape\": {}", "[".repeat(deep)), "JSON");
    attempt(format!("{{\"SplineList\": {}", "{\"a\":".repeat(deep)), "JSON");
    attempt(format!("<xml>{}", "<a>".repeat(deep)), "XML");
    attempt(format!("<xml>{}{}</xml>", "<a>".repeat(deep), "</a>".repeat(deep)), "XML");
    attempt("<!DOCTYPE x [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]><xml>&b;</xml>".to_owned(), "XML");
}
