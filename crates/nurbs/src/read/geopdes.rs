//! GeoPDEs text files, versions 0.6, 0.7 and from 1.0 to 2.1.

use super::contents::{Contents, ListedInterface};
use super::lines::Lines;
use super::solid::{Solid, bases, no_solid};
use super::{Note, Place, ReadError};
use crate::{Patch, Side};

/// True if the comment at the head of a text names the format.
pub(super) fn is_geopdes(text: &str) -> bool {
    version(text).is_some()
}

/// The version in the leading comment, such as `2.1` in `# nurbs mesh v.2.1`.
fn version(text: &str) -> Option<&str> {
    let head = text.lines().map(str::trim).take_while(|line| line.is_empty() || line.starts_with('#'));
    head.filter(|line| line.to_lowercase().contains("nurbs")).find_map(|line| {
        let version = line.split_once("v.")?.1.split_whitespace().next()?;
        version.starts_with(|c: char| c.is_ascii_digit()).then_some(version)
    })
}

/// The content of the first line of numbers.
struct Head {
    n_patches: usize,
    n_interfaces: usize,
    n_subdomains: usize,
}

/// Reads the text of a GeoPDEs geometry file.
///
/// Interfaces are found from the control points; the interfaces of the file are checked, with their
/// directions. A `BOUNDARY k` becomes the region `boundaryk`, a `BOUNDARY k (text)` the region `text`, any
/// other boundary has the name that the file gives it. Subdomains are checked and not kept: a body from a
/// NURBS file has one material.
///
/// # Errors
///
/// [`ReadError`] with the line; curves and surfaces are refused.
pub(super) fn parse(text: &str) -> Result<Contents, ReadError> {
    let mut lines = Lines::new(text);
    let head = head(&mut lines, version(text))?;
    let mut patches = Vec::new();
    for number in 0..head.n_patches {
        patches.push(patch(&mut lines, number)?);
    }
    let mut contents = Contents::of(patches);
    let n_patches = contents.patches.len();
    for _ in 0..head.n_interfaces {
        contents.interfaces.push(interface(&mut lines, n_patches)?);
    }
    if head.n_subdomains > 1 {
        contents.notes.push(Note::Subdomains { n: head.n_subdomains });
    }
    for _ in 0..head.n_subdomains {
        lines.line("the name of a subdomain")?;
        let place = lines.place();
        for patch in lines.numbers::<usize>("the number of a patch")? {
            patch_number(&place, patch, n_patches)?;
        }
    }
    while lines.peek().is_some() {
        boundary(&mut lines, &mut contents)?;
    }
    Ok(contents)
}

fn head(lines: &mut Lines, version: Option<&str>) -> Result<Head, ReadError> {
    let place = lines.place();
    let numbers: Vec<usize> = lines.numbers("a dimension or a number of patches")?;
    let (dimensions, counts) = match version {
        // One number for the dimensions of both spaces.
        Some("0.6" | "0.7") => numbers.split_at(numbers.len().min(1)),
        Some(v) if v.starts_with("1.") || v.starts_with("2.") => numbers.split_at(numbers.len().min(2)),
        other => {
            return Err(ReadError::Refused {
                place: Place::Line(1),
                what: format!("version `{}` of a GeoPDEs file", other.unwrap_or("none")),
                way_out: "known versions are `# nurbs mesh v.0.6`, v.0.7 and v.1.0 to v.2.1".to_owned(),
            });
        }
    };
    if let Some(d) = dimensions.iter().find(|&&d| d != 3) {
        return Err(no_solid(place, format!("a NURBS geometry of dimension {d}")));
    }
    if dimensions.is_empty() || counts.len() > 3 {
        let expected = "the dimensions, and numbers of patches, interfaces and subdomains,".to_owned();
        return Err(ReadError::Count { place, what: "numbers".to_owned(), expected, found: numbers.len() });
    }
    let count = |i: usize| counts.get(i).copied();
    Ok(Head {
        n_patches: count(0).unwrap_or(1),
        n_interfaces: count(1).unwrap_or(0),
        n_subdomains: count(2).unwrap_or(0),
    })
}

fn patch(lines: &mut Lines, number: usize) -> Result<Patch, ReadError> {
    // A name may precede the numbers.
    let is_name =
        |line: &str| line.split_whitespace().next().is_some_and(|word| word.parse::<f64>().is_err());
    if lines.peek().is_some_and(is_name) {
        lines.line("the name of a patch")?;
    }
    let place = lines.place();
    let degrees: [usize; 3] = lines.array("degrees", "a degree")?;
    let counts: [usize; 3] = lines.array("numbers of control points", "a number of control points")?;
    let mut knots = Vec::new();
    for (degree, n) in degrees.into_iter().zip(counts) {
        let place = lines.place();
        let n_knots = n.saturating_add(degree).saturating_add(1);
        knots.push((degree, lines.n_numbers(n_knots, "knots", "a knot")?, place));
    }
    let knots = knots.try_into().unwrap_or_else(|_| unreachable!("three directions were read"));
    let mut solid = Solid::new(place, number, bases(knots)?);
    let n_points = solid.n_points().unwrap_or(usize::MAX);
    let mut row = |what: &str, one: &str| lines.n_numbers::<f64>(n_points, what, one);
    let [x, y, z] =
        ["first", "second", "third"].map(|which| row(&format!("{which} coordinates"), "a coordinate"));
    let (x, y, z) = (x?, y?, z?);
    for (i, weight) in row("weights", "a weight")?.into_iter().enumerate() {
        solid.push_homogeneous([x[i], y[i], z[i]], weight);
    }
    solid.patch()
}

fn patch_number(place: &Place, patch: usize, n_patches: usize) -> Result<usize, ReadError> {
    (1..=n_patches).contains(&patch).then(|| patch - 1).ok_or_else(|| ReadError::Syntax {
        place: place.clone(),
        expected: format!("a patch from 1 to {n_patches}"),
        found: patch.to_string(),
    })
}

/// A line `patch side`, both from 1.
fn side(lines: &mut Lines, n_patches: usize) -> Result<(usize, Side), ReadError> {
    let place = lines.place();
    let [patch, side]: [usize; 2] = lines.array("numbers (patch and side)", "a patch or a side")?;
    let patch = patch_number(&place, patch, n_patches)?;
    let side = side.checked_sub(1).and_then(|side| Side::ALL.get(side).copied()).ok_or_else(|| {
        let (expected, found) = ("a side from 1 to 6".to_owned(), side.to_string());
        ReadError::Syntax { place, expected, found }
    })?;
    Ok((patch, side))
}

/// `INTERFACE k`, the two sides, and how the first lies on the second.
fn interface(lines: &mut Lines, n_patches: usize) -> Result<ListedInterface, ReadError> {
    lines.line("the name of an interface")?;
    let place = lines.place();
    let (first, second) = (side(lines, n_patches)?, side(lines, n_patches)?);
    let flag_place = lines.place();
    let flags: [i64; 3] = lines.array("flags of an interface", "1 or -1")?;
    if let Some(flag) = flags.iter().find(|&&flag| flag != 1 && flag != -1) {
        let (expected, found) = ("1 or -1".to_owned(), flag.to_string());
        return Err(ReadError::Syntax { place: flag_place, expected, found });
    }
    let [a, b] = second.1.tangents();
    let [a, b] = if flags[0] == 1 { [a, b] } else { [b, a] };
    let directions = Some([(a, flags[1] == -1), (b, flags[2] == -1)]);
    Ok(ListedInterface { place, first, second, directions })
}

/// The name, the number of sides, and the sides.
fn boundary(lines: &mut Lines, contents: &mut Contents) -> Result<(), ReadError> {
    let name = region_name(lines.line("the name of a boundary")?);
    let [n_sides]: [usize; 1] = lines.array("numbers", "the number of sides of a boundary")?;
    for _ in 0..n_sides {
        contents.boundaries.push((name.clone(), side(lines, contents.patches.len())?));
    }
    Ok(())
}

fn region_name(line: &str) -> String {
    let Some((number, text)) =
        line.strip_prefix("BOUNDARY").map(|rest| rest.split_once('(').unwrap_or((rest, "")))
    else {
        return line.to_owned();
    };
    match (number.trim(), text.trim_end_matches(')').trim()) {
        (number, "") if number.parse::<u64>().is_ok() => format!("boundary{number}"),
        (number, text) if number.parse::<u64>().is_ok() => text.to_owned(),
        _ => line.to_owned(),
    }
}
