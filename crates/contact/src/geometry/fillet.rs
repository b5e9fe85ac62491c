//! The quarter-round fillet at the rim of a surface (decision 26): gap, normal and variation of its
//! foot points.

use nalgebra::Vector3;

use super::closest::Local;
use super::jet::Jet;
use super::{Faces, Site};

/// Gap and normal of a foot point that may lie on an edge.
pub(super) struct Beside {
    pub(super) normal: Vector3<f64>,
    pub(super) gap: f64,
    pub(super) lever: Vector3<f64>,
    pub(super) slip: [f64; 2],
    pub(super) beyond_rim: bool,
}

impl Beside {
    pub(super) fn level(gap: f64, normal: Vector3<f64>) -> Self {
        Self { normal, gap, lever: Vector3::zeros(), slip: [0.0; 2], beyond_rim: false }
    }
}

impl Faces {
    /// Gap to the fillet of the rim, g = |d + ρ n| − ρ, with its centre c = y − ρ n and n the normal of the
    /// face. A point deeper than ρ is beside the fillet; its gap is its distance from the rim.
    pub(super) fn gap_to_fillet(
        &self,
        face: u32,
        local: &Local,
        d: &Vector3<f64>,
        own: &Vector3<f64>,
        site: Site,
    ) -> Beside {
        let radius = self.rim_radius;
        let beyond_rim = self.on_cut(face, site);
        let from_middle = d + own * radius;
        if from_middle.dot(own) < 0.0 {
            return Beside { beyond_rim, ..Beside::level(d.norm(), d.normalize()) };
        }
        let distance = from_middle.norm();
        let normal = from_middle.try_normalize(0.0).unwrap_or(*own);
        let slip = match site {
            Site::Edge(k) if distance > 0.0 => {
                self.slip_along(face, k, local, d, own).map(|slip| slip * radius / distance)
            }
            _ => [0.0; 2],
        };
        Beside { normal, gap: distance - radius, lever: (normal - own) * radius, slip, beyond_rim }
    }

    /// r/ρ τ_a of the slip: along an edge with parameter s the foot point has d·y,s = 0, and there −g,s =
    /// n'·c,s = −(ρ/r) d·n,s.
    fn slip_along(
        &self,
        face: u32,
        edge: u8,
        local: &Local,
        d: &Vector3<f64>,
        own: &Vector3<f64>,
    ) -> [f64; 2] {
        let domain = self.domain(face);
        let [start, end] = [0.0, 1.0].map(|t| domain.on_edge(edge as usize, t));
        let along = [end[0] - start[0], end[1] - start[1]];
        let Jet { d: y, dd, .. } = &local.jet;
        let tangent = y[0] * along[0] + y[1] * along[1];
        // v·y,as
        let bend = |v: &Vector3<f64>| {
            let [m11, m12, m22] = dd.each_ref().map(|dd| v.dot(dd));
            [m11 * along[0] + m12 * along[1], m12 * along[0] + m22 * along[1]]
        };
        let dot = |a: [f64; 2], b: [f64; 2]| a[0] * b[0] + a[1] * b[1];
        let stiffness = tangent.norm_squared() - dot(along, bend(d));
        if stiffness <= 1e-10 * tangent.norm_squared() {
            return [0.0; 2];
        }
        // −d·n,s = (d·yᵃ) n·y,as
        let drift = dot(dual_components(y, d), bend(own));
        along.map(|a| a * drift / stiffness)
    }
}

/// v·yᵃ of the tangents y,a, zero where these are parallel.
pub(crate) fn dual_components(y: &[Vector3<f64>; 2], v: &Vector3<f64>) -> [f64; 2] {
    let m = |a: usize, b: usize| y[a].dot(&y[b]);
    let det = m(0, 0) * m(1, 1) - m(0, 1) * m(0, 1);
    if det <= 1e-12 * m(0, 0) * m(1, 1) {
        return [0.0; 2];
    }
    let along = [y[0].dot(v), y[1].dot(v)];
    [(m(1, 1) * along[0] - m(0, 1) * along[1]) / det, (m(0, 0) * along[1] - m(0, 1) * along[0]) / det]
}
