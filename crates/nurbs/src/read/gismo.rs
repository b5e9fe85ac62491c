//! G+Smo XML: `TensorBSpline3`, `TensorNurbs3`, `THBSpline3` and `MultiPatch`.

use carom_files::xml;
use roxmltree::{Document, Node, ParsingOptions};

use super::ReadError;
use super::contents::{Contents, ListedInterface};
use super::gismo_geometry::{kind, numbers, patch, place, refused};
use super::gismo_thb;
use crate::{HierarchicalPatch, Side};

/// Reads the text of a G+Smo XML file.
///
/// A `MultiPatch` lists the geometries of the body; without one all geometries belong to it. Interfaces are
/// found from the control points, and the interfaces of the file are checked, with their directions. Each
/// `<boundary>` becomes a region under its name (`boundary` if it has none). Sides of reversed left-handed
/// patches are renamed. Other objects are skipped.
///
/// # Errors
///
/// [`ReadError`] with the line; curves, surfaces and bases are refused by the name of their type.
pub(super) fn parse(text: &str) -> Result<Contents, ReadError> {
    let text = without_prologue(text);
    xml::check_attributes(&text).map_err(|error| ReadError::Xml { message: error.to_string() })?;
    let options = ParsingOptions { nodes_limit: xml::nodes_limit(text.len()), ..ParsingOptions::default() };
    let document = Document::parse_with_options(&text, options)
        .map_err(|error| ReadError::Xml { message: error.to_string() })?;
    let root = document.root_element();
    if !root.has_tag_name("xml") {
        let found = root.tag_name().name().to_owned();
        return Err(ReadError::Syntax {
            place: place(root),
            expected: "the root element <xml>".to_owned(),
            found,
        });
    }
    let named = |name: &'static str| root.children().filter(move |node| node.has_tag_name(name));
    let geometries: Vec<Node> = named("Geometry").collect();
    let mut bodies =
        named("MultiPatch").filter(|node| node.attribute("parDim").is_none_or(|d| d.trim() == "3"));
    let (body, another) = (bodies.next(), bodies.next());
    if let Some(another) = another {
        let way_out = "a file holds one body: keep one MultiPatch in it".to_owned();
        return Err(ReadError::Refused {
            place: place(another),
            what: "a second MultiPatch".to_owned(),
            way_out,
        });
    }
    let chosen = match body {
        Some(body) => members(body, &geometries)?,
        None => geometries.iter().map(|&node| (0, node)).collect(),
    };
    if chosen.is_empty() {
        let something = root.children().find(|node| node.is_element()).unwrap_or(root);
        return Err(refused(something, kind(something)));
    }
    let (mut patches, mut hierarchical) = (Vec::with_capacity(chosen.len()), Vec::new());
    let has_levels = chosen.iter().any(|&(_, node)| kind(node) == "THBSpline3");
    for (number, &(_, node)) in chosen.iter().enumerate() {
        if kind(node) == "THBSpline3" {
            let refined = gismo_thb::patch(node)?;
            patches.push(refined.tensor_product());
            hierarchical.push(refined);
        } else {
            patches.push(patch(node, number)?);
            if has_levels {
                hierarchical.push(HierarchicalPatch::of(&patches[number]));
            }
        }
    }
    let ids: Vec<i64> = chosen.iter().map(|&(id, _)| id).collect();
    let mut contents = Contents { hierarchical, ..Contents::of(patches) };
    if let Some(body) = body {
        add_topology(&mut contents, body, &ids)?;
    }
    Ok(contents)
}

/// Replaces everything before the XML declaration by blanks: comments are illegal there but occur.
fn without_prologue(text: &str) -> String {
    match text.find("<?xml") {
        Some(start) if start > 0 => {
            let blank = |c: char| if c == '\n' { '\n' } else { ' ' };
            // The declaration itself must come first, so it goes too; the lines stay.
            let end = text[start..].find("?>").map_or(text.len(), |length| start + length + 2);
            text[..end].chars().map(blank).chain(text[end..].chars()).collect()
        }
        _ => text.to_owned(),
    }
}

/// The geometries of a MultiPatch with their ids.
fn members<'a, 'input>(
    body: Node<'a, 'input>,
    geometries: &[Node<'a, 'input>],
) -> Result<Vec<(i64, Node<'a, 'input>)>, ReadError> {
    let missing = || ReadError::Count {
        place: place(body),
        what: "lists <patches>".to_owned(),
        expected: "one, an id_range or an id_index,".to_owned(),
        found: 0,
    };
    let list = body.children().find(|node| node.has_tag_name("patches")).ok_or_else(missing)?;
    let numbers = integers(list, "the id of a patch")?;
    let ids: Vec<i64> = match (list.attribute("type"), numbers.as_slice()) {
        (Some("id_range"), &[first, last]) => {
            // More ids than geometries are invalid: this avoids a loop over a huge range in a damaged file.
            let last = last.min(first.saturating_add(geometries.len() as i64));
            (first..=last).collect()
        }
        (Some("id_range"), _) => {
            let (what, expected) = ("ids in an id_range".to_owned(), "first and last".to_owned());
            return Err(ReadError::Count { place: place(list), what, expected, found: numbers.len() });
        }
        _ => numbers,
    };
    let find = |id: i64| {
        let mut found = geometries
            .iter()
            .filter(|node| node.attribute("id").is_some_and(|text| text.trim() == id.to_string()));
        match (found.next(), found.next()) {
            (Some(&node), None) => Ok((id, node)),
            (first, _) => Err(ReadError::Count {
                place: place(list),
                what: format!("geometries with id {id}"),
                expected: "one".to_owned(),
                found: if first.is_some() { 2 } else { 0 },
            }),
        }
    };
    ids.into_iter().map(find).collect()
}

fn integers(node: Node, expected: &str) -> Result<Vec<i64>, ReadError> {
    let whole = |value: f64| {
        let wrong = || ReadError::Syntax {
            place: place(node),
            expected: expected.to_owned(),
            found: value.to_string(),
        };
        if value.fract() == 0.0 && value.abs() < 1e15 { Ok(value as i64) } else { Err(wrong()) }
    };
    numbers(node, expected)?.into_iter().map(whole).collect()
}

/// Patch and side of a pair in the file: an id (or a number from 0) and 1 … 6.
fn side(node: Node, ids: &[i64], patch: i64, side: i64) -> Result<(usize, Side), ReadError> {
    let by_number = usize::try_from(patch).ok().filter(|&number| number < ids.len());
    let number = ids.iter().position(|&id| id == patch).or(by_number);
    let side_number = usize::try_from(side - 1).ok().filter(|&number| number < 6);
    let (Some(number), Some(side_number)) = (number, side_number) else {
        let expected = "a patch of the body and a side from 1 to 6".to_owned();
        return Err(ReadError::Syntax { place: place(node), expected, found: format!("{patch} {side}") });
    };
    Ok((number, Side::ALL[side_number]))
}

/// Interfaces and boundaries of a MultiPatch.
fn add_topology(contents: &mut Contents, body: Node, ids: &[i64]) -> Result<(), ReadError> {
    for node in body.children().filter(|node| node.has_tag_name("interfaces")) {
        contents.interfaces.extend(interfaces(node, ids)?);
    }
    for node in body.children().filter(|node| node.has_tag_name("boundary")) {
        let list = integers(node, "a patch or a side")?;
        let (pairs, rest) = list.as_chunks::<2>();
        if !rest.is_empty() {
            let (what, expected) = ("numbers of a boundary".to_owned(), "pairs of patch and side".to_owned());
            return Err(ReadError::Count { place: place(node), what, expected, found: list.len() });
        }
        let name = node.attribute("name").or(node.attribute("label")).unwrap_or("boundary");
        for pair in pairs {
            contents.boundaries.push((name.to_owned(), side(node, ids, pair[0], pair[1])?));
        }
    }
    Ok(())
}

/// The interfaces of a list: patch, side, patch, side; then for each direction of the first patch the
/// direction of the second, and 1 for the same sense. Old files have only two senses, which do not show
/// exchanged directions.
fn interfaces(node: Node, ids: &[i64]) -> Result<Vec<ListedInterface>, ReadError> {
    let list = integers(node, "a number of an interface")?;
    let one = |entry: &[i64], has_map: bool| {
        let (first, second) = (side(node, ids, entry[0], entry[1])?, side(node, ids, entry[2], entry[3])?);
        let directions = has_map.then(|| directions(node, first.1, second.1, &entry[4..])).transpose()?;
        Ok(ListedInterface { place: place(node), first, second, directions })
    };
    let (entries, rest) = list.as_chunks::<10>();
    let (old_entries, old_rest) = list.as_chunks::<6>();
    let has_maps = rest.is_empty() && entries.iter().all(|entry| is_permutation(&entry[4..7]));
    if has_maps || (rest.is_empty() && !old_rest.is_empty()) {
        return entries.iter().map(|entry| one(entry, true)).collect();
    }
    if !old_rest.is_empty() {
        let (what, expected) = ("numbers of interfaces".to_owned(), "10 for each".to_owned());
        return Err(ReadError::Count { place: place(node), what, expected, found: list.len() });
    }
    old_entries.iter().map(|entry| one(entry, false)).collect()
}

fn is_permutation(map: &[i64]) -> bool {
    (0..3).all(|direction| map.contains(&direction))
}

/// Directions of the second patch along the tangent directions of the first side, and whether reversed.
///
/// * `entry` — for each direction of the first patch that of the second, then 1 for each that runs in the
///   same sense
fn directions(node: Node, first: Side, second: Side, entry: &[i64]) -> Result<[(usize, bool); 2], ReadError> {
    let (map, same) = entry.split_at(3);
    let fits = is_permutation(map)
        && same.iter().all(|sense| (0..=1).contains(sense))
        && map[first.direction()] == second.direction() as i64;
    if !fits {
        let expected =
            "a permutation of 0 1 2 that leads from side to side, and three times 0 or 1".to_owned();
        let found = entry.iter().map(i64::to_string).collect::<Vec<_>>().join(" ");
        return Err(ReadError::Syntax { place: place(node), expected, found });
    }
    Ok(first.tangents().map(|tangent| (map[tangent] as usize, same[tangent] == 0)))
}
