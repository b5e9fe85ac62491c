use nalgebra::{Rotation3, Unit};

use super::*;
use crate::shape::Edge;

const LIMITS: EdgeLimits = EdgeLimits { reach: 0.01, depth: 0.05 };

/// The points of a block and its edges, of which each is divided in two.
fn block(size: [f64; 3], body: u32, place: impl Fn(Vector3<f64>) -> Vector3<f64>) -> Points {
    let mut made = Points::default();
    for edge in Edge::of_block(Vector3::zeros(), size.into()) {
        let mut add = |x: Vector3<f64>| {
            made.places.push(place(x));
            made.places.len() as u32 - 1
        };
        let ends = [-1.0, 0.0, 1.0].map(|at| add(edge.center + at * edge.half));
        // Triangles on the faces, with two corners on the edge.
        let [first, second] = edge.normals;
        let faces = [(first, second), (second, first)].map(|(normal, other)| {
            let t = -normal.cross(&edge.half).dot(&other).signum() * edge.half;
            [edge.center, edge.center + t, edge.center + normal.cross(&t)].map(&mut add)
        });
        for k in 0..2 {
            made.edges.push(SurfaceEdge {
                ends: [ends[k], ends[k + 1]],
                goes_on: [k == 1, k == 0],
                body,
                kind: EdgeKind::Sharp(faces),
            });
        }
    }
    made
}

#[derive(Default)]
struct Points {
    places: Vec<Vector3<f64>>,
    edges: Vec<SurfaceEdge>,
}

fn turned(axis: Vector3<f64>, degrees: f64, shift: Vector3<f64>) -> impl Fn(Vector3<f64>) -> Vector3<f64> {
    let rotation = Rotation3::from_axis_angle(&Unit::new_normalize(axis), degrees.to_radians());
    move |x| rotation * x + shift
}

/// Bars on their edges that cross: one row, with the gap along z, whatever the side from which it is seen.
#[test]
fn bars_on_their_edges_have_one_row() {
    let lower = block([1.0, 0.2, 0.2], 0, turned(Vector3::x(), 45.0, Vector3::zeros()));
    for gap in [2e-3, 0.0, -1e-3] {
        let place = Vector3::new(0.13, -0.07, 0.2 * 2.0_f64.sqrt() + gap);
        let upper = block([0.2, 1.0, 0.2], 1, turned(Vector3::y(), 45.0, place));
        let (a, b) = (&upper.places[..], &lower.places[..]);
        let mut rows = EdgeToEdge::new([upper.edges.clone(), lower.edges.clone()], LIMITS);
        let found = rows.update([a, b], [a, b]).to_vec();
        assert_eq!(found.len(), 1, "{found:?}");
        let EdgeRow { normal, gap: ahead, gap_now, at, edges } = found[0];
        assert!((normal - Vector3::z()).norm() < 1e-15, "{normal}");
        assert!((ahead - gap).abs() < 1e-15 && (gap_now - gap).abs() < 1e-15, "{ahead} {gap_now}");
        let on = |points: &Points, edge: u32, at: f64| {
            let [a, b] = points.edges[edge as usize].ends.map(|k| points.places[k as usize]);
            a + at * (b - a)
        };
        let apart = on(&upper, edges[0], at[0]) - on(&lower, edges[1], at[1]);
        assert!((apart - gap * normal).norm() < 1e-15, "{apart}");
        let mut back = EdgeToEdge::new([lower.edges.clone(), upper.edges.clone()], LIMITS);
        let found = back.update([b, a], [b, a]);
        assert!(found.len() == 1 && (found[0].normal + normal).norm() < 1e-15, "{found:?}");
        // All edges in one list.
        let n = upper.places.len() as u32;
        let all = [upper.places.clone(), lower.places.clone()].concat();
        let moved = lower.edges.iter().map(|&edge| {
            let mut moved = edge;
            moved.renumber(|k| k + n);
            moved
        });
        let edges: Vec<SurfaceEdge> = upper.edges.iter().copied().chain(moved).collect();
        let mut within = EdgeToEdge::within(edges.clone(), LIMITS, Vec::new(), &all);
        assert_eq!(within.update([&all, &all], [&all, &all]).len(), 1);
        // Parts of one body: at rest they are in front of each other, or one in the other.
        let one: Vec<SurfaceEdge> = edges.iter().map(|edge| SurfaceEdge { body: 0, ..*edge }).collect();
        let mut within = EdgeToEdge::within(one, LIMITS, Vec::new(), &all);
        let n = within.update([&all, &all], [&all, &all]).len();
        assert!(gap == 0.0 || n == usize::from(gap > 0.0), "{gap}: {n}");
    }
}

/// The places of a row are those of the start of the step, where the forces have no moment; its gap at the
/// end is that of the edges there.
#[test]
fn a_row_of_moving_edges_has_no_moment_and_the_gap_at_the_end() {
    let lower = block([1.0, 0.2, 0.2], 0, turned(Vector3::x(), 45.0, Vector3::zeros()));
    let height = 0.2 * 2.0_f64.sqrt();
    let at = |time: f64| {
        let turn = Rotation3::from_axis_angle(&Vector3::z_axis(), 0.1 * time);
        let place = Vector3::new(0.13 + 0.02 * time, -0.07, height + 2e-3 - 5e-3 * time);
        block([0.2, 1.0, 0.2], 1, move |x| turn * turned(Vector3::y(), 45.0, Vector3::zeros())(x) + place)
    };
    let [start, end] = [at(0.0), at(1.0)];
    let mut rows = EdgeToEdge::new([start.edges.clone(), lower.edges.clone()], LIMITS);
    let b = &lower.places[..];
    let row = rows.update([&start.places, b], [&end.places, b])[0];
    let mut alone = EdgeToEdge::new([end.edges.clone(), lower.edges.clone()], LIMITS);
    let there = alone.update([&end.places, b], [&end.places, b])[0];
    assert!((row.gap - there.gap).abs() < 1e-15 && (row.gap + 3e-3).abs() < 1e-12, "{row:?} {there:?}");
    let on = |points: &[Vector3<f64>], edge: &SurfaceEdge, at: f64| {
        let [a, b] = edge.ends.map(|k| points[k as usize]);
        a + at * (b - a)
    };
    let apart = on(&start.places, rows.edge(&row, 0), row.at[0]) - on(b, rows.edge(&row, 1), row.at[1]);
    assert!(apart.cross(&row.normal).norm() < 1e-15, "{apart}");
}

/// Round edges: the distance of the axes less both radii, also beyond the ends and for parallel ones.
#[test]
fn round_edges_have_the_distance_of_segments() {
    let round = |ends: [u32; 2], body: u32, radius: f64| SurfaceEdge {
        ends,
        goes_on: [false; 2],
        body,
        kind: EdgeKind::Round(radius),
    };
    let points = |x: [[f64; 3]; 2]| x.map(Vector3::from).to_vec();
    let first = points([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]);
    let limits = EdgeLimits { reach: 1.0, depth: 0.1 };
    let mut rows = EdgeToEdge::new([vec![round([0, 1], 0, 0.1)], vec![round([0, 1], 1, 0.05)]], limits);
    for (second, distance, at) in [
        ([[0.3, -0.5, -0.4], [0.3, 0.7, -0.4]], 0.4, [0.3, 0.5 / 1.2]),
        ([[1.3, 0.4, 0.0], [1.3, 0.9, 0.0]], 0.5, [1.0, 0.0]),
        ([[0.0, 0.0, 0.3], [1.0, 0.0, 0.3]], 0.3, [0.5, 0.5]),
    ] {
        let second = points(second);
        let found = rows.update([&first, &second], [&first, &second])[0];
        assert!((found.gap_now - (distance - 0.15)).abs() < 1e-15, "{found:?}");
        assert!((0..2).all(|k| (found.at[k] - at[k]).abs() < 1e-15), "{found:?}");
    }
    // A step that passes through keeps the side of its start.
    let [above, below] = [0.2, -0.5].map(|z| points([[0.3, -0.5, z], [0.3, 0.7, z]]));
    let found = rows.update([&first, &above], [&first, &below])[0];
    assert!((found.normal + Vector3::z()).norm() < 1e-15 && (found.gap + 0.65).abs() < 1e-15, "{found:?}");
}

/// Blocks that lie flat on each other, or stand beside each other, have no rows but those of their rims.
#[test]
fn flat_edges_and_edges_of_the_same_body_have_no_rows() {
    let lower = block([0.4, 0.3, 0.2], 0, |x| x);
    for place in [[0.0, 0.0, 0.2], [0.6, 0.0, 0.199], [0.5, 0.4, 0.0]] {
        let upper = block([0.4, 0.3, 0.2], 1, |x| x + Vector3::from(place));
        let (a, b) = (&upper.places[..], &lower.places[..]);
        let mut rows = EdgeToEdge::new([upper.edges.clone(), lower.edges.clone()], LIMITS);
        assert!(rows.update([a, b], [a, b]).is_empty(), "{place:?}: {:?}", rows.rows);
    }
    let own = lower.places.clone();
    let mut rows = EdgeToEdge::within(lower.edges, LIMITS, Vec::new(), &own);
    assert!(rows.update([&own, &own], [&own, &own]).is_empty());
}

/// A rim with one known face is the edge of a block if its other face is at a right angle.
#[test]
fn a_rim_touches_like_the_edge_of_a_block() {
    let lower = block([1.0, 0.2, 0.2], 0, turned(Vector3::x(), 45.0, Vector3::zeros()));
    let place = Vector3::new(0.13, -0.07, 0.2 * 2.0_f64.sqrt() - 1e-3);
    let upper = block([0.2, 1.0, 0.2], 1, turned(Vector3::y(), 45.0, place));
    let (a, b) = (&upper.places[..], &lower.places[..]);
    let whole = EdgeToEdge::new([upper.edges.clone(), lower.edges.clone()], LIMITS).update([a, b], [a, b])[0];
    for side in 0..2 {
        // Either face of an edge stands for both; the first two corners of its triangle are on the edge.
        let rim = |edge: &SurfaceEdge| {
            let EdgeKind::Sharp(faces) = edge.kind else { unreachable!() };
            SurfaceEdge { kind: EdgeKind::Rim(faces[side]), ..*edge }
        };
        let rims = [&upper, &lower].map(|of| of.edges.iter().map(rim).collect::<Vec<_>>());
        let mut rows = EdgeToEdge::new(rims, LIMITS);
        let found = rows.update([a, b], [a, b]).iter().find(|row| row.edges == whole.edges).copied();
        let found = found.unwrap();
        assert!((found.normal - whole.normal).norm() < 1e-15, "{side}: {found:?}");
        assert!((found.gap - whole.gap).abs() < 1e-15, "{side}: {found:?}");
    }
}

/// A wire bent to a hairpin touches itself where its legs meet, and nowhere along them, however short its
/// beams are.
#[test]
fn a_bent_wire_touches_itself_where_its_legs_meet() {
    const N: u32 = 60;
    let (radius, spacing) = (0.05, 0.025);
    // Two legs about half a circle, and a straight wire.
    let bend = 0.5 * spacing * f64::from(N) / 3.0 / std::f64::consts::FRAC_PI_2;
    let hairpin = |k: u32| {
        let s = spacing * (f64::from(k) - 0.5 * f64::from(N));
        let half = bend * std::f64::consts::FRAC_PI_2;
        let angle = (s / bend).clamp(-std::f64::consts::FRAC_PI_2, std::f64::consts::FRAC_PI_2);
        // The second leg is at an angle to the first one, out of the plane, so that they cross.
        let out = (s.abs() - half).max(0.0);
        let side = s.signum();
        let x = bend * angle.cos() - out;
        Vector3::new(x, side * (bend * angle.sin().abs() - 0.6 * out), 0.053 * (s / half).clamp(-1.0, 1.0))
    };
    let points: Vec<Vector3<f64>> = (0..=N).map(hairpin).collect();
    let straight: Vec<Vector3<f64>> =
        (0..=N).map(|k| Vector3::new(spacing * f64::from(k), 0.0, 0.0)).collect();
    let mut places = SurfaceEdges::default();
    let beams: Vec<([u32; 2], f64)> = (0..N).map(|k| ([k, k + 1], radius)).collect();
    places.add_beams(&beams, 0);
    let groups: Vec<[u32; 2]> = (0..N).map(|k| [k, k + 1]).collect();
    let limits = EdgeLimits { reach: 0.01, depth: 0.01 };
    let neighbours = places.neighbours(groups.iter().map(|ends| &ends[..]), &straight);
    let mut rows = EdgeToEdge::within(places.edges.clone(), limits, neighbours, &places.places.at(&straight));
    let at = places.places.at(&straight);
    assert!(rows.update([&at, &at], [&at, &at]).is_empty(), "{:?}", rows.rows);
    let at = places.places.at(&points);
    let found = rows.update([&at, &at], [&at, &at]);
    let is_between_legs = |row: &EdgeRow| row.edges[0] < N / 3 && row.edges[1] >= 2 * N / 3;
    assert!(!found.is_empty() && found.iter().all(is_between_legs), "{found:?}");
}

/// Neighbours along a wire depend on its own radius: a thick beam of its body, far away, changes nothing.
#[test]
fn a_thick_beam_leaves_the_neighbours_of_a_thin_wire() {
    const N: u32 = 40;
    let (radius, spacing) = (0.048, 0.025);
    let wire = |k: u32| Vector3::new(spacing * f64::from(k), 0.0, 0.0);
    let points: Vec<Vector3<f64>> =
        (0..=N).map(wire).chain([5.0, 6.0].map(|z| Vector3::new(0.0, 0.0, z))).collect();
    let groups: Vec<[u32; 2]> = (0..N).map(|k| [k, k + 1]).chain([[N + 1, N + 2]]).collect();
    let beams = groups.iter().map(|&ends| (ends, if ends[0] < N { radius } else { 2.0 }));
    let mut edges = SurfaceEdges::default();
    edges.add_beams(&beams.collect::<Vec<_>>(), 0);
    let found = edges.neighbours(groups.iter().map(|ends| &ends[..]), &points);
    // Between edges i and j lie j − i − 1 spacings, at most 1.25 · 2 · 0.048 m = 4.8 spacings.
    let expected: Vec<[u32; 2]> =
        (0..N).flat_map(|i| (i + 1..N).take_while(move |j| j - i <= 5).map(move |j| [i, j])).collect();
    assert_eq!(found, expected);
}

/// An edge of half a unit along an axis between two faces of a sheet, which fall by `drop` on both sides.
fn fold(body: u32, [along, across]: [Vector3<f64>; 2], drop: Vector3<f64>, shift: Vector3<f64>) -> Points {
    let ends = [-0.2 * along, 0.3 * along];
    let sides = [1.0, -1.0].map(|side| ends.map(|end| end + side * across + drop));
    let places = [&ends[..], sides.as_flattened()].concat().iter().map(|x| x + shift).collect();
    let kind = EdgeKind::Fold(0.01, [[2, 3], [4, 5]]);
    Points { places, edges: vec![SurfaceEdge { ends: [0, 1], goes_on: [false; 2], body, kind }] }
}

/// Ridges that face each other have a row, valleys and flat sheets have none: there nodes meet faces.
#[test]
fn folds_touch_where_both_sheets_bend_away() {
    let [x, y, z]: [Vector3<f64>; 3] = [Vector3::x(), Vector3::y(), Vector3::z()];
    for side in [1.0, -1.0] {
        for [a, b] in [[0.2, 0.1], [0.2, 0.0], [0.0, 0.2], [0.2, -0.2], [-0.2, 0.2], [-0.2, -0.2]] {
            let height = side * (0.02 + 1e-3) * z;
            let upper = fold(0, [x, y], side * a * z, height);
            let lower = fold(1, [y, x], -side * b * z, Vector3::zeros());
            let (u, v) = (&upper.places[..], &lower.places[..]);
            let mut rows = EdgeToEdge::new([upper.edges.clone(), lower.edges.clone()], LIMITS);
            let found = rows.update([u, v], [u, v]);
            assert_eq!(found.len(), usize::from(a > 0.0 && b > 0.0), "{side} {a} {b}: {found:?}");
            for row in found {
                assert!((row.normal - side * z).norm() < 1e-15 && (row.gap - 1e-3).abs() < 1e-15, "{row:?}");
                assert!((row.at[0] - 0.4).abs() < 1e-15 && (row.at[1] - 0.4).abs() < 1e-15, "{row:?}");
            }
        }
    }
}

/// The same edge of a sheet at rest becomes a ridge as its faces bend: the present positions decide.
#[test]
fn a_flat_sheet_that_folds_gets_rows() {
    let [x, y, z]: [Vector3<f64>; 3] = [Vector3::x(), Vector3::y(), Vector3::z()];
    let roof = |bend: f64| fold(0, [x, y], bend * z, (0.02 + 1e-3) * z);
    let lower = fold(1, [y, x], -0.2 * z, Vector3::zeros());
    let mut rows = EdgeToEdge::new([roof(0.0).edges, lower.edges.clone()], LIMITS);
    let counts = [0.0, 5e-4, 2e-3, 0.3, 0.0].map(|bend| {
        let places = roof(bend).places;
        rows.update([&places, &lower.places], [&places, &lower.places]).len()
    });
    // Faces that bend by less than a thousandth are flat.
    assert_eq!(counts, [0, 0, 1, 1, 0]);
}
