//! What is in contact: bodies, zones on them, pairs of zones. Made once, constant during a run.

use carom_fem::Surface;
use faer::{Mat, MatRef};
use nalgebra::Vector3;

use super::corners::{Corner, corners};
use super::patch::face_sizes;
use super::{SetupError, Tolerances};
use crate::geometry::Faces;
use crate::law::Law;
use crate::pressure::Spans;
use crate::shape::Shape;
use carom_fem::surface::MAX_FACE_POINTS;

/// Radius of the bead in which the second zone of a pair ends, in sizes of the smallest span of the first:
/// the distance of the points over which a gap is averaged.
const RIM_RADIUS: f64 = 0.25;

/// A body as contact knows it: surface points, and how they give way.
#[derive(Debug, Clone)]
pub struct ContactBody {
    /// Name, for messages.
    pub name: String,
    /// Number n of its surface points.
    pub n_points: usize,
    /// U, 3n × 3n, symmetric, positive semi-definite \[m/N\], in the body frame; `None` for a rigid body.
    ///
    /// The displacement of the points by the high modes under unit forces on the points, see [`compliance`].
    pub compliance: Option<Mat<f64>>,
}

/// U = Φ_hf Ω_hf⁻² Φ_hfᵀ of mass-normalised modes.
///
/// * `modes` — high modes at the points, 3n × n_hf \[1/√kg\]
/// * `omega` — their circular frequencies \[rad/s\], positive
///
/// Returns U, 3n × 3n \[m/N\], exactly symmetric.
pub fn compliance(modes: MatRef<'_, f64>, omega: &[f64]) -> Mat<f64> {
    let scaled = Mat::from_fn(modes.nrows(), modes.ncols(), |i, k| modes[(i, k)] / omega[k]);
    let u = &scaled * scaled.transpose();
    Mat::from_fn(u.nrows(), u.ncols(), |i, j| u[(i.max(j), i.min(j))])
}

/// A part of the surface of a body that may come into contact.
#[derive(Debug, Clone)]
pub struct Zone {
    /// Name, for messages: `ball:pole`.
    pub name: String,
    /// Number of the body.
    pub body: usize,
    /// Its shape in the body frame; shapes without faces belong to rigid bodies.
    pub shape: Shape,
    /// Index among the body's points of each point of the faces; empty without faces.
    pub points: Vec<u32>,
    /// For each of these points whether its compliance is complete.
    pub is_interface: Vec<bool>,
}

impl Zone {
    /// A zone without faces: a plane, a sphere, a cavity or a block.
    pub fn of_shape(body: usize, name: &str, shape: Shape) -> Self {
        Self { name: name.to_owned(), body, shape, points: Vec::new(), is_interface: Vec::new() }
    }

    /// A zone of faces.
    ///
    /// * `surface` — faces over numbered points
    /// * `body_points` — the numbers of the body's surface points, ascending; `surface.points` must be among
    ///   them
    /// * `positions_b` — reference positions of the body's surface points \[m\]
    /// * `is_interface` — for each of `surface.points` whether its compliance is complete
    ///
    /// # Errors
    ///
    /// [`SetupError`] if a point of the surface is missing or a face cannot be evaluated.
    pub fn of_faces(
        body: usize,
        name: &str,
        surface: Surface,
        body_points: &[u32],
        positions_b: &[[f64; 3]],
        is_interface: &[bool],
    ) -> Result<Self, SetupError> {
        let zone = || name.to_owned();
        let find = |number: &u32| {
            let index = body_points.binary_search(number).ok().filter(|&k| k < positions_b.len());
            index.map(|k| k as u32).ok_or_else(|| SetupError::MissingPoint { zone: zone(), point: *number })
        };
        let points = surface.points.iter().map(find).collect::<Result<Vec<u32>, _>>()?;
        let mut is_interface = is_interface.to_vec();
        is_interface.resize(points.len(), true);
        let reference: Vec<_> = points.iter().map(|&k| Vector3::from(positions_b[k as usize])).collect();
        let shape = Shape::faces(surface, &reference);
        let shape = shape.map_err(|source| SetupError::Surface { zone: zone(), source })?;
        Ok(Self { name: zone(), body, shape, points, is_interface })
    }

    /// Marks edges at which the zone ends because the surface of the body turns there, see
    /// [`Shape::with_sharp_edges`].
    pub fn with_sharp_edges(mut self, edges: &[[u32; 2]]) -> Self {
        self.shape = self.shape.with_sharp_edges(edges);
        self
    }
}

/// Two zones that may touch.
#[derive(Debug, Clone, Copy)]
pub struct Pair {
    /// Number of the zone that carries the pressure points: faces, and the one with the smaller spans.
    pub first: usize,
    /// Number of the zone on which its points are projected.
    pub second: usize,
    /// Normal law.
    pub law: Law,
    /// Coefficient of Coulomb friction μ ≥ 0.
    pub friction: f64,
    /// Depth \[m\] beyond which a point counts as lying behind the second zone and not as touching it;
    /// without it a quarter of the diagonal of the first zone's box.
    pub max_depth: Option<f64>,
}

/// The condensed contact problem of several bodies: immutable, shared by all calls.
#[derive(Debug, Clone)]
pub struct QuasistaticContact {
    /// The bodies, in the order of the states.
    pub bodies: Vec<ContactBody>,
    /// The zones.
    pub zones: Vec<Zone>,
    /// Convergence.
    pub tolerances: Tolerances,
    pub(super) pairs: Vec<PairModel>,
    pub(super) n_spans: usize,
    pub(super) n_feet: usize,
    /// For each span of all pairs the bodies of its two zones.
    pub(super) span_bodies: Vec<[usize; 2]>,
    /// For each span of all pairs d = 1/(ε A).
    pub(super) span_compliance: Vec<f64>,
    /// For each span of all pairs μ.
    pub(super) span_friction: Vec<f64>,
    /// Unknowns of a span: its normal force, and two tangential ones if any pair has friction.
    pub(super) n_parts: usize,
}

/// A pair with its pressure points.
#[derive(Debug, Clone)]
pub(super) struct PairModel {
    pub(super) pair: Pair,
    pub(super) spans: Spans,
    /// d = 1/(ε A) of each span.
    pub(super) compliance: Vec<f64>,
    pub(super) max_depth: f64,
    /// Corners of its spans at edges.
    pub(super) corners: Vec<Corner>,
    /// √A of the faces of the second zone \[m\]; empty without faces.
    pub(super) second_sizes: Vec<f64>,
    /// Numbers of its first span and first foot point among those of all pairs.
    pub(super) span_offset: usize,
    pub(super) foot_offset: usize,
}

/// Parts of a zone of faces, unpacked.
pub(super) struct FaceZone<'a> {
    pub(super) body: usize,
    pub(super) faces: &'a Faces,
    pub(super) points: &'a [u32],
    pub(super) is_interface: &'a [bool],
}

impl QuasistaticContact {
    /// Checks and takes bodies, zones and pairs.
    ///
    /// # Errors
    ///
    /// [`SetupError`] says what does not fit together.
    pub fn new(bodies: Vec<ContactBody>, zones: Vec<Zone>, pairs: &[Pair]) -> Result<Self, SetupError> {
        bodies.iter().try_for_each(check_body)?;
        for zone in &zones {
            let body = bodies.get(zone.body);
            let body =
                body.ok_or(SetupError::Missing { what: "body", index: zone.body, count: bodies.len() })?;
            let n_points = zone.shape.as_faces().map_or(0, Faces::n_points);
            let missing = zone.points.iter().position(|&k| k as usize >= body.n_points);
            let missing = missing.or((zone.points.len() < n_points).then_some(zone.points.len()));
            if let (Some(k), Some(faces)) = (missing, zone.shape.as_faces()) {
                let point = faces.surface.points[k];
                return Err(SetupError::MissingPoint { zone: zone.name.clone(), point });
            }
        }
        let mut model = Self {
            bodies,
            zones,
            tolerances: Tolerances::default(),
            pairs: Vec::new(),
            n_spans: 0,
            n_feet: 0,
            span_bodies: Vec::new(),
            span_compliance: Vec::new(),
            span_friction: Vec::new(),
            n_parts: if pairs.iter().any(|pair| pair.friction > 0.0) { 3 } else { 1 },
        };
        for pair in pairs {
            model.add_pair(pair)?;
        }
        Ok(model)
    }

    /// The same with surfaces that end sharply, for statics: a body that is pushed off a surface has to be
    /// seen to go, not to lean on a bead.
    pub fn without_beads(mut self) -> Self {
        for zone in &mut self.zones {
            if let Shape::Faces(faces) = &mut zone.shape {
                faces.rim_radius = 0.0;
            }
        }
        self
    }

    fn add_pair(&mut self, pair: &Pair) -> Result<(), SetupError> {
        let zone = |index: usize| {
            self.zones.get(index).ok_or(SetupError::Missing { what: "zone", index, count: self.zones.len() })
        };
        let (a, b) = (zone(pair.first)?, zone(pair.second)?);
        let (first, second) = (a.name.clone(), b.name.clone());
        if !pair.law.is_of_cells() {
            return Err(SetupError::Law { first, second, law: pair.law });
        }
        if !(pair.friction >= 0.0 && pair.friction.is_finite()) {
            return Err(SetupError::Friction { first, second, friction: pair.friction });
        }
        let Some(faces) = a.shape.as_faces() else {
            return Err(SetupError::NoFaces { first, second });
        };
        let sheets = b.shape.sheets();
        if sheets != 1 {
            return Err(SetupError::Planes { first, second, planes: sheets });
        }
        let reference = &faces.reference;
        let rigid = |body: usize| self.bodies[body].compliance.is_none();
        if pair.law == Law::Hard && rigid(a.body) && rigid(b.body) {
            return Err(SetupError::RigidAndHard { first, second });
        }
        let spans = Spans::new(faces, reference);
        if spans.max_points() > MAX_FACE_POINTS {
            return Err(SetupError::CrowdedNode { first, points: spans.max_points() });
        }
        // Where it is bluntest: a sharp place elsewhere may never be touched, and is watched during the run.
        let radius = 1.0 / b.shape.convex_curvatures()[0];
        let smallest = spans.area.iter().copied().filter(|&area| area > 0.0).fold(f64::INFINITY, f64::min);
        if smallest.is_finite() && smallest.sqrt() > radius {
            return Err(SetupError::CoarseSpans { first, second, size: smallest.sqrt(), radius });
        }
        let low = reference.iter().fold(Vector3::repeat(f64::INFINITY), |m, x| m.inf(x));
        let high = reference.iter().fold(Vector3::repeat(f64::NEG_INFINITY), |m, x| m.sup(x));
        let model = PairModel {
            pair: *pair,
            compliance: spans.area.iter().map(|&area| pair.law.compliance(area)).collect(),
            max_depth: pair.max_depth.unwrap_or(0.25 * (high - low).norm()),
            corners: corners(faces, &spans, reference),
            second_sizes: face_sizes(b),
            span_offset: self.n_spans,
            foot_offset: self.n_feet,
            spans,
        };
        let bodies = [a.body, b.body];
        let rim_radius = RIM_RADIUS * smallest.sqrt();
        if let Shape::Faces(faces) = &mut self.zones[pair.second].shape
            && rim_radius.is_finite()
        {
            let known = faces.rim_radius;
            faces.rim_radius = if known > 0.0 { known.min(rim_radius) } else { rim_radius };
        }
        self.span_bodies.extend((0..model.spans.len()).map(|_| bodies));
        self.span_compliance.extend(&model.compliance);
        self.span_friction.extend((0..model.spans.len()).map(|_| pair.friction));
        self.n_spans += model.spans.len();
        self.n_feet += model.spans.n_points();
        self.pairs.push(model);
        Ok(())
    }

    /// Number of pairs.
    pub fn n_pairs(&self) -> usize {
        self.pairs.len()
    }

    /// Number of spans of all pairs: the pressure unknowns.
    pub fn n_spans(&self) -> usize {
        self.n_spans
    }

    /// True if any pair has friction.
    pub fn has_friction(&self) -> bool {
        self.n_parts > 1
    }

    /// Number of rows: those of span s are n_parts s (normal) and, with friction, the two that follow
    /// (tangential).
    pub fn n_rows(&self) -> usize {
        self.n_parts * self.n_spans
    }

    /// The pair with this number.
    pub fn pair(&self, pair: usize) -> &Pair {
        &self.pairs[pair].pair
    }

    /// The spans of the first zone of a pair.
    pub fn spans(&self, pair: usize) -> &Spans {
        &self.pairs[pair].spans
    }

    /// The spans of a pair among those of all pairs.
    pub fn span_range(&self, pair: usize) -> std::ops::Range<usize> {
        let p = &self.pairs[pair];
        p.span_offset..p.span_offset + p.spans.len()
    }

    pub(super) fn face_zone(&self, zone: usize) -> Option<FaceZone<'_>> {
        let Zone { body, shape, points, is_interface, .. } = &self.zones[zone];
        Some(FaceZone { body: *body, faces: shape.as_faces()?, points, is_interface })
    }

    pub(super) fn first(&self, pair: &PairModel) -> FaceZone<'_> {
        self.face_zone(pair.pair.first).expect("checked when the pair was added")
    }

    /// Number of the pair that a span belongs to.
    pub(super) fn pair_of(&self, span: usize) -> usize {
        self.pairs.partition_point(|p| p.span_offset <= span) - 1
    }
}

fn check_body(body: &ContactBody) -> Result<(), SetupError> {
    let Some(u) = &body.compliance else { return Ok(()) };
    let n = 3 * body.n_points;
    let fits = u.nrows() == n && u.ncols() == n;
    let largest = if fits { (0..n).map(|i| u[(i, i)].abs()).fold(0.0, f64::max) } else { 0.0 };
    // The comparison is false for entries that are not numbers.
    let close = |i: usize, j: usize| (u[(i, j)] - u[(j, i)]).abs() <= 1e-10 * largest;
    if fits && (0..n).all(|j| (0..=j).all(|i| close(i, j))) {
        return Ok(());
    }
    let (rows, columns) = (u.nrows(), u.ncols());
    Err(SetupError::Compliance { body: body.name.clone(), rows, columns, points: body.n_points })
}
