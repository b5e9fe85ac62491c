//! Contacts of several bodies and surfaces that a pattern names: `between = ["ring:*", "ball*:surface"]`.
//!
//! A `*` stands for any letters of the name of a body, or of its shapes and interface sets. Each two surfaces
//! of different bodies that fit are a contact of their own, once, in the order of the bodies; two bodies that
//! stay, that a joint connects, or that `exclude` names have none. The first contact stands in the place of
//! its table, the others after those of all tables.

use std::collections::HashSet;

use super::decode::{Problems, list_of};
use super::model::{BodySpec, ContactSpec, End, JointSpec, SchemeRow};
use super::problem::ProblemKind;
use super::sections::{PlacedEnd, Referring};

/// Largest number of contacts of a table.
const MOST: usize = 20_000;

/// A contact as read, and the pairs of ends between which it has none.
pub(super) type ReadContact = (Referring<ContactSpec>, Vec<[PlacedEnd; 2]>);

/// The bodies and joints of a scenario, for patterns of its contacts.
pub(super) struct Known<'a> {
    pub(super) bodies: Vec<&'a BodySpec>,
    pub(super) joints: &'a [Referring<JointSpec>],
    pub(super) scheme: &'a SchemeRow,
}

/// All contacts.
pub(super) fn expanded(
    problems: &Problems,
    read: Vec<ReadContact>,
    known: &Known<'_>,
) -> Vec<Referring<ContactSpec>> {
    let (mut all, mut further) = (Vec::with_capacity(read.len()), Vec::new());
    for (contact, exclude) in read {
        let has_pattern = contact.ends.iter().any(|(end, _)| known.is_pattern(end));
        if contact.spec.is_automatic() || !has_pattern {
            if let Some([(_, span), _]) = exclude.first() {
                let text = "`exclude` belongs to ends with a `*`, as in `between = [\"ring\", \"ball*\"]`";
                problems.add(span, &contact.context, ProblemKind::Conflict(text.to_owned()));
            }
            all.push(contact);
            continue;
        }
        let mut pairs = known.pairs(problems, &contact, &exclude).into_iter().map(|between| Referring {
            spec: ContactSpec { between: between.clone(), ..contact.spec.clone() },
            ends: between
                .into_iter()
                .zip(&contact.ends)
                .map(|(end, (_, span))| (end, span.clone()))
                .collect(),
            context: contact.context.clone(),
        });
        all.extend(pairs.next());
        further.extend(pairs);
    }
    all.extend(further);
    all
}

impl Known<'_> {
    /// True for an end with a `*`, but for the whole surface of one body (`*`, `*@X,Y,Z:R` of its places).
    fn is_pattern(&self, end: &End) -> bool {
        let has_place = |body: &&BodySpec| {
            let reduce = body.reduce.as_ref().filter(|_| body.name == end.body);
            reduce.is_some_and(|reduce| reduce.places.contains(&end.part))
        };
        let is_place = self.bodies.iter().any(has_place);
        let is_region = end.part.starts_with("*@");
        end.body.contains('*') || end.part.contains('*') && !is_region && !is_place
    }

    /// The ends of the contacts of a pattern; reports a pattern that fits nothing, or too much.
    fn pairs(
        &self,
        problems: &Problems,
        contact: &Referring<ContactSpec>,
        exclude: &[[PlacedEnd; 2]],
    ) -> Vec<[End; 2]> {
        let add = |end: usize, text: String| {
            let span = contact.ends.get(end).map_or(0..0, |(_, span)| span.clone());
            problems.add(&span, &contact.context, ProblemKind::Conflict(text));
        };
        let mut sides: [Vec<End>; 2] = Default::default();
        for (side, (pattern, _)) in contact.ends.iter().enumerate().take(2) {
            sides[side] = self.ends(pattern);
            if sides[side].is_empty() {
                add(side, self.nothing_fits(pattern));
                return Vec::new();
            }
        }
        let [first, second] = &sides;
        let (mut pairs, mut seen) = (Vec::new(), HashSet::new());
        for (a, b) in first.iter().flat_map(|a| second.iter().map(move |b| (a, b))) {
            let mut names = [a.to_string(), b.to_string()];
            names.sort_unstable();
            if self.may_touch(a, b, exclude) && seen.insert(names) {
                pairs.push([a.clone(), b.clone()]);
            }
            if pairs.len() > MOST {
                let text = format!(
                    "the patterns fit {} by {} surfaces, more than {MOST} contacts: narrow them, or name the \
                     contact of all bodies, `between = [\"*\"]`, in the schemes {}",
                    first.len(),
                    second.len(),
                    SchemeRow::names(|row| row.has_automatic_contact)
                );
                add(0, text);
                return Vec::new();
            }
        }
        if pairs.is_empty() {
            let text = "no two bodies that fit may touch: they stay, are joined, or are excluded".to_owned();
            add(0, text);
        }
        pairs
    }

    /// The surfaces that a pattern names.
    fn ends(&self, pattern: &End) -> Vec<End> {
        let mut ends = Vec::new();
        for body in self.bodies.iter().filter(|body| fits(&pattern.body, &body.name)) {
            let end = |part: &str| End { body: body.name.clone(), part: part.to_owned() };
            if !pattern.part.contains('*') {
                ends.push(end(&pattern.part));
                continue;
            }
            let parts: Vec<&str> = parts_of(body).filter(|part| fits(&pattern.part, part)).collect();
            // Without a surface of its own a body touches as a whole, where the scheme allows it.
            if parts.is_empty() && pattern.part == "*" && self.scheme.bodies_touch_whole() {
                ends.push(end(""));
            }
            ends.extend(parts.into_iter().map(end));
        }
        ends
    }

    fn nothing_fits(&self, pattern: &End) -> String {
        let fitting: Vec<&BodySpec> =
            self.bodies.iter().copied().filter(|body| fits(&pattern.body, &body.name)).collect();
        if fitting.is_empty() {
            let names: Vec<&str> = self.bodies.iter().map(|body| body.name.as_str()).collect();
            return format!("no body fits `{}`; bodies are {}", pattern.body, list_of(&names));
        }
        let parts: Vec<&str> = fitting.iter().flat_map(|body| parts_of(body)).collect();
        format!(
            "no surface fits `{pattern}`: a `*` after the colon stands for shapes and interface sets, and \
             there are {}; write out the name of another set",
            list_of(&parts)
        )
    }

    fn may_touch(&self, a: &End, b: &End, exclude: &[[PlacedEnd; 2]]) -> bool {
        let is_fixed = |end: &End| self.bodies.iter().any(|body| body.name == end.body && body.fixed);
        let named = |pattern: &End, end: &End| {
            fits(&pattern.body, &end.body) && (pattern.part.is_empty() || fits(&pattern.part, &end.part))
        };
        let is_excluded =
            |[(c, _), (d, _)]: &[PlacedEnd; 2]| named(c, a) && named(d, b) || named(c, b) && named(d, a);
        let joins = |joint: &Referring<JointSpec>| {
            let [c, d] = joint.spec.between.each_ref().map(|end| end.body.as_str());
            let ends = [a.body.as_str(), b.body.as_str()];
            joint.spec.excludes_contact() && (ends == [c, d] || ends == [d, c])
        };
        let is_apart = a.body == b.body || is_fixed(a) && is_fixed(b);
        !(is_apart || exclude.iter().any(is_excluded) || self.joints.iter().any(joins))
    }
}

/// Names of shapes and interface sets.
fn parts_of(body: &BodySpec) -> impl Iterator<Item = &str> {
    let shapes = body.shape.iter().map(|shape| shape.name.as_str());
    shapes.chain(body.reduce.iter().flat_map(|reduce| reduce.interface.iter().map(String::as_str)))
}

/// True if a name is the pattern with letters in place of each `*`.
fn fits(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((head, rest)) => name.strip_prefix(head).is_some_and(|name| {
            let ends = name.char_indices().map(|(i, _)| i).chain([name.len()]);
            ends.into_iter().any(|i| fits(rest, &name[i..]))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_letters() {
        for (pattern, name, expected) in [
            ("ball", "ball", true),
            ("ball*", "ball", true),
            ("ball*", "ball12", true),
            ("*all", "ball", true),
            ("b*l*2", "ball12", true),
            ("b*l*2", "ball13", false),
            ("ball", "ball1", false),
            ("*", "", true),
            ("*a*", "äa", true),
        ] {
            assert_eq!(fits(pattern, name), expected, "{pattern} {name}");
        }
    }
}
