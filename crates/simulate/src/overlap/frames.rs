//! Bodies that lie inside each other at a frame of a run, in every scheme.
//!
//! [`OverlapWatch`] receives each frame before the recorder keeps it. It checks every two bodies, whether or
//! not a contact is defined between them: balls around them first, then points of the surface of one, and of
//! its sharp edges, against the surface of the other, both displaced. Edges that have crossed each other have
//! points inside, while all corners and middles of faces may be outside. Points are displaced only if a bound
//! of their displacements lets some of them lie inside. Bodies that begin inside each other, such as pins in
//! bores, are meant to overlap and are left out. So are bodies that a joint connects and that have no
//! contact: their ends are seldom drawn with the clearance that they need to turn.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use carom_contact::broad::{Ball, overlapping_balls};
use carom_dynamics::{BodyState, Frame, rotation};
use carom_format::result::ResultBody;
use carom_format::scenario::model::{End, Scenario};
use carom_reduce::unread::UnreadArrayError;
use nalgebra::Vector3;

use super::outline::Outline;
use crate::geometry::placement;
use crate::prepared::{Prepared, PreparedBody};
use crate::silhouette::Silhouette;

/// Depth over the smallest extent of the smaller body from which bodies lie inside each other.
const DEPTH: f64 = 0.01;

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
            // Undeformed bodies need no modes.
            if matches!(watch.overlap([a, b], [&starts[a], &starts[b]], 0.0), Ok(Some(_))) {
                watch.related.inside.insert([b, a]);
            }
        }
        watch
    }

    /// Looks at a frame.
    ///
    /// # Errors
    ///
    /// [`UnreadArrayError`] if the modes of the surface of a displaced body cannot be read.
    pub(crate) fn look(&mut self, frame: &Frame<'_>) -> Result<(), UnreadArrayError> {
        self.frames += 1;
        for [a, b] in self.near(frame.bodies) {
            let Some(contacts) = self.related.contacts([b, a]) else { continue };
            if self.queries > QUERIES {
                break;
            }
            // A contact that lasts lets its bodies approach by as much as its gap is negative.
            let gaps = contacts.iter().filter_map(|&contact| frame.contacts.get(contact));
            let approach = gaps.map(|state| -state.free_gap).fold(0.0, f64::max);
            let found = self.overlap([a, b], [&frame.bodies[a], &frame.bodies[b]], approach)?;
            let Some((depth, place)) = found else { continue };
            if self.deepest.get(&[b, a]).is_none_or(|deepest| depth > deepest.depth) {
                self.deepest.insert([b, a], Deepest { depth, place, time: frame.time });
            }
        }
        Ok(())
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
    ) -> Result<Option<(f64, Vector3<f64>)>, UnreadArrayError> {
        let (head, tail) = self.bodies.split_at_mut(b);
        let outlines = (head[a].outline.as_mut(), tail[0].outline.as_mut());
        let (Some(first), Some(second)) = outlines else { return Ok(None) };
        let poses = states.map(|state| (rotation::matrix(&state.quaternion), Vector3::from(state.position)));
        let [one_way, other_way] = [[&poses[0], &poses[1]], [&poses[1], &poses[0]]];
        let largest = [first.largest(states[0]), second.largest(states[1])];
        let unknown = [first.is_known(), second.is_known()];
        let unknown = (0..2).filter(|&side| !unknown[side]).map(|side| largest[side]).sum::<f64>();
        let slack = DEPTH * first.extent.min(second.extent) + approach + unknown;
        // Most bodies that are near each other only touch: their points need not be displaced.
        if !first.may_reach_into(second, one_way, largest, slack)
            && !second.may_reach_into(first, other_way, [largest[1], largest[0]], slack)
        {
            return Ok(None);
        }
        first.update(states[0], self.frames)?;
        second.update(states[1], self.frames)?;
        let one = first.deepest_inside(second, one_way, slack, &mut self.queries);
        let other = second.deepest_inside(first, other_way, slack, &mut self.queries);
        Ok([one, other].into_iter().flatten().max_by(|a, b| a.0.total_cmp(&b.0)))
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
