//! One pair of surfaces: its rows, and the history of its contact.

use carom_contact::Shape;
use carom_contact::geometry::Faces;
use carom_contact::node_to_face::{ContactSide, Limits, NodeToFace, Nodes, Passes};
use carom_dynamics::{BodyMotion, ContactSample, ContactTracker};
use nalgebra::Vector3;

use super::{Entry, Row, RowForce};
use crate::complementarity::SetupError;
use crate::complementarity::body::LinearBody;
use crate::surface_nodes;

/// Distance on both sides of a surface in which nodes are sought, relative to the smallest face.
const DEPTH: f64 = 1.0;

/// One side of a pair.
pub(in crate::complementarity) enum Side {
    /// A set of faces of a deformable body.
    Moving {
        /// Number of the body.
        body: usize,
        /// Name of the set.
        set: String,
    },
    /// A wall at rest: its surface in inertial axes.
    Wall(Box<Shape>),
}

/// Two surfaces that may touch: nodes of the first against the second.
pub(in crate::complementarity) struct PairSpec {
    pub(in crate::complementarity) sides: [Side; 2],
    /// Number among all contacts.
    pub(in crate::complementarity) number: usize,
    /// Numbers of the bodies in the problem, in the order of the scenario.
    pub(in crate::complementarity) named: [usize; 2],
    /// Name for messages.
    pub(in crate::complementarity) name: String,
    /// Distance by which surfaces may approach in a step \[m\].
    pub(in crate::complementarity) reach: f64,
    /// Coefficient of friction.
    pub(in crate::complementarity) friction: f64,
}

/// The force of a row of the last step.
#[derive(Debug, Clone, Copy)]
pub(in crate::complementarity) struct Known {
    pub(in crate::complementarity) node: u32,
    pub(in crate::complementarity) face: u32,
    pub(in crate::complementarity) force: RowForce,
}

/// Two surfaces that may touch.
pub(in crate::complementarity) struct Pair {
    pub(in crate::complementarity) name: String,
    pub(in crate::complementarity) number: usize,
    /// Numbers of the bodies in the problem, in the order of the scenario.
    pub(in crate::complementarity) named: [usize; 2],
    /// Numbers of the bodies; none for a wall.
    pub(in crate::complementarity) bodies: [Option<usize>; 2],
    /// True if the scenario names the wall first.
    pub(in crate::complementarity) is_turned: bool,
    /// Point of its body of each point of the surfaces.
    points: [Vec<u32>; 2],
    places: [Vec<Vector3<f64>>; 2],
    gaps: NodeToFace,
    pub(in crate::complementarity) reach: f64,
    /// Smallest diagonal of a face at rest \[m\].
    pub(in crate::complementarity) size: f64,
    /// Forces of a wall on the points of the body, at the start and at the end of the last step \[N\]; empty
    /// for a pair of bodies.
    pub(in crate::complementarity) wall_forces: [Vec<Vector3<f64>>; 2],
    /// Coefficient of friction.
    pub(in crate::complementarity) friction: f64,
    /// The rows of the last step with a force, by node and face.
    pub(in crate::complementarity) last: Vec<Known>,
    pub(in crate::complementarity) history: History,
}

/// Forces and impulses of a pair.
#[derive(Debug, Clone, Default)]
pub(in crate::complementarity) struct History {
    /// Force on the first body at the end of the last step \[N\], Σ λ and Σ λ x.
    pub(in crate::complementarity) force: Vector3<f64>,
    pub(in crate::complementarity) pressed: (f64, Vector3<f64>),
    /// Smallest gap at the end of the last step; infinite if no node is near \[m\].
    pub(in crate::complementarity) least_gap: f64,
    /// The deepest node since the start \[m\].
    pub(in crate::complementarity) deepest: f64,
    /// Its part without friction \[N\].
    pub(in crate::complementarity) normal_force: Vector3<f64>,
    /// Impulse on the first body since the start and its part without friction, and both before the last
    /// step \[N s\].
    pub(in crate::complementarity) impulses: [Vector3<f64>; 2],
    pub(in crate::complementarity) impulses_before: [Vector3<f64>; 2],
    /// Impulse on the first body in the last step, and that of all multipliers, Σ ∫ λ dt \[N s\].
    pub(in crate::complementarity) of_step: (Vector3<f64>, f64),
    pub(in crate::complementarity) last_place: Vector3<f64>,
    pub(in crate::complementarity) tracker: ContactTracker,
}

impl Pair {
    pub(in crate::complementarity) fn new(
        bodies: &[LinearBody],
        spec: PairSpec,
        is_turned: bool,
    ) -> Result<Self, SetupError> {
        let PairSpec { sides: [first, second], number, named, name, reach, friction } = spec;
        let (first, second) = (prepared(bodies, first)?, prepared(bodies, second)?);
        let size_of =
            |side: &Prepared| side.side.shape.as_faces().map_or(f64::INFINITY, surface_nodes::smallest_face);
        let size = size_of(&first).min(size_of(&second));
        let reach = reach.max(DEPTH * size);
        let limits = Limits { reach, depth: DEPTH * size };
        let faced = ContactSide { nodes: Nodes::default(), ..second.side };
        let n_pressed = match (first.body, second.body) {
            (Some(body), None) => bodies[body].discretisation.n_points(),
            _ => 0,
        };
        let wall_forces = [vec![Vector3::zeros(); n_pressed], vec![Vector3::zeros(); n_pressed]];
        Ok(Self {
            name,
            number,
            named,
            wall_forces,
            bodies: [first.body, second.body],
            is_turned,
            points: [first.points, second.points],
            places: [first.places, second.places],
            gaps: NodeToFace::new([first.side, faced], limits, Passes::Single)?,
            reach,
            size,
            friction,
            last: Vec::new(),
            history: History { least_gap: f64::INFINITY, ..History::default() },
        })
    }

    /// Gives the points of the surfaces to the compliance of their bodies.
    pub(in crate::complementarity) fn register(&self, bodies: &mut [LinearBody]) {
        for (body, points) in self.bodies.iter().zip(&self.points) {
            if let Some(body) = body {
                bodies[*body].compliance.include(points);
            }
        }
    }

    /// Keeps the forces of the last step.
    pub(super) fn keep_forces(&mut self, rows: &[Row]) {
        self.last.clear();
        let number = self.number;
        let own = rows.iter().filter(|row| row.is_pressed() && row.pair == number);
        self.last.extend(own.map(|row| Known { node: row.node, face: row.face, force: row.force }));
        self.sort_forces();
    }

    pub(super) fn sort_forces(&mut self) {
        self.last.sort_by_key(|known| (known.node, known.face));
    }

    /// Adds the rows of the present state.
    pub(super) fn add_rows(
        &mut self,
        bodies: &[LinearBody],
        (rows, entries): (&mut Vec<Row>, &mut Vec<Entry>),
    ) {
        for side in 0..2 {
            let Some(body) = self.bodies[side] else { continue };
            for (place, &point) in self.places[side].iter_mut().zip(&self.points[side]) {
                *place = bodies[body].place(point);
            }
        }
        let [first, second] = &self.places;
        self.gaps.update([first, second]);
        for found in self.gaps.rows().iter().filter(|row| !row.foot.beyond_rim) {
            let start = entries.len();
            self.gaps.for_gradient(found, |side, point, c| {
                if let Some(body) = self.bodies[side] {
                    entries.push(Entry { body, point: self.points[side][point as usize], c });
                }
            });
            let key = (found.node, found.foot.face);
            let known = self.last.binary_search_by_key(&key, |known| (known.node, known.face));
            rows.push(Row {
                pair: self.number,
                node: found.node,
                face: found.foot.face,
                gap: found.foot.gap,
                normal: found.foot.normal,
                place: found.foot.position,
                entries: start..entries.len(),
                friction: self.friction,
                force: known.map_or(RowForce::default(), |at| self.last[at].force),
                is_candidate: false,
            });
        }
    }

    /// The largest relative motion of both surfaces in the step \[m\].
    pub(in crate::complementarity) fn moved(&self, bodies: &[LinearBody]) -> f64 {
        let most = |side: usize| {
            let Some(body) = self.bodies[side] else { return [Vector3::zeros(); 2] };
            let start = [Vector3::repeat(f64::INFINITY), Vector3::repeat(f64::NEG_INFINITY)];
            self.points[side].iter().fold(start, |[low, high], &point| {
                let moved = bodies[body].motion_of(point);
                [low.inf(&moved), high.sup(&moved)]
            })
        };
        let ([low, high], [low_of_second, high_of_second]) = (most(0), most(1));
        (high - low_of_second).abs().sup(&(high_of_second - low).abs()).norm()
    }

    /// Ends a step of the length h.
    pub(in crate::complementarity) fn close(&mut self, contacts: &Ended<'_>, h: f64) {
        let before = [self.history.force, self.history.normal_force];
        let pressed_before = self.history.pressed.0;
        let History {
            force,
            normal_force,
            pressed,
            least_gap,
            deepest,
            impulses,
            impulses_before,
            of_step,
            ..
        } = &mut self.history;
        (*force, *pressed, *least_gap) = (Vector3::zeros(), (0.0, Vector3::zeros()), f64::INFINITY);
        *normal_force = Vector3::zeros();
        for row in contacts.rows.iter().filter(|row| row.pair == self.number) {
            let lambda = row.force.lambda;
            *force += row.total();
            *normal_force += lambda * row.normal;
            pressed.0 += lambda;
            pressed.1 += lambda * row.place;
            *least_gap = least_gap.min((contacts.gap)(row));
        }
        self.wall_forces.swap(0, 1);
        let [_, pressing] = &mut self.wall_forces;
        pressing.fill(Vector3::zeros());
        if !pressing.is_empty() {
            for row in contacts.rows.iter().filter(|row| row.pair == self.number) {
                for entry in &contacts.entries[row.entries.clone()] {
                    pressing[entry.point as usize] += entry.c * row.total();
                }
            }
        }
        if self.is_turned {
            (*force, *normal_force) = (-*force, -*normal_force);
        }
        *deepest = deepest.max(-*least_gap);
        let share = contacts.share;
        let mean = |now: Vector3<f64>, before: Vector3<f64>| share * now + (1.0 - share) * before;
        let lambda = share * pressed.0 + (1.0 - share) * pressed_before;
        *of_step = (h * mean(*force, before[0]), h * lambda);
        *impulses_before = *impulses;
        for ((impulse, force), before) in impulses.iter_mut().zip([*force, *normal_force]).zip(before) {
            *impulse += h * mean(force, before);
        }
    }

    /// Motions of both bodies, at present or before the last step.
    pub(in crate::complementarity) fn sample(
        &self,
        bodies: &[LinearBody],
        (time, is_before): (f64, bool),
        place: Vector3<f64>,
    ) -> ContactSample {
        let History { impulses, impulses_before, .. } = &self.history;
        let [impulse, normal_impulse] = if is_before { *impulses_before } else { *impulses };
        let of_body = |body: Option<usize>| {
            body.map_or_else(BodyMotion::default, |body| bodies[body].motion(&place, is_before))
        };
        let mut motions = self.bodies.map(of_body);
        if self.is_turned {
            motions.reverse();
        }
        ContactSample { time, place, bodies: motions, impulse, normal_impulse, ..ContactSample::default() }
    }
}

/// The rows of a step that was taken.
pub(in crate::complementarity) struct Ended<'a> {
    pub(in crate::complementarity) rows: &'a [Row],
    pub(in crate::complementarity) entries: &'a [Entry],
    /// The gap of a row at the end \[m\].
    pub(in crate::complementarity) gap: &'a dyn Fn(&Row) -> f64,
    /// Share of the forces at the end in the mean of the step.
    pub(in crate::complementarity) share: f64,
}

struct Prepared {
    body: Option<usize>,
    points: Vec<u32>,
    places: Vec<Vector3<f64>>,
    side: ContactSide,
}

fn prepared(bodies: &[LinearBody], side: Side) -> Result<Prepared, SetupError> {
    let (number, set) = match side {
        Side::Moving { body, set } => (body, set),
        Side::Wall(shape) => {
            let places = shape.as_faces().map_or_else(Vec::new, |faces| faces.reference.clone());
            let side = ContactSide { shape: *shape, nodes: Nodes::default() };
            return Ok(Prepared { body: None, points: Vec::new(), places, side });
        }
    };
    let body = &bodies[number];
    let surface = body.surface(&set)?;
    let places: Vec<Vector3<f64>> =
        surface.points.iter().map(|&p| body.discretisation.points[p as usize].into()).collect();
    let points = surface.points.clone();
    let faces = Faces::new(surface, &places).map_err(|source| SetupError::Surface {
        body: body.name.clone(),
        set,
        source,
    })?;
    let (nodes, _) = surface_nodes::nodes(&faces);
    let side = ContactSide { shape: Shape::Faces(Box::new(faces)), nodes };
    Ok(Prepared { body: Some(number), points, places, side })
}
