//! Search for the points that touch surfaces within a step, and for the next step in which a pair must be
//! checked again.

use carom_contact::Law;
use carom_contact::shape::{Crossing, Edge, crossing, touching};
use carom_dynamics::rotation;
use nalgebra::{Matrix3, Vector3};

use crate::body::RigidBody;
use crate::contact::Contact;
use crate::edges::look_at_edges;
use crate::free_steps::{Clearance, Motion, free_steps};
use crate::joint::Joints;
use crate::look_at_moving::{look_at_moving, smallest_gap};
use crate::moving::From;
use crate::pair::{Ball, Pair};
use crate::parted::Stand;
use crate::stage::Stage;
use crate::state::State;
use crate::surface::Surface;
use crate::swept;

/// Constants of a step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Step<'a> {
    pub(crate) bodies: &'a [RigidBody],
    pub(crate) states: &'a [State],
    pub(crate) joints: &'a Joints,
    pub(crate) gravity: Vector3<f64>,
    /// Start of the step, or of the part of it \[s\].
    pub(crate) time: f64,
    pub(crate) dt: f64,
    /// Number of the step.
    pub(crate) number: u64,
}

/// Transformation from the frame of the body with the points to that of the body with the surface.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Relative {
    rotation: Matrix3<f64>,
    shift: Vector3<f64>,
}

impl Relative {
    pub(crate) fn new(
        point: (&Matrix3<f64>, &Vector3<f64>),
        surface: (&Matrix3<f64>, &Vector3<f64>),
    ) -> Self {
        Self { rotation: surface.0.tr_mul(point.0), shift: surface.0.tr_mul(&(point.1 - surface.1)) }
    }

    /// Transforms a position of the first body into the frame of the second.
    pub(crate) fn place(&self, x: &Vector3<f64>) -> Vector3<f64> {
        self.rotation * x + self.shift
    }

    /// Turns a direction of the first body into the frame of the second.
    pub(crate) fn turn(&self, v: &Vector3<f64>) -> Vector3<f64> {
        self.rotation * v
    }

    /// Transforms an edge of the first body into the frame of the second.
    pub(crate) fn edge(&self, edge: &Edge) -> Edge {
        edge.map(|x| self.place(x), |v| self.turn(v))
    }

    /// Transforms a point of the first body into the frame of the second.
    #[inline]
    pub(crate) fn ball(&self, ball: &Ball, surface: &Surface) -> Ball {
        let edges =
            if surface.shape.has_edges() { ball.edges.map(|edge| self.rotation * edge) } else { ball.edges };
        Ball { center: self.place(&ball.center), radius: ball.radius, edges }
    }
}

/// Finds the contacts that the motion without contact closes (forward increment), and those that remain
/// closed.
///
/// * `nearby` — numbers of the pairs whose bodies are near each other, ascending
pub(crate) fn search(
    nearby: &[u32],
    pairs: &mut [Pair],
    stages: &mut [Stage],
    step: &Step<'_>,
    contacts: &mut Vec<Contact>,
) {
    for number in nearby.iter().map(|&number| number as usize) {
        let pair = &mut pairs[number];
        if pair.due > step.number {
            continue;
        }
        let first = contacts.len();
        let clearance = look(number, pair, stages, step, contacts);
        if contacts.len() == first && pair.surface.shape.can_be_passed() {
            let reach = Motion::new(pair, stages, step).reach(step.dt, clearance.distance);
            if clearance.gap < reach {
                swept::look(pair, stages, step);
            }
        }
        if contacts.len() == first {
            pair.due = step.number + 1 + free_steps(pair, stages, step, clearance);
        }
    }
}

/// Number of free steps by the box around faces from which on the gaps, which are larger, are not computed.
const ENOUGH: u64 = 8;

fn look(
    number: usize,
    pair: &mut Pair,
    stages: &mut [Stage],
    step: &Step<'_>,
    contacts: &mut Vec<Contact>,
) -> Clearance {
    let [a, b] = pair.bodies;
    let [rot_a, rot_b] = [a, b].map(|i| rotation::matrix(&stages[i].next.quaternion));
    let end = Relative::new((&rot_a, &stages[a].next.position), (&rot_b, &stages[b].next.position));
    let sheets = pair.surface.shape.sheets();
    // Bodies that rest on each other fall together without contact; the inelastic phase decides whether
    // they touch.
    let margin = match pair.law {
        Law::Hard => 2.0 * step.gravity.norm() * step.dt * step.dt,
        Law::Penalty(_) => 0.0,
    };
    // A gap beyond this limit changes nothing but the clearance.
    let limit = margin.max(pair.surface.flush());
    if pair.blocks.is_some() {
        return look_at_blocks(number, pair, (&end, margin, limit), stages, step, contacts);
    }
    let least = least_gap(pair, &end);
    let is_outside = least > limit;
    let mut clearance = Clearance { gap: if is_outside { least } else { f64::INFINITY }, distance: 0.0 };
    let (bodies, before) = (pair.bodies, contacts.len());
    let mut smallest_found = f64::INFINITY;
    let of_points = pair.known.first_point();
    for point in 0..pair.points.len() {
        let there = end.ball(&pair.points[point], &pair.surface);
        clearance.distance = clearance.distance.max(there.center.norm());
        let is_far = is_outside || {
            let [least, _] = pair.known.range(of_points + point, &pair.surface, &there);
            least > limit && least >= smallest_found
        };
        for sheet in 0..sheets {
            let slot = point * sheets + sheet;
            if is_far && pair.held[point].is_none() && pair.gaps[slot] >= 0.0 {
                continue;
            }
            let at_start = |pair: &mut Pair| start(bodies, step).ball(&pair.points[point], &pair.surface);
            let was_held = pair.held[point].is_some();
            let gap = pair.gap_at_end(slot, &there, at_start);
            if !was_held && pair.held[point].is_none() {
                pair.known.remember(of_points + point, &there, gap);
            }
            smallest_found = smallest_found.min(gap);
            if gap < margin || pair.gaps[slot] < 0.0 {
                contacts.push(Contact {
                    pair: Some(number),
                    key: pair.key,
                    slot,
                    gap_new: gap,
                    ..Contact::default()
                });
            }
        }
    }
    if !is_outside || pair.holds_moving() {
        let found = (&mut clearance, &mut smallest_found);
        look_at_moving(number, pair, (&end, margin, limit), step, found, contacts);
    }
    for body in [a, b].into_iter().filter(|_| contacts.len() > before) {
        stages[body].touch(&step.states[body]);
    }
    clearance.gap = clearance.gap.min(smallest_found);
    if is_outside && contacts.len() == before && free_steps(pair, stages, step, clearance) < ENOUGH {
        // Held points have gaps of their own.
        clearance.gap = smallest_gap(pair, &end).min(smallest_found);
    }
    let first = contacts.len();
    look_at_edges(number, pair, (&end, margin), None, &mut clearance, contacts);
    for body in [a, b].into_iter().filter(|_| contacts.len() > first) {
        stages[body].touch(&step.states[body]);
    }
    clearance
}

/// The contacts of two blocks: those along the direction in which they can part.
///
/// * `(end, margin, limit)` — positions at the end of the step, the gap below which there are contacts, and
///   the distance within which blocks are near each other \[m\]
fn look_at_blocks(
    number: usize,
    pair: &mut Pair,
    (end, margin, limit): (&Relative, f64, f64),
    stages: &mut [Stage],
    step: &Step<'_>,
    contacts: &mut Vec<Contact>,
) -> Clearance {
    let (bodies, flush) = (pair.bodies, pair.surface.flush());
    let mut clearance = Clearance { gap: 0.0, distance: 0.0 };
    let Some(blocks) = pair.blocks.as_deref_mut() else { return clearance };
    clearance.distance = blocks.farthest(end);
    pair.held.fill(None);
    let direction = match blocks.stand(|| start(bodies, step), end, [limit, flush]) {
        Stand::Apart(gap) => return Clearance { gap, ..clearance },
        Stand::Near(direction) => direction,
    };
    let before = contacts.len();
    if let Some(face) = blocks.face(&direction) {
        for (slot, ball) in pair.points.iter().enumerate() {
            let there = end.ball(ball, &pair.surface);
            let gap = face.gap(&there);
            if gap < margin && blocks.is_on(&face, &there.center, flush) {
                pair.held[slot] = Some(face);
                let contact =
                    Contact { pair: Some(number), key: pair.key, slot, gap_new: gap, ..Contact::default() };
                contacts.push(contact);
            }
        }
    }
    look_at_edges(number, pair, (end, margin), Some(&direction), &mut clearance, contacts);
    for body in bodies.into_iter().filter(|_| contacts.len() > before) {
        stages[body].touch(&step.states[body]);
    }
    Clearance { gap: 0.0, ..clearance }
}

/// The bound of the gaps of all points by the box around faces; −∞ for other shapes.
fn least_gap(pair: &Pair, end: &Relative) -> f64 {
    if !pair.surface.has_hull() {
        return f64::NEG_INFINITY;
    }
    let bound = |point| pair.surface.least_gap(&end.ball(point, &pair.surface));
    pair.balls().map(bound).fold(f64::INFINITY, f64::min)
}

/// The transformation at the start of the step.
#[cold]
pub(crate) fn start(bodies: [usize; 2], step: &Step<'_>) -> Relative {
    let [a, b] = bodies.map(|i| &step.states[i]);
    let [rot_a, rot_b] = [a, b].map(|state| rotation::matrix(&state.quaternion));
    Relative::new((&rot_a, &a.position), (&rot_b, &b.position))
}

/// Depth relative to the size of a pair that counts as touching at the start, as positions are rounded
/// numbers.
const TOUCHING: f64 = 1e-6;

/// Depth of the points of a pair behind its surface, if it is more than rounding explains \[m\].
pub(crate) fn overlap(pair: &mut Pair, states: &[State]) -> Option<f64> {
    let [a, b] = pair.bodies.map(|i| &states[i]);
    let [rot_a, rot_b] = [a, b].map(|state| rotation::matrix(&state.quaternion));
    let there = Relative::new((&rot_a, &a.position), (&rot_b, &b.position));
    if let Some(blocks) = &pair.blocks {
        let depth = blocks.overlap(&there);
        return (depth > TOUCHING * blocks.farthest(&there)).then_some(depth);
    }
    pair.hold_at_start(&there);
    let (mut depth, mut extent) = (0.0_f64, 0.0_f64);
    for ball in pair.points.iter() {
        let ball = there.ball(ball, &pair.surface);
        extent = extent.max(ball.center.norm() + ball.radius);
        for sheet in 0..pair.surface.shape.sheets() {
            depth = depth.max(-pair.surface.gap(sheet, &ball).0);
        }
    }
    if let Some(moving) = pair.moving.clone() {
        extent = extent.max(there.place(&Vector3::zeros()).norm() + moving.radius);
        let Pair { surface, known, .. } = pair;
        for sheet in 0..surface.shape.sheets() {
            let mut walk = moving.tree.walk();
            while let Some((leaf, _)) = walk.next(&moving.tree, 0.0, |node, ball, _| {
                let ball = there.ball(ball, surface);
                known.bound(node, surface, sheet, &ball, [0.0; 2])
            }) {
                let part = moving.tree.part(leaf);
                let found = moving.nearest(part, From::Middle, &there, |ball| surface.gap(sheet, ball));
                depth = depth.max(-found.gap);
            }
        }
    }
    let deepest = pair.spheres.map_or(0.0, |spheres| spheres.deepest);
    for edge in pair.edges[0].iter() {
        let edge = there.edge(edge);
        let touches = pair.edges[1].iter().filter_map(|other| touching(&edge, other, deepest));
        depth = touches.fold(depth, |depth, touch| depth.max(-touch.gap));
    }
    (depth > TOUCHING * extent).then_some(depth)
}

/// Sets normals and arms of the contacts in the mid-step configuration of the motion without contact, and
/// their gaps at the start of the step.
///
/// Both arms end in one point y, half-way between both surfaces on their common normal, so that forces of
/// any direction at y keep the angular momentum:
///
/// ```text
/// y = x̂_s − (ρ + g/2) n,   c_s = y − X̂_s,   c_m = y − X̂_m,   X̂ = X_n + dt/2 v_n
/// ```
///
/// # Source
///
/// Zywicz & Puso (1999), eqs. (40) and (41) with the factor ½; Puso & Zywicz (1998), eq. (13) with its
/// signs corrected (docs/papers.md). In these papers the foot points are those of the predicted end of the
/// step, and d is not along n. With half-way foot points, as in eq. (11) of the latter for penalties, d = g
/// n, and balls whose centres are their centres of mass get no moment.
pub(crate) fn set_arms(pairs: &mut [Pair], stages: &[Stage], step: &Step<'_>, contacts: &mut [Contact]) {
    for contact in contacts {
        // Stops are complete.
        let Some(number) = contact.pair else { continue };
        let pair = &mut pairs[number];
        let [a, b] = pair.bodies.map(|i| &stages[i]);
        let [fall_a, fall_b] = pair.bodies.map(|i| fall_half_way(step, i));
        let mid =
            Relative::new((&a.rot_mid, &(a.position_mid + fall_a)), (&b.rot_mid, &(b.position_mid + fall_b)));
        let touch = Touch::at(pair, contact, &mid);
        let normal = b.rot_mid * touch.normal_b;
        let centre = a.rot_mid * touch.place_a;
        let gap = touch.gap - normal.dot(&(fall_a - fall_b));
        let y = a.position_mid + centre - (touch.radius + 0.5 * gap) * normal;
        contact.bodies = pair.bodies.map(Some);
        contact.arms = [y - a.position_mid, y - b.position_mid];
        contact.set_normal(normal);
        (contact.restitution, contact.friction) = (pair.restitution, pair.friction);
        contact.stiffness = pair.stiffness();
        let [from, to] = pair.bodies.map(|i| &step.states[i]);
        let start = Relative::new((&a.rot_ib, &from.position), (&b.rot_ib, &to.position));
        let touch = Touch::at(pair, contact, &start);
        // Edges that do not cross within their lengths have no depth.
        let gap_old = if touch.is_near { touch.gap } else { touch.gap.max(0.0) };
        contact.gap_old = match pair.law {
            Law::Hard => gap_old.min(0.0),
            // A gap that is closed before its spring is active would create energy.
            Law::Penalty(_) if pair.gaps[contact.slot] < 0.0 => pair.gaps[contact.slot],
            Law::Penalty(_) => gap_old.max(0.0),
        };
        contact.rests = pair.law == Law::Hard && pair.restitution < 1.0;
        if contact.rests {
            let normal_old = if touch.is_near { b.rot_ib * touch.normal_b } else { normal };
            let point = a.rot_ib * touch.place_a - touch.radius * normal_old;
            let opposite = from.position + point - to.position;
            let rate = normal_old.dot(&(velocity(a, &point) - velocity(b, &opposite)));
            let limit = RETURN_LIMIT * step.dt * loads(pair.bodies, step, &normal_old);
            let back = (RETURN * gap_old / step.dt).clamp(-limit, limit);
            (contact.lasting, contact.rising) = (back - rate, (-back).max(0.0));
        }
    }
}

/// Gap of a contact of a pair at the end of the motion without contact \[m\].
pub(crate) fn gap_at_end(pair: &mut Pair, contact: &Contact, stages: &[Stage]) -> f64 {
    let [a, b] = pair.bodies.map(|i| &stages[i].next);
    let [rot_a, rot_b] = [a, b].map(|state| rotation::matrix(&state.quaternion));
    let touch = Touch::at(pair, contact, &Relative::new((&rot_a, &a.position), (&rot_b, &b.position)));
    if touch.is_near { touch.gap } else { f64::INFINITY }
}

/// Geometry of a slot of a pair in one configuration.
struct Touch {
    gap: f64,
    /// Out of the second body, frame of that.
    normal_b: Vector3<f64>,
    /// Centre of the ball, or point of the edge, frame of the first body \[m\].
    place_a: Vector3<f64>,
    radius: f64,
    /// False for edges that do not cross within their lengths.
    is_near: bool,
}

impl Touch {
    fn at(pair: &mut Pair, &Contact { slot, xi, .. }: &Contact, relative: &Relative) -> Self {
        let [first, second] = &pair.edges;
        let points = pair.gaps.len() - first.len() * second.len();
        if slot < points {
            let sheets = pair.surface.shape.sheets();
            if let (Some(k), Some(moving)) = (pair.moving_of(slot), pair.moving.clone()) {
                let found = moving.nearest(k, From::Place(xi), relative, |ball| pair.gap(slot, ball));
                let (gap, normal_b) = (found.gap, found.normal);
                return Self { gap, normal_b, place_a: found.place, radius: 0.0, is_near: true };
            }
            let ball = pair.points[slot / sheets];
            let (gap, normal_b) = pair.gap(slot, &relative.ball(&ball, &pair.surface));
            return Self { gap, normal_b, place_a: ball.center, radius: ball.radius, is_near: true };
        }
        let edge = &first[(slot - points) / second.len()];
        let (there, other) = (relative.edge(edge), &second[(slot - points) % second.len()]);
        let Crossing { gap, normal, at: [at, _] } = crossing(&there, other);
        let is_near = match &pair.blocks {
            Some(blocks) => blocks.touching(relative, &there, other),
            None => touching(&there, other, pair.spheres.map_or(0.0, |s| s.deepest)),
        };
        Self {
            gap,
            normal_b: normal,
            // Edges that have turned past each other within the step cross far away.
            place_a: edge.center + at.clamp(-1.0, 1.0) * edge.half,
            radius: 0.0,
            is_near: is_near.is_some(),
        }
    }
}

/// β: fraction of its gap that a lasting contact closes in a step. The gap and its rate then fall to a half
/// and to a third in each step, the roots of λ² − (1 − β/2) λ + β/2.
pub(crate) const RETURN: f64 = 1.0 / 3.0;

/// κ: largest velocity of the return, as a fraction of the velocity that the loads give in a step. Below a
/// half, the loads close the gap again within the step, so that the contact lasts.
pub(crate) const RETURN_LIMIT: f64 = 0.25;

/// Displacement by the weight that is added to X̂ \[m\]. With it, n·(x_{n+1} − x_n) is the change of the
/// gap of a ball on a sphere for any impulse along n.
fn fall_half_way(step: &Step<'_>, body: usize) -> Vector3<f64> {
    if step.bodies[body].fixed { Vector3::zeros() } else { 0.25 * step.dt * step.dt * step.gravity }
}

/// Velocity of a point of a body at the start of the step, by its arm \[m/s\].
fn velocity(stage: &Stage, arm: &Vector3<f64>) -> Vector3<f64> {
    stage.velocity_old + (stage.rot_ib * stage.omega_old).cross(arm)
}

/// Largest acceleration by which loads press bodies together \[m/s²\]: gravity along the normal against a
/// fixed body, and the whole of gravity between bodies that others may hold.
fn loads(bodies: [usize; 2], step: &Step<'_>, normal: &Vector3<f64>) -> f64 {
    let along = step.gravity.dot(normal);
    match bodies.map(|i| step.bodies[i].fixed) {
        [false, true] => (-along).max(0.0),
        [true, false] => along.max(0.0),
        _ => step.gravity.norm(),
    }
}
