//! The tables `[[joint]]`: those of kinds that couple other joints, read with their defaults.

use std::ops::Range;

use super::decode::{Interval, Problems, Table, list_of};
use super::functions::Run;
use super::joints::{JOINTS, joint};
use super::model::{
    CouplingKind, CouplingSpec, Found, JointCoordinate, JointKind, JointSpec, JointTable, Relation,
};
use super::problem::ProblemKind;
use super::sections::Referring;
use super::suggest::nearest;

/// Joints that a coupler may name.
const MOST: usize = 3;

/// All tables `[[joint]]`.
#[derive(Default)]
pub(super) struct Joints {
    /// Joints between two ends.
    pub(super) joints: Vec<Referring<JointSpec>>,
    /// Couplings.
    pub(super) couplings: Vec<PlacedCoupling>,
    /// For each table in the order of the file, whether it is a coupling.
    order: Vec<bool>,
}

/// A coupling, with the places of its names of joints.
pub(super) struct PlacedCoupling {
    pub(super) spec: CouplingSpec,
    pub(super) span: Range<usize>,
    pub(super) context: String,
    joints: Vec<Range<usize>>,
    /// Coordinates that a coupler names.
    coordinates: Option<Vec<(JointCoordinate, Range<usize>)>>,
}

#[derive(Clone, Copy)]
enum Kind {
    Joint(JointKind),
    Coupling(CouplingKind),
}

/// Reads all tables.
pub(super) fn joints(tables: Vec<Table<'_>>, run: Run) -> Joints {
    let mut read = Joints::default();
    for table in tables {
        if !table.has("kind") {
            table.missing(
                "kind",
                "fixed, revolute, spherical, prismatic, cylindrical, universal, planar, distance, screw, \
                 gear, rack or coupler",
            );
        }
        let joints = JOINTS.map(|kind| (kind.name(), Kind::Joint(kind)));
        let couplings = CouplingKind::NAMES.map(|(name, kind)| (name, Kind::Coupling(kind)));
        let kinds: Vec<_> = joints.into_iter().chain(couplings).collect();
        match table.choice("kind", &kinds) {
            Some(Kind::Coupling(kind)) => {
                read.couplings.extend(coupling(table, kind).inspect(|_| read.order.push(true)));
            }
            Some(Kind::Joint(kind)) => {
                read.joints.extend(joint(table, Some(kind), run).inspect(|_| read.order.push(false)));
            }
            None => drop(joint(table, None, run)),
        }
    }
    read
}

fn coupling(table: Table<'_>, kind: CouplingKind) -> Option<PlacedCoupling> {
    let name = table.text("name");
    if !table.has("joints") {
        table.missing("joints", "the names of the joints that are coupled, `joints = [\"NAME\", \"NAME\"]`");
    }
    let joints = table.texts("joints");
    let n = joints.as_ref().map_or(0, Vec::len);
    let is_coupler = kind == CouplingKind::Coupler;
    let fits = if is_coupler { (2..=MOST).contains(&n) } else { n == 2 };
    if joints.is_some() && !fits {
        let expected = if is_coupler { "two or three joints" } else { "two joints" };
        table.conflict("joints", format!("a `{}` couples {expected}, `joints` names {n}", kind.name()));
    }
    if table.has("between") {
        let text = format!("a `{}` couples `joints`, which have the ends: remove `between`", kind.name());
        table.value("between");
        table.conflict("between", text);
    }
    let coordinates = table.texts("coordinates").map(|words| coordinates(&table, &words, n));
    if !is_coupler && coordinates.is_some() {
        table.conflict("coordinates", "`coordinates` belongs to `kind = \"coupler\"`");
    }
    let relation = relation(&table, kind, n);
    let (span, context) = (table.span_of("joints"), table.context.clone());
    table.finish();
    let (joints, spans) = joints?.into_iter().unzip();
    let spec = CouplingSpec { name, kind, joints, relation: relation? };
    fits.then_some(PlacedCoupling { spec, span, context, joints: spans, coordinates: coordinates.flatten() })
}

/// Coordinates that a coupler names, one for each of `n` joints.
fn coordinates(
    table: &Table<'_>,
    words: &[(String, Range<usize>)],
    n: usize,
) -> Option<Vec<(JointCoordinate, Range<usize>)>> {
    let names = JointCoordinate::NAMES.map(|(name, _)| name);
    let of = |(word, span): &(String, Range<usize>)| {
        let found = JointCoordinate::NAMES.iter().find(|(name, _)| name == word);
        if found.is_none() {
            let (suggestion, choices) = (nearest(word, names), list_of(&names));
            let (key, found) = ("coordinates".to_owned(), word.clone());
            table.problem(span, ProblemKind::UnknownChoice { key, found, suggestion, choices });
        }
        found.map(|(_, coordinate)| (*coordinate, span.clone()))
    };
    let all: Vec<_> = words.iter().map(of).collect();
    if words.len() != n {
        let text = format!("`coordinates` has {} entries for {n} joints: give one for each", words.len());
        table.conflict("coordinates", text);
        return None;
    }
    all.into_iter().collect()
}

/// The relation of a coupling of `n` joints; coordinates of a coupler follow from its joints.
fn relation(table: &Table<'_>, kind: CouplingKind, n: usize) -> Option<Relation> {
    const KEYS: [(&str, CouplingKind, &str); 3] = [
        ("ratio", CouplingKind::Gear, "angle of the second joint over that of the first, such as -2.0"),
        ("radius", CouplingKind::Rack, "shift of the second joint over the angle of the first, in m/rad"),
        (
            "factors",
            CouplingKind::Coupler,
            "a number for each joint: the sum of factor times coordinate is 0",
        ),
    ];
    for (key, of, why) in KEYS {
        if of == kind && !table.has(key) {
            table.missing(key, why);
        }
        if of != kind && table.has(key) {
            table.value(key);
            table.conflict(key, format!("`{key}` belongs to `kind = \"{}\"`", of.name()));
        }
    }
    let zero = |key: &str| table.conflict(key, format!("`{key}` must not be zero"));
    let number = |key| {
        table.number(key, Interval::Any).filter(|x| {
            *x != 0.0 || {
                zero(key);
                false
            }
        })
    };
    match kind {
        CouplingKind::Gear => number("ratio").map(|ratio| Relation::Ratio { ratio }),
        CouplingKind::Rack => number("radius").map(|radius| Relation::Radius { radius }),
        CouplingKind::Coupler => {
            let factors = table.numbers("factors")?;
            if factors.len() != n {
                let text =
                    format!("`factors` has {} numbers for {n} joints: give one for each", factors.len());
                table.conflict("factors", text);
                return None;
            }
            if factors.contains(&0.0) {
                zero("factors");
                return None;
            }
            Some(Relation::Sum { factors, coordinates: Vec::new() })
        }
    }
}

impl Joints {
    /// Reports couplings of joints that do not exist or have no such coordinate, and fills in the coordinates
    /// of couplers.
    pub(super) fn check(&mut self, problems: &Problems) {
        let titles: Vec<String> = self.joints.iter().map(|joint| joint.spec.title()).collect();
        let kinds: Vec<JointKind> = self.joints.iter().map(|joint| joint.spec.kind).collect();
        for coupling in &mut self.couplings {
            coupling.check(problems, &titles, &kinds);
        }
    }

    /// The tables in the order of the file.
    pub(super) fn tables(self) -> Vec<JointTable> {
        let mut joints = self.joints.into_iter().map(|joint| JointTable::Joint(Box::new(joint.spec)));
        let mut couplings = self.couplings.into_iter().map(|coupling| JointTable::Coupling(coupling.spec));
        let next = |is_coupling| if is_coupling { couplings.next() } else { joints.next() };
        self.order.into_iter().filter_map(next).collect()
    }
}

impl PlacedCoupling {
    fn check(&mut self, problems: &Problems, titles: &[String], kinds: &[JointKind]) {
        let mut seen: Vec<(usize, JointCoordinate)> = Vec::new();
        for k in 0..self.joints.len() {
            let Some(joint) = self.joint(k, problems, titles) else { continue };
            let Some(coordinate) = self.coordinate(k, kinds[joint], problems) else { continue };
            if seen.contains(&(joint, coordinate)) {
                let text = format!("`joints` names the {} of `{}` twice", coordinate.name(), titles[joint]);
                problems.add(&self.joints[k], &self.context, ProblemKind::Conflict(text));
            }
            seen.push((joint, coordinate));
        }
        if let Relation::Sum { coordinates, .. } = &mut self.spec.relation {
            *coordinates = seen.into_iter().map(|(_, coordinate)| coordinate).collect();
        }
    }

    /// Number of the joint that name k stands for.
    fn joint(&self, k: usize, problems: &Problems, titles: &[String]) -> Option<usize> {
        let wanted = &self.spec.joints[k];
        let kind = match Found::among(titles, wanted) {
            Found::One(joint) => return Some(joint),
            Found::Nothing => {
                let suggestion = nearest(wanted, titles.iter().map(String::as_str));
                let (name, known) = (wanted.clone(), list_of(titles));
                ProblemKind::UnknownName { kind: "joint", name, suggestion, known }
            }
            Found::Several(n) => ProblemKind::Conflict(format!(
                "{n} joints are called `{wanted}`: give the one that is meant a `name` of its own"
            )),
        };
        problems.add(&self.joints[k], &self.context, kind);
        None
    }

    /// The coordinate of joint k, which is of this kind.
    fn coordinate(&self, k: usize, kind: JointKind, problems: &Problems) -> Option<JointCoordinate> {
        let name = &self.spec.joints[k];
        let free = kind.coordinates();
        let (wanted, span) = match (self.spec.kind, &self.coordinates) {
            (CouplingKind::Gear, _) => (JointCoordinate::Angle, &self.joints[k]),
            (CouplingKind::Rack, _) => ([JointCoordinate::Angle, JointCoordinate::Shift][k], &self.joints[k]),
            (CouplingKind::Coupler, Some(named)) => (named[k].0, &named[k].1),
            (CouplingKind::Coupler, None) => match free {
                [one] => return Some(*one),
                _ => (JointCoordinate::Angle, &self.joints[k]),
            },
        };
        let is_open = self.spec.kind == CouplingKind::Coupler && self.coordinates.is_none();
        let text = if is_open && free.len() > 1 {
            format!(
                "joint `{name}` is `{}` and has a shift and an angle: name the coordinate of each joint, \
                 `coordinates = [\"angle\", \"shift\"]`",
                kind.name()
            )
        } else if free.contains(&wanted) {
            return Some(wanted);
        } else {
            format!(
                "joint `{name}` is `{}` and has no {}: an angle is that of a `revolute`, `cylindrical` or \
                 `screw` joint, a shift that of a `prismatic`, `cylindrical` or `screw` joint",
                kind.name(),
                wanted.name()
            )
        };
        problems.add(span, &self.context, ProblemKind::Conflict(text));
        None
    }
}
