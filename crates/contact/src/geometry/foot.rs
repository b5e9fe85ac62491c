//! Foot points as data, and the variations of the gap, docs/theory/contact.md, eqs. (43) to (46).

use nalgebra::{Matrix3, Vector3};

use super::closest::Local;
use super::fillet::Beside;
use super::jet::Jet;
use super::{Faces, FacesNow, Site};
use carom_fem::surface::MAX_FACE_POINTS;

/// The closest point on a surface to a point x, with all data for laws and solvers.
///
/// In the interior of a face `x − y = g n` with n the outward normal of the surface. On an edge or corner
/// between faces n is along ±(x − y), on the side of the mean outward normal, so that `x − y = g n` still
/// holds and the variation `dg = n·(dx − dy)` stays exact. Beyond the rim x lies beside the surface. The rim
/// ends in a quarter-round fillet of radius ρ ([`Faces::rim_radius`]) that is tangent to the surface:
/// n leads from the centre of the fillet to x, and the gap is the distance to the fillet. Without a radius
/// the gap is the distance to the rim, never negative: a body that slides off the surface while it is pressed
/// in would lose its gap at once.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FootPoint {
    /// Number of the face.
    pub face: u32,
    /// Parameters on it.
    pub xi: [f64; 2],
    /// Part of the face on which it lies.
    pub site: Site,
    /// True if x lies beyond the rim of the zone where the zone was cut out of the surface: the surface that
    /// x would touch is missing.
    pub beyond_rim: bool,
    /// Gap g \[m\], positive if open.
    pub gap: f64,
    /// Unit normal n, away from the surface.
    pub normal: Vector3<f64>,
    /// The foot point y.
    pub position: Vector3<f64>,
    /// Vector from the point of the face at ξ to y: zero except on the fillet of a rim.
    pub lever: Vector3<f64>,
    /// Slip τ over the parameters, nonzero if the face is twisted along its rim: dg = (n − τ_a y,a)·(dx − dy)
    /// − τ_a (x − y)·dy,a plus the contribution of the fillet's rotation, with y at ξ.
    pub slip: [f64; 2],
    /// Tangents y,₁ and y,₂.
    pub tangents: [Vector3<f64>; 2],
    /// Metric m_ab = y,a·y,b.
    pub metric: [[f64; 2]; 2],
    /// Curvature k_ab = n·y,ab.
    pub curvature: [[f64; 2]; 2],
}

impl FootPoint {
    pub(super) fn on_faces(
        faces: &Faces,
        now: &mut FacesNow,
        face: u32,
        local: &Local,
        x: &Vector3<f64>,
    ) -> Self {
        let site = faces.domain(face).site(local.xi);
        let d = x - local.jet.y;
        let own = faces.normal(now, face, local.xi, &local.jet);
        let beside = match site {
            Site::Interior => Beside::level(d.dot(&own), own),
            _ => faces.gap_at_edge(now, face, local, &d, &own, site),
        };
        let Beside { normal, gap, lever, slip, beyond_rim } = beside;
        let foot = Self::new(face, local.xi, site, beyond_rim, gap, normal, &local.jet);
        Self { position: foot.position + lever, lever, slip, ..foot }
    }

    #[inline]
    pub(crate) fn new(
        face: u32,
        xi: [f64; 2],
        site: Site,
        beyond_rim: bool,
        gap: f64,
        normal: Vector3<f64>,
        jet: &Jet,
    ) -> Self {
        let m = |a: usize, b: usize| jet.d[a].dot(&jet.d[b]);
        let k = [normal.dot(&jet.dd[0]), normal.dot(&jet.dd[1]), normal.dot(&jet.dd[2])];
        Self {
            face,
            xi,
            site,
            beyond_rim,
            gap,
            normal,
            position: jet.y,
            lever: Vector3::zeros(),
            slip: [0.0; 2],
            tangents: jet.d,
            metric: [[m(0, 0), m(0, 1)], [m(1, 0), m(1, 1)]],
            curvature: [[k[0], k[1]], [k[1], k[2]]],
        }
    }

    /// ∂g/∂x: the normal, corrected by the slip along a twisted rim.
    pub fn push(&self) -> Vector3<f64> {
        self.normal - self.tangents[0] * self.slip[0] - self.tangents[1] * self.slip[1]
    }

    /// A_ab = m_ab − g k_ab inverted; `None` if the foot point is not unique (g is a principal radius of
    /// curvature).
    pub fn inverse(&self) -> Option<[[f64; 2]; 2]> {
        let a = |i: usize, j: usize| self.metric[i][j] - self.gap * self.curvature[i][j];
        let det = a(0, 0) * a(1, 1) - a(0, 1) * a(1, 0);
        if det.abs() <= 1e-10 * (self.metric[0][0] * self.metric[1][1]).abs() {
            return None;
        }
        Some([[a(1, 1) / det, -a(0, 1) / det], [-a(1, 0) / det, a(0, 0) / det]])
    }

    /// Principal curvatures \[1/m\], ascending, positive where the surface bends towards the side of the
    /// normal.
    ///
    /// The roots κ of det(k − κ m) = 0; a ball has −1/R twice, a hole +1/R. `None` where the tangents are
    /// parallel.
    pub fn principal_curvatures(&self) -> Option<[f64; 2]> {
        let (m, k) = (&self.metric, &self.curvature);
        let det_m = m[0][0] * m[1][1] - m[0][1] * m[0][1];
        if det_m <= 1e-12 * m[0][0] * m[1][1] {
            return None;
        }
        let mean = 0.5 * (m[1][1] * k[0][0] - 2.0 * m[0][1] * k[0][1] + m[0][0] * k[1][1]) / det_m;
        let gauss = (k[0][0] * k[1][1] - k[0][1] * k[0][1]) / det_m;
        let root = (mean * mean - gauss).max(0.0).sqrt();
        Some([mean - root, mean + root])
    }
}

impl Faces {
    /// Outward unit normal at ξ.
    #[inline]
    pub fn normal(&self, now: &mut FacesNow, face: u32, xi: [f64; 2], jet: &Jet) -> Vector3<f64> {
        let cross = jet.d[0].cross(&jet.d[1]);
        let size = cross.norm();
        if size > 1e-10 * jet.d[0].norm_squared().max(jet.d[1].norm_squared()) {
            return cross * (self.orientation(face) / size);
        }
        self.normal_at_pole(now, face, xi)
    }

    /// At a pole the tangents are parallel; slightly inside they are not.
    #[cold]
    fn normal_at_pole(&self, now: &mut FacesNow, face: u32, xi: [f64; 2]) -> Vector3<f64> {
        let center = self.domain(face).center();
        let inside = [0, 1].map(|a| xi[a] + 1e-4 * (center[a] - xi[a]));
        let jet = self.jet(now, face, inside);
        let cross = jet.d[0].cross(&jet.d[1]);
        cross.try_normalize(0.0).unwrap_or_else(Vector3::z) * self.orientation(face)
    }

    /// Normal and gap for a foot point on an edge or corner.
    fn gap_at_edge(
        &self,
        now: &mut FacesNow,
        face: u32,
        local: &Local,
        d: &Vector3<f64>,
        own: &Vector3<f64>,
        site: Site,
    ) -> Beside {
        let height = d.dot(own);
        let scale = local.jet.d[0].norm() + local.jet.d[1].norm();
        // Orthogonal to the face, up to round-off: as in the interior.
        if (d - own * height).norm() <= 1e-12 * scale {
            return Beside::level(height, *own);
        }
        if self.on_rim(face, site) {
            return self.gap_to_fillet(face, local, d, own, site);
        }
        let mean = self.mean_normal(now, face, local, own, site);
        let sign = if d.dot(&mean) < 0.0 { -1.0 } else { 1.0 };
        let distance = d.norm();
        Beside::level(sign * distance, d * (sign / distance))
    }

    pub(super) fn on_rim(&self, face: u32, site: Site) -> bool {
        match site {
            Site::Interior => false,
            Site::Edge(k) => self.topology.is_rim(face, k),
            Site::Corner(k) => self.topology.corner_on_rim(face, k, |f| self.domain(f)),
        }
    }

    pub(super) fn on_cut(&self, face: u32, site: Site) -> bool {
        match site {
            Site::Interior => false,
            Site::Edge(k) => self.topology.is_cut(face, k),
            Site::Corner(k) => self.topology.corner_on_cut(face, k, |f| self.domain(f)),
        }
    }

    /// Sum of the normals of the faces that meet at the foot point.
    fn mean_normal(
        &self,
        now: &mut FacesNow,
        face: u32,
        local: &Local,
        own: &Vector3<f64>,
        site: Site,
    ) -> Vector3<f64> {
        let mut sum = *own;
        let mut add = |f: u32, xi: [f64; 2]| {
            let jet = self.jet(now, f, xi);
            sum += self.normal(now, f, xi, &jet);
        };
        match site {
            Site::Interior => {}
            Site::Edge(k) => {
                let t = self.domain(face).along_edge(k as usize, local.xi);
                if let Some((next, edge, t)) = self.topology.across(face, k, t) {
                    add(next, self.domain(next).on_edge(edge as usize, t));
                }
            }
            Site::Corner(k) => {
                for &(f, c) in self.topology.around(face, k).iter().filter(|&&(f, _)| f != face) {
                    add(f, self.domain(f).corner(c as usize));
                }
                for &(f, edge, t) in self.topology.beside_corner(face, k) {
                    add(f, self.domain(f).on_edge(edge as usize, t));
                }
            }
        }
        sum
    }
}

/// First and second variations of the gap of a foot point for the dofs (x, y_1 … y_K),
/// docs/theory/contact.md, eqs. (43) to (46).
///
/// K runs over the points of the foot point's face; the dofs of x come first. With w = dx − dy and
/// w_a = −dy,a at fixed ξ, in the interior of a face
///
/// ```text
/// dg = n·w,   dξ_b = A^ab (y,a·w − g n·w_a),   A_ab = m_ab − g k_ab
/// ```
///
/// Where the foot point is that of the shortest distance to an edge with parameter s, or to a corner,
///
/// ```text
/// ds = (y,s·w − g n·w_s)/H,   H = m_ss − g k_ss,   d²g = (w·w − dg² − H ds²)/g       (corner: ds = 0)
/// ```
#[derive(Debug, Clone)]
pub struct Variations {
    n: Vector3<f64>,
    gap: f64,
    curvature: [[f64; 2]; 2],
    tangents: [Vector3<f64>; 2],
    support: Support,
    n_points: usize,
    values: [f64; MAX_FACE_POINTS],
    first: [[f64; 2]; MAX_FACE_POINTS],
}

/// The set on which a foot point may move.
#[derive(Debug, Clone, Copy)]
enum Support {
    /// The face: inverse of the metric, and of A.
    Face { metric: [[f64; 2]; 2], inverse: [[f64; 2]; 2] },
    /// An edge: its direction in ξ, and H.
    Edge { along: [f64; 2], stiffness: f64 },
    /// A corner.
    Corner,
}

impl Variations {
    /// Variations at a foot point without a fillet; `None` if the foot point is not unique, the tangents are
    /// parallel, or the point lies on the edge or corner itself, where the direction of the gap is
    /// discontinuous.
    pub fn new(faces: &Faces, foot: &FootPoint) -> Option<Self> {
        let (mut values, mut first, mut second) =
            ([0.0; MAX_FACE_POINTS], [[0.0; 2]; MAX_FACE_POINTS], [[0.0; 3]; MAX_FACE_POINTS]);
        faces.surface.shape_into(foot.face as usize, foot.xi, &mut values, &mut first, &mut second);
        Some(Self {
            n: foot.normal,
            gap: foot.gap,
            curvature: foot.curvature,
            tangents: foot.tangents,
            support: support(faces, foot)?,
            n_points: faces.surface.faces[foot.face as usize].points.len(),
            values,
            first,
        })
    }

    /// Number of 3-vectors in a row: one for x, then one for each point of the face.
    pub fn n_blocks(&self) -> usize {
        1 + self.n_points
    }

    /// Factor of a block in w: 1 for x, −N_K for a point.
    fn factor(&self, block: usize) -> f64 {
        if block == 0 { 1.0 } else { -self.values[block - 1] }
    }

    /// Nv = (n, −N_K n): dg = Nv·(dx, dy_K).
    pub fn gap_row(&self, block: usize) -> Vector3<f64> {
        if block == 0 { self.n } else { self.n * -self.values[block - 1] }
    }

    /// T_a = (y,a, −N_K y,a).
    fn tangent_row(&self, a: usize, block: usize) -> Vector3<f64> {
        let t = self.tangents[a];
        if block == 0 { t } else { t * -self.values[block - 1] }
    }

    /// N_a = (0, −N_K,a n).
    fn slope_row(&self, a: usize, block: usize) -> Vector3<f64> {
        if block == 0 { Vector3::zeros() } else { self.n * -self.first[block - 1][a] }
    }

    /// D_b: dξ_b = D_b·(dx, dy_K); on a face A^ba (T_a − g N_a), on an edge along it, at a corner zero.
    pub fn parameter_row(&self, b: usize, block: usize) -> Vector3<f64> {
        let part = |a: usize| self.tangent_row(a, block) - self.slope_row(a, block) * self.gap;
        match &self.support {
            Support::Face { inverse, .. } => part(0) * inverse[b][0] + part(1) * inverse[b][1],
            Support::Edge { along, .. } => self.edge_row(block) * along[b],
            Support::Corner => Vector3::zeros(),
        }
    }

    /// ds = row·(dx, dy_K) of the parameter of an edge.
    fn edge_row(&self, block: usize) -> Vector3<f64> {
        let Support::Edge { along, stiffness } = &self.support else { return Vector3::zeros() };
        let part = |a: usize| self.tangent_row(a, block) - self.slope_row(a, block) * self.gap;
        (part(0) * along[0] + part(1) * along[1]) / *stiffness
    }

    /// Block (i, j) of the second variation D²g.
    ///
    /// ```text
    /// D²g = g m^ab N̄_a N̄_bᵀ + Σ_a (D_a N_aᵀ + N_a D_aᵀ) − k_ab D_a D_bᵀ,   N̄_a = N_a − k_ab D_b
    /// ```
    ///
    /// The sign of the middle terms follows from N_a = (0, −N_K,a n). Edges and corners: see [`Variations`].
    pub fn gap_hessian(&self, i: usize, j: usize) -> Matrix3<f64> {
        match &self.support {
            Support::Face { metric, .. } => self.hessian_on_face(metric, i, j),
            Support::Edge { stiffness, .. } => self.hessian_of_distance(*stiffness, i, j),
            Support::Corner => self.hessian_of_distance(0.0, i, j),
        }
    }

    fn hessian_of_distance(&self, stiffness: f64, i: usize, j: usize) -> Matrix3<f64> {
        let along = self.edge_row(i) * self.edge_row(j).transpose() * stiffness;
        let across = Matrix3::identity() - self.n * self.n.transpose();
        (across * (self.factor(i) * self.factor(j)) - along) / self.gap
    }

    fn hessian_on_face(&self, metric_inverse: &[[f64; 2]; 2], i: usize, j: usize) -> Matrix3<f64> {
        let d = |block: usize| [self.parameter_row(0, block), self.parameter_row(1, block)];
        let slope = |block: usize| [self.slope_row(0, block), self.slope_row(1, block)];
        let (d_i, d_j, n_i, n_j) = (d(i), d(j), slope(i), slope(j));
        let k = &self.curvature;
        let bar = |n: &[Vector3<f64>; 2], d: &[Vector3<f64>; 2]| {
            [n[0] - d[0] * k[0][0] - d[1] * k[0][1], n[1] - d[0] * k[1][0] - d[1] * k[1][1]]
        };
        let (bar_i, bar_j) = (bar(&n_i, &d_i), bar(&n_j, &d_j));
        let mut sum = Matrix3::zeros();
        for a in 0..2 {
            sum += d_i[a] * n_j[a].transpose() + n_i[a] * d_j[a].transpose();
            for b in 0..2 {
                sum += bar_i[a] * bar_j[b].transpose() * (self.gap * metric_inverse[a][b]);
                sum -= d_i[a] * d_j[b].transpose() * k[a][b];
            }
        }
        sum
    }
}

/// The set on which a foot point may move; `None` if the foot point is not unique.
fn support(faces: &Faces, foot: &FootPoint) -> Option<Support> {
    let m = foot.metric;
    let on_face = || {
        let det = m[0][0] * m[1][1] - m[0][1] * m[1][0];
        if det <= 1e-12 * m[0][0] * m[1][1] {
            return None;
        }
        let metric = [[m[1][1] / det, -m[0][1] / det], [-m[1][0] / det, m[0][0] / det]];
        Some(Support::Face { metric, inverse: foot.inverse()? })
    };
    // The gap has the direction of the face's normal while the point lies above the face.
    let own = foot.tangents[0].cross(&foot.tangents[1]).try_normalize(0.0);
    let is_level = own.is_some_and(|own| own.cross(&foot.normal).norm() < 1e-9);
    if foot.site == Site::Interior || is_level {
        return on_face();
    }
    if foot.gap.abs() <= 1e-9 * (foot.tangents[0].norm() + foot.tangents[1].norm()) {
        return None;
    }
    let Site::Edge(edge) = foot.site else { return Some(Support::Corner) };
    let along = faces.domain(foot.face).edge_direction(usize::from(edge));
    let quadratic = |t: &[[f64; 2]; 2]| {
        (0..2).map(|a| (0..2).map(|b| along[a] * t[a][b] * along[b]).sum::<f64>()).sum::<f64>()
    };
    let (length, bend) = (quadratic(&m), quadratic(&foot.curvature));
    let stiffness = length - foot.gap * bend;
    (stiffness.abs() > 1e-10 * length).then_some(Support::Edge { along, stiffness })
}

#[cfg(test)]
mod tests;
