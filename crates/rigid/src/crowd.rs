//! Crowds: bodies of which any two may touch. A pair of a crowd exists while its bodies are near each other,
//! and keeps its report once it has touched.

use std::collections::BTreeMap;
use std::sync::Arc;

use carom_contact::{Edge, Law, Shape};

use crate::body::RigidBody;
use crate::edges::{Spheres, are_too_many, fit};
use crate::pair::{Ball, Pair, mobility, placed};
use crate::surface::Surface;
use crate::system::{PairReport, SystemError};

/// Bodies of which any two may touch by multipliers: the points of each on the surface of the other.
#[derive(Debug, Clone, PartialEq)]
pub struct CrowdSpec {
    /// The bodies, each at most once.
    pub members: Vec<MemberSpec>,
    /// e of all pairs, see [`crate::PairSpec`].
    pub restitution: f64,
    /// Coefficient of friction of all pairs.
    pub friction: f64,
    /// Bodies that do not touch each other, in any order: those that a joint connects overlap there.
    pub apart: Vec<[usize; 2]>,
}

/// A body of a crowd, in source coordinates.
#[derive(Debug, Clone, PartialEq)]
pub struct MemberSpec {
    /// Index of the body.
    pub body: usize,
    /// The points that touch surfaces of other members.
    pub points: Vec<Ball>,
    /// The edges that touch those of other members. Two members of which one has thousands and the other
    /// tens or more have no contact of edges: at most 65536 pairs of edges have one
    /// ([`crate::System::for_without_edges`]).
    pub edges: Vec<Edge>,
    /// The surface that points of other members touch.
    pub shape: Shape,
}

/// The order of pairs: those that were given one by one by their number, as \[0, number, 0\]; then those of
/// crowds, as \[1 + crowd, body with the points, body with the surface\].
pub(crate) type Key = [u32; 3];

/// A member in the frame of its body. Its pairs share points and surface.
#[derive(Debug, Clone)]
pub(crate) struct Member {
    pub(crate) points: Arc<[Ball]>,
    pub(crate) edges: Arc<[Edge]>,
    pub(crate) surface: Surface,
    /// See [`Pair::mobility`].
    pub(crate) mobility: f64,
    /// Radius of the ball around the centre of mass that contains points and surface \[m\].
    radius: f64,
}

#[derive(Debug, Clone)]
struct Crowd {
    /// The member of each body.
    of_body: Vec<Option<Member>>,
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

    /// Radius of a body's ball \[m\]; 0 if it is in no crowd.
    pub(crate) fn radius(&self, body: usize) -> f64 {
        let members = self.crowds.iter().filter_map(|crowd| crowd.of_body[body].as_ref());
        members.map(|member| member.radius).fold(0.0, f64::max)
    }

    /// Calls `take` with each two bodies whose edges are too many to touch each other.
    pub(crate) fn for_without_edges(&self, bodies: &[RigidBody], mut take: impl FnMut([usize; 2])) {
        for crowd in &self.crowds {
            let edges_of =
                |(body, member): (usize, &Option<Member>)| Some((body, member.as_ref()?.edges.len()));
            let mut members: Vec<(usize, usize)> =
                crowd.of_body.iter().enumerate().filter_map(edges_of).collect();
            members.sort_by_key(|&(body, n)| (std::cmp::Reverse(n), body));
            for (k, &(a, n_a)) in members.iter().enumerate() {
                let others = members[k + 1..].iter().take_while(|(_, n_b)| are_too_many([n_a, *n_b]));
                let may_touch = |b: usize| !(bodies[a].fixed && bodies[b].fixed || crowd.are_apart([a, b]));
                let others = others.filter(|&&(b, _)| may_touch(b));
                others.for_each(|&(b, _)| take([a.min(b), a.max(b)]));
            }
        }
    }

    /// Largest number of pairs.
    pub(crate) fn most_pairs(&self) -> usize {
        let members = |crowd: &Crowd| crowd.of_body.iter().flatten().count();
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
            for ends in [[a, b], [b, a]] {
                let key = [1 + number as u32, ends[0], ends[1]];
                if let Some(pair) = self.pair(key, bodies, (&mut *pairs, &mut *reports)) {
                    take(pair);
                }
            }
        }
    }

    /// The number of a pair, which is made if it did not exist; none for bodies of which one is not in the
    /// crowd, for fixed ones, and for those that do not touch each other.
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
        let [first, second] = ends.map(|body| crowd.of_body.get(body).and_then(Option::as_ref));
        let (first, second) = (first?, second?);
        if ends.iter().all(|&body| bodies[body].fixed) || crowd.are_apart(ends) {
            return None;
        }
        let made = Pair::of_members(key, [first, second], crowd.restitution, crowd.friction);
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

    /// The number of a pair, if it exists.
    pub(crate) fn find(&self, key: Key) -> Option<usize> {
        self.known.get(&key).map(|&number| number as usize)
    }

    /// Numbers of the pairs that exist, by their keys.
    pub(crate) fn known(&self) -> impl Iterator<Item = usize> + '_ {
        self.known.values().map(|&number| number as usize)
    }
}

impl Crowd {
    fn new(spec: &CrowdSpec, bodies: &[RigidBody]) -> Result<Self, SystemError> {
        let numbers = [
            ("the friction", spec.friction, spec.friction >= 0.0, "0 or above"),
            ("the restitution", spec.restitution, (0.0..=1.0).contains(&spec.restitution), "from 0 to 1"),
        ];
        if let Some((what, value, _, valid)) = numbers.into_iter().find(|(_, _, holds, _)| !holds) {
            return Err(SystemError::Crowd { what, value, valid });
        }
        let mut of_body: Vec<Option<Member>> = vec![None; bodies.len()];
        for member in &spec.members {
            let place = of_body.get_mut(member.body).zip(bodies.get(member.body));
            let Some((known @ None, body)) = place else {
                return Err(SystemError::Member { body: member.body, bodies: bodies.len() });
            };
            *known = Some(Member::new(member, body)?);
        }
        let mut apart: Vec<[usize; 2]> = spec.apart.iter().map(|&[a, b]| [a.min(b), a.max(b)]).collect();
        apart.sort_unstable();
        Ok(Self { of_body, restitution: spec.restitution, friction: spec.friction, apart })
    }

    /// True for two bodies that do not touch each other.
    fn are_apart(&self, [a, b]: [usize; 2]) -> bool {
        self.apart.binary_search(&[a.min(b), a.max(b)]).is_ok()
    }
}

impl Member {
    fn new(spec: &MemberSpec, body: &RigidBody) -> Result<Self, SystemError> {
        let surface = Surface::new(&spec.shape, body);
        if spec.points.is_empty() || surface.shape.sheets() == 0 {
            return Err(SystemError::EmptyMember { body: body.name.clone() });
        }
        let points: Arc<[Ball]> = spec.points.iter().map(|ball| ball.placed(body)).collect();
        let reach = points.iter().map(|ball| ball.center.norm() + ball.radius).fold(0.0, f64::max);
        Ok(Self {
            mobility: points.iter().map(|ball| mobility(&ball.center, &body.inertia)).fold(0.0, f64::max),
            radius: reach.max(surface.shape.radius()),
            edges: placed(&spec.edges, body),
            points,
            surface,
        })
    }
}

impl Pair {
    /// The pair of two members: the points of the first on the surface of the second.
    fn of_members(key: Key, [first, second]: [&Member; 2], restitution: f64, friction: f64) -> Self {
        // Edges on edges are the same both ways round.
        let n_edges = first.edges.len() * second.edges.len();
        let has_edges = key[1] < key[2] && fit([first, second].map(|of| of.edges.len()));
        let edges = if has_edges { [first, second].map(|of| of.edges.clone()) } else { Default::default() };
        let n = first.points.len();
        let slots = n * second.surface.shape.sheets() + if has_edges { n_edges } else { 0 };
        Self {
            key,
            bodies: [key[1], key[2]].map(|body| body as usize),
            points: first.points.clone(),
            surface: second.surface.clone(),
            spheres: Spheres::around(&edges),
            edges,
            is_without_edges: false,
            law: Law::Hard,
            restitution,
            friction,
            mobility: first.mobility,
            due: 0,
            held: vec![None; n],
            gaps: vec![f64::INFINITY; slots],
            missed: [0.0; 2],
        }
    }

    /// True if the pair has more than its place: an impulse, a contact that was missed, a held point.
    pub(crate) fn has_state(&self, report: &PairReport) -> bool {
        report.last > 0 || self.missed[1] > 0.0 || self.held.iter().any(Option::is_some)
    }

    /// Gives up the memory of a pair whose place is free.
    fn clear(&mut self) {
        (self.gaps, self.held) = (Vec::new(), Vec::new());
        self.missed = [0.0; 2];
    }
}
