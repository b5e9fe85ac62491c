//! Rows of edges that cross edges: sharp ones of solids, rims of shells, beams.

use std::collections::BTreeMap;

use carom_contact::Block;
use carom_contact::edge_to_edge::{
    EdgeKind, EdgeLimits, EdgeRow, EdgeToEdge, EdgesOf, Places, SurfaceEdge, SurfaceEdges,
};
use carom_fem::{Discretisation, Section};
use carom_mesh::{CellRef, FaceRef};
use nalgebra::Vector3;

use super::overlap::Overlap;
use super::rows::length;
use super::side::End;
use super::{Pair, SUDDEN, TURN, pose};
use crate::explicit::bodies::Bodies;
use crate::explicit::contact::KEPT;
use crate::explicit::contact::row::{RowStart, Rows};
use crate::explicit::contact::spring::Spring;
use crate::explicit::contact::wall;
use crate::explicit::problem::{BodyKind, BodySpec};
use crate::explicit::reduced::Reduced;
use crate::explicit::which::Which;

/// Side of a row of two edges; its node is the number of the first one.
pub(in crate::explicit::contact) const EDGES: usize = 2;

/// The parts of a body whose edges are wanted.
#[derive(Debug, Clone, Copy)]
pub(super) enum Wanted<'a> {
    /// All outer faces and all beams.
    All,
    /// Edges of these faces.
    Faces(&'a [FaceRef]),
    /// These beams.
    Beams(&'a [CellRef]),
}

/// The edges of a side: the bodies and their points, the places of edges over these points, and the edges
/// between these places.
#[derive(Clone)]
pub(super) struct EdgeSide {
    pub(super) end: End,
    pub(super) edges: SurfaceEdges,
    /// Pairs of edges of one body that are neighbours, ascending.
    neighbours: Vec<[u32; 2]>,
}

/// The edges of a pair and their contacts.
pub(in crate::explicit) struct Edges {
    /// The sides; the second is that of the first if all surfaces are one.
    ends: [End; 2],
    /// Places of edges over the points.
    places: [Places; 2],
    search: EdgeToEdge,
    /// Positions of the points, and of the places at t_n and t_{n+1} \[m\].
    points: [Vec<Vector3<f64>>; 2],
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
    /// * `wanted` — the faces or beams whose edges are part of the side
    pub(super) fn new(
        body: &BodySpec,
        (number, which): (usize, Which),
        discretisation: &Discretisation,
        wanted: Wanted<'_>,
    ) -> Self {
        let mut faces = match wanted {
            Wanted::Beams(_) => Vec::new(),
            Wanted::All | Wanted::Faces(_) => body.geometry.boundary_faces(),
        };
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
        let mut reference: Vec<Vector3<f64>> = surface.points.iter().map(place).collect();
        let is_same = |a: &FaceRef, b: &FaceRef| if is_structural { a.cell() == b.cell() } else { a == b };
        let is_wanted = |face: usize| match wanted {
            Wanted::Faces(wanted) => wanted.iter().any(|other| is_same(other, &faces[face])),
            Wanted::All | Wanted::Beams(_) => true,
        };
        let of = EdgesOf {
            surface: &surface,
            reference: &reference,
            halves: &halves,
            rims: &[],
            body: number as u32,
        };
        let mut edges = of.find(is_wanted);
        let mut groups: Vec<Vec<u32>> = surface.faces.iter().map(|face| face.points.clone()).collect();
        let mut points = surface.points;
        let mut beams = match wanted {
            Wanted::All => beams(discretisation, None),
            Wanted::Beams(cells) => beams(discretisation, Some(cells)),
            Wanted::Faces(_) => Vec::new(),
        };
        if !beams.is_empty() {
            let mut numbers: BTreeMap<u32, u32> = (0..).zip(&points).map(|(k, &id)| (id, k)).collect();
            for (ends, _) in &mut beams {
                for end in ends.iter_mut() {
                    let id = *end;
                    *end = *numbers.entry(id).or_insert_with(|| {
                        points.push(id);
                        reference.push(place(&id));
                        points.len() as u32 - 1
                    });
                }
                groups.push(ends.to_vec());
            }
            edges.add_beams(&beams, number as u32);
        }
        let neighbours = edges.neighbours(groups.iter().map(Vec::as_slice), &reference);
        let rest = |k: usize| match &body.kind {
            BodyKind::Rigid(rigid) => rigid.point_b(&reference[k]),
            BodyKind::Deformable { .. } | BodyKind::Reduced(_) => Vector3::zeros(),
        };
        Self::over(edges, which, |k| (points[k], rest(k)), neighbours)
    }

    /// The edges of a surface of a reduced body: those between its faces, and its sharp rims.
    pub(super) fn of_reduced(body: &Reduced, which: Which, set: &str) -> Option<Self> {
        let (surface, rims) = body.surface_with_rims(set).ok()?;
        let points = body.points_of(&surface).ok()?;
        let reference: Vec<Vector3<f64>> = points.iter().map(|&point| body.place(point)).collect();
        let number = body.number as u32;
        let of = EdgesOf { surface: &surface, reference: &reference, halves: &[], rims, body: number };
        Some(Self::over(of.find(|_| true), which, |k| (points[k], Vector3::zeros()), Vec::new()))
    }

    /// The edges of a block, a shape of a rigid body in its axes.
    pub(super) fn of_block(block: &Block, (number, which): (usize, Which)) -> Self {
        let (mut edges, mut rest) = (SurfaceEdges::default(), Vec::new());
        for edge in block.edges() {
            let mut place = |x: Vector3<f64>| {
                rest.push(x);
                edges.places.add([(rest.len() as u32 - 1, 1.0)].into_iter())
            };
            let ends = [edge.center - edge.half, edge.center + edge.half].map(&mut place);
            // Triangles with these normals.
            let faces = edge.normals.map(|normal| {
                let across = normal.cross(&edge.half);
                [edge.center, edge.center + edge.half, edge.center + across].map(&mut place)
            });
            let kind = EdgeKind::Sharp(faces);
            edges.edges.push(SurfaceEdge { ends, goes_on: [false; 2], body: number as u32, kind });
        }
        Self::over(edges, which, |k| (0, rest[k]), Vec::new())
    }

    /// The side with those points alone that places of edges have.
    ///
    /// * `point` — number of a point of the surface in its body, and its place in the axes of a rigid one
    fn over(
        mut edges: SurfaceEdges,
        which: Which,
        point: impl Fn(usize) -> (u32, Vector3<f64>),
        neighbours: Vec<[u32; 2]>,
    ) -> Self {
        let used = edges.places.points();
        edges.places.renumber(|point| used.partition_point(|other| *other < point) as u32);
        let (points, rest) = used.iter().map(|&k| point(k as usize)).unzip();
        Self { end: End { points, rest, ..End::empty(which) }, edges, neighbours }
    }

    /// A side without edges.
    pub(super) fn empty(which: Which) -> Self {
        Self { end: End::empty(which), edges: SurfaceEdges::default(), neighbours: Vec::new() }
    }

    /// Adds the edges of another body.
    pub(super) fn append(&mut self, other: Self) {
        let n_edges = self.edges.edges.len() as u32;
        let n_places = self.edges.places.len() as u32;
        self.edges.places.append(&other.edges.places, self.end.points.len() as u32);
        self.edges.edges.extend(other.edges.edges.into_iter().map(|mut edge| {
            edge.renumber(|place| place + n_places);
            edge
        }));
        self.neighbours.extend(other.neighbours.iter().map(|pair| pair.map(|edge| edge + n_edges)));
        self.end.append(other.end);
    }
}

/// The beams of a body: the points of their ends, and the radius of the circle of the same area \[m\].
///
/// * `wanted` — cells, ascending; all beams if none
pub(super) fn beams(discretisation: &Discretisation, wanted: Option<&[CellRef]>) -> Vec<([u32; 2], f64)> {
    let mut all = Vec::new();
    for (number, block) in discretisation.blocks.iter().enumerate() {
        let Some(Section::Beam(beam)) = block.section else { continue };
        let radius = (beam.area / std::f64::consts::PI).sqrt();
        for cell in 0..block.n_cells() {
            let cell = CellRef { block: number as u32, cell: cell as u32 };
            if wanted.is_some_and(|wanted| wanted.binary_search(&cell).is_err()) {
                continue;
            }
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
        if sides.iter().any(|side| side.edges.edges.is_empty()) {
            return None;
        }
        let [a, b] = sides;
        let search = EdgeToEdge::new([a.edges.edges, b.edges.edges], limits);
        Some(Self::with([a.end, b.end], [a.edges.places, b.edges.places], search))
    }

    /// The edges of all bodies.
    pub(super) fn within(side: EdgeSide, limits: EdgeLimits, bodies: &Bodies) -> Option<Self> {
        let EdgeSide { end, edges: SurfaceEdges { edges, places }, neighbours } = side;
        if edges.is_empty() {
            return None;
        }
        let mut points = vec![Vector3::zeros(); end.points.len()];
        for (which, range) in end.ranges() {
            let places = points[range.clone()].iter_mut().enumerate().map(|(k, x)| (range.start + k, x));
            match (which, &bodies.rigid) {
                (Which::Flexible(body), _) => {
                    let body = &bodies.flexible[body];
                    places.for_each(|(k, x)| *x = body.place(end.points[k]));
                }
                (Which::Rigid(body), Some(rigid)) => {
                    let pose = rigid.pose(body);
                    places.for_each(|(k, x)| *x = pose.point(&end.rest[k]));
                }
                (Which::Rigid(_), None) => {}
            }
        }
        let search = EdgeToEdge::within(edges, limits, neighbours, &places.at(&points));
        Some(Self::with([end.clone(), end], [places.clone(), places], search))
    }

    fn with(ends: [End; 2], places: [Places; 2], search: EdgeToEdge) -> Self {
        let zeros = |n: usize| vec![Vector3::zeros(); n];
        let of_places = || [0, 1].map(|k: usize| zeros(places[k].len()));
        let (now, ahead) = (of_places(), of_places());
        let points = [0, 1].map(|k: usize| zeros(ends[k].points.len()));
        Self { ends, places, search, points, now, ahead, states: BTreeMap::new() }
    }

    /// Computes the places of a side at t_n, or at the end of a step without contact.
    fn update(&mut self, side: usize, bodies: &Bodies, ahead: Option<f64>) {
        place(&self.ends[side], bodies, ahead, &mut self.points[side]);
        let places = if ahead.is_some() { &mut self.ahead } else { &mut self.now };
        self.places[side].at_into(&self.points[side], &mut places[side]);
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

    /// Sets the contacts from a checkpoint; false if they are of edges that do not exist.
    pub(in crate::explicit) fn read(&mut self, keys: &[u64], numbers: &[f64], step: u64) -> bool {
        let n_edges = [0, 1].map(|side| self.search.n_edges(side) as u64);
        let is_known = |&[i, j, _]: &[u64; 3]| i < n_edges[0] && j < n_edges[1];
        let (all, rest) = keys.as_chunks::<3>();
        if !(rest.is_empty() && all.iter().all(is_known)) {
            return false;
        }
        let touch = |numbers: &[f64; Self::NUMBERS], seen: u64| {
            let [a, b, c, d, force, offset] = *numbers;
            Touch { spring: Spring::from_array(&[a, b, c, d]), force: (force, step), seen, offset }
        };
        let all = all.iter().zip(numbers.as_chunks().0);
        self.states = all.map(|(&[i, j, seen], own)| ([i as u32, j as u32], touch(own, seen))).collect();
        true
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
        for side in 0..2 {
            edges.update(side, bodies, None);
            if self.is_hard() {
                edges.update(side, bodies, Some(dt));
            } else {
                edges.ahead[side].copy_from_slice(&edges.now[side]);
            }
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
        let terms = |side: usize, end: usize| edges.places[side].of(own[side][end]);
        let which = [0, 1].map(|side| edges.ends[side].which(Some(terms(side, 0)[0].0)));
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
                let of_point =
                    |k: u32| bodies.flexible[body].velocities(edges.ends[side].points[k as usize])[1];
                sum(side, &|k| {
                    edges.places[side].of(k).iter().map(|&(point, weight)| weight * of_point(point)).sum()
                })
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
            length: {
                let radius = |side: usize| edges.search.edge(found, side).radius();
                let size = |side: usize| {
                    let [a, b] = own[side].map(|end| edges.now[side][end as usize]);
                    (b - a).norm()
                };
                length([radius(0), radius(1)], f64::min(size(0), size(1)))
            },
        });
        for (end, sign) in [(0, 1.0), (1, -1.0)] {
            match which[end] {
                Which::Rigid(body) => {
                    let com = bodies.rigid.as_ref().map_or(place, |rigid| rigid.now(body).position);
                    rows.add_rigid(bodies, body, end, place - com);
                }
                Which::Flexible(body) => {
                    for k in 0..2 {
                        for &(point, weight) in edges.places[end].of(own[end][k]) {
                            let point = edges.ends[end].points[point as usize];
                            rows.add_point(bodies, (body, end), point, sign * weights[end][k] * weight);
                        }
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
