//! Parameter domains of faces: the unit square and the unit triangle, their edges and corners.

/// Parameter domain of a face. Edge k goes from corner k to corner k + 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Domain {
    /// \[0,1\]², corners (0,0), (1,0), (1,1), (0,1).
    Square,
    /// ξ₁, ξ₂ ≥ 0, ξ₁ + ξ₂ ≤ 1, corners (0,0), (1,0), (0,1).
    Triangle,
}

/// The part of a face on which a foot point lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Site {
    /// Inside; the foot point is the orthogonal projection.
    Interior,
    /// On this edge.
    Edge(u8),
    /// On this corner.
    Corner(u8),
}

/// Distance in ξ below which a point counts as lying on an edge.
const ON_EDGE: f64 = 1e-13;

impl Domain {
    /// Number of corners, and of edges.
    pub fn n_corners(self) -> usize {
        match self {
            Self::Square => 4,
            Self::Triangle => 3,
        }
    }

    /// Parameters of corner k.
    pub fn corner(self, k: usize) -> [f64; 2] {
        match self {
            Self::Square => [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]][k % 4],
            Self::Triangle => [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]][k % 3],
        }
    }

    /// Centroid of the domain.
    pub fn center(self) -> [f64; 2] {
        match self {
            Self::Square => [0.5, 0.5],
            Self::Triangle => [1.0 / 3.0, 1.0 / 3.0],
        }
    }

    /// Parameters of the point at t ∈ \[0,1\] of edge k.
    pub fn on_edge(self, k: usize, t: f64) -> [f64; 2] {
        let (a, b) = (self.corner(k), self.corner(k + 1));
        [a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])]
    }

    /// Direction of edge k, the difference of its corners.
    pub fn edge_direction(self, k: usize) -> [f64; 2] {
        let (a, b) = (self.corner(k), self.corner(k + 1));
        [b[0] - a[0], b[1] - a[1]]
    }

    /// Position along edge k of a point on it.
    pub fn along_edge(self, k: usize, xi: [f64; 2]) -> f64 {
        let (a, d) = (self.corner(k), self.edge_direction(k));
        ((xi[0] - a[0]) * d[0] + (xi[1] - a[1]) * d[1]) / (d[0] * d[0] + d[1] * d[1])
    }

    /// Inward gradient of the distance function of edge k.
    pub fn inward(self, k: usize) -> [f64; 2] {
        match self {
            Self::Square => [[0.0, 1.0], [-1.0, 0.0], [0.0, -1.0], [1.0, 0.0]][k],
            Self::Triangle => [[0.0, 1.0], [-1.0, -1.0], [1.0, 0.0]][k],
        }
    }

    /// Distance function of edge k: zero on it, positive inside.
    pub fn distance(self, k: usize, xi: [f64; 2]) -> f64 {
        match (self, k) {
            (_, 0) => xi[1],
            (Self::Square, 1) => 1.0 - xi[0],
            (Self::Square, 2) => 1.0 - xi[1],
            (Self::Triangle, 1) => 1.0 - xi[0] - xi[1],
            _ => xi[0],
        }
    }

    /// Moves ξ into the domain.
    pub fn clamp(self, xi: [f64; 2]) -> [f64; 2] {
        let xi = xi.map(|x| x.clamp(0.0, 1.0));
        match self {
            Self::Triangle if xi[0] + xi[1] > 1.0 => {
                let t = (0.5 * (1.0 + xi[1] - xi[0])).clamp(0.0, 1.0);
                [1.0 - t, t]
            }
            _ => xi,
        }
    }

    /// Largest t ≤ 1 such that ξ + t dξ stays inside, and the edge that limits it.
    pub fn limit(self, xi: [f64; 2], dxi: [f64; 2]) -> (f64, Option<usize>) {
        let (mut t, mut edge) = (1.0, None);
        for k in 0..self.n_corners() {
            let n = self.inward(k);
            let rate = n[0] * dxi[0] + n[1] * dxi[1];
            let room = self.distance(k, xi);
            if rate < 0.0 && room + t * rate < 0.0 {
                t = (room / -rate).max(0.0);
                edge = Some(k);
            }
        }
        (t, edge)
    }

    /// True if ξ lies on edge k.
    pub fn touches(self, k: usize, xi: [f64; 2]) -> bool {
        self.distance(k, xi) <= ON_EDGE
    }

    /// True if ξ is inside and away from every edge.
    #[inline]
    pub fn is_well_inside(self, xi: [f64; 2]) -> bool {
        const CLEAR: f64 = 1e-9;
        let low = xi[0] > CLEAR && xi[1] > CLEAR;
        match self {
            Self::Square => low && xi[0] < 1.0 - CLEAR && xi[1] < 1.0 - CLEAR,
            Self::Triangle => low && xi[0] + xi[1] < 1.0 - CLEAR,
        }
    }

    /// The part of the face on which ξ lies.
    pub fn site(self, xi: [f64; 2]) -> Site {
        let n = self.n_corners();
        let mut edges = (0..n).filter(|&k| self.touches(k, xi));
        match (edges.next(), edges.next()) {
            (None, _) => Site::Interior,
            (Some(k), None) => Site::Edge(k as u8),
            // Edges k and k+1 meet in corner k+1; the last and the first in corner 0.
            (Some(k), Some(j)) => Site::Corner(if j == k + 1 { j as u8 } else { 0 }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_and_edges_are_recognised() {
        for domain in [Domain::Square, Domain::Triangle] {
            for k in 0..domain.n_corners() {
                assert_eq!(domain.site(domain.corner(k)), Site::Corner(k as u8));
                assert_eq!(domain.site(domain.on_edge(k, 0.3)), Site::Edge(k as u8));
                assert!((domain.along_edge(k, domain.on_edge(k, 0.3)) - 0.3).abs() < 1e-15);
            }
            assert_eq!(domain.site(domain.center()), Site::Interior);
        }
    }

    #[test]
    fn a_step_is_limited_by_the_first_edge_it_meets() {
        let (t, edge) = Domain::Triangle.limit([0.25, 0.25], [1.0, 1.0]);
        assert!((t - 0.25).abs() < 1e-15 && edge == Some(1));
        let (t, edge) = Domain::Square.limit([0.25, 0.25], [-0.5, -0.1]);
        assert!((t - 0.5).abs() < 1e-15 && edge == Some(3));
        assert_eq!(Domain::Square.limit([0.25, 0.25], [0.1, 0.1]), (1.0, None));
    }
}
