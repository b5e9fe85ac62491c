//! The kinds of faces of cells, one table for each kind.

use carom_vtk::CellType;

use super::{GmshElement, IN_ORDER};
use crate::quadrature::Quadrature;

/// Kind of a face of a cell, in VTK's node order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FaceShape {
    /// Linear triangle.
    Tri3,
    /// Quadratic triangle: corners, then edges 01 12 20.
    Tri6,
    /// Bilinear quadrilateral.
    Quad4,
    /// Serendipity quadrilateral: corners, then edges 01 12 23 30.
    Quad8,
    /// Biquadratic quadrilateral: as `Quad8`, then the centre.
    Quad9,
}

/// The table of a kind of face: nodes, shape functions, numbers in file formats.
struct Table {
    name: &'static str,
    order: usize,
    n_corners: usize,
    nodes: &'static [[f64; 2]],
    shape: ShapeFunctions,
    vtk: CellType,
    gmsh: GmshElement,
}

/// Writes values, first and second derivatives of the shape functions at a point.
type ShapeFunctions = fn([f64; 2], &mut [f64], &mut [[f64; 2]], &mut [[f64; 3]]);

static TRI3: Table = Table {
    name: "tri3",
    order: 1,
    n_corners: 3,
    nodes: TRI_NODES.split_at(3).0,
    shape: |xi, values, first, second| {
        values[..3].copy_from_slice(&[1.0 - xi[0] - xi[1], xi[0], xi[1]]);
        first[..3].copy_from_slice(&[[-1.0, -1.0], [1.0, 0.0], [0.0, 1.0]]);
        second[..3].fill([0.0; 3]);
    },
    vtk: CellType::Triangle,
    gmsh: GmshElement { number: 2, places: IN_ORDER.split_at(3).0 },
};

static TRI6: Table = Table {
    name: "tri6",
    order: 2,
    n_corners: 3,
    nodes: &TRI_NODES,
    shape: tri6,
    vtk: CellType::QuadraticTriangle,
    gmsh: GmshElement { number: 9, places: IN_ORDER.split_at(6).0 },
};

static QUAD4: Table = Table {
    name: "quad4",
    order: 1,
    n_corners: 4,
    nodes: QUAD_NODES.split_at(4).0,
    shape: |xi, values, first, second| tensor(linear, &QUAD_STEPS[..4], xi, values, first, second),
    vtk: CellType::Quad,
    gmsh: GmshElement { number: 3, places: IN_ORDER.split_at(4).0 },
};

static QUAD8: Table = Table {
    name: "quad8",
    order: 2,
    n_corners: 4,
    nodes: QUAD_NODES.split_at(8).0,
    shape: quad8,
    vtk: CellType::QuadraticQuad,
    gmsh: GmshElement { number: 16, places: IN_ORDER.split_at(8).0 },
};

static QUAD9: Table = Table {
    name: "quad9",
    order: 2,
    n_corners: 4,
    nodes: &QUAD_NODES,
    shape: |xi, values, first, second| tensor(quadratic, &QUAD_STEPS, xi, values, first, second),
    vtk: CellType::BiquadraticQuad,
    gmsh: GmshElement { number: 10, places: IN_ORDER.split_at(9).0 },
};

/// Reference coordinates of the nodes of a triangle.
const TRI_NODES: [[f64; 2]; 6] = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.5, 0.0], [0.5, 0.5], [0.0, 0.5]];

/// Reference coordinates of the nodes of a quadrilateral.
const QUAD_NODES: [[f64; 2]; 9] = [
    [0.0, 0.0],
    [1.0, 0.0],
    [1.0, 1.0],
    [0.0, 1.0],
    [0.5, 0.0],
    [1.0, 0.5],
    [0.5, 1.0],
    [0.0, 0.5],
    [0.5, 0.5],
];

impl FaceShape {
    /// Every kind.
    pub const ALL: [Self; 5] = [Self::Tri3, Self::Tri6, Self::Quad4, Self::Quad8, Self::Quad9];

    /// Largest number of nodes of any kind.
    pub const MAX_NODES: usize = 9;

    fn table(self) -> &'static Table {
        match self {
            Self::Tri3 => &TRI3,
            Self::Tri6 => &TRI6,
            Self::Quad4 => &QUAD4,
            Self::Quad8 => &QUAD8,
            Self::Quad9 => &QUAD9,
        }
    }

    /// Name in lower case, as in files of reduced-order models.
    pub fn name(self) -> &'static str {
        self.table().name
    }

    /// The kind of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|shape| shape.name() == name)
    }

    /// Number of nodes.
    pub fn n_nodes(self) -> usize {
        self.table().nodes.len()
    }

    /// The kind with that number of nodes.
    pub fn with_nodes(n: usize) -> Option<Self> {
        Self::ALL.into_iter().find(|shape| shape.n_nodes() == n)
    }

    /// Polynomial order of an edge: 1 or 2.
    pub fn order(self) -> usize {
        self.table().order
    }

    /// Whether it is a triangle (otherwise a quadrilateral).
    pub fn is_triangle(self) -> bool {
        self.n_corners() == 3
    }

    /// Number of corners, which is also the number of edges; edge k runs from corner k to the next one.
    pub fn n_corners(self) -> usize {
        self.table().n_corners
    }

    /// Coordinates of the nodes in the reference face: the unit triangle or \[0,1\]².
    pub fn reference_nodes(self) -> &'static [[f64; 2]] {
        self.table().nodes
    }

    /// A rule on the reference face with n points a direction, exact to degree 2n−1 in the two parameters.
    pub fn rule(self, n: usize) -> Quadrature {
        if self.is_triangle() { Quadrature::triangle(n) } else { Quadrature::square(n) }
    }

    /// Shape functions and their derivatives at ξ.
    ///
    /// ```text
    /// values[i] = N_i,   first[i] = [N_i,1  N_i,2],   second[i] = [N_i,11  N_i,12  N_i,22]
    /// ```
    ///
    /// # Panics
    ///
    /// If a slice has fewer entries than the face has nodes.
    pub fn shape_into(
        self,
        xi: [f64; 2],
        values: &mut [f64],
        first: &mut [[f64; 2]],
        second: &mut [[f64; 3]],
    ) {
        (self.table().shape)(xi, values, first, second);
    }

    /// VTK's kind of cell, whose node order agrees.
    pub fn vtk(self) -> CellType {
        self.table().vtk
    }

    /// The kind of face that a surface cell of VTK with this number of nodes represents.
    pub fn from_vtk(kind: CellType, n_nodes: usize) -> Option<Self> {
        match kind {
            CellType::Polygon => Self::ALL.into_iter().find(|s| s.order() == 1 && s.n_corners() == n_nodes),
            _ => Self::ALL.into_iter().find(|shape| shape.vtk() == kind),
        }
    }

    /// The kind in Gmsh's files.
    pub(crate) fn gmsh(self) -> &'static GmshElement {
        &self.table().gmsh
    }
}

/// L_i (2 L_i − 1) at corners, 4 L_i L_j on edges 01 12 20, with area coordinates L.
fn tri6(xi: [f64; 2], values: &mut [f64], first: &mut [[f64; 2]], second: &mut [[f64; 3]]) {
    const D: [[f64; 2]; 3] = [[-1.0, -1.0], [1.0, 0.0], [0.0, 1.0]];
    let l = [1.0 - xi[0] - xi[1], xi[0], xi[1]];
    for i in 0..3 {
        values[i] = l[i] * (2.0 * l[i] - 1.0);
        first[i] = D[i].map(|d| (4.0 * l[i] - 1.0) * d);
        second[i] = [4.0 * D[i][0] * D[i][0], 4.0 * D[i][0] * D[i][1], 4.0 * D[i][1] * D[i][1]];
        let (j, k) = ((i + 1) % 3, 3 + i);
        values[k] = 4.0 * l[i] * l[j];
        first[k] = [0, 1].map(|a| 4.0 * (l[i] * D[j][a] + l[j] * D[i][a]));
        let cross = |a: usize, b: usize| 4.0 * (D[i][a] * D[j][b] + D[i][b] * D[j][a]);
        second[k] = [cross(0, 0), cross(0, 1), cross(1, 1)];
    }
}

/// Node positions of the quadrilaterals in half steps: corners, edges 01 12 23 30, centre.
const QUAD_STEPS: [[usize; 2]; 9] = [[0, 0], [2, 0], [2, 2], [0, 2], [1, 0], [2, 1], [1, 2], [0, 1], [1, 1]];

/// Values and two derivatives of the functions of the nodes t = 0, (none), 1.
fn linear(t: f64) -> [[f64; 3]; 3] {
    [[1.0 - t, -1.0, 0.0], [0.0; 3], [t, 1.0, 0.0]]
}

/// Values and two derivatives of the functions of the nodes t = 0, ½, 1.
fn quadratic(t: f64) -> [[f64; 3]; 3] {
    [
        [(1.0 - t) * (1.0 - 2.0 * t), 4.0 * t - 3.0, 4.0],
        [4.0 * t * (1.0 - t), 4.0 - 8.0 * t, -8.0],
        [t * (2.0 * t - 1.0), 4.0 * t - 1.0, 4.0],
    ]
}

fn tensor(
    line: fn(f64) -> [[f64; 3]; 3],
    nodes: &[[usize; 2]],
    xi: [f64; 2],
    values: &mut [f64],
    first: &mut [[f64; 2]],
    second: &mut [[f64; 3]],
) {
    let (n, m) = (line(xi[0]), line(xi[1]));
    for (k, &[i, j]) in nodes.iter().enumerate() {
        values[k] = n[i][0] * m[j][0];
        first[k] = [n[i][1] * m[j][0], n[i][0] * m[j][1]];
        second[k] = [n[i][2] * m[j][0], n[i][1] * m[j][1], n[i][0] * m[j][2]];
    }
}

/// Serendipity functions in s = 2ξ₁ − 1, t = 2ξ₂ − 1: corners ¼(1+a)(1+b)(a+b−1) with a = s s_i, b = t t_i,
/// edges ½(1−s²)(1+b) and ½(1+a)(1−t²).
fn quad8(xi: [f64; 2], values: &mut [f64], first: &mut [[f64; 2]], second: &mut [[f64; 3]]) {
    let st = xi.map(|x| 2.0 * x - 1.0);
    for (k, node) in QUAD_STEPS[..8].iter().enumerate() {
        let c = node.map(|i| i as f64 - 1.0);
        let (a, b) = (st[0] * c[0], st[1] * c[1]);
        // Derivatives by s and t; each parametric derivative brings a factor 2.
        let (value, d, dd) = if k < 4 {
            (
                0.25 * (1.0 + a) * (1.0 + b) * (a + b - 1.0),
                [0.25 * (1.0 + b) * (2.0 * a + b) * c[0], 0.25 * (1.0 + a) * (a + 2.0 * b) * c[1]],
                [0.5 * (1.0 + b), 0.25 * (2.0 * a + 2.0 * b + 1.0) * c[0] * c[1], 0.5 * (1.0 + a)],
            )
        } else if c[0] == 0.0 {
            let bump = 1.0 - st[0] * st[0];
            (
                0.5 * bump * (1.0 + b),
                [-st[0] * (1.0 + b), 0.5 * bump * c[1]],
                [-(1.0 + b), -st[0] * c[1], 0.0],
            )
        } else {
            let bump = 1.0 - st[1] * st[1];
            (
                0.5 * bump * (1.0 + a),
                [0.5 * bump * c[0], -st[1] * (1.0 + a)],
                [0.0, -st[1] * c[0], -(1.0 + a)],
            )
        };
        values[k] = value;
        first[k] = d.map(|x| 2.0 * x);
        second[k] = dd.map(|x| 4.0 * x);
    }
}
