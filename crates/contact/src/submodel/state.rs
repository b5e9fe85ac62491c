//! What changes: the states of the bodies, and the memory from one solve to the next.

use nalgebra::{Matrix3, Vector3};

use super::QuasistaticContact;
use super::tangents::{Anchor, FrictionMemory};
use crate::geometry::Start;

/// Configuration of a body without its high modes.
#[derive(Debug, Clone, Copy)]
pub struct BodyState<'a> {
    /// Rotation from body to inertial components.
    pub rot_ib: Matrix3<f64>,
    /// Origin of the body frame, inertial components \[m\].
    pub r_ib_i: Vector3<f64>,
    /// Positions of the surface points in the body frame, low modes included, high modes not: 3n numbers
    /// \[m\].
    pub positions_b: &'a [f64],
    /// Velocities, for the rates of the gaps; without them the rates are zero.
    pub twist: Option<Twist<'a>>,
}

/// Velocity of a body without its high modes, in body components.
#[derive(Debug, Clone, Copy)]
pub struct Twist<'a> {
    /// Velocity of the origin of the body frame \[m/s\].
    pub v_ib_b: Vector3<f64>,
    /// Angular velocity \[rad/s\].
    pub omega_ib_b: Vector3<f64>,
    /// Velocities of the points relative to the body frame (Φ_lf q̇_lf), 3n numbers \[m/s\]; empty for a
    /// rigid body.
    pub rates_b: &'a [f64],
}

/// Gradient of the gap of a span with respect to the positions of the points of its two bodies, in their own
/// frames.
#[derive(Debug, PartialEq, Default)]
pub struct Row {
    /// Points of the first body with ∂g/∂x.
    pub first: Vec<(u32, [f64; 3])>,
    /// Points of the second body with ∂g/∂x; empty for planes and spheres.
    pub second: Vec<(u32, [f64; 3])>,
    /// For planes and spheres ∂g by a translation and by a rotation about the origin of the second body, else
    /// zero; in tangential rows of faces the rotation that their points leave out.
    pub reaction: [[f64; 3]; 2],
}

impl Row {
    /// Forgets all entries and keeps their room.
    pub(super) fn clear(&mut self) {
        self.first.clear();
        self.second.clear();
        self.reaction = [[0.0; 3]; 2];
    }
}

impl Clone for Row {
    fn clone(&self) -> Self {
        Self { first: self.first.clone(), second: self.second.clone(), reaction: self.reaction }
    }

    /// Keeps the memory of `self`, which the derived implementation would not: rows are copied in every
    /// evaluation.
    fn clone_from(&mut self, source: &Self) {
        self.first.clone_from(&source.first);
        self.second.clone_from(&source.second);
        self.reaction = source.reaction;
    }
}

/// What is remembered of a span.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpanMemory {
    /// Average gap when it was last looked at, or a bound from below if it was far away \[m\].
    pub gap: f64,
    /// Bound from below on the average gap now: `gap` less all motion since \[m\].
    pub slack: f64,
    /// Depth of its deepest integration point when it was last looked at, if the gap was open on the average
    /// then; else 0 \[m\].
    pub overlap: f64,
    /// True if its foot points are known.
    pub has_feet: bool,
}

/// All memory from one solve to the next, as plain data: the same state and warm state give the same bits.
#[derive(Debug, Clone, PartialEq)]
pub struct WarmState {
    /// Force on each span \[N\]; with friction three components a span, the normal one first.
    pub lambda: Vec<f64>,
    /// Displacement of the points of each body by the high modes, 3n numbers \[m\].
    pub displacement: Vec<Vec<f64>>,
    /// Forces that bring it about \[N\].
    pub force: Vec<Vec<f64>>,
    /// Foot points of all integration points.
    pub feet: Vec<Start>,
    /// One for each span.
    pub spans: Vec<SpanMemory>,
    /// For each pair the positions of the first zone's points in the frame of the second body when gaps were
    /// last taken.
    pub first_positions: Vec<Vec<[f64; 3]>>,
    /// For each pair the positions of the second zone's points then.
    pub second_positions: Vec<Vec<[f64; 3]>>,
    /// Friction since the last accepted state.
    pub friction: FrictionMemory,
    /// Rows of the condensed compliance, ascending.
    pub condensed: Vec<u32>,
    /// The rows from which it was made; for n of them the first n count.
    pub condensed_rows: Vec<Row>,
    /// Checksum of these rows; 0 without.
    pub condensed_id: u64,
}

/// Memory of a span of which nothing is known.
const UNKNOWN: SpanMemory = SpanMemory { gap: 0.0, slack: f64::NEG_INFINITY, overlap: 0.0, has_feet: false };

impl QuasistaticContact {
    /// Memory of nothing: the first solve searches everywhere.
    pub fn cold(&self) -> WarmState {
        let per_body = || self.bodies.iter().map(|b| vec![0.0; 3 * b.n_points]).collect();
        let points = |zone: usize| self.face_zone(zone).map_or(0, |z| z.points.len());
        let zeros = |zone: usize| vec![[0.0; 3]; points(zone)];
        WarmState {
            lambda: vec![0.0; self.n_rows()],
            displacement: per_body(),
            force: per_body(),
            friction: self.no_friction_yet(),
            feet: vec![Start::default(); self.n_feet],
            spans: vec![UNKNOWN; self.n_spans],
            first_positions: self.pairs.iter().map(|p| zeros(p.pair.first)).collect(),
            second_positions: self.pairs.iter().map(|p| zeros(p.pair.second)).collect(),
            condensed: Vec::new(),
            condensed_rows: Vec::new(),
            condensed_id: 0,
        }
    }

    /// Memory of friction before any state was accepted.
    fn no_friction_yet(&self) -> FrictionMemory {
        if !self.has_friction() {
            return FrictionMemory::default();
        }
        let (anchors, feet) = (vec![Anchor::default(); self.n_spans], vec![Start::default(); self.n_feet]);
        FrictionMemory { anchors, feet, loss: 0.0 }
    }

    /// True if a warm state is one of this problem.
    pub(super) fn fits(&self, warm: &WarmState) -> bool {
        let bodies = |v: &[Vec<f64>]| {
            v.len() == self.bodies.len() && v.iter().zip(&self.bodies).all(|(v, b)| v.len() == 3 * b.n_points)
        };
        warm.lambda.len() == self.n_rows()
            && warm.friction.anchors.len() == if self.has_friction() { self.n_spans } else { 0 }
            && warm.friction.feet.len() == if self.has_friction() { self.n_feet } else { 0 }
            && warm.spans.len() == self.n_spans
            && warm.feet.len() == self.n_feet
            && bodies(&warm.displacement)
            && bodies(&warm.force)
            && warm.first_positions.len() == self.pairs.len()
            && warm.second_positions.len() == self.pairs.len()
            && warm.condensed.len() <= warm.condensed_rows.len()
            && warm.condensed.len().is_multiple_of(self.n_parts)
            && warm.condensed.iter().all(|&r| (r as usize) < self.n_rows())
            && self.feet_fit(warm)
    }

    fn feet_fit(&self, warm: &WarmState) -> bool {
        self.pairs.iter().enumerate().all(|(k, p)| {
            let (first, second) = (self.face_zone(p.pair.first), self.face_zone(p.pair.second));
            let count =
                |zone: &Option<super::model::FaceZone<'_>>| zone.as_ref().map_or(0, |z| z.points.len());
            let n_faces = second.as_ref().map_or(1, |z| z.faces.n_faces()) as u32;
            let feet = &warm.feet[p.foot_offset..p.foot_offset + p.spans.n_points()];
            warm.first_positions[k].len() == count(&first)
                && warm.second_positions[k].len() == count(&second)
                && feet.iter().all(|foot| foot.face < n_faces)
                && (!self.has_friction()
                    || warm.friction.feet[p.foot_offset..p.foot_offset + p.spans.n_points()]
                        .iter()
                        .all(|foot| foot.face < n_faces))
        })
    }
}

impl WarmState {
    /// The state as numbers, for a checkpoint; [`Self::read_numbers`] is the inverse, bit for bit.
    pub fn to_numbers(&self) -> Vec<f64> {
        let mut out = Vec::new();
        out.extend(&self.lambda);
        self.displacement.iter().chain(&self.force).for_each(|v| out.extend(v));
        self.feet.iter().for_each(|f| out.extend([f64::from(f.face), f.xi[0], f.xi[1]]));
        self.spans
            .iter()
            .for_each(|s| out.extend([s.gap, s.slack, s.overlap, f64::from(u8::from(s.has_feet))]));
        let friction = &self.friction;
        friction.feet.iter().for_each(|f| out.extend([f64::from(f.face), f.xi[0], f.xi[1]]));
        for anchor in &friction.anchors {
            out.extend(anchor.force.iter().chain(&anchor.offset));
            out.extend([f64::from(u8::from(anchor.is_set)), f64::from(anchor.axis)]);
        }
        out.push(friction.loss);
        let positions = self.first_positions.iter().chain(&self.second_positions);
        positions.for_each(|v| v.iter().for_each(|x| out.extend(x)));
        out.push(self.condensed.len() as f64);
        for (span, row) in self.condensed.iter().zip(&self.condensed_rows) {
            out.extend([f64::from(*span), row.first.len() as f64, row.second.len() as f64]);
            for (k, x) in row.first.iter().chain(&row.second) {
                out.push(f64::from(*k));
                out.extend(x);
            }
            row.reaction.iter().for_each(|x| out.extend(x));
        }
        // Two halves, as 64 bits do not fit into the mantissa.
        out.extend([(self.condensed_id >> 32) as f64, (self.condensed_id & 0xffff_ffff) as f64]);
        out
    }

    /// Takes the state from numbers made by [`Self::to_numbers`]; `self` gives the sizes (a cold state does).
    ///
    /// Returns false, and leaves `self` in no useful state, if the numbers are not those of such a state.
    pub fn read_numbers(&mut self, numbers: &[f64]) -> bool {
        let mut reader = Reader { numbers, ok: true };
        reader.fill(&mut self.lambda);
        self.displacement.iter_mut().chain(&mut self.force).for_each(|v| reader.fill(v));
        for foot in &mut self.feet {
            *foot = Start { face: reader.index(), xi: [reader.next(), reader.next()] };
        }
        for span in &mut self.spans {
            let [gap, slack, overlap, has_feet] = std::array::from_fn(|_| reader.next());
            *span = SpanMemory { gap, slack, overlap, has_feet: has_feet == 1.0 };
        }
        for foot in &mut self.friction.feet {
            *foot = Start { face: reader.index(), xi: [reader.next(), reader.next()] };
        }
        for anchor in &mut self.friction.anchors {
            let (force, offset, is_set) = (reader.vector(), reader.vector(), reader.next() == 1.0);
            *anchor = Anchor { force, offset, is_set, axis: reader.index().min(2) as u8 };
        }
        self.friction.loss = reader.next();
        for positions in self.first_positions.iter_mut().chain(&mut self.second_positions) {
            positions.iter_mut().for_each(|x| *x = reader.vector());
        }
        let n = reader.count(3);
        self.condensed.clear();
        self.condensed_rows.clear();
        for _ in 0..n {
            self.condensed.push(reader.index());
            let counts = [reader.count(4), reader.count(4)];
            let mut entries = |n: usize| (0..n).map(|_| (reader.index(), reader.vector())).collect();
            let (first, second) = (entries(counts[0]), entries(counts[1]));
            self.condensed_rows.push(Row { first, second, reaction: [reader.vector(), reader.vector()] });
        }
        self.condensed_id = (u64::from(reader.index()) << 32) | u64::from(reader.index());
        reader.ok && reader.numbers.is_empty()
    }
}

/// Takes numbers from the front; notes when there are none left or one is no index.
struct Reader<'a> {
    numbers: &'a [f64],
    ok: bool,
}

impl Reader<'_> {
    fn next(&mut self) -> f64 {
        match self.numbers.split_first() {
            Some((x, rest)) => {
                self.numbers = rest;
                *x
            }
            None => {
                self.ok = false;
                0.0
            }
        }
    }

    fn index(&mut self) -> u32 {
        let x = self.next();
        self.ok &= x >= 0.0 && x <= f64::from(u32::MAX) && x.fract() == 0.0;
        x as u32
    }

    /// A number of things that take at least `size` numbers each: never more than there can be.
    fn count(&mut self, size: usize) -> usize {
        let n = self.index() as usize;
        let fits = n <= self.numbers.len() / size;
        self.ok &= fits;
        if fits { n } else { 0 }
    }

    fn vector(&mut self) -> [f64; 3] {
        [self.next(), self.next(), self.next()]
    }

    fn fill(&mut self, out: &mut [f64]) {
        out.iter_mut().for_each(|x| *x = self.next());
    }
}
