//! Sharp edges of the surface of a body.

use super::{FaceBasis, Surface};

/// Cosine of the angle between two faces beyond which their common edge is sharp: 30°, more than between the
/// facets of a good mesh of a smooth surface.
const SHARP: f64 = 0.866_025_403_784_438_6;
/// Middles of edges closer than this part of the body's size are equal.
const SAME: f64 = 1e-9;
/// Middles are sorted along a direction in which two of a usual body rarely have the same coordinate.
const DIRECTION: [f64; 3] = [0.548_813_5, 0.715_189_4, 0.432_667_9];

/// Middle of an edge with the normal of its face.
struct Middle {
    along: f64,
    position: [f64; 3],
    normal: [f64; 3],
    face: u32,
    edge: u32,
}

impl FaceBasis {
    /// Parameters of the middles of the edges; edge k runs from corner k to the next one, around the face.
    pub fn edge_middles(&self) -> &'static [[f64; 2]] {
        if self.is_triangle() {
            &[[0.5, 0.0], [0.5, 0.5], [0.0, 0.5]]
        } else {
            &[[0.5, 0.0], [1.0, 0.5], [0.5, 1.0], [0.0, 0.5]]
        }
    }
}

impl Surface {
    /// Face and edge of the edges at which the normal of the body's surface changes by more than 30°.
    ///
    /// * `whole` — the whole surface of the body, of which this one is a part
    /// * `points` — position of every point of the body, by its number \[m\]
    ///
    /// At such an edge the surface of the body ends; at other borders the part was cut out of the surface.
    /// Edges are equal if their middles are, so faces must meet edge to edge.
    pub fn sharp_edges(&self, whole: &Self, points: &[[f64; 3]]) -> Vec<[u32; 2]> {
        let size = extent(whole, points);
        let own = self.middles(points);
        // The whole surface, or a part of another one.
        let others = (!std::ptr::eq(self, whole)).then(|| whole.middles(points));
        let mut all: Vec<&Middle> = others.as_ref().unwrap_or(&own).iter().collect();
        all.sort_by(|a, b| a.along.total_cmp(&b.along));
        let is_sharp = |own: &Middle| {
            let start = all.partition_point(|m| m.along < own.along - SAME * size);
            all[start..].iter().take_while(|m| m.along <= own.along + SAME * size).any(|m| {
                let near = (0..3).all(|d| (m.position[d] - own.position[d]).abs() <= SAME * size);
                near && dot(&m.normal, &own.normal) < SHARP
            })
        };
        own.iter().filter(|own| is_sharp(own)).map(|own| [own.face, own.edge]).collect()
    }

    fn middles(&self, points: &[[f64; 3]]) -> Vec<Middle> {
        let positions: Vec<[f64; 3]> = self.points.iter().map(|&k| points[k as usize]).collect();
        let mut middles = Vec::new();
        for (f, face) in self.faces.iter().enumerate() {
            for (k, xi) in face.basis.edge_middles().iter().enumerate() {
                let (position, [a, b]) = self.tangents(f, *xi, &positions);
                let cross = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
                let length = dot(&cross, &cross).sqrt();
                // A collapsed edge has no normal and is not sharp.
                let normal = cross.map(|x| face.orientation * x / length);
                let along = dot(&position, &DIRECTION);
                middles.push(Middle { along, position, normal, face: f as u32, edge: k as u32 });
            }
        }
        middles
    }
}

fn extent(surface: &Surface, points: &[[f64; 3]]) -> f64 {
    let used = || surface.points.iter().map(|&k| points[k as usize]);
    let range = |d: usize| {
        used().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| [low.min(x[d]), high.max(x[d])])
    };
    (0..3).map(|d| range(d)[1] - range(d)[0]).fold(0.0, f64::max)
}

fn dot(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
