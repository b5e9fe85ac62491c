//! Bodies that lie inside each other at a frame of a run, in every scheme.
//!
//! [`OverlapWatch`] receives each frame before the recorder keeps it. It checks every two bodies, whether or
//! not a contact is defined between them: balls around them first, then points of the surface of one, and of
//! its sharp edges, against the surface of the other, both displaced. Edges that have crossed each other have
//! points inside, while all corners and middles of faces may be outside. Bodies that begin inside each other,
//! such as pins in bores, are meant to overlap and are left out. So are bodies that a joint connects and that
//! have no contact: their ends are seldom drawn with the clearance that they need to turn.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use carom_contact::broad::{Ball, distance_squared, overlapping_balls};
use carom_contact::geometry::{Faces, FacesNow};
use carom_dynamics::{BodyState, Frame, rotation};
use carom_fem::Surface;
use carom_format::result::ResultBody;
use carom_format::scenario::model::{End, Scenario};
use carom_reduce::{Modes, ReducedBody};
use nalgebra::{Matrix3, Vector3};

use crate::geometry::placement;
use crate::prepared::{Prepared, PreparedBody, PreparedModel};
use crate::silhouette::{Silhouette, bounds, samples};

/// Depth over the smallest extent of the smaller body from which bodies lie inside each other.
const DEPTH: f64 = 0.01;

/// Largest displacement of a surface, over the same extent of its body, that need not be seen: a hundredth of
/// the depth above.
const STILL: f64 = 1e-4;

/// Points of a body that are sought in another, at most: evenly spread over its surface.
const POINTS: usize = 400;

/// Places along a sharp edge that are sought, as parts of it; of the edges of a body `EDGES` at most.
const ALONG: [f64; 4] = [0.125, 0.375, 0.625, 0.875];
const EDGES: usize = 200;

/// Points that are sought in a run, at most.
const QUERIES: u64 = 4_000_000;

/// Watches the bodies of a run.
pub(crate) struct OverlapWatch {
    bodies: Vec<Watched>,
    related: Related,
    /// The deepest overlap of two bodies, the larger number first.
    deepest: BTreeMap<[usize; 2], Deepest>,
    /// Points that were sought.
    queries: u64,
    /// Frames that were looked at.
    frames: u64,
}

/// Bodies that contacts, joints or their placement relate, by their numbers, the larger one first.
#[derive(Default)]
struct Related {
    contacts: BTreeMap<[usize; 2], Vec<usize>>,
    /// Contacts of all bodies.
    of_all: Vec<usize>,
    /// Bodies that a joint or a bushing connects, and those that a contact of all bodies leaves out: two
    /// bodies that a joint connects, and two bodies with a named contact of their own.
    joined: BTreeSet<[usize; 2]>,
    apart: BTreeSet<[usize; 2]>,
    /// Bodies that lie inside each other at the start.
    inside: BTreeSet<[usize; 2]>,
    /// Bodies that stay.
    fixed: Vec<bool>,
}

impl Related {
    fn new(scenario: &Scenario) -> Self {
        let numbers: HashMap<&str, usize> =
            scenario.body.iter().enumerate().map(|(i, spec)| (spec.name.as_str(), i)).collect();
        let pair = |between: &[End; 2]| {
            let [a, b] = between.each_ref().map(|end| numbers.get(end.body.as_str()).copied());
            Some([a?.max(b?), a?.min(b?)])
        };
        let fixed = scenario.body.iter().map(|spec| spec.fixed).collect();
        let mut related = Self { fixed, ..Self::default() };
        for (i, contact) in scenario.contact.iter().enumerate() {
            match pair(&contact.between) {
                Some(pair) => {
                    related.contacts.entry(pair).or_default().push(i);
                    related.apart.insert(pair);
                }
                None => related.of_all.extend(contact.is_automatic().then_some(i)),
            }
        }
        for (_, joint) in scenario.joints() {
            related.joined.extend(pair(&joint.between));
            related.apart.extend(pair(&joint.between).filter(|_| joint.excludes_contact()));
        }
        related.joined.extend(scenario.bushing.iter().filter_map(|bushing| pair(&bushing.between)));
        related
    }

    /// Numbers of the contacts of two bodies; none for two that are not watched.
    ///
    /// * `pair` — the larger number first
    fn contacts(&self, pair: [usize; 2]) -> Option<Vec<usize>> {
        if pair.iter().all(|&body| self.fixed[body]) || self.inside.contains(&pair) {
            return None;
        }
        let named = self.contacts.get(&pair).into_iter().flatten();
        let of_all = self.of_all.iter().filter(|_| !self.apart.contains(&pair));
        let contacts: Vec<usize> = named.chain(of_all).copied().collect();
        (!contacts.is_empty() || !self.joined.contains(&pair)).then_some(contacts)
    }
}

/// The deepest overlap of two bodies.
#[derive(Debug, Clone, Copy)]
struct Deepest {
    /// Depth \[m\], and the place of the point \[m\].
    depth: f64,
    place: Vector3<f64>,
    /// Time of the frame \[s\].
    time: f64,
}

/// A body's surface.
struct Watched {
    name: String,
    /// None where the solver does not know the surface.
    outline: Option<Outline>,
}

struct Outline {
    faces: Faces,
    now: FacesNow,
    /// Undeformed places of its points in the body frame \[m\].
    reference: Vec<Vector3<f64>>,
    /// The same displaced.
    places: Vec<Vector3<f64>>,
    /// Faces whose corners and middles are sought in others.
    sampled: Surface,
    /// Faces and parameters of points on sharp edges.
    on_edges: Vec<(usize, [f64; 2])>,
    /// Places of the points that are sought in others, in the body frame \[m\], and a ball around them.
    sought: Vec<Vector3<f64>>,
    around_sought: Ball,
    /// A ball around the undeformed surface in the body frame.
    ball: Ball,
    displaced: Displaced,
    /// Shortest side of the undeformed box \[m\].
    extent: f64,
    /// Frame for which `places` and `sought` are, and the box around the surface.
    updated: Option<u64>,
    /// True as long as `places` are those of the undeformed body.
    is_undeformed: bool,
    bounds: [Vector3<f64>; 2],
}

/// How the points of a surface are displaced by the coordinates of their body.
enum Displaced {
    /// They are not.
    Rigid,
    /// Coordinates are displacements of the points of the body, three each.
    Nodal(Vec<u32>),
    /// Coordinates are those of modes.
    Modal {
        model: Arc<ReducedBody>,
        /// Rows of the points of the surface in the fields of the model; none if it has not all of them.
        rows: Option<Vec<usize>>,
        /// The largest displacement of each mode.
        most: Vec<f64>,
    },
}

impl OverlapWatch {
    /// * `described` — the bodies as the result has them
    pub(crate) fn new(scenario: &Scenario, prepared: &Prepared, described: &[ResultBody]) -> Self {
        let outline = |((ready, silhouette), body): ((&PreparedBody, &Option<Silhouette>), &ResultBody)| {
            let outline = silhouette.as_ref().and_then(|silhouette| {
                Outline::new(silhouette, &ready.model, &Vector3::from(body.frame_origin))
            });
            Watched { name: body.name.clone(), outline }
        };
        let ready = prepared.bodies.iter().zip(&prepared.silhouettes).zip(described);
        let mut watch = Self {
            bodies: ready.map(outline).collect(),
            related: Related::new(scenario),
            deepest: BTreeMap::new(),
            queries: 0,
            frames: 0,
        };
        let starts: Vec<BodyState> = scenario
            .body
            .iter()
            .zip(described)
            .map(|(spec, body)| {
                let place = placement(spec);
                let origin = rotation::matrix(&place.quaternion) * Vector3::from(body.frame_origin);
                let position = (Vector3::from(place.origin) + origin).into();
                BodyState { position, quaternion: place.quaternion, ..BodyState::default() }
            })
            .collect();
        for [a, b] in watch.near(&starts) {
            if watch.overlap([a, b], [&starts[a], &starts[b]], 0.0).is_some() {
                watch.related.inside.insert([b, a]);
            }
        }
        watch
    }

    /// Looks at a frame.
    pub(crate) fn look(&mut self, frame: &Frame<'_>) {
        self.frames += 1;
        for [a, b] in self.near(frame.bodies) {
            let Some(contacts) = self.related.contacts([b, a]) else { continue };
            if self.queries > QUERIES {
                return;
            }
            // A contact that lasts lets its bodies approach by as much as its gap is negative.
            let gaps = contacts.iter().filter_map(|&contact| frame.contacts.get(contact));
            let approach = gaps.map(|state| -state.free_gap).fold(0.0, f64::max);
            let found = self.overlap([a, b], [&frame.bodies[a], &frame.bodies[b]], approach);
            let Some((depth, place)) = found else { continue };
            if self.deepest.get(&[b, a]).is_none_or(|deepest| depth > deepest.depth) {
                self.deepest.insert([b, a], Deepest { depth, place, time: frame.time });
            }
        }
    }

    /// Bodies whose balls overlap, the smaller number first.
    fn near(&self, states: &[BodyState]) -> Vec<[usize; 2]> {
        let ball = |(body, state): (&Watched, &BodyState)| match &body.outline {
            Some(outline) => {
                let center =
                    rotation::matrix(&state.quaternion) * outline.ball.center + Vector3::from(state.position);
                Ball { center, radius: outline.ball.radius + outline.largest(state) }
            }
            None => Ball { center: Vector3::zeros(), radius: f64::NEG_INFINITY },
        };
        overlapping_balls(&self.bodies.iter().zip(states).map(ball).collect::<Vec<_>>())
    }

    /// Depth and place of the deepest point of one body inside of the other, the deeper of both ways; none if
    /// it is within the tolerance.
    fn overlap(
        &mut self,
        [a, b]: [usize; 2],
        states: [&BodyState; 2],
        approach: f64,
    ) -> Option<(f64, Vector3<f64>)> {
        let (head, tail) = self.bodies.split_at_mut(b);
        let (first, second) = (head[a].outline.as_mut()?, tail[0].outline.as_mut()?);
        let poses = states.map(|state| (rotation::matrix(&state.quaternion), Vector3::from(state.position)));
        let most = [first.largest(states[0]), second.largest(states[1])];
        let unknown = [first.is_known(), second.is_known()];
        let unknown = (0..2).filter(|&side| !unknown[side]).map(|side| most[side]).sum::<f64>();
        let slack = DEPTH * first.extent.min(second.extent) + approach + unknown;
        first.update(states[0], self.frames);
        second.update(states[1], self.frames);
        let one = inside(first, second, [&poses[0], &poses[1]], slack, &mut self.queries);
        let other = inside(second, first, [&poses[1], &poses[0]], slack, &mut self.queries);
        [one, other].into_iter().flatten().max_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// Warnings, a sentence a pair.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let mut out: Vec<String> = self
            .deepest
            .iter()
            .map(|(pair, Deepest { depth, place, time })| {
                let [b, a] = pair.map(|i| &self.bodies[i].name);
                let remedy = if self.related.contacts(*pair).is_none_or(|contacts| contacts.is_empty()) {
                    "no contact between them is defined; add one if they are to touch"
                } else {
                    "their contact did not keep them apart: shorten the step, use finer cells there, or name \
                     sets that contain all faces that may touch; a shape must coincide with the surface of \
                     its body"
                };
                let [x, y, z] = (*place).into();
                format!(
                    "bodies `{a}` and `{b}` lie {depth:.3e} m inside each other at t = {time:.6e} s, at \
                     ({x:.3e}, {y:.3e}, {z:.3e}) m: {remedy}"
                )
            })
            .collect();
        if self.queries > QUERIES {
            out.push(format!(
                "overlaps of the bodies were checked at {QUERIES} points, and not in later frames: write \
                 fewer frames (simulation.output_every)"
            ));
        }
        out
    }
}

/// Rotation and position of a body frame.
type Pose = (Matrix3<f64>, Vector3<f64>);

/// Depth and place of the deepest point of one body inside of another, none if no one is deeper than `slack`.
fn inside(
    points: &Outline,
    solid: &mut Outline,
    [from, to]: [&Pose; 2],
    slack: f64,
    queries: &mut u64,
) -> Option<(f64, Vector3<f64>)> {
    let [low, high] = solid.bounds;
    let is_in = |x: &Vector3<f64>| (0..3).all(|d| low[d] + slack < x[d] && x[d] < high[d] - slack);
    let Ball { center, radius } = points.around_sought;
    let center = to.0.tr_mul(&(from.0 * center + from.1 - to.1));
    if distance_squared(&[low, high], &center) > radius * radius {
        return None;
    }
    let mut deepest = None;
    for x in &points.sought {
        let x = from.0 * x + from.1;
        let there = to.0.tr_mul(&(x - to.1));
        if is_in(&there) {
            *queries += 1;
            let depth = solid.faces.closest(&mut solid.now, &there).map_or(0.0, |foot| -foot.gap);
            if depth > deepest.map_or(slack, |(depth, _)| depth) {
                deepest = Some((depth, x));
            }
        }
    }
    deepest
}

/// Points on the sharp edges of the surface of a body.
fn on_sharp_edges(surface: &Surface, reference: &[Vector3<f64>]) -> Vec<(usize, [f64; 2])> {
    let n = surface.points.last().map_or(0, |&last| last as usize + 1);
    let mut positions = vec![[0.0; 3]; n];
    for (&point, x) in surface.points.iter().zip(reference) {
        positions[point as usize] = (*x).into();
    }
    let edges = surface.sharp_edges(surface, &positions);
    let stride = edges.len().div_ceil(EDGES).max(1);
    let along = |&[face, edge]: &[u32; 2]| {
        let basis = &surface.faces[face as usize].basis;
        let corners: &[[f64; 2]] = match basis.is_triangle() {
            true => &[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]],
            false => &[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]],
        };
        let edge = edge as usize;
        let (a, b) = (corners[edge], corners[(edge + 1) % corners.len()]);
        ALONG.map(|t| (face as usize, [0, 1].map(|d| (1.0 - t) * a[d] + t * b[d])))
    };
    edges.iter().step_by(stride).flat_map(along).collect()
}

impl Outline {
    /// None if the body has no surface, and for shells and beams, which enclose no volume.
    fn new(silhouette: &Silhouette, model: &PreparedModel, origin: &Vector3<f64>) -> Option<Self> {
        if matches!(model, PreparedModel::Deformable(body) if body.is_structural()) {
            return None;
        }
        let surface = &silhouette.surface;
        let reference: Vec<Vector3<f64>> = silhouette.points.iter().map(|x| x - origin).collect();
        let [low, high] = bounds(&reference);
        let stride = surface.faces.len().div_ceil(POINTS / 5).max(1);
        let mut sampled = surface.clone();
        sampled.faces = surface.faces.iter().step_by(stride).cloned().collect();
        let faces = Faces::new(surface.clone(), &reference).ok()?;
        if faces.n_faces() == 0 {
            return None;
        }
        let mut outline = Self {
            now: faces.state_at(&reference),
            places: reference.clone(),
            displaced: Displaced::of(surface, model),
            on_edges: on_sharp_edges(surface, &reference),
            sought: Vec::new(),
            around_sought: Ball::around(&[]),
            ball: Ball::around(&reference),
            faces,
            reference,
            sampled,
            extent: (high - low).min(),
            updated: None,
            is_undeformed: true,
            bounds: [low, high],
        };
        outline.seek();
        Some(outline)
    }

    /// Places the points that are sought in others on the surface as it is now.
    fn seek(&mut self) {
        let places: Vec<[f64; 3]> = self.places.iter().map(|x| (*x).into()).collect();
        let surface = &self.faces.surface;
        let on_edges = self.on_edges.iter().map(|&(face, xi)| surface.position(face, xi, &places).into());
        self.sought = samples(&self.sampled, &places).into_iter().chain(on_edges).collect();
        self.around_sought = Ball::around(&self.sought);
    }

    /// True if the displacement of every point is known.
    fn is_known(&self) -> bool {
        !matches!(self.displaced, Displaced::Modal { rows: None, .. })
    }

    /// No point is displaced by more \[m\].
    fn largest(&self, state: &BodyState) -> f64 {
        let q = &state.modal;
        match &self.displaced {
            Displaced::Rigid => 0.0,
            Displaced::Nodal(_) => 3.0_f64.sqrt() * q.iter().fold(0.0, |m: f64, u| m.max(u.abs())),
            Displaced::Modal { most, .. } => most.iter().zip(q).map(|(most, q)| most * q.abs()).sum(),
        }
    }

    /// Places of the points in a frame.
    fn update(&mut self, state: &BodyState, frame: u64) {
        if self.updated == Some(frame) {
            return;
        }
        if self.is_undeformed && self.largest(state) <= STILL * self.extent {
            return;
        }
        match &self.displaced {
            Displaced::Nodal(points) => {
                self.places.copy_from_slice(&self.reference);
                for (place, &k) in self.places.iter_mut().zip(points) {
                    let start = 3 * k as usize;
                    if let Some(u) = state.modal.get(start..start + 3) {
                        *place += Vector3::from_column_slice(u);
                    }
                }
            }
            Displaced::Modal { model, rows: Some(rows), .. } => {
                self.places.copy_from_slice(&self.reference);
                let values = &known(model).values;
                for (mode, &q) in state.modal.iter().enumerate().filter(|(_, q)| **q != 0.0) {
                    let column = values.col_as_slice(mode);
                    for (place, row) in self.places.iter_mut().zip(rows) {
                        *place += q * Vector3::from_column_slice(&column[3 * row..3 * row + 3]);
                    }
                }
            }
            Displaced::Rigid | Displaced::Modal { rows: None, .. } => return,
        }
        (self.updated, self.is_undeformed) = (Some(frame), false);
        self.bounds = bounds(&self.places);
        let places = &self.places;
        self.now.set_positions(|k| places[k]);
        self.seek();
    }
}

/// Mode values at as many points of a body as its model has.
fn known(model: &ReducedBody) -> &Modes {
    model.fields.as_ref().unwrap_or(&model.boundary)
}

impl Displaced {
    fn of(surface: &Surface, model: &PreparedModel) -> Self {
        let model = match model {
            PreparedModel::Rigid(_) => return Self::Rigid,
            PreparedModel::Deformable(_) => return Self::Nodal(surface.points.clone()),
            PreparedModel::Reduced(model) => model,
        };
        let modes = known(model);
        let rows = surface.points.iter().map(|point| modes.points.binary_search(point).ok()).collect();
        let most = |mode: usize| {
            let column = modes.values.col_as_slice(mode).as_chunks::<3>().0;
            column.iter().map(|phi| Vector3::from(*phi).norm()).fold(0.0, f64::max)
        };
        let most = (0..model.omega.len()).map(most).collect();
        Self::Modal { model: model.clone(), rows, most }
    }
}
