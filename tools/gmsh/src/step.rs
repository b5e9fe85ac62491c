//! Names of faces in a STEP file (ISO 10303-21), which Gmsh does not read.
//!
//! A solid is `MANIFOLD_SOLID_BREP(name, shell)` or `BREP_WITH_VOIDS(name, shell, (voids))`, a shell
//! `CLOSED_SHELL(name, (faces))`, a face `ADVANCED_FACE(name, (bounds), surface, sense)`. OpenCASCADE makes
//! the faces of a solid in the order of its shell, and Gmsh numbers them in this order; kinds of surfaces are
//! compared, as a repair of the shape may change the order.

use std::collections::HashMap;

/// A face of the only solid of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StepFace {
    /// Its name; empty if it has none.
    pub(crate) name: String,
    /// Its surface in the words of Gmsh; none of surfaces without a closed form.
    pub(crate) kind: Option<&'static str>,
}

/// Surfaces of STEP and their words in Gmsh.
const KINDS: [(&str, &str); 5] = [
    ("PLANE", "Plane"),
    ("CYLINDRICAL_SURFACE", "Cylinder"),
    ("CONICAL_SURFACE", "Cone"),
    ("SPHERICAL_SURFACE", "Sphere"),
    ("TOROIDAL_SURFACE", "Torus"),
];

/// True if a surface has a closed form, in the words of Gmsh.
pub(crate) fn has_form(kind: &str) -> bool {
    KINDS.iter().any(|(_, word)| *word == kind)
}

/// The faces of each solid of a file, in its order; none if the file has another form.
pub(crate) fn faces_of_solids(text: &str) -> Option<Vec<Vec<StepFace>>> {
    let records = records(text);
    let solids: Vec<u64> = {
        let is_solid = |record: &Record<'_>| matches!(record.kind, "MANIFOLD_SOLID_BREP" | "BREP_WITH_VOIDS");
        let mut ids: Vec<u64> =
            records.iter().filter(|(_, record)| is_solid(record)).map(|(&id, _)| id).collect();
        ids.sort_unstable();
        ids
    };
    let faces_of = |solid: &u64| {
        let shells = records[solid].references();
        let mut faces = Vec::new();
        for mut shell in shells {
            // The shell of a void is ORIENTED_CLOSED_SHELL(name, *, shell, sense).
            if records.get(&shell)?.kind == "ORIENTED_CLOSED_SHELL" {
                shell = *records[&shell].references().first()?;
            }
            for face in records.get(&shell)?.references() {
                let record = records.get(&face)?;
                let surface = *record.references().last()?;
                let kind =
                    KINDS.iter().find(|(word, _)| *word == records.get(&surface).map_or("", |r| r.kind));
                faces.push(StepFace { name: record.name(), kind: kind.map(|(_, word)| *word) });
            }
        }
        Some(faces)
    };
    solids.iter().map(faces_of).collect()
}

/// An instance `#id = KIND(arguments);`.
#[derive(Debug, Clone, Copy)]
struct Record<'a> {
    kind: &'a str,
    arguments: &'a str,
}

impl Record<'_> {
    /// The first string of the arguments, decoded.
    fn name(&self) -> String {
        let Some(start) = self.arguments.find('\'') else { return String::new() };
        let end = start + 1 + end_of_string(&self.arguments[start + 1..]);
        decoded(&self.arguments[start + 1..end])
    }

    /// The instances that the arguments name, outside strings.
    fn references(&self) -> Vec<u64> {
        let (mut found, mut rest) = (Vec::new(), self.arguments);
        while let Some(at) = rest.find(['\'', '#']) {
            let after = &rest[at + 1..];
            if rest.as_bytes()[at] == b'\'' {
                rest = after.get(end_of_string(after) + 1..).unwrap_or("");
            } else {
                let digits = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
                found.extend(after[..digits].parse::<u64>());
                rest = &after[digits..];
            }
        }
        found
    }
}

/// Bytes up to the quote that ends a string; two quotes in a row are one within it.
fn end_of_string(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match (bytes[at], bytes.get(at + 1)) {
            (b'\'', Some(b'\'')) => at += 2,
            (b'\'', _) => return at,
            _ => at += 1,
        }
    }
    at
}

/// All instances of one kind each; those of several (`#1 = (A() B());`) have the kind `(`.
fn records(text: &str) -> HashMap<u64, Record<'_>> {
    let (mut records, mut rest) = (HashMap::new(), text);
    while let Some(end) = end_of_statement(rest) {
        let statement = without_comment(rest[..end].trim_start());
        rest = &rest[end + 1..];
        let Some((id, value)) = statement.strip_prefix('#').and_then(|s| s.split_once('=')) else { continue };
        let (Ok(id), value) = (id.trim().parse(), value.trim()) else { continue };
        let Some(open) = value.find('(') else { continue };
        let kind = if open == 0 { "(" } else { value[..open].trim_end() };
        records.insert(id, Record { kind, arguments: &value[open..] });
    }
    records
}

/// Bytes up to the semicolon that ends the first statement, outside strings and comments.
fn end_of_statement(text: &str) -> Option<usize> {
    let mut at = 0;
    loop {
        at += text.get(at..)?.find([';', '\'', '/'])?;
        match text.as_bytes()[at] {
            b';' => return Some(at),
            b'\'' => at += end_of_string(&text[at + 1..]) + 2,
            _ if text[at..].starts_with("/*") => at += text[at..].find("*/")? + 2,
            _ => at += 1,
        }
    }
}

/// A statement without the comments before it.
fn without_comment(statement: &str) -> &str {
    let mut text = statement;
    while let Some(comment) = text.strip_prefix("/*") {
        text = comment.split_once("*/").map_or("", |(_, rest)| rest.trim_start());
    }
    text
}

/// A string without its escapes: `''`, `\\`, `\X2\…\X0\` (UTF-16), `\X\hh`, `\S\c` (Latin-1).
fn decoded(text: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(c) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix("\\X2\\")
            && let Some((hex, after)) = after.split_once("\\X0\\")
        {
            let units: Vec<u16> = hex
                .as_bytes()
                .chunks(4)
                .filter_map(|unit| u16::from_str_radix(std::str::from_utf8(unit).ok()?, 16).ok())
                .collect();
            out += &String::from_utf16_lossy(&units);
            rest = after;
        } else if let Some(after) = rest.strip_prefix("\\X\\")
            && let Some(code) = after.get(..2).and_then(|hex| u8::from_str_radix(hex, 16).ok())
        {
            out.push(char::from(code));
            rest = &after[2..];
        } else if let Some(after) = rest.strip_prefix("\\S\\")
            && let Some(c) = after.chars().next().filter(char::is_ascii)
        {
            out.push(char::from(c as u8 + 128));
            rest = &after[1..];
        } else {
            let pair = ["''", "\\\\"].iter().any(|pair| rest.starts_with(pair));
            out.push(c);
            rest = &rest[if pair { 2 } else { c.len_utf8() }..];
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "ISO-10303-21;\nHEADER;\nFILE_NAME('a;b''c');\nENDSEC;\nDATA;\n/* the solid; */\n\
        #1 = MANIFOLD_SOLID_BREP('part #9',#2);\n#2=CLOSED_SHELL('',(#3,#4,\n#5));\n\
        #3 = ADVANCED_FACE('top; it''s #1',(#10,#11),#6,.T.);\n#4=ADVANCED_FACE('',(#10),#7,.F.);\n\
        #5 = ADVANCED_FACE('Fl\\X2\\00E4\\X0\\che',(#10),#8,.T.);\n#6 = PLANE('',#20);\n\
        #7 = CYLINDRICAL_SURFACE('',#20,5.);\n#8 = ( BOUNDED_SURFACE() B_SPLINE_SURFACE(1,1) );\nENDSEC;\n";

    #[test]
    fn faces_have_their_names_and_kinds_in_the_order_of_the_shell() {
        let solids = faces_of_solids(FILE).unwrap();
        let found: Vec<(&str, Option<&str>)> =
            solids[0].iter().map(|face| (face.name.as_str(), face.kind)).collect();
        assert_eq!(found, [("top; it's #1", Some("Plane")), ("", Some("Cylinder")), ("Fl\u{e4}che", None)]);
        assert_eq!(solids.len(), 1);
    }

    #[test]
    fn voids_follow_the_outer_shell() {
        let text = "#1=BREP_WITH_VOIDS('',#2,(#4));#2=CLOSED_SHELL('',(#3));\
            #3=ADVANCED_FACE('out',(),#9,.T.);\
            #4=ORIENTED_CLOSED_SHELL('',*,#5,.F.);#5=CLOSED_SHELL('',(#6));\
            #6=ADVANCED_FACE('in',(),#9,.T.);#9=SPHERICAL_SURFACE('',#8,1.);";
        let names: Vec<String> =
            faces_of_solids(text).unwrap().remove(0).into_iter().map(|face| face.name).collect();
        assert_eq!(names, ["out", "in"]);
    }

    #[test]
    fn damaged_files_have_no_names() {
        assert_eq!(faces_of_solids("#1=MANIFOLD_SOLID_BREP('',#2);"), None);
        assert_eq!(faces_of_solids("nothing 'open"), Some(Vec::new()));
    }
}
