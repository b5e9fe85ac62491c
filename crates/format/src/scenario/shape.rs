//! The tables `[[body.shape]]` and `mass_properties` of rigid bodies.

use super::decode::{Interval, Table};
use super::model::{MassSpec, ShapeKind, ShapeSpec};

#[derive(Clone, Copy)]
enum Kind {
    Points,
    Ball,
    Cavity,
    Block,
    Room,
    Plane,
}

const KINDS: [(&str, Kind); 6] = [
    ("points", Kind::Points),
    ("ball", Kind::Ball),
    ("cavity", Kind::Cavity),
    ("block", Kind::Block),
    ("room", Kind::Room),
    ("plane", Kind::Plane),
];

pub(super) fn mass_properties(table: Table<'_>) -> Option<MassSpec> {
    for (key, why) in [
        ("mass", "the mass in kg"),
        ("inertia", "Ixx, Iyy, Izz about the centre of mass in kg m², source axes"),
    ] {
        if !table.has(key) {
            table.missing(key, why);
        }
    }
    let mass = table.number("mass", Interval::Positive);
    let inertia = table.vector("inertia");
    if inertia.is_some_and(|moments| moments.iter().any(|&moment| moment <= 0.0)) {
        table.conflict("inertia", "moments of inertia are above 0");
    }
    let products = table.vector("products").unwrap_or_default();
    let center = table.vector("center").unwrap_or_default();
    table.finish();
    Some(MassSpec { mass: mass?, inertia: inertia?, products, center })
}

pub(super) fn shape(table: Table<'_>) -> Option<ShapeSpec> {
    if !table.has("name") {
        table.missing("name", "contacts refer to shapes by their names");
    }
    if !table.has("kind") {
        table.missing("kind", "`points`, `ball`, `cavity`, `block`, `room` or `plane`");
    }
    let name = table.text("name");
    let kind = table.choice("kind", &KINDS).and_then(|kind| sizes(&table, kind));
    if kind.is_some() || !table.has("kind") {
        table.finish();
    }
    Some(ShapeSpec { name: name?, kind: kind? })
}

fn sizes(table: &Table<'_>, kind: Kind) -> Option<ShapeKind> {
    let needed = |key: &str, why: &'static str| {
        if !table.has(key) {
            table.missing(key, why);
        }
    };
    let center = || table.vector("center").unwrap_or_default();
    let radius = || {
        needed("radius", "the radius in metres");
        table.number("radius", Interval::Positive)
    };
    let size = || {
        needed("size", "three edge lengths in metres");
        let size = table.vector("size")?;
        if size.iter().any(|&length| length <= 0.0) {
            table.conflict("size", "`size` must be three lengths above 0");
        }
        Some(size)
    };
    Some(match kind {
        Kind::Points => {
            needed("points", "a list of points in source coordinates, three numbers each");
            let points = table.vectors("points")?;
            if points.is_empty() {
                table.conflict("points", "a shape has at least one point");
            }
            let radius = table.number("radius", Interval::NotNegative).unwrap_or(0.0);
            ShapeKind::Points { points, radius }
        }
        Kind::Ball => ShapeKind::Ball { center: center(), radius: radius()? },
        Kind::Cavity => ShapeKind::Cavity { center: center(), radius: radius()? },
        Kind::Block => ShapeKind::Block { center: center(), size: size()? },
        Kind::Room => ShapeKind::Room { center: center(), size: size()? },
        Kind::Plane => {
            needed("normal", "the direction into the free side, such as [0.0, 0.0, 1.0]");
            let point = table.vector("point").unwrap_or_default();
            let normal = table.vector("normal")?;
            if normal == [0.0; 3] {
                table.conflict("normal", "`normal` must not be zero");
            }
            ShapeKind::Plane { point, normal }
        }
    })
}
