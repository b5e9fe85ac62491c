//! Crowds: bodies of which any two may touch. A pair of a crowd exists while its bodies are near each other,
//! and keeps its report once it has touched.
//!
//! A member is a part of a body: its whole surface, or one of several shapes. The members of two bodies touch
//! both ways round, the points of each on the surface of the other, but for balls: a ball on a surface is the
//! contact of both, and the points of that surface on the ball would repeat it.

use std::collections::BTreeMap;
use std::sync::Arc;

use carom_contact::{Edge, Law, Shape};

use crate::body::RigidBody;
use crate::edges::{Spheres, are_too_many, fit};
use crate::known_gaps::KnownGaps;
use crate::moving::{Moving, MovingPoints};
use crate::pair::{Ball, Pair, mobility, of_point, placed};
use crate::parted::{Blocks, CORNERS, block_of};
use crate::surface::Surface;
use crate::swept::Missed;
use crate::system::{PairReport, SystemError};

/// Bodies of which any two may touch: the points of each on the surface of the other.
#[derive(Debug, Clone, PartialEq)]
pub struct CrowdSpec {
    /// The parts of bodies; those of one body do not touch each other.
    pub members: Vec<MemberSpec>,
    /// Law of all pairs, see [`crate::PairSpec`]; springs are at points, and not between edges.
    pub law: Law,
    /// e of all pairs, see [`crate::PairSpec`].
    pub restitution: f64,
    /// Coefficient of friction of all pairs.
    pub friction: f64,
    /// Bodies that do not touch each other, in any order: those that a joint connects overlap there.
    pub apart: Vec<[usize; 2]>,
}

/// A body of a crowd, or a part of it, in source coordinates: points, a surface, or both.
#[derive(Debug, Clone, PartialEq)]
pub struct MemberSpec {
    /// Index of the body.
    pub body: usize,
    /// The points that touch surfaces of other members. Where the first eight are the corners of a block,
    /// they alone touch other blocks.
    pub points: Vec<Ball>,
    /// Points that move over curved faces, by multipliers and not by springs.
    pub moving: Option<MovingPoints>,
    /// The edges that touch those of other members. Two members of which one has thousands and the other
    /// tens or more have no contact of edges: at most 65536 pairs of edges have one
    /// ([`crate::System::for_without_edges`]).
    pub edges: Vec<Edge>,
    /// The surface that points of other members touch; none if it has points alone.
    pub shape: Option<Shape>,
}

/// The order of pairs: those that were given one by one by their number, as \[0, number, 0\]; then those of
/// crowds, as \[1 + crowd, member with the points, member with the surface\]. The first member of a body has
/// its number.
pub(crate) type Key = [u32; 3];

/// A member in the frame of its body. Its pairs share points and surface.
#[derive(Debug, Clone)]
pub(crate) struct Member {
    body: usize,
    pub(crate) points: Arc<[Ball]>,
    /// The points that touch blocks: the first eight of a block, all of others.
    to_blocks: Arc<[Ball]>,
    moving: Option<Arc<Moving>>,
    pub(crate) edges: Arc<[Edge]>,
    pub(crate) surface: Option<Surface>,
    /// See [`Pair::mobility`].
    pub(crate) mobility: f64,
    /// Radius of the ball around the centre of mass that contains points and surface \[m\].
    radius: f64,
}

#[derive(Debug, Clone)]
struct Crowd {
    /// The first member of each body, then the further ones.
    members: Vec<Option<Member>>,
    /// Numbers of the members of each body.
    of_body: Vec<Vec<u32>>,
    law: Law,
    restitution: f64,
    friction: f64,
    /// See [`CrowdSpec::apart`]; the smaller number first, ascending.
    apart: Vec<[usize; 2]>,
}

/// The crowds of a system, and the pairs of them that exist.
#[derive(Debug, Clone, Default)]
pub(crate) struct Crowds {
    crowds: Vec<Crowd>,
    known: BTreeMap<Key, u32>,
    /// Places of dropped pairs in the list of pairs.
    free: Vec<u32>,
}

impl Crowds {
    pub(crate) fn new(specs: &[CrowdSpec], bodies: &[RigidBody]) -> Result<Self, SystemError> {
        let crowds = specs.iter().map(|spec| Crowd::new(spec, bodies)).collect::<Result<_, _>>()?;
        Ok(Self { crowds, ..Self::default() })
    }

    /// Number of crowds.
    pub(crate) fn count(&self) -> usize {
        self.crowds.len()
    }

    /// Radius of a body's ball \[m\]; 0 if it is in no crowd.
    pub(crate) fn radius(&self, body: usize) -> f64 {
        let members = self.crowds.iter().flat_map(|crowd| crowd.members_of(body));
        members.map(|member| member.radius).fold(0.0, f64::max)
    }

    /// Calls `take` with each two bodies whose edges are too many to touch each other.
    pub(crate) fn for_without_edges(&self, bodies: &[RigidBody], mut take: impl FnMut([usize; 2])) {
        for crowd in self.crowds.iter().filter(|crowd| crowd.law == Law::Hard) {
            let edges_of = |member: &Member| (member.body, member.edges.len());
            let mut members: Vec<(usize, usize)> = crowd.members.iter().flatten().map(edges_of).collect();
            members.sort_by_key(|&(body, n)| (std::cmp::Reverse(n), body));
            for (k, &(a, n_a)) in members.iter().enumerate() {
                let others = members[k + 1..].iter().take_while(|(_, n_b)| are_too_many([n_a, *n_b]));
                let may_touch =
                    |b: usize| a != b && !(bodies[a].fixed && bodies[b].fixed || crowd.are_apart([a, b]));
                let others = others.filter(|&&(b, _)| may_touch(b));
                others.for_each(|&(b, _)| take([a.min(b), a.max(b)]));
            }
        }
    }

    /// Largest number of pairs.
    pub(crate) fn most_pairs(&self) -> usize {
        let members = |crowd: &Crowd| crowd.members.iter().flatten().count();
        self.crowds.iter().map(members).map(|n| n * n.saturating_sub(1)).sum()
    }

    /// Calls `take` with the number of each pair of two bodies; pairs that did not exist are made.
    pub(crate) fn meet(
        &mut self,
        [a, b]: [u32; 2],
        bodies: &[RigidBody],
        (pairs, reports): (&mut Vec<Pair>, &mut Vec<PairReport>),
        mut take: impl FnMut(u32),
    ) {
        for number in 0..self.crowds.len() {
            let of = |crowd: &Crowd, body: u32| crowd.of_body[body as usize].len();
            let counts = [a, b].map(|body| of(&self.crowds[number], body));
            for (i, j) in (0..counts[0]).flat_map(|i| (0..counts[1]).map(move |j| (i, j))) {
                let of_body = &self.crowds[number].of_body;
                let [first, second] = [of_body[a as usize][i], of_body[b as usize][j]];
                for ends in [[first, second], [second, first]] {
                    let key = [1 + number as u32, ends[0], ends[1]];
                    if let Some(pair) = self.pair(key, bodies, (&mut *pairs, &mut *reports)) {
                        take(pair);
                    }
                }
            }
        }
    }

    /// The number of a pair, which is made if it did not exist; none for members that the crowd does not
    /// have, for those of one body, of fixed bodies and of bodies that do not touch each other, and for
    /// points that another pair has already.
    pub(crate) fn pair(
        &mut self,
        key: Key,
        bodies: &[RigidBody],
        (pairs, reports): (&mut Vec<Pair>, &mut Vec<PairReport>),
    ) -> Option<u32> {
        if let Some(&known) = self.known.get(&key) {
            return Some(known);
        }
        let [number, ends @ ..] = key.map(|i| i as usize);
        let crowd = self.crowds.get(number.checked_sub(1)?)?;
        let [first, second] = ends.map(|member| crowd.members.get(member).and_then(Option::as_ref));
        let (first, second) = (first?, second?);
        let of_bodies = [first.body, second.body];
        if of_bodies.iter().all(|&body| bodies[body].fixed) || crowd.are_apart(of_bodies) {
            return None;
        }
        let made = Pair::of_members(key, [first, second], crowd)?;
        let place = self.free.pop().unwrap_or(pairs.len() as u32);
        match pairs.get_mut(place as usize) {
            Some(pair) => (*pair, reports[place as usize]) = (made, PairReport::default()),
            None => {
                pairs.push(made);
                reports.push(PairReport::default());
            }
        }
        self.known.insert(key, place);
        Some(place)
    }

    /// Drops the pairs that are not near and have never touched.
    ///
    /// * `near` — numbers of the near pairs, by their keys
    pub(crate) fn drop_far(&mut self, near: &[u32], pairs: &mut [Pair], reports: &[PairReport]) {
        let Self { known, free, .. } = self;
        known.retain(|key, place| {
            let number = *place as usize;
            let is_near = near.binary_search_by_key(key, |&near| pairs[near as usize].key).is_ok();
            let stays = is_near || pairs[number].has_state(&reports[number]);
            if !stays {
                free.push(*place);
                pairs[number].clear();
            }
            stays
        });
    }

    /// Law of a crowd.
    pub(crate) fn law(&self, crowd: usize) -> Law {
        self.crowds[crowd].law
    }

    /// Number of the first place for pairs of crowds.
    pub(crate) fn first_place(&self, pairs: &[Pair]) -> usize {
        pairs.len() - self.known.len() - self.free.len()
    }

    /// Removes all pairs of crowds, the last ones of the list.
    pub(crate) fn clear(&mut self, pairs: &mut Vec<Pair>, reports: &mut Vec<PairReport>) {
        let first = self.first_place(pairs);
        pairs.truncate(first);
        reports.truncate(first);
        self.known.clear();
        self.free.clear();
    }

    /// Numbers of the pairs of two bodies that exist, in both directions.
    pub(crate) fn between(&self, crowd: usize, [a, b]: [usize; 2]) -> impl Iterator<Item = usize> + '_ {
        let of_body = &self.crowds[crowd].of_body;
        let both = of_body[a].iter().flat_map(move |&i| of_body[b].iter().map(move |&j| [i, j]));
        let keys = both.flat_map(move |[i, j]| [[1 + crowd as u32, i, j], [1 + crowd as u32, j, i]]);
        keys.filter_map(|key| self.known.get(&key)).map(|&number| number as usize)
    }

    /// Numbers of the pairs that exist, by their keys.
    pub(crate) fn known(&self) -> impl Iterator<Item = usize> + '_ {
        self.known.values().map(|&number| number as usize)
    }
}

impl Crowd {
    fn new(spec: &CrowdSpec, bodies: &[RigidBody]) -> Result<Self, SystemError> {
        let stiffness = of_point(spec.law).unwrap_or(1.0);
        let numbers = [
            ("the stiffness of a point", stiffness, stiffness > 0.0, "above 0"),
            ("the friction", spec.friction, spec.friction >= 0.0, "0 or above"),
            ("the restitution", spec.restitution, (0.0..=1.0).contains(&spec.restitution), "from 0 to 1"),
        ];
        if let Some((what, value, _, valid)) = numbers.into_iter().find(|(_, _, holds, _)| !holds) {
            return Err(SystemError::Crowd { what, value, valid });
        }
        let mut members: Vec<Option<Member>> = vec![None; bodies.len()];
        let mut of_body = vec![Vec::new(); bodies.len()];
        for member in &spec.members {
            let Some(body) = bodies.get(member.body) else {
                return Err(SystemError::Member { body: member.body, bodies: bodies.len() });
            };
            let made = Some(Member::new(member, body)?);
            let mut number = member.body;
            if members[number].is_none() {
                members[number] = made;
            } else {
                number = members.len();
                members.push(made);
            }
            of_body[member.body].push(number as u32);
        }
        let mut apart: Vec<[usize; 2]> = spec.apart.iter().map(|&[a, b]| [a.min(b), a.max(b)]).collect();
        apart.sort_unstable();
        let CrowdSpec { law, restitution, friction, .. } = *spec;
        Ok(Self { members, of_body, law, restitution, friction, apart })
    }

    /// The members of a body.
    fn members_of(&self, body: usize) -> impl Iterator<Item = &Member> {
        self.of_body[body].iter().filter_map(|&number| self.members[number as usize].as_ref())
    }

    /// True for one body, and for two that do not touch each other.
    fn are_apart(&self, [a, b]: [usize; 2]) -> bool {
        a == b || self.apart.binary_search(&[a.min(b), a.max(b)]).is_ok()
    }
}

impl Member {
    fn new(spec: &MemberSpec, body: &RigidBody) -> Result<Self, SystemError> {
        let surface = spec.shape.as_ref().map(|shape| Surface::new(shape, body));
        let sheets = surface.as_ref().map(|surface| surface.shape.sheets());
        let has_none = spec.points.is_empty() && spec.moving.is_none();
        if sheets.map_or(has_none, |sheets| sheets == 0) {
            return Err(SystemError::EmptyMember { body: body.name.clone() });
        }
        let points: Arc<[Ball]> = spec.points.iter().map(|ball| ball.placed(body)).collect();
        let moving = spec.moving.as_ref().map(|moving| Arc::new(Moving::placed(moving, body)));
        let [of_moving, farthest] = moving.as_ref().map_or([0.0; 2], |m| [m.mobility, m.radius]);
        let reach = points.iter().map(|ball| ball.center.norm() + ball.radius).fold(farthest, f64::max);
        let radius = surface.as_ref().map_or(0.0, |surface| surface.shape.radius());
        let corners = points.get(..CORNERS).filter(|first| block_of(first).is_some());
        Ok(Self {
            body: spec.body,
            to_blocks: corners.map_or_else(|| points.clone(), Arc::from),
            mobility: points.iter().map(|x| mobility(&x.center, &body.inertia)).fold(of_moving, f64::max),
            moving,
            radius: reach.max(radius),
            edges: placed(&spec.edges, body),
            points,
            surface,
        })
    }

    /// True if its points are balls, whose contact with a surface is that of the surface with them too.
    fn has_balls(&self) -> bool {
        !self.points.is_empty() && self.points.iter().all(|ball| ball.radius > 0.0)
    }
}

impl Pair {
    /// The pair of two members: the points of the first on the surface of the second. None without points or
    /// surface, or if the pair the other way round has the same contact.
    fn of_members(key: Key, [first, second]: [&Member; 2], crowd: &Crowd) -> Option<Self> {
        let surface = second.surface.as_ref()?;
        let is_other_way = second.has_balls() && first.surface.is_some();
        let has_none = first.points.is_empty() && first.moving.is_none();
        if has_none || is_other_way && !(first.has_balls() && key[1] < key[2]) {
            return None;
        }
        let blocks = Blocks::of(crowd.law, &first.to_blocks, &surface.shape);
        let points = if blocks.is_some() { &first.to_blocks } else { &first.points };
        // Edges on edges are the same both ways round.
        let n_edges = first.edges.len() * second.edges.len();
        let is_hard = crowd.law == Law::Hard;
        let has_edges = is_hard && key[1] < key[2] && fit([first, second].map(|of| of.edges.len()));
        let edges = if has_edges { [first, second].map(|of| of.edges.clone()) } else { Default::default() };
        let moving = first.moving.as_ref().filter(|_| is_hard);
        let n = points.len() + moving.map_or(0, |moving| moving.len());
        let slots = n * surface.shape.sheets() + if has_edges { n_edges } else { 0 };
        let known = KnownGaps::none(points, moving.map(|moving| &**moving), surface);
        Some(Self {
            key,
            bodies: [first.body, second.body],
            blocks,
            points: points.clone(),
            moving: moving.cloned(),
            surface: surface.clone(),
            spheres: Spheres::around(&edges),
            edges,
            is_without_edges: false,
            law: crowd.law,
            restitution: crowd.restitution,
            friction: crowd.friction,
            mobility: first.mobility,
            due: 0,
            held: vec![None; n],
            known,
            gaps: vec![f64::INFINITY; slots],
            missed: Missed::default(),
        })
    }

    /// True if the pair has more than its place: an impulse, a contact that was missed, a held point, a
    /// direction.
    pub(crate) fn has_state(&self, report: &PairReport) -> bool {
        report.last > 0
            || self.missed.behind > 0.0
            || self.direction().is_some()
            || self.held.iter().any(Option::is_some)
    }

    /// Gives up the memory of a pair whose place is free.
    fn clear(&mut self) {
        (self.gaps, self.held, self.blocks) = (Vec::new(), Vec::new(), None);
        self.known = KnownGaps::default();
        self.missed = Missed::default();
    }
}
