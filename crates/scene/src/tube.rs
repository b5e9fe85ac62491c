//! Beams as tubes, for pictures.

use std::collections::HashMap;
use std::f64::consts::TAU;

use nalgebra::Vector3;

use crate::BodyGrid;
use crate::tessellate::Tessellation;

/// Smallest cosine between a beam and the normal of a mitre, at a bend of 120°: the mitre of a sharper bend
/// would stick out by more than the diameter.
const SHARPEST: f64 = 0.5;

/// The beams of a surface grid, with the cuts of their tubes.
pub(crate) struct Tubes<'a> {
    grid: &'a BodyGrid,
    /// Beams at each point of the grid.
    at_point: HashMap<u32, Vec<usize>>,
}

/// The end of a tube.
struct Cut {
    center: Vector3<f64>,
    /// Normal of the plane of the cut, of unit length.
    normal: Vector3<f64>,
    /// True for an end that needs a lid.
    is_open: bool,
}

impl<'a> Tubes<'a> {
    pub(crate) fn new(grid: &'a BodyGrid) -> Self {
        let mut at_point: HashMap<u32, Vec<usize>> = HashMap::new();
        for beam in 0..grid.radii.len() {
            for point in points(grid, beam) {
                at_point.entry(point).or_default().push(beam);
            }
        }
        Self { grid, at_point }
    }

    /// The ends of a beam.
    pub(crate) fn axis(&self, beam: usize) -> [[f64; 3]; 2] {
        points(self.grid, beam).map(|point| self.grid.grid.points[point as usize])
    }

    /// A beam as a prism of its radius. Two beams of one radius that meet at a point are cut along the plane
    /// between them and need no lid there.
    ///
    /// * `values` — a scalar at the points of the grid, or none
    /// * `sides` — number of sides of the prism
    ///
    /// A beam without length or radius gives no triangles.
    pub(crate) fn tessellate(&self, beam: usize, values: Option<&[f64]>, sides: usize) -> Tessellation {
        let mut out = Tessellation::default();
        let (radius, ends) = (self.grid.radii[beam], self.axis(beam).map(Vector3::from));
        let Some(along) = (ends[1] - ends[0]).try_normalize(0.0).filter(|_| radius > 0.0) else { return out };
        let (first, second) = normals_to(&along);
        let value = points(self.grid, beam).map(|point| values.map_or(0.0, |v| v[point as usize]));
        let mut starts = [0; 2];
        for (end, start) in starts.iter_mut().enumerate() {
            let cut = self.cut(beam, end, &along);
            let ring: Vec<[Vector3<f64>; 2]> = (0..sides)
                .map(|side| {
                    let (sin, cos) = (TAU * side as f64 / sides as f64).sin_cos();
                    let arm = radius * (cos * first + sin * second);
                    // Along the beam to the plane of the cut.
                    let shift = -arm.dot(&cut.normal) / along.dot(&cut.normal);
                    [cut.center + arm + shift * along, arm]
                })
                .collect();
            *start = out.points.len();
            out.points.extend(ring.iter().map(|[place, _]| ((*place).into(), value[end])));
            out.normals.extend(ring.iter().map(|[_, arm]| <[f64; 3]>::from(*arm)));
            if cut.is_open {
                let lid = out.points.len();
                let places = ring.iter().map(|[place, _]| *place).chain([cut.center]);
                out.points.extend(places.map(|place| (place.into(), value[end])));
                out.normals.resize(out.points.len(), along.into());
                let corner = |side: usize| lid + side % sides;
                out.triangles.extend((0..sides).map(|side| {
                    // Out of the tube at both ends.
                    [lid + sides, corner(side + 1 - end), corner(side + end)]
                }));
            }
        }
        for side in 0..sides {
            let [[a, b], [c, d]] = starts.map(|start| [start + side, start + (side + 1) % sides]);
            out.triangles.extend([[a, b, d], [a, d, c]]);
        }
        out
    }

    /// The cut at an end of a beam with this direction.
    fn cut(&self, beam: usize, end: usize, along: &Vector3<f64>) -> Cut {
        let point = points(self.grid, beam)[end];
        let center = Vector3::from(self.grid.grid.points[point as usize]);
        let lid = Cut { center, normal: *along, is_open: true };
        let &[a, b] = &self.at_point[&point][..] else { return lid };
        let other = if a == beam { b } else { a };
        if self.grid.radii[other] != self.grid.radii[beam] {
            return lid;
        }
        let far = points(self.grid, other).into_iter().find(|far| *far != point);
        let Some(far) = far.map(|far| Vector3::from(self.grid.grid.points[far as usize])) else { return lid };
        let sense = if end == 0 { -1.0 } else { 1.0 };
        let onwards = (sense * (far - center)).try_normalize(0.0);
        let normal = onwards.and_then(|onwards| (along + onwards).try_normalize(0.0));
        match normal.filter(|normal| normal.dot(along) > SHARPEST) {
            Some(normal) => Cut { center, normal, is_open: false },
            None => lid,
        }
    }
}

/// The points of a beam in the grid.
fn points(grid: &BodyGrid, beam: usize) -> [u32; 2] {
    let end = grid.grid.offsets[grid.faces.len() + beam];
    [grid.grid.connectivity[end - 2], grid.grid.connectivity[end - 1]]
}

/// Two unit vectors normal to a unit vector and to each other.
fn normals_to(along: &Vector3<f64>) -> (Vector3<f64>, Vector3<f64>) {
    let axis = Vector3::ith(along.iamin(), 1.0);
    let first = along.cross(&axis).normalize();
    (first, along.cross(&first))
}
