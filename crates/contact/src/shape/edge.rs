//! Straight edges of bodies and their crossings: contact without a corner nearby.

use nalgebra::Vector3;

/// A straight edge of a body between two of its faces.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Edge {
    /// Its middle \[m\].
    pub center: Vector3<f64>,
    /// From its middle to one end \[m\].
    pub half: Vector3<f64>,
    /// Outward unit normals of both faces.
    pub normals: [Vector3<f64>; 2],
}

/// Sine of the angle below which edges count as parallel: the contact is then at corners.
const PARALLEL: f64 = 1e-3;

/// Sine of the angle by which the direction of separation of two edges may lie outside the faces that meet in
/// one of them.
const BESIDE: f64 = 0.02;

/// The same where the direction of the pair tells which edges meet.
const FAR_BESIDE: f64 = 0.3;

/// Cosine of the angle between the direction in which two blocks can part and the normals of their contacts,
/// from which on they count.
pub const ALONG: f64 = 0.9;

impl Edge {
    /// The edges of a block along the axes of the frame, those along x first.
    pub fn of_block(center: Vector3<f64>, size: Vector3<f64>) -> [Self; 12] {
        std::array::from_fn(|number| {
            let along = number / 4;
            let across = [(along + 1) % 3, (along + 2) % 3];
            let normal = |k: usize| Vector3::ith(across[k], if number >> k & 1 == 0 { -1.0 } else { 1.0 });
            let normals = [normal(0), normal(1)];
            let corner = normals[0] + normals[1];
            Self {
                center: center + 0.5 * size.component_mul(&corner),
                half: Vector3::ith(along, 0.5 * size[along]),
                normals,
            }
        })
    }

    /// True if a direction of separation lies between the faces that meet in the edge.
    pub(crate) fn has_between(&self, direction: &Vector3<f64>) -> bool {
        self.has_near(direction, BESIDE)
    }

    /// The same, or if it lies beside them by an angle of this sine.
    fn has_near(&self, direction: &Vector3<f64>, beside: f64) -> bool {
        self.normals.iter().all(|normal| normal.dot(direction) > -beside)
    }

    /// The edge with its vectors rotated and its middle moved.
    pub fn map(
        &self,
        point: impl Fn(&Vector3<f64>) -> Vector3<f64>,
        vector: impl Fn(&Vector3<f64>) -> Vector3<f64>,
    ) -> Self {
        Self {
            center: point(&self.center),
            half: vector(&self.half),
            normals: self.normals.map(|normal| vector(&normal)),
        }
    }
}

/// The closest points of the straight lines of two edges.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Crossing {
    /// Distance of the first line from the second along the normal, negative where the bodies overlap \[m\].
    pub gap: f64,
    /// Normal out of the body with the second edge.
    pub normal: Vector3<f64>,
    /// Places on both lines, −1 and 1 the ends of the edges.
    pub at: [f64; 2],
}

/// The crossing of two edges, whether or not it lies within them.
///
/// ```text
/// a + s d_a − b − t d_b = g n,   n ∥ d_a × d_b
/// ```
pub fn crossing(first: &Edge, second: &Edge) -> Crossing {
    let between = first.center - second.center;
    let (d_a, d_b) = (&first.half, &second.half);
    let across = d_a.cross(d_b);
    let outward = second.normals[0] + second.normals[1];
    let square = across.norm_squared();
    if square == 0.0 {
        let normal = outward.normalize();
        return Crossing { gap: between.dot(&normal), normal, at: [0.0; 2] };
    }
    let normal = across * (across.dot(&outward).signum() / square.sqrt());
    let at = [d_b, d_a].map(|d| -between.dot(&d.cross(&across)) / square);
    Crossing { gap: between.dot(&normal), normal, at }
}

/// The crossing of two edges that can touch. It lies within both edges, farther from their ends than its
/// depth, at most at the depth `deepest`, and the bodies can separate in its direction.
///
/// * `deepest` — depth beyond which edges belong to other sides \[m\]
///
/// Two edges form a face of the Minkowski difference of both bodies if the arcs of normals of one edge
/// intersect the negative arcs of the other: the normal of the crossing lies between the faces of either
/// edge.
pub fn touching(first: &Edge, second: &Edge, deepest: f64) -> Option<Crossing> {
    let (crossing, inside) = near(first, second, BESIDE)?;
    let depth = (-crossing.gap).max(0.0);
    (depth <= deepest && inside > depth).then_some(crossing)
}

/// The crossing of two edges of bodies that can part along a given direction: it lies within both edges, or
/// beyond an end by no more than its depth, and its normal is near the direction. Edges of other sides have
/// other normals.
///
/// * `direction` — unit vector out of the body with the second edge
pub fn meeting(first: &Edge, second: &Edge, direction: &Vector3<f64>) -> Option<Crossing> {
    let (crossing, inside) = near(first, second, FAR_BESIDE)?;
    let depth = (-crossing.gap).max(0.0);
    (inside >= -depth && crossing.normal.dot(direction) >= ALONG).then_some(crossing)
}

/// The crossing of two edges that are not parallel, with its smallest distance from an end, negative beyond
/// it.
///
/// * `beside` — sine of the angle by which its normal may lie beside the faces that meet in an edge
fn near(first: &Edge, second: &Edge, beside: f64) -> Option<(Crossing, f64)> {
    let lengths = [first, second].map(|edge| edge.half.norm());
    let across = first.half.cross(&second.half);
    if across.norm() <= PARALLEL * lengths[0] * lengths[1] {
        return None;
    }
    let crossing = crossing(first, second);
    let inside = [0, 1].map(|k: usize| (1.0 - crossing.at[k].abs()) * lengths[k]);
    let fits = second.has_near(&crossing.normal, beside) && first.has_near(&-crossing.normal, beside);
    fits.then_some((crossing, inside[0].min(inside[1])))
}

#[cfg(test)]
mod tests {
    use nalgebra::Rotation3;

    use super::*;

    fn turned(edges: [Edge; 12], axis: Vector3<f64>, degrees: f64, shift: Vector3<f64>) -> Vec<Edge> {
        let rotation = Rotation3::from_axis_angle(&nalgebra::Unit::new_normalize(axis), degrees.to_radians());
        edges.iter().map(|edge| edge.map(|x| rotation * x + shift, |v| rotation * v)).collect()
    }

    fn pairs(first: &[Edge], second: &[Edge]) -> Vec<Crossing> {
        let all = first.iter().flat_map(|a| second.iter().filter_map(move |b| touching(a, b, 0.02)));
        all.filter(|crossing| crossing.gap < 0.01).collect()
    }

    /// Crossed beams have four crossings of the lower face of one with the upper face of the other, and no
    /// other ones, also after penetration.
    #[test]
    fn beams_that_cross_touch_at_four_places() {
        let beam = Edge::of_block(Vector3::zeros(), Vector3::new(1.0, 0.2, 0.1));
        for (degrees, gap) in [(90.0, 1e-3), (90.0, 0.0), (90.0, -1e-3), (40.0, 1e-4), (120.0, -1e-4)] {
            let upper = turned(beam, Vector3::z(), degrees, Vector3::new(0.05, 0.02, 0.1 + gap));
            let found = pairs(&upper, &beam);
            assert_eq!(found.len(), 4, "{degrees} {gap}: {found:?}");
            for crossing in found {
                assert!((crossing.gap - gap).abs() < 1e-15, "{crossing:?}");
                assert!((crossing.normal - Vector3::z()).norm() < 1e-15, "{crossing:?}");
            }
        }
    }

    /// A cube standing on its edge above the edge of another has one crossing; its gap is the distance.
    #[test]
    fn edge_on_edge_touches_once() {
        let cube = Edge::of_block(Vector3::zeros(), Vector3::new(1.0, 1.0, 1.0));
        let lower = turned(cube, Vector3::x(), 45.0, Vector3::zeros());
        let upper = turned(cube, Vector3::y(), 45.0, Vector3::new(0.1, -0.2, 2.0_f64.sqrt() - 1e-3));
        let found = pairs(&upper, &lower);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!((found[0].gap + 1e-3).abs() < 1e-15 && (found[0].normal - Vector3::z()).norm() < 1e-15);
        // For the other body the normal has the opposite sign.
        let back = pairs(&lower, &upper);
        assert!((back[0].normal + found[0].normal).norm() < 1e-15 && back[0].at[1] == found[0].at[0]);
    }

    /// Blocks side by side, or apart, have no crossing; blocks on top of each other have none of their sides.
    #[test]
    fn parallel_edges_and_edges_apart_do_not_touch() {
        let block = Edge::of_block(Vector3::zeros(), Vector3::new(0.4, 0.3, 0.2));
        for (degrees, shift) in [
            (0.0, [0.0, 0.0, 0.2]),
            (0.0, [0.0, 0.0, 1.0]),
            (30.0, [0.6, 0.0, 0.2 - 1e-6]),
            (30.0, [0.5, 0.4, 0.0]),
        ] {
            let other = turned(block, Vector3::z(), degrees, shift.into());
            assert!(pairs(&other, &block).is_empty(), "{shift:?}: {:?}", pairs(&other, &block));
        }
        for degrees in [0.0, 5.0, 50.0] {
            // The sides overlap by more and less than the faces do.
            for x in [0.05, 0.3, 0.37, 0.399] {
                let other = turned(block, Vector3::z(), degrees, Vector3::new(x, -0.03, 0.2 - 1e-6));
                let found = pairs(&other, &block);
                let is_on_top = |c: &Crossing| (c.gap + 1e-6).abs() < 1e-14 && c.normal.z > 1.0 - 1e-14;
                assert!(found.iter().all(is_on_top), "{degrees} {x}: {found:?}");
                assert!(found.len() >= 2, "{degrees} {x}: {found:?}");
            }
        }
    }
}
