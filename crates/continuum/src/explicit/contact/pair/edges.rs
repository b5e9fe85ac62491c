//! Rows of edges that cross edges: sharp ones of solids, rims of shells, beams.

use std::collections::BTreeMap;

use carom_contact::edge_to_edge::{EdgeKind, EdgeLimits, EdgeRow, EdgeToEdge, SurfaceEdge, surface_edges};
use carom_fem::{Discretisation, Section};
use carom_mesh::{CellRef, FaceRef};
use nalgebra::Vector3;

use super::overlap::Overlap;
use super::side::End;
use super::{Pair, SUDDEN, TURN, pose};
use crate::explicit::bodies::Bodies;
use crate::explicit::contact::KEPT;
use crate::explicit::contact::row::{RowStart, Rows};
use crate::explicit::contact::spring::Spring;
use crate::explicit::contact::wall;
use crate::explicit::problem::{BodyKind, BodySpec};
use crate::explicit::which::Which;

/// Side of a row of two edges; its node is the number of the first one.
pub(in crate::explicit::contact) const EDGES: usize = 2;

/// The edges of a side: the bodies and points, and the edges between these points.
#[derive(Clone)]
pub(super) struct EdgeSide {
    pub(super) end: End,
    pub(super) edges: Vec<SurfaceEdge>,
}

/// The edges of a pair and their contacts.
pub(in crate::explicit) struct Edges {
    /// The sides; the second is that of the first if all surfaces are one.
    ends: [End; 2],
    search: EdgeToEdge,
    /// Places of the points at t_n and t_{n+1} \[m\].
    now: [Vec<Vector3<f64>>; 2],
    ahead: [Vec<Vector3<f64>>; 2],
    /// The contacts of the last steps, by the numbers of both edges.
    states: BTreeMap<[u32; 2], Touch>,
}

/// The numbers of two edges that are kept from step to step.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Touch {
    pub(super) spring: Spring,
    /// Force of its multiplier, and the step in which it had it.
    pub(super) force: (f64, u64),
    /// The last step with a row.
    seen: u64,
    /// Overlap at the start, 0 once the edges have separated \[m\].
    offset: f64,
}

impl EdgeSide {
    /// The edges of a body.
    ///
    /// * `wanted` — faces whose edges are part of the side; all faces if none
    pub(super) fn new(
        body: &BodySpec,
        (number, which): (usize, Which),
        discretisation: &Discretisation,
        wanted: Option<&[FaceRef]>,
    ) -> Self {
        let mut faces = body.geometry.boundary_faces();
        let is_structural = discretisation.is_structural();
        if is_structural {
            // One face of a shell stands for both of its sides.
            faces.dedup_by_key(|face| face.cell());
        }
        let surface = discretisation.surface(&faces);
        let halves = match is_structural {
            true => wall::half_thickness(discretisation, &faces, &surface.points),
            false => Vec::new(),
        };
        let place = |k: &u32| Vector3::from(discretisation.points[*k as usize]);
        let mut places: Vec<Vector3<f64>> = surface.points.iter().map(place).collect();
        let is_same = |a: &FaceRef, b: &FaceRef| if is_structural { a.cell() == b.cell() } else { a == b };
        let is_wanted =
            |face: usize| wanted.is_none_or(|wanted| wanted.iter().any(|other| is_same(other, &faces[face])));
        let mut edges = surface_edges(&surface, &places, &halves, number as u32, is_wanted);
        let mut points = surface.points;
        if wanted.is_none() {
            for (ends, radius) in beams(discretisation) {
                let first = points.len() as u32;
                points.extend(ends);
                places.extend(ends.iter().map(place));
                edges.push(SurfaceEdge {
                    ends: [first, first + 1],
                    goes_on: [true; 2],
                    body: number as u32,
                    kind: EdgeKind::Round(radius),
                });
            }
        }
        let rest = match &body.kind {
            BodyKind::Rigid(rigid) => places.iter().map(|x| rigid.point_b(x)).collect(),
            BodyKind::Deformable { .. } | BodyKind::Reduced(_) => vec![Vector3::zeros(); points.len()],
        };
        Self { end: End { points, rest, ..End::empty(which) }, edges }
    }

    /// A side without edges.
    pub(super) fn empty(which: Which) -> Self {
        Self { end: End::empty(which), edges: Vec::new() }
    }

    /// Adds the edges of another body.
    pub(super) fn append(&mut self, other: Self) {
        let first = self.end.points.len() as u32;
        let moved = |edge: SurfaceEdge| SurfaceEdge {
            ends: edge.ends.map(|k| k + first),
            kind: match edge.kind {
                EdgeKind::Sharp(faces) => EdgeKind::Sharp(faces.map(|face| face.map(|k| k + first))),
                round @ EdgeKind::Round(_) => round,
            },
            ..edge
        };
        self.edges.extend(other.edges.into_iter().map(moved));
        self.end.append(other.end);
    }
}

/// The beams of a body: the points of their ends, and the radius of the circle of the same area \[m\].
pub(super) fn beams(discretisation: &Discretisation) -> Vec<([u32; 2], f64)> {
    let mut all = Vec::new();
    for (number, block) in discretisation.blocks.iter().enumerate() {
        let Some(Section::Beam(beam)) = block.section else { continue };
        let radius = (beam.area / std::f64::consts::PI).sqrt();
        for cell in 0..block.n_cells() {
            let cell = CellRef { block: number as u32, cell: cell as u32 };
            if let [a, b, ..] = discretisation.points_of(discretisation.basis(cell))[..] {
                all.push(([a, b], radius));
            }
        }
    }
    all
}

impl Edges {
    /// The edges of two sides, none if one has no edges.
    pub(super) fn between(sides: [EdgeSide; 2], limits: EdgeLimits) -> Option<Self> {
        if sides.iter().any(|side| side.edges.is_empty()) {
            return None;
        }
        let [a, b] = sides;
        Some(Self::with([a.end, b.end], EdgeToEdge::new([a.edges, b.edges], limits)))
    }

    /// The edges of all bodies.
    pub(super) fn within(side: EdgeSide, limits: EdgeLimits) -> Option<Self> {
        let faced = side.end.clone();
        (!side.edges.is_empty())
            .then(|| Self::with([side.end, faced], EdgeToEdge::within(side.edges, limits)))
    }

    fn with(ends: [End; 2], search: EdgeToEdge) -> Self {
        let places = || [0, 1].map(|k: usize| vec![Vector3::zeros(); ends[k].points.len()]);
        let (now, ahead) = (places(), places());
        Self { ends, search, now, ahead, states: BTreeMap::new() }
    }

    /// Forgets the contacts that have ended.
    pub(super) fn begin(&mut self, step: u64) {
        self.states.retain(|_, touch| touch.offset > 0.0 || touch.seen + Spring::MEMORY >= step);
    }

    /// The state of two edges.
    pub(super) fn touch(&mut self, edges: [u32; 2]) -> &mut Touch {
        self.states.entry(edges).or_default()
    }

    /// The keys, and the steps in which the edges were last seen, for checkpoints.
    pub(in crate::explicit) fn keys(&self) -> Vec<u64> {
        let key = |(edges, touch): (&[u32; 2], &Touch)| [edges[0].into(), edges[1].into(), touch.seen];
        self.states.iter().flat_map(key).collect()
    }

    /// Numbers of each contact in [`Edges::numbers`].
    pub(in crate::explicit) const NUMBERS: usize = Spring::NUMBERS + 2;

    /// The other numbers of the contacts in the last step, for checkpoints.
    pub(in crate::explicit) fn numbers(&self, step: u64) -> Vec<f64> {
        let numbers = |touch: &Touch| {
            let force = if touch.force.1 == step { touch.force.0 } else { 0.0 };
            touch.spring.to_array().into_iter().chain([force, touch.offset])
        };
        self.states.values().flat_map(numbers).collect()
    }

    /// Sets the contacts from a checkpoint.
    pub(in crate::explicit) fn read(&mut self, keys: &[u64], numbers: &[f64], step: u64) {
        let touch = |numbers: &[f64; Self::NUMBERS], seen: u64| {
            let [a, b, c, d, force, offset] = *numbers;
            Touch { spring: Spring::from_array(&[a, b, c, d]), force: (force, step), seen, offset }
        };
        let all = keys.as_chunks::<3>().0.iter().zip(numbers.as_chunks().0);
        self.states = all.map(|(&[i, j, seen], own)| ([i as u32, j as u32], touch(own, seen))).collect();
    }
}

/// Places of the points of a side at t_n, or at the end of a step without contact.
fn place(end: &End, bodies: &Bodies, ahead: Option<f64>, places: &mut [Vector3<f64>]) {
    for (which, range) in end.ranges() {
        let places = &mut places[range.clone()];
        match which {
            Which::Rigid(body) => {
                let pose = pose(bodies, body, ahead.is_some());
                places.iter_mut().zip(&end.rest[range]).for_each(|(place, x)| *place = pose.point(x));
            }
            Which::Flexible(body) => {
                let (body, dt) = (&bodies.flexible[body], ahead.unwrap_or(0.0));
                for (place, &point) in places.iter_mut().zip(&end.points[range]) {
                    *place = body.place(point) + dt * body.velocities(point)[1];
                }
            }
        }
    }
}

impl Pair {
    /// Adds the rows of edges that are near each other.
    ///
    /// * `number` — of the pair in its list
    /// * `dt` — length of the step \[s\]
    pub(super) fn add_edge_rows(&mut self, number: usize, bodies: &Bodies, dt: f64, rows: &mut Rows) {
        let Some(mut edges) = self.edges.take() else { return };
        let ahead = self.is_hard().then_some(dt);
        for side in 0..2 {
            place(&edges.ends[side], bodies, None, &mut edges.now[side]);
            place(&edges.ends[side], bodies, ahead, &mut edges.ahead[side]);
        }
        let ([a, b], [c, d]) = (&edges.now, &edges.ahead);
        let n = edges.search.update([a, b], [c, d]).len();
        for k in 0..n {
            let found = edges.search.rows()[k];
            self.add_edge_row(number, &mut edges, &found, (bodies, dt), rows);
        }
        self.edges = Some(edges);
    }

    fn add_edge_row(
        &mut self,
        number: usize,
        edges: &mut Edges,
        found: &EdgeRow,
        (bodies, dt): (&Bodies, f64),
        rows: &mut Rows,
    ) {
        let own = [0, 1].map(|side| edges.search.edge(found, side).ends);
        let which = [0, 1].map(|side| edges.ends[side].which(Some(own[side][0])));
        if which.iter().all(|which| matches!(which, Which::Rigid(_))) {
            return;
        }
        let weights = found.at.map(|at| [1.0 - at, at]);
        let sum = |side: usize, of: &dyn Fn(u32) -> Vector3<f64>| -> Vector3<f64> {
            (0..2).map(|end| weights[side][end] * of(own[side][end])).sum()
        };
        // A force on a rigid body acts at the place on the deformable one.
        let side = usize::from(matches!(which[0], Which::Rigid(_)));
        let place = sum(side, &|k| edges.now[side][k as usize]);
        let velocity = |side: usize| match (which[side], &bodies.rigid) {
            (Which::Rigid(body), Some(rigid)) => rigid.velocity_ahead(body, &place),
            (Which::Rigid(_), None) => Vector3::zeros(),
            (Which::Flexible(body), _) => {
                sum(side, &|k| bodies.flexible[body].velocities(edges.ends[side].points[k as usize])[1])
            }
        };
        let (relative, normal) = (velocity(0) - velocity(1), found.normal);
        let slip = dt * (relative - normal * normal.dot(&relative));
        let (step, size, gap_now) = (self.step, self.size, found.gap_now);
        let known = edges.states.get(&found.edges).copied().unwrap_or_default();
        let begins = step == 1 && self.is_deep(gap_now);
        let offset = if begins { -gap_now } else { known.offset };
        // Edges that are suddenly deep behind each other belong to sides that have not met there.
        let is_sudden = -(gap_now + offset) > f64::max(SUDDEN * size, TURN * slip.norm());
        if is_sudden && step > 1 && known.seen + 1 < step {
            return;
        }
        let touch = edges.touch(found.edges);
        touch.seen = step;
        touch.offset = if gap_now < 0.0 { offset } else { 0.0 };
        if begins {
            self.note_edges(Overlap { depth: -gap_now, bodies: which, n_nodes: 0 });
        }
        let is_ahead = self.is_hard();
        rows.begin(RowStart {
            pair: number as u32,
            side: EDGES,
            node: found.edges[0],
            other: found.edges[1],
            bodies: which.map(|which| bodies.number(which) as u32),
            normal,
            place,
            gap_now,
            gap: if is_ahead { found.gap } else { gap_now } + offset,
            least: KEPT * (gap_now + offset).min(0.0),
            slip,
        });
        for (end, sign) in [(0, 1.0), (1, -1.0)] {
            match which[end] {
                Which::Rigid(body) => {
                    let com = bodies.rigid.as_ref().map_or(place, |rigid| rigid.now(body).position);
                    rows.add_rigid(bodies, body, end, place - com);
                }
                Which::Flexible(body) => {
                    for k in 0..2 {
                        let point = edges.ends[end].points[own[end][k] as usize];
                        rows.add_point(bodies, (body, end), point, sign * weights[end][k]);
                    }
                }
            }
        }
    }

    /// Notes an overlap of edges at the start, which counts as one node.
    fn note_edges(&mut self, found: Overlap) {
        let n_nodes = 1 + self.overlap.map_or(0, |known| known.n_nodes);
        let known = self.overlap.filter(|known| known.depth >= found.depth);
        self.overlap = Some(Overlap { n_nodes, ..known.unwrap_or(found) });
    }
}
